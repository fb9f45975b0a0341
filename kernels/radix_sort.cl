/* Stable LSD radix sort of 32-bit keys. A pass over one digit: each group counts its chunk's
 * digits, a scan over (digit, chunk) gives the places (scan.cl), each group reorders its chunk.
 *
 * With WORKGROUP == 1 the reorder is a serial loop over the next free place of each digit. On
 * groups (Satish et al. 2009) each work-item counts its ITEMS elements of a tile in counters of its
 * own, a scan of the counters, digits first, ranks the elements; they meet in local memory in the
 * tile's order and leave for the array in runs.
 *
 * Launch: one group of WORKGROUP a chunk.
 * Traffic of a pass: 4 bytes a key to count; 8 a key and 8 a payload to reorder.
 * -D DIGIT_BITS=b: 1 to 8. -D KEY_U32, KEY_I32 or KEY_F32: the order. -D PAYLOAD_NONE,
 * PAYLOAD_VALUES or PAYLOAD_INDEX: nothing moves with the keys, a word does, or their first places
 * do (made here).
 *
 * check: -DDIGIT_BITS=4 -DKEY_U32 -DPAYLOAD_NONE
 * check: -DDIGIT_BITS=5 -DKEY_I32 -DPAYLOAD_VALUES
 * check: -DDIGIT_BITS=1 -DKEY_F32 -DPAYLOAD_INDEX
 */
#include "chunk.h"

#if !defined(DIGIT_BITS) || DIGIT_BITS < 1 || DIGIT_BITS > 8
#error "DIGIT_BITS must be the width of a digit, 1 to 8"
#endif
#if !defined(PAYLOAD_NONE) && !defined(PAYLOAD_VALUES) && !defined(PAYLOAD_INDEX)
#error "one of PAYLOAD_NONE, PAYLOAD_VALUES and PAYLOAD_INDEX must say what moves with the keys"
#endif

#define DIGITS (1 << DIGIT_BITS)
#define DIGIT(key, shift) ((order(key) >> (shift)) & (DIGITS - 1))
#define SIGN 0x80000000u

/* Maps a key to a u32 of the same order. f32: the bits, sign flipped; all bits where negative. */
static inline u32 order(u32 key)
{
#if defined(KEY_U32)
    return key;
#elif defined(KEY_I32)
    return key ^ SIGN;
#elif defined(KEY_F32)
    return key ^ ((u32)((i32)key >> 31) | SIGN);
#else
#error "one of KEY_U32, KEY_I32 and KEY_F32 must say how keys are ordered"
#endif
}

/* The word that moves with element i. */
static inline u32 payload_at(__global const u32 *payload, u32 i)
{
#if defined(PAYLOAD_VALUES)
    return payload[i];
#else
    return i;
#endif
}

static inline void payload_put(__global u32 *payload, u32 i, u32 value)
{
#ifndef PAYLOAD_NONE
    payload[i] = value;
#endif
}

/* Which bits differ: ors[g], ands[g] = or and and of the ordered keys of chunk g; `found` holds the
 * ors, then the ands. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_vary(__global u32 *restrict found, __global const u32 *restrict keys, u32 n, u32 length)
{
    __local u32 ors[WORKGROUP], ands[WORKGROUP];
    const u32 item = (u32)get_local_id(0);
    const u32 group = (u32)get_group_id(0);
    const u32 end = chunk_end(length, n);

    u32 any = 0;
    u32 all = ~0u;
    for (u32 i = chunk_begin(length) + item; i < end; i += WORKGROUP) {
        any |= order(keys[i]);
        all &= order(keys[i]);
    }
    ors[item] = any;
    ands[item] = all;
    for (u32 stride = WORKGROUP / 2; stride > 0; stride /= 2) {
        workgroup_barrier();
        if (item < stride) {
            ors[item] |= ors[item + stride];
            ands[item] &= ands[item + stride];
        }
    }
    if (item == 0) {
        found[group] = ors[0];
        found[get_num_groups(0) + group] = ands[0];
    }
}

/* counts[d * chunks + g] = how many keys of chunk g have digit d. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_count(__global u32 *restrict counts, __global const u32 *restrict keys, u32 n, u32 length,
            u32 shift)
{
    __local u32 count[DIGITS];
    const u32 item = (u32)get_local_id(0);
    const u32 group = (u32)get_group_id(0);
    const u32 end = chunk_end(length, n);

    for (u32 d = item; d < DIGITS; d += WORKGROUP)
        count[d] = 0;
    workgroup_barrier();
    for (u32 i = chunk_begin(length) + item; i < end; i += WORKGROUP) {
#if WORKGROUP == 1
        count[DIGIT(keys[i], shift)]++;
#else
        atomic_inc(&count[DIGIT(keys[i], shift)]);
#endif
    }
    workgroup_barrier();
    for (u32 d = item; d < DIGITS; d += WORKGROUP)
        counts[d * (u32)get_num_groups(0) + group] = count[d];
}

#if WORKGROUP > 1

/* Sorts the `count` <= TILE keys that the work-items hold (ITEMS each, in the tile's order) into
 * staged local memory; begins[d] is where digit d begins in it. `counters` is a u16 a digit and
 * work-item. */
static inline void sort_tile(const u32 *keys, const u32 *payload, u32 count, u32 shift,
                             __local u32 *staged_keys, __local u32 *staged_payload,
                             __local ushort *counters, __local u32 *begins, __local u32 *scratch)
{
    const u32 item = (u32)get_local_id(0);
    const u32 first = item * ITEMS;

    // own counters of every digit
    for (u32 c = item; c < DIGITS * WORKGROUP; c += WORKGROUP)
        counters[c] = 0;
    workgroup_barrier();
    for (u32 k = 0; k < ITEMS && first + k < count; k++)
        counters[DIGIT(keys[k], shift) * WORKGROUP + item]++;
    workgroup_barrier();

    // scan of all counters, digits first: each work-item takes DIGITS neighbours
    u32 sum = 0;
    for (u32 c = item * DIGITS; c < (item + 1) * DIGITS; c++)
        sum += counters[c];
    u32 total;
    u32 prefix = workgroup_scan_exclusive(sum, &total, scratch);
    for (u32 c = item * DIGITS; c < (item + 1) * DIGITS; c++) {
        const u32 value = counters[c];
        counters[c] = (ushort)prefix;
        prefix += value;
    }
    workgroup_barrier();
    for (u32 d = item; d < DIGITS; d += WORKGROUP)
        begins[d] = counters[d * WORKGROUP];
    workgroup_barrier();

    // each element to its place in the tile
    for (u32 k = 0; k < ITEMS && first + k < count; k++) {
        const u32 place = counters[DIGIT(keys[k], shift) * WORKGROUP + item]++;
        staged_keys[place] = keys[k];
        staged_payload[place] = payload[k];
    }
    workgroup_barrier();
}

#endif

/* Moves each element of chunk g to the next free place of its digit; offsets[d * chunks + g] is the
 * first. payload_in, payload_out may be NULL where PAYLOAD_NONE, payload_in where PAYLOAD_INDEX. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_reorder(__global u32 *restrict keys_out, __global u32 *restrict payload_out,
              __global const u32 *restrict keys_in, __global const u32 *restrict payload_in,
              __global const u32 *restrict offsets, u32 n, u32 length, u32 shift)
{
    __local u32 next[DIGITS];
    const u32 item = (u32)get_local_id(0);
    const u32 begin = chunk_begin(length);
    const u32 end = chunk_end(length, n);
    for (u32 d = item; d < DIGITS; d += WORKGROUP)
        next[d] = offsets[d * (u32)get_num_groups(0) + (u32)get_group_id(0)];

#if WORKGROUP == 1
    for (u32 i = begin; i < end; i++) {
        const u32 key = keys_in[i];
        const u32 place = next[DIGIT(key, shift)]++;
        keys_out[place] = key;
        payload_put(payload_out, place, payload_at(payload_in, i));
    }
#else
    __local u32 staged_keys[TILE], staged_payload[TILE];
    __local ushort counters[DIGITS * WORKGROUP];
    __local u32 begins[DIGITS];
    __local u32 scratch[WORKGROUP_SCRATCH];

    for (u32 base = begin; base < end; base += TILE) {
        const u32 count = min((u32)TILE, end - base);
        u32 keys[ITEMS], payload[ITEMS];
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 i = base + item * ITEMS + k;
            keys[k] = i < end ? keys_in[i] : 0;
            payload[k] = i < end ? payload_at(payload_in, i) : 0;
        }
        sort_tile(keys, payload, count, shift, staged_keys, staged_payload, counters, begins,
                  scratch);

        // out in the tile's sorted order: neighbours with one digit go to neighbouring places
        for (u32 j = item; j < count; j += WORKGROUP) {
            const u32 digit = DIGIT(staged_keys[j], shift);
            const u32 place = next[digit] + j - begins[digit];
            keys_out[place] = staged_keys[j];
            payload_put(payload_out, place, staged_payload[j]);
        }
        workgroup_barrier();
        for (u32 d = item; d < DIGITS; d += WORKGROUP)
            next[d] += (d + 1 < DIGITS ? begins[d + 1] : count) - begins[d];
        workgroup_barrier();
    }
#endif
}

/* inverse[i] = i: the order of keys that are all equal. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_identity(__global u32 *restrict inverse, u32 n, u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP)
        inverse[i] = i;
}

/* permutation[inverse[i]] = i. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_invert(__global u32 *restrict permutation, __global const u32 *restrict inverse, u32 n,
             u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP)
        permutation[inverse[i]] = i;
}

/* out[i] = i's segment in an array of segments of `segment` elements, through the order inverse. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_segment_of(__global u32 *restrict out, __global const u32 *restrict inverse, u32 n,
                 u32 segment, u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP)
        out[i] = inverse[i] / segment;
}

/* Row i of out = row index[i] of in; rows of `words` words. A chunk is `length` rows. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_gather(__global u32 *restrict out, __global const u32 *restrict in,
             __global const u32 *restrict index, u32 n, u32 words, u32 length)
{
    const u32 end = chunk_end(length, n);
    if (words == 1) {
        for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP)
            out[i] = in[index[i]];
        return;
    }
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP) {
        __global u32 *to = out + (ulong)i * words;
        __global const u32 *from = in + (ulong)index[i] * words;
        for (u32 w = 0; w < words; w++)
            to[w] = from[w];
    }
}

/* ---- many sorts at once: each segment of an array by itself, in place ---- */

/* Segments up to this are ranked by counting. */
#define SEGMENT_RANK_MAX 64

#if WORKGROUP == 1

/* The elements of segment [begin, begin + segment) in registers and cache; an element's place is
 * the number of keys before it, counted against the whole segment: no branch, and vectorised over
 * the segment. */
static inline void segment_rank(__global u32 *keys, __global u32 *payload, u32 begin, u32 segment)
{
    const u32 step = 8;
    u32 own[SEGMENT_RANK_MAX], own_payload[SEGMENT_RANK_MAX], ordered[SEGMENT_RANK_MAX];

    // whole steps, padded with keys that come before none
    const u32 padded = (segment + step - 1) / step * step;
    for (u32 i = 0; i < segment; i++) {
        own[i] = keys[begin + i];
        own_payload[i] = payload_at(payload, begin + i);
        ordered[i] = order(own[i]);
    }
    for (u32 i = segment; i < padded; i++)
        ordered[i] = ~0u;

    for (u32 i = 0; i < segment; i++) {
        const u32 key = ordered[i];
        u32 place = 0;
        for (u32 j = 0; j < padded; j++)
            place += (ordered[j] < key ? 1 : 0) | ((ordered[j] == key ? 1 : 0) & (j < i ? 1 : 0));
        keys[begin + place] = own[i];
        payload_put(payload, begin + place, own_payload[i]);
    }
}

/* LSD radix sort of segment [begin, begin + segment) through the spare arrays, by eight bits a pass
 * over the low `key_bits`. */
static inline void segment_radix(__global u32 *keys, __global u32 *payload,
                                 __global u32 *spare_keys, __global u32 *spare_payload, u32 begin,
                                 u32 segment, u32 key_bits)
{
    __global u32 *from = keys + begin;
    __global u32 *to = spare_keys + begin;
    __global u32 *payload_from = payload + begin;
    __global u32 *payload_to = spare_payload + begin;
#ifdef PAYLOAD_INDEX
    for (u32 i = 0; i < segment; i++)
        payload_from[i] = begin + i;
#endif

    for (u32 shift = 0; shift < key_bits; shift += DIGIT_BITS) {
        u32 next[DIGITS];
        for (u32 d = 0; d < DIGITS; d++)
            next[d] = 0;
        for (u32 i = 0; i < segment; i++)
            next[DIGIT(from[i], shift)]++;

        // nothing to do where all digits are equal
        if (next[DIGIT(from[0], shift)] == segment)
            continue;
        u32 sum = 0;
        for (u32 d = 0; d < DIGITS; d++) {
            const u32 count = next[d];
            next[d] = sum;
            sum += count;
        }
        for (u32 i = 0; i < segment; i++) {
            const u32 place = next[DIGIT(from[i], shift)]++;
            to[place] = from[i];
#ifndef PAYLOAD_NONE
            payload_to[place] = payload_from[i];
#endif
        }
        __global u32 *swap = from;
        from = to;
        to = swap;
        swap = payload_from;
        payload_from = payload_to;
        payload_to = swap;
    }

    // after an odd number of passes the result is in the spare arrays
    if (from != keys + begin) {
        for (u32 i = 0; i < segment; i++) {
            to[i] = from[i];
#ifndef PAYLOAD_NONE
            payload_to[i] = payload_from[i];
#endif
        }
    }
}

/* Sorts segments [g * run, (g + 1) * run). payload may be NULL where PAYLOAD_NONE; the spare
 * arrays, u32 an element, only where segments are longer than SEGMENT_RANK_MAX (and spare_payload
 * as payload). */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_segments(__global u32 *keys, __global u32 *payload, __global u32 *spare_keys,
               __global u32 *spare_payload, u32 segments, u32 segment, u32 run, u32 key_bits)
{
    const u32 end = chunk_end(run, segments);
    for (u32 s = chunk_begin(run); s < end; s++) {
        if (segment <= SEGMENT_RANK_MAX)
            segment_rank(keys, payload, s * segment, segment);
        else
            segment_radix(keys, payload, spare_keys, spare_payload, s * segment, segment, key_bits);
    }
}

#else

/* As many segments as fit in a group, a work-item an element: its place is the number of keys
 * before it. */
static inline void segment_rank(__global u32 *keys, __global u32 *payload, u32 begin, u32 end,
                                u32 segment, __local u32 *ordered)
{
    const u32 item = (u32)get_local_id(0);
    const u32 span = WORKGROUP / segment * segment;

    for (u32 base = begin; base < end; base += span) {
        const u32 i = base + item;
        const bool holds = item < span && i < end;
        const u32 key = holds ? keys[i] : 0;
        const u32 word = holds ? payload_at(payload, i) : 0;
        ordered[item] = order(key);
        chunk_barrier();
        if (holds) {
            const u32 first = item / segment * segment;
            u32 place = 0;
            for (u32 j = first; j < first + segment; j++)
                place +=
                    ordered[j] < ordered[item] || (ordered[j] == ordered[item] && j < item) ? 1 : 0;
            keys[base + first + place] = key;
            payload_put(payload, base + first + place, word);
        }
        workgroup_barrier();
    }
}

/* Sorts segments [g * run, (g + 1) * run) of at most TILE elements. payload may be NULL where
 * PAYLOAD_NONE; the spare arrays are for groups of one. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_segments(__global u32 *keys, __global u32 *payload, __global u32 *spare_keys,
               __global u32 *spare_payload, u32 segments, u32 segment, u32 run, u32 key_bits)
{
    __local u32 staged_keys[TILE], staged_payload[TILE];
    __local ushort counters[DIGITS * WORKGROUP];
    __local u32 begins[DIGITS];
    __local u32 scratch[WORKGROUP_SCRATCH];
    const u32 item = (u32)get_local_id(0);
    const u32 end = chunk_end(run, segments);

    if (segment <= min(SEGMENT_RANK_MAX, WORKGROUP)) {
        segment_rank(keys, payload, chunk_begin(run) * segment, end * segment, segment,
                     staged_keys);
        return;
    }
    for (u32 s = chunk_begin(run); s < end; s++) {
        const u32 begin = s * segment;
        for (u32 j = item; j < segment; j += WORKGROUP) {
            staged_keys[j] = keys[begin + j];
            staged_payload[j] = payload_at(payload, begin + j);
        }
        chunk_barrier();
        for (u32 shift = 0; shift < key_bits; shift += DIGIT_BITS) {
            u32 own[ITEMS], own_payload[ITEMS];
            for (u32 k = 0; k < ITEMS; k++) {
                const u32 j = item * ITEMS + k;
                own[k] = j < segment ? staged_keys[j] : 0;
                own_payload[k] = j < segment ? staged_payload[j] : 0;
            }
            workgroup_barrier();
            sort_tile(own, own_payload, segment, shift, staged_keys, staged_payload, counters,
                      begins, scratch);
        }
        for (u32 j = item; j < segment; j += WORKGROUP) {
            keys[begin + j] = staged_keys[j];
            payload_put(payload, begin + j, staged_payload[j]);
        }
        workgroup_barrier();
    }
}

#endif

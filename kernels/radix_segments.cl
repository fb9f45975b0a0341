/* Many sorts at once: each segment of an array by itself, stable, in place.
 *
 * Short segments are ranked: an element's place is the number of keys before it, counted against
 * the whole segment; no branch hangs on a key. With WORKGROUP == 1 eight elements count side by
 * side; on groups a work-item is an element. Longer segments are sorted by radix: one work-item
 * (through the spare arrays; all digits are counted in one reading, as moves within the segment
 * keep the counts) or one group (in local memory) a segment.
 *
 * Launch: one group of WORKGROUP a run of segments.
 * Traffic: two keys and two payloads of 4 bytes an element; spare memory besides, of the
 * first-level cache for segments of some thousand elements.
 * -D as in radix.h. -D OCLGRIND: for that interpreter (rank_keys).
 *
 * check: -DDIGIT_BITS=4 -DKEY_U32 -DPAYLOAD_NONE
 * check: -DDIGIT_BITS=5 -DKEY_I32 -DPAYLOAD_VALUES -DDESCENDING
 * check: -DDIGIT_BITS=1 -DKEY_F32 -DPAYLOAD_INDEX
 * check: -DDIGIT_BITS=3 -DKEY_U64 -DPAYLOAD_VALUES
 */
#include "radix.h"

#if WORKGROUP == 1

/* Keys of one vector, and their signed words: those are compared in one instruction. */
#define LANES 8
#ifdef KEY_U64
#define RANKED long
#define RANKED_LANES long8
#define LANE_NUMBERS ((long8)(0, 1, 2, 3, 4, 5, 6, 7))
#else
#define RANKED int
#define RANKED_LANES int8
#define LANE_NUMBERS ((int8)(0, 1, 2, 3, 4, 5, 6, 7))
#endif

/* places[i] = how many of the `blocks` * LANES keys come before key i: lesser ones, and equal ones
 * before it. A comparison that holds is -1; Oclgrind, where it may be 255, counts one by one. */
static inline void rank_keys(const RANKED *ranked, u32 *places, u32 blocks)
{
#ifdef OCLGRIND
    for (u32 i = 0; i < blocks * LANES; i++) {
        places[i] = 0;
        for (u32 j = 0; j < blocks * LANES; j++)
            places[i] += ranked[j] < ranked[i] || (ranked[j] == ranked[i] && j < i) ? 1 : 0;
    }
#else
    for (u32 b = 0; b < blocks; b++) {
        const RANKED_LANES mine = vload8(b, ranked);
        RANKED_LANES place = (RANKED_LANES)(b * LANES);

        // all keys of the blocks before, less the greater ones
        for (u32 other = 0; other < b; other++) {
#pragma unroll
            for (u32 lane = 0; lane < LANES; lane++)
                place += (RANKED_LANES)(ranked[other * LANES + lane]) > mine;
        }
#pragma unroll
        for (u32 lane = 0; lane < LANES; lane++) {
            const RANKED_LANES key = (RANKED_LANES)(ranked[b * LANES + lane]);
            place -= (key < mine) | ((key == mine) & ((RANKED_LANES)(lane) < LANE_NUMBERS));
        }
        for (u32 other = b + 1; other < blocks; other++) {
#pragma unroll
            for (u32 lane = 0; lane < LANES; lane++)
                place -= (RANKED_LANES)(ranked[other * LANES + lane]) < mine;
        }
        vstore8(convert_uint8(place), b, places);
    }
#endif
}

/* Segment [begin, begin + segment), at most SEGMENT_RANK_MAX. */
static inline void segment_rank(__global KEY *keys, __global u32 *payload, u32 begin, u32 segment)
{
    KEY own[SEGMENT_RANK_MAX];
    u32 own_payload[SEGMENT_RANK_MAX];
    RANKED ranked[SEGMENT_RANK_MAX];
    u32 places[SEGMENT_RANK_MAX];
    const u32 blocks = (segment + LANES - 1) / LANES;

    // whole blocks, filled up with keys that come before none
    for (u32 i = 0; i < segment; i++) {
        own[i] = keys[begin + i];
        own_payload[i] = payload_at(payload, begin + i, false);
        ranked[i] = (RANKED)(key_order(own[i]) ^ KEY_SIGN);
    }
    for (u32 i = segment; i < blocks * LANES; i++)
        ranked[i] = (RANKED)(KEY_SIGN - 1);

    rank_keys(ranked, places, blocks);
    for (u32 i = 0; i < segment; i++) {
        keys[begin + places[i]] = own[i];
        payload_put(payload, begin + places[i], own_payload[i]);
    }
}

/* Digits of a key. */
#define PASSES ((KEY_BITS + DIGIT_BITS - 1) / DIGIT_BITS)

/* LSD radix sort of segment [begin, begin + segment) through the spare arrays. */
static inline void segment_radix(__global KEY *keys, __global u32 *payload,
                                 __global KEY *spare_keys, __global u32 *spare_payload, u32 begin,
                                 u32 segment)
{
    __global KEY *from = keys;
    __global KEY *to = spare_keys;
    __global u32 *payload_from = payload;
    __global u32 *payload_to = spare_payload;
    const u32 end = begin + segment;
    u32 next[PASSES * DIGITS];
    bool moved = false;

    for (u32 c = 0; c < PASSES * DIGITS; c++)
        next[c] = 0;
    for (u32 i = begin; i < end; i++) {
        const KEY key = keys[i];
#pragma unroll
        for (u32 pass = 0; pass < PASSES; pass++)
            next[pass * DIGITS + DIGIT(key, pass * DIGIT_BITS)]++;
    }
    for (u32 pass = 0; pass < PASSES; pass++) {
        const u32 shift = pass * DIGIT_BITS;
        u32 *places = next + pass * DIGITS;

        // nothing to do where all digits are equal
        if (places[DIGIT(from[begin], shift)] == segment)
            continue;
        u32 sum = begin;
        for (u32 d = 0; d < DIGITS; d++) {
            const u32 count = places[d];
            places[d] = sum;
            sum += count;
        }
        radix_move(to, payload_to, from, payload_from, places, begin, end, shift, moved);
        __global KEY *swap = from;
        from = to;
        to = swap;
        __global u32 *swap_payload = payload_from;
        payload_from = payload_to;
        payload_to = swap_payload;
        moved = true;
    }

    // after an odd number of passes the result is in the spare arrays, after none not numbered yet
    if (from != keys || !moved) {
        for (u32 i = begin; i < end; i++) {
            keys[i] = from[i];
            payload_put(payload, i, payload_at(payload_from, i, moved));
        }
    }
}

/* Sorts segments [g * run, (g + 1) * run) of at most SEGMENT_RANK_MAX elements. payload may be NULL
 * where PAYLOAD_NONE. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_rank(__global KEY *keys, __global u32 *payload, u32 segments, u32 segment, u32 run)
{
    const u32 end = chunk_end(run, segments);
    for (u32 s = chunk_begin(run); s < end; s++)
        segment_rank(keys, payload, s * segment, segment);
}

/* Sorts segments of any length. payload, spare_payload may be NULL where PAYLOAD_NONE; the spare
 * arrays are as long as keys and payload. Only the low `key_bits` differ, which no serial loop
 * needs to know. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_segments(__global KEY *keys, __global u32 *payload, __global KEY *spare_keys,
               __global u32 *spare_payload, u32 segments, u32 segment, u32 run, u32 key_bits)
{
    const u32 end = chunk_end(run, segments);
    for (u32 s = chunk_begin(run); s < end; s++)
        segment_radix(keys, payload, spare_keys, spare_payload, s * segment, segment);
}

#else

/* Sorts segments [g * run, (g + 1) * run) of at most SEGMENT_RANK_MAX and WORKGROUP elements, as
 * many at once as fit in a group. payload may be NULL where PAYLOAD_NONE. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_rank(__global KEY *keys, __global u32 *payload, u32 segments, u32 segment, u32 run)
{
    __local KEY ordered[WORKGROUP];
    const u32 item = (u32)get_local_id(0);
    const u32 span = WORKGROUP / segment * segment;
    const u32 end = chunk_end(run, segments) * segment;

    for (u32 base = chunk_begin(run) * segment; base < end; base += span) {
        const u32 i = base + item;
        const bool holds = item < span && i < end;
        const KEY key = holds ? keys[i] : 0;
        const u32 word = holds ? payload_at(payload, i, false) : 0;
        ordered[item] = key_order(key);
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

/* Sorts segments of at most TILE elements. payload may be NULL where PAYLOAD_NONE; the spare arrays
 * are for groups of one. Only the low `key_bits` differ. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_segments(__global KEY *keys, __global u32 *payload, __global KEY *spare_keys,
               __global u32 *spare_payload, u32 segments, u32 segment, u32 run, u32 key_bits)
{
    __local KEY staged_keys[TILE];
    __local u32 staged_payload[TILE];
    __local ushort counters[DIGITS * WORKGROUP];
    __local u32 begins[DIGITS];
    __local u32 scratch[WORKGROUP_SCRATCH];
    const u32 item = (u32)get_local_id(0);
    const u32 end = chunk_end(run, segments);

    for (u32 s = chunk_begin(run); s < end; s++) {
        const u32 begin = s * segment;
        for (u32 j = item; j < segment; j += WORKGROUP) {
            staged_keys[j] = keys[begin + j];
            staged_payload[j] = payload_at(payload, begin + j, false);
        }
        chunk_barrier();
        for (u32 shift = 0; shift < key_bits; shift += DIGIT_BITS) {
            KEY own[ITEMS];
            u32 own_payload[ITEMS];
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

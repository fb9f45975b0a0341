/* Stable LSD radix sort. A pass over one digit: each group counts its chunk's digits, a scan over
 * (digit, chunk) gives the places (scan.cl), each group reorders its chunk.
 *
 * With WORKGROUP == 1 the reorder is a serial loop over the next free place of each digit. (Staging
 * a cache line a digit, 11-bit digits, and keys interleaved with payloads cost more than they
 * save.) On groups (Satish et al. 2009) each work-item counts its ITEMS elements of a tile in
 * counters of its own, a scan of the counters, digits first, ranks the elements; they meet in local
 * memory in the tile's order and leave for the array in runs.
 *
 * Launch: one group of WORKGROUP a chunk.
 * Traffic of a pass: a key to count; two keys and two payloads of 4 bytes to reorder.
 * -D as in radix.h; PAYLOAD_* is for radix_reorder alone.
 *
 * check: -DDIGIT_BITS=4 -DKEY_U32 -DPAYLOAD_NONE
 * check: -DDIGIT_BITS=5 -DKEY_I32 -DPAYLOAD_VALUES -DDESCENDING
 * check: -DDIGIT_BITS=1 -DKEY_F32 -DPAYLOAD_INDEX
 * check: -DDIGIT_BITS=3 -DKEY_U64 -DPAYLOAD_VALUES
 */
#include "radix.h"

#define BITS_OF_EITHER(a, b) ((a) | (b))
#define BITS_OF_BOTH(a, b) ((a) & (b))
WORKGROUP_REDUCTION(reduce_or, KEY, BITS_OF_EITHER)
WORKGROUP_REDUCTION(reduce_and, KEY, BITS_OF_BOTH)

/* Which bits differ: ors[g], ands[g] = or and and of the ordered keys of chunk g; `found` holds the
 * ors, then the ands. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_vary(__global KEY *restrict found, __global const KEY *restrict keys, u32 n, u32 length)
{
    __local KEY scratch[WORKGROUP];
    const u32 item = (u32)get_local_id(0);
    const u32 group = (u32)get_group_id(0);
    const u32 end = chunk_end(length, n);

    KEY any = 0;
    KEY all = ~(KEY)0;
    for (u32 i = chunk_begin(length) + item; i < end; i += WORKGROUP) {
        any |= key_order(keys[i]);
        all &= key_order(keys[i]);
    }
    any = reduce_or(any, scratch);
    all = reduce_and(all, scratch);
    if (item == 0) {
        found[group] = any;
        found[get_num_groups(0) + group] = all;
    }
}

/* counts[d * chunks + g] = how many keys of chunk g have digit d. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_count(__global u32 *restrict counts, __global const KEY *restrict keys, u32 n, u32 length,
            u32 shift)
{
    __local u32 count[DIGITS];
    const u32 item = (u32)get_local_id(0);
    const u32 group = (u32)get_group_id(0);
    const u32 end = chunk_end(length, n);

    for (u32 d = item; d < DIGITS; d += WORKGROUP)
        count[d] = 0;
    workgroup_barrier();
#if WORKGROUP == 1
    u32 base = chunk_begin(length);
    for (; base + BLOCK <= end; base += BLOCK) {
#pragma unroll 8
        for (u32 j = 0; j < BLOCK; j++)
            count[DIGIT(keys[base + j], shift)]++;
    }
    for (u32 i = base; i < end; i++)
        count[DIGIT(keys[i], shift)]++;
#else
    for (u32 i = chunk_begin(length) + item; i < end; i += WORKGROUP)
        atomic_inc(&count[DIGIT(keys[i], shift)]);
    workgroup_barrier();
#endif
    for (u32 d = item; d < DIGITS; d += WORKGROUP)
        counts[d * (u32)get_num_groups(0) + group] = count[d];
}

/* Moves each element of chunk g to the next free place of its digit; offsets[d * chunks + g] is the
 * first. payload_in, payload_out may be NULL where PAYLOAD_NONE, payload_in where PAYLOAD_INDEX. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
radix_reorder(__global KEY *restrict keys_out, __global u32 *restrict payload_out,
              __global const KEY *restrict keys_in, __global const u32 *restrict payload_in,
              __global const u32 *restrict offsets, u32 n, u32 length, u32 shift)
{
    const u32 begin = chunk_begin(length);
    const u32 end = chunk_end(length, n);
#if WORKGROUP == 1
    u32 next[DIGITS];
    for (u32 d = 0; d < DIGITS; d++)
        next[d] = offsets[d * (u32)get_num_groups(0) + (u32)get_group_id(0)];
    radix_move(keys_out, payload_out, keys_in, payload_in, next, begin, end, shift, false);
#else
    __local KEY staged_keys[TILE];
    __local u32 staged_payload[TILE];
    __local ushort counters[DIGITS * WORKGROUP];
    __local u32 begins[DIGITS];
    __local u32 scratch[WORKGROUP_SCRATCH];
    __local u32 next[DIGITS];
    const u32 item = (u32)get_local_id(0);
    for (u32 d = item; d < DIGITS; d += WORKGROUP)
        next[d] = offsets[d * (u32)get_num_groups(0) + (u32)get_group_id(0)];

    for (u32 base = begin; base < end; base += TILE) {
        const u32 count = min((u32)TILE, end - base);
        KEY keys[ITEMS];
        u32 payload[ITEMS];
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 i = base + item * ITEMS + k;
            keys[k] = i < end ? keys_in[i] : 0;
            payload[k] = i < end ? payload_at(payload_in, i, false) : 0;
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

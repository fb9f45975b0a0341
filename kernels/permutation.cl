/* Permutations of arrays: the order that sorts give, turned around and applied.
 *
 * Launch: one group of WORKGROUP a chunk of `length` elements.
 * Traffic: 4 bytes an element to make one; 8 to invert one, the writes scattered; 4 an index and 8
 * a word to gather rows, the reads scattered.
 */
#include "chunk.h"

/* inverse[i] = i. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
permutation_identity(__global u32 *restrict inverse, u32 n, u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP)
        inverse[i] = i;
}

/* permutation[inverse[i]] = i. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
permutation_invert(__global u32 *restrict permutation, __global const u32 *restrict inverse, u32 n,
                   u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP)
        permutation[inverse[i]] = i;
}

/* out[i] = the segment that element inverse[i] is in; segments have `segment` elements. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
permutation_segments(__global u32 *restrict out, __global const u32 *restrict inverse, u32 n,
                     u32 segment, u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP)
        out[i] = inverse[i] / segment;
}

/* Row i of out = row index[i] of in; rows of `words` words. A chunk is `length` rows. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
permutation_gather(__global u32 *restrict out, __global const u32 *restrict in,
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

/* How a group walks its chunk of a long array.
 *
 * The array is cut into contiguous chunks, one a group. A group walks its chunk in tiles of TILE
 * elements: work-item w holds the ITEMS elements from w * ITEMS of a tile, so a tile's order is the
 * work-items' order. With WORKGROUP == 1 a tile is one element and the walk a plain serial loop.
 */
#ifndef KERNELS_CHUNK_H
#define KERNELS_CHUNK_H

#include "workgroup.h"

#if WORKGROUP == 1
#define ITEMS 1
#else
#define ITEMS 4
#endif
#define TILE (WORKGROUP * ITEMS)

/* The group's work-items meet; global memory that they read before may be written after. */
#if WORKGROUP == 1
#define chunk_barrier()
#else
#define chunk_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

/* The first element of this group's chunk, and the end of it. */
static inline u32 chunk_begin(u32 length)
{
    return (u32)get_group_id(0) * length;
}

static inline u32 chunk_end(u32 length, u32 n)
{
    return min(chunk_begin(length) + length, n);
}

/* sums[0] + … + sums[group - 1] of the groups before this one, by the whole group. */
static inline u32 chunk_offset(__global const u32 *sums, __local u32 *scratch)
{
    const u32 group = (u32)get_group_id(0);
    u32 sum = 0;
    for (u32 i = (u32)get_local_id(0); i < group; i += WORKGROUP)
        sum += sums[i];
    return workgroup_reduce_add(sum, scratch);
}

#endif

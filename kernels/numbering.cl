/* The numbers that searches give to vertices, and what is translated between them and the milestones' ids
 * (engine/roadmap/search/numbering.h).
 *
 * Launch: any number of work-items, a stretch of elements each (share.h).
 * Traffic: 8 bytes an element, 4 of them random where numbers are looked up.
 */
#include "share.h"
#include "types.h"

/* flags[i] = 1 where slot i holds an id, 0 where it is empty. */
__kernel void numbering_flag(__global u32 *restrict flags, __global const u32 *restrict slots,
                             const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++)
        flags[i] = slots[i] != NONE_U32;
}

/* places[ids[v]] = v. */
__kernel void numbering_invert(__global u32 *restrict places, __global const u32 *restrict ids,
                               const u32 n)
{
    for (u32 v = share_begin(n), end = share_end(n); v < end; v++)
        places[ids[v]] = v;
}

/* vertices[i] = the vertex that is linked milestones[i], NONE_U32 where that is none. */
__kernel void numbering_links(__global u32 *restrict vertices,
                              __global const u32 *restrict milestones,
                              __global const u32 *restrict places, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        const u32 milestone = milestones[i];
        vertices[i] = milestone == NONE_U32 ? NONE_U32 : places[milestone];
    }
}

/* Vertices of paths become milestones. What no path has written may be anything, and stays so. */
__kernel void numbering_paths(__global u32 *restrict entries, __global const u32 *restrict ids,
                              const u32 vertex_count, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        const u32 vertex = entries[i];
        if (vertex < vertex_count)
            entries[i] = ids[vertex];
    }
}

/* The numbers that searches give to vertices (engine/roadmap/search/numbering.h).
 *
 * Launch: any number of work-items, a stretch of elements each (share.h).
 * Traffic: 8 bytes an element, 4 of them random where numbers are inverted.
 */
#include "share.h"
#include "types.h"

/* flags[i] = 1 where slot i holds an id, 0 where it is empty. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
numbering_flag(__global u32 *restrict flags, __global const u32 *restrict slots,
               const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++)
        flags[i] = slots[i] != NONE_U32;
}

/* places[ids[v]] = v. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
numbering_invert(__global u32 *restrict places, __global const u32 *restrict ids,
                 const u32 n)
{
    for (u32 v = share_begin(n), end = share_end(n); v < end; v++)
        places[ids[v]] = v;
}

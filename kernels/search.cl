/* What every graph search begins and ends with: nothing known of any query, links as the graph numbers its
 * vertices; and paths of milestones.
 *
 * Launch: any number of work-items, a stretch of elements each (share.h).
 * Traffic: 12 bytes a query, 12 a link and 8 to 16 an entry of a path, 4 of them random.
 */
#include "search_control.h"
#include "share.h"
#include "types.h"

/* first, counts, goals: [queries], NONE_U32 from now on; control: [SEARCH_CONTROL_WORDS], 0 from now on.
 * vertices[i] = places[milestones[i]], NONE_U32 where that is none, for i < links. n: the greatest of
 * these lengths. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
search_begin(__global u32 *restrict first, __global u32 *restrict counts,
             __global u32 *restrict goals, __global u32 *restrict control,
             __global u32 *restrict vertices,
             __global const u32 *restrict milestones,
             __global const u32 *restrict places, const u32 queries, const u32 links,
             const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        if (i < queries) {
            first[i] = NONE_U32;
            counts[i] = NONE_U32;
            goals[i] = NONE_U32;
        }
        if (i < SEARCH_CONTROL_WORDS)
            control[i] = 0;
        if (i < links) {
            const u32 milestone = milestones[i];
            vertices[i] = milestone == NONE_U32 ? NONE_U32 : places[milestone];
        }
    }
}

/* The paths that a full pool holds, of n queries, go to a larger one, to the same places. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
search_move(__global u32 *restrict larger, __global const u32 *restrict entries,
            __global const u32 *restrict first, __global const u32 *restrict counts,
            const u32 n)
{
    for (u32 q = share_begin(n), end = share_end(n); q < end; q++) {
        const u32 count = first[q] == NONE_U32 ? 0 : counts[q];
        for (u32 i = 0; i < count; i++)
            larger[first[q] + i] = entries[first[q] + i];
    }
}

/* The vertices of n queries' paths, in the pool's entries, become milestones. first, counts: of the pool. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
search_end(__global u32 *restrict entries, __global const u32 *restrict first,
           __global const u32 *restrict counts, __global const u32 *restrict ids,
           const u32 n)
{
    for (u32 q = share_begin(n), end = share_end(n); q < end; q++) {
        for (u32 i = 0; i < counts[q]; i++)
            entries[first[q] + i] = ids[entries[first[q] + i]];
    }
}

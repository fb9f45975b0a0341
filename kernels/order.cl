/* Queries in the order of what their searches may take: those whose ends are farthest apart first.
 *
 * Breadth-first searches of one batch go on as long as the longest of them: batches of queries alike end sooner.
 * Without -D ROW and DOF (metric.h) all queries count as alike.
 *
 * Launch: any number of work-items (share.h). Traffic: two rows a query.
 *
 * check: -DNO_VARIANT
 * check: -DROW=2 -DDOF=2
 */
#include "share.h"
#include "types.h"

#ifdef ROW
#include "metric.h"
#endif

/* keys[q]: the less, the farther query q's start is from its first goal; the greatest where there is nothing to
 * search. order[q] = q. n: queries. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
order_queries(__global u32 *restrict keys, __global u32 *restrict order,
              __global const struct query *restrict queries,
              __global const f32 *restrict end_states, u32 n)
{
    for (u32 q = share_begin(n), end = share_end(n); q < end; q++) {
        u32 key = NONE_U32;
#ifdef ROW
        const struct query query = queries[q];
        // the bits of floats from 0 on are in their order
        if (!query.skip)
            key = ~as_uint(metric_distance_rows(end_states + (size_t)query.start * ROW,
                                                end_states + (size_t)query.goal_first * ROW));
#endif
        keys[q] = key;
        order[q] = q;
    }
}

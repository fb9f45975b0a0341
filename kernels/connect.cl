/* The ends of queries linked to the roadmap: which edges to check, what the valid ones cost, and which of them
 * can be of use.
 *
 * Launch: connect_pairs, connect_links and connect_copy share out ends, connect_queries queries (share.h).
 * Traffic: 28 bytes a link.
 * -D ROW, DOF: of metric.h.
 *
 * check: -DROW=4 -DDOF=3
 */
#include "connect_types.h"
#include "metric.h"
#include "share.h"
#include "types.h"

/* pairs[e][j] = end e and its j-th neighbour, to be checked: of an end that is fine all neighbours, or the one
 * that it coincides with. Sets END_FREE and END_AT_MILESTONE. flags: [n], END_OUTSIDE or 0 on entry;
 * is_free: [n]; neighbors, distances: [n][k]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
connect_pairs(__global u32 *restrict pairs, __global u32 *restrict flags,
              __global const u32 *restrict is_free,
              __global const u32 *restrict neighbors,
              __global const f32 *restrict distances, const u32 n, const u32 k)
{
    for (u32 e = share_begin(n), end = share_end(n); e < end; e++) {
        const size_t row = (size_t)e * k;
        const bool fine = !(flags[e] & END_OUTSIDE) && is_free[e];
        const bool at = fine && neighbors[row] != NONE_U32 && distances[row] == 0.0f;
        const u32 count = at ? 1 : fine ? k : 0;

        for (u32 j = 0; j < k; j++) {
            const u32 neighbor = j < count ? neighbors[row + j] : NONE_U32;
            pairs[2 * (row + j)] = neighbor == NONE_U32 ? NONE_U32 : e;
            pairs[2 * (row + j) + 1] = neighbor;
        }
        flags[e] |= (fine ? END_FREE : 0) | (at ? END_AT_MILESTONE : 0);
    }
}

/* The valid pairs of each end, nearest first, as links. Costs are of lengths as edges have them (metric.h).
 * vertices, costs, valid: [n][k]; pairs, distances of connect_pairs; ends: f32[n][ROW]; states: of the vertices. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
connect_links(__global u32 *restrict vertices, __global u32 *restrict costs,
              __global const u32 *restrict valid, __global const u32 *restrict pairs,
              __global const f32 *restrict distances,
              __global const f32 *restrict ends, __global const f32 *restrict states,
              const u32 n, const u32 k, const f32 weight_scale)
{
    for (u32 e = share_begin(n), end = share_end(n); e < end; e++) {
        const size_t row = (size_t)e * k;
        u32 count = 0;
        for (u32 j = 0; j < k; j++) {
            const u32 vertex = pairs[2 * (row + j) + 1];
            if (!valid[row + j])
                continue;
            vertices[row + count] = vertex;
            const f32 length = distances[row + j] == 0.0f
                                   ? 0.0f
                                   : metric_distance_rows(ends + (size_t)e * ROW,
                                                          states + (size_t)vertex * ROW);
            costs[row + count] = metric_weight(length, weight_scale);
            count++;
        }
        for (; count < k; count++) {
            vertices[row + count] = NONE_U32;
            costs[row + count] = 0;
        }
    }
}

/* Whether a link of ends first … first + count - 1 leads into `component`. */
static inline bool ends_reach(__global const u32 *vertices, __global const u32 *components, u32 first,
                              u32 count, u32 k, u32 component)
{
    for (u32 e = first; e < first + count; e++) {
        __global const u32 *row = vertices + (size_t)e * k;
        for (u32 j = 0; j < k && row[j] != NONE_U32; j++) {
            if (components[row[j]] == component)
                return true;
        }
    }
    return false;
}

/* Drops the links of end e that lead where no link of ends first … first + count - 1 leads. */
static inline void drop_links(__global u32 *vertices, __global u32 *costs,
                              __global const u32 *components, u32 e, u32 k, u32 first, u32 count)
{
    const size_t row = (size_t)e * k;
    u32 kept = 0;
    for (u32 j = 0; j < k && vertices[row + j] != NONE_U32; j++) {
        const u32 vertex = vertices[row + j];
        const u32 cost = costs[row + j];
        if (!ends_reach(vertices, components, first, count, k, components[vertex]))
            continue;
        vertices[row + kept] = vertex;
        costs[row + kept] = cost;
        kept++;
    }
    for (; kept < k; kept++)
        vertices[row + kept] = NONE_U32;
}

/* Size of the component that the nearest link of the first linked of these ends leads into; 0: no link. */
static inline u32 component_size(__global const u32 *vertices, __global const u32 *components,
                                 __global const u32 *sizes, u32 first, u32 count, u32 k)
{
    for (u32 e = first; e < first + count; e++) {
        const u32 vertex = vertices[(size_t)e * k];
        if (vertex != NONE_U32)
            return sizes[components[vertex]];
    }
    return 0;
}

/* Links and flags of ends that are linked already: row first + e of the outputs becomes row which[e],
 * of no link and no flag where that is NONE_U32. out_vertices, out_costs: [][k]; out_flags: []; vertices,
 * costs: [][k]; flags: []; which: [n]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
connect_copy(__global u32 *restrict out_vertices, __global u32 *restrict out_costs,
             __global u32 *restrict out_flags, __global const u32 *restrict vertices,
             __global const u32 *restrict costs, __global const u32 *restrict flags,
             __global const u32 *restrict which, const u32 first, const u32 k,
             const u32 n)
{
    for (u32 e = share_begin(n), end = share_end(n); e < end; e++) {
        const u32 from = which[e];
        for (u32 j = 0; j < k; j++) {
            const size_t to = (size_t)(first + e) * k + j, at = (size_t)from * k + j;
            out_vertices[to] = from == NONE_U32 ? NONE_U32 : vertices[at];
            out_costs[to] = from == NONE_U32 ? 0 : costs[at];
        }
        out_flags[first + e] = from == NONE_U32 ? 0 : flags[from];
    }
}

/* Early refusal: leaves each query only links into components that both sides reach, and skips those with none;
 * a query that is skipped already may have no ends.
 * reports: [n]; queries: [n]; components: [V]; sizes: [V], at the lowest vertex of each component. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
connect_queries(__global struct connect_report *restrict reports,
                __global struct query *restrict queries, __global u32 *vertices,
                __global u32 *costs, __global const u32 *restrict components,
                __global const u32 *restrict sizes, const u32 n, const u32 k)
{
    for (u32 q = share_begin(n), end = share_end(n); q < end; q++) {
        const struct query query = queries[q];
        const u32 first = query.goal_first, count = query.goal_count;
        struct connect_report report = {CONNECT_OK, 0, 0};
        if (query.skip) {
            reports[q] = report;
            continue;
        }
        report.start_size = component_size(vertices, components, sizes, query.start, 1, k);
        report.goal_size = component_size(vertices, components, sizes, first, count, k);

        // the goals meet what is left of the start's links, so both sides end with the same components
        drop_links(vertices, costs, components, query.start, k, first, count);
        for (u32 e = first; e < first + count; e++)
            drop_links(vertices, costs, components, e, k, query.start, 1);

        if (report.start_size == 0)
            report.verdict = CONNECT_NO_START_LINK;
        else if (report.goal_size == 0)
            report.verdict = CONNECT_NO_GOAL_LINK;
        else if (vertices[(size_t)query.start * k] == NONE_U32)
            report.verdict = CONNECT_OTHER_COMPONENT;
        reports[q] = report;
        if (report.verdict != CONNECT_OK)
            queries[q].skip = 1;
    }
}

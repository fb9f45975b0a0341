/* From neighbour lists to candidate edges, and from valid edges to the graph in CSR form.
 *
 * An edge joins a < b where either is among the other's neighbours. Edges are sorted by (a, b); a
 * second order, by (b, a), gives each vertex its lower neighbours, so that its arcs come out
 * ascending: those to lower vertices, then those to higher ones.
 *
 * Launch: any number of work-items, a stretch of slots, edges or vertices each (share.h).
 * Traffic: 8 to 30 bytes an edge a kernel.
 * -D ROW, DOF: of metric.h.
 *
 * check: -DROW=2 -DDOF=2
 */
#include "bisect.h"
#include "metric.h"
#include "share.h"
#include "types.h"

/* flags[i * k + s] = 1 where i's neighbour in slot s makes an edge that j's own list does not make.
 * lists: [n][k]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
roadmap_flag_pairs(__global u32 *restrict flags, __global const u32 *restrict lists,
                   const u32 k, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        for (u32 s = 0; s < k; s++) {
            const u32 j = lists[(size_t)i * k + s];
            u32 keep = j != NONE_U32;
            for (u32 t = 0; t < k && keep && j < i; t++)
                keep = lists[(size_t)j * k + t] != i;
            flags[(size_t)i * k + s] = keep;
        }
    }
}

/* Ends of the kept pairs: low[e] < high[e]. kept: [edges] slots. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
roadmap_pair_ends(__global u32 *restrict low, __global u32 *restrict high,
                  __global const u32 *restrict lists,
                  __global const u32 *restrict kept, const u32 k, const u32 edges)
{
    for (u32 e = share_begin(edges), end = share_end(edges); e < end; e++) {
        const u32 i = kept[e] / k, j = lists[kept[e]];
        low[e] = min(i, j);
        high[e] = max(i, j);
    }
}

/* pairs[e] = (low, high) and the edge's metric length. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
roadmap_measure(__global u32 *restrict pairs, __global f32 *restrict lengths,
                __global const u32 *restrict low, __global const u32 *restrict high,
                __global const f32 *restrict states, const u32 edges)
{
    for (u32 e = share_begin(edges), end = share_end(edges); e < end; e++) {
        pairs[2 * (size_t)e] = low[e];
        pairs[2 * (size_t)e + 1] = high[e];
        lengths[e] =
            metric_distance_rows(states + (size_t)low[e] * ROW, states + (size_t)high[e] * ROW);
    }
}

/* ends[e] = pairs[e][1], edges[e] = e: what is sorted for the second order. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
roadmap_upper_ends(__global u32 *restrict ends, __global u32 *restrict numbers,
                   __global const u32 *restrict pairs, const u32 edges)
{
    for (u32 e = share_begin(edges), end = share_end(edges); e < end; e++) {
        ends[e] = pairs[2 * (size_t)e + 1];
        numbers[e] = e;
    }
}

/* first[v] = how many of the sorted `ends` are below v, for v = 0 … n. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
roadmap_first_of(__global u32 *restrict first, __global const u32 *restrict ends,
                 const u32 edges, const u32 n)
{
    for (u32 v = share_begin(n + 1), stop = share_end(n + 1); v < stop; v++)
        first[v] = bisect_below(ends, edges, v);
}

/* degrees[v] = valid edges at vertex v, which is milestone ids[v]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
roadmap_degrees(__global u32 *restrict degrees, __global const u32 *restrict valid,
                __global const u32 *restrict first_low,
                __global const u32 *restrict first_high,
                __global const u32 *restrict by_high,
                __global const u32 *restrict ids, const u32 n)
{
    for (u32 v = share_begin(n), stop = share_end(n); v < stop; v++) {
        const u32 m = ids[v];
        u32 degree = 0;
        for (u32 e = first_low[m]; e < first_low[m + 1]; e++)
            degree += valid[e];
        for (u32 i = first_high[m]; i < first_high[m + 1]; i++)
            degree += valid[by_high[i]];
        degrees[v] = degree;
    }
}

/* The arcs of each vertex from offsets[v] on, ascending by their target's milestone; `weight` holds
 * the edge's number. ids, places: of struct prm_graph. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
roadmap_link(__global struct arc *restrict arcs, __global const u32 *restrict offsets,
             __global const u32 *restrict valid, __global const u32 *restrict pairs,
             __global const u32 *restrict first_low,
             __global const u32 *restrict first_high,
             __global const u32 *restrict by_high,
             __global const u32 *restrict ids, __global const u32 *restrict places,
             const u32 n)
{
    for (u32 v = share_begin(n), stop = share_end(n); v < stop; v++) {
        const u32 m = ids[v];
        u32 at = offsets[v];
        for (u32 i = first_high[m]; i < first_high[m + 1]; i++) {
            const u32 e = by_high[i];
            if (valid[e]) {
                arcs[at].target = places[pairs[2 * (size_t)e]];
                arcs[at++].weight = e;
            }
        }
        for (u32 e = first_low[m]; e < first_low[m + 1]; e++) {
            if (valid[e]) {
                arcs[at].target = places[pairs[2 * (size_t)e + 1]];
                arcs[at++].weight = e;
            }
        }
    }
}

/* Edge numbers in the arcs become weights. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
roadmap_weigh_arcs(__global struct arc *restrict arcs,
                   __global const f32 *restrict lengths, const f32 scale, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++)
        arcs[i].weight = metric_weight(lengths[arcs[i].weight], scale);
}

/* What the histograms count: valid edges' lengths (others count as −1) and degrees as floats. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
roadmap_valid_lengths(__global f32 *restrict out,
                      __global const f32 *restrict lengths,
                      __global const u32 *restrict valid, const u32 edges)
{
    for (u32 e = share_begin(edges), end = share_end(edges); e < end; e++)
        out[e] = valid[e] ? lengths[e] : -1.0f;
}

__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
roadmap_float_degrees(__global f32 *restrict out,
                      __global const u32 *restrict offsets, const u32 n)
{
    for (u32 v = share_begin(n), end = share_end(n); v < end; v++)
        out[v] = (f32)(offsets[v + 1] - offsets[v]);
}

/* changed[0] counts edges that were invalid and are valid, changed[1] the reverse. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
roadmap_count_changes(__global u32 *restrict changed,
                      __global const u32 *restrict before,
                      __global const u32 *restrict now, const u32 edges)
{
    u32 on = 0, off = 0;
    for (u32 e = share_begin(edges), end = share_end(edges); e < end; e++) {
        on += now[e] && !before[e];
        off += before[e] && !now[e];
    }
    if (on)
        atomic_add(changed, on);
    if (off)
        atomic_add(changed + 1, off);
}

/* Distances from sources in any undirected graph, many sources at once: fewest edges, or least sum
 * of weights. Nothing depends on scheduling: a cost is the least over all paths of the weights
 * summed from the source on in float32, a level the fewest edges among paths of that cost, and a
 * parent the lowest vertex that both fit.
 *
 * Two forms. On a CPU a work-item takes one source after another: breadth-first search with a
 * queue, or Dijkstra's with an indexed binary heap (levels, costs). On a GPU a work-item a source
 * and vertex and a launch a level (Harish & Narayanan 2007): frontiers by level, or cost, updating
 * cost and mask (push, relax, settle), until nothing moves; rounds after that return at once.
 *
 * Launch: queue, heap: `slots` work-items; others: one work-item a source and vertex, or arc.
 * Traffic: 12 bytes an arc and source; the GPU's form also 4 to 8 bytes a vertex, source and round.
 * Arrays of the search are rows of V, a row a source. -D WEIGHTED: by weights.
 *
 * check: -DWEIGHTED
 */
#include "share.h"

/* `moved`: [0] whether anything moved before this group of rounds, [r] whether it did in round r of
 * it (from 1). */
#define IS_OVER(moved, round) ((moved)[(round)-1] == 0)

#ifdef WEIGHTED
/* The cost of going on along an arc. */
static inline float extend(float cost, __global const float *weights, u32 arc)
{
    return cost + weights[arc];
}
#endif

/* ---- the graph ---- */

/* Arc j of the sorted order is the one from ends[order[j]]: to the other end of its edge, of its
 * edge's weight. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
graph_arcs(__global u32 *restrict targets, __global float *restrict arc_weights,
           __global const u32 *restrict order, __global const u32 *restrict ends,
           __global const float *restrict weights, u32 n)
{
    for (u32 j = share_begin(n); j < share_end(n); j++) {
        const u32 arc = order[j];
        targets[j] = ends[arc ^ 1];
#ifdef WEIGHTED
        arc_weights[j] = weights[arc >> 1];
#endif
    }
}

/* ---- a source a work-item ---- */

#ifndef WEIGHTED

/* levels: NONE_U32 throughout. queues: u32[slots][V]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
graph_queue(__global u32 *restrict levels, __global u32 *restrict queues,
            __global const u32 *restrict offsets,
            __global const u32 *restrict targets,
            __global const u32 *restrict sources, u32 slots, u32 vertices, u32 n)
{
    const u32 slot = (u32)get_global_id(0);
    if (slot >= slots)
        return;
    __global u32 *queue = queues + (size_t)slot * vertices;
    for (u32 s = slot; s < n; s += slots) {
        __global u32 *level = levels + (size_t)s * vertices;
        u32 head = 0;
        u32 tail = 0;
        level[sources[s]] = 0;
        queue[tail++] = sources[s];
        while (head < tail) {
            const u32 v = queue[head++];
            for (u32 j = offsets[v]; j < offsets[v + 1]; j++) {
                const u32 u = targets[j];
                if (level[u] == NONE_U32) {
                    level[u] = level[v] + 1;
                    queue[tail++] = u;
                }
            }
        }
    }
}

#else

/* A binary heap of vertices, least (cost, level, vertex) first; place[v]: where v is in it, or
 * NONE_U32. Costs are not negative, so their bits are in their order. */
struct heap {
    __global u32 *items, *place;
    __global const float *costs;
    __global const u32 *levels;
    u32 count;
};

static inline bool is_before(const struct heap *heap, u32 a, u32 b)
{
    if (heap->costs[a] != heap->costs[b])
        return heap->costs[a] < heap->costs[b];
    if (heap->levels[a] != heap->levels[b])
        return heap->levels[a] < heap->levels[b];
    return a < b;
}

static inline void heap_put(struct heap *heap, u32 at, u32 v)
{
    heap->items[at] = v;
    heap->place[v] = at;
}

/* Moves v up from place `at` to where it belongs. */
static inline void heap_rise(struct heap *heap, u32 at, u32 v)
{
    while (at > 0 && is_before(heap, v, heap->items[(at - 1) / 2])) {
        heap_put(heap, at, heap->items[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(heap, at, v);
}

/* Takes the first out. */
static inline u32 heap_pop(struct heap *heap)
{
    const u32 first = heap->items[0];
    const u32 v = heap->items[--heap->count];
    u32 at = 0;
    heap->place[first] = NONE_U32;
    if (heap->count == 0)
        return first;
    for (;;) {
        u32 child = 2 * at + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && is_before(heap, heap->items[child + 1], heap->items[child]))
            child++;
        if (!is_before(heap, heap->items[child], v))
            break;
        heap_put(heap, at, heap->items[child]);
        at = child;
    }
    heap_put(heap, at, v);
    return first;
}

/* costs: infinite throughout; levels: NONE_U32. heaps, places: u32[slots][V]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
graph_heap(__global float *restrict costs, __global u32 *restrict levels,
           __global u32 *restrict heaps, __global u32 *restrict places,
           __global const u32 *restrict offsets, __global const u32 *restrict targets,
           __global const float *restrict weights,
           __global const u32 *restrict sources, u32 slots, u32 vertices, u32 n)
{
    const u32 slot = (u32)get_global_id(0);
    if (slot >= slots)
        return;
    for (u32 s = slot; s < n; s += slots) {
        __global float *cost = costs + (size_t)s * vertices;
        __global u32 *level = levels + (size_t)s * vertices;
        struct heap heap = {heaps + (size_t)slot * vertices, places + (size_t)slot * vertices, cost,
                            level, 1};
        for (u32 v = 0; v < vertices; v++)
            heap.place[v] = NONE_U32;
        cost[sources[s]] = 0.0f;
        level[sources[s]] = 0;
        heap_put(&heap, 0, sources[s]);
        while (heap.count > 0) {
            const u32 v = heap_pop(&heap);
            for (u32 j = offsets[v]; j < offsets[v + 1]; j++) {
                const u32 u = targets[j];
                const float longer = extend(cost[v], weights, j);
                const u32 later = level[v] + 1;
                const bool is_better = longer < cost[u] || (longer == cost[u] && later < level[u]);
                // a sum that overflows leads nowhere
                if (!is_better || !isfinite(longer))
                    continue;
                cost[u] = longer;
                level[u] = later;
                heap_rise(&heap, heap.place[u] == NONE_U32 ? heap.count++ : heap.place[u], u);
            }
        }
    }
}

#endif

/* ---- a source and vertex a work-item, a launch a round ---- */

/* The sources' own values: level 0; WEIGHTED, before the levels: bits of cost 0, and in the mask.
 */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
graph_seed(__global u32 *restrict values, __global u32 *restrict updates,
           __global u32 *restrict mask, __global const u32 *restrict sources,
           u32 vertices, u32 n)
{
    for (u32 s = share_begin(n); s < share_end(n); s++) {
        const size_t at = (size_t)s * vertices + sources[s];
        values[at] = 0;
        if (mask) {
            updates[at] = 0;
            mask[at] = 1;
        }
    }
}

/* One level: those at `level` - 1 give it to their neighbours without one; WEIGHTED: along arcs of
 * shortest paths only. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
graph_push(__global u32 *levels, __global u32 *moved,
           __global const float *restrict costs, __global const u32 *restrict offsets,
           __global const u32 *restrict targets,
           __global const float *restrict weights, u32 level, u32 round, u32 vertices,
           u32 n)
{
    if (IS_OVER(moved, round))
        return;
    bool any = false;
    for (u32 i = share_begin(n); i < share_end(n); i++) {
        // what others write meanwhile is `level`, over NONE_U32: neither is taken for level - 1
        if (atomic_or(&levels[i], 0) != level - 1)
            continue;
        const u32 v = i % vertices;
        const u32 row = i - v;
        for (u32 j = offsets[v]; j < offsets[v + 1]; j++) {
            const u32 u = row + targets[j];
#ifdef WEIGHTED
            if (extend(costs[i], weights, j) != costs[u])
                continue;
#endif
            any |= atomic_min(&levels[u], level) == NONE_U32;
        }
    }
    if (any)
        atomic_or(&moved[round], 1);
}

#ifdef WEIGHTED

/* Vertices of the mask offer their neighbours a cost, and leave it. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
graph_relax(__global u32 *updates, __global u32 *restrict mask,
            __global const u32 *restrict moved, __global const float *restrict costs,
            __global const u32 *restrict offsets,
            __global const u32 *restrict targets,
            __global const float *restrict weights, u32 round, u32 vertices, u32 n)
{
    if (IS_OVER(moved, round))
        return;
    for (u32 i = share_begin(n); i < share_end(n); i++) {
        if (!mask[i])
            continue;
        mask[i] = 0;
        const u32 v = i % vertices;
        const u32 row = i - v;
        for (u32 j = offsets[v]; j < offsets[v + 1]; j++) {
            const float longer = extend(costs[i], weights, j);
            if (isfinite(longer))
                atomic_min(&updates[row + targets[j]], as_uint(longer));
        }
    }
}

/* Vertices that were offered less take it, and enter the mask. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
graph_settle(__global u32 *restrict costs, __global u32 *restrict mask,
             __global u32 *restrict moved, __global const u32 *restrict updates,
             u32 round, u32 n)
{
    if (IS_OVER(moved, round))
        return;
    bool any = false;
    for (u32 i = share_begin(n); i < share_end(n); i++) {
        if (updates[i] >= costs[i])
            continue;
        costs[i] = updates[i];
        mask[i] = 1;
        any = true;
    }
    if (any)
        atomic_or(&moved[round], 1);
}

#endif

/* ---- parents ---- */

/* parents[s][v] = the lowest neighbour one level nearer, WEIGHTED: from which the cost is v's; a
 * source's is itself, and of a vertex that is not reached NONE_U32. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
graph_parents(__global u32 *restrict parents, __global const float *restrict costs,
              __global const u32 *restrict levels,
              __global const u32 *restrict offsets,
              __global const u32 *restrict targets,
              __global const float *restrict weights, u32 vertices, u32 n)
{
    for (u32 i = share_begin(n); i < share_end(n); i++) {
        const u32 v = i % vertices;
        const u32 row = i - v;
        const u32 level = levels[i];
        u32 parent = level == 0 ? v : NONE_U32;
        if (level != 0 && level != NONE_U32) {
            for (u32 j = offsets[v]; j < offsets[v + 1]; j++) {
                const u32 u = targets[j];
#ifdef WEIGHTED
                if (extend(costs[row + u], weights, j) != costs[i])
                    continue;
#endif
                if (levels[row + u] == level - 1)
                    parent = min(parent, u);
            }
        }
        parents[i] = parent;
    }
}

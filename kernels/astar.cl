/* Shortest paths for a batch of queries: A* (Hart, Nilsson & Raphael 1968) on integer weights, a query a
 * work-item at a time. The form for CPU devices; astar_group.cl is that for GPUs.
 *
 * Ends are not vertices: the heap is seeded with the start's links at their costs, and `goal_cost` holds the
 * link costs at the goals' vertices. Vertices are expanded, and pushed, while f <= the best total; no parents
 * are kept. The path is walked back canonically: from the vertex of lowest milestone whose total is the best, to
 * the neighbour of lowest milestone with g[u] + w == g[v], until g[v] is the cost of a start link. So the path
 * depends on graph and query alone, not on the heuristic, the order of expansion or the numbering.
 *
 * The heap is 4-ary over keys f << 32 | vertex. When full it drops stale entries (f > g + h); at most one
 * entry a vertex is live, so nearly half of 2V + 16 entries are free again.
 *
 * Launch: any number of work-items, each with scratch of its own, taking queries from a counter.
 * Traffic: per expanded vertex 8 bytes an arc and 8 random bytes a neighbour.
 * Options: astar.h.
 *
 * check: -DNO_VARIANT
 * check: -DHEURISTIC_LANDMARKS
 * check: -DHEURISTIC_METRIC -DROW=2 -DDOF=2
 * check: -DHEURISTIC_METRIC -DROW=4 -DDOF=3 -DNUMBERED
 * check: -DHEURISTIC_METRIC -DROW=4 -DDOF=3 -DTURNS=4u -DMETRIC_WEIGHTS=1.0f,1.0f,0.5f
 * check: -DHEURISTIC_METRIC -DROW=8 -DDOF=7 -DQUATERNION=3 -DMETRIC_WEIGHTS=1.0f,1.0f,1.0f,0.5f,0.5f,0.5f,0.5f
 */
#include "astar.h"
#include "heap.h"

/* Arcs of a vertex that are looked at together. */
#define ARCS_AT_ONCE 32

/* What is known of a vertex, one word so that it is read as it was written: the cost to it below,
 * or UNREACHED, and the bound from it above. */
static inline u64 reached(u32 cost, u32 bound)
{
    return (u64)bound << 32 | cost;
}

static inline u32 reached_cost(u64 vertex)
{
    return (u32)vertex;
}

static inline u32 reached_bound(u64 vertex)
{
    return (u32)(vertex >> 32);
}

/* The graph, and what one work-item keeps of its present query. */
struct astar {
    __global const u32 *offsets;
    __global const struct arc *arcs;
    __global u64 *vertices;  /* [V]: reached */
    __global u32 *goal_cost; /* [V]: cost of the cheapest goal link, or UNREACHED */
    __global u32 *touched;   /* [V]: vertices to be reset */
    __global u64 *heap;      /* [heap_capacity] */
    u32 touched_count, heap_count, heap_capacity; /* HEAP_SPARE entries are behind that */
    bool saturated;
};

/* What the heuristic of a query looks at. */
struct guide {
#if defined(HEURISTIC_METRIC)
    struct metric_guide metric;
    struct query query;
#elif defined(HEURISTIC_LANDMARKS)
    __global const ushort *table; /* [V][vectors] */
    u32 vectors, shift;
    struct landmark_interval goals;
#else
    u32 none;
#endif
};

/* Turns the guide to a query's goals. */
static inline void guide_begin(struct guide *guide, const struct links *links,
                               const struct query *query)
{
#if defined(HEURISTIC_METRIC)
    guide->query = *query;
#elif defined(HEURISTIC_LANDMARKS)
    // a goal lies within its link's cost of the linked vertex: whoever is out of all those intervals by some
    // distance has at least that to go
    for (u32 j = 0; j < guide->vectors; j++) {
        guide->goals.low[j] = (ushort16)(LANDMARK_FAR);
        guide->goals.high[j] = (ushort16)(0);
    }
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 i = 0, v; (v = link_vertex(links, e, i)) != NONE_U32; i++) {
            const ushort16 cost = (ushort16)(landmark_entry(link_cost(links, e, i), guide->shift));
            __global const ushort *row = guide->table + (size_t)v * guide->vectors * LANDMARK_LANES;
            for (u32 j = 0; j < guide->vectors; j++) {
                const ushort16 entries = vload16(j, row);
                guide->goals.low[j] = min(guide->goals.low[j], add_sat(entries, cost));
                guide->goals.high[j] = max(guide->goals.high[j], sub_sat(entries, cost));
            }
        }
    }
#endif
}

/* Least cost that any path from v to a goal can have; NONE_U32: there is none within 32 bits. */
static inline u32 guide_cost(const struct guide *guide, u32 v)
{
#if defined(HEURISTIC_METRIC)
    return metric_bound(&guide->metric, &guide->query, v);
#elif defined(HEURISTIC_LANDMARKS)
    __global const ushort *row = guide->table + (size_t)v * guide->vectors * LANDMARK_LANES;
    return landmark_distance(landmark_excess(row, &guide->goals, guide->vectors), guide->shift);
#else
    return 0;
#endif
}

static inline bool heap_stale(const struct astar *a, u64 key)
{
    const u64 vertex = a->vertices[(u32)key];
    return (u32)(key >> 32) != reached_cost(vertex) + reached_bound(vertex);
}

/* Keeps the live entries, at most one a vertex, and orders them anew. */
static void heap_drop_stale(struct astar *a)
{
    u32 kept = 0;
    for (u32 i = 0; i < a->heap_count; i++) {
        if (!heap_stale(a, a->heap[i]))
            a->heap[kept++] = a->heap[i];
    }
    a->heap_count = kept;
    heap_order(a->heap, kept);
}

static inline void heap_push(struct astar *a, u64 key)
{
    if (a->heap_count == a->heap_capacity)
        heap_drop_stale(a);
    heap_sift_up(a->heap, a->heap_count++, key);
}

/* Vertex v is reached at cost g, or was already at less. */
static inline void improve(struct astar *a, const struct guide *guide, u32 v, u32 g)
{
    const u64 before = a->vertices[v];
    u32 bound = reached_bound(before);
    if (reached_cost(before) == UNREACHED) {
        a->touched[a->touched_count++] = v;
        bound = guide_cost(guide, v);
    }
    a->vertices[v] = reached(min(reached_cost(before), g), bound);
}

/* Vertex v, improved, is to be expanded if a path through it can be the best. */
static inline void offer(struct astar *a, u32 v, u32 best)
{
    // a bound beyond 32 bits only says so: no path of a graph that has landmarks costs that much
    const u64 vertex = a->vertices[v];
    const u32 f = add_sat(reached_cost(vertex), reached_bound(vertex));
#ifndef HEURISTIC_LANDMARKS
    a->saturated |= f == UNREACHED;
#endif
    if (f <= best && f != UNREACHED)
        heap_push(a, (u64)f << 32 | v);
}

/* Vertex v's neighbours are reached from it, at cost g. In three passes over a few arcs at a time, so that
 * what a processor cannot foresee (is it nearer? where does it go in the heap?) does not hold up the loads of
 * vertices and of the heuristic's rows. */
static inline void settle(struct astar *a, const struct guide *guide, u32 v, u32 g, u32 best)
{
    u32 nearer[ARCS_AT_ONCE];
    const u32 end = a->offsets[v + 1];
    for (u32 first = a->offsets[v], n; first < end; first += n) {
        __global const struct arc *arcs = a->arcs + first;
        u32 count = 0;
        n = min(end - first, (u32)ARCS_AT_ONCE);
        bool beyond = false;
        for (u32 i = 0; i < n; i++) {
            const u32 cost = through(g, arcs[i]);
            const u32 before = reached_cost(a->vertices[arcs[i].target]);
            nearer[count] = i;
            count += cost < before;
            beyond |= (cost & before) == UNREACHED;
        }
        a->saturated |= beyond;
        for (u32 i = 0; i < count; i++)
            improve(a, guide, arcs[nearer[i]].target, through(g, arcs[nearer[i]]));
        for (u32 i = 0; i < count; i++)
            offer(a, arcs[nearer[i]].target, best);
    }
}

/* Expands until no path can be better; returns the least total cost, or UNREACHED. */
static u32 expand(struct astar *a, const struct guide *guide, const struct links *links,
                  const struct query *query)
{
    u32 best = UNREACHED;

    // the goals' links wait at their vertices, the start's are the seeds
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 j = 0, v; (v = link_vertex(links, e, j)) != NONE_U32; j++)
            a->goal_cost[v] = min(a->goal_cost[v], link_cost(links, e, j));
    }
    for (u32 j = 0, v; (v = link_vertex(links, query->start, j)) != NONE_U32; j++) {
        improve(a, guide, v, link_cost(links, query->start, j));
        offer(a, v, best);
    }

    while (a->heap_count > 0 && (u32)(a->heap[0] >> 32) <= best) {
        const u64 key = heap_take(a->heap, &a->heap_count);
        if (heap_stale(a, key))
            continue;
        const u32 v = (u32)key;
        const u32 g = reached_cost(a->vertices[v]);
        best = min(best, add_sat(g, a->goal_cost[v]));
        settle(a, guide, v, g, best);
    }
    return best;
}

/* The end of the path of cost `best`: its vertex of lowest milestone, and the lowest end that it reaches there. */
static u32 last_vertex(const struct astar *a, const struct links *links, const struct query *query,
                       u32 best, u32 *goal)
{
    u32 last = NONE_U32, milestone = NONE_U32;
    *goal = NONE_U32;
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 j = 0, v; (v = link_vertex(links, e, j)) != NONE_U32; j++) {
            // a lower milestone takes the path from all ends before
            const u32 m = link_milestone(links, e, j);
            if (m < milestone &&
                add_sat(reached_cost(a->vertices[v]), link_cost(links, e, j)) == best) {
                last = v;
                milestone = m;
                *goal = e;
            }
        }
    }
    return last;
}

/* stack[0 … count): the vertices from `last` back to the start's link; returns count. */
static u32 walk_back(const struct astar *a, __global u32 *stack, const struct links *links, u32 start,
                     u32 last)
{
    const u32 greatest = greatest_cost(links, start);
    u32 count = 0;

    for (u32 v = last;;) {
        stack[count++] = v;
        const u32 g = reached_cost(a->vertices[v]);
        if (g <= greatest && is_start_link(links, start, v, g))
            return count;

        // arcs are in ascending order, so the first that fits is the lowest
        u32 i = a->offsets[v];
        while (add_sat(reached_cost(a->vertices[a->arcs[i].target]), max(a->arcs[i].weight, 1u)) != g)
            i++;
        v = a->arcs[i].target;
    }
}

/* Leaves the scratch as the next query wants it. */
static void reset(struct astar *a, const struct links *links, const struct query *query)
{
    for (u32 i = 0; i < a->touched_count; i++)
        a->vertices[a->touched[i]] = reached(UNREACHED, 0);
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 j = 0, v; (v = link_vertex(links, e, j)) != NONE_U32; j++)
            a->goal_cost[v] = UNREACHED;
    }
    a->touched_count = 0;
    a->heap_count = 0;
}

static void search(struct astar *a, struct guide *guide, const struct path_pool *pool,
                   const struct links *links, const struct query *query, u32 q)
{
    guide_begin(guide, links, query);
    const u32 best = expand(a, guide, links, query);
    if (best == UNREACHED) {
        pool->counts[q] = 0;
    } else {
        // the heap is of no more use: its memory takes the path from its end to its beginning
        __global u32 *stack = (__global u32 *)a->heap;
        u32 goal;
        const u32 last = last_vertex(a, links, query, best, &goal);
        const u32 count = walk_back(a, stack, links, query->start, last);
        const u32 first = path_reserve(pool, q, count, goal);
        for (u32 i = 0; i < count && first != NONE_U32; i++)
            pool->entries[first + i] = stack[count - 1 - i];
    }
    reset(a, links, query);
}

/* Scratch of work-item i: vertices[i * V …], goal_cost and touched likewise, heap[i * heap_capacity …]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
astar_search(SEARCH_PARAMETERS, u32 n, __global const u32 *ids, __global u64 *vertices,
             __global u32 *goal_cost, __global u32 *touched, __global u64 *heap, u32 heap_capacity,
             u32 items, __global const f32 *states, __global const f32 *end_states, f32 scale,
             __global const ushort *table, u32 vectors, u32 shift)
{
    const size_t item = get_global_id(0);
    if (item >= items)
        return;
    const struct path_pool pool = POOL_FROM_PARAMETERS;
    const struct links links = LINKS_FROM_PARAMETERS;
    struct astar a = {.offsets = offsets,
                      .arcs = arcs,
                      .vertices = vertices + item * vertex_count,
                      .goal_cost = goal_cost + item * vertex_count,
                      .touched = touched + item * vertex_count,
                      .heap = heap + item * heap_capacity,
                      .heap_capacity = heap_capacity - HEAP_SPARE};
    struct guide guide;
#if defined(HEURISTIC_METRIC)
    guide.metric = (struct metric_guide){states, end_states, ids, scale};
#elif defined(HEURISTIC_LANDMARKS)
    guide.table = table;
    guide.vectors = vectors;
    guide.shift = shift;
#endif

    for (u32 v = 0; v < vertex_count; v++) {
        a.vertices[v] = reached(UNREACHED, 0);
        a.goal_cost[v] = UNREACHED;
    }
    for (u32 q; (q = atomic_inc(&control[SEARCH_TAKEN])) < n;) {
        const struct query query = queries[q];
        if (query.skip)
            counts[q] = 0;
        else if (path_pending(&pool, q))
            search(&a, &guide, &pool, &links, &query, q);
    }
    if (a.saturated)
        atomic_or(&control[SEARCH_SATURATED], 1u);
}

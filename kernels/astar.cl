/* Shortest paths for a batch of queries: A* (Hart, Nilsson & Raphael 1968) on integer weights, a query a
 * work-item at a time.
 *
 * Ends are not vertices: the heap is seeded with the start's links at their costs, and `goal_cost` holds the
 * link costs at the goals' vertices. Vertices are expanded, and pushed, while f <= the best total; no parents
 * are kept. The path is walked back canonically: from the vertex of lowest index whose total is the best, to
 * the neighbour of lowest index with g[u] + w == g[v], until g[v] is the cost of a start link. So the path
 * depends on graph and query alone, not on the heuristic or the order of expansion.
 *
 * The heap is 4-ary over keys f << 32 | vertex. When full it drops stale entries (f > g + h); at most one
 * entry a vertex is live, so half of 2V + 16 entries are free again. Weights of 0 count as 1, so that g falls
 * strictly along a path walked back.
 *
 * Launch: any number of work-items, each with scratch of its own, taking queries from a counter.
 * Traffic: per expanded vertex 8 bytes an arc and 8 random bytes a neighbour.
 * -D HEURISTIC_METRIC: h is the metric distance to the nearest of at most HEURISTIC_GOALS_MAX goals (with
 * -D ROW, DOF of metric.h); without it h is 0 and the search is Dijkstra's.
 *
 * check: -DNO_VARIANT
 * check: -DHEURISTIC_METRIC -DROW=2 -DDOF=2
 * check: -DHEURISTIC_METRIC -DROW=4 -DDOF=3
 */
#include "search.h"

#ifdef HEURISTIC_METRIC
#include "metric.h"
#endif

#define UNREACHED 0xffffffffu
#define HEAP_ARITY 4
/* With more goals than this looking at all of them costs more than it prunes. */
#define HEURISTIC_GOALS_MAX 4

/* The graph, and what one work-item keeps of its present query. */
struct astar {
    __global const u32 *offsets;
    __global const struct arc *arcs;
    __global uint2 *vertices;  /* [V]: x = g, y = h, valid where g is not UNREACHED */
    __global u32 *goal_cost;   /* [V]: cost of the cheapest goal link, or UNREACHED */
    __global u32 *touched;     /* [V]: vertices to be reset */
    __global u64 *heap;        /* [heap_capacity] */
    u32 touched_count, heap_count, heap_capacity;
    bool saturated;
    /* the heuristic's own inputs */
    __global const f32 *states, *end_states;
    f32 scale; /* integer weight of a unit of distance, less the rounding that would overestimate */
};

/* Least cost that any path from v to a goal can have. */
static inline u32 heuristic(const struct astar *a, const struct query *query, u32 v)
{
#ifdef HEURISTIC_METRIC
    if (query->goal_count > HEURISTIC_GOALS_MAX)
        return 0;
    f32 least = INFINITY;
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++)
        least = fmin(least, metric_distance_rows(a->states + (size_t)v * ROW,
                                                 a->end_states + (size_t)e * ROW));
    return convert_uint_sat(least * a->scale);
#else
    (void)a;
    (void)query;
    (void)v;
    return 0;
#endif
}

/* Puts `key` into the hole at i, or below it where children are less. */
static inline void heap_sift_down(__global u64 *heap, u32 count, u32 i, u64 key)
{
    for (u32 child = HEAP_ARITY * i + 1; child < count; child = HEAP_ARITY * i + 1) {
        const u32 end = min(child + HEAP_ARITY, count);
        u32 least = child;
        u64 least_key = heap[child];
        for (u32 j = child + 1; j < end; j++) {
            const u64 other = heap[j];
            least = other < least_key ? j : least;
            least_key = min(other, least_key);
        }
        if (least_key >= key)
            break;
        heap[i] = least_key;
        i = least;
    }
    heap[i] = key;
}

static inline u64 heap_pop(struct astar *a)
{
    const u64 top = a->heap[0];
    const u64 last = a->heap[--a->heap_count];
    if (a->heap_count > 0)
        heap_sift_down(a->heap, a->heap_count, 0, last);
    return top;
}

static inline bool heap_stale(const struct astar *a, u64 key)
{
    const uint2 vertex = a->vertices[(u32)key];
    return (u32)(key >> 32) != vertex.x + vertex.y;
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
    for (u32 i = kept / HEAP_ARITY + 1; i-- > 0;) {
        if (i < kept)
            heap_sift_down(a->heap, kept, i, a->heap[i]);
    }
}

static inline void heap_push(struct astar *a, u64 key)
{
    if (a->heap_count == a->heap_capacity)
        heap_drop_stale(a);
    u32 i = a->heap_count++;
    while (i > 0) {
        const u32 parent = (i - 1) / HEAP_ARITY;
        const u64 other = a->heap[parent];
        if (other <= key)
            break;
        a->heap[i] = other;
        i = parent;
    }
    a->heap[i] = key;
}

/* Vertex v can be reached at cost g. */
static inline void reach(struct astar *a, const struct query *query, u32 v, u32 g, u32 best)
{
    uint2 vertex = a->vertices[v];
    if (g >= vertex.x) {
        a->saturated |= vertex.x == UNREACHED;
        return;
    }
    if (vertex.x == UNREACHED) {
        a->touched[a->touched_count++] = v;
        vertex.y = heuristic(a, query, v);
    }
    vertex.x = g;
    a->vertices[v] = vertex;

    const u32 f = add_sat(g, vertex.y);
    a->saturated |= f == UNREACHED;
    if (f <= best && f != UNREACHED)
        heap_push(a, (u64)f << 32 | v);
}

/* Expands until no path can be better; returns the least total cost, or UNREACHED. */
static u32 expand(struct astar *a, const struct links *links, const struct query *query)
{
    u32 best = UNREACHED;

    // the goals' links wait at their vertices, the start's are the seeds
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 j = 0, v; (v = link_vertex(links, e, j)) != NONE_U32; j++)
            a->goal_cost[v] = min(a->goal_cost[v], link_cost(links, e, j));
    }
    for (u32 j = 0, v; (v = link_vertex(links, query->start, j)) != NONE_U32; j++)
        reach(a, query, v, link_cost(links, query->start, j), best);

    while (a->heap_count > 0 && (u32)(a->heap[0] >> 32) <= best) {
        const u64 key = heap_pop(a);
        if (heap_stale(a, key))
            continue;
        const u32 v = (u32)key;
        const u32 g = a->vertices[v].x;
        best = min(best, add_sat(g, a->goal_cost[v]));

        const u32 end = a->offsets[v + 1];
        for (u32 i = a->offsets[v]; i < end; i++) {
            const struct arc arc = a->arcs[i];
            reach(a, query, arc.target, add_sat(g, max(arc.weight, 1u)), best);
        }
    }
    return best;
}

/* The end of the path of cost `best`: its vertex of lowest index, and the lowest end that it reaches there. */
static u32 last_vertex(const struct astar *a, const struct links *links, const struct query *query,
                       u32 best, u32 *goal)
{
    u32 last = NONE_U32;
    *goal = NONE_U32;
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 j = 0, v; (v = link_vertex(links, e, j)) != NONE_U32; j++) {
            // a lower vertex takes the path from all ends before
            if (v < last && add_sat(a->vertices[v].x, link_cost(links, e, j)) == best) {
                last = v;
                *goal = e;
            }
        }
    }
    return last;
}

static inline bool is_start_link(const struct links *links, u32 start, u32 v, u32 g)
{
    for (u32 j = 0, u; (u = link_vertex(links, start, j)) != NONE_U32; j++) {
        if (u == v && link_cost(links, start, j) == g)
            return true;
    }
    return false;
}

static inline u32 greatest_cost(const struct links *links, u32 end)
{
    u32 greatest = 0;
    for (u32 j = 0; link_vertex(links, end, j) != NONE_U32; j++)
        greatest = max(greatest, link_cost(links, end, j));
    return greatest;
}

/* stack[0 … count): the vertices from `last` back to the start's link; returns count. */
static u32 walk_back(const struct astar *a, __global u32 *stack, const struct links *links, u32 start,
                     u32 last)
{
    const u32 greatest = greatest_cost(links, start);
    u32 count = 0;

    for (u32 v = last;;) {
        stack[count++] = v;
        const u32 g = a->vertices[v].x;
        if (g <= greatest && is_start_link(links, start, v, g))
            return count;

        // arcs are in ascending order, so the first that fits is the lowest
        u32 i = a->offsets[v];
        while (add_sat(a->vertices[a->arcs[i].target].x, max(a->arcs[i].weight, 1u)) != g)
            i++;
        v = a->arcs[i].target;
    }
}

/* Leaves the scratch as the next query wants it. */
static void reset(struct astar *a, const struct links *links, const struct query *query)
{
    for (u32 i = 0; i < a->touched_count; i++)
        a->vertices[a->touched[i]].x = UNREACHED;
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 j = 0, v; (v = link_vertex(links, e, j)) != NONE_U32; j++)
            a->goal_cost[v] = UNREACHED;
    }
    a->touched_count = 0;
    a->heap_count = 0;
}

static void search(struct astar *a, const struct path_pool *pool, const struct links *links,
                   const struct query *query, u32 q)
{
    const u32 best = expand(a, links, query);
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
astar_search(__global u32 *first, __global u32 *counts, __global u32 *goals, __global u32 *entries,
             volatile __global u32 *control, u32 capacity, __global const struct query *queries, u32 n,
             __global const u32 *link_vertices, __global const u32 *link_costs, u32 k,
             __global const u32 *offsets, __global const struct arc *arcs, u32 vertex_count,
             __global uint2 *vertices, __global u32 *goal_cost, __global u32 *touched,
             __global u64 *heap, u32 heap_capacity, u32 items, __global const f32 *states,
             __global const f32 *end_states, f32 scale)
{
    const size_t item = get_global_id(0);
    if (item >= items)
        return;
    const struct path_pool pool = {first, counts, goals, entries, control, capacity};
    const struct links links = {link_vertices, link_costs, k};
    struct astar a = {.offsets = offsets,
                      .arcs = arcs,
                      .vertices = vertices + item * vertex_count,
                      .goal_cost = goal_cost + item * vertex_count,
                      .touched = touched + item * vertex_count,
                      .heap = heap + item * heap_capacity,
                      .heap_capacity = heap_capacity,
                      .states = states,
                      .end_states = end_states,
                      .scale = scale};

    for (u32 v = 0; v < vertex_count; v++) {
        a.vertices[v] = (uint2)(UNREACHED, 0);
        a.goal_cost[v] = UNREACHED;
    }
    for (u32 q; (q = atomic_inc(&control[SEARCH_TAKEN])) < n;) {
        const struct query query = queries[q];
        if (query.skip)
            counts[q] = 0;
        else if (path_pending(&pool, q))
            search(&a, &pool, &links, &query, q);
    }
    if (a.saturated)
        atomic_or(&control[SEARCH_SATURATED], 1u);
}

/* Fewest edges for a query at a time, led by landmarks: iterative deepening (Korf 1985) with a memory of what
 * was in vain (Reinefeld & Marsland 1994).
 *
 * From the goals' vertices, lowest milestone first, depth-first to the neighbours, lowest milestone first, that
 * may yet reach a link of the start within the edges that are left, as far as the rows of hop_rows.h and what
 * was tried before tell. If all is in vain, again with the fewest edges that any step would have needed. The
 * first way that gets there is the path that the levels of a breadth-first search are walked back to: fewest
 * edges, then the last vertex of lowest milestone, then each before it of lowest milestone. It depends on the
 * bounds only in how long it takes: some 50 of 10 000 vertices are expanded in three dimensions.
 *
 * A vertex that is entered with r edges left is known to need more than r from then on: on the way that it is
 * on it would be entered a second time in vain. A work-item may expand so many vertices for each query that it
 * takes, and more if earlier ones took less; queries that it has to leave, and such as landmarks see no end of,
 * are listed for bfs.cl, which tells them from those without a path.
 *
 * Launch: any number of work-items, each with scratch of its own, taking queries from a counter. Traffic: 8
 * bytes an arc and 4 random bytes a neighbour of a vertex that is expanded, a row and the first arcs a vertex
 * that is reached: waiting for them is what takes the time.
 */
#include "hop_rows.h"
#include "search.h"

/* Bounds are kept in so many bits beside the number of their query; farther is left to bfs.cl. */
#define BOUND_BITS 16
#define BOUND_MAX 0xffffu
#define EPOCHS (1u << (32 - BOUND_BITS))

/* Has memory fetched that may be needed soon: the language's own prefetch() does nothing in PoCL. */
#if defined(__has_builtin) && !defined(OCLGRIND)
#if __has_builtin(__builtin_prefetch)
#define fetch(from) __builtin_prefetch((const void *)(size_t)(from))
#endif
#endif
#ifndef fetch
#define fetch(from)
#endif
/* Arcs of a line of memory. */
#define LINE_ARCS 8

/* The graph, what leads, and what one work-item keeps of its present query. */
struct hops {
    __global const u32 *offsets;
    __global const struct arc *arcs;
    __global const uchar *rows; /* [V][vectors] */
    u32 vectors, shift;
    __global u32 *bounds;           /* [V]: epoch << BOUND_BITS | edges to the start at least */
    __global u32 *way, *arcs_tried; /* [V]: by edges left, the vertex and its next arc */
    struct hop_interval start;
    u32 epoch;
    u32 beyond; /* the fewest edges of a whole path that would have been tried */
    u32 credit; /* vertices that may be expanded */
};

/* Edges from v to the start at least; 0 only at its links. */
static inline u32 known_bound(struct hops *h, u32 v)
{
    const u32 known = h->bounds[v];
    if (known >> BOUND_BITS == h->epoch)
        return known & BOUND_MAX;

    // v may be entered next: its arcs come while its row does
    __global const struct arc *arcs = h->arcs + h->offsets[v];
    fetch(arcs);
    fetch(arcs + LINE_ARCS);
    const u32 bound = clamp(
        hop_bound(h->rows + (size_t)v * h->vectors * HOP_LANES, &h->start, h->vectors, h->shift),
        1u, BOUND_MAX);
    h->bounds[v] = h->epoch << BOUND_BITS | bound;
    return bound;
}

static inline void set_bound(struct hops *h, u32 v, u32 bound)
{
    h->bounds[v] = h->epoch << BOUND_BITS | min(bound, BOUND_MAX);
}

/* Begins a query: what was known is of another. */
static void begin(struct hops *h, const struct links *links, const struct query *query,
                  u32 vertex_count)
{
    if (++h->epoch == EPOCHS) {
        for (u32 v = 0; v < vertex_count; v++)
            h->bounds[v] = 0;
        h->epoch = 1;
    }
    hop_interval_clear(&h->start, h->vectors);
    for (u32 j = 0, v; (v = link_vertex(links, query->start, j)) != NONE_U32; j++) {
        set_bound(h, v, 0);
        hop_interval_widen(&h->start, h->rows + (size_t)v * h->vectors * HOP_LANES, h->vectors);
    }
}

/* The goals' vertex of lowest milestone from *floor on that may be `edges` from the start, or NONE_U32. *floor
 * becomes the milestone after it. */
static u32 next_goal(struct hops *h, const struct links *links, const struct query *query,
                     u32 edges, u32 *floor)
{
    u32 best = NONE_U32, lowest = NONE_U32;
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 j = 0, v; (v = link_vertex(links, e, j)) != NONE_U32; j++) {
            const u32 milestone = link_milestone(links, e, j);
            if (milestone < *floor || milestone >= lowest)
                continue;
            if (known_bound(h, v) <= edges) {
                lowest = milestone;
                best = v;
            }
        }
    }
    *floor = lowest + 1;
    return best;
}

/* The least number of edges, from `least` on, that one of the goals' vertices may need. */
static u32 next_edges(struct hops *h, const struct links *links, const struct query *query,
                      u32 least)
{
    u32 edges = BOUND_MAX;
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 j = 0, v; (v = link_vertex(links, e, j)) != NONE_U32; j++) {
            const u32 bound = known_bound(h, v);
            edges = bound >= least ? min(edges, bound) : edges;
        }
    }
    return edges;
}

/* The next neighbour of the vertex that is entered with `left` edges left which may need less; NONE_U32: none
 * is left. `edges`: of the whole path. */
static inline u32 next_vertex(struct hops *h, u32 left, u32 edges)
{
    const u32 end = h->offsets[h->way[left] + 1];
    for (u32 i = h->arcs_tried[left]; i < end; i++) {
        const u32 u = h->arcs[i].target;
        const u32 bound = known_bound(h, u);
        if (bound < left) {
            h->arcs_tried[left] = i + 1;
            return u;
        }
        h->beyond = min(h->beyond, edges - left + 1 + bound);
    }
    return NONE_U32;
}

static inline void enter(struct hops *h, u32 v, u32 left)
{
    h->way[left] = v;
    h->arcs_tried[left] = h->offsets[v];
    set_bound(h, v, left + 1);
    h->credit--;
}

/* Whether a way of `edges` edges leads from `goal` to the start: then it is way[0 … edges], from the start. */
static bool reach(struct hops *h, u32 goal, u32 edges)
{
    u32 left = edges;
    if (edges == 0) {
        h->way[0] = goal;
        return true;
    }
    enter(h, goal, left);
    while (h->credit > 0) {
        const u32 u = next_vertex(h, left, edges);
        if (u == NONE_U32) {
            if (left++ == edges)
                return false;
        } else if (--left == 0) {
            h->way[0] = u;
            return true;
        } else {
            enter(h, u, left);
        }
    }
    return false;
}

/* The edges of the query's path, which is the way then, or NONE_U32: it is not known whether there is one. */
static u32 deepen(struct hops *h, const struct links *links, const struct query *query,
                  u32 vertex_count)
{
    for (u32 edges = next_edges(h, links, query, 0); edges < min(vertex_count, BOUND_MAX);
         edges = h->beyond) {
        h->beyond = next_edges(h, links, query, edges + 1);
        for (u32 floor = 0, goal; (goal = next_goal(h, links, query, edges, &floor)) != NONE_U32;) {
            // goals are looked through for each that is tried
            h->credit -= min(h->credit, query->goal_count);
            if (h->credit == 0)
                return NONE_U32;
            if (reach(h, goal, edges))
                return edges;
            if (h->credit == 0)
                return NONE_U32;
        }
    }
    return NONE_U32;
}

/* The end of least link cost at v, the lowest among equals. */
static u32 goal_at(const struct links *links, const struct query *query, u32 v)
{
    u32 goal = NONE_U32, cost = NONE_U32;
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 j = 0, u; (u = link_vertex(links, e, j)) != NONE_U32; j++) {
            if (u == v && (goal == NONE_U32 || link_cost(links, e, j) < cost)) {
                goal = e;
                cost = link_cost(links, e, j);
            }
        }
    }
    return goal;
}

/* Scratch of work-item i: scratch[i * 3 V …]. `credit`: vertices that a query may take; left: u32[n], the
 * queries that are left to others, control[SEARCH_LEFT] of them, which is 0 before. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
hops_search(SEARCH_PARAMETERS, __global u32 *left, u32 n, __global const uchar *rows, u32 vectors,
            u32 shift, __global u32 *scratch, u32 credit, u32 items)
{
    const size_t item = get_global_id(0);
    if (item >= items)
        return;
    const struct path_pool pool = POOL_FROM_PARAMETERS;
    const struct links links = LINKS_FROM_PARAMETERS;
    struct hops h = {.offsets = offsets,
                     .arcs = arcs,
                     .rows = rows,
                     .vectors = vectors,
                     .shift = shift,
                     .bounds = scratch + item * 3 * vertex_count,
                     .credit = vertex_count};
    h.way = h.bounds + vertex_count;
    h.arcs_tried = h.way + vertex_count;

    for (u32 v = 0; v < vertex_count; v++)
        h.bounds[v] = 0;
    for (u32 q; (q = atomic_inc(&control[SEARCH_TAKEN])) < n;) {
        const struct query query = queries[q];
        if (!query_begins(&pool, &links, &query, q))
            continue;
        begin(&h, &links, &query, vertex_count);
        h.credit = add_sat(h.credit, credit);
        const u32 edges = deepen(&h, &links, &query, vertex_count);
        if (edges == NONE_U32) {
            left[atomic_inc(&control[SEARCH_LEFT])] = q;
            continue;
        }
        const u32 at = path_reserve(&pool, q, edges + 1, goal_at(&links, &query, h.way[edges]));
        for (u32 i = 0; i <= edges && at != NONE_U32; i++)
            entries[at + i] = h.way[i];
    }
}

/* What the graph searches share on the device: the links of a query's ends, and the pool of paths.
 *
 * A query is pending while it has no place in the pool and is not known to have no path; a search
 * that is repeated with a larger pool so takes up exactly those that did not fit. Paths take their
 * places from an atomic cursor: where a path lies depends on scheduling, what it holds does not.
 */
#ifndef KERNELS_SEARCH_H
#define KERNELS_SEARCH_H

#ifndef __OPENCL_VERSION__
#error "search.h is device code"
#endif

#include "search_control.h"
#include "types.h"

/* The links of all ends: row e holds at most k vertices, nearest first, and their integer costs;
 * and the milestones that these vertices are, by which equals are told apart: for walking back. */
struct links {
    __global const u32 *vertices, *costs;
    u32 k;
    __global const u32 *milestones;
};

/* The vertex of link j of end e, or NONE_U32 where the row ends. */
static inline u32 link_vertex(const struct links *links, u32 e, u32 j)
{
    return j < links->k ? links->vertices[(size_t)e * links->k + j] : NONE_U32;
}

static inline u32 link_milestone(const struct links *links, u32 e, u32 j)
{
    return links->milestones[(size_t)e * links->k + j];
}

static inline u32 link_cost(const struct links *links, u32 e, u32 j)
{
    return links->costs[(size_t)e * links->k + j];
}

/* The answers: where each path lies, how long it is, which end it reaches, and the paths
 * themselves. */
struct path_pool {
    __global u32 *first, *counts, *goals, *entries;
    volatile __global u32 *control; /* u32[SEARCH_CONTROL_WORDS] */
    u32 capacity;
};

/* What each kernel that searches and writes paths takes first, and the host passes as
 * SEARCH_ARGS(run) (roadmap/search/search_methods.h): where paths go to, the queries, the links of
 * their ends, and the graph. */
#define SEARCH_PARAMETERS                                                                          \
    __global u32 *first, __global u32 *counts, __global u32 *goals, __global u32 *entries,         \
        volatile __global u32 *control, u32 capacity, __global const struct query *queries,        \
        __global const u32 *link_vertices, __global const u32 *link_costs, u32 k,                  \
        __global const u32 *link_milestones, __global const u32 *offsets,                          \
        __global const struct arc *arcs, u32 vertex_count

#define POOL_FROM_PARAMETERS                                                                       \
    {                                                                                              \
        first, counts, goals, entries, control, capacity                                           \
    }

#define LINKS_FROM_PARAMETERS                                                                      \
    {                                                                                              \
        link_vertices, link_costs, k, link_milestones                                              \
    }

static inline bool path_pending(const struct path_pool *pool, u32 q)
{
    return pool->first[q] == NONE_U32 && pool->counts[q] != 0;
}

/* Books `count` entries for query q, which reaches end `goal`; returns the first of them, or
 * NONE_U32 where the pool is full: then the cursor goes on to tell how many were needed. */
static inline u32 path_reserve(const struct path_pool *pool, u32 q, u32 count, u32 goal)
{
    const u32 at = atomic_add(&pool->control[SEARCH_CURSOR], count);
    const u32 first = at <= pool->capacity && count <= pool->capacity - at ? at : NONE_U32;

    pool->first[q] = first;
    pool->counts[q] = count;
    pool->goals[q] = goal;
    return first;
}

/* Whether a query can be searched for at all; a retry finds its old count and forgets it. */
static inline bool query_begins(const struct path_pool *pool, const struct links *links,
                                const struct query *query, u32 q)
{
    if (!query->skip && !path_pending(pool, q))
        return false;
    bool linked = false;
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++)
        linked |= link_vertex(links, e, 0) != NONE_U32;
    linked &= !query->skip && link_vertex(links, query->start, 0) != NONE_U32;
    pool->counts[q] = linked ? NONE_U32 : 0;
    return linked;
}

#endif

/* Graph search on the device for a whole batch of queries.
 *
 * Length: A* a query with the metric as heuristic, integer weights, a bounded 4-ary heap that drops stale
 * entries when full; one query per work-item on a CPU. Hops: bit-parallel multi-source BFS (Then et al.
 * 2014), 512 queries a sweep, pulled, levels kept modulo 3 (two bit planes). Both walk back canonically:
 * from the goal link of least total, lowest vertex first, to the lowest-id neighbour that fits. So paths
 * depend on the graph and the query alone.
 */
#ifndef PRM_ROADMAP_SEARCH_H
#define PRM_ROADMAP_SEARCH_H

#include "roadmap/plan.h"

/* The ends of queries, linked to vertices by checked edges. All device. */
struct prm_endpoints {
    uint32_t count;            /* E */
    uint32_t k;                /* links a row */
    struct prm_buffer states;  /* f32[E][row] */
    struct prm_buffer vertices; /* u32[E][k]: linked vertices by distance, NONE_U32 past the last */
    struct prm_buffer costs;    /* u32[E][k]: integer weights of the links */
};

/* What a search is asked. */
struct prm_search_problem {
    const struct prm_graph *graph;
    struct prm_buffer states; /* f32[vertex_count][row]; for the heuristic */
    double weight_scale;
    const struct prm_endpoints *endpoints;
    struct prm_buffer queries; /* struct query[query_count] */
    uint32_t query_count;
    uint32_t row, dof;
    enum prm_objective objective;
};

/* Where the vertices of the paths are: query q's are pool[first[q]] … of count[q], from the start's side to
 * the goal's. count 0: no path. (A path through one vertex has count 1; there is no path without one.) */
struct prm_search_paths {
    struct prm_buffer first;  /* u32[query_count] */
    struct prm_buffer counts; /* u32[query_count] */
    struct prm_buffer goals;  /* u32[query_count]: the endpoint of the goal reached */
    struct prm_buffer pool;   /* u32[pool_count] */
    size_t pool_count;        /* entries in use, all queries */
};

/* Searches the batch; buffers of `paths` are pieces of `arena`, taken by this call and left to the caller's
 * rewind. Queries with `skip` have count 0. Read-backs: the pool's size, and whether a query must be
 * repeated with a larger pool. */
enum prm_status prm_search(struct prm_arena *arena, struct prm_search_paths *paths,
                           const struct prm_search_problem *problem);

#endif

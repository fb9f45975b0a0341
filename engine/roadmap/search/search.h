/* Graph search on the device for a whole batch of queries.
 *
 * Length: A* a query, its heuristic the metric or landmarks (landmarks.h), integer weights, a
 * bounded heap that drops stale entries when full; a query a work-item at a time, or on a GPU a
 * group, which knows of the vertices that it touches alone. Hops:
 * where landmarks lead (hop_rows.h), iterative deepening a query, which takes a few vertices for
 * each edge of its path; else, for what that leaves and on a GPU, bit-parallel multi-source BFS
 * (Then et al. 2014), 512 queries a sweep, pulled, levels kept modulo 3 (two bit planes). All walk
 * back canonically: from the goal link of least total, lowest milestone first, to the neighbour of
 * lowest milestone that fits. So paths depend on the graph and the query alone.
 */
#ifndef PRM_ROADMAP_SEARCH_H
#define PRM_ROADMAP_SEARCH_H

#include "roadmap/plan/plan.h"
#include "roadmap/search/landmarks.h"

/* The ends of queries, linked to vertices by checked edges. All device. */
struct prm_endpoints {
    uint32_t count;             /* E */
    uint32_t k;                 /* links a row */
    struct prm_buffer states;   /* f32[E][row]; no memory without a heuristic */
    struct prm_buffer vertices; /* u32[E][k]: linked vertices by distance, NONE_U32 past the last */
    struct prm_buffer costs;    /* u32[E][k]: integer weights of the links */
};

/* How the vertices of a path are read back from the levels of a breadth-first search; the paths are
 * the same. */
enum prm_extraction {
    PRM_EXTRACT_AUTO,    /* as a walk, after any search by hops */
    PRM_EXTRACT_WALK,    /* a work-item walks a path, after breadth-first search */
    PRM_EXTRACT_RANKING, /* list ranking of all chains at once: some V log V work for each path */
};

/* What a search is asked. */
struct prm_search_problem {
    const struct prm_graph *graph;
    const struct prm_space
        *space; /* its metric is the heuristic; NULL: none, the search is Dijkstra's */
    struct prm_buffer states; /* f32[vertex_count][row], for the heuristic */
    double weight_scale;      /* integer weight of a unit of distance, likewise */
    const struct prm_landmarks
        *landmarks; /* of the graph or one with more edges: they lead, then; NULL: none */
    const struct prm_endpoints *endpoints;
    struct prm_buffer queries; /* struct query[query_count] */
    uint32_t query_count;      /* at most prm_search_queries_max() */
    enum prm_objective objective;
    enum prm_extraction extraction;
    uint32_t pool_entries; /* of the first pool, which grows as needed; 0: a guess */
    uint32_t table_slots; /* of a query's first table on a GPU, likewise (kernels/astar_group.cl) */
};

/* Where the vertices of the paths are: query q's are pool[first[q]] … of count[q], from the start's
 * side to the goal's. count 0: no path. (A path through one vertex has count 1; there is no path
 * without one.) */
struct prm_search_paths {
    struct prm_buffer first;  /* u32[query_count] */
    struct prm_buffer counts; /* u32[query_count] */
    struct prm_buffer goals;  /* u32[query_count]: the endpoint of the goal reached */
    struct prm_buffer pool;   /* u32[pool_count] */
    size_t pool_count;        /* entries that hold all paths, a few unused among them */
};

/* The most queries of one search on a graph of so many vertices: their paths' entries are numbered
 * by 32 bits. */
uint32_t prm_search_queries_max(uint32_t vertex_count);

/* Searches the batch; buffers of `paths` are pieces of `arena`, taken by this call and left to the
 * caller's rewind. Queries with `skip` have count 0. Read-backs: the pool's size, and, if that was
 * too small, the counts; then only the queries that found no room are repeated. PRM_LIMIT_EXCEEDED:
 * too many queries, or a path whose integer cost passes 32 bits. */
enum prm_status prm_search(struct prm_arena *arena, struct prm_search_paths *paths,
                           const struct prm_search_problem *problem);

#endif

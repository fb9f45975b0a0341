/* The methods behind prm_search(): each runs all pending queries of a problem once
 * (kernels/search.h says what is pending) and leaves the pool's need in the control words. */
#ifndef PRM_ROADMAP_SEARCH_METHODS_H
#define PRM_ROADMAP_SEARCH_METHODS_H

#include "device/launch.h"
#include "roadmap/search/search.h"

/* A search in progress. */
struct prm_search_run {
    const struct prm_search_problem *problem;
    struct prm_search_paths *paths;
    struct prm_buffer vertices; /* u32[E][k]: the endpoints' links as the graph numbers them */
    uint32_t pool_capacity;
    struct prm_buffer control; /* u32[SEARCH_CONTROL_WORDS] */
};

/* SEARCH_PARAMETERS' arguments (kernels/search.h). */
#define SEARCH_ARGS(run_)                                                                          \
    ARG_BUFFER((run_)->paths->first), ARG_BUFFER((run_)->paths->counts),                           \
        ARG_BUFFER((run_)->paths->goals), ARG_BUFFER((run_)->paths->pool),                         \
        ARG_BUFFER((run_)->control), ARG_U32((run_)->pool_capacity),                               \
        ARG_BUFFER((run_)->problem->queries), ARG_BUFFER((run_)->vertices),                        \
        ARG_BUFFER((run_)->problem->endpoints->costs), ARG_U32((run_)->problem->endpoints->k),     \
        ARG_BUFFER((run_)->problem->endpoints->vertices),                                          \
        ARG_BUFFER((run_)->problem->graph->offsets), ARG_BUFFER((run_)->problem->graph->arcs),     \
        ARG_U32((run_)->problem->graph->vertex_count)

/* Bytes that a method may take for what grows with queries running at once; one query always runs.
 */
#define PRM_SEARCH_SCRATCH_BYTES ((size_t)256 << 20)

enum prm_status prm_search_astar(struct prm_arena *arena, const struct prm_search_run *run);
enum prm_status prm_search_hops(struct prm_arena *arena, const struct prm_search_run *run);

/* The queries of a run that breadth-first searches are for. */
struct prm_search_left {
    struct prm_buffer queries; /* u32[count]; no memory: all */
    uint32_t count;
};

/* By breadth-first search alone; `left` must not be empty, and is all where each level is a launch
 * of its own. */
enum prm_status prm_search_bfs(struct prm_arena *arena, const struct prm_search_run *run,
                               const struct prm_search_left *left);

/* Bit planes of a round of breadth-first searches, all batches together (kernels/bfs_levels.h). */
struct prm_bfs_levels {
    struct prm_buffer low, high; /* u64[batches][V][words] */
    const char *options;         /* -D WORDS=… */
};

/* Reads the paths of queries first … first + count - 1 from their levels by list ranking. */
enum prm_status prm_path_rank(struct prm_arena *arena, const struct prm_search_run *run,
                              const struct prm_bfs_levels *levels, uint32_t first, uint32_t count);

#endif

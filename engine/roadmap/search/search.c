/* One search: a method over a pool of paths that grows until all fit. */
#include "roadmap/search/search.h"

#include "device/launch.h"
#include "device/try.h"
#include "kernels/search_control.h"
#include "kernels/types.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/search/search_methods.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Pool entries are counted in 32 bits, with room for those that a full pool left unused. */
#define POOL_ENTRIES_MAX ((uint64_t)1 << 31)

uint32_t prm_search_queries_max(uint32_t vertex_count)
{
    const uint64_t most = POOL_ENTRIES_MAX / (vertex_count > 0 ? vertex_count : 1);
    return most > UINT32_MAX ? UINT32_MAX : most > 0 ? (uint32_t)most : 1;
}

/* Entries of a first pool: paths across roadmaps have some multiple of √V vertices. Memory that is
 * not written costs little. */
static uint32_t pool_guess(const struct prm_search_problem *problem)
{
    static const double PER_ROOT = 4, LEAST = 16;
    static const double ENTRIES_MAX = 1 << 24;

    if (problem->pool_entries > 0)
        return problem->pool_entries;
    const double path = LEAST + PER_ROOT * sqrt(problem->graph->vertex_count);
    return (uint32_t)fmin(ENTRIES_MAX, path * (problem->query_count + 1.0));
}

/* Entries that the queries without a place need: those counted but not placed. */
static enum prm_status pool_shortage(struct prm_context *context, uint64_t *shortage,
                                     const struct prm_search_run *run)
{
    enum prm_status status = PRM_OK;
    const uint32_t n = run->problem->query_count;
    const size_t bytes = n * sizeof(uint32_t);
    uint32_t *first = malloc(2 * bytes);

    *shortage = 0;
    if (!first)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for the places of %" PRIu32 " paths", n);
    uint32_t *counts = first + n;
    TRY(prm_buffer_read(context, run->paths->first, 0, first, bytes));
    TRY(prm_buffer_read(context, run->paths->counts, 0, counts, bytes));
    for (uint32_t q = 0; q < n; q++) {
        if (first[q] == NONE_U32)
            *shortage += counts[q];
    }

cleanup:
    free(first);
    return status;
}

/* Makes the pool larger by what is missing; paths that are in it stay where they are. */
static enum prm_status pool_grow(struct prm_arena *arena, struct prm_search_run *run)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    struct prm_buffer larger;
    uint64_t shortage;

    TRY(pool_shortage(context, &shortage, run));
    const uint64_t entries = run->pool_capacity + shortage;
    if (entries > UINT32_MAX) {
        status = prm_fault_set(PRM_LIMIT_EXCEEDED, "paths of one search have %" PRIu64 " vertices",
                               entries);
        goto cleanup;
    }
    TRY(prm_arena_take(arena, &larger, entries * sizeof(uint32_t)));
    const struct prm_share share = prm_share_of(context, run->problem->query_count);
    TRY(prm_launch(context, PRM_KERNEL_SEARCH_MOVE, NULL, share.items, share.group,
                   ARGS(ARG_BUFFER(larger), ARG_BUFFER(run->paths->pool),
                        ARG_BUFFER(run->paths->first), ARG_BUFFER(run->paths->counts),
                        ARG_U32(run->problem->query_count))));
    TRY(prm_buffer_fill_u32(context, run->control, SEARCH_TAKEN * sizeof(uint32_t), 0, 1));
    TRY(prm_buffer_fill_u32(context, run->control, SEARCH_CURSOR * sizeof(uint32_t),
                            run->pool_capacity, 1));
    run->paths->pool = larger;
    run->pool_capacity = (uint32_t)entries;

cleanup:
    return status;
}

static enum prm_status take_paths(struct prm_arena *arena, struct prm_search_run *run)
{
    enum prm_status status = PRM_OK;
    struct prm_search_paths *paths = run->paths;
    const size_t bytes = run->problem->query_count * sizeof(uint32_t);

    run->pool_capacity = pool_guess(run->problem);
    TRY(prm_arena_take(arena, &paths->first, bytes));
    TRY(prm_arena_take(arena, &paths->counts, bytes));
    TRY(prm_arena_take(arena, &paths->goals, bytes));
    TRY(prm_arena_take(arena, &run->control, SEARCH_CONTROL_WORDS * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &paths->pool, run->pool_capacity * sizeof(uint32_t)));

cleanup:
    return status;
}

/* Nothing is known of any query; links are of vertices as the graph numbers them. */
static enum prm_status begin(struct prm_arena *arena, struct prm_search_run *run)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_search_problem *problem = run->problem;
    const struct prm_search_paths *paths = run->paths;
    const struct prm_endpoints *ends = problem->endpoints;
    const bool numbered = problem->graph->places.memory != NULL;
    const uint32_t queries = problem->query_count, links = numbered ? ends->count * ends->k : 0;
    uint32_t n = SEARCH_CONTROL_WORDS;

    n = n < queries ? queries : n;
    n = n < links ? links : n;
    const struct prm_share share = prm_share_of(context, n);
    // without numbers the links are as they are, and nothing is looked up
    run->vertices = ends->vertices;
    if (links > 0)
        TRY(prm_arena_take(arena, &run->vertices, prm_words(links)));
    TRY(prm_launch(context, PRM_KERNEL_SEARCH_BEGIN, NULL, share.items, share.group,
                   ARGS(ARG_BUFFER(paths->first), ARG_BUFFER(paths->counts),
                        ARG_BUFFER(paths->goals), ARG_BUFFER(run->control),
                        ARG_BUFFER(run->vertices), ARG_BUFFER(ends->vertices),
                        ARG_BUFFER(numbered ? problem->graph->places : ends->vertices),
                        ARG_U32(queries), ARG_U32(links), ARG_U32(n))));

cleanup:
    return status;
}

/* Paths are of milestones. */
static enum prm_status end(struct prm_context *context, const struct prm_search_run *run)
{
    const struct prm_graph *graph = run->problem->graph;
    const struct prm_search_paths *paths = run->paths;
    const uint32_t queries = run->problem->query_count;
    const struct prm_share share = prm_share_of(context, queries);

    if (graph->ids.memory == NULL || queries == 0)
        return PRM_OK;
    return prm_launch(context, PRM_KERNEL_SEARCH_END, NULL, share.items, share.group,
                      ARGS(ARG_BUFFER(paths->pool), ARG_BUFFER(paths->first),
                           ARG_BUFFER(paths->counts), ARG_BUFFER(graph->ids), ARG_U32(queries)));
}

enum prm_status prm_search(struct prm_arena *arena, struct prm_search_paths *paths,
                           const struct prm_search_problem *problem)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    struct prm_search_run run = {.problem = problem, .paths = paths};
    uint32_t control[SEARCH_CONTROL_WORDS];

    *paths = (struct prm_search_paths){0};
    if (problem->query_count > prm_search_queries_max(problem->graph->vertex_count))
        return prm_fault_set(PRM_LIMIT_EXCEEDED,
                             "%" PRIu32 " queries are more than one search takes",
                             problem->query_count);
    TRY(take_paths(arena, &run));
    TRY(begin(arena, &run));

    for (;;) {
        TRY(problem->objective == PRM_OBJECTIVE_LENGTH ? prm_search_astar(arena, &run)
                                                       : prm_search_hops(arena, &run));

        // read-back: did all paths fit?
        TRY(prm_buffer_read(context, run.control, 0, control, sizeof(control)));
        if (control[SEARCH_SATURATED]) {
            status = prm_fault_set(PRM_LIMIT_EXCEEDED, "a path's integer cost passes 32 bits");
            goto cleanup;
        }
        if (control[SEARCH_CURSOR] <= run.pool_capacity)
            break;
        TRY(pool_grow(arena, &run));
    }
    paths->pool_count = control[SEARCH_CURSOR];
    TRY(end(context, &run));

cleanup:
    return status;
}

/* Extraction of paths by list ranking, a chunk of queries at a time. */
#include "device/launch.h"
#include "device/try.h"
#include "primitives/rank.h"
#include "roadmap/search/search_methods.h"

/* Elements (query and vertex) that are ranked together: some 32 bytes each, the ranking's own
 * included. */
#define ELEMENTS_MAX ((uint32_t)1 << 22)

struct chunk {
    struct prm_buffer parents, marks, ranks; /* u32[queries][V] */
};

/* Queries q0 … q0 + n - 1, which are slots slot0 … of the round. */
static enum prm_status rank_chunk(struct prm_arena *arena, const struct prm_search_run *run,
                                  const struct prm_bfs_levels *levels, const struct chunk *chunk,
                                  uint32_t q0, uint32_t slot0, uint32_t n)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const size_t workgroup = prm_context_profile(context)->workgroup;
    const struct prm_search_problem *problem = run->problem;
    const struct prm_endpoints *ends = problem->endpoints;
    const struct prm_graph *graph = problem->graph;
    const struct prm_search_paths *paths = run->paths;
    const size_t elements = (size_t)n * graph->vertex_count;

    // every vertex points to the one before it, the paths' last vertices are marked
    TRY(prm_launch(context, PRM_KERNEL_PATH_PARENTS, levels->options, elements, workgroup,
                   ARGS(ARG_BUFFER(chunk->parents), ARG_BUFFER(chunk->marks),
                        ARG_BUFFER(levels->low), ARG_BUFFER(levels->high),
                        ARG_BUFFER(graph->offsets), ARG_BUFFER(graph->arcs),
                        ARG_U32(graph->vertex_count), ARG_BUFFER(problem->queries), ARG_U32(q0),
                        ARG_U32(slot0), ARG_U32(n), ARG_BUFFER(run->vertices),
                        ARG_BUFFER(ends->costs), ARG_U32(ends->k))));
    TRY(prm_launch(context, PRM_KERNEL_PATH_ENDS, levels->options, n, workgroup,
                   ARGS(ARG_BUFFER(paths->first), ARG_BUFFER(paths->counts),
                        ARG_BUFFER(paths->goals), ARG_BUFFER(run->control),
                        ARG_U32(run->pool_capacity), ARG_BUFFER(chunk->marks),
                        ARG_BUFFER(levels->low), ARG_BUFFER(levels->high),
                        ARG_U32(graph->vertex_count), ARG_BUFFER(problem->queries), ARG_U32(q0),
                        ARG_U32(slot0), ARG_U32(n), ARG_BUFFER(run->vertices),
                        ARG_BUFFER(ends->costs), ARG_U32(ends->k), ARG_BUFFER(ends->vertices))));

    // a vertex's rank is its place in the path
    TRY(prm_rank(arena, chunk->ranks, chunk->parents, chunk->marks, elements, NULL));
    TRY(prm_launch(context, PRM_KERNEL_PATH_PLACE, levels->options, elements, workgroup,
                   ARGS(ARG_BUFFER(paths->pool), ARG_BUFFER(chunk->marks), ARG_BUFFER(chunk->ranks),
                        ARG_BUFFER(paths->first), ARG_U32(q0), ARG_U32(n),
                        ARG_U32(graph->vertex_count))));

cleanup:
    return status;
}

enum prm_status prm_path_rank(struct prm_arena *arena, const struct prm_search_run *run,
                              const struct prm_bfs_levels *levels, uint32_t first, uint32_t count)
{
    enum prm_status status = PRM_OK;
    const uint32_t vertex_count = run->problem->graph->vertex_count;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct chunk chunk;

    uint32_t queries = ELEMENTS_MAX / vertex_count;
    queries = queries < 1 ? 1 : queries > count ? count : queries;
    const size_t bytes = (size_t)queries * vertex_count * sizeof(uint32_t);
    TRY(prm_arena_take(arena, &chunk.parents, bytes));
    TRY(prm_arena_take(arena, &chunk.marks, bytes));
    TRY(prm_arena_take(arena, &chunk.ranks, bytes));
    for (uint32_t done = 0; done < count; done += queries) {
        const uint32_t n = count - done < queries ? count - done : queries;
        TRY(rank_chunk(arena, run, levels, &chunk, first + done, done, n));
    }

cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

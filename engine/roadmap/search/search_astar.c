/* The launch of A*: how many queries run at once, and their scratch. */
#include "device/launch.h"
#include "device/try.h"
#include "kernels/landmark_types.h"
#include "kernels/search_control.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/robot/embedding.h"
#include "roadmap/search/search_methods.h"

#include <stdio.h>

/* A distance in float32 may come out longer than the sum of rounded edge lengths along a path; so
 * much less than it is surely no more. */
#define HEURISTIC_MARGIN 1e-5
/* The same where turns and orientations are measured, whose float32 has errors of its own. */
#define HEURISTIC_MARGIN_CURVED 1e-4

enum { HEAP_ENTRIES_PER_VERTEX = 2, HEAP_ENTRIES_MORE = 16 };

/* What one query in flight needs. */
static size_t bytes_per_item(size_t vertex_count)
{
    const size_t per_vertex =
        4 * sizeof(uint32_t) +
        HEAP_ENTRIES_PER_VERTEX * sizeof(uint64_t); // g, h, goal cost, touched
    return vertex_count * per_vertex + HEAP_ENTRIES_MORE * sizeof(uint64_t);
}

/* Queries that run at once: on a CPU one a core; on a GPU as many as memory allows. */
static uint32_t item_count(const struct prm_profile *profile,
                           const struct prm_search_problem *problem)
{
    static const uint32_t GPU_ITEMS_MAX = 16384;
    size_t items = profile->compute_units;

    if (profile->shape == PRM_SHAPE_GPU) {
        items = PRM_SEARCH_SCRATCH_BYTES / bytes_per_item(problem->graph->vertex_count);
        if (items > GPU_ITEMS_MAX)
            items = GPU_ITEMS_MAX;
    }
    if (items > problem->query_count)
        items = problem->query_count;
    return items > 0 ? (uint32_t)items : 1;
}

enum prm_status prm_search_astar(struct prm_arena *arena, const struct prm_search_run *run)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_search_problem *problem = run->problem;
    const struct prm_endpoints *ends = problem->endpoints;
    const struct prm_graph *graph = problem->graph;
    const struct prm_space *space = problem->space;
    const struct prm_landmarks *landmarks = problem->landmarks;
    const size_t vertex_count = graph->vertex_count;
    const uint32_t items = item_count(profile, problem);
    const size_t heap_entries = HEAP_ENTRIES_PER_VERTEX * vertex_count + HEAP_ENTRIES_MORE;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct prm_buffer vertices, goal_cost, touched, heap;
    char options[PRM_SCENE_OPTIONS_MAX + 64] = "", metric[PRM_SCENE_OPTIONS_MAX];
    double margin = HEURISTIC_MARGIN;

    if (landmarks) {
        snprintf(options, sizeof(options), "-DHEURISTIC_LANDMARKS");
    } else if (space) {
        const struct prm_embedding embedding = prm_embedding_of(space);
        prm_space_options(metric, space);
        snprintf(options, sizeof(options), "-DHEURISTIC_METRIC %s%s", metric,
                 graph->ids.memory ? " -DNUMBERED" : "");
        if (!prm_embedding_is_flat(&embedding))
            margin = HEURISTIC_MARGIN_CURVED;
    }
    // what a variant does not look at is any buffer
    const struct prm_buffer ids = graph->ids.memory ? graph->ids : graph->offsets;
    const struct prm_buffer states = space ? problem->states : graph->offsets;
    const struct prm_buffer end_states = space ? ends->states : graph->offsets;
    const struct prm_buffer table = landmarks ? landmarks->table : graph->offsets;
    const uint32_t vectors = landmarks ? landmarks->count / LANDMARK_LANES : 0;
    const uint32_t shift = landmarks ? landmarks->shift : 0;

    TRY(prm_arena_take(arena, &vertices, items * vertex_count * 2 * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &goal_cost, items * vertex_count * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &touched, items * vertex_count * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &heap, items * heap_entries * sizeof(uint64_t)));
    TRY(prm_launch(
        context, PRM_KERNEL_ASTAR_SEARCH, options, items, profile->workgroup,
        ARGS(ARG_BUFFER(run->paths->first), ARG_BUFFER(run->paths->counts),
             ARG_BUFFER(run->paths->goals), ARG_BUFFER(run->paths->pool), ARG_BUFFER(run->control),
             ARG_U32(run->pool_capacity), ARG_BUFFER(problem->queries),
             ARG_U32(problem->query_count), ARG_BUFFER(run->vertices), ARG_BUFFER(ends->costs),
             ARG_U32(ends->k), ARG_BUFFER(ends->vertices), ARG_BUFFER(ids),
             ARG_BUFFER(graph->offsets), ARG_BUFFER(graph->arcs), ARG_U32(graph->vertex_count),
             ARG_BUFFER(vertices), ARG_BUFFER(goal_cost), ARG_BUFFER(touched), ARG_BUFFER(heap),
             ARG_U32((uint32_t)heap_entries), ARG_U32(items), ARG_BUFFER(states),
             ARG_BUFFER(end_states), ARG_F32((float)(problem->weight_scale * (1 - margin))),
             ARG_BUFFER(table), ARG_U32(vectors), ARG_U32(shift))));

cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

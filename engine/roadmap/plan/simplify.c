/* The launch of simplification and its scratch. */
#include "roadmap/plan/simplify.h"

#include "device/try.h"
#include "kernels/simplify_types.h"
#include "roadmap/collision/scene_arguments.h"

/* Bytes that paths in the making may take together; one is always in the making. */
#define SCRATCH_BYTES ((size_t)64 << 20)

/* Paths in the making at once: on a CPU one a core; on a GPU as many as memory allows. */
static uint32_t item_count(const struct prm_profile *profile, size_t bytes_per_item,
                           uint32_t query_count)
{
    static const uint32_t GPU_ITEMS_MAX = 16384;
    size_t items = profile->compute_units;

    if (profile->shape == PRM_SHAPE_GPU) {
        items = SCRATCH_BYTES / bytes_per_item;
        if (items > GPU_ITEMS_MAX)
            items = GPU_ITEMS_MAX;
    }
    if (items > query_count)
        items = query_count;
    return items > 0 ? (uint32_t)items : 1;
}

static enum prm_status take_polylines(struct prm_arena *arena, struct prm_polylines *polylines,
                                      const struct prm_simplify_input *input, size_t row_bytes)
{
    enum prm_status status = PRM_OK;
    const size_t n = input->query_count;
    const size_t points =
        input->paths->pool_count + input->approach_point_count + n * SIMPLIFY_POINTS_MORE;

    TRY(prm_arena_take(arena, &polylines->first, n * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &polylines->counts, n * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &polylines->points, points * row_bytes));

cleanup:
    return status;
}

enum prm_status prm_simplify(struct prm_arena *arena, struct prm_polylines *polylines,
                             const struct prm_scene *scene, const struct prm_simplify_input *input)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_search_paths *paths = input->paths;
    const struct prm_endpoints *ends = input->ends;
    const size_t row_bytes = scene->space->row * sizeof(float);
    const size_t capacity = (size_t)input->points_max + SIMPLIFY_POINTS_MORE;
    const size_t item_bytes = capacity * (row_bytes + sizeof(uint32_t));
    const uint32_t items = item_count(profile, item_bytes, input->query_count);
    struct prm_buffer points, changed, control;
    uint32_t point_count;
    char options[PRM_SCENE_OPTIONS_MAX];

    *polylines = (struct prm_polylines){0};
    TRY(take_polylines(arena, polylines, input, row_bytes));
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    TRY(prm_arena_take(arena, &control, SIMPLIFY_CONTROL_WORDS * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &points, items * capacity * row_bytes));
    TRY(prm_arena_take(arena, &changed, items * capacity * sizeof(uint32_t)));
    TRY(prm_buffer_fill_u32(context, control, 0, 0, SIMPLIFY_CONTROL_WORDS));

    prm_scene_options(options, context, scene);
    TRY(prm_launch(
        context, PRM_KERNEL_SIMPLIFY_PATHS, options, items, profile->workgroup,
        ARGS(ARG_BUFFER(polylines->points), ARG_BUFFER(polylines->first),
             ARG_BUFFER(polylines->counts), ARG_BUFFER(control), ARG_BUFFER(paths->first),
             ARG_BUFFER(paths->counts), ARG_BUFFER(paths->goals), ARG_BUFFER(paths->pool),
             ARG_BUFFER(input->queries), ARG_U32(input->query_count), ARG_BUFFER(ends->states),
             ARG_BUFFER(input->flags), ARG_BUFFER(input->states), ARG_BUFFER(input->approach_first),
             ARG_BUFFER(input->approach_counts), ARG_BUFFER(input->approach_points),
             ARG_BUFFER(input->met), ARG_BUFFER(points), ARG_BUFFER(changed),
             ARG_U32((uint32_t)capacity), ARG_U32(items), SCENE_ARGS(scene))));

    // read-back: how many points the paths have now
    TRY(prm_buffer_read(context, control, SIMPLIFY_CURSOR * sizeof(uint32_t), &point_count,
                        sizeof(point_count)));
    polylines->point_count = point_count;
    prm_arena_rewind(arena, mark);

cleanup:
    return status;
}

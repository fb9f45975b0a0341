/* The distances of a world's grids and fields. */
#include "roadmap/world/world_values.h"

#include "device/try.h"

#include <math.h>
#include <stdlib.h>

enum prm_status prm_value_plan_init(struct prm_value_plan *plan, const struct prm_world_spec *spec)
{
    enum prm_status status = PRM_OK;
    size_t most = 0;

    *plan = (struct prm_value_plan){0};
    plan->fields = calloc((size_t)spec->obstacle_count + 1, sizeof(*plan->fields));
    plan->first = calloc((size_t)spec->obstacle_count + 1, sizeof(*plan->first));
    if (plan->fields == NULL || plan->first == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u obstacles", spec->obstacle_count);
    for (uint32_t i = 0; i < spec->obstacle_count; i++) {
        const struct prm_obstacle *o = &spec->obstacles[i];
        const struct prm_grid_spec *grid = &o->grid;
        plan->first[i] = NONE_U32;
        if (o->disabled)
            continue;
        TRY(prm_field_plan(&plan->fields[i], o, i));
        size_t count = plan->fields[i].values;
        if (o->kind == PRM_OBSTACLE_GRID && prm_grid_has_distances(grid))
            count = (size_t)grid->width * grid->height;
        if (count == 0)
            continue;
        plan->first[i] = (uint32_t)plan->count;
        plan->count += count;
        plan->largest = count > most ? i : plan->largest;
        most = count > most ? count : most;
        if (plan->count > INT32_MAX) {
            status = prm_fault_set(PRM_LIMIT_EXCEEDED,
                                   "the world's distance fields have more than %d values in all",
                                   INT32_MAX);
            goto cleanup;
        }
    }
cleanup:
    return status;
}

void prm_value_plan_deinit(struct prm_value_plan *plan)
{
    free(plan->fields);
    free(plan->first);
    *plan = (struct prm_value_plan){0};
}

/* Whether the device has the memory. */
static enum prm_status check_memory(struct prm_context *context, const struct prm_value_plan *plan)
{
    const struct prm_memory_use use = prm_context_memory(context);
    const uint64_t taken = use.resident_bytes + use.scratch_bytes;
    uint64_t room = use.limit_bytes > taken ? use.limit_bytes - taken : 0;
    const uint64_t bytes = (uint64_t)plan->count * sizeof(float);
    const uint64_t most = prm_context_device(context)->allocation_max;
    room = most > 0 && most < room ? most : room;
    if (bytes <= room)
        return PRM_OK;

    // what the largest field would have to shrink to, were it alone
    const double edge = plan->fields[plan->largest].edge;
    return prm_fault_set(
        PRM_DEVICE_MEMORY,
        "distance fields of %llu bytes are wanted, %llu are free of %llu; obstacle %u, of "
        "resolution %.3g, would fit at %.3g",
        (unsigned long long)bytes, (unsigned long long)room, (unsigned long long)use.limit_bytes,
        plan->largest, edge, 1.02 * edge * cbrt((double)bytes / fmax((double)room, 1.0)));
}

enum prm_status prm_values_build(struct prm_arena *arena, struct prm_buffer *values,
                                 const struct prm_value_plan *plan,
                                 const struct prm_world_spec *spec, struct prm_buffer cells,
                                 const struct grid *grids, uint32_t grid_count)
{
    struct prm_context *context = prm_arena_context(arena);
    enum prm_status status = PRM_OK;

    TRY(check_memory(context, plan));
    TRY(prm_buffer_create(context, values, plan->count * sizeof(float)));
    for (uint32_t i = 0; i < spec->obstacle_count; i++)
        if (plan->fields[i].values > 0)
            TRY(prm_field_build(arena, *values, plan->first[i], &plan->fields[i],
                                &spec->obstacles[i]));
    for (uint32_t g = 0; g < grid_count; g++)
        if (grids[g].values != NONE_U32)
            TRY(prm_grid_distances(arena, *values, cells, &grids[g]));
cleanup:
    return status;
}

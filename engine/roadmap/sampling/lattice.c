/* Lattices: their cells, the free ones as milestones, and neighbours by a table of offsets by
 * (distance, index), the same for every cell. */
#include "device/try.h"
#include "primitives/compact.h"
#include "roadmap/nearest/neighbors_index.h"
#include "roadmap/sampling/sample.h"

#include <math.h>
#include <stdlib.h>

/* Offsets in the table for each neighbour wanted, so that cells with few free ones nearby find
 * theirs. */
enum { OFFSETS_PER_NEIGHBOR = 16 };
/* The radius is compared in cells with this much room for its rounding. */
#define RADIUS_SLACK 1e-6

enum { LATTICE_CELLS_MAX = 1 << 26 };
/* Cells of a step, about two milliseconds' work. */
enum { CELLS_PER_STEP = 1 << 15 };

enum prm_status prm_lattice_choose(struct prm_sampler *sampler,
                                   const struct prm_roadmap_params *params)
{
    const struct prm_world *world = sampler->scene->world;
    const double spacing = params->lattice_spacing;
    const bool limited =
        params->lattice_cells_max > 0 && params->lattice_cells_max < LATTICE_CELLS_MAX;
    const uint32_t cells_max = limited ? params->lattice_cells_max : LATTICE_CELLS_MAX;
    struct lattice *lattice = &sampler->lattice;
    double cells = 1.0;

    if (sampler->scene->space->dof != world->dimension ||
        sampler->scene->robot->kind == PRM_ROBOT_ARM)
        return prm_fault_set_at(PRM_INVALID_ARGUMENT, "samples/method", NULL, 0.0,
                                "samples.method lattice is for robots that only translate");
    *lattice = (struct lattice){.cosine = 1.0f, .size = {1, 1, 1}};
    if (spacing > 0.0) {
        for (uint32_t c = 0; c < world->dimension; c++) {
            const double along = fmax(floor((world->upper[c] - world->lower[c]) / spacing), 1.0);
            lattice->origin[c] = (float)(world->lower[c] - world->center[c]);
            lattice->size[c] = (uint32_t)fmin(along, LATTICE_CELLS_MAX);
            cells *= along;
        }
        lattice->spacing = (float)spacing;
    } else {
        if (!world->has_grid)
            return prm_fault_set(PRM_INVALID_ARGUMENT,
                                 "samples.method lattice needs a world with a grid, or a spacing");
        const struct prm_grid_spec *grid = &world->first_grid;
        lattice->origin[0] = (float)(grid->origin[0] - world->center[0]);
        lattice->origin[1] = (float)(grid->origin[1] - world->center[1]);
        lattice->cosine = (float)cos(grid->origin[2]);
        lattice->sine = (float)sin(grid->origin[2]);
        lattice->spacing = (float)grid->resolution;
        lattice->size[0] = grid->width;
        lattice->size[1] = grid->height;
        cells = (double)grid->width * grid->height;
    }
    if (cells > cells_max)
        return prm_fault_set_at(
            PRM_LIMIT_EXCEEDED, spacing > 0.0 ? "samples/spacing" : "samples/method", "grid_cells",
            cells_max, "a lattice may have %u cells, of a size of %g it would have more", cells_max,
            spacing > 0.0 ? spacing : world->first_grid.resolution);
    sampler->capacity = (uint32_t)cells;
    return PRM_OK;
}

enum prm_status prm_lattice_maps(struct prm_arena *arena, struct prm_sampler *sampler)
{
    struct prm_context *context = prm_arena_context(arena);
    enum prm_status status = PRM_OK;
    TRY(prm_arena_take(arena, &sampler->cell_of, prm_words(sampler->capacity)));
    TRY(prm_arena_take(arena, &sampler->milestone_at, prm_words(sampler->capacity)));
    TRY(prm_buffer_fill_u32(context, sampler->milestone_at, 0, NONE_U32, sampler->capacity));
cleanup:
    return status;
}

enum prm_status prm_lattice_step(struct prm_arena *arena, struct prm_sampler *sampler,
                                 struct prm_buffer states, bool *done)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_space *space = sampler->scene->space;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t first = (uint32_t)sampler->drawn, left = sampler->capacity - first;
    const uint32_t n = left < CELLS_PER_STEP ? left : CELLS_PER_STEP;
    const struct prm_share all = prm_share_of(context, n);
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];
    struct prm_buffer rows, flags, kept, survivors;
    uint32_t count = 0;

    prm_space_options(options, space);
    TRY(prm_arena_take(arena, &rows, (size_t)n * space->row * sizeof(float)));
    TRY(prm_arena_take(arena, &flags, prm_words(n)));
    TRY(prm_arena_take(arena, &kept, prm_words(n)));
    TRY(prm_arena_take(arena, &survivors, prm_words(1)));
    TRY(prm_launch(
        context, PRM_KERNEL_SAMPLE_LATTICE, options, all.items, all.group,
        ARGS(ARG_BUFFER(rows), ARG_STRUCT(&sampler->lattice), ARG_U32(first), ARG_U32(n))));
    TRY(prm_collide_states(arena, flags, sampler->scene, rows, n));
    // a grid may reach beyond the world's bounds
    if (sampler->scene->world->bounded)
        TRY(prm_launch(
            context, PRM_KERNEL_SAMPLE_WITHIN, options, all.items, all.group,
            ARGS(ARG_BUFFER(flags), ARG_BUFFER(rows), ARG_BUFFER(sampler->limits), ARG_U32(n))));
    TRY(prm_compact_indices(arena, kept, survivors, flags, n));

    // read-back: how many are free
    TRY(prm_buffer_read(context, survivors, 0, &count, sizeof(count)));
    const struct prm_share share = prm_share_of(context, count);
    TRY(prm_launch(context, PRM_KERNEL_SAMPLE_KEEP_CELLS, options, share.items, share.group,
                   ARGS(ARG_BUFFER(states), ARG_BUFFER(sampler->cell_of),
                        ARG_BUFFER(sampler->milestone_at), ARG_BUFFER(rows), ARG_BUFFER(kept),
                        ARG_U32(first), ARG_U32(sampler->accepted), ARG_U32(count))));
    sampler->accepted += count;
    sampler->drawn += n;
    sampler->even += n;
    sampler->even_free += count;
    *done = sampler->drawn >= sampler->capacity;
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* An offset with what it is sorted by. */
struct ranked {
    int64_t squared;
    struct lattice_offset offset;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *p = a, *q = b;
    if (p->squared != q->squared)
        return p->squared < q->squared ? -1 : 1;
    if (p->offset.z != q->offset.z)
        return p->offset.z < q->offset.z ? -1 : 1;
    if (p->offset.y != q->offset.y)
        return p->offset.y < q->offset.y ? -1 : 1;
    return (p->offset.x > q->offset.x) - (p->offset.x < q->offset.x);
}

/* All offsets within `reach` cells, into `table` (NULL: only counted); a flat lattice has none
 * along z. */
static uint32_t list_offsets(struct ranked *table, const struct lattice *lattice, double reach)
{
    const int far = (int)floor(reach), high = lattice->size[2] > 1 ? far : 0;
    uint32_t count = 0;
    for (int z = -high; z <= high; z++) {
        for (int y = -far; y <= far; y++) {
            for (int x = -far; x <= far; x++) {
                const int64_t squared = (int64_t)x * x + (int64_t)y * y + (int64_t)z * z;
                if (squared == 0 || (double)squared > reach * reach)
                    continue;
                if (table != NULL)
                    table[count] = (struct ranked){squared, {x, y, z, 0}};
                count++;
            }
        }
    }
    return count;
}

enum prm_status prm_lattice_begin(struct prm_arena *arena, struct prm_sampler *sampler, uint32_t k,
                                  double radius)
{
    const struct lattice *lattice = &sampler->lattice;
    const double limit =
        radius > 0.0 ? radius / (double)lattice->spacing * (1 + RADIUS_SLACK) : INFINITY;
    enum prm_status status = PRM_OK;
    struct ranked *table = NULL;
    struct lattice_offset *offsets = NULL;
    double reach = 1.0;

    // the least sphere with enough offsets, or the radius where that is less
    while (reach < limit && list_offsets(NULL, lattice, reach) < OFFSETS_PER_NEIGHBOR * k)
        reach += 1.0;
    sampler->offsets_complete = reach >= limit;
    reach = fmin(reach, limit);
    sampler->offset_count = list_offsets(NULL, lattice, reach);

    table = calloc(sampler->offset_count + 1u, sizeof(*table));
    offsets = calloc(sampler->offset_count + 1u, sizeof(*offsets));
    if (table == NULL || offsets == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %u offsets", sampler->offset_count);
        goto cleanup;
    }
    list_offsets(table, lattice, reach);
    qsort(table, sampler->offset_count, sizeof(*table), compare_ranked);
    for (uint32_t i = 0; i < sampler->offset_count; i++)
        offsets[i] = table[i].offset;

    const size_t bytes = sampler->offset_count * sizeof(*offsets);
    TRY(prm_arena_take(arena, &sampler->offsets, bytes));
    TRY(prm_buffer_write(prm_arena_context(arena), sampler->offsets, 0, offsets, bytes));
cleanup:
    free(table);
    free(offsets);
    return status;
}

enum prm_status prm_lattice_neighbors(struct prm_arena *arena, struct prm_buffer lists,
                                      const struct prm_sampler *sampler, struct prm_buffer states,
                                      uint32_t k, double radius, uint32_t first, uint32_t n)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_share share = prm_share_of(context, n);
    char options[PRM_SCENE_OPTIONS_MAX];

    prm_space_options(options, sampler->scene->space);
    return prm_launch(context, PRM_KERNEL_SAMPLE_LATTICE_NEIGHBORS, options, share.items,
                      share.group,
                      ARGS(ARG_BUFFER(lists), ARG_BUFFER(states), ARG_BUFFER(sampler->cell_of),
                           ARG_BUFFER(sampler->milestone_at), ARG_BUFFER(sampler->offsets),
                           ARG_U32(sampler->offset_count), ARG_U32(sampler->offsets_complete),
                           ARG_STRUCT(&sampler->lattice), ARG_U32(sampler->accepted),
                           ARG_F32(prm_neighbors_bound(radius * (1 + RADIUS_SLACK))), ARG_U32(k),
                           ARG_U32(first), ARG_U32(n)));
}

/* Sampling in bounded steps: draw, test, compact, append. */
#include "roadmap/sample.h"

#include "device/try.h"
#include "primitives/compact.h"
#include "primitives/random.h"
#include "roadmap/scene_arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Draws a step at most, about two milliseconds' work; uniform draws come in whole blocks. */
enum { BLOCKS_PER_STEP = 4, CELLS_PER_STEP = 1 << 15 };
/* Rejection is bounded by so many draws a milestone wanted, and never below the other. */
enum { DRAWS_PER_MILESTONE = 1000, DRAWS_LEAST = 1 << 20 };
enum { LATTICE_CELLS_MAX = 1 << 26 };

/* Bounds of the local frame that are inside the true ones after rounding. */
static float round_inwards(double value, double sign)
{
    const float rounded = (float)value;
    return sign * ((double)rounded - value) > 0 ? nextafterf(rounded, (float)-sign * INFINITY)
                                                : rounded;
}

/* The lattice of the world's grid, or of its bounds at a spacing. */
static enum prm_status choose_lattice(struct prm_sampler *sampler, const struct prm_world *world,
                                      const struct prm_roadmap_params *params)
{
    const double spacing = params->lattice_spacing;
    const bool limited =
        params->lattice_cells_max > 0 && params->lattice_cells_max < LATTICE_CELLS_MAX;
    const uint32_t cells_max = limited ? params->lattice_cells_max : LATTICE_CELLS_MAX;
    struct lattice *lattice = &sampler->lattice;
    double cells = 1.0;

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
    sampler->draws_max = sampler->capacity;
    return PRM_OK;
}

enum prm_status prm_sampler_init(struct prm_sampler *sampler, const struct prm_scene *scene,
                                 const struct prm_roadmap_params *params)
{
    const struct prm_world *world = scene->world;
    *sampler =
        (struct prm_sampler){.method = params->sample_method, .seed = params->seed, .scene = scene};
    if (!world->bounded)
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "the world has no bounds: there is nothing to draw samples from");
    if (params->sample_method == PRM_SAMPLE_LATTICE)
        return choose_lattice(sampler, world, params);
    if (params->sample_count == 0)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "samples.count is 0");
    sampler->capacity = params->sample_count;
    sampler->draws_max = (uint64_t)DRAWS_PER_MILESTONE * params->sample_count;
    if (sampler->draws_max < DRAWS_LEAST)
        sampler->draws_max = DRAWS_LEAST;
    return PRM_OK;
}

enum prm_status prm_sampler_begin(struct prm_arena *arena, struct prm_sampler *sampler)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_space *space = sampler->scene->space;
    const size_t cell_bytes = sampler->capacity * sizeof(uint32_t);
    float limits[2 * PRM_DOF_MAX] = {0}; // rows of the lower and the upper ones
    enum prm_status status = PRM_OK;

    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        limits[c] = round_inwards(coordinate->lower - coordinate->origin, -1.0);
        limits[space->row + c] = round_inwards(coordinate->upper - coordinate->origin, 1.0);
    }
    const size_t bytes = (size_t)2 * space->row * sizeof(float);
    TRY(prm_arena_take(arena, &sampler->limits, bytes));
    TRY(prm_buffer_write(context, sampler->limits, 0, limits, bytes));
    if (sampler->method == PRM_SAMPLE_LATTICE) {
        TRY(prm_arena_take(arena, &sampler->cell_of, cell_bytes));
        TRY(prm_arena_take(arena, &sampler->milestone_at, cell_bytes));
        TRY(prm_buffer_fill_u32(context, sampler->milestone_at, 0, NONE_U32, sampler->capacity));
    }
cleanup:
    return status;
}

/* rows[i] = draw drawn + i; `n` draws. */
static enum prm_status draw(struct prm_arena *arena, const struct prm_sampler *sampler,
                            struct prm_buffer rows, uint32_t n)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_space *space = sampler->scene->space;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_share share = prm_share_of(context, n);
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];
    struct prm_buffer numbers;

    prm_space_options(options, space);
    if (sampler->method == PRM_SAMPLE_LATTICE)
        return prm_launch(context, PRM_KERNEL_SAMPLE_LATTICE, options, share.items, share.group,
                          ARGS(ARG_BUFFER(rows), ARG_STRUCT(&sampler->lattice),
                               ARG_U32((uint32_t)sampler->drawn), ARG_U32(n)));

    TRY(prm_arena_take(arena, &numbers, (size_t)n * space->dof * sizeof(float)));
    if (sampler->method == PRM_SAMPLE_HALTON)
        TRY(prm_random_halton(arena, numbers, n, space->dof, sampler->seed, sampler->drawn));
    else
        TRY(prm_random_uniform(arena, numbers, (size_t)n * space->dof, sampler->seed,
                               sampler->drawn * space->dof));
    TRY(prm_launch(
        context, PRM_KERNEL_SAMPLE_UNIFORM, options, share.items, share.group,
        ARGS(ARG_BUFFER(rows), ARG_BUFFER(numbers), ARG_BUFFER(sampler->limits), ARG_U32(n))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Draws of the next step: whole blocks of the generator, few while little is wanted. */
static uint32_t step_length(const struct prm_sampler *sampler)
{
    if (sampler->method == PRM_SAMPLE_LATTICE) {
        const uint64_t left = sampler->draws_max - sampler->drawn;
        return left < CELLS_PER_STEP ? (uint32_t)left : CELLS_PER_STEP;
    }
    // first one block, then what the share accepted so far suggests
    double blocks = 1.0;
    if (sampler->drawn > 0) {
        const double rate = fmax((double)sampler->accepted, 1.0) / (double)sampler->drawn;
        blocks = ceil((sampler->capacity - sampler->accepted) / rate / PRM_MT_BLOCK);
    }
    return PRM_MT_BLOCK * (uint32_t)fmin(fmax(blocks, 1.0), BLOCKS_PER_STEP);
}

enum prm_status prm_sampler_step(struct prm_arena *arena, struct prm_sampler *sampler,
                                 struct prm_buffer states, bool *done)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_space *space = sampler->scene->space;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t n = step_length(sampler);
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];
    struct prm_buffer rows, flags, kept, survivors;
    uint32_t count = 0, last = 0;

    TRY(prm_arena_take(arena, &rows, (size_t)n * space->row * sizeof(float)));
    TRY(prm_arena_take(arena, &flags, n * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &kept, n * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &survivors, sizeof(uint32_t)));
    TRY(draw(arena, sampler, rows, n));
    TRY(prm_collide_states(arena, flags, sampler->scene, rows, n));
    TRY(prm_compact_indices(arena, kept, survivors, flags, n));

    // read-back: how many are free, and where the last one wanted is
    TRY(prm_buffer_read(context, survivors, 0, &count, sizeof(count)));
    const bool enough = count >= sampler->capacity - sampler->accepted;
    if (enough)
        count = sampler->capacity - sampler->accepted;
    if (enough && sampler->method != PRM_SAMPLE_LATTICE)
        TRY(prm_buffer_read(context, kept, (count - 1) * sizeof(uint32_t), &last, sizeof(last)));

    const struct prm_share share = prm_share_of(context, count);
    prm_space_options(options, space);
    TRY(prm_launch(context, PRM_KERNEL_SAMPLE_KEEP, options, share.items, share.group,
                   ARGS(ARG_BUFFER(states), ARG_BUFFER(rows), ARG_BUFFER(kept),
                        ARG_U32(sampler->accepted), ARG_U32(count))));
    if (sampler->method == PRM_SAMPLE_LATTICE)
        TRY(prm_launch(context, PRM_KERNEL_SAMPLE_KEEP_CELLS, options, share.items, share.group,
                       ARGS(ARG_BUFFER(sampler->cell_of), ARG_BUFFER(sampler->milestone_at),
                            ARG_BUFFER(kept), ARG_U32((uint32_t)sampler->drawn),
                            ARG_U32(sampler->accepted), ARG_U32(count))));
    sampler->accepted += count;
    sampler->drawn += enough && sampler->method != PRM_SAMPLE_LATTICE ? last + 1 : n;
    *done =
        (enough && sampler->method != PRM_SAMPLE_LATTICE) || sampler->drawn >= sampler->draws_max;
    if (*done && sampler->accepted == 0)
        status = prm_fault_set(PRM_NO_FREE_SPACE, "none of %llu samples drawn is free",
                               (unsigned long long)sampler->drawn);
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

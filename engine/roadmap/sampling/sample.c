/* Sampling in bounded steps: anchors, then one source after another, a block of draws a step. */
#include "roadmap/sampling/sample.h"

#include "device/try.h"
#include "primitives/compact.h"
#include "primitives/permutation.h"
#include "primitives/random.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/sampling/sample_narrow.h"
#include "roadmap/sampling/sample_schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Evenly drawn blocks of a step at most, about two milliseconds' work. */
enum { BLOCKS_PER_STEP = 4, DRAWS_PER_STEP = BLOCKS_PER_STEP * PRM_MT_BLOCK };
/* Numbers of draws that a source of pairs has: its partners' are 32 bits. */
enum { NARROW_DRAWS_MAX = 1 << 28 };

/* A source ends that has checked more states than these, for each milestone found and at least. It
 * is looked at after each narrow block, and after DRAWS_PER_STEP even draws. */
static const struct {
    uint64_t per_milestone, least;
} BUDGETS[PRM_SAMPLE_SOURCES] = {
    [PRM_SAMPLE_UNIFORM] = {4000, 1 << 20},  [PRM_SAMPLE_HALTON] = {4000, 1 << 20},
    [PRM_SAMPLE_GAUSSIAN] = {2000, 1 << 17}, [PRM_SAMPLE_BRIDGE] = {4000, 1 << 18},
    [PRM_SAMPLE_OBSTACLE] = {2000, 1 << 17},
};

/* The rows that an anchor's numbers make. */
static enum prm_status read_anchors(struct prm_sampler *sampler,
                                    const struct prm_roadmap_params *params)
{
    const struct prm_space *space = sampler->scene->space;
    sampler->anchors = malloc((size_t)params->anchor_count * space->row * sizeof(float) + 1);
    if (sampler->anchors == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u anchors", params->anchor_count);
    sampler->anchor_count = params->anchor_count;
    for (uint32_t a = 0; a < params->anchor_count; a++) {
        double state[PRM_DOF_MAX];
        bool clamped = false;
        memcpy(state, params->anchors + (size_t)a * space->dof, space->dof * sizeof(*state));
        const uint32_t beyond = prm_space_clamp(space, state, &clamped);
        if (beyond < space->dof)
            return prm_fault_set_element(PRM_INVALID_ARGUMENT, "anchors", a,
                                         "anchor %u is out of limits: %s is %g, not %g to %g", a,
                                         space->coordinates[beyond].name, state[beyond],
                                         space->coordinates[beyond].lower,
                                         space->coordinates[beyond].upper);
        prm_space_to_row(space, sampler->anchors + (size_t)a * space->row, state);
    }
    return PRM_OK;
}

enum prm_status prm_sampler_init(struct prm_sampler *sampler, const struct prm_scene *scene,
                                 const struct prm_roadmap_params *params)
{
    const struct prm_space *space = scene->space;
    enum prm_status status = PRM_OK;

    *sampler =
        (struct prm_sampler){.method = params->sample_method, .seed = params->seed, .scene = scene};
    for (uint32_t c = 0; c < space->dof; c++)
        if (space->coordinates[c].kind == PRM_COORDINATE_LINEAR && !space->coordinates[c].limited)
            return prm_fault_set(
                PRM_INVALID_ARGUMENT,
                "%s has no limits, as the world has no bounds: there is nothing to draw samples "
                "from",
                space->coordinates[c].name);
    if (params->sample_method == PRM_SAMPLE_LATTICE)
        return prm_lattice_choose(sampler, params);
    if (params->sample_count == 0)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "samples.count is 0");
    if (params->sample_count < params->anchor_count)
        return prm_fault_set_at(PRM_INVALID_ARGUMENT, "anchors", NULL, 0.0,
                                "there are %u anchors, more than samples.count, which is %u",
                                params->anchor_count, params->sample_count);
    sampler->capacity = params->sample_count;
    sampler->source = PRM_SAMPLE_SOURCES;
    TRY(prm_sample_shares(sampler->shares, params));
    TRY(read_anchors(sampler, params));
cleanup:
    return status;
}

void prm_sampler_deinit(struct prm_sampler *sampler)
{
    free(sampler->anchors);
    free(sampler->source_of);
    free(sampler->places);
    prm_trees_deinit(&sampler->trees);
    *sampler = (struct prm_sampler){0};
}

/* The root mean square of the extents of the metric's terms: an orientation is one, up to half a
 * turn far. */
static double extent_of(const struct prm_space *space)
{
    double sum = 0.0;
    uint32_t terms = 0;
    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        double extent = coordinate->upper - coordinate->lower;
        if (coordinate->kind == PRM_COORDINATE_TURN)
            extent = 2 * PI;
        if (coordinate->kind == PRM_COORDINATE_QUATERNION)
            extent = PI;
        sum += coordinate->weight * extent * (coordinate->weight * extent);
        terms++;
        if (coordinate->kind == PRM_COORDINATE_QUATERNION)
            break;
    }
    return sqrt(sum / terms);
}

/* Decides which source gives which milestone. */
static enum prm_status plan_sources(struct prm_sampler *sampler)
{
    sampler->source_of = malloc(sampler->capacity);
    sampler->places = malloc(prm_words(sampler->capacity));
    if (sampler->source_of == NULL || sampler->places == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u milestones", sampler->capacity);
    prm_sample_schedule(sampler->source_of, sampler->shares, sampler->anchor_count,
                        sampler->capacity);
    for (uint32_t i = sampler->anchor_count; i < sampler->capacity; i++)
        sampler->counts[sampler->source_of[i]].wanted++;
    return PRM_OK;
}

enum prm_status prm_sampler_begin(struct prm_arena *arena, struct prm_sampler *sampler)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_space *space = sampler->scene->space;
    float limits[2 * PRM_DOF_MAX] = {0}; // rows of the lower and the upper ones
    enum prm_status status = PRM_OK;

    sampler->extent = extent_of(space);
    prm_space_limits(space, limits);
    const size_t bytes = (size_t)2 * space->row * sizeof(float);
    TRY(prm_arena_take(arena, &sampler->limits, bytes));
    TRY(prm_buffer_write(context, sampler->limits, 0, limits, bytes));
    if (sampler->method == PRM_SAMPLE_LATTICE)
        return prm_lattice_maps(arena, sampler);
    TRY(plan_sources(sampler));
    TRY(prm_arena_take(arena, &sampler->device_places, prm_words(sampler->capacity)));
    if (sampler->counts[PRM_SAMPLE_TREES].wanted > 0)
        TRY(prm_trees_begin(arena, sampler, sampler->counts[PRM_SAMPLE_TREES].wanted));
cleanup:
    return status;
}

/* ---- anchors ---- */

/* Anchors become the first milestones; each must be free. */
static enum prm_status place_anchors(struct prm_arena *arena, struct prm_sampler *sampler,
                                     struct prm_buffer states)
{
    struct prm_context *context = prm_arena_context(arena);
    const uint32_t n = sampler->anchor_count;
    enum prm_status status = PRM_OK;
    struct prm_buffer flags;
    uint32_t *free_flags = malloc(prm_words(n) + 1);

    if (free_flags == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %u anchors", n);
        goto cleanup;
    }
    TRY(prm_arena_take(arena, &flags, prm_words(n)));
    TRY(prm_anchors_place(arena, sampler, states, 1));
    TRY(prm_collide_states(arena, flags, sampler->scene, states, n));
    // read-back: which of them collide
    TRY(prm_buffer_read(context, flags, 0, free_flags, prm_words(n)));
    for (uint32_t a = 0; a < n && status == PRM_OK; a++)
        if (!free_flags[a])
            status = prm_fault_set_element(PRM_INVALID_ARGUMENT, "anchors", a,
                                           "anchor %u is in collision", a);
    sampler->accepted = n;
cleanup:
    free(free_flags);
    return status;
}

/* ---- sources ---- */

/* Lists the milestones that the next source gives; false where there are none. */
static bool begin_source(struct prm_sampler *sampler)
{
    sampler->source--;
    sampler->source_draws = 0;
    sampler->place_count = 0;
    for (uint32_t i = 0; i < sampler->capacity; i++)
        if (sampler->source_of[i] == sampler->source)
            sampler->places[sampler->place_count++] = i;
    return sampler->place_count > 0;
}

/* Evenly drawn: whole blocks of the generator, few while little is wanted, none beyond the draws
 * after which the budget is looked at. */
static uint32_t even_draws(const struct prm_sampler *sampler)
{
    const uint32_t found = sampler->counts[sampler->source].kept;
    const uint32_t behind = (uint32_t)(sampler->source_draws % DRAWS_PER_STEP / PRM_MT_BLOCK);
    const uint32_t left = BLOCKS_PER_STEP - behind;
    double blocks = 1.0;
    if (sampler->source_draws > 0) {
        const double rate = fmax((double)found, 1.0) / (double)sampler->source_draws;
        blocks = ceil((sampler->place_count - found) / rate / PRM_MT_BLOCK);
    }
    return PRM_MT_BLOCK * (uint32_t)fmin(fmax(blocks, 1.0), left);
}

/* A block of uniform or Halton draws; counts only those up to the last one wanted. */
static enum prm_status even_block(struct prm_arena *arena, const struct prm_sampler *sampler,
                                  struct prm_sample_block *block, uint32_t wanted)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_space *space = sampler->scene->space;
    const uint32_t n = even_draws(sampler);
    const struct prm_share share = prm_share_of(context, n);
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];
    struct prm_buffer numbers, flags, survivors;
    uint32_t last = 0;

    *block = (struct prm_sample_block){.checked = n};
    prm_space_options(options, space);
    TRY(prm_arena_take(arena, &numbers, (size_t)n * space->dof * sizeof(float)));
    TRY(prm_arena_take(arena, &block->rows, (size_t)n * space->row * sizeof(float)));
    TRY(prm_arena_take(arena, &flags, prm_words(n)));
    TRY(prm_arena_take(arena, &block->kept, prm_words(n)));
    TRY(prm_arena_take(arena, &survivors, prm_words(1)));
    if (sampler->source == PRM_SAMPLE_HALTON)
        TRY(prm_random_halton(arena, numbers, n, space->dof, sampler->seed, sampler->source_draws));
    else
        TRY(prm_random_uniform(arena, numbers, (size_t)n * space->dof, sampler->seed,
                               sampler->source_draws * space->dof));
    TRY(prm_launch(context, PRM_KERNEL_SAMPLE_UNIFORM, options, share.items, share.group,
                   ARGS(ARG_BUFFER(block->rows), ARG_BUFFER(numbers), ARG_BUFFER(sampler->limits),
                        ARG_U32(n))));
    TRY(prm_collide_states(arena, flags, sampler->scene, block->rows, n));
    TRY(prm_compact_indices(arena, block->kept, survivors, flags, n));

    // read-back: how many are free, and where the last one wanted is
    TRY(prm_buffer_read(context, survivors, 0, &block->count, sizeof(block->count)));
    if (block->count >= wanted) {
        TRY(prm_buffer_read(context, block->kept, prm_words(wanted - 1), &last, sizeof(last)));
        block->count = wanted;
        block->checked = last + 1;
    }
    block->even = (uint32_t)block->checked;
    block->even_free = block->count;
cleanup:
    return status;
}

/* Whether the present source has found too little for what it has drawn. */
static bool is_spent(const struct prm_sampler *sampler)
{
    const struct prm_sample_count *count = &sampler->counts[sampler->source];
    const bool even = sampler->source <= PRM_SAMPLE_HALTON;
    if (even && sampler->source_draws % DRAWS_PER_STEP != 0)
        return false;
    return count->drawn > BUDGETS[sampler->source].least +
                              BUDGETS[sampler->source].per_milestone * (uint64_t)count->kept ||
           (!even && sampler->source_draws >= NARROW_DRAWS_MAX);
}

/* The next block of the present source; *done when it gives no more. */
static enum prm_status run_block(struct prm_arena *arena, struct prm_sampler *sampler,
                                 struct prm_buffer states, bool *done)
{
    struct prm_context *context = prm_arena_context(arena);
    struct prm_sample_count *counts = &sampler->counts[sampler->source];
    const bool even = sampler->source <= PRM_SAMPLE_HALTON;
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];
    struct prm_sample_block block;

    const uint32_t wanted = sampler->place_count - counts->kept;
    const uint32_t draws = even ? even_draws(sampler) : (uint32_t)PRM_NARROW_DRAWS;
    if (sampler->source_draws == 0)
        TRY(prm_buffer_write(context, sampler->device_places, 0, sampler->places,
                             prm_words(sampler->place_count)));
    TRY(even ? even_block(arena, sampler, &block, wanted)
             : prm_narrow_block(arena, sampler, &block));
    const uint32_t count = block.count < wanted ? block.count : wanted;
    const struct prm_share share = prm_share_of(context, count);
    prm_space_options(options, sampler->scene->space);
    TRY(prm_launch(context, PRM_KERNEL_SAMPLE_KEEP, options, share.items, share.group,
                   ARGS(ARG_BUFFER(states), ARG_BUFFER(block.rows), ARG_BUFFER(block.kept),
                        ARG_BUFFER(sampler->device_places), ARG_U32(counts->kept),
                        ARG_U32(count))));
    counts->kept += count;
    counts->drawn += block.checked;
    sampler->source_draws += draws;
    sampler->accepted += count;
    sampler->drawn += block.checked;
    sampler->even += block.even;
    sampler->even_free += block.even_free;

    // what a source cannot give is uniform's; what that cannot give is none
    *done = counts->kept == sampler->place_count;
    if (!*done && is_spent(sampler)) {
        const uint8_t next =
            sampler->source == PRM_SAMPLE_UNIFORM ? PRM_SOURCE_NONE : PRM_SAMPLE_UNIFORM;
        for (uint32_t i = counts->kept; i < sampler->place_count; i++)
            sampler->source_of[sampler->places[i]] = next;
        *done = true;
    }
cleanup:
    return status;
}

/* Closes the gaps that are left where nothing was found. */
static enum prm_status close_gaps(struct prm_arena *arena, struct prm_sampler *sampler,
                                  struct prm_buffer states)
{
    struct prm_context *context = prm_arena_context(arena);
    enum prm_status status = PRM_OK;
    uint32_t count = 0;

    if (sampler->accepted == 0)
        return prm_fault_set(PRM_NO_FREE_SPACE, "none of %llu samples drawn is free",
                             (unsigned long long)sampler->drawn);
    if (sampler->accepted == sampler->capacity || sampler->method == PRM_SAMPLE_LATTICE)
        return PRM_OK;
    for (uint32_t i = 0; i < sampler->capacity; i++)
        if (sampler->source_of[i] != PRM_SOURCE_NONE)
            sampler->places[count++] = i;
    TRY(prm_buffer_write(context, sampler->device_places, 0, sampler->places, prm_words(count)));
    TRY(prm_reorder_rows(arena, states, sampler->device_places, count, sampler->scene->space->row));
cleanup:
    return status;
}

enum prm_status prm_sampler_step(struct prm_arena *arena, struct prm_sampler *sampler,
                                 struct prm_buffer states, bool *done)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;
    bool source_done = true;

    if (sampler->method == PRM_SAMPLE_LATTICE) {
        TRY(prm_lattice_step(arena, sampler, states, done));
    } else if (sampler->source == PRM_SAMPLE_SOURCES) {
        TRY(place_anchors(arena, sampler, states));
    } else if (sampler->source == PRM_SAMPLE_TREES) {
        TRY(prm_trees_step(arena, sampler, states, &source_done));
    } else {
        TRY(run_block(arena, sampler, states, &source_done));
    }
    if (sampler->method != PRM_SAMPLE_LATTICE) {
        while (source_done && sampler->source > 0)
            source_done = !begin_source(sampler);
        *done = source_done;
    }
    if (*done)
        TRY(close_gaps(arena, sampler, states));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

double prm_sampler_share(const struct prm_sampler *sampler)
{
    const double found = (double)sampler->accepted / sampler->capacity;
    if (sampler->method == PRM_SAMPLE_LATTICE)
        return (double)sampler->drawn / sampler->capacity;
    if (sampler->source == PRM_SAMPLE_SOURCES)
        return 0.0;
    // a source near its bound is near its end
    const struct prm_sample_count *count = &sampler->counts[sampler->source];
    const double bound = (double)BUDGETS[sampler->source].least +
                         (double)BUDGETS[sampler->source].per_milestone * count->kept;
    return sampler->source == PRM_SAMPLE_UNIFORM ? fmax(found, (double)count->drawn / bound)
                                                 : found;
}

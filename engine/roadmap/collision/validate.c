#include "roadmap/collision/validate.h"

#include "device/try.h"
#include "roadmap/collision/edges.h"
#include "roadmap/nearest/neighbors.h"
#include "roadmap/plan/reason.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often the place of least clearance on a blocked motion is looked for, each time between the
 * neighbours of the last. */
enum { ROUNDS = 3 };

/* Where nothing is found so, a blocked motion is cut into parts, which are checked, and the first
 * that is blocked again: to a 4096th of it. */
enum { PARTS = 16, CUTS = 3 };
_Static_assert(2 * PARTS <= PRM_MOTION_PLACES, "a batch of places holds the ends of the parts");

/* Beyond any distance of milestones, and its square within float32. */
#define ANY_DISTANCE 1e18

/* Where the device's answers for a batch come from and go to. */
struct batch {
    struct prm_arena *arena;
    const struct prm_space *space;
    struct prm_scene scene;
    struct prm_judgement *judgements;
    float *rows;                  /* to be written */
    uint32_t *flags;              /* read back */
    struct clearance *clearances; /* read back */
    uint32_t *numbers;            /* which judgement each is of */
    size_t count;                 /* of numbers */
};

static void batch_deinit(struct batch *batch)
{
    free(batch->rows);
    free(batch->flags);
    free(batch->clearances);
    free(batch->numbers);
}

/* Room for `rows` rows and as many clearances, and for `count` judgements. */
static enum prm_status batch_init(struct batch *batch, struct prm_arena *arena,
                                  struct prm_judgement *judgements,
                                  const struct prm_roadmap *roadmap, const struct prm_world *world,
                                  size_t rows, size_t count)
{
    *batch = (struct batch){
        .arena = arena,
        .space = &roadmap->space,
        .scene = prm_roadmap_scene(roadmap, world),
        .judgements = judgements,
        .rows = calloc(rows * roadmap->space.row + 1, sizeof(float)),
        .flags = calloc(count + 1, sizeof(uint32_t)),
        .clearances = calloc(rows + 1, sizeof(struct clearance)),
        .numbers = calloc(count + 1, sizeof(uint32_t)),
    };
    if (batch->rows && batch->flags && batch->clearances && batch->numbers)
        return PRM_OK;
    return prm_fault_set(PRM_HOST_MEMORY, "no memory to judge %zu states", count);
}

/* Copies a state, clamped to limits that it passes within the tolerance; false: it passes one by
 * more, and the judgement says which. */
static bool take_inside(const struct prm_space *space, double *inside, const double *state,
                        struct prm_judgement *judgement)
{
    memcpy(inside, state, space->dof * sizeof(*state));
    const uint32_t outside = prm_space_clamp(space, inside, &judgement->clamped);
    if (outside == space->dof)
        return true;
    judgement->reason = prm_reason_of_limit(space, outside, state[outside]);
    return false;
}

/* The least clearances at `count` rows of the batch. */
static enum prm_status measure(struct batch *batch, size_t count)
{
    struct prm_context *context = prm_arena_context(batch->arena);
    const struct prm_arena_mark mark = prm_arena_mark(batch->arena);
    const size_t row_bytes = count * batch->space->row * sizeof(float);
    const size_t least_bytes = count * sizeof(struct clearance);
    enum prm_status status = PRM_OK;
    struct prm_buffer states, least;

    TRY(prm_arena_take(batch->arena, &states, row_bytes));
    TRY(prm_arena_take(batch->arena, &least, least_bytes));
    TRY(prm_buffer_write(context, states, 0, batch->rows, row_bytes));
    TRY(prm_collide_clearance(batch->arena, least, &batch->scene, states, count));
    TRY(prm_buffer_read(context, least, 0, batch->clearances, least_bytes));
cleanup:
    prm_arena_rewind(batch->arena, mark);
    return status;
}

/* ---- states ---- */

/* Which of the batch's rows are free. */
static enum prm_status check_states(struct batch *batch)
{
    struct prm_context *context = prm_arena_context(batch->arena);
    const struct prm_arena_mark mark = prm_arena_mark(batch->arena);
    const size_t row_bytes = batch->count * batch->space->row * sizeof(float);
    const size_t flag_bytes = batch->count * sizeof(uint32_t);
    enum prm_status status = PRM_OK;
    struct prm_buffer states, flags;

    TRY(prm_arena_take(batch->arena, &states, row_bytes));
    TRY(prm_arena_take(batch->arena, &flags, flag_bytes));
    TRY(prm_buffer_write(context, states, 0, batch->rows, row_bytes));
    TRY(prm_collide_states(batch->arena, flags, &batch->scene, states, batch->count));
    TRY(prm_buffer_read(context, flags, 0, batch->flags, flag_bytes));
cleanup:
    prm_arena_rewind(batch->arena, mark);
    return status;
}

enum prm_status prm_validate_states(struct prm_arena *arena, struct prm_judgement *judgements,
                                    const struct prm_roadmap *roadmap,
                                    const struct prm_world *world, const double *states,
                                    uint32_t count)
{
    const struct prm_space *space = &roadmap->space;
    enum prm_status status = PRM_OK;
    struct batch batch;

    TRY(batch_init(&batch, arena, judgements, roadmap, world, count, count));
    for (uint32_t i = 0; i < count; i++) {
        double inside[PRM_DOF_MAX];
        judgements[i] = (struct prm_judgement){.clearance = NAN};
        if (!take_inside(space, inside, states + (size_t)i * space->dof, &judgements[i]))
            continue;
        prm_space_to_row(space, batch.rows + batch.count * space->row, inside);
        batch.numbers[batch.count++] = i;
    }
    if (batch.count == 0)
        goto cleanup;
    TRY(check_states(&batch));
    TRY(measure(&batch, batch.count));
    for (size_t i = 0; i < batch.count; i++) {
        struct prm_judgement *judgement = &judgements[batch.numbers[i]];
        judgement->valid = batch.flags[i] != 0;
        judgement->clearance = (double)batch.clearances[i].value;
        if (!judgement->valid)
            judgement->reason = prm_reason_of_clearance(&batch.clearances[i]);
    }
cleanup:
    batch_deinit(&batch);
    return status;
}

/* ---- motions ---- */

/* A motion between states inside the limits, and the part of it where the least clearance is. */
struct motion {
    double from[PRM_DOF_MAX], to[PRM_DOF_MAX];
    double low, high;
};

/* Which motions the roadmap's edge check finds free. */
static enum prm_status check_motions(struct batch *batch, const struct motion *motions)
{
    struct prm_context *context = prm_arena_context(batch->arena);
    const struct prm_arena_mark mark = prm_arena_mark(batch->arena);
    const size_t row = batch->space->row, count = batch->count;
    enum prm_status status = PRM_OK;
    struct prm_buffer states, pairs, valid;

    // both ends of each, one after the other, and the pairs 0 1, 2 3 …
    uint32_t *ends = calloc(2 * count, sizeof(*ends));
    if (ends == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu motions", count);
    for (size_t i = 0; i < count; i++) {
        prm_space_to_row(batch->space, batch->rows + 2 * i * row, motions[i].from);
        prm_space_to_row(batch->space, batch->rows + (2 * i + 1) * row, motions[i].to);
        ends[2 * i] = (uint32_t)(2 * i);
        ends[2 * i + 1] = (uint32_t)(2 * i + 1);
    }
    TRY(prm_arena_take(batch->arena, &states, 2 * count * row * sizeof(float)));
    TRY(prm_arena_take(batch->arena, &pairs, 2 * count * sizeof(*ends)));
    TRY(prm_arena_take(batch->arena, &valid, count * sizeof(uint32_t)));
    TRY(prm_buffer_write(context, states, 0, batch->rows, 2 * count * row * sizeof(float)));
    TRY(prm_buffer_write(context, pairs, 0, ends, 2 * count * sizeof(*ends)));
    TRY(prm_edges_check(batch->arena, valid, &batch->scene, states, states, pairs, count));
    TRY(prm_buffer_read(context, valid, 0, batch->flags, count * sizeof(uint32_t)));
cleanup:
    free(ends);
    prm_arena_rewind(batch->arena, mark);
    return status;
}

/* The fraction of place p of a motion's part. */
static double place_of(const struct motion *motion, int p)
{
    return motion->low + (motion->high - motion->low) * p / (PRM_MOTION_PLACES - 1);
}

/* Takes the least of a motion's places over, where it is less than what is known, and leaves the
 * part about it. */
static void take_least(struct prm_judgement *judgement, struct motion *motion,
                       const struct clearance *places)
{
    int least = 0;
    for (int p = 1; p < PRM_MOTION_PLACES; p++)
        least = places[p].value < places[least].value ? p : least;
    if (isnan(judgement->clearance) || (double)places[least].value < judgement->clearance) {
        judgement->clearance = (double)places[least].value;
        judgement->fraction = place_of(motion, least);
        judgement->reason = prm_reason_of_clearance(&places[least]);
        judgement->reason.at = PRM_AT_EDGE;
    }
    const double low = place_of(motion, least > 0 ? least - 1 : 0);
    motion->high = place_of(motion, least + 1 < PRM_MOTION_PLACES ? least + 1 : least);
    motion->low = low;
}

/* The places of least clearance of all motions, or of those that are not free. */
static enum prm_status search_least(struct batch *batch, struct motion *motions, bool blocked_only)
{
    const struct prm_space *space = batch->space;
    enum prm_status status = PRM_OK;
    size_t rows = 0;

    for (size_t i = 0; i < batch->count; i++) {
        if (blocked_only && batch->flags[i])
            continue;
        for (int p = 0; p < PRM_MOTION_PLACES; p++) {
            double state[PRM_DOF_MAX];
            prm_space_interpolate(space, state, motions[i].from, motions[i].to,
                                  place_of(&motions[i], p));
            prm_space_to_row(space, batch->rows + rows++ * space->row, state);
        }
    }
    if (rows == 0)
        return PRM_OK;
    TRY(measure(batch, rows));
    rows = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (blocked_only && batch->flags[i])
            continue;
        take_least(&batch->judgements[batch->numbers[i]], &motions[i], batch->clearances + rows);
        rows += PRM_MOTION_PLACES;
    }
cleanup:
    return status;
}

/* Leaves of a blocked motion the first part that the edge check refuses. */
static enum prm_status narrow(struct batch *parts, struct motion *motion)
{
    const struct prm_space *space = parts->space;
    enum prm_status status = PRM_OK;
    struct motion *cut = calloc(PARTS, sizeof(*cut));
    if (cut == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for parts of a motion");

    motion->low = 0;
    motion->high = 1;
    for (int c = 0; c < CUTS; c++) {
        const double width = (motion->high - motion->low) / PARTS;
        uint32_t first = 0;
        for (int p = 0; p < PARTS; p++) {
            prm_space_interpolate(space, cut[p].from, motion->from, motion->to,
                                  motion->low + p * width);
            prm_space_interpolate(space, cut[p].to, motion->from, motion->to,
                                  motion->low + (p + 1) * width);
        }
        parts->count = PARTS;
        TRY(check_motions(parts, cut));
        while (first < PARTS && parts->flags[first])
            first++;
        // what is refused only as a whole comes too near somewhere in it
        if (first == PARTS)
            break;
        motion->low += first * width;
        motion->high = motion->low + width;
    }
cleanup:
    free(cut);
    return status;
}

/* Looks again for what is in the way of blocked motions where it has not been met. */
static enum prm_status search_blocked(struct batch *batch, struct motion *motions,
                                      const struct prm_roadmap *roadmap,
                                      const struct prm_world *world)
{
    enum prm_status status = PRM_OK;
    struct batch parts;

    TRY(batch_init(&parts, batch->arena, batch->judgements, roadmap, world, PRM_MOTION_PLACES,
                   PARTS));
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->flags[i] || batch->judgements[batch->numbers[i]].clearance <= 0)
            continue;
        TRY(narrow(&parts, &motions[i]));
        parts.numbers[0] = batch->numbers[i];
        parts.count = 1;
        TRY(search_least(&parts, &motions[i], false));
    }
cleanup:
    batch_deinit(&parts);
    return status;
}

/* The ends of motion i; false: one is outside its limits. */
static bool lay_out(const struct prm_space *space, struct motion *motion,
                    struct prm_judgement *judgement, const double *from, const double *to)
{
    *motion = (struct motion){.high = 1};
    *judgement = (struct prm_judgement){.clearance = NAN};
    const bool begins = take_inside(space, motion->from, from, judgement);
    const bool inside = begins && take_inside(space, motion->to, to, judgement);
    judgement->reason.at = PRM_AT_EDGE;
    judgement->fraction = begins && !inside;
    return inside;
}

enum prm_status prm_validate_motions(struct prm_arena *arena, struct prm_judgement *judgements,
                                     const struct prm_roadmap *roadmap,
                                     const struct prm_world *world, const double *states,
                                     const uint32_t *pairs, uint32_t count)
{
    const size_t dof = roadmap->space.dof;
    struct motion *motions = calloc((size_t)count + 1, sizeof(*motions));
    enum prm_status status = PRM_OK;
    struct batch batch;

    TRY(batch_init(&batch, arena, judgements, roadmap, world, (size_t)count * PRM_MOTION_PLACES,
                   count));
    if (motions == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %u motions", count);
        goto cleanup;
    }
    for (uint32_t i = 0; i < count; i++) {
        const double *from = states + pairs[2 * (size_t)i] * dof;
        const double *to = states + pairs[2 * (size_t)i + 1] * dof;
        if (lay_out(&roadmap->space, &motions[batch.count], &judgements[i], from, to))
            batch.numbers[batch.count++] = i;
    }
    if (batch.count == 0)
        goto cleanup;
    TRY(check_motions(&batch, motions));
    for (int round = 0; round < ROUNDS; round++)
        TRY(search_least(&batch, motions, round > 0));
    TRY(search_blocked(&batch, motions, roadmap, world));
    for (size_t i = 0; i < batch.count; i++) {
        struct prm_judgement *judgement = &judgements[batch.numbers[i]];
        judgement->valid = batch.flags[i] != 0;
        if (judgement->valid)
            judgement->reason = (struct prm_reason){0};
    }
cleanup:
    free(motions);
    batch_deinit(&batch);
    return status;
}

/* ---- milestones ---- */

/* How many neighbours are searched for where k are wanted: as many as plans do, whose kernels are
 * there, else few different numbers, as each has kernels of its own. */
static uint32_t searched_for(const struct prm_roadmap *roadmap, uint32_t k)
{
    uint32_t wide = roadmap->params.k;
    while (wide < k)
        wide = 2 * wide < PRM_NEIGHBORS_MAX ? 2 * wide : PRM_NEIGHBORS_MAX;
    return wide;
}

enum prm_status prm_nearest_milestones(struct prm_arena *arena, uint32_t *ids, float *distances,
                                       double *found, const struct prm_roadmap *roadmap,
                                       const double *states, uint32_t count, uint32_t k)
{
    const struct prm_space *space = &roadmap->space;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const size_t row_bytes = (size_t)count * space->row * sizeof(float);
    if (k < 1 || k > PRM_NEIGHBORS_MAX)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "%u neighbours, not 1 to %d", k,
                             PRM_NEIGHBORS_MAX);
    const uint32_t wide = searched_for(roadmap, k);
    const size_t list = (size_t)count * wide;
    uint32_t *all_ids = NULL;
    float *all_distances = NULL;
    struct prm_buffer rows_device, embedded, indices, lengths;
    enum prm_status status = PRM_OK;

    if (count == 0)
        return PRM_OK;
    float *rows = malloc(row_bytes);
    all_ids = malloc(list * sizeof(*all_ids));
    all_distances = malloc(list * sizeof(*all_distances));
    if (rows == NULL || all_ids == NULL || all_distances == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %u states", count);
        goto cleanup;
    }
    for (size_t i = 0; i < count; i++)
        prm_space_to_row(space, rows + i * space->row, states + i * space->dof);
    TRY(prm_arena_take(arena, &rows_device, row_bytes));
    TRY(prm_arena_take(arena, &indices, list * sizeof(*ids)));
    TRY(prm_arena_take(arena, &lengths, list * sizeof(*distances)));
    TRY(prm_buffer_write(context, rows_device, 0, rows, row_bytes));
    TRY(prm_embedding_take(arena, &embedded, rows_device, space, count));
    TRY(prm_neighbors_foreign(arena, indices, lengths, roadmap->index, embedded, count, wide,
                              ANY_DISTANCE));
    TRY(prm_buffer_read(context, indices, 0, all_ids, list * sizeof(*all_ids)));
    TRY(prm_buffer_read(context, lengths, 0, all_distances, list * sizeof(*all_distances)));
    for (size_t i = 0; i < (size_t)count * k; i++) {
        ids[i] = all_ids[i / k * wide + i % k];
        distances[i] = all_distances[i / k * wide + i % k];
        if (ids[i] != NONE_U32)
            prm_space_from_row(space, found + i * space->dof,
                               roadmap->host_states + (size_t)ids[i] * space->row);
    }
cleanup:
    free(rows);
    free(all_ids);
    free(all_distances);
    prm_arena_rewind(arena, mark);
    return status;
}

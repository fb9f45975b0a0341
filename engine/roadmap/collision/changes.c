/* Boxes of what has changed; launches of kernels/changes.cl. */
#include "roadmap/collision/changes.h"

#include "device/try.h"
#include "kernels/change_types.h"
#include "roadmap/collision/edges.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/world/field.h"
#include "roadmap/world/world_parts.h"

#include <math.h>
#include <stdlib.h>

/* More boxes are no quicker to look through than edges are to check. */
enum { BOXES_MAX = 256 };

/* Boxes compared in a step, of a reference point; and what a robot's body costs in these. */
enum { BOXES_PER_STEP = 1 << 19, BODY_BOXES = 16 };

/* What rounding of a shape and of a distance to it may amount to, in units of 2^-24 of the greatest
 * coordinates involved: world_shapes.c, whose greatest sum is below a quarter of this. */
#define ROUNDING_UNITS 256.0

/* Whether the obstacle is kept as one box or as solids, whose reach a box bounds. */
static bool has_box(const struct prm_obstacle *obstacle)
{
    struct prm_field_plan field;
    if (obstacle->disabled)
        return true;
    return obstacle->kind != PRM_OBSTACLE_GRID && prm_field_plan(&field, obstacle, 0) == PRM_OK &&
           field.values == 0;
}

bool prm_changes_are_local(const struct prm_world *before, const struct prm_world *after,
                           const struct prm_difference *difference)
{
    if (difference->gone_count > BOXES_MAX || difference->come_count > BOXES_MAX ||
        difference->gone_count + difference->come_count > BOXES_MAX)
        return false;
    for (uint32_t i = 0; i < difference->gone_count; i++)
        if (!has_box(&difference->gone[i]))
            return false;
    for (uint32_t i = 0; i < difference->come_count; i++)
        if (!has_box(&difference->come[i]))
            return false;
    for (int c = 0; c < 3; c++)
        if (before->center[c] < after->center[c] || before->center[c] > after->center[c])
            return false;
    return before->dimension == after->dimension && !(before->margin < after->margin) &&
           !(before->margin > after->margin);
}

/* The box about an obstacle in the local frame, as far as rounding may move it. */
static struct change_box box_of(const struct prm_obstacle *obstacle, const struct prm_world *world,
                                bool gone)
{
    const struct prm_bounds bounds = prm_obstacle_bounds(obstacle);
    struct change_box box = {.gone = gone};
    double farthest = world->extent;
    for (uint32_t c = 0; c < world->dimension; c++)
        farthest = fmax(farthest, fmax(fabs(bounds.lower[c] - world->center[c]),
                                       fabs(bounds.upper[c] - world->center[c])));
    const double grown = obstacle->padding + ROUNDING_UNITS * PRM_UNIT_ROUNDOFF * farthest;
    for (uint32_t c = 0; c < 3; c++) {
        const bool flat = c >= world->dimension;
        box.lower[c] =
            flat ? -INFINITY : -prm_round_up(-(bounds.lower[c] - world->center[c] - grown));
        box.upper[c] = flat ? INFINITY : prm_round_up(bounds.upper[c] - world->center[c] + grown);
    }
    return box;
}

enum prm_status prm_changes_init(struct prm_changes *changes, const struct prm_world *world,
                                 const struct prm_difference *difference)
{
    enum prm_status status = PRM_OK;
    struct change_box boxes[BOXES_MAX];

    *changes = (struct prm_changes){0};
    for (uint32_t i = 0; i < difference->gone_count; i++)
        if (!difference->gone[i].disabled)
            boxes[changes->count++] = box_of(&difference->gone[i], world, true);
    for (uint32_t i = 0; i < difference->come_count; i++)
        if (!difference->come[i].disabled)
            boxes[changes->count++] = box_of(&difference->come[i], world, false);
    TRY(prm_buffer_upload(world->context, &changes->boxes, boxes, changes->count * sizeof(*boxes)));
cleanup:
    return status;
}

void prm_changes_deinit(struct prm_context *context, struct prm_changes *changes)
{
    prm_buffer_destroy(context, &changes->boxes);
}

uint32_t prm_changes_per_step(const struct prm_changes *changes, const struct prm_roadmap *roadmap)
{
    const struct prm_robot *robot = roadmap->robot;
    const uint32_t by_edge = changes->count * (1 + robot->link_count) + BODY_BOXES +
                             BODY_BOXES * (robot->body_count + robot->link_count);
    return BOXES_PER_STEP / by_edge + 1;
}

enum prm_status prm_changes_mark(const struct prm_changes *changes, struct prm_buffer flags,
                                 struct prm_buffer valid, const struct prm_roadmap *roadmap,
                                 const struct prm_scene *scene, uint32_t first, uint32_t count)
{
    struct prm_context *context = roadmap->context;
    const struct prm_share share = prm_share_of(context, count);
    char options[PRM_SCENE_OPTIONS_MAX];

    prm_scene_options(options, context, scene);
    return prm_launch(context, PRM_KERNEL_CHANGES_MARK, options, share.items, share.group,
                      ARGS(ARG_BUFFER(flags), ARG_BUFFER(roadmap->states),
                           ARG_BUFFER(roadmap->edges), ARG_BUFFER(valid),
                           ARG_BUFFER(changes->boxes), ARG_U32(changes->count), ARG_U32(first),
                           ARG_U32(count), SCENE_ARGS(scene)));
}

enum prm_status prm_changes_check(struct prm_arena *arena, struct prm_buffer valid,
                                  struct prm_buffer list, const struct prm_roadmap *roadmap,
                                  const struct prm_scene *scene, uint32_t first, uint32_t count)
{
    struct prm_context *context = roadmap->context;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_share share = prm_share_of(context, count);
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];
    struct prm_buffer pairs, checked;

    prm_scene_options(options, context, scene);
    TRY(prm_arena_take(arena, &pairs, 2 * prm_words(count)));
    TRY(prm_arena_take(arena, &checked, prm_words(count)));
    TRY(prm_launch(context, PRM_KERNEL_CHANGES_TAKE, options, share.items, share.group,
                   ARGS(ARG_BUFFER(pairs), ARG_BUFFER(roadmap->edges), ARG_BUFFER(list),
                        ARG_U32(first), ARG_U32(count))));
    TRY(prm_edges_check(arena, checked, scene, roadmap->states, roadmap->states, pairs, count));
    TRY(prm_launch(context, PRM_KERNEL_CHANGES_PUT, options, share.items, share.group,
                   ARGS(ARG_BUFFER(valid), ARG_BUFFER(checked), ARG_BUFFER(list), ARG_U32(first),
                        ARG_U32(count))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Is the straight motion between two configurations free? The one routine of roadmap, connections
 * and shortcuts.
 *
 * Certified (the default). Point and ball: the least distance of the swept reference point to each
 * obstacle, in closed form or by certified bisection, less padding and the body's radius, must
 * exceed the margin. The broad phase cuts the motion into pieces of about a tile's edge and looks
 * up the tiles that each piece touches; an obstacle found is tested against the whole motion, so
 * that the answer does not depend on the tiles. Robots with spheres: certified intervals
 * (intervals.h).
 *
 * -D EDGE_SAMPLED: configurations at most `step` apart instead, each tested as above; for
 * comparison. With -D ROW, DOF … of metric.h and, for a robot with spheres, those of intervals.h.
 * Takes rows in registers (row_load).
 */
#ifndef KERNELS_EDGES_H
#define KERNELS_EDGES_H

#include "broad_phase.h"
#include "field.h"
#include "geometry.h"
#include "grid.h"
#include "language.h"
#include "metric.h"
#include "scene.h"

#ifdef BODIES
#include "intervals.h"
#endif

/* Pieces of a motion at most: beyond, their boxes grow instead. */
#define EDGE_PIECES_MAX 4096u
/* Obstacles remembered as tested: those that lie in several tiles come again within a few steps. */
#define EDGE_RECENT 4
/* What a cull by the ball about an obstacle keeps for roundings, as a share of what it adds up:
 * thrice those of the distances that it spares. */
#define EDGE_CULL_SHARE 2e-5f
/* Samples of a motion at most. */
#define EDGE_SAMPLES_MAX 65536u

/* Whether the segment a b keeps more than `reach` from the padded shape. */
static inline int shape_is_clear(const struct scene *scene, u32 index, struct vec3 a, struct vec3 b,
                                 f32 reach)
{
    GLOBAL const struct shape *shape = scene->shapes + index;
    const f32 enough = reach + shape->padding;
    return shape_segment_distance(shape, scene->polygons, a, b, enough) > enough;
}

/* The obstacles in the tiles that the piece p q touches, tested against the whole motion a b.
 * recent: u32[EDGE_RECENT], indices of shapes tested last. */
static inline int piece_is_clear(const struct scene *scene, struct vec3 p, struct vec3 q,
                                 struct vec3 a, struct vec3 b, f32 reach, u32 *recent)
{
    GLOBAL const struct tile_grid *tiles = scene->tiles;
    struct tile_box box;
    u32 oldest = 0;
    tile_box_about(&box, tiles, p, q, reach + scene->margin);

    for (u32 z = box.low[2]; z <= box.high[2]; z++) {
        for (u32 y = box.low[1]; y <= box.high[1]; y++) {
            const u32 row = tile_row(tiles, y, z);
            const u32 end = scene->tile_offsets[row + box.high[0] + 1];
            for (u32 m = scene->tile_offsets[row + box.low[0]]; m < end; m++) {
                const u32 index = scene->tile_members[m];
                int known = 0;
                for (u32 i = 0; i < EDGE_RECENT; i++)
                    known |= recent[i] == index;
                if (known)
                    continue;
                if (!shape_is_clear(scene, index, a, b, reach) &&
                    !is_allowed(scene, 0, scene->shapes[index].obstacle))
                    return 0;
                recent[oldest] = index;
                oldest = (oldest + 1) % EDGE_RECENT;
            }
        }
    }
    return 1;
}

/* Certified: whether the body keeps more than the margin from everything while its reference point
 * goes straight between `from` and `to`; the same answer, to the last bit, both ways. */
static inline int segment_is_free(const struct scene *scene, struct vec3 from, struct vec3 to)
{
    const f32 reach = scene->radius + scene->margin;
    const int turned =
        from.x != to.x ? from.x > to.x : (from.y != to.y ? from.y > to.y : from.z > to.z);
    const struct vec3 a = turned ? to : from, b = turned ? from : to;

    // grids are in no tile
    for (u32 g = 0; g < scene->grid_count; g++) {
        GLOBAL const struct shape *shape =
            scene->shapes + (scene->shape_count - scene->grid_count) + g;
        if (!grid_segment_is_clear(scene->grids + shape->first, scene->cells, a, b,
                                   reach + shape->padding) &&
            !is_allowed(scene, 0, shape->obstacle))
            return 0;
    }
    // nor are fields, which come after them
    for (u32 f = 0; f < scene->field_count; f++) {
        GLOBAL const struct shape *shape = scene->shapes + scene->shape_count + f;
        if (!field_segment_is_clear(scene->fields + shape->first, scene->field_values, a, b,
                                    reach + shape->padding) &&
            !is_allowed(scene, 0, shape->obstacle))
            return 0;
    }
    if (scene->shape_count == scene->grid_count)
        return 1;

    const f32 tiles_along = vec3_reach(vec3_sub(b, a)) * scene->tiles->inverse_edge;
    const u32 pieces =
        tiles_along < (f32)(EDGE_PIECES_MAX - 1) ? 1 + (u32)tiles_along : EDGE_PIECES_MAX;
    u32 recent[EDGE_RECENT] = {NONE_U32, NONE_U32, NONE_U32, NONE_U32};
    struct vec3 p = a;
    for (u32 i = 1; i <= pieces; i++) {
        const struct vec3 q = i < pieces ? vec3_mix(a, b, (f32)i / (f32)pieces) : b;
        if (!piece_is_clear(scene, p, q, a, b, reach, recent))
            return 0;
        p = q;
    }
    return 1;
}

#ifdef BODIES

/* Whether the robot at `row` keeps more than the margin from everything and from itself. */
static inline int state_is_free(const struct scene *scene, const f32 *row)
{
    struct findings found = {lane_first(0), 1, 0};
    struct travel still;
    struct pose pose;
    lane_f32 rows[DOF];
    travel_nothing(&still);
    row_spread(rows, row);
    pose_of(&pose, scene->bodies, rows);
    bodies_hit(scene, &found, &pose, rows, &still, rows[0] * 0.0f, lane_first(1));
    return !lane_any(found.hit);
}

#else

/* Whether all obstacles in the tiles about p keep clear of the body at p. */
static inline int point_is_clear(const struct scene *scene, struct vec3 p, f32 reach)
{
    GLOBAL const struct tile_grid *tiles = scene->tiles;
    struct tile_box box;
    tile_box_about(&box, tiles, p, p, reach + scene->margin);

    for (u32 z = box.low[2]; z <= box.high[2]; z++) {
        for (u32 y = box.low[1]; y <= box.high[1]; y++) {
            const u32 row = tile_row(tiles, y, z);
            const u32 end = scene->tile_offsets[row + box.high[0] + 1];
            for (u32 m = scene->tile_offsets[row + box.low[0]]; m < end; m++) {
                const u32 index = scene->tile_members[m];
                GLOBAL const struct shape *shape = scene->shapes + index;
                const struct vec3 away = vec3_make(p.x - shape->center[0], p.y - shape->center[1],
                                                   p.z - shape->center[2]);
                const f32 near =
                    (1.0f + EDGE_CULL_SHARE) * (reach + shape->padding + shape->around);
                if (vec3_dot(away, away) <= near * near &&
                    !shape_is_clear(scene, index, p, p, reach) &&
                    !is_allowed(scene, 0, shape->obstacle))
                    return 0;
            }
        }
    }
    return 1;
}

/* Whether the robot at `row` keeps more than the margin from everything: what segment_is_free()
 * says of the segment that is a point, by shorter ways. */
static inline int state_is_free(const struct scene *scene, const f32 *row)
{
    const struct vec3 p = row_position(row);
    const f32 reach = scene->radius + scene->margin;
    const u32 solids = scene->shape_count - scene->grid_count;

    // grids and fields are in no tile
    for (u32 i = solids; i < scene->shape_count + scene->field_count; i++) {
        GLOBAL const struct shape *shape = scene->shapes + i;
        const f32 enough = reach + shape->padding;
        const int clear = i < scene->shape_count
                              ? grid_point_is_clear(scene->grids + shape->first, scene->cells,
                                                    scene->field_values, p, enough)
                              : field_point_is_clear(scene->fields + shape->first,
                                                     scene->field_values, p, enough);
        if (!clear && !is_allowed(scene, 0, shape->obstacle))
            return 0;
    }
    return solids == 0 || point_is_clear(scene, p, reach);
}

#endif

/* Whether the straight motion from row a to row b is free, both ends included. */
static inline int edge_is_free(const struct scene *scene, const f32 *a, const f32 *b)
{
#if defined(EDGE_SAMPLED)
    const f32 steps = metric_distance(a, b) / scene->step;
    const u32 count = steps < (f32)(EDGE_SAMPLES_MAX - 1) ? 1 + (u32)steps : EDGE_SAMPLES_MAX;
    f32 row[ROW];
    for (u32 i = 0; i < count; i++) {
        metric_interpolate(row, a, b, (f32)i / (f32)count);
        if (!state_is_free(scene, row))
            return 0;
    }
    return state_is_free(scene, b);
#elif defined(BODIES)
    struct motion motion;
    motion_make(scene, &motion, a, b);
    return motion_is_free(scene, &motion);
#else
    return segment_is_free(scene, row_position(a), row_position(b));
#endif
}

#endif

/* How points of several configurations lie to a shape: the lanes of a vector. Polygons, triangles,
 * grids and fields, which have no form in lanes, are asked lane by lane.
 *
 * With -D of kinematics.h.
 */
#ifndef KERNELS_SHAPE_LANES_H
#define KERNELS_SHAPE_LANES_H

#include "field.h"
#include "geometry.h"
#include "grid.h"
#include "kinematics.h"
#include "scene.h"

/* The direction (x, y, z) of the local frame in the shape's own frame. */
static inline struct lane_vec3 shape_own_direction(GLOBAL const struct shape *shape, lane_f32 x,
                                                   lane_f32 y, lane_f32 z)
{
    GLOBAL const f32 *m = shape->rotation;
    struct lane_vec3 own;
    own.x = m[0] * x + m[3] * y + m[6] * z;
    own.y = m[1] * x + m[4] * y + m[7] * z;
    own.z = m[2] * x + m[5] * y + m[8] * z;
    return own;
}

/* p of the local frame in the shape's own frame. */
static inline struct lane_vec3 shape_own_lanes(GLOBAL const struct shape *shape, struct lane_vec3 p)
{
    return shape_own_direction(shape, p.x - shape->center[0], p.y - shape->center[1],
                               p.z - shape->center[2]);
}

/* The way to a point from the closest one of a solid that is not rounded or padded yet, in the
 * shape's own frame. own: the point there. */
static inline struct lane_vec3 shape_away(GLOBAL const struct shape *shape, struct lane_vec3 own)
{
    const f32 h = shape->half_size[0], k = shape->half_size[1], l = shape->half_size[2];
    const lane_f32 above = own.z - lane_max(lane_min(own.z, l), -l);
    struct lane_vec3 away = own;
    switch (shape->kind) {
    case SHAPE_CAPSULE:
        away.z = above;
        break;
    case SHAPE_CYLINDER: {
        const lane_f32 far = f32_sqrt(own.x * own.x + own.y * own.y);
        const lane_f32 share = lane_max(far - shape->radius, 0.0f) / lane_max(far, 1e-30f);
        away.x = own.x * share;
        away.y = own.y * share;
        away.z = above;
        break;
    }
    case SHAPE_BOX:
        away.x = own.x - lane_max(lane_min(own.x, h), -h);
        away.y = own.y - lane_max(lane_min(own.y, k), -k);
        away.z = above;
        break;
    default:
        break;
    }
    return away;
}

/* Whether one point keeps more than `reach` from a padded shape that has no form in lanes. home:
 * the robot's reference point, whose class of terrain it keeps to. */
static inline int shape_point_is_clear(const struct scene *scene, GLOBAL const struct shape *shape,
                                       struct vec3 p, f32 reach, struct vec3 home)
{
    if (shape->kind == SHAPE_FIELD)
        return field_point_is_clear(scene->fields + shape->first, scene->field_values, p, reach);
    if (shape->kind == SHAPE_GRID) {
        GLOBAL const struct grid *grid = scene->grids + shape->first;
        const struct vec3 at = grid_own(grid, p), from = grid_own(grid, home);
        const u32 kind =
            grid_class(grid, scene->cells, (i32)f32_floor(from.x), (i32)f32_floor(from.y));
        return grid_class(grid, scene->cells, (i32)f32_floor(at.x), (i32)f32_floor(at.y)) == kind &&
               grid_point_is_clear(grid, scene->cells, scene->field_values, p, reach);
    }
    return shape_segment_distance(shape, scene->polygons, p, p, reach) > reach;
}

/* The active lanes in which p is not farther than `reach` from the padded shape, lane by lane. */
static inline lane_i32 shape_near_each(const struct scene *scene, GLOBAL const struct shape *shape,
                                       struct lane_vec3 p, lane_f32 reach, struct lane_vec3 home,
                                       lane_i32 active)
{
    f32 x[BODY_LANES], y[BODY_LANES], z[BODY_LANES], r[BODY_LANES], u[BODY_LANES], v[BODY_LANES],
        near[BODY_LANES];
    const u32 bits = lane_bits(active);
    lane_store(p.x, x);
    lane_store(p.y, y);
    lane_store(p.z, z);
    lane_store(reach, r);
    lane_store(home.x, u);
    lane_store(home.y, v);
    for (u32 lane = 0; lane < BODY_LANES; lane++) {
        near[lane] = 0.0f;
        if ((bits >> lane) & 1u)
            near[lane] = shape_point_is_clear(scene, shape, vec3_make(x[lane], y[lane], z[lane]),
                                              r[lane], vec3_make(u[lane], v[lane], 0.0f))
                             ? 0.0f
                             : 1.0f;
    }
    return active & (lane_load(near) > 0.0f);
}

/* The active lanes in which p is not farther than `reach` from the padded shape. Squares are
 * compared: their rounding is within the robot's margin. */
static inline lane_i32 shape_near(const struct scene *scene, GLOBAL const struct shape *shape,
                                  struct lane_vec3 p, lane_f32 reach, struct lane_vec3 home,
                                  lane_i32 active)
{
    const struct lane_vec3 own = shape_own_lanes(shape, p);
    const lane_f32 ax = lane_abs(own.x), ay = lane_abs(own.y), az = lane_abs(own.z);
    const lane_f32 padded = reach + shape->padding;
    const lane_f32 limit = padded + shape->rounding * lane_max(lane_max(ax, ay), az);
    lane_f32 x = ax, y = ay, z = az, within = limit + shape->radius;

    switch (shape->kind) {
    case SHAPE_SPHERE:
        break;
    case SHAPE_CAPSULE:
        z = lane_max(az - shape->half_size[2], 0.0f);
        break;
    case SHAPE_CYLINDER:
        x = lane_max(f32_sqrt(ax * ax + ay * ay) - shape->radius, 0.0f);
        y = x * 0.0f;
        z = lane_max(az - shape->half_size[2], 0.0f);
        within = limit;
        break;
    case SHAPE_BOX:
        x = lane_max(ax - shape->half_size[0], 0.0f);
        y = lane_max(ay - shape->half_size[1], 0.0f);
        z = lane_max(az - shape->half_size[2], 0.0f);
        within = limit;
        break;
    default:
        return shape_near_each(scene, shape, p, padded, home, active);
    }
    return active & (x * x + y * y + z * z <= within * within);
}

/* The active lanes in which two points are not farther apart than `reach`. */
static inline lane_i32 points_near(struct lane_vec3 p, struct lane_vec3 q, lane_f32 reach,
                                   lane_i32 active)
{
    const lane_f32 x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    return active & (x * x + y * y + z * z <= reach * reach);
}

#endif

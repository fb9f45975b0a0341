/* Which of several configurations of a robot with spheres hit something, or may while they move by
 * stated bounds.
 *
 * Balls first: the ball about a link against an obstacle, then those about its groups of spheres,
 * then the spheres; pairs of links in the same way. A level is left as soon as no lane is near. A
 * ball hits what is not farther than its radius, the margin, the obstacle's padding and what it may
 * move. Obstacles are all tried where they are few, else those in the tiles that the balls touch.
 * Distances are those of points to solids in lanes; polygons, triangles and grids are asked lane by
 * lane.
 *
 * -D LINKS=n, -D PAIRS=n: of the robot (robot_types.h). With -D BODIES of kinematics.h.
 */
#ifndef KERNELS_BODIES_H
#define KERNELS_BODIES_H

#include "broad_phase.h"
#include "geometry.h"
#include "grid.h"
#include "kinematics.h"
#include "scene.h"

#if !defined(LINKS) || !defined(PAIRS)
#error "LINKS and PAIRS must be the numbers of the robot's links and of pairs of them"
#endif

/* How far links move, and pairs of links against each other, over a whole motion: metres. */
struct travel {
    f32 links[LINKS + 1];
    f32 pairs[PAIRS + 1];
};

/* p of the local frame in the shape's own frame. */
static inline struct lane_vec3 shape_own_lanes(GLOBAL const struct shape *shape, struct lane_vec3 p)
{
    GLOBAL const f32 *m = shape->rotation;
    const lane_f32 x = p.x - shape->center[0], y = p.y - shape->center[1],
                   z = p.z - shape->center[2];
    struct lane_vec3 own;
    own.x = m[0] * x + m[3] * y + m[6] * z;
    own.y = m[1] * x + m[4] * y + m[7] * z;
    own.z = m[2] * x + m[5] * y + m[8] * z;
    return own;
}

/* The lanes in which the shape is not farther from p than `reach`, for kinds without a form in
 * lanes. */
static inline lane_i32 shape_near_each(const struct scene *scene, GLOBAL const struct shape *shape,
                                       struct lane_vec3 p, lane_f32 reach, lane_i32 active)
{
    f32 x[BODY_LANES], y[BODY_LANES], z[BODY_LANES], r[BODY_LANES], near[BODY_LANES];
    const u32 bits = lane_bits(active);
    lane_store(p.x, x);
    lane_store(p.y, y);
    lane_store(p.z, z);
    lane_store(reach, r);
    for (u32 lane = 0; lane < BODY_LANES; lane++) {
        near[lane] = 0.0f;
        if (!((bits >> lane) & 1u))
            continue;
        const struct vec3 at = vec3_make(x[lane], y[lane], z[lane]);
        if (!(shape_segment_distance(shape, scene->polygons, at, at, r[lane]) > r[lane]))
            near[lane] = 1.0f;
    }
    return active & (lane_load(near) > 0.0f);
}

/* The lanes in which the shape is not farther from p than `reach` beyond its padding. Squares are
 * compared: their rounding is within the robot's margin. */
static inline lane_i32 shape_near(const struct scene *scene, GLOBAL const struct shape *shape,
                                  struct lane_vec3 p, lane_f32 reach, lane_i32 active)
{
    const lane_f32 padded = reach + shape->padding;
    const struct lane_vec3 own = shape_own_lanes(shape, p);
    const lane_f32 ax = lane_abs(own.x), ay = lane_abs(own.y), az = lane_abs(own.z);
    const lane_f32 limit = padded + shape->rounding * lane_max(lane_max(ax, ay), az);

    switch (shape->kind) {
    case SHAPE_SPHERE: {
        const lane_f32 r = limit + shape->radius;
        return active & (ax * ax + ay * ay + az * az <= r * r);
    }
    case SHAPE_CAPSULE: {
        const lane_f32 z = lane_max(az - shape->half_size[2], 0.0f), r = limit + shape->radius;
        return active & (ax * ax + ay * ay + z * z <= r * r);
    }
    case SHAPE_CYLINDER: {
        const lane_f32 side = lane_max(f32_sqrt(ax * ax + ay * ay) - shape->radius, 0.0f);
        const lane_f32 end = lane_max(az - shape->half_size[2], 0.0f);
        return active & (side * side + end * end <= limit * limit);
    }
    case SHAPE_BOX: {
        const lane_f32 x = lane_max(ax - shape->half_size[0], 0.0f);
        const lane_f32 y = lane_max(ay - shape->half_size[1], 0.0f);
        const lane_f32 z = lane_max(az - shape->half_size[2], 0.0f);
        return active & (x * x + y * y + z * z <= limit * limit);
    }
    default:
        return shape_near_each(scene, shape, p, padded, active);
    }
}

/* The lanes in which the link hits a shape, its ball being near. grown: margin and what the link may
 * move. */
static inline lane_i32 link_hits_near(const struct scene *scene, GLOBAL const struct body_link *link,
                                      const struct frame *frame, GLOBAL const struct shape *shape,
                                      lane_f32 grown, lane_i32 near)
{
    lane_i32 hit = (lane_i32)0;
    for (u32 g = link->group_first; g < link->group_first + link->group_count; g++) {
        GLOBAL const struct sphere_group *group = scene->groups + g;
        const struct lane_vec3 c =
            frame_point(frame, group->center[0], group->center[1], group->center[2]);
        const lane_i32 close = shape_near(scene, shape, c, grown + group->radius, near);
        if (!lane_any(close))
            continue;
        if (group->sphere_count == 1) {
            hit |= close;
            continue;
        }
        for (u32 s = group->sphere_first; s < group->sphere_first + group->sphere_count; s++) {
            GLOBAL const struct body_sphere *sphere = scene->spheres + s;
            const struct lane_vec3 p =
                frame_point(frame, sphere->center[0], sphere->center[1], sphere->center[2]);
            hit |= shape_near(scene, shape, p, grown + sphere->radius, close);
        }
    }
    return hit;
}

/* The lanes in which the link hits shape `index`. c: the centre of its ball. */
static inline lane_i32 link_hits_shape(const struct scene *scene, u32 index,
                                       GLOBAL const struct body_link *link,
                                       const struct frame *frame, struct lane_vec3 c,
                                       lane_f32 grown, lane_i32 active)
{
    GLOBAL const struct shape *shape = scene->shapes + index;
    const lane_i32 near = shape_near(scene, shape, c, grown + link->radius, active);
    if (!lane_any(near) || is_allowed(scene, link->link, shape->obstacle))
        return (lane_i32)0;
    return link_hits_near(scene, link, frame, shape, grown, near);
}

/* The box about the balls of the active lanes: corners low and high. */
static inline void balls_box(struct vec3 *low, struct vec3 *high, struct lane_vec3 c, lane_f32 reach,
                             lane_i32 active)
{
    f32 x[BODY_LANES], y[BODY_LANES], z[BODY_LANES], r[BODY_LANES];
    const u32 bits = lane_bits(active);
    lane_store(c.x, x);
    lane_store(c.y, y);
    lane_store(c.z, z);
    lane_store(reach, r);
    *low = vec3_make(GEOMETRY_INFINITY, GEOMETRY_INFINITY, GEOMETRY_INFINITY);
    *high = vec3_make(-GEOMETRY_INFINITY, -GEOMETRY_INFINITY, -GEOMETRY_INFINITY);
    for (u32 lane = 0; lane < BODY_LANES; lane++) {
        if (!((bits >> lane) & 1u))
            continue;
        low->x = f32_min(low->x, x[lane] - r[lane]);
        low->y = f32_min(low->y, y[lane] - r[lane]);
        low->z = f32_min(low->z, z[lane] - r[lane]);
        high->x = f32_max(high->x, x[lane] + r[lane]);
        high->y = f32_max(high->y, y[lane] + r[lane]);
        high->z = f32_max(high->z, z[lane] + r[lane]);
    }
}

/* The lanes in which the link hits an obstacle that is in tiles. once: one lane is enough. */
static inline lane_i32 link_hits_tiles(const struct scene *scene, GLOBAL const struct body_link *link,
                                       const struct frame *frame, struct lane_vec3 c,
                                       lane_f32 grown, lane_i32 active, int once)
{
    GLOBAL const struct tile_grid *tiles = scene->tiles;
    lane_i32 hit = (lane_i32)0;
    struct vec3 low, high;
    struct tile_box box;
    balls_box(&low, &high, c, grown + link->radius, active);
    tile_box_about(&box, tiles, low, high, 0.0f);

    for (u32 z = box.low[2]; z <= box.high[2]; z++) {
        for (u32 y = box.low[1]; y <= box.high[1]; y++) {
            const u32 row = tile_row(tiles, y, z);
            const u32 end = scene->tile_offsets[row + box.high[0] + 1];
            for (u32 m = scene->tile_offsets[row + box.low[0]]; m < end; m++) {
                hit |= link_hits_shape(scene, scene->tile_members[m], link, frame, c, grown,
                                       active & lane_not(hit));
                if (once && lane_any(hit))
                    return hit;
            }
        }
    }
    return hit;
}

/* The lanes in which a sphere of the link hits a cell of a grid, or another class of terrain than
 * the one that the robot's reference point is in. */
static inline lane_i32 link_hits_grid(const struct scene *scene, u32 number,
                                      GLOBAL const struct body_link *link,
                                      const struct frame *frame, struct lane_vec3 reference,
                                      lane_f32 grown, lane_i32 active)
{
    GLOBAL const struct shape *shape =
        scene->shapes + (scene->shape_count - scene->grid_count) + number;
    GLOBAL const struct grid *grid = scene->grids + shape->first;
    f32 x[BODY_LANES], y[BODY_LANES], u[BODY_LANES], v[BODY_LANES], r[BODY_LANES],
        near[BODY_LANES];
    u32 bits = lane_bits(active);
    if (is_allowed(scene, link->link, shape->obstacle))
        return (lane_i32)0;
    for (u32 lane = 0; lane < BODY_LANES; lane++)
        near[lane] = 0.0f;
    lane_store(reference.x, u);
    lane_store(reference.y, v);

    for (u32 g = link->group_first; g < link->group_first + link->group_count; g++) {
        GLOBAL const struct sphere_group *group = scene->groups + g;
        for (u32 s = group->sphere_first; s < group->sphere_first + group->sphere_count; s++) {
            GLOBAL const struct body_sphere *sphere = scene->spheres + s;
            const struct lane_vec3 p =
                frame_point(frame, sphere->center[0], sphere->center[1], sphere->center[2]);
            lane_store(p.x, x);
            lane_store(p.y, y);
            lane_store(grown + sphere->radius + shape->padding, r);
            for (u32 lane = 0; lane < BODY_LANES; lane++) {
                if (!((bits >> lane) & 1u))
                    continue;
                const struct vec3 at = vec3_make(x[lane], y[lane], 0.0f);
                const struct vec3 own = grid_own(grid, at),
                                  home = grid_own(grid, vec3_make(u[lane], v[lane], 0.0f));
                const u32 kind = grid_class(grid, scene->cells, (i32)f32_floor(own.x),
                                            (i32)f32_floor(own.y));
                if (kind != grid_class(grid, scene->cells, (i32)f32_floor(home.x),
                                       (i32)f32_floor(home.y)) ||
                    !grid_segment_is_clear(grid, scene->cells, at, at, r[lane])) {
                    near[lane] = 1.0f;
                    bits &= ~(1u << lane);
                }
            }
        }
    }
    return active & (lane_load(near) > 0.0f);
}

/* The lanes in which the link hits the world. */
static inline lane_i32 link_hits_world(const struct scene *scene, GLOBAL const struct body_link *link,
                                       const struct pose *pose, struct lane_vec3 c, lane_f32 grown,
                                       lane_i32 active, int once)
{
    const struct frame *frame = &pose->frames[link->body];
    const u32 solids = scene->shape_count - scene->grid_count;
    lane_i32 hit = (lane_i32)0;

    if (solids > BODIES_OBSTACLES_FEW)
        hit = link_hits_tiles(scene, link, frame, c, grown, active, once);
    for (u32 i = 0; i < solids && solids <= BODIES_OBSTACLES_FEW; i++) {
        hit |= link_hits_shape(scene, i, link, frame, c, grown, active & lane_not(hit));
        if (once && lane_any(hit))
            return hit;
    }
    for (u32 g = 0; g < scene->grid_count; g++)
        hit |= link_hits_grid(scene, g, link, frame, pose->frames[BODIES - 1].origin, grown,
                              active & lane_not(hit));
    return hit;
}

/* The lanes in which two balls are not farther apart than `reach`. */
static inline lane_i32 balls_near(struct lane_vec3 p, struct lane_vec3 q, lane_f32 reach,
                                  lane_i32 active)
{
    const lane_f32 x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    return active & (x * x + y * y + z * z <= reach * reach);
}

static inline struct lane_vec3 group_center(const struct frame *frame,
                                            GLOBAL const struct sphere_group *group)
{
    return frame_point(frame, group->center[0], group->center[1], group->center[2]);
}

static inline struct lane_vec3 sphere_center(const struct frame *frame,
                                             GLOBAL const struct body_sphere *sphere)
{
    return frame_point(frame, sphere->center[0], sphere->center[1], sphere->center[2]);
}

/* The lanes in which spheres of two groups, whose balls are near, touch. */
static inline lane_i32 groups_touch(const struct scene *scene, const struct frame *a_frame,
                                    const struct frame *b_frame,
                                    GLOBAL const struct sphere_group *a,
                                    GLOBAL const struct sphere_group *b, lane_f32 grown,
                                    lane_i32 near)
{
    lane_i32 hit = (lane_i32)0;
    if (a->sphere_count == 1 && b->sphere_count == 1)
        return near;
    for (u32 i = a->sphere_first; i < a->sphere_first + a->sphere_count; i++) {
        GLOBAL const struct body_sphere *s = scene->spheres + i;
        const struct lane_vec3 p = sphere_center(a_frame, s);
        const lane_i32 close =
            balls_near(p, group_center(b_frame, b), grown + (s->radius + b->radius), near);
        if (!lane_any(close))
            continue;
        for (u32 j = b->sphere_first; j < b->sphere_first + b->sphere_count; j++) {
            GLOBAL const struct body_sphere *t = scene->spheres + j;
            hit |= balls_near(p, sphere_center(b_frame, t), grown + (s->radius + t->radius), close);
        }
    }
    return hit;
}

/* The lanes in which two links, whose balls are near, touch. */
static inline lane_i32 links_touch(const struct scene *scene, const struct pose *pose,
                                   GLOBAL const struct body_link *a,
                                   GLOBAL const struct body_link *b, struct lane_vec3 b_center,
                                   lane_f32 grown, lane_i32 near)
{
    const struct frame *a_frame = &pose->frames[a->body], *b_frame = &pose->frames[b->body];
    lane_i32 hit = (lane_i32)0;
    for (u32 i = a->group_first; i < a->group_first + a->group_count; i++) {
        GLOBAL const struct sphere_group *g = scene->groups + i;
        const struct lane_vec3 p = group_center(a_frame, g);
        const lane_i32 close = balls_near(p, b_center, grown + (g->radius + b->radius), near);
        if (!lane_any(close))
            continue;
        for (u32 j = b->group_first; j < b->group_first + b->group_count; j++) {
            GLOBAL const struct sphere_group *h = scene->groups + j;
            const lane_i32 both = balls_near(p, group_center(b_frame, h),
                                             grown + (g->radius + h->radius),
                                             close & lane_not(hit));
            if (lane_any(both))
                hit |= groups_touch(scene, a_frame, b_frame, g, h, grown, both);
        }
    }
    return hit;
}

/* The active lanes whose robot hits the world or itself while each link moves at most
 * travel.links[l] · width, and each pair against each other travel.pairs[p] · width. once: it is
 * enough to know whether there is such a lane. */
static inline lane_i32 bodies_hit(const struct scene *scene, const struct pose *pose,
                                  const struct travel *travel, lane_f32 width, lane_i32 active,
                                  int once)
{
    lane_i32 hit = (lane_i32)0;
    struct lane_vec3 centers[LINKS + 1];

    // links at the far end first: they hit most often
    for (u32 l = LINKS; l-- > 0;) {
        GLOBAL const struct body_link *link = scene->links + l;
        const lane_f32 grown = scene->margin + travel->links[l] * width;
        centers[l] = frame_point(&pose->frames[link->body], link->center[0], link->center[1],
                                 link->center[2]);
        if (link->body == 0)
            continue;
        hit |= link_hits_world(scene, link, pose, centers[l], grown, active & lane_not(hit), once);
        if ((once && lane_any(hit)) || !lane_any(active & lane_not(hit)))
            return hit;
    }
    for (u32 p = 0; p < PAIRS; p++) {
        const struct link_pair pair = scene->pairs[p];
        GLOBAL const struct body_link *a = scene->links + pair.a, *b = scene->links + pair.b;
        const lane_f32 grown = scene->margin + travel->pairs[p] * width;
        const lane_i32 near = balls_near(centers[pair.a], centers[pair.b],
                                         grown + (a->radius + b->radius), active & lane_not(hit));
        if (!lane_any(near))
            continue;
        hit |= links_touch(scene, pose, a, b, centers[pair.b], grown, near);
        if ((once && lane_any(hit)) || !lane_any(active & lane_not(hit)))
            return hit;
    }
    return hit;
}

#endif

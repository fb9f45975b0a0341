/* The least clearance of a configuration, signed, and what it is from. For reasons and answers to
 * people; decisions are made by state_is_free() in edges.h.
 *
 * Obstacles are looked up within one tile's edge of the body; beyond, one tile's edge is what is
 * known. Robots with spheres: all spheres, one after another; -D BODY_LANES=1.
 */
#ifndef KERNELS_COLLIDE_H
#define KERNELS_COLLIDE_H

#include "edges.h"

/* Keeps the lesser clearance; of equals the one from the lower obstacle. */
static inline void clearance_take(struct clearance *least, struct clearance other)
{
    if (other.value < least->value ||
        (other.value == least->value && other.obstacle < least->obstacle))
        *least = other;
}

/* Takes the obstacles in the tiles within `seen` of p. `ball`: whose clearance it is, its value
 * minus the radius. */
static inline void clearance_take_tiles(const struct scene *scene, struct clearance *least,
                                        struct vec3 p, f32 seen, struct clearance ball)
{
    GLOBAL const struct tile_grid *tiles = scene->tiles;
    struct tile_box box;
    tile_box_about(&box, tiles, p, p, seen);

    for (u32 z = box.low[2]; z <= box.high[2]; z++) {
        for (u32 y = box.low[1]; y <= box.high[1]; y++) {
            const u32 row = tile_row(tiles, y, z);
            const u32 end = scene->tile_offsets[row + box.high[0] + 1];
            for (u32 m = scene->tile_offsets[row + box.low[0]]; m < end; m++) {
                GLOBAL const struct shape *shape = scene->shapes + scene->tile_members[m];
                struct clearance other = ball;
                other.value += shape_point_distance(shape, scene->polygons, p) - shape->padding;
                other.obstacle = shape->obstacle;
                if (!is_allowed(scene, ball.link, shape->obstacle))
                    clearance_take(least, other);
            }
        }
    }
}

/* Takes what the world leaves to a ball of this radius about p. */
static inline void clearance_take_ball(const struct scene *scene, struct clearance *least,
                                       struct vec3 p, f32 radius, u32 link, u32 sphere)
{
    const f32 tile = 1.0f / scene->tiles->inverse_edge;
    struct clearance ball;
    ball.value = -radius;
    ball.obstacle = ball.other_link = NONE_U32;
    ball.link = link;
    ball.sphere = sphere;

    if (scene->shape_count > scene->grid_count)
        clearance_take_tiles(scene, least, p, radius + tile, ball);
    for (u32 g = 0; g < scene->grid_count; g++) {
        GLOBAL const struct shape *shape =
            scene->shapes + (scene->shape_count - scene->grid_count) + g;
        GLOBAL const struct grid *grid = scene->grids + shape->first;
        const f32 grown = shape->padding + radius;
        const f32 window = f32_min(f32_ceil(grown / grid->resolution) + 2.0f, GRID_WINDOW_MAX);
        struct clearance other = ball;
        other.value =
            grid_point_distance(grid, scene->cells, p, (i32)window) - shape->padding - radius;
        other.obstacle = shape->obstacle;
        if (!is_allowed(scene, link, shape->obstacle))
            clearance_take(least, other);
    }
    for (u32 f = 0; f < scene->field_count; f++) {
        GLOBAL const struct shape *shape = scene->shapes + scene->shape_count + f;
        struct clearance other = ball;
        other.value += field_point_distance(scene->fields + shape->first, scene->field_values, p) -
                       shape->padding;
        other.obstacle = shape->obstacle;
        if (!is_allowed(scene, link, shape->obstacle))
            clearance_take(least, other);
    }
}

#ifdef BODIES

/* Sphere `number` of the robot in the local frame; the link that it is of. */
static inline struct vec3 sphere_place(const struct pose *pose, GLOBAL const struct body_link *link,
                                       GLOBAL const struct body_sphere *sphere)
{
    f32 x[BODY_LANES], y[BODY_LANES], z[BODY_LANES];
    const struct lane_vec3 p = sphere_center(&pose->frames[link->body], sphere);
    lane_store(p.x, x);
    lane_store(p.y, y);
    lane_store(p.z, z);
    return vec3_make(x[0], y[0], z[0]);
}

/* The spheres of a link are those from the first of its first group on. */
static inline u32 link_spheres(const struct scene *scene, GLOBAL const struct body_link *link,
                               u32 *first)
{
    GLOBAL const struct sphere_group *last =
        scene->groups + link->group_first + link->group_count - 1;
    *first = scene->groups[link->group_first].sphere_first;
    return last->sphere_first + last->sphere_count - *first;
}

/* Takes the clearance between two links. */
static inline void clearance_take_pair(const struct scene *scene, struct clearance *least,
                                       const struct pose *pose, struct link_pair pair)
{
    GLOBAL const struct body_link *a = scene->links + pair.a, *b = scene->links + pair.b;
    u32 a_first, b_first;
    const u32 a_count = link_spheres(scene, a, &a_first),
              b_count = link_spheres(scene, b, &b_first);
    for (u32 i = a_first; i < a_first + a_count; i++) {
        const struct vec3 p = sphere_place(pose, a, scene->spheres + i);
        for (u32 j = b_first; j < b_first + b_count; j++) {
            const struct vec3 q = sphere_place(pose, b, scene->spheres + j);
            struct clearance other;
            other.value =
                vec3_length(vec3_sub(p, q)) - scene->spheres[i].radius - scene->spheres[j].radius;
            other.obstacle = NONE_U32;
            other.link = a->link;
            other.sphere = scene->spheres[i].sphere;
            other.other_link = b->link;
            clearance_take(least, other);
        }
    }
}

#endif

static inline struct clearance state_clearance(const struct scene *scene, const f32 *row)
{
    struct clearance least;
    least.value = 1.0f / scene->tiles->inverse_edge;
    least.obstacle = least.other_link = NONE_U32;
    least.link = least.sphere = 0;
#ifdef BODIES
    struct pose pose;
    lane_f32 rows[DOF];
    row_spread(rows, row);
    pose_of(&pose, scene->bodies, rows);
    for (u32 l = 0; l < LINKS; l++) {
        GLOBAL const struct body_link *link = scene->links + l;
        u32 first;
        const u32 count = link->body == 0 ? 0 : link_spheres(scene, link, &first);
        for (u32 s = 0; s < count; s++) {
            GLOBAL const struct body_sphere *sphere = scene->spheres + first + s;
            clearance_take_ball(scene, &least, sphere_place(&pose, link, sphere), sphere->radius,
                                link->link, sphere->sphere);
        }
    }
    for (u32 p = 0; p < PAIRS; p++)
        clearance_take_pair(scene, &least, &pose, scene->pairs[p]);
#else
    clearance_take_ball(scene, &least, row_position(row), scene->radius, 0, 0);
#endif
    return least;
}

#endif

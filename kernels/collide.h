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

/* Where a sphere of the link is. */
static inline struct vec3 sphere_place(const struct pose *pose, GLOBAL const struct body_link *link,
                                       GLOBAL const struct body_ball *sphere)
{
    f32 x[BODY_LANES], y[BODY_LANES], z[BODY_LANES];
    const struct lane_vec3 p = ball_center(&pose->frames[link->body], sphere);
    lane_store(p.x, x);
    lane_store(p.y, y);
    lane_store(p.z, z);
    return vec3_make(x[0], y[0], z[0]);
}

/* Takes the clearance between two links. */
static inline void clearance_take_pair(const struct scene *scene, struct clearance *least,
                                       const struct pose *pose, struct link_pair pair)
{
    GLOBAL const struct body_link *a = scene->links + pair.a, *b = scene->links + pair.b;
    for (u32 i = a->ball_first; i < a->ball_end; i++) {
        GLOBAL const struct body_ball *s = scene->balls + i;
        const struct vec3 p = sphere_place(pose, a, s);
        for (u32 j = b->ball_first; j < b->ball_end; j++) {
            GLOBAL const struct body_ball *t = scene->balls + j;
            const struct vec3 q = sphere_place(pose, b, t);
            struct clearance other;
            other.value = vec3_length(vec3_sub(p, q)) - s->radius - t->radius;
            other.obstacle = NONE_U32;
            other.link = a->link;
            other.sphere = s->sphere;
            other.other_link = b->link;
            if (s->sphere != NONE_U32 && t->sphere != NONE_U32)
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
        for (u32 b = link->ball_first; link->body != 0 && b < link->ball_end; b++) {
            GLOBAL const struct body_ball *ball = scene->balls + b;
            if (ball->sphere != NONE_U32)
                clearance_take_ball(scene, &least, sphere_place(&pose, link, ball), ball->radius,
                                    link->link, ball->sphere);
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

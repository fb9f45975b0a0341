/* The least clearance of a configuration, signed, and the obstacle it is from. For reasons and
 * answers to people; decisions are made by state_is_free() in edges.h.
 *
 * Obstacles are looked up within one tile's edge of the body; beyond, one tile's edge is what is
 * known.
 */
#ifndef KERNELS_COLLIDE_H
#define KERNELS_COLLIDE_H

#include "edges.h"

struct clearance {
    f32 value;    /* metres; negative: depth of penetration */
    u32 obstacle; /* index in the world's list; NONE_U32: nothing near */
};

/* Keeps the lesser clearance; of equals the one from the lower obstacle. */
static inline void clearance_take(struct clearance *least, f32 value, u32 obstacle)
{
    if (value < least->value || (value == least->value && obstacle < least->obstacle)) {
        least->value = value;
        least->obstacle = obstacle;
    }
}

/* Takes the obstacles in the tiles within `seen` of p. */
static inline void clearance_take_tiles(const struct scene *scene, struct clearance *least,
                                        struct vec3 p, f32 seen)
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
                const f32 distance = shape_point_distance(shape, scene->polygons, p);
                clearance_take(least, distance - shape->padding - scene->radius, shape->obstacle);
            }
        }
    }
}

static inline struct clearance state_clearance(const struct scene *scene, const f32 *row)
{
    const struct vec3 p = row_position(row);
    struct clearance least;
    least.value = 1.0f / scene->tiles->inverse_edge;
    least.obstacle = NONE_U32;

    if (scene->shape_count > scene->grid_count)
        clearance_take_tiles(scene, &least, p, scene->radius + least.value);
    for (u32 g = 0; g < scene->grid_count; g++) {
        GLOBAL const struct shape *shape =
            scene->shapes + (scene->shape_count - scene->grid_count) + g;
        GLOBAL const struct grid *grid = scene->grids + shape->first;
        const f32 grown = shape->padding + scene->radius;
        const f32 window = f32_min(f32_ceil(grown / grid->resolution) + 2.0f, GRID_WINDOW_MAX);
        const f32 distance = grid_point_distance(grid, scene->cells, p, (i32)window);
        clearance_take(&least, distance - grown, shape->obstacle);
    }
    return least;
}

#endif

/* Is the straight motion between two configurations free? The one routine of roadmap, connections
 * and shortcuts.
 *
 * Certified (the default): the least distance of the swept reference point to each obstacle, in
 * closed form or by certified bisection, less padding and the body's radius, must exceed the
 * margin. The broad phase cuts the motion into pieces of about a tile's edge and looks up the tiles
 * that each piece touches; an obstacle found is tested against the whole motion, so that the answer
 * does not depend on the tiles.
 *
 * -D EDGE_SAMPLED: configurations at most `step` apart instead, each tested as above; for
 * comparison. With -D ROW, DOF of metric.h. Takes rows in registers (row_load).
 */
#ifndef KERNELS_EDGES_H
#define KERNELS_EDGES_H

#include "geometry.h"
#include "grid.h"
#include "language.h"
#include "metric.h"
#include "scene.h"

/* Pieces of a motion at most: beyond, their boxes grow instead. */
#define EDGE_PIECES_MAX 4096u
/* Obstacles remembered as tested: those that lie in several tiles come again within a few steps. */
#define EDGE_RECENT 4
/* Samples of a motion at most. */
#define EDGE_SAMPLES_MAX 65536u

/* The tiles that a box touches along each axis. What lies outside of the tile grid counts to its
 * outermost tiles, obstacles (world.c) and boxes alike. */
struct tile_box {
    u32 low[3], high[3];
};

static inline u32 tile_index(f32 x, f32 origin, f32 inverse_edge, u32 size)
{
    return (u32)f32_clamp((x - origin) * inverse_edge, 0.0f, (f32)(size - 1));
}

/* The tiles of the box about the segment p q grown by `grown`. */
static inline void tile_box_about(struct tile_box *box, GLOBAL const struct tile_grid *tiles,
                                  struct vec3 p, struct vec3 q, f32 grown)
{
    const f32 from[3] = {p.x, p.y, p.z}, to[3] = {q.x, q.y, q.z};
    for (int axis = 0; axis < 3; axis++) {
        box->low[axis] = tile_index(f32_min(from[axis], to[axis]) - grown, tiles->origin[axis],
                                    tiles->inverse_edge, tiles->size[axis]);
        box->high[axis] = tile_index(f32_max(from[axis], to[axis]) + grown, tiles->origin[axis],
                                     tiles->inverse_edge, tiles->size[axis]);
    }
}

/* The first tile of a row of a tile grid. The tiles of a row are consecutive, and so are their
 * members. */
static inline u32 tile_row(GLOBAL const struct tile_grid *tiles, u32 y, u32 z)
{
    return (z * tiles->size[1] + y) * tiles->size[0];
}

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
                if (!shape_is_clear(scene, index, a, b, reach))
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
                                   reach + shape->padding))
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

/* Whether the robot at `row` keeps more than the margin from everything. */
static inline int state_is_free(const struct scene *scene, const f32 *row)
{
    const struct vec3 p = row_position(row);
    return segment_is_free(scene, p, p);
}

/* Whether the straight motion from row a to row b is free, both ends included. */
static inline int edge_is_free(const struct scene *scene, const f32 *a, const f32 *b)
{
#ifdef EDGE_SAMPLED
    const f32 steps = metric_distance(a, b) / scene->step;
    const u32 count = steps < (f32)(EDGE_SAMPLES_MAX - 1) ? 1 + (u32)steps : EDGE_SAMPLES_MAX;
    f32 row[ROW];
    for (u32 i = 0; i < count; i++) {
        metric_interpolate(row, a, b, (f32)i / (f32)count);
        if (!state_is_free(scene, row))
            return 0;
    }
    return state_is_free(scene, b);
#else
    return segment_is_free(scene, row_position(a), row_position(b));
#endif
}

#endif

/* The broad phase: which tiles of a uniform grid a box touches. Their obstacles are listed tile by
 * tile (primitives/bin.h). */
#ifndef KERNELS_BROAD_PHASE_H
#define KERNELS_BROAD_PHASE_H

#include "geometry.h"
#include "language.h"
#include "types.h"

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

#endif

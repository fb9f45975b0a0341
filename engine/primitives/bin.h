/* Binning: an element may fall into none, one or many bins. The product's use: obstacles into the
 * tiles of a uniform grid, the broad phase of collision checking.
 *
 * Result: one flat list, bins one after another, each bin's members in input order (CSR).
 * Cost: O(elements + memberships); many bins cost nothing but their offsets.
 */
#ifndef PRM_PRIMITIVES_BIN_H
#define PRM_PRIMITIVES_BIN_H

#include "device/arena.h"

/* A uniform grid of tiles: tile (x, y, z) has index (z * size[1] + y) * size[0] + x. */
struct prm_tile_grid {
    float origin[3];    /* lower corner */
    float inverse_edge; /* 1 / tile edge */
    uint32_t size[3];   /* tiles along each axis, each at least 1 */
};

/* Boxes into the tiles that they touch, clipped to the grid. lower, upper: f32[count][4] device,
 * xyz and a pad, closed. offsets: u32[tiles + 1], device, written. members: made here as a resident
 * buffer, u32[total]; the caller destroys it. One read-back (the total). */
enum prm_status prm_bin_boxes(struct prm_arena *arena, struct prm_buffer offsets,
                              struct prm_buffer *members, const struct prm_tile_grid *grid,
                              struct prm_buffer lower, struct prm_buffer upper, size_t count);

/* Intervals of bins: element i belongs to the bins first[i] <= b < end[i] (none if end <= first).
 * first, end: u32[count], device, end at most `bins`. Otherwise as above. */
enum prm_status prm_bin_intervals(struct prm_arena *arena, struct prm_buffer offsets,
                                  struct prm_buffer *members, uint32_t bins,
                                  struct prm_buffer first, struct prm_buffer end, size_t count);

#endif

/* The vicinity of a robot filled in: for each cube the least distance that any place in it has to
 * the solids, bounded from below; for each block of cubes the solids near any place in it.
 *
 * A block of cubes is taken at once: only solids that are no farther from its middle than the
 * nearest one and the block's own width can be the nearest of a cube.
 *
 * Launch: any number of work-items, a stretch of blocks each (share.h).
 * Traffic: all solids a block, those near it a cube.
 */
#include "geometry.h"
#include "share.h"
#include "types.h"
#include "vicinity_types.h"

/* Solids near a block that are remembered; of more all are tried. */
#define NEAR_MAX 32u

/* Room that a shape leaves to p, for any place that is not farther than `far` from p. */
static inline f32 room_from(__global const struct shape *shape,
                            __global const struct segment2 *polygons, struct vec3 p, f32 far)
{
    const f32 reach = vec3_length(shape_own(shape, p)) + far;
    return shape_point_distance(shape, polygons, p) - shape->padding - shape->rounding * reach;
}

/* The solids that can be the nearest of a cube of the block about `middle`; returns how many. near:
 * u32[NEAR_MAX]. *within: those that leave no more than `within_m` to its middle, a bit each of the
 * first. */
static inline u32 solids_near(u32 *near, u64 *within, __global const struct shape *shapes,
                              __global const struct segment2 *polygons, struct vec3 middle,
                              f32 half_width, f32 within_m, f32 far, u32 solids)
{
    f32 least = GEOMETRY_INFINITY;
    u32 count = 0;
    *within = 0;
    for (u32 pass = 0; pass < 2; pass++) {
        for (u32 s = 0; s < solids; s++) {
            const f32 room = room_from(shapes + s, polygons, middle, far);
            if (pass == 0) {
                least = f32_min(least, room);
                if (s < VICINITY_SOLIDS_MAX && room <= within_m)
                    *within |= (u64)1 << s;
            } else if (room <= least + 2.0f * half_width) {
                if (count < NEAR_MAX)
                    near[count] = s;
                count++;
            }
        }
    }
    return count;
}

/* *vicinity = plan, and what is behind it, of the first `solids` shapes; n: blocks. (Oclgrind takes
 * for uninitialised what a kernel writes behind what the host has written.) */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
vicinity_fill(__global struct vicinity *restrict vicinity, const struct vicinity plan,
              __global const struct shape *restrict shapes,
              __global const struct segment2 *restrict polygons, const u32 solids,
              const u32 n)
{
    const struct vicinity *v = &plan;
    __global u64 *solids_within = (__global u64 *)(vicinity + 1);
    __global uchar *values = (__global uchar *)(solids_within + v->block_count);
    const u32 wide = (v->size[0] + VICINITY_BLOCK - 1) / VICINITY_BLOCK,
              high = (v->size[1] + VICINITY_BLOCK - 1) / VICINITY_BLOCK;
    const f32 edge = v->edge, left = v->origin[0], front = v->origin[1], bottom = v->origin[2];
    // half a block's diagonal
    const f32 half_width = VICINITY_HALF_DIAGONAL * (f32)VICINITY_BLOCK * edge;
    // slack: more than what roundings take
    const f32 within_m = v->near + half_width + v->slack;
    u32 near[NEAR_MAX];

    if (get_global_id(0) == 0)
        *vicinity = plan;
    for (u32 b = share_begin(n), end = share_end(n); b < end; b++) {
        const u32 row = b / wide, layer = row / high;
        const u32 x0 = (b - row * wide) * VICINITY_BLOCK,
                  y0 = (row - layer * high) * VICINITY_BLOCK, z0 = layer * VICINITY_BLOCK;
        const f32 inside = 0.5f * (f32)VICINITY_BLOCK;
        const struct vec3 middle =
            vec3_make(left + ((f32)x0 + inside) * edge, front + ((f32)y0 + inside) * edge,
                      bottom + ((f32)z0 + inside) * edge);
        u64 within;
        const u32 found = solids_near(near, &within, shapes, polygons, middle, half_width, within_m,
                                      v->far, solids);
        const u32 count = found <= NEAR_MAX ? found : solids;
        if (b < v->block_count)
            solids_within[b] = within;

        for (u32 c = 0; c < VICINITY_BLOCK * VICINITY_BLOCK * VICINITY_BLOCK; c++) {
            const u32 x = x0 + c % VICINITY_BLOCK, y = y0 + c / VICINITY_BLOCK % VICINITY_BLOCK,
                      z = z0 + c / VICINITY_BLOCK / VICINITY_BLOCK;
            if (x >= v->size[0] || y >= v->size[1] || z >= v->size[2])
                continue;
            const struct vec3 p =
                vec3_make(left + ((f32)x + 0.5f) * edge, front + ((f32)y + 0.5f) * edge,
                          bottom + ((f32)z + 0.5f) * edge);
            f32 room = GEOMETRY_INFINITY;
            for (u32 i = 0; i < count; i++)
                room = f32_min(room, room_from(shapes + (found <= NEAR_MAX ? near[i] : i), polygons,
                                               p, v->far));
            const f32 steps = f32_floor((room - v->slack) / v->step);
            values[((size_t)z * v->size[1] + y) * v->size[0] + x] =
                (uchar)f32_clamp(steps, 0.0f, (f32)VICINITY_VALUE_MAX);
        }
    }
}

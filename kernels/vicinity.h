/* Places that surely have room about them, and what is near the others: the vicinity looked up. */
#ifndef KERNELS_VICINITY_H
#define KERNELS_VICINITY_H

#include "kinematics.h"
#include "vicinity_types.h"

/* The cube along one axis. */
static inline lane_i32 vicinity_cube(GLOBAL const struct vicinity *vicinity, u32 axis, lane_f32 x)
{
    const lane_f32 at = (x - vicinity->origin[axis]) * vicinity->inverse_edge;
    return lane_to_i32(lane_min(lane_max(at, 0.0f), (f32)(vicinity->size[axis] - 1)));
}

/* The active lanes in which a solid may be within `reach` of p. */
static inline lane_i32 vicinity_unsure(GLOBAL const struct vicinity *vicinity, struct lane_vec3 p,
                                       lane_f32 reach, lane_i32 active)
{
    const i32 row = (i32)vicinity->size[0], layer = row * (i32)vicinity->size[1];
    const lane_i32 at = vicinity_cube(vicinity, 2, p.z) * layer +
                        vicinity_cube(vicinity, 1, p.y) * row + vicinity_cube(vicinity, 0, p.x);
    const lane_f32 room = lane_gather(vicinity_values(vicinity), at) * vicinity->step;
    return active & (room <= reach);
}

/* The number of the lowest bit that is set; x is not 0. */
static inline u32 vicinity_lowest(u64 x)
{
#ifdef __OPENCL_VERSION__
    return 63u - (u32)clz(x & (0 - x));
#else
    u32 bit = 0;
    for (; (x & 1u) == 0; x >>= 1)
        bit++;
    return bit;
#endif
}

/* Whether it is known which solids may be within `reach` of p in any active lane: *near, a bit
 * each. */
static inline int vicinity_near(u64 *near, GLOBAL const struct vicinity *vicinity,
                                struct lane_vec3 p, lane_f32 reach, lane_i32 active)
{
    const i32 row = (i32)vicinity->blocks[0], layer = row * (i32)vicinity->blocks[1];
    const u32 bits = lane_bits(active);
    i32 blocks[BODY_LANES];
    if (vicinity->block_count == 0 || lane_any(active & (reach > vicinity->near)))
        return 0;

    const lane_i32 at = (vicinity_cube(vicinity, 2, p.z) >> VICINITY_BLOCK_BITS) * layer +
                        (vicinity_cube(vicinity, 1, p.y) >> VICINITY_BLOCK_BITS) * row +
                        (vicinity_cube(vicinity, 0, p.x) >> VICINITY_BLOCK_BITS);
    lane_store(at, blocks);
    *near = 0;
    for (u32 lane = 0; lane < BODY_LANES; lane++)
        *near |= (bits >> lane) & 1u ? vicinity_solids(vicinity)[blocks[lane]] : 0;
    return 1;
}

#endif

/* Places that surely have room about them: the vicinity looked up. */
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
    const lane_f32 room =
        lane_gather((GLOBAL const unsigned char *)(vicinity + 1), at) * vicinity->step;
    return active & (room <= reach);
}

#endif

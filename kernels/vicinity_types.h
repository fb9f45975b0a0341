/* The vicinity of a robot as it crosses the bus: how much room there is about each place. */
#ifndef KERNELS_VICINITY_TYPES_H
#define KERNELS_VICINITY_TYPES_H

#include "language.h"

/* A cube's value is how many steps of 1 / VICINITY_STEPS of its edge are free about all of it. */
#define VICINITY_STEPS 8u
#define VICINITY_VALUE_MAX 255u
/* Cubes along the side of a block, which is filled in at once. */
#define VICINITY_BLOCK 4u
/* Half the diagonal of a cube over its edge, rounded up. */
#define VICINITY_HALF_DIAGONAL 0.8661f
/* Rounding of a place in it and of a distance from there, as a share of its longest way. */
#define VICINITY_ROUNDING 1e-5f

/* A box of cubes in the local frame. A place beside it has no less room than the nearest place in
 * it: the box holds all obstacles, but for what the robot cannot reach. Its values follow, x
 * fastest. */
struct vicinity {
    f32 origin[3];
    f32 inverse_edge; /* of a cube */
    u32 size[3];      /* cubes along x, y and z */
    f32 step;         /* metres that a value's unit stands for */
    f32 edge;
    f32 slack; /* what places in a cube are off its middle, and rounding */
    f32 far;   /* how far a place that is asked for can be from a cube */
    u32 pad;
};

#ifndef __OPENCL_VERSION__
_Static_assert(sizeof(struct vicinity) == 48, "struct vicinity crosses the bus");
#endif

#endif

/* The vicinity of a robot as it crosses the bus: how much room there is about each place, and what
 * is near it. */
#ifndef KERNELS_VICINITY_TYPES_H
#define KERNELS_VICINITY_TYPES_H

#include "language.h"

/* A cube's value is how many steps of 1 / VICINITY_STEPS of its edge are free about all of it. */
#define VICINITY_STEPS 8u
#define VICINITY_VALUE_MAX 255u
/* Cubes along the side of a block, which is filled in at once. */
#define VICINITY_BLOCK_BITS 2u
#define VICINITY_BLOCK (1u << VICINITY_BLOCK_BITS)
/* Solids of which blocks know whether they are near, at most: they are bits; and how far from any
 * place in a block they are near, in sides of a block. */
#define VICINITY_SOLIDS_MAX 64u
#define VICINITY_NEAR 3u
/* Half the diagonal of a cube over its edge, rounded up. */
#define VICINITY_HALF_DIAGONAL 0.8661f
/* Rounding of a place in it and of a distance from there, as a share of its longest way. */
#define VICINITY_ROUNDING 1e-5f

/* A box of cubes in the local frame. A place beside it has no less room than the nearest place in
 * it: the box holds all obstacles, but for what the robot cannot reach. Behind it are the solids
 * near each block, u64[block_count], and then the values of cubes, x fastest in both. */
struct vicinity {
    f32 origin[3];
    f32 inverse_edge; /* of a cube */
    u32 size[3];      /* cubes along x, y and z */
    f32 step;         /* metres that a value's unit stands for */
    f32 edge;
    f32 slack;       /* what places in a cube are off its middle, and rounding */
    f32 far;         /* how far a place that is asked for can be from a cube */
    u32 block_count; /* that know which solids are near; 0: none does */
    u32 blocks[2];   /* along x and y */
    f32 near;        /* metres within which solids are near */
    u32 pad;
};

/* The solids near each block. */
static inline GLOBAL const u64 *vicinity_solids(GLOBAL const struct vicinity *vicinity)
{
    return (GLOBAL const u64 *)(vicinity + 1);
}

/* The values of cubes. */
static inline GLOBAL const unsigned char *vicinity_values(GLOBAL const struct vicinity *vicinity)
{
    return (GLOBAL const unsigned char *)(vicinity_solids(vicinity) + vicinity->block_count);
}

#ifndef __OPENCL_VERSION__
_Static_assert(sizeof(struct vicinity) == 64, "struct vicinity crosses the bus");
#endif

#endif

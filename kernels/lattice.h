/* A regular lattice of configurations: the cell centres of a grid, or of a box at a spacing. */
#ifndef KERNELS_LATTICE_H
#define KERNELS_LATTICE_H

#include "language.h"

/* Cell (x, y, z) has index (z * size[1] + y) * size[0] + x; its centre is origin + spacing * (cell
 * + ½), turned about the origin in the plane. */
struct lattice {
    f32 origin[3]; /* local frame */
    f32 spacing;
    f32 cosine, sine;
    u32 size[3];
    u32 pad;
};

/* A cell by its offset from another; tables are sorted by (distance, index). */
struct lattice_offset {
    i32 x, y, z;
    u32 pad;
};

#ifndef __OPENCL_VERSION__
_Static_assert(sizeof(struct lattice) == 40, "struct lattice crosses the bus");
_Static_assert(sizeof(struct lattice_offset) == 16, "struct lattice_offset crosses the bus");
#endif

#endif

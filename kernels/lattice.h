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

/* The coordinates of a cell by its index; x, y and z count cells. */
static inline struct lattice_offset lattice_cell(const struct lattice *lattice, u32 index)
{
    struct lattice_offset cell;
    const u32 row = index / lattice->size[0], layer = row / lattice->size[1];
    cell.x = (i32)(index - row * lattice->size[0]);
    cell.y = (i32)(row - layer * lattice->size[1]);
    cell.z = (i32)layer;
    cell.pad = 0;
    return cell;
}

#ifndef __OPENCL_VERSION__
_Static_assert(sizeof(struct lattice) == 40, "struct lattice crosses the bus");
_Static_assert(sizeof(struct lattice_offset) == 16, "struct lattice_offset crosses the bus");
#endif

#endif

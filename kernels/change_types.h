/* What differs between two worlds as it crosses the bus. */
#ifndef KERNELS_CHANGE_TYPES_H
#define KERNELS_CHANGE_TYPES_H

#include "language.h"

/* A box about an obstacle that one of the worlds has, padding and rounding included, local frame.
 */
struct change_box {
    f32 lower[3], upper[3];
    u32 gone; /* not 0: the world before has it; 0: the world after has it */
    u32 pad;
};

#ifndef __OPENCL_VERSION__
_Static_assert(sizeof(struct change_box) == 32, "struct change_box crosses the bus");
#endif

#endif

/* A short sorted list of the nearest found so far, in device memory. */
#ifndef KERNELS_NEAREST_LIST_H
#define KERNELS_NEAREST_LIST_H

#ifndef __OPENCL_VERSION__
#error "nearest_list.h is device code"
#endif

#include "language.h"

/* Puts (squared, j) into a sorted list of k, behind what is equal; returns the new bound: the last
 * entry's, below which a point must be to enter, or `bound` while the list is not full. */
static inline f32 list_insert(__global f32 *distances, __global u32 *indices, u32 k, f32 squared,
                              u32 j, f32 bound)
{
    u32 at = k - 1;
    while (at > 0 && distances[at - 1] > squared) {
        distances[at] = distances[at - 1];
        indices[at] = indices[at - 1];
        at--;
    }
    distances[at] = squared;
    indices[at] = j;
    return fmin(distances[k - 1], bound);
}

#endif

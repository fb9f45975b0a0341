/* Search by halves in ascending arrays of device memory. */
#ifndef KERNELS_BISECT_H
#define KERNELS_BISECT_H

#include "language.h"

/* How many of keys[n] are below `key`: the first that is `key` or more. */
static inline u32 bisect_below(GLOBAL const u32 *keys, u32 n, u32 key)
{
    u32 low = 0;
    u32 high = n;
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The run that place p is in: the last of begins[runs] that is p or less, and the first if none is.
 */
static inline u32 bisect_run(GLOBAL const u32 *begins, u32 runs, u32 p)
{
    u32 low = 0;
    u32 high = runs;
    while (high - low > 1) {
        const u32 middle = low + (high - low) / 2;
        if (begins[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif

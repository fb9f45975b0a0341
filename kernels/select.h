/* The smallest keys of an array to its front: quickselect (Hoare 1961) without branches on the
 * data.
 *
 * A key is a float in the upper half and an index in the lower, so that keys are distinct and the
 * result is the same on every machine.
 */
#ifndef KERNELS_SELECT_H
#define KERNELS_SELECT_H

#include "language.h"

/* The key of (value, index), ordered as the pairs are; value is no NaN. */
static inline u64 select_key(f32 value, u32 index)
{
#ifdef __OPENCL_VERSION__
    const u32 bits = as_uint(value);
#else
    const union {
        f32 value;
        u32 bits;
    } pun = {value};
    const u32 bits = pun.bits;
#endif
    const u32 ordered = bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
    return ((u64)ordered << 32) | index;
}

static inline u64 select_median(u64 a, u64 b, u64 c)
{
    const u64 low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Reorders keys[begin … end - 1], all distinct, so that the `wanted` smallest are its first. */
static inline void select_smallest(GLOBAL u64 *keys, u32 begin, u32 end, u32 wanted)
{
    const u32 cut = begin + wanted;
    u32 low = begin, high = end;

    while (high - low > 1 && cut > low && cut < high) {
        const u64 pivot = select_median(keys[low], keys[low + (high - low) / 2], keys[high - 1]);

        // what is below the pivot to the front
        u32 split = low;
        for (u32 i = low; i < high; i++) {
            const u64 key = keys[i];
            keys[i] = keys[split];
            keys[split] = key;
            split += key < pivot;
        }
        if (cut <= split) {
            high = split;
            continue;
        }
        // the pivot is the least of the rest: to its place, and on behind it
        for (u32 i = split; i < high; i++) {
            if (keys[i] == pivot) {
                keys[i] = keys[split];
                keys[split] = pivot;
                break;
            }
        }
        low = split + 1;
    }
}

#endif

/* Sixteen values as the lanes of one vector, and what is gathered from all lanes.
 *
 * -D OCLGRIND: for that interpreter, whose record of what is initialised takes lane 11 of a shuffle
 * for undefined and does not survive one with lanes that nobody asked for; there these are loops.
 */
#ifndef KERNELS_LANES_H
#define KERNELS_LANES_H

#ifndef __OPENCL_VERSION__
#error "lanes.h is device code"
#endif

#include "language.h"

#define LANES 16

typedef float16 lanes_f32;
typedef int16 lanes_i32;
typedef uint16 lanes_u32;

#ifdef OCLGRIND

static inline u32 lanes_mask(lanes_i32 mask)
{
    i32 each[LANES];
    u32 bits = 0;
    vstore16(mask, 0, each);
    for (u32 lane = 0; lane < LANES; lane++)
        bits |= (each[lane] != 0 ? 1u : 0u) << lane;
    return bits;
}

#define lanes_any(mask) (lanes_mask(mask) != 0)

/* name(v): what `of` two, min or max, leaves of all lanes of a vector. */
#define LANES_FOLD(name, result, vector, scalar, of)                                               \
    static inline result name(vector v)                                                            \
    {                                                                                              \
        scalar each[LANES];                                                                        \
        vstore16(v, 0, each);                                                                      \
        for (u32 lane = 1; lane < LANES; lane++)                                                   \
            each[0] = of(each[0], each[lane]);                                                     \
        return each[0];                                                                            \
    }

LANES_FOLD(lanes_least, f32, lanes_f32, f32, min)
LANES_FOLD(lanes_most, f32, lanes_f32, f32, max)
LANES_FOLD(lanes_greatest, u32, ushort16, ushort, max)

#else

/* Whether the mask is set in any lane: where there are vectors this wide the compiler reduces best
 * by itself (10 % of a search in 6 and 12 dimensions with AVX2). */
#if defined(__AVX__) && defined(__has_builtin)
#if __has_builtin(__builtin_reduce_or)
#define lanes_any(mask) (__builtin_reduce_or(mask) != 0)
#endif
#endif
#ifndef lanes_any
#define lanes_any(mask) any((mask).lo | (mask).hi)
#endif

/* A bit a lane. */
static inline u32 lanes_mask(lanes_i32 mask)
{
    const lanes_i32 bits = mask & (lanes_i32)(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048,
                                              4096, 8192, 16384, 32768);
    const int8 eight = bits.lo | bits.hi;
    const int4 four = eight.lo | eight.hi;
    return (u32)(four.x | four.y | four.z | four.w);
}

static inline f32 lanes_least(lanes_f32 v)
{
    const float8 a = min(v.lo, v.hi);
    const float4 b = min(a.lo, a.hi);
    return min(min(b.x, b.y), min(b.z, b.w));
}

static inline f32 lanes_most(lanes_f32 v)
{
    const float8 a = max(v.lo, v.hi);
    const float4 b = max(a.lo, a.hi);
    return max(max(b.x, b.y), max(b.z, b.w));
}

static inline u32 lanes_greatest(ushort16 v)
{
    const ushort8 eight = max(v.lo, v.hi);
    const ushort4 four = max(eight.lo, eight.hi);
    const ushort2 two = max(four.lo, four.hi);
    return max(two.x, two.y);
}

#endif

#endif

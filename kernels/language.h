/* One dialect for OpenCL C 1.2 and C11, so that headers of pure functions compile in both and are
 * unit-tested as host C. Kernel bodies (.cl) use OpenCL's own names.
 *
 * Floats must agree where decisions are made: no contraction, no fast-math; sqrt and division are
 * the device's own (decisions leave the rounding margin for them).
 */
#ifndef KERNELS_LANGUAGE_H
#define KERNELS_LANGUAGE_H

#ifdef __OPENCL_VERSION__

typedef uint u32;
typedef int i32;
typedef ulong u64;
typedef float f32;
#define GLOBAL __global
#define LOCAL __local
#define PRIVATE __private
#define CONSTANT __constant
#define f32_sqrt(x) sqrt(x)
#define f32_abs(x) fabs(x)
#define f32_min(a, b) ((a) < (b) ? (a) : (b))
#define f32_max(a, b) ((a) > (b) ? (a) : (b))
#define f32_floor(x) floor(x)
#define f32_ceil(x) ceil(x)
#define f32_rint(x) rint(x)
#define f32_sin(x) sin(x)
#define f32_atan2(y, x) atan2(y, x)
#define u64_mul_high(a, b) mul_hi(a, b)
#pragma OPENCL FP_CONTRACT OFF

#else

#include <math.h>
#include <stdint.h>

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef float f32;
#define GLOBAL
#define LOCAL
#define PRIVATE
#define CONSTANT static
#define f32_sqrt(x) sqrtf(x)
#define f32_abs(x) fabsf(x)
#define f32_min(a, b) ((a) < (b) ? (a) : (b))
#define f32_max(a, b) ((a) > (b) ? (a) : (b))
#define f32_floor(x) floorf(x)
#define f32_ceil(x) ceilf(x)
#define f32_rint(x) rintf(x)
#define f32_sin(x) sinf(x)
#define f32_atan2(y, x) atan2f(y, x)

/* The upper 64 of the 128 bits of a product. */
static inline u64 u64_mul_high(u64 a, u64 b)
{
    const u64 mask = 0xffffffffu;
    const u64 low = (a & mask) * (b & mask);
    const u64 cross = (a >> 32) * (b & mask) + (low >> 32);
    const u64 other = (a & mask) * (b >> 32) + (cross & mask);
    return (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
}

#endif

/* No index, no edge, no neighbour. */
#define NONE_U32 0xffffffffu

#endif

/* The 16 lanes of a query group, as one vector or as parts of the machine's width.
 *
 * In few dimensions what takes time is insertion: a part's list stays in the machine's registers
 * while all that a tile has is inserted, and a part that nothing of a tile concerns is left out. In
 * more dimensions distances take the time, of rows that matter to hardly any lane, and one vector
 * is faster.
 *
 * -D OCLGRIND: of lanes.h.
 */
#ifndef KERNELS_TILES_PARTS_H
#define KERNELS_TILES_PARTS_H

#ifndef __OPENCL_VERSION__
#error "tiles_parts.h is device code"
#endif

#include "lanes.h"

/* Where search is always exact, and most rows that are reached matter to some lane. */
#define FEW_DIMENSIONS (DOF <= 3)

#if FEW_DIMENSIONS && !defined(__AVX512F__)
#define PARTS 2
#define PART 8
#define PART_OF(word) word##8
#else
#define PARTS 1
#define PART 16
#define PART_OF(word) word##16
#endif
#define ALL_PARTS ((1u << PARTS) - 1)

typedef PART_OF(float) part_f32;
typedef PART_OF(int) part_i32;
typedef PART_OF(uint) part_u32;

#define part_load PART_OF(vload)
#define part_store PART_OF(vstore)
#define part_whole PART_OF(convert_int)
#define part_floats PART_OF(convert_float)
#define part_bits PART_OF(as_uint)
#define part_signed PART_OF(as_int)

#if PARTS == 1
#define part_any lanes_any
#define part_mask lanes_mask
#define part_least lanes_least
#define part_most lanes_most
#elif defined(OCLGRIND)

static inline u32 part_mask(part_i32 mask)
{
    i32 each[PART];
    u32 bits = 0;
    part_store(mask, 0, each);
    for (u32 lane = 0; lane < PART; lane++)
        bits |= (each[lane] != 0 ? 1u : 0u) << lane;
    return bits;
}

#define part_any(mask) (part_mask(mask) != 0)

static inline f32 part_least(part_f32 v)
{
    f32 each[PART];
    part_store(v, 0, each);
    for (u32 lane = 1; lane < PART; lane++)
        each[0] = min(each[0], each[lane]);
    return each[0];
}

static inline f32 part_most(part_f32 v)
{
    return -part_least(-v);
}

#else

#if defined(__AVX__) && defined(__has_builtin)
#if __has_builtin(__builtin_reduce_or)
#define part_any(mask) (__builtin_reduce_or(mask) != 0)
#endif
#endif
#ifndef part_any
#define part_any(mask) any(mask)
#endif

static inline u32 part_mask(part_i32 mask)
{
    const part_i32 bits = mask & (part_i32)(1, 2, 4, 8, 16, 32, 64, 128);
    const int4 four = bits.lo | bits.hi;
    return (u32)(four.x | four.y | four.z | four.w);
}

static inline f32 part_least(part_f32 v)
{
    const float4 four = min(v.lo, v.hi);
    return min(min(four.x, four.y), min(four.z, four.w));
}

static inline f32 part_most(part_f32 v)
{
    const float4 four = max(v.lo, v.hi);
    return max(max(four.x, four.y), max(four.z, four.w));
}

#endif

#endif

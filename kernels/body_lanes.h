/* Values of several configurations at once: the lanes of one vector on CPUs, a single one on GPUs,
 * where a work-item has its own. The same operations in the same order either way.
 *
 * -D BODY_LANES=1|16. A mask is what comparing lanes gives; `&` and `|` join masks, and lane_bits()
 * tells them apart. Compiles as C with one lane. Under -D OCLGRIND there is one lane, too
 * (lanes.h).
 */
#ifndef KERNELS_BODY_LANES_H
#define KERNELS_BODY_LANES_H

#include "language.h"

#ifndef BODY_LANES
#error "BODY_LANES must be 1 or 16"
#endif
#ifdef OCLGRIND
#undef BODY_LANES
#define BODY_LANES 1
#endif

#if BODY_LANES == 16

#include "lanes.h"

typedef lanes_f32 lane_f32;
typedef lanes_i32 lane_i32;
#define lane_any(mask) lanes_any(mask)
#define lane_bits(mask) lanes_mask(mask)
#define lane_not(mask) (~(mask))
#define lane_select(no, yes, mask) select(no, yes, mask)
#define lane_max(a, b) max(a, b)
#define lane_min(a, b) min(a, b)
#define lane_abs(a) fabs(a)
#define lane_to_i32(a) convert_int16(a)
#define lane_load(values) vload16(0, values)
#define lane_store(value, values) vstore16(value, 0, values)
/* values[at] as floats. */
static inline lane_f32 lane_gather(GLOBAL const unsigned char *values, lane_i32 at)
{
    return convert_float16((uchar16)(values[at.s0], values[at.s1], values[at.s2], values[at.s3],
                                     values[at.s4], values[at.s5], values[at.s6], values[at.s7],
                                     values[at.s8], values[at.s9], values[at.sa], values[at.sb],
                                     values[at.sc], values[at.sd], values[at.se], values[at.sf]));
}
#define lane_numbers() ((lane_i32)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

#else

typedef f32 lane_f32;
typedef i32 lane_i32;
#define lane_any(mask) ((mask) != 0)
#define lane_bits(mask) ((mask) ? 1u : 0u)
#define lane_not(mask) (!(mask))
#define lane_select(no, yes, mask) ((mask) ? (yes) : (no))
#define lane_max(a, b) f32_max(a, b)
#define lane_min(a, b) f32_min(a, b)
#define lane_abs(a) f32_abs(a)
#define lane_to_i32(a) ((i32)(a))
#define lane_load(values) (*(values))
#define lane_store(value, values) (*(values) = (value))
#define lane_gather(values, at) ((f32)(values)[at])
#define lane_numbers() (0)

#endif

/* The lanes below n. */
static inline lane_i32 lane_first(u32 n)
{
    return lane_numbers() < (lane_i32)(i32)n;
}

/* Sine and cosine to some 1e-7 for |x| up to a few thousand: reduced to an eighth of a turn about
 * multiples of π/2 (Cody & Waite), then the polynomials of Moshier's Cephes. */
static inline void lane_sincos(lane_f32 x, lane_f32 *sine, lane_f32 *cosine)
{
    const lane_f32 k = f32_rint(x * 0.636619772f);
    const lane_f32 r =
        ((x - k * 1.5703125f) - k * 4.837512969970703125e-4f) - k * 7.549789954891882e-8f;
    const lane_f32 z = r * r;
    const lane_f32 s =
        r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f));
    const lane_f32 c =
        1.0f - 0.5f * z +
        z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
    const lane_i32 quadrant = lane_to_i32(k);
    const lane_i32 odd = (quadrant & 1) != 0;
    const lane_f32 swapped_s = lane_select(s, c, odd), swapped_c = lane_select(c, s, odd);
    *sine = lane_select(swapped_s, -swapped_s, (quadrant & 2) != 0);
    *cosine = lane_select(swapped_c, -swapped_c, ((quadrant + 1) & 2) != 0);
}

#endif

/* Rows and boxes in whole numbers of 13 bits, made by tiles.cl: what tile search on a CPU looks at
 * first (tiles_coded.h).
 *
 * The code of coordinate c is round((x - low[c]) scale), within 0 … CODE_MAX; low and scale are of
 * the box around all points, one scale for all coordinates. Codes of two values so differ by at
 * most 1 more than the values do, in steps of 1 / scale (beyond the box by less): distances by at
 * most √DOF. What is too far by its codes and that is too far by its floats; what is not is looked
 * at again, so that no result depends on codes.
 *
 * Two coordinates are a word, as sums of two products are an instruction's. Of a box the words of
 * its lower, then its upper corner are kept. Of a row r the codes less CODE_CENTRE, with their
 * signs, and before them -floor(r²/2): of a query q then (q - r)² < d is 2 q r - r² > q² - d.
 */
#ifndef KERNELS_TILES_CODES_H
#define KERNELS_TILES_CODES_H

#ifndef __OPENCL_VERSION__
#error "tiles_codes.h is device code"
#endif

#include "embedding.h"

/* Words of a point, what fills the last up is CODE_CENTRE; and of a row. */
#define CODE_WORDS ((DOF + 1) / 2)
#define CODE_ROW (CODE_WORDS + 1)
/* Squared distances stay below 2^31. */
#if DOF <= 32
#define CODE_MAX 8191.0f
#define CODE_CENTRE 4096
#else
#define CODE_MAX 4095.0f
#define CODE_CENTRE 2048
#endif

static inline u32 code_of(f32 x, f32 low, f32 scale)
{
    return (u32)(clamp((x - low) * scale, 0.0f, CODE_MAX) + 0.5f);
}

#endif

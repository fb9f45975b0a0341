/* Drawing one configuration as pure functions: uniformly, and normally about another. Random words
 * come from Philox by number, so that any draw can be made anywhere.
 *
 * The limits that draws keep are two rows, lower and upper ones, in the units of device rows.
 * -D ROW, DOF, and TURNS or QUATERNION where there are such coordinates: of metric.h. A turn's
 * limits are half a turn either way; the first limit in an orientation's place is its weight.
 */
#ifndef KERNELS_SAMPLE_H
#define KERNELS_SAMPLE_H

#include "language.h"
#include "metric.h"
#include "random.h"
#include "sample_types.h"

/* The fourth counter word of samples' words, which no other use of Philox has. */
#define SAMPLE_PHILOX 4u
/* Random words of a draw: one a coordinate, in whole blocks of Philox. */
#define SAMPLE_WORDS ((DOF + 3) / 4 * 4)
/* The words of draw `draw` of a stream. words: u32[SAMPLE_WORDS]. */
static inline void sample_words(PRIVATE u32 *words, u32 purpose, u32 stream, u32 draw, u64 seed)
{
    for (u32 block = 0; block < SAMPLE_WORDS / 4; block++)
        random_philox(words + 4 * block, draw, stream, purpose << 8 | block, SAMPLE_PHILOX,
                      (u32)seed, (u32)(seed >> 32));
}

/* A coordinate at fraction `unit` of its range, never beyond its upper end. */
static inline f32 sample_between(f32 lower, f32 upper, f32 unit)
{
    return f32_min(lower + unit * (upper - lower), upper);
}

/* A value reflected at both ends of a range until it is inside: dense at neither. */
static inline f32 sample_fold(f32 value, f32 lower, f32 upper)
{
    const f32 span = upper - lower;
    if (!(span > 0.0f) || (value >= lower && value <= upper))
        return span > 0.0f ? value : lower;
    f32 turns = (value - lower) / (2.0f * span);
    turns = 2.0f * (turns - f32_floor(turns));
    return sample_between(lower, upper, turns > 1.0f ? 2.0f - turns : turns);
}

/* row = the configuration of DOF numbers in [0, 1), uniform where they are. units: f32[DOF];
 * limits: f32[2][ROW]. */
static inline void sample_uniform_row(PRIVATE f32 *row, const PRIVATE f32 *units,
                                      GLOBAL const f32 *limits)
{
    for (u32 c = 0; c < ROW; c++)
        row[c] = c < DOF ? sample_between(limits[c], limits[ROW + c], units[c]) : 0.0f;
}

/* row = center + sigma times a standard normal variate, in the metric's units, kept within limits;
 * row may be center. words: u32[SAMPLE_WORDS]. */
static inline void sample_near_row(PRIVATE f32 *row, const PRIVATE f32 *center,
                                   const PRIVATE u32 *words, f32 sigma, GLOBAL const f32 *limits)
{
    f32 normals[SAMPLE_WORDS];
    for (u32 c = 0; c < SAMPLE_WORDS; c += 2)
        random_normal(normals + c, words[c], words[c + 1]);
    for (u32 c = 0; c < ROW; c++)
        row[c] = c < DOF ? sample_fold(center[c] + sigma * normals[c], limits[c], limits[ROW + c])
                         : 0.0f;
}

#endif

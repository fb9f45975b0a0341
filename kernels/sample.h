/* Drawing one configuration as pure functions: uniformly, and normally about another. Random words
 * come from Philox by number, so that any draw can be made anywhere.
 *
 * The limits that draws keep are two rows, lower and upper ones, as prm_space_limits() writes them.
 * -D ROW, DOF, and TURNS, QUATERNION, METRIC_WEIGHTS where there are such coordinates: of metric.h.
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

#ifdef QUATERNION
#define SAMPLE_PI 3.14159265358979f

/* q = the orientation of three numbers in [0, 1), uniform where they are (Shoemake 1992). */
static inline void sample_orientation(PRIVATE f32 *q, const PRIVATE f32 *units)
{
    const f32 first = f32_sqrt(1.0f - units[0]), second = f32_sqrt(units[0]);
    q[0] = first * f32_sin(2.0f * SAMPLE_PI * units[1]);
    q[1] = first * f32_sin(2.0f * SAMPLE_PI * units[1] + 0.5f * SAMPLE_PI);
    q[2] = second * f32_sin(2.0f * SAMPLE_PI * units[2]);
    q[3] = second * f32_sin(2.0f * SAMPLE_PI * units[2] + 0.5f * SAMPLE_PI);
}

/* q turned by the rotation vector v, radians; q stays unit. */
static inline void sample_turned(PRIVATE f32 *q, const PRIVATE f32 *v)
{
    const f32 angle = f32_sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const f32 part = angle > 1e-6f ? f32_sin(0.5f * angle) / angle : 0.5f;
    const f32 x = part * v[0], y = part * v[1], z = part * v[2];
    const f32 w = f32_sin(0.5f * angle + 0.5f * SAMPLE_PI);
    const f32 r[4] = {
        q[3] * x + q[0] * w + q[1] * z - q[2] * y, q[3] * y + q[1] * w + q[2] * x - q[0] * z,
        q[3] * z + q[2] * w + q[0] * y - q[1] * x, q[3] * w - q[0] * x - q[1] * y - q[2] * z};
    const f32 length = f32_sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (u32 i = 0; i < 4; i++)
        q[i] = r[i] / length;
}

/* Of q and −q the one with w ≥ 0. */
static inline void sample_upper(PRIVATE f32 *q)
{
    for (u32 i = 0; i < 4 && q[3] < 0.0f; i++)
        q[i] = -q[i];
}
#endif

/* row = the configuration of DOF numbers in [0, 1), uniform where they are. units: f32[DOF];
 * limits: f32[2][ROW]. */
static inline void sample_uniform_row(PRIVATE f32 *row, const PRIVATE f32 *units,
                                      GLOBAL const f32 *limits)
{
    for (u32 c = 0; c < ROW; c++)
        row[c] = c < SCALARS ? sample_between(limits[c], limits[ROW + c], units[c]) : 0.0f;
#ifdef QUATERNION
    sample_orientation(row + QUATERNION, units + QUATERNION);
    sample_upper(row + QUATERNION);
#endif
}

/* row = center + sigma times a standard normal variate, in the metric's units, kept within limits;
 * turns wrap, an orientation is turned by a normal rotation vector. row may be center. words:
 * u32[SAMPLE_WORDS]. */
static inline void sample_near_row(PRIVATE f32 *row, const PRIVATE f32 *center,
                                   const PRIVATE u32 *words, f32 sigma, GLOBAL const f32 *limits)
{
    f32 normals[SAMPLE_WORDS];
    for (u32 c = 0; c < SAMPLE_WORDS; c += 2)
        random_normal(normals + c, words[c], words[c + 1]);
    for (u32 c = 0; c < SCALARS; c++) {
        const f32 value = center[c] + sigma * normals[c];
        row[c] = (TURNS >> c) & 1u ? metric_short(c, value)
                                   : sample_fold(value, limits[c], limits[ROW + c]);
    }
#ifdef QUATERNION
    f32 v[3];
    for (u32 i = 0; i < 3; i++)
        v[i] = sigma / metric_weights[QUATERNION] * normals[QUATERNION + i];
    for (u32 i = 0; i < 4; i++)
        row[QUATERNION + i] = center[QUATERNION + i];
    sample_turned(row + QUATERNION, v);
    sample_upper(row + QUATERNION);
#endif
    for (u32 c = DOF; c < ROW; c++)
        row[c] = 0.0f;
}

#endif

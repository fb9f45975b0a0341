/* Configurations on the device: rows, their distance and interpolation, and where the robot's body
 * is.
 *
 * All coordinates of point and ball are linear with weight 1, so the metric is Euclidean.
 * -D ROW=2|4|8|16|32: floats of a row. -D DOF=n: of which the first n are coordinates; the rest are
 * 0.
 */
#ifndef KERNELS_METRIC_H
#define KERNELS_METRIC_H

#include "geometry.h"
#include "language.h"

#if !defined(ROW) || !defined(DOF) || DOF < 1 || DOF > ROW
#error "ROW must be the floats of a row and DOF the coordinates among them"
#endif

/* Row `index` of rows into registers. */
static inline void row_load(f32 *row, GLOBAL const f32 *rows, u32 index)
{
    for (u32 c = 0; c < ROW; c++)
        row[c] = rows[(u64)index * ROW + c];
}

static inline void row_store(GLOBAL f32 *rows, u32 index, const f32 *row)
{
    for (u32 c = 0; c < ROW; c++)
        rows[(u64)index * ROW + c] = row[c];
}

/* Σ(aᵢ − bᵢ)², summed in the order of the coordinates. */
static inline f32 metric_squared(const f32 *a, const f32 *b)
{
    f32 sum = 0.0f;
    for (u32 c = 0; c < DOF; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

static inline f32 metric_distance(const f32 *a, const f32 *b)
{
    return f32_sqrt(metric_squared(a, b));
}

/* The same of two rows in device memory. */
static inline f32 metric_squared_rows(GLOBAL const f32 *a, GLOBAL const f32 *b)
{
    f32 sum = 0.0f;
    for (u32 c = 0; c < DOF; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

static inline f32 metric_distance_rows(GLOBAL const f32 *a, GLOBAL const f32 *b)
{
    return f32_sqrt(metric_squared_rows(a, b));
}

/* out = a + t (b − a); out may be a or b. */
static inline void metric_interpolate(f32 *out, const f32 *a, const f32 *b, f32 t)
{
    for (u32 c = 0; c < ROW; c++)
        out[c] = a[c] + t * (b[c] - a[c]);
}

/* The reference point of point and ball; z = 0 in the plane. */
static inline struct vec3 row_position(const f32 *row)
{
#if DOF >= 3
    return vec3_make(row[0], row[1], row[2]);
#else
    return vec3_make(row[0], row[1], 0.0f);
#endif
}

/* An edge's integer weight: its length in units of 1 / scale, rounded up. scale: a power of two. */
static inline u32 metric_weight(f32 length, f32 scale)
{
    return (u32)f32_ceil(length * scale);
}

#endif

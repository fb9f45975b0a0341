/* Configurations on the device: rows, their distance and interpolation, and where the robot's body
 * is. The host side is roadmap/robot/metric.h, which says what a row holds.
 *
 * -D ROW=2|4|8|16|32: floats of a row. -D DOF=n: of which the first n are coordinates; the rest are
 * 0. All are linear and the metric is Euclidean, unless there are also
 * -D TURNS=mask: bit c is set where coordinate c is a turn;
 * -D QUATERNION=c: coordinates c … c + 3 are a unit quaternion;
 * -D METRIC_WEIGHTS=…: the weights of all coordinates, as a list.
 */
#ifndef KERNELS_METRIC_H
#define KERNELS_METRIC_H

#include "geometry.h"
#include "language.h"

#if !defined(ROW) || !defined(DOF) || DOF < 1 || DOF > ROW
#error "ROW must be the floats of a row and DOF the coordinates among them"
#endif
#if (defined(TURNS) || defined(QUATERNION)) && !defined(METRIC_WEIGHTS)
#error "METRIC_WEIGHTS must list the weights where coordinates are not all linear"
#endif

#ifndef TURNS
#define TURNS 0u
#endif
#ifdef QUATERNION
#define SCALARS QUATERNION
#else
#define SCALARS DOF
#endif

#ifdef METRIC_WEIGHTS
CONSTANT const f32 metric_weights[DOF] = {METRIC_WEIGHTS};
#define WHOLE_TURN 6.283185307179586f
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

/* d, the difference of scalar coordinate c, by the short way. */
static inline f32 metric_short(u32 c, f32 d)
{
#ifdef METRIC_WEIGHTS
    if ((TURNS >> c) & 1u) {
        const f32 period = WHOLE_TURN * metric_weights[c];
        return d - period * f32_rint(d / period);
    }
#endif
    (void)c;
    return d;
}

#ifdef QUATERNION
/* The angle between the orientations of two unit quaternions: 4 atan2(|a − b|, |a + b|) of those on
 * one side. */
static inline f32 rotation_between(const f32 *a, const f32 *b)
{
    f32 dot = 0.0f, minus = 0.0f, plus = 0.0f;
    for (u32 i = 0; i < 4; i++)
        dot += a[i] * b[i];
    const f32 sign = dot < 0.0f ? -1.0f : 1.0f;
    for (u32 i = 0; i < 4; i++) {
        const f32 p = a[i], q = sign * b[i];
        minus += (p - q) * (p - q);
        plus += (p + q) * (p + q);
    }
    return 4.0f * f32_atan2(f32_sqrt(minus), f32_sqrt(plus));
}
#endif

/* Σ(λᵢΔᵢ)², summed in the order of the coordinates; the same to the last bit both ways. */
static inline f32 metric_squared(const f32 *a, const f32 *b)
{
    f32 sum = 0.0f;
    for (u32 c = 0; c < SCALARS; c++) {
        const f32 d = metric_short(c, a[c] - b[c]);
        sum += d * d;
    }
#ifdef QUATERNION
    const f32 d = metric_weights[QUATERNION] * rotation_between(a + QUATERNION, b + QUATERNION);
    sum += d * d;
#endif
    return sum;
}

static inline f32 metric_distance(const f32 *a, const f32 *b)
{
    return f32_sqrt(metric_squared(a, b));
}

/* The same of two rows in device memory. */
static inline f32 metric_squared_rows(GLOBAL const f32 *a, GLOBAL const f32 *b)
{
#ifdef QUATERNION
    f32 p[ROW], q[ROW];
    row_load(p, a, 0);
    row_load(q, b, 0);
    return metric_squared(p, q);
#else
    f32 sum = 0.0f;
    for (u32 c = 0; c < DOF; c++) {
        const f32 d = metric_short(c, a[c] - b[c]);
        sum += d * d;
    }
    return sum;
#endif
}

static inline f32 metric_distance_rows(GLOBAL const f32 *a, GLOBAL const f32 *b)
{
    return f32_sqrt(metric_squared_rows(a, b));
}

#ifdef QUATERNION
/* q = the way from a to b at fraction t by the short way: a and b weighted by sines, unit again. */
static inline void quaternion_between(f32 *q, const f32 *a, const f32 *b, f32 t)
{
    f32 dot = 0.0f, length = 0.0f;
    for (u32 i = 0; i < 4; i++)
        dot += a[i] * b[i];
    const f32 half_angle = 0.5f * rotation_between(a, b), sine = f32_sin(half_angle);
    // of small angles the weights are those of a straight line
    const f32 from = sine > 1e-4f ? f32_sin((1.0f - t) * half_angle) / sine : 1.0f - t;
    const f32 to =
        (sine > 1e-4f ? f32_sin(t * half_angle) / sine : t) * (dot < 0.0f ? -1.0f : 1.0f);
    f32 mixed[4];
    for (u32 i = 0; i < 4; i++) {
        mixed[i] = from * a[i] + to * b[i];
        length += mixed[i] * mixed[i];
    }
    length = f32_sqrt(length);
    for (u32 i = 0; i < 4; i++)
        q[i] = mixed[i] / length;
}
#endif

/* out = the state at fraction t of the way from a to b; out may be a or b. */
static inline void metric_interpolate(f32 *out, const f32 *a, const f32 *b, f32 t)
{
    for (u32 c = 0; c < SCALARS; c++)
        out[c] = metric_short(c, a[c] + t * metric_short(c, b[c] - a[c]));
#ifdef QUATERNION
    quaternion_between(out + QUATERNION, a + QUATERNION, b + QUATERNION, t);
#endif
    for (u32 c = DOF; c < ROW; c++)
        out[c] = 0.0f;
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

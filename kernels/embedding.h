/* The metric of embedded rows, in which neighbours are searched for.
 *
 * An embedded row holds the linear coordinates as they are in the state's, then λ(cos θ, sin θ) of
 * each turn, then λ/√2 times the nine entries of an orientation's rotation matrix: no neighbour is
 * cut off at ±π, and q and −q are one row. The straight distance of two rows, the chord, never
 * exceeds the true one, Σ linear² + Σ (λ φ)² of the angles φ between. Where a space is all linear
 * both are one, and what is compiled here is the plain sum.
 *
 * An angle comes of a chord as p = |a − b|² and q, with p : q = sin²(φ/2) : cos²(φ/2) and p + q =
 * 4λ². Of a turn q = |a + b|² (Kahan's angle of two vectors); of an orientation, with chord² =
 * 4λ² sin²(φ/2) and all |a|² = 3λ²/2, q = (2 |a + b|² − p) / 3, which leaves angles within 1e-3 of
 * a half turn as uncertain as that. (λφ)² = p h², h = asin(√w)/√w ≥ 1, w = p / (p + q).
 *
 * Exact to the bit where searches need it: equal rows are 0 apart; a and b may be swapped; and as
 * sums are grouped alike, each turn and each orientation by itself, and h is no less than 1, the
 * chord to the nearest place in a box, rounded, is no more than the rounded distance to any row
 * in it.
 *
 * -D ROW, DOF: floats of an embedded row, and coordinates among them, the rest is 0. -D
 * EMBEDDED_TURNS, EMBEDDED_ORIENTATIONS: of the space; none: 0.
 *
 * The macros are for scalars and vectors alike, type being either; their operands are expressions
 * of the coordinate `c`: EMBEDDING_SQUARED(f32, squared, a[c], b[c]).
 */
#ifndef KERNELS_EMBEDDING_H
#define KERNELS_EMBEDDING_H

#include "embedding_types.h"
#include "language.h"

#ifndef EMBEDDED_TURNS
#define EMBEDDED_TURNS 0
#endif
#ifndef EMBEDDED_ORIENTATIONS
#define EMBEDDED_ORIENTATIONS 0
#endif
#define EMBEDDING_LINEAR (DOF - 2 * EMBEDDED_TURNS - 9 * EMBEDDED_ORIENTATIONS)
#if !defined(ROW) || !defined(DOF) || DOF < 1 || DOF > ROW ||                                      \
    DOF < 2 * EMBEDDED_TURNS + 9 * EMBEDDED_ORIENTATIONS || EMBEDDED_ORIENTATIONS > 1
#error "ROW must be the floats of a row and DOF the coordinates among them, those of turns with it"
#endif

/* Whether the distance is more than the chord. */
#define EMBEDDING_CURVED (EMBEDDED_TURNS + EMBEDDED_ORIENTATIONS > 0)

#ifdef __OPENCL_VERSION__
#define EMBEDDING_UNROLL _Pragma("unroll")
#else
#define EMBEDDING_UNROLL
#endif

/* sum += Σ (beside)² over coordinates first … first + count - 1, in their order. */
#define EMBEDDING_ADD(type, sum, first, count, beside)                                             \
    EMBEDDING_UNROLL                                                                               \
    for (u32 c = (first); c < (first) + (count); c++) {                                            \
        const type embedding_beside = (beside);                                                    \
        sum += embedding_beside * embedding_beside;                                                \
    }

/* The sum over the linear coordinates. */
#define EMBEDDING_BEGIN_SOME(type, out, beside)                                                    \
    {                                                                                              \
        const u32 c = 0;                                                                           \
        const type embedding_beside = (beside);                                                    \
        out = embedding_beside * embedding_beside;                                                 \
    }                                                                                              \
    EMBEDDING_ADD(type, out, 1, EMBEDDING_LINEAR - 1, beside)
#define EMBEDDING_BEGIN_NONE(type, out, beside) out = (type)(0.0f);

#if DOF > 2 * EMBEDDED_TURNS + 9 * EMBEDDED_ORIENTATIONS
#define EMBEDDING_BEGIN EMBEDDING_BEGIN_SOME
#else
#define EMBEDDING_BEGIN EMBEDDING_BEGIN_NONE
#endif

/* A turn or an orientation of `count` coordinates by its chord. */
#define EMBEDDING_PART_CHORD(type, out, first, count, beside)                                      \
    {                                                                                              \
        type embedding_part = (type)(0.0f);                                                        \
        EMBEDDING_ADD(type, embedding_part, first, count, beside)                                  \
        out += embedding_part;                                                                     \
    }

/* π/2, and the series of (asin(√w)/√w − 1) / w on 0 … 1/2, within 1e-8 of it. */
#define EMBEDDING_QUARTER 1.57079632679f
#define EMBEDDING_SERIES(type, out, w)                                                             \
    type out = (w)*0.0946973496f - 0.079720716f;                                                   \
    out = out * (w) + 0.0637969764f;                                                               \
    out = out * (w) + 0.010435326f;                                                                \
    out = out * (w) + 0.0319902392f;                                                               \
    out = out * (w) + 0.044538814f;                                                                \
    out = out * (w) + 0.0750025216f;                                                               \
    out = out * (w) + 0.166666657f;

/* out += (λφ)² of p and q, as said above. Never less than p, which of two infinite rows' angle,
 * that is none, leaves infinity. */
#define EMBEDDING_ADD_ANGLE(type, out, p, q)                                                       \
    {                                                                                              \
        const type embedding_all = (p) + (q);                                                      \
        const type embedding_least = f32_min(p, q);                                                \
        const type embedding_w = embedding_least / embedding_all;                                  \
        EMBEDDING_SERIES(type, embedding_series, embedding_w)                                      \
        const type embedding_h = embedding_w * embedding_series + 1.0f;                            \
        const type embedding_half = EMBEDDING_QUARTER - f32_sqrt(embedding_w) * embedding_h;       \
        const type embedding_near = (p) * (embedding_h * embedding_h);                             \
        const type embedding_far = embedding_all * (embedding_half * embedding_half);              \
        const type embedding_angle = (p) <= (q) ? embedding_near : embedding_far;                  \
        out += f32_max(embedding_angle, p);                                                        \
    }

/* A turn or an orientation of `count` coordinates by its angle; q is made of p and |a + b|². */
#define EMBEDDING_PART_SQUARED(type, out, first, count, a, b, q)                                   \
    {                                                                                              \
        type embedding_p = (type)(0.0f), embedding_m = (type)(0.0f);                               \
        EMBEDDING_ADD(type, embedding_p, first, count, (a) - (b))                                  \
        EMBEDDING_ADD(type, embedding_m, first, count, (a) + (b))                                  \
        const type embedding_q = q(type, embedding_p, embedding_m);                                \
        EMBEDDING_ADD_ANGLE(type, out, embedding_p, embedding_q)                                   \
    }
#define EMBEDDING_TURN_Q(type, p, m) (m)
#define EMBEDDING_ORIENTATION_Q(type, p, m) f32_max(((m)*2.0f - (p)) * (1.0f / 3.0f), (type)(0.0f))

#if EMBEDDED_TURNS > 0
#define EMBEDDING_TURNS_CHORD(type, out, beside)                                                   \
    EMBEDDING_UNROLL                                                                               \
    for (u32 turn = EMBEDDING_LINEAR; turn < EMBEDDING_LINEAR + 2 * EMBEDDED_TURNS; turn += 2)     \
    EMBEDDING_PART_CHORD(type, out, turn, TURN_FLOATS, beside)
#define EMBEDDING_TURNS_SQUARED(type, out, a, b)                                                   \
    EMBEDDING_UNROLL                                                                               \
    for (u32 turn = EMBEDDING_LINEAR; turn < EMBEDDING_LINEAR + 2 * EMBEDDED_TURNS; turn += 2)     \
    EMBEDDING_PART_SQUARED(type, out, turn, TURN_FLOATS, a, b, EMBEDDING_TURN_Q)
#else
#define EMBEDDING_TURNS_CHORD(type, out, beside)
#define EMBEDDING_TURNS_SQUARED(type, out, a, b)
#endif

#if EMBEDDED_ORIENTATIONS > 0
#define EMBEDDING_ORIENTATION_CHORD(type, out, beside)                                             \
    EMBEDDING_PART_CHORD(type, out, DOF - 9, ORIENTATION_FLOATS, beside)
#define EMBEDDING_ORIENTATION_SQUARED(type, out, a, b)                                             \
    EMBEDDING_PART_SQUARED(type, out, DOF - 9, ORIENTATION_FLOATS, a, b, EMBEDDING_ORIENTATION_Q)
#else
#define EMBEDDING_ORIENTATION_CHORD(type, out, beside)
#define EMBEDDING_ORIENTATION_SQUARED(type, out, a, b)
#endif

/* out = the square of a chord, `beside` its part along coordinate c. */
#define EMBEDDING_CHORD(type, out, beside)                                                         \
    do {                                                                                           \
        EMBEDDING_BEGIN(type, out, beside)                                                         \
        EMBEDDING_TURNS_CHORD(type, out, beside)                                                   \
        EMBEDDING_ORIENTATION_CHORD(type, out, beside)                                             \
    } while (0)

/* out = the square of the distance of a and b. */
#define EMBEDDING_SQUARED(type, out, a, b)                                                         \
    do {                                                                                           \
        EMBEDDING_BEGIN(type, out, (a) - (b))                                                      \
        EMBEDDING_TURNS_SQUARED(type, out, a, b)                                                   \
        EMBEDDING_ORIENTATION_SQUARED(type, out, a, b)                                             \
    } while (0)

/* The same where the chord is below `limit`, else only some number that is not: most rows that a
 * search meets are too far by their chords already. any(mask): whether it is set in any lane. */
#if EMBEDDING_CURVED
#define EMBEDDING_SQUARED_WITHIN(type, out, a, b, limit, any)                                      \
    do {                                                                                           \
        EMBEDDING_CHORD(type, out, (a) - (b));                                                     \
        if (any((out) < (limit)))                                                                  \
            EMBEDDING_SQUARED(type, out, a, b);                                                    \
    } while (0)
#else
#define EMBEDDING_SQUARED_WITHIN(type, out, a, b, limit, any) EMBEDDING_SQUARED(type, out, a, b)
#endif

/* The squared distance of two rows in device memory. */
static inline f32 embedding_squared_rows(GLOBAL const f32 *a, GLOBAL const f32 *b)
{
    f32 squared;
    EMBEDDING_SQUARED(f32, squared, a[c], b[c]);
    return squared;
}

#endif

/* The metric of embedded rows, in which neighbours are searched for.
 *
 * An embedded row holds the linear coordinates as they are in the state's, then λ(cos θ, sin θ) of
 * each turn, then λ/√2 times the nine entries of an orientation's rotation matrix: no neighbour is
 * cut off at ±π, and q and −q are one row. The straight distance of two rows, the chord, never
 * exceeds the true one, Σ linear² + Σ (λφ)² of the angles φ between. Where a space is all linear
 * both are one, and what is compiled here is the plain sum.
 *
 * Of a turn and of an orientation p = chord² = 4λ² w with w = sin²(φ/2), so that (λφ)² = p g(w),
 * g(w) = (asin √w)² / w ≥ 1. Beyond a quarter turn φ comes of the rest of a half turn: with q = 4λ²
 * cos²(φ/2), (λφ)² = 4λ² (π/2 − √(v g(v)))², v = q / 4λ². Of a turn q = |a + b|² (Kahan's angle of
 * two vectors); of an orientation 4λ² − p, which leaves angles within 1e-3 of a half turn as
 * uncertain as that.
 *
 * Exact to the bit where searches need it: equal rows are 0 apart; a and b may be swapped; and as
 * sums are grouped alike, each turn and each orientation by itself, and g is no less than 1, the
 * chord to the nearest place in a box, rounded, is no more than the rounded distance to any row
 * in it.
 *
 * -D ROW, DOF: floats of an embedded row, and coordinates among them, the rest is 0. Unless all are
 * linear, -D EMBEDDED_TURNS, EMBEDDED_ORIENTATIONS: of the space; -D EMBEDDED_WEIGHTS=…: λ of each
 * turn, then of the orientation, as a list.
 *
 * The macros are for scalars and vectors alike, type being either; their operands are expressions
 * of the coordinate `c`, and any(mask) tells whether it is set in any lane, of scalars
 * EMBEDDING_ONE: EMBEDDING_SQUARED(f32, squared, a[c], b[c], EMBEDDING_ONE).
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

/* Whether the distance is more than the chord; its square by at most so much, π²/4 for a half turn.
 */
#define EMBEDDING_CURVED (EMBEDDED_TURNS + EMBEDDED_ORIENTATIONS > 0)
#if EMBEDDING_CURVED
#define EMBEDDING_STRETCH 2.4675f
#else
#define EMBEDDING_STRETCH 1.0f
#endif
#if EMBEDDING_CURVED && !defined(EMBEDDED_WEIGHTS)
#error "EMBEDDED_WEIGHTS must list the weights of turns and an orientation"
#endif

#ifdef __OPENCL_VERSION__
#define EMBEDDING_UNROLL _Pragma("unroll")
#define EMBEDDING_CONSTANT __constant
#else
#define EMBEDDING_UNROLL
#define EMBEDDING_CONSTANT static
#endif

#if EMBEDDING_CURVED
EMBEDDING_CONSTANT const f32 embedding_weights[EMBEDDED_TURNS + EMBEDDED_ORIENTATIONS] = {
    EMBEDDED_WEIGHTS};
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

/* The mask of a scalar. */
#define EMBEDDING_ONE(mask) (mask)

#define EMBEDDING_QUARTER 1.57079632679f

/* out = g(w) on 0 … 1/2, within 3e-8 of it and never less than 1. */
#define EMBEDDING_SERIES(type, out, w)                                                             \
    type out = (w)*0.277943212f - 0.236343575f;                                                    \
    out = out * (w) + 0.185708185f;                                                                \
    out = out * (w) + 0.0263422295f;                                                               \
    out = out * (w) + 0.0860173091f;                                                               \
    out = out * (w) + 0.11397854f;                                                                 \
    out = out * (w) + 0.177785223f;                                                                \
    out = out * (w) + 0.333333304f;                                                                \
    out = out * (w) + 1.0f;

/* sum += (λφ)² of a turn or an orientation of `count` coordinates; rest: q of what is said above,
 * made of p, 4λ² and the operands. Never less than p, which infinite rows, that have no angle,
 * leave at infinity. */
#define EMBEDDING_PART_SQUARED(type, sum, first, count, a, b, any, weight, rest)                   \
    {                                                                                              \
        const f32 embedding_whole = 4.0f * (weight) * (weight);                                    \
        const f32 embedding_scale = 1.0f / embedding_whole;                                        \
        type embedding_p = (type)(0.0f);                                                           \
        EMBEDDING_ADD(type, embedding_p, first, count, (a) - (b))                                  \
        const type embedding_w = embedding_p * embedding_scale;                                    \
        EMBEDDING_SERIES(type, embedding_g, embedding_w)                                           \
        type embedding_part = embedding_p * embedding_g;                                           \
        if (any(embedding_w > 0.5f)) {                                                             \
            type embedding_q = (type)(0.0f);                                                       \
            rest(type, embedding_q, first, count, a, b, embedding_p, embedding_whole)              \
                const type embedding_v = embedding_q * embedding_scale;                            \
            EMBEDDING_SERIES(type, embedding_h, embedding_v)                                       \
            const type embedding_half = EMBEDDING_QUARTER - f32_sqrt(embedding_v * embedding_h);   \
            const type embedding_far = embedding_whole * (embedding_half * embedding_half);        \
            embedding_part = embedding_w > 0.5f ? embedding_far : embedding_part;                  \
        }                                                                                          \
        sum += f32_max(embedding_part, embedding_p);                                               \
    }
#define EMBEDDING_TURN_REST(type, q, first, count, a, b, p, whole)                                 \
    EMBEDDING_ADD(type, q, first, count, (a) + (b))
#define EMBEDDING_ORIENTATION_REST(type, q, first, count, a, b, p, whole)                          \
    q = f32_max((whole) - (p), q);

#if EMBEDDED_TURNS > 0
#define EMBEDDING_TURNS_CHORD(type, out, beside)                                                   \
    EMBEDDING_UNROLL                                                                               \
    for (u32 turn = EMBEDDING_LINEAR; turn < EMBEDDING_LINEAR + 2 * EMBEDDED_TURNS; turn += 2)     \
    EMBEDDING_PART_CHORD(type, out, turn, TURN_FLOATS, beside)
#define EMBEDDING_TURNS_SQUARED(type, out, a, b, any)                                              \
    EMBEDDING_UNROLL                                                                               \
    for (u32 turn = 0; turn < EMBEDDED_TURNS; turn++)                                              \
    EMBEDDING_PART_SQUARED(type, out, EMBEDDING_LINEAR + 2 * turn, TURN_FLOATS, a, b, any,         \
                           embedding_weights[turn], EMBEDDING_TURN_REST)
#else
#define EMBEDDING_TURNS_CHORD(type, out, beside)
#define EMBEDDING_TURNS_SQUARED(type, out, a, b, any)
#endif

#if EMBEDDED_ORIENTATIONS > 0
#define EMBEDDING_ORIENTATION_CHORD(type, out, beside)                                             \
    EMBEDDING_PART_CHORD(type, out, DOF - 9, ORIENTATION_FLOATS, beside)
#define EMBEDDING_ORIENTATION_SQUARED(type, out, a, b, any)                                        \
    EMBEDDING_PART_SQUARED(type, out, DOF - 9, ORIENTATION_FLOATS, a, b, any,                      \
                           embedding_weights[EMBEDDED_TURNS], EMBEDDING_ORIENTATION_REST)
#else
#define EMBEDDING_ORIENTATION_CHORD(type, out, beside)
#define EMBEDDING_ORIENTATION_SQUARED(type, out, a, b, any)
#endif

/* out = the square of a chord, `beside` its part along coordinate c. */
#define EMBEDDING_CHORD(type, out, beside)                                                         \
    do {                                                                                           \
        EMBEDDING_BEGIN(type, out, beside)                                                         \
        EMBEDDING_TURNS_CHORD(type, out, beside)                                                   \
        EMBEDDING_ORIENTATION_CHORD(type, out, beside)                                             \
    } while (0)

/* out = the square of the distance of a and b. */
#define EMBEDDING_SQUARED(type, out, a, b, any)                                                    \
    do {                                                                                           \
        EMBEDDING_BEGIN(type, out, (a) - (b))                                                      \
        EMBEDDING_TURNS_SQUARED(type, out, a, b, any)                                              \
        EMBEDDING_ORIENTATION_SQUARED(type, out, a, b, any)                                        \
    } while (0)

/* The same where the chord is below `limit`, else only some number that is not: most rows that a
 * search meets are too far by their chords already. */
#if EMBEDDING_CURVED
#define EMBEDDING_SQUARED_WITHIN(type, out, a, b, limit, any)                                      \
    do {                                                                                           \
        EMBEDDING_CHORD(type, out, (a) - (b));                                                     \
        if (any((out) < (limit)))                                                                  \
            EMBEDDING_SQUARED(type, out, a, b, any);                                               \
    } while (0)
#else
#define EMBEDDING_SQUARED_WITHIN(type, out, a, b, limit, any)                                      \
    EMBEDDING_SQUARED(type, out, a, b, any)
#endif

/* The squared distance of two rows in device memory. */
static inline f32 embedding_squared_rows(GLOBAL const f32 *a, GLOBAL const f32 *b)
{
    f32 squared;
    EMBEDDING_SQUARED(f32, squared, a[c], b[c], EMBEDDING_ONE);
    return squared;
}

#endif

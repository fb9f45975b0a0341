/* Tile search on a CPU by codes (tiles_codes.h): most rows and boxes are seen to be too far by
 * them, in a third of the time that floats take. Included by tiles_lists.h.
 *
 * CODED tells whether it is done: in more than a few dimensions, where the machine sums the
 * products of sixteen pairs of 16 bits at once.
 */
#ifndef KERNELS_TILES_CODED_H
#define KERNELS_TILES_CODED_H

#ifndef __OPENCL_VERSION__
#error "tiles_coded.h is device code"
#endif

#include "tiles_codes.h"
#include "tiles_parts.h"

#if defined(__AVX2__) && defined(__has_builtin) && !FEW_DIMENSIONS
#if __has_builtin(__builtin_ia32_pmaddwd256) && __has_builtin(__builtin_reduce_or)
#define CODED 1
#endif
#endif
#ifndef CODED
#define CODED 0
#endif

#if CODED

/* Rows that are looked at together. */
#define CODE_ROWS 4
/* Relative, beyond the rounding of floats; what codes of a coordinate may differ by at most; and
 * the greatest float below 2^31. */
#define CODE_SLACK 1e-5f
#define CODE_STEP 1.01f
#define CODE_FAR 2147483520.0f

/* The queries, eight lanes a vector: two coordinates of a lane beside each other. */
struct coded {
    ushort16 pairs[CODE_WORDS][2];
    short16 centred[CODE_WORDS][2];
    int8 squared[2]; /* of what is centred */
    f32 scale;
    f32 root_alpha; /* of the limit of boxes */
};

/* In squared steps, of eight lanes each: above which (2 q r - r²) / 2 of rows, and below which
 * distances of boxes are that may be near enough, or surely are. */
struct code_limits {
    int8 rows[2], boxes[2], sure[2];
};

/* Sums of two neighbours' products each. */
static inline int8 code_products(short16 v, short16 w)
{
    return __builtin_ia32_pmaddwd256(v, w);
}

static inline int8 code_squares(ushort16 v)
{
    return code_products(as_short16(v), as_short16(v));
}

static inline ushort16 code_word(u32 word)
{
    return as_ushort16((uint8)(word));
}

/* The codes of the lanes' coordinates, f32[DOF][16]; frame: f32[DOF] lows, then the scale. */
static inline void coded_begin(struct coded *coded, const f32 *query, __global const f32 *frame,
                               f32 alpha)
{
    ushort each[2 * CODE_WORDS * 16];
    coded->scale = frame[DOF];
    coded->root_alpha = sqrt(alpha);
    for (u32 c = 0; c < 2 * CODE_WORDS; c++)
        for (u32 lane = 0; lane < 16; lane++)
            each[(c / 2 * 16 + lane) * 2 + c % 2] =
                c < DOF ? code_of(query[c * 16 + lane], frame[c], coded->scale) : CODE_CENTRE;
    coded->squared[0] = coded->squared[1] = (int8)(0);
    for (u32 i = 0; i < 2 * CODE_WORDS; i++) {
        const ushort16 pair = vload16(i, each);
        const short16 centred = as_short16(pair) - (short16)(CODE_CENTRE);
        coded->pairs[i / 2][i % 2] = pair;
        coded->centred[i / 2][i % 2] = centred;
        coded->squared[i % 2] += code_products(centred, centred);
    }
}

/* The least whole number above the square of `steps`; where those are below 0, 0. */
static inline void code_limit(int8 *limit, float16 steps)
{
    const float16 least = max(steps, (float16)(0.0f));
    const int16 whole = convert_int16(min(least * least, (float16)(CODE_FAR))) + (steps < 0.0f) + 1;
    limit[0] = whole.lo;
    limit[1] = whole.hi;
}

/* Where lists reach as far as `squared`. */
static inline void code_limits_set(struct code_limits *limits, const struct coded *coded,
                                   float16 squared)
{
    const f32 apart = CODE_STEP * sqrt((f32)DOF);
    const float16 steps = sqrt(squared) * coded->scale, near = coded->root_alpha * steps;
    code_limit(limits->rows, steps * (1 + CODE_SLACK) + apart);
    limits->rows[0] = (coded->squared[0] - limits->rows[0]) >> 1;
    limits->rows[1] = (coded->squared[1] - limits->rows[1]) >> 1;
    code_limit(limits->boxes, near * (1 + CODE_SLACK) + apart);
    code_limit(limits->sure, coded->root_alpha < 1.0f ? near * (1 - CODE_SLACK) - apart
                                                      : near * (1 + CODE_SLACK) + apart);
}

/* Whether a mask of the one or the other eight lanes has any. */
static inline bool code_any(int8 a, int8 b)
{
    return __builtin_reduce_or(a | b) != 0;
}

/* Whether any lane has a box near enough; its words: the lower, then the upper corner's. */
enum code_verdict { CODE_BEYOND, CODE_OPEN, CODE_WITHIN };
static inline enum code_verdict
coded_beside(const struct coded *coded, const struct code_limits *limits, __global const u32 *box)
{
    int8 a = (int8)(0), b = (int8)(0);
#pragma unroll
    for (u32 i = 0; i < CODE_WORDS; i++) {
        const ushort16 low = code_word(box[i]), high = code_word(box[CODE_WORDS + i]);
        const ushort16 p = coded->pairs[i][0], q = coded->pairs[i][1];
        a += code_squares(sub_sat(low, p) | sub_sat(p, high));
        b += code_squares(sub_sat(low, q) | sub_sat(q, high));
    }
    if (!code_any(a < limits->boxes[0], b < limits->boxes[1]))
        return CODE_BEYOND;
    return code_any(a < limits->sure[0], b < limits->sure[1]) ? CODE_WITHIN : CODE_OPEN;
}

/* A bit for each of `count` rows, a multiple of CODE_ROWS, that any lane may have near enough. */
static inline u32 coded_rows(const struct coded *coded, const struct code_limits *limits,
                             __global const u32 *rows, u32 count)
{
    u32 near = 0;
    for (u32 row = 0; row < count; row += CODE_ROWS, rows += CODE_ROWS * CODE_ROW) {
        int8 a[CODE_ROWS], b[CODE_ROWS];
#pragma unroll
        for (u32 r = 0; r < CODE_ROWS; r++)
            a[r] = b[r] = (int8)((i32)rows[r * CODE_ROW]);
#pragma unroll
        for (u32 i = 0; i < CODE_WORDS; i++) {
            const short16 p = coded->centred[i][0], q = coded->centred[i][1];
#pragma unroll
            for (u32 r = 0; r < CODE_ROWS; r++) {
                const short16 word = as_short16(code_word(rows[r * CODE_ROW + 1 + i]));
                a[r] += code_products(word, p);
                b[r] += code_products(word, q);
            }
        }
#pragma unroll
        for (u32 r = 0; r < CODE_ROWS; r++)
            near |= (code_any(a[r] > limits->rows[0], b[r] > limits->rows[1]) ? 1u : 0u)
                    << (row + r);
    }
    return near;
}

#endif

#endif

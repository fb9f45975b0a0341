/* Random numbers as pure functions, the same on host and device.
 *
 * Mersenne Twister MT19937 (Matsumoto & Nishimura 1998), state of 624 words; Philox 4x32-10 (Salmon
 * et al. 2011), a keyed bijection of counters, without state; normal variates from either; Halton's
 * radical inverses (1960) and Roberts' R_d (2018) to 24 bits, in integers, so that they are exact
 * everywhere.
 */
#ifndef KERNELS_RANDOM_H
#define KERNELS_RANDOM_H

#include "language.h"

#define RANDOM_MT_WORDS 624u
#define RANDOM_MT_MIDDLE 397u
#define RANDOM_UNIT_BITS 24
#define RANDOM_DIMENSIONS_MAX 32

/* A word's upper 24 bits as a float in [0, 1); all 24 are kept. */
static inline f32 random_unit(u32 word)
{
    return (f32)(word >> (32 - RANDOM_UNIT_BITS)) * (1.0f / (f32)(1u << RANDOM_UNIT_BITS));
}

/* Initialises the state from one word (Knuth's linear recurrence). state: u32[624]. */
static inline void random_mt_init(PRIVATE u32 *state, u32 seed)
{
    state[0] = seed;
    for (u32 k = 1; k < RANDOM_MT_WORDS; k++)
        state[k] = 1812433253u * (state[k - 1] ^ (state[k - 1] >> 30)) + k;
}

/* Initialises the state from an array of at most 624 words: init_by_array of the 2002 reference. */
static inline void random_mt_init_by_array(PRIVATE u32 *state, const PRIVATE u32 *key, u32 length)
{
    random_mt_init(state, 19650218u);
    u32 i = 1;
    u32 j = 0;
    for (u32 k = 0; k < RANDOM_MT_WORDS; k++) {
        state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1664525u)) + key[j] + j;
        if (++i == RANDOM_MT_WORDS) {
            state[0] = state[RANDOM_MT_WORDS - 1];
            i = 1;
        }
        if (++j == length)
            j = 0;
    }
    for (u32 k = 0; k < RANDOM_MT_WORDS - 1; k++) {
        state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1566083941u)) - i;
        if (++i == RANDOM_MT_WORDS) {
            state[0] = state[RANDOM_MT_WORDS - 1];
            i = 1;
        }
    }
    state[0] = 0x80000000u;
}

/* One word of the recurrence from itself, its successor and the word 397 on. */
static inline u32 random_mt_next(u32 word, u32 successor, u32 middle)
{
    const u32 joined = (word & 0x80000000u) | (successor & 0x7fffffffu);
    return middle ^ (joined >> 1) ^ ((0u - (joined & 1u)) & 0x9908b0dfu);
}

/* The next 624 words, in place. */
static inline void random_mt_twist(PRIVATE u32 *state)
{
    const u32 rest = RANDOM_MT_WORDS - RANDOM_MT_MIDDLE;
    for (u32 k = 0; k < rest; k++)
        state[k] = random_mt_next(state[k], state[k + 1], state[k + RANDOM_MT_MIDDLE]);
    for (u32 k = rest; k < RANDOM_MT_WORDS - 1; k++)
        state[k] = random_mt_next(state[k], state[k + 1], state[k - rest]);
    state[RANDOM_MT_WORDS - 1] =
        random_mt_next(state[RANDOM_MT_WORDS - 1], state[0], state[RANDOM_MT_MIDDLE - 1]);
}

/* The output of a word of the state. */
static inline u32 random_mt_temper(u32 word)
{
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    return word ^ (word >> 18);
}

/* out = Philox 4x32-10 of the counter (four words) under the key of two words; out: u32[4]. */
static inline void random_philox(PRIVATE u32 *out, u32 c0, u32 c1, u32 c2, u32 c3, u32 key0,
                                 u32 key1)
{
    for (u32 round = 0; round < 10; round++) {
        const u64 product0 = (u64)0xd2511f53u * c0;
        const u64 product1 = (u64)0xcd9e8d57u * c2;
        c0 = (u32)(product1 >> 32) ^ c1 ^ key0;
        c1 = (u32)product1;
        c2 = (u32)(product0 >> 32) ^ c3 ^ key1;
        c3 = (u32)product0;
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* The fourth counter word of sequences of numbers, which no other use has. */
#define RANDOM_PHILOX_NUMBERS 3u

/* Words 4 block … 4 block + 3 of the sequence of `seed`; out: u32[4]. */
static inline void random_philox_block(PRIVATE u32 *out, u64 block, u64 seed)
{
    random_philox(out, (u32)block, (u32)(block >> 32), 0, RANDOM_PHILOX_NUMBERS, (u32)seed,
                  (u32)(seed >> 32));
}

/* log(m / 2^24) for m = 1 … 2^24, by additions and products alone, so the same everywhere: Cephes'
 * logf (Moshier 1992). */
static inline f32 random_log_unit(u32 m)
{
    // m = x 2^exponent, x in [sqrt(1/2), sqrt(2))
    const f32 root_half = 0.70710678f;
    f32 x = (f32)m * (1.0f / 16777216.0f);
    f32 exponent = 0.0f;
    while (x < root_half) {
        x *= 2.0f;
        exponent -= 1.0f;
    }
    x -= 1.0f;
    f32 y = 7.0376836292e-2f;
    y = y * x - 1.1514610310e-1f;
    y = y * x + 1.1676998740e-1f;
    y = y * x - 1.2420140846e-1f;
    y = y * x + 1.4249322787e-1f;
    y = y * x - 1.6668057665e-1f;
    y = y * x + 2.0000714765e-1f;
    y = y * x - 2.4999993993e-1f;
    y = y * x + 3.3333331174e-1f;
    const f32 square = x * x;
    y = y * x * square - 2.12194440e-4f * exponent - 0.5f * square;
    return x + y + 0.693359375f * exponent;
}

/* sqrt(x) of x >= 0, neither tiny nor huge, the same everywhere: Newton's iteration of x^(-1/2) for
 * the x in [1, 4) that is a power of 4 off. */
static inline f32 random_sqrt(f32 x)
{
    if (!(x > 0.0f))
        return 0.0f;
    f32 scale = 1.0f;
    while (x < 1.0f) {
        x *= 4.0f;
        scale *= 0.5f;
    }
    while (x >= 4.0f) {
        x *= 0.25f;
        scale *= 2.0f;
    }
    f32 y = 1.1f - 0.16f * x;
    for (u32 step = 0; step < 4; step++)
        y = y * (1.5f - 0.5f * x * y * y);
    return x * y * scale;
}

/* Two independent standard normal variates from two words (Box & Muller 1958), by additions and
 * products alone, so the same everywhere. pair: f32[2]. */
static inline void random_normal(PRIVATE f32 *pair, u32 word0, u32 word1)
{
    const u32 octant_bits = RANDOM_UNIT_BITS - 3;
    const f32 radius = random_sqrt(-2.0f * random_log_unit((word0 >> (32 - RANDOM_UNIT_BITS)) + 1));

    // the angle in [0, pi/4) of its octant, mirrored in odd ones
    const u32 turn = word1 >> (32 - RANDOM_UNIT_BITS);
    const u32 octant = turn >> octant_bits;
    const u32 whole = 1u << octant_bits;
    const u32 rest = turn & (whole - 1);
    const f32 angle = (f32)(octant & 1 ? whole - rest : rest) * (0.78539816f / 2097152.0f);
    const f32 square = angle * angle;
    f32 sine = -1.9515295891e-4f;
    sine = sine * square + 8.3321608736e-3f;
    sine = sine * square - 1.6666654611e-1f;
    sine = sine * square * angle + angle;
    f32 cosine = 2.443315711809948e-5f;
    cosine = cosine * square - 1.388731625493765e-3f;
    cosine = cosine * square + 4.166664568298827e-2f;
    cosine = cosine * square * square - 0.5f * square + 1.0f;

    // octants 1 and 2 of each half turn swap them, the quadrants set the signs
    const u32 swapped = (octant + 1) & 2;
    const f32 x = swapped ? sine : cosine;
    const f32 y = swapped ? cosine : sine;
    pair[0] = radius * (octant >= 2 && octant < 6 ? -x : x);
    pair[1] = radius * (octant >= 4 ? -y : y);
}

#ifdef __OPENCL_VERSION__
__constant u32
#else
static const u32
#endif
    RANDOM_PRIMES[RANDOM_DIMENSIONS_MAX] = {2,  3,  5,  7,   11,  13,  17,  19,  23,  29, 31,
                                            37, 41, 43, 47,  53,  59,  61,  67,  71,  73, 79,
                                            83, 89, 97, 101, 103, 107, 109, 113, 127, 131};

/* A coordinate of the Halton sequence is the radical inverse of the row's number in the axis' base:
 * M / S, where S = base^K is the greatest power up to 2^38 and M the lowest K digits of the number
 * mirrored; here floor(2^24 M / S), exactly, plus the seed's rotation. The numbers of a run, which
 * differ in their lowest digits alone, share the higher digits' part of it, and a table has the
 * lowest digits' part: both in units of 2^-64, rounded up by less than 3 of them together, where M
 * / S is no nearer than 4 below a multiple of 2^-24. */
struct random_halton {
    u32 base;
    u32 run;        /* numbers of a run, a power of the base */
    u64 span;       /* S / run */
    u64 reciprocal; /* 2^(64 + shift) / S, rounded down, for 2^shift < S */
    u32 shift;
    u32 turn; /* the rotation */
};

#define RANDOM_HALTON_SCALE_MAX ((u64)1 << 38)
/* A run is the base itself, or its greatest power up to this. */
#define RANDOM_HALTON_RUN_MAX 64u
/* Numbers of a run of each axis together, of 32 axes. */
#define RANDOM_HALTON_RUNS 1999u

static inline u32 random_halton_run(u32 base)
{
    u32 run = base;
    while (run * base <= RANDOM_HALTON_RUN_MAX)
        run *= base;
    return run;
}

/* What an axis < 32 needs. The seed rotates it unless that is 0 (Cranley & Patterson 1976). */
static inline struct random_halton random_halton_of(u32 axis, u64 seed)
{
    struct random_halton halton;
    halton.base = RANDOM_PRIMES[axis];
    halton.run = random_halton_run(halton.base);
    u64 scale = halton.base;
    halton.span = 1;
    while (scale <= RANDOM_HALTON_SCALE_MAX / halton.base) {
        scale *= halton.base;
        if (scale > halton.run)
            halton.span *= halton.base;
    }
    halton.shift = 0;
    while ((u64)2 << halton.shift < scale)
        halton.shift++;

    // long division of 2^(64 + shift), by digits of 16 bits
    u64 rest = (u64)1 << halton.shift;
    halton.reciprocal = 0;
    for (u32 digit = 0; digit < 4; digit++) {
        const u64 part = rest << 16;
        const u64 quotient = part / scale;
        halton.reciprocal = halton.reciprocal << 16 | quotient;
        rest = part - quotient * scale;
    }
    halton.turn = 0;
    if (seed != 0) {
        u32 rotation[4];
        random_philox(rotation, axis, 0, 0, 0, (u32)seed, (u32)(seed >> 32));
        halton.turn = rotation[0] >> (32 - RANDOM_UNIT_BITS);
    }
    return halton;
}

/* The table's entry of number r of a run: its digits' part, in units of 2^-64. */
static inline u64 random_halton_low(const PRIVATE struct random_halton *halton, u32 r)
{
    u32 mirrored = 0;
    for (u32 weight = halton->run / halton->base; weight > 0; weight /= halton->base) {
        const u32 rest = r / halton->base;
        mirrored += (r - rest * halton->base) * weight;
        r = rest;
    }
    // 2^64 = quotient run + rest, 0 < rest <= run
    const u64 quotient = ~(u64)0 / halton->run;
    const u32 rest = (u32)(~(u64)0 - quotient * halton->run) + 1;
    return quotient * mirrored + (rest * mirrored + halton->run - 1) / halton->run;
}

/* The higher digits of the numbers of run q, mirrored: below `span`. */
static inline u64 random_halton_mirrored(const PRIVATE struct random_halton *halton, u64 q)
{
    u64 mirrored = 0;
    for (u64 weight = halton->span / halton->base; weight > 0 && q > 0; weight /= halton->base) {
        const u64 rest = q / halton->base;
        mirrored += (q - rest * halton->base) * weight;
        q = rest;
    }
    return mirrored;
}

/* Those of the next run: 1 is added at the point, and carried away from it. */
static inline u64 random_halton_next(const PRIVATE struct random_halton *halton, u64 mirrored)
{
    u64 span = halton->span;
    while (span > 1) {
        const u64 weight = span / halton->base;
        if (mirrored < span - weight)
            return mirrored + weight;
        mirrored -= span - weight;
        span = weight;
    }
    return 0;
}

/* The part of a run's higher digits, in units of 2^-64. */
static inline u64 random_halton_high(const PRIVATE struct random_halton *halton, u64 mirrored)
{
    const u64 high = u64_mul_high(mirrored, halton->reciprocal);
    const u64 low = mirrored * halton->reciprocal;
    return (high << (64 - halton->shift) | low >> halton->shift) + 2;
}

/* The coordinate in [0, 1) of both parts. */
static inline f32 random_halton_unit(const PRIVATE struct random_halton *halton, u64 high, u64 low)
{
    const u32 place = (u32)((high + low) >> (64 - RANDOM_UNIT_BITS)) + halton->turn;
    return random_unit(place << (32 - RANDOM_UNIT_BITS));
}

/* The additive recurrence R_d (Roberts 2018): each coordinate takes steps of its own, modulo 1, in
 * units of 2^-64. */
struct random_steps {
    u64 start[RANDOM_DIMENSIONS_MAX];
    u64 step[RANDOM_DIMENSIONS_MAX];
};

/* The coordinate in [0, 1) of row `index`. */
static inline f32 random_steps_unit(u64 start, u64 step, u64 index)
{
    return random_unit((u32)((start + (index + 1) * step) >> 32));
}

#ifndef __OPENCL_VERSION__
_Static_assert(sizeof(struct random_steps) == 16ul * RANDOM_DIMENSIONS_MAX,
               "struct random_steps crosses the bus");
#endif

#endif

/* Random numbers. random_stream: Mersenne Twister; stream s of the seed is initialised by array
 * {seed low, seed high, s} and gives a block of 8 states, so work-items share nothing and results
 * depend on nothing but the seed. random_counters: Philox, four numbers a counter.
 * random_halton_rows, random_steps_rows: the Halton sequence and R_d, rotated by the seed.
 * random_between: from [0, 1) to other ranges.
 *
 * Launch: random_stream one work-item a stream; random_counters one group a chunk of counters; the
 * others one group a chunk of rows. Traffic: 4 bytes a number, 8 to change the range. -D WORDS: raw
 * words instead of floats in [0, 1). -D NORMAL: normal variates, each pair from two words.
 *
 * check: -DNO_VARIANT
 * check: -DWORDS
 * check: -DNORMAL
 */
#include "chunk.h"
#include "random.h"

#define STATES_A_STREAM 8

#ifdef WORDS
typedef uint number_t;
#define NUMBER(word) (word)
#else
typedef float number_t;
#define NUMBER(word) random_unit(word)
#endif

/* Two neighbouring numbers from their words. pair: number_t[2]. */
static inline void make_pair(number_t *pair, u32 word0, u32 word1)
{
#ifdef NORMAL
    random_normal(pair, word0, word1);
#else
    pair[0] = NUMBER(word0);
    pair[1] = NUMBER(word1);
#endif
}

/* out[i], i < n: the numbers of streams first, first + 1, … one behind the other. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
random_stream(__global number_t *restrict out, u32 seed_low, u32 seed_high, u32 first, u32 n)
{
    const u32 stream = (u32)get_global_id(0);
    u32 begin = stream * STATES_A_STREAM * RANDOM_MT_WORDS;
    if (begin >= n)
        return;

    const u32 key[3] = {seed_low, seed_high, first + stream};
    u32 state[RANDOM_MT_WORDS];
    random_mt_init_by_array(state, key, 3);
    for (u32 s = 0; s < STATES_A_STREAM && begin < n; s++) {
        random_mt_twist(state);
        const u32 count = min(RANDOM_MT_WORDS, n - begin);
        for (u32 k = 0; k < count; k += 2) {
            number_t pair[2];
            make_pair(pair, random_mt_temper(state[k]), random_mt_temper(state[k + 1]));
            out[begin + k] = pair[0];
            if (k + 1 < count)
                out[begin + k + 1] = pair[1];
        }
        begin += count;
    }
}

/* out[i] = number `skipped` + i of those of counters first, first + 1, …; skipped < 4, and `blocks`
 * counters give all n. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
random_counters(__global number_t *restrict out, ulong seed, ulong first, u32 skipped, u32 n,
                u32 blocks, u32 length)
{
    const u32 end = chunk_end(length, blocks);
    for (u32 block = chunk_begin(length) + (u32)get_local_id(0); block < end; block += WORKGROUP) {
        u32 words[4];
        number_t numbers[4];
        random_philox_block(words, first + block, seed);
        make_pair(numbers, words[0], words[1]);
        make_pair(numbers + 2, words[2], words[3]);

        // numbers before the first asked for wrap around, beyond n
        for (u32 k = 0; k < 4; k++) {
            const u32 i = 4 * block + k - skipped;
            if (i < n)
                out[i] = numbers[k];
        }
    }
}

/* Rows that a work-item makes in a stretch, an axis at a time. */
#if WORKGROUP == 1
#define STRETCH 1024
#else
#define STRETCH 16
#endif

/* An axis of `count` rows of the Halton sequence, the first of them number `number`. table: the
 * axis' run. (Oclgrind does not know `restrict` within a kernel.) */
static inline void halton_stretch(__global float *out, u32 dimension, u64 number, u32 count,
                                  const struct random_halton *halton, __local const u64 *table)
{
    const u64 q = number / halton->run;
    u64 mirrored = random_halton_mirrored(halton, q);
    u32 r = (u32)(number - q * halton->run);
    for (u32 begin = 0; begin < count;) {
        const u64 high = random_halton_high(halton, mirrored);
        const u32 end = min(count, begin + halton->run - r);
        for (u32 row = begin; row < end; row++)
            out[(size_t)row * dimension] = random_halton_unit(halton, high, table[r + row - begin]);
        mirrored = random_halton_next(halton, mirrored);
        r = 0;
        begin = end;
    }
}

/* out[row * dimension + axis] for rows first, first + 1, …; n rows. The sequence begins with number
 * 1. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
random_halton_rows(__global float *restrict out, u32 dimension, ulong seed, ulong first, u32 n,
                   u32 length)
{
    __local u64 tables[RANDOM_HALTON_RUNS];
    const u32 item = (u32)get_local_id(0);
    const u32 end = chunk_end(length, n);

    u32 offset = 0;
    for (u32 axis = 0; axis < dimension; axis++) {
        const struct random_halton halton = random_halton_of(axis, 0);
        for (u32 r = item; r < halton.run; r += WORKGROUP)
            tables[offset + r] = random_halton_low(&halton, r);
        offset += halton.run;
    }
    workgroup_barrier();

    for (u32 row = chunk_begin(length) + item * STRETCH; row < end; row += WORKGROUP * STRETCH) {
        offset = 0;
        for (u32 axis = 0; axis < dimension; axis++) {
            const struct random_halton halton = random_halton_of(axis, seed);
            halton_stretch(out + (size_t)row * dimension + axis, dimension, first + row + 1,
                           min((u32)STRETCH, end - row), &halton, tables + offset);
            offset += halton.run;
        }
    }
}

/* As above, of R_d. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
random_steps_rows(__global float *restrict out, u32 dimension, struct random_steps steps,
                  ulong first, u32 n, u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 row = chunk_begin(length) + (u32)get_local_id(0); row < end; row += WORKGROUP) {
        for (u32 axis = 0; axis < dimension; axis++)
            out[(size_t)row * dimension + axis] =
                random_steps_unit(steps.start[axis], steps.step[axis], first + row);
    }
}

/* Brings numbers of [0, 1) into [lower, upper) of their axis, in place; where both are one number,
 * to that. A sum that is rounded up to the upper bound stays below it. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
random_between(__global float *restrict numbers, __global const float *restrict lower,
               __global const float *restrict upper, u32 dimension, u32 n, u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 row = chunk_begin(length) + (u32)get_local_id(0); row < end; row += WORKGROUP) {
        for (u32 axis = 0; axis < dimension; axis++) {
            const float from = lower[axis];
            const float to = upper[axis];
            const float unit = numbers[(size_t)row * dimension + axis];
            // a width of its own could be infinite
            const float value = from * (1.0f - unit) + to * unit;
            numbers[(size_t)row * dimension + axis] = clamp(value, from, nextafter(to, from));
        }
    }
}

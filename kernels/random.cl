/* Random numbers. random_stream: Mersenne Twister; stream s of the seed is initialised by array
 * {seed low, seed high, s} and gives a block of 8 states, so work-items share nothing and results
 * depend on nothing but the seed. random_halton_rows: the Halton sequence, rotated by the seed.
 *
 * Launch: random_stream one work-item a stream; random_halton_rows one group a chunk of rows.
 * Traffic: 4 bytes a number. -D WORDS: raw words instead of floats in [0, 1).
 *
 * check: -DNO_VARIANT
 * check: -DWORDS
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
        for (u32 k = 0; k < count; k++)
            out[begin + k] = NUMBER(random_mt_temper(state[k]));
        begin += count;
    }
}

/* out[row * dimension + axis] for rows first, first + 1, …; n rows. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
random_halton_rows(__global float *restrict out, u32 dimension, ulong seed, ulong first, u32 n,
                   u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 row = chunk_begin(length) + (u32)get_local_id(0); row < end; row += WORKGROUP) {
        for (u32 axis = 0; axis < dimension; axis++)
            out[row * dimension + axis] = random_halton(first + row, axis, seed);
    }
}

/* Sequences of random words on the host, for the tests of random numbers: kernels/random.h, which
 * tests/kernels checks against the published outputs. */
#ifndef TESTS_RANDOM_CASES_H
#define TESTS_RANDOM_CASES_H

#include "primitives_cases.h"

#include "kernels/random.h"
#include "primitives/random.h"

/* Words `first` … of the Mersenne Twister's sequence of `seed`. */
static inline uint32_t *serial_words(size_t count, uint64_t seed, uint64_t first)
{
    uint32_t *words = case_array(count);
    for (size_t i = 0; i < count; i += PRM_MT_BLOCK) {
        const uint32_t key[3] = {(uint32_t)seed, (uint32_t)(seed >> 32),
                                 (uint32_t)((first + i) / PRM_MT_BLOCK)};
        uint32_t state[RANDOM_MT_WORDS];
        random_mt_init_by_array(state, key, 3);
        for (size_t k = 0; k < PRM_MT_BLOCK && i + k < count; k++) {
            if (k % RANDOM_MT_WORDS == 0)
                random_mt_twist(state);
            words[i + k] = random_mt_temper(state[k % RANDOM_MT_WORDS]);
        }
    }
    return words;
}

/* Words `first` … of Philox's sequence of `seed`. */
static inline uint32_t *serial_philox(size_t count, uint64_t seed, uint64_t first)
{
    uint32_t *words = case_array(count);
    for (size_t i = 0; i < count; i++) {
        uint32_t block[4];
        random_philox_block(block, (first + i) / 4, seed);
        words[i] = block[(first + i) % 4];
    }
    return words;
}

#endif

/* splitmix64 (Steele, Lea & Flood 2014): the same numbers everywhere for a seed. */
#ifndef TOOLS_RANDOM_H
#define TOOLS_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t z = (random->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Uniform in [low, high), 53 bits. */
static inline double random_uniform(struct random *random, double low, double high)
{
    return low + (high - low) * (double)(random_next(random) >> 11) * 0x1p-53;
}

/* Uniform in low … high, both included. */
static inline int random_integer(struct random *random, int low, int high)
{
    return low + (int)(random_next(random) % (uint64_t)(high - low + 1));
}

#endif

/* Hash functions of the cuckoo table as pure functions, the same on host and device.
 *
 * The family (c0 + c1 k) mod p, p the largest prime below 2^32 (Carter & Wegman 1979): two keys
 * meet with probability about 1 / size, but for the five keys of p or more, which share all places
 * with k - p.
 */
#ifndef KERNELS_HASH_H
#define KERNELS_HASH_H

#include "language.h"
#include "random.h"

#define HASH_PRIME 4294967291u /* 2^32 - 5 */

/* One function of the family: c0 < p, 0 < c1 < p. */
struct hash_function {
    u32 c0, c1;
};

/* (c0 + c1 key) mod p. The product and sum stay below 2^64; 2^32 is 5 mod p, so the upper half is
 * folded in five times, which leaves less than 6 * 2^32, then less than p + 30. */
static inline u32 hash_linear(struct hash_function function, u32 key)
{
    const u64 product = (u64)function.c1 * key + function.c0;
    const u64 once = (product >> 32) * 5 + (u32)product;
    const u64 twice = (once >> 32) * 5 + (u32)once;
    return (u32)(twice >= HASH_PRIME ? twice - HASH_PRIME : twice);
}

/* A function from two random words. */
static inline struct hash_function hash_function_of(u32 word0, u32 word1)
{
    const struct hash_function function = {word0 % HASH_PRIME, 1 + word1 % (HASH_PRIME - 1)};
    return function;
}

/* A divisor and what spares the division: floor((2^32 - 1) / size). */
struct hash_modulus {
    u32 size, inverse;
};

/* size: 1 to 2^31. */
static inline struct hash_modulus hash_modulus_of(u32 size)
{
    const struct hash_modulus modulus = {size, 0xffffffffu / size};
    return modulus;
}

/* x mod size. The inverse is off by less than 1, the quotient so by less than x / 2^32: it is exact
 * or one too small. */
static inline u32 hash_remainder(u32 x, struct hash_modulus modulus)
{
    const u32 quotient = (u32)(((u64)x * modulus.inverse) >> 32);
    const u32 rest = x - quotient * modulus.size;
    return rest >= modulus.size ? rest - modulus.size : rest;
}

#ifdef __OPENCL_VERSION__

/* A function as a word: c0 below c1. */
static inline u64 hash_word(struct hash_function function)
{
    return (u64)function.c1 << 32 | function.c0;
}

/* The vector form of hash_linear and of hash_remainder of that, by four functions at once, each a
 * word: it must stay equal to those two, step by step. */
static inline ulong4 hash_slots(ulong4 functions, u32 key, struct hash_modulus modulus)
{
    const u64 low = 0xffffffffu;
    const ulong4 product = (functions >> 32) * (u64)key + (functions & low);
    const ulong4 once = (product >> 32) * 5 + (product & low);
    const ulong4 twice = (once >> 32) * 5 + (once & low);
    const ulong4 hash = twice >= HASH_PRIME ? twice - HASH_PRIME : twice;
    const ulong4 rest = hash - ((hash * modulus.inverse) >> 32) * modulus.size;
    return rest >= modulus.size ? rest - modulus.size : rest;
}

#endif

/* The key's bucket on level 1: k mod buckets where c1 is 0 (the first attempt), else by the
 * function. */
static inline u32 hash_bucket(struct hash_function function, u32 key, struct hash_modulus buckets)
{
    return hash_remainder(function.c1 == 0 ? key : hash_linear(function, key), buckets);
}

/* Tables of a bucket on level 2. */
#define HASH_TABLES 3

/* The functions of level 2 for a bucket, of try `restart` of attempt `attempt`. functions:
 * [HASH_TABLES]. */
static inline void hash_bucket_functions(PRIVATE struct hash_function *functions, u32 bucket,
                                         u32 restart, u32 attempt, u64 seed)
{
    u32 words[4], more[4];
    random_philox(words, bucket, restart, attempt, 1, (u32)seed, (u32)(seed >> 32));
    random_philox(more, bucket, restart, attempt, 2, (u32)seed, (u32)(seed >> 32));
    functions[0] = hash_function_of(words[0], words[1]);
    functions[1] = hash_function_of(words[2], words[3]);
    functions[2] = hash_function_of(more[0], more[1]);
}

#endif

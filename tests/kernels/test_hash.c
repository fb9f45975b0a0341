/* Goal: the hash family is what it says: a permutation mod the prime, within range, different for
 * every bucket, table and try. Method: extreme keys and coefficients. Oracle: 128-bit arithmetic by
 * halves, division, and counting. */
#include "support/support.h"

#include "kernels/hash.h"

/* (c0 + c1 key) mod p by doubling, never above 33 bits. */
static uint32_t slow_linear(uint64_t c0, uint64_t c1, uint32_t key)
{
    uint64_t sum = c0 % HASH_PRIME;
    uint64_t term = c1 % HASH_PRIME;
    for (; key > 0; key >>= 1) {
        if (key & 1)
            sum = (sum + term) % HASH_PRIME;
        term = term * 2 % HASH_PRIME;
    }
    return (uint32_t)sum;
}

static void linear(void **state)
{
    (void)state;
    const uint32_t keys[] = {0,          1,  2, 12345, 0x7fffffff, 0x80000000u, HASH_PRIME - 1,
                             HASH_PRIME, ~0u};
    const struct hash_function functions[] = {
        {0, 1}, {HASH_PRIME - 1, HASH_PRIME - 1}, {7, HASH_PRIME - 1}, {123456789, 987654321}};
    for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
        for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
            assert_int_equal(hash_linear(functions[f], keys[k]),
                             slow_linear(functions[f].c0, functions[f].c1, keys[k]));
    }
}

static void coefficients(void **state)
{
    (void)state;
    const uint32_t words[] = {0, 1, HASH_PRIME - 2, HASH_PRIME - 1, HASH_PRIME, ~0u};
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++) {
            const struct hash_function function = hash_function_of(words[i], words[j]);
            assert_true(function.c0 < HASH_PRIME && function.c1 > 0 && function.c1 < HASH_PRIME);
        }
    }
}

static void remainders(void **state)
{
    (void)state;
    const uint32_t sizes[] = {1,   2,     3,     7,          64,         111,
                              171, 27902, 65536, 0x55555556, 0x7fffffff, 0x80000000u};
    struct test_random random = {11};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        // the multiples, where a quotient is one off most easily, and anything
        const struct hash_modulus modulus = hash_modulus_of(sizes[s]);
        for (uint32_t k = 0; k < 10000; k++) {
            const uint32_t any = test_random_u32(&random);
            const uint32_t multiple = any / sizes[s] * sizes[s];
            const uint32_t words[] = {any, multiple, multiple - 1, UINT32_MAX - k, k};
            for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
                assert_int_equal(hash_remainder(words[w], modulus), words[w] % sizes[s]);
        }
    }
}

static void buckets(void **state)
{
    (void)state;
    // the first attempt is the remainder; later ones spread multiples of the number of buckets
    enum { BUCKETS = 10, KEYS = 2000 };
    const struct hash_modulus modulus = hash_modulus_of(BUCKETS);
    const struct hash_function plain = {0, 0};
    const struct hash_function spread = {123, 2222222222u};
    uint32_t counts[BUCKETS] = {0};
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_int_equal(hash_bucket(plain, i, modulus), i % BUCKETS);
        counts[hash_bucket(spread, i * BUCKETS, modulus)]++;
    }
    for (uint32_t b = 0; b < BUCKETS; b++)
        assert_true(counts[b] > KEYS / BUCKETS / 2 && counts[b] < KEYS / BUCKETS * 2);
}

static void bucket_functions(void **state)
{
    (void)state;
    struct hash_function first[HASH_TABLES], other[HASH_TABLES];
    hash_bucket_functions(first, 1, 2, 3, 4);
    hash_bucket_functions(other, 1, 2, 3, 4);
    assert_memory_equal(first, other, sizeof(first));
    const uint32_t different[][4] = {{2, 2, 3, 4}, {1, 3, 3, 4}, {1, 2, 4, 4}, {1, 2, 3, 5}};
    for (size_t d = 0; d < 4; d++) {
        const uint32_t *x = different[d];
        hash_bucket_functions(other, x[0], x[1], x[2], x[3]);
        for (size_t t = 0; t < HASH_TABLES; t++) {
            assert_true(other[t].c1 != first[t].c1);
            assert_true(t == 0 || first[t].c1 != first[t - 1].c1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear),  cmocka_unit_test(coefficients),     cmocka_unit_test(remainders),
        cmocka_unit_test(buckets), cmocka_unit_test(bucket_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: the pure random functions are the published generators.
 * Method and oracle: the first outputs of mt19937ar.c for init_by_array {0x123, 0x234, 0x345,
 * 0x456}; the known answers of Philox 4x32-10 (Random123, kat_vectors); Halton's first points by
 * hand. */
#include "support/support.h"

#include "kernels/random.h"

static void mersenne_twister(void **state)
{
    (void)state;
    const uint32_t key[] = {0x123, 0x234, 0x345, 0x456};
    const uint32_t first[] = {1067595299, 955945823, 477289528, 4107218783u, 4228976476u};
    uint32_t words[RANDOM_MT_WORDS];
    random_mt_init_by_array(words, key, 4);
    random_mt_twist(words);
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        assert_int_equal(random_mt_temper(words[i]), first[i]);

    // number 1000 of the published list, from the second state
    random_mt_twist(words);
    assert_int_equal(random_mt_temper(words[999 - RANDOM_MT_WORDS]), 3460025646u);

    // 10000th output of the default seed 5489, as the C++ standard requires
    random_mt_init(words, 5489);
    for (size_t i = 0; i < 10000; i += RANDOM_MT_WORDS)
        random_mt_twist(words);
    assert_int_equal(random_mt_temper(words[9999 % RANDOM_MT_WORDS]), 4123659995u);
}

static void philox(void **state)
{
    (void)state;
    const uint32_t cases[][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        uint32_t out[4];
        const uint32_t *in = cases[c];
        random_philox(out, in[0], in[1], in[2], in[3], in[4], in[5]);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(out[k], in[6 + k]);
    }
}

/* The radical inverse of `index` in `base`, times 2^24, rounded down: digits mirrored at the point,
 * as many as make a power up to 2^38. */
static uint32_t radical_inverse(uint64_t index, uint32_t base)
{
    uint64_t mirrored = 0, scale = 1;
    for (; scale <= ((uint64_t)1 << 38) / base; index /= base) {
        mirrored = mirrored * base + index % base;
        scale *= base;
    }
    return (uint32_t)((mirrored << 24) / scale);
}

/* Rows from `number` on, by runs as the device walks them, are the radical inverses to the bit. */
static void check_halton(uint32_t axis, uint64_t number, uint32_t rows)
{
    const struct random_halton halton = random_halton_of(axis, 0);
    const float unit = 1.0f / 16777216.0f;
    uint64_t mirrored = random_halton_mirrored(&halton, number / halton.run);
    uint32_t r = (uint32_t)(number % halton.run);
    for (uint32_t i = 0; i < rows; i++) {
        const uint64_t high = random_halton_high(&halton, mirrored);
        const float got = random_halton_unit(&halton, high, random_halton_low(&halton, r));
        const float want = (float)radical_inverse(number + i, RANDOM_PRIMES[axis]) * unit;
        if (got != want)
            fail_msg("axis %u number %llu: %a, not %a", axis, (unsigned long long)(number + i),
                     (double)got, (double)want);
        if (++r == halton.run) {
            mirrored = random_halton_next(&halton, mirrored);
            r = 0;
        }
    }
}

static void halton(void **state)
{
    (void)state;
    const float base2[] = {0.5f, 0.25f, 0.75f, 0.125f, 0.625f};
    const float base3[] = {1.0f / 3, 2.0f / 3, 1.0f / 9, 4.0f / 9, 7.0f / 9};
    const float step = 1.0f / 16777216.0f;
    for (uint64_t i = 0; i < 5; i++) {
        assert_true((float)radical_inverse(i + 1, 2) * step == base2[i]);
        const float error = base3[i] - (float)radical_inverse(i + 1, 3) * step;
        assert_true(error > -step && error < 2 * step);
    }
    uint32_t runs = 0;
    for (uint32_t axis = 0; axis < RANDOM_DIMENSIONS_MAX; axis++) {
        runs += random_halton_of(axis, 0).run;
        check_halton(axis, 1, 5000);
        check_halton(axis, 123456789, 500);
        check_halton(axis, ((uint64_t)1 << 40) - 100, 500);
        check_halton(axis, UINT64_MAX - 500, 500);

        // around the powers of the base, where all digits carry
        uint64_t power = RANDOM_PRIMES[axis];
        for (; power < (uint64_t)1 << 50; power *= RANDOM_PRIMES[axis])
            check_halton(axis, power - 2, 4);
    }
    assert_int_equal(runs, RANDOM_HALTON_RUNS);
    const struct random_halton turned = random_halton_of(31, 7);
    assert_true(random_halton_unit(&turned, UINT64_MAX, 0) < 1.0f);
    assert_true(random_unit(0xffffffffu) < 1.0f && random_unit(0) == 0.0f);
}

static void products(void **state)
{
    (void)state;
    assert_true(u64_mul_high(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
    assert_true(u64_mul_high((uint64_t)1 << 63, 6) == 3);
    assert_true(u64_mul_high(0x123456789abcdef0u, 0xfedcba9876543210u) == 0x121fa00ad77d7422u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mersenne_twister),
        cmocka_unit_test(philox),
        cmocka_unit_test(halton),
        cmocka_unit_test(products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

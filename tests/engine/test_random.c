/* Goal: the device's Mersenne Twister, Philox, Halton and R_d sequences are the published ones,
 * normal variates are those of their words, element i of a sequence is the same whatever is asked
 * for around it, and ranges hold what is brought into them. Method: whole and partial blocks,
 * offsets. Oracle: kernels/random.h on the host, which tests/kernels checks against the published
 * outputs, Box & Muller and a plain radical inverse in double precision, the published constants of
 * R_d, and a normal distribution's moments. */
#include "random_cases.h"

#include <math.h>

static void check_twister(size_t count, uint64_t seed, uint64_t first)
{
    uint32_t *expected = serial_words(count, seed, first);
    struct prm_buffer buffer = test_upload_u32(test_context, NULL, count);
    assert_ok(prm_random_words(test_arena, buffer, count, seed, first));
    uint32_t *words = test_download_u32(test_context, buffer, count);
    assert_u32_array_equal(expected, words, count);
    assert_ok(prm_random_uniform(test_arena, buffer, count, seed, first));
    float *units = (float *)test_download_u32(test_context, buffer, count);
    for (size_t i = 0; i < count; i++) {
        if (!(units[i] >= 0.0f && units[i] < 1.0f) ||
            units[i] != (float)(words[i] >> 8) / 16777216.0f)
            fail_msg("number %zu is %a of word %08x", i, (double)units[i], words[i]);
    }
    free(units);
    free(words);
    free(expected);
    case_free(&buffer, 1);
}

static void twister(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 623, 624, 625, 4991, 4992, 4993, test_size(1000003, 10007)};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        check_twister(sizes[s], 0, 0);
        check_twister(sizes[s], 0x123456789abcdef0u, 3 * PRM_MT_BLOCK);
    }
    struct prm_buffer buffer = test_upload_u32(test_context, NULL, 1);
    assert_status(PRM_LIMIT_EXCEEDED,
                  prm_random_words(test_arena, buffer, 1, 0, ((uint64_t)1 << 32) * PRM_MT_BLOCK));
    case_free(&buffer, 1);
}

static void philox(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 2, 3, 4, 5, 63, 257, test_size(1000003, 1009)};
    const uint64_t firsts[] = {0, 1, 6, 4095, ((uint64_t)1 << 34) + 3, UINT64_MAX - 5000000};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (size_t f = 0; f < sizeof(firsts) / sizeof(firsts[0]); f++) {
            const size_t count = sizes[s];
            uint32_t *words = serial_philox(count, 77 + s, firsts[f]);
            struct prm_buffer buffer = test_upload_u32(test_context, NULL, count);
            assert_ok(prm_random_philox(test_arena, buffer, count, 77 + s, firsts[f]));
            float *units = (float *)test_download_u32(test_context, buffer, count);
            for (size_t i = 0; i < count; i++) {
                if (units[i] != (float)(words[i] >> 8) / 16777216.0f)
                    fail_msg("number %zu is %a of word %08x", i, (double)units[i], words[i]);
            }
            free(units);
            free(words);
            case_free(&buffer, 1);
        }
    }
}

/* Each variate is what Box & Muller say of its two words, to the bit what the host computes, and
 * together they have a normal distribution's moments and tails. */
static void check_normal(size_t count, uint64_t first, enum prm_generator generator)
{
    const uint64_t seed = 5, before = first % 2;
    uint32_t *words = generator == PRM_PHILOX ? serial_philox(count + 2, seed, first - before)
                                              : serial_words(count + 2, seed, first);
    struct prm_buffer buffer = test_upload_u32(test_context, NULL, count);
    assert_ok(prm_random_normal(test_arena, buffer, count, seed, first, generator));
    float *numbers = (float *)test_download_u32(test_context, buffer, count);
    double sum = 0.0, squares = 0.0;
    size_t beyond = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t place = i + before, even = place / 2 * 2;
        float pair[2];
        random_normal(pair, words[even], words[even + 1]);
        const double radius = sqrt(-2.0 * log(((words[even] >> 8) + 1) / 16777216.0));
        const double angle = 2.0 * acos(-1.0) * (words[even + 1] >> 8) / 16777216.0;
        const double wanted = radius * (place % 2 ? sin(angle) : cos(angle));
        if (numbers[i] != pair[place % 2] || fabs(wanted - (double)numbers[i]) > 2e-6)
            fail_msg("variate %zu is %.9g, on the host %.9g, in doubles %.9g", i,
                     (double)numbers[i], (double)pair[place % 2], wanted);
        sum += wanted;
        squares += wanted * wanted;
        beyond += fabs(wanted) > 1.959964;
    }
    if (count > 100000) {
        const double n = (double)count;
        assert_true(fabs(sum / n) < 0.005 && fabs(squares / n - 1.0) < 0.01);
        assert_true(fabs((double)beyond / n - 0.05) < 0.002);
    }
    free(numbers);
    free(words);
    case_free(&buffer, 1);
}

static void normal(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 2, 3, 624, 625, 4993, test_size(1000003, 1009)};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        check_normal(sizes[s], 0, PRM_MT19937);
        check_normal(sizes[s], 2 * PRM_MT_BLOCK, PRM_MT19937);
        check_normal(sizes[s], 0, PRM_PHILOX);
        check_normal(sizes[s], 7, PRM_PHILOX);
    }
}

/* Sum of the digits of `index` weighed by 1/base, 1/base², … */
static double radical_inverse(uint64_t index, uint32_t base)
{
    double sum = 0.0;
    for (double weight = 1.0 / base; index > 0; index /= base, weight /= base)
        sum += (double)(index % base) * weight;
    return sum;
}

static float *halton(size_t count, uint32_t dimension, uint64_t seed, uint64_t first)
{
    struct prm_buffer buffer = test_upload_u32(test_context, NULL, count * dimension);
    assert_ok(prm_random_halton(test_arena, buffer, count, dimension, seed, first));
    float *rows = (float *)test_download_u32(test_context, buffer, count * dimension);
    case_free(&buffer, 1);
    return rows;
}

static void halton_rows(void **state)
{
    (void)state;
    const double tolerance = 1.0 / 16777216.0 + 1e-9; // cut to 24 bits
    const uint32_t primes[32] = {2,  3,  5,  7,   11,  13,  17,  19,  23,  29, 31,
                                 37, 41, 43, 47,  53,  59,  61,  67,  71,  73, 79,
                                 83, 89, 97, 101, 103, 107, 109, 113, 127, 131};
    const size_t counts[] = {0, 1, 2, 1025, test_size(20011, 307)};
    const uint64_t firsts[] = {0, 5, 123456789012345u};
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        for (size_t f = 0; f < 3; f++) {
            const size_t count = counts[c];
            const uint32_t dimension = c % 2 ? 32 : 3;
            float *plain = halton(count, dimension, 0, firsts[f]);
            float *rotated = halton(count, dimension, 99, firsts[f]);
            for (size_t i = 0; i < count * dimension; i++) {
                const uint64_t row = firsts[f] + i / dimension + 1;
                const double want = radical_inverse(row, primes[i % dimension]);
                assert_true(plain[i] >= 0.0f && plain[i] < 1.0f);
                assert_true(fabs((double)plain[i] - want) <= tolerance);

                // one rotation an axis, the same for all rows
                const float turn = rotated[i] - plain[i];
                const float first_turn = rotated[i % dimension] - plain[i % dimension];
                assert_true(rotated[i] >= 0.0f && rotated[i] < 1.0f);
                assert_true(turn - floorf(turn) == first_turn - floorf(first_turn));
            }
            assert_true(count == 0 ||
                        memcmp(plain, rotated, count * dimension * sizeof(float)) != 0);
            free(plain);
            free(rotated);
        }
    }
}

static float *rd(size_t count, uint32_t dimension, uint64_t seed, uint64_t first)
{
    struct prm_buffer buffer = test_upload_u32(test_context, NULL, count * dimension);
    assert_ok(prm_random_rd(test_arena, buffer, count, dimension, seed, first));
    float *rows = (float *)test_download_u32(test_context, buffer, count * dimension);
    case_free(&buffer, 1);
    return rows;
}

/* The distance of two numbers on the circle of length 1. */
static double apart(double a, double b)
{
    const double d = fabs(a - b);
    return fmin(d, 1.0 - d);
}

static void rd_rows(void **state)
{
    (void)state;
    static const double STEPS[3][3] = {
        {0.6180339887498949},
        {0.7548776662466927, 0.5698402909980532},
        {0.8191725133961645, 0.6710436067037893, 0.5497004779019703}};
    const double tolerance = 1.0 / 16777216.0 + 1e-9;
    const size_t counts[] = {0, 1, 2, 1025, test_size(20011, 307)};
    const uint64_t firsts[] = {0, 1000000};
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        for (uint32_t dimension = 1; dimension <= 3; dimension++) {
            const size_t count = counts[c], n = count * dimension;
            const uint64_t first = firsts[c % 2];
            float *plain = rd(count, dimension, 0, first);
            float *turned = rd(count, dimension, 99, first);
            for (size_t i = 0; i < n; i++) {
                const uint64_t row = first + i / dimension + 1;
                const double want = 0.5 + (double)row * STEPS[dimension - 1][i % dimension];
                assert_true(plain[i] >= 0.0f && plain[i] < 1.0f);
                assert_true(turned[i] >= 0.0f && turned[i] < 1.0f);
                assert_true(apart((double)plain[i], want - floor(want)) <= tolerance);

                // one rotation an axis, the same for all rows but for the cut
                const double turn = (double)turned[i] - (double)plain[i];
                const double first_turn =
                    (double)turned[i % dimension] - (double)plain[i % dimension];
                const double off = turn - first_turn;
                assert_true(apart(off - floor(off), 0.0) <= 2 * tolerance);
            }
            assert_true(count == 0 || memcmp(plain, turned, n * sizeof(float)) != 0);
            free(plain);
            free(turned);
        }
    }

    // g^33 = g + 1 in 32 dimensions, from the steps of the first and the last axis
    float *wide = rd(2, 32, 0, 0);
    const double first_step = (double)wide[32] - (double)wide[0];
    const double last_step = (double)wide[63] - (double)wide[31];
    const double g = 1.0 / (first_step - floor(first_step));
    assert_true(fabs(pow(g, 33) - g - 1.0) < 1e-4);
    assert_true(apart(last_step - floor(last_step), pow(g, -32)) < 1e-5);
    free(wide);
}

static void ranges(void **state)
{
    (void)state;
    const float lower[] = {-1.0f, 5.0f, -3e38f, 16777216.0f};
    const float upper[] = {1.0f, 5.0f, 3e38f, 16777218.0f};
    enum { AXES = 4 };
    const size_t count = test_size(20011, 307);
    struct prm_buffer b[3];
    b[0] = test_upload_u32(test_context, NULL, count * AXES);
    b[1] = test_upload_u32(test_context, (const uint32_t *)lower, AXES);
    b[2] = test_upload_u32(test_context, (const uint32_t *)upper, AXES);
    float *units = halton(count, AXES, 3, 0);
    units[3] = nextafterf(1.0f, 0.0f);
    assert_ok(prm_buffer_write(test_context, b[0], 0, units, count * AXES * sizeof(float)));
    assert_ok(prm_random_between(test_arena, b[0], count, AXES, b[1], b[2]));
    float *got = (float *)test_download_u32(test_context, b[0], count * AXES);
    for (size_t i = 0; i < count * AXES; i++) {
        const float from = lower[i % AXES], to = upper[i % AXES];
        const double width = (double)to - (double)from;
        const double want = (double)from + (double)units[i] * width;
        const double rounding = 1.2e-7 * fmax(fabs((double)from), fabs((double)to));
        assert_true(from == to ? got[i] == from : got[i] >= from && got[i] < to);
        assert_true(fabs((double)got[i] - want) <= rounding);
    }
    free(got);
    free(units);
    case_free(b, 3);
}

static enum prm_status random_call(void *data)
{
    const struct prm_buffer *buffer = data;
    enum prm_status status = prm_random_words(test_arena, *buffer, 100, 1, 0);
    if (status == PRM_OK)
        status = prm_random_halton(test_arena, *buffer, 10, 10, 1, 0);
    return status != PRM_OK ? status : prm_random_rd(test_arena, *buffer, 10, 10, 1, 0);
}

static void faults(void **state)
{
    (void)state;
    struct prm_buffer buffer = test_upload_u32(test_context, NULL, 100);
    case_faults(random_call, &buffer);
    case_free(&buffer, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twister),     cmocka_unit_test(philox),  cmocka_unit_test(normal),
        cmocka_unit_test(halton_rows), cmocka_unit_test(rd_rows), cmocka_unit_test(ranges),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

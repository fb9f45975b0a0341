/* Goal: counts are exact in every regime (private counts, in parts, global counts), however skewed
 * the values; the f32 bins are half-open with the last one closed, and all that lies outside is
 * counted below or above. Method: uniform and one-bin values over few and many bins; values on the
 * bins' edges. Oracle: serial. */
#include "primitives_cases.h"

#include "primitives/histogram.h"

#include <math.h>

static void check_u32(size_t count, uint32_t bins, uint32_t bound)
{
    uint32_t *values = case_values(count, bound, count + bins);
    uint32_t *expected = case_array(bins);
    for (size_t i = 0; i < count; i++) {
        if (values[i] < bins)
            expected[values[i]]++;
    }
    struct prm_buffer b[2] = {test_upload_u32(test_context, NULL, bins),
                              test_upload_u32(test_context, values, count)};
    assert_ok(prm_histogram_u32(test_arena, b[0], b[1], count, bins));
    case_check(b[0], expected, bins);
    free(expected);
    free(values);
    case_free(b, 2);
}

static void integers(void **state)
{
    (void)state;
    size_t sizes[CASE_SIZES_MAX];
    const size_t count = case_sizes(sizes);
    // more bins than local memory holds: in several passes, and in one with global atomics
    const uint32_t many = (uint32_t)(prm_context_profile(test_context)->local_bytes / 4 + 1);
    const uint32_t more = 4 * many;
    for (size_t s = 0; s < count; s++) {
        check_u32(sizes[s], 0, 0);
        check_u32(sizes[s], 1, 1);
        check_u32(sizes[s], 10, 12);
        check_u32(sizes[s], 1000, 1);
        check_u32(sizes[s], 4001, 0);
    }
    check_u32(test_size(300007, 997), many, many + 10);
    check_u32(test_size(300007, 997), many, 1);
    check_u32(test_size(300007, 997), more, more + 10);
    check_u32(test_size(300007, 997), more, 1);
    check_u32(test_size(300007, 997), more, 3);
}

static void check_f32(const float *values, size_t count, float min, float max, uint32_t bins)
{
    uint32_t *expected = case_array(bins + 2);
    const float scale = max > min ? (float)bins / (max - min) : 0.0f;
    for (size_t i = 0; i < count; i++) {
        const float value = values[i];
        uint32_t slot = bins + 1;
        if (value < min)
            slot = bins;
        else if (value == max)
            slot = bins - 1;
        else if (value < max)
            slot = (uint32_t)((value - min) * scale);
        if (value >= min && value < max && slot >= bins)
            slot = bins - 1; // rounding reached the open end
        expected[slot]++;
    }
    struct prm_buffer b[2];
    b[0] = test_upload_u32(test_context, NULL, bins + 2);
    assert_ok(prm_buffer_create(test_context, &b[1], count * sizeof(float)));
    assert_ok(prm_buffer_write(test_context, b[1], 0, values, count * sizeof(float)));
    assert_ok(prm_histogram_f32(test_arena, b[0], b[1], count, min, max, bins));
    case_check(b[0], expected, bins + 2);
    free(expected);
    case_free(b, 2);
}

static void floats(void **state)
{
    (void)state;
    size_t sizes[CASE_SIZES_MAX];
    const size_t count = case_sizes(sizes);
    struct test_random random = {3};
    for (size_t s = 0; s < count; s++) {
        float *values = malloc((sizes[s] + 1) * sizeof(*values));
        assert_non_null(values);
        for (size_t i = 0; i < sizes[s]; i++)
            values[i] = test_random_f32(&random, -1.5f, 2.5f);
        check_f32(values, sizes[s], -1.0f, 2.0f, 7);
        free(values);
    }
}

/* Edges, by hand: bins [0,1) [1,2) [2,3) [3,4], below, above. */
static void edges(void **state)
{
    (void)state;
    const float values[] = {0.0f,  0.5f,      1.0f,       1.9999999f, 2.0f,     3.0f,     4.0f,
                            -0.0f, -1.0e-30f, 4.0000005f, NAN,        INFINITY, -INFINITY};
    const uint32_t expected[] = {3, 2, 1, 2, 2, 3};
    enum { COUNT = sizeof(values) / sizeof(values[0]) };
    struct prm_buffer b[2];
    b[0] = test_upload_u32(test_context, NULL, 6);
    assert_ok(prm_buffer_create(test_context, &b[1], sizeof(values)));
    assert_ok(prm_buffer_write(test_context, b[1], 0, values, sizeof(values)));
    assert_ok(prm_histogram_f32(test_arena, b[0], b[1], COUNT, 0.0f, 4.0f, 4));
    case_check(b[0], expected, 6);

    // a range of one value is its last bin
    check_f32(values, COUNT, 1.0f, 1.0f, 3);
    assert_status(PRM_INVALID_ARGUMENT,
                  prm_histogram_f32(test_arena, b[0], b[1], COUNT, 1.0f, 0.0f, 4));
    assert_status(PRM_INVALID_ARGUMENT,
                  prm_histogram_f32(test_arena, b[0], b[1], COUNT, NAN, 0.0f, 4));
    case_free(b, 2);
}

struct histogram_case {
    struct prm_buffer counts, values;
};

static enum prm_status histogram_call(void *data)
{
    const struct histogram_case *c = data;
    return prm_histogram_u32(test_arena, c->counts, c->values, 100, 100);
}

static void faults(void **state)
{
    (void)state;
    uint32_t *values = case_values(100, 100, 1);
    struct histogram_case c = {test_upload_u32(test_context, NULL, 100),
                               test_upload_u32(test_context, values, 100)};
    case_faults(histogram_call, &c);
    free(values);
    case_free(&c.counts, 1);
    case_free(&c.values, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(floats),
        cmocka_unit_test(edges),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

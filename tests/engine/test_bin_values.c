/* Goal: every value is listed in each bin or interval that holds it and in no other, in input
 * order, whatever is compared: at edges, outside, infinities, signed zeros, NaN. Method: the
 * published vector, random edges and overlapping intervals at awkward sizes, injected faults.
 * Oracle: a loop over all (bin, value) pairs. */
#include "primitives_cases.h"

#include "primitives/bin_values.h"

#include <math.h>

/* What is compared, as a double: of any type exact. */
static double value_of(uint32_t word, enum prm_key_type type)
{
    float real;
    memcpy(&real, &word, sizeof(real));
    if (type == PRM_KEY_F32)
        return (double)real;
    return type == PRM_KEY_I32 ? (double)(int32_t)word : (double)word;
}

static uint32_t word_of(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof(word));
    return word;
}

static bool holds(const uint32_t *ranges, uint32_t value, enum prm_key_type type)
{
    const double x = value_of(value, type);
    return value_of(ranges[0], type) <= x && x < value_of(ranges[1], type);
}

/* Bins by edges (stride 1) or intervals (stride 2) and compares. */
static void check(const uint32_t *bounds, size_t stride, size_t bins, const uint32_t *values,
                  size_t count, enum prm_key_type type)
{
    struct prm_buffer b[4];
    b[0] = test_upload_u32(test_context, NULL, bins + 1);
    b[1] = test_upload_u32(test_context, bounds, stride == 1 ? bins + 1 : 2 * bins);
    b[2] = test_upload_u32(test_context, values, count);
    if (stride == 1)
        assert_ok(prm_bin_edges(test_arena, b[0], &b[3], b[2], count, b[1], bins + 1, type));
    else
        assert_ok(prm_bin_ranges(test_arena, b[0], &b[3], SIZE_MAX, b[2], count, b[1], bins, type));
    uint32_t *offsets = test_download_u32(test_context, b[0], bins + 1);
    uint32_t *members = test_download_u32(test_context, b[3], offsets[bins]);
    size_t place = 0;
    for (size_t bin = 0; bin < bins; bin++) {
        assert_int_equal(offsets[bin], place);
        for (size_t i = 0; i < count; i++) {
            if (!holds(bounds + stride * bin, values[i], type))
                continue;
            assert_true(place < offsets[bins]);
            assert_int_equal(members[place++], i);
        }
    }
    assert_int_equal(offsets[bins], place);
    free(offsets);
    free(members);
    case_free(b, 4);
}

static int compare_words(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void random_bins(void **state)
{
    (void)state;
    enum { BINS = 37, BOUND = 100 };
    size_t sizes[CASE_SIZES_MAX];
    const size_t count = case_sizes(sizes) - 1; // the oracle is quadratic
    for (size_t s = 0; s < count; s++) {
        uint32_t *edges = case_values(BINS + 1, BOUND, s);
        uint32_t *ranges = case_values((size_t)2 * BINS, BOUND, s + 1);
        uint32_t *values = case_values(sizes[s], BOUND + 10, s + 2);
        qsort(edges, BINS + 1, sizeof(*edges), compare_words);
        for (size_t i = 0; i < BINS; i++)
            qsort(ranges + 2 * i, 2, sizeof(*ranges), compare_words);
        for (int type = PRM_KEY_U32; type <= PRM_KEY_F32; type++) {
            // the same order in each type, with values of both signs
            for (size_t i = 0; type == PRM_KEY_I32 && i < 2 * BINS; i++)
                ranges[i] -= BOUND / 2;
            for (size_t i = 0; type == PRM_KEY_I32 && i <= BINS; i++)
                edges[i] -= BOUND / 2;
            for (size_t i = 0; type == PRM_KEY_I32 && i < sizes[s]; i++)
                values[i] -= BOUND / 2;
            for (size_t i = 0; type == PRM_KEY_F32 && i < 2 * BINS; i++)
                ranges[i] = word_of((float)(int32_t)ranges[i] * 0.5f);
            for (size_t i = 0; type == PRM_KEY_F32 && i <= BINS; i++)
                edges[i] = word_of((float)(int32_t)edges[i] * 0.5f);
            for (size_t i = 0; type == PRM_KEY_F32 && i < sizes[s]; i++)
                values[i] = word_of((float)(int32_t)values[i] * 0.5f);
            check(edges, 1, BINS, values, sizes[s], (enum prm_key_type)type);
            check(ranges, 2, BINS, values, sizes[s], (enum prm_key_type)type);
        }
        free(edges);
        free(ranges);
        free(values);
    }
}

static void corners(void **state)
{
    (void)state;
    static const uint32_t vector[] = {3, 4, 4, 5, 6, 7, 7}, vector_edges[] = {3, 4, 5, 6, 7, 8};
    check(vector_edges, 1, 5, vector, 7, PRM_KEY_U32);
    check(vector_edges, 1, 0, vector, 7, PRM_KEY_U32);
    check(vector_edges, 2, 0, vector, 7, PRM_KEY_U32);

    static const float reals[] = {0.0f, -0.0f, NAN, -NAN, INFINITY, -INFINITY, 1.0f, -1.0f, 3e38f};
    static const float real_edges[] = {-3e38f, -1.0f, -0.0f, 0.0f, 0.0f, 1.0f, 3e38f};
    static const float real_ranges[] = {-1.0f, 1.0f,  -0.0f, 0.0f, 0.0f,
                                        1.0f,  -0.0f, 3e38f, 1.0f, 1.0f};
    enum { COUNT = sizeof(reals) / sizeof(reals[0]) };
    uint32_t values[COUNT], edges[7], ranges[10];
    memcpy(values, reals, sizeof(reals));
    memcpy(edges, real_edges, sizeof(real_edges));
    memcpy(ranges, real_ranges, sizeof(real_ranges));
    check(edges, 1, 6, values, COUNT, PRM_KEY_F32);
    check(ranges, 2, 5, values, COUNT, PRM_KEY_F32);
}

static void places(void **state)
{
    (void)state;
    static const uint32_t edges[] = {2, 2, 5}, values[] = {0, 1, 2, 3, 4, 5, 6};
    static const uint32_t expected[] = {0, 0, 2, 2, 2, 3, 3}, none[7] = {0};
    struct prm_buffer b[3] = {test_upload_u32(test_context, NULL, 7),
                              test_upload_u32(test_context, values, 7),
                              test_upload_u32(test_context, edges, 3)};
    assert_ok(prm_bin_places(test_arena, b[0], b[1], 7, b[2], 3, PRM_KEY_U32));
    case_check(b[0], expected, 7);
    assert_ok(prm_bin_places(test_arena, b[0], b[1], 7, b[2], 0, PRM_KEY_U32));
    case_check(b[0], none, 7);
    case_free(b, 3);
}

struct bin_case {
    struct prm_buffer offsets, bounds, values;
    size_t count, bins, members_max;
    bool ranges;
};

static enum prm_status bin_call(void *data)
{
    struct bin_case *c = data;
    struct prm_buffer members;
    const enum prm_status status =
        c->ranges ? prm_bin_ranges(test_arena, c->offsets, &members, c->members_max, c->values,
                                   c->count, c->bounds, c->bins, PRM_KEY_U32)
                  : prm_bin_edges(test_arena, c->offsets, &members, c->values, c->count, c->bounds,
                                  c->bins + 1, PRM_KEY_U32);
    prm_buffer_destroy(test_context, &members);
    return status;
}

static void faults_and_limits(void **state)
{
    (void)state;
    enum { BINS = 10 };
    struct bin_case c = {
        .count = test_size(1000, 30), .bins = BINS, .members_max = SIZE_MAX, .ranges = true};
    uint32_t *values = case_values(c.count, 50, 1), bounds[2 * BINS];
    for (uint32_t i = 0; i < 2 * BINS; i++)
        bounds[i] = i % 2 ? 50 : 0;
    c.offsets = test_upload_u32(test_context, NULL, BINS + 1);
    c.values = test_upload_u32(test_context, values, c.count);
    c.bounds = test_upload_u32(test_context, bounds, 2 * BINS);
    case_faults(bin_call, &c);

    // every value is in every interval
    c.members_max = BINS * c.count - 1;
    assert_status(PRM_LIMIT_EXCEEDED, bin_call(&c));
    c.members_max++;
    assert_ok(bin_call(&c));

    c.ranges = false;
    for (uint32_t i = 0; i <= BINS; i++)
        bounds[i] = 5 * i;
    assert_ok(prm_buffer_write(test_context, c.bounds, 0, bounds, sizeof(bounds)));
    case_faults(bin_call, &c);
    free(values);
    case_free((struct prm_buffer[]){c.offsets, c.values, c.bounds}, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bins),
        cmocka_unit_test(corners),
        cmocka_unit_test(places),
        cmocka_unit_test(faults_and_limits),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

/* Goal: scans, exclusive and inclusive, whole and by segments, are exact mod 2^32 at every size, in
 * place or not, by every method, within the stated scratch; totals are exact mod 2^64. Method:
 * random and extreme values through the device. Oracle: a serial loop. */
#include "primitives_cases.h"

#include "primitives/scan.h"

/* out[i] = in[0] + … + in[i - 1] within each segment; returns the last sum. */
static uint32_t serial_scan(uint32_t *out, const uint32_t *in, size_t count, size_t segment)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % segment == 0)
            sum = 0;
        out[i] = sum;
        sum += in[i];
    }
    return sum;
}

static void check_whole(size_t count, enum prm_scan_method method, bool in_place)
{
    uint32_t *in = case_values(count, 0, count + 1);
    uint32_t *expected = case_array(count + 1);
    expected[count] = serial_scan(expected, in, count, count + 1);

    struct prm_buffer buffers[2];
    buffers[0] = test_upload_u32(test_context, NULL, count + 1);
    buffers[1] = test_upload_u32(test_context, in, count);
    if (in_place)
        assert_ok(prm_buffer_write(test_context, buffers[0], 0, in, count * sizeof(uint32_t)));
    assert_ok(prm_scan_exclusive(test_arena, buffers[0], buffers[in_place ? 0 : 1], count, method));
    uint32_t *got = test_download_u32(test_context, buffers[0], count + 1);
    assert_u32_array_equal(expected, got, count + 1);

    // the inclusive scan is the exclusive one, a place on
    if (in_place)
        assert_ok(prm_buffer_write(test_context, buffers[0], 0, in, count * sizeof(uint32_t)));
    free(got);
    assert_ok(prm_scan_inclusive(test_arena, buffers[0], buffers[in_place ? 0 : 1], count, method));
    got = test_download_u32(test_context, buffers[0], count);
    assert_u32_array_equal(expected + 1, got, count);
    if (!in_place) {
        case_check(buffers[1], in, count);
    }
    free(got);
    free(expected);
    free(in);
    case_free(buffers, 2);
}

static void whole_arrays(void **state)
{
    (void)state;
    size_t sizes[CASE_SIZES_MAX];
    const size_t count = case_sizes(sizes);
    for (size_t s = 0; s < count; s++) {
        check_whole(sizes[s], PRM_SCAN_AUTO, false);
        check_whole(sizes[s], PRM_SCAN_BLELLOCH, true);
        check_whole(sizes[s], PRM_SCAN_HILLIS_STEELE, false);
    }

    // so long that the output goes past the caches
    check_whole(test_size(((size_t)1 << 22) + 13, 77), PRM_SCAN_AUTO, false);
}

/* Sums beyond 32 bits, of words with and without a sign. */
static void totals(void **state)
{
    (void)state;
    size_t sizes[CASE_SIZES_MAX];
    const size_t count = case_sizes(sizes);
    for (size_t s = 0; s < count; s++) {
        const size_t n = sizes[s];
        uint32_t *in = case_values(n, 0, n + 1);
        uint64_t sum = 0, signed_sum = 0, got = 1;
        for (size_t i = 0; i < n; i++) {
            sum += in[i];
            signed_sum += (uint64_t)(int64_t)(int32_t)in[i];
        }
        struct prm_buffer buffer = test_upload_u32(test_context, in, n);
        assert_ok(prm_scan_total(test_arena, &got, buffer, n, false));
        assert_true(got == sum);
        assert_ok(prm_scan_total(test_arena, &got, buffer, n, true));
        assert_true(got == signed_sum);
        free(in);
        case_free(&buffer, 1);
    }
}

static void check_segments(size_t segments, size_t segment, enum prm_scan_method method)
{
    const size_t count = segments * segment;
    uint32_t *in = case_values(count, 0, count + segment);
    uint32_t *expected = case_array(count);
    serial_scan(expected, in, count, segment ? segment : 1);

    struct prm_buffer buffers[2];
    buffers[0] = test_upload_u32(test_context, NULL, count);
    buffers[1] = test_upload_u32(test_context, in, count);
    for (int in_place = 0; in_place < 2; in_place++) {
        if (in_place)
            assert_ok(prm_buffer_write(test_context, buffers[0], 0, in, count * sizeof(uint32_t)));
        assert_ok(prm_scan_segments(test_arena, buffers[0], buffers[in_place ? 0 : 1], count,
                                    segment, method));
        case_check(buffers[0], expected, count);

        if (in_place)
            assert_ok(prm_buffer_write(test_context, buffers[0], 0, in, count * sizeof(uint32_t)));
        assert_ok(prm_scan_segments_inclusive(test_arena, buffers[0], buffers[in_place ? 0 : 1],
                                              count, segment, method));
        uint32_t *got = test_download_u32(test_context, buffers[0], count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(got[i], expected[i] + in[i]);
        free(got);
    }
    free(expected);
    free(in);
    case_free(buffers, 2);
}

static void segments(void **state)
{
    (void)state;
    const size_t lengths[] = {1, 2, 3, 7, 8, 63, 64, 100, 256, 257, 1023, 1024, 1025};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        check_segments(1, lengths[i], PRM_SCAN_AUTO);
        check_segments(2, lengths[i], PRM_SCAN_HILLIS_STEELE);
        check_segments(test_size(331, 11), lengths[i], PRM_SCAN_BLELLOCH);
    }
    check_segments(0, 8, PRM_SCAN_AUTO);
    check_segments(1, test_size(100003, 1009), PRM_SCAN_AUTO);
    check_segments(3, test_size(50021, 1009), PRM_SCAN_AUTO);
}

struct scan_case {
    struct prm_buffer out, in;
    size_t count;
};

static enum prm_status scan_call(void *data)
{
    const struct scan_case *c = data;
    return prm_scan_exclusive(test_arena, c->out, c->in, c->count, PRM_SCAN_AUTO);
}

static enum prm_status segments_call(void *data)
{
    const struct scan_case *c = data;
    return prm_scan_segments(test_arena, c->out, c->in, c->count, c->count, PRM_SCAN_AUTO);
}

static void faults_and_scratch(void **state)
{
    (void)state;
    struct scan_case c = {.count = test_size((size_t)1 << 20, 5000)};
    uint32_t *in = case_values(c.count, 0, 5);
    c.in = test_upload_u32(test_context, in, c.count);
    c.out = test_upload_u32(test_context, NULL, c.count + 1);
    case_faults(scan_call, &c);
    case_faults(segments_call, &c);
    const size_t stated = prm_scan_scratch_bytes(prm_context_profile(test_context), c.count);
    case_scratch(scan_call, &c, stated);
    case_scratch(segments_call, &c, stated);
    free(in);
    case_free(&c.in, 1);
    case_free(&c.out, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_arrays),
        cmocka_unit_test(totals),
        cmocka_unit_test(segments),
        cmocka_unit_test(faults_and_scratch),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

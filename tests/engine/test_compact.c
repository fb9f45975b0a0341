/* Goal: compaction keeps the flagged elements, all of them and in their order, in every form:
 * indices, values, segments in place, repeats, runs of a sorted array. Method: flags from none to
 * all, at every size, and the published vectors. Oracle: serial loops. */
#include "primitives_cases.h"

#include "primitives/compact.h"

/* Flags of which about `percent` in a hundred are set. */
static uint32_t *random_flags(size_t count, uint32_t percent)
{
    uint32_t *flags = case_values(count, 100, count + percent);
    for (size_t i = 0; i < count; i++)
        flags[i] = flags[i] < percent ? 1 : 0;
    return flags;
}

static void check_count(struct prm_buffer survivors, size_t expected)
{
    uint32_t *got = test_download_u32(test_context, survivors, 1);
    assert_int_equal(got[0], expected);
    free(got);
}

static void check_array(struct prm_buffer buffer, const uint32_t *expected, size_t count)
{
    case_check(buffer, expected, count);
}

static void check_flagged(size_t count, uint32_t percent)
{
    uint32_t *values = case_values(count, 0, 3);
    uint32_t *flags = random_flags(count, percent);
    uint32_t *kept = case_array(count);
    uint32_t *where = case_array(count);
    size_t survivors = 0;
    for (size_t i = 0; i < count; i++) {
        if (flags[i]) {
            kept[survivors] = values[i];
            where[survivors++] = (uint32_t)i;
        }
    }

    struct prm_buffer b[5];
    for (size_t i = 0; i < 2; i++)
        b[i] = test_upload_u32(test_context, NULL, count);
    b[2] = test_upload_u32(test_context, NULL, 1);
    b[3] = test_upload_u32(test_context, values, count);
    b[4] = test_upload_u32(test_context, flags, count);

    assert_ok(prm_compact_indices(test_arena, b[1], b[2], b[4], count));
    check_count(b[2], survivors);
    check_array(b[1], where, survivors);
    assert_ok(prm_compact_values(test_arena, b[0], PRM_NO_BUFFER, b[2], b[3], b[4], count));
    check_count(b[2], survivors);
    check_array(b[0], kept, survivors);
    assert_ok(prm_compact_values(test_arena, b[0], b[1], b[2], b[3], b[4], count));
    check_array(b[0], kept, survivors);
    check_array(b[1], where, survivors);
    free(values);
    free(flags);
    free(kept);
    free(where);
    case_free(b, 5);
}

static void flagged(void **state)
{
    (void)state;
    const uint32_t percents[] = {0, 1, 50, 100};
    size_t sizes[CASE_SIZES_MAX];
    const size_t count = case_sizes(sizes);
    for (size_t s = 0; s < count; s++) {
        for (size_t p = 0; p < sizeof(percents) / sizeof(percents[0]); p++)
            check_flagged(sizes[s], percents[p]);
    }
}

static void check_segments(size_t segments, size_t segment, uint32_t percent)
{
    const size_t count = segments * segment;
    uint32_t *values = case_values(count, 0, 3);
    uint32_t *flags = random_flags(count, percent);
    struct prm_buffer b[4];
    b[0] = test_upload_u32(test_context, NULL, count);
    b[1] = test_upload_u32(test_context, NULL, segments);
    b[2] = test_upload_u32(test_context, values, count);
    b[3] = test_upload_u32(test_context, flags, count);
    assert_ok(prm_compact_segments(test_arena, b[0], b[1], b[2], b[3], count, segment));

    uint32_t *out = test_download_u32(test_context, b[0], count);
    uint32_t *counts = test_download_u32(test_context, b[1], segments);
    for (size_t g = 0; g < segments; g++) {
        size_t place = g * segment;
        for (size_t i = g * segment; i < (g + 1) * segment; i++) {
            if (flags[i])
                assert_int_equal(out[place++], values[i]);
        }
        assert_int_equal(counts[g], place - g * segment);
    }
    free(out);

    // packed: the same, one behind the other
    struct prm_buffer offsets = test_upload_u32(test_context, NULL, segments + 1);
    assert_ok(prm_compact_segments_packed(test_arena, b[0], offsets, b[2], b[3], count, segment));
    out = test_download_u32(test_context, b[0], count);
    uint32_t *begins = test_download_u32(test_context, offsets, segments + 1);
    size_t place = 0;
    for (size_t g = 0; g < segments; g++) {
        assert_int_equal(begins[g], place);
        for (size_t i = g * segment; i < (g + 1) * segment; i++) {
            if (flags[i])
                assert_int_equal(out[place++], values[i]);
        }
    }
    assert_int_equal(begins[segments], place);
    free(begins);
    free(values);
    free(flags);
    free(out);
    free(counts);
    case_free(&offsets, 1);
    case_free(b, 4);
}

static void segments(void **state)
{
    (void)state;
    const size_t lengths[] = {1, 2, 3, 8, 63, 64, 100, 256, 257, 1025};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        check_segments(1, lengths[i], 50);
        check_segments(3, lengths[i], 100);
        check_segments(test_size(1009, 13), lengths[i], 30);
    }
    check_segments(0, 4, 0);
}

static void published_vectors(void **state)
{
    (void)state;
    const uint32_t values[] = {13, 2, 7, 10, 4, 15, 0, 9};
    const uint32_t odd[] = {1, 0, 1, 0, 0, 1, 0, 1};
    const uint32_t kept[] = {13, 7, 15, 9};
    const uint32_t repeating[] = {3, 4, 4, 5, 6, 7, 7};
    const uint32_t repeats[] = {1, 5};
    const uint32_t unique[] = {3, 4, 5, 6, 7};
    const uint32_t start[] = {0, 1, 3, 4, 5};
    const uint32_t length[] = {1, 2, 1, 1, 2};

    struct prm_buffer b[7];
    for (size_t i = 0; i < 3; i++)
        b[i] = test_upload_u32(test_context, NULL, 8);
    b[3] = test_upload_u32(test_context, NULL, 1);
    b[4] = test_upload_u32(test_context, values, 8);
    b[5] = test_upload_u32(test_context, odd, 8);
    b[6] = test_upload_u32(test_context, repeating, 7);
    assert_ok(prm_compact_values(test_arena, b[0], PRM_NO_BUFFER, b[3], b[4], b[5], 8));
    check_count(b[3], 4);
    check_array(b[0], kept, 4);
    assert_ok(prm_find_repeats(test_arena, b[0], b[3], b[6], 7));
    check_count(b[3], 2);
    check_array(b[0], repeats, 2);
    assert_ok(prm_unique_sorted(test_arena, b[0], b[1], b[2], b[3], b[6], 7));
    check_count(b[3], 5);
    check_array(b[0], unique, 5);
    check_array(b[1], start, 5);
    check_array(b[2], length, 5);
    case_free(b, 7);
}

/* A sorted array whose runs are about `run` long. */
static void check_runs(size_t count, uint32_t run)
{
    uint32_t *values = case_values(count, run, 9);
    uint32_t *want[4]; // unique, start, length, repeats
    for (size_t w = 0; w < 4; w++)
        want[w] = case_array(count);
    size_t runs = 0;
    size_t repeats = 0;
    for (size_t i = 0; i < count; i++) {
        values[i] = i == 0 ? 0 : values[i - 1] + (values[i] == 0 ? 1 : 0);
        if (i == 0 || values[i] != values[i - 1]) {
            want[0][runs] = values[i];
            want[1][runs] = (uint32_t)i;
            want[2][runs++] = 0;
        } else {
            want[3][repeats++] = (uint32_t)i - 1;
        }
        want[2][runs - 1]++;
    }

    struct prm_buffer b[5];
    for (size_t i = 0; i < 3; i++)
        b[i] = test_upload_u32(test_context, NULL, count);
    b[3] = test_upload_u32(test_context, NULL, 1);
    b[4] = test_upload_u32(test_context, values, count);
    assert_ok(prm_unique_sorted(test_arena, b[0], b[1], b[2], b[3], b[4], count));
    check_count(b[3], runs);
    for (size_t w = 0; w < 3; w++)
        check_array(b[w], want[w], runs);
    assert_ok(prm_find_repeats(test_arena, b[0], b[3], b[4], count));
    check_count(b[3], repeats);
    check_array(b[0], want[3], repeats);
    for (size_t w = 0; w < 4; w++)
        free(want[w]);
    free(values);
    case_free(b, 5);
}

static void runs(void **state)
{
    (void)state;
    size_t sizes[CASE_SIZES_MAX];
    const size_t count = case_sizes(sizes);
    for (size_t s = 0; s < count; s++) {
        check_runs(sizes[s], 1);
        check_runs(sizes[s], 5);
        check_runs(sizes[s], 1u << 30);
    }
}

struct compact_case {
    struct prm_buffer b[4];
    size_t count;
};

static enum prm_status compact_call(void *data)
{
    const struct compact_case *c = data;
    enum prm_status status =
        prm_unique_sorted(test_arena, c->b[0], c->b[1], c->b[2], c->b[3], c->b[3], 0);
    if (status == PRM_OK)
        status =
            prm_compact_values(test_arena, c->b[0], c->b[1], c->b[2], c->b[3], c->b[3], c->count);
    if (status == PRM_OK)
        status = prm_compact_segments_packed(test_arena, c->b[0], c->b[1], c->b[3], c->b[3],
                                             c->count, c->count / 4);
    return status;
}

static void faults_and_scratch(void **state)
{
    (void)state;
    struct compact_case c = {.count = test_size((size_t)1 << 20, 5000)};
    uint32_t *values = case_values(c.count, 2, 5);
    for (size_t i = 0; i < 4; i++)
        c.b[i] = test_upload_u32(test_context, values, c.count);
    case_faults(compact_call, &c);
    case_scratch(compact_call, &c,
                 prm_compact_scratch_bytes(prm_context_profile(test_context), c.count));
    free(values);
    case_free(c.b, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),  cmocka_unit_test(flagged),
        cmocka_unit_test(segments),           cmocka_unit_test(runs),
        cmocka_unit_test(faults_and_scratch),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

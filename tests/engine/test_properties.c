/* Goal: every primitive is right at shapes that nobody chose, by every work-group size. Method:
 * random sizes, segments, bins, types and orders, a few of each a run; registered with work-group
 * sizes 1 to 256 in both shapes, each with shapes of its own. Oracle: serial loops. (Halton, R_d,
 * normal variates, inclusive scans: test_random.c, test_scan.c.) */
#include "properties.h"
#include "random_cases.h"
#include "sort_cases.h"

#include "primitives/bin.h"
#include "primitives/bin_values.h"
#include "primitives/compact.h"
#include "primitives/cuckoo.h"
#include "primitives/graph_search.h"
#include "primitives/histogram.h"
#include "primitives/permutation.h"
#include "primitives/rank.h"
#include "primitives/scan.h"

enum { ROUNDS = 12, SIZE_BITS = 13, SEGMENT_BITS = 9 };

/* A segment, and a count that it divides. */
static size_t some_segments(size_t *segment)
{
    *segment = property_size(SEGMENT_BITS) + 1;
    return *segment * (property_size(SIZE_BITS) / *segment);
}

static void scans(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const enum prm_scan_method method = (enum prm_scan_method)(round % 3);
        size_t segment;
        const size_t count = some_segments(&segment);
        uint32_t *in = property_values(count, 0), *whole = case_array(count + 1);
        uint32_t *parts = case_array(count);
        for (size_t i = 0; i < count; i++) {
            whole[i + 1] = whole[i] + in[i];
            parts[i] = whole[i] - whole[i - i % segment];
        }
        struct prm_buffer b[2] = {test_upload_u32(test_context, in, count),
                                  test_upload_u32(test_context, NULL, count + 1)};
        assert_ok(prm_scan_exclusive(test_arena, b[1], b[0], count, method));
        case_check(b[1], whole, count + 1);
        assert_ok(prm_scan_segments(test_arena, b[1], b[0], count, segment, method));
        case_check(b[1], parts, count);
        free(in);
        free(whole);
        free(parts);
        case_free(b, 2);
    }
}

static void compactions(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        size_t segment;
        const size_t count = some_segments(&segment), groups = count / segment;
        uint32_t *values = property_values(count, 0);
        uint32_t *flags = property_values(count, 1 + property_below(4));
        uint32_t *out = case_array(count), *indices = case_array(count);
        uint32_t *offsets = case_array(groups + 1), kept = 0;
        for (size_t i = 0; i < count; i++) {
            flags[i] = flags[i] == 0;
            out[kept] = values[i];
            indices[kept] = (uint32_t)i;
            kept += flags[i];
            if ((i + 1) % segment == 0)
                offsets[i / segment + 1] = kept;
        }
        struct prm_buffer b[5] = {test_upload_u32(test_context, values, count),
                                  test_upload_u32(test_context, flags, count),
                                  test_upload_u32(test_context, NULL, count),
                                  test_upload_u32(test_context, NULL, count),
                                  test_upload_u32(test_context, NULL, groups + 1)};
        assert_ok(prm_compact_values(test_arena, b[2], b[3], b[4], b[0], b[1], count));
        case_check(b[4], &kept, 1);
        case_check(b[2], out, kept);
        case_check(b[3], indices, kept);
        assert_ok(prm_compact_segments_packed(test_arena, b[2], b[4], b[0], b[1], count, segment));
        case_check(b[4], offsets, groups + 1);
        case_check(b[2], out, kept);
        free(values);
        free(flags);
        free(out);
        free(indices);
        free(offsets);
        case_free(b, 5);
    }
}

/* Sorted values: which repeat, and the runs. */
static void runs_of_equals(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const size_t count = property_size(SIZE_BITS);
        const uint32_t rare = 1 + property_below(30);
        uint32_t *values = property_values(count, rare);
        uint32_t *expected[4];
        uint32_t runs = 0, repeats = 0;
        for (int e = 0; e < 4; e++)
            expected[e] = case_array(count);
        for (size_t i = 0; i < count; i++) {
            const bool same = i > 0 && values[i] > 0;
            values[i] = i == 0 ? 7 : values[i - 1] + !same;
            if (same) {
                expected[3][repeats++] = (uint32_t)i - 1;
            } else {
                expected[0][runs] = values[i];
                expected[1][runs++] = (uint32_t)i;
            }
            expected[2][runs - 1]++;
        }
        struct prm_buffer b[5];
        for (int i = 0; i < 4; i++)
            b[i] = test_upload_u32(test_context, i ? NULL : values, count);
        struct prm_buffer lengths = test_upload_u32(test_context, NULL, count);
        b[4] = test_upload_u32(test_context, NULL, 1);
        assert_ok(prm_unique_sorted(test_arena, b[1], b[2], lengths, b[4], b[0], count));
        case_check(b[4], &runs, 1);
        case_check(b[1], expected[0], runs);
        case_check(b[2], expected[1], runs);
        case_check(lengths, expected[2], runs);
        assert_ok(prm_find_repeats(test_arena, b[3], b[4], b[0], count));
        case_check(b[4], &repeats, 1);
        case_check(b[3], expected[3], repeats);
        for (int e = 0; e < 4; e++)
            free(expected[e]);
        free(values);
        case_free(&lengths, 1);
        case_free(b, 5);
    }
}

static void sorts(void **state)
{
    enum { DIGITS_MAX = 5 };
    (void)state;
    // programs are slow to build for an order, a payload and a digit: one of each a run
    struct sort_case c = {.options = sort_order(property_below(SORT_ORDERS))};
    const unsigned wanted = property_below(WITH_COMBINATIONS);
    c.options.bits_per_pass = property_below(DIGITS_MAX);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        c.pattern = (enum pattern)property_below(PATTERNS);
        c.count = some_segments(&c.segment);
        if (round % 2)
            c.segment = 0;
        check_one(c, wanted);
    }
}

static void splits(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const size_t count = property_size(SIZE_BITS);
        const uint32_t bit = property_below(32);
        uint32_t *values = property_values(count, 0);
        uint32_t *out = case_array(count), *permutation = case_array(count), zeros = 0;
        for (size_t i = 0; i < count; i++)
            zeros += (values[i] >> bit & 1) == 0;
        for (size_t i = 0, zero = 0, one = zeros; i < count; i++) {
            permutation[i] = (uint32_t)(values[i] >> bit & 1 ? one++ : zero++);
            out[permutation[i]] = values[i];
        }
        struct prm_buffer b[4] = {test_upload_u32(test_context, values, count),
                                  test_upload_u32(test_context, NULL, count),
                                  test_upload_u32(test_context, NULL, count),
                                  test_upload_u32(test_context, NULL, 1)};
        assert_ok(prm_split_by_bit(test_arena, b[1], b[2], b[3], b[0], count, bit));
        case_check(b[3], &zeros, 1);
        case_check(b[1], out, count);
        case_check(b[2], permutation, count);
        assert_ok(prm_permutation_invert(test_context, b[1], b[2], count));
        assert_ok(prm_permutation_invert(test_context, b[2], b[1], count));
        case_check(b[2], permutation, count);
        free(values);
        free(out);
        free(permutation);
        case_free(b, 4);
    }
}

static void histograms(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const size_t count = property_size(SIZE_BITS);
        const uint32_t bins = (uint32_t)property_size(17) + 1;
        uint32_t *values = property_values(count, bins + bins / 4);
        uint32_t *counts = case_array(bins);
        for (size_t i = 0; i < count; i++) {
            if (values[i] < bins)
                counts[values[i]]++;
        }
        struct prm_buffer b[2] = {test_upload_u32(test_context, values, count),
                                  test_upload_u32(test_context, NULL, bins)};
        assert_ok(prm_histogram_u32(test_arena, b[1], b[0], count, bins));
        case_check(b[1], counts, bins);
        free(values);
        free(counts);
        case_free(b, 2);
    }
}

/* Each bin's members in input order, by intervals of bins; offsets u32[bins + 1]. */
static uint32_t *serial_bins(uint32_t *offsets, uint32_t bins, const uint32_t *first,
                             const uint32_t *end, size_t count)
{
    uint32_t *members = case_array((size_t)bins * count);
    offsets[0] = 0;
    for (uint32_t b = 0; b < bins; b++) {
        offsets[b + 1] = offsets[b];
        for (size_t i = 0; i < count; i++) {
            if (first[i] <= b && b < end[i])
                members[offsets[b + 1]++] = (uint32_t)i;
        }
    }
    return members;
}

static void intervals(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const size_t count = property_size(10);
        const uint32_t bins = (uint32_t)property_size(8) + 1;
        uint32_t *first = property_values(count, bins + 1);
        uint32_t *end = property_values(count, bins + 1);
        uint32_t *offsets = case_array(bins + 1);
        uint32_t *expected = serial_bins(offsets, bins, first, end, count);
        struct prm_buffer b[4] = {test_upload_u32(test_context, first, count),
                                  test_upload_u32(test_context, end, count),
                                  test_upload_u32(test_context, NULL, bins + 1)};
        assert_ok(prm_bin_intervals(test_arena, b[2], &b[3], bins, b[0], b[1], count));
        case_check(b[2], offsets, bins + 1);
        case_check(b[3], expected, offsets[bins]);
        free(first);
        free(end);
        free(offsets);
        free(expected);
        case_free(b, 4);
    }
}

/* Values between ascending edges, some of which are equal. */
static void values_between_edges(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const size_t count = property_size(10);
        const uint32_t bins = (uint32_t)property_size(8) + 1;
        uint32_t *values = property_values(count, 3 * bins);
        uint32_t *edges = property_values(bins + 1, 4);
        for (uint32_t e = 1; e <= bins; e++)
            edges[e] += edges[e - 1];
        uint32_t *first = case_array(count), *end = case_array(count);
        for (size_t i = 0; i < count; i++) {
            for (uint32_t b = 0; b < bins; b++) {
                if (edges[b] <= values[i] && values[i] < edges[b + 1]) {
                    first[i] = b;
                    end[i] = b + 1;
                }
            }
        }
        uint32_t *offsets = case_array(bins + 1);
        uint32_t *expected = serial_bins(offsets, bins, first, end, count);
        struct prm_buffer b[4] = {test_upload_u32(test_context, values, count),
                                  test_upload_u32(test_context, edges, bins + 1),
                                  test_upload_u32(test_context, NULL, bins + 1)};
        assert_ok(prm_bin_edges(test_arena, b[2], &b[3], b[0], count, b[1], bins + 1, PRM_KEY_U32));
        case_check(b[2], offsets, bins + 1);
        case_check(b[3], expected, offsets[bins]);
        free(values);
        free(edges);
        free(first);
        free(end);
        free(offsets);
        free(expected);
        case_free(b, 4);
    }
}

/* Trees: each element's parent has a lower index. */
static void ranks(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const size_t count = property_size(SIZE_BITS);
        const uint32_t reach = 1 + (uint32_t)property_size(SIZE_BITS);
        uint32_t *next = property_values(count, reach), *expected = case_array(count);
        for (size_t i = 0; i < count; i++) {
            next[i] = next[i] < i ? (uint32_t)i - 1 - next[i] : (uint32_t)i;
            expected[i] = next[i] == i ? 0 : expected[next[i]] + 1;
        }
        struct prm_buffer b[2] = {test_upload_u32(test_context, next, count),
                                  test_upload_u32(test_context, NULL, count)};
        assert_ok(prm_rank(test_arena, b[1], b[0], PRM_NO_BUFFER, count, NULL));
        case_check(b[1], expected, count);
        free(next);
        free(expected);
        case_free(b, 2);
    }
}

/* One list in a random order of its elements, mostly so long that it is contracted. */
static void ranks_of_lists(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t count = property_below((uint32_t)1 << SIZE_BITS);
        uint32_t *order = case_order(count, test_random_u64(&property_random));
        uint32_t *next = case_array(count), *expected = case_array(count);
        for (uint32_t i = 0; i < count; i++) {
            next[order[i]] = order[i > 0 ? i - 1 : 0];
            expected[order[i]] = i;
        }
        struct prm_buffer b[2] = {test_upload_u32(test_context, next, count),
                                  test_upload_u32(test_context, NULL, count)};
        assert_ok(prm_rank(test_arena, b[1], b[0], PRM_NO_BUFFER, count, NULL));
        case_check(b[1], expected, count);
        free(order);
        free(next);
        free(expected);
        case_free(b, 2);
    }
}

/* Keys are multiples of an odd number, so distinct; what is asked for is one, or its successor. */
static void tables(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const size_t count = property_size(SIZE_BITS);
        const uint32_t odd = test_random_u32(&property_random) | 1;
        const struct prm_cuckoo_options options = {.seed = test_random_u64(&property_random)};
        uint32_t *keys = case_array(count), *values = property_values(count, UINT32_MAX);
        uint32_t *queries = case_array(2 * count), *expected = case_array(2 * count);
        for (size_t i = 0; i < count; i++) {
            keys[i] = (uint32_t)i * odd;
            queries[2 * i] = keys[i];
            expected[2 * i] = values[i];
            queries[2 * i + 1] = (uint32_t)(count + i) * odd;
            expected[2 * i + 1] = UINT32_MAX;
        }
        struct prm_buffer b[4] = {test_upload_u32(test_context, keys, count),
                                  test_upload_u32(test_context, values, count),
                                  test_upload_u32(test_context, queries, 2 * count),
                                  test_upload_u32(test_context, NULL, 2 * count)};
        struct prm_cuckoo *table;
        assert_ok(prm_cuckoo_create(test_arena, &table, b[0], b[1], count, &options));
        assert_ok(prm_cuckoo_find(table, b[3], PRM_NO_BUFFER, b[2], 2 * count));
        case_check(b[3], expected, 2 * count);
        prm_cuckoo_destroy(table);
        free(keys);
        free(values);
        free(queries);
        free(expected);
        case_free(b, 4);
    }
}

/* Words of the one generator, and numbers of the other, from any place. */
static void random_numbers(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const size_t count = property_size(SIZE_BITS);
        const uint64_t seed = test_random_u64(&property_random);
        const uint32_t stream = property_below(1000);
        const uint64_t first = test_random_u64(&property_random) >> 8;
        const uint64_t block = (uint64_t)stream * PRM_MT_BLOCK;
        struct prm_buffer buffer = test_upload_u32(test_context, NULL, count);
        uint32_t *expected = serial_words(count, seed, block);
        assert_ok(prm_random_words(test_arena, buffer, count, seed, block));
        case_check(buffer, expected, count);
        free(expected);

        expected = serial_philox(count, seed, first);
        for (size_t i = 0; i < count; i++) {
            const float unit = (float)(expected[i] >> 8) / 16777216.0f;
            memcpy(&expected[i], &unit, sizeof(unit));
        }
        assert_ok(prm_random_philox(test_arena, buffer, count, seed, first));
        case_check(buffer, expected, count);
        free(expected);
        case_free(&buffer, 1);
    }
}

/* Levels over the edges of a random graph, by rounds over all edges. */
static void levels(void **state)
{
    enum { VERTICES_BITS = 9 };
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t vertices = (uint32_t)property_size(VERTICES_BITS) + 1;
        const size_t edges = property_size(VERTICES_BITS + 2);
        const uint32_t source = property_below(vertices);
        uint32_t *ends = property_values(2 * edges, vertices), *expected = case_array(vertices);
        for (uint32_t v = 0; v < vertices; v++)
            expected[v] = v == source ? 0 : UINT32_MAX;
        for (bool moved = true; moved;) {
            moved = false;
            for (size_t a = 0; a < 2 * edges; a++) {
                const uint32_t from = expected[ends[a]];
                if (from != UINT32_MAX && from + 1 < expected[ends[a ^ 1]]) {
                    expected[ends[a ^ 1]] = from + 1;
                    moved = true;
                }
            }
        }
        struct prm_arcs arcs;
        struct prm_buffer b[3] = {test_upload_u32(test_context, ends, 2 * edges),
                                  test_upload_u32(test_context, &source, 1),
                                  test_upload_u32(test_context, NULL, vertices)};
        assert_ok(prm_arcs_init(test_arena, &arcs, b[0], PRM_NO_BUFFER, edges, vertices));
        assert_ok(prm_graph_levels(test_arena, b[2], PRM_NO_BUFFER, &arcs, b[1], 1));
        case_check(b[2], expected, vertices);
        prm_arcs_deinit(test_context, &arcs);
        free(ends);
        free(expected);
        case_free(b, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans),          cmocka_unit_test(compactions),
        cmocka_unit_test(runs_of_equals), cmocka_unit_test(sorts),
        cmocka_unit_test(splits),         cmocka_unit_test(histograms),
        cmocka_unit_test(intervals),      cmocka_unit_test(values_between_edges),
        cmocka_unit_test(ranks),          cmocka_unit_test(ranks_of_lists),
        cmocka_unit_test(tables),         cmocka_unit_test(random_numbers),
        cmocka_unit_test(levels),
    };
    return cmocka_run_group_tests(tests, property_setup, test_device_teardown);
}

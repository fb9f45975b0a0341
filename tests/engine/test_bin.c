/* Goal: every element is listed in each bin that it belongs to and in no other, in input order;
 * offsets are right for empty bins too; boxes are closed and clipped to the grid. Method: the
 * published vector, random intervals and boxes, one element in all bins. Oracle: a loop over all
 * (bin, element) pairs. */
#include "primitives_cases.h"

#include "primitives/bin.h"

#include <math.h>

/* Compares with bins listed by `belongs`. */
static void check_lists(struct prm_buffer offsets, struct prm_buffer members, uint32_t bins,
                        size_t count, bool (*belongs)(const void *, size_t, uint32_t),
                        const void *data)
{
    uint32_t *got_offsets = test_download_u32(test_context, offsets, (size_t)bins + 1);
    uint32_t *got = test_download_u32(test_context, members, got_offsets[bins]);
    size_t place = 0;
    for (uint32_t b = 0; b < bins; b++) {
        assert_int_equal(got_offsets[b], place);
        for (size_t i = 0; i < count; i++) {
            if (!belongs(data, i, b))
                continue;
            assert_true(place < got_offsets[bins]);
            assert_int_equal(got[place++], i);
        }
    }
    assert_int_equal(got_offsets[bins], place);
    free(got_offsets);
    free(got);
}

struct intervals {
    uint32_t *first, *end;
};

static bool in_interval(const void *data, size_t i, uint32_t bin)
{
    const struct intervals *intervals = data;
    return intervals->first[i] <= bin && bin < intervals->end[i];
}

static void check_intervals(size_t count, uint32_t bins, uint32_t longest)
{
    struct intervals intervals = {case_values(count, bins + 2, count + 3),
                                  case_values(count, longest, count + 4)};
    for (size_t i = 0; i < count; i++) {
        const uint32_t end = intervals.first[i] + intervals.end[i];
        intervals.end[i] = end < bins ? end : bins;
    }
    struct prm_buffer b[4];
    b[0] = test_upload_u32(test_context, NULL, (size_t)bins + 1);
    b[1] = test_upload_u32(test_context, intervals.first, count);
    b[2] = test_upload_u32(test_context, intervals.end, count);
    assert_ok(prm_bin_intervals(test_arena, b[0], &b[3], bins, b[1], b[2], count));
    check_lists(b[0], b[3], bins, count, in_interval, &intervals);
    free(intervals.first);
    free(intervals.end);
    case_free(b, 4);
}

static void random_intervals(void **state)
{
    (void)state;
    size_t sizes[CASE_SIZES_MAX];
    const size_t count = case_sizes(sizes) - 1; // the oracle is quadratic
    for (size_t s = 0; s < count; s++) {
        check_intervals(sizes[s], 300, 3);
        if (test_is_small())
            continue;
        check_intervals(sizes[s], 1, 2);
        check_intervals(sizes[s], 7, 4);
        check_intervals(sizes[s], 300, 1);
    }
    check_intervals(5, 0, 3);
    check_intervals(3, test_is_small() ? 503 : 100003, 100);
    check_intervals(40, test_is_small() ? 503 : 10007, 20000);
}

/* a = [3,4,4,5,6,7,7] in bins [3,4) … [7,8) → [[0],[1,2],[3],[4],[5,6]]. */
static void published_vector(void **state)
{
    (void)state;
    const uint32_t first[] = {0, 1, 1, 2, 3, 4, 4};
    const uint32_t end[] = {1, 2, 2, 3, 4, 5, 5};
    const uint32_t offsets[] = {0, 1, 3, 4, 5, 7};
    const uint32_t members[] = {0, 1, 2, 3, 4, 5, 6};
    struct prm_buffer b[4];
    b[0] = test_upload_u32(test_context, NULL, 6);
    b[1] = test_upload_u32(test_context, first, 7);
    b[2] = test_upload_u32(test_context, end, 7);
    assert_ok(prm_bin_intervals(test_arena, b[0], &b[3], 5, b[1], b[2], 7));
    case_check(b[0], offsets, 6);
    case_check(b[3], members, 7);
    case_free(b, 4);
}

struct boxes {
    float *lower, *upper; // [count][4]
    struct prm_tile_grid grid;
};

/* Tiles are half-open, boxes closed, and the grid's upper face belongs to its last tile. */
static bool in_tile(const void *data, size_t i, uint32_t bin)
{
    const struct boxes *boxes = data;
    const uint32_t *size = boxes->grid.size;
    const uint32_t tile[3] = {bin % size[0], bin / size[0] % size[1], bin / size[0] / size[1]};
    for (size_t axis = 0; axis < 3; axis++) {
        const float low = boxes->lower[4 * i + axis];
        const float high = boxes->upper[4 * i + axis];
        const float from = (low - boxes->grid.origin[axis]) * boxes->grid.inverse_edge;
        const float to = (high - boxes->grid.origin[axis]) * boxes->grid.inverse_edge;
        const bool at_face = tile[axis] == size[axis] - 1 && from == (float)size[axis];
        const bool overlaps = (float)tile[axis] + 1.0f > from && (float)tile[axis] <= to;
        if (!(low <= high) || !(overlaps || at_face))
            return false;
    }
    return true;
}

static void check_boxes(struct boxes *boxes, size_t count)
{
    const uint32_t *size = boxes->grid.size;
    const uint32_t bins = size[0] * size[1] * size[2];
    const size_t bytes = count * 4 * sizeof(float);
    struct prm_buffer b[4];
    b[0] = test_upload_u32(test_context, NULL, (size_t)bins + 1);
    for (size_t i = 1; i < 3; i++) {
        assert_ok(prm_buffer_create(test_context, &b[i], bytes));
        assert_ok(
            prm_buffer_write(test_context, b[i], 0, i == 1 ? boxes->lower : boxes->upper, bytes));
    }
    assert_ok(prm_bin_boxes(test_arena, b[0], &b[3], &boxes->grid, b[1], b[2], count));
    check_lists(b[0], b[3], bins, count, in_tile, boxes);
    case_free(b, 4);
}

static void random_boxes(void **state)
{
    (void)state;
    struct test_random random = {8};
    const uint32_t grids[][3] = {{1, 1, 1}, {5, 4, 1}, {7, 6, 5}, {1, 1, 30}};
    const size_t counts[] = {0, 1, 2, 65, test_size(701, 31)};
    for (size_t g = 0; g < sizeof(grids) / sizeof(grids[0]); g++) {
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            struct boxes boxes = {.lower = malloc((counts[c] + 1) * 16),
                                  .upper = malloc((counts[c] + 1) * 16),
                                  .grid = {{-2.0f, 1.0f, 0.5f}, 2.0f, {0}}};
            memcpy(boxes.grid.size, grids[g], sizeof(grids[g]));
            for (size_t i = 0; i < 4 * counts[c]; i++) {
                boxes.lower[i] = test_random_f32(&random, -3.0f, 4.0f);
                boxes.upper[i] = boxes.lower[i] + test_random_f32(&random, 0.0f, 1.2f);
                // some on tile faces
                if (test_random_below(&random, 5) == 0)
                    boxes.lower[i] = floorf(boxes.lower[i]);
            }
            check_boxes(&boxes, counts[c]);
            free(boxes.lower);
            free(boxes.upper);
        }
    }
}

/* A grid of 2 x 1 x 1 unit tiles: boxes on its faces, around it, empty, and not numbers. */
static void edge_boxes(void **state)
{
    (void)state;
    float lower[][4] = {{2.0f, 0.0f, 0.0f, 0},
                        {-1.0f, 0, 0, 0},
                        {1.0f, 0, 0, 0},
                        {0.5f, 0, 0, 0},
                        {-1e30f, -1e30f, -1e30f, 0},
                        {1.5f, 0, 0, 0},
                        {NAN, 0, 0, 0},
                        {-INFINITY, 0, 0, 0},
                        {2.5f, 0, 0, 0}};
    float upper[][4] = {{3.0f, 0.5f, 0.5f, 0}, {0.0f, 0.1f, 0.1f, 0},    {1.0f, 0, 0, 0},
                        {1.0f, 0, 0, 0},       {1e30f, 1e30f, 1e30f, 0}, {1.0f, 0, 0, 0},
                        {1.0f, 0, 0, 0},       {INFINITY, 0, 0, 0},      {3.0f, 1, 1, 0}};
    const uint32_t expected[] = {1, 3, 4, 7, 0, 2, 3, 4, 7};
    enum { COUNT = sizeof(lower) / sizeof(lower[0]) };
    const struct prm_tile_grid grid = {{0, 0, 0}, 1.0f, {2, 1, 1}};
    struct prm_buffer b[4];
    b[0] = test_upload_u32(test_context, NULL, 3);
    for (size_t i = 1; i < 3; i++) {
        assert_ok(prm_buffer_create(test_context, &b[i], sizeof(lower)));
        assert_ok(prm_buffer_write(test_context, b[i], 0, i == 1 ? lower : upper, sizeof(lower)));
    }
    assert_ok(prm_bin_boxes(test_arena, b[0], &b[3], &grid, b[1], b[2], COUNT));
    uint32_t *offsets = test_download_u32(test_context, b[0], 3);
    assert_int_equal(offsets[1], 4);
    assert_int_equal(offsets[2], 9);
    uint32_t *members = test_download_u32(test_context, b[3], 9);
    assert_u32_array_equal(expected, members, 9);
    free(offsets);
    free(members);
    case_free(b, 4);
}

struct bin_case {
    struct prm_buffer offsets, first, end;
    size_t count;
};

static enum prm_status bin_call(void *data)
{
    struct bin_case *c = data;
    struct prm_buffer members;
    const enum prm_status status =
        prm_bin_intervals(test_arena, c->offsets, &members, 100, c->first, c->end, c->count);
    prm_buffer_destroy(test_context, &members);
    return status;
}

static void faults_and_limits(void **state)
{
    (void)state;
    struct bin_case c = {.count = test_size(1000, 500)};
    uint32_t *first = case_values(c.count, 50, 1);
    uint32_t *end = case_values(c.count, 100, 1);
    c.offsets = test_upload_u32(test_context, NULL, 101);
    c.first = test_upload_u32(test_context, first, c.count);
    c.end = test_upload_u32(test_context, end, c.count);
    case_faults(bin_call, &c);

    // more memberships than an index counts
    struct prm_buffer members;
    const uint32_t bins = (uint32_t)(10000000000u / c.count);
    for (size_t i = 0; i < c.count; i++) {
        first[i] = 0;
        end[i] = bins;
    }
    struct prm_buffer offsets = test_upload_u32(test_context, NULL, (size_t)bins + 1);
    assert_ok(prm_buffer_write(test_context, c.first, 0, first, c.count * sizeof(uint32_t)));
    assert_ok(prm_buffer_write(test_context, c.end, 0, end, c.count * sizeof(uint32_t)));
    assert_status(PRM_LIMIT_EXCEEDED,
                  prm_bin_intervals(test_arena, offsets, &members, bins, c.first, c.end, c.count));
    assert_fault_says("bins in all, more than 2147418112");
    free(first);
    free(end);
    case_free(&offsets, 1);
    case_free(&c.offsets, 1);
    case_free(&c.first, 1);
    case_free(&c.end, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vector),  cmocka_unit_test(random_intervals),
        cmocka_unit_test(random_boxes),      cmocka_unit_test(edge_boxes),
        cmocka_unit_test(faults_and_limits),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

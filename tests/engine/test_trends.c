/* Goal: the algorithms behave as their sources report, in direction: neighbours by hashing fall
 * with M, faster in 12 dimensions than in 6, and rise with L and W; one attempt builds a cuckoo
 * table at bucket loads 0.6 and 0.7 whatever gamma, and at 0.8 more gamma needs fewer; the work of
 * a scan and of hashed neighbours is linear in n where that of exact ones is quadratic.
 *
 * Method: counts at small sizes, never times, so that a busy machine changes nothing. Oracle: the
 * sources' figures (`./dev bench thesis` draws them).
 */
#include "device/launch.h"
#include "primitives/cuckoo.h"
#include "primitives/scan.h"
#include "roadmap/nearest/neighbors.h"
#include "support/support.h"

#include <stdlib.h>

/* ---- neighbours ---- */

enum { POINTS = 200, SEEDS = 6 };

/* Points uniform in the unit cube; the caller destroys the buffer. */
static struct prm_buffer cloud(struct prm_embedding *embedding, uint32_t dof, size_t count)
{
    struct test_random random = {42};
    *embedding = prm_embedding_flat(dof);
    float *rows = calloc(count * embedding->row, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < dof; c++)
            rows[i * embedding->row + c] = test_random_f32(&random, 0, 1);
    struct prm_buffer points;
    assert_ok(prm_buffer_create(test_context, &points, count * embedding->row * sizeof *rows));
    assert_ok(
        prm_buffer_write(test_context, points, 0, rows, count * embedding->row * sizeof *rows));
    free(rows);
    return points;
}

/* Neighbours that a point finds with M projections, L tables, cells of W; the mean of points and
 * seeds. */
static double mean_neighbors(uint32_t dof, uint32_t m, uint32_t l, double w)
{
    struct prm_embedding embedding;
    struct prm_buffer points = cloud(&embedding, dof, POINTS);
    struct prm_neighbor_options options = {.method = PRM_NEIGHBOR_LSH,
                                           .k = PRM_NEIGHBORS_MAX,
                                           .tables = l,
                                           .projections = m,
                                           .width = w};
    const size_t cells = (size_t)POINTS * options.k;
    struct prm_buffer lists = test_upload_u32(test_context, NULL, cells);
    size_t found = 0;
    for (options.seed = 1; options.seed <= SEEDS; options.seed++) {
        struct prm_neighbor_index *index;
        assert_ok(
            prm_neighbor_index_create(test_arena, &index, &embedding, points, POINTS, &options));
        assert_ok(prm_neighbors_self(test_arena, lists, PRM_NO_BUFFER, index, 0, POINTS));
        uint32_t *got = test_download_u32(test_context, lists, cells);
        for (size_t i = 0; i < cells; i++)
            found += got[i] != UINT32_MAX;
        free(got);
        prm_neighbor_index_destroy(index);
    }
    prm_buffer_destroy(test_context, &lists);
    prm_buffer_destroy(test_context, &points);
    return (double)found / (POINTS * SEEDS);
}

static void test_neighbors_fall_with_projections(void **state)
{
    (void)state;
    double first[2], last[2];
    for (unsigned d = 0; d < 2; d++) {
        const uint32_t dof = d == 0 ? 6 : 12;
        first[d] = last[d] = mean_neighbors(dof, 1, 1, 1);
        for (uint32_t m = 2; m <= 5; m++) {
            const double fewer = mean_neighbors(dof, m, 1, 1);
            assert_true(fewer < last[d]);
            last[d] = fewer;
        }
    }
    // faster in 12 dimensions
    assert_true(last[1] / first[1] < 0.5 * last[0] / first[0]);
}

static void test_neighbors_rise_with_tables(void **state)
{
    (void)state;
    for (uint32_t dof = 6; dof <= 12; dof += 6) {
        double before = 0;
        for (uint32_t l = 1; l <= 16; l *= 2) {
            const double more = mean_neighbors(dof, 4, l, 1);
            assert_true(more > before);
            before = more;
        }
    }
}

static void test_neighbors_rise_with_width(void **state)
{
    (void)state;
    for (uint32_t dof = 6; dof <= 12; dof += 6) {
        double before = 0;
        for (unsigned quarters = 2; quarters <= 6; quarters++) {
            const double more = mean_neighbors(dof, 4, 4, quarters / 4.0);
            assert_true(more > before);
            before = more;
        }
    }
}

/* Pairs that one search of all points works out. */
static double pairs(enum prm_neighbor_method method, size_t count)
{
    struct prm_embedding embedding;
    struct prm_buffer points = cloud(&embedding, 6, count);
    const struct prm_neighbor_options options = {
        .method = method, .k = 10, .target_recall = 0.9, .seed = 1};
    struct prm_neighbor_index *index;
    uint64_t counted;
    assert_ok(prm_neighbor_index_create(test_arena, &index, &embedding, points, count, &options));
    assert_ok(prm_neighbor_pairs(index, &counted));
    prm_neighbor_index_destroy(index);
    prm_buffer_destroy(test_context, &points);
    return (double)counted;
}

/* Four times as many points: four times the work by hashing, as good as; sixteen times exactly. */
static void test_work_of_neighbors(void **state)
{
    (void)state;
    enum { FEW = 2000, MANY = 8000 };
    const double hashed = pairs(PRM_NEIGHBOR_LSH, MANY) / pairs(PRM_NEIGHBOR_LSH, FEW);
    const double exact = pairs(PRM_NEIGHBOR_EXACT, MANY) / pairs(PRM_NEIGHBOR_EXACT, FEW);
    assert_true(hashed > 3 && hashed < 6);
    assert_true(exact > 15.9 && exact < 16.1);
}

static void test_tiles_are_not_counted(void **state)
{
    (void)state;
    struct prm_embedding embedding;
    struct prm_buffer points = cloud(&embedding, 3, POINTS);
    const struct prm_neighbor_options options = {.method = PRM_NEIGHBOR_TILES, .k = 10};
    struct prm_neighbor_index *index;
    uint64_t counted;
    assert_ok(prm_neighbor_index_create(test_arena, &index, &embedding, points, POINTS, &options));
    assert_status(PRM_UNSUPPORTED, prm_neighbor_pairs(index, &counted));
    assert_fault_says("tiles");
    prm_neighbor_index_destroy(index);
    prm_buffer_destroy(test_context, &points);
}

/* ---- cuckoo ---- */

enum { KEYS = 50000, TABLES = 3 };

/* A bijection of 32 bits that looks random, so that keys are distinct. */
static uint32_t scrambled(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Attempts of all tables together. */
static uint32_t attempts(float load, float gamma)
{
    uint32_t *keys = malloc(KEYS * sizeof *keys);
    uint32_t sum = 0;
    assert_non_null(keys);
    for (unsigned t = 0; t < TABLES; t++) {
        struct prm_cuckoo *table;
        const struct prm_cuckoo_options options = {
            .bucket_load = load, .gamma = gamma, .seed = t, .attempts_max = 1000};
        for (uint32_t i = 0; i < KEYS; i++)
            keys[i] = scrambled(t * KEYS + i);
        struct prm_buffer device = test_upload_u32(test_context, keys, KEYS);
        assert_ok(prm_cuckoo_create(test_arena, &table, device, device, KEYS, &options));
        sum += prm_cuckoo_statistics(table).attempts;
        prm_cuckoo_destroy(table);
        prm_buffer_destroy(test_context, &device);
    }
    free(keys);
    return sum;
}

static void test_attempts_fall_with_gamma(void **state)
{
    (void)state;
    static const float gammas[] = {0.01f, 0.03f, 0.1f, 0.5f, 0.9f};
    uint32_t before = UINT32_MAX, first = 0;
    for (size_t i = 0; i < sizeof gammas / sizeof *gammas; i++) {
        assert_int_equal(attempts(0.6f, gammas[i]), TABLES);
        assert_int_equal(attempts(0.7f, gammas[i]), TABLES);
        const uint32_t fewer = attempts(0.8f, gammas[i]);
        assert_true(fewer <= before);
        before = fewer;
        first = i == 0 ? fewer : first;
    }
    assert_true(before < first);
}

/* ---- scan ---- */

/* Each kernel walks its array once, so launches that do not grow with n are work that is linear. */
static void test_scan_launches_do_not_grow(void **state)
{
    (void)state;
    static const size_t sizes[] = {1 << 17, 1 << 19, 1 << 21};
    struct prm_context_options options = test_context_options();
    struct prm_context *context;
    struct prm_arena *arena;
    uint64_t before = 0;
    options.time_kernels = true;
    assert_ok(prm_context_open(&context, &options));
    assert_ok(prm_arena_create(context, &arena));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct prm_kernel_time times[PRM_KERNEL_COUNT];
        struct prm_buffer values;
        uint64_t launches = 0;
        assert_ok(prm_buffer_create(context, &values, (sizes[i] + 1) * sizeof(uint32_t)));
        assert_ok(prm_buffer_fill_u32(context, values, 0, 1, sizes[i]));
        assert_ok(prm_context_finish(context));
        prm_context_kernel_times_reset(context);
        assert_ok(prm_scan_exclusive(arena, values, values, sizes[i], PRM_SCAN_AUTO));
        const size_t count = prm_context_kernel_times(context, times, PRM_KERNEL_COUNT);
        for (size_t k = 0; k < count; k++)
            launches += times[k].launches;
        prm_buffer_destroy(context, &values);
        assert_true(launches >= 1 && launches <= 3);
        assert_true(i == 0 || launches == before);
        before = launches;
    }
    prm_arena_destroy(arena);
    prm_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbors_fall_with_projections),
        cmocka_unit_test(test_neighbors_rise_with_tables),
        cmocka_unit_test(test_neighbors_rise_with_width),
        cmocka_unit_test(test_work_of_neighbors),
        cmocka_unit_test(test_tiles_are_not_counted),
        cmocka_unit_test(test_attempts_fall_with_gamma),
        cmocka_unit_test(test_scan_launches_do_not_grow),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

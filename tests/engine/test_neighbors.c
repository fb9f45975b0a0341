/* Goal: brute force is exact and canonical (ties by the lower index), whatever the vector width;
 * lsh reaches its target recall on uniform points, keeps its lists distinct and sorted, and a
 * crowded bucket costs no square; foreign and own queries alike, in pieces or whole. Method: random
 * points in 2, 3 and 6 dimensions, duplicates, quantised points with many ties, sizes about the
 * lanes' and the blocks'. Oracle: a serial sort of all distances. */
#include "roadmap/neighbors.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cloud {
    struct prm_space space;
    uint32_t count;
    float *rows;
    struct prm_buffer buffer;
};

/* steps > 0: coordinates are multiples of 1/steps. */
static struct cloud cloud_make(struct test_random *random, uint32_t dof, uint32_t count,
                               uint32_t steps)
{
    struct cloud cloud = {.space = {.dof = dof, .row = dof <= 2 ? 2 : (dof <= 4 ? 4 : 8)},
                          .count = count};
    cloud.rows = calloc((size_t)count * cloud.space.row + 1, sizeof(float));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < dof; c++) {
            float x = test_random_f32(random, -1, 1);
            if (steps > 0)
                x = floorf(x * (float)steps) / (float)steps;
            cloud.rows[i * cloud.space.row + c] = x;
        }
    }
    const size_t bytes = (size_t)count * cloud.space.row * sizeof(float);
    assert_ok(prm_buffer_create(test_context, &cloud.buffer, bytes));
    assert_ok(prm_buffer_write(test_context, cloud.buffer, 0, cloud.rows, bytes));
    return cloud;
}

static void cloud_free(struct cloud *cloud)
{
    prm_buffer_destroy(test_context, &cloud->buffer);
    free(cloud->rows);
}

struct ranked {
    float squared;
    uint32_t index;
};

static int compare(const void *a, const void *b)
{
    const struct ranked *p = a, *q = b;
    if (p->squared != q->squared)
        return p->squared < q->squared ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

/* The list of one row by a full sort; own: itself, or UINT32_MAX. */
static void serial(const struct cloud *cloud, const float *row, uint32_t own, uint32_t k,
                   float radius, uint32_t *indices, float *distances)
{
    struct ranked *all = calloc(cloud->count + 1u, sizeof(*all));
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cloud->count; i++) {
        float squared = 0;
        for (uint32_t c = 0; c < cloud->space.dof; c++) {
            const float d = row[c] - cloud->rows[i * cloud->space.row + c];
            squared += d * d;
        }
        if (i != own && (radius == 0 || squared <= radius * radius))
            all[kept++] = (struct ranked){squared, i};
    }
    qsort(all, kept, sizeof(*all), compare);
    for (uint32_t i = 0; i < k; i++) {
        indices[i] = i < kept ? all[i].index : UINT32_MAX;
        distances[i] = i < kept ? sqrtf(all[i].squared) : INFINITY;
    }
    free(all);
}

static void check_lists(const struct cloud *cloud, const struct cloud *queries,
                        const uint32_t *indices, const float *distances, uint32_t n, uint32_t k,
                        float radius)
{
    uint32_t *expected = calloc(k, sizeof(uint32_t));
    float *lengths = calloc(k, sizeof(float));
    for (uint32_t q = 0; q < n; q++) {
        serial(cloud, queries->rows + q * queries->space.row, queries == cloud ? q : UINT32_MAX, k,
               radius, expected, lengths);
        assert_u32_array_equal(expected, indices + (size_t)q * k, k);
        for (uint32_t i = 0; i < k && isfinite(lengths[i]); i++)
            assert_float_equal(lengths[i], distances[(size_t)q * k + i], 1e-6f);
    }
    free(expected);
    free(lengths);
}

static void exact_case(uint32_t dof, uint32_t count, uint32_t foreign, uint32_t k, float radius,
                       uint32_t steps)
{
    struct test_random random = {count + k};
    struct cloud cloud = cloud_make(&random, dof, count, steps);
    struct cloud others = cloud_make(&random, dof, foreign, steps);
    const struct prm_neighbor_options options = {
        .method = PRM_NEIGHBOR_EXACT, .k = k, .radius = (double)radius};
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const uint32_t most = count > foreign ? count : foreign;
    uint32_t *indices = calloc((size_t)most * k + 1, sizeof(uint32_t));
    float *distances = calloc((size_t)most * k + 1, sizeof(float));
    struct prm_neighbor_index *index;
    struct prm_buffer on_device, lengths;

    assert_ok(
        prm_neighbor_index_create(test_arena, &index, &cloud.space, cloud.buffer, count, &options));
    assert_ok(prm_arena_take(test_arena, &on_device, (size_t)most * k * sizeof(uint32_t)));
    assert_ok(prm_arena_take(test_arena, &lengths, (size_t)most * k * sizeof(float)));
    assert_ok(prm_neighbors_self(test_arena, on_device, lengths, index, 0, count));
    assert_ok(prm_buffer_read(test_context, on_device, 0, indices, (size_t)count * k * 4));
    assert_ok(prm_buffer_read(test_context, lengths, 0, distances, (size_t)count * k * 4));
    check_lists(&cloud, &cloud, indices, distances, count, k, radius);

    assert_ok(
        prm_neighbors_foreign(test_arena, on_device, lengths, index, others.buffer, foreign, 0, 0));
    assert_ok(prm_buffer_read(test_context, on_device, 0, indices, (size_t)foreign * k * 4));
    assert_ok(prm_buffer_read(test_context, lengths, 0, distances, (size_t)foreign * k * 4));
    check_lists(&cloud, &others, indices, distances, foreign, k, radius);

    prm_neighbor_index_destroy(index);
    prm_arena_rewind(test_arena, mark);
    cloud_free(&cloud);
    cloud_free(&others);
    free(indices);
    free(distances);
}

static void exact_is_canonical(void **state)
{
    static const struct {
        uint32_t dof, count, foreign, k;
        float radius;
        uint32_t steps;
    } CASES[] = {
        {2, 1, 1, 1, 0, 0},      {2, 2, 3, 3, 0, 0},        {3, 15, 17, 4, 0, 0},
        {3, 16, 16, 16, 0, 0},   {2, 17, 1, 40, 0, 0},      {3, 1023, 50, 5, 0, 0},
        {3, 1024, 33, 31, 0, 0}, {3, 1100, 33, 32, 0, 0},   {2, 1300, 99, 16, 0, 6},
        {6, 1200, 64, 10, 0, 0}, {3, 1500, 20, 8, 0.2f, 0}, {2, 1500, 20, 100, 0, 3},
    };
    const size_t cases = test_is_small() ? 4 : sizeof(CASES) / sizeof(CASES[0]);
    (void)state;
    for (size_t i = 0; i < cases; i++)
        exact_case(CASES[i].dof, CASES[i].count, CASES[i].foreign, CASES[i].k, CASES[i].radius,
                   CASES[i].steps);
}

/* Pieces of a self query fill the table of the whole. */
static void pieces_are_the_whole(void **state)
{
    static const enum prm_neighbor_method METHODS[] = {PRM_NEIGHBOR_EXACT, PRM_NEIGHBOR_LSH};
    enum { K = 7 };
    const uint32_t count = (uint32_t)test_size(1500, 60), size = (uint32_t)test_size(333, 23);
    struct test_random random = {3};
    struct cloud cloud = cloud_make(&random, 3, count, 0);
    uint32_t *whole = calloc((size_t)count * K, 4), *piece = calloc((size_t)count * K, 4);
    (void)state;

    for (int m = 0; m < 2; m++) {
        const struct prm_neighbor_options options = {.method = METHODS[m],
                                                     .k = K,
                                                     .tables = (uint32_t)test_size(0, 2),
                                                     .target_recall = 0.9,
                                                     .seed = 2};
        const struct prm_arena_mark mark = prm_arena_mark(test_arena);
        struct prm_neighbor_index *index;
        struct prm_buffer on_device;
        assert_ok(prm_neighbor_index_create(test_arena, &index, &cloud.space, cloud.buffer, count,
                                            &options));
        assert_ok(prm_arena_take(test_arena, &on_device, (size_t)count * K * 4));
        assert_ok(prm_neighbors_self(test_arena, on_device, (struct prm_buffer){NULL, 0}, index, 0,
                                     count));
        assert_ok(prm_buffer_read(test_context, on_device, 0, whole, (size_t)count * K * 4));
        assert_ok(prm_buffer_fill_u32(test_context, on_device, 0, 0xdeadbeefu, (size_t)count * K));
        for (uint32_t first = 0; first < count; first += size)
            assert_ok(prm_neighbors_self(test_arena, on_device, (struct prm_buffer){NULL, 0}, index,
                                         first, count - first < size ? count - first : size));
        assert_ok(prm_buffer_read(test_context, on_device, 0, piece, (size_t)count * K * 4));
        assert_u32_array_equal(whole, piece, (size_t)count * K);
        prm_neighbor_index_destroy(index);
        prm_arena_rewind(test_arena, mark);
    }
    cloud_free(&cloud);
    free(whole);
    free(piece);
}

/* The lists of n queries ascend, and name no point twice. */
static void check_ascending(const uint32_t *indices, const float *distances, uint32_t n, uint32_t k)
{
    for (uint32_t q = 0; q < n; q++) {
        for (uint32_t i = 1; i < k && indices[q * k + i] != UINT32_MAX; i++) {
            assert_true(distances[q * k + i - 1] <= distances[q * k + i]);
            for (uint32_t j = 0; j < i; j++)
                assert_int_not_equal(indices[q * k + i], indices[q * k + j]);
        }
    }
}

/* Recall by prm_neighbors_recall and by hand; lists sorted and distinct. */
static void lsh_case(uint32_t dof, uint32_t count, double width, double target)
{
    enum { K = 16, SAMPLES = 50 };
    struct test_random random = {dof};
    struct cloud cloud = cloud_make(&random, dof, count, 0);
    const struct prm_neighbor_options options = {
        .method = PRM_NEIGHBOR_LSH, .k = K, .width = width, .target_recall = target, .seed = 7};
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    uint32_t *indices = calloc((size_t)count * K, 4), expected[K];
    float *distances = calloc((size_t)count * K, 4), lengths[K];
    struct prm_neighbor_index *index;
    struct prm_buffer on_device, on_device_lengths;
    double recall = 0;
    uint32_t hits = 0;

    assert_ok(
        prm_neighbor_index_create(test_arena, &index, &cloud.space, cloud.buffer, count, &options));
    assert_ok(prm_arena_take(test_arena, &on_device, (size_t)count * K * 4));
    assert_ok(prm_arena_take(test_arena, &on_device_lengths, (size_t)count * K * 4));
    assert_ok(prm_neighbors_self(test_arena, on_device, on_device_lengths, index, 0, count));
    assert_ok(prm_neighbors_recall(test_arena, &recall, index, on_device, 256));
    assert_ok(prm_buffer_read(test_context, on_device, 0, indices, (size_t)count * K * 4));
    assert_ok(
        prm_buffer_read(test_context, on_device_lengths, 0, distances, (size_t)count * K * 4));
    if (recall < target)
        fail_msg("%u dimensions: recall %g is below %g", dof, recall, target);
    assert_true(prm_neighbor_statistics(index).cuckoo_attempts >= 1);

    check_ascending(indices, distances, count, K);
    for (uint32_t i = 0; i < count * K; i++)
        assert_int_not_equal(indices[i], i / K);
    for (uint32_t s = 0; s < SAMPLES; s++) {
        const uint32_t q = s * (count / SAMPLES);
        serial(&cloud, cloud.rows + q * cloud.space.row, q, K, 0, expected, lengths);
        for (uint32_t i = 0; i < K; i++)
            hits += indices[q * K + i] != UINT32_MAX && distances[q * K + i] <= lengths[K - 1];
    }
    assert_true(fabs(hits / (double)(SAMPLES * K) - recall) < 0.03);
    prm_neighbor_index_destroy(index);
    prm_arena_rewind(test_arena, mark);
    cloud_free(&cloud);
    free(indices);
    free(distances);
}

static void lsh_reaches_its_recall(void **state)
{
    enum { COUNT = 20000 };
    (void)state;
    if (test_is_small()) {
        // narrow cells, all neighbours wanted: tables, then neighbours of neighbours
        lsh_case(2, 100, 1.5, 0.99);
        return;
    }
    lsh_case(2, COUNT, 0, 0.95);
    lsh_case(3, COUNT, 0, 0.95);
    lsh_case(6, COUNT, 0, 0.95);
}

/* Foreign rows get a share of their nearest, at their true distances. */
static void others_case(uint32_t dof, double width, double target, double share)
{
    enum { K = 5, COPIED = 7 };
    const uint32_t count = (uint32_t)test_size(5000, 60), n = (uint32_t)test_size(300, 9);
    struct test_random random = {12};
    struct cloud cloud = cloud_make(&random, dof, count, 0),
                 others = cloud_make(&random, dof, n, 0);
    const struct prm_neighbor_options options = {
        .method = PRM_NEIGHBOR_LSH, .k = K, .width = width, .target_recall = target, .seed = 7};
    const size_t row = cloud.space.row, bytes = (size_t)n * K * sizeof(uint32_t);
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    uint32_t *indices = malloc(bytes), expected[K], hits = 0;
    float *distances = malloc(bytes), lengths[K];
    struct prm_neighbor_index *index;
    struct prm_buffer on_device, on_device_lengths;

    // the first is one of the points, and in its buckets
    memcpy(others.rows, cloud.rows + COPIED * row, row * sizeof(float));
    assert_ok(prm_buffer_write(test_context, others.buffer, 0, others.rows,
                               (size_t)n * row * sizeof(float)));
    assert_ok(
        prm_neighbor_index_create(test_arena, &index, &cloud.space, cloud.buffer, count, &options));
    assert_ok(prm_arena_take(test_arena, &on_device, bytes));
    assert_ok(prm_arena_take(test_arena, &on_device_lengths, bytes));
    assert_ok(prm_neighbors_foreign(test_arena, on_device, on_device_lengths, index, others.buffer,
                                    n, 0, 0));
    assert_ok(prm_buffer_read(test_context, on_device, 0, indices, bytes));
    assert_ok(prm_buffer_read(test_context, on_device_lengths, 0, distances, bytes));

    assert_int_equal(indices[0], COPIED);
    assert_true(distances[0] == 0);
    check_ascending(indices, distances, n, K);
    for (uint32_t q = 0; q < n; q++) {
        const float *query = others.rows + q * row;
        serial(&cloud, query, UINT32_MAX, K, 0, expected, lengths);
        for (uint32_t i = 0; i < K && indices[q * K + i] != UINT32_MAX; i++) {
            const float *point = cloud.rows + indices[q * K + i] * row;
            float squared = 0;
            for (uint32_t c = 0; c < cloud.space.dof; c++)
                squared += (query[c] - point[c]) * (query[c] - point[c]);
            assert_float_equal(distances[q * K + i], sqrtf(squared), 1e-6f);
            hits += distances[q * K + i] <= lengths[K - 1];
        }
    }
    assert_true(hits >= share * n * K);
    prm_neighbor_index_destroy(index);
    prm_arena_rewind(test_arena, mark);
    cloud_free(&cloud);
    cloud_free(&others);
    free(indices);
    free(distances);
}

static void lsh_answers_others(void **state)
{
    (void)state;
    others_case(3, 0, 0.9, 0.9);
    // in narrow cells by neighbours of neighbours, too; few points leave some of them empty
    others_case(3, 1, 0.99, test_is_small() ? 0.6 : 0.95);
}

/* Ten thousand points on one spot, and one beside: bounded buckets, full lists. */
static void one_spot(void **state)
{
    enum { K = 8 };
    const uint32_t count = (uint32_t)test_size(10000, 80);
    struct test_random random = {4};
    struct cloud cloud = cloud_make(&random, 2, count, 0);
    static const enum prm_neighbor_method METHODS[] = {PRM_NEIGHBOR_LSH, PRM_NEIGHBOR_EXACT};
    uint32_t *indices = calloc((size_t)count * K, 4);
    (void)state;

    for (uint32_t i = 1; i < count; i++)
        memcpy(cloud.rows + 2 * (size_t)i, cloud.rows, 2 * sizeof(float));
    assert_ok(prm_buffer_write(test_context, cloud.buffer, 0, cloud.rows, (size_t)count * 8));
    for (int m = 0; m < 2; m++) {
        const struct prm_neighbor_options options = {.method = METHODS[m],
                                                     .k = K,
                                                     .tables = (uint32_t)test_size(0, 2),
                                                     .target_recall = 0.95};
        const struct prm_arena_mark mark = prm_arena_mark(test_arena);
        struct prm_neighbor_index *index;
        struct prm_buffer on_device;
        double recall = 0;
        assert_ok(prm_neighbor_index_create(test_arena, &index, &cloud.space, cloud.buffer, count,
                                            &options));
        assert_ok(prm_arena_take(test_arena, &on_device, (size_t)count * K * 4));
        assert_ok(prm_neighbors_self(test_arena, on_device, (struct prm_buffer){NULL, 0}, index, 0,
                                     count));
        assert_ok(prm_neighbors_recall(test_arena, &recall, index, on_device, 64));
        assert_ok(prm_buffer_read(test_context, on_device, 0, indices, (size_t)count * K * 4));
        assert_true(recall == 1.0);
        for (uint32_t i = 0; i < count * K; i++)
            assert_int_not_equal(indices[i], UINT32_MAX);
        prm_neighbor_index_destroy(index);
        prm_arena_rewind(test_arena, mark);
    }
    cloud_free(&cloud);
    free(indices);
}

static void refusals(void **state)
{
    struct test_random random = {1};
    struct cloud cloud = cloud_make(&random, 2, 10, 0);
    struct prm_neighbor_index *index;
    struct prm_neighbor_options options = {.method = PRM_NEIGHBOR_EXACT};
    (void)state;

    assert_status(PRM_INVALID_ARGUMENT, prm_neighbor_index_create(test_arena, &index, &cloud.space,
                                                                  cloud.buffer, 10, &options));
    assert_null(index);
    options = (struct prm_neighbor_options){.method = PRM_NEIGHBOR_LSH, .k = 2, .tables = 1000};
    assert_status(PRM_LIMIT_EXCEEDED, prm_neighbor_index_create(test_arena, &index, &cloud.space,
                                                                cloud.buffer, 10, &options));
    assert_null(index);
    cloud_free(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_is_canonical),
        cmocka_unit_test(pieces_are_the_whole),
        cmocka_unit_test(lsh_reaches_its_recall),
        cmocka_unit_test(lsh_answers_others),
        cmocka_unit_test(one_spot),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

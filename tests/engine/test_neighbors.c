/* Goal: brute force is exact and canonical (ties by the lower index), whatever the vector width;
 * lsh reaches its target recall on uniform points, keeps its lists distinct and sorted, and a
 * crowded bucket costs no square; foreign and own queries alike, in pieces or whole. Method: random
 * points in 2, 3 and 6 dimensions, duplicates, quantised points with many ties, sizes about the
 * lanes' and the blocks'. Oracle: a serial sort of all distances. */
#include "neighbor_cases.h"

/* steps > 0: coordinates are multiples of 1/steps. */
static struct cloud cloud_make(struct test_random *random, uint32_t dof, uint32_t count,
                               uint32_t steps)
{
    struct cloud cloud = cloud_of(dof, count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < dof; c++) {
            float x = test_random_f32(random, -1, 1);
            if (steps > 0)
                x = floorf(x * (float)steps) / (float)steps;
            cloud.rows[i * cloud.embedding.row + c] = x;
        }
    }
    cloud_upload(&cloud);
    return cloud;
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
    struct prm_neighbor_index *index;
    struct prm_buffer indices, distances;

    assert_ok(prm_neighbor_index_create(test_arena, &index, &cloud.embedding, cloud.buffer, count,
                                        &options));
    assert_ok(prm_arena_take(test_arena, &indices, (size_t)most * k * sizeof(uint32_t)));
    assert_ok(prm_arena_take(test_arena, &distances, (size_t)most * k * sizeof(float)));
    assert_ok(prm_neighbors_self(test_arena, indices, distances, index, 0, count));
    struct lists own = lists_read(indices, distances, count, k);
    check_serially(&cloud, &cloud, &own, radius, 0);

    assert_ok(
        prm_neighbors_foreign(test_arena, indices, distances, index, others.buffer, foreign, 0, 0));
    struct lists far = lists_read(indices, distances, foreign, k);
    check_serially(&cloud, &others, &far, radius, 0);

    prm_neighbor_index_destroy(index);
    prm_arena_rewind(test_arena, mark);
    lists_free(&own);
    lists_free(&far);
    cloud_free(&cloud);
    cloud_free(&others);
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
        assert_ok(prm_neighbor_index_create(test_arena, &index, &cloud.embedding, cloud.buffer,
                                            count, &options));
        assert_ok(prm_arena_take(test_arena, &on_device, (size_t)count * K * 4));
        assert_ok(prm_neighbors_self(test_arena, on_device, PRM_NO_BUFFER, index, 0, count));
        assert_ok(prm_buffer_read(test_context, on_device, 0, whole, (size_t)count * K * 4));
        assert_ok(prm_buffer_fill_u32(test_context, on_device, 0, 0xdeadbeefu, (size_t)count * K));
        for (uint32_t first = 0; first < count; first += size)
            assert_ok(prm_neighbors_self(test_arena, on_device, PRM_NO_BUFFER, index, first,
                                         count - first < size ? count - first : size));
        assert_ok(prm_buffer_read(test_context, on_device, 0, piece, (size_t)count * K * 4));
        assert_u32_array_equal(whole, piece, (size_t)count * K);
        prm_neighbor_index_destroy(index);
        prm_arena_rewind(test_arena, mark);
    }
    cloud_free(&cloud);
    free(whole);
    free(piece);
}

/* Recall by prm_neighbors_recall and by hand; lists true, sorted and distinct. */
static void lsh_case(uint32_t dof, uint32_t count, double width, double target)
{
    enum { K = 16, SAMPLES = 50 };
    struct test_random random = {dof};
    struct cloud cloud = cloud_make(&random, dof, count, 0);
    const struct prm_neighbor_options options = {
        .method = PRM_NEIGHBOR_LSH, .k = K, .width = width, .target_recall = target, .seed = 7};
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    struct prm_neighbor_index *index;
    struct prm_buffer indices, distances;
    double recall = 0;

    assert_ok(prm_neighbor_index_create(test_arena, &index, &cloud.embedding, cloud.buffer, count,
                                        &options));
    assert_ok(prm_arena_take(test_arena, &indices, (size_t)count * K * 4));
    assert_ok(prm_arena_take(test_arena, &distances, (size_t)count * K * 4));
    assert_ok(prm_neighbors_self(test_arena, indices, distances, index, 0, count));
    assert_ok(prm_neighbors_recall(test_arena, &recall, index, indices, 256));
    if (recall < target)
        fail_msg("%u dimensions: recall %g is below %g", dof, recall, target);
    assert_true(prm_neighbor_statistics(index).cuckoo_attempts >= 1);

    struct lists lists = lists_read(indices, distances, count, K);
    check_true(&cloud, &cloud, &lists);
    assert_true(fabs(recall_of(&cloud, &cloud, &lists, SAMPLES) - recall) < 0.03);
    prm_neighbor_index_destroy(index);
    prm_arena_rewind(test_arena, mark);
    lists_free(&lists);
    cloud_free(&cloud);
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
static void others_case(double width, double target, double share)
{
    enum { K = 5, COPIED = 7 };
    const uint32_t count = (uint32_t)test_size(5000, 60), n = (uint32_t)test_size(300, 9);
    struct test_random random = {12};
    struct cloud cloud = cloud_make(&random, 3, count, 0), others = cloud_make(&random, 3, n, 0);
    const struct prm_neighbor_options options = {
        .method = PRM_NEIGHBOR_LSH, .k = K, .width = width, .target_recall = target, .seed = 7};
    const size_t row = cloud.embedding.row, bytes = (size_t)n * K * sizeof(uint32_t);
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    struct prm_neighbor_index *index;
    struct prm_buffer indices, distances;

    // the first is one of the points, and in its buckets
    memcpy(others.rows, cloud.rows + COPIED * row, row * sizeof(float));
    cloud_upload(&others);
    assert_ok(prm_neighbor_index_create(test_arena, &index, &cloud.embedding, cloud.buffer, count,
                                        &options));
    assert_ok(prm_arena_take(test_arena, &indices, bytes));
    assert_ok(prm_arena_take(test_arena, &distances, bytes));
    assert_ok(prm_neighbors_foreign(test_arena, indices, distances, index, others.buffer, n, 0, 0));
    struct lists lists = lists_read(indices, distances, n, K);

    assert_int_equal(lists.indices[0], COPIED);
    assert_true(lists.distances[0] == 0);
    check_true(&cloud, &others, &lists);
    assert_true(recall_of(&cloud, &others, &lists, 0) >= share);
    prm_neighbor_index_destroy(index);
    prm_arena_rewind(test_arena, mark);
    lists_free(&lists);
    cloud_free(&cloud);
    cloud_free(&others);
}

static void lsh_answers_others(void **state)
{
    (void)state;
    others_case(0, 0.9, 0.9);
    // in narrow cells by neighbours of neighbours, too; few points leave some of them empty
    others_case(1, 0.99, test_is_small() ? 0.6 : 0.95);
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
    cloud_upload(&cloud);
    for (int m = 0; m < 2; m++) {
        const struct prm_neighbor_options options = {.method = METHODS[m],
                                                     .k = K,
                                                     .tables = (uint32_t)test_size(0, 2),
                                                     .target_recall = 0.95};
        const struct prm_arena_mark mark = prm_arena_mark(test_arena);
        struct prm_neighbor_index *index;
        struct prm_buffer on_device;
        double recall = 0;
        assert_ok(prm_neighbor_index_create(test_arena, &index, &cloud.embedding, cloud.buffer,
                                            count, &options));
        assert_ok(prm_arena_take(test_arena, &on_device, (size_t)count * K * 4));
        assert_ok(prm_neighbors_self(test_arena, on_device, PRM_NO_BUFFER, index, 0, count));
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

    assert_status(PRM_INVALID_ARGUMENT,
                  prm_neighbor_index_create(test_arena, &index, &cloud.embedding, cloud.buffer, 10,
                                            &options));
    assert_null(index);
    options = (struct prm_neighbor_options){.method = PRM_NEIGHBOR_LSH, .k = 2, .tables = 1000};
    assert_status(PRM_LIMIT_EXCEEDED,
                  prm_neighbor_index_create(test_arena, &index, &cloud.embedding, cloud.buffer, 10,
                                            &options));
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

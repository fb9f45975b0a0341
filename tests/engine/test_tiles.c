/* Goal: tile search is exact and canonical where it says so, for points among themselves and
 * foreign ones, in any dimension, with any k, radius and kind of data; pieces are the whole; with
 * alpha below 1 it reaches the target recall and its lists are sorted, distinct and true. Method: a
 * table of clouds (uniform, clusters, lattices full of ties, one spot, a line, scales far apart),
 * sizes about tiles and buckets, foreign points within and beyond. Oracles: a serial sort of all
 * distances, and brute force on the device. */
#include "neighbor_cases.h"

/* Lists that are compared with the serial ones. */
enum { CHECKED = 23 };

/* BESIDE: foreign ones beyond the box around the others, which are UNIFORM. */
enum data { UNIFORM, CLUSTERS, LATTICE, SPOT, LINE, SCALES, PAIRS, BESIDE };

static float coordinate(struct test_random *random, enum data data, uint32_t i, uint32_t c)
{
    switch (data) {
    case UNIFORM:
        break;
    case CLUSTERS: {
        struct test_random center = {i % 5 * 64 + c};
        float sum = 0;
        for (int j = 0; j < 4; j++)
            sum += test_random_f32(random, -0.02f, 0.02f);
        return test_random_f32(&center, -1, 1) + sum;
    }
    case LATTICE:
        return (float)test_random_below(random, 4) / 4;
    case SPOT:
        return 0.3f;
    case LINE:
        return c == 0 ? test_random_f32(random, -1, 1) : 7.0f;
    case SCALES:
        return test_random_f32(random, -1, 1) * powf(10, (float)(i % 7) - 3);
    case BESIDE:
        return test_random_f32(random, 0.5f, 3);
    case PAIRS:
        return test_random_f32(&(struct test_random){i / 2 * 64 + c}, -1, 1);
    }
    return test_random_f32(random, -1, 1);
}

static struct cloud cloud_make(struct test_random *random, enum data data, uint32_t dof,
                               uint32_t count)
{
    struct cloud cloud = cloud_of(dof, count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < dof; c++)
            cloud.rows[(size_t)i * cloud.embedding.row + c] = coordinate(random, data, i, c);
    cloud_upload(&cloud);
    return cloud;
}

/* Asks for the own points in pieces of `piece`, or for foreign ones. */
static struct lists ask(const struct prm_neighbor_index *index, const struct cloud *cloud,
                        const struct cloud *foreign, uint32_t k, uint32_t piece)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const uint32_t n = foreign ? foreign->count : cloud->count;
    const size_t slots = (size_t)n * k;
    struct prm_buffer indices, distances;

    assert_ok(prm_arena_take(test_arena, &indices, slots * 4));
    assert_ok(prm_arena_take(test_arena, &distances, slots * 4));
    if (foreign)
        assert_ok(
            prm_neighbors_foreign(test_arena, indices, distances, index, foreign->buffer, n, k, 0));
    for (uint32_t first = 0; !foreign && first < n; first += piece)
        assert_ok(prm_neighbors_self(test_arena, indices, distances, index, first,
                                     n - first < piece ? n - first : piece));
    const struct lists lists = lists_read(indices, distances, n, k);
    prm_arena_rewind(test_arena, mark);
    return lists;
}

static struct prm_neighbor_index *index_of(const struct cloud *cloud,
                                           const struct prm_neighbor_options *options)
{
    struct prm_neighbor_index *index;
    assert_ok(prm_neighbor_index_create(test_arena, &index, &cloud->embedding, cloud->buffer,
                                        cloud->count, options));
    return index;
}

/* Equal bits in both, of as many lists as are expected. */
static void assert_lists_equal(const struct lists *expected, const struct lists *got)
{
    const size_t slots = (size_t)expected->count * expected->k;
    assert_int_equal(expected->k, got->k);
    assert_in_range(expected->count, 0, got->count);
    assert_u32_array_equal(expected->indices, got->indices, slots);
    assert_memory_equal(expected->distances, got->distances, slots * sizeof(float));
}

/* Brute force and a GPU's shape on a CPU: fewer points. */
static uint32_t shrink(void)
{
    return prm_context_profile(test_context)->shape == PRM_SHAPE_GPU ? 4 : 1;
}

struct exact_case {
    enum data data;
    uint32_t dof, count, foreign, k;
    float radius;
};

static void exact_case(const struct exact_case *c)
{
    struct test_random random = {c->count + c->k};
    const enum data own_data = c->data == BESIDE ? UNIFORM : c->data;
    struct cloud cloud = cloud_make(&random, own_data, c->dof, c->count);
    struct cloud others = cloud_make(&random, c->data, c->dof, c->foreign);
    struct prm_neighbor_options options = {
        .method = PRM_NEIGHBOR_TILES, .k = c->k, .radius = (double)c->radius, .target_recall = 1};
    struct prm_neighbor_index *tiles = index_of(&cloud, &options);
    options.method = PRM_NEIGHBOR_EXACT;
    struct prm_neighbor_index *brute = index_of(&cloud, &options);

    struct lists own = ask(tiles, &cloud, NULL, c->k, c->count);
    struct lists own_exact = ask(brute, &cloud, NULL, c->k, c->count);
    check_serially(&cloud, &cloud, &own, c->radius, CHECKED);
    assert_lists_equal(&own_exact, &own);

    struct lists foreign = ask(tiles, &cloud, &others, c->k, 0);
    struct lists foreign_exact = ask(brute, &cloud, &others, c->k, 0);
    check_serially(&cloud, &others, &foreign, c->radius, CHECKED);
    assert_lists_equal(&foreign_exact, &foreign);

    assert_true(prm_neighbor_statistics(tiles).alpha == 1.0);
    prm_neighbor_index_destroy(tiles);
    prm_neighbor_index_destroy(brute);
    lists_free(&own);
    lists_free(&own_exact);
    lists_free(&foreign);
    lists_free(&foreign_exact);
    cloud_free(&cloud);
    cloud_free(&others);
}

static void exact_is_canonical(void **state)
{
    static const struct exact_case CASES[] = {
        {UNIFORM, 3, 0, 1, 1, 0},        {UNIFORM, 3, 1, 1, 4, 0},
        {LATTICE, 3, 14, 17, 4, 0},      {SPOT, 3, 60, 5, 4, 0},
        {UNIFORM, 3, 100, 16, 4, 0},     {UNIFORM, 3, 15, 40, 10, 0},
        {UNIFORM, 3, 16, 1, 10, 0},      {UNIFORM, 2, 511, 33, 10, 0},
        {UNIFORM, 3, 512, 1, 10, 0},     {UNIFORM, 2, 5000, 999, 10, 0},
        {UNIFORM, 3, 12000, 1, 10, 0},   {UNIFORM, 3, 9001, 700, 9, 0.1f},
        {UNIFORM, 3, 3000, 50, 8, 1e3f}, {UNIFORM, 3, 3000, 50, 7, 1e-4f},
        {UNIFORM, 6, 6000, 200, 10, 0},  {CLUSTERS, 6, 4000, 100, 10, 0},
        {LATTICE, 6, 4000, 100, 10, 0},  {SCALES, 6, 3000, 100, 10, 0},
        {UNIFORM, 32, 900, 40, 4, 0},    {UNIFORM, 2, 3000, 60, 60, 0},
        {UNIFORM, 3, 100, 30, 128, 0},   {UNIFORM, 3, 3000, 40, 128, 0},
        {CLUSTERS, 2, 8000, 300, 10, 0}, {CLUSTERS, 3, 8000, 300, 10, 0.01f},
        {LATTICE, 2, 3000, 100, 10, 0},  {LATTICE, 3, 5000, 100, 10, 0},
        {LATTICE, 3, 2000, 30, 6, 0.5f}, {SPOT, 3, 10000, 100, 10, 0},
        {LINE, 3, 4000, 100, 10, 0},     {SCALES, 3, 6000, 300, 10, 0},
        {PAIRS, 2, 6000, 100, 5, 0},     {PAIRS, 3, 6000, 100, 10, 0},
        {UNIFORM, 1, 2000, 50, 10, 0},   {UNIFORM, 3, 4000, 50, 16, 0},
        {UNIFORM, 3, 4000, 50, 17, 0},   {CLUSTERS, 12, 3000, 60, 10, 0},
        {LATTICE, 20, 1500, 40, 10, 0},  {SPOT, 6, 3000, 60, 10, 0},
        {LINE, 6, 3000, 60, 10, 0},      {SCALES, 9, 3000, 100, 10, 0},
        {BESIDE, 9, 3000, 100, 10, 0},   {PAIRS, 12, 3000, 60, 10, 0.3f},
        {CLUSTERS, 6, 3000, 60, 33, 0},  {UNIFORM, 64, 900, 40, 4, 0},
    };
    const size_t cases = test_is_small() ? 5 : sizeof(CASES) / sizeof(CASES[0]);
    (void)state;
    for (size_t i = 0; i < cases; i++) {
        struct exact_case c = CASES[i];
        c.count = c.count / shrink() + 1;
        exact_case(&c);
    }
}

static void approximate_case(enum data data, uint32_t dof, uint32_t count, double target)
{
    enum { K = 10, PIECE = 3001 };
    struct test_random random = {dof};
    struct cloud cloud = cloud_make(&random, data, dof, count);
    const struct prm_neighbor_options options = {
        .method = PRM_NEIGHBOR_TILES, .k = K, .target_recall = target};
    struct prm_neighbor_index *index = index_of(&cloud, &options);
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const double alpha = prm_neighbor_statistics(index).alpha;
    struct prm_buffer on_device;
    double recall = 0;

    struct lists whole = ask(index, &cloud, NULL, K, count);
    struct lists pieces = ask(index, &cloud, NULL, K, PIECE);
    assert_lists_equal(&whole, &pieces);
    check_true(&cloud, &cloud, &whole);
    assert_ok(prm_arena_take(test_arena, &on_device, (size_t)count * K * 4));
    assert_ok(prm_neighbors_self(test_arena, on_device, PRM_NO_BUFFER, index, 0, count));
    assert_ok(prm_neighbors_recall(test_arena, &recall, index, on_device, 512));
    print_message("data %d, %u dimensions: alpha %g, recall %g\n", (int)data, dof, alpha, recall);
    assert_true(recall >= target);
    if (dof > 3 && target < 1.0)
        assert_true(alpha < 1.0);
    else
        assert_true(alpha == 1.0 && recall == 1.0);

    prm_arena_rewind(test_arena, mark);
    prm_neighbor_index_destroy(index);
    lists_free(&whole);
    lists_free(&pieces);
    cloud_free(&cloud);
}

/* Recall is as asked for; in one piece or many. */
static void alpha_reaches_its_recall(void **state)
{
    const uint32_t count = (uint32_t)test_size(20000, 200) / shrink();
    (void)state;
    approximate_case(UNIFORM, 3, count, 0.5);
    if (test_is_small())
        return;
    approximate_case(UNIFORM, 6, count, 0.95);
    approximate_case(CLUSTERS, 6, count, 0.95);
    approximate_case(LATTICE, 6, count, 0.95);
    approximate_case(UNIFORM, 6, count, 1.0);
}

/* Pieces smaller than a tile, one after the other. */
static void small_pieces(void **state)
{
    enum { K = 10, COUNT = 700 };
    const uint32_t count = (uint32_t)test_size(COUNT, 50);
    struct test_random random = {9};
    struct cloud cloud = cloud_make(&random, UNIFORM, 2, count);
    const struct prm_neighbor_options options = {
        .method = PRM_NEIGHBOR_TILES, .k = K, .target_recall = 1};
    struct prm_neighbor_index *index = index_of(&cloud, &options);
    (void)state;

    struct lists whole = ask(index, &cloud, NULL, K, count);
    for (uint32_t piece = 1; piece < 20; piece += 6) {
        struct lists pieces = ask(index, &cloud, NULL, K, piece);
        assert_lists_equal(&whole, &pieces);
        lists_free(&pieces);
    }
    prm_neighbor_index_destroy(index);
    lists_free(&whole);
    cloud_free(&cloud);
}

/* Foreign queries may ask for more than the index's k, and within another radius; answers do not
 * depend on who asks together. */
static void foreign_terms(void **state)
{
    enum { K = 3, MORE = 10 };
    const uint32_t count = (uint32_t)test_size(4000, 60), n = (uint32_t)test_size(500, 20);
    struct test_random random = {5};
    struct cloud cloud = cloud_make(&random, UNIFORM, 3, count);
    struct cloud others = cloud_make(&random, UNIFORM, 3, n);
    const struct prm_neighbor_options options = {
        .method = PRM_NEIGHBOR_TILES, .k = K, .target_recall = 1};
    struct prm_neighbor_index *index = index_of(&cloud, &options);
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    struct prm_buffer indices, distances;
    (void)state;

    struct lists more = ask(index, &cloud, &others, MORE, 0);
    check_serially(&cloud, &others, &more, 0, CHECKED);
    for (uint32_t few = 1; few < n; few = 3 * few + 1) {
        struct cloud first = others;
        first.count = few;
        struct lists lists = ask(index, &cloud, &first, MORE, 0);
        assert_lists_equal(&lists, &more);
        lists_free(&lists);
    }
    assert_ok(prm_arena_take(test_arena, &indices, (size_t)n * K * 4));
    assert_ok(prm_arena_take(test_arena, &distances, (size_t)n * K * 4));
    assert_ok(
        prm_neighbors_foreign(test_arena, indices, distances, index, others.buffer, n, 0, 0.2));
    struct lists near = lists_read(indices, distances, n, K);
    check_serially(&cloud, &others, &near, 0.2f, CHECKED);

    prm_arena_rewind(test_arena, mark);
    prm_neighbor_index_destroy(index);
    lists_free(&more);
    lists_free(&near);
    cloud_free(&cloud);
    cloud_free(&others);
}

/* An index whose alpha is measured, where there are points enough. */
static enum prm_status make_index(void *data)
{
    const struct cloud *cloud = data;
    const struct prm_neighbor_options options = {
        .method = PRM_NEIGHBOR_TILES, .k = 4, .target_recall = 0.9};
    struct prm_neighbor_index *index = NULL;
    const enum prm_status status = prm_neighbor_index_create(test_arena, &index, &cloud->embedding,
                                                             cloud->buffer, cloud->count, &options);
    if (status != PRM_OK)
        assert_null(index);
    else if (!test_is_small())
        assert_true(prm_neighbor_statistics(index).alpha < 1.0);
    prm_neighbor_index_destroy(index);
    return status;
}

/* Wherever a launch or an allocation fails, the fault is told and nothing is left. */
static void faults_leave_nothing(void **state)
{
    struct test_random random = {8};
    struct cloud cloud = cloud_make(&random, UNIFORM, 6, (uint32_t)test_size(4500, 60));
    (void)state;

    case_faults(make_index, &cloud);
    cloud_free(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_is_canonical),   cmocka_unit_test(small_pieces),
        cmocka_unit_test(foreign_terms),        cmocka_unit_test(alpha_reaches_its_recall),
        cmocka_unit_test(faults_leave_nothing),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

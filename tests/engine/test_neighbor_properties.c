/* Goal: neighbours by every method are right at shapes that nobody chose, and a failing allocation
 * or launch leaves nothing. Method: random sizes, k and seeds, with and without a radius, by
 * work-groups of 1 and 64 in both shapes; faults at every place. Oracle: all distances, sorted; of
 * lsh, that its lists are true, ascending and distinct. */
#include "properties.h"

#include "roadmap/neighbors.h"

#include <math.h>

enum { ROUNDS = 3, K_MAX = 12, COUNT_BITS = 8 };

struct ranked {
    float squared;
    uint32_t index;
};

static int ranked_compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->squared != y->squared)
        return x->squared < y->squared ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

struct cloud {
    struct prm_space space;
    uint32_t count;
    float *rows;
    struct prm_buffer buffer;
};

/* Coordinates are multiples of 1/64, so that distances are exact and many are equal. */
static struct cloud cloud_make(uint32_t dof, uint32_t count)
{
    const uint32_t row = dof <= 2 ? 2 : dof <= 4 ? 4 : 8;
    struct cloud cloud = {.space = {.dof = dof, .row = row}, .count = count};
    uint32_t *steps = property_values((size_t)count * row, 128);
    cloud.rows = calloc((size_t)count * row + 1, sizeof(float));
    assert_non_null(cloud.rows);
    for (size_t i = 0; i < (size_t)count * row; i++) {
        if (i % row < dof)
            cloud.rows[i] = (float)steps[i] / 64.0f;
    }
    free(steps);
    cloud.buffer = test_upload_u32(test_context, (const uint32_t *)(const void *)cloud.rows,
                                   (size_t)count * row);
    return cloud;
}

static void cloud_free(struct cloud *cloud)
{
    free(cloud->rows);
    case_free(&cloud->buffer, 1);
}

static float squared_distance(const struct cloud *cloud, const float *query, uint32_t point)
{
    float squared = 0;
    for (uint32_t c = 0; c < cloud->space.dof; c++) {
        const float d = query[c] - cloud->rows[(size_t)point * cloud->space.row + c];
        squared += d * d;
    }
    return squared;
}

/* The lists u32[queries][k]; where the points themselves ask, none is in its own. */
static uint32_t *serial_lists(const struct cloud *cloud, const struct cloud *queries, uint32_t k,
                              float radius)
{
    uint32_t *lists = case_array((size_t)queries->count * k);
    struct ranked *all = calloc(cloud->count + 1u, sizeof(*all));
    assert_non_null(all);
    for (uint32_t q = 0; q < queries->count; q++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < cloud->count; i++) {
            const float *query = queries->rows + (size_t)q * queries->space.row;
            const float squared = squared_distance(cloud, query, i);
            if ((queries != cloud || i != q) && (radius == 0 || squared <= radius * radius))
                all[kept++] = (struct ranked){squared, i};
        }
        qsort(all, kept, sizeof(*all), ranked_compare);
        for (uint32_t i = 0; i < k; i++)
            lists[(size_t)q * k + i] = i < kept ? all[i].index : UINT32_MAX;
    }
    free(all);
    return lists;
}

/* Lists name points at their distances, ascending, none twice. */
static void check_true(const struct cloud *cloud, const struct cloud *queries, uint32_t k,
                       struct prm_buffer indices, struct prm_buffer distances)
{
    const size_t slots = (size_t)queries->count * k;
    uint32_t *points = test_download_u32(test_context, indices, slots);
    float *lengths = (float *)test_download_u32(test_context, distances, slots);
    for (size_t i = 0; i < slots; i++) {
        if (points[i] == UINT32_MAX)
            continue;
        const float *query = queries->rows + i / k * queries->space.row;
        assert_in_range(points[i], 0, cloud->count - 1);
        assert_float_equal(lengths[i], sqrtf(squared_distance(cloud, query, points[i])), 1e-6f);
        for (size_t j = i - i % k; j < i; j++) {
            assert_int_not_equal(points[i], points[j]);
            assert_true(lengths[j] <= lengths[i]);
        }
    }
    free(points);
    free(lengths);
}

static void random_clouds(enum prm_neighbor_method method)
{
    const bool exact = method != PRM_NEIGHBOR_LSH;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t dof = 3;
        struct cloud cloud = cloud_make(dof, (uint32_t)property_size(COUNT_BITS) + 1);
        struct cloud others = cloud_make(dof, (uint32_t)property_size(COUNT_BITS - 2) + 1);
        const uint32_t k = 1 + property_below(K_MAX);
        const float radius = exact && round % 2 ? 0.5f : 0.0f;
        const struct prm_neighbor_options options = {.method = method,
                                                     .k = k,
                                                     .radius = (double)radius,
                                                     .target_recall = exact ? 1.0 : 0.8,
                                                     .seed = round};
        const uint32_t rows = cloud.count > others.count ? cloud.count : others.count;
        struct prm_buffer b[2] = {test_upload_u32(test_context, NULL, (size_t)rows * k),
                                  test_upload_u32(test_context, NULL, (size_t)rows * k)};
        const struct cloud *asked[] = {&cloud, &others};
        struct prm_neighbor_index *index;
        assert_ok(prm_neighbor_index_create(test_arena, &index, &cloud.space, cloud.buffer,
                                            cloud.count, &options));
        for (int foreign = 0; foreign < 2; foreign++) {
            const struct cloud *queries = asked[foreign];
            if (foreign)
                assert_ok(prm_neighbors_foreign(test_arena, b[0], b[1], index, others.buffer,
                                                others.count, 0, 0));
            else
                assert_ok(prm_neighbors_self(test_arena, b[0], b[1], index, 0, cloud.count));
            check_true(&cloud, queries, k, b[0], b[1]);
            if (exact) {
                uint32_t *expected = serial_lists(&cloud, queries, k, radius);
                case_check(b[0], expected, (size_t)queries->count * k);
                free(expected);
            }
        }
        prm_neighbor_index_destroy(index);
        case_free(b, 2);
        cloud_free(&cloud);
        cloud_free(&others);
    }
}

static void exact(void **state)
{
    (void)state;
    random_clouds(PRM_NEIGHBOR_EXACT);
}

static void tiles(void **state)
{
    (void)state;
    random_clouds(PRM_NEIGHBOR_TILES);
}

static void lsh(void **state)
{
    (void)state;
    random_clouds(PRM_NEIGHBOR_LSH);
}

struct fault_case {
    const struct cloud *cloud;
    enum prm_neighbor_method method;
    struct prm_buffer indices, distances;
};

/* An index, and its lists for its own points and for them as foreign ones. */
static enum prm_status ask(void *data)
{
    const struct fault_case *c = data;
    const struct cloud *cloud = c->cloud;
    const struct prm_neighbor_options options = {
        .method = c->method, .k = 3, .tables = 2, .projections = 2, .width = 1};
    struct prm_neighbor_index *index;
    enum prm_status status = prm_neighbor_index_create(test_arena, &index, &cloud->space,
                                                       cloud->buffer, cloud->count, &options);
    if (status == PRM_OK)
        status = prm_neighbors_foreign(test_arena, c->indices, c->distances, index, cloud->buffer,
                                       cloud->count, 0, 0);
    if (status == PRM_OK)
        status = prm_neighbors_self(test_arena, c->indices, c->distances, index, 0, cloud->count);
    prm_neighbor_index_destroy(index);
    return status;
}

static void faults(void **state)
{
    static const enum prm_neighbor_method METHODS[] = {PRM_NEIGHBOR_EXACT, PRM_NEIGHBOR_TILES,
                                                       PRM_NEIGHBOR_LSH};
    enum { COUNT = 100, K = 3 };
    (void)state;
    struct cloud cloud = cloud_make(3, COUNT);
    uint32_t *expected = serial_lists(&cloud, &cloud, K, 0);
    struct fault_case c = {.cloud = &cloud,
                           .indices = test_upload_u32(test_context, NULL, (size_t)COUNT * K),
                           .distances = test_upload_u32(test_context, NULL, (size_t)COUNT * K)};
    for (int m = 0; m < 3; m++) {
        c.method = METHODS[m];
        case_faults(ask, &c);
        // the run after the last failure is right
        check_true(&cloud, &cloud, K, c.indices, c.distances);
        if (c.method == PRM_NEIGHBOR_EXACT)
            case_check(c.indices, expected, (size_t)COUNT * K);
    }
    free(expected);
    case_free(&c.indices, 1);
    case_free(&c.distances, 1);
    cloud_free(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact),
        cmocka_unit_test(tiles),
        cmocka_unit_test(lsh),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, property_setup, test_device_teardown);
}

/* What the tests of neighbours share: points on the host and the device, lists read back, the lists
 * that a search must give (all distances, sorted), and the checks of lists. Queries that are the
 * cloud itself are its own points, which their lists leave out. */
#ifndef TESTS_NEIGHBOR_CASES_H
#define TESTS_NEIGHBOR_CASES_H

#include "primitives_cases.h"

#include "roadmap/nearest/neighbors.h"

#include <math.h>

/* Points in rows of linear coordinates. */
struct cloud {
    struct prm_embedding embedding;
    uint32_t count;
    float *rows;
    struct prm_buffer buffer;
};

/* Room on the host, all 0: the test makes the coordinates, then uploads. */
static inline struct cloud cloud_of(uint32_t dof, uint32_t count)
{
    struct cloud cloud = {.embedding = prm_embedding_flat(dof), .count = count};
    cloud.rows = calloc((size_t)count * cloud.embedding.row + 1, sizeof(float));
    assert_non_null(cloud.rows);
    return cloud;
}

/* Puts the rows on the device, for the first time or again. */
static inline void cloud_upload(struct cloud *cloud)
{
    const size_t bytes = (size_t)cloud->count * cloud->embedding.row * sizeof(float);
    if (cloud->buffer.memory == NULL)
        assert_ok(prm_buffer_create(test_context, &cloud->buffer, bytes));
    assert_ok(prm_buffer_write(test_context, cloud->buffer, 0, cloud->rows, bytes));
}

static inline void cloud_free(struct cloud *cloud)
{
    prm_buffer_destroy(test_context, &cloud->buffer);
    free(cloud->rows);
}

/* Lists of one method, on the host: [count][k]. */
struct lists {
    uint32_t count, k;
    uint32_t *indices;
    float *distances;
};

static inline struct lists lists_read(struct prm_buffer indices, struct prm_buffer distances,
                                      uint32_t count, uint32_t k)
{
    const size_t slots = (size_t)count * k;
    struct lists lists = {.count = count, .k = k};
    lists.indices = test_download_u32(test_context, indices, slots);
    lists.distances = (float *)test_download_u32(test_context, distances, slots);
    return lists;
}

static inline void lists_free(struct lists *lists)
{
    free(lists->indices);
    free(lists->distances);
}

static inline float squared_distance(const struct cloud *cloud, const struct cloud *queries,
                                     uint32_t query, uint32_t point)
{
    const size_t row = cloud->embedding.row;
    float squared = 0;
    for (uint32_t c = 0; c < cloud->embedding.dof; c++) {
        const float d = queries->rows[query * row + c] - cloud->rows[point * row + c];
        squared += d * d;
    }
    return squared;
}

/* How far a length may be from the host's: absolute where points are near, else relative. */
static inline float length_tolerance(float length)
{
    return 1e-6f * (length < 4 ? 1 : length);
}

struct ranked {
    float squared;
    uint32_t index;
};

static inline int ranked_compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->squared != y->squared)
        return x->squared < y->squared ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The list of one query by a full sort: indices, distances: [k]. */
static inline void serial_list(const struct cloud *cloud, const struct cloud *queries,
                               uint32_t query, uint32_t k, float radius, uint32_t *indices,
                               float *distances)
{
    struct ranked *all = calloc(cloud->count + 1u, sizeof(*all));
    uint32_t kept = 0;
    assert_non_null(all);
    for (uint32_t i = 0; i < cloud->count; i++) {
        const float squared = squared_distance(cloud, queries, query, i);
        if ((queries != cloud || i != query) && (radius == 0 || squared <= radius * radius))
            all[kept++] = (struct ranked){squared, i};
    }
    qsort(all, kept, sizeof(*all), ranked_compare);
    for (uint32_t i = 0; i < k; i++) {
        indices[i] = i < kept ? all[i].index : UINT32_MAX;
        distances[i] = i < kept ? sqrtf(all[i].squared) : INFINITY;
    }
    free(all);
}

/* From one query to the next, so that at most `most` are looked at (0: all). */
static inline uint32_t queries_stride(const struct lists *lists, uint32_t most)
{
    return most > 0 ? (lists->count + most - 1) / most : 1;
}

/* The lists are the serial ones. */
static inline void check_serially(const struct cloud *cloud, const struct cloud *queries,
                                  const struct lists *lists, float radius, uint32_t most)
{
    const uint32_t k = lists->k, stride = queries_stride(lists, most);
    struct lists one = {1, k, case_array(k), calloc(k, sizeof(float))};
    for (uint32_t q = 0; q < lists->count; q += stride) {
        const float *distances = lists->distances + (size_t)q * k;
        serial_list(cloud, queries, q, k, radius, one.indices, one.distances);
        assert_u32_array_equal(one.indices, lists->indices + (size_t)q * k, k);
        for (uint32_t i = 0; i < k; i++) {
            if (one.indices[i] == UINT32_MAX)
                assert_true(isinf(distances[i]));
            else
                assert_float_equal(one.distances[i], distances[i],
                                   length_tolerance(one.distances[i]));
        }
    }
    lists_free(&one);
}

/* The lists name points at their distances, ascending, none twice, no point its own, and nothing
 * after the last. */
static inline void check_true(const struct cloud *cloud, const struct cloud *queries,
                              const struct lists *lists)
{
    const uint32_t k = lists->k;
    for (uint32_t q = 0; q < lists->count; q++) {
        const uint32_t *points = lists->indices + (size_t)q * k;
        const float *distances = lists->distances + (size_t)q * k;
        for (uint32_t i = 0; i < k; i++) {
            if (points[i] == UINT32_MAX)
                continue;
            assert_in_range(points[i], 0, cloud->count - 1);
            if (queries == cloud)
                assert_int_not_equal(points[i], q);
            const float length = sqrtf(squared_distance(cloud, queries, q, points[i]));
            assert_float_equal(length, distances[i], length_tolerance(length));
            if (i == 0)
                continue;
            assert_int_not_equal(points[i - 1], UINT32_MAX);
            assert_true(distances[i - 1] <= distances[i]);
            for (uint32_t j = 0; j < i; j++)
                assert_int_not_equal(points[i], points[j]);
        }
    }
}

/* Share of the serial lists without a radius that true lists hold; what ties with the last counts.
 */
static inline double recall_of(const struct cloud *cloud, const struct cloud *queries,
                               const struct lists *lists, uint32_t most)
{
    const uint32_t k = lists->k, stride = queries_stride(lists, most);
    struct lists one = {1, k, case_array(k), calloc(k, sizeof(float))};
    uint64_t hits = 0, wanted = 0;
    for (uint32_t q = 0; q < lists->count; q += stride) {
        const uint32_t *points = lists->indices + (size_t)q * k;
        uint32_t there = 0;
        serial_list(cloud, queries, q, k, 0, one.indices, one.distances);
        while (there < k && one.indices[there] != UINT32_MAX)
            there++;
        for (uint32_t i = 0; i < there && points[i] != UINT32_MAX; i++)
            hits +=
                sqrtf(squared_distance(cloud, queries, q, points[i])) <= one.distances[there - 1];
        wanted += there;
    }
    lists_free(&one);
    return wanted > 0 ? (double)hits / (double)wanted : 1.0;
}

#endif

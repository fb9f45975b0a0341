/* Goal: each operation's request is read from JSON, npy and npz into the same struct, arrays in the
 * right kind and without a needless copy, and what is wrong is named to the element. Method: tables
 * of bodies; every truncation of an archive, for a sanitizer to watch. Oracle: by hand. */
#include "arrays.h"
#include "documents.h"
#include "schema/compute.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct limits limits;

static const struct compute_parameter no_parameters[1];

static bool read_text(struct compute_request *request, enum compute_op op, const char *body,
                      struct problem *problem)
{
    return compute_request_read(request, op, COMPUTE_JSON, body, strlen(body), no_parameters, 0,
                                &limits, problem);
}

static void must_read(struct compute_request *request, enum compute_op op, const char *body)
{
    struct problem problem = {0};
    if (!read_text(request, op, body, &problem))
        fail_msg("%s: %s", body, problem.faults[0].detail);
}

/* An array of that kind, shape and content. */
static void assert_array(const struct compute_array *array, enum compute_kind kind, size_t rows,
                         size_t columns, const void *data)
{
    assert_true(array->present);
    assert_int_equal(array->kind, kind);
    assert_int_equal(array->rows, rows);
    assert_int_equal(array->columns, columns);
    assert_memory_equal(array->data, data,
                        rows * columns * (kind == COMPUTE_U64 ? sizeof(uint64_t) : 4));
}
#define ASSERT_U32(array, rows, columns, ...)                                                      \
    assert_array(&(array), COMPUTE_U32, rows, columns, (const uint32_t[]){__VA_ARGS__})
#define ASSERT_I32(array, rows, columns, ...)                                                      \
    assert_array(&(array), COMPUTE_I32, rows, columns, (const int32_t[]){__VA_ARGS__})
#define ASSERT_F32(array, rows, columns, ...)                                                      \
    assert_array(&(array), COMPUTE_F32, rows, columns, (const float[]){__VA_ARGS__})

/* ---- JSON, operation by operation ---- */

static void requests_of_runs(void **state)
{
    (void)state;
    struct compute_request request;
    must_read(&request, COMPUTE_SCAN, "{\"values\":[3,1,7,0]}");
    ASSERT_U32(request.values, 4, 1, 3, 1, 7, 0);
    assert_true(request.exclusive);
    assert_int_equal(request.scan_method, COMPUTE_SCAN_AUTO);
    assert_int_equal(request.segment_size, 0);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_SCAN,
              "{\"values\":[3,-1],\"exclusive\":false,\"method\":\"hillis-steele\","
              "\"segment_size\":2,\"type\":null}");
    ASSERT_I32(request.values, 2, 1, 3, -1);
    assert_false(request.exclusive);
    assert_int_equal(request.scan_method, COMPUTE_SCAN_HILLIS_STEELE);
    assert_int_equal(request.segment_size, 2);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_SCAN, "{\"values\":[]}");
    assert_true(request.values.present);
    assert_non_null(request.values.data);
    assert_int_equal(request.values.rows, 0);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_COMPACT, "{\"values\":[1.5,2,3,4],\"flags\":[1,0,true,false]}");
    ASSERT_F32(request.values, 4, 1, 1.5F, 2, 3, 4);
    ASSERT_U32(request.flags, 4, 1, 1, 0, 1, 0);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_REPEATS, "{\"values\":[3,4,4]}");
    ASSERT_U32(request.values, 3, 1, 3, 4, 4);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_UNIQUE, "{\"values\":[-2.5,-0.0,0,0,7]}");
    ASSERT_F32(request.values, 5, 1, -2.5F, -0.0F, 0, 0, 7);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_SPLIT, "{\"values\":[6,3],\"bit\":31}");
    assert_int_equal(request.bit, 31);
    compute_request_deinit(&request);
}

static void requests_of_bins_and_orders(void **state)
{
    (void)state;
    struct compute_request request;
    must_read(&request, COMPUTE_BIN, "{\"values\":[3,4],\"edges\":[3,3.5,4]}");
    ASSERT_F32(request.values, 2, 1, 3, 4);
    ASSERT_F32(request.edges, 3, 1, 3, 3.5F, 4);
    assert_false(request.intervals.present);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_BIN, "{\"values\":[3],\"intervals\":[[-1,4],[2,2]]}");
    ASSERT_I32(request.values, 1, 1, 3);
    ASSERT_I32(request.intervals, 2, 2, -1, 4, 2, 2);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_HISTOGRAM, "{\"values\":[3,4],\"bins\":5,\"min\":3,\"max\":8.5}");
    ASSERT_U32(request.values, 2, 1, 3, 4);
    assert_int_equal(request.bins, 5);
    assert_true(request.min == 3 && request.max == 8.5);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_SORT,
              "{\"keys\":[2,6],\"type\":\"u64\",\"values\":[0.5,-1],\"bits_per_pass\":4,"
              "\"segment_size\":1,\"descending\":true}");
    assert_array(&request.keys, COMPUTE_U64, 2, 1, (const uint64_t[]){2, 6});
    ASSERT_F32(request.values, 2, 1, 0.5F, -1);
    assert_int_equal(request.bits_per_pass, 4);
    assert_true(request.descending);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_RANK, "{\"next\":[1,1]}");
    ASSERT_U32(request.next, 2, 1, 1, 1);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_HASH,
              "{\"keys\":[10,20],\"values\":[-1,2],\"queries\":[30],"
              "\"bucket_load\":0.8,\"gamma\":0.5,\"seed\":7}");
    ASSERT_U32(request.keys, 2, 1, 10, 20);
    ASSERT_I32(request.values, 2, 1, -1, 2);
    ASSERT_U32(request.queries, 1, 1, 30);
    assert_true(request.bucket_load == 0.8 && request.gamma == 0.5 && request.seed == 7);
    compute_request_deinit(&request);
}

static void requests_of_points_and_graphs(void **state)
{
    (void)state;
    struct compute_request request;
    must_read(&request, COMPUTE_SAMPLE,
              "{\"count\":10,\"dimension\":2,\"min\":-1,\"max\":[1,2],"
              "\"distribution\":\"halton\",\"generator\":\"philox\"}");
    assert_int_equal(request.count, 10);
    assert_int_equal(request.dimension, 2);
    ASSERT_F32(request.lower, 1, 1, -1);
    ASSERT_F32(request.upper, 2, 1, 1, 2);
    assert_int_equal(request.distribution, COMPUTE_HALTON);
    assert_int_equal(request.generator, COMPUTE_PHILOX);
    assert_int_equal(request.seed, 1);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_KNN,
              "{\"points\":[[0,1],[2,3],[4,5.5]],\"queries\":[[1,1]],\"k\":2,\"radius\":3,"
              "\"weights\":[1,2],\"method\":\"lsh\",\"tables\":4,\"projections\":2,\"width\":0.5,"
              "\"target_recall\":1,\"seed\":9223372036854775807}");
    ASSERT_F32(request.points, 3, 2, 0, 1, 2, 3, 4, 5.5F);
    ASSERT_F32(request.queries, 1, 2, 1, 1);
    ASSERT_F32(request.weights, 2, 1, 1, 2);
    assert_true(request.k == 2 && request.radius == 3 && request.width == 0.5);
    assert_int_equal(request.knn_method, COMPUTE_KNN_LSH);
    assert_true(request.tables == 4 && request.projections == 2 && request.target_recall == 1);
    assert_true(request.seed == INT64_MAX);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_KNN, "{\"points\":[0,1,2],\"k\":1,\"radius\":null}");
    ASSERT_F32(request.points, 3, 1, 0, 1, 2);
    assert_true(request.radius == 0 && request.target_recall == 0.95);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_KNN, "{\"points\":[],\"k\":1,\"queries\":[[1,2,3]]}");
    assert_int_equal(request.points.rows, 0);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_BFS, "{\"vertices\":3,\"edges\":[[0,1],[1,2]],\"sources\":[0]}");
    ASSERT_U32(request.edges, 2, 2, 0, 1, 1, 2);
    ASSERT_U32(request.sources, 1, 1, 0);
    assert_int_equal(request.objective, COMPUTE_HOPS);
    compute_request_deinit(&request);

    must_read(&request, COMPUTE_BFS,
              "{\"vertices\":3,\"edges\":[[0,1]],\"weights\":[0],\"sources\":[]}");
    ASSERT_F32(request.weights, 1, 1, 0);
    assert_int_equal(request.objective, COMPUTE_LENGTH);
    compute_request_deinit(&request);
}

static void kinds_are_inferred(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        enum compute_kind kind;
    } rows[] = {{"[]", COMPUTE_U32},
                {"[0]", COMPUTE_U32},
                {"[4294967295]", COMPUTE_U32},
                {"[1e3,5.0]", COMPUTE_U32},
                {"[-1]", COMPUTE_I32},
                {"[2147483647,-2147483648]", COMPUTE_I32},
                {"[0.5,4294967295,-3]", COMPUTE_F32},
                {"[4294967296]", COMPUTE_U64},
                {"[9007199254740992]", COMPUTE_U64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[100];
        struct compute_request request;
        snprintf(body, sizeof body, "{\"keys\":%s}", rows[i].keys);
        must_read(&request, COMPUTE_SORT, body);
        if (request.keys.kind != rows[i].kind || request.kind != rows[i].kind)
            fail_msg("%s: kind %d, expected %d", body, (int)request.keys.kind, (int)rows[i].kind);
        compute_request_deinit(&request);
    }
}

/* ---- faults ---- */

static enum compute_op current_op;

static bool read_current(const char *body, size_t bytes, struct problem *problem)
{
    struct compute_request request;
    bool read = compute_request_read(&request, current_op, COMPUTE_JSON, body, bytes, no_parameters,
                                     0, &limits, problem);
    if (read)
        compute_request_deinit(&request);
    return read;
}

static void malformed_bodies_are_refused(void **state)
{
    (void)state;
    for (unsigned op = 0; op < COMPUTE_OP_COUNT; op++) {
        current_op = (enum compute_op)op;
        assert_refuses_malformed(read_current);
    }
}

#define BAD(op, body, pointer)                                                                     \
    {                                                                                              \
        op,                                                                                        \
        {                                                                                          \
            body, PROBLEM_INVALID_ARGUMENT, pointer, NULL                                          \
        }                                                                                          \
    }
#define LIMIT(op, body, pointer, limit)                                                            \
    {                                                                                              \
        op,                                                                                        \
        {                                                                                          \
            body, PROBLEM_LIMIT_EXCEEDED, pointer, limit                                           \
        }                                                                                          \
    }

/* Bodies and their faults, where an array may have 8 elements. */
static const struct {
    enum compute_op op;
    struct bad_document row;
} fault_rows[] = {
    BAD(COMPUTE_SCAN, "{}", "/values"),
    BAD(COMPUTE_SCAN, "{\"values\":null}", "/values"),
    BAD(COMPUTE_SCAN, "{\"values\":1}", "/values"),
    BAD(COMPUTE_SCAN, "{\"values\":[\"a\"]}", "/values/0"),
    BAD(COMPUTE_SCAN, "{\"values\":[1,null]}", "/values/1"),
    BAD(COMPUTE_SCAN, "{\"values\":[1,true]}", "/values/1"),
    BAD(COMPUTE_SCAN, "{\"values\":[1,[2]]}", "/values/1"),
    BAD(COMPUTE_SCAN, "{\"values\":[1,2,2.5]}", "/values/2"),
    BAD(COMPUTE_SCAN, "{\"values\":[1,2,4294967296]}", "/values/2"),
    BAD(COMPUTE_SCAN, "{\"values\":[-1,2147483648]}", "/values/1"),
    BAD(COMPUTE_SCAN, "{\"values\":[1,-1],\"type\":\"u32\"}", "/values/1"),
    BAD(COMPUTE_SCAN, "{\"values\":[1,1e300],\"type\":\"i32\"}", "/values/1"),
    BAD(COMPUTE_SCAN, "{\"values\":[1],\"type\":\"f32\"}", "/type"),
    BAD(COMPUTE_SCAN, "{\"values\":[1],\"type\":\"u31\"}", "/type"),
    BAD(COMPUTE_SCAN, "{\"values\":[1],\"exclusive\":1}", "/exclusive"),
    BAD(COMPUTE_SCAN, "{\"values\":[1],\"method\":\"fast\"}", "/method"),
    BAD(COMPUTE_SCAN, "{\"values\":[1,2,3],\"segment_size\":2}", "/segment_size"),
    BAD(COMPUTE_SCAN, "{\"values\":[1],\"segment_size\":0}", "/segment_size"),
    BAD(COMPUTE_SCAN, "{\"values\":[1],\"segment_size\":-1}", "/segment_size"),
    {COMPUTE_SCAN,
     {"{\"values\":[1],\"exclusve\":true}", PROBLEM_UNKNOWN_MEMBER, "/exclusve", NULL}},
    LIMIT(COMPUTE_SCAN, "{\"values\":[1,2,3,4,5,6,7,8,9]}", "/values", "8"),
    BAD(COMPUTE_COMPACT, "{\"values\":[1,2]}", "/flags"),
    BAD(COMPUTE_COMPACT, "{\"values\":[1,2],\"flags\":[1]}", "/flags"),
    BAD(COMPUTE_COMPACT, "{\"values\":[1,2],\"flags\":[1,2]}", "/flags/1"),
    BAD(COMPUTE_COMPACT, "{\"values\":[1,5000000000],\"flags\":[1,1]}", "/values/1"),
    BAD(COMPUTE_COMPACT, "{\"values\":[0.5,1e39],\"flags\":[1,1]}", "/values/1"),
    BAD(COMPUTE_UNIQUE, "{\"values\":[1,3,2]}", "/values/2"),
    BAD(COMPUTE_UNIQUE, "{\"values\":[-3,-2,-5]}", "/values/2"),
    BAD(COMPUTE_UNIQUE, "{\"values\":[-3.5,-2,-2.5]}", "/values/2"),
    BAD(COMPUTE_SPLIT, "{\"values\":[1]}", "/bit"),
    BAD(COMPUTE_SPLIT, "{\"values\":[1],\"bit\":32}", "/bit"),
    BAD(COMPUTE_SPLIT, "{\"values\":[1],\"bit\":1.5}", "/bit"),
    BAD(COMPUTE_BIN, "{\"values\":[1]}", "/edges"),
    BAD(COMPUTE_BIN, "{\"values\":[1],\"edges\":[1,2],\"intervals\":[[1,2]]}", "/intervals"),
    BAD(COMPUTE_BIN, "{\"values\":[1],\"edges\":[1]}", "/edges"),
    BAD(COMPUTE_BIN, "{\"values\":[1],\"edges\":[1,3,2]}", "/edges/2"),
    BAD(COMPUTE_BIN, "{\"values\":[1],\"intervals\":[[1,2],[2,1]]}", "/intervals/1"),
    BAD(COMPUTE_BIN, "{\"values\":[1],\"intervals\":[[1,2],[2]]}", "/intervals/1"),
    BAD(COMPUTE_BIN, "{\"values\":[1],\"intervals\":[1,2]}", "/intervals/0"),
    BAD(COMPUTE_BIN, "{\"values\":[1],\"intervals\":[[1,\"2\"]]}", "/intervals/0/1"),
    BAD(COMPUTE_BIN, "{\"values\":[1],\"intervals\":[[1,2],[3,5000000000]]}", "/intervals/1/1"),
    BAD(COMPUTE_HISTOGRAM, "{\"values\":[1],\"bins\":-5,\"min\":0,\"max\":1}", "/bins"),
    BAD(COMPUTE_HISTOGRAM, "{\"values\":[1],\"bins\":0,\"min\":0,\"max\":1}", "/bins"),
    LIMIT(COMPUTE_HISTOGRAM, "{\"values\":[1],\"bins\":9,\"min\":0,\"max\":1}", "/bins", "8"),
    BAD(COMPUTE_HISTOGRAM, "{\"values\":[1],\"bins\":1,\"min\":1,\"max\":1}", "/max"),
    BAD(COMPUTE_HISTOGRAM, "{\"values\":[1],\"bins\":1,\"max\":1}", "/min"),
    BAD(COMPUTE_SORT, "{\"keys\":[1],\"type\":\"u31\"}", "/type"),
    BAD(COMPUTE_SORT, "{\"keys\":[1,2],\"values\":[1]}", "/values"),
    BAD(COMPUTE_SORT, "{\"keys\":[1,9007199254740994]}", "/keys/1"),
    BAD(COMPUTE_SORT, "{\"keys\":[-1,9007199254740994]}", "/keys/1"),
    BAD(COMPUTE_SORT, "{\"keys\":[1],\"bits_per_pass\":9}", "/bits_per_pass"),
    BAD(COMPUTE_SORT, "{\"keys\":[1,2,3],\"segment_size\":2}", "/segment_size"),
    BAD(COMPUTE_RANK, "{\"next\":[5]}", "/next/0"),
    BAD(COMPUTE_RANK, "{\"next\":[0,-1]}", "/next/1"),
    BAD(COMPUTE_RANK, "{\"next\":[0],\"type\":\"i32\"}", "/type"),
    BAD(COMPUTE_HASH, "{\"keys\":[1,1],\"values\":[1,2]}", "/queries"),
    BAD(COMPUTE_HASH, "{\"keys\":[1,-1],\"values\":[1,2],\"queries\":[]}", "/keys/1"),
    BAD(COMPUTE_HASH, "{\"keys\":[1],\"values\":[1,2],\"queries\":[]}", "/values"),
    BAD(COMPUTE_HASH, "{\"keys\":[1],\"values\":[1],\"queries\":[],\"gamma\":1}", "/gamma"),
    BAD(COMPUTE_HASH, "{\"keys\":[1],\"values\":[1],\"queries\":[],\"bucket_load\":0}",
        "/bucket_load"),
    BAD(COMPUTE_HASH, "{\"keys\":[1],\"values\":[1],\"queries\":[],\"seed\":-1}", "/seed"),
    BAD(COMPUTE_HASH, "{\"keys\":[1],\"values\":[1],\"queries\":[],\"seed\":9223372036854775808}",
        "/seed"),
    BAD(COMPUTE_SAMPLE, "{}", "/count"),
    BAD(COMPUTE_SAMPLE, "{\"count\":-1}", "/count"),
    LIMIT(COMPUTE_SAMPLE, "{\"count\":9}", "/count", "8"),
    LIMIT(COMPUTE_SAMPLE, "{\"count\":3,\"dimension\":3}", "/count", "8"),
    BAD(COMPUTE_SAMPLE, "{\"count\":1,\"dimension\":33}", "/dimension"),
    BAD(COMPUTE_SAMPLE, "{\"count\":1,\"dimension\":3,\"max\":[1,2]}", "/max"),
    BAD(COMPUTE_SAMPLE, "{\"count\":1,\"min\":2,\"max\":1}", "/max"),
    BAD(COMPUTE_SAMPLE, "{\"count\":1,\"min\":2}", "/min"),
    BAD(COMPUTE_SAMPLE, "{\"count\":1,\"max\":-1}", "/max"),
    BAD(COMPUTE_SAMPLE, "{\"count\":1,\"max\":\"1\"}", "/max"),
    BAD(COMPUTE_SAMPLE, "{\"count\":1,\"max\":2,\"distribution\":\"normal\"}", "/max"),
    BAD(COMPUTE_KNN, "{\"points\":[[1]]}", "/k"),
    BAD(COMPUTE_KNN, "{\"points\":[[1,2],[1]],\"k\":1}", "/points/1"),
    BAD(COMPUTE_KNN, "{\"points\":[[1,2],3],\"k\":1}", "/points/1"),
    BAD(COMPUTE_KNN, "{\"points\":[[]],\"k\":1}", "/points"),
    BAD(COMPUTE_KNN, "{\"points\":[[1,2],[1,1e39]],\"k\":1}", "/points/1/1"),
    BAD(COMPUTE_KNN, "{\"points\":[[1,2]],\"queries\":[[1]],\"k\":1}", "/queries"),
    BAD(COMPUTE_KNN, "{\"points\":[[1,2]],\"k\":0}", "/k"),
    LIMIT(COMPUTE_KNN, "{\"points\":[[1,2]],\"k\":129}", "/k", "128"),
    LIMIT(COMPUTE_KNN, "{\"points\":[1,2],\"k\":5}", "/k", "8"),
    LIMIT(COMPUTE_KNN, "{\"points\":[[1,2,3],[1,2,3],[1,2,3]],\"k\":1}", "/points", "8"),
    BAD(COMPUTE_KNN, "{\"points\":[[1,2]],\"k\":1,\"radius\":0}", "/radius"),
    BAD(COMPUTE_KNN, "{\"points\":[[1,2]],\"k\":1,\"weights\":[1]}", "/weights"),
    BAD(COMPUTE_KNN, "{\"points\":[[1,2]],\"k\":1,\"weights\":[1,0]}", "/weights/1"),
    BAD(COMPUTE_KNN, "{\"points\":[[1,2]],\"k\":1,\"projections\":3}", "/projections"),
    BAD(COMPUTE_KNN, "{\"points\":[[1,2]],\"k\":1,\"target_recall\":1.01}", "/target_recall"),
    BAD(COMPUTE_KNN, "{\"points\":[[1,2]],\"k\":1,\"method\":\"best\"}", "/method"),
    BAD(COMPUTE_BFS, "{\"vertices\":2,\"edges\":[[0,1],[1,2]],\"sources\":[0]}", "/edges/1/1"),
    BAD(COMPUTE_BFS, "{\"vertices\":2,\"edges\":[],\"sources\":[1,2]}", "/sources/1"),
    BAD(COMPUTE_BFS, "{\"vertices\":2,\"edges\":[[0,1]],\"weights\":[],\"sources\":[0]}",
        "/weights"),
    BAD(COMPUTE_BFS, "{\"vertices\":2,\"edges\":[[0,1]],\"weights\":[-1],\"sources\":[0]}",
        "/weights/0"),
    BAD(COMPUTE_BFS, "{\"vertices\":2,\"edges\":[],\"sources\":[0],\"objective\":\"length\"}",
        "/weights"),
    LIMIT(COMPUTE_BFS, "{\"vertices\":3,\"edges\":[],\"sources\":[0,1,2]}", "/sources", "8"),
    LIMIT(COMPUTE_BFS, "{\"vertices\":9,\"edges\":[],\"sources\":[]}", "/vertices", "8"),
};

static void faults_name_the_element(void **state)
{
    (void)state;
    limits.compute_elements = 8;
    for (size_t i = 0; i < sizeof fault_rows / sizeof *fault_rows; i++) {
        current_op = fault_rows[i].op;
        assert_refused(&fault_rows[i].row, 1, read_current);
    }
    limits = limits_default();
}

static void many_faults_are_counted_and_bounded(void **state)
{
    (void)state;
    char *body = repeat("{\"values\":[0", ",0.5", 100000, "],\"type\":\"u32\"}");
    struct compute_request request;
    struct problem problem = {0};
    assert_false(read_text(&request, COMPUTE_SCAN, body, &problem));
    assert_int_equal(problem.fault_count, PROBLEM_FAULTS_MAX);
    assert_string_equal(problem.faults[15].pointer, "/values/16");
    free(body);

    // faults of several members come together
    struct problem both = {0};
    assert_false(read_text(&request, COMPUTE_SORT,
                           "{\"keys\":[1,\"x\"],\"values\":[{}],\"descending\":0,\"y\":1}", &both));
    assert_int_equal(both.fault_count, 4);
}

/* ---- npy ---- */

static bool read_npy(struct compute_request *request, enum compute_op op, const struct text *file,
                     const struct compute_parameter *parameters, unsigned count,
                     struct problem *problem)
{
    return compute_request_read(request, op, COMPUTE_NPY, file->data, file->length, parameters,
                                count, &limits, problem);
}

/* numpy types, as they are converted: the kind they get, or the element that does not fit. */
static void npy_types_are_converted(void **state)
{
    (void)state;
    static const int64_t small_i8[] = {1, 2}, negative_i8[] = {1, -2}, large_i8[] = {1, 1LL << 40},
                         odd_i8[] = {1, (1 << 24) + 1}, huge_i8[] = {1, INT64_MAX};
    static const uint64_t u8[] = {1, UINT64_MAX};
    static const double whole_f8[] = {1, 2}, part_f8[] = {1, 2.1}, nan_f8[] = {1, (double)NAN},
                        wide_f8[] = {1, 1e300};
    static const float f4[] = {1, 2.5F}, nan_f4[] = {1, NAN}, whole_f4[] = {1, 2};
    static const uint32_t u4[] = {1, UINT32_MAX};
    static const int32_t i4[] = {1, 2};
    static const uint8_t u1[] = {1, 255}, b1[] = {0, 1};
    static const struct {
        enum compute_op op;
        int kind; /* negative: refused at element 1 */
        const char *descr, *type;
        const void *data;
        size_t item;
    } rows[] = {
        {COMPUTE_SORT, COMPUTE_U32, "<u4", NULL, u4, 4},
        {COMPUTE_SORT, COMPUTE_I32, "<i4", NULL, i4, 4},
        {COMPUTE_SORT, COMPUTE_F32, "<f4", NULL, f4, 4},
        {COMPUTE_SORT, COMPUTE_F32, "<f4", NULL, nan_f4, 4},
        {COMPUTE_SORT, COMPUTE_U64, "<u8", NULL, u8, 8},
        {COMPUTE_SORT, COMPUTE_U32, "<i8", NULL, small_i8, 8},
        {COMPUTE_SORT, COMPUTE_I32, "<i8", NULL, negative_i8, 8},
        {COMPUTE_SORT, COMPUTE_U64, "<i8", NULL, large_i8, 8},
        {COMPUTE_SORT, COMPUTE_U64, "<i8", NULL, huge_i8, 8},
        {COMPUTE_SORT, COMPUTE_F32, "<f8", NULL, part_f8, 8},
        {COMPUTE_SORT, COMPUTE_F32, "<f8", NULL, whole_f8, 8},
        {COMPUTE_SORT, COMPUTE_F32, "<f8", NULL, nan_f8, 8},
        {COMPUTE_SORT, -1, "<f8", NULL, wide_f8, 8},
        {COMPUTE_SORT, COMPUTE_U32, "|u1", NULL, u1, 1},
        {COMPUTE_SORT, COMPUTE_U32, "|b1", NULL, b1, 1},
        {COMPUTE_SORT, -1, "<u4", "i32", u4, 4},
        {COMPUTE_SORT, COMPUTE_F32, "<u4", "f32", u4, 4},
        {COMPUTE_SORT, COMPUTE_U64, "<u4", "u64", u4, 4},
        {COMPUTE_SORT, -1, "<i8", "u64", negative_i8, 8},
        {COMPUTE_SORT, -1, "<i8", "f32", odd_i8, 8},
        {COMPUTE_SORT, -1, "<u8", "u32", u8, 8},
        {COMPUTE_SORT, -1, "<u8", "f32", u8, 8},
        {COMPUTE_SORT, -1, "<f4", "u32", f4, 4},
        {COMPUTE_SORT, COMPUTE_U32, "<f4", "u32", whole_f4, 4},
        {COMPUTE_SORT, -1, "<f4", "i32", nan_f4, 4},
        {COMPUTE_SCAN, COMPUTE_U32, "<f8", NULL, whole_f8, 8},
        {COMPUTE_SCAN, -1, "<f8", NULL, part_f8, 8},
        {COMPUTE_SCAN, -1, "<u8", NULL, u8, 8},
        {COMPUTE_REPEATS, -1, "<u8", NULL, u8, 8},
        {COMPUTE_RANK, -1, "<i8", NULL, large_i8, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text file = npy_of(rows[i].descr, "(2,)", rows[i].data, 2 * rows[i].item);
        const struct compute_parameter type = {"type", rows[i].type};
        struct compute_request request;
        struct problem problem = {0};
        const bool read =
            read_npy(&request, rows[i].op, &file, &type, rows[i].type ? 1 : 0, &problem);
        char what[64];
        snprintf(what, sizeof what, "row %zu: %s", i, rows[i].descr);
        if (read != (rows[i].kind >= 0))
            fail_msg("%s: %s", what, read ? "accepted" : problem.faults[0].detail);
        if (read) {
            assert_int_equal(request.kind, rows[i].kind);
            compute_request_deinit(&request);
        } else {
            const char *const member = rows[i].op == COMPUTE_SORT   ? "/keys/1"
                                       : rows[i].op == COMPUTE_RANK ? "/next/1"
                                                                    : "/values/1";
            assert_first_fault(&problem, PROBLEM_INVALID_ARGUMENT, member, what);
        }
        text_deinit(&file);
    }
}

static void values_survive_conversion(void **state)
{
    (void)state;
    enum { COUNT = 1000 }; // several blocks, and a part of one
    static int64_t wide[COUNT];
    static int32_t narrow[COUNT];
    static double doubles[COUNT];
    static float floats[COUNT];
    struct test_random random = {42};
    for (size_t i = 0; i < COUNT; i++) {
        narrow[i] = (int32_t)test_random_u32(&random);
        wide[i] = narrow[i];
        floats[i] = test_random_f32(&random, -1000, 1000);
        doubles[i] = (double)floats[i];
    }
    struct compute_request request;
    struct problem problem = {0};
    struct text file = npy_of("<i8", "(1000,)", wide, sizeof wide);
    assert_true(read_npy(&request, COMPUTE_SORT, &file, no_parameters, 0, &problem));
    assert_array(&request.keys, COMPUTE_I32, COUNT, 1, narrow);
    compute_request_deinit(&request);
    text_deinit(&file);

    file = npy_of("<f8", "(1000,)", doubles, sizeof doubles);
    assert_true(read_npy(&request, COMPUTE_SORT, &file, no_parameters, 0, &problem));
    assert_array(&request.keys, COMPUTE_F32, COUNT, 1, floats);
    compute_request_deinit(&request);
    text_deinit(&file);
}

static void arrays_of_the_right_kind_are_borrowed(void **state)
{
    (void)state;
    static const uint32_t values[] = {5, 6, 7, 8};
    static const uint64_t keys[] = {UINT64_MAX, 0};
    struct compute_request request;
    struct problem problem = {0};
    struct text file = npy_of("<u4", "(4,)", values, sizeof values);
    assert_true(read_npy(&request, COMPUTE_SCAN, &file, no_parameters, 0, &problem));
    assert_ptr_equal(request.values.data, file.data + 128);
    assert_null(request.values.owned);
    compute_request_deinit(&request);
    text_deinit(&file);

    file = npy_of("<u8", "(2,)", keys, sizeof keys);
    assert_true(read_npy(&request, COMPUTE_SORT, &file, no_parameters, 0, &problem));
    assert_ptr_equal(request.keys.data, file.data + 128);
    compute_request_deinit(&request);
    text_deinit(&file);

    // an array that lies askew in the body is copied
    file = npy_file(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (4,), } ", values,
                    sizeof values);
    assert_true(file.length % 4 != 0);
    assert_true(read_npy(&request, COMPUTE_SCAN, &file, no_parameters, 0, &problem));
    ASSERT_U32(request.values, 4, 1, 5, 6, 7, 8);
    assert_non_null(request.values.owned);
    compute_request_deinit(&request);
    text_deinit(&file);
}

static void npy_bodies_take_options_from_the_url(void **state)
{
    (void)state;
    static const double points[] = {0, 1, 2, 3};
    struct text file = npy_of("<f8", "(2, 2)", points, sizeof points);
    const struct compute_parameter parameters[] = {
        {"k", "1"}, {"method", "exact"}, {"radius", "2.5"}, {"weights", "[1,0.5]"}};
    struct compute_request request;
    struct problem problem = {0};
    if (!read_npy(&request, COMPUTE_KNN, &file, parameters, 4, &problem))
        fail_msg("%s", problem.faults[0].detail);
    ASSERT_F32(request.points, 2, 2, 0, 1, 2, 3);
    ASSERT_F32(request.weights, 2, 1, 1, 0.5F);
    assert_int_equal(request.knn_method, COMPUTE_KNN_EXACT);
    assert_true(request.radius == 2.5);
    compute_request_deinit(&request);

    static const struct {
        struct compute_parameter parameter;
        enum problem_code code;
    } bad[] = {{{"kk", "1"}, PROBLEM_UNKNOWN_MEMBER},
               {{"k", "one"}, PROBLEM_INVALID_ARGUMENT},
               {{"k", ""}, PROBLEM_INVALID_ARGUMENT},
               {{"k", "\xff"}, PROBLEM_MALFORMED},
               {{"points", "[[1,2]]"}, PROBLEM_INVALID_ARGUMENT}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char pointer[20];
        snprintf(pointer, sizeof pointer, "/%s", bad[i].parameter.key);
        struct problem refused = {0};
        assert_false(read_npy(&request, COMPUTE_KNN, &file, &bad[i].parameter, 1, &refused));
        assert_first_fault(&refused, bad[i].code, pointer, bad[i].parameter.value);
    }
    text_deinit(&file);

    // they go with JSON too, but not twice
    static const char body[] = "{\"values\":[1],\"bit\":3}";
    const struct compute_parameter bit = {"bit", "4"}, type = {"type", "i32"};
    assert_true(compute_request_read(&request, COMPUTE_SPLIT, COMPUTE_JSON, body, sizeof body - 1,
                                     &type, 1, &limits, &problem));
    ASSERT_I32(request.values, 1, 1, 1);
    compute_request_deinit(&request);
    assert_false(compute_request_read(&request, COMPUTE_SPLIT, COMPUTE_JSON, body, sizeof body - 1,
                                      &bit, 1, &limits, &problem));
    assert_first_fault(&problem, PROBLEM_INVALID_ARGUMENT, "/bit", "twice");
}

static void wrong_shapes_are_refused(void **state)
{
    (void)state;
    static const uint32_t four[] = {0, 0, 0, 0};
    static const struct {
        enum compute_op op;
        const char *shape, *pointer;
    } rows[] = {{COMPUTE_SCAN, "(2, 2)", "/values"},
                {COMPUTE_SCAN, "(4, 1, 1)", "/values"},
                {COMPUTE_BFS, "(4,)", "/edges"},
                {COMPUTE_BFS, "(1, 4)", "/edges"},
                {COMPUTE_KNN, "(2, 2, 1)", "/points"}};
    const struct compute_parameter k = {"k", "1"};
    const struct compute_parameter graph[] = {{"vertices", "1"}, {"sources", "[]"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text file = npy_of("<u4", rows[i].shape, four, sizeof four);
        struct compute_request request;
        struct problem problem = {0};
        const bool is_graph = rows[i].op == COMPUTE_BFS, is_knn = rows[i].op == COMPUTE_KNN;
        assert_false(read_npy(&request, rows[i].op, &file, is_graph ? graph : &k,
                              is_graph ? 2
                              : is_knn ? 1
                                       : 0,
                              &problem));
        assert_first_fault(&problem, PROBLEM_INVALID_ARGUMENT, rows[i].pointer, rows[i].shape);
        text_deinit(&file);
    }

    // an empty array has any shape
    struct text file = npy_of("<f8", "(0,)", NULL, 0);
    struct compute_request request;
    struct problem problem = {0};
    assert_true(read_npy(&request, COMPUTE_BFS, &file, graph, 2, &problem));
    assert_int_equal(request.edges.rows, 0);
    compute_request_deinit(&request);

    // sample has no main array
    assert_false(read_npy(&request, COMPUTE_SAMPLE, &file, no_parameters, 0, &problem));
    assert_first_fault(&problem, PROBLEM_UNSUPPORTED_MEDIA_TYPE, NULL, "sample");
    text_deinit(&file);
}

/* ---- npz ---- */

/* sort's every member, options as numpy makes them of Python's values. */
static struct text sort_archive(void)
{
    static const uint64_t keys[] = {3, 1, UINT64_MAX, 2};
    static const float values[] = {0.5F, 1.5F, 2.5F, 3.5F};
    static const int64_t two = 2;
    static const uint8_t yes = 1;
    static const uint32_t u64[] = {'u', '6', '4'};
    struct zip_file_entry entries[] = {
        {"keys.npy", npy_of("<u8", "(4,)", keys, sizeof keys)},
        {"values.npy", npy_of("<f4", "(4,)", values, sizeof values)},
        {"segment_size.npy", npy_of("<i8", "()", &two, sizeof two)},
        {"descending.npy", npy_of("|b1", "(1,)", &yes, sizeof yes)},
        {"type.npy", npy_of("<U3", "()", u64, sizeof u64)},
    };
    struct text archive = zip_of(entries, 5, true);
    for (int i = 0; i < 5; i++)
        text_deinit(&entries[i].content);
    return archive;
}

static bool read_npz(struct compute_request *request, enum compute_op op, const char *body,
                     size_t bytes, struct problem *problem)
{
    return compute_request_read(request, op, COMPUTE_NPZ, body, bytes, no_parameters, 0, &limits,
                                problem);
}

static void archives_hold_members_and_options(void **state)
{
    (void)state;
    struct text archive = sort_archive();
    struct compute_request request;
    struct problem problem = {0};
    if (!read_npz(&request, COMPUTE_SORT, archive.data, archive.length, &problem))
        fail_msg("%s", problem.faults[0].detail);
    assert_array(&request.keys, COMPUTE_U64, 4, 1, (const uint64_t[]){3, 1, UINT64_MAX, 2});
    ASSERT_F32(request.values, 4, 1, 0.5F, 1.5F, 2.5F, 3.5F);
    assert_int_equal(request.segment_size, 2);
    assert_true(request.descending);
    compute_request_deinit(&request);

    // members of another operation are not known to this one
    assert_false(read_npz(&request, COMPUTE_SCAN, archive.data, archive.length, &problem));
    assert_first_fault(&problem, PROBLEM_UNKNOWN_MEMBER, "/keys", "another operation's");
    text_deinit(&archive);
}

static void wrong_members_are_refused(void **state)
{
    (void)state;
    static const uint32_t values[] = {3, 1};
    static const double nan_f8 = (double)NAN;
    static const uint64_t huge = UINT64_MAX;
    const struct {
        const char *name;
        struct text content;
        enum problem_code code;
        const char *pointer;
    } rows[] = {
        {"bit.npy", npy_of("<u4", "(2,)", values, 8), PROBLEM_INVALID_ARGUMENT, "/bit"},
        {"bit.npy", npy_of("<f8", "()", &nan_f8, 8), PROBLEM_INVALID_ARGUMENT, "/bit"},
        {"bit.npy", npy_of("<u8", "()", &huge, 8), PROBLEM_INVALID_ARGUMENT, "/bit"},
        {"bit.npy", npy_of("|S2", "()", values, 2), PROBLEM_INVALID_ARGUMENT, "/bit"},
        {"bit.npy", npy_of("|S2", "()", "\xff", 2), PROBLEM_INVALID_ARGUMENT, "/bit"},
        {"other.npy", npy_of("<u4", "()", values, 4), PROBLEM_UNKNOWN_MEMBER, "/other"},
        {"type.npy", npy_of("|S3", "()", "u31", 3), PROBLEM_INVALID_ARGUMENT, "/type"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text content = npy_of("<u4", "(2,)", values, 8);
        const struct zip_file_entry entries[] = {{"values.npy", content},
                                                 {rows[i].name, rows[i].content}};
        struct text archive = zip_of(entries, 2, false), unowned = rows[i].content;
        struct compute_request request;
        struct problem problem = {0};
        assert_false(read_npz(&request, COMPUTE_SPLIT, archive.data, archive.length, &problem));
        assert_first_fault(&problem, rows[i].code, rows[i].pointer, rows[i].name);
        text_deinit(&archive);
        text_deinit(&content);
        text_deinit(&unowned);
    }

    // text where numbers are needed
    struct text content = npy_of("|S4", "(2,)", values, 8);
    const struct zip_file_entry entry = {"next.npy", content};
    struct text archive = zip_of(&entry, 1, false);
    struct compute_request request;
    struct problem problem = {0};
    assert_false(read_npz(&request, COMPUTE_RANK, archive.data, archive.length, &problem));
    assert_first_fault(&problem, PROBLEM_INVALID_ARGUMENT, "/next", "text");
    text_deinit(&archive);
    text_deinit(&content);
}

static void cut_and_changed_requests_are_safe(void **state)
{
    (void)state;
    struct text archive = sort_archive();
    struct test_random random = {7};
    assert_true(archive.length > 0);
    limits.body_bytes = 100000;
    for (size_t length = 0; length < archive.length; length++) {
        char *copy = malloc(length ? length : 1);
        memcpy(copy, archive.data, length);
        struct compute_request request;
        struct problem problem = {0};
        assert_false(read_npz(&request, COMPUTE_SORT, copy, length, &problem));
        assert_true(problem.fault_count > 0);
        free(copy);
    }
    for (int round = 0; round < 2000; round++) {
        char *copy = malloc(archive.length ? archive.length : 1);
        memcpy(copy, archive.data, archive.length);
        for (uint32_t i = test_random_below(&random, 4) + 1; i > 0; i--)
            copy[test_random_below(&random, (uint32_t)archive.length)] =
                (char)test_random_u32(&random);
        struct compute_request request;
        struct problem problem = {0};
        if (read_npz(&request, COMPUTE_SORT, copy, archive.length, &problem))
            compute_request_deinit(&request);
        else
            assert_true(problem.fault_count > 0);
        free(copy);
    }
    limits = limits_default();
    text_deinit(&archive);
}

static void names_and_formats(void **state)
{
    (void)state;
    for (unsigned op = 0; op < COMPUTE_OP_COUNT; op++)
        assert_int_equal(compute_op_find(compute_op_name((enum compute_op)op)), op);
    assert_int_equal(compute_op_find("sorting"), COMPUTE_OP_COUNT);
    assert_int_equal(compute_op_find(""), COMPUTE_OP_COUNT);
    assert_int_equal(compute_format_of(NULL), COMPUTE_JSON);
    assert_int_equal(compute_format_of("Application/JSON; charset=utf-8"), COMPUTE_JSON);
    assert_int_equal(compute_format_of("application/x-npy"), COMPUTE_NPY);
    assert_int_equal(compute_format_of("application/x-npz;v=1"), COMPUTE_NPZ);
    assert_int_equal(compute_format_of("application/x-np"), -1);
    assert_int_equal(compute_format_of("text/plain"), -1);
}

static int set_limits(void **state)
{
    (void)state;
    limits = limits_default();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_of_runs),
        cmocka_unit_test(requests_of_bins_and_orders),
        cmocka_unit_test(requests_of_points_and_graphs),
        cmocka_unit_test(kinds_are_inferred),
        cmocka_unit_test(malformed_bodies_are_refused),
        cmocka_unit_test(faults_name_the_element),
        cmocka_unit_test(many_faults_are_counted_and_bounded),
        cmocka_unit_test(npy_types_are_converted),
        cmocka_unit_test(values_survive_conversion),
        cmocka_unit_test(arrays_of_the_right_kind_are_borrowed),
        cmocka_unit_test(npy_bodies_take_options_from_the_url),
        cmocka_unit_test(wrong_shapes_are_refused),
        cmocka_unit_test(archives_hold_members_and_options),
        cmocka_unit_test(wrong_members_are_refused),
        cmocka_unit_test(cut_and_changed_requests_are_safe),
        cmocka_unit_test(names_and_formats),
    };
    return cmocka_run_group_tests(tests, set_limits, NULL);
}

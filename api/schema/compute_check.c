/* What must hold between the members of a request (compute_table.h). */
#include "schema/compute_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What the checks of one request need at hand. */
struct checker {
    struct compute_request *request;
    const struct json_node *root;
    const struct limits *limits;
};

/* ---- faults ---- */

__attribute__((format(printf, 3, 4))) static void fault(const struct checker *checker,
                                                        const char *member, const char *format, ...)
{
    char text[PROBLEM_DETAIL_MAX / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct json_node node = {NULL, checker->root, member, 0, checker->root->problem};
    json_node_fault(&node, PROBLEM_INVALID_ARGUMENT, "%s", text);
}

/* A fault at row `row` of an array, and at `column` of that unless negative. */
__attribute__((format(printf, 5, 6))) static void fault_at(const struct checker *checker,
                                                           const char *member, size_t row,
                                                           int column, const char *format, ...)
{
    char text[PROBLEM_DETAIL_MAX / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct problem *problem = checker->root->problem;
    const struct json_node array = {NULL, checker->root, member, 0, problem};
    const struct json_node element = {NULL, &array, NULL, row, problem};
    const struct json_node part = {NULL, &element, NULL, (size_t)column, problem};
    json_node_fault(column < 0 ? &element : &part, PROBLEM_INVALID_ARGUMENT, "%s", text);
}

/* A product of two numbers asked for must be within the limit of elements. */
static void check_product(const struct checker *checker, const char *member, size_t a, size_t b,
                          const char *what)
{
    const struct json_node node = {NULL, checker->root, member, 0, checker->root->problem};
    if (a && b > checker->limits->compute_elements / a)
        json_node_over(&node, checker->limits, LIMIT_compute_elements, what);
}

/* ---- arrays against each other ---- */

static void check_length(const struct checker *checker, const char *member,
                         const struct compute_array *array, size_t rows, const char *of)
{
    if (array->present && array->rows != rows)
        fault(checker, member, "has %zu elements where %s has %zu", array->rows, of, rows);
}

static void check_segments(const struct checker *checker, const struct compute_array *array)
{
    const uint32_t size = checker->request->segment_size;
    if (size && array->rows % size)
        fault(checker, "segment_size", "is %" PRIu32 ", which does not divide the %zu elements",
              size, array->rows);
}

/* Every u32 of the array is below `end`. */
static void check_indices(const struct checker *checker, const char *member,
                          const struct compute_array *array, size_t end)
{
    const uint32_t *indices = array->data;
    const bool is_pairs = array->columns > 1;
    for (size_t i = 0; i < array->rows * array->columns; i++) {
        if (indices[i] < end)
            continue;
        fault_at(checker, member, i / array->columns, is_pairs ? (int)(i % array->columns) : -1,
                 "is %" PRIu32 ", and must be below %zu", indices[i], end);
        if (json_node_full(checker->root))
            return;
    }
}

/* Element i as a number. */
static double number_at(const struct compute_array *array, size_t i)
{
    switch (array->kind) {
    case COMPUTE_U32:
        return ((const uint32_t *)array->data)[i];
    case COMPUTE_I32:
        return ((const int32_t *)array->data)[i];
    case COMPUTE_F32:
        return (double)((const float *)array->data)[i];
    case COMPUTE_U64:
        return (double)((const uint64_t *)array->data)[i];
    case COMPUTE_I64:
    case COMPUTE_F64:
        break;
    }
    return 0;
}

/* A 32-bit element as a u32 in the order of the device's sort, which for floats is that of their
 * bits: -0 before +0, NaN at the ends. */
static uint32_t order_at(const struct compute_array *array, size_t i)
{
    const uint32_t sign = UINT32_C(1) << 31;
    uint32_t bits;
    memcpy(&bits, (const char *)array->data + i * sizeof bits, sizeof bits);
    if (array->kind == COMPUTE_F32)
        return bits & sign ? ~bits : bits | sign;
    return array->kind == COMPUTE_I32 ? bits ^ sign : bits;
}

/* ---- operations ---- */

static void check_unique(const struct checker *checker)
{
    const struct compute_array *values = &checker->request->values;
    for (size_t i = 1; i < values->rows; i++) {
        if (order_at(values, i - 1) <= order_at(values, i))
            continue;
        fault_at(checker, "values", i, -1,
                 "is less than the element before it: the values must be sorted");
        return;
    }
}

static void check_bin(const struct checker *checker)
{
    const struct compute_array *edges = &checker->request->edges;
    const struct compute_array *intervals = &checker->request->intervals;
    if (edges->present == intervals->present) {
        fault(checker, edges->present ? "intervals" : "edges",
              edges->present ? "cannot be there together with edges" : "is required, or intervals");
        return;
    }
    if (edges->present && edges->rows < 2)
        fault(checker, "edges", "has %zu elements: a bin needs two", edges->rows);
    for (size_t i = 1; edges->present && i < edges->rows; i++) {
        if (number_at(edges, i - 1) <= number_at(edges, i))
            continue;
        fault_at(checker, "edges", i, -1, "is less than the edge before it");
        return;
    }
    for (size_t i = 0; intervals->present && i < intervals->rows; i++) {
        if (number_at(intervals, 2 * i) <= number_at(intervals, 2 * i + 1))
            continue;
        fault_at(checker, "intervals", i, -1, "ends before it begins");
        return;
    }
}

static void check_sample_bound(const struct checker *checker, const char *member,
                               const struct compute_array *bound)
{
    const struct compute_request *request = checker->request;
    if (!bound->present)
        return;
    if (request->distribution == COMPUTE_NORMAL)
        fault(checker, member, "has no meaning for a normal distribution");
    if (bound->rows != 1 && bound->rows != request->dimension)
        fault(checker, member, "must be a number or have %" PRIu32 " of them, not %zu",
              request->dimension, bound->rows);
}

static void check_sample(const struct checker *checker)
{
    const struct compute_request *request = checker->request;
    const struct compute_array *lower = &request->lower, *upper = &request->upper;
    const unsigned faults = checker->root->problem->fault_count;
    check_product(checker, "count", request->count, request->dimension, "numbers");
    check_sample_bound(checker, "min", lower);
    check_sample_bound(checker, "max", upper);
    if (checker->root->problem->fault_count != faults || (!lower->present && !upper->present))
        return;
    for (uint32_t d = 0; d < request->dimension; d++) {
        const double low = lower->present ? number_at(lower, lower->rows > 1 ? d : 0) : 0;
        const double high = upper->present ? number_at(upper, upper->rows > 1 ? d : 0) : 1;
        if (low <= high)
            continue;
        fault(checker, upper->present ? "max" : "min", "leaves no range: it is from %g to %g", low,
              high);
        return;
    }
}

static void check_knn(const struct checker *checker)
{
    const struct compute_request *request = checker->request;
    const struct compute_array *points = &request->points, *queries = &request->queries;
    const struct compute_array *weights = &request->weights;
    if (queries->present && queries->rows && points->rows && queries->columns != points->columns)
        fault(checker, "queries", "has rows of %zu numbers where points has rows of %zu",
              queries->columns, points->columns);
    if (points->rows)
        check_length(checker, "weights", weights, points->columns, "a point");
    for (size_t i = 0; weights->present && i < weights->rows; i++)
        if (!(number_at(weights, i) > 0))
            fault_at(checker, "weights", i, -1, "must be greater than 0");
    if (points->rows && request->projections > points->columns)
        fault(checker, "projections", "is %" PRIu32 ", more than the points' %zu dimensions",
              request->projections, points->columns);
    check_product(checker, "k", queries->present ? queries->rows : points->rows, request->k,
                  "neighbors in all");
}

static void check_bfs(const struct checker *checker)
{
    struct compute_request *request = checker->request;
    const struct compute_array *weights = &request->weights;
    check_indices(checker, "edges", &request->edges, request->vertices);
    check_indices(checker, "sources", &request->sources, request->vertices);
    check_length(checker, "weights", weights, request->edges.rows, "edges");
    for (size_t i = 0; weights->present && i < weights->rows && !json_node_full(checker->root); i++)
        if (!(number_at(weights, i) >= 0))
            fault_at(checker, "weights", i, -1, "must not be negative");
    check_product(checker, "sources", request->sources.rows, request->vertices,
                  "levels in all (sources times vertices)");

    if (request->objective == COMPUTE_LENGTH && !weights->present)
        fault(checker, "weights", "is required for the objective length");
    if (request->objective == COMPUTE_OBJECTIVE_NONE)
        request->objective = weights->present ? COMPUTE_LENGTH : COMPUTE_HOPS;
}

void compute_check(struct compute_request *request, const struct json_node *root,
                   const struct limits *limits)
{
    const struct checker checker = {request, root, limits};
    switch (request->op) {
    case COMPUTE_COMPACT:
        check_length(&checker, "flags", &request->flags, request->values.rows, "values");
        check_segments(&checker, &request->values);
        break;
    case COMPUTE_SCAN:
        check_segments(&checker, &request->values);
        break;
    case COMPUTE_UNIQUE:
        check_unique(&checker);
        break;
    case COMPUTE_BIN:
        check_bin(&checker);
        break;
    case COMPUTE_HISTOGRAM:
        if (!(request->min < request->max))
            fault(&checker, "max", "must be greater than min");
        break;
    case COMPUTE_SORT:
        check_length(&checker, "values", &request->values, request->keys.rows, "keys");
        check_segments(&checker, &request->keys);
        break;
    case COMPUTE_RANK:
        check_indices(&checker, "next", &request->next, request->next.rows);
        break;
    case COMPUTE_HASH:
        check_length(&checker, "values", &request->values, request->keys.rows, "keys");
        break;
    case COMPUTE_SAMPLE:
        check_sample(&checker);
        break;
    case COMPUTE_KNN:
        check_knn(&checker);
        break;
    case COMPUTE_BFS:
        check_bfs(&checker);
        break;
    case COMPUTE_REPEATS:
    case COMPUTE_SPLIT:
    case COMPUTE_OP_COUNT:
        break;
    }
}

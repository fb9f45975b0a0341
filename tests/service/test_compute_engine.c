/* Goal: every operation of /v1/compute answers right over the real engine, empty, of one element
 * and of a thousand, with each of its options; faults name what is wrong. Method: random requests
 * in JSON, in-process. Oracle: a serial loop an operation; the published vectors. */
#include "harness.h"

#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 3, COUNT_MAX = 1000, BODY_BYTES = 1 << 18 };
static const size_t SIZE[SIZES] = {0, 1, COUNT_MAX};

static struct service *service;
static char body[BODY_BYTES];

static int setup(void **state)
{
    (void)state;
    service = harness_open(NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    service_close(service);
    return 0;
}

/* ---- requests and answers ---- */

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Appends to the body; the first piece begins with '{'. */
static void put(const char *format, ...)
{
    va_list arguments;
    const size_t length = *format == '{' ? 0 : strlen(body);
    va_start(arguments, format);
    vsnprintf(body + length, BODY_BYTES - length, format, arguments);
    va_end(arguments);
}

static void put_list(const char *name, const double *values, size_t count)
{
    put(",\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        put(i ? ",%.9g" : "%.9g", values[i]);
    put("]");
}

static void put_rows(const char *name, const double *values, size_t rows, size_t columns)
{
    put(",\"%s\":[", name);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            put("%s%.9g%s",
                c   ? ","
                : r ? ",["
                    : "[",
                values[r * columns + c], c + 1 == columns ? "]" : "");
    put("]");
}

/* Sends the body, closed. */
static struct exchange *compute(const char *op)
{
    put("}");
    return SEND(service, 200, .route = ROUTE_COMPUTE, .name = op, .body = body);
}

static const struct document_value *member(const struct exchange *answer, const char *pointer)
{
    return document_at(document_root(answer->document), pointer);
}

/* A list of the answer is as expected; NaN: null. */
static void expect(const struct exchange *answer, const char *pointer, const double *expected,
                   size_t count)
{
    const struct document_value *list = member(answer, pointer);
    if (document_length(list) != count)
        fail_msg("%s has %zu elements, not %zu", pointer, document_length(list), count);
    for (size_t i = 0; i < count; i++) {
        const double got = document_number(document_element(list, i), "", NAN);
        if (got != expected[i] && !(isnan(got) && isnan(expected[i])))
            fail_msg("%s[%zu] is %.9g, not %.9g", pointer, i, got, expected[i]);
    }
}

static void expect_number(const struct exchange *answer, const char *pointer, double expected)
{
    if (harness_number(answer, pointer) != expected)
        fail_msg("%s is %.9g, not %.9g", pointer, harness_number(answer, pointer), expected);
}

static void expect_fault(const char *op, const char *text, const char *code, const char *pointer,
                         const char *detail)
{
    struct exchange *refused = SEND(service, 422, .route = ROUTE_COMPUTE, .name = op, .body = text);
    assert_string_equal(harness_string(refused, "/code"), code);
    assert_string_equal(harness_string(refused, "/pointer"), pointer);
    if (!strstr(harness_string(refused, "/detail"), detail))
        fail_msg("%s: \"%s\" does not say \"%s\"", op, harness_string(refused, "/detail"), detail);
    harness_free(refused);
}

/* Whole numbers of [low, low + bound). */
static double *values_of(size_t count, uint32_t bound, double low, uint64_t seed)
{
    struct test_random random = {seed};
    double *values = malloc((count + 1) * sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = low + test_random_below(&random, bound);
    return values;
}

/* ---- lists ---- */

static void scans(void **state)
{
    (void)state;
    static const char *const methods[] = {"auto", "blelloch", "hillis-steele"};
    double sums[COUNT_MAX];
    for (size_t s = 0; s < SIZES; s++) {
        for (unsigned variant = 0; variant < 8; variant++) {
            const size_t n = SIZE[s], segment = variant & 1 ? (n > 1 ? 8 : 1) : 0;
            const bool exclusive = !(variant & 2), is_signed = variant & 4;
            double *values = values_of(n, 100, is_signed ? -50 : 0, n + variant), total = 0;
            for (size_t i = 0; i < n; i++) {
                const bool first = i == 0 || (segment && i % segment == 0);
                sums[i] = first ? 0 : sums[i - 1];
                if (exclusive)
                    sums[i] += first ? 0 : values[i - 1];
                else
                    sums[i] += values[i];
                total += values[i];
            }
            put("{\"exclusive\":%s,\"method\":\"%s\",\"type\":\"%s\"", exclusive ? "true" : "false",
                methods[variant % 3], is_signed ? "i32" : "u32");
            if (segment)
                put(",\"segment_size\":%zu", segment);
            put_list("values", values, n);
            struct exchange *answer = compute("scan");
            expect(answer, "/values", sums, n);
            expect_number(answer, "/total", total);
            harness_free(answer);
            free(values);
        }
    }

    // sums wrap, the total does not
    put("{\"values\":[4294967295,2,3]");
    struct exchange *wrapped = compute("scan");
    expect(wrapped, "/values", (const double[]){0, 4294967295.0, 1}, 3);
    expect_number(wrapped, "/total", 4294967300.0);
    harness_free(wrapped);
}

static void compactions(void **state)
{
    (void)state;
    enum { SEGMENT = 8 };
    for (size_t s = 0; s < SIZES; s++) {
        for (unsigned segmented = 0; segmented < 2; segmented++) {
            const size_t n = SIZE[s], segment = n > 1 ? SEGMENT : 1;
            double *values = values_of(n, 1000, -500, 1), *flags = values_of(n, 2, 0, 2);
            double kept[COUNT_MAX], indices[COUNT_MAX], counts[COUNT_MAX] = {0};
            size_t count = 0;
            for (size_t i = 0; i < n; i++) {
                counts[i / segment] += flags[i];
                if (flags[i] == 0)
                    continue;
                kept[count] = values[i] / 2;
                indices[count++] = (double)i;
            }
            for (size_t i = 0; i < n; i++)
                values[i] /= 2;
            put("{\"type\":\"f32\"");
            if (segmented)
                put(",\"segment_size\":%zu", segment);
            put_list("values", values, n);
            put_list("flags", flags, n);
            struct exchange *answer = compute("compact");
            expect(answer, "/values", kept, count);
            expect(answer, "/indices", indices, count);
            if (segmented)
                expect(answer, "/count", counts, n / segment);
            else
                expect_number(answer, "/count", (double)count);
            harness_free(answer);
            free(values);
            free(flags);
        }
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void repeats_and_runs(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        const size_t n = SIZE[s];
        double *values = values_of(n, 300, -100, 3);
        double repeats[COUNT_MAX], unique[COUNT_MAX], start[COUNT_MAX], length[COUNT_MAX];
        size_t repeat_count = 0, runs = 0;
        qsort(values, n, sizeof(*values), compare);
        for (size_t i = 0; i < n; i++) {
            if (i + 1 < n && values[i] == values[i + 1])
                repeats[repeat_count++] = (double)i;
            if (i == 0 || values[i] != values[i - 1]) {
                unique[runs] = values[i];
                start[runs] = (double)i;
                length[runs++] = 0;
            }
            length[runs - 1]++;
        }
        put("{\"type\":\"i32\"");
        put_list("values", values, n);
        struct exchange *answer = compute("repeats");
        expect(answer, "/indices", repeats, repeat_count);
        harness_free(answer);
        put("{\"type\":\"i32\"");
        put_list("values", values, n);
        answer = compute("unique");
        expect(answer, "/values", unique, runs);
        expect(answer, "/start", start, runs);
        expect(answer, "/count", length, runs);
        harness_free(answer);
        free(values);
    }
}

static void splits(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        const size_t n = SIZE[s];
        double *values = values_of(n, 1000, 0, 4), out[COUNT_MAX], places[COUNT_MAX];
        size_t place = 0, zeros = 0;
        for (unsigned ones = 0; ones < 2; ones++) {
            for (size_t i = 0; i < n; i++) {
                if (((uint32_t)values[i] >> 3 & 1) != ones)
                    continue;
                out[place] = values[i];
                places[i] = (double)place++;
            }
            zeros = ones ? zeros : place;
        }
        put("{\"bit\":3");
        put_list("values", values, n);
        struct exchange *answer = compute("split");
        expect(answer, "/values", out, n);
        expect(answer, "/permutation", places, n);
        expect_number(answer, "/zeros", (double)zeros);
        harness_free(answer);
        free(values);
    }
}

/* Members of [bounds[stride b], bounds[stride b + 1]). */
static void check_bins(const char *name, const double *bounds, size_t stride, size_t bins, size_t n)
{
    double *values = values_of(n, 60, -5, n + bins), offsets[COUNT_MAX];
    double *members = malloc((n * bins + 1) * sizeof(*members));
    size_t count = 0;
    for (size_t b = 0; b < bins; b++) {
        offsets[b] = (double)count;
        for (size_t i = 0; i < n; i++)
            if (values[i] >= bounds[stride * b] && values[i] < bounds[stride * b + 1])
                members[count++] = (double)i;
    }
    offsets[bins] = (double)count;
    put("{\"type\":\"i32\"");
    put_list("values", values, n);
    if (stride == 1)
        put_list(name, bounds, bins + 1);
    else
        put_rows(name, bounds, bins, 2);
    struct exchange *answer = compute("bin");
    expect(answer, "/offsets", offsets, bins + 1);
    expect(answer, "/members", members, count);
    harness_free(answer);
    free(values);
    free(members);
}

static void bins(void **state)
{
    (void)state;
    static const double edges[] = {-3, 0, 0, 7, 50}, intervals[] = {0, 10, -20, 100, 5, 5, 3, 8};
    for (size_t s = 0; s < SIZES; s++) {
        check_bins("edges", edges, 1, 4, SIZE[s]);
        check_bins("intervals", intervals, 2, 4, SIZE[s]);
        check_bins("intervals", intervals, 2, 0, SIZE[s]);
    }
}

static void histograms(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        double low, scale, min, max;
        uint32_t bins;
    } rows[] = {{"u32", 0, 1, 10, 90, 7},
                {"u32", 0, 1, -5, 1e12, 3},
                {"i32", -50, 1, -20.5, 20.5, 4},
                {"i32", -50, 1, -1e10, 1e10, 2},
                {"i32", -50, 1, -50, 49, 99},
                {"f32", -50, 0.25, -10, 10, 16},
                {"u32", 4294967195.0, 1, 4294967200.0, 4294967295.0, 5}};
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        for (size_t s = 0; s < SIZES; s++) {
            const size_t n = SIZE[s];
            const double min = rows[r].min, max = rows[r].max;
            double *values = values_of(n, 100, rows[r].low, n), counts[100] = {0}, out[2] = {0};
            for (size_t i = 0; i < n; i++) {
                values[i] *= rows[r].scale;
                const double place = floor((values[i] - min) * rows[r].bins / (max - min));
                if (values[i] < min)
                    out[0]++;
                else if (values[i] > max)
                    out[1]++;
                else
                    counts[place < rows[r].bins ? (size_t)place : rows[r].bins - 1u]++;
            }
            put("{\"type\":\"%s\",\"bins\":%u,\"min\":%.17g,\"max\":%.17g", rows[r].type,
                rows[r].bins, min, max);
            // ten digits keep these
            put(",\"values\":[");
            for (size_t i = 0; i < n; i++)
                put(i ? ",%.12g" : "%.12g", values[i]);
            put("]");
            struct exchange *answer = compute("histogram");
            expect(answer, "/counts", counts, rows[r].bins);
            expect_number(answer, "/below", out[0]);
            expect_number(answer, "/above", out[1]);
            harness_free(answer);
            free(values);
        }
    }
}

/* ---- sorts ---- */

struct key {
    double key;
    size_t place;
};

static int by_key(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    const int order = compare(&x->key, &y->key);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static void check_sort(const char *type, double low, double scale, size_t n, bool descending,
                       bool segmented)
{
    const size_t segment = !segmented ? n : n > 1 ? 125 : 1;
    double *keys = values_of(n, 500, low, n), out[COUNT_MAX], to[COUNT_MAX], from[COUNT_MAX];
    double values[COUNT_MAX], moved[COUNT_MAX];
    struct key order[COUNT_MAX];
    for (size_t i = 0; i < n; i++) {
        keys[i] *= scale;
        values[i] = 3 * (double)i;
        order[i] = (struct key){descending ? -keys[i] : keys[i], i};
    }
    for (size_t at = 0; at < n; at += segment)
        qsort(order + at, segment, sizeof(*order), by_key);
    for (size_t j = 0; j < n; j++) {
        out[j] = keys[order[j].place];
        moved[j] = values[order[j].place];
        from[j] = (double)order[j].place;
        to[order[j].place] = (double)j;
    }
    put("{\"type\":\"%s\",\"descending\":%s,\"bits_per_pass\":5", type,
        descending ? "true" : "false");
    if (segmented)
        put(",\"segment_size\":%zu", segment);
    put(",\"keys\":[");
    for (size_t i = 0; i < n; i++)
        put(i ? ",%.17g" : "%.17g", keys[i]);
    put("]");
    put_list("values", values, n);
    struct exchange *answer = compute("sort");
    expect(answer, "/keys", out, n);
    expect(answer, "/values", moved, n);
    expect(answer, "/permutation", to, n);
    expect(answer, "/inverse_permutation", from, n);
    harness_free(answer);
    free(keys);
}

static void sorts(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        double low, scale;
    } rows[] = {{"u32", 4294966000.0, 1},
                {"i32", -250, 1},
                {"f32", -250, 0.5},
                {"u64", 0, 1099511627777.0}};
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
        for (size_t s = 0; s < SIZES; s++)
            for (unsigned variant = 0; variant < 4; variant++)
                check_sort(rows[r].type, rows[r].low, rows[r].scale, SIZE[s], variant & 1,
                           variant & 2);
}

static void ranks(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        // a list through all elements, in steps that have no divisor in common with n
        const size_t n = SIZE[s];
        double next[COUNT_MAX], rank[COUNT_MAX];
        for (size_t i = 0; i < n; i++) {
            next[i * 7 % n] = (double)((i + 1 < n ? i + 1 : i) * 7 % n);
            rank[i * 7 % n] = (double)(n - 1 - i);
        }
        put("{\"type\":\"u32\"");
        put_list("next", next, n);
        struct exchange *answer = compute("rank");
        expect(answer, "/rank", rank, n);
        expect_number(answer, "/rounds", n > 1 ? 10 : 0);
        harness_free(answer);
    }
    expect_fault("rank", "{\"next\":[1,2,1,3]}", "invalid_argument", "/next/0", "element 0");
    expect_fault("rank", "{\"next\":[0,7]}", "invalid_argument", "/next/1", "7");
}

static void hashes(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        const size_t n = SIZE[s];
        double keys[COUNT_MAX], values[COUNT_MAX], queries[COUNT_MAX], found[COUNT_MAX];
        for (size_t i = 0; i < n; i++) {
            keys[i] = i == 0 ? 4294967295.0 : (double)(i * 2654435761u % 4294967291u);
            values[i] = i == 0 ? -1 : (double)i - 500;
            queries[i] = i % 3 == 2 ? keys[i] + 1 : keys[i];
            found[i] = i % 3 == 2 ? NAN : values[i];
        }
        put("{\"type\":\"i32\",\"seed\":5");
        put(",\"keys\":[");
        for (size_t i = 0; i < n; i++)
            put(i ? ",%.0f" : "%.0f", keys[i]);
        put("],\"queries\":[");
        for (size_t i = 0; i < n; i++)
            put(i ? ",%.0f" : "%.0f", queries[i]);
        put("]");
        put_list("values", values, n);
        struct exchange *answer = compute("hash");
        expect(answer, "/values", found, n);
        assert_true(harness_number(answer, "/attempts") <= 1);
        harness_free(answer);
    }
    expect_fault("hash", "{\"keys\":[4,9,4],\"values\":[1,2,3],\"queries\":[]}", "invalid_argument",
                 "/keys/2", "positions 0 and 2");

    // a set
    put("{\"keys\":[7,5,4294967295],\"queries\":[5,6,4294967295,7],\"values\":null");
    const double places[] = {1, NAN, 2, 0};
    struct exchange *answer = compute("hash");
    expect(answer, "/values", places, 4);
    harness_free(answer);
}

static void samples(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        for (unsigned halton = 0; halton < 2; halton++) {
            put("{\"count\":%zu,\"dimension\":2,\"seed\":0,\"distribution\":\"%s\",\"min\":[-1,5],"
                "\"max\":[1,5]",
                SIZE[s], halton ? "halton" : "uniform");
            struct exchange *answer = compute("sample");
            const struct document_value *rows = member(answer, "/values");
            double mean = 0;
            assert_int_equal(document_length(rows), SIZE[s]);
            for (size_t i = 0; i < SIZE[s]; i++) {
                const struct document_value *row = document_element(rows, i);
                const double x = document_number(document_element(row, 0), "", NAN);
                assert_true(x >= -1 && x < 1);
                assert_true(document_number(document_element(row, 1), "", NAN) == 5);
                mean += x / (double)SIZE[s];
            }
            // four standard deviations of a mean of so many
            assert_true(SIZE[s] < COUNT_MAX || fabs(mean) < 0.08);
            if (halton && SIZE[s] == COUNT_MAX)
                assert_true(
                    document_number(document_element(document_element(rows, 0), 0), "", NAN) == 0);
            harness_free(answer);
        }
    }
}

/* ---- neighbours and graphs ---- */

/* Brute force: ascending by distance, then index; returns how many there are. */
static size_t nearest(const double *points, size_t n, const double *query, size_t self,
                      const double *weights, double radius, size_t k, struct key *out)
{
    struct key all[COUNT_MAX];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t c = 0; c < 3; c++)
            sum += pow(weights[c] * (points[3 * i + c] - query[c]), 2);
        if (i != self && (radius == 0 || sum <= radius * radius))
            all[count++] = (struct key){sqrt(sum), i};
    }
    qsort(all, count, sizeof(*all), by_key);
    count = count < k ? count : k;
    memcpy(out, all, count * sizeof(*out));
    return count;
}

static void check_neighbors(size_t n, const char *method, bool foreign, double radius)
{
    enum { K = 5, QUERIES = 40 };
    static const double weights[] = {1, 2, 0.5};
    // whole numbers: distances are exact, ties are many
    double *points = values_of(3 * n, 30, -10, n), *queries = values_of(3 * QUERIES, 40, -15, 9);
    const size_t lists = foreign ? QUERIES : n;
    struct key expected[K];
    put("{\"k\":%d,\"method\":\"%s\",\"weights\":[1,2,0.5]", K, method);
    if (radius > 0)
        put(",\"radius\":%g", radius);
    put_rows("points", points, n, 3);
    if (foreign)
        put_rows("queries", queries, QUERIES, 3);
    struct exchange *answer = compute("knn");
    const struct document_value *indices = member(answer, "/indices");
    const struct document_value *distances = member(answer, "/distances");
    assert_int_equal(document_length(indices), lists);
    const bool exact = strcmp(method, "exact") == 0;
    const double recall = harness_number(answer, "/recall");
    assert_true(exact ? recall == 1 : recall > 0.5 && recall <= 1);
    for (size_t i = 0; exact && i < lists; i++) {
        const size_t count = nearest(points, n, foreign ? queries + 3 * i : points + 3 * i,
                                     foreign ? SIZE_MAX : i, weights, radius, K, expected);
        assert_int_equal(document_length(document_element(indices, i)), count);
        assert_int_equal(document_length(document_element(distances, i)), count);
        for (size_t j = 0; j < count; j++) {
            const struct document_value *index = document_element(document_element(indices, i), j);
            const double distance =
                document_number(document_element(document_element(distances, i), j), "", NAN);
            assert_int_equal(document_number(index, "", NAN), expected[j].place);
            assert_true(fabs(distance - expected[j].key) <= 1e-6 * expected[j].key);
        }
    }
    harness_free(answer);
    free(points);
    free(queries);
}

static void neighbors(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        check_neighbors(SIZE[s], "exact", false, 0);
        check_neighbors(SIZE[s], "exact", true, 0);
        check_neighbors(SIZE[s], "exact", false, 4);
        check_neighbors(SIZE[s], "auto", true, 4);
        check_neighbors(SIZE[s], "lsh", false, 0);
        check_neighbors(SIZE[s], "lsh", true, 0);
    }
}

/* Levels or costs from one source by relaxing all edges until nothing moves. */
static void relax(size_t vertices, const double *edges, const double *weights, size_t count,
                  size_t source, double *costs)
{
    for (size_t v = 0; v < vertices; v++)
        costs[v] = v == source ? 0 : INFINITY;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t a = 0; a < 2 * count; a++) {
            const double cost = costs[(size_t)edges[a]] + (weights ? weights[a / 2] : 1);
            double *to = &costs[(size_t)edges[a ^ 1]];
            moved |= cost < *to;
            *to = fmin(*to, cost);
        }
    }
}

static void check_graph(size_t vertices, bool weighted)
{
    enum { SOURCES = 3 };
    const size_t count = vertices * 3 / 4;
    double *edges = values_of(2 * count, (uint32_t)vertices, 0, 11);
    double *weights = values_of(count, 10, 0, 12), costs[COUNT_MAX];
    double *sources = values_of(SOURCES, (uint32_t)vertices, 0, 13);
    const size_t asked = vertices ? SOURCES : 0;
    put("{\"vertices\":%zu", vertices);
    put_rows("edges", edges, count, 2);
    put_list("sources", sources, asked);
    if (weighted)
        put_list("weights", weights, count);
    struct exchange *answer = compute("bfs");
    const struct document_value *values = member(answer, weighted ? "/costs" : "/levels");
    assert_int_equal(document_length(values), asked);
    for (size_t s = 0; s < asked; s++) {
        const struct document_value *row = document_element(values, s);
        const struct document_value *parents = document_element(member(answer, "/parents"), s);
        relax(vertices, edges, weighted ? weights : NULL, count, (size_t)sources[s], costs);
        assert_int_equal(document_length(row), vertices);
        for (size_t v = 0; v < vertices; v++) {
            const double cost = document_number(document_element(row, v), "", INFINITY);
            const double parent = document_number(document_element(parents, v), "", NAN);
            assert_true(cost == costs[v]);
            assert_true(isnan(parent) == isinf(cost));
            assert_true((v == (size_t)sources[s]) == (parent == (double)v));
            assert_true(isnan(parent) || costs[(size_t)parent] <= cost);
        }
    }
    harness_free(answer);
    free(edges);
    free(weights);
    free(sources);
}

static void graphs(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        check_graph(SIZE[s], false);
        check_graph(SIZE[s], true);
    }
}

static void faults_name_the_element(void **state)
{
    (void)state;
    expect_fault("unique", "{\"values\":[1,3,2]}", "invalid_argument", "/values/2", "sorted");
    expect_fault("histogram", "{\"values\":[1],\"bins\":-1,\"min\":0,\"max\":1}",
                 "invalid_argument", "/bins", "");
    expect_fault("bfs", "{\"vertices\":2,\"edges\":[[0,2]],\"sources\":[]}", "invalid_argument",
                 "/edges/0/1", "2");
    expect_fault("scan", "{\"values\":[1,\"a\"]}", "invalid_argument", "/values/1", "");
    expect_fault("bin", "{\"values\":[1],\"edges\":[1,0]}", "invalid_argument", "/edges/1", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans),
        cmocka_unit_test(compactions),
        cmocka_unit_test(repeats_and_runs),
        cmocka_unit_test(splits),
        cmocka_unit_test(bins),
        cmocka_unit_test(histograms),
        cmocka_unit_test(sorts),
        cmocka_unit_test(ranks),
        cmocka_unit_test(hashes),
        cmocka_unit_test(samples),
        cmocka_unit_test(neighbors),
        cmocka_unit_test(graphs),
        cmocka_unit_test(faults_name_the_element),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

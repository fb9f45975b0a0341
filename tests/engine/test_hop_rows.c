/* Goal: rows of numbers of edges are right, in quanta where a graph is deep, none where it is too
 * deep. Method: random graphs of several parts, of no edges, and lines that are deeper than an
 * entry; landmarks in all parts, one of them twice. Oracle: a serial breadth-first search a
 * landmark. */
#include "graph_fixture.h"
#include "kernels/hop_types.h"
#include "roadmap/search/hop_rows.h"
#include "support/support.h"

#include <stdlib.h>

struct graph_shape {
    const char *name;
    uint32_t vertices, degree, parts; /* degree 0: a line */
    uint32_t shift;
    bool too_deep;
};

static const struct graph_shape SHAPES[] = {
    {"a vertex", 1, 0, 1, 0, false},
    {"two", 2, 0, 1, 0, false},
    {"no edges", 65, 1, 65, 0, false},
    {"a part", 1009, 4, 1, 0, false},
    {"parts", 3000, 3, 7, 0, false},
    {"a byte says all", 200, 0, 1, 0, false},
    {"the quantum doubles", 300, 0, 1, 1, false},
    {"twice", 600, 0, 1, 2, false},
    {"too deep", 1100, 0, 1, 2, true},
};

/* The vertices' neighbours: a line's, or some near in index in the same part. */
static void fixture_init(struct graph_fixture *f, const struct graph_shape *shape)
{
    struct test_random random = {shape->vertices};
    const uint32_t n = shape->vertices;
    uint32_t(*edges)[3] = calloc((size_t)n * (shape->degree + 1), sizeof(*edges));
    uint32_t count = 0;

    for (uint32_t v = 0; v < n; v++) {
        for (uint32_t d = 0; d < (shape->degree > 0 ? shape->degree : 1); d++) {
            const uint32_t u = v + 1 + (shape->degree > 0 ? test_random_below(&random, 30) : 0);
            if (u >= n || (uint64_t)v * shape->parts / n != (uint64_t)u * shape->parts / n)
                continue;
            edges[count][0] = v;
            edges[count][1] = u;
            edges[count++][2] = 7;
        }
    }
    graph_fixture_init(f, n, edges, count);
    free(edges);
}

/* Edges from `source` to all; NONE_U32 out of reach. */
static void oracle(const struct graph_fixture *f, uint32_t *edges, uint32_t *queue, uint32_t source)
{
    uint32_t tail = 1;
    for (uint32_t v = 0; v < f->vertex_count; v++)
        edges[v] = NONE_U32;
    edges[source] = 0;
    queue[0] = source;
    for (uint32_t head = 0; head < tail; head++) {
        const uint32_t v = queue[head];
        for (uint32_t i = f->offsets[v]; i < f->offsets[v + 1]; i++) {
            if (edges[f->arcs[i].target] != NONE_U32)
                continue;
            edges[f->arcs[i].target] = edges[v] + 1;
            queue[tail++] = f->arcs[i].target;
        }
    }
}

/* Landmarks all over the vertices; the last is the first, and the first of all a line's end. */
static uint32_t landmark(const struct graph_fixture *f, uint32_t l, uint32_t count)
{
    return l + 1 == count ? 0 : (uint32_t)((uint64_t)l * f->vertex_count / count);
}

static void check(const struct graph_shape *shape, uint32_t count)
{
    struct graph_fixture f;
    struct prm_hop_rows *rows;
    fixture_init(&f, shape);
    uint32_t *landmarks = calloc(count, sizeof(uint32_t));
    for (uint32_t l = 0; l < count; l++)
        landmarks[l] = landmark(&f, l, count);
    struct prm_buffer device = test_upload(landmarks, count * sizeof(uint32_t));

    assert_ok(prm_hop_rows_create(test_context, &rows, &f.graph, device, count));
    for (bool done = false; !done;)
        assert_ok(prm_hop_rows_step(rows, &done));
    assert_null(rows->work);
    assert_int_equal(rows->too_deep, shape->too_deep);
    assert_int_equal(rows->shift, shape->shift);

    const size_t entries = (size_t)f.vertex_count * count;
    uint8_t *table = malloc(entries);
    uint32_t *edges = calloc(2 * (size_t)f.vertex_count, sizeof(uint32_t));
    assert_ok(prm_buffer_read(test_context, rows->table, 0, table, entries));
    for (uint32_t l = 0; l < count && !shape->too_deep; l++) {
        oracle(&f, edges, edges + f.vertex_count, landmarks[l]);
        for (uint32_t v = 0; v < f.vertex_count; v++) {
            const uint32_t expected = edges[v] == NONE_U32 ? HOP_FAR : edges[v] >> shape->shift;
            if (table[(size_t)v * count + l] != expected)
                fail_msg("%s: vertex %u, landmark %u of %u: %u, expected %u", shape->name, v, l,
                         count, table[(size_t)v * count + l], expected);
        }
    }
    free(table);
    free(edges);
    free(landmarks);
    prm_buffer_destroy(test_context, &device);
    prm_hop_rows_destroy(rows);
    graph_fixture_deinit(&f);
}

static void rows_are_as_the_oracle_has_them(void **state)
{
    (void)state;
    // whole words of landmarks, parts of one, several
    static const uint32_t COUNTS[] = {16, 64, 80, 96};
    for (size_t i = 0; i < sizeof(SHAPES) / sizeof(SHAPES[0]); i++) {
        if (test_is_small() && SHAPES[i].vertices > 100)
            continue;
        for (size_t c = 0; c < sizeof(COUNTS) / sizeof(COUNTS[0]); c++)
            check(&SHAPES[i], COUNTS[c]);
    }
}

/* The k-th allocation or launch fails: the fault comes out, and nothing stays behind. */
static void faults_leave_nothing(void **state)
{
    (void)state;
    struct graph_fixture f;
    if (test_is_small())
        skip();

    fixture_init(&f, &SHAPES[6]);
    const uint32_t landmarks[16] = {0};
    struct prm_buffer device = test_upload(landmarks, sizeof(landmarks));
    for (uint32_t countdown = 1;; countdown++) {
        struct prm_hop_rows *rows;
        bool done = false;
        prm_context_inject_fault(test_context, countdown);
        enum prm_status status = prm_hop_rows_create(test_context, &rows, &f.graph, device, 16);
        while (status == PRM_OK && !done)
            status = prm_hop_rows_step(rows, &done);
        prm_context_inject_fault(test_context, 0);
        prm_hop_rows_destroy(rows);
        if (status == PRM_OK)
            break;
        assert_int_equal(status, PRM_DEVICE_FAILED);
        assert_true(countdown < 10000);
    }
    prm_buffer_destroy(test_context, &device);
    graph_fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_as_the_oracle_has_them),
        cmocka_unit_test(faults_leave_nothing),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

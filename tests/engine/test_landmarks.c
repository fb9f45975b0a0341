/* Goal: landmarks are the vertices they should be, their tables hold true distances, the bounds
 * they give are never above the truth, searches by them find the very paths that searches without
 * find, also where edges have gone since, and no fault leaves memory behind. Method: random graphs
 * in parts, lines, single vertices, weights of 0 and near 2^31. Oracle: serial shortest paths, and
 * the choice of landmarks written down once more. */
#include "graph_fixture.h"
#include "kernels/landmark_types.h"
#include "roadmap/search/landmarks.h"
#include "roadmap/search/search.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

/* What the product says of itself (landmarks.c): the greatest entry, and vertices to a landmark. */
enum { ENTRY_MAX = 60000, VERTICES_PER_LANDMARK = 4 };

struct graph_shape {
    const char *name;
    uint32_t vertices, degree, span, weight_max, parts;
    bool zero_weights; /* half of the edges */
};

static const struct graph_shape SHAPES[] = {
    {"one vertex", 1, 0, 1, 1, 1, false},
    {"two vertices", 2, 3, 1, 100, 1, false},
    {"no edges", 65, 0, 1, 1, 1, false},
    {"small parts", 130, 2, 9, 5000, 5, false},
    {"one vector of landmarks", 64, 3, 20, 1 << 20, 1, false},
    {"all vectors", 1009, 4, 40, 1 << 20, 2, false},
    {"weights of zero", 300, 3, 30, 3, 1, true},
    {"all weights zero", 90, 3, 10, 0, 1, true},
    {"nearly 31 bits", 500, 1, 1, 4 << 20, 1, false},
};
enum { SHAPE_COUNT = sizeof(SHAPES) / sizeof(SHAPES[0]), STRIDE_SMALL = 4 };

/* Edges to vertices near in index, none between parts; of which `kept` of a hundred stay. */
static void fixture_random(struct graph_fixture *f, const struct graph_shape *shape, uint32_t kept)
{
    struct test_random random = {shape->vertices};
    const uint32_t n = (uint32_t)test_size(shape->vertices, (shape->vertices - 1) % 71 + 1);
    uint32_t(*edges)[3] = calloc((size_t)n * shape->degree + 1, sizeof(*edges));
    uint32_t count = 0;

    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t d = 0; d < shape->degree; d++) {
            const uint32_t b = a + 1 + test_random_below(&random, shape->span);
            const uint32_t weight = test_random_below(&random, shape->weight_max + 1);
            const bool zero = test_random_below(&random, 2) && shape->zero_weights;
            const bool gone = test_random_below(&random, 100) >= kept;
            if (b >= n || gone || (uint64_t)a * shape->parts / n != (uint64_t)b * shape->parts / n)
                continue;
            edges[count][0] = a;
            edges[count][1] = b;
            edges[count++][2] = zero ? 0 : weight;
        }
    }
    graph_fixture_init(f, n, edges, count);
    free(edges);
}

/* ---- oracle ---- */

/* Distances from `source` by label correction; NONE_U32 out of reach. */
static void oracle_distances(const struct graph_fixture *f, uint32_t *distances, uint32_t source)
{
    const uint32_t n = f->vertex_count;
    uint32_t *queue = calloc(n, sizeof(uint32_t));
    uint8_t *queued = calloc(n, 1);
    uint32_t head = 0, waiting = 1;

    for (uint32_t v = 0; v < n; v++)
        distances[v] = NONE_U32;
    distances[source] = 0;
    queue[0] = source;
    while (waiting > 0) {
        const uint32_t v = queue[head];
        head = (head + 1) % n;
        waiting--;
        queued[v] = 0;
        for (uint32_t i = f->offsets[v]; i < f->offsets[v + 1]; i++) {
            const struct arc arc = f->arcs[i];
            const uint32_t through = distances[v] + (arc.weight > 0 ? arc.weight : 1);
            if (through >= distances[arc.target])
                continue;
            distances[arc.target] = through;
            if (!queued[arc.target]) {
                queue[(head + waiting++) % n] = arc.target;
                queued[arc.target] = 1;
            }
        }
    }
    free(queue);
    free(queued);
}

/* The vertex of the greatest gap, the lowest among equals; those out of reach do not count. */
static uint32_t oracle_farthest(const uint32_t *gaps, uint32_t n)
{
    uint32_t farthest = NONE_U32;
    for (uint32_t v = 0; v < n; v++)
        if (gaps[v] != NONE_U32 && (farthest == NONE_U32 || gaps[v] > gaps[farthest]))
            farthest = v;
    return farthest;
}

static uint16_t entry(uint32_t distance, uint32_t shift)
{
    const uint32_t quanta = distance >> shift;
    return distance == NONE_U32 || quanta > LANDMARK_FAR ? LANDMARK_FAR : (uint16_t)quanta;
}

static uint32_t least(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* A bound from two rows of a table. */
static uint64_t row_bound(const uint16_t *a, const uint16_t *b, uint32_t columns, uint32_t shift)
{
    uint64_t most = 0;
    for (uint32_t l = 0; l < columns; l++) {
        const uint64_t excess = a[l] > b[l] ? (uint64_t)(a[l] - b[l]) : (uint64_t)(b[l] - a[l]);
        most = excess > most ? excess : most;
    }
    return most > 1 ? (most - 1) << shift : 0;
}

/* How many landmarks are searched from at once, after the first. */
static uint32_t oracle_width(void)
{
    const struct prm_profile *profile = prm_context_profile(test_context);
    return profile->shape == PRM_SHAPE_GPU || profile->compute_units > LANDMARK_ROUND_MAX
               ? LANDMARK_ROUND_MAX
               : profile->compute_units;
}

/* The table, u16[V][columns], landmark by landmark. */
static uint16_t *oracle_table(const struct graph_fixture *f, uint32_t root, uint32_t columns,
                              uint32_t *shift)
{
    const uint32_t n = f->vertex_count, width = oracle_width();
    uint16_t *table = calloc((size_t)n * columns, sizeof(uint16_t));
    uint32_t *gaps = calloc(n, sizeof(uint32_t)), *chances = calloc(n, sizeof(uint32_t));
    uint32_t *distances = calloc((size_t)n * width, sizeof(uint32_t));
    uint32_t sources[LANDMARK_ROUND_MAX];

    oracle_distances(f, gaps, root);
    sources[0] = oracle_farthest(gaps, n);
    for (*shift = 0; (2 * (uint64_t)gaps[sources[0]]) >> *shift > ENTRY_MAX;)
        ++*shift;
    for (uint32_t column = 0, count; column < columns; column += count) {
        count = column == 0 ? 1 : least(width, columns - column);
        // the first has been chosen; the rest are far from it by what is known
        memcpy(chances, gaps, n * sizeof(uint32_t));
        for (uint32_t s = 1; s < count; s++) {
            for (uint32_t v = 0; v < n; v++)
                if (chances[v] != NONE_U32)
                    chances[v] =
                        least(chances[v],
                              row_bound(table + (size_t)v * columns,
                                        table + (size_t)sources[s - 1] * columns, columns, *shift));
            sources[s] = oracle_farthest(chances, n);
        }
        for (uint32_t s = 0; s < count; s++)
            oracle_distances(f, distances + (size_t)s * n, sources[s]);
        for (uint32_t v = 0; v < n; v++) {
            gaps[v] = column == 0 ? NONE_U32 : gaps[v];
            for (uint32_t s = 0; s < count; s++) {
                gaps[v] = least(gaps[v], distances[(size_t)s * n + v]);
                table[(size_t)v * columns + column + s] =
                    entry(distances[(size_t)s * n + v], *shift);
            }
        }
        sources[0] = oracle_farthest(gaps, n);
    }
    free(gaps);
    free(chances);
    free(distances);
    return table;
}

/* ---- tables ---- */

static struct prm_landmarks *make(const struct graph_fixture *f, uint32_t root)
{
    struct prm_landmarks *landmarks;
    assert_ok(prm_landmarks_create(test_context, &landmarks, &f->graph, root));
    for (bool done = false; !done;)
        assert_ok(prm_landmarks_step(landmarks, &done));
    assert_null(landmarks->work);
    return landmarks;
}

static uint16_t *download_table(const struct prm_landmarks *landmarks)
{
    const size_t entries = (size_t)landmarks->vertex_count * landmarks->count;
    uint16_t *table = malloc(entries * sizeof(uint16_t));
    assert_ok(
        prm_buffer_read(test_context, landmarks->table, 0, table, entries * sizeof(uint16_t)));
    return table;
}

static uint32_t expected_count(uint32_t vertices)
{
    const uint32_t per_vector = VERTICES_PER_LANDMARK * LANDMARK_LANES;
    const uint32_t vectors = (vertices + per_vector - 1) / per_vector;
    return least(vectors, LANDMARK_VECTORS_MAX) * LANDMARK_LANES;
}

/* The lowest vertex of the largest component, and another one's. */
static uint32_t largest_root(const struct graph_fixture *f, uint32_t *other)
{
    const uint32_t n = f->vertex_count;
    uint32_t *distances = calloc(n, sizeof(uint32_t));
    uint8_t *seen = calloc(n, 1);
    uint32_t root = 0, most = 0;

    *other = 0;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t size = 0;
        if (seen[v])
            continue;
        oracle_distances(f, distances, v);
        for (uint32_t u = 0; u < n; u++) {
            size += distances[u] != NONE_U32;
            seen[u] |= distances[u] != NONE_U32;
        }
        *other = v;
        if (size > most) {
            most = size;
            root = v;
        }
    }
    free(distances);
    free(seen);
    return root;
}

static void check_table(const struct graph_fixture *f, const char *name, uint32_t root)
{
    struct prm_landmarks *landmarks = make(f, root);
    uint32_t shift;
    uint16_t *expected = oracle_table(f, root, landmarks->count, &shift);
    uint16_t *got = download_table(landmarks);

    assert_int_equal(landmarks->count, expected_count(f->vertex_count));
    assert_int_equal(landmarks->shift, shift);
    for (uint32_t v = 0; v < f->vertex_count; v++)
        for (uint32_t l = 0; l < landmarks->count; l++) {
            const size_t at = (size_t)v * landmarks->count + l;
            if (got[at] != expected[at])
                fail_msg("%s: vertex %u, landmark %u: %u, expected %u", name, v, l, got[at],
                         expected[at]);
        }
    free(got);
    free(expected);
    prm_landmarks_destroy(landmarks);
}

static void tables_are_as_the_oracle_has_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPE_COUNT; i += test_size(1, STRIDE_SMALL)) {
        struct graph_fixture f;
        uint32_t other;
        fixture_random(&f, &SHAPES[i], 100);
        const uint32_t root = largest_root(&f, &other);
        check_table(&f, SHAPES[i].name, root);
        check_table(&f, SHAPES[i].name, other);
        graph_fixture_deinit(&f);
    }
}

static void bounds_are_below_the_truth(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPE_COUNT; i += test_size(1, STRIDE_SMALL)) {
        struct test_random random = {i};
        struct graph_fixture f;
        uint32_t other;
        fixture_random(&f, &SHAPES[i], 100);
        const uint32_t n = f.vertex_count;
        struct prm_landmarks *landmarks = make(&f, largest_root(&f, &other));
        uint16_t *table = download_table(landmarks);
        uint32_t *distances = calloc(n, sizeof(uint32_t));
        uint64_t bound_sum = 0, sum = 0;
        for (int source = 0; source < 8; source++) {
            const uint32_t u = test_random_below(&random, n);
            oracle_distances(&f, distances, u);
            for (uint32_t v = 0; v < n; v++) {
                const uint64_t bound = row_bound(table + (size_t)u * landmarks->count,
                                                 table + (size_t)v * landmarks->count,
                                                 landmarks->count, landmarks->shift);
                assert_true(bound <= distances[v]);
                if (distances[v] != NONE_U32) {
                    bound_sum += bound;
                    sum += distances[v];
                }
            }
        }
        // and worth something: where all is one part, more than half of the truth
        if (SHAPES[i].parts == 1 && n > 60 && SHAPES[i].weight_max > 1000)
            assert_true(2 * bound_sum > sum);
        free(distances);
        free(table);
        prm_landmarks_destroy(landmarks);
        graph_fixture_deinit(&f);
    }
}

/* ---- searches ---- */

enum { LINKS = 4 };

/* Queries with ends of random links. */
struct questions {
    uint32_t count;
    struct prm_endpoints ends;
    struct prm_buffer queries;
};

static struct questions questions_make(uint32_t vertex_count, uint32_t weight_max, uint32_t count)
{
    enum { GOALS_MAX = 6 };
    struct test_random random = {vertex_count + count};
    const uint32_t end_max = count * (1 + GOALS_MAX);
    uint32_t *vertices = malloc(end_max * LINKS * sizeof(uint32_t));
    uint32_t *costs = calloc(end_max * LINKS, sizeof(uint32_t));
    struct query *queries = calloc(count, sizeof(*queries));
    struct questions questions = {.count = count, .ends = {.k = LINKS}};

    memset(vertices, 0xff, end_max * LINKS * sizeof(uint32_t));
    for (uint32_t q = 0; q < count; q++) {
        const uint32_t goals = 1 + test_random_below(&random, GOALS_MAX);
        queries[q] = (struct query){questions.ends.count, questions.ends.count + 1, goals, 0};
        questions.ends.count += 1 + goals;
    }
    for (uint32_t e = 0; e < questions.ends.count; e++) {
        const uint32_t links = 1 + test_random_below(&random, LINKS);
        for (uint32_t j = 0; j < links; j++) {
            vertices[e * LINKS + j] = test_random_below(&random, vertex_count);
            costs[e * LINKS + j] = test_random_below(&random, 2 * weight_max + 1);
        }
    }
    questions.ends.vertices =
        test_upload(vertices, questions.ends.count * LINKS * sizeof(uint32_t));
    questions.ends.costs = test_upload(costs, questions.ends.count * LINKS * sizeof(uint32_t));
    questions.queries = test_upload(queries, count * sizeof(*queries));
    free(vertices);
    free(costs);
    free(queries);
    return questions;
}

static void questions_deinit(struct questions *questions)
{
    prm_buffer_destroy(test_context, &questions->ends.vertices);
    prm_buffer_destroy(test_context, &questions->ends.costs);
    prm_buffer_destroy(test_context, &questions->queries);
}

/* Paths on the host. */
struct paths {
    uint32_t *first, *counts, *goals, *pool;
};

static struct paths search(const struct graph_fixture *f, const struct questions *questions,
                           const struct prm_landmarks *landmarks)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const struct prm_search_problem problem = {.graph = &f->graph,
                                               .landmarks = landmarks,
                                               .endpoints = &questions->ends,
                                               .queries = questions->queries,
                                               .query_count = questions->count,
                                               .objective = PRM_OBJECTIVE_LENGTH};
    struct prm_search_paths found;
    assert_ok(prm_search(test_arena, &found, &problem));
    const struct paths paths = {test_download_u32(test_context, found.first, questions->count),
                                test_download_u32(test_context, found.counts, questions->count),
                                test_download_u32(test_context, found.goals, questions->count),
                                test_download_u32(test_context, found.pool, found.pool_count)};
    prm_arena_rewind(test_arena, mark);
    return paths;
}

static void paths_free(const struct paths *paths)
{
    free(paths->first);
    free(paths->counts);
    free(paths->goals);
    free(paths->pool);
}

/* The same paths with landmarks and without; returns how many there are. */
static uint32_t check_searches(const struct graph_fixture *f, const char *name,
                               const struct questions *questions,
                               const struct prm_landmarks *landmarks)
{
    const struct paths expected = search(f, questions, NULL);
    const struct paths got = search(f, questions, landmarks);
    uint32_t found = 0;

    for (uint32_t q = 0; q < questions->count; q++) {
        if (expected.counts[q] != got.counts[q])
            fail_msg("%s: query %u: %u vertices, expected %u", name, q, got.counts[q],
                     expected.counts[q]);
        if (expected.counts[q] == 0)
            continue;
        found++;
        assert_int_equal(expected.goals[q], got.goals[q]);
        assert_u32_array_equal(expected.pool + expected.first[q], got.pool + got.first[q],
                               expected.counts[q]);
    }
    paths_free(&expected);
    paths_free(&got);
    return found;
}

/* Landmarks of the whole graph, and of a component that is not the largest, in the whole graph and
 * in two with fewer edges. */
static void paths_are_the_same(void **state)
{
    (void)state;
    static const uint32_t KEPT[] = {100, 90, 50};
    uint32_t found = 0;
    for (size_t i = 0; i < SHAPE_COUNT; i += test_size(1, STRIDE_SMALL)) {
        struct graph_fixture whole;
        uint32_t other;
        fixture_random(&whole, &SHAPES[i], 100);
        struct questions questions =
            questions_make(whole.vertex_count, SHAPES[i].weight_max, (uint32_t)test_size(300, 8));
        struct prm_landmarks *largest = make(&whole, largest_root(&whole, &other));
        struct prm_landmarks *elsewhere = make(&whole, other);
        for (size_t k = 0; k < sizeof(KEPT) / sizeof(KEPT[0]); k++) {
            struct graph_fixture part;
            fixture_random(&part, &SHAPES[i], KEPT[k]);
            found += check_searches(&part, SHAPES[i].name, &questions, largest);
            found += check_searches(&part, SHAPES[i].name, &questions, elsewhere);
            graph_fixture_deinit(&part);
        }
        prm_landmarks_destroy(largest);
        prm_landmarks_destroy(elsewhere);
        questions_deinit(&questions);
        graph_fixture_deinit(&whole);
    }
    assert_true(found > test_size(1000, 5));
}

/* A line of a length that no row holds: distances from its end are up to `length`. */
static void distances_saturate(void **state)
{
    (void)state;
    const uint32_t n = (uint32_t)test_size(200, 20), weight = 0x7fffffff / n;
    uint32_t(*edges)[3] = calloc(n, sizeof(*edges));
    struct graph_fixture f;

    for (uint32_t v = 0; v + 1 < n; v++) {
        edges[v][0] = v;
        edges[v][1] = v + 1;
        // half of the line lies beyond 32 bits
        edges[v][2] = v % 2 ? weight : 4 * weight;
    }
    graph_fixture_init(&f, n, edges, n - 1);
    struct prm_landmarks *landmarks = make(&f, n / 2);
    uint16_t *table = download_table(landmarks);
    // from the middle both ends are within 32 bits, from one end the other is not
    assert_int_equal(table[0], 0);
    assert_int_equal(table[(size_t)(n - 1) * landmarks->count], LANDMARK_FAR);
    for (uint32_t v = 1; v < n; v++)
        assert_true(table[(size_t)v * landmarks->count] >=
                    table[(size_t)(v - 1) * landmarks->count]);
    free(table);
    free(edges);
    prm_landmarks_destroy(landmarks);
    graph_fixture_deinit(&f);
}

static void steps_and_holders(void **state)
{
    (void)state;
    struct graph_fixture f;
    struct prm_landmarks *landmarks;
    bool done = true;
    const uint64_t before = prm_context_memory(test_context).resident_bytes;
    fixture_random(&f, &SHAPES[3], 100);
    assert_status(PRM_INVALID_ARGUMENT,
                  prm_landmarks_create(test_context, &landmarks, &f.graph, f.vertex_count));
    assert_null(landmarks);

    // given up half-way
    assert_ok(prm_landmarks_create(test_context, &landmarks, &f.graph, 0));
    for (int step = 0; step < 5; step++)
        assert_ok(prm_landmarks_step(landmarks, &done));
    assert_false(done);
    prm_landmarks_destroy(landmarks);

    landmarks = make(&f, 0);
    assert_ok(prm_landmarks_step(landmarks, &done));
    assert_true(done);
    // what is left when they are complete is the table
    const uint64_t with = prm_context_memory(test_context).resident_bytes;
    assert_ptr_equal(prm_landmarks_share(landmarks), landmarks);
    prm_landmarks_destroy(landmarks);
    assert_int_equal(prm_context_memory(test_context).resident_bytes, with);
    prm_landmarks_destroy(landmarks);
    assert_true(with - prm_context_memory(test_context).resident_bytes >=
                (uint64_t)f.vertex_count * expected_count(f.vertex_count) * sizeof(uint16_t));
    prm_landmarks_destroy(NULL);
    graph_fixture_deinit(&f);
    assert_int_equal(prm_context_memory(test_context).resident_bytes, before);
}

/* The k-th allocation or launch fails: the fault comes out, and nothing stays behind. */
static void faults_leave_nothing(void **state)
{
    (void)state;
    const struct graph_shape shape = {"faults", 18, 2, 9, 5000, 1, false};
    struct graph_fixture f;
    uint32_t faults = 0;
    // what the host does; runs that are not interpreted tell
    if (test_is_small())
        skip();

    fixture_random(&f, &shape, 100);
    const uint64_t before = prm_context_memory(test_context).resident_bytes;
    for (uint32_t countdown = 1;; countdown += 1 + countdown / 16) {
        struct prm_landmarks *landmarks;
        bool done = false;
        prm_context_inject_fault(test_context, countdown);
        enum prm_status status = prm_landmarks_create(test_context, &landmarks, &f.graph, 0);
        while (status == PRM_OK && !done)
            status = prm_landmarks_step(landmarks, &done);
        prm_context_inject_fault(test_context, 0);
        prm_landmarks_destroy(landmarks);
        assert_int_equal(prm_context_memory(test_context).resident_bytes, before);
        if (status == PRM_OK)
            break;
        assert_int_equal(status, PRM_DEVICE_FAILED);
        faults++;
    }
    assert_true(faults > 10);
    graph_fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_as_the_oracle_has_them),
        cmocka_unit_test(bounds_are_below_the_truth),
        cmocka_unit_test(paths_are_the_same),
        cmocka_unit_test(distances_saturate),
        cmocka_unit_test(steps_and_holders),
        cmocka_unit_test(faults_leave_nothing),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

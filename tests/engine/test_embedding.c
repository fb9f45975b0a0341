/* Goal: in spaces of turns and orientations neighbours are those of the true metric, across ±π and
 * for q and −q as well, by every method; exact search and tiles agree to the bit, distances are
 * symmetric to the bit, and lsh and tiles with alpha reach their target recall. Method: random
 * states on tori, in mixes of linear coordinates and turns, and in SE(3), with other weights than
 * 1, embedded on the device. Oracle: all distances from the states in double precision, sorted. */
#include "primitives_cases.h"
#include "roadmap/nearest/neighbors.h"

#include <math.h>

#define PI 3.14159265358979323846
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Lists that are compared with the oracle's. */
enum { CHECKED = 40 };

/* Coordinates of a space, L, T or Q each, and their weights. */
struct kinds {
    const char *letters;
    double weights[PRM_DOF_MAX];
};
static const struct kinds TORUS_2 = {"TT", {1, 1}};
static const struct kinds TORUS_6 = {"TTTTTT", {1, 0.5, 1, 2, 1, 0.7}};
static const struct kinds MIX = {"TLTL", {0.3, 1, 2, 1}};
static const struct kinds SE2 = {"LLT", {1, 1, 0.4}};
static const struct kinds SE3 = {"LLLQQQQ", {1, 1, 1, 0.5, 0.5, 0.5, 0.5}};
static const struct kinds ALL = {"LTQQQQ", {1, 2, 3, 3, 3, 3}};

/* States on the host, and on the device as they are and embedded. */
struct states {
    struct prm_space space;
    struct prm_embedding embedding;
    uint32_t count;
    float *rows; /* [count][row] */
    struct prm_buffer plain, embedded;
};

/* Room on the host for states of a space; the test makes the coordinates, then uploads. */
static struct states states_of(const struct kinds *kinds, uint32_t count)
{
    struct states states = {.count = count};
    struct prm_space *space = &states.space;
    space->dof = (uint32_t)strlen(kinds->letters);
    for (space->row = 2; space->row < space->dof;)
        space->row *= 2;
    for (uint32_t c = 0; c < space->dof; c++) {
        const char letter = kinds->letters[c];
        space->coordinates[c].kind = letter == 'L'   ? PRM_COORDINATE_LINEAR
                                     : letter == 'T' ? PRM_COORDINATE_TURN
                                                     : PRM_COORDINATE_QUATERNION;
        space->coordinates[c].weight = kinds->weights[c];
    }
    states.embedding = prm_embedding_of(space);
    states.rows = calloc((size_t)count * space->row + 1, sizeof(float));
    assert_non_null(states.rows);
    return states;
}

static void states_upload(struct states *states)
{
    const size_t n = states->count, bytes = n * states->space.row * sizeof(float);
    assert_ok(prm_buffer_create(test_context, &states->plain, bytes));
    assert_ok(prm_buffer_write(test_context, states->plain, 0, states->rows, bytes));
    assert_ok(prm_buffer_create(test_context, &states->embedded,
                                n * states->embedding.row * sizeof(float)));
    assert_ok(
        prm_embedding_write(test_context, states->embedded, states->plain, &states->space, n));
}

static void states_free(struct states *states)
{
    prm_buffer_destroy(test_context, &states->plain);
    prm_buffer_destroy(test_context, &states->embedded);
    free(states->rows);
}

/* A random unit quaternion into q[4]. */
static void random_quaternion(struct test_random *random, float *q)
{
    float squared;
    do {
        squared = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = test_random_f32(random, -1, 1);
            squared += q[i] * q[i];
        }
    } while (squared > 1 || squared < 0.1f);
    for (int i = 0; i < 4; i++)
        q[i] /= sqrtf(squared);
}

static struct states states_make(const struct kinds *kinds, uint32_t count, uint64_t seed)
{
    struct test_random random = {seed};
    struct states states = states_of(kinds, count);
    for (uint32_t i = 0; i < count; i++) {
        float *row = states.rows + (size_t)i * states.space.row;
        for (uint32_t c = 0; c < states.space.dof; c++) {
            const float weight = (float)kinds->weights[c];
            if (kinds->letters[c] == 'L')
                row[c] = test_random_f32(&random, -1, 1);
            else if (kinds->letters[c] == 'T')
                row[c] = weight * test_random_f32(&random, (float)-PI, (float)PI);
            else if (kinds->letters[c - 1] != 'Q')
                random_quaternion(&random, row + c);
        }
    }
    states_upload(&states);
    return states;
}

/* The metric from the states' rows. */
static double true_distance(const struct states *states, const float *a, const float *b)
{
    double sum = 0, dot = 0, orientation = 0;
    for (uint32_t c = 0; c < states->space.dof; c++) {
        const struct prm_coordinate *coordinate = &states->space.coordinates[c];
        const double weight = coordinate->weight, x = (double)a[c] - (double)b[c];
        if (coordinate->kind == PRM_COORDINATE_LINEAR) {
            sum += x * x;
        } else if (coordinate->kind == PRM_COORDINATE_TURN) {
            const double angle = weight * remainder(x / weight, 2 * PI);
            sum += angle * angle;
        } else {
            dot += (double)a[c] * (double)b[c];
            orientation = weight;
        }
    }
    const double angle = orientation * 2 * acos(fmin(fabs(dot), 1));
    return sqrt(sum + (orientation > 0 ? angle * angle : 0));
}

static const float *row_of(const struct states *states, uint32_t i)
{
    return states->rows + (size_t)i * states->space.row;
}

/* How far a distance may be off: rows are floats, acos near 1 and half turns are uncertain. */
static double tolerance(const struct states *states)
{
    return states->embedding.orientations > 0 ? 3e-3 : 5e-6;
}

/* Lists of one method: [count][k]. */
struct lists {
    uint32_t count, k;
    uint32_t *indices;
    float *distances;
};

static void lists_free(struct lists *lists)
{
    free(lists->indices);
    free(lists->distances);
}

static struct prm_neighbor_index *index_of(const struct states *states,
                                           const struct prm_neighbor_options *options)
{
    struct prm_neighbor_index *index;
    assert_ok(prm_neighbor_index_create(test_arena, &index, &states->embedding, states->embedded,
                                        states->count, options));
    return index;
}

/* The lists of an index: of its own points, or of foreign ones. */
static struct lists ask(const struct prm_neighbor_index *index, uint32_t count,
                        const struct states *foreign, uint32_t k, double radius)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const uint32_t n = foreign ? foreign->count : count;
    const size_t slots = (size_t)n * k;
    struct prm_buffer indices, distances;

    assert_ok(prm_arena_take(test_arena, &indices, slots * 4));
    assert_ok(prm_arena_take(test_arena, &distances, slots * 4));
    if (foreign)
        assert_ok(prm_neighbors_foreign(test_arena, indices, distances, index, foreign->embedded, n,
                                        k, radius));
    else
        assert_ok(prm_neighbors_self(test_arena, indices, distances, index, 0, n));
    const struct lists lists = {n, k, test_download_u32(test_context, indices, slots),
                                (float *)(void *)test_download_u32(test_context, distances, slots)};
    prm_arena_rewind(test_arena, mark);
    return lists;
}

/* As ask(), of an index made for it. */
static struct lists ask_by(enum prm_neighbor_method method, const struct states *states,
                           const struct states *foreign, uint32_t k, double radius)
{
    const struct prm_neighbor_options options = {
        .method = method, .k = k, .radius = radius, .target_recall = 1, .seed = 5};
    struct prm_neighbor_index *index = index_of(states, &options);
    const struct lists lists = ask(index, states->count, foreign, k, radius);
    prm_neighbor_index_destroy(index);
    return lists;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The distances of a query, ascending, itself left out: malloc'ed; returns how many. */
static uint32_t all_distances(double **distances, const struct states *states,
                              const struct states *queries, uint32_t query)
{
    uint32_t kept = 0;
    *distances = calloc(states->count + 1u, sizeof(double));
    assert_non_null(*distances);
    for (uint32_t i = 0; i < states->count; i++)
        if (queries != states || i != query)
            (*distances)[kept++] = true_distance(states, row_of(queries, query), row_of(states, i));
    qsort(*distances, kept, sizeof(double), compare_doubles);
    return kept;
}

/* Each list names points at their distances, ascending, none twice, no point its own. */
static void check_true(const struct states *states, const struct states *queries,
                       const struct lists *lists)
{
    for (uint32_t q = 0; q < lists->count; q++) {
        const uint32_t *points = lists->indices + (size_t)q * lists->k;
        const float *distances = lists->distances + (size_t)q * lists->k;
        for (uint32_t i = 0; i < lists->k && points[i] != UINT32_MAX; i++) {
            assert_in_range(points[i], 0, states->count - 1);
            assert_true(queries != states || points[i] != q);
            const double d = true_distance(states, row_of(queries, q), row_of(states, points[i]));
            if (fabs(d - (double)distances[i]) > tolerance(states))
                fail_msg("query %u, point %u: %.9g, not %.9g", q, points[i], (double)distances[i],
                         d);
            assert_true(i == 0 || distances[i - 1] <= distances[i]);
            for (uint32_t j = 0; j < i; j++)
                assert_int_not_equal(points[i], points[j]);
        }
    }
}

/* Some lists hold the nearest there are within the radius (0: any), as far as floats tell. */
static void check_nearest(const struct states *states, const struct states *queries,
                          const struct lists *lists, double radius)
{
    const uint32_t stride = (lists->count + CHECKED - 1) / CHECKED;
    for (uint32_t q = 0; q < lists->count; q += stride) {
        const uint32_t *points = lists->indices + (size_t)q * lists->k;
        const float *distances = lists->distances + (size_t)q * lists->k;
        double *all;
        const uint32_t there = all_distances(&all, states, queries, q);
        for (uint32_t i = 0; i < lists->k; i++) {
            const bool listed = points[i] != UINT32_MAX;
            if (listed)
                assert_true(i < there && fabs(all[i] - (double)distances[i]) <= tolerance(states));
            else
                assert_true(isinf(distances[i]) &&
                            (i >= there || (radius > 0 && all[i] >= radius - tolerance(states))));
            if (listed && radius > 0)
                assert_true((double)distances[i] <= radius * (1 + 1e-6));
        }
        free(all);
    }
}

static void assert_lists_equal(const struct lists *expected, const struct lists *got)
{
    const size_t slots = (size_t)expected->count * expected->k;
    assert_u32_array_equal(expected->indices, got->indices, slots);
    assert_memory_equal(expected->distances, got->distances, slots * sizeof(float));
}

/* Exact search and tiles in one space, own and foreign. */
static void exact_case(const struct kinds *kinds, uint32_t count, uint32_t foreign, uint32_t k,
                       double radius)
{
    struct states states = states_make(kinds, count, count + k);
    struct states others = states_make(kinds, foreign, count + k + 1);
    const struct states *askers[] = {NULL, &others};

    for (int i = 0; i < 2; i++) {
        const struct states *queries = askers[i] ? askers[i] : &states;
        struct lists exact = ask_by(PRM_NEIGHBOR_EXACT, &states, askers[i], k, radius);
        struct lists tiles = ask_by(PRM_NEIGHBOR_TILES, &states, askers[i], k, radius);
        check_true(&states, queries, &exact);
        check_nearest(&states, queries, &exact, radius);
        assert_lists_equal(&exact, &tiles);
        lists_free(&exact);
        lists_free(&tiles);
    }
    states_free(&states);
    states_free(&others);
}

static void exact_and_tiles_are_exact(void **state)
{
    static const struct {
        const struct kinds *kinds;
        uint32_t count, foreign, k;
        double radius;
    } CASES[] = {
        {&TORUS_2, 70, 20, 8, 0},
        {&SE3, 70, 20, 8, 0},
        {&TORUS_2, 1, 1, 8, 0},
        {&TORUS_2, 20, 7, 10, 0},
        {&TORUS_2, 6000, 300, 10, 0},
        {&TORUS_2, 3000, 40, 60, 0},
        {&TORUS_2, 3000, 40, 10, 0.05},
        {&TORUS_6, 3000, 60, 10, 0},
        {&MIX, 3000, 60, 10, 0},
        {&SE2, 6000, 300, 10, 0},
        {&SE3, 3000, 60, 10, 0},
        {&SE3, 2000, 40, 10, 0.6},
        {&SE3, 6, 7, 10, 0},
        {&ALL, 2000, 40, 10, 0},
    };
    const size_t cases = test_is_small() ? 2 : COUNT(CASES);
    const uint32_t part = prm_context_profile(test_context)->shape == PRM_SHAPE_GPU ? 4 : 1;
    (void)state;
    for (size_t i = 0; i < cases; i++)
        exact_case(CASES[i].kinds, (CASES[i].count + part - 1) / part, CASES[i].foreign, CASES[i].k,
                   CASES[i].radius);
}

/* d(a, b) and d(b, a) are equal bits by all methods that find both, and no point is away from a
 * copy of it. */
static void distances_are_symmetric(void **state)
{
    static const struct kinds *const KINDS[] = {&TORUS_2, &TORUS_6, &MIX, &SE3, &ALL};
    static const enum prm_neighbor_method METHODS[] = {PRM_NEIGHBOR_EXACT, PRM_NEIGHBOR_TILES};
    enum { N = 10, ROUNDS = 8 };
    (void)state;

    for (uint32_t i = 0; i < (test_is_small() ? 1 : ROUNDS * COUNT(KINDS)); i++) {
        const struct kinds *kinds = KINDS[i / ROUNDS];
        struct states a = states_make(kinds, N, 3 + 2 * i), b = states_make(kinds, N, 4 + 2 * i);
        for (int m = 0; m < 2; m++) {
            struct lists there = ask_by(METHODS[m], &a, &b, N, 0);
            struct lists back = ask_by(METHODS[m], &b, &a, N, 0);
            struct lists own = ask_by(METHODS[m], &a, &a, N, 0);
            float matrix[N][N];
            for (uint32_t q = 0; q < N; q++)
                for (uint32_t j = 0; j < N; j++)
                    matrix[q][there.indices[q * N + j]] = there.distances[q * N + j];
            for (uint32_t q = 0; q < N; q++) {
                for (uint32_t j = 0; j < N; j++)
                    assert_true(matrix[back.indices[q * N + j]][q] == back.distances[q * N + j]);
                assert_true(own.indices[q * N] == q && own.distances[q * N] == 0.0f);
            }
            lists_free(&there);
            lists_free(&back);
            lists_free(&own);
        }
        states_free(&a);
        states_free(&b);
    }
}

/* Pairs of states a hair's breadth apart across the seam are each other's nearest: angles just
 * below π and just above −π, and quaternions of opposite signs. */
static void seams_are_none(void **state)
{
    static const enum prm_neighbor_method METHODS[] = {PRM_NEIGHBOR_EXACT, PRM_NEIGHBOR_TILES,
                                                       PRM_NEIGHBOR_LSH};
    enum { K = 10 };
    const uint32_t count = (uint32_t)test_size(1000, 40);
    struct test_random random = {6};
    struct states turns = states_of(&TORUS_2, count), poses = states_of(&SE3, count);
    (void)state;

    for (uint32_t i = 0; i < count; i += 2) {
        float *turn = turns.rows + (size_t)i * turns.space.row;
        float *pose = poses.rows + (size_t)i * poses.space.row;
        turn[0] = (float)(PI - 1e-4 * (double)test_random_f32(&random, 0, 1));
        turn[1] = test_random_f32(&random, -3, 3);
        turn[turns.space.row] = (float)(-PI + 1e-4 * (double)test_random_f32(&random, 0, 1));
        turn[turns.space.row + 1] = turn[1];
        for (uint32_t c = 0; c < 3; c++)
            pose[c] = pose[poses.space.row + c] = test_random_f32(&random, -1, 1);
        random_quaternion(&random, pose + 3);
        for (uint32_t c = 3; c < 7; c++)
            pose[poses.space.row + c] = -pose[c];
    }
    states_upload(&turns);
    states_upload(&poses);
    for (int m = 0; m < 3; m++) {
        struct lists near = ask_by(METHODS[m], &turns, NULL, K, 0);
        struct lists same = ask_by(METHODS[m], &poses, NULL, K, 0);
        check_true(&turns, &turns, &near);
        for (size_t i = 0; i < count; i++) {
            assert_true(near.distances[i * K] <= 2.1e-4f);
            assert_int_equal(same.indices[i * K], i ^ 1);
            assert_true(same.distances[i * K] == 0.0f);
        }
        lists_free(&near);
        lists_free(&same);
    }
    states_free(&turns);
    states_free(&poses);
}

/* The share of the true neighbours of some queries that lists hold, by the states. */
static double recall_of(const struct states *states, const struct states *queries,
                        const struct lists *lists)
{
    const uint32_t stride = (lists->count + CHECKED - 1) / CHECKED, k = lists->k;
    uint32_t hits = 0, wanted = 0;
    for (uint32_t q = 0; q < lists->count; q += stride) {
        double *all;
        const uint32_t there = all_distances(&all, states, queries, q);
        const uint32_t last = there < k ? there : k;
        for (uint32_t i = 0; i < last && lists->indices[(size_t)q * k + i] != UINT32_MAX; i++)
            hits +=
                true_distance(states, row_of(queries, q),
                              row_of(states, lists->indices[(size_t)q * k + i])) <= all[last - 1];
        wanted += last;
        free(all);
    }
    return wanted > 0 ? (double)hits / wanted : 1;
}

static void recall_case(enum prm_neighbor_method method, const struct kinds *kinds, uint32_t count)
{
    enum { K = 10, FOREIGN = 400, SAMPLES = 512 };
    static const double TARGET = 0.95;
    struct states states = states_make(kinds, count, 8), others = states_make(kinds, FOREIGN, 9);
    const struct prm_neighbor_options options = {
        .method = method, .k = K, .target_recall = TARGET, .seed = 7};
    struct prm_neighbor_index *index = index_of(&states, &options);
    const struct prm_neighbor_statistics statistics = prm_neighbor_statistics(index);
    struct lists own = ask(index, count, NULL, K, 0), far = ask(index, count, &others, K, 0);
    struct prm_buffer indices = test_upload_u32(test_context, own.indices, (size_t)count * K);
    double recall;

    assert_ok(prm_neighbors_recall(test_arena, &recall, index, indices, SAMPLES));
    const double foreign = recall_of(&states, &others, &far);
    print_message("%s, method %d: recall %.4f, foreign %.4f; %u tables of %u, width %g, alpha %g\n",
                  kinds->letters, (int)method, recall, foreign, statistics.tables,
                  statistics.projections, statistics.width, statistics.alpha);
    assert_true(recall >= TARGET);
    assert_true(fabs(recall_of(&states, &states, &own) - recall) < 0.04);
    assert_true(foreign >= TARGET - 0.04);
    check_true(&states, &states, &own);
    check_true(&states, &others, &far);

    prm_buffer_destroy(test_context, &indices);
    prm_neighbor_index_destroy(index);
    lists_free(&own);
    lists_free(&far);
    states_free(&states);
    states_free(&others);
}

static void recall_is_reached(void **state)
{
    static const struct kinds *const KINDS[] = {&TORUS_2, &TORUS_6, &MIX, &SE3};
    const uint32_t part = prm_context_profile(test_context)->shape == PRM_SHAPE_GPU ? 4 : 1;
    const uint32_t count = (uint32_t)test_size(20000, 100) / part;
    (void)state;
    for (size_t i = 0; i < (test_is_small() ? 1 : COUNT(KINDS)); i++) {
        recall_case(PRM_NEIGHBOR_LSH, KINDS[i], count);
        recall_case(PRM_NEIGHBOR_TILES, KINDS[i], count);
    }
}

/* What an embedding is made of, and that states which are embedded already are not copied. */
static void layouts(void **state)
{
    static const struct {
        const struct kinds *kinds;
        uint32_t dof, row, linear, turns, orientations, dimension;
    } CASES[] = {
        {&TORUS_2, 4, 4, 0, 2, 0, 2}, {&TORUS_6, 12, 16, 0, 6, 0, 6}, {&MIX, 6, 8, 2, 2, 0, 4},
        {&SE3, 12, 16, 3, 0, 1, 6},   {&ALL, 12, 16, 1, 1, 1, 5},
    };
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const struct kinds linear = {"LLL", {1, 1, 1}};
    struct prm_buffer rows;
    (void)state;

    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct states states = states_make(CASES[i].kinds, 1, 1);
        const struct prm_embedding *e = &states.embedding;
        assert_int_equal(e->dof, CASES[i].dof);
        assert_int_equal(e->row, CASES[i].row);
        assert_int_equal(e->linear, CASES[i].linear);
        assert_int_equal(e->turns, CASES[i].turns);
        assert_int_equal(e->orientations, CASES[i].orientations);
        assert_int_equal(prm_embedding_dimension(e), CASES[i].dimension);
        assert_false(prm_embedding_is_flat(e));
        assert_ok(prm_embedding_take(test_arena, &rows, states.plain, &states.space, 1));
        assert_ptr_not_equal(rows.memory, states.plain.memory);
        states_free(&states);
    }
    struct states flat = states_of(&linear, 1);
    assert_true(prm_embedding_is_flat(&flat.embedding));
    const struct prm_embedding three = prm_embedding_flat(3);
    assert_memory_equal(&flat.embedding, &three, sizeof(three));
    assert_ok(prm_buffer_create(test_context, &flat.plain, sizeof(float)));
    assert_ok(prm_embedding_take(test_arena, &rows, flat.plain, &flat.space, 1));
    assert_ptr_equal(rows.memory, flat.plain.memory);
    states_free(&flat);
    prm_arena_rewind(test_arena, mark);
}

/* An embedded row is linear coordinates, cosines and sines, the entries of the matrix, and zeros.
 */
static void rows_hold_what_is_said(void **state)
{
    struct states mix = states_of(&MIX, 1), poses = states_of(&SE3, 1);
    static const float TURNED[] = {0.5f, -2, 1, 1};
    static const float POSE[] = {1, 2, 3, 0, 0, (float)0.70710678118654752, 0.70710678f, 0};
    (void)state;

    memcpy(mix.rows, TURNED, sizeof(TURNED));
    memcpy(poses.rows, POSE, sizeof(POSE));
    states_upload(&mix);
    states_upload(&poses);
    float *row = (float *)(void *)test_download_u32(test_context, mix.embedded, 8);
    const double expected[] = {
        -2, 1, 0.3 * cos(0.5 / 0.3), 0.3 * sin(0.5 / 0.3), 2 * cos(0.5), 2 * sin(0.5), 0, 0};
    for (int c = 0; c < 8; c++)
        assert_float_equal(row[c], (float)expected[c], 1e-6f);
    free(row);

    // a quarter about z takes x to y
    row = (float *)(void *)test_download_u32(test_context, poses.embedded, 16);
    const double scale = 0.5 * sqrt(0.5);
    const double matrix[] = {1, 2, 3, 0, -scale, 0, scale, 0, 0, 0, 0, scale, 0, 0, 0, 0};
    for (int c = 0; c < 16; c++)
        assert_float_equal(row[c], (float)matrix[c], 1e-6f);
    free(row);
    states_free(&mix);
    states_free(&poses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),
        cmocka_unit_test(rows_hold_what_is_said),
        cmocka_unit_test(exact_and_tiles_are_exact),
        cmocka_unit_test(distances_are_symmetric),
        cmocka_unit_test(seams_are_none),
        cmocka_unit_test(recall_is_reached),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

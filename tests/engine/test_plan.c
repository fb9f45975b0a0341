/* Goal: every query gets the right status, reason, path and length, the same in any batch, and
 * planning leaves roadmap and memory as they were. Method: small worlds built by the product:
 * circles, two rooms with and without a door, a wall 1 mm thick, a grid as a lattice. Oracle: what
 * each world makes evident; lengths summed here; every motion that comes back checked by the edge
 * check; a serial search on the lattice's cells. */
#include "device/clock.h"
#include "kernels/types.h"
#include "roadmap/collision/edges.h"
#include "roadmap/plan/plan.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOF = 2, GOALS_MAX = 4 };

struct fixture {
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    struct prm_planner *planner;
};

static void fixture_build(struct fixture *f, const struct prm_world_spec *spec,
                          const struct prm_roadmap_params *params)
{
    const struct prm_robot_spec robot = {.kind = PRM_ROBOT_POINT};

    assert_ok(prm_world_create(test_arena, &f->world, spec));
    assert_ok(
        prm_roadmap_create(test_context, &f->roadmap, &f->validity, f->world, &robot, params));
    assert_ok(prm_planner_create(test_context, &f->planner));
}

static void fixture_deinit(struct fixture *f)
{
    prm_planner_destroy(f->planner);
    prm_validity_destroy(f->validity);
    prm_roadmap_destroy(f->roadmap);
    prm_world_destroy(f->world);
}

static struct prm_roadmap_params uniform(uint32_t count)
{
    return (struct prm_roadmap_params){.seed = 3,
                                       .sample_count = count,
                                       .sample_method = PRM_SAMPLE_UNIFORM,
                                       .neighbor_method = PRM_NEIGHBOR_EXACT,
                                       .k = 8};
}

static struct prm_obstacle rectangle(double x, double y, double width, double height)
{
    return (struct prm_obstacle){.kind = PRM_OBSTACLE_RECTANGLE,
                                 .center = {x, y},
                                 .quaternion = {0, 0, 0, 1},
                                 .size = {width, height}};
}

static struct prm_obstacle circle(double x, double y, double radius)
{
    return (struct prm_obstacle){.kind = PRM_OBSTACLE_CIRCLE,
                                 .center = {x, y},
                                 .quaternion = {0, 0, 0, 1},
                                 .radius = radius};
}

static struct prm_world_spec square(const struct prm_obstacle *obstacles, uint32_t count)
{
    return (struct prm_world_spec){.dimension = DOF,
                                   .bounded = true,
                                   .lower = {0, 0},
                                   .upper = {10, 10},
                                   .obstacles = obstacles,
                                   .obstacle_count = count};
}

/* A world of circles; obstacle 2 is the one at (5, 5). */
static void fixture_circles(struct fixture *f)
{
    const struct prm_obstacle circles[] = {circle(2, 7, 1), circle(7.5, 2, 1.2), circle(5, 5, 1),
                                           circle(8, 8, 0.7), circle(2.5, 2.5, 0.8)};
    const struct prm_world_spec spec = square(circles, sizeof(circles) / sizeof(circles[0]));
    const struct prm_roadmap_params params = uniform((uint32_t)test_size(500, 40));
    fixture_build(f, &spec, &params);
}

static struct prm_plan_results plan(const struct fixture *f, const struct prm_query *queries,
                                    uint32_t count, const struct prm_plan_options *options)
{
    struct prm_plan_results results;
    assert_ok(
        prm_plan(f->planner, &results, f->roadmap, f->validity, f->world, queries, count, options));
    assert_int_equal(results.count, count);
    return results;
}

/* ---- checks of answers ---- */

/* Every motion between way-points is free by the roadmap's own check. */
static void check_motions(const struct fixture *f, const struct prm_plan_results *results)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const struct prm_scene scene = prm_roadmap_scene(f->roadmap, f->world);
    const size_t row = f->roadmap->space.row, n = results->waypoint_count;
    float *rows = calloc(n * row + 1, sizeof(float));
    uint32_t *pairs = calloc(2 * n + 1, sizeof(uint32_t));
    size_t count = 0;
    struct prm_buffer states, list, valid;

    for (uint32_t q = 0; q < results->count; q++) {
        const struct prm_plan_result *result = &results->results[q];
        for (size_t i = 0; i < result->waypoint_count; i++) {
            const size_t at = result->waypoint_first + i;
            double state[PRM_DOF_MAX];
            bool clamped;
            memcpy(state, results->waypoints + at * DOF, DOF * sizeof(double));
            assert_int_equal(prm_space_clamp(&f->roadmap->space, state, &clamped), DOF);
            prm_space_to_row(&f->roadmap->space, rows + at * row, state);
            if (i > 0) {
                pairs[2 * count] = (uint32_t)at - 1;
                pairs[2 * count++ + 1] = (uint32_t)at;
            }
        }
    }
    assert_ok(prm_arena_take(test_arena, &states, n * row * sizeof(float)));
    assert_ok(prm_arena_take(test_arena, &list, 2 * n * sizeof(uint32_t)));
    assert_ok(prm_arena_take(test_arena, &valid, n * sizeof(uint32_t)));
    assert_ok(prm_buffer_write(test_context, states, 0, rows, n * row * sizeof(float)));
    assert_ok(prm_buffer_write(test_context, list, 0, pairs, 2 * count * sizeof(uint32_t)));
    assert_ok(prm_edges_check(test_arena, valid, &scene, states, states, list, count));
    uint32_t *free_motions = test_download_u32(test_context, valid, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(free_motions[i], 1);
    free(free_motions);
    free(rows);
    free(pairs);
    prm_arena_rewind(test_arena, mark);
}

static double waypoints_length(const struct prm_plan_results *results,
                               const struct prm_plan_result *result)
{
    const double *points = results->waypoints + result->waypoint_first * DOF;
    double length = 0;
    for (size_t i = 1; i < result->waypoint_count; i++)
        length += hypot(points[i * DOF] - points[(i - 1) * DOF],
                        points[i * DOF + 1] - points[(i - 1) * DOF + 1]);
    return length;
}

/* A solved query's path begins and ends exactly as sent and measures what it says. */
static void check_solved(const struct prm_plan_results *results, uint32_t q,
                         const struct prm_query *query)
{
    const struct prm_plan_result *result = &results->results[q];
    const double *points = results->waypoints + result->waypoint_first * DOF;

    assert_int_equal(result->status, PRM_SOLVED);
    assert_true(result->goal_index < query->goal_count);
    assert_true(result->waypoint_count >= 2);
    assert_memory_equal(points, query->start, DOF * sizeof(double));
    assert_memory_equal(points + (result->waypoint_count - 1) * DOF,
                        query->goals + result->goal_index * DOF, DOF * sizeof(double));
    assert_true(fabs(waypoints_length(results, result) - result->length) <= 1e-12 * result->length);
}

/* `count` random queries of 1 … GOALS_MAX goals; states: malloc'ed, freed by the caller. */
static struct prm_query *random_queries(uint32_t count, double **states)
{
    struct test_random random = {99};
    struct prm_query *queries = calloc(count, sizeof(*queries));
    double *next = *states = calloc((size_t)count * (GOALS_MAX + 1) * DOF, sizeof(double));

    for (uint32_t q = 0; q < count; q++) {
        const uint32_t goals = 1 + (q % 5 == 0 ? test_random_below(&random, GOALS_MAX) : 0);
        queries[q] = (struct prm_query){
            .start = next, .goals = next + DOF, .goal_count = goals, .invalid = q % 50 == 49};
        for (uint32_t i = 0; i < (goals + 1) * DOF; i++)
            *next++ = (double)test_random_f32(&random, -0.2f, 10.2f);
    }
    return queries;
}

/* ---- tests ---- */

static void test_statuses(void **state)
{
    (void)state;
    static const double FREE[] = {1, 1}, FREE2[] = {9, 5}, INSIDE[] = {5, 5.25}, OUT[] = {1, 12},
                        GOALS_MIXED[] = {5, 5, 11, 1, 9, 5}, GOALS_BAD[] = {-1, 3, 5, 5},
                        GOALS_BAD2[] = {5, 5, -1, 3}, GOALS_SAME[] = {9, 5, 1, 1};
    static const struct {
        const char *what;
        const double *start, *goals;
        uint32_t goal_count;
        bool invalid;
        enum prm_query_status status;
        enum prm_reason_kind kind;
        enum prm_reason_at at;
        uint32_t goal_index;
    } CASES[] = {
        {"plain", FREE, FREE2, 1, false, PRM_SOLVED, PRM_REASON_NONE, PRM_AT_START, 0},
        {"invalid", FREE, FREE2, 1, true, PRM_INVALID_QUERY, PRM_REASON_NONE, PRM_AT_START, 0},
        {"no goal", FREE, NULL, 0, false, PRM_INVALID_QUERY, PRM_REASON_NONE, PRM_AT_START, 0},
        {"start out", OUT, FREE, 1, false, PRM_START_OUT_OF_BOUNDS, PRM_REASON_BOUNDS, PRM_AT_START,
         0},
        {"goal out", FREE, OUT, 1, false, PRM_GOAL_OUT_OF_BOUNDS, PRM_REASON_BOUNDS, PRM_AT_GOAL,
         0},
        {"start hit", INSIDE, FREE, 1, false, PRM_START_IN_COLLISION, PRM_REASON_WORLD_COLLISION,
         PRM_AT_START, 0},
        {"goal hit", FREE, INSIDE, 1, false, PRM_GOAL_IN_COLLISION, PRM_REASON_WORLD_COLLISION,
         PRM_AT_GOAL, 0},
        {"start out first", OUT, INSIDE, 1, false, PRM_START_OUT_OF_BOUNDS, PRM_REASON_BOUNDS,
         PRM_AT_START, 0},
        {"start hit before goal out", INSIDE, OUT, 1, false, PRM_START_IN_COLLISION,
         PRM_REASON_WORLD_COLLISION, PRM_AT_START, 0},
        {"one good goal", FREE, GOALS_MIXED, 3, false, PRM_SOLVED, PRM_REASON_NONE, PRM_AT_START,
         2},
        {"all goals bad", FREE, GOALS_BAD, 2, false, PRM_GOAL_OUT_OF_BOUNDS, PRM_REASON_BOUNDS,
         PRM_AT_GOAL, 0},
        {"all goals bad, hit first", FREE, GOALS_BAD2, 2, false, PRM_GOAL_IN_COLLISION,
         PRM_REASON_WORLD_COLLISION, PRM_AT_GOAL, 0},
        {"start is goal", FREE, FREE, 1, false, PRM_SOLVED, PRM_REASON_NONE, PRM_AT_START, 0},
        {"start is a goal", FREE, GOALS_SAME, 2, false, PRM_SOLVED, PRM_REASON_NONE, PRM_AT_START,
         1},
        {"start is goal, hit", INSIDE, INSIDE, 1, false, PRM_START_IN_COLLISION,
         PRM_REASON_WORLD_COLLISION, PRM_AT_START, 0},
    };
    enum { COUNT = sizeof(CASES) / sizeof(CASES[0]) };
    struct prm_query queries[COUNT];
    struct fixture f;

    fixture_circles(&f);
    for (size_t i = 0; i < COUNT; i++)
        queries[i] = (struct prm_query){.start = CASES[i].start,
                                        .goals = CASES[i].goals,
                                        .goal_count = CASES[i].goal_count,
                                        .invalid = CASES[i].invalid};
    for (int objective = 0; objective < 2; objective++) {
        const struct prm_plan_options options = {.objective = (enum prm_objective)objective};
        struct prm_plan_results results = plan(&f, queries, COUNT, &options);
        for (uint32_t i = 0; i < COUNT; i++) {
            const struct prm_plan_result *result = &results.results[i];
            if (result->status != CASES[i].status || result->reason.kind != CASES[i].kind)
                fail_msg("%s: status %d, kind %d", CASES[i].what, (int)result->status,
                         (int)result->reason.kind);
            if (result->status == PRM_SOLVED) {
                check_solved(&results, i, &queries[i]);
                assert_int_equal(result->goal_index, CASES[i].goal_index);
            } else {
                assert_int_equal(result->reason.at, CASES[i].at);
                assert_int_equal(result->waypoint_count, 0);
            }
            if (CASES[i].kind == PRM_REASON_WORLD_COLLISION)
                assert_int_equal(result->reason.obstacle, 2);
        }
        // 0.75 deep at (5, 5.25)
        assert_true(fabs(results.results[5].reason.depth - 0.75) < 1e-5);
        assert_int_equal(results.results[3].reason.coordinate, 1);
        assert_true(results.results[3].reason.value == 12);
        assert_true(results.results[3].reason.limit == 10);
        assert_true(results.results[12].length == 0 && results.results[12].hops == 0);
        assert_int_equal(results.solved, 4);
        check_motions(&f, &results);
        prm_plan_results_deinit(&results);
    }
    fixture_deinit(&f);
}

static void test_bounds_are_inclusive(void **state)
{
    (void)state;
    static const double STATES[][DOF] = {{0, 0}, {10, 10}, {10, 5}, {10 + 5e-7, 5}, {-5e-7, 10}};
    static const bool CLAMPED[] = {false, false, false, true, true};
    enum { COUNT = 5 };
    static const double GOAL[] = {5, 2}, BEYOND[] = {10 + 2e-6, 5};
    struct prm_query queries[COUNT + 1];
    const struct prm_plan_options options = {.simplify = true};
    struct fixture f;

    fixture_circles(&f);
    for (size_t i = 0; i < COUNT; i++)
        queries[i] = (struct prm_query){.start = STATES[i], .goals = GOAL, .goal_count = 1};
    queries[COUNT] = (struct prm_query){.start = GOAL, .goals = BEYOND, .goal_count = 1};
    struct prm_plan_results results = plan(&f, queries, COUNT + 1, &options);
    for (uint32_t i = 0; i < COUNT; i++) {
        check_solved(&results, i, &queries[i]);
        assert_int_equal(results.results[i].clamped, CLAMPED[i]);
    }
    assert_int_equal(results.results[COUNT].status, PRM_GOAL_OUT_OF_BOUNDS);
    assert_true(results.results[COUNT].reason.limit == 10);
    check_motions(&f, &results);
    prm_plan_results_deinit(&results);
    fixture_deinit(&f);
}

/* Two rooms, with a wall of some thickness between: no way without a door, and one with it. */
static void test_rooms(void **state)
{
    (void)state;
    static const double THICKNESS[] = {0.5, 1e-3};
    static const double LEFT[] = {1, 5}, RIGHT[] = {9, 5};
    const struct prm_query query = {.start = LEFT, .goals = RIGHT, .goal_count = 1};

    for (size_t i = test_size(0, 1); i < sizeof(THICKNESS) / sizeof(THICKNESS[0]); i++) {
        for (int door = 0; door < 2; door++) {
            const struct prm_obstacle walls[] = {
                rectangle(5, door ? 4 : 5, THICKNESS[i], door ? 8 : 10), circle(5, 4, 0.2)};
            const struct prm_world_spec spec = square(walls, 2);
            const struct prm_roadmap_params params = uniform((uint32_t)test_size(400, 120));
            struct fixture f;
            fixture_build(&f, &spec, &params);
            for (int objective = 0; objective < 2; objective++) {
                const struct prm_plan_options options = {
                    .objective = (enum prm_objective)objective, .simplify = true, .diagnose = true};
                struct prm_plan_results results = plan(&f, &query, 1, &options);
                const struct prm_plan_result *result = &results.results[0];
                if (door) {
                    check_solved(&results, 0, &query);
                    check_motions(&f, &results);
                    assert_true(result->length >= 2 * hypot(4, 3));
                } else {
                    assert_int_equal(result->status, PRM_NO_PATH);
                    assert_int_equal(result->reason.kind, PRM_REASON_OTHER_COMPONENT);
                    assert_int_equal(result->waypoint_count, 0);
                    assert_true(result->reason.start_component_size > 20);
                    assert_true(result->reason.goal_component_size > 20);
                }
                prm_plan_results_deinit(&results);
            }
            fixture_deinit(&f);
        }
    }
}

static void test_not_connected(void **state)
{
    (void)state;
    // a box around (1, 1) holds no milestone, or none that its walls let out
    const struct prm_obstacle box[] = {rectangle(1, 1.2, 0.4, 0.02), rectangle(1, 0.8, 0.4, 0.02),
                                       rectangle(0.8, 1, 0.02, 0.4), rectangle(1.2, 1, 0.02, 0.4)};
    const struct prm_world_spec spec = square(box, 4);
    const struct prm_roadmap_params params = uniform((uint32_t)test_size(150, 60));
    static const double BOXED[] = {1, 1}, FREE[] = {8, 8};
    const struct prm_query queries[] = {{.start = BOXED, .goals = FREE, .goal_count = 1},
                                        {.start = FREE, .goals = BOXED, .goal_count = 1}};
    const struct prm_plan_options all = {.diagnose = true}, narrow = {.connect_radius = 1e-6};
    struct fixture f;

    fixture_build(&f, &spec, &params);
    struct prm_plan_results results = plan(&f, queries, 2, &all);
    assert_int_equal(results.results[0].status, PRM_START_NOT_CONNECTED);
    assert_int_equal(results.results[0].reason.at, PRM_AT_START);
    assert_int_equal(results.results[0].reason.kind, PRM_REASON_NOT_CONNECTED);
    assert_true(results.results[0].reason.goal_component_size > 0);
    assert_int_equal(results.results[1].status, PRM_GOAL_NOT_CONNECTED);
    assert_int_equal(results.results[1].reason.at, PRM_AT_GOAL);
    prm_plan_results_deinit(&results);

    results = plan(&f, queries, 2, &narrow);
    assert_int_equal(results.results[0].status, PRM_START_NOT_CONNECTED);
    assert_int_equal(results.results[1].status, PRM_START_NOT_CONNECTED);
    prm_plan_results_deinit(&results);
    fixture_deinit(&f);
}

static bool same_answers(const struct prm_plan_results *a, uint32_t i,
                         const struct prm_plan_results *b, uint32_t j)
{
    const struct prm_plan_result *x = &a->results[i], *y = &b->results[j];
    return x->status == y->status && x->length == y->length && x->hops == y->hops &&
           x->goal_index == y->goal_index && x->reason.kind == y->reason.kind &&
           x->reason.obstacle == y->reason.obstacle && x->reason.depth == y->reason.depth &&
           x->waypoint_count == y->waypoint_count && x->node_count == y->node_count &&
           memcmp(a->waypoints + x->waypoint_first * DOF, b->waypoints + y->waypoint_first * DOF,
                  x->waypoint_count * DOF * sizeof(double)) == 0 &&
           memcmp(a->nodes + x->node_first, b->nodes + y->node_first,
                  x->node_count * sizeof(uint32_t)) == 0;
}

/* Batches of 1, 7 and all: the same answers; and what holds for each of them. */
static void test_batches(void **state)
{
    (void)state;
    static const struct prm_plan_options OPTIONS[] = {
        {.objective = PRM_OBJECTIVE_LENGTH, .output = PRM_OUTPUT_NODES},
        {.objective = PRM_OBJECTIVE_HOPS, .output = PRM_OUTPUT_NODES},
        {.objective = PRM_OBJECTIVE_LENGTH, .simplify = true},
        {.objective = PRM_OBJECTIVE_HOPS, .simplify = true, .interpolate = 0.25},
        {.objective = PRM_OBJECTIVE_LENGTH, .connect_k = 3, .connect_enough = 1},
    };
    const uint32_t count = (uint32_t)test_size(1000, 8);
    double *states;
    struct prm_query *queries = random_queries(count, &states);
    struct fixture f;

    fixture_circles(&f);
    for (size_t o = 0; o < sizeof(OPTIONS) / sizeof(OPTIONS[0]); o++) {
        struct prm_plan_results all = plan(&f, queries, count, &OPTIONS[o]);
        for (uint32_t q = 0; q < count; q++) {
            if (all.results[q].status == PRM_SOLVED)
                check_solved(&all, q, &queries[q]);
        }
        check_motions(&f, &all);
        assert_true(4 * all.solved > count);
        for (uint32_t q = 0; q < count; q += 7 * (1 + count / 100)) {
            const uint32_t n = count - q < 7 ? count - q : 7;
            struct prm_plan_results some = plan(&f, queries + q, n, &OPTIONS[o]);
            struct prm_plan_results one = plan(&f, queries + q, 1, &OPTIONS[o]);
            for (uint32_t i = 0; i < n; i++)
                assert_true(same_answers(&all, q + i, &some, i));
            assert_true(same_answers(&all, q, &one, 0));
            prm_plan_results_deinit(&some);
            prm_plan_results_deinit(&one);
        }
        prm_plan_results_deinit(&all);
    }
    fixture_deinit(&f);
    free(queries);
    free(states);
}

/* A part of a batch is what its queries have for answers alone. */
static void test_parts(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, count;
    } PARTS[] = {{0, 1}, {0, 60}, {13, 1}, {49, 2}, {7, 40}, {59, 1}, {20, 0}};
    static const struct prm_plan_options OPTIONS[] = {
        {.output = PRM_OUTPUT_NODES, .simplify = true},
        {.output = PRM_OUTPUT_COST},
    };
    double *states;
    struct prm_query *queries = random_queries(60, &states);
    struct fixture f;

    fixture_circles(&f);
    for (size_t o = 0; o < sizeof(OPTIONS) / sizeof(OPTIONS[0]); o++) {
        struct prm_plan_results all = plan(&f, queries, 60, &OPTIONS[o]);
        for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++) {
            struct prm_plan_results part, alone;
            struct prm_expansion *left;
            assert_ok(prm_plan_part(&part, &left, &all, NULL, PARTS[i].first, PARTS[i].count));
            assert_null(left);
            alone = plan(&f, queries + PARTS[i].first, PARTS[i].count, &OPTIONS[o]);
            assert_int_equal(part.count, alone.count);
            assert_int_equal(part.solved, alone.solved);
            assert_int_equal(part.waypoint_count, alone.waypoint_count);
            assert_int_equal(part.node_count, alone.node_count);
            for (uint32_t q = 0; q < PARTS[i].count; q++) {
                assert_true(same_answers(&part, q, &alone, q));
                assert_int_equal(part.results[q].waypoint_first, alone.results[q].waypoint_first);
            }
            prm_plan_results_deinit(&part);
            prm_plan_results_deinit(&alone);
        }
        prm_plan_results_deinit(&all);
    }
    fixture_deinit(&f);
    free(queries);
    free(states);
}

/* Queries whose deadline is over are said to be so, unless they are none; the others have their
 * answers. */
static void test_deadlines(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    const struct prm_plan_options options = {.simplify = true};
    const double now = prm_clock_ms();
    double *states;
    struct prm_query *queries = random_queries(COUNT, &states);
    struct fixture f;

    fixture_circles(&f);
    struct prm_plan_results without = plan(&f, queries, COUNT, &options);
    for (uint32_t q = 0; q < COUNT; q++)
        queries[q].deadline_ms = q % 3 == 0 ? 0 : q % 3 == 1 ? now + 1e6 : now;
    struct prm_plan_results some = plan(&f, queries, COUNT, &options);
    for (uint32_t q = 0; q < COUNT; q++) {
        if (q % 3 == 2)
            assert_int_equal(some.results[q].status,
                             queries[q].invalid ? PRM_INVALID_QUERY : PRM_DEADLINE_EXCEEDED);
        else
            assert_true(same_answers(&without, q, &some, q));
    }
    for (uint32_t q = 0; q < COUNT; q++)
        queries[q].deadline_ms = now;
    struct prm_plan_results none = plan(&f, queries, COUNT, &options);
    assert_int_equal(none.solved, 0);
    assert_int_equal(none.waypoint_count, 0);
    prm_plan_results_deinit(&without);
    prm_plan_results_deinit(&some);
    prm_plan_results_deinit(&none);
    fixture_deinit(&f);
    free(queries);
    free(states);
}

/* Hops, nodes, the output choices, interpolation and simplification, each against the plain answer.
 */
static void test_outputs(void **state)
{
    (void)state;
    const uint32_t count = (uint32_t)test_size(200, 8);
    static const double INTERPOLATE = 0.125;
    double *states;
    struct prm_query *queries = random_queries(count, &states);
    const struct prm_plan_options plain = {.output = PRM_OUTPUT_NODES},
                                  cost = {.output = PRM_OUTPUT_COST},
                                  fine = {.interpolate = INTERPOLATE}, shorter = {.simplify = true};
    struct fixture f;
    double sum = 0, shorter_sum = 0;

    fixture_circles(&f);
    struct prm_plan_results a = plan(&f, queries, count, &plain),
                            b = plan(&f, queries, count, &cost),
                            c = plan(&f, queries, count, &fine),
                            d = plan(&f, queries, count, &shorter);
    for (uint32_t q = 0; q < count; q++) {
        const struct prm_plan_result *result = &a.results[q];
        assert_int_equal(b.results[q].status, result->status);
        assert_true(b.results[q].length == result->length);
        assert_int_equal(b.results[q].waypoint_count, 0);
        if (result->status != PRM_SOLVED)
            continue;
        assert_int_equal(result->hops, result->waypoint_count - 1);
        for (size_t i = 0; i < result->node_count; i++)
            assert_true(a.nodes[result->node_first + i] < f.roadmap->milestone_count);
        assert_int_equal(result->node_count, result->waypoint_count - 2);

        check_solved(&c, q, &queries[q]);
        assert_true(fabs(c.results[q].length - result->length) <= 1e-12 * result->length);
        const double *points = c.waypoints + c.results[q].waypoint_first * DOF;
        for (size_t i = 1; i < c.results[q].waypoint_count; i++)
            assert_true(hypot(points[i * DOF] - points[(i - 1) * DOF],
                              points[i * DOF + 1] - points[(i - 1) * DOF + 1]) <=
                        INTERPOLATE * (1 + 1e-12));

        check_solved(&d, q, &queries[q]);
        assert_true(d.results[q].length <= result->length);
        assert_int_equal(d.results[q].hops, result->hops);
        sum += result->length;
        shorter_sum += d.results[q].length;
    }
    check_motions(&f, &c);
    check_motions(&f, &d);
    assert_true(shorter_sum < 0.97 * sum);
    prm_plan_results_deinit(&a);
    prm_plan_results_deinit(&b);
    prm_plan_results_deinit(&c);
    prm_plan_results_deinit(&d);
    fixture_deinit(&f);
    free(queries);
    free(states);
}

/* Least length over 8-connected free cells without cutting corners, by relaxation until nothing
 * changes. */
static double cells_length(const char *const *rows, int width, int height, int sx, int sy, int gx,
                           int gy)
{
    double *cost = malloc((size_t)(width * height) * sizeof(double));
    bool changed = true;

#define FREE_CELL(x, y)                                                                            \
    ((x) >= 0 && (y) >= 0 && (x) < width && (y) < height && rows[height - 1 - (y)][x] == '.')
    for (int i = 0; i < width * height; i++)
        cost[i] = INFINITY;
    cost[sy * width + sx] = 0;
    while (changed) {
        changed = false;
        for (int i = 0; i < 9 * width * height; i++) {
            const int x = i / 9 % width, y = i / 9 / width, dx = i % 3 - 1, dy = i / 3 % 3 - 1;
            if (!FREE_CELL(x, y) || !FREE_CELL(x + dx, y + dy) || !FREE_CELL(x + dx, y) ||
                !FREE_CELL(x, y + dy))
                continue;
            const double c = cost[y * width + x] + hypot(dx, dy);
            double *to = &cost[(y + dy) * width + x + dx];
            if (c < *to - 1e-9) {
                *to = c;
                changed = true;
            }
        }
    }
#undef FREE_CELL
    const double length = cost[gy * width + gx];
    free(cost);
    return length;
}

/* A lattice answers with the shortest way over its cells, exactly the cells, whatever the pair. */
static void test_lattice(void **state)
{
    (void)state;
    enum { WIDTH = 9, HEIGHT = 6, CELLS = WIDTH * HEIGHT };
    static const char *const ROWS[] = {".........", ".@@@@.@@.", "...@..@..",
                                       ".@.@.@@.@", ".@...@...", "...@@@.@."};
    uint8_t cells[CELLS];
    for (int i = 0; i < CELLS; i++)
        cells[i] =
            ROWS[HEIGHT - 1 - i / WIDTH][i % WIDTH] == '.' ? TERRAIN_GROUND : TERRAIN_BLOCKED;
    const struct prm_obstacle grid = {.kind = PRM_OBSTACLE_GRID,
                                      .quaternion = {0, 0, 0, 1},
                                      .grid = {WIDTH, HEIGHT, 1, {0, 0, 0}, cells}};
    const struct prm_world_spec spec = {.dimension = 2,
                                        .bounded = true,
                                        .upper = {WIDTH, HEIGHT},
                                        .obstacles = &grid,
                                        .obstacle_count = 1};
    const struct prm_roadmap_params params = {.sample_method = PRM_SAMPLE_LATTICE,
                                              .neighbor_method = PRM_NEIGHBOR_EXACT,
                                              .k = 8,
                                              .radius = 1.5};
    double centers[CELLS][DOF];
    struct prm_query queries[CELLS * CELLS];
    struct fixture f;

    for (int i = 0; i < CELLS; i++) {
        const int column = i % WIDTH, row = i / WIDTH;
        centers[i][0] = column + 0.5;
        centers[i][1] = row + 0.5;
    }
    const uint32_t count = (uint32_t)test_size(CELLS * CELLS, CELLS);
    for (uint32_t i = 0; i < count; i++)
        queries[i] = (struct prm_query){
            .start = centers[i / CELLS], .goals = centers[i % CELLS], .goal_count = 1};
    fixture_build(&f, &spec, &params);
    const struct prm_plan_options options[] = {{.objective = PRM_OBJECTIVE_LENGTH},
                                               {.simplify = true}};
    struct prm_plan_results plain = plan(&f, queries, count, &options[0]);
    struct prm_plan_results simple = plan(&f, queries, count, &options[1]);
    for (uint32_t i = 0; i < count; i++) {
        const int s = (int)i / CELLS, g = (int)i % CELLS;
        const struct prm_plan_result *result = &plain.results[i];
        if (cells[s] == TERRAIN_BLOCKED) {
            assert_int_equal(result->status, PRM_START_IN_COLLISION);
        } else if (cells[g] == TERRAIN_BLOCKED) {
            assert_int_equal(result->status, PRM_GOAL_IN_COLLISION);
        } else {
            const double length =
                cells_length(ROWS, WIDTH, HEIGHT, s % WIDTH, s / WIDTH, g % WIDTH, g / WIDTH);
            if (!isfinite(length)) {
                assert_int_equal(result->status, PRM_NO_PATH);
                continue;
            }
            check_solved(&plain, i, &queries[i]);
            assert_true(fabs(result->length - length) < 1e-9);
            // way-points are cells, each once
            for (size_t w = 0; w + 1 < result->waypoint_count; w++) {
                const double *p = plain.waypoints + (result->waypoint_first + w) * DOF;
                const double step = hypot(p[2] - p[0], p[3] - p[1]);
                assert_true(s == g || (step > 0.99 && step < 1.42));
            }
            assert_true(simple.results[i].length <= result->length);
        }
    }
    check_motions(&f, &simple);
    prm_plan_results_deinit(&plain);
    prm_plan_results_deinit(&simple);
    fixture_deinit(&f);
}

/* More queries than a piece takes, and a query of many goals. */
static void test_pieces(void **state)
{
    (void)state;
    const uint32_t count = (uint32_t)test_size(20000, 20), goals = (uint32_t)test_size(3000, 12);
    double *states;
    struct prm_query *queries = random_queries(count, &states);
    double *many = calloc((size_t)goals * DOF, sizeof(double));
    const struct prm_plan_options cost = {.output = PRM_OUTPUT_COST}, path = {0};
    struct fixture f;

    fixture_circles(&f);
    struct prm_plan_results results = plan(&f, queries, count, &cost);
    for (uint32_t q = 0; q < count; q += 1000) {
        struct prm_plan_results one = plan(&f, queries + q, 1, &cost);
        assert_int_equal(one.results[0].status, results.results[q].status);
        assert_true(one.results[0].length == results.results[q].length);
        prm_plan_results_deinit(&one);
    }
    prm_plan_results_deinit(&results);

    // the nearest goal of many wins, here the last
    static const double START[] = {9, 5};
    for (uint32_t g = 0; g < goals; g++) {
        many[g * DOF] = 0.5;
        many[g * DOF + 1] = 4 + (double)g / goals;
    }
    many[(goals - 1) * DOF] = 8.5;
    many[(goals - 1) * DOF + 1] = 5;
    const struct prm_query query = {.start = START, .goals = many, .goal_count = goals};
    results = plan(&f, &query, 1, &path);
    check_solved(&results, 0, &query);
    assert_int_equal(results.results[0].goal_index, goals - 1);
    prm_plan_results_deinit(&results);
    fixture_deinit(&f);
    free(many);
    free(queries);
    free(states);
}

static void test_memory_stays(void **state)
{
    (void)state;
    const uint32_t count = (uint32_t)test_size(200, 4);
    double *states;
    struct prm_query *queries = random_queries(count, &states);
    const struct prm_plan_options options = {.simplify = true};
    struct prm_memory_use first = {0};
    struct fixture f;

    fixture_circles(&f);
    const uint32_t milestones = f.roadmap->milestone_count;
    for (size_t round = 0; round < test_size(8, 4); round++) {
        struct prm_plan_results results = plan(&f, queries, count, &options);
        prm_plan_results_deinit(&results);
        const struct prm_memory_use use = prm_context_memory(test_context);
        if (round == 2)
            first = use;
        if (round > 2) {
            assert_int_equal(use.resident_bytes, first.resident_bytes);
            assert_int_equal(use.scratch_bytes, first.scratch_bytes);
        }
    }
    assert_int_equal(f.roadmap->milestone_count, milestones);

    // nothing asked, nothing answered
    struct prm_plan_results results = plan(&f, queries, 0, &options);
    assert_int_equal(results.solved, 0);
    prm_plan_results_deinit(&results);
    fixture_deinit(&f);
    free(queries);
    free(states);
}

static void test_faults(void **state)
{
    (void)state;
    const struct prm_plan_options options = {.simplify = true};
    const struct prm_plan_options wrong[] = {{.interpolate = -1},
                                             {.interpolate = NAN},
                                             {.connect_radius = INFINITY},
                                             {.connect_k = PRM_NEIGHBORS_MAX + 1},
                                             {.interpolate = 1e-9}};
    const enum prm_status statuses[] = {PRM_INVALID_ARGUMENT, PRM_INVALID_ARGUMENT,
                                        PRM_INVALID_ARGUMENT, PRM_LIMIT_EXCEEDED,
                                        PRM_LIMIT_EXCEEDED};
    struct fixture f;
    struct prm_plan_results results;
    double *states;
    // what the host does; runs that are not interpreted tell
    if (test_is_small())
        skip();

    struct prm_query *queries = random_queries(10, &states);
    fixture_circles(&f);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_status(statuses[i], prm_plan(f.planner, &results, f.roadmap, f.validity, f.world,
                                            queries, 10, &wrong[i]));
        if (wrong[i].interpolate > 0) {
            assert_string_equal(prm_fault_last()->parameter, "interpolate");
            assert_string_equal(prm_fault_last()->limit_name, "waypoints");
        }
        prm_plan_results_deinit(&results);
    }
    struct prm_plan_results good = plan(&f, queries, 10, &options);
    for (uint32_t countdown = 1;; countdown++) {
        prm_context_inject_fault(test_context, countdown);
        const enum prm_status status =
            prm_plan(f.planner, &results, f.roadmap, f.validity, f.world, queries, 10, &options);
        prm_context_inject_fault(test_context, 0);
        if (status == PRM_OK)
            break;
        assert_int_equal(status, PRM_DEVICE_FAILED);
        assert_true(countdown < 1000);
        prm_plan_results_deinit(&results);
    }
    for (uint32_t q = 0; q < 10; q++)
        assert_true(same_answers(&good, q, &results, q));
    prm_plan_results_deinit(&results);
    prm_plan_results_deinit(&good);
    fixture_deinit(&f);
    free(queries);
    free(states);
}

static void test_warm_up(void **state)
{
    (void)state;
    struct prm_planner *planner;
    // nothing that others do not try
    if (test_is_small())
        skip();

    assert_ok(prm_planner_create(test_context, &planner));
    assert_ok(prm_planner_warm_up(planner, 2));
    assert_ok(prm_planner_warm_up(planner, 3));
    assert_status(PRM_INVALID_ARGUMENT, prm_planner_warm_up(planner, 1));
    prm_planner_destroy(planner);
    prm_planner_destroy(NULL);
}

/* A rehearsal leaves what it was given, and no memory. */
static void test_rehearsal(void **state)
{
    (void)state;
    struct fixture f;
    struct prm_planner *planner;
    if (test_is_small())
        skip();

    fixture_circles(&f);
    const size_t bytes = f.validity->edge_valid.bytes;
    const uint64_t resident = prm_context_memory(test_context).resident_bytes;
    uint32_t *before = malloc(bytes), *after = malloc(bytes);
    assert_true(before && after);
    assert_ok(prm_buffer_read(test_context, f.validity->edge_valid, 0, before, bytes));
    assert_ok(prm_planner_create(test_context, &planner));
    assert_ok(prm_planner_rehearse(planner, f.roadmap, f.validity, f.world));
    prm_planner_destroy(planner);
    assert_ok(prm_buffer_read(test_context, f.validity->edge_valid, 0, after, bytes));
    assert_memory_equal(before, after, bytes);
    assert_int_equal(prm_context_memory(test_context).resident_bytes, resident);
    free(before);
    free(after);
    fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statuses),     cmocka_unit_test(test_bounds_are_inclusive),
        cmocka_unit_test(test_rooms),        cmocka_unit_test(test_not_connected),
        cmocka_unit_test(test_batches),      cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_lattice),      cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_memory_stays), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_warm_up),      cmocka_unit_test(test_parts),
        cmocka_unit_test(test_deadlines),    cmocka_unit_test(test_rehearsal),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

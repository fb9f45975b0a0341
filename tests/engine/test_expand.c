/* Goal: queries that the roadmap alone cannot answer are answered by trees where there is a way,
 * the same in any batch, and the others keep their answers. Method: traps, pockets and corridors
 * that a sparse roadmap does not lead through, in the plane and in space, for point and ball.
 * Oracle: what each world makes evident; every motion that comes back measured in double precision
 * against the world as it is specified. */
#include "device/clock.h"
#include "oracle_world.h"
#include "roadmap/plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 1000, SAMPLES_SMALL = 24, WALLS_MAX = 24 };

/* What trees may take; where kernels are interpreted, too little to find every way. */
static uint32_t samples_of_test(void)
{
    return (uint32_t)test_size(SAMPLES, SAMPLES_SMALL);
}

/* Balls of a rod, and how far apart. */
enum { ROD_BALLS = 3 };
#define ROD_STEP 0.5
/* Places along a motion of a rod that are looked at, and what they may lack: motions are certified
 * in single precision. */
enum { ROD_FRACTIONS = 200 };
#define ROD_TOLERANCE 1e-4

/* A world of boxes, with one query. */
struct scene {
    const char *name;
    uint32_t dimension;
    double walls[WALLS_MAX][6]; /* centre and size */
    uint32_t wall_count;
    double radius;
    bool rod; /* a rigid robot of three balls in a row, which turns */
    uint32_t milestones;
    double start[3], goal[3];
    bool has_way;
};

static const struct scene SCENES[] = {
    {.name = "bug trap",
     .dimension = 2,
     // a box about (5, 5) whose one opening is a funnel inwards, 0.6 wide
     .walls = {{5, 3, 0, 4, 0.2, 0},
               {5, 7, 0, 4, 0.2, 0},
               {3, 5, 0, 0.2, 4, 0},
               {7, 3.8, 0, 0.2, 1.6, 0},
               {7, 6.2, 0, 0.2, 1.6, 0},
               {6.4, 4.65, 0, 1.2, 0.1, 0},
               {6.4, 5.35, 0, 1.2, 0.1, 0},
               {4.8, 5, 0, 0.1, 1.4, 0}},
     .wall_count = 8,
     .milestones = 30,
     .start = {4, 5},
     .goal = {9, 1},
     .has_way = true},
    {.name = "bug trap, backwards",
     .dimension = 2,
     .walls = {{5, 3, 0, 4, 0.2, 0},
               {5, 7, 0, 4, 0.2, 0},
               {3, 5, 0, 0.2, 4, 0},
               {7, 3.8, 0, 0.2, 1.6, 0},
               {7, 6.2, 0, 0.2, 1.6, 0},
               {6.4, 4.65, 0, 1.2, 0.1, 0},
               {6.4, 5.35, 0, 1.2, 0.1, 0},
               {4.8, 5, 0, 0.1, 1.4, 0}},
     .wall_count = 8,
     .radius = 0.02,
     .milestones = 30,
     .start = {9, 1},
     .goal = {4, 5},
     .has_way = true},
    {.name = "pocket",
     .dimension = 3,
     // a drawer open to one side, its entrance half closed
     .walls = {{5, 5, 4.4, 1.2, 1.2, 0.1},
               {5, 5, 5.6, 1.2, 1.2, 0.1},
               {5, 4.4, 5, 1.2, 0.1, 1.2},
               {5, 5.6, 5, 1.2, 0.1, 1.2},
               {4.4, 5, 5, 0.1, 1.2, 1.2},
               {5.6, 5, 4.7, 0.1, 1.2, 0.6}},
     .wall_count = 6,
     .radius = 0.1,
     .milestones = 300,
     .start = {1, 1, 1},
     .goal = {4.7, 5, 4.7},
     .has_way = true},
    {.name = "corridor",
     .dimension = 2,
     // two rooms, and a corridor 0.6 wide between them
     .walls = {{5, 2.35, 0, 2, 4.7, 0}, {5, 7.65, 0, 2, 4.7, 0}},
     .wall_count = 2,
     .radius = 0.04,
     .milestones = 30,
     .start = {1, 9},
     .goal = {9, 1},
     .has_way = true},
    {.name = "rod through a gap",
     .dimension = 2,
     // it stands crosswise in one room and must turn to get into the other
     .walls = {{5, 2.3, 0, 1, 4.6, 0}, {5, 7.7, 0, 1, 4.6, 0}},
     .wall_count = 2,
     .radius = 0.12,
     .rod = true,
     .milestones = 12,
     .start = {2, 8, 1.5},
     .goal = {8, 2, -3},
     .has_way = true},
    {.name = "closed room",
     .dimension = 2,
     .walls = {{5, 3, 0, 4.2, 0.2, 0},
               {5, 7, 0, 4.2, 0.2, 0},
               {3, 5, 0, 0.2, 4.2, 0},
               {7, 5, 0, 0.2, 4.2, 0}},
     .wall_count = 4,
     .milestones = 200,
     .start = {5, 5},
     .goal = {9, 9},
     .has_way = false},
    {.name = "closed box",
     .dimension = 3,
     .walls = {{5, 5, 4, 2.2, 2.2, 0.2},
               {5, 5, 6, 2.2, 2.2, 0.2},
               {5, 4, 5, 2.2, 0.2, 2.2},
               {5, 6, 5, 2.2, 0.2, 2.2},
               {4, 5, 5, 0.2, 2.2, 2.2},
               {6, 5, 5, 0.2, 2.2, 2.2}},
     .wall_count = 6,
     .radius = 0.05,
     .milestones = 200,
     .start = {1, 1, 1},
     .goal = {5, 5, 5},
     .has_way = false},
};
enum { SCENE_COUNT = sizeof(SCENES) / sizeof(SCENES[0]) };

struct fixture {
    const struct scene *scene;
    struct prm_obstacle obstacles[WALLS_MAX];
    struct prm_world_spec spec;
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    struct prm_planner *planner;
};

static void fixture_init(struct fixture *f, const struct scene *scene)
{
    const double r = scene->radius;
    const struct prm_sphere balls[ROD_BALLS] = {
        {{-ROD_STEP, 0, 0}, r}, {{0, 0, 0}, r}, {{ROD_STEP, 0, 0}, r}};
    const struct prm_robot_spec rod = {
        .kind = PRM_ROBOT_RIGID, .spheres = balls, .sphere_count = ROD_BALLS};
    const struct prm_robot_spec ball = {.kind = r > 0 ? PRM_ROBOT_BALL : PRM_ROBOT_POINT,
                                        .radius = r};
    const struct prm_robot_spec *robot = scene->rod ? &rod : &ball;
    const struct prm_roadmap_params params = {.seed = 3,
                                              .sample_count = scene->milestones,
                                              .sample_method = PRM_SAMPLE_UNIFORM,
                                              .neighbor_method = PRM_NEIGHBOR_EXACT,
                                              .k = 8};

    *f = (struct fixture){.scene = scene};
    for (uint32_t i = 0; i < scene->wall_count; i++) {
        f->obstacles[i] = (struct prm_obstacle){
            .kind = scene->dimension == 2 ? PRM_OBSTACLE_RECTANGLE : PRM_OBSTACLE_BOX,
            .quaternion = {0, 0, 0, 1}};
        memcpy(f->obstacles[i].center, scene->walls[i], 3 * sizeof(double));
        memcpy(f->obstacles[i].size, scene->walls[i] + 3, 3 * sizeof(double));
    }
    f->spec = (struct prm_world_spec){.dimension = scene->dimension,
                                      .bounded = true,
                                      .upper = {10, 10, 10},
                                      .obstacles = f->obstacles,
                                      .obstacle_count = scene->wall_count};
    assert_ok(prm_world_create(test_arena, &f->world, &f->spec));
    assert_ok(
        prm_roadmap_create(test_context, &f->roadmap, &f->validity, f->world, robot, &params));
    assert_ok(prm_planner_create(test_context, &f->planner));
}

static void fixture_deinit(struct fixture *f)
{
    prm_planner_destroy(f->planner);
    prm_validity_destroy(f->validity);
    prm_roadmap_destroy(f->roadmap);
    prm_world_destroy(f->world);
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

/* ---- checks ---- */

/* What the robot keeps from all obstacles on the way from a to b. */
static double motion_clearance(const struct fixture *f, const double *a, const double *b)
{
    double from[3] = {0}, to[3] = {0};
    if (!f->scene->rod) {
        memcpy(from, a, f->scene->dimension * sizeof(double));
        memcpy(to, b, f->scene->dimension * sizeof(double));
        return oracle_segment_clearance(&f->spec, true, from, to) - f->scene->radius;
    }
    double least = INFINITY;
    for (int i = 0; i <= ROD_FRACTIONS; i++) {
        double state[3];
        prm_space_interpolate(&f->roadmap->space, state, a, b, (double)i / ROD_FRACTIONS);
        for (int ball = 0; ball < ROD_BALLS; ball++) {
            const double along = ROD_STEP * (ball - 1);
            const double at[3] = {state[0] + along * cos(state[2]),
                                  state[1] + along * sin(state[2])};
            least = fmin(least, oracle_segment_clearance(&f->spec, true, at, at));
        }
    }
    return least - f->scene->radius + ROD_TOLERANCE;
}

/* A solved query's path begins and ends as sent (a turn by whole turns beside it), measures what it
 * says and touches nothing. */
static void check_path(const struct fixture *f, const struct prm_plan_results *results, uint32_t q,
                       const struct prm_query *query)
{
    const struct prm_plan_result *result = &results->results[q];
    const uint32_t dof = results->dof;
    const double *points = results->waypoints + result->waypoint_first * dof;
    const double *last = points + (result->waypoint_count - 1) * dof;
    const double *goal = query->goals + result->goal_index * dof;
    double length = 0;

    assert_true(result->waypoint_count >= 2);
    assert_true(result->goal_index < query->goal_count);
    assert_memory_equal(points, query->start, dof * sizeof(double));
    if (f->scene->rod)
        assert_true(prm_space_distance(&f->roadmap->space, last, goal) < 1e-9);
    else
        assert_memory_equal(last, goal, dof * sizeof(double));
    for (size_t i = 1; i < result->waypoint_count; i++) {
        const double *a = points + (i - 1) * dof, *b = points + i * dof;
        length += prm_space_distance(&f->roadmap->space, a, b);
        const double clearance = motion_clearance(f, a, b);
        if (!(clearance > 0))
            fail_msg("%s: motion %zu keeps %g", f->scene->name, i, clearance);
    }
    assert_true(fabs(length - result->length) <= 1e-9 * length);
}

/* The same answer, but for where its way-points are. */
static void check_same(const struct prm_plan_results *a, uint32_t i,
                       const struct prm_plan_results *b, uint32_t j)
{
    const struct prm_plan_result *one = &a->results[i], *other = &b->results[j];
    assert_int_equal(one->status, other->status);
    assert_int_equal(one->reason.kind, other->reason.kind);
    assert_int_equal(one->expanded, other->expanded);
    assert_int_equal(one->hops, other->hops);
    assert_int_equal(one->goal_index, other->goal_index);
    assert_int_equal(one->waypoint_count, other->waypoint_count);
    assert_int_equal(one->node_count, other->node_count);
    assert_memory_equal(a->waypoints + one->waypoint_first * a->dof,
                        b->waypoints + other->waypoint_first * b->dof,
                        one->waypoint_count * a->dof * sizeof(double));
    assert_memory_equal(a->nodes + one->node_first, b->nodes + other->node_first,
                        one->node_count * sizeof(uint32_t));
}

/* `count` queries between random free and colliding states; every tenth has three goals. states:
 * malloc'ed, freed by the caller. */
static struct prm_query *random_queries(const struct fixture *f, uint32_t count, double **states)
{
    struct test_random random = {5};
    const uint32_t dof = f->roadmap->space.dof;
    struct prm_query *queries = calloc(count, sizeof(*queries));
    double *next = *states = calloc((size_t)count * 4 * dof, sizeof(double));

    for (uint32_t q = 0; q < count; q++) {
        const uint32_t goals = q % 10 == 3 ? 3 : 1;
        queries[q] = (struct prm_query){.start = next, .goals = next + dof, .goal_count = goals};
        for (uint32_t i = 0; i < (goals + 1) * dof; i++)
            *next++ = (double)test_random_f32(&random, 0, 10);
        // two of three lead into the middle, where walls are
        for (uint32_t c = 0; q % 3 != 0 && c < dof; c++)
            next[-1 - (int)c] = (double)test_random_f32(&random, 4.5f, 5.5f);
    }
    return queries;
}

/* ---- tests ---- */

static void test_scenes(void **state)
{
    (void)state;
    // interpreted, one scene is enough
    const size_t count = test_size(SCENE_COUNT, 1);
    for (size_t i = 0; i < count; i++) {
        struct fixture f;
        fixture_init(&f, &SCENES[i]);
        const struct prm_query query = {
            .start = SCENES[i].start, .goals = SCENES[i].goal, .goal_count = 1};
        const struct prm_plan_options off = {.simplify = true};
        struct prm_plan_results without = plan(&f, &query, 1, &off);
        if (without.results[0].status == PRM_SOLVED)
            fail_msg("%s: the roadmap alone answers", SCENES[i].name);
        assert_false(without.results[0].expanded);
        assert_true(without.times.expand_ms == 0);

        for (int objective = test_is_small() ? 2 : 0; objective < 4; objective++) {
            const struct prm_plan_options options = {.objective =
                                                         (enum prm_objective)(objective % 2),
                                                     .simplify = objective / 2,
                                                     .output = PRM_OUTPUT_NODES,
                                                     .expand_samples = samples_of_test()};
            struct prm_plan_results results = plan(&f, &query, 1, &options);
            const struct prm_plan_result *result = &results.results[0];
            const bool solved = result->status == PRM_SOLVED;
            if (test_is_small() ? solved && !SCENES[i].has_way : solved != SCENES[i].has_way)
                fail_msg("%s: status %d", SCENES[i].name, (int)result->status);
            if (solved) {
                assert_true(result->expanded);
                check_path(&f, &results, 0, &query);
                // hops are the motions of the path before it is simplified
                if (!options.simplify)
                    assert_int_equal(result->hops, result->waypoint_count - 1);
            } else {
                check_same(&results, 0, &without, 0);
            }
            assert_int_equal(results.solved, solved);
            prm_plan_results_deinit(&results);
        }
        prm_plan_results_deinit(&without);
        fixture_deinit(&f);
    }
}

static void test_batches(void **state)
{
    (void)state;
    static const uint32_t SIZES[] = {1, 7, 1000};
    static const struct prm_plan_options OPTIONS[] = {
        {.objective = PRM_OBJECTIVE_LENGTH, .simplify = true, .expand_samples = 60},
        {.objective = PRM_OBJECTIVE_HOPS, .output = PRM_OUTPUT_NODES, .expand_samples = 20},
    };

    // interpreted, there are too few queries for each scene to have one that trees answer
    const bool each = test_size(1, 0) > 0;
    uint32_t expanded_in_all = 0;

    for (size_t i = 0; i < 5; i += 2) {
        const uint32_t count = (uint32_t)test_size(i == 0 ? 1000 : 50, 12);
        struct fixture f;
        double *states;
        fixture_init(&f, &SCENES[i]);
        struct prm_query *queries = random_queries(&f, count, &states);
        for (size_t o = 0; o < sizeof(OPTIONS) / sizeof(OPTIONS[0]); o++) {
            const struct prm_plan_options off = {.objective = OPTIONS[o].objective,
                                                 .output = OPTIONS[o].output,
                                                 .simplify = OPTIONS[o].simplify};
            struct prm_plan_results whole = plan(&f, queries, count, &OPTIONS[o]);
            struct prm_plan_results before = plan(&f, queries, count, &off);
            uint32_t expanded = 0;
            for (uint32_t q = 0; q < count; q++) {
                if (whole.results[q].status == PRM_SOLVED)
                    check_path(&f, &whole, q, &queries[q]);
                // what the roadmap answers, and what nothing does, is as before
                expanded += whole.results[q].expanded;
                if (!whole.results[q].expanded)
                    check_same(&whole, q, &before, q);
                else
                    assert_int_not_equal(before.results[q].status, PRM_SOLVED);
            }
            assert_int_equal(whole.solved, before.solved + expanded);
            assert_true(expanded > 0 || !each);
            expanded_in_all += expanded;
            for (size_t s = 0; s < sizeof(SIZES) / sizeof(SIZES[0]); s++) {
                const uint32_t part = s == 0 ? count / 4 : count;
                for (uint32_t q = 0; q < part; q += SIZES[s]) {
                    const uint32_t n = q + SIZES[s] < part ? SIZES[s] : part - q;
                    struct prm_plan_results piece = plan(&f, queries + q, n, &OPTIONS[o]);
                    for (uint32_t j = 0; j < n; j++)
                        check_same(&whole, q + j, &piece, j);
                    prm_plan_results_deinit(&piece);
                }
            }
            prm_plan_results_deinit(&before);
            prm_plan_results_deinit(&whole);
        }
        free(queries);
        free(states);
        fixture_deinit(&f);
    }
    assert_true(expanded_in_all > 0);
}

/* Shapes and groups of work-items change no answer. */
static void test_shapes(void **state)
{
    (void)state;
    static const char *const TUNINGS[] = {"shape=cpu,wg=1", "shape=gpu,wg=64"};
    static const struct prm_plan_options options = {.output = PRM_OUTPUT_NODES,
                                                    .expand_samples = 100};
    struct prm_context *const context = test_context;
    struct prm_arena *const arena = test_arena;
    struct prm_plan_results first, results;

    for (size_t i = 0; i < sizeof(TUNINGS) / sizeof(TUNINGS[0]); i++) {
        struct prm_context_options opened = test_context_options();
        const uint32_t count = (uint32_t)test_size(60, 6);
        struct fixture f;
        double *states;
        opened.tuning = TUNINGS[i];
        assert_ok(prm_context_open(&test_context, &opened));
        assert_ok(prm_arena_create(test_context, &test_arena));
        fixture_init(&f, &SCENES[0]);
        struct prm_query *queries = random_queries(&f, count, &states);
        results = plan(&f, queries, count, &options);
        if (i == 0)
            first = results;
        for (uint32_t q = 0; i > 0 && q < count; q++)
            check_same(&first, q, &results, q);
        if (i > 0)
            prm_plan_results_deinit(&results);
        free(queries);
        free(states);
        fixture_deinit(&f);
        prm_arena_destroy(test_arena);
        prm_context_close(test_context);
    }
    prm_plan_results_deinit(&first);
    test_context = context;
    test_arena = arena;
}

/* Steps may be mixed with those of other batches, and given up at any point. */
static void test_steps(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, &SCENES[0]);
    const struct prm_query there = {
        .start = SCENES[0].start, .goals = SCENES[0].goal, .goal_count = 1};
    const struct prm_query back = {
        .start = SCENES[0].goal, .goals = SCENES[0].start, .goal_count = 1};
    const struct prm_plan_options options = {.simplify = true, .expand_samples = samples_of_test()};
    struct prm_plan_results alone[2] = {plan(&f, &there, 1, &options),
                                        plan(&f, &back, 1, &options)};
    struct prm_plan_results mixed[2], given_up;
    struct prm_expansion *left[2], *third;
    bool done[2] = {false, false};

    assert_ok(prm_plan_begin(f.planner, &mixed[0], &left[0], f.roadmap, f.validity, f.world, &there,
                             1, &options));
    assert_ok(prm_plan_begin(f.planner, &mixed[1], &left[1], f.roadmap, f.validity, f.world, &back,
                             1, &options));
    assert_ok(prm_plan_begin(f.planner, &given_up, &third, f.roadmap, f.validity, f.world, &back, 1,
                             &options));
    assert_non_null(third);
    assert_int_equal(prm_expansion_count(third), 1);
    for (uint32_t round = 0; !done[0] || !done[1]; round++) {
        bool unused;
        for (uint32_t i = 0; i < 2; i++) {
            if (!done[i])
                assert_ok(prm_expansion_step(left[i], &done[i]));
        }
        if (round < 2)
            assert_ok(prm_expansion_step(third, &unused));
    }
    for (uint32_t i = 0; i < 2; i++) {
        check_same(&alone[i], 0, &mixed[i], 0);
        prm_expansion_destroy(left[i]);
        prm_plan_results_deinit(&alone[i]);
        prm_plan_results_deinit(&mixed[i]);
    }
    prm_expansion_destroy(third);
    prm_plan_results_deinit(&given_up);
    fixture_deinit(&f);
}

/* What is left of a part of a batch ends as it would alone. */
static void test_parts(void **state)
{
    (void)state;
    const uint32_t count = (uint32_t)test_size(30, 3), third = count / 3;
    const struct prm_plan_options options = {
        .simplify = true, .output = PRM_OUTPUT_NODES, .expand_samples = samples_of_test()};
    struct prm_plan_results whole, parts[3];
    struct prm_expansion *left, *lefts[3];
    struct fixture f;
    double *states;

    fixture_init(&f, &SCENES[0]);
    struct prm_query *queries = random_queries(&f, count, &states);
    assert_ok(prm_plan_begin(f.planner, &whole, &left, f.roadmap, f.validity, f.world, queries,
                             count, &options));
    assert_non_null(left);
    uint32_t expanding = 0;
    for (uint32_t p = 0; p < 3; p++) {
        assert_ok(prm_plan_part(&parts[p], &lefts[p], &whole, left, p * third, third));
        expanding += lefts[p] ? prm_expansion_count(lefts[p]) : 0;
    }
    assert_int_equal(expanding, prm_expansion_count(left));
    prm_expansion_destroy(left);
    prm_plan_results_deinit(&whole);

    for (uint32_t p = 3; p-- > 0;) {
        for (bool done = !lefts[p]; !done;)
            assert_ok(prm_expansion_step(lefts[p], &done));
        prm_expansion_destroy(lefts[p]);
        struct prm_plan_results alone = plan(&f, queries + p * third, third, &options);
        assert_int_equal(parts[p].solved, alone.solved);
        for (uint32_t q = 0; q < third; q++)
            check_same(&parts[p], q, &alone, q);
        prm_plan_results_deinit(&alone);
        prm_plan_results_deinit(&parts[p]);
    }
    free(queries);
    free(states);
    fixture_deinit(&f);
}

/* A deadline ends what grows, and what has not begun to. */
static void test_deadlines(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, &SCENES[SCENE_COUNT - 1]);
    const struct prm_plan_options options = {.expand_samples = 100000};
    static const double MS[] = {0, 30};
    for (size_t i = 0; i < sizeof(MS) / sizeof(MS[0]); i++) {
        struct prm_query query = {.start = f.scene->start, .goals = f.scene->goal, .goal_count = 1};
        struct prm_plan_results results;
        struct prm_expansion *left;
        bool done = false;
        unsigned steps = 0;
        query.deadline_ms = prm_clock_ms() + 1e6;
        assert_ok(prm_plan_begin(f.planner, &results, &left, f.roadmap, f.validity, f.world, &query,
                                 1, &options));
        assert_non_null(left);
        prm_expansion_destroy(left);
        prm_plan_results_deinit(&results);

        // begun in time, though what is left is not
        query.deadline_ms = prm_clock_ms() + MS[1];
        assert_ok(prm_plan_begin(f.planner, &results, &left, f.roadmap, f.validity, f.world, &query,
                                 1, &options));
        if (left && MS[i] > 0)
            assert_ok(prm_expansion_step(left, &done));
        while (prm_clock_ms() < query.deadline_ms)
            ;
        for (; left && !done; steps++)
            assert_ok(prm_expansion_step(left, &done));
        assert_true(steps <= 1);
        assert_int_equal(results.results[0].status, PRM_DEADLINE_EXCEEDED);
        assert_int_equal(results.results[0].reason.kind, PRM_REASON_NONE);
        assert_int_equal(results.solved, 0);
        prm_expansion_destroy(left);
        prm_plan_results_deinit(&results);
    }
    fixture_deinit(&f);
}

/* Nothing is kept, and the roadmap stays as it is. */
static void test_memory_stays(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, &SCENES[3]);
    const struct prm_query query = {
        .start = SCENES[3].start, .goals = SCENES[3].goal, .goal_count = 1};
    const struct prm_plan_options options = {.expand_samples = samples_of_test()};
    const struct prm_memory_use before = prm_context_memory(test_context);
    for (int i = 0; i < 3; i++) {
        struct prm_plan_results results = plan(&f, &query, 1, &options);
        assert_true(results.results[0].status == PRM_SOLVED || test_is_small());
        prm_plan_results_deinit(&results);
        assert_int_equal(prm_context_memory(test_context).resident_bytes, before.resident_bytes);
    }
    fixture_deinit(&f);
}

static void test_faults(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, &SCENES[2]);
    const struct prm_query query = {
        .start = SCENES[2].start, .goals = SCENES[2].goal, .goal_count = 1};
    const struct prm_plan_options options = {.simplify = true, .expand_samples = samples_of_test()};
    struct prm_plan_results good = plan(&f, &query, 1, &options);
    uint32_t countdown = 1;
    for (bool failed = true; failed; countdown += test_is_small() ? 16 : 1) {
        struct prm_plan_results results;
        prm_context_inject_fault(test_context, countdown);
        const enum prm_status status =
            prm_plan(f.planner, &results, f.roadmap, f.validity, f.world, &query, 1, &options);
        prm_context_inject_fault(test_context, 0);
        failed = status != PRM_OK;
        if (!failed)
            check_same(&good, 0, &results, 0);
        prm_plan_results_deinit(&results);
    }
    assert_true(countdown > 20);
    prm_plan_results_deinit(&good);
    fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),       cmocka_unit_test(test_batches),
        cmocka_unit_test(test_shapes),       cmocka_unit_test(test_steps),
        cmocka_unit_test(test_memory_stays), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_parts),        cmocka_unit_test(test_deadlines),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

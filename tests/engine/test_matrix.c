/* Goal: a matrix has what plans without simplification find between each pair, to the last bit,
 * with and without trees, by length and by hops; what is wrong with a state costs the pairs that it
 * is in, and no others; a deadline cuts short; faults and early ends leave nothing.
 * Method: random worlds, sources and targets that overlap, states on milestones, in obstacles, out
 * of bounds, invalid, unlinked and twice the same. Oracle: prm_plan() of all pairs in one batch. */
#include "device/clock.h"
#include "oracle_world.h"
#include "roadmap/plan/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OBSTACLES = 25, POINTS = 6, STATES = 14, SOURCES = 9, TARGETS = 12, DOF_MOST = 3 };
static const double MIDDLE[3] = {3, 5, -2};

struct fixture {
    struct prm_obstacle obstacles[OBSTACLES];
    double points[OBSTACLES][2 * POINTS];
    struct prm_sphere balls[3];
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    struct prm_planner *planner;
    double states[STATES * DOF_MOST];
    bool invalid[STATES];
    struct prm_matrix_input input;
};

static const uint32_t FROM[SOURCES] = {0, 1, 2, 3, 4, 5, 6, 7, 0};
static const uint32_t TO[TARGETS] = {8, 9, 10, 11, 12, 13, 0, 1, 2, 3, 4, 5};

/* dimension 2 or 3 of a ball; with `rigid` a body in the plane that turns. */
static void fixture_init(struct fixture *f, uint32_t dimension, bool rigid, uint64_t seed)
{
    struct test_random random = {seed};
    struct prm_world_spec spec = {.dimension = dimension,
                                  .bounded = true,
                                  .obstacles = f->obstacles,
                                  .obstacle_count = OBSTACLES};
    for (int b = 0; b < 3; b++)
        f->balls[b] = (struct prm_sphere){{0.3 * (b - 1), 0, 0}, 0.15};
    const struct prm_robot_spec rod = {
        .kind = PRM_ROBOT_RIGID, .spheres = f->balls, .sphere_count = 3};
    const struct prm_robot_spec ball = {.kind = PRM_ROBOT_BALL, .radius = 0.2};
    const struct prm_roadmap_params params = {.seed = seed,
                                              .sample_count = (uint32_t)test_size(300, 30),
                                              .neighbor_method = PRM_NEIGHBOR_EXACT,
                                              .k = 6};
    for (uint32_t i = 0; i < OBSTACLES; i++)
        f->obstacles[i] =
            oracle_random_obstacle(&random, dimension, MIDDLE, 8, f->points[i], POINTS);
    for (uint32_t c = 0; c < dimension; c++) {
        spec.lower[c] = MIDDLE[c] - 8;
        spec.upper[c] = MIDDLE[c] + 8;
    }
    assert_ok(prm_world_create(test_arena, &f->world, &spec));
    assert_ok(prm_roadmap_create(test_context, &f->roadmap, &f->validity, f->world,
                                 rigid ? &rod : &ball, &params));
    assert_ok(prm_planner_create(test_context, &f->planner));

    // anywhere: some in obstacles, some in pockets that no edge leads out of
    const struct prm_space *space = &f->roadmap->space;
    for (uint32_t s = 0; s < STATES; s++)
        for (uint32_t c = 0; c < space->dof; c++)
            f->states[s * space->dof + c] =
                (double)test_random_f32(&random, -7.9f, 7.9f) + (c < dimension ? MIDDLE[c] : 0);
    // on a milestone, twice the same, out of bounds, invalid
    prm_space_from_row(space, f->states + space->dof, f->roadmap->host_states);
    memcpy(f->states + 10 * space->dof, f->states, space->dof * sizeof(double));
    f->states[2 * space->dof] = MIDDLE[0] + 9;
    memset(f->invalid, 0, sizeof(f->invalid));
    f->invalid[3] = true;
    f->input = (struct prm_matrix_input){.states = f->states,
                                         .invalid = f->invalid,
                                         .state_count = STATES,
                                         .sources = FROM,
                                         .targets = TO,
                                         .source_count = SOURCES,
                                         .target_count = TARGETS};
}

static void fixture_deinit(struct fixture *f)
{
    prm_planner_destroy(f->planner);
    prm_validity_destroy(f->validity);
    prm_roadmap_destroy(f->roadmap);
    prm_world_destroy(f->world);
}

static struct prm_matrix *run(const struct fixture *f, const struct prm_plan_options *options)
{
    struct prm_matrix *matrix;
    assert_ok(prm_matrix_create(&matrix, f->roadmap, f->validity, f->world, &f->input, options));
    for (bool done = false; !done;)
        assert_ok(prm_matrix_step(f->planner, matrix, &done));
    return matrix;
}

static struct prm_plan_results plan_pairs(const struct fixture *f,
                                          const struct prm_plan_options *options)
{
    struct prm_query queries[SOURCES * TARGETS];
    struct prm_plan_results results;
    const uint32_t dof = f->roadmap->space.dof;
    for (uint32_t i = 0; i < SOURCES; i++)
        for (uint32_t j = 0; j < TARGETS; j++)
            queries[i * TARGETS + j] =
                (struct prm_query){.start = f->states + FROM[i] * dof,
                                   .goals = f->states + TO[j] * dof,
                                   .goal_count = 1,
                                   .invalid = f->invalid[FROM[i]] || f->invalid[TO[j]]};
    assert_ok(prm_plan(f->planner, &results, f->roadmap, f->validity, f->world, queries,
                       SOURCES * TARGETS, options));
    return results;
}

/* Compares; returns pairs that trees have answered. */
static uint32_t check(const struct fixture *f, const struct prm_plan_options *options)
{
    struct prm_plan_results planned = plan_pairs(f, options);
    struct prm_matrix *matrix = run(f, options);
    const struct prm_matrix_results *results = prm_matrix_results(matrix);
    uint32_t expanded = 0;
    assert_int_equal(results->pairs, SOURCES * TARGETS);
    assert_int_equal(results->solved, planned.solved);
    for (uint32_t p = 0; p < SOURCES * TARGETS; p++) {
        const struct prm_plan_result *plan = &planned.results[p];
        const struct prm_matrix_state *from = &results->states[FROM[p / TARGETS]];
        if (plan->status == PRM_SOLVED) {
            assert_true(results->lengths[p] == plan->length);
            assert_int_equal(results->hops[p], plan->hops);
        } else {
            assert_true(isnan(results->lengths[p]));
        }
        expanded += plan->expanded;
        // what is wrong with the start is what is wrong with the state
        if (plan->status == PRM_START_IN_COLLISION || plan->status == PRM_START_OUT_OF_BOUNDS) {
            assert_int_equal(from->status, plan->status);
            assert_int_equal(from->reason.obstacle, plan->reason.obstacle);
            assert_true(from->reason.depth == plan->reason.depth);
        }
        if (plan->status == PRM_START_NOT_CONNECTED)
            assert_int_equal(from->status, PRM_START_NOT_CONNECTED);
    }
    assert_int_equal(results->states[1].status, PRM_SOLVED);
    assert_int_equal(results->states[2].status, PRM_START_OUT_OF_BOUNDS);
    assert_int_equal(results->states[2].reason.coordinate, 0);
    assert_int_equal(results->states[3].status, PRM_INVALID_QUERY);
    prm_matrix_destroy(matrix);
    prm_plan_results_deinit(&planned);
    return expanded;
}

static void equals_plans(void **state)
{
    static const struct prm_plan_options OPTIONS[] = {
        {.objective = PRM_OBJECTIVE_LENGTH},
        {.objective = PRM_OBJECTIVE_HOPS},
        {.objective = PRM_OBJECTIVE_LENGTH, .expand_samples = 400},
        {.objective = PRM_OBJECTIVE_HOPS, .expand_samples = 400, .connect_k = 3},
        {.objective = PRM_OBJECTIVE_LENGTH, .connect_radius = 0.5, .expand_samples = 200},
    };
    static const struct {
        uint32_t dimension;
        bool rigid;
    } KINDS[] = {{2, false}, {3, false}, {2, true}};
    uint32_t expanded = 0;
    (void)state;
    for (size_t k = 0; k < test_size(3, 1); k++) {
        struct fixture f;
        fixture_init(&f, KINDS[k].dimension, KINDS[k].rigid, 20 + k);
        for (size_t o = 0; o < test_size(5, 2); o++)
            expanded += check(&f, &OPTIONS[o]);
        fixture_deinit(&f);
    }
    assert_true(expanded > 0 || test_is_small());
}

/* Without pairs or states there is nothing to do; a deadline that is over leaves all. */
static void small_and_late(void **state)
{
    struct fixture f;
    const struct prm_plan_options options = {.expand_samples = 100};
    (void)state;
    fixture_init(&f, 2, false, 3);
    f.input.source_count = 0;
    struct prm_matrix *matrix = run(&f, &options);
    assert_int_equal(prm_matrix_results(matrix)->pairs, 0);
    assert_int_equal(prm_matrix_results(matrix)->states[2].status, PRM_START_OUT_OF_BOUNDS);
    prm_matrix_destroy(matrix);

    f.input.state_count = f.input.target_count = 0;
    prm_matrix_destroy(run(&f, &options));

    f.input.state_count = STATES;
    f.input.source_count = SOURCES;
    f.input.target_count = TARGETS;
    f.input.deadline_ms = prm_clock_ms() - 1;
    matrix = run(&f, &options);
    assert_int_equal(prm_matrix_results(matrix)->solved, 0);
    assert_int_equal(prm_matrix_results(matrix)->states[1].status, PRM_DEADLINE_EXCEEDED);
    assert_true(prm_matrix_results(matrix)->late > SOURCES * TARGETS / 2);
    prm_matrix_destroy(matrix);

    // options are judged as a plan's are
    const struct prm_plan_options wrong = {.connect_k = PRM_NEIGHBORS_MAX + 1};
    assert_status(PRM_LIMIT_EXCEEDED,
                  prm_matrix_create(&matrix, f.roadmap, f.validity, f.world, &f.input, &wrong));
    fixture_deinit(&f);
}

static void faults_leave_nothing(void **state)
{
    struct fixture f;
    const struct prm_plan_options options = {.expand_samples = 50};
    (void)state;
    if (test_is_small())
        skip();
    fixture_init(&f, 2, false, 21);
    prm_matrix_destroy(run(&f, &options));
    const uint64_t before = prm_context_memory(test_context).resident_bytes;
    bool failed = true;
    for (uint32_t k = 1; failed; k += 1 + k / 8) {
        struct prm_matrix *matrix = NULL;
        bool done = false;
        prm_context_inject_fault(test_context, k);
        enum prm_status status =
            prm_matrix_create(&matrix, f.roadmap, f.validity, f.world, &f.input, &options);
        while (status == PRM_OK && !done)
            status = prm_matrix_step(f.planner, matrix, &done);
        failed = status != PRM_OK;
        prm_context_inject_fault(test_context, 0);
        prm_matrix_destroy(matrix);
        assert_int_equal(prm_context_memory(test_context).resident_bytes, before);
        assert_true(failed || k > 20);
    }
    fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_plans),
        cmocka_unit_test(small_and_late),
        cmocka_unit_test(faults_leave_nothing),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

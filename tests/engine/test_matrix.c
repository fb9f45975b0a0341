/* Goal: a matrix has what plans without simplification find between each pair, to the last bit,
 * with and without trees, by length and by hops; what is wrong with a state costs the pairs that it
 * is in, and no others; a deadline cuts short; faults and early ends leave nothing.
 * Method: random worlds, sources and targets that overlap, states on milestones, in obstacles, out
 * of bounds, invalid, unlinked and twice the same. Oracle: prm_plan() of all pairs in one batch. */
#include "device/clock.h"
#include "plan_fixture.h"
#include "roadmap/plan/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 14, SOURCES = 9, TARGETS = 12 };

struct fixture {
    struct plan_fixture on;
    double states[STATES * PLAN_FIXTURE_DOF_MOST];
    bool invalid[STATES];
    struct prm_matrix_input input;
};

static const uint32_t FROM[SOURCES] = {0, 1, 2, 3, 4, 5, 6, 7, 0};
static const uint32_t TO[TARGETS] = {8, 9, 10, 11, 12, 13, 0, 1, 2, 3, 4, 5};

/* plan_fixture_init(), of whose states one comes twice and one is invalid. */
static void fixture_init(struct fixture *f, uint32_t dimension, bool rigid, uint64_t seed)
{
    plan_fixture_init(&f->on, dimension, rigid, seed, f->states, STATES);
    const size_t dof = f->on.roadmap->space.dof;
    memcpy(f->states + 10 * dof, f->states, dof * sizeof(double));
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

static struct prm_matrix *run(const struct fixture *f, const struct prm_plan_options *options)
{
    struct prm_matrix *matrix;
    assert_ok(
        prm_matrix_create(&matrix, f->on.roadmap, f->on.validity, f->on.world, &f->input, options));
    for (bool done = false; !done;)
        assert_ok(prm_matrix_step(f->on.planner, matrix, &done));
    return matrix;
}

static struct prm_plan_results plan_pairs(const struct fixture *f,
                                          const struct prm_plan_options *options)
{
    struct prm_query queries[SOURCES * TARGETS];
    struct prm_plan_results results;
    const uint32_t dof = f->on.roadmap->space.dof;
    for (uint32_t i = 0; i < SOURCES; i++)
        for (uint32_t j = 0; j < TARGETS; j++)
            queries[i * TARGETS + j] =
                (struct prm_query){.start = f->states + FROM[i] * dof,
                                   .goals = f->states + TO[j] * dof,
                                   .goal_count = 1,
                                   .invalid = f->invalid[FROM[i]] || f->invalid[TO[j]]};
    assert_ok(prm_plan(f->on.planner, &results, f->on.roadmap, f->on.validity, f->on.world, queries,
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
        plan_fixture_deinit(&f.on);
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
    assert_status(PRM_LIMIT_EXCEEDED, prm_matrix_create(&matrix, f.on.roadmap, f.on.validity,
                                                        f.on.world, &f.input, &wrong));
    plan_fixture_deinit(&f.on);
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
            prm_matrix_create(&matrix, f.on.roadmap, f.on.validity, f.on.world, &f.input, &options);
        while (status == PRM_OK && !done)
            status = prm_matrix_step(f.on.planner, matrix, &done);
        failed = status != PRM_OK;
        prm_context_inject_fault(test_context, 0);
        prm_matrix_destroy(matrix);
        assert_int_equal(prm_context_memory(test_context).resident_bytes, before);
        assert_true(failed || k > 20);
    }
    plan_fixture_deinit(&f.on);
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

/* Goal: refining a validity changes no answer, before, between and after its steps; landmarks are
 * shared with the validities that follow exactly while no edge has come back that they do not know
 * of, and are made anew then; faults on the way leave the validity as it was. Method: a world with
 * two doors, opened and shut. Oracle: the same queries on validities made without landmarks. */
#include "roadmap/plan/plan.h"
#include "roadmap/search/landmarks.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { DIMENSION = 2, DOF_MAX = 3, QUERIES = 200, QUERIES_SMALL = 16 };

struct fixture {
    struct prm_world *world[4]; /* bit 0: the left door is shut, bit 1: the right one */
    struct prm_roadmap *roadmap;
    struct prm_validity *validity; /* with both doors open */
    struct prm_planner *planner;
    uint32_t query_count;
    double ends[QUERIES][2][DOF_MAX];
    struct prm_query queries[QUERIES];
};

static struct prm_obstacle rectangle(double x, double y, double width, double height)
{
    return (struct prm_obstacle){.kind = PRM_OBSTACLE_RECTANGLE,
                                 .center = {x, y},
                                 .quaternion = {0, 0, 0, 1},
                                 .size = {width, height}};
}

/* Two walls from side to side, each with a door, wide where few milestones are to find it. */
static void make_worlds(struct fixture *f)
{
    const double wall = test_is_small() ? 3 : 4.5, door = 10 - 2 * wall + 0.2;
    struct prm_obstacle obstacles[] = {
        rectangle(3, wall / 2, 0.2, wall), rectangle(3, 10 - wall / 2, 0.2, wall),
        rectangle(7, wall / 2, 0.2, wall), rectangle(7, 10 - wall / 2, 0.2, wall),
        rectangle(3, 5, 0.2, door),        rectangle(7, 5, 0.2, door)};
    const struct prm_world_spec spec = {.dimension = DIMENSION,
                                        .bounded = true,
                                        .upper = {10, 10},
                                        .obstacles = obstacles,
                                        .obstacle_count = 6};
    for (uint32_t shut = 0; shut < 4; shut++) {
        for (uint32_t d = 0; d < 2; d++) {
            obstacles[4 + d].dynamic = true;
            obstacles[4 + d].disabled = !(shut >> d & 1);
        }
        assert_ok(prm_world_create(test_arena, &f->world[shut], &spec));
    }
}

/* turns: of a robot that turns, whose metric goes the short way; else of a point. */
static void fixture_init(struct fixture *f, bool turns)
{
    const struct prm_sphere ball = {.radius = 0.05};
    const struct prm_robot_spec robot = {.kind = turns ? PRM_ROBOT_RIGID : PRM_ROBOT_POINT,
                                         .spheres = &ball,
                                         .sphere_count = turns ? 1 : 0};
    const struct prm_roadmap_params params = {.seed = 3,
                                              .sample_count = (uint32_t)test_size(1500, 70),
                                              .neighbor_method = PRM_NEIGHBOR_EXACT,
                                              .k = 8};
    struct test_random random = {5};

    make_worlds(f);
    assert_ok(
        prm_roadmap_create(test_context, &f->roadmap, &f->validity, f->world[0], &robot, &params));
    assert_ok(prm_planner_create(test_context, &f->planner));
    f->query_count = (uint32_t)test_size(QUERIES, QUERIES_SMALL);
    for (uint32_t q = 0; q < f->query_count; q++) {
        for (int end = 0; end < 2; end++)
            for (int c = 0; c < DOF_MAX; c++)
                f->ends[q][end][c] = c < DIMENSION ? (double)test_random_f32(&random, 0, 10)
                                                   : (double)test_random_f32(&random, -3.1f, 3.1f);
        f->queries[q] =
            (struct prm_query){.start = f->ends[q][0], .goals = f->ends[q][1], .goal_count = 1};
    }
}

static void fixture_deinit(struct fixture *f)
{
    prm_planner_destroy(f->planner);
    prm_validity_destroy(f->validity);
    prm_roadmap_destroy(f->roadmap);
    for (uint32_t shut = 0; shut < 4; shut++)
        prm_world_destroy(f->world[shut]);
}

static struct prm_plan_results plan(const struct fixture *f, const struct prm_validity *validity,
                                    uint32_t shut)
{
    const struct prm_plan_options options = {.output = PRM_OUTPUT_NODES};
    struct prm_plan_results results;
    assert_ok(prm_plan(f->planner, &results, f->roadmap, validity, f->world[shut], f->queries,
                       f->query_count, &options));
    return results;
}

static void compare(const struct prm_plan_results *expected, const struct prm_plan_results *got)
{
    assert_int_equal(expected->solved, got->solved);
    assert_int_equal(expected->node_count, got->node_count);
    for (uint32_t q = 0; q < expected->count; q++) {
        const struct prm_plan_result *a = &expected->results[q], *b = &got->results[q];
        assert_int_equal(a->status, b->status);
        assert_memory_equal(&a->length, &b->length, sizeof(double));
        assert_int_equal(a->node_count, b->node_count);
        for (size_t i = 0; i < a->node_count; i++)
            assert_int_equal(expected->nodes[a->node_first + i], got->nodes[b->node_first + i]);
    }
}

/* The answers are those of a validity that has no landmarks. */
static void check_answers(const struct fixture *f, const struct prm_validity *validity,
                          uint32_t shut)
{
    struct prm_validity *plain;
    assert_ok(prm_validity_create(test_arena, &plain, f->roadmap, f->world[shut], NULL));
    assert_null(plain->landmarks);
    struct prm_plan_results expected = plan(f, plain, shut), got = plan(f, validity, shut);
    assert_true(8 * expected.solved > f->query_count);
    compare(&expected, &got);
    prm_plan_results_deinit(&expected);
    prm_plan_results_deinit(&got);
    prm_validity_destroy(plain);
}

static void refine(struct prm_validity *validity)
{
    for (bool done = false; !done;)
        assert_ok(prm_validity_refine(validity, &done));
    assert_non_null(validity->landmarks);
    assert_null(validity->coming);
}

static void check_answers_stay(bool turns)
{
    struct fixture f;
    bool done = false;
    fixture_init(&f, turns);
    struct prm_plan_results before = plan(&f, f.validity, 0);
    for (int step = 0; !done; step++) {
        assert_ok(prm_validity_refine(f.validity, &done));
        if (step % 100 == 7 || done) {
            struct prm_plan_results now = plan(&f, f.validity, 0);
            compare(&before, &now);
            prm_plan_results_deinit(&now);
        }
    }
    assert_non_null(f.validity->landmarks);
    assert_ok(prm_validity_refine(f.validity, &done));
    assert_true(done);
    prm_plan_results_deinit(&before);
    fixture_deinit(&f);
}

static void answers_stay(void **state)
{
    (void)state;
    check_answers_stay(false);
    check_answers_stay(true);
}

/* What follows each other, and whether the landmarks of the one before still hold. */
static void doors(void **state)
{
    (void)state;
    static const struct {
        uint32_t shut;
        bool shared;
    } CHANGES[] = {{1, true}, {3, true}, {0, true}, {2, true}, {0, true}};
    struct fixture f;
    struct prm_validity *validity, *next;
    fixture_init(&f, false);
    refine(f.validity);
    validity = f.validity;
    for (size_t i = 0; i < sizeof(CHANGES) / sizeof(CHANGES[0]); i++) {
        assert_ok(
            prm_validity_create(test_arena, &next, f.roadmap, f.world[CHANGES[i].shut], validity));
        assert_true((next->landmarks != NULL) == CHANGES[i].shared);
        check_answers(&f, next, CHANGES[i].shut);
        prm_validity_destroy(validity);
        validity = next;
    }
    f.validity = validity;
    fixture_deinit(&f);
}

static void edges_that_come_back(void **state)
{
    (void)state;
    struct fixture f;
    struct prm_validity *shut, *left, *right;
    fixture_init(&f, false);
    // the open validity has none to share
    assert_ok(prm_validity_create(test_arena, &shut, f.roadmap, f.world[3], f.validity));
    assert_null(shut->landmarks);
    refine(shut);
    check_answers(&f, shut, 3);
    assert_ok(prm_validity_create(test_arena, &left, f.roadmap, f.world[2], shut));
    assert_true(left->edges_on > 0);
    assert_null(left->landmarks);
    check_answers(&f, left, 2);
    refine(left);
    check_answers(&f, left, 2);
    // shut again: the landmarks with the open door hold; the other door open: they do not
    prm_validity_destroy(shut);
    assert_ok(prm_validity_create(test_arena, &shut, f.roadmap, f.world[3], left));
    assert_ptr_equal(shut->landmarks, left->landmarks);
    check_answers(&f, shut, 3);
    assert_ok(prm_validity_create(test_arena, &right, f.roadmap, f.world[1], shut));
    assert_null(right->landmarks);
    check_answers(&f, right, 1);
    prm_validity_destroy(left);
    check_answers(&f, shut, 3);
    prm_validity_destroy(shut);
    prm_validity_destroy(right);
    fixture_deinit(&f);
}

/* The k-th call fails in refining or deriving: nothing is left, and the validity answers as before.
 */
static void faults_leave_the_validity(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t faults = 0;
    // what the host does; runs that are not interpreted tell
    if (test_is_small())
        skip();

    fixture_init(&f, false);
    struct prm_plan_results before = plan(&f, f.validity, 0);
    for (uint32_t countdown = 1;; countdown += 1 + countdown / 4) {
        enum prm_status status = PRM_OK;
        bool done = false;
        prm_context_inject_fault(test_context, countdown);
        while (status == PRM_OK && !done)
            status = prm_validity_refine(f.validity, &done);
        prm_context_inject_fault(test_context, 0);
        if (status == PRM_OK)
            break;
        assert_int_equal(status, PRM_DEVICE_FAILED);
        assert_null(f.validity->landmarks);
        assert_null(f.validity->coming);
        faults++;
    }
    assert_true(faults > 10);
    struct prm_plan_results after = plan(&f, f.validity, 0);
    compare(&before, &after);
    for (uint32_t countdown = 1;; countdown++) {
        struct prm_validity *next;
        prm_context_inject_fault(test_context, countdown);
        const enum prm_status status =
            prm_validity_create(test_arena, &next, f.roadmap, f.world[1], f.validity);
        prm_context_inject_fault(test_context, 0);
        assert_int_equal(f.validity->landmarks->holders, status == PRM_OK ? 2 : 1);
        prm_validity_destroy(next);
        if (status == PRM_OK)
            break;
    }
    prm_plan_results_deinit(&before);
    prm_plan_results_deinit(&after);
    fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_stay),
        cmocka_unit_test(doors),
        cmocka_unit_test(edges_that_come_back),
        cmocka_unit_test(faults_leave_the_validity),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

/* Goal: states and motions are judged as they are, blocked ones by what is in their way, however
 * thin and in whatever batch; the nearest milestones are those. Method: random states and motions
 * of a ball among circles and walls 1 mm thick; states beyond limits; a rigid robot whose turns
 * wrap. Oracle: distances of segments in double precision; all milestones sorted by the host's
 * metric. */
#include "oracle_world.h"
#include "roadmap/collision/validate.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OBSTACLES = 9,
    STATES = 300,
    MOTIONS = 200,
    DOF = 2,
    MILESTONES = 400,
    FEW = 40,
    NEAREST = 7
};
#define RADIUS 0.05
#define TOLERANCE 1e-5
/* As thick as the walls, within which the oracle knows no depth. */
#define THIN 1e-3

struct fixture {
    struct prm_obstacle obstacles[OBSTACLES];
    struct prm_world_spec spec;
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
};

static double uniform(struct test_random *random, double low, double high)
{
    return (double)test_random_f32(random, (float)low, (float)high);
}

/* The roadmap in the fixture's world. */
static void build(struct fixture *f, const struct prm_robot_spec *robot,
                  const struct prm_roadmap_params *params)
{
    struct prm_roadmap_params small = *params;
    small.sample_count = small.sample_count > FEW ? (uint32_t)test_size(small.sample_count, FEW)
                                                  : small.sample_count;
    assert_ok(prm_world_create(test_arena, &f->world, &f->spec));
    assert_ok(prm_roadmap_create(test_context, &f->roadmap, &f->validity, f->world, robot, &small));
}

static void fixture_init(struct fixture *f, struct test_random *random,
                         const struct prm_robot_spec *robot,
                         const struct prm_roadmap_params *params)
{
    *f = (struct fixture){.spec = {.dimension = DOF,
                                   .bounded = true,
                                   .lower = {-5, 95},
                                   .upper = {5, 105},
                                   .obstacles = f->obstacles,
                                   .obstacle_count = OBSTACLES}};
    for (int i = 0; i < OBSTACLES; i++) {
        struct prm_obstacle *obstacle = &f->obstacles[i];
        *obstacle =
            (struct prm_obstacle){.kind = i % 3 ? PRM_OBSTACLE_CIRCLE : PRM_OBSTACLE_RECTANGLE,
                                  .center = {uniform(random, -4, 4), uniform(random, 96, 104)},
                                  .quaternion = {0, 0, sin(i), cos(i)},
                                  .size = {THIN, 3},
                                  .radius = uniform(random, 0.1, 0.8)};
    }
    build(f, robot, params);
}

static void fixture_deinit(struct fixture *f)
{
    prm_validity_destroy(f->validity);
    prm_roadmap_destroy(f->roadmap);
    prm_world_destroy(f->world);
}

static const struct prm_robot_spec BALL = {.kind = PRM_ROBOT_BALL, .radius = RADIUS};
static const struct prm_roadmap_params PARAMS = {.seed = 7,
                                                 .sample_count = MILESTONES,
                                                 .neighbor_method = PRM_NEIGHBOR_AUTO,
                                                 .k = 5,
                                                 .radius = 0.5,
                                                 .target_recall = 1};

static double *random_states(struct fixture *f, struct test_random *random, size_t count)
{
    double *states = malloc(count * DOF * sizeof(*states));
    for (size_t i = 0; i < count * DOF; i++)
        states[i] = uniform(random, f->spec.lower[i % DOF], f->spec.upper[i % DOF]);
    return states;
}

static void states_keep_what_they_keep(void **state)
{
    (void)state;
    struct test_random random = {1};
    struct fixture f;
    fixture_init(&f, &random, &BALL, &PARAMS);
    double *states = random_states(&f, &random, STATES);
    struct prm_judgement judgements[STATES];
    const uint32_t count = (uint32_t)test_size(STATES, STATES / 5);
    assert_ok(prm_validate_states(test_arena, judgements, f.roadmap, f.world, states, count));
    unsigned blocked = 0;
    for (size_t i = 0; i < count; i++) {
        const double at[3] = {states[i * DOF], states[i * DOF + 1]};
        const double least = oracle_segment_clearance(&f.spec, true, at, at) - RADIUS;
        const struct prm_judgement *judgement = &judgements[i];
        assert_true(judgement->clearance <= least + TOLERANCE);
        if (least < 0)
            assert_true(fabs(judgement->clearance - least) < TOLERANCE);
        if (fabs(least) > TOLERANCE)
            assert_int_equal(judgement->valid, least > 0);
        if (judgement->valid) {
            assert_int_equal(judgement->reason.kind, PRM_REASON_NONE);
            continue;
        }
        blocked++;
        assert_int_equal(judgement->reason.kind, PRM_REASON_WORLD_COLLISION);
        const struct prm_obstacle *named = &f.obstacles[judgement->reason.obstacle];
        assert_true(oracle_segment_distance(named, at, at) - RADIUS < least + TOLERANCE);
        assert_true(fabs(judgement->reason.depth + least) < TOLERANCE);
    }
    assert_true(blocked > 0 && blocked < count);
    free(states);
    fixture_deinit(&f);
}

static void limits_are_named(void **state)
{
    (void)state;
    static const double STATES_AT[][DOF] = {{5.5, 100}, {0, 94}, {5 + 5e-7, 95}, {1e300, 1e300}};
    static const uint32_t PAIRS[][2] = {{2, 0}, {1, 2}, {2, 2}};
    struct test_random random = {2};
    struct fixture f;
    struct prm_judgement judgements[4];
    fixture_init(&f, &random, &BALL, &PARAMS);
    assert_ok(prm_validate_states(test_arena, judgements, f.roadmap, f.world, STATES_AT[0], 4));
    for (int i = 0; i < 4; i++)
        assert_int_equal(judgements[i].reason.kind == PRM_REASON_BOUNDS, i != 2);
    assert_true(judgements[0].reason.coordinate == 0 && judgements[0].reason.limit == 5);
    assert_true(judgements[0].reason.value == 5.5 && isnan(judgements[0].clearance));
    assert_true(judgements[1].reason.coordinate == 1 && judgements[1].reason.limit == 95);
    assert_true(judgements[2].clamped && !isnan(judgements[2].clearance));
    assert_ok(prm_validate_motions(test_arena, judgements, f.roadmap, f.world, STATES_AT[0],
                                   PAIRS[0], 3));
    assert_true(judgements[0].reason.coordinate == 0 && judgements[0].fraction == 1);
    assert_true(judgements[1].reason.coordinate == 1 && judgements[1].fraction == 0);
    assert_int_equal(judgements[0].reason.at, PRM_AT_EDGE);
    assert_true(judgements[2].reason.kind != PRM_REASON_BOUNDS);
    // nothing to judge
    assert_ok(prm_validate_states(test_arena, NULL, f.roadmap, f.world, NULL, 0));
    assert_ok(prm_validate_motions(test_arena, NULL, f.roadmap, f.world, NULL, NULL, 0));
    fixture_deinit(&f);
}

/* What one motion's judgement must be. */
static void check_motion(const struct fixture *f, const struct prm_judgement *judgement,
                         const double *a, const double *b, unsigned *blocked)
{
    const double from[3] = {a[0], a[1]}, to[3] = {b[0], b[1]};
    const double least = oracle_segment_clearance(&f->spec, true, from, to) - RADIUS;
    // where a segment meets an obstacle the oracle knows no depth
    assert_true(judgement->clearance > least - TOLERANCE || least < TOLERANCE - RADIUS ||
                judgement->valid);
    if (judgement->valid)
        assert_true(least > 0);
    if (least > THIN)
        assert_true(judgement->valid);
    if (judgement->valid)
        return;
    *blocked += 1;
    // what it names is in the way, about where it says
    double at[3] = {0};
    const struct prm_obstacle *named = &f->obstacles[judgement->reason.obstacle];
    for (int c = 0; c < DOF; c++)
        at[c] = from[c] + (to[c] - from[c]) * judgement->fraction;
    assert_int_equal(judgement->reason.at, PRM_AT_EDGE);
    assert_true(oracle_segment_distance(named, from, to) - RADIUS < THIN);
    assert_true(fabs(oracle_segment_distance(named, at, at) - RADIUS - judgement->clearance) <
                THIN);
    assert_true(judgement->clearance < fmax(0, least) + THIN);
}

static void motions_are_blocked_by_what_is_named(void **state)
{
    (void)state;
    struct test_random random = {3};
    struct fixture f;
    fixture_init(&f, &random, &BALL, &PARAMS);
    double *states = random_states(&f, &random, STATES);
    uint32_t pairs[MOTIONS][2];
    struct prm_judgement judgements[MOTIONS], one;
    const uint32_t count = (uint32_t)test_size(MOTIONS, MOTIONS / 10);
    unsigned blocked = 0;
    for (uint32_t i = 0; i < count; i++) {
        pairs[i][0] = test_random_below(&random, STATES);
        pairs[i][1] = test_random_below(&random, STATES);
        // near ones too
        if (i % 2) {
            double *near = states + (size_t)pairs[i][1] * DOF;
            near[0] = fmin(5, states[(size_t)pairs[i][0] * DOF] + 0.3);
        }
    }
    assert_ok(
        prm_validate_motions(test_arena, judgements, f.roadmap, f.world, states, pairs[0], count));
    for (uint32_t i = 0; i < count; i++) {
        check_motion(&f, &judgements[i], states + (size_t)pairs[i][0] * DOF,
                     states + (size_t)pairs[i][1] * DOF, &blocked);
        if (i % 16)
            continue;
        assert_ok(prm_validate_motions(test_arena, &one, f.roadmap, f.world, states, pairs[i], 1));
        assert_true(one.valid == judgements[i].valid && one.clearance == judgements[i].clearance);
        assert_true(one.reason.obstacle == judgements[i].reason.obstacle);
    }
    assert_true(blocked > 0 && blocked < count);
    free(states);
    fixture_deinit(&f);
}

/* Between the places that are looked at is a wall, beside one of them a circle that is passed. */
static void a_wall_between_places_is_named(void **state)
{
    (void)state;
    static const double ENDS[2][DOF] = {{-4.95, 100.2}, {4.95, 100.2}};
    static const uint32_t PAIR[2] = {0, 1};
    const double step = (ENDS[1][0] - ENDS[0][0]) / (PRM_MOTION_PLACES - 1);
    const struct prm_robot_spec point = {.kind = PRM_ROBOT_POINT};
    struct test_random random = {6};
    struct fixture f;
    fixture_init(&f, &random, &point, &PARAMS);
    fixture_deinit(&f);
    for (int i = 0; i < OBSTACLES; i++)
        f.obstacles[i] = (struct prm_obstacle){.kind = PRM_OBSTACLE_CIRCLE,
                                               .center = {ENDS[0][0] + (i + 4) * step, 100.7},
                                               .quaternion = {0, 0, 0, 1},
                                               .radius = 0.49};
    f.obstacles[3] = (struct prm_obstacle){.kind = PRM_OBSTACLE_RECTANGLE,
                                           .center = {ENDS[0][0] + 25.5 * step, 98.2},
                                           .quaternion = {0, 0, 0, 1},
                                           .size = {THIN, 5}};
    build(&f, &point, &PARAMS);
    struct prm_judgement judgement;
    assert_ok(prm_validate_motions(test_arena, &judgement, f.roadmap, f.world, ENDS[0], PAIR, 1));
    assert_int_equal(judgement.valid, false);
    assert_int_equal(judgement.reason.obstacle, 3);
    assert_true(judgement.clearance <= TOLERANCE);
    assert_true(fabs(judgement.fraction - 25.5 / (PRM_MOTION_PLACES - 1)) < 1e-3);
    fixture_deinit(&f);
}

static double nearest_distance(const struct prm_roadmap *roadmap, const double *state, uint32_t id)
{
    double milestone[PRM_DOF_MAX];
    prm_space_from_row(&roadmap->space, milestone,
                       roadmap->host_states + (size_t)id * roadmap->space.row);
    return prm_space_distance(&roadmap->space, state, milestone);
}

static void milestones_are_the_nearest(void **state)
{
    (void)state;
    static const struct prm_sphere SPHERES[] = {{{0.1, 0, 0}, 0.05}, {{-0.1, 0, 0}, 0.05}};
    const struct prm_robot_spec robots[] = {
        BALL,
        {.kind = PRM_ROBOT_RIGID, .spheres = SPHERES, .sphere_count = 2, .weights = {1, 1, 2}}};
    static const double ASKED[][3] = {{0, 100, 3.1}, {-4, 96, -3.1}, {50, 100, 10}};
    for (size_t r = 0; r < 2; r++) {
        struct test_random random = {4};
        struct fixture f;
        fixture_init(&f, &random, &robots[r], &PARAMS);
        const uint32_t dof = f.roadmap->space.dof, n = f.roadmap->milestone_count;
        for (int q = 0; q < 3; q++) {
            uint32_t ids[NEAREST];
            float distances[NEAREST];
            double found[NEAREST * 3];
            assert_ok(prm_nearest_milestones(test_arena, ids, distances, found, f.roadmap, ASKED[q],
                                             1, NEAREST));
            for (int j = 0; j < NEAREST; j++) {
                const double distance = nearest_distance(f.roadmap, ASKED[q], ids[j]);
                unsigned nearer = 0;
                for (uint32_t i = 0; i < n; i++)
                    nearer += nearest_distance(f.roadmap, ASKED[q], i) < distance - 1e-4;
                assert_true(nearer <= (unsigned)j);
                assert_true(fabs((double)distances[j] - distance) < 1e-4);
                assert_true(
                    fabs(prm_space_distance(&f.roadmap->space, ASKED[q], found + (size_t)j * dof) -
                         distance) < 1e-9);
            }
        }
        fixture_deinit(&f);
    }
}

static void there_may_be_fewer(void **state)
{
    (void)state;
    struct test_random random = {5};
    struct prm_roadmap_params params = PARAMS;
    const double at[DOF] = {0, 100};
    struct fixture f;
    uint32_t ids[NEAREST];
    float distances[NEAREST];
    double found[NEAREST * DOF];
    params.sample_count = 3;
    fixture_init(&f, &random, &BALL, &params);
    assert_ok(prm_nearest_milestones(test_arena, ids, distances, found, f.roadmap, at, 1, NEAREST));
    assert_int_equal(prm_nearest_milestones(test_arena, ids, distances, found, f.roadmap, at, 1,
                                            PRM_NEIGHBORS_MAX + 1),
                     PRM_INVALID_ARGUMENT);
    assert_true(ids[2] < 3 && ids[3] == UINT32_MAX && ids[NEAREST - 1] == UINT32_MAX);
    fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_keep_what_they_keep),
        cmocka_unit_test(limits_are_named),
        cmocka_unit_test(motions_are_blocked_by_what_is_named),
        cmocka_unit_test(a_wall_between_places_is_named),
        cmocka_unit_test(milestones_are_the_nearest),
        cmocka_unit_test(there_may_be_fewer),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

/* Goal: configuration spaces on the host: limits inclusive and within 1e-6 clamped, turns and
 * orientations by the short way, rows and back, states that go on without jumps, wrong robots
 * named. Method: tables, and random states of a robot that is free in space. Oracle: the
 * definitions. */
#include "roadmap/robot/metric.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static struct prm_world WORLD_2D = {.dimension = 2, .bounded = true, .upper = {10, 10}};
static struct prm_world WORLD_3D = {.dimension = 3,
                                    .bounded = true,
                                    .lower = {500000, 4000000, 0},
                                    .upper = {500010, 4000010, 5},
                                    .center = {500005, 4000005, 2.5}};
static const struct prm_sphere SPHERE = {{0, 0, 0}, 0.1};

static void rigid_in_the_plane(void **state)
{
    const struct prm_robot_spec spec = {
        .kind = PRM_ROBOT_RIGID, .spheres = &SPHERE, .sphere_count = 1, .weights = {1, 1, 0.5}};
    struct prm_space space;
    float row[4];
    double back[3];
    (void)state;

    assert_ok(prm_space_init(&space, &spec, &WORLD_2D));
    assert_int_equal(space.dof, 3);
    assert_string_equal(space.coordinates[2].name, "theta");
    const double a[3] = {1, 1, 179 * PI / 180}, b[3] = {1, 1, -179 * PI / 180};
    assert_true(fabs(prm_space_distance(&space, a, b) - 0.5 * 2 * PI / 180) < 1e-12);

    // any number of turns, and both names of half a turn, are one row
    const double turned[3] = {1, 1, 179 * PI / 180 + 6 * PI};
    float other[4];
    prm_space_to_row(&space, row, a);
    prm_space_to_row(&space, other, turned);
    assert_true(fabsf(row[2] - other[2]) < 1e-6f);
    const double half[3] = {1, 1, PI}, minus_half[3] = {1, 1, -PI};
    prm_space_to_row(&space, row, half);
    prm_space_to_row(&space, other, minus_half);
    assert_memory_equal(row, other, sizeof(row));

    // states go on: 3.1 to −3.1 is 3.1 to 3.183
    const double from[3] = {1, 1, 3.1};
    prm_space_to_row(&space, row, (const double[3]){1, 1, -3.1});
    prm_space_from_row(&space, back, row);
    prm_space_continue(&space, back, from, false);
    assert_true(fabs(back[2] - (2 * PI - 3.1)) < 1e-6);
    assert_true(fabs(prm_space_distance(&space, from, back) - 0.5 * 0.0831853) < 1e-6);
}

static void limits_are_inclusive(void **state)
{
    static const struct {
        double x;
        uint32_t outside;
        bool clamped;
        double becomes;
    } CASES[] = {
        {0, 2, false, 0},         {10, 2, false, 10},       {-1e-7, 2, true, 0},
        {10 + 9e-7, 2, true, 10}, {-2e-6, 0, false, -2e-6}, {10.00001, 0, false, 10.00001},
        {1e30, 0, false, 1e30},
    };
    const struct prm_robot_spec point = {.kind = PRM_ROBOT_POINT};
    struct prm_space space;
    (void)state;
    assert_ok(prm_space_init(&space, &point, &WORLD_2D));
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        double at[2] = {CASES[i].x, 5};
        bool clamped = false;
        assert_int_equal(prm_space_clamp(&space, at, &clamped), CASES[i].outside);
        assert_int_equal(clamped, CASES[i].clamped);
        assert_true(at[0] == CASES[i].becomes);
    }
}

static void rigid_in_space(void **state)
{
    const double no_state[7] = {500001, 4000001, 1, 0, 0, 0, 0};
    const struct prm_robot_spec spec = {
        .kind = PRM_ROBOT_RIGID, .spheres = &SPHERE, .sphere_count = 1, .weights = {1, 1, 1, 2}};
    struct test_random random = {3};
    struct prm_space space;
    (void)state;

    assert_ok(prm_space_init(&space, &spec, &WORLD_3D));
    assert_int_equal(space.dof, 7);
    assert_false(prm_space_is_state(&space, no_state));
    for (int i = 0; i < 1000; i++) {
        double a[7], b[7], middle[7], back[7];
        float row[8], other[8];
        for (int c = 0; c < 7; c++) {
            a[c] = (c < 3 ? WORLD_3D.center[c] : 0) + (double)test_random_f32(&random, -2, 2);
            b[c] = (c < 3 ? WORLD_3D.center[c] : 0) + (double)test_random_f32(&random, -2, 2);
        }
        assert_true(prm_space_is_state(&space, a));
        // quaternions need not be unit, and −q is q
        double opposite[7];
        for (int c = 0; c < 7; c++)
            opposite[c] = c < 3 ? a[c] : -3 * a[c];
        assert_true(prm_space_distance(&space, a, opposite) < 1e-7);
        prm_space_to_row(&space, row, a);
        prm_space_to_row(&space, other, opposite);
        for (int c = 0; c < 8; c++)
            assert_true(fabsf(row[c] - other[c]) < 1e-6f);
        prm_space_from_row(&space, back, row);
        assert_true(prm_space_distance(&space, a, back) < 1e-5);

        prm_space_interpolate(&space, middle, a, b, 0.25);
        const double whole = prm_space_distance(&space, a, b);
        assert_true(fabs(prm_space_distance(&space, a, middle) - whole / 4) < 1e-9 * (1 + whole));
        assert_true(fabs(prm_space_distance(&space, middle, b) - whole * 3 / 4) <
                    1e-9 * (1 + whole));
        assert_true(whole <= prm_space_diagonal(&space));

        double sent[7];
        memcpy(sent, opposite, sizeof(sent));
        prm_space_continue(&space, sent, a, true);
        assert_memory_equal(sent, opposite, sizeof(sent));
        prm_space_continue(&space, opposite, a, false);
        double dot = 0;
        for (int c = 3; c < 7; c++)
            dot += opposite[c] * a[c];
        assert_true(dot >= 0);
    }
}

/* Any quaternion but zero is an orientation, however small or large its numbers. */
static void quaternions_of_any_length(void **state)
{
    static const double SCALES[] = {1e-300, 1e-160, 1e-20, 1, 1e20, 1e160, 1e300};
    const struct prm_robot_spec spec = {
        .kind = PRM_ROBOT_RIGID, .spheres = &SPHERE, .sphere_count = 1};
    const double unit[7] = {500001, 4000001, 1, 0.5, -0.5, 0.5, 0.5};
    struct prm_space space;
    float expected[8], row[8];
    (void)state;

    assert_ok(prm_space_init(&space, &spec, &WORLD_3D));
    prm_space_to_row(&space, expected, unit);
    for (size_t i = 0; i < sizeof(SCALES) / sizeof(SCALES[0]); i++) {
        double scaled[7], middle[7];
        for (int c = 0; c < 7; c++)
            scaled[c] = c < 3 ? unit[c] : SCALES[i] * unit[c];
        assert_true(prm_space_is_state(&space, scaled));
        prm_space_to_row(&space, row, scaled);
        assert_memory_equal(row, expected, sizeof(row));
        assert_true(prm_space_distance(&space, unit, scaled) < 1e-12);
        prm_space_interpolate(&space, middle, scaled, unit, 0.5);
        assert_true(fabs(middle[3] - 0.5) < 1e-12);
    }
}

/* A shoulder without limits, and an elbow with them. */
static void arms(void **state)
{
    const struct prm_link links[3] = {{"base", 0, 0}, {"upper", 0, 1}, {"fore", 0, 1}};
    struct prm_joint joints[2] = {
        {PRM_JOINT_CONTINUOUS, 0, 1, {{0, 0, 0}, {0, 0, 0, 1}}, {0, 0, 1}, 0, 1, 0},
        {PRM_JOINT_REVOLUTE, 1, 2, {{1, 0, 0}, {0, 0, 0, 1}}, {0, 0, 1}, 1, 1, 0}};
    struct prm_robot_coordinate coordinates[2] = {{"shoulder", true, 0, 0, 1},
                                                  {"elbow", false, -2, 2, 3}};
    struct prm_robot_spec spec = {.kind = PRM_ROBOT_ARM,
                                  .spheres = &SPHERE,
                                  .sphere_count = 1,
                                  .links = links,
                                  .link_count = 3,
                                  .joints = joints,
                                  .joint_count = 2,
                                  .coordinates = coordinates,
                                  .dof = 2};
    struct prm_space space;
    float limits[4];
    (void)state;

    assert_ok(prm_space_init(&space, &spec, &WORLD_3D));
    assert_false(space.coordinates[0].limited);
    assert_true(space.coordinates[1].limited);
    const double a[2] = {20, -2}, b[2] = {20 - 6 * PI, 2};
    assert_true(fabs(prm_space_distance(&space, a, b) - 12) < 1e-9);
    prm_space_limits(&space, limits);
    assert_float_equal(limits[1], -6, 1e-6f);
    assert_float_equal(limits[3], 6, 1e-6f);

    // what is wrong is named
    assert_status(PRM_INVALID_ARGUMENT, prm_space_init(&space, &spec, &WORLD_2D));
    coordinates[1].weight = 0;
    assert_status(PRM_INVALID_ARGUMENT, prm_space_init(&space, &spec, &WORLD_3D));
    assert_fault_says("elbow");
    coordinates[1].weight = 1;
    joints[1].parent = 2;
    assert_status(PRM_INVALID_ARGUMENT, prm_space_init(&space, &spec, &WORLD_3D));
    assert_fault_says("tree");
    joints[1].parent = 1;
    joints[1].axis[2] = 0;
    assert_status(PRM_INVALID_ARGUMENT, prm_space_init(&space, &spec, &WORLD_3D));
    assert_fault_says("axis");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_in_the_plane),
        cmocka_unit_test(limits_are_inclusive),
        cmocka_unit_test(rigid_in_space),
        cmocka_unit_test(quaternions_of_any_length),
        cmocka_unit_test(arms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

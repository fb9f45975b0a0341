/* Goal: links are where their joints put them, to float32. Method: random trees of turning,
 * sliding, fixed, locked and mimicking joints, at random states; no state, one, and more than a
 * share. Oracle: the product of the joints' transforms in double precision, as matrices. */
#include "roadmap/robot/kinematics.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 12, ROUNDS = 6, DOF = 4 };

/* Of a chain of a dozen links of about a metre. */
#define TOLERANCE 2e-5

static double uniform(struct test_random *random, double low, double high)
{
    return (double)test_random_f32(random, (float)low, (float)high);
}

static void random_unit(struct test_random *random, double *values, int count)
{
    double length = 0;
    for (int i = 0; i < count; i++) {
        values[i] = uniform(random, -1, 1);
        length += values[i] * values[i];
    }
    for (int i = 0; i < count; i++)
        values[i] /= sqrt(length);
}

struct arm {
    struct prm_sphere sphere;
    struct prm_link links[LINKS];
    struct prm_joint joints[LINKS - 1];
    struct prm_robot_coordinate coordinates[DOF];
    struct prm_robot_spec spec;
};

/* A random tree; each coordinate moves a joint, some move a second one. */
static void make_arm(struct arm *arm, struct test_random *random)
{
    *arm = (struct arm){0};
    for (uint32_t l = 0; l < LINKS; l++)
        snprintf(arm->links[l].name, sizeof(arm->links[l].name), "link%u", l);
    // a robot has a sphere, here the last link
    arm->sphere = (struct prm_sphere){{0.1, 0.2, 0.3}, 0.1};
    arm->links[LINKS - 1].sphere_count = 1;
    for (uint32_t c = 0; c < DOF; c++) {
        struct prm_robot_coordinate *coordinate = &arm->coordinates[c];
        *coordinate = (struct prm_robot_coordinate){
            .turn = c == 1, .lower = -2, .upper = 2, .weight = uniform(random, 0.5, 3)};
        snprintf(coordinate->name, sizeof(coordinate->name), "q%u", c);
    }
    for (uint32_t j = 0; j + 1 < LINKS; j++) {
        const enum prm_joint_kind kinds[] = {PRM_JOINT_REVOLUTE, PRM_JOINT_CONTINUOUS,
                                             PRM_JOINT_PRISMATIC, PRM_JOINT_REVOLUTE,
                                             PRM_JOINT_FIXED};
        struct prm_joint *joint = &arm->joints[j];
        *joint = (struct prm_joint){.kind = kinds[j % 5],
                                    .parent = test_random_below(random, j + 1),
                                    .child = j + 1,
                                    .coordinate = j % 5 == 4 ? UINT32_MAX : j % 5,
                                    .multiplier = 1};
        if (j == 6 || j == 8)
            joint->multiplier = -1, joint->offset = 0.25;
        if (j == 7)
            joint->coordinate = UINT32_MAX, joint->offset = 0.4;
        for (int i = 0; i < 3; i++)
            joint->origin.xyz[i] = uniform(random, -1, 1);
        random_unit(random, joint->origin.quaternion, 4);
        random_unit(random, joint->axis, 3);
    }
    arm->spec = (struct prm_robot_spec){.kind = PRM_ROBOT_ARM,
                                        .spheres = &arm->sphere,
                                        .sphere_count = 1,
                                        .links = arm->links,
                                        .link_count = LINKS,
                                        .joints = arm->joints,
                                        .joint_count = LINKS - 1,
                                        .coordinates = arm->coordinates,
                                        .dof = DOF};
    for (int i = 0; i < 3; i++)
        arm->spec.base.xyz[i] = uniform(random, -5000, 5000);
    random_unit(random, arm->spec.base.quaternion, 4);
}

/* ---- the oracle: 3x4 matrices, rows ---- */

static void matrix_of(double m[12], const double q[4], const double shift[3])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rows[12] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),     shift[0],
        2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),     shift[1],
        2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y), shift[2]};
    memcpy(m, rows, sizeof(rows));
}

static void multiply(double out[12], const double a[12], const double b[12])
{
    double product[12];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            product[4 * r + c] = a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] +
                                 a[4 * r + 2] * b[8 + c] + (c == 3 ? a[4 * r + 3] : 0);
    memcpy(out, product, sizeof(product));
}

static void place_links(double (*places)[12], const struct arm *arm, const double *state)
{
    matrix_of(places[0], arm->spec.base.quaternion, arm->spec.base.xyz);
    for (uint32_t j = 0; j + 1 < LINKS; j++) {
        const struct prm_joint *joint = &arm->joints[j];
        const bool moves = joint->coordinate != UINT32_MAX;
        const double value =
            (moves ? joint->multiplier * state[joint->coordinate] : 0) + joint->offset;
        double *place = places[joint->child], step[12], shift[3] = {0}, turn[4] = {0, 0, 0, 1};
        matrix_of(step, joint->origin.quaternion, joint->origin.xyz);
        multiply(place, places[joint->parent], step);
        for (int i = 0; i < 3 && joint->kind == PRM_JOINT_PRISMATIC; i++)
            shift[i] = value * joint->axis[i];
        if (joint->kind == PRM_JOINT_REVOLUTE || joint->kind == PRM_JOINT_CONTINUOUS) {
            for (int i = 0; i < 3; i++)
                turn[i] = sin(value / 2) * joint->axis[i];
            turn[3] = cos(value / 2);
        }
        matrix_of(step, turn, shift);
        multiply(place, place, step);
    }
}

static void check(const struct arm *arm, struct test_random *random, uint32_t count)
{
    double *states = calloc((size_t)count * DOF + 1, sizeof(*states));
    struct prm_frame *frames = calloc((size_t)count * LINKS + 1, sizeof(*frames));
    assert_true(states && frames);
    for (uint32_t i = 0; i < count * DOF; i++)
        states[i] = uniform(random, -2, 2);
    assert_ok(prm_robot_forward(test_arena, frames, &arm->spec, states, count));
    for (uint32_t i = 0; i < count; i++) {
        double places[LINKS][12];
        place_links(places, arm, states + (size_t)i * DOF);
        for (uint32_t l = 0; l < LINKS; l++) {
            const struct prm_frame *frame = &frames[i * LINKS + l];
            double got[12];
            matrix_of(got, frame->quaternion, frame->xyz);
            assert_true(frame->quaternion[3] >= 0);
            for (int k = 0; k < 12; k++)
                if (!(fabs(got[k] - places[l][k]) < TOLERANCE))
                    fail_msg("state %u, link %u: %d is %.9g, not %.9g", i, l, k, got[k],
                             places[l][k]);
        }
    }
    free(states);
    free(frames);
}

static void links_are_where_joints_put_them(void **state)
{
    (void)state;
    const uint32_t counts[] = {0, 1, 2, 63, 64, 65, 997};
    struct test_random random = {7};
    struct arm arm;
    for (int round = 0; round < ROUNDS; round++) {
        make_arm(&arm, &random);
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
            if (round == 0 || counts[i] < 64)
                check(&arm, &random,
                      (uint32_t)test_size(counts[i], counts[i] > 65 ? 65 : counts[i]));
    }
}

static void only_arms_have_links(void **state)
{
    (void)state;
    const struct prm_robot_spec point = {.kind = PRM_ROBOT_POINT};
    struct prm_frame frame;
    const double at[3] = {0};
    assert_status(PRM_INVALID_ARGUMENT, prm_robot_forward(test_arena, &frame, &point, at, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_where_joints_put_them),
        cmocka_unit_test(only_arms_have_links),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

/* Goal: robots with spheres, arms and rigid ones, are free where they are; a motion that is called
 * free is free at every fraction of it, and one that keeps a little from everything is called free,
 * the same both ways.
 * Method: random arms (turning, continuous, sliding, locked and mimicking joints, trees) and rigid
 * robots among random obstacles; random states and motions near each other.
 * Oracle: forward kinematics in double precision straight from the specification, joint by joint,
 * distances of every sphere to every obstacle and every other sphere; motions at many fractions. */
#include "kernels/robot_types.h"
#include "roadmap/collision/edges.h"
#include "robot_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRACTIONS = 100 };
/* Clearances within this are a matter of rounding, metres. */
#define TOLERANCE 2e-5
/* What a motion must keep to be called free: what the last intervals move, and rounding. */
#define ENOUGH 3e-4

/* ---- oracle ---- */

struct pose {
    double rotation[9], translation[3];
};

static void of_quaternion(double *m, const double *q)
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rotation[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
        2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(m, rotation, sizeof(rotation));
}

static struct pose join(const struct pose *a, const struct pose *b)
{
    struct pose p;
    for (int i = 0; i < 3; i++) {
        p.translation[i] = a->translation[i];
        for (int j = 0; j < 3; j++) {
            p.translation[i] += a->rotation[3 * i + j] * b->translation[j];
            p.rotation[3 * i + j] = 0;
            for (int k = 0; k < 3; k++)
                p.rotation[3 * i + j] += a->rotation[3 * i + k] * b->rotation[3 * k + j];
        }
    }
    return p;
}

/* The motion of a joint at a value: Rodrigues' formula about its axis, or along it. */
static struct pose joint_motion(const struct prm_joint *joint, double value)
{
    struct pose p = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    double axis[3], length = 0;
    for (int c = 0; c < 3; c++)
        length += joint->axis[c] * joint->axis[c];
    for (int c = 0; c < 3; c++)
        axis[c] = joint->axis[c] / sqrt(length);
    if (joint->kind == PRM_JOINT_FIXED)
        return p;
    if (joint->kind == PRM_JOINT_PRISMATIC) {
        for (int c = 0; c < 3; c++)
            p.translation[c] = value * axis[c];
        return p;
    }
    const double q[4] = {sin(value / 2) * axis[0], sin(value / 2) * axis[1],
                         sin(value / 2) * axis[2], cos(value / 2)};
    of_quaternion(p.rotation, q);
    return p;
}

/* Where every link is. */
static void link_poses(const struct robot_scene *f, const double *state, struct pose *poses)
{
    const uint32_t dimension = f->world->dimension;
    if (f->spec.kind == PRM_ROBOT_RIGID) {
        const double about_z[4] = {0, 0, sin(state[2] / 2), cos(state[2] / 2)};
        poses[0] = (struct pose){{0}, {0, 0, 0}};
        of_quaternion(poses[0].rotation, dimension == 2 ? about_z : state + 3);
        memcpy(poses[0].translation, state, dimension * sizeof(double));
        return;
    }
    of_quaternion(poses[0].rotation, f->spec.base.quaternion);
    memcpy(poses[0].translation, f->spec.base.xyz, sizeof(poses[0].translation));
    for (uint32_t j = 0; j < f->spec.joint_count; j++) {
        const struct prm_joint *joint = &f->joints[j];
        struct pose origin;
        of_quaternion(origin.rotation, joint->origin.quaternion);
        memcpy(origin.translation, joint->origin.xyz, sizeof(origin.translation));
        const double moved =
            joint->coordinate == UINT32_MAX ? 0 : joint->multiplier * state[joint->coordinate];
        const struct pose motion = joint_motion(joint, moved + joint->offset);
        const struct pose at = join(&poses[joint->parent], &origin);
        poses[joint->child] = join(&at, &motion);
    }
}

/* Distance of a point to an obstacle, padding subtracted; of centres inside 0 or less. */
static double obstacle_distance(const struct prm_obstacle *o, const double *p)
{
    double m[9], own[3] = {0};
    of_quaternion(m, o->quaternion);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            own[i] += m[3 * j + i] * (p[j] - o->center[j]);
    const double around = hypot(own[0], own[1]);
    switch (o->kind) {
    case PRM_OBSTACLE_SPHERE:
        return hypot(around, own[2]) - o->radius - o->padding;
    case PRM_OBSTACLE_CAPSULE:
        return hypot(around, fmax(fabs(own[2]) - o->length / 2, 0)) - o->radius - o->padding;
    case PRM_OBSTACLE_CYLINDER:
        return hypot(fmax(around - o->radius, 0), fmax(fabs(own[2]) - o->length / 2, 0)) -
               o->padding;
    case PRM_OBSTACLE_BOX:
    case PRM_OBSTACLE_RECTANGLE: {
        const bool flat = o->kind == PRM_OBSTACLE_RECTANGLE;
        const double x = fmax(fabs(own[0]) - o->size[0] / 2, 0);
        const double y = fmax(fabs(own[1]) - o->size[1] / 2, 0);
        const double z = flat ? 0 : fmax(fabs(own[2]) - o->size[2] / 2, 0);
        return sqrt(x * x + y * y + z * z) - o->padding;
    }
    case PRM_OBSTACLE_CIRCLE:
        return around - o->radius - o->padding;
    case PRM_OBSTACLE_POLYGON:
    case PRM_OBSTACLE_GRID:
    case PRM_OBSTACLE_BOXES:
    case PRM_OBSTACLE_POINTS:
    case PRM_OBSTACLE_MESH:
        break;
    }
    fail_msg("no such obstacle is made here");
    return 0;
}

static double world_distance(const struct robot_scene *f, const double *p)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < SCENE_OBSTACLES; i++)
        least = fmin(least, obstacle_distance(&f->obstacles[i], p));
    return least;
}

static void sphere_at(const struct pose *pose, const struct prm_sphere *sphere, double *p)
{
    for (int i = 0; i < 3; i++) {
        p[i] = pose->translation[i];
        for (int j = 0; j < 3; j++)
            p[i] += pose->rotation[3 * i + j] * sphere->center[j];
    }
}

/* The body that a link is of: the nearest link above it that a coordinate moves. */
static uint32_t body_of(const struct robot_scene *f, uint32_t link)
{
    while (link > 0) {
        const struct prm_joint *joint = &f->joints[link - 1];
        if (joint->kind != PRM_JOINT_FIXED && joint->coordinate != UINT32_MAX)
            return link;
        link = joint->parent;
    }
    return 0;
}

static bool pair_counts(const struct robot_scene *f, uint32_t a, uint32_t b)
{
    const uint32_t p = body_of(f, a), q = body_of(f, b);
    const uint32_t above_p = p > 0 ? body_of(f, f->joints[p - 1].parent) : UINT32_MAX;
    const uint32_t above_q = q > 0 ? body_of(f, f->joints[q - 1].parent) : UINT32_MAX;
    const bool ignored =
        (a == f->ignored[0] && b == f->ignored[1]) || (a == f->ignored[1] && b == f->ignored[0]);
    return p != q && above_p != q && above_q != p && !ignored;
}

/* The least clearance of a state, of the world and of the robot itself. */
static double oracle_clearance(const struct robot_scene *f, const double *state)
{
    const bool arm = f->spec.kind == PRM_ROBOT_ARM;
    const uint32_t links = arm ? SCENE_LINKS : 1;
    static double centers[SCENE_LINKS][SCENE_LINK_SPHERES][3];
    struct pose poses[SCENE_LINKS];
    double least = INFINITY;

    link_poses(f, state, poses);
    for (uint32_t l = 0; l < links; l++) {
        const uint32_t count = arm ? f->links[l].sphere_count : SCENE_LINK_SPHERES;
        for (uint32_t s = 0; s < count; s++) {
            const struct prm_sphere *sphere = &f->spheres[l * SCENE_LINK_SPHERES + s];
            sphere_at(&poses[l], sphere, centers[l][s]);
            if (sphere->radius >= 0 && !(arm && body_of(f, l) == 0))
                least = fmin(least, world_distance(f, centers[l][s]) - sphere->radius);
        }
    }
    for (uint32_t a = 0; a < links; a++)
        for (uint32_t b = a + 1; b < links; b++) {
            if (!pair_counts(f, a, b))
                continue;
            for (uint32_t s = 0; s < f->links[a].sphere_count; s++)
                for (uint32_t t = 0; t < f->links[b].sphere_count; t++) {
                    const struct prm_sphere *p = &f->spheres[a * SCENE_LINK_SPHERES + s],
                                            *q = &f->spheres[b * SCENE_LINK_SPHERES + t];
                    double squared = 0;
                    for (int c = 0; c < 3; c++)
                        squared += (centers[a][s][c] - centers[b][t][c]) *
                                   (centers[a][s][c] - centers[b][t][c]);
                    if (p->radius >= 0 && q->radius >= 0)
                        least = fmin(least, sqrt(squared) - p->radius - q->radius);
                }
        }
    return least;
}

/* ---- asking the device ---- */

/* Verdicts of states, of motions from each to the next, and of these turned around; and the least
 * clearances. All [count]. */
struct verdicts {
    uint32_t *state_free, *edge_free, *back_free;
    struct clearance *least;
};

static struct verdicts ask(const struct robot_scene *f, const double *states, uint32_t count)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const size_t row = f->space.row;
    struct verdicts v = {calloc(count, 4), calloc(count, 4), calloc(count, 4),
                         calloc(count, sizeof(*v.least))};
    float *rows = calloc(count * row, sizeof(float));
    uint32_t *pairs = calloc(count, 8), *back = calloc(count, 8);
    struct prm_buffer on_device, valid, least;

    for (uint32_t i = 0; i < count; i++) {
        prm_space_to_row(&f->space, rows + i * row, states + i * f->space.dof);
        pairs[2 * i] = back[2 * i + 1] = i;
        pairs[2 * i + 1] = back[2 * i] = (i + 1) % count;
    }
    on_device = test_scratch(rows, count * row * sizeof(float));
    assert_ok(prm_arena_take(test_arena, &valid, count * 4));
    assert_ok(prm_arena_take(test_arena, &least, count * sizeof(*v.least)));
    assert_ok(prm_collide_states(test_arena, valid, &f->scene, on_device, count));
    assert_ok(prm_buffer_read(test_context, valid, 0, v.state_free, count * 4));
    assert_ok(prm_edges_check(test_arena, valid, &f->scene, on_device, on_device,
                              test_scratch(pairs, count * 8), count));
    assert_ok(prm_buffer_read(test_context, valid, 0, v.edge_free, count * 4));
    assert_ok(prm_edges_check(test_arena, valid, &f->scene, on_device, on_device,
                              test_scratch(back, count * 8), count));
    assert_ok(prm_buffer_read(test_context, valid, 0, v.back_free, count * 4));
    assert_ok(prm_collide_clearance(test_arena, least, &f->scene, on_device, count));
    assert_ok(prm_buffer_read(test_context, least, 0, v.least, count * sizeof(*v.least)));
    prm_arena_rewind(test_arena, mark);
    free(rows);
    free(pairs);
    free(back);
    return v;
}

static void verdicts_free(struct verdicts *v)
{
    free(v->state_free);
    free(v->edge_free);
    free(v->back_free);
    free(v->least);
}

/* The least clearance along the motion at FRACTIONS places. */
static double oracle_motion(const struct robot_scene *f, const double *a, const double *b)
{
    double least = INFINITY, state[PRM_DOF_MAX];
    const int fractions = test_is_small() ? 20 : FRACTIONS;
    for (int i = 0; i <= fractions; i++) {
        prm_space_interpolate(&f->space, state, a, b, (double)i / fractions);
        least = fmin(least, oracle_clearance(f, state));
    }
    return least;
}

/* States in short walks from random ones, so that many motions are nearly hit. */
static void check_robot(enum prm_robot_kind kind, uint32_t dimension, uint64_t seed)
{
    struct test_random random = {seed};
    struct robot_scene f;
    const uint32_t count = (uint32_t)test_size(160, 20);
    unsigned states_free = 0, edges_free = 0, edges_hit = 0;

    robot_scene_init(&f, &random, kind, dimension);
    const uint32_t dof = f.space.dof;
    double *states = calloc(count, dof * sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        // a walk begins where there is room
        for (int tries = 0; tries < 100; tries++) {
            robot_scene_state(&f, &random, states + i * dof);
            if (i % 8 != 0 || oracle_clearance(&f, states + i * dof) > 0.01)
                break;
        }
        if (i % 8 != 0)
            prm_space_interpolate(&f.space, states + i * dof, states + (i - 1) * dof,
                                  states + i * dof, 0.15);
    }
    struct verdicts v = ask(&f, states, count);

    for (uint32_t i = 0; i < count; i++) {
        const double *a = states + i * dof, *b = states + (i + 1) % count * dof;
        const double is = oracle_clearance(&f, a);
        states_free += v.state_free[i];
        if (fabs(is) > TOLERANCE)
            assert_int_equal(v.state_free[i], is > 0);
        // the oracle knows no depth of a centre that is inside
        if (is < 0.05)
            assert_true((double)v.least[i].value < is + 1e-4);
        if (is < 0.05 && is > -0.009)
            assert_float_equal(v.least[i].value, (float)is, 1e-4f);
        assert_int_equal(v.edge_free[i], v.back_free[i]);
        const double along = oracle_motion(&f, a, b);
        if (along < -TOLERANCE)
            assert_int_equal(v.edge_free[i], 0);
        if (along > ENOUGH + 2e-2)
            assert_int_equal(v.edge_free[i], 1);
        edges_free += v.edge_free[i];
        edges_hit += !v.edge_free[i];
    }
    // the tests above are about something
    if (!test_is_small() && (states_free < 8 || edges_free < 4 || edges_hit < 4))
        fail_msg("%u states and %u motions are free, %u are not", states_free, edges_free,
                 edges_hit);
    verdicts_free(&v);
    free(states);
    robot_scene_deinit(&f);
}

static void arms(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (test_is_small() ? 1 : 6); seed++)
        check_robot(PRM_ROBOT_ARM, 3, seed);
}

static void rigid_in_the_plane(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (test_is_small() ? 1 : 3); seed++)
        check_robot(PRM_ROBOT_RIGID, 2, seed);
}

static void rigid_in_space(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (test_is_small() ? 1 : 3); seed++)
        check_robot(PRM_ROBOT_RIGID, 3, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms),
        cmocka_unit_test(rigid_in_the_plane),
        cmocka_unit_test(rigid_in_space),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

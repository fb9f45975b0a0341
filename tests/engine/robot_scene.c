#include "robot_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static double uniform(struct test_random *random, double low, double high)
{
    return (double)test_random_f32(random, (float)low, (float)high);
}

static void random_quaternion(struct test_random *random, double *q)
{
    double length = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = uniform(random, -1, 1);
        length += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(length);
}

static void make_world(struct robot_scene *f, struct test_random *random, uint32_t dimension)
{
    const double middle[3] = {100, -7, 3};
    for (uint32_t i = 0; i < SCENE_OBSTACLES; i++) {
        const enum prm_obstacle_kind solid[] = {PRM_OBSTACLE_SPHERE, PRM_OBSTACLE_BOX,
                                                PRM_OBSTACLE_CYLINDER, PRM_OBSTACLE_CAPSULE};
        const enum prm_obstacle_kind flat[] = {PRM_OBSTACLE_CIRCLE, PRM_OBSTACLE_RECTANGLE};
        struct prm_obstacle *o = &f->obstacles[i];
        *o = (struct prm_obstacle){.kind = dimension == 3 ? solid[i % 4] : flat[i % 2],
                                   .radius = uniform(random, 0.05, 0.2),
                                   .length = uniform(random, 0.1, 0.5),
                                   .padding = i % 3 == 0 ? 0.02 : 0};
        for (uint32_t c = 0; c < 3; c++) {
            o->center[c] = c < dimension ? middle[c] + uniform(random, -1.2, 1.2) : 0;
            o->size[c] = uniform(random, 0.05, 0.4);
        }
        random_quaternion(random, o->quaternion);
        if (dimension == 2) {
            const double angle = uniform(random, -3, 3);
            const double about_z[4] = {0, 0, sin(angle / 2), cos(angle / 2)};
            memcpy(o->quaternion, about_z, sizeof(about_z));
        }
    }
    f->world_spec = (struct prm_world_spec){.dimension = dimension,
                                            .bounded = true,
                                            .obstacles = f->obstacles,
                                            .obstacle_count = SCENE_OBSTACLES};
    for (uint32_t c = 0; c < dimension; c++) {
        f->world_spec.lower[c] = middle[c] - 2;
        f->world_spec.upper[c] = middle[c] + 2;
    }
    assert_ok(prm_world_create(test_arena, &f->world, &f->world_spec));
}

/* A tree: link l hangs on l - 1, the last two on the same. The fourth joint is fixed, the sixth
 * slides, the seventh mimics the second, the first is continuous. */
static void make_arm(struct robot_scene *f, struct test_random *random)
{
    const uint32_t of_joint[SCENE_LINKS - 1] = {0, 1, 2, UINT32_MAX, 3, 4, 1, UINT32_MAX};
    for (uint32_t l = 0; l < SCENE_LINKS; l++) {
        snprintf(f->links[l].name, sizeof(f->links[l].name), "link%u", l);
        f->links[l].sphere_first = l * SCENE_LINK_SPHERES;
        f->links[l].sphere_count = l == 3 ? 0 : l == 5 ? 1 : SCENE_LINK_SPHERES;
        for (uint32_t s = 0; s < SCENE_LINK_SPHERES; s++) {
            struct prm_sphere *sphere = &f->spheres[l * SCENE_LINK_SPHERES + s];
            sphere->radius = s == 3 ? -1 : uniform(random, 0.01, 0.03);
            for (int c = 0; c < 3; c++)
                sphere->center[c] = uniform(random, -0.08, 0.08);
        }
    }
    for (uint32_t j = 0; j + 1 < SCENE_LINKS; j++) {
        struct prm_joint *joint = &f->joints[j];
        *joint = (struct prm_joint){.kind = PRM_JOINT_REVOLUTE,
                                    .parent = j == 7 ? 6 : j,
                                    .child = j + 1,
                                    .coordinate = of_joint[j],
                                    .multiplier = 1};
        for (int c = 0; c < 3; c++) {
            joint->origin.xyz[c] = uniform(random, -0.3, 0.3);
            joint->axis[c] = uniform(random, -1, 1);
        }
        random_quaternion(random, joint->origin.quaternion);
    }
    f->joints[0].kind = PRM_JOINT_CONTINUOUS;
    f->joints[3].kind = PRM_JOINT_FIXED;
    f->joints[5].kind = PRM_JOINT_PRISMATIC;
    f->joints[6].multiplier = -0.5;
    f->joints[6].offset = 0.3;
    f->joints[7].offset = 0.7; // locked
    for (uint32_t c = 0; c < 5; c++) {
        f->coordinates[c] = (struct prm_robot_coordinate){
            .turn = c == 0, .lower = -2, .upper = 1.5, .weight = c == 2 ? 0.5 : 1};
        snprintf(f->coordinates[c].name, sizeof(f->coordinates[c].name), "q%u", c);
    }
    f->coordinates[0].weight = 2;
    f->coordinates[4].lower = 0;
    f->coordinates[4].upper = 0.25;
    f->ignored[0] = 8;
    f->ignored[1] = 2;
    f->spec = (struct prm_robot_spec){.kind = PRM_ROBOT_ARM,
                                      .spheres = f->spheres,
                                      .sphere_count = SCENE_LINKS * SCENE_LINK_SPHERES,
                                      .links = f->links,
                                      .link_count = SCENE_LINKS,
                                      .joints = f->joints,
                                      .joint_count = SCENE_LINKS - 1,
                                      .coordinates = f->coordinates,
                                      .dof = 5,
                                      .ignored = f->ignored,
                                      .ignored_count = 1};
    f->spec.base.xyz[0] = 100.1;
    f->spec.base.xyz[1] = -7.2;
    f->spec.base.xyz[2] = 3;
    random_quaternion(random, f->spec.base.quaternion);
}

static void make_rigid(struct robot_scene *f, struct test_random *random, uint32_t dimension)
{
    for (uint32_t s = 0; s < SCENE_LINK_SPHERES; s++) {
        f->spheres[s].radius = uniform(random, 0.02, 0.1);
        for (uint32_t c = 0; c < 3; c++)
            f->spheres[s].center[c] = c < dimension ? uniform(random, -0.2, 0.2) : 0;
    }
    f->spec = (struct prm_robot_spec){.kind = PRM_ROBOT_RIGID,
                                      .spheres = f->spheres,
                                      .sphere_count = SCENE_LINK_SPHERES,
                                      .weights = {1, 0.5, dimension == 2 ? 0.3 : 2, 0.4}};
}

void robot_scene_init(struct robot_scene *f, struct test_random *random, enum prm_robot_kind kind,
                      uint32_t dimension)
{
    *f = (struct robot_scene){0};
    make_world(f, random, dimension);
    if (kind == PRM_ROBOT_ARM)
        make_arm(f, random);
    else
        make_rigid(f, random, dimension);
    assert_ok(prm_space_init(&f->space, &f->spec, f->world));
    assert_ok(prm_robot_create(test_context, &f->robot, &f->spec, &f->space, f->world->center));
    f->scene = (struct prm_scene){
        .space = &f->space, .robot = f->robot, .world = f->world, .obstacles = &f->world->all};
}

void robot_scene_deinit(struct robot_scene *f)
{
    prm_robot_destroy(f->robot);
    prm_world_destroy(f->world);
}

void robot_scene_state(const struct robot_scene *f, struct test_random *random, double *state)
{
    for (uint32_t c = 0; c < f->space.dof; c++) {
        const struct prm_coordinate *coordinate = &f->space.coordinates[c];
        if (coordinate->kind == PRM_COORDINATE_LINEAR)
            state[c] = uniform(random, coordinate->lower, coordinate->upper);
        else if (coordinate->kind == PRM_COORDINATE_TURN)
            state[c] = uniform(random, -PI, PI);
        else {
            random_quaternion(random, state + c);
            c += 3;
        }
    }
}

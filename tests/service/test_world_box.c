/* Goal: the box of a world holds all that its obstacles have, wherever they were moved to. Method:
 * one obstacle of each kind, moved at random, many of its points. Oracle: rotation matrices. */
#include "service/worlds/world_box.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 200, POINTS = 60 };

/* R(q) v by the matrix of a unit quaternion. */
static void turn(double out[3], const double q[4], const double v[3])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    out[0] =
        (1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y - z * w) * v[1] + 2 * (x * z + y * w) * v[2];
    out[1] =
        2 * (x * y + z * w) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] + 2 * (y * z - x * w) * v[2];
    out[2] =
        2 * (x * z - y * w) * v[0] + 2 * (y * z + x * w) * v[1] + (1 - 2 * (x * x + y * y)) * v[2];
}

static double between(struct test_random *random, double low, double high)
{
    return low + (high - low) * (double)test_random_below(random, 1000001) / 1e6;
}

static void random_turn(struct test_random *random, double q[4])
{
    double norm = 0;
    for (int i = 0; i < 4; i++)
        q[i] = between(random, -1, 1);
    for (int i = 0; i < 4; i++)
        norm += q[i] * q[i];
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(norm);
}

/* A point of the obstacle's surface or inside, in its own frame. */
static void random_point(struct test_random *random, const struct obstacle_document *obstacle,
                         double point[3])
{
    double u[3], norm = 0;
    for (int i = 0; i < 3; i++)
        u[i] = between(random, -1, 1);
    for (int i = 0; i < 3; i++)
        norm += u[i] * u[i];
    norm = sqrt(norm);
    const double angle = atan2(u[1], u[0]), radius = obstacle->radius;
    const uint32_t row =
        obstacle->point_count ? test_random_below(random, obstacle->point_count) : 0;
    for (int i = 0; i < 3; i++) {
        const double end = u[2] > 0 ? obstacle->length / 2 : -obstacle->length / 2;
        switch ((int)obstacle->type) {
        case OBSTACLE_SPHERE:
            point[i] = radius * u[i] / norm;
            break;
        case OBSTACLE_BOX:
            point[i] = obstacle->size[i] / 2 * (u[i] > 0 ? 1 : -1);
            break;
        case OBSTACLE_CYLINDER:
            point[i] = i == 0 ? radius * cos(angle) : i == 1 ? radius * sin(angle) : end;
            break;
        case OBSTACLE_CAPSULE:
            point[i] = radius * u[i] / norm + (i == 2 ? end : 0);
            break;
        case OBSTACLE_BOXES:
            point[i] = obstacle->points[6 * row + (uint32_t)i] +
                       obstacle->points[6 * row + 3 + (uint32_t)i] / 2 * (u[i] > 0 ? 1 : -1);
            break;
        default: // points and meshes
            point[i] = obstacle->points[3 * row + (uint32_t)i] +
                       (obstacle->type == OBSTACLE_POINTS ? radius * u[i] / norm : 0);
        }
    }
}

static void boxes_hold_what_moved(void **state)
{
    (void)state;
    static double points[] = {0, 0, 0, 1, 2, 3, -1, 4, 0.5, 2, 0.1, 3};
    static const struct obstacle_document kinds[] = {
        {.type = OBSTACLE_SPHERE, .radius = 2},
        {.type = OBSTACLE_BOX, .size = {1, 2, 3}},
        {.type = OBSTACLE_CYLINDER, .radius = 0.5, .length = 4},
        {.type = OBSTACLE_CAPSULE, .radius = 0.5, .length = 4},
        {.type = OBSTACLE_BOXES, .points = points, .point_count = 2},
        {.type = OBSTACLE_POINTS, .points = points, .point_count = 4, .radius = 0.3},
        {.type = OBSTACLE_MESH, .points = points, .point_count = 4},
    };
    struct test_random random = {11};
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct obstacle_document obstacle = kinds[round % (sizeof kinds / sizeof *kinds)];
        double own[4], shift[3], moved[4];
        random_turn(&random, own);
        random_turn(&random, moved);
        memcpy(obstacle.quaternion, own, sizeof own);
        for (int i = 0; i < 3; i++) {
            obstacle.center[i] = between(&random, -5, 5);
            shift[i] = between(&random, -5, 5);
        }
        const struct obstacle_document before = obstacle;
        obstacle_move(&obstacle, shift, moved);
        const struct world_document world = {
            .dimension = 3, .obstacles = &obstacle, .obstacle_count = 1};
        double lower[3], upper[3];
        assert_true(world_box(&world, lower, upper));
        for (unsigned i = 0; i < POINTS; i++) {
            double point[3];
            random_point(&random, &before, point);
            turn(point, own, (const double[3]){point[0], point[1], point[2]});
            for (int axis = 0; axis < 3; axis++)
                point[axis] += before.center[axis];
            turn(point, moved, (const double[3]){point[0], point[1], point[2]});
            for (int axis = 0; axis < 3; axis++) {
                point[axis] += shift[axis];
                assert_true(point[axis] >= lower[axis] - 1e-9 && point[axis] <= upper[axis] + 1e-9);
            }
        }
    }
}

static void a_box_is_no_larger_than_it_must(void **state)
{
    (void)state;
    struct obstacle_document obstacles[] = {
        {.type = OBSTACLE_BOX, .size = {2, 4, 6}, .center = {1, 2, 3}, .quaternion = {0, 0, 0, 1}},
        {.type = OBSTACLE_SPHERE, .radius = 1, .center = {-5, 0, 0}, .quaternion = {0, 0, 0, 1}},
    };
    const struct world_document world = {
        .dimension = 3, .obstacles = obstacles, .obstacle_count = 2};
    const struct world_document empty = {.dimension = 3};
    const double least[3] = {-6, -1, -1}, most[3] = {2, 4, 6};
    double lower[3], upper[3];
    assert_true(world_box(&world, lower, upper));
    assert_memory_equal(lower, least, sizeof least);
    assert_memory_equal(upper, most, sizeof most);
    assert_false(world_box(&empty, lower, upper));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hold_what_moved),
        cmocka_unit_test(a_box_is_no_larger_than_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

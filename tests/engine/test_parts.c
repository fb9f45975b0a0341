/* Goal: obstacles of many boxes, points and triangles stand where they are said to, as solids one
 * by one and as distance fields: no motion that touches them is called free, and none that keeps
 * clear of them, or of their cubes, is refused. Method: random obstacles, posed and padded, at the
 * origin and at map coordinates, points and balls; a wall of voxels one thick and a plate of no
 * thickness, with a door each; the same boxes as a field and one by one. Oracle: double precision
 * over all parts (oracle_world). */
#include "oracle_world.h"
#include "roadmap/collision/edges.h"
#include "roadmap/world/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 3, PARTS = 10, STATES = 200 };

struct fixture {
    struct prm_obstacle obstacles[KINDS];
    double numbers[KINDS][PARTS * 3 * 6];
    uint32_t triangles[PARTS * 3];
    struct prm_world_spec spec;
    struct prm_world *world;
    struct prm_robot robot;
    struct prm_space space;
    struct prm_scene scene;
};

/* Makes the world of `spec` and a robot in it, a ball or of radius 0 a point. */
static void fixture_open(struct fixture *f, double radius)
{
    const struct prm_robot_spec robot = {.kind = radius > 0 ? PRM_ROBOT_BALL : PRM_ROBOT_POINT,
                                         .radius = radius};
    assert_ok(prm_world_create(test_arena, &f->world, &f->spec));
    assert_ok(prm_space_init(&f->space, &robot, f->world));
    f->robot = (struct prm_robot){.kind = robot.kind, .radius = radius};
    f->scene = (struct prm_scene){.space = &f->space,
                                  .robot = &f->robot,
                                  .world = f->world,
                                  .obstacles = &f->world->all,
                                  .edge_check = PRM_EDGE_CERTIFIED,
                                  .edge_resolution = 0.01};
}

/* is_free[i]: the device's answer for the motion from state 2 i to 2 i + 1. */
static void ask(const struct fixture *f, const double (*states)[3], uint32_t count,
                uint32_t *is_free)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const size_t row = f->space.row;
    float *rows = calloc(2 * (size_t)count, row * sizeof(float));
    uint32_t *pairs = calloc(count, 2 * sizeof(uint32_t));
    for (uint32_t i = 0; i < 2 * count; i++) {
        prm_space_to_row(&f->space, rows + i * row, states[i]);
        pairs[i] = i;
    }
    struct prm_buffer flags;
    const struct prm_buffer on_device = test_scratch(rows, 2 * count * row * sizeof(float));
    assert_ok(prm_arena_take(test_arena, &flags, count * sizeof(uint32_t)));
    assert_ok(prm_edges_check(test_arena, flags, &f->scene, on_device, on_device,
                              test_scratch(pairs, count * 2 * sizeof(uint32_t)), count));
    assert_ok(prm_buffer_read(test_context, flags, 0, is_free, count * sizeof(uint32_t)));
    prm_arena_rewind(test_arena, mark);
    free(rows);
    free(pairs);
}

/* One obstacle of each kind about `middle`, and bounds of 10 m. */
static void fixture_init(struct fixture *f, struct test_random *random, const double *middle,
                         double resolution)
{
    static const enum prm_obstacle_kind ALL[KINDS] = {PRM_OBSTACLE_BOXES, PRM_OBSTACLE_POINTS,
                                                      PRM_OBSTACLE_MESH};
    memset(f, 0, sizeof(*f));
    for (uint32_t k = 0; k < KINDS; k++) {
        const bool mesh = ALL[k] == PRM_OBSTACLE_MESH;
        const size_t stride = ALL[k] == PRM_OBSTACLE_BOXES ? 6 : 3;
        struct prm_obstacle *o = &f->obstacles[k];
        *o = (struct prm_obstacle){.kind = ALL[k],
                                   .points = f->numbers[k],
                                   .point_count = mesh ? 3 * PARTS : PARTS,
                                   .triangles = mesh ? f->triangles : NULL,
                                   .triangle_count = mesh ? PARTS : 0,
                                   .radius = 0.3,
                                   .resolution = resolution,
                                   .dynamic = k == 1,
                                   .padding = k == 2 ? 0.1 : 0.0};
        double norm = 0;
        for (int c = 0; c < 4; c++) {
            o->quaternion[c] = (double)test_random_f32(random, -1, 1);
            norm += o->quaternion[c] * o->quaternion[c];
            if (c < 3)
                o->center[c] = middle[c] + (double)test_random_f32(random, -1, 1);
        }
        for (int c = 0; c < 4; c++)
            o->quaternion[c] /= sqrt(norm);
        for (size_t i = 0; i < stride * o->point_count; i++)
            f->numbers[k][i] = i % stride < 3 ? (double)test_random_f32(random, -4, 4)
                                              : (double)test_random_f32(random, 0, 1.5f);
    }
    // triangles with sides of 1 to 2 m, one of no area
    for (uint32_t i = 0; i < 3 * PARTS; i++) {
        f->triangles[i] = i;
        for (uint32_t c = 0; c < 3 && i % 3 > 0; c++)
            f->numbers[2][3 * i + c] =
                f->numbers[2][3 * (i - 1) + c] + (double)test_random_f32(random, -1.5f, 1.5f);
    }
    f->triangles[2] = f->triangles[1];
    f->spec = (struct prm_world_spec){
        .dimension = 3, .bounded = true, .obstacles = f->obstacles, .obstacle_count = KINDS};
    for (int c = 0; c < 3; c++) {
        f->spec.lower[c] = middle[c] - 5;
        f->spec.upper[c] = middle[c] + 5;
    }
}

static void motions_among_parts(void **state)
{
    static const struct {
        double middle[3], radius, resolution;
    } CASES[] = {{{0, 0, 0}, 0, 0},
                 {{500000, 4000000, 100}, 0.2, 0},
                 {{0, 0, 0}, 0, 0.25},
                 {{500000, 4000000, 100}, 0.3, 0.1}};
    struct test_random random = {1};
    const uint32_t count = (uint32_t)test_size(STATES, 12);
    (void)state;

    for (size_t k = 0; k < sizeof(CASES) / sizeof(CASES[0]); k++) {
        struct fixture f;
        double(*states)[3] = calloc(2 * (size_t)count, sizeof(*states));
        uint32_t *is_free = calloc(count, sizeof(uint32_t));
        unsigned clear = 0, hits = 0;
        fixture_init(&f, &random, CASES[k].middle,
                     test_is_small() && k > 1 ? 1 : CASES[k].resolution);
        fixture_open(&f, CASES[k].radius);
        const bool field = CASES[k].resolution > 0;
        assert_int_equal(f.world->all.shape_count, field ? 0 : 3 * PARTS);
        assert_int_equal(f.world->fixed.shape_count, field ? 0 : 2 * PARTS);
        assert_int_equal(f.world->all.field_count, field ? 3 : 0);
        assert_int_equal(f.world->fixed.field_count, field ? 2 : 0);

        for (uint32_t i = 0; i < count; i++) {
            for (int c = 0; c < 3; c++) {
                states[2 * i][c] = CASES[k].middle[c] + (double)test_random_f32(&random, -5, 5);
                states[2 * i + 1][c] =
                    fmin(fmax(states[2 * i][c] + (double)test_random_f32(&random, -2, 2),
                              f.spec.lower[c]),
                         f.spec.upper[c]);
            }
        }
        ask(&f, (const double(*)[3])states, count, is_free);

        // cubes reach a diagonal beyond what they hold
        const double beyond = f.obstacles[0].resolution * 1.74 + 1e-4;
        for (uint32_t i = 0; i < count; i++) {
            const double is =
                oracle_segment_clearance(&f.spec, true, states[2 * i], states[2 * i + 1]) -
                CASES[k].radius;
            if (is_free[i] ? !(is > 0) : is > beyond)
                fail_msg("case %zu motion %u: clearance %g is called %s", k, i, is,
                         is_free[i] ? "free" : "hit");
            clear += is_free[i];
            hits += !is_free[i];
        }
        assert_true(test_is_small() || (clear > 0 && hits > 0));
        prm_world_destroy(f.world);
        free(states);
        free(is_free);
    }
}

/* Motions through a wall at x = 0, the door in it, and beside it. A wall stands where |y|, |z| <= 2
 * but for the door |y|, |z| < ½ at most. */
static void check_wall(struct prm_obstacle *wall, double radius)
{
    struct fixture f = {.spec = {.dimension = 3,
                                 .bounded = true,
                                 .lower = {-2, -2, -2},
                                 .upper = {2, 2, 2},
                                 .obstacles = wall,
                                 .obstacle_count = 1}};
    struct test_random random = {8};
    const uint32_t count = (uint32_t)test_size(600, 4);
    double(*states)[3] = calloc(2 * (size_t)count, sizeof(*states));
    uint32_t *is_free = calloc(count, sizeof(uint32_t));
    unsigned through = 0;

    for (uint32_t i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            states[2 * i][c] = (double)test_random_f32(&random, -2, 2);
            states[2 * i + 1][c] = (double)test_random_f32(&random, -2, 2);
        }
        // across; every third nearly along the wall, every fourth straight through the door
        const double far = i % 3 ? 1.0 : 1e-3;
        states[2 * i][0] = -fabs(states[2 * i][0]) * far - radius - 0.11;
        states[2 * i + 1][0] = fabs(states[2 * i + 1][0]) * far + radius + 0.11;
        for (int c = 1; c < 3 && i % 4 == 0; c++)
            states[2 * i][c] = states[2 * i + 1][c] = 0.05 * states[2 * i][c];
    }
    fixture_open(&f, radius);
    ask(&f, (const double(*)[3])states, count, is_free);
    for (uint32_t i = 0; i < count; i++) {
        const double *a = states[2 * i], *b = states[2 * i + 1];
        const double t = a[0] / (a[0] - b[0]);
        const double y = fabs(a[1] + t * (b[1] - a[1])), z = fabs(a[2] + t * (b[2] - a[2]));
        if (is_free[i] && (y >= 0.5 || z >= 0.5))
            fail_msg("kind %d: motion %u goes through the wall at %g %g", (int)wall->kind, i, y, z);
        if (i % 4 == 0)
            assert_int_equal(is_free[i], 1);
        through += is_free[i];
    }
    assert_true(through < count);
    prm_world_destroy(f.world);
    free(states);
    free(is_free);
}

static void walls_are_not_crossed(void **state)
{
    enum { SIDE = 40, DOOR_FROM = 15, DOOR_TO = 25 };
    double(*voxels)[6] = calloc(SIDE * SIDE, sizeof(*voxels));
    uint32_t count = 0;
    // a plate with a hole: corners of the outer square, then of the inner one
    static const double CORNERS[8][3] = {{0, -2, -2},   {0, 2, -2},      {0, 2, 2},
                                         {0, -2, 2},    {0, -0.5, -0.5}, {0, 0.5, -0.5},
                                         {0, 0.5, 0.5}, {0, -0.5, 0.5}};
    static const uint32_t TRIANGLES[8][3] = {{0, 1, 4}, {1, 5, 4}, {1, 2, 5}, {2, 6, 5},
                                             {2, 3, 6}, {3, 7, 6}, {3, 0, 7}, {0, 4, 7}};
    (void)state;

    // leaves of 0.1 m, one thick
    for (int j = 0; j < SIDE; j++) {
        for (int k = 0; k < SIDE; k++) {
            if (j >= DOOR_FROM && j < DOOR_TO && k >= DOOR_FROM && k < DOOR_TO)
                continue;
            const double box[6] = {0.05, 0.1 * j - 1.95, 0.1 * k - 1.95, 0.1, 0.1, 0.1};
            memcpy(voxels[count++], box, sizeof(box));
        }
    }
    // fields are much for interpreted kernels
    for (int i = 0; i < (test_is_small() ? 2 : 4); i++) {
        const double radius = i % 2 ? 0.1 : 0.0;
        struct prm_obstacle wall = {.kind = PRM_OBSTACLE_BOXES,
                                    .quaternion = {0, 0, 0, 1},
                                    .points = voxels[0],
                                    .point_count = count,
                                    .resolution = i < 2 ? 0 : 0.1};
        check_wall(&wall, radius);
        wall = (struct prm_obstacle){.kind = PRM_OBSTACLE_MESH,
                                     .quaternion = {0, 0, 0, 1},
                                     .points = CORNERS[0],
                                     .point_count = 8,
                                     .triangles = TRIANGLES[0],
                                     .triangle_count = 8,
                                     .resolution = i < 2 ? 0 : 0.04};
        check_wall(&wall, radius);
    }
    free(voxels);
}

/* Many boxes are in tiles small enough; more than are kept one by one are a field of just them. */
static void many_boxes(void **state)
{
    const uint32_t count = (uint32_t)test_size(PRM_FIELD_BOXES + 2000, 200);
    double(*boxes)[6] = calloc(count, sizeof(*boxes));
    struct test_random random = {4};
    struct prm_obstacle o[2] = {
        {.kind = PRM_OBSTACLE_BOXES, .quaternion = {0, 0, 0, 1}, .points = boxes[0]}};
    struct fixture f = {.spec = {.dimension = 3,
                                 .bounded = true,
                                 .lower = {-8, -8, -8},
                                 .upper = {8, 8, 8},
                                 .obstacles = o,
                                 .obstacle_count = 1}};
    (void)state;

    for (uint32_t i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            boxes[i][c] = 0.05 * (floor((double)test_random_f32(&random, -160, 160)) + 0.5);
            boxes[i][3 + c] = 0.05;
        }
    }
    // the same in one, as a field, and in two, solid by solid
    o[0].point_count = count;
    o[0].resolution = test_is_small() ? 0.5 : 0;
    fixture_open(&f, 0.02);
    assert_int_equal(f.world->all.field_count, 1);
    assert_int_equal(f.world->all.shape_count, 0);
    const uint32_t half = count / 2;
    struct fixture g = f;
    o[1] = o[0];
    o[0].point_count = half;
    o[1].points = boxes[half];
    o[1].point_count = count - half;
    o[0].resolution = o[1].resolution = 0;
    g.spec.obstacle_count = 2;
    fixture_open(&g, 0.02);
    assert_int_equal(g.world->all.shape_count, count);

    enum { MOTIONS = 500 };
    const uint32_t motions = (uint32_t)test_size(MOTIONS, 2);
    double states[2 * MOTIONS][3];
    uint32_t by_field[MOTIONS], by_solids[MOTIONS];
    unsigned differ = 0, clear = 0;
    for (uint32_t i = 0; i < 2 * motions; i++)
        for (int c = 0; c < 3; c++)
            states[i][c] = i % 2 ? states[i - 1][c] + (double)test_random_f32(&random, -1, 1)
                                 : (double)test_random_f32(&random, -7, 7);
    ask(&f, (const double(*)[3])states, motions, by_field);
    ask(&g, (const double(*)[3])states, motions, by_solids);
    for (uint32_t i = 0; i < motions; i++) {
        // leaves are whole cubes: the two tell the same but for rounding
        differ += by_field[i] != by_solids[i];
        clear += by_solids[i];
        assert_true(by_solids[i] || !by_field[i]);
    }
    assert_true(test_is_small() || (differ <= 1 && clear > 20 && clear < MOTIONS - 20));
    prm_world_destroy(f.world);
    prm_world_destroy(g.world);
    free(boxes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_among_parts),
        cmocka_unit_test(walls_are_not_crossed),
        cmocka_unit_test(many_boxes),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

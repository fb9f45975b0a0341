/* Goal: no motion that touches an obstacle is called free, and none that keeps clear by more than
 * the rounding is refused; the same for states; whatever the broad phase, the frame and the shape
 * of machine. Method: random worlds of all kinds at the origin and at map coordinates, points and
 * balls, short and long motions; a wall of one millimetre; bounds of a 512 m world. Oracle: double
 * precision over all obstacles as specified (oracle_world). */
#include "kernels/robot_types.h"
#include "oracle_world.h"
#include "roadmap/collision/edges.h"

#include <math.h>
#include <stdlib.h>

enum { OBSTACLES = 60, POINTS = 6, STATES = 250 };

struct fixture {
    struct prm_obstacle obstacles[OBSTACLES];
    double points[OBSTACLES][2 * POINTS];
    struct prm_world_spec spec;
    struct prm_world *world;
    struct prm_robot robot;
    struct prm_space space;
    struct prm_scene scene;
};

/* A world of `extent` metres a side about `middle`. */
static void fixture_init(struct fixture *f, struct test_random *random, uint32_t dimension,
                         const double *middle, double extent, double radius)
{
    for (uint32_t i = 0; i < OBSTACLES; i++) {
        f->obstacles[i] =
            oracle_random_obstacle(random, dimension, middle, extent / 2, f->points[i], POINTS);
        f->obstacles[i].dynamic = i % 7 == 0;
        f->obstacles[i].disabled = i % 11 == 0;
    }
    f->spec = (struct prm_world_spec){.dimension = dimension,
                                      .bounded = true,
                                      .obstacles = f->obstacles,
                                      .obstacle_count = OBSTACLES};
    for (uint32_t c = 0; c < dimension; c++) {
        f->spec.lower[c] = middle[c] - extent / 2;
        f->spec.upper[c] = middle[c] + extent / 2;
    }
    assert_ok(prm_world_create(test_arena, &f->world, &f->spec));
    const struct prm_robot_spec spec = {.kind = radius > 0 ? PRM_ROBOT_BALL : PRM_ROBOT_POINT,
                                        .radius = radius};
    assert_ok(prm_space_init(&f->space, &spec, f->world));
    f->robot = (struct prm_robot){.kind = spec.kind, .radius = radius};
    f->scene = (struct prm_scene){.space = &f->space,
                                  .robot = &f->robot,
                                  .world = f->world,
                                  .obstacles = &f->world->all,
                                  .edge_check = PRM_EDGE_CERTIFIED,
                                  .edge_resolution = 0.01};
}

/* Device answers for the pairs (i, i + 1) and for all states. states: double[count][3], wire. */
static void ask(const struct fixture *f, const double (*states)[3], uint32_t count,
                uint32_t *edge_free, uint32_t *state_free)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const size_t row = f->space.row;
    float *rows = calloc(count, row * sizeof(float));
    uint32_t *pairs = calloc(count, 2 * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        prm_space_to_row(&f->space, rows + i * row, states[i]);
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1 < count ? i + 1 : UINT32_MAX;
    }
    struct prm_buffer flags;
    const struct prm_buffer on_device = test_scratch(rows, count * row * sizeof(float));
    assert_ok(prm_arena_take(test_arena, &flags, count * sizeof(uint32_t)));
    assert_ok(prm_edges_check(test_arena, flags, &f->scene, on_device, on_device,
                              test_scratch(pairs, count * 2 * sizeof(uint32_t)), count));
    assert_ok(prm_buffer_read(test_context, flags, 0, edge_free, count * sizeof(uint32_t)));
    assert_ok(prm_collide_states(test_arena, flags, &f->scene, on_device, count));
    assert_ok(prm_buffer_read(test_context, flags, 0, state_free, count * sizeof(uint32_t)));
    prm_arena_rewind(test_arena, mark);
    free(rows);
    free(pairs);
}

/* All pairs and states of one fixture against the oracle. */
static void check(const struct fixture *f, struct test_random *random, double hop)
{
    const uint32_t count = (uint32_t)test_size(STATES, 24);
    double(*states)[3] = calloc(count, sizeof(*states));
    uint32_t *edge_free = calloc(count, sizeof(uint32_t)),
             *state_free = calloc(count, sizeof(uint32_t));
    const double extent = f->spec.upper[0] - f->spec.lower[0];
    unsigned free_edges = 0;

    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < f->spec.dimension; c++) {
            double x = (double)test_random_f32(random, 0, 1) * extent + f->spec.lower[c];
            if (i % 2 == 1)
                x = states[i - 1][c] + (double)test_random_f32(random, -1, 1) * hop;
            states[i][c] = fmin(fmax(x, f->spec.lower[c]), f->spec.upper[c]);
        }
    }
    ask(f, (const double(*)[3])states, count, edge_free, state_free);
    // the margin, and the stated rounding of turned obstacles over the longest motion
    const double slack = 2 * f->world->margin + 28 * 6e-8 * extent * 1.8;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t j = i + 1 < count ? i + 1 : i;
        const double edge =
            oracle_segment_clearance(&f->spec, true, states[i], states[j]) - f->robot.radius;
        const double state =
            oracle_segment_clearance(&f->spec, true, states[i], states[i]) - f->robot.radius;
        if (j > i && (edge_free[i] ? !(edge > 0) : edge > slack))
            fail_msg("edge %u: clearance %g is called %s", i, edge, edge_free[i] ? "free" : "hit");
        if (state_free[i] ? !(state > 0) : state > slack)
            fail_msg("state %u: clearance %g is called %s", i, state,
                     state_free[i] ? "free" : "hit");
        free_edges += edge_free[i];
    }
    assert_int_equal(edge_free[count - 1], 0);
    assert_true(free_edges > 0 && free_edges < count);
    free(states);
    free(edge_free);
    free(state_free);
}

static void motions_in_random_worlds(void **state)
{
    static const struct {
        uint32_t dimension;
        double middle[3], extent, radius, hop;
    } CASES[] = {
        {2, {0, 0, 0}, 30, 0, 3},
        {3, {0, 0, 0}, 16, 0, 3},
        {2, {500000, 4000000, 0}, 30, 0, 10},
        {2, {-7, 3, 0}, 40, 0.3, 20},
        {3, {10, 10, 9}, 20, 0.4, 4},
        {3, {0, 0, 0}, 60, 0, 60},
    };
    struct test_random random = {1};
    const size_t worlds = test_is_small() ? 2 : 4 * sizeof(CASES) / sizeof(CASES[0]);
    (void)state;

    for (size_t i = 0; i < worlds; i++) {
        struct fixture f;
        const size_t c = i % (sizeof(CASES) / sizeof(CASES[0]));
        fixture_init(&f, &random, CASES[c].dimension, CASES[c].middle, CASES[c].extent,
                     CASES[c].radius);
        check(&f, &random, CASES[c].hop);
        prm_world_destroy(f.world);
    }
}

/* Nothing passes a wall of a millimetre; through its door all that fits. */
static void thin_wall_with_a_door(void **state)
{
    struct fixture f = {.robot = {PRM_ROBOT_POINT, 0}};
    const double states[][3] = {{0.2, 0.5, 0}, {0.8, 0.5, 0},   {0.2, 0.1, 0},  {0.5, 0.1, 0},
                                {0.5, 0.9, 0}, {0.501, 0.9, 0}, {0.499, 0.7, 0}};
    // through the door, back down through the wall, along the wall's foot, up inside, inside, out
    const uint32_t expected[] = {1, 0, 1, 0, 0, 0, 0};
    uint32_t edge_free[7], state_free[7];
    (void)state;

    // two halves with a door at 0.45 … 0.55; the wall stands at x = 0.5
    for (int half = 0; half < 2; half++)
        f.obstacles[half] = (struct prm_obstacle){.kind = PRM_OBSTACLE_RECTANGLE,
                                                  .center = {0.5, half ? 0.775 : 0.225},
                                                  .quaternion = {0, 0, 0, 1},
                                                  .size = {0.001, 0.45}};
    f.obstacles[0].center[1] = 0.325;
    f.obstacles[0].size[1] = 0.25;
    f.spec = (struct prm_world_spec){.dimension = 2,
                                     .bounded = true,
                                     .upper = {1, 1},
                                     .obstacles = f.obstacles,
                                     .obstacle_count = 2};
    const struct prm_robot_spec point = {.kind = PRM_ROBOT_POINT};
    assert_ok(prm_world_create(test_arena, &f.world, &f.spec));
    assert_ok(prm_space_init(&f.space, &point, f.world));
    f.scene = (struct prm_scene){.space = &f.space,
                                 .robot = &f.robot,
                                 .world = f.world,
                                 .obstacles = &f.world->all,
                                 .edge_resolution = 0.01};
    ask(&f, states, 7, edge_free, state_free);
    assert_u32_array_equal(expected, edge_free, 7);
    assert_int_equal(state_free[4], 0);

    // sampled steps of a centimetre jump over the wall; that is what certified is for
    f.scene.edge_check = PRM_EDGE_SAMPLED;
    const double jump[][3] = {{0.006, 0.7, 0}, {0.996, 0.7, 0}};
    ask(&f, jump, 2, edge_free, state_free);
    assert_int_equal(edge_free[0], 1);
    f.scene.edge_resolution = 0.0002;
    ask(&f, jump, 2, edge_free, state_free);
    assert_int_equal(edge_free[0], 0);
    prm_world_destroy(f.world);
}

/* Clearances: the number, its sign, and the obstacle of lowest index among equals. */
static void clearances_name_their_obstacle(void **state)
{
    struct fixture f;
    struct test_random random = {5};
    const double middle[3] = {100, -50, 7};
    const uint32_t count = (uint32_t)test_size(STATES, 16);
    float *rows = calloc(count, 4 * sizeof(float));
    struct clearance *least = calloc(count, sizeof(*least));
    unsigned near = 0;
    (void)state;

    fixture_init(&f, &random, 3, middle, 15, 0.2);
    f.obstacles[5] = f.obstacles[4];
    f.obstacles[4].disabled = f.obstacles[5].disabled = false;
    prm_world_destroy(f.world);
    assert_ok(prm_world_create(test_arena, &f.world, &f.spec));
    f.scene.world = f.world;
    f.scene.obstacles = &f.world->all;
    double(*states)[3] = calloc(count, sizeof(*states));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < 3; c++)
            states[i][c] = middle[c] + (double)test_random_f32(&random, -7.5f, 7.5f);
        prm_space_to_row(&f.space, rows + 4 * i, states[i]);
    }
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const struct prm_buffer on_device = test_scratch(rows, count * 4 * sizeof(float));
    struct prm_buffer on_device_least;
    const size_t bytes = count * sizeof(*least);
    assert_ok(prm_arena_take(test_arena, &on_device_least, bytes));
    assert_ok(prm_collide_clearance(test_arena, on_device_least, &f.scene, on_device, count));
    assert_ok(prm_buffer_read(test_context, on_device_least, 0, least, bytes));
    prm_arena_rewind(test_arena, mark);

    for (uint32_t i = 0; i < count; i++) {
        const double is = oracle_segment_clearance(&f.spec, true, states[i], states[i]) - 0.2;
        assert_true((double)least[i].value <= is + 1e-4);
        if (least[i].obstacle == UINT32_MAX)
            continue;
        near++;
        assert_int_not_equal(least[i].obstacle, 5);
        const double own =
            oracle_segment_distance(&f.obstacles[least[i].obstacle], states[i], states[i]) - 0.2;
        if (is > 1e-4)
            assert_float_equal(least[i].value, (float)is, 1e-4f);
        if (own > 1e-4)
            assert_float_equal(least[i].value, (float)own, 1e-4f);
    }
    assert_true(near > count / 4);
    prm_world_destroy(f.world);
    free(states);
    free(rows);
    free(least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_in_random_worlds),
        cmocka_unit_test(thin_wall_with_a_door),
        cmocka_unit_test(clearances_name_their_obstacle),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

/* Goal: a world is refused with the obstacle and member named, its local frame keeps round numbers
 * exact, its margin is as documented, dynamic and disabled obstacles go where they belong, and
 * nothing is left over, also when a device call fails. Method: cases by hand, faults injected.
 * Oracle: the documented rules. */
#include "roadmap/world/world.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static const double SQUARE[] = {0, 0, 1, 0, 1, 1, 0, 1};
static const uint8_t CELLS[6] = {1, 1, 0, 1, 1, 1};

static struct prm_obstacle box_at(double x, double y)
{
    return (struct prm_obstacle){.kind = PRM_OBSTACLE_BOX,
                                 .center = {x, y, 0},
                                 .size = {1, 1, 1},
                                 .quaternion = {0, 0, 0, 1}};
}

/* The good world that each refusal spoils in one place. */
static struct prm_world_spec good(struct prm_obstacle *obstacles)
{
    obstacles[0] = box_at(1, 1);
    obstacles[1] = (struct prm_obstacle){.kind = PRM_OBSTACLE_SPHERE, .radius = 1};
    return (struct prm_world_spec){.dimension = 3,
                                   .bounded = true,
                                   .lower = {0, 0, 0},
                                   .upper = {10, 10, 10},
                                   .obstacles = obstacles,
                                   .obstacle_count = 2};
}

static void bad_worlds_are_refused(void **state)
{
    struct prm_obstacle o[2];
    struct prm_world_spec spec = good(o);
    (void)state;

    assert_ok(prm_world_check(&spec));
    spec.dimension = 4;
    assert_status(PRM_INVALID_ARGUMENT, prm_world_check(&spec));
    assert_fault_says("dimension");
    spec = good(o);
    spec.upper[1] = 0;
    assert_status(PRM_INVALID_ARGUMENT, prm_world_check(&spec));
    assert_fault_says("bounds of coordinate 1");
    spec = good(o);
    spec.upper[1] = spec.lower[1] + 1e-10;
    assert_status(PRM_INVALID_ARGUMENT, prm_world_check(&spec));
    assert_fault_says("bounds of coordinate 1");
    spec = good(o);
    o[1].radius = -1;
    assert_status(PRM_INVALID_ARGUMENT, prm_world_check(&spec));
    assert_fault_says("obstacle 1: radius");
    spec = good(o);
    o[0].size[2] = (double)NAN;
    assert_status(PRM_INVALID_ARGUMENT, prm_world_check(&spec));
    assert_fault_says("obstacle 0: size");
    spec = good(o);
    memset(o[0].quaternion, 0, sizeof(o[0].quaternion));
    assert_status(PRM_INVALID_ARGUMENT, prm_world_check(&spec));
    assert_fault_says("obstacle 0: quaternion");
    spec = good(o);
    o[1] = (struct prm_obstacle){.kind = PRM_OBSTACLE_POLYGON, .points = SQUARE, .point_count = 4};
    assert_status(PRM_INVALID_ARGUMENT, prm_world_check(&spec));
    assert_fault_says("dimension 2");
    spec.dimension = 2;
    assert_ok(prm_world_check(&spec));
    o[1].point_count = 2;
    assert_status(PRM_INVALID_ARGUMENT, prm_world_check(&spec));
    assert_fault_says("obstacle 1: points");
    o[1] = (struct prm_obstacle){.kind = PRM_OBSTACLE_GRID, .grid = {3, 2, 0, {0, 0, 0}, CELLS}};
    assert_status(PRM_INVALID_ARGUMENT, prm_world_check(&spec));
    assert_fault_says("resolution");
}

/* The frame of a map at survey coordinates: a whole number of cells from its corner. */
static void frames_keep_cells_exact(void **state)
{
    struct prm_obstacle grid = {.kind = PRM_OBSTACLE_GRID,
                                .grid = {3, 2, 0.05, {500000.25, 4000000.5, 0}, CELLS}};
    const struct prm_world_spec spec = {.dimension = 2,
                                        .bounded = true,
                                        .lower = {500000.25, 4000000.5},
                                        .upper = {500000.4, 4000000.6},
                                        .obstacles = &grid,
                                        .obstacle_count = 1};
    struct prm_world *world;
    (void)state;

    assert_ok(prm_world_create(test_arena, &world, &spec));
    const double columns = (world->center[0] - 500000.25) / 0.05;
    assert_true(fabs(columns - round(columns)) < 1e-6 && fabs(columns - 1.5) <= 0.5 + 1e-6);
    assert_true(world->extent < 0.2);
    assert_true(world->has_grid && world->first_grid.width == 3);
    assert_true(world->fixed.grid_count == 1 && world->fixed.shape_count == 1);
    prm_world_destroy(world);
}

static void the_margin_is_small(void **state)
{
    struct prm_world_spec spec = {.dimension = 3, .bounded = true, .upper = {512, 512, 512}};
    struct prm_world *world;
    (void)state;

    assert_ok(prm_world_create(test_arena, &world, &spec));
    assert_true(world->extent == 256 && world->margin > 0 && world->margin < 1e-4);
    assert_int_equal(world->all.shape_count, 0);
    prm_world_destroy(world);

    // without bounds the obstacles make the extent, and with neither there is none
    struct prm_obstacle box = box_at(40, 0);
    spec = (struct prm_world_spec){.dimension = 3, .obstacles = &box, .obstacle_count = 1};
    assert_ok(prm_world_create(test_arena, &world, &spec));
    assert_true(world->center[0] == 40 && world->extent == 0.5 && !world->bounded);
    prm_world_destroy(world);
    spec.obstacle_count = 0;
    assert_ok(prm_world_create(test_arena, &world, &spec));
    prm_world_destroy(world);
}

static void obstacles_go_where_they_count(void **state)
{
    struct prm_obstacle o[4] = {box_at(1, 1), box_at(2, 2), box_at(3, 3), box_at(4, 4)};
    const struct prm_world_spec spec = {
        .dimension = 3, .bounded = true, .upper = {9, 9, 9}, .obstacles = o, .obstacle_count = 4};
    struct prm_world *world;
    (void)state;

    o[1].disabled = true;
    assert_ok(prm_world_create(test_arena, &world, &spec));
    assert_int_equal(world->fixed.shape_count, 3);
    assert_true(world->all.shapes.memory == world->fixed.shapes.memory && !world->has_dynamic);
    const size_t bytes = prm_world_bytes(world);
    prm_world_destroy(world);
    o[3].dynamic = true;
    assert_ok(prm_world_create(test_arena, &world, &spec));
    assert_int_equal(world->fixed.shape_count, 2);
    assert_int_equal(world->all.shape_count, 3);
    assert_true(world->has_dynamic && prm_world_bytes(world) > bytes);
    prm_world_destroy(world);
}

static void faults_leave_nothing(void **state)
{
    struct prm_obstacle o[2] = {box_at(1, 1), box_at(2, 2)};
    const struct prm_world_spec spec = {
        .dimension = 3, .bounded = true, .upper = {9, 9, 9}, .obstacles = o, .obstacle_count = 2};
    const uint64_t before = prm_context_memory(test_context).resident_bytes;
    struct prm_world *world = NULL;
    enum prm_status status = PRM_DEVICE_FAILED;
    uint32_t countdown = 0;
    (void)state;

    o[1].dynamic = true;
    while (status != PRM_OK) {
        prm_context_inject_fault(test_context, ++countdown);
        status = prm_world_create(test_arena, &world, &spec);
        assert_true((status == PRM_OK) == (world != NULL));
        prm_world_destroy(world);
        world = NULL;
        assert_int_equal(prm_context_memory(test_context).resident_bytes, before);
    }
    prm_context_inject_fault(test_context, 0);
    assert_true(countdown > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_worlds_are_refused), cmocka_unit_test(frames_keep_cells_exact),
        cmocka_unit_test(the_margin_is_small),    cmocka_unit_test(obstacles_go_where_they_count),
        cmocka_unit_test(faults_leave_nothing),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

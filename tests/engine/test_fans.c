/* Goal: the verdicts that lanes give of many motions at once are those of the reference routine, of
 * every motion; so are states'. Method: random fans of 1 to 20 motions, short and across the world,
 * some of no length, among random obstacles of all kinds and in grids of terrain, straight and
 * turned, for points, discs and balls; 100 000 motions a robot kind. Oracle: the same checks in the
 * GPU's shape, where each motion is asked of segment_is_free() (kernels/edges.h) alone. */
#include "kernels/types.h"
#include "oracle_world.h"
#include "roadmap/collision/edges.h"

#include <math.h>
#include <stdlib.h>

enum { OBSTACLES = 60, POINTS = 6, FAN_MAX = 20, CELLS = 48, MOTIONS = 100000 };

enum content { SOLIDS, GRID, TURNED_GRID };

static const struct scene_case {
    const char *name;
    uint32_t dimension;
    enum content content;
    double middle, extent, radius;
    uint32_t motions;
} CASES[] = {
    {"point in the plane", 2, SOLIDS, 0, 30, 0, MOTIONS},
    {"point on a grid", 2, GRID, 0, CELLS, 0, MOTIONS},
    {"point on a turned grid", 2, TURNED_GRID, 3, CELLS, 0, MOTIONS / 4},
    {"disc in the plane", 2, SOLIDS, -7, 40, 0.3, MOTIONS},
    {"disc on a grid", 2, GRID, 0, CELLS, 0.4, MOTIONS},
    {"point in space", 3, SOLIDS, 0, 16, 0, MOTIONS},
    {"ball in space", 3, SOLIDS, 500, 20, 0.4, MOTIONS},
};

/* Verdicts of one machine. */
struct machine {
    struct prm_context *context;
    struct prm_arena *arena;
    uint32_t *edge_free, *state_free;
};

/* A world of the case: random solids, or a grid with walls, water and clearings. */
static void make_spec(struct prm_world_spec *spec, struct prm_obstacle *obstacles, double *points,
                      uint8_t *cells, const struct scene_case *c, struct test_random *random)
{
    const double middle[3] = {c->middle, c->middle, c->middle};
    *spec = (struct prm_world_spec){.dimension = c->dimension,
                                    .bounded = true,
                                    .obstacles = obstacles,
                                    .obstacle_count = c->content == SOLIDS ? OBSTACLES : 1};
    for (uint32_t i = 0; i < c->dimension; i++) {
        spec->lower[i] = c->middle - c->extent / 2;
        spec->upper[i] = c->middle + c->extent / 2;
    }
    for (uint32_t i = 0; i < OBSTACLES; i++)
        obstacles[i] = oracle_random_obstacle(random, c->dimension, middle, c->extent / 2,
                                              points + (size_t)i * 2 * POINTS, POINTS);
    if (c->content == SOLIDS)
        return;
    for (uint32_t i = 0; i < CELLS * CELLS; i++)
        cells[i] = TERRAIN_GROUND;
    for (uint32_t b = 0; b < 40; b++) {
        const uint32_t x = test_random_u32(random) % CELLS, y = test_random_u32(random) % CELLS;
        const uint32_t wide = 1 + test_random_u32(random) % 5;
        for (uint32_t j = y; j < y + wide && j < CELLS; j++)
            for (uint32_t i = x; i < x + wide && i < CELLS; i++)
                cells[j * CELLS + i] = b % 4 == 0 ? TERRAIN_WATER : TERRAIN_BLOCKED;
    }
    const bool turned = c->content == TURNED_GRID;
    obstacles[0] = (struct prm_obstacle){
        .kind = PRM_OBSTACLE_GRID,
        .quaternion = {0, 0, 0, 1},
        .grid = {.width = CELLS,
                 .height = CELLS,
                 .resolution = turned ? 0.7 : 1.0,
                 .origin = {spec->lower[0], spec->lower[1], turned ? 0.3 : 0.0},
                 .cells = cells}};
}

/* Fans: pairs[i] of a start and one end after another. Returns the states used. */
static uint32_t make_fans(double (*states)[3], uint32_t *pairs, const struct scene_case *c,
                          const struct prm_world_spec *spec, struct test_random *random)
{
    uint32_t used = 0, start = 0, left = 0;
    double hop = 0;
    for (uint32_t i = 0; i < c->motions; i++) {
        const bool begins = left == 0;
        if (begins) {
            left = 1 + test_random_u32(random) % FAN_MAX;
            hop = (test_random_u32(random) % 4 == 0 ? 1.0 : 0.08) * c->extent;
            start = used++;
        }
        const uint32_t end = used++;
        for (uint32_t s = begins ? start : end; s <= end; s++) {
            for (uint32_t x = 0; x < c->dimension; x++) {
                const double share = (double)test_random_f32(random, 0, 1);
                double at = s == start ? spec->lower[x] + share * c->extent
                                       : states[start][x] + (2 * share - 1) * hop;
                if (s != start && i % 50 == 7)
                    at = states[start][x];
                states[s][x] = fmin(fmax(at, spec->lower[x]), spec->upper[x]);
            }
        }
        pairs[2 * i] = start;
        pairs[2 * i + 1] = i % 97 == 5 ? UINT32_MAX : end;
        left--;
    }
    return used;
}

static void ask(const struct machine *machine, const struct prm_world_spec *spec,
                const struct scene_case *c, const double (*states)[3], uint32_t state_count,
                const uint32_t *pairs)
{
    const struct prm_robot_spec robot_spec = {
        .kind = c->radius > 0 ? PRM_ROBOT_BALL : PRM_ROBOT_POINT, .radius = c->radius};
    const struct prm_robot robot = {.kind = robot_spec.kind, .radius = c->radius};
    struct prm_world *world;
    struct prm_space space;
    struct prm_buffer on_device, listed, flags;
    const uint32_t n = c->motions;

    assert_ok(prm_world_create(machine->arena, &world, spec));
    assert_ok(prm_space_init(&space, &robot_spec, world));
    const struct prm_scene scene = {.space = &space,
                                    .robot = &robot,
                                    .world = world,
                                    .obstacles = &world->all,
                                    .edge_check = PRM_EDGE_CERTIFIED,
                                    .edge_resolution = 0.01};
    const size_t bytes = (size_t)state_count * space.row * sizeof(float);
    float *rows = calloc(1, bytes);
    for (uint32_t i = 0; i < state_count; i++)
        prm_space_to_row(&space, rows + (size_t)i * space.row, states[i]);
    const struct prm_arena_mark mark = prm_arena_mark(machine->arena);
    assert_ok(prm_arena_take(machine->arena, &on_device, bytes));
    assert_ok(prm_arena_take(machine->arena, &listed, 2 * n * sizeof(uint32_t)));
    assert_ok(prm_arena_take(machine->arena, &flags, 3 * n * sizeof(uint32_t)));
    assert_ok(prm_buffer_write(machine->context, on_device, 0, rows, bytes));
    assert_ok(prm_buffer_write(machine->context, listed, 0, pairs, 2 * n * sizeof(uint32_t)));
    assert_ok(prm_edges_check(machine->arena, flags, &scene, on_device, on_device, listed, n));
    assert_ok(
        prm_buffer_read(machine->context, flags, 0, machine->edge_free, n * sizeof(uint32_t)));
    assert_ok(prm_collide_states(machine->arena, flags, &scene, on_device, state_count));
    assert_ok(prm_buffer_read(machine->context, flags, 0, machine->state_free,
                              state_count * sizeof(uint32_t)));
    prm_arena_rewind(machine->arena, mark);
    free(rows);
    prm_world_destroy(world);
}

static void lanes_agree_with_the_reference(void **state)
{
    struct test_random random = {6};
    struct machine machines[2] = {{0}, {0}};
    static const char *const TUNINGS[2] = {"shape=cpu,wg=1", "shape=gpu,wg=64"};
    struct prm_obstacle *obstacles = calloc(OBSTACLES, sizeof(*obstacles));
    double *points = calloc((size_t)OBSTACLES * 2 * POINTS, sizeof(*points));
    uint8_t *cells = calloc(CELLS, CELLS);
    double(*states)[3] = calloc(2 * (size_t)MOTIONS, sizeof(*states));
    uint32_t *pairs = calloc(2 * (size_t)MOTIONS, sizeof(*pairs));
    (void)state;

    for (int m = 0; m < 2; m++) {
        const struct prm_context_options options = {.device = getenv("PRMD_DEVICE"),
                                                    .tuning = TUNINGS[m]};
        assert_ok(prm_context_open(&machines[m].context, &options));
        assert_ok(prm_arena_create(machines[m].context, &machines[m].arena));
        machines[m].edge_free = calloc(MOTIONS, sizeof(uint32_t));
        machines[m].state_free = calloc(2 * (size_t)MOTIONS, sizeof(uint32_t));
    }
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const struct scene_case *c = &CASES[i];
        struct prm_world_spec spec;
        uint32_t is_free = 0, state_free = 0;
        make_spec(&spec, obstacles, points, cells, c, &random);
        const uint32_t count = make_fans(states, pairs, c, &spec, &random);
        for (int m = 0; m < 2; m++)
            ask(&machines[m], &spec, c, (const double(*)[3])states, count, pairs);
        for (uint32_t e = 0; e < c->motions; e++) {
            if (machines[0].edge_free[e] != machines[1].edge_free[e])
                fail_msg("%s: motion %u is %u, not %u", c->name, e, machines[0].edge_free[e],
                         machines[1].edge_free[e]);
            is_free += machines[0].edge_free[e];
        }
        for (uint32_t s = 0; s < count; s++) {
            if (machines[0].state_free[s] != machines[1].state_free[s])
                fail_msg("%s: state %u is %u, not %u", c->name, s, machines[0].state_free[s],
                         machines[1].state_free[s]);
            state_free += machines[0].state_free[s];
        }
        // both sorts are many
        print_message("%s: %u of %u motions free, %u of %u states\n", c->name, is_free, c->motions,
                      state_free, count);
        assert_in_range(is_free, c->motions / 20, c->motions - c->motions / 20);
        assert_in_range(state_free, count / 20, count - count / 20);
    }
    for (int m = 0; m < 2; m++) {
        free(machines[m].edge_free);
        free(machines[m].state_free);
        prm_arena_destroy(machines[m].arena);
        prm_context_close(machines[m].context);
    }
    free(obstacles);
    free(points);
    free(cells);
    free(states);
    free(pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_agree_with_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

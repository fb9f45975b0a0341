/* Goal: what makes checks of robots with spheres faster changes no verdict.
 * Method: 100 000 random motions a kind of robot, short and long, free, hit and nearly so, and as
 * many states; the same scene with and without what is asked first; worlds of as many obstacles as
 * are looked for in each way, and one more.
 * Oracle: the check without, all of whose tests are of spheres (test_bodies.c holds it to the
 * specification). */
#include "roadmap/collision/edges.h"
#include "roadmap/collision/vicinity.h"
#include "roadmap/robot/robot_clearances.h"
#include "robot_scene.h"

#include <stdlib.h>

enum { MOTIONS = 100000, MOTIONS_SMALL = 60, SEEDS = 4, WALK = 8 };
enum { CROWD_MAX = 65, CROWD_MOTIONS = 4000 };

/* Verdicts of states and of motions from each to the next: u32[2][count]. */
static uint32_t *ask(const struct prm_scene *scene, struct prm_buffer rows, struct prm_buffer pairs,
                     uint32_t count)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    uint32_t *verdicts = calloc(2 * (size_t)count, sizeof(uint32_t));
    struct prm_buffer valid;
    assert_ok(prm_arena_take(test_arena, &valid, prm_words(count)));
    assert_ok(prm_collide_states(test_arena, valid, scene, rows, count));
    assert_ok(prm_buffer_read(test_context, valid, 0, verdicts, prm_words(count)));
    assert_ok(prm_edges_check(test_arena, valid, scene, rows, rows, pairs, count));
    assert_ok(prm_buffer_read(test_context, valid, 0, verdicts + count, prm_words(count)));
    prm_arena_rewind(test_arena, mark);
    return verdicts;
}

/* States in short walks from random ones: rows, and pairs of each with the next. */
static void walk(const struct robot_scene *f, struct test_random *random, float *rows,
                 uint32_t *pairs, uint32_t count)
{
    double state[2][PRM_DOF_MAX];
    for (uint32_t i = 0; i < count; i++) {
        double *here = state[i % 2];
        robot_scene_state(f, random, here);
        if (i % WALK != 0)
            prm_space_interpolate(&f->space, here, state[1 - i % 2], here,
                                  (double)test_random_f32(random, 0.01f, 0.2f));
        prm_space_to_row(&f->space, rows + (size_t)i * f->space.row, here);
        pairs[2 * (size_t)i] = i;
        pairs[2 * (size_t)i + 1] = (i + 1) % count;
    }
}

/* Fails where two verdicts differ; returns how many are free. */
static uint32_t compare(const uint32_t *verdicts, const uint32_t *reference, uint32_t count,
                        const char *of)
{
    uint32_t free = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (verdicts[i] != reference[i])
            fail_msg("%s %u: %u, without %u", of, i, verdicts[i], reference[i]);
        free += verdicts[i];
    }
    return free;
}

/* A world of `count` small obstacles where the scene's own is. */
static struct prm_world *crowd(const struct robot_scene *f, struct test_random *random,
                               struct prm_obstacle *obstacles, uint32_t count)
{
    struct prm_world_spec spec = f->world_spec;
    struct prm_world *world;
    for (uint32_t i = 0; i < count; i++) {
        obstacles[i] = f->obstacles[i % SCENE_OBSTACLES];
        obstacles[i].radius = (double)test_random_f32(random, 0.01f, 0.06f);
        obstacles[i].length *= 0.5;
        for (uint32_t c = 0; c < spec.dimension; c++) {
            obstacles[i].center[c] = 0.5 * (spec.lower[c] + spec.upper[c]) +
                                     (double)test_random_f32(random, -1.5f, 1.5f);
            obstacles[i].size[c] = (double)test_random_f32(random, 0.01f, 0.1f);
        }
    }
    spec.obstacles = obstacles;
    spec.obstacle_count = count;
    assert_ok(prm_world_create(test_arena, &world, &spec));
    return world;
}

/* obstacles: of a crowd; 0: those that the scene has. */
static void check(enum prm_robot_kind kind, uint32_t dimension, uint64_t seed, uint32_t obstacles)
{
    const uint32_t count =
        (uint32_t)test_size(obstacles ? CROWD_MOTIONS : MOTIONS / SEEDS, MOTIONS_SMALL);
    struct prm_obstacle crowded[CROWD_MAX];
    struct prm_world *world = NULL;
    struct test_random random = {seed};
    struct robot_scene f;
    robot_scene_init(&f, &random, kind, dimension);
    if (obstacles > 0) {
        world = crowd(&f, &random, crowded, obstacles);
        f.scene.world = world;
        f.scene.obstacles = &world->all;
    }
    float *rows = calloc((size_t)count * f.space.row, sizeof(float));
    uint32_t *pairs = calloc(2 * (size_t)count, sizeof(uint32_t));
    walk(&f, &random, rows, pairs, count);
    const struct prm_buffer on_device =
        test_scratch(rows, (size_t)count * f.space.row * sizeof(float));
    const struct prm_buffer pairs_on_device = test_scratch(pairs, 2 * prm_words(count));

    f.scene.whole_travel = true;
    uint32_t *reference = ask(&f.scene, on_device, pairs_on_device, count);
    f.scene.whole_travel = false;
    assert_ok(prm_vicinity_create(&f.scene.vicinity, &f.scene,
                                  (uint32_t)test_size(PRM_VICINITY_ACROSS, 6)));
    assert_non_null(f.scene.vicinity.memory);
    assert_ok(prm_robot_measure_clearances(f.robot, &f.space,
                                           (uint32_t)test_size(PRM_CLEARANCE_CELLS, 5)));
    if (kind == PRM_ROBOT_ARM)
        assert_non_null(f.robot->clearances.memory);
    uint32_t *verdicts = ask(&f.scene, on_device, pairs_on_device, count);
    const uint32_t states = compare(verdicts, reference, count, "state");
    const uint32_t motions = compare(verdicts + count, reference + count, count, "motion");
    // the tests above are about something
    if (!test_is_small() && (states < count / 100 || states == count || motions < count / 100 ||
                             motions > count - count / 100))
        fail_msg("of %u states %u are free, of motions %u", count, states, motions);

    prm_buffer_destroy(test_context, &f.scene.vicinity);
    prm_world_destroy(world);
    free(reference);
    free(verdicts);
    free(rows);
    free(pairs);
    robot_scene_deinit(&f);
}

static void check_seeds(enum prm_robot_kind kind, uint32_t dimension)
{
    for (uint64_t seed = 1; seed <= (test_is_small() ? 1 : SEEDS); seed++)
        check(kind, dimension, seed, 0);
}

static void arms(void **state)
{
    (void)state;
    check_seeds(PRM_ROBOT_ARM, 3);
}

static void rigid_in_the_plane(void **state)
{
    (void)state;
    check_seeds(PRM_ROBOT_RIGID, 2);
}

static void rigid_in_space(void **state)
{
    (void)state;
    check_seeds(PRM_ROBOT_RIGID, 3);
}

static void crowds(void **state)
{
    static const uint32_t COUNTS[] = {33, 48, 49, 64, 65};
    (void)state;
    for (size_t i = 0; i < test_size(sizeof(COUNTS) / sizeof(COUNTS[0]), 1); i++) {
        check(PRM_ROBOT_RIGID, 2, 7 + i, COUNTS[i]);
        if (test_is_small())
            continue;
        check(PRM_ROBOT_RIGID, 3, 17 + i, COUNTS[i]);
        check(PRM_ROBOT_ARM, 3, 27 + i, COUNTS[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms),
        cmocka_unit_test(rigid_in_the_plane),
        cmocka_unit_test(rigid_in_space),
        cmocka_unit_test(crowds),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

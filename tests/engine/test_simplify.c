/* Goal: simplified paths are free, end where they did, are never longer, and do not depend on their
 * batch. Method: random walks over free points among random circles, whose motions are free by the
 * roadmap's own check; straight and single-vertex paths; a wall with a door. Oracle: the edge check
 * itself on every motion that comes back, and lengths in double precision. */
#include "kernels/connect_types.h"
#include "kernels/types.h"
#include "roadmap/collision/edges.h"
#include "roadmap/plan/simplify.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 2 };

/* A world, points in it, and paths over these; ends are points too. */
struct fixture {
    struct prm_world *world;
    struct prm_robot robot;
    struct prm_space space;
    struct prm_scene scene;
    uint32_t point_count, path_count, pool_count;
    float *points; /* [point_count][ROW] */
    uint32_t *first, *counts, *goals, *pool, *flags;
    float *ends; /* [2 * path_count][ROW]: start and goal of each path */
    struct query *queries;
};

static void world_make(struct fixture *f, const struct prm_obstacle *obstacles, uint32_t count)
{
    const struct prm_world_spec spec = {.dimension = 2,
                                        .bounded = true,
                                        .lower = {-10, -10},
                                        .upper = {10, 10},
                                        .obstacles = obstacles,
                                        .obstacle_count = count};
    const struct prm_robot_spec robot = {.kind = PRM_ROBOT_POINT};
    f->robot = (struct prm_robot){.kind = robot.kind};
    assert_ok(prm_world_create(test_arena, &f->world, &spec));
    assert_ok(prm_space_init(&f->space, &robot, f->world));
    f->scene = (struct prm_scene){.space = &f->space,
                                  .robot = &f->robot,
                                  .world = f->world,
                                  .obstacles = &f->world->all,
                                  .edge_check = PRM_EDGE_CERTIFIED};
}

static void fixture_deinit(struct fixture *f)
{
    prm_world_destroy(f->world);
    void *blocks[] = {f->points, f->first, f->counts, f->goals,
                      f->pool,   f->flags, f->ends,   f->queries};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        free(blocks[i]);
}

static void paths_alloc(struct fixture *f, uint32_t paths, uint32_t pool)
{
    f->path_count = paths;
    f->first = calloc(paths, sizeof(uint32_t));
    f->counts = calloc(paths, sizeof(uint32_t));
    f->goals = calloc(paths, sizeof(uint32_t));
    f->flags = calloc(2 * (size_t)paths, sizeof(uint32_t));
    f->ends = calloc(2 * (size_t)paths * ROW, sizeof(float));
    f->queries = calloc(paths, sizeof(struct query));
    f->pool = calloc(pool + 1, sizeof(uint32_t));
    for (uint32_t q = 0; q < paths; q++) {
        f->queries[q] = (struct query){2 * q, 2 * q + 1, 1, 0};
        f->goals[q] = 2 * q + 1;
    }
}

struct outcome {
    uint32_t *first, *counts;
    float *points;
    size_t point_count;
};

static void outcome_deinit(struct outcome *o)
{
    free(o->first);
    free(o->counts);
    free(o->points);
}

/* Simplifies paths begin … begin + n - 1 as one batch. */
static struct outcome run(const struct fixture *f, uint32_t begin, uint32_t n)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    const size_t words = n * sizeof(uint32_t);
    const struct prm_search_paths paths = {
        test_scratch(f->first + begin, words), test_scratch(f->counts + begin, words),
        test_scratch(f->goals + begin, words),
        test_scratch(f->pool, f->pool_count * sizeof(uint32_t)), f->pool_count};
    const struct prm_endpoints ends = {
        .count = 2 * f->path_count,
        .states = test_scratch(f->ends, 2 * (size_t)f->path_count * ROW * sizeof(float))};
    struct prm_simplify_input input = {
        .paths = &paths,
        .ends = &ends,
        .flags = test_scratch(f->flags, 2 * (size_t)f->path_count * sizeof(uint32_t)),
        .queries = test_scratch(f->queries + begin, n * sizeof(struct query)),
        .states = test_scratch(f->points, f->point_count * ROW * sizeof(float)),
        .query_count = n};
    struct prm_polylines polylines;
    struct outcome o;

    for (uint32_t q = begin; q < begin + n; q++)
        input.points_max = f->counts[q] > input.points_max ? f->counts[q] : input.points_max;
    assert_ok(prm_simplify(test_arena, &polylines, &f->scene, &input));
    o.first = test_download_u32(test_context, polylines.first, n);
    o.counts = test_download_u32(test_context, polylines.counts, n);
    o.point_count = polylines.point_count;
    o.points = malloc(o.point_count * ROW * sizeof(float) + 1);
    assert_ok(prm_buffer_read(test_context, polylines.points, 0, o.points,
                              o.point_count * ROW * sizeof(float)));
    prm_arena_rewind(test_arena, mark);
    return o;
}

static double distance(const float *a, const float *b)
{
    return hypot((double)a[0] - (double)b[0], (double)a[1] - (double)b[1]);
}

static double polyline_length(const float *points, uint32_t count)
{
    double length = 0;
    for (uint32_t i = 1; i < count; i++)
        length += distance(points + (i - 1) * ROW, points + i * ROW);
    return length;
}

static double path_length(const struct fixture *f, uint32_t q)
{
    const float *before = f->ends + 2 * q * ROW;
    double length = 0;
    for (uint32_t i = 0; i < f->counts[q]; i++) {
        const float *point = f->points + f->pool[f->first[q] + i] * ROW;
        length += distance(before, point);
        before = point;
    }
    return length + distance(before, f->ends + (2 * q + 1) * ROW);
}

/* 1 where the motion from row pairs[i][0] to row pairs[i][1] is free. */
static uint32_t *check_motions(const struct fixture *f, const float *rows, size_t row_count,
                               const uint32_t *pairs, size_t count)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    struct prm_buffer valid;
    const struct prm_buffer states = test_scratch(rows, row_count * ROW * sizeof(float));
    assert_ok(prm_arena_take(test_arena, &valid, count * sizeof(uint32_t)));
    assert_ok(prm_edges_check(test_arena, valid, &f->scene, states, states,
                              test_scratch(pairs, 2 * count * sizeof(uint32_t)), count));
    uint32_t *result = test_download_u32(test_context, valid, count);
    prm_arena_rewind(test_arena, mark);
    return result;
}

/* Ends, lengths and freedom of all paths of an outcome; begin is its first path. Returns the sum of
 * lengths. */
static double check(const struct fixture *f, const struct outcome *o, uint32_t begin, uint32_t n)
{
    uint32_t *pairs = calloc(2 * o->point_count + 2, sizeof(uint32_t));
    size_t pair_count = 0;
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t q = begin + i;
        const float *points = o->points + (size_t)o->first[i] * ROW;
        if (f->counts[q] == 0) {
            assert_int_equal(o->counts[i], 0);
            continue;
        }
        assert_true(o->counts[i] >= 2);
        assert_memory_equal(points, f->ends + 2 * q * ROW, ROW * sizeof(float));
        assert_memory_equal(points + (o->counts[i] - 1) * ROW, f->ends + (2 * q + 1) * ROW,
                            ROW * sizeof(float));
        const double length = polyline_length(points, o->counts[i]);
        if (length > path_length(f, q) * (1 + 1e-6))
            fail_msg("path %u: %.9g is longer than %.9g", q, length, path_length(f, q));
        sum += length;
        for (uint32_t j = 1; j < o->counts[i]; j++) {
            pairs[2 * pair_count] = o->first[i] + j - 1;
            pairs[2 * pair_count++ + 1] = o->first[i] + j;
        }
    }
    uint32_t *valid = check_motions(f, o->points, o->point_count, pairs, pair_count);
    for (size_t i = 0; i < pair_count; i++) {
        if (!valid[i])
            fail_msg("the motion of points %u and %u is not free", pairs[2 * i], pairs[2 * i + 1]);
    }
    free(valid);
    free(pairs);
    return sum;
}

/* Random circles, free points among them, and walks along free motions of random length. */
static void fixture_walks(struct fixture *f, uint32_t paths, uint32_t longest)
{
    struct test_random random = {7};
    struct prm_obstacle circles[40] = {0};
    const uint32_t n = 60;

    *f = (struct fixture){0};
    for (size_t i = 0; i < sizeof(circles) / sizeof(circles[0]); i++) {
        circles[i].kind = PRM_OBSTACLE_CIRCLE;
        circles[i].radius = (double)test_random_f32(&random, 0.3f, 1.5f);
        for (int c = 0; c < 2; c++)
            circles[i].center[c] = (double)test_random_f32(&random, -10, 10);
    }
    world_make(f, circles, sizeof(circles) / sizeof(circles[0]));
    f->points = calloc(n * ROW, sizeof(float));
    f->point_count = n;
    for (uint32_t i = 0; i < n * ROW; i++)
        f->points[i] = test_random_f32(&random, -10, 10);

    uint32_t *pairs = calloc((size_t)n * n * 2, sizeof(uint32_t));
    for (uint32_t i = 0; i < n * n; i++) {
        pairs[2 * i] = i / n;
        pairs[2 * i + 1] = i % n;
    }
    uint32_t *valid = check_motions(f, f->points, n, pairs, (size_t)n * n);

    paths_alloc(f, paths, paths * longest);
    for (uint32_t q = 0; q < paths; q++) {
        uint32_t at = q % n, walked = 0;
        const uint32_t steps = test_random_below(&random, longest);
        f->first[q] = f->pool_count;
        while (walked <= steps) {
            f->pool[f->pool_count + walked++] = at;
            uint32_t next = test_random_below(&random, n), tries = 0;
            while (!valid[at * n + next] && tries++ < n)
                next = (next + 1) % n;
            if (!valid[at * n + next])
                break;
            at = next;
        }
        if (!valid[(q % n) * n + q % n])
            walked = 0; // the point itself is in an obstacle
        // ends are the first and the last vertex themselves
        f->counts[q] = walked;
        memcpy(f->ends + 2 * q * ROW, f->points + (q % n) * ROW, ROW * sizeof(float));
        memcpy(f->ends + (2 * q + 1) * ROW,
               f->points + f->pool[f->pool_count + (walked > 0 ? walked - 1 : 0)] * ROW,
               ROW * sizeof(float));
        f->flags[2 * q] = f->flags[2 * q + 1] = END_FREE | END_AT_MILESTONE;
        f->pool_count += walked;
    }
    free(valid);
    free(pairs);
}

static void test_random_walks(void **state)
{
    (void)state;
    struct fixture f;
    fixture_walks(&f, (uint32_t)test_size(300, 20), 70);
    double before = 0;
    for (uint32_t q = 0; q < f.path_count; q++)
        before += f.counts[q] > 0 ? path_length(&f, q) : 0;
    struct outcome o = run(&f, 0, f.path_count);
    const double after = check(&f, &o, 0, f.path_count);
    // random walks have much to lose
    assert_true(after < 0.2 * before);

    // each path alone comes out the same
    for (uint32_t q = 0; q < f.path_count; q += 17) {
        struct outcome alone = run(&f, q, 1);
        assert_int_equal(alone.counts[0], o.counts[q]);
        assert_memory_equal(alone.points, o.points + (size_t)o.first[q] * ROW,
                            o.counts[q] * ROW * sizeof(float));
        outcome_deinit(&alone);
    }
    outcome_deinit(&o);
    fixture_deinit(&f);
}

/* Nothing in the way: whatever the path, it becomes the straight line. */
static void test_open_space(void **state)
{
    (void)state;
    const struct prm_obstacle far = {
        .kind = PRM_OBSTACLE_CIRCLE, .center = {9.5, 9.5}, .radius = 0.1};
    static const uint32_t COUNTS[] = {0, 1, 2, 3, 23, 24, 25, 100, 1000};
    enum { PATHS = sizeof(COUNTS) / sizeof(COUNTS[0]) };
    struct fixture f = {.point_count = 1000};

    world_make(&f, &far, 1);
    f.points = calloc((size_t)f.point_count * ROW, sizeof(float));
    for (uint32_t i = 0; i < f.point_count; i++) {
        f.points[i * ROW] = (float)i / 100 - 5;
        f.points[i * ROW + 1] = (float)(i % 7) - 3;
    }
    paths_alloc(&f, PATHS, 2000);
    for (uint32_t q = 0; q < PATHS; q++) {
        f.first[q] = f.pool_count;
        f.counts[q] = COUNTS[q];
        for (uint32_t i = 0; i < COUNTS[q]; i++)
            f.pool[f.pool_count++] = i;
        f.ends[2 * q * ROW] = -6;
        f.ends[(2 * q + 1) * ROW] = 6;
        f.flags[2 * q] = f.flags[2 * q + 1] = END_FREE;
    }
    struct outcome o = run(&f, 0, PATHS);
    check(&f, &o, 0, PATHS);
    for (uint32_t q = 0; q < PATHS; q++)
        assert_int_equal(o.counts[q], COUNTS[q] > 0 ? 2 : 0);
    outcome_deinit(&o);
    fixture_deinit(&f);
}

/* A wall with a door 1 wide: the way through it comes near the shortest, which bends at the door's
 * edges. */
static void test_door(void **state)
{
    (void)state;
    const struct prm_obstacle walls[] = {{.kind = PRM_OBSTACLE_RECTANGLE,
                                          .center = {0, -5},
                                          .quaternion = {0, 0, 0, 1},
                                          .size = {1, 10}},
                                         {.kind = PRM_OBSTACLE_RECTANGLE,
                                          .center = {0, 6},
                                          .quaternion = {0, 0, 0, 1},
                                          .size = {1, 10}}};
    const float points[] = {-8, -8, -3, 0.5f, 3, 0.5f, 8, -8};
    struct fixture f = {.point_count = 4, .pool_count = 2};

    world_make(&f, walls, 2);
    f.points = memcpy(malloc(sizeof(points)), points, sizeof(points));
    paths_alloc(&f, 1, 2);
    f.counts[0] = 2;
    f.pool[0] = 1;
    f.pool[1] = 2;
    memcpy(f.ends, points, ROW * sizeof(float));
    memcpy(f.ends + ROW, points + 3 * ROW, ROW * sizeof(float));
    struct outcome o = run(&f, 0, 1);
    const double length = check(&f, &o, 0, 1);
    const double shortest = 2 * hypot(7.5, 8) + 1;
    assert_true(length > shortest);
    assert_true(length < 1.02 * shortest);
    outcome_deinit(&o);
    fixture_deinit(&f);
}

static void test_faults(void **state)
{
    (void)state;
    struct fixture f;
    fixture_walks(&f, 5, 10);
    const struct prm_search_paths paths = {.pool_count = 1};
    const struct prm_endpoints ends = {.count = 1};
    const struct prm_simplify_input input = {
        .paths = &paths, .ends = &ends, .query_count = 1, .points_max = 1};
    struct prm_polylines polylines;
    for (uint32_t countdown = 1; countdown <= 8; countdown++) {
        const struct prm_arena_mark mark = prm_arena_mark(test_arena);
        prm_context_inject_fault(test_context, countdown);
        assert_status(PRM_DEVICE_FAILED, prm_simplify(test_arena, &polylines, &f.scene, &input));
        prm_context_inject_fault(test_context, 0);
        prm_arena_rewind(test_arena, mark);
    }
    struct outcome o = run(&f, 0, f.path_count);
    check(&f, &o, 0, f.path_count);
    outcome_deinit(&o);
    fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_walks),
        cmocka_unit_test(test_open_space),
        cmocka_unit_test(test_door),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

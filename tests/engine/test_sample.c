/* Goal: milestones come from where they are asked for: mixes keep their shares at every count, a
 * larger count only appends, nothing depends on the shape of machine; bridges find the slit,
 * samples about obstacles are close to them, trees stay where their anchors are; sampling that
 * finds nothing ends, and bad parameters are named.
 * Method: a world of two rooms with a slit in a thick wall between them, and a sealed cell. Oracle:
 * plain geometry of that world on the host, and comparison of builds. */
#include "roadmap/roadmap.h"
#include "roadmap/sampling/sample_schedule.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct prm_robot_spec POINT = {.kind = PRM_ROBOT_POINT};

/* Rooms x < 4 and x > 6 of a square of 10, joined by the slit |y - 5| < 0.1; a sealed cell of edge
 * 0.4 about (9, 9), walls 0.2 thick. */
static const struct prm_obstacle OBSTACLES[] = {
    {.kind = PRM_OBSTACLE_RECTANGLE,
     .center = {5, 2.45},
     .size = {2, 4.9},
     .quaternion = {0, 0, 0, 1}},
    {.kind = PRM_OBSTACLE_RECTANGLE,
     .center = {5, 7.55},
     .size = {2, 4.9},
     .quaternion = {0, 0, 0, 1}},
    {.kind = PRM_OBSTACLE_RECTANGLE,
     .center = {9, 9.3},
     .size = {0.8, 0.2},
     .quaternion = {0, 0, 0, 1}},
    {.kind = PRM_OBSTACLE_RECTANGLE,
     .center = {9, 8.7},
     .size = {0.8, 0.2},
     .quaternion = {0, 0, 0, 1}},
    {.kind = PRM_OBSTACLE_RECTANGLE,
     .center = {8.7, 9},
     .size = {0.2, 0.8},
     .quaternion = {0, 0, 0, 1}},
    {.kind = PRM_OBSTACLE_RECTANGLE,
     .center = {9.3, 9},
     .size = {0.2, 0.8},
     .quaternion = {0, 0, 0, 1}},
};
enum { OBSTACLE_COUNT = sizeof(OBSTACLES) / sizeof(OBSTACLES[0]) };

static const struct prm_world_spec ROOMS = {.dimension = 2,
                                            .bounded = true,
                                            .upper = {10, 10},
                                            .obstacles = OBSTACLES,
                                            .obstacle_count = OBSTACLE_COUNT};
static const struct prm_world_spec EMPTY = {.dimension = 2, .bounded = true, .upper = {10, 10}};

static const double ANCHORS[] = {9, 9, 1, 1, 5, 5};
enum { ANCHOR_COUNT = sizeof(ANCHORS) / sizeof(ANCHORS[0]) / 2 };

/* What is asked for in turn. */
static const struct {
    enum prm_sample_method method;
    double shares[PRM_SAMPLE_MIXABLE];
    uint32_t anchors;
    double anchor_share;
} CASES[] = {
    {PRM_SAMPLE_UNIFORM, {0}, 0, 0},
    {PRM_SAMPLE_HALTON, {0}, 0, 0},
    {PRM_SAMPLE_GAUSSIAN, {0}, 0, 0},
    {PRM_SAMPLE_BRIDGE, {0}, 0, 0},
    {PRM_SAMPLE_OBSTACLE, {0}, 0, 0},
    {PRM_SAMPLE_MIX, {[PRM_SAMPLE_UNIFORM] = 0.6, [PRM_SAMPLE_BRIDGE] = 0.4}, 3, 0.3},
    {PRM_SAMPLE_MIX, {1, 1, 1, 1, 1}, 2, 0.1},
    {PRM_SAMPLE_UNIFORM, {0}, 3, 1.0},
};
enum { CASE_COUNT = sizeof(CASES) / sizeof(CASES[0]) };

static struct prm_roadmap_params params_of(int i, uint32_t count)
{
    struct prm_roadmap_params params = {.seed = 4,
                                        .sample_count = count,
                                        .sample_method = CASES[i].method,
                                        .anchors = ANCHORS,
                                        .anchor_count = CASES[i].anchors,
                                        .anchor_share = CASES[i].anchor_share,
                                        .k = 2,
                                        .neighbor_method = PRM_NEIGHBOR_EXACT};
    memcpy(params.sample_shares, CASES[i].shares, sizeof(params.sample_shares));
    return params;
}

/* Builds for a robot in a world of `spec`; the roadmap is the caller's. */
static enum prm_status build_for(struct prm_context *context, struct prm_roadmap **roadmap,
                                 const struct prm_robot_spec *robot,
                                 const struct prm_world_spec *spec,
                                 const struct prm_roadmap_params *params)
{
    struct prm_validity *validity = NULL;
    struct prm_arena *arena;
    struct prm_world *world;

    assert_ok(prm_arena_create(context, &arena));
    assert_ok(prm_world_create(arena, &world, spec));
    const enum prm_status status =
        prm_roadmap_create(context, roadmap, &validity, world, robot, params);
    prm_validity_destroy(validity);
    prm_world_destroy(world);
    prm_arena_destroy(arena);
    return status;
}

static enum prm_status build(struct prm_context *context, struct prm_roadmap **roadmap,
                             const struct prm_world_spec *spec,
                             const struct prm_roadmap_params *params)
{
    return build_for(context, roadmap, &POINT, spec, params);
}

/* The place of a milestone; rows are about the world's centre. */
static void place_of(const struct prm_roadmap *roadmap, uint32_t i, double *x, double *y)
{
    double state[2];
    prm_space_from_row(&roadmap->space, state, roadmap->host_states + (size_t)2 * i);
    *x = state[0];
    *y = state[1];
}

static bool in_slit(double x, double y)
{
    return x >= 4 && x <= 6 && fabs(y - 5) <= 0.1;
}

static bool in_cell(double x, double y)
{
    return fabs(x - 9) <= 0.2 && fabs(y - 9) <= 0.2;
}

/* The distance to the nearest rectangle, 0 inside. */
static double clearance(double x, double y)
{
    double least = INFINITY;
    for (int i = 0; i < OBSTACLE_COUNT; i++) {
        const double dx = fmax(fabs(x - OBSTACLES[i].center[0]) - OBSTACLES[i].size[0] / 2, 0);
        const double dy = fmax(fabs(y - OBSTACLES[i].center[1]) - OBSTACLES[i].size[1] / 2, 0);
        least = fmin(least, hypot(dx, dy));
    }
    return least;
}

static void shares_are_kept_at_every_count(void **state)
{
    enum { COUNT = 5000, FIRST = 7 };
    const double shares[PRM_SAMPLE_SOURCES] = {0.5, 0, 0.05, 0.25, 0.1, 0.1};
    uint8_t source_of[COUNT];
    uint32_t counts[PRM_SAMPLE_SOURCES] = {0};
    (void)state;

    prm_sample_schedule(source_of, shares, FIRST, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i < FIRST) {
            assert_int_equal(source_of[i], PRM_SOURCE_ANCHOR);
            continue;
        }
        counts[source_of[i]]++;
        for (int s = 0; s < PRM_SAMPLE_SOURCES; s++)
            assert_true(fabs(counts[s] - shares[s] * (i + 1 - FIRST)) < 1.5);
    }
    assert_int_equal(counts[PRM_SAMPLE_HALTON], 0);
}

static void growth_only_appends(void **state)
{
    const uint32_t few = (uint32_t)test_size(300, 20), many = 3 * few;
    (void)state;
    for (int i = 0; i < (test_is_small() ? 6 : CASE_COUNT); i++) {
        struct prm_roadmap *short_one, *long_one;
        struct prm_roadmap_params params = params_of(i, few);
        assert_ok(build(test_context, &short_one, &ROOMS, &params));
        params.sample_count = many;
        assert_ok(build(test_context, &long_one, &ROOMS, &params));
        assert_int_equal(short_one->milestone_count, few);
        assert_int_equal(long_one->milestone_count, many);
        assert_memory_equal(short_one->host_states, long_one->host_states, few * 2 * sizeof(float));
        assert_true(CASES[i].anchors <= ANCHOR_COUNT);
        for (uint32_t m = 0; m < many; m++) {
            double x, y;
            place_of(long_one, m, &x, &y);
            assert_true(x >= 0 && x <= 10 && y >= 0 && y <= 10 && clearance(x, y) > 0);
            if (m < CASES[i].anchors && m < ANCHOR_COUNT)
                assert_true(fabs(x - ANCHORS[2 * m]) < 1e-6 && fabs(y - ANCHORS[2 * m + 1]) < 1e-6);
        }
        prm_roadmap_destroy(short_one);
        prm_roadmap_destroy(long_one);
    }
}

static void machines_agree(void **state)
{
    static const char *const TUNINGS[] = {"", "chunks=3", "wg=64,shape=gpu"};
    (void)state;
    if (test_is_small())
        skip();
    for (int i = CASE_COUNT - 2; i < CASE_COUNT; i++) {
        char digest[65] = "";
        for (size_t t = 0; t < sizeof(TUNINGS) / sizeof(TUNINGS[0]); t++) {
            struct prm_context_options options = test_context_options();
            const struct prm_roadmap_params params = params_of(i, 200);
            struct prm_context *context;
            struct prm_roadmap *roadmap;
            options.tuning = TUNINGS[t];
            assert_ok(prm_context_open(&context, &options));
            assert_ok(build(context, &roadmap, &ROOMS, &params));
            if (t > 0)
                assert_string_equal(roadmap->digest, digest);
            memcpy(digest, roadmap->digest, sizeof(digest));
            prm_roadmap_destroy(roadmap);
            prm_context_close(context);
        }
    }
}

/* Evenly drawn, one in 200 free samples is in the slit. */
static void methods_find_their_places(void **state)
{
    const uint32_t count = (uint32_t)test_size(1000, 60);
    (void)state;
    for (int i = 0; i < 5; i++) {
        const struct prm_roadmap_params params = params_of(i, count);
        struct prm_roadmap *roadmap;
        uint32_t slit = 0, close = 0, near = 0;
        assert_ok(build(test_context, &roadmap, &ROOMS, &params));
        for (uint32_t m = 0; m < count; m++) {
            double x, y;
            place_of(roadmap, m, &x, &y);
            slit += in_slit(x, y) || in_cell(x, y);
            close += clearance(x, y) < 0.05;
            near += clearance(x, y) < 1.0;
        }
        const struct prm_sample_count *counts = &roadmap->statistics.samples[params.sample_method];
        assert_int_equal(counts->wanted, count);
        assert_int_equal(counts->kept, count);
        assert_int_equal(counts->drawn, roadmap->statistics.samples_drawn);
        assert_true(fabs(roadmap->statistics.free_fraction - 0.8) < 0.06);
        switch (params.sample_method) {
        case PRM_SAMPLE_BRIDGE:
            assert_true(slit > 0.5 * count);
            break;
        case PRM_SAMPLE_GAUSSIAN:
            assert_true(near > 0.9 * count);
            break;
        case PRM_SAMPLE_OBSTACLE:
            assert_true(close > 0.9 * count);
            break;
        case PRM_SAMPLE_UNIFORM:
        case PRM_SAMPLE_HALTON:
        case PRM_SAMPLE_LATTICE:
        case PRM_SAMPLE_MIX:
            assert_true(slit < 0.03 * count && close < 0.1 * count);
            break;
        }
        prm_roadmap_destroy(roadmap);
    }
}

/* An anchor in a sealed cell keeps its trees in there; the others have half of their share each. */
static void trees_stay_with_their_anchors(void **state)
{
    const uint32_t count = (uint32_t)test_size(903, 63);
    const struct prm_roadmap_params params = params_of(CASE_COUNT - 1, count);
    struct prm_roadmap *roadmap;
    uint32_t cell = 0;
    (void)state;

    assert_ok(build(test_context, &roadmap, &ROOMS, &params));
    for (uint32_t m = 0; m < count; m++) {
        double x, y;
        place_of(roadmap, m, &x, &y);
        cell += in_cell(x, y);
    }
    const struct prm_sample_count *trees = &roadmap->statistics.samples[PRM_SAMPLE_TREES];
    assert_int_equal(trees->wanted, count - 3);
    assert_int_equal(trees->kept, count - 3);
    assert_int_equal(cell, 1 + (count - 3) / 3);
    assert_null(roadmap->params.anchors);
    prm_roadmap_destroy(roadmap);
}

/* Where there is nothing to be near, uniform samples take the places, and soon. */
static void an_empty_world_ends_in_uniform_samples(void **state)
{
    (void)state;
    if (test_is_small())
        skip();
    for (int i = 2; i < 6; i++) {
        struct prm_roadmap_params params = params_of(i, 100);
        struct prm_roadmap *roadmap, *uniform;
        assert_ok(build(test_context, &roadmap, &EMPTY, &params));
        assert_int_equal(roadmap->milestone_count, 100);
        const struct prm_sample_count *counts =
            &roadmap->statistics.samples[i == 5 ? PRM_SAMPLE_BRIDGE : CASES[i].method];
        assert_int_equal(counts->kept, 0);
        assert_true(counts->wanted > 0 && counts->drawn > 0 && counts->drawn < 1 << 19);
        assert_true(roadmap->statistics.free_fraction == 1.0);
        if (i < 5) {
            params.sample_method = PRM_SAMPLE_UNIFORM;
            assert_ok(build(test_context, &uniform, &EMPTY, &params));
            assert_memory_equal(roadmap->host_states, uniform->host_states,
                                100 * 2 * sizeof(float));
            prm_roadmap_destroy(uniform);
        }
        prm_roadmap_destroy(roadmap);
    }
}

/* A bar turns about a ball: all methods, in SE(2) and SE(3). */
static void rigid_robots_are_sampled(void **state)
{
    static const struct prm_sphere BAR[] = {{{-0.5, 0, 0}, 0.2}, {{0.5, 0, 0}, 0.2}};
    static const struct prm_robot_spec ROBOT = {
        .kind = PRM_ROBOT_RIGID, .spheres = BAR, .sphere_count = 2, .weights = {1, 1, 2, 2}};
    static const double ANCHOR[2][7] = {{1, 1, 3.1}, {1, 1, 1, 0, 0, 0, -1}};
    const uint32_t count = 200;
    (void)state;
    if (test_is_small())
        skip();

    for (uint32_t dimension = 2; dimension <= 3; dimension++) {
        const struct prm_obstacle ball = {.kind = dimension == 2 ? PRM_OBSTACLE_CIRCLE
                                                                 : PRM_OBSTACLE_SPHERE,
                                          .center = {5, 5, dimension == 2 ? 0 : 5},
                                          .quaternion = {0, 0, 0, 1},
                                          .radius = 3};
        const struct prm_world_spec spec = {.dimension = dimension,
                                            .bounded = true,
                                            .upper = {10, 10, 10},
                                            .obstacles = &ball,
                                            .obstacle_count = 1};
        struct prm_roadmap *short_one, *long_one;
        struct prm_roadmap_params params = params_of(6, count);
        params.anchors = ANCHOR[dimension - 2];
        params.anchor_count = 1;
        params.anchor_share = 0.2;
        params.sample_shares[PRM_SAMPLE_BRIDGE] = 0;
        assert_ok(build_for(test_context, &short_one, &ROBOT, &spec, &params));
        params.sample_count = 2 * count;
        assert_ok(build_for(test_context, &long_one, &ROBOT, &spec, &params));
        const uint32_t row = long_one->space.row;
        assert_int_equal(long_one->milestone_count, 2 * count);
        assert_memory_equal(short_one->host_states, long_one->host_states,
                            count * row * sizeof(float));
        for (uint32_t m = 0; m < 2 * count; m++) {
            double q[PRM_DOF_MAX], length = 0;
            bool clamped = false;
            prm_space_from_row(&long_one->space, q, long_one->host_states + (size_t)m * row);
            assert_int_equal(prm_space_clamp(&long_one->space, q, &clamped), long_one->space.dof);
            for (uint32_t c = 3; c < long_one->space.dof; c++)
                length += q[c] * q[c];
            assert_true(dimension == 2 ? fabs(q[2]) < 3.1416 : fabs(length - 1) < 1e-5);
        }
        for (int s = 0; s < PRM_SAMPLE_SOURCES; s++) {
            const struct prm_sample_count *counts = &long_one->statistics.samples[s];
            assert_int_equal(counts->kept, counts->wanted);
        }
        prm_roadmap_destroy(short_one);
        prm_roadmap_destroy(long_one);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    static const double BLOCKED[] = {1, 1, 5, 2}, OUTSIDE[] = {1, 1, 2, 2, 11, 1};
    struct prm_roadmap *roadmap;
    struct prm_roadmap_params params = params_of(0, 100);
    (void)state;

    params.anchors = BLOCKED;
    params.anchor_count = 2;
    assert_status(PRM_INVALID_ARGUMENT, build(test_context, &roadmap, &ROOMS, &params));
    assert_fault_says("anchor 1 is in collision");
    assert_string_equal(prm_fault_last()->parameter, "anchors");
    assert_int_equal(prm_fault_last()->element, 1);
    params.anchors = OUTSIDE;
    params.anchor_count = 3;
    assert_status(PRM_INVALID_ARGUMENT, build(test_context, &roadmap, &ROOMS, &params));
    assert_fault_says("anchor 2 is out of limits: x is 11");
    params.sample_count = 2;
    assert_status(PRM_INVALID_ARGUMENT, build(test_context, &roadmap, &ROOMS, &params));
    assert_fault_says("more than samples.count");
    params = params_of(0, 100);
    params.anchor_share = 1.5;
    assert_status(PRM_INVALID_ARGUMENT, build(test_context, &roadmap, &ROOMS, &params));
    assert_fault_says("samples.anchor_share is 1.5");
    params = params_of(0, 100);
    params.sample_method = PRM_SAMPLE_MIX;
    assert_status(PRM_INVALID_ARGUMENT, build(test_context, &roadmap, &ROOMS, &params));
    assert_fault_says("0 together");
    params.sample_shares[2] = -1;
    assert_status(PRM_INVALID_ARGUMENT, build(test_context, &roadmap, &ROOMS, &params));
    assert_fault_says("not a number from 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_kept_at_every_count),
        cmocka_unit_test(growth_only_appends),
        cmocka_unit_test(machines_agree),
        cmocka_unit_test(methods_find_their_places),
        cmocka_unit_test(trees_stay_with_their_anchors),
        cmocka_unit_test(an_empty_world_ends_in_uniform_samples),
        cmocka_unit_test(rigid_robots_are_sampled),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

/* Goal: builds are right, deterministic and leave nothing behind: milestones free and within
 * bounds, edges canonical, candidates those of brute force, validity as the edge check says,
 * components the lowest ids, digests independent of the shape of machine; full worlds refused,
 * growth a prefix, faults and cancels clean; lattices exact; dynamic obstacles applied afterwards.
 * Method: small worlds built in whole and by parts. Oracle: serial union-find and sums on the host,
 * the edge check in double precision (oracle_world), neighbour lists by brute force. */
#include "oracle_world.h"
#include "roadmap/collision/edges.h"
#include "roadmap/nearest/neighbors.h"
#include "roadmap/roadmap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct built {
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    struct prm_graph_copy graph;
};

static const struct prm_robot_spec POINT = {.kind = PRM_ROBOT_POINT};

/* Builds by steps; progress must not fall. */
static enum prm_status try_build(struct prm_context *context, struct built *built,
                                 const struct prm_world *world, const struct prm_robot_spec *robot,
                                 const struct prm_roadmap_params *params)
{
    struct prm_build *build;
    double last = 0;
    bool done = false;
    *built = (struct built){0};
    enum prm_status status = prm_build_create(context, &build, world, robot, params);
    if (status != PRM_OK)
        return status;
    while (status == PRM_OK && !done) {
        const struct prm_progress progress = prm_build_progress(build);
        if (progress.fraction < last && progress.fraction < 1)
            fail_msg("progress fell from %g to %g", last, progress.fraction);
        last = progress.fraction;
        status = prm_build_step(build, &done);
    }
    if (status == PRM_OK)
        status = prm_build_finish(build, &built->roadmap, &built->validity);
    prm_build_destroy(build);
    return status;
}

static struct built build(const struct prm_world *world, const struct prm_robot_spec *robot,
                          const struct prm_roadmap_params *params)
{
    struct built built;
    assert_ok(try_build(test_context, &built, world, robot, params));
    assert_ok(prm_graph_copy_init(&built.graph, built.roadmap, built.validity));
    return built;
}

static void built_free(struct built *built)
{
    prm_graph_copy_deinit(&built->graph);
    prm_validity_destroy(built->validity);
    prm_roadmap_destroy(built->roadmap);
}

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* Labels, sizes, degrees, arcs and statistics against the copy of the graph. */
static void check_graph(const struct built *built)
{
    const struct prm_graph_copy *g = &built->graph;
    const struct prm_validity *validity = built->validity;
    uint32_t *parent = calloc(g->milestone_count, 4), *degree = calloc(g->milestone_count + 1u, 4);
    uint32_t valid = 0, components = 0;

    for (uint32_t v = 0; v < g->milestone_count; v++)
        parent[v] = v;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const uint32_t a = g->edges[2 * e], b = g->edges[2 * e + 1];
        double sum = 0;
        assert_true(a < b && b < g->milestone_count);
        if (e > 0)
            assert_true(g->edges[2 * e - 2] < a ||
                        (g->edges[2 * e - 2] == a && g->edges[2 * e - 1] < b));
        for (uint32_t c = 0; c < g->dof; c++)
            sum += pow(g->states[a * g->dof + c] - g->states[b * g->dof + c], 2);
        assert_float_equal(g->lengths[e], (float)sqrt(sum), 1e-5f * (1 + g->lengths[e]));
        if (!g->valid[e])
            continue;
        valid++;
        degree[a]++;
        degree[b]++;
        const uint32_t p = root_of(parent, a), q = root_of(parent, b);
        parent[p > q ? p : q] = p < q ? p : q;
    }
    for (uint32_t v = 0; v < g->milestone_count; v++) {
        assert_int_equal(g->components[v], root_of(parent, v));
        components += root_of(parent, v) == v;
    }
    assert_int_equal(validity->valid_edges, valid);
    assert_int_equal(validity->component_count, components);

    // the vertices of the graph are the milestones in some order
    uint32_t *ids = test_download_u32(test_context, validity->graph.ids, g->milestone_count);
    uint32_t *places = test_download_u32(test_context, validity->graph.places, g->milestone_count);
    for (uint32_t v = 0; v < g->milestone_count; v++) {
        assert_true(ids[v] < g->milestone_count);
        assert_int_equal(places[ids[v]], v);
    }

    // arcs ascend by milestone, both ways, with the edge's weight
    const uint32_t arcs = validity->graph.arc_count;
    uint32_t *offsets = calloc(g->milestone_count + 1u, 4),
             *pairs = calloc(2 * (size_t)arcs + 1, 4);
    assert_int_equal(arcs, 2 * valid);
    assert_ok(prm_buffer_read(test_context, validity->graph.offsets, 0, offsets,
                              (g->milestone_count + 1u) * sizeof(uint32_t)));
    assert_ok(prm_buffer_read(test_context, validity->graph.arcs, 0, pairs, (size_t)arcs * 8));
    for (uint32_t v = 0; v < g->milestone_count; v++) {
        assert_int_equal(offsets[v + 1] - offsets[v], degree[ids[v]]);
        for (uint32_t i = offsets[v] + 1; i < offsets[v + 1]; i++)
            assert_true(ids[pairs[2 * i - 2]] < ids[pairs[2 * i]]);
        for (uint32_t i = offsets[v]; i < offsets[v + 1]; i++) {
            const uint32_t a = ids[v], b = ids[pairs[2 * i]];
            double sum = 0;
            for (uint32_t c = 0; c < g->dof; c++)
                sum += pow(g->states[a * g->dof + c] - g->states[b * g->dof + c], 2);
            assert_true(fabs(pairs[2 * i + 1] / validity->weight_scale - sqrt(sum)) <
                        2 / validity->weight_scale + 1e-5 * (1 + sqrt(sum)));
        }
    }
    uint32_t counted = 0, edges = 0;
    for (int b = 0; b < PRM_HISTOGRAM_BINS; b++) {
        counted += validity->degree_histogram[b];
        edges += validity->length_histogram[b];
    }
    assert_int_equal(counted, g->milestone_count);
    assert_int_equal(edges, valid);
    free(parent);
    free(degree);
    free(offsets);
    free(pairs);
    free(ids);
    free(places);
}

enum { OBSTACLES = 30 };

/* A 2D or 3D world of random obstacles, some of them dynamic. */
static struct prm_world *random_world(struct prm_obstacle *obstacles, double (*points)[12],
                                      struct prm_world_spec *spec, uint32_t dimension,
                                      uint64_t seed)
{
    struct test_random random = {seed};
    const double middle[3] = {3, -4, 100};
    struct prm_world *world;
    *spec = (struct prm_world_spec){.dimension = dimension,
                                    .bounded = true,
                                    .obstacles = obstacles,
                                    .obstacle_count = OBSTACLES};
    for (uint32_t i = 0; i < OBSTACLES; i++) {
        obstacles[i] = oracle_random_obstacle(&random, dimension, middle, 10, points[i], 6);
        obstacles[i].dynamic = i % 5 == 0;
    }
    for (uint32_t c = 0; c < dimension; c++) {
        spec->lower[c] = middle[c] - 10;
        spec->upper[c] = middle[c] + 10;
    }
    assert_ok(prm_world_create(test_arena, &world, spec));
    return world;
}

static void a_build_is_right(void **state)
{
    static const enum prm_sample_method METHODS[] = {PRM_SAMPLE_UNIFORM, PRM_SAMPLE_HALTON};
    struct prm_obstacle obstacles[OBSTACLES];
    double points[OBSTACLES][12];
    struct prm_world_spec spec;
    (void)state;

    for (uint32_t i = 0; i < (test_is_small() ? 1 : 4); i++) {
        const uint32_t dimension = 2 + i / 2;
        struct prm_world *world = random_world(obstacles, points, &spec, dimension, i + 1);
        const struct prm_robot_spec ball = {.kind = PRM_ROBOT_BALL, .radius = 0.3};
        const struct prm_robot_spec robot = i % 2 ? ball : POINT;
        const struct prm_roadmap_params params = {.seed = 5,
                                                  .sample_count = (uint32_t)test_size(800, 40),
                                                  .sample_method = METHODS[i % 2],
                                                  .k = 8,
                                                  .target_recall = 0.95};
        struct built built = build(world, &robot, &params);
        const struct prm_graph_copy *g = &built.graph;
        double clearance = INFINITY, p[3] = {0}, q[3] = {0};

        assert_int_equal(g->milestone_count, params.sample_count);
        check_graph(&built);
        for (uint32_t v = 0; v < g->milestone_count; v++) {
            for (uint32_t c = 0; c < dimension; c++) {
                p[c] = g->states[v * dimension + c];
                assert_true(p[c] >= spec.lower[c] && p[c] <= spec.upper[c]);
            }
            clearance = fmin(clearance, oracle_segment_clearance(&spec, false, p, p));
        }
        // milestones keep clear of what is fixed; edges of all
        assert_true(clearance > robot.radius);
        for (uint32_t e = 0; e < g->edge_count; e += 5) {
            for (uint32_t c = 0; c < dimension; c++) {
                p[c] = g->states[g->edges[2 * e] * dimension + c];
                q[c] = g->states[g->edges[2 * e + 1] * dimension + c];
            }
            const double is = oracle_segment_clearance(&spec, true, p, q) - robot.radius;
            assert_true(g->valid[e] ? is > 0 : is < 1e-3);
        }
        assert_true(built.validity->valid_edges < g->edge_count);
        assert_true(built.roadmap->statistics.recall == 1.0);
        built_free(&built);
        prm_world_destroy(world);
    }
}

/* The candidates are the pairs in either's list of brute force. */
static void candidates_are_all_near_pairs(void **state)
{
    enum { COUNT = 300, K = 5 };
    const uint32_t count = (uint32_t)test_size(COUNT, 50);
    const struct prm_world_spec spec = {.dimension = 2, .bounded = true, .upper = {1, 1}};
    const struct prm_roadmap_params params = {
        .seed = 1, .sample_count = count, .k = K, .neighbor_method = PRM_NEIGHBOR_EXACT};
    struct prm_world *world;
    (void)state;

    assert_ok(prm_world_create(test_arena, &world, &spec));
    struct built built = build(world, &POINT, &params);
    uint8_t *near = calloc((size_t)count * count, 1);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            const float *a = built.roadmap->host_states + 2 * i,
                        *b = built.roadmap->host_states + 2 * j;
            const float d = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
            uint32_t closer = 0;
            for (uint32_t l = 0; l < count && i != j; l++) {
                const float *c = built.roadmap->host_states + 2 * l;
                const float f = (a[0] - c[0]) * (a[0] - c[0]) + (a[1] - c[1]) * (a[1] - c[1]);
                closer += l != i && (f < d || (f == d && l < j));
            }
            if (i != j && closer < K)
                near[(i < j ? i : j) * count + (i < j ? j : i)] = 1;
        }
    }
    for (uint32_t i = 0; i < count * count; i++)
        expected += near[i];
    assert_int_equal(built.graph.edge_count, expected);
    for (uint32_t e = 0; e < expected; e++)
        assert_int_equal(near[built.graph.edges[2 * e] * count + built.graph.edges[2 * e + 1]], 1);
    assert_int_equal(built.validity->valid_edges, expected);
    free(near);
    built_free(&built);
    prm_world_destroy(world);
}

static void growth_is_a_prefix(void **state)
{
    struct prm_obstacle obstacles[OBSTACLES];
    double points[OBSTACLES][12];
    struct prm_world_spec spec;
    struct prm_world *world = random_world(obstacles, points, &spec, 2, 9);
    const uint32_t few = (uint32_t)test_size(500, 12);
    struct prm_roadmap_params params = {.seed = 3, .sample_count = few, .k = 4};
    (void)state;

    struct built small = build(world, &POINT, &params);
    params.sample_count = 3 * few;
    struct built large = build(world, &POINT, &params);
    params.seed = 4;
    struct built other = build(world, &POINT, &params);
    assert_memory_equal(small.graph.states, large.graph.states, few * 2 * sizeof(double));
    assert_memory_not_equal(large.graph.states, other.graph.states, few * 2 * sizeof(double));
    assert_string_not_equal(large.roadmap->digest, other.roadmap->digest);
    built_free(&small);
    built_free(&large);
    built_free(&other);
    prm_world_destroy(world);
}

/* One digest for every shape of machine and size of work-group, and of both exact methods. */
static void digests_do_not_depend_on_the_machine(void **state)
{
    static const char *const TUNINGS[] = {"wg=1", "wg=64,shape=gpu,lanes=1,chunks=5",
                                          "wg=16,shape=gpu,radix_bits=3", "lanes=4,chunks=3"};
    static const enum prm_neighbor_method METHODS[] = {PRM_NEIGHBOR_LSH, PRM_NEIGHBOR_EXACT,
                                                       PRM_NEIGHBOR_TILES};
    struct prm_obstacle obstacles[OBSTACLES];
    double points[OBSTACLES][12];
    struct prm_world_spec spec;
    (void)state;
    if (test_is_small())
        skip();

    prm_world_destroy(random_world(obstacles, points, &spec, 2, 11));
    char digest[65] = "";
    for (int m = 0; m < 3; m++) {
        for (size_t i = 0; i < sizeof(TUNINGS) / sizeof(TUNINGS[0]); i++) {
            struct prm_context_options options = test_context_options();
            struct prm_context *context;
            struct prm_arena *arena;
            struct prm_world *world;
            struct built built;
            const struct prm_roadmap_params params = {.seed = 8,
                                                      .sample_count = 400,
                                                      .k = 6,
                                                      .neighbor_method = METHODS[m],
                                                      .target_recall = 0.9};
            options.tuning = TUNINGS[i];
            assert_ok(prm_context_open(&context, &options));
            assert_ok(prm_arena_create(context, &arena));
            assert_ok(prm_world_create(arena, &world, &spec));
            assert_ok(try_build(context, &built, world, &POINT, &params));
            if (i > 0 || METHODS[m] == PRM_NEIGHBOR_TILES)
                assert_string_equal(built.roadmap->digest, digest);
            memcpy(digest, built.roadmap->digest, sizeof(digest));
            prm_validity_destroy(built.validity);
            prm_roadmap_destroy(built.roadmap);
            prm_world_destroy(world);
            prm_arena_destroy(arena);
            const struct prm_memory_use use = prm_context_memory(context);
            assert_int_equal(use.resident_bytes + use.scratch_bytes, 0);
            prm_context_close(context);
        }
        assert_int_equal(strlen(digest), 64);
    }
}

static void worlds_without_room(void **state)
{
    struct prm_obstacle o = {.kind = PRM_OBSTACLE_RECTANGLE,
                             .center = {0.5, 0.5},
                             .size = {1, 1},
                             .quaternion = {0, 0, 0, 1}};
    struct prm_world_spec spec = {
        .dimension = 2, .bounded = true, .upper = {1, 1}, .obstacles = &o, .obstacle_count = 1};
    struct prm_roadmap_params params = {.seed = 1, .sample_count = 10, .k = 3};
    struct prm_world *world;
    struct built built;
    (void)state;
    if (test_is_small())
        skip();

    // full to the brim
    assert_ok(prm_world_create(test_arena, &world, &spec));
    assert_status(PRM_NO_FREE_SPACE, try_build(test_context, &built, world, &POINT, &params));
    assert_fault_says("samples drawn");
    prm_world_destroy(world);

    // all but a slit: fewer than wanted are kept
    o.size[0] = 0.99996;
    params.sample_count = 1000;
    assert_ok(prm_world_create(test_arena, &world, &spec));
    built = build(world, &POINT, &params);
    assert_true(built.graph.milestone_count > 0 && built.graph.milestone_count < 1000);
    assert_true(built.roadmap->statistics.samples_drawn >= 1 << 20);
    check_graph(&built);
    built_free(&built);
    prm_world_destroy(world);

    // without bounds there is nothing to draw from; without a grid no lattice
    spec.bounded = false;
    assert_ok(prm_world_create(test_arena, &world, &spec));
    assert_status(PRM_INVALID_ARGUMENT, try_build(test_context, &built, world, &POINT, &params));
    assert_fault_says("bounds");
    prm_world_destroy(world);
    spec.bounded = true;
    assert_ok(prm_world_create(test_arena, &world, &spec));
    params.sample_method = PRM_SAMPLE_LATTICE;
    assert_status(PRM_INVALID_ARGUMENT, try_build(test_context, &built, world, &POINT, &params));
    params.sample_method = PRM_SAMPLE_UNIFORM;
    params.k = 0;
    assert_status(PRM_INVALID_ARGUMENT, try_build(test_context, &built, world, &POINT, &params));
    params.k = 100;
    params.sample_count = 2000000000;
    assert_status(PRM_LIMIT_EXCEEDED, try_build(test_context, &built, world, &POINT, &params));
    assert_string_equal(prm_fault_last()->parameter, "neighbors/k");
    params.sample_count = 20000000;
    assert_status(PRM_DEVICE_MEMORY, try_build(test_context, &built, world, &POINT, &params));
    assert_fault_says("bytes");

    // a lattice too fine says what is at fault, and by how much
    params = (struct prm_roadmap_params){.k = 4,
                                         .sample_method = PRM_SAMPLE_LATTICE,
                                         .lattice_spacing = 1e-300,
                                         .lattice_cells_max = 1000};
    assert_status(PRM_LIMIT_EXCEEDED, try_build(test_context, &built, world, &POINT, &params));
    assert_string_equal(prm_fault_last()->parameter, "samples/spacing");
    assert_string_equal(prm_fault_last()->limit_name, "grid_cells");
    assert_true(prm_fault_last()->limit == 1000 && !strstr(prm_fault_last()->detail, "inf"));
    params.lattice_spacing = 0.1;
    params.milestones_max = 3;
    o.size[0] = 0.5;
    prm_world_destroy(world);
    assert_ok(prm_world_create(test_arena, &world, &spec));
    assert_status(PRM_LIMIT_EXCEEDED, try_build(test_context, &built, world, &POINT, &params));
    assert_string_equal(prm_fault_last()->limit_name, "milestones");
    prm_world_destroy(world);
}

/* Worlds as small as may be are built in; in those so large that rounding hides an obstacle, edges
 * are not certified. */
static void very_small_and_very_large_worlds(void **state)
{
    struct prm_obstacle o = {.kind = PRM_OBSTACLE_CIRCLE};
    struct prm_world_spec spec = {
        .dimension = 2, .bounded = true, .obstacles = &o, .obstacle_count = 1};
    const double sizes[] = {1e-9, 1e-6, 1e-3, 1e9};
    const uint32_t count = (uint32_t)test_size(100, 30);
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i += test_size(1, 3)) {
        const struct prm_roadmap_params params = {.seed = 1, .sample_count = count, .k = 6};
        struct prm_world *world;
        for (int c = 0; c < 2; c++) {
            spec.upper[c] = sizes[i];
            o.center[c] = sizes[i] / 2;
        }
        o.radius = sizes[i] / 5;
        assert_ok(prm_world_create(test_arena, &world, &spec));
        struct built built = build(world, &POINT, &params);
        assert_int_equal(built.graph.milestone_count, count);
        assert_true(built.validity->valid_edges > count);
        check_graph(&built);
        built_free(&built);
        prm_world_destroy(world);
    }

    struct prm_roadmap_params params = {.seed = 1, .sample_count = count, .k = 6};
    struct prm_world *world;
    struct built built;
    o.radius = 1;
    assert_ok(prm_world_create(test_arena, &world, &spec));
    assert_true(world->margin > world->finest && world->finest == 2.0);
    assert_status(PRM_INVALID_ARGUMENT, try_build(test_context, &built, world, &POINT, &params));
    assert_string_equal(prm_fault_last()->parameter, "edges/check");
    params.edge_check = PRM_EDGE_SAMPLED;
    built = build(world, &POINT, &params);
    built_free(&built);
    prm_world_destroy(world);
}

enum { WIDTH = 17, HEIGHT = 11 };

/* Lattices have a milestone at every free cell, the octile edges, and those of brute force. */
static void lattices_are_exact(void **state)
{
    static const struct {
        uint32_t k;
        double radius;
    } CASES[] = {{8, 1.5}, {4, 1.0}, {8, 0}, {20, 0}, {5, 2.9}};
    struct test_random random = {1};
    uint8_t cells[WIDTH * HEIGHT];
    struct prm_obstacle o = {.kind = PRM_OBSTACLE_GRID,
                             .grid = {WIDTH, HEIGHT, 1.0, {1000, 2000, 0}, cells}};
    const struct prm_world_spec spec = {.dimension = 2,
                                        .bounded = true,
                                        .lower = {1000, 2000},
                                        .upper = {1000 + WIDTH, 2000 + HEIGHT},
                                        .obstacles = &o,
                                        .obstacle_count = 1};
    struct prm_world *world;
    uint32_t free_cells = 0, moves = 0;
    (void)state;

    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        cells[i] = test_random_below(&random, 4) > 0;
        free_cells += cells[i];
    }
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const int x = i % WIDTH, y = i / WIDTH;
        const bool right = x + 1 < WIDTH, up = y + 1 < HEIGHT;
        moves += cells[i] && right && cells[i + 1];
        moves += cells[i] && up && cells[i + WIDTH];
        moves +=
            cells[i] && right && up && cells[i + 1] && cells[i + WIDTH] && cells[i + WIDTH + 1];
        moves +=
            x > 0 && up && cells[i] && cells[i - 1] && cells[i + WIDTH] && cells[i + WIDTH - 1];
    }
    assert_ok(prm_world_create(test_arena, &world, &spec));
    for (size_t c = 0; c < (test_is_small() ? 1 : sizeof(CASES) / sizeof(CASES[0])); c++) {
        const struct prm_roadmap_params params = {
            .sample_method = PRM_SAMPLE_LATTICE, .k = CASES[c].k, .radius = CASES[c].radius};
        struct built built = build(world, &POINT, &params);
        assert_int_equal(built.graph.milestone_count, free_cells);
        assert_true(built.graph.states[0] - floor(built.graph.states[0]) == 0.5);
        assert_true(built.roadmap->statistics.recall == 1.0);
        check_graph(&built);
        if (c == 0)
            assert_int_equal(built.validity->valid_edges, moves);

        // the pairs are those that brute force finds among the same milestones
        struct prm_neighbor_index *index;
        struct prm_buffer lists;
        const uint32_t k = params.k;
        const struct prm_arena_mark mark = prm_arena_mark(test_arena);
        const struct prm_neighbor_options options = {
            .method = PRM_NEIGHBOR_EXACT, .k = k, .radius = params.radius};
        const struct prm_embedding embedding = prm_embedding_of(&built.roadmap->space);
        uint32_t *list = calloc((size_t)free_cells * k, 4), pairs = 0;
        assert_ok(prm_neighbor_index_create(test_arena, &index, &embedding, built.roadmap->states,
                                            free_cells, &options));
        assert_ok(prm_arena_take(test_arena, &lists, (size_t)free_cells * k * 4));
        assert_ok(prm_neighbors_self(test_arena, lists, PRM_NO_BUFFER, index, 0, free_cells));
        assert_ok(prm_buffer_read(test_context, lists, 0, list, (size_t)free_cells * k * 4));
        for (uint32_t v = 0; v < free_cells; v++) {
            for (uint32_t i = 0; i < k; i++) {
                const uint32_t u = list[v * k + i];
                bool twice = false;
                for (uint32_t j = 0; u != UINT32_MAX && j < k; j++)
                    twice |= u < v && list[u * k + j] == v;
                pairs += u != UINT32_MAX && !twice;
            }
        }
        assert_int_equal(built.graph.edge_count, pairs);
        prm_neighbor_index_destroy(index);
        prm_arena_rewind(test_arena, mark);
        free(list);
        built_free(&built);
    }
    prm_world_destroy(world);
}

/* A door that opens: edges come and go, milestones stay. */
static void doors_open_and_close(void **state)
{
    struct prm_obstacle o[2];
    for (int i = 0; i < 2; i++)
        o[i] = (struct prm_obstacle){.kind = PRM_OBSTACLE_RECTANGLE,
                                     .center = {0.5, i ? 0.1 : 0.6},
                                     .size = {0.001, i ? 0.2 : 0.8},
                                     .quaternion = {0, 0, 0, 1},
                                     .dynamic = i == 1};
    const struct prm_world_spec spec = {
        .dimension = 2, .bounded = true, .upper = {1, 1}, .obstacles = o, .obstacle_count = 2};
    const struct prm_roadmap_params params = {
        .seed = 2, .sample_count = (uint32_t)test_size(500, 80), .k = 10};
    struct prm_world *closed, *open;
    struct prm_validity *opened, *again;
    (void)state;

    assert_ok(prm_world_create(test_arena, &closed, &spec));
    struct built built = build(closed, &POINT, &params);
    check_graph(&built);
    // left and right are apart
    for (uint32_t e = 0; e < built.graph.edge_count; e++) {
        const double *a = built.graph.states + 2 * (size_t)built.graph.edges[2 * e];
        const double *b = built.graph.states + 2 * (size_t)built.graph.edges[2 * e + 1];
        if (built.graph.valid[e])
            assert_true((a[0] < 0.5) == (b[0] < 0.5));
    }
    o[1].disabled = true;
    assert_ok(prm_world_create(test_arena, &open, &spec));
    assert_ok(prm_validity_create(test_arena, &opened, built.roadmap, open, built.validity));
    assert_true(opened->edges_on > 0 && opened->edges_off == 0);
    assert_int_equal(opened->valid_edges, built.validity->valid_edges + opened->edges_on);
    assert_true(opened->component_count < built.validity->component_count);
    struct built through = {built.roadmap, opened, {0}};
    assert_ok(prm_graph_copy_init(&through.graph, built.roadmap, opened));
    check_graph(&through);
    prm_graph_copy_deinit(&through.graph);
    assert_ok(prm_validity_create(test_arena, &again, built.roadmap, closed, opened));
    assert_int_equal(again->edges_off, opened->edges_on);
    assert_int_equal(again->edges_on, 0);
    prm_validity_destroy(opened);
    prm_validity_destroy(again);
    built_free(&built);
    prm_world_destroy(closed);
    prm_world_destroy(open);
}

/* A grid would move a world's local frame: for a roadmap that is there already it must not. */
static void frames_stay(void **state)
{
    const uint8_t cells[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const struct prm_obstacle o[2] = {
        {.kind = PRM_OBSTACLE_RECTANGLE,
         .center = {0.5, 0.6},
         .size = {0.1, 0.8},
         .quaternion = {0, 0, 0, 1}},
        {.kind = PRM_OBSTACLE_GRID, .grid = {4, 4, 0.35, {-0.1, -0.15, 0}, cells}}};
    struct prm_world_spec spec = {
        .dimension = 2, .bounded = true, .upper = {1, 1}, .obstacles = o, .obstacle_count = 1};
    const struct prm_roadmap_params params = {
        .seed = 2, .sample_count = (uint32_t)test_size(500, 80), .k = 10};
    struct prm_world *plain, *moved, *kept;
    struct prm_validity *validity;
    (void)state;

    assert_ok(prm_world_create(test_arena, &plain, &spec));
    struct built built = build(plain, &POINT, &params);
    assert_true(built.validity->valid_edges < built.graph.edge_count);
    spec.obstacle_count = 2;
    assert_ok(prm_world_create(test_arena, &moved, &spec));
    assert_true(moved->center[0] != plain->center[0]);
    assert_status(PRM_INVALID_ARGUMENT,
                  prm_validity_create(test_arena, &validity, built.roadmap, moved, NULL));
    assert_fault_says("local frame");
    spec.center = built.roadmap->center;
    assert_ok(prm_world_create(test_arena, &kept, &spec));
    assert_ok(prm_validity_create(test_arena, &validity, built.roadmap, kept, built.validity));
    assert_int_equal(validity->edges_on, 0);
    assert_int_equal(validity->edges_off, 0);
    prm_validity_destroy(validity);
    built_free(&built);
    prm_world_destroy(plain);
    prm_world_destroy(moved);
    prm_world_destroy(kept);
}

/* The k-th device call fails: the status says so and nothing is left; a cancel likewise. */
static void faults_and_cancels_leave_nothing(void **state)
{
    const struct prm_world_spec spec = {.dimension = 2, .bounded = true, .upper = {1, 1}};
    const struct prm_roadmap_params params = {.seed = 2,
                                              .sample_count = 60,
                                              .k = 4,
                                              .neighbor_method = PRM_NEIGHBOR_LSH,
                                              .target_recall = 0.9};
    struct prm_world *world;
    struct prm_build *cancelled;
    bool done = false;
    (void)state;
    if (test_is_small())
        skip();

    assert_ok(prm_world_create(test_arena, &world, &spec));
    const uint64_t before = prm_context_memory(test_context).resident_bytes;
    uint32_t faults = 0;
    for (uint32_t countdown = 1;; countdown += 1 + countdown / 8) {
        struct built built;
        prm_context_inject_fault(test_context, countdown);
        const enum prm_status status = try_build(test_context, &built, world, &POINT, &params);
        prm_context_inject_fault(test_context, 0);
        prm_validity_destroy(built.validity);
        prm_roadmap_destroy(built.roadmap);
        assert_int_equal(prm_context_memory(test_context).resident_bytes, before);
        if (status == PRM_OK)
            break;
        assert_true(status == PRM_DEVICE_FAILED || status == PRM_DEVICE_MEMORY);
        faults++;
    }
    assert_true(faults > 20);
    assert_ok(prm_build_create(test_context, &cancelled, world, &POINT, &params));
    for (int i = 0; i < 3; i++)
        assert_ok(prm_build_step(cancelled, &done));
    prm_build_destroy(cancelled);
    assert_int_equal(prm_context_memory(test_context).resident_bytes, before);
    prm_world_destroy(world);
}

/* A scale lets the longest path fit, and rounds a long maze's edges by less than 2^-17. */
static void scales_fit_the_longest_path(void **state)
{
    enum { SIDE = 255 };
    uint8_t *cells = calloc(SIDE * SIDE, 1);
    struct prm_obstacle o = {.kind = PRM_OBSTACLE_GRID,
                             .grid = {SIDE, SIDE, 1.0, {0, 0, 0}, cells}};
    const struct prm_world_spec spec = {.dimension = 2,
                                        .bounded = true,
                                        .upper = {SIDE, SIDE},
                                        .obstacles = &o,
                                        .obstacle_count = 1};
    const struct prm_roadmap_params params = {
        .sample_method = PRM_SAMPLE_LATTICE, .k = 8, .radius = 1.5};
    struct prm_world *world;
    (void)state;
    if (test_is_small())
        skip();

    // a snake: corridors joined at alternate ends
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++)
            cells[y * SIDE + x] = y % 2 == 0 || x == (y % 4 == 1 ? SIDE - 1 : 0);
    }
    const double longest = 128.0 * 254 + 127 * 2;
    assert_ok(prm_world_create(test_arena, &world, &spec));
    struct built built = build(world, &POINT, &params);
    const double scale = built.roadmap->weight_scale;
    assert_int_equal(built.validity->component_count, 1);
    assert_true(longest * scale < 2147483648.0 && longest * scale > 2147483648.0 / 5);
    assert_true(scale == exp2(round(log2(scale))));
    built_free(&built);
    prm_world_destroy(world);
    free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(very_small_and_very_large_worlds),
        cmocka_unit_test(a_build_is_right),
        cmocka_unit_test(candidates_are_all_near_pairs),
        cmocka_unit_test(growth_is_a_prefix),
        cmocka_unit_test(digests_do_not_depend_on_the_machine),
        cmocka_unit_test(worlds_without_room),
        cmocka_unit_test(lattices_are_exact),
        cmocka_unit_test(doors_open_and_close),
        cmocka_unit_test(frames_stay),
        cmocka_unit_test(faults_and_cancels_leave_nothing),
        cmocka_unit_test(scales_fit_the_longest_path),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

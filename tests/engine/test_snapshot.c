/* Goal: a roadmap that comes back from bytes is the one that went, to the bit: structures, answers,
 * statistics, the next snapshot; for all kinds of robots, samplers and neighbour methods. What is
 * damaged, cut, of another version, robot, bounds or frame is refused with the status that its kind
 * has, and nothing is left behind, also where the device fails. Method: small roadmaps there and
 * back, each byte of a snapshot flipped, with and without its sum put right. Oracle: the roadmap
 * that was built. */
#include "roadmap/collision/validate.h"
#include "roadmap/plan/plan.h"
#include "roadmap/snapshot/snapshot.h"
#include "support/support.h"

#include <math.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 60, NEAREST = 5, HEAD_BYTES = 152, SUM_BYTES = 32 };

/* ---- robots, worlds, roadmaps ---- */

static const struct prm_obstacle BOX_2D[] = {
    {.kind = PRM_OBSTACLE_RECTANGLE, .center = {5, 4}, .quaternion = {0, 0, 0, 1}, .size = {1, 8}},
    {.kind = PRM_OBSTACLE_CIRCLE, .dynamic = true, .center = {2, 8}, .radius = 1}};
static const struct prm_obstacle BOX_3D[] = {
    {.kind = PRM_OBSTACLE_BOX, .center = {5, 4, 5}, .quaternion = {0, 0, 0, 1}, .size = {1, 8, 8}},
    {.kind = PRM_OBSTACLE_SPHERE, .dynamic = true, .center = {2, 8, 5}, .radius = 1}};
static uint8_t CELLS[20 * 20];
static const struct prm_obstacle GRID[] = {
    {.kind = PRM_OBSTACLE_GRID, .grid = {20, 20, 1.0, {400000, -2, 0}, CELLS}}};

static const struct prm_sphere SPHERES[] = {
    {{0, 0, 0}, 0.3}, {{0.8, 0, 0}, 0.2}, {{0, 0, 0.5}, 0.15}, {{0, 0, 1.5}, 0.15}};
static const struct prm_link LINKS[] = {{"base", 0, 1}, {"upper", 2, 1}, {"lower", 3, 1}};
static const struct prm_joint JOINTS[] = {
    {PRM_JOINT_CONTINUOUS, 0, 1, {{0, 0, 0.2}, {0, 0, 0, 1}}, {0, 1, 0}, 0, 1, 0},
    {PRM_JOINT_REVOLUTE, 1, 2, {{0, 0, 0.5}, {0, 0, 0, 1}}, {1, 0, 0}, 1, 1, 0}};
static const struct prm_robot_coordinate COORDINATES[] = {
    {.name = "shoulder", .turn = true, .lower = INFINITY, .upper = NAN, .weight = 1.5},
    {.name = "elbow", .lower = -1.8, .upper = 1.9, .weight = 0.7}};
static const uint32_t ALLOWED[] = {2, 1, 1, 0};
static const double ANCHORS[] = {0.1, 0.2, 3.0, 1.9};

static const struct prm_robot_spec POINT = {.kind = PRM_ROBOT_POINT},
                                   BALL = {.kind = PRM_ROBOT_BALL, .radius = 0.25},
                                   RIGID = {.kind = PRM_ROBOT_RIGID,
                                            .spheres = SPHERES,
                                            .sphere_count = 2,
                                            .weights = {1, 2, 0.5, 0.4}},
                                   ARM = {.kind = PRM_ROBOT_ARM,
                                          .spheres = SPHERES,
                                          .sphere_count = 4,
                                          .links = LINKS,
                                          .link_count = 3,
                                          .joints = JOINTS,
                                          .joint_count = 2,
                                          .base = {{5, -0.6, 5}, {0, 0, 0, 1}},
                                          .coordinates = COORDINATES,
                                          .dof = 2};

/* `cells`: the world is a grid far from the origin. */
struct kind {
    const char *name;
    const struct prm_robot_spec *robot;
    uint32_t dimension;
    bool unbounded, cells;
    struct prm_roadmap_params params;
};

static const struct kind KINDS[] = {
    {"point", &POINT, 2, false, false, {.seed = 1, .k = 8, .target_recall = 0.95}},
    {"ball",
     &BALL,
     3,
     false,
     false,
     {.seed = 2,
      .sample_method = PRM_SAMPLE_HALTON,
      .neighbor_method = PRM_NEIGHBOR_EXACT,
      .k = 6,
      .radius = 4,
      .edge_check = PRM_EDGE_SAMPLED}},
    {"rigid in the plane",
     &RIGID,
     2,
     false,
     false,
     {.seed = 3, .neighbor_method = PRM_NEIGHBOR_LSH, .k = 8, .target_recall = 0.9}},
    {"rigid in space",
     &RIGID,
     3,
     false,
     false,
     {.seed = 4, .sample_method = PRM_SAMPLE_GAUSSIAN, .k = 8, .target_recall = 0.9}},
    {"arm",
     &ARM,
     3,
     true,
     false,
     {.seed = 5,
      .k = 8,
      .anchors = ANCHORS,
      .anchor_count = 2,
      .anchor_share = 0.2,
      .allowed = ALLOWED,
      .allowed_count = 2,
      .target_recall = 0.95}},
    {"mix",
     &POINT,
     2,
     false,
     false,
     {.seed = 6,
      .sample_method = PRM_SAMPLE_MIX,
      .sample_shares = {1, 1, 1, 1, 1},
      .k = 8,
      .target_recall = 0.95}},
    {"lattice",
     &POINT,
     2,
     false,
     true,
     {.sample_method = PRM_SAMPLE_LATTICE, .k = 8, .radius = 1.5}},
};
enum { KIND_COUNT = sizeof(KINDS) / sizeof(KINDS[0]) };

struct built {
    const struct kind *kind;
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    unsigned char *bytes;
    size_t size;
};

/* The world of a kind. shift: of the upper bounds. center: NULL or that of its frame. */
static struct prm_world *make_world(const struct kind *kind, double shift, const double *center)
{
    struct prm_world_spec spec = {.dimension = kind->dimension,
                                  .bounded = !kind->unbounded,
                                  .upper = {10 + shift, 10 + shift, 10 + shift},
                                  .obstacles = kind->dimension == 2 ? BOX_2D : BOX_3D,
                                  .obstacle_count = 2,
                                  .center = center};
    struct prm_world *world;
    if (kind->cells) {
        for (uint32_t i = 0; i < sizeof(CELLS); i++)
            CELLS[i] = i % 7 != 3;
        spec.obstacles = GRID;
        spec.obstacle_count = 1;
        // a part of the grid alone
        for (int c = 0; c < 2; c++) {
            spec.lower[c] = c == 0 ? 400002.25 : 0.25;
            spec.upper[c] = spec.lower[c] + 15 + shift;
        }
    }
    assert_ok(prm_world_create(test_arena, &world, &spec));
    return world;
}

static void write_snapshot(unsigned char **bytes, size_t *size, const struct prm_roadmap *roadmap,
                           const struct prm_validity *validity)
{
    struct prm_snapshot_writer *writer;
    assert_ok(prm_snapshot_writer_create(&writer, roadmap, validity));
    for (bool done = false; !done;)
        assert_ok(prm_snapshot_writer_step(writer, &done));
    assert_ok(prm_snapshot_writer_finish(writer, bytes, size));
    prm_snapshot_writer_destroy(writer);
}

static struct built build(const struct kind *kind, uint32_t count)
{
    struct built built = {.kind = kind, .world = make_world(kind, 0, NULL)};
    struct prm_roadmap_params params = kind->params;
    params.sample_count = count;
    assert_ok(prm_roadmap_create(test_context, &built.roadmap, &built.validity, built.world,
                                 kind->robot, &params));
    write_snapshot(&built.bytes, &built.size, built.roadmap, built.validity);
    return built;
}

static void built_free(struct built *built)
{
    prm_validity_destroy(built->validity);
    prm_roadmap_destroy(built->roadmap);
    prm_world_destroy(built->world);
    free(built->bytes);
}

/* Reads a snapshot; the outcome is NULL where it is refused. */
static enum prm_status read_snapshot(struct prm_roadmap **roadmap, struct prm_validity **validity,
                                     const void *bytes, size_t size,
                                     const struct prm_robot_spec *robot,
                                     const struct prm_world *world)
{
    struct prm_snapshot *snapshot = NULL;
    struct prm_snapshot_reader *reader = NULL;
    bool done = false;
    *roadmap = NULL;
    *validity = NULL;
    enum prm_status status = prm_snapshot_decode(&snapshot, bytes, size);
    if (status == PRM_OK)
        status = prm_snapshot_reader_create(test_context, &reader, snapshot, robot, world);
    while (status == PRM_OK && !done)
        status = prm_snapshot_reader_step(reader, &done);
    if (status == PRM_OK)
        status = prm_snapshot_reader_finish(reader, roadmap, validity);
    prm_snapshot_reader_destroy(reader);
    prm_snapshot_destroy(snapshot);
    return status;
}

/* ---- there and back ---- */

static void same_buffer(struct prm_buffer a, struct prm_buffer b, const char *what)
{
    unsigned char *p = malloc(a.bytes + 1), *q = malloc(b.bytes + 1);
    if (a.bytes != b.bytes)
        fail_msg("%s has %zu bytes, not %zu", what, b.bytes, a.bytes);
    assert_ok(prm_buffer_read(test_context, a, 0, p, a.bytes));
    assert_ok(prm_buffer_read(test_context, b, 0, q, b.bytes));
    // a byte stands for nothing
    for (size_t i = 0; i < a.bytes && a.bytes > 1; i++)
        if (p[i] != q[i])
            fail_msg("%s differs at byte %zu", what, i);
    free(p);
    free(q);
}

static void same_validity(const struct prm_validity *a, const struct prm_validity *b)
{
    assert_int_equal(a->graph.vertex_count, b->graph.vertex_count);
    assert_int_equal(a->graph.arc_count, b->graph.arc_count);
    same_buffer(a->edge_valid, b->edge_valid, "edge_valid");
    same_buffer(a->graph.offsets, b->graph.offsets, "offsets");
    same_buffer(a->graph.arcs, b->graph.arcs, "arcs");
    same_buffer(a->components, b->components, "components");
    same_buffer(a->component_sizes, b->component_sizes, "component_sizes");
    assert_int_equal(a->valid_edges, b->valid_edges);
    assert_int_equal(a->component_count, b->component_count);
    assert_int_equal(a->largest_component, b->largest_component);
    assert_int_equal(a->largest_size, b->largest_size);
    assert_memory_equal(a->degree_histogram, b->degree_histogram, sizeof(a->degree_histogram));
    assert_memory_equal(a->length_histogram, b->length_histogram, sizeof(a->length_histogram));
    assert_int_equal(a->degree_max, b->degree_max);
    assert_memory_equal(&a->length_max, &b->length_max, sizeof(double));
    assert_memory_equal(&a->weight_scale, &b->weight_scale, sizeof(double));
}

static void same_statistics(const struct prm_roadmap_statistics *a,
                            const struct prm_roadmap_statistics *b)
{
    assert_int_equal(a->samples_drawn, b->samples_drawn);
    assert_memory_equal(&a->free_fraction, &b->free_fraction, sizeof(double));
    for (int s = 0; s < PRM_SAMPLE_SOURCES; s++) {
        assert_int_equal(a->samples[s].wanted, b->samples[s].wanted);
        assert_int_equal(a->samples[s].kept, b->samples[s].kept);
        assert_int_equal(a->samples[s].drawn, b->samples[s].drawn);
    }
    assert_int_equal(a->milestones, b->milestones);
    assert_int_equal(a->candidate_edges, b->candidate_edges);
    assert_int_equal(a->neighbor_method, b->neighbor_method);
    assert_int_equal(a->tables, b->tables);
    assert_int_equal(a->projections, b->projections);
    assert_memory_equal(&a->width, &b->width, sizeof(double));
    assert_memory_equal(&a->recall, &b->recall, sizeof(double));
    assert_int_equal(a->recall_samples, b->recall_samples);
    assert_int_equal(a->cuckoo_attempts, b->cuckoo_attempts);
    assert_memory_equal(&a->margin, &b->margin, sizeof(double));
    assert_int_equal(a->stage_count, b->stage_count);
    for (uint32_t s = 0; s < a->stage_count; s++) {
        assert_string_equal(a->stages[s].name, b->stages[s].name);
        assert_memory_equal(&a->stages[s].milliseconds, &b->stages[s].milliseconds, sizeof(double));
    }
    assert_int_equal(a->device_bytes, b->device_bytes);
    assert_int_equal(a->host_bytes, b->host_bytes);
}

static void same_roadmap(const struct prm_roadmap *a, const struct prm_roadmap *b)
{
    const uint32_t n = a->milestone_count;
    assert_int_equal(n, b->milestone_count);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_string_equal(a->digest, b->digest);
    same_buffer(a->states, b->states, "states");
    same_buffer(a->edges, b->edges, "edges");
    same_buffer(a->lengths, b->lengths, "lengths");
    same_buffer(a->first_low, b->first_low, "first_low");
    same_buffer(a->first_high, b->first_high, "first_high");
    same_buffer(a->by_high, b->by_high, "by_high");
    assert_true((a->embedded.memory == NULL) == (b->embedded.memory == NULL));
    if (a->embedded.memory != NULL)
        same_buffer(a->embedded, b->embedded, "embedded");
    assert_int_equal(a->allowed_count, b->allowed_count);
    if (a->allowed_count > 0)
        same_buffer(a->allowed, b->allowed, "allowed");
    assert_memory_equal(a->host_states, b->host_states, (size_t)n * a->space.row * sizeof(float));
    assert_memory_equal(a->host_lengths, b->host_lengths, a->edge_count * sizeof(float));
    assert_memory_equal(&a->weight_scale, &b->weight_scale, sizeof(double));
    assert_int_equal(a->params.seed, b->params.seed);
    assert_int_equal(a->params.k, b->params.k);
    assert_true(a->params.radius == b->params.radius);
    assert_int_equal(a->params.sample_method, b->params.sample_method);
    assert_true(a->params.edge_resolution == b->params.edge_resolution);
    same_statistics(&a->statistics, &b->statistics);
}

/* Random states within the limits and a little beyond, [count][dof]. */
static double *random_states(const struct prm_space *space, uint32_t count, uint64_t seed)
{
    struct test_random random = {seed};
    double *states = malloc((size_t)count * space->dof * sizeof(double));
    for (uint32_t i = 0; i < count * space->dof; i++) {
        const struct prm_coordinate *coordinate = &space->coordinates[i % space->dof];
        const double t = (double)test_random_f32(&random, -0.01f, 1.01f);
        states[i] = coordinate->limited
                        ? coordinate->lower + t * (coordinate->upper - coordinate->lower)
                        : 6 * t - 3;
    }
    return states;
}

static void same_answers(const struct built *built, const struct prm_roadmap *roadmap,
                         const struct prm_validity *validity)
{
    static const struct prm_plan_options OPTIONS[] = {
        {.output = PRM_OUTPUT_PATH, .simplify = true, .expand_samples = 50},
        {.output = PRM_OUTPUT_NODES, .objective = PRM_OBJECTIVE_HOPS, .diagnose = true}};
    const uint32_t dof = roadmap->space.dof, count = (uint32_t)test_size(QUERIES, 4);
    double *states = random_states(&roadmap->space, 2 * count, 7);
    struct prm_query queries[QUERIES];
    struct prm_planner *planner;
    uint32_t solved = 0;

    for (uint32_t q = 0; q < count; q++)
        queries[q] = (struct prm_query){.start = states + (size_t)2 * q * dof,
                                        .goals = states + (size_t)(2 * q + 1) * dof,
                                        .goal_count = 1};
    assert_ok(prm_planner_create(test_context, &planner));
    for (int o = 0; o < 2; o++) {
        struct prm_plan_results a, b;
        assert_ok(prm_plan(planner, &a, built->roadmap, built->validity, built->world, queries,
                           count, &OPTIONS[o]));
        assert_ok(
            prm_plan(planner, &b, roadmap, validity, built->world, queries, count, &OPTIONS[o]));
        solved += a.solved;
        for (uint32_t q = 0; q < count; q++) {
            const struct prm_plan_result *r = &a.results[q], *s = &b.results[q];
            assert_int_equal(r->status, s->status);
            assert_memory_equal(&r->length, &s->length, sizeof(double));
            assert_int_equal(r->hops, s->hops);
            assert_int_equal(r->waypoint_count, s->waypoint_count);
            assert_int_equal(r->node_count, s->node_count);
            assert_int_equal(r->reason.kind, s->reason.kind);
            assert_int_equal(r->reason.obstacle, s->reason.obstacle);
            assert_memory_equal(&r->reason.depth, &s->reason.depth, sizeof(double));
        }
        assert_int_equal(a.waypoint_count, b.waypoint_count);
        assert_int_equal(a.node_count, b.node_count);
        assert_memory_equal(a.waypoints, b.waypoints, a.waypoint_count * dof * sizeof(double));
        assert_memory_equal(a.nodes, b.nodes, a.node_count * sizeof(uint32_t));
        prm_plan_results_deinit(&a);
        prm_plan_results_deinit(&b);
    }
    assert_true(test_is_small() || solved > count / 4);
    prm_planner_destroy(planner);

    uint32_t ids[2][2 * QUERIES * NEAREST];
    float distances[2][2 * QUERIES * NEAREST];
    double *found = calloc((size_t)2 * count * NEAREST * dof, sizeof(double));
    assert_ok(prm_nearest_milestones(test_arena, ids[0], distances[0], found, built->roadmap,
                                     states, 2 * count, NEAREST));
    assert_ok(prm_nearest_milestones(test_arena, ids[1], distances[1], found, roadmap, states,
                                     2 * count, NEAREST));
    assert_memory_equal(ids[0], ids[1], (size_t)2 * count * NEAREST * sizeof(uint32_t));
    assert_memory_equal(distances[0], distances[1], (size_t)2 * count * NEAREST * sizeof(float));
    free(found);
    free(states);
}

static void there_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < (test_is_small() ? 1 : KIND_COUNT); i++) {
        struct built built = build(&KINDS[i], (uint32_t)test_size(600, 40));
        struct prm_snapshot_info info;
        struct prm_roadmap *roadmap;
        struct prm_validity *validity;
        unsigned char *again;
        size_t size;

        assert_ok(prm_snapshot_peek(&info, built.bytes, HEAD_BYTES));
        assert_int_equal(info.format, PRM_SNAPSHOT_FORMAT);
        assert_int_equal(info.dof, built.roadmap->space.dof);
        assert_int_equal(info.milestone_count, built.roadmap->milestone_count);
        assert_int_equal(info.edge_count, built.roadmap->edge_count);
        assert_int_equal(info.bytes, built.size);
        assert_string_equal(info.digest, built.roadmap->digest);
        assert_memory_equal(info.center, built.world->center, sizeof(info.center));

        // the world as it was made, and once more about the frame that the snapshot asks for
        struct prm_world *world = make_world(&KINDS[i], 0, info.center);
        if (read_snapshot(&roadmap, &validity, built.bytes, built.size, KINDS[i].robot, world) !=
            PRM_OK)
            fail_msg("%s: %s", KINDS[i].name, prm_fault_last()->detail);
        same_roadmap(built.roadmap, roadmap);
        same_validity(built.validity, validity);
        same_answers(&built, roadmap, validity);
        write_snapshot(&again, &size, roadmap, validity);
        assert_int_equal(size, built.size);
        assert_memory_equal(again, built.bytes, size);
        free(again);

        // what is done to it later comes out the same: another world, refinement
        struct prm_validity *there, *here;
        assert_ok(prm_validity_create(test_arena, &there, built.roadmap, world, built.validity));
        assert_ok(prm_validity_create(test_arena, &here, roadmap, world, validity));
        same_validity(there, here);
        assert_int_equal(here->edges_on + here->edges_off, 0);
        for (bool done = false; !done;)
            assert_ok(prm_validity_refine(validity, &done));
        same_answers(&built, roadmap, validity);

        prm_validity_destroy(there);
        prm_validity_destroy(here);
        prm_validity_destroy(validity);
        prm_roadmap_destroy(roadmap);
        prm_world_destroy(world);
        built_free(&built);
    }
}

/* A validity that follows from a change is what comes back with its own bits. */
static void changed_worlds(void **state)
{
    struct prm_obstacle obstacles[2] = {BOX_2D[0], BOX_2D[1]};
    const struct prm_world_spec spec = {.dimension = 2,
                                        .bounded = true,
                                        .upper = {10, 10},
                                        .obstacles = obstacles,
                                        .obstacle_count = 2};
    struct built built = build(&KINDS[0], (uint32_t)test_size(300, 40));
    struct prm_world *world;
    struct prm_validity *changed, *validity;
    struct prm_roadmap *roadmap;
    unsigned char *bytes;
    size_t size;
    (void)state;

    obstacles[0].center[1] = 7;
    obstacles[1].disabled = true;
    assert_ok(prm_world_create(test_arena, &world, &spec));
    assert_ok(prm_validity_create(test_arena, &changed, built.roadmap, world, built.validity));
    assert_true(changed->edges_on > 0 && changed->edges_off > 0);
    write_snapshot(&bytes, &size, built.roadmap, changed);
    assert_int_equal(size, built.size);
    assert_ok(read_snapshot(&roadmap, &validity, bytes, size, &POINT, world));
    same_roadmap(built.roadmap, roadmap);
    same_validity(changed, validity);
    prm_validity_destroy(validity);
    prm_roadmap_destroy(roadmap);
    prm_validity_destroy(changed);
    prm_world_destroy(world);
    free(bytes);
    built_free(&built);
}

/* Roadmaps of one and two milestones, without an edge and with one that is not valid. */
static void tiny_roadmaps(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 3; count++) {
        struct built built = build(&KINDS[0], count);
        struct prm_roadmap *roadmap;
        struct prm_validity *validity;
        assert_ok(read_snapshot(&roadmap, &validity, built.bytes, built.size, &POINT, built.world));
        same_roadmap(built.roadmap, roadmap);
        same_validity(built.validity, validity);
        prm_validity_destroy(validity);
        prm_roadmap_destroy(roadmap);
        built_free(&built);
    }
}

/* ---- what is told of it ---- */

/* A change of what is told. */
struct telling {
    const char *what;
    void (*change)(struct prm_roadmap_params *params);
};

#define TELLING(name, statement)                                                                   \
    static void tell_##name(struct prm_roadmap_params *params)                                     \
    {                                                                                              \
        statement;                                                                                 \
    }
static const uint32_t OTHER_ALLOWED[] = {2, 1, 1, 1};
TELLING(seed, params->seed++)
TELLING(count, params->sample_count++)
TELLING(method, params->sample_method = PRM_SAMPLE_BRIDGE)
TELLING(spacing, params->lattice_spacing += 0.5)
TELLING(anchors, params->anchor_count++)
TELLING(pairs, params->allowed = OTHER_ALLOWED; params->allowed_count = 2)
TELLING(one_pair, params->allowed = ALLOWED; params->allowed_count = 1)
TELLING(neighbors,
        params->neighbor_method = (enum prm_neighbor_method)((params->neighbor_method + 1) %
                                                             (PRM_NEIGHBOR_TILES + 1)))
TELLING(k, params->k++)
TELLING(radius, params->radius += 0.25)
TELLING(certainty, params->edge_check = (enum prm_edge_check) !params->edge_check)

static const struct telling TELLINGS[] = {
    {"seed", tell_seed},         {"count", tell_count},         {"method", tell_method},
    {"spacing", tell_spacing},   {"anchors", tell_anchors},     {"pairs", tell_pairs},
    {"one pair", tell_one_pair}, {"neighbors", tell_neighbors}, {"k", tell_k},
    {"radius", tell_radius},     {"edge check", tell_certainty}};

/* Bytes are of the parameters that they were built with, and of no others. */
static void told_parameters(void **state)
{
    (void)state;
    for (int k = 0; k < KIND_COUNT; k++) {
        const uint32_t count = (uint32_t)test_size(60, 20);
        struct built built = build(&KINDS[k], count);
        struct prm_snapshot *snapshot;
        struct prm_roadmap_params told = KINDS[k].params;
        told.sample_count = count;
        assert_ok(prm_snapshot_decode(&snapshot, built.bytes, built.size));
        assert_ok(prm_snapshot_check_params(snapshot, &told));
        for (size_t i = 0; i < sizeof(TELLINGS) / sizeof(TELLINGS[0]); i++) {
            struct prm_roadmap_params changed = told;
            TELLINGS[i].change(&changed);
            if (prm_snapshot_check_params(snapshot, &changed) != PRM_INVALID_ARGUMENT)
                fail_msg("%s: %s", KINDS[k].name, TELLINGS[i].what);
        }

        // the distance of samples matters where edges are sampled, the limit on a lattice
        const bool sampled = told.edge_check == PRM_EDGE_SAMPLED;
        const bool lattice = told.sample_method == PRM_SAMPLE_LATTICE;
        struct prm_roadmap_params finer = told, fewer = told;
        finer.edge_resolution = 0.5 * built.roadmap->params.edge_resolution;
        fewer.milestones_max = built.roadmap->milestone_count - 1;
        assert_status(sampled ? PRM_INVALID_ARGUMENT : PRM_OK,
                      prm_snapshot_check_params(snapshot, &finer));
        assert_status(lattice ? PRM_LIMIT_EXCEEDED : PRM_OK,
                      prm_snapshot_check_params(snapshot, &fewer));
        finer.edge_resolution = built.roadmap->params.edge_resolution;
        fewer.milestones_max++;
        assert_ok(prm_snapshot_check_params(snapshot, &finer));
        assert_ok(prm_snapshot_check_params(snapshot, &fewer));
        prm_snapshot_destroy(snapshot);
        built_free(&built);
    }
}

/* ---- what is refused ---- */

/* Puts the sum right again. */
static void sum(unsigned char *bytes, size_t size)
{
    unsigned int length;
    assert_int_equal(
        EVP_Digest(bytes, size - SUM_BYTES, bytes + size - SUM_BYTES, &length, EVP_sha256(), NULL),
        1);
}

/* Decodes a copy of no more memory than the bytes, so that checkers see what is read beyond. */
static enum prm_status decode(const unsigned char *bytes, size_t size)
{
    struct prm_snapshot *snapshot;
    unsigned char *copy = malloc(size);
    memcpy(copy, bytes, size);
    const enum prm_status status = prm_snapshot_decode(&snapshot, copy, size);
    free(copy);
    prm_snapshot_destroy(snapshot);
    return status;
}

static void cut_snapshots(void **state)
{
    struct built built = build(&KINDS[test_size(2, 0)], 30);
    struct prm_snapshot_info info;
    (void)state;

    assert_ok(decode(built.bytes, built.size));
    for (size_t size = 1; size < built.size; size += size < 400 ? 1 : 97)
        assert_status(PRM_INVALID_ARGUMENT, decode(built.bytes, size));
    for (size_t size = 0; size < HEAD_BYTES; size++)
        assert_status(PRM_INVALID_ARGUMENT, prm_snapshot_peek(&info, built.bytes, size));
    unsigned char *longer = calloc(built.size + 1, 1);
    memcpy(longer, built.bytes, built.size);
    assert_status(PRM_INVALID_ARGUMENT, decode(longer, built.size + 1));
    free(longer);
    built_free(&built);
}

/* Each byte flipped in turn: refused, or of another version where that is what was flipped. With
 * its sum put right the content decides: topology is held by its digest, and whatever else is
 * accepted does no harm. */
static void flipped_bytes(void **state)
{
    struct built built = build(&KINDS[test_size(3, 0)], 12);
    unsigned char *bytes = built.bytes;
    uint32_t accepted = 0;
    (void)state;

    for (size_t i = 0; i < built.size; i++) {
        for (int bit = 0; bit < 8; bit += 7) {
            bytes[i] ^= (unsigned char)(1u << bit);
            const bool version = i >= 8 && i < 16;
            assert_status(version ? PRM_UNSUPPORTED : PRM_INVALID_ARGUMENT,
                          decode(bytes, built.size));
            sum(bytes, built.size);
            const enum prm_status status = decode(bytes, built.size);
            accepted += status == PRM_OK;
            assert_true(status == PRM_OK || status == PRM_INVALID_ARGUMENT ||
                        (version && status == PRM_UNSUPPORTED) || status == PRM_LIMIT_EXCEEDED);
            bytes[i] ^= (unsigned char)(1u << bit);
            sum(bytes, built.size);
        }
    }
    // statistics, parameters and the bits of edges are all that can differ unseen
    assert_true(accepted > 100 && accepted < built.size);
    assert_ok(decode(bytes, built.size));
    built_free(&built);
}

static void foreign_snapshots(void **state)
{
    const struct prm_robot_spec other = {.kind = PRM_ROBOT_BALL, .radius = 0.1};
    struct built built = build(&KINDS[0], 60);
    struct prm_world *wider = make_world(&KINDS[0], 1, built.roadmap->center),
                     *moved = make_world(&KINDS[0], 1, NULL);
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    struct prm_snapshot_info info;
    (void)state;

    assert_status(PRM_INVALID_ARGUMENT,
                  read_snapshot(&roadmap, &validity, built.bytes, built.size, &other, built.world));
    assert_fault_says("another robot");
    assert_status(PRM_INVALID_ARGUMENT,
                  read_snapshot(&roadmap, &validity, built.bytes, built.size, &RIGID, built.world));
    assert_status(PRM_INVALID_ARGUMENT,
                  read_snapshot(&roadmap, &validity, built.bytes, built.size, &POINT, wider));
    assert_fault_says("bounds");
    assert_true(moved->center[0] != built.world->center[0]);
    assert_status(PRM_INVALID_ARGUMENT,
                  read_snapshot(&roadmap, &validity, built.bytes, built.size, &POINT, moved));
    assert_fault_says("local frame");

    // another version and another order of bytes, and no snapshot at all
    built.bytes[12]++;
    assert_status(PRM_UNSUPPORTED, prm_snapshot_peek(&info, built.bytes, built.size));
    assert_int_equal(info.format, PRM_SNAPSHOT_FORMAT + 1);
    assert_fault_says("version 2");
    built.bytes[12]--;
    for (int i = 0; i < 4; i++)
        built.bytes[8 + i] = (unsigned char)(1 + i);
    assert_status(PRM_UNSUPPORTED, prm_snapshot_peek(&info, built.bytes, built.size));
    assert_int_equal(info.format, 0);
    assert_fault_says("order of bytes");
    assert_status(PRM_INVALID_ARGUMENT, prm_snapshot_peek(&info, "{\"world\":\"w\"}", 13));
    prm_world_destroy(wider);
    prm_world_destroy(moved);
    built_free(&built);
}

/* The k-th device call fails: the status says so and nothing is left; so where a reader stops. */
static void faults_leave_nothing(void **state)
{
    uint32_t faults = 0;
    (void)state;
    if (test_is_small())
        skip();

    struct built built = build(&KINDS[2], 60);
    const uint64_t before = prm_context_memory(test_context).resident_bytes;
    for (uint32_t countdown = 1;; countdown++) {
        struct prm_roadmap *roadmap;
        struct prm_validity *validity;
        prm_context_inject_fault(test_context, countdown);
        const enum prm_status status =
            read_snapshot(&roadmap, &validity, built.bytes, built.size, &RIGID, built.world);
        prm_context_inject_fault(test_context, 0);
        prm_validity_destroy(validity);
        prm_roadmap_destroy(roadmap);
        assert_int_equal(prm_context_memory(test_context).resident_bytes, before);
        if (status == PRM_OK)
            break;
        assert_true(status == PRM_DEVICE_FAILED || status == PRM_DEVICE_MEMORY);
        faults++;
    }
    assert_true(faults > 20);

    for (int steps = 0; steps < 12; steps++) {
        struct prm_snapshot *snapshot;
        struct prm_snapshot_reader *reader;
        struct prm_roadmap *roadmap;
        struct prm_validity *validity;
        bool done = false;
        assert_ok(prm_snapshot_decode(&snapshot, built.bytes, built.size));
        assert_string_equal(prm_snapshot_info_of(snapshot)->digest, built.roadmap->digest);
        assert_ok(prm_snapshot_reader_create(test_context, &reader, snapshot, &RIGID, built.world));
        for (int i = 0; i < steps && !done; i++)
            assert_ok(prm_snapshot_reader_step(reader, &done));
        assert_false(done);
        assert_status(PRM_INVALID_ARGUMENT,
                      prm_snapshot_reader_finish(reader, &roadmap, &validity));
        prm_snapshot_reader_destroy(reader);
        prm_snapshot_destroy(snapshot);
        assert_int_equal(prm_context_memory(test_context).resident_bytes, before);
    }
    built_free(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),    cmocka_unit_test(changed_worlds),
        cmocka_unit_test(tiny_roadmaps),     cmocka_unit_test(told_parameters),
        cmocka_unit_test(cut_snapshots),     cmocka_unit_test(flipped_bytes),
        cmocka_unit_test(foreign_snapshots), cmocka_unit_test(faults_leave_nothing)};
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

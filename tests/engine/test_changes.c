/* Goal: what a difference between two worlds tells to check again is all that can have changed:
 * the validity found so is, to the last bit, the one of a check of every edge, for every kind of
 * robot, for obstacles that come, go and move; what is taken away brings its edges back; worlds
 * derived for it are as those made anew, and share their distances; plans on both are the same.
 * Method: roadmaps among random obstacles, random differences small and large, there and back.
 * Oracle: the check of all edges in a world made from its specification; of points and balls also
 * distances in double precision. */
#include "oracle_world.h"
#include "roadmap/collision/changes.h"
#include "roadmap/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED = 20, MOST = 32, POINTS = 6, ARM_LINKS = 5, QUERIES = 30, GRID_SIDE = 20 };
static const double MIDDLE[3] = {30, -4, 7};

enum robot { POINT, BALL, RIGID, ARM };

static const struct kind {
    const char *name;
    uint32_t dimension;
    enum robot robot;
    enum prm_edge_check check;
    bool grid; /* a lattice in a grid, too */
} KINDS[] = {
    {"point, plane", 2, POINT, PRM_EDGE_CERTIFIED, false},
    {"point, lattice", 2, POINT, PRM_EDGE_CERTIFIED, true},
    {"ball, space", 3, BALL, PRM_EDGE_CERTIFIED, false},
    {"ball, sampled", 3, BALL, PRM_EDGE_SAMPLED, false},
    {"rigid, plane", 2, RIGID, PRM_EDGE_CERTIFIED, false},
    {"rigid, lattice's grid", 2, RIGID, PRM_EDGE_CERTIFIED, true},
    {"rigid, space", 3, RIGID, PRM_EDGE_CERTIFIED, false},
    {"rigid, sampled", 3, RIGID, PRM_EDGE_SAMPLED, false},
    {"arm", 3, ARM, PRM_EDGE_CERTIFIED, false},
};
enum { KIND_COUNT = sizeof(KINDS) / sizeof(KINDS[0]) };

struct fixture {
    const struct kind *kind;
    struct test_random random;
    struct prm_obstacle obstacles[MOST];
    double points[MOST][2 * POINTS];
    uint8_t cells[GRID_SIDE * GRID_SIDE];
    struct prm_world_spec spec;
    struct prm_sphere spheres[ARM_LINKS + 1];
    struct prm_link links[ARM_LINKS];
    struct prm_joint joints[ARM_LINKS];
    struct prm_robot_coordinate coordinates[ARM_LINKS];
    struct prm_robot_spec robot;
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
};

/* A chain of links 1.2 long that turn about z and y by turns, from the middle of the world. */
static void make_arm(struct fixture *f)
{
    for (uint32_t l = 0; l < ARM_LINKS; l++) {
        snprintf(f->links[l].name, sizeof(f->links[l].name), "link%u", l);
        f->links[l].sphere_first = l;
        f->links[l].sphere_count = 1;
        f->spheres[l] = (struct prm_sphere){{0.6, 0, 0}, 0.25};
        if (l + 1 == ARM_LINKS)
            break;
        f->joints[l] = (struct prm_joint){.kind = l ? PRM_JOINT_REVOLUTE : PRM_JOINT_CONTINUOUS,
                                          .parent = l,
                                          .child = l + 1,
                                          .origin = {{1.2, 0, 0}, {0, 0, 0, 1}},
                                          .axis = {0, l % 2, 1 - l % 2},
                                          .coordinate = l,
                                          .multiplier = 1};
        snprintf(f->coordinates[l].name, sizeof(f->coordinates[l].name), "joint%u", l);
        f->coordinates[l].turn = l == 0;
        f->coordinates[l].lower = -2;
        f->coordinates[l].upper = 2;
        f->coordinates[l].weight = 1;
    }
    f->robot = (struct prm_robot_spec){.kind = PRM_ROBOT_ARM,
                                       .spheres = f->spheres,
                                       .sphere_count = ARM_LINKS,
                                       .links = f->links,
                                       .link_count = ARM_LINKS,
                                       .joints = f->joints,
                                       .joint_count = ARM_LINKS - 1,
                                       .base = {{MIDDLE[0], MIDDLE[1], MIDDLE[2]}, {0, 0, 0, 1}},
                                       .coordinates = f->coordinates,
                                       .dof = ARM_LINKS - 1};
}

static void make_robot(struct fixture *f)
{
    switch (f->kind->robot) {
    case POINT:
        f->robot = (struct prm_robot_spec){.kind = PRM_ROBOT_POINT};
        break;
    case BALL:
        f->robot = (struct prm_robot_spec){.kind = PRM_ROBOT_BALL, .radius = 0.3};
        break;
    case RIGID:
        for (int s = 0; s < 3; s++)
            f->spheres[s] = (struct prm_sphere){{0.4 * (s - 1), 0, 0}, 0.2};
        f->robot = (struct prm_robot_spec){
            .kind = PRM_ROBOT_RIGID, .spheres = f->spheres, .sphere_count = 3};
        break;
    case ARM:
        make_arm(f);
        break;
    }
}

static struct prm_obstacle random_obstacle(struct fixture *f, uint32_t index)
{
    struct prm_obstacle o =
        oracle_random_obstacle(&f->random, f->kind->dimension, MIDDLE, 8, f->points[index], POINTS);
    // the arm's base stays free
    for (uint32_t c = 0; c < 2 && f->kind->robot == ARM; c++)
        o.center[c] += o.center[c] < MIDDLE[c] ? -2 : 2;
    return o;
}

static void fixture_init(struct fixture *f, const struct kind *kind, uint64_t seed)
{
    *f = (struct fixture){.kind = kind, .random = {seed}};
    make_robot(f);
    for (uint32_t i = 0; i < MOST; i++)
        f->obstacles[i] = random_obstacle(f, i);
    if (kind->grid) {
        for (uint32_t i = 0; i < GRID_SIDE * GRID_SIDE; i++)
            f->cells[i] = test_random_below(&f->random, 9) > 0;
        f->obstacles[0] = (struct prm_obstacle){
            .kind = PRM_OBSTACLE_GRID,
            .grid = {GRID_SIDE, GRID_SIDE, 1, {MIDDLE[0] - 10, MIDDLE[1] - 10, 0}, f->cells}};
    }
    f->spec = (struct prm_world_spec){.dimension = kind->dimension,
                                      .bounded = true,
                                      .obstacles = f->obstacles,
                                      .obstacle_count = kind->grid ? 6 : FIXED};
    for (uint32_t c = 0; c < kind->dimension; c++) {
        f->spec.lower[c] = MIDDLE[c] - 10;
        f->spec.upper[c] = MIDDLE[c] + 10;
    }
    const bool lattice = kind->grid && kind->robot == POINT;
    const struct prm_roadmap_params params = {.seed = seed,
                                              .sample_count = (uint32_t)test_size(500, 24),
                                              .sample_method =
                                                  lattice ? PRM_SAMPLE_LATTICE : PRM_SAMPLE_UNIFORM,
                                              .neighbor_method = PRM_NEIGHBOR_EXACT,
                                              .k = 8,
                                              .radius = lattice ? 1.5 : 0,
                                              .edge_check = kind->check};
    assert_ok(prm_world_create(test_arena, &f->world, &f->spec));
    assert_ok(
        prm_roadmap_create(test_context, &f->roadmap, &f->validity, f->world, &f->robot, &params));
}

static void fixture_deinit(struct fixture *f)
{
    prm_validity_destroy(f->validity);
    prm_roadmap_destroy(f->roadmap);
    prm_world_destroy(f->world);
}

/* Another world: `moved` obstacles stand elsewhere or are disabled, `added` ones are new. */
struct other {
    struct prm_obstacle obstacles[MOST], gone[MOST], come[MOST];
    double points[MOST][2 * POINTS];
    struct prm_world_spec spec;
    struct prm_difference difference;
    struct prm_world *world;
};

static void other_init(struct other *other, struct fixture *f, uint32_t moved, uint32_t added)
{
    struct prm_difference *d = &other->difference;
    other->spec = f->spec;
    other->spec.obstacles = other->obstacles;
    other->spec.obstacle_count += added;
    memcpy(other->obstacles, f->obstacles, sizeof(f->obstacles));
    memcpy(other->points, f->points, sizeof(f->points));
    *d = (struct prm_difference){.gone = other->gone, .come = other->come};
    for (uint32_t i = 0; i < moved + added; i++) {
        // the first may be the grid, which stays
        const uint32_t at = i < moved ? 1 + i : f->spec.obstacle_count + i - moved;
        if (i < moved)
            other->gone[d->gone_count++] = f->obstacles[at];
        other->obstacles[at] = oracle_random_obstacle(&f->random, f->kind->dimension, MIDDLE, 8,
                                                      other->points[at], POINTS);
        other->obstacles[at].disabled = i < moved && i % 2 == 0;
        other->come[d->come_count++] = other->obstacles[at];
    }
    assert_ok(prm_world_derive(test_arena, &other->world, &other->spec, f->world, d));
}

static struct prm_validity *between(const struct prm_roadmap *roadmap,
                                    const struct prm_validity *previous,
                                    const struct prm_world *before, const struct prm_world *after,
                                    const struct prm_difference *difference, uint32_t *checks)
{
    struct prm_revision *revision;
    assert_ok(prm_revision_create_between(&revision, roadmap, after, previous, before, difference));
    for (bool done = false; !done;)
        assert_ok(prm_revision_step(test_arena, revision, &done));
    *checks = prm_revision_checks(revision);
    struct prm_validity *validity = prm_revision_take(revision);
    prm_revision_destroy(revision);
    return validity;
}

static void assert_same_buffer(struct prm_buffer a, struct prm_buffer b, size_t bytes)
{
    char *x = calloc(bytes + 1, 1), *y = calloc(bytes + 1, 1);
    assert_ok(prm_buffer_read(test_context, a, 0, x, bytes));
    assert_ok(prm_buffer_read(test_context, b, 0, y, bytes));
    assert_memory_equal(x, y, bytes);
    free(x);
    free(y);
}

static void assert_same_validity(const struct prm_validity *a, const struct prm_validity *b)
{
    const size_t n = a->roadmap->milestone_count;
    assert_same_buffer(a->edge_valid, b->edge_valid, prm_words(a->roadmap->edge_count));
    assert_int_equal(a->valid_edges, b->valid_edges);
    assert_int_equal(a->component_count, b->component_count);
    assert_int_equal(a->largest_component, b->largest_component);
    assert_true(a->weight_scale == b->weight_scale);
    assert_same_buffer(a->components, b->components, prm_words(n));
    assert_same_buffer(a->graph.offsets, b->graph.offsets, prm_words(n + 1));
    assert_same_buffer(a->graph.arcs, b->graph.arcs, 8 * (size_t)a->graph.arc_count);
    assert_memory_equal(a->length_histogram, b->length_histogram, sizeof(a->length_histogram));
}

/* Of points and balls: valid edges keep clear, the others do not, as far as rounding goes. */
static void check_by_distance(const struct fixture *f, const struct other *other,
                              const struct prm_validity *validity)
{
    struct prm_graph_copy g;
    const uint32_t dimension = f->kind->dimension;
    if (f->kind->robot > BALL || f->kind->grid || f->kind->check == PRM_EDGE_SAMPLED)
        return;
    assert_ok(prm_graph_copy_init(&g, f->roadmap, validity));
    for (uint32_t e = 0; e < g.edge_count; e++) {
        double p[3] = {0}, q[3] = {0};
        memcpy(p, g.states + (size_t)g.edges[2 * e] * dimension, dimension * sizeof(double));
        memcpy(q, g.states + (size_t)g.edges[2 * e + 1] * dimension, dimension * sizeof(double));
        const double is = oracle_segment_clearance(&other->spec, true, p, q) - f->robot.radius;
        assert_true(g.valid[e] ? is > 0 : is < 1e-3);
    }
    prm_graph_copy_deinit(&g);
}

static void plans_are_the_same(const struct fixture *f, const struct prm_validity *a,
                               const struct prm_world *in_a, const struct prm_validity *b,
                               const struct prm_world *in_b)
{
    struct prm_planner *planner;
    struct prm_plan_results x, y;
    struct prm_query queries[QUERIES];
    const uint32_t dof = f->roadmap->space.dof;
    const struct prm_plan_options options = {.simplify = true,
                                             .expand_samples = (uint32_t)test_size(200, 0)};
    struct prm_graph_copy g;

    // from between milestones to between others
    assert_ok(prm_graph_copy_init(&g, f->roadmap, f->validity));
    double *states = calloc((size_t)2 * QUERIES * dof, sizeof(double));
    for (uint32_t i = 0; i < 2 * QUERIES; i++)
        prm_space_interpolate(&f->roadmap->space, states + (size_t)i * dof,
                              g.states + (size_t)(7 * i % g.milestone_count) * dof,
                              g.states + (size_t)(11 * i % g.milestone_count) * dof, 0.01);
    for (uint32_t q = 0; q < QUERIES; q++)
        queries[q] = (struct prm_query){.start = states + (size_t)2 * q * dof,
                                        .goals = states + (size_t)(2 * q + 1) * dof,
                                        .goal_count = 1};
    const uint32_t count = (uint32_t)test_size(QUERIES, 3);
    assert_ok(prm_planner_create(test_context, &planner));
    assert_ok(prm_plan(planner, &x, f->roadmap, a, in_a, queries, count, &options));
    assert_ok(prm_plan(planner, &y, f->roadmap, b, in_b, queries, count, &options));
    assert_int_equal(x.waypoint_count, y.waypoint_count);
    assert_memory_equal(x.waypoints, y.waypoints, x.waypoint_count * dof * sizeof(double));
    for (uint32_t q = 0; q < count; q++) {
        assert_int_equal(x.results[q].status, y.results[q].status);
        assert_true(x.results[q].length == y.results[q].length);
        assert_int_equal(x.results[q].reason.obstacle, y.results[q].reason.obstacle);
    }
    prm_plan_results_deinit(&x);
    prm_plan_results_deinit(&y);
    prm_planner_destroy(planner);
    prm_graph_copy_deinit(&g);
    free(states);
}

/* There, and back again. */
static void check_difference(struct fixture *f, uint32_t moved, uint32_t added)
{
    struct other other;
    struct prm_world *anew;
    struct prm_validity *all;
    uint32_t checks;

    other_init(&other, f, moved, added);
    other.spec.center = f->roadmap->center;
    assert_ok(prm_world_create(test_arena, &anew, &other.spec));
    assert_ok(prm_validity_create(test_arena, &all, f->roadmap, anew, f->validity));
    struct prm_validity *part =
        between(f->roadmap, f->validity, f->world, other.world, &other.difference, &checks);
    assert_same_validity(all, part);
    assert_int_equal(all->edges_on, part->edges_on);
    assert_int_equal(all->edges_off, part->edges_off);
    assert_true(checks >= part->edges_on + part->edges_off);
    check_by_distance(f, &other, part);
    plans_are_the_same(f, all, anew, part, other.world);

    const struct prm_difference back = {.gone = other.come,
                                        .come = other.gone,
                                        .gone_count = other.difference.come_count,
                                        .come_count = other.difference.gone_count};
    struct prm_validity *again = between(f->roadmap, part, other.world, f->world, &back, &checks);
    assert_same_validity(f->validity, again);
    assert_int_equal(again->edges_on, part->edges_off);

    prm_validity_destroy(again);
    prm_validity_destroy(part);
    prm_validity_destroy(all);
    prm_world_destroy(anew);
    prm_world_destroy(other.world);
}

static void patched_is_rebuilt(void **state)
{
    static const uint32_t CASES[][2] = {{0, 1}, {1, 0}, {2, 3}, {4, 8}};
    struct fixture f;
    (void)state;
    for (uint32_t k = 0; k < test_size(KIND_COUNT, 1); k++) {
        fixture_init(&f, &KINDS[k], 40 + k);
        for (size_t c = test_size(0, 2); c < test_size(4, 3); c++)
            check_difference(&f, CASES[c][0], CASES[c][1]);
        fixture_deinit(&f);
    }
}

/* A small difference concerns few edges, none no edge, and one without a box all of them. */
static void few_edges_are_checked(void **state)
{
    const uint8_t cell = 0;
    struct prm_obstacle small = {.kind = PRM_OBSTACLE_SPHERE, .radius = 0.2};
    const struct prm_obstacle grid = {.kind = PRM_OBSTACLE_GRID,
                                      .grid = {1, 1, 0.1, {MIDDLE[0], MIDDLE[1], 0}, &cell}};
    struct fixture f;
    uint32_t checks;
    (void)state;
    for (uint32_t k = 0; k < test_size(KIND_COUNT, 1); k++) {
        const struct prm_difference none = {.come = NULL};
        fixture_init(&f, &KINDS[k], 70 + k);
        small.kind = KINDS[k].dimension == 2 ? PRM_OBSTACLE_CIRCLE : PRM_OBSTACLE_SPHERE;
        for (int c = 0; c < 3; c++)
            small.center[c] = c < (int)KINDS[k].dimension ? MIDDLE[c] + 3 : 0;
        prm_validity_destroy(between(f.roadmap, f.validity, f.world, f.world, &none, &checks));
        assert_int_equal(checks, 0);
        const struct prm_difference one = {.come = &small, .come_count = 1};
        prm_validity_destroy(between(f.roadmap, f.validity, f.world, f.world, &one, &checks));
        assert_in_range(checks, 0, f.roadmap->edge_count / 2);
        const struct prm_difference all = {.gone = &grid, .gone_count = 1};
        prm_validity_destroy(between(f.roadmap, f.validity, f.world, f.world, &all, &checks));
        assert_int_equal(checks, f.roadmap->edge_count);
        fixture_deinit(&f);
    }
}

/* Distances of a grid are shared where it stays, and made where it does not. */
static void distances_are_shared(void **state)
{
    struct fixture f;
    struct other other;
    (void)state;
    fixture_init(&f, &KINDS[1], 5);
    other_init(&other, &f, 2, 1);
    assert_ptr_equal(other.world->all.field_values.memory, f.world->all.field_values.memory);
    prm_world_destroy(other.world);

    other.gone[0] = f.obstacles[0];
    other.come[0] = f.obstacles[0];
    assert_ok(prm_world_derive(test_arena, &other.world, &other.spec, f.world, &other.difference));
    assert_ptr_not_equal(other.world->all.field_values.memory, f.world->all.field_values.memory);
    prm_world_destroy(other.world);
    fixture_deinit(&f);
}

/* Whatever device call fails, nothing is left. */
static void faults_leave_nothing(void **state)
{
    struct fixture f;
    struct other other;
    (void)state;
    if (test_is_small())
        skip();
    fixture_init(&f, &KINDS[0], 6);
    other_init(&other, &f, 1, 1);
    const uint64_t before = prm_context_memory(test_context).resident_bytes;
    bool failed = true;
    for (uint32_t k = 1; failed; k++) {
        struct prm_revision *revision = NULL;
        struct prm_world *world = NULL;
        bool done = false;
        prm_context_inject_fault(test_context, k);
        enum prm_status status =
            prm_world_derive(test_arena, &world, &other.spec, f.world, &other.difference);
        if (status == PRM_OK)
            status = prm_revision_create_between(&revision, f.roadmap, world, f.validity, f.world,
                                                 &other.difference);
        while (status == PRM_OK && !done)
            status = prm_revision_step(test_arena, revision, &done);
        failed = status != PRM_OK;
        prm_context_inject_fault(test_context, 0);
        prm_revision_destroy(revision);
        if (world)
            prm_world_destroy(world);
        assert_int_equal(prm_context_memory(test_context).resident_bytes, before);
        assert_true(failed || k > 20);
    }
    prm_world_destroy(other.world);
    fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patched_is_rebuilt),
        cmocka_unit_test(few_edges_are_checked),
        cmocka_unit_test(distances_are_shared),
        cmocka_unit_test(faults_leave_nothing),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

/* Warm-up of planning: a small roadmap is built and planned on with every kernel variant of a
 * space, since some OpenCL devices compile at the first launch only. */
#include "device/try.h"
#include "roadmap/build/validity.h"
#include "roadmap/collision/changes.h"
#include "roadmap/collision/validate.h"
#include "roadmap/plan/matrix.h"
#include "roadmap/plan/plan_piece.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MILESTONES = 64,
    NEIGHBORS = 8,
    QUERIES_PER_UNIT = 65, /* more than 64 a core make breadth-first search use its wide form */
};

static enum prm_status make_world(struct prm_arena *arena, struct prm_world **world, uint32_t dof)
{
    const struct prm_obstacle obstacle = {.kind =
                                              dof == 2 ? PRM_OBSTACLE_CIRCLE : PRM_OBSTACLE_SPHERE,
                                          .center = {5, 5, 5},
                                          .quaternion = {0, 0, 0, 1},
                                          .radius = 1};
    const struct prm_world_spec spec = {.dimension = dof,
                                        .bounded = true,
                                        .upper = {10, 10, 10},
                                        .obstacles = &obstacle,
                                        .obstacle_count = 1};
    return prm_world_create(arena, world, &spec);
}

static enum prm_status make_roadmap(struct prm_context *context, const struct prm_world *world,
                                    struct prm_roadmap **roadmap, struct prm_validity **validity)
{
    const struct prm_robot_spec robot = {.kind = PRM_ROBOT_POINT};
    const struct prm_roadmap_params params = {.sample_count = MILESTONES,
                                              .sample_method = PRM_SAMPLE_HALTON,
                                              .neighbor_method = PRM_NEIGHBOR_EXACT,
                                              .k = NEIGHBORS};
    return prm_roadmap_create(context, roadmap, validity, world, &robot, &params);
}

/* So much of the way to another milestone is beside one. */
#define BESIDE 1e-3
/* Milestones among which a near one is looked for, so that a rehearsal is no long search; and edges
 * that are checked again in one. */
enum { NEAR_SAMPLES = 4096, FEW_EDGES = 64 };

/* All ways of planning; the last finds no link within its radius, so trees grow. */
static const struct prm_plan_options OPTIONS[] = {
    {.objective = PRM_OBJECTIVE_LENGTH, .simplify = true},
    {.objective = PRM_OBJECTIVE_HOPS},
    {.simplify = true, .connect_radius = 1e-9, .expand_samples = 16},
};
enum { WAYS = sizeof(OPTIONS) / sizeof(OPTIONS[0]) };
/* Those that a start waits for; trees wait for a roadmap to be rehearsed. */
enum { WAYS_AT_START = WAYS - 1 };

/* Across the obstacle, and once from inside of it for the reason why not. */
static enum prm_status plan_all(struct prm_planner *planner, struct prm_context *context,
                                const struct prm_roadmap *roadmap,
                                const struct prm_validity *validity, const struct prm_world *world)
{
    static const double CORNER[3] = {1, 1, 1}, OPPOSITE[3] = {9, 9, 9}, INSIDE[3] = {5, 5, 5};
    enum prm_status status = PRM_OK;
    const uint32_t many = QUERIES_PER_UNIT * prm_context_profile(context)->compute_units;
    struct prm_query *queries = calloc(many, sizeof(*queries));
    struct prm_plan_results results = {0};

    if (!queries)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u queries", many);
    for (uint32_t q = 0; q < many; q++)
        queries[q] = (struct prm_query){
            .start = CORNER, .goals = q == 0 ? INSIDE : OPPOSITE, .goal_count = 1};
    for (size_t i = 0; i < WAYS_AT_START; i++) {
        for (uint32_t count = 2; count <= many; count += many - 2) {
            prm_plan_results_deinit(&results);
            TRY(prm_plan(planner, &results, roadmap, validity, world, queries, count, &OPTIONS[i]));
        }
    }

cleanup:
    prm_plan_results_deinit(&results);
    free(queries);
    return status;
}

/* An obstacle in the middle of a world, as wide as that. */
static struct prm_obstacle middle_of(const struct prm_world *world)
{
    const double *lower = world->lower, *upper = world->upper;
    return (struct prm_obstacle){
        .kind = world->dimension == 2 ? PRM_OBSTACLE_CIRCLE : PRM_OBSTACLE_SPHERE,
        .center = {(lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, (lower[2] + upper[2]) / 2},
        .quaternion = {0, 0, 0, 1},
        .radius = (upper[0] - lower[0]) / 2};
}

/* Checks the roadmap again where an obstacle has come, as for a request that brings its own. */
static enum prm_status change(struct prm_arena *arena, const struct prm_roadmap *roadmap,
                              const struct prm_validity *validity, const struct prm_world *world)
{
    enum prm_status status = PRM_OK;
    const struct prm_obstacle obstacle = middle_of(world);
    const struct prm_difference difference = {.come = &obstacle, .come_count = 1};
    struct prm_revision *revision = NULL;

    TRY(prm_revision_create_between(&revision, roadmap, world, validity, world, &difference));
    for (bool done = false; !done;)
        TRY(prm_revision_step(arena, revision, &done));

cleanup:
    prm_revision_destroy(revision);
    return status;
}

/* The part of it whose kernels no build or reading of the roadmap has run: marks and checks, on so
 * few edges that nobody waits long, and one pass over all to count. The validity stays as it is. */
static enum prm_status change_few(struct prm_arena *arena, const struct prm_roadmap *roadmap,
                                  const struct prm_validity *validity,
                                  const struct prm_world *world)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = roadmap->context;
    const struct prm_scene scene = prm_roadmap_scene(roadmap, world);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_obstacle obstacle = middle_of(world);
    const struct prm_difference difference = {.come = &obstacle, .come_count = 1};
    const uint32_t count = roadmap->edge_count < FEW_EDGES ? roadmap->edge_count : FEW_EDGES;
    struct prm_changes changes = {0};
    struct prm_buffer flags, list, valid;
    uint32_t edges[FEW_EDGES], on, off;

    if (count == 0)
        return PRM_OK;
    for (uint32_t e = 0; e < count; e++)
        edges[e] = e;
    TRY(prm_changes_init(&changes, world, &difference));
    TRY(prm_arena_take(arena, &flags, prm_words(count)));
    TRY(prm_arena_take(arena, &list, prm_words(count)));
    TRY(prm_arena_take(arena, &valid, prm_words(count)));
    TRY(prm_buffer_write(context, list, 0, edges, prm_words(count)));
    TRY(prm_changes_mark(&changes, flags, validity->edge_valid, roadmap, &scene, 0, count));
    TRY(prm_changes_check(arena, valid, list, roadmap, &scene, 0, count));
    TRY(prm_validity_count_changes(arena, roadmap, &on, &off, validity->edge_valid,
                                   validity->edge_valid));

cleanup:
    prm_changes_deinit(context, &changes);
    prm_arena_rewind(arena, mark);
    return status;
}

/* The cost of one way, by a matrix. */
static enum prm_status cost(struct prm_planner *planner, const struct prm_roadmap *roadmap,
                            const struct prm_validity *validity, const struct prm_world *world,
                            const double *states)
{
    static const uint32_t FROM = 0, TO = 1;
    enum prm_status status = PRM_OK;
    const struct prm_matrix_input input = {.states = states,
                                           .state_count = 2,
                                           .sources = &FROM,
                                           .targets = &TO,
                                           .source_count = 1,
                                           .target_count = 1};
    struct prm_matrix *matrix = NULL;

    TRY(prm_matrix_create(&matrix, roadmap, validity, world, &input, &OPTIONS[0]));
    for (bool done = false; !done;)
        TRY(prm_matrix_step(planner, matrix, &done));

cleanup:
    prm_matrix_destroy(matrix);
    return status;
}

enum prm_status prm_planner_warm_up(struct prm_planner *planner, uint32_t dof)
{
    enum prm_status status = PRM_OK;
    static const double ENDS[6] = {1, 1, 1, 9, 9, 9};
    struct prm_arena *arena = prm_planner_arena(planner);
    struct prm_context *context = prm_arena_context(arena);
    struct prm_world *world = NULL;
    struct prm_roadmap *roadmap = NULL;
    struct prm_validity *validity = NULL;

    if (dof != 2 && dof != 3)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "no robot has %u coordinates", dof);
    TRY(make_world(arena, &world, dof));
    TRY(make_roadmap(context, world, &roadmap, &validity));
    TRY(plan_all(planner, context, roadmap, validity, world));
    for (bool done = false; !done;)
        TRY(prm_validity_refine(validity, &done));
    TRY(plan_all(planner, context, roadmap, validity, world));
    TRY(change(arena, roadmap, validity, world));
    TRY(cost(planner, roadmap, validity, world, ENDS));

cleanup:
    prm_validity_destroy(validity);
    prm_roadmap_destroy(roadmap);
    prm_world_destroy(world);
    return status;
}

/* The state of the first milestone, and that of one near it, other than it. */
static void near_milestones(const struct prm_roadmap *roadmap, double *first, double *other)
{
    const struct prm_space *space = &roadmap->space;
    const uint32_t stride = 1 + roadmap->milestone_count / NEAR_SAMPLES;
    double state[PRM_DOF_MAX], least = INFINITY;
    prm_space_from_row(space, first, roadmap->host_states);
    memcpy(other, first, space->dof * sizeof(*other));
    for (uint32_t m = 1; m < roadmap->milestone_count; m += stride) {
        prm_space_from_row(space, state, roadmap->host_states + (size_t)m * space->row);
        const double distance = prm_space_distance(space, first, state);
        if (distance > 0 && distance < least) {
            least = distance;
            memcpy(other, state, space->dof * sizeof(*other));
        }
    }
}

enum prm_status prm_planner_rehearse(struct prm_planner *planner, const struct prm_roadmap *roadmap,
                                     const struct prm_validity *validity,
                                     const struct prm_world *world)
{
    enum prm_status status = PRM_OK;
    const struct prm_space *space = &roadmap->space;
    static const uint32_t MOTION[2] = {0, 1};
    double first[PRM_DOF_MAX], other[PRM_DOF_MAX], ends[2 * PRM_DOF_MAX];
    double *start = ends, *goal = ends + space->dof;
    struct prm_plan_results results = {0};
    struct prm_judgement judgement;

    if (roadmap->milestone_count == 0)
        return PRM_OK;
    // beside two milestones, where a state is as good as free
    near_milestones(roadmap, first, other);
    prm_space_interpolate(space, start, first, other, BESIDE);
    prm_space_interpolate(space, goal, other, first, BESIDE);
    const struct prm_query query = {.start = start, .goals = goal, .goal_count = 1};
    for (size_t i = 0; i < WAYS; i++) {
        prm_plan_results_deinit(&results);
        TRY(prm_plan(planner, &results, roadmap, validity, world, &query, 1, &OPTIONS[i]));
    }
    // clearances, which reasons are made of
    TRY(prm_validate_motions(prm_planner_arena(planner), &judgement, roadmap, world, ends, MOTION,
                             1));
    TRY(change_few(prm_planner_arena(planner), roadmap, validity, world));
    TRY(cost(planner, roadmap, validity, world, ends));

cleanup:
    prm_plan_results_deinit(&results);
    return status;
}

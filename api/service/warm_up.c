#include "service/warm_up.h"

#include "device/try.h"

/* Small, but more than one work-group and more than one tile. */
enum { MILESTONES = 300, NEIGHBORS = 8 };

/* What a piece builds and plans. */
static const struct {
    uint32_t dimension;
    enum prm_neighbor_method method;
    enum prm_robot_kind robot;
} PIECES[] = {
    {2, PRM_NEIGHBOR_LSH, PRM_ROBOT_POINT},
    {2, PRM_NEIGHBOR_EXACT, PRM_ROBOT_BALL},
    {3, PRM_NEIGHBOR_LSH, PRM_ROBOT_BALL},
    {3, PRM_NEIGHBOR_EXACT, PRM_ROBOT_POINT},
};

/* A box with one obstacle in its middle. */
static enum prm_status make_world(struct device *device, struct prm_world **world,
                                  uint32_t dimension)
{
    const struct prm_obstacle obstacle = {.kind = dimension == 2 ? PRM_OBSTACLE_CIRCLE
                                                                 : PRM_OBSTACLE_SPHERE,
                                          .center = {5, 5, 5},
                                          .quaternion = {0, 0, 0, 1},
                                          .radius = 1};
    const struct prm_world_spec spec = {.dimension = dimension,
                                        .bounded = true,
                                        .upper = {10, 10, 10},
                                        .obstacles = &obstacle,
                                        .obstacle_count = 1};
    return prm_world_create(device->arena, world, &spec);
}

/* Across the obstacle, by both searches. */
static enum prm_status plan(struct device *device, const struct prm_roadmap *roadmap,
                            const struct prm_validity *validity, const struct prm_world *world)
{
    static const double START[3] = {1, 1, 1}, GOAL[3] = {9, 9, 9};
    static const enum prm_objective OBJECTIVES[] = {PRM_OBJECTIVE_LENGTH, PRM_OBJECTIVE_HOPS};
    const struct prm_query query = {.start = START, .goals = GOAL, .goal_count = 1};
    enum prm_status status = PRM_OK;
    for (unsigned i = 0; i < sizeof(OBJECTIVES) / sizeof(OBJECTIVES[0]); i++) {
        const struct prm_plan_options options = {.objective = OBJECTIVES[i], .simplify = true};
        struct prm_plan_results results = {0};
        status = prm_plan(device->planner, &results, roadmap, validity, world, &query, 1, &options);
        prm_plan_results_deinit(&results);
        if (status != PRM_OK)
            break;
    }
    return status;
}

static enum prm_status run(struct device *device, unsigned piece)
{
    const struct prm_robot robot = {.kind = PIECES[piece].robot,
                                    .radius = PIECES[piece].robot == PRM_ROBOT_BALL ? 0.1 : 0};
    const struct prm_roadmap_params params = {.seed = 1,
                                              .sample_count = MILESTONES,
                                              .neighbor_method = PIECES[piece].method,
                                              .k = NEIGHBORS,
                                              .target_recall = 0.9};
    enum prm_status status = PRM_OK;
    struct prm_world *world = NULL;
    struct prm_build *build = NULL;
    struct prm_roadmap *roadmap = NULL;
    struct prm_validity *validity = NULL, *again = NULL;
    bool done = false;

    TRY(prm_planner_warm_up(device->planner, PIECES[piece].dimension));
    TRY(make_world(device, &world, PIECES[piece].dimension));
    TRY(prm_build_create(&build, device->context, world, &robot, &params));
    while (!done)
        TRY(prm_build_step(build, &done));
    TRY(prm_build_finish(build, &roadmap, &validity));
    TRY(prm_validity_create(device->arena, &again, roadmap, world, validity));
    TRY(plan(device, roadmap, validity, world));

cleanup:
    prm_build_destroy(build);
    prm_validity_destroy(again);
    prm_validity_destroy(validity);
    prm_roadmap_destroy(roadmap);
    prm_world_destroy(world);
    return status;
}

bool warm_up(struct device *device, unsigned piece)
{
    if (piece == sizeof(PIECES) / sizeof(PIECES[0]))
        return true;
    run(device, piece);
    return false;
}

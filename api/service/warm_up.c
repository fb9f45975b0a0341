#include "service/warm_up.h"

#include "device/try.h"

/* So many that scans and sorts are shared out (their kernels are not those of short arrays), and
 * few. */
enum { MANY = 10000, FEW = 300 };

enum { NEIGHBORS = 16, DIMENSION_MIN = 2, DIMENSIONS = 2 };

/* What a piece builds; planning in each dimension follows. */
static const struct {
    uint32_t dimension;
    enum prm_neighbor_method method;
    enum prm_sample_method samples;
    enum prm_robot_kind robot;
    uint32_t milestones;
} PIECES[] = {
    {2, PRM_NEIGHBOR_LSH, PRM_SAMPLE_UNIFORM, PRM_ROBOT_POINT, MANY},
    {2, PRM_NEIGHBOR_TILES, PRM_SAMPLE_HALTON, PRM_ROBOT_BALL, FEW},
    {3, PRM_NEIGHBOR_TILES, PRM_SAMPLE_UNIFORM, PRM_ROBOT_POINT, FEW},
};

/* A box with one obstacle in its middle; and, for the kernels of distances, a free cell about all
 * of it, or a point that is kept as cubes. */
static enum prm_status make_world(struct device *device, struct prm_world **world,
                                  uint32_t dimension)
{
    static const uint8_t FREE_CELL = 1;
    static const double POINT[] = {0, 0, 0};
    const struct prm_obstacle obstacles[] = {
        {.kind = dimension == 2 ? PRM_OBSTACLE_CIRCLE : PRM_OBSTACLE_SPHERE,
         .center = {5, 5, 5},
         .radius = 1},
        {.kind = dimension == 2 ? PRM_OBSTACLE_GRID : PRM_OBSTACLE_POINTS,
         .center = {5, 5, 5},
         .quaternion = {0, 0, 0, 1},
         .points = POINT,
         .point_count = 1,
         .resolution = 0.5,
         .grid = {1, 1, 20, {-5, -5, 0}, &FREE_CELL}},
    };
    const struct prm_world_spec spec = {.dimension = dimension,
                                        .bounded = true,
                                        .upper = {10, 10, 10},
                                        .obstacles = obstacles,
                                        .obstacle_count = 2};
    return prm_world_create(device->arena, world, &spec);
}

/* Builds a roadmap and checks it again. */
static enum prm_status build(struct device *device, unsigned piece)
{
    const struct prm_robot_spec robot = {.kind = PIECES[piece].robot,
                                         .radius = PIECES[piece].robot == PRM_ROBOT_BALL ? 0.1 : 0};
    // the kernels of other methods and robots are compiled by the builds that ask for them
    const struct prm_roadmap_params params = {.seed = 1,
                                              .sample_count = PIECES[piece].milestones,
                                              .sample_method = PIECES[piece].samples,
                                              .neighbor_method = PIECES[piece].method,
                                              .k = NEIGHBORS,
                                              .target_recall = 0.9};
    enum prm_status status = PRM_OK;
    struct prm_world *world = NULL;
    struct prm_roadmap *roadmap = NULL;
    struct prm_validity *validity = NULL, *again = NULL;

    TRY(make_world(device, &world, PIECES[piece].dimension));
    TRY(prm_roadmap_create(device->context, &roadmap, &validity, world, &robot, &params));
    TRY(prm_validity_create(device->arena, &again, roadmap, world, validity));

cleanup:
    prm_validity_destroy(again);
    prm_validity_destroy(validity);
    prm_roadmap_destroy(roadmap);
    prm_world_destroy(world);
    return status;
}

enum prm_status warm_up(struct device *device, unsigned piece, bool *done)
{
    const unsigned builds = sizeof(PIECES) / sizeof(PIECES[0]);
    *done = piece + 1 == builds + DIMENSIONS;
    return piece < builds ? build(device, piece)
                          : prm_planner_warm_up(device->planner, DIMENSION_MIN + piece - builds);
}

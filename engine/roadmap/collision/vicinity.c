/* Where a vicinity is, and the launch of kernels/vicinity.cl. */
#include "roadmap/collision/vicinity.h"

#include "device/try.h"
#include "kernels/vicinity_types.h"
#include "roadmap/collision/scene_arguments.h"

#include <math.h>

/* Of more solids each block of cubes would be asked for too long. */
enum { SOLIDS_MAX = 1024 };
/* The narrowest box, metres. */
#define NARROWEST 1e-3

/* Where middles of balls can be, local frame. */
static void reached(double *lower, double *upper, const struct prm_scene *scene)
{
    const struct prm_world *world = scene->world;
    const struct prm_robot *robot = scene->robot;
    for (uint32_t c = 0; c < world->dimension; c++) {
        const bool is_arm = robot->kind == PRM_ROBOT_ARM;
        const double middle = is_arm ? robot->base[c] : 0.0;
        lower[c] = (is_arm ? middle : world->lower[c] - world->center[c]) - robot->reach;
        upper[c] = (is_arm ? middle : world->upper[c] - world->center[c]) + robot->reach;
    }
}

/* The part of the obstacles' box that is reached; where that is none of it, its side that is next
 * to it. *block_count: blocks of cubes. */
static struct vicinity layout_of(const struct prm_scene *scene, uint32_t across, uint32_t solids,
                                 uint32_t *block_count)
{
    const struct prm_obstacle_set *obstacles = scene->obstacles;
    double lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0}, longest = NARROWEST, far = 0.0;
    struct vicinity v = {.size = {1, 1, 1}};

    reached(lower, upper, scene);
    for (uint32_t c = 0; c < scene->world->dimension; c++) {
        far += (upper[c] - lower[c]) * (upper[c] - lower[c]);
        lower[c] = fmin(fmax(obstacles->lower[c], lower[c]), obstacles->upper[c]);
        upper[c] = fmax(fmin(obstacles->upper[c], upper[c]), lower[c]);
        longest = fmax(longest, upper[c] - lower[c]);
    }
    const double edge = longest / across;
    v.edge = (float)edge;
    v.inverse_edge = (float)(1.0 / edge);
    v.step = (float)(edge / VICINITY_STEPS);
    v.far = (float)sqrt(far);
    v.slack = (float)((double)VICINITY_HALF_DIAGONAL * edge +
                      (double)VICINITY_ROUNDING * (sqrt(far) + longest));
    for (uint32_t c = 0; c < scene->world->dimension; c++) {
        v.origin[c] = (float)lower[c];
        v.size[c] = (uint32_t)fmin(fmax(ceil((upper[c] - lower[c]) / edge), 1.0), across);
    }
    // in the plane the one layer is about it
    for (uint32_t c = scene->world->dimension; c < 3; c++)
        v.origin[c] = -0.5f * v.edge;

    for (int c = 0; c < 2; c++)
        v.blocks[c] = (v.size[c] + VICINITY_BLOCK - 1) / VICINITY_BLOCK;
    *block_count = v.blocks[0] * v.blocks[1] * ((v.size[2] + VICINITY_BLOCK - 1) / VICINITY_BLOCK);
    v.block_count = solids <= VICINITY_SOLIDS_MAX ? *block_count : 0;
    v.near = (float)(VICINITY_NEAR * VICINITY_BLOCK * edge);
    return v;
}

bool prm_vicinity_pays(const struct prm_roadmap_params *params)
{
    return params->sample_method != PRM_SAMPLE_LATTICE &&
           (uint64_t)params->sample_count * params->k >= PRM_VICINITY_PAYS;
}

enum prm_status prm_vicinity_create(struct prm_buffer *vicinity, const struct prm_scene *scene,
                                    uint32_t across)
{
    struct prm_context *context = scene->world->context;
    const struct prm_obstacle_set *obstacles = scene->obstacles;
    const uint32_t solids = obstacles->shape_count - obstacles->grid_count;
    const bool is_somewhere = scene->robot->kind == PRM_ROBOT_ARM || scene->world->bounded;
    enum prm_status status = PRM_OK;

    *vicinity = PRM_NO_BUFFER;
    if (scene->robot->body_count == 0 || solids == 0 || solids > SOLIDS_MAX || !is_somewhere)
        return PRM_OK;
    uint32_t blocks;
    const struct vicinity v = layout_of(scene, across, solids, &blocks);
    const size_t cubes = (size_t)v.size[0] * v.size[1] * v.size[2];
    const struct prm_share share = prm_share_of(context, blocks);
    TRY(prm_buffer_create(context, vicinity, sizeof(v) + v.block_count * sizeof(uint64_t) + cubes));
    TRY(prm_launch(context, PRM_KERNEL_VICINITY_FILL, "", share.items, share.group,
                   ARGS(ARG_BUFFER(*vicinity), ARG_STRUCT(&v), ARG_BUFFER(obstacles->shapes),
                        ARG_BUFFER(obstacles->segments), ARG_U32(solids), ARG_U32(blocks))));
cleanup:
    if (status != PRM_OK)
        prm_buffer_destroy(context, vicinity);
    return status;
}

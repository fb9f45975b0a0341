/* How a kernel that checks motions is given its scene: the host side of kernels/scene.h. Internal
 * to the roadmap folder; connections and shortcuts use it as the roadmap's own checks do.
 *
 *     char options[PRM_SCENE_OPTIONS_MAX];
 *     prm_scene_options(options, &scene);                    // "-DROW=2 -DDOF=2" ["
 * -DEDGE_SAMPLED"] const struct prm_share share = prm_share_of(context, count);
 *     TRY(prm_launch(context, PRM_KERNEL_…, options, share.items, share.group,
 *                    ARGS(ARG_BUFFER(…), ARG_U32(count), SCENE_ARGS(&scene))));
 *
 * with SCENE_PARAMETERS at the end of the kernel's parameter list.
 */
#ifndef PRM_ROADMAP_SCENE_ARGUMENTS_H
#define PRM_ROADMAP_SCENE_ARGUMENTS_H

#include "device/launch.h"
#include "roadmap/collide.h"

enum { PRM_SCENE_OPTIONS_MAX = 64 };

/* Writes the scene's -D definitions into options[PRM_SCENE_OPTIONS_MAX]. */
void prm_scene_options(char *options, const struct prm_scene *scene);

/* The same for kernels that need rows but no scene: "-DROW=… -DDOF=…". */
void prm_space_options(char *options, const struct prm_space *space);

/* A double for a kernel, never below the value. */
float prm_round_up(double value);

/* SCENE_PARAMETERS' arguments. */
#define SCENE_ARGS(scene_)                                                                         \
    ARG_BUFFER((scene_)->obstacles->shapes), ARG_BUFFER((scene_)->obstacles->segments),            \
        ARG_BUFFER((scene_)->obstacles->grids), ARG_BUFFER((scene_)->obstacles->cells),            \
        ARG_BUFFER((scene_)->obstacles->tile_offsets),                                             \
        ARG_BUFFER((scene_)->obstacles->tile_members), ARG_BUFFER((scene_)->obstacles->tiles),     \
        ARG_U32((scene_)->obstacles->shape_count), ARG_U32((scene_)->obstacles->grid_count),       \
        ARG_F32(prm_round_up((scene_)->robot->radius)),                                            \
        ARG_F32(prm_round_up((scene_)->world->margin)), ARG_F32((float)(scene_)->edge_resolution)

/* Work-items and group size for `count` independent elements that share.h shares out. */
struct prm_share {
    size_t items, group;
};
struct prm_share prm_share_of(const struct prm_context *context, size_t count);

#endif

/* How a kernel that checks motions is given its scene: the host side of kernels/scene.h. Internal
 * to the roadmap folder; connections and shortcuts use it as the roadmap's own checks do.
 *
 *     char options[PRM_SCENE_OPTIONS_MAX];
 *     prm_scene_options(options, context, &scene);
 *     const struct prm_share share = prm_share_of(context, count);
 *     TRY(prm_launch(context, PRM_KERNEL_…, options, share.items, share.group,
 *                    ARGS(ARG_BUFFER(…), ARG_U32(count), SCENE_ARGS(&scene))));
 *
 * with SCENE_PARAMETERS at the end of the kernel's parameter list.
 */
#ifndef PRM_ROADMAP_SCENE_ARGUMENTS_H
#define PRM_ROADMAP_SCENE_ARGUMENTS_H

#include "device/launch.h"
#include "roadmap/collision/collide.h"

enum { PRM_SCENE_OPTIONS_MAX = 1024 };

/* Writes the scene's -D definitions into options[PRM_SCENE_OPTIONS_MAX], for kernels that check
 * motions. */
void prm_scene_options(char *options, const struct prm_context *context,
                       const struct prm_scene *scene);

/* The same for kernels that check many states, of their own abreast where that pays. */
void prm_scene_state_options(char *options, const struct prm_context *context,
                             const struct prm_scene *scene);

/* The same for kernels that take one state after another, whatever the device. */
void prm_scene_single_options(char *options, const struct prm_scene *scene);

/* The same for kernels that place a robot's bodies and know no scene. */
void prm_robot_options(char *options, const struct prm_context *context,
                       const struct prm_robot *robot, const struct prm_space *space);

/* The same for kernels that need rows but no scene: "-DROW=… -DDOF=…". */
void prm_space_options(char *options, const struct prm_space *space);

/* What a clearance must exceed: the rounding of the world and of the robot's place in it, metres.
 */
float prm_scene_margin(const struct prm_scene *scene);

/* A double for a kernel, never below the value. */
float prm_round_up(double value);

/* SCENE_PARAMETERS' arguments. */
#define SCENE_ARGS(scene_)                                                                         \
    ARG_BUFFER((scene_)->obstacles->shapes), ARG_BUFFER((scene_)->obstacles->segments),            \
        ARG_BUFFER((scene_)->obstacles->grids), ARG_BUFFER((scene_)->obstacles->cells),            \
        ARG_BUFFER((scene_)->obstacles->tile_offsets),                                             \
        ARG_BUFFER((scene_)->obstacles->tile_members), ARG_BUFFER((scene_)->obstacles->tiles),     \
        ARG_BUFFER((scene_)->obstacles->fields), ARG_BUFFER((scene_)->obstacles->field_values),    \
        ARG_U32((scene_)->obstacles->shape_count), ARG_U32((scene_)->obstacles->grid_count),       \
        ARG_U32((scene_)->obstacles->field_count), ARG_F32(prm_round_up((scene_)->robot->radius)), \
        ARG_F32(prm_scene_margin(scene_)), ARG_F32((float)(scene_)->edge_resolution),              \
        ARG_BUFFER((scene_)->robot->bodies), ARG_BUFFER((scene_)->robot->links),                   \
        ARG_BUFFER((scene_)->robot->balls), ARG_BUFFER((scene_)->robot->pairs),                    \
        ARG_BUFFER((scene_)->robot->body_pairs), ARG_BUFFER((scene_)->robot->clearances),          \
        ARG_U32((scene_)->robot->body_pair_count), ARG_BUFFER((scene_)->robot->link_reach),        \
        ARG_BUFFER((scene_)->robot->pair_reach), ARG_BUFFER((scene_)->allowed),                    \
        ARG_U32((scene_)->allowed_count), ARG_BUFFER((scene_)->vicinity),                          \
        ARG_U32((scene_)->vicinity.memory != NULL),                                                \
        ARG_U32((scene_)->robot->clearances.memory != NULL)

/* Work-items and group size for `count` independent elements that share.h shares out. */
struct prm_share {
    size_t items, group;
};
struct prm_share prm_share_of(const struct prm_context *context, size_t count);

#endif

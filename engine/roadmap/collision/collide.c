/* Collision checking of states: launches of kernels/collide.cl. */
#include "roadmap/collision/collide.h"

#include "roadmap/collision/scene_arguments.h"

enum prm_status prm_collide_states(struct prm_arena *arena, struct prm_buffer free,
                                   const struct prm_scene *scene, struct prm_buffer states,
                                   size_t count)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_share share = prm_share_of(context, count);
    char options[PRM_SCENE_OPTIONS_MAX];

    prm_scene_state_options(options, context, scene);
    return prm_launch(
        context, PRM_KERNEL_COLLIDE_STATES, options, share.items, share.group,
        ARGS(ARG_BUFFER(free), ARG_BUFFER(states), ARG_U32((uint32_t)count), SCENE_ARGS(scene)));
}

enum prm_status prm_collide_clearance(struct prm_arena *arena, struct prm_buffer clearances,
                                      const struct prm_scene *scene, struct prm_buffer states,
                                      size_t count)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_share share = prm_share_of(context, count);
    char options[PRM_SCENE_OPTIONS_MAX];

    prm_scene_single_options(options, scene);
    return prm_launch(context, PRM_KERNEL_COLLIDE_CLEARANCE, options, share.items, share.group,
                      ARGS(ARG_BUFFER(clearances), ARG_BUFFER(states), ARG_U32((uint32_t)count),
                           SCENE_ARGS(scene)));
}

/* Edge checks: launches of kernels/edges.cl. */
#include "roadmap/collision/edges.h"

#include "roadmap/collision/scene_arguments.h"

/* `count` runs of `run` pairs each, from run `first` on. */
static enum prm_status check(struct prm_arena *arena, struct prm_buffer valid,
                             const struct prm_scene *scene, struct prm_buffer from,
                             struct prm_buffer to, struct prm_buffer pairs, size_t first,
                             size_t count, const struct prm_edge_runs *runs)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_share share = prm_share_of(context, count);
    char options[PRM_SCENE_OPTIONS_MAX];

    prm_scene_options(options, context, scene);
    return prm_launch(context, PRM_KERNEL_EDGES_CHECK, options, share.items, share.group,
                      ARGS(ARG_BUFFER(valid), ARG_BUFFER(from), ARG_BUFFER(to), ARG_BUFFER(pairs),
                           ARG_BUFFER(runs->components), ARG_U32(runs->length),
                           ARG_U32(runs->enough), ARG_U32(runs->wanted), ARG_U32((uint32_t)first),
                           ARG_U32((uint32_t)count), SCENE_ARGS(scene)));
}

/* Pairs by themselves. */
static const struct prm_edge_runs SINGLE = {.length = 1};

enum prm_status prm_edges_check_piece(struct prm_arena *arena, struct prm_buffer valid,
                                      const struct prm_scene *scene, struct prm_buffer from,
                                      struct prm_buffer to, struct prm_buffer pairs, size_t first,
                                      size_t count)
{
    return check(arena, valid, scene, from, to, pairs, first, count, &SINGLE);
}

enum prm_status prm_edges_check(struct prm_arena *arena, struct prm_buffer valid,
                                const struct prm_scene *scene, struct prm_buffer from,
                                struct prm_buffer to, struct prm_buffer pairs, size_t count)
{
    return check(arena, valid, scene, from, to, pairs, 0, count, &SINGLE);
}

enum prm_status prm_edges_check_runs(struct prm_arena *arena, struct prm_buffer valid,
                                     const struct prm_scene *scene, struct prm_buffer from,
                                     struct prm_buffer to, struct prm_buffer pairs, size_t count,
                                     const struct prm_edge_runs *runs)
{
    // without an end to it each pair may go to a work-item of its own
    if (runs->enough == 0)
        return check(arena, valid, scene, from, to, pairs, 0, count * runs->length, &SINGLE);
    return check(arena, valid, scene, from, to, pairs, 0, count, runs);
}

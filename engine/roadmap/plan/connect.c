/* Connection as a list of launches: neighbours, then free states, edge checks and links. */
#include "roadmap/plan/connect.h"

#include "device/try.h"
#include "roadmap/collision/edges.h"
#include "roadmap/collision/scene_arguments.h"

/* The milestones near the ends. */
struct candidates {
    struct prm_buffer neighbors; /* u32[E][k] */
    struct prm_buffer distances; /* f32[E][k] */
};

/* Whether the ends are linked in one pass, the ways of each abreast: those of points and balls on a
 * CPU. */
static bool in_fans(const struct prm_context *context, const struct prm_scene *scene)
{
    return prm_context_profile(context)->shape == PRM_SHAPE_CPU && scene->robot->body_count == 0 &&
           scene->edge_check == PRM_EDGE_CERTIFIED;
}

/* Links the ends to their neighbours in one pass. */
static enum prm_status link_fans(struct prm_arena *arena, const struct prm_endpoints *ends,
                                 struct prm_buffer flags, const struct candidates *c,
                                 const struct prm_connect_options *options)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_validity *validity = options->validity;
    const struct prm_share share = prm_share_of(context, ends->count);
    char scene[PRM_SCENE_OPTIONS_MAX];

    prm_scene_options(scene, context, options->scene);
    return prm_launch(context, PRM_KERNEL_CONNECT_FANS, scene, share.items, share.group,
                      ARGS(ARG_BUFFER(ends->vertices), ARG_BUFFER(ends->costs), ARG_BUFFER(flags),
                           ARG_BUFFER(c->neighbors), ARG_BUFFER(c->distances),
                           ARG_BUFFER(ends->states), ARG_BUFFER(options->roadmap->states),
                           ARG_BUFFER(validity->components), ARG_U32(options->enough),
                           ARG_U32(validity->largest_component),
                           ARG_F32((float)validity->weight_scale), ARG_U32(ends->k),
                           ARG_U32(ends->count), SCENE_ARGS(options->scene)));
}

/* Links the ends to their neighbours by lists of pairs. */
static enum prm_status link_pairs(struct prm_arena *arena, const struct prm_endpoints *ends,
                                  struct prm_buffer flags, const struct candidates *c,
                                  const struct prm_connect_options *options)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_roadmap *roadmap = options->roadmap;
    const uint32_t n = ends->count, k = ends->k;
    const size_t links = (size_t)n * k;
    const struct prm_share share = prm_share_of(context, n);
    const struct prm_edge_runs runs = {.components = options->validity->components,
                                       .length = k,
                                       .enough = options->enough,
                                       .wanted = options->validity->largest_component};
    struct prm_buffer is_free, pairs, valid;
    char space[PRM_SCENE_OPTIONS_MAX];

    prm_space_options(space, &roadmap->space);
    TRY(prm_arena_take(arena, &is_free, n * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &pairs, 2 * links * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &valid, links * sizeof(uint32_t)));
    TRY(prm_collide_states(arena, is_free, options->scene, ends->states, n));
    TRY(prm_launch(context, PRM_KERNEL_CONNECT_PAIRS, space, share.items, share.group,
                   ARGS(ARG_BUFFER(pairs), ARG_BUFFER(flags), ARG_BUFFER(is_free),
                        ARG_BUFFER(c->neighbors), ARG_BUFFER(c->distances), ARG_U32(n),
                        ARG_U32(k))));
    TRY(prm_edges_check_runs(arena, valid, options->scene, ends->states, roadmap->states, pairs, n,
                             &runs));
    TRY(prm_launch(context, PRM_KERNEL_CONNECT_LINKS, space, share.items, share.group,
                   ARGS(ARG_BUFFER(ends->vertices), ARG_BUFFER(ends->costs), ARG_BUFFER(valid),
                        ARG_BUFFER(pairs), ARG_BUFFER(c->distances), ARG_BUFFER(ends->states),
                        ARG_BUFFER(roadmap->states), ARG_U32(n), ARG_U32(k),
                        ARG_F32((float)options->validity->weight_scale))));

cleanup:
    return status;
}

enum prm_status prm_connect_ends(struct prm_arena *arena, struct prm_endpoints *ends,
                                 struct prm_buffer flags, const struct prm_connect_options *options)
{
    enum prm_status status = PRM_OK;
    const uint32_t n = ends->count, k = options->k;
    const size_t links = (size_t)n * k;
    struct candidates c;
    struct prm_buffer embedded;

    ends->k = k;
    TRY(prm_arena_take(arena, &ends->vertices, links * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &ends->costs, links * sizeof(uint32_t)));
    const struct prm_arena_mark mark = prm_arena_mark(arena);

    // the milestones near them
    TRY(prm_arena_take(arena, &c.neighbors, links * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &c.distances, links * sizeof(float)));
    TRY(prm_embedding_take(arena, &embedded, ends->states, &options->roadmap->space, n));
    TRY(prm_neighbors_foreign(arena, c.neighbors, c.distances, options->index, embedded, n, k,
                              options->radius));

    // the free ways there
    if (in_fans(prm_arena_context(arena), options->scene))
        TRY(link_fans(arena, ends, flags, &c, options));
    else
        TRY(link_pairs(arena, ends, flags, &c, options));
    prm_arena_rewind(arena, mark);

cleanup:
    return status;
}

enum prm_status prm_connect_copy(struct prm_context *context, const struct prm_space *space,
                                 const struct prm_links *out, const struct prm_links *from,
                                 struct prm_buffer which, uint32_t k, uint32_t first,
                                 uint32_t count)
{
    const struct prm_share share = prm_share_of(context, count);
    char options[PRM_SCENE_OPTIONS_MAX];

    prm_space_options(options, space);
    return prm_launch(context, PRM_KERNEL_CONNECT_COPY, options, share.items, share.group,
                      ARGS(ARG_BUFFER(out->vertices), ARG_BUFFER(out->costs),
                           ARG_BUFFER(out->flags), ARG_BUFFER(from->vertices),
                           ARG_BUFFER(from->costs), ARG_BUFFER(from->flags), ARG_BUFFER(which),
                           ARG_U32(first), ARG_U32(k), ARG_U32(count)));
}

enum prm_status prm_connect_queries(struct prm_arena *arena, struct prm_buffer reports,
                                    struct prm_buffer queries, const struct prm_endpoints *ends,
                                    const struct prm_validity *validity, size_t count)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_share share = prm_share_of(context, count);
    char space[PRM_SCENE_OPTIONS_MAX];

    prm_space_options(space, &validity->roadmap->space);
    return prm_launch(context, PRM_KERNEL_CONNECT_QUERIES, space, share.items, share.group,
                      ARGS(ARG_BUFFER(reports), ARG_BUFFER(queries), ARG_BUFFER(ends->vertices),
                           ARG_BUFFER(ends->costs), ARG_BUFFER(validity->components),
                           ARG_BUFFER(validity->component_sizes), ARG_U32((uint32_t)count),
                           ARG_U32(ends->k)));
}

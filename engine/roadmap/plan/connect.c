/* Connection as a list of launches: free states, neighbours, pairs, edge checks, links. */
#include "roadmap/plan/connect.h"

#include "device/try.h"
#include "roadmap/collision/edges.h"
#include "roadmap/collision/scene_arguments.h"

/* What lies between neighbours and links. */
struct candidates {
    struct prm_buffer is_free;   /* u32[E] */
    struct prm_buffer neighbors; /* u32[E][k] */
    struct prm_buffer distances; /* f32[E][k] */
    struct prm_buffer pairs;     /* u32[E][k][2] */
    struct prm_buffer valid;     /* u32[E][k] */
};

static enum prm_status take(struct prm_arena *arena, struct candidates *c, size_t ends,
                            size_t links)
{
    enum prm_status status = PRM_OK;

    TRY(prm_arena_take(arena, &c->is_free, ends * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &c->neighbors, links * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &c->distances, links * sizeof(float)));
    TRY(prm_arena_take(arena, &c->pairs, 2 * links * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &c->valid, links * sizeof(uint32_t)));

cleanup:
    return status;
}

enum prm_status prm_connect_ends(struct prm_arena *arena, struct prm_endpoints *ends,
                                 struct prm_buffer flags, const struct prm_connect_options *options)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_roadmap *roadmap = options->roadmap;
    const uint32_t n = ends->count, k = options->k;
    const size_t links = (size_t)n * k;
    const struct prm_share share = prm_share_of(context, n);
    struct candidates c;
    struct prm_buffer embedded;
    char space[PRM_SCENE_OPTIONS_MAX];

    prm_space_options(space, &roadmap->space);
    ends->k = k;
    TRY(prm_arena_take(arena, &ends->vertices, links * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &ends->costs, links * sizeof(uint32_t)));
    const struct prm_arena_mark mark = prm_arena_mark(arena);

    // states, and the milestones near them
    TRY(take(arena, &c, n, links));
    TRY(prm_collide_states(arena, c.is_free, options->scene, ends->states, n));
    TRY(prm_embedding_take(arena, &embedded, ends->states, &roadmap->space, n));
    TRY(prm_neighbors_foreign(arena, c.neighbors, c.distances, options->index, embedded, n, k,
                              options->radius));

    // the edges to them, checked
    TRY(prm_launch(context, PRM_KERNEL_CONNECT_PAIRS, space, share.items, share.group,
                   ARGS(ARG_BUFFER(c.pairs), ARG_BUFFER(flags), ARG_BUFFER(c.is_free),
                        ARG_BUFFER(c.neighbors), ARG_BUFFER(c.distances), ARG_U32(n), ARG_U32(k))));
    const struct prm_edge_runs runs = {.components = options->validity->components,
                                       .length = k,
                                       .enough = options->enough,
                                       .wanted = options->validity->largest_component};
    TRY(prm_edges_check_runs(arena, c.valid, options->scene, ends->states, roadmap->states, c.pairs,
                             n, &runs));

    // links
    TRY(prm_launch(context, PRM_KERNEL_CONNECT_LINKS, space, share.items, share.group,
                   ARGS(ARG_BUFFER(ends->vertices), ARG_BUFFER(ends->costs), ARG_BUFFER(c.valid),
                        ARG_BUFFER(c.pairs), ARG_BUFFER(c.distances), ARG_BUFFER(ends->states),
                        ARG_BUFFER(roadmap->states), ARG_U32(n), ARG_U32(k),
                        ARG_F32((float)options->validity->weight_scale))));
    prm_arena_rewind(arena, mark);

cleanup:
    return status;
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

/* Graph search from sources: rows of arcs, the two forms of the search; the work is in
 * kernels/graph_search.cl. */
#include "primitives/graph_search.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "kernels/language.h"
#include "primitives/chunks.h"
#include "primitives/histogram.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"

/* Rounds between two looks at whether anything moves. */
enum { ROUNDS = 16 };

/* Work-items that share out long arrays on a CPU, for each of its units. */
enum { ITEMS_A_UNIT = 64 };

static const uint32_t INFINITE_BITS = 0x7f800000;

/* A search in progress. All rows are of source and vertex. */
struct search {
    struct prm_arena *arena;
    struct prm_context *context;
    const struct prm_profile *profile;
    const struct prm_arcs *arcs;
    const char *options;
    struct prm_buffer sources;
    uint32_t source_count, cells; /* cells: sources times vertices */
    struct prm_buffer costs;      /* no memory: levels alone */
    struct prm_buffer levels;
};

/* Work-items for `count` elements that share.h shares out. */
static size_t items_for(const struct prm_profile *profile, size_t count)
{
    const size_t most = (size_t)profile->compute_units * ITEMS_A_UNIT;
    return profile->shape == PRM_SHAPE_CPU && count > most ? most : count;
}

/* ---- the graph ---- */

/* order[j] = the j-th arc in the order of the vertices that arcs leave; offsets follow. ends:
 * u32[n], n >= 1. */
static enum prm_status sort_arcs(struct prm_arena *arena, struct prm_arcs *arcs,
                                 struct prm_buffer order, struct prm_buffer ends, size_t n)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;
    struct prm_buffer keys;

    TRY(prm_histogram_u32(arena, arcs->offsets, ends, n, arcs->vertex_count));
    TRY(prm_scan_exclusive(arena, arcs->offsets, arcs->offsets, arcs->vertex_count, PRM_SCAN_AUTO));
    TRY(prm_arena_take(arena, &keys, prm_words(n)));
    TRY(prm_buffer_copy(context, keys, 0, ends, 0, prm_words(n)));
    TRY(prm_radix_sort(arena, keys, PRM_NO_BUFFER, PRM_NO_BUFFER, order, n, NULL));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_arcs_init(struct prm_arena *arena, struct prm_arcs *arcs,
                              struct prm_buffer edges, struct prm_buffer weights, size_t edge_count,
                              uint32_t vertex_count)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const size_t n = 2 * edge_count;
    enum prm_status status = PRM_OK;
    struct prm_buffer order;

    *arcs = (struct prm_arcs){.vertex_count = vertex_count, .arc_count = (uint32_t)n};
    TRY(prm_count_check(edge_count > PRM_COUNT_MAX ? edge_count : n));
    TRY(prm_count_check(vertex_count));
    PRM_ASSERT(edges.bytes >= prm_words(n));
    TRY(prm_buffer_create(context, &arcs->offsets, prm_words((size_t)vertex_count + 1)));
    TRY(prm_buffer_create(context, &arcs->targets, prm_words(n)));
    if (weights.memory != NULL)
        TRY(prm_buffer_create(context, &arcs->weights, prm_words(n)));
    if (n == 0) {
        TRY(prm_buffer_fill_u32(context, arcs->offsets, 0, 0, (size_t)vertex_count + 1));
        goto cleanup;
    }

    TRY(prm_arena_take(arena, &order, prm_words(n)));
    TRY(sort_arcs(arena, arcs, order, edges, n));
    TRY(prm_launch(context, PRM_KERNEL_GRAPH_ARCS, weights.memory != NULL ? "-DWEIGHTED" : NULL,
                   items_for(profile, n), profile->workgroup,
                   ARGS(ARG_BUFFER(arcs->targets), ARG_BUFFER(arcs->weights), ARG_BUFFER(order),
                        ARG_BUFFER(edges), ARG_BUFFER(weights), ARG_U32((uint32_t)n))));
cleanup:
    if (status != PRM_OK)
        prm_arcs_deinit(context, arcs);
    prm_arena_rewind(arena, mark);
    return status;
}

void prm_arcs_deinit(struct prm_context *context, struct prm_arcs *arcs)
{
    prm_buffer_destroy(context, &arcs->offsets);
    prm_buffer_destroy(context, &arcs->targets);
    prm_buffer_destroy(context, &arcs->weights);
}

/* ---- a source a work-item ---- */

static enum prm_status search_serially(const struct search *search)
{
    const struct prm_arcs *arcs = search->arcs;
    const uint32_t units = search->profile->compute_units;
    const uint32_t slots = search->source_count < units ? search->source_count : units;
    const size_t bytes = prm_words((size_t)slots * arcs->vertex_count);
    enum prm_status status = PRM_OK;
    struct prm_buffer lists, places;

    TRY(prm_arena_take(search->arena, &lists, bytes));
    if (search->costs.memory == NULL) {
        TRY(prm_launch(search->context, PRM_KERNEL_GRAPH_QUEUE, search->options, slots,
                       search->profile->workgroup,
                       ARGS(ARG_BUFFER(search->levels), ARG_BUFFER(lists),
                            ARG_BUFFER(arcs->offsets), ARG_BUFFER(arcs->targets),
                            ARG_BUFFER(search->sources), ARG_U32(slots),
                            ARG_U32(arcs->vertex_count), ARG_U32(search->source_count))));
        goto cleanup;
    }
    TRY(prm_arena_take(search->arena, &places, bytes));
    TRY(prm_launch(search->context, PRM_KERNEL_GRAPH_HEAP, search->options, slots,
                   search->profile->workgroup,
                   ARGS(ARG_BUFFER(search->costs), ARG_BUFFER(search->levels), ARG_BUFFER(lists),
                        ARG_BUFFER(places), ARG_BUFFER(arcs->offsets), ARG_BUFFER(arcs->targets),
                        ARG_BUFFER(arcs->weights), ARG_BUFFER(search->sources), ARG_U32(slots),
                        ARG_U32(arcs->vertex_count), ARG_U32(search->source_count))));
cleanup:
    return status;
}

/* ---- a source and vertex a work-item ---- */

static enum prm_status seed(const struct search *search, struct prm_buffer values,
                            struct prm_buffer updates, struct prm_buffer mask)
{
    return prm_launch(search->context, PRM_KERNEL_GRAPH_SEED, search->options, search->source_count,
                      search->profile->workgroup,
                      ARGS(ARG_BUFFER(values), ARG_BUFFER(updates), ARG_BUFFER(mask),
                           ARG_BUFFER(search->sources), ARG_U32(search->arcs->vertex_count),
                           ARG_U32(search->source_count)));
}

/* Begins a group of rounds, after which `moved` (u32[1 + ROUNDS]) was as it is. */
static enum prm_status begin_rounds(const struct search *search, struct prm_buffer moved,
                                    uint32_t before)
{
    enum prm_status status = PRM_OK;
    TRY(prm_buffer_fill_u32(search->context, moved, 0, before, 1));
    TRY(prm_buffer_fill_u32(search->context, moved, prm_words(1), 0, ROUNDS));
cleanup:
    return status;
}

/* Whether the last of a group of rounds still moved something. */
static enum prm_status end_rounds(const struct search *search, struct prm_buffer moved,
                                  uint32_t *again)
{
    return prm_buffer_read(search->context, moved, prm_words(ROUNDS), again, sizeof(*again));
}

/* Costs, by rounds of offers. */
static enum prm_status settle_costs(const struct search *search, struct prm_buffer moved)
{
    const struct prm_arcs *arcs = search->arcs;
    const uint32_t workgroup = search->profile->workgroup;
    const struct prm_arena_mark mark = prm_arena_mark(search->arena);
    const size_t cells = search->cells, items = items_for(search->profile, cells);
    enum prm_status status = PRM_OK;
    struct prm_buffer updates, mask;

    TRY(prm_arena_take(search->arena, &updates, prm_words(cells)));
    TRY(prm_arena_take(search->arena, &mask, prm_words(cells)));
    TRY(prm_buffer_fill_u32(search->context, updates, 0, INFINITE_BITS, cells));
    TRY(prm_buffer_fill_u32(search->context, mask, 0, 0, cells));
    TRY(seed(search, search->costs, updates, mask));
    for (uint32_t again = 1; again;) {
        TRY(begin_rounds(search, moved, again));
        for (uint32_t round = 1; round <= ROUNDS; round++) {
            TRY(prm_launch(
                search->context, PRM_KERNEL_GRAPH_RELAX, search->options, items, workgroup,
                ARGS(ARG_BUFFER(updates), ARG_BUFFER(mask), ARG_BUFFER(moved),
                     ARG_BUFFER(search->costs), ARG_BUFFER(arcs->offsets),
                     ARG_BUFFER(arcs->targets), ARG_BUFFER(arcs->weights), ARG_U32(round),
                     ARG_U32(arcs->vertex_count), ARG_U32(search->cells))));
            TRY(prm_launch(search->context, PRM_KERNEL_GRAPH_SETTLE, search->options, items,
                           workgroup,
                           ARGS(ARG_BUFFER(search->costs), ARG_BUFFER(mask), ARG_BUFFER(moved),
                                ARG_BUFFER(updates), ARG_U32(round), ARG_U32(search->cells))));
        }
        TRY(end_rounds(search, moved, &again));
    }
cleanup:
    prm_arena_rewind(search->arena, mark);
    return status;
}

/* Levels, one a round. */
static enum prm_status push_levels(const struct search *search, struct prm_buffer moved)
{
    const struct prm_arcs *arcs = search->arcs;
    enum prm_status status = PRM_OK;
    uint32_t level = 1;

    TRY(seed(search, search->levels, PRM_NO_BUFFER, PRM_NO_BUFFER));
    for (uint32_t again = 1; again;) {
        TRY(begin_rounds(search, moved, again));
        for (uint32_t round = 1; round <= ROUNDS; round++, level++)
            TRY(prm_launch(search->context, PRM_KERNEL_GRAPH_PUSH, search->options,
                           items_for(search->profile, search->cells), search->profile->workgroup,
                           ARGS(ARG_BUFFER(search->levels), ARG_BUFFER(moved),
                                ARG_BUFFER(search->costs), ARG_BUFFER(arcs->offsets),
                                ARG_BUFFER(arcs->targets), ARG_BUFFER(arcs->weights),
                                ARG_U32(level), ARG_U32(round), ARG_U32(arcs->vertex_count),
                                ARG_U32(search->cells))));
        TRY(end_rounds(search, moved, &again));
    }
cleanup:
    return status;
}

static enum prm_status search_by_rounds(const struct search *search)
{
    enum prm_status status = PRM_OK;
    struct prm_buffer moved;

    TRY(prm_arena_take(search->arena, &moved, prm_words(1 + ROUNDS)));
    if (search->costs.memory != NULL)
        TRY(settle_costs(search, moved));
    TRY(push_levels(search, moved));
cleanup:
    return status;
}

/* ---- both ---- */

/* Fills levels (and costs) and, unless they are no memory, parents. */
static enum prm_status run(struct search *search, struct prm_buffer parents, size_t source_count)
{
    const struct prm_arcs *arcs = search->arcs;
    const struct prm_arena_mark mark = prm_arena_mark(search->arena);
    const size_t cells = source_count * arcs->vertex_count;
    enum prm_status status = PRM_OK;

    TRY(prm_count_check(source_count));
    TRY(prm_count_check(cells));
    if (cells == 0)
        goto cleanup;
    PRM_ASSERT(search->sources.bytes >= prm_words(source_count));
    PRM_ASSERT(parents.memory == NULL || parents.bytes >= prm_words(cells));
    search->source_count = (uint32_t)source_count;
    search->cells = (uint32_t)cells;

    if (search->levels.memory == NULL)
        TRY(prm_arena_take(search->arena, &search->levels, prm_words(cells)));
    TRY(prm_buffer_fill_u32(search->context, search->levels, 0, NONE_U32, cells));
    if (search->costs.memory != NULL)
        TRY(prm_buffer_fill_u32(search->context, search->costs, 0, INFINITE_BITS, cells));
    TRY(search->profile->shape == PRM_SHAPE_CPU ? search_serially(search)
                                                : search_by_rounds(search));
    if (parents.memory != NULL)
        TRY(prm_launch(search->context, PRM_KERNEL_GRAPH_PARENTS, search->options,
                       items_for(search->profile, cells), search->profile->workgroup,
                       ARGS(ARG_BUFFER(parents), ARG_BUFFER(search->costs),
                            ARG_BUFFER(search->levels), ARG_BUFFER(arcs->offsets),
                            ARG_BUFFER(arcs->targets), ARG_BUFFER(arcs->weights),
                            ARG_U32(arcs->vertex_count), ARG_U32(search->cells))));
cleanup:
    prm_arena_rewind(search->arena, mark);
    return status;
}

static struct search search_of(struct prm_arena *arena, const struct prm_arcs *arcs,
                               struct prm_buffer sources)
{
    struct prm_context *context = prm_arena_context(arena);
    return (struct search){.arena = arena,
                           .context = context,
                           .profile = prm_context_profile(context),
                           .arcs = arcs,
                           .sources = sources};
}

enum prm_status prm_graph_levels(struct prm_arena *arena, struct prm_buffer levels,
                                 struct prm_buffer parents, const struct prm_arcs *arcs,
                                 struct prm_buffer sources, size_t source_count)
{
    struct search search = search_of(arena, arcs, sources);
    search.levels = levels;
    return run(&search, parents, source_count);
}

enum prm_status prm_graph_costs(struct prm_arena *arena, struct prm_buffer costs,
                                struct prm_buffer parents, const struct prm_arcs *arcs,
                                struct prm_buffer sources, size_t source_count)
{
    struct search search = search_of(arena, arcs, sources);
    PRM_ASSERT(arcs->weights.memory != NULL);
    search.options = "-DWEIGHTED";
    search.costs = costs;
    return run(&search, parents, source_count);
}

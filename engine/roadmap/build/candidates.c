/* Candidate edges: flag each pair once, compact, sort by both ends, measure. */
#include "roadmap/build/candidates.h"

#include "device/try.h"
#include "primitives/compact.h"
#include "primitives/radix_sort.h"
#include "roadmap/collision/scene_arguments.h"

/* Bits that vertex numbers below `count` need, at least one. */
static uint32_t bits_of(uint32_t count)
{
    uint32_t bits = 1;
    while (bits < 32 && (count - 1) >> bits != 0)
        bits++;
    return bits;
}

/* first[v] = how many of the sorted ends are below v: a resident buffer of u32[milestones + 1]. */
static enum prm_status make_first(const struct prm_roadmap *roadmap, struct prm_buffer *first,
                                  struct prm_buffer ends, const char *options)
{
    const size_t count = (size_t)roadmap->milestone_count + 1;
    const struct prm_share share = prm_share_of(roadmap->context, count);
    const enum prm_status status =
        prm_buffer_create(roadmap->context, first, count * sizeof(uint32_t));
    if (status != PRM_OK)
        return status;
    return prm_launch(roadmap->context, PRM_KERNEL_ROADMAP_FIRST_OF, options, share.items,
                      share.group,
                      ARGS(ARG_BUFFER(*first), ARG_BUFFER(ends), ARG_U32(roadmap->edge_count),
                           ARG_U32(roadmap->milestone_count)));
}

/* Slots of `lists` that make an edge; sets edge_count. kept: u32[milestones * k]. */
static enum prm_status keep_pairs(struct prm_arena *arena, struct prm_roadmap *roadmap,
                                  struct prm_buffer kept, struct prm_buffer lists, uint32_t k,
                                  const char *options)
{
    struct prm_context *context = roadmap->context;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const size_t slots = (size_t)roadmap->milestone_count * k;
    const struct prm_share share = prm_share_of(context, roadmap->milestone_count);
    enum prm_status status = PRM_OK;
    struct prm_buffer flags, survivors;

    TRY(prm_arena_take(arena, &flags, slots * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &survivors, sizeof(uint32_t)));
    TRY(prm_launch(
        context, PRM_KERNEL_ROADMAP_FLAG_PAIRS, options, share.items, share.group,
        ARGS(ARG_BUFFER(flags), ARG_BUFFER(lists), ARG_U32(k), ARG_U32(roadmap->milestone_count))));
    TRY(prm_compact_indices(arena, kept, survivors, flags, slots));
    TRY(prm_buffer_read(context, survivors, 0, &roadmap->edge_count, sizeof(uint32_t)));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* The ends of each pair, stable by the higher one. */
static enum prm_status sort_by_high(struct prm_arena *arena, struct prm_roadmap *roadmap,
                                    struct prm_candidates *candidates, struct prm_buffer lists,
                                    uint32_t k, const char *options)
{
    struct prm_context *context = roadmap->context;
    const uint32_t edges = roadmap->edge_count;
    const struct prm_share share = prm_share_of(context, edges);
    const struct prm_sort_options sort = {.key_bits = bits_of(roadmap->milestone_count)};
    enum prm_status status = PRM_OK;

    TRY(prm_arena_take(arena, &candidates->low, prm_words(edges)));
    TRY(prm_arena_take(arena, &candidates->high, prm_words(edges)));
    TRY(prm_launch(context, PRM_KERNEL_ROADMAP_PAIR_ENDS, options, share.items, share.group,
                   ARGS(ARG_BUFFER(candidates->low), ARG_BUFFER(candidates->high),
                        ARG_BUFFER(lists), ARG_BUFFER(candidates->kept), ARG_U32(k),
                        ARG_U32(edges))));
    TRY(prm_radix_sort(arena, candidates->high, candidates->low, PRM_NO_BUFFER, PRM_NO_BUFFER,
                       edges, &sort));
cleanup:
    return status;
}

/* Then stable by the lower one: ascending by (low, high). */
static enum prm_status sort_by_low(struct prm_arena *arena, struct prm_roadmap *roadmap,
                                   struct prm_candidates *candidates)
{
    const struct prm_sort_options sort = {.key_bits = bits_of(roadmap->milestone_count)};
    return prm_radix_sort(arena, candidates->low, candidates->high, PRM_NO_BUFFER, PRM_NO_BUFFER,
                          roadmap->edge_count, &sort);
}

/* edges and lengths of the sorted pairs. */
static enum prm_status measure(struct prm_roadmap *roadmap, struct prm_candidates *candidates,
                               const char *options)
{
    struct prm_context *context = roadmap->context;
    const uint32_t edges = roadmap->edge_count;
    const struct prm_share share = prm_share_of(context, edges);
    enum prm_status status = PRM_OK;

    TRY(prm_buffer_create(context, &roadmap->edges, 2 * prm_words(edges)));
    TRY(prm_buffer_create(context, &roadmap->lengths, prm_words(edges)));
    TRY(prm_launch(context, PRM_KERNEL_ROADMAP_MEASURE, options, share.items, share.group,
                   ARGS(ARG_BUFFER(roadmap->edges), ARG_BUFFER(roadmap->lengths),
                        ARG_BUFFER(candidates->low), ARG_BUFFER(candidates->high),
                        ARG_BUFFER(roadmap->states), ARG_U32(edges))));
    TRY(make_first(roadmap, &roadmap->first_low, candidates->low, options));
cleanup:
    return status;
}

/* The second order: stable by b, and so ascending by (b, a). */
static enum prm_status order_by_high(struct prm_arena *arena, struct prm_roadmap *roadmap,
                                     const char *options)
{
    struct prm_context *context = roadmap->context;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t edges = roadmap->edge_count;
    const size_t bytes = edges * sizeof(uint32_t);
    const struct prm_share share = prm_share_of(context, edges);
    const struct prm_sort_options sort = {.key_bits = bits_of(roadmap->milestone_count)};
    enum prm_status status = PRM_OK;
    struct prm_buffer ends;

    TRY(prm_arena_take(arena, &ends, bytes));
    TRY(prm_buffer_create(context, &roadmap->by_high, bytes));
    TRY(prm_launch(context, PRM_KERNEL_ROADMAP_UPPER_ENDS, options, share.items, share.group,
                   ARGS(ARG_BUFFER(ends), ARG_BUFFER(roadmap->by_high), ARG_BUFFER(roadmap->edges),
                        ARG_U32(edges))));
    TRY(prm_radix_sort(arena, ends, roadmap->by_high, PRM_NO_BUFFER, PRM_NO_BUFFER, edges, &sort));
    TRY(make_first(roadmap, &roadmap->first_high, ends, options));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_candidates_make(struct prm_candidates *candidates, struct prm_arena *arena,
                                    struct prm_roadmap *roadmap, struct prm_buffer lists,
                                    uint32_t k, bool *done)
{
    const size_t slots = (size_t)roadmap->milestone_count * k;
    enum prm_status status = PRM_OK;
    char options[PRM_SCENE_OPTIONS_MAX];

    prm_space_options(options, &roadmap->space);
    *done = false;
    switch (candidates->step++) {
    case 0:
        candidates->mark = prm_arena_mark(arena);
        TRY(prm_arena_take(arena, &candidates->kept, slots * sizeof(uint32_t)));
        TRY(keep_pairs(arena, roadmap, candidates->kept, lists, k, options));
        break;
    case 1:
        TRY(sort_by_high(arena, roadmap, candidates, lists, k, options));
        break;
    case 2:
        TRY(sort_by_low(arena, roadmap, candidates));
        break;
    case 3:
        TRY(measure(roadmap, candidates, options));
        prm_arena_rewind(arena, candidates->mark);
        break;
    default:
        TRY(order_by_high(arena, roadmap, options));
        *done = true;
        break;
    }
cleanup:
    return status;
}

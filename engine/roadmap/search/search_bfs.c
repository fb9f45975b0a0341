/* The launches of bit-parallel BFS in its two forms: a batch a work-item, or a launch a level. */
#include "device/launch.h"
#include "device/try.h"
#include "kernels/search_control.h"
#include "primitives/radix_sort.h"
#include "roadmap/collision/scene_arguments.h"
#include "roadmap/search/search_methods.h"

#include <stdio.h>

enum {
    WORD_BITS = 64,
    WORDS_MAX = 8,
    LEVELS_A_READBACK =
        8, /* of the launch form: how often the host looks whether a frontier is left */
};

/* Queries of one batch and the words that hold their bits. */
struct batching {
    uint32_t size, count, words;
    char options[32];
};

/* Batches as large as their bits allow, but at least `batches` of them if that is possible. */
static struct batching batching_make(uint32_t query_count, uint32_t batches)
{
    struct batching b = {.size = (query_count + batches - 1) / batches};

    b.words = b.size <= WORD_BITS ? 1 : WORDS_MAX;
    if (batches == 1 || b.size > b.words * WORD_BITS)
        b.size = b.words * WORD_BITS;
    b.count = (query_count + b.size - 1) / b.size;
    snprintf(b.options, sizeof(b.options), "-DWORDS=%u", b.words);
    return b;
}

/* The queries in the order in which they make batches, with `alike` those of a batch alike:
 * u32[query_count], a piece of the arena. */
static enum prm_status make_order(struct prm_arena *arena, struct prm_buffer *order,
                                  const struct prm_search_problem *problem, bool alike)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const uint32_t n = problem->query_count;
    const struct prm_space *space = problem->space;
    const struct prm_share share = prm_share_of(context, n);
    struct prm_arena_mark mark = prm_arena_mark(arena);
    struct prm_buffer keys;
    char options[PRM_SCENE_OPTIONS_MAX] = "";

    if (space)
        prm_space_options(options, space);
    TRY(prm_arena_take(arena, order, n * sizeof(uint32_t)));
    mark = prm_arena_mark(arena);
    TRY(prm_arena_take(arena, &keys, n * sizeof(uint32_t)));
    TRY(prm_launch(context, PRM_KERNEL_ORDER_QUERIES, options, share.items, share.group,
                   ARGS(ARG_BUFFER(keys), ARG_BUFFER(*order), ARG_BUFFER(problem->queries),
                        ARG_BUFFER(space ? problem->endpoints->states : keys), ARG_U32(n))));
    if (space && alike)
        TRY(prm_radix_sort(arena, keys, *order, PRM_NO_BUFFER, PRM_NO_BUFFER, n, NULL));

cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* A batch a work-item at a time, one work-item a core. */
static enum prm_status sweep(struct prm_arena *arena, const struct prm_search_run *run,
                             const struct prm_search_left *left, const struct batching *b)
{
    enum { PLANES = 4, LISTS = 3 };
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_search_problem *problem = run->problem;
    const struct prm_graph *graph = problem->graph;
    const uint32_t items = b->count < profile->compute_units ? b->count : profile->compute_units;
    const size_t vertices = (size_t)items * graph->vertex_count;
    struct prm_buffer planes, lists, order = left->queries;

    // where each core has one batch, all wait for the longest anyway
    if (!order.memory)
        TRY(make_order(arena, &order, problem, b->count > items));
    TRY(prm_arena_take(arena, &planes, PLANES * vertices * b->words * sizeof(uint64_t)));
    TRY(prm_arena_take(arena, &lists, LISTS * vertices * sizeof(uint32_t)));
    TRY(prm_launch(context, PRM_KERNEL_BFS_SWEEP, b->options, items, profile->workgroup,
                   ARGS(SEARCH_ARGS(run), ARG_BUFFER(order), ARG_U32(left->count), ARG_U32(b->size),
                        ARG_BUFFER(planes), ARG_BUFFER(lists), ARG_U32(items))));

cleanup:
    return status;
}

/* A round of batches that search level by level together. */
struct round {
    uint32_t first, queries, batches; /* its queries are first … first + queries - 1 */
    struct prm_buffer low, high, frontiers[2], live;
};

static enum prm_status round_seed(struct prm_context *context, const struct prm_search_run *run,
                                  const struct batching *b, const struct round *round)
{
    enum prm_status status = PRM_OK;
    const struct prm_search_problem *problem = run->problem;
    const struct prm_endpoints *ends = problem->endpoints;
    const uint32_t workgroup = prm_context_profile(context)->workgroup;
    const size_t live_words =
        (size_t)round->batches * b->words * (sizeof(uint64_t) / sizeof(uint32_t));
    const size_t plane_words = live_words * problem->graph->vertex_count;

    TRY(prm_buffer_fill_u32(context, round->live, 0, 0, live_words));
    TRY(prm_buffer_fill_u32(context, round->low, 0, 0, plane_words));
    TRY(prm_buffer_fill_u32(context, round->high, 0, 0, plane_words));
    TRY(prm_buffer_fill_u32(context, round->frontiers[0], 0, 0, plane_words));
    TRY(prm_launch(context, PRM_KERNEL_BFS_SEED, b->options, round->queries, workgroup,
                   ARGS(ARG_BUFFER(round->low), ARG_BUFFER(round->frontiers[0]),
                        ARG_BUFFER(round->live), ARG_BUFFER(run->paths->first),
                        ARG_BUFFER(run->paths->counts), ARG_BUFFER(problem->queries),
                        ARG_U32(round->first), ARG_U32(round->queries), ARG_BUFFER(run->vertices),
                        ARG_BUFFER(ends->costs), ARG_U32(ends->k),
                        ARG_U32(problem->graph->vertex_count))));

cleanup:
    return status;
}

static enum prm_status round_meet(struct prm_context *context, const struct prm_search_run *run,
                                  const struct batching *b, const struct round *round,
                                  uint32_t level)
{
    const struct prm_search_problem *problem = run->problem;
    const struct prm_endpoints *ends = problem->endpoints;

    return prm_launch(context, PRM_KERNEL_BFS_MEET, b->options, round->queries,
                      prm_context_profile(context)->workgroup,
                      ARGS(ARG_BUFFER(run->paths->counts), ARG_BUFFER(round->live),
                           ARG_BUFFER(round->frontiers[level % 2]), ARG_BUFFER(problem->queries),
                           ARG_U32(round->first), ARG_U32(round->queries),
                           ARG_BUFFER(run->vertices), ARG_BUFFER(ends->costs), ARG_U32(ends->k),
                           ARG_U32(problem->graph->vertex_count), ARG_U32(level)));
}

/* The frontier of `level` from that of the level before. */
static enum prm_status round_pull(struct prm_context *context, const struct prm_search_run *run,
                                  const struct batching *b, const struct round *round,
                                  uint32_t level)
{
    static const uint32_t LEVEL_CODES = 3;
    const struct prm_graph *graph = run->problem->graph;
    const uint64_t items = (uint64_t)round->batches * b->words * graph->vertex_count;

    return prm_launch(
        context, PRM_KERNEL_BFS_PULL, b->options, items, prm_context_profile(context)->workgroup,
        ARGS(ARG_BUFFER(round->frontiers[level % 2]), ARG_BUFFER(round->low),
             ARG_BUFFER(round->high), ARG_BUFFER(round->frontiers[(level + 1) % 2]),
             ARG_BUFFER(round->live), ARG_BUFFER(run->control), ARG_BUFFER(graph->offsets),
             ARG_BUFFER(graph->arcs), ARG_U32(graph->vertex_count),
             ARG_U32(level % LEVEL_CODES + 1), ARG_U64(items)));
}

/* Levels until no frontier is left; a level too many finds nothing. */
static enum prm_status round_levels(struct prm_context *context, const struct prm_search_run *run,
                                    const struct batching *b, const struct round *round)
{
    enum prm_status status = PRM_OK;
    const size_t flag = SEARCH_FRONTIER * sizeof(uint32_t);
    uint32_t frontier = 1;

    TRY(round_meet(context, run, b, round, 0));
    for (uint32_t level = 1; frontier; level++) {
        const bool look = level % LEVELS_A_READBACK == 0;
        if (look)
            TRY(prm_buffer_fill_u32(context, run->control, flag, 0, 1));
        TRY(round_pull(context, run, b, round, level));
        TRY(round_meet(context, run, b, round, level));
        // read-back: is there a frontier still?
        if (look)
            TRY(prm_buffer_read(context, run->control, flag, &frontier, sizeof(frontier)));
    }

cleanup:
    return status;
}

static enum prm_status round_finish(struct prm_arena *arena, const struct prm_search_run *run,
                                    const struct batching *b, const struct round *round)
{
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_search_problem *problem = run->problem;

    if (problem->extraction == PRM_EXTRACT_RANKING) {
        const struct prm_bfs_levels levels = {round->low, round->high, b->options};
        return prm_path_rank(arena, run, &levels, round->first, round->queries);
    }
    return prm_launch(context, PRM_KERNEL_BFS_FINISH, b->options, round->queries,
                      prm_context_profile(context)->workgroup,
                      ARGS(SEARCH_ARGS(run), ARG_BUFFER(round->low), ARG_BUFFER(round->high),
                           ARG_U32(round->first), ARG_U32(round->queries)));
}

/* A launch a level, over as many batches at once as memory allows. */
static enum prm_status launches(struct prm_arena *arena, const struct prm_search_run *run,
                                const struct batching *b)
{
    enum { PLANES = 4 };
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_search_problem *problem = run->problem;
    struct round round = {0};

    const size_t plane_bytes = (size_t)problem->graph->vertex_count * b->words * sizeof(uint64_t);
    size_t batches = PRM_SEARCH_SCRATCH_BYTES / (PLANES * plane_bytes + 1);
    batches = batches < 1 ? 1 : batches > b->count ? b->count : batches;
    TRY(prm_arena_take(arena, &round.low, batches * plane_bytes));
    TRY(prm_arena_take(arena, &round.high, batches * plane_bytes));
    TRY(prm_arena_take(arena, &round.frontiers[0], batches * plane_bytes));
    TRY(prm_arena_take(arena, &round.frontiers[1], batches * plane_bytes));
    TRY(prm_arena_take(arena, &round.live, batches * b->words * sizeof(uint64_t)));

    const uint32_t size = (uint32_t)batches * b->size;
    for (round.first = 0; round.first < problem->query_count; round.first += round.queries) {
        const uint32_t left = problem->query_count - round.first;
        round.queries = left < size ? left : size;
        round.batches = (round.queries + b->size - 1) / b->size;
        TRY(round_seed(context, run, b, &round));
        TRY(round_levels(context, run, b, &round));
        TRY(round_finish(arena, run, b, &round));
    }

cleanup:
    return status;
}

enum prm_status prm_search_bfs(struct prm_arena *arena, const struct prm_search_run *run,
                               const struct prm_search_left *left)
{
    const struct prm_profile *profile = prm_context_profile(prm_arena_context(arena));
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;

    // a round of launches has whole batches, a sweep one for every core
    const bool by_level =
        profile->shape == PRM_SHAPE_GPU || run->problem->extraction == PRM_EXTRACT_RANKING;
    const struct batching b = batching_make(left->count, by_level ? 1 : profile->compute_units);
    TRY(by_level ? launches(arena, run, &b) : sweep(arena, run, left, &b));

cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

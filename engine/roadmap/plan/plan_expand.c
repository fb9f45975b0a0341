/* What is left of a batch: the queries that the roadmap alone does not answer, piece by piece
 * through connection, growth in steps, and the search over what has grown. */
#include "device/assert.h"
#include "device/clock.h"
#include "device/try.h"
#include "roadmap/plan/plan_piece.h"

#include <stdlib.h>
#include <string.h>

/* Of a query that is left. */
struct left_query {
    uint32_t number;   /* in the batch */
    size_t first_word; /* of how its ends were linked */
};

struct prm_expansion {
    struct prm_arena *arena; /* its own, so that other batches may be planned between steps */
    struct plan_batch batch;
    struct prm_plan_options options;
    struct prm_query *queries; /* [count], copies */
    struct left_query *left;   /* [count] */
    uint32_t count;
    size_t query_capacity, left_capacity;

    /* how ends were linked, query by query as struct plan_links has it, one array after the other;
     * NULL: they are linked anew */
    uint32_t *words;
    size_t word_count, word_capacity;

    /* the piece that is in work */
    uint32_t begun; /* queries of this piece and those before it */
    bool in_work;
    struct plan_piece piece;
    struct prm_plan_result *results; /* [piece.count] */
    struct prm_expander *expander;
};

enum prm_status prm_expansion_create(struct prm_expansion **expansion,
                                     const struct plan_batch *batch)
{
    struct prm_expansion *made = calloc(1, sizeof(*made));

    *expansion = made;
    if (!made)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory to expand a batch");
    made->options = *batch->options;
    made->batch = *batch;
    made->batch.options = &made->options;
    made->batch.arena = NULL;
    return PRM_OK;
}

/* Room for `count` things of `bytes` each in *list, of which *capacity fit so far. */
static enum prm_status reserve(void **list, size_t *capacity, size_t count, size_t bytes)
{
    if (count <= *capacity)
        return PRM_OK;
    void *moved = realloc(*list, 2 * count * bytes);
    if (!moved)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory to expand a batch");
    *list = moved;
    *capacity = 2 * count;
    return PRM_OK;
}

enum prm_status prm_expansion_add(struct prm_expansion *expansion, const struct prm_query *query,
                                  uint32_t number, const struct plan_links *links)
{
    enum prm_status status = PRM_OK;
    const size_t ends = links ? (size_t)1 + query->goal_count : 0;
    const size_t ends_links = ends * expansion->batch.connect_k;
    const size_t first = expansion->word_count, count = (size_t)expansion->count + 1;
    void *queries = expansion->queries, *left = expansion->left, *words = expansion->words;

    status = reserve(&queries, &expansion->query_capacity, count, sizeof(*expansion->queries));
    expansion->queries = queries;
    TRY(status);
    status = reserve(&left, &expansion->left_capacity, count, sizeof(*expansion->left));
    expansion->left = left;
    TRY(status);
    status =
        reserve(&words, &expansion->word_capacity, first + ends + 2 * ends_links, sizeof(uint32_t));
    expansion->words = words;
    TRY(status);
    if (links) {
        PRM_ASSERT(expansion->words);
        memcpy(expansion->words + first, links->flags, ends * sizeof(uint32_t));
        memcpy(expansion->words + first + ends, links->vertices, ends_links * sizeof(uint32_t));
        memcpy(expansion->words + first + ends + ends_links, links->costs,
               ends_links * sizeof(uint32_t));
    }
    expansion->word_count += ends + 2 * ends_links;
    expansion->left[expansion->count] = (struct left_query){number, first};
    expansion->queries[expansion->count++] = *query;

cleanup:
    return status;
}

/* How the ends of query i were linked. */
static struct plan_links links_of(const struct prm_expansion *expansion, uint32_t i)
{
    const size_t ends = (size_t)1 + expansion->queries[i].goal_count;
    const uint32_t *words = expansion->words + expansion->left[i].first_word;
    return (struct plan_links){words, words + ends,
                               words + ends + ends * expansion->batch.connect_k};
}

enum prm_status prm_expansion_part(struct prm_expansion **part, const struct prm_expansion *whole,
                                   struct prm_plan_results *results, uint32_t first, uint32_t count)
{
    enum prm_status status = PRM_OK;
    struct prm_expansion *made = NULL;

    *part = NULL;
    for (uint32_t i = 0; i < whole->count; i++) {
        const uint32_t number = whole->left[i].number;
        if (number < first || number - first >= count)
            continue;
        if (!made) {
            TRY(prm_expansion_create(&made, &whole->batch));
            made->batch.results = results;
        }
        const struct plan_links links = links_of(whole, i);
        TRY(prm_expansion_add(made, &whole->queries[i], number - first, &links));
    }
    *part = made;
    made = NULL;

cleanup:
    prm_expansion_destroy(made);
    return status;
}

uint32_t prm_expansion_count(const struct prm_expansion *expansion)
{
    return expansion->count;
}

/* ---- pieces ---- */

static void piece_end(struct prm_expansion *expansion)
{
    prm_expander_destroy(expansion->expander);
    expansion->expander = NULL;
    free(expansion->results);
    expansion->results = NULL;
    prm_plan_piece_deinit(&expansion->piece);
    expansion->piece = (struct plan_piece){0};
    expansion->in_work = false;
    if (expansion->arena)
        prm_arena_rewind(expansion->arena, (struct prm_arena_mark){0});
}

/* Answers the query of that place that its deadline is over. */
static void give_up(struct prm_expansion *expansion, uint32_t place)
{
    expansion->batch.results->results[expansion->left[place].number] = (struct prm_plan_result){
        .status = PRM_DEADLINE_EXCEEDED,
        .clamped = expansion->batch.results->results[expansion->left[place].number].clamped,
    };
}

/* Passes over queries whose deadline is over before they are begun. */
static void pass_late(struct prm_expansion *expansion)
{
    const double now_ms = prm_clock_ms();
    while (expansion->begun < expansion->count &&
           plan_is_late(&expansion->queries[expansion->begun], now_ms))
        give_up(expansion, expansion->begun++);
}

/* Whether the deadlines of all queries of the piece are over; then they are given up. */
static bool piece_is_late(struct prm_expansion *expansion)
{
    const uint32_t first = expansion->begun - expansion->piece.count;
    const double now_ms = prm_clock_ms();
    for (uint32_t q = first; q < expansion->begun; q++)
        if (!plan_is_late(&expansion->queries[q], now_ms))
            return false;
    for (uint32_t q = first; q < expansion->begun; q++)
        give_up(expansion, q);
    return true;
}

/* Links the ends of the piece's queries, from `first` on, as they were linked before. */
static enum prm_status link_again(struct prm_expansion *expansion, uint32_t first)
{
    struct plan_piece *piece = &expansion->piece;
    const size_t k = expansion->batch.connect_k, piece_links = piece->end_count * k;

    piece->links = malloc(2 * piece_links * sizeof(uint32_t) + 1);
    if (!piece->links)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu links", piece_links);
    for (uint32_t q = 0; q < piece->count; q++) {
        if (!plan_is_asked(piece, &piece->queries[q]))
            continue;
        const struct plan_links links = links_of(expansion, first + q);
        const size_t end = piece->asked[q].start, ends = (size_t)1 + piece->queries[q].goal_count;
        memcpy(piece->flags + end, links.flags, ends * sizeof(uint32_t));
        memcpy(piece->links + end * k, links.vertices, ends * k * sizeof(uint32_t));
        memcpy(piece->links + piece_links + end * k, links.costs, ends * k * sizeof(uint32_t));
    }
    return prm_plan_link_again(piece);
}

/* Links the ends of the next piece, and plants its trees. */
static enum prm_status piece_begin(struct prm_expansion *expansion)
{
    enum prm_status status = PRM_OK;
    struct plan_batch *batch = &expansion->batch;
    struct plan_piece *piece = &expansion->piece;
    const uint32_t first = expansion->begun;

    if (!expansion->arena)
        TRY(prm_arena_create(batch->roadmap->context, &expansion->arena));
    batch->arena = expansion->arena;
    *piece = (struct plan_piece){.batch = batch};
    prm_plan_cut(piece, expansion->queries + first, expansion->count - first);
    expansion->begun += piece->count;
    expansion->in_work = true;
    piece->results = expansion->results = calloc(piece->count, sizeof(*expansion->results));
    if (!expansion->results)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u results", piece->count);
    for (uint32_t q = 0; q < piece->count; q++) {
        if (plan_is_late(&piece->queries[q], piece->now_ms))
            give_up(expansion, first + q);
        expansion->results[q] = batch->results->results[expansion->left[first + q].number];
    }

    TRY(prm_plan_piece_init(piece));
    prm_plan_lay_out(piece);
    TRY(expansion->word_count > 0 ? link_again(expansion, first) : prm_plan_connect(piece));
    const struct prm_expand_input input = {
        .roadmap = batch->roadmap,
        .validity = batch->validity,
        .scene = &batch->scene,
        .index = batch->index,
        .ends = &piece->ends,
        .flags = piece->flags_device,
        .queries = piece->asked_device,
        .asked = piece->asked,
        .rows = piece->rows,
        .query_count = piece->count,
        .samples_max = expansion->options.expand_samples,
    };
    TRY(prm_expander_create(expansion->arena, &expansion->expander, &input));

cleanup:
    return status;
}

/* Searches over what has grown, and answers the queries that have a path now. */
static enum prm_status piece_finish(struct prm_expansion *expansion)
{
    enum prm_status status = PRM_OK;
    struct plan_piece *piece = &expansion->piece;
    struct prm_plan_results *results = expansion->batch.results;
    const uint32_t first = expansion->begun - piece->count;

    piece->approaches = prm_expander_approaches(expansion->expander);
    if (piece->approaches->met_count + piece->approaches->joined_count == 0)
        goto cleanup;
    TRY(prm_plan_filter(piece));
    TRY(prm_plan_finish(piece, &results->times));
    for (uint32_t q = 0; q < piece->count; q++) {
        if (expansion->results[q].status != PRM_SOLVED)
            continue;
        expansion->results[q].expanded = true;
        results->results[expansion->left[first + q].number] = expansion->results[q];
    }

cleanup:
    return status;
}

enum prm_status prm_expansion_step(struct prm_expansion *expansion, bool *done)
{
    enum prm_status status = PRM_OK;
    struct prm_plan_times *times = &expansion->batch.results->times;
    const double started = prm_clock_ms();
    bool grown = false;

    if (expansion->in_work && piece_is_late(expansion))
        piece_end(expansion);
    if (!expansion->in_work)
        pass_late(expansion);
    *done = expansion->begun == expansion->count && !expansion->in_work;
    if (*done)
        return PRM_OK;
    if (!expansion->in_work) {
        TRY(piece_begin(expansion));
        times->expand_ms += prm_clock_ms() - started;
    } else {
        TRY(prm_expander_step(expansion->expander, &grown));
        times->expand_ms += prm_clock_ms() - started;
        if (grown) {
            TRY(piece_finish(expansion));
            piece_end(expansion);
            *done = expansion->begun == expansion->count;
        }
    }

cleanup:
    times->total_ms += prm_clock_ms() - started;
    return status;
}

void prm_expansion_destroy(struct prm_expansion *expansion)
{
    if (!expansion)
        return;
    piece_end(expansion);
    prm_arena_destroy(expansion->arena);
    free(expansion->queries);
    free(expansion->left);
    free(expansion->words);
    free(expansion);
}

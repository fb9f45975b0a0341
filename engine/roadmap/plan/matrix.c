/* Pieces of states, pieces of pairs, and what is left of these; each pair goes through the stages
 * of a query with ends that are linked already. */
#include "roadmap/plan/matrix.h"

#include "device/clock.h"
#include "device/launch.h"
#include "device/try.h"
#include "roadmap/plan/plan_piece.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* States and pairs of a step: as many as about so much time takes, by the last piece. */
#define STEP_MS 2.0
enum { PIECE_FIRST = 64, PIECE_MAX = 4096 };

struct prm_matrix {
    struct prm_context *context;
    struct prm_matrix_input input;
    struct prm_plan_options options;
    struct plan_batch batch;
    struct prm_matrix_results results;

    /* states, as far as they are done */
    uint32_t states_done, *flags; /* [state_count] of enum end_flag */
    struct prm_links links;       /* of connect_k each */

    size_t pairs_done;
    uint32_t piece; /* states or pairs of the next step */

    /* pairs that trees may yet answer */
    struct prm_plan_results left; /* [count], of which left_pairs[i] are */
    size_t *left_pairs, left_capacity;
    struct prm_expansion *expansion; /* NULL: none are left */
    bool expanded;
};

enum prm_status prm_matrix_create(struct prm_matrix **matrix, const struct prm_roadmap *roadmap,
                                  const struct prm_validity *validity,
                                  const struct prm_world *world,
                                  const struct prm_matrix_input *input,
                                  const struct prm_plan_options *options)
{
    enum prm_status status = PRM_OK;
    const size_t pairs = (size_t)input->source_count * input->target_count;
    struct prm_matrix *made = calloc(1, sizeof(*made));

    *matrix = NULL;
    if (!made)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a matrix");
    made->context = roadmap->context;
    made->input = *input;
    made->options = *options;
    made->options.simplify = false;
    made->options.interpolate = 0;
    made->options.output = PRM_OUTPUT_COST;
    made->piece = PIECE_FIRST;
    made->left.dof = roadmap->space.dof;
    made->batch = prm_plan_batch(&made->left, roadmap, validity, world, &made->options);
    TRY(prm_plan_options_check(&made->options));

    const size_t links = (size_t)input->state_count * made->batch.connect_k;
    made->results.pairs = pairs;
    made->results.lengths = malloc(pairs * sizeof(double) + 1);
    made->results.hops = calloc(pairs + 1, sizeof(uint32_t));
    made->results.states = calloc((size_t)input->state_count + 1, sizeof(*made->results.states));
    made->flags = calloc((size_t)input->state_count + 1, sizeof(uint32_t));
    if (!made->results.lengths || !made->results.hops || !made->results.states || !made->flags) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a matrix of %zu pairs", pairs);
        goto cleanup;
    }
    TRY(prm_buffer_create(made->context, &made->links.vertices, prm_words(links)));
    TRY(prm_buffer_create(made->context, &made->links.costs, prm_words(links)));
    TRY(prm_buffer_create(made->context, &made->links.flags, prm_words(input->state_count)));
    *matrix = made;
    made = NULL;

cleanup:
    prm_matrix_destroy(made);
    return status;
}

void prm_matrix_destroy(struct prm_matrix *matrix)
{
    if (!matrix)
        return;
    prm_expansion_destroy(matrix->expansion);
    prm_plan_results_deinit(&matrix->left);
    prm_buffer_destroy(matrix->context, &matrix->links.vertices);
    prm_buffer_destroy(matrix->context, &matrix->links.costs);
    prm_buffer_destroy(matrix->context, &matrix->links.flags);
    prm_matrix_results_deinit(&matrix->results);
    free(matrix->flags);
    free(matrix->left_pairs);
    free(matrix);
}

struct prm_matrix_results prm_matrix_take(struct prm_matrix *matrix)
{
    const struct prm_matrix_results taken = matrix->results;
    matrix->results = (struct prm_matrix_results){0};
    return taken;
}

void prm_matrix_results_deinit(struct prm_matrix_results *results)
{
    free(results->lengths);
    free(results->hops);
    free(results->states);
    *results = (struct prm_matrix_results){0};
}

const struct prm_matrix_results *prm_matrix_results(const struct prm_matrix *matrix)
{
    return &matrix->results;
}

/* The next piece takes about the time of a step. */
static void pace(struct prm_matrix *matrix, double took_ms)
{
    if (took_ms > 2 * STEP_MS && matrix->piece > 1)
        matrix->piece /= 2;
    else if (took_ms < STEP_MS / 2 && matrix->piece < PIECE_MAX)
        matrix->piece *= 2;
}

/* ---- states ---- */

/* A state is linked as the start and goal of a query of its own. */
static struct prm_query query_of_state(const struct prm_matrix *matrix, uint32_t s)
{
    const struct prm_matrix_input *input = &matrix->input;
    const double *state = input->states + (size_t)s * matrix->batch.roadmap->space.dof;
    return (struct prm_query){.start = state,
                              .goals = state,
                              .goal_count = 1,
                              .invalid = input->invalid && input->invalid[s],
                              .deadline_ms = input->deadline_ms};
}

/* Keeps the links and the judgement of a piece's states, which begin with state `first`. */
static enum prm_status keep_states(struct prm_matrix *matrix, struct plan_piece *piece,
                                   uint32_t first)
{
    enum prm_status status = PRM_OK;
    struct prm_arena *arena = piece->batch->arena;
    const struct prm_links found = {piece->ends.vertices, piece->ends.costs, piece->flags_device};
    struct prm_buffer which;
    uint32_t *rows = calloc(piece->count + 1, sizeof(*rows));

    if (!rows)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u states", piece->count);
    for (uint32_t q = 0; q < piece->count; q++) {
        const struct prm_plan_result *result = &piece->results[q];
        const bool asked = piece->asked[q].goal_count > 0;
        rows[q] = asked ? piece->asked[q].start : NONE_U32;
        matrix->flags[first + q] = asked ? piece->flags[rows[q]] : 0;
        matrix->results.states[first + q] = (struct prm_matrix_state){
            .status = result->status == PRM_NO_PATH ? PRM_SOLVED : result->status,
            .clamped = result->clamped,
            .reason = result->reason,
        };
        if (result->status == PRM_NO_PATH)
            matrix->results.states[first + q].reason = (struct prm_reason){0};
    }
    if (piece->end_count == 0)
        goto cleanup;
    TRY(prm_arena_take(arena, &which, prm_words(piece->count)));
    TRY(prm_buffer_write(matrix->context, which, 0, rows, prm_words(piece->count)));
    TRY(prm_connect_copy(matrix->context, &matrix->batch.roadmap->space, &matrix->links, &found,
                         which, piece->ends.k, first, piece->count));

cleanup:
    free(rows);
    return status;
}

/* Checks and links a piece of the states. */
static enum prm_status step_states(struct prm_matrix *matrix)
{
    enum prm_status status = PRM_OK;
    const uint32_t first = matrix->states_done, left = matrix->input.state_count - first;
    const uint32_t count = left < matrix->piece ? left : matrix->piece;
    struct prm_query *queries = calloc(count, sizeof(*queries));
    struct plan_piece piece = {.batch = &matrix->batch,
                               .results = calloc(count, sizeof(*piece.results))};

    if (!queries || !piece.results) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %u states", count);
        goto cleanup;
    }
    for (uint32_t i = 0; i < count; i++)
        queries[i] = query_of_state(matrix, first + i);
    prm_plan_cut(&piece, queries, count);
    TRY(prm_plan_piece_init(&piece));
    prm_plan_lay_out(&piece);
    // not solved by being where it is: what it is linked to is asked
    for (uint32_t q = 0; q < piece.count; q++)
        piece.asked[q].skip = piece.asked[q].goal_count == 0;
    if (piece.end_count > 0) {
        TRY(prm_plan_connect(&piece));
        TRY(prm_plan_filter(&piece));
    }
    TRY(prm_plan_judge(&piece));
    TRY(keep_states(matrix, &piece, first));
    matrix->states_done += piece.count;

cleanup:
    prm_plan_piece_deinit(&piece);
    free(piece.results);
    free(queries);
    return status;
}

/* ---- pairs ---- */

static uint32_t source_of(const struct prm_matrix *matrix, size_t pair)
{
    return matrix->input.sources[pair / matrix->input.target_count];
}

static uint32_t target_of(const struct prm_matrix *matrix, size_t pair)
{
    return matrix->input.targets[pair % matrix->input.target_count];
}

/* Whether a state was looked at and is not free. */
static bool is_bad(const struct prm_matrix *matrix, uint32_t s)
{
    return !(matrix->flags[s] & END_FREE) &&
           matrix->results.states[s].status != PRM_DEADLINE_EXCEEDED;
}

/* A pair with a state that is not free is not asked for. */
static struct prm_query query_of_pair(const struct prm_matrix *matrix, size_t pair)
{
    const uint32_t from = source_of(matrix, pair), to = target_of(matrix, pair);
    const size_t dof = matrix->batch.roadmap->space.dof;
    return (struct prm_query){.start = matrix->input.states + from * dof,
                              .goals = matrix->input.states + to * dof,
                              .goal_count = 1,
                              .invalid = is_bad(matrix, from) || is_bad(matrix, to),
                              .deadline_ms = matrix->input.deadline_ms};
}

/* Gives the ends of a piece of pairs the links that their states have. */
static enum prm_status link_ends(const struct prm_matrix *matrix, struct plan_piece *piece,
                                 size_t first)
{
    enum prm_status status = PRM_OK;
    struct prm_arena *arena = piece->batch->arena;
    struct prm_endpoints *ends = &piece->ends;
    const size_t n = piece->end_count, links = n * piece->batch->connect_k;
    struct prm_buffer which;
    uint32_t *rows = calloc(n + 1, sizeof(*rows));

    if (!rows)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu ends", n);
    for (uint32_t q = 0; q < piece->count; q++) {
        const struct query *asked = &piece->asked[q];
        if (asked->goal_count == 0)
            continue;
        rows[asked->start] = source_of(matrix, first + q);
        rows[asked->goal_first] = target_of(matrix, first + q);
    }
    TRY(prm_plan_upload_ends(piece));
    ends->k = piece->batch->connect_k;
    TRY(prm_arena_take(arena, &ends->vertices, prm_words(links)));
    TRY(prm_arena_take(arena, &ends->costs, prm_words(links)));
    TRY(prm_arena_take(arena, &which, prm_words(n)));
    TRY(prm_buffer_write(matrix->context, which, 0, rows, prm_words(n)));
    const struct prm_links copies = {ends->vertices, ends->costs, piece->flags_device};
    TRY(prm_connect_copy(matrix->context, &matrix->batch.roadmap->space, &copies, &matrix->links,
                         which, ends->k, 0, piece->end_count));

cleanup:
    free(rows);
    return status;
}

/* Keeps what is found of a pair. */
static void keep_pair(struct prm_matrix *matrix, size_t pair, const struct prm_plan_result *result)
{
    const bool solved = result->status == PRM_SOLVED;
    matrix->results.lengths[pair] = solved ? result->length : NAN;
    matrix->results.hops[pair] = solved ? result->hops : 0;
    matrix->results.solved += solved;
    matrix->results.late += result->status == PRM_DEADLINE_EXCEEDED;
}

/* Leaves a pair to trees. */
static enum prm_status leave_pair(struct prm_matrix *matrix, size_t pair,
                                  const struct prm_query *query,
                                  const struct prm_plan_result *result)
{
    enum prm_status status = PRM_OK;
    const uint32_t count = matrix->left.count;
    if (!matrix->expansion)
        TRY(prm_expansion_create(&matrix->expansion, &matrix->batch));
    if (count == matrix->left_capacity) {
        const size_t capacity = 2 * matrix->left_capacity + 1;
        size_t *pairs = realloc(matrix->left_pairs, capacity * sizeof(*pairs));
        if (pairs)
            matrix->left_pairs = pairs;
        struct prm_plan_result *results =
            realloc(matrix->left.results, capacity * sizeof(*results));
        if (results)
            matrix->left.results = results;
        if (!pairs || !results)
            return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu pairs", capacity);
        matrix->left_capacity = capacity;
    }
    matrix->left_pairs[count] = pair;
    matrix->left.results[count] = *result;
    TRY(prm_expansion_add(matrix->expansion, query, count, NULL));
    matrix->left.count++;

cleanup:
    return status;
}

/* Searches for a piece of the pairs. */
static enum prm_status step_pairs(struct prm_matrix *matrix)
{
    enum prm_status status = PRM_OK;
    const size_t first = matrix->pairs_done, left = matrix->results.pairs - first;
    const uint32_t count = left < matrix->piece ? (uint32_t)left : matrix->piece;
    struct prm_query *queries = calloc(count, sizeof(*queries));
    struct plan_piece piece = {.batch = &matrix->batch,
                               .results = calloc(count, sizeof(*piece.results))};

    if (!queries || !piece.results) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %u pairs", count);
        goto cleanup;
    }
    for (uint32_t q = 0; q < count; q++)
        queries[q] = query_of_pair(matrix, first + q);
    prm_plan_cut(&piece, queries, count);
    TRY(prm_plan_piece_init(&piece));
    prm_plan_lay_out(&piece);
    if (piece.end_count > 0) {
        TRY(link_ends(matrix, &piece, first));
        TRY(prm_plan_filter(&piece));
    }
    TRY(prm_plan_judge(&piece));
    TRY(prm_plan_finish(&piece, &matrix->results.times));
    for (uint32_t q = 0; q < piece.count; q++) {
        if (matrix->options.expand_samples > 0 && prm_plan_may_expand(&piece, q))
            TRY(leave_pair(matrix, first + q, &queries[q], &piece.results[q]));
        else
            keep_pair(matrix, first + q, &piece.results[q]);
    }
    matrix->pairs_done += piece.count;

cleanup:
    prm_plan_piece_deinit(&piece);
    free(piece.results);
    free(queries);
    return status;
}

/* ---- trees ---- */

static enum prm_status step_trees(struct prm_matrix *matrix)
{
    enum prm_status status = PRM_OK;
    bool done = !matrix->expansion;
    if (!done)
        TRY(prm_expansion_step(matrix->expansion, &done));
    if (!done)
        return PRM_OK;
    for (uint32_t i = 0; i < matrix->left.count; i++)
        keep_pair(matrix, matrix->left_pairs[i], &matrix->left.results[i]);
    matrix->results.times.expand_ms += matrix->left.times.expand_ms;
    matrix->results.times.search_ms += matrix->left.times.search_ms;
    matrix->results.times.extract_ms += matrix->left.times.extract_ms;
    matrix->expanded = true;

cleanup:
    return status;
}

enum prm_status prm_matrix_step(struct prm_planner *planner, struct prm_matrix *matrix, bool *done)
{
    enum prm_status status = PRM_OK;
    struct prm_arena *arena = prm_planner_arena(planner);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct prm_plan_times *times = &matrix->results.times;
    const double started = prm_clock_ms();

    *done = false;
    matrix->batch.arena = arena;
    if (matrix->states_done < matrix->input.state_count) {
        TRY(step_states(matrix));
        times->connect_ms += prm_clock_ms() - started;
        pace(matrix, prm_clock_ms() - started);
        if (matrix->states_done == matrix->input.state_count)
            matrix->piece = PIECE_FIRST;
    } else if (matrix->pairs_done < matrix->results.pairs) {
        TRY(step_pairs(matrix));
        pace(matrix, prm_clock_ms() - started);
    } else if (!matrix->expanded) {
        TRY(step_trees(matrix));
    }
    *done = matrix->expanded;

cleanup:
    prm_arena_rewind(arena, mark);
    times->total_ms += prm_clock_ms() - started;
    return status;
}

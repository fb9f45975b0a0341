/* The stages of planning, each of a piece of a batch. */
#include "device/clock.h"
#include "device/try.h"
#include "roadmap/plan/plan_piece.h"

#include <stdlib.h>

/* A piece has at most so many queries, and ends with so many links; a query of more goals is a
 * piece of its own. */
#define PIECE_QUERIES_MAX ((uint32_t)1 << 14)
/* Of queries with a deadline, which is looked at between pieces. */
#define PIECE_HURRIED_MAX ((uint32_t)1 << 8)
#define PIECE_LINKS_MAX ((uint64_t)1 << 22)

/* Read-backs: the ends' flags, the queries' reports. */
enum prm_status prm_plan_filter(struct plan_piece *piece)
{
    enum prm_status status = PRM_OK;
    struct prm_arena *arena = piece->batch->arena;
    struct prm_context *context = prm_arena_context(arena);
    const size_t n = piece->count;
    struct prm_buffer reports;

    TRY(prm_arena_take(arena, &reports, n * sizeof(struct connect_report)));
    TRY(prm_connect_queries(arena, reports, piece->asked_device, &piece->ends,
                            piece->batch->validity, n));
    const struct prm_read reads[] = {
        {piece->flags_device, piece->flags, piece->end_count * sizeof(uint32_t)},
        {reports, piece->reports, n * sizeof(struct connect_report)},
    };
    TRY(prm_buffer_read_all(context, reads, sizeof(reads) / sizeof(reads[0])));

cleanup:
    return status;
}

enum prm_status prm_plan_search(struct plan_piece *piece)
{
    const struct plan_batch *batch = piece->batch;
    const struct prm_search_problem problem = {
        .graph = &batch->validity->graph,
        .space = &batch->roadmap->space,
        .states = batch->roadmap->states,
        .weight_scale = batch->validity->weight_scale,
        .landmarks = batch->validity->landmarks,
        .endpoints = &piece->ends,
        .queries = piece->asked_device,
        .query_count = piece->count,
        .objective = batch->options->objective,
    };
    return prm_search(batch->arena, &piece->paths, &problem);
}

/* The points of query q's path, its ends left out, and whether it has one. */
static bool path_points(const struct plan_piece *piece, uint32_t q, uint32_t *points)
{
    const uint32_t goal = plan_goal_end(piece, q);
    if (goal == NONE_U32)
        return false;
    *points = piece->counts[q] + plan_approach_count(piece, piece->asked[q].start) +
              plan_approach_count(piece, goal);
    return true;
}

enum prm_status prm_plan_extract(struct plan_piece *piece)
{
    enum prm_status status = PRM_OK;
    struct prm_context *context = prm_arena_context(piece->batch->arena);
    const struct prm_search_paths *paths = &piece->paths;
    const size_t bytes = piece->count * sizeof(uint32_t);
    const size_t pool_bytes = paths->pool_count * sizeof(uint32_t);

    piece->pool = malloc(pool_bytes + 1);
    if (!piece->pool) {
        status =
            prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu path vertices", paths->pool_count);
        goto cleanup;
    }
    const struct prm_read reads[] = {
        {paths->first, piece->first, bytes},
        {paths->counts, piece->counts, bytes},
        {paths->goals, piece->goals, bytes},
        {paths->pool, piece->pool, pool_bytes},
    };
    TRY(prm_buffer_read_all(context, reads, sizeof(reads) / sizeof(reads[0])));
    for (uint32_t q = 0; q < piece->count; q++) {
        uint32_t points = 0;
        piece->path_count += path_points(piece, q, &points);
        if (points > piece->points_max)
            piece->points_max = points;
    }

cleanup:
    return status;
}

/* Tells simplification of the approaches. */
static enum prm_status upload_approaches(const struct plan_piece *piece,
                                         struct prm_simplify_input *input)
{
    enum prm_status status = PRM_OK;
    struct prm_arena *arena = piece->batch->arena;
    struct prm_context *context = prm_arena_context(arena);
    const struct prm_approaches *approaches = piece->approaches;
    const size_t end_bytes = piece->end_count * sizeof(uint32_t);
    const size_t query_bytes = piece->count * sizeof(uint32_t);
    const size_t point_bytes =
        approaches->point_count * piece->batch->roadmap->space.row * sizeof(float);

    TRY(prm_arena_take(arena, &input->approach_first, end_bytes));
    TRY(prm_arena_take(arena, &input->approach_counts, end_bytes));
    TRY(prm_arena_take(arena, &input->approach_points, point_bytes));
    TRY(prm_arena_take(arena, &input->met, query_bytes));
    TRY(prm_buffer_write(context, input->approach_first, 0, approaches->first, end_bytes));
    TRY(prm_buffer_write(context, input->approach_counts, 0, approaches->counts, end_bytes));
    TRY(prm_buffer_write(context, input->approach_points, 0, approaches->points, point_bytes));
    TRY(prm_buffer_write(context, input->met, 0, approaches->met, query_bytes));
    input->approach_point_count = approaches->point_count;

cleanup:
    return status;
}

enum prm_status prm_plan_simplify(struct plan_piece *piece)
{
    enum prm_status status = PRM_OK;
    const struct plan_batch *batch = piece->batch;
    struct prm_context *context = prm_arena_context(batch->arena);
    const size_t bytes = piece->count * sizeof(uint32_t);
    const size_t row_bytes = batch->roadmap->space.row * sizeof(float);
    struct prm_simplify_input input = {
        .paths = &piece->paths,
        .ends = &piece->ends,
        .flags = piece->flags_device,
        .queries = piece->asked_device,
        .states = batch->roadmap->states,
        .query_count = piece->count,
        .points_max = piece->points_max,
    };
    struct prm_polylines polylines;

    if (piece->approaches)
        TRY(upload_approaches(piece, &input));
    TRY(prm_simplify(batch->arena, &polylines, &batch->scene, &input));
    piece->point_first = malloc(2 * bytes);
    piece->points = malloc(polylines.point_count * row_bytes + 1);
    if (!piece->point_first || !piece->points) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu simplified way-points",
                               polylines.point_count);
        goto cleanup;
    }
    piece->point_counts = piece->point_first + piece->count;
    const struct prm_read reads[] = {
        {polylines.first, piece->point_first, bytes},
        {polylines.counts, piece->point_counts, bytes},
        {polylines.points, piece->points, polylines.point_count * row_bytes},
    };
    TRY(prm_buffer_read_all(context, reads, sizeof(reads) / sizeof(reads[0])));

cleanup:
    return status;
}

enum prm_status prm_plan_piece_init(struct plan_piece *piece)
{
    const size_t n = piece->count, ends = piece->end_count;
    const size_t row = piece->batch->roadmap->space.row;

    piece->asked = malloc(n * sizeof(*piece->asked));
    piece->rows = malloc(ends * row * sizeof(*piece->rows) + 1);
    piece->flags = malloc(ends * sizeof(*piece->flags) + 1);
    piece->reports = calloc(n, sizeof(*piece->reports));
    piece->first = calloc(n, 3 * sizeof(*piece->first));
    if (!piece->asked || !piece->rows || !piece->flags || !piece->reports || !piece->first)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu queries with %zu ends", n, ends);
    piece->counts = piece->first + n;
    piece->goals = piece->counts + n;
    return PRM_OK;
}

void prm_plan_piece_deinit(struct plan_piece *piece)
{
    free(piece->asked);
    free(piece->rows);
    free(piece->flags);
    free(piece->reports);
    free(piece->first);
    free(piece->links);
    free(piece->pool);
    free(piece->point_first);
    free(piece->points);
}

static uint32_t query_ends(const struct plan_piece *piece, const struct prm_query *query)
{
    return plan_is_asked(piece, query) ? 1 + query->goal_count : 0;
}

void prm_plan_cut(struct plan_piece *piece, const struct prm_query *queries, uint32_t count)
{
    const struct plan_batch *batch = piece->batch;
    const uint32_t searchable = prm_search_queries_max(batch->roadmap->milestone_count);
    const uint32_t queries_max = searchable < PIECE_QUERIES_MAX ? searchable : PIECE_QUERIES_MAX;

    piece->queries = queries;
    piece->now_ms = prm_clock_ms();
    for (uint32_t q = 0; q < count && q < queries_max; q++) {
        const uint64_t ends = (uint64_t)piece->end_count + query_ends(piece, &queries[q]);
        if (q > 0 && ends * batch->connect_k > PIECE_LINKS_MAX)
            return;
        if (q >= PIECE_HURRIED_MAX && queries[q].deadline_ms > 0)
            return;
        piece->end_count = (uint32_t)ends;
        piece->count++;
    }
}

enum prm_status prm_plan_finish(struct plan_piece *piece, struct prm_plan_times *times)
{
    enum prm_status status = PRM_OK;
    double started = prm_clock_ms(), ended = started;

    if (piece->end_count > 0) {
        TRY(prm_plan_search(piece));
        ended = prm_clock_ms();
        times->search_ms += ended - started;

        started = ended;
        TRY(prm_plan_extract(piece));
        ended = prm_clock_ms();
        times->extract_ms += ended - started;
    }
    if (piece->batch->options->simplify && piece->path_count > 0) {
        started = ended;
        TRY(prm_plan_simplify(piece));
        ended = prm_clock_ms();
        times->simplify_ms += ended - started;
    }
    TRY(prm_plan_answer(piece));
    times->extract_ms += prm_clock_ms() - ended;

cleanup:
    return status;
}

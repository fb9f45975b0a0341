/* Planning as the list of its stages, a piece of the batch at a time. */
#include "roadmap/plan.h"

#include "device/clock.h"
#include "device/try.h"
#include "roadmap/plan_piece.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A piece has at most so many queries, and ends with so many links; a query of more goals is a
 * piece of its own. */
#define PIECE_QUERIES_MAX ((uint32_t)1 << 14)
#define PIECE_LINKS_MAX ((uint64_t)1 << 22)

struct prm_planner {
    struct prm_context *context;
    struct prm_arena *arena;
};

enum prm_status prm_planner_create(struct prm_context *context, struct prm_planner **planner)
{
    enum prm_status status = PRM_OK;
    struct prm_planner *made = calloc(1, sizeof(*made));

    *planner = NULL;
    if (!made)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a planner");
    made->context = context;
    TRY(prm_arena_create(context, &made->arena));
    *planner = made;
    made = NULL;

cleanup:
    prm_planner_destroy(made);
    return status;
}

void prm_planner_destroy(struct prm_planner *planner)
{
    if (!planner)
        return;
    prm_arena_destroy(planner->arena);
    free(planner);
}

struct prm_arena *prm_planner_arena(struct prm_planner *planner)
{
    return planner->arena;
}

/* ---- stages ---- */

/* Links the ends to the roadmap. Read-backs: the ends' flags, the queries' reports. */
static enum prm_status connect(struct plan_piece *piece)
{
    enum prm_status status = PRM_OK;
    const struct plan_batch *batch = piece->batch;
    struct prm_arena *arena = batch->arena;
    struct prm_context *context = prm_arena_context(arena);
    const size_t n = piece->count, ends = piece->end_count;
    const struct prm_connect_options options = {
        .roadmap = batch->roadmap,
        .validity = batch->validity,
        .scene = &batch->scene,
        .index = batch->index,
        .k = batch->connect_k,
        .radius = batch->options->connect_radius,
        .enough = batch->options->connect_enough,
    };
    struct prm_buffer reports;

    // what the host knows of ends and queries
    const size_t row_bytes = batch->roadmap->space.row * sizeof(float);
    piece->ends.count = piece->end_count;
    TRY(prm_arena_take(arena, &piece->ends.states, ends * row_bytes));
    TRY(prm_arena_take(arena, &piece->flags_device, ends * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &piece->asked_device, n * sizeof(struct query)));
    TRY(prm_arena_take(arena, &reports, n * sizeof(struct connect_report)));
    TRY(prm_buffer_write(context, piece->ends.states, 0, piece->rows, ends * row_bytes));
    TRY(prm_buffer_write(context, piece->flags_device, 0, piece->flags, ends * sizeof(uint32_t)));
    TRY(prm_buffer_write(context, piece->asked_device, 0, piece->asked, n * sizeof(struct query)));

    TRY(prm_connect_ends(arena, &piece->ends, piece->flags_device, &options));
    TRY(prm_connect_queries(arena, reports, piece->asked_device, &piece->ends, batch->validity, n));
    TRY(prm_buffer_read(context, piece->flags_device, 0, piece->flags, ends * sizeof(uint32_t)));
    TRY(prm_buffer_read(context, reports, 0, piece->reports, n * sizeof(struct connect_report)));

cleanup:
    return status;
}

static enum prm_status search(struct plan_piece *piece)
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

/* Brings the paths' vertices to the host. */
static enum prm_status extract(struct plan_piece *piece)
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
    TRY(prm_buffer_read(context, paths->first, 0, piece->first, bytes));
    TRY(prm_buffer_read(context, paths->counts, 0, piece->counts, bytes));
    TRY(prm_buffer_read(context, paths->goals, 0, piece->goals, bytes));
    TRY(prm_buffer_read(context, paths->pool, 0, piece->pool, pool_bytes));
    for (uint32_t q = 0; q < piece->count; q++) {
        piece->path_count += piece->counts[q] > 0;
        if (piece->counts[q] > piece->vertices_max)
            piece->vertices_max = piece->counts[q];
    }

cleanup:
    return status;
}

/* Makes the paths shorter and brings their points to the host. */
static enum prm_status simplify(struct plan_piece *piece)
{
    enum prm_status status = PRM_OK;
    const struct plan_batch *batch = piece->batch;
    struct prm_context *context = prm_arena_context(batch->arena);
    const size_t bytes = piece->count * sizeof(uint32_t);
    const size_t row_bytes = batch->roadmap->space.row * sizeof(float);
    const struct prm_simplify_input input = {
        .paths = &piece->paths,
        .ends = &piece->ends,
        .flags = piece->flags_device,
        .queries = piece->asked_device,
        .states = batch->roadmap->states,
        .query_count = piece->count,
        .vertices_max = piece->vertices_max,
    };
    struct prm_polylines polylines;

    TRY(prm_simplify(batch->arena, &polylines, &batch->scene, &input));
    piece->point_first = malloc(2 * bytes);
    piece->points = malloc(polylines.point_count * row_bytes + 1);
    if (!piece->point_first || !piece->points) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu simplified way-points",
                               polylines.point_count);
        goto cleanup;
    }
    piece->point_counts = piece->point_first + piece->count;
    TRY(prm_buffer_read(context, polylines.first, 0, piece->point_first, bytes));
    TRY(prm_buffer_read(context, polylines.counts, 0, piece->point_counts, bytes));
    TRY(prm_buffer_read(context, polylines.points, 0, piece->points,
                        polylines.point_count * row_bytes));

cleanup:
    return status;
}

/* ---- pieces ---- */

static enum prm_status piece_init(struct plan_piece *piece)
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

static void piece_deinit(struct plan_piece *piece)
{
    free(piece->asked);
    free(piece->rows);
    free(piece->flags);
    free(piece->reports);
    free(piece->first);
    free(piece->pool);
    free(piece->point_first);
    free(piece->points);
}

/* One piece through all stages. */
static enum prm_status piece_plan(struct plan_piece *piece, struct prm_plan_times *times)
{
    enum prm_status status = PRM_OK;
    const struct prm_arena_mark mark = prm_arena_mark(piece->batch->arena);
    double started = prm_clock_ms();

    TRY(piece_init(piece));
    prm_plan_lay_out(piece);
    if (piece->end_count > 0)
        TRY(connect(piece));
    TRY(prm_plan_judge(piece));
    double ended = prm_clock_ms();
    times->connect_ms += ended - started;

    if (piece->end_count > 0) {
        started = ended;
        TRY(search(piece));
        ended = prm_clock_ms();
        times->search_ms += ended - started;

        started = ended;
        TRY(extract(piece));
        ended = prm_clock_ms();
        times->extract_ms += ended - started;
    }
    if (piece->batch->options->simplify && piece->path_count > 0) {
        started = ended;
        TRY(simplify(piece));
        ended = prm_clock_ms();
        times->simplify_ms += ended - started;
    }
    TRY(prm_plan_answer(piece));
    times->extract_ms += prm_clock_ms() - ended;

cleanup:
    piece_deinit(piece);
    prm_arena_rewind(piece->batch->arena, mark);
    return status;
}

static uint32_t query_ends(const struct prm_query *query)
{
    return query->invalid || query->goal_count == 0 ? 0 : 1 + query->goal_count;
}

/* How many of the queries from `first` on make a piece, and their ends. */
static void piece_cut(struct plan_piece *piece, const struct prm_query *queries, uint32_t count)
{
    const struct plan_batch *batch = piece->batch;
    const uint32_t searchable = prm_search_queries_max(batch->roadmap->milestone_count);
    const uint32_t queries_max = searchable < PIECE_QUERIES_MAX ? searchable : PIECE_QUERIES_MAX;

    piece->queries = queries;
    for (uint32_t q = 0; q < count && q < queries_max; q++) {
        const uint64_t ends = (uint64_t)piece->end_count + query_ends(&queries[q]);
        if (q > 0 && ends * batch->connect_k > PIECE_LINKS_MAX)
            return;
        piece->end_count = (uint32_t)ends;
        piece->count++;
    }
}

static enum prm_status options_check(const struct prm_plan_options *options)
{
    if (options->connect_k > PRM_NEIGHBORS_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED, "connect k is %" PRIu32 ", at most %d",
                             options->connect_k, PRM_NEIGHBORS_MAX);
    if (!(options->connect_radius >= 0) || !isfinite(options->connect_radius))
        return prm_fault_set(PRM_INVALID_ARGUMENT, "connect radius is %g, not a length",
                             options->connect_radius);
    if (!(options->interpolate >= 0) || !isfinite(options->interpolate))
        return prm_fault_set(PRM_INVALID_ARGUMENT, "interpolate is %g, not a length",
                             options->interpolate);
    return PRM_OK;
}

enum prm_status prm_plan(struct prm_planner *planner, struct prm_plan_results *results,
                         const struct prm_roadmap *roadmap, const struct prm_validity *validity,
                         const struct prm_world *world, const struct prm_query *queries,
                         uint32_t count, const struct prm_plan_options *options)
{
    enum prm_status status = PRM_OK;
    const double started = prm_clock_ms();
    const struct prm_arena_mark mark = prm_arena_mark(planner->arena);
    struct plan_batch batch = {
        .arena = planner->arena,
        .results = results,
        .roadmap = roadmap,
        .validity = validity,
        .index = roadmap->index,
        .options = options,
        .scene = {&roadmap->space, &roadmap->robot, world, &world->all, roadmap->params.edge_check,
                  roadmap->params.edge_resolution},
        .connect_k = options->connect_k > 0 ? options->connect_k : roadmap->params.k,
    };

    *results = (struct prm_plan_results){.dof = roadmap->space.dof};
    TRY(options_check(options));
    results->results = calloc((size_t)count + 1, sizeof(*results->results));
    if (!results->results) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %" PRIu32 " results", count);
        goto cleanup;
    }
    results->count = count;

    for (uint32_t done = 0; done < count;) {
        struct plan_piece piece = {.batch = &batch, .results = results->results + done};
        piece_cut(&piece, queries + done, count - done);
        done += piece.count;
        TRY(piece_plan(&piece, &results->times));
    }

cleanup:
    prm_arena_rewind(planner->arena, mark);
    results->times.total_ms = prm_clock_ms() - started;
    return status;
}

void prm_plan_results_deinit(struct prm_plan_results *results)
{
    free(results->results);
    free(results->waypoints);
    free(results->nodes);
    *results = (struct prm_plan_results){0};
}

/* Planning: a batch is begun, taken a piece at a time through the stages (plan_stages.c), and
 * ended. */
#include "roadmap/plan/plan.h"

#include "device/clock.h"
#include "device/try.h"
#include "roadmap/plan/plan_piece.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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

/* One piece through all stages; what trees may yet answer is added to what is left. */
static enum prm_status piece_plan(struct plan_piece *piece, struct prm_plan_times *times,
                                  struct prm_expansion *left)
{
    enum prm_status status = PRM_OK;
    const struct prm_arena_mark mark = prm_arena_mark(piece->batch->arena);
    const uint32_t first = (uint32_t)(piece->results - piece->batch->results->results);
    const double started = prm_clock_ms();

    TRY(prm_plan_piece_init(piece));
    prm_plan_lay_out(piece);
    if (piece->end_count > 0) {
        TRY(prm_plan_connect(piece));
        if (left)
            TRY(prm_plan_keep_links(piece));
        TRY(prm_plan_filter(piece));
    }
    TRY(prm_plan_judge(piece));
    times->connect_ms += prm_clock_ms() - started;
    TRY(prm_plan_finish(piece, times));
    for (uint32_t q = 0; left && q < piece->count; q++) {
        if (!prm_plan_may_expand(piece, q))
            continue;
        const size_t k = piece->ends.k, end = piece->asked[q].start;
        const struct plan_links links = {piece->flags + end, piece->links + end * k,
                                         piece->links + (piece->end_count + end) * k};
        TRY(prm_expansion_add(left, &piece->queries[q], first + q, &links));
    }

cleanup:
    prm_plan_piece_deinit(piece);
    prm_arena_rewind(piece->batch->arena, mark);
    return status;
}

enum prm_status prm_plan_options_check(const struct prm_plan_options *options)
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

struct plan_batch prm_plan_batch(struct prm_plan_results *results,
                                 const struct prm_roadmap *roadmap,
                                 const struct prm_validity *validity, const struct prm_world *world,
                                 const struct prm_plan_options *options)
{
    return (struct plan_batch){
        .results = results,
        .roadmap = roadmap,
        .validity = validity,
        .index = roadmap->index,
        .options = options,
        .scene = prm_validity_scene(validity, world),
        .connect_k = options->connect_k > 0 ? options->connect_k : roadmap->params.k,
    };
}

enum prm_status prm_plan_begin(struct prm_planner *planner, struct prm_plan_results *results,
                               struct prm_expansion **left, const struct prm_roadmap *roadmap,
                               const struct prm_validity *validity, const struct prm_world *world,
                               const struct prm_query *queries, uint32_t count,
                               const struct prm_plan_options *options)
{
    enum prm_status status = PRM_OK;
    const double started = prm_clock_ms();
    const struct prm_arena_mark mark = prm_arena_mark(planner->arena);
    struct plan_batch batch = prm_plan_batch(results, roadmap, validity, world, options);

    batch.arena = planner->arena;
    *left = NULL;
    *results = (struct prm_plan_results){.dof = roadmap->space.dof};
    TRY(prm_plan_options_check(options));
    results->results = calloc((size_t)count + 1, sizeof(*results->results));
    if (!results->results) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for %" PRIu32 " results", count);
        goto cleanup;
    }
    results->count = count;
    if (options->expand_samples > 0)
        TRY(prm_expansion_create(left, &batch));

    for (uint32_t done = 0; done < count;) {
        struct plan_piece piece = {.batch = &batch, .results = results->results + done};
        prm_plan_cut(&piece, queries + done, count - done);
        done += piece.count;
        TRY(piece_plan(&piece, &results->times, *left));
    }

cleanup:
    prm_arena_rewind(planner->arena, mark);
    if (status != PRM_OK || (*left && prm_expansion_count(*left) == 0)) {
        prm_expansion_destroy(*left);
        *left = NULL;
    }
    results->times.total_ms = prm_clock_ms() - started;
    return status;
}

enum prm_status prm_plan(struct prm_planner *planner, struct prm_plan_results *results,
                         const struct prm_roadmap *roadmap, const struct prm_validity *validity,
                         const struct prm_world *world, const struct prm_query *queries,
                         uint32_t count, const struct prm_plan_options *options)
{
    enum prm_status status = PRM_OK;
    struct prm_expansion *left = NULL;

    TRY(prm_plan_begin(planner, results, &left, roadmap, validity, world, queries, count, options));
    for (bool done = !left; !done;)
        TRY(prm_expansion_step(left, &done));

cleanup:
    prm_expansion_destroy(left);
    return status;
}

void prm_plan_results_deinit(struct prm_plan_results *results)
{
    free(results->results);
    free(results->waypoints);
    free(results->nodes);
    *results = (struct prm_plan_results){0};
}

/* Plans on their way out: the engine's results as the wire's, and the answer written. */
#include "service/plans/plan_call.h"

#include "schema/clock.h"
#include "service/translate.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CLAMPED_NAMED_MAX = 100, /* queries of a request that are named */
    NUMBER_BYTES = 12,       /* about, of a number written */
    RESULT_BYTES = 80,       /* about, of a result without its path */
};

static const char CLAMPED[] = "clamped";

void plan_destroy(struct plan *plan)
{
    prm_expansion_destroy(plan->left);
    overlay_deinit(&plan->overlay);
    prm_graph_copy_deinit(&plan->graph);
    picture_motion_deinit(&plan->motion);
    prm_plan_results_deinit(&plan->planned);
    plan_request_deinit(&plan->request);
    free(plan->results);
    free(plan->warnings);
    version_release(&plan->roadmap->version);
    free(plan);
}

void plan_refuse(struct plan *plan)
{
    struct call *call = plan->call;
    plan_destroy(plan);
    call_fail(call);
}

void plan_fail(struct plan *plan, enum prm_status status)
{
    problem_add_status(&plan->call->problem, status);
    service_log(plan->service, "plan_failed", "roadmap %s: %s: %s", plan->call->segments[0],
                prm_status_text(status), prm_fault_last()->detail);
    plan_refuse(plan);
}

/* ---- the answer ---- */

/* What an archive has no place for. */
static void add_headers(struct plan *plan)
{
    enum { WARNINGS_SHOWN = 6 };
    struct call *call = plan->call;
    const struct roadmap_version *roadmap = plan->roadmap;
    const uint32_t named = plan->warning_count - (plan->unnamed > 0);
    struct text warnings = {0};
    for (uint32_t i = 0; i < named && i < WARNINGS_SHOWN; i++) {
        text_print(&warnings, "%s%s", i > 0 ? ", " : "", plan->warnings[i].code);
        if (plan->warnings[i].query >= 0)
            text_print(&warnings, ";query=%lld", (long long)plan->warnings[i].query);
    }
    if (named > WARNINGS_SHOWN)
        text_print(&warnings, ", %s;more=%u", CLAMPED, named - WARNINGS_SHOWN + plan->unnamed);
    call_add_header(call, "X-Prmd-Roadmap", "%s", call->segments[0]);
    call_add_header(call, "X-Prmd-Fingerprint", "%s", roadmap->version.fingerprint);
    call_add_header(call, "X-Prmd-Revision", "%llu", (unsigned long long)roadmap->version.revision);
    call_add_header(call, "X-Prmd-World-Revision", "%llu",
                    (unsigned long long)roadmap->world->version.revision);
    if (warnings.length > 0)
        call_add_header(call, "X-Prmd-Warnings", "%.*s", (int)warnings.length, warnings.data);
    text_deinit(&warnings);
    call_add_header(call, "Server-Timing", "queue;dur=%.3f, parse;dur=%.3f, total;dur=%.3f",
                    plan->times.queue_ms, plan->times.parse_ms, plan->times.total_ms);
}

static void write_answer(struct plan *plan)
{
    struct call *call = plan->call;
    const struct roadmap_version *roadmap = plan->roadmap;
    const struct topology *topology = roadmap->model->topology;
    const struct plan_answer answer = {
        .roadmap = call->segments[0],
        .fingerprint = roadmap->version.fingerprint,
        .revision = roadmap->version.revision,
        .world_revision = roadmap->world->version.revision,
        .coordinates = topology->coordinates,
        .dof = topology->roadmap->space.dof,
        .request = &plan->request,
        .results = plan->results,
        .waypoints = plan->planned.waypoints,
        .nodes = plan->planned.nodes,
        .warnings = plan->warnings,
        .warning_count = plan->warning_count,
        .times = plan->times,
    };
    call_set_etag(call, &roadmap->version);
    if (call->takes_npz) {
        add_headers(plan);
        plan_answer_write_npz(&answer, &call->reply.body);
    } else {
        plan_answer_write(&answer, &call->reply.body);
    }
}

static void write_picture(struct plan *plan)
{
    struct call *call = plan->call;
    const struct picture picture = {
        .title = call->segments[0],
        .world = &plan->model->world->version->document,
        .graph = &plan->graph,
        .results = plan->results,
        .result_count = plan->request.query_count,
        .waypoints = plan->planned.waypoints,
        .motion = &plan->motion,
    };
    picture_write(&picture, &call->reply.body);
}

/* Writes the answer and completes. */
static void answer(struct worker_task *work)
{
    struct plan *plan = WORK_OF(plan, work);
    struct call *call = plan->call;
    const bool picture = plan_is_picture(plan);
    const double began = clock_steady();
    if (picture)
        write_picture(plan);
    else
        write_answer(plan);
    metrics_stage(plan->service->metrics, "write", clock_steady() - began);
    plan_destroy(plan);
    if (picture)
        call_succeed(call, 200, "image/svg+xml");
    else if (call->takes_npz)
        call_succeed(call, 200, "application/x-npz");
    else
        call_succeed_json(call, 200);
}

/* ---- on the device thread ---- */

/* Warns of queries that were clamped, and counts in one warning more those that are not named. */
static void warn_clamped(struct plan *plan)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < plan->request.query_count; i++) {
        if (!plan->planned.results[i].clamped)
            continue;
        if (named == CLAMPED_NAMED_MAX) {
            plan->unnamed++;
            continue;
        }
        struct plan_warning *warning = &plan->warnings[plan->warning_count++];
        *warning = (struct plan_warning){.code = CLAMPED, .query = i};
        snprintf(warning->detail, sizeof(warning->detail),
                 "a coordinate within %g of its limit was set to the limit", PRM_LIMIT_TOLERANCE);
        named++;
    }
    if (plan->unnamed == 0)
        return;
    struct plan_warning *last = &plan->warnings[plan->warning_count++];
    *last = (struct plan_warning){.code = CLAMPED, .query = -1};
    snprintf(last->detail, sizeof(last->detail), "and of %u more queries", plan->unnamed);
}

/* The engine's results as the wire's, and what is to be warned of. false: no memory. */
static bool translate(struct plan *plan)
{
    const struct roadmap_version *roadmap = plan->roadmap;
    const uint32_t count = plan->request.query_count;
    plan->results = calloc((size_t)count + 1, sizeof(*plan->results));
    // besides those named: that it is stale, and the last
    plan->warnings = calloc(CLAMPED_NAMED_MAX + 2, sizeof(*plan->warnings));
    if (!plan->results || !plan->warnings)
        return false;

    plan->warning_count = roadmap_warns_stale(roadmap, plan->warnings);
    for (uint32_t i = 0; i < count; i++) {
        plan->results[i] = result_translate(
            &plan->planned.results[i], &plan->model->world->version->document,
            &roadmap->robot->document, plan->model->topology->coordinates, plan_space(plan)->dof);
    }
    warn_clamped(plan);
    return true;
}

static void count(struct plan *plan)
{
    unsigned by_status[PLAN_STATUS_COUNT] = {0};
    for (uint32_t i = 0; i < plan->request.query_count; i++)
        by_status[plan->results[i].status]++;
    metrics_queries(plan->service->metrics, by_status);
    metrics_stage(plan->service->metrics, "parse", 1e-3 * plan->times.parse_ms);
}

/* Whether the answer is so long that writing it would hold up the device. */
static bool is_large(const struct plan *plan)
{
    const size_t numbers =
        plan->planned.waypoint_count * plan_space(plan)->dof + plan->planned.node_count;
    return plan_is_picture(plan) ||
           numbers * NUMBER_BYTES + (size_t)plan->request.query_count * RESULT_BYTES >
               SERVICE_LARGE_BYTES;
}

void plan_reply(struct plan *plan, struct device *device)
{
    const struct model *model = plan->model;
    const struct prm_plan_times *times = &plan->planned.times;
    enum prm_status status = PRM_OK;
    prm_expansion_destroy(plan->left);
    plan->left = NULL;
    if (plan_is_picture(plan))
        status = prm_graph_copy_init(&plan->graph, model->topology->roadmap, model->validity);
    if (status == PRM_OK && !translate(plan))
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for the results");
    if (status == PRM_OK && plan_is_picture(plan))
        status =
            picture_motion_init(&plan->motion, device->arena, &plan->roadmap->robot->document,
                                plan->roadmap->world->document.dimension, plan_space(plan),
                                plan->results, plan->request.query_count, plan->planned.waypoints);
    if (status != PRM_OK) {
        plan_fail(plan, status);
        return;
    }

    plan->times.connect_ms = times->connect_ms;
    plan->times.expand_ms = times->expand_ms;
    plan->times.search_ms = times->search_ms;
    plan->times.extract_ms = times->extract_ms;
    plan->times.simplify_ms = times->simplify_ms;
    plan->times.total_ms = 1e3 * (clock_steady() - plan->began);
    count(plan);
    if (is_large(plan)) {
        plan->work.run = answer;
        workers_submit(plan->service->workers, &plan->work);
    } else {
        answer(&plan->work);
    }
}

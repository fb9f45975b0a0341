#include "service/plans.h"

#include "schema/clock.h"
#include "service/internal.h"
#include "service/picture.h"
#include "service/roadmaps.h"
#include "service/translate.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLAMPED_WARNINGS_MAX = 100, /* queries of a request that are named */
    NUMBER_BYTES = 12,          /* about, of a number written */
    RESULT_BYTES = 80,          /* about, of a result without its path */
};

struct plan {
    struct plan_task task;     /* first */
    struct device_task growth; /* of what is left */
    struct worker_task work;
    struct service *service;
    struct call *call;
    struct roadmap_version *roadmap; /* with a model; taken */
    struct plan_request request;
    struct prm_plan_results planned;
    struct prm_expansion *left;  /* queries that trees may yet answer; NULL: none */
    struct plan_result *results; /* [request.query_count] */
    struct plan_warning *warnings;
    uint32_t warning_count;
    struct plan_times times;
    struct prm_graph_copy graph; /* for a picture */
    struct picture_motion motion;
    double began; /* taken off the queue, steady clock */
};

/* The plan that a task of growth is of. */
static struct plan *grown(struct device_task *task)
{
    return (struct plan *)((char *)task - offsetof(struct plan, growth));
}

static bool is_picture(const struct plan *plan)
{
    return plan->call->route != ROUTE_ROADMAP_PLAN;
}

static const struct prm_space *space_of(const struct plan *plan)
{
    return &plan->roadmap->model->topology->roadmap->space;
}

static void plan_destroy(struct plan *plan)
{
    prm_expansion_destroy(plan->left);
    prm_graph_copy_deinit(&plan->graph);
    picture_motion_deinit(&plan->motion);
    prm_plan_results_deinit(&plan->planned);
    plan_request_deinit(&plan->request);
    free(plan->results);
    free(plan->warnings);
    version_release(&plan->roadmap->version);
    free(plan);
}

/* Ends without an answer; the call's problem says why. */
static void refuse(struct plan *plan)
{
    struct call *call = plan->call;
    plan_destroy(plan);
    call_fail(call);
}

/* ---- the answer ---- */

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
    plan_answer_write(&answer, &call->reply.body);
    call_set_etag(call, &roadmap->version);
}

static void write_picture(struct plan *plan)
{
    struct call *call = plan->call;
    const struct picture picture = {
        .title = call->segments[0],
        .world = &plan->roadmap->world->document,
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
    const bool picture = is_picture(plan);
    const double began = clock_steady();
    if (picture)
        write_picture(plan);
    else
        write_answer(plan);
    metrics_stage(plan->service->metrics, "write", clock_steady() - began);
    plan_destroy(plan);
    if (picture)
        call_succeed(call, 200, "image/svg+xml");
    else
        call_succeed_json(call, 200);
}

/* ---- on the device thread ---- */

/* The engine's results as the wire's, and what is to be warned of. false: no memory. */
static bool translate(struct plan *plan)
{
    const struct roadmap_version *roadmap = plan->roadmap;
    const uint32_t count = plan->request.query_count;
    plan->results = calloc((size_t)count + 1, sizeof(*plan->results));
    plan->warnings = calloc(CLAMPED_WARNINGS_MAX + 1, sizeof(*plan->warnings));
    if (!plan->results || !plan->warnings)
        return false;

    if (roadmap->state == ROADMAP_STALE) {
        struct plan_warning *warning = &plan->warnings[plan->warning_count++];
        *warning = (struct plan_warning){.code = "stale", .query = -1};
        snprintf(warning->detail, sizeof(warning->detail),
                 "the answers are those of world revision %llu",
                 (unsigned long long)roadmap->world->version.revision);
    }
    for (uint32_t i = 0; i < count; i++) {
        plan->results[i] = result_translate(
            &plan->planned.results[i], &roadmap->world->document, &roadmap->robot->document,
            roadmap->model->topology->coordinates, space_of(plan)->dof);
        if (!plan->planned.results[i].clamped || plan->warning_count > CLAMPED_WARNINGS_MAX)
            continue;
        struct plan_warning *warning = &plan->warnings[plan->warning_count++];
        *warning = (struct plan_warning){.code = "clamped", .query = i};
        snprintf(warning->detail, sizeof(warning->detail),
                 "a coordinate within %g of its limit was set to the limit", PRM_LIMIT_TOLERANCE);
    }
    return true;
}

/* The engine's fault, as the answer. */
static void fail(struct plan *plan, enum prm_status status)
{
    problem_add_status(&plan->call->problem, status);
    service_log(plan->service, "plan_failed", "roadmap %s: %s: %s", plan->call->segments[0],
                prm_status_text(status), prm_fault_last()->detail);
    refuse(plan);
}

/* Samples of trees a query: those asked for, else the default, none on a lattice. */
static uint32_t expand_samples(const struct plan *plan)
{
    const uint64_t most = plan->service->limits.expand_samples;
    if (plan->request.expand_said)
        return plan->request.expand_samples;
    if (plan->roadmap->model->topology->roadmap->params.sample_method == PRM_SAMPLE_LATTICE)
        return 0;
    return PLAN_EXPAND_SAMPLES < most ? PLAN_EXPAND_SAMPLES : (uint32_t)most;
}

/* Marks the queries as invalid whose numbers are no states. */
static void refuse_no_states(struct plan *plan)
{
    const struct prm_space *space = space_of(plan);
    for (uint32_t i = 0; i < plan->request.query_count; i++) {
        struct plan_query *query = &plan->request.queries[i];
        const double *goals = plan->request.numbers + query->goals;
        bool good =
            query->invalid || prm_space_is_state(space, plan->request.numbers + query->start);
        for (uint32_t g = 0; good && !query->invalid && g < query->goal_count; g++)
            good = prm_space_is_state(space, goals + (size_t)g * space->dof);
        if (good)
            continue;
        query->invalid = true;
        query->invalid_detail = strdup("a quaternion must not be all zero");
    }
}

/* Plans what the roadmap alone answers. */
static enum prm_status begin(struct plan *plan, struct device *device)
{
    const struct model *model = plan->roadmap->model;
    struct prm_plan_options options = plan_translate(&plan->request, &plan->service->limits);
    refuse_no_states(plan);
    struct prm_query *queries = queries_translate(&plan->request);
    if (!queries)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u queries",
                             plan->request.query_count);
    options.expand_samples = expand_samples(plan);
    const enum prm_status status = prm_plan_begin(
        device->planner, &plan->planned, &plan->left, model->topology->roadmap, model->validity,
        model->world->world, queries, plan->request.query_count, &options);
    free(queries);
    return status;
}

static void count(struct plan *plan)
{
    struct metrics *metrics = plan->service->metrics;
    unsigned by_status[PLAN_STATUS_COUNT] = {0};
    for (uint32_t i = 0; i < plan->request.query_count; i++)
        by_status[plan->results[i].status]++;
    metrics_batch(metrics, plan->request.query_count, by_status);
    metrics_stage(metrics, "parse", 1e-3 * plan->times.parse_ms);
    metrics_stage(metrics, "connect", 1e-3 * plan->times.connect_ms);
    metrics_stage(metrics, "expand", 1e-3 * plan->times.expand_ms);
    metrics_stage(metrics, "search", 1e-3 * plan->times.search_ms);
    metrics_stage(metrics, "extract", 1e-3 * plan->times.extract_ms);
    metrics_stage(metrics, "simplify", 1e-3 * plan->times.simplify_ms);
}

/* Whether the answer is so long that writing it would hold up the device. */
static bool is_large(const struct plan *plan)
{
    const size_t numbers =
        plan->planned.waypoint_count * space_of(plan)->dof + plan->planned.node_count;
    return is_picture(plan) ||
           numbers * NUMBER_BYTES + (size_t)plan->request.query_count * RESULT_BYTES >
               SERVICE_LARGE_BYTES;
}

/* All that can be planned is: brings it into plain data and answers. */
static void end(struct plan *plan, struct device *device)
{
    const struct model *model = plan->roadmap->model;
    const struct prm_plan_times *times = &plan->planned.times;
    enum prm_status status = PRM_OK;
    prm_expansion_destroy(plan->left);
    plan->left = NULL;
    if (is_picture(plan))
        status = prm_graph_copy_init(&plan->graph, model->topology->roadmap, model->validity);
    if (status == PRM_OK && !translate(plan))
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for the results");
    if (status == PRM_OK && is_picture(plan))
        status =
            picture_motion_init(&plan->motion, device->arena, &plan->roadmap->robot->document,
                                plan->roadmap->world->document.dimension, space_of(plan),
                                plan->results, plan->request.query_count, plan->planned.waypoints);
    if (status != PRM_OK) {
        fail(plan, status);
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

/* Whether the client is gone; then the plan is refused. */
static bool abandoned(struct plan *plan)
{
    if (!atomic_load(&plan->call->abandoned))
        return false;
    problem_add(&plan->call->problem, PROBLEM_CANCELLED, "the client is gone");
    refuse(plan);
    return true;
}

/* Grows the trees of what is left for the time of a step. */
static enum device_step grow(struct device_task *task, struct device *device)
{
    struct plan *plan = grown(task);
    const double began = clock_steady();
    enum prm_status status = PRM_OK;
    bool done = false;
    if (abandoned(plan))
        return DEVICE_DONE;
    do
        status = prm_expansion_step(plan->left, &done);
    while (status == PRM_OK && !done && !device_should_yield(device, began));
    if (status != PRM_OK)
        fail(plan, status);
    else if (done)
        end(plan, device);
    return status != PRM_OK || done ? DEVICE_DONE : DEVICE_AGAIN;
}

static void drop(struct device_task *task)
{
    struct plan *plan = grown(task);
    problem_add(&plan->call->problem, PROBLEM_DRAINING, "the server shut down");
    refuse(plan);
}

void plan_run_batch(struct device *device, struct plan_task *batch)
{
    while (batch) {
        struct plan *plan = (struct plan *)batch;
        batch = batch->next;
        plan->began = clock_steady();
        plan->times.queue_ms = 1e3 * (plan->began - plan->task.queued);
        metrics_queue(plan->service->metrics, "plan", plan->began - plan->task.queued);
        if (abandoned(plan))
            continue;
        const enum prm_status status = begin(plan, device);
        if (status != PRM_OK) {
            fail(plan, status);
        } else if (!plan->left) {
            end(plan, device);
        } else {
            plan->growth = (struct device_task){.step = grow, .drop = drop};
            if (!device_thread_submit(device->thread, DEVICE_LANE_EXPAND, &plan->growth)) {
                problem_add_refusal(plan->service, &plan->call->problem);
                refuse(plan);
            }
        }
    }
}

/* ---- on the way in ---- */

/* Makes a request of the URL's start=…&goal=… pairs. */
static bool read_pairs(struct plan *plan)
{
    struct call *call = plan->call;
    const uint32_t dof = space_of(plan)->dof;
    struct plan_request *request = &plan->request;
    *request = (struct plan_request){.simplify = true, .allow_stale = true};
    request->queries = calloc(call->parameter_count + 1u, sizeof(*request->queries));
    request->numbers = calloc((call->parameter_count + 1u) * (size_t)dof, sizeof(double));
    if (!request->queries || !request->numbers) {
        problem_add(&call->problem, PROBLEM_OVERLOADED, "no memory for the queries");
        return false;
    }

    uint32_t starts = 0, goals = 0;
    for (unsigned i = 0; i < call->parameter_count; i++) {
        const struct call_parameter *parameter = &call->parameters[i];
        const bool is_start = strcmp(parameter->key, "start") == 0;
        double *state = request->numbers + request->number_count;
        if (!is_start && strcmp(parameter->key, "goal") != 0)
            continue;
        if (!plan_state_parse(state, parameter->value, dof)) {
            problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                        "%s is not %u numbers separated by commas", parameter->key, dof);
            return false;
        }
        if (is_start)
            request->queries[starts++].start = request->number_count;
        else
            request->queries[goals].goals = request->number_count,
            request->queries[goals++].goal_count = 1;
        request->number_count += dof;
    }
    if (starts != goals) {
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                    "%u times start, but %u times goal: they come in pairs", starts, goals);
        return false;
    }
    request->query_count = starts;
    return true;
}

static bool read_request(struct plan *plan)
{
    struct call *call = plan->call;
    if (call->route == ROUTE_ROADMAP_PICTURE)
        return read_pairs(plan);
    if (!plan_request_read(&plan->request, call_body(call), call->body_bytes,
                           plan->roadmap->model->topology->coordinates, space_of(plan)->dof,
                           &plan->service->limits, &call->problem))
        return false;
    if (is_picture(plan))
        plan->request.output = PLAN_PATH;
    if (plan->roadmap->state == ROADMAP_STALE && !plan->request.allow_stale) {
        problem_add(&call->problem, PROBLEM_ROADMAP_STALE,
                    "the world's dimension, bounds or grid have changed since the build; build the "
                    "roadmap anew or say \"allow_stale\"");
        return false;
    }
    return true;
}

/* Parses and enqueues. */
static void submit(struct worker_task *work)
{
    struct plan *plan = WORK_OF(plan, work);
    struct service *service = plan->service;
    const double began = clock_steady();
    if (!read_request(plan)) {
        refuse(plan);
        return;
    }
    plan->times.parse_ms = 1e3 * (clock_steady() - began);
    plan->task.group = plan->roadmap;
    if (!device_thread_plan(service->device, &plan->task)) {
        problem_add_refusal(service, &plan->call->problem);
        refuse(plan);
    }
}

void plan_call(struct service *service, struct call *call)
{
    struct roadmap_version *roadmap = roadmap_take_answering(service, call);
    if (!roadmap) {
        call_fail(call);
        return;
    }
    struct plan *plan = calloc(1, sizeof(*plan));
    if (!plan) {
        version_release(&roadmap->version);
        call_refuse(call, PROBLEM_OVERLOADED, "no memory for a request");
        return;
    }
    plan->service = service;
    plan->call = call;
    plan->roadmap = roadmap;
    plan->work.run = submit;
    if (call->body_bytes > SERVICE_LARGE_BYTES)
        workers_submit(service->workers, &plan->work);
    else
        submit(&plan->work);
}

/* Plans on their way in: a request is parsed and waits for the device. */
#include "service/plans/plans.h"

#include "schema/clock.h"
#include "schema/media_type.h"
#include "service/plans/plan_call.h"
#include "service/translate.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char NPY_TYPE[] = "application/x-npy", NPZ_TYPE[] = "application/x-npz";
static const char JSON_TYPE[] = "application/json";

/* Makes a request of the URL's start=…&goal=… pairs, the only parameters that come here. A picture
 * for people to look at shows a stale roadmap too. */
static bool read_pairs(struct plan *plan)
{
    struct call *call = plan->call;
    const uint32_t dof = plan_space(plan)->dof;
    struct plan_request *request = &plan->request;
    *request = (struct plan_request){.simplify = true, .allow_stale = true};
    request->queries = calloc(call->parameter_count + 1u, sizeof(*request->queries));
    request->numbers = calloc((call->parameter_count + 1u) * (size_t)dof, sizeof(double));
    if (!request->queries || !request->numbers) {
        problem_no_memory(&call->problem, "the queries");
        return false;
    }

    uint32_t starts = 0, goals = 0;
    for (unsigned i = 0; i < call->parameter_count; i++) {
        const struct call_parameter *parameter = &call->parameters[i];
        const bool is_start = strcmp(parameter->key, "start") == 0;
        double *state = request->numbers + request->number_count;
        if (!plan_state_parse(state, parameter->value, dof)) {
            problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                        "%s is not %u numbers separated by commas", parameter->key, dof);
            return false;
        }
        if (is_start) {
            request->queries[starts++].start = request->number_count;
        } else {
            request->queries[goals].goals = request->number_count;
            request->queries[goals++].goal_count = 1;
        }
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

/* Whether the body is an .npy file: as its Content-Type says, or by its first bytes where that says
 * nothing. */
static bool is_array(const struct call *call)
{
    static const char MAGIC[] = "\x93NUMPY";
    if (media_type_is(call->content_type, NPY_TYPE))
        return true;
    return !media_type_is(call->content_type, JSON_TYPE) && call->body_bytes >= sizeof(MAGIC) - 1 &&
           memcmp(call->body, MAGIC, sizeof(MAGIC) - 1) == 0;
}

/* Queries as an array, options as parameters. */
static bool read_array(struct plan *plan)
{
    struct call *call = plan->call;
    struct plan_parameter parameters[CALL_PARAMETERS_MAX];
    for (unsigned i = 0; i < call->parameter_count; i++)
        parameters[i] = (struct plan_parameter){call->parameters[i].key, call->parameters[i].value};
    return plan_request_read_npy(&plan->request, call_body(call), call->body_bytes, parameters,
                                 call->parameter_count, plan_space(plan)->dof,
                                 &plan->service->limits, &call->problem);
}

/* Queries and options as JSON. */
static bool read_document(struct plan *plan)
{
    struct call *call = plan->call;
    if (call->parameter_count > 0) {
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                    "there is no parameter \"%.64s\" here: options are members of the body",
                    call->parameters[0].key);
        return false;
    }
    return plan_request_read(&plan->request, call_body(call), call->body_bytes,
                             plan->roadmap->model->topology->coordinates, plan_space(plan)->dof,
                             &plan->service->limits, &call->problem);
}

static bool read_request(struct plan *plan)
{
    struct call *call = plan->call;
    if (call->route == ROUTE_ROADMAP_PICTURE)
        return read_pairs(plan);
    if (media_type_is(call->content_type, NPZ_TYPE)) {
        problem_add(&call->problem, PROBLEM_UNSUPPORTED_MEDIA_TYPE,
                    "queries come as JSON or as one .npy array");
        return false;
    }
    if (!(!plan_is_picture(plan) && is_array(call) ? read_array(plan) : read_document(plan)))
        return false;
    if (plan_is_picture(plan))
        plan->request.output = PLAN_PATH;
    return roadmap_may_answer(plan->roadmap, plan->request.allow_stale, &call->problem);
}

/* ---- on the way in ---- */

static struct plan *overlaid(struct overlay *overlay)
{
    return (struct plan *)((char *)overlay - offsetof(struct plan, overlay));
}

/* Has the plan answered by a model, together with others that ask the same; where the queue is full
 * it is refused. */
static void enqueue(struct overlay *overlay, struct model *model)
{
    struct plan *plan = overlaid(overlay);
    plan->times.overlay_ms = 1e3 * overlay->seconds;
    plan->model = model;
    plan->task.group = model;
    if (device_thread_plan(plan->service->device, &plan->task))
        return;
    problem_add_refusal(plan->service, &plan->call->problem);
    plan_refuse(plan);
}

static void overlay_refuse(struct overlay *overlay)
{
    plan_refuse(overlaid(overlay));
}

/* Parses and enqueues. */
static void submit(struct worker_task *work)
{
    struct plan *plan = WORK_OF(plan, work);
    struct service *service = plan->service;
    const double began = clock_steady();
    if (!read_request(plan)) {
        plan_refuse(plan);
        return;
    }
    plan->options =
        plan_translate(&plan->request, &service->limits, plan->roadmap->model->topology->roadmap);
    plan->times.parse_ms = 1e3 * (clock_steady() - began);
    overlay_begin(&plan->overlay, service, plan->call, plan->roadmap, &plan->request.overlay,
                  enqueue, overlay_refuse);
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
        call_no_memory(call, "a request");
        return;
    }
    plan->service = service;
    plan->call = call;
    plan->roadmap = roadmap;
    plan->work.run = submit;
    if (call->body_bytes > SERVICE_LARGE_BYTES) {
        workers_submit(service->workers, &plan->work);
        return;
    }
    // so near that plans which wait may wait for it
    device_thread_announce(service->device);
    submit(&plan->work);
    device_thread_arrived(service->device);
}

#include "service/compute/compute.h"

#include "schema/clock.h"
#include "service/compute/compute_run.h"
#include "service/internal.h"
#include "service/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 12 /* about, of a number written */ };

struct compute {
    struct device_task task; /* first */
    struct worker_task work;
    struct service *service;
    struct call *call;
    enum compute_op op;
    enum compute_format format;
    struct compute_request request; /* where `read` */
    bool read, started;
    struct compute_run run;
    double started_s; /* of the first step, steady clock */
};

static void compute_destroy(struct compute *compute)
{
    compute_run_deinit(&compute->run);
    if (compute->read)
        compute_request_deinit(&compute->request);
    free(compute);
}

/* Ends without an answer; the call's problem says why. */
static void refuse(struct compute *compute)
{
    struct call *call = compute->call;
    compute_destroy(compute);
    call_fail(call);
}

/* ---- the answer ---- */

static void answer(struct worker_task *work)
{
    struct compute *compute = WORK_OF(compute, work);
    struct call *call = compute->call;
    const bool npz = call->takes_npz;
    const double began = clock_steady();
    if (npz)
        compute_reply_write_npz(&compute->run.reply, &call->reply.body);
    else
        compute_reply_write_json(&compute->run.reply, &call->reply.body);
    metrics_stage(compute->service->metrics, "write", clock_steady() - began);
    compute_destroy(compute);
    if (npz)
        call_succeed(call, 200, "application/x-npz");
    else
        call_succeed_json(call, 200);
}

/* Whether the answer is so long that writing it would hold up the device. */
static bool is_large(const struct compute_reply *reply)
{
    size_t numbers = 0;
    for (unsigned i = 0; i < reply->result_count; i++)
        numbers += reply->results[i].rows * reply->results[i].columns;
    return numbers * NUMBER_BYTES > SERVICE_LARGE_BYTES;
}

/* ---- on the device thread ---- */

/* Adds the engine's fault. What only the device can see is wrong with the main array, where it says
 * nothing nearer. */
static void add_fault(struct compute *compute, enum prm_status status)
{
    static const char *const POINTERS[COMPUTE_OP_COUNT] = {[COMPUTE_RANK] = "/next",
                                                           [COMPUTE_HASH] = "/keys",
                                                           [COMPUTE_KNN] = "/points",
                                                           [COMPUTE_BIN] = "/values"};
    struct problem *problem = &compute->call->problem;
    problem_add_status(problem, status);
    struct problem_fault *fault = &problem->faults[0];
    if ((status == PRM_INVALID_ARGUMENT || status == PRM_LIMIT_EXCEEDED) && POINTERS[compute->op] &&
        !fault->has_pointer) {
        fault->has_pointer = true;
        snprintf(fault->pointer, sizeof(fault->pointer), "%s", POINTERS[compute->op]);
    }
    service_log(compute->service, "compute_failed", "%s: %s: %s", compute_op_name(compute->op),
                prm_status_text(status), prm_fault_last()->detail);
}

static enum device_step step(struct device_task *task, struct device *device)
{
    struct compute *compute = (struct compute *)task;
    struct compute_run *run = &compute->run;
    struct compute_times *times = &run->reply.times;
    const double began = clock_steady();
    bool done = false;
    if (atomic_load(&compute->call->abandoned)) {
        problem_add(&compute->call->problem, PROBLEM_CANCELLED, "the client is gone");
        refuse(compute);
        return DEVICE_DONE;
    }
    if (!compute->started) {
        compute->started = true;
        compute->started_s = began;
        times->queue_ms = 1e3 * (began - task->queued);
        metrics_queue(compute->service->metrics, "compute", began - task->queued);
    }

    const enum prm_status status = compute_run_step(run, device, &done);
    times->run_ms += 1e3 * (clock_steady() - began);
    if (status != PRM_OK) {
        add_fault(compute, status);
        refuse(compute);
        return DEVICE_DONE;
    }
    if (!done)
        return DEVICE_AGAIN;

    times->total_ms = 1e3 * (clock_steady() - compute->started_s);
    metrics_stage(compute->service->metrics, "compute", 1e-3 * times->run_ms);
    // what lives on the device goes here; the answer is plain data
    if (run->state)
        run->state_destroy(run);
    run->state = NULL;
    if (is_large(&run->reply)) {
        compute->work.run = answer;
        workers_submit(compute->service->workers, &compute->work);
    } else {
        answer(&compute->work);
    }
    return DEVICE_DONE;
}

static void drop(struct device_task *task)
{
    struct compute *compute = (struct compute *)task;
    problem_add(&compute->call->problem, PROBLEM_DRAINING, "the server shut down");
    refuse(compute);
}

/* ---- on the way in ---- */

/* Parses and enqueues. */
static void submit(struct worker_task *work)
{
    struct compute *compute = WORK_OF(compute, work);
    struct service *service = compute->service;
    struct call *call = compute->call;
    struct compute_parameter parameters[CALL_PARAMETERS_MAX];
    const double began = clock_steady();
    for (unsigned i = 0; i < call->parameter_count; i++)
        parameters[i] =
            (struct compute_parameter){call->parameters[i].key, call->parameters[i].value};
    compute->read = compute_request_read(&compute->request, compute->op, compute->format,
                                         call_body(call), call->body_bytes, parameters,
                                         call->parameter_count, &service->limits, &call->problem);
    if (!compute->read) {
        refuse(compute);
        return;
    }
    compute->run.reply.times.parse_ms = 1e3 * (clock_steady() - began);
    metrics_stage(service->metrics, "parse", clock_steady() - began);
    if (!device_thread_submit(service->device, DEVICE_LANE_COMPUTE, &compute->task)) {
        problem_add_refusal(service, &call->problem);
        refuse(compute);
    }
}

static bool begins_with(const struct call *call, const char *magic, size_t bytes)
{
    return call->body_bytes >= bytes && memcmp(call->body, magic, bytes) == 0;
}

/* What the body is: as its Content-Type says, or by its first bytes where that says nothing. false:
 * completed with a fault. */
static bool find_format(struct call *call, enum compute_format *format)
{
    static const char NPY[] = "\x93NUMPY", NPZ[] = "PK";
    const int named = compute_format_of(call->content_type);
    const bool is_json = call->content_type && strstr(call->content_type, "json");
    *format = named > 0 ? (enum compute_format)named : COMPUTE_JSON;
    if (named > 0 || is_json)
        return true;
    if (begins_with(call, NPY, sizeof(NPY) - 1)) {
        *format = COMPUTE_NPY;
    } else if (begins_with(call, NPZ, sizeof(NPZ) - 1)) {
        *format = COMPUTE_NPZ;
    } else if (call->content_type && strstr(call->content_type, "octet-stream")) {
        call_refuse(call, PROBLEM_UNSUPPORTED_MEDIA_TYPE,
                    "the body is neither an .npy nor an .npz file");
        return false;
    }
    return true;
}

void compute_call(struct service *service, struct call *call)
{
    const enum compute_op op = compute_op_find(call->segments[0]);
    enum compute_format format;
    if (op == COMPUTE_OP_COUNT) {
        call_refuse(call, PROBLEM_UNKNOWN_ROUTE, "there is no operation \"%.64s\"",
                    call->segments[0]);
        return;
    }
    if (!find_format(call, &format))
        return;
    struct compute *compute = calloc(1, sizeof(*compute));
    if (!compute) {
        call_no_memory(call, "a request");
        return;
    }
    compute->task = (struct device_task){.step = step, .drop = drop};
    compute->work.run = submit;
    compute->service = service;
    compute->call = call;
    compute->op = op;
    compute->format = format;
    compute->run.request = &compute->request;
    compute->run.limits = &service->limits;
    compute->run.reply.device = device_thread_info(service->device)->name;
    if (call->body_bytes > SERVICE_LARGE_BYTES)
        workers_submit(service->workers, &compute->work);
    else
        submit(&compute->work);
}

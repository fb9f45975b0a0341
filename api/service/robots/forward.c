#include "service/robots/forward.h"

#include "roadmap/robot/kinematics.h"
#include "schema/forward.h"
#include "service/internal.h"
#include "service/robots/robots.h"
#include "service/translate.h"
#include "service/translate_robot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many states a step: a fraction of a millisecond. */
enum { STATES_A_STEP = 1024 };

struct forward {
    struct device_task task; /* first */
    struct worker_task work;
    struct service *service;
    struct call *call;
    struct robot_version *robot; /* taken */
    struct robot_spec spec;
    struct forward_request request;
    struct prm_frame *frames; /* [state_count][links of the specification] */
    uint32_t links, done;     /* states that are */
};

static void forward_destroy(struct forward *forward)
{
    version_release(&forward->robot->version);
    robot_spec_deinit(&forward->spec);
    forward_deinit(&forward->request);
    free(forward->frames);
    free(forward);
}

/* Ends without an answer; the call's problem says why. */
static void refuse(struct forward *forward)
{
    struct call *call = forward->call;
    forward_destroy(forward);
    call_fail(call);
}

static void refuse_memory(struct forward *forward)
{
    problem_no_memory(&forward->call->problem, "a request");
    refuse(forward);
}

/* ---- the answer ---- */

static void answer(struct worker_task *work)
{
    struct forward *forward = WORK_OF(forward, work);
    const struct robot_document *document = &forward->robot->document;
    struct call *call = forward->call;
    const size_t count = (size_t)forward->request.state_count * forward->links;
    struct forward_frame *frames = calloc(count + 1, sizeof(*frames));
    if (!frames) {
        refuse_memory(forward);
        return;
    }
    // from the engine's order of links to the document's
    for (size_t i = 0; i < count; i++) {
        const uint32_t link = (uint32_t)(i % forward->links);
        const struct prm_frame *from =
            &forward
                 ->frames[i - link + (document->link_count ? robot_spec_link(document, link) : 0)];
        memcpy(frames[i].xyz, from->xyz, sizeof(frames[i].xyz));
        memcpy(frames[i].quaternion, from->quaternion, sizeof(frames[i].quaternion));
    }
    forward_write(&forward->request, document, frames, &call->reply.body);
    free(frames);
    forward_destroy(forward);
    call_succeed_json(call, 200);
}

/* ---- on the device thread ---- */

static enum device_step step(struct device_task *task, struct device *device)
{
    struct forward *forward = (struct forward *)task;
    const struct forward_request *request = &forward->request;
    if (atomic_load(&forward->call->abandoned)) {
        problem_add(&forward->call->problem, PROBLEM_CANCELLED, "the client is gone");
        refuse(forward);
        return DEVICE_DONE;
    }
    const uint32_t left = request->state_count - forward->done;
    const uint32_t count = left < STATES_A_STEP ? left : STATES_A_STEP;
    const enum prm_status status = prm_robot_forward(
        device->arena, forward->frames + (size_t)forward->done * forward->links,
        &forward->spec.spec, request->states + (size_t)forward->done * request->dof, count);
    if (status != PRM_OK) {
        problem_add_status(&forward->call->problem, status);
        refuse(forward);
        return DEVICE_DONE;
    }
    forward->done += count;
    if (forward->done < request->state_count)
        return DEVICE_AGAIN;
    forward->work.run = answer;
    workers_submit(forward->service->workers, &forward->work);
    return DEVICE_DONE;
}

static void drop(struct device_task *task)
{
    struct forward *forward = (struct forward *)task;
    problem_add(&forward->call->problem, PROBLEM_DRAINING, "the server shut down");
    refuse(forward);
}

/* ---- on the way in ---- */

/* What is no arm stands where its state says. */
static void place_bodies(const struct forward *forward)
{
    const struct forward_request *request = &forward->request;
    const bool rigid = forward->robot->document.type == ROBOT_RIGID;
    for (uint32_t i = 0; i < request->state_count; i++) {
        const double *state = request->states + (size_t)i * request->dof;
        struct prm_frame *frame = &forward->frames[i];
        *frame = (struct prm_frame){.quaternion = {0, 0, 0, 1}};
        memcpy(frame->xyz, state, request->dimension * sizeof(*state));
        if (rigid && request->dimension == 2) {
            frame->quaternion[2] = sin(state[2] / 2);
            frame->quaternion[3] = cos(state[2] / 2);
        } else if (rigid) {
            memcpy(frame->quaternion, state + 3, sizeof(frame->quaternion));
        }
    }
}

static void submit(struct worker_task *work)
{
    struct forward *forward = WORK_OF(forward, work);
    const struct robot_document *document = &forward->robot->document;
    struct call *call = forward->call;
    if (!forward_read(&forward->request, document, call_body(call), call->body_bytes,
                      &forward->service->limits, &call->problem)) {
        refuse(forward);
        return;
    }
    forward->links = document->link_count ? document->link_count : 1;
    forward->frames =
        calloc((size_t)forward->request.state_count * forward->links + 1, sizeof(*forward->frames));
    if (robot_spec_init(&forward->spec, document) != PRM_OK || !forward->frames) {
        refuse_memory(forward);
        return;
    }
    if (document->type != ROBOT_ARM)
        place_bodies(forward);
    if (document->type != ROBOT_ARM || !forward->request.state_count) {
        answer(&forward->work);
        return;
    }
    if (!device_thread_submit(forward->service->device, DEVICE_LANE_COMPUTE, &forward->task)) {
        problem_add_refusal(forward->service, &call->problem);
        refuse(forward);
    }
}

void forward_call(struct service *service, struct call *call)
{
    service_lock(service);
    struct version *robot = store_take(&service->robots, call->segments[0]);
    service_unlock(service);
    if (!robot) {
        call_refuse(call, PROBLEM_UNKNOWN_ROBOT, "there is no robot \"%s\"", call->segments[0]);
        return;
    }
    struct forward *forward = calloc(1, sizeof(*forward));
    if (!forward) {
        version_release(robot);
        call_no_memory(call, "a request");
        return;
    }
    forward->task = (struct device_task){.step = step, .drop = drop};
    forward->work.run = submit;
    forward->service = service;
    forward->call = call;
    forward->robot = (struct robot_version *)robot;
    if (call->body_bytes > SERVICE_LARGE_BYTES)
        workers_submit(service->workers, &forward->work);
    else
        submit(&forward->work);
}

#include "service/questions/question.h"

#include "schema/clock.h"
#include "service/translate.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void question_destroy(struct question *question)
{
    question->kind->deinit(question);
    overlay_deinit(&question->overlay);
    version_release(&question->roadmap->version);
    free(question);
}

/* Ends without an answer; the call's problem says why. */
static void refuse(struct question *question)
{
    struct call *call = question->call;
    question_destroy(question);
    call_fail(call);
}

static void answer(struct worker_task *work)
{
    struct question *question = WORK_OF(question, work);
    struct call *call = question->call;
    const char *media = question->kind->write(question, &call->reply.body);
    question_destroy(question);
    if (media)
        call_succeed(call, 200, media);
    else
        call_succeed_json(call, 200);
}

/* ---- on the device thread ---- */

/* Tells /metrics how long it waited, once, and at its end how long it took. */
static void count(struct question *question, double began, bool done)
{
    struct metrics *metrics = question->service->metrics;
    if (question->seconds < 0) {
        metrics_queue(metrics, "question", began - question->task.queued);
        question->seconds = 0;
    }
    question->seconds += clock_steady() - began;
    if (done)
        metrics_stage(metrics, "question", question->seconds);
}

static enum device_step step(struct device_task *task, struct device *device)
{
    struct question *question = (struct question *)task;
    const double began = clock_steady();
    enum prm_status status = PRM_OK;
    bool done = false;
    if (atomic_load(&question->call->abandoned)) {
        problem_add(&question->call->problem, PROBLEM_CANCELLED, "the client is gone");
        refuse(question);
        return DEVICE_DONE;
    }
    do
        status = question->kind->step(question, device, &done);
    while (status == PRM_OK && !done && !device_should_yield(device, began));
    count(question, began, done);
    if (status != PRM_OK) {
        problem_add_status(&question->call->problem, status);
        refuse(question);
    } else if (done) {
        question->work.run = answer;
        workers_submit(question->service->workers, &question->work);
    }
    return status != PRM_OK || done ? DEVICE_DONE : DEVICE_AGAIN;
}

static void drop(struct device_task *task)
{
    struct question *question = (struct question *)task;
    problem_add(&question->call->problem, PROBLEM_DRAINING, "the server shut down");
    refuse(question);
}

uint32_t question_piece(uint32_t count, uint32_t done, uint32_t most)
{
    return count - done < most ? count - done : most;
}

/* ---- on the way in ---- */

static struct question_space space_of(const struct topology *topology)
{
    const struct prm_space *space = &topology->roadmap->space;
    uint32_t quaternion = 0;
    while (quaternion < space->dof &&
           space->coordinates[quaternion].kind != PRM_COORDINATE_QUATERNION)
        quaternion++;
    return (struct question_space){.coordinates = topology->coordinates,
                                   .dof = space->dof,
                                   .quaternion = quaternion < space->dof ? quaternion : UINT32_MAX};
}

static struct question *overlaid(struct overlay *overlay)
{
    return (struct question *)((char *)overlay - offsetof(struct question, overlay));
}

/* Has it answered by a model; where the queue is full it is refused. */
static void enqueue(struct overlay *overlay, struct model *model)
{
    struct question *question = overlaid(overlay);
    question->model = model;
    if (device_thread_submit(question->service->device, DEVICE_LANE_EXPAND, &question->task))
        return;
    problem_add_refusal(question->service, &question->call->problem);
    refuse(question);
}

static void overlay_refuse(struct overlay *overlay)
{
    refuse(overlaid(overlay));
}

static void submit(struct worker_task *work)
{
    struct question *question = WORK_OF(question, work);
    if (!question->kind->read(question)) {
        refuse(question);
        return;
    }
    // what GET shows is the version's: nothing is done for who has it already
    struct call *call = question->call;
    call_set_etag(call, &question->roadmap->version);
    if (strcmp(route_table[call->route].method, "GET") == 0 && call_not_modified(call)) {
        question_destroy(question);
        return;
    }
    struct overlay_document *overlay =
        question->kind->overlay ? question->kind->overlay(question) : NULL;
    overlay_begin(&question->overlay, question->service, call, question->roadmap, overlay, enqueue,
                  overlay_refuse);
}

void question_call(struct service *service, struct call *call, const struct question_kind *kind)
{
    struct roadmap_version *roadmap = roadmap_take_answering(service, call);
    if (!roadmap) {
        call_fail(call);
        return;
    }
    struct question *question = calloc(1, kind->bytes);
    if (!question) {
        version_release(&roadmap->version);
        call_no_memory(call, "a request");
        return;
    }
    question->task = (struct device_task){.step = step, .drop = drop};
    question->work.run = submit;
    question->kind = kind;
    question->service = service;
    question->call = call;
    question->seconds = -1;
    question->roadmap = roadmap;
    question->space = space_of(roadmap->model->topology);
    if (call->body_bytes > SERVICE_LARGE_BYTES)
        workers_submit(service->workers, &question->work);
    else
        submit(&question->work);
}

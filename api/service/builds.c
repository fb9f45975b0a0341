#include "service/builds.h"

#include "schema/clock.h"
#include "service/refinement.h"
#include "service/translate.h"
#include "service/translate_roadmap.h"
#include "service/translate_robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char KIND[] = "build";

static void resource_of(char *resource, const char *name)
{
    snprintf(resource, JOB_RESOURCE_BYTES, "roadmaps/%s", name);
}

struct build *build_active(struct service *service, const char *name)
{
    char resource[JOB_RESOURCE_BYTES];
    resource_of(resource, name);
    struct job *job = jobs_find_active(&service->jobs, KIND, resource);
    return job ? job->work : NULL;
}

void build_stop(struct build *build)
{
    atomic_store(&build->job->cancel, true);
    device_thread_promote(build->service->device, DEVICE_LANE_BUILD, &build->task);
}

void build_cancel(struct service *service, const char *name)
{
    struct build *build = build_active(service, name);
    if (build)
        build_stop(build);
}

/* Frees a build that has ended, on the device thread. */
static void build_destroy(struct build *build)
{
    prm_build_destroy(build->build);
    if (build->coming)
        resident_release(&build->coming->resident);
    if (build->model)
        resident_release(&build->model->resident);
    if (build->world)
        resident_release(&build->world->resident);
    version_release(&build->pending->version);
    counted_release(&build->job->counted);
    free(build);
}

/* ---- the end of a build ---- */

/* Answers the calls that waited. `roadmap` is what was built, else `error` says why there is none.
 */
static void answer_waiters(const struct build *build, struct job_waiter *waiters,
                           const struct roadmap_version *roadmap, const struct problem_fault *error)
{
    while (waiters) {
        struct job_waiter *waiter = waiters;
        struct call *call = waiter->call;
        const int status = waiter->success_status;
        waiters = waiter->next;
        free(waiter);
        if (roadmap) {
            call_set_etag(call, &roadmap->version);
            roadmap_write(build->name, roadmap, NULL, false, &call->reply.body);
            call_succeed_json(call, status);
        } else {
            call->problem.faults[0] = *error;
            call->problem.fault_count = 1;
            call_fail(call);
        }
    }
}

/* Notes the end in the roadmap: it keeps what it could answer, or has failed. A cancelled build
 * says nothing about a roadmap that answers: that one stays as it is. The lock is held; what was
 * replaced is returned. */
static struct version *mark_ended(struct build *build, enum job_state state,
                                  const struct problem_fault *error)
{
    struct service *service = build->service;
    struct version *replaced = NULL;
    struct roadmap_version *present =
        (struct roadmap_version *)store_find(&service->roadmaps, build->name);
    // another PUT or a DELETE has the name now
    if (!present || (!present->model && present != build->pending))
        return NULL;
    if (present->model && state == JOB_CANCELLED)
        return NULL;
    struct roadmap_version *failed =
        roadmap_version_derive(present, present->model ? present->state : ROADMAP_FAILED,
                               present->model, present->world, error);
    if (failed)
        store_put(&service->roadmaps, build->name, &failed->version, &replaced);
    return replaced;
}

/* Ends a build without a roadmap. */
static void end_without(struct build *build, enum job_state state,
                        const struct problem_fault *error)
{
    struct service *service = build->service;
    service_lock(service);
    struct version *replaced = mark_ended(build, state, error);
    struct job_waiter *waiters = jobs_finish(&service->jobs, build->job, state, error);
    service_unlock(service);

    version_release(replaced);
    answer_waiters(build, waiters, NULL, error);
    service_log(service, "build_ended", "roadmap %s: %s: %s", build->name, job_state_text(state),
                error->detail);
    build_destroy(build);
}

static void end_cancelled(struct build *build, enum problem_code code, const char *detail)
{
    struct problem problem = {0};
    problem_add(&problem, code, "%s", detail);
    end_without(build, JOB_CANCELLED, &problem.faults[0]);
}

static void end_failed(struct build *build, enum prm_status status)
{
    struct problem problem = {0};
    problem_add_status(&problem, status);
    end_without(build, JOB_FAILED, &problem.faults[0]);
}

/* Swaps the roadmap in, unless the job was cancelled at the last moment. */
static void end_with(struct build *build, struct roadmap_version *roadmap)
{
    struct service *service = build->service;
    struct version *replaced = NULL;
    struct job_waiter *waiters = NULL;
    service_lock(service);
    const bool cancelled = atomic_load(&build->job->cancel);
    const bool stored =
        !cancelled && store_put(&service->roadmaps, build->name, &roadmap->version, &replaced);
    if (stored) {
        version_take(&roadmap->version);
        waiters = jobs_finish(&service->jobs, build->job, JOB_SUCCEEDED, NULL);
    }
    service_unlock(service);

    version_release(replaced);
    if (!stored) {
        version_release(&roadmap->version);
        end_cancelled(build, PROBLEM_CANCELLED, "the build was cancelled");
        return;
    }
    answer_waiters(build, waiters, roadmap, NULL);
    refinement_begin(service, roadmap->model);

    // what /metrics and the log say about it
    const struct prm_roadmap *made = roadmap->model->topology->roadmap;
    for (uint32_t i = 0; i < made->statistics.stage_count; i++)
        metrics_stage(service->metrics, made->statistics.stages[i].name,
                      1e-3 * made->statistics.stages[i].milliseconds);
    const double seconds = clock_steady() - build->job->started_steady;
    metrics_job(service->metrics, KIND, seconds);
    service_log(service, "build_ended", "roadmap %s: succeeded: %u milestones, %.1f ms",
                build->name, made->milestone_count, 1e3 * seconds);
    version_release(&roadmap->version);
    build_destroy(build);
}

/* ---- steps, on the device thread ---- */

static enum prm_status begin(struct build *build, struct device *device)
{
    struct service *service = build->service;
    metrics_queue(service->metrics, KIND, clock_steady() - build->task.queued);
    service_lock(service);
    jobs_start(&service->jobs, build->job);
    jobs_progress(build->job, "world", 0);
    service_unlock(service);

    const struct roadmap_version *pending = build->pending;
    struct roadmap_spec parameters;
    struct robot_spec robot;
    enum prm_status status = robot_spec_init(&robot, &pending->robot->document);
    const enum prm_status parameters_status =
        roadmap_spec_init(&parameters, &pending->document, &service->limits,
                          &pending->robot->document, &pending->world->document);
    if (status == PRM_OK)
        status = parameters_status;
    if (status == PRM_OK)
        status = resident_world_create(device, &build->world, build->pending->world, NULL);
    if (status == PRM_OK)
        status = prm_build_create(device->context, &build->build, build->world->world, &robot.spec,
                                  &parameters.params);
    robot_spec_deinit(&robot);
    roadmap_spec_deinit(&parameters);
    return status;
}

/* Runs steps of the engine's until it is time for others. */
static enum prm_status advance(struct build *build, struct device *device, bool *done)
{
    const double began = clock_steady();
    enum prm_status status = PRM_OK;
    do
        status = prm_build_step(build->build, done);
    while (status == PRM_OK && !*done && !device_should_yield(device, began));
    if (status != PRM_OK)
        return status;

    const struct prm_progress progress = prm_build_progress(build->build);
    service_lock(build->service);
    jobs_progress(build->job, progress.stage, progress.fraction);
    service_unlock(build->service);
    return PRM_OK;
}

/* The present version of the world that it was built in, taken. */
static struct world_version *take_present(const struct build *build)
{
    struct service *service = build->service;
    service_lock(service);
    struct version *present = store_take(&service->worlds, build->pending->document.world);
    service_unlock(service);
    return (struct world_version *)present;
}

/* Whether a world is another than it was built in, but one that the roadmap fits. NULL is accepted.
 */
static bool needs_revision(const struct build *build, const struct world_version *present)
{
    const bool lattice = build->pending->document.sample_method == SAMPLE_LATTICE;
    return present && present != build->pending->world &&
           world_fits(build->pending->world, present, lattice) &&
           roadmap_allowed_stays(&build->pending->document, &build->pending->world->document,
                                 &present->document);
}

/* Swaps in what there is of a finished build. `present` is the world now. */
static enum prm_status publish(struct build *build, const struct world_version *present)
{
    struct model *final = build->coming ? build->coming : build->model;
    const bool stale = present && present != final->world->version;
    struct roadmap_version *roadmap = roadmap_version_derive(
        build->pending, stale ? ROADMAP_STALE : ROADMAP_READY, final, final->world->version, NULL);
    if (!roadmap)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a roadmap");
    end_with(build, roadmap);
    return PRM_OK;
}

/* Begins to check a finished build against the present world. */
static enum prm_status begin_revision(struct build *build, struct device *device,
                                      struct world_version *present)
{
    struct resident_world *world = NULL;
    enum prm_status status =
        resident_world_create(device, &world, present, build->world->world->center);
    if (status != PRM_OK)
        return status;
    status = model_derive(device, &build->coming, build->model, world);
    resident_release(&world->resident);
    service_lock(build->service);
    jobs_progress(build->job, "revise", 0);
    service_unlock(build->service);
    return status;
}

/* Runs a step of what follows a finished build: where the world has changed since the PUT, it goes
 * behind the changes that wait, is checked against the world as they leave it, and swapped in
 * before the next. true: the task is not to come again from here. */
static bool settle(struct build *build, struct device *device)
{
    struct world_version *present = take_present(build);
    enum prm_status status = PRM_OK;
    bool done = !needs_revision(build, present), moved = false;
    if (!done && !build->settling) {
        moved = build->settling = true;
        // where that lane is full the build waits in its own
        if (!device_thread_submit(build->service->device, DEVICE_LANE_UPDATE, &build->task))
            moved = build->settling = false;
    } else if (!done) {
        if (!build->coming)
            status = begin_revision(build, device, present);
        if (status == PRM_OK)
            status = model_advance(device, build->coming, &done);
    }
    if (status == PRM_OK && done)
        status = publish(build, present);
    if (status != PRM_OK)
        end_failed(build, status);
    if (present)
        version_release(&present->version);
    return moved || done || status != PRM_OK;
}

/* Takes the outcome of a finished build, and plans on it once before others do. */
static enum prm_status take_outcome(struct build *build, struct device *device)
{
    struct prm_roadmap *topology = NULL;
    struct prm_validity *validity = NULL;
    enum prm_status status = prm_build_finish(build->build, &topology, &validity);
    if (status == PRM_OK)
        status = model_create(device, &build->model, topology, validity, build->world);
    if (status == PRM_OK)
        status =
            prm_planner_rehearse(device->planner, topology, validity, build->model->world->world);
    // what it needed of the device is free for others
    prm_build_destroy(build->build);
    build->build = NULL;
    return status;
}

static enum device_step step(struct device_task *task, struct device *device)
{
    struct build *build = (struct build *)task;
    bool done = false;
    if (atomic_load(&build->job->cancel)) {
        end_cancelled(build, PROBLEM_CANCELLED, "the build was cancelled");
        return DEVICE_DONE;
    }
    if (build->model)
        return settle(build, device) ? DEVICE_DONE : DEVICE_AGAIN;
    enum prm_status status = build->build ? advance(build, device, &done) : begin(build, device);
    if (status == PRM_OK && done)
        status = take_outcome(build, device);
    if (status != PRM_OK)
        end_failed(build, status);
    else if (done)
        return settle(build, device) ? DEVICE_DONE : DEVICE_AGAIN;
    return status != PRM_OK ? DEVICE_DONE : DEVICE_AGAIN;
}

static void drop(struct device_task *task)
{
    end_cancelled((struct build *)task, PROBLEM_DRAINING, "the server shut down");
}

/* ---- the beginning ---- */

struct build *build_create(struct service *service, const char *name,
                           const struct roadmap_document *document, struct version *world,
                           struct version *robot)
{
    struct build *build = malloc(sizeof(*build));
    if (!build)
        return NULL;
    *build = (struct build){.task = {.step = step, .drop = drop}, .service = service};
    snprintf(build->name, sizeof(build->name), "%s", name);
    build->pending = roadmap_version_create(document, (struct world_version *)world,
                                            (struct robot_version *)robot);
    if (build->pending)
        return build;
    free(build);
    return NULL;
}

void build_discard(struct build *build)
{
    version_release(&build->pending->version);
    free(build);
}

struct job *build_enter(struct build *build, struct problem *problem)
{
    struct service *service = build->service;
    char resource[JOB_RESOURCE_BYTES];
    struct build *earlier = build_active(service, build->name);
    resource_of(resource, build->name);
    struct job *job = jobs_add(&service->jobs, KIND, resource, build);
    if (!job) {
        problem_add(problem, PROBLEM_OVERLOADED, "as many jobs are queued as may be");
        return NULL;
    }
    build->job = job;
    counted_take(&job->counted);
    if (!device_thread_submit(service->device, DEVICE_LANE_BUILD, &build->task)) {
        problem_add_refusal(service, problem);
        jobs_finish(&service->jobs, job, JOB_CANCELLED, &problem->faults[0]);
        counted_release(&job->counted);
        return NULL;
    }
    if (earlier)
        build_stop(earlier);
    return job;
}

#include "service/roadmaps/builds.h"

#include "device/status.h"
#include "schema/clock.h"
#include "service/translate.h"
#include "service/translate_roadmap.h"
#include "service/translate_robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void resource_of(char *resource, const char *name)
{
    snprintf(resource, JOB_RESOURCE_BYTES, "roadmaps/%s", name);
}

struct build *build_active(struct service *service, const char *name)
{
    char resource[JOB_RESOURCE_BYTES];
    resource_of(resource, name);
    struct job *job = jobs_find_active(&service->jobs, BUILD_KIND, resource);
    return job ? job->work : NULL;
}

void build_stop(struct build *build)
{
    if (build->publishing)
        return;
    atomic_store(&build->job->cancel, true);
    device_thread_promote(build->service->device, DEVICE_LANE_BUILD, &build->task);
}

void build_cancel(struct service *service, const char *name)
{
    struct build *build = build_active(service, name);
    if (build)
        build_stop(build);
}

/* ---- steps, on the device thread ---- */

/* Begins to build, or to read, in the world of the PUT. */
static enum prm_status begin_in_world(struct build *build, struct device *device,
                                      const struct robot_spec *robot,
                                      const struct roadmap_spec *parameters)
{
    const double *center = build->snapshot ? prm_snapshot_info_of(build->snapshot)->center : NULL;
    enum prm_status status = PRM_OK;
    // what is checked later is checked by the bytes' own parameters
    if (build->snapshot)
        status = prm_snapshot_check_params(build->snapshot, &parameters->params);
    if (status == PRM_OK)
        status = resident_world_create(device, &build->world, build->pending->world, center);
    if (status != PRM_OK)
        return status;
    if (build->snapshot)
        return prm_snapshot_reader_create(device->context, &build->reader, build->snapshot,
                                          &robot->spec, build->world->world);
    return prm_build_create(device->context, &build->build, build->world->world, &robot->spec,
                            &parameters->params);
}

static enum prm_status begin(struct build *build, struct device *device)
{
    struct service *service = build->service;
    metrics_queue(service->metrics, BUILD_KIND, clock_steady() - build->task.queued);
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
        status = begin_in_world(build, device, &robot, &parameters);
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
        status = build->reader ? prm_snapshot_reader_step(build->reader, done)
                               : prm_build_step(build->build, done);
    while (status == PRM_OK && !*done && !device_should_yield(device, began));
    // what follows the last step has stages of its own
    if (status != PRM_OK || *done)
        return status;

    const struct prm_progress progress =
        build->reader ? (struct prm_progress){"read", 0} : prm_build_progress(build->build);
    service_lock(build->service);
    jobs_progress(build->job, progress.stage, progress.fraction);
    service_unlock(build->service);
    return PRM_OK;
}

struct world_version *build_world_now(const struct build *build)
{
    struct service *service = build->service;
    service_lock(service);
    struct version *present = store_take(&service->worlds, build->pending->document.world);
    service_unlock(service);
    return (struct world_version *)present;
}

bool build_needs_revision(const struct build *build, const struct world_version *present)
{
    const struct roadmap_version *pending = build->pending;
    const struct model *final = build->coming ? build->coming : build->model;
    const bool lattice = pending->document.sample_method == SAMPLE_LATTICE;
    return present && present != final->world->version &&
           world_fits(pending->world, present, lattice) &&
           roadmap_allowed_stays(&pending->document, &pending->world->document, &present->document);
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
 * behind the changes that wait, is checked against the world as they leave it, and published before
 * the next. */
static enum device_step settle(struct build *build, struct device *device)
{
    struct world_version *present = build_world_now(build);
    const bool revises = build->coming && !build->coming->validity;
    const bool differs = revises || build_needs_revision(build, present);
    enum prm_status status = PRM_OK;
    bool done = !differs, moved = false;
    if (differs && !build->settling) {
        moved = build->settling = true;
        // where that lane is full the build waits in its own
        if (!device_thread_submit(build->service->device, DEVICE_LANE_UPDATE, &build->task))
            moved = build->settling = false;
    } else if (differs) {
        if (!build->coming)
            status = begin_revision(build, device, present);
        if (status == PRM_OK)
            status = model_advance(device, build->coming, &done);
    }
    if (present)
        version_release(&present->version);
    if (status != PRM_OK) {
        build_end_failed(build, status);
        return DEVICE_DONE;
    }
    return moved ? DEVICE_DONE : done ? build_publish(build) : DEVICE_AGAIN;
}

/* Takes the outcome of a finished build, and plans on it once before others do. */
static enum prm_status take_outcome(struct build *build, struct device *device)
{
    struct prm_roadmap *topology = NULL;
    struct prm_validity *validity = NULL;
    enum prm_status status = build->reader
                                 ? prm_snapshot_reader_finish(build->reader, &topology, &validity)
                                 : prm_build_finish(build->build, &topology, &validity);
    if (status == PRM_OK)
        status = model_create(device, &build->model, topology, validity, build->world);
    // which edges are valid is taken from nobody's word
    if (status == PRM_OK && build->reader)
        status = model_derive(device, &build->checked, build->model, build->world);
    if (status == PRM_OK)
        status =
            prm_planner_rehearse(device->planner, topology, validity, build->model->world->world);
    // what it needed of the device is free for others
    prm_build_destroy(build->build);
    prm_snapshot_reader_destroy(build->reader);
    prm_snapshot_destroy(build->snapshot);
    build->build = NULL;
    build->reader = NULL;
    build->snapshot = NULL;
    return status;
}

/* Runs a step of checking a roadmap that was read; at the end it is the build's outcome. */
static enum prm_status check(struct build *build, struct device *device)
{
    bool done = false;
    const enum prm_status status = model_advance(device, build->checked, &done);
    if (status == PRM_OK && done) {
        resident_release(&build->model->resident);
        build->model = build->checked;
        build->checked = NULL;
    }
    return status;
}

static enum device_step step(struct device_task *task, struct device *device)
{
    struct build *build = (struct build *)task;
    bool done = false;
    // what others have made of it meanwhile
    if (build->roadmap) {
        build_end_published(build);
        return DEVICE_DONE;
    }
    if (build->error.code != PROBLEM_NONE) {
        build_end_without(build, JOB_FAILED, &build->error);
        return DEVICE_DONE;
    }
    if (atomic_load(&build->job->cancel)) {
        build_end_cancelled(build, PROBLEM_CANCELLED, "the build was cancelled");
        return DEVICE_DONE;
    }

    if (build->model && !build->checked)
        return build->saved ? settle(build, device) : build_save(build, device);
    enum prm_status status = PRM_OK;
    if (build->checked)
        status = check(build, device);
    else if (build->build || build->reader)
        status = advance(build, device, &done);
    else
        status = begin(build, device);
    if (status == PRM_OK && done)
        status = take_outcome(build, device);
    if (status == PRM_OK)
        return DEVICE_AGAIN;
    build_end_failed(build, status);
    return DEVICE_DONE;
}

static void drop(struct device_task *task)
{
    struct build *build = (struct build *)task;
    if (build->roadmap)
        build_end_published(build);
    else
        build_end_cancelled(build, PROBLEM_DRAINING, "the server shut down");
}

/* ---- the beginning ---- */

struct build *build_create(struct service *service, const char *name,
                           const struct roadmap_document *document, struct version *world,
                           struct version *robot, const struct roadmap_import *import)
{
    struct build *build = malloc(sizeof(*build));
    if (!build)
        return NULL;
    *build = (struct build){.task = {.step = step, .drop = drop}, .service = service};
    snprintf(build->name, sizeof(build->name), "%s", name);
    build->pending =
        import ? roadmap_version_restore(document, import->built_in, (struct world_version *)world,
                                         (struct robot_version *)robot)
               : roadmap_version_create(document, (struct world_version *)world,
                                        (struct robot_version *)robot);
    if (!build->pending) {
        free(build);
        return NULL;
    }
    build->pending->state = ROADMAP_BUILDING;
    return build;
}

void build_discard(struct build *build)
{
    version_release(&build->pending->version);
    free(build);
}

struct job *build_enter(struct build *build, struct roadmap_import *import, struct problem *problem)
{
    struct service *service = build->service;
    char resource[JOB_RESOURCE_BYTES];
    struct build *earlier = build_active(service, build->name);
    resource_of(resource, build->name);
    struct job *job = jobs_add(&service->jobs, BUILD_KIND, resource, build);
    if (!job) {
        problem_add(problem, PROBLEM_OVERLOADED, "as many jobs are queued as may be");
        return NULL;
    }
    build->job = job;
    counted_take(&job->counted);
    // from the submission on the device thread has it
    build->snapshot = import ? import->snapshot : NULL;
    if (!device_thread_submit(service->device, DEVICE_LANE_BUILD, &build->task)) {
        problem_add_refusal(service, problem);
        jobs_finish(&service->jobs, job, JOB_CANCELLED, &problem->faults[0]);
        counted_release(&job->counted);
        build->snapshot = NULL;
        return NULL;
    }
    if (import)
        import->snapshot = NULL;
    if (earlier)
        build_stop(earlier);
    return job;
}

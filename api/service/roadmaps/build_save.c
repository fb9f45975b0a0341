/* How a finished build becomes what its name stands for: its bytes are saved while others work on
 * the device, then the publisher saves its record and swaps it in. */
#include "schema/clock.h"
#include "service/roadmaps/builds.h"
#include "service/translate.h"

#include <stdlib.h>

/* Notes why saving failed; the next step ends the build. */
static void note_failure(struct build *build, const struct problem *problem)
{
    build->error = problem->faults[0];
}

/* ---- all but the record ---- */

/* Encodes and writes; by the thread that writes much. */
static void write_parts(struct worker_task *work)
{
    struct build *build = WORK_OF(build, work);
    struct service *service = build->service;
    struct problem problem = {0};
    unsigned char *bytes = NULL;
    size_t size = 0;
    const enum prm_status status = prm_snapshot_writer_finish(build->writer, &bytes, &size);
    if (status != PRM_OK)
        problem_add_status(&problem, status);
    prm_snapshot_writer_destroy(build->writer);
    build->writer = NULL;
    build->saved =
        status == PRM_OK &&
        persistence_save_parts(service->persistence, &build->parts, build->world->version,
                               build->pending->robot, bytes, size, &problem);
    free(bytes);
    if (!build->saved)
        note_failure(build, &problem);
    device_thread_resume(service->device, &build->task);
}

/* Runs steps of copying from the device until it is time for others. */
static enum prm_status copy(struct build *build, struct device *device, bool *done)
{
    const double began = clock_steady();
    enum prm_status status = PRM_OK;
    if (!build->writer) {
        service_lock(build->service);
        jobs_progress(build->job, "save", 0);
        service_unlock(build->service);
        status = prm_snapshot_writer_create(&build->writer, build->model->topology->roadmap,
                                            build->model->validity);
    }
    while (status == PRM_OK && !*done) {
        status = prm_snapshot_writer_step(build->writer, done);
        if (device_should_yield(device, began))
            break;
    }
    return status;
}

enum device_step build_save(struct build *build, struct device *device)
{
    bool done = false;
    if (!persistence_blobs(build->service->persistence)) {
        build->saved = true;
        return DEVICE_AGAIN;
    }
    const enum prm_status status = copy(build, device, &done);
    if (status != PRM_OK) {
        build_end_failed(build, status);
        return DEVICE_DONE;
    }
    if (!done)
        return DEVICE_AGAIN;
    build->work.run = write_parts;
    persistence_write(build->service->persistence, &build->work);
    return DEVICE_AWAIT;
}

/* ---- the record, on the publisher ---- */

/* Saves what the build has made and swaps it in. false: faults are added. */
static bool save_and_swap(struct build *build, struct roadmap_version *roadmap,
                          struct problem *problem)
{
    struct service *service = build->service;
    struct version *replaced = NULL;
    struct job_waiter *waiters = NULL;
    service_lock(service);
    store_number(&service->roadmaps, build->name, &roadmap->version);
    service_unlock(service);
    if (!persistence_save_roadmap(service->persistence, build->name, roadmap, build->parts,
                                  problem))
        return false;

    // one reference is the store's, one the build's
    version_take(&roadmap->version);
    service_lock(service);
    const bool stored = store_put(&service->roadmaps, build->name, &roadmap->version, &replaced);
    if (stored)
        waiters = jobs_finish(&service->jobs, build->job, JOB_SUCCEEDED, NULL);
    service_unlock(service);
    version_release(replaced);
    if (stored) {
        build->roadmap = roadmap;
        build_tell(build);
        build_answer(build, waiters, roadmap, NULL);
        return true;
    }
    version_release(&roadmap->version);
    problem_no_memory(problem, "a roadmap");
    persistence_forget(service->persistence, BLOB_ROADMAPS, build->name, problem);
    return false;
}

/* Whether a build is to be published; from now on it is not stopped. */
static bool begin_publishing(struct build *build)
{
    service_lock(build->service);
    build->publishing = !atomic_load(&build->job->cancel);
    service_unlock(build->service);
    return build->publishing;
}

static void end_publishing(struct build *build)
{
    service_lock(build->service);
    build->publishing = false;
    service_unlock(build->service);
}

/* Publishes a build that was not cancelled and whose world has not changed meanwhile in a way that
 * it could follow; else its next step sees why not. */
static void publish(struct worker_task *work)
{
    struct build *build = WORK_OF(build, work);
    struct problem problem = {0};
    // worlds change here alone
    struct world_version *present = build_world_now(build);
    if (!build_needs_revision(build, present) && begin_publishing(build)) {
        struct model *final = build->coming ? build->coming : build->model;
        const bool stale = present && present != final->world->version;
        struct roadmap_version *roadmap =
            roadmap_version_derive(build->pending, stale ? ROADMAP_STALE : ROADMAP_READY, final,
                                   final->world->version, NULL);
        if (!roadmap)
            problem_no_memory(&problem, "a roadmap");
        if (!roadmap || !save_and_swap(build, roadmap, &problem))
            note_failure(build, &problem);
        if (roadmap && !build->roadmap)
            version_release(&roadmap->version);
        end_publishing(build);
    }
    if (present)
        version_release(&present->version);
    device_thread_resume(build->service->device, &build->task);
}

enum device_step build_publish(struct build *build)
{
    build->work.run = publish;
    persistence_publish(build->service->persistence, &build->work);
    return DEVICE_AWAIT;
}

/* The ends of a build: what is said about it, and to whom. */
#include "schema/clock.h"
#include "service/roadmaps/builds.h"
#include "service/roadmaps/refinement.h"
#include "service/translate.h"

#include <stdlib.h>

/* Frees a build that has ended, on the device thread. */
static void build_destroy(struct build *build)
{
    prm_snapshot_writer_destroy(build->writer);
    prm_build_destroy(build->build);
    prm_snapshot_reader_destroy(build->reader);
    prm_snapshot_destroy(build->snapshot);
    if (build->checked)
        resident_release(&build->checked->resident);
    if (build->coming)
        resident_release(&build->coming->resident);
    if (build->model)
        resident_release(&build->model->resident);
    if (build->world)
        resident_release(&build->world->resident);
    if (build->parts)
        version_release(&build->parts->version);
    if (build->roadmap)
        version_release(&build->roadmap->version);
    version_release(&build->pending->version);
    counted_release(&build->job->counted);
    free(build);
}

void build_answer(const struct build *build, struct job_waiter *waiters,
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
            roadmap_write(build->name, roadmap, &(const struct roadmap_around){0},
                          &call->reply.body);
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

/* What /metrics say about the end; the job is not looked at by others any more. */
static double count_end(const struct build *build, enum job_state state)
{
    const struct job *job = build->job;
    const double seconds = job->started > 0 ? clock_steady() - job->started_steady : -1;
    metrics_job(build->service->metrics, BUILD_KIND, state, seconds);
    return seconds;
}

void build_end_without(struct build *build, enum job_state state, const struct problem_fault *error)
{
    struct service *service = build->service;
    service_lock(service);
    struct version *replaced = mark_ended(build, state, error);
    struct job_waiter *waiters = jobs_finish(&service->jobs, build->job, state, error);
    service_unlock(service);

    version_release(replaced);
    count_end(build, state);
    build_answer(build, waiters, NULL, error);
    service_log(service, "build_ended", "roadmap %s: %s: %s", build->name, job_state_text(state),
                error->detail);
    build_destroy(build);
}

void build_end_cancelled(struct build *build, enum problem_code code, const char *detail)
{
    struct problem problem = {0};
    problem_add(&problem, code, "%s", detail);
    build_end_without(build, JOB_CANCELLED, &problem.faults[0]);
}

void build_end_failed(struct build *build, enum prm_status status)
{
    struct problem problem = {0};
    problem_add_status(&problem, status);
    build_end_without(build, JOB_FAILED, &problem.faults[0]);
}

void build_tell(const struct build *build)
{
    struct service *service = build->service;
    const struct prm_roadmap *made = build->roadmap->model->topology->roadmap;
    for (uint32_t i = 0; i < made->statistics.stage_count; i++)
        metrics_stage(service->metrics, made->statistics.stages[i].name,
                      1e-3 * made->statistics.stages[i].milliseconds);
    const double seconds = count_end(build, JOB_SUCCEEDED);
    service_log(service, "build_ended", "roadmap %s: succeeded: %u milestones, %.1f ms",
                build->name, made->milestone_count, 1e3 * seconds);
}

void build_end_published(struct build *build)
{
    refinement_begin(build->service, build->roadmap->model);
    build_destroy(build);
}

/* PUT of a roadmap: the same content again is no work, other content is a build. Growth is a PUT of
 * a larger count: samplers only append, so that what was there comes first again. */
#include "schema/clock.h"
#include "service/roadmaps/builds.h"
#include "service/translate_roadmap.h"
#include "service/translate_robot.h"

#include <stdio.h>
#include <stdlib.h>

/* The versions that the document names; faults are added. */
static bool find_references(struct service *service, struct call *call,
                            const struct roadmap_document *document, struct version **world,
                            struct version **robot)
{
    *world = store_find(&service->worlds, document->world);
    *robot = store_find(&service->robots, document->robot);
    const struct {
        const struct version *version;
        const char *kind, *name, *pointer;
    } references[] = {{*world, "world", document->world, "/world"},
                      {*robot, "robot", document->robot, "/robot"}};
    bool stays = true;
    for (size_t i = 0; i < sizeof(references) / sizeof(references[0]); i++) {
        // what is being deleted is seen until that is saved, but nothing new may name it
        const bool leaves = references[i].version && references[i].version == service->leaving;
        if (leaves)
            problem_add(&call->problem, PROBLEM_OVERLOADED, "%s \"%s\" is being deleted",
                        references[i].kind, references[i].name);
        stays &= !leaves;
        if (references[i].version)
            continue;
        struct problem_fault *fault =
            problem_add(&call->problem, PROBLEM_UNKNOWN_REFERENCE, "there is no %s \"%s\"",
                        references[i].kind, references[i].name);
        fault->has_pointer = true;
        snprintf(fault->pointer, sizeof(fault->pointer), "%s", references[i].pointer);
    }
    return *world && *robot && stays;
}

/* Whether the robot can be in the world, and the document speaks of both; else faults are added. */
static bool fits(struct call *call, const struct roadmap_document *document,
                 const struct version *world, const struct version *robot)
{
    const struct robot_document *body = &((const struct robot_version *)robot)->document;
    const struct world_document *around = &((const struct world_version *)world)->document;
    const char *misfit = robot_misfit(body, around->dimension);
    if (!misfit)
        return roadmap_check(document, body, around, &call->problem);
    struct problem_fault *fault =
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT, "the robot %s", misfit);
    fault->has_pointer = true;
    snprintf(fault->pointer, sizeof(fault->pointer), "/robot");
    return false;
}

bool roadmap_may_put(struct service *service, struct call *call,
                     const struct roadmap_document *document, const struct version *world,
                     const struct version *robot)
{
    const char *name = call->segments[0];
    const struct version *present = store_find(&service->roadmaps, name);
    if (!fits(call, document, world, robot) ||
        !roadmap_may_change(call, name, (const struct roadmap_version *)present))
        return false;
    if (present || service->roadmaps.count < service->limits.roadmaps)
        return true;
    problem_add_limit(&call->problem, &service->limits, LIMIT_roadmaps);
    return false;
}

/* Shows the roadmap as building, where it could not answer before. The lock is held. */
static void show_building(struct service *service, struct build *build)
{
    struct version *replaced = NULL;
    version_take(&build->pending->version);
    if (store_put(&service->roadmaps, build->name, &build->pending->version, &replaced)) {
        version_release(replaced);
    } else {
        version_release(&build->pending->version);
        atomic_store(&build->job->cancel, true);
    }
}

/* Lets the call wait for the job where it asked to, else looks at the job for the answer. The lock
 * is held. */
static enum put_outcome follow(struct call *call, struct job *job, bool is_new,
                               struct roadmap_putting *putting)
{
    const double wait = call->wait_s;
    struct reply *reply = &call->reply;
    struct job_waiter *waiter = wait > 0 ? malloc(sizeof(*waiter)) : NULL;
    snprintf(reply->location, sizeof(reply->location), "/v1/jobs/%s", job->id);
    if (wait >= 0)
        snprintf(reply->preference_applied, sizeof(reply->preference_applied), "wait=%.0f", wait);
    if (!waiter) {
        putting->job = job_view(job);
        return PUT_ACCEPTED;
    }
    *waiter = (struct job_waiter){
        .call = call, .deadline = clock_steady() + wait, .success_status = is_new ? 201 : 200};
    jobs_wait(job, waiter);
    return PUT_WAITS;
}

/* Decides what the document asks for, under the lock. import: NULL, or what it is taken from. */
static enum put_outcome put(struct service *service, struct call *call,
                            const struct roadmap_document *document, struct roadmap_import *import,
                            struct roadmap_putting *putting)
{
    const char *name = call->segments[0];
    struct version *world, *robot;
    struct roadmap_version *present =
        (struct roadmap_version *)store_find(&service->roadmaps, name);
    if (!find_references(service, call, document, &world, &robot) ||
        !roadmap_may_put(service, call, document, world, robot))
        return PUT_REFUSED;
    struct build *build = build_create(service, name, document, world, robot, import);
    if (!build) {
        problem_no_memory(&call->problem, "a roadmap");
        return PUT_REFUSED;
    }

    // the same content: what is on its way, or there, unless other content is about to replace it
    const struct build *active = build_active(service, name);
    const bool is_new = !present || !present->model;
    if (active && roadmap_same_content(active->pending, build->pending)) {
        build_discard(build);
        return follow(call, active->job, is_new, putting);
    }
    if (present && present->state == ROADMAP_READY &&
        roadmap_same_content(present, build->pending)) {
        build_cancel(service, name);
        if (!build_active(service, name)) {
            build_discard(build);
            version_take(&present->version);
            putting->same = &present->version;
            return PUT_SAME;
        }
    }

    struct job *job = build_enter(build, import, &call->problem);
    if (!job) {
        build_discard(build);
        return PUT_REFUSED;
    }
    if (is_new)
        show_building(service, build);
    return follow(call, job, is_new, putting);
}

struct roadmap_putting roadmap_put_begin(struct service *service, struct call *call,
                                         const struct roadmap_document *document,
                                         struct roadmap_import *import)
{
    struct roadmap_putting putting = {0};
    putting.outcome = put(service, call, document, import, &putting);
    return putting;
}

void roadmap_put_end(struct service *service, struct call *call,
                     const struct roadmap_putting *putting)
{
    struct version *same = putting->same;
    switch (putting->outcome) {
    case PUT_REFUSED:
        call_fail(call);
        break;
    case PUT_SAME:
        call_set_etag(call, same);
        roadmap_write(call->segments[0], (struct roadmap_version *)same,
                      &(const struct roadmap_around){0}, &call->reply.body);
        version_release(same);
        call_succeed_json(call, 200);
        break;
    case PUT_ACCEPTED:
        job_write(&putting->job, &call->reply.body);
        call_succeed_json(call, 202);
        break;
    case PUT_WAITS:
        // the call may be answered already
        workers_wake(service->workers);
        break;
    }
}

void roadmap_put(struct service *service, struct call *call)
{
    struct roadmap_document document;
    if (!call_name_valid(call))
        return;
    if (!roadmap_read(&document, call_body(call), call->body_bytes, &service->limits,
                      &call->problem)) {
        call_fail(call);
        return;
    }
    service_lock(service);
    const struct roadmap_putting putting = roadmap_put_begin(service, call, &document, NULL);
    service_unlock(service);
    roadmap_deinit(&document);
    roadmap_put_end(service, call, &putting);
}

/* The document of what is there, or on its way, with `count` more milestones; false: faults are
 * added. The lock is held. */
static bool grow_document(struct service *service, struct call *call,
                          struct roadmap_document *document, uint32_t count)
{
    const char *name = call->segments[0];
    const struct roadmap_version *present =
        (const struct roadmap_version *)store_find(&service->roadmaps, name);
    const struct build *active = build_active(service, name);
    if (!present) {
        problem_add(&call->problem, PROBLEM_UNKNOWN_ROADMAP, "there is no roadmap \"%s\"", name);
        return false;
    }
    const struct roadmap_document *from = active ? &active->pending->document : &present->document;
    if (from->sample_method == SAMPLE_LATTICE) {
        problem_add(&call->problem, PROBLEM_UNSUPPORTED,
                    "a lattice has a milestone at every free place and does not grow");
        return false;
    }
    if (from->count > service->limits.milestones ||
        count > service->limits.milestones - from->count) {
        problem_add_limit(&call->problem, &service->limits, LIMIT_milestones);
        return false;
    }
    if (!roadmap_copy(document, from)) {
        problem_no_memory(&call->problem, "a roadmap");
        return false;
    }
    document->count += count;
    return true;
}

void roadmap_grow(struct service *service, struct call *call)
{
    struct roadmap_document document;
    struct roadmap_putting putting = {.outcome = PUT_REFUSED};
    uint32_t count = 0;
    if (!roadmap_growth_read(&count, call_body(call), call->body_bytes, &service->limits,
                             &call->problem)) {
        call_fail(call);
        return;
    }
    service_lock(service);
    if (grow_document(service, call, &document, count)) {
        putting = roadmap_put_begin(service, call, &document, NULL);
        roadmap_deinit(&document);
    }
    service_unlock(service);
    roadmap_put_end(service, call, &putting);
}

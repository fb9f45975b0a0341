/* Changes of worlds: prepared by the caller or a worker, carried out on the device thread, saved
 * and swapped in by the publisher, answered by a worker. */
#include "device/assert.h"
#include "schema/clock.h"
#include "service/files/file_options.h"
#include "service/internal.h"
#include "service/persistence/persistence.h"
#include "service/roadmaps/refinement.h"
#include "service/roadmaps/roadmaps.h"
#include "service/translate.h"
#include "service/translate_roadmap.h"

#include <stdlib.h>
#include <string.h>

/* A roadmap that names the world. */
struct dependent {
    char name[STORE_NAME_BYTES];
    struct roadmap_version *from; /* as it was found; taken */
    struct model *coming;         /* of `to`, while it is made; taken */
    struct roadmap_version *to;   /* as it will be; NULL: not yet */
    uint32_t edges_off, edges_on;
    double update_ms;
};

struct change {
    struct device_task task; /* first */
    struct worker_task work;
    struct service *service;
    struct call *call;
    struct world_version *base;   /* what it was prepared from; taken; NULL: there was none */
    struct world_version *next;   /* what the world becomes; taken */
    struct resident_world *world; /* `next` on the device, as the roadmap at hand needs it */
    struct dependent *dependents;
    size_t count, at; /* dependents, and how many of them are done */
    bool collected;
    enum { UNPUBLISHED, PUBLISHED, OUTDATED, REFUSED } outcome; /* the publisher's */
    int status;                                                 /* of the answer */
    struct file_report report;                                  /* of the file in the body */
};

static void prepare(struct change *change);

/* Undoes all that was prepared. */
static void reset(struct change *change)
{
    for (size_t i = 0; i < change->count; i++) {
        struct dependent *dependent = &change->dependents[i];
        version_release(&dependent->from->version);
        if (dependent->coming)
            resident_release(&dependent->coming->resident);
        if (dependent->to)
            version_release(&dependent->to->version);
    }
    free(change->dependents);
    if (change->world)
        resident_release(&change->world->resident);
    if (change->base)
        version_release(&change->base->version);
    if (change->next)
        version_release(&change->next->version);
    *change =
        (struct change){.task = change->task, .service = change->service, .call = change->call};
}

/* Ends without a change; the call's problem says why. */
static void refuse(struct change *change)
{
    struct call *call = change->call;
    reset(change);
    free(change);
    call_fail(call);
}

/* ---- the answer, by a worker ---- */

static void write_roadmaps(const struct change *change, struct text *out)
{
    text_json_key(out, "roadmaps");
    text_json_open(out, '[');
    for (size_t i = 0; i < change->count; i++) {
        const struct dependent *dependent = &change->dependents[i];
        text_json_open(out, '{');
        text_member_string(out, "name", dependent->name);
        text_member_string(out, "state", roadmap_state_texts[dependent->to->state]);
        text_member_u64(out, "edges_off", dependent->edges_off);
        text_member_u64(out, "edges_on", dependent->edges_on);
        text_member_number(out, "update_ms", dependent->update_ms, 5);
        text_json_close(out, '}');
    }
    text_json_close(out, ']');
}

static void answer(struct worker_task *work)
{
    struct change *change = WORK_OF(change, work);
    struct call *call = change->call;
    struct text *out = &call->reply.body;
    const int status = change->status;
    const struct version *version = &change->next->version;
    call_set_etag(call, version);
    if (call->route == ROUTE_WORLD_PUT) {
        world_write_open(call->segments[0], change->next, out);
    } else {
        text_json_open(out, '{');
        text_member_u64(out, "revision", version->revision);
        text_member_string(out, "fingerprint", version->fingerprint);
    }
    file_report_write(&change->report, out);
    text_json_key(out, "warnings");
    text_json_open(out, '[');
    world_write_warnings(change->next, out);
    file_report_write_warnings(&change->report, out);
    text_json_close(out, ']');
    write_roadmaps(change, out);
    text_json_close(out, '}');
    reset(change);
    free(change);
    call_succeed_json(call, status);
}

static void hand_to_worker(struct change *change, void (*run)(struct worker_task *work))
{
    change->work.run = run;
    workers_submit(change->service->workers, &change->work);
}

/* ---- on the device thread ---- */

/* Prepares anew, because the world is not what it was. */
static void prepare_again(struct worker_task *work)
{
    struct change *change = WORK_OF(change, work);
    reset(change);
    prepare(change);
}

/* Whether the world is still what the change was prepared from. The lock is held. */
static bool is_current(const struct change *change)
{
    return store_find(&change->service->worlds, change->call->segments[0]) ==
           (change->base ? &change->base->version : NULL);
}

/* Whether a roadmap names the world and has a model. */
static bool names(const struct change *change, const struct version *version)
{
    const struct roadmap_version *roadmap = (const struct roadmap_version *)version;
    return roadmap->model && strcmp(roadmap->document.world, change->call->segments[0]) == 0;
}

/* Finds the roadmaps that name the world and have a model. false: the world has changed, or
 * (status) there is no memory. */
static bool collect(struct change *change, enum prm_status *status)
{
    struct service *service = change->service;
    service_lock(service);
    const bool current = is_current(change);
    const size_t capacity = service->roadmaps.count;
    if (current)
        change->dependents = calloc(capacity + 1, sizeof(*change->dependents));
    for (size_t i = 0; change->dependents && i < capacity; i++) {
        const struct store_entry *entry = &service->roadmaps.entries[i];
        if (!names(change, entry->version))
            continue;
        struct dependent *dependent = &change->dependents[change->count++];
        memcpy(dependent->name, entry->name, sizeof(dependent->name));
        dependent->from = (struct roadmap_version *)entry->version;
        version_take(entry->version);
    }
    service_unlock(service);
    change->collected = true;
    if (current && !change->dependents)
        *status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a change");
    return current && change->dependents;
}

/* Sees to it that change->world is the next world in the frame of a roadmap: roadmaps of one frame
 * share it. */
static enum prm_status make_resident(struct change *change, struct device *device,
                                     const struct dependent *dependent)
{
    const double *center = dependent->from->model->topology->roadmap->center;
    if (change->world) {
        if (prm_world_is_centered(change->world->world, center))
            return PRM_OK;
        resident_release(&change->world->resident);
        change->world = NULL;
    }
    return resident_world_create(device, &change->world, change->next, center);
}

/* Runs a step of making one roadmap's model of the next world; *done: it is there. */
static enum prm_status advance(struct change *change, struct device *device,
                               struct dependent *dependent, bool *done)
{
    enum prm_status status = PRM_OK;
    if (!dependent->coming)
        status = make_resident(change, device, dependent);
    if (status == PRM_OK && !dependent->coming)
        status = model_derive(device, &dependent->coming, dependent->from->model, change->world);
    if (status == PRM_OK)
        status = model_advance(device, dependent->coming, done);
    return status;
}

/* Runs a step of making the next version of one roadmap; *done: it is there. */
static enum prm_status update(struct change *change, struct device *device,
                              struct dependent *dependent, bool *done)
{
    const double began = clock_steady();
    const struct roadmap_version *from = dependent->from;
    const bool lattice = from->document.sample_method == SAMPLE_LATTICE;
    const bool fits =
        world_fits(from->world, change->next, lattice) &&
        roadmap_allowed_stays(&from->document, &from->world->document, &change->next->document);
    enum prm_status status = PRM_OK;
    *done = !fits;
    if (fits)
        status = advance(change, device, dependent, done);
    if (status == PRM_OK && *done) {
        dependent->to = fits ? roadmap_version_derive(from, ROADMAP_READY, dependent->coming,
                                                      change->next, &from->last_error)
                             : roadmap_version_derive(from, ROADMAP_STALE, from->model, from->world,
                                                      &from->last_error);
        if (!dependent->to)
            status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a roadmap");
    }
    if (status == PRM_OK && *done && fits) {
        dependent->edges_off = dependent->coming->validity->edges_off;
        dependent->edges_on = dependent->coming->validity->edges_on;
    }
    dependent->update_ms += 1e3 * (clock_steady() - began);
    return status;
}

/* ---- on the publisher ---- */

/* Whether the roadmaps that name the world are just those that the change has found: while it
 * waited others may have been built or deleted. The lock is held. */
static bool found_all(const struct change *change)
{
    const struct store *roadmaps = &change->service->roadmaps;
    size_t found = 0;
    for (size_t i = 0; i < roadmaps->count; i++) {
        const struct store_entry *entry = &roadmaps->entries[i];
        if (!names(change, entry->version))
            continue;
        // both are in the order of their names
        if (found == change->count || &change->dependents[found].from->version != entry->version)
            return false;
        found++;
    }
    return found == change->count;
}

/* Looks whether the change still holds, and numbers what it makes. */
static void check(struct change *change)
{
    struct service *service = change->service;
    service_lock(service);
    if (!is_current(change) || !found_all(change)) {
        change->outcome = OUTDATED;
    } else if (!change->base && service->worlds.count >= service->limits.worlds) {
        problem_add_limit(&change->call->problem, &service->limits, LIMIT_worlds);
        change->outcome = REFUSED;
    } else {
        store_number(&service->worlds, change->call->segments[0], &change->next->version);
        for (size_t i = 0; i < change->count; i++)
            store_number(&service->roadmaps, change->dependents[i].name,
                         &change->dependents[i].to->version);
    }
    service_unlock(service);
}

/* Saves of the roadmaps that get stale which world they go on answering for: that of before, also
 * where this goes no further. false: a fault was added. */
static bool save_last_worlds(struct change *change)
{
    for (size_t i = 0; i < change->count; i++) {
        const struct dependent *dependent = &change->dependents[i];
        if (dependent->to->state == ROADMAP_STALE && dependent->from->state != ROADMAP_STALE &&
            !persistence_save_roadmap(change->service->persistence, dependent->name,
                                      dependent->from, NULL, &change->call->problem))
            return false;
    }
    return true;
}

/* Saves the world, and what its roadmaps are numbered. false: a fault was added. */
static bool save(struct change *change)
{
    struct problem *problem = &change->call->problem;
    struct follower *followers = calloc(change->count + 1, sizeof(*followers));
    if (!followers) {
        problem_no_memory(problem, "a change");
        return false;
    }
    for (size_t i = 0; i < change->count; i++) {
        memcpy(followers[i].name, change->dependents[i].name, sizeof(followers[i].name));
        followers[i].revision = change->dependents[i].to->version.revision;
    }
    const bool saved =
        save_last_worlds(change) &&
        persistence_save_world(change->service->persistence, change->call->segments[0],
                               change->next, followers, change->count, problem);
    free(followers);
    return saved;
}

/* Swaps the world and all its roadmaps at once. false: it finds no room. */
static bool swap(struct change *change)
{
    struct service *service = change->service;
    struct version *old_world = NULL;
    service_lock(service);
    const bool done =
        store_put(&service->worlds, change->call->segments[0], &change->next->version, &old_world);
    for (size_t i = 0; done && i < change->count; i++) {
        struct dependent *dependent = &change->dependents[i];
        struct version *replaced = store_find(&service->roadmaps, dependent->name);
        // a failed build may have left a version meanwhile: why it failed stays
        if (replaced)
            dependent->to->last_error = ((struct roadmap_version *)replaced)->last_error;
        // replacing needs no memory
        version_take(&dependent->to->version);
        store_put(&service->roadmaps, dependent->name, &dependent->to->version, &replaced);
        version_release(replaced);
    }
    // one reference is the store's, one the answer's
    if (done)
        version_take(&change->next->version);
    service_unlock(service);
    version_release(old_world);
    return done;
}

static void publish(struct worker_task *work)
{
    struct change *change = WORK_OF(change, work);
    struct problem *problem = &change->call->problem;
    check(change);
    if (change->outcome == UNPUBLISHED && !save(change))
        change->outcome = REFUSED;
    if (change->outcome == UNPUBLISHED && !swap(change)) {
        problem_no_memory(problem, "a world");
        persistence_forget(change->service->persistence, BLOB_WORLDS, change->call->segments[0],
                           problem);
        change->outcome = REFUSED;
    }
    if (change->outcome == UNPUBLISHED)
        change->outcome = PUBLISHED;
    device_thread_resume(change->service->device, &change->task);
}

/* ---- on the device thread again ---- */

/* Has the models refined that this change has made. */
static void refine(const struct change *change)
{
    for (size_t i = 0; i < change->count; i++) {
        const struct dependent *dependent = &change->dependents[i];
        PRM_ASSERT(dependent->to);
        if (dependent->to->model != dependent->from->model)
            refinement_begin(change->service, dependent->to->model);
    }
}

/* Goes on as the publisher has left it. */
static void finish(struct change *change)
{
    switch (change->outcome) {
    case PUBLISHED:
        refine(change);
        hand_to_worker(change, answer);
        break;
    case OUTDATED:
        hand_to_worker(change, prepare_again);
        break;
    case UNPUBLISHED:
    case REFUSED:
        refuse(change);
        break;
    }
}

static enum device_step step(struct device_task *task, struct device *device)
{
    struct change *change = (struct change *)task;
    enum prm_status status = PRM_OK;
    if (change->outcome != UNPUBLISHED) {
        finish(change);
        return DEVICE_DONE;
    }
    if (!change->collected) {
        metrics_queue(change->service->metrics, "update", clock_steady() - task->queued);
        if (!collect(change, &status) && status == PRM_OK) {
            hand_to_worker(change, prepare_again);
            return DEVICE_DONE;
        }
    } else {
        bool done;
        status = update(change, device, &change->dependents[change->at], &done);
        change->at += status == PRM_OK && done;
    }
    if (status != PRM_OK) {
        problem_add_status(&change->call->problem, status);
        refuse(change);
        return DEVICE_DONE;
    }
    if (change->at < change->count)
        return DEVICE_AGAIN;
    change->work.run = publish;
    persistence_publish(change->service->persistence, &change->work);
    return DEVICE_AWAIT;
}

static void drop(struct device_task *task)
{
    struct change *change = (struct change *)task;
    if (change->outcome == PUBLISHED) {
        hand_to_worker(change, answer);
        return;
    }
    problem_add(&change->call->problem, PROBLEM_DRAINING, "the server shut down");
    refuse(change);
}

/* ---- preparation ---- */

/* Makes `next` from the present version; false: the call's problem says why not. */
static bool make_next(struct change *change)
{
    if (!call_may_change(change->call, change->base ? &change->base->version : NULL))
        return false;
    change->next = world_version_read(change->call, &change->service->limits, change->base,
                                      &change->status, &change->report);
    return change->next;
}

static void prepare(struct change *change)
{
    struct service *service = change->service;
    service_lock(service);
    change->base = (struct world_version *)store_take(&service->worlds, change->call->segments[0]);
    service_unlock(service);
    if (!make_next(change)) {
        refuse(change);
        return;
    }

    // equal content is no change
    if (change->base &&
        strcmp(change->base->version.fingerprint, change->next->version.fingerprint) == 0) {
        version_release(&change->next->version);
        change->next = change->base;
        change->base = NULL;
        answer(&change->work);
        return;
    }
    if (!device_thread_submit(service->device, DEVICE_LANE_UPDATE, &change->task)) {
        problem_add_refusal(service, &change->call->problem);
        refuse(change);
    }
}

static void prepare_on_worker(struct worker_task *work)
{
    prepare(WORK_OF(change, work));
}

void world_change(struct service *service, struct call *call)
{
    if (!call_name_valid(call))
        return;
    struct change *change = malloc(sizeof(*change));
    if (!change) {
        call_no_memory(call, "a change");
        return;
    }
    *change =
        (struct change){.task = {.step = step, .drop = drop}, .service = service, .call = call};
    // a file may hold much more than its bytes
    if (call->body_bytes > SERVICE_LARGE_BYTES || call_has_file(call))
        hand_to_worker(change, prepare_on_worker);
    else
        prepare(change);
}

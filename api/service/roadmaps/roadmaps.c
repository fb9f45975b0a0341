#include "service/roadmaps/roadmaps.h"

#include "schema/plan.h"
#include "service/fingerprint.h"
#include "service/internal.h"
#include "service/roadmaps/builds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const roadmap_state_texts[ROADMAP_STATE_COUNT] = {
#define X(constant, text) text,
    ROADMAP_STATES(X)
#undef X
};

/* ---- versions ---- */

static void roadmap_version_destroy(struct counted *counted)
{
    struct roadmap_version *roadmap = (struct roadmap_version *)counted;
    version_release(&roadmap->world->version);
    version_release(&roadmap->robot->version);
    if (roadmap->model)
        resident_release(&roadmap->model->resident);
    roadmap_deinit(&roadmap->document);
    free(roadmap);
}

/* The fingerprint of all inputs. */
static bool set_fingerprint(struct roadmap_version *roadmap)
{
    char inputs[4 * FINGERPRINT_BYTES];
    const int length =
        snprintf(inputs, sizeof(inputs), "%s\n%s\n%s\n%s", roadmap->parameters, roadmap->built_in,
                 roadmap->world->version.fingerprint, roadmap->robot->version.fingerprint);
    return fingerprint_of(roadmap->version.fingerprint, inputs, (size_t)length);
}

struct roadmap_version *roadmap_version_create(const struct roadmap_document *document,
                                               struct world_version *world,
                                               struct robot_version *robot)
{
    struct text members = {0};
    struct roadmap_version *roadmap = calloc(1, sizeof(*roadmap));
    if (!roadmap || !roadmap_copy(&roadmap->document, document)) {
        free(roadmap);
        return NULL;
    }
    counted_init(&roadmap->version.counted, roadmap_version_destroy);
    version_take(&world->version);
    version_take(&robot->version);
    roadmap->state = ROADMAP_BUILDING;
    roadmap->world = world;
    roadmap->robot = robot;
    memcpy(roadmap->built_in, world->version.fingerprint, sizeof(roadmap->built_in));

    roadmap_write_members(document, &members);
    const bool complete = !members.failed &&
                          fingerprint_of(roadmap->parameters, members.data, members.length) &&
                          set_fingerprint(roadmap);
    text_deinit(&members);
    if (complete)
        return roadmap;
    version_release(&roadmap->version);
    return NULL;
}

struct roadmap_version *roadmap_version_restore(const struct roadmap_document *document,
                                                const char *built_in, struct world_version *world,
                                                struct robot_version *robot)
{
    struct roadmap_version *roadmap = roadmap_version_create(document, world, robot);
    if (!roadmap)
        return NULL;
    snprintf(roadmap->built_in, sizeof(roadmap->built_in), "%s", built_in);
    roadmap->state = ROADMAP_LOADING;
    if (set_fingerprint(roadmap))
        return roadmap;
    version_release(&roadmap->version);
    return NULL;
}

struct roadmap_version *roadmap_version_derive(const struct roadmap_version *from,
                                               enum roadmap_state state, struct model *model,
                                               struct world_version *world,
                                               const struct problem_fault *last_error)
{
    struct roadmap_version *roadmap = malloc(sizeof(*roadmap));
    struct roadmap_document document;
    if (!roadmap || !roadmap_copy(&document, &from->document)) {
        free(roadmap);
        return NULL;
    }
    *roadmap = (struct roadmap_version){
        .document = document, .state = state, .world = world, .robot = from->robot, .model = model};
    counted_init(&roadmap->version.counted, roadmap_version_destroy);
    memcpy(roadmap->parameters, from->parameters, sizeof(roadmap->parameters));
    memcpy(roadmap->built_in, from->built_in, sizeof(roadmap->built_in));
    version_take(&world->version);
    version_take(&from->robot->version);
    if (model)
        resident_take(&model->resident);
    if (last_error)
        roadmap->last_error = *last_error;
    if (set_fingerprint(roadmap))
        return roadmap;
    version_release(&roadmap->version);
    return NULL;
}

bool roadmap_same_content(const struct roadmap_version *a, const struct roadmap_version *b)
{
    return strcmp(a->parameters, b->parameters) == 0 &&
           strcmp(a->world->version.fingerprint, b->world->version.fingerprint) == 0 &&
           strcmp(a->robot->version.fingerprint, b->robot->version.fingerprint) == 0;
}

/* ---- use by name ---- */

/* Appends a name to a list in words; the text stays within bounds. */
static void append_name(char *list, size_t bytes, const char *name)
{
    const size_t length = strlen(list);
    snprintf(list + length, bytes - length, "%s\"%s\"", length ? ", " : "", name);
}

static bool names(const struct roadmap_document *document, enum used used, const char *name)
{
    return strcmp(used == USED_WORLD ? document->world : document->robot, name) == 0;
}

bool roadmaps_refuse_in_use(struct call *call, enum used used, const char *name)
{
    struct service *service = call->service;
    char list[PROBLEM_DETAIL_MAX / 2] = "";
    unsigned count = 0;
    for (size_t i = 0; i < service->roadmaps.count; i++) {
        const struct store_entry *entry = &service->roadmaps.entries[i];
        const struct roadmap_version *roadmap = (const struct roadmap_version *)entry->version;
        // what it is, and what it is being made into
        const struct build *build = build_active(service, entry->name);
        if (!names(&roadmap->document, used, name) &&
            !(build && names(&build->pending->document, used, name)))
            continue;
        append_name(list, sizeof(list), entry->name);
        count++;
    }
    if (count == 0)
        return false;
    problem_add(&call->problem, PROBLEM_IN_USE, "%s \"%s\" is used by %u roadmap%s: %s",
                used == USED_WORLD ? "world" : "robot", name, count, count == 1 ? "" : "s", list);
    return true;
}

/* ---- use cases ---- */

struct roadmap_version *roadmap_take_answering(struct service *service, struct call *call)
{
    const char *name = call->segments[0];
    service_lock(service);
    struct roadmap_version *roadmap =
        (struct roadmap_version *)store_take(&service->roadmaps, name);
    service_unlock(service);
    if (!roadmap) {
        problem_add(&call->problem, PROBLEM_UNKNOWN_ROADMAP, "there is no roadmap \"%s\"", name);
        return NULL;
    }
    if (roadmap->model)
        return roadmap;
    if (roadmap->state == ROADMAP_FAILED)
        problem_add(&call->problem, PROBLEM_NOT_READY, "the build of roadmap \"%s\" failed: %s",
                    name, roadmap->last_error.detail);
    else if (roadmap->state == ROADMAP_LOADING)
        problem_add(&call->problem, PROBLEM_LOADING, "roadmap \"%s\" is still being loaded", name);
    else
        problem_add(&call->problem, PROBLEM_NOT_READY, "roadmap \"%s\" is still being built", name);
    version_release(&roadmap->version);
    return NULL;
}

bool roadmap_may_answer(const struct roadmap_version *roadmap, bool allow_stale,
                        struct problem *problem)
{
    if (roadmap->state != ROADMAP_STALE || allow_stale)
        return true;
    problem_add(problem, PROBLEM_ROADMAP_STALE,
                "the world's dimension, bounds or grid have changed since the build; build the "
                "roadmap anew or say \"allow_stale\"");
    return false;
}

bool roadmap_warns_stale(const struct roadmap_version *roadmap, struct plan_warning *warning)
{
    if (roadmap->state != ROADMAP_STALE)
        return false;
    *warning = (struct plan_warning){.code = "stale", .query = -1};
    snprintf(warning->detail, sizeof(warning->detail),
             "the answers are those of world revision %llu",
             (unsigned long long)roadmap->world->version.revision);
    return true;
}

static void write_summary(const struct version *version, struct text *out)
{
    const struct roadmap_version *roadmap = (const struct roadmap_version *)version;
    text_member_string(out, "state", roadmap_state_texts[roadmap->state]);
    text_member_string(out, "world", roadmap->document.world);
    text_member_string(out, "robot", roadmap->document.robot);
    text_json_key(out, "milestones");
    if (roadmap->model)
        text_json_u64(out, roadmap->model->topology->roadmap->milestone_count);
    else
        text_json_null(out);
}

void roadmap_list(struct service *service, struct call *call)
{
    call_list(call, &service->roadmaps, write_summary);
}

struct roadmap_around roadmap_around(struct service *service, const char *name,
                                     const struct roadmap_version *roadmap)
{
    struct roadmap_around around = {0};
    const struct build *build = build_active(service, name);
    const struct version *robot = store_find(&service->robots, roadmap->document.robot);
    if (build)
        memcpy(around.job, build->job->id, sizeof(around.job));
    around.robot_changed =
        !robot || strcmp(robot->fingerprint, roadmap->robot->version.fingerprint) != 0;
    snprintf(around.mark, sizeof(around.mark), "%s%s%s", build ? "-" : "", around.job,
             around.robot_changed ? "-r" : "");
    return around;
}

bool roadmap_may_change(struct call *call, const char *name, const struct roadmap_version *roadmap)
{
    if (!roadmap)
        return call_may_change(call, NULL);
    const struct roadmap_around around = roadmap_around(call->service, name, roadmap);
    return call_may_change_marked(call, &roadmap->version, around.mark);
}

void roadmap_get(struct service *service, struct call *call)
{
    const char *name = call->segments[0];
    struct roadmap_around around = {0};
    service_lock(service);
    struct version *version = store_take(&service->roadmaps, name);
    const struct roadmap_version *roadmap = (const struct roadmap_version *)version;
    if (version)
        around = roadmap_around(service, name, roadmap);
    service_unlock(service);
    if (!version) {
        call_refuse(call, PROBLEM_UNKNOWN_ROADMAP, "there is no roadmap \"%s\"", name);
        return;
    }
    if (roadmap->state == ROADMAP_LOADING) {
        version_release(version);
        call_refuse(call, PROBLEM_LOADING, "roadmap \"%s\" is still being loaded", name);
        return;
    }

    call_set_etag_marked(call, version, around.mark);
    if (!call_not_modified(call)) {
        roadmap_write(name, roadmap, &around, &call->reply.body);
        call_succeed_json(call, 200);
    }
    version_release(version);
}

static bool may_delete(struct call *call, const char *name, const struct version *version)
{
    return roadmap_may_change(call, name, (const struct roadmap_version *)version);
}

/* A roadmap goes with the job that makes its next version. */
static void end_build(struct call *call, const char *name)
{
    build_cancel(call->service, name);
}

void roadmap_delete(struct service *service, struct call *call)
{
    (void)service;
    call_delete(call, BLOB_ROADMAPS, may_delete, end_build);
}

#include "service/robots.h"

#include "service/fingerprint.h"
#include "service/internal.h"
#include "service/roadmaps.h"
#include "service/robot_read.h"

#include <stdlib.h>
#include <string.h>

static void robot_version_destroy(struct counted *counted)
{
    struct robot_version *robot = (struct robot_version *)counted;
    robot_deinit(&robot->document);
    text_deinit(&robot->members);
    free(robot);
}

/* Takes the document over. NULL: no memory. */
static struct robot_version *robot_version_create(struct robot_document *document)
{
    struct robot_version *robot = calloc(1, sizeof(*robot));
    if (!robot) {
        robot_deinit(document);
        return NULL;
    }
    counted_init(&robot->version.counted, robot_version_destroy);
    robot->document = *document;
    robot_write_members(&robot->document, &robot->members);
    if (robot->members.failed || robot->document.warnings.failed ||
        !fingerprint_of(robot->version.fingerprint, robot->members.data, robot->members.length)) {
        version_release(&robot->version);
        return NULL;
    }
    return robot;
}

static void write_body(const char *name, const struct robot_version *robot, struct text *out)
{
    text_json_open(out, '{');
    version_write_members(name, &robot->version, out);
    text_append(out, ",", 1);
    text_append(out, robot->members.data, robot->members.length);
    robot_write_derived(&robot->document, out);
    text_json_close(out, '}');
}

static void write_summary(const struct version *version, struct text *out)
{
    robot_write_summary(&((const struct robot_version *)version)->document, out);
}

void robot_list(struct service *service, struct call *call)
{
    call_list(call, &service->robots, write_summary);
}

void robot_get(struct service *service, struct call *call)
{
    service_lock(service);
    struct version *version = store_take(&service->robots, call->segments[0]);
    service_unlock(service);
    if (!version) {
        call_refuse(call, PROBLEM_UNKNOWN_ROBOT, "there is no robot \"%s\"", call->segments[0]);
        return;
    }
    call_set_etag(call, version);
    if (!call_not_modified(call, version)) {
        write_body(call->segments[0], (struct robot_version *)version, &call->reply.body);
        call_succeed_json(call, 200);
    }
    version_release(version);
}

/* Puts a version under the name in the URL, or keeps the present one where it is the same. *kept is
 * what the name stands for then, taken. Returns the HTTP status; 0: the call's problem says why
 * not. */
static int put(struct service *service, struct call *call, struct robot_version *robot,
               struct version **kept)
{
    struct version *replaced = NULL;
    int status = 0;
    service_lock(service);
    struct version *present = store_find(&service->robots, call->segments[0]);
    if (!call_may_change(call, present)) {
        status = 0;
    } else if (present && strcmp(present->fingerprint, robot->version.fingerprint) == 0) {
        status = 200;
        *kept = present;
        version_take(present);
    } else if (!present && service->robots.count >= service->limits.robots) {
        problem_add_limit(&call->problem, &service->limits, LIMIT_robots);
    } else if (!store_put(&service->robots, call->segments[0], &robot->version, &replaced)) {
        problem_add(&call->problem, PROBLEM_OVERLOADED, "no memory for a robot");
    } else {
        status = replaced ? 200 : 201;
        *kept = &robot->version;
        // one reference for the store, one for the caller
        version_take(*kept);
    }
    service_unlock(service);
    version_release(replaced);
    return status;
}

/* A PUT on its way. */
struct robot_reading {
    struct worker_task work;
    struct service *service;
    struct call *call;
};

/* Reads the body, puts the robot and answers; covers of solids take a while. */
static void read_and_put(struct worker_task *work)
{
    struct robot_reading *reading = WORK_OF(robot_reading, work);
    struct service *service = reading->service;
    struct call *call = reading->call;
    struct robot_document document;
    struct version *kept = NULL;
    free(reading);
    if (!robot_read_call(&document, call, &service->limits)) {
        call_fail(call);
        return;
    }
    struct robot_version *robot = robot_version_create(&document);
    if (!robot) {
        call_refuse(call, PROBLEM_OVERLOADED, "no memory for a robot");
        return;
    }

    const int status = put(service, call, robot, &kept);
    if (kept != &robot->version)
        version_release(&robot->version);
    if (!status) {
        call_fail(call);
        return;
    }
    call_set_etag(call, kept);
    write_body(call->segments[0], (struct robot_version *)kept, &call->reply.body);
    version_release(kept);
    call_succeed_json(call, status);
}

void robot_put(struct service *service, struct call *call)
{
    if (!call_name_valid(call))
        return;
    struct robot_reading *reading = malloc(sizeof(*reading));
    if (!reading) {
        call_refuse(call, PROBLEM_OVERLOADED, "no memory for a request");
        return;
    }
    *reading = (struct robot_reading){{.run = read_and_put}, service, call};
    workers_submit(service->workers, &reading->work);
}

static bool is_free(struct call *call, const char *name)
{
    return !roadmaps_refuse_in_use(call, USED_ROBOT, name);
}

void robot_delete(struct service *service, struct call *call)
{
    call_delete(call, &service->robots, "robot", PROBLEM_UNKNOWN_ROBOT, is_free);
}

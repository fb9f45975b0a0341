#include "service/robots/robots.h"

#include "service/fingerprint.h"
#include "service/internal.h"
#include "service/persistence/persistence.h"
#include "service/roadmaps/roadmaps.h"
#include "service/robots/robot_read.h"

#include <stdlib.h>
#include <string.h>

static void robot_version_destroy(struct counted *counted)
{
    struct robot_version *robot = (struct robot_version *)counted;
    robot_deinit(&robot->document);
    text_deinit(&robot->members);
    free(robot);
}

struct robot_version *robot_version_create(struct robot_document *document)
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
    if (!call_not_modified(call)) {
        write_body(call->segments[0], (struct robot_version *)version, &call->reply.body);
        call_succeed_json(call, 200);
    }
    version_release(version);
}

/* A PUT on its way. */
struct robot_reading {
    struct worker_task work;
    struct service *service;
    struct call *call;
    struct robot_version *robot; /* taken; NULL: not read yet */
};

/* Decides, under the lock, what a PUT does. Returns the HTTP status; 0: the call's problem says why
 * nothing. *kept is the present version where it is the same already, taken. */
static int decide(struct service *service, struct call *call, struct robot_version *robot,
                  struct version **kept)
{
    struct version *present = store_find(&service->robots, call->segments[0]);
    if (!call_may_change(call, present))
        return 0;
    if (present && strcmp(present->fingerprint, robot->version.fingerprint) == 0) {
        *kept = present;
        version_take(present);
        return 200;
    }
    if (!present && service->robots.count >= service->limits.robots) {
        problem_add_limit(&call->problem, &service->limits, LIMIT_robots);
        return 0;
    }
    store_number(&service->robots, call->segments[0], &robot->version);
    return present ? 200 : 201;
}

/* Puts a version under the name in the URL, saved, or keeps the present one where it is the same.
 * *kept is what the name stands for then, taken. Returns as decide() does. On the publisher. */
static int put(struct service *service, struct call *call, struct robot_version *robot,
               struct version **kept)
{
    const char *name = call->segments[0];
    struct version *replaced = NULL;
    service_lock(service);
    const int status = decide(service, call, robot, kept);
    service_unlock(service);
    if (!status || *kept)
        return status;
    if (!persistence_save_robot(service->persistence, name, robot, &call->problem))
        return 0;

    // the store's reference
    version_take(&robot->version);
    service_lock(service);
    const bool stored = store_put(&service->robots, name, &robot->version, &replaced);
    service_unlock(service);
    version_release(replaced);
    if (stored) {
        *kept = &robot->version;
        version_take(*kept);
        return status;
    }
    version_release(&robot->version);
    problem_no_memory(&call->problem, "a robot");
    persistence_forget(service->persistence, BLOB_ROBOTS, name, &call->problem);
    return 0;
}

static void put_and_answer(struct worker_task *work)
{
    struct robot_reading *reading = WORK_OF(robot_reading, work);
    struct call *call = reading->call;
    struct version *kept = NULL;
    const int status = put(reading->service, call, reading->robot, &kept);
    version_release(&reading->robot->version);
    free(reading);
    if (!status) {
        call_fail(call);
        return;
    }
    call_set_etag(call, kept);
    write_body(call->segments[0], (struct robot_version *)kept, &call->reply.body);
    version_release(kept);
    call_succeed_json(call, status);
}

/* Reads the body; covers of solids take a while. */
static void read_robot(struct worker_task *work)
{
    struct robot_reading *reading = WORK_OF(robot_reading, work);
    struct service *service = reading->service;
    struct call *call = reading->call;
    struct robot_document document;
    if (!robot_read_call(&document, call, &service->limits)) {
        free(reading);
        call_fail(call);
        return;
    }
    reading->robot = robot_version_create(&document);
    if (!reading->robot) {
        free(reading);
        call_no_memory(call, "a robot");
        return;
    }
    reading->work.run = put_and_answer;
    persistence_publish(service->persistence, &reading->work);
}

void robot_put(struct service *service, struct call *call)
{
    if (!call_name_valid(call))
        return;
    struct robot_reading *reading = malloc(sizeof(*reading));
    if (!reading) {
        call_no_memory(call, "a request");
        return;
    }
    *reading = (struct robot_reading){{.run = read_robot}, service, call, NULL};
    workers_submit(service->workers, &reading->work);
}

static bool may_delete(struct call *call, const char *name, const struct version *version)
{
    return call_may_change(call, version) && !roadmaps_refuse_in_use(call, USED_ROBOT, name);
}

void robot_delete(struct service *service, struct call *call)
{
    (void)service;
    call_delete(call, BLOB_ROBOTS, may_delete, NULL);
}

/* What a change makes of a world: the body or the path read, put into the present document and
 * checked. */
#include "service/files/file_options.h"
#include "service/internal.h"
#include "service/translate.h"
#include "service/worlds/worlds.h"

#include <stdio.h>
#include <string.h>

/* Reads the obstacle in the body and puts it into a copy of the world. *status: of the answer. */
static bool read_obstacle(struct world_document *document, struct call *call,
                          const struct limits *limits, const struct world_document *base,
                          int *status, struct file_report *report)
{
    const char *id = call->segments[1];
    struct obstacle_document obstacle;
    const bool is_file = call_parameter(call, "format");
    if (is_file
            ? !obstacle_read_format(&obstacle, report, base->dimension, call, limits)
            : !check_no_file(call) || !obstacle_read(&obstacle, base->dimension, call_body(call),
                                                     call->body_bytes, limits, &call->problem))
        return false;
    if (strlen(id) >= sizeof(obstacle.id)) {
        problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT, "an id has at most %zu bytes",
                    sizeof(obstacle.id) - 1);
        obstacle_deinit(&obstacle);
        return false;
    }
    if (*obstacle.id && strcmp(obstacle.id, id) != 0) {
        struct problem_fault *fault =
            problem_add(&call->problem, PROBLEM_INVALID_ARGUMENT,
                        "/id: \"%s\" is not the id in the path", obstacle.id);
        fault->has_pointer = true;
        snprintf(fault->pointer, sizeof(fault->pointer), "/id");
        obstacle_deinit(&obstacle);
        return false;
    }
    snprintf(obstacle.id, sizeof(obstacle.id), "%s", id);

    *status = 201;
    for (uint32_t i = 0; i < base->obstacle_count; i++)
        if (strcmp(base->obstacles[i].id, id) == 0)
            *status = 200;
    return world_with_obstacle(document, base, &obstacle, limits, &call->problem);
}

/* Makes the document that the world will be. false: the call's problem says why not. *status: of
 * the answer. */
static bool read_document(struct world_document *document, struct call *call,
                          const struct limits *limits, const struct world_version *base,
                          int *status, struct file_report *report)
{
    *status = 200;
    if (call->route == ROUTE_WORLD_PUT) {
        *status = base ? 200 : 201;
        if (call_has_file(call))
            return world_read_format(document, report, call, limits);
        return check_no_file(call) &&
               world_read(document, call_body(call), call->body_bytes, limits, &call->problem);
    }
    if (!base) {
        problem_add(&call->problem, PROBLEM_UNKNOWN_WORLD, "there is no world \"%s\"",
                    call->segments[0]);
        return false;
    }
    if (call->route == ROUTE_WORLD_PATCH)
        return world_patch(document, &base->document, call_body(call), call->body_bytes, limits,
                           &call->problem);
    if (call->route == ROUTE_OBSTACLE_DELETE)
        return world_without_obstacle(document, &base->document, call->segments[1], &call->problem);
    return read_obstacle(document, call, limits, &base->document, status, report);
}

/* Whether the engine takes the world, and how precisely; else `problem` says why not. */
static bool check(struct prm_precision *precision, const struct world_document *document,
                  struct problem *problem)
{
    struct world_spec spec = {0};
    enum prm_status status = world_spec_init(&spec, document);
    if (status == PRM_OK)
        status = prm_world_check(&spec.spec);
    if (status == PRM_OK)
        *precision = prm_world_precision(&spec.spec);
    world_spec_deinit(&spec);
    if (status != PRM_OK)
        problem_add_status(problem, status);
    return status == PRM_OK;
}

/* A version of a document, which is taken over, if the engine takes it; else `problem` says why
 * not.
 */
static struct world_version *make_version(struct world_document *document, struct problem *problem)
{
    struct prm_precision precision;
    if (!check(&precision, document, problem)) {
        world_deinit(document);
        return NULL;
    }
    struct world_version *world = world_version_create(document, &precision);
    if (!world)
        problem_no_memory(problem, "a world");
    return world;
}

struct world_version *world_version_of(const char *body, size_t bytes, const struct limits *limits,
                                       struct problem *problem)
{
    struct world_document document;
    return world_read(&document, body, bytes, limits, problem) ? make_version(&document, problem)
                                                               : NULL;
}

struct world_version *world_version_read(struct call *call, const struct limits *limits,
                                         const struct world_version *base, int *status,
                                         struct file_report *report)
{
    struct world_document document;
    *report = (struct file_report){0};
    return read_document(&document, call, limits, base, status, report)
               ? make_version(&document, &call->problem)
               : NULL;
}

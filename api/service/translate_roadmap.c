#include "service/translate_roadmap.h"

#include "service/translate.h"
#include "service/translate_robot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The one link of robots that have none by name. */
static const char BODY[] = "body";

/* The engine's number of a link by name; UINT32_MAX: there is none. */
static uint32_t find_link(const struct robot_document *robot, const char *name)
{
    if (robot->type != ROBOT_ARM)
        return strcmp(name, BODY) == 0 ? 0 : UINT32_MAX;
    for (uint32_t i = 0; i < robot->link_count; i++)
        if (strcmp(robot->links[i].name, name) == 0)
            return robot_spec_link(robot, i);
    return UINT32_MAX;
}

/* The place of an obstacle in the world's list; UINT32_MAX: there is none. */
static uint32_t find_obstacle(const struct world_document *world, const char *id)
{
    for (uint32_t i = 0; i < world->obstacle_count; i++)
        if (strcmp(world->obstacles[i].id, id) == 0)
            return i;
    return UINT32_MAX;
}

/* The number of an anchor that is this coordinate; NULL: it has none. */
static const double *find_number(const struct roadmap_document *document,
                                 const struct roadmap_anchor *anchor, const char *coordinate,
                                 uint32_t place)
{
    const double *numbers = document->numbers + anchor->first;
    if (anchor->names == ROADMAP_UNNAMED)
        return place < anchor->count ? &numbers[place] : NULL;
    const char *name = document->names + anchor->names;
    for (uint32_t i = 0; i < anchor->count; i++, name += strlen(name) + 1)
        if (strcmp(name, coordinate) == 0)
            return &numbers[i];
    return NULL;
}

/* ---- checks ---- */

__attribute__((format(printf, 2, 3))) static void point_at(struct problem_fault *fault,
                                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->pointer, sizeof(fault->pointer), format, arguments);
    va_end(arguments);
    fault->has_pointer = true;
}

/* An anchor has all coordinates and no others. */
static void check_anchor(const struct roadmap_document *document,
                         const struct robot_document *robot, uint32_t dimension, uint32_t index,
                         struct problem *problem)
{
    const struct roadmap_anchor *anchor = &document->anchors[index];
    const uint32_t dof = robot_dof(robot, dimension);
    for (uint32_t c = 0; c < dof; c++) {
        const char *name = robot_coordinate_name(robot, dimension, c);
        if (anchor->names != ROADMAP_UNNAMED && !find_number(document, anchor, name, c)) {
            point_at(problem_add(problem, PROBLEM_INVALID_ARGUMENT,
                                 "anchor %u lacks the coordinate \"%s\"", index, name),
                     "/anchors/%u", index);
            return;
        }
    }
    if (anchor->count != dof)
        point_at(problem_add(problem, PROBLEM_INVALID_ARGUMENT,
                             "anchor %u has %u numbers where %u are needed", index, anchor->count,
                             dof),
                 "/anchors/%u", index);
}

bool roadmap_check(const struct roadmap_document *document, const struct robot_document *robot,
                   const struct world_document *world, struct problem *problem)
{
    const unsigned before = problem->fault_count;
    for (uint32_t i = 0; i < document->anchor_count; i++)
        check_anchor(document, robot, world->dimension, i, problem);
    for (uint32_t i = 0; i < document->allowed_count; i++) {
        const char *link = document->names + document->allowed[i].link;
        const char *obstacle = document->names + document->allowed[i].obstacle;
        if (find_link(robot, link) == UINT32_MAX)
            point_at(problem_add(problem, PROBLEM_UNKNOWN_REFERENCE, "the robot has no link \"%s\"",
                                 link),
                     "/allow/%u/0", i);
        if (find_obstacle(world, obstacle) == UINT32_MAX)
            point_at(problem_add(problem, PROBLEM_UNKNOWN_REFERENCE,
                                 "the world has no obstacle \"%s\"", obstacle),
                     "/allow/%u/1", i);
    }
    return problem->fault_count == before;
}

bool roadmap_allowed_stays(const struct roadmap_document *document,
                           const struct world_document *from, const struct world_document *to)
{
    for (uint32_t i = 0; i < document->allowed_count; i++) {
        const char *id = document->names + document->allowed[i].obstacle;
        if (find_obstacle(from, id) != find_obstacle(to, id))
            return false;
    }
    return true;
}

/* ---- parameters ---- */

enum prm_status roadmap_spec_init(struct roadmap_spec *spec,
                                  const struct roadmap_document *document,
                                  const struct limits *limits, const struct robot_document *robot,
                                  const struct world_document *world)
{
    const uint32_t dof = robot_dof(robot, world->dimension);
    *spec = (struct roadmap_spec){
        .params = roadmap_translate(document, limits),
        .anchors = calloc((size_t)document->anchor_count * dof + 1, sizeof(*spec->anchors)),
        .allowed = calloc(2 * (size_t)document->allowed_count + 1, sizeof(*spec->allowed)),
    };
    if (!spec->anchors || !spec->allowed)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a roadmap's parameters");
    for (uint32_t i = 0; i < document->anchor_count; i++) {
        for (uint32_t c = 0; c < dof; c++)
            spec->anchors[(size_t)i * dof + c] =
                *find_number(document, &document->anchors[i],
                             robot_coordinate_name(robot, world->dimension, c), c);
    }
    for (uint32_t i = 0; i < document->allowed_count; i++) {
        spec->allowed[2 * (size_t)i] =
            find_link(robot, document->names + document->allowed[i].link);
        spec->allowed[2 * i + 1] =
            find_obstacle(world, document->names + document->allowed[i].obstacle);
    }
    spec->params.anchors = spec->anchors;
    spec->params.anchor_count = document->anchor_count;
    spec->params.allowed = spec->allowed;
    spec->params.allowed_count = document->allowed_count;
    return PRM_OK;
}

void roadmap_spec_deinit(struct roadmap_spec *spec)
{
    free(spec->anchors);
    free(spec->allowed);
}

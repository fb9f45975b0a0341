#include "schema/robot_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 16 };

/* Room for one more element; false: no memory. */
static bool grow(void **elements, uint32_t count, uint32_t *capacity, size_t bytes)
{
    if (count < *capacity)
        return true;
    const uint32_t more = *capacity ? 2 * *capacity : CAPACITY_MIN;
    void *grown = realloc(*elements, more * bytes);
    if (!grown)
        return false;
    *elements = grown;
    *capacity = more;
    return true;
}

bool robot_append_sphere(struct robot_document *robot, const double center[3], double radius)
{
    void *spheres = robot->spheres;
    const bool grown =
        grow(&spheres, robot->sphere_count, &robot->sphere_capacity, sizeof *robot->spheres);
    robot->spheres = spheres;
    if (!grown)
        return false;
    robot->spheres[robot->sphere_count++] =
        (struct robot_sphere){{center[0], center[1], center[2]}, radius};
    if (robot->link_count)
        robot->links[robot->link_count - 1].sphere_count++;
    return true;
}

bool robot_append_ignored(struct robot_document *robot, uint32_t a, uint32_t b)
{
    void *ignored = robot->ignored;
    const bool grown =
        grow(&ignored, robot->ignored_count, &robot->ignored_capacity, sizeof *robot->ignored);
    robot->ignored = ignored;
    if (!grown)
        return false;
    robot->ignored[robot->ignored_count][0] = a;
    robot->ignored[robot->ignored_count++][1] = b;
    return true;
}

uint32_t robot_append_link(struct robot_document *robot, const char *name)
{
    void *links = robot->links;
    const bool grown = grow(&links, robot->link_count, &robot->link_capacity, sizeof *robot->links);
    robot->links = links;
    if (!grown)
        return ROBOT_NONE;
    struct robot_link *link = &robot->links[robot->link_count];
    *link = (struct robot_link){.sphere_first = robot->sphere_count};
    snprintf(link->name, sizeof link->name, "%s", name);
    return robot->link_count++;
}

uint32_t robot_find_link(const struct robot_document *robot, const char *name)
{
    for (uint32_t i = 0; i < robot->link_count; i++)
        if (strcmp(robot->links[i].name, name) == 0)
            return i;
    return ROBOT_NONE;
}

uint32_t robot_find_joint(const struct robot_document *robot, const char *name)
{
    for (uint32_t i = 0; i < robot->joint_count; i++)
        if (strcmp(robot->joints[i].name, name) == 0)
            return i;
    return ROBOT_NONE;
}

struct robot_frame robot_frame_identity(void)
{
    return (struct robot_frame){.quaternion = {0, 0, 0, 1}};
}

void robot_warn(struct robot_document *robot, const char *code, const char *format, ...)
{
    char detail[PROBLEM_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);

    text_json_open(&robot->warnings, '{');
    text_member_string(&robot->warnings, "code", code);
    text_member_string(&robot->warnings, "detail", detail);
    text_json_close(&robot->warnings, '}');
}

void robot_deinit(struct robot_document *robot)
{
    free(robot->spheres);
    free(robot->links);
    free(robot->joints);
    free(robot->ignored);
    free(robot->order);
    free(robot->coordinates);
    free(robot->moved);
    text_deinit(&robot->warnings);
    *robot = (struct robot_document){0};
}

#include "schema/robot_tree.h"

#include "schema/robot_parts.h"
#include "schema/rotation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The check of one arm. */
struct check {
    struct robot_document *robot;
    const struct limits *limits;
    robot_report *report;
    void *context;
    bool good;
};

/* ---- faults ---- */

static void fault_add(struct check *check, struct robot_fault fault, const char *format,
                      va_list arguments)
{
    vsnprintf(fault.detail, sizeof fault.detail, format, arguments);
    check->good = false;
    check->report(check->context, &fault);
}

static void joint_fault(struct check *check, uint32_t joint, const char *member,
                        enum problem_code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static void joint_fault(struct check *check, uint32_t joint, const char *member,
                        enum problem_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fault_add(
        check,
        (struct robot_fault){.code = code, .joint = joint, .link = ROBOT_NONE, .member = member},
        format, arguments);
    va_end(arguments);
}

static void link_fault(struct check *check, uint32_t link, const char *member,
                       enum problem_code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static void link_fault(struct check *check, uint32_t link, const char *member,
                       enum problem_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fault_add(
        check,
        (struct robot_fault){.code = code, .joint = ROBOT_NONE, .link = link, .member = member},
        format, arguments);
    va_end(arguments);
}

static void limit_fault(struct check *check, enum limit_id limit, uint32_t count)
{
    struct robot_fault fault = {.code = PROBLEM_LIMIT_EXCEEDED,
                                .joint = ROBOT_NONE,
                                .link = ROBOT_NONE,
                                .over_limit = true,
                                .limit = limit};
    snprintf(fault.detail, sizeof fault.detail, "the robot has %u %s", count,
             limit_table[limit].text);
    check->good = false;
    check->report(check->context, &fault);
}

/* ---- names and the tree ---- */

static void check_names(struct check *check)
{
    const struct robot_document *robot = check->robot;
    for (uint32_t i = 0; i < robot->link_count; i++)
        if (robot_find_link(robot, robot->links[i].name) != i)
            link_fault(check, i, "name", PROBLEM_DUPLICATE_ID, "\"%s\" is used twice",
                       robot->links[i].name);
    for (uint32_t i = 0; i < robot->joint_count; i++)
        if (robot_find_joint(robot, robot->joints[i].name) != i)
            joint_fault(check, i, "name", PROBLEM_DUPLICATE_ID, "\"%s\" is used twice",
                        robot->joints[i].name);
}

/* The joint above each link, ROBOT_NONE of the root. above: u32[link_count]. */
static void find_above(struct check *check, uint32_t *above)
{
    const struct robot_document *robot = check->robot;
    for (uint32_t i = 0; i < robot->link_count; i++)
        above[i] = ROBOT_NONE;
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        const struct robot_joint *joint = &robot->joints[i];
        if (above[joint->child] != ROBOT_NONE)
            joint_fault(check, i, "child", PROBLEM_INVALID_ARGUMENT,
                        "link \"%s\" is the child of joint \"%s\" already",
                        robot->links[joint->child].name, robot->joints[above[joint->child]].name);
        else
            above[joint->child] = i;
    }
}

static void find_root(struct check *check, const uint32_t *above)
{
    struct robot_document *robot = check->robot;
    uint32_t roots = 0;
    for (uint32_t i = 0; i < robot->link_count; i++) {
        if (above[i] != ROBOT_NONE)
            continue;
        if (roots++ == 0)
            robot->root = i;
        else
            link_fault(check, i, NULL, PROBLEM_INVALID_ARGUMENT,
                       "link \"%s\" hangs on no joint, nor does \"%s\": one tree is needed",
                       robot->links[i].name, robot->links[robot->root].name);
    }
}

/* Puts the joints parents first, else in their order, and finds which links any moves. Joints that
 * the root does not reach are a loop. */
static void find_order(struct check *check, const uint32_t *above, bool *reached)
{
    struct robot_document *robot = check->robot;
    uint32_t placed = 0;
    if (robot->link_count && above[robot->root] == ROBOT_NONE)
        reached[robot->root] = true;
    for (uint32_t before = ROBOT_NONE; before != placed;) {
        before = placed;
        for (uint32_t i = 0; i < robot->joint_count; i++) {
            const struct robot_joint *joint = &robot->joints[i];
            if (!reached[joint->parent] || reached[joint->child])
                continue;
            reached[joint->child] = true;
            robot->order[placed++] = i;
            robot->moved[joint->child] = robot->moved[joint->parent] || joint->type != JOINT_FIXED;
        }
    }
    for (uint32_t i = 0; i < robot->joint_count && check->good; i++)
        if (!reached[robot->joints[i].child])
            joint_fault(check, i, "parent", PROBLEM_INVALID_ARGUMENT,
                        "joint \"%s\" is part of a loop", robot->joints[i].name);
}

static void check_tree(struct check *check)
{
    const struct robot_document *robot = check->robot;
    uint32_t *above = calloc(robot->link_count + 1, sizeof *above);
    bool *reached = calloc(robot->link_count + 1, sizeof *reached);
    if (!above || !reached) {
        link_fault(check, ROBOT_NONE, NULL, PROBLEM_NO_MEMORY, "no memory for a robot");
    } else {
        find_above(check, above);
        if (check->good)
            find_root(check, above);
        if (check->good)
            find_order(check, above, reached);
    }
    free(above);
    free(reached);
}

/* ---- joints ---- */

static void check_axis(struct check *check, uint32_t index)
{
    struct robot_joint *joint = &check->robot->joints[index];
    if (!rotation_normalise_axis(joint->axis))
        joint_fault(check, index, "axis", PROBLEM_INVALID_ARGUMENT,
                    "joint \"%s\": the axis must not be all zero", joint->name);
}

static void check_limits(struct check *check, uint32_t index)
{
    const struct robot_joint *joint = &check->robot->joints[index];
    const bool needs = joint->type == JOINT_REVOLUTE || joint->type == JOINT_PRISMATIC;
    if (!needs || joint->mimic != ROBOT_NONE)
        return;
    if (!joint->has_limits)
        joint_fault(check, index, NULL, PROBLEM_INVALID_ARGUMENT,
                    "joint \"%s\" is %s and needs limits", joint->name,
                    joint->type == JOINT_REVOLUTE ? "revolute" : "prismatic");
    else if (!(joint->lower <= joint->upper))
        joint_fault(check, index, "upper", PROBLEM_INVALID_ARGUMENT,
                    "joint \"%s\": must not be below the lower limit", joint->name);
}

/* Follows a chain of mimics to the joint that moves by itself. */
static void check_mimic(struct check *check, uint32_t index)
{
    struct robot_document *robot = check->robot;
    struct robot_joint *joint = &robot->joints[index];
    if (joint->mimic == ROBOT_NONE)
        return;
    uint32_t steps = 0;
    while (steps++ <= robot->joint_count && robot->joints[joint->mimic].mimic != ROBOT_NONE) {
        const struct robot_joint *next = &robot->joints[joint->mimic];
        joint->offset += joint->multiplier * next->offset;
        joint->multiplier *= next->multiplier;
        joint->mimic = next->mimic;
    }
    const struct robot_joint *leader = &robot->joints[joint->mimic];
    if (leader->mimic != ROBOT_NONE)
        joint_fault(check, index, "mimic", PROBLEM_INVALID_ARGUMENT, "joint \"%s\" follows itself",
                    joint->name);
    else if (leader->type == JOINT_FIXED)
        joint_fault(check, index, "mimic", PROBLEM_INVALID_ARGUMENT,
                    "joint \"%s\" follows \"%s\", which is fixed", joint->name, leader->name);
    else if (!isfinite(joint->multiplier) || joint->multiplier == 0 || !isfinite(joint->offset))
        joint_fault(check, index, "mimic", PROBLEM_INVALID_ARGUMENT,
                    "joint \"%s\": the multiplier must not be 0 or overflow", joint->name);
    else if (leader->type == JOINT_CONTINUOUS &&
             (joint->type == JOINT_PRISMATIC || joint->multiplier != floor(joint->multiplier)))
        joint_fault(check, index, "mimic", PROBLEM_INVALID_ARGUMENT,
                    "joint \"%s\" follows a continuous joint: it must turn, by a whole multiple",
                    joint->name);
}

/* Numbers the coordinates: moving joints in the order given. */
static void number_coordinates(struct check *check)
{
    struct robot_document *robot = check->robot;
    robot->dof = 0;
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        struct robot_joint *joint = &robot->joints[i];
        joint->coordinate = ROBOT_NONE;
        if (joint->type != JOINT_FIXED && joint->mimic == ROBOT_NONE) {
            joint->coordinate = robot->dof;
            robot->coordinates[robot->dof++] = i;
        }
    }
    for (uint32_t i = 0; i < robot->joint_count; i++)
        if (robot->joints[i].mimic != ROBOT_NONE)
            robot->joints[i].coordinate = robot->joints[robot->joints[i].mimic].coordinate;
    if (!robot->dof)
        joint_fault(check, ROBOT_NONE, NULL, PROBLEM_INVALID_ARGUMENT,
                    "no joint of the robot moves");
    else if (robot->dof > check->limits->dof)
        limit_fault(check, LIMIT_dof, robot->dof);
}

/* Says which links that could collide stand still. */
static void warn_unmoved(struct robot_document *robot)
{
    char names[PROBLEM_DETAIL_MAX / 2] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < robot->link_count; i++)
        if (!robot->moved[i] && robot->links[i].sphere_count && length < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s\"%s\"",
                                       length ? ", " : "", robot->links[i].name);
    if (length)
        robot_warn(robot, "unmoved_link",
                   "no joint moves %s: what stands still is not tested against the world", names);
}

bool robot_settle(struct robot_document *robot, const struct limits *limits, robot_report *report,
                  void *context)
{
    struct check check = {robot, limits, report, context, true};
    free(robot->order);
    free(robot->coordinates);
    free(robot->moved);
    robot->order = calloc(robot->joint_count + 1, sizeof *robot->order);
    robot->coordinates = calloc(robot->joint_count + 1, sizeof *robot->coordinates);
    robot->moved = calloc(robot->link_count + 1, sizeof *robot->moved);
    if (!robot->order || !robot->coordinates || !robot->moved) {
        joint_fault(&check, ROBOT_NONE, NULL, PROBLEM_NO_MEMORY, "no memory for a robot");
        return false;
    }
    check_names(&check);
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        if (robot->joints[i].type != JOINT_FIXED)
            check_axis(&check, i);
        check_limits(&check, i);
        check_mimic(&check, i);
    }
    if (check.good)
        check_tree(&check);
    if (check.good)
        number_coordinates(&check);
    if (check.good)
        warn_unmoved(robot);
    return check.good;
}

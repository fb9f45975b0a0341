#include "formats/urdf_joints.h"

#include "formats/urdf_links.h"
#include "schema/robot_parts.h"
#include "schema/rotation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The joints on their way, in the file's order. */
struct joints_reader {
    struct robot_document *robot;
    struct problem *problem;
    struct robot_joint *joints;
    const xmlNode **nodes;
    uint32_t count;
};

static bool read_type(struct robot_joint *joint, const xmlNode *node, struct problem *problem)
{
    static const struct {
        const char *word;
        enum joint_type type;
    } words[] = {{"fixed", JOINT_FIXED},
                 {"revolute", JOINT_REVOLUTE},
                 {"continuous", JOINT_CONTINUOUS},
                 {"prismatic", JOINT_PRISMATIC}};
    const char *word = xml_attribute(node, "type");
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].word) == 0) {
            joint->type = words[i].type;
            return true;
        }
    }
    xml_fault(
        node, problem, word ? PROBLEM_UNSUPPORTED : PROBLEM_INVALID_ARGUMENT,
        "joint \"%s\" is of type \"%.40s\": fixed, revolute, continuous and prismatic ones are "
        "read",
        joint->name, word ? word : "");
    return false;
}

/* The link that <parent link/> or <child link/> names. */
static bool read_end(const struct joints_reader *reader, const xmlNode *node, const char *end,
                     uint32_t *link)
{
    const xmlNode *element = xml_child(node, end);
    if (!element) {
        xml_fault(node, reader->problem, PROBLEM_INVALID_ARGUMENT, "a joint without a <%s>", end);
        return false;
    }
    const char *name = xml_name(element, "link", PROBLEM_DETAIL_MAX, reader->problem);
    if (!name)
        return false;
    *link = robot_find_link(reader->robot, name);
    if (*link == ROBOT_NONE)
        xml_fault(element, reader->problem, PROBLEM_UNKNOWN_REFERENCE,
                  "<%s link=\"%.80s\">: there is no such link", end, name);
    return *link != ROBOT_NONE;
}

static bool read_joint(const struct joints_reader *reader, const xmlNode *node,
                       struct robot_joint *joint)
{
    struct problem *problem = reader->problem;
    const char *name = xml_name(node, "name", ROBOT_NAME_BYTES_MAX, problem);
    *joint = (struct robot_joint){.axis = {1, 0, 0}, .weight = 1, .mimic = ROBOT_NONE};
    if (!name)
        return false;
    snprintf(joint->name, sizeof joint->name, "%s", name);
    const bool ends = read_end(reader, node, "parent", &joint->parent) &&
                      read_end(reader, node, "child", &joint->child);
    if (!read_type(joint, node, problem) || !ends || !urdf_frame(node, &joint->origin, problem))
        return false;
    if (joint->type == JOINT_FIXED)
        return true;

    const xmlNode *axis = xml_child(node, "axis"), *limit = xml_child(node, "limit");
    joint->has_limits = limit != NULL;
    return (!axis || xml_numbers(axis, "xyz", joint->axis, 3, NULL, problem)) &&
           (!limit || joint->type == JOINT_CONTINUOUS ||
            (xml_numbers(limit, "lower", &joint->lower, 1, NULL, problem) &&
             xml_numbers(limit, "upper", &joint->upper, 1, NULL, problem)));
}

/* ---- order ---- */

/* The tree's joints depth first; those that no root leads to, in a loop, come last. Returns false
 * where memory is out. */
static bool put_in_order(struct joints_reader *reader)
{
    struct robot_document *robot = reader->robot;
    const uint32_t count = reader->count;
    bool *placed = calloc(count + 1, sizeof *placed);
    bool *below = calloc(robot->link_count + 1, sizeof *below);
    uint32_t *stack = calloc(robot->link_count + count + 1, sizeof *stack);
    const xmlNode **nodes = calloc(count + 1, sizeof *nodes);
    robot->joints = calloc(count + 1, sizeof *robot->joints);
    const bool good = placed && below && stack && nodes && robot->joints;
    uint32_t height = 0;
    for (uint32_t i = 0; i < count && good; i++)
        below[reader->joints[i].child] = true;
    for (uint32_t link = robot->link_count; good && link-- > 0;)
        if (!below[link])
            stack[height++] = link;

    // a link's joints in the file's order, each with all below it; links wait on the stack
    while (height) {
        const uint32_t entry = stack[--height];
        uint32_t link = entry;
        if (entry >= robot->link_count) {
            const uint32_t joint = entry - robot->link_count;
            nodes[robot->joint_count] = reader->nodes[joint];
            robot->joints[robot->joint_count++] = reader->joints[joint];
            link = reader->joints[joint].child;
        }
        for (uint32_t i = count; i-- > 0;) {
            if (reader->joints[i].parent == link && !placed[i]) {
                placed[i] = true;
                stack[height++] = robot->link_count + i;
            }
        }
    }
    for (uint32_t i = 0; i < count && good; i++) {
        if (!placed[i]) {
            nodes[robot->joint_count] = reader->nodes[i];
            robot->joints[robot->joint_count++] = reader->joints[i];
        }
    }
    free(placed);
    free(below);
    free(stack);
    free(reader->nodes);
    reader->nodes = nodes;
    if (!good)
        problem_no_memory(reader->problem, "a robot");
    return good;
}

/* ---- mimics ---- */

/* Finds what joints follow, once all are there. On a fixed joint it is of no matter. */
static bool read_mimics(const struct joints_reader *reader)
{
    struct robot_document *robot = reader->robot;
    bool good = true;
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        struct robot_joint *joint = &robot->joints[i];
        const xmlNode *mimic = xml_child(reader->nodes[i], "mimic");
        if (!mimic || joint->type == JOINT_FIXED)
            continue;
        const char *name = xml_name(mimic, "joint", PROBLEM_DETAIL_MAX, reader->problem);
        joint->multiplier = 1;
        good &=
            name && xml_numbers(mimic, "multiplier", &joint->multiplier, 1, NULL, reader->problem);
        good &= xml_numbers(mimic, "offset", &joint->offset, 1, NULL, reader->problem);
        joint->mimic = name ? robot_find_joint(robot, name) : ROBOT_NONE;
        if (name && joint->mimic == ROBOT_NONE) {
            xml_fault(mimic, reader->problem, PROBLEM_UNKNOWN_REFERENCE,
                      "<mimic joint=\"%.80s\">: there is no such joint", name);
            good = false;
        }
    }
    return good;
}

bool urdf_read_joints(const xmlNode *root, struct robot_document *robot, const xmlNode ***nodes,
                      const struct limits *limits, struct problem *problem)
{
    struct joints_reader reader = {.robot = robot, .problem = problem};
    bool good = true;
    for (xmlNode *node = xml_child(root, "joint"); node; node = xml_next(node, "joint"))
        reader.count++;
    if (reader.count > limits->links) {
        problem_fault_limit(xml_fault(root, problem, PROBLEM_LIMIT_EXCEEDED,
                                      "the robot has %u joints", reader.count),
                            limits, LIMIT_links);
        return false;
    }
    reader.joints = calloc(reader.count + 1, sizeof *reader.joints);
    reader.nodes = calloc(reader.count + 1, sizeof *reader.nodes);
    if (!reader.joints || !reader.nodes) {
        problem_no_memory(problem, "a robot");
        good = false;
    }
    xmlNode *node = good ? xml_child(root, "joint") : NULL;
    for (uint32_t i = 0; node && problem->fault_count < PROBLEM_FAULTS_MAX;
         i++, node = xml_next(node, "joint")) {
        reader.nodes[i] = node;
        good &= read_joint(&reader, node, &reader.joints[i]);
    }
    good = good && put_in_order(&reader) && read_mimics(&reader);
    free(reader.joints);
    *nodes = reader.nodes;
    return good;
}

void urdf_fix_joint(struct robot_joint *joint, double value)
{
    struct robot_frame *origin = &joint->origin;
    if (value != 0 && joint->type == JOINT_PRISMATIC) {
        double shift[3];
        rotation_apply(shift, origin->quaternion, joint->axis);
        for (int a = 0; a < 3; a++)
            origin->xyz[a] += value * shift[a];
    } else if (value != 0) {
        double turn[4];
        rotation_of_axis(joint->axis, value, turn);
        rotation_multiply(origin->quaternion, origin->quaternion, turn);
        rotation_normalise(origin->quaternion);
        origin->has_rpy = false;
        origin->has_quaternion = true;
    }
    joint->type = JOINT_FIXED;
    joint->mimic = ROBOT_NONE;
}

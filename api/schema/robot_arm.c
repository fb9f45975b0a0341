/* Arms: JSON <-> joints and links. */
#include "schema/length.h"
#include "schema/robot_json.h"
#include "schema/robot_parts.h"
#include "schema/robot_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT = 17 };

/* What an implied base is called, with as many _ behind as it takes to be new. */
static const char BASE_NAME[] = "base";

/* In the enum's order. */
static const struct json_word joint_words[] = {{"fixed", JOINT_FIXED},
                                               {"revolute", JOINT_REVOLUTE},
                                               {"continuous", JOINT_CONTINUOUS},
                                               {"prismatic", JOINT_PRISMATIC},
                                               {NULL, 0}};

/* A body on its way to an arm. */
struct arm_reader {
    struct robot_document *robot;
    const struct json_node *root;
    const struct limits *limits;
    struct json_node joints, links;
    uint32_t declared; /* links that the body lists; others are implied by joints */
};

static void no_memory(const struct json_node *node)
{
    json_node_no_memory(node);
}

static bool read_name(const struct json_node *object, char name[ROBOT_NAME_BYTES_MAX + 1])
{
    const char *text = "";
    struct json_node node = json_node_member(object, "name");
    const bool good =
        json_node_required(&node) && json_node_string(&node, ROBOT_NAME_BYTES_MAX, &text);
    snprintf(name, ROBOT_NAME_BYTES_MAX + 1, "%s", text);
    return good;
}

/* ---- links ---- */

static void read_links(struct arm_reader *reader)
{
    static const char *const members[] = {"name", "spheres", NULL};
    const struct json_node *array = &reader->links;
    if (!json_node_array(array))
        return;
    const size_t count = json_array_size(array->json);
    if (count > reader->limits->links) {
        json_node_over(array, reader->limits, LIMIT_links, "links");
        return;
    }
    for (size_t i = 0; i < count && !json_node_full(array); i++) {
        char name[ROBOT_NAME_BYTES_MAX + 1];
        struct json_node link = json_node_element(array, i);
        if (!json_node_object(&link, members, NULL) || !read_name(&link, name))
            continue;
        if (robot_append_link(reader->robot, name) == ROBOT_NONE) {
            no_memory(&link);
            return;
        }
        struct json_node spheres = json_node_member(&link, "spheres");
        robot_read_spheres(reader->robot, &spheres, reader->limits, NULL);
    }
    reader->declared = reader->robot->link_count;
}

/* The link of a name, implied where no other is there; ROBOT_NONE after a fault. */
static uint32_t imply_link(struct arm_reader *reader, const struct json_node *node,
                           const char *name)
{
    const uint32_t found = robot_find_link(reader->robot, name);
    if (found != ROBOT_NONE)
        return found;
    if (reader->robot->link_count >= reader->limits->links) {
        json_node_over(node, reader->limits, LIMIT_links, "links");
        return ROBOT_NONE;
    }
    const uint32_t made = robot_append_link(reader->robot, name);
    if (made == ROBOT_NONE)
        no_memory(node);
    return made;
}

/* A base that nobody names. */
static uint32_t imply_base(struct arm_reader *reader, const struct json_node *node)
{
    char name[ROBOT_NAME_BYTES_MAX + 1];
    size_t length = (size_t)snprintf(name, sizeof name, "%s", BASE_NAME);
    while (robot_find_link(reader->robot, name) != ROBOT_NONE && length < ROBOT_NAME_BYTES_MAX) {
        name[length++] = '_';
        name[length] = '\0';
    }
    return imply_link(reader, node, name);
}

/* ---- joints ---- */

/* All of a joint but what other joints or links it names. */
static bool read_joint(struct robot_joint *joint, const struct json_node *node)
{
    static const char *const members[] = {"name",  "type",  "parent", "child", "origin", "axis",
                                          "lower", "upper", "weight", "mimic", NULL};
    const unsigned faults_before = node->problem->fault_count;
    int type = JOINT_FIXED;
    *joint = (struct robot_joint){.axis = {1, 0, 0}, .weight = 1, .mimic = ROBOT_NONE};
    if (!json_is_object(node->json)) {
        json_node_object(node, members, NULL);
        return false;
    }
    json_node_object(node, members, NULL);
    read_name(node, joint->name);
    struct json_node kind = json_node_member(node, "type");
    if (json_node_required(&kind))
        json_node_word(&kind, joint_words, &type);
    joint->type = (enum joint_type)type;

    struct json_node origin = json_node_nullable(node, "origin");
    struct json_node axis = json_node_nullable(node, "axis");
    struct json_node weight = json_node_nullable(node, "weight");
    robot_read_frame(&joint->origin, &origin);
    length_read_all(&axis, JSON_ANY, joint->axis, 3);
    length_read(&weight, JSON_POSITIVE, &joint->weight);

    // limits come as a pair; what has none may carry some
    struct json_node lower = json_node_nullable(node, "lower");
    struct json_node upper = json_node_nullable(node, "upper");
    struct json_node mimic = json_node_nullable(node, "mimic");
    length_read(&lower, JSON_ANY, &joint->lower);
    length_read(&upper, JSON_ANY, &joint->upper);
    joint->has_limits = lower.json && upper.json;
    if ((type == JOINT_REVOLUTE || type == JOINT_PRISMATIC) && !mimic.json) {
        json_node_required(&lower);
        json_node_required(&upper);
    }
    if (type == JOINT_FIXED && mimic.json)
        json_node_fault(&mimic, PROBLEM_INVALID_ARGUMENT, "is not for a fixed joint");
    return node->problem->fault_count == faults_before;
}

static void read_joints(struct arm_reader *reader)
{
    struct robot_document *robot = reader->robot;
    const struct json_node *array = &reader->joints;
    if (!json_node_required(array) || !json_node_array(array))
        return;
    const size_t count = json_array_size(array->json);
    if (count > reader->limits->links) {
        json_node_over(array, reader->limits, LIMIT_links, "joints");
        return;
    }
    robot->joints = calloc(count + 1, sizeof *robot->joints);
    if (!robot->joints) {
        no_memory(array);
        return;
    }
    for (size_t i = 0; i < count && !json_node_full(array); i++) {
        struct json_node node = json_node_element(array, i);
        read_joint(&robot->joints[i], &node);
        robot->joint_count++;
    }
}

/* The links below the joints: as named, else the listed ones in their order, behind a base where
 * there is one more. */
static void find_children(struct arm_reader *reader)
{
    struct robot_document *robot = reader->robot;
    const bool fits =
        reader->declared == robot->joint_count || reader->declared == robot->joint_count + 1;
    const uint32_t first = reader->declared == robot->joint_count + 1;
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        struct json_node joint = json_node_element(&reader->joints, i);
        struct json_node child = json_node_nullable(&joint, "child");
        const char *name = NULL;
        if (child.json) {
            if (json_node_string(&child, ROBOT_NAME_BYTES_MAX, &name))
                robot->joints[i].child = imply_link(reader, &child, name);
        } else if (fits) {
            robot->joints[i].child = i + first;
        } else {
            json_node_fault(&child, PROBLEM_INVALID_ARGUMENT,
                            "is required where there are not as many links as joints, or one more");
        }
    }
}

/* The links above the joints: a link as named, the child of a joint as named, else the child of the
 * joint before. */
static void find_parents(struct arm_reader *reader)
{
    struct robot_document *robot = reader->robot;
    const bool has_base = reader->declared == robot->joint_count + 1;
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        struct json_node joint = json_node_element(&reader->joints, i);
        struct json_node parent = json_node_nullable(&joint, "parent");
        struct robot_joint *below = &robot->joints[i];
        const char *name = NULL;
        if (parent.json && json_is_string(parent.json) && json_string_length(parent.json) == 0)
            parent.json = NULL;
        if (!parent.json) {
            below->parent = i          ? robot->joints[i - 1].child
                            : has_base ? 0
                                       : imply_base(reader, &joint);
            continue;
        }
        if (!json_node_string(&parent, ROBOT_NAME_BYTES_MAX, &name))
            continue;
        const uint32_t above = robot_find_joint(robot, name);
        below->parent = robot_find_link(robot, name) == ROBOT_NONE && above != ROBOT_NONE
                            ? robot->joints[above].child
                            : imply_link(reader, &parent, name);
    }
}

/* {"joint","multiplier","offset"}. */
static void find_mimics(struct arm_reader *reader)
{
    static const char *const members[] = {"joint", "multiplier", "offset", NULL};
    struct robot_document *robot = reader->robot;
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        struct json_node node = json_node_element(&reader->joints, i);
        struct json_node mimic = json_node_nullable(&node, "mimic");
        struct robot_joint *joint = &robot->joints[i];
        const char *name = NULL;
        if (!mimic.json || !json_node_object(&mimic, members, NULL))
            continue;
        struct json_node followed = json_node_member(&mimic, "joint");
        struct json_node multiplier = json_node_member(&mimic, "multiplier");
        struct json_node offset = json_node_member(&mimic, "offset");
        joint->multiplier = 1;
        length_read(&multiplier, JSON_ANY, &joint->multiplier);
        length_read(&offset, JSON_ANY, &joint->offset);
        if (!json_node_required(&followed) ||
            !json_node_string(&followed, ROBOT_NAME_BYTES_MAX, &name))
            continue;
        joint->mimic = robot_find_joint(robot, name);
        if (joint->mimic == ROBOT_NONE)
            json_node_fault(&followed, PROBLEM_UNKNOWN_REFERENCE, "names no joint");
    }
}

/* ---- the whole ---- */

static void read_ignored(struct arm_reader *reader, const struct json_node *array)
{
    struct robot_document *robot = reader->robot;
    if (!array->json || !json_node_array(array))
        return;
    const size_t count = json_array_size(array->json);
    for (size_t i = 0; i < count && !json_node_full(array); i++) {
        struct json_node pair = json_node_element(array, i);
        uint32_t links[2] = {ROBOT_NONE, ROBOT_NONE};
        if (!json_node_array(&pair))
            continue;
        if (json_array_size(pair.json) != 2) {
            json_node_fault(&pair, PROBLEM_INVALID_ARGUMENT, "must have 2 links");
            continue;
        }
        for (unsigned k = 0; k < 2; k++) {
            struct json_node link = json_node_element(&pair, k);
            const char *name = NULL;
            if (!json_node_string(&link, ROBOT_NAME_BYTES_MAX, &name))
                continue;
            links[k] = robot_find_link(robot, name);
            if (links[k] == ROBOT_NONE)
                json_node_fault(&link, PROBLEM_UNKNOWN_REFERENCE, "names no link");
        }
        if (links[0] != ROBOT_NONE && links[1] != ROBOT_NONE &&
            !robot_append_ignored(robot, links[0], links[1]))
            no_memory(&pair);
    }
}

/* Weights of all coordinates at once: they become those of the joints. */
static void read_weights(struct robot_document *robot, const struct json_node *node)
{
    if (!node->json || !json_node_array(node))
        return;
    if (json_array_size(node->json) != robot->dof) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must have %u numbers, one a coordinate",
                        robot->dof);
        return;
    }
    for (uint32_t i = 0; i < robot->dof; i++) {
        struct json_node weight = json_node_element(node, i);
        length_read(&weight, JSON_POSITIVE, &robot->joints[robot->coordinates[i]].weight);
    }
}

/* Faults of the tree at their place in the body. */
static void report(void *context, const struct robot_fault *fault)
{
    const struct arm_reader *reader = context;
    if (fault->over_limit) {
        json_node_over(&reader->joints, reader->limits, fault->limit, "coordinates");
        return;
    }
    const bool of_joint = fault->joint != ROBOT_NONE;
    const bool of_link = fault->link != ROBOT_NONE && fault->link < reader->declared;
    const struct json_node *array = of_link ? &reader->links : &reader->joints;
    struct json_node element = json_node_element(array, of_link ? fault->link : fault->joint);
    struct json_node member = json_node_member(&element, fault->member ? fault->member : "");
    json_node_fault(!of_joint && !of_link ? array
                    : fault->member       ? &member
                                          : &element,
                    fault->code, "%s", fault->detail);
}

void robot_read_arm(struct robot_document *robot, const struct json_node *root,
                    const struct limits *limits)
{
    static const char *const members[] = {"type",         "base",    "joints", "links",
                                          "ignore_pairs", "weights", NULL};
    const unsigned faults_before = root->problem->fault_count;
    struct arm_reader reader = {.robot = robot,
                                .root = root,
                                .limits = limits,
                                .joints = json_node_member(root, "joints"),
                                .links = json_node_member(root, "links")};
    struct json_node base = json_node_nullable(root, "base");
    struct json_node ignored = json_node_member(root, "ignore_pairs");
    struct json_node weights = json_node_nullable(root, "weights");

    json_node_object(root, members, robot_read_only);
    robot_read_frame(&robot->base, &base);
    read_links(&reader);
    read_joints(&reader);
    if (root->problem->fault_count != faults_before)
        return;
    find_children(&reader);
    if (root->problem->fault_count != faults_before)
        return;
    find_parents(&reader);
    find_mimics(&reader);
    if (root->problem->fault_count != faults_before)
        return;
    if (robot_settle(robot, limits, report, &reader)) {
        read_ignored(&reader, &ignored);
        read_weights(robot, &weights);
    }
}

/* ---- writing ---- */

static void write_joint(const struct robot_document *robot, const struct robot_joint *joint,
                        struct text *out)
{
    const bool follows = joint->mimic != ROBOT_NONE;
    text_json_open(out, '{');
    text_member_string(out, "name", joint->name);
    text_member_string(out, "type", joint_words[joint->type].word);
    text_member_string(out, "parent", robot->links[joint->parent].name);
    text_member_string(out, "child", robot->links[joint->child].name);
    text_json_key(out, "origin");
    robot_write_frame(&joint->origin, out);
    if (joint->type != JOINT_FIXED)
        robot_write_numbers("axis", joint->axis, 3, out);
    if (!follows && (joint->type == JOINT_REVOLUTE || joint->type == JOINT_PRISMATIC)) {
        text_member_number(out, "lower", joint->lower + 0.0, EXACT);
        text_member_number(out, "upper", joint->upper + 0.0, EXACT);
    }
    if (!follows && joint->type != JOINT_FIXED)
        text_member_number(out, "weight", joint->weight, EXACT);
    if (follows) {
        text_json_key(out, "mimic");
        text_json_open(out, '{');
        text_member_string(out, "joint", robot->joints[joint->mimic].name);
        text_member_number(out, "multiplier", joint->multiplier, EXACT);
        text_member_number(out, "offset", joint->offset + 0.0, EXACT);
        text_json_close(out, '}');
    }
    text_json_close(out, '}');
}

void robot_write_arm(const struct robot_document *robot, struct text *out)
{
    text_json_key(out, "base");
    robot_write_frame(&robot->base, out);
    text_json_key(out, "joints");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < robot->joint_count; i++)
        write_joint(robot, &robot->joints[i], out);
    text_json_close(out, ']');

    text_json_key(out, "links");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < robot->link_count; i++) {
        const struct robot_link *link = &robot->links[i];
        text_json_open(out, '{');
        text_member_string(out, "name", link->name);
        robot_write_spheres(robot->spheres + link->sphere_first, link->sphere_count, 3, out);
        text_json_close(out, '}');
    }
    text_json_close(out, ']');

    text_json_key(out, "ignore_pairs");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < robot->ignored_count; i++) {
        text_json_open(out, '[');
        text_json_string(out, robot->links[robot->ignored[i][0]].name);
        text_json_string(out, robot->links[robot->ignored[i][1]].name);
        text_json_close(out, ']');
    }
    text_json_close(out, ']');
}

#include "schema/robot.h"

#include "schema/json_read.h"
#include "schema/robot_json.h"

enum { EXACT = 17, DOF_IN_PLANE = 3, DOF_IN_SPACE = 7 };

const char *const robot_read_only[] = {"name",         "revision",  "fingerprint", "created",
                                       "updated",      "dimension", "dof",         "coordinates",
                                       "cover_excess", "warnings",  NULL};

/* In the enum's order. */
static const struct json_word type_words[] = {
    {"point", ROBOT_POINT},
    {"ball", ROBOT_BALL},
    {"rigid", ROBOT_RIGID},
    {"arm", ROBOT_ARM},
    {NULL, 0},
};

/* What the type has, once that is known. */
static void read_members(struct robot_document *robot, const struct json_node *root,
                         const struct limits *limits)
{
    static const char *const point[] = {"type", NULL};
    static const char *const ball[] = {"type", "radius", NULL};
    struct json_node radius = json_node_member(root, "radius");
    switch (robot->type) {
    case ROBOT_POINT:
        json_node_object(root, point, robot_read_only);
        break;
    case ROBOT_BALL:
        json_node_object(root, ball, robot_read_only);
        if (json_node_required(&radius))
            json_node_number(&radius, JSON_POSITIVE, &robot->radius);
        break;
    case ROBOT_RIGID:
        robot_read_rigid(robot, root, limits);
        break;
    case ROBOT_ARM:
        robot_read_arm(robot, root, limits);
        break;
    }
}

bool robot_read(struct robot_document *robot, const char *body, size_t bytes,
                const struct limits *limits, struct problem *problem)
{
    struct json_body json;
    if (!json_body_begin(&json, body, bytes, problem))
        return false;
    *robot = (struct robot_document){.cover_excess = -1};

    // the type decides which members there are
    int type = -1;
    if (!json_is_object(json.root.json)) {
        json_node_object(&json.root, NULL, NULL);
    } else {
        struct json_node node = json_node_member(&json.root, "type");
        if (json_node_required(&node))
            json_node_word(&node, type_words, &type);
    }
    if (type >= 0) {
        robot->type = (enum robot_type)type;
        read_members(robot, &json.root, limits);
    }
    if (json_body_end(&json))
        return true;
    robot_deinit(robot);
    return false;
}

void robot_write_members(const struct robot_document *robot, struct text *out)
{
    text_member_string(out, "type", type_words[robot->type].word);
    switch (robot->type) {
    case ROBOT_POINT:
        break;
    case ROBOT_BALL:
        text_member_number(out, "radius", robot->radius, EXACT);
        break;
    case ROBOT_RIGID:
        robot_write_rigid(robot, out);
        break;
    case ROBOT_ARM:
        robot_write_arm(robot, out);
        break;
    }
}

void robot_write_summary(const struct robot_document *robot, struct text *out)
{
    text_member_string(out, "type", type_words[robot->type].word);
    if (robot->type == ROBOT_BALL)
        text_member_number(out, "radius", robot->radius, EXACT);
    if (robot->type == ROBOT_ARM) {
        text_member_u64(out, "dof", robot->dof);
        text_member_u64(out, "link_count", robot->link_count);
    }
    if (robot->type == ROBOT_ARM || robot->type == ROBOT_RIGID)
        text_member_u64(out, "sphere_count", robot->sphere_count);
}

uint32_t robot_dof(const struct robot_document *robot, uint32_t dimension)
{
    if (robot->type == ROBOT_ARM)
        return robot->dof;
    if (robot->type != ROBOT_RIGID)
        return dimension;
    return dimension == 2 ? DOF_IN_PLANE : DOF_IN_SPACE;
}

const char *robot_coordinate_name(const struct robot_document *robot, uint32_t dimension,
                                  uint32_t coordinate)
{
    static const char *const flat[DOF_IN_PLANE] = {"x", "y", "theta"};
    static const char *const solid[DOF_IN_SPACE] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
    if (robot->type == ROBOT_ARM)
        return robot->joints[robot->coordinates[coordinate]].name;
    return dimension == 2 ? flat[coordinate] : solid[coordinate];
}

/* The coordinates that no world changes. */
static void write_coordinates(const struct robot_document *robot, struct text *out)
{
    const uint32_t dof = robot_dof(robot, robot->dimension);
    if (robot->type != ROBOT_ARM && !(robot->type == ROBOT_RIGID && robot->dimension))
        return;
    text_member_u64(out, "dof", dof);
    text_json_key(out, "coordinates");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < dof; i++)
        text_json_string(out, robot_coordinate_name(robot, robot->dimension, i));
    text_json_close(out, ']');
}

void robot_write_derived(const struct robot_document *robot, struct text *out)
{
    write_coordinates(robot, out);
    if (robot->cover_excess >= 0)
        text_member_number(out, "cover_excess", robot->cover_excess, EXACT);
    if (robot->warnings.length) {
        text_json_key(out, "warnings");
        text_json_open(out, '[');
        text_append(out, robot->warnings.data, robot->warnings.length);
        text_json_close(out, ']');
    }
}

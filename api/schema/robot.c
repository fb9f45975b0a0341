#include "schema/robot.h"

#include "schema/json_read.h"

static const char *const read_only[] = {"name",     "revision",  "fingerprint", "created",
                                        "updated",  "dimension", "dof",         "coordinates",
                                        "warnings", NULL};

static const struct json_word type_words[] = {
    {"point", ROBOT_POINT},
    {"ball", ROBOT_BALL},
    {"rigid", JSON_UNSUPPORTED},
    {"arm", JSON_UNSUPPORTED},
    {NULL, 0},
};

/* The members that a type has. */
static const char *const *members_of(enum robot_type type)
{
    static const char *const point[] = {"type", NULL};
    static const char *const ball[] = {"type", "radius", NULL};
    switch (type) {
    case ROBOT_POINT:
        return point;
    case ROBOT_BALL:
        return ball;
    }
    return point;
}

bool robot_read(struct robot_document *robot, const char *body, size_t bytes,
                const struct limits *limits, struct problem *problem)
{
    (void)limits;
    json_t *json = json_read(body, bytes, problem);
    if (!json)
        return false;
    unsigned faults_before = problem->fault_count;
    *robot = (struct robot_document){0};

    // the type decides which members there are
    struct json_node root = json_node_root(json, problem);
    int type = -1;
    if (!json_is_object(json)) {
        json_node_object(&root, NULL, NULL);
    } else {
        struct json_node node = json_node_member(&root, "type");
        if (json_node_required(&node))
            json_node_word(&node, type_words, &type);
    }
    if (type >= 0) {
        robot->type = (enum robot_type)type;
        json_node_object(&root, members_of(robot->type), read_only);
    }
    if (type == ROBOT_BALL) {
        struct json_node radius = json_node_member(&root, "radius");
        if (json_node_required(&radius))
            json_node_number(&radius, JSON_POSITIVE, &robot->radius);
    }

    json_decref(json);
    return problem->fault_count == faults_before;
}

void robot_write_members(const struct robot_document *robot, struct text *out)
{
    text_member_string(out, "type", type_words[robot->type].word);
    if (robot->type == ROBOT_BALL) {
        text_member_number(out, "radius", robot->radius, 17);
    }
}

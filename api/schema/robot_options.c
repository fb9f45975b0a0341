#include "schema/robot_options.h"

#include "schema/length.h"
#include "schema/robot_json.h"
#include "schema/robot_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* {"joint":number…}. */
static void read_values(struct robot_value **values, uint32_t *count, const struct json_node *node,
                        enum json_sign sign, const struct limits *limits)
{
    const char *key;
    json_t *value;
    if (!node->json)
        return;
    if (!json_is_object(node->json)) {
        static const char *const none[] = {NULL};
        json_node_object(node, none, NULL);
        return;
    }
    const size_t members = json_object_size(node->json);
    if (members > limits->links) {
        json_node_over(node, limits, LIMIT_links, "joints");
        return;
    }
    *values = calloc(members + 1, sizeof **values);
    if (!*values) {
        json_node_no_memory(node);
        return;
    }
    json_object_foreach(node->json, key, value)
    {
        struct json_node member = json_node_member(node, key);
        struct robot_value *to = &(*values)[*count];
        if (strlen(key) > ROBOT_NAME_BYTES_MAX) {
            json_node_fault(&member, PROBLEM_UNKNOWN_REFERENCE, "names no joint");
        } else if (length_read(&member, sign, &to->value)) {
            snprintf(to->joint, sizeof to->joint, "%s", key);
            ++*count;
        }
    }
}

static void read_members(struct robot_options *options, const struct json_node *node,
                         const struct limits *limits)
{
    static const char *const members[] = {"group",   "locked",          "base", "padding",
                                          "weights", "cover_tolerance", NULL};
    const char *group = "";
    if (!json_node_object(node, members, NULL) || !json_is_object(node->json))
        return;
    struct json_node name = json_node_nullable(node, "group");
    struct json_node base = json_node_nullable(node, "base");
    struct json_node padding = json_node_nullable(node, "padding");
    struct json_node tolerance = json_node_nullable(node, "cover_tolerance");
    struct json_node locked = json_node_nullable(node, "locked");
    struct json_node weights = json_node_nullable(node, "weights");
    json_node_string(&name, ROBOT_NAME_BYTES_MAX, &group);
    snprintf(options->group, sizeof options->group, "%s", group);
    options->has_base = base.json && robot_read_frame(&options->base, &base);
    length_read(&padding, JSON_NOT_NEGATIVE, &options->padding);
    length_read(&tolerance, JSON_POSITIVE, &options->cover_tolerance);
    read_values(&options->locked, &options->locked_count, &locked, JSON_ANY, limits);
    read_values(&options->weights, &options->weight_count, &weights, JSON_POSITIVE, limits);
}

bool robot_options_read(struct robot_options *options, const char *body, size_t bytes,
                        const struct limits *limits, struct problem *problem)
{
    *options = (struct robot_options){.base = robot_frame_identity()};
    struct json_body json;
    if (!json_body_begin(&json, body, bytes, problem))
        return false;
    struct json_node form = {.problem = problem};
    struct json_node node = {json.root.json, &form, "options", 0, problem};
    read_members(options, &node, limits);
    if (json_body_end(&json))
        return true;
    robot_options_deinit(options);
    return false;
}

void robot_options_deinit(struct robot_options *options)
{
    free(options->locked);
    free(options->weights);
    *options = (struct robot_options){0};
}

#include "schema/robot_json.h"

#include "schema/cover.h"
#include "schema/length.h"
#include "schema/robot_parts.h"
#include "schema/rotation.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT = 17 };

void robot_read_turn(struct robot_frame *frame, const struct json_node *node)
{
    struct json_node rpy = json_node_member(node, "rpy");
    struct json_node quaternion = json_node_member(node, "quaternion");
    if (rpy.json && quaternion.json) {
        json_node_fault(&rpy, PROBLEM_INVALID_ARGUMENT, "and quaternion exclude each other");
    } else if (rpy.json && json_node_numbers(&rpy, JSON_ANY, frame->rpy, 3)) {
        frame->has_rpy = true;
        rotation_of_rpy(frame->rpy, frame->quaternion);
    } else if (quaternion.json && json_node_numbers(&quaternion, JSON_ANY, frame->quaternion, 4)) {
        frame->has_quaternion = true;
        if (!rotation_normalise(frame->quaternion))
            json_node_fault(&quaternion, PROBLEM_INVALID_ARGUMENT, "must not be all zero");
    }
}

bool robot_read_frame(struct robot_frame *frame, const struct json_node *node)
{
    static const char *const members[] = {"xyz", "rpy", "quaternion", NULL};
    const unsigned faults_before = node->problem->fault_count;
    *frame = robot_frame_identity();
    if (!node->json || !json_node_object(node, members, NULL) || !json_is_object(node->json))
        return node->problem->fault_count == faults_before;

    struct json_node xyz = json_node_member(node, "xyz");
    length_read_all(&xyz, JSON_ANY, frame->xyz, 3);
    robot_read_turn(frame, node);
    return node->problem->fault_count == faults_before;
}

void robot_write_numbers(const char *key, const double *values, size_t count, struct text *out)
{
    text_json_key(out, key);
    text_json_open(out, '[');
    for (size_t i = 0; i < count; i++)
        text_json_number(out, values[i] + 0.0, EXACT);
    text_json_close(out, ']');
}

void robot_write_frame(const struct robot_frame *frame, struct text *out)
{
    text_json_open(out, '{');
    robot_write_numbers("xyz", frame->xyz, 3, out);
    if (frame->has_rpy)
        robot_write_numbers("rpy", frame->rpy, 3, out);
    else if (frame->has_quaternion)
        robot_write_numbers("quaternion", frame->quaternion, 4, out);
    text_json_close(out, '}');
}

static void read_sphere(struct robot_document *robot, const struct json_node *node, bool *flat)
{
    static const char *const members[] = {"center", "radius", NULL};
    double place[3] = {0}, radius = 0;
    if (!json_is_object(node->json)) {
        json_node_object(node, members, NULL);
        return;
    }
    struct json_node center = json_node_member(node, "center");
    struct json_node length = json_node_member(node, "radius");
    const bool two = flat && json_is_array(center.json) && json_array_size(center.json) == 2;
    bool good = json_node_object(node, members, NULL);
    good &= json_node_required(&center) && length_read_all(&center, JSON_ANY, place, two ? 2 : 3);
    good &= json_node_required(&length) && length_read(&length, JSON_ANY, &radius);
    if (flat)
        *flat &= two;
    if (good && !robot_append_sphere(robot, place, radius))
        json_node_no_memory(node);
}

void robot_read_spheres(struct robot_document *robot, const struct json_node *array,
                        const struct limits *limits, bool *flat)
{
    if (!array->json || !json_node_array(array))
        return;
    const size_t count = json_array_size(array->json);
    if (robot->sphere_count + count > limits->spheres) {
        json_node_over(array, limits, LIMIT_spheres, "spheres");
        return;
    }
    for (size_t i = 0; i < count && !json_node_full(array); i++) {
        struct json_node element = json_node_element(array, i);
        read_sphere(robot, &element, flat);
    }
}

void robot_write_spheres(const struct robot_sphere *spheres, uint32_t count, uint32_t numbers,
                         struct text *out)
{
    text_json_key(out, "spheres");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        text_json_open(out, '{');
        robot_write_numbers("center", spheres[i].center, numbers, out);
        text_member_number(out, "radius", spheres[i].radius + 0.0, EXACT);
        text_json_close(out, '}');
    }
    text_json_close(out, ']');
}

bool robot_take_cover(struct robot_document *robot, struct cover *cover,
                      const struct robot_frame *frame, const struct json_node *node,
                      const struct limits *limits)
{
    bool good = true;
    if (robot->sphere_count + cover->count > limits->spheres) {
        json_node_over(node, limits, LIMIT_spheres, "spheres");
        good = false;
    }
    for (uint32_t i = 0; i < cover->count && good; i++) {
        double center[3];
        const double *sphere = cover->spheres + 4 * (size_t)i;
        rotation_apply(center, frame->quaternion, sphere);
        for (int a = 0; a < 3; a++)
            center[a] += frame->xyz[a];
        good = robot_append_sphere(robot, center, sphere[3]);
        if (!good)
            json_node_no_memory(node);
    }
    robot->cover_excess = fmax(robot->cover_excess, cover->excess);
    free(cover->spheres);
    return good;
}

#include "schema/forward.h"

#include "schema/json_read.h"
#include "schema/length.h"
#include "schema/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 9, DIMENSION_2D = 2, DIMENSION_3D = 3, QUATERNION_FIRST = 3 };

/* Within so much of a limit a coordinate is clamped to it. */
#define LIMIT_TOLERANCE 1e-6

/* One body on its way. */
struct forward_reader {
    struct forward_request *request;
    const struct robot_document *robot;
    bool has_quaternion;
};

/* ---- coordinates ---- */

static const char *name_of(const struct forward_reader *reader, uint32_t coordinate)
{
    return robot_coordinate_name(reader->robot, reader->request->dimension, coordinate);
}

/* The dimension of the first state, where the robot leaves it open. */
static uint32_t dimension_of(const struct robot_document *robot, const struct json_node *states)
{
    if (robot->dimension)
        return robot->dimension;
    const json_t *first = json_array_get(states->json, 0);
    const size_t count = json_is_object(first) ? json_object_size(first) : json_array_size(first);
    return count == robot_dof(robot, DIMENSION_2D) ? DIMENSION_2D : DIMENSION_3D;
}

/* ---- states ---- */

static bool read_named(const struct forward_reader *reader, const struct json_node *node,
                       double *state)
{
    const uint32_t dof = reader->request->dof;
    const char *key;
    json_t *value;
    bool good = true;
    for (uint32_t i = 0; i < dof; i++) {
        struct json_node member = json_node_member(node, name_of(reader, i));
        good &= json_node_required(&member) && length_read(&member, JSON_ANY, &state[i]);
    }
    json_object_foreach(node->json, key, value)
    {
        uint32_t i = 0;
        while (i < dof && strcmp(key, name_of(reader, i)) != 0)
            i++;
        if (i == dof) {
            struct json_node member = json_node_member(node, key);
            json_node_fault(&member, PROBLEM_UNKNOWN_MEMBER, "is no coordinate of the robot");
            good = false;
        }
    }
    return good;
}

/* Clamps to a joint's limits, or reports that the coordinate is beyond them. */
static bool check_limits(const struct forward_reader *reader, const struct json_node *node,
                         uint32_t coordinate, double *value, bool *clamped)
{
    const struct robot_joint *joint =
        &reader->robot->joints[reader->robot->coordinates[coordinate]];
    if (joint->type == JOINT_CONTINUOUS)
        return true;
    const double inside = fmin(joint->upper, fmax(joint->lower, *value));
    if (fabs(inside - *value) > LIMIT_TOLERANCE) {
        struct json_node element = json_is_array(node->json) ? json_node_element(node, coordinate)
                                                             : json_node_member(node, joint->name);
        json_node_fault(&element, PROBLEM_INVALID_ARGUMENT,
                        "is outside the limits of \"%s\", %.9g to %.9g", joint->name, joint->lower,
                        joint->upper);
        return false;
    }
    *clamped |= inside != *value;
    *value = inside;
    return true;
}

static void read_state(const struct forward_reader *reader, const struct json_node *node,
                       double *state)
{
    const uint32_t dof = reader->request->dof;
    bool clamped = false, good = true;
    if (json_is_object(node->json))
        good = read_named(reader, node, state);
    else
        good = length_read_all(node, JSON_ANY, state, dof);
    for (uint32_t i = 0; i < dof && good && reader->robot->type == ROBOT_ARM; i++)
        good = check_limits(reader, node, i, &state[i], &clamped);
    if (good && reader->has_quaternion && !rotation_normalise(state + QUATERNION_FIRST))
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "has a quaternion that is all zero");
    reader->request->clamped += clamped;
}

bool forward_read(struct forward_request *request, const struct robot_document *robot,
                  const char *body, size_t bytes, const struct limits *limits,
                  struct problem *problem)
{
    static const char *const members[] = {"states", NULL};
    *request = (struct forward_request){0};
    struct json_body json;
    if (!json_body_begin(&json, body, bytes, problem))
        return false;
    struct json_node states = json_node_member(&json.root, "states");
    if (json_node_object(&json.root, members, NULL) && json_node_required(&states) &&
        json_node_array(&states)) {
        const size_t count = json_array_size(states.json);
        request->dimension = dimension_of(robot, &states);
        request->dof = robot_dof(robot, request->dimension);
        const struct forward_reader reader = {
            request, robot, robot->type == ROBOT_RIGID && request->dimension == DIMENSION_3D};
        if (count > limits->states)
            json_node_over(&states, limits, LIMIT_states, "states");
        else
            request->states = calloc(count * request->dof + 1, sizeof *request->states);
        if (!request->states && json_body_is_good(&json))
            json_node_no_memory(&states);
        for (size_t i = 0; i < count && request->states && !json_node_full(&states); i++) {
            struct json_node state = json_node_element(&states, i);
            read_state(&reader, &state, request->states + i * request->dof);
            request->state_count++;
        }
    }
    if (json_body_end(&json))
        return true;
    forward_deinit(request);
    return false;
}

void forward_deinit(struct forward_request *request)
{
    free(request->states);
    *request = (struct forward_request){0};
}

/* ---- the answer ---- */

static void write_frame(const struct forward_frame *frame, struct text *out)
{
    text_json_open(out, '{');
    text_json_key(out, "xyz");
    text_json_open(out, '[');
    for (int a = 0; a < 3; a++)
        text_json_number(out, frame->xyz[a], DIGITS);
    text_json_close(out, ']');
    text_json_key(out, "quaternion");
    text_json_open(out, '[');
    for (int a = 0; a < 4; a++)
        text_json_number(out, frame->quaternion[a], DIGITS);
    text_json_close(out, ']');
    text_json_close(out, '}');
}

static void write_spheres(const struct robot_sphere *spheres, uint32_t count,
                          const struct forward_frame *frame, struct text *out)
{
    text_json_open(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        double center[3];
        rotation_apply(center, frame->quaternion, spheres[i].center);
        text_json_open(out, '[');
        for (int a = 0; a < 3; a++)
            text_json_number(out, center[a] + frame->xyz[a], DIGITS);
        text_json_number(out, spheres[i].radius, DIGITS);
        text_json_close(out, ']');
    }
    text_json_close(out, ']');
}

/* The one link of what is no arm. */
static void write_body(const struct robot_document *robot, const struct forward_frame *frame,
                       struct text *out)
{
    const struct robot_sphere ball = {{0, 0, 0}, robot->radius};
    const bool rigid = robot->type == ROBOT_RIGID;
    text_json_key(out, "links");
    text_json_open(out, '{');
    text_json_key(out, "body");
    write_frame(frame, out);
    text_json_close(out, '}');
    text_json_key(out, "spheres");
    text_json_open(out, '{');
    text_json_key(out, "body");
    write_spheres(rigid ? robot->spheres : &ball, rigid ? robot->sphere_count : 1, frame, out);
    text_json_close(out, '}');
}

static void write_links(const struct robot_document *robot, const struct forward_frame *frames,
                        struct text *out)
{
    text_json_key(out, "links");
    text_json_open(out, '{');
    for (uint32_t i = 0; i < robot->link_count; i++) {
        text_json_key(out, robot->links[i].name);
        write_frame(&frames[i], out);
    }
    text_json_close(out, '}');
    text_json_key(out, "spheres");
    text_json_open(out, '{');
    for (uint32_t i = 0; i < robot->link_count; i++) {
        const struct robot_link *link = &robot->links[i];
        if (!link->sphere_count)
            continue;
        text_json_key(out, link->name);
        write_spheres(robot->spheres + link->sphere_first, link->sphere_count, &frames[i], out);
    }
    text_json_close(out, '}');
}

void forward_write(const struct forward_request *request, const struct robot_document *robot,
                   const struct forward_frame *frames, struct text *out)
{
    const bool arm = robot->type == ROBOT_ARM;
    struct forward_request named = *request;
    const struct forward_reader reader = {&named, robot, false};
    text_json_open(out, '{');
    text_json_key(out, "coordinates");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < request->dof; i++)
        text_json_string(out, name_of(&reader, i));
    text_json_close(out, ']');
    text_json_key(out, "states");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < request->state_count; i++) {
        text_json_open(out, '{');
        if (arm)
            write_links(robot, frames + (size_t)i * robot->link_count, out);
        else
            write_body(robot, &frames[i], out);
        text_json_close(out, '}');
    }
    text_json_close(out, ']');
    if (request->clamped) {
        text_json_key(out, "warnings");
        text_json_open(out, '[');
        text_json_open(out, '{');
        text_member_string(out, "code", "clamped");
        text_member_string(out, "detail",
                           "states within 1e-6 of a limit were taken as on the limit");
        text_member_u64(out, "states", request->clamped);
        text_json_close(out, '}');
        text_json_close(out, ']');
    }
    text_json_close(out, '}');
}

/* Rigid bodies: spheres, or an outline or boxes that spheres are made to cover. */
#include "schema/cover.h"
#include "schema/length.h"
#include "schema/polygon.h"
#include "schema/robot_json.h"
#include "schema/robot_parts.h"
#include "schema/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT = 17, FOOTPRINT_POINTS_MIN = 3, WEIGHTS_2D = 3, WEIGHTS_3D = 4 };

/* So many boxes a body, each of which takes a moment to cover. */
enum { BOXES_MAX = 256 };

static void no_memory(const struct json_node *node)
{
    json_node_no_memory(node);
}

/* ---- the three ways to give a shape ---- */

/* Whether the points' box has sides that are lengths. */
static bool is_wide(const double *points, uint32_t count)
{
    double lower[2] = {INFINITY, INFINITY}, upper[2] = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 2 * count; i++) {
        lower[i % 2] = fmin(lower[i % 2], points[i]);
        upper[i % 2] = fmax(upper[i % 2], points[i]);
    }
    return upper[0] - lower[0] >= LENGTH_LEAST && upper[1] - lower[1] >= LENGTH_LEAST;
}

/* Whether the points are the outline of an area; their count may fall. */
static bool check_footprint(const struct json_node *node, double *points, uint32_t *count)
{
    uint32_t first, second;
    bool memory;
    *count = polygon_drop_repeats(points, *count);
    const bool crosses = polygon_crosses_itself(points, *count, &first, &second, &memory);
    if (!memory)
        no_memory(node);
    else if (crosses)
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT,
                        "must not cross itself: the edges from points %u and %u do", first, second);
    else if (*count < FOOTPRINT_POINTS_MIN || !polygon_has_area(points, *count))
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must enclose an area");
    else if (!is_wide(points, *count))
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be wide and high at least %g",
                        LENGTH_LEAST);
    else
        return true;
    return false;
}

static void cover_footprint(struct robot_document *robot, const struct json_node *node,
                            double *points, uint32_t count, double tolerance,
                            const struct limits *limits)
{
    const struct robot_frame identity = robot_frame_identity();
    struct cover cover;
    if (!check_footprint(node, points, &count))
        return;
    if (cover_polygon(&cover, points, count, tolerance))
        robot_take_cover(robot, &cover, &identity, node, limits);
    else
        no_memory(node);
}

static void read_footprint(struct robot_document *robot, const struct json_node *node,
                           double tolerance, const struct limits *limits)
{
    const unsigned faults_before = node->problem->fault_count;
    robot->dimension = 2;
    if (!json_node_array(node))
        return;
    const size_t count = json_array_size(node->json);
    if (count < FOOTPRINT_POINTS_MIN) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must have at least 3 points");
        return;
    }
    if (count > limits->polygon_points || count > UINT32_MAX) {
        json_node_over(node, limits, LIMIT_polygon_points, "points");
        return;
    }
    double *points = malloc(count * 2 * sizeof *points);
    if (!points) {
        no_memory(node);
        return;
    }
    for (size_t i = 0; i < count && !json_node_full(node); i++) {
        struct json_node point = json_node_element(node, i);
        length_read_all(&point, JSON_ANY, points + 2 * i, 2);
    }
    if (node->problem->fault_count == faults_before)
        cover_footprint(robot, node, points, (uint32_t)count, tolerance, limits);
    free(points);
}

/* Full sizes, none too small to be covered. */
static void read_sizes(const struct json_node *node, double length[3])
{
    if (!length_read_all(node, JSON_POSITIVE, length, 3))
        return;
    for (size_t a = 0; a < 3; a++) {
        struct json_node size = json_node_element(node, a);
        if (length[a] < LENGTH_LEAST)
            json_node_fault(&size, PROBLEM_INVALID_ARGUMENT, "must be at least %g", LENGTH_LEAST);
    }
}

/* {"center","size","rpy"|"quaternion"}. */
static void read_box(struct robot_document *robot, const struct json_node *node, double tolerance,
                     const struct limits *limits)
{
    static const char *const members[] = {"center", "size", "rpy", "quaternion", NULL};
    const unsigned faults_before = node->problem->fault_count;
    struct robot_frame frame = robot_frame_identity();
    struct cover cover;
    double length[3] = {0};
    if (!json_is_object(node->json)) {
        json_node_object(node, members, NULL);
        return;
    }
    json_node_object(node, members, NULL);
    struct json_node center = json_node_member(node, "center");
    struct json_node size = json_node_member(node, "size");
    if (json_node_required(&size))
        read_sizes(&size, length);
    robot_read_turn(&frame, node);
    length_read_all(&center, JSON_ANY, frame.xyz, 3);
    if (node->problem->fault_count != faults_before)
        return;
    if (cover_box(&cover, length, tolerance))
        robot_take_cover(robot, &cover, &frame, node, limits);
    else
        no_memory(node);
}

static void read_boxes(struct robot_document *robot, const struct json_node *node, double tolerance,
                       const struct limits *limits)
{
    robot->dimension = 3;
    if (!json_node_array(node))
        return;
    const size_t count = json_array_size(node->json);
    if (count < 1 || count > BOXES_MAX) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must have 1 to %d boxes", BOXES_MAX);
        return;
    }
    for (size_t i = 0; i < count && !json_node_full(node); i++) {
        struct json_node element = json_node_element(node, i);
        read_box(robot, &element, tolerance, limits);
    }
}

/* Plain spheres: what dimension they fit is told by their centres. */
static void read_spheres(struct robot_document *robot, const struct json_node *node,
                         const struct limits *limits)
{
    bool flat = true, high = false, on = false;
    robot_read_spheres(robot, node, limits, &flat);
    for (uint32_t i = 0; i < robot->sphere_count; i++) {
        high |= robot->spheres[i].center[2] != 0;
        on |= robot->spheres[i].radius >= 0;
    }
    robot->dimension = flat ? 2 : high ? 3 : 0;
    if (!on && !node->problem->fault_count)
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT,
                        "must have a sphere that is not switched off");
}

/* ---- the body ---- */

static void read_weights(struct robot_document *robot, const struct json_node *node)
{
    if (!node->json || !json_node_array(node))
        return;
    const size_t count = json_array_size(node->json);
    const uint32_t wanted = robot->dimension == 2 ? WEIGHTS_2D : WEIGHTS_3D;
    if (count != wanted && (robot->dimension || count != WEIGHTS_2D)) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must have %s numbers, not %zu",
                        robot->dimension == 2   ? "3 (x, y, theta)"
                        : robot->dimension == 3 ? "4 (x, y, z, orientation)"
                                                : "3 or 4",
                        count);
        return;
    }
    if (length_read_all(node, JSON_POSITIVE, robot->weights, count)) {
        robot->weight_count = (uint32_t)count;
        robot->dimension = count == WEIGHTS_2D ? 2 : 3;
    }
}

void robot_read_rigid(struct robot_document *robot, const struct json_node *root,
                      const struct limits *limits)
{
    static const char *const members[] = {"type",    "spheres",         "footprint", "boxes",
                                          "weights", "cover_tolerance", NULL};
    struct json_node spheres = json_node_member(root, "spheres");
    struct json_node footprint = json_node_member(root, "footprint");
    struct json_node boxes = json_node_member(root, "boxes");
    struct json_node tolerance = json_node_nullable(root, "cover_tolerance");
    struct json_node weights = json_node_nullable(root, "weights");
    double excess_max = 0;

    json_node_object(root, members, robot_read_only);
    length_read(&tolerance, JSON_POSITIVE, &excess_max);
    const int shapes = !!spheres.json + !!footprint.json + !!boxes.json;
    if (shapes != 1) {
        json_node_fault(root, PROBLEM_INVALID_ARGUMENT,
                        "must have one of spheres, footprint and boxes");
        return;
    }
    if (spheres.json && tolerance.json)
        json_node_fault(&tolerance, PROBLEM_INVALID_ARGUMENT,
                        "is for a footprint or boxes: spheres are taken as they are");
    if (spheres.json)
        read_spheres(robot, &spheres, limits);
    else if (footprint.json)
        read_footprint(robot, &footprint, excess_max, limits);
    else
        read_boxes(robot, &boxes, excess_max, limits);
    read_weights(robot, &weights);
}

void robot_write_rigid(const struct robot_document *robot, struct text *out)
{
    // in the plane centres have two numbers, so that they stay there
    bool flat = robot->dimension == 2;
    for (uint32_t i = 0; i < robot->sphere_count && flat; i++)
        flat = robot->spheres[i].center[2] == 0;
    robot_write_spheres(robot->spheres, robot->sphere_count, flat ? 2 : 3, out);
    if (robot->weight_count)
        robot_write_numbers("weights", robot->weights, robot->weight_count, out);
}

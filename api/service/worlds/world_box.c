#include "service/worlds/world_box.h"

#include "schema/rotation.h"

#include <math.h>
#include <string.h>

/* A box that grows, empty at first. */
struct box {
    double lower[3], upper[3];
    bool any;
};

static void box_add(struct box *box, const double point[3])
{
    for (int i = 0; i < 3; i++) {
        box->lower[i] = box->any ? fmin(box->lower[i], point[i]) : point[i];
        box->upper[i] = box->any ? fmax(box->upper[i], point[i]) : point[i];
    }
    box->any = true;
}

void obstacle_move(struct obstacle_document *obstacle, const double shift[3],
                   const double quaternion[4])
{
    rotation_apply(obstacle->center, quaternion, obstacle->center);
    for (int i = 0; i < 3; i++)
        obstacle->center[i] += shift[i];
    rotation_multiply(obstacle->quaternion, quaternion, obstacle->quaternion);
    rotation_normalise(obstacle->quaternion);
    obstacle->has_quaternion = obstacle->type != OBSTACLE_SPHERE;
    obstacle->has_rpy = false;
}

/* Adds the corners of a box of an obstacle's frame. */
static void add_corners(struct box *box, const struct obstacle_document *obstacle,
                        const double center[3], const double half[3])
{
    for (int corner = 0; corner < 8; corner++) {
        double point[3];
        for (int i = 0; i < 3; i++)
            point[i] = center[i] + (corner >> i & 1 ? half[i] : -half[i]);
        rotation_apply(point, obstacle->quaternion, point);
        for (int i = 0; i < 3; i++)
            point[i] += obstacle->center[i];
        box_add(box, point);
    }
}

/* Half the sizes of the box, in its own frame, of an obstacle that is one shape. */
static void half_sizes(const struct obstacle_document *obstacle, double half[3])
{
    const double cap = obstacle->type == OBSTACLE_CAPSULE ? obstacle->radius : 0;
    const bool is_box = obstacle->type == OBSTACLE_BOX;
    const bool is_sphere = obstacle->type == OBSTACLE_SPHERE;
    half[0] = half[1] = half[2] = obstacle->radius;
    if (is_box)
        for (int i = 0; i < 3; i++)
            half[i] = obstacle->size[i] / 2;
    else if (!is_sphere)
        half[2] = obstacle->length / 2 + cap;
}

static void add_obstacle(struct box *box, const struct obstacle_document *obstacle)
{
    static const double ZERO[3] = {0};
    const uint32_t width = obstacle_point_width(obstacle->type);
    double half[3];
    half_sizes(obstacle, half);
    if (!width) {
        add_corners(box, obstacle, ZERO, half);
        return;
    }
    const double radius = obstacle->type == OBSTACLE_POINTS ? obstacle->radius : 0;
    for (uint32_t i = 0; i < obstacle->point_count; i++) {
        const double *row = obstacle->points + (size_t)i * width;
        for (int axis = 0; axis < 3; axis++)
            half[axis] = obstacle->type == OBSTACLE_BOXES ? row[3 + axis] / 2 : radius;
        add_corners(box, obstacle, row, half);
    }
}

bool world_box(const struct world_document *world, double lower[3], double upper[3])
{
    struct box box = {.any = false};
    for (uint32_t i = 0; i < world->obstacle_count; i++)
        add_obstacle(&box, &world->obstacles[i]);
    memcpy(lower, box.lower, sizeof(box.lower));
    memcpy(upper, box.upper, sizeof(box.upper));
    return box.any;
}

/* Checks of world specifications: what is refused, by the obstacle's index and member. */
#include "roadmap/world/field.h"
#include "roadmap/world/world.h"

#include <math.h>

/* Longest side of anything, metres: squares of it stay far within float32. */
#define LENGTH_MAX 1e9
/* Bounds closer than this, or than this share of their longest side, are too close for float32 to
 * tell points between them apart. */
#define LENGTH_LEAST 1e-9
#define SHARE_LEAST 4e-7
/* How far a quaternion's norm may be from 1. */
#define QUATERNION_TOLERANCE 1e-3
/* Cells of a grid at most: they are walked with 32-bit signed indices. */
enum { GRID_SIDE_MAX = 1 << 20 };

/* What a kind of obstacle has. */
enum { HAS_RADIUS = 1, HAS_SIZE = 2, HAS_LENGTH = 4, HAS_TURN = 8, PLANAR = 16, MANY = 32 };
static const unsigned MEMBERS[] = {
    [PRM_OBSTACLE_SPHERE] = HAS_RADIUS,
    [PRM_OBSTACLE_BOX] = HAS_SIZE | HAS_TURN,
    [PRM_OBSTACLE_CYLINDER] = HAS_RADIUS | HAS_LENGTH | HAS_TURN,
    [PRM_OBSTACLE_CAPSULE] = HAS_RADIUS | HAS_LENGTH | HAS_TURN,
    [PRM_OBSTACLE_CIRCLE] = HAS_RADIUS | PLANAR,
    [PRM_OBSTACLE_RECTANGLE] = HAS_SIZE | HAS_TURN | PLANAR,
    [PRM_OBSTACLE_POLYGON] = PLANAR,
    [PRM_OBSTACLE_GRID] = PLANAR,
    [PRM_OBSTACLE_BOXES] = HAS_TURN | MANY,
    [PRM_OBSTACLE_POINTS] = HAS_RADIUS | HAS_TURN | MANY,
    [PRM_OBSTACLE_MESH] = HAS_TURN | MANY,
};
enum { KIND_COUNT = sizeof(MEMBERS) / sizeof(MEMBERS[0]) };

/* A member's number within [lower, LENGTH_MAX], or a fault that names it. */
static enum prm_status check_number(uint32_t index, const char *member, double value, double lower)
{
    if (value >= lower && value <= LENGTH_MAX)
        return PRM_OK;
    return prm_fault_set(PRM_INVALID_ARGUMENT, "obstacle %u: %s is %g, not from %g to %g", index,
                         member, value, lower, LENGTH_MAX);
}

static enum prm_status check_turn(uint32_t index, const double *q)
{
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (fabs(norm - 1.0) <= QUATERNION_TOLERANCE)
        return PRM_OK;
    return prm_fault_set(PRM_INVALID_ARGUMENT, "obstacle %u: quaternion has norm %g, not 1", index,
                         norm);
}

static enum prm_status check_polygon(uint32_t index, const struct prm_obstacle *obstacle)
{
    if (obstacle->point_count < 3)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "obstacle %u: points has %u, a polygon needs 3",
                             index, obstacle->point_count);
    for (uint32_t i = 0; i < 2 * obstacle->point_count; i++) {
        const enum prm_status status =
            check_number(index, "points", obstacle->points[i], -LENGTH_MAX);
        if (status != PRM_OK)
            return status;
    }
    return PRM_OK;
}

/* The rows of boxes, points and meshes, and the corners that triangles name. */
static enum prm_status check_many(uint32_t index, const struct prm_obstacle *obstacle)
{
    const bool boxes = obstacle->kind == PRM_OBSTACLE_BOXES;
    const size_t stride = boxes ? 6 : 3, numbers = stride * obstacle->point_count;
    const char *member = boxes                                   ? "boxes"
                         : obstacle->kind == PRM_OBSTACLE_POINTS ? "points"
                                                                 : "vertices";
    for (size_t i = 0; i < numbers; i++) {
        const double lower = i % stride < 3 ? -LENGTH_MAX : 0.0;
        const enum prm_status status = check_number(index, member, obstacle->points[i], lower);
        if (status != PRM_OK)
            return status;
    }
    for (size_t i = 0; i < (size_t)3 * obstacle->triangle_count; i++)
        if (obstacle->triangles[i] >= obstacle->point_count)
            return prm_fault_set(PRM_INVALID_ARGUMENT,
                                 "obstacle %u: triangle %zu names vertex %u of %u", index, i / 3,
                                 obstacle->triangles[i], obstacle->point_count);
    const enum prm_status resolved = check_number(index, "resolution", obstacle->resolution, 0.0);
    if (resolved != PRM_OK)
        return resolved;
    struct prm_field_plan plan;
    return prm_field_plan(&plan, obstacle, index);
}

static enum prm_status check_grid(uint32_t index, const struct prm_grid_spec *grid)
{
    if (grid->width < 1 || grid->height < 1 || grid->width > GRID_SIDE_MAX ||
        grid->height > GRID_SIDE_MAX)
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "obstacle %u: width and height are %u and %u, not 1 to %d", index,
                             grid->width, grid->height, GRID_SIDE_MAX);
    const enum prm_status sized = check_number(index, "resolution", grid->resolution, LENGTH_LEAST);
    if (sized != PRM_OK)
        return sized;
    for (int c = 0; c < 3; c++) {
        const enum prm_status status = check_number(index, "origin", grid->origin[c], -LENGTH_MAX);
        if (status != PRM_OK)
            return status;
    }
    return PRM_OK;
}

/* One obstacle by the table of members. */
static enum prm_status check_obstacle(uint32_t index, const struct prm_obstacle *obstacle,
                                      uint32_t dimension)
{
    enum prm_status status = PRM_OK;
    if ((unsigned)obstacle->kind >= KIND_COUNT)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "obstacle %u: type %d is not known", index,
                             (int)obstacle->kind);
    const unsigned members = MEMBERS[obstacle->kind];

    if ((members & PLANAR) && dimension != 2)
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "obstacle %u: type belongs to worlds of dimension 2", index);
    if ((members & MANY) && dimension != 3)
        return prm_fault_set(PRM_INVALID_ARGUMENT,
                             "obstacle %u: type belongs to worlds of dimension 3", index);
    status = check_number(index, "padding", obstacle->padding, 0.0);
    if (status == PRM_OK && obstacle->kind == PRM_OBSTACLE_POLYGON)
        return check_polygon(index, obstacle);
    if (status == PRM_OK && obstacle->kind == PRM_OBSTACLE_GRID)
        return check_grid(index, &obstacle->grid);

    for (int c = 0; c < 3 && status == PRM_OK; c++)
        status = check_number(index, "center", obstacle->center[c], -LENGTH_MAX);
    for (int c = 0; c < 3 && status == PRM_OK && (members & HAS_SIZE); c++)
        status = check_number(index, "size", obstacle->size[c], 0.0);
    if (status == PRM_OK && (members & HAS_RADIUS))
        status = check_number(index, "radius", obstacle->radius, 0.0);
    if (status == PRM_OK && (members & HAS_LENGTH))
        status = check_number(index, "length", obstacle->length, 0.0);
    if (status == PRM_OK && (members & HAS_TURN))
        status = check_turn(index, obstacle->quaternion);
    if (status == PRM_OK && (members & MANY))
        status = check_many(index, obstacle);
    return status;
}

/* Bounds ascend, and are far enough from each other. */
static enum prm_status check_bounds(const struct prm_world_spec *spec)
{
    double longest = 0.0;
    for (uint32_t c = 0; c < spec->dimension; c++) {
        if (!(fabs(spec->lower[c]) <= LENGTH_MAX) || !(fabs(spec->upper[c]) <= LENGTH_MAX) ||
            !(spec->lower[c] < spec->upper[c]))
            return prm_fault_set(PRM_INVALID_ARGUMENT,
                                 "bounds of coordinate %u are %g and %g, not ascending numbers "
                                 "within %g",
                                 c, spec->lower[c], spec->upper[c], LENGTH_MAX);
        longest = fmax(longest, spec->upper[c] - spec->lower[c]);
    }
    const double least = fmax(LENGTH_LEAST, SHARE_LEAST * longest);
    for (uint32_t c = 0; c < spec->dimension; c++)
        if (spec->upper[c] - spec->lower[c] < least)
            return prm_fault_set(PRM_INVALID_ARGUMENT,
                                 "bounds of coordinate %u are %g apart, %g at least is needed: "
                                 "numbers are too coarse for less",
                                 c, spec->upper[c] - spec->lower[c], least);
    return PRM_OK;
}

enum prm_status prm_world_check(const struct prm_world_spec *spec)
{
    if (spec->dimension != 2 && spec->dimension != 3)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "dimension is %u, not 2 or 3", spec->dimension);
    const enum prm_status bounded = spec->bounded ? check_bounds(spec) : PRM_OK;
    if (bounded != PRM_OK)
        return bounded;
    for (uint32_t i = 0; i < spec->obstacle_count; i++) {
        const enum prm_status status = check_obstacle(i, &spec->obstacles[i], spec->dimension);
        if (status != PRM_OK)
            return status;
    }
    return PRM_OK;
}

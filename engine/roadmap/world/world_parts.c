/* Where obstacles and their parts are, in double precision and the world's frame. */
#include "roadmap/world/world_parts.h"
#include "roadmap/robot/rotation.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool prm_obstacle_is_turnable(enum prm_obstacle_kind kind)
{
    return kind == PRM_OBSTACLE_BOX || kind == PRM_OBSTACLE_CYLINDER ||
           kind == PRM_OBSTACLE_CAPSULE || kind == PRM_OBSTACLE_RECTANGLE;
}

void prm_obstacle_half_sizes(double *half_size, const struct prm_obstacle *o)
{
    const bool capsule = o->kind == PRM_OBSTACLE_CAPSULE;
    const bool box = o->kind == PRM_OBSTACLE_BOX || o->kind == PRM_OBSTACLE_RECTANGLE;
    for (int c = 0; c < 3; c++)
        half_size[c] = box ? o->size[c] / 2 : o->radius;
    if (o->kind == PRM_OBSTACLE_RECTANGLE)
        half_size[2] = 0.0;
    if (o->kind == PRM_OBSTACLE_CYLINDER || capsule)
        half_size[2] = o->length / 2 + (capsule ? o->radius : 0.0);
}

/* Corners of a grid, or points of a polygon. */
static struct prm_bounds points_bounds(const struct prm_obstacle *o)
{
    struct prm_bounds box = prm_bounds_none();
    const struct prm_grid_spec *grid = &o->grid;
    const bool is_grid = o->kind == PRM_OBSTACLE_GRID;
    const uint32_t count = is_grid ? 4 : o->point_count;

    for (uint32_t i = 0; i < count; i++) {
        double x, y;
        if (is_grid) {
            const double u = (i & 1) ? grid->width * grid->resolution : 0.0;
            const double v = (i & 2) ? grid->height * grid->resolution : 0.0;
            x = grid->origin[0] + cos(grid->origin[2]) * u - sin(grid->origin[2]) * v;
            y = grid->origin[1] + sin(grid->origin[2]) * u + cos(grid->origin[2]) * v;
        } else {
            const double *point = o->points + (size_t)2 * i;
            x = point[0];
            y = point[1];
        }
        const struct prm_bounds corner = {{x, y, 0.0}, {x, y, 0.0}};
        prm_bounds_join(&box, &corner);
    }
    return box;
}

struct prm_bounds prm_bounds_none(void)
{
    return (struct prm_bounds){{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
}

void prm_bounds_join(struct prm_bounds *box, const struct prm_bounds *other)
{
    for (int c = 0; c < 3; c++) {
        box->lower[c] = fmin(box->lower[c], other->lower[c]);
        box->upper[c] = fmax(box->upper[c], other->upper[c]);
    }
}

bool prm_obstacle_is_many(const struct prm_obstacle *o)
{
    return o->kind == PRM_OBSTACLE_BOXES || o->kind == PRM_OBSTACLE_POINTS ||
           o->kind == PRM_OBSTACLE_MESH;
}

uint32_t prm_obstacle_parts(const struct prm_obstacle *o)
{
    return o->kind == PRM_OBSTACLE_MESH ? o->triangle_count
                                        : (prm_obstacle_is_many(o) ? o->point_count : 1);
}

/* A point of the obstacle's frame in the world's. m: prm_rotation_of() its quaternion. */
static void to_world(double *world, const struct prm_obstacle *o, const double *m,
                     const double *point)
{
    for (size_t c = 0; c < 3; c++)
        world[c] =
            o->center[c] + m[3 * c] * point[0] + m[3 * c + 1] * point[1] + m[3 * c + 2] * point[2];
}

struct prm_obstacle prm_obstacle_part(const struct prm_obstacle *o, const double *m, uint32_t i)
{
    const bool boxes = o->kind == PRM_OBSTACLE_BOXES;
    struct prm_obstacle part = *o;
    const double *row = o->points + (size_t)(boxes ? 6 : 3) * i;
    part.kind = boxes ? PRM_OBSTACLE_BOX : PRM_OBSTACLE_SPHERE;
    to_world(part.center, o, m, row);
    if (boxes)
        memcpy(part.size, row + 3, sizeof(part.size));
    return part;
}

void prm_obstacle_triangle(double (*corners)[3], const struct prm_obstacle *o, const double *m,
                           uint32_t i)
{
    for (size_t k = 0; k < 3; k++)
        to_world(corners[k], o, m, o->points + 3 * (size_t)o->triangles[3 * (size_t)i + k]);
}

struct prm_bounds prm_triangle_bounds(const double (*corners)[3])
{
    struct prm_bounds box = prm_bounds_none();
    for (int k = 0; k < 3; k++) {
        const double *p = corners[k];
        const struct prm_bounds corner = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
        prm_bounds_join(&box, &corner);
    }
    return box;
}

/* The box about an obstacle of many parts; one without parts takes up its centre. */
static struct prm_bounds many_bounds(const struct prm_obstacle *o)
{
    const uint32_t count = prm_obstacle_parts(o);
    const double *p = o->center;
    struct prm_bounds box = prm_bounds_none();
    double m[9], corners[3][3];
    prm_rotation_of(m, o->quaternion);

    for (uint32_t i = 0; i < count; i++) {
        struct prm_bounds other;
        if (o->kind == PRM_OBSTACLE_MESH) {
            prm_obstacle_triangle(corners, o, m, i);
            other = prm_triangle_bounds((const double(*)[3])corners);
        } else {
            const struct prm_obstacle part = prm_obstacle_part(o, m, i);
            other = prm_obstacle_bounds(&part);
        }
        prm_bounds_join(&box, &other);
    }
    return count > 0 ? box : (struct prm_bounds){{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
}

struct prm_bounds prm_obstacle_bounds(const struct prm_obstacle *o)
{
    if (prm_obstacle_is_many(o))
        return many_bounds(o);
    if (o->kind == PRM_OBSTACLE_POLYGON || o->kind == PRM_OBSTACLE_GRID)
        return points_bounds(o);

    double half_size[3], m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct prm_bounds box;
    prm_obstacle_half_sizes(half_size, o);
    if (prm_obstacle_is_turnable(o->kind))
        prm_rotation_of(m, o->quaternion);
    for (int c = 0; c < 3; c++) {
        double reach = 0.0;
        for (int k = 0; k < 3; k++)
            reach += fabs(m[3 * c + k]) * half_size[k];
        box.lower[c] = o->center[c] - reach;
        box.upper[c] = o->center[c] + reach;
    }
    return box;
}

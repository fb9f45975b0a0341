#include "oracle_world.h"

#include <math.h>

enum { TERNARY_STEPS = 70 };
#define PI 3.14159265358979323846

static void to_own(const struct prm_obstacle *o, const double *p, double *q)
{
    const double *r = o->quaternion;
    const double norm = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
    const double d[3] = {p[0] - o->center[0], p[1] - o->center[1], p[2] - o->center[2]};
    for (int c = 0; c < 3; c++)
        q[c] = d[c];
    if (norm == 0)
        return;
    // the inverse rotation: v + 2 u x (u x v + w v) with u negated
    const double u[3] = {-r[0], -r[1], -r[2]}, w = r[3];
    const double t[3] = {u[1] * d[2] - u[2] * d[1] + w * d[0], u[2] * d[0] - u[0] * d[2] + w * d[1],
                         u[0] * d[1] - u[1] * d[0] + w * d[2]};
    q[0] += 2 * (u[1] * t[2] - u[2] * t[1]);
    q[1] += 2 * (u[2] * t[0] - u[0] * t[2]);
    q[2] += 2 * (u[0] * t[1] - u[1] * t[0]);
}

static double beyond(double x, double half_size)
{
    return fmax(fabs(x) - half_size, 0);
}

/* Distance to a convex obstacle without padding. */
static double point_distance(const struct prm_obstacle *o, const double *p)
{
    double q[3];
    to_own(o, p, q);
    switch (o->kind) {
    case PRM_OBSTACLE_SPHERE:
    case PRM_OBSTACLE_CIRCLE:
        return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) - o->radius;
    case PRM_OBSTACLE_CYLINDER:
        return hypot(fmax(hypot(q[0], q[1]) - o->radius, 0), beyond(q[2], o->length / 2));
    case PRM_OBSTACLE_CAPSULE:
        return hypot(hypot(q[0], q[1]), beyond(q[2], o->length / 2)) - o->radius;
    case PRM_OBSTACLE_RECTANGLE:
        return hypot(beyond(q[0], o->size[0] / 2), beyond(q[1], o->size[1] / 2));
    case PRM_OBSTACLE_POLYGON:
    case PRM_OBSTACLE_GRID:
    case PRM_OBSTACLE_BOXES:
    case PRM_OBSTACLE_POINTS:
    case PRM_OBSTACLE_MESH:
    case PRM_OBSTACLE_BOX:
        break;
    }
    return hypot(hypot(beyond(q[0], o->size[0] / 2), beyond(q[1], o->size[1] / 2)),
                 beyond(q[2], o->size[2] / 2));
}

static double point_segment_in_space(const double *p, const double *a, const double *b)
{
    double dot = 0, dd = 0, sum = 0;
    for (int c = 0; c < 3; c++) {
        dot += (p[c] - a[c]) * (b[c] - a[c]);
        dd += (b[c] - a[c]) * (b[c] - a[c]);
    }
    const double t = dd > 0 ? fmin(fmax(dot / dd, 0), 1) : 0;
    for (int c = 0; c < 3; c++) {
        const double rest = a[c] + t * (b[c] - a[c]) - p[c];
        sum += rest * rest;
    }
    return sqrt(sum);
}

static double point_segment(const double *p, const double *a, const double *b)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], dd = dx * dx + dy * dy;
    const double t = dd > 0 ? ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / dd : 0;
    const double s = fmin(fmax(t, 0), 1);
    return hypot(a[0] + s * dx - p[0], a[1] + s * dy - p[1]);
}

/* Part i of an obstacle of many, in its own frame, as an obstacle without a pose. */
static struct prm_obstacle part_of(const struct prm_obstacle *o, uint32_t i)
{
    struct prm_obstacle part = {.kind = PRM_OBSTACLE_SPHERE, .radius = o->radius};
    const size_t stride = o->kind == PRM_OBSTACLE_BOXES ? 6 : 3;
    for (size_t c = 0; c < 3; c++) {
        part.center[c] = o->points[stride * i + c];
        part.size[c] = stride == 6 ? o->points[stride * i + 3 + c] : 0;
    }
    if (stride == 6)
        part.kind = PRM_OBSTACLE_BOX;
    return part;
}

/* Least distance of a segment to the triangle t: the distance of the triangle's point (u, v) to the
 * segment is convex, and so is the least over v of it. */
static double triangle_segment(const double (*t)[3], const double *a, const double *b)
{
    double u_from = 0, u_to = 1, least = INFINITY;
    for (int i = 0; i < TERNARY_STEPS; i++) {
        const double u[2] = {u_from + (u_to - u_from) / 3, u_to - (u_to - u_from) / 3};
        double found[2] = {INFINITY, INFINITY};
        for (int k = 0; k < 2; k++) {
            double from = 0, to = 1 - u[k];
            for (int j = 0; j < TERNARY_STEPS; j++) {
                const double v[2] = {from + (to - from) / 3, to - (to - from) / 3};
                double distance[2];
                for (int h = 0; h < 2; h++) {
                    double p[3];
                    for (int c = 0; c < 3; c++)
                        p[c] = t[0][c] + u[k] * (t[1][c] - t[0][c]) + v[h] * (t[2][c] - t[0][c]);
                    distance[h] = point_segment_in_space(p, a, b);
                }
                found[k] = fmin(found[k], fmin(distance[0], distance[1]));
                if (distance[0] <= distance[1])
                    to = v[1];
                else
                    from = v[0];
            }
        }
        least = fmin(least, fmin(found[0], found[1]));
        if (found[0] <= found[1])
            u_to = u[1];
        else
            u_from = u[0];
    }
    return least;
}

/* The least over all parts. */
static double many_segment(const struct prm_obstacle *o, const double *a, const double *b)
{
    double p[3], q[3], least = INFINITY;
    to_own(o, a, p);
    to_own(o, b, q);
    const uint32_t count = o->kind == PRM_OBSTACLE_MESH ? o->triangle_count : o->point_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct prm_obstacle part = part_of(o, o->kind == PRM_OBSTACLE_MESH ? 0 : i);
        double t[3][3];
        for (size_t k = 0; k < 3 && o->kind == PRM_OBSTACLE_MESH; k++)
            for (size_t c = 0; c < 3; c++)
                t[k][c] = o->points[3 * (size_t)o->triangles[3 * i + k] + c];
        least =
            fmin(least, o->kind == PRM_OBSTACLE_MESH ? triangle_segment((const double(*)[3])t, p, q)
                                                     : oracle_segment_distance(&part, p, q));
    }
    return least;
}

static double side(const double *a, const double *b, const double *p)
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

static double polygon_segment(const struct prm_obstacle *o, const double *a, const double *b)
{
    double least = INFINITY;
    bool inside = false;
    for (uint32_t i = 0; i < o->point_count; i++) {
        const double *c = o->points + 2 * i, *d = o->points + 2 * ((i + 1) % o->point_count);
        if ((side(a, b, c) < 0) != (side(a, b, d) < 0) &&
            (side(c, d, a) < 0) != (side(c, d, b) < 0))
            return 0;
        least = fmin(least, fmin(point_segment(c, a, b), point_segment(d, a, b)));
        least = fmin(least, fmin(point_segment(a, c, d), point_segment(b, c, d)));
        if ((c[1] > a[1]) != (d[1] > a[1]) &&
            a[0] < c[0] + (a[1] - c[1]) / (d[1] - c[1]) * (d[0] - c[0]))
            inside = !inside;
    }
    return inside ? 0 : least;
}

double oracle_segment_distance(const struct prm_obstacle *o, const double *a, const double *b)
{
    if (o->kind == PRM_OBSTACLE_POLYGON)
        return polygon_segment(o, a, b) - o->padding;
    if (o->kind == PRM_OBSTACLE_BOXES || o->kind == PRM_OBSTACLE_POINTS ||
        o->kind == PRM_OBSTACLE_MESH)
        return many_segment(o, a, b) - o->padding;
    double from = 0, to = 1, p[3], q[3];
    for (int i = 0; i < TERNARY_STEPS; i++) {
        const double t = from + (to - from) / 3, u = to - (to - from) / 3;
        for (int c = 0; c < 3; c++) {
            p[c] = a[c] + t * (b[c] - a[c]);
            q[c] = a[c] + u * (b[c] - a[c]);
        }
        if (point_distance(o, p) <= point_distance(o, q))
            to = u;
        else
            from = t;
    }
    for (int c = 0; c < 3; c++)
        p[c] = a[c] + from * (b[c] - a[c]);
    return fmin(point_distance(o, p), fmin(point_distance(o, a), point_distance(o, b))) -
           o->padding;
}

double oracle_segment_clearance(const struct prm_world_spec *spec, bool with_dynamic,
                                const double *a, const double *b)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < spec->obstacle_count; i++) {
        const struct prm_obstacle *o = &spec->obstacles[i];
        if (!o->disabled && (with_dynamic || !o->dynamic))
            least = fmin(least, oracle_segment_distance(o, a, b));
    }
    return least;
}

struct prm_obstacle oracle_random_obstacle(struct test_random *random, uint32_t dimension,
                                           const double *middle, double spread, double *points,
                                           uint32_t count)
{
    static const enum prm_obstacle_kind KINDS[2][4] = {
        {PRM_OBSTACLE_CIRCLE, PRM_OBSTACLE_RECTANGLE, PRM_OBSTACLE_POLYGON, PRM_OBSTACLE_RECTANGLE},
        {PRM_OBSTACLE_SPHERE, PRM_OBSTACLE_BOX, PRM_OBSTACLE_CYLINDER, PRM_OBSTACLE_CAPSULE}};
    struct prm_obstacle o = {.kind = KINDS[dimension - 2][test_random_below(random, 4)],
                             .radius = (double)test_random_f32(random, 0.1f, 2.0f),
                             .length = (double)test_random_f32(random, 0.0f, 3.0f),
                             .padding = test_random_below(random, 3) ? 0.0 : 0.2};
    double norm = 0;
    for (uint32_t c = 0; c < 4; c++) {
        if (c < dimension)
            o.center[c] = middle[c] + (double)test_random_f32(random, -1.0f, 1.0f) * spread;
        if (c < 3)
            o.size[c] = (double)test_random_f32(random, 0.01f, 4.0f);
        o.quaternion[c] =
            dimension == 2 && c < 2 ? 0.0 : (double)test_random_f32(random, -1.0f, 1.0f);
        norm += o.quaternion[c] * o.quaternion[c];
    }
    for (uint32_t c = 0; c < 4; c++)
        o.quaternion[c] /= sqrt(norm);
    for (uint32_t i = 0; o.kind == PRM_OBSTACLE_POLYGON && i < count; i++) {
        const double r = o.radius * (double)test_random_f32(random, 0.3f, 1.0f);
        points[2 * i] = o.center[0] + r * cos(2 * PI * i / count);
        points[2 * i + 1] = o.center[1] + r * sin(2 * PI * i / count);
    }
    o.points = points;
    o.point_count = count;
    return o;
}

/* Distances of points and segments to the solids of a world, in single precision.
 *
 * Segment distances never claim more than the truth by more than the rounding of the coordinates:
 * each is a minimum over sub-problems that are well conditioned at every angle (no cross products
 * of nearly parallel lines), so its error is a few units in the last place of the coordinates'
 * magnitude, which struct shape's `rounding` and the world's margin cover.
 *
 * Pure; compiled as C for the tests. Cost: 20 to 150 floating-point operations a solid.
 */
#ifndef KERNELS_GEOMETRY_H
#define KERNELS_GEOMETRY_H

#include "language.h"
#include "types.h"

/* Halvings that narrow an edge to one unit in the last place of its length. */
#define CYLINDER_HALVINGS 24
#define GEOMETRY_INFINITY 3.0e38f

/* Of long functions that take structs: devices inline them anyway, and checkers of kernels do not
 * know what compilers leave of structs that go from call to call. */
#define INLINED static inline __attribute__((always_inline))

struct vec3 {
    f32 x, y, z;
};

static inline struct vec3 vec3_make(f32 x, f32 y, f32 z)
{
    struct vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

static inline struct vec3 vec3_sub(struct vec3 a, struct vec3 b)
{
    return vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline f32 vec3_dot(struct vec3 a, struct vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline f32 vec3_length(struct vec3 a)
{
    return f32_sqrt(vec3_dot(a, a));
}

/* a + t (b - a) */
static inline struct vec3 vec3_mix(struct vec3 a, struct vec3 b, f32 t)
{
    return vec3_make(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z));
}

/* The greatest |coordinate|. */
static inline f32 vec3_reach(struct vec3 a)
{
    return f32_max(f32_max(f32_abs(a.x), f32_abs(a.y)), f32_abs(a.z));
}

static inline f32 f32_clamp(f32 x, f32 lower, f32 upper)
{
    return f32_min(f32_max(x, lower), upper);
}

/* How far x lies beyond [-half, half], with its sign. */
static inline f32 f32_beyond(f32 x, f32 half_size)
{
    return x > half_size ? x - half_size : (x < -half_size ? x + half_size : 0.0f);
}

/* Least distance of the origin to the segment a b. */
static inline f32 segment_origin_distance(struct vec3 a, struct vec3 b)
{
    const struct vec3 d = vec3_sub(b, a);
    const f32 dd = vec3_dot(d, d);
    const f32 t = dd > 0.0f ? f32_clamp(-vec3_dot(a, d) / dd, 0.0f, 1.0f) : 0.0f;
    return vec3_length(vec3_mix(a, b, t));
}

/* Least distance of the segment a b to the stretch from -half to half of the z axis: to its two
 * ends, and, over the part of the segment beside the stretch, to the axis itself. */
static inline f32 segment_axis_distance(struct vec3 a, struct vec3 b, f32 half_length)
{
    const struct vec3 top = vec3_make(0.0f, 0.0f, half_length);
    const struct vec3 bottom = vec3_make(0.0f, 0.0f, -half_length);
    const f32 ends = f32_min(segment_origin_distance(vec3_sub(a, top), vec3_sub(b, top)),
                             segment_origin_distance(vec3_sub(a, bottom), vec3_sub(b, bottom)));

    // the part with |z| <= half_length
    if (f32_min(a.z, b.z) > half_length || f32_max(a.z, b.z) < -half_length)
        return ends;
    f32 from = 0.0f, to = 1.0f;
    const f32 dz = b.z - a.z;
    if (dz != 0.0f) {
        const f32 s = (-half_length - a.z) / dz, t = (half_length - a.z) / dz;
        from = f32_clamp(f32_min(s, t), 0.0f, 1.0f);
        to = f32_clamp(f32_max(s, t), 0.0f, 1.0f);
    }
    struct vec3 p = vec3_mix(a, b, from), q = vec3_mix(a, b, to);
    p.z = q.z = 0.0f;
    return f32_min(ends, segment_origin_distance(p, q));
}

/* Half the derivative along d of the squared distance of p to the box. */
static inline f32 box_slope(struct vec3 p, struct vec3 d, struct vec3 half_size)
{
    return f32_beyond(p.x, half_size.x) * d.x + f32_beyond(p.y, half_size.y) * d.y +
           f32_beyond(p.z, half_size.z) * d.z;
}

static inline f32 box_outside_distance(struct vec3 p, struct vec3 half_size)
{
    return vec3_length(vec3_make(f32_beyond(p.x, half_size.x), f32_beyond(p.y, half_size.y),
                                 f32_beyond(p.z, half_size.z)));
}

/* Least distance of the segment a b to the box about the origin, 0 where they meet.
 *
 * The squared distance is convex and piecewise quadratic along the segment, with a break wherever a
 * coordinate passes a face: the breaks narrow the interval that holds the zero of its derivative
 * until the derivative is linear within. */
INLINED f32 segment_box_distance(struct vec3 a, struct vec3 b, struct vec3 half_size)
{
    const struct vec3 d = vec3_sub(b, a);
    const f32 origin[3] = {a.x, a.y, a.z};
    const f32 step[3] = {d.x, d.y, d.z};
    const f32 size[3] = {half_size.x, half_size.y, half_size.z};
    f32 from = 0.0f, to = 1.0f;
    f32 slope_from = box_slope(a, d, half_size);
    f32 slope_to = box_slope(b, d, half_size);

    // moving away at the start, or still nearing at the end
    if (slope_from >= 0.0f)
        return box_outside_distance(a, half_size);
    if (slope_to <= 0.0f)
        return box_outside_distance(b, half_size);

    for (int face = 0; face < 6; face++) {
        const int axis = face >> 1;
        const f32 plane = (face & 1) ? size[axis] : -size[axis];
        if (step[axis] == 0.0f)
            continue;
        const f32 t = (plane - origin[axis]) / step[axis];
        if (t > from && t < to) {
            const f32 slope = box_slope(vec3_mix(a, b, t), d, half_size);
            if (slope < 0.0f) {
                from = t;
                slope_from = slope;
            } else {
                to = t;
                slope_to = slope;
            }
        }
    }
    const f32 rise = slope_to - slope_from;
    const f32 least = rise > 0.0f ? from - slope_from * ((to - from) / rise) : from;
    return box_outside_distance(vec3_mix(a, b, f32_clamp(least, from, to)), half_size);
}

/* Distance of p to the solid cylinder about the z axis, 0 inside. */
static inline f32 cylinder_outside_distance(struct vec3 p, f32 radius, f32 half_length)
{
    const f32 side = f32_max(f32_sqrt(p.x * p.x + p.y * p.y) - radius, 0.0f);
    const f32 end = f32_max(f32_abs(p.z) - half_length, 0.0f);
    return f32_sqrt(side * side + end * end);
}

/* A number not above the least distance of the segment a b to the solid cylinder about the z axis,
 * and on the same side of `enough` as that distance: the interval that holds the minimum of the
 * convex distance is halved by the sign of its derivative; within it no point is nearer than the
 * nearer end less half its length (the distance changes by at most the way gone). */
static inline f32 segment_cylinder_distance(struct vec3 a, struct vec3 b, f32 radius,
                                            f32 half_length, f32 enough)
{
    const struct vec3 d = vec3_sub(b, a);
    const f32 length = vec3_length(d);
    f32 from = 0.0f, to = 1.0f;
    f32 at_from = cylinder_outside_distance(a, radius, half_length);
    f32 at_to = cylinder_outside_distance(b, radius, half_length);

    for (int i = 0; i < CYLINDER_HALVINGS; i++) {
        const f32 bound = 0.5f * (at_from + at_to - length * (to - from));
        if (bound > enough)
            return bound;
        if (f32_min(at_from, at_to) <= enough)
            return f32_min(at_from, at_to);

        // the derivative's sign at the middle tells which half holds the minimum
        const f32 middle = 0.5f * (from + to);
        const struct vec3 p = vec3_mix(a, b, middle);
        const f32 rho = f32_sqrt(p.x * p.x + p.y * p.y);
        const f32 side = f32_max(rho - radius, 0.0f);
        const f32 around = rho > 0.0f ? side * ((p.x * d.x + p.y * d.y) / rho) : 0.0f;
        const f32 slope = around + f32_beyond(p.z, half_length) * d.z;
        const f32 value = cylinder_outside_distance(p, radius, half_length);
        if (slope < 0.0f) {
            from = middle;
            at_from = value;
        } else {
            to = middle;
            at_to = value;
        }
    }
    return f32_max(0.5f * (at_from + at_to - length * (to - from)), 0.0f);
}

/* Twice the signed area of the triangle o p q in the plane. */
static inline f32 plane_cross(struct vec3 o, struct vec3 p, struct vec3 q)
{
    return (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x);
}

/* Least distance of two segments of the plane z = 0. Where rounding hides that they cross, an end
 * of one is within that rounding of the other, so the four distances of ends see it. */
INLINED f32 segment_segment_distance(struct vec3 a, struct vec3 b, struct vec3 c, struct vec3 d)
{
    const f32 c_side = plane_cross(a, b, c), d_side = plane_cross(a, b, d);
    const f32 a_side = plane_cross(c, d, a), b_side = plane_cross(c, d, b);
    if ((c_side > 0.0f) != (d_side > 0.0f) && (a_side > 0.0f) != (b_side > 0.0f))
        return 0.0f;
    const f32 first = f32_min(segment_origin_distance(vec3_sub(a, c), vec3_sub(b, c)),
                              segment_origin_distance(vec3_sub(a, d), vec3_sub(b, d)));
    const f32 second = f32_min(segment_origin_distance(vec3_sub(c, a), vec3_sub(d, a)),
                               segment_origin_distance(vec3_sub(c, b), vec3_sub(d, b)));
    return f32_min(first, second);
}

/* Whether p lies inside the polygon, by the parity of the edges to its right. Near the boundary
 * rounding may decide; callers take the distance to the boundary as well. edges: [count]. */
static inline int polygon_holds(GLOBAL const struct segment2 *edges, u32 count, struct vec3 p)
{
    int inside = 0;
    for (u32 i = 0; i < count; i++) {
        const f32 x0 = edges[i].x0, y0 = edges[i].y0, x1 = edges[i].x1, y1 = edges[i].y1;
        if ((y0 > p.y) != (y1 > p.y) && p.x < x0 + (p.y - y0) / (y1 - y0) * (x1 - x0))
            inside = !inside;
    }
    return inside;
}

/* Least distance of the segment a b of the plane to the solid polygon, 0 where they meet. */
static inline f32 segment_polygon_distance(GLOBAL const struct segment2 *edges, u32 count,
                                           struct vec3 a, struct vec3 b)
{
    f32 least = polygon_holds(edges, count, a) ? 0.0f : GEOMETRY_INFINITY;
    for (u32 i = 0; i < count && least > 0.0f; i++) {
        const struct vec3 c = vec3_make(edges[i].x0, edges[i].y0, 0.0f);
        const struct vec3 d = vec3_make(edges[i].x1, edges[i].y1, 0.0f);
        least = f32_min(least, segment_segment_distance(a, b, c, d));
    }
    return least;
}

/* Twice the area of the triangle that the side from a to b of a plane triangle makes with p, over
 * the side's length: p's height over the side, > 0 inside. */
static inline f32 side_height(f32 ax, f32 ay, f32 bx, f32 by, struct vec3 p)
{
    const f32 ex = bx - ax, ey = by - ay;
    return (ex * (p.y - ay) - ey * (p.x - ax)) / f32_sqrt(ex * ex + ey * ey);
}

/* Whether the foot of p is in the open triangle. corner: as in struct shape's half_size. */
static inline int triangle_holds(struct vec3 corner, struct vec3 p)
{
    const f32 half_side = corner.x, x = corner.y, y = corner.z;
    return p.y > 0.0f && side_height(half_side, 0.0f, x, y, p) > 0.0f &&
           side_height(x, y, -half_side, 0.0f, p) > 0.0f;
}

/* Least distance of the segment a b, over the part of it beside the side from c to d of a plane
 * triangle, to the side's line; infinite where no part is beside it. */
INLINED f32 segment_side_distance(struct vec3 a, struct vec3 b, f32 cx, f32 cy, f32 dx, f32 dy)
{
    const f32 ex = dx - cx, ey = dy - cy;
    const f32 length = f32_sqrt(ex * ex + ey * ey);
    const f32 ux = ex / length, uy = ey / length;
    const f32 a_along = ux * (a.x - cx) + uy * (a.y - cy);
    const f32 b_along = ux * (b.x - cx) + uy * (b.y - cy);
    if (f32_min(a_along, b_along) > length || f32_max(a_along, b_along) < 0.0f)
        return GEOMETRY_INFINITY;

    f32 from = 0.0f, to = 1.0f;
    const f32 step = b_along - a_along;
    if (step != 0.0f) {
        const f32 s = -a_along / step, t = (length - a_along) / step;
        from = f32_clamp(f32_min(s, t), 0.0f, 1.0f);
        to = f32_clamp(f32_max(s, t), 0.0f, 1.0f);
    }
    const struct vec3 p = vec3_mix(a, b, from), q = vec3_mix(a, b, to);
    return segment_origin_distance(vec3_make(ux * (p.y - cy) - uy * (p.x - cx), p.z, 0.0f),
                                   vec3_make(ux * (q.y - cy) - uy * (q.x - cx), q.z, 0.0f));
}

/* Least distance of the segment a b to the triangle in the plane z = 0, 0 where they meet. Where
 * the least is not at a side or corner, it is where the segment crosses the plane or at one of its
 * ends. Where rounding hides that it crosses the triangle, it does so within that rounding of a
 * side. corner: as in struct shape's half_size. */
INLINED f32 segment_triangle_distance(struct vec3 a, struct vec3 b, struct vec3 corner)
{
    const f32 x[3] = {-corner.x, corner.x, corner.y}, y[3] = {0.0f, 0.0f, corner.z};
    f32 least = GEOMETRY_INFINITY;

    // the face
    if ((a.z > 0.0f) != (b.z > 0.0f) && triangle_holds(corner, vec3_mix(a, b, a.z / (a.z - b.z))))
        return 0.0f;
    if (triangle_holds(corner, a))
        least = f32_abs(a.z);
    if (triangle_holds(corner, b))
        least = f32_min(least, f32_abs(b.z));

    // corners and sides
    for (int i = 0; i < 3; i++) {
        const int next = i < 2 ? i + 1 : 0;
        const struct vec3 c = vec3_make(x[i], y[i], 0.0f);
        least = f32_min(least, segment_origin_distance(vec3_sub(a, c), vec3_sub(b, c)));
        least = f32_min(least, segment_side_distance(a, b, x[i], y[i], x[next], y[next]));
    }
    return least;
}

/* Squared distance of p to the side from c to d of a plane triangle. */
static inline f32 side_distance_squared(struct vec3 p, f32 cx, f32 cy, f32 dx, f32 dy)
{
    const f32 ex = dx - cx, ey = dy - cy, x = p.x - cx, y = p.y - cy;
    const f32 along = f32_clamp((ex * x + ey * y) / (ex * ex + ey * ey), 0.0f, 1.0f);
    const struct vec3 rest = vec3_make(x - along * ex, y - along * ey, p.z);
    return vec3_dot(rest, rest);
}

/* Distance of p to the triangle in the plane z = 0. corner: as in struct shape's half_size. */
static inline f32 triangle_distance(struct vec3 p, struct vec3 corner)
{
    const f32 half_side = corner.x, x = corner.y, y = corner.z;
    if (triangle_holds(corner, p))
        return f32_abs(p.z);
    const f32 first = side_distance_squared(p, -half_side, 0.0f, half_side, 0.0f);
    const f32 second = side_distance_squared(p, half_side, 0.0f, x, y);
    const f32 third = side_distance_squared(p, x, y, -half_side, 0.0f);
    return f32_sqrt(f32_min(first, f32_min(second, third)));
}

/* p of the local frame in the shape's own frame. */
static inline struct vec3 shape_own(GLOBAL const struct shape *shape, struct vec3 p)
{
    GLOBAL const f32 *m = shape->rotation;
    const struct vec3 d =
        vec3_make(p.x - shape->center[0], p.y - shape->center[1], p.z - shape->center[2]);
    return vec3_make(m[0] * d.x + m[3] * d.y + m[6] * d.z, m[1] * d.x + m[4] * d.y + m[7] * d.z,
                     m[2] * d.x + m[5] * d.y + m[8] * d.z);
}

/* A certified lower bound of the distance of the segment a b to the bare shape (no padding): the
 * computed distance less the rounding of its computation. Zero or less where they may meet. Beyond
 * `enough` it need only be beyond. polygons: the table of polygon edges. Not for grids and fields.
 */
static inline f32 shape_segment_distance(GLOBAL const struct shape *shape,
                                         GLOBAL const struct segment2 *polygons, struct vec3 a,
                                         struct vec3 b, f32 enough)
{
    const struct vec3 p = shape_own(shape, a), q = shape_own(shape, b);
    const f32 rounding = shape->rounding * f32_max(vec3_reach(p), vec3_reach(q));
    f32 distance;

    switch (shape->kind) {
    case SHAPE_SPHERE:
        distance = segment_origin_distance(p, q) - shape->radius;
        break;
    case SHAPE_CAPSULE:
        distance = segment_axis_distance(p, q, shape->half_size[2]) - shape->radius;
        break;
    case SHAPE_CYLINDER:
        distance =
            segment_cylinder_distance(p, q, shape->radius, shape->half_size[2], enough + rounding);
        break;
    case SHAPE_BOX:
        distance = segment_box_distance(
            p, q, vec3_make(shape->half_size[0], shape->half_size[1], shape->half_size[2]));
        break;
    case SHAPE_TRIANGLE:
        // most are beyond the ball about it
        distance = segment_origin_distance(p, q) - shape->radius;
        if (distance <= enough + rounding)
            distance = segment_triangle_distance(
                p, q, vec3_make(shape->half_size[0], shape->half_size[1], shape->half_size[2]));
        break;
    default:
        distance = segment_polygon_distance(polygons + shape->first, shape->count, p, q);
        break;
    }
    return distance - rounding;
}

/* Signed distance of a point to a box of half sizes (x, y, z): negative inside. */
static inline f32 box_signed_distance(f32 x, f32 y, f32 z)
{
    const f32 inside = f32_min(f32_max(f32_max(x, y), z), 0.0f);
    return inside + vec3_length(vec3_make(f32_max(x, 0.0f), f32_max(y, 0.0f), f32_max(z, 0.0f)));
}

/* Signed distance of the point p to the bare shape: negative inside, the depth to the surface; a
 * triangle has no inside. Not for grids and fields. */
static inline f32 shape_point_distance(GLOBAL const struct shape *shape,
                                       GLOBAL const struct segment2 *polygons, struct vec3 p)
{
    const struct vec3 q = shape_own(shape, p);

    switch (shape->kind) {
    case SHAPE_SPHERE:
        return vec3_length(q) - shape->radius;
    case SHAPE_CAPSULE:
        return vec3_length(vec3_make(q.x, q.y, f32_beyond(q.z, shape->half_size[2]))) -
               shape->radius;
    case SHAPE_CYLINDER:
        return box_signed_distance(f32_sqrt(q.x * q.x + q.y * q.y) - shape->radius,
                                   f32_abs(q.z) - shape->half_size[2], -GEOMETRY_INFINITY);
    case SHAPE_BOX:
        return box_signed_distance(f32_abs(q.x) - shape->half_size[0],
                                   f32_abs(q.y) - shape->half_size[1],
                                   f32_abs(q.z) - shape->half_size[2]);
    case SHAPE_TRIANGLE:
        return triangle_distance(
            q, vec3_make(shape->half_size[0], shape->half_size[1], shape->half_size[2]));
    default:
        break;
    }

    // polygon: the nearest of its edges, signed by the side
    GLOBAL const struct segment2 *edges = polygons + shape->first;
    f32 least = GEOMETRY_INFINITY;
    for (u32 i = 0; i < shape->count; i++) {
        const struct vec3 c = vec3_make(edges[i].x0 - q.x, edges[i].y0 - q.y, 0.0f);
        const struct vec3 d = vec3_make(edges[i].x1 - q.x, edges[i].y1 - q.y, 0.0f);
        least = f32_min(least, segment_origin_distance(c, d));
    }
    return polygon_holds(edges, shape->count, q) ? -least : least;
}

#endif

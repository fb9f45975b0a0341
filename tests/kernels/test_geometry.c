/* Goal: the certified distance of a segment to a solid is never above the true one, and not far
 * below it; the signed distance of a point is right. Method: random solids and segments of many
 * scales, turned and straight, far, near and touching, degenerate ones among them; both sides get
 * the same float32 numbers. Oracle: double precision. Convex solids: ternary search over the
 * segment of the distance of a point. Polygons: the least over all edges of segment to segment, and
 * parity. Triangles of all forms, slivers among them, crossed in the middle, at sides and corners.
 */
#include "kernels/geometry.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENTS = 100000, POLYGON_EDGES = 7, TERNARY_STEPS = 80 };
#define PI 3.14159265358979323846
#define UNIT 5.9604644775390625e-8f

struct point {
    double x, y, z;
};

static struct point mix(struct point a, struct point b, double t)
{
    return (struct point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

/* The point in the shape's own frame. */
static struct point own(const struct shape *s, struct vec3 p)
{
    const double d[3] = {(double)p.x - s->center[0], (double)p.y - s->center[1],
                         (double)p.z - s->center[2]};
    double q[3];
    for (int c = 0; c < 3; c++)
        q[c] = s->rotation[c] * d[0] + s->rotation[3 + c] * d[1] + s->rotation[6 + c] * d[2];
    return (struct point){q[0], q[1], q[2]};
}

static double beyond(double x, double half_size)
{
    return fmax(fabs(x) - half_size, 0.0);
}

/* Distance to the side of a triangle from (cx, cy) to (dx, dy) of the plane z = 0. */
static double side_distance(struct point p, double cx, double cy, double dx, double dy)
{
    const double ex = dx - cx, ey = dy - cy;
    const double along = ((p.x - cx) * ex + (p.y - cy) * ey) / (ex * ex + ey * ey);
    const double t = fmin(fmax(along, 0.0), 1.0);
    return hypot(hypot(p.x - cx - t * ex, p.y - cy - t * ey), p.z);
}

static double triangle_point(const struct shape *s, struct point p)
{
    const double h = (double)s->half_size[0], x = (double)s->half_size[1],
                 y = (double)s->half_size[2];
    if (p.y >= 0 && (x - h) * p.y - y * (p.x - h) >= 0 && (x + h) * p.y - y * (p.x + h) <= 0)
        return fabs(p.z);
    return fmin(side_distance(p, -h, 0, h, 0),
                fmin(side_distance(p, h, 0, x, y), side_distance(p, x, y, -h, 0)));
}

/* Distance of a point to a convex solid, not below -radius. */
static double solid_distance(const struct shape *s, struct point p)
{
    switch (s->kind) {
    case SHAPE_SPHERE:
        return sqrt(p.x * p.x + p.y * p.y + p.z * p.z) - (double)s->radius;
    case SHAPE_CAPSULE:
        return hypot(hypot(p.x, p.y), beyond(p.z, (double)s->half_size[2])) - (double)s->radius;
    case SHAPE_CYLINDER:
        return hypot(fmax(hypot(p.x, p.y) - (double)s->radius, 0.0),
                     beyond(p.z, (double)s->half_size[2]));
    case SHAPE_TRIANGLE:
        return triangle_point(s, p);
    default:
        return hypot(
            hypot(beyond(p.x, (double)s->half_size[0]), beyond(p.y, (double)s->half_size[1])),
            beyond(p.z, (double)s->half_size[2]));
    }
}

static double convex_least(const struct shape *s, struct point a, struct point b)
{
    double from = 0.0, to = 1.0;
    for (int i = 0; i < TERNARY_STEPS; i++) {
        const double t = from + (to - from) / 3, u = to - (to - from) / 3;
        if (solid_distance(s, mix(a, b, t)) <= solid_distance(s, mix(a, b, u)))
            to = u;
        else
            from = t;
    }
    return fmin(solid_distance(s, mix(a, b, from)),
                fmin(solid_distance(s, a), solid_distance(s, b)));
}

static double point_segment(struct point p, struct point a, struct point b)
{
    const double dx = b.x - a.x, dy = b.y - a.y, dd = dx * dx + dy * dy;
    double t = dd > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / dd : 0.0;
    t = fmin(fmax(t, 0.0), 1.0);
    return hypot(a.x + t * dx - p.x, a.y + t * dy - p.y);
}

static double side(struct point a, struct point b, struct point p)
{
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

static struct point corner(float x, float y)
{
    return (struct point){(double)x, (double)y, 0.0};
}

/* Signed: negative where p is inside. */
static double polygon_point(const struct segment2 *edges, int count, struct point p)
{
    double least = INFINITY;
    bool inside = false;
    for (int i = 0; i < count; i++) {
        const struct point c = corner(edges[i].x0, edges[i].y0),
                           d = corner(edges[i].x1, edges[i].y1);
        least = fmin(least, point_segment(p, c, d));
        if ((c.y > p.y) != (d.y > p.y) && p.x < c.x + (p.y - c.y) / (d.y - c.y) * (d.x - c.x))
            inside = !inside;
    }
    return inside ? -least : least;
}

static double polygon_least(const struct segment2 *edges, int count, struct point a, struct point b)
{
    double least =
        fmin(fmax(polygon_point(edges, count, a), 0.0), fmax(polygon_point(edges, count, b), 0.0));
    for (int i = 0; i < count; i++) {
        const struct point c = corner(edges[i].x0, edges[i].y0),
                           d = corner(edges[i].x1, edges[i].y1);
        if (side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0 &&
            (side(a, b, c) != 0 || side(a, b, d) != 0))
            return 0.0;
        least = fmin(least, fmin(point_segment(c, a, b), point_segment(d, a, b)));
        least = fmin(least, fmin(point_segment(a, c, d), point_segment(b, c, d)));
    }
    return least;
}

/* Length over several orders of magnitude. */
static float scale(struct test_random *random)
{
    return powf(10.0f, test_random_f32(random, -2.0f, 1.5f));
}

static void turn(struct shape *s, struct test_random *random, bool planar)
{
    double q[4], norm = 0.0;
    for (int c = 0; c < 4; c++) {
        q[c] = planar && c < 2 ? 0.0 : (double)test_random_f32(random, -1.0f, 1.0f);
        norm += q[c] * q[c];
    }
    norm = sqrt(norm);
    const double x = q[0] / norm, y = q[1] / norm, z = q[2] / norm, w = q[3] / norm;
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                         2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                         2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++)
        s->rotation[i] = (float)m[i];
}

/* A random solid; every third stands straight. polygon: its edges, POLYGON_EDGES of a star. */
static struct shape random_shape(struct test_random *random, u32 kind, struct segment2 *polygon)
{
    struct shape s = {.kind = kind, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .rounding = 16 * UNIT};
    const float reach = scale(random);
    for (int c = 0; c < 3; c++)
        s.center[c] = test_random_f32(random, -50.0f, 50.0f);
    if (kind == SHAPE_POLYGON)
        s.center[2] = 0.0f;
    else if (kind != SHAPE_SPHERE && test_random_below(random, 3) > 0) {
        turn(&s, random, false);
        s.rounding = 28 * UNIT;
    }
    s.radius = kind == SHAPE_BOX ? 0.0f : reach;
    for (int c = 0; c < 3; c++)
        s.half_size[c] = scale(random);

    float x[POLYGON_EDGES], y[POLYGON_EDGES];
    for (int i = 0; i < POLYGON_EDGES; i++) {
        const float r = reach * test_random_f32(random, 0.3f, 1.0f);
        x[i] = r * (float)cos(2 * PI * i / POLYGON_EDGES);
        y[i] = r * (float)sin(2 * PI * i / POLYGON_EDGES);
    }
    if (kind == SHAPE_TRIANGLE) {
        // every fourth is a sliver; the third corner is within reach of the longest side
        const float height = test_random_below(random, 4) ? 1.0f : 1e-4f;
        s.half_size[1] = s.half_size[0] * test_random_f32(random, -1.0f, 1.0f);
        s.half_size[2] = s.half_size[0] * height * test_random_f32(random, 0.01f, 1.0f);
        s.radius = nextafterf(hypotf(s.half_size[0], s.half_size[2]), INFINITY);
        s.rounding = 52 * UNIT;
    }

    s.count = POLYGON_EDGES;
    for (int i = 0; i < POLYGON_EDGES; i++) {
        const int j = (i + 1) % POLYGON_EDGES;
        polygon[i] = (struct segment2){x[i], y[i], x[j], y[j]};
    }
    return s;
}

/* An end: near the solid, or anywhere. */
static struct vec3 random_end(struct test_random *random, const struct shape *s)
{
    float spread = 100.0f;
    if (test_random_below(random, 3) > 0)
        spread = 2.0f * (s->radius + s->half_size[test_random_below(random, 3)]);
    struct vec3 p = vec3_make(s->center[0] + test_random_f32(random, -spread, spread),
                              s->center[1] + test_random_f32(random, -spread, spread),
                              s->center[2] + test_random_f32(random, -spread, spread));
    if (s->kind == SHAPE_POLYGON)
        p.z = 0.0f;
    return p;
}

/* The other end: anywhere, or the first moved along one axis, a hair's breadth, or not at all. */
static struct vec3 random_other(struct test_random *random, const struct shape *s, struct vec3 a)
{
    struct vec3 b = random_end(random, s);
    switch (test_random_below(random, 8)) {
    case 0:
        b.x = a.x;
        b.y = a.y;
        break;
    case 1:
        b.y = a.y;
        b.z = a.z;
        break;
    case 2:
        b = vec3_make(a.x * (1 + 3 * UNIT), a.y, a.z);
        break;
    case 3:
        b = a;
        break;
    default:
        break;
    }
    return b;
}

static void segments_of(u32 kind)
{
    struct test_random random = {kind + 1};
    struct segment2 polygon[POLYGON_EDGES];
    unsigned hits = 0, near = 0;

    for (int i = 0; i < SEGMENTS; i++) {
        const struct shape s = random_shape(&random, kind, polygon);
        const struct vec3 a = random_end(&random, &s), b = random_other(&random, &s, a);
        const float enough = test_random_below(&random, 2) ? 0.0f : s.half_size[0];
        const float got = shape_segment_distance(&s, polygon, a, b, enough);

        const struct point p = own(&s, a), q = own(&s, b);
        const double is = kind == SHAPE_POLYGON ? polygon_least(polygon, POLYGON_EDGES, p, q)
                                                : convex_least(&s, p, q);
        const double reach = fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z)) +
                             fmax(fmax(fabs(q.x), fabs(q.y)), fabs(q.z));
        const double slack = 4 * (double)s.rounding * reach + 1e-30;
        hits += is <= 0;
        near += is > 0 && is < 1;

        // what is called farther than `enough` is so, and at least as far as it is called
        if (got > enough && !((double)got <= is))
            fail_msg("kind %u segment %d: %.9g is above %.9g", kind, i, (double)got, is);
        // what is not called farther is not, but for rounding
        if (got <= enough && !(is <= (double)enough + slack))
            fail_msg("kind %u segment %d: %.9g is not within %g", kind, i, is, (double)enough);
        // and the number is not far below; a triangle's where it is asked for
        const float full = kind == SHAPE_TRIANGLE
                               ? shape_segment_distance(&s, polygon, a, b, GEOMETRY_INFINITY)
                               : got;
        if (got > enough && kind != SHAPE_CYLINDER && !((double)full >= is - slack))
            fail_msg("kind %u segment %d: %.9g is far below %.9g", kind, i, (double)full, is);
        if (kind == SHAPE_TRIANGLE && !((double)full <= is))
            fail_msg("triangle, segment %d: %.9g is above %.9g", i, (double)full, is);
    }
    // the cases must be of all sorts; triangles_are_not_passed aims at triangles
    assert_true(hits > SEGMENTS / 100 || kind == SHAPE_TRIANGLE);
    assert_true(near > SEGMENTS / 100);
}

static void segments_are_never_farther_than_they_are(void **state)
{
    (void)state;
    for (u32 kind = SHAPE_SPHERE; kind <= SHAPE_TRIANGLE; kind++)
        segments_of(kind);
}

/* Segments through a triangle, aimed at its inside, its sides and its corners, at every angle, are
 * never told from it. */
static void triangles_are_not_passed(void **state)
{
    struct test_random random = {77};
    (void)state;

    for (int i = 0; i < SEGMENTS; i++) {
        struct segment2 unused[POLYGON_EDGES];
        const struct shape s = random_shape(&random, SHAPE_TRIANGLE, unused);
        // a place by its weights: every third is on a side, every sixth a corner
        double w[3], sum = 0.0, at[3], from[3], to[3];
        for (int k = 0; k < 3; k++) {
            w[k] = (double)test_random_f32(&random, 0.0f, 1.0f);
            if (k < 2 && (i / (k + 1)) % 3 == 0)
                w[k] = 0.0;
            sum += w[k];
        }
        const double h = (double)s.half_size[0], x = (double)s.half_size[1],
                     y = (double)s.half_size[2];
        const double own_at[3] = {(h * (w[1] - w[0]) + x * w[2]) / sum, y * w[2] / sum, 0.0};
        const double along = pow(10.0, (double)test_random_f32(&random, -6.0f, 0.0f));
        const double way[3] = {(double)test_random_f32(&random, -1.0f, 1.0f),
                               (double)test_random_f32(&random, -1.0f, 1.0f),
                               along * (double)test_random_f32(&random, -1.0f, 1.0f)};
        const double before = (double)scale(&random), after = (double)scale(&random);
        for (int c = 0; c < 3; c++) {
            const float *m = s.rotation + (ptrdiff_t)3 * c;
            const double turned =
                (double)m[0] * way[0] + (double)m[1] * way[1] + (double)m[2] * way[2];
            at[c] = (double)s.center[c] + (double)m[0] * own_at[0] + (double)m[1] * own_at[1];
            from[c] = at[c] - before * turned;
            to[c] = at[c] + after * turned;
        }
        const struct vec3 a = vec3_make((f32)from[0], (f32)from[1], (f32)from[2]);
        const struct vec3 b = vec3_make((f32)to[0], (f32)to[1], (f32)to[2]);
        // the ends' own rounding, which the world's margin covers
        const float margin =
            3 * UNIT * (vec3_reach(a) > vec3_reach(b) ? vec3_reach(a) : vec3_reach(b));
        const float got = shape_segment_distance(&s, unused, a, b, margin);
        if (got > margin)
            fail_msg("segment %d: %.9g, but it goes through", i, (double)got);
    }
}

/* Signed distance of a point to the surface of a box-like region: outside or depth. */
static double signed_box(double x, double y, double z)
{
    return fmin(fmax(fmax(x, y), z), 0.0) + hypot(hypot(fmax(x, 0), fmax(y, 0)), fmax(z, 0));
}

static void points_are_signed(void **state)
{
    struct test_random random = {9};
    struct segment2 polygon[POLYGON_EDGES];
    (void)state;

    for (int i = 0; i < SEGMENTS; i++) {
        const struct shape s = random_shape(&random, (u32)i % 6, polygon);
        const struct vec3 p = random_end(&random, &s);
        const struct point q = own(&s, p);
        double is = solid_distance(&s, q);
        if (s.kind == SHAPE_BOX)
            is = signed_box(fabs(q.x) - s.half_size[0], fabs(q.y) - s.half_size[1],
                            fabs(q.z) - s.half_size[2]);
        if (s.kind == SHAPE_CYLINDER)
            is = signed_box(hypot(q.x, q.y) - (double)s.radius, fabs(q.z) - s.half_size[2], -1e30);
        if (s.kind == SHAPE_POLYGON)
            is = polygon_point(polygon, POLYGON_EDGES, q);
        const double got = (double)shape_point_distance(&s, polygon, p);
        const double tolerance = 2e-6 * (fabs(q.x) + fabs(q.y) + fabs(q.z) + 1);
        if (!(fabs(got - is) <= tolerance))
            fail_msg("kind %u point %d: %.9g is not %.9g", s.kind, i, got, is);
    }
}

/* Worked by hand: unit ball, unit cube, can and pill about the origin, a square of side 2. */
static void known_distances(void **state)
{
    static const struct segment2 SQUARE[4] = {
        {-1, -1, 1, -1}, {1, -1, 1, 1}, {1, 1, -1, 1}, {-1, 1, -1, -1}};
    static const struct {
        u32 kind;
        struct vec3 a, b;
        float distance;
    } CASES[] = {
        {SHAPE_SPHERE, {-5, 3, 0}, {5, 3, 0}, 2},
        {SHAPE_SPHERE, {-5, 1, 0}, {5, 1, 0}, 0},
        {SHAPE_BOX, {-5, 3, 0}, {5, 3, 0}, 2},
        {SHAPE_BOX, {2, 1, 1}, {1, 2, 1}, 0.70710678f},
        {SHAPE_BOX, {-5, 0.5f, 0}, {5, 0.5f, 0}, 0},
        {SHAPE_CYLINDER, {-5, 0, 4}, {5, 0, 4}, 3},
        {SHAPE_CYLINDER, {3, -5, 0}, {3, 5, 0}, 2},
        {SHAPE_CYLINDER, {2, -1, 2}, {2, 1, 2}, 1.41421356f},
        {SHAPE_CAPSULE, {-5, 0, 4}, {5, 0, 4}, 2},
        {SHAPE_CAPSULE, {3, 0, -9}, {3, 0, 9}, 2},
        {SHAPE_POLYGON, {-5, 3, 0}, {5, 3, 0}, 2},
        {SHAPE_POLYGON, {0, 0, 0}, {0.1f, 0, 0}, 0},
        {SHAPE_POLYGON, {1, 5, 0}, {1, 1, 0}, 0},
        // corners (-1, 0, 0), (1, 0, 0), (1, 1, 0)
        {SHAPE_TRIANGLE, {0.5f, 0.2f, -3}, {0.5f, 0.2f, 3}, 0},
        {SHAPE_TRIANGLE, {0.5f, 0.2f, 3}, {0.5f, 0.2f, 0.25f}, 0.25f},
        {SHAPE_TRIANGLE, {-5, -2, 0}, {5, -2, 0}, 2},
        {SHAPE_TRIANGLE, {-5, 0.5f, 0}, {5, 0.5f, 0}, 0},
        {SHAPE_TRIANGLE, {3, 1, -1}, {3, 1, 1}, 2},
    };
    (void)state;

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const struct shape s = {.kind = CASES[i].kind,
                                .radius = CASES[i].kind == SHAPE_TRIANGLE ? 1.5f : 1.0f,
                                .half_size = {1, 1, 1},
                                .count = 4,
                                .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        const float got =
            shape_segment_distance(&s, SQUARE, CASES[i].a, CASES[i].b, CASES[i].distance - 1e-3f);
        assert_float_equal(got, CASES[i].distance, 1.1e-3f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_distances),
        cmocka_unit_test(segments_are_never_farther_than_they_are),
        cmocka_unit_test(triangles_are_not_passed),
        cmocka_unit_test(points_are_signed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: the bound of a field is never above the true distance to the cubes taken, and not far below
 * it; points and segments are told clear exactly when they are, but for rounding. Method: random
 * sets of cubes in small arrays, straight and turned; places inside, at the border and far outside;
 * long and short segments, of no length too. Oracle: double precision over all cubes taken, by
 * ternary search along segments. */
#include "kernels/field.h"
#include "kernels/voxels.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>

enum { FIELDS = 60, POINTS = 2000, SEGMENTS = 400, TERNARY_STEPS = 60, SIDE_MAX = 17 };
#define UNIT 5.9604644775390625e-8

struct fixture {
    struct field field;
    int cubes[64][3], count;
    float values[SIDE_MAX * SIDE_MAX * SIDE_MAX];
};

static double beyond(double x, double from, double to)
{
    return fmax(fmax(from - x, x - to), 0.0);
}

/* Distance in edges of a place to a closed cube. */
static double cube_distance(const double *p, const int *cube)
{
    return hypot(hypot(beyond(p[0], cube[0], cube[0] + 1), beyond(p[1], cube[1], cube[1] + 1)),
                 beyond(p[2], cube[2], cube[2] + 1));
}

static double point_least(const struct fixture *f, const double *p)
{
    double least = INFINITY;
    for (int i = 0; i < f->count; i++)
        least = fmin(least, cube_distance(p, f->cubes[i]));
    return least;
}

static double segment_least(const struct fixture *f, const double *a, const double *b)
{
    double least = fmin(point_least(f, a), point_least(f, b));
    for (int i = 0; i < f->count; i++) {
        double from = 0.0, to = 1.0, at[2][3], distance[2];
        for (int step = 0; step < TERNARY_STEPS; step++) {
            const double t[2] = {from + (to - from) / 3, to - (to - from) / 3};
            for (int k = 0; k < 2; k++) {
                for (int c = 0; c < 3; c++)
                    at[k][c] = a[c] + t[k] * (b[c] - a[c]);
                distance[k] = cube_distance(at[k], f->cubes[i]);
            }
            if (distance[0] <= distance[1])
                to = t[1];
            else
                from = t[0];
        }
        least = fmin(least, fmin(distance[0], distance[1]));
    }
    return least;
}

/* A place in edges, in double precision. */
static void place_of(const struct fixture *f, struct vec3 p, double *at)
{
    const struct field *field = &f->field;
    const double d[3] = {(double)p.x - (double)field->center[0],
                         (double)p.y - (double)field->center[1],
                         (double)p.z - (double)field->center[2]};
    for (int c = 0; c < 3; c++) {
        at[c] = 0.0;
        for (int k = 0; k < 3; k++)
            at[c] += (double)field->rotation[3 * k + c] * d[k];
        at[c] = at[c] / (double)field->edge + field->size[c] / 2.0;
    }
}

/* And back. */
static struct vec3 point_at(const struct fixture *f, const double *at)
{
    double p[3];
    for (int c = 0; c < 3; c++) {
        p[c] = (double)f->field.center[c];
        for (int k = 0; k < 3; k++)
            p[c] += (double)f->field.rotation[3 * c + k] * (at[k] - f->field.size[k] / 2.0) *
                    (double)f->field.edge;
    }
    return vec3_make((f32)p[0], (f32)p[1], (f32)p[2]);
}

static void turn(struct field *field, struct test_random *random)
{
    double q[4], norm = 0.0;
    for (int c = 0; c < 4; c++) {
        q[c] = (double)test_random_f32(random, -1.0f, 1.0f);
        norm += q[c] * q[c];
    }
    norm = sqrt(norm);
    const double x = q[0] / norm, y = q[1] / norm, z = q[2] / norm, w = q[3] / norm;
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                         2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                         2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++)
        field->rotation[i] = (float)m[i];
}

static void fixture_init(struct fixture *f, struct test_random *random)
{
    f->field = (struct field){.edge = powf(10.0f, test_random_f32(random, -2.0f, 1.0f)),
                              .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                              .rounding = (f32)(40 * UNIT),
                              .first = 3};
    for (int c = 0; c < 3; c++) {
        f->field.size[c] = 9 + 2 * test_random_below(random, 4);
        f->field.center[c] = test_random_f32(random, -20.0f, 20.0f);
    }
    if (test_random_below(random, 2))
        turn(&f->field, random);
    f->count = 1 + (int)test_random_below(random, test_random_below(random, 2) ? 63 : 3);
    for (int i = 0; i < f->count; i++)
        for (int c = 0; c < 3; c++)
            f->cubes[i][c] = 1 + (int)test_random_below(random, f->field.size[c] - 2);

    const uint32_t *size = f->field.size;
    for (uint32_t i = 0; i < size[0] * size[1] * size[2]; i++) {
        const uint32_t layer = i / size[0] / size[1], row = i / size[0] % size[1];
        const double centre[3] = {i % size[0] + 0.5, row + 0.5, layer + 0.5};
        const double least = point_least(f, centre);
        f->values[i] = (float)(round(4 * least * least) / 4);
    }
}

/* A place in the array, near its border or far away. */
static struct vec3 random_point(const struct fixture *f, struct test_random *random)
{
    static const double SPREADS[] = {0.5, 0.5, 0.8, 6.0};
    const double spread = SPREADS[test_random_below(random, 4)];
    double at[3];
    for (int c = 0; c < 3; c++)
        at[c] = f->field.size[c] * (0.5 + spread * (double)test_random_f32(random, -1.0f, 1.0f));
    // every eighth exactly on a corner, an edge or a face of cubes
    if (test_random_below(random, 8) == 0)
        for (int c = 0; c < 3; c++)
            at[c] = test_random_below(random, 3) ? floor(at[c]) : at[c];
    return point_at(f, at);
}

/* What rounding may change of a distance to p, metres. */
static double slack_of(const struct fixture *f, struct vec3 p)
{
    double at[3], reach = 0.0;
    place_of(f, p, at);
    for (int c = 0; c < 3; c++)
        reach = fmax(reach, fabs(at[c] - f->field.size[c] / 2.0) + f->field.size[c] / 2.0);
    return 2 * 40 * UNIT * reach * (double)f->field.edge;
}

static void bounds_are_below_and_near(void **state)
{
    struct test_random random = {3};
    double gaps = 0.0, worst = 0.0;
    unsigned counted = 0;
    (void)state;

    for (int i = 0; i < FIELDS; i++) {
        struct fixture f;
        fixture_init(&f, &random);
        const float *values = f.values - f.field.first;
        const double edge = (double)f.field.edge;
        for (int k = 0; k < POINTS; k++) {
            double at[3];
            const struct vec3 p = random_point(&f, &random);
            place_of(&f, p, at);
            const double is = point_least(&f, at) * edge;
            const double bound = (double)field_point_bound(&f.field, values, p);
            const double distance = (double)field_point_distance(&f.field, values, p);
            if (!(bound <= is))
                fail_msg("field %d point %d: bound %.9g is above %.9g", i, k, bound, is);
            // far outside the distance, too, is but a bound
            const double short_by = is > (double)FIELD_EXACT * edge ? 0.5 * is : 0.0;
            if (distance > is + slack_of(&f, p) + 1e-6 * is ||
                distance < is - slack_of(&f, p) - 1e-6 * is - short_by)
                fail_msg("field %d point %d: %.9g is not %.9g", i, k, distance, is);

            // within the array the bound is off by no more than twice the way to a centre
            bool inside = true;
            for (int c = 0; c < 3; c++)
                inside = inside && at[c] >= 0.5 && at[c] <= f.field.size[c] - 0.5;
            if (!inside || is <= 0)
                continue;
            const double gap = (is - bound - slack_of(&f, p)) / edge;
            worst = fmax(worst, gap);
            gaps += fmax(gap, 0.0);
            counted++;
            if (gap > 1.74)
                fail_msg("field %d point %d: bound %g is far below %g (edge %g)", i, k, bound, is,
                         edge);
        }
    }
    print_message("bounds fall short by %.3f of an edge on average, %.3f at most\n", gaps / counted,
                  worst);
    assert_true(gaps / counted < 0.2);
}

static void points_are_told_exactly(void **state)
{
    struct test_random random = {4};
    unsigned clear = 0, hits = 0;
    (void)state;

    for (int i = 0; i < FIELDS; i++) {
        struct fixture f;
        fixture_init(&f, &random);
        const float *values = f.values - f.field.first;
        for (int k = 0; k < POINTS; k++) {
            double at[3];
            const struct vec3 p = random_point(&f, &random);
            place_of(&f, p, at);
            const double is = point_least(&f, at) * (double)f.field.edge;
            // a reach close to the distance, or any
            const double factor = 1 + (double)test_random_f32(&random, -1.0f, 1.0f) *
                                          pow(10.0, (double)test_random_f32(&random, -6, 0));
            const float reach = (float)(test_random_below(&random, 4) ? is * factor : 0.0);
            const int got = field_point_is_clear(&f.field, values, p, reach);
            const double slack = slack_of(&f, p) + 1e-5 * ((double)reach + is);
            if (got ? !(is > (double)reach) : is > (double)reach + slack)
                fail_msg("field %d point %d: at %.9g is called %s of %.9g", i, k, is,
                         got ? "clear" : "not clear", (double)reach);
            clear += got != 0;
            hits += got == 0;
        }
    }
    assert_true(clear > FIELDS * POINTS / 10 && hits > FIELDS * POINTS / 10);
}

static void segments_are_told_exactly(void **state)
{
    struct test_random random = {5};
    unsigned clear = 0, hits = 0;
    (void)state;

    for (int i = 0; i < FIELDS; i++) {
        struct fixture f;
        fixture_init(&f, &random);
        f.count = f.count > 8 ? 8 : f.count;
        const uint32_t *size = f.field.size;
        for (uint32_t v = 0; v < size[0] * size[1] * size[2]; v++) {
            const uint32_t layer = v / size[0] / size[1], row = v / size[0] % size[1];
            const double centre[3] = {v % size[0] + 0.5, row + 0.5, layer + 0.5};
            const double least = point_least(&f, centre);
            f.values[v] = (float)(round(4 * least * least) / 4);
        }
        const float *values = f.values - f.field.first;
        for (int k = 0; k < SEGMENTS; k++) {
            double from[3], to[3];
            const struct vec3 a = random_point(&f, &random);
            const struct vec3 b = test_random_below(&random, 8) ? random_point(&f, &random) : a;
            place_of(&f, a, from);
            place_of(&f, b, to);
            const double is = segment_least(&f, from, to) * (double)f.field.edge;
            const double factor = 1 + (double)test_random_f32(&random, -1.0f, 1.0f) *
                                          pow(10.0, (double)test_random_f32(&random, -6, 0));
            const float reach = (float)(test_random_below(&random, 4) ? is * factor : 0.0);
            const int got = field_segment_is_clear(&f.field, values, a, b, reach);
            const double slack =
                fmax(slack_of(&f, a), slack_of(&f, b)) + 1e-5 * ((double)reach + is);
            if (got ? !(is > (double)reach) : is > (double)reach + slack)
                fail_msg("field %d segment %d: at %.9g is called %s of %.9g", i, k, is,
                         got ? "clear" : "not clear", (double)reach);
            clear += got != 0;
            hits += got == 0;
        }
    }
    assert_true(clear > FIELDS * SEGMENTS / 10 && hits > FIELDS * SEGMENTS / 10);
}

/* Least distance of a triangle to a cube: over the triangle's points the distance is convex. */
static double triangle_distance_of(const struct voxel_part *t, const int *cube)
{
    double least = INFINITY, u_from = 0.0, u_to = 1.0;
    for (int i = 0; i < TERNARY_STEPS; i++) {
        double found[2];
        const double u[2] = {u_from + (u_to - u_from) / 3, u_to - (u_to - u_from) / 3};
        for (int k = 0; k < 2; k++) {
            double from = 0.0, to = 1.0 - u[k];
            found[k] = INFINITY;
            for (int j = 0; j < TERNARY_STEPS; j++) {
                double distance[2];
                const double v[2] = {from + (to - from) / 3, to - (to - from) / 3};
                for (int h = 0; h < 2; h++) {
                    double p[3];
                    for (int c = 0; c < 3; c++)
                        p[c] = (double)t->a[c] * (1 - u[k] - v[h]) + (double)t->b[c] * u[k] +
                               (double)t->c[c] * v[h];
                    distance[h] = cube_distance(p, cube);
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

/* Every cube that a triangle or a ball comes into is touched, and none that is farther than the
 * slack. */
static void parts_touch_what_they_meet(void **state)
{
    struct test_random random = {6};
    const struct vec3 half_size = vec3_make(0.5f, 0.5f, 0.5f);
    unsigned met = 0, missed = 0;
    (void)state;

    for (int i = 0; i < 3000; i++) {
        struct voxel_part part = {.kind = i % 4 ? VOXEL_TRIANGLE : VOXEL_BALL,
                                  .radius = test_random_f32(&random, 0.0f, 3.0f)};
        int cube[3];
        double at[3];
        for (int c = 0; c < 3; c++) {
            // corners on whole numbers too, triangles without height, and plates along a face
            part.a[c] = test_random_f32(&random, -4.0f, 4.0f);
            part.b[c] =
                test_random_below(&random, 4) ? test_random_f32(&random, -4.0f, 4.0f) : part.a[c];
            part.c[c] = test_random_below(&random, 4) ? test_random_f32(&random, -4.0f, 4.0f)
                                                      : floorf(part.b[c]);
            cube[c] = (int)test_random_below(&random, 8) - 4;
            at[c] = (double)part.a[c];
        }
        const struct vec3 centre =
            vec3_make((f32)cube[0] + 0.5f, (f32)cube[1] + 0.5f, (f32)cube[2] + 0.5f);
        const double is = part.kind == VOXEL_TRIANGLE
                              ? triangle_distance_of(&part, cube)
                              : cube_distance(at, cube) - (double)part.radius;
        const int got = part_touches(&part, centre, half_size);
        if (is <= 1e-6 && !got)
            fail_msg("part %d meets the cube but does not touch it (%g)", i, is);
        if (is > 3e-3 && got)
            fail_msg("part %d is %g from the cube but touches it", i, is);
        met += is <= 1e-6;
        missed += is > 3e-3;
    }
    assert_true(met > 100 && missed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_below_and_near),
        cmocka_unit_test(points_are_told_exactly),
        cmocka_unit_test(segments_are_told_exactly),
        cmocka_unit_test(parts_touch_what_they_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

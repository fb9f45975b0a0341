/* Goal: a cover holds all of its solid, reaches no farther out of it than it says, keeps to its
 * tolerance where the spheres suffice and to the number of spheres always. Method: points all over
 * the solids, their corners, edges and surfaces among them; points on the spheres. Oracle:
 * distances to the solids, written here. */
#include "schema/cover.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 24, DIRECTIONS = 400 };

struct solid {
    const char *name;
    enum { BOX, CYLINDER, POLYGON } kind;
    double size[3]; /* box; cylinder: radius, length */
    double points[6][2];
    uint32_t point_count;
};

static const struct solid solids[] = {
    {"cube", BOX, {0.1, 0.1, 0.1}, {{0}}, 0},
    {"beam", BOX, {0.3, 0.1, 0.05}, {{0}}, 0},
    {"plate", BOX, {1, 1, 1e-4}, {{0}}, 0},
    {"needle", BOX, {1e-3, 1e-3, 1}, {{0}}, 0},
    {"far too thin", BOX, {1e-9, 1, 1e9}, {{0}}, 0},
    {"link", CYLINDER, {0.05, 0.3}, {{0}}, 0},
    {"disc", CYLINDER, {0.5, 0.02}, {{0}}, 0},
    {"wire", CYLINDER, {0.001, 1}, {{0}}, 0},
    {"rectangle", POLYGON, {0}, {{0, 0}, {0.6, 0}, {0.6, 0.4}, {0, 0.4}}, 4},
    {"turned", POLYGON, {0}, {{0, 0}, {0.5, 0.4}, {0.3, 0.7}, {-0.2, 0.3}}, 4},
    {"hook", POLYGON, {0}, {{0, 0}, {1, 0}, {1, 0.3}, {0.3, 0.3}, {0.3, 1}, {0, 1}}, 6},
    {"thorn", POLYGON, {0}, {{0, 0}, {2, 0.01}, {0, 0.1}}, 3},
};

static bool make(const struct solid *solid, struct cover *cover, double tolerance)
{
    switch (solid->kind) {
    case CYLINDER:
        return cover_cylinder(cover, solid->size[0], solid->size[1], tolerance);
    case POLYGON:
        return cover_polygon(cover, &solid->points[0][0], solid->point_count, tolerance);
    case BOX:
        break;
    }
    return cover_box(cover, solid->size, tolerance);
}

/* ---- the oracle ---- */

static double distance_to_polygon(const struct solid *solid, const double p[3])
{
    double nearest = INFINITY;
    int left = 0;
    for (uint32_t i = 0; i < solid->point_count; i++) {
        const double *a = solid->points[i], *b = solid->points[(i + 1) % solid->point_count];
        const double x = b[0] - a[0], y = b[1] - a[1];
        const double t =
            fmin(1, fmax(0, ((p[0] - a[0]) * x + (p[1] - a[1]) * y) / (x * x + y * y)));
        nearest = fmin(nearest, hypot(p[0] - a[0] - t * x, p[1] - a[1] - t * y));
        // the winding number of the polygon around p
        const double side = x * (p[1] - a[1]) - y * (p[0] - a[0]);
        if (a[1] <= p[1] && b[1] > p[1] && side > 0)
            left++;
        else if (a[1] > p[1] && b[1] <= p[1] && side < 0)
            left--;
    }
    return left ? 0 : nearest;
}

/* How far a point is outside. */
static double distance_to(const struct solid *solid, const double p[3])
{
    double out[3] = {0};
    if (solid->kind == POLYGON)
        return distance_to_polygon(solid, p);
    if (solid->kind == CYLINDER) {
        out[0] = fmax(0, hypot(p[0], p[1]) - solid->size[0]);
        out[2] = fmax(0, fabs(p[2]) - solid->size[1] / 2);
    } else {
        for (int a = 0; a < 3; a++)
            out[a] = fmax(0, fabs(p[a]) - solid->size[a] / 2);
    }
    return sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
}

/* A point of the solid: u, v, w in 0 … 1; its surface at the ends. */
static void point_in(const struct solid *solid, double u, double v, double w, double p[3])
{
    if (solid->kind == CYLINDER) {
        const double angle = 2 * acos(-1) * u;
        p[0] = solid->size[0] * v * cos(angle);
        p[1] = solid->size[0] * v * sin(angle);
        p[2] = solid->size[1] * (w - 0.5);
    } else if (solid->kind == BOX) {
        p[0] = solid->size[0] * (u - 0.5);
        p[1] = solid->size[1] * (v - 0.5);
        p[2] = solid->size[2] * (w - 0.5);
    } else {
        // between any two corners and along edges; outside points are left to the caller
        const uint32_t n = solid->point_count, i = (uint32_t)(u * n) % n;
        const uint32_t j = (i + 1 + (uint32_t)(w * (n - 1)) % (n - 1)) % n;
        p[0] = solid->points[i][0] + v * (solid->points[j][0] - solid->points[i][0]);
        p[1] = solid->points[i][1] + v * (solid->points[j][1] - solid->points[i][1]);
        p[2] = 0;
    }
}

static bool holds(const struct cover *cover, const double p[3])
{
    for (uint32_t i = 0; i < cover->count; i++) {
        const double *s = cover->spheres + 4 * (size_t)i;
        const double x = p[0] - s[0], y = p[1] - s[1], z = p[2] - s[2];
        if (x * x + y * y + z * z <= s[3] * s[3])
            return true;
    }
    return false;
}

static void check(const struct solid *solid, double tolerance)
{
    struct cover cover;
    double farthest = 0, size = 0;
    assert_true(make(solid, &cover, tolerance));
    assert_in_range(cover.count, 1, tolerance > 0 ? COVER_SPHERES_MAX : COVER_SPHERES_DEFAULT);

    // all of the solid is held
    for (int i = 0; i <= STEPS; i++) {
        for (int j = 0; j <= STEPS; j++) {
            for (int k = 0; k <= STEPS; k++) {
                double p[3];
                point_in(solid, (double)i / STEPS, (double)j / STEPS, (double)k / STEPS, p);
                size = fmax(size, fabs(p[0]) + fabs(p[1]) + fabs(p[2]));
                if (distance_to(solid, p) > 0)
                    continue;
                if (!holds(&cover, p))
                    fail_msg("%s at %g: (%g, %g, %g) is in none of %u spheres", solid->name,
                             tolerance, p[0], p[1], p[2], cover.count);
            }
        }
    }

    // spheres reach out as far as stated, no farther
    struct test_random random = {1};
    for (uint32_t i = 0; i < cover.count; i++) {
        const double *s = cover.spheres + 4 * (size_t)i;
        for (int d = 0; d < DIRECTIONS; d++) {
            double way[3], p[3], norm = 0;
            for (int a = 0; a < 3; a++) {
                way[a] = (double)test_random_f32(&random, -1, 1);
                way[a] *= solid->kind == POLYGON && a == 2 ? 0 : 1;
                norm += way[a] * way[a];
            }
            for (int a = 0; a < 3; a++)
                p[a] = s[a] + s[3] * way[a] / sqrt(norm);
            farthest = fmax(farthest, distance_to(solid, p));
        }
    }
    if (farthest > cover.excess + 1e-9 * size)
        fail_msg("%s at %g: a sphere reaches %g out, %g is stated", solid->name, tolerance,
                 farthest, cover.excess);
    if (farthest < 0.5 * cover.excess)
        fail_msg("%s at %g: %g is stated, but spheres reach only %g out", solid->name, tolerance,
                 cover.excess, farthest);
    free(cover.spheres);
}

static void covers_hold_their_solids(void **state)
{
    (void)state;
    static const double tolerances[] = {0, 1, 0.05, 0.02, 0.005, 1e-12};
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++)
        for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++)
            check(&solids[i], tolerances[k]);
}

static void tolerances_are_kept(void **state)
{
    (void)state;
    static const struct {
        unsigned solid;
        double tolerance;
        uint32_t spheres_max;
    } rows[] = {
        {0, 0.05, 1},  {0, 0.02, 20}, {0, 0.01, 70},  {1, 0.02, 40}, {5, 0.02, 30},
        {5, 0.01, 80}, {8, 0.3, 1},   {8, 0.05, 8},   {8, 0.02, 16}, {10, 0.05, 20},
        {9, 0.05, 12}, {6, 0.1, 72},  {10, 0.02, 40},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cover cover;
        assert_true(make(&solids[rows[i].solid], &cover, rows[i].tolerance));
        if (cover.excess > rows[i].tolerance * (1 + 1e-6) || cover.count > rows[i].spheres_max)
            fail_msg("%s at %g: %u spheres with %g", solids[rows[i].solid].name, rows[i].tolerance,
                     cover.count, cover.excess);
        free(cover.spheres);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_hold_their_solids),
        cmocka_unit_test(tolerances_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

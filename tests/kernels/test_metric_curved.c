/* Goal: rows with turns and an orientation: distances by the short way and the same both ways,
 * interpolation that starts and ends where it should, halves distances and never leaves a turn.
 * Method: random rows, near and far, across half a turn, of opposite signs. Oracle: double
 * precision. */
#define ROW 8
#define DOF 7
#define TURNS 2u
#define QUATERNION 3
#define METRIC_WEIGHTS 1.0f, 0.5f, 1.0f, 2.0f, 2.0f, 2.0f, 2.0f
#include "kernels/metric.h"

#include "support/support.h"

#include <math.h>

enum { ROWS = 20000, TURN = 1 };
#define PI 3.14159265358979323846

static void random_row(struct test_random *random, float *row)
{
    double length = 0;
    row[0] = test_random_f32(random, -5, 5);
    row[1] = test_random_f32(random, (float)(-PI / 2), (float)(PI / 2)); // λ = ½
    row[2] = test_random_f32(random, -5, 5);
    for (int c = QUATERNION; c < DOF; c++) {
        row[c] = test_random_f32(random, -1, 1);
        length += (double)row[c] * (double)row[c];
    }
    for (int c = QUATERNION; c < DOF; c++)
        row[c] = (float)((double)row[c] / sqrt(length));
    row[7] = 0;
}

static double distance(const float *a, const float *b)
{
    const double x = (double)a[0] - (double)b[0], z = (double)a[2] - (double)b[2];
    const double turn = 0.5 * remainder(((double)a[1] - (double)b[1]) / 0.5, 2 * PI);
    double dot = 0, aa = 0, bb = 0;
    for (int c = QUATERNION; c < DOF; c++) {
        dot += (double)a[c] * (double)b[c];
        aa += (double)a[c] * (double)a[c];
        bb += (double)b[c] * (double)b[c];
    }
    const double angle = 2 * 2 * acos(fmin(fabs(dot) / sqrt(aa * bb), 1));
    return sqrt(x * x + z * z + turn * turn + angle * angle);
}

static void distances_go_the_short_way(void **state)
{
    struct test_random random = {1};
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        float a[ROW], b[ROW], middle[ROW], opposite[ROW];
        random_row(&random, a);
        random_row(&random, b);
        if (i % 2)
            metric_interpolate(b, a, b, 0.02f);
        const double is = distance(a, b);
        assert_float_equal(metric_distance(a, b), (float)is, 2e-3f);
        assert_true(metric_distance(a, b) == metric_distance(b, a));
        assert_true(metric_distance(a, a) == 0);
        assert_true(metric_distance_rows(a, b) == metric_distance(a, b));

        // q and −q are one
        for (int c = 0; c < ROW; c++)
            opposite[c] = c >= QUATERNION ? -b[c] : b[c];
        assert_true(metric_distance(a, opposite) == metric_distance(a, b));

        metric_interpolate(middle, a, b, 0.5f);
        assert_true(fabsf(middle[TURN]) <= (float)(PI / 2) * 1.000001f);
        assert_float_equal(metric_distance(a, middle), (float)is / 2, 2e-3f);
        assert_float_equal(metric_distance(middle, b), (float)is / 2, 2e-3f);
        metric_interpolate(middle, a, b, 0.0f);
        assert_true(metric_distance(a, middle) < 1e-5f);
        metric_interpolate(middle, a, b, 1.0f);
        assert_true(metric_distance(b, middle) < 1e-5f);
    }
}

/* From 179° to −179° is 2°. */
static void half_a_turn_is_no_seam(void **state)
{
    const float a[ROW] = {0, (float)(179 * PI / 360), 0, 0, 0, 0, 1};
    const float b[ROW] = {0, (float)(-179 * PI / 360), 0, 0, 0, 0, 1};
    float middle[ROW];
    (void)state;
    assert_float_equal(metric_distance(a, b), (float)(2 * PI / 360), 1e-6f);
    metric_interpolate(middle, a, b, 0.5f);
    assert_float_equal(fabsf(middle[TURN]), (float)(PI / 2), 1e-6f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_go_the_short_way),
        cmocka_unit_test(half_a_turn_is_no_seam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

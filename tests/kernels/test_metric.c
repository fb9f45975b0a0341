/* Goal: rows, distance, interpolation and weights as kernels have them.
 * Method: random rows. Oracle: double precision, and the rule that a weight is rounded up. */
#define ROW 4
#define DOF 3
#include "kernels/metric.h"

#include "support/support.h"

#include <math.h>

enum { ROWS = 1000 };

static void distances_are_euclidean(void **state)
{
    struct test_random random = {1};
    (void)state;

    for (int i = 0; i < ROWS; i++) {
        float a[ROW] = {0}, b[ROW] = {0}, middle[ROW];
        double squared = 0;
        for (int c = 0; c < DOF; c++) {
            a[c] = test_random_f32(&random, -300, 300);
            b[c] = test_random_f32(&random, -300, 300);
            squared += ((double)a[c] - b[c]) * ((double)a[c] - b[c]);
        }
        assert_float_equal(metric_distance(a, b), (float)sqrt(squared), 1e-4f);
        assert_true(metric_distance(a, b) == metric_distance(b, a));
        assert_true(metric_distance_rows(a, b) == metric_distance(a, b));
        metric_interpolate(middle, a, b, 0.5f);
        assert_float_equal(metric_distance(a, middle), metric_distance(a, b) / 2, 1e-4f);
        metric_interpolate(middle, a, b, 0.0f);
        assert_memory_equal(middle, a, sizeof(a));
    }
}

static void rows_go_in_and_out(void **state)
{
    const float rows[2 * ROW] = {1, 2, 3, 0, 4, 5, 6, 0};
    float row[ROW], out[2 * ROW] = {0};
    (void)state;

    row_load(row, rows, 1);
    row_store(out, 0, row);
    assert_memory_equal(out, rows + ROW, sizeof(row));
    assert_true(row_position(row).z == 6);
}

static void weights_are_rounded_up(void **state)
{
    (void)state;
    assert_int_equal(metric_weight(1.0f, 262144.0f), 262144);
    assert_int_equal(metric_weight(1.41421356f, 1024.0f), 1449);
    assert_int_equal(metric_weight(0.0f, 1024.0f), 0);
    assert_int_equal(metric_weight(1e-6f, 1024.0f), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_euclidean),
        cmocka_unit_test(rows_go_in_and_out),
        cmocka_unit_test(weights_are_rounded_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

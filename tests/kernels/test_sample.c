/* Goal: draws of a configuration are spread as they say: orientations uniformly, near ones about
 * their centre at the stated scale; limits hold, turns wrap, orientations stay unit.
 * Method: many draws of SE(3) with a turn. Oracle: the distribution function of the angle of a
 * uniform rotation, (a - sin a) / pi, and of a rotated axis' height, which is uniform (Archimedes),
 * by chi-square tests; sample moments of normal variates. */
#define ROW 8
#define DOF 7
#define QUATERNION 3
#define TURNS 4u
#define METRIC_WEIGHTS 1.0f, 1.0f, 0.5f, 2.0f, 2.0f, 2.0f, 2.0f
#include "kernels/sample.h"

#include "support/support.h"

#include <math.h>

enum { DRAWS = 40000, BINS = 20 };
#define PI 3.14159265358979323846
/* Chi-square of 19 degrees of freedom is above this once in 10 000 times. */
#define CHI_SQUARE_MAX 50.8

static const float LIMITS[2 * ROW] = {-3, 1, -0.5f * (float)PI, -1, -1, -1, -1, 0,
                                      5,  1, 0.5f * (float)PI,  1,  1,  1,  1,  0};

static void draw(float *row, uint32_t i)
{
    uint32_t words[SAMPLE_WORDS];
    float units[DOF];
    sample_words(words, SAMPLE_FOR_BRIDGE, 0, i, 12345678901ull);
    for (int c = 0; c < DOF; c++)
        units[c] = random_unit(words[c]);
    sample_uniform_row(row, units, LIMITS);
}

static int bin_of(double unit)
{
    return unit < 0 ? 0 : unit >= 1 ? BINS - 1 : (int)(unit * BINS);
}

static void assert_even(const uint32_t *counts)
{
    double sum = 0;
    for (int b = 0; b < BINS; b++)
        sum += pow(counts[b] - (double)DRAWS / BINS, 2) / ((double)DRAWS / BINS);
    if (!(sum < CHI_SQUARE_MAX))
        fail_msg("chi-square is %g", sum);
}

static void uniform_draws_are_uniform(void **state)
{
    uint32_t x[BINS] = {0}, turn[BINS] = {0}, angle[BINS] = {0}, height[BINS] = {0};
    (void)state;
    for (uint32_t i = 0; i < DRAWS; i++) {
        float row[ROW];
        draw(row, i);
        const double q[4] = {row[3], row[4], row[5], row[6]};
        assert_true(row[0] >= -3 && row[0] <= 5 && row[1] == 1 && row[7] == 0 && q[3] >= 0);
        assert_true(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-5);
        x[bin_of((row[0] + 3.0) / 8)]++;
        turn[bin_of(row[2] / PI + 0.5)]++;
        const double a = 2 * atan2(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), q[3]);
        angle[bin_of((a - sin(a)) / PI)]++;
        height[bin_of(0.5 + (0.5 - q[0] * q[0] - q[1] * q[1]))]++;
    }
    assert_even(x);
    assert_even(turn);
    assert_even(angle);
    assert_even(height);
}

static void near_draws_have_their_scale(void **state)
{
    const float sigma = 0.2f;
    double sums[4] = {0}, squares[4] = {0};
    (void)state;
    for (uint32_t i = 0; i < DRAWS; i++) {
        float center[ROW], row[ROW];
        uint32_t words[SAMPLE_WORDS];
        draw(center, i);
        center[0] = 1;
        sample_words(words, SAMPLE_FOR_PARTNERS, 0, i, 7);
        sample_near_row(row, center, words, sigma, LIMITS);
        const double terms[4] = {row[0] - 1.0, row[2] - (double)center[2], row[1] - 1.0,
                                 2 * (double)rotation_between(row + 3, center + 3)};
        assert_true(fabs((double)row[2]) <= 0.5001 * PI && row[6] >= 0 && row[7] == 0);
        for (int t = 0; t < 4; t++) {
            const double term = t == 1 ? remainder(terms[t], PI) : terms[t];
            sums[t] += term / DRAWS;
            squares[t] += term * term / DRAWS;
        }
    }
    // three normal variates make a rotation's square
    assert_true(fabs(sums[0]) < 0.005 && fabs(sqrt(squares[0]) - 0.2) < 0.005);
    assert_true(fabs(sums[1]) < 0.005 && fabs(sqrt(squares[1]) - 0.2) < 0.005);
    assert_true(squares[2] == 0);
    assert_true(fabs(sqrt(squares[3] / 3) - 0.2) < 0.005);
}

static void values_fold_into_limits(void **state)
{
    static const struct {
        float value, lower, upper, folded;
    } ROWS[] = {{2, 1, 3, 2},  {3.5f, 1, 3, 2.5f}, {0.5f, 1, 3, 1.5f}, {5.5f, 1, 3, 1.5f},
                {-3, 1, 3, 1}, {9, 4, 4, 4},       {1, 1, 3, 1},       {3, 1, 3, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        assert_float_equal(sample_fold(ROWS[i].value, ROWS[i].lower, ROWS[i].upper), ROWS[i].folded,
                           1e-6f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_draws_are_uniform),
        cmocka_unit_test(near_draws_have_their_scale),
        cmocka_unit_test(values_fold_into_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: the distance of embedded rows is the metric to a float's precision for all angles, equal
 * rows are 0 apart, a and b may be swapped, and no chord to a box is more than the distance to a
 * row in it, all to the bit; rows at infinity, which pad tiles, are infinitely far.
 * Method: the macros as host C for a linear coordinate, two turns and an orientation, over random
 * and awkward angles (tiny, a half turn, and by floats next to each other). Oracle: angles in
 * double precision. */
#define ROW 16
#define DOF 14
#define EMBEDDED_TURNS 2
#define EMBEDDED_ORIENTATIONS 1
#define EMBEDDED_WEIGHTS 0.3f, 2.0f, 1.7f
#include "kernels/embedding.h"

#include "support/support.h"

#include <string.h>

enum { LINEAR = 1, CASES = 200000, BOXES = 20000, BOX_ROWS = 8 };
#define PI 3.14159265358979323846

/* λ of each turn and the orientation. */
static const double WEIGHTS[] = {0.3f, 2.0f, 1.7f};

struct state {
    double linear, turns[EMBEDDED_TURNS], quaternion[4];
};

static void embed(float *row, const struct state *state)
{
    const double x = state->quaternion[0], y = state->quaternion[1], z = state->quaternion[2],
                 w = state->quaternion[3];
    const double matrix[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memset(row, 0, ROW * sizeof(*row));
    row[0] = (float)state->linear;
    for (int t = 0; t < EMBEDDED_TURNS; t++) {
        row[LINEAR + 2 * t] = (float)(WEIGHTS[t] * cos(state->turns[t]));
        row[LINEAR + 2 * t + 1] = (float)(WEIGHTS[t] * sin(state->turns[t]));
    }
    for (int i = 0; i < 9; i++)
        row[LINEAR + 2 * EMBEDDED_TURNS + i] = (float)(WEIGHTS[2] * sqrt(0.5) * matrix[i]);
}

/* The product of two unit quaternions. */
static void turn_by(double *out, const double *a, const double *b)
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    out[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static void random_quaternion(struct test_random *random, double *q)
{
    double squared;
    do {
        squared = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = (double)test_random_f32(random, -1, 1);
            squared += q[i] * q[i];
        }
    } while (squared > 1 || squared < 0.1);
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(squared);
}

/* An angle of 0 … π: any, or close to an end by some power of ten. */
static double random_angle(struct test_random *random)
{
    const double near = pow(10, (double)test_random_f32(random, -7, 0));
    const uint32_t kind = test_random_below(random, 3);
    return kind == 0 ? (double)test_random_f32(random, 0, (float)PI) : kind == 1 ? near : PI - near;
}

/* b lies at the angles from a. */
static void random_pair(struct test_random *random, struct state *a, struct state *b,
                        double angles[3])
{
    double axis[4] = {0}, by[4], length = 0;
    a->linear = (double)test_random_f32(random, -1, 1);
    b->linear = (double)test_random_f32(random, -1, 1);
    for (int t = 0; t < 3; t++)
        angles[t] = random_angle(random);
    for (int t = 0; t < EMBEDDED_TURNS; t++) {
        a->turns[t] = (double)test_random_f32(random, (float)-PI, (float)PI);
        b->turns[t] = a->turns[t] + (random->state & 1 ? angles[t] : -angles[t]);
    }
    random_quaternion(random, a->quaternion);
    for (int i = 0; i < 3; i++) {
        axis[i] = (double)test_random_f32(random, 0.1f, 1);
        length += axis[i] * axis[i];
    }
    for (int i = 0; i < 3; i++)
        by[i] = axis[i] / sqrt(length) * sin(angles[2] / 2);
    by[3] = cos(angles[2] / 2);
    turn_by(b->quaternion, a->quaternion, by);
    for (int i = 0; i < 4 && (random->state & 2); i++)
        b->quaternion[i] = -b->quaternion[i];
}

static void distance_is_the_metric(void **state)
{
    struct test_random random = {1};
    double worst = 0, worst_half = 0;
    (void)state;

    for (int i = 0; i < CASES; i++) {
        struct state a, b;
        double angles[3], squared;
        float row_a[ROW], row_b[ROW];
        random_pair(&random, &a, &b, angles);
        embed(row_a, &a);
        embed(row_b, &b);
        squared = (double)(row_a[0] - row_b[0]) * (double)(row_a[0] - row_b[0]);
        for (int t = 0; t < 3; t++)
            squared += WEIGHTS[t] * angles[t] * WEIGHTS[t] * angles[t];
        const double off = fabs(sqrt((double)embedding_squared_rows(row_a, row_b)) - sqrt(squared));
        // of orientations that are nearly a half turn apart the chord says little
        if (angles[2] < PI - 0.02 && off > worst)
            worst = off;
        if (off > worst_half)
            worst_half = off;
    }
    print_message("off by %.2g, near a half turn of an orientation by %.2g\n", worst, worst_half);
    assert_true(worst < 5e-5);
    assert_true(worst_half < 2e-3);
}

static void equal_rows_are_no_distance_apart(void **state)
{
    struct test_random random = {2};
    (void)state;

    for (int i = 0; i < CASES / 10; i++) {
        struct state a, b;
        double angles[3];
        float row_a[ROW], row_b[ROW];
        random_pair(&random, &a, &b, angles);
        embed(row_a, &a);
        embed(row_b, &b);
        assert_true(embedding_squared_rows(row_a, row_a) == 0.0f);
        assert_true(embedding_squared_rows(row_a, row_b) == embedding_squared_rows(row_b, row_a));

        // q and −q are one row
        for (int c = 0; c < 4; c++)
            a.quaternion[c] = -a.quaternion[c];
        embed(row_b, &a);
        assert_memory_equal(row_a, row_b, sizeof(row_a));
    }
}

/* Rows of a box: the nearest place in it is no farther by its chord than any of them. */
static void chords_bound_distances(void **state)
{
    struct test_random random = {3};
    (void)state;

    for (int i = 0; i < BOXES; i++) {
        struct state a, b;
        double angles[3];
        float query[ROW], rows[BOX_ROWS][ROW], low[ROW], high[ROW], chord;
        random_pair(&random, &a, &b, angles);
        embed(query, &a);
        const double spread = pow(10, (double)test_random_f32(&random, -7, 0));
        for (int r = 0; r < BOX_ROWS; r++) {
            struct state one = b;
            one.linear += spread * (double)test_random_f32(&random, -1, 1);
            for (int t = 0; t < EMBEDDED_TURNS; t++)
                one.turns[t] += spread * (double)test_random_f32(&random, -1, 1);
            embed(rows[r], &one);
            for (int c = 0; c < ROW; c++) {
                low[c] = r == 0 ? rows[r][c] : fminf(low[c], rows[r][c]);
                high[c] = r == 0 ? rows[r][c] : fmaxf(high[c], rows[r][c]);
            }
        }
        EMBEDDING_CHORD(float, chord, query[c] - fminf(fmaxf(query[c], low[c]), high[c]));
        for (int r = 0; r < BOX_ROWS; r++) {
            float own;
            assert_true(chord <= embedding_squared_rows(query, rows[r]));
            EMBEDDING_CHORD(float, own, query[c] - rows[r][c]);
            assert_true(own <= embedding_squared_rows(query, rows[r]));
        }
    }
}

static void pads_are_infinitely_far(void **state)
{
    struct test_random random = {4};
    struct state a, b;
    double angles[3];
    float query[ROW], pad[ROW];
    (void)state;

    random_pair(&random, &a, &b, angles);
    embed(query, &a);
    for (int c = 0; c < ROW; c++)
        pad[c] = INFINITY;
    assert_true(embedding_squared_rows(query, pad) == INFINITY);
    assert_true(embedding_squared_rows(pad, query) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_is_the_metric),
        cmocka_unit_test(equal_rows_are_no_distance_apart),
        cmocka_unit_test(chords_bound_distances),
        cmocka_unit_test(pads_are_infinitely_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: polygons that cross themselves are found, those that touch themselves are not. Method:
 * known shapes, at the origin and far from it, and random ones. Oracle: all pairs of edges in exact
 * integers. */
#include "schema/polygon.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 12 };

static bool crosses(const double *points, uint32_t count)
{
    uint32_t first, second;
    bool memory;
    bool found = polygon_crosses_itself(points, count, &first, &second, &memory);
    assert_true(memory);
    assert_true(!found || (first < second && second < count));
    return found;
}

static void known_shapes(void **state)
{
    (void)state;
    const struct {
        double points[2 * POINTS_MAX];
        uint32_t count;
        bool crosses, area;
    } rows[] = {
        {{0, 0, 1, 0, 0, 1}, 3, false, true},
        {{0, 0, 0, 1, 1, 0}, 3, false, true},
        {{0, 0, 1, 0, 2, 0}, 3, false, false},
        {{0, 0, 2, 0, 2, 2, 0, 2}, 4, false, true},
        {{0, 0, 2, 2, 2, 0, 0, 2}, 4, true, false},
        {{0, 0, 4, 0, 4, 3, 3, -1, 0, 3}, 5, true, true},
        // a vertex on an edge, and a spike that goes back on itself: touching
        {{0, 0, 4, 0, 4, 4, 2, 0, 0, 4}, 5, false, true},
        {{0, 0, 4, 0, 2, 0, 2, 3}, 4, false, true},
        // two squares that share a corner
        {{0, 0, 1, 0, 1, 1, 2, 1, 2, 2, 1, 2, 1, 1, 0, 1}, 8, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int far = 0; far < 2; far++) {
            double points[2 * POINTS_MAX];
            for (uint32_t p = 0; p < rows[i].count; p++) {
                points[2 * p] = rows[i].points[2 * p] + far * 500000;
                points[2 * p + 1] = rows[i].points[2 * p + 1] + far * 4000000;
            }
            assert_int_equal(crosses(points, rows[i].count), rows[i].crosses);
            assert_int_equal(polygon_has_area(points, rows[i].count), rows[i].area);
        }
    }
}

static long side(const long *a, const long *b, const long *c)
{
    long area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    return (area > 0) - (area < 0);
}

static bool oracle(const long *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const long *a = points + 2 * i, *b = points + 2 * ((i + 1) % count);
            const long *c = points + 2 * j, *d = points + 2 * ((j + 1) % count);
            if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0)
                return true;
        }
    }
    return false;
}

static void random_shapes(void **state)
{
    (void)state;
    struct test_random random = {11};
    int found = 0;
    for (int round = 0; round < 20000; round++) {
        uint32_t count = 3 + test_random_below(&random, POINTS_MAX - 3);
        long whole[2 * POINTS_MAX] = {0};
        double points[2 * POINTS_MAX];
        for (uint32_t i = 0; i < 2 * count; i++) {
            whole[i] = (long)test_random_below(&random, 6);
            points[i] = (double)whole[i] / 8;
        }
        bool expected = oracle(whole, count);
        assert_int_equal(crosses(points, count), expected);
        found += expected;
    }
    assert_true(found > 1000 && found < 19900);
}

static void repeats_are_dropped(void **state)
{
    (void)state;
    double points[] = {0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0};
    const double expected[] = {0, 0, 1, 0, 0, 1};
    assert_int_equal(polygon_drop_repeats(points, 8), 3);
    assert_memory_equal(points, expected, sizeof expected);
    double same[] = {2, 2, 2, 2, 2, 2};
    assert_int_equal(polygon_drop_repeats(same, 3), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_shapes),
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(repeats_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

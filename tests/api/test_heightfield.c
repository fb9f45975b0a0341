/* Goal: a height field's boxes fill just the columns of its pixels, and are as few as runs allow.
 * Method: random images of few heights, and tables. Oracle: each pixel by itself: the box over its
 * centre must be one, reach to its height, and all boxes together have the columns' volume. */
#include "files.h"
#include "formats/heightfield.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE_MAX = 40, TEXT_MAX = SIDE_MAX * SIDE_MAX * 4 + 64 };

/* A P2 text of values 0 … white. */
static size_t write_image(char *text, const unsigned *values, unsigned width, unsigned height,
                          unsigned white)
{
    size_t length = (size_t)sprintf(text, "P2 %u %u %u\n", width, height, white);
    for (unsigned i = 0; i < width * height; i++)
        length += (size_t)sprintf(text + length, "%u ", values[i]);
    return length;
}

/* Checks all boxes of an image against its pixels. */
static void check(const struct obstacle_document *obstacle, const unsigned *values, unsigned width,
                  unsigned height, unsigned white, const struct format_file *options)
{
    const double step = options->resolution > 0 ? options->resolution : 1;
    const double base = options->has_base ? options->base : -step;
    double volume = 0, boxes_volume = 0;
    for (unsigned pixel = 0; pixel < width * height; pixel++) {
        const double x = step * (pixel % width + 0.5),
                     y = step * (height - (pixel - pixel % width) / (double)width - 0.5);
        const double top = options->height * values[pixel] / white;
        unsigned found = 0;
        for (uint32_t i = 0; i < obstacle->point_count; i++) {
            const double *box = obstacle->points + 6 * (size_t)i;
            if (fabs(x - box[0]) > box[3] / 2 || fabs(y - box[1]) > box[4] / 2)
                continue;
            found++;
            assert_true(fabs(box[2] + box[5] / 2 - top) < 1e-12);
            assert_true(fabs(box[2] - box[5] / 2 - base) < 1e-12);
        }
        assert_int_equal(found, 1);
        volume += step * step * (top - base);
    }
    for (uint32_t i = 0; i < obstacle->point_count; i++) {
        const double *box = obstacle->points + 6 * (size_t)i;
        boxes_volume += box[3] * box[4] * box[5];
    }
    assert_true(fabs(volume - boxes_volume) <= 1e-9 * volume);
}

static void columns_are_filled(void **state)
{
    (void)state;
    static char text[TEXT_MAX];
    static unsigned values[SIDE_MAX * SIDE_MAX];
    struct test_random random = {7};
    for (unsigned round = 0; round < 200; round++) {
        const unsigned width = 1 + test_random_below(&random, SIDE_MAX);
        const unsigned height = 1 + test_random_below(&random, SIDE_MAX);
        const unsigned white = 1 + test_random_below(&random, 3);
        const bool copies = round % 2;
        const struct format_file options = {.height = 2.5,
                                            .resolution = round % 3 ? 0.25 : 0,
                                            .has_base = round % 5 == 0,
                                            .base = -3};
        // rows that repeat make runs go on
        for (unsigned i = 0; i < width * height; i++)
            values[i] = copies && i >= width && test_random_below(&random, 8)
                            ? values[i - width]
                            : test_random_below(&random, white + 1);
        const size_t bytes = write_image(text, values, width, height, white);
        struct reading reading = read_bytes(heightfield_read, text, bytes, &options);
        assert_read(&reading);
        assert_int_equal(reading.world.dimension, 3);
        assert_int_equal(reading.world.obstacle_count, 1);
        const struct obstacle_document *obstacle = &reading.world.obstacles[0];
        assert_int_equal(obstacle->type, OBSTACLE_BOXES);
        assert_true(obstacle->resolution == 0 && obstacle->enabled && obstacle->quaternion[3] == 1);
        check(obstacle, values, width, height, white, &options);
        reading_deinit(&reading);
    }
}

static void runs_are_merged(void **state)
{
    (void)state;
    const struct {
        const char *image;
        uint32_t boxes;
    } rows[] = {
        {"P2 1 1 9 0", 1},
        {"P2 4 3 9 5 5 5 5 5 5 5 5 5 5 5 5", 1},
        {"P2 4 2 9 1 1 2 2 1 1 2 2", 2},
        {"P2 4 2 9 1 1 2 2 1 2 2 2", 4},
        {"P2 3 3 9 1 1 1 1 2 1 1 1 1", 5},
        {"P2 2 3 9 1 2 3 4 1 2", 6},
        {"P1 4 2 1100 1100", 2},
    };
    const struct format_file options = {.height = 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading reading =
            read_bytes(heightfield_read, rows[i].image, strlen(rows[i].image), &options);
        assert_read(&reading);
        assert_int_equal(reading.world.obstacles[0].point_count, rows[i].boxes);
        reading_deinit(&reading);
    }
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    const struct {
        struct format_file options;
        const char *image, *detail;
    } rows[] = {
        {{.height = 0}, "P2 1 1 9 0", "height"},
        {{.height = 1, .has_base = true, .base = 0}, "P2 1 1 9 0", "base must lie below 0"},
        {{.height = 1, .has_base = true, .base = 0.5}, "P2 1 1 9 0", "base must lie below 0"},
        {{.height = 1}, "P2 2 1 9 0", "3 bytes"},
        {{.height = 1}, "P7", "P7"},
        {{.height = 1, .resolution = 1e9}, "P2 3 1 9 0 0 0", "coordinates"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading reading =
            read_bytes(heightfield_read, rows[i].image, strlen(rows[i].image), &rows[i].options);
        assert_false(reading.good);
        if (!strstr(reading.problem.faults[0].detail, rows[i].detail))
            fail_msg("row %zu: %s", i, reading.problem.faults[0].detail);
        reading_deinit(&reading);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_filled),
        cmocka_unit_test(runs_are_merged),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: ROS maps come out cell by cell as the map servers have them, and every fault of a yaml
 * names its key and line. Method: tables of yamls over small images; the maps of the shared data.
 * Oracle: the rules of the format worked out by hand; counts of the shared maps' pixels. */
#include "files.h"
#include "formats/ros_map.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE "image: a.pgm\n"
#define REST "origin: [0, 0, 0]\noccupied_thresh: 0.65\nfree_thresh: 0.196\nnegate: 0\n"
#define YAML IMAGE "resolution: 1.0\n" REST
#define PIXELS "P2 3 2 255 0 205 254 254 254 0"

/* A yaml and an image read; the world, where good, is the caller's. */
struct outcome {
    bool good;
    struct world_document world;
    struct format_report report;
    struct problem problem;
};

static struct outcome read_map(const char *yaml, size_t yaml_bytes, const char *image,
                               size_t image_bytes, bool unknown_free)
{
    static struct limits limits;
    limits = limits_default();
    limits.grid_cells = 1 << 20;
    struct outcome outcome = {.good = false};
    const struct format_file file = {.data = yaml,
                                     .bytes = yaml_bytes,
                                     .image = image,
                                     .image_bytes = image_bytes,
                                     .unknown_free = unknown_free,
                                     .limits = &limits,
                                     .problem = &outcome.problem};
    outcome.good = ros_map_read(&outcome.world, &outcome.report, &file);
    return outcome;
}

static struct outcome read_texts(const char *yaml, const char *image)
{
    return read_map(yaml, strlen(yaml), image, strlen(image), false);
}

static void pixels_become_cells(void **state)
{
    (void)state;
    // shares of occupancy: 1, 0.2, 0.8, 0.6, 0.4, 0 (of white 5: values 0 4 1 2 3 5)
    static const char image[] = "P2 6 1 5 0 4 1 2 3 5";
    const struct {
        const char *yaml, *rows;
    } rows[] = {
        {"occupied_thresh: 0.65\nfree_thresh: 0.25\n", "@.@uu."},
        {"occupied_thresh: 0.65\nfree_thresh: 0.25\nmode: trinary\nnegate: false\n", "@.@uu."},
        {"occupied_thresh: 0.65\nfree_thresh: 0.25\nnegate: 1\n", ".@.uu@"},
        {"occupied_thresh: 0.65\nfree_thresh: 0.25\nnegate: yes\n", ".@.uu@"},
        // both thresholds belong to what they bound
        {"occupied_thresh: 0.6\nfree_thresh: 0.4\n", "@.@@.."},
        {"occupied_thresh: 0.61\nfree_thresh: 0.39\n", "@.@uu."},
        {"occupied_thresh: 0.5\nfree_thresh: 0.5\n", "@.@@.."},
        // scaled, 0.6 and 0.4 are per cents that a planner has no use for
        {"occupied_thresh: 0.65\nfree_thresh: 0.25\nmode: scale\n", "@.@uu."},
        // but what rounds to 0 or 100 is free or occupied
        {"occupied_thresh: 0.6005\nfree_thresh: 0.3995\nmode: scale\n", "@.@@.."},
        {"occupied_thresh: 0.6005\nfree_thresh: 0.3995\nmode: trinary\n", "@.@uu."},
        // values of 255: 0 204 51 102 153 255; above 100 is unknown
        {"occupied_thresh: 0.5\nfree_thresh: 0.4\nmode: raw\n", ".u@uuu"},
        {"occupied_thresh: 0.52\nfree_thresh: 0.4\nmode: raw\nnegate: 1\n", ".uuuuu"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml, IMAGE "resolution: 0.5\norigin: [1, 2, 0]\n%s", rows[i].yaml);
        for (int unknown_free = 0; unknown_free < 2; unknown_free++) {
            struct outcome outcome =
                read_map(yaml, strlen(yaml), image, sizeof image - 1, unknown_free);
            if (!outcome.good)
                fail_msg("%s: %s", rows[i].yaml, outcome.problem.faults[0].detail);
            const struct grid_document *grid = &outcome.world.obstacles[0].grid;
            uint64_t unknown = 0;
            for (size_t cell = 0; cell < 6; cell++) {
                const char kind = rows[i].rows[cell];
                unknown += kind == 'u';
                const char expected = kind != 'u' ? kind : unknown_free ? '.' : '@';
                if (grid->rows[cell] != expected)
                    fail_msg("%s: cell %zu is %c", rows[i].yaml, cell, grid->rows[cell]);
            }
            assert_true(outcome.report.counts_cells && outcome.report.has_unknown);
            assert_int_equal(outcome.report.unknown, unknown);
            assert_int_equal(outcome.report.occupied + outcome.report.free, 6 - unknown);
            assert_true(outcome.report.unknown_size == 0.25 * (double)unknown);
            assert_true(outcome.report.unknown_fraction == (double)unknown / 6);
            world_deinit(&outcome.world);
        }
    }
}

static void the_grid_lies_as_the_yaml_says(void **state)
{
    (void)state;
    struct outcome outcome = read_texts(
        "# a map\nimage: \"../../etc/passwd\"\nresolution: '0.05'\norigin: [-1.5,2e0,-.5]\n"
        "occupied_thresh: 0.65\nfree_thresh: 0.25\nmap_type: occupancy\nextra: {a: [1, {b: c}]}\n",
        PIXELS);
    if (!outcome.good)
        fail_msg("%s", outcome.problem.faults[0].detail);
    const struct grid_document *grid = &outcome.world.obstacles[0].grid;
    assert_int_equal(outcome.world.dimension, 2);
    assert_int_equal(outcome.world.obstacle_count, 1);
    assert_int_equal(grid->width, 3);
    assert_int_equal(grid->height, 2);
    assert_true(grid->resolution == 0.05);
    assert_true(grid->origin[0] == -1.5 && grid->origin[1] == 2 && grid->origin[2] == -0.5);
    assert_memory_equal(grid->rows, "@....@", 6);
    world_deinit(&outcome.world);
}

static void bad_yaml_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *yaml, *detail;
        enum problem_code code;
        int line;
    } rows[] = {
        {"", "no document", PROBLEM_INVALID_ARGUMENT, 1},
        {"a: [1", "yaml:", PROBLEM_MALFORMED, 2},
        {"\xff\xfe", "yaml:", PROBLEM_INVALID_ARGUMENT, 0},
        {"just text", "keys and values", PROBLEM_INVALID_ARGUMENT, 1},
        {YAML "---\na: 1\n", "more than one document", PROBLEM_INVALID_ARGUMENT, 7},
        {"resolution: 1\n" REST, "\"image\"", PROBLEM_INVALID_ARGUMENT, 1},
        {IMAGE REST, "\"resolution\"", PROBLEM_INVALID_ARGUMENT, 1},
        {IMAGE "resolution: 1\noccupied_thresh: 0.65\nfree_thresh: 0.2\n", "\"origin\"",
         PROBLEM_INVALID_ARGUMENT, 1},
        {IMAGE "resolution: 1\norigin: [0,0,0]\nfree_thresh: 0.2\n", "\"occupied_thresh\"",
         PROBLEM_INVALID_ARGUMENT, 1},
        {IMAGE "resolution: 1\norigin: [0,0,0]\noccupied_thresh: 0.2\n", "\"free_thresh\"",
         PROBLEM_INVALID_ARGUMENT, 1},
        {IMAGE "resolution: 0\n" REST, "resolution must be from", PROBLEM_INVALID_ARGUMENT, 2},
        {IMAGE "resolution: -1\n" REST, "resolution must be from", PROBLEM_INVALID_ARGUMENT, 2},
        {IMAGE "resolution: 1e400\n" REST, "resolution must be a finite", PROBLEM_INVALID_ARGUMENT,
         2},
        {IMAGE "resolution: .inf\n" REST, "not .inf", PROBLEM_INVALID_ARGUMENT, 2},
        {IMAGE "resolution: 0x1p3\n" REST, "not 0x1p3", PROBLEM_INVALID_ARGUMENT, 2},
        {IMAGE "resolution: 0,05\n" REST, "not 0,05", PROBLEM_INVALID_ARGUMENT, 2},
        {IMAGE "resolution:\n" REST, "resolution must be a finite", PROBLEM_INVALID_ARGUMENT, 2},
        {IMAGE "resolution: [1]\n" REST, "resolution must be a finite", PROBLEM_INVALID_ARGUMENT,
         2},
        {"image: a\nresolution: 1\norigin: [0.0, 0.0, -nan]\noccupied_thresh: 1\nfree_thresh: 0\n",
         "origin[2] must be a finite number, not -nan", PROBLEM_INVALID_ARGUMENT, 3},
        {"image: a\nresolution: 1\norigin: [0, 0]\noccupied_thresh: 1\nfree_thresh: 0\n",
         "origin must be 3 numbers", PROBLEM_INVALID_ARGUMENT, 3},
        {"image: a\nresolution: 1\norigin: [0, 0, 0, 0]\noccupied_thresh: 1\nfree_thresh: 0\n",
         "origin must be 3 numbers", PROBLEM_INVALID_ARGUMENT, 3},
        {"image: a\nresolution: 1\norigin: [2e9, 0, 0]\noccupied_thresh: 1\nfree_thresh: 0\n",
         "origin must be within", PROBLEM_INVALID_ARGUMENT, 3},
        {"image: a\nresolution: 1e-9\norigin: [9e8, 0, 0]\noccupied_thresh: 1\nfree_thresh: 0\n",
         "too fine", PROBLEM_INVALID_ARGUMENT, 0},
        {IMAGE "resolution: 1\norigin: [0,0,0]\noccupied_thresh: 65\nfree_thresh: 0\n",
         "occupied_thresh must be from 0 to 1", PROBLEM_INVALID_ARGUMENT, 4},
        {IMAGE "resolution: 1\norigin: [0,0,0]\noccupied_thresh: 0.2\nfree_thresh: 0.3\n",
         "free_thresh must not be above", PROBLEM_INVALID_ARGUMENT, 5},
        {YAML "mode: binary\n", "mode must be trinary, scale or raw", PROBLEM_INVALID_ARGUMENT, 7},
        {YAML "mode: [raw]\n", "mode must be trinary, scale or raw", PROBLEM_INVALID_ARGUMENT, 7},
        {IMAGE "resolution: 1\norigin: [0,0,0]\noccupied_thresh: 1\nfree_thresh: 0\nnegate: 2\n",
         "negate must be", PROBLEM_INVALID_ARGUMENT, 6},
        {YAML "negate: 0\n", "\"negate\" comes twice", PROBLEM_INVALID_ARGUMENT, 7},
        {YAML "a: &x 1\nb: *x\n", "aliases", PROBLEM_INVALID_ARGUMENT, 8},
        {YAML "a: !!python/object:os.system 1\n", "tags", PROBLEM_INVALID_ARGUMENT, 7},
        {YAML "? [a]\n: 1\n", "no scalar", PROBLEM_INVALID_ARGUMENT, 7},
        {YAML "a: \"\\0\"\n", "zero byte", PROBLEM_INVALID_ARGUMENT, 7},
        {YAML "a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "too deep", PROBLEM_INVALID_ARGUMENT,
         7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome outcome = read_texts(rows[i].yaml, PIXELS);
        assert_false(outcome.good);
        const struct problem_fault *fault = &outcome.problem.faults[0];
        if (!strstr(fault->detail, rows[i].detail))
            fail_msg("row %zu: %s", i, fault->detail);
        if (rows[i].line && fault->line != rows[i].line)
            fail_msg("row %zu: line %d: %s", i, fault->line, fault->detail);
        if (rows[i].line)
            assert_int_equal(fault->code, rows[i].code);
    }
}

static void bad_images_are_refused(void **state)
{
    (void)state;
    struct outcome outcome = read_texts(YAML, "P2 3 2 255 0 205 254");
    assert_false(outcome.good);
    outcome = read_texts(YAML, "");
    assert_false(outcome.good);
    assert_non_null(strstr(outcome.problem.faults[0].detail, "empty"));
    // longer than any side of a grid
    char *image = malloc(1100000);
    const size_t head = (size_t)sprintf(image, "P4 %d 1\n", 1 << 20);
    memset(image + head, 0, (1 << 20) / 8);
    outcome = read_map(YAML, sizeof YAML - 1, image, head + (1 << 20) / 8, false);
    assert_true(outcome.good);
    world_deinit(&outcome.world);
    free(image);
}

static void broken_yaml_stays_inside(void **state)
{
    (void)state;
    static const char yaml[] = YAML "extra: {a: [1, \"b\", 'c'], ? d : e}\nblock: |\n  text\n";
    static const char with[] = {'\0', '\n', ':', '"', '[', '}', '&', '\t', '\xC3'};
    for (size_t bytes = 0; bytes < sizeof yaml; bytes++) {
        char *copy = malloc(bytes + 1);
        memcpy(copy, yaml, bytes);
        copy = realloc(copy, bytes ? bytes : 1);
        struct outcome outcome = read_map(copy, bytes, PIXELS, sizeof PIXELS - 1, false);
        if (outcome.good)
            world_deinit(&outcome.world);
        assert_int_equal(outcome.good, outcome.problem.fault_count == 0);
        free(copy);
    }
    for (size_t at = 0; at < sizeof yaml - 1; at++) {
        for (size_t i = 0; i < sizeof with; i++) {
            char copy[sizeof yaml];
            memcpy(copy, yaml, sizeof yaml);
            copy[at] = with[i];
            struct outcome outcome =
                read_map(copy, sizeof yaml - 1, PIXELS, sizeof PIXELS - 1, false);
            if (outcome.good)
                world_deinit(&outcome.world);
            assert_int_equal(outcome.good, outcome.problem.fault_count == 0);
        }
    }
}

/* ---- the shared data ---- */

static char *file_of(const char *relative, size_t *bytes)
{
    FILE *file = fopen(test_shared_path(relative), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*bytes + 1);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

static struct outcome read_files(const char *yaml_path, const char *image_path)
{
    size_t yaml_bytes, image_bytes;
    char *yaml = file_of(yaml_path, &yaml_bytes);
    char *image = file_of(image_path, &image_bytes);
    struct outcome outcome = read_map(yaml, yaml_bytes, image, image_bytes, false);
    free(yaml);
    free(image);
    return outcome;
}

static void shared_maps_have_their_counts(void **state)
{
    (void)state;
    const struct {
        const char *yaml, *image;
        uint32_t width, height;
        uint64_t occupied, free, unknown;
        double origin[3];
    } rows[] = {
        {"data/rosmap/depot.yaml", "data/rosmap/depot.pgm", 604, 307, 5947, 179481, 0, {0, 0, 0}},
        {"data/rosmap/testmap.yaml", "data/rosmap/testmap.png", 10, 10, 29, 71, 0, {2, 3, 1}},
        {"data/rosmap/testmap.yaml", "data/rosmap/testmap.pgm", 10, 10, 29, 71, 0, {2, 3, 1}},
        {"data/rosmap/TenByTen.yaml", "data/rosmap/TenByTen.pgm", 10, 10, 20, 78, 2, {0, 0, 0}},
        {"data/synthetic/yaw.yaml",
         "data/synthetic/p2_comments.pgm",
         3,
         2,
         2,
         3,
         1,
         {10, 20, 1.5707963267948966}},
        {"data/synthetic/yaw.yaml",
         "data/synthetic/p5_maxval15.pgm",
         3,
         2,
         2,
         3,
         1,
         {10, 20, 1.5707963267948966}},
    };
    if (!test_shared_folder())
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome outcome = read_files(rows[i].yaml, rows[i].image);
        if (!outcome.good)
            fail_msg("%s: %s", rows[i].yaml, outcome.problem.faults[0].detail);
        const struct grid_document *grid = &outcome.world.obstacles[0].grid;
        assert_int_equal(grid->width, rows[i].width);
        assert_int_equal(grid->height, rows[i].height);
        assert_int_equal(outcome.report.occupied, rows[i].occupied);
        assert_int_equal(outcome.report.free, rows[i].free);
        assert_int_equal(outcome.report.unknown, rows[i].unknown);
        assert_memory_equal(grid->origin, rows[i].origin, sizeof grid->origin);
        world_deinit(&outcome.world);
    }
}

static void thresholds_are_not_rounded(void **state)
{
    (void)state;
    if (!test_shared_folder())
        skip();
    // grey 205 is 50/255 = 0.196078 of occupancy
    size_t bytes;
    char *image = file_of("data/rosmap/depot.pgm", &bytes);
    const struct {
        const char *threshold;
        uint64_t free, unknown;
    } rows[] = {{"0.196", 170587, 8894}, {"0.19607", 170587, 8894}, {"0.19608", 179481, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml,
                 IMAGE
                 "resolution: 0.05\norigin: [0,0,0]\noccupied_thresh: 0.65\nfree_thresh: %s\n",
                 rows[i].threshold);
        struct outcome outcome = read_map(yaml, strlen(yaml), image, bytes, false);
        assert_true(outcome.good);
        assert_int_equal(outcome.report.occupied, 5947);
        assert_int_equal(outcome.report.free, rows[i].free);
        assert_int_equal(outcome.report.unknown, rows[i].unknown);
        world_deinit(&outcome.world);
    }
    free(image);
}

static void hostile_files_get_their_error(void **state)
{
    (void)state;
    if (!test_shared_folder())
        skip();
    struct outcome outcome =
        read_files("data/synthetic/nan_yaw.yaml", "data/synthetic/p2_comments.pgm");
    assert_false(outcome.good);
    assert_string_equal(outcome.problem.faults[0].detail,
                        "origin[2] must be a finite number, not -nan");
    assert_int_equal(outcome.problem.faults[0].line, 3);

    // the path in it is only a name
    outcome = read_files("data/synthetic/traversal.yaml", "data/synthetic/p2_comments.pgm");
    assert_true(outcome.good);
    world_deinit(&outcome.world);

    outcome = read_files("data/synthetic/yaw.yaml", "data/synthetic/p5_short.pgm");
    assert_false(outcome.good);
    assert_string_equal(outcome.problem.faults[0].detail, "pnm: the raster has 3 of 6 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_become_cells),
        cmocka_unit_test(the_grid_lies_as_the_yaml_says),
        cmocka_unit_test(bad_yaml_is_refused),
        cmocka_unit_test(bad_images_are_refused),
        cmocka_unit_test(broken_yaml_stays_inside),
        cmocka_unit_test(shared_maps_have_their_counts),
        cmocka_unit_test(thresholds_are_not_rounded),
        cmocka_unit_test(hostile_files_get_their_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

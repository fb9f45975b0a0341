/* Goal: MovingAI maps are read as they are drawn, and what is not one is refused with its place.
 * Method: tables of files, and the benchmark's maps where they are at hand. Oracle: the format's
 * description; cell counts. */
#include "documents.h"
#include "formats/movingai.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "type octile\nheight 2\nwidth 3\nmap\n"

static bool read_with(struct world_document *world, const char *data, size_t bytes,
                      const char *passable, struct problem *problem)
{
    struct limits limits = limits_default();
    limits.grid_cells = 1 << 20;
    return movingai_read(world, data, bytes, passable, &limits, problem);
}

static bool read(const char *data, size_t bytes, struct problem *problem)
{
    struct world_document world;
    if (!read_with(&world, data, bytes, NULL, problem))
        return false;
    world_deinit(&world);
    return true;
}

static const struct bad_document bad[] = {
    {"", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {"octile", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {"type\nheight 2\nwidth 3\nmap\n...\n...\n", PROBLEM_UNSUPPORTED, NULL, NULL},
    {"type tile\nheight 2\nwidth 3\nmap\n...\n...\n", PROBLEM_UNSUPPORTED, NULL, NULL},
    {"typeoctile\nheight 2\nwidth 3\nmap\n...\n...\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {"type octile\nwidth 3\nheight 2\nmap\n...\n...\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {"type octile\nheight x\nwidth 3\nmap\n...\n...\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {"type octile\nheight -2\nwidth 3\nmap\n...\n...\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {"type octile\nheight 0\nwidth 3\nmap\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {"type octile\nheight\nwidth 3\nmap\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {"type octile\nheight 2.0\nwidth 3\nmap\n...\n...\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {"type octile\nheight 99999999999999999999999\nwidth 3\nmap\n", PROBLEM_LIMIT_EXCEEDED, NULL,
     "1048576"},
    {"type octile\nheight 2048\nwidth 2048\nmap\n...\n", PROBLEM_LIMIT_EXCEEDED, NULL, "1048576"},
    {"type octile\nheight 1000\nwidth 1000\nmap\n...\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {"type octile\nheight 2\nwidth 3\n...\n...\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {"type octile\nheight 2\nwidth 3\nmap x\n...\n...\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {HEADER "...\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {HEADER "...\n...\n...\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {HEADER "...\n\n...\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {HEADER "...\n..\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {HEADER "...\n....\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {HEADER "...\n..?\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {HEADER "...\n..\xe9\n", PROBLEM_INVALID_ARGUMENT, NULL, NULL},
};

static void bad_maps_are_refused(void **state)
{
    (void)state;
    assert_refused(bad, sizeof bad / sizeof *bad, read);

    // bytes that no C string holds
    struct problem problem = {0};
    assert_false(read(HEADER "..\0\n...\n", sizeof HEADER "..\0\n...\n" - 1, &problem));
    assert_non_null(strstr(problem.faults[0].detail, "row 0, column 2"));
}

static void faults_name_their_place(void **state)
{
    (void)state;
    const struct {
        const char *data, *detail;
        int line, column;
    } rows[] = {
        {HEADER "...\n.x.\n", "row 1, column 1: 'x'", 6, 2},
        {HEADER "....\n...\n", "row 0 has 4 cells where the width is 3", 5, 5},
        {HEADER "...\n", "1 rows where the height is 2", 5, 1},
        {HEADER "...\n...\n\n...\n", "3 rows where the height is 2", 8, 1},
        {"type tile\n", "\"tile\"", 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct problem problem = {0};
        assert_false(read(rows[i].data, strlen(rows[i].data), &problem));
        if (!strstr(problem.faults[0].detail, rows[i].detail))
            fail_msg("%s", problem.faults[0].detail);
        assert_int_equal(problem.faults[0].line, rows[i].line);
        assert_int_equal(problem.faults[0].column, rows[i].column);
    }
}

static void maps_are_read(void **state)
{
    (void)state;
    const char *files[] = {
        HEADER ".GS\nTW@\n",
        HEADER ".GS\nTW@",
        HEADER ".GS\nTW@\n\n\r\n",
        "type octile\r\nheight 2\r\nwidth 3\r\nmap\r\n.GS\r\nTW@\r\n",
        "type  octile \nheight\t2\nwidth 3 \nmap\n.GS\nTW@\n",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct problem problem = {0};
        struct world_document world;
        if (!read_with(&world, files[i], strlen(files[i]), NULL, &problem))
            fail_msg("%s: %s", files[i], problem.faults[0].detail);
        const struct obstacle_document *obstacle = &world.obstacles[0];
        assert_int_equal(world.dimension, 2);
        assert_int_equal(world.obstacle_count, 1);
        assert_string_equal(obstacle->id, "grid");
        assert_int_equal(obstacle->type, OBSTACLE_GRID);
        assert_true(obstacle->enabled && !obstacle->dynamic && obstacle->grid.resolution == 1);
        assert_memory_equal(obstacle->grid.rows, ".GSTW@", 6);
        assert_true(world.has_bounds && world.lower[0] == 0 && world.lower[1] == 0);
        assert_true(world.upper[0] == 3 && world.upper[1] == 2);
        assert_false(obstacle->grid.passable_trees || obstacle->grid.passable_water);
        world_deinit(&world);
    }
}

static void classes_are_freed(void **state)
{
    (void)state;
    const struct {
        const char *passable;
        bool good, trees, water;
    } rows[] = {
        {NULL, true, false, false},   {"", true, false, false}, {"T", true, true, false},
        {"W", true, false, true},     {"TW", true, true, true}, {"t", false, false, false},
        {"T,W", false, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct problem problem = {0};
        struct world_document world;
        const char *data = HEADER "...\n...\n";
        bool good = read_with(&world, data, strlen(data), rows[i].passable, &problem);
        assert_int_equal(good, rows[i].good);
        if (!good) {
            assert_int_equal(problem.faults[0].code, PROBLEM_INVALID_ARGUMENT);
            continue;
        }
        assert_int_equal(world.obstacles[0].grid.passable_trees, rows[i].trees);
        assert_int_equal(world.obstacles[0].grid.passable_water, rows[i].water);
        world_deinit(&world);
    }
}

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

static size_t count_cells(const struct grid_document *grid, char cell)
{
    size_t count = 0;
    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++)
        count += grid->rows[i] == cell;
    return count;
}

static void maps_of_the_benchmark(void **state)
{
    (void)state;
    const struct {
        const char *file;
        uint32_t width, height;
        size_t ground, trees, blocked;
    } rows[] = {
        {"data/movingai/den312d.map", 65, 81, 2445, 2565, 255},
        {"data/movingai/lak110d.map", 30, 21, 168, 215, 247},
        {"data/movingai/32room_000.map", 512, 512, 240671, 5769, 15704},
        {"data/synthetic/tiny_nonsquare.map", 5, 8, 22, 5, 8},
        {"data/synthetic/tiny_nonsquare_crlf.map", 5, 8, 22, 5, 8},
    };
    if (!test_shared_folder())
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct problem problem = {0};
        struct world_document world;
        size_t bytes;
        char *data = file_of(rows[i].file, &bytes);
        if (!read_with(&world, data, bytes, NULL, &problem))
            fail_msg("%s: %s", rows[i].file, problem.faults[0].detail);
        const struct grid_document *grid = &world.obstacles[0].grid;
        assert_int_equal(grid->width, rows[i].width);
        assert_int_equal(grid->height, rows[i].height);
        assert_int_equal(count_cells(grid, '.'), rows[i].ground);
        assert_int_equal(count_cells(grid, 'T'), rows[i].trees);
        assert_int_equal(count_cells(grid, '@'), rows[i].blocked);
        world_deinit(&world);
        free(data);
    }

    struct problem problem = {0};
    size_t bytes;
    char *data = file_of("data/synthetic/tiny_short_row.map", &bytes);
    assert_false(read(data, bytes, &problem));
    assert_non_null(strstr(problem.faults[0].detail, "row 2 has 4 cells where the width is 5"));
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_maps_are_refused),  cmocka_unit_test(faults_name_their_place),
        cmocka_unit_test(maps_are_read),         cmocka_unit_test(classes_are_freed),
        cmocka_unit_test(maps_of_the_benchmark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

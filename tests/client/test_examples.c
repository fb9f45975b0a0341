/* Goal: the independent judge of paths measures right and lets nothing through.
 * Method: distances of each kind of solid at chosen points; the program check_paths on answers that
 * are right and on answers spoilt in one way each. Oracle: by hand. */
#include "support/support.h"
#include "tools/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CHECK_PATHS
#error "CHECK_PATHS is the path of the program check_paths"
#endif

static char folder[] = "/tmp/prm-judge-XXXXXX";

static void file_write(const char *name, const char *content)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    static const char *const names[] = {"world.json", "robot.json", "request.json", "answer.json",
                                        "world.map"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

/* ---- distances ---- */

static void distances_are_right(void **state)
{
    (void)state;
    static const double tolerance = 1e-12;
    static const struct {
        struct solid solid;
        double rpy[3], p[3], distance;
        int dimension;
    } rows[] = {
        {{.kind = SOLID_SPHERE, .center = {1, 2, 3}, .radius = 0.5}, {0}, {1, 2, 5}, 1.5, 3},
        {{.kind = SOLID_SPHERE, .radius = 2}, {0}, {0, 0, 0}, -2, 3},
        {{.kind = SOLID_SPHERE, .radius = 1}, {0}, {3, 4, 99}, 4, 2},
        {{.kind = SOLID_BOX, .half = {1, 2, 3}}, {0}, {4, 6, 3}, 5, 3},
        {{.kind = SOLID_BOX, .half = {1, 2, 3}}, {0}, {0.5, 0, 0}, -0.5, 3},
        {{.kind = SOLID_BOX, .half = {1, 2, 3}}, {0, 0, 1.5707963267948966}, {0, 3, 0}, 2, 3},
        {{.kind = SOLID_BOX, .half = {1, 2, 3}}, {1.5707963267948966, 0, 0}, {0, 0, 5}, 3, 3},
        {{.kind = SOLID_BOX, .half = {2, 1, 0}},
         {0, 0, 0.7853981633974483},
         {2, 2, 0},
         0.8284271247461903,
         2},
        {{.kind = SOLID_CYLINDER, .radius = 1, .half_length = 2}, {0}, {4, 0, 6}, 5, 3},
        {{.kind = SOLID_CYLINDER, .radius = 1, .half_length = 2}, {0}, {0, 0, 1.5}, -0.5, 3},
        {{.kind = SOLID_CYLINDER, .radius = 1, .half_length = 2},
         {0, 1.5707963267948966, 0},
         {5, 0, 0},
         3,
         3},
        {{.kind = SOLID_CAPSULE, .radius = 1, .half_length = 2}, {0}, {3, 0, 6}, 4, 3},
        {{.kind = SOLID_CAPSULE, .radius = 1, .half_length = 2}, {0}, {0, 3, 1}, 2, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct solid solid = rows[i].solid, by_quaternion = solid;
        solid_turn_rpy(&solid, rows[i].rpy);
        double distance = solid_distance(&solid, rows[i].p, rows[i].dimension);
        if (!(fabs(distance - rows[i].distance) < tolerance))
            fail_msg("row %zu: %.17g, not %.17g", i, distance, rows[i].distance);

        // a turn about one axis as a quaternion is the same
        double q[4] = {sin(rows[i].rpy[0] / 2), sin(rows[i].rpy[1] / 2), sin(rows[i].rpy[2] / 2),
                       0};
        q[3] = sqrt(1 - q[0] * q[0] - q[1] * q[1] - q[2] * q[2]);
        solid_turn_quaternion(&by_quaternion, q);
        distance = solid_distance(&by_quaternion, rows[i].p, rows[i].dimension);
        assert_true(fabs(distance - rows[i].distance) < tolerance);
    }
}

static void grids_are_measured_by_cells(void **state)
{
    (void)state;
    bool blocked[4 * 3] = {false};
    blocked[1 * 4 + 3] = true; // column 3, row 1
    struct solid solid = {.kind = SOLID_GRID,
                          .center = {10, 20, 0},
                          .cells = {.width = 4, .height = 3, .resolution = 2, .blocked = blocked}};
    solid_turn_rpy(&solid, (const double[3]){0, 0, 0});
    static const struct {
        double x, y, distance;
    } rows[] = {
        {13, 23, 3}, // 3 to the left edge, 3 to the lower, 3 to the cell at x 16
        {15.5, 23, 0.5},
        {17, 23, 0},
        {11, 21, 1},
        {10, 23, 0},
        {9, 23, 0},
        {15, 25, 1},
        {15, 24.5, 1.118033988749895}, // the corner (16, 24)
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double distance = solid_distance(&solid, (const double[2]){rows[i].x, rows[i].y}, 2);
        if (!(fabs(distance - rows[i].distance) < 1e-12))
            fail_msg("row %zu: %.17g, not %.17g", i, distance, rows[i].distance);
    }
}

static void maps_are_read_upside_down(void **state)
{
    (void)state;
    struct scene scene;
    char fault[512] = "", world[128], robot[128];
    file_write("world.map", "type octile\r\nheight 2\r\nwidth 3\r\nmap\r\n..@\r\nGT.\r\n");
    file_write("robot.json", "{\"type\":\"point\"}");
    snprintf(world, sizeof world, "%s/world.map", folder);
    snprintf(robot, sizeof robot, "%s/robot.json", folder);
    assert_true(scene_read(&scene, world, robot, fault, sizeof fault));
    assert_true(scene_clearance(&scene, (const double[2]){2.5, 1.5}) == 0); // @
    assert_true(scene_clearance(&scene, (const double[2]){1.5, 0.5}) == 0); // T
    assert_true(scene_clearance(&scene, (const double[2]){0.5, 0.5}) == 0.5);
    assert_false(scene_in_bounds(&scene, (const double[2]){3.1, 1}));
    scene_deinit(&scene);
}

/* ---- the program ---- */

#define WORLD                                                                                      \
    "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":["                  \
    "{\"type\":\"circle\",\"center\":[5,5],\"radius\":1},"                                         \
    "{\"type\":\"rectangle\",\"center\":[5,8],\"size\":[4,1],\"enabled\":false}]}"
#define REQUEST "{\"queries\":[{\"id\":7,\"start\":[1,1],\"goal\":[9,1]}]}"
#define ANSWER(result) "{\"results\":[" result "]}"
#define PATH(path, length)                                                                         \
    ANSWER("{\"id\":7,\"status\":\"solved\",\"path\":[" path "],\"length\":" length "}")

static int judge(const char *world, const char *request, const char *answer)
{
    char command[512];
    file_write("world.json", world);
    file_write("robot.json", "{\"type\":\"ball\",\"radius\":0.5}");
    file_write("request.json", request);
    file_write("answer.json", answer);
    snprintf(command, sizeof command,
             "cd %s && " CHECK_PATHS
             " world.json robot.json request.json answer.json >/dev/null 2>&1",
             folder);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void spoilt_answers_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *what, *answer;
        int code;
    } rows[] = {
        {"right", PATH("[1,1],[9,1]", "8"), 0},
        {"through the disabled one", PATH("[1,1],[1,8],[9,8],[9,1]", "22"), 0},
        {"not solved", ANSWER("{\"id\":7,\"status\":\"no_path\"}"), 0},
        {"clear by a hair", PATH("[1,1],[1,3.4999],[9,3.4999],[9,1]", "12.9998"), 0},
        {"through the circle", PATH("[1,1],[1,5],[9,5],[9,1]", "16"), 1},
        {"grazing by a hair", PATH("[1,1],[1,3.5001],[9,3.5001],[9,1]", "13.0002"), 1},
        {"touching", PATH("[1,1],[1,3.5],[5,3.5],[9,3.5],[9,1]", "13"), 1},
        {"out of bounds", PATH("[1,1],[1,-1],[9,-1],[9,1]", "12"), 1},
        {"another start", PATH("[1.000001,1],[9,1]", "7.999999"), 1},
        {"another goal", PATH("[1,1],[9,1.000001]", "8"), 1},
        {"too short a length", PATH("[1,1],[9,1]", "7.9999"), 1},
        {"no length", ANSWER("{\"id\":7,\"status\":\"solved\",\"path\":[[1,1],[9,1]]}"), 1},
        {"no path", ANSWER("{\"id\":7,\"status\":\"solved\",\"length\":8}"), 1},
        {"a way-point of three", PATH("[1,1],[2,1,1],[9,1]", "8"), 1},
        {"another id", ANSWER("{\"id\":8,\"status\":\"no_path\"}"), 1},
        {"no result", ANSWER(""), 1},
        {"not JSON", "{", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int code = judge(WORLD, REQUEST, rows[i].answer);
        if (code != rows[i].code)
            fail_msg("%s: exit status %d, not %d", rows[i].what, code, rows[i].code);
    }
}

static void unknown_worlds_are_refused(void **state)
{
    (void)state;
    static const char *const worlds[] = {
        "{\"dimension\":2,\"obstacles\":[{\"type\":\"polygon\",\"points\":[[0,0],[1,0],[0,1]]}]}",
        "{\"dimension\":2,\"padding\":0.1,\"obstacles\":[]}",
        "{\"dimension\":2,\"obstacles\":[{\"type\":\"circle\",\"center\":[5,5],\"radius\":1,"
        "\"padding\":1}]}",
        "{\"dimension\":4}",
    };
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        assert_int_equal(judge(worlds[i], REQUEST, PATH("[1,1],[9,1]", "8")), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_right),        cmocka_unit_test(grids_are_measured_by_cells),
        cmocka_unit_test(maps_are_read_upside_down),  cmocka_unit_test(spoilt_answers_are_found),
        cmocka_unit_test(unknown_worlds_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

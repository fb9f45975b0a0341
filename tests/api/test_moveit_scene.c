/* Goal: MoveIt's scenes of both versions become the obstacles they say, and bad ones name the line.
 * Method: tables of scenes and of the world documents they make, files cut and changed, the shared
 * data. Oracle: the documents written by hand. */
#include "files.h"
#include "formats/scene.h"
#include "support/support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT "0 0 0\n0 0 0 1\n"
#define RED "1 0 0 1\n"
#define AT(x) "\"center\":[" x "]"
#define FLAGS ",\"dynamic\":false,\"enabled\":true}"

/* Scenes, and their obstacles as documents with commas between. */
static const struct {
    const char *scene, *obstacles;
} good[] = {
    {"(noname)+\n.\n", ""},
    // the older version: shapes lie in the world
    {"s\n* a box\n1\nbox\n1 2 3\n4 5 6\n0 0 0 1\n" RED ".\n",
     "{\"id\":\"a box\",\"type\":\"box\"," AT(
         "4,5,6") ",\"size\":[1,2,3],\"quaternion\":[0,0,0,1]" FLAGS},
    // the newer one: in their object's frame, which is turned by a quarter about z
    {"s\n* a\n10 20 30\n0 0 1 1\n2\nsphere .5\n1 0 0\n0 0 0 1\n" RED
     "cylinder\n0.5 2\n0 1 0\n0 0 0 2\n" RED "1\nsub frame\n.",
     NULL},
    {"s\n* a\n1 0 0\n0 0 0 1\n2\nsphere .5\n1 0 0\n0 0 0 1\n" RED "sphere 0.25\n0 0 1 0 0 0 -1 " RED
     "1\nsub " UNIT
     "*   b b  \r\n0 0 0\r\n0 0 0 1\r\n1\r\nsphere 2 0 0 0 0 0 0 1 0 0 0 0\r\n0\r\n.\r\n",
     "{\"id\":\"a\",\"type\":\"sphere\"," AT(
         "2,0,0") ",\"radius\":0.5" FLAGS
                  ",{\"id\":\"a#2\",\"type\":\"sphere\"," AT(
                      "1,0,1") ",\"radius\":0.25" FLAGS
                               ",{\"id\":\"b b\",\"type\":\"sphere\"," AT(
                                   "0,0,0") ",\"radius\":2" FLAGS},
    // objects of one id are one
    {"s\n* a\n1\nsphere 1\n" UNIT RED "* b\n1\nsphere 2\n" UNIT RED "* a\n1\nsphere 3\n" UNIT RED
     ".",
     "{\"id\":\"a\",\"type\":\"sphere\"," AT(
         "0,0,0") ",\"radius\":1" FLAGS
                  ",{\"id\":\"b\",\"type\":\"sphere\"," AT(
                      "0,0,0") ",\"radius\":2" FLAGS
                               ",{\"id\":\"a#2\",\"type\":\"sphere\"," AT(
                                   "0,0,0") ",\"radius\":3" FLAGS},
    // every line indented
    {" s\n * a\n 0 0 0\n 0 0 0 1\n 1\n sphere\n 1\n 1 1 1\n 0 0 0 1\n 0 0 0 0\n 0\n .\n",
     "{\"id\":\"a\",\"type\":\"sphere\"," AT("1,1,1") ",\"radius\":1" FLAGS},
    {"s\n* m\n1\nmesh\n4 2\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 1 2\n0 2 3\n0 0 5\n0 0 0 1\n" RED ".\n",
     "{\"id\":\"m\",\"type\":\"mesh\"," AT(
         "0,0,5") ",\"quaternion\":[0,0,0,1],\"vertices\":[[0,0,0]"
                  ",[1,0,0],[1,1,0],[0,1,0]],\"triangles\":[[0,1,2],[0,2,3]]" FLAGS},
    {"s\n* nothing\n0\n.\n", ""},
};

static const char *written(const struct world_document *world)
{
    static char text[4096];
    struct text out = {0};
    *text = '\0';
    for (uint32_t i = 0; i < world->obstacle_count; i++)
        obstacle_write(&world->obstacles[i], &out);
    assert_true(out.length < sizeof text);
    if (out.length)
        memcpy(text, out.data, out.length);
    text[out.length] = '\0';
    text_deinit(&out);
    return text;
}

static void scenes_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct reading reading = read_bytes(scene_read, good[i].scene, strlen(good[i].scene), NULL);
        if (!good[i].obstacles) {
            assert_false(reading.good);
            continue;
        }
        assert_read(&reading);
        assert_int_equal(reading.world.dimension, 3);
        assert_string_equal(written(&reading.world), good[i].obstacles);
        reading_deinit(&reading);
        assert_survives(scene_read, good[i].scene, strlen(good[i].scene), 300);
    }
}

/* An object's frame turns its shapes: the point and the quaternion by hand. */
static void poses_are_composed(void **state)
{
    (void)state;
    static const char scene[] =
        "s\n* a\n10 20 30\n0 0 1 1\n1\nbox 1 2 3\n1 0 0\n1 0 0 1\n" RED "0\n.\n";
    struct reading reading = read_bytes(scene_read, scene, sizeof scene - 1, NULL);
    assert_read(&reading);
    const struct obstacle_document *box = reading.world.obstacles;
    const double center[3] = {10, 21, 30}, q[4] = {0.5, 0.5, 0.5, 0.5};
    for (int i = 0; i < 3; i++)
        assert_true(fabs(box->center[i] - center[i]) < 1e-12);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(box->quaternion[i] - q[i]) < 1e-12);
    reading_deinit(&reading);
}

/* A cone's mesh has the cone inside, and is hardly wider. */
static void cones_are_meshes_around_them(void **state)
{
    (void)state;
    static const char scene[] = "s\n* c\n1\ncone 0.5 2\n" UNIT RED ".\n";
    struct reading reading = read_bytes(scene_read, scene, sizeof scene - 1, NULL);
    assert_read(&reading);
    assert_non_null(strstr(reading.report.warning, "1 cones are meshes"));
    const struct obstacle_document *mesh = reading.world.obstacles;
    assert_int_equal(mesh->type, OBSTACLE_MESH);
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        const double *a = mesh->points + 3 * mesh->triangles[3 * i];
        const double *b = mesh->points + 3 * mesh->triangles[3 * i + 1];
        const double *c = mesh->points + 3 * mesh->triangles[3 * i + 2];
        double n[3], most = -HUGE_VAL;
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            n[k] = (b[l] - a[l]) * (c[m] - a[m]) - (b[m] - a[m]) * (c[l] - a[l]);
        }

        // all of the cone's rim and its tip are behind the side, which looks outwards
        for (int k = 0; k <= 360; k++) {
            const double p[3] = {k < 360 ? 0.5 * cos(k * 0.017453292519943295) : 0,
                                 k < 360 ? 0.5 * sin(k * 0.017453292519943295) : 0,
                                 k < 360 ? -1.0 : 1.0};
            most = fmax(most, (p[0] - a[0]) * n[0] + (p[1] - a[1]) * n[1] + (p[2] - a[2]) * n[2]);
        }
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        assert_true(most < 1e-12 * length && most > -1e-3 * length);
    }
    reading_deinit(&reading);
}

static const struct bad_file bad[] = {
    {"", PROBLEM_INVALID_ARGUMENT, "empty"},
    {"s\n", PROBLEM_INVALID_ARGUMENT, "without the scene's \".\""},
    {"s\nx\n", PROBLEM_INVALID_ARGUMENT, "line 2: \"*\" or \".\" is due, not \"x\""},
    {"s\n.\nx\n", PROBLEM_INVALID_ARGUMENT, "line 3: something follows"},
    {"s\n* a\n1\nsphere 1\n" UNIT RED, PROBLEM_INVALID_ARGUMENT, "without the scene's \".\""},
    {"s\n* a\n", PROBLEM_INVALID_ARGUMENT, "a count of shapes is due"},
    {"s\n* a\nx\n", PROBLEM_INVALID_ARGUMENT, "line 3: a count of shapes is due, and \"x\""},
    {"s\n* a\n1\npyramid 1\n", PROBLEM_INVALID_ARGUMENT, "line 4: \"pyramid\" is no shape"},
    {"s\n* a\n1\nplane 0 0 1 0\n" UNIT RED ".", PROBLEM_UNSUPPORTED, "line 4: planes"},
    {"s\n* a\n1\nsphere -1\n" UNIT RED ".", PROBLEM_INVALID_ARGUMENT, "line 4: a size must be"},
    {"s\n* a\n1\nbox 1 0 1\n" UNIT RED ".", PROBLEM_INVALID_ARGUMENT, "line 4: a size must be"},
    {"s\n* a\n1\nsphere 1\n0 0 0\n0 0 0 0\n" RED ".", PROBLEM_INVALID_ARGUMENT,
     "line 6: a quaternion must not be all zero"},
    {"s\n* a\n1\nsphere 1\n0 nan 0\n0 0 0 1\n" RED ".", PROBLEM_INVALID_ARGUMENT,
     "line 5: a position must be"},
    {"s\n* a\n1\nsphere 1\n0 0 0\n0 0 0 1\n1 0 0\n.", PROBLEM_INVALID_ARGUMENT,
     "line 8: a colour is due, and \".\""},
    {"s\n* a\n4000000000\nsphere 1\n" UNIT RED, PROBLEM_INVALID_ARGUMENT, "a shape is due"},
    {"s\n* a\n1\nmesh\n4294967295 4294967295\n0 0 0\n", PROBLEM_INVALID_ARGUMENT,
     "a vertex is due"},
    {"s\n* a\n1\nmesh\n1 1\n0 0 0\n0 0 1\n", PROBLEM_INVALID_ARGUMENT, "vertex 1 of a mesh of 1"},
    {"s\n* a\n1\nmesh\n1 1\n0 0 0\n0 0 -1\n", PROBLEM_INVALID_ARGUMENT, "no whole number"},
    {"s\n* \xff\n1\n", PROBLEM_INVALID_ARGUMENT, "line 2: an id must be UTF-8"},
    {"s\n* a\n2\nsphere 1\n" UNIT RED "sphere 1\n" UNIT RED "* a#2\n1\nsphere 1\n" UNIT RED ".",
     PROBLEM_DUPLICATE_ID, "\"a#2\" is used twice"},
};

static void bad_scenes_are_refused(void **state)
{
    (void)state;
    assert_files_refused(scene_read, bad, sizeof bad / sizeof *bad);

    // an id that is too long, and one that has no room for a number
    char scene[512];
    snprintf(scene, sizeof scene, "s\n* %0129d\n0\n.", 0);
    assert_file_refused(scene_read, scene, strlen(scene), PROBLEM_INVALID_ARGUMENT,
                        "line 2: an id has at most 128");
    snprintf(scene, sizeof scene, "s\n* %0128d\n2\nsphere 1\n" UNIT RED "sphere 1\n" UNIT RED ".",
             0);
    assert_file_refused(scene_read, scene, strlen(scene), PROBLEM_INVALID_ARGUMENT, "too long");
}

static void a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    if (!set_comma_locale()) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct reading reading = read_bytes(scene_read, good[i].scene, strlen(good[i].scene), NULL);
        if (good[i].obstacles)
            assert_string_equal(written(&reading.world), good[i].obstacles);
        reading_deinit(&reading);
    }
    setlocale(LC_ALL, "C");
}

static void shared_scenes_hold_what_they_do(void **state)
{
    (void)state;
    static const char *const tilted =
        "\"quaternion\":[0,0,0.000041637699963906404,0.999999999133151]";
    static const struct {
        const char *path, *begin, *middle, *end; /* with the tilt between */
    } rows[] = {
        {"data/scenes/moveit2_test_old_format.scene",
         "{\"id\":\"foo\",\"type\":\"box\"," AT(
             "0,0,0.025") ",\"size\":[0.77,0.39,0.05],"
                          "\"quaternion\":[0,0,0,1]" FLAGS
                          ",{\"id\":\"foo#2\",\"type\":\"box\"," AT(
                              "0,0,1.445") ",\"size\":[0.77,0.39,0.05],\"quaternion\":[0,0,0,"
                                           "1]" FLAGS,
         NULL, NULL},
        {"data/scenes/moveit2_test_new_format.scene",
         "{\"id\":\"foo\",\"type\":\"box\"," AT(
             "1.49257,1.00222,0.170051") ",\"size\":[2.58,1.36,0.31],",
         FLAGS ",{\"id\":\"bar\",\"type\":\"cylinder\"," AT(
             "0.453709,0.499136,0.355051") ",\"radius\":0.02,\"length\":0.0001,",
         FLAGS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading reading = read_shared(scene_read, rows[i].path, NULL);
        char expected[1024];
        assert_read(&reading);
        snprintf(expected, sizeof expected, "%s", rows[i].begin);
        if (rows[i].middle)
            snprintf(expected, sizeof expected, "%s%s%s%s%s", rows[i].begin, tilted, rows[i].middle,
                     tilted, rows[i].end);
        assert_string_equal(written(&reading.world), expected);
        reading_deinit(&reading);
    }
    struct reading reading =
        read_shared(scene_read, "data/scenes/moveit2_test_malformed.scene", NULL);
    assert_false(reading.good);
    assert_int_equal(reading.problem.faults[0].line, 11);
    assert_non_null(strstr(reading.problem.faults[0].detail, "line 11: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_are_read),
        cmocka_unit_test(poses_are_composed),
        cmocka_unit_test(cones_are_meshes_around_them),
        cmocka_unit_test(bad_scenes_are_refused),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(shared_scenes_hold_what_they_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: meshes of all forms give the triangles they hold, and bad ones say what is wrong. Method:
 * tables of small files, files cut and changed, the shared data. Oracle: corners written out by
 * hand; counts of the files. */
#include "files.h"
#include "formats/obj.h"
#include "formats/ply.h"
#include "formats/stl.h"
#include "support/support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 3, AXES = 3, TRIANGLES_MAX = 4 };

/* How often memory was asked for: the linker sends all calls here (--wrap). */
static unsigned long allocations;
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    allocations++;
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    allocations++;
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    allocations++;
    return __real_realloc(old, bytes);
}

/* A text, and the corners of its triangles as rows of vertices. */
struct mesh_row {
    const char *data;
    uint32_t vertices, triangles;
    uint32_t corners[TRIANGLES_MAX * CORNERS];
    const char *warning;
};

static void assert_meshes(format_function *read, const struct mesh_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct mesh_row *row = &rows[i];
        struct reading reading = read_bytes(read, row->data, strlen(row->data), NULL);
        assert_read(&reading);
        const struct obstacle_document *mesh = reading.world.obstacles;
        assert_int_equal(mesh->type, OBSTACLE_MESH);
        if (mesh->point_count != row->vertices || mesh->triangle_count != row->triangles)
            fail_msg("row %zu: %u vertices, %u triangles", i, mesh->point_count,
                     mesh->triangle_count);
        assert_memory_equal(mesh->triangles, row->corners,
                            sizeof *row->corners * CORNERS * row->triangles);
        assert_string_equal(reading.report.warning, row->warning ? row->warning : "");
        reading_deinit(&reading);
    }
}

/* ---- obj ---- */

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static const struct mesh_row obj_good[] = {
    {SQUARE "f 1 2 3\n", 4, 1, {0, 1, 2}, NULL},
    {SQUARE "f 1 2 3 4\n", 4, 2, {0, 1, 2, 0, 2, 3}, NULL},
    {SQUARE "f 1/1 2/2 3/3\nf 1//1 2//2 4//4\nf 2/9/9 3/9/9 4/9/9\n",
     4,
     3,
     {0, 1, 2, 0, 1, 3, 1, 2, 3},
     NULL},
    {SQUARE "f -4 -3 -2\nv 5 5 5\nf -1 1 2\n", 5, 2, {0, 1, 2, 4, 0, 1}, NULL},
    {"f 1 2 3\n" SQUARE, 4, 1, {0, 1, 2}, NULL},
    {SQUARE "f 1 2 \\\n3 \\\r\n  4\n", 4, 2, {0, 1, 2, 0, 2, 3}, NULL},
    {SQUARE "f  1\t2   3  # a face\r\n", 4, 1, {0, 1, 2}, NULL},
    {"# c\nmtllib a.mtl\no thing\ng a b\ns off\nvn 0 0 1\nvt 0 0\nusemtl x\nv 0 0 0 1.0\n"
     "v 1 0 0 0.5 0.5 0.5\nv 0 1\\\n0\nf 1 2 3",
     3,
     1,
     {0, 1, 2},
     NULL},
    {"12 4\n" SQUARE "f 1 2 3\nl 1 2 \\\n3\np 4\n",
     4,
     1,
     {0, 1, 2},
     "2 lines or points were left out: only faces are read."},
    {SQUARE "v 2 0 0\nf 1 2 5\nf 1 1 2\n",
     5,
     2,
     {0, 1, 4, 0, 0, 1},
     "2 of 2 triangles have no area; they count as segments and points."},
    {"g \\\nf 1 2 3\n" SQUARE "f 2 3 4\n", 4, 1, {1, 2, 3}, NULL},
};

static const struct bad_file obj_bad[] = {
    {"", PROBLEM_INVALID_ARGUMENT, "no face"},
    {SQUARE, PROBLEM_INVALID_ARGUMENT, "no face"},
    {SQUARE "f 1 2\n", PROBLEM_INVALID_ARGUMENT, "line 5: a face has 3 corners at least, not 2"},
    {SQUARE "f\n", PROBLEM_INVALID_ARGUMENT, "not 0"},
    {SQUARE "f 0 1 2\n", PROBLEM_INVALID_ARGUMENT, "line 5: there is no vertex 0"},
    {SQUARE "f 1 2 -5\n", PROBLEM_INVALID_ARGUMENT, "no vertex -5"},
    {SQUARE "f 1 2 5\n", PROBLEM_INVALID_ARGUMENT, "vertex 4, and there are 4"},
    {SQUARE "f 1 2 99999999999999999999\n", PROBLEM_INVALID_ARGUMENT, "no corner"},
    {SQUARE "f 1 2 3/\\\nx\n", PROBLEM_INVALID_ARGUMENT, "no corner"},
    {SQUARE "f 1 2 3x\n", PROBLEM_INVALID_ARGUMENT, "line 5: \"3x\" is no corner"},
    {SQUARE "f 1 2 3/1/2/3\n", PROBLEM_INVALID_ARGUMENT, "no corner"},
    {SQUARE "f 1 2 /3\n", PROBLEM_INVALID_ARGUMENT, "no corner"},
    {"v 0 0\nf 1 1 1\n", PROBLEM_INVALID_ARGUMENT, "line 1: a vertex has 3 numbers, not 2"},
    {"v 0 0 a\n", PROBLEM_INVALID_ARGUMENT, "line 1: \"a\""},
    {"v 0 0 nan\n", PROBLEM_INVALID_ARGUMENT, "line 1: a coordinate"},
    {"v 0 0 1e10\n", PROBLEM_INVALID_ARGUMENT, "line 1: a coordinate"},
    {"v 0 \\", PROBLEM_INVALID_ARGUMENT, "not 1"},
    {SQUARE "surf 0 1 0 1 1 2 3 4\n", PROBLEM_UNSUPPORTED, "line 5: \"surf\""},
    {"solid a\n", PROBLEM_UNSUPPORTED, "line 1: \"solid\""},
};

static void wavefront_files_are_read(void **state)
{
    (void)state;
    assert_meshes(obj_read, obj_good, sizeof obj_good / sizeof *obj_good);
    assert_files_refused(obj_read, obj_bad, sizeof obj_bad / sizeof *obj_bad);
    for (size_t i = 0; i < sizeof obj_good / sizeof *obj_good; i++)
        assert_survives(obj_read, obj_good[i].data, strlen(obj_good[i].data), 200);
}

/* ---- stl ---- */

#define FACET(z)                                                                                   \
    "facet normal 0 0 1\nouter loop\nvertex 0 0 " z "\nvertex 1 0 " z "\nvertex 0 1 " z            \
    "\nendloop\nendfacet\n"

static const struct mesh_row stl_good[] = {
    {"solid a\n" FACET("0") FACET("1") "endsolid a\n", 6, 2, {0, 1, 2, 3, 4, 5}, NULL},
    {"solid\n" FACET("0") "endsolid", 3, 1, {0, 1, 2}, NULL},
    {"  SOLID name with words\r\n FACET NORMAL nan nan nan\r\n OUTER LOOP VERTEX 0 0 0 VERTEX 1 0 "
     "0 VERTEX 0 1e0 0 ENDLOOP ENDFACET ENDSOLID x\r\nsolid b\r\nendsolid b\r\n",
     3,
     1,
     {0, 1, 2},
     NULL},
};

static const struct bad_file stl_bad[] = {
    {"", PROBLEM_INVALID_ARGUMENT, "no STL"},
    {"facet normal", PROBLEM_INVALID_ARGUMENT, "no STL"},
    {"solid a\n", PROBLEM_INVALID_ARGUMENT, "without \"endsolid\""},
    {"solid a\nfacet\n", PROBLEM_INVALID_ARGUMENT, "\"normal\" is due"},
    {"solid a\nfacet normal 0 0\n", PROBLEM_INVALID_ARGUMENT, "a normal has 3"},
    {"solid a\nfacet normal 0 0 1 loop\n", PROBLEM_INVALID_ARGUMENT,
     "line 2: \"outer\" is due, not \"loop\""},
    {"solid a\nvertex 0 0 0\n", PROBLEM_INVALID_ARGUMENT, "line 2: \"facet\" or \"endsolid\""},
    {"solid a\n" FACET("x") "endsolid", PROBLEM_INVALID_ARGUMENT, "line 4: a vertex is due"},
    {"solid a\n" FACET("inf") "endsolid", PROBLEM_INVALID_ARGUMENT, "line 4: a vertex must"},
    {"solid a\n" FACET("0") "endsolid\nx", PROBLEM_INVALID_ARGUMENT, "line 10: \"solid\" is due"},
};

/* A binary file of `count` triangles above each other, which begins like an ascii one. */
static size_t make_binary(unsigned char *data, uint32_t count)
{
    memset(data, 0, 84 + 50 * (size_t)count);
    static const char SOLID[5] = {'s', 'o', 'l', 'i', 'd'};
    memcpy(data, SOLID, sizeof SOLID);
    memcpy(data + 80, &count, 4);
    for (uint32_t i = 0; i < count; i++) {
        const float numbers[12] = {NAN, 0, 0, 0, 0, (float)i, 1, 0, (float)i, 0, 1, (float)i};
        memcpy(data + 84 + 50 * (size_t)i, numbers, sizeof numbers);
    }
    return 84 + 50 * (size_t)count;
}

static void stereolithography_is_read(void **state)
{
    (void)state;
    static unsigned char data[84 + 50 * 50];
    assert_meshes(stl_read, stl_good, sizeof stl_good / sizeof *stl_good);
    assert_files_refused(stl_read, stl_bad, sizeof stl_bad / sizeof *stl_bad);
    for (size_t i = 0; i < sizeof stl_good / sizeof *stl_good; i++)
        assert_survives(stl_read, stl_good[i].data, strlen(stl_good[i].data), 500);

    for (uint32_t count = 0; count <= 50; count += 25) {
        const size_t bytes = make_binary(data, count);
        struct reading reading = read_bytes(stl_read, data, bytes, NULL);
        assert_read(&reading);
        const struct obstacle_document *mesh = reading.world.obstacles;
        assert_int_equal(mesh->triangle_count, count);
        for (uint32_t i = 0; i < count; i++) {
            const double *corner = mesh->points + AXES * (size_t)mesh->triangles[CORNERS * i + 2];
            assert_true(corner[0] == 0 && corner[1] == 1 && corner[2] == i);
        }
        reading_deinit(&reading);
        assert_survives(stl_read, data, bytes, 500);
    }

    // a count that is not the file's
    const size_t bytes = make_binary(data, 2);
    data[0] = 'x';
    data[80] = 3;
    assert_file_refused(stl_read, data, bytes, PROBLEM_INVALID_ARGUMENT,
                        "3 triangles, which need 234 bytes, and has 184");
}

/* A binary file that counts 2^32 - 1 triangles takes no memory at all. */
static void a_count_alone_takes_no_memory(void **state)
{
    (void)state;
    static char data[84 + 50];
    struct limits limits = limits_default();
    struct problem problem = {0};
    struct world_document world = {0};
    struct format_report report = {0};
    const struct format_file file = {
        .data = data, .bytes = sizeof data, .limits = &limits, .problem = &problem};
    memset(data + 80, 0xff, 4);
    const unsigned long before = allocations;
    assert_false(stl_read(&world, &report, &file));
    assert_int_equal(allocations, before);
    assert_non_null(strstr(problem.faults[0].detail, "4294967295 triangles"));

    // the count is right: the same file is read, and does take memory
    memcpy(data + 80, "\1\0\0", 4);
    assert_true(stl_read(&world, &report, &file));
    assert_true(allocations > before);
    world_deinit(&world);
}

/* ---- ply with faces ---- */

#define PLY                                                                                        \
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float " \
    "z\nelement face 2\nproperty uchar red\nproperty list uchar uint "
#define VERTICES "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

static const struct mesh_row ply_good[] = {
    {PLY "vertex_indices\nend_header\n" VERTICES "9 3 0 1 2\n9 4 0 1 2 3\n",
     4,
     3,
     {0, 1, 2, 0, 1, 2, 0, 2, 3},
     NULL},
    {PLY "vertex_index\nproperty list int float texcoord\nend_header\n" VERTICES
         "9 0 2 .5 .5\n9 2 1 2 0\n",
     4,
     1,
     {1, 1, 2},
     "1 of 1 triangles have no area; they count as segments and points."},
};

static const struct bad_file ply_bad[] = {
    {PLY "vertex_index\nend_header\n" VERTICES "9 3 0 1 4\n9 0\n", PROBLEM_INVALID_ARGUMENT,
     "vertex 4, and there are 4"},
    {PLY "vertex_index\nend_header\n" VERTICES "9 3 0 1 -1\n9 0\n", PROBLEM_INVALID_ARGUMENT,
     "count or index of -1"},
    {PLY "vertex_index\nend_header\nnan 0 0\n1 0 0\n1 1 0\n0 1 0\n9 0\n9 0\n",
     PROBLEM_INVALID_ARGUMENT, "has nan"},
};

static void polygon_files_with_faces_are_meshes(void **state)
{
    (void)state;
    assert_meshes(ply_read, ply_good, sizeof ply_good / sizeof *ply_good);
    assert_files_refused(ply_read, ply_bad, sizeof ply_bad / sizeof *ply_bad);
    assert_survives(ply_read, ply_good[0].data, strlen(ply_good[0].data), 1000);

    // a radius is for points
    const struct format_file options = {.radius = 1};
    struct reading reading =
        read_bytes(ply_read, ply_good[0].data, strlen(ply_good[0].data), &options);
    assert_false(reading.good);
    assert_non_null(strstr(reading.problem.faults[0].detail, "radius is for points"));
}

/* ---- all ---- */

static void triangles_are_limited(void **state)
{
    (void)state;
    char *data = malloc(TEST_TRIANGLES_MAX * 8 + 200);
    assert_non_null(data);
    size_t length = (size_t)sprintf(data, SQUARE);
    for (int i = 0; i <= TEST_TRIANGLES_MAX; i++)
        length += (size_t)sprintf(data + length, "f 1 2 3\n");
    assert_file_refused(obj_read, data, length, PROBLEM_LIMIT_EXCEEDED, "--max-triangles");
    free(data);
}

static void a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    if (!set_comma_locale()) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    static const char obj[] = "v 0.5 0 0\nv 1.5 0 0\nv 0 1.25 0\nf 1 2 3\n";
    struct reading reading = read_bytes(obj_read, obj, sizeof obj - 1, NULL);
    assert_read(&reading);
    assert_true(reading.world.obstacles[0].points[0] == 0.5);
    assert_true(reading.world.obstacles[0].points[7] == 1.25);
    reading_deinit(&reading);
    reading = read_bytes(stl_read, stl_good[2].data, strlen(stl_good[2].data), NULL);
    assert_read(&reading);
    reading_deinit(&reading);
    setlocale(LC_ALL, "C");
}

/* Counts as other programs have them. */
static void shared_meshes_hold_what_they_do(void **state)
{
    (void)state;
    static const struct {
        format_function *read;
        const char *path;
        uint32_t vertices, triangles;
    } rows[] = {
        {stl_read, "data/meshes/cone.stl", 186, 62},
        {obj_read, "data/meshes/fcl_rob.obj", 648, 216},
        {obj_read, "data/meshes/timber_beam.obj", 112, 124},
        {stl_read, "data/synthetic/ascii.stl", 3, 1},
        {ply_read, "data/clouds/cube.ply", 24, 12},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading reading = read_shared(rows[i].read, rows[i].path, NULL);
        assert_read(&reading);
        const struct obstacle_document *mesh = reading.world.obstacles;
        assert_int_equal(mesh->point_count, rows[i].vertices);
        assert_int_equal(mesh->triangle_count, rows[i].triangles);
        assert_string_equal(reading.report.warning, "");
        reading_deinit(&reading);
    }
    struct reading reading = read_shared(stl_read, "data/synthetic/count_too_big.stl", NULL);
    assert_false(reading.good);
    assert_non_null(strstr(reading.problem.faults[0].detail, "4294967295 triangles"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wavefront_files_are_read),
        cmocka_unit_test(stereolithography_is_read),
        cmocka_unit_test(a_count_alone_takes_no_memory),
        cmocka_unit_test(polygon_files_with_faces_are_meshes),
        cmocka_unit_test(triangles_are_limited),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(shared_meshes_hold_what_they_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

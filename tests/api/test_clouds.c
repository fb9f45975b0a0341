/* Goal: clouds of all forms give the points they hold, and bad ones say what is wrong. Method:
 * tables of small files, the same points written in every form, files cut and changed, the shared
 * data. Oracle: the points written; counts of the files' own headers. */
#include "files.h"
#include "formats/npy_points.h"
#include "formats/pcd.h"
#include "formats/ply.h"
#include "formats/xyz.h"
#include "schema/npy.h"
#include "support/support.h"

#include <locale.h>
#include <lzf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 101, FILE_MAX = 1 << 16, AXES = 3 };

/* A file being written. */
struct file {
    unsigned char data[FILE_MAX];
    size_t bytes;
};

static void put(struct file *file, const void *data, size_t bytes)
{
    assert_true(file->bytes + bytes <= FILE_MAX);
    memcpy(file->data + file->bytes, data, bytes);
    file->bytes += bytes;
}

static void put_text(struct file *file, const char *text)
{
    put(file, text, strlen(text));
}

/* The file's points are these; `dropped` others were not finite. */
static void assert_points(format_function *read, const struct file *file, const double *points,
                          uint32_t count, const char *warning)
{
    const struct format_file options = {.radius = 0.25, .resolution = 0.5};
    struct reading reading = read_bytes(read, file->data, file->bytes, &options);
    assert_read(&reading);
    assert_int_equal(reading.world.dimension, 3);
    assert_int_equal(reading.world.obstacle_count, 1);
    const struct obstacle_document *cloud = reading.world.obstacles;
    assert_int_equal(cloud->type, OBSTACLE_POINTS);
    assert_true(cloud->radius == 0.25 && cloud->resolution == 0.5 && cloud->enabled);
    assert_int_equal(cloud->point_count, count);
    for (uint32_t i = 0; i < AXES * count; i++)
        if (!(cloud->points[i] == points[i]))
            fail_msg("number %u is %g, not %g", i, cloud->points[i], points[i]);
    assert_string_equal(reading.report.warning, warning);
    reading_deinit(&reading);
}

/* A table's row: a text, and the one or two points that it holds. */
struct text_row {
    const char *data;
    uint32_t count;
    double points[2 * AXES];
    const char *warning;
};

static void assert_rows(format_function *read, const struct text_row *rows, size_t count)
{
    static struct file file;
    for (size_t i = 0; i < count; i++) {
        file.bytes = 0;
        put_text(&file, rows[i].data);
        assert_points(read, &file, rows[i].points, rows[i].count,
                      rows[i].warning ? rows[i].warning : "");
    }
}

/* ---- xyz ---- */

static const struct text_row xyz_good[] = {
    {"", 0, {0}, NULL},
    {"1 2 3", 1, {1, 2, 3}, NULL},
    {"1 2 3\r\n\r\n-4.5\t5e-1   +6 7 8 9\r\n", 2, {1, 2, 3, -4.5, 0.5, 6}, NULL},
    {"x,y,z\n1,2,3\n4;5;6\n", 2, {1, 2, 3, 4, 5, 6}, NULL},
    {"// X, Y, Z\n# 2\n1, 2, 3\n  .5 5. 6", 2, {1, 2, 3, 0.5, 5, 6}, NULL},
    {"nan nan nan\n1 2 3\n1 -inf 3\n",
     1,
     {1, 2, 3},
     "2 of 3 points are not finite and were left out."},
};

static const struct bad_file xyz_bad[] = {
    {"1 2\n", PROBLEM_INVALID_ARGUMENT, "line 1: the line has 2 numbers"},
    {"1 2 3\nx y z\n", PROBLEM_INVALID_ARGUMENT, "line 2: \"x\" is no number"},
    {"1 2 3m\n", PROBLEM_INVALID_ARGUMENT, "line 1: \"3m\""},
    {"1 2 3\n\n1 2 1e10\n", PROBLEM_INVALID_ARGUMENT, "coordinates must be from"},
    {"0x1 2 3\n", PROBLEM_INVALID_ARGUMENT, "line 1: \"0x1\""},
};

static void texts_are_read(void **state)
{
    (void)state;
    assert_rows(xyz_read, xyz_good, sizeof xyz_good / sizeof *xyz_good);
    assert_files_refused(xyz_read, xyz_bad, sizeof xyz_bad / sizeof *xyz_bad);
    assert_survives(xyz_read, xyz_good[3].data, strlen(xyz_good[3].data), 500);
}

/* ---- pcd ---- */

#define PCD "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"

static const struct text_row pcd_good[] = {
    {PCD "WIDTH 2\nHEIGHT 1\nVIEWPOINT 9 9 9 1 0 0 0\nPOINTS 2\nDATA ascii\n1 2 3\n4 5 6\n",
     2,
     {1, 2, 3, 4, 5, 6},
     NULL},
    {"# .PCD v.5\r\n" PCD "WIDTH 1\r\nHEIGHT 2\r\nDATA ascii\r\n1 2 3\r\n\r\n4 5 6\r\n",
     2,
     {1, 2, 3, 4, 5, 6},
     NULL},
    {PCD "POINTS 0\nDATA ascii\n", 0, {0}, NULL},
    {PCD "WIDTH 0\nHEIGHT 1\nDATA binary\n", 0, {0}, NULL},
    {"FIELDS rgb z _ y x\nSIZE 4 8 1 4 4\nTYPE U F U I F\nCOUNT 1 1 3 1 1\nWIDTH 2\nDATA ascii\n"
     "255 3.5 0 0 0 2 1\n0 nan 0 0 0 nan nan\n",
     1,
     {1, 2, 3.5},
     "1 of 2 points are not finite and were left out."},
    {"FIELDS x y z\nSIZE 1 1 1\nTYPE I U I\nPOINTS 1\nDATA binary\n\xff\xff\x01",
     1,
     {-1, 255, 1},
     NULL},
};

static const struct bad_file pcd_bad[] = {
    {"", PROBLEM_INVALID_ARGUMENT, "no line DATA"},
    {"ply\n", PROBLEM_INVALID_ARGUMENT, "line 1: \"ply\" is no line of a PCD header"},
    {PCD "WIDTH 1\nHEIGHT 1\n", PROBLEM_INVALID_ARGUMENT, "no line DATA"},
    {PCD "DATA ascii\n", PROBLEM_INVALID_ARGUMENT, "neither WIDTH nor POINTS"},
    {PCD "WIDTH x\n", PROBLEM_INVALID_ARGUMENT, "line 6: WIDTH must be a whole number"},
    {PCD "WIDTH 99999999999\nDATA ascii\n", PROBLEM_INVALID_ARGUMENT, "too large"},
    {PCD "WIDTH 20001\nDATA ascii\n", PROBLEM_LIMIT_EXCEEDED, "--max-points"},
    {PCD "WIDTH 4294967295\nHEIGHT 4294967295\nDATA binary\n", PROBLEM_LIMIT_EXCEEDED,
     "--max-points"},
    {PCD "WIDTH 2\nPOINTS 3\nDATA ascii\n", PROBLEM_INVALID_ARGUMENT, "POINTS is 3"},
    {PCD "WIDTH 2\nDATA text\n", PROBLEM_INVALID_ARGUMENT, "line 7: DATA must be"},
    {PCD "WIDTH 2\nDATA ascii\n1 2 3\n", PROBLEM_INVALID_ARGUMENT, "after 1 of 2 points"},
    {PCD "WIDTH 1\nDATA ascii\n1 2 3\n4 5 6\n", PROBLEM_INVALID_ARGUMENT, "line 9: "},
    {PCD "WIDTH 1\nDATA ascii\n1 2\n", PROBLEM_INVALID_ARGUMENT, "line 8: the line has 2"},
    {PCD "WIDTH 1\nDATA ascii\n1 2 3 4\n", PROBLEM_INVALID_ARGUMENT, "line 8: the line has 4"},
    {PCD "WIDTH 1\nDATA ascii\n1 2 x\n", PROBLEM_INVALID_ARGUMENT, "line 8: \"x\""},
    {PCD "WIDTH 1\nDATA binary\n12345678901", PROBLEM_INVALID_ARGUMENT, "12 bytes of data"},
    {PCD "WIDTH 1\nDATA binary\n1234567890123", PROBLEM_INVALID_ARGUMENT, "there are 13"},
    {PCD "WIDTH 1\nDATA binary_compressed\n1234", PROBLEM_INVALID_ARGUMENT, "there are 4"},
    {"FIELDS x y\nSIZE 4 4\nTYPE F F\nWIDTH 1\nDATA ascii\n1 2\n", PROBLEM_INVALID_ARGUMENT,
     "one field \"z\""},
    {"FIELDS x y z x\nSIZE 4 4 4 4\nTYPE F F F F\nWIDTH 1\nDATA ascii\n1 2 3 4\n",
     PROBLEM_INVALID_ARGUMENT, "one field \"x\""},
    {"FIELDS x y z\nSIZE 4 4\n", PROBLEM_INVALID_ARGUMENT, "line 2: SIZE must be given"},
    {"FIELDS x y z\nSIZE 4 4 4 4\n", PROBLEM_INVALID_ARGUMENT, "line 2: SIZE is given for more"},
    {"FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 3\nWIDTH 1\nDATA ascii\n1 2 3 4 5\n",
     PROBLEM_INVALID_ARGUMENT, "one field \"z\""},
    {"FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 9999999999\n", PROBLEM_INVALID_ARGUMENT,
     "line 4: COUNT"},
    {"FIELDS x y z\nSIZE 2 4 4\nTYPE F F F\nWIDTH 1\nDATA ascii\n", PROBLEM_INVALID_ARGUMENT,
     "field \"x\" needs TYPE F"},
    {"FIELDS\n", PROBLEM_INVALID_ARGUMENT, "FIELDS names none"},
};

/* Points in a binary file with padding, as doubles or floats; packed or not. */
static void put_pcd(struct file *file, const double *points, bool doubles, bool packed)
{
    char header[256];
    const int size = doubles ? 8 : 4, stride = 3 * size + 5;
    static unsigned char plain[POINTS * 32], squeezed[POINTS * 32];
    snprintf(header, sizeof header,
             "VERSION 0.7\nFIELDS _ x y z\nSIZE 1 %d %d %d\nTYPE U F F F\nCOUNT 5 1 1 1\nWIDTH %d\n"
             "HEIGHT 1\nPOINTS %d\nDATA %s\n",
             size, size, size, POINTS, POINTS, packed ? "binary_compressed" : "binary");
    file->bytes = 0;
    put_text(file, header);
    memset(plain, 0, sizeof plain);
    for (int i = 0; i < POINTS; i++) {
        for (int axis = 0; axis < AXES; axis++) {
            const double value = points[AXES * i + axis];
            const float single = (float)value;
            unsigned char *at = packed ? plain + POINTS * (5 + axis * size) + i * size
                                       : plain + i * stride + 5 + axis * size;
            memcpy(at, doubles ? (const void *)&value : &single, (size_t)size);
        }
    }
    const unsigned bytes = (unsigned)(POINTS * stride);
    if (!packed) {
        put(file, plain, bytes);
        return;
    }
    const uint32_t length = lzf_compress(plain, bytes, squeezed, sizeof squeezed);
    assert_true(length > 0);
    put(file, &length, 4);
    put(file, &bytes, 4);
    put(file, squeezed, length);
}

/* Points that floats hold. */
static void draw_points(double *points)
{
    struct test_random random = {3};
    for (int i = 0; i < AXES * POINTS; i++)
        points[i] = (double)test_random_f32(&random, -10, 10);
}

static void point_clouds_are_read(void **state)
{
    (void)state;
    static struct file file;
    double points[AXES * POINTS];
    assert_rows(pcd_read, pcd_good, sizeof pcd_good / sizeof *pcd_good);
    assert_files_refused(pcd_read, pcd_bad, sizeof pcd_bad / sizeof *pcd_bad);
    draw_points(points);
    for (int variant = 0; variant < 4; variant++) {
        put_pcd(&file, points, variant & 1, variant & 2);
        assert_points(pcd_read, &file, points, POINTS, "");
        assert_survives(pcd_read, file.data, file.bytes, 1000);
    }
}

/* What packed data claim of themselves is checked before memory is taken for it. */
static void packed_sizes_are_checked(void **state)
{
    (void)state;
    static struct file file;
    double points[AXES * POINTS];
    draw_points(points);
    put_pcd(&file, points, false, true);
    const size_t at = (size_t)(strstr((char *)file.data, "compressed\n") - (char *)file.data) +
                      strlen("compressed\n");
    struct file wrong = file;
    wrong.data[at]++;
    assert_file_refused(pcd_read, wrong.data, wrong.bytes, PROBLEM_INVALID_ARGUMENT, "bytes");
    wrong = file;
    wrong.data[at + 4]++;
    assert_file_refused(pcd_read, wrong.data, wrong.bytes, PROBLEM_INVALID_ARGUMENT, "bytes");
    wrong = file;
    wrong.data[at + 8] = 0xff;
    assert_file_refused(pcd_read, wrong.data, wrong.bytes, PROBLEM_INVALID_ARGUMENT, "LZF");

    // a few bytes that claim 20000 points
    static const char bomb[] = "FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nWIDTH 20000\n"
                               "DATA binary_compressed\n\4\0\0\0\0\x53\7\0abcd";
    assert_file_refused(pcd_read, bomb, sizeof bomb - 1, PROBLEM_INVALID_ARGUMENT, "bytes");
}

/* ---- ply ---- */

#define PLY "ply\nformat ascii 1.0\ncomment c\nobj_info o\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"

static const struct text_row ply_good[] = {
    {PLY "element vertex 2\n" XYZ "end_header\n1 2 3\n4 5 6\n", 2, {1, 2, 3, 4, 5, 6}, NULL},
    {PLY "element vertex 0\n" XYZ "end_header\n", 0, {0}, NULL},
    {"ply\r\nformat ascii 1.0\r\nelement other 2\r\nelement vertex 1\r\nproperty uchar red\r\n"
     "property list uchar int tags\r\nproperty double z\r\nproperty int16 y\r\nproperty float32 x"
     "\r\nend_header\r\n255 3 7 8 9 3 2 1\r\n",
     1,
     {1, 2, 3},
     NULL},
    {PLY "element vertex 2\n" XYZ "element face 0\nproperty list uchar int vertex_index\n"
         "end_header\nnan 2 3\n4 5 6\n",
     1,
     {4, 5, 6},
     "1 of 2 points are not finite and were left out."},
};

static const struct bad_file ply_bad[] = {
    {"", PROBLEM_INVALID_ARGUMENT, "no PLY"},
    {"plyx\n", PROBLEM_INVALID_ARGUMENT, "no PLY"},
    {"ply\n", PROBLEM_INVALID_ARGUMENT, "no line \"end_header\""},
    {"ply\nend_header\n", PROBLEM_INVALID_ARGUMENT, "no line \"format\""},
    {"ply\nformat ascii 2.0\n", PROBLEM_INVALID_ARGUMENT, "line 2: format"},
    {"ply\nformat binary 1.0\n", PROBLEM_INVALID_ARGUMENT, "line 2: format"},
    {PLY "property float x\n", PROBLEM_INVALID_ARGUMENT, "line 5: a property comes before"},
    {PLY "element vertex\n", PROBLEM_INVALID_ARGUMENT, "line 5: an element"},
    {PLY "element vertex -1\n", PROBLEM_INVALID_ARGUMENT, "line 5: an element"},
    {PLY "element vertex 1\nproperty real x\n", PROBLEM_INVALID_ARGUMENT, "line 6: \"real\""},
    {PLY "element vertex 1\nproperty float\n", PROBLEM_INVALID_ARGUMENT, "line 6: a property"},
    {PLY "element vertex 1\nproperty\n", PROBLEM_INVALID_ARGUMENT, "line 6: a property"},
    {PLY "colour blue\n", PROBLEM_INVALID_ARGUMENT, "line 5: \"colour\""},
    {PLY "end_header\n", PROBLEM_INVALID_ARGUMENT, "one element \"vertex\", and has 0"},
    {PLY "element vertex 0\nelement vertex 0\nend_header\n", PROBLEM_INVALID_ARGUMENT, "has 2"},
    {PLY "element vertex 1\nproperty float x\nend_header\n1\n", PROBLEM_INVALID_ARGUMENT,
     "x, y and z"},
    {PLY "element vertex 2\n" XYZ "end_header\n1 2 3\n", PROBLEM_INVALID_ARGUMENT, "data end"},
    {PLY "element vertex 1\n" XYZ "end_header\n1 2 q\n", PROBLEM_INVALID_ARGUMENT, "\"q\""},
    {PLY "element vertex 1\n" XYZ "end_header\n1 2 3 4\n", PROBLEM_INVALID_ARGUMENT, "more data"},
    {PLY "element vertex 4294967295\n" XYZ "end_header\n", PROBLEM_INVALID_ARGUMENT, "data end"},
    {PLY "element vertex 1\n" XYZ "property list char int l\nend_header\n1 2 3 -1\n",
     PROBLEM_INVALID_ARGUMENT, "count or index of -1"},
    {PLY "element vertex 1\n" XYZ "property list float int l\nend_header\n1 2 3 1.5\n",
     PROBLEM_INVALID_ARGUMENT, "count or index of 1.5"},
};

/* A number in the order of the file. */
static void put_ordered(struct file *file, const void *number, size_t bytes, bool big)
{
    unsigned char turned[8];
    for (size_t i = 0; i < bytes; i++)
        turned[i] = ((const unsigned char *)number)[big ? bytes - 1 - i : i];
    put(file, turned, bytes);
}

/* Points with a colour and a list between the coordinates. */
static void put_ply(struct file *file, const double *points, bool big)
{
    char header[512];
    file->bytes = 0;
    snprintf(header, sizeof header,
             "ply\r\nformat binary_%s_endian 1.0\r\nelement empty 4000000000\r\n"
             "element vertex %d\r\nproperty double x\r\n"
             "property uchar red\r\nproperty float y\r\nproperty list ushort short tags\r\n"
             "property double z\r\nend_header\r\n",
             big ? "big" : "little", POINTS);
    put_text(file, header);
    for (int i = 0; i < POINTS; i++) {
        const float y = (float)points[AXES * i + 1];
        const uint16_t tags = (uint16_t)(i % 4);
        put_ordered(file, &points[AXES * i], 8, big);
        put(file, "\n", 1);
        put_ordered(file, &y, 4, big);
        put_ordered(file, &tags, 2, big);
        put(file, "tagtag", 2u * tags);
        put_ordered(file, &points[AXES * i + 2], 8, big);
    }
}

static void polygon_files_without_faces_are_points(void **state)
{
    (void)state;
    static struct file file;
    double points[AXES * POINTS];
    assert_rows(ply_read, ply_good, sizeof ply_good / sizeof *ply_good);
    assert_files_refused(ply_read, ply_bad, sizeof ply_bad / sizeof *ply_bad);
    draw_points(points);
    for (int big = 0; big < 2; big++) {
        put_ply(&file, points, big);
        assert_points(ply_read, &file, points, POINTS, "");
        assert_survives(ply_read, file.data, file.bytes, 1000);
        assert_file_refused(ply_read, file.data, file.bytes - 1, PROBLEM_INVALID_ARGUMENT,
                            "data end");
        put(&file, "x", 1);
        assert_file_refused(ply_read, file.data, file.bytes, PROBLEM_INVALID_ARGUMENT, "more data");
    }
}

/* ---- npy ---- */

static void arrays_are_points(void **state)
{
    (void)state;
    static struct file file;
    double points[AXES * POINTS];
    float singles[AXES * POINTS];
    draw_points(points);
    for (int i = 0; i < AXES * POINTS; i++)
        singles[i] = (float)points[i];
    for (int single = 0; single < 2; single++) {
        const size_t shape[2] = {POINTS, AXES};
        const struct npy_array array =
            npy_array(single ? NPY_FLOAT32 : NPY_FLOAT64, 2, shape, NULL);
        struct text header = {0};
        npy_write_header(&array, &header);
        file.bytes = 0;
        put(&file, header.data, header.length);
        put(&file, single ? (void *)singles : points, (single ? 4u : 8u) * AXES * POINTS);
        assert_points(npy_points_read, &file, points, POINTS, "");
        assert_survives(npy_points_read, file.data, file.bytes, 500);
        text_deinit(&header);
    }

    // other shapes are no points
    const struct npy_array flat = npy_array(NPY_FLOAT64, 2, (const size_t[2]){1, 2}, NULL);
    struct text header = {0};
    npy_write_header(&flat, &header);
    file.bytes = 0;
    put(&file, header.data, header.length);
    put(&file, points, 16);
    assert_file_refused(npy_points_read, file.data, file.bytes, PROBLEM_INVALID_ARGUMENT, "(n, 3)");
    text_deinit(&header);
}

static void a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    if (!set_comma_locale()) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    const struct text_row row = {
        "0.5 -1.25 0.1000000000000000055511151231257827", 1, {0.5, -1.25, 0.1}, NULL};
    assert_rows(xyz_read, &row, 1);
    const struct text_row cloud = {
        PCD "WIDTH 1\nDATA ascii\n0.5 1.5 -2.5e-3\n", 1, {0.5, 1.5, -2.5e-3}, NULL};
    assert_rows(pcd_read, &cloud, 1);
    const struct text_row ply = {
        PLY "element vertex 1\n" XYZ "end_header\n.5 .25 1.125\n", 1, {0.5, 0.25, 1.125}, NULL};
    assert_rows(ply_read, &ply, 1);
    setlocale(LC_ALL, "C");
}

/* Counts as the files' headers have them, and what independent programs say of single points. */
static void shared_clouds_hold_what_they_do(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint32_t count;
        double first[AXES];
    } rows[] = {
        {"data/clouds/bunny.pcd", 397, {0.0054216, 0.11349, 0.040749}},
        {"data/clouds/lamppost.pcd", 1771, {-10, 0, 0}},
        {"data/clouds/milk.pcd", 13704, {-0.131607607, -0.2095429, 0.772000015}},
        {"data/synthetic/padded_fields.pcd", 3, {1, 2, 3}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading reading = read_shared(pcd_read, rows[i].path, NULL);
        assert_read(&reading);
        const struct obstacle_document *cloud = reading.world.obstacles;
        assert_int_equal(cloud->point_count, rows[i].count);
        for (int axis = 0; axis < AXES; axis++)
            assert_true(fabs(cloud->points[axis] - rows[i].first[axis]) < 1e-9);
        reading_deinit(&reading);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_read),
        cmocka_unit_test(point_clouds_are_read),
        cmocka_unit_test(packed_sizes_are_checked),
        cmocka_unit_test(polygon_files_without_faces_are_points),
        cmocka_unit_test(arrays_are_points),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(shared_clouds_hold_what_they_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

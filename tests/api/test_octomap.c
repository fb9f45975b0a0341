/* Goal: OctoMaps become boxes of just what is solid, and what is none is refused. Method: random
 * trees written as .bt, .ot and colored .ot; tables of bad files; files cut and changed; the files
 * of the shared data. Oracle: the same trees painted cell by cell. */
#include "files.h"
#include "formats/octomap.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Trees are random in their last levels; above, each node has one child. */
enum { RANDOM_LEVELS = 3, SIDE = 1 << RANDOM_LEVELS, TREES = 300, FILE_MAX = 1 << 16 };

#define BT "# Octomap OcTree binary file\n"
#define OT "# Octomap OcTree file\n"
#define RESOLUTION 0.25

enum { UNKNOWN, FREE, OCCUPIED, INNER };

/* A file being written, and what it says of the cells of the random cube. */
struct map {
    unsigned char data[FILE_MAX];
    size_t bytes;
    unsigned nodes, free, occupied;
    struct test_random random;
    unsigned char cells[SIDE][SIDE][SIDE]; /* z y x */
    unsigned corner;                       /* the only child above */
};

enum form { BINARY, FULL, COLORED };

static void put(struct map *map, const void *data, size_t bytes)
{
    assert_true(map->bytes + bytes <= FILE_MAX);
    memcpy(map->data + map->bytes, data, bytes);
    map->bytes += bytes;
}

static void paint(struct map *map, unsigned x, unsigned y, unsigned z, unsigned side, int kind)
{
    for (unsigned c = 0; c < side * side * side; c++)
        map->cells[z + c / side / side][y + c / side % side][x + c % side] = (unsigned char)kind;
}

/* What a node at this height over the finest level has as child. */
static int draw(struct map *map, int height, unsigned child)
{
    if (height > RANDOM_LEVELS)
        return child == map->corner ? INNER : UNKNOWN;
    const unsigned kind = (unsigned)(test_random_u64(&map->random) >> 33) % 8;
    if (kind < 3 && height > 1)
        return INNER;
    return (int)kind % INNER;
}

static void put_value(struct map *map, enum form form, int kind, unsigned mask)
{
    const float value = kind == FREE ? -0.4f : kind == OCCUPIED ? 0.0f : 3.5f;
    const unsigned char end = (unsigned char)mask;
    put(map, &value, sizeof value);
    if (form == COLORED)
        put(map, "rgb", 3);
    put(map, &end, 1);
}

/* A node with children, at a height of 1 … 16 over the finest level. */
static void put_node(struct map *map, enum form form, int height, unsigned x, unsigned y,
                     unsigned z)
{
    int kinds[8];
    unsigned word = 0, mask = 0;
    for (unsigned child = 0; child < 8; child++) {
        kinds[child] = draw(map, height, child);
        word |= (unsigned)kinds[child] << 2 * child;
        mask |= (unsigned)(kinds[child] != UNKNOWN) << child;
        map->nodes += kinds[child] != UNKNOWN;
        map->free += kinds[child] == FREE;
        map->occupied += kinds[child] == OCCUPIED;
    }
    if (!mask && height > 1) {
        // a node with children must have one
        kinds[5] = FREE;
        word = FREE << 10;
        mask = 1 << 5;
        map->nodes++;
        map->free++;
    }
    if (!mask) {
        kinds[0] = OCCUPIED;
        word = OCCUPIED;
        mask = 1;
        map->nodes++;
        map->occupied++;
    }
    if (form == BINARY)
        put(map, (unsigned char[2]){(unsigned char)word, (unsigned char)(word >> 8)}, 2);
    else
        put_value(map, form, INNER, mask);
    const unsigned side = height > RANDOM_LEVELS ? 0 : 1u << (height - 1);
    for (unsigned child = 0; child < 8; child++) {
        const unsigned cx = x + (child & 1) * side, cy = y + (child >> 1 & 1) * side,
                       cz = z + (child >> 2) * side;
        if (side && kinds[child] != INNER)
            paint(map, cx, cy, cz, side, kinds[child]);
        if (kinds[child] == INNER)
            put_node(map, form, height - 1, cx, cy, cz);
        else if (form != BINARY && kinds[child] != UNKNOWN)
            put_value(map, form, kinds[child], 0);
    }
}

/* Draws tree `seed` as a file of a form. */
static void draw_map(struct map *map, enum form form, unsigned seed)
{
    memset(map, 0, sizeof *map);
    map->random = (struct test_random){seed};
    map->corner = seed % 8;

    // the size is known when the tree is: it is drawn twice
    for (int turn = 0; turn < 2; turn++) {
        char header[128];
        const int length =
            snprintf(header, sizeof header, "%s# a comment\nid %s\nsize %u\nres %g\ndata\n",
                     form == BINARY ? BT : OT, form == COLORED ? "ColorOcTree" : "OcTree",
                     map->nodes, RESOLUTION);
        map->bytes = map->free = map->occupied = 0;
        map->nodes = 1;
        map->random = (struct test_random){seed};
        memset(map->cells, 0, sizeof map->cells);
        put(map, header, (size_t)length);
        put_node(map, form, 16, 0, 0, 0);
    }
}

/* Lower corner of the random cube along an axis, in cells from 0. */
static int corner_cell(const struct map *map, unsigned axis)
{
    return map->corner >> axis & 1 ? 32768 - SIDE : -32768;
}

/* The box of all leaves, in cells of the random cube. */
static void leaves_box(const struct map *map, int lower[3], int upper[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lower[axis] = SIDE;
        upper[axis] = 0;
    }
    for (int c = 0; c < SIDE * SIDE * SIDE; c++) {
        const int at[3] = {c % SIDE, c / SIDE % SIDE, c / SIDE / SIDE};
        if (map->cells[at[2]][at[1]][at[0]] == UNKNOWN)
            continue;
        for (int axis = 0; axis < 3; axis++) {
            lower[axis] = at[axis] < lower[axis] ? at[axis] : lower[axis];
            upper[axis] = at[axis] >= upper[axis] ? at[axis] + 1 : upper[axis];
        }
    }
}

/* How many boxes have the middle of a cell. */
static unsigned covered(const struct obstacle_document *boxes, const struct map *map,
                        const int at[3])
{
    unsigned count = 0;
    for (uint32_t i = 0; i < boxes->point_count; i++) {
        const double *box = boxes->points + 6 * i;
        bool inside = true;
        for (unsigned axis = 0; axis < 3; axis++) {
            const double middle = (corner_cell(map, axis) + at[axis] + 0.5) * RESOLUTION;
            inside = inside && fabs(middle - box[axis]) < box[3 + axis] / 2;
        }
        count += inside;
    }
    return count;
}

/* Volume in cells. */
static double volume(const struct obstacle_document *boxes)
{
    double sum = 0;
    for (uint32_t i = 0; i < boxes->point_count; i++) {
        const double *box = boxes->points + 6 * i;
        sum += box[3] * box[4] * box[5] / (RESOLUTION * RESOLUTION * RESOLUTION);
    }
    return sum;
}

static void check_map(const struct map *map, bool unknown_free)
{
    const struct format_file options = {.unknown_free = unknown_free};
    struct reading reading = read_bytes(octomap_read, map->data, map->bytes, &options);
    assert_read(&reading);
    const struct obstacle_document *boxes = &reading.world.obstacles[0];
    int lower[3], upper[3];
    unsigned solid = 0, unknown = 0, all = 0;
    leaves_box(map, lower, upper);
    for (int c = 0; c < SIDE * SIDE * SIDE; c++) {
        const int at[3] = {c % SIDE, c / SIDE % SIDE, c / SIDE / SIDE};
        bool inside = true;
        for (int axis = 0; axis < 3; axis++)
            inside = inside && at[axis] >= lower[axis] && at[axis] < upper[axis];
        const int kind = map->cells[at[2]][at[1]][at[0]];
        const bool expected = inside && (kind == OCCUPIED || (kind == UNKNOWN && !unknown_free));
        if ((covered(boxes, map, at) > 0) != expected)
            fail_msg("cell %d %d %d of kind %d", at[0], at[1], at[2], kind);
        solid += expected;
        all += inside;
        unknown += inside && kind == UNKNOWN;
    }

    // no two boxes overlap, and none is larger than what it stands for
    assert_true(fabs(volume(boxes) - solid) < 1e-6);
    assert_int_equal(reading.report.free, map->free);
    assert_int_equal(reading.report.occupied, map->occupied);
    assert_true(fabs(reading.report.unknown_fraction - (double)unknown / all) < 1e-12);
    assert_true(fabs(reading.report.unknown_size - unknown * pow(RESOLUTION, 3)) < 1e-9);
    assert_true(reading.world.has_bounds && reading.world.dimension == 3);
    for (unsigned axis = 0; axis < 3; axis++) {
        assert_true(reading.world.lower[axis] ==
                    (corner_cell(map, axis) + lower[axis]) * RESOLUTION);
        assert_true(reading.world.upper[axis] ==
                    (corner_cell(map, axis) + upper[axis]) * RESOLUTION);
    }
    reading_deinit(&reading);
}

static struct map map, other;

static void random_trees_are_boxes(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < TREES; seed++) {
        draw_map(&map, BINARY, seed);
        check_map(&map, false);
        check_map(&map, true);
    }
}

static void all_forms_say_the_same(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < TREES; seed++) {
        draw_map(&map, BINARY, seed);
        struct reading binary = read_bytes(octomap_read, map.data, map.bytes, NULL);
        assert_read(&binary);
        for (int form = FULL; form <= COLORED; form++) {
            draw_map(&other, (enum form)form, seed);
            struct reading full = read_bytes(octomap_read, other.data, other.bytes, NULL);
            assert_read(&full);
            const struct obstacle_document *a = binary.world.obstacles, *b = full.world.obstacles;
            assert_int_equal(a->point_count, b->point_count);
            assert_memory_equal(a->points, b->points, 6 * sizeof(double) * a->point_count);
            reading_deinit(&full);
        }
        reading_deinit(&binary);
    }
}

/* .bt of before version 1 has another header. */
static void legacy_trees_are_read(void **state)
{
    (void)state;
    draw_map(&map, BINARY, 5);
    const char *data = strstr((const char *)map.data, "data\n") + strlen("data\n");
    const size_t bytes = map.bytes - (size_t)(data - (const char *)map.data);
    const int32_t type = 3;
    const double resolution = RESOLUTION;
    const uint32_t size = map.nodes;
    memset(&other, 0, sizeof other);
    put(&other, &type, sizeof type);
    put(&other, &resolution, sizeof resolution);
    put(&other, &size, sizeof size);
    put(&other, data, bytes);
    struct reading now = read_bytes(octomap_read, map.data, map.bytes, NULL);
    struct reading before = read_bytes(octomap_read, other.data, other.bytes, NULL);
    assert_read(&now);
    assert_read(&before);
    const struct obstacle_document *a = now.world.obstacles, *b = before.world.obstacles;
    assert_int_equal(a->point_count, b->point_count);
    assert_memory_equal(a->points, b->points, 6 * sizeof(double) * a->point_count);
    reading_deinit(&now);
    reading_deinit(&before);
}

/* A root that has no children is all of the map. */
static void a_leaf_root_is_one_box(void **state)
{
    (void)state;
    static const char file[] = OT "id OcTree\nsize 1\nres 0.25\ndata\n\0\0\x80\x3f\0";
    struct reading reading = read_bytes(octomap_read, file, sizeof file - 1, NULL);
    assert_read(&reading);
    assert_int_equal(reading.world.obstacles[0].point_count, 1);
    assert_true(reading.world.obstacles[0].points[3] == 65536 * 0.25);
    assert_true(reading.world.lower[2] == -8192 && reading.world.upper[2] == 8192);
    reading_deinit(&reading);
}

static void bad_maps_are_refused(void **state)
{
    (void)state;
    static const struct bad_file rows[] = {
        {"", PROBLEM_INVALID_ARGUMENT, "no OctoMap"},
        {"# Octomap\n", PROBLEM_INVALID_ARGUMENT, "no OctoMap"},
        {"# Octomap OcTree directory\n", PROBLEM_INVALID_ARGUMENT, "neither"},
        {BT, PROBLEM_INVALID_ARGUMENT, "\"data\""},
        {BT "id OcTree\nsize 1\nres 1", PROBLEM_INVALID_ARGUMENT, "\"data\""},
        {BT "size 1\nres 1\ndata\n", PROBLEM_INVALID_ARGUMENT, "id, size and res"},
        {BT "id OcTree\nres 1\ndata\n", PROBLEM_INVALID_ARGUMENT, "id, size and res"},
        {BT "id OcTree\nsize 1\ndata\n", PROBLEM_INVALID_ARGUMENT, "id, size and res"},
        {BT "id OcTreeStamped\n", PROBLEM_UNSUPPORTED, "line 2: trees of id \"OcTreeStamped\""},
        {BT "id\n", PROBLEM_INVALID_ARGUMENT, "\"data\""},
        {BT "id OcTree\nsize -1\n", PROBLEM_INVALID_ARGUMENT, "line 3: size"},
        {BT "id OcTree\nsize 1\nres x\n", PROBLEM_INVALID_ARGUMENT, "line 4: res"},
        {BT "id OcTree\nsize 1\nres 0\ndata\n", PROBLEM_INVALID_ARGUMENT, "res is 0"},
        {BT "id OcTree\nsize 1\nres nan\ndata\n", PROBLEM_INVALID_ARGUMENT, "res is nan"},
        {BT "id OcTree\nsize 1\nres 1e6\ndata\n", PROBLEM_INVALID_ARGUMENT, "res is 1e+06"},
        {BT "id OcTree\nsize 0\nres 1\ndata\n", PROBLEM_INVALID_ARGUMENT, "empty"},
        {OT "id OcTree\nsize 0\nres 1\ndata\n", PROBLEM_INVALID_ARGUMENT, "empty"},
        {BT "id OcTree\nsize 1\nres 1\ndata\n", PROBLEM_INVALID_ARGUMENT, "0 nodes"},
        {OT "id OcTree\nsize 1\nres 1\ndata\n", PROBLEM_INVALID_ARGUMENT, "cut off"},
        {BT "id OcTree\nsize 2\nres 1\ndata\nx", PROBLEM_INVALID_ARGUMENT, "within a node"},
    };
    assert_files_refused(octomap_read, rows, sizeof rows / sizeof *rows);

    // levels without end, and a value that is none
    static const char deep[] = BT "id OcTree\nsize 18\nres 1\ndata\n"
                                  "\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0"
                                  "\1\0";
    assert_file_refused(octomap_read, deep, sizeof deep - 1, PROBLEM_INVALID_ARGUMENT,
                        "deeper than 16");
    static const char nan[] = OT "id OcTree\nsize 1\nres 1\ndata\n\0\0\xc0\x7f\0";
    assert_file_refused(octomap_read, nan, sizeof nan - 1, PROBLEM_INVALID_ARGUMENT, "no number");
}

static void the_size_must_be_right(void **state)
{
    (void)state;
    for (int form = BINARY; form <= COLORED; form++) {
        draw_map(&map, (enum form)form, 3);
        assert_file_refused(octomap_read, map.data, map.bytes - 1, PROBLEM_INVALID_ARGUMENT, "");
        assert_file_refused(octomap_read, map.data, map.bytes - 2, PROBLEM_INVALID_ARGUMENT,
                            "cut off");
        memset(map.data + map.bytes, 0, 2);
        assert_file_refused(octomap_read, map.data, map.bytes + 2, PROBLEM_INVALID_ARGUMENT,
                            "2 bytes follow");
        assert_survives(octomap_read, map.data, map.bytes, 500);
    }
}

static void boxes_are_limited(void **state)
{
    (void)state;
    struct limits limits = limits_default();
    struct problem problem = {0};
    struct world_document world = {0};
    struct format_report report = {0};
    draw_map(&map, BINARY, 1);
    limits.boxes = 2;
    const struct format_file file = {
        .data = (const char *)map.data, .bytes = map.bytes, .limits = &limits, .problem = &problem};
    assert_false(octomap_read(&world, &report, &file));
    assert_int_equal(problem.faults[0].code, PROBLEM_LIMIT_EXCEEDED);
    assert_string_equal(problem.faults[0].flag, "--max-boxes");
}

static void numbers_have_points_everywhere(void **state)
{
    (void)state;
    if (!set_comma_locale()) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    draw_map(&map, FULL, 2);
    const char *res = strstr((const char *)map.data, "res ");
    static const char FINER[4] = {'0', '.', '2', '5'};
    memcpy(map.data + (res - (const char *)map.data) + strlen("res "), FINER, sizeof FINER);
    struct reading reading = read_bytes(octomap_read, map.data, map.bytes, NULL);
    assert_read(&reading);
    assert_true(reading.world.obstacles[0].points[3] >= 0.25);
    reading_deinit(&reading);
}

/* Leaves and volumes as counted by an independent program. */
static void shared_maps_hold_what_they_do(void **state)
{
    (void)state;
    struct reading map_of_hall = read_shared(octomap_read, "data/octomap/geb079.bt", NULL);
    assert_read(&map_of_hall);
    assert_int_equal(map_of_hall.report.occupied, 143729);
    assert_int_equal(map_of_hall.report.free, 284415);
    assert_true(fabs(map_of_hall.report.unknown_size - 1236.612608) < 1e-6);
    assert_true(fabs(map_of_hall.report.unknown_fraction - 0.6800307233934484) < 1e-12);
    assert_true(map_of_hall.world.lower[0] == -8 && map_of_hall.world.upper[0] == 387 * 0.08);
    reading_deinit(&map_of_hall);

    const struct format_file unknown_free = {.unknown_free = true};
    map_of_hall = read_shared(octomap_read, "data/octomap/geb079.bt", &unknown_free);
    assert_read(&map_of_hall);
    const double occupied = volume(map_of_hall.world.obstacles) * pow(RESOLUTION, 3);
    assert_true(fabs(occupied - 95.064576) < 1e-6);
    reading_deinit(&map_of_hall);

    struct reading wall = read_shared(octomap_read, "data/synthetic/wall_with_door.bt", NULL);
    struct reading same = read_shared(octomap_read, "data/synthetic/wall_with_door.ot", NULL);
    assert_read(&wall);
    assert_read(&same);
    const struct obstacle_document *a = wall.world.obstacles, *b = same.world.obstacles;
    assert_int_equal(a->point_count, b->point_count);
    assert_memory_equal(a->points, b->points, 6 * sizeof(double) * a->point_count);
    reading_deinit(&wall);
    reading_deinit(&same);

    static const struct {
        const char *path, *text;
    } bad[] = {
        {"data/synthetic/empty.bt", "empty"},
        {"data/synthetic/size_mismatch.bt", "849 nodes where the header says 850"},
        {"data/synthetic/truncated.bt", "cut off"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct reading reading = read_shared(octomap_read, bad[i].path, NULL);
        assert_false(reading.good);
        assert_non_null(strstr(reading.problem.faults[0].detail, bad[i].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_are_boxes),
        cmocka_unit_test(all_forms_say_the_same),
        cmocka_unit_test(legacy_trees_are_read),
        cmocka_unit_test(a_leaf_root_is_one_box),
        cmocka_unit_test(bad_maps_are_refused),
        cmocka_unit_test(the_size_must_be_right),
        cmocka_unit_test(boxes_are_limited),
        cmocka_unit_test(numbers_have_points_everywhere),
        cmocka_unit_test(shared_maps_hold_what_they_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: an edge in a grid is free exactly when it keeps clear of every closed cell of another
 * class, also where it passes between two cells that meet in a corner. Method: random maps and
 * segments, on and off the lattice, at several resolutions and yaws; all moves of an 8-connected
 * lattice. Oracle: double precision, all cells and a ring about them, distance of a segment to a
 * square. */
#include "kernels/grid.h"

#include "support/support.h"

#include <math.h>

enum { WIDTH = 13, HEIGHT = 9, MAPS = 300, SEGMENTS = 400 };

struct map {
    struct grid grid;
    unsigned char cells[WIDTH * HEIGHT];
};

static struct map random_map(struct test_random *random, float resolution, float yaw)
{
    struct map map = {.grid = {.origin = {-6, -4},
                               .cosine = cosf(yaw),
                               .sine = sinf(yaw),
                               .resolution = resolution,
                               .width = WIDTH,
                               .height = HEIGHT}};
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const u32 sort = test_random_below(random, 8);
        map.cells[i] = sort < 5 ? TERRAIN_GROUND : (sort < 7 ? TERRAIN_BLOCKED : TERRAIN_WATER);
    }
    return map;
}

static u32 class_at(const struct map *map, int i, int j)
{
    return i < 0 || j < 0 || i >= WIDTH || j >= HEIGHT ? TERRAIN_BLOCKED
                                                       : map->cells[j * WIDTH + i];
}

static double point_square(double x, double y, int i, int j)
{
    const double dx = fmax(fmax(i - x, x - i - 1), 0), dy = fmax(fmax(j - y, y - j - 1), 0);
    return hypot(dx, dy);
}

static double point_segment(double x, double y, const double *a, const double *b)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], dd = dx * dx + dy * dy;
    const double t = dd > 0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / dd : 0;
    const double s = fmin(fmax(t, 0), 1);
    return hypot(a[0] + s * dx - x, a[1] + s * dy - y);
}

/* Least distance of a segment to a closed square: 0 where clipping leaves a piece (Liang & Barsky
 * 1984), else between an end and the square or a corner and the segment. */
static double segment_square(const double *a, const double *b, int i, int j)
{
    const double low[2] = {i, j};
    double from = 0, to = 1, least;
    for (int c = 0; c < 2; c++) {
        const double d = b[c] - a[c];
        if (d == 0) {
            if (a[c] < low[c] || a[c] > low[c] + 1)
                from = 2;
            continue;
        }
        const double s = (low[c] - a[c]) / d, t = (low[c] + 1 - a[c]) / d;
        from = fmax(from, fmin(s, t));
        to = fmin(to, fmax(s, t));
    }
    if (from <= to)
        return 0;
    least = fmin(point_square(a[0], a[1], i, j), point_square(b[0], b[1], i, j));
    for (int x = i; x <= i + 1; x++)
        for (int y = j; y <= j + 1; y++)
            least = fmin(least, point_segment(x, y, a, b));
    return least;
}

/* In cells, as the map's own float32 numbers have it. */
static void own(const struct grid *grid, struct vec3 p, double *out)
{
    const double x = (double)p.x - grid->origin[0], y = (double)p.y - grid->origin[1];
    out[0] = (grid->cosine * x + grid->sine * y) / grid->resolution;
    out[1] = (grid->cosine * y - grid->sine * x) / grid->resolution;
}

/* Least distance in metres to an obstacle cell of the segment's first cell. */
static double clearance(const struct map *map, struct vec3 p, struct vec3 q)
{
    double a[2], b[2], least = 1e30;
    own(&map->grid, p, a);
    own(&map->grid, q, b);
    const u32 kind = class_at(map, (int)floor(a[0]), (int)floor(a[1]));
    if (kind == TERRAIN_BLOCKED)
        return 0;
    for (int j = -1; j <= HEIGHT; j++) {
        for (int i = -1; i <= WIDTH; i++) {
            if (class_at(map, i, j) != kind)
                least = fmin(least, segment_square(a, b, i, j));
        }
    }
    return least * (double)map->grid.resolution;
}

static struct vec3 random_point(struct test_random *random, const struct grid *grid)
{
    float u = test_random_f32(random, 0.0f, WIDTH), v = test_random_f32(random, 0.0f, HEIGHT);
    // on centres, corners and lines too
    if (test_random_below(random, 3) == 0) {
        u = floorf(2 * u) / 2;
        v = floorf(2 * v) / 2;
    }
    u *= grid->resolution;
    v *= grid->resolution;
    return vec3_make(grid->origin[0] + (grid->cosine * u - grid->sine * v),
                     grid->origin[1] + (grid->sine * u + grid->cosine * v), 0.0f);
}

static void segments_keep_clear(void **state)
{
    static const float RESOLUTIONS[] = {1.0f, 0.05f, 0.3f};
    struct test_random random = {1};
    unsigned clear = 0, blocked = 0;
    (void)state;

    for (int m = 0; m < MAPS; m++) {
        const float yaw = m % 2 ? 0.0f : test_random_f32(&random, -3.0f, 3.0f);
        const struct map map = random_map(&random, RESOLUTIONS[m % 3], yaw);
        // a point, or a ball of up to two cells
        const float margin = 6 * 6e-8f * 8;
        const float reach =
            margin +
            (m % 4 < 2 ? 0.0f : test_random_f32(&random, 0.0f, 2.0f) * map.grid.resolution);
        const double slack = (double)(margin + 2 * grid_slack(&map.grid) * map.grid.resolution);
        for (int i = 0; i < SEGMENTS; i++) {
            const struct vec3 a = random_point(&random, &map.grid);
            struct vec3 b = random_point(&random, &map.grid);
            if (i % 4 < 2)
                b = vec3_mix(a, b, 0.2f);
            const double is = clearance(&map, a, b);
            const int got = grid_segment_is_clear(&map.grid, map.cells, a, b, reach);
            clear += got != 0;
            blocked += got == 0;
            if (got && !(is > (double)(reach - margin)))
                fail_msg("map %d segment %d: called clear at %g", m, i, is);
            if (!got && is > (double)reach + slack)
                fail_msg("map %d segment %d: not called clear at %g", m, i, is);
        }
    }
    assert_true(clear > MAPS * SEGMENTS / 50 && blocked > MAPS * SEGMENTS / 50);
}

/* Octile moves between centres: free where both cells are of one class, and for a diagonal both
 * side cells too. */
static void lattice_moves_are_exact(void **state)
{
    struct test_random random = {2};
    (void)state;

    for (int m = 0; m < MAPS; m++) {
        const struct map map = random_map(&random, m % 2 ? 1.0f : 0.05f, 0.0f);
        const float r = map.grid.resolution;
        for (int cell = 0; cell < WIDTH * HEIGHT * 9; cell++) {
            const int i = cell / 9 % WIDTH, j = cell / 9 / WIDTH, k = i + cell % 3 - 1,
                      l = j + cell / 3 % 3 - 1;
            const struct vec3 a =
                vec3_make(-6 + r * ((float)i + 0.5f), -4 + r * ((float)j + 0.5f), 0);
            const struct vec3 b =
                vec3_make(-6 + r * ((float)k + 0.5f), -4 + r * ((float)l + 0.5f), 0);
            const u32 kind = class_at(&map, i, j);
            const bool is = kind != TERRAIN_BLOCKED && class_at(&map, k, l) == kind &&
                            class_at(&map, i, l) == kind && class_at(&map, k, j) == kind;
            assert_int_equal(grid_segment_is_clear(&map.grid, map.cells, a, b, 3e-6f) != 0, is);
        }
    }
}

/* By the distances kept at cells' centres, and without them, points are told clear exactly when
 * they are, but for rounding. */
static void points_are_told_exactly(void **state)
{
    static const float RESOLUTIONS[] = {1.0f, 0.05f, 0.3f};
    struct test_random random = {4};
    unsigned clear = 0, blocked = 0;
    (void)state;

    for (int m = 0; m < MAPS; m++) {
        float values[2 + WIDTH * HEIGHT];
        const float yaw = m % 2 ? 0.0f : test_random_f32(&random, -3.0f, 3.0f);
        struct map map = random_map(&random, RESOLUTIONS[m % 3], yaw);
        // wide rooms, too
        for (int i = 0; i < WIDTH * HEIGHT && m % 4 >= 2; i++)
            map.cells[i] = i % 30 ? TERRAIN_GROUND : TERRAIN_BLOCKED;
        map.grid.values = m % 5 ? 2 : NONE_U32;
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            const int row = i / WIDTH;
            const double x = i % WIDTH + 0.5, y = row + 0.5;
            double least = 1e30;
            for (int j = -1; j <= HEIGHT; j++)
                for (int k = -1; k <= WIDTH; k++)
                    if (class_at(&map, k, j) != map.cells[i])
                        least = fmin(least, point_square(x, y, k, j));
            values[2 + i] = (float)(least * least);
        }
        const float margin = 6 * 6e-8f * 8;
        const double slack = (double)(margin + 2 * grid_slack(&map.grid) * map.grid.resolution);
        for (int i = 0; i < SEGMENTS; i++) {
            const struct vec3 p = random_point(&random, &map.grid);
            const double is = clearance(&map, p, p);
            const double factor = 1 + (double)test_random_f32(&random, -1.0f, 1.0f) *
                                          pow(10.0, (double)test_random_f32(&random, -6, 0));
            const float reach = margin + (float)(i % 4 ? is * factor : 0.0);
            const int got = grid_point_is_clear(&map.grid, map.cells, values, p, reach);
            clear += got != 0;
            blocked += got == 0;
            if (got && !(is > (double)(reach - margin)))
                fail_msg("map %d point %d: called clear of %g at %g", m, i, (double)reach, is);
            if (!got && is > (double)reach * (1 + 1e-5) + slack)
                fail_msg("map %d point %d: not called clear of %g at %g", m, i, (double)reach, is);
        }
    }
    assert_true(clear > MAPS * SEGMENTS / 50 && blocked > MAPS * SEGMENTS / 50);
}

/* The signed distance of points to cells of another sort. */
static void points_are_signed(void **state)
{
    struct test_random random = {3};
    (void)state;

    for (int m = 0; m < MAPS; m++) {
        const struct map map = random_map(&random, 0.3f, 0.7f);
        for (int i = 0; i < 20; i++) {
            const struct vec3 p = random_point(&random, &map.grid);
            double at[2], least = 3;
            own(&map.grid, p, at);
            const int column = (int)floor(at[0]), row = (int)floor(at[1]);
            if (fabs(at[0] - round(at[0])) < 1e-3 || fabs(at[1] - round(at[1])) < 1e-3)
                continue;
            const u32 kind = class_at(&map, column, row);
            for (int l = row - 3; l <= row + 3; l++) {
                for (int k = column - 3; k <= column + 3; k++) {
                    if (class_at(&map, k, l) != kind)
                        least = fmin(least, point_square(at[0], at[1], k, l));
                }
            }
            const double is = (kind == TERRAIN_BLOCKED ? -least : least) * 0.3;
            assert_float_equal((float)is, grid_point_distance(&map.grid, map.cells, p, 3), 1e-5f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_keep_clear),
        cmocka_unit_test(lattice_moves_are_exact),
        cmocka_unit_test(points_are_told_exactly),
        cmocka_unit_test(points_are_signed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

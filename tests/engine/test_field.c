/* Goal: the device's distance transforms are exact, and an obstacle's cubes are those that it
 * touches: all that its places are in, and none that is clearly apart. Method: random boxes, balls
 * and triangles in arrays of awkward sizes, long and thin ones among them; random maps of several
 * classes; limits and faults. Oracle: all cubes against all cubes taken; distances to closed cubes
 * in double precision. */
#include "oracle_world.h"
#include "roadmap/world/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 12 };

struct fixture {
    struct prm_obstacle obstacle;
    struct prm_field_plan plan;
    float *values; /* from the device */
};

/* Builds the field of the fixture's obstacle, at its `resolution`, and reads it back. */
static void fixture_build(struct fixture *f)
{
    enum { FIRST = 5 };
    struct prm_buffer values;
    assert_ok(prm_field_plan(&f->plan, &f->obstacle, 0));
    assert_true(f->plan.values > 0);
    const size_t bytes = f->plan.values * sizeof(float);
    f->values = malloc(bytes);
    assert_ok(prm_buffer_create(test_context, &values, bytes + FIRST * sizeof(float)));
    assert_ok(prm_field_build(test_arena, values, FIRST, &f->plan, &f->obstacle));
    assert_ok(prm_buffer_read(test_context, values, FIRST * sizeof(float), f->values, bytes));
    prm_buffer_destroy(test_context, &values);
}

/* Every value is the exact squared distance to the nearest cube of value 0. */
static void check_transform(const struct fixture *f)
{
    const uint32_t *size = f->plan.size;
    size_t count = 0;
    uint32_t(*taken)[3] = calloc(f->plan.values, sizeof(*taken));
    for (size_t i = 0; i < f->plan.values; i++) {
        const uint32_t at[3] = {(uint32_t)(i % size[0]), (uint32_t)(i / size[0] % size[1]),
                                (uint32_t)(i / size[0] / size[1])};
        if (f->values[i] != 0)
            continue;
        memcpy(taken[count++], at, sizeof(at));
        for (int c = 0; c < 3; c++)
            assert_true(at[c] > 0 && at[c] < size[c] - 1);
    }
    assert_true(count > 0);
    for (size_t i = 0; i < f->plan.values; i++) {
        const int at[3] = {(int)(i % size[0]), (int)(i / size[0] % size[1]),
                           (int)(i / size[0] / size[1])};
        double least = INFINITY;
        for (size_t t = 0; t < count; t++) {
            double sum = 0.0;
            for (int c = 0; c < 3; c++) {
                const double gap = fmax(abs(at[c] - (int)taken[t][c]) - 0.5, 0.0);
                sum += gap * gap;
            }
            least = fmin(least, sum);
        }
        if ((double)f->values[i] != least)
            fail_msg("cube %d %d %d: %.9g is not %.9g", at[0], at[1], at[2], (double)f->values[i],
                     least);
    }
    free(taken);
}

/* Single cubes in arrays from the least size to long and thin ones. */
static void transforms_are_exact(void **state)
{
    static const uint32_t SIZES[][3] = {{1, 1, 1},   {1, 1, 2},  {300, 1, 1}, {1, 300, 1},
                                        {1, 1, 300}, {31, 2, 5}, {24, 23, 7}, {17, 33, 16}};
    struct test_random random = {1};
    const size_t cases = test_is_small() ? 2 : sizeof(SIZES) / sizeof(SIZES[0]);
    (void)state;

    for (size_t k = 0; k < 3 * cases; k++) {
        const uint32_t *size = SIZES[k % cases];
        double boxes[PARTS + 2][6];
        struct fixture f = {.obstacle = {.kind = PRM_OBSTACLE_BOXES,
                                         .quaternion = {0, 0, 0, 1},
                                         .points = boxes[0],
                                         .point_count = k < cases ? 2 : PARTS + 2,
                                         .resolution = 0.25}};
        // the first two are the corners, so that the array is as large as it is meant to be
        for (uint32_t i = 0; i < PARTS + 2; i++) {
            for (int c = 0; c < 3; c++) {
                const uint32_t at = i == 0   ? 0
                                    : i == 1 ? size[c] - 1
                                             : test_random_below(&random, size[c]);
                boxes[i][c] = 0.25 * (at + 0.5) - 3;
                boxes[i][3 + c] = 0.25;
            }
        }
        fixture_build(&f);
        for (int c = 0; c < 3; c++)
            assert_int_equal(f.plan.size[c], 2 * ((size[c] + 8) / 2) + 1);
        // whole cubes are taken, and no others
        for (uint32_t i = 0; i < f.obstacle.point_count; i++) {
            size_t index = 0;
            for (int c = 2; c >= 0; c--)
                index = index * f.plan.size[c] +
                        (size_t)((boxes[i][c] - f.plan.lower[c]) / f.plan.edge);
            assert_true(f.values[index] == 0);
        }
        size_t taken = 0;
        for (size_t i = 0; i < f.plan.values; i++)
            taken += f.values[i] == 0;
        assert_true(taken <= f.obstacle.point_count);
        check_transform(&f);
        free(f.values);
    }
}

/* The obstacle of fixture f without its pose and padding. */
static double own_distance(const struct fixture *f, const double *p)
{
    struct prm_obstacle own = f->obstacle;
    own.padding = 0;
    memset(own.center, 0, sizeof(own.center));
    memcpy(own.quaternion, (double[4]){0, 0, 0, 1}, sizeof(own.quaternion));
    return oracle_segment_distance(&own, p, p);
}

/* A random place of part i of the fixture's obstacle, of its boundary often. */
static void random_place(const struct fixture *f, struct test_random *random, uint32_t i,
                         double *place)
{
    const struct prm_obstacle *o = &f->obstacle;
    double w[3], sum = 0, length = 0;
    for (int k = 0; k < 3; k++) {
        w[k] = test_random_below(random, 4) ? (double)test_random_f32(random, 0, 1) : 0.0;
        w[k] = k == 2 && sum == 0 ? 1 : w[k];
        sum += w[k];
    }
    for (size_t c = 0; c < 3; c++) {
        place[c] = 0;
        for (size_t k = 0; k < 3 && o->kind == PRM_OBSTACLE_MESH; k++)
            place[c] += w[k] / sum * o->points[3 * (size_t)o->triangles[3 * i + k] + c];
        if (o->kind == PRM_OBSTACLE_BOXES)
            place[c] = o->points[6 * i + c] + (w[c] - 0.5) * o->points[6 * i + 3 + c];
        length = hypot(length, w[c] - 0.5);
    }
    for (size_t c = 0; c < 3 && o->kind == PRM_OBSTACLE_POINTS; c++)
        place[c] = o->points[3 * i + c] + (w[c] - 0.5) / length * o->radius;
}

/* Places of the obstacle are in cubes taken; cubes taken are near the obstacle. */
static void check_cover(const struct fixture *f, struct test_random *random)
{
    enum { PLACES = 400, CUBES = 30 };
    const double edge = f->plan.edge;
    const uint32_t *size = f->plan.size;
    const uint32_t parts = f->obstacle.kind == PRM_OBSTACLE_MESH ? f->obstacle.triangle_count
                                                                 : f->obstacle.point_count;
    for (uint32_t i = 0; i < parts * PLACES; i++) {
        double place[3], gap = INFINITY;
        size_t at[3];
        random_place(f, random, i % parts, place);
        for (int c = 0; c < 3; c++)
            at[c] = (size_t)floor((place[c] - f->plan.lower[c]) / edge);
        // the cube that holds it is taken; at its very face the one beside it may be instead
        for (int c = 0; c < 3; c++) {
            const double along = (place[c] - f->plan.lower[c]) / edge - (double)at[c];
            gap = fmin(gap, fmin(along, 1 - along));
        }
        if (f->values[(at[2] * size[1] + at[1]) * size[0] + at[0]] != 0 && gap > 1e-5)
            fail_msg("kind %d part %u: %g %g %g is in a free cube", (int)f->obstacle.kind,
                     i % parts, place[0], place[1], place[2]);
    }
    assert_true(size[0] > 0 && size[1] > 0);
    for (int i = 0; i < CUBES && size[0] > 0 && size[1] > 0;) {
        const size_t cube = test_random_below(random, (uint32_t)f->plan.values);
        const size_t at[3] = {cube % size[0], cube / size[0] % size[1], cube / size[0] / size[1]};
        double centre[3];
        if (f->values[cube] != 0)
            continue;
        for (int c = 0; c < 3; c++)
            centre[c] = f->plan.lower[c] + ((double)at[c] + 0.5) * edge;
        // no farther than half the diagonal
        assert_true(own_distance(f, centre) <= (0.8661 + 2e-3) * edge);
        i++;
    }
}

static void parts_are_covered(void **state)
{
    static const enum prm_obstacle_kind KINDS[] = {PRM_OBSTACLE_BOXES, PRM_OBSTACLE_POINTS,
                                                   PRM_OBSTACLE_MESH};
    struct test_random random = {2};
    const uint32_t rounds = test_is_small() ? 3 : 9, parts = (uint32_t)test_size(PARTS, 4);
    (void)state;

    for (uint32_t k = 0; k < rounds; k++) {
        double points[3 * PARTS * 6];
        uint32_t triangles[3 * PARTS];
        const bool boxes = KINDS[k % 3] == PRM_OBSTACLE_BOXES;
        const bool mesh = KINDS[k % 3] == PRM_OBSTACLE_MESH;
        const uint32_t stride = boxes ? 6 : 3;
        struct fixture f = {.obstacle = {.kind = KINDS[k % 3],
                                         .quaternion = {0, 0, 0, 1},
                                         .radius = k < 3 ? 0 : 0.2 * k,
                                         .points = points,
                                         .point_count = mesh ? 3 * parts : parts,
                                         .triangles = triangles,
                                         .triangle_count = mesh ? parts : 0,
                                         .resolution = k < 3 ? 0.5 : 0.3}};
        for (uint32_t i = 0; i < f.obstacle.point_count; i++) {
            for (uint32_t c = 0; c < stride; c++) {
                const float low = c < 3 ? -2.0f : 0.0f;
                points[stride * i + c] = (double)test_random_f32(&random, low, 2.0f);
            }
            // plates along a face of cubes
            if (i % 4 == 0)
                points[stride * i + 2] = -0.5;
        }
        for (uint32_t i = 0; i < 3 * parts; i++)
            triangles[i] = i % 4 ? i : test_random_below(&random, 3 * parts);
        fixture_build(&f);
        check_transform(&f);
        check_cover(&f, &random);
        free(f.values);
    }
}

/* Maps of several classes. */
static void grids_are_exact(void **state)
{
    static const uint32_t SIZES[][2] = {{1, 1}, {1, 40}, {40, 1}, {37, 23}, {64, 65}};
    struct test_random random = {3};
    const size_t cases = test_is_small() ? 3 : sizeof(SIZES) / sizeof(SIZES[0]);
    enum { BEFORE = 3 };
    (void)state;

    for (size_t k = 0; k < 2 * cases; k++) {
        const uint32_t width = SIZES[k % cases][0], height = SIZES[k % cases][1];
        const uint32_t count = width * height;
        unsigned char *classes = calloc(count + BEFORE, 1);
        float *values = calloc(count, sizeof(float));
        // few others in one class, or all mixed
        for (uint32_t i = 0; i < count; i++)
            classes[BEFORE + i] = (unsigned char)(k < cases && test_random_below(&random, 40)
                                                      ? TERRAIN_GROUND
                                                      : test_random_below(&random, 3));
        const struct grid grid = {
            .width = width, .height = height, .first = BEFORE, .values = BEFORE};
        struct prm_buffer on_device, cells;
        assert_ok(prm_buffer_create(test_context, &on_device, (count + BEFORE) * sizeof(float)));
        assert_ok(prm_buffer_create(test_context, &cells, count + BEFORE));
        assert_ok(prm_buffer_write(test_context, cells, 0, classes, count + BEFORE));
        assert_ok(prm_grid_distances(test_arena, on_device, cells, &grid));
        assert_ok(prm_buffer_read(test_context, on_device, BEFORE * sizeof(float), values,
                                  count * sizeof(float)));
        prm_buffer_destroy(test_context, &on_device);
        prm_buffer_destroy(test_context, &cells);

        for (int y = 0; y < (int)height; y++) {
            for (int x = 0; x < (int)width; x++) {
                const unsigned char kind = classes[BEFORE + y * (int)width + x];
                double least = kind == TERRAIN_BLOCKED ? 0.0 : INFINITY;
                for (int j = -1; j <= (int)height; j++) {
                    for (int i = -1; i <= (int)width; i++) {
                        const bool outside = i < 0 || j < 0 || i == (int)width || j == (int)height;
                        if (!outside && classes[BEFORE + j * (int)width + i] == kind)
                            continue;
                        const double dx = fmax(abs(x - i) - 0.5, 0), dy = fmax(abs(y - j) - 0.5, 0);
                        least = fmin(least, dx * dx + dy * dy);
                    }
                }
                if ((double)values[y * (int)width + x] != least)
                    fail_msg("map %zu cell %d %d: %g is not %g", k, x, y,
                             (double)values[y * (int)width + x], least);
            }
        }
        free(classes);
        free(values);
    }
}

/* What is planned without being asked, what is refused, and that nothing is left over. */
static void plans_state_their_cost(void **state)
{
    double corners[2][3] = {{0, 0, 0}, {10, 20, 40}};
    struct prm_obstacle o = {.kind = PRM_OBSTACLE_POINTS,
                             .quaternion = {0, 0, 0, 1},
                             .points = corners[0],
                             .point_count = 2};
    struct prm_field_plan plan;
    (void)state;

    // few points are kept one by one
    assert_ok(prm_field_plan(&plan, &o, 0));
    assert_true(plan.values == 0);
    o.resolution = 1;
    assert_ok(prm_field_plan(&plan, &o, 0));
    assert_true(plan.size[0] == 19 && plan.size[1] == 29 && plan.size[2] == 49);
    assert_true(plan.values == 19 * 29 * 49);

    // too fine along a side, and in all
    o.resolution = 0.001;
    assert_status(PRM_LIMIT_EXCEEDED, prm_field_plan(&plan, &o, 7));
    assert_fault_says("obstacle 7");
    assert_fault_says("bytes");
    const char *fits = strstr(prm_fault_last()->detail, "resolution of ");
    assert_non_null(fits);
    o.resolution = strtod(fits + strlen("resolution of "), NULL);
    assert_ok(prm_field_plan(&plan, &o, 0));

    // many have a field of their own, of no more cubes than one may have
    enum { MANY = PRM_FIELD_BOXES + 1 };
    double(*boxes)[6] = calloc(MANY, sizeof(*boxes));
    for (uint32_t i = 0; i < MANY; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            boxes[i][c] = 0.05 * ((i * (c + 7)) % 64) + 0.025;
            boxes[i][3 + c] = 0.05;
        }
    }
    o = (struct prm_obstacle){.kind = PRM_OBSTACLE_BOXES,
                              .quaternion = {0, 0, 0, 1},
                              .points = boxes[0],
                              .point_count = MANY};
    assert_ok(prm_field_plan(&plan, &o, 0));
    assert_true(plan.edge == 0.05 && plan.size[0] == 73);
    boxes[0][0] = 1000;
    assert_ok(prm_field_plan(&plan, &o, 0));
    assert_true(plan.edge > 0.05 && plan.values > 0);
    free(boxes);
}

/* A field that the device has no memory for names the bytes and a resolution. */
static void memory_is_stated(void **state)
{
    struct prm_context_options options = test_context_options();
    double corners[2][3] = {{0, 0, 0}, {100, 100, 100}};
    const struct prm_obstacle o = {.kind = PRM_OBSTACLE_POINTS,
                                   .quaternion = {0, 0, 0, 1},
                                   .points = corners[0],
                                   .point_count = 2,
                                   .resolution = 0.5};
    const struct prm_world_spec spec = {.dimension = 3,
                                        .bounded = true,
                                        .upper = {100, 100, 100},
                                        .obstacles = &o,
                                        .obstacle_count = 1};
    struct prm_context *context;
    struct prm_arena *arena;
    struct prm_world *world;
    (void)state;

    options.memory_limit = 16 << 20;
    assert_ok(prm_context_open(&context, &options));
    assert_ok(prm_arena_create(context, &arena));
    assert_status(PRM_DEVICE_MEMORY, prm_world_create(arena, &world, &spec));
    assert_fault_says("obstacle 0");
    assert_fault_says("would fit at");
    prm_arena_destroy(arena);
    assert_true(prm_context_memory(context).resident_bytes == 0);
    prm_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_are_exact), cmocka_unit_test(parts_are_covered),
        cmocka_unit_test(grids_are_exact),      cmocka_unit_test(plans_state_their_cost),
        cmocka_unit_test(memory_is_stated),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

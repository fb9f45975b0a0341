#include "scenes.h"
#include "bench.h"

#include <math.h>
#include <string.h>

enum { COORDINATES_MAX = 7, GRID_CELLS = 256, GRID_BLOCKS = 200, GRID_BLOCK_MAX = 18 };

/* Numbers have so many digits behind the point. */
static const double ten_thousandth = 1e-4;

static double rounded(double value)
{
    return round(value / ten_thousandth) * ten_thousandth;
}

/* Uniform in [lower, upper], rounded. */
static double draw(uint64_t *state, double lower, double upper)
{
    const double share = ldexp((double)(bench_random(state) >> 11), -53);
    return rounded(lower + share * (upper - lower));
}

static void draw_all(uint64_t *state, double *values, unsigned count, double lower, double upper)
{
    for (unsigned i = 0; i < count; i++)
        values[i] = draw(state, lower, upper);
}

static void member_number(struct text *out, const char *key, double value)
{
    text_member_number(out, key, value, 17);
}

/* ---- worlds ---- */

static void world_open(struct text *out, unsigned dimension, double lower, double upper)
{
    const double low[3] = {lower, lower, lower}, high[3] = {upper, upper, upper};
    text_json_open(out, '{');
    text_member_u64(out, "dimension", dimension);
    text_json_key(out, "bounds");
    text_json_open(out, '{');
    text_json_numbers(out, "min", low, dimension);
    text_json_numbers(out, "max", high, dimension);
    text_json_close(out, '}');
    text_json_key(out, "obstacles");
    text_json_open(out, '[');
}

static void world_close(struct text *out)
{
    text_json_close(out, ']');
    text_json_close(out, '}');
}

/* An obstacle begins: its type and where it is, each coordinate in lower … upper. */
static void obstacle_open(struct text *out, uint64_t *state, const char *type, unsigned dimension,
                          double lower, double upper)
{
    double center[3];
    draw_all(state, center, dimension, lower, upper);
    text_json_open(out, '{');
    text_member_string(out, "type", type);
    text_json_numbers(out, "center", center, dimension);
}

/* Round obstacles, in the plane circles. */
static void balls_write(struct text *out, uint64_t *state, unsigned count, unsigned dimension,
                        double lower, double upper, double least, double most)
{
    for (unsigned i = 0; i < count; i++) {
        obstacle_open(out, state, dimension == 2 ? "circle" : "sphere", dimension, lower, upper);
        member_number(out, "radius", draw(state, least, most));
        text_json_close(out, '}');
    }
}

/* Boxes, in the plane rectangles; turned or upright. */
static void boxes_write(struct text *out, uint64_t *state, unsigned count, unsigned dimension,
                        double upper, double least, double most, bool turned)
{
    for (unsigned i = 0; i < count; i++) {
        double size[3], turns[3];
        obstacle_open(out, state, dimension == 2 ? "rectangle" : "box", dimension, 0, upper);
        draw_all(state, size, dimension, least, most);
        draw_all(state, turns, 3, -1.5, 1.5);
        text_json_numbers(out, "size", size, dimension);
        if (turned && dimension == 2)
            member_number(out, "angle", turns[0]);
        else if (turned)
            text_json_numbers(out, "rpy", turns, 3);
        text_json_close(out, '}');
    }
}

/* Cylinders or capsules, turned. */
static void rods_write(struct text *out, uint64_t *state, unsigned count, const char *type,
                       double upper)
{
    for (unsigned i = 0; i < count; i++) {
        double turns[3];
        obstacle_open(out, state, type, 3, 0, upper);
        draw_all(state, turns, 3, -1.5, 1.5);
        member_number(out, "radius", draw(state, 0.15, 0.4));
        member_number(out, "length", draw(state, 1, 4));
        text_json_numbers(out, "rpy", turns, 3);
        text_json_close(out, '}');
    }
}

/* Triangles. */
static void polygons_write(struct text *out, uint64_t *state, unsigned count, double upper)
{
    for (unsigned i = 0; i < count; i++) {
        double center[2], corners[6];
        draw_all(state, center, 2, 0, upper);
        draw_all(state, corners, 6, -0.8, 0.8);
        text_json_open(out, '{');
        text_member_string(out, "type", "polygon");
        text_json_key(out, "points");
        text_json_open(out, '[');
        for (unsigned corner = 0; corner < 3; corner++) {
            const double point[] = {center[0] + corners[2 * corner],
                                    center[1] + corners[2 * corner + 1]};
            text_json_numbers(out, NULL, point, 2);
        }
        text_json_close(out, ']');
        text_json_close(out, '}');
    }
}

/* A map of blocks of cells. */
static void grid_world(struct text *out, uint64_t *state)
{
    static char rows[GRID_CELLS][GRID_CELLS + 1];
    for (unsigned row = 0; row < GRID_CELLS; row++) {
        memset(rows[row], '.', GRID_CELLS);
        rows[row][GRID_CELLS] = '\0';
    }
    for (unsigned block = 0; block < GRID_BLOCKS; block++) {
        const unsigned left = bench_random(state) % GRID_CELLS;
        const unsigned top = bench_random(state) % GRID_CELLS;
        const unsigned width = 2 + (unsigned)(bench_random(state) % GRID_BLOCK_MAX);
        const unsigned height = 2 + (unsigned)(bench_random(state) % GRID_BLOCK_MAX);
        for (unsigned row = top; row < top + height && row < GRID_CELLS; row++)
            for (unsigned column = left; column < left + width && column < GRID_CELLS; column++)
                rows[row][column] = '@';
    }

    text_json_open(out, '{');
    text_member_u64(out, "dimension", 2);
    text_json_key(out, "grid");
    text_json_open(out, '{');
    text_member_u64(out, "width", GRID_CELLS);
    text_member_u64(out, "height", GRID_CELLS);
    member_number(out, "resolution", 1);
    text_json_key(out, "rows");
    text_json_open(out, '[');
    for (unsigned row = 0; row < GRID_CELLS; row++)
        text_json_string(out, rows[row]);
    text_json_close(out, ']');
    text_json_close(out, '}');
    text_json_close(out, '}');
}

static void ball_world(struct text *out, uint64_t *state)
{
    world_open(out, 3, 0, 10);
    balls_write(out, state, 200, 3, 0, 10, 0.2, 0.45);
    boxes_write(out, state, 50, 3, 10, 0.4, 1.6, false);
    world_close(out);
}

static void arm_world(struct text *out, uint64_t *state)
{
    world_open(out, 3, -2, 2);
    for (unsigned i = 0; i < 40; i++) {
        // about the arm, but not where its foot is
        const double around = draw(state, -3.14, 3.14), away = draw(state, 0.35, 1);
        const double center[] = {rounded(away * cos(around)), rounded(away * sin(around)),
                                 draw(state, -0.6, 1)};
        text_json_open(out, '{');
        text_member_string(out, "type", "sphere");
        text_json_numbers(out, "center", center, 3);
        member_number(out, "radius", draw(state, 0.05, 0.13));
        text_json_close(out, '}');
    }
    world_close(out);
}

static void disc_world(struct text *out, uint64_t *state)
{
    world_open(out, 2, 0, 20);
    balls_write(out, state, 60, 2, 0, 20, 0.2, 0.8);
    boxes_write(out, state, 40, 2, 20, 0.3, 2, true);
    polygons_write(out, state, 30, 20);
    world_close(out);
}

static void cart_world(struct text *out, uint64_t *state)
{
    world_open(out, 2, 0, 20);
    balls_write(out, state, 40, 2, 0, 20, 0.2, 0.6);
    boxes_write(out, state, 25, 2, 20, 0.3, 1.5, true);
    polygons_write(out, state, 20, 20);
    world_close(out);
}

static void drone_world(struct text *out, uint64_t *state)
{
    world_open(out, 3, 0, 10);
    balls_write(out, state, 20, 3, 0, 10, 0.2, 0.5);
    boxes_write(out, state, 30, 3, 10, 0.3, 1.5, true);
    rods_write(out, state, 15, "cylinder", 10);
    rods_write(out, state, 15, "capsule", 10);
    world_close(out);
}

static void crane_world(struct text *out, uint64_t *state)
{
    world_open(out, 3, -4, 4);
    balls_write(out, state, 30, 3, -2.5, 2.5, 0.1, 0.3);
    world_close(out);
}

/* ---- robots ---- */

static const char point_robot[] = "{\"type\":\"point\"}";
static const char ball_robot[] = "{\"type\":\"ball\",\"radius\":0.2}";
static const char cart_robot[] = "{\"type\":\"rigid\",\"footprint\":[[-0.45,-0.3],[0.45,-0.3],"
                                 "[0.45,0.3],[-0.45,0.3]],\"weights\":[1,1,0.3]}";
static const char drone_robot[] =
    "{\"type\":\"rigid\",\"boxes\":[{\"center\":[0,0,0],\"size\":[0.8,0.8,0.2]}],"
    "\"weights\":[1,1,1,0.5]}";
/* A mast that turns for ever, a jib that moves out, a hook that follows it, a tool. */
static const char crane_robot[] =
    "{\"type\":\"arm\",\"base\":{\"xyz\":[0,0,-1]},\"joints\":["
    "{\"name\":\"turn\",\"type\":\"continuous\",\"parent\":\"foot\",\"child\":\"mast\","
    "\"axis\":[0,0,1]},"
    "{\"name\":\"out\",\"type\":\"prismatic\",\"parent\":\"mast\",\"child\":\"jib\","
    "\"origin\":{\"xyz\":[0.3,0,1]},\"axis\":[1,0,0],\"lower\":0,\"upper\":1.2},"
    "{\"name\":\"down\",\"type\":\"prismatic\",\"parent\":\"jib\",\"child\":\"hook\","
    "\"origin\":{\"xyz\":[0.4,0,0]},\"axis\":[0,0,-1],"
    "\"mimic\":{\"joint\":\"out\",\"multiplier\":0.5,\"offset\":0.2}},"
    "{\"name\":\"tilt\",\"type\":\"revolute\",\"parent\":\"hook\",\"child\":\"tool\","
    "\"axis\":[0,1,0],\"lower\":-1.5,\"upper\":1.5,\"weight\":0.5}],"
    "\"links\":[{\"name\":\"mast\",\"spheres\":[{\"center\":[0,0,0.5],\"radius\":0.15},"
    "{\"center\":[0,0,1],\"radius\":0.15}]},"
    "{\"name\":\"jib\",\"spheres\":[{\"center\":[0,0,0],\"radius\":0.1},"
    "{\"center\":[0.2,0,0],\"radius\":0.1},{\"center\":[0.4,0,0],\"radius\":0.1}]},"
    "{\"name\":\"hook\",\"spheres\":[{\"center\":[0,0,0],\"radius\":0.08}]},"
    "{\"name\":\"tool\",\"spheres\":[{\"center\":[0,0,-0.2],\"radius\":0.08},"
    "{\"center\":[0,0,-0.35],\"radius\":0.08}]}]}";
/* Seven turning joints one upon the other, about their own and across in turn. */
static const char arm_robot[] =
    "{\"type\":\"arm\",\"joints\":["
    "{\"name\":\"j1\",\"type\":\"revolute\",\"parent\":\"l0\",\"child\":\"l1\","
    "\"origin\":{\"xyz\":[0,0,0.16]},\"axis\":[0,0,1],\"lower\":-2.9,\"upper\":2.9},"
    "{\"name\":\"j2\",\"type\":\"revolute\",\"parent\":\"l1\",\"child\":\"l2\","
    "\"origin\":{\"xyz\":[0,0,0.18]},\"axis\":[0,1,0],\"lower\":-2,\"upper\":2},"
    "{\"name\":\"j3\",\"type\":\"revolute\",\"parent\":\"l2\",\"child\":\"l3\","
    "\"origin\":{\"xyz\":[0,0,0.2]},\"axis\":[0,0,1],\"lower\":-2.9,\"upper\":2.9},"
    "{\"name\":\"j4\",\"type\":\"revolute\",\"parent\":\"l3\",\"child\":\"l4\","
    "\"origin\":{\"xyz\":[0,0,0.2]},\"axis\":[0,1,0],\"lower\":-2,\"upper\":2},"
    "{\"name\":\"j5\",\"type\":\"revolute\",\"parent\":\"l4\",\"child\":\"l5\","
    "\"origin\":{\"xyz\":[0,0,0.2]},\"axis\":[0,0,1],\"lower\":-2.9,\"upper\":2.9},"
    "{\"name\":\"j6\",\"type\":\"revolute\",\"parent\":\"l5\",\"child\":\"l6\","
    "\"origin\":{\"xyz\":[0,0,0.19]},\"axis\":[0,1,0],\"lower\":-2,\"upper\":2},"
    "{\"name\":\"j7\",\"type\":\"revolute\",\"parent\":\"l6\",\"child\":\"l7\","
    "\"origin\":{\"xyz\":[0,0,0.09]},\"axis\":[0,0,1],\"lower\":-3,\"upper\":3}],"
    "\"links\":[{\"name\":\"l0\",\"spheres\":[{\"center\":[0,0,0.05],\"radius\":0.1}]},"
    "{\"name\":\"l1\",\"spheres\":[{\"center\":[0,0,0],\"radius\":0.09},"
    "{\"center\":[0,0,0.1],\"radius\":0.09}]},"
    "{\"name\":\"l2\",\"spheres\":[{\"center\":[0,0,0],\"radius\":0.09},"
    "{\"center\":[0,0,0.1],\"radius\":0.08}]},"
    "{\"name\":\"l3\",\"spheres\":[{\"center\":[0,0,0],\"radius\":0.08},"
    "{\"center\":[0,0,0.1],\"radius\":0.08}]},"
    "{\"name\":\"l4\",\"spheres\":[{\"center\":[0,0,0],\"radius\":0.08},"
    "{\"center\":[0,0,0.1],\"radius\":0.07}]},"
    "{\"name\":\"l5\",\"spheres\":[{\"center\":[0,0,0],\"radius\":0.07},"
    "{\"center\":[0,0,0.1],\"radius\":0.07}]},"
    "{\"name\":\"l6\",\"spheres\":[{\"center\":[0,0,0],\"radius\":0.07},"
    "{\"center\":[0,0,0.05],\"radius\":0.06}]},"
    "{\"name\":\"l7\",\"spheres\":[{\"center\":[0,0,0],\"radius\":0.06},"
    "{\"center\":[0,0,0.07],\"radius\":0.05},{\"center\":[0.04,0,0.13],\"radius\":0.03},"
    "{\"center\":[-0.04,0,0.13],\"radius\":0.03}]}],"
    "\"ignore_pairs\":[[\"l0\",\"l2\"],[\"l1\",\"l3\"],[\"l2\",\"l4\"],[\"l3\",\"l5\"],"
    "[\"l4\",\"l6\"],[\"l5\",\"l7\"]]}";

/* ---- scenes ---- */

const struct scene scenes[] = {
    {"grid", "a point in a map of cells"},
    {"ball", "a ball among spheres and boxes"},
    {"arm", "an arm of seven joints among spheres"},
    {"disc", "a disc among circles, rectangles and polygons"},
    {"cart", "a rectangle that turns, in the plane"},
    {"drone", "a box that turns, in space"},
    {"crane", "an arm of joints of every kind"},
};
const unsigned scene_count = sizeof scenes / sizeof *scenes;

/* What each of them is made of, in the same order. */
static const struct {
    void (*world)(struct text *out, uint64_t *state);
    const char *robot;
    unsigned coordinates;
    double lower[COORDINATES_MAX], upper[COORDINATES_MAX];
    bool orientation; /* the last four coordinates are a quaternion */
} parts[] = {
    {grid_world, point_robot, 2, {0, 0}, {GRID_CELLS, GRID_CELLS}, false},
    {ball_world, ball_robot, 3, {0, 0, 0}, {10, 10, 10}, false},
    {arm_world,
     arm_robot,
     7,
     {-2.9, -2, -2.9, -2, -2.9, -2, -3},
     {2.9, 2, 2.9, 2, 2.9, 2, 3},
     false},
    {disc_world, ball_robot, 2, {0, 0}, {20, 20}, false},
    {cart_world, cart_robot, 3, {0, 0, -3.14}, {20, 20, 3.14}, false},
    {drone_world, drone_robot, 7, {0, 0, 0, -1, -1, -1, -1}, {10, 10, 10, 1, 1, 1, 1}, true},
    {crane_world, crane_robot, 3, {-3.14, 0, -1.5}, {3.14, 1.2, 1.5}, false},
};

unsigned scene_find(const char *name)
{
    unsigned scene = 0;
    while (scene < scene_count && strcmp(scenes[scene].name, name) != 0)
        scene++;
    return scene;
}

/* Where random numbers begin: apart for worlds and requests, and for variants. */
static uint64_t seed_of(unsigned stream, unsigned variant)
{
    return stream + (uint64_t)variant * 2 * scene_count;
}

void scene_write_world(unsigned scene, unsigned variant, struct text *out)
{
    uint64_t state = seed_of(scene, variant);
    parts[scene].world(out, &state);
}

void scene_write_robot(unsigned scene, struct text *out)
{
    text_append(out, parts[scene].robot, strlen(parts[scene].robot));
}

static void state_write(struct text *out, const char *key, unsigned scene, uint64_t *random)
{
    const unsigned count = parts[scene].coordinates;
    double state[COORDINATES_MAX] = {0};
    for (unsigned i = 0; i < count; i++)
        state[i] = draw(random, parts[scene].lower[i], parts[scene].upper[i]);
    if (parts[scene].orientation) {
        double *q = state + count - 4, norm = 0;
        for (unsigned i = 0; i < 4; i++)
            norm += q[i] * q[i];
        for (unsigned i = 0; i < 4; i++)
            q[i] /= sqrt(norm);
    }
    text_json_numbers(out, key, state, count);
}

void scene_write_request(unsigned scene, unsigned variant, uint32_t query_count, struct text *out)
{
    uint64_t random = seed_of(scene_count + scene, variant);
    text_json_open(out, '{');
    text_json_key(out, "queries");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < query_count; i++) {
        text_json_open(out, '{');
        state_write(out, "start", scene, &random);
        state_write(out, "goal", scene, &random);
        text_json_close(out, '}');
    }
    text_json_close(out, ']');
    text_json_close(out, '}');
}

/* Goal: worlds are read strictly and written so that they read the same. Method: tables of bodies.
 * Oracle: the contract, section 3. */
#include "documents.h"
#include "schema/world.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOX2 "\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]}"
#define BOX3 "\"dimension\":3,\"bounds\":{\"min\":[0,0,0],\"max\":[10,10,5]}"
#define WITH2(obstacles) "{" BOX2 ",\"obstacles\":[" obstacles "]}"
#define WITH3(obstacles) "{" BOX3 ",\"obstacles\":[" obstacles "]}"
#define CIRCLE(id) "{\"id\":\"" id "\",\"type\":\"circle\",\"center\":[1,1],\"radius\":1}"
#define GRID(members) "{\"dimension\":2,\"grid\":{" members "}}"
#define ROWS2 "\"width\":3,\"height\":2,\"rows\":[\"..@\",\"GTW\"]"

/* Small limits, so that bodies that hit them stay small. */
static struct limits test_limits(void)
{
    struct limits limits = limits_default();
    limits.obstacles = 4;
    limits.polygon_points = 6;
    limits.grid_cells = 100;
    limits.points = 5;
    limits.triangles = 2;
    limits.boxes = 3;
    return limits;
}

static bool read(const char *body, size_t bytes, struct problem *problem)
{
    struct limits limits = test_limits();
    struct world_document world;
    if (!world_read(&world, body, bytes, &limits, problem))
        return false;
    world_deinit(&world);
    return true;
}

static struct world_document read_good(const char *body)
{
    struct limits limits = test_limits();
    struct problem problem = {0};
    struct world_document world;
    if (!world_read(&world, body, strlen(body), &limits, &problem))
        fail_msg("%s: %s", body, problem.faults[0].detail);
    return world;
}

static const struct bad_document bad[] = {
    // the world itself
    {"{}", PROBLEM_INVALID_ARGUMENT, "/dimension", NULL},
    {"{\"dimension\":4}", PROBLEM_INVALID_ARGUMENT, "/dimension", NULL},
    {"{\"dimension\":1}", PROBLEM_INVALID_ARGUMENT, "/dimension", NULL},
    {"{\"dimension\":2.5}", PROBLEM_INVALID_ARGUMENT, "/dimension", NULL},
    {"{\"dimension\":\"2\"}", PROBLEM_INVALID_ARGUMENT, "/dimension", NULL},
    {"{\"dimension\":2}", PROBLEM_INVALID_ARGUMENT, "/bounds", NULL},
    {"{\"dimension\":2,\"bounds\":[0,1]}", PROBLEM_INVALID_ARGUMENT, "/bounds", NULL},
    {"{\"dimension\":2,\"bounds\":{\"min\":[0,0]}}", PROBLEM_INVALID_ARGUMENT, "/bounds/max", NULL},
    {"{\"dimension\":2,\"bounds\":{\"min\":[0,0,0],\"max\":[1,1]}}", PROBLEM_INVALID_ARGUMENT,
     "/bounds/min", NULL},
    {"{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[1,\"1\"]}}", PROBLEM_INVALID_ARGUMENT,
     "/bounds/max/1", NULL},
    {"{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[1,0]}}", PROBLEM_INVALID_ARGUMENT,
     "/bounds/max/1", NULL},
    {"{\"dimension\":2,\"bounds\":{\"min\":[1,1],\"max\":[0,0]}}", PROBLEM_INVALID_ARGUMENT,
     "/bounds/max/0", NULL},
    {"{\"dimension\":2,\"bounds\":{\"min\":[-1e308,0],\"max\":[1e308,1]}}",
     PROBLEM_INVALID_ARGUMENT, "/bounds/min/0", NULL},
    {"{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[1,1.1e9]}}", PROBLEM_INVALID_ARGUMENT,
     "/bounds/max/1", NULL},
    {"{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[1e-30,1e-30]}}", PROBLEM_INVALID_ARGUMENT,
     "/bounds/max/0", NULL},
    {"{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[1000,1e-4]}}", PROBLEM_INVALID_ARGUMENT,
     "/bounds/max/1", NULL},
    {"{" BOX2 ",\"padding\":2e9}", PROBLEM_INVALID_ARGUMENT, "/padding", NULL},
    {"{" BOX2 ",\"padding\":-0.1}", PROBLEM_INVALID_ARGUMENT, "/padding", NULL},
    {"{" BOX2 ",\"padding\":null}", PROBLEM_INVALID_ARGUMENT, "/padding", NULL},
    {"{" BOX2 ",\"colour\":1}", PROBLEM_UNKNOWN_MEMBER, "/colour", NULL},
    {"{" BOX2 ",\"obstacles\":{}}", PROBLEM_INVALID_ARGUMENT, "/obstacles", NULL},
    {WITH2("5"), PROBLEM_INVALID_ARGUMENT, "/obstacles/0", NULL},
    {WITH2(CIRCLE("a") "," CIRCLE("b") "," CIRCLE("c") "," CIRCLE("d") "," CIRCLE("e")),
     PROBLEM_LIMIT_EXCEEDED, "/obstacles", "4"},
    // ids
    {WITH2(CIRCLE("a") "," CIRCLE("b") "," CIRCLE("a")), PROBLEM_DUPLICATE_ID, "/obstacles/2/id",
     NULL},
    {WITH2(CIRCLE("")), PROBLEM_INVALID_ARGUMENT, "/obstacles/0/id", NULL},
    {WITH2("{\"id\":5,\"type\":\"circle\",\"center\":[1,1],\"radius\":1}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/id", NULL},
    {WITH2(CIRCLE("a\\u0000b")), PROBLEM_INVALID_ARGUMENT, "/obstacles/0/id", NULL},
    // types
    {WITH2("{}"), PROBLEM_INVALID_ARGUMENT, "/obstacles/0/type", NULL},
    {WITH2("{\"type\":\"pyramid\"}"), PROBLEM_INVALID_ARGUMENT, "/obstacles/0/type", NULL},
    {WITH2("{\"type\":\"sphere\",\"center\":[1,1,1],\"radius\":1}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/type", NULL},
    {WITH3("{\"type\":\"circle\",\"center\":[1,1],\"radius\":1}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/type", NULL},
    {WITH3("{\"type\":\"grid\"}"), PROBLEM_INVALID_ARGUMENT, "/obstacles/0/type", NULL},
    {WITH2("{\"type\":\"circle\",\"center\":[1,1],\"radius\":1,\"size\":[1,1]}"),
     PROBLEM_UNKNOWN_MEMBER, "/obstacles/0/size", NULL},
    // sizes
    {WITH2("{\"type\":\"circle\",\"center\":[1,1],\"radius\":0}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/radius", NULL},
    {WITH2("{\"type\":\"circle\",\"center\":[1,1],\"radius\":-1}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/radius", NULL},
    {WITH2("{\"type\":\"circle\",\"center\":[1,1]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/radius", NULL},
    {WITH2("{\"type\":\"circle\",\"center\":[1],\"radius\":1}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/center", NULL},
    {WITH2("{\"type\":\"circle\",\"radius\":1}"), PROBLEM_INVALID_ARGUMENT, "/obstacles/0/center",
     NULL},
    {WITH2("{\"type\":\"rectangle\",\"center\":[1,1],\"size\":[1,0]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/size/1", NULL},
    {WITH2("{\"type\":\"rectangle\",\"center\":[1,1],\"size\":[1,1],\"angle\":\"x\"}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/angle", NULL},
    {WITH3("{\"type\":\"sphere\",\"center\":[1,1,1],\"radius\":0}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/radius", NULL},
    {WITH3("{\"type\":\"box\",\"center\":[1,1,1],\"size\":[1,1,-1]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/size/2", NULL},
    {WITH3("{\"type\":\"cylinder\",\"center\":[1,1,1],\"radius\":1,\"length\":0}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/length", NULL},
    {WITH3("{\"type\":\"capsule\",\"center\":[1,1,1],\"radius\":1}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/length", NULL},
    {WITH2("{\"type\":\"circle\",\"center\":[1,-2e9],\"radius\":1}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/center/1", NULL},
    {WITH2("{\"type\":\"circle\",\"center\":[1,1],\"radius\":1e10}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/radius", NULL},
    {WITH2("{\"type\":\"polygon\",\"points\":[[0,0],[1,0],[0,3e9]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/points/2/1", NULL},
    // flags
    {WITH2("{\"type\":\"circle\",\"center\":[1,1],\"radius\":1,\"padding\":-1}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/padding", NULL},
    {WITH2("{\"type\":\"circle\",\"center\":[1,1],\"radius\":1,\"dynamic\":1}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/dynamic", NULL},
    {WITH2("{\"type\":\"circle\",\"center\":[1,1],\"radius\":1,\"enabled\":null}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/enabled", NULL},
    // rotations
    {WITH3("{\"type\":\"box\",\"center\":[1,1,1],\"size\":[1,1,1],\"quaternion\":[0,0,0,0]}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/quaternion", NULL},
    {WITH3("{\"type\":\"box\",\"center\":[1,1,1],\"size\":[1,1,1],\"quaternion\":[0,0,1]}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/quaternion", NULL},
    {WITH3("{\"type\":\"box\",\"center\":[1,1,1],\"size\":[1,1,1],\"quaternion\":[0,0,0,1],\"rpy\":"
           "[0,0,0]}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/rpy", NULL},
    // polygons
    {WITH2("{\"type\":\"polygon\",\"points\":[[0,0],[1,0]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/points", NULL},
    {WITH2("{\"type\":\"polygon\",\"points\":[[0,0],[1,0],[0,0]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/points", NULL},
    {WITH2("{\"type\":\"polygon\",\"points\":[[0,0],[1,1],[2,2]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/points", NULL},
    {WITH2("{\"type\":\"polygon\",\"points\":[[0,0],[1,1],[0,1],[1,0]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/points", NULL},
    {WITH2("{\"type\":\"polygon\",\"points\":[[0,0],[1,1],[0,1],[1]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/points/3", NULL},
    {WITH2("{\"type\":\"polygon\",\"points\":[[0,0],[1,1],[0,1],[1,0],[1,0],[1,0],[1,0]]}"),
     PROBLEM_LIMIT_EXCEEDED, "/obstacles/0/points", "6"},
    // many of one kind
    {WITH2("{\"type\":\"points\",\"points\":[]}"), PROBLEM_INVALID_ARGUMENT, "/obstacles/0/type",
     NULL},
    {WITH3("{\"type\":\"points\"}"), PROBLEM_INVALID_ARGUMENT, "/obstacles/0/points", NULL},
    {WITH3("{\"type\":\"points\",\"points\":5}"), PROBLEM_INVALID_ARGUMENT, "/obstacles/0/points",
     NULL},
    {WITH3("{\"type\":\"points\",\"points\":[[0,0,0],[1,2]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/points/1", NULL},
    {WITH3("{\"type\":\"points\",\"points\":[[0,0,1e10]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/points/0/2", NULL},
    {WITH3("{\"type\":\"points\",\"points\":[],\"radius\":-1}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/radius", NULL},
    {WITH3("{\"type\":\"points\",\"points\":[],\"resolution\":0}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/resolution", NULL},
    {WITH3("{\"type\":\"points\",\"points\":[],\"resolution\":1e-12}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/resolution", NULL},
    {WITH3("{\"type\":\"points\",\"points\":[],\"size\":[1,1,1]}"), PROBLEM_UNKNOWN_MEMBER,
     "/obstacles/0/size", NULL},
    {WITH3("{\"type\":\"points\",\"points\":[[0,0,0],[0,0,0],[0,0,0],[0,0,0],[0,0,0],[0,0,0]]}"),
     PROBLEM_LIMIT_EXCEEDED, "/obstacles/0/points", "5"},
    {WITH3("{\"type\":\"boxes\",\"points\":[]}"), PROBLEM_UNKNOWN_MEMBER, "/obstacles/0/points",
     NULL},
    {WITH3("{\"type\":\"boxes\",\"boxes\":[],\"radius\":1}"), PROBLEM_UNKNOWN_MEMBER,
     "/obstacles/0/radius", NULL},
    {WITH3("{\"type\":\"boxes\",\"boxes\":[[0,0,0,1,1]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/boxes/0", NULL},
    {WITH3("{\"type\":\"boxes\",\"boxes\":[[0,0,0,1,0,1]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/boxes/0/4", NULL},
    {WITH3("{\"type\":\"boxes\",\"boxes\":[[],[],[],[]]}"), PROBLEM_LIMIT_EXCEEDED,
     "/obstacles/0/boxes", "3"},
    {WITH3("{\"type\":\"mesh\",\"vertices\":[[0,0,0]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/triangles", NULL},
    {WITH3("{\"type\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,0,1]]}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/triangles/0/2", NULL},
    {WITH3("{\"type\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,0,-1]]}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/triangles/0/2", NULL},
    {WITH3("{\"type\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,0,0.5]]}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/triangles/0/2", NULL},
    {WITH3("{\"type\":\"mesh\",\"vertices\":[],\"triangles\":[[0,0,0]]}"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/triangles/0/0", NULL},
    {WITH3("{\"type\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,0]]}"),
     PROBLEM_INVALID_ARGUMENT, "/obstacles/0/triangles/0", NULL},
    {WITH3("{\"type\":\"mesh\",\"vertices\":[],\"triangles\":[[],[],[]]}"), PROBLEM_LIMIT_EXCEEDED,
     "/obstacles/0/triangles", "2"},
    // grids
    {GRID("\"width\":3,\"height\":2"), PROBLEM_INVALID_ARGUMENT, "/grid/rows", NULL},
    {GRID("\"width\":3,\"height\":2,\"rows\":[\"...\"]"), PROBLEM_INVALID_ARGUMENT, "/grid/rows",
     NULL},
    {GRID("\"width\":3,\"height\":1,\"rows\":[\"..\"]"), PROBLEM_INVALID_ARGUMENT, "/grid/rows/0",
     NULL},
    {GRID("\"width\":3,\"height\":1,\"rows\":[5]"), PROBLEM_INVALID_ARGUMENT, "/grid/rows/0", NULL},
    {GRID("\"width\":3,\"height\":1,\"rows\":[\"..x\"]"), PROBLEM_INVALID_ARGUMENT, "/grid/rows/0",
     NULL},
    {GRID("\"width\":0,\"height\":1,\"rows\":[\"\"]"), PROBLEM_INVALID_ARGUMENT, "/grid/width",
     NULL},
    {GRID("\"width\":101,\"height\":1,\"rows\":[\"\"]"), PROBLEM_LIMIT_EXCEEDED, "/grid/width",
     "100"},
    {GRID("\"width\":11,\"height\":10,\"rows\":[\"\"]"), PROBLEM_LIMIT_EXCEEDED, "/grid", "100"},
    {GRID(ROWS2 ",\"resolution\":0"), PROBLEM_INVALID_ARGUMENT, "/grid/resolution", NULL},
    {GRID(ROWS2 ",\"resolution\":1e308"), PROBLEM_INVALID_ARGUMENT, "/grid/resolution", NULL},
    {GRID(ROWS2 ",\"resolution\":1e-30"), PROBLEM_INVALID_ARGUMENT, "/grid/resolution", NULL},
    {GRID(ROWS2 ",\"origin\":[1e300,0,0]"), PROBLEM_INVALID_ARGUMENT, "/grid/origin/0", NULL},
    {GRID(ROWS2 ",\"origin\":[0,0]"), PROBLEM_INVALID_ARGUMENT, "/grid/origin", NULL},
    {GRID(ROWS2 ",\"passable\":\"X\""), PROBLEM_INVALID_ARGUMENT, "/grid/passable", NULL},
    {GRID(ROWS2 ",\"type\":\"circle\""), PROBLEM_INVALID_ARGUMENT, "/grid/type", NULL},
    {GRID(ROWS2 ",\"cells\":1"), PROBLEM_UNKNOWN_MEMBER, "/grid/cells", NULL},
    {"{\"dimension\":3,\"bounds\":{\"min\":[0,0,0],\"max\":[1,1,1]},\"grid\":{" ROWS2 "}}",
     PROBLEM_INVALID_ARGUMENT, "/grid", NULL},
    {"{\"dimension\":2,\"grid\":{" ROWS2 "},\"obstacles\":[" CIRCLE("grid") "]}",
     PROBLEM_DUPLICATE_ID, "/obstacles/0/id", NULL},
};

static void bad_worlds_are_refused(void **state)
{
    (void)state;
    assert_refused(bad, sizeof bad / sizeof *bad, read);
    assert_refuses_malformed(read);

    char *body = repeat(
        "{" BOX2 ",\"obstacles\":[{\"type\":\"circle\",\"center\":[1,1],\"radius\":1,\"id\":\"",
        "i", OBSTACLE_ID_BYTES_MAX + 1, "\"}]}");
    assert_refused(&(struct bad_document){body, PROBLEM_INVALID_ARGUMENT, "/obstacles/0/id", NULL},
                   1, read);
    free(body);
}

static void all_faults_are_told(void **state)
{
    (void)state;
    const char *body = "{" BOX2 ",\"padding\":-1,\"colour\":1,\"obstacles\":["
                       "{\"type\":\"circle\",\"center\":[1],\"radius\":0},{\"type\":\"box\"}]}";
    struct problem problem = {0};
    assert_false(read(body, strlen(body), &problem));
    assert_int_equal(problem.fault_count, 5);
}

/* Bodies and what is written of them, without braces; each must also read back as itself. */
static const struct {
    const char *body, *written;
} good[] = {
    {"{" BOX2 "}", BOX2 ",\"padding\":0,\"obstacles\":[]"},
    {"{" BOX2 ",\"name\":\"w\",\"revision\":3,\"fingerprint\":\"f\",\"created\":\"c\"}",
     BOX2 ",\"padding\":0,\"obstacles\":[]"},
    {WITH3("{\"id\":\"a\",\"type\":\"sphere\",\"center\":[1,2,3],\"radius\":0.5},"
           "{\"id\":\"obstacle-1\",\"type\":\"box\",\"center\":[4,4,1],\"size\":[1,2,2],\"rpy\":[0,"
           "0,0.3],"
           "\"dynamic\":true,\"enabled\":false,\"padding\":0.1},"
           "{\"type\":\"cylinder\",\"center\":[7,1,1],\"radius\":0.4,\"length\":2,\"quaternion\":["
           "0,0,0,2]},"
           "{\"type\":\"capsule\",\"center\":[7,5,1],\"radius\":0.2,\"length\":1}"),
     BOX3
     ",\"padding\":0,\"obstacles\":["
     "{\"id\":\"a\",\"type\":\"sphere\",\"center\":[1,2,3],\"radius\":0.5,\"dynamic\":false,"
     "\"enabled\":true},"
     "{\"id\":\"obstacle-1\",\"type\":\"box\",\"center\":[4,4,1],\"size\":[1,2,2],\"rpy\":[0,0,0.3]"
     ","
     "\"padding\":0.1,\"dynamic\":true,\"enabled\":false},"
     "{\"id\":\"obstacle-2\",\"type\":\"cylinder\",\"center\":[7,1,1],\"radius\":0.4,\"length\":2,"
     "\"quaternion\":[0,0,0,1],\"dynamic\":false,\"enabled\":true},"
     "{\"id\":\"obstacle-3\",\"type\":\"capsule\",\"center\":[7,5,1],\"radius\":0.2,\"length\":1,"
     "\"dynamic\":false,\"enabled\":true}]"},
    {WITH2("{\"type\":\"rectangle\",\"center\":[1,1],\"size\":[1,2],\"angle\":0.5},"
           "{\"type\":\"polygon\",\"points\":[[0,0],[0,0],[1,0],[1,1],[0,0]]}"),
     BOX2
     ",\"padding\":0,\"obstacles\":["
     "{\"id\":\"obstacle-1\",\"type\":\"rectangle\",\"center\":[1,1],\"size\":[1,2],\"angle\":0.5,"
     "\"dynamic\":false,\"enabled\":true},"
     "{\"id\":\"obstacle-2\",\"type\":\"polygon\",\"points\":[[0,0],[1,0],[1,1]],\"dynamic\":false,"
     "\"enabled\":true}]"},
    {WITH3("{\"type\":\"boxes\",\"boxes\":[[1,2,3,0.5,1,2],[0,0,0,1,1,1]],\"resolution\":null},"
           "{\"type\":\"points\",\"radius\":0.1,\"points\":[[1,2,3]],\"resolution\":0.05,"
           "\"center\":[1,0,0],\"rpy\":[0,0,1],\"padding\":0.2},"
           "{\"type\":\"points\",\"points\":[]},"
           "{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0]],\"triangles\":[[0,1,2],[2,1,"
           "0.0]],\"quaternion\":[0,0,0,2],\"dynamic\":true}"),
     BOX3
     ",\"padding\":0,\"obstacles\":["
     "{\"id\":\"obstacle-1\",\"type\":\"boxes\",\"center\":[0,0,0],\"boxes\":[[1,2,3,0.5,1,2],[0,"
     "0,0,1,1,1]],\"dynamic\":false,\"enabled\":true},"
     "{\"id\":\"obstacle-2\",\"type\":\"points\",\"center\":[1,0,0],\"radius\":0.1,\"rpy\":[0,0,"
     "1],\"resolution\":0.05,\"points\":[[1,2,3]],\"padding\":0.2,\"dynamic\":false,\"enabled\":"
     "true},"
     "{\"id\":\"obstacle-3\",\"type\":\"points\",\"center\":[0,0,0],\"radius\":0,\"points\":[],"
     "\"dynamic\":false,\"enabled\":true},"
     "{\"id\":\"obstacle-4\",\"type\":\"mesh\",\"center\":[0,0,0],\"quaternion\":[0,0,0,1],"
     "\"vertices\":[[0,0,0],[1,0,0],[0,1,0]],\"triangles\":[[0,1,2],[2,1,0]],\"dynamic\":true,"
     "\"enabled\":true}]"},
    {"{\"grid\":{" ROWS2
     ",\"origin\":[500000,4000000,0],\"passable\":\"WT\"},\"obstacles\":[" CIRCLE("c") "]}",
     "\"dimension\":2,\"bounds\":{\"min\":[500000,4000000],\"max\":[500003,4000002]},\"padding\":0,"
     "\"obstacles\":["
     "{\"id\":\"grid\",\"type\":\"grid\",\"width\":3,\"height\":2,\"resolution\":1,\"origin\":["
     "500000,4000000,0],"
     "\"passable\":\"TW\",\"rows\":[\"..@\",\"GTW\"],\"dynamic\":false,\"enabled\":true},"
     "{\"id\":\"c\",\"type\":\"circle\",\"center\":[1,1],\"radius\":1,\"dynamic\":false,"
     "\"enabled\":true}]"},
};

static void worlds_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct text text = {0}, braced = {0}, again = {0};
        struct world_document world = read_good(good[i].body);
        world_write_members(&world, &text);
        assert_string_equal(text_string(&text), good[i].written);

        text_print(&braced, "{%s}", text.data);
        struct world_document second = read_good(text_string(&braced));
        world_write_members(&second, &again);
        assert_string_equal(text_string(&again), text.data);
        assert_int_equal(world.bounds_of_grid, second.bounds_of_grid);
        world_deinit(&world);
        world_deinit(&second);
        text_deinit(&text);
        text_deinit(&braced);
        text_deinit(&again);
    }
}

static void quaternions_are_normalised_once(void **state)
{
    (void)state;
    const struct {
        const char *sent;
        double q[4];
    } rows[] = {
        {"[0,15,0,2]", {0, 0.991227900682635, 0, 0.132163720091018}},
        {"[0.7071,0,0,0.7071]", {0.707106781186548, 0, 0, 0.707106781186548}},
        {"[1e300,0,0,1e300]", {0.707106781186548, 0, 0, 0.707106781186548}},
        {"[0,0,1e-300,0]", {0, 0, 1, 0}},
        {"[0,0,0,-1]", {0, 0, 0, -1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text body = {0}, first = {0}, second = {0};
        text_print(
            &body,
            WITH3("{\"type\":\"box\",\"center\":[1,1,1],\"size\":[1,1,1],\"quaternion\":%s}"),
            rows[i].sent);
        struct world_document world = read_good(text_string(&body));
        for (int c = 0; c < 4; c++)
            assert_true(fabs(world.obstacles[0].quaternion[c] - rows[i].q[c]) < 1e-14);
        text_json_open(&first, '{');
        world_write_members(&world, &first);
        text_json_close(&first, '}');
        struct world_document again = read_good(text_string(&first));
        text_json_open(&second, '{');
        world_write_members(&again, &second);
        text_json_close(&second, '}');
        assert_string_equal(text_string(&second), first.data);
        world_deinit(&world);
        world_deinit(&again);
        text_deinit(&body);
        text_deinit(&first);
        text_deinit(&second);
    }
}

/* R = Rz(yaw) Ry(pitch) Rx(roll), column by column, against the quaternion's matrix. */
static void rpy_is_fixed_axis(void **state)
{
    (void)state;
    struct world_document world = read_good(
        WITH3("{\"type\":\"box\",\"center\":[1,1,1],\"size\":[1,1,1],\"rpy\":[0.3,-0.7,1.9]}"));
    const double *q = world.obstacles[0].quaternion;
    double sr = sin(0.3), cr = cos(0.3), sp = sin(-0.7), cp = cos(-0.7), sy = sin(1.9),
           cy = cos(1.9);
    const double expected[3] = {cy * cp, sy * cp, -sp}; // R e_x
    const double got[3] = {1 - 2 * (q[1] * q[1] + q[2] * q[2]), 2 * (q[0] * q[1] + q[2] * q[3]),
                           2 * (q[0] * q[2] - q[1] * q[3])};
    const double expected_z[3] = {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr};
    const double got_z[3] = {2 * (q[0] * q[2] + q[1] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                             1 - 2 * (q[0] * q[0] + q[1] * q[1])};
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(expected[i] - got[i]) < 1e-14);
        assert_true(fabs(expected_z[i] - got_z[i]) < 1e-14);
    }
    world_deinit(&world);
}

static void bounds_follow_grids(void **state)
{
    (void)state;
    // turned a quarter: x and y change places
    struct world_document world =
        read_good(GRID(ROWS2 ",\"resolution\":2,\"origin\":[10,20,1.5707963267948966]"));
    assert_true(world.has_bounds && world.bounds_of_grid);
    assert_true(fabs(world.lower[0] - 6) < 1e-12 && fabs(world.upper[0] - 10) < 1e-12);
    assert_true(fabs(world.lower[1] - 20) < 1e-12 && fabs(world.upper[1] - 26) < 1e-12);
    world_deinit(&world);

    // two grids: the box of both
    world = read_good("{\"dimension\":2,\"obstacles\":[{\"type\":\"grid\"," ROWS2 "},"
                      "{\"type\":\"grid\",\"origin\":[-5,1,0]," ROWS2 "}]}");
    assert_true(world.bounds_of_grid);
    assert_true(world.lower[0] == -5 && world.upper[0] == 3);
    assert_true(world.lower[1] == 0 && world.upper[1] == 3);
    world_deinit(&world);

    // given bounds hold
    world = read_good("{" BOX2 ",\"grid\":{" ROWS2 "}}");
    assert_false(world.bounds_of_grid);
    assert_true(world.upper[0] == 10);
    world_deinit(&world);
}

static void ids_are_made_around_those_given(void **state)
{
    (void)state;
    struct world_document world = read_good(WITH2(
        "{\"type\":\"circle\",\"center\":[1,1],\"radius\":1}," CIRCLE("obstacle-1") "," CIRCLE(
            "obstacle-3") ",{\"type\":\"circle\",\"center\":[1,1],\"radius\":1}"));
    assert_string_equal(world.obstacles[0].id, "obstacle-2");
    assert_string_equal(world.obstacles[3].id, "obstacle-4");
    world_deinit(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_worlds_are_refused),
        cmocka_unit_test(all_faults_are_told),
        cmocka_unit_test(worlds_come_back),
        cmocka_unit_test(quaternions_are_normalised_once),
        cmocka_unit_test(rpy_is_fixed_axis),
        cmocka_unit_test(bounds_follow_grids),
        cmocka_unit_test(ids_are_made_around_those_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

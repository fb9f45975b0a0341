/* Goal: robots come as JSON, XML or forms, are what the engine is told of them, and fit their
 * worlds or are refused with the place. Method: calls in-process over a fake engine; specifications
 * of small arms. Oracle: the contract, section "Robots". */
#include "fake_engine.h"
#include "harness.h"
#include "service/translate_robot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct service *service;

static int setup(void **state)
{
    (void)state;
    fake_engine_reset();
    service = harness_open(NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    service_close(service);
    return fake_engine_alive() == 0 ? 0 : -1;
}

#define URDF                                                                                       \
    "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry>"          \
    "</collision></link><link name='b'/>"                                                          \
    "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>"
#define PART(NAME, CONTENT)                                                                        \
    "--XX\r\nContent-Disposition: form-data; name=\"" NAME "\"; filename=\"f\"\r\n"                \
    "Content-Type: application/octet-stream\r\n\r\n" CONTENT "\r\n"
#define FORM "multipart/form-data; boundary=XX"

static void robots_come_in_three_ways(void **state)
{
    (void)state;
    static const struct {
        const char *body, *type, *format;
        int status;
    } rows[] = {
        {URDF, NULL, "urdf", 201},
        {URDF, "application/xml", NULL, 201},
        {URDF, "text/xml; charset=utf-8", NULL, 201},
        {URDF, "application/octet-stream", "urdf", 201},
        {PART("urdf", URDF) "--XX--\r\n", FORM, NULL, 201},
        {PART("spheres", "b: []") PART("urdf", URDF) "--XX--\r\n", FORM, "urdf", 201},
        {URDF, NULL, NULL, 400},
        {URDF, NULL, "json", 400},
        {URDF, NULL, "sdf", 422},
        {PART("srdf", "<robot/>") "--XX--\r\n", FORM, NULL, 422},
        {PART("mesh", "x") PART("urdf", URDF) "--XX--\r\n", FORM, NULL, 422},
        {PART("urdf", "<robot") "--XX--\r\n", FORM, NULL, 400},
        {"{\"type\":\"point\"}", "application/json", "json", 201},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        EXPECT(service, rows[i].status, .route = ROUTE_ROBOT_PUT, .name = "way",
               .body = rows[i].body, .content_type = rows[i].type,
               .parameters = {rows[i].format ? "format" : NULL, rows[i].format});
        if (rows[i].status == 201)
            EXPECT(service, 204, .route = ROUTE_ROBOT_DELETE, .name = "way");
    }
}

/* What GET gives PUT takes, and it is the same robot, wherever it came from. */
static void what_comes_back(void **state)
{
    (void)state;
    struct exchange *made = SEND(service, 201, .route = ROUTE_ROBOT_PUT, .name = "arm",
                                 .body = URDF, .parameters = {"format", "urdf"});
    assert_string_equal(harness_string(made, "/type"), "arm");
    assert_string_equal(harness_string(made, "/coordinates/0"), "j");
    assert_true(harness_number(made, "/dof") == 1);
    assert_string_equal(harness_string(made, "/warnings/0/code"), "unmoved_link");
    struct exchange *got = SEND(service, 200, .route = ROUTE_ROBOT_GET, .name = "arm");
    char *body = strndup(got->call.reply.body.data, got->call.reply.body.length);
    struct exchange *again =
        SEND(service, 200, .route = ROUTE_ROBOT_PUT, .name = "arm", .body = body);
    assert_string_equal(again->call.reply.etag, made->call.reply.etag);
    struct exchange *list = SEND(service, 200, .route = ROUTE_ROBOT_LIST);
    assert_true(harness_number(list, "/items/0/dof") == 1);
    assert_true(harness_number(list, "/items/0/sphere_count") == 1);
    harness_free(made);
    harness_free(got);
    harness_free(again);
    harness_free(list);
    free(body);
    EXPECT(service, 204, .route = ROUTE_ROBOT_DELETE, .name = "arm");

    // a cover is told of, and then is its spheres
    made = SEND(service, 201, .route = ROUTE_ROBOT_PUT, .name = "cart",
                .body = "{\"type\":\"rigid\",\"footprint\":[[0,0],[2,0],[2,1],[0,1]],"
                        "\"cover_tolerance\":0.2}");
    assert_true(harness_number(made, "/cover_excess") <= 0.2);
    assert_true(harness_number(made, "/spheres/0/radius") > 0.5);
    harness_free(made);
    EXPECT(service, 204, .route = ROUTE_ROBOT_DELETE, .name = "cart");
}

static void robots_fit_their_worlds(void **state)
{
    (void)state;
    static const struct {
        const char *robot;
        int flat, solid; /* status of a roadmap in 2D and 3D */
    } rows[] = {
        {"{\"type\":\"point\"}", 202, 202},
        {"{\"type\":\"rigid\",\"footprint\":[[0,0],[2,0],[2,1]]}", 202, 422},
        {"{\"type\":\"rigid\",\"boxes\":[{\"size\":[1,1,1]}]}", 422, 202},
        {"{\"type\":\"rigid\",\"spheres\":[{\"center\":[1,0],\"radius\":1}]}", 202, 422},
        {"{\"type\":\"rigid\",\"spheres\":[{\"center\":[1,0,0],\"radius\":1}]}", 202, 202},
        {"{\"type\":\"rigid\",\"spheres\":[{\"center\":[1,0,1],\"radius\":1}]}", 422, 202},
        {"{\"type\":\"rigid\",\"spheres\":[{\"center\":[1,0,0],\"radius\":1}],"
         "\"weights\":[1,1,1,2]}",
         422, 202},
        {"{\"type\":\"arm\",\"joints\":[{\"name\":\"j\",\"type\":\"continuous\"}],"
         "\"links\":[{\"name\":\"l\"}]}",
         422, 422},
        {"{\"type\":\"arm\",\"joints\":[{\"name\":\"j\",\"type\":\"continuous\"}],"
         "\"links\":[{\"name\":\"l\",\"spheres\":[{\"center\":[0,0,1],\"radius\":1}]}]}",
         422, 202},
    };
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "flat",
           .body = "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]}}");
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "solid",
           .body = "{\"dimension\":3,\"bounds\":{\"min\":[0,0,0],\"max\":[9,9,9]}}");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char name[8] = {'r', (char)('0' + i)};
        EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = name, .body = rows[i].robot);
        for (int k = 0; k < 2; k++) {
            char body[128];
            const int status = k ? rows[i].solid : rows[i].flat;
            snprintf(body, sizeof(body), "{\"world\":\"%s\",\"robot\":\"%s\"}",
                     k ? "solid" : "flat", name);
            struct exchange *reply =
                SEND(service, status, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = body);
            if (status == 422)
                assert_string_equal(harness_string(reply, "/pointer"), "/robot");
            else
                EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
            harness_free(reply);
        }
    }
    harness_until_idle(service);
}

static struct robot_document must_read(const char *body)
{
    struct limits limits = limits_default();
    struct problem problem = {0};
    struct robot_document document;
    if (!robot_read(&document, body, strlen(body), &limits, &problem))
        fail_msg("%s", problem.faults[0].detail);
    return document;
}

/* The root comes first, joints parents first; coordinates stay in their order. */
static void arms_are_told_to_the_engine(void **state)
{
    (void)state;
    struct robot_document document = must_read(
        "{\"type\":\"arm\",\"base\":{\"xyz\":[1,2,3],\"rpy\":[0,0,3.141592653589793]},\"joints\":["
        "{\"name\":\"c\",\"type\":\"prismatic\",\"parent\":\"l1\",\"child\":\"l2\",\"mimic\":{"
        "\"joint\":\"b\",\"multiplier\":2,\"offset\":0.5}},"
        "{\"name\":\"f\",\"type\":\"fixed\",\"parent\":\"l2\",\"child\":\"l3\"},"
        "{\"name\":\"a\",\"type\":\"continuous\",\"parent\":\"l0\",\"child\":\"l4\",\"weight\":2},"
        "{\"name\":\"b\",\"type\":\"revolute\",\"parent\":\"l0\",\"child\":\"l1\",\"lower\":-1,"
        "\"upper\":2,\"axis\":[0,3,0],\"origin\":{\"xyz\":[0,0,4]}}],"
        "\"links\":[{\"name\":\"l3\",\"spheres\":[{\"center\":[0,0,1],\"radius\":0.1}]},"
        "{\"name\":\"l1\"},{\"name\":\"l0\",\"spheres\":[{\"center\":[5,0,0],\"radius\":-1},"
        "{\"center\":[6,0,0],\"radius\":1}]},{\"name\":\"l2\"},{\"name\":\"l4\"}],"
        "\"ignore_pairs\":[[\"l3\",\"l0\"]]}");
    struct robot_spec robot;
    assert_int_equal(robot_spec_init(&robot, &document), PRM_OK);
    const struct prm_robot_spec *spec = &robot.spec;
    assert_int_equal(spec->kind, PRM_ROBOT_ARM);
    assert_int_equal(spec->link_count, 5);
    assert_string_equal(spec->links[0].name, "l0");
    assert_int_equal(spec->links[0].sphere_count, 2);
    assert_true(spec->spheres[spec->links[0].sphere_first].center[0] == 5);
    assert_true(spec->spheres[spec->links[0].sphere_first].radius == -1);
    assert_string_equal(spec->links[1].name, "l3");
    assert_true(spec->spheres[spec->links[1].sphere_first].center[2] == 1);
    assert_true(fabs(spec->base.quaternion[2] - 1) < 1e-15 && spec->base.xyz[2] == 3);

    // parents before children, by the names of the links below
    bool reached[5] = {true};
    for (uint32_t i = 0; i < spec->joint_count; i++) {
        const struct prm_joint *joint = &spec->joints[i];
        const char *child = spec->links[joint->child].name;
        assert_true(reached[joint->parent] && !reached[joint->child]);
        reached[joint->child] = true;
        if (strcmp(child, "l2") == 0)
            assert_true(joint->kind == PRM_JOINT_PRISMATIC && joint->coordinate == 1 &&
                        joint->multiplier == 2 && joint->offset == 0.5);
        else if (strcmp(child, "l3") == 0)
            assert_true(joint->kind == PRM_JOINT_FIXED && joint->coordinate == UINT32_MAX &&
                        joint->offset == 0);
        else if (strcmp(child, "l1") == 0)
            assert_true(joint->axis[1] == 1 && joint->origin.xyz[2] == 4 &&
                        joint->coordinate == 1 && joint->multiplier == 1);
    }
    for (uint32_t l = 0; l < spec->link_count; l++)
        assert_string_equal(robot_link_text(&document, l), spec->links[l].name);
    assert_null(robot_link_text(&document, spec->link_count));
    assert_int_equal(spec->dof, 2);
    assert_string_equal(spec->coordinates[0].name, "a");
    assert_true(spec->coordinates[0].turn && spec->coordinates[0].weight == 2);
    assert_true(!spec->coordinates[1].turn && spec->coordinates[1].lower == -1 &&
                spec->coordinates[1].upper == 2);
    assert_int_equal(spec->ignored_count, 1);
    assert_int_equal(spec->ignored[0], 1);
    assert_int_equal(spec->ignored[1], 0);
    assert_int_equal(prm_robot_check(spec), PRM_OK);
    robot_spec_deinit(&robot);
    robot_deinit(&document);
}

static void others_are_told_to_the_engine(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        enum prm_robot_kind kind;
    } rows[] = {
        {"{\"type\":\"point\"}", PRM_ROBOT_POINT},
        {"{\"type\":\"ball\",\"radius\":2}", PRM_ROBOT_BALL},
        {"{\"type\":\"rigid\",\"spheres\":[{\"center\":[1,2],\"radius\":3}],\"weights\":[1,2,3]}",
         PRM_ROBOT_RIGID},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct robot_document document = must_read(rows[i].body);
        struct robot_spec robot;
        assert_int_equal(robot_spec_init(&robot, &document), PRM_OK);
        assert_int_equal(robot.spec.kind, rows[i].kind);
        assert_int_equal(prm_robot_check(&robot.spec), PRM_OK);
        if (robot.spec.kind == PRM_ROBOT_BALL)
            assert_true(robot.spec.radius == 2);
        if (robot.spec.kind == PRM_ROBOT_RIGID)
            assert_true(robot.spec.sphere_count == 1 && robot.spec.spheres[0].radius == 3 &&
                        robot.spec.weights[2] == 3);
        robot_spec_deinit(&robot);
        robot_deinit(&document);
    }
}

/* Which link is where, with the engine's order of links; what a state may be. */
static void links_are_found(void **state)
{
    (void)state;
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "arm",
           .body = "{\"type\":\"arm\",\"joints\":[{\"name\":\"turn\",\"type\":\"revolute\","
                   "\"parent\":\"foot\",\"child\":\"hand\",\"lower\":-1,\"upper\":2}],\"links\":[{"
                   "\"name\":\"hand\",\"spheres\":[{\"center\":[0,0,3],\"radius\":0.5}]},{"
                   "\"name\":\"foot\"}]}");
    struct exchange *reply = SEND(service, 200, .route = ROUTE_ROBOT_FORWARD, .name = "arm",
                                  .body = "{\"states\":[[0.25],{\"turn\":2.0000005}]}");
    // the foot is the engine's link 0
    assert_string_equal(harness_string(reply, "/coordinates/0"), "turn");
    assert_true(harness_number(reply, "/states/0/links/foot/xyz/0") == 0);
    assert_true(harness_number(reply, "/states/0/links/hand/xyz/0") == 1);
    assert_true(harness_number(reply, "/states/0/links/hand/xyz/1") == 0.25);
    assert_true(harness_number(reply, "/states/0/links/hand/quaternion/3") == 1);
    assert_true(harness_number(reply, "/states/0/spheres/hand/0/2") == 3);
    assert_true(harness_number(reply, "/states/0/spheres/hand/0/3") == 0.5);
    // clamped to the limit, with a warning
    assert_true(harness_number(reply, "/states/1/links/hand/xyz/1") == 2);
    assert_string_equal(harness_string(reply, "/warnings/0/code"), "clamped");
    harness_free(reply);

    static const struct {
        const char *body, *pointer;
        int status;
    } rows[] = {
        {"{\"states\":[]}", "", 200},
        {"{}", "/states", 422},
        {"{\"states\":[[1],[2.1]]}", "/states/1/0", 422},
        {"{\"states\":[{\"turn\":-1.1}]}", "/states/0/turn", 422},
        {"{\"states\":[[1,2]]}", "/states/0", 422},
        {"{\"states\":[{\"x\":1}]}", "/states/0/turn", 422},
        {"{\"states\":[{\"turn\":1,\"x\":1}]}", "/states/0/x", 422},
        {"{\"states\":[5]}", "/states/0", 422},
        {"{\"states\":[[1]],\"x\":1}", "/x", 422},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        reply = SEND(service, rows[i].status, .route = ROUTE_ROBOT_FORWARD, .name = "arm",
                     .body = rows[i].body);
        assert_string_equal(harness_string(reply, "/pointer"), rows[i].pointer);
        harness_free(reply);
    }
    EXPECT(service, 404, .route = ROUTE_ROBOT_FORWARD, .name = "nobody", .body = "{\"states\":[]}");
    atomic_store(&fake_engine.compute_status, PRM_DEVICE_MEMORY);
    EXPECT(service, 507, .route = ROUTE_ROBOT_FORWARD, .name = "arm", .body = "{\"states\":[[0]]}");
    atomic_store(&fake_engine.compute_status, PRM_OK);
}

/* What is no arm stands where its state says. */
static void bodies_stand_at_their_states(void **state)
{
    (void)state;
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "rod",
           .body = "{\"type\":\"rigid\",\"spheres\":[{\"center\":[2,0,0],\"radius\":1}]}");
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "ball",
           .body = "{\"type\":\"ball\",\"radius\":0.5}");
    // a quarter turn about z, in the plane and in space
    static const struct {
        const char *robot, *state;
        double center[4];
    } rows[] = {
        {"rod", "[5,6,1.5707963267948966]", {5, 8, 0, 1}},
        {"rod", "{\"x\":5,\"y\":6,\"theta\":0}", {7, 6, 0, 1}},
        {"rod", "[5,6,7,0,0,2,2]", {5, 8, 7, 1}},
        {"ball", "[1,2]", {1, 2, 0, 0.5}},
        {"ball", "{\"x\":1,\"y\":2,\"z\":3}", {1, 2, 3, 0.5}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char body[128];
        snprintf(body, sizeof(body), "{\"states\":[%s]}", rows[i].state);
        struct exchange *reply =
            SEND(service, 200, .route = ROUTE_ROBOT_FORWARD, .name = rows[i].robot, .body = body);
        for (int k = 0; k < 4; k++) {
            char pointer[64];
            snprintf(pointer, sizeof(pointer), "/states/0/spheres/body/0/%d", k);
            assert_true(fabs(harness_number(reply, pointer) - rows[i].center[k]) < 1e-8);
        }
        harness_free(reply);
    }
    EXPECT(service, 422, .route = ROUTE_ROBOT_FORWARD, .name = "rod",
           .body = "{\"states\":[[1,2,3,0,0,0,0]]}");
    EXPECT(service, 422, .route = ROUTE_ROBOT_FORWARD, .name = "rod",
           .body = "{\"states\":[[1,2,3],[1,2,3,0,0,0,1]]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_come_in_three_ways),
        cmocka_unit_test(what_comes_back),
        cmocka_unit_test(robots_fit_their_worlds),
        cmocka_unit_test(arms_are_told_to_the_engine),
        cmocka_unit_test(others_are_told_to_the_engine),
        cmocka_unit_test(links_are_found),
        cmocka_unit_test(bodies_stand_at_their_states),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* Goal: robots are read strictly and written so that they read the same; arms are one tree with
 * coordinates in the order given. Method: tables of bodies, each with one thing wrong. Oracle: the
 * contract, section "Robots". */
#include "documents.h"
#include "schema/robot.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read(const char *body, size_t bytes, struct problem *problem)
{
    struct limits limits = limits_default();
    struct robot_document robot;
    if (!robot_read(&robot, body, bytes, &limits, problem))
        return false;
    robot_deinit(&robot);
    return true;
}

#define ARM(JOINTS, LINKS) "{\"type\":\"arm\",\"joints\":[" JOINTS "],\"links\":[" LINKS "]}"
#define ARM_WITH(MORE)                                                                             \
    "{\"type\":\"arm\",\"joints\":[" JOINT_A "," JOINT_B "],\"links\":[" LINK_0 "," LINK_1         \
    "," LINK_2 "]," MORE "}"
#define JOINT_A                                                                                    \
    "{\"name\":\"a\",\"type\":\"revolute\",\"parent\":\"l0\",\"child\":\"l1\",\"lower\":-1,"       \
    "\"upper\":1}"
#define JOINT_B                                                                                    \
    "{\"name\":\"b\",\"type\":\"prismatic\",\"parent\":\"l1\",\"child\":\"l2\",\"lower\":0,"       \
    "\"upper\":0.5}"
#define JOINT_C(MORE) "{\"name\":\"c\",\"type\":\"continuous\",\"parent\":\"l2\"," MORE "}"
#define LINK_0 "{\"name\":\"l0\"}"
#define LINK_1 "{\"name\":\"l1\",\"spheres\":[{\"center\":[0,0,0.1],\"radius\":0.1}]}"
#define LINK_2 "{\"name\":\"l2\",\"spheres\":[]}"
#define RIGID(MEMBERS) "{\"type\":\"rigid\"," MEMBERS "}"

static const struct bad_document bad[] = {
    {"{}", PROBLEM_INVALID_ARGUMENT, "/type", NULL},
    {"{\"type\":5}", PROBLEM_INVALID_ARGUMENT, "/type", NULL},
    {"{\"type\":\"wheel\"}", PROBLEM_INVALID_ARGUMENT, "/type", NULL},
    {"{\"type\":\"point\",\"radius\":1}", PROBLEM_UNKNOWN_MEMBER, "/radius", NULL},
    {"{\"type\":\"ball\"}", PROBLEM_INVALID_ARGUMENT, "/radius", NULL},
    {"{\"type\":\"ball\",\"radius\":0}", PROBLEM_INVALID_ARGUMENT, "/radius", NULL},
    {"{\"type\":\"ball\",\"radius\":-1}", PROBLEM_INVALID_ARGUMENT, "/radius", NULL},
    {"{\"type\":\"ball\",\"radius\":null}", PROBLEM_INVALID_ARGUMENT, "/radius", NULL},
    {"{\"type\":\"ball\",\"radius\":\"1\"}", PROBLEM_INVALID_ARGUMENT, "/radius", NULL},
    {"{\"type\":\"ball\",\"radius\":1,\"a/b~c\":1}", PROBLEM_UNKNOWN_MEMBER, "/a~1b~0c", NULL},

    {"{\"type\":\"rigid\"}", PROBLEM_INVALID_ARGUMENT, "", NULL},
    {RIGID("\"spheres\":[]"), PROBLEM_INVALID_ARGUMENT, "/spheres", NULL},
    {RIGID("\"spheres\":[{\"center\":[0,0],\"radius\":-1}]"), PROBLEM_INVALID_ARGUMENT, "/spheres",
     NULL},
    {RIGID("\"spheres\":[{\"center\":[0,0]}]"), PROBLEM_INVALID_ARGUMENT, "/spheres/0/radius",
     NULL},
    {RIGID("\"spheres\":[{\"center\":[0],\"radius\":1}]"), PROBLEM_INVALID_ARGUMENT,
     "/spheres/0/center", NULL},
    {RIGID("\"spheres\":[{\"center\":[0,0],\"radius\":1,\"x\":1}]"), PROBLEM_UNKNOWN_MEMBER,
     "/spheres/0/x", NULL},
    {RIGID("\"spheres\":[{\"center\":[0,0,2e9],\"radius\":1}]"), PROBLEM_INVALID_ARGUMENT,
     "/spheres/0/center/2", NULL},
    {RIGID("\"spheres\":[{\"center\":[0,0],\"radius\":1}],\"boxes\":[]"), PROBLEM_INVALID_ARGUMENT,
     "", NULL},
    {RIGID("\"spheres\":[{\"center\":[0,0],\"radius\":1}],\"cover_tolerance\":1"),
     PROBLEM_INVALID_ARGUMENT, "/cover_tolerance", NULL},
    {RIGID("\"spheres\":[{\"center\":[0,0],\"radius\":1}],\"weights\":[1,1]"),
     PROBLEM_INVALID_ARGUMENT, "/weights", NULL},
    {RIGID("\"spheres\":[{\"center\":[0,0],\"radius\":1}],\"weights\":[1,1,0]"),
     PROBLEM_INVALID_ARGUMENT, "/weights/2", NULL},
    {RIGID("\"footprint\":[[0,0],[1,0]]"), PROBLEM_INVALID_ARGUMENT, "/footprint", NULL},
    {RIGID("\"footprint\":[[0,0],[1,1],[1,0],[0,1]]"), PROBLEM_INVALID_ARGUMENT, "/footprint",
     NULL},
    {RIGID("\"footprint\":[[0,0],[1,0],[2,0]]"), PROBLEM_INVALID_ARGUMENT, "/footprint", NULL},
    {RIGID("\"footprint\":[[0,0],[1,0],[1,1]],\"cover_tolerance\":0"), PROBLEM_INVALID_ARGUMENT,
     "/cover_tolerance", NULL},
    {RIGID("\"boxes\":[]"), PROBLEM_INVALID_ARGUMENT, "/boxes", NULL},
    {RIGID("\"boxes\":[{\"center\":[0,0,0]}]"), PROBLEM_INVALID_ARGUMENT, "/boxes/0/size", NULL},
    {RIGID("\"boxes\":[{\"size\":[1,1,0]}]"), PROBLEM_INVALID_ARGUMENT, "/boxes/0/size/2", NULL},
    // so small that products of lengths vanish
    {RIGID("\"boxes\":[{\"size\":[1e-120,1,1]}]"), PROBLEM_INVALID_ARGUMENT, "/boxes/0/size/0",
     NULL},
    {RIGID("\"footprint\":[[0,0],[1e-200,0],[0,1e-200]]"), PROBLEM_INVALID_ARGUMENT, "/footprint",
     NULL},
    {RIGID("\"boxes\":[{\"size\":[1,1,1],\"quaternion\":[0,0,0,0]}]"), PROBLEM_INVALID_ARGUMENT,
     "/boxes/0/quaternion", NULL},
    {RIGID("\"boxes\":[{\"size\":[1,1,1],\"rpy\":[0,0,0],\"quaternion\":[0,0,0,1]}]"),
     PROBLEM_INVALID_ARGUMENT, "/boxes/0/rpy", NULL},
    {RIGID("\"boxes\":[{\"size\":[1,1,1]}],\"weights\":[1,1,1]"), PROBLEM_INVALID_ARGUMENT,
     "/weights", NULL},

    {"{\"type\":\"arm\"}", PROBLEM_INVALID_ARGUMENT, "/joints", NULL},
    {ARM("", ""), PROBLEM_INVALID_ARGUMENT, "/joints", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"fixed\"}", LINK_0), PROBLEM_INVALID_ARGUMENT, "/joints", NULL},
    {ARM("{\"type\":\"continuous\"}", LINK_0), PROBLEM_INVALID_ARGUMENT, "/joints/0/name", NULL},
    {ARM("{\"name\":\"a\"}", LINK_0), PROBLEM_INVALID_ARGUMENT, "/joints/0/type", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"planar\"}", LINK_0), PROBLEM_INVALID_ARGUMENT,
     "/joints/0/type", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"revolute\",\"lower\":0}", LINK_0), PROBLEM_INVALID_ARGUMENT,
     "/joints/0/upper", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"revolute\",\"lower\":1,\"upper\":0}", LINK_0),
     PROBLEM_INVALID_ARGUMENT, "/joints/0/upper", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"continuous\",\"axis\":[0,0,0]}", LINK_0),
     PROBLEM_INVALID_ARGUMENT, "/joints/0/axis", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"continuous\",\"weight\":0}", LINK_0), PROBLEM_INVALID_ARGUMENT,
     "/joints/0/weight", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"continuous\",\"limit\":0}", LINK_0), PROBLEM_UNKNOWN_MEMBER,
     "/joints/0/limit", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"continuous\",\"origin\":{\"rpy\":[0,0]}}", LINK_0),
     PROBLEM_INVALID_ARGUMENT, "/joints/0/origin/rpy", NULL},
    {ARM(JOINT_A "," JOINT_A, LINK_0), PROBLEM_DUPLICATE_ID, "/joints/1/name", NULL},
    {ARM(JOINT_A, LINK_0 "," LINK_0), PROBLEM_DUPLICATE_ID, "/links/1/name", NULL},
    {ARM(JOINT_A, LINK_0 "," LINK_1 ",{\"name\":\"l9\"}"), PROBLEM_INVALID_ARGUMENT, "/links/2",
     NULL},
    {ARM(JOINT_A ",{\"name\":\"b\",\"type\":\"fixed\",\"parent\":\"l0\",\"child\":\"l1\"}", LINK_0),
     PROBLEM_INVALID_ARGUMENT, "/joints/1/child", NULL},
    {ARM(JOINT_A ",{\"name\":\"b\",\"type\":\"fixed\",\"parent\":\"x\",\"child\":\"y\"},"
                 "{\"name\":\"c\",\"type\":\"fixed\",\"parent\":\"y\",\"child\":\"x\"}",
         LINK_0),
     PROBLEM_INVALID_ARGUMENT, "/joints/1/parent", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"continuous\",\"parent\":\"l0\",\"child\":\"l0\"}", LINK_0),
     PROBLEM_INVALID_ARGUMENT, NULL, NULL},
    {ARM(JOINT_A "," JOINT_B "," JOINT_C("\"child\":\"l3\",\"mimic\":{\"joint\":\"z\"}"), LINK_0),
     PROBLEM_UNKNOWN_REFERENCE, "/joints/2/mimic/joint", NULL},
    {ARM(JOINT_A "," JOINT_B "," JOINT_C("\"child\":\"l3\",\"mimic\":{\"joint\":\"c\"}"), LINK_0),
     PROBLEM_INVALID_ARGUMENT, "/joints/2/mimic", NULL},
    {ARM(JOINT_A "," JOINT_B "," JOINT_C("\"child\":\"l3\",\"mimic\":{}"), LINK_0),
     PROBLEM_INVALID_ARGUMENT, "/joints/2/mimic/joint", NULL},
    {ARM(JOINT_A "," JOINT_B
                 "," JOINT_C("\"child\":\"l3\",\"mimic\":{\"joint\":\"a\",\"multiplier\":0}"),
         LINK_0),
     PROBLEM_INVALID_ARGUMENT, "/joints/2/mimic", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"continuous\"},{\"name\":\"b\",\"type\":\"prismatic\","
         "\"mimic\":{\"joint\":\"a\"}}",
         LINK_0 "," LINK_1),
     PROBLEM_INVALID_ARGUMENT, "/joints/1/mimic", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"continuous\"},{\"name\":\"b\",\"type\":\"revolute\","
         "\"mimic\":{\"joint\":\"a\",\"multiplier\":0.5}}",
         LINK_0 "," LINK_1),
     PROBLEM_INVALID_ARGUMENT, "/joints/1/mimic", NULL},
    {ARM("{\"name\":\"a\",\"type\":\"fixed\",\"mimic\":{\"joint\":\"a\"}}", LINK_0),
     PROBLEM_INVALID_ARGUMENT, "/joints/0/mimic", NULL},
    {ARM(JOINT_A "," JOINT_B ",{\"name\":\"f\",\"type\":\"fixed\"}", ""), PROBLEM_INVALID_ARGUMENT,
     "/joints/2/child", NULL},
    {ARM_WITH("\"ignore_pairs\":[[\"l1\",\"l7\"]]"), PROBLEM_UNKNOWN_REFERENCE, "/ignore_pairs/0/1",
     NULL},
    {ARM_WITH("\"ignore_pairs\":[[\"l1\"]]"), PROBLEM_INVALID_ARGUMENT, "/ignore_pairs/0", NULL},
    {ARM_WITH("\"weights\":[1]"), PROBLEM_INVALID_ARGUMENT, "/weights", NULL},
    {ARM_WITH("\"weights\":[1,-1]"), PROBLEM_INVALID_ARGUMENT, "/weights/1", NULL},
    {ARM_WITH("\"base\":{\"xyz\":[0,0]}"), PROBLEM_INVALID_ARGUMENT, "/base/xyz", NULL},
    {ARM_WITH("\"base\":[]"), PROBLEM_INVALID_ARGUMENT, "/base", NULL},
    {ARM_WITH("\"tool\":1"), PROBLEM_UNKNOWN_MEMBER, "/tool", NULL},
};

static void bad_robots_are_refused(void **state)
{
    (void)state;
    assert_refused(bad, sizeof bad / sizeof *bad, read);
    assert_refuses_malformed(read);
}

static void limits_are_named(void **state)
{
    (void)state;
    char *joints =
        repeat("{\"type\":\"arm\",\"joints\":[{\"name\":\"j\",\"type\":\"fixed\",\"child\":\"x\"}",
               ",{\"name\":\"j\",\"type\":\"continuous\",\"child\":\"l\"}", 300, "],\"links\":[]}");
    char *links = repeat("{\"type\":\"arm\",\"joints\":[],\"links\":[{\"name\":\"x\"}",
                         ",{\"name\":\"l\"}", 300, "]}");
    char *spheres = repeat("{\"type\":\"rigid\",\"spheres\":[{\"center\":[0,0],\"radius\":1}",
                           ",{\"center\":[0,0],\"radius\":1}", 5000, "]}");
    const struct bad_document rows[] = {
        {joints, PROBLEM_LIMIT_EXCEEDED, "/joints", "128"},
        {links, PROBLEM_LIMIT_EXCEEDED, "/links", "128"},
        {spheres, PROBLEM_LIMIT_EXCEEDED, "/spheres", "4096"},
    };
    assert_refused(rows, sizeof rows / sizeof *rows, read);
    free(joints);
    free(links);
    free(spheres);

    // 33 coordinates, each of its own name
    char body[8192];
    size_t length = (size_t)snprintf(body, sizeof body, "{\"type\":\"arm\",\"joints\":[");
    for (int i = 0; i < 33; i++)
        length += (size_t)snprintf(body + length, sizeof body - length,
                                   "%s{\"name\":\"j%d\",\"type\":\"continuous\",\"child\":\"l%d\"}",
                                   i ? "," : "", i, i);
    snprintf(body + length, sizeof body - length, "],\"links\":[]}");
    const struct bad_document dof[] = {{body, PROBLEM_LIMIT_EXCEEDED, "/joints", "32"}};
    assert_refused(dof, 1, read);
}

/* Writes a robot as a body, and what replies add. */
static void written(const char *body, struct text *members, struct text *derived)
{
    struct limits limits = limits_default();
    struct problem problem = {0};
    struct robot_document robot;
    if (!robot_read(&robot, body, strlen(body), &limits, &problem))
        fail_msg("%.200s: %s", body, problem.faults[0].detail);
    robot_write_members(&robot, members);
    robot_write_derived(&robot, derived);
    robot_deinit(&robot);
}

static void robots_come_back(void **state)
{
    (void)state;
    const struct {
        const char *body, *members, *derived;
    } rows[] = {
        {"{\"type\":\"point\"}", "\"type\":\"point\"", ""},
        {"{\"radius\":0.25,\"type\":\"ball\"}", "\"type\":\"ball\",\"radius\":0.25", ""},
        {"{\"type\":\"ball\",\"radius\":10000000000000000000000,\"name\":\"r\",\"revision\":4}",
         "\"type\":\"ball\",\"radius\":1e+22", ""},
        // in the plane by its centres, by its weights; in space; in both
        {RIGID("\"spheres\":[{\"center\":[1,0],\"radius\":1},{\"center\":[-0.0,2],\"radius\":-1}]"),
         "\"type\":\"rigid\",\"spheres\":[{\"center\":[1,0],\"radius\":1},{\"center\":[0,2],"
         "\"radius\":-1}]",
         "\"dof\":3,\"coordinates\":[\"x\",\"y\",\"theta\"]"},
        {RIGID("\"spheres\":[{\"center\":[1,0,0],\"radius\":1}],\"weights\":[1,2,3]"),
         "\"type\":\"rigid\",\"spheres\":[{\"center\":[1,0],\"radius\":1}],\"weights\":[1,2,3]",
         "\"dof\":3,\"coordinates\":[\"x\",\"y\",\"theta\"]"},
        {RIGID("\"spheres\":[{\"center\":[1,0,4],\"radius\":1}],\"weights\":null"),
         "\"type\":\"rigid\",\"spheres\":[{\"center\":[1,0,4],\"radius\":1}]",
         "\"dof\":7,\"coordinates\":[\"x\",\"y\",\"z\",\"qx\",\"qy\",\"qz\",\"qw\"]"},
        {RIGID("\"spheres\":[{\"center\":[1,0,0],\"radius\":1}]"),
         "\"type\":\"rigid\",\"spheres\":[{\"center\":[1,0,0],\"radius\":1}]", ""},
        // links and parents that are implied; rpy as sent, the axis of unit length
        {ARM("{\"name\":\"a\",\"type\":\"continuous\",\"lower\":-3,\"upper\":3,\"axis\":[0,0,2],"
             "\"origin\":{\"xyz\":[0,0,1],\"rpy\":[0,0,0.5]}}",
             "{\"name\":\"l\",\"spheres\":[{\"center\":[0,0,1],\"radius\":0.5}]}"),
         "\"type\":\"arm\",\"base\":{\"xyz\":[0,0,0]},\"joints\":[{\"name\":\"a\",\"type\":"
         "\"continuous\",\"parent\":\"base\",\"child\":\"l\",\"origin\":{\"xyz\":[0,0,1],\"rpy\":"
         "[0,0,0.5]},\"axis\":[0,0,1],\"weight\":1}],\"links\":[{\"name\":\"l\",\"spheres\":[{"
         "\"center\":[0,0,1],\"radius\":0.5}]},{\"name\":\"base\",\"spheres\":[]}],"
         "\"ignore_pairs\":[]",
         "\"dof\":1,\"coordinates\":[\"a\"]"},
        // what stands still is warned of; weights of all become those of the joints
        {"{\"type\":\"arm\",\"base\":{\"quaternion\":[0,0,0,2]},\"joints\":[" JOINT_A
         "],\"links\":[" LINK_1
         ",{\"name\":\"l0\",\"spheres\":[{\"center\":[0,0,0],\"radius\":1}]}]"
         ",\"ignore_pairs\":[[\"l0\",\"l1\"]],\"weights\":[2.5]}",
         "\"type\":\"arm\",\"base\":{\"xyz\":[0,0,0],\"quaternion\":[0,0,0,1]},\"joints\":[{"
         "\"name\":\"a\",\"type\":\"revolute\",\"parent\":\"l0\",\"child\":\"l1\",\"origin\":{"
         "\"xyz\":[0,0,0]},\"axis\":[1,0,0],\"lower\":-1,\"upper\":1,\"weight\":2.5}],\"links\":[{"
         "\"name\":\"l1\",\"spheres\":[{\"center\":[0,0,0.1],\"radius\":0.1}]},{\"name\":\"l0\","
         "\"spheres\":[{\"center\":[0,0,0],\"radius\":1}]}],\"ignore_pairs\":[[\"l0\",\"l1\"]]",
         "\"dof\":1,\"coordinates\":[\"a\"],\"warnings\":[{\"code\":\"unmoved_link\",\"detail\":"
         "\"no joint moves \\\"l0\\\": what stands still is not tested against the world\"}]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text members = {0}, derived = {0}, body = {0}, again = {0}, unused = {0};
        written(rows[i].body, &members, &derived);
        assert_string_equal(text_string(&members), rows[i].members);
        assert_string_equal(text_string(&derived), rows[i].derived);

        // what comes out goes in again, with what replies add
        text_json_open(&body, '{');
        text_append(&body, members.data, members.length);
        if (derived.length) {
            text_append(&body, ",", 1);
            text_append(&body, derived.data, derived.length);
        }
        text_json_close(&body, '}');
        written(text_string(&body), &again, &unused);
        assert_string_equal(text_string(&again), rows[i].members);
        text_deinit(&members);
        text_deinit(&derived);
        text_deinit(&body);
        text_deinit(&again);
        text_deinit(&unused);
    }
}

/* An arm given in any order: joints before what they hang on, mimics in a chain. */
static void arms_are_settled(void **state)
{
    (void)state;
    static const char body[] =
        ARM("{\"name\":\"c\",\"type\":\"prismatic\",\"parent\":\"l2\",\"child\":\"l3\","
            "\"mimic\":{\"joint\":\"b\",\"multiplier\":2,\"offset\":1}},"
            "{\"name\":\"b\",\"type\":\"revolute\",\"parent\":\"a\",\"child\":\"l2\","
            "\"mimic\":{\"joint\":\"a\",\"multiplier\":3,\"offset\":0.5}},"
            "{\"name\":\"d\",\"type\":\"continuous\",\"parent\":\"l0\",\"child\":\"l4\"}," JOINT_A
            ",{\"name\":\"e\",\"type\":\"fixed\",\"parent\":\"l0\",\"child\":\"l5\"}",
            LINK_2 "," LINK_0);
    struct limits limits = limits_default();
    struct problem problem = {0};
    struct robot_document robot;
    if (!robot_read(&robot, body, strlen(body), &limits, &problem))
        fail_msg("%s", problem.faults[0].detail);
    assert_int_equal(robot.dof, 2);
    assert_string_equal(robot_coordinate_name(&robot, 3, 0), "d");
    assert_string_equal(robot_coordinate_name(&robot, 3, 1), "a");
    assert_string_equal(robot.links[robot.root].name, "l0");

    // c = 2 b + 1 = 2 (3 a + 0.5) + 1
    assert_string_equal(robot.joints[robot.joints[0].mimic].name, "a");
    assert_true(robot.joints[0].multiplier == 6 && robot.joints[0].offset == 2);
    assert_int_equal(robot.joints[0].coordinate, 1);
    assert_int_equal(robot.joints[4].coordinate, ROBOT_NONE);

    // each joint after the one above it
    bool reached[8] = {false};
    reached[robot.root] = true;
    for (uint32_t i = 0; i < robot.joint_count; i++) {
        const struct robot_joint *joint = &robot.joints[robot.order[i]];
        assert_true(reached[joint->parent] && !reached[joint->child]);
        reached[joint->child] = true;
        assert_true(robot.moved[joint->child] == (strcmp(joint->name, "e") != 0));
    }
    robot_deinit(&robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_robots_are_refused),
        cmocka_unit_test(limits_are_named),
        cmocka_unit_test(robots_come_back),
        cmocka_unit_test(arms_are_settled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

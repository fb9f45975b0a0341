/* Goal: URDFs, SRDFs, sphere files and options become the arms that they describe, what is wrong or
 * hostile is refused fast and by name, whatever the locale. Method: small files in tables; files
 * that people have, where the shared data are there. Oracle: the formats' rules; forward kinematics
 * written here, and a pose of the Panda that was measured elsewhere. */
#include "documents.h"
#include "formats/urdf.h"
#include "support/support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECONDS_MAX 2.0

static struct limits limits;

/* ---- files ---- */

static struct urdf_part part(const char *text)
{
    return (struct urdf_part){text, text ? strlen(text) : 0};
}

static bool read(struct robot_document *robot, const char *urdf, const char *srdf,
                 const char *spheres, const char *options, struct problem *problem)
{
    const struct urdf_files files = {part(urdf), part(srdf), part(spheres), part(options),
                                     srdf || spheres || options};
    *problem = (struct problem){0};
    return urdf_read(robot, &files, &limits, problem);
}

static struct robot_document must_read(const char *urdf, const char *srdf, const char *spheres,
                                       const char *options)
{
    struct problem problem;
    struct robot_document robot;
    if (!read(&robot, urdf, srdf, spheres, options, &problem))
        fail_msg("refused: %s", problem.faults[0].detail);
    return robot;
}

#define ROBOT(BODY) "<?xml version=\"1.0\"?><robot name=\"r\">" BODY "</robot>"
#define LINK(NAME) "<link name='" NAME "'/>"
#define SHAPE(GEOMETRY) "<collision><geometry>" GEOMETRY "</geometry></collision>"
#define SOLID_LINK(NAME, SHAPES) "<link name='" NAME "'>" SHAPES "</link>"
#define JOINT(NAME, TYPE, PARENT, CHILD, MORE)                                                     \
    "<joint name='" NAME "' type='" TYPE "'><parent link='" PARENT "'/><child link='" CHILD        \
    "'/>" MORE "</joint>"
#define LIMIT_1 "<limit lower='-1' upper='1'/>"
#define TURN(NAME, PARENT, CHILD) JOINT(NAME, "continuous", PARENT, CHILD, "")

/* ---- what is refused ---- */

/* A body, what the first fault must be, and what its detail must say. */
struct refusal {
    const char *urdf;
    enum problem_code code;
    const char *says;
};

static const struct refusal refusals[] = {
    {"", PROBLEM_MALFORMED, "no XML"},
    {"{}", PROBLEM_MALFORMED, "line 1"},
    {"<robot>", PROBLEM_MALFORMED, "line 1"},
    {"<robot name='a' name='b'/>", PROBLEM_MALFORMED, "name"},
    {"<robot>\n<link name='a'>\n</robot>", PROBLEM_MALFORMED, "line 3"},
    {"<robot>&undeclared;</robot>", PROBLEM_MALFORMED, "undeclared"},
    {"<?xml version='1.0' encoding='UTF-16'?><robot/>", PROBLEM_UNSUPPORTED, "UTF-8"},
    {"<?xml version='1.0' encoding='utf-80'?><robot/>", PROBLEM_UNSUPPORTED, "UTF-8"},
    {"<?xml version='1.0' encoding='IBM037'?><robot/>", PROBLEM_UNSUPPORTED, "UTF-8"},
    {"<?xml version='1.0' encoding", PROBLEM_MALFORMED, "line 1"},
    {"\xff\xfe<", PROBLEM_UNSUPPORTED, "UTF-8"},
    {"<?xml version='1.0' encoding='Utf-8'?><sdf/>", PROBLEM_INVALID_ARGUMENT, "<sdf>"},
    {"\xef\xbb\xbf<?xml version='1.0' encoding = \"US-ASCII\"?><sdf/>", PROBLEM_INVALID_ARGUMENT,
     "<sdf>"},
    {"<sdf/>", PROBLEM_INVALID_ARGUMENT, "<sdf>"},
    {"<!DOCTYPE robot SYSTEM 'http://127.0.0.1:9/x.dtd'><robot/>", PROBLEM_UNSUPPORTED, "DOCTYPE"},
    {"<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot><link name='&x;'/></robot>",
     PROBLEM_UNSUPPORTED, "DOCTYPE"},
    {"<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>"
     "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;'>"
     "<!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;'><!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;'>"
     "<!ENTITY g '&f;&f;&f;&f;&f;&f;&f;&f;'><!ENTITY h '&g;&g;&g;&g;&g;&g;&g;&g;'>]>"
     "<robot>&h;</robot>",
     PROBLEM_UNSUPPORTED, "DOCTYPE"},
    {"<robot xmlns:xacro='http://ros.org/wiki/xacro'><xacro:property name='a' value='1'/></robot>",
     PROBLEM_UNSUPPORTED, "xacro:property"},
    {"<robot><link name='a'><xacro:include filename='b'/></link></robot>", PROBLEM_UNSUPPORTED,
     "xacro:include"},
    {ROBOT(""), PROBLEM_INVALID_ARGUMENT, "no joint"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "")), PROBLEM_INVALID_ARGUMENT,
     "no joint of the robot moves"},
    {ROBOT("<link/>"), PROBLEM_INVALID_ARGUMENT, "<link> has no name"},
    {ROBOT(LINK("a") LINK("a")), PROBLEM_DUPLICATE_ID, "\"a\""},
    {ROBOT(LINK("a") LINK("b") TURN("j", "a", "c")), PROBLEM_UNKNOWN_REFERENCE, "\"c\""},
    {ROBOT(LINK("a") LINK("b") "<joint name='j' type='continuous'><parent link='a'/></joint>"),
     PROBLEM_INVALID_ARGUMENT, "<child>"},
    {ROBOT(LINK("a") LINK("b") "<joint name='j'><parent link='a'/><child link='b'/></joint>"),
     PROBLEM_INVALID_ARGUMENT, "type"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "floating", "a", "b", "")), PROBLEM_UNSUPPORTED,
     "floating"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "planar", "a", "b", "")), PROBLEM_UNSUPPORTED, "planar"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "")), PROBLEM_INVALID_ARGUMENT,
     "needs limits"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "prismatic", "a", "b", "")), PROBLEM_INVALID_ARGUMENT,
     "needs limits"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<limit lower='1' upper='-1'/>")),
     PROBLEM_INVALID_ARGUMENT, "below"},
    {ROBOT(LINK("a") LINK("b")
               JOINT("j", "revolute", "a", "b", "<limit lower='${-pi}' upper='1'/>")),
     PROBLEM_INVALID_ARGUMENT, "${-pi}"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<limit lower='nan' upper='1'/>")),
     PROBLEM_INVALID_ARGUMENT, "nan"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<axis xyz='0 0'/>")),
     PROBLEM_INVALID_ARGUMENT, "3 numbers"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<axis xyz='0 0 0'/>")),
     PROBLEM_INVALID_ARGUMENT, "all zero"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<origin xyz='0 0 0,5'/>")),
     PROBLEM_INVALID_ARGUMENT, "0 0 0,5"},
    {ROBOT(LINK("a") LINK("b") TURN("j", "a", "b") TURN("j", "a", "b")), PROBLEM_DUPLICATE_ID,
     "\"j\""},
    {ROBOT(LINK("a") LINK("b") TURN("j", "a", "b") TURN("k", "b", "a")), PROBLEM_INVALID_ARGUMENT,
     "loop"},
    {ROBOT(LINK("a") LINK("b") LINK("c") TURN("j", "a", "b")), PROBLEM_INVALID_ARGUMENT,
     "one tree"},
    {ROBOT(LINK("a") LINK("b") LINK("c") TURN("j", "a", "b") TURN("k", "c", "b")),
     PROBLEM_INVALID_ARGUMENT, "already"},
    {ROBOT(LINK("a") LINK("b") LINK("c") TURN("j", "a", "b")
               JOINT("k", "revolute", "b", "c", "<mimic joint='z'/>")),
     PROBLEM_UNKNOWN_REFERENCE, "\"z\""},
    {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "a", "b", "")
               JOINT("k", "revolute", "b", "c", "<mimic joint='j'/>")),
     PROBLEM_INVALID_ARGUMENT, "fixed"},
    {ROBOT(LINK("a") SOLID_LINK("gripper", SHAPE("<mesh filename='package://g.stl'/>"))
               TURN("j", "a", "gripper")),
     PROBLEM_UNSUPPORTED, "\"gripper\""},
    {ROBOT(SOLID_LINK("a", SHAPE("<capsule radius='1' length='1'/>"))), PROBLEM_UNSUPPORTED,
     "<capsule>"},
    {ROBOT(SOLID_LINK("a", SHAPE("<sphere/>"))), PROBLEM_INVALID_ARGUMENT, "radius"},
    {ROBOT(SOLID_LINK("a", SHAPE("<sphere radius='-1'/>"))), PROBLEM_INVALID_ARGUMENT, "radius"},
    {ROBOT(SOLID_LINK("a", SHAPE("<box size='1 1 0'/>"))), PROBLEM_INVALID_ARGUMENT, "size"},
    {ROBOT(SOLID_LINK("a", SHAPE("<box size='1e-120 1e-120 1e-120'/>"))), PROBLEM_INVALID_ARGUMENT,
     "size"},
    {ROBOT(SOLID_LINK("a", SHAPE("<box size='1e200 1 1'/>"))), PROBLEM_INVALID_ARGUMENT, "size"},
    {ROBOT(SOLID_LINK("a", SHAPE("<cylinder radius='1'/>"))), PROBLEM_INVALID_ARGUMENT, "length"},
    {ROBOT(SOLID_LINK("a", "<collision/>")), PROBLEM_INVALID_ARGUMENT, "without geometry"},
};

static void expect_refusal(const char *urdf, const char *srdf, const char *spheres,
                           const char *options, enum problem_code code, const char *says)
{
    struct problem problem;
    struct robot_document robot;
    // of this process' own time, which other programs do not lengthen
    const clock_t began = clock();
    if (read(&robot, urdf, srdf, spheres, options, &problem))
        fail_msg("taken: %.200s %.200s %.200s %.200s", urdf, srdf ? srdf : "",
                 spheres ? spheres : "", options ? options : "");
    const struct problem_fault *fault = &problem.faults[0];
    if (!problem.fault_count || fault->code != code || !strstr(fault->detail, says))
        fail_msg("%.300s: %s: \"%s\", expected %s: \"%s\"", urdf, problem_code_text(fault->code),
                 fault->detail, problem_code_text(code), says);
    const double took = (double)(clock() - began) / CLOCKS_PER_SEC;
    if (took > SECONDS_MAX)
        fail_msg("%.100s: %g s", urdf, took);
}

static void bad_urdfs_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        expect_refusal(refusals[i].urdf, NULL, NULL, NULL, refusals[i].code, refusals[i].says);
}

static void hostile_files_end_soon(void **state)
{
    (void)state;
    char *deep = repeat("<robot>", "<a>", 1 << 20, "");
    char *huge = repeat("<robot>", "<a/><!-- x -->", 3 << 20, "</robot>");
    char *wide = repeat("<robot>", "<link name='a'/>", 200000, "</robot>");
    char *links = repeat("<robot name='", "x", 1 << 20, "'/>");
    char *yaml = repeat("a: ", "[", 100000, "");
    char *many = repeat("<robot ", "a='' ", 65, "/>");
    char *fewer = repeat("<robot ", "a='>' ", 64, "/>");
    char *quotes = repeat("<?a ", "\"\"", 1000, "?><!--<b ''''' --><robot><![CDATA[<]]></sdf>");
    expect_refusal(many, NULL, NULL, NULL, PROBLEM_INVALID_ARGUMENT, "64 attributes");
    expect_refusal(fewer, NULL, NULL, NULL, PROBLEM_MALFORMED, "redefined");
    expect_refusal(quotes, NULL, NULL, NULL, PROBLEM_MALFORMED, "mismatch");
    expect_refusal(deep, NULL, NULL, NULL, PROBLEM_MALFORMED, "line 1");
    expect_refusal(huge, NULL, NULL, NULL, PROBLEM_LIMIT_EXCEEDED, "bytes");
    expect_refusal(wide, NULL, NULL, NULL, PROBLEM_DUPLICATE_ID, "\"a\"");
    expect_refusal(links, NULL, NULL, NULL, PROBLEM_INVALID_ARGUMENT, "no joint");
    expect_refusal(ROBOT(LINK("a") LINK("b") TURN("j", "a", "b")), NULL, yaml, NULL,
                   PROBLEM_INVALID_ARGUMENT, "part spheres");
    free(deep);
    free(huge);
    free(wide);
    free(links);
    free(yaml);
    free(many);
    free(fewer);
    free(quotes);
}

/* ---- what is made of them ---- */

/* Two branches; the file's order is not the tree's. */
static const char tree[] =
    ROBOT(LINK("tip") LINK("base") LINK("left") LINK("right") LINK("hand") LINK("finger")
              LINK("thumb") JOINT("j_tip", "fixed", "hand", "tip", "<origin xyz='0 0 0.1'/>")
                  JOINT("j_right", "revolute", "base", "right", LIMIT_1)
                      JOINT("j_hand", "continuous", "left", "hand",
                            "<axis xyz='0 0 -2'/><limit lower='0' upper='0'/>")
                          JOINT("j_left", "revolute", "base", "left",
                                "<limit upper='2'/><origin rpy='0 0 1.5707963267948966'/>")
                              JOINT("j_thumb", "prismatic", "hand", "thumb",
                                    "<axis xyz='0 1 0'/><mimic joint='j_finger' multiplier='-1' "
                                    "offset='0.01'/>")
                                  JOINT("j_finger", "prismatic", "hand", "finger",
                                        "<axis xyz='0 1 0'/><limit lower='0.02' upper='0.04'/>"));

static void trees_become_arms(void **state)
{
    (void)state;
    static const char *const names[] = {"j_right", "j_left", "j_hand", "j_finger"};
    struct robot_document robot = must_read(tree, NULL, NULL, NULL);
    // depth first, children in the file's order; the mimic is no coordinate
    assert_int_equal(robot.dof, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(robot_coordinate_name(&robot, 3, i), names[i]);
    const struct robot_joint *left = &robot.joints[robot.coordinates[1]];
    assert_true(left->lower == 0 && left->upper == 2);
    assert_true(left->axis[0] == 1 && left->axis[1] == 0 && left->axis[2] == 0);
    const struct robot_joint *hand = &robot.joints[robot.coordinates[2]];
    assert_true(hand->type == JOINT_CONTINUOUS && hand->axis[2] == -1);
    for (uint32_t i = 0; i < robot.joint_count; i++) {
        const struct robot_joint *joint = &robot.joints[i];
        if (strcmp(joint->name, "j_thumb") == 0)
            assert_true(joint->coordinate == 3 && joint->multiplier == -1 && joint->offset == 0.01);
    }
    robot_deinit(&robot);
}

static const struct robot_joint *joint_named(const struct robot_document *robot, const char *name)
{
    for (uint32_t i = 0; i < robot->joint_count; i++)
        if (strcmp(robot->joints[i].name, name) == 0)
            return &robot->joints[i];
    fail_msg("no joint %s", name);
    return NULL;
}

#define SRDF(BODY) "<robot name='r'>" BODY "</robot>"

static void groups_and_locks(void **state)
{
    (void)state;
    static const struct {
        const char *srdf, *options;
        const char *names[5];
    } rows[] = {
        {SRDF("<group name='g'><chain base_link='base' tip_link='tip'/></group>"),
         "{\"group\":\"g\"}",
         {"j_left", "j_hand"}},
        // over where the branches meet
        {SRDF("<group name='g'><chain base_link='right' tip_link='hand'/></group>"),
         "{\"group\":\"g\"}",
         {"j_right", "j_left", "j_hand"}},
        {SRDF("<group name='g'><joint name='j_hand'/><joint name='j_thumb'/></group>"),
         "{\"group\":\"g\"}",
         {"j_hand"}},
        {SRDF("<group name='a'><link name='right'/><link name='base'/></group>"
              "<group name='g'><group name='a'/><joint name='j_finger'/></group>"),
         "{\"group\":\"g\"}",
         {"j_right", "j_finger"}},
        {SRDF("<group name='g'><group name='h'/></group><group name='h'><link "
              "name='left'/></group>"),
         "{\"group\":\"g\",\"locked\":{\"j_right\":0.5}}",
         {"j_left"}},
        {NULL, "{\"locked\":{\"j_left\":1,\"j_finger\":0.03}}", {"j_right", "j_hand"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct robot_document robot = must_read(tree, rows[i].srdf, NULL, rows[i].options);
        uint32_t count = 0;
        while (rows[i].names[count])
            count++;
        assert_int_equal(robot.dof, count);
        for (uint32_t k = 0; k < count; k++)
            assert_string_equal(robot_coordinate_name(&robot, 3, k), rows[i].names[k]);
        robot_deinit(&robot);
    }

    // what is not of the group stands halfway, and what follows it too
    struct robot_document robot = must_read(tree, rows[0].srdf, NULL, rows[0].options);
    const struct robot_joint *finger = joint_named(&robot, "j_finger");
    const struct robot_joint *thumb = joint_named(&robot, "j_thumb");
    assert_true(finger->type == JOINT_FIXED && thumb->type == JOINT_FIXED);
    assert_true(fabs(finger->origin.xyz[1] - 0.03) < 1e-12);
    assert_true(fabs(thumb->origin.xyz[1] + 0.02) < 1e-12);
    assert_non_null(strstr(text_string(&robot.warnings), "joint_locked"));
    robot_deinit(&robot);

    // a locked turn is part of the origin: 90° about z, then 1 about x
    robot = must_read(tree, NULL, NULL, "{\"locked\":{\"j_left\":1}}");
    const double *q = joint_named(&robot, "j_left")->origin.quaternion, half = sqrt(0.5);
    const double expected[4] = {half * sin(0.5), half * sin(0.5), half * cos(0.5), half * cos(0.5)};
    for (int a = 0; a < 4; a++)
        assert_true(fabs(q[a] - expected[a]) < 1e-12);
    robot_deinit(&robot);
}

static void options_and_spheres(void **state)
{
    (void)state;
    static const char arm[] =
        ROBOT(LINK("a") SOLID_LINK("b", SHAPE("<mesh filename='b.stl'/>"))
                  SOLID_LINK("c", SHAPE("<sphere radius='.5'/>") SHAPE("<mesh filename='c.stl'/>"))
                      TURN("j", "a", "b") TURN("k", "b", "c"));
    static const char spheres[] = "collision_spheres:\n"
                                  "  b:\n"
                                  "    - \"center\": [0.0, 1.5, -2]\n"
                                  "      \"radius\": 0.25\n"
                                  "    - {center: [0, 0, 0], radius: -1}\n"
                                  "  attached: []\n"
                                  "collision_sphere_buffer: 0.01\n"
                                  "self_collision_ignore: {b: [a, other]}\n";
    struct robot_document robot =
        must_read(arm,
                  SRDF("<disable_collisions link1='b' link2='c' reason='x'/>"
                       "<disable_collisions link1='b' link2='lost'/>"),
                  spheres,
                  "{\"padding\":0.1,\"base\":{\"xyz\":[1,2,3],\"rpy\":[0,0,1]},"
                  "\"weights\":{\"k\":4}}");
    assert_int_equal(robot.sphere_count, 3);
    assert_true(fabs(robot.spheres[0].radius - 0.36) < 1e-12 && robot.spheres[1].radius == -1);
    assert_true(robot.spheres[0].center[1] == 1.5 && robot.spheres[0].center[2] == -2);
    assert_true(fabs(robot.spheres[2].radius - 0.6) < 1e-12);
    assert_int_equal(robot.ignored_count, 2);
    assert_true(robot.joints[1].weight == 4 && robot.base.xyz[2] == 3 && robot.base.has_rpy);
    const char *warnings = text_string(&robot.warnings);
    assert_non_null(strstr(warnings, "lost"));
    assert_non_null(strstr(warnings, "other"));
    assert_non_null(strstr(warnings, "mesh_left_out"));
    assert_null(strstr(warnings, "attached"));
    robot_deinit(&robot);

    // the same as JSON, links at the top
    robot = must_read(arm, NULL, "{\"b\": [{\"center\": [0, 1.5, -2], \"radius\": 0.25}]}", NULL);
    assert_int_equal(robot.sphere_count, 2);
    robot_deinit(&robot);

    static const struct {
        const char *srdf, *spheres, *options, *says;
        enum problem_code code;
    } rows[] = {
        {NULL, "b: [{center: [0, 0], radius: 1}]", NULL, "part urdf", PROBLEM_INVALID_ARGUMENT},
        {NULL, "b: [{center: [0, 0, 0]}]", NULL, "radius", PROBLEM_INVALID_ARGUMENT},
        {NULL, "b: 3", NULL, "list of spheres", PROBLEM_INVALID_ARGUMENT},
        {NULL, "[1, 2]", NULL, "mapping", PROBLEM_INVALID_ARGUMENT},
        {NULL, "b: [", NULL, "part spheres", PROBLEM_MALFORMED},
        {"<robot", NULL, NULL, "part srdf: line 1", PROBLEM_MALFORMED},
        {NULL, NULL, "{\"tool\":1}", "part options: /options/tool", PROBLEM_UNKNOWN_MEMBER},
        {NULL, NULL, "{", "part options: line 1", PROBLEM_MALFORMED},
        {NULL, NULL, "{\"padding\":-1}", "/options/padding", PROBLEM_INVALID_ARGUMENT},
        {NULL, "b: []", "{\"group\":\"g\"}", "needs a part srdf", PROBLEM_INVALID_ARGUMENT},
        {SRDF("<group name='h'/>"), "b: []", "{\"group\":\"g\"}", "no group \"g\"",
         PROBLEM_UNKNOWN_REFERENCE},
        {SRDF("<group name='g'><group name='g'/></group>"), "b: []", "{\"group\":\"g\"}",
         "part of itself", PROBLEM_INVALID_ARGUMENT},
        {SRDF("<group name='g'><joint name='z'/></group>"), "b: []", "{\"group\":\"g\"}",
         "no such joint", PROBLEM_UNKNOWN_REFERENCE},
        {NULL, "b: []", "{\"locked\":{\"z\":0}}", "names no joint", PROBLEM_UNKNOWN_REFERENCE},
        {NULL, "b: []", "{\"weights\":{\"z\":1}}", "names no joint", PROBLEM_UNKNOWN_REFERENCE},
        {NULL, "b: []", "{\"weights\":{\"k\":0}}", "/options/weights/k", PROBLEM_INVALID_ARGUMENT},
        {NULL, "b: []", "{\"locked\":{\"j\":0,\"k\":0}}", "no joint of the robot moves",
         PROBLEM_INVALID_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_refusal(arm, rows[i].srdf, rows[i].spheres, rows[i].options, rows[i].code,
                       rows[i].says);
    expect_refusal(tree, NULL, NULL, "{\"locked\":{\"j_left\":3}}", PROBLEM_INVALID_ARGUMENT,
                   "within the joint's limits");
    expect_refusal(tree, NULL, NULL, "{\"locked\":{\"j_thumb\":0}}", PROBLEM_INVALID_ARGUMENT,
                   "follows another");
}

static void solids_are_covered(void **state)
{
    (void)state;
    // a cylinder along x: its ends are at 0.9 and 1.1
    static const char arm[] = ROBOT(LINK("a") SOLID_LINK(
        "b", "<collision><origin xyz='1 0 0' rpy='0 1.5707963267948966 0'/>"
             "<geometry><cylinder radius='0.05' length='0.2'/></geometry>"
             "</collision>" SHAPE("<box size='0.1 0.2 0.3'/>")) TURN("j", "a", "b"));
    struct robot_document robot = must_read(arm, NULL, NULL, "{\"cover_tolerance\":0.03}");
    assert_true(robot.cover_excess > 0 && robot.cover_excess <= 0.03);
    static const double points[][3] = {{0.9, 0, 0.05}, {1.1, 0.05, 0},     {1.1, 0, -0.05},
                                       {1, 0.05, 0},   {0.05, 0.1, 0.15},  {-0.05, -0.1, 0.15},
                                       {0, 0, 0},      {-0.05, 0.1, -0.15}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        bool held = false;
        for (uint32_t k = 0; k < robot.sphere_count; k++) {
            const double *c = robot.spheres[k].center, *p = points[i];
            const double d = sqrt((p[0] - c[0]) * (p[0] - c[0]) + (p[1] - c[1]) * (p[1] - c[1]) +
                                  (p[2] - c[2]) * (p[2] - c[2]));
            held |= d <= robot.spheres[k].radius + 1e-9;
        }
        assert_true(held);
    }
    struct text derived = {0};
    robot_write_derived(&robot, &derived);
    assert_non_null(strstr(text_string(&derived), "\"cover_excess\":"));
    text_deinit(&derived);
    robot_deinit(&robot);
}

/* ---- files that people have ---- */

static char *load(const char *relative)
{
    FILE *file = fopen(test_shared_path(relative), "rb");
    assert_non_null(file);
    char *content = malloc(1 << 20);
    assert_non_null(content);
    content[fread(content, 1, (1 << 20) - 1, file)] = '\0';
    fclose(file);
    return content;
}

/* 4x4 row-major: out = a · b. */
static void multiply(double out[16], const double a[16], const double b[16])
{
    double product[16] = {0};
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 4; k++)
                product[4 * r + c] += a[4 * r + k] * b[4 * k + c];
    memcpy(out, product, sizeof product);
}

/* A turn about an axis (Rodrigues' formula) and a shift. */
static void pose(double out[16], const double axis[3], double angle, const double shift[3])
{
    const double c = cos(angle), s = sin(angle), u = axis[0], v = axis[1], w = axis[2];
    const double rows[16] = {c + u * u * (1 - c),
                             u * v * (1 - c) - w * s,
                             u * w * (1 - c) + v * s,
                             shift[0],
                             v * u * (1 - c) + w * s,
                             c + v * v * (1 - c),
                             v * w * (1 - c) - u * s,
                             shift[1],
                             w * u * (1 - c) - v * s,
                             w * v * (1 - c) + u * s,
                             c + w * w * (1 - c),
                             shift[2],
                             0,
                             0,
                             0,
                             1};
    memcpy(out, rows, sizeof rows);
}

/* Where a link is at a state: matrices from the file's own rpy, apart from our quaternions. */
static void forward(const struct robot_document *robot, const double *q, const char *link,
                    double place[3])
{
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1}, none[3] = {0};
    double(*frames)[16] = calloc(robot->link_count, sizeof *frames);
    assert_non_null(frames);
    pose(frames[robot->root], x, 0, none);
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        const struct robot_joint *joint = &robot->joints[robot->order[i]];
        double *frame = frames[joint->child], turn[16];
        pose(turn, z, joint->origin.rpy[2], joint->origin.xyz);
        multiply(frame, frames[joint->parent], turn);
        pose(turn, y, joint->origin.rpy[1], none);
        multiply(frame, frame, turn);
        pose(turn, x, joint->origin.rpy[0], none);
        multiply(frame, frame, turn);
        if (joint->coordinate == ROBOT_NONE)
            continue;
        pose(turn, joint->axis, q[joint->coordinate], none);
        multiply(frame, frame, turn);
    }
    for (uint32_t i = 0; i < robot->link_count; i++)
        if (strcmp(robot->links[i].name, link) == 0)
            for (int a = 0; a < 3; a++)
                place[a] = frames[i][4 * a + 3];
    free(frames);
}

static void files_of_people(void **state)
{
    (void)state;
    static const struct {
        const char *urdf, *srdf, *spheres, *options;
        uint32_t dof, spheres_count, ignored;
    } rows[] = {
        {"vamp_panda_spherized.urdf", NULL, NULL, NULL, 7, 59, 0},
        {"vamp_ur5_spherized.urdf", "vamp_ur5.srdf", NULL, "{\"group\":\"manipulator\"}", 6, 40,
         88},
        {"foam_spherized.urdf", NULL, NULL, NULL, 6, 21, 0},
        {"vamp_panda.urdf", "vamp_panda.srdf", "franka_spheres.yml", "{\"group\":\"panda_arm\"}", 7,
         61, 55},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[256];
        char *contents[3] = {NULL};
        const char *const names[3] = {rows[i].urdf, rows[i].srdf, rows[i].spheres};
        for (int k = 0; k < 3; k++) {
            snprintf(path, sizeof path, "data/robots/%s", names[k] ? names[k] : "");
            contents[k] = names[k] ? load(path) : NULL;
        }
        struct robot_document robot =
            must_read(contents[0], contents[1], contents[2], rows[i].options);
        assert_int_equal(robot.dof, rows[i].dof);
        assert_int_equal(robot.sphere_count, rows[i].spheres_count);
        assert_int_equal(robot.ignored_count, rows[i].ignored);

        // the Panda's pose as measured, to the five digits given
        if (robot.dof == 7) {
            static const double q[7] = {0, -.785, 0, -2.356, 0, 1.571, .785};
            double place[3] = {NAN, NAN, NAN};
            forward(&robot, q, "panda_link8", place);
            assert_true(fabs(place[0] - 0.30702) < 1e-5 && fabs(place[1]) < 1e-5 &&
                        fabs(place[2] - 0.59027) < 1e-5);
        }

        // what is written reads as the same robot
        struct text body = {0}, again = {0};
        struct problem problem = {0};
        struct robot_document copy;
        text_json_open(&body, '{');
        robot_write_members(&robot, &body);
        text_json_close(&body, '}');
        assert_true(robot_read(&copy, body.data, body.length, &limits, &problem));
        text_json_open(&again, '{');
        robot_write_members(&copy, &again);
        text_json_close(&again, '}');
        assert_string_equal(text_string(&again), text_string(&body));
        robot_deinit(&copy);
        robot_deinit(&robot);
        text_deinit(&body);
        text_deinit(&again);
        for (int k = 0; k < 3; k++)
            free(contents[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_urdfs_are_refused), cmocka_unit_test(hostile_files_end_soon),
        cmocka_unit_test(trees_become_arms),     cmocka_unit_test(groups_and_locks),
        cmocka_unit_test(options_and_spheres),   cmocka_unit_test(solids_are_covered),
        cmocka_unit_test(files_of_people),
    };
    const struct CMUnitTest known[] = {
        cmocka_unit_test(bad_urdfs_are_refused), cmocka_unit_test(hostile_files_end_soon),
        cmocka_unit_test(trees_become_arms),     cmocka_unit_test(groups_and_locks),
        cmocka_unit_test(options_and_spheres),   cmocka_unit_test(solids_are_covered),
    };
    // numbers of files have points, also where the language has commas
    setlocale(LC_ALL, "de_DE.UTF-8");
    limits = limits_default();
    if (test_shared_folder())
        return cmocka_run_group_tests(tests, NULL, NULL);
    return cmocka_run_group_tests(known, NULL, NULL);
}

/* Goal: no body crashes a reader, is refused without a fault, or is taken and then written as what
 * would not be taken. Method: good bodies with bytes changed, cut, doubled. Oracle: the readers'
 * own promises; sanitizers. */
#include "documents.h"
#include "formats/movingai.h"
#include "formats/urdf.h"
#include "schema/plan.h"
#include "schema/roadmap.h"
#include "schema/robot.h"
#include "schema/world.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 8000, CHANGES_MAX = 4, BODY_MAX = 1024 };

static struct limits limits;
static const char *const coordinates[] = {"x", "y"};

/* Reads a body and appends what it becomes, where that is a body again. */
typedef bool mutation_function(const char *body, size_t bytes, struct text *out,
                               struct problem *problem);

static bool world(const char *body, size_t bytes, struct text *out, struct problem *problem)
{
    struct world_document document;
    if (!world_read(&document, body, bytes, &limits, problem))
        return false;
    world_write_members(&document, out);
    world_deinit(&document);
    return true;
}

static bool robot(const char *body, size_t bytes, struct text *out, struct problem *problem)
{
    struct robot_document document;
    if (!robot_read(&document, body, bytes, &limits, problem))
        return false;
    robot_write_members(&document, out);
    robot_deinit(&document);
    return true;
}

/* A robot of a good URDF, or another, and one part of any bytes. */
static bool robot_of(const struct urdf_files *files, struct problem *problem)
{
    struct robot_document document;
    if (!urdf_read(&document, files, &limits, problem))
        return false;
    robot_deinit(&document);
    return true;
}

static const char two_links[] =
    "<robot name='r'><link name='a'/><link name='b'><collision><geometry><sphere radius='1'/>"
    "</geometry></collision></link><joint name='j' type='continuous'><parent link='a'/>"
    "<child link='b'/></joint><joint name='k' type='continuous'><parent link='b'/>"
    "<child link='c'/></joint><link name='c'/></robot>";

static bool urdf(const char *body, size_t bytes, struct text *out, struct problem *problem)
{
    (void)out;
    return robot_of(&(const struct urdf_files){.urdf = {body, bytes}}, problem);
}

static bool srdf(const char *body, size_t bytes, struct text *out, struct problem *problem)
{
    static const char group[] = "{\"group\":\"g\"}";
    (void)out;
    return robot_of(&(const struct urdf_files){.urdf = {two_links, sizeof two_links - 1},
                                               .srdf = {body, bytes},
                                               .options = {group, sizeof group - 1},
                                               .parts = true},
                    problem);
}

static bool spheres(const char *body, size_t bytes, struct text *out, struct problem *problem)
{
    (void)out;
    return robot_of(&(const struct urdf_files){.urdf = {two_links, sizeof two_links - 1},
                                               .spheres = {body, bytes},
                                               .parts = true},
                    problem);
}

static bool options(const char *body, size_t bytes, struct text *out, struct problem *problem)
{
    (void)out;
    return robot_of(&(const struct urdf_files){.urdf = {two_links, sizeof two_links - 1},
                                               .options = {body, bytes},
                                               .parts = true},
                    problem);
}

static bool roadmap(const char *body, size_t bytes, struct text *out, struct problem *problem)
{
    struct roadmap_document document;
    if (!roadmap_read(&document, body, bytes, &limits, problem))
        return false;
    roadmap_write_members(&document, out);
    roadmap_deinit(&document);
    return true;
}

static bool plan(const char *body, size_t bytes, struct text *out, struct problem *problem)
{
    (void)out;
    struct plan_request request;
    if (!plan_request_read(&request, body, bytes, coordinates, 2, &limits, problem))
        return false;
    for (uint32_t i = 0; i < request.query_count; i++) {
        const struct plan_query *query = &request.queries[i];
        assert_true(query->invalid ? query->invalid_detail != NULL : query->goal_count > 0);
        assert_true(query->goals + 2 * (size_t)query->goal_count <= request.number_count);
    }
    plan_request_deinit(&request);
    return true;
}

static bool patch(const char *body, size_t bytes, struct text *out, struct problem *problem)
{
    static const char base[] =
        "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[9,9]},\"obstacles\":["
        "{\"id\":\"a\",\"type\":\"circle\",\"center\":[1,1],\"radius\":1}]}";
    struct problem none = {0};
    struct world_document before, after;
    assert_true(world_read(&before, base, sizeof base - 1, &limits, &none));
    bool good = world_patch(&after, &before, body, bytes, &limits, problem);
    (void)out;
    if (good)
        world_deinit(&after);
    world_deinit(&before);
    return good;
}

static bool map(const char *body, size_t bytes, struct text *out, struct problem *problem)
{
    struct world_document document;
    (void)out;
    if (!movingai_read(&document, body, bytes, "T", &limits, problem))
        return false;
    world_deinit(&document);
    return true;
}

/* Changes, cuts or doubles some bytes; returns the new length. */
static size_t mutate(char *body, size_t length, struct test_random *random)
{
    static const char bytes[] = "{}[]:,\"\\-+.0123456789eEntf\n \x80\xff.@T";
    uint32_t changes = 1 + test_random_below(random, CHANGES_MAX);
    for (uint32_t i = 0; i < changes && length > 1; i++) {
        size_t at = test_random_below(random, (uint32_t)length);
        size_t piece = 1 + test_random_below(random, 8);
        switch (test_random_below(random, 3)) {
        case 0:
            body[at] = bytes[test_random_below(random, sizeof bytes - 1)];
            break;
        case 1:
            piece = piece < length - at ? piece : length - at;
            memmove(body + at, body + at + piece, length - at - piece);
            length -= piece;
            break;
        default:
            if (length + piece <= BODY_MAX && at + piece <= length) {
                memmove(body + at + piece, body + at, length - at);
                length += piece;
            }
        }
    }
    return length;
}

static void check(const char *name, mutation_function *read, const char *body)
{
    struct test_random random = {1};
    size_t length = strlen(body);
    unsigned taken = 0;
    for (int round = 0; round < ROUNDS; round++) {
        // in a block of its own size, so that a reader that goes past the end is seen
        char changed[BODY_MAX];
        memcpy(changed, body, length + 1);
        size_t bytes = round ? mutate(changed, length, &random) : length;
        char *exact = malloc(bytes);
        memcpy(exact, changed, bytes);
        struct problem problem = {0};
        struct text out = {0}, braced = {0};
        bool good = read(exact, bytes, &out, &problem);
        if (good == (problem.fault_count > 0))
            fail_msg("%s: %d with %u faults: %.*s", name, good, problem.fault_count, (int)bytes,
                     exact);
        taken += good;

        // what was written is taken again
        if (good && out.length) {
            struct text again = {0};
            text_print(&braced, "{%.*s}", (int)out.length, out.data);
            if (!read(braced.data, braced.length, &again, &problem) || again.length != out.length ||
                memcmp(again.data, out.data, out.length) != 0)
                fail_msg("%s: does not come back: %.*s", name, (int)braced.length, braced.data);
            text_deinit(&again);
        }
        if (!good) {
            struct text answer = {0};
            problem_write(&problem, "id", &answer);
            assert_false(answer.failed);
            text_deinit(&answer);
        }
        text_deinit(&out);
        text_deinit(&braced);
        free(exact);
    }
    // the good body itself at least, and not all of them
    assert_true(taken > 0 && taken < ROUNDS);
}

static void mutations(void **state)
{
    (void)state;
    limits = limits_default();
    limits.grid_cells = 1 << 16;
    const struct {
        const char *name;
        mutation_function *read;
        const char *body;
    } rows[] = {
        {"world 2", world,
         "{\"grid\":{\"width\":3,\"height\":2,\"rows\":[\"..@\",\"GTW\"]},\"dimension\":2,"
         "\"padding\":0.1,"
         "\"obstacles\":[{\"type\":\"polygon\",\"points\":[[0,0],[3,0],[3,2],[1,1]]},"
         "{\"id\":\"r\",\"type\":\"rectangle\",\"center\":[1,1],\"size\":[1,2],\"angle\":0.5}]}"},
        {"world 3", world,
         "{\"dimension\":3,\"bounds\":{\"min\":[0,0,0],\"max\":[9,9,5.5]},\"obstacles\":["
         "{\"type\":\"box\",\"center\":[4,4,1],\"size\":[1,2,2],\"rpy\":[0,0,0.3],\"dynamic\":true}"
         ","
         "{\"type\":\"cylinder\",\"center\":[7,1,1],\"radius\":0.4,\"length\":2,\"quaternion\":[0,"
         "1,0,1]}]}"},
        {"elements", world,
         "{\"dimension\":3,\"bounds\":{\"min\":[0,0,0],\"max\":[9,9,5.5]},\"obstacles\":["
         "{\"type\":\"boxes\",\"boxes\":[[1,2,3,0.5,1,2],[0,0,0,1,1,1]],\"resolution\":0.1},"
         "{\"type\":\"points\",\"points\":[[1,2,3]],\"radius\":0.1,\"rpy\":[0,0,1]},"
         "{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0]],\"triangles\":[[0,1,2],[2,1,"
         "0]]}]}"},
        {"robot", robot, "{\"type\":\"ball\",\"radius\":0.25,\"name\":\"x\"}"},
        {"rigid", robot,
         "{\"type\":\"rigid\",\"spheres\":[{\"center\":[0,1.5,-0.0],\"radius\":0.25},{\"center\":["
         "0,0,0],"
         "\"radius\":-1}],\"weights\":[1,2,3,0.5]}"},
        {"footprint", robot,
         "{\"type\":\"rigid\",\"footprint\":[[0,0],[3,0],[3,2],[1,1]],\"cover_tolerance\":0.5}"},
        {"arm", robot,
         "{\"type\":\"arm\",\"base\":{\"xyz\":[0,0,1],\"rpy\":[0,0,0.3]},\"joints\":[{\"name\":"
         "\"a\",\"type\":"
         "\"revolute\",\"axis\":[0,1,2],\"lower\":-1,\"upper\":2,\"child\":\"l\",\"origin\":{"
         "\"quaternion\":[0,"
         "1,0,1]}},{\"name\":\"b\",\"type\":\"prismatic\",\"parent\":\"a\",\"child\":\"m\","
         "\"mimic\":{\"joint\":"
         "\"a\",\"offset\":-0.0}}],\"links\":[{\"name\":\"l\",\"spheres\":[{\"center\":[0,0,0.5],"
         "\"radius\":0.1"
         "}]}],\"ignore_pairs\":[[\"l\",\"m\"]],\"weights\":[2]}"},
        {"urdf", urdf,
         "<robot name='r'><link name='a'/><link name='b'><collision><origin xyz='0 0 1' rpy='0 1 "
         "0'/>"
         "<geometry><sphere radius='.1'/></geometry></collision></link><joint name='j' "
         "type='revolute'>"
         "<parent link='a'/><child link='b'/><axis xyz='0 0 2'/><limit lower='-1' "
         "upper='1e0'/></joint>"
         "</robot>"},
        {"srdf", srdf,
         "<robot name='r'><group name='h'><chain base_link='a' tip_link='b'/></group>"
         "<group name='g'><group name='h'/><joint name='j'/><link name='b'/></group>"
         "<disable_collisions link1='a' link2='b' reason='x'/></robot>"},
        {"spheres", spheres,
         "collision_spheres:\n  b:\n    - center: [0.0, 1, -2]\n      radius: 0.5\n"
         "  c: []\ncollision_sphere_buffer: {b: 0.1}\nself_collision_ignore: {a: [b]}\n"},
        {"options", options,
         "{\"locked\":{\"k\":0.5},\"base\":{\"xyz\":[0,0,1],\"rpy\":[0,0,1]},\"padding\":0.1,"
         "\"weights\":{\"j\":2},\"cover_tolerance\":0.1}"},
        {"roadmap", roadmap,
         "{\"world\":\"w\",\"robot\":\"r\",\"seed\":12,\"samples\":{\"count\":100,\"method\":"
         "\"lattice\",\"spacing\":"
         "0.5},\"neighbors\":{\"method\":\"lsh\",\"k\":10,\"radius\":1.5,\"target_recall\":0.9}}"},
        {"plan", plan,
         "{\"queries\":[{\"id\":\"a\",\"start\":[1,2],\"goal\":[3,4]},{\"id\":4,\"start\":{\"x\":1,"
         "\"y\":2},\"goals\":"
         "[[1,2],[3,4]]}],\"objective\":\"hops\",\"connect\":{\"k\":5}}"},
        {"patch", patch,
         "{\"put\":[{\"id\":\"b\",\"type\":\"circle\",\"center\":[1,1],\"radius\":1},{\"id\":\"a\","
         "\"type\":\"circle\","
         "\"center\":[1,1],\"radius\":1}],\"set\":[{\"id\":\"b\",\"enabled\":false}],\"remove\":["
         "\"a\"]}"},
        {"map", map, "type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\nTTWW\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(rows[i].name, rows[i].read, rows[i].body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: obstacles of a request lie over a world as the contract says: in the place of what has
 * their id, else behind all; ignored ones are disabled in their place; what does not fit is named
 * where it stands; equal overlays have equal texts. Method: one world, tables of requests. Oracle:
 * section 6 of the contract, the world as it was read. */
#include "documents.h"
#include "schema/overlay.h"
#include "schema/plan.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#define WORLD                                                                                      \
    "{\"dimension\":2,\"padding\":0.25,\"grid\":{\"width\":2,\"height\":2,\"rows\":[\"..\",\".@"   \
    "\"]},"                                                                                        \
    "\"obstacles\":["                                                                              \
    "{\"id\":\"low\",\"type\":\"rectangle\",\"center\":[1,1],\"size\":[1,1]},"                     \
    "{\"id\":\"door\",\"type\":\"circle\",\"center\":[1,2],\"radius\":1,\"dynamic\":true},"        \
    "{\"type\":\"polygon\",\"points\":[[0,0],[1,0],[0,1]],\"dynamic\":true}]}"
#define SMALL(id) "{" id "\"type\":\"circle\",\"center\":[0.5,0.5],\"radius\":0.125}"

static const char *const coordinates[] = {"x", "y"};
static struct world_document world;
static struct limits limits;

static int setup(void **state)
{
    struct problem problem = {0};
    (void)state;
    limits = limits_default();
    limits.obstacles = 6;
    if (!world_read(&world, WORLD, strlen(WORLD), &limits, &problem))
        fail_msg("%s", problem.faults[0].detail);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    world_deinit(&world);
    return 0;
}

/* The overlay of members of a plan request. */
static struct plan_request overlay_of(const char *members)
{
    struct plan_request request;
    struct problem problem = {0};
    struct text body = {0};
    text_print(&body, "{\"queries\":[],%s}", members);
    if (!plan_request_read(&request, body.data, body.length, coordinates, 2, &limits, &problem))
        fail_msg("%s: %s", members, problem.faults[0].detail);
    text_deinit(&body);
    return request;
}

static void in_their_places(void **state)
{
    struct overlaid_world overlaid;
    struct problem problem = {0};
    (void)state;
    struct plan_request request =
        overlay_of("\"obstacles\":[" SMALL("") "," SMALL("\"id\":\"low\",") "," SMALL(
            "\"id\":\"new\",") "],"
                               "\"ignore\":[\"obstacle-1\",\"door\",\"door\"]");
    assert_true(overlay_apply(&overlaid, &world, &request.overlay, &limits, &problem));
    const struct world_document *document = &overlaid.document;
    assert_int_equal(world.obstacle_count, 4);
    assert_int_equal(document->obstacle_count, 6);
    assert_int_equal(overlaid.changed_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(overlaid.changed[i], i + 1);

    // the grid's parts are the world's own; replaced; disabled; behind all
    assert_ptr_equal(document->obstacles[0].grid.rows, world.obstacles[0].grid.rows);
    assert_string_equal(document->obstacles[1].id, "low");
    assert_int_equal(document->obstacles[1].type, OBSTACLE_CIRCLE);
    assert_string_equal(document->obstacles[2].id, "door");
    assert_false(document->obstacles[2].enabled);
    assert_false(document->obstacles[3].enabled);
    assert_string_equal(document->obstacles[5].id, "new");
    // a name of its own, which is not one that the world has
    assert_string_equal(document->obstacles[4].id, "obstacle-2");
    // the rest is as it was
    assert_true(document->padding == 0.25 && document->upper[0] == 2);
    assert_true(world.obstacles[2].enabled && world.obstacles[3].enabled);
    assert_int_equal(world.obstacles[1].type, OBSTACLE_RECTANGLE);
    overlaid_world_deinit(&overlaid);
    plan_request_deinit(&request);
}

static void grids_do_not_move_bounds(void **state)
{
    struct overlaid_world overlaid;
    struct problem problem = {0};
    (void)state;
    struct plan_request request =
        overlay_of("\"obstacles\":[{\"id\":\"grid\",\"type\":\"grid\",\"width\":5,\"height\":1,"
                   "\"rows\":[\".....\"]}]");
    assert_true(overlay_apply(&overlaid, &world, &request.overlay, &limits, &problem));
    assert_int_equal(overlaid.document.obstacles[0].grid.width, 5);
    assert_true(overlaid.document.upper[0] == 2 && overlaid.document.upper[1] == 2);
    overlaid_world_deinit(&overlaid);
    plan_request_deinit(&request);
}

static void what_does_not_fit(void **state)
{
    static const struct {
        const char *members;
        enum problem_code code;
        const char *pointer;
        unsigned faults;
    } BAD[] = {
        {"\"ignore\":[\"window\"]", PROBLEM_UNKNOWN_REFERENCE, "/ignore/0", 1},
        {"\"ignore\":[\"door\",\"low\"]", PROBLEM_INVALID_ARGUMENT, "/ignore/1", 1},
        {"\"ignore\":[\"door\"],\"obstacles\":[" SMALL("\"id\":\"door\",") "]",
         PROBLEM_INVALID_ARGUMENT, "/ignore/0", 1},
        {"\"obstacles\":[" SMALL("") ",{\"type\":\"sphere\",\"center\":[1,2,3],\"radius\":1},"
                                     "{\"type\":\"sphere\",\"center\":[1,2,3],\"radius\":1}]",
         PROBLEM_INVALID_ARGUMENT, "/obstacles/1/type", 2},
        {"\"obstacles\":[" SMALL("") "," SMALL("") "," SMALL("") "]", PROBLEM_LIMIT_EXCEEDED,
         "/obstacles", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct overlaid_world overlaid;
        struct problem problem = {0};
        struct plan_request request = overlay_of(BAD[i].members);
        assert_false(overlay_apply(&overlaid, &world, &request.overlay, &limits, &problem));
        assert_int_equal(problem.fault_count, BAD[i].faults);
        assert_int_equal(problem.faults[0].code, BAD[i].code);
        assert_string_equal(problem.faults[0].pointer, BAD[i].pointer);
        assert_true(problem.faults[0].has_pointer);
        plan_request_deinit(&request);
    }
}

static void equal_texts_mean_equal_overlays(void **state)
{
    static const struct {
        const char *one, *other;
        bool equal;
    } CASES[] = {
        {"\"obstacles\":[" SMALL("") "]", "\"obstacles\":[" SMALL("") "],\"ignore\":[]", true},
        {"\"ignore\":[\"a\",\"b\"]", "\"ignore\":[\"b\",\"a\",\"b\"]", true},
        {"\"ignore\":[\"a\",\"b\"]", "\"ignore\":[\"ab\"]", false},
        {"\"obstacles\":[" SMALL("") "]", "\"obstacles\":[" SMALL("\"id\":\"a\",") "]", false},
        {"\"obstacles\":[" SMALL("") "]", "\"obstacles\":[" SMALL("\"padding\":0,") "]", false},
        {"\"obstacles\":[" SMALL("") "]", "\"obstacles\":[" SMALL("\"enabled\":false,") "]", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct text one = {0}, other = {0};
        struct plan_request a = overlay_of(CASES[i].one), b = overlay_of(CASES[i].other);
        overlay_write(&a.overlay, &one);
        overlay_write(&b.overlay, &other);
        assert_int_equal(strcmp(text_string(&one), text_string(&other)) == 0, CASES[i].equal);
        plan_request_deinit(&a);
        plan_request_deinit(&b);
        text_deinit(&one);
        text_deinit(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_their_places),
        cmocka_unit_test(grids_do_not_move_bounds),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(equal_texts_mean_equal_overlays),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

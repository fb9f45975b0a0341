/* Goal: changes of a world happen on a copy, wholly or not at all. Method: patches on one world,
 * ids listed. Oracle: the contract, section 3. */
#include "documents.h"
#include "schema/world.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#define BASE                                                                                       \
    "{\"dimension\":2,\"grid\":{\"width\":2,\"height\":1,\"rows\":[\"..\"]},\"obstacles\":["       \
    "{\"id\":\"a\",\"type\":\"circle\",\"center\":[1,1],\"radius\":1},"                            \
    "{\"id\":\"b\",\"type\":\"polygon\",\"points\":[[0,0],[1,0],[0,1]]}]}"
#define CIRCLE(id) "{\"id\":\"" id "\",\"type\":\"circle\",\"center\":[5,5],\"radius\":2}"
#define NAMELESS "{\"type\":\"circle\",\"center\":[5,5],\"radius\":2}"

static struct limits test_limits(void)
{
    struct limits limits = limits_default();
    limits.obstacles = 5;
    return limits;
}

static struct world_document base(void)
{
    struct limits limits = test_limits();
    struct problem problem = {0};
    struct world_document world;
    assert_true(world_read(&world, BASE, strlen(BASE), &limits, &problem));
    return world;
}

static void write_whole(const struct world_document *world, struct text *text)
{
    text->length = 0;
    text_json_open(text, '{');
    world_write_members(world, text);
    text_json_close(text, '}');
    text_string(text);
}

/* Patches the base world; the base must stay as it was. */
static bool read(const char *body, size_t bytes, struct problem *problem)
{
    struct limits limits = test_limits();
    struct world_document world = base(), patched;
    struct text before = {0}, after = {0};
    write_whole(&world, &before);
    bool good = world_patch(&patched, &world, body, bytes, &limits, problem);
    write_whole(&world, &after);
    assert_string_equal(after.data, before.data);
    if (good)
        world_deinit(&patched);
    world_deinit(&world);
    text_deinit(&before);
    text_deinit(&after);
    return good;
}

static const struct bad_document bad[] = {
    {"{\"add\":[]}", PROBLEM_UNKNOWN_MEMBER, "/add", NULL},
    {"{\"put\":{}}", PROBLEM_INVALID_ARGUMENT, "/put", NULL},
    {"{\"put\":[{\"id\":\"a\",\"type\":\"sphere\"}]}", PROBLEM_INVALID_ARGUMENT, "/put/0/type",
     NULL},
    {"{\"put\":[" CIRCLE("x") "," CIRCLE("x") "]}", PROBLEM_DUPLICATE_ID, "/put/1/id", NULL},
    {"{\"put\":[" CIRCLE("x") "," CIRCLE("y") "," CIRCLE("z") "]}", PROBLEM_LIMIT_EXCEEDED, "/put",
     "5"},
    {"{\"remove\":[\"none\"]}", PROBLEM_UNKNOWN_REFERENCE, "/remove/0", NULL},
    {"{\"remove\":[5]}", PROBLEM_INVALID_ARGUMENT, "/remove/0", NULL},
    {"{\"set\":[{\"id\":\"none\",\"enabled\":false}]}", PROBLEM_UNKNOWN_REFERENCE, "/set/0/id",
     NULL},
    {"{\"set\":[{\"enabled\":false}]}", PROBLEM_INVALID_ARGUMENT, "/set/0/id", NULL},
    {"{\"set\":[{\"id\":\"a\",\"enabled\":1}]}", PROBLEM_INVALID_ARGUMENT, "/set/0/enabled", NULL},
    {"{\"set\":[{\"id\":\"a\",\"radius\":1}]}", PROBLEM_UNKNOWN_MEMBER, "/set/0/radius", NULL},
    {"{\"set\":[{\"id\":\"a\",\"enabled\":false}],\"remove\":[\"a\",\"none\"]}",
     PROBLEM_UNKNOWN_REFERENCE, "/remove/1", NULL},
};

static void bad_patches_change_nothing(void **state)
{
    (void)state;
    assert_refused(bad, sizeof bad / sizeof *bad, read);
    assert_refuses_malformed(read);
}

static void assert_ids(const struct world_document *world, const char *ids)
{
    struct text text = {0};
    for (uint32_t i = 0; i < world->obstacle_count; i++)
        text_print(&text, "%s ", world->obstacles[i].id);
    assert_string_equal(text_string(&text), ids);
    text_deinit(&text);
}

static void patches(void **state)
{
    (void)state;
    const struct {
        const char *body, *ids;
        double upper_x;
    } rows[] = {
        {"{}", "grid a b ", 2},
        {"{\"put\":[],\"set\":[],\"remove\":[]}", "grid a b ", 2},
        {"{\"put\":[" NAMELESS "," CIRCLE("c") "]}", "grid a b obstacle-1 c ", 2},
        {"{\"remove\":[\"a\",\"a\"]}", "grid b ", 2},
        {"{\"put\":[" CIRCLE("c") "],\"remove\":[\"c\",\"a\"]}", "grid b ", 2},
        // the box stays when its grid goes, and follows one that is replaced
        {"{\"remove\":[\"grid\"]}", "a b ", 2},
        {"{\"put\":[{\"id\":\"grid\",\"type\":\"grid\",\"width\":3,\"height\":1,\"rows\":[\"...\"]}"
         "]}",
         "grid a b ", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct limits limits = test_limits();
        struct problem problem = {0};
        struct world_document world = base(), patched;
        assert_true(
            world_patch(&patched, &world, rows[i].body, strlen(rows[i].body), &limits, &problem));
        assert_ids(&patched, rows[i].ids);
        assert_true(patched.upper[0] == rows[i].upper_x);
        world_deinit(&patched);
        world_deinit(&world);
    }
}

static void put_replaces_whole_and_set_changes_flags(void **state)
{
    (void)state;
    struct limits limits = test_limits();
    struct problem problem = {0};
    struct world_document world = base(), patched;
    const char *body =
        "{\"put\":[{\"id\":\"b\",\"type\":\"circle\",\"center\":[5,5],\"radius\":2}],"
        "\"set\":[{\"id\":\"b\",\"enabled\":false},{\"id\":\"a\",\"dynamic\":true,"
        "\"padding\":0.5}]}";
    assert_true(world_patch(&patched, &world, body, strlen(body), &limits, &problem));
    assert_ids(&patched, "grid a b ");
    assert_int_equal(patched.obstacles[2].type, OBSTACLE_CIRCLE);
    assert_null(patched.obstacles[2].points);
    assert_false(patched.obstacles[2].enabled);
    assert_true(patched.obstacles[1].dynamic && patched.obstacles[1].padding == 0.5);
    assert_true(world.obstacles[2].enabled && world.obstacles[2].type == OBSTACLE_POLYGON);
    world_deinit(&patched);
    world_deinit(&world);
}

/* What an obstacle has many of is copied whole, and not shared. */
static void elements_are_copied(void **state)
{
    (void)state;
    static const char body[] =
        "{\"dimension\":3,\"bounds\":{\"min\":[0,0,0],\"max\":[9,9,9]},\"obstacles\":["
        "{\"id\":\"b\",\"type\":\"boxes\",\"boxes\":[[1,2,3,0.5,1,2],[0,0,0,1,1,1]]},"
        "{\"id\":\"m\",\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0]],\"triangles\":[[0,"
        "1,2]]},{\"id\":\"e\",\"type\":\"points\",\"points\":[]}]}";
    static const char change[] = "{\"set\":[{\"id\":\"b\",\"dynamic\":false}]}";
    struct limits limits = test_limits();
    struct problem problem = {0};
    struct world_document world, patched;
    struct text before = {0}, after = {0};
    assert_true(world_read(&world, body, sizeof body - 1, &limits, &problem));
    assert_true(world_patch(&patched, &world, change, sizeof change - 1, &limits, &problem));
    world_write_members(&world, &before);
    for (uint32_t i = 0; i < world.obstacle_count; i++)
        assert_true(world.obstacles[i].points != patched.obstacles[i].points);
    world_deinit(&world);
    world_write_members(&patched, &after);
    assert_string_equal(text_string(&after), text_string(&before));
    world_deinit(&patched);
    text_deinit(&before);
    text_deinit(&after);
}

static void one_obstacle_at_a_time(void **state)
{
    (void)state;
    struct limits limits = test_limits();
    struct problem problem = {0};
    struct world_document world = base(), with, without;
    struct obstacle_document obstacle;
    const char *body = NAMELESS;

    // an id that the body lacks comes from the URL
    assert_true(obstacle_read(&obstacle, 2, body, strlen(body), &limits, &problem));
    assert_string_equal(obstacle.id, "");
    strcpy(obstacle.id, "door");
    assert_true(world_with_obstacle(&with, &world, &obstacle, &limits, &problem));
    assert_ids(&with, "grid a b door ");

    // the same id again is replaced in its place
    const char *other = "{\"id\":\"a\",\"type\":\"polygon\",\"points\":[[0,0],[2,0],[0,2]]}";
    assert_true(obstacle_read(&obstacle, 2, other, strlen(other), &limits, &problem));
    assert_true(world_with_obstacle(&without, &with, &obstacle, &limits, &problem));
    assert_ids(&without, "grid a b door ");
    assert_int_equal(without.obstacles[1].type, OBSTACLE_POLYGON);
    world_deinit(&without);

    assert_true(world_without_obstacle(&without, &with, "a", &problem));
    assert_ids(&without, "grid b door ");
    world_deinit(&without);
    assert_false(world_without_obstacle(&without, &with, "none", &problem));
    assert_int_equal(problem.faults[0].code, PROBLEM_UNKNOWN_OBSTACLE);

    // one more than may be
    limits.obstacles = with.obstacle_count;
    problem = (struct problem){0};
    assert_true(obstacle_read(&obstacle, 2, body, strlen(body), &limits, &problem));
    assert_false(world_with_obstacle(&without, &with, &obstacle, &limits, &problem));
    assert_int_equal(problem.faults[0].code, PROBLEM_LIMIT_EXCEEDED);
    assert_string_equal(problem.faults[0].flag, "--max-obstacles");
    world_deinit(&with);
    world_deinit(&world);
}

static void an_obstacle_comes_back(void **state)
{
    (void)state;
    struct limits limits = test_limits();
    struct problem problem = {0};
    struct obstacle_document obstacle;
    const char *body = CIRCLE("x");
    struct text text = {0};
    assert_true(obstacle_read(&obstacle, 2, body, strlen(body), &limits, &problem));
    obstacle_write(&obstacle, &text);
    assert_string_equal(text_string(&text),
                        "{\"id\":\"x\",\"type\":\"circle\",\"center\":[5,5],\"radius\":2,"
                        "\"dynamic\":false,\"enabled\":true}");
    text_deinit(&text);
    obstacle_deinit(&obstacle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_patches_change_nothing),
        cmocka_unit_test(patches),
        cmocka_unit_test(put_replaces_whole_and_set_changes_flags),
        cmocka_unit_test(elements_are_copied),
        cmocka_unit_test(one_obstacle_at_a_time),
        cmocka_unit_test(an_obstacle_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

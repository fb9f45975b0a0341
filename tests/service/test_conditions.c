/* Goal: an ETag names all that GET shows, the build under way and the robot behind a name included:
 * who holds it is told 304 as long as nothing has changed and not longer, and a change on its
 * condition is refused from then on. Method: calls in-process over a fake engine whose builds are
 * held. Oracle: RFC 9110, 8.8 and 13.1. */
#include "fake_engine.h"
#include "harness.h"

#include <stdio.h>
#include <string.h>

#define WORLD "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":[]}"
#define POINT "{\"type\":\"point\"}"
#define BALL "{\"type\":\"ball\",\"radius\":0.5}"
#define ROADMAP(seed)                                                                              \
    "{\"world\":\"w\",\"robot\":\"r\",\"seed\":" seed ",\"samples\":{\"count\":50}}"

enum { LONG_STEPS = 1000000, WAIT_S = 20, TAG_BYTES = sizeof(((struct reply *)NULL)->etag) };

static struct service *service;

static int setup(void **state)
{
    (void)state;
    fake_engine_reset();
    service = harness_open(NULL);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD);
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "r", .body = POINT);
    EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("1"),
           .wait_s = WAIT_S);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    service_close(service);
    return fake_engine_alive() == 0 ? 0 : -1;
}

/* GET on the condition that it is not `known`; `tag` becomes the ETag of what there is. */
static struct exchange *get(enum route_id route, int status, const char *known, char tag[TAG_BYTES])
{
    struct exchange *got =
        SEND(service, status, .route = route, .name = "m", .if_none_match = known);
    snprintf(tag, TAG_BYTES, "%s", got->call.reply.etag);
    assert_true(*tag == '"');
    if (status == 304) {
        assert_true(strcmp(known, "*") == 0 || strcmp(known, tag) == 0);
        assert_int_equal(got->call.reply.body.length, 0);
    }
    return got;
}

static void expect_get(enum route_id route, int status, const char *known)
{
    char tag[TAG_BYTES];
    harness_free(get(route, status, known, tag));
}

static void a_build_under_way_shows(void **state)
{
    char before[TAG_BYTES], during[TAG_BYTES], after[TAG_BYTES];
    (void)state;
    harness_free(get(ROUTE_ROADMAP_GET, 200, NULL, before));
    expect_get(ROUTE_ROADMAP_GET, 304, before);

    atomic_store(&fake_engine.step_us, 100);
    atomic_store(&fake_engine.build_steps, LONG_STEPS);
    EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("2"),
           .if_match = before);
    struct exchange *building = get(ROUTE_ROADMAP_GET, 200, before, during);
    char job[64];
    snprintf(job, sizeof job, "%s", harness_string(building, "/job"));
    assert_true(*job != '\0');
    harness_free(building);
    expect_get(ROUTE_ROADMAP_GET, 304, during);

    // who has not seen the build neither replaces it nor deletes what it is of
    EXPECT(service, 412, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("3"),
           .if_match = before);
    EXPECT(service, 412, .route = ROUTE_ROADMAP_DELETE, .name = "m", .if_match = before);
    // a build that is cancelled changes nothing
    EXPECT(service, 202, .route = ROUTE_JOB_DELETE, .name = job);
    harness_until_idle(service);
    expect_get(ROUTE_ROADMAP_GET, 304, before);

    atomic_store(&fake_engine.build_steps, 5);
    EXPECT(service, 412, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("2"),
           .wait_s = WAIT_S, .if_match = during);
    struct exchange *built = SEND(service, 200, .route = ROUTE_ROADMAP_PUT, .name = "m",
                                  .body = ROADMAP("2"), .wait_s = WAIT_S, .if_match = before);
    harness_until_idle(service);
    harness_free(get(ROUTE_ROADMAP_GET, 200, before, after));
    assert_string_equal(built->call.reply.etag, after);
    harness_free(built);
    EXPECT(service, 412, .route = ROUTE_ROADMAP_DELETE, .name = "m", .if_match = before);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m", .if_match = after);
}

static void another_robot_shows(void **state)
{
    char before[TAG_BYTES], after[TAG_BYTES];
    (void)state;
    harness_free(get(ROUTE_ROADMAP_GET, 200, NULL, before));
    EXPECT(service, 200, .route = ROUTE_ROBOT_PUT, .name = "r", .body = BALL);
    struct exchange *changed = get(ROUTE_ROADMAP_GET, 200, before, after);
    assert_string_equal(harness_string(changed, "/warnings/0/code"), "robot_changed");
    harness_free(changed);
    expect_get(ROUTE_ROADMAP_GET, 304, after);

    // the same robot again is what the roadmap was built for, as PUT finds
    EXPECT(service, 200, .route = ROUTE_ROBOT_PUT, .name = "r", .body = POINT);
    expect_get(ROUTE_ROADMAP_GET, 304, before);
    struct exchange *same =
        SEND(service, 200, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("1"));
    assert_string_equal(same->call.reply.etag, before);
    harness_free(same);
}

static void graphs_and_archives_are_not_sent_twice(void **state)
{
    static const enum route_id ROUTES[] = {ROUTE_ROADMAP_GRAPH, ROUTE_ROADMAP_ARCHIVE};
    char tags[2][TAG_BYTES];
    (void)state;
    for (int i = 0; i < 2; i++) {
        harness_free(get(ROUTES[i], 200, NULL, tags[i]));
        expect_get(ROUTES[i], 304, tags[i]);
        expect_get(ROUTES[i], 304, "*");
        expect_get(ROUTES[i], 200, "\"0-x\"");
    }
    // what is wrong is said all the same; what is asked by POST is no representation
    EXPECT(service, 422, .route = ROUTE_ROADMAP_GRAPH, .name = "m", .if_none_match = tags[0],
           .parameters = {"format", "dot"});
    EXPECT(service, 200, .route = ROUTE_ROADMAP_NEAREST, .name = "m", .if_none_match = tags[0],
           .body = "{\"states\":[[1,1]]}");
    EXPECT(service, 200, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("2"),
           .wait_s = WAIT_S);
    for (int i = 0; i < 2; i++)
        expect_get(ROUTES[i], 200, tags[i]);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_build_under_way_shows),
        TEST(another_robot_shows),
        TEST(graphs_and_archives_are_not_sent_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

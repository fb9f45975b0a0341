/* Goal: worlds, obstacles and robots as resources: revisions, entity tags, preconditions, pages,
 * limits, and what the service says about itself. Method: calls in-process over a fake engine.
 * Oracle: the contract, sections 1 to 4. */
#include "fake_engine.h"
#include "harness.h"

#include "schema/clock.h"
#include "support/pause.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD(obstacles)                                                                           \
    "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":[" obstacles "]}"
#define CIRCLE(id) "{\"id\":\"" id "\",\"type\":\"circle\",\"center\":[5,5],\"radius\":1}"

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

static void life_of_a_world(void **state)
{
    (void)state;
    struct exchange *made =
        SEND(service, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD(CIRCLE("a")));
    struct exchange *got = SEND(service, 200, .route = ROUTE_WORLD_GET, .name = "w");
    assert_string_equal(harness_string(got, "/name"), "w");
    assert_string_equal(harness_string(got, "/obstacles/0/id"), "a");
    assert_int_equal(strlen(harness_string(got, "/fingerprint")), 64);
    assert_string_equal(got->call.reply.etag, made->call.reply.etag);

    // equal content makes no revision, what GET gives PUT takes
    char *body = strndup(got->call.reply.body.data, got->call.reply.body.length);
    struct exchange *again =
        SEND(service, 200, .route = ROUTE_WORLD_PUT, .name = "w", .body = body);
    assert_string_equal(again->call.reply.etag, made->call.reply.etag);
    free(body);

    struct exchange *changed =
        SEND(service, 200, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD(""));
    assert_true(harness_number(changed, "/revision") > harness_number(made, "/revision"));
    assert_string_not_equal(harness_string(changed, "/fingerprint"),
                            harness_string(made, "/fingerprint"));
    EXPECT(service, 204, .route = ROUTE_WORLD_DELETE, .name = "w");
    EXPECT(service, 404, .route = ROUTE_WORLD_GET, .name = "w");
    struct exchange *renewed =
        SEND(service, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD(CIRCLE("a")));
    assert_true(harness_number(renewed, "/revision") > harness_number(changed, "/revision"));
    assert_string_equal(harness_string(renewed, "/fingerprint"),
                        harness_string(made, "/fingerprint"));
    harness_free(made);
    harness_free(got);
    harness_free(again);
    harness_free(changed);
    harness_free(renewed);
}

static void preconditions(void **state)
{
    (void)state;
    struct exchange *made = SEND(service, 201, .route = ROUTE_WORLD_PUT, .name = "p",
                                 .body = WORLD(""), .if_none_match = "*");
    const char *etag = made->call.reply.etag;
    char list[256], weak[128];
    snprintf(list, sizeof(list), "\"0-x\", %s", etag);
    snprintf(weak, sizeof(weak), "W/%s", etag);

    EXPECT(service, 304, .route = ROUTE_WORLD_GET, .name = "p", .if_none_match = etag);
    EXPECT(service, 304, .route = ROUTE_WORLD_GET, .name = "p", .if_none_match = list);
    EXPECT(service, 304, .route = ROUTE_WORLD_GET, .name = "p", .if_none_match = weak);
    EXPECT(service, 200, .route = ROUTE_WORLD_GET, .name = "p", .if_none_match = "\"0-x\"");
    EXPECT(service, 412, .route = ROUTE_WORLD_PUT, .name = "p", .body = WORLD(""),
           .if_none_match = "*");
    EXPECT(service, 412, .route = ROUTE_WORLD_PUT, .name = "none", .body = WORLD(""),
           .if_match = "*");
    EXPECT(service, 412, .route = ROUTE_WORLD_PATCH, .name = "p", .body = "{}", .if_match = weak);
    EXPECT(service, 200, .route = ROUTE_WORLD_PUT, .name = "p", .body = WORLD(CIRCLE("a")),
           .if_match = list);
    EXPECT(service, 412, .route = ROUTE_WORLD_PUT, .name = "p", .body = WORLD(""),
           .if_match = etag);
    EXPECT(service, 412, .route = ROUTE_WORLD_DELETE, .name = "p", .if_match = etag);
    EXPECT(service, 204, .route = ROUTE_WORLD_DELETE, .name = "p", .if_match = "*");
    harness_free(made);
}

static void obstacles_one_by_one(void **state)
{
    (void)state;
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "o", .body = WORLD(""));
    EXPECT(service, 201, .route = ROUTE_OBSTACLE_PUT, .name = "o", .obstacle = "a",
           .body = "{\"type\":\"circle\",\"center\":[1,2],\"radius\":0.5}");
    EXPECT(service, 200, .route = ROUTE_OBSTACLE_PUT, .name = "o", .obstacle = "a",
           .body = "{\"type\":\"circle\",\"center\":[1,2],\"radius\":0.25}");
    struct exchange *got =
        SEND(service, 200, .route = ROUTE_OBSTACLE_GET, .name = "o", .obstacle = "a");
    assert_true(harness_number(got, "/radius") == 0.25);
    harness_free(got);
    got = SEND(service, 200, .route = ROUTE_WORLD_PATCH, .name = "o",
               .body = "{\"set\":[{\"id\":\"a\",\"enabled\":false}]}");
    assert_int_equal(strlen(harness_string(got, "/fingerprint")), 64);
    harness_free(got);
    EXPECT(service, 422, .route = ROUTE_OBSTACLE_PUT, .name = "o", .obstacle = "a",
           .body = "{\"id\":\"c\",\"type\":\"circle\",\"center\":[1,2],\"radius\":0.25}");
    EXPECT(service, 404, .route = ROUTE_OBSTACLE_GET, .name = "o", .obstacle = "b");
    EXPECT(service, 404, .route = ROUTE_OBSTACLE_DELETE, .name = "o", .obstacle = "b");
    EXPECT(service, 404, .route = ROUTE_OBSTACLE_PUT, .name = "none", .obstacle = "b",
           .body = "{}");
    EXPECT(service, 200, .route = ROUTE_OBSTACLE_DELETE, .name = "o", .obstacle = "a");
    EXPECT(service, 404, .route = ROUTE_OBSTACLE_GET, .name = "o", .obstacle = "a");
}

static void bad_worlds_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        int status;
        const char *code;
    } CASES[] = {
        {"{", 400, "malformed"},
        {"", 400, "malformed"},
        {"{\"dimension\":2,\"colour\":1}", 422, NULL},
        // the engine's own check
        {WORLD("{\"type\":\"circle\",\"center\":[1,1],\"radius\":101}"), 422, "invalid_argument"},
    };
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "b", .body = WORLD(CIRCLE("a")));
    struct exchange *before = SEND(service, 200, .route = ROUTE_WORLD_GET, .name = "b");
    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct exchange *refused = SEND(service, CASES[i].status, .route = ROUTE_WORLD_PUT,
                                        .name = "b", .body = CASES[i].body);
        if (CASES[i].code)
            assert_string_equal(harness_string(refused, "/code"), CASES[i].code);
        assert_string_equal(refused->call.reply.content_type, "application/problem+json");
        assert_string_equal(refused->call.reply.etag, "");
        harness_free(refused);
    }
    EXPECT(service, 422, .route = ROUTE_WORLD_PUT, .name = "-bad", .body = WORLD(""));
    EXPECT(service, 304, .route = ROUTE_WORLD_GET, .name = "b",
           .if_none_match = before->call.reply.etag);
    harness_free(before);
}

static void world_files(void **state)
{
    (void)state;
    static const char MAP[] = "type octile\nheight 2\nwidth 3\nmap\n..T\n@..\n";
    struct exchange *made = SEND(service, 201, .route = ROUTE_WORLD_PUT, .name = "m", .body = MAP,
                                 .parameters = {"format", "movingai", "passable", "T"});
    assert_string_equal(made->call.reply.content_type, "application/json");
    harness_free(made);
    static const struct {
        const char *parameters[5];
        const char *code;
    } CASES[] = {
        {{"format", "movingai", "passable", "X", NULL}, "invalid_argument"},
        {{"format", "movingai", "radius", "1", NULL}, "invalid_argument"},
        {{"format", "teapot", NULL}, "invalid_argument"},
        {{"frmat", "movingai", NULL}, "invalid_argument"},
        {{"", "movingai", NULL}, "invalid_argument"},
    };
    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct request request = {.route = ROUTE_WORLD_PUT, .name = "m", .body = MAP};
        memcpy(request.parameters, CASES[i].parameters, sizeof(CASES[i].parameters));
        struct exchange *refused = harness_send(service, 422, &request);
        assert_string_equal(harness_string(refused, "/code"), CASES[i].code);
        harness_free(refused);
    }
}

static void large_bodies_are_the_same(void **state)
{
    (void)state;
    // over the size that goes to the workers, with blanks that mean nothing
    enum { BLANKS = 100000 };
    static char body[BLANKS + 256];
    memset(body, ' ', BLANKS);
    snprintf(body + BLANKS, sizeof body - BLANKS, "%s", WORLD(CIRCLE("a")));
    struct exchange *small =
        SEND(service, 201, .route = ROUTE_WORLD_PUT, .name = "small", .body = WORLD(CIRCLE("a")));
    struct exchange *large =
        SEND(service, 201, .route = ROUTE_WORLD_PUT, .name = "large", .body = body);
    assert_string_equal(harness_string(small, "/fingerprint"),
                        harness_string(large, "/fingerprint"));
    harness_free(small);
    harness_free(large);
}

static void life_of_a_robot(void **state)
{
    (void)state;
    struct exchange *made = SEND(service, 201, .route = ROUTE_ROBOT_PUT, .name = "r",
                                 .body = "{\"type\":\"ball\",\"radius\":0.5}");
    assert_true(harness_number(made, "/radius") == 0.5);
    struct exchange *again = SEND(service, 200, .route = ROUTE_ROBOT_PUT, .name = "r",
                                  .body = "{ \"radius\": 0.50, \"type\": \"ball\" }");
    assert_string_equal(made->call.reply.etag, again->call.reply.etag);
    harness_free(again);
    again =
        SEND(service, 200, .route = ROUTE_ROBOT_PUT, .name = "r", .body = "{\"type\":\"point\"}");
    assert_string_not_equal(made->call.reply.etag, again->call.reply.etag);
    EXPECT(service, 422, .route = ROUTE_ROBOT_PUT, .name = "r",
           .body = "{\"type\":\"ball\",\"radius\":0}");
    EXPECT(service, 412, .route = ROUTE_ROBOT_DELETE, .name = "r",
           .if_match = made->call.reply.etag);
    EXPECT(service, 204, .route = ROUTE_ROBOT_DELETE, .name = "r");
    EXPECT(service, 404, .route = ROUTE_ROBOT_GET, .name = "r");
    harness_free(made);
    harness_free(again);
}

static void lists_are_paged(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"page-2", "page-0", "other", "page-1", "page-3"};
    for (unsigned i = 0; i < 5; i++)
        EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = NAMES[i],
               .body = "{\"type\":\"point\"}");
    struct exchange *first = SEND(service, 200, .route = ROUTE_ROBOT_LIST,
                                  .parameters = {"prefix", "page-", "limit", "3"});
    assert_string_equal(harness_string(first, "/items/0/name"), "page-0");
    assert_string_equal(harness_string(first, "/items/2/name"), "page-2");
    assert_string_equal(harness_string(first, "/items/3/name"), "");
    assert_string_equal(harness_string(first, "/next"), "page-2");
    struct exchange *rest =
        SEND(service, 200, .route = ROUTE_ROBOT_LIST,
             .parameters = {"prefix", "page-", "limit", "3", "after", "page-2"});
    assert_string_equal(harness_string(rest, "/items/0/name"), "page-3");
    assert_string_equal(harness_string(rest, "/items/1/name"), "");
    assert_string_equal(harness_string(rest, "/next"), "");
    harness_free(first);
    harness_free(rest);

    static const char *const LIMITS[] = {"0", "-1", "x", "", "1001", "1e2", "99999999999999999999"};
    for (unsigned i = 0; i < sizeof(LIMITS) / sizeof(LIMITS[0]); i++)
        EXPECT(service, 422, .route = ROUTE_ROBOT_LIST, .parameters = {"limit", LIMITS[i]});
}

static void limits_hold(void **state)
{
    (void)state;
    struct limits limits = limits_default();
    limits.worlds = limits.robots = 1;
    struct service *small = harness_open(&limits);
    EXPECT(small, 201, .route = ROUTE_WORLD_PUT, .name = "a", .body = WORLD(""));
    struct exchange *refused =
        SEND(small, 422, .route = ROUTE_WORLD_PUT, .name = "b", .body = WORLD(""));
    assert_string_equal(harness_string(refused, "/code"), "limit_exceeded");
    assert_string_equal(harness_string(refused, "/flag"), "--max-worlds");
    assert_true(harness_number(refused, "/limit") == 1);
    harness_free(refused);
    EXPECT(small, 200, .route = ROUTE_WORLD_PUT, .name = "a", .body = WORLD(CIRCLE("a")));
    EXPECT(small, 201, .route = ROUTE_ROBOT_PUT, .name = "a", .body = "{\"type\":\"point\"}");
    EXPECT(small, 422, .route = ROUTE_ROBOT_PUT, .name = "b", .body = "{\"type\":\"point\"}");
    service_close(small);
}

static void about_itself(void **state)
{
    (void)state;
    static const enum route_id ROUTES[] = {ROUTE_LIVEZ, ROUTE_READYZ,  ROUTE_HEALTHZ,
                                           ROUTE_ROOT,  ROUTE_DEVICES, ROUTE_LIMITS};
    for (unsigned i = 0; i < sizeof(ROUTES) / sizeof(ROUTES[0]); i++) {
        struct exchange *got = SEND(service, 200, .route = ROUTES[i]);
        assert_non_null(got->document);
        harness_free(got);
    }
    struct exchange *root = SEND(service, 200, .route = ROUTE_ROOT);
    assert_string_equal(harness_string(root, "/links/worlds"), "/v1/worlds");
    assert_string_equal(harness_string(root, "/routes/0/method"), "GET");
    assert_string_equal(harness_string(root, "/routes/0/path"), "/livez");
    assert_string_equal(harness_string(root, "/routes/0/summary"), "The process lives");
    harness_free(root);
    struct exchange *devices = SEND(service, 200, .route = ROUTE_DEVICES);
    assert_string_equal(harness_string(devices, "/items/0/name"), "fake device");
    harness_free(devices);
    struct exchange *limits = SEND(service, 200, .route = ROUTE_LIMITS);
    assert_true(harness_number(limits, "/milestones/value") == 2000000);
    assert_string_equal(harness_string(limits, "/milestones/flag"), "--max-milestones");
    harness_free(limits);
}

/* Each call is answered, whatever it is about. */
static void every_route_has_a_use_case(void **state)
{
    (void)state;
    for (int route = 0; route < ROUTE_COUNT; route++) {
        struct exchange *exchange = harness_start(
            service, &(struct request){
                         .route = (enum route_id)route, .name = "absent", .obstacle = "absent"});
        harness_wait(exchange);
        assert_in_range(exchange->call.reply.status, 200, 499);
        harness_free(exchange);
    }
}

static void draining(void **state)
{
    (void)state;
    struct service *leaving = harness_open(NULL);
    EXPECT(leaving, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD(""));
    service_drain(leaving);
    assert_false(service_ready(leaving));
    struct exchange *refused =
        SEND(leaving, 503, .route = ROUTE_WORLD_PUT, .name = "x", .body = WORLD(""));
    assert_string_equal(harness_string(refused, "/code"), "draining");
    assert_true(refused->call.reply.retry_after_s > 0);
    harness_free(refused);
    EXPECT(leaving, 503, .route = ROUTE_WORLD_DELETE, .name = "w");
    EXPECT(leaving, 503, .route = ROUTE_READYZ);
    EXPECT(leaving, 200, .route = ROUTE_LIVEZ);
    EXPECT(leaving, 200, .route = ROUTE_WORLD_GET, .name = "w");
    harness_until_idle(leaving);
    service_close(leaving);
}

static void opening(void **state)
{
    (void)state;
    char folder[] = "/tmp/prmd-service-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char inside[64];
    snprintf(inside, sizeof(inside), "%s/a/b", folder);
    struct service_options options = {.limits = limits_default(), .data_dir = inside};
    struct service *first, *second;
    struct problem problem = {0};
    assert_true(service_open(&first, &options, &problem));

    // a second daemon on the folder is refused, and may have it later
    assert_false(service_open(&second, &options, &problem));
    assert_null(second);
    assert_int_equal(problem.faults[0].code, PROBLEM_IN_USE);
    assert_non_null(strstr(problem.faults[0].detail, inside));
    service_close(first);
    assert_true(service_open(&second, &options, &problem));
    service_close(second);

    // no such device
    problem.fault_count = 0;
    options.device = "none";
    assert_false(service_open(&second, &options, &problem));
    assert_int_equal(problem.fault_count, 1);
    service_close(NULL);

    char command[128];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* Until it is warm, the service says that it is loading. */
static void loading_until_warm(void **state)
{
    (void)state;
    const struct service_options options = {.limits = limits_default()};
    const double until = clock_steady() + 10;
    struct problem problem = {0};
    struct service *cold = NULL;
    atomic_store(&fake_engine.warm_up_held, true);
    assert_true(service_open(&cold, &options, &problem));
    struct exchange *probe = SEND(cold, 503, .route = ROUTE_READYZ);
    assert_string_equal(harness_string(probe, "/code"), "loading");
    assert_int_equal(probe->call.reply.retry_after_s, 1);
    harness_free(probe);
    atomic_store(&fake_engine.warm_up_held, false);
    while (!service_ready(cold) && clock_steady() < until)
        test_pause_ms(1);
    EXPECT(cold, 200, .route = ROUTE_READYZ);
    service_close(cold);
}

static atomic_uint warm_up_faults;

static void on_event(void *context, const char *event, const char *detail)
{
    (void)context;
    if (strcmp(event, "warm_up_failed") != 0)
        return;
    assert_string_equal(detail, "the fake warm-up fails");
    atomic_fetch_add(&warm_up_faults, 1);
}

/* A service whose warm-up fails says so, and is never ready. */
static void never_ready_without_a_warm_up(void **state)
{
    (void)state;
    const struct service_options options = {.limits = limits_default(), .log = on_event};
    const double until = clock_steady() + 10;
    struct problem problem = {0};
    struct service *cold = NULL;
    atomic_store(&fake_engine.warm_up_status, PRM_DEVICE_MEMORY);
    assert_true(service_open(&cold, &options, &problem));
    while (atomic_load(&warm_up_faults) == 0 && clock_steady() < until)
        test_pause_ms(1);
    assert_int_equal(atomic_load(&warm_up_faults), 1);
    assert_false(service_ready(cold));
    assert_string_equal(service_warm_up_fault(cold), "the fake warm-up fails");
    struct exchange *probe = SEND(cold, 500, .route = ROUTE_READYZ);
    assert_string_equal(harness_string(probe, "/detail"), "the warm-up failed; the log says why");
    harness_free(probe);
    EXPECT(cold, 200, .route = ROUTE_LIVEZ);
    service_close(cold);
    fake_engine_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(life_of_a_world),
        cmocka_unit_test(preconditions),
        cmocka_unit_test(obstacles_one_by_one),
        cmocka_unit_test(bad_worlds_change_nothing),
        cmocka_unit_test(world_files),
        cmocka_unit_test(large_bodies_are_the_same),
        cmocka_unit_test(life_of_a_robot),
        cmocka_unit_test(lists_are_paged),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(about_itself),
        cmocka_unit_test(every_route_has_a_use_case),
        cmocka_unit_test(draining),
        cmocka_unit_test(opening),
        cmocka_unit_test(loading_until_warm),
        cmocka_unit_test(never_ready_without_a_warm_up),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

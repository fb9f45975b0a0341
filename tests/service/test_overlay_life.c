/* Goal: worlds of single requests hold nobody up, end with their clients, their faults and the
 * service, are kept for who sends the same obstacles again, and leave nothing. So do matrices.
 * Method: an engine without a device, whose revisions and matrices wait for the test. Oracle: the
 * order of answers; steps that the engine ran; that nothing is left over. */
#include "fake_engine.h"
#include "harness.h"

#include "support/pause.h"

#include <math.h>
#include <string.h>

#define CIRCLE(x) "{\"type\":\"circle\",\"center\":[" x ",1],\"radius\":1}"
#define PLAN(x) "{\"queries\":[{\"start\":[1,1],\"goal\":[2,2]}],\"obstacles\":[" CIRCLE(x) "]}"
#define MATRIX "{\"states\":[[1,1],[2,2]],\"obstacles\":[" CIRCLE("1") "]}"

enum { HELD = 1000000000, FULL = 4, LARGE = 1200 };

static struct service *service;

static int setup(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    fake_engine_reset();
    limits.queued_requests = FULL;
    service = harness_open(&limits);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w",
           .body = "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[9,9]},\"obstacles\":["
                   "{\"id\":\"box\",\"type\":\"circle\",\"center\":[1,1],\"radius\":1}]}");
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "p", .body = "{\"type\":\"point\"}");
    EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = "m", .wait_s = 10,
           .body = "{\"world\":\"w\",\"robot\":\"p\",\"seed\":7,\"samples\":{\"count\":50}}");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    service_close(service);
    return fake_engine_alive() == 0 ? 0 : -1;
}

static struct exchange *start(enum route_id route, const char *body)
{
    return harness_start(service,
                         &(const struct request){.route = route, .name = "m", .body = body});
}

static void expect_plain(void)
{
    EXPECT(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "m",
           .body = "{\"queries\":[{\"start\":[1,1],\"goal\":[2,2]}]}");
}

/* The fake's hops tell the obstacles: one of the world's, and one more. */
static void they_hold_nobody_up(void **state)
{
    (void)state;
    atomic_store(&fake_engine.revision_steps, HELD);
    struct exchange *held = start(ROUTE_ROADMAP_PLAN, PLAN("1"));
    expect_plain();
    assert_false(harness_is_done(held));
    atomic_store(&fake_engine.revision_steps, 1);
    harness_wait(held);
    assert_int_equal(held->call.reply.status, 200);
    assert_true(harness_number(held, "/results/0/hops") == 2);
    assert_true(harness_number(held, "/results/0/length") == 7);
    assert_true(harness_number(held, "/timing_ms/overlay") > 0);
    harness_free(held);
}

/* Sends a plan and returns the steps that the engine ran for it. */
static unsigned steps_of(const char *body)
{
    const unsigned before = atomic_load(&fake_engine.steps_run);
    EXPECT(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = body);
    return atomic_load(&fake_engine.steps_run) - before;
}

static void the_same_again_is_there(void **state)
{
    (void)state;
    assert_true(steps_of(PLAN("1")) > 0);
    assert_int_equal(steps_of(PLAN("1")), 0);
    assert_true(steps_of(PLAN("2")) > 0);
    assert_int_equal(steps_of(PLAN("2")), 0);
    assert_int_equal(steps_of(PLAN("1")), 0);
    // another world is another matter, and takes what was kept along
    EXPECT(service, 200, .route = ROUTE_WORLD_PATCH, .name = "w", .body = "{\"remove\":[\"box\"]}");
    harness_until_idle(service);
    test_pause_ms(20);
    const unsigned alive = fake_engine_alive();
    assert_true(steps_of(PLAN("1")) > 0);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    for (int i = 0; i < 1000 && fake_engine_alive() >= alive; i++)
        test_pause_ms(2);
    assert_true(fake_engine_alive() < alive);
}

static void faults_and_clients_that_leave(void **state)
{
    (void)state;
    atomic_store(&fake_engine.validity_status, PRM_DEVICE_MEMORY);
    for (int i = 0; i < 2; i++) {
        const bool plan = i == 0;
        harness_free(SEND(service, 507, .route = plan ? ROUTE_ROADMAP_PLAN : ROUTE_ROADMAP_MATRIX,
                          .name = "m", .body = plan ? PLAN("3") : MATRIX));
    }
    atomic_store(&fake_engine.validity_status, PRM_OK);

    atomic_store(&fake_engine.revision_steps, HELD);
    struct exchange *gone[] = {start(ROUTE_ROADMAP_PLAN, PLAN("1")),
                               start(ROUTE_ROADMAP_MATRIX, MATRIX)};
    for (int i = 0; i < 2; i++)
        atomic_store(&gone[i]->call.abandoned, true);
    for (int i = 0; i < 2; i++) {
        harness_wait(gone[i]);
        assert_string_equal(harness_string(gone[i], "/code"), "cancelled");
        harness_free(gone[i]);
    }
    atomic_store(&fake_engine.revision_steps, 1);
    atomic_store(&fake_engine.expansions_held, true);
    struct exchange *matrix = start(ROUTE_ROADMAP_MATRIX, "{\"states\":[[1,1],[2,2]]}");
    expect_plain();
    assert_false(harness_is_done(matrix));
    atomic_store(&matrix->call.abandoned, true);
    harness_wait(matrix);
    assert_string_equal(harness_string(matrix, "/code"), "cancelled");
    harness_free(matrix);
}

/* Their queue has an end, too. */
static void the_queue_is_bounded(void **state)
{
    (void)state;
    struct exchange *held[FULL + 1];
    atomic_store(&fake_engine.revision_steps, HELD);
    for (int i = 0; i <= FULL; i++) {
        held[i] = start(ROUTE_ROADMAP_PLAN, PLAN("1"));
        test_pause_ms(5);
    }
    harness_free(SEND(service, 503, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = PLAN("2")));
    harness_free(SEND(service, 503, .route = ROUTE_ROADMAP_MATRIX, .name = "m", .body = MATRIX));
    atomic_store(&fake_engine.revision_steps, 1);
    for (int i = 0; i <= FULL; i++) {
        harness_wait(held[i]);
        harness_free(held[i]);
    }
}

static void matrices_as_read(void **state)
{
    (void)state;
    static const struct {
        const char *body, *code, *pointer;
    } BAD[] = {
        {"{}", "invalid_argument", "/states"},
        {"{\"states\":[[1]]}", "invalid_argument", "/states/0"},
        {"{\"states\":[[1,1]],\"sources\":[1]}", "invalid_argument", "/sources/0"},
        {"{\"states\":[],\"targets\":[0]}", "invalid_argument", "/targets/0"},
        {"{\"states\":[[1,1]],\"targets\":[0.5]}", "invalid_argument", "/targets/0"},
        {"{\"states\":[[1,1]],\"simplify\":true}", "unknown_member", "/simplify"},
        {"{\"states\":[[1,1]],\"objective\":\"time\"}", "invalid_argument", "/objective"},
        {"{\"states\":[[1,1]],\"ignore\":[\"x\"]}", "unknown_reference", "/ignore/0"},
        {"[]", "invalid_argument", ""},
    };
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        struct exchange *refused =
            SEND(service, 422, .route = ROUTE_ROADMAP_MATRIX, .name = "m", .body = BAD[i].body);
        assert_string_equal(harness_string(refused, "/code"), BAD[i].code);
        assert_string_equal(harness_string(refused, "/pointer"), BAD[i].pointer);
        harness_free(refused);
    }

    // the fake's lengths are the sums of the states' numbers
    struct exchange *got = SEND(service, 200, .route = ROUTE_ROADMAP_MATRIX, .name = "m",
                                .body = "{\"states\":[[1,1],{\"y\":2,\"x\":2},[3,3]],"
                                        "\"sources\":[2,0],\"targets\":null}");
    assert_true(harness_number(got, "/costs/0/2") == 4 && harness_number(got, "/costs/1/1") == 1);
    assert_true(harness_number(got, "/sources/0") == 2 && harness_number(got, "/targets/2") == 2);
    assert_string_equal(harness_string(got, "/states/2/status"), "ok");
    assert_true(harness_number(got, "/summary/solved") == 6);
    harness_free(got);
    got = SEND(service, 200, .route = ROUTE_ROADMAP_MATRIX, .name = "m", .body = "{\"states\":[]}");
    assert_true(harness_number(got, "/summary/failed") == 0);
    harness_free(got);
}

static void limits_of_matrices(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    service_close(service);
    limits.matrix_pairs = 6;
    limits.states = 5;
    service = harness_open(&limits);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w",
           .body = "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[9,9]}}");
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "p", .body = "{\"type\":\"point\"}");
    EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = "m", .wait_s = 10,
           .body = "{\"world\":\"w\",\"robot\":\"p\",\"samples\":{\"count\":50}}");
    static const struct {
        const char *body, *flag;
        int status;
    } CASES[] = {
        {"{\"states\":[[1,1],[1,1],[1,1]]}", "--max-matrix-pairs", 422},
        {"{\"states\":[[1,1],[1,1],[1,1]],\"targets\":[0,1]}", "", 200},
        {"{\"states\":[[1,1]],\"sources\":[0,0,0,0,0,0,0]}", "--max-matrix-pairs", 422},
        {"{\"states\":[[1,1],[1,1],[1,1],[1,1],[1,1],[1,1]],\"sources\":[0],\"targets\":[0]}",
         "--max-states", 422},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct exchange *got = SEND(service, CASES[i].status, .route = ROUTE_ROADMAP_MATRIX,
                                    .name = "m", .body = CASES[i].body);
        assert_string_equal(harness_string(got, "/flag"), CASES[i].flag);
        harness_free(got);
    }
}

/* Over a world of many obstacles a worker lays them, with the same outcome. */
static void large_worlds(void **state)
{
    (void)state;
    struct text world = {0};
    text_print(&world, "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[9,9]},\"obstacles\":[");
    for (unsigned i = 0; i < LARGE; i++)
        text_print(&world, "%s{\"id\":\"o%u\",\"type\":\"circle\",\"center\":[1,1],\"radius\":1}",
                   i ? "," : "", i);
    text_print(&world, "]}%c", 0);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "large", .body = world.data);
    text_deinit(&world);
    EXPECT(service, 200, .route = ROUTE_ROADMAP_PUT, .name = "m", .wait_s = 10,
           .body = "{\"world\":\"large\",\"robot\":\"p\",\"samples\":{\"count\":50}}");
    struct exchange *plan =
        SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = PLAN("1"));
    assert_true(harness_number(plan, "/results/0/hops") == LARGE + 1);
    harness_free(plan);
    EXPECT(service, 200, .route = ROUTE_ROADMAP_MATRIX, .name = "m", .body = MATRIX);
    static const char *const REFUSED[] = {
        "{\"queries\":[{\"start\":[1,1],\"goal\":[2,2]}],\"ignore\":[\"o7\"]}",
        "{\"states\":[[1,1]],\"ignore\":[\"o7\"]}"};
    EXPECT(service, 422, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = REFUSED[0]);
    EXPECT(service, 422, .route = ROUTE_ROADMAP_MATRIX, .name = "m", .body = REFUSED[1]);
}

static void closing_with_them(void **state)
{
    (void)state;
    atomic_store(&fake_engine.revision_steps, HELD);
    struct exchange *held[] = {start(ROUTE_ROADMAP_PLAN, PLAN("1")),
                               start(ROUTE_ROADMAP_MATRIX, MATRIX),
                               start(ROUTE_ROADMAP_PLAN, PLAN("2"))};
    test_pause_ms(20);
    service_close(service);
    for (int i = 0; i < 3; i++) {
        harness_wait(held[i]);
        assert_int_equal(held[i]->call.reply.status, 503);
        assert_string_equal(harness_string(held[i], "/code"), "draining");
        harness_free(held[i]);
    }
    service = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(they_hold_nobody_up),  TEST(the_same_again_is_there),
        TEST(matrices_as_read),     TEST(faults_and_clients_that_leave),
        TEST(the_queue_is_bounded), TEST(limits_of_matrices),
        TEST(large_worlds),         TEST(closing_with_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: plan requests that ask in the same way run as one batch, and nobody notices: each has its
 * own answer, and what is wrong with one, what it has left, its deadline or its vanished client
 * concern it alone. Method: an engine without a device that holds plans until the requests wait.
 * Oracle: the numbers of batches that the engine ran, and what its answers must be. */
#include "fake_engine.h"
#include "harness.h"

#include "schema/clock.h"
#include "support/pause.h"

#include <stdio.h>
#include <string.h>

#define WORLD "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":[]}"
#define SOLVED "{\"start\":[1,1],\"goal\":[2,2]}"
#define OUTSIDE "{\"start\":[-1,1],\"goal\":[2,2]}"
#define INVALID "{\"start\":[1],\"goal\":[2,2]}"
#define FAR "{\"start\":[2500,1],\"goal\":[2,2]}"

enum { REQUESTS_MAX = 8 };

static struct service *service;
static struct exchange *held;               /* what keeps the device busy */
static struct exchange *sent[REQUESTS_MAX]; /* what waits meanwhile */
static unsigned sent_count, before;

static int setup(void **state)
{
    (void)state;
    fake_engine_reset();
    service = harness_open(NULL);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD);
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "r", .body = "{\"type\":\"point\"}");
    for (int i = 0; i < 2; i++)
        EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = i ? "n" : "m", .wait_s = 10,
               .body = i ? "{\"world\":\"w\",\"robot\":\"r\",\"seed\":9,\"samples\":{\"count\":50}}"
                         : "{\"world\":\"w\",\"robot\":\"r\",\"samples\":{\"count\":50}}");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    service_close(service);
    return fake_engine_alive() == 0 ? 0 : -1;
}

/* Keeps the device busy, so that what is sent from now on waits. */
static void hold(void)
{
    sent_count = 0;
    before = atomic_load(&fake_engine.plans_run);
    const unsigned entered = atomic_load(&fake_engine.plans_entered);
    atomic_store(&fake_engine.plans_held, true);
    held = harness_start(service, &(struct request){.route = ROUTE_ROADMAP_PLAN,
                                                    .name = "m",
                                                    .body = "{\"queries\":[" SOLVED "]}"});
    // once the device has it, it is off the queue
    fake_engine_until_entered(entered);
}

static struct exchange *send_to(const char *roadmap, const char *body)
{
    return sent[sent_count++] = harness_start(
               service,
               &(struct request){.route = ROUTE_ROADMAP_PLAN, .name = roadmap, .body = body});
}

/* Lets the device go and waits for all answers; the batches that it took. */
static unsigned release(void)
{
    atomic_store(&fake_engine.plans_held, false);
    harness_wait(held);
    harness_free(held);
    for (unsigned i = 0; i < sent_count; i++)
        harness_wait(sent[i]);
    return atomic_load(&fake_engine.plans_run) - before - 1;
}

static void forget(void)
{
    for (unsigned i = 0; i < sent_count; i++)
        harness_free(sent[i]);
}

static void assert_status(const struct exchange *exchange, unsigned query, const char *status)
{
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/results/%u/status", query);
    assert_string_equal(harness_string(exchange, pointer), status);
}

static void one_batch_and_each_its_own_answer(void **state)
{
    (void)state;
    hold();
    const struct exchange *one = send_to("m", "{\"queries\":[{\"id\":1,\"start\":[3,1],"
                                              "\"goal\":[2,2]}]}");
    const struct exchange *none = send_to("m", "{\"queries\":[]}");
    const struct exchange *some =
        send_to("m", "{\"queries\":[" OUTSIDE "," INVALID "," SOLVED ",{\"id\":\"last\","
                     "\"start\":[5,6],\"goals\":[[7,8],[2,2]]}]}");
    const struct exchange *clamped =
        send_to("m", "{\"queries\":[" SOLVED ",{\"start\":[0,4],\"goal\":[2,2]}]}");
    assert_int_equal(release(), 1);

    assert_int_equal(harness_number(one, "/results/0/id"), 1);
    assert_int_equal(harness_number(one, "/results/0/path/0/0"), 3);
    assert_int_equal(harness_number(one, "/summary/solved"), 1);
    assert_int_equal(harness_number(none, "/summary/solved"), 0);
    assert_status(some, 0, "start_out_of_bounds");
    assert_status(some, 1, "invalid_query");
    assert_status(some, 2, "solved");
    assert_status(some, 3, "solved");
    assert_string_equal(harness_string(some, "/results/3/id"), "last");
    assert_int_equal(harness_number(some, "/results/2/path/0/0"), 1);
    assert_int_equal(harness_number(some, "/results/3/path/0/0"), 5);
    assert_int_equal(harness_number(some, "/results/3/path/1/1"), 8);
    assert_int_equal(harness_number(some, "/summary/failed"), 2);
    // warnings name the request's own queries
    assert_string_equal(harness_string(some, "/warnings/0/code"), "");
    assert_string_equal(harness_string(clamped, "/warnings/0/code"), "clamped");
    assert_int_equal(harness_number(clamped, "/warnings/0/query"), 1);
    forget();
}

static void what_asks_otherwise_runs_apart(void **state)
{
    (void)state;
    static const char *const OPTIONS[] = {
        "\"objective\":\"hops\"",      "\"simplify\":false",         "\"output\":\"cost\"",
        "\"connect\":{\"k\":3}",       "\"diagnose\":true",          "\"interpolate\":0.5",
        "\"expand\":{\"samples\":10}", "\"connect\":{\"radius\":3}",
    };
    for (unsigned i = 0; i < sizeof OPTIONS / sizeof OPTIONS[0]; i++) {
        char body[256];
        snprintf(body, sizeof body, "{\"queries\":[" SOLVED "],%s}", OPTIONS[i]);
        hold();
        send_to("m", "{\"queries\":[" SOLVED "]}");
        send_to("m", body);
        send_to("m", "{\"queries\":[" SOLVED "]}");
        send_to("m", body);
        assert_int_equal(release(), 2);
        for (unsigned s = 0; s < sent_count; s++)
            assert_status(sent[s], 0, "solved");
        forget();
    }
    // another roadmap is another batch, and a deadline is none of the ways to ask
    hold();
    send_to("m", "{\"queries\":[" SOLVED "],\"deadline_ms\":60000}");
    send_to("n", "{\"queries\":[" SOLVED "]}");
    send_to("m", "{\"queries\":[" SOLVED "],\"deadline_ms\":50000}");
    assert_int_equal(release(), 2);
    assert_int_equal(harness_number(sent[1], "/results/0/length"), 9);
    forget();
}

static void a_batch_that_fails_is_run_one_by_one(void **state)
{
    (void)state;
    atomic_store(&fake_engine.batch_max, 2);
    hold();
    const struct exchange *fine = send_to("m", "{\"queries\":[" SOLVED "]}");
    const struct exchange *large = send_to("m", "{\"queries\":[" SOLVED "," SOLVED "," SOLVED "]}");
    const struct exchange *also = send_to("m", "{\"queries\":[" SOLVED "," OUTSIDE "]}");
    assert_int_equal(release(), 4);
    assert_int_equal(fine->call.reply.status, 200);
    assert_int_equal(also->call.reply.status, 200);
    assert_status(also, 1, "start_out_of_bounds");
    assert_int_equal(large->call.reply.status, 422);
    assert_string_equal(harness_string(large, "/code"), "limit_exceeded");
    forget();
}

static void who_is_gone_is_left_out(void **state)
{
    (void)state;
    hold();
    struct exchange *gone = send_to("m", "{\"queries\":[" FAR "]}");
    const struct exchange *there = send_to("m", "{\"queries\":[{\"start\":[4,1],\"goal\":[2,2]}]}");
    struct exchange *last = send_to("m", "{\"queries\":[" SOLVED "]}");
    atomic_store(&gone->call.abandoned, true);
    atomic_store(&last->call.abandoned, true);
    assert_int_equal(release(), 1);
    assert_int_equal(gone->call.reply.status, 409);
    assert_int_equal(last->call.reply.status, 409);
    assert_int_equal(harness_number(there, "/results/0/path/0/0"), 4);
    forget();

    // all are
    hold();
    atomic_store(&send_to("m", "{\"queries\":[" SOLVED "]}")->call.abandoned, true);
    assert_int_equal(release(), 0);
    forget();
}

static void what_is_left_holds_nobody_up(void **state)
{
    (void)state;
    atomic_store(&fake_engine.expansions_held, true);
    hold();
    struct exchange *far = send_to("m", "{\"queries\":[" SOLVED "," FAR "]}");
    struct exchange *near = send_to("m", "{\"queries\":[" SOLVED "]}");
    struct exchange *further = send_to("m", "{\"queries\":[" FAR "]}");
    atomic_store(&fake_engine.plans_held, false);
    harness_wait(near);
    assert_false(harness_is_done(far));
    assert_false(harness_is_done(further));
    atomic_store(&further->call.abandoned, true);
    harness_wait(further);
    assert_int_equal(further->call.reply.status, 409);
    atomic_store(&fake_engine.expansions_held, false);
    harness_wait(far);
    harness_wait(held);
    assert_status(far, 1, "solved");
    assert_int_equal(harness_number(far, "/results/1/path/0/0"), 2500);
    assert_true(document_bool(document_root(far->document), "/results/1/expanded", false));
    harness_free(held);
    forget();
}

static void deadlines(void **state)
{
    (void)state;
    // of a batch only the request's whose it is
    hold();
    const struct exchange *hurried = send_to("m", "{\"queries\":[" SOLVED "," INVALID "],"
                                                  "\"deadline_ms\":0.001}");
    const struct exchange *patient = send_to("m", "{\"queries\":[" SOLVED "]}");
    test_pause_ms(5);
    assert_int_equal(release(), 1);
    assert_int_equal(hurried->call.reply.status, 200);
    assert_status(hurried, 0, "deadline_exceeded");
    assert_status(hurried, 1, "invalid_query");
    assert_status(patient, 0, "solved");
    forget();

    // trees grow no longer than it says
    atomic_store(&fake_engine.expansions_held, true);
    const double began = clock_steady();
    struct exchange *grown = SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "m",
                                  .body = "{\"queries\":[" SOLVED "," FAR "],\"deadline_ms\":50}");
    assert_true(clock_steady() - began >= 0.05);
    assert_status(grown, 0, "solved");
    assert_status(grown, 1, "deadline_exceeded");
    assert_string_equal(harness_string(grown, "/results/1/reason/kind"), "");
    harness_free(grown);
}

static void the_size_of_batches(void **state)
{
    (void)state;
    const struct service_options options = {
        .version = "test", .limits = limits_default(), .batch_queries = 3};
    struct problem problem = {0};
    service_close(service);
    assert_true(service_open(&service, &options, &problem));
    while (!service_ready(service))
        test_pause_ms(2);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD);
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "r", .body = "{\"type\":\"point\"}");
    EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = "m", .wait_s = 10,
           .body = "{\"world\":\"w\",\"robot\":\"r\",\"samples\":{\"count\":50}}");
    hold();
    send_to("m", "{\"queries\":[" SOLVED "," SOLVED "]}");
    send_to("m", "{\"queries\":[" SOLVED "," SOLVED "]}");
    send_to("m", "{\"queries\":[" SOLVED "]}");
    send_to("m", "{\"queries\":[" SOLVED "," SOLVED "," SOLVED "," SOLVED "]}");
    // two and one, two, and the one that is larger than a batch
    assert_int_equal(release(), 3);
    for (unsigned i = 0; i < sent_count; i++)
        assert_int_equal(sent[i]->call.reply.status, 200);
    forget();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_batch_and_each_its_own_answer),
        TEST(what_asks_otherwise_runs_apart),
        TEST(a_batch_that_fails_is_run_one_by_one),
        TEST(who_is_gone_is_left_out),
        TEST(what_is_left_holds_nobody_up),
        TEST(deadlines),
        TEST(the_size_of_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: queries that the roadmap alone does not answer are expanded in steps that hold up nobody,
 * with the samples that the request, the roadmap or the limits say. Method: an engine without a
 * device whose expansions wait for the test. Oracle: what the engine was asked, the order in which
 * answers come, and that nothing is left over. */
#include "fake_engine.h"
#include "harness.h"

#include "schema/plan.h"
#include "support/pause.h"

#include <string.h>

#define WORLD "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":[]}"
#define SOLVED "{\"start\":[1,1],\"goal\":[2,2]}"
#define LOST "{\"start\":[1500,1],\"goal\":[2,2]}"
#define FAR "{\"start\":[2500,1],\"goal\":[2,2]}"
#define WITH_SAMPLES(samples) "{\"queries\":[" FAR "],\"expand\":{\"samples\":" samples "}}"

static struct service *service;

static int setup(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    fake_engine_reset();
    limits.queued_requests = 4;
    limits.expand_samples = 5000;
    service = harness_open(&limits);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD);
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "r", .body = "{\"type\":\"point\"}");
    EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = "m", .wait_s = 10,
           .body = "{\"world\":\"w\",\"robot\":\"r\",\"samples\":{\"count\":50}}");
    EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = "lattice", .wait_s = 10,
           .body = "{\"world\":\"w\",\"robot\":\"r\","
                   "\"samples\":{\"method\":\"lattice\",\"spacing\":1}}");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    service_close(service);
    return fake_engine_alive() == 0 ? 0 : -1;
}

static struct request plan_of(const char *body)
{
    return (struct request){.route = ROUTE_ROADMAP_PLAN, .name = "m", .body = body};
}

static void the_samples_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *roadmap, *body;
        unsigned samples;
    } CASES[] = {
        {"m", "{\"queries\":[" FAR "]}", PLAN_EXPAND_SAMPLES},
        {"m", "{\"queries\":[" FAR "],\"expand\":null}", PLAN_EXPAND_SAMPLES},
        {"m", "{\"queries\":[" FAR "],\"expand\":{}}", PLAN_EXPAND_SAMPLES},
        {"m", WITH_SAMPLES("0"), 0},
        {"m", WITH_SAMPLES("77"), 77},
        {"m", WITH_SAMPLES("5000"), 5000},
        {"lattice", "{\"queries\":[" FAR "]}", 0},
        {"lattice", WITH_SAMPLES("10"), 10},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct exchange *planned = SEND(service, 200, .route = ROUTE_ROADMAP_PLAN,
                                        .name = CASES[i].roadmap, .body = CASES[i].body);
        assert_int_equal(atomic_load(&fake_engine.expand_samples), CASES[i].samples);
        assert_string_equal(harness_string(planned, "/results/0/status"),
                            CASES[i].samples > 0 ? "solved" : "no_path");
        harness_free(planned);
    }

    static const struct {
        const char *body, *pointer;
    } BAD[] = {
        {WITH_SAMPLES("5001"), "/expand/samples"},
        {WITH_SAMPLES("-1"), "/expand/samples"},
        {WITH_SAMPLES("1.5"), "/expand/samples"},
        {"{\"queries\":[],\"expand\":{\"sample\":1}}", "/expand/sample"},
        {"{\"queries\":[],\"expand\":5}", "/expand"},
    };
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        struct exchange *refused =
            SEND(service, 422, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = BAD[i].body);
        assert_string_equal(harness_string(refused, "/pointer"), BAD[i].pointer);
        if (i == 0)
            assert_string_equal(harness_string(refused, "/flag"), "--max-expand-samples");
        harness_free(refused);
    }
}

static void expanded_results_say_so(void **state)
{
    (void)state;
    struct exchange *planned = SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "m",
                                    .body = "{\"queries\":[" SOLVED "," LOST "," FAR "]}");
    assert_string_equal(harness_string(planned, "/results/0/status"), "solved");
    assert_string_equal(harness_string(planned, "/results/1/status"), "no_path");
    assert_string_equal(harness_string(planned, "/results/2/status"), "solved");
    const struct document_value *root = document_root(planned->document);
    assert_null(document_at(root, "/results/0/expanded"));
    assert_null(document_at(root, "/results/1/expanded"));
    assert_true(document_bool(root, "/results/2/expanded", false));
    assert_true(harness_number(planned, "/timing_ms/expand") >= 0);
    assert_true(harness_number(planned, "/summary/solved") == 2);
    harness_free(planned);
}

static void expansions_hold_nobody_up(void **state)
{
    (void)state;
    const struct request far = plan_of("{\"queries\":[" FAR "]}");
    const struct request near = plan_of("{\"queries\":[" SOLVED "]}");
    atomic_store(&fake_engine.expansions_held, true);
    struct exchange *first = harness_start(service, &far), *second = harness_start(service, &far);
    for (int i = 0; i < 5; i++)
        harness_free(harness_send(service, 200, &near));
    EXPECT(service, 200, .route = ROUTE_ROADMAP_PUT, .name = "m", .wait_s = 10,
           .body = "{\"world\":\"w\",\"robot\":\"r\",\"seed\":7,\"samples\":{\"count\":50}}");
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    assert_false(harness_is_done(first));
    assert_false(harness_is_done(second));

    // one whose client is gone ends; the other is of the roadmap that it began with
    atomic_store(&first->call.abandoned, true);
    harness_wait(first);
    assert_int_equal(first->call.reply.status, 409);
    atomic_store(&fake_engine.expansions_held, false);
    harness_wait(second);
    assert_int_equal(second->call.reply.status, 200);
    assert_true(harness_number(second, "/results/0/length") != 7);
    harness_free(first);
    harness_free(second);
}

static void failures(void **state)
{
    (void)state;
    const struct request far = plan_of("{\"queries\":[" FAR "]}");
    atomic_store(&fake_engine.expand_status, PRM_DEVICE_MEMORY);
    struct exchange *failed = harness_send(service, 507, &far);
    harness_free(failed);

    // their queue is bounded
    atomic_store(&fake_engine.expand_status, PRM_OK);
    atomic_store(&fake_engine.expansions_held, true);
    struct exchange *held[4];
    for (int i = 0; i < 4; i++) {
        held[i] = harness_start(service, &far);
        // each leaves the queue of plans before the next comes
        test_pause_ms(20);
    }
    struct exchange *refused = harness_send(service, 503, &far);
    assert_string_equal(harness_string(refused, "/code"), "overloaded");
    harness_free(refused);
    atomic_store(&fake_engine.expansions_held, false);
    for (int i = 0; i < 4; i++) {
        harness_wait(held[i]);
        assert_int_equal(held[i]->call.reply.status, 200);
        harness_free(held[i]);
    }
}

static void closing_with_expansions(void **state)
{
    (void)state;
    atomic_store(&fake_engine.expansions_held, true);
    const struct request far = plan_of("{\"queries\":[" FAR "]}");
    struct exchange *held = harness_start(service, &far);
    test_pause_ms(20);
    service_close(service);
    harness_wait(held);
    assert_int_equal(held->call.reply.status, 503);
    assert_string_equal(harness_string(held, "/code"), "draining");
    harness_free(held);
    service = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_samples_asked_for),     TEST(expanded_results_say_so),
        TEST(expansions_hold_nobody_up), TEST(failures),
        TEST(closing_with_expansions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

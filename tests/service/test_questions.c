/* Goal: what a roadmap is asked besides plans is read strictly, answered in order and in the wire's
 * words, and a growth is a build of more. Method: calls in-process over a fake engine, faults and
 * leaving clients among them. Oracle: the contract, section "Roadmaps". */
#include "fake_engine.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct service *service;

static int setup(void **state)
{
    (void)state;
    fake_engine_reset();
    service = harness_open(NULL);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w",
           .body = "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[9,9]},\"obstacles\":["
                   "{\"id\":\"box\",\"type\":\"circle\",\"center\":[1,1],\"radius\":1}]}");
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "p", .body = "{\"type\":\"point\"}");
    EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = "m", .wait_s = 10,
           .body = "{\"world\":\"w\",\"robot\":\"p\",\"samples\":{\"count\":50}}");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    harness_until_idle(service);
    service_close(service);
    return fake_engine_alive() == 0 ? 0 : -1;
}

static void items_are_judged_in_order(void **state)
{
    (void)state;
    struct exchange *got =
        SEND(service, 200, .route = ROUTE_ROADMAP_VALIDATE, .name = "m",
             .body = "{\"states\":[[1,1],{\"y\":2,\"x\":-3}],\"edges\":[[0,0],[0,1]],"
                     "\"paths\":[[[4,1],[3,1],[2,1]],[[1,1],[2,2],[-1,2],[-5,2]],[[6,6]]]}");
    assert_string_equal(harness_string(got, "/coordinates/1"), "y");
    assert_true(harness_number(got, "/states/0/clearance") == 1);
    assert_true(harness_number(got, "/states/1/clearance") == -3);
    assert_string_equal(harness_string(got, "/states/1/reason/kind"), "world_collision");
    assert_string_equal(harness_string(got, "/states/1/reason/obstacle"), "box");
    assert_string_equal(harness_string(got, "/states/1/reason/at"), "");
    assert_true(harness_number(got, "/edges/0/clearance") == 1);
    assert_string_equal(harness_string(got, "/edges/1/reason/at"), "edge");
    assert_true(harness_number(got, "/edges/1/fraction") == 1);
    // a good path's least clearance, a bad one's first bad segment
    assert_true(harness_number(got, "/paths/0/clearance") == 2);
    assert_true(isnan(harness_number(got, "/paths/0/segment")));
    assert_true(harness_number(got, "/paths/1/segment") == 1);
    assert_true(harness_number(got, "/paths/1/clearance") == -1);
    assert_true(harness_number(got, "/paths/2/clearance") == 6);
    assert_non_null(document_at(document_root(got->document), "/paths/2"));
    harness_free(got);

    // nothing is asked, nothing answered
    struct exchange *none =
        SEND(service, 200, .route = ROUTE_ROADMAP_VALIDATE, .name = "m", .body = "{}");
    assert_true(document_length(document_at(document_root(none->document), "/states")) == 0);
    harness_free(none);
}

static void milestones_are_listed(void **state)
{
    (void)state;
    struct exchange *got = SEND(service, 200, .route = ROUTE_ROADMAP_NEAREST, .name = "m",
                                .body = "{\"states\":[[1,1],[7,1]],\"k\":60}");
    const struct document_value *root = document_root(got->document);
    // all 50, each where it is
    assert_true(document_length(document_at(root, "/neighbors/1")) == 50);
    assert_true(harness_number(got, "/neighbors/1/3/id") == 3);
    assert_true(harness_number(got, "/neighbors/1/3/distance") == 10);
    assert_true(harness_number(got, "/neighbors/1/3/state/0") == 3);
    harness_free(got);
    struct exchange *one = SEND(service, 200, .route = ROUTE_ROADMAP_NEAREST, .name = "m",
                                .body = "{\"states\":[[1,1]]}");
    assert_true(document_length(document_at(document_root(one->document), "/neighbors/0")) == 1);
    harness_free(one);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        enum route_id route;
        int status;
        const char *body, *code, *pointer;
    } rows[] = {
        {ROUTE_ROADMAP_VALIDATE, 400, "{", "malformed", NULL},
        {ROUTE_ROADMAP_VALIDATE, 422, "[]", "invalid_argument", ""},
        {ROUTE_ROADMAP_VALIDATE, 422, "{\"state\":[]}", "unknown_member", "/state"},
        {ROUTE_ROADMAP_VALIDATE, 422, "{\"states\":{}}", "invalid_argument", "/states"},
        {ROUTE_ROADMAP_VALIDATE, 422, "{\"states\":[[1]]}", "invalid_argument", "/states/0"},
        {ROUTE_ROADMAP_VALIDATE, 422, "{\"states\":[[1,1],[1,\"a\"]]}", "invalid_argument",
         "/states/1/1"},
        {ROUTE_ROADMAP_VALIDATE, 422, "{\"states\":[{\"x\":1}]}", "invalid_argument",
         "/states/0/y"},
        {ROUTE_ROADMAP_VALIDATE, 422, "{\"states\":[{\"x\":1,\"y\":1,\"z\":1}]}", "unknown_member",
         "/states/0/z"},
        {ROUTE_ROADMAP_VALIDATE, 422, "{\"states\":[[1,1]],\"edges\":[[0,1]]}", "invalid_argument",
         "/edges/0/1"},
        {ROUTE_ROADMAP_VALIDATE, 422, "{\"states\":[[1,1]],\"edges\":[[0]]}", "invalid_argument",
         "/edges/0"},
        {ROUTE_ROADMAP_VALIDATE, 422, "{\"edges\":[[0,0]]}", "invalid_argument", "/edges/0/0"},
        {ROUTE_ROADMAP_VALIDATE, 422, "{\"paths\":[[[1,1]],[]]}", "invalid_argument", "/paths/1"},
        {ROUTE_ROADMAP_VALIDATE, 422, "{\"paths\":[[[1,1],[1]]]}", "invalid_argument",
         "/paths/0/1"},
        {ROUTE_ROADMAP_NEAREST, 422, "{}", "invalid_argument", "/states"},
        {ROUTE_ROADMAP_NEAREST, 422, "{\"states\":[],\"k\":0}", "invalid_argument", "/k"},
        {ROUTE_ROADMAP_NEAREST, 422, "{\"states\":[],\"k\":129}", "limit_exceeded", "/k"},
        {ROUTE_ROADMAP_NEAREST, 422, "{\"states\":[[1,1e30]]}", "invalid_argument", "/states/0"},
        {ROUTE_ROADMAP_GROW, 422, "{}", "invalid_argument", "/count"},
        {ROUTE_ROADMAP_GROW, 422, "{\"count\":0}", "invalid_argument", "/count"},
        {ROUTE_ROADMAP_GROW, 422, "{\"count\":1999999}", "limit_exceeded", NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct exchange *refused = SEND(service, rows[i].status, .route = rows[i].route,
                                        .name = "m", .body = rows[i].body);
        assert_string_equal(harness_string(refused, "/code"), rows[i].code);
        if (rows[i].pointer)
            assert_string_equal(harness_string(refused, "/pointer"), rows[i].pointer);
        harness_free(refused);
    }
    const enum route_id routes[] = {ROUTE_ROADMAP_VALIDATE, ROUTE_ROADMAP_NEAREST,
                                    ROUTE_ROADMAP_GRAPH, ROUTE_ROADMAP_GROW};
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
        EXPECT(service, 404, .route = routes[i], .name = "nowhere", .body = "{\"count\":1}");
    EXPECT(service, 422, .route = ROUTE_ROADMAP_GRAPH, .name = "m",
           .parameters = {"format", "xml"});
}

static void limits_hold(void **state)
{
    (void)state;
    struct limits limits = limits_default();
    limits.states = 3;
    struct service *small = harness_open(&limits);
    EXPECT(small, 201, .route = ROUTE_WORLD_PUT, .name = "w",
           .body = "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[9,9]},\"obstacles\":[]}");
    EXPECT(small, 201, .route = ROUTE_ROBOT_PUT, .name = "p", .body = "{\"type\":\"point\"}");
    EXPECT(small, 201, .route = ROUTE_ROADMAP_PUT, .name = "m", .wait_s = 10,
           .body = "{\"world\":\"w\",\"robot\":\"p\",\"samples\":{\"count\":50}}");
    static const char *const over[] = {
        "{\"states\":[[1,1],[1,1],[1,1],[1,1]]}",
        "{\"states\":[[1,1],[1,1]],\"paths\":[[[1,1],[1,1]]]}",
        "{\"states\":[[1,1]],\"edges\":[[0,0],[0,0],[0,0],[0,0]]}",
    };
    for (size_t i = 0; i < sizeof(over) / sizeof(over[0]); i++) {
        struct exchange *refused =
            SEND(small, 422, .route = ROUTE_ROADMAP_VALIDATE, .name = "m", .body = over[i]);
        assert_string_equal(harness_string(refused, "/code"), "limit_exceeded");
        assert_string_equal(harness_string(refused, "/flag"), "--max-states");
        harness_free(refused);
    }
    EXPECT(small, 200, .route = ROUTE_ROADMAP_VALIDATE, .name = "m",
           .body = "{\"states\":[[1,1],[1,1]],\"paths\":[[[1,1]]]}");
    service_close(small);
}

static void graphs_have_three_forms(void **state)
{
    (void)state;
    struct exchange *json = SEND(service, 200, .route = ROUTE_ROADMAP_GRAPH, .name = "m");
    assert_true(document_length(document_at(document_root(json->document), "/states")) == 50);
    assert_true(document_length(document_at(document_root(json->document), "/components")) == 50);
    harness_free(json);
    struct exchange *graphml = SEND(service, 200, .route = ROUTE_ROADMAP_GRAPH, .name = "m",
                                    .parameters = {"format", "graphml"});
    assert_string_equal(graphml->call.reply.content_type, "application/graphml+xml");
    assert_int_equal(strncmp(graphml->call.reply.body.data, "<?xml", 5), 0);
    harness_free(graphml);
    struct exchange *npz = SEND(service, 200, .route = ROUTE_ROADMAP_GRAPH, .name = "m",
                                .parameters = {"format", "npz"});
    assert_string_equal(npz->call.reply.content_type, "application/x-npz");
    harness_free(npz);
}

static void growth_adds_to_what_is_there(void **state)
{
    (void)state;
    struct exchange *grown = SEND(service, 200, .route = ROUTE_ROADMAP_GROW, .name = "m",
                                  .body = "{\"count\":25}", .wait_s = 10);
    assert_true(harness_number(grown, "/samples/count") == 75);
    const double revision = harness_number(grown, "/revision");
    harness_free(grown);
    // and to what is on its way
    atomic_store(&fake_engine.step_us, 20000);
    EXPECT(service, 202, .route = ROUTE_ROADMAP_GROW, .name = "m", .body = "{\"count\":5}");
    struct exchange *twice = SEND(service, 200, .route = ROUTE_ROADMAP_GROW, .name = "m",
                                  .body = "{\"count\":5}", .wait_s = 10);
    atomic_store(&fake_engine.step_us, 0);
    assert_true(harness_number(twice, "/samples/count") == 85);
    assert_true(harness_number(twice, "/revision") > revision);
    harness_free(twice);
    EXPECT(service, 412, .route = ROUTE_ROADMAP_GROW, .name = "m", .body = "{\"count\":5}",
           .if_match = "\"older\"");
}

static void faults_and_clients_that_leave(void **state)
{
    (void)state;
    static const char BODY[] = "{\"states\":[[1,1]]}";
    atomic_store(&fake_engine.compute_status, PRM_DEVICE_MEMORY);
    EXPECT(service, 507, .route = ROUTE_ROADMAP_VALIDATE, .name = "m", .body = BODY);
    EXPECT(service, 507, .route = ROUTE_ROADMAP_NEAREST, .name = "m", .body = BODY);
    atomic_store(&fake_engine.compute_status, PRM_OK);

    // one that left is dropped, and a roadmap may go while it is asked
    atomic_store(&fake_engine.plans_held, true);
    struct exchange *first = harness_start(
        service, &(struct request){.route = ROUTE_ROADMAP_VALIDATE, .name = "m", .body = BODY});
    struct exchange *second = harness_start(
        service, &(struct request){.route = ROUTE_ROADMAP_NEAREST, .name = "m", .body = BODY});
    atomic_store(&second->call.abandoned, true);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    atomic_store(&fake_engine.plans_held, false);
    harness_wait(first);
    harness_wait(second);
    assert_int_equal(first->call.reply.status, 200);
    assert_int_equal(second->call.reply.status, 409);
    harness_free(first);
    harness_free(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(items_are_judged_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(milestones_are_listed, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(limits_hold, setup, teardown),
        cmocka_unit_test_setup_teardown(graphs_have_three_forms, setup, teardown),
        cmocka_unit_test_setup_teardown(growth_adds_to_what_is_there, setup, teardown),
        cmocka_unit_test_setup_teardown(faults_and_clients_that_leave, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

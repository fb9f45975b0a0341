/* Goal: requests of /v1/compute find their operation, are read by what their bodies are, wait in a
 * bounded queue, take as many steps as they need, and leave nothing behind however they end.
 * Method: calls over a fake engine. Oracle: statuses and codes of the contract; what lives. */
#include "fake_engine.h"
#include "harness.h"

#include "schema/clock.h"
#include "support/pause.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct service *service;

static int setup(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    limits.queued_requests = 2;
    fake_engine_reset();
    service = harness_open(&limits);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    service_close(service);
    assert_int_equal(fake_engine_alive(), 0);
    return 0;
}

#define COMPUTE(...) .route = ROUTE_COMPUTE, __VA_ARGS__
static const char SCAN[] = "{\"values\":[1,2]}";

static void expect_code(int status, const char *code, const struct request *request)
{
    struct exchange *refused = harness_send(service, status, request);
    assert_string_equal(harness_string(refused, "/code"), code);
    harness_free(refused);
}

static void operations_and_bodies(void **state)
{
    (void)state;
    EXPECT(service, 200, COMPUTE(.name = "scan", .body = SCAN));
    EXPECT(service, 200, COMPUTE(.name = "scan", .body = SCAN, .content_type = "application/json"));
    EXPECT(service, 200,
           COMPUTE(.name = "scan", .body = SCAN, .parameters = {"exclusive", "false"}));
    expect_code(404, "unknown_route",
                &(const struct request){COMPUTE(.name = "skan", .body = SCAN)});
    expect_code(422, "unknown_member",
                &(const struct request){
                    COMPUTE(.name = "scan", .body = SCAN, .parameters = {"wrong", "1"})});
    expect_code(400, "malformed", &(const struct request){COMPUTE(.name = "scan", .body = "{")});
    expect_code(400, "malformed", &(const struct request){COMPUTE(.name = "scan")});
    expect_code(415, "unsupported_media_type",
                &(const struct request){COMPUTE(.name = "scan", .body = SCAN,
                                                .content_type = "application/octet-stream")});

    // what begins as a file of numpy's is read as one unless it claims to be JSON
    static const char NPY[] = "\x93NUMPY\x01\x00v\x00{'descr': '<u4', 'fortran_order': False, "
                              "'shape': (1,), }";
    char file[132];
    memset(file, ' ', sizeof(file));
    memcpy(file, NPY, sizeof(NPY) - 1);
    file[127] = '\n';
    static const char *const types[] = {NULL, "application/octet-stream", "application/x-npy"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        EXPECT(service, 200,
               COMPUTE(.name = "scan", .body = file, .body_bytes = sizeof(file),
                       .content_type = types[i]));
    expect_code(
        400, "malformed",
        &(const struct request){COMPUTE(.name = "scan", .body = file, .body_bytes = sizeof(file),
                                        .content_type = "application/json")});
}

static void answers_and_faults(void **state)
{
    (void)state;
    atomic_store(&fake_engine.compute_steps, 3);
    struct exchange *done = SEND(service, 200, COMPUTE(.name = "scan", .body = SCAN));
    assert_int_equal(harness_number(done, "/steps"), 3);
    assert_string_equal(harness_string(done, "/device"), "fake device");
    assert_true(harness_number(done, "/timing_ms/total") >= harness_number(done, "/timing_ms/run"));
    harness_free(done);

    struct exchange *packed =
        SEND(service, 200, COMPUTE(.name = "scan", .body = SCAN, .takes_npz = true));
    assert_string_equal(packed->call.reply.content_type, "application/x-npz");
    assert_memory_equal(packed->call.reply.body.data, "PK", 2);
    harness_free(packed);

    static const struct {
        enum prm_status fault;
        int status;
        const char *code, *pointer;
    } rows[] = {{PRM_INVALID_ARGUMENT, 422, "invalid_argument", "/next"},
                {PRM_UNSUPPORTED, 422, "unsupported", ""},
                {PRM_LIMIT_EXCEEDED, 422, "limit_exceeded", "/next"},
                {PRM_DEVICE_MEMORY, 507, "device_memory", ""},
                {PRM_DEVICE_FAILED, 500, "internal", ""}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        atomic_store(&fake_engine.compute_status, rows[i].fault);
        struct exchange *refused =
            SEND(service, rows[i].status, COMPUTE(.name = "rank", .body = "{\"next\":[0]}"));
        assert_string_equal(harness_string(refused, "/code"), rows[i].code);
        assert_string_equal(harness_string(refused, "/pointer"), rows[i].pointer);
        harness_free(refused);
    }
    fake_engine_reset();
    assert_int_equal(fake_engine_alive(), 0);
}

/* A body beyond what a caller parses. */
static void long_bodies(void **state)
{
    (void)state;
    enum { NUMBERS = 50000 };
    char *body = malloc(2 * NUMBERS + 20);
    size_t length = (size_t)sprintf(body, "{\"values\":[1");
    for (int i = 1; i < NUMBERS; i++)
        length += (size_t)sprintf(body + length, ",1");
    sprintf(body + length, "]}");
    EXPECT(service, 200, COMPUTE(.name = "scan", .body = body));
    body[length] = ' ';
    expect_code(400, "malformed", &(const struct request){COMPUTE(.name = "scan", .body = body)});
    free(body);
}

static void until_steps(unsigned steps)
{
    const double until = clock_steady() + 10;
    while (atomic_load(&fake_engine.steps_run) < steps && clock_steady() < until)
        test_pause_ms(1);
    assert_true(atomic_load(&fake_engine.steps_run) >= steps);
}

static void the_queue_is_bounded(void **state)
{
    (void)state;
    const struct request request = {COMPUTE(.name = "scan", .body = SCAN)};
    enum { SENT = 5, WAITING_MAX = 2 };
    struct exchange *held[SENT];
    unsigned answered = 0;
    atomic_store(&fake_engine.plans_held, true);
    for (unsigned i = 0; i < SENT; i++)
        held[i] = harness_start(service, &request);
    for (unsigned i = 0; i < SENT; i++)
        answered += harness_is_done(held[i]);
    atomic_store(&fake_engine.plans_held, false);

    // one may have been with the engine while others waited
    assert_in_range(answered, SENT - WAITING_MAX - 1, SENT - WAITING_MAX);
    for (unsigned i = 0; i < SENT; i++) {
        harness_wait(held[i]);
        const int status = held[i]->call.reply.status;
        assert_int_equal(held[i]->call.reply.retry_after_s > 0, status == 503);
        answered -= status == 503;
        assert_true(status == 503 || status == 200);
        harness_free(held[i]);
    }
    assert_int_equal(answered, 0);
}

static void clients_that_leave(void **state)
{
    (void)state;
    atomic_store(&fake_engine.compute_steps, 1 << 30);
    atomic_store(&fake_engine.steps_run, 0);
    struct exchange *left =
        harness_start(service, &(const struct request){COMPUTE(.name = "scan", .body = SCAN)});
    until_steps(3);
    assert_false(harness_is_done(left));
    atomic_store(&left->call.abandoned, true);
    harness_wait(left);
    assert_int_equal(left->call.reply.status, 409);
    harness_free(left);
    harness_until_idle(service);
    assert_int_equal(fake_engine_alive(), 0);
    fake_engine_reset();
}

/* Closing ends what runs. */
static void a_close_in_between(void **state)
{
    (void)state;
    atomic_store(&fake_engine.compute_steps, 1 << 30);
    atomic_store(&fake_engine.steps_run, 0);
    struct exchange *running =
        harness_start(service, &(const struct request){COMPUTE(.name = "scan", .body = SCAN)});
    until_steps(2);
    service_drain(service);
    EXPECT(service, 503, COMPUTE(.name = "scan", .body = SCAN));
    service_close(service);
    service = NULL;
    harness_wait(running);
    assert_int_equal(running->call.reply.status, 503);
    harness_free(running);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_and_bodies), cmocka_unit_test(answers_and_faults),
        cmocka_unit_test(long_bodies),           cmocka_unit_test(the_queue_is_bounded),
        cmocka_unit_test(clients_that_leave),    cmocka_unit_test(a_close_in_between),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

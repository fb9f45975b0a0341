#include "harness.h"

#include "schema/clock.h"
#include "support/pause.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Until a service is ready all kernels may have to be compiled: minutes where nothing is cached. */
enum { WAIT_S = 30, READY_S = 300 };

struct service *harness_begin(const struct limits *limits, struct blobs *blobs)
{
    const char *device = getenv("PRMD_DEVICE"), *tuning = getenv("PRMD_TUNING");
    const struct service_options options = {.version = "test",
                                            .device = device,
                                            .tuning = tuning,
                                            .blobs = blobs,
                                            .limits = limits ? *limits : limits_default()};
    struct problem problem = {0};
    struct service *service = NULL;
    if (!service_open(&service, &options, &problem))
        fail_msg("the service does not open: %s", problem.faults[0].detail);
    return service;
}

void harness_until_ready(struct service *service)
{
    const double until = clock_steady() + READY_S;
    while (!service_ready(service) && clock_steady() < until)
        test_pause_ms(2);
    assert_true(service_ready(service));
}

struct service *harness_open_kept(const struct limits *limits, struct blobs *blobs)
{
    struct service *service = harness_begin(limits, blobs);
    harness_until_ready(service);
    return service;
}

struct service *harness_open(const struct limits *limits)
{
    return harness_open_kept(limits, NULL);
}

static void on_complete(struct call *call)
{
    struct exchange *exchange = call->transport;
    exchange->document = document_parse(call->reply.body.data ? call->reply.body.data : "",
                                        call->reply.body.length, NULL, 0);
    sem_post(&exchange->done);
}

struct exchange *harness_start(struct service *service, const struct request *request)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    struct call *call = &exchange->call;
    assert_non_null(exchange);
    sem_init(&exchange->done, 0, 0);
    call->route = request->route;
    call->segments[0] = request->name;
    call->segments[1] = request->obstacle;
    call->body = request->body;
    call->body_bytes =
        request->body_bytes || !request->body ? request->body_bytes : strlen(request->body);
    call->content_type = request->content_type;
    call->takes_npz = request->takes_npz;
    call->if_match = request->if_match;
    call->if_none_match = request->if_none_match;
    call->wait_s = request->wait_s > 0 ? request->wait_s : -1;
    for (unsigned i = 0; i + 1 < 8 && request->parameters[i]; i += 2)
        call->parameters[call->parameter_count++] =
            (struct call_parameter){request->parameters[i], request->parameters[i + 1]};
    snprintf(call->request_id, sizeof(call->request_id), "test");
    atomic_init(&call->abandoned, false);
    call->complete = on_complete;
    call->transport = exchange;
    service_call(service, call);
    return exchange;
}

void harness_wait(struct exchange *exchange)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_S;
    while (sem_timedwait(&exchange->done, &until) != 0)
        if (errno != EINTR)
            fail_msg("route %d: no answer in %d s", (int)exchange->call.route, WAIT_S);
}

bool harness_is_done(struct exchange *exchange)
{
    int value = 0;
    sem_getvalue(&exchange->done, &value);
    return value > 0;
}

void harness_free(struct exchange *exchange)
{
    document_destroy(exchange->document);
    text_deinit(&exchange->call.reply.body);
    sem_destroy(&exchange->done);
    free(exchange);
}

struct exchange *harness_send(struct service *service, int status, const struct request *request)
{
    struct exchange *exchange = harness_start(service, request);
    harness_wait(exchange);
    if (exchange->call.reply.status != status)
        fail_msg("route %d: status %d, not %d: %.*s", (int)request->route,
                 exchange->call.reply.status, status, (int)exchange->call.reply.body.length,
                 exchange->call.reply.body.data ? exchange->call.reply.body.data : "");
    return exchange;
}

void harness_expect(struct service *service, int status, const struct request *request)
{
    harness_free(harness_send(service, status, request));
}

double harness_number(const struct exchange *exchange, const char *pointer)
{
    return exchange->document ? document_number(document_root(exchange->document), pointer, NAN)
                              : NAN;
}

const char *harness_string(const struct exchange *exchange, const char *pointer)
{
    return exchange->document ? document_string(document_root(exchange->document), pointer, "")
                              : "";
}

void harness_until(struct service *service, const char *roadmap, const char *state)
{
    const double until = clock_steady() + WAIT_S;
    for (;;) {
        struct exchange *got = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = roadmap);
        const bool reached = strcmp(harness_string(got, "/state"), state) == 0;
        harness_free(got);
        if (reached)
            return;
        if (clock_steady() > until)
            fail_msg("roadmap %s is not %s in %d s", roadmap, state, WAIT_S);
        test_pause_ms(1);
    }
}

void harness_until_idle(struct service *service)
{
    const double until = clock_steady() + WAIT_S;
    while (service_in_flight(service) > 0 && clock_steady() < until)
        test_pause_ms(1);
    assert_int_equal(service_in_flight(service), 0);
}

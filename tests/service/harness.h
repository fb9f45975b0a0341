/* Driving the service in-process: a request is a call that is waited for, its answer a parsed
 * document. */
#ifndef TESTS_SERVICE_HARNESS_H
#define TESTS_SERVICE_HARNESS_H

#include "schema/document.h"
#include "service/service.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A service with short queues, warm. NULL limits: the defaults. */
struct service *harness_open(const struct limits *limits);

/* The same with what an earlier one has kept, or NULL, taken over; and the two halves of it. */
struct blobs;
struct service *harness_open_kept(const struct limits *limits, struct blobs *blobs);
struct service *harness_begin(const struct limits *limits, struct blobs *blobs);
void harness_until_ready(struct service *service);

/* A request; members that do not apply are NULL or 0. */
struct request {
    enum route_id route;
    const char *name, *obstacle;
    const char *body;
    size_t body_bytes; /* 0: of a text */
    const char *content_type;
    bool takes_npz;
    const char *parameters[8]; /* key, value, key, value …, NULL */
    const char *if_match, *if_none_match;
    double wait_s; /* Prefer: wait; 0: absent */
};

/* A call under way, and then its answer. */
struct exchange {
    struct call call;
    sem_t done;
    struct document *document; /* of the answer; NULL: it is no JSON */
};

/* Hands a request over. The exchange is on the heap; harness_wait() or harness_free() ends it. */
struct exchange *harness_start(struct service *service, const struct request *request);

/* Waits for the answer, at most ten seconds. */
void harness_wait(struct exchange *exchange);
void harness_free(struct exchange *exchange);

/* Whether it is answered already. */
bool harness_is_done(struct exchange *exchange);

/* Starts and waits; fails the test unless the status is the one expected. */
struct exchange *harness_send(struct service *service, int status, const struct request *request);

/* The same, of which only the status matters. */
void harness_expect(struct service *service, int status, const struct request *request);

/* Members of the answer at a JSON Pointer; absent: NaN and "". */
double harness_number(const struct exchange *exchange, const char *pointer);
const char *harness_string(const struct exchange *exchange, const char *pointer);

/* Waits until nothing is in flight: a call counts until its completion has returned. */
void harness_until_idle(struct service *service);

/* Waits until a roadmap's state is `state`, at most ten seconds. */
void harness_until(struct service *service, const char *roadmap, const char *state);

#define SEND(service, status, ...)                                                                 \
    harness_send((service), (status), &(const struct request){__VA_ARGS__})
#define EXPECT(service, status, ...)                                                               \
    harness_expect((service), (status), &(const struct request){__VA_ARGS__})

#endif

/* A service without an engine, for tests of the transport: it echoes, waits and counts.
 *
 * Routes: GET /v1 a small JSON object; /v1/devices about a megabyte of JSON; /v1/limits what the
 * call says of itself; PUT robot echoes the body on the same thread; POST plan echoes it from
 * another thread; PUT roadmap waits for its Prefer, for being abandoned or for the end; PUT world
 * answers with every header of a reply; GET job events is a stream of as many lines as the job's
 * name says, one each 20 ms. */
#ifndef TESTS_SERVER_FAKE_SERVICE_H
#define TESTS_SERVER_FAKE_SERVICE_H

#include "service/service.h"

/* Opens one that logs nothing and needs no options. */
struct service *fake_service_open(void);

/* Calls that came back because nobody would read their answer. */
unsigned fake_service_abandoned(struct service *service);

/* Streams that the transport has not closed, of all services. */
unsigned fake_service_streams(void);

/* Requests counted by service_count_request(), of one status; 0: of all. */
unsigned fake_service_counted(struct service *service, int status);

#endif

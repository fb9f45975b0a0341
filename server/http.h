/* HTTP over TCP: bytes to calls of the service and back. Its parts, which see
 * libmicrohttpd: exchange.h.
 *
 * A pool of threads moves bytes and never waits. A complete request is routed, its connection
 * suspended, and the call handed to the service; whichever thread completes it wakes the
 * connection, and an HTTP thread sends the answer. What the service is not needed for (unknown
 * paths, OPTIONS, bodies too large) is answered at once.
 *
 * To stop: http_quiet(), so that no call enters the service any more; close the service, which
 * completes the calls that it has; http_close().
 *
 * Threads: http_open, http_quiet and http_close from one; the rest happens on threads of its own.
 */
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include "schema/limits.h"
#include "server/access.h"
#include "server/log.h"
#include "service/service.h"

struct http;

struct http_options {
    int listener; /* a listening socket, taken over */
    unsigned threads;
    unsigned idle_timeout_s;    /* of a connection on which nothing moves */
    unsigned receive_timeout_s; /* for a head, and for a body besides 1000 bytes/s; 0: none */
    unsigned request_timeout_s; /* for the service to answer; 0: as long as it takes */
    struct limits limits;
    struct access access;    /* what it names is borrowed */
    bool with_tls;           /* by the certificate of tls_open() */
    struct service *service; /* borrowed until http_quiet() */
    struct log *log;         /* borrowed */
};

/* Starts to serve. NULL: it could not start; the listener is closed. */
struct http *http_open(const struct http_options *options);

/* From now on each answer closes its connection. */
void http_drain(struct http *http);

/* Answers on their way to clients, streams aside. */
unsigned http_sending(const struct http *http);

/* Waits until no thread is inside the service and keeps all out: from now on requests get 503
 * `draining`. */
void http_quiet(struct http *http);

/* After http_quiet() and with no call left in the service: lets answers leave for a moment, then
 * closes all connections. NULL is accepted. */
void http_close(struct http *http);

#endif

/* One request on its way through the service, free of any transport.
 *
 * The server fills the first part, hands the call to a use case and gets it back by `complete`,
 * exactly once, on whatever thread finished it; it may be before the use case returns. Until then
 * the call belongs to the service; afterwards to the server, which frees the reply.
 */
#ifndef SERVICE_CALL_H
#define SERVICE_CALL_H

#include "schema/problem.h"
#include "schema/route.h"
#include "schema/text.h"

#include <stdatomic.h>
#include <stddef.h>

struct service;

enum { CALL_SEGMENTS_MAX = 2, CALL_PARAMETERS_MAX = 64 };

struct call_parameter {
    const char *key, *value;
};

/* An answer that comes while what it tells of happens.
 *
 * The transport reads it on one thread at a time and closes it, whoever is gone. Where nothing is
 * there the stream sends the transport to sleep and wakes it once there is, on any thread; both
 * under a lock of the stream's own, so that no wake is lost. Neither may call back. The call and
 * its mark of being abandoned stay until the close. */
struct reply_stream {
    /* set by the transport before it reads */
    void (*sleep)(void *transport);
    void (*wake)(void *transport);
    void *transport;

    /* the service's */
    /* Copies what is there; 0: it is over where *ended, else the transport has been sent to sleep.
     */
    size_t (*read)(struct reply_stream *stream, char *out, size_t room, bool *ended);
    void (*close)(struct reply_stream *stream); /* it is not used any more */
};

/* After so many seconds a refused client may try again. */
enum { RETRY_OVERLOADED_S = 1, RETRY_LOADING_S = 1, RETRY_DRAINING_S = 5 };

/* A header of an answer's own. */
enum { REPLY_HEADERS_MAX = 6, ETAG_BYTES = 96 };
struct reply_header {
    const char *name; /* static text */
    char value[192];
};

/* An answer ready to be sent. */
struct reply {
    int status;
    const char *content_type; /* static text */
    struct text body;
    struct reply_stream *stream; /* comes in place of the body; NULL: none */
    char etag[ETAG_BYTES];       /* with quotes, or empty */
    char location[160];          /* path, or empty */
    char allow[64];
    char preference_applied[32];
    unsigned retry_after_s; /* 0: none */
    struct reply_header headers[REPLY_HEADERS_MAX];
    unsigned header_count;
};

struct call {
    /* what came in; borrowed by the service until complete() */
    enum route_id route;
    const char *segments[CALL_SEGMENTS_MAX]; /* values of the {x} of the pattern, decoded; NULL past
                                                the last */
    struct call_parameter parameters[CALL_PARAMETERS_MAX]; /* of the query string, decoded */
    unsigned parameter_count;
    const char *body;
    size_t body_bytes;
    const char *if_match, *if_none_match; /* header values, or NULL */
    const char *content_type;             /* likewise */
    const char *last_event_id;            /* likewise */
    bool takes_npz;                       /* Accept names application/x-npz */
    double wait_s;                        /* Prefer: wait, within the limit; negative: absent */
    char request_id[65];

    /* set by the transport when nobody will read the answer any more */
    atomic_bool abandoned;

    /* what goes out */
    struct problem problem;
    struct reply reply;

    /* how it goes back */
    void (*complete)(struct call *call);
    void *transport; /* the server's own */

    /* the service's own, set by service_call() */
    struct service *service;
    double received_s; /* monotonic clock when the call was handed over */
};

/* The value of a URL parameter, or NULL. */
const char *call_parameter(const struct call *call, const char *key);

/* Completes with the faults gathered in call->problem. */
void call_fail(struct call *call);

/* Completes with a body already written to call->reply.body, or with call->reply.stream. */
void call_succeed(struct call *call, int status, const char *content_type);

#endif

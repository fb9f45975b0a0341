/* A request as HTTP understands it, free of the library that moved the bytes: the head is judged
 * and turned into a call, the body gathered, and what cannot go on gets its answer here.
 *
 * A refused request still reads over its body, so that the next one on the connection is found;
 * where that would be long, unsafe, or not wanted by the client (Expect), the connection has to be
 * closed instead.
 *
 * Threads: a request belongs to one thread at a time.
 */
#ifndef SERVER_REQUEST_H
#define SERVER_REQUEST_H

#include "schema/limits.h"
#include "server/access.h"
#include "server/body.h"
#include "server/router.h"
#include "service/call.h"

/* The headers that matter; NULL: not sent. They outlive the request. */
struct request_head {
    const char *method, *content_type, *content_encoding, *accept, *accept_encoding, *prefer;
    const char *if_match, *if_none_match, *request_id, *expect, *transfer_encoding, *content_length;
    const char *last_event_id;
    const char *authorization, *origin, *host,
        *preflight_method; /* Access-Control-Request-Method */
    bool lengths_differ;   /* Content-Length was sent twice, with two values */
    bool is_cut;           /* there was no memory for a header of several lines */
};

/* Of the headers whose value is a list. */
enum { REQUEST_LISTS = 7 };

struct request {
    struct call call;
    struct router_match match;
    struct body body;
    char *target;                /* owned; the call's texts lie in it */
    char *lists[REQUEST_LISTS];  /* owned; headers that came in several lines; NULL: in one */
    const char *method;          /* static text, a label: one of the usual methods, or "other" */
    uint64_t skipped;            /* bytes of the body read over */
    const struct limits *limits; /* borrowed */
    const struct access *access; /* borrowed */
    const char *allowed_origin;  /* of CORS, in the head; NULL: none */
    char challenge[sizeof(((struct access_decision *)0)->challenge)]; /* or empty */
    char client[TOKEN_COMMENT_MAX]; /* who asked, for the log; or empty */
    bool is_preflight;              /* a browser's question whether a page may ask */
    bool is_head;                   /* the answer goes without its body */
    bool takes_gzip;                /* the client understands it */
    bool answered; /* call.reply is the answer: nothing is left to do but to read over the body */
    bool closes;   /* answer at once and close */
};

/* Puts a line of the head where the request looks for it. The lines of a list are one, joined by
 * commas (RFC 9110, 5.3); of other headers the first counts. The value is borrowed. */
void request_take_header(struct request *request, struct request_head *head, const char *name,
                         const char *value);

/* A request for "/path?query", which is copied. False: out of memory. */
bool request_init(struct request *request, const char *target);
void request_deinit(struct request *request);

/* Judges the head; `limits` and `access` outlive the request. `number` is the request's own, for an
 * id where the client sent none. */
void request_begin(struct request *request, const struct request_head *head,
                   const struct limits *limits, const struct access *access, struct budget *budget,
                   uint64_t number);

/* Takes a piece of the body, of any size; false: it goes on for so long that only hanging up helps.
 */
bool request_take(struct request *request, const char *data, size_t bytes);

/* After the last piece: the call is complete, or the request answered. */
void request_end(struct request *request);

/* Makes a problem the answer; the fault, for more detail before it is written, is the problem's
 * first. */
void request_refuse(struct request *request, enum problem_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

/* A small client of prmd: one connection, requests one after another, answers taken apart.
 *
 * The only user of libcurl. The connection is kept between requests; gzip is undone; a proxy is
 * never asked for a loopback server. Problem documents (RFC 9457) become readable text.
 *
 * Threads: a client belongs to one thread at a time.
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "schema/document.h"

#include <stdbool.h>
#include <stddef.h>

#define CLIENT_SERVER_DEFAULT "http://127.0.0.1:7767"

/* How a request ended, seen from the caller. */
enum client_outcome {
    CLIENT_DONE,    /* 2xx */
    CLIENT_REFUSED, /* 4xx: the request is at fault */
    CLIENT_FAILED,  /* 5xx, anything unexpected, or no answer at all */
};

struct client_options {
    const char *server;       /* NULL: PRM_SERVER, else CLIENT_SERVER_DEFAULT */
    const char *token;        /* bearer token; NULL: PRM_TOKEN, else none */
    double connect_timeout_s; /* 0: 5 s */
    double timeout_s;         /* of a whole request; 0: 600 s */
};

/* One request. Members that do not apply are NULL, empty or 0. */
struct client_request {
    const char *method;
    const char *path; /* with its query string, beginning with / */
    const char *body;
    size_t body_bytes;
    const char *content_type;  /* NULL: application/json */
    const char *accept;        /* media type of the answer; NULL: application/json */
    const char *prefer;        /* value of the Prefer header */
    const char *last_event_id; /* value of the Last-Event-ID header */
    /* Takes the body of a 2xx as it comes, however long that takes while something does come at
     * all; the reply then has none. NULL: the reply has it. */
    void (*take)(void *context, const char *data, size_t bytes);
    void *context;
};

struct client_reply {
    enum client_outcome outcome;
    int status; /* HTTP; 0: there was no answer */
    char *body; /* owned, terminated; NULL: none */
    size_t bytes;
    struct document *document; /* the body where it is JSON, owned; else NULL */
    char *error;               /* where not done: what is wrong, lines of text, owned */
};

struct client;

/* PRM_CA_FILE names a file of certificates (PEM) to trust in place of the system's. NULL where
 * memory is out, the URL is too long, or the token cannot stand in a header. */
struct client *client_create(const struct client_options *options);
void client_destroy(struct client *client);

/* The server's URL without a final slash. */
const char *client_server(const struct client *client);

/* Sends and waits. `reply` is overwritten and must be deinitialised by the caller whatever the
 * outcome. */
enum client_outcome client_send(struct client *client, const struct client_request *request,
                                struct client_reply *reply);
void client_reply_deinit(struct client_reply *reply);

/* The root of the reply's document, or NULL. */
const struct document_value *client_reply_root(const struct client_reply *reply);

/* Appends a problem document as lines of text: title, each fault with its place and the flag that
 * would raise a limit, the request id. */
void client_problem_print(const struct document_value *problem, int status, struct text *out);

/* Appends one path segment or query value, percent-encoded (RFC 3986). */
void client_url_append(struct text *url, const char *segment);

#endif

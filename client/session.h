/* What every command works with: the server, where to print, and the ways a command ends. */
#ifndef CLIENT_SESSION_H
#define CLIENT_SESSION_H

#include "client/arguments.h"
#include "client/client.h"

#include <stdio.h>

/* Exit codes of `prm`. */
enum exit_code {
    EXIT_SOLVED = 0,       /* done; every query is solved */
    EXIT_QUERY_FAILED = 1, /* an answer came, but some query has no path */
    EXIT_USAGE = 2,        /* the command line or a local file is wrong */
    EXIT_SERVER = 3,       /* no answer, or the server failed */
    EXIT_REFUSED = 4,      /* the server says the request is wrong, or the build failed */
};

struct session {
    struct client *client;
    bool json; /* print raw answers */
    FILE *out, *err;
};

/* Prints `prm: …` and returns EXIT_USAGE. */
enum exit_code session_usage(const struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sends; where the answer is not 2xx prints why and returns EXIT_SERVER or EXIT_REFUSED. The caller
 * deinitialises `reply` whatever comes back. */
enum exit_code session_send(const struct session *session, const struct client_request *request,
                            struct client_reply *reply);

/* The same for `METHOD /v1/COLLECTION/NAME…SUFFIX` without a body. NAME NULL: the collection
 * itself; COLLECTION "": /v1. */
enum exit_code session_call(const struct session *session, const char *method,
                            const char *collection, const char *name, const char *suffix,
                            struct client_reply *reply);

/* Appends the parameters that --set NAME=VALUE options give, the first behind `separator` (? or &),
 * and terminates the URL. */
enum exit_code session_end_url(const struct session *session, const struct arguments *arguments,
                               struct text *url, char separator);

/* Prints a raw answer with a final newline. */
void session_print_raw(const struct session *session, const struct client_reply *reply);

/* Reads a whole file, "-" for standard input; or writes one. EXIT_USAGE with a message where it
 * fails. */
enum exit_code session_read_file(const struct session *session, const char *path,
                                 struct text *content);
enum exit_code session_write_file(const struct session *session, const char *path, const char *data,
                                  size_t bytes);

/* Reads a file and parses it as JSON. */
enum exit_code session_read_json(const struct session *session, const char *path,
                                 struct document **document);

/* Whether a file's name ends so, in any case: ".map". */
bool name_ends_with(const char *name, const char *ending);

#endif

/* A tiny HTTP server for tests of the client: answers each request from a script, on a thread of
 * its own. */
#ifndef FAKE_SERVER_H
#define FAKE_SERVER_H

#include <pthread.h>

enum { FAKE_REQUEST_MAX = 65536 };

/* One answer; a request that no line matches gets 404 without a body. The first matching line with
 * uses left answers: `uses` 0 is without end. */
struct fake_answer {
    const char *request; /* "GET /v1/worlds", compared with the request's first words exactly */
    long status;
    const char *type, *body;
    unsigned long uses;
};

struct fake_server {
    int listener;
    unsigned short port;
    char url[64];
    pthread_t thread;
    pthread_mutex_t lock;
    struct fake_answer *answers; /* the test's, ended by a NULL request */
    unsigned connections, requests;
    char last[FAKE_REQUEST_MAX]; /* the last request, head and body */
};

/* Listens on a free loopback port. The answers must outlive the server; their `uses` are counted
 * down. */
void fake_server_start(struct fake_server *server, struct fake_answer *answers);
void fake_server_stop(struct fake_server *server);

#endif

/* Requests of many HTTP connections at once, by one thread: plain sockets and epoll, so that what
 * is measured is the server. Each connection has at most one request under way. */
#ifndef BENCH_LOAD_CLIENT_H
#define BENCH_LOAD_CLIENT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct load_request {
    const char *bytes; /* head and body */
    size_t count;
};

struct load_options {
    struct sockaddr_in server;
    const struct load_request *requests; /* [request_count], sent in turn */
    size_t request_count;
    unsigned connections;
    uint64_t total; /* requests to send; 0: until the time is over */
    double seconds; /* 0: until all are sent */
    double rate;    /* requests a second, on time whether or not the server keeps up; 0: each
                       connection sends the next when it has its answer */
    bool close;     /* a connection a request */
};

enum { LOAD_STATUS_MAX = 600 };

struct load_outcome {
    float *latencies_ms; /* [count], of the answers of status 200; owned. With a rate: from the
                            moment that the request was due */
    size_t count;
    uint64_t statuses[LOAD_STATUS_MAX]; /* answers by status */
    uint64_t unsolved;                  /* of those 200 the ones that say not all were solved */
    uint64_t broken;                    /* connections that ended without an answer */
    uint64_t bytes;                     /* received */
    double seconds;
    double server_ms; /* of all answers that tell it (Server-Timing), from the queue to results */
};

/* Sends and measures; false: a message was printed. */
bool load_run(struct load_outcome *outcome, const struct load_options *options);
void load_outcome_deinit(struct load_outcome *outcome);

#endif

/* From the moment the daemon serves until it may go: signals, and what a service manager is told.
 *
 * SIGHUP reads tokens and certificate and opens the log's file anew; what is wrong with them is
 * logged, and the old ones stay. SIGTERM and SIGINT drain: /readyz fails, what was accepted is
 * finished and its answers leave, the rest is refused with Retry-After; a second one, or the end of
 * --drain-timeout-s, cuts that short. Told to systemd (sd_notify): READY when requests can be
 * answered, RELOADING, STOPPING, and why it is not ready yet.
 *
 * Threads: the one that started all others, with the signals blocked in all of them.
 */
#ifndef SERVER_LIFE_H
#define SERVER_LIFE_H

#include "server/config.h"
#include "server/http.h"

#include <signal.h>

/* What lives; all borrowed. */
struct life {
    const struct config *config;
    struct log *log;
    struct service *service;
    struct http *http;
    struct http *metrics;  /* NULL: no listener of its own */
    struct tokens *tokens; /* NULL: none */
};

/* The signals that life_serve() waits for. */
sigset_t life_signals(void);

/* Serves until it is told to end and all is finished. */
void life_serve(const struct life *life);

/* Has the log write to the file at `path`, which is made where it is missing. False: errno. */
bool life_open_log(struct log *log, const char *path);

#endif

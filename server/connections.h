/* Ends connections that take too long: slow clients, half-open ones, those that never read.
 *
 * libmicrohttpd's own time-out begins anew with every byte, so a client that sends a byte now and
 * then holds its connection for ever. Here each has a moment by which the next thing must have
 * happened, which its owner moves as a request goes on; past it the socket is shut down, and the
 * library finds it ended. Silent peers are probed by TCP itself (keep-alive), also while a
 * connection sleeps.
 *
 * Cost: a look at all of them twice a second while there are any.
 *
 * Threads: any.
 */
#ifndef SERVER_CONNECTIONS_H
#define SERVER_CONNECTIONS_H

#include "server/rounds.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct connections;

/* One of them; the caller's storage, between add and remove the list's. */
struct connection {
    struct round_entry entry; /* first */
    int fd;
    _Atomic int64_t until_ms; /* on the monotonic clock; INT64_MAX: for ever */
    atomic_bool is_cut;       /* it was too slow */
};

/* Starts the thread; NULL: it could not. */
struct connections *connections_open(void);
/* Ends the thread. None may be left. NULL is accepted. */
void connections_close(struct connections *connections);

void connections_add(struct connections *connections, struct connection *connection, int fd);
/* Before its descriptor is closed. */
void connections_remove(struct connections *connections, struct connection *connection);

/* The next thing must happen within so many seconds from now; 0: there is no hurry. */
void connection_allow(struct connection *connection, double seconds);

#endif

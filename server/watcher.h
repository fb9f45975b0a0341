/* Sees what libmicrohttpd 0.9.75 does not: the fate of connections that it suspended or closed.
 *
 * A suspended connection is polled for a reset or a hang-up, which mark its call as abandoned, as
 * does a time that it may not pass. A half-close is neither: its client still reads. A connection
 * closed before its body was read is kept open for a while, by a duplicate descriptor, and what
 * still comes is thrown away; otherwise the kernel would answer the body with a reset and the
 * client lose the answer.
 *
 * Cost: one poll of all entries every 50 ms while there are any. Entries leave under the lock that
 * the poll holds, so a descriptor in the list is open.
 *
 * Threads: any.
 */
#ifndef SERVER_WATCHER_H
#define SERVER_WATCHER_H

#include "server/rounds.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { WATCHER_LINGERING_MAX = 64 }; /* connections kept open so; more are closed at once */

struct watcher;

/* One suspended connection; the caller's storage, between add and remove the watcher's. */
struct watcher_entry {
    struct round_entry entry; /* first */
    int fd;
    atomic_bool *abandoned; /* set once the peer is gone, or it is too late */
    double late_s;          /* when it is, on the monotonic clock; 0: never */
    atomic_bool is_late;    /* it was */
};

/* Starts the thread; NULL: it could not. */
struct watcher *watcher_open(void);
/* Ends the thread and the lingering connections. No entry may be left. NULL is accepted. */
void watcher_close(struct watcher *watcher);

void watcher_add(struct watcher *watcher, struct watcher_entry *entry);
void watcher_remove(struct watcher *watcher, struct watcher_entry *entry);

/* Ends the sending side of a connection about to be closed and reads over what the client still
 * sends. */
void watcher_linger(struct watcher *watcher, int fd);

#endif

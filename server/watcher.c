#include "server/watcher.h"

#include "schema/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TICK_MS = 50,
    BATCH = 256, /* descriptors polled at a time */
    LINGER_TICKS = 10000 / TICK_MS,
    DISCARD_BYTES = 1 << 20,
    DISCARDS_MAX = 16, /* of one connection in a tick */
};

struct lingering {
    int fd;
    int ticks_left;
};

struct watcher {
    struct rounds rounds; /* first; entries: struct watcher_entry */
    struct lingering lingering[WATCHER_LINGERING_MAX];
    unsigned lingering_count;
};

/* Marks the entries whose peer is gone, or whose time is over. With no events asked for, poll
 * reports errors and hang-ups alone. */
static void poll_entries(struct watcher *watcher)
{
    const double now_s = clock_steady();
    const struct round_entry *head = &watcher->rounds.head;
    struct round_entry *at = head->next;
    while (at != head) {
        struct pollfd polled[BATCH];
        struct watcher_entry *entries[BATCH];
        nfds_t count = 0;
        for (; at != head && count < BATCH; at = at->next) {
            struct watcher_entry *entry = (struct watcher_entry *)at;
            entries[count] = entry;
            polled[count++] = (struct pollfd){.fd = entry->fd};
            if (entry->late_s > 0 && entry->late_s < now_s) {
                atomic_store(&entry->is_late, true);
                atomic_store(entry->abandoned, true);
            }
        }
        if (poll(polled, count, 0) <= 0)
            continue;
        for (nfds_t i = 0; i < count; i++)
            if ((polled[i].revents & (POLLERR | POLLHUP)) != 0)
                atomic_store(entries[i]->abandoned, true);
    }
}

/* Reads over what came. False: the client has closed, or failed. */
static bool discard(int fd)
{
    for (int i = 0; i < DISCARDS_MAX; i++) {
        // MSG_TRUNC on TCP throws the bytes away without a copy (tcp(7))
        const ssize_t received = recv(fd, NULL, DISCARD_BYTES, MSG_DONTWAIT | MSG_TRUNC);
        if (received == 0)
            return false;
        if (received < 0)
            return errno == EAGAIN || errno == EINTR;
    }
    return true;
}

static void read_lingering(struct watcher *watcher)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < watcher->lingering_count; i++) {
        struct lingering one = watcher->lingering[i];
        if (one.ticks_left-- > 0 && discard(one.fd))
            watcher->lingering[kept++] = one;
        else
            close(one.fd);
    }
    watcher->lingering_count = kept;
}

static void look(struct rounds *rounds)
{
    struct watcher *watcher = (struct watcher *)rounds;
    poll_entries(watcher);
    read_lingering(watcher);
    rounds->has_more = watcher->lingering_count > 0;
}

struct watcher *watcher_open(void)
{
    struct watcher *watcher = calloc(1, sizeof(*watcher));
    if (watcher == NULL || rounds_open(&watcher->rounds, TICK_MS, look))
        return watcher;
    free(watcher);
    return NULL;
}

void watcher_close(struct watcher *watcher)
{
    if (watcher == NULL)
        return;
    rounds_close(&watcher->rounds);
    for (unsigned i = 0; i < watcher->lingering_count; i++)
        close(watcher->lingering[i].fd);
    free(watcher);
}

void watcher_add(struct watcher *watcher, struct watcher_entry *entry)
{
    rounds_add(&watcher->rounds, &entry->entry);
}

void watcher_remove(struct watcher *watcher, struct watcher_entry *entry)
{
    rounds_remove(&watcher->rounds, &entry->entry);
}

void watcher_linger(struct watcher *watcher, int fd)
{
    const int duplicate = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    shutdown(fd, SHUT_WR);
    if (duplicate < 0)
        return;
    rounds_begin_more(&watcher->rounds);
    const bool has_room = watcher->lingering_count < WATCHER_LINGERING_MAX;
    if (has_room)
        watcher->lingering[watcher->lingering_count++] =
            (struct lingering){.fd = duplicate, .ticks_left = LINGER_TICKS};
    rounds_end_more(&watcher->rounds);
    if (!has_room)
        close(duplicate);
}

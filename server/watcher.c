#include "server/watcher.h"

#include "schema/clock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
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
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closing;
    struct watcher_entry head; /* of a ring */
    struct lingering lingering[WATCHER_LINGERING_MAX];
    unsigned lingering_count;
};

/* Marks the entries whose peer is gone, or whose time is over. With no events asked for, poll
 * reports errors and hang-ups alone. */
static void poll_entries(struct watcher *watcher)
{
    const double now_s = clock_steady();
    struct watcher_entry *entry = watcher->head.next;
    while (entry != &watcher->head) {
        struct pollfd polled[BATCH];
        struct watcher_entry *entries[BATCH];
        nfds_t count = 0;
        for (; entry != &watcher->head && count < BATCH; entry = entry->next) {
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

static void *run(void *argument)
{
    struct watcher *watcher = argument;
    const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};

    pthread_mutex_lock(&watcher->lock);
    while (!watcher->closing) {
        // sleep while there is nothing to watch
        if (watcher->head.next == &watcher->head && watcher->lingering_count == 0) {
            pthread_cond_wait(&watcher->changed, &watcher->lock);
            continue;
        }
        pthread_mutex_unlock(&watcher->lock);
        nanosleep(&tick, NULL);
        pthread_mutex_lock(&watcher->lock);
        poll_entries(watcher);
        read_lingering(watcher);
    }
    pthread_mutex_unlock(&watcher->lock);
    return NULL;
}

struct watcher *watcher_open(void)
{
    struct watcher *watcher = calloc(1, sizeof(*watcher));
    if (watcher == NULL)
        return NULL;
    watcher->head.previous = watcher->head.next = &watcher->head;
    pthread_mutex_init(&watcher->lock, NULL);
    pthread_cond_init(&watcher->changed, NULL);
    if (pthread_create(&watcher->thread, NULL, run, watcher) != 0) {
        pthread_cond_destroy(&watcher->changed);
        pthread_mutex_destroy(&watcher->lock);
        free(watcher);
        return NULL;
    }
    return watcher;
}

void watcher_close(struct watcher *watcher)
{
    if (watcher == NULL)
        return;
    pthread_mutex_lock(&watcher->lock);
    watcher->closing = true;
    pthread_cond_signal(&watcher->changed);
    pthread_mutex_unlock(&watcher->lock);
    pthread_join(watcher->thread, NULL);

    assert(watcher->head.next == &watcher->head);
    for (unsigned i = 0; i < watcher->lingering_count; i++)
        close(watcher->lingering[i].fd);
    pthread_cond_destroy(&watcher->changed);
    pthread_mutex_destroy(&watcher->lock);
    free(watcher);
}

void watcher_add(struct watcher *watcher, struct watcher_entry *entry)
{
    pthread_mutex_lock(&watcher->lock);
    // only an idle watcher waits for news
    if (watcher->head.next == &watcher->head)
        pthread_cond_signal(&watcher->changed);
    entry->previous = watcher->head.previous;
    entry->next = &watcher->head;
    entry->previous->next = entry;
    watcher->head.previous = entry;
    pthread_mutex_unlock(&watcher->lock);
}

void watcher_remove(struct watcher *watcher, struct watcher_entry *entry)
{
    pthread_mutex_lock(&watcher->lock);
    entry->previous->next = entry->next;
    entry->next->previous = entry->previous;
    pthread_mutex_unlock(&watcher->lock);
}

void watcher_linger(struct watcher *watcher, int fd)
{
    const int duplicate = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    shutdown(fd, SHUT_WR);
    if (duplicate < 0)
        return;
    pthread_mutex_lock(&watcher->lock);
    const bool has_room = watcher->lingering_count < WATCHER_LINGERING_MAX;
    if (has_room)
        watcher->lingering[watcher->lingering_count++] =
            (struct lingering){.fd = duplicate, .ticks_left = LINGER_TICKS};
    pthread_cond_signal(&watcher->changed);
    pthread_mutex_unlock(&watcher->lock);
    if (!has_room)
        close(duplicate);
}

#include "server/connections.h"

#include "schema/clock.h"

#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum {
    TICK_MS = 500,
    // of TCP's probes: a peer that does not answer them is given up after a minute and a half
    PROBE_AFTER_S = 45,
    PROBE_EVERY_S = 15,
    PROBES = 3,
};

struct connections {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closing;
    struct connection head; /* of a ring */
};

static int64_t now_ms(void)
{
    return (int64_t)(1e3 * clock_steady());
}

/* Shuts down what is past its time. Its owner removes it before the descriptor is closed, under the
 * lock held here. */
static void cut_late(struct connections *connections)
{
    const int64_t now = now_ms();
    for (struct connection *connection = connections->head.next; connection != &connections->head;
         connection = connection->next) {
        if (atomic_load(&connection->until_ms) > now)
            continue;
        atomic_store(&connection->until_ms, INT64_MAX);
        atomic_store(&connection->is_cut, true);
        shutdown(connection->fd, SHUT_RDWR);
    }
}

static void *run(void *argument)
{
    struct connections *connections = argument;
    const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
    pthread_mutex_lock(&connections->lock);
    while (!connections->closing) {
        if (connections->head.next == &connections->head) {
            pthread_cond_wait(&connections->changed, &connections->lock);
            continue;
        }
        cut_late(connections);
        pthread_mutex_unlock(&connections->lock);
        nanosleep(&tick, NULL);
        pthread_mutex_lock(&connections->lock);
    }
    pthread_mutex_unlock(&connections->lock);
    return NULL;
}

struct connections *connections_open(void)
{
    struct connections *connections = calloc(1, sizeof(*connections));
    if (connections == NULL)
        return NULL;
    connections->head.previous = connections->head.next = &connections->head;
    pthread_mutex_init(&connections->lock, NULL);
    pthread_cond_init(&connections->changed, NULL);
    if (pthread_create(&connections->thread, NULL, run, connections) != 0) {
        pthread_cond_destroy(&connections->changed);
        pthread_mutex_destroy(&connections->lock);
        free(connections);
        return NULL;
    }
    return connections;
}

void connections_close(struct connections *connections)
{
    if (connections == NULL)
        return;
    pthread_mutex_lock(&connections->lock);
    connections->closing = true;
    pthread_cond_signal(&connections->changed);
    pthread_mutex_unlock(&connections->lock);
    pthread_join(connections->thread, NULL);

    assert(connections->head.next == &connections->head);
    pthread_cond_destroy(&connections->changed);
    pthread_mutex_destroy(&connections->lock);
    free(connections);
}

/* Has TCP ask a silent peer whether it is still there. */
static void probe_silence(int fd)
{
    const int on = 1, after_s = PROBE_AFTER_S, every_s = PROBE_EVERY_S, probes = PROBES;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &after_s, sizeof(after_s));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof(every_s));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

void connections_add(struct connections *connections, struct connection *connection, int fd)
{
    probe_silence(fd);
    connection->fd = fd;
    atomic_store(&connection->until_ms, INT64_MAX);
    atomic_store(&connection->is_cut, false);
    pthread_mutex_lock(&connections->lock);
    if (connections->head.next == &connections->head)
        pthread_cond_signal(&connections->changed);
    connection->previous = connections->head.previous;
    connection->next = &connections->head;
    connection->previous->next = connection;
    connections->head.previous = connection;
    pthread_mutex_unlock(&connections->lock);
}

void connections_remove(struct connections *connections, struct connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    connection->previous->next = connection->next;
    connection->next->previous = connection->previous;
    pthread_mutex_unlock(&connections->lock);
}

void connection_allow(struct connection *connection, double seconds)
{
    atomic_store(&connection->until_ms,
                 seconds > 0 ? now_ms() + (int64_t)(1e3 * seconds) : INT64_MAX);
}

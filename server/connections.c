#include "server/connections.h"

#include "schema/clock.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

enum {
    TICK_MS = 500,
    // of TCP's probes: a peer that does not answer them is given up after a minute and a half
    PROBE_AFTER_S = 45,
    PROBE_EVERY_S = 15,
    PROBES = 3,
};

struct connections {
    struct rounds rounds; /* first; entries: struct connection */
};

static int64_t now_ms(void)
{
    return (int64_t)(1e3 * clock_steady());
}

/* Shuts down what is past its time. Its owner removes it before the descriptor is closed, under the
 * lock held here. */
static void cut_late(struct rounds *rounds)
{
    const int64_t now = now_ms();
    for (struct round_entry *entry = rounds->head.next; entry != &rounds->head;
         entry = entry->next) {
        struct connection *connection = (struct connection *)entry;
        if (atomic_load(&connection->until_ms) > now)
            continue;
        atomic_store(&connection->until_ms, INT64_MAX);
        atomic_store(&connection->is_cut, true);
        shutdown(connection->fd, SHUT_RDWR);
    }
}

struct connections *connections_open(void)
{
    struct connections *connections = malloc(sizeof(*connections));
    if (connections == NULL || rounds_open(&connections->rounds, TICK_MS, cut_late))
        return connections;
    free(connections);
    return NULL;
}

void connections_close(struct connections *connections)
{
    if (connections == NULL)
        return;
    rounds_close(&connections->rounds);
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
    rounds_add(&connections->rounds, &connection->entry);
}

void connections_remove(struct connections *connections, struct connection *connection)
{
    rounds_remove(&connections->rounds, &connection->entry);
}

void connection_allow(struct connection *connection, double seconds)
{
    atomic_store(&connection->until_ms,
                 seconds > 0 ? now_ms() + (int64_t)(1e3 * seconds) : INT64_MAX);
}

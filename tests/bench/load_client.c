#include "load_client.h"

#include "bench.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { EVENTS = 256, ANSWER_BYTES = 16 * 1024, PATIENCE_MS = 10000 };

struct connection {
    int fd; /* -1: none */
    bool busy;
    const struct load_request *request;
    size_t sent;
    double began_ms;
    char *answer; /* [capacity], of which `received` are there */
    size_t received, capacity;
    size_t head_bytes, whole_bytes; /* 0: not known yet */
    int status;
    double server_ms;
};

struct load {
    const struct load_options *options;
    struct load_outcome *outcome;
    struct connection *connections;
    int epoll, timer;
    uint64_t begun, ended;
    size_t capacity; /* of outcome->latencies_ms */
    double started_ms, due_ms;
};

static bool connection_open(struct load *load, struct connection *connection)
{
    static const int on = 1;
    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection->fd < 0) {
        perror("socket");
        return false;
    }
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const struct sockaddr *server = (const struct sockaddr *)&load->options->server;
    if (connect(connection->fd, server, sizeof load->options->server) != 0 &&
        errno != EINPROGRESS) {
        perror("connect");
        close(connection->fd);
        connection->fd = -1;
        return false;
    }
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data.ptr = connection};
    return epoll_ctl(load->epoll, EPOLL_CTL_ADD, connection->fd, &event) == 0;
}

static void connection_close(struct connection *connection)
{
    if (connection->fd >= 0)
        close(connection->fd);
    connection->fd = -1;
}

static void answer_forget(struct connection *connection)
{
    connection->received = connection->head_bytes = connection->whole_bytes = 0;
    connection->status = 0;
}

/* Whether another request is to begin. */
static bool goes_on(const struct load *load, double now)
{
    const struct load_options *options = load->options;
    return (options->total == 0 || load->begun < options->total) &&
           (options->seconds <= 0 || now < load->started_ms + 1e3 * options->seconds);
}

/* Sends as much as the socket takes. */
static bool send_more(struct connection *connection)
{
    const struct load_request *request = connection->request;
    while (connection->busy && connection->sent < request->count) {
        const ssize_t sent = send(connection->fd, request->bytes + connection->sent,
                                  request->count - connection->sent, MSG_NOSIGNAL);
        if (sent < 0)
            return errno == EAGAIN || errno == ENOTCONN;
        connection->sent += (size_t)sent;
    }
    return true;
}

/* Begins the next request on a connection that has none, as if at `began_ms`. */
static bool begin(struct load *load, struct connection *connection, double began_ms)
{
    const struct load_options *options = load->options;
    connection->busy = true;
    connection->request = &options->requests[load->begun++ % options->request_count];
    connection->sent = 0;
    connection->began_ms = began_ms;
    answer_forget(connection);
    if (connection->fd < 0 && !connection_open(load, connection))
        return false;
    return send_more(connection);
}

/* ---- answers ---- */

/* Reads the head once it is whole; false: it is none of an answer that says its length. */
static bool read_head(struct connection *connection)
{
    char *end = memmem(connection->answer, connection->received, "\r\n\r\n", 4);
    if (!end)
        return true;
    *end = '\0';
    connection->head_bytes = (size_t)(end + 4 - connection->answer);
    if (sscanf(connection->answer, "HTTP/1.1 %d", &connection->status) != 1)
        return false;
    const char *timing = strstr(connection->answer, "total;dur=");
    connection->server_ms = timing ? strtod(timing + 10, NULL) : 0;
    const char *length = strcasestr(connection->answer, "\r\nContent-Length:");
    if (!length)
        return false;
    connection->whole_bytes = connection->head_bytes + strtoul(length + 17, NULL, 10);
    return true;
}

static void count(struct load *load, const struct connection *connection)
{
    struct load_outcome *outcome = load->outcome;
    const int status = connection->status;
    load->ended++;
    outcome->bytes += connection->whole_bytes;
    outcome->server_ms += connection->server_ms;
    outcome->statuses[status > 0 && status < LOAD_STATUS_MAX ? status : 0]++;
    if (status != 200)
        return;
    if (memmem(connection->answer, connection->whole_bytes, "\"failed\":", 9) &&
        !memmem(connection->answer, connection->whole_bytes, "\"failed\":0", 10))
        outcome->unsolved++;
    if (outcome->count == load->capacity) {
        load->capacity = 2 * load->capacity + 4096;
        outcome->latencies_ms =
            realloc(outcome->latencies_ms, load->capacity * sizeof *outcome->latencies_ms);
        if (!outcome->latencies_ms) {
            fputs("no memory\n", stderr);
            exit(EXIT_FAILURE);
        }
    }
    outcome->latencies_ms[outcome->count++] = (float)(bench_now_ms() - connection->began_ms);
}

/* Reads what has come; *end: the peer has closed. */
static bool receive(struct connection *connection, bool *end)
{
    for (;;) {
        if (connection->capacity - connection->received < ANSWER_BYTES) {
            connection->capacity = 2 * connection->capacity + 2 * (size_t)ANSWER_BYTES;
            connection->answer = realloc(connection->answer, connection->capacity);
            if (!connection->answer)
                bench_memory(SIZE_MAX);
        }
        const size_t room = connection->capacity - connection->received;
        const ssize_t got =
            recv(connection->fd, connection->answer + connection->received, room, 0);
        if (got < 0)
            return errno == EAGAIN || errno == ENOTCONN;
        *end = got == 0;
        if (*end)
            return true;
        connection->received += (size_t)got;
        if ((size_t)got < room)
            return true;
    }
}

/* Goes on with a connection that something has happened to. */
static bool serve(struct load *load, struct connection *connection)
{
    bool end = false;
    bool good = send_more(connection) && receive(connection, &end);
    if (good && connection->received > 0 && connection->head_bytes == 0)
        good = read_head(connection);
    const bool whole = connection->whole_bytes > 0 &&
                       connection->received >= connection->whole_bytes && connection->busy;
    if (whole) {
        count(load, connection);
        connection->busy = false;
        answer_forget(connection);
    }
    if (load->options->close ? whole || end || !good : end || !good) {
        if (connection->busy) {
            load->outcome->broken++;
            load->ended++;
            connection->busy = false;
        }
        connection_close(connection);
    }
    const double now = bench_now_ms();
    if (!connection->busy && load->options->rate <= 0 && goes_on(load, now))
        return begin(load, connection, now);
    return true;
}

/* ---- pace ---- */

/* Begins what is due, as far as there are idle connections, and sets the timer to what is next. */
static bool keep_pace(struct load *load)
{
    const double step_ms = 1e3 / load->options->rate, now = bench_now_ms();
    unsigned next = 0;
    while (load->due_ms <= now && goes_on(load, now)) {
        while (next < load->options->connections && load->connections[next].busy)
            next++;
        if (next == load->options->connections)
            break;
        if (!begin(load, &load->connections[next], load->due_ms))
            return false;
        load->due_ms += step_ms;
    }
    // where all connections are busy, look again soon
    const double wait_ms = load->due_ms > now ? load->due_ms - now : 1.0;
    const struct itimerspec timer = {.it_value.tv_sec = (time_t)(wait_ms / 1e3),
                                     .it_value.tv_nsec = 1 + (long)(1e6 * wait_ms) % 1000000000};
    uint64_t expired;
    if (read(load->timer, &expired, sizeof expired) < 0 && errno != EAGAIN)
        return false;
    return timerfd_settime(load->timer, 0, &timer, NULL) == 0;
}

static bool start(struct load *load)
{
    load->started_ms = load->due_ms = bench_now_ms();
    for (unsigned i = 0; i < load->options->connections; i++)
        load->connections[i].fd = -1;
    if (load->options->rate > 0) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
        load->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        return load->timer >= 0 &&
               epoll_ctl(load->epoll, EPOLL_CTL_ADD, load->timer, &event) == 0 && keep_pace(load);
    }
    for (unsigned i = 0; i < load->options->connections && goes_on(load, load->started_ms); i++)
        if (!begin(load, &load->connections[i], bench_now_ms()))
            return false;
    return true;
}

bool load_run(struct load_outcome *outcome, const struct load_options *options)
{
    struct load load = {.options = options, .outcome = outcome, .timer = -1};
    *outcome = (struct load_outcome){0};
    load.connections = bench_memory(options->connections * sizeof *load.connections);
    memset(load.connections, 0, options->connections * sizeof *load.connections);
    load.epoll = epoll_create1(EPOLL_CLOEXEC);
    bool good = load.epoll >= 0 && start(&load);

    while (good && (load.ended < load.begun || goes_on(&load, bench_now_ms()))) {
        struct epoll_event events[EVENTS];
        const int ready = epoll_wait(load.epoll, events, EVENTS, PATIENCE_MS);
        if (ready == 0)
            fputs("no answer comes any more\n", stderr);
        good = ready > 0;
        for (int i = 0; good && i < ready; i++)
            good = events[i].data.ptr ? serve(&load, events[i].data.ptr) : keep_pace(&load);
    }

    outcome->seconds = 1e-3 * (bench_now_ms() - load.started_ms);
    for (unsigned i = 0; i < options->connections; i++) {
        connection_close(&load.connections[i]);
        free(load.connections[i].answer);
    }
    free(load.connections);
    if (load.timer >= 0)
        close(load.timer);
    if (load.epoll >= 0)
        close(load.epoll);
    return good;
}

void load_outcome_deinit(struct load_outcome *outcome)
{
    free(outcome->latencies_ms);
    *outcome = (struct load_outcome){0};
}

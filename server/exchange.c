/* Requests: from the first byte to the line in the log. */
#include "server/exchange.h"

#include "schema/clock.h"
#include "server/pack.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_GONE = 499 }; /* in log and metrics: the client left before its answer */

void exchange_sleep(void *transport)
{
    struct exchange *exchange = transport;
    MHD_suspend_connection(exchange->connection);
    watcher_add(exchange->http->watcher, &exchange->watched);
}

void exchange_wake(void *transport)
{
    struct exchange *exchange = transport;
    watcher_remove(exchange->http->watcher, &exchange->watched);
    MHD_resume_connection(exchange->connection);
}

/* An answer in the place of one that took too long. */
static void refuse_late(struct exchange *exchange)
{
    if (!atomic_load(&exchange->watched.is_late) || exchange->request.call.reply.status < 400)
        return;
    request_refuse(&exchange->request, PROBLEM_OVERLOADED,
                   "the answer took longer than --request-timeout-s allows");
}

/* Wakes the connection of a completed call, on any thread. The exchange may be gone when this
 * returns. */
static void on_complete(struct call *call)
{
    exchange_wake(call->transport);
}

/* Hands the call over. The connection sleeps before, since the call may be complete before this
 * returns. */
static enum MHD_Result submit(struct exchange *exchange)
{
    struct http *http = exchange->http;
    struct call *call = &exchange->request.call;
    if (!http_enter(http)) {
        request_refuse(&exchange->request, PROBLEM_DRAINING, "the server is shutting down");
        call->reply.retry_after_s = RETRY_DRAINING_S;
        exchange->request.closes = true;
        return exchange_answer(exchange);
    }
    call->complete = on_complete;
    call->transport = exchange;
    exchange->phase = IN_SERVICE;
    exchange->watched.abandoned = &call->abandoned;
    exchange->watched.fd =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD)
            ->connect_fd;
    exchange->watched.late_s =
        http->options.request_timeout_s > 0 ? clock_steady() + http->options.request_timeout_s : 0;
    connection_allow(exchange->peer, 0);
    exchange_sleep(exchange);
    service_call(http->options.service, call);
    http_leave(http);
    return MHD_YES;
}

struct begun {
    struct request *request;
    struct request_head head;
};

/* MHD_KeyValueIterator over the request's headers. */
static enum MHD_Result take_header(void *argument, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct begun *begun = argument;
    (void)kind;
    if (value != NULL)
        request_take_header(begun->request, &begun->head, name, value);
    return MHD_YES;
}

/* Takes a piece of the body, and moves the time by which the next must come. */
static bool take_body(struct exchange *exchange, const char *data, size_t bytes)
{
    exchange->received_bytes += bytes;
    const double until_s = exchange->head_s + exchange->http->options.receive_timeout_s +
                           (double)exchange->received_bytes / BYTES_PER_S_MIN;
    const double left_s = until_s - clock_steady();
    if (exchange->http->options.receive_timeout_s > 0)
        connection_allow(exchange->peer, left_s > 0 ? left_s : 1e-3);
    return request_take(&exchange->request, data, bytes);
}

static void begin(struct exchange *exchange, const char *method)
{
    struct http *http = exchange->http;
    struct begun begun = {&exchange->request, {.method = method}};
    MHD_get_connection_values(exchange->connection, MHD_HEADER_KIND, take_header, &begun);
    request_begin(&exchange->request, &begun.head, &http->options.limits, &http->options.access,
                  &http->budget, atomic_fetch_add(&http->numbers, 1));
    exchange->head_s = clock_steady();
    connection_allow(exchange->peer, http->options.receive_timeout_s);
}

/* MHD_AccessHandlerCallback: once for the head, for each piece of the body, twice at its end, and
 * after the sleep. */
enum MHD_Result exchange_on_request(void *argument, struct MHD_Connection *connection,
                                    const char *url, const char *method, const char *version,
                                    const char *data, size_t *data_bytes, void **state)
{
    struct exchange *exchange = *state;
    (void)argument, (void)connection, (void)url, (void)version;
    if (exchange == NULL)
        return MHD_NO;

    switch (exchange->phase) {
    case AT_HEAD:
        begin(exchange, method);
        exchange->phase = AT_BODY;
        return exchange->request.closes ? exchange_answer(exchange) : MHD_YES;
    case AT_BODY:
        if (*data_bytes > 0) {
            const bool goes_on = take_body(exchange, data, *data_bytes);
            *data_bytes = 0;
            return goes_on ? MHD_YES : MHD_NO;
        }
        request_end(&exchange->request);
        if (exchange->request.answered)
            return exchange_answer(exchange);
        // The library reads from a resumed connection before it asks for the answer, unless the
        // connection fell asleep waiting for us: so sleep a turn later, or a half-close would be
        // read as the client's end.
        exchange->phase = AT_END;
        return MHD_YES;
    case AT_END:
        return submit(exchange);
    case IN_SERVICE:
        refuse_late(exchange);
        return exchange_answer(exchange);
    case SENT:
        break;
    }
    return MHD_NO;
}

/* An exchange at zero, but for the faults, which a count of zero says are none: they are 15 kB, and
 * to clear them costs a request more than its route. */
static struct exchange *make_exchange(void)
{
    struct exchange *exchange = malloc(sizeof(*exchange));
    if (exchange == NULL)
        return NULL;
    const size_t from = offsetof(struct exchange, request.call.problem.faults);
    const size_t to = from + sizeof(exchange->request.call.problem.faults);
    memset(exchange, 0, from);
    memset((char *)exchange + to, 0, sizeof(*exchange) - to);
    return exchange;
}

/* MHD's URI log callback: the one place that sees the target as sent. Its result becomes the state.
 */
void *exchange_on_target(void *argument, const char *target, struct MHD_Connection *connection)
{
    struct http *http = argument;
    struct connection *peer =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    struct exchange *exchange = make_exchange();
    if (exchange == NULL || peer == NULL || !request_init(&exchange->request, target)) {
        free(exchange);
        return NULL;
    }
    exchange->http = http;
    exchange->connection = connection;
    exchange->peer = peer;
    exchange->started_s = clock_steady();
    atomic_fetch_add(&http->exchanges, 1);
    return exchange;
}

/* How a request ended other than well, for the log. */
static const char *const termination_names[] = {
    [MHD_REQUEST_TERMINATED_COMPLETED_OK] = "well",
    [MHD_REQUEST_TERMINATED_WITH_ERROR] = "error",
    [MHD_REQUEST_TERMINATED_TIMEOUT_REACHED] = "timeout",
    [MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN] = "shutdown",
    [MHD_REQUEST_TERMINATED_READ_ERROR] = "reset",
    [MHD_REQUEST_TERMINATED_CLIENT_ABORT] = "client left",
};

/* The peer's address, for the log. */
static void log_peer(struct log_line *line, struct MHD_Connection *connection)
{
    char host[INET6_ADDRSTRLEN];
    const struct sockaddr *address =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    const void *bytes =
        address->sa_family == AF_INET
            ? (const void *)&((const struct sockaddr_in *)(const void *)address)->sin_addr
            : &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    if (inet_ntop(address->sa_family, bytes, host, sizeof(host)) != NULL)
        log_string(line, "peer", host);
}

/* One line of the log and one count of the metrics. */
static void record(struct exchange *exchange, enum MHD_RequestTerminationCode how)
{
    struct http *http = exchange->http;
    const struct request *request = &exchange->request;
    const double seconds = clock_steady() - exchange->started_s;
    const char *method = request->method != NULL ? request->method : "other";
    const char *route = request->match.pattern != NULL ? request->match.pattern : "unknown";
    // a head that the library refuses by itself never reaches us
    const bool is_cut = atomic_load(&exchange->peer->is_cut);
    const bool is_refused =
        exchange->phase == AT_HEAD && how == MHD_REQUEST_TERMINATED_WITH_ERROR && !is_cut;
    const int status = exchange->phase == SENT ? request->call.reply.status
                       : is_cut                ? MHD_HTTP_REQUEST_TIMEOUT
                       : is_refused            ? MHD_HTTP_BAD_REQUEST
                                               : STATUS_GONE;
    struct log_line line;

    if (log_begin(&line, http->options.log, LOG_INFO, "request")) {
        if (*request->call.request_id != '\0')
            log_string(&line, "id", request->call.request_id);
        log_string(&line, "method", method);
        log_string(&line, "route", route);
        log_u64(&line, "status", (uint64_t)status);
        log_number(&line, "ms", 1e3 * seconds);
        log_u64(&line, "bytes", exchange->sent_bytes);
        log_peer(&line, exchange->connection);
        if (*request->client != '\0')
            log_string(&line, "client", request->client);
        if (request->call.problem.fault_count > 0)
            log_string(&line, "code", problem_code_text(request->call.problem.faults[0].code));
        if (how != MHD_REQUEST_TERMINATED_COMPLETED_OK && !is_refused)
            log_string(&line, "ended", is_cut ? "too slow" : termination_names[how]);
        log_end(&line);
    }
    if (http_enter(http)) {
        service_count_request(http->options.service, method, route, status, seconds);
        http_leave(http);
    }
}

/* MHD_RequestCompletedCallback: the answer has left, or the client has. */
void exchange_on_end(void *argument, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode how)
{
    struct exchange *exchange = *state;
    struct http *http = argument;
    *state = NULL;
    if (exchange == NULL)
        return;
    if (exchange->phase == SENT && exchange->request.closes)
        watcher_linger(
            http->watcher,
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
    record(exchange, how);

    struct reply_stream *stream = exchange->request.call.reply.stream;
    if (stream != NULL)
        stream->close(stream);
    if (exchange->is_sending)
        atomic_fetch_sub(&http->sending, 1);
    // the next request, or the end of a connection that waits for none
    connection_allow(exchange->peer,
                     (double)http->options.idle_timeout_s + http->options.receive_timeout_s);
    budget_release(&http->budget, exchange->charged);
    packer_destroy(exchange->packer);
    free(exchange->packed);
    request_deinit(&exchange->request);
    free(exchange);
    atomic_fetch_sub(&http->exchanges, 1);
}

/* MHD_NotifyConnectionCallback: the first request must come soon, TLS' handshake included. */
void exchange_on_connection(void *argument, struct MHD_Connection *connection,
                            void **socket_context, enum MHD_ConnectionNotificationCode event)
{
    struct http *http = argument;
    struct connection *peer = *socket_context;
    if (event == MHD_CONNECTION_NOTIFY_STARTED) {
        peer = *socket_context = calloc(1, sizeof(*peer));
        if (peer == NULL)
            return;
        connections_add(
            http->connections, peer,
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
        connection_allow(peer, http->options.receive_timeout_s);
    } else if (peer != NULL) {
        connections_remove(http->connections, peer);
        free(peer);
        *socket_context = NULL;
    }
}

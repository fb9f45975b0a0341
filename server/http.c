#include "server/http.h"

#include "schema/clock.h"
#include "server/connections.h"
#include "server/pack.h"
#include "server/request.h"
#include "server/tls.h"
#include "server/watcher.h"

#include <arpa/inet.h>
#include <assert.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTION_BYTES = 32 * 1024,    /* of headers and read buffer; more headers get 431 */
    PACKED_MIN_BYTES = 1024,         /* smaller answers are not worth packing */
    PACKED_WHOLE_BYTES = 128 * 1024, /* larger ones are packed piece by piece */
    PIECE_BYTES = 32 * 1024,
    EVENT_BYTES = 2 * 1024, /* of a stream, at a time */
    RETRY_DRAINING_S = 5,
    CLOSE_WAIT_MS = 2000,   /* for answers to leave at the end */
    BYTES_PER_S_MIN = 1000, /* of bodies and answers; slower ones are cut */
    STATUS_GONE = 499,      /* in log and metrics: the client left before its answer */
    POLL_MS = 1,
};

/* Who is inside the service: the closing of the gate is one bit, the rest a count. */
#define GATE_CLOSED (1u << 31)

struct http {
    struct http_options options;
    struct MHD_Daemon *daemon;
    struct watcher *watcher;
    struct connections *connections;
    struct budget budget;
    atomic_uint gate;
    atomic_bool draining;
    atomic_uint sending;   /* answers begun and not ended, but for streams */
    atomic_uint exchanges; /* requests begun and not ended */
    _Atomic uint64_t numbers;
};

enum phase { AT_HEAD, AT_BODY, AT_END, IN_SERVICE, SENT };

/* A request and its answer on a connection. */
struct exchange {
    struct request request;
    struct http *http;
    struct MHD_Connection *connection;
    struct connection *peer;
    enum phase phase;
    double started_s, head_s; /* when it began, and when its head was there */
    uint64_t received_bytes;  /* of the body, as it came */
    bool is_sending;          /* counts in http->sending */
    struct watcher_entry watched;
    uint64_t charged;      /* bytes of the answer in the budget */
    char *packed;          /* the answer as gzip, owned; NULL: not so */
    struct packer *packer; /* the same piece by piece */
    uint64_t sent_bytes;
};

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* ---- the gate to the service ---- */

static bool gate_enter(struct http *http)
{
    if ((atomic_fetch_add(&http->gate, 1) & GATE_CLOSED) == 0)
        return true;
    atomic_fetch_sub(&http->gate, 1);
    return false;
}

static void gate_leave(struct http *http)
{
    atomic_fetch_sub(&http->gate, 1);
}

/* ---- answers ---- */

/* MHD_ContentReaderCallback over a packer. */
static ssize_t read_packed(void *argument, uint64_t position, char *out, size_t room)
{
    struct exchange *exchange = argument;
    (void)position;
    const size_t bytes = packer_read(exchange->packer, out, room);
    exchange->sent_bytes += bytes;
    return bytes > 0 ? (ssize_t)bytes : MHD_CONTENT_READER_END_OF_STREAM;
}

/* MHD_ContentReaderCallback over a stream, which may have put the connection to sleep. */
static ssize_t read_stream(void *argument, uint64_t position, char *out, size_t room)
{
    struct exchange *exchange = argument;
    struct reply_stream *stream = exchange->request.call.reply.stream;
    bool ended = false;
    (void)position;
    const size_t bytes = stream->read(stream, out, room, &ended);
    exchange->sent_bytes += bytes;
    return ended ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)bytes;
}

/* Sends a connection to sleep until its call is complete, or there is more of its stream. */
static void sleep_connection(void *transport)
{
    struct exchange *exchange = transport;
    MHD_suspend_connection(exchange->connection);
    watcher_add(exchange->http->watcher, &exchange->watched);
}

static void wake_connection(void *transport)
{
    struct exchange *exchange = transport;
    watcher_remove(exchange->http->watcher, &exchange->watched);
    MHD_resume_connection(exchange->connection);
}

/* The stream as a response. */
static struct MHD_Response *make_stream(struct exchange *exchange)
{
    struct reply_stream *stream = exchange->request.call.reply.stream;
    stream->sleep = sleep_connection;
    stream->wake = wake_connection;
    stream->transport = exchange;
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, EVENT_BYTES, read_stream, exchange,
                                             NULL);
}

/* Whether packing is wanted and worth it. */
static bool is_packed(const struct exchange *exchange)
{
    const struct reply *reply = &exchange->request.call.reply;
    if (!exchange->request.takes_gzip || reply->body.length < PACKED_MIN_BYTES ||
        reply->content_type == NULL)
        return false;
    return strstr(reply->content_type, "json") != NULL ||
           strstr(reply->content_type, "xml") != NULL ||
           strncmp(reply->content_type, "text/", 5) == 0;
}

/* The answer's bytes as a response; sets exchange->packed or ->packer where it goes as gzip. */
static struct MHD_Response *make_response(struct exchange *exchange)
{
    const struct text *text = &exchange->request.call.reply.body;
    char *data = text->data;
    size_t bytes = text->length;
    if (exchange->request.call.reply.stream != NULL)
        return make_stream(exchange);
    if (is_packed(exchange)) {
        if (bytes > PACKED_WHOLE_BYTES)
            exchange->packer = packer_create(data, bytes);
        else
            exchange->packed = pack_whole(data, bytes, &bytes);
    }
    if (exchange->packer != NULL)
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES, read_packed,
                                                 exchange, NULL);
    if (exchange->packed != NULL)
        data = exchange->packed;
    else
        bytes = text->length;
    exchange->sent_bytes = exchange->request.is_head ? 0 : bytes;
    // the exchange keeps the bytes until the request is over
    static char nothing[] = "";
    return MHD_create_response_from_buffer(bytes, bytes > 0 ? data : nothing,
                                           MHD_RESPMEM_PERSISTENT);
}

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
    if (value != NULL && *value != '\0')
        MHD_add_response_header(response, name, value);
}

/* What a browser must be told before it lets a page of another origin have the answer. */
static void add_cors_headers(const struct exchange *exchange, struct MHD_Response *response)
{
    const struct request *request = &exchange->request;
    if (request->access->cors_origin == NULL)
        return;
    add_header(response, "Vary", "Origin");
    if (request->allowed_origin == NULL)
        return;
    add_header(response, "Access-Control-Allow-Origin", request->allowed_origin);
    if (request->is_preflight) {
        add_header(response, "Access-Control-Allow-Methods", request->match.allow);
        add_header(response, "Access-Control-Allow-Headers",
                   "Accept, Authorization, Content-Encoding, Content-Type, If-Match, "
                   "If-None-Match, Last-Event-ID, Prefer, X-Request-Id");
        add_header(response, "Access-Control-Max-Age", "600");
    } else {
        add_header(response, "Access-Control-Expose-Headers",
                   "Allow, ETag, Location, Preference-Applied, Retry-After, WWW-Authenticate, "
                   "X-Request-Id");
    }
}

/* The reply's link, under the prefix. */
static void add_location(const struct exchange *exchange, struct MHD_Response *response)
{
    const char *location = exchange->request.call.reply.location;
    const char *base_path = exchange->http->options.access.base_path;
    char link[sizeof(((struct reply *)0)->location) + 256];
    if (*location == '\0')
        return;
    snprintf(link, sizeof(link), "%s%s", base_path != NULL ? base_path : "", location);
    add_header(response, "Location", link);
}

static void add_headers(struct exchange *exchange, struct MHD_Response *response)
{
    const struct reply *reply = &exchange->request.call.reply;
    char seconds[16] = "";
    if (reply->retry_after_s > 0)
        snprintf(seconds, sizeof(seconds), "%u", reply->retry_after_s);
    add_header(response, "X-Request-Id", exchange->request.call.request_id);
    add_header(response, "Content-Type", reply->content_type);
    add_header(response, "ETag", reply->etag);
    add_location(exchange, response);
    add_header(response, "WWW-Authenticate", exchange->request.challenge);
    add_cors_headers(exchange, response);
    add_header(response, "Allow", reply->allow);
    add_header(response, "Preference-Applied", reply->preference_applied);
    add_header(response, "Retry-After", seconds);
    if (reply->stream != NULL) {
        // no cache keeps it, and no proxy gathers it
        add_header(response, "Cache-Control", "no-store");
        add_header(response, "X-Accel-Buffering", "no");
    } else if (reply->content_type != NULL) {
        add_header(response, "Vary", "Accept-Encoding");
    }
    if (exchange->packed != NULL || exchange->packer != NULL)
        add_header(response, "Content-Encoding", "gzip");
    if (exchange->request.closes || atomic_load(&exchange->http->draining))
        add_header(response, "Connection", "close");
}

/* A client must read its answer in the time that the least rate gives it; a stream goes on. */
static void hurry_answer(struct exchange *exchange)
{
    const struct reply *reply = &exchange->request.call.reply;
    if (reply->stream != NULL) {
        connection_allow(exchange->peer, 0);
        exchange->watched.late_s = 0;
        return;
    }
    connection_allow(exchange->peer, exchange->http->options.idle_timeout_s +
                                         (double)reply->body.length / BYTES_PER_S_MIN);
    exchange->is_sending = true;
    atomic_fetch_add(&exchange->http->sending, 1);
}

/* An answer in the place of one that took too long. */
static void refuse_late(struct exchange *exchange)
{
    if (!atomic_load(&exchange->watched.is_late) || exchange->request.call.reply.status < 400)
        return;
    request_refuse(&exchange->request, PROBLEM_OVERLOADED,
                   "the answer took longer than --request-timeout-s allows");
}

/* Sends call.reply. */
static enum MHD_Result answer(struct exchange *exchange)
{
    struct reply *reply = &exchange->request.call.reply;
    if (reply->body.failed)
        request_refuse(&exchange->request, PROBLEM_OVERLOADED, "there is no memory for the answer");
    exchange->charged = reply->body.capacity;
    budget_charge(&exchange->http->budget, exchange->charged);
    exchange->phase = SENT;
    hurry_answer(exchange);

    struct MHD_Response *response = make_response(exchange);
    if (response == NULL)
        return MHD_NO;
    add_headers(exchange, response);
    const enum MHD_Result queued =
        MHD_queue_response(exchange->connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return queued;
}

/* ---- requests ---- */

/* Wakes the connection of a completed call, on any thread. The exchange may be gone when this
 * returns. */
static void on_complete(struct call *call)
{
    wake_connection(call->transport);
}

/* Hands the call over. The connection sleeps before, since the call may be complete before this
 * returns. */
static enum MHD_Result submit(struct exchange *exchange)
{
    struct http *http = exchange->http;
    struct call *call = &exchange->request.call;
    if (!gate_enter(http)) {
        request_refuse(&exchange->request, PROBLEM_DRAINING, "the server is shutting down");
        call->reply.retry_after_s = RETRY_DRAINING_S;
        exchange->request.closes = true;
        return answer(exchange);
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
    sleep_connection(exchange);
    service_call(http->options.service, call);
    gate_leave(http);
    return MHD_YES;
}

/* MHD_KeyValueIterator over the request's headers: keeps the first of each name, and both lengths.
 */
static enum MHD_Result take_header(void *argument, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct request_head *head = argument;
    const struct {
        const char *name, **value;
    } wanted[] = {
        {"Content-Type", &head->content_type},
        {"Content-Encoding", &head->content_encoding},
        {"Accept", &head->accept},
        {"Accept-Encoding", &head->accept_encoding},
        {"Prefer", &head->prefer},
        {"If-Match", &head->if_match},
        {"If-None-Match", &head->if_none_match},
        {"X-Request-Id", &head->request_id},
        {"Expect", &head->expect},
        {"Transfer-Encoding", &head->transfer_encoding},
        {"Content-Length", &head->content_length},
        {"Last-Event-ID", &head->last_event_id},
        {"Authorization", &head->authorization},
        {"Origin", &head->origin},
        {"Host", &head->host},
        {"Access-Control-Request-Method", &head->preflight_method},
    };
    (void)kind;
    if (value == NULL)
        return MHD_YES;
    if (strcasecmp(name, "Content-Length") == 0 && head->content_length != NULL &&
        strcmp(head->content_length, value) != 0)
        head->lengths_differ = true;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (*wanted[i].value == NULL && strcasecmp(name, wanted[i].name) == 0)
            *wanted[i].value = value;
    return MHD_YES;
}

/* Takes a piece of the body, and moves the time by which the next must come. */
static bool take_body(struct exchange *exchange, const char *data, size_t bytes)
{
    exchange->received_bytes += bytes;
    const double until_s = exchange->head_s + exchange->http->options.receive_timeout_s +
                           (double)exchange->received_bytes / BYTES_PER_S_MIN;
    const double left_s = until_s - clock_steady();
    connection_allow(exchange->peer, left_s > 0 ? left_s : 1e-3);
    return request_take(&exchange->request, data, bytes);
}

static void begin(struct exchange *exchange, const char *method)
{
    struct http *http = exchange->http;
    struct request_head head = {.method = method};
    MHD_get_connection_values(exchange->connection, MHD_HEADER_KIND, take_header, &head);
    request_begin(&exchange->request, &head, &http->options.limits, &http->options.access,
                  &http->budget, atomic_fetch_add(&http->numbers, 1));
    exchange->head_s = clock_steady();
    connection_allow(exchange->peer, http->options.receive_timeout_s);
}

/* MHD_AccessHandlerCallback: once for the head, for each piece of the body, twice at its end, and
 * after the sleep. */
static enum MHD_Result on_request(void *argument, struct MHD_Connection *connection,
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
        return exchange->request.closes ? answer(exchange) : MHD_YES;
    case AT_BODY:
        if (*data_bytes > 0) {
            const bool goes_on = take_body(exchange, data, *data_bytes);
            *data_bytes = 0;
            return goes_on ? MHD_YES : MHD_NO;
        }
        request_end(&exchange->request);
        if (exchange->request.answered)
            return answer(exchange);
        // The library reads from a resumed connection before it asks for the answer, unless the
        // connection fell asleep waiting for us: so sleep a turn later, or a half-close would be
        // read as the client's end.
        exchange->phase = AT_END;
        return MHD_YES;
    case AT_END:
        return submit(exchange);
    case IN_SERVICE:
        refuse_late(exchange);
        return answer(exchange);
    case SENT:
        break;
    }
    return MHD_NO;
}

/* MHD's URI log callback: the one place that sees the target as sent. Its result becomes the state.
 */
static void *on_target(void *argument, const char *target, struct MHD_Connection *connection)
{
    struct http *http = argument;
    struct connection *peer =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    struct exchange *exchange = calloc(1, sizeof(*exchange));
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
    const bool is_refused = exchange->phase == AT_HEAD && how == MHD_REQUEST_TERMINATED_WITH_ERROR;
    const int status = exchange->phase == SENT ? request->call.reply.status
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
            log_string(&line, "ended", termination_names[how]);
        log_end(&line);
    }
    if (gate_enter(http)) {
        service_count_request(http->options.service, method, route, status, seconds);
        gate_leave(http);
    }
}

/* MHD_RequestCompletedCallback: the answer has left, or the client has. */
static void on_end(void *argument, struct MHD_Connection *connection, void **state,
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
static void on_connection(void *argument, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode event)
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

/* ---- the daemon ---- */

/* Escapes are undone by the router, segment by segment. */
static size_t leave_escaped(void *argument, struct MHD_Connection *connection, char *text)
{
    (void)argument, (void)connection;
    return strlen(text);
}

/* What the library itself has to say: mostly clients that broke off. */
static void on_message(void *argument, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static void on_message(void *argument, const char *format, va_list arguments)
{
    char message[256];
    vsnprintf(message, sizeof(message), format, arguments);
    message[strcspn(message, "\n")] = '\0';
    log_event(argument, LOG_DEBUG, "http", message);
}

static char TLS_PRIORITIES[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

static struct MHD_Daemon *start_daemon(struct http *http)
{
    const struct http_options *options = &http->options;
    // the library takes a pool of one for a mistake, and no bound for an option left out
    struct MHD_OptionItem more[4];
    size_t count = 0;
    if (options->threads > 1)
        more[count++] =
            (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, options->threads, NULL};
    if (options->limits.connections_per_address > 0)
        more[count++] =
            (struct MHD_OptionItem){MHD_OPTION_PER_IP_CONNECTION_LIMIT,
                                    (intptr_t)options->limits.connections_per_address, NULL};
    if (options->with_tls)
        more[count++] =
            (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)TLS_PRIORITIES};
    more[count] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
            (options->with_tls ? (unsigned)MHD_USE_TLS : 0),
        0, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, on_message, options->log,
        MHD_OPTION_LISTEN_SOCKET, options->listener, MHD_OPTION_URI_LOG_CALLBACK, on_target, http,
        MHD_OPTION_NOTIFY_COMPLETED, on_end, http, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
        http, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)options->limits.connections, MHD_OPTION_CONNECTION_TIMEOUT,
        options->idle_timeout_s, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY, more,
        options->with_tls ? MHD_OPTION_HTTPS_CERT_CALLBACK2 : MHD_OPTION_END, tls_retrieve,
        MHD_OPTION_END);
}

struct http *http_open(const struct http_options *options)
{
    struct http *http = calloc(1, sizeof(*http));
    if (http == NULL)
        goto failed;
    http->options = *options;
    http->budget.limit = options->limits.host_bytes;
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        seed = (uint64_t)getpid();
    atomic_init(&http->numbers, seed);

    http->watcher = watcher_open();
    http->connections = connections_open();
    if (http->watcher == NULL || http->connections == NULL)
        goto failed;
    http->daemon = start_daemon(http);
    if (http->daemon != NULL)
        return http;

failed:
    if (http != NULL) {
        watcher_close(http->watcher);
        connections_close(http->connections);
    }
    free(http);
    close(options->listener);
    return NULL;
}

void http_drain(struct http *http)
{
    atomic_store(&http->draining, true);
}

unsigned http_sending(const struct http *http)
{
    return atomic_load(&http->sending);
}

void http_quiet(struct http *http)
{
    atomic_fetch_or(&http->gate, GATE_CLOSED);
    while (atomic_load(&http->gate) != GATE_CLOSED)
        sleep_ms(POLL_MS);
}

void http_close(struct http *http)
{
    if (http == NULL)
        return;
    for (int waited = 0; waited < CLOSE_WAIT_MS && atomic_load(&http->exchanges) > 0;
         waited += POLL_MS)
        sleep_ms(POLL_MS);
    MHD_stop_daemon(http->daemon);
    watcher_close(http->watcher);
    connections_close(http->connections);
    assert(atomic_load(&http->exchanges) == 0);
    free(http);
}

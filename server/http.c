#include "server/http.h"

#include "server/exchange.h"
#include "server/tls.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTION_BYTES = 32 * 1024, /* of headers and read buffer; more headers get 431 */
    CLOSE_WAIT_MS = 2000,         /* for answers to leave at the end */
    POLL_MS = 1,
};

/* Who is inside the service: the closing of the gate is one bit, the rest a count. */
#define GATE_CLOSED (1u << 31)

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

bool http_enter(struct http *http)
{
    if ((atomic_fetch_add(&http->gate, 1) & GATE_CLOSED) == 0)
        return true;
    atomic_fetch_sub(&http->gate, 1);
    return false;
}

void http_leave(struct http *http)
{
    atomic_fetch_sub(&http->gate, 1);
}

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
        0, NULL, NULL, exchange_on_request, http, MHD_OPTION_EXTERNAL_LOGGER, on_message,
        options->log, MHD_OPTION_LISTEN_SOCKET, options->listener, MHD_OPTION_URI_LOG_CALLBACK,
        exchange_on_target, http, MHD_OPTION_NOTIFY_COMPLETED, exchange_on_end, http,
        MHD_OPTION_NOTIFY_CONNECTION, exchange_on_connection, http, MHD_OPTION_UNESCAPE_CALLBACK,
        leave_escaped, NULL, MHD_OPTION_CONNECTION_LIMIT, (unsigned)options->limits.connections,
        MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout_s, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY, more,
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

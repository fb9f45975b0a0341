/* One request and its answer on a connection of libmicrohttpd, between the daemon's parts: http.c
 * (the daemon), exchange.c (requests) and answer.c (answers). Private to them.
 *
 * Threads: an exchange belongs to the thread of its connection, while it sleeps to nobody.
 */
#ifndef SERVER_EXCHANGE_H
#define SERVER_EXCHANGE_H

#include "server/connections.h"
#include "server/http.h"
#include "server/request.h"
#include "server/watcher.h"

#include <microhttpd.h>

enum { BYTES_PER_S_MIN = 1000 /* of bodies and answers; slower ones are cut */ };

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

/* Whether the service may be called; each time that it may ends with http_leave(). */
bool http_enter(struct http *http);
void http_leave(struct http *http);

/* Sends call.reply. */
enum MHD_Result exchange_answer(struct exchange *exchange);

/* Sends an exchange's connection to sleep until its call is complete, or there is more of its
 * stream; and wakes it, on any thread. The exchange may be gone when that returns. */
void exchange_sleep(void *transport);
void exchange_wake(void *transport);

/* What libmicrohttpd calls, with the struct http: the target as sent, whose result becomes the
 * request's state; head and pieces of a request; its end; beginning and end of a connection. */
void *exchange_on_target(void *argument, const char *target, struct MHD_Connection *connection);
enum MHD_Result exchange_on_request(void *argument, struct MHD_Connection *connection,
                                    const char *url, const char *method, const char *version,
                                    const char *data, size_t *data_bytes, void **state);
void exchange_on_end(void *argument, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode how);
void exchange_on_connection(void *argument, struct MHD_Connection *connection,
                            void **socket_context, enum MHD_ConnectionNotificationCode event);

#endif

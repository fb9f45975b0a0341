/* Answers: the reply's bytes as they are, packed, or as a stream, and its headers. */
#include "server/exchange.h"
#include "server/pack.h"

#include <stdio.h>
#include <string.h>

enum {
    PACKED_MIN_BYTES = 1024,         /* smaller answers are not worth packing */
    PACKED_WHOLE_BYTES = 128 * 1024, /* larger ones are packed piece by piece */
    PIECE_BYTES = 32 * 1024,
    EVENT_BYTES = 2 * 1024, /* of a stream, at a time */
    PREFIX_BYTES = 256,     /* of a link */
};

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

/* The stream as a response. */
static struct MHD_Response *make_stream(struct exchange *exchange)
{
    struct reply_stream *stream = exchange->request.call.reply.stream;
    stream->sleep = exchange_sleep;
    stream->wake = exchange_wake;
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
                   "Allow, ETag, Location, Preference-Applied, Retry-After, Server-Timing, "
                   "WWW-Authenticate, X-Prmd-Fingerprint, X-Prmd-Revision, X-Prmd-Roadmap, "
                   "X-Prmd-Warnings, "
                   "X-Prmd-World-Revision, X-Request-Id");
    }
}

/* The reply's link, under the prefix. */
static void add_location(const struct exchange *exchange, struct MHD_Response *response)
{
    const char *location = exchange->request.call.reply.location;
    const char *base_path = exchange->http->options.access.base_path;
    char link[sizeof(((struct reply *)0)->location) + PREFIX_BYTES];
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
    // no browser takes an answer for something else
    if (reply->content_type != NULL)
        add_header(response, "X-Content-Type-Options", "nosniff");
    add_location(exchange, response);
    add_header(response, "WWW-Authenticate", exchange->request.challenge);
    add_cors_headers(exchange, response);
    add_header(response, "Allow", reply->allow);
    add_header(response, "Preference-Applied", reply->preference_applied);
    add_header(response, "Retry-After", seconds);
    for (unsigned i = 0; i < reply->header_count; i++)
        add_header(response, reply->headers[i].name, reply->headers[i].value);
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

enum MHD_Result exchange_answer(struct exchange *exchange)
{
    struct reply *reply = &exchange->request.call.reply;
    if (reply->body.failed)
        request_refuse(&exchange->request, PROBLEM_NO_MEMORY, "there is no memory for the answer");
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

#include "fake_service.h"

#include "support/pause.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTED_MAX = 600, LARGE_BYTES = 1 << 20, LINE_EVERY_MS = 20 };

struct service {
    pthread_mutex_t lock;
    pthread_cond_t idle;
    unsigned running; /* threads of calls */
    atomic_bool closing, draining;
    atomic_uint abandoned, in_flight;
    atomic_uint counted[COUNTED_MAX];
};

/* Not the service's own: the transport may close streams after the service. */
static atomic_uint open_streams;

struct task {
    struct service *service;
    struct call *call;
};

struct service *fake_service_open(void)
{
    struct service *service = calloc(1, sizeof(*service));
    pthread_mutex_init(&service->lock, NULL);
    pthread_cond_init(&service->idle, NULL);
    return service;
}

void service_close(struct service *service)
{
    if (service == NULL)
        return;
    atomic_store(&service->closing, true);
    pthread_mutex_lock(&service->lock);
    while (service->running > 0)
        pthread_cond_wait(&service->idle, &service->lock);
    pthread_mutex_unlock(&service->lock);
    pthread_cond_destroy(&service->idle);
    pthread_mutex_destroy(&service->lock);
    free(service);
}

unsigned fake_service_abandoned(struct service *service)
{
    return atomic_load(&service->abandoned);
}

unsigned fake_service_streams(void)
{
    return atomic_load(&open_streams);
}

unsigned fake_service_counted(struct service *service, int status)
{
    unsigned count = 0;
    if (status != 0)
        return atomic_load(&service->counted[status]);
    for (int i = 0; i < COUNTED_MAX; i++)
        count += atomic_load(&service->counted[i]);
    return count;
}

void service_count_request(struct service *service, const char *method, const char *route,
                           int status, double seconds)
{
    (void)method, (void)route, (void)seconds;
    atomic_fetch_add(&service->counted[status], 1);
}

unsigned service_in_flight(const struct service *service)
{
    return atomic_load(&service->in_flight);
}

/* ---- completion, as in the service ---- */

const char *call_parameter(const struct call *call, const char *key)
{
    for (unsigned i = 0; i < call->parameter_count; i++)
        if (strcmp(call->parameters[i].key, key) == 0)
            return call->parameters[i].value;
    return NULL;
}

void call_succeed(struct call *call, int status, const char *content_type)
{
    call->reply.status = status;
    call->reply.content_type = content_type;
    call->complete(call);
}

void call_fail(struct call *call)
{
    call->reply.status = problem_code_status(call->problem.faults[0].code);
    call->reply.content_type = "application/problem+json";
    problem_write(&call->problem, call->request_id, &call->reply.body);
    call->complete(call);
}

/* ---- use cases ---- */

static void echo(struct call *call)
{
    text_append(&call->reply.body, call->body != NULL ? call->body : "", call->body_bytes);
    call_succeed(call, 200, "application/json");
}

/* What the call says of itself. */
static void describe(struct call *call)
{
    struct text *out = &call->reply.body;
    text_json_open(out, '{');
    text_json_key(out, "segment");
    text_json_string(out, call->segments[0] != NULL ? call->segments[0] : "");
    text_json_key(out, "wait_s");
    text_json_number(out, call->wait_s, 9);
    text_json_key(out, "if_match");
    text_json_string(out, call->if_match != NULL ? call->if_match : "");
    for (unsigned i = 0; i < call->parameter_count; i++) {
        text_json_key(out, call->parameters[i].key);
        text_json_string(out, call->parameters[i].value);
    }
    text_json_close(out, '}');
    call_succeed(call, 200, "application/json");
}

static void answer_with_all_headers(struct call *call)
{
    struct reply *reply = &call->reply;
    snprintf(reply->etag, sizeof(reply->etag), "\"7-abc\"");
    snprintf(reply->location, sizeof(reply->location), "/v1/jobs/7");
    snprintf(reply->preference_applied, sizeof(reply->preference_applied), "wait=3");
    reply->retry_after_s = 9;
    text_print(&reply->body, "{}");
    call_succeed(call, 202, "application/json");
}

/* A long job: ends with its Prefer, the client, or the service. */
static void wait_long(struct task *task)
{
    struct call *call = task->call;
    for (int waited_ms = 0; waited_ms < 1e3 * call->wait_s; waited_ms += 5) {
        if (atomic_load(&call->abandoned)) {
            atomic_fetch_add(&task->service->abandoned, 1);
            break;
        }
        if (atomic_load(&task->service->closing)) {
            problem_add(&call->problem, PROBLEM_DRAINING, "closing");
            call_fail(call);
            return;
        }
        test_pause_ms(5);
    }
    echo(call);
}

static void *run(void *argument)
{
    struct task *task = argument;
    struct service *service = task->service;
    if (task->call->route == ROUTE_ROADMAP_PUT)
        wait_long(task);
    else
        echo(task->call);
    free(task);
    atomic_fetch_sub(&service->in_flight, 1);
    pthread_mutex_lock(&service->lock);
    service->running--;
    pthread_cond_signal(&service->idle);
    pthread_mutex_unlock(&service->lock);
    return NULL;
}

/* ---- a stream of lines ---- */

struct stream {
    struct reply_stream reply;
    struct service *service;
    const atomic_bool *abandoned;
    pthread_mutex_t lock;
    unsigned owners; /* the transport and the thread */
    unsigned lines, told, written;
    bool asleep, closed, over;
};

/* The lock is held, and given up. */
static void stream_release(struct stream *stream)
{
    const bool is_last = --stream->owners == 0;
    pthread_mutex_unlock(&stream->lock);
    if (!is_last)
        return;
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

static size_t stream_read(struct reply_stream *reply, char *out, size_t room, bool *ended)
{
    struct stream *stream = (struct stream *)reply;
    size_t bytes = 0;
    pthread_mutex_lock(&stream->lock);
    *ended = stream->over || stream->told == stream->lines;
    if (!*ended && stream->told < stream->written) {
        bytes = (size_t)snprintf(out, room, "line %u\n", ++stream->told);
    } else if (!*ended) {
        stream->asleep = true;
        reply->sleep(reply->transport);
    }
    pthread_mutex_unlock(&stream->lock);
    return bytes;
}

static void stream_close(struct reply_stream *reply)
{
    struct stream *stream = (struct stream *)reply;
    pthread_mutex_lock(&stream->lock);
    stream->closed = true;
    atomic_fetch_sub(&open_streams, 1);
    stream_release(stream);
}

/* Says a line each time, until all are said, the client is gone or the service closes. */
static void *tell(void *argument)
{
    struct stream *stream = argument;
    struct service *service = stream->service;
    bool over = false;
    while (!over) {
        test_pause_ms(LINE_EVERY_MS);
        pthread_mutex_lock(&stream->lock);
        stream->written++;
        if (!stream->closed) {
            if (atomic_load(stream->abandoned)) {
                atomic_fetch_add(&service->abandoned, 1);
                stream->over = true;
            }
            stream->over |= atomic_load(&service->closing);
            if (stream->asleep)
                stream->reply.wake(stream->reply.transport);
            stream->asleep = false;
        }
        over = stream->closed || stream->over || stream->written == stream->lines;
        if (!over)
            pthread_mutex_unlock(&stream->lock);
    }
    stream_release(stream);
    pthread_mutex_lock(&service->lock);
    service->running--;
    pthread_cond_signal(&service->idle);
    pthread_mutex_unlock(&service->lock);
    return NULL;
}

static void stream_lines(struct service *service, struct call *call)
{
    struct stream *stream = calloc(1, sizeof(*stream));
    pthread_t thread;
    *stream = (struct stream){.reply = {.read = stream_read, .close = stream_close},
                              .service = service,
                              .abandoned = &call->abandoned,
                              .owners = 2,
                              .lines = (unsigned)atoi(call->segments[0])};
    pthread_mutex_init(&stream->lock, NULL);
    atomic_fetch_add(&open_streams, 1);
    pthread_mutex_lock(&service->lock);
    service->running++;
    pthread_mutex_unlock(&service->lock);
    call->reply.stream = &stream->reply;
    if (pthread_create(&thread, NULL, tell, stream) != 0)
        abort();
    pthread_detach(thread);
    call_succeed(call, 200, "text/event-stream");
}

static void start(struct service *service, struct call *call)
{
    struct task *task = malloc(sizeof(*task));
    pthread_t thread;
    *task = (struct task){service, call};
    atomic_fetch_add(&service->in_flight, 1);
    pthread_mutex_lock(&service->lock);
    service->running++;
    pthread_mutex_unlock(&service->lock);
    if (pthread_create(&thread, NULL, run, task) != 0)
        abort();
    pthread_detach(thread);
}

void service_call(struct service *service, struct call *call)
{
    struct text *out = &call->reply.body;
    // the only routes that the transport's tests need
    if (call->route == ROUTE_ROADMAP_PLAN || call->route == ROUTE_ROADMAP_PUT) {
        start(service, call);
    } else if (call->route == ROUTE_DEVICES) {
        text_json_open(out, '[');
        while (out->length < LARGE_BYTES)
            text_json_u64(out, out->length);
        text_json_close(out, ']');
        call_succeed(call, 200, "application/json");
    } else if (call->route == ROUTE_WORLD_LIST || call->route == ROUTE_WORLD_GET) {
        describe(call);
    } else if (call->route == ROUTE_WORLD_PUT) {
        answer_with_all_headers(call);
    } else if (call->route == ROUTE_WORLD_DELETE) {
        call_succeed(call, 204, NULL);
    } else if (call->route == ROUTE_JOB_EVENTS) {
        stream_lines(service, call);
    } else if (call->route == ROUTE_ROBOT_GET) {
        problem_add(&call->problem, PROBLEM_UNKNOWN_ROBOT, "no robot %s", call->segments[0]);
        call_fail(call);
    } else {
        echo(call);
    }
}

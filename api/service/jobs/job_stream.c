#include "service/jobs/job_stream.h"

#include "schema/clock.h"
#include "service/call.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const double SILENCE_S = 15;

/* Long enough that who asks for a byte a second is content. */
static const char COMMENT[] = ": still there\n\n";

struct job_stream {
    struct reply_stream reply; /* first */
    struct counted counted;
    struct job_stream *next; /* in the job's list */
    const atomic_bool *abandoned;

    pthread_mutex_t lock; /* guards what follows, up to the reader's own */
    struct job_view view;
    unsigned sent;     /* event told last */
    double last_s;     /* steady clock, when something was told */
    bool comments;     /* a comment is due */
    bool asleep;       /* the transport is */
    bool over, closed; /* nothing follows; the transport is gone */

    /* the reader's */
    struct text text; /* being sent */
    size_t at;
};

static void destroy(struct counted *counted)
{
    struct job_stream *stream = (void *)((char *)counted - offsetof(struct job_stream, counted));
    pthread_mutex_destroy(&stream->lock);
    text_deinit(&stream->text);
    free(stream);
}

/* ---- the reader's side ---- */

/* event: progress | done | error, with the job as data. */
static void write_event(const struct job_view *view, struct text *out)
{
    const char *event = job_view_is_active(view)       ? "progress"
                        : view->state == JOB_SUCCEEDED ? "done"
                                                       : "error";
    text_print(out, "id: %u\nevent: %s\ndata: ", view->event, event);
    job_write(view, out);
    text_print(out, "\n\n");
}

/* Writes what there is to tell, or sends the transport to sleep; false: it is over. */
static bool refill(struct job_stream *stream)
{
    struct job_view view;
    stream->text.length = stream->at = 0;

    pthread_mutex_lock(&stream->lock);
    const bool news = !stream->over && stream->view.event > stream->sent;
    const bool comments = !stream->over && stream->comments;
    if (news) {
        view = stream->view;
        stream->sent = view.event;
        stream->over = !job_view_is_active(&view);
    }
    const bool over = stream->over;
    stream->comments = false;
    stream->asleep = !news && !comments && !over;
    if (stream->asleep)
        stream->reply.sleep(stream->reply.transport);
    pthread_mutex_unlock(&stream->lock);

    if (news)
        write_event(&view, &stream->text);
    else if (comments)
        text_append(&stream->text, COMMENT, sizeof(COMMENT) - 1);
    return !over || news;
}

static size_t stream_read(struct reply_stream *reply, char *out, size_t room, bool *ended)
{
    struct job_stream *stream = (struct job_stream *)reply;
    *ended = stream->at == stream->text.length && !refill(stream);
    if (stream->text.failed) {
        *ended = true;
        return 0;
    }
    const size_t left = stream->text.length - stream->at, bytes = left < room ? left : room;
    if (bytes > 0)
        memcpy(out, stream->text.data + stream->at, bytes);
    stream->at += bytes;
    return bytes;
}

static void stream_close(struct reply_stream *reply)
{
    struct job_stream *stream = (struct job_stream *)reply;
    pthread_mutex_lock(&stream->lock);
    stream->closed = true;
    pthread_mutex_unlock(&stream->lock);
    counted_release(&stream->counted);
}

/* ---- the job's side ---- */

struct reply_stream *job_stream_open(struct job *job, unsigned seen, const atomic_bool *abandoned)
{
    struct job_stream *stream = calloc(1, sizeof(*stream));
    if (!stream)
        return NULL;
    stream->reply = (struct reply_stream){.read = stream_read, .close = stream_close};
    counted_init(&stream->counted, destroy);
    pthread_mutex_init(&stream->lock, NULL);
    stream->view = job_view(job);
    stream->abandoned = abandoned;
    // an event that the job has not had yet is another job's
    stream->sent = seen <= job->event ? seen : 0;
    stream->last_s = clock_steady();
    if (job_is_active(job)) {
        counted_take(&stream->counted);
        stream->next = job->streams;
        job->streams = stream;
    }
    return &stream->reply;
}

/* Wakes the transport where it sleeps; the stream's lock is held. */
static void wake(struct job_stream *stream)
{
    if (!stream->asleep)
        return;
    stream->asleep = false;
    stream->reply.wake(stream->reply.transport);
}

/* Takes the stream out of the list. */
static void leave(struct job_stream **link)
{
    struct job_stream *stream = *link;
    *link = stream->next;
    counted_release(&stream->counted);
}

void job_streams_tell(struct job_stream **streams, const struct job_view *view)
{
    const double now = clock_steady();
    struct job_stream **link = streams;
    while (*link) {
        struct job_stream *stream = *link;
        pthread_mutex_lock(&stream->lock);
        const bool closed = stream->closed;
        if (!closed) {
            stream->view = *view;
            stream->last_s = now;
            wake(stream);
        }
        pthread_mutex_unlock(&stream->lock);
        if (closed || !job_view_is_active(view))
            leave(link);
        else
            link = &stream->next;
    }
}

bool job_streams_tick(struct job_stream **streams, double now)
{
    struct job_stream **link = streams;
    while (*link) {
        struct job_stream *stream = *link;
        pthread_mutex_lock(&stream->lock);
        const bool closed = stream->closed;
        if (!closed && atomic_load(stream->abandoned)) {
            stream->over = true;
            wake(stream);
        } else if (!closed && now - stream->last_s >= SILENCE_S) {
            stream->comments = true;
            stream->last_s = now;
            wake(stream);
        }
        const bool gone = closed || stream->over;
        pthread_mutex_unlock(&stream->lock);
        if (gone)
            leave(link);
        else
            link = &stream->next;
    }
    return *streams;
}

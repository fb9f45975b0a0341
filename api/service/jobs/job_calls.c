/* Jobs as a resource: list, look, follow, cancel; and the end of waiting for them. */
#include "service/internal.h"

#include "schema/clock.h"
#include "service/jobs/job_stream.h"
#include "service/roadmaps/builds.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* While calls wait and streams tell, those whose client is gone are looked for this often. */
static const double ABANDONED_EVERY_S = 0.5;

/* The job that follows in the list, oldest first, behind number `after`; NULL: none. */
static const struct job *next_job(const struct jobs *jobs, uint64_t after, const char *prefix)
{
    const struct job *next = NULL;
    for (const struct job *job = jobs->newest; job && job->number > after; job = job->next)
        if (strncmp(job->id, prefix, strlen(prefix)) == 0)
            next = job;
    return next;
}

/* Copies the jobs of a page; their number. The lock is held. */
static unsigned view_page(const struct jobs *jobs, const struct page *page, struct job_view *views,
                          bool *more)
{
    unsigned count = 0;
    const struct job *last = *page->after ? jobs_find(jobs, page->after) : NULL;
    const struct job *job = next_job(jobs, last ? last->number : 0, page->prefix);
    for (; job && count < page->limit; job = next_job(jobs, job->number, page->prefix))
        views[count++] = job_view(job);
    *more = job;
    return count;
}

void job_list(struct service *service, struct call *call)
{
    struct text *out = &call->reply.body;
    struct page page;
    bool more = false;
    if (!call_page(call, &page))
        return;
    struct job_view *views = malloc(page.limit * sizeof(*views));
    if (!views) {
        call_no_memory(call, "a list");
        return;
    }
    service_lock(service);
    const unsigned count = view_page(&service->jobs, &page, views, &more);
    service_unlock(service);

    text_json_open(out, '{');
    text_json_key(out, "items");
    text_json_open(out, '[');
    for (unsigned i = 0; i < count; i++)
        job_write(&views[i], out);
    text_json_close(out, ']');
    text_json_key(out, "next");
    if (more)
        text_json_string(out, views[count - 1].id);
    else
        text_json_null(out);
    text_json_close(out, '}');
    free(views);
    call_succeed_json(call, 200);
}

static void refuse_unknown(struct call *call)
{
    call_refuse(call, PROBLEM_UNKNOWN_JOB, "there is no job \"%s\", or it ended too long ago",
                call->segments[0]);
}

/* Answers with a job. */
static void answer(struct call *call, int status, const struct job_view *view)
{
    job_write(view, &call->reply.body);
    call_succeed_json(call, status);
}

void job_get(struct service *service, struct call *call)
{
    struct job_view view;
    service_lock(service);
    const struct job *job = jobs_find(&service->jobs, call->segments[0]);
    if (job)
        view = job_view(job);
    service_unlock(service);
    if (job)
        answer(call, 200, &view);
    else
        refuse_unknown(call);
}

void job_cancel(struct service *service, struct call *call)
{
    struct job_view view;
    service_lock(service);
    const struct job *job = jobs_find(&service->jobs, call->segments[0]);
    if (job)
        view = job_view(job);
    if (job && job_is_active(job))
        build_stop(job->work);
    service_unlock(service);
    // accepted while it runs; a job that has ended is shown as it ended
    if (job)
        answer(call, job_view_is_active(&view) ? 202 : 200, &view);
    else
        refuse_unknown(call);
}

/* The event that the client knows of; 0: none. */
static unsigned last_event(const struct call *call)
{
    const char *id = call->last_event_id;
    const unsigned long value = id && isdigit((unsigned char)*id) ? strtoul(id, NULL, 10) : 0;
    return value <= UINT_MAX ? (unsigned)value : 0;
}

void job_events(struct service *service, struct call *call)
{
    const unsigned seen = last_event(call);
    struct reply_stream *stream = NULL;
    service_lock(service);
    struct job *job = jobs_find(&service->jobs, call->segments[0]);
    const bool knows_all = job && !job_is_active(job) && seen == job->event;
    if (job && !knows_all)
        stream = job_stream_open(job, seen, &call->abandoned);
    service_unlock(service);

    if (!job) {
        refuse_unknown(call);
    } else if (knows_all) {
        // which tells a client that opens again what it lost to leave it
        call_succeed_empty(call, 204);
    } else if (!stream) {
        call_no_memory(call, "events");
    } else {
        workers_wake(service->workers);
        call->reply.stream = stream;
        call_succeed(call, 200, "text/event-stream");
    }
}

double job_tick(void *context, double now)
{
    struct service *service = context;
    struct job_waiter *expired = NULL;
    double next = INFINITY;
    service_lock(service);
    for (struct job *job = service->jobs.newest; job; job = job->next) {
        struct job_waiter *waiters = jobs_expire(job, now, &next);
        if (job_streams_tick(&job->streams, now))
            next = fmin(next, now + ABANDONED_EVERY_S);
        while (waiters) {
            struct job_waiter *waiter = waiters;
            waiters = waiter->next;
            waiter->next = expired;
            expired = waiter;
        }
    }
    service_unlock(service);

    while (expired) {
        struct job_waiter *waiter = expired;
        expired = waiter->next;
        answer(waiter->call, 202, &waiter->view);
        free(waiter);
    }
    return isinf(next) ? next : fmin(next, now + ABANDONED_EVERY_S);
}

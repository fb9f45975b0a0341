/* Jobs as a resource: list, look, cancel; and the end of waiting for them. */
#include "service/internal.h"

#include "schema/clock.h"
#include "service/builds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* While calls wait, those whose client is gone are looked for this often. */
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

void job_list(struct service *service, struct call *call)
{
    struct text *out = &call->reply.body;
    struct page page;
    if (!call_page(call, &page))
        return;
    text_json_open(out, '{');
    text_json_key(out, "items");
    text_json_open(out, '[');
    service_lock(service);
    const struct job *last = *page.after ? jobs_find(&service->jobs, page.after) : NULL;
    const struct job *job = next_job(&service->jobs, last ? last->number : 0, page.prefix);
    for (unsigned i = 0; job && i < page.limit; i++) {
        job_write(job, out);
        last = job;
        job = next_job(&service->jobs, job->number, page.prefix);
    }
    text_json_close(out, ']');
    text_json_key(out, "next");
    if (job && last)
        text_json_string(out, last->id);
    else
        text_json_null(out);
    service_unlock(service);
    text_json_close(out, '}');
    call_succeed_json(call, 200);
}

static void refuse_unknown(struct call *call)
{
    call_refuse(call, PROBLEM_UNKNOWN_JOB, "there is no job \"%s\", or it ended too long ago",
                call->segments[0]);
}

void job_get(struct service *service, struct call *call)
{
    service_lock(service);
    const struct job *job = jobs_find(&service->jobs, call->segments[0]);
    if (job)
        job_write(job, &call->reply.body);
    service_unlock(service);
    if (job)
        call_succeed_json(call, 200);
    else
        refuse_unknown(call);
}

void job_cancel(struct service *service, struct call *call)
{
    int status = 0;
    service_lock(service);
    struct job *job = jobs_find(&service->jobs, call->segments[0]);
    if (job) {
        // accepted while it runs; a job that has ended is shown as it ended
        status = job_is_active(job) ? 202 : 200;
        if (job_is_active(job))
            build_stop(job->work);
        job_write(job, &call->reply.body);
    }
    service_unlock(service);
    if (status)
        call_succeed_json(call, status);
    else
        refuse_unknown(call);
}

double job_tick(void *context, double now)
{
    struct service *service = context;
    struct job_waiter *expired = NULL;
    double next = INFINITY;
    service_lock(service);
    for (struct job *job = service->jobs.newest; job; job = job->next) {
        struct job_waiter *waiters = jobs_expire(job, now, &next);
        while (waiters) {
            struct job_waiter *waiter = waiters;
            waiters = waiter->next;
            job_write(job, &waiter->call->reply.body);
            waiter->next = expired;
            expired = waiter;
        }
    }
    service_unlock(service);

    while (expired) {
        struct job_waiter *waiter = expired;
        struct call *call = waiter->call;
        expired = waiter->next;
        free(waiter);
        call_succeed_json(call, 202);
    }
    return isinf(next) ? next : fmin(next, now + ABANDONED_EVERY_S);
}

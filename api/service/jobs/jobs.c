#include "service/jobs/jobs.h"

#include "schema/clock.h"
#include "service/call.h"
#include "service/jobs/job_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An event for each such part of the whole at most. */
static const double EVENT_PROGRESS = 0.01;

/* Below so much progress the time left is not guessed. */
static const double ETA_PROGRESS_MIN = 0.02;

const char *job_state_text(enum job_state state)
{
    static const char *const TEXTS[] = {
#define X(constant, text) text,
        JOB_STATES(X)
#undef X
    };
    return TEXTS[state];
}

static void job_destroy(struct counted *counted)
{
    free((struct job *)counted);
}

void jobs_init(struct jobs *jobs, unsigned active_max, const char *prefix)
{
    *jobs = (struct jobs){.active_max = active_max};
    atomic_init(&jobs->active_count, 0);
    snprintf(jobs->prefix, sizeof(jobs->prefix), "%s", prefix);
}

void jobs_deinit(struct jobs *jobs)
{
    while (jobs->newest) {
        struct job *job = jobs->newest;
        jobs->newest = job->next;
        counted_release(&job->counted);
    }
}

struct job *jobs_add(struct jobs *jobs, const char *kind, const char *resource, void *work)
{
    if (atomic_load(&jobs->active_count) >= jobs->active_max)
        return NULL;
    struct job *job = calloc(1, sizeof(*job));
    if (!job)
        return NULL;
    counted_init(&job->counted, job_destroy);
    atomic_init(&job->cancel, false);
    job->number = ++jobs->last_number;
    snprintf(job->id, sizeof(job->id), "%s%llu", jobs->prefix, (unsigned long long)job->number);
    snprintf(job->resource, sizeof(job->resource), "%s", resource);
    job->kind = kind;
    job->work = work;
    job->stage = "queued";
    job->event = 1;
    job->created = clock_calendar();
    job->created_steady = clock_steady();
    job->next = jobs->newest;
    jobs->newest = job;
    jobs->states[JOB_QUEUED]++;
    atomic_fetch_add(&jobs->active_count, 1);
    return job;
}

struct job *jobs_find(const struct jobs *jobs, const char *id)
{
    struct job *job = jobs->newest;
    while (job && strcmp(job->id, id) != 0)
        job = job->next;
    return job;
}

static bool is_active(enum job_state state)
{
    return state == JOB_QUEUED || state == JOB_RUNNING;
}

bool job_is_active(const struct job *job)
{
    return is_active(job->state);
}

bool job_view_is_active(const struct job_view *view)
{
    return is_active(view->state);
}

struct job *jobs_find_active(const struct jobs *jobs, const char *kind, const char *resource)
{
    for (struct job *job = jobs->newest; job; job = job->next)
        if (job_is_active(job) && !atomic_load(&job->cancel) && strcmp(job->kind, kind) == 0 &&
            strcmp(job->resource, resource) == 0)
            return job;
    return NULL;
}

static void set_state(struct jobs *jobs, struct job *job, enum job_state state)
{
    jobs->states[job->state]--;
    job->state = state;
    jobs->states[state]++;
}

/* Something worth telling has changed. */
static void tell(struct job *job)
{
    job->event++;
    if (!job->streams)
        return;
    const struct job_view view = job_view(job);
    job_streams_tell(&job->streams, &view);
}

void jobs_start(struct jobs *jobs, struct job *job)
{
    set_state(jobs, job, JOB_RUNNING);
    job->started = clock_calendar();
    job->started_steady = clock_steady();
    tell(job);
}

void jobs_progress(struct job *job, const char *stage, double progress)
{
    const double before = floor(job->progress / EVENT_PROGRESS);
    bool changed = strcmp(job->stage, stage) != 0;
    job->stage = stage;
    // never backwards
    if (progress > job->progress)
        job->progress = progress < 1 ? progress : 1;
    changed |= floor(job->progress / EVENT_PROGRESS) > before;
    if (changed)
        tell(job);
}

/* Forgets the job that ended first, where the history is full. */
static void trim_history(struct jobs *jobs)
{
    struct job **first = NULL;
    if (jobs->ended_count <= JOBS_HISTORY_MAX)
        return;
    for (struct job **link = &jobs->newest; *link; link = &(*link)->next)
        if (!job_is_active(*link) && (!first || (*link)->end_number < (*first)->end_number))
            first = link;
    if (!first)
        return;
    struct job *job = *first;
    *first = job->next;
    jobs->ended_count--;
    jobs->states[job->state]--;
    counted_release(&job->counted);
}

struct job_waiter *jobs_finish(struct jobs *jobs, struct job *job, enum job_state state,
                               const struct problem_fault *error)
{
    struct job_waiter *waiters = job->waiters;
    set_state(jobs, job, state);
    job->waiters = NULL;
    job->work = NULL;
    job->ended = clock_calendar();
    job->end_number = ++jobs->last_end_number;
    if (state == JOB_SUCCEEDED) {
        job->stage = "done";
        job->progress = 1;
    }
    if (error)
        job->error = *error;
    tell(job);
    atomic_fetch_sub(&jobs->active_count, 1);
    jobs->ended_count++;
    trim_history(jobs);
    return waiters;
}

void jobs_wait(struct job *job, struct job_waiter *waiter)
{
    waiter->next = job->waiters;
    job->waiters = waiter;
}

struct job_waiter *jobs_expire(struct job *job, double now, double *next)
{
    struct job_waiter *expired = NULL;
    for (struct job_waiter **link = &job->waiters; *link;) {
        struct job_waiter *waiter = *link;
        if (waiter->deadline <= now || atomic_load(&waiter->call->abandoned)) {
            *link = waiter->next;
            waiter->view = job_view(job);
            waiter->next = expired;
            expired = waiter;
        } else {
            *next = fmin(*next, waiter->deadline);
            link = &waiter->next;
        }
    }
    return expired;
}

void job_write_error(const struct problem_fault *error, struct text *out)
{
    if (error->code == PROBLEM_NONE) {
        text_json_number(out, NAN, 1);
        return;
    }
    text_json_open(out, '{');
    text_member_string(out, "code", problem_code_text(error->code));
    text_member_u64(out, "status", (uint64_t)problem_code_status(error->code));
    text_member_string(out, "title", problem_code_title(error->code));
    text_member_string(out, "detail", error->detail);
    text_json_close(out, '}');
}

/* Milliseconds left, from the pace so far; NaN: not known. */
static double eta_ms(const struct job *job)
{
    if (job->state != JOB_RUNNING)
        return job_is_active(job) ? NAN : 0;
    if (job->progress < ETA_PROGRESS_MIN)
        return NAN;
    const double elapsed = clock_steady() - job->started_steady;
    return 1e3 * elapsed * (1 - job->progress) / job->progress;
}

struct job_view job_view(const struct job *job)
{
    struct job_view view = {.number = job->number,
                            .event = job->event,
                            .kind = job->kind,
                            .state = job->state,
                            .stage = job->stage,
                            .progress = job->progress,
                            .eta_ms = eta_ms(job),
                            .created = job->created,
                            .started = job->started,
                            .ended = job->ended,
                            .error = job->error};
    memcpy(view.id, job->id, sizeof(view.id));
    memcpy(view.resource, job->resource, sizeof(view.resource));
    return view;
}

void job_write(const struct job_view *view, struct text *out)
{
    text_json_open(out, '{');
    text_member_string(out, "id", view->id);
    text_member_string(out, "kind", view->kind);
    text_member_string(out, "resource", view->resource);
    text_member_string(out, "state", job_state_text(view->state));
    text_member_string(out, "stage", view->stage);
    text_member_number(out, "progress", view->progress, 4);
    text_member_number(out, "eta_ms", view->eta_ms, 4);
    text_json_key(out, "created");
    clock_write_json(view->created, out);
    text_json_key(out, "started");
    clock_write_json(view->started, out);
    text_json_key(out, "ended");
    clock_write_json(view->ended, out);
    text_json_key(out, "error");
    job_write_error(&view->error, out);
    text_json_close(out, '}');
}

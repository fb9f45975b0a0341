/* The job table: what is being made, how far it is, and who waits for it.
 *
 * At most so many jobs are queued or running; the last JOBS_HISTORY_MAX that ended stay to be
 * looked at. A waiter is a call that wants the job's end until a deadline.
 *
 * Threads: none of its own; the owner locks. `cancel` may be read anywhere. A job is counted; its
 * mutable members belong to the owner's lock.
 */
#ifndef SERVICE_JOBS_H
#define SERVICE_JOBS_H

#include "schema/problem.h"
#include "service/counted.h"

#include <stdatomic.h>

struct call;
struct job_stream;

enum { JOBS_HISTORY_MAX = 256, JOB_ID_BYTES = 32, JOB_RESOURCE_BYTES = 80 };

/* The states of a job: X(constant, wire text). */
#define JOB_STATES(X)                                                                              \
    X(QUEUED, "queued")                                                                            \
    X(RUNNING, "running")                                                                          \
    X(SUCCEEDED, "succeeded")                                                                      \
    X(FAILED, "failed")                                                                            \
    X(CANCELLED, "cancelled")

enum job_state {
#define X(constant, text) JOB_##constant,
    JOB_STATES(X)
#undef X
        JOB_STATE_COUNT
};

const char *job_state_text(enum job_state state);

/* What there is to say of a job at a moment: a copy, to be written without the owner's lock. */
struct job_view {
    uint64_t number;
    unsigned event; /* grows with what is worth telling */
    char id[JOB_ID_BYTES];
    const char *kind; /* static text */
    char resource[JOB_RESOURCE_BYTES];
    enum job_state state;
    const char *stage;              /* static text */
    double progress;                /* 0 … 1 */
    double eta_ms;                  /* NaN: not known */
    double created, started, ended; /* calendar; 0: not yet */
    struct problem_fault error;     /* code PROBLEM_NONE: none */
};

/* A call that waits for a job. */
struct job_waiter {
    struct job_waiter *next;
    struct call *call;
    double deadline;      /* steady clock */
    int success_status;   /* of its answer when the job succeeds in time */
    struct job_view view; /* of the job, where the wait was given up */
};

struct job {
    struct counted counted;
    struct job *next; /* in the table, newest first */
    uint64_t number;
    unsigned event; /* grows with each change of state or stage and each per cent of progress */
    char id[JOB_ID_BYTES];
    const char *kind; /* static text */
    char resource[JOB_RESOURCE_BYTES];
    void *work; /* the maker's; NULL once the job has ended */
    enum job_state state;
    const char *stage;              /* static text */
    double progress;                /* 0 … 1 */
    double created, started, ended; /* calendar; 0: not yet */
    double created_steady, started_steady;
    uint64_t end_number;        /* grows with each end, as no clock need; 0: not yet */
    struct problem_fault error; /* code PROBLEM_NONE: none */
    atomic_bool cancel;
    struct job_waiter *waiters;
    struct job_stream *streams; /* that tell of it; none once it has ended */
};

struct jobs {
    struct job *newest;
    unsigned active_max, ended_count;
    atomic_uint active_count;         /* queued or running */
    unsigned states[JOB_STATE_COUNT]; /* jobs in the table by state */
    uint64_t last_number, last_end_number;
    char prefix[JOB_ID_BYTES /
                2]; /* of ids, so that those of an earlier process are not met again */
};

void jobs_init(struct jobs *jobs, unsigned active_max, const char *prefix);

/* Forgets all jobs; none may have waiters. */
void jobs_deinit(struct jobs *jobs);

/* Enters a queued job, borrowed; NULL: the table is full, or memory is. */
struct job *jobs_add(struct jobs *jobs, const char *kind, const char *resource, void *work);

/* Borrowed; NULL: no such job, or it ended too long ago. */
struct job *jobs_find(const struct jobs *jobs, const char *id);

/* The job of that kind on a resource that is queued or running and not to be cancelled; NULL: none.
 */
struct job *jobs_find_active(const struct jobs *jobs, const char *kind, const char *resource);

bool job_is_active(const struct job *job);

void jobs_start(struct jobs *jobs, struct job *job);
void jobs_progress(struct job *job, const char *stage, double progress);

/* Ends an active job: succeeded, failed with `error`, or cancelled. Returns its waiters, for the
 * caller to answer and free without the lock. */
struct job_waiter *jobs_finish(struct jobs *jobs, struct job *job, enum job_state state,
                               const struct problem_fault *error);

/* Takes over a waiter. */
void jobs_wait(struct job *job, struct job_waiter *waiter);

/* Takes out the waiters whose deadline has passed, or whose call is abandoned, each with a view of
 * the job. *next becomes the earliest deadline left (unchanged if none is earlier). */
struct job_waiter *jobs_expire(struct job *job, double now, double *next);

struct job_view job_view(const struct job *job);

bool job_view_is_active(const struct job_view *view);

/* Appends a job as a JSON object. Threads: any. */
void job_write(const struct job_view *view, struct text *out);

/* Appends a fault as a JSON object: code, status, title, detail; null where there is none. */
void job_write_error(const struct problem_fault *error, struct text *out);

#endif

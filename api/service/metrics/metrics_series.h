/* The series behind /metrics, shared by those who count (metrics.c) and who write (metrics_write.c)
 * and nobody else.
 *
 * Counters are atomic and relaxed; series are only ever added, under the lock, and seen once they
 * are whole: so counting and writing take no lock but for a series' first time.
 */
#ifndef SERVICE_METRICS_SERIES_H
#define SERVICE_METRICS_SERIES_H

#include "schema/plan.h"
#include "service/jobs/jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    BUCKETS_MAX = 18,
    REQUEST_SLOTS = 1024, /* a power of two */
    REQUESTS_MAX = 768,   /* series kept apart */
    SERIES_MAX = 80,      /* label values of one family of histograms */
};

/* Upper bounds of buckets, ascending; +Inf follows. Values are summed up in whole steps of `unit`.
 */
struct metrics_bounds {
    unsigned count;
    double unit;
    double upper[BUCKETS_MAX];
    const char *texts[BUCKETS_MAX + 1]; /* the same as labels, +Inf last */
};

extern const struct metrics_bounds metrics_seconds, metrics_queries_bounds;

struct metrics_histogram {
    _Atomic uint64_t counts[BUCKETS_MAX + 1]; /* of a bucket alone */
    _Atomic uint64_t sum;                     /* in units */
};

/* Histograms by the value of one label, static texts; the last takes all that find no room. */
struct metrics_family {
    atomic_uint count;
    const char *labels[SERIES_MAX];
    struct metrics_histogram series[SERIES_MAX];
};

/* Requests by their three labels. */
struct metrics_requests {
    _Atomic(const char *) route; /* NULL: a free slot; set last */
    const char *method;
    int status;
    _Atomic uint64_t count;
    struct metrics_histogram *durations; /* of the route */
};

struct metrics {
    pthread_mutex_t lock; /* for new series */
    unsigned request_count;
    struct metrics_requests requests[REQUEST_SLOTS]; /* open addressing */
    struct metrics_requests other_requests;          /* all that find no room */
    struct metrics_family durations, queues, stages, jobs;
    struct metrics_histogram batches;
    _Atomic uint64_t queries[PLAN_STATUS_COUNT];
    _Atomic uint64_t jobs_ended[JOB_STATE_COUNT];
};

#endif

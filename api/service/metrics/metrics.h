/* Metrics in Prometheus' text format (api page, section 9): seconds and bytes; names of resources
 * are never labels, so that the number of series is bounded.
 *
 * Cost: counting a request takes a hash of its labels and three atomic additions, below 0.2 µs, and
 * no lock; writing takes about a millisecond and holds up nobody.
 *
 * Threads: every function may be called anywhere.
 */
#ifndef SERVICE_METRICS_H
#define SERVICE_METRICS_H

#include "schema/text.h"
#include "service/jobs/jobs.h"

struct metrics;

/* NULL: no memory. */
struct metrics *metrics_create(void);
void metrics_destroy(struct metrics *metrics);

/* An answered request. `method` and `route` are static texts from closed sets; past some hundred
 * combinations with a status new ones are counted together. */
void metrics_request(struct metrics *metrics, const char *method, const char *route, int status,
                     double seconds);

/* Waiting for the device: "plan", "update", "overlay", "question", "compute", "build". All texts
 * below are static. */
void metrics_queue(struct metrics *metrics, const char *op, double seconds);
void metrics_stage(struct metrics *metrics, const char *stage, double seconds);

/* A job that ended in this state, so long after its start; negative: it never started. */
void metrics_job(struct metrics *metrics, const char *kind, enum job_state state, double seconds);

/* A batch that ran. */
void metrics_batch(struct metrics *metrics, unsigned queries);

/* How a request's queries ended: counts in plan_status order. */
void metrics_queries(struct metrics *metrics, const unsigned *by_status);

/* What is counted at the time of asking. */
struct metrics_gauges {
    const char *version, *device;
    const unsigned *jobs;     /* [JOB_STATE_COUNT] */
    const unsigned *roadmaps; /* [roadmap_state_count] */
    const char *const *roadmap_states;
    unsigned roadmap_state_count;
    unsigned worlds, robots;
    unsigned ready, in_flight;
    uint64_t resident_bytes, scratch_bytes, limit_bytes;
};

/* Appends the whole of /metrics. */
void metrics_write(struct metrics *metrics, const struct metrics_gauges *gauges, struct text *out);

#endif

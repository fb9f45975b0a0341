/* Metrics in Prometheus' text format (api page, section 9): seconds and bytes; names of resources
 * are never labels, so that the number of series is bounded.
 *
 * Threads: every function may be called anywhere.
 */
#ifndef SERVICE_METRICS_H
#define SERVICE_METRICS_H

#include "schema/text.h"
#include "service/jobs.h"

struct metrics;

/* NULL: no memory. */
struct metrics *metrics_create(void);
void metrics_destroy(struct metrics *metrics);

/* An answered request. `method` and `route` come from closed sets; past METRICS_REQUESTS_MAX
 * combinations with a status new ones are counted together. */
void metrics_request(struct metrics *metrics, const char *method, const char *route, int status,
                     double seconds);

/* Waiting for the device: "plan", "update" or "build". All texts below are static. */
void metrics_queue(struct metrics *metrics, const char *op, double seconds);
void metrics_stage(struct metrics *metrics, const char *stage, double seconds);
void metrics_job(struct metrics *metrics, const char *kind, double seconds);

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
    uint64_t resident_bytes, scratch_bytes, limit_bytes;
};

/* Appends the whole of /metrics. */
void metrics_write(struct metrics *metrics, const struct metrics_gauges *gauges, struct text *out);

#endif

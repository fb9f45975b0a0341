#include "service/metrics/metrics.h"

#include "schema/route.h"
#include "service/metrics/metrics_series.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(ROUTE_COUNT < SERIES_MAX - 1, "each route has durations of its own");

/* What a family that is full calls the rest. */
static const char OTHER[] = "other";

const struct metrics_bounds metrics_seconds = {17,
                                               1e-9,
                                               {1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2,
                                                2.5e-2, 5e-2, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600},
                                               {"0.0001", "0.00025", "0.0005", "0.001", "0.0025",
                                                "0.005", "0.01", "0.025", "0.05", "0.1", "0.25",
                                                "0.5", "1", "5", "30", "120", "600", "+Inf"}};
const struct metrics_bounds metrics_queries_bounds = {
    11,
    1,
    {1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 100000, 1000000},
    {"1", "3", "10", "30", "100", "300", "1000", "3000", "10000", "100000", "1000000", "+Inf"}};

/* ---- series ---- */

/* The histogram of a label's value. The text is compared only where no pointer is the same. */
static struct metrics_histogram *series_of(struct metrics *metrics, struct metrics_family *family,
                                           const char *label)
{
    unsigned count = atomic_load_explicit(&family->count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++)
        if (family->labels[i] == label)
            return &family->series[i];

    pthread_mutex_lock(&metrics->lock);
    count = atomic_load_explicit(&family->count, memory_order_relaxed);
    unsigned i = 0;
    while (i < count && strcmp(family->labels[i], label) != 0)
        i++;
    if (i == SERIES_MAX)
        i = SERIES_MAX - 1;
    if (i == count) {
        family->labels[i] = i == SERIES_MAX - 1 ? OTHER : label;
        atomic_store_explicit(&family->count, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&metrics->lock);
    return &family->series[i];
}

static void observe(struct metrics_histogram *histogram, const struct metrics_bounds *bounds,
                    double value)
{
    unsigned i = 0;
    while (i < bounds->count && value > bounds->upper[i])
        i++;
    const uint64_t units = value > 0 ? (uint64_t)(value / bounds->unit + 0.5) : 0;
    atomic_fetch_add_explicit(&histogram->counts[i], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum, units, memory_order_relaxed);
}

/* Makes the series that are known before anything happens. */
static void foresee(struct metrics *metrics)
{
    static const char *const OPS[] = {"plan", "update", "overlay", "question", "compute", "build"};
    for (unsigned i = 0; i < sizeof(OPS) / sizeof(OPS[0]); i++)
        series_of(metrics, &metrics->queues, OPS[i]);
    series_of(metrics, &metrics->jobs, "build");
}

struct metrics *metrics_create(void)
{
    struct metrics *metrics = calloc(1, sizeof(*metrics));
    if (!metrics)
        return NULL;
    pthread_mutex_init(&metrics->lock, NULL);
    metrics->other_requests.method = OTHER;
    metrics->other_requests.durations = series_of(metrics, &metrics->durations, OTHER);
    atomic_store(&metrics->other_requests.route, OTHER);
    foresee(metrics);
    return metrics;
}

void metrics_destroy(struct metrics *metrics)
{
    if (!metrics)
        return;
    pthread_mutex_destroy(&metrics->lock);
    free(metrics);
}

/* ---- requests ---- */

static uint32_t hash_append(uint32_t hash, const char *text)
{
    // FNV-1a
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static bool is_same(const char *one, const char *other)
{
    return one == other || strcmp(one, other) == 0;
}

/* The slot of a request from `at` on, or the free one where it belongs; *route is what is there. */
static struct metrics_requests *find_slot(struct metrics *metrics, uint32_t at, const char *method,
                                          const char *route, int status, const char **there)
{
    for (;; at++) {
        struct metrics_requests *slot = &metrics->requests[at % REQUEST_SLOTS];
        *there = atomic_load_explicit(&slot->route, memory_order_acquire);
        if (!*there ||
            (slot->status == status && is_same(*there, route) && is_same(slot->method, method)))
            return slot;
    }
}

/* Enters a request that has no slot yet. */
static struct metrics_requests *enter(struct metrics *metrics, uint32_t hash, const char *method,
                                      const char *route, int status)
{
    const char *there;
    struct metrics_histogram *durations = series_of(metrics, &metrics->durations, route);
    pthread_mutex_lock(&metrics->lock);
    struct metrics_requests *slot = find_slot(metrics, hash, method, route, status, &there);
    if (!there && metrics->request_count == REQUESTS_MAX) {
        slot = &metrics->other_requests;
    } else if (!there) {
        metrics->request_count++;
        slot->method = method;
        slot->status = status;
        slot->durations = durations;
        atomic_store_explicit(&slot->route, route, memory_order_release);
    }
    pthread_mutex_unlock(&metrics->lock);
    return slot;
}

void metrics_request(struct metrics *metrics, const char *method, const char *route, int status,
                     double seconds)
{
    const char *there;
    const uint32_t hash =
        hash_append(hash_append(2166136261u, method), route) + (uint32_t)status * 2654435761u;
    struct metrics_requests *slot = find_slot(metrics, hash, method, route, status, &there);
    if (!there)
        slot = enter(metrics, hash, method, route, status);
    atomic_fetch_add_explicit(&slot->count, 1, memory_order_relaxed);
    observe(slot->durations, &metrics_seconds, seconds);
}

/* ---- the rest ---- */

static void observe_seconds(struct metrics *metrics, struct metrics_family *family,
                            const char *label, double seconds)
{
    observe(series_of(metrics, family, label), &metrics_seconds, seconds);
}

void metrics_queue(struct metrics *metrics, const char *op, double seconds)
{
    observe_seconds(metrics, &metrics->queues, op, seconds);
}

void metrics_stage(struct metrics *metrics, const char *stage, double seconds)
{
    observe_seconds(metrics, &metrics->stages, stage, seconds);
}

void metrics_job(struct metrics *metrics, const char *kind, enum job_state state, double seconds)
{
    atomic_fetch_add_explicit(&metrics->jobs_ended[state], 1, memory_order_relaxed);
    if (seconds >= 0)
        observe_seconds(metrics, &metrics->jobs, kind, seconds);
}

void metrics_batch(struct metrics *metrics, unsigned queries)
{
    observe(&metrics->batches, &metrics_queries_bounds, queries);
}

void metrics_queries(struct metrics *metrics, const unsigned *by_status)
{
    for (unsigned i = 0; i < PLAN_STATUS_COUNT; i++)
        if (by_status[i] > 0)
            atomic_fetch_add_explicit(&metrics->queries[i], by_status[i], memory_order_relaxed);
}

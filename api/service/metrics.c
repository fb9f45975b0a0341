#include "service/metrics.h"

#include "schema/decimal.h"
#include "schema/plan.h"
#include "service/process.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS_MAX = 16,
    REQUEST_SLOTS = 1024, /* a power of two */
    REQUESTS_MAX = 768,   /* series kept apart */
    LABEL_BYTES = 96,
    SERIES_MAX = 48, /* label values of one histogram */
    NUMBER_DIGITS = 15,
};

/* Upper bounds, ascending; +Inf follows. */
struct bounds {
    unsigned count;
    double upper[BUCKETS_MAX];
};

static const struct bounds SECONDS = {
    14, {0.0001, 0.0003, 0.001, 0.002, 0.005, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60, 600}};
static const struct bounds QUERIES = {11,
                                      {1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 100000, 1000000}};

struct histogram {
    uint64_t counts[BUCKETS_MAX + 1]; /* not yet summed up */
    uint64_t count;
    double sum;
};

/* Histograms by the value of one label. */
struct family {
    unsigned count;
    char labels[SERIES_MAX][LABEL_BYTES];
    struct histogram series[SERIES_MAX];
};

struct request_series {
    char method[16], route[LABEL_BYTES];
    int status;
    uint64_t count;
};

struct metrics {
    pthread_mutex_t lock;
    struct request_series requests[REQUEST_SLOTS]; /* open addressing; an empty route is free */
    struct request_series other_requests;
    unsigned request_count;
    struct family durations, queues, stages, jobs;
    struct histogram batches;
    uint64_t queries[PLAN_STATUS_COUNT];
};

struct metrics *metrics_create(void)
{
    struct metrics *metrics = calloc(1, sizeof(*metrics));
    if (!metrics)
        return NULL;
    pthread_mutex_init(&metrics->lock, NULL);
    metrics->other_requests = (struct request_series){.method = "other", .route = "other"};
    return metrics;
}

void metrics_destroy(struct metrics *metrics)
{
    if (!metrics)
        return;
    pthread_mutex_destroy(&metrics->lock);
    free(metrics);
}

/* ---- counting ---- */

static void observe(struct histogram *histogram, const struct bounds *bounds, double value)
{
    unsigned i = 0;
    while (i < bounds->count && value > bounds->upper[i])
        i++;
    histogram->counts[i]++;
    histogram->count++;
    histogram->sum += value;
}

/* The series of a label's value; the last one takes all that find no room. */
static struct histogram *series_of(struct family *family, const char *label)
{
    unsigned i = 0;
    while (i < family->count && strcmp(family->labels[i], label) != 0)
        i++;
    if (i == SERIES_MAX)
        return &family->series[SERIES_MAX - 1];
    if (i == family->count) {
        snprintf(family->labels[i], LABEL_BYTES, "%s", i == SERIES_MAX - 1 ? "other" : label);
        family->count++;
    }
    return &family->series[i];
}

static void observe_seconds(struct metrics *metrics, struct family *family, const char *label,
                            double seconds)
{
    pthread_mutex_lock(&metrics->lock);
    observe(series_of(family, label), &SECONDS, seconds);
    pthread_mutex_unlock(&metrics->lock);
}

static uint32_t hash_append(uint32_t hash, const char *text)
{
    // FNV-1a
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* The series of a request; all that find no room share one. */
static struct request_series *request_of(struct metrics *metrics, const char *method,
                                         const char *route, int status)
{
    const uint32_t hash =
        hash_append(hash_append(2166136261u, method), route) + (uint32_t)status * 2654435761u;
    for (uint32_t i = hash;; i++) {
        struct request_series *slot = &metrics->requests[i % REQUEST_SLOTS];
        if (!slot->route[0]) {
            if (metrics->request_count == REQUESTS_MAX)
                return &metrics->other_requests;
            metrics->request_count++;
            snprintf(slot->method, sizeof(slot->method), "%s", method);
            snprintf(slot->route, sizeof(slot->route), "%s", route);
            slot->status = status;
            return slot;
        }
        if (slot->status == status && strcmp(slot->method, method) == 0 &&
            strcmp(slot->route, route) == 0)
            return slot;
    }
}

void metrics_request(struct metrics *metrics, const char *method, const char *route, int status,
                     double seconds)
{
    pthread_mutex_lock(&metrics->lock);
    request_of(metrics, method, route, status)->count++;
    observe(series_of(&metrics->durations, route), &SECONDS, seconds);
    pthread_mutex_unlock(&metrics->lock);
}

void metrics_queue(struct metrics *metrics, const char *op, double seconds)
{
    observe_seconds(metrics, &metrics->queues, op, seconds);
}

void metrics_stage(struct metrics *metrics, const char *stage, double seconds)
{
    observe_seconds(metrics, &metrics->stages, stage, seconds);
}

void metrics_job(struct metrics *metrics, const char *kind, double seconds)
{
    observe_seconds(metrics, &metrics->jobs, kind, seconds);
}

void metrics_batch(struct metrics *metrics, unsigned queries)
{
    pthread_mutex_lock(&metrics->lock);
    observe(&metrics->batches, &QUERIES, queries);
    pthread_mutex_unlock(&metrics->lock);
}

void metrics_queries(struct metrics *metrics, const unsigned *by_status)
{
    pthread_mutex_lock(&metrics->lock);
    for (unsigned i = 0; i < PLAN_STATUS_COUNT; i++)
        metrics->queries[i] += by_status[i];
    pthread_mutex_unlock(&metrics->lock);
}

/* ---- writing ---- */

static void write_number(double value, struct text *out)
{
    char digits[DECIMAL_BYTES_MAX];
    text_append(out, digits, decimal_write(digits, value, NUMBER_DIGITS));
}

static void write_head(const char *name, const char *type, const char *help, struct text *out)
{
    text_print(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A label's value, with quotes. */
static void write_label(const char *name, const char *value, struct text *out)
{
    text_print(out, "%s=\"", name);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            text_append(out, "\\", 1);
        text_append(out, *value == '\n' ? " " : value, 1);
    }
    text_append(out, "\"", 1);
}

static void write_value(const char *name, const char *label, const char *value, double number,
                        struct text *out)
{
    text_print(out, "%s", name);
    if (label) {
        text_append(out, "{", 1);
        write_label(label, value, out);
        text_append(out, "}", 1);
    }
    text_append(out, " ", 1);
    write_number(number, out);
    text_append(out, "\n", 1);
}

/* One histogram; label NULL: it has none. */
static void write_histogram(const char *name, const char *label, const char *value,
                            const struct histogram *histogram, const struct bounds *bounds,
                            struct text *out)
{
    char part[LABEL_BYTES];
    uint64_t below = 0;
    for (unsigned i = 0; i <= bounds->count; i++) {
        below += histogram->counts[i];
        text_print(out, "%s_bucket{", name);
        if (label) {
            write_label(label, value, out);
            text_append(out, ",", 1);
        }
        text_print(out, "le=\"");
        if (i < bounds->count)
            write_number(bounds->upper[i], out);
        else
            text_print(out, "+Inf");
        text_print(out, "\"} %llu\n", (unsigned long long)below);
    }
    snprintf(part, sizeof(part), "%s_sum", name);
    write_value(part, label, value, histogram->sum, out);
    snprintf(part, sizeof(part), "%s_count", name);
    write_value(part, label, value, (double)histogram->count, out);
}

static void write_family(const char *name, const char *help, const char *label,
                         const struct family *family, struct text *out)
{
    write_head(name, "histogram", help, out);
    for (unsigned i = 0; i < family->count; i++)
        write_histogram(name, label, family->labels[i], &family->series[i], &SECONDS, out);
}

static void write_request(const struct request_series *series, struct text *out)
{
    if (!series->count)
        return;
    text_print(out, "prmd_http_requests_total{");
    write_label("method", series->method, out);
    text_append(out, ",", 1);
    write_label("route", series->route, out);
    text_print(out, ",code=\"%d\"} %llu\n", series->status, (unsigned long long)series->count);
}

static void write_requests(const struct metrics *metrics, struct text *out)
{
    write_head("prmd_http_requests_total", "counter", "Answered HTTP requests.", out);
    for (unsigned i = 0; i < REQUEST_SLOTS; i++)
        write_request(&metrics->requests[i], out);
    write_request(&metrics->other_requests, out);
    write_family("prmd_http_request_duration_seconds", "From the request read to its answer ready.",
                 "route", &metrics->durations, out);
}

static void write_planning(const struct metrics *metrics, struct text *out)
{
    write_family("prmd_queue_duration_seconds", "Waiting for the device thread.", "op",
                 &metrics->queues, out);
    write_head("prmd_queries_total", "counter", "Answered queries by status.", out);
    for (unsigned i = 0; i < PLAN_STATUS_COUNT; i++)
        write_value("prmd_queries_total", "status", plan_status_text((enum plan_status)i),
                    (double)metrics->queries[i], out);
    write_head("prmd_batch_queries", "histogram", "Queries of a batch on the device.", out);
    write_histogram("prmd_batch_queries", NULL, NULL, &metrics->batches, &QUERIES, out);
    write_family("prmd_stage_duration_seconds", "Stages of planning and building.", "stage",
                 &metrics->stages, out);
    write_family("prmd_job_duration_seconds", "Jobs from their start to their end.", "kind",
                 &metrics->jobs, out);
}

static void write_gauges(const struct metrics_gauges *gauges, struct text *out)
{
    static const char MEMORY[] = "prmd_device_memory_bytes";
    const struct {
        const char *use;
        uint64_t bytes;
    } uses[] = {{"resident", gauges->resident_bytes},
                {"scratch", gauges->scratch_bytes},
                {"limit", gauges->limit_bytes}};

    write_head("prmd_build_info", "gauge", "Always 1; what runs, and on what.", out);
    text_print(out, "prmd_build_info{");
    write_label("version", gauges->version, out);
    text_append(out, ",", 1);
    write_label("device", gauges->device, out);
    text_print(out, "} 1\n");

    write_head("prmd_jobs", "gauge", "Jobs in the table by state.", out);
    for (unsigned i = 0; i < JOB_STATE_COUNT; i++)
        write_value("prmd_jobs", "state", job_state_text((enum job_state)i), gauges->jobs[i], out);
    write_head("prmd_roadmaps", "gauge", "Roadmaps by state.", out);
    for (unsigned i = 0; i < gauges->roadmap_state_count; i++)
        write_value("prmd_roadmaps", "state", gauges->roadmap_states[i], gauges->roadmaps[i], out);

    write_head(MEMORY, "gauge", "Device memory in use, and what may be taken.", out);
    for (unsigned i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        text_print(out, "%s{", MEMORY);
        write_label("device", gauges->device, out);
        text_print(out, ",use=\"%s\"} %llu\n", uses[i].use, (unsigned long long)uses[i].bytes);
    }
}

static void write_process(struct text *out)
{
    const struct process_figures figures = process_look();
    const struct {
        const char *name, *type, *help;
        double value;
    } rows[] = {
        {"process_cpu_seconds_total", "counter", "User and system time.", figures.cpu_s},
        {"process_resident_memory_bytes", "gauge", "Resident memory.", figures.resident_bytes},
        {"process_virtual_memory_bytes", "gauge", "Virtual memory.", figures.virtual_bytes},
        {"process_open_fds", "gauge", "Open file descriptors.", figures.open_files},
        {"process_max_fds", "gauge", "File descriptors that may be open.", figures.files_max},
        {"process_start_time_seconds", "gauge", "Start, seconds since 1970.", figures.started},
    };
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        write_head(rows[i].name, rows[i].type, rows[i].help, out);
        write_value(rows[i].name, NULL, NULL, rows[i].value, out);
    }
}

void metrics_write(struct metrics *metrics, const struct metrics_gauges *gauges, struct text *out)
{
    write_gauges(gauges, out);
    pthread_mutex_lock(&metrics->lock);
    write_requests(metrics, out);
    write_planning(metrics, out);
    pthread_mutex_unlock(&metrics->lock);
    write_process(out);
}

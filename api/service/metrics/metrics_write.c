/* /metrics as text: https://prometheus.io/docs/instrumenting/exposition_formats/. */
#include "schema/decimal.h"
#include "service/metrics/metrics.h"
#include "service/metrics/metrics_series.h"
#include "service/metrics/process.h"

#include <math.h>
#include <string.h>

enum { NUMBER_DIGITS = 15 };

/* Whole numbers up to here are doubles of their own. */
static const double EXACT_MAX = 9007199254740992.0;

static void append(struct text *out, const char *string)
{
    text_append(out, string, strlen(string));
}

static void write_number(double value, struct text *out)
{
    char digits[DECIMAL_BYTES_MAX];
    if (value >= 0 && value < EXACT_MAX && value == floor(value))
        text_print(out, "%llu", (unsigned long long)value);
    else
        text_append(out, digits, decimal_write(digits, value, NUMBER_DIGITS));
}

static void write_head(const char *name, const char *type, const char *help, struct text *out)
{
    text_print(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A label and its value, escaped. */
static void write_label(const char *name, const char *value, struct text *out)
{
    append(out, name);
    append(out, "=\"");
    for (;;) {
        const size_t plain = strcspn(value, "\"\\\n");
        text_append(out, value, plain);
        value += plain;
        if (!*value)
            break;
        append(out, *value == '\n' ? "\\n" : *value == '"' ? "\\\"" : "\\\\");
        value++;
    }
    append(out, "\"");
}

/* One sample of name and suffix; label NULL: it has none. */
static void write_sample(const char *name, const char *suffix, const char *label, const char *value,
                         double number, struct text *out)
{
    append(out, name);
    append(out, suffix);
    if (label) {
        append(out, "{");
        write_label(label, value, out);
        append(out, "}");
    }
    append(out, " ");
    write_number(number, out);
    append(out, "\n");
}

static void write_value(const char *name, const char *label, const char *value, double number,
                        struct text *out)
{
    write_sample(name, "", label, value, number, out);
}

/* A family that has one sample. */
static void write_single(const char *name, const char *type, const char *help, double number,
                         struct text *out)
{
    write_head(name, type, help, out);
    write_value(name, NULL, NULL, number, out);
}

/* One histogram; label NULL: it has none. The count is that of the buckets, whatever is counted
 * meanwhile. */
static void write_histogram(const char *name, const char *label, const char *value,
                            const struct metrics_histogram *histogram,
                            const struct metrics_bounds *bounds, struct text *out)
{
    uint64_t below = 0;
    const uint64_t sum = atomic_load_explicit(&histogram->sum, memory_order_relaxed);
    for (unsigned i = 0; i <= bounds->count; i++) {
        below += atomic_load_explicit(&histogram->counts[i], memory_order_relaxed);
        append(out, name);
        append(out, "_bucket{");
        if (label) {
            write_label(label, value, out);
            append(out, ",");
        }
        append(out, "le=\"");
        append(out, bounds->texts[i]);
        text_print(out, "\"} %llu\n", (unsigned long long)below);
    }
    write_sample(name, "_sum", label, value, (double)sum * bounds->unit, out);
    write_sample(name, "_count", label, value, (double)below, out);
}

static void write_family(const char *name, const char *help, const char *label,
                         const struct metrics_family *family, struct text *out)
{
    const unsigned count = atomic_load_explicit(&family->count, memory_order_acquire);
    write_head(name, "histogram", help, out);
    for (unsigned i = 0; i < count; i++)
        write_histogram(name, label, family->labels[i], &family->series[i], &metrics_seconds, out);
}

static void write_request(const struct metrics_requests *requests, struct text *out)
{
    const char *route = atomic_load_explicit(&requests->route, memory_order_acquire);
    const uint64_t count = atomic_load_explicit(&requests->count, memory_order_relaxed);
    if (!route || count == 0)
        return;
    text_print(out, "prmd_http_requests_total{");
    write_label("method", requests->method, out);
    append(out, ",");
    write_label("route", route, out);
    text_print(out, ",code=\"%d\"} %llu\n", requests->status, (unsigned long long)count);
}

static void write_requests(const struct metrics *metrics, struct text *out)
{
    write_head("prmd_http_requests_total", "counter",
               "HTTP requests by method, route and status; 499: the client left before.", out);
    for (unsigned i = 0; i < REQUEST_SLOTS; i++)
        write_request(&metrics->requests[i], out);
    write_request(&metrics->other_requests, out);
    write_family("prmd_http_request_duration_seconds",
                 "From a request's first line to the end of its answer.", "route",
                 &metrics->durations, out);
}

static void write_planning(const struct metrics *metrics, struct text *out)
{
    write_family("prmd_queue_duration_seconds", "Waiting for the device thread.", "op",
                 &metrics->queues, out);
    write_head("prmd_queries_total", "counter", "Answered queries by status.", out);
    for (unsigned i = 0; i < PLAN_STATUS_COUNT; i++)
        write_value("prmd_queries_total", "status", plan_status_text((enum plan_status)i),
                    (double)atomic_load_explicit(&metrics->queries[i], memory_order_relaxed), out);
    write_head("prmd_batch_queries", "histogram", "Queries of a batch on the device.", out);
    write_histogram("prmd_batch_queries", NULL, NULL, &metrics->batches, &metrics_queries_bounds,
                    out);
    write_family("prmd_stage_duration_seconds", "Stages of planning and building.", "stage",
                 &metrics->stages, out);
}

static void write_jobs(const struct metrics *metrics, const struct metrics_gauges *gauges,
                       struct text *out)
{
    write_head("prmd_jobs", "gauge", "Jobs in the table by state.", out);
    for (unsigned i = 0; i < JOB_STATE_COUNT; i++)
        write_value("prmd_jobs", "state", job_state_text((enum job_state)i), gauges->jobs[i], out);
    write_head("prmd_jobs_ended_total", "counter", "Jobs that ended, by state.", out);
    for (unsigned i = JOB_SUCCEEDED; i < JOB_STATE_COUNT; i++)
        write_value("prmd_jobs_ended_total", "state", job_state_text((enum job_state)i),
                    (double)atomic_load_explicit(&metrics->jobs_ended[i], memory_order_relaxed),
                    out);
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
    append(out, ",");
    write_label("device", gauges->device, out);
    text_print(out, "} 1\n");
    write_single("prmd_ready", "gauge", "1 where /readyz says so, else 0.", gauges->ready, out);
    write_single("prmd_requests_in_flight", "gauge", "Requests inside the service.",
                 gauges->in_flight, out);
    write_single("prmd_worlds", "gauge", "Worlds.", gauges->worlds, out);
    write_single("prmd_robots", "gauge", "Robots.", gauges->robots, out);
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
    write_single("process_cpu_seconds_total", "counter", "User and system time.", figures.cpu_s,
                 out);
    write_single("process_resident_memory_bytes", "gauge", "Resident memory.",
                 figures.resident_bytes, out);
    write_single("process_virtual_memory_bytes", "gauge", "Virtual memory.", figures.virtual_bytes,
                 out);
    write_single("process_open_fds", "gauge", "Open file descriptors.", figures.open_files, out);
    write_single("process_max_fds", "gauge", "File descriptors that may be open.",
                 figures.files_max, out);
    write_single("process_start_time_seconds", "gauge", "Start, seconds since 1970.",
                 figures.started, out);
}

void metrics_write(struct metrics *metrics, const struct metrics_gauges *gauges, struct text *out)
{
    write_gauges(gauges, out);
    write_jobs(metrics, gauges, out);
    write_requests(metrics, out);
    write_planning(metrics, out);
    write_process(out);
}

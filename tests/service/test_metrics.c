/* Goal: what is counted is written, once, in series whose number is bounded; nothing is lost
 * between threads. Method: counted by hand and from threads, the text taken apart line by line.
 * Oracle: the counts themselves, and the rules of the text format. */
#include "service/metrics/metrics.h"

#include "schema/plan.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE_BYTES = 512, THREADS = 4, ROUNDS = 20000, PER_ROUTE = THREADS * ROUNDS / 5 };

static const unsigned JOBS[JOB_STATE_COUNT] = {1, 2, 3, 4, 5};
static const unsigned ROADMAPS[] = {6, 7};
static const char *const ROADMAP_STATES[] = {"building", "ready"};

/* The whole text, terminated; the caller frees. */
static char *written(struct metrics *metrics)
{
    const struct metrics_gauges gauges = {.version = "1.2",
                                          .device = "a \"device\" \\ of\ntwo lines",
                                          .jobs = JOBS,
                                          .roadmaps = ROADMAPS,
                                          .roadmap_states = ROADMAP_STATES,
                                          .roadmap_state_count = 2,
                                          .worlds = 8,
                                          .robots = 9,
                                          .ready = 1,
                                          .in_flight = 10,
                                          .resident_bytes = 1ull << 40};
    struct text text = {0};
    metrics_write(metrics, &gauges, &text);
    text_append(&text, "", 1);
    assert_false(text.failed);
    return text.data;
}

/* The value of the sample that begins so; fails where there is none, or more than one. */
static double sample(const char *text, const char *series)
{
    char start[LINE_BYTES];
    snprintf(start, sizeof(start), "\n%s ", series);
    const char *found = strstr(text, start);
    if (!found) {
        fail_msg("no %s", series);
        return 0;
    }
    assert_null(strstr(found + 1, start));
    return strtod(found + strlen(start), NULL);
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

static void what_is_counted_is_written(void **state)
{
    (void)state;
    struct metrics *metrics = metrics_create();
    metrics_request(metrics, "GET", "/v1", 200, 0.003);
    metrics_request(metrics, "GET", "/v1", 200, 0.0001);
    metrics_request(metrics, "GET", "/v1", 404, 1000);
    metrics_request(metrics, "PUT", "/v1", 200, 0);
    metrics_queue(metrics, "plan", 0.25);
    metrics_stage(metrics, "sample", 0.5);
    metrics_job(metrics, "build", JOB_SUCCEEDED, 7);
    metrics_job(metrics, "build", JOB_CANCELLED, -1);
    metrics_batch(metrics, 1);
    metrics_batch(metrics, 64);
    unsigned by_status[PLAN_STATUS_COUNT] = {5, 2};
    metrics_queries(metrics, by_status);
    metrics_queries(metrics, by_status);

    static const struct {
        const char *series;
        double value;
    } ROWS[] = {
        {"prmd_http_requests_total{method=\"GET\",route=\"/v1\",code=\"200\"}", 2},
        {"prmd_http_requests_total{method=\"GET\",route=\"/v1\",code=\"404\"}", 1},
        {"prmd_http_requests_total{method=\"PUT\",route=\"/v1\",code=\"200\"}", 1},
        {"prmd_http_request_duration_seconds_bucket{route=\"/v1\",le=\"0.0001\"}", 2},
        {"prmd_http_request_duration_seconds_bucket{route=\"/v1\",le=\"0.0025\"}", 2},
        {"prmd_http_request_duration_seconds_bucket{route=\"/v1\",le=\"0.005\"}", 3},
        {"prmd_http_request_duration_seconds_bucket{route=\"/v1\",le=\"600\"}", 3},
        {"prmd_http_request_duration_seconds_bucket{route=\"/v1\",le=\"+Inf\"}", 4},
        {"prmd_http_request_duration_seconds_count{route=\"/v1\"}", 4},
        {"prmd_http_request_duration_seconds_sum{route=\"/v1\"}", 1000.0031},
        {"prmd_queue_duration_seconds_sum{op=\"plan\"}", 0.25},
        {"prmd_queue_duration_seconds_count{op=\"build\"}", 0},
        {"prmd_stage_duration_seconds_sum{stage=\"sample\"}", 0.5},
        {"prmd_job_duration_seconds_sum{kind=\"build\"}", 7},
        {"prmd_job_duration_seconds_count{kind=\"build\"}", 1},
        {"prmd_jobs_ended_total{state=\"succeeded\"}", 1},
        {"prmd_jobs_ended_total{state=\"failed\"}", 0},
        {"prmd_jobs_ended_total{state=\"cancelled\"}", 1},
        {"prmd_batch_queries_bucket{le=\"1\"}", 1},
        {"prmd_batch_queries_bucket{le=\"30\"}", 1},
        {"prmd_batch_queries_bucket{le=\"100\"}", 2},
        {"prmd_batch_queries_sum", 65},
        {"prmd_batch_queries_count", 2},
        {"prmd_queries_total{status=\"solved\"}", 10},
        {"prmd_queries_total{status=\"no_path\"}", 4},
        {"prmd_queries_total{status=\"invalid_query\"}", 0},
        {"prmd_jobs{state=\"queued\"}", 1},
        {"prmd_jobs{state=\"cancelled\"}", 5},
        {"prmd_roadmaps{state=\"ready\"}", 7},
        {"prmd_worlds", 8},
        {"prmd_robots", 9},
        {"prmd_ready", 1},
        {"prmd_requests_in_flight", 10},
        {"prmd_device_memory_bytes{device=\"a \\\"device\\\" \\\\ of\\ntwo "
         "lines\",use=\"resident\"}",
         1099511627776.0},
        {"prmd_build_info{version=\"1.2\",device=\"a \\\"device\\\" \\\\ of\\ntwo lines\"}", 1},
    };
    char *text = written(metrics);
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const double value = sample(text, ROWS[i].series);
        if (value < ROWS[i].value - 1e-9 || value > ROWS[i].value + 1e-9)
            fail_msg("%s is %.12g", ROWS[i].series, value);
    }
    assert_true(sample(text, "process_resident_memory_bytes") > 1e5);
    assert_true(sample(text, "process_open_fds") >= 3);
    free(text);
    metrics_destroy(metrics);
}

/* Every line is a comment, or a series and a number; each name has one HELP and TYPE, before its
 * samples; buckets never fall. */
static void the_format_holds(void **state)
{
    (void)state;
    struct metrics *metrics = metrics_create();
    for (int i = 0; i < 1000; i++) {
        metrics_request(metrics, "GET", "/v1", 200, 1e-5 * i * i);
        metrics_batch(metrics, (unsigned)(i * i));
    }
    char *text = written(metrics), *rest = text, *line;
    char name[LINE_BYTES] = "";
    double before = 0;
    while ((line = strtok_r(rest, "\n", &rest))) {
        if (strncmp(line, "# HELP ", 7) == 0) {
            snprintf(name, sizeof(name), "%.*s", (int)strcspn(line + 7, " "), line + 7);
            assert_true(strlen(line) > 7 + strlen(name) + 1);
            line = strtok_r(rest, "\n", &rest);
            assert_memory_equal(line, "# TYPE ", 7);
            assert_memory_equal(line + 7, name, strlen(name));
            continue;
        }
        // of the family announced last
        assert_memory_equal(line, name, strlen(name));
        char *end;
        const double value = strtod(strrchr(line, ' ') + 1, &end);
        assert_true(*end == '\0' && value >= 0);
        const char *bound = strstr(line, "le=\"");
        if (bound) {
            const bool is_first = strstr(line, "le=\"0.0001\"") || strstr(line, "le=\"1\"");
            assert_true((is_first && strncmp(line, "prmd_batch", 10) == 0) || value >= before ||
                        strstr(line, "le=\"0.0001\""));
            before = value;
        }
    }
    free(text);
    metrics_destroy(metrics);
}

static void series_are_bounded(void **state)
{
    enum { MANY = 3000, TEXT_BYTES = 16 };
    (void)state;
    static char texts[MANY][TEXT_BYTES];
    struct metrics *metrics = metrics_create();
    for (int i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof(texts[i]), "/r%d", i);
        metrics_request(metrics, "GET", texts[i], 200, 0);
        metrics_request(metrics, "GET", "/v1", 100 + i, 0);
        metrics_stage(metrics, texts[i], 0);
    }
    char *text = written(metrics);
    assert_in_range(count_of(text, "\nprmd_http_requests_total{"), 500, 800);
    assert_in_range(count_of(text, "\nprmd_http_request_duration_seconds_count{"), 50, 80);
    assert_in_range(count_of(text, "\nprmd_stage_duration_seconds_count{"), 50, 80);
    assert_true(strlen(text) < 400000);
    // nothing is lost: the rest is counted together
    double requests = 0, stages = 0;
    for (const char *at = strstr(text, "\nprmd_http_requests_total{"); at;
         at = strstr(at + 1, "\nprmd_http_requests_total{"))
        requests += strtod(strchr(at, '}') + 1, NULL);
    for (const char *at = strstr(text, "\nprmd_stage_duration_seconds_count{"); at;
         at = strstr(at + 1, "\nprmd_stage_duration_seconds_count{"))
        stages += strtod(strchr(at, '}') + 1, NULL);
    assert_true(requests == 2 * MANY);
    assert_true(stages == MANY);
    free(text);
    metrics_destroy(metrics);
}

/* A text of equal content is the same label, wherever it lies. */
static void labels_are_texts(void **state)
{
    (void)state;
    struct metrics *metrics = metrics_create();
    static char one[] = "/v1/x", other[] = "/v1/x";
    metrics_request(metrics, "GET", one, 200, 0);
    metrics_request(metrics, "GET", other, 200, 0);
    metrics_stage(metrics, one, 0);
    metrics_stage(metrics, other, 0);
    char *text = written(metrics);
    assert_true(
        sample(text, "prmd_http_requests_total{method=\"GET\",route=\"/v1/x\",code=\"200\"}") == 2);
    assert_true(sample(text, "prmd_stage_duration_seconds_count{stage=\"/v1/x\"}") == 2);
    free(text);
    metrics_destroy(metrics);
}

static void *count(void *argument)
{
    static const char *const ROUTES[] = {"/a", "/b", "/c", "/d", "/e"};
    struct metrics *metrics = argument;
    for (unsigned i = 0; i < ROUNDS; i++) {
        metrics_request(metrics, "GET", ROUTES[i % 5], 200 + (int)(i % 7), 0.001);
        metrics_stage(metrics, ROUTES[(i + 1) % 5], 0.001);
    }
    return NULL;
}

static void threads_count_together(void **state)
{
    (void)state;
    struct metrics *metrics = metrics_create();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, metrics), 0);
    // read meanwhile
    for (int i = 0; i < 20; i++)
        free(written(metrics));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    char *text = written(metrics);
    for (int i = 0; i < 5; i++) {
        char series[LINE_BYTES];
        snprintf(series, sizeof(series), "prmd_http_request_duration_seconds_count{route=\"/%c\"}",
                 'a' + i);
        assert_true(sample(text, series) == PER_ROUTE);
        snprintf(series, sizeof(series), "prmd_stage_duration_seconds_count{stage=\"/%c\"}",
                 'a' + i);
        assert_true(sample(text, series) == PER_ROUTE);
    }
    assert_int_equal(count_of(text, "\nprmd_http_requests_total{"), 35);
    free(text);
    metrics_destroy(metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_counted_is_written), cmocka_unit_test(the_format_holds),
        cmocka_unit_test(series_are_bounded),         cmocka_unit_test(labels_are_texts),
        cmocka_unit_test(threads_count_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

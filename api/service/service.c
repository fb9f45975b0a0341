/* The service: opening and closing it, and the table that finds a call's use case. */
#include "service/service.h"

#include "schema/clock.h"
#include "service/compute/compute.h"
#include "service/internal.h"
#include "service/persistence/blobs_folder.h"
#include "service/persistence/loading.h"
#include "service/persistence/persistence.h"
#include "service/plans/overlay.h"
#include "service/plans/plans.h"
#include "service/questions/question.h"
#include "service/roadmaps/archive.h"
#include "service/roadmaps/builds.h"
#include "service/roadmaps/roadmaps.h"
#include "service/robots/forward.h"
#include "service/translate.h"
#include "service/warm_up.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 2, LOG_DETAIL_MAX = 768 };

static const double STEP_MS_DEFAULT = 2;
enum { BATCH_QUERIES_DEFAULT = 1024 };

/* A use case, and the URL parameters that it knows, between blanks; NULL: it judges them itself. */
struct use_case {
    void (*run)(struct service *service, struct call *call);
    const char *parameters;
};

static const char PAGE[] = " limit after prefix ";

static const struct use_case USE_CASES[ROUTE_COUNT] = {
    [ROUTE_LIVEZ] = {about_live, ""},
    [ROUTE_READYZ] = {about_ready, ""},
    [ROUTE_HEALTHZ] = {about_ready, ""},
    [ROUTE_METRICS] = {about_metrics, ""},
    [ROUTE_OPENAPI] = {about_openapi, ""},
    [ROUTE_ROOT] = {about_root, ""},
    [ROUTE_DEVICES] = {about_devices, ""},
    [ROUTE_LIMITS] = {about_limits, ""},
    [ROUTE_WORLD_LIST] = {world_list, PAGE},
    [ROUTE_WORLD_PUT] = {world_change, NULL},
    [ROUTE_WORLD_GET] = {world_get, ""},
    [ROUTE_WORLD_PATCH] = {world_change, ""},
    [ROUTE_WORLD_DELETE] = {world_delete, ""},
    [ROUTE_OBSTACLE_PUT] = {world_change, NULL},
    [ROUTE_OBSTACLE_GET] = {obstacle_get, ""},
    [ROUTE_OBSTACLE_DELETE] = {world_change, ""},
    [ROUTE_ROBOT_LIST] = {robot_list, PAGE},
    [ROUTE_ROBOT_PUT] = {robot_put, " format "},
    [ROUTE_ROBOT_GET] = {robot_get, ""},
    [ROUTE_ROBOT_DELETE] = {robot_delete, ""},
    [ROUTE_ROBOT_FORWARD] = {forward_call, ""},
    [ROUTE_ROADMAP_LIST] = {roadmap_list, PAGE},
    [ROUTE_ROADMAP_PUT] = {roadmap_put, ""},
    [ROUTE_ROADMAP_GET] = {roadmap_get, ""},
    [ROUTE_ROADMAP_DELETE] = {roadmap_delete, ""},
    [ROUTE_ROADMAP_PLAN] = {plan_call, NULL},
    [ROUTE_ROADMAP_GROW] = {roadmap_grow, ""},
    [ROUTE_ROADMAP_MATRIX] = {matrix_call, ""},
    [ROUTE_ROADMAP_VALIDATE] = {validate_call, ""},
    [ROUTE_ROADMAP_NEAREST] = {nearest_call, ""},
    [ROUTE_ROADMAP_GRAPH] = {graph_call, " format "},
    [ROUTE_ROADMAP_ARCHIVE] = {archive_get, ""},
    [ROUTE_ROADMAP_ARCHIVE_PUT] = {archive_put, " world robot "},
    [ROUTE_ROADMAP_PICTURE] = {plan_call, " start goal "},
    [ROUTE_ROADMAP_PICTURE_POST] = {plan_call, ""},
    [ROUTE_JOB_LIST] = {job_list, PAGE},
    [ROUTE_JOB_GET] = {job_get, ""},
    [ROUTE_JOB_EVENTS] = {job_events, ""},
    [ROUTE_JOB_DELETE] = {job_cancel, ""},
    [ROUTE_COMPUTE] = {compute_call, NULL},
};

void service_lock(struct service *service)
{
    pthread_mutex_lock(&service->lock);
}

void service_unlock(struct service *service)
{
    pthread_mutex_unlock(&service->lock);
}

void service_log(const struct service *service, const char *event, const char *format, ...)
{
    char detail[LOG_DETAIL_MAX];
    va_list arguments;
    if (!service->log)
        return;
    va_start(arguments, format);
    vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);
    service->log(service->log_context, event, detail);
}

/* ---- open and close ---- */

/* On the device thread. */
static void log_warm_up_fault(void *context, const char *detail)
{
    service_log(context, "warm_up_failed", "%s", detail);
}

static bool open_device(struct service *service, const struct service_options *options,
                        struct problem *problem)
{
    const double step_ms = options->build_step_ms > 0 ? options->build_step_ms : STEP_MS_DEFAULT;
    const struct device_thread_options thread = {
        .context = {.device = options->device,
                    .tuning = options->tuning,
                    .memory_limit = options->limits.device_bytes},
        .queue_max = (unsigned)options->limits.queued_requests,
        .step_s = 1e-3 * step_ms,
        .plan = plan_run_batch,
        .batch_max = (unsigned)service->batch_queries,
        .batch_wait_s = 1e-6 * options->batch_wait_us,
        .warm_up = warm_up,
        .warm_up_failed = log_warm_up_fault,
        .warm_up_context = service,
    };
    enum prm_status status = prm_device_list(&service->devices, &service->device_count);
    if (status == PRM_OK)
        status = overlay_cache_create(&service->overlays);
    if (status == PRM_OK)
        status = device_thread_open(&service->device, &thread);
    if (status != PRM_OK) {
        problem_add_status(problem, status);
        return false;
    }
    const struct prm_device_info *device = device_thread_info(service->device);
    service_log(service, "device_opened", "%s: %s", device->platform, device->name);
    return true;
}

/* Opens what is kept between the lives of the process. */
static bool open_persistence(struct service *service, const struct service_options *options,
                             struct problem *problem)
{
    const struct blobs_folder_options folder = {
        .path = options->data_dir, .log = options->log, .log_context = options->log_context};
    struct blobs *blobs = options->blobs;
    if (!blobs && options->data_dir &&
        !(data_dir_open(&service->data_dir, options->data_dir, problem) &&
          blobs_folder_open(&blobs, &folder, problem)))
        return false;
    return persistence_open(&service->persistence, service, blobs, problem);
}

bool service_open(struct service **service, const struct service_options *options,
                  struct problem *problem)
{
    char job_prefix[16];
    struct service *made = calloc(1, sizeof(*made));
    *service = NULL;
    for (unsigned route = 0; route < ROUTE_COUNT; route++)
        assert(USE_CASES[route].run);
    if (!made) {
        problem_no_memory(problem, "the service");
        return false;
    }
    made->limits = options->limits;
    made->log = options->log;
    made->log_context = options->log_context;
    made->batch_queries =
        options->batch_queries > 0 ? options->batch_queries : BATCH_QUERIES_DEFAULT;
    snprintf(made->version, sizeof(made->version), "%s", options->version ? options->version : "");
    made->base_path = options->base_path ? options->base_path : "";
    made->tokens = options->tokens;
    pthread_mutex_init(&made->lock, NULL);
    snprintf(job_prefix, sizeof(job_prefix), "%llx-", (unsigned long long)clock_calendar());
    jobs_init(&made->jobs, (unsigned)options->limits.jobs, job_prefix);

    if (!open_persistence(made, options, problem))
        goto failed;
    made->metrics = metrics_create();
    if (!made->metrics || !workers_open(&made->workers, WORKERS, job_tick, made)) {
        problem_no_memory(problem, "the service, or no threads");
        goto failed;
    }
    if (!open_device(made, options, problem) || !loading_begin(made, problem))
        goto failed;
    *service = made;
    return true;

failed:
    service_close(made);
    return false;
}

bool service_ready(const struct service *service)
{
    return device_thread_warm(service->device) && !atomic_load(&service->draining) &&
           atomic_load(&service->loading_state) == LOADING_DONE;
}

const char *service_warm_up_fault(const struct service *service)
{
    return device_thread_warm_up_fault(service->device);
}

void service_drain(struct service *service)
{
    atomic_store(&service->draining, true);
}

unsigned service_in_flight(const struct service *service)
{
    return atomic_load(&service->calls) + atomic_load(&service->jobs.active_count);
}

void service_close(struct service *service)
{
    if (!service)
        return;
    service_drain(service);
    service_lock(service);
    for (struct job *job = service->jobs.newest; job; job = job->next)
        atomic_store(&job->cancel, true);
    service_unlock(service);

    // the device thread ends its work, the workers write what it answered, what they had saved is
    // saved, then the resources go
    device_thread_stop(service->device);
    workers_close(service->workers);
    loading_destroy(service->loading);
    persistence_close(service->persistence);
    store_deinit(&service->roadmaps);
    store_deinit(&service->robots);
    store_deinit(&service->worlds);
    jobs_deinit(&service->jobs);
    device_thread_close(service->device);
    overlay_cache_destroy(service->overlays);
    metrics_destroy(service->metrics);
    data_dir_close(&service->data_dir);
    pthread_mutex_destroy(&service->lock);
    free(service->devices);
    free(service);
}

/* ---- calls ---- */

/* The first parameter that the use case does not know; NULL: none. */
static const char *unknown_parameter(const struct call *call, const char *known)
{
    for (unsigned i = 0; known && i < call->parameter_count; i++) {
        const char *key = call->parameters[i].key;
        const size_t length = strlen(key);
        const char *found = length && !strchr(key, ' ') ? strstr(known, key) : NULL;
        while (found && !(found[-1] == ' ' && found[length] == ' '))
            found = strstr(found + 1, key);
        if (!found)
            return key;
    }
    return NULL;
}

void service_call(struct service *service, struct call *call)
{
    const struct use_case *use_case = &USE_CASES[call->route];
    call->service = service;
    call->received_s = clock_steady();
    atomic_fetch_add(&service->calls, 1);

    const char *unknown = unknown_parameter(call, use_case->parameters);
    if ((route_table[call->route].flags & ROUTE_WORK) && atomic_load(&service->draining))
        call_refuse(call, PROBLEM_DRAINING, "the server is shutting down");
    else if (unknown)
        call_refuse(call, PROBLEM_INVALID_ARGUMENT, "there is no parameter \"%.64s\" here",
                    unknown);
    else if (!loading_refuses(service, call))
        use_case->run(service, call);
}

/* ---- metrics ---- */

void service_count_request(struct service *service, const char *method, const char *route,
                           int status, double seconds)
{
    metrics_request(service->metrics, method, route, status, seconds);
}

void service_write_metrics(struct service *service, struct text *out)
{
    unsigned jobs[JOB_STATE_COUNT], roadmaps[ROADMAP_STATE_COUNT] = {0};
    service_lock(service);
    const size_t worlds = service->worlds.count, robots = service->robots.count;
    memcpy(jobs, service->jobs.states, sizeof(jobs));
    for (size_t i = 0; i < service->roadmaps.count; i++)
        roadmaps[((const struct roadmap_version *)service->roadmaps.entries[i].version)->state]++;
    service_unlock(service);

    const struct device_memory memory = device_thread_memory(service->device);
    const struct metrics_gauges gauges = {
        .version = service->version,
        .device = device_thread_info(service->device)->name,
        .jobs = jobs,
        .roadmaps = roadmaps,
        .roadmap_states = roadmap_state_texts,
        .roadmap_state_count = ROADMAP_STATE_COUNT,
        .worlds = (unsigned)worlds,
        .robots = (unsigned)robots,
        .ready = service_ready(service),
        .in_flight = atomic_load(&service->calls),
        .resident_bytes = memory.resident_bytes,
        .scratch_bytes = memory.scratch_bytes,
        .limit_bytes = memory.limit_bytes,
    };
    metrics_write(service->metrics, &gauges, out);
}

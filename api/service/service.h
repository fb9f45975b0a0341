/* The service: named worlds, robots and roadmaps, jobs that build them, plans on them. All use
 * cases.
 *
 * The service alone knows the engine. Device work runs on one device thread: plan batches first,
 * builds in bounded steps between them. Other threads parse, look up, write.
 *
 * Threads: every function may be called from any thread; none waits for the device.
 */
#ifndef SERVICE_SERVICE_H
#define SERVICE_SERVICE_H

#include "schema/limits.h"
#include "service/call.h"

struct service;
struct blobs;

struct service_options {
    const char *device;   /* as --device; NULL: the best */
    const char *tuning;   /* PRMD_TUNING */
    const char *data_dir; /* made when missing, and locked; NULL: nothing is kept on disk */
    struct blobs *blobs;  /* where resources are kept instead, taken over; NULL: in data_dir */
    const char *version;
    /* For documents: what stands before every path, borrowed (NULL: nothing), and whether requests
     * need a token. */
    const char *base_path;
    bool tokens;

    double build_step_ms;   /* 0: 2 ms */
    uint64_t batch_queries; /* of requests that run as one batch, together at most; 0: 1024 */
    double batch_wait_us;   /* that a plan waits at most for others that are near */
    struct limits limits;
    void (*log)(void *context, const char *event, const char *detail); /* NULL: silent */
    void *log_context;
};

/* Opens the data folder and the device, starts the device thread and the workers; warm-up goes on
 * in the background. false: `problem` says why in words for an operator. */
bool service_open(struct service **service, const struct service_options *options,
                  struct problem *problem);

/* Loaded and warm, and not draining. */
bool service_ready(const struct service *service);

/* Why the warm-up failed: the service answers, but never gets ready; NULL: it did not. */
const char *service_warm_up_fault(const struct service *service);

/* Refuses new work from now on; what was accepted is finished. */
void service_drain(struct service *service);

/* Calls and jobs that are not finished. */
unsigned service_in_flight(const struct service *service);

/* Cancels builds, completes every call, joins the threads, frees. NULL is accepted. */
void service_close(struct service *service);

/* Runs the use case of call->route; the call comes back by call->complete. Small bodies are parsed
 * here, large ones by the workers. */
void service_call(struct service *service, struct call *call);

/* Records an answered request and appends the whole of /metrics. */
void service_count_request(struct service *service, const char *method, const char *route,
                           int status, double seconds);
void service_write_metrics(struct service *service, struct text *out);

#endif

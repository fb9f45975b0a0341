/* The inside of the service, shared by the files of api/service and nobody else: its state, the use
 * cases by route, and what they all do with a call.
 *
 * One lock guards names and jobs: it is held for look-ups and swaps, never over work, a device call
 * or a completion. All that a look-up returns is immutable and counted.
 */
#ifndef SERVICE_INTERNAL_H
#define SERVICE_INTERNAL_H

#include "service/device_thread.h"
#include "service/jobs/jobs.h"
#include "service/metrics/metrics.h"
#include "service/persistence/blobs.h"
#include "service/persistence/data_dir.h"
#include "service/service.h"
#include "service/store.h"
#include "service/workers.h"

#include <pthread.h>

/* Bodies over so many bytes are parsed, and answers over about so many written, by the workers. */
enum { SERVICE_LARGE_BYTES = 64 * 1024 };

struct service {
    struct limits limits;
    char version[32];
    const char *base_path; /* borrowed; "": none */
    bool tokens;
    void (*log)(void *context, const char *event, const char *detail);
    void *log_context;
    struct prm_device_info *devices; /* of this machine, owned */
    size_t device_count;
    uint64_t batch_queries; /* that requests may have together to run as one batch */

    struct data_dir data_dir;
    struct device_thread *device;
    struct workers *workers;
    struct persistence *persistence;
    struct loading *loading;  /* NULL: nothing is kept */
    atomic_int loading_state; /* enum loading_state */
    struct metrics *metrics;
    struct overlay_cache *overlays; /* the device thread's own */
    atomic_bool draining;
    atomic_uint calls; /* not completed */

    pthread_mutex_t lock; /* guards the rest */
    struct store worlds, robots, roadmaps;
    const struct version *leaving; /* that is being deleted; NULL: none is */
    struct jobs jobs;
};

void service_lock(struct service *service);
void service_unlock(struct service *service);

void service_log(const struct service *service, const char *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- what use cases do with a call: call.c ---- */

/* The body as text to parse; never NULL. */
const char *call_body(const struct call *call);

/* Completes with one fault. */
void call_refuse(struct call *call, enum problem_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Completes with the fault that there is no memory for `what`. */
void call_no_memory(struct call *call, const char *what);

/* Adds the fault that a limit is reached, with its value and flag. */
void problem_add_limit(struct problem *problem, const struct limits *limits, enum limit_id limit);

/* Adds the fault of a full queue, or of a thread that stops. */
void problem_add_refusal(struct service *service, struct problem *problem);

/* Completes with a JSON body already written. */
void call_succeed_json(struct call *call, int status);

/* Completes without a body. */
void call_succeed_empty(struct call *call, int status);

/* Adds a header of the answer's own. */
void call_add_header(struct call *call, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the ETag of a version; marked: of what shows more than its version, whose state `mark`
 * tells ("": the plain one). */
void call_set_etag(struct call *call, const struct version *version);
void call_set_etag_marked(struct call *call, const struct version *version, const char *mark);

/* Whether If-Match and If-None-Match allow a change of what is `version` now (NULL: nothing); else
 * adds the fault. Does not complete: callers may hold the lock. */
bool call_may_change(struct call *call, const struct version *version);
bool call_may_change_marked(struct call *call, const struct version *version, const char *mark);

/* Completes a GET with 304 where If-None-Match names the ETag that was set; false: go on. */
bool call_not_modified(struct call *call);

/* The page of a list that the parameters limit, after and prefix ask for. */
struct page {
    const char *prefix, *after;
    unsigned limit;
};

/* false: completed with a fault. */
bool call_page(struct call *call, struct page *page);

/* Writes a page of a store's names, each by `write` as members of an object behind its name. */
void call_list(struct call *call, struct store *store,
               void (*write)(const struct version *version, struct text *out));

/* Removes what the name in the URL stands for, if there is something and `may`, which looks at the
 * call's conditions too, finds nothing against it or adds its fault; once that is saved, `end`
 * (NULL: nothing) ends what goes with it. Both run with the lock held; meanwhile it is `leaving`.
 */
void call_delete(struct call *call, enum blob_space space,
                 bool (*may)(struct call *call, const char *name, const struct version *version),
                 void (*end)(struct call *call, const char *name));

/* Whether the name in the URL is one that a PUT may make; else completes. */
bool call_name_valid(struct call *call);

/* Writes the members that every resource has: name, revision, fingerprint, created. */
void version_write_members(const char *name, const struct version *version, struct text *out);

/* ---- about the service: about.c ---- */
void about_live(struct service *service, struct call *call);
void about_ready(struct service *service, struct call *call);
void about_metrics(struct service *service, struct call *call);
void about_root(struct service *service, struct call *call);
void about_openapi(struct service *service, struct call *call);
void about_devices(struct service *service, struct call *call);
void about_limits(struct service *service, struct call *call);

/* ---- jobs: job_calls.c ---- */
void job_list(struct service *service, struct call *call);
void job_get(struct service *service, struct call *call);
void job_events(struct service *service, struct call *call);
void job_cancel(struct service *service, struct call *call);

/* Answers the waiters whose time is over, keeps streams alive; the workers' timer, its context the
 * service. Returns when to come again. */
double job_tick(void *context, double now);

#endif

#include "service/plans/overlay.h"

#include "schema/clock.h"
#include "service/fingerprint.h"
#include "service/translate.h"

#include <stdlib.h>
#include <string.h>

/* ---- the world under an overlay ---- */

static void version_destroy(struct counted *counted)
{
    struct overlay_version *version = (struct overlay_version *)counted;
    free(version->world.document.obstacles);
    free(version->changed);
    overlay_document_deinit(&version->overlay);
    version_release(&version->base->version);
    free(version);
}

/* The fingerprint of an overlay; false: no memory. */
static bool set_fingerprint(struct overlay_version *version)
{
    struct text text = {0};
    overlay_write(&version->overlay, &text);
    const bool good =
        !text.failed && fingerprint_of(version->world.version.fingerprint, text.data, text.length);
    text_deinit(&text);
    return good;
}

/* Whether the engine takes the overlay's obstacles; else the problem says which it does not. */
static bool check(const struct world_document *base, const struct overlay_document *overlay,
                  struct problem *problem)
{
    struct world_document document = *base;
    struct world_spec spec;
    document.obstacles = overlay->obstacles;
    document.obstacle_count = overlay->obstacle_count;
    enum prm_status status = world_spec_init(&spec, &document);
    if (status == PRM_OK)
        status = prm_world_check(&spec.spec);
    world_spec_deinit(&spec);
    if (status != PRM_OK)
        problem_add_status(problem, status);
    return status == PRM_OK;
}

/* Obstacles whose list is copied, and whose ids are sorted, in well under a millisecond. */
enum { OBSTACLES_FEW = 1000 };

/* Lays the document over the world; false: the call's problem says why not, and there is no
 * version. */
static bool init(struct overlay *overlay)
{
    const struct limits *limits = &overlay->service->limits;
    struct problem *problem = &overlay->call->problem;
    struct overlay_document *document = overlay->document;
    struct world_version *base = overlay->base->world->version;
    struct overlaid_world overlaid;
    struct overlay_version *version = calloc(1, sizeof(*version));
    if (!version) {
        overlay_document_deinit(document);
        problem_no_memory(problem, "a world");
        return false;
    }
    counted_init(&version->world.version.counted, version_destroy);
    version_take(&base->version);
    version->base = base;
    version->overlay = *document;
    *document = (struct overlay_document){0};

    bool good = overlay_apply(&overlaid, &base->document, &version->overlay, limits, problem);
    if (good) {
        version->world.document = overlaid.document;
        version->changed = overlaid.changed;
        version->changed_count = overlaid.changed_count;
        good = check(&base->document, &version->overlay, problem);
    }
    if (good && !set_fingerprint(version)) {
        problem_no_memory(problem, "a world");
        good = false;
    }
    if (good)
        overlay->version = version;
    else
        version_release(&version->world.version);
    return good;
}

void overlay_deinit(struct overlay *overlay)
{
    if (overlay->coming)
        resident_release(&overlay->coming->resident);
    if (overlay->model)
        resident_release(&overlay->model->resident);
    if (overlay->world)
        resident_release(&overlay->world->resident);
    if (overlay->version)
        version_release(&overlay->version->world.version);
    *overlay = (struct overlay){0};
}

/* ---- the last few ---- */

/* Models kept, and the share of the device's memory that they may take. */
enum { CACHED_MAX = 32, CACHED_SHARE = 16 };

struct cached {
    const struct model *base; /* that has not ended yet; not taken */
    struct model *model;      /* taken; NULL: a free place */
    uint64_t bytes, used;
};

struct overlay_cache {
    struct cached places[CACHED_MAX];
    uint64_t bytes, clock;
};

enum prm_status overlay_cache_create(struct overlay_cache **cache)
{
    *cache = calloc(1, sizeof(**cache));
    return *cache ? PRM_OK : prm_fault_set(PRM_HOST_MEMORY, "no memory for overlays");
}

void overlay_cache_destroy(struct overlay_cache *cache)
{
    free(cache);
}

static void forget(struct overlay_cache *cache, struct cached *place)
{
    cache->bytes -= place->bytes;
    resident_release(&place->model->resident);
    *place = (struct cached){0};
}

void overlay_cache_forget(struct overlay_cache *cache, const struct model *base)
{
    for (unsigned i = 0; i < CACHED_MAX; i++)
        if (cache->places[i].model && cache->places[i].base == base)
            forget(cache, &cache->places[i]);
}

/* The model of an overlay of `base`, taken; NULL: it is not there. */
static struct model *find(struct overlay_cache *cache, const struct model *base,
                          const char *fingerprint)
{
    for (unsigned i = 0; i < CACHED_MAX; i++) {
        struct cached *place = &cache->places[i];
        if (!place->model || place->base != base ||
            strcmp(place->model->world->version->version.fingerprint, fingerprint) != 0)
            continue;
        place->used = ++cache->clock;
        resident_take(&place->model->resident);
        return place->model;
    }
    return NULL;
}

/* A free place; NULL: there is none. */
static struct cached *free_place(struct overlay_cache *cache)
{
    for (unsigned i = 0; i < CACHED_MAX; i++)
        if (!cache->places[i].model)
            return &cache->places[i];
    return NULL;
}

/* Forgets the model that was used least lately, of those that are there. */
static void forget_oldest(struct overlay_cache *cache)
{
    struct cached *oldest = NULL;
    for (unsigned i = 0; i < CACHED_MAX; i++) {
        struct cached *place = &cache->places[i];
        if (place->model && (!oldest || place->used < oldest->used))
            oldest = place;
    }
    if (oldest)
        forget(cache, oldest);
}

/* Device bytes that a model has for itself. */
static uint64_t bytes_of(const struct model *model)
{
    const struct prm_validity *validity = model->validity;
    return prm_world_bytes(model->world->world) + validity->edge_valid.bytes +
           validity->vicinity.bytes + validity->graph.offsets.bytes + validity->graph.arcs.bytes +
           validity->components.bytes + validity->component_sizes.bytes;
}

/* Keeps a model, unless that would take too much of the device. */
static void keep(struct overlay_cache *cache, struct device *device, struct model *base,
                 struct model *model)
{
    const uint64_t bytes = bytes_of(model);
    const uint64_t most = prm_context_memory(device->context).limit_bytes / CACHED_SHARE;
    if (bytes > most)
        return;
    struct cached *place = free_place(cache);
    for (; !place || cache->bytes + bytes > most; place = free_place(cache))
        forget_oldest(cache);
    *place = (struct cached){base, model, bytes, ++cache->clock};
    cache->bytes += bytes;
    resident_take(&model->resident);
    base->overlays = cache;
}

/* ---- on the device thread ---- */

/* Makes the world resident and begins the model. */
static enum prm_status begin(struct overlay *overlay, struct device *device)
{
    const struct overlay_version *version = overlay->version;
    struct difference_spec difference = {0};
    enum prm_status status =
        difference_spec_init(&difference, &version->base->document, &version->world.document,
                             version->changed, version->changed_count);
    if (status == PRM_OK && !overlay->world)
        status = resident_world_derive(device, &overlay->world, &overlay->version->world,
                                       overlay->base->world, &difference.difference);
    else if (status == PRM_OK)
        status = model_derive_between(device, &overlay->coming, overlay->base, overlay->world,
                                      &difference.difference);
    difference_spec_deinit(&difference);
    return status;
}

/* Runs a step; *done: the model is there. */
static enum prm_status advance(struct overlay *overlay, struct device *device, bool *done)
{
    struct overlay_cache *cache = overlay->service->overlays;
    enum prm_status status = PRM_OK;
    *done = false;
    if (!overlay->world) {
        overlay->model = find(cache, overlay->base, overlay->version->world.version.fingerprint);
        *done = overlay->model;
    }
    if (!*done && !overlay->coming)
        return begin(overlay, device);
    if (!*done)
        status = model_advance(device, overlay->coming, done);
    if (status == PRM_OK && *done && overlay->coming) {
        overlay->model = overlay->coming;
        overlay->coming = NULL;
        keep(cache, device, overlay->base, overlay->model);
    }
    return status;
}

/* Ends with the engine's fault. */
static void fail(struct overlay *overlay, enum prm_status status)
{
    problem_add_status(&overlay->call->problem, status);
    service_log(overlay->service, "overlay_failed", "roadmap %s: %s: %s",
                overlay->call->segments[0], prm_status_text(status), prm_fault_last()->detail);
    overlay->refused(overlay);
}

static enum device_step step(struct device_task *task, struct device *device)
{
    struct overlay *overlay = (struct overlay *)task;
    const double began = clock_steady();
    enum prm_status status = PRM_OK;
    bool done = false;
    if (!overlay->world && !overlay->coming)
        metrics_queue(overlay->service->metrics, "overlay", began - task->queued);
    if (atomic_load(&overlay->call->abandoned))
        status = prm_fault_set(PRM_CANCELLED, "the client is gone");
    else
        status = advance(overlay, device, &done);
    overlay->seconds += clock_steady() - began;
    if (status == PRM_OK && !done)
        return DEVICE_AGAIN;
    metrics_stage(overlay->service->metrics, "overlay", overlay->seconds);
    if (status == PRM_OK)
        overlay->ready(overlay, overlay->model);
    else
        fail(overlay, status);
    return DEVICE_DONE;
}

static void drop(struct device_task *task)
{
    struct overlay *overlay = (struct overlay *)task;
    problem_add(&overlay->call->problem, PROBLEM_DRAINING, "the server shut down");
    overlay->refused(overlay);
}

/* ---- on the way in ---- */

/* Lays the document over the world, and waits for the device. */
static void lay_over(struct worker_task *work)
{
    struct overlay *overlay = WORK_OF(overlay, work);
    if (!init(overlay)) {
        overlay->refused(overlay);
    } else if (!device_thread_submit(overlay->service->device, DEVICE_LANE_OVERLAY,
                                     &overlay->task)) {
        problem_add_refusal(overlay->service, &overlay->call->problem);
        overlay->refused(overlay);
    }
}

void overlay_begin(struct overlay *overlay, struct service *service, struct call *call,
                   struct roadmap_version *roadmap, struct overlay_document *document,
                   overlay_ready *ready, overlay_refused *refused)
{
    if (!document || overlay_is_empty(document)) {
        ready(overlay, roadmap->model);
        return;
    }
    *overlay = (struct overlay){.task = {.step = step, .drop = drop},
                                .work = {.run = lay_over},
                                .service = service,
                                .call = call,
                                .base = roadmap->model,
                                .document = document,
                                .ready = ready,
                                .refused = refused};
    if (overlay->base->world->version->document.obstacle_count > OBSTACLES_FEW)
        workers_submit(service->workers, &overlay->work);
    else
        lay_over(&overlay->work);
}

/* One roadmap after another: bytes read and decoded by a worker, made resident on the device
 * thread, checked again where their world has changed. */
#include "schema/clock.h"
#include "service/persistence/load.h"
#include "service/roadmaps/refinement.h"
#include "service/translate.h"
#include "service/translate_robot.h"

#include <stdlib.h>
#include <string.h>

/* Forgets what belongs to the roadmap at hand; on the device thread, or nothing is there of it. */
static void reset(struct loader *loader)
{
    prm_snapshot_reader_destroy(loader->reader);
    prm_snapshot_destroy(loader->snapshot);
    if (loader->coming)
        resident_release(&loader->coming->resident);
    if (loader->model)
        resident_release(&loader->model->resident);
    if (loader->world)
        resident_release(&loader->world->resident);
    loader->item = NULL;
    loader->reader = NULL;
    loader->snapshot = NULL;
    loader->world = NULL;
    loader->model = loader->coming = NULL;
}

/* Lets the roadmap at hand stand for what has become of it: a model, or a fault. */
static void settle(struct loader *loader, struct model *model, const struct problem_fault *fault)
{
    struct service *service = loader->loading->service;
    struct load_item *item = loader->item;
    struct version *replaced = NULL;
    const enum roadmap_state state = !model        ? ROADMAP_FAILED
                                     : item->stale ? ROADMAP_STALE
                                                   : ROADMAP_READY;
    struct roadmap_version *roadmap =
        roadmap_version_derive(item->roadmap, state, model, item->roadmap->world, fault);
    if (!roadmap) {
        loading_failed(loader->loading, BLOB_ROADMAPS, item->name, "no memory for a roadmap");
        return;
    }
    if (model) {
        roadmap->version.revision = item->roadmap->version.revision;
        roadmap->version.created = item->roadmap->version.created;
    }
    service_lock(service);
    // the name is there, so that there is room
    store_put(&service->roadmaps, item->name, &roadmap->version, &replaced);
    service_unlock(service);
    version_release(replaced);
}

static void fail(struct loader *loader, const struct problem *problem)
{
    settle(loader, NULL, &problem->faults[0]);
    service_log(loader->loading->service, "not_loaded", "roadmaps %s: %s", loader->item->name,
                problem->faults[0].detail);
}

/* ---- by a worker ---- */

/* Reads and decodes the bytes of the roadmap at hand; false: it has failed. */
static bool decode(struct loader *loader)
{
    struct blobs *blobs = loader->loading->blobs;
    struct problem problem = {0};
    struct blob blob;
    const enum blob_outcome outcome =
        blobs->methods->get(blobs, loader->item->snapshot, BLOB_KIND_SNAPSHOT, &blob);
    if (outcome != BLOB_OK) {
        problem_add_blob(&problem, outcome);
    } else {
        const enum prm_status status =
            prm_snapshot_decode(&loader->snapshot, blob.data, blob.bytes);
        if (status == PRM_UNSUPPORTED || status == PRM_INVALID_ARGUMENT)
            problem_add(&problem, PROBLEM_INCOMPATIBLE,
                        "the saved roadmap cannot be read: %s; PUT it again to have it built",
                        prm_fault_last()->detail);
        else if (status != PRM_OK)
            problem_add_status(&problem, status);
    }
    free(blob.data);
    if (problem.fault_count > 0)
        fail(loader, &problem);
    return problem.fault_count == 0;
}

void load_next_roadmap(struct worker_task *work)
{
    struct loader *loader = WORK_OF(loader, work);
    struct loading *loading = loader->loading;
    struct service *service = loading->service;
    for (;;) {
        const size_t at = atomic_fetch_add(&loading->next, 1);
        if (at >= loading->item_count || atomic_load(&service->draining))
            break;
        loader->item = &loading->items[at];
        if (!decode(loader))
            continue;
        // a lane has always room for loaders: refused, the thread stops
        if (device_thread_submit(service->device, DEVICE_LANE_BUILD, &loader->task))
            return;
        reset(loader);
        break;
    }
    load_end(loader);
}

/* ---- on the device thread ---- */

/* Finds the world resident that the roadmap at hand answers for, in its frame, or makes it so. */
static enum prm_status find_world(struct loader *loader, struct device *device)
{
    struct loading *loading = loader->loading;
    struct world_version *version = loader->item->roadmap->world;
    const struct prm_snapshot_info *info = prm_snapshot_info_of(loader->snapshot);
    for (size_t i = 0; i < loading->resident_count && !loader->world; i++) {
        struct resident_world *world = loading->residents[i];
        if (world->version == version && prm_world_is_centered(world->world, info->center))
            loader->world = world;
    }
    if (loader->world) {
        resident_take(&loader->world->resident);
        return PRM_OK;
    }
    const enum prm_status status =
        resident_world_create(device, &loader->world, version, info->center);
    if (status != PRM_OK)
        return status;

    // others may want it too; without memory for that they make their own
    if (loading->resident_count == loading->resident_capacity) {
        const size_t capacity = 2 * loading->resident_capacity + 1;
        struct resident_world **residents =
            realloc(loading->residents, capacity * sizeof(struct resident_world *));
        if (!residents)
            return PRM_OK;
        loading->residents = residents;
        loading->resident_capacity = capacity;
    }
    resident_take(&loader->world->resident);
    loading->residents[loading->resident_count++] = loader->world;
    return PRM_OK;
}

static enum prm_status begin(struct loader *loader, struct device *device)
{
    struct robot_spec robot;
    enum prm_status status = find_world(loader, device);
    if (status != PRM_OK)
        return status;
    status = robot_spec_init(&robot, &loader->item->roadmap->robot->document);
    if (status == PRM_OK)
        status = prm_snapshot_reader_create(device->context, &loader->reader, loader->snapshot,
                                            &robot.spec, loader->world->world);
    robot_spec_deinit(&robot);
    return status;
}

/* Takes what was read, and begins to check it again where it is of another world. */
static enum prm_status take_model(struct loader *loader, struct device *device)
{
    struct prm_roadmap *topology = NULL;
    struct prm_validity *validity = NULL;
    enum prm_status status = prm_snapshot_reader_finish(loader->reader, &topology, &validity);
    if (status == PRM_OK)
        status = model_create(device, &loader->model, topology, validity, loader->world);
    prm_snapshot_reader_destroy(loader->reader);
    prm_snapshot_destroy(loader->snapshot);
    loader->reader = NULL;
    loader->snapshot = NULL;
    if (status == PRM_OK && loader->item->revise)
        status = model_derive(device, &loader->coming, loader->model, loader->world);
    return status;
}

/* Runs steps of the engine's until it is time for others; *done: the roadmap can answer. */
static enum prm_status advance(struct loader *loader, struct device *device, bool *done)
{
    const double began = clock_steady();
    enum prm_status status = PRM_OK;
    bool read = loader->model, checked = false;
    if (!loader->model && !loader->reader)
        status = begin(loader, device);
    while (status == PRM_OK && !read) {
        status = prm_snapshot_reader_step(loader->reader, &read);
        if (device_should_yield(device, began))
            break;
    }
    if (status == PRM_OK && read && !loader->model)
        status = take_model(loader, device);
    if (status == PRM_OK && loader->coming)
        status = model_advance(device, loader->coming, &checked);
    *done = status == PRM_OK && loader->model && (checked || !loader->coming);
    return status;
}

/* Plans on it once, before others do, and lets its name stand for it. */
static enum prm_status finish(struct loader *loader, struct device *device)
{
    struct model *final = loader->coming ? loader->coming : loader->model;
    const enum prm_status status = prm_planner_rehearse(device->planner, final->topology->roadmap,
                                                        final->validity, final->world->world);
    if (status != PRM_OK)
        return status;
    settle(loader, final, NULL);
    refinement_begin(loader->loading->service, final);
    return PRM_OK;
}

enum device_step load_step(struct device_task *task, struct device *device)
{
    struct loader *loader = (struct loader *)task;
    bool done = false;
    enum prm_status status = advance(loader, device, &done);
    if (status == PRM_OK && !done)
        return DEVICE_AGAIN;
    if (status == PRM_OK)
        status = finish(loader, device);
    if (status != PRM_OK) {
        struct problem problem = {0};
        if (status == PRM_INVALID_ARGUMENT)
            problem_add(&problem, PROBLEM_INCOMPATIBLE,
                        "the saved roadmap does not fit: %s; PUT it again to have it built",
                        prm_fault_last()->detail);
        else
            problem_add_status(&problem, status);
        fail(loader, &problem);
    }
    reset(loader);
    loader->work.run = load_next_roadmap;
    workers_submit(loader->loading->service->workers, &loader->work);
    return DEVICE_DONE;
}

void load_drop(struct device_task *task)
{
    struct loader *loader = (struct loader *)task;
    reset(loader);
    loader->work.run = load_next_roadmap;
    workers_submit(loader->loading->service->workers, &loader->work);
}

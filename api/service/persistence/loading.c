#include "service/persistence/load.h"

#include "schema/clock.h"
#include "service/persistence/restore.h"
#include "service/translate_roadmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void loading_failed(struct loading *loading, enum blob_space space, const char *name,
                    const char *detail)
{
    atomic_store(&loading->incomplete, true);
    service_log(loading->service, "not_loaded", "%s %s: %s", blob_space_text(space), name, detail);
}

/* The same of an outcome that is not BLOB_OK. */
static void failed(struct loading *loading, enum blob_space space, const char *name,
                   enum blob_outcome outcome)
{
    struct problem problem = {0};
    problem_add_blob(&problem, outcome);
    loading_failed(loading, space, name, problem.faults[0].detail);
}

/* Has a name stand for a version, which is taken over, and notes what it is saved with. The lock is
 * not held. false: no memory. */
static bool enter(struct loading *loading, struct store *store, enum blob_space space,
                  const char *name, struct version *version, const struct kept_blobs *blobs)
{
    struct service *service = loading->service;
    struct kept *kept = persistence_keep(service->persistence, blobs);
    struct version *replaced = NULL;
    service_lock(service);
    // loaders enter at the same time
    const bool entered = kept && persistence_enter(service->persistence, space, name, kept) &&
                         store_put(store, name, version, &replaced);
    service_unlock(service);
    version_release(replaced);
    if (!entered)
        version_release(version);
    return entered;
}

/* ---- worlds and robots, by workers ---- */

/* *record is the caller's to deinitialise. */
static void load_world(struct loading *loading, struct world_record *record, const char *name)
{
    struct world_version *world = NULL;
    struct kept_blobs blobs = {0};
    struct blob blob;
    enum blob_outcome outcome =
        loading->blobs->methods->name_get(loading->blobs, BLOB_WORLDS, name, &blob);
    if (outcome == BLOB_OK)
        outcome = world_record_read(record, &blob);
    free(blob.data);
    if (outcome == BLOB_OK)
        outcome = restore_named_world(&world, loading->blobs, record);
    if (outcome == BLOB_OK) {
        memcpy(blobs.document, record->document, sizeof(blobs.document));
        if (!enter(loading, &loading->service->worlds, BLOB_WORLDS, name, &world->version, &blobs))
            outcome = BLOB_NO_MEMORY;
    }
    if (outcome != BLOB_OK)
        failed(loading, BLOB_WORLDS, name, outcome);
}

static void load_robot(struct loading *loading, const char *name)
{
    struct robot_record record;
    struct robot_version *robot = NULL;
    struct kept_blobs blobs = {0};
    struct blob blob;
    enum blob_outcome outcome =
        loading->blobs->methods->name_get(loading->blobs, BLOB_ROBOTS, name, &blob);
    if (outcome == BLOB_OK)
        outcome = robot_record_read(&record, &blob);
    free(blob.data);
    if (outcome == BLOB_OK) {
        outcome = restore_named_robot(&robot, loading->blobs, &record);
        memcpy(blobs.robot, record.document, sizeof(blobs.robot));
        robot_record_deinit(&record);
    }
    if (outcome == BLOB_OK &&
        !enter(loading, &loading->service->robots, BLOB_ROBOTS, name, &robot->version, &blobs))
        outcome = BLOB_NO_MEMORY;
    if (outcome != BLOB_OK)
        failed(loading, BLOB_ROBOTS, name, outcome);
}

static bool is_ending(const struct loading *loading)
{
    return atomic_load(&loading->service->draining);
}

static void load_documents(struct worker_task *work)
{
    struct loader *loader = WORK_OF(loader, work);
    struct loading *loading = loader->loading;
    for (;;) {
        const size_t at = atomic_fetch_add(&loading->next, 1);
        if (at >= loading->worlds.count + loading->robots.count || is_ending(loading))
            break;
        if (at < loading->worlds.count)
            load_world(loading, &loading->records[at], loading->worlds.items[at]);
        else
            load_robot(loading, loading->robots.items[at - loading->worlds.count]);
    }
    load_end(loader);
}

/* ---- the records of roadmaps ---- */

/* The version of a world or robot that an id names: the present one, or one of its own. */
static enum blob_outcome take_world(struct loading *loading, struct world_version **world,
                                    const char *name, const char *id)
{
    struct version *present = store_find(&loading->service->worlds, name);
    if (!present || strcmp(present->fingerprint, id) != 0)
        return restore_world(world, loading->blobs, id);
    version_take(present);
    *world = (struct world_version *)present;
    return BLOB_OK;
}

static enum blob_outcome take_robot(struct loading *loading, struct robot_version **robot,
                                    const char *name, const char *id)
{
    struct version *present = store_find(&loading->service->robots, name);
    if (!present || strcmp(present->fingerprint, id) != 0)
        return restore_robot(robot, loading->blobs, id);
    version_take(present);
    *robot = (struct robot_version *)present;
    return BLOB_OK;
}

/* The revision that the last change of its world gave a roadmap which followed it; 0: none. */
static uint64_t followed(const struct loading *loading, const char *world, const char *name)
{
    for (size_t w = 0; w < loading->worlds.count; w++) {
        const struct world_record *record = &loading->records[w];
        if (strcmp(loading->worlds.items[w], world) != 0)
            continue;
        for (size_t i = 0; i < record->follower_count; i++)
            if (strcmp(record->followers[i].name, name) == 0)
                return record->followers[i].revision;
    }
    return 0;
}

/* Decides which world a roadmap answers for: the present one where it fits, else, stale, the last
 * that did. `world`: that; replaced by the present one, taken. */
static void choose_world(struct loading *loading, struct load_item *item,
                         const struct roadmap_document *document, struct world_version **world)
{
    struct world_version *present =
        (struct world_version *)store_find(&loading->service->worlds, document->world);
    const bool lattice = document->sample_method == SAMPLE_LATTICE;
    if (present && world_fits(*world, present, lattice) &&
        roadmap_allowed_stays(document, &(*world)->document, &present->document)) {
        version_take(&present->version);
        version_release(&(*world)->version);
        *world = present;
    } else {
        item->stale = present != NULL;
    }
}

/* Makes the version that stands in the store while a roadmap is loaded. */
static enum blob_outcome prepare(struct loading *loading, struct load_item *item,
                                 const struct roadmap_record *record)
{
    const struct roadmap_document *document = &record->document;
    struct world_version *world = NULL;
    struct robot_version *robot = NULL;
    enum blob_outcome outcome = take_world(loading, &world, document->world, record->world);
    if (outcome == BLOB_OK && world->version.revision == 0)
        world->version.revision = record->world_revision;
    if (outcome == BLOB_OK)
        outcome = take_robot(loading, &robot, document->robot, record->robot);
    if (outcome == BLOB_OK) {
        choose_world(loading, item, document, &world);
        item->revise = strcmp(world->version.fingerprint, record->bits_world) != 0;
        item->roadmap = roadmap_version_restore(document, record->built_in, world, robot);
        outcome = item->roadmap ? BLOB_OK : BLOB_NO_MEMORY;
    }
    if (outcome == BLOB_OK) {
        // it was saved when it was built and when it got stale; its world when that changed
        const uint64_t later = followed(loading, document->world, item->name);
        item->roadmap->version.revision =
            later > record->record.revision ? later : record->record.revision;
        item->roadmap->version.created = record->record.created;
    }
    if (world)
        version_release(&world->version);
    if (robot)
        version_release(&robot->version);
    return outcome;
}

/* Lets a roadmap be there as one that has failed, and says why. Of a record of another version
 * (document NULL) nothing more is known. */
static void enter_failed(struct loading *loading, const char *name,
                         const struct roadmap_document *document, enum blob_outcome outcome)
{
    const struct roadmap_document nothing = {0};
    struct service *service = loading->service;
    struct world_document no_world = {0};
    struct robot_document no_robot = {0};
    struct prm_precision precision = {0};
    struct problem problem = {0};
    struct version *replaced;
    struct world_version *world = world_version_create(&no_world, &precision);
    struct robot_version *robot = robot_version_create(&no_robot);
    struct roadmap_version *roadmap =
        world && robot ? roadmap_version_create(document ? document : &nothing, world, robot)
                       : NULL;
    problem_add_blob(&problem, outcome);
    if (roadmap) {
        roadmap->state = ROADMAP_FAILED;
        roadmap->last_error = problem.faults[0];
        service_lock(service);
        if (!store_put(&service->roadmaps, name, &roadmap->version, &replaced))
            version_release(&roadmap->version);
        service_unlock(service);
    }
    if (world)
        version_release(&world->version);
    if (robot)
        version_release(&robot->version);
}

static struct kept_blobs blobs_of(const struct roadmap_record *record)
{
    struct kept_blobs blobs;
    memcpy(blobs.snapshot, record->snapshot, sizeof(blobs.snapshot));
    memcpy(blobs.bits_world, record->bits_world, sizeof(blobs.bits_world));
    memcpy(blobs.document, record->world, sizeof(blobs.document));
    memcpy(blobs.robot, record->robot, sizeof(blobs.robot));
    return blobs;
}

/* Has a name stand for the roadmap that its record tells, which is being loaded. */
static enum blob_outcome enter_roadmap(struct loading *loading, struct load_item *item,
                                       const char *name, const struct roadmap_record *record)
{
    const struct kept_blobs blobs = blobs_of(record);
    snprintf(item->name, sizeof(item->name), "%s", name);
    const enum blob_outcome outcome = prepare(loading, item, record);
    if (outcome != BLOB_OK)
        return outcome;
    memcpy(item->snapshot, record->snapshot, sizeof(item->snapshot));
    version_take(&item->roadmap->version);
    if (enter(loading, &loading->service->roadmaps, BLOB_ROADMAPS, name, &item->roadmap->version,
              &blobs))
        return BLOB_OK;
    version_release(&item->roadmap->version);
    return BLOB_NO_MEMORY;
}

/* Reads a record. false: the roadmap will not be loaded. */
static bool read_roadmap(struct loading *loading, struct load_item *item, const char *name)
{
    struct roadmap_record record;
    struct blob blob;
    enum blob_outcome outcome =
        loading->blobs->methods->name_get(loading->blobs, BLOB_ROADMAPS, name, &blob);
    *item = (struct load_item){0};
    if (outcome == BLOB_OK)
        outcome = roadmap_record_read(&record, &blob);
    free(blob.data);
    if (outcome == BLOB_OK) {
        outcome = enter_roadmap(loading, item, name, &record);
        if (outcome != BLOB_OK)
            enter_failed(loading, name, &record.document, outcome);
        roadmap_record_deinit(&record);
    } else if (outcome == BLOB_INCOMPATIBLE) {
        enter_failed(loading, name, NULL, outcome);
    }
    if (outcome != BLOB_OK)
        failed(loading, BLOB_ROADMAPS, name, outcome);
    return outcome == BLOB_OK;
}

static void read_roadmaps(struct loading *loading)
{
    struct blob_list names;
    const enum blob_outcome outcome =
        loading->blobs->methods->name_list(loading->blobs, BLOB_ROADMAPS, &names);
    if (outcome != BLOB_OK) {
        failed(loading, BLOB_ROADMAPS, "", outcome);
        return;
    }
    loading->items = calloc(names.count + 1, sizeof(*loading->items));
    if (!loading->items)
        failed(loading, BLOB_ROADMAPS, "", BLOB_NO_MEMORY);
    for (size_t i = 0; loading->items && i < names.count && !is_ending(loading); i++)
        if (read_roadmap(loading, &loading->items[loading->item_count], names.items[i]))
            loading->item_count++;
    blob_list_deinit(&names);
}

/* ---- the order of things ---- */

static void start(struct loading *loading, enum loading_state state,
                  void (*run)(struct worker_task *work))
{
    struct service *service = loading->service;
    atomic_store(&loading->next, 0);
    atomic_store(&loading->working, LOADERS);
    atomic_store(&service->loading_state, state);
    for (unsigned i = 0; i < LOADERS; i++) {
        loading->loaders[i].work.run = run;
        workers_submit(service->workers, &loading->loaders[i].work);
    }
}

/* Frees what only loading needs. */
static void release_all(struct loading *loading)
{
    for (size_t i = 0; i < loading->resident_count; i++)
        resident_release(&loading->residents[i]->resident);
    for (size_t i = 0; i < loading->item_count; i++)
        version_release(&loading->items[i].roadmap->version);
    for (size_t i = 0; i < loading->worlds.count; i++)
        world_record_deinit(&loading->records[i]);
    free(loading->residents);
    free(loading->items);
    free(loading->records);
    loading->residents = NULL;
    loading->items = NULL;
    loading->records = NULL;
    blob_list_deinit(&loading->worlds);
    blob_list_deinit(&loading->robots);
    loading->resident_count = loading->item_count = 0;
}

static void finish(struct loading *loading)
{
    struct service *service = loading->service;
    service_lock(service);
    const size_t worlds = service->worlds.count, robots = service->robots.count;
    service_unlock(service);
    // what a process left behind that ended between its steps
    if (!atomic_load(&loading->incomplete) && !is_ending(loading) &&
        !persistence_collect(service->persistence))
        service_log(service, "not_collected",
                    "the data folder cannot be listed: nothing is removed from it until the next "
                    "start");
    service_log(service, "loaded", "%zu worlds, %zu robots, %zu roadmaps in %.0f ms", worlds,
                robots, loading->item_count, 1e3 * (clock_steady() - loading->began));
    release_all(loading);
    atomic_store(&service->loading_state, LOADING_DONE);
}

void load_end(struct loader *loader)
{
    struct loading *loading = loader->loading;
    if (atomic_fetch_sub(&loading->working, 1) > 1)
        return;
    if (atomic_load(&loading->service->loading_state) == LOADING_DOCUMENTS) {
        read_roadmaps(loading);
        start(loading, LOADING_ROADMAPS, load_next_roadmap);
    } else {
        finish(loading);
    }
}

/* Names that cannot even be listed are a reason not to start. */
static bool list(struct loading *loading, enum blob_space space, struct blob_list *names,
                 struct problem *problem)
{
    const enum blob_outcome outcome =
        loading->blobs->methods->name_list(loading->blobs, space, names);
    if (outcome != BLOB_OK)
        problem_add_blob(problem, outcome);
    return outcome == BLOB_OK;
}

bool loading_begin(struct service *service, struct problem *problem)
{
    struct blobs *blobs = persistence_blobs(service->persistence);
    if (!blobs)
        return true;
    struct loading *loading = calloc(1, sizeof(*loading));
    if (!loading) {
        problem_no_memory(problem, "what was saved");
        return false;
    }
    service->loading = loading;
    loading->service = service;
    loading->blobs = blobs;
    loading->began = clock_steady();
    for (unsigned i = 0; i < LOADERS; i++)
        loading->loaders[i] = (struct loader){
            .task = {.step = load_step, .drop = load_drop, .always = true}, .loading = loading};
    if (!list(loading, BLOB_WORLDS, &loading->worlds, problem) ||
        !list(loading, BLOB_ROBOTS, &loading->robots, problem))
        return false;
    loading->records = calloc(loading->worlds.count + 1, sizeof(*loading->records));
    if (!loading->records) {
        problem_no_memory(problem, "what was saved");
        return false;
    }
    start(loading, LOADING_DOCUMENTS, load_documents);
    return true;
}

bool loading_refuses(struct service *service, struct call *call)
{
    const struct route *route = &route_table[call->route];
    const enum loading_state state = atomic_load(&service->loading_state);
    if (state == LOADING_DONE || (state == LOADING_ROADMAPS && route->role != ROLE_WRITE))
        return false;
    const bool is_resource = strncmp(route->pattern, "/v1/worlds", 10) == 0 ||
                             strncmp(route->pattern, "/v1/robots", 10) == 0 ||
                             strncmp(route->pattern, "/v1/roadmaps", 12) == 0;
    if (is_resource)
        call_refuse(call, PROBLEM_LOADING, "the server is still loading what it has saved");
    return is_resource;
}

void loading_destroy(struct loading *loading)
{
    if (!loading)
        return;
    if (loading->records)
        release_all(loading);
    blob_list_deinit(&loading->worlds);
    blob_list_deinit(&loading->robots);
    free(loading);
}

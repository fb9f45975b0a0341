#include "service/persistence/persistence.h"

#include "schema/clock.h"
#include "service/fingerprint.h"
#include "service/internal.h"
#include "service/persistence/blob_references.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* So many revisions are given away between two records of it. */
enum { REVISIONS_BLOCK = 1 << 16 };

static const char REVISIONS[] = "revisions";

struct persistence {
    struct service *service;
    struct blobs *blobs;                /* NULL: nothing is kept */
    struct workers *publisher, *writer; /* a thread each */
    struct blob_references references;
    pthread_mutex_t documents;            /* worlds and robots are put one after another */
    struct store names[BLOB_SPACE_COUNT]; /* versions: struct kept; the publisher's */
    uint64_t reserved;                    /* no later process gives away revisions up to it */
    atomic_bool collects;                 /* all that records name is known */
};

static double never(void *context, double now)
{
    (void)context;
    (void)now;
    return INFINITY;
}

/* ---- revisions ---- */

static uint64_t last_revision(struct service *service)
{
    service_lock(service);
    uint64_t last = service->worlds.last_revision;
    if (service->robots.last_revision > last)
        last = service->robots.last_revision;
    if (service->roadmaps.last_revision > last)
        last = service->roadmaps.last_revision;
    service_unlock(service);
    return last;
}

static enum blob_outcome save_revisions(struct persistence *persistence, uint64_t reserved)
{
    struct text record = {0};
    revisions_record_write(reserved, &record);
    const enum blob_outcome outcome =
        record.failed
            ? BLOB_NO_MEMORY
            : persistence->blobs->methods->name_set(persistence->blobs, BLOB_SERVICE, REVISIONS,
                                                    record.data, record.length);
    text_deinit(&record);
    if (outcome == BLOB_OK)
        persistence->reserved = reserved;
    return outcome;
}

bool persistence_reserve(struct persistence *persistence, struct problem *problem)
{
    if (!persistence->blobs)
        return true;
    const uint64_t last = last_revision(persistence->service);
    if (last + REVISIONS_BLOCK / 2 < persistence->reserved)
        return true;
    const enum blob_outcome outcome = save_revisions(persistence, last + REVISIONS_BLOCK);
    if (outcome == BLOB_OK)
        return true;
    problem_add_blob(problem, outcome);
    return false;
}

/* Begins behind the revisions that earlier processes may have given away. */
static bool begin_revisions(struct persistence *persistence, struct problem *problem)
{
    struct service *service = persistence->service;
    struct blob record;
    uint64_t reserved = 0;
    enum blob_outcome outcome =
        persistence->blobs->methods->name_get(persistence->blobs, BLOB_SERVICE, REVISIONS, &record);
    if (outcome == BLOB_OK)
        outcome = revisions_record_read(&reserved, &record);
    free(record.data);
    // a record that cannot be read: no service has changed something once a second ever since
    if (outcome == BLOB_DAMAGED || outcome == BLOB_INCOMPATIBLE)
        reserved = (uint64_t)clock_calendar();
    else if (outcome != BLOB_OK && outcome != BLOB_ABSENT) {
        problem_add_blob(problem, outcome);
        return false;
    }
    service->worlds.last_revision = service->robots.last_revision =
        service->roadmaps.last_revision = reserved;
    // a full disk is no reason not to start: whatever is saved later reserves first
    persistence->reserved = reserved;
    save_revisions(persistence, reserved + REVISIONS_BLOCK);
    return true;
}

/* ---- open and close ---- */

bool persistence_open(struct persistence **persistence, struct service *service,
                      struct blobs *blobs, struct problem *problem)
{
    struct persistence *made = calloc(1, sizeof(*made));
    *persistence = NULL;
    if (!made) {
        problem_no_memory(problem, "the service");
        if (blobs)
            blobs->methods->close(blobs);
        return false;
    }
    made->service = service;
    made->blobs = blobs;
    atomic_init(&made->collects, false);
    blob_references_init(&made->references);
    pthread_mutex_init(&made->documents, NULL);
    bool opened = !blobs || begin_revisions(made, problem);
    if (opened && !(workers_open(&made->publisher, 1, never, NULL) &&
                    workers_open(&made->writer, 1, never, NULL))) {
        problem_no_memory(problem, "the service, or no threads");
        opened = false;
    }
    if (opened)
        *persistence = made;
    else
        persistence_close(made);
    return opened;
}

struct blobs *persistence_blobs(const struct persistence *persistence)
{
    return persistence->blobs;
}

void persistence_publish(struct persistence *persistence, struct worker_task *task)
{
    workers_submit(persistence->publisher, task);
}

void persistence_write(struct persistence *persistence, struct worker_task *task)
{
    workers_submit(persistence->writer, task);
}

void persistence_close(struct persistence *persistence)
{
    if (!persistence)
        return;
    workers_close(persistence->writer);
    workers_close(persistence->publisher);
    // an end in peace gives back what was reserved and not used
    if (persistence->blobs && persistence->reserved > 0)
        save_revisions(persistence, last_revision(persistence->service));
    // what is kept for records outlasts this process; what is not is removed when the next begins
    atomic_store(&persistence->collects, false);
    for (unsigned space = 0; space < BLOB_SPACE_COUNT; space++)
        store_deinit(&persistence->names[space]);
    if (persistence->blobs)
        persistence->blobs->methods->close(persistence->blobs);
    pthread_mutex_destroy(&persistence->documents);
    blob_references_deinit(&persistence->references);
    free(persistence);
}

/* ---- what is kept ---- */

static void release_id(struct persistence *persistence, const char *id)
{
    if (*id)
        blob_references_release(&persistence->references, id);
}

static void kept_destroy(struct counted *counted)
{
    struct kept *kept = (struct kept *)counted;
    release_id(kept->persistence, kept->blobs.snapshot);
    release_id(kept->persistence, kept->blobs.bits_world);
    release_id(kept->persistence, kept->blobs.document);
    release_id(kept->persistence, kept->blobs.robot);
    free(kept);
}

static struct kept *kept_new(struct persistence *persistence)
{
    struct kept *kept = calloc(1, sizeof(*kept));
    if (!kept)
        return NULL;
    counted_init(&kept->version.counted, kept_destroy);
    kept->persistence = persistence;
    return kept;
}

/* Refers to a blob that a record names; an empty id is none. `to` becomes the id. */
static bool refer(struct persistence *persistence, char to[BLOB_ID_BYTES], const char *id)
{
    bool written;
    if (!*id)
        return true;
    // a record that names it is no proof that it can be read: putting it looks
    if (!blob_references_take(&persistence->references, id, &written))
        return false;
    memcpy(to, id, BLOB_ID_BYTES);
    return true;
}

struct kept *persistence_keep(struct persistence *persistence, const struct kept_blobs *blobs)
{
    struct kept *kept = kept_new(persistence);
    if (kept && refer(persistence, kept->blobs.snapshot, blobs->snapshot) &&
        refer(persistence, kept->blobs.bits_world, blobs->bits_world) &&
        refer(persistence, kept->blobs.document, blobs->document) &&
        refer(persistence, kept->blobs.robot, blobs->robot))
        return kept;
    if (kept)
        version_release(&kept->version);
    return NULL;
}

/* Puts a blob where it is not there yet, and refers to it: `to` becomes the id. */
static enum blob_outcome put(struct persistence *persistence, char to[BLOB_ID_BYTES],
                             const char *id, const char *kind, const void *data, size_t bytes)
{
    bool written = false;
    if (!blob_references_take(&persistence->references, id, &written))
        return BLOB_NO_MEMORY;
    memcpy(to, id, BLOB_ID_BYTES);
    if (written)
        return BLOB_OK;
    const enum blob_outcome outcome =
        persistence->blobs->methods->put(persistence->blobs, id, kind, data, bytes);
    if (outcome == BLOB_OK)
        blob_references_written(&persistence->references, id);
    return outcome;
}

/* The same of a document, which publisher and writer may have both at once. */
static enum blob_outcome put_document(struct persistence *persistence, char to[BLOB_ID_BYTES],
                                      const char *id, const char *kind, const struct text *members)
{
    pthread_mutex_lock(&persistence->documents);
    const enum blob_outcome outcome =
        put(persistence, to, id, kind, members->data, members->length);
    pthread_mutex_unlock(&persistence->documents);
    return outcome;
}

static enum blob_outcome put_world(struct persistence *persistence, char to[BLOB_ID_BYTES],
                                   const struct world_version *world)
{
    return put_document(persistence, to, world->version.fingerprint, BLOB_KIND_WORLD,
                        &world->members);
}

static enum blob_outcome put_robot(struct persistence *persistence, char to[BLOB_ID_BYTES],
                                   const struct robot_version *robot)
{
    return put_document(persistence, to, robot->version.fingerprint, BLOB_KIND_ROBOT,
                        &robot->members);
}

bool persistence_save_parts(struct persistence *persistence, struct kept **kept,
                            const struct world_version *world, const struct robot_version *robot,
                            const void *snapshot, size_t bytes, struct problem *problem)
{
    char id[BLOB_ID_BYTES];
    *kept = NULL;
    if (!persistence->blobs)
        return true;
    struct kept *made = kept_new(persistence);
    enum blob_outcome outcome =
        made && fingerprint_of(id, snapshot, bytes) ? BLOB_OK : BLOB_NO_MEMORY;
    if (outcome == BLOB_OK)
        outcome = put_world(persistence, made->blobs.bits_world, world);
    if (outcome == BLOB_OK)
        outcome = put_robot(persistence, made->blobs.robot, robot);
    if (outcome == BLOB_OK)
        outcome = put(persistence, made->blobs.snapshot, id, BLOB_KIND_SNAPSHOT, snapshot, bytes);
    if (outcome == BLOB_OK) {
        *kept = made;
        return true;
    }
    problem_add_blob(problem, outcome);
    if (made)
        version_release(&made->version);
    return false;
}

bool persistence_enter(struct persistence *persistence, enum blob_space space, const char *name,
                       struct kept *kept)
{
    struct version *replaced;
    if (!store_put(&persistence->names[space], name, &kept->version, &replaced)) {
        version_release(&kept->version);
        return false;
    }
    version_release(replaced);
    return true;
}

bool persistence_collect(struct persistence *persistence)
{
    struct blobs *blobs = persistence->blobs;
    struct blob_list ids;
    if (!blobs)
        return true;
    if (blobs->methods->list(blobs, &ids) != BLOB_OK)
        return false;
    for (size_t i = 0; i < ids.count; i++)
        if (!blob_references_has(&persistence->references, ids.items[i]))
            blobs->methods->remove(blobs, ids.items[i]);
    blob_list_deinit(&ids);
    atomic_store(&persistence->collects, true);
    return true;
}

/* ---- save points ---- */

/* Sets a record, and what it keeps, which is taken over; `outcome` is of what was done before. */
static bool set_record(struct persistence *persistence, enum blob_space space, const char *name,
                       struct text *record, struct kept *kept, enum blob_outcome outcome,
                       struct problem *problem)
{
    struct blobs *blobs = persistence->blobs;
    if (outcome == BLOB_OK && (!kept || record->failed))
        outcome = BLOB_NO_MEMORY;
    if (outcome == BLOB_OK)
        outcome = blobs->methods->name_set(blobs, space, name, record->data, record->length);
    text_deinit(record);
    if (outcome != BLOB_OK) {
        problem_add_blob(problem, outcome);
        if (kept)
            version_release(&kept->version);
        return false;
    }
    // without memory for the entry nothing is collected any more, which loses nothing
    if (!persistence_enter(persistence, space, name, kept)) {
        if (atomic_exchange(&persistence->collects, false))
            service_log(persistence->service, "not_collected",
                        "no memory: nothing is removed from the data folder until the next start");
    } else if (atomic_load(&persistence->collects))
        blob_references_collect(&persistence->references, blobs);
    return true;
}

/* Saves a world's or a robot's members and its record, which is taken over. */
static bool save_document(struct persistence *persistence, enum blob_space space, const char *name,
                          const struct version *version, const struct text *members,
                          struct text *record, struct problem *problem)
{
    const bool is_world = space == BLOB_WORLDS;
    if (!persistence_reserve(persistence, problem)) {
        text_deinit(record);
        return false;
    }
    struct kept *kept = kept_new(persistence);
    const enum blob_outcome outcome =
        kept ? put_document(persistence, is_world ? kept->blobs.document : kept->blobs.robot,
                            version->fingerprint, is_world ? BLOB_KIND_WORLD : BLOB_KIND_ROBOT,
                            members)
             : BLOB_NO_MEMORY;
    return set_record(persistence, space, name, record, kept, outcome, problem);
}

bool persistence_save_world(struct persistence *persistence, const char *name,
                            const struct world_version *world, const struct follower *followers,
                            size_t count, struct problem *problem)
{
    struct text record = {0};
    if (!persistence->blobs)
        return true;
    world_record_write(world, followers, count, &record);
    return save_document(persistence, BLOB_WORLDS, name, &world->version, &world->members, &record,
                         problem);
}

bool persistence_save_robot(struct persistence *persistence, const char *name,
                            const struct robot_version *robot, struct problem *problem)
{
    struct text record = {0};
    if (!persistence->blobs)
        return true;
    robot_record_write(robot, &record);
    return save_document(persistence, BLOB_ROBOTS, name, &robot->version, &robot->members, &record,
                         problem);
}

bool persistence_save_roadmap(struct persistence *persistence, const char *name,
                              const struct roadmap_version *roadmap, const struct kept *parts,
                              struct problem *problem)
{
    struct text record = {0};
    if (!parts)
        parts = (const struct kept *)store_find(&persistence->names[BLOB_ROADMAPS], name);
    if (!persistence->blobs || !parts)
        return true;
    if (!persistence_reserve(persistence, problem))
        return false;
    struct kept_blobs blobs = parts->blobs;
    *blobs.document = '\0';
    struct kept *kept = persistence_keep(persistence, &blobs);
    const enum blob_outcome outcome =
        kept ? put_world(persistence, kept->blobs.document, roadmap->world) : BLOB_NO_MEMORY;
    roadmap_record_write(roadmap, blobs.snapshot, blobs.bits_world, &record);
    return set_record(persistence, BLOB_ROADMAPS, name, &record, kept, outcome, problem);
}

bool persistence_forget(struct persistence *persistence, enum blob_space space, const char *name,
                        struct problem *problem)
{
    struct blobs *blobs = persistence->blobs;
    if (!blobs)
        return true;
    const enum blob_outcome outcome = blobs->methods->name_remove(blobs, space, name);
    if (outcome != BLOB_OK) {
        problem_add_blob(problem, outcome);
        return false;
    }
    version_release(store_remove(&persistence->names[space], name));
    if (atomic_load(&persistence->collects))
        blob_references_collect(&persistence->references, blobs);
    return true;
}

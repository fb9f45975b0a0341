/* The inside of loading, shared by its two files: loading.c has the order of things and the
 * documents, load_roadmap.c one roadmap after another. */
#ifndef SERVICE_LOAD_H
#define SERVICE_LOAD_H

#include "roadmap/snapshot/snapshot.h"
#include "service/internal.h"
#include "service/persistence/loading.h"
#include "service/persistence/persistence.h"

/* So many resources are read at the same time. */
enum { LOADERS = 2 };

/* A roadmap that is to be loaded. */
struct load_item {
    char name[STORE_NAME_BYTES];
    struct roadmap_version *roadmap; /* as it stands in the store meanwhile; taken */
    char snapshot[BLOB_ID_BYTES];
    bool stale;  /* it does not fit the world that its name stands for */
    bool revise; /* its bytes tell of another world than it answers for */
};

/* Loads one resource after another. */
struct loader {
    struct device_task task; /* first */
    struct worker_task work;
    struct loading *loading;

    /* the roadmap at hand */
    struct load_item *item;
    struct prm_snapshot *snapshot;
    struct resident_world *world; /* taken */
    struct prm_snapshot_reader *reader;
    struct model *model, *coming; /* taken */
};

struct loading {
    struct service *service;
    struct blobs *blobs;
    double began; /* steady clock */
    struct blob_list worlds, robots;
    struct world_record *records; /* [worlds.count], of those that were read; owned */
    struct load_item *items;
    size_t item_count;
    atomic_size_t next;     /* that a loader takes, of the present state's */
    atomic_uint working;    /* loaders that are not at the end of it */
    atomic_bool incomplete; /* something could not be read: nobody knows what it refers to */
    struct loader loaders[LOADERS];

    /* the device thread's: worlds that roadmaps share, until all are loaded; taken */
    struct resident_world **residents;
    size_t resident_count, resident_capacity;
};

/* Says why a name cannot be loaded. */
void loading_failed(struct loading *loading, enum blob_space space, const char *name,
                    const char *detail);

/* Has the loader take the next roadmap, or end; on a worker. load_roadmap.c */
void load_next_roadmap(struct worker_task *work);
enum device_step load_step(struct device_task *task, struct device *device);
void load_drop(struct device_task *task);

/* The loader has nothing left to take; loading.c */
void load_end(struct loader *loader);

#endif

/* What is saved when: the one place that changes what names stand for.
 *
 * A change is checked, saved, and only then seen: all changes of worlds, robots and finished
 * roadmaps, and all deletions, run one after another on one thread, the publisher, as tasks that
 * look what there is under the service's lock, save what is to be, and swap it in. Where saving
 * fails all stays as it was. A roadmap's bytes, which may be many, are written by another thread
 * before that; its record is what is published. A change of a world saves that world alone: what it
 * allows of a roadmap is found again when the roadmap is loaded.
 *
 * Where the service keeps nothing on disk, everything runs the same way and saving does nothing.
 */
#ifndef SERVICE_PERSISTENCE_H
#define SERVICE_PERSISTENCE_H

#include "service/persistence/blobs.h"
#include "service/persistence/records.h"
#include "service/workers.h"

struct persistence;
struct service;

/* Takes `blobs` over (NULL: nothing is kept). Numbers of revisions that an earlier process may have
 * given away are not given again. false: `problem` says why in words for an operator. */
bool persistence_open(struct persistence **persistence, struct service *service,
                      struct blobs *blobs, struct problem *problem);

/* Where things are kept; NULL: nowhere. */
struct blobs *persistence_blobs(const struct persistence *persistence);

/* Runs a task on the publisher, after those before it. */
void persistence_publish(struct persistence *persistence, struct worker_task *task);

/* Runs a task that writes much, not on the publisher. */
void persistence_write(struct persistence *persistence, struct worker_task *task);

/* Ends what was begun and closes; no task may be added any more. NULL is accepted. */
void persistence_close(struct persistence *persistence);

/* ---- blobs that are kept for a record: any thread ---- */

/* Blobs that stay as long as it is referred to. */
struct kept {
    struct version version; /* first */
    struct persistence *persistence;
    struct kept_blobs {
        char snapshot[BLOB_ID_BYTES], bits_world[BLOB_ID_BYTES]; /* of a roadmap, or empty */
        char document[BLOB_ID_BYTES]; /* of the world, or the one that the roadmap answers for */
        char robot[BLOB_ID_BYTES];
    } blobs; /* ids; empty: none */
};

/* Keeps blobs that a record names. NULL: no memory. */
struct kept *persistence_keep(struct persistence *persistence, const struct kept_blobs *blobs);

/* Saves all that a roadmap is made of but its record: its world, its robot, its bytes. *kept (NULL
 * where nothing is kept) is the caller's to release. false: a fault is added. */
bool persistence_save_parts(struct persistence *persistence, struct kept **kept,
                            const struct world_version *world, const struct robot_version *robot,
                            const void *snapshot, size_t bytes, struct problem *problem);

/* ---- on the publisher, or before there are changes ---- */

/* Save what a name is to stand for, numbered already; of a world also what the roadmaps that follow
 * it will be numbered. false: a fault is added, and the name stands
 * for what it did. */
bool persistence_save_world(struct persistence *persistence, const char *name,
                            const struct world_version *world, const struct follower *followers,
                            size_t count, struct problem *problem);
bool persistence_save_robot(struct persistence *persistence, const char *name,
                            const struct robot_version *robot, struct problem *problem);

/* parts: of persistence_save_parts(); NULL: those that the name has, if it is saved at all. */
bool persistence_save_roadmap(struct persistence *persistence, const char *name,
                              const struct roadmap_version *roadmap, const struct kept *parts,
                              struct problem *problem);

/* A name is to stand for nothing. */
bool persistence_forget(struct persistence *persistence, enum blob_space space, const char *name,
                        struct problem *problem);

/* Saves that there will be more revisions, where they run short; false: a fault is added. */
bool persistence_reserve(struct persistence *persistence, struct problem *problem);

/* What a name is saved with, taken over: for who has read its record. false: no memory. */
bool persistence_enter(struct persistence *persistence, enum blob_space space, const char *name,
                       struct kept *kept);

/* Removes the blobs that no record names. Not called where a record could not be read: what it
 * names is not known; nor is anything removed later then. false: they could not be listed. */
bool persistence_collect(struct persistence *persistence);

#endif

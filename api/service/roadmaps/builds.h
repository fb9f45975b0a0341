/* Builds: PUT of a roadmap, and the job on the device thread that it starts.
 *
 * A build uses the versions of world and robot at the time of the PUT. Where the world has changed
 * by the end, the new roadmap is checked against the present one before it is swapped in.
 */
#ifndef SERVICE_BUILDS_H
#define SERVICE_BUILDS_H

#include "roadmap/snapshot/snapshot.h"
#include "service/internal.h"
#include "service/persistence/persistence.h"
#include "service/roadmaps/roadmaps.h"

/* The kind of a build's job. */
#define BUILD_KIND "build"

struct build {
    struct device_task task; /* first */
    struct service *service;
    struct job *job; /* taken */
    char name[STORE_NAME_BYTES];
    struct roadmap_version *pending; /* what is to be built; taken */
    struct resident_world *world;    /* it is built in */
    struct prm_build *build;
    struct prm_snapshot *snapshot; /* that it is read from instead; owned; NULL: it is built */
    struct prm_snapshot_reader *reader;
    struct model *model;   /* that it made; taken */
    struct model *checked; /* that follows from what it read, being made; taken */
    struct model *coming;  /* that follows from it in the present world, being made; taken */
    bool settling;         /* in the lane of updates, so that no world changes meanwhile */

    /* how it is saved */
    struct worker_task work;
    struct prm_snapshot_writer *writer;
    struct kept *parts;              /* all but its record; taken; NULL: nothing is kept */
    bool saved;                      /* the parts, or there is no need */
    bool publishing;                 /* it may not be stopped any more; guarded by the lock */
    struct roadmap_version *roadmap; /* that the name stands for now; taken; NULL: not yet */
    struct problem_fault error;      /* code PROBLEM_NONE: saving has not failed */
};

/* The latest build of a roadmap that is queued or running and not cancelled, borrowed; NULL: none.
 * The lock is held. */
struct build *build_active(struct service *service, const char *name);

/* Has a build stop at its next step, which is soon also where it waits behind others: its place in
 * the queue is free then. One that is being published goes on. The lock is held. */
void build_stop(struct build *build);

/* The same for the build of a name; a name without one is accepted. What is active afterwards is
 * being published. The lock is held. */
void build_cancel(struct service *service, const char *name);

/* A roadmap that comes from elsewhere instead of being built. */
struct roadmap_import {
    struct prm_snapshot *snapshot;    /* owned; a build that is made of it takes it: NULL then */
    char built_in[FINGERPRINT_BYTES]; /* fingerprint of the world at the build */
};

/* A build that is not entered yet, or an import (else NULL), whose snapshot it takes once it is
 * entered; NULL: no memory. */
struct build *build_create(struct service *service, const char *name,
                           const struct roadmap_document *document, struct version *world,
                           struct version *robot, const struct roadmap_import *import);

/* Forgets a build that was not entered. */
void build_discard(struct build *build);

/* Enters a build and its job, in place of an earlier one of the name. NULL: a fault was added, and
 * the build is still the caller's. import: as of its creation. The lock is held. */
struct job *build_enter(struct build *build, struct roadmap_import *import,
                        struct problem *problem);

/* ---- among the files of builds ---- */

/* The present version of the world that it was built in, taken; NULL: there is none. */
struct world_version *build_world_now(const struct build *build);

/* Whether a world (NULL is accepted) is another than it was made for, but one that it fits. */
bool build_needs_revision(const struct build *build, const struct world_version *present);

/* Runs a step of saving all but the record of a finished build; build_save.c. */
enum device_step build_save(struct build *build, struct device *device);

/* Has a finished build become what its name stands for: sets `roadmap`, or `error`, or neither
 * where it was cancelled or its world has changed. */
enum device_step build_publish(struct build *build);

/* Answers the calls that waited. `roadmap` is what was built, else `error` says why there is none;
 * build_end.c. */
void build_answer(const struct build *build, struct job_waiter *waiters,
                  const struct roadmap_version *roadmap, const struct problem_fault *error);

/* Has /metrics and the log say what was published. */
void build_tell(const struct build *build);

/* End a build, which is freed, on the device thread. */
void build_end_published(struct build *build);
void build_end_without(struct build *build, enum job_state state,
                       const struct problem_fault *error);
void build_end_cancelled(struct build *build, enum problem_code code, const char *detail);
void build_end_failed(struct build *build, enum prm_status status);

/* roadmap_put.c */
void roadmap_put(struct service *service, struct call *call);
void roadmap_grow(struct service *service, struct call *call);

/* Whether a roadmap of this document may be put under the call's name, where its world and robot
 * are these versions, which may have no names yet: it fits them, the call's conditions hold, and
 * there is room. Else faults are added. The lock is held. */
bool roadmap_may_put(struct service *service, struct call *call,
                     const struct roadmap_document *document, const struct version *world,
                     const struct version *robot);

/* How a PUT goes on, and what with. */
struct roadmap_putting {
    enum put_outcome { PUT_REFUSED, PUT_SAME, PUT_ACCEPTED, PUT_WAITS } outcome;
    struct version *same; /* taken, where it is that already */
    struct job_view job;  /* where it was accepted */
};

/* Puts a roadmap of a document that was read; import: what it is taken from instead of building it
 * (NULL: nothing), whose snapshot stays the caller's unless it is set to NULL. Where it is refused
 * faults are added and nothing has changed. The lock is held. */
struct roadmap_putting roadmap_put_begin(struct service *service, struct call *call,
                                         const struct roadmap_document *document,
                                         struct roadmap_import *import);

/* Completes the call, without the lock; where it waits for the job it may be completed already. */
void roadmap_put_end(struct service *service, struct call *call,
                     const struct roadmap_putting *putting);

#endif

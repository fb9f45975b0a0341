/* Builds: PUT of a roadmap, and the job on the device thread that it starts.
 *
 * A build uses the versions of world and robot at the time of the PUT. Where the world has changed
 * by the end, the new roadmap is checked against the present one before it is swapped in.
 */
#ifndef SERVICE_BUILDS_H
#define SERVICE_BUILDS_H

#include "service/internal.h"
#include "service/roadmaps.h"

struct build {
    struct device_task task; /* first */
    struct service *service;
    struct job *job; /* taken */
    char name[STORE_NAME_BYTES];
    struct roadmap_version *pending; /* what is to be built; taken */
    struct resident_world *world;    /* it is built in */
    struct prm_build *build;
    struct model *model;  /* that it made; taken */
    struct model *coming; /* that follows from it in the present world, being made; taken */
    bool settling;        /* in the lane of updates, so that no world changes meanwhile */
};

/* The build of a roadmap that is queued or running and not cancelled, borrowed; NULL: none. The
 * lock is held. */
struct build *build_active(struct service *service, const char *name);

/* Has a build stop at its next step, which is soon also where it waits behind others: its place in
 * the queue is free then. The lock is held. */
void build_stop(struct build *build);

/* The same for the build of a name; a name without one is accepted. The lock is held. */
void build_cancel(struct service *service, const char *name);

/* A build that is not entered yet; NULL: no memory. */
struct build *build_create(struct service *service, const char *name,
                           const struct roadmap_document *document, struct version *world,
                           struct version *robot);

/* Forgets a build that was not entered. */
void build_discard(struct build *build);

/* Enters a build and its job, in place of an earlier one of the name. NULL: a fault was added, and
 * the build is still the caller's. The lock is held. */
struct job *build_enter(struct build *build, struct problem *problem);

/* roadmap_put.c */
void roadmap_put(struct service *service, struct call *call);
void roadmap_grow(struct service *service, struct call *call);

#endif

/* What lives on the device, counted: made by the device thread, referred to by anyone, destroyed by
 * the device thread.
 *
 * A model is all that answering takes: a roadmap's topology, what a world allows of it, and that
 * world. A change of the world makes a new model over the same topology.
 */
#ifndef SERVICE_RESIDENT_H
#define SERVICE_RESIDENT_H

#include "service/counted.h"
#include "service/device_thread.h"
#include "service/worlds/worlds.h"

/* The base; the first member of what extends it. */
struct resident {
    struct counted counted;
    struct resident *next; /* of those to be destroyed */
    struct device_thread *thread;
    void (*destroy)(struct resident *resident); /* on the device thread */
};

/* A world version on the device. */
struct resident_world {
    struct resident resident;
    struct world_version *version; /* taken */
    struct prm_world *world;
    struct resident_world *base; /* that it was derived from; taken; NULL: none */
};

/* The immutable part of a roadmap. */
struct topology {
    struct resident resident;
    struct prm_roadmap *roadmap;
    const char *coordinates[PRM_DOF_MAX]; /* names, in the roadmap's own memory */
};

struct overlay_cache;

struct model {
    struct resident resident;
    struct topology *topology;      /* taken */
    struct resident_world *world;   /* taken */
    struct prm_validity *validity;  /* NULL: in the making */
    struct prm_revision *revision;  /* that makes it, else NULL */
    struct model *previous;         /* that it follows from, while in the making; taken */
    struct overlay_cache *overlays; /* that keeps models derived from this one; NULL: none does */
};

static inline void resident_take(struct resident *resident)
{
    counted_take(&resident->counted);
}

/* Whether anyone but the caller refers to it. */
static inline bool resident_is_shared(const struct resident *resident)
{
    return atomic_load_explicit(&resident->counted.references, memory_order_acquire) > 1;
}

/* NULL is accepted. */
static inline void resident_release(struct resident *resident)
{
    if (resident)
        counted_release(&resident->counted);
}

/* All below: on the device thread. */

/* Makes a world version resident, which is taken. center: of its local frame, that of the roadmap
 * it is for; NULL: a roadmap that is yet to be built. */
enum prm_status resident_world_create(struct device *device, struct resident_world **world,
                                      struct world_version *version, const double *center);

/* Makes a version resident that differs from `base`, which is taken, as told (prm_world_derive). */
enum prm_status resident_world_derive(struct device *device, struct resident_world **world,
                                      struct world_version *version, struct resident_world *base,
                                      const struct prm_difference *difference);

/* Makes a model of a build's outcome, which it takes over whatever the status. The world is taken.
 */
enum prm_status model_create(struct device *device, struct model **model,
                             struct prm_roadmap *roadmap, struct prm_validity *validity,
                             struct resident_world *world);

/* Begins the model that follows from another world: the same topology, to be checked again. */
enum prm_status model_derive(struct device *device, struct model **model, struct model *previous,
                             struct resident_world *world);

/* The same where that world differs from the previous model's as told: only what that concerns is
 * checked again. */
enum prm_status model_derive_between(struct device *device, struct model **model,
                                     struct model *previous, struct resident_world *world,
                                     const struct prm_difference *difference);

/* Runs steps of what model_derive() began until it is time for others; *done: the model is ready.
 */
enum prm_status model_advance(struct device *device, struct model *model, bool *done);

#endif

/* Worlds for one request: the roadmap's world with other obstacles, and what it allows of the
 * roadmap, found on the device in steps between which others are answered. The first makes the
 * world as a whole; where the difference has a grid or a distance field of its own, it makes the
 * distances of all of them anew (prm_world_derive). The others are bounded.
 *
 *     overlay_begin() on the way in → ready(), with the model to go on with → overlay_deinit()
 *
 * The last few overlays are kept as long as their roadmap answers for the same world, so that a
 * client that sends the same obstacles again has them at once. How many, and how much of the
 * device's memory, is bounded.
 *
 * Threads: each overlay is with one thread at a time; the cache is the device thread's.
 */
#ifndef SERVICE_OVERLAY_H
#define SERVICE_OVERLAY_H

#include "schema/overlay.h"
#include "service/internal.h"
#include "service/roadmaps/roadmaps.h"

/* A world version that is another one under an overlay. */
struct overlay_version {
    struct world_version world; /* first; its fingerprint is of the overlay alone */
    struct world_version *base; /* whose obstacles it borrows; taken */
    struct overlay_document overlay;
    uint32_t *changed; /* places in the base's list that are replaced or ignored */
    uint32_t changed_count;
};

struct overlay;

/* What its owner does next, with the model that answers, or without one, where the call's problem
 * says why. On the device thread, or where it began; the overlay may be gone on return. */
typedef void overlay_ready(struct overlay *overlay, struct model *model);
typedef void overlay_refused(struct overlay *overlay);

/* Embedded in the request that it is for. */
struct overlay {
    struct device_task task; /* first */
    struct worker_task work;
    struct service *service;
    struct call *call;
    struct model *base;                /* borrowed from the owner */
    struct overlay_document *document; /* likewise, until it is laid over the world */
    struct overlay_version *version;   /* taken; NULL: there is none */
    struct resident_world *world;      /* while the model is made; taken */
    struct model *coming;              /* likewise */
    double seconds;                    /* of its steps */

    struct model *model; /* when ready: what answers; taken */
    overlay_ready *ready;
    overlay_refused *refused;
};

/* Lays `document` (NULL: none), which is taken over whatever the outcome, over the world that a
 * roadmap answers for, by a worker where the world has many obstacles, and has the model made, then
 * ready() or refused() called; an empty one is ready at once, with the roadmap's own model. */
void overlay_begin(struct overlay *overlay, struct service *service, struct call *call,
                   struct roadmap_version *roadmap, struct overlay_document *document,
                   overlay_ready *ready, overlay_refused *refused);

/* At any point; an overlay of zeros is accepted. */
void overlay_deinit(struct overlay *overlay);

/* ---- the last few ---- */

struct overlay_cache;

/* PRM_HOST_MEMORY. */
enum prm_status overlay_cache_create(struct overlay_cache **cache);

/* When the device thread is closed. NULL is accepted. */
void overlay_cache_destroy(struct overlay_cache *cache);

/* Forgets the overlays of a model that ends. */
void overlay_cache_forget(struct overlay_cache *cache, const struct model *base);

#endif

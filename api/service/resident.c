#include "service/resident.h"

#include "device/try.h"
#include "schema/clock.h"
#include "service/plans/overlay.h"
#include "service/translate.h"

#include <stdlib.h>

/* The last reference is gone, on whatever thread: the device thread does the rest. */
static void retire(struct counted *counted)
{
    struct resident *resident = (struct resident *)counted;
    device_thread_retire(resident->thread, resident);
}

static void resident_init(struct resident *resident, struct device *device,
                          void (*destroy)(struct resident *resident))
{
    *resident = (struct resident){.thread = device->thread, .destroy = destroy};
    counted_init(&resident->counted, retire);
}

static void world_destroy(struct resident *resident)
{
    struct resident_world *world = (struct resident_world *)resident;
    prm_world_destroy(world->world);
    version_release(&world->version->version);
    if (world->base)
        resident_release(&world->base->resident);
    free(world);
}

static void topology_destroy(struct resident *resident)
{
    struct topology *topology = (struct topology *)resident;
    prm_roadmap_destroy(topology->roadmap);
    free(topology);
}

static void model_destroy(struct resident *resident)
{
    struct model *model = (struct model *)resident;
    if (model->overlays)
        overlay_cache_forget(model->overlays, model);
    // both refer to the topology
    prm_revision_destroy(model->revision);
    prm_validity_destroy(model->validity);
    if (model->previous)
        resident_release(&model->previous->resident);
    if (model->topology)
        resident_release(&model->topology->resident);
    if (model->world)
        resident_release(&model->world->resident);
    free(model);
}

/* Makes a version resident: by itself, in a frame about `center` (NULL: any), or as `base` with a
 * difference. */
static enum prm_status make_world(struct device *device, struct resident_world **world,
                                  struct world_version *version, const double *center,
                                  struct resident_world *base,
                                  const struct prm_difference *difference)
{
    enum prm_status status = PRM_OK;
    struct world_spec spec = {0};
    struct resident_world *made = calloc(1, sizeof(*made));
    *world = NULL;
    if (!made)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a world");
    TRY(world_spec_init(&spec, &version->document));
    spec.spec.center = center;
    if (base)
        TRY(prm_world_derive(device->arena, &made->world, &spec.spec, base->world, difference));
    else
        TRY(prm_world_create(device->arena, &made->world, &spec.spec));
    resident_init(&made->resident, device, world_destroy);
    version_take(&version->version);
    made->version = version;
    if (base)
        resident_take(&base->resident);
    made->base = base;
    *world = made;
    made = NULL;

cleanup:
    world_spec_deinit(&spec);
    free(made);
    return status;
}

enum prm_status resident_world_create(struct device *device, struct resident_world **world,
                                      struct world_version *version, const double *center)
{
    return make_world(device, world, version, center, NULL, NULL);
}

enum prm_status resident_world_derive(struct device *device, struct resident_world **world,
                                      struct world_version *version, struct resident_world *base,
                                      const struct prm_difference *difference)
{
    return make_world(device, world, version, NULL, base, difference);
}

/* An empty model of a world and a topology, both taken. */
static struct model *model_new(struct device *device, struct topology *topology,
                               struct resident_world *world)
{
    struct model *model = calloc(1, sizeof(*model));
    if (!model)
        return NULL;
    resident_init(&model->resident, device, model_destroy);
    resident_take(&topology->resident);
    resident_take(&world->resident);
    model->topology = topology;
    model->world = world;
    return model;
}

enum prm_status model_create(struct device *device, struct model **model,
                             struct prm_roadmap *roadmap, struct prm_validity *validity,
                             struct resident_world *world)
{
    struct topology *topology = calloc(1, sizeof(*topology));
    *model = NULL;
    if (topology) {
        resident_init(&topology->resident, device, topology_destroy);
        topology->roadmap = roadmap;
        for (uint32_t i = 0; i < roadmap->space.dof; i++)
            topology->coordinates[i] = roadmap->space.coordinates[i].name;
        *model = model_new(device, topology, world);
    }
    if (!*model) {
        prm_validity_destroy(validity);
        if (topology)
            resident_release(&topology->resident);
        else
            prm_roadmap_destroy(roadmap);
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a roadmap");
    }
    (*model)->validity = validity;
    resident_release(&topology->resident);
    return PRM_OK;
}

/* difference: of the worlds; NULL: not known. */
static enum prm_status derive(struct device *device, struct model **model, struct model *previous,
                              struct resident_world *world, const struct prm_difference *difference)
{
    const struct prm_roadmap *roadmap = previous->topology->roadmap;
    struct model *made = model_new(device, previous->topology, world);
    *model = NULL;
    if (!made)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a roadmap");
    resident_take(&previous->resident);
    made->previous = previous;
    const enum prm_status status =
        difference
            ? prm_revision_create_between(&made->revision, roadmap, world->world,
                                          previous->validity, previous->world->world, difference)
            : prm_revision_create(&made->revision, roadmap, world->world, previous->validity);
    if (status != PRM_OK) {
        resident_release(&made->resident);
        return status;
    }
    *model = made;
    return PRM_OK;
}

enum prm_status model_derive(struct device *device, struct model **model, struct model *previous,
                             struct resident_world *world)
{
    return derive(device, model, previous, world, NULL);
}

enum prm_status model_derive_between(struct device *device, struct model **model,
                                     struct model *previous, struct resident_world *world,
                                     const struct prm_difference *difference)
{
    return derive(device, model, previous, world, difference);
}

enum prm_status model_advance(struct device *device, struct model *model, bool *done)
{
    const double began = clock_steady();
    enum prm_status status = PRM_OK;
    *done = false;
    do
        status = prm_revision_step(device->arena, model->revision, done);
    while (status == PRM_OK && !*done && !device_should_yield(device, began));
    if (status != PRM_OK || !*done)
        return status;
    model->validity = prm_revision_take(model->revision);
    prm_revision_destroy(model->revision);
    resident_release(&model->previous->resident);
    model->revision = NULL;
    model->previous = NULL;
    return PRM_OK;
}

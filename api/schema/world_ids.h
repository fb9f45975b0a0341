/* Ids of a world's obstacles: look-up, duplicates, names for the nameless. */
#ifndef SCHEMA_WORLD_IDS_H
#define SCHEMA_WORLD_IDS_H

#include "schema/world.h"

/* Obstacles by id: sorted by (id, index), without those that have none. Ids are borrowed. */
struct world_ids {
    struct world_id {
        const char *id;
        uint32_t index;
    } * rows; /* owned */
    uint32_t count;
};

/* false: no memory. */
bool world_ids_init(struct world_ids *ids, const struct world_document *world);
void world_ids_deinit(struct world_ids *ids);

/* The index of the first obstacle of that id, or UINT32_MAX. */
uint32_t world_ids_find(const struct world_ids *ids, const char *id);

/* Names each obstacle without id "obstacle-N", N counting from 1 and skipping what is taken. false:
 * no memory. */
bool world_ids_complete(struct world_document *world);

#endif

/* The index of the milestones, as builds and snapshots make it. Internal. */
#ifndef PRM_ROADMAP_ROADMAP_INDEX_H
#define PRM_ROADMAP_ROADMAP_INDEX_H

#include "roadmap/roadmap.h"

/* Makes roadmap->embedded: the milestones as neighbours are searched for, where that is not as they
 * are. */
enum prm_status prm_roadmap_embed(struct prm_roadmap *roadmap);

/* Begins an index of the milestones, with the roadmap's parameters but for method and recall; the
 * caller destroys it. */
enum prm_status prm_roadmap_index_begin(struct prm_arena *arena, struct prm_neighbor_index **index,
                                        const struct prm_roadmap *roadmap,
                                        enum prm_neighbor_method method, double target_recall);

#endif

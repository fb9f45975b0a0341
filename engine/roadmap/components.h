/* Connected components on the device. */
#ifndef PRM_ROADMAP_COMPONENTS_H
#define PRM_ROADMAP_COMPONENTS_H

#include "device/arena.h"

/* labels[v] = lowest vertex of v's component; sizes[label] = its vertices, 0 elsewhere. pairs:
 * u32[edges][2]; valid: u32[edges] of 0 and 1; labels, sizes: u32[vertices]; all device. One
 * read-back a round, O(log n) rounds. */
enum prm_status prm_components_label(struct prm_arena *arena, struct prm_buffer labels,
                                     struct prm_buffer sizes, struct prm_buffer pairs,
                                     struct prm_buffer valid, uint32_t edges, uint32_t vertices);

#endif

/* From neighbour lists to a roadmap's candidate edges. Internal to the build. */
#ifndef PRM_ROADMAP_CANDIDATES_H
#define PRM_ROADMAP_CANDIDATES_H

#include "roadmap/roadmap.h"

/* Makes edges, lengths and the two orders of a roadmap whose states are there. lists:
 * u32[milestones][k], the neighbours of each, device. One read-back: the number of edges. */
enum prm_status prm_candidates_make(struct prm_arena *arena, struct prm_roadmap *roadmap,
                                    struct prm_buffer lists, uint32_t k);

#endif

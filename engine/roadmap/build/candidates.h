/* From neighbour lists to a roadmap's candidate edges. Internal to the build. */
#ifndef PRM_ROADMAP_CANDIDATES_H
#define PRM_ROADMAP_CANDIDATES_H

#include "roadmap/roadmap.h"

/* Edges in the making. Its arrays are the arena's, which nothing else may use until the last step.
 */
struct prm_candidates {
    struct prm_arena_mark mark;
    struct prm_buffer kept, low, high;
    uint32_t step; /* 0: it begins */
};

/* Makes edges, lengths and the two orders of a roadmap whose states are there, a step a call until
 * *done; *candidates begins as zeros. lists: u32[milestones][k], the neighbours of each, device.
 * One read-back: the number of edges. After a fault the arena is the caller's to destroy. */
enum prm_status prm_candidates_make(struct prm_candidates *candidates, struct prm_arena *arena,
                                    struct prm_roadmap *roadmap, struct prm_buffer lists,
                                    uint32_t k, bool *done);

#endif

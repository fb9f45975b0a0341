/* Judging states and motions as plans and builds do, with reasons: inside the limits, free of
 * obstacles and of the robot itself, and how near the nearest is.
 *
 * A motion is checked by the roadmap's own edge check. Its clearance is the least at places spread
 * evenly over it, so an upper bound of the true one; of a motion that is not free the search goes
 * on about the least, in finer steps, and where nothing is met so in the first part that the edge
 * check refuses, so that the reason names what is in the way even where it is thin.
 *
 * Cost: an edge check and PRM_MOTION_PLACES clearances a motion, three times those of one that is
 * not free. Threads: the context's.
 */
#ifndef PRM_ROADMAP_VALIDATE_H
#define PRM_ROADMAP_VALIDATE_H

#include "device/arena.h"
#include "roadmap/plan/plan.h"

enum { PRM_MOTION_PLACES = 33 };

struct prm_judgement {
    bool valid;
    bool clamped;             /* a coordinate within the tolerance of a limit was taken as on it */
    double clearance;         /* metres, negative: depth; beyond a tile's edge a lower bound; NaN: a
                                 coordinate is outside its limits */
    double fraction;          /* of a motion: where that is, 0 … 1 */
    struct prm_reason reason; /* not valid: why; of a motion `at` is PRM_AT_EDGE */
};

/* judgements: [count]; states: double[count][dof], the wire's. `world` is the one to be in. The
 * caller bounds the count: it is one batch for the device. PRM_HOST_MEMORY, PRM_DEVICE_MEMORY. */
enum prm_status prm_validate_states(struct prm_arena *arena, struct prm_judgement *judgements,
                                    const struct prm_roadmap *roadmap,
                                    const struct prm_world *world, const double *states,
                                    uint32_t count);

/* The straight motions from states[pairs[i][0]] to states[pairs[i][1]], as above. judgements:
 * [count]; pairs: [count][2]. */
enum prm_status prm_validate_motions(struct prm_arena *arena, struct prm_judgement *judgements,
                                     const struct prm_roadmap *roadmap,
                                     const struct prm_world *world, const double *states,
                                     const uint32_t *pairs, uint32_t count);

/* The milestones nearest to states by the roadmap's metric, ascending by (distance, id), UINT32_MAX
 * past the last. ids, distances: [count][k], 1 <= k <= PRM_NEIGHBORS_MAX; found: their states,
 * double[count][k][dof], untouched past the last; states: double[count][dof], within or outside the
 * limits, whose rows are finite. */
enum prm_status prm_nearest_milestones(struct prm_arena *arena, uint32_t *ids, float *distances,
                                       double *found, const struct prm_roadmap *roadmap,
                                       const double *states, uint32_t count, uint32_t k);

#endif

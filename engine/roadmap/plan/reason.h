/* Why a state is not one to be in. Internal to the roadmap folder: plans and judgements give the
 * same reasons. */
#ifndef PRM_ROADMAP_REASON_H
#define PRM_ROADMAP_REASON_H

#include "kernels/robot_types.h"
#include "roadmap/plan/plan.h"

/* A reason of this kind, all else left out. */
struct prm_reason prm_reason_make(enum prm_reason_kind kind);

/* A coordinate's value passes one of its limits. */
struct prm_reason prm_reason_of_limit(const struct prm_space *space, uint32_t coordinate,
                                      double value);

/* A configuration with this clearance is not free. */
struct prm_reason prm_reason_of_clearance(const struct clearance *least);

#endif

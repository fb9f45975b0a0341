/* What a roadmap's parameters may be. Internal to builds and snapshots. */
#ifndef PRM_ROADMAP_PARAMS_H
#define PRM_ROADMAP_PARAMS_H

#include "roadmap/roadmap.h"

/* PRM_INVALID_ARGUMENT names what cannot be. */
enum prm_status prm_params_check(const struct prm_roadmap_params *params);

/* Refuses a resolution so fine that checking an edge would hold the device up: PRM_LIMIT_EXCEEDED.
 * diagonal: of the space. */
enum prm_status prm_params_check_resolution(const struct prm_roadmap_params *params,
                                            double diagonal);

#endif

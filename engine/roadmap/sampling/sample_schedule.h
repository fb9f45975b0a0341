/* Which source gives which milestone: a function of the milestone's number alone, with each
 * source's part of the first n within one of its share, for every n. Host only. */
#ifndef PRM_ROADMAP_SAMPLE_SCHEDULE_H
#define PRM_ROADMAP_SAMPLE_SCHEDULE_H

#include "roadmap/roadmap.h"

/* No source gives it: an anchor, or nothing was found for it. */
enum { PRM_SOURCE_NONE = 255, PRM_SOURCE_ANCHOR = 254 };

/* The shares of the sources, in all 1. PRM_INVALID_ARGUMENT where they cannot be. */
enum prm_status prm_sample_shares(double shares[PRM_SAMPLE_SOURCES],
                                  const struct prm_roadmap_params *params);

/* source_of[i] for the milestones behind the anchors: the source that is most behind its share, the
 * first of equals. source_of: [count]. */
void prm_sample_schedule(uint8_t *source_of, const double shares[PRM_SAMPLE_SOURCES],
                         uint32_t anchors, uint32_t count);

#endif

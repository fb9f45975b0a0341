/* The digest of a built roadmap: equal digests mean equal roadmaps. Internal to the build. */
#ifndef PRM_ROADMAP_DIGEST_H
#define PRM_ROADMAP_DIGEST_H

#include "roadmap/roadmap.h"

/* Writes the SHA-256 of the local frame's origin, then milestones, edges and lengths in the order
 * of their numbers, little-endian, into roadmap->digest. Reads host_states and host_lengths; the
 * edges are read back. */
enum prm_status prm_roadmap_digest(struct prm_roadmap *roadmap);

#endif

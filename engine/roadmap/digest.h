/* The digest of a roadmap: equal digests mean equal roadmaps. Internal. */
#ifndef PRM_ROADMAP_DIGEST_H
#define PRM_ROADMAP_DIGEST_H

#include "roadmap/roadmap.h"

/* What is digested, in host memory; borrowed. */
struct prm_digested {
    const struct prm_space *space;
    uint32_t milestone_count, edge_count;
    const float *states;   /* [milestone_count][row] */
    const uint32_t *edges; /* [edge_count][2] */
    const float *lengths;  /* [edge_count] */
};

/* Writes the SHA-256 of the local frame's origin, then milestones, edges and lengths in the order
 * of their numbers, little-endian, in hexadecimal into digest[65]. On any thread. */
enum prm_status prm_digest_make(char *digest, const struct prm_digested *content);

/* The same of a built roadmap, into roadmap->digest. Reads host_states and host_lengths; the edges
 * are read back. */
enum prm_status prm_roadmap_digest(struct prm_roadmap *roadmap);

#endif

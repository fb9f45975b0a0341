/* The digest of a roadmap: equal digests mean equal roadmaps. Internal.
 *
 * SHA-256 of the local frame's origin, then milestones, edges and lengths in the order of their
 * numbers, little-endian. Cost: about 5 ns a word, cut into steps.
 */
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

/* Writes the digest in hexadecimal into digest[65], at once. On any thread. */
enum prm_status prm_digest_make(char *digest, const struct prm_digested *content);

/* A digest in progress. */
struct prm_digesting;

/* The digest of a built roadmap into roadmap->digest, a step a call until *done; *digesting begins
 * as NULL. Reads host_states and host_lengths; the edges are read back by pieces. */
enum prm_status prm_roadmap_digest(struct prm_digesting **digesting, struct prm_roadmap *roadmap,
                                   bool *done);

/* NULL is accepted. */
void prm_digesting_destroy(struct prm_digesting *digesting);

#endif

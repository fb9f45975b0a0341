/* The steps in which a validity is made, shared by builds and revisions. Internal. In this order:
 * begin, check pieces, link, label, weigh, summarise. */
#ifndef PRM_ROADMAP_VALIDITY_H
#define PRM_ROADMAP_VALIDITY_H

#include "roadmap/collision/collide.h"

/* Samples along the bounds' diagonal of `sampled` edges, by default. */
enum { PRM_SAMPLES_ACROSS = 100 };

/* Edges that one step checks: about two milliseconds' work. The finer they are sampled, the fewer.
 */
uint32_t prm_edges_per_step(const struct prm_roadmap *roadmap);

/* An empty validity of a roadmap; the caller destroys it. */
enum prm_status prm_validity_begin(struct prm_validity **validity,
                                   const struct prm_roadmap *roadmap);

/* Checks edges first … first + count - 1. */
enum prm_status prm_validity_check(struct prm_arena *arena, struct prm_validity *validity,
                                   const struct prm_scene *scene, uint32_t first, uint32_t count);

/* The graph of valid edges; its arcs' weights are edge numbers until prm_validity_weigh(). One
 * read-back. */
enum prm_status prm_validity_link(struct prm_arena *arena, struct prm_validity *validity);

/* Components, their sizes and the largest: a step a call until *done. */
enum prm_status prm_validity_label(struct prm_validity *validity, bool *done);

/* The scale that this graph's paths need, at most `scale_max` (0: any); then the arcs' weights: a
 * step a call until *done. The graph is read back. link_length: the longest link of a start or
 * goal.
 */
enum prm_status prm_validity_weigh(struct prm_validity *validity, double link_length,
                                   double scale_max, bool *done);

/* The same where its outcome is known already: nothing is read back. */
enum prm_status prm_validity_weigh_as(struct prm_validity *validity, double scale,
                                      uint32_t degree_max, double length_max);

/* Histograms, and changes against `previous` (NULL: none). */
enum prm_status prm_validity_summarise(struct prm_arena *arena, struct prm_validity *validity,
                                       const struct prm_validity *previous);

/* Shares the landmarks of `previous` where no edge is valid now that they do not know of. One
 * read-back. */
enum prm_status prm_validity_share_landmarks(struct prm_arena *arena, struct prm_validity *validity,
                                             const struct prm_validity *previous);

/* Edges valid in `after` and not in `before`: *on; and the other way round: *off. u32[edge_count]
 * of 0 and 1, device. One read-back. */
enum prm_status prm_validity_count_changes(struct prm_arena *arena,
                                           const struct prm_roadmap *roadmap, uint32_t *on,
                                           uint32_t *off, struct prm_buffer before,
                                           struct prm_buffer after);

#endif

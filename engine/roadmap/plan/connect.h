/* The ends of queries linked to a roadmap: states checked, neighbours found, links checked, and an
 * early no to queries whose ends lead into different components.
 *
 * An end that coincides with a milestone is that milestone: it has that one link, of cost 0. All on
 * the device, without a read-back.
 */
#ifndef PRM_ROADMAP_CONNECT_H
#define PRM_ROADMAP_CONNECT_H

#include "roadmap/nearest/neighbors.h"
#include "roadmap/search/search.h"

/* What ends are linked to, and how. */
struct prm_connect_options {
    const struct prm_roadmap *roadmap;
    const struct prm_validity *validity;
    const struct prm_scene *scene;
    const struct prm_neighbor_index *index; /* over the roadmap's milestones */
    uint32_t k;                             /* links an end at most, ≥ 1 */
    double radius;                          /* metric; 0: the index's */
    uint32_t enough; /* no more links after so many into the largest component; 0: all */
};

/* Links the ends. `ends` comes with count and states; its other members are taken from the arena.
 * flags: u32[count] of enum end_flag (kernels/connect_types.h), END_OUTSIDE or 0 on entry. */
enum prm_status prm_connect_ends(struct prm_arena *arena, struct prm_endpoints *ends,
                                 struct prm_buffer flags,
                                 const struct prm_connect_options *options);

/* Leaves each query only links that can be of use, and sets `skip` where there are none. reports:
 * struct connect_report[count]; queries: struct query[count]. */
enum prm_status prm_connect_queries(struct prm_arena *arena, struct prm_buffer reports,
                                    struct prm_buffer queries, const struct prm_endpoints *ends,
                                    const struct prm_validity *validity, size_t count);

#endif

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

/* How ends are linked, wherever their states are. */
struct prm_links {
    struct prm_buffer vertices, costs; /* as of endpoints */
    struct prm_buffer flags;           /* u32[E] of enum end_flag */
};

/* Links of ends that are linked already, of k each: end first + e of `out` is linked as end
 * which[e] of `from`, or not at all and without flags where that is NONE_U32. which: u32[count]. */
enum prm_status prm_connect_copy(struct prm_context *context, const struct prm_space *space,
                                 const struct prm_links *out, const struct prm_links *from,
                                 struct prm_buffer which, uint32_t k, uint32_t first,
                                 uint32_t count);

/* Leaves each query only links that can be of use, and sets `skip` where there are none. reports:
 * struct connect_report[count]; queries: struct query[count]. */
enum prm_status prm_connect_queries(struct prm_arena *arena, struct prm_buffer reports,
                                    struct prm_buffer queries, const struct prm_endpoints *ends,
                                    const struct prm_validity *validity, size_t count);

#endif

/* Which candidate edges a changed world concerns, and those checked again. Internal.
 *
 * Where two worlds differ in some obstacles, an edge keeps what was found of it unless the robot
 * may come near one of them on its way: near one that is gone, or, if it is valid, near one that
 * has come. The boxes about these obstacles are compared with the ways of all edges (a hundredth of
 * the cost of a check); what is found is what a check of all edges finds, to the last bit.
 *
 * Obstacles that have no box, grids, or that are kept as distance fields, or too many: then all
 * edges are checked.
 */
#ifndef PRM_ROADMAP_CHANGES_H
#define PRM_ROADMAP_CHANGES_H

#include "roadmap/collision/collide.h"

struct prm_changes {
    uint32_t count;          /* of boxes */
    struct prm_buffer boxes; /* struct change_box[count], resident */
};

/* Whether the boxes of a difference tell which edges it concerns, from world `before` to `after`.
 */
bool prm_changes_are_local(const struct prm_world *before, const struct prm_world *after,
                           const struct prm_difference *difference);

/* Makes the boxes of a difference that is local; `world` is the one after. Must be deinitialised
 * whatever the status. */
enum prm_status prm_changes_init(struct prm_changes *changes, const struct prm_world *world,
                                 const struct prm_difference *difference);
void prm_changes_deinit(struct prm_context *context, struct prm_changes *changes);

/* Edges to mark in a step: about a millisecond's work. */
uint32_t prm_changes_per_step(const struct prm_changes *changes, const struct prm_roadmap *roadmap);

/* flags[e] = 1 for the edges first … first + count - 1 that are to be checked again. flags, valid:
 * u32[edge_count], device; valid: in the world before. */
enum prm_status prm_changes_mark(const struct prm_changes *changes, struct prm_buffer flags,
                                 struct prm_buffer valid, const struct prm_roadmap *roadmap,
                                 const struct prm_scene *scene, uint32_t first, uint32_t count);

/* Checks the edges list[first … first + count - 1] and puts what is found into `valid`. */
enum prm_status prm_changes_check(struct prm_arena *arena, struct prm_buffer valid,
                                  struct prm_buffer list, const struct prm_roadmap *roadmap,
                                  const struct prm_scene *scene, uint32_t first, uint32_t count);

#endif

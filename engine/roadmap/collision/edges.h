/* Edge checks: is the straight motion between two states free?
 *
 * Certified (the default): the least clearance along the whole edge is bounded from below in closed
 * form or by convex bisection and must exceed the margin, so nothing thin is tunnelled through.
 * Sampled: states at a stated resolution, for comparison. The same routine serves roadmap,
 * connections and shortcuts; its device side is edge_is_free() in kernels/edges.h; kernels get
 * their scene by roadmap/collision/scene_arguments.h.
 */
#ifndef PRM_ROADMAP_EDGES_H
#define PRM_ROADMAP_EDGES_H

#include "roadmap/collision/collide.h"

/* valid[i] = 1 where the motion from row pairs[i][0] of `from` to row pairs[i][1] of `to` is free;
 * a pair with NONE_U32 in it gets 0. valid: u32[count]; from, to: f32[][row]; pairs: u32[count][2];
 * device. */
enum prm_status prm_edges_check(struct prm_arena *arena, struct prm_buffer valid,
                                const struct prm_scene *scene, struct prm_buffer from,
                                struct prm_buffer to, struct prm_buffer pairs, size_t count);

/* The same for the edges first … first + count - 1 of longer lists: one bounded piece of a build.
 */
enum prm_status prm_edges_check_piece(struct prm_arena *arena, struct prm_buffer valid,
                                      const struct prm_scene *scene, struct prm_buffer from,
                                      struct prm_buffer to, struct prm_buffer pairs, size_t first,
                                      size_t count);

/* Pairs in runs of `length`: after `enough` free ones (0: all) into the component `wanted` no more
 * of a run are checked; these are 0. components: u32[], by rows of `to`. */
struct prm_edge_runs {
    struct prm_buffer components;
    uint32_t length, enough, wanted;
};

/* The same for `count` runs of pairs. */
enum prm_status prm_edges_check_runs(struct prm_arena *arena, struct prm_buffer valid,
                                     const struct prm_scene *scene, struct prm_buffer from,
                                     struct prm_buffer to, struct prm_buffer pairs, size_t count,
                                     const struct prm_edge_runs *runs);

#endif

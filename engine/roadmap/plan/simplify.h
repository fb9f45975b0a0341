/* Shorter paths for a whole batch: every new motion is checked by the roadmap's own edge check or
 * is a part of one that is, and no path comes out longer than it was (beyond the rounding of
 * float32, which the caller settles).
 *
 * Method: kernels/shorten.h. Cost: some ten edge checks for each corner that is left.
 */
#ifndef PRM_ROADMAP_SIMPLIFY_H
#define PRM_ROADMAP_SIMPLIFY_H

#include "roadmap/collision/collide.h"
#include "roadmap/search/search.h"

/* Paths as the search left them, and what their points are. All device. */
struct prm_simplify_input {
    const struct prm_search_paths *paths;
    const struct prm_endpoints *ends;
    struct prm_buffer flags;   /* u32[E] of enum end_flag */
    struct prm_buffer queries; /* struct query[query_count] */
    struct prm_buffer states;  /* f32[milestones][row] */
    uint32_t query_count;
    uint32_t points_max; /* of the longest path, its ends left out */
    /* own points between ends and vertices, and paths without vertices (struct prm_approaches); no
     * memory: none */
    struct prm_buffer approach_first, approach_counts; /* u32[E] */
    struct prm_buffer approach_points;                 /* f32[approach_point_count][row] */
    size_t approach_point_count;
    struct prm_buffer met; /* u32[query_count] */
};

/* Paths as rows: path q is points[first[q]] … of counts[q], the rows of its two ends included;
 * counts 0: none. */
struct prm_polylines {
    struct prm_buffer first, counts; /* u32[query_count] */
    struct prm_buffer points;        /* f32[point_count][row] */
    size_t point_count;
};

/* Simplifies a batch among the scene's obstacles; buffers are pieces of `arena`, taken by this call
 * and left to the caller's rewind. One read-back: the number of points. */
enum prm_status prm_simplify(struct prm_arena *arena, struct prm_polylines *polylines,
                             const struct prm_scene *scene, const struct prm_simplify_input *input);

#endif

/* Trees grown from the ends of queries that the roadmap alone cannot answer, in bounded steps.
 *
 * Method and paper: kernels/expand.cl. A query that is answered leaves its ends linked to the
 * roadmap over approaches: points of their own between an end and the milestone that it is linked
 * to, or up to where both trees meet. The roadmap stays as it is. What becomes of a query depends
 * on its ends, the roadmap and its seed alone. Cost: of an arm in a pocket a tenth of an edge check
 * a sample, some five checks a node. A step takes a few milliseconds, however many queries there
 * are.
 */
#ifndef PRM_ROADMAP_EXPAND_H
#define PRM_ROADMAP_EXPAND_H

#include "roadmap/plan/connect.h"

struct query;

/* What there is to grow; borrowed, and as long as the expander. */
struct prm_expand_input {
    const struct prm_roadmap *roadmap;
    const struct prm_validity *validity;
    const struct prm_scene *scene;
    const struct prm_neighbor_index *index;
    const struct prm_endpoints *ends; /* as prm_connect_ends() leaves them */
    struct prm_buffer flags;          /* u32[E] of enum end_flag, likewise */
    struct prm_buffer queries;        /* struct query[query_count] */
    const struct query *asked;        /* the same on the host: a query with `skip` is not grown */
    const float *rows;                /* [E][row], the ends' states */
    uint32_t query_count;
    uint32_t samples_max; /* of a query, to become nodes, ≥ 1 */
};

/* Approaches as plain data. That of end e is points[first[e]] … of counts[e] rows, from the end on.
 */
struct prm_approaches {
    uint32_t *first, *counts; /* [E] */
    float *points;            /* [point_count][row] */
    size_t point_count;
    /* [query_count]: where the trees met, the goal's end that the way leads to: the start's
     * approach and then that end's, backwards, are all of it; else NONE_U32 */
    uint32_t *met;
    size_t met_count, joined_count; /* queries whose trees met, or reach one component */
};

struct prm_expander;

/* Buffers are pieces of `arena`, taken by this call and the steps; nothing may be taken in between
 * that outlives the expander. The caller destroys it, then rewinds. */
enum prm_status prm_expander_create(struct prm_arena *arena, struct prm_expander **expander,
                                    const struct prm_expand_input *input);

/* Grows on for a bounded time. After the step that is *done, ends that have an approach are linked
 * over it: `ends` and `flags` have changed there, and nowhere else. */
enum prm_status prm_expander_step(struct prm_expander *expander, bool *done);

/* Of the steps so far; lives as long as the expander. */
const struct prm_approaches *prm_expander_approaches(const struct prm_expander *expander);

void prm_expander_destroy(struct prm_expander *expander);

#endif

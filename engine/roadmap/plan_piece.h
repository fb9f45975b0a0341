/* A piece of a batch on its way through the stages of plan.c: as many queries as the device takes
 * at once. */
#ifndef PRM_ROADMAP_PLAN_PIECE_H
#define PRM_ROADMAP_PLAN_PIECE_H

#include "kernels/connect_types.h"
#include "kernels/types.h"
#include "roadmap/connect.h"
#include "roadmap/simplify.h"

/* What is the same for all pieces of a batch. Borrowed pointers. */
struct plan_batch {
    struct prm_arena *arena;
    struct prm_plan_results *results;
    const struct prm_roadmap *roadmap;
    const struct prm_validity *validity;
    const struct prm_plan_options *options;
    struct prm_scene scene;
    const struct prm_neighbor_index *index;
    uint32_t connect_k;
};

/* Ends are numbered query by query: its start, then its goals. An invalid query has none. */
struct plan_piece {
    const struct plan_batch *batch;
    const struct prm_query *queries;
    struct prm_plan_result *results;
    uint32_t count, end_count;

    /* host */
    struct query *asked;              /* [count]; skip: answered without a search */
    float *rows;                      /* [end_count][row] */
    uint32_t *flags;                  /* [end_count] of enum end_flag */
    struct connect_report *reports;   /* [count] */
    uint32_t *first, *counts, *goals; /* [count]: the paths found, as in prm_search_paths */
    uint32_t *pool;
    uint32_t *point_first,
        *point_counts; /* [count]: simplified paths, as in prm_polylines; or NULL */
    float *points;
    uint32_t vertices_max; /* of the longest path */
    size_t path_count;

    /* device */
    struct prm_endpoints ends;
    struct prm_buffer flags_device, asked_device;
    struct prm_search_paths paths;
};

/* The state of end e of query q, as sent. */
static inline const double *plan_end_state(const struct plan_piece *piece, uint32_t q, uint32_t e)
{
    const struct prm_query *query = &piece->queries[q];
    const struct query *asked = &piece->asked[q];
    return e == asked->start
               ? query->start
               : query->goals + (size_t)(e - asked->goal_first) * piece->batch->roadmap->space.dof;
}

/* Lays out the ends: rows, limits, what needs no search. plan_judge.c. */
void prm_plan_lay_out(struct plan_piece *piece);

/* Sets the results of all queries that are answered before the search, with their reasons. */
enum prm_status prm_plan_judge(struct plan_piece *piece);

/* Writes the results of the queries that were searched for, way-points and nodes. plan_answer.c. */
enum prm_status prm_plan_answer(struct plan_piece *piece);

/* The planner's own scratch. */
struct prm_arena *prm_planner_arena(struct prm_planner *planner);

#endif

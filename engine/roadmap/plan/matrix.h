/* Costs from many states to many others: what plans without simplification find between each pair,
 * to the last bit, but each state is checked and linked to the roadmap once, not once a pair.
 *
 * states checked and linked, a piece at a time → pairs searched, a piece at a time → trees from the
 * ends of what the roadmap alone does not answer (expand.h). Cost: a search a pair (search.h), 13
 * bytes of host memory a pair. Threads: the context's; other work may go between the steps.
 */
#ifndef PRM_ROADMAP_MATRIX_H
#define PRM_ROADMAP_MATRIX_H

#include "roadmap/plan/plan.h"

struct prm_matrix_input {
    const double *states; /* [state_count][dof], the world's frame */
    const bool *invalid;  /* [state_count]: not to be looked at; NULL: none */
    uint32_t state_count;
    const uint32_t *sources, *targets; /* [source_count], [target_count]: indices of states */
    uint32_t source_count, target_count;
    double deadline_ms; /* of all pairs, as of a query */
};

struct prm_matrix_state {
    /* PRM_SOLVED: free and linked to the roadmap; PRM_INVALID_QUERY; else what is wrong with it as
     * a start */
    enum prm_query_status status;
    bool clamped;
    struct prm_reason reason;
};

/* [source_count][target_count]; length NaN where there is no path. */
struct prm_matrix_results {
    double *lengths;
    uint32_t *hops;
    struct prm_matrix_state *states; /* [state_count] */
    size_t pairs, solved, late;      /* late: not looked for before the deadline */
    struct prm_plan_times times;
};

struct prm_matrix;

/* Begins. Of the options those for simplification and output have no say. All but `options` is
 * borrowed until the end. PRM_HOST_MEMORY; the options' faults as of prm_plan(). */
enum prm_status prm_matrix_create(struct prm_matrix **matrix, const struct prm_roadmap *roadmap,
                                  const struct prm_validity *validity,
                                  const struct prm_world *world,
                                  const struct prm_matrix_input *input,
                                  const struct prm_plan_options *options);

/* Goes on for some milliseconds; *done: the results are there. */
enum prm_status prm_matrix_step(struct prm_planner *planner, struct prm_matrix *matrix, bool *done);

/* What has been found so far; lives as long as the matrix. */
const struct prm_matrix_results *prm_matrix_results(const struct prm_matrix *matrix);

/* The same for the caller, who deinitialises it, whatever becomes of the matrix; after the last
 * step. */
struct prm_matrix_results prm_matrix_take(struct prm_matrix *matrix);
void prm_matrix_results_deinit(struct prm_matrix_results *results);

/* At any point; NULL is accepted. */
void prm_matrix_destroy(struct prm_matrix *matrix);

#endif

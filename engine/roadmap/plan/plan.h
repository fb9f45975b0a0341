/* Planning: batches of queries on a resident roadmap, answered on the device.
 *
 * connect the ends that are free to the roadmap → early refusal from components → search (length:
 * A*; hops: led by landmarks, else bit-parallel multi-source BFS) → canonical walk-back → simplify
 * → copy out. Queries that the roadmap alone does not answer may then grow trees from their ends
 * (expand.h), after which they are searched for again. The same query gets the same answer whatever
 * the batch.
 */
#ifndef PRM_ROADMAP_PLAN_H
#define PRM_ROADMAP_PLAN_H

#include "roadmap/roadmap.h"

enum prm_objective { PRM_OBJECTIVE_LENGTH, PRM_OBJECTIVE_HOPS };
enum prm_output { PRM_OUTPUT_PATH, PRM_OUTPUT_NODES, PRM_OUTPUT_COST };

/* The wire's statuses, in the wire's order; `invalid_query` is decided before the engine. */
enum prm_query_status {
    PRM_SOLVED,
    PRM_NO_PATH,
    PRM_START_OUT_OF_BOUNDS,
    PRM_GOAL_OUT_OF_BOUNDS,
    PRM_START_IN_COLLISION,
    PRM_GOAL_IN_COLLISION,
    PRM_START_NOT_CONNECTED,
    PRM_GOAL_NOT_CONNECTED,
    PRM_DEADLINE_EXCEEDED,
    PRM_QUERY_CANCELLED,
    PRM_INVALID_QUERY,
};

/* States are double[dof] in the world's frame. */
struct prm_query {
    const double *start;
    const double *goals; /* [goal_count][dof]; any of them, the cheapest wins */
    uint32_t goal_count;
    bool invalid;       /* not to be planned: answered PRM_INVALID_QUERY */
    double deadline_ms; /* on prm_clock_ms(): what is not begun then is answered
                         * PRM_DEADLINE_EXCEEDED; 0: none */
};

struct prm_plan_options {
    enum prm_objective objective;
    enum prm_output output;
    bool simplify;
    double interpolate;      /* greatest metric distance between way-points; 0: none */
    uint32_t connect_k;      /* 0: the roadmap's */
    double connect_radius;   /* 0: the roadmap's */
    uint32_t connect_enough; /* valid links into the largest component that are enough; 0: two for
                              * arms, all for others */
    uint32_t expand_samples; /* nodes of trees a query at most, of four times as many draws; 0: no
                              * trees */
    bool diagnose;
    uint64_t waypoints_max; /* of all answers; 0: what is possible */
};

enum prm_reason_at { PRM_AT_START, PRM_AT_GOAL, PRM_AT_EDGE };
enum prm_reason_kind {
    PRM_REASON_NONE,
    PRM_REASON_WORLD_COLLISION,
    PRM_REASON_SELF_COLLISION,
    PRM_REASON_BOUNDS,
    PRM_REASON_NOT_CONNECTED,
    PRM_REASON_OTHER_COMPONENT,
};

/* Why a query was not solved. Members that a kind has no use for are 0 or UINT32_MAX. */
struct prm_reason {
    enum prm_reason_kind kind;
    enum prm_reason_at at;
    uint32_t goal_index;
    uint32_t obstacle;     /* world_collision: index in the world's list; UINT32_MAX none */
    uint32_t link, sphere; /* which of the robot's, numbered as in its specification */
    uint32_t other_link;   /* self_collision */
    double depth;          /* metres of penetration, >= 0 */
    uint32_t coordinate;   /* bounds: which, its value and the limit passed */
    double value, limit;
    uint32_t start_component_size, goal_component_size; /* with diagnose */
};

struct prm_plan_result {
    enum prm_query_status status;
    bool clamped;  /* a coordinate within 1e-6 of a limit was clamped */
    bool expanded; /* solved, by growing trees */
    double length; /* summed in double precision over the way-points of the answer */
    uint32_t hops; /* edges before simplification */
    uint32_t goal_index;
    size_t waypoint_first, waypoint_count; /* into waypoints; output path */
    size_t node_first,
        node_count; /* into nodes; output nodes: milestone ids between start and goal */
    struct prm_reason reason;
};

struct prm_plan_times {
    double connect_ms, expand_ms, search_ms, extract_ms, simplify_ms, total_ms;
};

/* Answers, one per query in order; malloc'ed, freed by prm_plan_results_deinit(). */
struct prm_plan_results {
    uint32_t count, dof, solved;
    struct prm_plan_result *results; /* [count] */
    double *waypoints; /* [waypoint_count][dof], first and last exactly as sent, but for
                        * whole turns of the last */
    size_t waypoint_count;
    uint32_t *nodes;
    size_t node_count;
    struct prm_plan_times times;
};

/* Scratch that batches reuse; one per context and thread. */
struct prm_planner;
enum prm_status prm_planner_create(struct prm_context *context, struct prm_planner **planner);
void prm_planner_destroy(struct prm_planner *planner);

/* Builds the kernels for a space ahead of the first batch, so that no request waits for a compiler.
 */
enum prm_status prm_planner_warm_up(struct prm_planner *planner, uint32_t dof);

/* Plans on a roadmap in every way once, so that kernels of a space or robot that has not been
 * warmed up are built before anybody waits for them. The answers do not matter. */
enum prm_status prm_planner_rehearse(struct prm_planner *planner, const struct prm_roadmap *roadmap,
                                     const struct prm_validity *validity,
                                     const struct prm_world *world);

/* Plans a batch of any size. `world` is the world of `validity`. Results must be deinitialised by
 * the caller whatever the status. */
enum prm_status prm_plan(struct prm_planner *planner, struct prm_plan_results *results,
                         const struct prm_roadmap *roadmap, const struct prm_validity *validity,
                         const struct prm_world *world, const struct prm_query *queries,
                         uint32_t count, const struct prm_plan_options *options);

/* The same with other work in between: answers what the roadmap alone does. *left is what trees may
 * yet answer, which has its answers of failure already; NULL: nothing. */
struct prm_expansion;
enum prm_status prm_plan_begin(struct prm_planner *planner, struct prm_plan_results *results,
                               struct prm_expansion **left, const struct prm_roadmap *roadmap,
                               const struct prm_validity *validity, const struct prm_world *world,
                               const struct prm_query *queries, uint32_t count,
                               const struct prm_plan_options *options);

/* Goes on for a few milliseconds, or, of some thousand queries, as long as it takes to connect or
 * search for them. Roadmap, validity, world, the queries' states and the results must be there
 * until it is *done or destroyed; other batches may be planned between steps. */
enum prm_status prm_expansion_step(struct prm_expansion *expansion, bool *done);

/* Takes queries first … first + count - 1 out of a batch that has just begun, answers and what is
 * left, as if they had been a batch of their own. `whole` and its `left` (NULL: nothing) stay as
 * they are. PRM_HOST_MEMORY: nothing is left to deinitialise. */
enum prm_status prm_plan_part(struct prm_plan_results *part, struct prm_expansion **left_part,
                              const struct prm_plan_results *whole,
                              const struct prm_expansion *left, uint32_t first, uint32_t count);

/* Queries that it is about. */
uint32_t prm_expansion_count(const struct prm_expansion *expansion);

/* Frees it at any point; NULL is accepted. */
void prm_expansion_destroy(struct prm_expansion *expansion);

void prm_plan_results_deinit(struct prm_plan_results *results);

#endif

/* A piece of a batch on its way through the stages of plan.c: as many queries as the device takes
 * at once. */
#ifndef PRM_ROADMAP_PLAN_PIECE_H
#define PRM_ROADMAP_PLAN_PIECE_H

#include "kernels/connect_types.h"
#include "kernels/types.h"
#include "roadmap/plan/expand.h"
#include "roadmap/plan/simplify.h"

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

/* Ends are numbered query by query: its start, then its goals. A query that is invalid or late has
 * none. */
struct plan_piece {
    const struct plan_batch *batch;
    const struct prm_query *queries;
    struct prm_plan_result *results;
    uint32_t count, end_count;
    double now_ms; /* when it was cut: queries whose deadline is over are not planned */

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
    uint32_t *links;     /* [2][end_count][k]: vertices and costs of all links found; or NULL */
    uint32_t points_max; /* of the longest path, its ends left out */
    size_t path_count;
    const struct prm_approaches *approaches; /* of expanded queries; NULL: none */

    /* device */
    struct prm_endpoints ends;
    struct prm_buffer flags_device, asked_device;
    struct prm_search_paths paths;
};

/* Whether a deadline is over. */
static inline bool plan_is_late(const struct prm_query *query, double now_ms)
{
    return query->deadline_ms > 0 && query->deadline_ms <= now_ms && !query->invalid;
}

/* Whether a query of the piece is planned: it has ends. */
static inline bool plan_is_asked(const struct plan_piece *piece, const struct prm_query *query)
{
    return !query->invalid && query->goal_count > 0 && !plan_is_late(query, piece->now_ms);
}

/* The state of end e of query q, as sent. */
static inline const double *plan_end_state(const struct plan_piece *piece, uint32_t q, uint32_t e)
{
    const struct prm_query *query = &piece->queries[q];
    const struct query *asked = &piece->asked[q];
    return e == asked->start
               ? query->start
               : query->goals + (size_t)(e - asked->goal_first) * piece->batch->roadmap->space.dof;
}

/* Points of an end's own between it and the path's vertices. */
static inline uint32_t plan_approach_count(const struct plan_piece *piece, uint32_t e)
{
    return piece->approaches ? piece->approaches->counts[e] : 0;
}

/* The goal's end where query q's way leads by approaches alone, or NONE_U32. */
static inline uint32_t plan_met(const struct plan_piece *piece, uint32_t q)
{
    return piece->approaches ? piece->approaches->met[q] : NONE_U32;
}

/* The goal's end that query q's path leads to, NONE_U32: there is none. */
static inline uint32_t plan_goal_end(const struct plan_piece *piece, uint32_t q)
{
    return piece->counts[q] > 0 ? piece->goals[q] : plan_met(piece, q);
}

/* ---- plan_stages.c ---- */

/* Room on the host for the piece's queries and ends; deinit it also after a fault. */
enum prm_status prm_plan_piece_init(struct plan_piece *piece);
void prm_plan_piece_deinit(struct plan_piece *piece);

/* Leaves queries the links that can be of use; the reports come back. */
enum prm_status prm_plan_filter(struct plan_piece *piece);

enum prm_status prm_plan_search(struct plan_piece *piece);

/* Brings the paths' vertices to the host. */
enum prm_status prm_plan_extract(struct plan_piece *piece);

/* Makes the paths shorter and brings their points to the host. */
enum prm_status prm_plan_simplify(struct plan_piece *piece);

/* From the search to the answers, with their times. */
enum prm_status prm_plan_finish(struct plan_piece *piece, struct prm_plan_times *times);

/* How many of the queries from `first` on make a piece, and their ends. */
void prm_plan_cut(struct plan_piece *piece, const struct prm_query *queries, uint32_t count);

/* ---- plan_connect.c ---- */

/* Brings what the host knows of ends and queries to the device. */
enum prm_status prm_plan_upload_ends(struct plan_piece *piece);

/* Links the ends to the roadmap, those that are the same once. */
enum prm_status prm_plan_connect(struct plan_piece *piece);

/* Keeps the links on the host, before any are left out. */
enum prm_status prm_plan_keep_links(struct plan_piece *piece);

/* Links the ends again as they were: flags and links that were kept are those of the host. */
enum prm_status prm_plan_link_again(struct plan_piece *piece);

/* ---- plan_judge.c ---- */

/* Lays out the ends: rows, limits, what needs no search. */
void prm_plan_lay_out(struct plan_piece *piece);

/* Sets the results of all queries that are answered before the search, with their reasons. */
enum prm_status prm_plan_judge(struct plan_piece *piece);

/* Whether query q, of which a piece's results tell, is one that trees may yet answer. */
bool prm_plan_may_expand(const struct plan_piece *piece, uint32_t q);

/* ---- plan_answer.c ---- */

/* Writes the results of the queries that were searched for, way-points and nodes. */
enum prm_status prm_plan_answer(struct plan_piece *piece);

/* ---- plan_expand.c ---- */

/* What is left of a batch: takes copies of what it is told of, but for the states, the roadmap and
 * the results. */
enum prm_status prm_expansion_create(struct prm_expansion **expansion,
                                     const struct plan_batch *batch);

/* How the ends of a query were linked: flags [1 + goal_count] of enum end_flag, links of the start,
 * then of the goals, [1 + goal_count][k] each. */
struct plan_links {
    const uint32_t *flags, *vertices, *costs;
};

/* One more query of the batch, by its number, to be expanded. links: as they were found, copied;
 * NULL: they are found again, of this query and all others, which have none either. */
enum prm_status prm_expansion_add(struct prm_expansion *expansion, const struct prm_query *query,
                                  uint32_t number, const struct plan_links *links);

/* Of what is left the queries first … first + count - 1 as an expansion of its own, whose answers
 * are `results`; NULL: none of them is left. */
enum prm_status prm_expansion_part(struct prm_expansion **part, const struct prm_expansion *whole,
                                   struct prm_plan_results *results, uint32_t first,
                                   uint32_t count);

/* ---- plan.c ---- */

/* What the pieces of a batch share; everything is borrowed, and the arena is the caller's to set.
 */
struct plan_batch prm_plan_batch(struct prm_plan_results *results,
                                 const struct prm_roadmap *roadmap,
                                 const struct prm_validity *validity, const struct prm_world *world,
                                 const struct prm_plan_options *options);

/* PRM_LIMIT_EXCEEDED, PRM_INVALID_ARGUMENT. */
enum prm_status prm_plan_options_check(const struct prm_plan_options *options);

/* The planner's own scratch. */
struct prm_arena *prm_planner_arena(struct prm_planner *planner);

#endif

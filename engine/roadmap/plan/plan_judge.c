/* What is answered before the search: ends out of bounds or in collision, ends without links, ends
 * in different components, a start that is a goal; each with its reason. */
#include "device/try.h"
#include "roadmap/plan/plan_piece.h"
#include "roadmap/plan/reason.h"

#include <stdlib.h>
#include <string.h>

/* Row and flags of an end. Limits are kept in double precision, so a state on a limit is inside. */
static void lay_out_end(struct plan_piece *piece, uint32_t q, uint32_t e)
{
    const struct prm_space *space = &piece->batch->roadmap->space;
    float *row = piece->rows + (size_t)e * space->row;
    double state[PRM_DOF_MAX];
    bool clamped = false;

    memcpy(state, plan_end_state(piece, q, e), space->dof * sizeof(double));
    if (prm_space_clamp(space, state, &clamped) < space->dof) {
        piece->flags[e] = END_OUTSIDE;
        memset(row, 0, space->row * sizeof(float));
        return;
    }
    piece->flags[e] = 0;
    piece->results[q].clamped |= clamped;
    prm_space_to_row(space, row, state);
}

/* The first goal that is the start itself, coordinate by coordinate, or goal_count. */
static uint32_t same_goal(const struct prm_query *query, uint32_t dof)
{
    for (uint32_t g = 0; g < query->goal_count; g++) {
        bool same = true;
        for (uint32_t c = 0; c < dof; c++)
            same &= query->start[c] == query->goals[(size_t)g * dof + c];
        if (same)
            return g;
    }
    return query->goal_count;
}

void prm_plan_lay_out(struct plan_piece *piece)
{
    const uint32_t dof = piece->batch->roadmap->space.dof;
    uint32_t end = 0;

    for (uint32_t q = 0; q < piece->count; q++) {
        const struct prm_query *query = &piece->queries[q];
        if (!plan_is_asked(piece, query)) {
            piece->asked[q] = (struct query){.skip = 1};
            continue;
        }
        const bool same = same_goal(query, dof) < query->goal_count;
        piece->asked[q] = (struct query){end, end + 1, query->goal_count, same};
        for (uint32_t e = end; e <= end + query->goal_count; e++)
            lay_out_end(piece, q, e);
        end += 1 + query->goal_count;
    }
}

/* The reason, of end e. */
static struct prm_reason reason_at(const struct plan_piece *piece, uint32_t q, uint32_t e,
                                   struct prm_reason reason)
{
    const struct query *asked = &piece->asked[q];
    reason.at = e == asked->start ? PRM_AT_START : PRM_AT_GOAL;
    reason.goal_index = e == asked->start ? 0 : e - asked->goal_first;
    return reason;
}

/* End e is out of bounds: which coordinate, and the limit that it passes. */
static void judge_bounds(struct plan_piece *piece, uint32_t q, uint32_t e)
{
    const struct prm_space *space = &piece->batch->roadmap->space;
    struct prm_plan_result *result = &piece->results[q];
    double state[PRM_DOF_MAX];
    bool clamped = false;

    memcpy(state, plan_end_state(piece, q, e), space->dof * sizeof(double));
    const uint32_t outside = prm_space_clamp(space, state, &clamped);
    result->reason = reason_at(piece, q, e, prm_reason_of_limit(space, outside, state[outside]));
    result->status =
        result->reason.at == PRM_AT_START ? PRM_START_OUT_OF_BOUNDS : PRM_GOAL_OUT_OF_BOUNDS;
}

/* End e is in collision; with what follows from judge_depths(). */
static void judge_collision(struct plan_piece *piece, uint32_t q, uint32_t e)
{
    struct prm_plan_result *result = &piece->results[q];
    result->reason = reason_at(piece, q, e, prm_reason_make(PRM_REASON_WORLD_COLLISION));
    result->status =
        result->reason.at == PRM_AT_START ? PRM_START_IN_COLLISION : PRM_GOAL_IN_COLLISION;
}

/* Whether end e has a fault; then the query is answered. */
static bool judge_end(struct plan_piece *piece, uint32_t q, uint32_t e)
{
    if (piece->flags[e] & END_FREE)
        return false;
    if (piece->flags[e] & END_OUTSIDE)
        judge_bounds(piece, q, e);
    else
        judge_collision(piece, q, e);
    return true;
}

/* The first goal without a fault, or NONE_U32. */
static uint32_t good_goal(const struct plan_piece *piece, const struct query *asked)
{
    for (uint32_t e = asked->goal_first; e < asked->goal_first + asked->goal_count; e++) {
        if (piece->flags[e] & END_FREE)
            return e;
    }
    return NONE_U32;
}

/* The ends are fine, but not linked as the query needs it. */
static void judge_links(struct plan_piece *piece, uint32_t q, uint32_t goal)
{
    static const struct {
        enum prm_query_status status;
        enum prm_reason_kind kind;
        bool at_start;
    } JUDGEMENTS[] = {
        [CONNECT_OK] = {PRM_NO_PATH, PRM_REASON_NONE, true},
        [CONNECT_NO_START_LINK] = {PRM_START_NOT_CONNECTED, PRM_REASON_NOT_CONNECTED, true},
        [CONNECT_NO_GOAL_LINK] = {PRM_GOAL_NOT_CONNECTED, PRM_REASON_NOT_CONNECTED, false},
        [CONNECT_OTHER_COMPONENT] = {PRM_NO_PATH, PRM_REASON_OTHER_COMPONENT, false},
    };
    const struct connect_report *report = &piece->reports[q];
    struct prm_plan_result *result = &piece->results[q];
    const uint32_t end = JUDGEMENTS[report->verdict].at_start ? piece->asked[q].start : goal;

    // a query that is searched for has no path until one is found
    result->status = JUDGEMENTS[report->verdict].status;
    result->reason = reason_at(piece, q, end, prm_reason_make(JUDGEMENTS[report->verdict].kind));
    if (piece->batch->options->diagnose) {
        result->reason.start_component_size = report->start_size;
        result->reason.goal_component_size = report->goal_size;
    }
}

/* Start = goal: solved where it stands. */
static void judge_same(struct plan_piece *piece, uint32_t q)
{
    const uint32_t dof = piece->batch->roadmap->space.dof;
    struct prm_plan_result *result = &piece->results[q];

    result->status = PRM_SOLVED;
    result->goal_index = same_goal(&piece->queries[q], dof);
}

static void judge_query(struct plan_piece *piece, uint32_t q)
{
    const struct query *asked = &piece->asked[q];
    if (asked->goal_count == 0) {
        const bool late = plan_is_late(&piece->queries[q], piece->now_ms);
        piece->results[q].status = late ? PRM_DEADLINE_EXCEEDED : PRM_INVALID_QUERY;
        return;
    }
    // in the wire's order: the start's fault, then that of the first goal if no goal is better
    if (judge_end(piece, q, asked->start))
        return;
    const uint32_t goal = good_goal(piece, asked);
    if (goal == NONE_U32)
        judge_end(piece, q, asked->goal_first);
    else if (asked->skip)
        judge_same(piece, q);
    else
        judge_links(piece, q, goal);
}

/* The end that a query's collision is reported of. */
static uint32_t reported_end(const struct plan_piece *piece, uint32_t q)
{
    const struct prm_reason *reason = &piece->results[q].reason;
    return reason->at == PRM_AT_START ? piece->asked[q].start
                                      : piece->asked[q].goal_first + reason->goal_index;
}

/* What `count` queries in collision, whose numbers are `colliding`, hit, and how deep. rows,
 * clearances: room for them. */
static enum prm_status measure_depths(struct plan_piece *piece, const uint32_t *colliding,
                                      size_t count, float *rows, struct clearance *clearances)
{
    enum prm_status status = PRM_OK;
    struct prm_arena *arena = piece->batch->arena;
    struct prm_context *context = prm_arena_context(arena);
    const size_t row = piece->batch->roadmap->space.row;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct prm_buffer states, least;

    for (size_t i = 0; i < count; i++)
        memcpy(rows + i * row, piece->rows + reported_end(piece, colliding[i]) * row,
               row * sizeof(float));
    TRY(prm_arena_take(arena, &states, count * row * sizeof(float)));
    TRY(prm_arena_take(arena, &least, count * sizeof(*clearances)));
    TRY(prm_buffer_write(context, states, 0, rows, count * row * sizeof(float)));
    TRY(prm_collide_clearance(arena, least, &piece->batch->scene, states, count));
    TRY(prm_buffer_read(context, least, 0, clearances, count * sizeof(*clearances)));
    for (size_t i = 0; i < count; i++) {
        const uint32_t q = colliding[i];
        piece->results[q].reason =
            reason_at(piece, q, reported_end(piece, q), prm_reason_of_clearance(&clearances[i]));
    }

cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Obstacle and depth for all queries in collision. */
static enum prm_status judge_depths(struct plan_piece *piece)
{
    enum prm_status status = PRM_OK;
    size_t count = 0;

    for (uint32_t q = 0; q < piece->count; q++)
        count += piece->results[q].reason.kind == PRM_REASON_WORLD_COLLISION;
    if (count == 0)
        return PRM_OK;

    const size_t row = piece->batch->roadmap->space.row;
    uint32_t *colliding = malloc(count * sizeof(*colliding));
    float *rows = malloc(count * row * sizeof(*rows));
    struct clearance *clearances = malloc(count * sizeof(*clearances));
    if (!colliding || !rows || !clearances) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for the reasons of %zu queries", count);
        goto cleanup;
    }
    count = 0;
    for (uint32_t q = 0; q < piece->count; q++) {
        if (piece->results[q].reason.kind == PRM_REASON_WORLD_COLLISION)
            colliding[count++] = q;
    }
    TRY(measure_depths(piece, colliding, count, rows, clearances));

cleanup:
    free(colliding);
    free(rows);
    free(clearances);
    return status;
}

bool prm_plan_may_expand(const struct plan_piece *piece, uint32_t q)
{
    const enum prm_query_status status = piece->results[q].status;
    return status == PRM_NO_PATH || status == PRM_START_NOT_CONNECTED ||
           status == PRM_GOAL_NOT_CONNECTED;
}

enum prm_status prm_plan_judge(struct plan_piece *piece)
{
    for (uint32_t q = 0; q < piece->count; q++)
        judge_query(piece, q);
    return judge_depths(piece);
}

/* Answers as plain data: way-points from the start exactly as sent over milestones or simplified
 * points to the goal exactly as sent, and their length in double precision. */
#include "device/try.h"
#include "roadmap/plan/plan_piece.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Way-points of one batch at most: what a too small `interpolate` runs into. */
#define WAYPOINTS_MAX ((size_t)1 << 26)

/* A way from start to goal: over `leading` rows of the start's approach, over `between` rows, each
 * at index[i] (or first + i without an index), and over `trailing` rows of the goal's approach,
 * backwards. */
struct way {
    const double *start, *goal;
    const float *rows, *lead, *trail;
    const uint32_t *index;
    size_t first, leading, between, trailing;
};

/* Way-points of a way. */
static size_t way_points(const struct way *way)
{
    return way->leading + way->between + way->trailing + 2;
}

/* The row of way-point i of way_points(), or NULL: it is an end, as sent. */
static inline const float *way_row(const struct way *way, size_t row, size_t i)
{
    const size_t trail = 1 + way->leading + way->between; // the first way-point of that part
    if (i == 0 || i == trail + way->trailing)
        return NULL;
    if (i <= way->leading)
        return way->lead + (i - 1) * row;
    if (i < trail) {
        const size_t place = i - 1 - way->leading;
        return way->rows + (way->index ? way->index[place] : way->first + place) * row;
    }
    return way->trail + (trail + way->trailing - 1 - i) * row;
}

/* A space as answers see it. Most are plain: all coordinates linear and of weight 1, so that rows
 * are states but for their origin, and each way-point takes a few nanoseconds instead of some
 * dozens. */
struct frame {
    const struct prm_space *space;
    bool plain;
    double origin[PRM_DOF_MAX];
};

static struct frame frame_of(const struct prm_space *space)
{
    struct frame frame = {.space = space, .plain = true};
    for (uint32_t c = 0; c < space->dof; c++) {
        const struct prm_coordinate *coordinate = &space->coordinates[c];
        frame.plain &= coordinate->kind == PRM_COORDINATE_LINEAR && coordinate->weight == 1.0;
        frame.origin[c] = coordinate->origin;
    }
    return frame;
}

/* Way-point i of way_points() into state[dof]. */
static inline void way_point(const struct frame *frame, double *state, const struct way *way,
                             size_t i)
{
    const size_t dof = frame->space->dof;
    const float *row = way_row(way, frame->space->row, i);
    if (!row) {
        memcpy(state, i == 0 ? way->start : way->goal, dof * sizeof(double));
    } else if (frame->plain) {
        for (size_t c = 0; c < dof; c++)
            state[c] = frame->origin[c] + (double)row[c];
    } else {
        prm_space_from_row(frame->space, state, row);
    }
}

/* The motion from `state` to way-point i > 0, of a plain frame: its length, as frame_distance() has
 * it, and the way-point in `state`, in one pass. */
static inline double plain_step(const struct frame *frame, double *state, const struct way *way,
                                size_t i)
{
    const size_t dof = frame->space->dof;
    const float *row = way_row(way, frame->space->row, i);
    double sum = 0.0;
    for (size_t c = 0; c < dof; c++) {
        const double next = row ? frame->origin[c] + (double)row[c] : way->goal[c];
        sum += (state[c] - next) * (state[c] - next);
        state[c] = next;
    }
    return sqrt(sum);
}

/* prm_space_distance(), to the last bit. */
static inline double frame_distance(const struct frame *frame, const double *a, const double *b)
{
    double sum = 0.0;
    if (!frame->plain)
        return prm_space_distance(frame->space, a, b);
    for (size_t c = 0; c < frame->space->dof; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sqrt(sum);
}

/* Motions that one motion of this length becomes; `interpolate` 0: one. */
static double motions_of(double length, double interpolate)
{
    return interpolate > 0 && length > interpolate ? ceil(length / interpolate) : 1;
}

/* The way's length, and how many way-points it has once interpolated. */
static double way_length(const struct frame *frame, const struct way *way, double interpolate,
                         double *points)
{
    const size_t count = way_points(way);
    double states[2][PRM_DOF_MAX];
    double length = 0;

    *points = 1;
    way_point(frame, states[0], way, 0);
    for (size_t i = 1; i < count; i++) {
        double step;
        if (frame->plain) {
            step = plain_step(frame, states[0], way, i);
        } else {
            way_point(frame, states[i % 2], way, i);
            step = prm_space_distance(frame->space, states[0], states[1]);
        }
        length += step;
        *points += motions_of(step, interpolate);
    }
    return length;
}

/* Writes the way-points; returns the place behind the last. */
static double *way_write(const struct frame *frame, double *out, const struct way *way,
                         double interpolate)
{
    const struct prm_space *space = frame->space;
    const size_t dof = space->dof;
    double next[PRM_DOF_MAX];

    way_point(frame, out, way, 0);
    for (size_t i = 1; i < way_points(way); i++) {
        const double *before = out;
        way_point(frame, next, way, i);
        if (!frame->plain)
            prm_space_continue(space, next, before, i + 1 == way_points(way));
        const size_t motions =
            interpolate > 0 ? (size_t)motions_of(frame_distance(frame, before, next), interpolate)
                            : 1;
        for (size_t m = 1; m < motions; m++) {
            out += dof;
            prm_space_interpolate(space, out, before, next, (double)m / (double)motions);
        }
        out += dof;
        memcpy(out, next, dof * sizeof(double));
    }
    return out + dof;
}

/* The way along the approaches and the milestones of path q; ends that are milestones stand for
 * them. */
static struct way way_found(const struct plan_piece *piece, uint32_t q)
{
    const uint32_t count = piece->counts[q], goal = plan_goal_end(piece, q);
    const uint32_t start = piece->asked[q].start;
    const bool start_at = count > 0 && piece->flags[start] & END_AT_MILESTONE;
    const bool goal_at = piece->flags[goal] & END_AT_MILESTONE;
    const uint32_t first = start_at ? 1 : 0;
    struct way way = {
        .start = piece->queries[q].start,
        .goal = plan_end_state(piece, q, goal),
        .rows = piece->batch->roadmap->host_states,
        .index = piece->pool + piece->first[q] + first,
        .between = count - first - (goal_at && count > first ? 1 : 0),
    };

    if (piece->approaches) {
        const struct prm_approaches *approaches = piece->approaches;
        const size_t row = piece->batch->roadmap->space.row;
        way.lead = approaches->points + approaches->first[start] * row;
        way.leading = approaches->counts[start];
        way.trail = approaches->points + approaches->first[goal] * row;
        way.trailing = approaches->counts[goal];
    }
    return way;
}

/* The same simplified; its first and last points are the ends. */
static struct way way_simplified(const struct plan_piece *piece, uint32_t q,
                                 const struct way *found)
{
    return (struct way){
        .start = found->start,
        .goal = found->goal,
        .rows = piece->points,
        .first = (size_t)piece->point_first[q] + 1,
        .between = piece->point_counts[q] - 2,
    };
}

/* The way to answer with: the shorter one. */
static struct way way_best(const struct plan_piece *piece, const struct frame *frame, uint32_t q,
                           double *length, double *points)
{
    const double interpolate = piece->batch->options->interpolate;
    const struct way found = way_found(piece, q);

    *length = way_length(frame, &found, interpolate, points);
    if (piece->point_counts && piece->point_counts[q] > 0) {
        double simplified_points;
        const struct way simplified = way_simplified(piece, q, &found);
        const double simplified_length =
            way_length(frame, &simplified, interpolate, &simplified_points);
        if (simplified_length <= *length) {
            *length = simplified_length;
            *points = simplified_points;
            return simplified;
        }
    }
    return found;
}

/* A start that is a goal stays where it is. */
static struct way way_same(const struct plan_piece *piece, uint32_t q)
{
    const double *start = piece->queries[q].start;
    return (struct way){.start = start, .goal = start};
}

/* Edges between an end and the path's vertices: none where the end is one of them. */
static uint32_t end_links(const struct plan_piece *piece, uint32_t e)
{
    return piece->flags[e] & END_AT_MILESTONE ? 0 : 1;
}

/* Motions of the path found for query q. */
static uint32_t path_hops(const struct plan_piece *piece, uint32_t q)
{
    const uint32_t start = piece->asked[q].start, goal = plan_goal_end(piece, q);
    const uint32_t own = plan_approach_count(piece, start) + plan_approach_count(piece, goal);
    if (piece->counts[q] == 0)
        return own + 1;
    return own + piece->counts[q] - 1 + end_links(piece, start) + end_links(piece, goal);
}

/* Status, length, hops and places of query q; way is what its way-points are to be written from. */
static void answer_query(struct plan_piece *piece, const struct frame *frame, uint32_t q,
                         struct way *way, double *waypoint_count, size_t *node_count)
{
    const enum prm_output output = piece->batch->options->output;
    struct prm_plan_result *result = &piece->results[q];
    const uint32_t goal = plan_goal_end(piece, q);
    double points = 2;

    if (goal != NONE_U32) {
        *way = way_best(piece, frame, q, &result->length, &points);
        result->status = PRM_SOLVED;
        result->reason = (struct prm_reason){.obstacle = UINT32_MAX, .coordinate = UINT32_MAX};
        result->hops = path_hops(piece, q);
        result->goal_index = goal - piece->asked[q].goal_first;
    } else {
        *way = way_same(piece, q);
    }
    if (output != PRM_OUTPUT_COST) {
        result->waypoint_first = (size_t)*waypoint_count;
        result->waypoint_count = (size_t)fmin(points, (double)WAYPOINTS_MAX + 1);
        *waypoint_count += points;
    }
    if (output == PRM_OUTPUT_NODES) {
        result->node_first = *node_count;
        result->node_count = piece->counts[q];
        *node_count += piece->counts[q];
    }
}

/* Makes room in the results for what the piece adds. */
static enum prm_status results_grow(struct prm_plan_results *results, double waypoint_count,
                                    size_t node_count, const struct prm_plan_options *options)
{
    const uint64_t waypoints_max = options->waypoints_max;
    const bool limited = waypoints_max > 0 && waypoints_max < WAYPOINTS_MAX;
    const double most = limited ? (double)waypoints_max : (double)WAYPOINTS_MAX;
    if (waypoint_count > most)
        return prm_fault_set_at(
            PRM_LIMIT_EXCEEDED, options->interpolate > 0 ? "interpolate" : "queries", "waypoints",
            most, "the answers may have %.0f way-points, and would have more: %s", most,
            options->interpolate > 0 ? "interpolate less finely" : "ask fewer queries at once");
    const size_t points = (size_t)waypoint_count;
    double *waypoints = realloc(results->waypoints, points * results->dof * sizeof(double) + 1);
    if (waypoints)
        results->waypoints = waypoints;
    uint32_t *nodes = realloc(results->nodes, node_count * sizeof(uint32_t) + 1);
    if (nodes)
        results->nodes = nodes;
    if (!waypoints || !nodes)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu way-points", points);
    results->waypoint_count = points;
    results->node_count = node_count;
    return PRM_OK;
}

enum prm_status prm_plan_answer(struct plan_piece *piece)
{
    enum prm_status status = PRM_OK;
    const struct plan_batch *batch = piece->batch;
    struct prm_plan_results *results = batch->results;
    const struct frame frame = frame_of(&batch->roadmap->space);
    double waypoint_count = (double)results->waypoint_count;
    size_t node_count = results->node_count;
    struct way *ways = malloc(piece->count * sizeof(*ways) + 1);

    if (!ways)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u paths", piece->count);

    // what there is to write, and then room for it
    for (uint32_t q = 0; q < piece->count; q++) {
        if (plan_goal_end(piece, q) != NONE_U32 || piece->results[q].status == PRM_SOLVED) {
            answer_query(piece, &frame, q, &ways[q], &waypoint_count, &node_count);
            results->solved++;
        }
    }
    TRY(results_grow(results, waypoint_count, node_count, batch->options));

    for (uint32_t q = 0; q < piece->count; q++) {
        const struct prm_plan_result *result = &piece->results[q];
        if (result->status != PRM_SOLVED)
            continue;
        if (result->waypoint_count > 0)
            way_write(&frame, results->waypoints + result->waypoint_first * results->dof, &ways[q],
                      batch->options->interpolate);
        if (result->node_count > 0)
            memcpy(results->nodes + result->node_first, piece->pool + piece->first[q],
                   result->node_count * sizeof(uint32_t));
    }

cleanup:
    free(ways);
    return status;
}

/* Paths made shorter: a path's own points, and points halfway between them, joined by straight motions wherever
 * those are shorter and free.
 *
 * A pass is dynamic programming: the shortest way to point j through those of the WINDOW points before it that
 * it can be reached from. The candidate of least total comes first and the first free one wins; after each check
 * that fails the next candidate lies at least a quarter nearer, so a point costs at most some ten checks.
 * Neighbours on the path are joined by motions proven before, so there is always a way. Before the first pass
 * and after the last points on straight runs (cells of a lattice, useless halves) are left out. Between passes every motion is halved, so that
 * corners are cut ever closer, until a pass gains less than GAIN_LEAST. Every new motion passes edge_is_free().
 *
 * Launch: any number of work-items, each with scratch of its own, taking paths from a counter. A path's result
 * depends on that path alone. Where it lies in the output depends on scheduling.
 * -D ROW, DOF of metric.h; -D EDGE_SAMPLED of edges.h.
 *
 * check: -DROW=2 -DDOF=2
 * check: -DROW=4 -DDOF=3 -DEDGE_SAMPLED
 * check: -DROW=8 -DDOF=7 -DBODIES=8 -DLINKS=11 -DPAIRS=39 -DBODY_LANES=16
 */
#include "connect_types.h"
#include "edges.h"
#include "simplify_types.h"
#include "types.h"

/* Points back to look for a shorter way from. */
#define WINDOW 24u
/* Passes at most, and the share of the length that one must gain for another to be tried. */
#define PASSES_MAX 8
#define GAIN_LEAST 1e-3f
/* A run is straight while leaving a point out shortens it by no more than this share. */
#define STRAIGHT 1e-6f
#define UNREACHED INFINITY

/* One path in the making: two lists of points, the present one first. */
struct simplifier {
    const struct scene *scene;
    __global f32 *points, *others; /* [capacity][ROW] */
    __global f32 *costs;           /* [capacity]: length of the way to each point */
    __global u32 *from;            /* [capacity]: the point before it on that way */
    u32 count, capacity;
    u32 proven; /* points i and i + proven are joined by a proven motion if proven divides i */
};

static inline f32 point_distance(const struct simplifier *s, u32 i, u32 j)
{
    return metric_distance_rows(s->points + (size_t)i * ROW, s->points + (size_t)j * ROW);
}

/* Whether the motion from point i to point j > i is free. */
static inline bool straight_is_free(const struct simplifier *s, u32 i, u32 j)
{
    f32 a[ROW], b[ROW];
    if (i % s->proven == 0 && j == i + s->proven)
        return true;
    row_load(a, s->points, i);
    row_load(b, s->points, j);
    return edge_is_free(s->scene, a, b) != 0;
}

/* points[at] = point i of the other list, once lists are swapped. */
static inline void point_copy(__global f32 *to, u32 at, __global const f32 *from, u32 i)
{
    f32 row[ROW];
    row_load(row, from, i);
    row_store(to, at, row);
}

static inline void swap_lists(struct simplifier *s, u32 count)
{
    __global f32 *points = s->points;
    s->points = s->others;
    s->others = points;
    s->count = count;
}

static f32 path_length(const struct simplifier *s)
{
    f32 length = 0.0f;
    for (u32 i = 1; i < s->count; i++)
        length += point_distance(s, i - 1, i);
    return length;
}

/* Leaves out the points inside of straight runs, where the whole run is one free motion. */
static void merge_runs(struct simplifier *s)
{
    u32 kept = 0;
    for (u32 i = 0; i < s->count;) {
        point_copy(s->others, kept++, s->points, i);

        // a run's length adds up as long as it goes straight on
        u32 end = i + 1;
        f32 along = end < s->count ? point_distance(s, i, end) : 0.0f;
        while (end + 1 < s->count) {
            const f32 longer = along + point_distance(s, end, end + 1);
            if (point_distance(s, i, end + 1) < longer * (1.0f - STRAIGHT))
                break;
            along = longer;
            end++;
        }
        // a run that is not free as a whole is tried by halves
        while (end > i + 1 && !straight_is_free(s, i, end))
            end = i + (end - i) / 2;
        i = end;
    }
    swap_lists(s, kept);
}

/* The way to point j: sets its cost and the point before it. */
static void reach_point(struct simplifier *s, u32 j)
{
    f32 totals[WINDOW];
    u32 low = sub_sat(j, (u32)WINDOW);
    const u32 window_low = low;
    for (u32 i = low; i < j; i++)
        totals[i - window_low] = s->costs[i] + point_distance(s, i, j);

    s->costs[j] = UNREACHED;
    s->from[j] = j - 1;
    while (low < j) {
        // of equal totals the point farthest back, which makes for fewest points
        u32 best = low;
        for (u32 i = low + 1; i < j; i++)
            best = totals[i - window_low] < totals[best - window_low] ? i : best;
        if (!(totals[best - window_low] < UNREACHED))
            return;
        if (straight_is_free(s, best, j)) {
            s->costs[j] = totals[best - window_low];
            s->from[j] = best;
            return;
        }
        low = best + max((j - best) / 4, 1u);
    }
}

/* The proven motion to point j, where it is shorter than the way found. */
static inline void reach_by_proven(struct simplifier *s, u32 j)
{
    if (j % s->proven != 0)
        return;
    const u32 i = j - s->proven;
    const f32 total = s->costs[i] + point_distance(s, i, j);
    if (total < s->costs[j]) {
        s->costs[j] = total;
        s->from[j] = i;
    }
}

/* One pass; returns the length of the path it leaves. */
static f32 shorten(struct simplifier *s)
{
    const u32 last = s->count - 1;
    s->costs[0] = 0.0f;
    s->from[0] = 0;
    for (u32 j = 1; j < s->count; j++) {
        reach_point(s, j);
        reach_by_proven(s, j);
    }

    // how many points the way has; then they are written from its end
    u32 count = 1;
    for (u32 j = last; j > 0; j = s->from[j])
        count++;
    const f32 length = s->costs[last];
    u32 at = count;
    for (u32 j = last;; j = s->from[j]) {
        point_copy(s->others, --at, s->points, j);
        if (j == 0)
            break;
    }
    swap_lists(s, count);
    s->proven = 1;
    return length;
}

/* Halves every motion, if there is room. */
static void subdivide(struct simplifier *s)
{
    f32 a[ROW], b[ROW];
    if (2 * s->count - 1 > s->capacity)
        return;
    for (u32 i = 0; i < s->count; i++) {
        row_load(a, s->points, i);
        row_store(s->others, 2 * i, a);
        if (i + 1 < s->count) {
            row_load(b, s->points, i + 1);
            metric_interpolate(a, a, b, 0.5f);
            row_store(s->others, 2 * i + 1, a);
        }
    }
    swap_lists(s, 2 * s->count - 1);
    s->proven = 2;
}

/* Where the points of paths are. An end's approach, its own points between it and the path's vertices, is
 * approach_points[approach_first[e]] … of approach_counts[e], from the end on; without memory there are none. */
struct path_parts {
    __global const f32 *states, *end_states, *approach_points;
    __global const u32 *approach_first, *approach_counts, *flags;
};

static inline u32 approach_count(const struct path_parts *parts, u32 end)
{
    return parts->approach_counts ? parts->approach_counts[end] : 0;
}

/* The points of a path: its start and that one's approach, its vertices, the goal's approach from behind and the
 * goal; an end that is a milestone once. */
static void load_path(struct simplifier *s, const struct path_parts *parts,
                      __global const u32 *vertices, u32 count, u32 start, u32 goal)
{
    const u32 leading = approach_count(parts, start), trailing = approach_count(parts, goal);
    const u32 first = parts->flags[start] & END_AT_MILESTONE ? 1 : 0;
    const u32 behind =
        count - (parts->flags[goal] & END_AT_MILESTONE && count > first ? 1 : 0);

    s->count = 0;
    point_copy(s->points, s->count++, parts->end_states, start);
    for (u32 i = 0; i < leading; i++)
        point_copy(s->points, s->count++, parts->approach_points, parts->approach_first[start] + i);
    for (u32 i = first; i < behind; i++)
        point_copy(s->points, s->count++, parts->states, vertices[i]);
    for (u32 i = trailing; i > 0; i--)
        point_copy(s->points, s->count++, parts->approach_points,
                   parts->approach_first[goal] + i - 1);
    point_copy(s->points, s->count++, parts->end_states, goal);
    s->proven = 1;
}

static void simplify(struct simplifier *s)
{
    f32 length = path_length(s);
    merge_runs(s);
    for (u32 pass = 0; pass < PASSES_MAX && s->count > 2; pass++) {
        const f32 before = length;
        length = shorten(s);
        // the first pass halves nothing yet, so what it gains says little of the next
        if (pass > 0 && length > before * (1.0f - GAIN_LEAST))
            break;
        if (s->count > 2 && pass + 1 < PASSES_MAX)
            subdivide(s);
    }
    // halves that were of no use
    merge_runs(s);
}

/* Paths as prm_search() leaves them, with approaches; met[q], where there is such memory and it is not NONE_U32, is the
 * goal of a path that leads there by approaches alone. Simplified path q is out[out_first[q]] … of out_counts[q]
 * points; out has room for SIMPLIFY_POINTS_MORE points of each path beyond its own. Scratch of work-item i:
 * points[i * 2 * capacity …], costs and from [i * capacity …]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
simplify_paths(__global f32 *out, __global u32 *out_first, __global u32 *out_counts,
               volatile __global u32 *control, __global const u32 *first, __global const u32 *counts,
               __global const u32 *goals, __global const u32 *pool,
               __global const struct query *queries, u32 n, __global const f32 *end_states,
               __global const u32 *flags, __global const f32 *states,
               __global const u32 *approach_first, __global const u32 *approach_counts,
               __global const f32 *approach_points, __global const u32 *met, __global f32 *points,
               __global f32 *costs, __global u32 *from, u32 capacity, u32 items, SCENE_PARAMETERS)
{
    const struct scene scene = SCENE_FROM_PARAMETERS;
    const struct path_parts parts = {states,         end_states,      approach_points,
                                     approach_first, approach_counts, flags};
    const size_t item = get_global_id(0);
    if (item >= items)
        return;

    for (u32 q; (q = atomic_inc(&control[SIMPLIFY_TAKEN])) < n;) {
        const u32 count = counts[q];
        const bool meets = met && met[q] != NONE_U32;
        out_counts[q] = 0;
        out_first[q] = 0;
        if (count == 0 && !meets)
            continue;
        const u32 start = queries[q].start, goal = meets ? met[q] : goals[q];
        struct simplifier s = {.scene = &scene,
                               .points = points + item * 2 * capacity * ROW,
                               .others = points + (item * 2 + 1) * capacity * ROW,
                               .costs = costs + item * capacity,
                               .from = from + item * capacity,
                               .capacity = count + approach_count(&parts, start) +
                                           approach_count(&parts, goal) + SIMPLIFY_POINTS_MORE};
        load_path(&s, &parts, pool + first[q], count, start, goal);
        simplify(&s);

        const u32 at = atomic_add(&control[SIMPLIFY_CURSOR], s.count);
        for (u32 i = 0; i < s.count; i++)
            point_copy(out, at + i, s.points, i);
        out_first[q] = at;
        out_counts[q] = s.count;
    }
}

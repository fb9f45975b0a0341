/* Paths made shorter, a whole batch at once: fewer way-points, pulled taut (shorten.h). Every
 * motion of a path that comes out is one of its own, proven before, or has passed edge_is_free(),
 * or is a part of such a motion (shorten.h).
 *
 * Launch: any number of work-items, each with scratch of its own, taking paths from a counter. A
 * path's result depends on that path alone. Where it lies in the output depends on scheduling.
 * Cost: some 2 log₂ of the stride checks a way-point that is kept, then some ten a corner.
 * -D ROW, DOF of metric.h; -D EDGE_SAMPLED of edges.h.
 *
 * check: -DROW=2 -DDOF=2
 * check: -DROW=4 -DDOF=3 -DEDGE_SAMPLED
 * check: -DROW=8 -DDOF=7 -DBODIES=8 -DLINKS=11 -DPAIRS=39 -DBODY_LANES=16
 */
#include "connect_types.h"
#include "edges.h"
#include "shorten.h"
#include "simplify_types.h"
#include "types.h"

static inline void point_copy(__global f32 *to, u32 at, __global const f32 *from, u32 i)
{
    f32 row[ROW];
    row_load(row, from, i);
    row_store(to, at, row);
}

/* Where the points of paths are. An end's approach, its own points between it and the path's
 * vertices, is approach_points[approach_first[e]] … of approach_counts[e], from the end on; without
 * memory there are none. */
struct path_parts {
    __global const f32 *states, *end_states, *approach_points;
    __global const u32 *approach_first, *approach_counts, *flags;
};

static inline u32 approach_count(const struct path_parts *parts, u32 end)
{
    return parts->approach_counts ? parts->approach_counts[end] : 0;
}

/* The points of a path: its start and that one's approach, its vertices, the goal's approach from
 * behind and the goal; an end that is a milestone once. */
static void load_path(struct shortening *s, const struct path_parts *parts,
                      __global const u32 *vertices, u32 count, u32 start, u32 goal)
{
    const u32 leading = approach_count(parts, start), trailing = approach_count(parts, goal);
    const u32 first = parts->flags[start] & END_AT_MILESTONE ? 1 : 0;
    const u32 behind = count - (parts->flags[goal] & END_AT_MILESTONE && count > first ? 1 : 0);

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
}

/* Paths as prm_search() leaves them, with approaches; met[q], where there is such memory and it is
 * not NONE_U32, is the goal of a path that leads there by approaches alone. Simplified path q is
 * out[out_first[q]] … of out_counts[q] points; out has room for SIMPLIFY_POINTS_MORE points of each
 * path beyond its own. Scratch of work-item i: points and changed [i * capacity …]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
simplify_paths(__global f32 *out, __global u32 *out_first, __global u32 *out_counts,
               volatile __global u32 *control, __global const u32 *first,
               __global const u32 *counts, __global const u32 *goals, __global const u32 *pool,
               __global const struct query *queries, u32 n, __global const f32 *end_states,
               __global const u32 *flags, __global const f32 *states,
               __global const u32 *approach_first, __global const u32 *approach_counts,
               __global const f32 *approach_points, __global const u32 *met, __global f32 *points,
               __global u32 *changed, u32 capacity, u32 items, SCENE_PARAMETERS)
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
        struct shortening s = {.points = points + item * capacity * ROW,
                               .changed = changed + item * capacity,
                               .capacity = count + approach_count(&parts, start) +
                                           approach_count(&parts, goal) + SIMPLIFY_POINTS_MORE};
        f32 a[ROW], b[ROW];
        load_path(&s, &parts, pool + first[q], count, start, goal);
        shorten_begin(&s);
        while (shorten_propose(&s, a, b))
            shorten_settle(&s, edge_is_free(&scene, a, b) != 0);

        const u32 at = atomic_add(&control[SIMPLIFY_CURSOR], s.count);
        for (u32 i = 0; i < s.count; i++)
            point_copy(out, at + i, s.points, i);
        out_first[q] = at;
        out_counts[q] = s.count;
    }
}

/* What A*'s two forms share (astar.cl, astar_group.cl): costs along arcs, which links a path may
 * begin with, and the heuristic by the metric.
 *
 * -D HEURISTIC_METRIC: h is the metric distance to the nearest of at most HEURISTIC_GOALS_MAX goals
 * (with -D ROW, DOF and what else metric.h says of the space; -D NUMBERED: vertex v's state is row
 * ids[v]). -D HEURISTIC_LANDMARKS: h is the bound by landmarks (landmarks.h), which takes a row of
 * the table for each vertex that is reached; by its rounding h may fall by more than an arc's
 * weight, so that a vertex may be expanded again. Without either h is 0 and the search is
 * Dijkstra's.
 */
#ifndef KERNELS_ASTAR_H
#define KERNELS_ASTAR_H

#ifndef __OPENCL_VERSION__
#error "astar.h is device code"
#endif

#include "search.h"

#if defined(HEURISTIC_METRIC) && defined(HEURISTIC_LANDMARKS)
#error "one heuristic at most"
#endif
#ifdef HEURISTIC_METRIC
#include "metric.h"
#endif
#ifdef HEURISTIC_LANDMARKS
#include "landmarks.h"
#endif

#define UNREACHED 0xffffffffu
/* With more goals than this looking at all of them costs more than it prunes. */
#define HEURISTIC_GOALS_MAX 4

/* The cost of a vertex that an arc leads to from one of cost g; saturates. Weights of 0 count as 1,
 * so that g falls strictly along a path walked back. */
static inline u32 through(u32 g, struct arc arc)
{
    return add_sat(g, max(arc.weight, 1u));
}

static inline bool is_start_link(const struct links *links, u32 start, u32 v, u32 g)
{
    for (u32 j = 0, u; (u = link_vertex(links, start, j)) != NONE_U32; j++) {
        if (u == v && link_cost(links, start, j) == g)
            return true;
    }
    return false;
}

static inline u32 greatest_cost(const struct links *links, u32 end)
{
    u32 greatest = 0;
    for (u32 j = 0; link_vertex(links, end, j) != NONE_U32; j++)
        greatest = max(greatest, link_cost(links, end, j));
    return greatest;
}

#ifdef HEURISTIC_METRIC
/* What the metric looks at. */
struct metric_guide {
    __global const f32 *states, *end_states;
    __global const u32 *ids;
    f32 scale; /* integer weight of a unit of distance, less the rounding that would overestimate */
};

/* Least cost that any path from v to a goal of the query can have; saturates. */
static inline u32 metric_bound(const struct metric_guide *guide, const struct query *query, u32 v)
{
    const u32 goals = query->goal_count <= HEURISTIC_GOALS_MAX ? query->goal_count : 0;
#ifdef NUMBERED
    __global const f32 *state = guide->states + (size_t)guide->ids[v] * ROW;
#else
    __global const f32 *state = guide->states + (size_t)v * ROW;
#endif
    f32 least = goals > 0 ? INFINITY : 0.0f;
    for (u32 e = query->goal_first; e < query->goal_first + goals; e++)
        least = fmin(least, metric_distance_rows(state, guide->end_states + (size_t)e * ROW));
    return convert_uint_sat(least * guide->scale);
}
#endif

#endif

/* The levels of a bit-parallel BFS, kept modulo 3 in two bit planes, and what is read back from
 * them: the last vertex of a path and the one before a given one. Shared by bfs.cl, which walks
 * back, and path.cl, which ranks.
 *
 * -D WORDS: 64-bit words a vertex and batch.
 */
#ifndef KERNELS_BFS_LEVELS_H
#define KERNELS_BFS_LEVELS_H

#include "search.h"

#if !defined(WORDS) || (WORDS != 1 && WORDS != 8)
#error "WORDS must be 1 or 8"
#endif

/* The planes of one batch, u64[V][WORDS] each. */
struct level_planes {
    __global const u64 *low, *high;
};

/* 1, 2, 3 for levels 0, 1, 2 mod 3. */
static inline u32 level_code(u32 level)
{
    return level % 3 + 1;
}

/* The code that query slot `slot` has at vertex v; 0: never seen. */
static inline u32 vertex_code(const struct level_planes *planes, u32 slot, u32 v)
{
    const size_t at = (size_t)v * WORDS + slot / 64;
    const u32 shift = slot % 64;
    return (u32)(planes->low[at] >> shift & 1) | (u32)(planes->high[at] >> shift & 1) << 1;
}

/* The end of a path met at `level`: the vertex of lowest milestone, and there the goal of least
 * link cost, the lowest among equals. A goal's vertex that was seen was seen at this very level, or
 * the query had ended. */
static inline u32 last_vertex(const struct links *links, const struct query *query,
                              const struct level_planes *planes, u32 slot, u32 level, u32 *goal)
{
    const u32 code = level_code(level);
    u32 last = NONE_U32, milestone = NONE_U32;
    u32 cost = 0;
    *goal = NONE_U32;
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 j = 0, v; (v = link_vertex(links, e, j)) != NONE_U32; j++) {
            if (vertex_code(planes, slot, v) != code)
                continue;
            const u32 m = link_milestone(links, e, j);
            if (m < milestone || (m == milestone && link_cost(links, e, j) < cost)) {
                last = v;
                milestone = m;
                cost = link_cost(links, e, j);
                *goal = e;
            }
        }
    }
    return last;
}

/* The neighbour of lowest milestone one level nearer to the start than v, which is at `level` > 0.
 */
static inline u32 nearer_vertex(const struct level_planes *planes, __global const u32 *offsets,
                                __global const struct arc *arcs, u32 slot, u32 v, u32 level)
{
    const u32 code = level_code(level - 1);
    u32 i = offsets[v];
    while (vertex_code(planes, slot, arcs[i].target) != code)
        i++;
    return arcs[i].target;
}

#endif

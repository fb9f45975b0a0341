/* Paths from the levels of a breadth-first search by list ranking, in place of walking back.
 *
 * For a chunk of queries every vertex points to its predecessor: element i * V + v is vertex v of the chunk's
 * query i, a start or unseen vertex its own tail. Ranking all chains at once (primitives/rank.h) gives each
 * vertex its distance from the start, which is its place in the path; marks from the goal's vertex tell which
 * vertices are on it.
 *
 * Launch: a work-item an element, or a query. Traffic: path_parents 16 bytes an element and 16 random bytes
 * an arc of a seen vertex.
 * -D WORDS: 64-bit words a vertex and batch.
 *
 * check: -DWORDS=1
 * check: -DWORDS=8
 */
#include "bfs_levels.h"

/* parents, marks: u32[n * V]. Slots slot0 … slot0 + n - 1 of the round, whose planes these are, are queries
 * q0 … q0 + n - 1. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
path_parents(__global u32 *restrict parents, __global u32 *restrict marks, __global const u64 *low,
             __global const u64 *high, __global const u32 *offsets, __global const struct arc *arcs,
             u32 vertex_count, __global const struct query *queries, u32 q0, u32 slot0, u32 n,
             __global const u32 *link_vertices, __global const u32 *link_costs, u32 k)
{
    const u32 item = (u32)get_global_id(0);
    if (item >= n * vertex_count)
        return;
    const u32 i = item / vertex_count;
    const u32 v = item - i * vertex_count;
    const u32 slot = (slot0 + i) % (64 * WORDS);
    const size_t plane = (size_t)((slot0 + i) / (64 * WORDS)) * vertex_count * WORDS;
    const struct level_planes planes = {low + plane, high + plane};
    const struct links links = {link_vertices, link_costs, k};
    const u32 code = vertex_code(&planes, slot, v);

    // level 0 shares its code with levels 3, 6, …: the start's links tell them apart
    bool tail = code == 0;
    if (code == level_code(0)) {
        for (u32 j = 0, u; (u = link_vertex(&links, queries[q0 + i].start, j)) != NONE_U32; j++)
            tail |= u == v;
    }
    // three levels up has the same code, and no level is below that
    const u32 nearer = tail ? v : nearer_vertex(&planes, offsets, arcs, slot, v, code + 2);
    parents[item] = i * vertex_count + nearer;
    marks[item] = 0;
}

/* A work-item a query: books its place in the pool and marks its last vertex. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
path_ends(__global u32 *first, __global u32 *counts, __global u32 *goals,
          volatile __global u32 *control, u32 capacity, __global u32 *marks, __global const u64 *low,
          __global const u64 *high, u32 vertex_count, __global const struct query *queries, u32 q0,
          u32 slot0, u32 n, __global const u32 *link_vertices, __global const u32 *link_costs, u32 k,
          __global const u32 *link_milestones)
{
    const u32 i = (u32)get_global_id(0);
    if (i >= n || first[q0 + i] != NONE_U32 || counts[q0 + i] == 0)
        return;
    const u32 count = counts[q0 + i];
    if (count == NONE_U32) {
        counts[q0 + i] = 0;
        return;
    }
    const struct path_pool pool = {
        .first = first, .counts = counts, .goals = goals, .control = control, .capacity = capacity};
    const struct links links = {link_vertices, link_costs, k, link_milestones};
    const struct query query = queries[q0 + i];
    const size_t plane = (size_t)((slot0 + i) / (64 * WORDS)) * vertex_count * WORDS;
    const struct level_planes planes = {low + plane, high + plane};
    u32 goal;
    const u32 last =
        last_vertex(&links, &query, &planes, (slot0 + i) % (64 * WORDS), count - 1, &goal);
    if (path_reserve(&pool, q0 + i, count, goal) != NONE_U32)
        marks[i * vertex_count + last] = 1;
}

/* A work-item an element: the vertices of paths go to their places. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
path_place(__global u32 *restrict entries, __global const u32 *restrict marks,
           __global const u32 *restrict ranks, __global const u32 *restrict first, u32 q0, u32 n,
           u32 vertex_count)
{
    const u32 item = (u32)get_global_id(0);
    if (item >= n * vertex_count || marks[item] == 0)
        return;
    const u32 i = item / vertex_count;
    entries[first[q0 + i] + ranks[item]] = item - i * vertex_count;
}

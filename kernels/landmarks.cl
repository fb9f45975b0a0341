/* Landmarks of a graph: shortest distances from a few vertices to all, and the choice of the next ones.
 *
 * Distances, in integer weights where 0 counts as 1, come in bounded steps. On a CPU by Dijkstra's algorithm,
 * a source a work-item, which goes on where it stopped (landmarks_expand); on a GPU by sweeps that pull, a
 * work-item a vertex and source, until nothing changes (landmarks_relax). Both end in the same distances.
 *
 * The next landmark is the vertex farthest from all before, the lowest among equals. More of the same round
 * are chosen before distances from the round's first are known: lower bounds by the landmarks before stand
 * in for them (landmarks_spread).
 *
 * Launch: any number of work-items. Traffic: expand 8 bytes an arc and 8 random bytes a neighbour; relax 16
 * bytes an arc and source; store 8 bytes a source and 64 of the table a vertex; spread a row a vertex.
 */
#include "heap.h"
#include "landmarks.h"
#include "share.h"
#include "types.h"

/* One source's search. */
struct expansion {
    __global const u32 *offsets;
    __global const struct arc *arcs;
    __global u32 *distances; /* [V], NONE_U32 where none is known */
    __global u64 *heap;      /* [capacity] */
    u32 count, capacity; /* HEAP_SPARE entries are behind that */
};

/* Keeps the live entries, at most one a vertex, and orders them anew. */
static void drop_stale(struct expansion *e)
{
    u32 kept = 0;
    for (u32 i = 0; i < e->count; i++) {
        const u64 key = e->heap[i];
        if (e->distances[(u32)key] == (u32)(key >> 32))
            e->heap[kept++] = key;
    }
    e->count = kept;
    heap_order(e->heap, kept);
}

static inline void settle(struct expansion *e, u32 v, u32 distance)
{
    const u32 end = e->offsets[v + 1];
    for (u32 i = e->offsets[v]; i < end; i++) {
        const struct arc arc = e->arcs[i];
        const u32 through = add_sat(distance, max(arc.weight, 1u));
        if (through >= e->distances[arc.target])
            continue;
        e->distances[arc.target] = through;
        if (e->count == e->capacity)
            drop_stale(e);
        heap_sift_up(e->heap, e->count++, (u64)through << 32 | arc.target);
    }
}

/* Source i's distances, heap and its length are distances[i * V …], heaps[i * capacity …], counts[i]. At most
 * `budget` entries are taken; counts[i] is 0 when the search is over. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
landmarks_expand(__global u32 *distances, __global u64 *heaps, __global u32 *counts,
                 __global const u32 *offsets, __global const struct arc *arcs, u32 vertex_count,
                 u32 capacity, u32 budget, u32 n)
{
    const size_t item = get_global_id(0);
    if (item >= n)
        return;
    struct expansion e = {offsets, arcs, distances + item * vertex_count, heaps + item * capacity,
                          counts[item], capacity - HEAP_SPARE};

    for (u32 taken = 0; taken < budget && e.count > 0; taken++) {
        const u64 key = heap_take(e.heap, &e.count);
        const u32 v = (u32)key, distance = (u32)(key >> 32);
        if (e.distances[v] == distance)
            settle(&e, v, distance);
    }
    counts[item] = e.count;
}

/* Seeds the sources: their distances are 0, all else is unknown; their heaps hold them alone. Source i is noted as
 * landmark number column + i. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
landmarks_seed(__global u32 *distances, __global u64 *heaps, __global u32 *counts,
               __global u32 *landmarks, __global const u32 *sources, u32 column, u32 vertex_count,
               u32 capacity, u32 n)
{
    const size_t item = get_global_id(0);
    if (item >= n)
        return;
    const u32 source = sources[item];
    distances[item * vertex_count + source] = 0;
    heaps[item * capacity] = source;
    counts[item] = 1;
    landmarks[column + item] = source;
}

/* One sweep: next[i] = the least of current[i] and what its neighbours offer, for i = source * V + vertex. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
landmarks_relax(__global u32 *restrict next, __global const u32 *restrict current,
                volatile __global u32 *changed, __global const u32 *restrict offsets,
                __global const struct arc *restrict arcs, u32 vertex_count, u64 n)
{
    const size_t item = get_global_id(0);
    if (item >= n)
        return;
    const u32 v = (u32)(item % vertex_count);
    __global const u32 *distances = current + (item - v);
    const u32 before = distances[v];

    u32 least = before;
    for (u32 i = offsets[v]; i < offsets[v + 1]; i++) {
        const struct arc arc = arcs[i];
        least = min(least, add_sat(distances[arc.target], max(arc.weight, 1u)));
    }
    next[item] = least;
    if (least < before)
        atomic_or(changed, 1u);
}

/* How far a vertex is from all landmarks, as a key of which the greatest is wanted: the farthest, then the
 * lowest. 0: out of reach. */
static inline u64 candidate(u32 gap, u32 v)
{
    return gap == NONE_U32 ? 0 : (u64)gap << 32 | ~v;
}

/* farthest[item] = the best candidate of this item, also of the pieces before: pieces begin at vertex 0. */
static inline void note_farthest(__global u64 *farthest, u32 first, u64 best)
{
    const size_t item = get_global_id(0);
    farthest[item] = first == 0 ? best : max(best, farthest[item]);
}

/* Of the vertices first … first + n - 1: enters the distances from `sources` landmarks into the table's
 * columns from `column` on (columns == 0: none); gaps[v] becomes the least distance from any landmark.
 * farthest: u64[global size]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
landmarks_store(__global ushort *table, __global u32 *gaps, __global u64 *farthest,
                __global const u32 *distances, u32 sources, u32 columns, u32 column, u32 shift,
                u32 vertex_count, u32 first, u32 n)
{
    u64 best = 0;
    for (u32 v = first + share_begin(n), end = first + share_end(n); v < end; v++) {
        u32 gap = gaps[v];
        for (u32 s = 0; s < sources; s++) {
            const u32 distance = distances[(size_t)s * vertex_count + v];
            gap = min(gap, distance);
            if (columns > 0)
                table[(size_t)v * columns + column + s] = landmark_entry(distance, shift);
        }
        gaps[v] = gap;
        best = max(best, candidate(gap, v));
    }
    note_farthest(farthest, first, best);
}

/* Of the vertices first … first + n - 1: chances[v] = how far v is at least from all landmarks and from
 * sources[0 … chosen - 1]. farthest: u64[global size]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
landmarks_spread(__global u32 *chances, __global u64 *farthest, __global const u32 *gaps,
                 __global const ushort *table, __global const u32 *sources, u32 chosen, u32 vectors,
                 u32 shift, u32 first, u32 n)
{
    __global const ushort *row =
        table + (size_t)sources[chosen - 1] * vectors * LANDMARK_LANES;
    struct landmark_interval at;
    for (u32 j = 0; j < vectors; j++)
        at.low[j] = at.high[j] = vload16(j, row);

    u64 best = 0;
    for (u32 v = first + share_begin(n), end = first + share_end(n); v < end; v++) {
        const u32 before = chosen == 1 ? gaps[v] : chances[v];
        const u32 excess =
            landmark_excess(table + (size_t)v * vectors * LANDMARK_LANES, &at, vectors);
        const u32 chance =
            before == NONE_U32 ? NONE_U32 : min(before, landmark_distance(excess, shift));
        chances[v] = chance;
        best = max(best, candidate(chance, v));
    }
    note_farthest(farthest, first, best);
}

/* sources[at] = the best of all candidates, *gap its distance. One work-item. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
landmarks_choose(__global u32 *sources, __global u32 *gap, __global const u64 *farthest, u32 at,
                 u32 n)
{
    if (get_global_id(0) > 0)
        return;
    u64 best = farthest[0];
    for (u32 i = 1; i < n; i++)
        best = max(best, farthest[i]);
    sources[at] = ~(u32)best;
    *gap = (u32)(best >> 32);
}

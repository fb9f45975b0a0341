/* Fewest edges for many queries in one go: bit-parallel multi-source BFS (Then et al. 2014), one bit a query,
 * 64 * WORDS queries a sweep.
 *
 * Level by level every vertex pulls the bits of its neighbours in the frontier; a query's bits stop where it
 * meets a vertex that a goal is linked to. Of the levels only the value modulo 3 is kept, in two bit planes
 * (code 1, 2, 3 for levels 0, 1, 2 mod 3; code 0: not seen): neighbours are at most one level apart, so that
 * is enough to walk back, canonically: from the goal's vertex of lowest milestone to the neighbour of lowest
 * milestone one level nearer.
 *
 * Two forms. bfs_sweep, for CPU devices: a batch a work-item at a time, taken from a counter; while the
 * frontier is small only its neighbours are looked at. Traffic of a full level: 128 bytes a vertex and 64 an
 * arc of a vertex that is still of interest. bfs_seed, bfs_pull, bfs_meet, bfs_finish, for GPU devices: a
 * launch a level, a work-item a vertex and 64-bit word; all batches of the round together.
 *
 * -D WORDS: 64-bit words a vertex and batch, 1 or 8. -D OCLGRIND: for that interpreter, see lanes.h.
 *
 * check: -DWORDS=1
 * check: -DWORDS=8
 */
#include "bfs_levels.h"

/* Whether word `word` of the frontier holds `bit` at a goal's vertex. */
static inline bool query_meets(__global const u64 *frontier, const struct links *links,
                               const struct query *query, u32 word, u64 bit)
{
    for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (u32 j = 0, v; (v = link_vertex(links, e, j)) != NONE_U32; j++) {
            if (frontier[(size_t)v * WORDS + word] & bit)
                return true;
        }
    }
    return false;
}

/* Query q's path, met at level counts[q] - 1, walked back into its place in the pool; one that never met a
 * goal has none. */
static void query_finish(const struct path_pool *pool, const struct links *links,
                         const struct query *query, const struct level_planes *planes,
                         __global const u32 *offsets, __global const struct arc *arcs, u32 q,
                         u32 slot)
{
    u32 goal;
    const u32 count = pool->counts[q];
    if (count == NONE_U32) {
        pool->counts[q] = 0;
        return;
    }
    u32 v = last_vertex(links, query, planes, slot, count - 1, &goal);
    const u32 first = path_reserve(pool, q, count, goal);
    for (u32 level = count; level-- > 0 && first != NONE_U32;) {
        pool->entries[first + level] = v;
        if (level > 0)
            v = nearer_vertex(planes, offsets, arcs, slot, v, level);
    }
}

#if WORDS == 8
typedef ulong8 lanes;
#else
typedef ulong lanes;
#endif

static inline bool any_lane(lanes x)
{
#if WORDS == 8 && defined(OCLGRIND)
    // as in lanes.h: no shuffles there
    u64 each[WORDS], any = 0;
    vstore8(x, 0, each);
    for (u32 word = 0; word < WORDS; word++)
        any |= each[word];
    return any != 0;
#elif WORDS == 8
    const ulong4 a = x.lo | x.hi;
    const ulong2 b = a.lo | a.hi;
    return (b.x | b.y) != 0;
#else
    return x != 0;
#endif
}

/* A sweep in progress: the planes and frontiers of one batch, in 64-bit words [V][WORDS], and the list of the
 * frontier's vertices. Outside the list a frontier is zero. */
struct sweep {
    __global const u32 *offsets;
    __global const struct arc *arcs;
    u32 vertex_count;
    __global lanes *low, *high, *current, *next;
    __global u32 *list, *next_list, *stamps; /* stamps: which level looked at a vertex last */
    u32 list_count, next_count, stamp;
    u64 live[WORDS]; /* queries that have not met a goal */
};

static inline lanes live_lanes(const struct sweep *s)
{
#if WORDS == 8
    return vload8(0, s->live);
#else
    return s->live[0];
#endif
}

/* v takes the bits of its neighbours that are new to it; they belong to level code `code`. */
static inline void pull(struct sweep *s, u32 v, lanes live, u32 code)
{
    const lanes low = s->low[v], high = s->high[v];
    const lanes need = live & ~(low | high);
    if (!any_lane(need))
        return;

    lanes found = (lanes)(0);
    const u32 end = s->offsets[v + 1];
    for (u32 i = s->offsets[v]; i < end; i++)
        found |= s->current[s->arcs[i].target];
    found &= need;
    if (!any_lane(found))
        return;

    s->next[v] = found;
    if (code & 1)
        s->low[v] = low | found;
    if (code & 2)
        s->high[v] = high | found;
    s->next_list[s->next_count++] = v;
}

/* One level: the frontier becomes that of level code `code`. */
static void advance(struct sweep *s, u32 code)
{
    const lanes live = live_lanes(s);
    s->next_count = 0;
    s->stamp++;

    // few vertices in the frontier: only their neighbours can be new; many: look at all
    const u32 SMALL = 8;
    if (s->list_count < s->vertex_count / SMALL) {
        for (u32 l = 0; l < s->list_count; l++) {
            const u32 v = s->list[l];
            const u32 end = s->offsets[v + 1];
            for (u32 i = s->offsets[v]; i < end; i++) {
                const u32 u = s->arcs[i].target;
                if (s->stamps[u] != s->stamp) {
                    s->stamps[u] = s->stamp;
                    pull(s, u, live, code);
                }
            }
        }
    } else {
        for (u32 v = 0; v < s->vertex_count; v++)
            pull(s, v, live, code);
    }

    // the old frontier goes back to zero and becomes the next one's memory
    for (u32 l = 0; l < s->list_count; l++)
        s->current[s->list[l]] = (lanes)(0);
    __global lanes *frontier = s->current;
    s->current = s->next;
    s->next = frontier;
    __global u32 *list = s->list;
    s->list = s->next_list;
    s->next_list = list;
    s->list_count = s->next_count;
}

/* Bits of the batch's queries order[0 … m - 1] at their starts' vertices. */
static void seed(struct sweep *s, const struct path_pool *pool, const struct links *links,
                 __global const struct query *queries, __global const u32 *order, u32 m)
{
    for (u32 v = 0; v < s->vertex_count; v++)
        s->low[v] = s->high[v] = s->current[v] = s->next[v] = (lanes)(0);
    for (u32 w = 0; w < WORDS; w++)
        s->live[w] = 0;
    s->list_count = 0;

    for (u32 i = 0; i < m; i++) {
        const struct query query = queries[order[i]];
        if (!query_begins(pool, links, &query, order[i]))
            continue;
        const u64 bit = (u64)1 << (i % 64);
        s->live[i / 64] |= bit;
        for (u32 j = 0, v; (v = link_vertex(links, query.start, j)) != NONE_U32; j++) {
            if (!any_lane(s->current[v]))
                s->list[s->list_count++] = v;
            ((__global u64 *)s->current)[(size_t)v * WORDS + i / 64] |= bit;
        }
    }
    for (u32 l = 0; l < s->list_count; l++)
        s->low[s->list[l]] = s->current[s->list[l]]; // level 0 has code 1
}

/* Queries that meet a goal at `level` are done; returns whether any goes on. */
static bool meet(struct sweep *s, const struct path_pool *pool, const struct links *links,
                 __global const struct query *queries, __global const u32 *order, u32 level)
{
    u64 going = 0;
    for (u32 w = 0; w < WORDS; w++) {
        for (u64 rest = s->live[w]; rest != 0; rest &= rest - 1) {
            const u64 bit = rest & (~rest + 1);
            const u32 q = order[64 * w + (u32)popcount(bit - 1)];
            const struct query query = queries[q];
            if (query_meets((__global const u64 *)s->current, links, &query, w, bit)) {
                pool->counts[q] = level + 1;
                s->live[w] &= ~bit;
            }
        }
        going |= s->live[w];
    }
    return going != 0;
}

/* Batches of `batch` <= 64 * WORDS queries, in the given order. Scratch of work-item i: planes[i * 4 V …] in lanes (low, high and
 * two frontiers), lists[i * 3 V …]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bfs_sweep(SEARCH_PARAMETERS, __global const u32 *order, u32 n, u32 batch, __global lanes *planes,
          __global u32 *lists, u32 items)
{
    const size_t item = get_global_id(0);
    if (item >= items)
        return;
    const struct path_pool pool = POOL_FROM_PARAMETERS;
    const struct links links = LINKS_FROM_PARAMETERS;
    __global lanes *plane = planes + item * 4 * vertex_count;
    __global u32 *list = lists + item * 3 * vertex_count;
    struct sweep s = {.offsets = offsets,
                      .arcs = arcs,
                      .vertex_count = vertex_count,
                      .low = plane,
                      .high = plane + vertex_count,
                      .stamps = list + (size_t)2 * vertex_count};
    const struct level_planes levels = {(__global const u64 *)s.low, (__global const u64 *)s.high};

    for (u32 v = 0; v < vertex_count; v++)
        s.stamps[v] = 0;
    for (u32 b; (b = atomic_inc(&control[SEARCH_TAKEN])) < (n + batch - 1) / batch;) {
        __global const u32 *ours = order + b * batch;
        const u32 m = min(batch, n - b * batch);
        s.current = plane + (size_t)2 * vertex_count;
        s.next = plane + (size_t)3 * vertex_count;
        s.list = list;
        s.next_list = list + vertex_count;
        seed(&s, &pool, &links, queries, ours, m);

        for (u32 level = 0; meet(&s, &pool, &links, queries, ours, level) && s.list_count > 0; level++)
            advance(&s, level_code(level + 1));

        for (u32 i = 0; i < m; i++) {
            const u32 q = ours[i];
            const struct query query = queries[q];
            if (first[q] == NONE_U32 && counts[q] != 0)
                query_finish(&pool, &links, &query, &levels, offsets, arcs, q, i);
        }
    }
}

/* Launch form: planes and frontiers are u64[batches][V][WORDS]; query slot i of the round is bit i % (64 WORDS)
 * of batch i / (64 WORDS). live: u64[batches][WORDS]. Where bits are set by several work-items at once, words are
 * two of 32 bits, the lower one first.
 *
 * A work-item a query; all planes and live are zero on entry. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bfs_seed(volatile __global u32 *low, volatile __global u32 *frontier, volatile __global u32 *live,
         __global u32 *first, __global u32 *counts, __global const struct query *queries, u32 q0,
         u32 n, __global const u32 *link_vertices, __global const u32 *link_costs, u32 k,
         u32 vertex_count)
{
    const u32 i = (u32)get_global_id(0);
    if (i >= n)
        return;
    const struct path_pool pool = {.first = first, .counts = counts};
    const struct links links = {link_vertices, link_costs, k};
    const struct query query = queries[q0 + i];
    if (!query_begins(&pool, &links, &query, q0 + i))
        return;

    const u32 batch = i / (64 * WORDS), slot = i % (64 * WORDS), bit = 1u << (i % 32);
    atomic_or(&live[i / 32], bit);
    for (u32 j = 0, v; (v = link_vertex(&links, query.start, j)) != NONE_U32; j++) {
        const size_t at = ((size_t)batch * vertex_count + v) * 2 * WORDS + slot / 32;
        atomic_or(&low[at], bit);
        atomic_or(&frontier[at], bit);
    }
}

/* A work-item a vertex and word: next = what is new to the vertex, at level code `code`. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bfs_pull(__global u64 *restrict next, __global u64 *restrict low, __global u64 *restrict high,
         __global const u64 *restrict current, __global const u32 *restrict live,
         volatile __global u32 *control, __global const u32 *restrict offsets,
         __global const struct arc *restrict arcs, u32 vertex_count, u32 code, u64 n)
{
    const size_t item = get_global_id(0);
    if (item >= n)
        return;
    // words beside each other are of one vertex, and so are its neighbours' that they look at
    const u32 row = (u32)(item / WORDS), word = (u32)(item % WORDS);
    const u32 batch = row / vertex_count, v = row - batch * vertex_count;
    const size_t plane = (size_t)batch * vertex_count * WORDS + word;
    const size_t mask = 2 * ((size_t)batch * WORDS + word);

    // nothing is looked at for queries that are done
    const u64 going = (u64)live[mask + 1] << 32 | live[mask];
    u64 need = 0, found = 0;
    if (going != 0)
        need = going & ~(low[item] | high[item]);
    for (u32 i = offsets[v]; need != 0 && i < offsets[v + 1]; i++)
        found |= current[plane + (size_t)arcs[i].target * WORDS];
    found &= need;

    next[item] = found;
    if (found == 0)
        return;
    if (code & 1)
        low[item] |= found;
    if (code & 2)
        high[item] |= found;
    atomic_or(&control[SEARCH_FRONTIER], 1u);
}

/* A work-item a query: those that meet a goal at `level` are done. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bfs_meet(__global u32 *counts, volatile __global u32 *live, __global const u64 *frontier,
         __global const struct query *queries, u32 q0, u32 n, __global const u32 *link_vertices,
         __global const u32 *link_costs, u32 k, u32 vertex_count, u32 level)
{
    const u32 i = (u32)get_global_id(0);
    if (i >= n || counts[q0 + i] != NONE_U32)
        return;
    const struct links links = {link_vertices, link_costs, k};
    const struct query query = queries[q0 + i];
    const u32 batch = i / (64 * WORDS);
    const u32 slot = i % (64 * WORDS);

    if (query_meets(frontier + (size_t)batch * vertex_count * WORDS, &links, &query, slot / 64,
                    (u64)1 << (slot % 64))) {
        counts[q0 + i] = level + 1;
        atomic_and(&live[i / 32], ~(1u << (i % 32)));
    }
}

/* A work-item a query: walks back. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bfs_finish(SEARCH_PARAMETERS, __global const u64 *low, __global const u64 *high, u32 q0, u32 n)
{
    const u32 i = (u32)get_global_id(0);
    if (i >= n || first[q0 + i] != NONE_U32 || counts[q0 + i] == 0)
        return;
    const struct path_pool pool = POOL_FROM_PARAMETERS;
    const struct links links = LINKS_FROM_PARAMETERS;
    const struct query query = queries[q0 + i];
    const size_t plane = (size_t)(i / (64 * WORDS)) * vertex_count * WORDS;
    const struct level_planes levels = {low + plane, high + plane};
    query_finish(&pool, &links, &query, &levels, offsets, arcs, q0 + i, i % (64 * WORDS));
}

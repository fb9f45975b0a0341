/* Shortest paths for a batch of queries: A* (Hart, Nilsson & Raphael 1968) on integer weights, a query a group
 * at a time. The form for GPUs of the searches of astar.cl; the paths are the same, since they depend on graph
 * and query alone.
 *
 * A group is as many work-items as a GPU runs in step, so its barriers are cheap. They share out the arcs of the
 * vertex that is expanded, the landmarks' rows of the vertices that it is the first to reach (sixteen bytes a
 * work-item, the greatest excess by atomics in local memory), the links of the ends, and the heap's levels
 * (group_heap.h).
 *
 * What is known of a query's vertices is in a hash table of those that it touches: open addressing, linear
 * probing, 16 bytes a slot, so that memory grows with what a search looks at and not with the graph. v * ODD
 * modulo the slots, a power of two, is where to look first: all different for as many vertices as there are
 * slots, so a table of V slots cannot overflow. A query that comes to the limit of a smaller one is listed for
 * a launch with larger ones. A slot takes 32 bytes with all lists: in 256 MB some 4000 queries of 10 000
 * vertices run at once (2048 slots), 1000 of 100 000 (8192 slots), 500 of 1 000 000 (16384 slots); the tables
 * of what that leaves have eight times as many slots, and so on up to V (search_astar.c).
 *
 * Launch: any number of groups of GROUP work-items, each with scratch of its own, taking queries from a counter.
 * Traffic: a slot or two, 32 bytes each, an arc; 8 bytes an arc and a row of landmarks a vertex, coalesced.
 * -D GROUP: a power of two, as many as run in step. -D OCLGRIND: for that interpreter. Others: astar.h.
 *
 * check: -DGROUP=32
 * check: -DGROUP=1 -DHEURISTIC_LANDMARKS
 * check: -DGROUP=32 -DHEURISTIC_LANDMARKS
 * check: -DGROUP=32 -DHEURISTIC_METRIC -DROW=4 -DDOF=3 -DNUMBERED
 * check: -DGROUP=32 -DHEURISTIC_METRIC -DROW=8 -DDOF=7 -DQUATERNION=3 -DMETRIC_WEIGHTS=1.0f,1.0f,1.0f,0.5f,0.5f,0.5f,0.5f
 */
#include "astar.h"
#include "group_heap.h"

/* 2^32 / golden ratio, odd: multiples of it spread (Knuth 1973, 6.4). */
#define ODD 2654435769u

/* A slot of the table, and its words of u32. */
struct slot {
    u32 vertex; /* NONE_U32: free */
    u32 cost;   /* to the vertex, or UNREACHED */
    u32 bound;  /* from it on, once it is reached */
    u32 goal;   /* cost of the cheapest goal link there, or UNREACHED */
};
#define SLOT_VERTEX 0
#define SLOT_COST 1
#define SLOT_BOUND 2
#define SLOT_GOAL 3
#define SLOT_WORDS 4

#ifdef HEURISTIC_LANDMARKS
/* Entries of a row that a work-item looks at at once. */
#define PIECE 8
#define PIECES_A_VECTOR (LANDMARK_LANES / PIECE)
#endif

/* What the work-items of a group share. */
struct shared {
    struct group_heap_shared heap;
    u64 offered[GROUP];
    u32 fresh[GROUP], fresh_slots[GROUP]; /* vertices reached for the first time */
    u32 excess[GROUP];                    /* and how far their rows are out of the goals' intervals */
    u32 fresh_count, offered_count, touched_count, kept;
    u32 found, answer;
#ifdef HEURISTIC_LANDMARKS
    ushort low[LANDMARK_LANES * LANDMARK_VECTORS_MAX]; /* the goals' intervals, as in landmarks.h */
    ushort high[LANDMARK_LANES * LANDMARK_VECTORS_MAX];
#endif
};

/* What leads a search. */
struct guide {
    struct query query;
#if defined(HEURISTIC_METRIC)
    struct metric_guide metric;
#elif defined(HEURISTIC_LANDMARKS)
    __global const ushort *table; /* [V][vectors] */
    u32 vectors, shift;
#endif
};

/* The graph, and what a group keeps of its present query. Each work-item has one; what it says is the same for
 * all but `item` and `saturated`. */
struct group {
    u32 item;
    __local struct shared *shared;
    __global const u32 *offsets;
    __global const struct arc *arcs;
    __global u32 *table;   /* [slots][SLOT_WORDS] */
    __global u32 *touched; /* [slots]: the slots that are not free */
    u32 slots, limit, touched_count;
    struct group_heap heap;
    bool full;      /* the query is left */
    bool saturated; /* a cost passed 32 bits */
};

static inline void slot_clear(const struct group *g, u32 slot)
{
    vstore4((uint4)(NONE_U32, UNREACHED, 0, UNREACHED), slot, g->table);
}

/* Vertex v's slot, taken if there was none. Others may take theirs at once. */
static inline u32 slot_take(const struct group *g, u32 v)
{
    u32 slot = v * ODD & (g->slots - 1);
    u32 before = atomic_cmpxchg(&g->table[SLOT_WORDS * (size_t)slot + SLOT_VERTEX], NONE_U32, v);
    while (before != NONE_U32 && before != v) {
        slot = (slot + 1) & (g->slots - 1);
        before = atomic_cmpxchg(&g->table[SLOT_WORDS * (size_t)slot + SLOT_VERTEX], NONE_U32, v);
    }
    if (before == NONE_U32)
        g->touched[atomic_inc(&g->shared->touched_count)] = slot;
    return slot;
}

static inline struct slot slot_load(const struct group *g, u32 slot)
{
#ifdef OCLGRIND
    // word by word: as in lanes.h, no lanes there that nobody asks for
    __global const u32 *words = g->table + SLOT_WORDS * (size_t)slot;
    return (struct slot){words[SLOT_VERTEX], words[SLOT_COST], words[SLOT_BOUND], words[SLOT_GOAL]};
#else
    const uint4 words = vload4(slot, g->table);
    return (struct slot){words.x, words.y, words.z, words.w};
#endif
}

/* What is known of vertex v: its slot, or a free one. */
static inline struct slot slot_find(const struct group *g, u32 v)
{
    u32 slot = v * ODD & (g->slots - 1);
    struct slot found = slot_load(g, slot);
    while (found.vertex != v && found.vertex != NONE_U32) {
        slot = (slot + 1) & (g->slots - 1);
        found = slot_load(g, slot);
    }
    return found;
}

static inline bool is_stale(const struct group *g, u64 key)
{
    const struct slot vertex = slot_find(g, (u32)key);
    return (u32)(key >> 32) != vertex.cost + vertex.bound;
}

/* Keeps the live entries of the heap, at most one a vertex, and orders them anew; returns how many. Work for one
 * work-item: it is seldom done. */
static u32 heap_drop_stale(const struct group *g)
{
    u32 kept = 0;
    for (u32 i = 0; i < g->heap.count; i++) {
        const u64 key = g->heap.keys[i];
        if (!is_stale(g, key))
            g->heap.keys[kept++] = key;
    }
    group_heap_order(g->heap.keys, kept);
    return kept;
}

/* Makes room for n more vertices and entries, or finds that there is none. */
static void make_room(struct group *g, u32 n)
{
    __local struct shared *s = g->shared;
    if (group_leads(&g->heap))
        s->kept = g->heap.count + n > g->heap.capacity ? heap_drop_stale(g) : g->heap.count;
    group_barrier();
    g->heap.count = s->kept;
    g->full |= g->touched_count + n > g->limit || g->heap.count + n > g->heap.capacity;
}

/* The bounds of the vertices that were reached for the first time, at most one a work-item. */
static void find_bounds(const struct group *g, const struct guide *guide)
{
    __local struct shared *s = g->shared;
    u32 bound = 0;
#if defined(HEURISTIC_METRIC)
    if (g->item < s->fresh_count)
        bound = metric_bound(&guide->metric, &guide->query, s->fresh[g->item]);
#elif defined(HEURISTIC_LANDMARKS)
    const u32 pieces = guide->vectors * PIECES_A_VECTOR;
    for (u32 t = g->item; t < s->fresh_count * pieces; t += GROUP) {
        const u32 i = t / pieces, piece = t - i * pieces;
        const ushort8 entries =
            vload8(piece, guide->table + (size_t)s->fresh[i] * guide->vectors * LANDMARK_LANES);
        const ushort8 out = max(sub_sat(vload8(piece, s->low), entries),
                                sub_sat(entries, vload8(piece, s->high)));
        const ushort most = max(max(max(out.s0, out.s1), max(out.s2, out.s3)),
                                max(max(out.s4, out.s5), max(out.s6, out.s7)));
        atomic_max(&s->excess[i], (u32)most);
    }
    group_barrier();
    if (g->item < s->fresh_count)
        bound = landmark_distance(s->excess[g->item], guide->shift);
#else
    (void)guide;
#endif
    if (g->item < s->fresh_count)
        g->table[SLOT_WORDS * (size_t)s->fresh_slots[g->item] + SLOT_BOUND] = bound;
}

/* Each work-item comes to a vertex v at a cost, or to none (NONE_U32); there is room. Those that are nearer
 * than before are to be expanded if a path through them can be the best. */
static void reach(struct group *g, const struct guide *guide, u32 v, u32 cost, u32 best)
{
    __local struct shared *s = g->shared;
    u32 slot = 0;
    bool nearer = false;

    // costs fall, whoever comes first
    if (v != NONE_U32) {
        slot = slot_take(g, v);
        const u32 before = atomic_min(&g->table[SLOT_WORDS * (size_t)slot + SLOT_COST], cost);
        nearer = cost < before;
        if (nearer && before == UNREACHED) {
            const u32 at = atomic_inc(&s->fresh_count);
            s->fresh[at] = v;
            s->fresh_slots[at] = slot;
            s->excess[at] = 0;
        }
    }
    group_barrier();

    g->touched_count = s->touched_count;
    if (group_leads(&g->heap))
        s->offered_count = 0;
    find_bounds(g, guide);
    group_barrier();

    // of several that came nearer to a vertex one has its cost now
    if (group_leads(&g->heap))
        s->fresh_count = 0;
    if (v != NONE_U32) {
        const struct slot now = slot_load(g, slot);
        // a bound beyond 32 bits only says so: no path of a graph that has landmarks costs that much
        const u32 f = add_sat(now.cost, now.bound);
        g->saturated |= now.cost == UNREACHED;
#ifndef HEURISTIC_LANDMARKS
        g->saturated |= nearer && f == UNREACHED;
#endif
        if (nearer && now.cost == cost && f <= best && f != UNREACHED)
            s->offered[atomic_inc(&s->offered_count)] = (u64)f << 32 | v;
    }
    group_barrier();
    group_heap_put(&g->heap, s->offered, s->offered_count);
}

/* Link t of the goals, all rows one behind the other: its vertex, or NONE_U32 where its row has ended; *end is
 * the goal, *j the link's place in its row. */
static inline u32 goal_link(const struct links *links, const struct query *query, u32 t, u32 *end, u32 *j)
{
    const u32 goal = t / links->k;
    *end = query->goal_first + goal;
    *j = t - goal * links->k;
    u32 v = link_vertex(links, *end, 0);
    for (u32 i = 1; i <= *j && v != NONE_U32; i++)
        v = link_vertex(links, *end, i);
    return v;
}

/* The goals' links wait at their vertices. */
static void begin_goals(struct group *g, const struct links *links, const struct query *query)
{
    const u32 count = query->goal_count * links->k;
    u32 first = 0;
    do {
        const u32 t = first + g->item;
        g->full |= g->touched_count + min(count - first, (u32)GROUP) > g->limit;
        if (t < count && !g->full) {
            u32 end, j;
            const u32 v = goal_link(links, query, t, &end, &j);
            if (v != NONE_U32)
                atomic_min(&g->table[SLOT_WORDS * (size_t)slot_take(g, v) + SLOT_GOAL],
                           link_cost(links, end, j));
        }
        group_barrier();
        g->touched_count = g->shared->touched_count;
        group_barrier();
        first += GROUP;
    } while (first < count);
}

/* What is reached next, a few vertices at a time: along a vertex's arcs, or a start's links. */
struct front {
    bool is_start;
    u32 start, cost; /* the end; the cost to the vertex */
    u32 next, end;
};

/* The front's next neighbours, one a work-item, are reached. */
static void advance(struct group *g, const struct guide *guide, const struct links *links,
                    struct front *front, u32 best)
{
    const u32 n = min(front->end - front->next, (u32)GROUP), i = front->next + g->item;
    u32 v = NONE_U32, cost = 0;

    make_room(g, n);
    if (g->item < n && !g->full) {
        if (front->is_start) {
            v = link_vertex(links, front->start, i);
            cost = link_cost(links, front->start, i);
        } else {
            const struct arc arc = g->arcs[i];
            v = arc.target;
            cost = through(front->cost, arc);
        }
    }
    reach(g, guide, v, cost, best);
    front->next += n;
}

/* Turns the guide to a query's goals. */
static void guide_begin(const struct group *g, struct guide *guide, const struct links *links,
                        const struct query *query)
{
    guide->query = *query;
#ifdef HEURISTIC_LANDMARKS
    // as in astar.cl, a landmark a work-item
    const u32 width = guide->vectors * LANDMARK_LANES;
    for (u32 landmark = g->item; landmark < width; landmark += GROUP) {
        ushort low = LANDMARK_FAR, high = 0;
        for (u32 e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
            for (u32 j = 0, v; (v = link_vertex(links, e, j)) != NONE_U32; j++) {
                const ushort cost = landmark_entry(link_cost(links, e, j), guide->shift);
                const ushort entry = guide->table[(size_t)v * width + landmark];
                low = min(low, add_sat(entry, cost));
                high = max(high, sub_sat(entry, cost));
            }
        }
        g->shared->low[landmark] = low;
        g->shared->high[landmark] = high;
    }
#endif
}

static inline u32 link_count(const struct links *links, u32 end)
{
    u32 count = 0;
    while (link_vertex(links, end, count) != NONE_U32)
        count++;
    return count;
}

/* Expands until no path can be better; returns the least total cost, or UNREACHED. */
static u32 expand(struct group *g, const struct guide *guide, const struct links *links,
                  const struct query *query)
{
    struct front front = {true, query->start, 0, 0, link_count(links, query->start)};
    u32 best = UNREACHED;
    bool going = true;

    begin_goals(g, links, query);
    while (going) {
        do
            advance(g, guide, links, &front, best);
        while (front.next < front.end && !g->full);

        // the next vertex; what is stale has no neighbours
        const u64 key = group_heap_least(&g->heap);
        const u32 v = (u32)key, f = (u32)(key >> 32);
        front = (struct front){0};
        going = key != HEAP_INFINITE && f <= best && !g->full;
        if (going) {
            const struct slot vertex = slot_find(g, v);
            const bool live = f == vertex.cost + vertex.bound;
            best = live ? min(best, add_sat(vertex.cost, vertex.goal)) : best;
            front.cost = vertex.cost;
            front.next = g->offsets[v];
            front.end = live ? g->offsets[v + 1] : front.next;
        }
        group_heap_take(&g->heap);
    }
    return best;
}

/* The end of the path of cost `best`: its vertex of lowest milestone, and the lowest end that it reaches there.
 * NONE_U32: there is no path. */
static u32 last_vertex(const struct group *g, const struct links *links, const struct query *query,
                       u32 best, u32 *goal)
{
    __local struct shared *s = g->shared;
    const u32 count = best == UNREACHED ? 0 : query->goal_count * links->k;
    u32 end, j;

    if (group_leads(&g->heap))
        s->found = s->answer = NONE_U32;
    group_barrier();
    // the lowest milestone, then the first link to it
    for (u32 t = g->item; t < count; t += GROUP) {
        const u32 v = goal_link(links, query, t, &end, &j);
        if (v != NONE_U32 && add_sat(slot_find(g, v).cost, link_cost(links, end, j)) == best)
            atomic_min(&s->found, link_milestone(links, end, j));
    }
    group_barrier();
    for (u32 t = g->item; t < count; t += GROUP) {
        const u32 v = goal_link(links, query, t, &end, &j);
        if (v != NONE_U32 && link_milestone(links, end, j) == s->found &&
            add_sat(slot_find(g, v).cost, link_cost(links, end, j)) == best)
            atomic_min(&s->answer, t);
    }
    group_barrier();
    if (s->answer == NONE_U32)
        return NONE_U32;
    const u32 last = goal_link(links, query, s->answer, &end, &j);
    *goal = end;
    return last;
}

/* The first of arcs first … end - 1 that leads to where a path may come from that costs `cost` with the arc.
 * They are in ascending order, so it is that of lowest milestone. There is one, unless there are no arcs. */
static u32 arc_back(const struct group *g, u32 first, u32 end, u32 cost)
{
    __local struct shared *s = g->shared;
    bool more;
    do {
        const u32 i = first + g->item;
        group_barrier();
        if (group_leads(&g->heap))
            s->found = NONE_U32;
        group_barrier();
        if (i < end && through(slot_find(g, g->arcs[i].target).cost, g->arcs[i]) == cost)
            atomic_min(&s->found, i);
        group_barrier();
        first += GROUP;
        more = s->found == NONE_U32 && first < end;
    } while (more);
    return s->found;
}

/* stack[0 … count): the vertices from `last`, if there is one, back to the start's link; returns count. */
static u32 walk_back(const struct group *g, __global u32 *stack, const struct links *links, u32 start,
                     u32 last)
{
    const u32 greatest = greatest_cost(links, start);
    u32 v = last, cost = last == NONE_U32 ? 0 : slot_find(g, last).cost, count = 0;

    do {
        const bool goes_on =
            v != NONE_U32 && !(cost <= greatest && is_start_link(links, start, v, cost));
        if (v != NONE_U32 && group_leads(&g->heap))
            stack[count] = v;
        count += v != NONE_U32;
        const u32 i = arc_back(g, goes_on ? g->offsets[v] : 0, goes_on ? g->offsets[v + 1] : 0, cost);
        v = goes_on ? g->arcs[i].target : NONE_U32;
        cost -= goes_on ? max(g->arcs[i].weight, 1u) : 0;
    } while (v != NONE_U32);
    return count;
}

/* Writes the path of cost `best`, if there is one, into its place in the pool. */
static void finish(const struct group *g, const struct path_pool *pool, const struct links *links,
                   const struct query *query, u32 best, u32 q)
{
    // the heap is of no more use: its memory takes the path from its end to its beginning
    __global u32 *stack = (__global u32 *)g->heap.keys;
    u32 goal = NONE_U32;
    const u32 last = last_vertex(g, links, query, best, &goal);
    const u32 count = walk_back(g, stack, links, query->start, last);

    group_barrier();
    if (group_leads(&g->heap))
        g->shared->answer = count > 0 ? path_reserve(pool, q, count, goal) : NONE_U32;
    group_barrier();
    const u32 first = g->shared->answer;
    for (u32 i = g->item; i < count && first != NONE_U32; i += GROUP)
        pool->entries[first + i] = stack[count - 1 - i];
}

/* Leaves the scratch as the next query wants it. */
static void reset(struct group *g)
{
    group_barrier();
    for (u32 i = g->item; i < g->touched_count; i += GROUP)
        slot_clear(g, g->touched[i]);
    // counts change when all have gone by them
    group_barrier();
    if (group_leads(&g->heap))
        g->shared->touched_count = 0;
    g->touched_count = 0;
    g->heap.count = 0;
    g->full = false;
}

/* The next query that is pending, or NONE_U32. */
static u32 take(const struct group *g, const struct path_pool *pool, __global const struct query *queries,
                __global const u32 *asked, u32 all, u32 n)
{
    group_barrier();
    if (group_leads(&g->heap)) {
        u32 q = NONE_U32;
        for (u32 i; q == NONE_U32 && (i = atomic_inc(&pool->control[SEARCH_TAKEN])) < n;) {
            const u32 next = all ? i : asked[i];
            if (queries[next].skip)
                pool->counts[next] = 0;
            else if (path_pending(pool, next))
                q = next;
        }
        g->shared->answer = q;
    }
    group_barrier();
    return g->shared->answer;
}

/* Of the queries asked[0 … n - 1], or of the first n where `all` is not 0, those that are pending. A table has
 * `slots`, a power of two, of which `limit` may be taken: some less than all, or NONE_U32 where slots >= V.
 * left: u32[n], the queries that are left to larger tables, control[SEARCH_LEFT] of them, which is 0 before.
 * Scratch of group i: table[i * slots …] (four words each), touched likewise, heap[i * heap_entries …], of at
 * least slots + HEAP_ARITY - 1 + GROUP entries. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
astar_group(SEARCH_PARAMETERS, __global const u32 *asked, __global u32 *left, u32 all, u32 n,
            __global const u32 *ids, __global u32 *table, __global u32 *touched, __global u64 *heap,
            u32 slots, u32 limit, u32 heap_entries, __global const f32 *states,
            __global const f32 *end_states, f32 scale, __global const ushort *landmarks, u32 vectors,
            u32 shift)
{
    __local struct shared shared;
    const size_t group = get_group_id(0);
    const struct path_pool pool = POOL_FROM_PARAMETERS;
    const struct links links = LINKS_FROM_PARAMETERS;
    // children of an entry begin where a coalesced load does
    const struct group_heap own = {.keys = heap + group * heap_entries + HEAP_ARITY - 1,
                                   .capacity = heap_entries - (HEAP_ARITY - 1),
                                   .item = (u32)get_local_id(0),
                                   .shared = &shared.heap};
    struct group g = {.item = own.item,
                      .shared = &shared,
                      .offsets = offsets,
                      .arcs = arcs,
                      .table = table + group * slots * SLOT_WORDS,
                      .touched = touched + group * slots,
                      .slots = slots,
                      .limit = limit,
                      .heap = own};
    struct guide guide;
#if defined(HEURISTIC_METRIC)
    guide.metric = (struct metric_guide){states, end_states, ids, scale};
#elif defined(HEURISTIC_LANDMARKS)
    guide.table = landmarks;
    guide.vectors = vectors;
    guide.shift = shift;
#endif

    for (u32 slot = g.item; slot < slots; slot += GROUP)
        slot_clear(&g, slot);
    group_heap_share(&g.heap);
    if (group_leads(&g.heap))
        shared.fresh_count = shared.offered_count = shared.touched_count = 0;
    for (u32 q = take(&g, &pool, queries, asked, all, n); q != NONE_U32;
         q = take(&g, &pool, queries, asked, all, n)) {
        const struct query query = queries[q];
        guide_begin(&g, &guide, &links, &query);
        const u32 best = expand(&g, &guide, &links, &query);
        if (group_leads(&g.heap) && g.full)
            left[atomic_inc(&control[SEARCH_LEFT])] = q;
        else if (group_leads(&g.heap) && best == UNREACHED)
            counts[q] = 0;
        finish(&g, &pool, &links, &query, g.full ? UNREACHED : best, q);
        reset(&g);
    }
    if (g.saturated)
        atomic_or(&control[SEARCH_SATURATED], 1u);
}

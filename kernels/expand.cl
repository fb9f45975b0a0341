/* Trees grown from the ends of queries that a roadmap alone cannot answer, until they meet or reach
 * one of its components.
 *
 * RRT-Connect (Kuffner & LaValle 2000) with dynamic domains (Yershova, Jaillet, Siméon & LaValle
 * 2005). A query has two trees, its start's and its goals', and grows the smaller one in rounds:
 * EXPAND_BATCH samples each extend it as it was when the round began, so that they are independent
 * of each other; then they are merged in their order, up to the first that ends the search. Every
 * second sample is drawn about a node of the tree: pockets are left by small steps. A new node is
 * tried to be attached to the milestones near it, of the largest component or of one that the other
 * tree reaches, and the other tree comes towards it. The milestones near a node are found by a walk
 * (expand_walk.h). Every motion passes edge_is_free(); of robots with spheres most that would not
 * are recognised many at a time before (expand_look.h).
 *
 * Launch: a group of TEAM work-items a query; they share a round's samples. A query's result
 * depends on its seed, its ends and the roadmap alone: not on TEAM, nor on what else is grown, nor
 * on how many rounds a launch has. Traffic: the tree's rows once a sample, some hundred milestones'
 * rows a new node. -D ROW, DOF of metric.h; -D EDGE_SAMPLED of edges.h; -D TEAM=1 … EXPAND_BATCH, a
 * power of two.
 *
 * check: -DROW=2 -DDOF=2 -DTEAM=1
 * check: -DROW=4 -DDOF=3 -DTEAM=16 -DEDGE_SAMPLED
 * check: -DROW=8 -DDOF=7 -DTEAM=1 -DBODIES=8 -DLINKS=11 -DPAIRS=39 -DBODY_LANES=16
 */
#include "connect_types.h"
#include "expand_walk.h"
#ifdef BODIES
#include "expand_look.h"
#endif

#if TEAM == 1
#define team_barrier()
#else
#define team_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

/* A node's domain after the first motion from it that failed, and at least, in ranges; and what
 * each further failure leaves of it. */
#define DOMAIN_FIRST 4.0f
#define DOMAIN_LEAST 1.0f
#define DOMAIN_DECAY 1e-4f
/* An approach costs no more than this, far above what any path does. */
#define COST_MAX 0x40000000u

/* ---- a sample ---- */

/* The motions of a sample, one after the other. */
enum phase { EXTENDING, ATTACHING, CONNECTING, ENDED };

struct course {
    enum phase phase;
    f32 from[ROW], to[ROW];
    u32 candidate; /* of the milestones in view, attaching */
    bool arrives;  /* at the new node, connecting */
};

/* The step of the other tree towards the new node x, from course->from. */
static inline void step_towards(struct course *course, const f32 *x, f32 distance, f32 range)
{
    course->arrives = distance <= range;
    if (course->arrives) {
        for (u32 c = 0; c < ROW; c++)
            course->to[c] = x[c];
    } else {
        metric_interpolate(course->to, course->from, x, range / distance);
    }
}

/* The other tree comes towards x from its nearest node. */
static void begin_connecting(const struct expander *e, const struct round *round, const f32 *x,
                             struct course *course, __global struct expand_try *made)
{
    const u32 other = 1 - round->tree;
    f32 squared;
    made->other = nearest_node(e, other, round->counts[other], x, &squared);
    row_load(course->from, e->nodes, other * e->options->capacity + made->other);
    step_towards(course, x, sqrt(squared), e->options->range);
    course->phase = CONNECTING;
}

/* The next milestone to attach x to; without one, on to connecting. */
static void next_attachment(const struct expander *e, const struct round *round, const f32 *x,
                            const struct view *wanted, struct course *course,
                            __global struct expand_try *made)
{
    if (course->candidate == wanted->count) {
        begin_connecting(e, round, x, course, made);
        return;
    }
    for (u32 c = 0; c < ROW; c++)
        course->from[c] = x[c];
    row_load(course->to, e->roadmap->states, wanted->vertices[course->candidate]);
    course->phase = ATTACHING;
}

/* The milestones to attach x to are looked for, and the first of them is next. */
static void begin_attaching(const struct expander *e, const struct round *round, const f32 *x,
                            struct view *wanted, struct course *course,
                            __global struct expand_try *made)
{
    if (made->near != NONE_U32 && round->wanted_count > 0) {
        made->near = walk_to_milestones(e, round, x, made->near, wanted);
#ifdef BODIES
        look_at_view(e, x, wanted);
#endif
    }
    next_attachment(e, round, x, wanted, course, made);
}

/* What a checked motion brings, and the motion after it. x: the new node; rows: the sample's, of
 * which the first is x. */
static void advance(const struct expander *e, const struct round *round, const f32 *x, bool is_free,
                    struct view *wanted, struct course *course, __global struct expand_try *made,
                    __global f32 *rows)
{
    switch (course->phase) {
    case EXTENDING:
        if (!is_free) {
            course->phase = ENDED;
            return;
        }
        made->kind = EXPAND_ADDED;
        made->near = e->near[round->tree * e->options->capacity + made->parent];
        begin_attaching(e, round, x, wanted, course, made);
        return;
    case ATTACHING:
        course->candidate++;
        if (is_free) {
            made->vertex = wanted->vertices[course->candidate - 1];
            if (is_among(round->joining, round->joining_count,
                         e->roadmap->components[made->vertex])) {
                made->outcome = EXPAND_JOINED;
                course->phase = ENDED;
                return;
            }
            course->candidate = wanted->count;
        }
        next_attachment(e, round, x, wanted, course, made);
        return;
    case CONNECTING:
        if (is_free && course->arrives)
            made->outcome = EXPAND_MET;
        course->phase = ENDED;
        if (!is_free || course->arrives)
            return;
        row_store(rows, 1 + made->step_count++, course->to);
        if (made->step_count == EXPAND_STEPS)
            return;
        for (u32 c = 0; c < ROW; c++)
            course->from[c] = course->to[c];
        step_towards(course, x, metric_distance(course->from, x), e->options->range);
        course->phase = CONNECTING;
        return;
    case ENDED:
        return;
    }
}

/* Sample j of a round drawn: the node that it extends and where to, in the first of its rows. */
static void draw_try(const struct expander *e, const struct round *round, u32 j)
{
    const u32 tree = round->tree;
    __global struct expand_try *made = &e->tries[j];
    f32 x[ROW], squared;

    draw_sample(e, round, x, round->drawn + j);
    const u32 parent = nearest_node(e, tree, round->counts[tree], x, &squared);
    const f32 distance = sqrt(squared), range = e->options->range;

    made->kind = EXPAND_REJECTED;
    made->parent = parent;
    made->near = made->vertex = made->other = NONE_U32;
    made->step_count = 0;
    made->outcome = EXPAND_GROWING;
    if (!(distance > 0.0f) || distance > e->domains[tree * e->options->capacity + parent])
        return;

    // no farther than the range
    if (distance > range) {
        f32 from[ROW];
        row_load(from, e->nodes, tree * e->options->capacity + parent);
        metric_interpolate(x, from, x, range / distance);
    }
    row_store(e->try_rows + (size_t)j * EXPAND_TRY_ROWS * ROW, 0, x);
    made->kind = EXPAND_DRAWN;
}

/* What follows from sample j, if it is drawn. All its motions are checked in one place. */
static void pursue_try(const struct expander *e, const struct round *round, u32 j)
{
    __global struct expand_try *made = &e->tries[j];
    __global f32 *rows = e->try_rows + (size_t)j * EXPAND_TRY_ROWS * ROW;
    struct view wanted = {.capacity = EXPAND_ATTACH};
    struct course course = {.phase = EXTENDING};
    f32 x[ROW];

    if (made->kind != EXPAND_DRAWN)
        return;
    row_load(course.from, e->nodes, round->tree * e->options->capacity + made->parent);
    row_load(x, rows, 0);
    for (u32 c = 0; c < ROW; c++)
        course.to[c] = x[c];
    made->kind = EXPAND_BLOCKED;
    while (course.phase != ENDED) {
        const bool is_free = edge_is_free(e->scene, course.from, course.to) != 0;
        advance(e, round, x, is_free, &wanted, &course, made, rows);
    }
}

/* ---- a round ---- */

/* The component's place in a tree's reach, or reach_count. */
static inline u32 reach_of(__global const struct expand_tree *tree, u32 component)
{
    u32 i = 0;
    while (i < tree->reach_count && tree->reach[i].component != component)
        i++;
    return i;
}

static void round_begin(const struct expander *e, struct round *round)
{
    __global const struct expand_state *state = e->state;
    round->drawn = state->drawn;
    for (u32 t = 0; t < EXPAND_TREES; t++)
        round->counts[t] = state->trees[t].count;
    round->tree = round->counts[1] < round->counts[0] ? 1 : 0;

    // components to attach to: those that the other tree reaches, and the largest
    __global const struct expand_tree *own = &state->trees[round->tree];
    __global const struct expand_tree *other = &state->trees[1 - round->tree];
    const u32 largest = e->options->largest;
    for (u32 i = 0; i < other->reach_count; i++)
        round->wanted[i] = round->joining[i] = other->reach[i].component;
    round->wanted_count = round->joining_count = other->reach_count;
    if (reach_of(own, largest) == own->reach_count && reach_of(other, largest) == other->reach_count)
        round->wanted[round->wanted_count++] = largest;
}

/* A node at the end of a tree, if there is room; returns it. */
static u32 append(const struct expander *e, u32 tree, __global const f32 *row, u32 parent, u32 near)
{
    __global struct expand_tree *grown = &e->state->trees[tree];
    const u32 node = grown->count, at = tree * e->options->capacity + node;
    f32 x[ROW];
    if (node == e->options->capacity)
        return NONE_U32;
    row_load(x, row, 0);
    row_store(e->nodes, at, x);
    e->parents[at] = parent;
    e->near[at] = near;
    e->domains[at] = INFINITY;
    grown->count = node + 1;
    return node;
}

/* The tree reaches a component by a motion from the node, unless it does already. */
static void reach_add(__global struct expand_tree *tree, u32 component, u32 vertex, u32 node)
{
    const u32 at = reach_of(tree, component);
    if (at < tree->reach_count || at == EXPAND_REACH)
        return;
    tree->reach[at].component = component;
    tree->reach[at].vertex = vertex;
    tree->reach[at].node = node;
    tree->reach_count = at + 1;
}

static void write_approaches(const struct expander *e, const u32 *nodes, __global f32 *pool,
                             volatile __global u32 *cursor)
{
    __global struct expand_state *state = e->state;
    for (u32 t = 0; t < EXPAND_TREES; t++) {
        const u32 base = t * e->options->capacity;
        u32 count = 0, node = nodes[t];
        state->ends[t] = NONE_U32;
        state->first[t] = state->counts[t] = 0;
        if (node == NONE_U32)
            continue;
        for (; !(e->parents[base + node] & EXPAND_ROOT); node = e->parents[base + node])
            count++;
        state->ends[t] = e->parents[base + node] & ~EXPAND_ROOT;

        // from the end on, so the last node first
        const u32 first = atomic_add(cursor, count);
        state->first[t] = first;
        state->counts[t] = count;
        node = nodes[t];
        for (u32 i = count; i > 0; i--, node = e->parents[base + node]) {
            f32 row[ROW];
            row_load(row, e->nodes, base + node);
            row_store(pool, first + i - 1, row);
        }
    }
}

/* What the ends are linked by from now on. */
struct links {
    __global u32 *vertices, *costs; /* [E][links] */
    __global u32 *flags;            /* [E] */
};

/* The integer weight of the way from a root to `node` and on to milestone `vertex`. */
static u32 approach_cost(const struct expander *e, u32 tree, u32 node, u32 vertex)
{
    const u32 base = tree * e->options->capacity;
    f32 from[ROW], to[ROW];
    u32 cost = 0;
    row_load(from, e->roadmap->states, vertex);
    for (;;) {
        row_load(to, e->nodes, base + node);
        const u32 weight = metric_weight(metric_distance(from, to), e->options->weight_scale);
        cost = min(add_sat(cost, weight), COST_MAX);
        if (e->parents[base + node] & EXPAND_ROOT)
            return cost;
        node = e->parents[base + node];
        for (u32 c = 0; c < ROW; c++)
            from[c] = to[c];
    }
}

/* The end that a tree's approach leads from has that one link: what it had before leads elsewhere.
 */
static void link_end(const struct expander *e, const struct links *links, u32 tree, u32 node,
                     u32 vertex)
{
    const u32 end = e->state->ends[tree], count = e->options->links;
    const size_t row = (size_t)end * count;
    links->vertices[row] = vertex;
    links->costs[row] = approach_cost(e, tree, node, vertex);
    for (u32 j = 1; j < count; j++)
        links->vertices[row + j] = NONE_U32;
    links->flags[end] &= ~(u32)END_AT_MILESTONE;
}

/* Sample `made` has ended the search: node of its own tree, last of the other tree's. */
static void finish(const struct expander *e, const struct round *round,
                   __global const struct expand_try *made, u32 node, u32 last,
                   const struct links *links, __global f32 *pool, volatile __global u32 *cursor)
{
    __global struct expand_state *state = e->state;
    const u32 tree = round->tree, other = 1 - tree;
    u32 nodes[EXPAND_TREES];

    state->outcome = made->outcome;
    nodes[tree] = node;
    nodes[other] = last;
    if (made->outcome == EXPAND_JOINED) {
        __global const struct expand_tree *reaching = &state->trees[other];
        const u32 component = e->roadmap->components[made->vertex];
        const struct expand_reach reach = reaching->reach[reach_of(reaching, component)];
        nodes[other] = reach.node;
        write_approaches(e, nodes, pool, cursor);
        link_end(e, links, tree, node, made->vertex);
        if (reach.node != NONE_U32)
            link_end(e, links, other, reach.node, reach.vertex);
    } else {
        write_approaches(e, nodes, pool, cursor);
    }
}

/* Samples that a query may draw yet: those that become nodes are bounded, and all. */
static inline u32 samples_left(const struct expander *e)
{
    const u32 most = e->options->samples_max;
    return min(most - e->state->kept, EXPAND_DRAWS * most - e->state->drawn);
}

/* The first `tried` samples of a round become part of the trees. */
static void round_merge(const struct expander *e, const struct round *round, u32 tried,
                        const struct links *links, __global f32 *pool,
                        volatile __global u32 *cursor)
{
    const u32 tree = round->tree, base = tree * e->options->capacity;
    const f32 range = e->options->range;

    e->state->drawn += tried;
    for (u32 j = 0; j < tried; j++) {
        __global const struct expand_try *made = &e->tries[j];
        __global const f32 *rows = e->try_rows + (size_t)j * EXPAND_TRY_ROWS * ROW;
        if (made->kind == EXPAND_BLOCKED) {
            __global f32 *domain = &e->domains[base + made->parent];
            *domain = *domain == INFINITY
                          ? DOMAIN_FIRST * range
                          : fmax(*domain * (1.0f - DOMAIN_DECAY), DOMAIN_LEAST * range);
        }
        if (made->kind != EXPAND_ADDED)
            continue;
        e->state->kept++;
        const u32 node = append(e, tree, rows, made->parent, made->near);
        if (node == NONE_U32) {
            e->state->outcome = EXPAND_EXHAUSTED;
            return;
        }
        if (made->vertex != NONE_U32)
            reach_add(&e->state->trees[tree], e->roadmap->components[made->vertex], made->vertex,
                      node);
        u32 last = made->other;
        for (u32 i = 0; i < made->step_count && last != NONE_U32; i++) {
            const u32 near = e->near[(1 - tree) * e->options->capacity + last];
            last = append(e, 1 - tree, rows + (1 + i) * ROW, last, near);
        }
        if (made->outcome == EXPAND_JOINED || (made->outcome == EXPAND_MET && last != NONE_U32))
            finish(e, round, made, node, last, links, pool, cursor);
    }
    if (e->state->outcome == EXPAND_GROWING && samples_left(e) == 0)
        e->state->outcome = EXPAND_EXHAUSTED;
}

/* ---- a query ---- */

/* Plants the trees: their roots are the ends that are free, what they reach are the components that
 * the ends' own links lead into. */
static void plant(const struct expander *e, const struct query *query,
                  __global const f32 *end_states, __global const u32 *end_near,
                  const struct links *links)
{
    const u32 k = e->options->links;
    for (u32 t = 0; t < EXPAND_TREES; t++) {
        __global struct expand_tree *tree = &e->state->trees[t];
        const u32 first = t == 0 ? query->start : query->goal_first;
        const u32 count = t == 0 ? 1 : query->goal_count;
        tree->count = tree->reach_count = 0;
        for (u32 end = first; end < first + count; end++) {
            __global const u32 *row = links->vertices + (size_t)end * k;
            if (!(links->flags[end] & END_FREE))
                continue;
            append(e, t, end_states + (size_t)end * ROW, EXPAND_ROOT | end, end_near[end]);
            for (u32 j = 0; j < k && row[j] != NONE_U32; j++)
                reach_add(tree, e->roadmap->components[row[j]], row[j], NONE_U32);
        }
    }
    e->state->drawn = e->state->kept = 0;
    e->state->outcome = EXPAND_GROWING;
}

/* Grows `count` queries, a group each, by options.rounds rounds at most. states: [count], and behind
 * them a word, 0 at first: the rows of approaches that are written. Of the query of place i:
 * the trees' nodes from 2 i capacity on, the samples from i EXPAND_BATCH on. queries: all of the
 * batch; end_states: [E][ROW]; end_near: [E], the milestone nearest to each end; vertices, costs:
 * [E][links], of which those of ends that the way leads from are written; flags: [E]; pool: rows of
 * approaches, in no certain order. */
__kernel __attribute__((reqd_work_group_size(TEAM, 1, 1))) void
expand_grow(__global struct expand_state *states, __global f32 *nodes, __global u32 *parents,
            __global u32 *near, __global f32 *domains, __global struct expand_try *tries,
            __global f32 *try_rows, __global f32 *pool,
            __global const struct query *queries, __global const f32 *end_states,
            __global const u32 *end_near, __global u32 *vertices, __global u32 *costs,
            __global u32 *flags, __global const f32 *milestones, __global const u32 *components,
            __global const u32 *edges, __global const u32 *first_low,
            __global const u32 *first_high, __global const u32 *by_high, __global const f32 *limits,
            const struct expand_options options, const u32 count, SCENE_PARAMETERS)
{
    const struct scene scene = SCENE_FROM_PARAMETERS;
    const u32 at = (u32)get_group_id(0), member = (u32)get_local_id(0);
    const struct roadmap roadmap = {milestones, components, edges, first_low, first_high, by_high};
    const struct links links = {vertices, costs, flags};
    volatile __global u32 *cursor = (volatile __global u32 *)(states + count);
    __local u32 ended_by;
    if (at >= count)
        return;

    const size_t place = states[at].place;
    const size_t first_node = place * EXPAND_TREES * options.capacity;
    const struct expander e = {
        .scene = &scene,
        .options = &options,
        .roadmap = &roadmap,
        .limits = limits,
        .state = states + at,
        .nodes = nodes + first_node * ROW,
        .parents = parents + first_node,
        .near = near + first_node,
        .domains = domains + first_node,
        .tries = tries + place * EXPAND_BATCH,
        .try_rows = try_rows + place * EXPAND_BATCH * EXPAND_TRY_ROWS * ROW,
    };
    if (member == 0 && e.state->outcome == EXPAND_NEW) {
        const struct query query = queries[e.state->query];
        plant(&e, &query, end_states, end_near, &links);
    }
    team_barrier();

    for (u32 r = 0; r < options.rounds && e.state->outcome == EXPAND_GROWING; r++) {
        struct round round;
        round_begin(&e, &round);
        const u32 batch = min((u32)EXPAND_BATCH, samples_left(&e));
        if (member == 0)
            ended_by = batch;
        team_barrier();

        // the first sample in order that ends the search is the last to count
        for (u32 begun = 0; begun < batch && ended_by == batch; begun += TEAM * SHARE) {
            const u32 first = begun + member * SHARE;
            const u32 end = min(first + SHARE, batch);
            team_barrier();
            for (u32 j = first; j < end; j++)
                draw_try(&e, &round, j);
#ifdef BODIES
            look_at_draws(&e, &round, first, end);
#endif
            for (u32 j = first; j < end; j++) {
                pursue_try(&e, &round, j);
                if (e.tries[j].outcome != EXPAND_GROWING) {
                    atomic_min(&ended_by, j);
                    break;
                }
            }
            team_barrier();
        }
        if (member == 0)
            round_merge(&e, &round, min(ended_by + 1, batch), &links, pool, cursor);
        team_barrier();
    }
}

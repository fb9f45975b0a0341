/* Goal: searches find the canonical path of each query, whatever the method, the batch, the pool's
 * size or the machine's shape, and leave no memory behind. Method: random geometric graphs with
 * isolated parts, coinciding vertices and awkward sizes, their vertices numbered as the milestones
 * or in a random order; ends with random links; every path compared vertex by vertex. Oracle: a
 * serial Dijkstra and a serial breadth-first search per query with the canonical rule. */
#include "kernels/types.h"
#include "roadmap/search/hop_rows.h"
#include "roadmap/search/search.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 4, DOF = 3 };
#define SCALE 65536.0
#define UNREACHED UINT32_MAX

/* A graph and queries on it, on the host and on the device. */
struct fixture {
    uint32_t vertex_count, arc_count, k, end_count, query_count;
    float *states, *end_states; /* [][ROW] */
    uint32_t *offsets;
    struct arc *arcs;
    uint32_t *link_vertices, *link_costs; /* [end_count][k] */
    struct query *queries;

    struct prm_space space;
    struct prm_graph graph;
    struct prm_landmarks *landmarks; /* of vertex 0's component */
    struct prm_endpoints ends;
    struct prm_buffer states_device, queries_device;
};

struct graph_shape {
    uint32_t vertices, degree, k, queries, goals_max;
    bool coinciding; /* many vertices at one place: edges of weight 0 */
    bool numbered;   /* the device's graph has its vertices in another order */
};

static float distance(const float *a, const float *b)
{
    float sum = 0;
    for (uint32_t c = 0; c < DOF; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sqrtf(sum);
}

static uint32_t weight(const float *a, const float *b)
{
    return (uint32_t)ceil((double)distance(a, b) * SCALE);
}

/* The graph with its vertices in a random order. */
static struct prm_graph upload_numbered(const struct fixture *f)
{
    const uint32_t n = f->vertex_count;
    struct test_random random = {n};
    uint32_t *ids = calloc(n, sizeof(uint32_t)), *places = calloc(n, sizeof(uint32_t));
    uint32_t *offsets = calloc(n + 1, sizeof(uint32_t)), count = 0;
    struct arc *arcs = calloc(f->arc_count + 1, sizeof(struct arc));

    for (uint32_t v = 0; v < n; v++) {
        const uint32_t other = test_random_below(&random, v + 1);
        ids[v] = ids[other];
        ids[other] = v;
    }
    for (uint32_t v = 0; v < n; v++)
        places[ids[v]] = v;
    for (uint32_t v = 0; v < n; v++) {
        for (uint32_t i = f->offsets[ids[v]]; i < f->offsets[ids[v] + 1]; i++)
            arcs[count++] = (struct arc){places[f->arcs[i].target], f->arcs[i].weight};
        offsets[v + 1] = count;
    }
    const struct prm_graph graph = {n,
                                    count,
                                    test_upload(offsets, (n + 1) * sizeof(uint32_t)),
                                    test_upload(arcs, count * sizeof(struct arc)),
                                    test_upload(ids, n * sizeof(uint32_t)),
                                    test_upload(places, n * sizeof(uint32_t))};
    free(ids);
    free(places);
    free(offsets);
    free(arcs);
    return graph;
}

static void fixture_upload(struct fixture *f, bool numbered)
{
    const size_t links = (size_t)f->end_count * f->k * sizeof(uint32_t);

    f->space = (struct prm_space){.dof = DOF, .row = ROW};
    f->graph = (struct prm_graph){
        .vertex_count = f->vertex_count,
        .arc_count = f->arc_count,
    };
    if (numbered) {
        f->graph = upload_numbered(f);
    } else {
        f->graph.offsets = test_upload(f->offsets, (f->vertex_count + 1) * sizeof(uint32_t));
        f->graph.arcs = test_upload(f->arcs, f->arc_count * sizeof(struct arc));
    }
    f->states_device = test_upload(f->states, f->vertex_count * ROW * sizeof(float));
    f->ends = (struct prm_endpoints){
        f->end_count, f->k, test_upload(f->end_states, f->end_count * ROW * sizeof(float)),
        test_upload(f->link_vertices, links), test_upload(f->link_costs, links)};
    f->queries_device = test_upload(f->queries, f->query_count * sizeof(struct query));
}

/* Landmarks of the graph of this fixture, where a test asks for them. */
static struct prm_landmarks *fixture_landmarks(struct fixture *f)
{
    bool done = f->landmarks != NULL;
    if (!done)
        assert_ok(prm_landmarks_create(test_context, &f->landmarks, &f->graph, 0));
    while (!done)
        assert_ok(prm_landmarks_step(f->landmarks, &done));
    return f->landmarks;
}

static void fixture_deinit(struct fixture *f)
{
    prm_landmarks_destroy(f->landmarks);
    struct prm_buffer *buffers[] = {&f->graph.offsets, &f->graph.arcs,    &f->graph.ids,
                                    &f->graph.places,  &f->states_device, &f->ends.states,
                                    &f->ends.vertices, &f->ends.costs,    &f->queries_device};
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        prm_buffer_destroy(test_context, buffers[i]);
    void *blocks[] = {f->states,        f->end_states, f->offsets, f->arcs,
                      f->link_vertices, f->link_costs, f->queries};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        free(blocks[i]);
}

static int by_target(const void *a, const void *b)
{
    const uint32_t x = ((const struct arc *)a)->target, y = ((const struct arc *)b)->target;
    return (x > y) - (x < y);
}

/* CSR arrays of the undirected edges pairs[count][2]; repeated ones stay. */
static void make_arcs(struct fixture *f, uint32_t (*pairs)[2], uint32_t count)
{
    uint32_t *fill = calloc(f->vertex_count + 1, sizeof(uint32_t));

    f->arc_count = 2 * count;
    f->offsets = calloc(f->vertex_count + 1, sizeof(uint32_t));
    f->arcs = calloc(f->arc_count + 1, sizeof(struct arc));
    for (uint32_t i = 0; i < count; i++) {
        f->offsets[pairs[i][0] + 1]++;
        f->offsets[pairs[i][1] + 1]++;
    }
    for (uint32_t v = 0; v < f->vertex_count; v++)
        f->offsets[v + 1] += f->offsets[v];
    for (uint32_t i = 0; i < count; i++) {
        for (int side = 0; side < 2; side++) {
            const uint32_t a = pairs[i][side], b = pairs[i][1 - side];
            f->arcs[f->offsets[a] + fill[a]++] =
                (struct arc){b, weight(f->states + a * ROW, f->states + b * ROW)};
        }
    }
    for (uint32_t v = 0; v < f->vertex_count; v++)
        qsort(f->arcs + f->offsets[v], f->offsets[v + 1] - f->offsets[v], sizeof(struct arc),
              by_target);
    free(fill);
}

/* End e gets up to k links to vertices of a random neighbourhood of indices. */
static void make_links(struct fixture *f, uint32_t e, struct test_random *random)
{
    uint32_t count = test_random_below(random, f->k + 1);
    if (test_random_below(random, 4) > 0 && count == 0)
        count = 1;
    for (uint32_t j = 0; j < f->k; j++)
        f->link_vertices[e * f->k + j] = NONE_U32;
    for (uint32_t j = 0; j < count && j < f->vertex_count; j++) {
        const uint32_t v =
            (e * 7919u + j * j * 31u + test_random_below(random, 3)) % f->vertex_count;
        f->link_vertices[e * f->k + j] = v;
        f->link_costs[e * f->k + j] = weight(f->end_states + e * ROW, f->states + v * ROW);
    }
    // now and then an end is at a vertex
    if (test_random_below(random, 8) == 0 && count > 0) {
        memcpy(f->end_states + e * ROW, f->states + f->link_vertices[e * f->k] * ROW,
               ROW * sizeof(float));
        f->link_costs[e * f->k] = 0;
        for (uint32_t j = 1; j < f->k; j++)
            f->link_vertices[e * f->k + j] = NONE_U32;
    }
}

static void make_queries(struct fixture *f, const struct graph_shape *shape,
                         struct test_random *random)
{
    f->k = shape->k;
    f->query_count = shape->queries;
    f->queries = calloc(f->query_count + 1, sizeof(struct query));
    f->end_count = 0;
    for (uint32_t q = 0; q < f->query_count; q++) {
        const uint32_t goals = 1 + test_random_below(random, shape->goals_max);
        f->queries[q] = (struct query){f->end_count, f->end_count + 1, goals,
                                       test_random_below(random, 16) == 0};
        f->end_count += 1 + goals;
    }
    f->end_states = calloc((size_t)f->end_count * ROW + 1, sizeof(float));
    f->link_vertices = calloc((size_t)f->end_count * f->k + 1, sizeof(uint32_t));
    f->link_costs = calloc((size_t)f->end_count * f->k + 1, sizeof(uint32_t));
    for (uint32_t e = 0; e < f->end_count; e++) {
        for (uint32_t c = 0; c < DOF; c++)
            f->end_states[e * ROW + c] = test_random_f32(random, 0, 1);
        make_links(f, e, random);
    }
}

/* Vertices in the unit cube; edges to vertices near in index, some parts without any. */
static void fixture_random(struct fixture *f, const struct graph_shape *shape)
{
    struct test_random random = {shape->vertices + 1000 * shape->k};
    const uint32_t n = shape->vertices;
    uint32_t(*pairs)[2] = calloc((size_t)n * shape->degree + 1, sizeof(*pairs));
    uint32_t pair_count = 0;

    *f = (struct fixture){.vertex_count = n};
    f->states = calloc((size_t)n * ROW, sizeof(float));
    for (uint32_t v = 0; v < n; v++) {
        for (uint32_t c = 0; c < DOF; c++)
            f->states[v * ROW + c] =
                shape->coinciding && v % 3 ? 0.5f : test_random_f32(&random, 0, 1);
    }
    for (uint32_t v = 0; v < n; v++) {
        for (uint32_t d = 0; d < shape->degree; d++) {
            const uint32_t u = (v + 1 + test_random_below(&random, 40)) % n;
            // vertices of index 7 mod 50 are isolated, and nothing crosses the middle
            if (v % 50 == 7 || u % 50 == 7 || u == v || (v < n / 2) != (u < n / 2))
                continue;
            pairs[pair_count][0] = v;
            pairs[pair_count++][1] = u;
        }
    }
    make_arcs(f, pairs, pair_count);
    free(pairs);
    make_queries(f, shape, &random);
    fixture_upload(f, shape->numbered);
}

/* ---- oracles ---- */

struct oracle {
    uint32_t *cost, *queue, *path;
    uint32_t count, goal;
};

static uint32_t link_of(const struct fixture *f, uint32_t e, uint32_t j)
{
    return j < f->k ? f->link_vertices[e * f->k + j] : NONE_U32;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Cost from the start's links to every vertex, by label correction in a circular queue. Hops: every
 * edge costs 1 and links nothing. */
static void oracle_costs(const struct fixture *f, struct oracle *o, const struct query *query,
                         bool hops)
{
    uint8_t *queued = calloc(f->vertex_count, 1);
    uint32_t head = 0, tail = 0, in_queue = 0;

    for (uint32_t v = 0; v < f->vertex_count; v++)
        o->cost[v] = UNREACHED;
    for (uint32_t j = 0, v; (v = link_of(f, query->start, j)) != NONE_U32; j++) {
        const uint32_t c = hops ? 0 : f->link_costs[query->start * f->k + j];
        if (c >= o->cost[v])
            continue;
        o->cost[v] = c;
        if (!queued[v]) {
            o->queue[tail] = v;
            tail = (tail + 1) % f->vertex_count;
            queued[v] = 1;
            in_queue++;
        }
    }
    while (in_queue > 0) {
        const uint32_t v = o->queue[head];
        head = (head + 1) % f->vertex_count;
        in_queue--;
        queued[v] = 0;
        for (uint32_t i = f->offsets[v]; i < f->offsets[v + 1]; i++) {
            const uint32_t u = f->arcs[i].target;
            const uint32_t c = o->cost[v] + (hops ? 1 : max_u32(f->arcs[i].weight, 1));
            if (c >= o->cost[u])
                continue;
            o->cost[u] = c;
            if (!queued[u]) {
                o->queue[tail] = u;
                tail = (tail + 1) % f->vertex_count;
                queued[u] = 1;
                in_queue++;
            }
        }
    }
    free(queued);
}

/* The canonical end: least total, then lowest vertex, then (hops: least link cost, then) lowest
 * goal. */
static uint32_t oracle_last(const struct fixture *f, struct oracle *o, const struct query *query,
                            bool hops)
{
    uint32_t best = UNREACHED, last = NONE_U32, link = 0;
    for (uint32_t e = query->goal_first; e < query->goal_first + query->goal_count; e++) {
        for (uint32_t j = 0, v; (v = link_of(f, e, j)) != NONE_U32; j++) {
            const uint32_t c = f->link_costs[e * f->k + j];
            if (o->cost[v] == UNREACHED)
                continue;
            const uint32_t total = o->cost[v] + (hops ? 0 : c);
            if (total < best || (total == best && (v < last || (hops && v == last && c < link)))) {
                best = total;
                last = v;
                link = c;
                o->goal = e;
            }
        }
    }
    return last;
}

static void oracle_path(const struct fixture *f, struct oracle *o, const struct query *query,
                        bool hops)
{
    o->count = 0;
    if (query->skip)
        return;
    oracle_costs(f, o, query, hops);
    uint32_t v = oracle_last(f, o, query, hops);
    while (v != NONE_U32) {
        o->path[o->count++] = v;
        bool at_start = false;
        for (uint32_t j = 0, u; (u = link_of(f, query->start, j)) != NONE_U32; j++)
            at_start |= u == v && o->cost[v] == (hops ? 0 : f->link_costs[query->start * f->k + j]);
        if (at_start)
            return;
        uint32_t i = f->offsets[v];
        while (o->cost[f->arcs[i].target] == UNREACHED ||
               o->cost[f->arcs[i].target] + (hops ? 1 : max_u32(f->arcs[i].weight, 1)) !=
                   o->cost[v])
            i++;
        v = f->arcs[i].target;
    }
}

/* ---- comparison ---- */

struct variant {
    const char *name;
    enum prm_objective objective;
    enum prm_extraction extraction;
    bool heuristic;
    uint32_t pool_entries;
    bool landmarks;
    uint32_t table_slots;
};

static const struct variant VARIANTS[] = {
    {"dijkstra", PRM_OBJECTIVE_LENGTH, PRM_EXTRACT_AUTO, false, 0, false, 0},
    {"astar", PRM_OBJECTIVE_LENGTH, PRM_EXTRACT_AUTO, true, 0, false, 0},
    {"astar, small pool", PRM_OBJECTIVE_LENGTH, PRM_EXTRACT_AUTO, true, 3, false, 0},
    {"astar, led", PRM_OBJECTIVE_LENGTH, PRM_EXTRACT_AUTO, false, 0, true, 0},
    {"dijkstra, small tables", PRM_OBJECTIVE_LENGTH, PRM_EXTRACT_AUTO, false, 0, false, 4},
    {"astar, small tables and pool", PRM_OBJECTIVE_LENGTH, PRM_EXTRACT_AUTO, true, 3, false, 16},
    {"astar, led, small tables", PRM_OBJECTIVE_LENGTH, PRM_EXTRACT_AUTO, false, 0, true, 32},
    {"hops", PRM_OBJECTIVE_HOPS, PRM_EXTRACT_AUTO, false, 0, false, 0},
    {"hops, in order", PRM_OBJECTIVE_HOPS, PRM_EXTRACT_AUTO, true, 0, false, 0},
    {"hops, walked", PRM_OBJECTIVE_HOPS, PRM_EXTRACT_WALK, false, 0, false, 0},
    {"hops, ranked", PRM_OBJECTIVE_HOPS, PRM_EXTRACT_RANKING, false, 0, false, 0},
    {"hops, small pool", PRM_OBJECTIVE_HOPS, PRM_EXTRACT_AUTO, false, 3, false, 0},
    {"hops, ranked, small pool", PRM_OBJECTIVE_HOPS, PRM_EXTRACT_RANKING, false, 3, false, 0},
    {"hops, led", PRM_OBJECTIVE_HOPS, PRM_EXTRACT_AUTO, false, 0, true, 0},
    {"hops, led, small pool", PRM_OBJECTIVE_HOPS, PRM_EXTRACT_AUTO, false, 3, true, 0},
};
enum { VARIANT_COUNT = sizeof(VARIANTS) / sizeof(VARIANTS[0]) };

static struct prm_search_problem problem_make(struct fixture *f, const struct variant *variant)
{
    return (struct prm_search_problem){
        .graph = &f->graph,
        .space = variant->heuristic ? &f->space : NULL,
        .states = f->states_device,
        .weight_scale = SCALE,
        .endpoints = &f->ends,
        .queries = f->queries_device,
        .query_count = f->query_count,
        .objective = variant->objective,
        .extraction = variant->extraction,
        .pool_entries = variant->pool_entries,
        .landmarks = variant->landmarks ? fixture_landmarks(f) : NULL,
        .table_slots = variant->table_slots,
    };
}

/* Searches and compares queries first … first + count - 1 as one batch. */
static void compare(struct fixture *f, const struct variant *variant, uint32_t first,
                    uint32_t count)
{
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    struct prm_search_problem problem = problem_make(f, variant);
    struct prm_search_paths paths;
    struct oracle o = {.cost = calloc(f->vertex_count, sizeof(uint32_t)),
                       .queue = calloc(f->vertex_count, sizeof(uint32_t)),
                       .path = calloc(f->vertex_count, sizeof(uint32_t))};

    problem.queries = test_upload(f->queries + first, count * sizeof(struct query));
    problem.query_count = count;
    assert_ok(prm_search(test_arena, &paths, &problem));
    uint32_t *firsts = test_download_u32(test_context, paths.first, count);
    uint32_t *counts = test_download_u32(test_context, paths.counts, count);
    uint32_t *goals = test_download_u32(test_context, paths.goals, count);
    uint32_t *pool = test_download_u32(test_context, paths.pool, paths.pool_count);
    for (uint32_t q = 0; q < count; q++) {
        oracle_path(f, &o, &f->queries[first + q], variant->objective == PRM_OBJECTIVE_HOPS);
        if (counts[q] != o.count || (o.count > 0 && goals[q] != o.goal))
            fail_msg("%s, %u vertices, query %u: %u vertices to end %u, expected %u to %u",
                     variant->name, f->vertex_count, first + q, counts[q], goals[q], o.count,
                     o.goal);
        for (uint32_t i = 0; i < o.count; i++) {
            if (pool[firsts[q] + i] != o.path[o.count - 1 - i])
                fail_msg("%s, %u vertices, query %u: vertex %u of %u is %u, expected %u",
                         variant->name, f->vertex_count, first + q, i, o.count, pool[firsts[q] + i],
                         o.path[o.count - 1 - i]);
        }
    }
    free(firsts);
    free(counts);
    free(goals);
    free(pool);
    free(o.cost);
    free(o.queue);
    free(o.path);
    prm_buffer_destroy(test_context, &problem.queries);
    prm_arena_rewind(test_arena, mark);
}

static void test_random_graphs(void **state)
{
    (void)state;
    static const struct graph_shape SHAPES[] = {
        {1, 1, 1, 5, 1, false, true},        {2, 1, 2, 9, 2, false, false},
        {65, 4, 3, 70, 3, false, true},      {100, 5, 10, 513, 7, true, true},
        {1009, 8, 16, 600, 2, false, false}, {1500, 4, 5, 1100, 1, false, true},
        {600, 3, 1, 64, 5, true, false},
    };
    for (size_t i = 0; i < sizeof(SHAPES) / sizeof(SHAPES[0]); i++) {
        struct graph_shape shape = SHAPES[i];
        struct fixture f;
        shape.vertices = (uint32_t)test_size(shape.vertices, shape.vertices % 23 + 1);
        // one batch of more queries than a word has bits
        if (shape.queries != 70)
            shape.queries = (uint32_t)test_size(shape.queries, shape.queries % 7 + 2);
        fixture_random(&f, &shape);
        for (size_t v = 0; v < VARIANT_COUNT; v++)
            compare(&f, &VARIANTS[v], 0, f.query_count);
        fixture_deinit(&f);
    }
}

static void test_batches_do_not_matter(void **state)
{
    (void)state;
    const struct graph_shape shape = {
        (uint32_t)test_size(400, 20), 4, 4, (uint32_t)test_size(130, 8), 3, false, true};
    struct fixture f;
    fixture_random(&f, &shape);
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        for (uint32_t q = 0; q < f.query_count; q += 7)
            compare(&f, &VARIANTS[v], q, f.query_count - q < 7 ? f.query_count - q : 7);
        for (uint32_t q = 0; q < f.query_count; q += 13)
            compare(&f, &VARIANTS[v], q, 1);
        compare(&f, &VARIANTS[v], 0, 0);
    }
    fixture_deinit(&f);
}

/* A line through all vertices: paths as long as the graph, levels far beyond three. */
static void test_long_line(void **state)
{
    (void)state;
    // the GPU's form of searches by hops takes a launch a level, that by length is slow on a CPU
    const bool gpu = prm_context_profile(test_context)->shape == PRM_SHAPE_GPU;
    const uint32_t n = (uint32_t)test_size(gpu ? 20000 : 100000, 40);
    struct fixture f = {.vertex_count = n, .k = 3, .end_count = 6, .query_count = 3};
    uint32_t(*pairs)[2] = calloc(n, sizeof(*pairs));

    f.states = calloc((size_t)n * ROW, sizeof(float));
    for (uint32_t v = 0; v < n; v++) {
        f.states[v * ROW] = (float)v / 1024;
        pairs[v][0] = v;
        pairs[v][1] = v + 1;
    }
    make_arcs(&f, pairs, n - 1);
    free(pairs);
    f.end_states = calloc((size_t)f.end_count * ROW, sizeof(float));
    f.link_vertices = malloc(f.end_count * f.k * sizeof(uint32_t));
    f.link_costs = calloc(f.end_count * f.k, sizeof(uint32_t));
    f.queries = calloc(f.query_count, sizeof(struct query));
    const uint32_t at[] = {0, n - 1, n - 1, 0, n / 3, n / 2};
    for (uint32_t e = 0; e < f.end_count; e++) {
        for (uint32_t j = 0; j < f.k; j++)
            f.link_vertices[e * f.k + j] = j == 0 ? at[e] : NONE_U32;
        f.end_states[e * ROW] = (float)at[e] / 1024;
    }
    for (uint32_t q = 0; q < f.query_count; q++)
        f.queries[q] = (struct query){2 * q, 2 * q + 1, 1, 0};
    fixture_upload(&f, true);

    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        const bool slow =
            VARIANTS[v].landmarks || (VARIANTS[v].objective == PRM_OBJECTIVE_HOPS &&
                                      (gpu || VARIANTS[v].extraction == PRM_EXTRACT_RANKING));
        if (!slow || n < 1000)
            compare(&f, &VARIANTS[v], 0, f.query_count);
    }
    fixture_deinit(&f);
}

/* Hubs in a row, each nearer to all leaves than the one before: every leaf is reached again and
 * again before it is expanded, and the heap fills with what is stale. */
static void test_stale_entries(void **state)
{
    (void)state;
    const uint32_t hubs = (uint32_t)test_size(30, 6), leaves = (uint32_t)test_size(100, 20);
    const uint32_t far = 10000, step = 10, n = hubs + leaves;
    struct fixture f = {.vertex_count = n, .k = 1, .end_count = 4, .query_count = 2};
    const uint32_t at[] = {0, n - 1, n - 1, 0};
    const struct query queries[] = {{0, 1, 1, 0}, {2, 3, 1, 0}};
    uint32_t count = 0;

    // at one place, so that the metric's bound is 0
    f.states = calloc((size_t)n * ROW, sizeof(float));
    f.end_states = calloc((size_t)f.end_count * ROW, sizeof(float));
    f.offsets = calloc(n + 1, sizeof(uint32_t));
    f.arcs = calloc((size_t)n * n, sizeof(struct arc));
    for (uint32_t v = 0; v < n; v++) {
        for (uint32_t u = 0; u < n; u++) {
            const uint32_t low = u < v ? u : v, high = u < v ? v : u;
            if (low < hubs && high >= hubs)
                f.arcs[count++] = (struct arc){u, far - step * low};
            else if (high < hubs && high - low == 1)
                f.arcs[count++] = (struct arc){u, 1};
        }
        f.offsets[v + 1] = count;
    }
    f.arc_count = count;
    f.link_vertices = memcpy(malloc(sizeof(at)), at, sizeof(at));
    f.link_costs = calloc(f.end_count, sizeof(uint32_t));
    f.queries = memcpy(malloc(sizeof(queries)), queries, sizeof(queries));
    fixture_upload(&f, true);
    for (size_t v = 0; v < VARIANT_COUNT; v++)
        compare(&f, &VARIANTS[v], 0, f.query_count);
    fixture_deinit(&f);
}

/* Two arcs whose costs add up to more than 32 bits. */
static void test_cost_beyond_32_bits(void **state)
{
    (void)state;
    const struct prm_arena_mark mark = prm_arena_mark(test_arena);
    struct fixture f = {
        .vertex_count = 3, .arc_count = 4, .k = 1, .end_count = 2, .query_count = 1};
    const uint32_t offsets[] = {0, 1, 3, 4}, links[] = {0, 2}, costs[] = {0, 0};
    const struct arc arcs[] = {
        {1, 3000000000u}, {0, 3000000000u}, {2, 3000000000u}, {1, 3000000000u}};
    const struct query query = {0, 1, 1, 0};
    struct prm_search_paths paths;

    f.states = calloc(3 * ROW, sizeof(float));
    f.end_states = calloc(2 * ROW, sizeof(float));
    f.offsets = memcpy(malloc(sizeof(offsets)), offsets, sizeof(offsets));
    f.arcs = memcpy(malloc(sizeof(arcs)), arcs, sizeof(arcs));
    f.link_vertices = memcpy(malloc(sizeof(links)), links, sizeof(links));
    f.link_costs = memcpy(malloc(sizeof(costs)), costs, sizeof(costs));
    f.queries = memcpy(malloc(sizeof(query)), &query, sizeof(query));
    fixture_upload(&f, false);
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        const struct prm_search_problem problem = problem_make(&f, &VARIANTS[v]);
        if (VARIANTS[v].objective == PRM_OBJECTIVE_HOPS) {
            compare(&f, &VARIANTS[v], 0, 1);
        } else if (!VARIANTS[v].heuristic && !VARIANTS[v].landmarks) {
            assert_status(PRM_LIMIT_EXCEEDED, prm_search(test_arena, &paths, &problem));
            assert_fault_says("32 bits");
        }
    }
    prm_arena_rewind(test_arena, mark);
    fixture_deinit(&f);
}

static void test_too_many_queries(void **state)
{
    (void)state;
    const struct prm_graph graph = {.vertex_count = 1u << 30};
    const struct prm_search_problem problem = {.graph = &graph, .query_count = 3};
    struct prm_search_paths paths;
    assert_int_equal(prm_search_queries_max(1u << 30), 2);
    assert_status(PRM_LIMIT_EXCEEDED, prm_search(test_arena, &paths, &problem));
}

/* The k-th allocation or launch fails: the fault comes out, and nothing stays behind. */
static void test_faults(void **state)
{
    (void)state;
    const struct graph_shape shape = {60, 4, 4, 20, 2, false, true};
    struct fixture f;
    // what the host does; runs that are not interpreted tell
    if (test_is_small())
        skip();

    fixture_random(&f, &shape);
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        const struct prm_search_problem problem = problem_make(&f, &VARIANTS[v]);
        for (uint32_t countdown = 1;; countdown++) {
            const struct prm_arena_mark mark = prm_arena_mark(test_arena);
            struct prm_search_paths paths;
            prm_context_inject_fault(test_context, countdown);
            const enum prm_status status = prm_search(test_arena, &paths, &problem);
            prm_context_inject_fault(test_context, 0);
            prm_arena_rewind(test_arena, mark);
            if (status == PRM_OK)
                break;
            assert_int_equal(status, PRM_DEVICE_FAILED);
            assert_true(countdown < 1000);
        }
        compare(&f, &VARIANTS[v], 0, f.query_count);
    }
    fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_batches_do_not_matter),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_stale_entries),
        cmocka_unit_test(test_cost_beyond_32_bits),
        cmocka_unit_test(test_too_many_queries),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

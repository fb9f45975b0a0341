#include "bench.h"
#include "families.h"
#include "plain.h"
#include "primitives/graph_search.h"

#include <math.h>
#include <stdlib.h>

/* A torus of so many vertices, each with four neighbours: large diameter, small frontiers, as
 * roadmaps have. */
enum { SOURCES = 8, EDGES_A_VERTEX = 2 };

struct graphs {
    struct contest *contest;
    uint32_t vertices, edge_count;
    struct prm_buffer d_edges, d_weights, d_sources, d_out;
    struct prm_arcs arcs;
    uint32_t *offsets, *targets, *levels;
    uint32_t sources[SOURCES];
};

static void prepare_rows(void *work)
{
    struct graphs *g = work;
    prm_arcs_deinit(g->contest->context, &g->arcs);
}

static void rows(void *work)
{
    struct graphs *g = work;
    bench_finish(g->contest->context,
                 prm_arcs_init(g->contest->arena, &g->arcs, g->d_edges, g->d_weights, g->edge_count,
                               g->vertices),
                 "rows of arcs");
}

static void levels(void *work)
{
    struct graphs *g = work;
    bench_finish(g->contest->context,
                 prm_graph_levels(g->contest->arena, g->d_out, PRM_NO_BUFFER, &g->arcs,
                                  g->d_sources, SOURCES),
                 "levels");
}

static void costs(void *work)
{
    struct graphs *g = work;
    bench_finish(g->contest->context,
                 prm_graph_costs(g->contest->arena, g->d_out, PRM_NO_BUFFER, &g->arcs, g->d_sources,
                                 SOURCES),
                 "costs");
}

static void levels_plain(void *work)
{
    struct graphs *g = work;
    plain_levels(g->levels, g->offsets, g->targets, g->vertices, g->sources, SOURCES, 2);
}

static const struct traffic traffic[] = {{NULL, 0}};

static void graphs_open(struct graphs *g, struct contest *contest)
{
    struct prm_context *context = contest->context;
    const uint32_t root = (uint32_t)lround(sqrt((double)contest->sizes[contest->size]));
    const uint32_t side = root > 0 ? root : 1, n = side * side, edge_count = EDGES_A_VERTEX * n;
    uint64_t state = 3;
    *g = (struct graphs){.contest = contest, .vertices = n, .edge_count = edge_count};
    uint32_t *edges = bench_memory(2 * (size_t)edge_count * sizeof *edges);
    float *weights = bench_memory(edge_count * sizeof *weights);
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t x = v % side, y = v / side;
        const uint32_t right = y * side + (x + 1) % side, below = (y + 1) % side * side + x;
        const uint32_t both[] = {v, right, v, below};
        for (unsigned i = 0; i < COUNT_OF(both); i++)
            edges[4 * (size_t)v + i] = both[i];
        for (unsigned i = 0; i < EDGES_A_VERTEX; i++)
            weights[2 * (size_t)v + i] = 1 + (float)(bench_random(&state) >> 40) * 0x1p-24f;
    }
    for (unsigned i = 0; i < SOURCES; i++)
        g->sources[i] = side * (uint32_t)(bench_random(&state) % side) +
                        (uint32_t)(bench_random(&state) % side);
    g->d_edges = bench_buffer(context, edges, 2 * (size_t)edge_count);
    g->d_weights = bench_buffer(context, weights, edge_count);
    g->d_sources = bench_buffer(context, g->sources, SOURCES);
    g->d_out = bench_buffer(context, NULL, SOURCES * (size_t)n);
    free(edges);
    free(weights);

    // the same rows for the peer
    rows(g);
    g->offsets = bench_memory((n + 1) * sizeof *g->offsets);
    g->targets = bench_memory(2 * (size_t)edge_count * sizeof *g->targets);
    g->levels = bench_memory(SOURCES * (size_t)n * sizeof *g->levels);
    bench_must(
        prm_buffer_read(context, g->arcs.offsets, 0, g->offsets, (n + 1) * sizeof *g->offsets),
        "rows of arcs");
    bench_must(prm_buffer_read(context, g->arcs.targets, 0, g->targets,
                               2 * (size_t)edge_count * sizeof *g->targets),
               "rows of arcs");
}

static void graphs_close(struct graphs *g)
{
    struct prm_context *context = g->contest->context;
    prm_arcs_deinit(context, &g->arcs);
    prm_buffer_destroy(context, &g->d_edges);
    prm_buffer_destroy(context, &g->d_weights);
    prm_buffer_destroy(context, &g->d_sources);
    prm_buffer_destroy(context, &g->d_out);
    free(g->offsets);
    free(g->targets);
    free(g->levels);
}

void family_graphs(struct contest *contest)
{
    struct graphs g;
    graphs_open(&g, contest);
    const struct contender builds[] = {{"prm", prepare_rows, rows, traffic, 0}};
    const struct contender hops[] = {{"prm", NULL, levels, traffic, 0},
                                     {"plain queue, 2 threads", NULL, levels_plain, NULL, 0}};
    const struct contender lengths[] = {{"prm", NULL, costs, traffic, 0}};
    contest_measure(contest, "rows of arcs from edges", builds, 1, &g);
    contest_measure(contest, "fewest edges, 8 sources", hops, COUNT_OF(hops), &g);
    contest_measure(contest, "least cost, 8 sources", lengths, 1, &g);
    graphs_close(&g);
}

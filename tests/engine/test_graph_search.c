/* Goal: levels, costs and parents from any sources in any graph: loops, parallel edges, weights of
 * 0, what is out of reach, sums that overflow. Method: small known graphs, random ones sparse and
 * dense, a long path, a grid. Oracle: Bellman-Ford by rounds over the list of edges; parents by
 * definition. */
#include "primitives_cases.h"

#include "primitives/graph_search.h"

#include <math.h>

struct graph {
    uint32_t vertices;
    size_t edges;
    uint32_t *ends; /* [edges][2] */
    float *weights; /* [edges], or NULL */
};

/* Least costs from a source, and the fewest edges among the paths of that cost. */
static void oracle(const struct graph *graph, uint32_t source, float *costs, uint32_t *levels)
{
    for (uint32_t v = 0; v < graph->vertices; v++) {
        costs[v] = v == source ? 0.0f : INFINITY;
        levels[v] = v == source ? 0 : UINT32_MAX;
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t a = 0; a < 2 * graph->edges; a++) {
            const uint32_t from = graph->ends[a], to = graph->ends[a ^ 1];
            const float cost = costs[from] + (graph->weights ? graph->weights[a / 2] : 1.0f);
            if (cost < costs[to]) {
                costs[to] = cost;
                moved = true;
            }
        }
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t a = 0; a < 2 * graph->edges; a++) {
            const uint32_t from = graph->ends[a], to = graph->ends[a ^ 1];
            const float cost = costs[from] + (graph->weights ? graph->weights[a / 2] : 1.0f);
            if (levels[from] != UINT32_MAX && cost == costs[to] && levels[from] + 1 < levels[to]) {
                levels[to] = levels[from] + 1;
                moved = true;
            }
        }
    }
}

static void check_source(const struct graph *graph, uint32_t source, const uint32_t *got_levels,
                         const float *got_costs, const uint32_t *got_parents)
{
    float *costs = calloc(graph->vertices + 1, sizeof(float));
    uint32_t *levels = case_array(graph->vertices), *parents = case_array(graph->vertices);
    oracle(graph, source, costs, levels);
    for (uint32_t v = 0; v < graph->vertices; v++)
        parents[v] = v == source ? v : UINT32_MAX;
    for (size_t a = 0; a < 2 * graph->edges; a++) {
        const uint32_t from = graph->ends[a], to = graph->ends[a ^ 1];
        const float cost = costs[from] + (graph->weights ? graph->weights[a / 2] : 1.0f);
        if (isfinite(cost) && cost == costs[to] && levels[from] + 1 == levels[to] &&
            from < parents[to])
            parents[to] = from;
    }
    if (got_levels)
        assert_u32_array_equal(levels, got_levels, graph->vertices);
    for (uint32_t v = 0; got_costs && v < graph->vertices; v++)
        assert_true(costs[v] == got_costs[v]);
    assert_u32_array_equal(parents, got_parents, graph->vertices);
    free(costs);
    free(levels);
    free(parents);
}

static void check(const struct graph *graph, const uint32_t *sources, size_t source_count)
{
    const size_t cells = source_count * graph->vertices;
    struct prm_arcs arcs;
    struct prm_buffer b[5] = {test_upload_u32(test_context, graph->ends, 2 * graph->edges),
                              test_upload_u32(test_context, sources, source_count),
                              test_upload_u32(test_context, NULL, cells),
                              test_upload_u32(test_context, NULL, cells)};
    if (graph->weights)
        b[4] = test_upload_u32(test_context, (const uint32_t *)(const void *)graph->weights,
                               graph->edges);
    assert_ok(prm_arcs_init(test_arena, &arcs, b[0], b[4], graph->edges, graph->vertices));
    if (graph->weights)
        assert_ok(prm_graph_costs(test_arena, b[2], b[3], &arcs, b[1], source_count));
    else
        assert_ok(prm_graph_levels(test_arena, b[2], b[3], &arcs, b[1], source_count));

    uint32_t *values = test_download_u32(test_context, b[2], cells);
    uint32_t *parents = test_download_u32(test_context, b[3], cells);
    for (size_t s = 0; s < source_count; s++) {
        const size_t row = s * graph->vertices;
        const float *costs = (const float *)(const void *)(values + row);
        check_source(graph, sources[s], graph->weights ? NULL : values + row,
                     graph->weights ? costs : NULL, parents + row);
    }
    free(values);
    free(parents);
    prm_arcs_deinit(test_context, &arcs);
    case_free(b, 5);
}

/* Checks levels, and costs by weights. */
static void check_both(struct graph graph, const uint32_t *sources, size_t source_count)
{
    float *weights = graph.weights;
    check(&graph, sources, source_count);
    graph.weights = NULL;
    check(&graph, sources, source_count);
    graph.weights = weights;
}

static void small_graphs(void **state)
{
    (void)state;
    // a square with a diagonal, a loop, a double edge, and a vertex apart
    uint32_t ends[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 2, 1, 1, 2, 3};
    float weights[] = {1, 1, 5, 1, 3, 0, 0.25f};
    static const uint32_t sources[] = {0, 4, 2, 0};
    check_both((struct graph){5, 7, ends, weights}, sources, 4);
    check_both((struct graph){5, 7, ends, weights}, sources, 0);
    check_both((struct graph){1, 0, ends, weights}, sources, 1);
    check_both((struct graph){0, 0, ends, weights}, sources, 0);

    // weights of nothing, and less than a sum's last digit: no circles of parents
    float zeros[] = {0, 0, 0, 0, 0, 0, 0}, tiny[] = {1e8f, 1e-8f, 1e-8f, 0, 1e8f, 1, -0.0f};
    check_both((struct graph){5, 7, ends, zeros}, sources, 4);
    check_both((struct graph){5, 7, ends, tiny}, sources, 4);

    // a sum that overflows leads nowhere
    float huge[] = {3e38f, 3e38f, 3e38f, 3e38f, 3.4e38f, 3e38f, 3e38f};
    check_both((struct graph){5, 7, ends, huge}, sources, 4);
}

static void random_graphs(void **state)
{
    (void)state;
    const size_t workgroup = prm_context_profile(test_context)->workgroup;
    const size_t sizes[] = {2, 3, workgroup, workgroup + 1, test_size(1009, 61)};
    const size_t degrees[] = {1, 3, 12};
    struct test_random random = {5};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (size_t d = 0; d < sizeof(degrees) / sizeof(degrees[0]); d++) {
            struct graph graph = {.vertices = (uint32_t)sizes[s] + 1,
                                  .edges = sizes[s] * degrees[d]};
            uint32_t sources[5];
            graph.ends = case_values(2 * graph.edges, graph.vertices, s + d);
            graph.weights = malloc(graph.edges * sizeof(float));
            for (size_t e = 0; e < graph.edges; e++)
                graph.weights[e] = test_random_below(&random, 4) == 0
                                       ? (float)test_random_below(&random, 3)
                                       : test_random_f32(&random, 0, 1);
            for (size_t i = 0; i < 5; i++)
                sources[i] = test_random_below(&random, graph.vertices);
            check_both(graph, sources, 5);
            free(graph.ends);
            free(graph.weights);
        }
    }
}

/* As many levels as vertices: more than a group of rounds. */
static void long_path(void **state)
{
    (void)state;
    struct graph graph = {.vertices = (uint32_t)test_size(301, 40)};
    graph.edges = graph.vertices - 1;
    graph.ends = case_array(2 * graph.edges);
    graph.weights = calloc(graph.edges, sizeof(float));
    for (uint32_t e = 0; e < graph.edges; e++) {
        graph.ends[2 * e] = e + 1;
        graph.ends[2 * e + 1] = e;
        graph.weights[e] = 0.1f;
    }
    const uint32_t sources[] = {0, graph.vertices - 1, 7};
    check_both(graph, sources, 3);
    free(graph.ends);
    free(graph.weights);
}

struct search_case {
    struct prm_buffer edges, weights, sources, costs, parents;
    bool weighted;
};

enum { FAULT_EDGES = 100, FAULT_VERTICES = 40 };

static enum prm_status search_call(void *data)
{
    struct search_case *c = data;
    struct prm_arcs arcs;
    enum prm_status status =
        prm_arcs_init(test_arena, &arcs, c->edges, c->weighted ? c->weights : PRM_NO_BUFFER,
                      FAULT_EDGES, FAULT_VERTICES);
    if (status != PRM_OK)
        return status;
    status = c->weighted ? prm_graph_costs(test_arena, c->costs, c->parents, &arcs, c->sources, 1)
                         : prm_graph_levels(test_arena, c->costs, c->parents, &arcs, c->sources, 1);
    prm_arcs_deinit(test_context, &arcs);
    return status;
}

static void faults(void **state)
{
    (void)state;
    uint32_t *ends = case_values((size_t)2 * FAULT_EDGES, FAULT_VERTICES, 1);
    uint32_t *weights = case_values(FAULT_EDGES, 1 << 20, 2); // tiny floats
    struct search_case c = {test_upload_u32(test_context, ends, (size_t)2 * FAULT_EDGES),
                            test_upload_u32(test_context, weights, FAULT_EDGES),
                            test_upload_u32(test_context, (const uint32_t[]){3}, 1),
                            test_upload_u32(test_context, NULL, FAULT_VERTICES),
                            test_upload_u32(test_context, NULL, FAULT_VERTICES),
                            false};
    case_faults(search_call, &c);
    c.weighted = true;
    case_faults(search_call, &c);
    free(ends);
    free(weights);
    case_free((struct prm_buffer[]){c.edges, c.weights, c.sources, c.costs, c.parents}, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(long_path),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, test_device_setup, test_device_teardown);
}

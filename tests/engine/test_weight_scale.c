/* Goal: the scale of weights keeps every shortest path below 2^31, is a power of two that wastes
 * little, and does not depend on how the walks are cut into steps. Method: paths, rings, grids,
 * trees and random graphs of several components. Oracle: all shortest paths by Floyd and Warshall.
 */
#include "kernels/types.h"
#include "roadmap/build/weight_scale.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES_MAX = 100, EDGES_MAX = 400 };

static const double COST_END = 2147483648.0;

struct graph {
    uint32_t vertices, edges, ends[EDGES_MAX][2];
    float lengths[EDGES_MAX];
    uint32_t offsets[VERTICES_MAX + 1];
    struct arc arcs[2 * EDGES_MAX];
};

static void join(struct graph *graph, uint32_t a, uint32_t b, double length)
{
    graph->ends[graph->edges][0] = a;
    graph->ends[graph->edges][1] = b;
    graph->lengths[graph->edges++] = (float)length;
}

/* Arcs by vertex, their weight the edge. */
static struct prm_host_graph link_up(struct graph *graph)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < graph->vertices; v++) {
        graph->offsets[v] = count;
        for (uint32_t e = 0; e < graph->edges; e++)
            for (uint32_t end = 0; end < 2; end++)
                if (graph->ends[e][end] == v)
                    graph->arcs[count++] = (struct arc){graph->ends[e][1 - end], e};
    }
    graph->offsets[graph->vertices] = count;
    return (struct prm_host_graph){.vertex_count = graph->vertices,
                                   .arc_count = count,
                                   .offsets = graph->offsets,
                                   .arcs = graph->arcs,
                                   .lengths = graph->lengths};
}

/* The longest of all shortest paths. */
static double longest_path(const struct graph *graph)
{
    static double distance[VERTICES_MAX][VERTICES_MAX];
    const uint32_t n = graph->vertices;
    double longest = 0;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            distance[a][b] = a == b ? 0 : INFINITY;
    for (uint32_t e = 0; e < graph->edges; e++) {
        const uint32_t a = graph->ends[e][0], b = graph->ends[e][1];
        distance[a][b] = distance[b][a] = fmin(distance[a][b], (double)graph->lengths[e]);
    }
    for (uint32_t via = 0; via < n; via++)
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++)
                distance[a][b] = fmin(distance[a][b], distance[a][via] + distance[via][b]);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            if (isfinite(distance[a][b]))
                longest = fmax(longest, distance[a][b]);
    return longest;
}

static void make(struct graph *graph, unsigned kind, uint32_t n, struct test_random *random)
{
    memset(graph, 0, sizeof(*graph));
    graph->vertices = n;
    // lengths from a millionth to a million, so that both bounds come into use
    const double unit = pow(10, (double)test_random_below(random, 13) - 6);
    for (uint32_t v = 1; v < n; v++) {
        const double length = unit * (1 + test_random_below(random, 1000) / 1000.0);
        // a path, trees, now and then in several parts, and a grid
        const bool is_next = kind == 0 || (kind == 3 && v % 10 != 0);
        if (is_next)
            join(graph, v - 1, v, length);
        else if (kind == 1 || (kind == 2 && test_random_below(random, 10) > 0))
            join(graph, test_random_below(random, v), v, length);
        if (kind == 3 && v >= 10)
            join(graph, v - 10, v, length);
    }
    if (kind == 0 && n > 2)
        join(graph, n - 1, 0, unit);
}

static void scales_hold(void **state)
{
    (void)state;
    static const uint32_t SIZES[] = {0, 1, 2, 3, 10, 50, VERTICES_MAX};
    static const uint32_t STEPS[] = {1, 2, 7, 1000, UINT32_MAX};
    struct test_random random = {.state = 5};
    static struct graph graph;
    for (unsigned kind = 0; kind < 4; kind++)
        for (size_t s = 0; s < sizeof(SIZES) / sizeof(SIZES[0]); s++)
            for (unsigned round = 0; round < 5; round++) {
                make(&graph, kind, SIZES[s], &random);
                const struct prm_host_graph host = link_up(&graph);
                const double link = round % 2 ? 0 : 3, longest = longest_path(&graph) + 2 * link;
                struct prm_graph_scale whole;
                int exponent;
                assert_ok(prm_weight_scale(&whole, &host, link));
                assert_true(frexp(whole.scale, &exponent) == 0.5);
                assert_true(whole.scale * longest <= COST_END * (1 + 1e-6));
                // twice the eccentricity is at most twice the longest path, along its tree a little
                // more; and the power of two costs another half: unless it is fine enough anyway
                double sum = 0, length_max = 0;
                for (uint32_t e = 0; e < graph.edges; e++) {
                    sum += (double)graph.lengths[e];
                    length_max = fmax(length_max, (double)graph.lengths[e]);
                }
                const double mean = graph.edges > 0 ? sum / graph.edges : 1;
                if (longest > 0)
                    assert_true(whole.scale * longest > COST_END / 16 ||
                                whole.scale * mean > 1048576.0 / 4);
                assert_true(whole.length_max == length_max);

                for (size_t p = 0; p < sizeof(STEPS) / sizeof(STEPS[0]); p++) {
                    struct prm_scale_walk *walk;
                    struct prm_graph_scale found = {0};
                    assert_ok(prm_scale_walk_begin(&walk, &host, link));
                    while (!prm_scale_walk_step(walk, STEPS[p], &found))
                        continue;
                    assert_true(found.scale == whole.scale);
                    assert_true(found.length_max == whole.length_max);
                    assert_int_equal(found.degree_max, whole.degree_max);
                    prm_scale_walk_destroy(walk);
                }
            }
    prm_scale_walk_destroy(NULL);
}

static void steps_are_bounded(void **state)
{
    (void)state;
    struct test_random random = {.state = 7};
    static struct graph graph;
    make(&graph, 0, VERTICES_MAX, &random);
    const struct prm_host_graph host = link_up(&graph);
    struct prm_scale_walk *walk;
    struct prm_graph_scale scale;
    unsigned steps = 1;
    assert_ok(prm_scale_walk_begin(&walk, &host, 0));
    while (!prm_scale_walk_step(walk, 10, &scale))
        steps++;
    prm_scale_walk_destroy(walk);
    // the lengths, and one walk or three: 200 arcs and 100 vertices each, 10 of them and one a step
    assert_in_range(steps, 2 * 300 / 12, 4 * 300 / 10 + 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_hold),
        cmocka_unit_test(steps_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

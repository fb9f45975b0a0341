#include "graph_fixture.h"

#include "support/support.h"

#include <stdlib.h>

static int by_target(const void *a, const void *b)
{
    const uint32_t x = ((const struct arc *)a)->target, y = ((const struct arc *)b)->target;
    return (x > y) - (x < y);
}

void graph_fixture_init(struct graph_fixture *f, uint32_t vertex_count, uint32_t (*edges)[3],
                        uint32_t count)
{
    const uint32_t n = vertex_count;
    uint32_t *fill = calloc(n + 1, sizeof(uint32_t));

    *f = (struct graph_fixture){.vertex_count = n, .arc_count = 2 * count};
    f->offsets = calloc(n + 1, sizeof(uint32_t));
    f->arcs = calloc(f->arc_count + 1, sizeof(struct arc));
    for (uint32_t i = 0; i < count; i++)
        for (int side = 0; side < 2; side++)
            f->offsets[edges[i][side] + 1]++;
    for (uint32_t v = 0; v < n; v++)
        f->offsets[v + 1] += f->offsets[v];
    for (uint32_t i = 0; i < count; i++)
        for (int side = 0; side < 2; side++) {
            const uint32_t a = edges[i][side];
            f->arcs[f->offsets[a] + fill[a]++] = (struct arc){edges[i][1 - side], edges[i][2]};
        }
    for (uint32_t v = 0; v < n; v++)
        qsort(f->arcs + f->offsets[v], f->offsets[v + 1] - f->offsets[v], sizeof(struct arc),
              by_target);
    f->graph = (struct prm_graph){.vertex_count = n,
                                  .arc_count = f->arc_count,
                                  .offsets = test_upload(f->offsets, (n + 1) * sizeof(uint32_t)),
                                  .arcs = test_upload(f->arcs, f->arc_count * sizeof(struct arc))};
    free(fill);
}

void graph_fixture_deinit(struct graph_fixture *f)
{
    prm_buffer_destroy(test_context, &f->graph.offsets);
    prm_buffer_destroy(test_context, &f->graph.arcs);
    free(f->offsets);
    free(f->arcs);
}

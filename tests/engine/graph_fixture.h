/* Small graphs on the device and on the host, for tests of searches and of what leads them. */
#ifndef TEST_GRAPH_FIXTURE_H
#define TEST_GRAPH_FIXTURE_H

#include "kernels/types.h"
#include "roadmap/roadmap.h"

struct graph_fixture {
    uint32_t vertex_count, arc_count; /* two arcs an edge */
    uint32_t *offsets;                /* [vertex_count + 1] */
    struct arc *arcs;                 /* [arc_count], ascending by target at each vertex */
    struct prm_graph graph;           /* the same on the device */
};

/* Of `count` undirected edges (a, b, weight). */
void graph_fixture_init(struct graph_fixture *f, uint32_t vertex_count, uint32_t (*edges)[3],
                        uint32_t count);
void graph_fixture_deinit(struct graph_fixture *f);

#endif

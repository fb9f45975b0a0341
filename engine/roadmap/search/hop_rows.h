/* Rows of numbers of edges from landmarks to all vertices of a graph: what leads searches for the
 * fewest edges (kernels/hops.cl) past all detours, as tables of distances lead those by length
 * (landmarks.h). The bounds that they give hold in the graph and in any with fewer edges.
 *
 * Memory: a byte a vertex and landmark, resident; while they are made, 8 · 3 bytes a vertex more
 * for every 64 landmarks. Cost: one bit-parallel breadth-first search from all landmarks at once, a
 * level a launch; some 30 ms for 96 landmarks and 10 000 milestones on two cores, in steps of about
 * two milliseconds.
 */
#ifndef PRM_ROADMAP_HOP_ROWS_H
#define PRM_ROADMAP_HOP_ROWS_H

#include "roadmap/roadmap.h"

struct hop_rows_work;

struct prm_hop_rows {
    struct prm_context *context;
    uint32_t vertex_count, count; /* landmarks: a multiple of HOP_LANES */
    uint32_t shift;               /* an entry is a number of edges >> shift */
    bool too_deep;                /* more edges than entries can say: the table is of no use */
    struct prm_buffer table;      /* u8[vertex_count][count] */

    struct hop_rows_work *work; /* NULL: they are complete */
};

/* Begins the rows of landmarks u32[count], vertices of `graph`, which stays until they are
 * complete. */
enum prm_status prm_hop_rows_create(struct prm_context *context, struct prm_hop_rows **rows,
                                    const struct prm_graph *graph, struct prm_buffer landmarks,
                                    uint32_t count);

/* Runs one bounded step; *done: they are complete. The queue is empty afterwards. */
enum prm_status prm_hop_rows_step(struct prm_hop_rows *rows, bool *done);

/* NULL is accepted. */
void prm_hop_rows_destroy(struct prm_hop_rows *rows);

#endif

/* Search from sources in any undirected graph: levels (fewest edges), costs (least sum of weights),
 * parents. Not the product's own search (roadmap/search/search.h), which knows both ends of a
 * query.
 *
 * Method: on a CPU a source a work-item, breadth-first with a queue, or Dijkstra's; on a GPU the
 * level-synchronous form of Harish & Narayanan 2007, a launch a level, the host stopping when
 * nothing moves. Costs are summed in float32 from the source on and the least of all paths; parents
 * are the lowest vertex that fits: the same on any device of equal float32 addition. Cost: levels
 * O(V + E) a source, costs O((V + E) log V); the GPU's form O(V) more a round.
 */
#ifndef PRM_PRIMITIVES_GRAPH_SEARCH_H
#define PRM_PRIMITIVES_GRAPH_SEARCH_H

#include "device/arena.h"

/* A graph as compressed rows: vertex v's arcs are offsets[v] … offsets[v + 1] - 1. Each edge is two
 * arcs. */
struct prm_arcs {
    uint32_t vertex_count, arc_count;
    struct prm_buffer offsets; /* u32[vertex_count + 1] */
    struct prm_buffer targets; /* u32[arc_count] */
    struct prm_buffer weights; /* f32[arc_count], or no memory */
};

/* Makes the rows, as resident buffers, from edges: u32[edge_count][2], each end below vertex_count
 * (not checked), and weights: f32[edge_count] of numbers >= 0, or no memory; device. Loops and
 * parallel edges are allowed. The caller deinitialises `arcs`. */
enum prm_status prm_arcs_init(struct prm_arena *arena, struct prm_arcs *arcs,
                              struct prm_buffer edges, struct prm_buffer weights, size_t edge_count,
                              uint32_t vertex_count);
void prm_arcs_deinit(struct prm_context *context, struct prm_arcs *arcs);

/* From each source: levels[s][v] = edges of a path with the fewest, NONE_U32 where there is none;
 * parents[s][v] = the lowest neighbour one level nearer, a source's itself, NONE_U32 where there is
 * no path. levels, parents: u32[source_count][vertex_count]; sources: u32[source_count], below
 * vertex_count (not checked); device. parents may be no memory. Read-backs: on a GPU one a group of
 * rounds. */
enum prm_status prm_graph_levels(struct prm_arena *arena, struct prm_buffer levels,
                                 struct prm_buffer parents, const struct prm_arcs *arcs,
                                 struct prm_buffer sources, size_t source_count);

/* The same by weights, which `arcs` must have: costs[s][v] = least sum, infinite where there is no
 * path or only one whose sum overflows; among paths of equal cost parents follow one with the
 * fewest edges, so that weights of 0 make no circles. costs: f32[source_count][vertex_count]. */
enum prm_status prm_graph_costs(struct prm_arena *arena, struct prm_buffer costs,
                                struct prm_buffer parents, const struct prm_arcs *arcs,
                                struct prm_buffer sources, size_t source_count);

#endif

/* The scale of integer weights. Internal to the roadmap folder.
 *
 * Rule: the largest power of two at which no shortest path, with its two links, costs more than
 * 2^31. The longest shortest path of a component is at most twice the eccentricity of any vertex;
 * paths in a breadth-first tree bound that from above. Where a scale from the lowest vertices
 * already rounds a mean edge by less than 2^-20 it is taken; else the component's middle, found by
 * two sweeps, gives a bound that is nearly the diameter: an octile maze of 512 x 512 cells keeps
 * 2^18 or so.
 *
 * Cost: one to three walks over the graph on the host, about 100 ns an arc.
 */
#ifndef PRM_ROADMAP_WEIGHT_SCALE_H
#define PRM_ROADMAP_WEIGHT_SCALE_H

#include "roadmap/roadmap.h"

/* A graph on the host, its arcs' `weight` the number of the edge. Borrowed. */
struct prm_host_graph {
    uint32_t vertex_count, arc_count;
    const uint32_t *offsets; /* [vertex_count + 1] */
    const struct arc *arcs;  /* [arc_count] */
    const float *lengths;    /* by edge number */
};

/* The greatest degree, and length of an edge, of a graph; 0 where there is none. */
void prm_host_graph_maxima(const struct prm_host_graph *graph, uint32_t *degree_max,
                           double *length_max);

/* `link_length`: the longest that a start's or goal's link may be. */
enum prm_status prm_weight_scale(double *scale, const struct prm_host_graph *graph,
                                 double link_length);

#endif

/* The scale of integer weights. Internal to the roadmap folder.
 *
 * Rule: the largest power of two at which no shortest path, with its two links, costs more than
 * 2^31. The longest shortest path of a component is at most twice the eccentricity of any vertex;
 * paths in a breadth-first tree bound that from above. Where a scale from the lowest vertices
 * already rounds a mean edge by less than 2^-20 it is taken; else the component's middle, found by
 * two sweeps, gives a bound that is nearly the diameter: an octile maze of 512 x 512 cells keeps
 * 2^18 or so.
 *
 * Cost: one to three walks over the graph on the host, about 100 ns an arc where it is larger than
 * the caches; in steps, so that other work goes between them. Threads: a walk belongs to one at a
 * time.
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
    /* vertex v is milestone ids[v], milestone m vertex places[m]; NULL: they are numbered alike.
     * What is found depends on milestones alone. */
    const uint32_t *ids, *places;
};

/* What the walks find out. */
struct prm_graph_scale {
    double scale;        /* of weights, a power of two */
    uint32_t degree_max; /* 0 where there are no arcs, as the next */
    double length_max;   /* of an edge */
};

/* Walks in progress. */
struct prm_scale_walk;

/* `link_length`: the longest that a start's or goal's link may be. The arrays of the graph are
 * borrowed until the walks are destroyed. */
enum prm_status prm_scale_walk_begin(struct prm_scale_walk **walk,
                                     const struct prm_host_graph *graph, double link_length);

/* Goes on for about so many arcs; true: *scale is found. */
bool prm_scale_walk_step(struct prm_scale_walk *walk, uint32_t arcs, struct prm_graph_scale *scale);

/* NULL is accepted. */
void prm_scale_walk_destroy(struct prm_scale_walk *walk);

/* All of it at once. */
enum prm_status prm_weight_scale(struct prm_graph_scale *scale, const struct prm_host_graph *graph,
                                 double link_length);

#endif

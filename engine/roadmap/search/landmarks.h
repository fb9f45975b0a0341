/* Landmarks of a graph: tables of distances by which a search by length sees how far it is from its
 * goals, past all detours (ALT; Goldberg & Harrelson 2005).
 *
 * Landmarks are the vertices farthest from one another, by distance along the graph, in the
 * component of a given root: 96 of them, fewer where the graph is small or the table would be
 * large. The bound that they give is never above the true cost, in the graph itself and in any
 * graph with fewer edges; it so changes no path, only the time to find it: a fifth of the vertices
 * expanded on uniform roadmaps.
 *
 * Memory: 2 count bytes a vertex, resident; while they are made, 20 to 24 bytes a vertex more for
 * each source searched from at once (a core's on a CPU). Cost: a shortest-path search of the
 * component a landmark; 96 for 10 000 milestones take about 0.1 s on two cores, in steps of about
 * two milliseconds.
 */
#ifndef PRM_ROADMAP_LANDMARKS_H
#define PRM_ROADMAP_LANDMARKS_H

#include "roadmap/roadmap.h"

struct landmarks_work;

struct prm_landmarks {
    struct prm_context *context;
    uint32_t vertex_count, count; /* landmarks: a multiple of LANDMARK_LANES */
    uint32_t shift;               /* an entry is a distance in integer weights >> shift */
    struct prm_buffer table;      /* u16[vertex_count][count] */
    struct prm_hop_rows *hops;    /* the same in numbers of edges (hop_rows.h); NULL on a GPU, whose
                                   * searches for them go by levels, and where graphs are too deep */

    /* where a validity keeps them: the edges and the scale of the graph they belong to */
    struct prm_buffer edge_valid; /* u32[edge_count]; else no memory */
    double weight_scale;
    unsigned holders;

    struct landmarks_work *work; /* NULL: they are complete */
};

/* Begins the landmarks of the component of `root` in `graph`, which stays until they are complete;
 * one holder. Those of a graph with no vertex are PRM_INVALID_ARGUMENT. */
enum prm_status prm_landmarks_create(struct prm_context *context, struct prm_landmarks **landmarks,
                                     const struct prm_graph *graph, uint32_t root);

/* Runs one bounded step; *done: they are complete and may guide searches. The queue is empty
 * afterwards. */
enum prm_status prm_landmarks_step(struct prm_landmarks *landmarks, bool *done);

/* One more holder, who destroys them too. */
struct prm_landmarks *prm_landmarks_share(struct prm_landmarks *landmarks);

/* Gives up one holder; the last one's memory is freed. NULL is accepted. */
void prm_landmarks_destroy(struct prm_landmarks *landmarks);

#endif

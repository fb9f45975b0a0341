/* A picture of a world, a roadmap and paths as SVG 1.1: flat worlds as they are, solid ones in
 * isometric projection from two sides, where every obstacle is drawn as its outline. Robots with
 * spheres are drawn at some states of the first paths; of arms, whose states are no places, there
 * are these alone, and the line of their last link.
 *
 * Large roadmaps and maps are thinned, so that a picture stays below some megabytes.
 */
#ifndef SERVICE_PICTURE_H
#define SERVICE_PICTURE_H

#include "roadmap/roadmap.h"
#include "schema/plan.h"
#include "schema/world.h"
#include "service/pictures/picture_motion.h"

/* All borrowed. */
struct picture {
    const char *title;
    const struct world_document *world;
    const struct prm_graph_copy *graph;
    const struct plan_result *results;
    uint32_t result_count;
    const double *waypoints; /* [][graph->dof] */
    const struct picture_motion *motion;
};

void picture_write(const struct picture *picture, struct text *out);

#endif

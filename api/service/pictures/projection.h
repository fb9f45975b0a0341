/* From the world to the paper, and the outlines of solids on it. */
#ifndef SERVICE_PROJECTION_H
#define SERVICE_PROJECTION_H

#include "schema/world.h"

/* A point on the paper: x to the right, y up, in the world's units. */
struct paper_point {
    double x, y;
};

/* From where a world is seen. Both views of a solid one are isometric, from above; x runs to the
 * right in the one, towards the viewer in the other. */
enum view { VIEW_FLAT, VIEW_LEFT, VIEW_RIGHT };

enum { OUTLINE_POINTS_MAX = 64 };

/* A convex outline, counter-clockwise. */
struct outline {
    struct paper_point points[OUTLINE_POINTS_MAX];
    unsigned count;
};

/* Flat: as it is. Solid: isometric, lengths across the view kept, so that a sphere is a circle of
 * its radius. point: double[2] where the view is flat, else double[3]. */
struct paper_point project(enum view view, const double *point);

/* A place of an obstacle's frame in the world. */
void place(double out[3], const struct obstacle_document *obstacle, const double v[3]);

/* The outline of a box, rectangle, cylinder or capsule, grown by nothing. Other types have none:
 * count 0. */
void outline_of(struct outline *outline, enum view view, const struct obstacle_document *obstacle);

#endif

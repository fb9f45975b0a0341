/* Where obstacles and their parts are, in double precision and the world's frame. Internal to
 * worlds and their fields. */
#ifndef PRM_ROADMAP_WORLD_PARTS_H
#define PRM_ROADMAP_WORLD_PARTS_H

#include "roadmap/world/world.h"

/* 2^-24: half the distance of a float32 from the next, relative to it. */
#define PRM_UNIT_ROUNDOFF 5.9604644775390625e-8

/* An axis-aligned box in double precision. */
struct prm_bounds {
    double lower[3], upper[3];
};

/* No box: joins to anything. */
struct prm_bounds prm_bounds_none(void);

/* box grown to hold `other`. */
void prm_bounds_join(struct prm_bounds *box, const struct prm_bounds *other);

/* The box about an obstacle in the world's frame, padding not included. */
struct prm_bounds prm_obstacle_bounds(const struct prm_obstacle *obstacle);

/* Whether the kind has an orientation; the others have none to look at. */
bool prm_obstacle_is_turnable(enum prm_obstacle_kind kind);

/* Half sizes of the box about the solid in its own frame. */
void prm_obstacle_half_sizes(double *half_size, const struct prm_obstacle *o);

/* Whether the obstacle is of many boxes, points or triangles. */
bool prm_obstacle_is_many(const struct prm_obstacle *o);

/* How many; 1 of other kinds. */
uint32_t prm_obstacle_parts(const struct prm_obstacle *o);

/* Box or point i of many as an obstacle of its own. m: prm_rotation_of() the quaternion of `o`. */
struct prm_obstacle prm_obstacle_part(const struct prm_obstacle *o, const double *m, uint32_t i);

/* corners: those of triangle i of a mesh in the world's frame. m: as above. */
void prm_obstacle_triangle(double (*corners)[3], const struct prm_obstacle *o, const double *m,
                           uint32_t i);

struct prm_bounds prm_triangle_bounds(const double (*corners)[3]);

#endif

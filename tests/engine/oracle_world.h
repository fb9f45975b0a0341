/* Worlds in double precision, straight from their specification: distances of points and segments
 * to obstacles, and random worlds. The oracle of collision tests; slow. */
#ifndef TESTS_ORACLE_WORLD_H
#define TESTS_ORACLE_WORLD_H

#include "roadmap/world/world.h"
#include "support/support.h"

/* Least distance, padding subtracted, of the segment a b to an obstacle that is no grid; 0 or less
 * where they meet. a == b: a point's. */
double oracle_segment_distance(const struct prm_obstacle *obstacle, const double *a,
                               const double *b);

/* The least of it over all enabled obstacles of the world, the dynamic ones if asked. */
double oracle_segment_clearance(const struct prm_world_spec *spec, bool with_dynamic,
                                const double *a, const double *b);

/* A random obstacle of the dimension about `middle`, within `spread`; polygons use points[2 *
 * count]. */
struct prm_obstacle oracle_random_obstacle(struct test_random *random, uint32_t dimension,
                                           const double *middle, double spread, double *points,
                                           uint32_t count);

#endif

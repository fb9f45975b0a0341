/* The vicinity of a robot: how much room the solids of a world leave about each place that it
 * reaches, in cubes, bounded from below; and, where they are few, which of them are near, in blocks
 * of cubes.
 *
 * Checks ask it first: a ball that is smaller than the room about its middle is free of all solids
 * at the price of one look-up; only what is unsure is tested against the solids that are near. So
 * it changes no verdict (kernels/vicinity.h). It is made once for a robot among obstacles, in the
 * time of some thousand motions' checks, and takes some PRM_VICINITY_BYTES_MAX. */
#ifndef PRM_ROADMAP_VICINITY_H
#define PRM_ROADMAP_VICINITY_H

#include "roadmap/collision/collide.h"

/* Cubes along the longest side, and motions to be checked that a vicinity is worth. */
enum { PRM_VICINITY_ACROSS = 64, PRM_VICINITY_PAYS = 4096 };
/* Of device memory that one takes, at most. */
enum { PRM_VICINITY_BYTES_MAX = (1 << 18) + (1 << 15) + 64 };

/* Whether a roadmap of these parameters has so many edges to check that a vicinity, and a robot's
 * tables of clearances, are worth making: whether it is built or read. Never on a lattice, whose
 * parameters do not tell. */
bool prm_vicinity_pays(const struct prm_roadmap_params *params);

/* Makes the vicinity of the scene's robot and obstacles; the caller destroys the buffer. None for
 * robots without spheres, and where there are no solids or very many. Faults as of prm_launch(). */
enum prm_status prm_vicinity_create(struct prm_buffer *vicinity, const struct prm_scene *scene,
                                    uint32_t across);

#endif

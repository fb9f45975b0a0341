/* The box that a world's obstacles lie in. */
#ifndef SERVICE_WORLD_BOX_H
#define SERVICE_WORLD_BOX_H

#include "schema/world.h"

/* Turns and shifts a 3D obstacle: what was at p is at R(quaternion) p + shift then. quaternion:
 * unit, x y z w. */
void obstacle_move(struct obstacle_document *obstacle, const double shift[3],
                   const double quaternion[4]);

/* The axis-aligned box of all obstacles of a 3D world, without padding; for round ones that are
 * turned it may be larger. Time: linear in points. false: there are none. */
bool world_box(const struct world_document *world, double lower[3], double upper[3]);

#endif

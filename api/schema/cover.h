/* Solids covered by spheres: boxes, cylinders and polygons, so that the solid lies inside the
 * union.
 *
 * The solid is cut into small cells, and spheres are chosen greedily (Chvátal, "A greedy heuristic
 * for the set-covering problem", 1979) until each cell lies within one of them: so coverage holds
 * by construction. A sphere at depth d below the surface may have the radius d + tolerance; then
 * none of it is farther than that from the solid. Where that takes more spheres than allowed, the
 * tolerance grows until it does not; the excess says what came of it. Some milliseconds a solid.
 *
 * Internal to the schema and its formats. Pure but for memory.
 */
#ifndef SCHEMA_COVER_H
#define SCHEMA_COVER_H

#include <stdbool.h>
#include <stdint.h>

/* So many spheres a solid at most: where a tolerance is given, and where it is not. */
enum { COVER_SPHERES_MAX = 128, COVER_SPHERES_DEFAULT = 32 };

/* The tolerance where none is given, as a share of the edge of a cube of the same
 * volume (of the solid's box). */
#define COVER_TOLERANCE_SHARE 0.15

struct cover {
    double *spheres; /* [count][4]: x y z radius, in the solid's frame; owned, by free() */
    uint32_t count;
    double excess; /* no point of a sphere is farther from the solid than this */
};

/* tolerance > 0, or 0: the default. Lengths and sizes are of LENGTH_LEAST to LENGTH_MAX. Each
 * returns false where memory is out.
 * Box: full sizes > 0, about the origin. */
bool cover_box(struct cover *cover, const double size[3], double tolerance);

/* Along z, about the origin. */
bool cover_cylinder(struct cover *cover, double radius, double length, double tolerance);

/* A simple polygon, points double[count][2], in the plane z = 0. */
bool cover_polygon(struct cover *cover, const double *points, uint32_t count, double tolerance);

#endif

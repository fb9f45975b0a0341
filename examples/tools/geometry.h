/* Distances of a point to solids, in double precision, for checking paths.
 *
 * Written for the examples alone and sharing nothing with the service, so that it can judge it:
 * each shape's formula is the plain one for a point in the shape's own frame.
 */
#ifndef TOOLS_GEOMETRY_H
#define TOOLS_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>

enum solid_kind { SOLID_SPHERE, SOLID_BOX, SOLID_CYLINDER, SOLID_CAPSULE, SOLID_GRID };

/* Cells are unit squares times the resolution; row 0 is the lowest. */
struct cells {
    int width, height;
    double resolution;
    bool *blocked; /* [height][width], owned by the scene */
};

/* In two dimensions a circle is a sphere and a rectangle a box, with z left out. */
struct solid {
    enum solid_kind kind;
    double center[3];
    double axes[3][3]; /* unit vectors of the solid's frame */
    double half[3];    /* box: half sizes */
    double radius;
    double half_length; /* along the third axis: cylinder, straight part of a capsule */
    struct cells cells; /* of a grid; center is its lower-left corner */
};

/* Distance from p to the solid, negative inside by how deep (grid: 0). p: double[dimension]. */
double solid_distance(const struct solid *solid, const double *p, int dimension);

/* Sets the frame from roll, pitch, yaw (Rz·Ry·Rx) or a quaternion x y z w. */
void solid_turn_rpy(struct solid *solid, const double rpy[3]);
void solid_turn_quaternion(struct solid *solid, const double quaternion[4]);

#endif

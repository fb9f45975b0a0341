/* Rotations as quaternions x y z w, and frames of them: what poses of obstacles, links and joints
 * share. Pure. */
#ifndef SCHEMA_ROTATION_H
#define SCHEMA_ROTATION_H

#include <stdbool.h>

/* Scales q to unit length; what is unit but for rounding stays as it is. false where all is zero or
 * anything is not finite. */
bool rotation_normalise(double q[4]);

/* q of Rz(yaw) Ry(pitch) Rx(roll); rpy: roll, pitch, yaw. */
void rotation_of_rpy(const double rpy[3], double q[4]);

/* Scales an axis to unit length likewise. */
bool rotation_normalise_axis(double axis[3]);

/* q of a turn by `angle` about a unit axis. */
void rotation_of_axis(const double axis[3], double angle, double q[4]);

/* out = a b: b first. out may be a or b. */
void rotation_multiply(double out[4], const double a[4], const double b[4]);

/* out = q v q⁻¹; out may be v. */
void rotation_apply(double out[3], const double q[4], const double v[3]);

#endif

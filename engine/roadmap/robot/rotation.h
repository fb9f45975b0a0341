/* Rotations on the host. Internal to the roadmap folder. */
#ifndef PRM_ROADMAP_ROTATION_H
#define PRM_ROADMAP_ROTATION_H

/* m[9]: rows of the rotation matrix of a unit quaternion x y z w, own frame -> world. */
void prm_rotation_of(double *m, const double *q);

#endif

/* Forward kinematics: where the links of an arm are, for people and pictures.
 *
 * Planning has its own, inside the kernels that check (kernels/kinematics.h): this is the same code
 * launched by itself, in float32 about the base, so that a user sees what the checks see. */
#ifndef PRM_ROADMAP_KINEMATICS_H
#define PRM_ROADMAP_KINEMATICS_H

#include "device/arena.h"
#include "roadmap/robot/robot.h"

/* Makes the arm resident for the call, and waits for the device.
 * frames: [count][spec->link_count], in the world; quaternions have w >= 0. states:
 * double[count][dof], limits are not looked at. PRM_INVALID_ARGUMENT: the specification is no
 * arm's, or not a valid one; PRM_HOST_MEMORY, PRM_DEVICE_MEMORY. */
enum prm_status prm_robot_forward(struct prm_arena *arena, struct prm_frame *frames,
                                  const struct prm_robot_spec *spec, const double *states,
                                  uint32_t count);

#endif

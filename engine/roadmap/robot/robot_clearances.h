/* How far the bodies of a robot keep apart from each other: tables for those that one or two
 * coordinates move against each other, so that checks need not ask their spheres
 * (kernels/clearances.h). They change no verdict. */
#ifndef PRM_ROADMAP_ROBOT_CLEARANCES_H
#define PRM_ROADMAP_ROBOT_CLEARANCES_H

#include "roadmap/robot/metric.h"
#include "roadmap/robot/robot.h"

/* Cells of a table along a coordinate: some milliseconds for all of an arm. */
enum { PRM_CLEARANCE_CELLS = 128 };

/* Makes the robot's tables, once, for one that will be checked much. Faults as of prm_launch(),
 * PRM_DEVICE_MEMORY. */
enum prm_status prm_robot_measure_clearances(struct prm_robot *robot, const struct prm_space *space,
                                             uint32_t cells);

#endif

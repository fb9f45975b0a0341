/* The joints of a URDF; internal to the formats. */
#ifndef FORMATS_URDF_JOINTS_H
#define FORMATS_URDF_JOINTS_H

#include "formats/xml.h"
#include "schema/robot.h"

/* Reads all joints, depth first; links are there. nodes: made, by joint of the robot, for free();
 * faults found later are told by them. Goes on after faults; false: there was one. */
bool urdf_read_joints(const xmlNode *root, struct robot_document *robot, const xmlNode ***nodes,
                      const struct limits *limits, struct problem *problem);

/* Makes a joint stand at a value: a fixed one, its origin moved. */
void urdf_fix_joint(struct robot_joint *joint, double value);

#endif

/* SRDF (MoveIt's semantic description) beside a URDF: pairs of links that may touch, and groups of
 * joints.
 *
 *     <robot name> <group name> (<joint name/> | <link name/> | <chain base_link tip_link/> |
 *     <group name/>)* </group>  <disable_collisions link1 link2 reason/> </robot>
 *
 * A group has the joints it lists, the joints above the links it lists, the joints between the two
 * links of a chain, and those of the groups it names. What else the file holds is of no matter.
 *
 * Internal to the formats.
 */
#ifndef FORMATS_SRDF_H
#define FORMATS_SRDF_H

#include "formats/xml.h"
#include "schema/robot.h"

/* Marks the joints of a group. The robot's links and joints are there. selected: bool[joint_count],
 * false before. false: a fault. */
bool srdf_select(const xmlDoc *srdf, const struct robot_document *robot, const char *group,
                 bool *selected, struct problem *problem);

/* Adds the pairs of <disable_collisions> to those that the robot ignores; those of links that it
 * lacks become a warning. false: a fault. */
bool srdf_ignore(const xmlDoc *srdf, struct robot_document *robot, struct problem *problem);

#endif

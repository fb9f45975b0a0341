/* URDF (the robot description of ROS) as an arm, with what may come beside it: an SRDF, spheres of
 * links, options.
 *
 *     <robot name>
 *       <link name> (<collision> <origin xyz rpy/> <geometry> <sphere radius/> | <box size/> |
 *         <cylinder radius length/> | <mesh filename/> </geometry> </collision>)* </link>
 *       <joint name type> <origin/> <parent link/> <child link/> <axis xyz/> <limit lower upper/>
 *         <mimic joint multiplier offset/> </joint>
 *     </robot>
 *
 * - Every <collision> of a link counts. Cylinders and boxes are covered by spheres
 * (schema/cover.h). A link whose only geometry is meshes is refused by name, unless the spheres
 * have it; meshes beside other shapes are left out, with a warning. Visuals are of no matter.
 * - Joints come depth first from the root, children in the file's order: that is the order of the
 *   coordinates. A mimic on a fixed joint is of no matter; floating, planar and xacro are refused.
 * - Joints that `locked` names stand at its value; those outside the group too, at 0, or halfway
 *   between their limits where these exclude 0. Who stands is written as a fixed joint.
 *
 * Time: that of the bytes, and some milliseconds for each covered solid.
 */
#ifndef FORMATS_URDF_H
#define FORMATS_URDF_H

#include "schema/robot.h"

/* Files as they came, borrowed; NULL: there is none. */
struct urdf_part {
    const char *data;
    size_t bytes;
};

struct urdf_files {
    struct urdf_part urdf, srdf, spheres, options;
    bool parts; /* they came as parts of a form: faults name theirs */
};

/* false: `problem` says what is wrong; `robot` then needs no deinit. */
bool urdf_read(struct robot_document *robot, const struct urdf_files *files,
               const struct limits *limits, struct problem *problem);

#endif

/* Spheres of links, as cuRobo and robometrics write them, in YAML or JSON.
 *
 *     collision_spheres: {link: [{center: [x, y, z], radius: r}, …], …}
 *     collision_sphere_buffer: b | {link: b, …}        added to radii
 *     self_collision_ignore: {link: [link, …], …}      pairs that are not tested
 *
 * at the top or under robot_cfg and kinematics; or the links themselves at the top. A negative
 * radius switches a sphere off. A self_collision_buffer is not used (a warning says so): a sphere
 * has one radius.
 *
 * Internal to the formats.
 */
#ifndef FORMATS_ROBOT_SPHERES_H
#define FORMATS_ROBOT_SPHERES_H

#include "formats/yaml_document.h"
#include "schema/robot.h"

struct robot_spheres {
    struct yaml_document document; /* owned */
    const struct yaml_value *links, *buffer, *ignored, *self_buffer;
};

/* false: a fault; nothing is owned then. */
bool robot_spheres_read(struct robot_spheres *spheres, const char *data, size_t bytes,
                        struct problem *problem);
void robot_spheres_deinit(struct robot_spheres *spheres);

/* Whether the file has a list, which may be empty, for a link. */
bool robot_spheres_has(const struct robot_spheres *spheres, const char *link);

/* Appends a link's spheres to the robot's last link. false: a fault. */
bool robot_spheres_append(const struct robot_spheres *spheres, const char *link,
                          struct robot_document *robot, const struct limits *limits,
                          struct problem *problem);

/* Once all links are there: adds the pairs to ignore, and warnings of what names no link. false: a
 * fault. */
bool robot_spheres_finish(const struct robot_spheres *spheres, struct robot_document *robot,
                          struct problem *problem);

#endif

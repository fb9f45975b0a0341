/* What robots are put together from: growing lists, and the JSON of their parts.
 *
 * Internal to the schema, but for the lists, which the formats fill too.
 */
#ifndef SCHEMA_ROBOT_PARTS_H
#define SCHEMA_ROBOT_PARTS_H

#include "schema/robot.h"

/* Each appends; false: no memory. Spheres go to the last link. */
bool robot_append_sphere(struct robot_document *robot, const double center[3], double radius);
bool robot_append_ignored(struct robot_document *robot, uint32_t a, uint32_t b);

/* A link without spheres, to which further ones belong. Returns its number; ROBOT_NONE: no memory.
 */
uint32_t robot_append_link(struct robot_document *robot, const char *name);

/* By name; ROBOT_NONE: there is none. */
uint32_t robot_find_link(const struct robot_document *robot, const char *name);
uint32_t robot_find_joint(const struct robot_document *robot, const char *name);

/* No turn, no shift. */
struct robot_frame robot_frame_identity(void);

#endif

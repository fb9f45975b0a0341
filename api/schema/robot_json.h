/* JSON of robots' parts; internal to the schema. Faults go into the node's problem. */
#ifndef SCHEMA_ROBOT_JSON_H
#define SCHEMA_ROBOT_JSON_H

#include "schema/json_read.h"
#include "schema/robot.h"

/* What replies add to a robot, which PUT ignores; up to a NULL. */
extern const char *const robot_read_only[];

/* The members of each kind; what they allocate is the robot's either way. */
void robot_read_rigid(struct robot_document *robot, const struct json_node *root,
                      const struct limits *limits);
void robot_read_arm(struct robot_document *robot, const struct json_node *root,
                    const struct limits *limits);
void robot_write_rigid(const struct robot_document *robot, struct text *out);
void robot_write_arm(const struct robot_document *robot, struct text *out);

/* {"xyz","rpy"|"quaternion"}, all optional; absent: the identity. */
bool robot_read_frame(struct robot_frame *frame, const struct json_node *node);
/* The turn alone, from the members rpy or quaternion of a node; neither: as it is. */
void robot_read_turn(struct robot_frame *frame, const struct json_node *node);
/* A member of numbers. Zeros lose their sign, which JSON's readers would not keep: what was written
 * and read is written as the same. */
void robot_write_numbers(const char *key, const double *values, size_t count, struct text *out);
void robot_write_frame(const struct robot_frame *frame, struct text *out);

/* [{"center":[…],"radius":r}…], absent: none. Centres have 3 numbers, or where `flat` is not NULL
 * 2 or 3; *flat tells whether all had 2. */
void robot_read_spheres(struct robot_document *robot, const struct json_node *array,
                        const struct limits *limits, bool *flat);
void robot_write_spheres(const struct robot_sphere *spheres, uint32_t count, uint32_t numbers,
                         struct text *out);

/* The spheres of a cover, turned and shifted into the robot's frame; takes the cover over. false:
 * a fault at the node. */
struct cover;
bool robot_take_cover(struct robot_document *robot, struct cover *cover,
                      const struct robot_frame *frame, const struct json_node *node,
                      const struct limits *limits);

#endif

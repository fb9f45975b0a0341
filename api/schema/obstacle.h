/* Obstacles inside larger bodies; internal to the schema. */
#ifndef SCHEMA_OBSTACLE_H
#define SCHEMA_OBSTACLE_H

#include "schema/json_read.h"
#include "schema/world.h"

/* Reads an obstacle for a world of this dimension (0: not known, the type's own). false after a
 * fault; the obstacle then owns nothing. */
bool obstacle_read_node(struct obstacle_document *obstacle, uint32_t dimension,
                        const struct json_node *node, const struct limits *limits);

/* The id of a world's own grid where it has none. */
#define OBSTACLE_ID_OF_GRID "grid"

/* Reads a grid given as a member of a world, as an obstacle of id "grid". */
bool obstacle_read_grid_member(struct obstacle_document *obstacle, const struct json_node *node,
                               const struct limits *limits);

/* The members of `set` in a patch: enabled, dynamic, padding. */
void obstacle_read_flags(struct obstacle_document *obstacle, const struct json_node *node);

/* A copy that owns its own; false: no memory. */
bool obstacle_copy(struct obstacle_document *copy, const struct obstacle_document *obstacle);

#endif

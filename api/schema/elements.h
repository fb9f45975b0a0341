/* What an obstacle has many of: points, boxes, the vertices and triangles of a mesh.
 *
 * Internal to the schema. Each list is one allocation; time is that of the text.
 */
#ifndef SCHEMA_ELEMENTS_H
#define SCHEMA_ELEMENTS_H

#include "schema/json_read.h"
#include "schema/world.h"

/* The members that hold them, by type: one or two, written one after the other. */
void elements_members(enum obstacle_type type, const char **members);

/* Reads the lists and the resolution of boxes, points or a mesh. Faults go into the node's problem;
 * what was allocated is the obstacle's either way. */
void elements_read(struct obstacle_document *obstacle, const struct json_node *node,
                   const struct limits *limits);

/* Writes the lists, and a resolution where one was given; of a polygon its points. */
void elements_write(const struct obstacle_document *obstacle, struct text *out);

#endif

/* Parts of reading a world that a patch needs too; internal to the schema. */
#ifndef SCHEMA_WORLD_READ_H
#define SCHEMA_WORLD_READ_H

#include "schema/json_read.h"
#include "schema/world.h"

/* Appends the obstacles of an array; ids given twice, here or before, are faults. */
void world_read_obstacles(struct world_document *world, const struct json_node *array,
                          const struct limits *limits);

/* Sets the bounds to the box of all grids; false where there is no grid. */
bool world_bound_by_grids(struct world_document *world);

#endif

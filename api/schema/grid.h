/* Grids as part of a body; internal to the schema. */
#ifndef SCHEMA_GRID_H
#define SCHEMA_GRID_H

#include "schema/json_read.h"
#include "schema/world.h"

/* Cells along a side. */
enum { GRID_SIDE_MAX = 1 << 20 };

/* Reads width, height, rows, resolution, origin and passable of an object. Faults go into its
 * problem. */
void grid_read_node(struct grid_document *grid, const struct json_node *node,
                    const struct limits *limits);
void grid_write_members(const struct grid_document *grid, struct text *out);

/* The box of a grid as it lies in the world, turned by its yaw. */
void grid_box(const struct grid_document *grid, double lower[2], double upper[2]);

/* Whether that box is a box in double precision: finite, and not lost to rounding. */
bool grid_box_holds(const struct grid_document *grid);

#endif

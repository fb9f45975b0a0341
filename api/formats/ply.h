/* Polygon files (Turk, "The PLY polygon file format", 1994), ascii and binary of both byte orders.
 *
 * With faces they are a mesh, polygons as fans of triangles; without, points. Elements and
 * properties are found by name, of any type and order; those not needed are skipped. Points that
 * are not finite are left out and counted; a mesh must not have any. Time and memory are linear.
 */
#ifndef FORMATS_PLY_H
#define FORMATS_PLY_H

#include "formats/format.h"

/* A reader of format.h's table. */
bool ply_read(struct world_document *world, struct format_report *report,
              const struct format_file *file);

#endif

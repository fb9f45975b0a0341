/* Triangles of Wavefront OBJ files as a mesh.
 *
 * Vertices (v) and faces (f) of the forms a, a/b, a//c and a/b/c, with indices from 1 or, negative,
 * back from the last; polygons are fans of triangles. A backslash ends a line that goes on. Groups,
 * materials, normals and texture are left out; lines and points are told as left out; curves and
 * surfaces are refused. A first line of two counts, as FCL writes it, is skipped. Time and memory
 * are linear.
 */
#ifndef FORMATS_OBJ_H
#define FORMATS_OBJ_H

#include "formats/format.h"

/* A reader of format.h's table. */
bool obj_read(struct world_document *world, struct format_report *report,
              const struct format_file *file);

#endif

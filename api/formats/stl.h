/* Triangles of STL files, binary and ascii, as a mesh.
 *
 * A file is binary where its size is that of the triangles it counts: 84 + 50 n bytes, whatever its
 * first word. Normals and attributes are left out. Vertices are kept as they come, three a
 * triangle. Time and memory are linear.
 */
#ifndef FORMATS_STL_H
#define FORMATS_STL_H

#include "formats/format.h"

/* A reader of format.h's table. */
bool stl_read(struct world_document *world, struct format_report *report,
              const struct format_file *file);

#endif

/* Points as text, one a line: x y z, and whatever follows is left out.
 *
 * Blanks, commas or semicolons separate. Lines that are empty or begin with # or // are skipped,
 * and so is a first line of words. Points that are not finite are left out and counted.
 */
#ifndef FORMATS_XYZ_H
#define FORMATS_XYZ_H

#include "formats/format.h"

/* A reader of format.h's table. */
bool xyz_read(struct world_document *world, struct format_report *report,
              const struct format_file *file);

#endif

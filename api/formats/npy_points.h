/* Points as one numpy array of shape (n, 3), of any kind of number. Those that are not finite are
 * left out and counted. */
#ifndef FORMATS_NPY_POINTS_H
#define FORMATS_NPY_POINTS_H

#include "formats/format.h"

/* A reader of format.h's table. */
bool npy_points_read(struct world_document *world, struct format_report *report,
                     const struct format_file *file);

#endif

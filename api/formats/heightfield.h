/* Height fields: a grey image as terrain, one column a pixel.
 *
 * The pixel in column c, row r of an image of h rows covers x from c to c+1 and y from h-1-r to
 * h-r, times `resolution` (default 1), as the cell of a grid does; it is a box from z = `base` up
 * to z = `height` times value/white, which `height` says in metres. The ground between pixels is
 * thus a step where they meet, at the higher one's side; it is not interpolated. Columns are closed
 * and meet, so nothing passes between them, and `base` (default: one `resolution` below 0) must lie
 * below 0, so that black ground is solid too. A pixel that is not fully opaque has no height, and
 * is refused.
 *
 * Columns of equal height are merged: runs along x, and equal runs in a row along y. Time: linear
 * in pixels.
 */
#ifndef FORMATS_HEIGHTFIELD_H
#define FORMATS_HEIGHTFIELD_H

#include "formats/format.h"

bool heightfield_read(struct world_document *world, struct format_report *report,
                      const struct format_file *file);

#endif

/* Point clouds of the Point Cloud Library, .PCD versions .5 to .7, as points.
 *
 *     VERSION, FIELDS, SIZE, TYPE, COUNT?, WIDTH, HEIGHT, VIEWPOINT?, POINTS?, then
 *     DATA ascii | binary | binary_compressed, and the data
 *
 * Fields x, y and z are found by name, of any type; all others, padding too, are skipped. Points
 * that are not finite are left out and counted. VIEWPOINT is where the sensor was, and moves
 * nothing. Compressed data are LZF, field by field. Time and memory are linear in the data,
 * unpacked.
 */
#ifndef FORMATS_PCD_H
#define FORMATS_PCD_H

#include "formats/format.h"

/* A reader of format.h's table. */
bool pcd_read(struct world_document *world, struct format_report *report,
              const struct format_file *file);

#endif

/* OctoMaps (Hornung et al., "OctoMap: an efficient probabilistic 3D mapping framework based on
 * octrees", 2013) as boxes.
 *
 * .bt holds two bits a node and .ot a log-odds value each, here occupied from 0 on; both follow a
 * header in text. Trees of id OcTree and ColorOcTree are read, and .bt as before version 1. A leaf
 * that was pruned at depth d is one cube of 2^(16-d) cells; cell 0 lies at -32768 resolutions.
 *
 * What is solid becomes one obstacle of boxes: occupied leaves, and what the map does not know
 * within the box of all its leaves, unless unknown space is free. Cubes that fill a larger one, or
 * its half or quarter, become one box. The file's bounds are the box of its leaves. Time is linear
 * in the file, recursion 16 deep.
 */
#ifndef FORMATS_OCTOMAP_H
#define FORMATS_OCTOMAP_H

#include "formats/format.h"

/* A reader of format.h's table. It counts leaves, and cells of the tree that are unknown, each as
 * large as it can be. */
bool octomap_read(struct world_document *world, struct format_report *report,
                  const struct format_file *file);

#endif

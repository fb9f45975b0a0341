/* Maps of ROS' map servers (map_server of ROS 1 and 2): a YAML file and an image, as a 2D grid.
 *
 *     image: depot.pgm          never opened: the image comes with the request
 *     resolution: 0.05          metres a pixel
 *     origin: [x, y, yaw]       pose of the lower left corner of the lower left pixel
 *     occupied_thresh: 0.65     with p = 1 - value/white (negate: value/white):
 *     free_thresh: 0.25         occupied where p >= the one, free where p <= the other
 *     negate: 0                 optional, 0 1 or false true
 *     mode: trinary             optional, or scale, raw
 *
 * A planner needs each cell to be free or not, so what the modes make of a pixel comes down to
 * three: `trinary`: between the thresholds is unknown. `scale`: the same, but for what the server
 * rounds to 0 or 100 per cent, which is free or occupied. `raw`: a value v (of 255) up to 100 is
 * that many per cent occupied, negate or not, judged by the thresholds; above, unknown. In all
 * modes what is not fully opaque is unknown. Colour counts as its channels' mean. The yaw turns the
 * map. Keys not listed are left aside.
 */
#ifndef FORMATS_ROS_MAP_H
#define FORMATS_ROS_MAP_H

#include "formats/format.h"

/* Reads a map from the yaml, file->data, and the image, file->image: a grid of '.' and '@', with
 * its counts and its unknown area. */
bool ros_map_read(struct world_document *world, struct format_report *report,
                  const struct format_file *file);

#endif

/* Grey images, for maps and heights: PNG (by libpng) and PNM's P1, P2, P4, P5.
 *
 * Known by their first bytes. Values are kept as they are, with the value of white beside them, so
 * that thresholds are compared as the doubles they were written as: no rounding to 8 bits. Colour
 * becomes grey as the plain mean of red, green and blue, as ROS' map servers take it, not as
 * luminance; gamma and colour profiles are left aside.
 *
 * Sizes are checked against the limit of grid cells before any memory is taken. Time: linear in
 * pixels. Threads: an image belongs to one at a time.
 */
#ifndef FORMATS_IMAGE_H
#define FORMATS_IMAGE_H

#include "schema/limits.h"
#include "schema/problem.h"

#include <stddef.h>

struct image {
    uint32_t width, height;
    uint32_t white;       /* the value of white; black is 0 */
    uint16_t *values;     /* [height][width], top-down, owned */
    uint8_t *see_through; /* [height][width], 1: not fully opaque, owned; NULL: none is */
};

/* Reads an image. false: `problem` says what is wrong; nothing is owned then. */
bool image_read(struct image *image, const char *data, size_t bytes, const struct limits *limits,
                struct problem *problem);
void image_deinit(struct image *image);

/* ---- for the readers of the kinds ---- */

/* Whether limits allow an image of this size; else a fault. */
bool image_size_holds(uint64_t width, uint64_t height, const struct limits *limits,
                      struct problem *problem);

/* Takes the memory of an image whose size holds. */
bool image_init(struct image *image, uint32_t width, uint32_t height, bool see_through,
                struct problem *problem);

bool image_read_png(struct image *image, const char *data, size_t bytes,
                    const struct limits *limits, struct problem *problem);
bool image_read_pnm(struct image *image, const char *data, size_t bytes,
                    const struct limits *limits, struct problem *problem);

#endif

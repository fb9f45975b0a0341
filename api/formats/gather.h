/* An obstacle of many points, boxes or triangles, gathered as they are read.
 *
 * Room is doubled as elements come, so that memory follows what the file holds and not what it
 * claims; each kind has its limit. Threads: one gatherer belongs to one.
 */
#ifndef FORMATS_GATHER_H
#define FORMATS_GATHER_H

#include "formats/format.h"

struct gather {
    struct obstacle_document obstacle;
    uint32_t point_capacity, triangle_capacity;
    uint64_t dropped; /* points that are not finite */
    const struct format_file *file;
};

/* Begins an obstacle of this type, OBSTACLE_BOXES, _POINTS or _MESH. Whoever begins must end it. */
struct gather gather_begin(enum obstacle_type type, const struct format_file *file);

/* Adds a row: a place, or a box's centre and size. double[obstacle_point_width()]. Places must be
 * within ±LENGTH_MAX; false after a fault. */
bool gather_row(struct gather *gather, const double *row);

/* Adds a point, or counts it as dropped where it is not finite. */
bool gather_point(struct gather *gather, const double point[3]);

/* Adds a triangle of rows; the corners are checked by gather_end(). */
bool gather_triangle(struct gather *gather, const uint32_t corners[3]);

/* Gives the obstacle to the world where all was `good`, with the request's radius and resolution,
 * and lets go of it where not. Returns whether the world has it. */
bool gather_end(struct gather *gather, struct world_document *world, struct format_report *report,
                bool good);

/* Appends a sentence to the report's warning. */
void report_warn(struct format_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

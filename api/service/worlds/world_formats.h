/* Worlds and obstacles from files: PUT of one with ?format=…. */
#ifndef SERVICE_WORLD_FORMATS_H
#define SERVICE_WORLD_FORMATS_H

#include "formats/format.h"
#include "service/call.h"

/* What a file held, for the reply. */
struct file_report {
    const struct format *format; /* NULL: there was no file */
    bool unknown_free;
    struct format_report counts;
};

/* Reads the body as one file into a world of its own. Without bounds of the file's own it gets the
 * box of its grids, or in 3D the box of all obstacles, grown by a tenth of its longest edge on
 * every side. An only obstacle without id is called as its format. false: the call's problem says
 * why not.
 */
bool world_read_format(struct world_document *world, struct file_report *report, struct call *call,
                       const struct limits *limits);

/* The same as one obstacle, without id, of a world of this dimension: the file must hold just one.
 */
bool obstacle_read_format(struct obstacle_document *obstacle, struct file_report *report,
                          uint32_t dimension, struct call *call, const struct limits *limits);

/* Appends the members `cells` and `unknown` of what a file held, nothing where there was none; and
 * its warnings as objects of an array that is open. */
void file_report_write(const struct file_report *report, struct text *out);
void file_report_write_warnings(const struct file_report *report, struct text *out);

#endif

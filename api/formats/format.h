/* Foreign files of worlds: one table of formats, and what every reader of one takes and gives.
 *
 * A reader makes a world of one file: it sets the dimension and appends obstacles, with ids of
 * their own where the file names them, else with none; `bounds` only where the file itself has
 * some. The caller turns and shifts them by the request's pose, names the nameless, and bounds the
 * world. Sizes are checked against the limits, and against the bytes there are, before memory is
 * taken; time is linear in the file's.
 */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include "schema/world.h"

/* What a request may say of a file besides its format; a format's row tells which it has. */
enum {
    FORMAT_PASSABLE = 1,    /* passable=T|W|TW */
    FORMAT_UNKNOWN = 2,     /* unknown=free|occupied */
    FORMAT_POSE = 4,        /* pose=x,y,z,qx,qy,qz,qw */
    FORMAT_RADIUS = 8,      /* radius=r */
    FORMAT_RESOLUTION = 16, /* resolution=d */
    FORMAT_HEIGHT = 32,     /* height=h */
    FORMAT_BASE = 64,       /* base=z */
};

/* A file as it came, borrowed, and what the request says of it. */
struct format_file {
    const char *data; /* never NULL; of a form its part `main` */
    size_t bytes;
    const char *image; /* the part `image` of a form; else NULL */
    size_t image_bytes;

    const char *passable;      /* NULL: not given */
    bool unknown_free;         /* unknown space is free instead of occupied */
    double radius, resolution; /* > 0, or 0: not given */
    double height;             /* > 0, or 0: not given */
    double base;
    bool has_base;

    const struct limits *limits;
    struct problem *problem;
};

/* What a reader counted, for the reply. Cells are pixels, voxels or leaves, whatever the format
 * has. */
struct format_report {
    bool counts_cells; /* the three hold */
    uint64_t occupied, free, unknown;
    bool has_unknown;                 /* the two hold */
    double unknown_fraction;          /* of the file's box */
    double unknown_size;              /* m² in 2D, m³ in 3D */
    char warning[PROBLEM_DETAIL_MAX]; /* what the user should know of the file, or empty */
};

struct format {
    const char *name;
    uint32_t dimension;
    unsigned parameters; /* FORMAT_* */
    const char *main; /* the part that holds the file where several come in a form; NULL: one file
                         is the body */
    /* false: the problem says why not; the world then needs no deinit. world, report: zero. */
    bool (*read)(struct world_document *world, struct format_report *report,
                 const struct format_file *file);
};

/* The format of a name; NULL: there is none. */
const struct format *format_find(const char *name);

/* All names, "a, b, c", for an error to list. */
void format_names(char *out, size_t bytes);

#endif

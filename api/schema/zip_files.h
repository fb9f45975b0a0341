/* Zip archives of a few files, by libzip: stored or deflated on reading, stored on writing.
 *
 * What an archive claims is checked against the limits before memory is taken for it, and what it
 * holds against what it claims.
 */
#ifndef SCHEMA_ZIP_FILES_H
#define SCHEMA_ZIP_FILES_H

#include "schema/problem.h"
#include "schema/text.h"

enum { ZIP_FILES_MAX = 32, ZIP_NAME_BYTES_MAX = 67 };

struct zip_member {
    char name[ZIP_NAME_BYTES_MAX + 1];
    char *data; /* owned */
    size_t bytes;
};

struct zip_files {
    struct zip_member members[ZIP_FILES_MAX];
    unsigned count;
};

/* What names of members end in, and what is said of one that does not. */
struct zip_rules {
    const char *suffix; /* "": any name will do */
    const char *misnamed;
};

/* Unpacks a body; all of it together may be limits->body_bytes. false: a fault, and nothing is left
 * to deinit. */
bool zip_files_read(struct zip_files *files, const char *body, size_t bytes,
                    const struct zip_rules *rules, const struct limits *limits,
                    struct problem *problem);
void zip_files_deinit(struct zip_files *files);

/* The member of that name, or NULL. */
const struct zip_member *zip_files_find(const struct zip_files *files, const char *name);

/* What goes into an archive: a file of two pieces, one behind the other; all is borrowed. */
struct zip_item {
    const char *name;
    struct zip_piece {
        const void *data;
        size_t bytes;
    } pieces[2];
};

/* Appends an archive, the same for the same items. Failure for want of memory is the text's. */
void zip_files_write(const struct zip_item *items, unsigned count, struct text *out);

#endif

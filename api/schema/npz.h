/* Named arrays in numpy's .npz format: a zip archive of .npy files, by libzip.
 *
 * Members are stored or deflated on reading and stored on writing. What an archive claims is
 * checked against the limits before memory is taken for it, and what it holds against what it
 * claims.
 */
#ifndef SCHEMA_NPZ_H
#define SCHEMA_NPZ_H

#include "schema/npy.h"

enum { NPZ_MEMBERS_MAX = 32, NPZ_NAME_BYTES_MAX = 63 };

struct npz_member {
    char name[NPZ_NAME_BYTES_MAX + 1]; /* without ".npy" */
    struct npy_array array;
    void *file; /* the unpacked .npy that the array lies in, owned */
};

struct npz {
    struct npz_member members[NPZ_MEMBERS_MAX];
    unsigned count;
};

/* Unpacks a body; all of it together may be limits->body_bytes. false: a fault, and nothing is left
 * to deinit. */
bool npz_read(struct npz *npz, const char *body, size_t bytes, const struct limits *limits,
              struct problem *problem);
void npz_deinit(struct npz *npz);

/* The array of that name, or NULL. */
struct npz_member *npz_find(struct npz *npz, const char *name);

/* What goes into an archive; all is borrowed. */
struct npz_item {
    const char *name;
    struct npy_array array;
};

/* Appends an archive, the same for the same items. Failure for want of memory is the text's. */
void npz_write(const struct npz_item *items, unsigned count, struct text *out);

#endif

/* Blobs: where resources are kept between the lives of a process.
 *
 * Two kinds of things. A blob is any number of bytes that never change, named by their SHA-256. A
 * name, one of a space of names, stands for a small record, which may tell the ids of blobs and
 * changes as a whole. That is all that a store of resources needs, and what a folder
 * (blobs_folder.h) as well as an object store can give.
 *
 * What put, name_set and name_remove report as done is durable; where they fail, all is as before.
 * What is read is checked: bytes that are not what was written are set aside, never handed out.
 *
 * Threads: any, at the same time; the owner sees to it that of two changes of one name or of one
 * blob one comes first.
 */
#ifndef SERVICE_BLOBS_H
#define SERVICE_BLOBS_H

#include "schema/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOB_ID_BYTES = 65, BLOB_KIND_BYTES = 16 };

/* Outcomes: X(constant, the code of the problem that a request meets, its words). */
#define BLOB_OUTCOMES(X)                                                                           \
    X(BLOB_OK, PROBLEM_NONE, "")                                                                   \
    X(BLOB_ABSENT, PROBLEM_INTERNAL, "saved data are missing")                                     \
    X(BLOB_DAMAGED, PROBLEM_INTERNAL, "saved data were damaged and have been set aside")           \
    X(BLOB_INCOMPATIBLE, PROBLEM_INCOMPATIBLE,                                                     \
      "saved data are of another version or machine and cannot be read")                           \
    X(BLOB_FULL, PROBLEM_DISK_FULL, "there is no room where data are saved: nothing was changed")  \
    X(BLOB_NO_MEMORY, PROBLEM_NO_MEMORY, "no memory for saved data")                               \
    X(BLOB_FAILED, PROBLEM_INTERNAL, "data could not be saved or read: nothing was changed")

enum blob_outcome {
#define X(constant, code, words) constant,
    BLOB_OUTCOMES(X)
#undef X
};

/* Spaces of names: X(constant, text). */
#define BLOB_SPACES(X)                                                                             \
    X(BLOB_WORLDS, "worlds")                                                                       \
    X(BLOB_ROBOTS, "robots")                                                                       \
    X(BLOB_ROADMAPS, "roadmaps")                                                                   \
    X(BLOB_SERVICE, "service")

enum blob_space {
#define X(constant, text) constant,
    BLOB_SPACES(X)
#undef X
        BLOB_SPACE_COUNT
};

/* Bytes that were read, for the caller to free(). */
struct blob {
    char *data; /* terminated behind the last byte, for parsers of text */
    size_t bytes;
};

/* Texts, for the caller to free with blob_list_deinit(). */
struct blob_list {
    char (*items)[BLOB_ID_BYTES]; /* a name has no more bytes than an id */
    size_t count, capacity;
};

struct blobs {
    const struct blobs_methods *methods;
};

struct blobs_methods {
    /* Keeps bytes whose SHA-256 is `id`, of a kind (under BLOB_KIND_BYTES letters) that reading
     * asks for. What is there already is left alone. */
    enum blob_outcome (*put)(struct blobs *blobs, const char *id, const char *kind,
                             const void *data, size_t bytes);
    enum blob_outcome (*get)(struct blobs *blobs, const char *id, const char *kind,
                             struct blob *blob);
    /* Forgets a blob, at some time; one that is not there is accepted. */
    void (*remove)(struct blobs *blobs, const char *id);
    enum blob_outcome (*list)(struct blobs *blobs, struct blob_list *ids);

    /* The record of a name, which is valid as a resource's. */
    enum blob_outcome (*name_set)(struct blobs *blobs, enum blob_space space, const char *name,
                                  const void *data, size_t bytes);
    enum blob_outcome (*name_get)(struct blobs *blobs, enum blob_space space, const char *name,
                                  struct blob *record);
    /* A name that is not there is accepted. */
    enum blob_outcome (*name_remove)(struct blobs *blobs, enum blob_space space, const char *name);
    enum blob_outcome (*name_list)(struct blobs *blobs, enum blob_space space,
                                   struct blob_list *names);

    void (*close)(struct blobs *blobs);
};

/* Adds the fault of an outcome that is not BLOB_OK. blobs.c */
void problem_add_blob(struct problem *problem, enum blob_outcome outcome);

const char *blob_space_text(enum blob_space space);

/* Appends a text; false: no memory. */
bool blob_list_add(struct blob_list *list, const char *text);
void blob_list_deinit(struct blob_list *list);

#endif

/* How many records and works refer to each blob: one that nothing refers to is garbage.
 *
 * Cost: a look-up is a binary search; adding moves the ids behind it. Threads: any.
 */
#ifndef SERVICE_BLOB_REFERENCES_H
#define SERVICE_BLOB_REFERENCES_H

#include "service/persistence/blobs.h"

#include <pthread.h>

struct blob_reference {
    char id[BLOB_ID_BYTES];
    unsigned count;
    bool written; /* it is there, durably */
};

struct blob_references {
    pthread_mutex_t lock;
    struct blob_reference *rows; /* ascending by id */
    size_t count, capacity;
    size_t garbage; /* rows of count 0 */
};

void blob_references_init(struct blob_references *references);
void blob_references_deinit(struct blob_references *references);

/* Refers to a blob once more; false: no memory. *written: it need not be put. */
bool blob_references_take(struct blob_references *references, const char *id, bool *written);

/* Notes that a blob that is referred to is there. */
void blob_references_written(struct blob_references *references, const char *id);

/* Refers once less. true: there is garbage. */
bool blob_references_release(struct blob_references *references, const char *id);

bool blob_references_has(struct blob_references *references, const char *id);

/* Forgets the garbage and removes it from `blobs` (NULL: there is none), where nobody can come to
 * refer to it meanwhile. */
void blob_references_collect(struct blob_references *references, struct blobs *blobs);

#endif

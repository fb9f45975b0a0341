/* Blobs in a folder: `blobs/ID`, `worlds/NAME`, `robots/NAME`, `roadmaps/NAME`, `service/NAME`.
 *
 * A file is written whole under `tmp/`, made durable, renamed to its place, and the folder there
 * made durable: whoever reads sees the old file or the new one, also after a loss of power. A file
 * that is not what its head says, and one that nobody here has written, is moved to `set-aside/`,
 * with a line in the log. Where the file system gives a file one name alone (no hard links), a file
 * that has taken the place of another stays if making the folder durable fails after that. Cost:
 * two fsync() a change, about a millisecond each on a disk.
 */
#ifndef SERVICE_BLOBS_FOLDER_H
#define SERVICE_BLOBS_FOLDER_H

#include "service/persistence/blobs.h"

struct blobs_folder_options {
    const char *path;                                                  /* exists */
    void (*log)(void *context, const char *event, const char *detail); /* NULL: silent */
    void *log_context;
    /* Asked before each system call that changes something, by its name; what is not 0 is the errno
     * that it fails with. For tests; NULL: none fails. */
    int (*fault)(void *context, const char *call);
    void *fault_context;
};

/* Opens the folder and makes what it lacks; empties `tmp/`. false: `problem` says why in words for
 * an operator. */
bool blobs_folder_open(struct blobs **blobs, const struct blobs_folder_options *options,
                       struct problem *problem);

#endif

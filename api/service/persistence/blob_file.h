/* The form of a file that keeps a blob or a record: a head that says what follows, and that.
 *
 * The head is written as the machine has its numbers, with a mark that tells the byte order. Magic,
 * version, byte order and the head's own check stand at the same place in every version, so that
 * any version tells a file of another one from a damaged one. Pure functions.
 */
#ifndef SERVICE_BLOB_FILE_H
#define SERVICE_BLOB_FILE_H

#include "service/persistence/blobs.h"

enum { BLOB_FILE_VERSION = 1, BLOB_MAGIC_BYTES = 8, BLOB_DIGEST_BYTES = 64, BLOB_CHECK_BYTES = 16 };

struct blob_file_head {
    char magic[BLOB_MAGIC_BYTES];
    uint32_t byte_order, version;
    char kind[BLOB_KIND_BYTES];
    uint64_t bytes;                 /* that follow the head */
    char digest[BLOB_DIGEST_BYTES]; /* their SHA-256, hexadecimal */
    char check[BLOB_CHECK_BYTES];   /* the beginning of the SHA-256 of all before it */
};

/* false: no memory. */
bool blob_file_head_init(struct blob_file_head *head, const char *kind, const void *data,
                         size_t bytes);

/* Judges a head that was read; `kind`: what it should be of. BLOB_OK, BLOB_DAMAGED or
 * BLOB_INCOMPATIBLE; BLOB_NO_MEMORY. */
enum blob_outcome blob_file_head_check(const struct blob_file_head *head, const char *kind);

/* Judges the bytes that follow a head: BLOB_OK, they are those that it was made for; BLOB_DAMAGED;
 * BLOB_NO_MEMORY. */
enum blob_outcome blob_file_check(const struct blob_file_head *head, const void *data,
                                  size_t bytes);

#endif

/* gzip of answers: whole for small ones, piece by piece for large ones, so that no HTTP thread is
 * held long. Level 1: about 100 MB/s; JSON of paths shrinks to a quarter. Threads: a packer belongs
 * to one at a time. */
#ifndef SERVER_PACK_H
#define SERVER_PACK_H

#include <stddef.h>

struct packer;

/* A packer of bytes that outlive it; NULL: out of memory. */
struct packer *packer_create(const char *data, size_t bytes);
void packer_destroy(struct packer *packer);

/* The next up to `room` packed bytes; 0 past the last. */
size_t packer_read(struct packer *packer, char *out, size_t room);

/* All at once; the caller frees. NULL: out of memory, or it does not get smaller. */
char *pack_whole(const char *data, size_t bytes, size_t *packed_bytes);

#endif

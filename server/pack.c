#include "server/pack.h"

#include <stdint.h>
#include <stdlib.h>
#define ZLIB_CONST /* zlib reads its input only */
#include <zlib.h>

enum { LEVEL = 1, WINDOW_BITS_GZIP = 15 + 16, MEMORY_LEVEL = 8 };

struct packer {
    z_stream zlib;
    size_t left; /* bytes that zlib was not shown yet */
};

struct packer *packer_create(const char *data, size_t bytes)
{
    struct packer *packer = calloc(1, sizeof(*packer));
    if (packer == NULL)
        return NULL;
    if (deflateInit2(&packer->zlib, LEVEL, Z_DEFLATED, WINDOW_BITS_GZIP, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        free(packer);
        return NULL;
    }
    packer->zlib.next_in = (const unsigned char *)data;
    packer->left = bytes;
    return packer;
}

void packer_destroy(struct packer *packer)
{
    if (packer == NULL)
        return;
    deflateEnd(&packer->zlib);
    free(packer);
}

size_t packer_read(struct packer *packer, char *out, size_t room)
{
    z_stream *zlib = &packer->zlib;
    int code = Z_OK;
    const size_t offered = room < UINT32_MAX ? room : UINT32_MAX;
    zlib->next_out = (unsigned char *)out;
    zlib->avail_out = (uInt)offered;
    while (zlib->avail_out > 0 && code == Z_OK) {
        if (zlib->avail_in == 0 && packer->left > 0) {
            zlib->avail_in = packer->left < UINT32_MAX ? (uInt)packer->left : UINT32_MAX;
            packer->left -= zlib->avail_in;
        }
        code = deflate(zlib, packer->left == 0 ? Z_FINISH : Z_NO_FLUSH);
    }
    return offered - zlib->avail_out;
}

char *pack_whole(const char *data, size_t bytes, size_t *packed_bytes)
{
    struct packer *packer = packer_create(data, bytes);
    char *packed = packer == NULL ? NULL : malloc(bytes);
    *packed_bytes = packed == NULL ? 0 : packer_read(packer, packed, bytes);
    packer_destroy(packer);
    if (*packed_bytes == bytes) {
        free(packed);
        packed = NULL;
    }
    return packed;
}

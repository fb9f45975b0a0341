#include "server/body.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* zlib reads its input only */
#include <zlib.h>

enum {
    CAPACITY_MIN = 4096,
    BELIEVED_MAX = 1 << 20,    /* of a declared length, before anything came */
    UNPACK_ROOM_MIN = 16384,   /* space offered to zlib at a time */
    WINDOW_BITS_ANY = 15 + 32, /* zlib: the largest window, gzip or zlib by its header */
};

/* Makes room for `bytes` more, up to one byte past the limit, by which an excess is seen. */
static bool reserve(struct body *body, size_t bytes)
{
    const size_t needed = body->bytes + bytes;
    if (needed <= body->capacity)
        return true;

    size_t capacity = body->capacity < CAPACITY_MIN ? CAPACITY_MIN : 2 * body->capacity;
    if (capacity > body->limit + 1)
        capacity = (size_t)body->limit + 1;
    if (capacity < needed)
        capacity = needed;
    if (!budget_take(body->budget, capacity - body->capacity)) {
        body->fault = BODY_OVERLOADED;
        return false;
    }
    char *data = realloc(body->data, capacity);
    if (data == NULL) {
        budget_release(body->budget, capacity - body->capacity);
        body->fault = BODY_OVERLOADED;
        return false;
    }
    body->data = data;
    body->capacity = capacity;
    return true;
}

/* A faulty body keeps no memory while its rest is read over. */
static void drop(struct body *body)
{
    budget_release(body->budget, body->capacity);
    free(body->data);
    body->data = NULL;
    body->bytes = body->capacity = 0;
}

static void append_plain(struct body *body, const char *data, size_t bytes)
{
    if (bytes > body->limit - body->bytes)
        body->fault = BODY_TOO_LARGE;
    else if (reserve(body, bytes)) {
        memcpy(body->data + body->bytes, data, bytes);
        body->bytes += bytes;
    }
}

/* One round of zlib; false where it is done with the input or with the body. */
static bool unpack_some(struct body *body)
{
    z_stream *zlib = body->unpacker;

    // gzip members may follow one another
    if (body->member_ended) {
        if (zlib->avail_in == 0)
            return false;
        inflateReset(zlib);
        body->member_ended = false;
    }

    const uint64_t left = body->limit + 1 - body->bytes;
    if (!reserve(body, left < UNPACK_ROOM_MIN ? (size_t)left : UNPACK_ROOM_MIN))
        return false;
    size_t room = body->capacity - body->bytes;
    if (room > UINT32_MAX)
        room = UINT32_MAX;
    zlib->next_out = (unsigned char *)body->data + body->bytes;
    zlib->avail_out = (uInt)room;
    const int code = inflate(zlib, Z_NO_FLUSH);
    body->bytes += room - zlib->avail_out;

    body->member_ended = code == Z_STREAM_END;
    if (body->bytes > body->limit)
        body->fault = BODY_TOO_LARGE;
    else if (code == Z_MEM_ERROR)
        body->fault = BODY_OVERLOADED;
    else if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        body->fault = BODY_NOT_PACKED;
    return body->fault == BODY_FINE && (zlib->avail_in > 0 || zlib->avail_out == 0);
}

void body_init(struct body *body, uint64_t limit, struct budget *budget, bool packed,
               uint64_t expected_bytes)
{
    *body = (struct body){.limit = limit, .budget = budget};
    if (packed) {
        body->unpacker = calloc(1, sizeof(*body->unpacker));
        if (body->unpacker == NULL || inflateInit2(body->unpacker, WINDOW_BITS_ANY) != Z_OK) {
            free(body->unpacker);
            body->unpacker = NULL;
            body->fault = BODY_OVERLOADED;
        }
    } else if (expected_bytes > 0 && expected_bytes <= limit) {
        reserve(body, expected_bytes < BELIEVED_MAX ? (size_t)expected_bytes : BELIEVED_MAX);
    }
}

void body_deinit(struct body *body)
{
    if (body->budget == NULL)
        return;
    drop(body);
    if (body->unpacker != NULL)
        inflateEnd(body->unpacker);
    free(body->unpacker);
    *body = (struct body){0};
}

void body_append(struct body *body, const char *data, size_t bytes)
{
    if (body->fault != BODY_FINE || bytes == 0)
        return;
    if (body->unpacker == NULL) {
        append_plain(body, data, bytes);
    } else {
        assert(bytes <= UINT32_MAX);
        body->unpacker->next_in = (const unsigned char *)data;
        body->unpacker->avail_in = (uInt)bytes;
        while (unpack_some(body))
            continue;
    }
    if (body->fault != BODY_FINE)
        drop(body);
}

void body_end(struct body *body)
{
    if (body->fault == BODY_FINE && body->unpacker != NULL && !body->member_ended) {
        body->fault = BODY_NOT_PACKED;
        drop(body);
    }
}

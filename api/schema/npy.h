/* Arrays in numpy's .npy format (NEP 1): versions 1.0 to 3.0 read, 1.0 written.
 *
 * A strict reader: a header of just the three known keys, little-endian items, C order, at most
 * three axes, and data of just the length that the shape says. It allocates nothing: the array lies
 * in the bytes read. Pure functions.
 */
#ifndef SCHEMA_NPY_H
#define SCHEMA_NPY_H

#include "schema/problem.h"
#include "schema/text.h"

/* Items: X(constant, kind as in numpy's descr, bytes, byte order). Text has as many bytes as it
 * says. */
#define NPY_TYPES(X)                                                                               \
    X(BOOL, 'b', 1, '|')                                                                           \
    X(UINT8, 'u', 1, '|')                                                                          \
    X(UINT32, 'u', 4, '<')                                                                         \
    X(INT32, 'i', 4, '<')                                                                          \
    X(FLOAT32, 'f', 4, '<')                                                                        \
    X(UINT64, 'u', 8, '<')                                                                         \
    X(INT64, 'i', 8, '<')                                                                          \
    X(FLOAT64, 'f', 8, '<')                                                                        \
    X(UTF32, 'U', 0, '<')                                                                          \
    X(BYTES, 'S', 0, '|')

enum npy_type {
#define X(constant, kind, bytes, order) NPY_##constant,
    NPY_TYPES(X)
#undef X
        NPY_TYPE_COUNT
};

enum { NPY_AXES_MAX = 3, NPY_TEXT_CHARACTERS_MAX = 256, NPY_HEADER_BYTES_MAX = 8192 };

struct npy_array {
    enum npy_type type;
    uint32_t item_bytes;
    unsigned axes; /* 0: one item */
    size_t shape[NPY_AXES_MAX];
    size_t count;     /* of items */
    const void *data; /* of any alignment; borrowed; item_bytes * count */
};

/* Reads a whole file. `member` names it in faults, as the pointer "/member"; NULL: it is the body.
 * false: `malformed`, or `unsupported` for what numpy writes and this reader does not take. */
bool npy_read(struct npy_array *array, const char *file, size_t bytes, const char *member,
              struct problem *problem);

/* An array of items of a fixed size, for writing. shape: size_t[axes]. */
struct npy_array npy_array(enum npy_type type, unsigned axes, const size_t *shape,
                           const void *data);

/* Appends the header alone, so that data written behind it are the file; its length is a multiple
 * of 64. */
void npy_write_header(const struct npy_array *array, struct text *out);

#endif

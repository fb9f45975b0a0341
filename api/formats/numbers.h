/* Numbers in binary files, of either byte order and any alignment. Pure. */
#ifndef FORMATS_NUMBERS_H
#define FORMATS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum number_type {
    NUMBER_I8,
    NUMBER_U8,
    NUMBER_I16,
    NUMBER_U16,
    NUMBER_I32,
    NUMBER_U32,
    NUMBER_I64,
    NUMBER_U64,
    NUMBER_F32,
    NUMBER_F64,
    NUMBER_NONE,
};

/* Bytes of a number; 0 for NUMBER_NONE. */
size_t number_bytes(enum number_type type);

/* The number at `at`, as a double; whole numbers beyond 2^53 are rounded. */
double number_get(enum number_type type, const void *at, bool big_endian);

/* Little-endian. */
uint32_t number_u32(const void *at);

#endif

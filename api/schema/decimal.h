/* Doubles as decimal text: correctly rounded, whatever the locale, and fast.
 *
 * A double of moderate size is m*2^-s; times 10^k it fits 128 bits exactly, so one multiplication
 * and one shift round it to n digits. The shortest text that reads back is found by dropping digits
 * from 17 while the result stays within half a unit in the last place (Steele & White 1990), in the
 * same exact integers. Other sizes go through printf. Some 25 ns a number, 60 exactly.
 */
#ifndef SCHEMA_DECIMAL_H
#define SCHEMA_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* 2^53: up to it each whole number is a double, above not all are. */
#define DECIMAL_WHOLE_MAX 9007199254740992

/* Room for any number written here. */
enum { DECIMAL_BYTES_MAX = 40, DECIMAL_DIGITS_EXACT = 17 };

/* Writes a finite value as JSON with at most `digits` significant digits, no trailing zeros; with
 * DECIMAL_DIGITS_EXACT the shortest that reads back as the same double (a digit more in rare
 * cases of ties). Returns the bytes written (no
 * terminator). out: char[DECIMAL_BYTES_MAX]. */
size_t decimal_write(char *out, double value, int digits);
size_t decimal_write_u64(char *out, uint64_t value);

/* Longer numbers than this are only read where few of their digits count. */
enum { DECIMAL_READ_BYTES_MAX = 1000 };

/* Reads the number that the text begins with: sign, digits with or without a point, exponent;
 * rounded correctly, beyond the largest double to infinity. Returns its bytes; 0: there is none, or
 * it is too long. Some 10 ns where a double holds its digits, 25 where 64 bits do and the exponent
 * is below 28, else what strtod takes. */
size_t decimal_read(double *value, const char *text, size_t bytes);

#endif

#include "schema/decimal.h"

#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Powers of ten that a double holds exactly, and the widest mantissa that it does. */
static const double ten_to[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { TEN_POWER_MAX = sizeof ten_to / sizeof *ten_to - 1 };
#define MANTISSA_MAX (UINT64_C(1) << 53)

/* Beyond these no digit or exponent is gathered: it is strtod's. */
enum { BASE = 10, EXPONENT_MAX = 9999 };
#define MANTISSA_FULL (UINT64_MAX / BASE - 1)

/* A number on its way: value = mantissa * 10^exponent. */
struct parts {
    uint64_t mantissa;
    int exponent;
    bool whole; /* the mantissa holds all digits */
};

/* Gathers digits, and returns how many there were; `place` is what each adds to the exponent. */
static size_t read_digits(struct parts *parts, const char *text, size_t bytes, int place)
{
    size_t at = 0;
    for (; at < bytes && text[at] >= '0' && text[at] <= '9'; at++) {
        if (parts->mantissa <= MANTISSA_FULL) {
            parts->mantissa = parts->mantissa * BASE + (uint64_t)(text[at] - '0');
            parts->exponent += place;
        } else {
            parts->whole = false;
        }
    }
    return at;
}

/* Reads "e-12" and returns its bytes; 0: there is none. */
static size_t read_exponent(struct parts *parts, const char *text, size_t bytes)
{
    size_t at = 1;
    if (!bytes || (*text != 'e' && *text != 'E'))
        return 0;
    const bool negative = at < bytes && text[at] == '-';
    at += at < bytes && (text[at] == '-' || text[at] == '+');
    const size_t first = at;
    int exponent = 0;
    for (; at < bytes && text[at] >= '0' && text[at] <= '9'; at++)
        if (exponent < EXPONENT_MAX)
            exponent = exponent * BASE + (text[at] - '0');
    parts->exponent += negative ? -exponent : exponent;
    return at > first ? at : 0;
}

/* strtod of the same bytes, with a decimal point; false where they are too many. */
static bool read_slowly(double *value, const char *text, size_t bytes)
{
    char copy[DECIMAL_READ_BYTES_MAX + 1];
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (bytes > DECIMAL_READ_BYTES_MAX || !plain)
        return false;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    const locale_t before = uselocale(plain);
    *value = strtod(copy, NULL);
    uselocale(before);
    freelocale(plain);
    return true;
}

size_t decimal_read(double *value, const char *text, size_t bytes)
{
    struct parts parts = {.whole = true};
    const bool negative = bytes && *text == '-';
    size_t at = bytes && (*text == '-' || *text == '+');
    size_t digits = read_digits(&parts, text + at, bytes - at, 0);
    at += digits;
    if (at < bytes && text[at] == '.') {
        const size_t decimals = read_digits(&parts, text + at + 1, bytes - at - 1, -1);
        digits += decimals;
        at += 1 + decimals;
    }
    if (!digits)
        return 0;
    at += read_exponent(&parts, text + at, bytes - at);

    // both factors exact, so that one rounding is the right one (Clinger 1990)
    const int power = abs(parts.exponent);
    if (!parts.whole || parts.mantissa > MANTISSA_MAX || power > TEN_POWER_MAX)
        return read_slowly(value, text, at) ? at : 0;
    const double mantissa = (double)parts.mantissa;
    const double size = parts.exponent < 0 ? mantissa / ten_to[power] : mantissa * ten_to[power];
    *value = negative ? -size : size;
    return at;
}

#include "schema/decimal.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* Powers of ten that a double holds exactly, and the widest mantissa that it does. */
static const double ten_to[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { TEN_POWER_MAX = sizeof ten_to / sizeof *ten_to - 1 };
#define MANTISSA_MAX (UINT64_C(1) << 53)

/* Powers of five below 2^63: 10^n is that times 2^n. */
static const uint64_t five_to[] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};
enum { FIVE_POWER_MAX = sizeof five_to / sizeof *five_to - 1 };

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

/* mantissa * 10^exponent, of a mantissa that is not 0, rounded once; |exponent| <= FIVE_POWER_MAX.
 */
static double scale(uint64_t mantissa, int exponent)
{
    if (exponent >= 0)
        return ldexp((double)((u128)mantissa * five_to[exponent]), exponent);

    // both with their highest bit at 63, so that the quotient has 63 or 64
    const int shift = __builtin_clzll(mantissa), by = __builtin_clzll(five_to[-exponent]);
    const u128 dividend = (u128)(mantissa << shift) << 63;
    const uint64_t divisor = five_to[-exponent] << by;
    const uint64_t quotient = (uint64_t)(dividend / divisor);
    // the last bit says whether there is a rest, which is all that rounding to 53 bits needs of it
    const bool rest = (u128)quotient * divisor != dividend;
    return ldexp((double)(quotient | rest), exponent + by - shift - 63);
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

    const int power = abs(parts.exponent);
    if (!parts.whole || power > FIVE_POWER_MAX)
        return read_slowly(value, text, at) ? at : 0;
    double size = (double)parts.mantissa;
    // both factors exact, so that one rounding is the right one (Clinger 1990)
    if (parts.mantissa <= MANTISSA_MAX && power <= TEN_POWER_MAX)
        size = parts.exponent < 0 ? size / ten_to[power] : size * ten_to[power];
    else if (parts.mantissa > 0)
        size = scale(parts.mantissa, parts.exponent);
    *value = negative ? -size : size;
    return at;
}

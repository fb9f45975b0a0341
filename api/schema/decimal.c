#include "schema/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* The range of the exact method: m*10^scale < 2^53*10^22 < 2^127, with a bit or more to shift away.
 */
#define EXACT_MIN 1e-5
#define EXACT_MAX 4503599627370496.0 /* 2^52 */
enum { MANTISSA_BITS = 53, EXPONENT_BIAS = 1022 };

/* Decimal digits that every double keeps. */
enum { DIGITS_READ = 15 };

/* Numbers of few decimals: number = value*10^6 stays a whole number that a double holds. */
#define SHORT_MAX 1e9
enum { SHORT_DECIMALS = 6 };

static const uint64_t ten_to[] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
    10000000000000000000u,
};
enum { TEN_POWER_MAX = 19 };

/* The same as doubles, as far as they are compared with any. */
static const double real_ten_to[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                     1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

static u128 ten_to_wide(int power)
{
    return power <= TEN_POWER_MAX ? (u128)ten_to[power]
                                  : (u128)ten_to[TEN_POWER_MAX] * ten_to[power - TEN_POWER_MAX];
}

/* Digits of a number in base ten; 1 for 0. */
static int digit_count(uint64_t value)
{
    // log10(2) is 1233 / 4096, a little low: the estimate is right, or one too many at a power
    const int bits = 64 - __builtin_clzll(value | 1);
    const int estimate = bits * 1233 / 4096;
    return estimate + (value >= ten_to[estimate]) + (value == 0);
}

/* Eight digits in a piece, two at a time and independently of each other. */
enum { PIECE = 8, PIECE_TEN = 100000000, PIECES = 3 };

static void write_piece(char *out, uint32_t value)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233"
        "34353637383940414243444546474849505152535455565758596061626364656667"
        "6869707172737475767778798081828384858687888990919293949596979899";
    const uint32_t high = value / 10000, low = value % 10000;
    memcpy(out, pairs + 2 * (size_t)(high / 100), 2);
    memcpy(out + 2, pairs + 2 * (size_t)(high % 100), 2);
    memcpy(out + 4, pairs + 2 * (size_t)(low / 100), 2);
    memcpy(out + 6, pairs + 2 * (size_t)(low % 100), 2);
}

/* Bytes moved at once, which cost less than to ask how many there are: those beyond the number lie
 * in the room that it has, and are written over. */
enum { MOVE = DECIMAL_DIGITS_EXACT };

/* The digits of a number, and behind them what a move may read. */
struct digits {
    char text[PIECES * PIECE + MOVE];
    const char *first;
    int count;
};

static void put_digits(struct digits *digits, uint64_t value)
{
    digits->count = digit_count(value);
    digits->first = digits->text + (size_t)(PIECES * PIECE) - digits->count;
    write_piece(digits->text + 2 * (size_t)PIECE, (uint32_t)(value % PIECE_TEN));
    if (digits->count <= PIECE)
        return;
    value /= PIECE_TEN;
    write_piece(digits->text + PIECE, (uint32_t)(value % PIECE_TEN));
    if (digits->count > 2 * PIECE)
        write_piece(digits->text, (uint32_t)(value / PIECE_TEN));
}

size_t decimal_write_u64(char *out, uint64_t value)
{
    struct digits digits;
    put_digits(&digits, value);
    memcpy(out, digits.first, (size_t)digits.count);
    return (size_t)digits.count;
}

/* Writes number*10^-scale, which is 10^-6 or more, without exponent or trailing zeros; number
 * <= 10^17, 0 <= scale <= 22. */
static size_t write_scaled(char *out, uint64_t number, int scale)
{
    struct digits digits;
    put_digits(&digits, number);
    int count = digits.count;
    while (scale > 0 && digits.first[count - 1] == '0') {
        count--;
        scale--;
    }

    // all digits behind the point, after five zeros at most: 0.00ddd
    if (count <= scale) {
        static const char zeros[] = {'0', '.', '0', '0', '0', '0', '0'};
        memcpy(out, zeros, sizeof zeros);
        memcpy(out + 2 + scale - count, digits.first, MOVE);
        return (size_t)scale + 2;
    }
    const int whole = count - scale;
    memcpy(out, digits.first, MOVE);
    if (!scale)
        return (size_t)count;
    out[whole] = '.';
    memcpy(out + whole + 1, digits.first + whole, MOVE);
    return (size_t)count + 1;
}

/* value = m*2^-shift, and that times 10^scale: exactly product*2^-shift. */
struct scaled {
    u128 product, ten; /* ten = 10^scale, which is what one unit of m is worth in the product */
    int shift, scale;
    bool power_of_two; /* the doubles below are half as far apart */
};

/* round(value*10^scale) at the scale that makes `digits` digits of it. */
static uint64_t scale_exactly(struct scaled *scaled, double value, int digits)
{
    // the parts of an IEEE 754 double that is not subnormal: value = m * 2^(exponent - 53)
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t hidden = (uint64_t)1 << (MANTISSA_BITS - 1);
    const uint64_t m = (bits & (hidden - 1)) | hidden;
    const int exponent = (int)(bits >> (MANTISSA_BITS - 1)) - EXPONENT_BIAS;
    scaled->shift = MANTISSA_BITS - exponent;
    scaled->power_of_two = m == hidden;

    // log10 from the binary exponent: 1233 / 4096 is log10(2), low by too little to matter here
    int power = (exponent > 0 ? (exponent - 1) * 1233 : (exponent - 1) * 1233 - 4095) / 4096;
    if (power >= 0 ? value >= real_ten_to[power + 1] : value * real_ten_to[-power] >= 10)
        power++;

    // the comparison above may round up: then a digit is missing, and the second round gets it
    uint64_t number;
    scaled->scale = digits - 1 - power;
    do {
        scaled->ten = ten_to_wide(scaled->scale);
        scaled->product = m * scaled->ten;
        number = (uint64_t)((scaled->product + ((u128)1 << (scaled->shift - 1))) >> scaled->shift);
    } while (number < ten_to[digits - 1] && scaled->scale++ >= 0);
    return number;
}

/* Whether number*10^-scale reads back as the value: it lies within half a unit of m. Ties count as
 * no. */
static bool reads_back(const struct scaled *scaled, uint64_t number)
{
    u128 candidate = (u128)number << scaled->shift;
    u128 error =
        candidate > scaled->product ? candidate - scaled->product : scaled->product - candidate;
    return error * (scaled->power_of_two ? 4 : 2) < scaled->ten;
}

/* The fewest digits that read back: what fewer digits can say, more can. */
static uint64_t shorten(const struct scaled *scaled, uint64_t number)
{
    uint64_t best = number;
    for (int drop = 1; drop < DECIMAL_DIGITS_EXACT; drop++) {
        uint64_t unit = ten_to[drop];
        uint64_t shorter = (number + unit / 2) / unit * unit;
        if (!reads_back(scaled, shorter))
            break;
        best = shorter;
    }
    return best;
}

/* Room for any double that the compiler thinks "%.*g" may write; with 17 digits it writes 24 bytes.
 */
enum { PRINTF_BYTES = 352 };

/* Very large and very small values: printf, with the locale's point put right. */
static size_t write_by_printf(char *out, double value, int digits)
{
    char text[PRINTF_BYTES];
    snprintf(text, sizeof text, "%.*g", digits, value);
    for (int fewer = DIGITS_READ; digits == DECIMAL_DIGITS_EXACT && fewer < digits; fewer++) {
        char candidate[PRINTF_BYTES];
        snprintf(candidate, sizeof candidate, "%.*g", fewer, value);
        if (strtod(candidate, NULL) == value) {
            memcpy(text, candidate, sizeof text);
            break;
        }
    }

    // whatever is not part of a number is the point, in one byte or several
    size_t written = 0;
    for (const char *c = text; *c; c++) {
        if (strchr("0123456789+-e", *c))
            out[written++] = *c;
        else if (out[written - 1] != '.')
            out[written++] = '.';
    }
    return written;
}

size_t decimal_write(char *out, double value, int digits)
{
    double size = fabs(value);
    size_t sign = signbit(value) ? 1 : 0;
    if (sign)
        out[0] = '-';
    // "-0" is a whole number to some readers, and loses its sign there
    if (sign && size == 0)
        return (size_t)snprintf(out, DECIMAL_BYTES_MAX, "-0.0");

    // whole numbers and those of few decimals are many: a quotient of exact doubles rounds as a
    // reader does
    double whole_max = real_ten_to[digits < DIGITS_READ ? digits : DIGITS_READ];
    if (size < whole_max && size == (double)(uint64_t)size)
        return sign + decimal_write_u64(out + sign, (uint64_t)size);
    if (digits == DECIMAL_DIGITS_EXACT && size < SHORT_MAX) {
        uint64_t number = (uint64_t)(size * real_ten_to[SHORT_DECIMALS] + 0.5);
        if ((double)number / real_ten_to[SHORT_DECIMALS] == size)
            return sign + write_scaled(out + sign, number, SHORT_DECIMALS);
    }

    double exact_max = digits <= DIGITS_READ ? whole_max : EXACT_MAX;
    if (!(size >= EXACT_MIN && size < exact_max))
        return write_by_printf(out, value, digits);
    struct scaled scaled;
    uint64_t number = scale_exactly(&scaled, size, digits);
    if (digits == DECIMAL_DIGITS_EXACT)
        number = shorten(&scaled, number);
    return sign + write_scaled(out + sign, number, scaled.scale);
}

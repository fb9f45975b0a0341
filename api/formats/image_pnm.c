/* PNM's grey images: P1 and P4 (bitmaps, 1 is black), P2 and P5 (up to 16 bits, the high byte
 * first). A # begins a comment up to the end of its line, anywhere before the one blank that ends
 * the header of P4 and P5, and anywhere in P1 and P2. */
#include "formats/image.h"

#include <inttypes.h>
#include <string.h>

enum { MAXVAL_MAX = 65535, BYTE_VALUES = 256 };

struct scanner {
    const char *at, *end;
    struct problem *problem;
};

static bool fault(const struct scanner *scanner, const char *what)
{
    problem_add(scanner->problem, PROBLEM_INVALID_ARGUMENT, "pnm: %s", what);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Steps to the end of a comment's line, where there is one here. */
static void skip_comment(struct scanner *scanner)
{
    if (scanner->at == scanner->end || *scanner->at != '#')
        return;
    const char *newline = memchr(scanner->at, '\n', (size_t)(scanner->end - scanner->at));
    scanner->at = newline ? newline : scanner->end;
}

static void skip_blanks(struct scanner *scanner)
{
    while (scanner->at < scanner->end && (is_blank(*scanner->at) || *scanner->at == '#')) {
        skip_comment(scanner);
        if (scanner->at < scanner->end)
            scanner->at++;
    }
}

/* The next whole number; beyond 2^32 it only counts as that much. false: there is none. */
static bool take_number(struct scanner *scanner, uint64_t *number)
{
    skip_blanks(scanner);
    const char *first = scanner->at;
    *number = 0;
    for (; scanner->at < scanner->end && is_digit(*scanner->at); scanner->at++)
        if (*number <= UINT32_MAX)
            *number = *number * 10 + (uint64_t)(*scanner->at - '0');
    return scanner->at > first;
}

/* What the raster lacks. */
static bool too_short(const struct scanner *scanner, const char *units, uint64_t has,
                      uint64_t needs)
{
    problem_add(scanner->problem, PROBLEM_INVALID_ARGUMENT,
                "pnm: the raster has %" PRIu64 " of %" PRIu64 " %s", has, needs, units);
    return false;
}

static bool above_maxval(const struct scanner *scanner, const struct image *image, size_t pixel,
                         uint64_t value)
{
    problem_add(scanner->problem, PROBLEM_INVALID_ARGUMENT,
                "pnm: the pixel in column %zu, row %zu is %" PRIu64
                ", above the maximum of %" PRIu32,
                pixel % image->width, pixel / image->width, value, image->white);
    return false;
}

/* P2: numbers between blanks. */
static bool read_numbers(struct scanner *scanner, struct image *image, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) {
        uint64_t value;
        if (!take_number(scanner, &value))
            return scanner->at < scanner->end ? fault(scanner, "the raster holds what is no number")
                                              : too_short(scanner, "values", i, pixels);
        if (value > image->white)
            return above_maxval(scanner, image, i, value);
        image->values[i] = (uint16_t)value;
    }
    return true;
}

/* P1: the digits 0 and 1, with or without blanks between them. */
static bool read_digits(struct scanner *scanner, struct image *image, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) {
        skip_blanks(scanner);
        if (scanner->at == scanner->end)
            return too_short(scanner, "values", i, pixels);
        if (*scanner->at != '0' && *scanner->at != '1')
            return fault(scanner, "a bitmap is of 0 and 1");
        image->values[i] = *scanner->at++ == '0';
    }
    return true;
}

/* P5: one or two bytes a pixel. */
static bool read_bytes(struct scanner *scanner, struct image *image, size_t pixels)
{
    const unsigned char *bytes = (const unsigned char *)scanner->at;
    const bool wide = image->white >= BYTE_VALUES;
    for (size_t i = 0; i < pixels; i++) {
        const unsigned value = wide ? bytes[2 * i] * 256u + bytes[2 * i + 1] : bytes[i];
        if (value > image->white)
            return above_maxval(scanner, image, i, value);
        image->values[i] = (uint16_t)value;
    }
    scanner->at += pixels * (wide ? 2 : 1);
    return true;
}

/* P4: eight pixels a byte, the first in the highest bit, rows begin with a byte. */
static bool read_bits(struct scanner *scanner, struct image *image)
{
    const size_t stride = ((size_t)image->width + 7) / 8;
    for (size_t row = 0; row < image->height; row++) {
        const unsigned char *bits = (const unsigned char *)scanner->at + row * stride;
        uint16_t *values = image->values + row * image->width;
        for (size_t i = 0; i < image->width; i++)
            values[i] = !(bits[i / 8] >> (7 - i % 8) & 1);
    }
    scanner->at += stride * image->height;
    return true;
}

/* The fewest bytes that a raster of this kind takes. */
static uint64_t raster_least(char kind, uint64_t width, uint64_t height, uint64_t white)
{
    switch (kind) {
    case '1':
        return width * height;
    case '2':
        return 2 * width * height - 1;
    case '4':
        return (width + 7) / 8 * height;
    default:
        return width * height * (white >= BYTE_VALUES ? 2 : 1);
    }
}

/* Behind the magic number: width, height, maximum, and for binary rasters the one blank. */
static bool read_header(struct scanner *scanner, char kind, uint64_t *width, uint64_t *height,
                        uint64_t *white)
{
    const bool bitmap = kind == '1' || kind == '4';
    *white = 1;
    if (scanner->at < scanner->end && !is_blank(*scanner->at) && *scanner->at != '#')
        return fault(scanner, "a blank must follow the magic number");
    if (!take_number(scanner, width) || !take_number(scanner, height) ||
        (!bitmap && !take_number(scanner, white)))
        return fault(scanner, bitmap ? "the header must be width and height"
                                     : "the header must be width, height and the maximum");
    if (*white < 1 || *white > MAXVAL_MAX)
        return fault(scanner, "the maximum must be from 1 to 65535");
    skip_comment(scanner);
    if (scanner->at < scanner->end && !is_blank(*scanner->at))
        return fault(scanner, "one blank must follow the header");
    scanner->at += scanner->at < scanner->end;
    return true;
}

static bool read_raster(struct scanner *scanner, char kind, struct image *image)
{
    const size_t pixels = (size_t)image->width * image->height;
    switch (kind) {
    case '1':
        return read_digits(scanner, image, pixels);
    case '2':
        return read_numbers(scanner, image, pixels);
    case '4':
        return read_bits(scanner, image);
    default:
        return read_bytes(scanner, image, pixels);
    }
}

/* Nothing but blanks, and in texts comments, may follow: a size that is wrong shows here. */
static bool check_end(struct scanner *scanner)
{
    skip_blanks(scanner);
    if (scanner->at == scanner->end)
        return true;
    problem_add(scanner->problem, PROBLEM_INVALID_ARGUMENT,
                "pnm: %zu bytes follow the raster: is the size right?",
                (size_t)(scanner->end - scanner->at));
    return false;
}

bool image_read_pnm(struct image *image, const char *data, size_t bytes,
                    const struct limits *limits, struct problem *problem)
{
    struct scanner scanner = {data + 2, data + bytes, problem};
    const char kind = data[1];
    uint64_t width, height, white;
    if (kind == '3' || kind == '6' || kind == '7') {
        problem_add(problem, PROBLEM_UNSUPPORTED,
                    "pnm: P%c is not taken, only the grey P1, P2, P4 "
                    "and P5",
                    kind);
        return false;
    }
    if (!read_header(&scanner, kind, &width, &height, &white))
        return false;

    // a file holds no more pixels than its bytes are good for, whatever it claims
    if (!image_size_holds(width, height, limits, problem))
        return false;
    const uint64_t rest = (uint64_t)(scanner.end - scanner.at);
    const uint64_t least = raster_least(kind, width, height, white);
    if (least > rest)
        return too_short(&scanner, "bytes", rest, least);
    if (!image_init(image, (uint32_t)width, (uint32_t)height, false, problem))
        return false;
    image->white = (uint32_t)white;
    if (read_raster(&scanner, kind, image) && check_end(&scanner))
        return true;
    image_deinit(image);
    return false;
}

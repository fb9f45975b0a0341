/* Goal: grey images are read to the pixel whatever their depth and kind, and what is none, too
 * large or too short is refused before memory is taken. Method: tables of PNM texts; PNGs of every
 * kind written by libpng from known pixels; every truncation, and changed bytes, for a sanitizer to
 * watch. Oracle: the pixels as they were written. */
#include "formats/image.h"
#include "support/support.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 5, HEIGHT = 3, PIXELS = WIDTH * HEIGHT, ENCODED_MAX = 1 << 16 };

static bool read_bytes(struct image *image, const char *data, size_t bytes, struct problem *problem)
{
    struct limits limits = limits_default();
    limits.grid_cells = 1 << 16;
    return image_read(image, data, bytes, &limits, problem);
}

/* ---- PNM ---- */

/* A text whose zero bytes are written as part of the literal. */
#define BYTES(text) text, sizeof(text) - 1

static void pnm_is_read(void **state)
{
    (void)state;
    const struct {
        const char *data;
        size_t bytes;
        uint32_t width, height, white;
        uint16_t values[6];
    } rows[] = {
        {BYTES("P2\n3 2\n255\n0 205 254\n254 254 0\n"), 3, 2, 255, {0, 205, 254, 254, 254, 0}},
        {BYTES("P2 # c1\n# c2\n3 # w\n2\n# max next\n255\n0 205 254\n254 #x\n254 0"),
         3,
         2,
         255,
         {0, 205, 254, 254, 254, 0}},
        {BYTES("P2\t1\r\n1\r\n65535\r\n65535\r\n"), 1, 1, 65535, {65535}},
        {BYTES("P5\n3 2\n15\n\x00\x0c\x0f\x0f\x0f\x00"), 3, 2, 15, {0, 12, 15, 15, 15, 0}},
        // rasters that begin with what looks like a blank or a comment
        {BYTES("P5 2 1 255\n\n\r"), 2, 1, 255, {10, 13}},
        {BYTES("P5 2 1 255\r\n#"), 2, 1, 255, {10, 35}},
        {BYTES("P5 2 1 255# comment\n #"), 2, 1, 255, {32, 35}},
        // two bytes from a maximum of 256 on, the high one first
        {BYTES("P5 2 1 256\n\x00\xff\x01\x00"), 2, 1, 256, {255, 256}},
        {BYTES("P5 1 1 65535\n\x12\x34\n"), 1, 1, 65535, {0x1234}},
        // bitmaps: 1 is black, rows of P4 begin with a byte
        {BYTES("P1\n3 2\n010\n1 1\n0"), 3, 2, 1, {1, 0, 1, 0, 0, 1}},
        {BYTES("P4\n3 2\n\x5f\xc0"), 3, 2, 1, {1, 0, 1, 0, 0, 1}},
        {BYTES("P4\n1 2\n\x80\x7f"), 1, 2, 1, {0, 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct problem problem = {0};
        struct image image;
        if (!read_bytes(&image, rows[i].data, rows[i].bytes, &problem))
            fail_msg("row %zu: %s", i, problem.faults[0].detail);
        assert_int_equal(image.width, rows[i].width);
        assert_int_equal(image.height, rows[i].height);
        assert_int_equal(image.white, rows[i].white);
        assert_null(image.see_through);
        assert_memory_equal(image.values, rows[i].values,
                            sizeof *image.values * image.width * image.height);
        image_deinit(&image);
    }
}

static void bad_pnm_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *data;
        size_t bytes;
        enum problem_code code;
        const char *detail;
    } rows[] = {
        {BYTES(""), PROBLEM_UNSUPPORTED, "empty"},
        {BYTES("GIF89a"), PROBLEM_UNSUPPORTED, "neither PNG nor PNM"},
        {BYTES("P6 1 1 255\nabc"), PROBLEM_UNSUPPORTED, "P6"},
        {BYTES("P5"), PROBLEM_INVALID_ARGUMENT, "header"},
        {BYTES("P53 2 255\nabcdef"), PROBLEM_INVALID_ARGUMENT, "blank must follow"},
        {BYTES("P5 3 2"), PROBLEM_INVALID_ARGUMENT, "header"},
        {BYTES("P5 3 -2 255\n"), PROBLEM_INVALID_ARGUMENT, "header"},
        {BYTES("P5 0 2 255\n"), PROBLEM_INVALID_ARGUMENT, "no pixels"},
        {BYTES("P5 3 2 0\nabcdef"), PROBLEM_INVALID_ARGUMENT, "from 1 to 65535"},
        {BYTES("P5 3 2 65536\nabcdef"), PROBLEM_INVALID_ARGUMENT, "from 1 to 65535"},
        {BYTES("P5 3 2 255abcdef"), PROBLEM_INVALID_ARGUMENT, "one blank"},
        {BYTES("P5\n3 2\n255\n\x00\xcd\xfe\xfe"), PROBLEM_INVALID_ARGUMENT, "4 of 6 bytes"},
        {BYTES("P5 3 2 256\nabcdef"), PROBLEM_INVALID_ARGUMENT, "6 of 12 bytes"},
        {BYTES("P5 3 2 255\nabcdefg"), PROBLEM_INVALID_ARGUMENT, "1 bytes follow"},
        {BYTES("P5 3 1 15\nab\x01"), PROBLEM_INVALID_ARGUMENT, "column 0, row 0 is 97"},
        {BYTES("P2 2 2 3\n1 2 3 4"), PROBLEM_INVALID_ARGUMENT, "column 1, row 1 is 4"},
        {BYTES("P2 3 1 255\n100 200   "), PROBLEM_INVALID_ARGUMENT, "2 of 3 values"},
        {BYTES("P2 3 1 255\n1 2"), PROBLEM_INVALID_ARGUMENT, "3 of 5 bytes"},
        {BYTES("P2 3 1 255\n1 x 2"), PROBLEM_INVALID_ARGUMENT, "no number"},
        {BYTES("P2 3 1 255\n1 99999999999999999999999 2"), PROBLEM_INVALID_ARGUMENT, "above"},
        {BYTES("P1 3 1 012"), PROBLEM_INVALID_ARGUMENT, "0 and 1"},
        {BYTES("P1 3 1 0 1   "), PROBLEM_INVALID_ARGUMENT, "2 of 3 values"},
        {BYTES("P4 9 2\nabc"), PROBLEM_INVALID_ARGUMENT, "3 of 4 bytes"},
        {BYTES("P5 1000 1000 255\n"), PROBLEM_LIMIT_EXCEEDED, "1000 x 1000"},
        {BYTES("P5 4294967296 4294967296 255\n"), PROBLEM_LIMIT_EXCEEDED, "pixels"},
        {BYTES("P5 99999999999999999999 1 255\n"), PROBLEM_LIMIT_EXCEEDED, "pixels"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct problem problem = {0};
        struct image image;
        assert_false(read_bytes(&image, rows[i].data, rows[i].bytes, &problem));
        if (!problem.fault_count || !strstr(problem.faults[0].detail, rows[i].detail))
            fail_msg("row %zu: %s", i, problem.faults[0].detail);
        assert_int_equal(problem.faults[0].code, rows[i].code);
        assert_null(image.values);
    }
}

/* ---- PNG ---- */

struct encoded {
    char data[ENCODED_MAX];
    size_t bytes;
};

static void on_write(png_structp png, png_bytep data, size_t bytes)
{
    struct encoded *encoded = png_get_io_ptr(png);
    assert_true(encoded->bytes + bytes <= ENCODED_MAX);
    memcpy(encoded->data + encoded->bytes, data, bytes);
    encoded->bytes += bytes;
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* A kind of PNG. */
struct kind {
    int type, depth;
    bool interlaced, transparent; /* transparent: with a tRNS chunk */
};

static unsigned channels_of(int type)
{
    const unsigned colours = type == PNG_COLOR_TYPE_RGB || type == PNG_COLOR_TYPE_RGB_ALPHA ? 3 : 1;
    return colours + (type & PNG_COLOR_MASK_ALPHA ? 1 : 0);
}

/* The sample of a channel: all of a depth's values come up, alpha's largest too. */
static unsigned sample_of(const struct kind *kind, unsigned pixel, unsigned channel)
{
    const unsigned most = (1u << kind->depth) - 1;
    if ((kind->type & PNG_COLOR_MASK_ALPHA) && channel + 1 == channels_of(kind->type))
        return pixel % 3 ? most : most - 1 - pixel;
    return pixel * 19937u * (channel + 1) % (most + 1);
}

/* Rows of samples, packed from the high bits on. */
static void pack(unsigned char *rows, const struct kind *kind, size_t stride)
{
    const unsigned channels = channels_of(kind->type), depth = (unsigned)kind->depth;
    for (unsigned pixel = 0; pixel < PIXELS; pixel++) {
        unsigned char *row = rows + pixel / WIDTH * stride;
        for (unsigned channel = 0; channel < channels; channel++) {
            const unsigned value = sample_of(kind, pixel, channel);
            const unsigned bit = (pixel % WIDTH * channels + channel) * depth;
            if (depth == 16)
                row[bit / 8 + 1] = (unsigned char)value, row[bit / 8] = (unsigned char)(value >> 8);
            else
                row[bit / 8] = (unsigned char)(row[bit / 8] | value << (8 - depth - bit % 8));
        }
    }
}

static void encode(struct encoded *encoded, const struct kind *kind)
{
    unsigned char rows[HEIGHT * 64] = {0};
    png_bytep pointers[HEIGHT];
    png_color palette[256];
    png_byte alphas[1] = {7};
    png_color_16 key = {.gray = (png_uint_16)sample_of(kind, 4, 0),
                        .red = (png_uint_16)sample_of(kind, 4, 0),
                        .green = (png_uint_16)sample_of(kind, 4, 1),
                        .blue = (png_uint_16)sample_of(kind, 4, 2)};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    encoded->bytes = 0;
    png_set_write_fn(png, encoded, on_write, on_flush);
    png_set_IHDR(png, info, WIDTH, HEIGHT, kind->depth, kind->type,
                 kind->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    for (unsigned i = 0; i < 256; i++)
        palette[i] = (png_color){(png_byte)i, (png_byte)(i * 7), (png_byte)(i * 3)};
    if (kind->type == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(png, info, palette, 1 << kind->depth);
    if (kind->transparent)
        png_set_tRNS(png, info, alphas, 1, &key);
    png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = "Comment", .text = "a note"};
    png_set_text(png, info, &text, 1);
    png_set_gAMA(png, info, 0.45);
    png_write_info(png, info);
    pack(rows, kind, 64);
    for (unsigned row = 0; row < HEIGHT; row++)
        pointers[row] = rows + row * 64;
    png_write_image(png, pointers);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}

/* What a pixel must come back as: value of white, and whether it is seen through. */
static double expected_share(const struct kind *kind, unsigned pixel)
{
    const double most = (1u << kind->depth) - 1;
    const unsigned value = sample_of(kind, pixel, 0);
    if (kind->type == PNG_COLOR_TYPE_PALETTE)
        return ((value & 255) + (value * 7 & 255) + (value * 3 & 255)) / 765.0;
    if (kind->type & PNG_COLOR_MASK_COLOR)
        return (value + sample_of(kind, pixel, 1) + sample_of(kind, pixel, 2)) / (3 * most);
    return value / most;
}

static bool expected_see_through(const struct kind *kind, unsigned pixel)
{
    const unsigned value = sample_of(kind, pixel, 0);
    if (kind->type & PNG_COLOR_MASK_ALPHA)
        return pixel % 3 == 0;
    if (kind->type == PNG_COLOR_TYPE_PALETTE)
        return value == 0;
    bool key = value == sample_of(kind, 4, 0);
    for (unsigned channel = 1; channel < channels_of(kind->type); channel++)
        key = key && sample_of(kind, pixel, channel) == sample_of(kind, 4, channel);
    return key;
}

static const struct kind kinds[] = {
    {PNG_COLOR_TYPE_GRAY, 1, false, false},       {PNG_COLOR_TYPE_GRAY, 2, false, false},
    {PNG_COLOR_TYPE_GRAY, 4, true, false},        {PNG_COLOR_TYPE_GRAY, 8, false, false},
    {PNG_COLOR_TYPE_GRAY, 16, false, false},      {PNG_COLOR_TYPE_GRAY, 16, true, true},
    {PNG_COLOR_TYPE_GRAY, 2, false, true},        {PNG_COLOR_TYPE_GRAY_ALPHA, 8, false, false},
    {PNG_COLOR_TYPE_GRAY_ALPHA, 16, true, false}, {PNG_COLOR_TYPE_PALETTE, 1, false, false},
    {PNG_COLOR_TYPE_PALETTE, 4, true, true},      {PNG_COLOR_TYPE_PALETTE, 8, false, true},
    {PNG_COLOR_TYPE_RGB, 8, false, false},        {PNG_COLOR_TYPE_RGB, 8, false, true},
    {PNG_COLOR_TYPE_RGB, 16, true, false},        {PNG_COLOR_TYPE_RGB_ALPHA, 8, true, false},
    {PNG_COLOR_TYPE_RGB_ALPHA, 16, false, false},
};

static void png_of_every_kind_is_read(void **state)
{
    (void)state;
    struct encoded *encoded = malloc(sizeof *encoded);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kind *kind = &kinds[i];
        struct problem problem = {0};
        struct image image;
        encode(encoded, kind);
        if (!read_bytes(&image, encoded->data, encoded->bytes, &problem))
            fail_msg("kind %zu: %s", i, problem.faults[0].detail);
        assert_int_equal(image.width, WIDTH);
        assert_int_equal(image.height, HEIGHT);
        const bool see_through = kind->transparent || (kind->type & PNG_COLOR_MASK_ALPHA);
        assert_int_equal(image.see_through != NULL, see_through);
        const bool rounded = (kind->type & PNG_COLOR_MASK_COLOR) && kind->depth == 16;
        for (unsigned pixel = 0; pixel < PIXELS; pixel++) {
            const double share = image.values[pixel] / (double)image.white;
            const double error = share - expected_share(kind, pixel);
            if (error > (rounded ? 0.5 / 65535 : 0) || error < (rounded ? -0.5 / 65535 : 0))
                fail_msg("kind %zu, pixel %u: %.17g instead of %.17g", i, pixel, share,
                         expected_share(kind, pixel));
            if (image.see_through)
                assert_int_equal(image.see_through[pixel], expected_see_through(kind, pixel));
        }
        image_deinit(&image);
    }
    free(encoded);
}

/* Reads a copy whose end is watched; whether it was taken. */
static bool read_copy(const char *data, size_t bytes, struct problem *problem)
{
    struct image image;
    char *copy = malloc(bytes ? bytes : 1);
    memcpy(copy, data, bytes);
    const bool good = read_bytes(&image, copy, bytes, problem);
    free(copy);
    if (good)
        image_deinit(&image);
    assert_int_equal(good, problem->fault_count == 0);
    return good;
}

static void broken_png_is_refused(void **state)
{
    (void)state;
    struct encoded *encoded = malloc(sizeof *encoded);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i += 3) {
        encode(encoded, &kinds[i]);
        for (size_t bytes = 0; bytes < encoded->bytes; bytes++) {
            struct problem problem = {0};
            assert_false(read_copy(encoded->data, bytes, &problem));
        }
        // a changed byte is found by a checksum, wherever it does not make a chunk be skipped
        for (size_t at = 0; at < encoded->bytes; at++) {
            struct problem problem = {0};
            encoded->data[at] ^= 0x21;
            read_copy(encoded->data, encoded->bytes, &problem);
            encoded->data[at] ^= 0x21;
        }
    }

    // a size that no memory is taken for: width of IHDR, whose checksum comes after it
    struct problem problem = {0};
    encode(encoded, &kinds[3]);
    static const unsigned char SIDES[8] = {0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff};
    memcpy(encoded->data + 16, SIDES, sizeof SIDES);
    assert_false(read_copy(encoded->data, encoded->bytes, &problem));
    free(encoded);
}

static void large_png_hits_the_limit(void **state)
{
    (void)state;
    struct encoded *encoded = malloc(sizeof *encoded);
    struct limits limits = limits_default();
    struct problem problem = {0};
    struct image image;
    encode(encoded, &kinds[3]);
    limits.grid_cells = PIXELS - 1;
    assert_false(image_read(&image, encoded->data, encoded->bytes, &limits, &problem));
    assert_int_equal(problem.faults[0].code, PROBLEM_LIMIT_EXCEEDED);
    assert_string_equal(problem.faults[0].flag, "--max-grid-cells");
    limits.grid_cells = PIXELS;
    problem = (struct problem){0};
    assert_true(image_read(&image, encoded->data, encoded->bytes, &limits, &problem));
    image_deinit(&image);
    free(encoded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pnm_is_read),
        cmocka_unit_test(bad_pnm_is_refused),
        cmocka_unit_test(png_of_every_kind_is_read),
        cmocka_unit_test(broken_png_is_refused),
        cmocka_unit_test(large_png_hits_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

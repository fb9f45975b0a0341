/* PNG by libpng, as grey: any bit depth, palette, colour, transparency, interlaced or not.
 *
 * libpng leaves a fault by longjmp(): what must outlive the jump is in `struct reading`, outside of
 * the frame that it returns to. Ancillary chunks but tRNS are skipped unread, so that none of them
 * can take memory.
 */
#include "formats/image.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS_GREY = 1, CHANNELS_GREY_ALPHA = 2, COLOURS = 3, CHANNELS_RGBA = 4 };
enum { WHITE_8 = 255, WHITE_16 = 65535, BITS_WIDE = 16, CHUNK_BYTES_MAX = 1 << 16 };

struct reading {
    png_structp png;
    png_infop info;
    const unsigned char *at, *end;
    const struct limits *limits;
    struct problem *problem;
    struct image *image;
    unsigned char *raster; /* a row, or all rows of an interlaced image */
    png_bytep *rows;       /* of an interlaced image */
};

/* ---- what libpng calls ---- */

static void on_error(png_structp png, png_const_charp message)
{
    struct reading *reading = png_get_error_ptr(png);
    problem_add(reading->problem, PROBLEM_INVALID_ARGUMENT, "png: %s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void on_read(png_structp png, png_bytep out, size_t bytes)
{
    struct reading *reading = png_get_io_ptr(png);
    if (bytes > (size_t)(reading->end - reading->at))
        png_error(png, "the file ends within the image");
    memcpy(out, reading->at, bytes);
    reading->at += bytes;
}

/* ---- pixels ---- */

static unsigned sample(const unsigned char *row, size_t index, bool wide)
{
    return wide ? row[2 * index] * 256u + row[2 * index + 1] : row[index];
}

/* One row as libpng gives it, as grey. Of 8 bit colours the sum is kept, of 16 bit ones the mean.
 */
static void take_row(struct image *image, size_t at, const unsigned char *row, unsigned channels,
                     bool wide)
{
    const bool colour = channels > CHANNELS_GREY_ALPHA;
    const unsigned opaque = wide ? WHITE_16 : WHITE_8;
    uint16_t *values = image->values + at * image->width;
    for (size_t i = 0; i < image->width; i++) {
        unsigned value = sample(row, channels * i, wide);
        if (colour) {
            value += sample(row, channels * i + 1, wide) + sample(row, channels * i + 2, wide);
            value = wide ? (value + 1) / COLOURS : value;
        }
        values[i] = (uint16_t)value;
        if (image->see_through)
            image->see_through[at * image->width + i] =
                sample(row, channels * i + channels - 1, wide) < opaque;
    }
}

/* Sets libpng up: what it may take, and what it makes of all kinds of pixels. */
static void configure(struct reading *reading)
{
    png_structp png = reading->png;
    png_set_read_fn(png, reading, on_read);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png, CHUNK_BYTES_MAX);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_AS_DEFAULT, (png_const_bytep) "tRNS", 1);
    png_read_info(png, reading->info);
    png_set_palette_to_rgb(png);
    png_set_expand_gray_1_2_4_to_8(png);
    if (png_get_valid(png, reading->info, PNG_INFO_tRNS))
        png_set_tRNS_to_alpha(png);
}

/* Reads all; leaves by longjmp() where libpng finds a fault. false: a fault of ours. */
static bool read_pixels(struct reading *reading)
{
    png_structp png = reading->png;
    configure(reading);
    const uint32_t width = png_get_image_width(png, reading->info);
    const uint32_t height = png_get_image_height(png, reading->info);
    if (!image_size_holds(width, height, reading->limits, reading->problem))
        return false;
    const bool interlaced = png_set_interlace_handling(png) > 1;
    png_read_update_info(png, reading->info);

    // what is left to read has rows of this form
    const unsigned channels = png_get_channels(png, reading->info);
    const bool wide = png_get_bit_depth(png, reading->info) == BITS_WIDE;
    const size_t stride = png_get_rowbytes(png, reading->info);
    const bool see_through = channels == CHANNELS_GREY_ALPHA || channels == CHANNELS_RGBA;
    if (!image_init(reading->image, width, height, see_through, reading->problem))
        return false;
    reading->image->white = wide                             ? WHITE_16
                            : channels > CHANNELS_GREY_ALPHA ? COLOURS * WHITE_8
                                                             : WHITE_8;
    reading->raster = malloc(interlaced ? stride * height : stride);
    reading->rows = malloc((interlaced ? height : 1) * sizeof(*reading->rows));
    if (!reading->raster || !reading->rows) {
        problem_no_memory(reading->problem, "an image");
        return false;
    }

    // rows of an interlaced image are complete when all are read
    for (uint32_t row = 0; interlaced && row < height; row++)
        reading->rows[row] = reading->raster + row * stride;
    if (interlaced)
        png_read_image(png, reading->rows);
    for (uint32_t row = 0; row < height; row++) {
        if (!interlaced)
            png_read_row(png, reading->raster, NULL);
        take_row(reading->image, row, interlaced ? reading->rows[row] : reading->raster, channels,
                 wide);
    }
    png_read_end(png, NULL);
    return true;
}

/* The frame that longjmp() returns to. */
static bool guard(struct reading *reading)
{
    if (setjmp(png_jmpbuf(reading->png)))
        return false;
    return read_pixels(reading);
}

bool image_read_png(struct image *image, const char *data, size_t bytes,
                    const struct limits *limits, struct problem *problem)
{
    struct reading reading = {.at = (const unsigned char *)data,
                              .end = (const unsigned char *)data + bytes,
                              .limits = limits,
                              .problem = problem,
                              .image = image};
    bool good = false;
    reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, on_error, on_warning);
    reading.info = reading.png ? png_create_info_struct(reading.png) : NULL;
    if (reading.info)
        good = guard(&reading);
    else
        problem_no_memory(problem, "an image");
    png_destroy_read_struct(&reading.png, &reading.info, NULL);
    free(reading.raster);
    free(reading.rows);
    if (!good)
        image_deinit(image);
    return good;
}

#include "formats/heightfield.h"

#include "formats/gather.h"
#include "formats/image.h"

#include <stdlib.h>
#include <string.h>

/* Columns of one height side by side, over one or more rows. */
struct run {
    uint32_t begin, end; /* columns, the end not among them */
    uint32_t top;        /* the row that it begins in */
    uint16_t value;
};

/* An image becoming boxes. */
struct field {
    const struct image *image;
    double resolution, height, base;
    struct gather *gather;
};

/* Gives out the box of a run that ends above row `bottom`. */
static bool add_box(const struct field *field, const struct run *run, uint32_t bottom)
{
    const double rows = field->image->height, step = field->resolution;
    const double top = field->height * run->value / field->image->white;
    const double row[6] = {step * (run->begin + run->end) / 2,
                           step * (rows - ((double)run->top + bottom) / 2),
                           (field->base + top) / 2,
                           step * (run->end - run->begin),
                           step * (bottom - run->top),
                           top - field->base};
    return gather_row(field->gather, row);
}

/* The run that begins at a column of a row. */
static struct run run_at(const struct image *image, uint32_t row, uint32_t column)
{
    const uint16_t *values = image->values + (size_t)row * image->width;
    struct run run = {.begin = column, .end = column, .top = row, .value = values[column]};
    while (run.end < image->width && values[run.end] == run.value)
        run.end++;
    return run;
}

/* Splits a row into runs, each of which goes on from the row above where that has the same; what
 * does not go on is given out. above: runs of the row above, *count of them; below: where this
 * row's go. */
static bool add_row(const struct field *field, uint32_t row, const struct run *above,
                    struct run *below, uint32_t *count)
{
    const uint32_t above_count = *count;
    uint32_t next = 0;
    bool good = true;
    *count = 0;
    for (uint32_t column = 0; good && column < field->image->width;) {
        struct run run = run_at(field->image, row, column);
        // those above that begin left of it have met no equal
        for (; good && next < above_count && above[next].begin < run.begin; next++)
            good = add_box(field, &above[next], row);
        if (next < above_count && above[next].begin == run.begin && above[next].end == run.end &&
            above[next].value == run.value)
            run.top = above[next++].top;
        column = run.end;
        below[(*count)++] = run;
    }
    for (; good && next < above_count; next++)
        good = add_box(field, &above[next], row);
    return good;
}

static bool add_columns(const struct field *field)
{
    const uint32_t width = field->image->width, height = field->image->height;
    struct run *runs = calloc(2 * (size_t)width, sizeof *runs);
    struct run *above = runs, *below = runs + (runs ? width : 0);
    uint32_t count = 0;
    bool good = runs;
    if (!runs)
        problem_no_memory(field->gather->file->problem, "a height field");
    for (uint32_t row = 0; good && row < height; row++) {
        good = add_row(field, row, above, below, &count);
        struct run *swap = above;
        above = below;
        below = swap;
    }
    for (uint32_t i = 0; good && i < count; i++)
        good = add_box(field, &above[i], height);
    free(runs);
    return good;
}

/* Whether every pixel has a height. */
static bool check_opaque(const struct image *image, struct problem *problem)
{
    const size_t pixels = (size_t)image->width * image->height;
    const uint8_t *hole = image->see_through ? memchr(image->see_through, 1, pixels) : NULL;
    if (!hole)
        return true;
    const size_t pixel = (size_t)(hole - image->see_through);
    problem_add(problem, PROBLEM_INVALID_ARGUMENT,
                "the pixel in column %zu, row %zu is transparent: it has no height",
                pixel % image->width, pixel / image->width);
    return false;
}

static bool check_options(const struct format_file *file)
{
    if (!(file->height > 0))
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "height, of white in metres, must be given");
    else if (file->has_base && !(file->base < 0))
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "base must lie below 0, where black is");
    else
        return true;
    return false;
}

bool heightfield_read(struct world_document *world, struct format_report *report,
                      const struct format_file *file)
{
    struct image image;
    if (!check_options(file) ||
        !image_read(&image, file->data, file->bytes, file->limits, file->problem))
        return false;
    // the resolution is the pixels', not that of a field the boxes are kept as
    struct format_file boxes = *file;
    boxes.resolution = 0;
    struct gather gather = gather_begin(OBSTACLE_BOXES, &boxes);
    const double resolution = file->resolution > 0 ? file->resolution : 1;
    const struct field field = {.image = &image,
                                .resolution = resolution,
                                .height = file->height,
                                .base = file->has_base ? file->base : -resolution,
                                .gather = &gather};
    const bool good = check_opaque(&image, file->problem) && add_columns(&field);
    image_deinit(&image);
    return gather_end(&gather, world, report, good);
}

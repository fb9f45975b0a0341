#include "formats/movingai.h"

#include "formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUOTED_MAX = 32 };

/* The lines of the file one by one. */
struct lines {
    struct reader reader;
    struct word line; /* the current one; before the first its number */
    struct problem *problem;
};

/* Steps to the next line; false at the end of the file. */
static bool lines_step(struct lines *lines)
{
    return reader_line(&lines->reader, &lines->line);
}

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Reports a fault of the current line; column from 1. */
static bool fault_at(const struct lines *lines, struct problem_fault *fault, size_t column)
{
    fault->line = lines->line.line;
    fault->column = (int)column;
    return false;
}

static bool invalid(const struct lines *lines, const char *what)
{
    return fault_at(lines,
                    problem_add(lines->problem, PROBLEM_INVALID_ARGUMENT, "line %d: %s",
                                lines->line.line, what),
                    1);
}

/* Takes "key value" apart, blanks around the value dropped; a key alone has an empty value. */
static bool header_line(struct lines *lines, const char *key, const char **value, size_t *length)
{
    char what[QUOTED_MAX];
    snprintf(what, sizeof what, "must begin with \"%s\"", key);
    size_t key_length = strlen(key);
    if (!lines_step(lines) || !word_begins(&lines->line, key))
        return invalid(lines, what);

    const char *begin = lines->line.text + key_length;
    const char *end = lines->line.text + lines->line.length;
    if (begin < end && !blank(*begin))
        return invalid(lines, what);
    while (begin < end && blank(*begin))
        begin++;
    while (end > begin && blank(end[-1]))
        end--;
    *value = begin;
    *length = (size_t)(end - begin);
    return true;
}

/* "height 8": a decimal number from 1, in the limits of a grid's side. */
static bool header_number(struct lines *lines, const char *key, const struct limits *limits,
                          uint32_t *number)
{
    const char *digits = NULL;
    size_t length = 0;
    uint64_t value = 0;
    if (!header_line(lines, key, &digits, &length))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return invalid(lines, "the size must be a whole number");
        if (value <= UINT32_MAX)
            value = value * 10 + (uint64_t)(digits[i] - '0');
    }
    if (!value)
        return invalid(lines, "the size must be at least 1");
    if (value > limits->grid_cells || value > UINT32_MAX) {
        struct problem_fault *fault =
            problem_add(lines->problem, PROBLEM_LIMIT_EXCEEDED,
                        "line %d: a map of more cells than the limit", lines->line.line);
        problem_fault_limit(fault, limits, LIMIT_grid_cells);
        return fault_at(lines, fault, 1);
    }
    *number = (uint32_t)value;
    return true;
}

/* "type octile": cells of one size, steps to 8 neighbours; no other type has the same meaning here.
 */
static bool header_type(struct lines *lines)
{
    const char *type = NULL;
    size_t length = 0;
    if (!header_line(lines, "type", &type, &length))
        return false;
    if (length == strlen("octile") && memcmp(type, "octile", length) == 0)
        return true;
    return fault_at(lines,
                    problem_add(lines->problem, PROBLEM_UNSUPPORTED,
                                "line %d: maps of type \"%.*s\" are not supported, only octile",
                                lines->line.line, (int)(length < QUOTED_MAX ? length : QUOTED_MAX),
                                type),
                    1);
}

static bool read_header(struct lines *lines, const struct limits *limits,
                        struct grid_document *grid)
{
    const char *rest;
    size_t length;
    if (!header_type(lines) || !header_number(lines, "height", limits, &grid->height) ||
        !header_number(lines, "width", limits, &grid->width) ||
        !header_line(lines, "map", &rest, &length))
        return false;
    if (length)
        return invalid(lines, "must be \"map\" alone");
    if ((uint64_t)grid->width * grid->height <= limits->grid_cells)
        return true;
    struct problem_fault *fault =
        problem_add(lines->problem, PROBLEM_LIMIT_EXCEEDED,
                    "the map has %" PRIu32 " x %" PRIu32 " cells, more than the limit", grid->width,
                    grid->height);
    problem_fault_limit(fault, limits, LIMIT_grid_cells);
    return false;
}

/* Position of the first character that is no cell, or the length. */
static size_t first_unknown(const char *row, size_t length)
{
    size_t i = 0;
    while (i < length && row[i] && strchr(".GSTW@O", row[i]))
        i++;
    return i;
}

static bool read_row(const struct lines *lines, const struct grid_document *grid, uint32_t row)
{
    size_t unknown = first_unknown(lines->line.text, lines->line.length);
    if (unknown < lines->line.length) {
        unsigned char c = (unsigned char)lines->line.text[unknown];
        struct problem_fault *fault = problem_add(
            lines->problem, PROBLEM_INVALID_ARGUMENT,
            c > ' ' && c < 0x7F ? "row %" PRIu32 ", column %zu: '%c' is no cell of a map"
                                : "row %" PRIu32 ", column %zu: byte %u is no cell of a map",
            row, unknown, c);
        return fault_at(lines, fault, unknown + 1);
    }
    if (lines->line.length != grid->width) {
        struct problem_fault *fault =
            problem_add(lines->problem, PROBLEM_INVALID_ARGUMENT,
                        "row %" PRIu32 " has %zu cells where the width is %" PRIu32, row,
                        lines->line.length, grid->width);
        return fault_at(lines, fault, lines->line.length + 1);
    }
    memcpy(grid->rows + (size_t)row * grid->width, lines->line.text, lines->line.length);
    return true;
}

/* Rows are counted from 0 at the top, as scenarios count them. */
static bool read_rows(struct lines *lines, const struct grid_document *grid)
{
    uint32_t row = 0;
    for (; row < grid->height && lines_step(lines); row++)
        if (!read_row(lines, grid, row))
            return false;

    // only blank lines may follow
    uint64_t rows = row;
    while (lines_step(lines))
        rows += lines->line.length > 0;
    if (rows == grid->height)
        return true;
    return fault_at(lines,
                    problem_add(lines->problem, PROBLEM_INVALID_ARGUMENT,
                                "the map has %" PRIu64 " rows where the height is %" PRIu32, rows,
                                grid->height),
                    1);
}

/* Sets the classes that are freed. */
static bool read_passable(struct grid_document *grid, const char *passable, struct problem *problem)
{
    for (const char *c = passable ? passable : ""; *c; c++) {
        if (*c == 'T') {
            grid->passable_trees = true;
        } else if (*c == 'W') {
            grid->passable_water = true;
        } else {
            problem_add(problem, PROBLEM_INVALID_ARGUMENT,
                        "passable must be T (trees), W (water) or both");
            return false;
        }
    }
    return true;
}

bool movingai_read(struct world_document *world, const char *data, size_t bytes,
                   const char *passable, const struct limits *limits, struct problem *problem)
{
    struct lines lines = {
        .reader = {data, data + bytes, 1, problem}, .line = {.line = 1}, .problem = problem};
    struct grid_document grid = {.resolution = 1};
    if (!read_passable(&grid, passable, problem) || !read_header(&lines, limits, &grid))
        return false;

    // a file cannot have more cells than bytes, whatever it claims
    size_t cells = (size_t)grid.width * grid.height;
    if (cells > bytes) {
        struct problem_fault *fault =
            problem_add(problem, PROBLEM_INVALID_ARGUMENT,
                        "the file is too short for %" PRIu32 " rows of %" PRIu32 " cells",
                        grid.height, grid.width);
        return fault_at(&lines, fault, 1);
    }
    grid.rows = malloc(cells);
    if (!grid.rows) {
        problem_no_memory(problem, "a map of %zu cells", cells);
        return false;
    }
    if (!read_rows(&lines, &grid)) {
        free(grid.rows);
        return false;
    }
    return world_of_grid(world, &grid, limits, problem);
}

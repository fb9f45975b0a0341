#include "formats/stl.h"

#include "formats/gather.h"
#include "formats/numbers.h"
#include "formats/reader.h"

#include <inttypes.h>
#include <strings.h>

enum {
    HEADER_BYTES = 80,
    BEGIN_BYTES = 84, /* with the count */
    TRIANGLE_BYTES = 50,
    NORMAL_BYTES = 12,
    NUMBER_BYTES = 4,
    AXES = 3,
    CORNERS = 3,
};

/* A triangle of three new vertices. */
static bool add_triangle(struct gather *gather, const double corners[CORNERS][AXES])
{
    const uint32_t first = gather->obstacle.point_count;
    for (int corner = 0; corner < CORNERS; corner++)
        if (!gather_row(gather, corners[corner]))
            return false;
    return gather_triangle(gather, (uint32_t[CORNERS]){first, first + 1, first + 2});
}

/* ---- binary ---- */

static bool read_binary(struct gather *gather, const unsigned char *data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *at = data + BEGIN_BYTES + (size_t)TRIANGLE_BYTES * i + NORMAL_BYTES;
        double corners[CORNERS][AXES];
        for (int number = 0; number < CORNERS * AXES; number++, at += NUMBER_BYTES)
            corners[number / AXES][number % AXES] = number_get(NUMBER_F32, at, false);
        if (!add_triangle(gather, (const double(*)[AXES])corners))
            return false;
    }
    return true;
}

/* ---- ascii ---- */

static bool is_word(const struct word *word, const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return word->length == length && strncasecmp(word->text, text, length) == 0;
}

/* The next word must be this one. */
static bool expect(struct reader *reader, const char *text)
{
    struct word word;
    if (!reader_word(reader, &word))
        return reader_fault(reader, reader->line, "the file ends where \"%s\" is due", text);
    return is_word(&word, text) ||
           reader_fault(reader, word.line, "\"%s\" is due, not \"%.*s\"", text, WORD_SHOWN(&word));
}

/* What follows "facet", up to "endfacet". */
static bool read_facet(struct gather *gather, struct reader *reader)
{
    double corners[CORNERS][AXES];
    struct word normal;
    if (!expect(reader, "normal"))
        return false;
    for (int axis = 0; axis < AXES; axis++) {
        double unused;
        if (!reader_word(reader, &normal) || !word_number(&normal, &unused))
            return reader_fault(reader, reader->line, "a normal has 3 numbers");
    }
    if (!expect(reader, "outer") || !expect(reader, "loop"))
        return false;
    for (int corner = 0; corner < CORNERS; corner++)
        if (!expect(reader, "vertex") || !reader_places(reader, "a vertex", corners[corner], AXES))
            return false;
    return expect(reader, "endloop") && expect(reader, "endfacet") &&
           add_triangle(gather, (const double(*)[AXES])corners);
}

/* One or more of "solid NAME", facets, "endsolid NAME". */
static bool read_ascii(struct gather *gather, struct reader *reader)
{
    struct word word, name;
    bool inside = false;
    while (reader_word(reader, &word)) {
        const bool begins = is_word(&word, "solid"), ends = is_word(&word, "endsolid");
        if (inside && is_word(&word, "facet")) {
            if (!read_facet(gather, reader))
                return false;
            continue;
        }
        if (inside ? !ends : !begins)
            return reader_fault(reader, word.line, "\"%s\" is due, not \"%.*s\"",
                                inside ? "facet\" or \"endsolid" : "solid", WORD_SHOWN(&word));
        inside = begins;

        // the name is the rest of the line, and may be missing
        reader_line(reader, &name);
    }
    return !inside || reader_fault(reader, reader->line, "the file ends without \"endsolid\"");
}

/* ---- the file ---- */

/* Whether a file that is no binary one begins as an ascii one; else what it is not is told. */
static bool begins_ascii(const struct format_file *file)
{
    struct reader reader = reader_of(file);
    struct word word;
    if (reader_word(&reader, &word) && is_word(&word, "solid"))
        return true;
    if (file->bytes < BEGIN_BYTES)
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "the file is no STL: it has %zu bytes, too few for a binary one, and does not "
                    "begin with \"solid\"",
                    file->bytes);
    else
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "the file counts %" PRIu32 " triangles, which need %" PRIu64
                    " bytes, and has %zu",
                    number_u32(file->data + HEADER_BYTES),
                    BEGIN_BYTES + (uint64_t)TRIANGLE_BYTES * number_u32(file->data + HEADER_BYTES),
                    file->bytes);
    return false;
}

bool stl_read(struct world_document *world, struct format_report *report,
              const struct format_file *file)
{
    const unsigned char *data = (const unsigned char *)file->data;
    const uint32_t count = file->bytes >= BEGIN_BYTES ? number_u32(file->data + HEADER_BYTES) : 0;
    const bool binary =
        file->bytes >= BEGIN_BYTES && BEGIN_BYTES + (uint64_t)TRIANGLE_BYTES * count == file->bytes;
    if (!binary && !begins_ascii(file))
        return false;

    struct reader reader = reader_of(file);
    struct gather gather = gather_begin(OBSTACLE_MESH, file);
    return gather_end(&gather, world, report,
                      binary ? read_binary(&gather, data, count) : read_ascii(&gather, &reader));
}

#include "formats/obj.h"

#include "formats/gather.h"
#include "formats/reader.h"

#include <inttypes.h>

enum { AXES = 3, CORNERS = 3 };

struct obj {
    struct reader reader;
    struct gather *gather;
    uint64_t left_out; /* lines and points */
};

/* The next word of a statement, which a backslash at the end of a line carries on. */
static bool next_word(struct obj *obj, struct word *line, struct word *word)
{
    while (word_split(line, NULL, word) && *word->text != '#') {
        const bool ends = word->text[word->length - 1] == '\\';
        word->length -= ends;
        if (ends && !reader_line(&obj->reader, line))
            *line = (struct word){word->text, 0, word->line};
        if (word->length)
            return true;
    }
    return false;
}

/* v x y z, and a weight or a colour that is left out. */
static bool read_vertex(struct obj *obj, struct word *line)
{
    double point[AXES];
    for (int axis = 0; axis < AXES; axis++) {
        struct word word;
        const int number = line->line;
        if (!next_word(obj, line, &word))
            return reader_fault(&obj->reader, number, "a vertex has 3 numbers, not %d", axis);
        if (!word_number(&word, point + axis))
            return reader_fault(&obj->reader, word.line, "\"%.*s\" is no number",
                                WORD_SHOWN(&word));
        if (!reader_place_holds(&obj->reader, word.line, "a coordinate", point[axis]))
            return false;
    }
    return gather_row(obj->gather, point);
}

/* A whole number of at most UINT32_MAX, with a sign; takes what it has off the word. */
static bool split_index(struct word *word, int64_t *index)
{
    const bool negative = word->length && *word->text == '-';
    size_t at = negative;
    int64_t value = 0;
    for (; at < word->length && word->text[at] >= '0' && word->text[at] <= '9'; at++)
        if (value <= UINT32_MAX)
            value = 10 * value + (word->text[at] - '0');
    const bool good = at > (size_t)negative && value <= UINT32_MAX;
    word->text += at;
    word->length -= at;
    *index = negative ? -value : value;
    return good;
}

/* The vertex of one corner, counted from 0. Those to come are known when all is read. */
static bool read_corner(const struct obj *obj, const struct word *word, uint32_t *corner)
{
    struct word rest = *word;
    int64_t index = 0, unused;
    bool good = split_index(&rest, &index);
    for (int part = 0; good && part < 2 && rest.length && *rest.text == '/'; part++) {
        rest.text++;
        rest.length--;
        if (rest.length && *rest.text != '/')
            good = split_index(&rest, &unused);
    }
    if (!good || rest.length)
        return reader_fault(&obj->reader, word->line, "\"%.*s\" is no corner of a face",
                            WORD_SHOWN(word));
    const int64_t vertex = index > 0 ? index - 1 : obj->gather->obstacle.point_count + index;
    if (!index || vertex < 0)
        return reader_fault(&obj->reader, word->line, "there is no vertex %" PRId64, index);
    *corner = (uint32_t)vertex;
    return true;
}

static bool read_face(struct obj *obj, struct word *line)
{
    const int number = line->line;
    uint32_t corners[CORNERS] = {0};
    unsigned count = 0;
    struct word word;
    for (; next_word(obj, line, &word); count += count < CORNERS) {
        uint32_t corner = 0;
        if (!read_corner(obj, &word, &corner))
            return false;
        corners[0] = count ? corners[0] : corner;
        corners[1] = count > 1 ? corners[2] : corners[0];
        corners[2] = corner;
        if (count >= 2 && !gather_triangle(obj->gather, corners))
            return false;
    }
    return count >= CORNERS ||
           reader_fault(&obj->reader, number, "a face has 3 corners at least, not %u", count);
}

/* A first line that is nothing but numbers. */
static bool is_count(const struct word *key)
{
    uint64_t unused;
    return key->line == 1 && word_whole(key, &unused);
}

/* Statements that say nothing of the shape. */
static bool is_skipped(const struct word *key)
{
    static const char *const keys[] = {"vt",     "vn",         "vp",       "g",        "o",
                                       "s",      "mg",         "usemtl",   "mtllib",   "usemap",
                                       "maplib", "bevel",      "c_interp", "d_interp", "lod",
                                       "call",   "shadow_obj", "trace_obj"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (word_is(key, keys[i]))
            return true;
    return is_count(key);
}

/* The rest of a statement that is of no use here, and the lines that carry it on. */
static void skip(struct obj *obj, struct word line)
{
    while (line.length && line.text[line.length - 1] == '\\' && reader_line(&obj->reader, &line))
        continue;
}

static bool read_statement(struct obj *obj, struct word line)
{
    struct word key;
    if (!word_split(&line, NULL, &key) || *key.text == '#')
        return true;
    if (word_is(&key, "f") || word_is(&key, "fo"))
        return read_face(obj, &line);
    const bool vertex = word_is(&key, "v"), left_out = word_is(&key, "l") || word_is(&key, "p");
    obj->left_out += left_out;
    if (vertex && !read_vertex(obj, &line))
        return false;
    if (vertex || left_out || is_skipped(&key)) {
        skip(obj, line);
        return true;
    }
    return reader_unsupported(&obj->reader, key.line, "\"%.*s\" is not read here, only faces are",
                              WORD_SHOWN(&key));
}

static bool read_statements(struct obj *obj, struct format_report *report)
{
    struct word line;
    while (reader_line(&obj->reader, &line))
        if (!read_statement(obj, line))
            return false;
    if (obj->left_out)
        report_warn(report, "%" PRIu64 " lines or points were left out: only faces are read.",
                    obj->left_out);
    if (obj->gather->obstacle.triangle_count)
        return true;
    problem_add(obj->reader.problem, PROBLEM_INVALID_ARGUMENT, "the file has no face");
    return false;
}

bool obj_read(struct world_document *world, struct format_report *report,
              const struct format_file *file)
{
    struct gather gather = gather_begin(OBSTACLE_MESH, file);
    struct obj obj = {.reader = reader_of(file), .gather = &gather};
    return gather_end(&gather, world, report, read_statements(&obj, report));
}

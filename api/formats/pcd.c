#include "formats/pcd.h"

#include "formats/gather.h"
#include "formats/numbers.h"
#include "formats/reader.h"

#include <inttypes.h>
#include <lzf.h>
#include <math.h>
#include <stdlib.h>

enum { FIELDS_MAX = 128, COUNT_MAX = 1 << 20, AXES = 3, SIZES_BYTES = 8, SIZE_BYTES = 4 };

/* LZF makes at most 264 bytes of 3. */
enum { LZF_RATIO_MAX = 88 };

enum storage { ASCII, BINARY, COMPRESSED };

/* One field: `count` numbers, of which the first is at `offset` in a point, as bytes and as
 * numbers. */
struct field {
    struct word name;
    uint64_t size, count;
    char type;
    size_t offset, index;
};

struct header {
    struct field fields[FIELDS_MAX];
    size_t field_count;
    uint64_t width, height, points; /* UINT64_MAX: not given */
    enum storage storage;
    size_t stride, numbers; /* of a point: bytes, numbers */
    size_t axes[AXES];      /* the fields x, y, z */
};

/* ---- the header ---- */

static bool read_fields(struct header *header, const struct reader *reader, struct word *line)
{
    struct word word;
    header->field_count = 0;
    while (word_split(line, NULL, &word)) {
        if (header->field_count == FIELDS_MAX)
            return reader_fault(reader, line->line, "there are more than %d fields", FIELDS_MAX);
        header->fields[header->field_count++] = (struct field){.name = word, .count = 1};
    }
    return header->field_count || reader_fault(reader, line->line, "FIELDS names none");
}

/* SIZE, TYPE or COUNT: a word for each field. */
static bool read_of_fields(struct header *header, const struct reader *reader,
                           const struct word *key, struct word *line)
{
    for (size_t i = 0; i < header->field_count; i++) {
        struct field *field = &header->fields[i];
        struct word word;
        bool good = word_split(line, NULL, &word);
        if (good && word_is(key, "TYPE")) {
            field->type = *word.text;
            good = word.length == 1;
        } else if (good && word_is(key, "SIZE")) {
            good = word_whole(&word, &field->size);
        } else if (good) {
            good = word_whole(&word, &field->count) && field->count <= COUNT_MAX;
        }
        if (!good)
            return reader_fault(reader, line->line, "%.*s must be given for each of %zu fields",
                                WORD_SHOWN(key), header->field_count);
    }
    struct word more;
    return !word_split(line, NULL, &more) ||
           reader_fault(reader, line->line, "%.*s is given for more than the %zu fields there are",
                        WORD_SHOWN(key), header->field_count);
}

static bool read_storage(struct header *header, const struct reader *reader, struct word *line)
{
    static const char *const texts[] = {"ascii", "binary", "binary_compressed"};
    struct word word;
    const bool given = word_split(line, NULL, &word);
    for (int i = ASCII; given && i <= COMPRESSED; i++) {
        header->storage = (enum storage)i;
        if (word_is(&word, texts[i]))
            return true;
    }
    return reader_fault(reader, line->line, "DATA must be ascii, binary or binary_compressed");
}

/* One line of the header. *data: it was the last. */
static bool read_entry(struct header *header, const struct reader *reader, struct word line,
                       bool *data)
{
    struct word key, word;
    if (!word_split(&line, NULL, &key) || *key.text == '#')
        return true;
    *data = word_is(&key, "DATA");
    if (*data)
        return read_storage(header, reader, &line);
    if (word_is(&key, "FIELDS"))
        return read_fields(header, reader, &line);
    if (word_is(&key, "SIZE") || word_is(&key, "TYPE") || word_is(&key, "COUNT"))
        return read_of_fields(header, reader, &key, &line);
    uint64_t *number = word_is(&key, "WIDTH")    ? &header->width
                       : word_is(&key, "HEIGHT") ? &header->height
                       : word_is(&key, "POINTS") ? &header->points
                                                 : NULL;
    if (number)
        return (word_split(&line, NULL, &word) && word_whole(&word, number)) ||
               reader_fault(reader, key.line, "%.*s must be a whole number", WORD_SHOWN(&key));
    return word_is(&key, "VERSION") || word_is(&key, "VIEWPOINT") ||
           reader_fault(reader, key.line, "\"%.*s\" is no line of a PCD header", WORD_SHOWN(&key));
}

static enum number_type field_type(const struct field *field)
{
    static const struct {
        char type;
        uint64_t size;
        enum number_type number;
    } types[] = {
        {'F', 4, NUMBER_F32}, {'F', 8, NUMBER_F64}, {'I', 1, NUMBER_I8}, {'I', 2, NUMBER_I16},
        {'I', 4, NUMBER_I32}, {'I', 8, NUMBER_I64}, {'U', 1, NUMBER_U8}, {'U', 2, NUMBER_U16},
        {'U', 4, NUMBER_U32}, {'U', 8, NUMBER_U64},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == field->type && types[i].size == field->size)
            return types[i].number;
    return NUMBER_NONE;
}

/* Where each field lies, and which are the coordinates. */
static bool place_fields(struct header *header, const struct reader *reader)
{
    static const char *const names[AXES] = {"x", "y", "z"};
    unsigned found[AXES] = {0};
    for (size_t i = 0; i < header->field_count; i++) {
        struct field *field = &header->fields[i];
        if (field_type(field) == NUMBER_NONE)
            return reader_fault(reader, field->name.line,
                                "field \"%.*s\" needs TYPE F of SIZE 4 or 8, or I or U of 1, 2, 4 "
                                "or 8",
                                WORD_SHOWN(&field->name));
        for (unsigned axis = 0; axis < AXES; axis++) {
            if (!word_is(&field->name, names[axis]))
                continue;
            header->axes[axis] = i;
            found[axis] += field->count == 1 ? 1 : 2;
        }
        field->offset = header->stride;
        field->index = header->numbers;
        header->stride += field->size * field->count;
        header->numbers += field->count;
    }
    for (unsigned axis = 0; axis < AXES; axis++)
        if (found[axis] != 1)
            return reader_fault(reader, reader->line,
                                "there must be one field \"%s\" of one number", names[axis]);
    return true;
}

/* How many points there are, within the limit. */
static bool count_points(struct header *header, const struct reader *reader,
                         const struct format_file *file)
{
    const bool sized = header->width != UINT64_MAX;
    if (!sized && header->points == UINT64_MAX)
        return reader_fault(reader, reader->line, "there is neither WIDTH nor POINTS");
    if (header->height == UINT64_MAX)
        header->height = 1;
    if (sized && (header->width > UINT32_MAX || header->height > UINT32_MAX))
        return reader_fault(reader, reader->line, "WIDTH and HEIGHT are too large");
    const uint64_t all = sized ? header->width * header->height : header->points;
    if (header->points != UINT64_MAX && header->points != all)
        return reader_fault(reader, reader->line, "POINTS is %" PRIu64 ", WIDTH by HEIGHT %" PRIu64,
                            header->points, all);
    header->points = all;
    if (all <= file->limits->points)
        return true;
    struct problem_fault *fault =
        problem_add(file->problem, PROBLEM_LIMIT_EXCEEDED,
                    "the file has %" PRIu64 " points, more than the limit (%s)", all,
                    limit_table[LIMIT_points].flag);
    problem_fault_limit(fault, file->limits, LIMIT_points);
    return false;
}

static bool read_header(struct header *header, struct reader *reader,
                        const struct format_file *file)
{
    bool data = false;
    while (!data) {
        struct word line;
        if (!reader_line(reader, &line))
            return reader_fault(reader, reader->line, "the header has no line DATA");
        if (!read_entry(header, reader, line, &data))
            return false;
    }
    return place_fields(header, reader) && count_points(header, reader, file);
}

/* ---- the data ---- */

/* A line of numbers, one for each of all fields. */
static bool read_row(const struct header *header, const struct reader *reader, struct word line,
                     double point[AXES])
{
    const int number = line.line;
    struct word word;
    size_t count = 0;
    for (; word_split(&line, NULL, &word); count++) {
        double value;
        if (!word_number(&word, &value))
            return reader_fault(reader, number, "\"%.*s\" is no number", WORD_SHOWN(&word));
        for (unsigned axis = 0; axis < AXES; axis++)
            if (header->fields[header->axes[axis]].index == count)
                point[axis] = value;
    }
    return count == header->numbers ||
           reader_fault(reader, number, "the line has %zu numbers where the fields have %zu", count,
                        header->numbers);
}

static bool read_ascii(struct gather *gather, const struct header *header, struct reader *reader)
{
    struct word line, copy, word;
    uint64_t rows = 0;
    while (reader_line(reader, &line)) {
        double point[AXES];
        copy = line;
        if (!word_split(&copy, NULL, &word))
            continue;
        if (rows++ == header->points)
            return reader_fault(reader, line.line,
                                "the header says %" PRIu64 " points, and here is one more",
                                header->points);
        if (!read_row(header, reader, line, point) || !gather_point(gather, point))
            return false;
    }
    return rows == header->points ||
           reader_fault(reader, reader->line,
                        "the file ends after %" PRIu64 " of %" PRIu64 " points", rows,
                        header->points);
}

/* Points whose field i begins at `begin[i]` and repeats every `step[i]` bytes. */
static bool read_points(struct gather *gather, const struct header *header,
                        const unsigned char *const begin[AXES], const size_t step[AXES])
{
    for (uint64_t i = 0; i < header->points; i++) {
        double point[AXES];
        for (unsigned axis = 0; axis < AXES; axis++)
            point[axis] = number_get(field_type(&header->fields[header->axes[axis]]),
                                     begin[axis] + step[axis] * i, false);
        if (!gather_point(gather, point))
            return false;
    }
    return true;
}

/* Whether the data are just what is needed; zeros may follow, as the library fills pages of memory
 * that it writes. */
static bool check_size(const struct format_file *file, uint64_t needed, const unsigned char *data,
                       uint64_t bytes)
{
    bool good = bytes >= needed;
    for (uint64_t i = needed; good && i < bytes; i++)
        good = data[i] == 0;
    if (!good)
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "the points need %" PRIu64 " bytes of data, and there are %" PRIu64, needed,
                    bytes);
    return good;
}

/* Point after point. */
static bool read_binary(struct gather *gather, const struct header *header,
                        const unsigned char *data, size_t bytes)
{
    const unsigned char *begin[AXES];
    size_t step[AXES];
    if (!check_size(gather->file, header->points * header->stride, data, bytes))
        return false;
    for (unsigned axis = 0; axis < AXES; axis++) {
        begin[axis] = data + header->fields[header->axes[axis]].offset;
        step[axis] = header->stride;
    }
    return read_points(gather, header, begin, step);
}

/* Field after field, unpacked. */
static bool read_unpacked(struct gather *gather, const struct header *header,
                          const unsigned char *data)
{
    const unsigned char *begin[AXES];
    size_t step[AXES];
    for (unsigned axis = 0; axis < AXES; axis++) {
        const struct field *field = &header->fields[header->axes[axis]];
        begin[axis] = data + header->points * field->offset;
        step[axis] = field->size;
    }
    return read_points(gather, header, begin, step);
}

static bool read_compressed(struct gather *gather, const struct header *header,
                            const unsigned char *data, size_t bytes)
{
    const struct format_file *file = gather->file;
    if (bytes < SIZES_BYTES)
        return check_size(file, SIZES_BYTES, data, bytes);
    const uint32_t packed = number_u32(data), unpacked = number_u32(data + SIZE_BYTES);
    if (!check_size(file, (uint64_t)packed + SIZES_BYTES, data, bytes))
        return false;
    if (unpacked != header->points * header->stride || unpacked / LZF_RATIO_MAX > packed) {
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "%u packed bytes claim to be %u bytes, and the points need %" PRIu64, packed,
                    unpacked, header->points * header->stride);
        return false;
    }
    if (unpacked > file->limits->body_bytes) {
        struct problem_fault *fault =
            problem_add(file->problem, PROBLEM_LIMIT_EXCEEDED,
                        "unpacked, the data have %u bytes, more than the limit (%s)", unpacked,
                        limit_table[LIMIT_body_bytes].flag);
        problem_fault_limit(fault, file->limits, LIMIT_body_bytes);
        return false;
    }
    if (!unpacked)
        return true;

    unsigned char *fields = malloc(unpacked);
    if (!fields) {
        problem_no_memory(file->problem, "%u bytes of points", unpacked);
        return false;
    }
    bool good = lzf_decompress(data + SIZES_BYTES, packed, fields, unpacked) == unpacked;
    if (good)
        good = read_unpacked(gather, header, fields);
    else
        problem_add(file->problem, PROBLEM_INVALID_ARGUMENT,
                    "the data are not %u bytes as LZF packs them", unpacked);
    free(fields);
    return good;
}

static bool read_data(struct gather *gather, const struct header *header, struct reader *reader)
{
    const unsigned char *data = (const unsigned char *)reader->at;
    const size_t bytes = (size_t)(reader->end - reader->at);
    switch (header->storage) {
    case BINARY:
        return read_binary(gather, header, data, bytes);
    case COMPRESSED:
        return read_compressed(gather, header, data, bytes);
    case ASCII:
        break;
    }
    return read_ascii(gather, header, reader);
}

bool pcd_read(struct world_document *world, struct format_report *report,
              const struct format_file *file)
{
    struct reader reader = reader_of(file);
    struct header header = {.width = UINT64_MAX, .height = UINT64_MAX, .points = UINT64_MAX};
    if (!read_header(&header, &reader, file))
        return false;
    struct gather gather = gather_begin(OBSTACLE_POINTS, file);
    return gather_end(&gather, world, report, read_data(&gather, &header, &reader));
}

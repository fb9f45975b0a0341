#include "formats/ply.h"

#include "formats/gather.h"
#include "formats/numbers.h"
#include "formats/reader.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ELEMENTS_MAX = 32, PROPERTIES_MAX = 512, AXES = 3, NONE = -1 };

/* A property: a number, or a list of numbers behind their count. */
struct property {
    struct word name;
    enum number_type type, count_type; /* count_type: NUMBER_NONE where it is no list */
};

struct element {
    struct word name;
    uint64_t count;
    size_t first, properties; /* in the pool */
};

struct ply {
    struct reader reader;
    bool binary, big_endian;
    struct element elements[ELEMENTS_MAX];
    size_t element_count;
    struct property properties[PROPERTIES_MAX];
    size_t property_count;
    struct gather *gather;
};

/* ---- the header ---- */

static bool read_type(const struct reader *reader, struct word *line, enum number_type *type)
{
    static const struct {
        const char *text;
        enum number_type type;
    } types[] = {
        {"char", NUMBER_I8},     {"uchar", NUMBER_U8},   {"short", NUMBER_I16},
        {"ushort", NUMBER_U16},  {"int", NUMBER_I32},    {"uint", NUMBER_U32},
        {"float", NUMBER_F32},   {"double", NUMBER_F64}, {"int8", NUMBER_I8},
        {"uint8", NUMBER_U8},    {"int16", NUMBER_I16},  {"uint16", NUMBER_U16},
        {"int32", NUMBER_I32},   {"uint32", NUMBER_U32}, {"float32", NUMBER_F32},
        {"float64", NUMBER_F64},
    };
    struct word word;
    if (!word_split(line, NULL, &word))
        return reader_fault(reader, line->line, "a property needs a type and a name");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        *type = types[i].type;
        if (word_is(&word, types[i].text))
            return true;
    }
    return reader_fault(reader, line->line, "\"%.*s\" is no type of a property", WORD_SHOWN(&word));
}

static bool read_format(struct ply *ply, struct word *line)
{
    struct word format, version;
    if (!word_split(line, NULL, &format) || !word_split(line, NULL, &version) ||
        !word_is(&version, "1.0"))
        return reader_fault(&ply->reader, line->line, "format must be of version 1.0");
    ply->big_endian = word_is(&format, "binary_big_endian");
    ply->binary = ply->big_endian || word_is(&format, "binary_little_endian");
    return ply->binary || word_is(&format, "ascii") ||
           reader_fault(&ply->reader, line->line,
                        "format must be ascii, binary_little_endian or binary_big_endian");
}

static bool read_element(struct ply *ply, struct word *line)
{
    struct word name, count;
    struct element *element = &ply->elements[ply->element_count];
    if (ply->element_count == ELEMENTS_MAX)
        return reader_fault(&ply->reader, line->line, "there are more than %d elements",
                            ELEMENTS_MAX);
    *element = (struct element){.first = ply->property_count};
    if (!word_split(line, NULL, &name) || !word_split(line, NULL, &count) ||
        !word_whole(&count, &element->count))
        return reader_fault(&ply->reader, line->line, "an element needs a name and a count");
    element->name = name;
    ply->element_count++;
    return true;
}

static bool read_property(struct ply *ply, struct word *line)
{
    struct property *property = &ply->properties[ply->property_count];
    struct word copy = *line, word;
    if (!ply->element_count)
        return reader_fault(&ply->reader, line->line, "a property comes before all elements");
    if (ply->property_count == PROPERTIES_MAX)
        return reader_fault(&ply->reader, line->line, "there are more than %d properties",
                            PROPERTIES_MAX);
    *property = (struct property){.count_type = NUMBER_NONE};
    if (word_split(&copy, NULL, &word) && word_is(&word, "list")) {
        *line = copy;
        if (!read_type(&ply->reader, line, &property->count_type))
            return false;
    }
    if (!read_type(&ply->reader, line, &property->type))
        return false;
    if (!word_split(line, NULL, &property->name))
        return reader_fault(&ply->reader, line->line, "a property needs a name");
    ply->property_count++;
    ply->elements[ply->element_count - 1].properties++;
    return true;
}

static bool read_header(struct ply *ply)
{
    struct reader *reader = &ply->reader;
    struct word line, key;
    bool has_format = false;
    if (!reader_line(reader, &line) || !word_is(&line, "ply"))
        return reader_fault(reader, 1, "the file is no PLY: it must begin with a line \"ply\"");
    for (;;) {
        if (!reader_line(reader, &line))
            return reader_fault(reader, reader->line, "the header has no line \"end_header\"");
        if (!word_split(&line, NULL, &key) || word_is(&key, "comment") || word_is(&key, "obj_info"))
            continue;
        if (word_is(&key, "end_header"))
            break;
        bool good = false;
        if (word_is(&key, "format"))
            good = has_format = read_format(ply, &line);
        else if (word_is(&key, "element"))
            good = read_element(ply, &line);
        else if (word_is(&key, "property"))
            good = read_property(ply, &line);
        else
            reader_fault(reader, key.line, "\"%.*s\" is no line of a PLY header", WORD_SHOWN(&key));
        if (!good)
            return false;
    }
    return has_format || reader_fault(reader, reader->line, "the header has no line \"format\"");
}

/* ---- the data ---- */

/* The next number of a type. */
static bool take(struct ply *ply, enum number_type type, double *value)
{
    struct reader *reader = &ply->reader;
    struct word word;
    if (ply->binary) {
        const size_t bytes = number_bytes(type);
        if ((size_t)(reader->end - reader->at) < bytes) {
            problem_add(reader->problem, PROBLEM_INVALID_ARGUMENT,
                        "the data end before the elements do");
            return false;
        }
        *value = number_get(type, reader->at, ply->big_endian);
        reader->at += bytes;
        return true;
    }
    if (!reader_word(reader, &word))
        return reader_fault(reader, reader->line, "the data end before the elements do");
    return word_number(&word, value) ||
           reader_fault(reader, word.line, "\"%.*s\" is no number", WORD_SHOWN(&word));
}

/* A whole number from 0: a count or an index. */
static bool take_whole(struct ply *ply, enum number_type type, uint32_t *whole)
{
    double value;
    if (!take(ply, type, &value))
        return false;
    if (!(value >= 0 && value <= UINT32_MAX && value <= floor(value))) {
        problem_add(ply->reader.problem, PROBLEM_INVALID_ARGUMENT,
                    "a list has a count or index of %g", value);
        return false;
    }
    *whole = (uint32_t)value;
    return true;
}

/* The corners of one face, as a fan about the first. A face of fewer than three is a flat triangle.
 */
static bool take_face(struct ply *ply, const struct property *list, bool wanted)
{
    uint32_t count, corners[AXES] = {0};
    if (!take_whole(ply, list->count_type, &count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t corner = 0;
        double value;
        if (!wanted) {
            if (!take(ply, list->type, &value))
                return false;
            continue;
        }
        if (!take_whole(ply, list->type, &corner))
            return false;
        corners[0] = i ? corners[0] : corner;
        corners[1] = i > 1 ? corners[2] : corners[0];
        corners[2] = corner;
        const bool whole = i >= 2 || (count <= 2 && i + 1 == count);
        if (whole && !gather_triangle(ply->gather, corners))
            return false;
    }
    return true;
}

/* The property of that name, of an element; NONE. */
static int find(const struct ply *ply, const struct element *element, const char *name, bool list)
{
    for (size_t i = 0; i < element->properties; i++) {
        const struct property *property = &ply->properties[element->first + i];
        if (word_is(&property->name, name) && (property->count_type != NUMBER_NONE) == list)
            return (int)i;
    }
    return NONE;
}

static bool is_vertex(const struct element *element)
{
    return word_is(&element->name, "vertex");
}

/* The property that lists a face's corners; NONE. */
static int find_corners(const struct ply *ply, const struct element *element)
{
    if (!word_is(&element->name, "face"))
        return NONE;
    const int index = find(ply, element, "vertex_indices", true);
    return index == NONE ? find(ply, element, "vertex_index", true) : index;
}

/* All of one element. Elements without properties have no data. */
static bool read_rows(struct ply *ply, const struct element *element)
{
    const bool vertex = is_vertex(element), mesh = ply->gather->obstacle.type == OBSTACLE_MESH;
    const int corners = find_corners(ply, element);
    const int axes[AXES] = {find(ply, element, "x", false), find(ply, element, "y", false),
                            find(ply, element, "z", false)};
    if (vertex && (axes[0] == NONE || axes[1] == NONE || axes[2] == NONE)) {
        problem_add(ply->reader.problem, PROBLEM_INVALID_ARGUMENT, "vertices need x, y and z");
        return false;
    }
    for (uint64_t row = 0; element->properties && row < element->count; row++) {
        double point[AXES] = {0}, value = 0;
        for (int i = 0; i < (int)element->properties; i++) {
            const struct property *property = &ply->properties[element->first + (size_t)i];
            if (property->count_type != NUMBER_NONE) {
                if (!take_face(ply, property, i == corners))
                    return false;
                continue;
            }
            if (!take(ply, property->type, &value))
                return false;
            for (int axis = 0; axis < AXES; axis++)
                if (axes[axis] == i)
                    point[axis] = value;
        }
        if (vertex && !(mesh ? gather_row(ply->gather, point) : gather_point(ply->gather, point)))
            return false;
    }
    return true;
}

static bool read_data(struct ply *ply)
{
    for (size_t i = 0; i < ply->element_count; i++)
        if (!read_rows(ply, &ply->elements[i]))
            return false;
    struct reader *reader = &ply->reader;
    struct word word;
    if (ply->binary ? reader->at < reader->end : reader_word(reader, &word)) {
        problem_add(reader->problem, PROBLEM_INVALID_ARGUMENT,
                    "there are more data than the elements need");
        return false;
    }
    return true;
}

/* Vertices once, and as mesh where a face has corners. */
static bool find_type(const struct ply *ply, enum obstacle_type *type)
{
    unsigned vertices = 0;
    *type = OBSTACLE_POINTS;
    for (size_t i = 0; i < ply->element_count; i++) {
        const struct element *element = &ply->elements[i];
        vertices += is_vertex(element);
        if (element->count && find_corners(ply, element) != NONE)
            *type = OBSTACLE_MESH;
    }
    if (vertices == 1)
        return true;
    problem_add(ply->reader.problem, PROBLEM_INVALID_ARGUMENT,
                "the header must have one element \"vertex\", and has %u", vertices);
    return false;
}

bool ply_read(struct world_document *world, struct format_report *report,
              const struct format_file *file)
{
    struct ply ply = {.reader = reader_of(file)};
    enum obstacle_type type;
    if (!read_header(&ply) || !find_type(&ply, &type))
        return false;
    struct gather gather = gather_begin(type, file);
    ply.gather = &gather;
    return gather_end(&gather, world, report, read_data(&ply));
}

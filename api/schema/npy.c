#include "schema/npy.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Data begin at a multiple of this, as numpy has it. */
enum { ALIGNMENT = 64, PREAMBLE_BYTES = 8, LENGTH_BYTES_V1 = 2, LENGTH_BYTES_V2 = 4 };
enum { UTF32_BYTES = 4, DESCR_BYTES_MAX = 16, SHAPE_DIGITS_MAX = 19, BASE = 10 };

static const char magic[] = "\x93NUMPY";
enum { MAGIC_BYTES = sizeof magic - 1 };

static const struct {
    char kind, order;
    uint32_t bytes;
} types[NPY_TYPE_COUNT] = {
#define X(constant, kind, bytes, order) {kind, order, bytes},
    NPY_TYPES(X)
#undef X
};

/* A header on its way through the parser. */
struct header {
    const char *at, *end;
    const char *member;
    struct problem *problem;
};

__attribute__((format(printf, 3, 4))) static bool
refuse(const struct header *header, enum problem_code code, const char *format, ...)
{
    char text[PROBLEM_DETAIL_MAX / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    const char *member = header->member;
    struct problem_fault *fault =
        problem_add(header->problem, code, "%s%s: not an npy array to be read here: %s",
                    member ? "/" : "the body", member ? member : "", text);
    fault->has_pointer = true;
    snprintf(fault->pointer, sizeof fault->pointer, "%s%s", member ? "/" : "",
             member ? member : "");
    return false;
}

/* ---- the header: a Python literal of a dictionary ---- */

static void skip_spaces(struct header *header)
{
    while (header->at < header->end && *header->at == ' ')
        header->at++;
}

/* Takes one character behind spaces, or leaves all as it is. */
static bool take(struct header *header, char wanted)
{
    const char *before = header->at;
    skip_spaces(header);
    if (header->at < header->end && *header->at == wanted) {
        header->at++;
        return true;
    }
    header->at = before;
    return false;
}

static bool expect(struct header *header, char wanted)
{
    return take(header, wanted) ||
           refuse(header, PROBLEM_MALFORMED, "its header lacks a %c", wanted);
}

static bool take_string(struct header *header, char *string, size_t room)
{
    const char quote = take(header, '\'') ? '\'' : '"';
    if (quote == '"' && !take(header, '"'))
        return refuse(header, PROBLEM_MALFORMED, "its header lacks a string");
    size_t length = 0;
    for (; header->at < header->end && *header->at != quote; header->at++) {
        if (length + 1 == room)
            return refuse(header, PROBLEM_MALFORMED, "its header has a string too long");
        string[length++] = *header->at;
    }
    string[length] = '\0';
    return expect(header, quote);
}

static bool take_word(struct header *header, const char *word)
{
    const size_t length = strlen(word);
    skip_spaces(header);
    if ((size_t)(header->end - header->at) < length || memcmp(header->at, word, length) != 0)
        return false;
    header->at += length;
    return true;
}

/* A whole number without sign or leading zeros. */
static bool take_number(struct header *header, size_t *number)
{
    skip_spaces(header);
    const char *first = header->at;
    *number = 0;
    while (header->at < header->end && *header->at >= '0' && *header->at <= '9')
        *number = *number * BASE + (size_t)(*header->at++ - '0');
    const size_t digits = (size_t)(header->at - first);
    if (!digits || digits >= SHAPE_DIGITS_MAX || (digits > 1 && *first == '0'))
        return refuse(header, PROBLEM_MALFORMED, "its shape has an axis that is no length");
    return true;
}

/* (), (n,) or (n, m, …). */
static bool take_shape(struct header *header, struct npy_array *array)
{
    array->axes = 0;
    if (!expect(header, '('))
        return false;
    while (!take(header, ')')) {
        if (array->axes == NPY_AXES_MAX)
            return refuse(header, PROBLEM_UNSUPPORTED, "it has more than %d axes", NPY_AXES_MAX);
        if (!take_number(header, &array->shape[array->axes++]))
            return false;
        const bool comma = take(header, ',');
        if (!comma && array->axes == 1)
            return refuse(header, PROBLEM_MALFORMED, "its shape is no tuple");
        if (!comma)
            return expect(header, ')');
    }
    return true;
}

static bool text_length(const char *digits, size_t *length)
{
    *length = 0;
    for (; *digits >= '0' && *digits <= '9' && *length <= NPY_TEXT_CHARACTERS_MAX; digits++)
        *length = *length * BASE + (size_t)(*digits - '0');
    return !*digits && *length >= 1 && *length <= NPY_TEXT_CHARACTERS_MAX;
}

/* The item type: order, kind and bytes (of text: characters). */
static bool take_descr(struct header *header, struct npy_array *array)
{
    char descr[DESCR_BYTES_MAX] = "";
    skip_spaces(header);
    if (header->at < header->end && *header->at == '[')
        return refuse(header, PROBLEM_UNSUPPORTED, "its items are records");
    if (!take_string(header, descr, sizeof descr))
        return false;
    size_t length;
    for (unsigned type = 0; strlen(descr) > 2 && type < NPY_TYPE_COUNT; type++) {
        const bool is_text = types[type].bytes == 0;
        if (descr[0] != types[type].order || descr[1] != types[type].kind ||
            !text_length(descr + 2, &length) || (!is_text && length != types[type].bytes))
            continue;
        array->type = (enum npy_type)type;
        array->item_bytes = (uint32_t)(type == NPY_UTF32 ? length * UTF32_BYTES : length);
        return true;
    }
    return refuse(header, PROBLEM_UNSUPPORTED,
                  "its items are \"%s\"; u4, i4, f4, u8, i8, f8, u1 and b1 are taken, "
                  "little-endian",
                  descr);
}

static bool take_order(struct header *header)
{
    if (take_word(header, "False"))
        return true;
    if (take_word(header, "True"))
        return refuse(header, PROBLEM_UNSUPPORTED,
                      "it is in Fortran order; numpy.ascontiguousarray makes C order of it");
    return refuse(header, PROBLEM_MALFORMED, "its fortran_order is neither False nor True");
}

/* {'descr': …, 'fortran_order': …, 'shape': …, } in any order, then spaces and a new line. */
static bool take_header(struct header *header, struct npy_array *array)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    enum { KEYS = sizeof keys / sizeof *keys, KEY_BYTES_MAX = 16 };
    bool seen[KEYS] = {false};

    if (!expect(header, '{'))
        return false;
    for (unsigned i = 0; i < KEYS; i++) {
        char name[KEY_BYTES_MAX];
        if (!take_string(header, name, sizeof name) || !expect(header, ':'))
            return false;
        unsigned key = 0;
        while (key < KEYS && strcmp(name, keys[key]) != 0)
            key++;
        if (key == KEYS || seen[key])
            return refuse(header, PROBLEM_MALFORMED,
                          "its header does not have descr, fortran_order and shape once each");
        seen[key] = true;
        const bool good = key == 0   ? take_descr(header, array)
                          : key == 1 ? take_order(header)
                                     : take_shape(header, array);
        if (!good)
            return false;
        if (!take(header, ',') && i + 1 < KEYS)
            return refuse(header, PROBLEM_MALFORMED, "its header lacks a comma");
    }
    if (!expect(header, '}'))
        return false;
    skip_spaces(header);
    if (header->end - header->at != 1 || *header->at != '\n')
        return refuse(header, PROBLEM_MALFORMED, "its header does not end in a new line");
    return true;
}

/* ---- the file ---- */

/* Finds the header's text: magic, version, and a length of 2 bytes, or 4 from version 2 on. */
static bool find_header(struct header *header, const char *file, size_t bytes)
{
    if (bytes < PREAMBLE_BYTES || memcmp(file, magic, MAGIC_BYTES) != 0)
        return refuse(header, PROBLEM_MALFORMED, "it does not begin like one");
    const unsigned char *raw = (const unsigned char *)file;
    const unsigned major = raw[MAGIC_BYTES], minor = raw[MAGIC_BYTES + 1];
    if (major < 1 || major > 3 || minor != 0)
        return refuse(header, PROBLEM_UNSUPPORTED, "it is of version %u.%u", major, minor);

    const size_t length_bytes = major == 1 ? LENGTH_BYTES_V1 : LENGTH_BYTES_V2;
    if (bytes < PREAMBLE_BYTES + length_bytes)
        return refuse(header, PROBLEM_MALFORMED, "it is cut short within the header");
    size_t length = 0;
    for (size_t i = 0; i < length_bytes; i++)
        length |= (size_t)raw[PREAMBLE_BYTES + i] << (CHAR_BIT * i);
    if (length > NPY_HEADER_BYTES_MAX)
        return refuse(header, PROBLEM_MALFORMED, "its header is longer than %d bytes",
                      NPY_HEADER_BYTES_MAX);
    if (length > bytes - PREAMBLE_BYTES - length_bytes)
        return refuse(header, PROBLEM_MALFORMED, "it is cut short within the header");
    header->at = file + PREAMBLE_BYTES + length_bytes;
    header->end = header->at + length;
    return true;
}

bool npy_read(struct npy_array *array, const char *file, size_t bytes, const char *member,
              struct problem *problem)
{
    struct header header = {file, file, member, problem};
    *array = (struct npy_array){0};
    if (!find_header(&header, file, bytes))
        return false;
    const char *data = header.end;
    if (!take_header(&header, array))
        return false;

    // the product by division: a shape may say anything
    const size_t there = bytes - (size_t)(data - file);
    const size_t count_max = there / array->item_bytes;
    bool empty = false;
    for (unsigned axis = 0; axis < array->axes; axis++)
        empty |= array->shape[axis] == 0;
    array->count = empty ? 0 : 1;
    for (unsigned axis = 0; axis < array->axes && !empty; axis++) {
        if (array->shape[axis] > count_max / array->count)
            return refuse(&header, PROBLEM_MALFORMED,
                          "its data are %zu bytes, shorter than its shape says", there);
        array->count *= array->shape[axis];
    }
    if (array->count * array->item_bytes != there)
        return refuse(&header, PROBLEM_MALFORMED, "its data are %zu bytes where its shape says %zu",
                      there, array->count * array->item_bytes);
    array->data = data;
    return true;
}

struct npy_array npy_array(enum npy_type type, unsigned axes, const size_t *shape, const void *data)
{
    struct npy_array array = {
        .type = type, .item_bytes = types[type].bytes, .axes = axes, .count = 1, .data = data};
    for (unsigned axis = 0; axis < axes; axis++) {
        array.shape[axis] = shape[axis];
        array.count *= shape[axis];
    }
    return array;
}

void npy_write_header(const struct npy_array *array, struct text *out)
{
    enum { ROOM = 256 };
    char header[ROOM];
    const uint32_t size =
        array->type == NPY_UTF32 ? array->item_bytes / UTF32_BYTES : array->item_bytes;
    size_t length = (size_t)snprintf(header, sizeof header,
                                     "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
                                     types[array->type].order, types[array->type].kind, size);
    for (unsigned axis = 0; axis < array->axes; axis++)
        length += (size_t)snprintf(header + length, sizeof header - length,
                                   axis + 1 < array->axes ? "%zu, " : "%zu", array->shape[axis]);
    length += (size_t)snprintf(header + length, sizeof header - length, "%s), }",
                               array->axes == 1 ? "," : "");

    // spaces up to the alignment, the last byte a new line
    const size_t before = PREAMBLE_BYTES + LENGTH_BYTES_V1;
    const size_t total = (before + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(header + length, ' ', total - before - length);
    length = total - before;
    header[length - 1] = '\n';

    text_append(out, magic, MAGIC_BYTES);
    text_append(
        out, (char[]){1, 0, (char)(length & UCHAR_MAX), (char)(length >> CHAR_BIT & UCHAR_MAX)}, 4);
    text_append(out, header, length);
}

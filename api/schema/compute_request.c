#include "schema/compute_numbers.h"
#include "schema/media_type.h"
#include "schema/npz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A request being read. Options are members of one JSON object whatever the body is: those of npz
 * and of the URL are put into it. */
struct reader {
    const struct compute_row *row;
    struct compute_request *request;
    const struct limits *limits;
    struct problem *problem;
    struct json_node root;
    struct npz npz;
    void *no_file; /* NULL: what the main array owns */
    bool has_main; /* the body is the main array alone */
    struct npy_array main;
    bool has_type;
    struct numbers numbers[COMPUTE_FIELDS_MAX]; /* by field */
    bool found[COMPUTE_FIELDS_MAX];             /* whether there are such */
};

static const struct compute_field *find_field(const struct compute_row *row, const char *name)
{
    for (unsigned i = 0; i < row->field_count; i++)
        if (strcmp(row->fields[i].name, name) == 0)
            return &row->fields[i];
    return NULL;
}

static bool is_array(const struct compute_field *field)
{
    return field->kind < FIELD_ARRAYS_END;
}

/* The npy array of a field, with what it owns of its memory; NULL: it is JSON, or not there. */
static struct npy_array *npy_of(struct reader *reader, const struct compute_field *field,
                                void ***file)
{
    *file = &reader->no_file;
    if (reader->has_main && field == reader->row->fields)
        return &reader->main;
    struct npz_member *member = npz_find(&reader->npz, field->name);
    if (!member)
        return NULL;
    *file = &member->file;
    return &member->array;
}

/* ---- the body ---- */

static bool read_json(struct reader *reader, const char *body, size_t bytes)
{
    json_t *json = json_read(body, bytes, reader->problem);
    if (!json)
        return false;
    reader->root = json_node_root(json, reader->problem);

    const char *members[COMPUTE_FIELDS_MAX + 1] = {NULL};
    for (unsigned i = 0; i < reader->row->field_count; i++)
        members[i] = reader->row->fields[i].name;
    json_node_object(&reader->root, members, NULL);
    return json_is_object(json);
}

/* One item of text; NULL: not UTF-8. UTF-32 beyond ASCII is no word of any option. */
static json_t *text_option(const struct npy_array *array)
{
    char text[NPY_TEXT_CHARACTERS_MAX + 1] = "";
    const size_t step = array->type == NPY_UTF32 ? sizeof(uint32_t) : 1;
    for (size_t i = 0; i < array->item_bytes / step; i++) {
        const unsigned char *at = (const unsigned char *)array->data + i * step;
        const bool is_wide = step > 1 && (at[1] || at[2] || at[3] || at[0] > 0x7f);
        text[i] = (char)(is_wide ? '?' : at[0]);
    }
    return json_string(text);
}

#define OPTION(type, make)                                                                         \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, array->data, sizeof value);                                                 \
        return make(value);                                                                        \
    }

/* An array of one item as JSON; NULL: JSON has no such value. */
static json_t *option_of_npy(const struct npy_array *array)
{
    switch (array->type) {
    case NPY_BOOL:
        return json_boolean(*(const char *)array->data);
    case NPY_UINT8:
        OPTION(uint8_t, json_integer)
    case NPY_UINT32:
        OPTION(uint32_t, json_integer)
    case NPY_INT32:
        OPTION(int32_t, json_integer)
    case NPY_INT64:
        OPTION(int64_t, json_integer)
    case NPY_FLOAT32:
        OPTION(float, json_real)
    case NPY_FLOAT64:
        OPTION(double, json_real)
    case NPY_UINT64: {
        uint64_t value;
        memcpy(&value, array->data, sizeof value);
        return value > INT64_MAX ? json_real((double)value) : json_integer((json_int_t)value);
    }
    case NPY_UTF32:
    case NPY_BYTES:
        return text_option(array);
    case NPY_TYPE_COUNT:
        break;
    }
    return NULL;
}

/* Takes the options out of an archive, and refuses members that the operation does not know. */
static bool read_npz(struct reader *reader, const char *body, size_t bytes)
{
    if (!npz_read(&reader->npz, body, bytes, reader->limits, reader->problem))
        return false;
    for (unsigned i = 0; i < reader->npz.count; i++) {
        const struct npz_member *member = &reader->npz.members[i];
        const struct compute_field *field = find_field(reader->row, member->name);
        const struct json_node node = {NULL, &reader->root, member->name, 0, reader->problem};
        if (!field) {
            json_node_fault(&node, PROBLEM_UNKNOWN_MEMBER, "is not a member known here");
        } else if (!is_array(field) && member->array.count != 1) {
            json_node_fault(&node, PROBLEM_INVALID_ARGUMENT, "must be one value, not %zu",
                            member->array.count);
        } else if (!is_array(field)) {
            json_t *value = option_of_npy(&member->array);
            if (!value || json_object_set_new(reader->root.json, member->name, value) != 0)
                json_node_fault(&node, PROBLEM_INVALID_ARGUMENT,
                                "must be a finite number, a boolean or a word");
        }
    }
    return true;
}

/* Reads the body as far as its format goes; false: no more can be said of it. */
static bool read_body(struct reader *reader, enum compute_format format, const char *body,
                      size_t bytes)
{
    if (format == COMPUTE_JSON)
        return read_json(reader, body, bytes);

    reader->root = json_node_root(json_object(), reader->problem);
    if (!reader->root.json) {
        problem_no_memory(reader->problem, "the request");
        return false;
    }
    if (format == COMPUTE_NPZ)
        return read_npz(reader, body, bytes);
    if (!reader->row->has_main) {
        problem_add(reader->problem, PROBLEM_UNSUPPORTED_MEDIA_TYPE,
                    "%s takes no array that the body could be: send JSON", reader->row->name);
        return false;
    }
    reader->has_main = true;
    return npy_read(&reader->main, body, bytes, NULL, reader->problem);
}

/* The value of a parameter is JSON where it reads as such, else a word. */
static json_t *parameter_value(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    return value ? value : json_string(text);
}

static void add_parameters(struct reader *reader, const struct compute_parameter *parameters,
                           unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const char *key = parameters[i].key;
        const struct json_node node = {NULL, &reader->root, key, 0, reader->problem};
        const struct compute_field *field = find_field(reader->row, key);
        void **file;
        if (!field) {
            json_node_fault(&node, PROBLEM_UNKNOWN_MEMBER, "is not a parameter known here");
            continue;
        }
        if (json_object_get(reader->root.json, key) || npy_of(reader, field, &file)) {
            json_node_fault(&node, PROBLEM_INVALID_ARGUMENT, "is given twice");
            continue;
        }
        json_t *value = parameter_value(parameters[i].value);
        if (!value || json_object_set_new(reader->root.json, key, value) != 0)
            json_node_fault(&node, PROBLEM_MALFORMED, "is not UTF-8");
    }
}

/* ---- options ---- */

/* One of the kinds that the operation takes. */
static void read_type(struct reader *reader, const struct json_node *node)
{
    struct json_word words[COMPUTE_F64 + 1];
    unsigned count = 0;
    for (const struct json_word *word = compute_type_words; word->word; word++)
        if (reader->row->kinds & 1u << word->value)
            words[count++] = *word;
    words[count] = (struct json_word){NULL, 0};

    int kind = -1;
    json_node_word(node, words, &kind);
    if (kind >= 0) {
        reader->request->kind = (enum compute_kind)kind;
        reader->has_type = true;
    }
}

static void read_double(const struct json_node *node, const struct compute_field *field,
                        double *value)
{
    double number = *value;
    if (!node->json || !json_node_number(node, JSON_ANY, &number))
        return;
    const bool closed = (field->flags & FIELD_CLOSED) && number == field->max;
    if ((number > field->min && number < field->max) || closed)
        *value = number;
    else if (field->max < HUGE_VAL)
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be greater than %g and %s %g",
                        field->min, (field->flags & FIELD_CLOSED) ? "at most" : "less than",
                        field->max);
    else
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be greater than %g", field->min);
}

static void read_option(struct reader *reader, const struct compute_field *field)
{
    const bool required = field->flags & FIELD_REQUIRED;
    const struct json_node node = required ? json_node_member(&reader->root, field->name)
                                           : json_node_nullable(&reader->root, field->name);
    void *place = (char *)reader->request + field->offset;
    if (required && !json_node_required(&node))
        return;
    switch (field->kind) {
    case FIELD_TYPE:
        read_type(reader, &node);
        break;
    case FIELD_BOOL:
        json_node_bool(&node, place);
        break;
    case FIELD_U32:
        if (field->flags & FIELD_LIMITED)
            json_node_limited(&node, (uint32_t)field->min, reader->limits, field->limit, place);
        else
            json_node_u32(&node, (uint32_t)field->min, (uint32_t)field->max, place);
        break;
    case FIELD_SEED:
        json_node_u64(&node, 0, INT64_MAX, place);
        break;
    case FIELD_DOUBLE:
        read_double(&node, field, place);
        break;
    case FIELD_WORD:
        json_node_word(&node, field->words, place);
        break;
    case FIELD_TYPED:
    case FIELD_PAYLOAD:
    case FIELD_INDEX:
    case FIELD_FLAG:
    case FIELD_REAL:
        break;
    }
}

/* ---- arrays ---- */

static void find_numbers(struct reader *reader, unsigned index)
{
    const struct compute_field *field = &reader->row->fields[index];
    const bool required = field->flags & FIELD_REQUIRED;
    const struct json_node node = required ? json_node_member(&reader->root, field->name)
                                           : json_node_nullable(&reader->root, field->name);
    void **file;
    const struct npy_array *array = npy_of(reader, field, &file);
    if (array) {
        void *owned = *file;
        *file = NULL;
        reader->found[index] =
            numbers_of_npy(&reader->numbers[index], &node, array, owned, field, reader->limits);
    } else if (node.json) {
        reader->found[index] =
            numbers_of_json(&reader->numbers[index], &node, field, reader->limits);
        // parsed JSON takes some five times the memory of its numbers
        reader->numbers[index].node.json = NULL;
        json_object_del(reader->root.json, field->name);
    } else if (required) {
        json_node_required(&node);
    }
}

static enum compute_kind kind_of(const struct reader *reader, unsigned index)
{
    enum { ANY = 1 << COMPUTE_U32 | 1 << COMPUTE_I32 | 1 << COMPUTE_F32 | 1 << COMPUTE_U64 };
    struct numbers_range range = {false, false, false};
    switch (reader->row->fields[index].kind) {
    case FIELD_TYPED:
        return reader->request->kind;
    case FIELD_PAYLOAD:
        numbers_range_add(&range, &reader->numbers[index]);
        return numbers_kind(range, ANY);
    case FIELD_REAL:
        return COMPUTE_F32;
    case FIELD_INDEX:
    case FIELD_FLAG:
    case FIELD_TYPE:
    case FIELD_BOOL:
    case FIELD_U32:
    case FIELD_SEED:
    case FIELD_DOUBLE:
    case FIELD_WORD:
        break;
    }
    return COMPUTE_U32;
}

static void read_arrays(struct reader *reader)
{
    const struct compute_field *fields = reader->row->fields;
    for (unsigned i = 0; i < reader->row->field_count; i++)
        if (is_array(&fields[i]))
            find_numbers(reader, i);

    // one kind for all arrays that `type` speaks of
    struct numbers_range range = {false, false, false};
    for (unsigned i = 0; i < reader->row->field_count; i++)
        if (reader->found[i] && fields[i].kind == FIELD_TYPED)
            numbers_range_add(&range, &reader->numbers[i]);
    if (!reader->has_type)
        reader->request->kind = numbers_kind(range, reader->row->kinds);

    for (unsigned i = 0; i < reader->row->field_count; i++)
        if (reader->found[i])
            numbers_convert(compute_field_array(reader->request, &fields[i]), &reader->numbers[i],
                            kind_of(reader, i), &fields[i]);
}

/* ---- the whole ---- */

bool compute_request_read(struct compute_request *request, enum compute_op op,
                          enum compute_format format, const char *body, size_t bytes,
                          const struct compute_parameter *parameters, unsigned parameter_count,
                          const struct limits *limits, struct problem *problem)
{
    struct reader reader = {
        .row = &compute_table[op], .request = request, .limits = limits, .problem = problem};
    const unsigned faults = problem->fault_count;
    *request = compute_defaults;
    request->op = op;

    if (read_body(&reader, format, body, bytes)) {
        add_parameters(&reader, parameters, parameter_count);
        for (unsigned i = 0; i < reader.row->field_count; i++)
            if (!is_array(&reader.row->fields[i]))
                read_option(&reader, &reader.row->fields[i]);
        read_arrays(&reader);
        if (problem->fault_count == faults)
            compute_check(request, &reader.root, limits);
    }
    json_decref(reader.root.json);
    npz_deinit(&reader.npz);
    if (problem->fault_count == faults)
        return true;
    compute_request_deinit(request);
    return false;
}

void compute_request_deinit(struct compute_request *request)
{
    const struct compute_row *row = &compute_table[request->op];
    for (unsigned i = 0; i < row->field_count; i++) {
        if (!is_array(&row->fields[i]))
            continue;
        struct compute_array *array = compute_field_array(request, &row->fields[i]);
        free(array->owned);
        *array = (struct compute_array){0};
    }
}

int compute_format_of(const char *content_type)
{
    static const struct {
        const char *type;
        enum compute_format format;
    } rows[] = {{"application/json", COMPUTE_JSON},
                {"application/x-npy", COMPUTE_NPY},
                {"application/x-npz", COMPUTE_NPZ}};
    if (!content_type)
        return COMPUTE_JSON;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (media_type_is(content_type, rows[i].type))
            return (int)rows[i].format;
    return -1;
}

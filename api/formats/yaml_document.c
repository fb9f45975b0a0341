#include "formats/yaml_document.h"

#include "schema/decimal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { NAME_BYTES = 96, QUOTED_MAX = 40 };

/* A document under way. */
struct reader {
    yaml_parser_t parser;
    struct yaml_document *document;
    struct problem *problem;
};

/* ---- faults ---- */

static struct problem_fault *fault_at(struct problem_fault *fault, int line, int column)
{
    fault->line = line;
    fault->column = column;
    return fault;
}

struct problem_fault *yaml_fault(const struct yaml_value *value, struct problem *problem,
                                 enum problem_code code, const char *format, ...)
{
    char detail[PROBLEM_DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return fault_at(problem_add(problem, code, "%s", detail), value->line, value->column);
}

/* A fault at an event. */
static bool refuse(const struct reader *reader, const yaml_event_t *event, const char *what)
{
    fault_at(problem_add(reader->problem, PROBLEM_INVALID_ARGUMENT, "yaml: %s", what),
             (int)event->start_mark.line + 1, (int)event->start_mark.column + 1);
    return false;
}

static bool no_memory(const struct reader *reader)
{
    problem_no_memory(reader->problem, "a yaml document");
    return false;
}

/* ---- events to values ---- */

/* The next event, which the caller deletes; false: the text is no YAML. */
static bool next_event(struct reader *reader, yaml_event_t *event)
{
    yaml_parser_t *parser = &reader->parser;
    if (yaml_parser_parse(parser, event))
        return true;
    if (parser->error == YAML_MEMORY_ERROR)
        return no_memory(reader);
    fault_at(problem_add(reader->problem, PROBLEM_MALFORMED, "yaml: %s",
                         parser->problem ? parser->problem : "not readable"),
             (int)parser->problem_mark.line + 1, (int)parser->problem_mark.column + 1);
    return false;
}

/* The value that an event begins. key: of the member, or NULL. */
static struct yaml_value *make_value(struct reader *reader, const yaml_event_t *event,
                                     const char *key)
{
    const bool scalar = event->type == YAML_SCALAR_EVENT;
    const size_t text_bytes = scalar ? event->data.scalar.length + 1 : 1;
    const size_t key_bytes = key ? strlen(key) + 1 : 1;
    struct yaml_value *value = calloc(1, sizeof *value + text_bytes + key_bytes);
    if (!value) {
        no_memory(reader);
        return NULL;
    }
    char *text = (char *)(value + 1), *key_text = text + text_bytes;
    if (scalar)
        memcpy(text, event->data.scalar.value, event->data.scalar.length);
    if (key)
        memcpy(key_text, key, key_bytes);
    value->kind = scalar                                    ? YAML_SCALAR
                  : event->type == YAML_MAPPING_START_EVENT ? YAML_MAPPING
                                                            : YAML_SEQUENCE;
    value->text = text;
    value->key = key_text;
    value->plain = scalar && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    value->line = (int)event->start_mark.line + 1;
    value->column = (int)event->start_mark.column + 1;
    value->made = reader->document->made;
    reader->document->made = value;
    return value;
}

/* Whether an event begins a value of a kind that is taken. */
static bool check_event(const struct reader *reader, const yaml_event_t *event)
{
    const yaml_char_t *tag = NULL;
    if (event->type == YAML_ALIAS_EVENT)
        return refuse(reader, event, "aliases are not taken: write the value out");
    if (event->type == YAML_SCALAR_EVENT) {
        tag = event->data.scalar.tag;
        if (memchr(event->data.scalar.value, '\0', event->data.scalar.length))
            return refuse(reader, event, "a zero byte in a text");
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        tag = event->data.mapping_start.tag;
    }
    return !tag || refuse(reader, event, "tags are not taken");
}

static int compare_keys(const void *left, const void *right)
{
    const struct yaml_value *a = *(struct yaml_value *const *)left;
    const struct yaml_value *b = *(struct yaml_value *const *)right;
    const int order = strcmp(a->key, b->key);
    if (order)
        return order;
    return a->line != b->line ? (a->line > b->line ? 1 : -1) : (a->column > b->column) * 2 - 1;
}

/* Whether no key of a mapping comes twice. */
static bool check_keys(const struct reader *reader, const struct yaml_value *mapping)
{
    struct yaml_value **members = malloc((mapping->count + 1) * sizeof *members);
    bool good = true;
    uint32_t count = 0;
    if (!members)
        return no_memory(reader);
    for (struct yaml_value *member = mapping->child; member; member = member->next)
        members[count++] = member;
    qsort(members, count, sizeof *members, compare_keys);
    for (uint32_t i = 1; good && i < count; i++) {
        good = strcmp(members[i - 1]->key, members[i]->key) != 0;
        if (!good)
            yaml_fault(members[i], reader->problem, PROBLEM_INVALID_ARGUMENT,
                       "yaml: the key \"%.*s\" comes twice", QUOTED_MAX, members[i]->key);
    }
    free(members);
    return good;
}

static struct yaml_value *read_value(struct reader *reader, const yaml_event_t *event,
                                     const char *key, int depth);

/* One member or element, from its first event on; NULL: a fault. */
static struct yaml_value *read_child(struct reader *reader, const struct yaml_value *parent,
                                     yaml_event_t *event, int depth)
{
    struct yaml_value *child = NULL;
    if (parent->kind == YAML_SEQUENCE)
        return read_value(reader, event, NULL, depth);
    if (!check_event(reader, event))
        return NULL;
    yaml_event_t value;
    if (event->type != YAML_SCALAR_EVENT) {
        refuse(reader, event, "a key that is no scalar");
    } else if (next_event(reader, &value)) {
        child = read_value(reader, &value, (const char *)event->data.scalar.value, depth);
        yaml_event_delete(&value);
    }
    return child;
}

/* All members or elements up to the end of their parent. */
static bool read_children(struct reader *reader, struct yaml_value *parent, int depth)
{
    struct yaml_value **link = &parent->child;
    for (;;) {
        yaml_event_t event;
        if (!next_event(reader, &event))
            return false;
        const bool end =
            event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        if (!end) {
            *link = read_child(reader, parent, &event, depth);
            parent->count++;
        }
        yaml_event_delete(&event);
        if (end)
            return parent->kind != YAML_MAPPING || check_keys(reader, parent);
        if (!*link)
            return false;
        link = &(*link)->next;
    }
}

/* The value that an event begins, with all below it; NULL: a fault. */
static struct yaml_value *read_value(struct reader *reader, const yaml_event_t *event,
                                     const char *key, int depth)
{
    if (!check_event(reader, event))
        return NULL;
    if (depth == YAML_DEPTH_MAX) {
        refuse(reader, event, "nested too deep");
        return NULL;
    }
    struct yaml_value *value = make_value(reader, event, key);
    if (value && value->kind != YAML_SCALAR && !read_children(reader, value, depth + 1))
        return NULL;
    return value;
}

/* The whole stream: one document. */
static bool read_stream(struct reader *reader)
{
    yaml_event_t event;
    bool ended = false, good = true;
    while (good && !ended) {
        if (!next_event(reader, &event))
            return false;
        switch (event.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
        case YAML_NO_EVENT:
            break;
        case YAML_DOCUMENT_START_EVENT:
            if (reader->document->root)
                good = refuse(reader, &event, "more than one document");
            break;
        case YAML_STREAM_END_EVENT:
            ended = true;
            break;
        case YAML_ALIAS_EVENT:
        case YAML_SCALAR_EVENT:
        case YAML_SEQUENCE_START_EVENT:
        case YAML_MAPPING_START_EVENT:
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
            reader->document->root = read_value(reader, &event, NULL, 0);
            good = reader->document->root;
            break;
        }
        if (ended && !reader->document->root)
            good = refuse(reader, &event, "there is no document");
        yaml_event_delete(&event);
    }
    return good;
}

bool yaml_document_read(struct yaml_document *document, const char *data, size_t bytes,
                        struct problem *problem)
{
    struct reader reader = {.document = document, .problem = problem};
    *document = (struct yaml_document){0};
    if (bytes > YAML_BYTES_MAX) {
        problem_add(problem, PROBLEM_INVALID_ARGUMENT, "yaml: %zu bytes are more than %d", bytes,
                    YAML_BYTES_MAX);
        return false;
    }
    if (!yaml_parser_initialize(&reader.parser))
        return no_memory(&reader);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)data, bytes);
    const bool good = read_stream(&reader);
    yaml_parser_delete(&reader.parser);
    if (!good)
        yaml_document_deinit(document);
    return good;
}

void yaml_document_deinit(struct yaml_document *document)
{
    for (struct yaml_value *value = document->made; value;) {
        struct yaml_value *before = value->made;
        free(value);
        value = before;
    }
    *document = (struct yaml_document){0};
}

/* ---- values ---- */

const struct yaml_value *yaml_member(const struct yaml_value *mapping, const char *key)
{
    if (mapping->kind != YAML_MAPPING)
        return NULL;
    const struct yaml_value *member = mapping->child;
    while (member && strcmp(member->key, key) != 0)
        member = member->next;
    return member;
}

bool yaml_number(const struct yaml_value *value, const char *name, double *number,
                 struct problem *problem)
{
    const char *text = value->text;
    const size_t length = strlen(text);
    if (length && decimal_read(number, text, length) == length && isfinite(*number))
        return true;
    yaml_fault(value, problem, PROBLEM_INVALID_ARGUMENT, "%s must be a finite number%s%.*s", name,
               value->kind == YAML_SCALAR ? ", not " : "", QUOTED_MAX, text);
    return false;
}

bool yaml_numbers(const struct yaml_value *value, const char *name, double *numbers, size_t count,
                  struct problem *problem)
{
    if (value->kind != YAML_SEQUENCE || value->count != count) {
        yaml_fault(value, problem, PROBLEM_INVALID_ARGUMENT, "%s must be %zu numbers", name, count);
        return false;
    }
    bool good = true;
    size_t i = 0;
    for (const struct yaml_value *element = value->child; good && element;
         element = element->next, i++) {
        char element_name[NAME_BYTES];
        snprintf(element_name, sizeof element_name, "%s[%zu]", name, i);
        good = yaml_number(element, element_name, &numbers[i], problem);
    }
    return good;
}

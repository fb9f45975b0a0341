#include "schema/document.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A document is its root, a value is a json_t: the names keep Jansson out of the callers. */
static json_t *json_of(const struct document_value *value)
{
    // Jansson counts references, so that it has no const values; nothing here changes one
    union {
        const struct document_value *value;
        json_t *json;
    } both = {.value = value};
    return both.json;
}

static const struct document_value *value_of(json_t *json)
{
    return (const struct document_value *)json;
}

struct document *document_parse(const char *data, size_t bytes, char *fault, size_t fault_bytes)
{
    json_error_t error;
    json_t *root = json_loadb(data, bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!root && fault)
        snprintf(fault, fault_bytes, "line %d, column %d: %s", error.line, error.column,
                 error.text);
    return (struct document *)root;
}

void document_destroy(struct document *document)
{
    json_decref((json_t *)document);
}

const struct document_value *document_root(const struct document *document)
{
    return (const struct document_value *)document;
}

/* Copies one reference token with ~1 and ~0 undone; false where it does not fit. */
static bool token_decode(char *token, size_t capacity, const char *from, size_t length)
{
    size_t written = 0;
    for (size_t i = 0; i < length; i++) {
        char c = from[i];
        if (c == '~' && i + 1 < length)
            c = from[++i] == '1' ? '/' : '~';
        if (written + 1 >= capacity)
            return false;
        token[written++] = c;
    }
    token[written] = '\0';
    return true;
}

const struct document_value *document_at(const struct document_value *value, const char *pointer)
{
    json_t *json = json_of(value);
    while (json && *pointer == '/') {
        char token[256], *end;
        size_t length = strcspn(++pointer, "/");
        if (!token_decode(token, sizeof token, pointer, length))
            return NULL;
        pointer += length;
        if (json_is_object(json)) {
            json = json_object_get(json, token);
        } else if (json_is_array(json)) {
            unsigned long index = strtoul(token, &end, 10);
            json = *token && !*end ? json_array_get(json, index) : NULL;
        } else {
            json = NULL;
        }
    }
    return value_of(json);
}

bool document_is_object(const struct document_value *value)
{
    return json_is_object(json_of(value));
}

bool document_is_array(const struct document_value *value)
{
    return json_is_array(json_of(value));
}

bool document_is_number(const struct document_value *value)
{
    return json_is_number(json_of(value));
}

double document_number(const struct document_value *value, const char *pointer, double absent)
{
    json_t *json = json_of(document_at(value, pointer));
    return json_is_number(json) ? json_number_value(json) : absent;
}

const char *document_string(const struct document_value *value, const char *pointer,
                            const char *absent)
{
    json_t *json = json_of(document_at(value, pointer));
    return json_is_string(json) ? json_string_value(json) : absent;
}

bool document_bool(const struct document_value *value, const char *pointer, bool absent)
{
    json_t *json = json_of(document_at(value, pointer));
    return json_is_boolean(json) ? json_is_true(json) : absent;
}

size_t document_length(const struct document_value *value)
{
    json_t *json = json_of(value);
    return json_is_array(json) ? json_array_size(json) : json_object_size(json);
}

const struct document_value *document_element(const struct document_value *value, size_t index)
{
    return value_of(json_array_get(json_of(value), index));
}

const char *document_next_key(const struct document_value *value, const char *key)
{
    json_t *json = json_of(value);
    void *member =
        key ? json_object_iter_next(json, json_object_key_to_iter(key)) : json_object_iter(json);
    return json_object_iter_key(member);
}

const struct document_value *document_member(const struct document_value *value, const char *key)
{
    return value_of(json_object_get(json_of(value), key));
}

void document_write(const struct document_value *value, struct text *out)
{
    json_t *json = json_of(value);
    if (json_is_object(json)) {
        text_json_open(out, '{');
        for (const char *key = document_next_key(value, NULL); key;
             key = document_next_key(value, key)) {
            text_json_key(out, key);
            document_write(document_member(value, key), out);
        }
        text_json_close(out, '}');
    } else if (json_is_array(json)) {
        text_json_open(out, '[');
        for (size_t i = 0; i < json_array_size(json); i++)
            document_write(document_element(value, i), out);
        text_json_close(out, ']');
    } else if (json_is_string(json)) {
        text_json_string(out, json_string_value(json));
    } else if (json_is_integer(json) && json_integer_value(json) >= 0) {
        text_json_u64(out, (uint64_t)json_integer_value(json));
    } else if (json_is_number(json)) {
        text_json_number(out, json_number_value(json), 17);
    } else if (json_is_boolean(json)) {
        text_json_bool(out, json_is_true(json));
    } else {
        text_json_null(out);
    }
}

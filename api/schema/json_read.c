#include "schema/json_read.h"

#include "schema/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* U+0000 is a character of JSON; who reads the string refuses it, and says where. */
enum { PARSE_FLAGS = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL };

/* ---- the body ---- */

json_t *json_read(const char *body, size_t bytes, struct problem *problem)
{
    if (!bytes) {
        problem_add(problem, PROBLEM_MALFORMED, "the body is empty where JSON is needed");
        return NULL;
    }

    // any finite double is legal, also when spelled as a whole number beyond 64 bits
    json_error_t error;
    json_t *json = json_loadb(body, bytes, PARSE_FLAGS, &error);
    if (!json && json_error_code(&error) == json_error_numeric_overflow)
        json = json_loadb(body, bytes, PARSE_FLAGS | JSON_DECODE_INT_AS_REAL, &error);
    if (json)
        return json;

    // where Jansson finds no memory it mostly says nothing at all
    const enum json_error_code code = json_error_code(&error);
    if (code == json_error_out_of_memory || !*error.text) {
        problem_no_memory(problem, "the body");
        return NULL;
    }
    struct problem_fault *fault = problem_add(problem, PROBLEM_MALFORMED, "line %d, column %d: %s",
                                              error.line, error.column, error.text);
    fault->line = error.line;
    fault->column = error.column;
    return NULL;
}

bool json_body_begin(struct json_body *body, const char *text, size_t bytes,
                     struct problem *problem)
{
    *body = (struct json_body){.faults_before = problem->fault_count};
    body->root = json_node_root(json_read(text, bytes, problem), problem);
    return body->root.json;
}

bool json_body_is_good(const struct json_body *body)
{
    return body->root.problem->fault_count == body->faults_before;
}

bool json_body_end(struct json_body *body)
{
    json_decref(body->root.json);
    return json_body_is_good(body);
}

/* ---- nodes ---- */

struct json_node json_node_root(json_t *json, struct problem *problem)
{
    return (struct json_node){.json = json, .problem = problem};
}

struct json_node json_node_member(const struct json_node *object, const char *key)
{
    return (struct json_node){json_object_get(object->json, key), object, key, 0, object->problem};
}

struct json_node json_node_nullable(const struct json_node *object, const char *key)
{
    struct json_node node = json_node_member(object, key);
    if (json_is_null(node.json))
        node.json = NULL;
    return node;
}

struct json_node json_node_element(const struct json_node *array, size_t index)
{
    return (struct json_node){json_array_get(array->json, index), array, NULL, index,
                              array->problem};
}

/* Appends "/key" or "/index" for each node from the root down; cut where the room ends. */
static size_t pointer_write(const struct json_node *node, char *pointer, size_t room)
{
    if (!node->parent) {
        *pointer = '\0';
        return 0;
    }
    size_t length = pointer_write(node->parent, pointer, room);
    if (!node->key) {
        int written = snprintf(pointer + length, room - length, "/%zu", node->index);
        return length + (size_t)written < room ? length + (size_t)written : room - 1;
    }

    // the escapes of RFC 6901: ~ is ~0, / is ~1
    if (length + 1 < room)
        pointer[length++] = '/';
    for (const char *c = node->key; *c && length + 2 < room; c++) {
        bool escaped = *c == '~' || *c == '/';
        pointer[length++] = escaped ? '~' : *c;
        if (escaped)
            pointer[length++] = *c == '~' ? '0' : '1';
    }
    pointer[length] = '\0';
    return length;
}

struct problem_fault *json_node_fault(const struct json_node *node, enum problem_code code,
                                      const char *format, ...)
{
    char text[PROBLEM_DETAIL_MAX], pointer[PROBLEM_POINTER_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    pointer_write(node, pointer, sizeof pointer);
    struct problem_fault *fault =
        problem_add(node->problem, code, "%s %s", *pointer ? pointer : "the body", text);
    fault->has_pointer = true;
    memcpy(fault->pointer, pointer, sizeof pointer);
    return fault;
}

void json_node_no_memory(const struct json_node *node)
{
    json_node_fault(node, PROBLEM_NO_MEMORY, "found no memory");
}

void json_node_over(const struct json_node *node, const struct limits *limits, enum limit_id limit,
                    const char *what)
{
    struct problem_fault *fault = json_node_fault(
        node, PROBLEM_LIMIT_EXCEEDED, "asks for more than the limit of %" PRIu64 " %s (%s)",
        limits_value(limits, limit), what, limit_table[limit].flag);
    problem_fault_limit(fault, limits, limit);
}

bool json_node_full(const struct json_node *node)
{
    return node->problem->fault_count >= PROBLEM_FAULTS_MAX;
}

/* ---- values ---- */

static const char *type_text(const json_t *json)
{
    static const char *const texts[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "a boolean",
        [JSON_FALSE] = "a boolean",  [JSON_NULL] = "null",
    };
    return texts[json_typeof(json)];
}

static bool type_fault(const struct json_node *node, const char *wanted)
{
    json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be %s, not %s", wanted,
                    type_text(node->json));
    return false;
}

bool json_node_required(const struct json_node *node)
{
    if (node->json)
        return true;
    json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "is required");
    return false;
}

static bool listed(const char *key, const char *const *list)
{
    for (; list && *list; list++)
        if (strcmp(key, *list) == 0)
            return true;
    return false;
}

bool json_node_object(const struct json_node *node, const char *const *members,
                      const char *const *ignored)
{
    if (!node->json)
        return true;
    if (!json_is_object(node->json))
        return type_fault(node, "an object");

    bool known = true;
    const char *key;
    json_t *value;
    json_object_foreach(node->json, key, value)
    {
        if (listed(key, members) || listed(key, ignored))
            continue;
        struct json_node member = {value, node, key, 0, node->problem};
        json_node_fault(&member, PROBLEM_UNKNOWN_MEMBER, "is not a member known here");
        known = false;
    }
    return known;
}

bool json_node_array(const struct json_node *node)
{
    return !node->json || json_is_array(node->json) || type_fault(node, "an array");
}

bool json_node_number(const struct json_node *node, enum json_sign sign, double *value)
{
    if (!node->json)
        return true;
    if (!json_is_number(node->json))
        return type_fault(node, "a number");

    double number = json_number_value(node->json);
    if (sign == JSON_POSITIVE && !(number > 0)) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be greater than 0");
        return false;
    }
    if (sign == JSON_NOT_NEGATIVE && !(number >= 0)) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must not be negative");
        return false;
    }
    *value = number;
    return true;
}

bool json_node_numbers(const struct json_node *node, enum json_sign sign, double *values,
                       size_t count)
{
    if (!node->json)
        return true;
    if (!json_is_array(node->json))
        return type_fault(node, "an array of numbers");
    if (json_array_size(node->json) != count) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must have %zu numbers, not %zu", count,
                        json_array_size(node->json));
        return false;
    }
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        struct json_node element = json_node_element(node, i);
        good &= json_node_number(&element, sign, &values[i]);
    }
    return good;
}

/* A whole number: 0 … 2^63 - 1, or UINT64_MAX for all above. */
static bool whole_number(const struct json_node *node, uint64_t min, uint64_t *value)
{
    if (!json_is_number(node->json))
        return type_fault(node, "a whole number");
    double number = json_number_value(node->json);
    if (number != floor(number)) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be a whole number");
        return false;
    }
    if (number < (double)min) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be at least %" PRIu64, min);
        return false;
    }
    if (json_is_integer(node->json))
        *value = (uint64_t)json_integer_value(node->json);
    else
        *value = number <= DECIMAL_WHOLE_MAX ? (uint64_t)number : UINT64_MAX;
    return true;
}

bool json_node_u64(const struct json_node *node, uint64_t min, uint64_t max, uint64_t *value)
{
    uint64_t number;
    if (!node->json)
        return true;
    if (!whole_number(node, min, &number))
        return false;
    if (number > max) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be at most %" PRIu64, max);
        return false;
    }
    *value = number;
    return true;
}

bool json_node_u32(const struct json_node *node, uint32_t min, uint32_t max, uint32_t *value)
{
    uint64_t number = *value;
    if (!json_node_u64(node, min, max, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

bool json_node_limited(const struct json_node *node, uint32_t min, const struct limits *limits,
                       enum limit_id limit, uint32_t *value)
{
    uint64_t number;
    if (!node->json)
        return true;
    if (!whole_number(node, min, &number))
        return false;
    if (number > limits_value(limits, limit) || number > UINT32_MAX) {
        json_node_over(node, limits, limit, limit_table[limit].text);
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

bool json_node_bool(const struct json_node *node, bool *value)
{
    if (!node->json)
        return true;
    if (!json_is_boolean(node->json))
        return type_fault(node, "true or false");
    *value = json_is_true(node->json);
    return true;
}

bool json_node_string(const struct json_node *node, size_t bytes_max, const char **value)
{
    if (!node->json)
        return true;
    if (!json_is_string(node->json))
        return type_fault(node, "a string");
    size_t bytes = json_string_length(node->json);
    if (!bytes || bytes > bytes_max) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must have 1 to %zu bytes, not %zu",
                        bytes_max, bytes);
        return false;
    }
    if (memchr(json_string_value(node->json), '\0', bytes)) {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must not have the character U+0000");
        return false;
    }
    *value = json_string_value(node->json);
    return true;
}

bool json_node_word(const struct json_node *node, const struct json_word *words, int *value)
{
    if (!node->json)
        return true;
    if (!json_is_string(node->json))
        return type_fault(node, "a string");

    // the words that would have done, for the fault
    char known[PROBLEM_DETAIL_MAX / 2] = "";
    size_t length = 0;
    for (; words->word; words++) {
        if (strcmp(words->word, json_string_value(node->json)) == 0 &&
            strlen(words->word) == json_string_length(node->json)) {
            if (words->value != JSON_UNSUPPORTED) {
                *value = words->value;
                return true;
            }
            json_node_fault(node, PROBLEM_UNSUPPORTED, "is \"%s\", which is not supported yet",
                            words->word);
            return false;
        }
        if (words->value != JSON_UNSUPPORTED && length < sizeof known)
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                       length ? ", " : "", words->word);
    }
    json_node_fault(node, PROBLEM_INVALID_ARGUMENT, "must be one of: %s", known);
    return false;
}

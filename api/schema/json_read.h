/* Strict reading of JSON bodies: type, range, unknown members, and where each fault is.
 *
 * A `struct json_node` is a value with the way to it from the body's root, kept as a chain of nodes
 * on the callers' stacks; the JSON Pointer is spelled out only when a fault is reported. Readers of
 * values report what is wrong into the problem and go on, so that one answer names all faults of a
 * body. They leave the result untouched, and return true, where the value is absent: defaults are
 * set before.
 *
 * Internal to the schema: Jansson stays in this folder. Nodes belong to one thread.
 */
#ifndef SCHEMA_JSON_READ_H
#define SCHEMA_JSON_READ_H

#include "schema/limits.h"
#include "schema/problem.h"

#include <jansson.h>

struct json_node {
    json_t *json;                   /* borrowed; NULL: absent */
    const struct json_node *parent; /* NULL: the body */
    const char *key;                /* of a member, else NULL */
    size_t index;                   /* of an element */
    struct problem *problem;
};

/* Parses a body, any JSON value. NULL after a `malformed` fault with line and column. The caller
 * releases it by json_decref. Whole numbers beyond 64 bits become reals. */
json_t *json_read(const char *body, size_t bytes, struct problem *problem);

/* A body that is read as a whole: its value, and the faults that there were before. */
struct json_body {
    struct json_node root;
    unsigned faults_before;
};

/* Parses; false: a `malformed` fault, and nothing to end. */
bool json_body_begin(struct json_body *body, const char *text, size_t bytes,
                     struct problem *problem);

/* Whether no fault has been found in it yet. */
bool json_body_is_good(const struct json_body *body);

/* Releases the value, and says the same. */
bool json_body_end(struct json_body *body);

struct json_node json_node_root(json_t *json, struct problem *problem);
struct json_node json_node_member(const struct json_node *object, const char *key);
struct json_node json_node_element(const struct json_node *array, size_t index);

/* The same as json_node_member, but null counts as absent. */
struct json_node json_node_nullable(const struct json_node *object, const char *key);

/* Adds a fault at this value; the detail is led by its pointer. */
struct problem_fault *json_node_fault(const struct json_node *node, enum problem_code code,
                                      const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The fault that there is no memory for a value. */
void json_node_no_memory(const struct json_node *node);

/* A fault that a limit was hit, in units of `what`. */
void json_node_over(const struct json_node *node, const struct limits *limits, enum limit_id limit,
                    const char *what);

/* Whether more faults would not be kept: long loops stop here. */
bool json_node_full(const struct json_node *node);

/* Each returns false after a fault. */
bool json_node_required(const struct json_node *node);

/* An object whose members are all in one of the two NULL-terminated lists; `ignored` may be NULL.
 */
bool json_node_object(const struct json_node *node, const char *const *members,
                      const char *const *ignored);
bool json_node_array(const struct json_node *node);

enum json_sign { JSON_ANY, JSON_NOT_NEGATIVE, JSON_POSITIVE };
bool json_node_number(const struct json_node *node, enum json_sign sign, double *value);

/* An array of just `count` numbers. */
bool json_node_numbers(const struct json_node *node, enum json_sign sign, double *values,
                       size_t count);

/* A whole number (1e3 and 5.0 are whole) in min … max. */
bool json_node_u64(const struct json_node *node, uint64_t min, uint64_t max, uint64_t *value);
bool json_node_u32(const struct json_node *node, uint32_t min, uint32_t max, uint32_t *value);

/* The same, where beyond the maximum a limit is hit. */
bool json_node_limited(const struct json_node *node, uint32_t min, const struct limits *limits,
                       enum limit_id limit, uint32_t *value);

bool json_node_bool(const struct json_node *node, bool *value);

/* A string of 1 … bytes_max bytes, borrowed. */
bool json_node_string(const struct json_node *node, size_t bytes_max, const char **value);

/* One of these words; a word that means JSON_UNSUPPORTED is known but not to be had. */
enum { JSON_UNSUPPORTED = -1 };
struct json_word {
    const char *word; /* NULL ends the list */
    int value;
};
bool json_node_word(const struct json_node *node, const struct json_word *words, int *value);

#endif

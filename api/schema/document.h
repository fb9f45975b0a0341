/* A JSON document read by look-up, for programs that take answers apart: the client, the examples.
 *
 * The service itself reads requests with the strict readers of each resource; here unknown members
 * are ignored, as clients must. Values are borrowed from their document and die with it. NULL is a
 * value that is not there: every function takes it, so that a chain of look-ups needs one check at
 * its end.
 *
 * Threads: a document belongs to one thread at a time.
 */
#ifndef SCHEMA_DOCUMENT_H
#define SCHEMA_DOCUMENT_H

#include "schema/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct document;       /* owns all its values */
struct document_value; /* an object, array, string, number, boolean or null */

/* Parses one JSON value and nothing after it. NULL where it is not JSON, has a member twice, or
 * memory ran out: `fault` (may be NULL) then says why, with line and column. The caller destroys
 * it. */
struct document *document_parse(const char *data, size_t bytes, char *fault, size_t fault_bytes);
void document_destroy(struct document *document);

const struct document_value *document_root(const struct document *document);

/* The value at a JSON Pointer (RFC 6901) below `value`: "" is itself, "/results/0/status". NULL:
 * absent. */
const struct document_value *document_at(const struct document_value *value, const char *pointer);

bool document_is_object(const struct document_value *value);
bool document_is_array(const struct document_value *value);
bool document_is_number(const struct document_value *value);

/* A value of that type at a pointer, else what stands for "absent". Strings are borrowed. */
double document_number(const struct document_value *value, const char *pointer, double absent);
const char *document_string(const struct document_value *value, const char *pointer,
                            const char *absent);
bool document_bool(const struct document_value *value, const char *pointer, bool absent);

/* Elements of an array or members of an object; 0 for anything else. */
size_t document_length(const struct document_value *value);

/* Element of an array. NULL past the end. */
const struct document_value *document_element(const struct document_value *value, size_t index);

/* Members of an object in the order sent: start with NULL, ends with NULL.
 *     for (const char *key = document_next_key(v, NULL); key; key = document_next_key(v, key))
 * `key` must be one that this function returned. */
const char *document_next_key(const struct document_value *value, const char *key);
const struct document_value *document_member(const struct document_value *value, const char *key);

/* Appends the value as compact JSON; what was read as a number reads back as the same number. */
void document_write(const struct document_value *value, struct text *out);

#endif

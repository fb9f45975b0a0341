/* A growing text, and JSON written into it.
 *
 * Allocation failure is sticky: it sets `failed`, later writes do nothing, the owner checks once at
 * the end. Numbers are written without regard to the locale (but not by text_print: no %f, %g
 * there).
 */
#ifndef SCHEMA_TEXT_H
#define SCHEMA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *data; /* not terminated */
    size_t length, capacity;
    bool failed;
};

void text_deinit(struct text *text);
void text_append(struct text *text, const char *data, size_t length);
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for `more` bytes behind what is written, for who writes them in place and adds to `length`
 * then; NULL: there is none. */
char *text_room(struct text *text, size_t more);

/* Appends a text known where it is written, as it is: the writer sees to commas. */
#define text_literal(text, literal) text_append((text), "" literal, sizeof(literal) - 1)

/* Whether a terminated string is UTF-8, and so comes back from JSON as it is. */
bool text_is_utf8(const char *string);

/* JSON values. Strings are escaped, what is not UTF-8 in them replaced; a number that is not finite
 * becomes null. */
void text_json_string(struct text *text, const char *string);
void text_json_null(struct text *text);
void text_json_bool(struct text *text, bool value);
void text_json_u64(struct text *text, uint64_t value);
/* The shortest of up to `digits` (1 … 17) significant digits; 17 reads back as the same double. */
void text_json_number(struct text *text, double value, int digits);

/* An array of numbers, exactly, or of strings; under a key, or none (NULL). */
void text_json_numbers(struct text *text, const char *key, const double *values, size_t count);
void text_json_strings(struct text *text, const char *key, const char *const *strings,
                       size_t count);

/* Structure: a comma is set where one is due, so that writers need no first-element logic.
 *     text_json_open(t, '{'); text_json_key(t, "status"); text_json_string(t, "solved");
 * text_json_close(t, '}'); */
void text_json_open(struct text *text, char bracket);
void text_json_close(struct text *text, char bracket);
void text_json_key(struct text *text, const char *key);

/* A member of an object: its key and the value as above. */
void text_member_string(struct text *text, const char *key, const char *string);
void text_member_null(struct text *text, const char *key);
void text_member_bool(struct text *text, const char *key, bool value);
void text_member_u64(struct text *text, const char *key, uint64_t value);
void text_member_number(struct text *text, const char *key, double value, int digits);

#endif

#include "schema/text.h"

#include "schema/decimal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_CAPACITY_MIN = 256 };

void text_deinit(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

char *text_room(struct text *text, size_t more)
{
    if (text->failed)
        return NULL;
    if (text->capacity - text->length >= more)
        return text->data + text->length;
    if (more > SIZE_MAX / 2 - text->length) {
        text->failed = true;
        return NULL;
    }

    // doubling keeps the cost of growing below one copy of the whole
    size_t capacity = text->capacity ? text->capacity : TEXT_CAPACITY_MIN;
    while (capacity < text->length + more)
        capacity *= 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return NULL;
    }
    text->data = data;
    text->capacity = capacity;
    return data + text->length;
}

void text_append(struct text *text, const char *data, size_t length)
{
    // nothing may come from nowhere
    if (length == 0)
        return;
    char *room = text_room(text, length);
    if (room) {
        memcpy(room, data, length);
        text->length += length;
    }
}

void text_print(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *room = length < 0 ? NULL : text_room(text, (size_t)length + 1);
    if (!room) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(room, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

/* A comma where the last thing written is a whole value: all values end in one of these. */
static void separate(struct text *text)
{
    if (!text->length)
        return;
    char last = text->data[text->length - 1];
    if (last == '"' || last == '}' || last == ']' || (last >= '0' && last <= '9') ||
        (last >= 'a' && last <= 'z'))
        text_append(text, ",", 1);
}

/* Bytes of the UTF-8 sequence at `s` (terminated text), 0 where it is none. */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF)
        return (s[1] & 0xC0) == 0x80 ? 2 : 0;
    if (s[0] >= 0xE0 && s[0] <= 0xEF) {
        // neither overlong nor a surrogate
        unsigned low = s[0] == 0xE0 ? 0xA0 : 0x80, high = s[0] == 0xED ? 0x9F : 0xBF;
        return s[1] >= low && s[1] <= high && (s[2] & 0xC0) == 0x80 ? 3 : 0;
    }
    if (s[0] >= 0xF0 && s[0] <= 0xF4) {
        unsigned low = s[0] == 0xF0 ? 0x90 : 0x80, high = s[0] == 0xF4 ? 0x8F : 0xBF;
        return s[1] >= low && s[1] <= high && (s[2] & 0xC0) == 0x80 && (s[3] & 0xC0) == 0x80 ? 4
                                                                                             : 0;
    }
    return 0;
}

bool text_is_utf8(const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    size_t length = 1;
    while (*s && length) {
        length = utf8_length(s);
        s += length;
    }
    return length > 0;
}

/* One character that may not stand for itself in a JSON string; `length` 0: not UTF-8. */
static void append_escaped(struct text *text, unsigned char c, size_t length)
{
    static const char hex[] = "0123456789abcdef";
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    if (!length) {
        text_append(text, "\\ufffd", 6);
        return;
    }
    for (const char *pair = letters; *pair; pair += 2) {
        if ((unsigned char)*pair == c) {
            text_append(text, (char[2]){'\\', pair[1]}, 2);
            return;
        }
    }
    text_append(text, (char[6]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
}

void text_json_string(struct text *text, const char *string)
{
    separate(text);
    text_append(text, "\"", 1);
    const unsigned char *s = (const unsigned char *)string;
    while (*s) {
        // a run that needs no escape goes in one piece
        const unsigned char *run = s;
        size_t length = utf8_length(s);
        while (length && *s >= ' ' && *s != '"' && *s != '\\') {
            s += length;
            length = utf8_length(s);
        }
        text_append(text, (const char *)run, (size_t)(s - run));
        if (!*s)
            break;
        append_escaped(text, *s, length);
        s++;
    }
    text_append(text, "\"", 1);
}

void text_json_bool(struct text *text, bool value)
{
    separate(text);
    text_append(text, value ? "true" : "false", value ? 4 : 5);
}

void text_json_null(struct text *text)
{
    separate(text);
    text_append(text, "null", 4);
}

void text_json_u64(struct text *text, uint64_t value)
{
    separate(text);
    char digits[DECIMAL_BYTES_MAX];
    text_append(text, digits, decimal_write_u64(digits, value));
}

void text_json_number(struct text *text, double value, int digits)
{
    if (!isfinite(value)) {
        text_json_null(text);
        return;
    }
    // straight into place: answers are mostly numbers
    separate(text);
    char *room = text_room(text, DECIMAL_BYTES_MAX);
    if (room)
        text->length += decimal_write(room, value, digits);
}

void text_json_open(struct text *text, char bracket)
{
    separate(text);
    text_append(text, &bracket, 1);
}

void text_json_close(struct text *text, char bracket)
{
    text_append(text, &bracket, 1);
}

void text_json_key(struct text *text, const char *key)
{
    text_json_string(text, key);
    text_append(text, ":", 1);
}

void text_member_string(struct text *text, const char *key, const char *string)
{
    text_json_key(text, key);
    text_json_string(text, string);
}

void text_member_null(struct text *text, const char *key)
{
    text_json_key(text, key);
    text_json_null(text);
}

void text_member_bool(struct text *text, const char *key, bool value)
{
    text_json_key(text, key);
    text_json_bool(text, value);
}

void text_member_u64(struct text *text, const char *key, uint64_t value)
{
    text_json_key(text, key);
    text_json_u64(text, value);
}

void text_member_number(struct text *text, const char *key, double value, int digits)
{
    text_json_key(text, key);
    text_json_number(text, value, digits);
}

void text_json_numbers(struct text *text, const char *key, const double *values, size_t count)
{
    if (key)
        text_json_key(text, key);
    text_json_open(text, '[');
    for (size_t i = 0; i < count; i++)
        text_json_number(text, values[i], DECIMAL_DIGITS_EXACT);
    text_json_close(text, ']');
}

void text_json_strings(struct text *text, const char *key, const char *const *strings, size_t count)
{
    if (key)
        text_json_key(text, key);
    text_json_open(text, '[');
    for (size_t i = 0; i < count; i++)
        text_json_string(text, strings[i]);
    text_json_close(text, ']');
}

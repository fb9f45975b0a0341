#include "formats/reader.h"

#include "schema/decimal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { BASE = 10 };

struct reader reader_of(const struct format_file *file)
{
    return (struct reader){file->data, file->data + file->bytes, 1, file->problem};
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool reader_line(struct reader *reader, struct word *line)
{
    if (reader->at == reader->end)
        return false;
    const size_t rest = (size_t)(reader->end - reader->at);
    const char *newline = memchr(reader->at, '\n', rest);
    *line =
        (struct word){reader->at, newline ? (size_t)(newline - reader->at) : rest, reader->line};
    reader->at = newline ? newline + 1 : reader->end;
    reader->line += newline != NULL;
    if (line->length && line->text[line->length - 1] == '\r')
        line->length--;
    return true;
}

bool reader_word(struct reader *reader, struct word *word)
{
    for (; reader->at < reader->end && (blank(*reader->at) || *reader->at == '\n'); reader->at++)
        reader->line += *reader->at == '\n';
    *word = (struct word){reader->at, 0, reader->line};
    while (reader->at < reader->end && !blank(*reader->at) && *reader->at != '\n')
        reader->at++;
    word->length = (size_t)(reader->at - word->text);
    return word->length > 0;
}

/* Whether a character is one of a list, which the terminator is not. */
static bool listed(char c, const char *list)
{
    return list && c && strchr(list, c);
}

bool word_split(struct word *line, const char *separators, struct word *word)
{
    size_t at = 0;
    while (at < line->length && (blank(line->text[at]) || listed(line->text[at], separators)))
        at++;
    const size_t first = at;
    while (at < line->length && !blank(line->text[at]) && !listed(line->text[at], separators))
        at++;
    *word = (struct word){line->text + first, at - first, line->line};
    line->text += at;
    line->length -= at;
    return word->length > 0;
}

bool word_begins(const struct word *word, const char *text)
{
    const size_t length = strlen(text);
    return word->length >= length && memcmp(word->text, text, length) == 0;
}

bool word_is(const struct word *word, const char *text)
{
    return word->length == strlen(text) && word_begins(word, text);
}

/* "nan", "-inf", "Infinity": what printf and streams write of what is not finite. */
static bool word_not_finite(const struct word *word, double *value)
{
    static const struct {
        const char *text;
        double value;
    } texts[] = {{"nan", (double)NAN}, {"inf", HUGE_VAL}, {"infinity", HUGE_VAL}};
    const size_t sign = word->length && (*word->text == '-' || *word->text == '+');
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (word->length - sign != strlen(texts[i].text) ||
            strncasecmp(word->text + sign, texts[i].text, word->length - sign) != 0)
            continue;
        *value = sign && *word->text == '-' ? -texts[i].value : texts[i].value;
        return true;
    }
    return false;
}

bool word_number(const struct word *word, double *value)
{
    return (word->length && decimal_read(value, word->text, word->length) == word->length) ||
           word_not_finite(word, value);
}

bool word_whole(const struct word *word, uint64_t *value)
{
    uint64_t number = 0;
    for (size_t i = 0; i < word->length; i++) {
        const char c = word->text[i];
        if (c < '0' || c > '9' || number > (UINT64_MAX - (uint64_t)(c - '0')) / BASE)
            return false;
        number = number * BASE + (uint64_t)(c - '0');
    }
    *value = number;
    return word->length > 0;
}

/* Room for a fault's text behind "line N: ". */
enum { FAULT_BYTES = PROBLEM_DETAIL_MAX - 32 };

static bool add_fault(const struct reader *reader, int line, enum problem_code code,
                      const char *text)
{
    struct problem_fault *fault = problem_add(reader->problem, code, "line %d: %s", line, text);
    fault->line = line;
    fault->column = 1;
    return false;
}

bool reader_fault(const struct reader *reader, int line, const char *format, ...)
{
    char text[FAULT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return add_fault(reader, line, PROBLEM_INVALID_ARGUMENT, text);
}

bool reader_unsupported(const struct reader *reader, int line, const char *format, ...)
{
    char text[FAULT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return add_fault(reader, line, PROBLEM_UNSUPPORTED, text);
}

bool reader_place_holds(const struct reader *reader, int line, const char *what, double value)
{
    if (fabs(value) <= LENGTH_MAX)
        return true;
    return reader_fault(reader, line, "%s must be from %g to %g, not %g", what, -LENGTH_MAX,
                        LENGTH_MAX, value);
}

bool reader_places(struct reader *reader, const char *what, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct word word;
        if (!reader_word(reader, &word))
            return reader_fault(reader, reader->line, "the file ends where %s is due", what);
        if (!word_number(&word, values + i))
            return reader_fault(reader, word.line, "%s is due, and \"%.*s\" is no number", what,
                                WORD_SHOWN(&word));
        if (!reader_place_holds(reader, word.line, what, values[i]))
            return false;
    }
    return true;
}

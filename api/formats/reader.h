/* A file on its way through a reader: lines, words and numbers, each known by its line.
 *
 * Lines end in LF or CRLF; the last one may lack its end. Words are what blanks separate, numbers
 * are decimal whatever the locale. Nothing is copied: words lie in the file. Threads: a reader
 * belongs to one.
 */
#ifndef FORMATS_READER_H
#define FORMATS_READER_H

#include "formats/format.h"

struct reader {
    const char *at, *end; /* what is not read yet */
    int line;             /* of `at`, from 1 */
    struct problem *problem;
};

/* A piece of the file: a word, or a line. */
struct word {
    const char *text;
    size_t length;
    int line;
};

struct reader reader_of(const struct format_file *file);

/* Takes the rest of the line, without its end; false: the file has ended. */
bool reader_line(struct reader *reader, struct word *line);

/* Takes the next word, on whatever line; false: the file has ended. */
bool reader_word(struct reader *reader, struct word *word);

/* Takes the first word off a line; what separates is blank, tab, or a character of `separators`
 * (NULL: none). false: there is none left. */
bool word_split(struct word *line, const char *separators, struct word *word);

bool word_is(const struct word *word, const char *text);
bool word_begins(const struct word *word, const char *text);

/* The whole word as a number. False where it is none. NaN and infinities are numbers here. */
bool word_number(const struct word *word, double *value);
bool word_whole(const struct word *word, uint64_t *value);

/* Reports a fault of a line as "line 7: …"; returns false, for the caller to return. */
bool reader_fault(const struct reader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool reader_unsupported(const struct reader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next words as numbers of a world: finite, and not farther than LENGTH_MAX. `what` names them
 * in faults. */
bool reader_places(struct reader *reader, const char *what, double *values, size_t count);

/* Reports a length or place that no world has. */
bool reader_place_holds(const struct reader *reader, int line, const char *what, double value);

/* Room for a piece of a file in a fault's text: "%.*s", WORD_SHOWN(&word). */
enum { WORD_SHOWN_MAX = 40 };
#define WORD_SHOWN(word)                                                                           \
    (int)((word)->length < WORD_SHOWN_MAX ? (word)->length : WORD_SHOWN_MAX), (word)->text

#endif

#include "service/files/multipart.h"

#include "schema/media_type.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Of a boundary (RFC 2046, 5.1.1), and of what stands before it in a delimiter: CR LF - -. */
enum { BOUNDARY_MAX = 70, DELIMITER_HEAD = 4, DELIMITER_BYTES = DELIMITER_HEAD + BOUNDARY_MAX + 1 };

/* A place in the body, and where it ends. */
struct span {
    const char *at, *end;
};

static bool malformed(struct problem *problem, const char *what)
{
    problem_add(problem, PROBLEM_MALFORMED, "multipart: %s", what);
    return false;
}

/* ---- header values: a word, then ;name=value … ---- */

static void skip_blanks(struct span *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
        text->at++;
}

/* Whether the text begins with a word, in any case; then steps past it. */
static bool take_word(struct span *text, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(text->end - text->at) < length || strncasecmp(text->at, word, length) != 0)
        return false;
    text->at += length;
    return true;
}

/* Appends a character to a value of `size` bytes; false: there is no room. */
static bool keep(char *value, size_t size, size_t *length, char c)
{
    if (*length + 1 >= size)
        return false;
    value[(*length)++] = c;
    value[*length] = '\0';
    return true;
}

/* A quoted string, behind its first quote; \" and \\ stand for " and \. false: no end, a control
 * character, or too long. */
static bool take_quoted(struct span *text, char *value, size_t size)
{
    size_t length = 0;
    while (text->at < text->end && *text->at != '"') {
        if (*text->at == '\\' && text->end - text->at > 1 && strchr("\"\\", text->at[1]))
            text->at++;
        if ((unsigned char)*text->at < ' ' || !keep(value, size, &length, *text->at))
            return false;
        text->at++;
    }
    if (text->at == text->end)
        return false;
    text->at++;
    return true;
}

/* A value in quotes or without. false: it is none, or too long. */
static bool take_value(struct span *text, char *value, size_t size)
{
    size_t length = 0;
    *value = '\0';
    if (take_word(text, "\""))
        return take_quoted(text, value, size);
    while (text->at < text->end && !strchr("; \t", *text->at))
        if ((unsigned char)*text->at < ' ' || !keep(value, size, &length, *text->at++))
            return false;
    return true;
}

/* Finds one parameter among those that follow a header's word. What others are worth does not
 * matter. false: it is not there, is there twice or is too long. */
static bool find_parameter(struct span text, const char *name, char *value, size_t size)
{
    char other[1024];
    bool found = false;
    for (;;) {
        skip_blanks(&text);
        if (text.at == text.end)
            return found;
        if (!take_word(&text, ";"))
            return false;
        skip_blanks(&text);
        const char *equals = memchr(text.at, '=', (size_t)(text.end - text.at));
        if (!equals)
            return false;
        const bool wanted = (size_t)(equals - text.at) == strlen(name) &&
                            strncasecmp(text.at, name, strlen(name)) == 0;
        text.at = equals + 1;
        if (wanted && found)
            return false;
        if (!take_value(&text, wanted ? value : other, wanted ? size : sizeof(other)))
            return false;
        found = found || wanted;
    }
}

bool multipart_is(const char *content_type)
{
    return media_type_is(content_type, "multipart/form-data");
}

/* ---- the parts ---- */

/* The delimiter of a body, CR LF - - BOUNDARY, of a Content-Type. */
static bool read_boundary(char delimiter[DELIMITER_BYTES], const char *content_type,
                          struct problem *problem)
{
    char boundary[BOUNDARY_MAX + 1];
    const char *parameters = strchr(content_type, ';');
    struct span text = {parameters, parameters ? parameters + strlen(parameters) : NULL};
    if (!parameters || !find_parameter(text, "boundary", boundary, sizeof(boundary)) || !*boundary)
        return malformed(problem, "the Content-Type has no boundary of 1 to 70 characters");
    snprintf(delimiter, DELIMITER_BYTES, "\r\n--%s", boundary);
    return true;
}

/* The same of the body's first line. */
static bool guess_boundary(char delimiter[DELIMITER_BYTES], struct span body,
                           struct problem *problem)
{
    const char *first = body.at;
    size_t length = 0;
    while (length < BOUNDARY_MAX + 3 && first + length < body.end && first[length] > ' ')
        length++;
    if (length < 3 || length > BOUNDARY_MAX + 2 || memcmp(first, "--", 2) != 0) {
        problem_add(problem, PROBLEM_UNSUPPORTED_MEDIA_TYPE,
                    "the body must be multipart/form-data");
        return false;
    }
    snprintf(delimiter, DELIMITER_BYTES, "\r\n%.*s", (int)length, first);
    return true;
}

/* Finds bytes from `from` on; NULL: they are not there. */
static const char *find(struct span body, const char *bytes, size_t length)
{
    for (const char *at = body.at; (size_t)(body.end - at) >= length; at++) {
        at = memchr(at, *bytes, (size_t)(body.end - at) - length + 1);
        if (!at)
            return NULL;
        if (memcmp(at, bytes, length) == 0)
            return at;
    }
    return NULL;
}

/* One header line of a part, without its end. Sets the part's name from a Content-Disposition. */
static bool read_header(struct multipart_part *part, struct span line, struct problem *problem)
{
    if (take_word(&line, "content-disposition:")) {
        skip_blanks(&line);
        if (*part->name)
            return malformed(problem, "a part has two Content-Dispositions");
        if (!take_word(&line, "form-data") ||
            !find_parameter(line, "name", part->name, sizeof(part->name)) || !*part->name)
            return malformed(problem, "a part's Content-Disposition must be form-data with a name "
                                      "of 1 to 64 bytes");
    } else if (take_word(&line, "content-transfer-encoding:")) {
        skip_blanks(&line);
        if (!take_word(&line, "binary") && !take_word(&line, "8bit") && !take_word(&line, "7bit"))
            return malformed(problem, "a part is encoded; contents are taken as they are");
    }
    return true;
}

/* The header lines of a part up to and past the empty one. */
static bool read_headers(struct multipart_part *part, struct span *body, struct problem *problem)
{
    for (;;) {
        const char *end = find(*body, "\r\n", 2);
        if (!end)
            return malformed(problem, "the body ends within a part's header");
        const struct span line = {body->at, end};
        body->at = end + 2;
        if (line.at == line.end)
            break;
        if (!read_header(part, line, problem))
            return false;
    }
    return *part->name || malformed(problem, "a part has no Content-Disposition");
}

/* Whether a part may be there: its name is known and new. */
static bool check_name(const struct multipart *form, const char *name, const char *const *names,
                       struct problem *problem)
{
    bool known = false;
    for (; *names && !known; names++)
        known = strcmp(*names, name) == 0;
    if (!known) {
        problem_add(problem, PROBLEM_UNKNOWN_MEMBER, "there is no part \"%s\" here", name);
        return false;
    }
    if (multipart_part(form, name)) {
        problem_add(problem, PROBLEM_MALFORMED, "multipart: the part \"%s\" comes twice", name);
        return false;
    }
    return true;
}

/* What follows a delimiter: the end of its line, or -- where it is the last. */
static bool end_delimiter(struct span *body, bool *last, struct problem *problem)
{
    *last = take_word(body, "--");
    if (*last)
        return true;
    skip_blanks(body);
    return take_word(body, "\r\n") ||
           malformed(problem, "a delimiter's line must end in CR LF behind the boundary");
}

/* The parts, from behind the first delimiter on. */
static bool read_parts(struct multipart *form, struct span body, const char *delimiter,
                       const char *const *names, struct problem *problem)
{
    const size_t length = strlen(delimiter);
    for (;;) {
        bool last;
        if (!end_delimiter(&body, &last, problem))
            return false;
        if (last)
            return form->count > 0 || malformed(problem, "there is no part");
        if (form->count == MULTIPART_PARTS_MAX)
            return malformed(problem, "there are more than 16 parts");

        struct multipart_part part = {.bytes = 0};
        if (!read_headers(&part, &body, problem) || !check_name(form, part.name, names, problem))
            return false;
        // an empty part's delimiter begins with the end of its header
        const char *end = find((struct span){body.at - 2, body.end}, delimiter, length);
        if (!end)
            return malformed(problem, "the body ends without its closing delimiter");
        part.data = body.at;
        part.bytes = end > body.at ? (size_t)(end - body.at) : 0;
        form->parts[form->count++] = part;
        body.at = end + length;
    }
}

bool multipart_read(struct multipart *form, const char *content_type, const char *body,
                    size_t bytes, const char *const *names, struct problem *problem)
{
    char delimiter[DELIMITER_BYTES];
    struct span rest = {body, body + bytes};
    *form = (struct multipart){.count = 0};
    if (multipart_is(content_type) ? !read_boundary(delimiter, content_type, problem)
                                   : !guess_boundary(delimiter, rest, problem))
        return false;

    // the first delimiter may open the body; a preamble before it is of no matter
    const size_t length = strlen(delimiter);
    if (bytes >= length - 2 && memcmp(body, delimiter + 2, length - 2) == 0) {
        rest.at = body + length - 2;
    } else {
        const char *first = find(rest, delimiter, length);
        if (!first)
            return malformed(problem, "the body does not hold the boundary of its Content-Type");
        rest.at = first + length;
    }
    return read_parts(form, rest, delimiter, names, problem);
}

const struct multipart_part *multipart_part(const struct multipart *form, const char *name)
{
    for (unsigned i = 0; i < form->count; i++)
        if (strcmp(form->parts[i].name, name) == 0)
            return &form->parts[i];
    return NULL;
}

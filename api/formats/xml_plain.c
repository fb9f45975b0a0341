/* What bytes must be before libxml2 sees them: in an encoding whose markup is ASCII, and without
 * elements of so many attributes that its comparison of each with each takes minutes. */
#include "formats/xml.h"

#include <string.h>
#include <strings.h>

enum { ATTRIBUTES_MAX = 64 };

/* Whether the text at `at` begins with a word. */
static bool begins(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

/* The place behind the next `mark`; the end where there is none. */
static const char *behind(const char *at, const char *end, const char *mark)
{
    const size_t length = strlen(mark);
    for (; (size_t)(end - at) >= length; at++) {
        at = memchr(at, *mark, (size_t)(end - at));
        if (!at || (size_t)(end - at) < length)
            break;
        if (memcmp(at, mark, length) == 0)
            return at + length;
    }
    return end;
}

/* Goes past a tag and counts its attributes, which are what stands in quotes. */
static const char *take_tag(const char *at, const char *end, unsigned *attributes)
{
    char quote = '\0';
    *attributes = 0;
    for (; at < end && (quote || *at != '>'); at++) {
        if (quote) {
            quote = *at == quote ? '\0' : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
            ++*attributes;
        }
    }
    return at;
}

/* Whether a declaration names no encoding, or one that has ASCII's characters as they are. */
static bool is_ascii_based(const char *data, const char *end)
{
    static const char *const known[] = {"utf-8", "us-ascii", "ascii", "iso-8859-1", "iso-8859-15"};
    static const char name[] = "encoding";
    const size_t bytes = (size_t)(end - data);
    // no encoding begins so: not XML, as the parser will say
    if (bytes >= 4 && memcmp(data, "\0\0\0\0", 4) == 0)
        return true;
    if (bytes >= 2 && (data[0] == '\0' || data[1] == '\0' || memcmp(data, "\xff\xfe", 2) == 0 ||
                       memcmp(data, "\xfe\xff", 2) == 0))
        return false;
    if (begins(data, end, "\xef\xbb\xbf"))
        data += 3;
    if (!begins(data, end, "<?xml"))
        return true;
    end = behind(data, end, "?>");
    const char *at = behind(data, end, name);
    if (at == end)
        return true;
    while (at < end && strchr(" \t\r\n=", *at))
        at++;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t length = strlen(known[i]);
        if ((size_t)(end - at) > length + 1 && strncasecmp(at + 1, known[i], length) == 0 &&
            at[length + 1] == *at)
            return true;
    }
    return false;
}

bool xml_is_plain(const char *data, size_t bytes, struct problem *problem)
{
    const char *end = data + bytes;
    if (!is_ascii_based(data, end)) {
        problem_add(problem, PROBLEM_UNSUPPORTED, "the XML must be in UTF-8");
        return false;
    }
    for (const char *at = data; (at = memchr(at, '<', (size_t)(end - at))) != NULL;) {
        unsigned attributes = 0;
        if (begins(at, end, "<!--"))
            at = behind(at + 4, end, "-->");
        else if (begins(at, end, "<![CDATA["))
            at = behind(at, end, "]]>");
        else if (begins(at, end, "<?"))
            at = behind(at, end, "?>");
        else
            at = take_tag(at, end, &attributes);
        if (attributes > ATTRIBUTES_MAX) {
            problem_add(problem, PROBLEM_INVALID_ARGUMENT,
                        "an element of the XML has more than %d attributes", ATTRIBUTES_MAX);
            return false;
        }
    }
    return true;
}

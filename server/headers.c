#include "server/headers.h"

#include <string.h>
#include <strings.h>

enum { REQUEST_ID_MAX = 64, WAIT_DIGITS_MAX = 9 };

/* A piece of a header value. */
struct span {
    const char *text;
    size_t length;
};

static const char blanks[] = " \t";

static struct span trim(const char *text, size_t length)
{
    while (length > 0 && strchr(blanks, *text) != NULL)
        text++, length--;
    while (length > 0 && strchr(blanks, text[length - 1]) != NULL)
        length--;
    return (struct span){text, length};
}

static bool is(struct span span, const char *word)
{
    return span.length == strlen(word) && strncasecmp(span.text, word, span.length) == 0;
}

static bool ends_with(struct span span, const char *word)
{
    const size_t length = strlen(word);
    return span.length >= length &&
           strncasecmp(span.text + span.length - length, word, length) == 0;
}

/* The next piece of `*rest` up to `separator` outside quotes; false past the last. */
static bool next(struct span *rest, char separator, struct span *piece)
{
    bool quoted = false;
    size_t end = 0;
    *piece = (struct span){"", 0};
    if (rest->text == NULL)
        return false;
    for (; end < rest->length && (quoted || rest->text[end] != separator); end++) {
        if (rest->text[end] == '"')
            quoted = !quoted;
        else if (quoted && rest->text[end] == '\\' && end + 1 < rest->length)
            end++;
    }
    *piece = trim(rest->text, end);
    if (end < rest->length)
        *rest = (struct span){rest->text + end + 1, rest->length - end - 1};
    else
        *rest = (struct span){NULL, 0};
    return true;
}

static struct span whole(const char *value)
{
    return (struct span){value, value == NULL ? 0 : strlen(value)};
}

/* Splits "name=value" at the first '='. */
static struct span value_of(struct span *name)
{
    const char *equals = memchr(name->text, '=', name->length);
    if (equals == NULL)
        return (struct span){name->text + name->length, 0};
    const size_t at = (size_t)(equals - name->text);
    const struct span value = trim(equals + 1, name->length - at - 1);
    *name = trim(name->text, at);
    return value;
}

/* Whether the parameters of an item hold a q of zero: "0", "0.", "0.000". */
static bool is_refused(struct span parameters)
{
    struct span name;
    while (next(&parameters, ';', &name)) {
        const struct span value = value_of(&name);
        if (is(name, "q"))
            return value.length > 0 && strspn(value.text, "0.") >= value.length;
    }
    return false;
}

static bool is_json_type(struct span type)
{
    return is(type, "application/json") || is(type, "text/json") || ends_with(type, "+json");
}

/* Whether a media range takes a media type. */
static bool range_takes(struct span range, struct span media)
{
    if (is(range, "*/*") || is(range, "*") || (is_json_type(range) && is_json_type(media)))
        return true;
    if (range.length == media.length && strncasecmp(range.text, media.text, range.length) == 0)
        return true;
    return range.length > 2 && ends_with(range, "/*") && media.length >= range.length &&
           strncasecmp(range.text, media.text, range.length - 1) == 0;
}

bool headers_accept(const char *accept, const char *media)
{
    struct span rest = whole(accept), item, range;
    bool any = false, taken = false;
    while (next(&rest, ',', &item)) {
        if (item.length == 0)
            continue;
        any = true;
        next(&item, ';', &range);
        if (range_takes(range, whole(media))) {
            // an exact refusal outweighs a wildcard
            if (!is_refused(item))
                taken = true;
            else if (memchr(range.text, '*', range.length) == NULL)
                return false;
        }
    }
    return taken || !any;
}

bool headers_accept_names(const char *accept, const char *media)
{
    struct span rest = whole(accept), item, range;
    while (next(&rest, ',', &item)) {
        next(&item, ';', &range);
        if (is(range, media))
            return !is_refused(item);
    }
    return false;
}

bool headers_accept_gzip(const char *accept_encoding)
{
    struct span rest = whole(accept_encoding), item, coding;
    bool taken = false;
    while (next(&rest, ',', &item)) {
        next(&item, ';', &coding);
        if (is(coding, "gzip") || is(coding, "x-gzip"))
            return !is_refused(item);
        if (is(coding, "*"))
            taken = !is_refused(item);
    }
    return taken;
}

enum content_coding headers_content_coding(const char *content_encoding)
{
    struct span rest = whole(content_encoding), coding;
    enum content_coding found = CODING_IDENTITY;
    while (next(&rest, ',', &coding)) {
        if (coding.length == 0 || is(coding, "identity"))
            continue;
        const bool known = is(coding, "gzip") || is(coding, "x-gzip") || is(coding, "deflate");
        if (!known || found != CODING_IDENTITY)
            return CODING_UNKNOWN;
        found = CODING_ZLIB;
    }
    return found;
}

bool headers_content_json(const char *content_type)
{
    struct span rest = whole(content_type), type;
    if (!next(&rest, ';', &type) || type.length == 0)
        return true;
    return is_json_type(type) || is(type, "application/x-www-form-urlencoded");
}

double headers_prefer_wait(const char *prefer)
{
    struct span rest = whole(prefer), item, name;
    while (next(&rest, ',', &item)) {
        next(&item, ';', &name);
        struct span value = value_of(&name);
        if (!is(name, "wait"))
            continue;
        if (value.length >= 2 && value.text[0] == '"')
            value = (struct span){value.text + 1, value.length - 2};

        // delta-seconds: whole numbers, read without regard to the locale
        double wait_s = 0;
        for (size_t i = 0; i < value.length; i++) {
            if (value.text[i] < '0' || value.text[i] > '9')
                return -1;
            if (i < WAIT_DIGITS_MAX)
                wait_s = 10 * wait_s + (value.text[i] - '0');
        }
        return value.length > 0 ? wait_s : -1;
    }
    return -1;
}

bool headers_request_id(const char *request_id)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/+=-";
    if (request_id == NULL)
        return false;
    const size_t length = strlen(request_id);
    return length >= 1 && length <= REQUEST_ID_MAX && strspn(request_id, allowed) == length;
}

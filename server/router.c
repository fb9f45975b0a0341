#include "server/router.h"

#include "schema/text.h"
#include "server/hex.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { PARTS_MAX = 8 };

static_assert(ROUTE_COUNT <= 64, "the set of routes is one word");

static const char fault_escape[] = "a percent sign is not followed by two hexadecimal digits";
static const char fault_zero[] = "%00 is not allowed";
static const char fault_slash[] = "%2F is not allowed in a path segment";
static const char fault_utf8[] = "the text is not UTF-8";
static const char fault_count[] = "there are too many parameters";

/* Undoes percent-encoding in place; NULL or what is wrong. */
static const char *decode(char *text, bool is_query)
{
    char *out = text;
    for (const char *in = text; *in != '\0'; out++) {
        if (*in == '%') {
            const int high = hex_value(in[1]);
            const int low = high < 0 ? -1 : hex_value(in[2]);
            if (low < 0)
                return fault_escape;
            *out = (char)(high * 16 + low);
            if (*out == '\0')
                return fault_zero;
            if (*out == '/' && !is_query)
                return fault_slash;
            in += 3;
        } else {
            *out = *in++;
            if (is_query && *out == '+')
                *out = ' ';
        }
    }
    *out = '\0';

    // what is decoded may be echoed in a JSON answer
    return text_is_utf8(text) ? NULL : fault_utf8;
}

/* Splits "/a/b" into decoded parts. False: `match` already says unknown or malformed. */
static bool split(char *path, char *parts[PARTS_MAX], size_t *count, struct router_match *match)
{
    *count = 0;
    if (*path != '/')
        return false;
    for (char *part = path + 1; part != NULL;) {
        char *end = strchr(part, '/');
        if (end != NULL)
            *end++ = '\0';
        match->fault = decode(part, false);
        if (match->fault != NULL) {
            match->outcome = ROUTER_MALFORMED;
            return false;
        }
        if (*part == '\0' || strcmp(part, ".") == 0 || strcmp(part, "..") == 0 ||
            *count == PARTS_MAX)
            return false;
        parts[(*count)++] = part;
        part = end;
    }
    return true;
}

/* Whether the next segment of the pattern at `*rest` takes `part`; moves past it. */
static bool step(const char **rest, const char *part)
{
    if (**rest != '/')
        return false;
    const char *segment = *rest + 1;
    const size_t length = strcspn(segment, "/");
    *rest = segment + length;
    return segment[0] == '{' || (strncmp(segment, part, length) == 0 && part[length] == '\0');
}

/* The routes whose whole pattern takes the parts, as a set. */
static uint64_t narrow(char *const parts[], size_t count)
{
    const char *rest[ROUTE_COUNT];
    uint64_t alive = 0;
    for (unsigned r = 0; r < ROUTE_COUNT; r++) {
        rest[r] = route_table[r].pattern;
        alive |= UINT64_C(1) << r;
    }
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; r < ROUTE_COUNT; r++)
            if ((alive >> r & 1) != 0 && !step(&rest[r], parts[i]))
                alive &= ~(UINT64_C(1) << r);
    for (unsigned r = 0; r < ROUTE_COUNT; r++)
        if (*rest[r] != '\0')
            alive &= ~(UINT64_C(1) << r);
    return alive;
}

/* Writes Allow of the routes in `set`: in the table's order, HEAD with GET, OPTIONS always. */
static void write_allow(char allow[], size_t capacity, uint64_t set)
{
    size_t length = 0;
    for (unsigned r = 0; r < ROUTE_COUNT; r++) {
        if ((set >> r & 1) == 0)
            continue;
        const bool is_get = strcmp(route_table[r].method, "GET") == 0;
        const int written = snprintf(allow + length, capacity - length, "%s%s, ",
                                     route_table[r].method, is_get ? ", HEAD" : "");
        assert(written > 0 && (size_t)written < capacity - length);
        length += (size_t)written;
    }
    const int written = snprintf(allow + length, capacity - length, "OPTIONS");
    assert(written > 0 && (size_t)written < capacity - length);
}

/* The values of the {x} of a pattern that takes the parts. */
static void take_segments(struct router_match *match, char *const parts[])
{
    const char *pattern = route_table[match->route].pattern;
    unsigned taken = 0;
    for (size_t i = 0; *pattern != '\0'; i++) {
        if (pattern[1] == '{') {
            assert(taken < CALL_SEGMENTS_MAX);
            match->segments[taken++] = parts[i];
        }
        pattern += 1 + strcspn(pattern + 1, "/");
    }
}

void router_match(struct router_match *match, const char *method, char *path)
{
    char *parts[PARTS_MAX];
    size_t count;

    *match = (struct router_match){.outcome = ROUTER_UNKNOWN};
    if (strcmp(path, "*") == 0 && strcmp(method, "OPTIONS") == 0) {
        match->outcome = ROUTER_OPTIONS;
        snprintf(match->allow, sizeof(match->allow),
                 "GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS");
        return;
    }
    if (!split(path, parts, &count, match))
        return;
    const uint64_t fitting = narrow(parts, count);
    if (fitting == 0)
        return;

    // the path exists: is there a route of this method?
    const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;
    write_allow(match->allow, sizeof(match->allow), fitting);
    match->outcome = strcmp(method, "OPTIONS") == 0 ? ROUTER_OPTIONS : ROUTER_WRONG_METHOD;
    for (unsigned r = 0; r < ROUTE_COUNT; r++) {
        if ((fitting >> r & 1) == 0)
            continue;
        if (match->pattern == NULL)
            match->pattern = route_table[r].pattern;
        if (match->outcome != ROUTER_FOUND && strcmp(route_table[r].method, wanted) == 0) {
            match->outcome = ROUTER_FOUND;
            match->route = (enum route_id)r;
            match->pattern = route_table[r].pattern;
        }
    }
    if (match->outcome == ROUTER_FOUND)
        take_segments(match, parts);
}

const char *router_query(struct call_parameter parameters[CALL_PARAMETERS_MAX], unsigned *count,
                         char *query)
{
    *count = 0;
    for (char *item = query; item != NULL;) {
        char *end = strchr(item, '&');
        if (end != NULL)
            *end++ = '\0';
        if (*item != '\0') {
            // the value starts before decoding, so that an encoded '=' does not separate
            char *value = item + strcspn(item, "=");
            if (*value == '=')
                *value++ = '\0';
            const char *fault = decode(item, true);
            if (fault == NULL)
                fault = decode(value, true);
            if (fault != NULL)
                return fault;
            if (*count == CALL_PARAMETERS_MAX)
                return fault_count;
            parameters[(*count)++] = (struct call_parameter){.key = item, .value = value};
        }
        item = end;
    }
    return NULL;
}

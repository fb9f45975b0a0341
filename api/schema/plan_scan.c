/* The queries of a body in the form that nearly all clients send, read in one pass. */
#include "schema/plan_scan.h"

#include "schema/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WHOLE_BYTES_MAX = 15, /* of whole numbers that are doubles too, whatever else is in the body */
    QUERY_BYTES_MIN = sizeof "{'start':[],'goal':[]}" - 1,
};

/* What is left of the text. */
struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end &&
           (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' || *scan->at == '\t'))
        scan->at++;
}

/* Takes a character and the blanks about it. */
static bool take(struct scan *scan, char c)
{
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    skip_blanks(scan);
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A string without escapes, of printable ASCII. */
static bool take_string(struct scan *scan, const char **text, size_t *bytes)
{
    if (scan->at == scan->end || *scan->at != '"')
        return false;
    *text = ++scan->at;
    while (scan->at < scan->end && *scan->at >= ' ' && *scan->at <= '~' && *scan->at != '"' &&
           *scan->at != '\\')
        scan->at++;
    *bytes = (size_t)(scan->at - *text);
    return scan->at < scan->end && *scan->at++ == '"';
}

/* A number as JSON has it; not a zero with a sign, which depends on how it is written. */
static bool take_number(struct scan *scan, double *value)
{
    const char *text = scan->at;
    const size_t bytes = decimal_read(value, text, (size_t)(scan->end - text));
    const size_t sign = bytes && *text == '-';
    if (bytes <= sign || !isfinite(*value) || (sign && *value == 0))
        return false;
    // what decimal_read() takes besides: a plus, zeros before others, a point without digits
    if (!is_digit(text[sign]) ||
        (text[sign] == '0' && bytes > sign + 1 && is_digit(text[sign + 1])))
        return false;
    const char *point = memchr(text, '.', bytes);
    if (point ? point + 1 == text + bytes || !is_digit(point[1]) : bytes > WHOLE_BYTES_MAX)
        return false;
    scan->at += bytes;
    return true;
}

static bool take_state(struct scan *scan, double *state, uint32_t dof)
{
    if (!take(scan, '['))
        return false;
    for (uint32_t i = 0; i < dof; i++)
        if ((i > 0 && !take(scan, ',')) || !take_number(scan, &state[i]))
            return false;
    return take(scan, ']');
}

/* An id as the text that goes back: a string that needs no escapes, or a whole number. */
static bool take_id(struct scan *scan, struct plan_query *query)
{
    const char *text = scan->at, *string;
    size_t bytes;
    if (take_string(scan, &string, &bytes)) {
        if (!bytes || bytes > PLAN_ID_BYTES_MAX)
            return false;
    } else {
        double number;
        if (!take_number(scan, &number))
            return false;
        for (const char *c = text; c < scan->at; c++)
            if (!is_digit(*c) && *c != '-')
                return false;
    }
    bytes = (size_t)(scan->at - text);
    query->id_json = malloc(bytes + 1);
    if (!query->id_json)
        return false;
    memcpy(query->id_json, text, bytes);
    query->id_json[bytes] = '\0';
    return true;
}

static bool is_key(const char *key, size_t bytes, const char *name)
{
    return bytes == strlen(name) && memcmp(key, name, bytes) == 0;
}

/* A query whose place for start and goal is known. */
static bool take_query(struct scan *scan, struct plan_query *query, double *numbers, uint32_t dof)
{
    bool has_start = false, has_goal = false;
    if (!take(scan, '{'))
        return false;
    do {
        const char *key;
        size_t bytes;
        bool good = take_string(scan, &key, &bytes) && take(scan, ':');
        if (good && is_key(key, bytes, "start"))
            good = !has_start && (has_start = take_state(scan, numbers + query->start, dof));
        else if (good && is_key(key, bytes, "goal"))
            good = !has_goal && (has_goal = take_state(scan, numbers + query->goals, dof));
        else
            good = good && is_key(key, bytes, "id") && !query->id_json && take_id(scan, query);
        if (!good)
            return false;
    } while (take(scan, ','));
    query->goal_count = 1;
    return has_start && has_goal && take(scan, '}');
}

/* The array of queries. */
static bool take_queries(struct scan *scan, struct plan_request *request, uint32_t dof,
                         const struct limits *limits)
{
    // as many as there is text for
    size_t most = (size_t)(scan->end - scan->at) / (QUERY_BYTES_MIN + 4 * (size_t)dof - 1) + 1;
    if (most > limits->queries)
        most = limits->queries;
    request->queries = calloc(most + 1, sizeof *request->queries);
    request->numbers = malloc((most + 1) * 2 * dof * sizeof *request->numbers);
    if (!request->queries || !request->numbers || !take(scan, '['))
        return false;
    if (take(scan, ']'))
        return true;
    do {
        if (request->query_count == most)
            return false;
        struct plan_query *query = &request->queries[request->query_count++];
        query->start = request->number_count;
        query->goals = query->start + dof;
        request->number_count += 2 * (size_t)dof;
        if (!take_query(scan, query, request->numbers, dof))
            return false;
    } while (take(scan, ','));
    return take(scan, ']');
}

/* The quotation mark that ends the string whose inside begins at `at`; `end`: there is none. */
static const char *string_end(const char *at, const char *end)
{
    for (bool escaped = false; at < end; at++) {
        if (*at == '"' && !escaped)
            return at;
        escaped = *at == '\\' && !escaped;
    }
    return end;
}

/* Passes over a value of any kind, whose syntax somebody else checks. */
static bool skip_value(struct scan *scan)
{
    size_t depth = 0;
    for (; scan->at < scan->end; scan->at++) {
        const char c = *scan->at;
        if (depth == 0 && (c == ',' || c == '}'))
            return true;
        if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}') {
            if (depth-- == 0)
                return false;
        } else if (c == '"') {
            scan->at = string_end(scan->at + 1, scan->end);
            if (scan->at == scan->end)
                return false;
        }
    }
    return false;
}

bool plan_scan(struct plan_request *request, struct text *rest, const char *body, size_t bytes,
               uint32_t dof, const struct limits *limits)
{
    struct scan scan = {body, body + bytes};
    const char *key;
    size_t key_bytes;
    if (!take(&scan, '{'))
        return false;
    while (take_string(&scan, &key, &key_bytes) && take(&scan, ':')) {
        if (is_key(key, key_bytes, "queries")) {
            text_append(rest, body, (size_t)(scan.at - body));
            if (!take_queries(&scan, request, dof, limits))
                return false;
            text_literal(rest, "[]");
            text_append(rest, scan.at, (size_t)(scan.end - scan.at));
            return !rest->failed;
        }
        if (!skip_value(&scan) || !take(&scan, ','))
            return false;
    }
    return false;
}

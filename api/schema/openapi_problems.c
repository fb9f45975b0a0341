/* Problems in the OpenAPI document: a response for each status. */
#include "schema/openapi_build.h"
#include "schema/problem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { STATUS_BYTES = 8, DESCRIPTION_BYTES = 512 };

static const enum problem_code codes[] = {
#define PROBLEM(constant, code, status, title) PROBLEM_##constant,
#include "schema/problems.def"
#undef PROBLEM
};
enum { CODE_COUNT = sizeof codes / sizeof *codes };

/* The header that a status brings besides X-Request-Id; NULL: none. */
static const char *header_of(int status)
{
    switch (status) {
    case 401:
        return "WWW-Authenticate";
    case 405:
        return "Allow";
    case 429:
    case 503:
        return "Retry-After";
    default:
        return NULL;
    }
}

json_t *openapi_problem_codes(struct openapi *openapi)
{
    json_t *words = json_array();
    for (unsigned i = 0; i < CODE_COUNT; i++)
        openapi_add(openapi, words, json_string(problem_code_text(codes[i])));
    return json_pack("{s:s, s:s, s:o}", "description", "Stable names of problems.", "type",
                     "string", "enum", words);
}

/* The response of a status, whose codes begin with code `first` of the table. */
static json_t *response(struct openapi *openapi, unsigned first)
{
    const int status = problem_code_status(codes[first]);
    char description[DESCRIPTION_BYTES] = "";
    size_t length = 0;
    json_t *words = json_array(), *headers = json_object();
    for (unsigned i = first; i < CODE_COUNT; i++) {
        if (problem_code_status(codes[i]) != status)
            continue;
        openapi_add(openapi, words, json_string(problem_code_text(codes[i])));
        if (length < sizeof description)
            length += (size_t)snprintf(description + length, sizeof description - length,
                                       "%s`%s`: %s.", length ? " " : "",
                                       problem_code_text(codes[i]), problem_code_title(codes[i]));
    }
    openapi_set(openapi, headers, "X-Request-Id", openapi_reference("headers", "X-Request-Id"));
    const char *header = header_of(status);
    if (header)
        openapi_set(openapi, headers, header, openapi_reference("headers", header));

    json_t *schema = json_pack("{s:[o, {s:{s:{s:i}, s:{s:o}}}]}", "allOf",
                               openapi_reference("schemas", "Problem"), "properties", "status",
                               "const", status, "code", "enum", words);
    return json_pack("{s:s, s:o, s:{s:{s:o}}}", "description", description, "headers", headers,
                     "content", "application/problem+json", "schema", schema);
}

static void name_of(char name[OPENAPI_NAME_BYTES], int status)
{
    snprintf(name, OPENAPI_NAME_BYTES, "Problem%d", status);
}

json_t *openapi_problems(struct openapi *openapi)
{
    json_t *responses = json_object();
    for (int status = 400; status < 600; status++) {
        unsigned first = 0;
        while (first < CODE_COUNT && problem_code_status(codes[first]) != status)
            first++;
        if (first == CODE_COUNT)
            continue;
        char name[OPENAPI_NAME_BYTES];
        name_of(name, status);
        openapi_set(openapi, responses, name, response(openapi, first));
    }
    return responses;
}

void openapi_add_problem(struct openapi *openapi, json_t *operation, const char *code)
{
    unsigned i = 0;
    while (i < CODE_COUNT && strcmp(problem_code_text(codes[i]), code) != 0)
        i++;
    assert(i < CODE_COUNT);
    char status[STATUS_BYTES], name[OPENAPI_NAME_BYTES];
    snprintf(status, sizeof status, "%d", problem_code_status(codes[i]));
    name_of(name, problem_code_status(codes[i]));
    openapi_set(openapi, json_object_get(operation, "responses"), status,
                openapi_reference("responses", name));
    openapi_add(openapi, json_object_get(operation, "x-problems"), json_string(code));
}

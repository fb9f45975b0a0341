/* The OpenAPI 3.1 document of the service, made from its tables.
 *
 * Paths, methods, roles and summaries come from routes.def, problems from problems.def, what
 * operations under /v1/compute take from compute_table.c, limits from the server's own; the rest is
 * written by hand in the folder openapi/, which is embedded:
 *
 *     document.json    the frame: info, tags, parameters, headers
 *     operations.json  by route: parameters, requests with examples, answers, problems
 *     queries.json     URL parameters of routes
 *     parts.json       members that several schemas have
 *     others           schemas by name
 *
 * There "$limit:x" is the limit x ("$limit:x:10" no more than 10), "$with": ["p"] the members of a
 * part, "$plan_statuses" the words of plan.h. A test holds the document against routes, problems
 * and limits, another the schemas against what the service takes and answers.
 *
 * Cost: a millisecond or two. Threads: any.
 */
#ifndef SCHEMA_OPENAPI_H
#define SCHEMA_OPENAPI_H

#include "schema/limits.h"
#include "schema/text.h"

struct openapi_options {
    const char *version;   /* of the program */
    const char *base_path; /* before every path, "/prm"; NULL or "": none */
    bool tokens;           /* whether requests need them */
    struct limits limits;
};

/* Appends the document, laid out for people. Want of memory is the text's failure. */
void openapi_write(const struct openapi_options *options, struct text *out);

#endif

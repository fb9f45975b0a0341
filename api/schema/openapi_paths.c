/* The paths of the OpenAPI document: an operation for each row of the route table, which for
 * /v1/compute/{op} is one for each operation. */
#include "schema/openapi_build.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 128, ID_BYTES = 64 };

static const char *const constants[ROUTE_COUNT] = {
#define ROUTE(constant, method, pattern, role, flags, summary) #constant,
#include "schema/routes.def"
#undef ROUTE
};

/* What an operation is made from. */
struct operation {
    const struct route *route;
    const json_t *source;          /* of operations.json; NULL: nothing is said there yet */
    const json_t *queries;         /* queries.json */
    const struct compute_row *row; /* of compute, else NULL */
    char id[ID_BYTES];
    char path[PATH_BYTES];
};

/* The id of a constant: in small letters. */
static void id_of(char id[ID_BYTES], const char *constant)
{
    size_t length = 0;
    for (; constant[length] && length + 1 < ID_BYTES; length++)
        id[length] = (char)tolower((unsigned char)constant[length]);
    id[length] = '\0';
}

/* The route of an id. */
static const struct route *route_of(const char *id)
{
    for (unsigned r = 0; r < ROUTE_COUNT; r++) {
        char own[ID_BYTES];
        id_of(own, constants[r]);
        if (strcmp(own, id) == 0)
            return &route_table[r];
    }
    assert(!"a link leads to a route");
    return NULL;
}

/* The next {name} of a pattern, and where it ends; NULL: there is none. */
static const char *next_name(const char *pattern, char name[ID_BYTES])
{
    const char *begin = strchr(pattern, '{');
    if (!begin)
        return NULL;
    const size_t length = strcspn(begin + 1, "}");
    snprintf(name, ID_BYTES, "%.*s", (int)length, begin + 1);
    return begin + 1 + length;
}

/* ---- parameters ---- */

static json_t *parameters(struct openapi *openapi, const struct operation *operation)
{
    json_t *list = json_array(), *value;
    size_t i;
    char name[ID_BYTES];
    for (const char *at = next_name(operation->path, name); at; at = next_name(at, name))
        openapi_add(openapi, list, openapi_reference("parameters", name));
    json_array_foreach(json_object_get(operation->source, "parameters"), i, value)
        openapi_add(openapi, list, openapi_reference("parameters", json_string_value(value)));
    const char *query = json_string_value(json_object_get(operation->source, "query"));
    assert(!query || json_object_get(operation->queries, query));
    json_array_foreach(query ? json_object_get(operation->queries, query) : NULL, i, value)
        openapi_add(openapi, list, json_incref(value));
    return list;
}

/* ---- requests ---- */

static json_t *examples(struct openapi *openapi, json_t *values)
{
    json_t *named = json_object(), *value;
    const char *key;
    json_object_foreach(values, key, value)
        openapi_set(openapi, named, key, json_pack("{s:O}", "value", value));
    return named;
}

/* A media type of operations.json as OpenAPI has it. */
static json_t *media(struct openapi *openapi, json_t *source)
{
    json_t *made = json_object();
    json_t *schema = json_object_get(source, "schema"),
           *values = json_object_get(source, "examples");
    json_t *description = json_object_get(source, "description");
    if (json_is_string(schema))
        openapi_set(openapi, made, "schema",
                    openapi_reference("schemas", json_string_value(schema)));
    else if (schema)
        openapi_set(openapi, made, "schema", json_incref(schema));
    else if (description)
        openapi_set(openapi, made, "schema", json_pack("{s:O}", "description", description));
    if (values)
        openapi_set(openapi, made, "examples", examples(openapi, values));
    return made;
}

static json_t *compute_content(struct openapi *openapi, const struct operation *operation)
{
    char name[OPENAPI_NAME_BYTES];
    openapi_compute_name(name, operation->row, "");
    const json_t *ops = json_object_get(operation->source, "operations");
    json_t *example = json_object_get(json_object_get(ops, operation->row->name), "example");
    assert(example);
    json_t *content =
        json_pack("{s:{s:o, s:{s:{s:O}}}}", "application/json", "schema",
                  openapi_reference("schemas", name), "examples", "all", "value", example);
    if (operation->row->has_main)
        openapi_set(openapi, content, "application/x-npy",
                    json_pack("{s:{s:s}}", "schema", "description", "The first array."));
    openapi_set(openapi, content, "application/x-npz",
                json_pack("{s:{s:s}}", "schema", "description", "All members."));
    return content;
}

static json_t *request_body(struct openapi *openapi, const struct operation *operation)
{
    json_t *content;
    if (operation->row) {
        content = compute_content(openapi, operation);
    } else {
        json_t *value;
        const char *key;
        content = json_object();
        json_object_foreach(json_object_get(operation->source, "request"), key, value)
            openapi_set(openapi, content, key, media(openapi, value));
    }
    return json_pack("{s:b, s:o}", "required", 1, "content", content);
}

/* ---- answers ---- */

/* Where an answer leads: the path's own parameters go along. */
static json_t *link_to(struct openapi *openapi, const struct operation *operation, const char *id,
                       json_t *given)
{
    const struct route *target = route_of(id);
    json_t *values = json_deep_copy(given);
    char name[ID_BYTES], placeholder[ID_BYTES + 2];
    for (const char *at = next_name(target->pattern, name); at; at = next_name(at, name)) {
        snprintf(placeholder, sizeof placeholder, "{%s}", name);
        if (json_object_get(values, name))
            continue;
        assert(strstr(operation->path, placeholder));
        openapi_set(openapi, values, name, json_sprintf("$request.path.%s", name));
    }
    return json_pack("{s:s, s:o}", "operationId", id, "parameters", values);
}

static json_t *answer(struct openapi *openapi, const struct operation *operation, json_t *source)
{
    json_t *headers = json_object(), *links = json_object(), *value;
    const char *key;
    size_t i;
    openapi_set(openapi, headers, "X-Request-Id", openapi_reference("headers", "X-Request-Id"));
    json_array_foreach(json_object_get(source, "headers"), i, value)
        openapi_set(openapi, headers, json_string_value(value),
                    openapi_reference("headers", json_string_value(value)));
    json_object_foreach(json_object_get(source, "links"), key, value)
        openapi_set(openapi, links, key, link_to(openapi, operation, key, value));

    json_t *made = json_pack("{s:O, s:o}", "description", json_object_get(source, "description"),
                             "headers", headers);
    const char *body = json_string_value(json_object_get(source, "body"));
    json_t *content = json_object();
    if (body)
        openapi_set(openapi, content, "application/json",
                    json_pack("{s:o}", "schema", openapi_reference("schemas", body)));
    json_object_foreach(json_object_get(source, "content"), key, value)
        openapi_set(openapi, content, key, json_incref(value));
    if (json_object_size(content) > 0)
        openapi_set(openapi, made, "content", content);
    else
        json_decref(content);
    if (json_object_size(links) > 0)
        openapi_set(openapi, made, "links", links);
    else
        json_decref(links);
    return made;
}

static json_t *compute_answers(const struct operation *operation)
{
    char name[OPENAPI_NAME_BYTES];
    openapi_compute_name(name, operation->row, "Reply");
    return json_pack("{s:{s:s, s:{s:o}, s:{s:{s:o}, s:{}}}}", "200", "description", "Done.",
                     "headers", "X-Request-Id", openapi_reference("headers", "X-Request-Id"),
                     "content", "application/json", "schema", openapi_reference("schemas", name),
                     "application/x-npz");
}

/* What any request of such a route may be answered. */
static void add_usual_problems(struct openapi *openapi, json_t *made,
                               const struct operation *operation)
{
    static const char *const always[] = {"malformed",  "invalid_argument", "internal",
                                         "overloaded", "draining",         NULL};
    static const char *const guarded[] = {"unauthenticated", "forbidden", "too_many_requests",
                                          NULL};
    static const char *const bodied[] = {"too_large", "unsupported_media_type", "unknown_member",
                                         "limit_exceeded", NULL};
    const struct route *route = operation->route;
    const struct {
        const char *const *codes;
        bool counts;
    } groups[] = {
        {always, true}, {guarded, route->role != ROLE_OPEN}, {bodied, route->flags & ROUTE_BODY}};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (const char *const *code = groups[g].codes; groups[g].counts && *code; code++)
            openapi_add_problem(openapi, made, *code);
    if (strchr(operation->path, '{'))
        openapi_add_problem(openapi, made, "unknown_route");
    if (!(route->flags & ROUTE_ANY_TYPE))
        openapi_add_problem(openapi, made, "not_acceptable");
}

static void add_problems(struct openapi *openapi, json_t *made, const struct operation *operation)
{
    json_t *code;
    size_t i;
    openapi_set(openapi, made, "x-problems", json_array());
    add_usual_problems(openapi, made, operation);
    json_array_foreach(json_object_get(operation->source, "problems"), i, code)
    {
        // some say again what is usual
        json_t *known;
        size_t k;
        bool is_new = true;
        json_array_foreach(json_object_get(made, "x-problems"), k, known) is_new &=
            !json_equal(known, code);
        if (is_new)
            openapi_add_problem(openapi, made, json_string_value(code));
    }
}

/* ---- operations ---- */

/* The role that is needed; where there are no tokens, none at all will do too. */
static json_t *security(const struct openapi *openapi, const struct route *route)
{
    if (route->role == ROLE_OPEN)
        return json_array();
    const char *role = route_role_names[route->role];
    return openapi->options->tokens ? json_pack("[{s:[s]}]", "token", role)
                                    : json_pack("[{s:[s]}, {}]", "token", role);
}

static json_t *make(struct openapi *openapi, const struct operation *operation)
{
    const struct route *route = operation->route;
    json_t *value, *answers = json_object();
    const char *key, *summary = route->summary;
    json_t *description = json_object_get(operation->source, "description");
    if (operation->row) {
        const json_t *ops = json_object_get(operation->source, "operations");
        const json_t *own = json_object_get(ops, operation->row->name);
        summary = json_string_value(json_object_get(own, "summary"));
    }

    json_t *made = json_pack("{s:s, s:s}", "operationId", operation->id, "summary", summary);
    json_t *tag = json_object_get(operation->source, "tag");
    if (tag)
        openapi_set(openapi, made, "tags", json_pack("[O]", tag));
    if (description)
        openapi_set(openapi, made, "description", json_incref(description));
    openapi_set(openapi, made, "security", security(openapi, route));
    openapi_set(openapi, made, "parameters", parameters(openapi, operation));
    if (route->flags & ROUTE_BODY)
        openapi_set(openapi, made, "requestBody", request_body(openapi, operation));
    json_object_foreach(json_object_get(operation->source, "answers"), key, value)
        openapi_set(openapi, answers, key, answer(openapi, operation, value));
    if (operation->row) {
        json_decref(answers);
        answers = compute_answers(operation);
    }
    openapi_set(openapi, made, "responses", answers);
    add_problems(openapi, made, operation);
    return made;
}

static void add(struct openapi *openapi, json_t *paths, const struct operation *operation)
{
    char method[ID_BYTES];
    id_of(method, operation->route->method);
    if (!json_object_get(paths, operation->path))
        openapi_set(openapi, paths, operation->path, json_object());
    openapi_set(openapi, json_object_get(paths, operation->path), method, make(openapi, operation));
}

json_t *openapi_paths(struct openapi *openapi)
{
    json_t *paths = json_object();
    json_t *sources = openapi_load(openapi, "operations");
    json_t *queries = openapi_load(openapi, "queries");
    for (unsigned r = 0; r < ROUTE_COUNT && !openapi->failed; r++) {
        struct operation operation = {.route = &route_table[r],
                                      .source = json_object_get(sources, constants[r]),
                                      .queries = queries};
        for (unsigned op = 0; r == ROUTE_COMPUTE && op < COMPUTE_OP_COUNT; op++) {
            operation.row = &compute_table[op];
            snprintf(operation.id, sizeof operation.id, "compute_%s", operation.row->name);
            snprintf(operation.path, sizeof operation.path, "/v1/compute/%s", operation.row->name);
            add(openapi, paths, &operation);
        }
        if (r == ROUTE_COMPUTE)
            continue;
        id_of(operation.id, constants[r]);
        snprintf(operation.path, sizeof operation.path, "%s", operation.route->pattern);
        add(openapi, paths, &operation);
    }
    json_decref(sources);
    json_decref(queries);
    return paths;
}

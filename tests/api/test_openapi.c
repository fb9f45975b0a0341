/* Goal: the OpenAPI document has every route, problem and limit, says nothing twice, leads nowhere
 * that is not there, and docs/openapi.json is the one of the default flags. Method: write it, walk
 * it. Oracle: the tables, and the page as it lies in the repository.
 *
 * With PRM_WRITE set the page is written instead of compared. */
#include "schema/openapi.h"

#include "schema/compute.h"
#include "schema/problem.h"
#include "schema/route.h"
#include "support/support.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct openapi_options defaults(void)
{
    return (struct openapi_options){.version = PRM_VERSION, .limits = limits_default()};
}

static json_t *make(const struct openapi_options *options)
{
    struct text text = {0};
    json_error_t error;
    openapi_write(options, &text);
    assert_false(text.failed);
    json_t *document = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        fail_msg("line %d, column %d: %s", error.line, error.column, error.text);
    text_deinit(&text);
    return document;
}

/* The operation of a method and a path; NULL: there is none. */
static const json_t *operation_at(const json_t *document, const char *method, const char *path)
{
    char lower[16] = "";
    for (size_t i = 0; method[i] && i + 1 < sizeof lower; i++)
        lower[i] = (char)tolower((unsigned char)method[i]);
    const json_t *paths = json_object_get(document, "paths");
    return json_object_get(json_object_get(paths, path), lower);
}

static void check_operation(const json_t *document, const struct route *route, const char *path)
{
    const json_t *operation = operation_at(document, route->method, path);
    if (!operation)
        fail_msg("%s %s is not there", route->method, path);
    const json_t *responses = json_object_get(operation, "responses");
    if (!json_object_get(operation, "tags") ||
        !(json_object_get(responses, "200") || json_object_get(responses, "204")))
        fail_msg("%s %s: openapi/operations.json does not describe it", route->method, path);
    assert_int_equal(json_object_get(operation, "requestBody") != NULL,
                     (route->flags & ROUTE_BODY) != 0);
    assert_true(json_string_length(json_object_get(operation, "summary")) > 0);
    const json_t *needs = json_array_get(json_object_get(operation, "security"), 0);
    const char *role = json_string_value(json_array_get(json_object_get(needs, "token"), 0));
    assert_string_equal(role ? role : "open", route_role_names[route->role]);
}

static void every_route_is_there(void **state)
{
    (void)state;
    const struct openapi_options options = defaults();
    json_t *document = make(&options), *item;
    size_t operations = 0;
    const char *key;
    for (unsigned r = 0; r < ROUTE_COUNT; r++) {
        for (unsigned op = 0; r == ROUTE_COMPUTE && op < COMPUTE_OP_COUNT; op++) {
            char path[64];
            snprintf(path, sizeof path, "/v1/compute/%s", compute_op_name((enum compute_op)op));
            check_operation(document, &route_table[r], path);
        }
        if (r != ROUTE_COMPUTE)
            check_operation(document, &route_table[r], route_table[r].pattern);
    }
    // and nothing else is
    json_object_foreach(json_object_get(document, "paths"), key, item) operations +=
        json_object_size(item);
    assert_int_equal(operations, ROUTE_COUNT - 1 + COMPUTE_OP_COUNT);
    json_decref(document);
}

static void every_problem_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        int status;
    } problems[] = {
#define PROBLEM(constant, code, status, title) {code, status},
#include "schema/problems.def"
#undef PROBLEM
    };
    const struct openapi_options options = defaults();
    json_t *document = make(&options);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        char name[32];
        snprintf(name, sizeof name, "Problem%d", problems[i].status);
        json_t *responses = json_object_get(json_object_get(document, "components"), "responses");
        char *text = json_dumps(json_object_get(responses, name), 0);
        assert_non_null(text);
        if (!strstr(text, problems[i].code))
            fail_msg("%s has no %s", name, problems[i].code);
        free(text);
    }
    json_decref(document);
}

/* ---- references ---- */

static void check_reference(const json_t *document, const char *reference)
{
    char path[160];
    assert_int_equal(strncmp(reference, "#/", 2), 0);
    snprintf(path, sizeof path, "%s", reference + 2);
    const json_t *at = document;
    for (char *name = strtok(path, "/"); name; name = strtok(NULL, "/"))
        at = json_object_get(at, name);
    if (!at)
        fail_msg("%s leads nowhere", reference);
}

static void check_references(const json_t *document, json_t *json)
{
    json_t *value;
    const char *key;
    size_t i;
    json_object_foreach(json, key, value)
    {
        if (strcmp(key, "$ref") == 0)
            check_reference(document, json_string_value(value));
        else
            assert_true(*key != '$');
        check_references(document, value);
    }
    json_array_foreach(json, i, value) check_references(document, value);
    if (json_is_string(json) && *json_string_value(json) == '$')
        assert_int_equal(strncmp(json_string_value(json), "$re", 3), 0);
}

/* What may be referred to is: nothing is left over. */
static void check_used(const json_t *document, const char *text, const char *room)
{
    const json_t *components = json_object_get(document, "components");
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(components, room), key, value)
    {
        char reference[160];
        snprintf(reference, sizeof reference, "\"#/components/%s/%s\"", room, key);
        if (!strstr(text, reference) && strcmp(key, "Problem405") != 0)
            fail_msg("nothing refers to %s", reference);
    }
}

static void references_lead_somewhere_and_all_is_used(void **state)
{
    (void)state;
    const struct openapi_options options = defaults();
    json_t *document = make(&options);
    check_references(document, document);
    char *text = json_dumps(document, JSON_COMPACT);
    static const char *const rooms[] = {"schemas", "parameters", "headers", "responses"};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        check_used(document, text, rooms[i]);
    free(text);
    json_decref(document);
}

/* ---- what the server's own flags change ---- */

static json_int_t maximum_at(const json_t *document, const char *schema, const char *property,
                             const char *keyword)
{
    const json_t *at = json_object_get(json_object_get(document, "components"), "schemas");
    at = json_object_get(json_object_get(json_object_get(at, schema), "properties"), property);
    return json_integer_value(json_object_get(at, keyword));
}

static void limits_are_the_servers(void **state)
{
    (void)state;
    struct openapi_options options = defaults();
    options.limits.queries = 7;
    options.limits.milestones = 900;
    options.limits.compute_elements = 5;
    options.limits.neighbors = 3;
    json_t *document = make(&options);
    assert_int_equal(maximum_at(document, "PlanRequest", "queries", "maxItems"), 7);
    assert_int_equal(maximum_at(document, "Samples", "count", "maximum"), 900);
    assert_int_equal(maximum_at(document, "Samples", "count", "default"), 900);
    assert_int_equal(maximum_at(document, "ComputeSort", "keys", "maxItems"), 5);
    assert_int_equal(maximum_at(document, "ComputeHistogram", "bins", "maximum"), 5);
    assert_int_equal(maximum_at(document, "ComputeKnn", "k", "maximum"), 3);
    json_decref(document);
}

static void base_path_and_tokens_are_the_servers(void **state)
{
    (void)state;
    struct openapi_options options = defaults();
    for (int tokens = 0; tokens < 2; tokens++) {
        options.tokens = tokens;
        options.base_path = tokens ? "/prm" : "";
        json_t *document = make(&options);
        const json_t *server = json_array_get(json_object_get(document, "servers"), 0);
        assert_string_equal(json_string_value(json_object_get(server, "url")),
                            tokens ? "/prm" : "/");
        const json_t *list = operation_at(document, "GET", "/v1/worlds");
        // none at all will do too where there are no tokens
        assert_int_equal(json_array_size(json_object_get(list, "security")), tokens ? 1 : 2);
        const json_t *probe = operation_at(document, "GET", "/livez");
        assert_int_equal(json_array_size(json_object_get(probe, "security")), 0);
        json_decref(document);
    }
}

/* ---- the page ---- */

static void the_page_is_the_document(void **state)
{
    (void)state;
    const struct openapi_options options = defaults();
    struct text text = {0};
    openapi_write(&options, &text);
    assert_false(text.failed);
    if (getenv("PRM_WRITE")) {
        FILE *file = fopen(OPENAPI_PAGE, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(text.data, 1, text.length, file), text.length);
        assert_int_equal(fclose(file), 0);
    }
    FILE *file = fopen(OPENAPI_PAGE, "rb");
    assert_non_null(file);
    char *page = malloc(text.length + 1);
    assert_non_null(page);
    const size_t bytes = fread(page, 1, text.length + 1, file);
    fclose(file);
    if (bytes != text.length || memcmp(page, text.data, bytes) != 0)
        fail_msg("docs/openapi.json is not the document: ./dev openapi writes it anew");
    free(page);
    text_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_is_there),
        cmocka_unit_test(every_problem_is_there),
        cmocka_unit_test(references_lead_somewhere_and_all_is_used),
        cmocka_unit_test(limits_are_the_servers),
        cmocka_unit_test(base_path_and_tokens_are_the_servers),
        cmocka_unit_test(the_page_is_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

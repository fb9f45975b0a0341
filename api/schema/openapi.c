#include "schema/openapi_build.h"

#include "schema/json_layout.h"
#include "schema/plan.h"

#include <assert.h>
#include <string.h>

static const char limit_word[] = "$limit:";
static const char statuses_word[] = "$plan_statuses";
static const char with_word[] = "$with";

/* Documents of schemas by name, in the order that they are shown in. */
static const char *const schema_texts[] = {"common",  "service", "world",  "robot",
                                           "roadmap", "plan",    "compute"};

void openapi_set(struct openapi *openapi, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        openapi->failed = true;
}

void openapi_add(struct openapi *openapi, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        openapi->failed = true;
}

json_t *openapi_reference(const char *room, const char *name)
{
    return json_pack("{s:o}", "$ref", json_sprintf("#/components/%s/%s", room, name));
}

json_t *openapi_limit(const struct openapi *openapi, enum limit_id limit, uint64_t most)
{
    uint64_t value = limits_value(&openapi->options->limits, limit);
    if (most && most < value)
        value = most;
    return json_integer((json_int_t)value);
}

/* ---- what stands for something else ---- */

/* "name" or "name:most". */
static json_t *limit_of(const struct openapi *openapi, const char *text)
{
    const size_t length = strcspn(text, ":");
    uint64_t most = 0;
    for (const char *digit = text + length + (text[length] == ':'); *digit; digit++)
        most = 10 * most + (uint64_t)(*digit - '0');
    unsigned limit = 0;
    while (limit < LIMIT_COUNT && (strncmp(limit_table[limit].member, text, length) != 0 ||
                                   limit_table[limit].member[length]))
        limit++;
    assert(limit < LIMIT_COUNT);
    return openapi_limit(openapi, (enum limit_id)limit, most);
}

static json_t *plan_statuses(struct openapi *openapi)
{
    json_t *words = json_array();
    for (unsigned status = 0; status < PLAN_STATUS_COUNT; status++)
        openapi_add(openapi, words, json_string(plan_status_text((enum plan_status)status)));
    return words;
}

static json_t *expand(struct openapi *openapi, json_t *from);

/* Puts the members of parts into an object; `names` is an array. */
static void add_parts(struct openapi *openapi, json_t *object, const json_t *names)
{
    const char *key;
    json_t *name, *value;
    size_t i;
    json_array_foreach(names, i, name)
    {
        json_t *part = json_object_get(openapi->parts, json_string_value(name));
        assert(part);
        json_object_foreach(part, key, value)
            openapi_set(openapi, object, key, expand(openapi, value));
    }
}

static json_t *expand_object(struct openapi *openapi, json_t *from)
{
    json_t *object = json_object();
    const char *key;
    json_t *value;
    json_object_foreach(from, key, value)
    {
        if (strcmp(key, with_word) == 0)
            add_parts(openapi, object, value);
        else
            openapi_set(openapi, object, key, expand(openapi, value));
    }
    return object;
}

/* A copy of a value with all that stands for something else put in. */
static json_t *expand(struct openapi *openapi, json_t *from)
{
    if (json_is_object(from))
        return expand_object(openapi, from);
    if (json_is_array(from)) {
        json_t *array = json_array();
        for (size_t i = 0; i < json_array_size(from); i++)
            openapi_add(openapi, array, expand(openapi, json_array_get(from, i)));
        return array;
    }
    const char *text = json_string_value(from);
    if (text && strncmp(text, limit_word, sizeof limit_word - 1) == 0)
        return limit_of(openapi, text + sizeof limit_word - 1);
    if (text && strcmp(text, statuses_word) == 0)
        return plan_statuses(openapi);
    return json_copy(from);
}

/* An embedded document as it stands. */
static json_t *parse(struct openapi *openapi, const char *name)
{
    unsigned i = 0;
    while (i < openapi_text_count && strcmp(openapi_texts[i].name, name) != 0)
        i++;
    assert(i < openapi_text_count);
    json_error_t error;
    json_t *json = json_loadb((const char *)openapi_texts[i].bytes, openapi_texts[i].size,
                              JSON_REJECT_DUPLICATES, &error);
    // what is embedded is JSON: a test has read it
    assert(json || json_error_code(&error) == json_error_out_of_memory);
    openapi->failed |= !json;
    return json;
}

json_t *openapi_load(struct openapi *openapi, const char *name)
{
    json_t *text = parse(openapi, name);
    json_t *expanded = expand(openapi, text);
    json_decref(text);
    return expanded;
}

/* ---- the document ---- */

static json_t *servers(const struct openapi_options *options)
{
    const bool based = options->base_path && *options->base_path;
    return json_pack("[{s:s}]", "url", based ? options->base_path : "/");
}

static void add_schemas(struct openapi *openapi, json_t *schemas)
{
    for (size_t i = 0; i < sizeof schema_texts / sizeof *schema_texts; i++) {
        json_t *text = openapi_load(openapi, schema_texts[i]);
        if (json_object_update_missing(schemas, text) != 0)
            openapi->failed = true;
        json_decref(text);
    }
    for (unsigned op = 0; op < COMPUTE_OP_COUNT; op++) {
        char name[OPENAPI_NAME_BYTES];
        openapi_compute_name(name, &compute_table[op], "");
        openapi_set(openapi, schemas, name, openapi_compute_request(openapi, &compute_table[op]));
    }
    openapi_set(openapi, schemas, "ProblemCode", openapi_problem_codes(openapi));
}

void openapi_write(const struct openapi_options *options, struct text *out)
{
    struct openapi openapi = {.options = options};
    openapi.parts = parse(&openapi, "parts");
    json_t *document = openapi_load(&openapi, "document");
    json_t *components = json_object_get(document, "components");

    openapi_set(&openapi, json_object_get(document, "info"), "version",
                json_string(options->version));
    openapi_set(&openapi, document, "servers", servers(options));
    openapi_set(&openapi, document, "paths", openapi_paths(&openapi));
    add_schemas(&openapi, json_object_get(components, "schemas"));
    openapi_set(&openapi, components, "responses", openapi_problems(&openapi));

    if (openapi.failed) {
        out->failed = true;
    } else {
        json_layout_write(document, out);
        text_append(out, "\n", 1);
    }
    json_decref(document);
    json_decref(openapi.parts);
}

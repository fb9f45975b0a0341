#include "schema/decimal.h"
#include "schema/json_read.h"
#include "schema/overlay_read.h"
#include "schema/plan.h"
#include "schema/plan_read.h"
#include "schema/plan_scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DETAIL_BYTES = 160, NUMBER_DIGITS = 17 };

/* What reading the queries of one request needs at hand. */
struct plan_reader {
    struct plan_request *request;
    const char *const *coordinates;
    uint32_t dof;
    const struct limits *limits;
    size_t number_capacity;
    struct text scratch;
};

static const struct json_word objective_words[] = {
    {"length", PLAN_LENGTH}, {"hops", PLAN_HOPS}, {NULL, 0}};

static const struct json_word output_words[] = {
    {"path", PLAN_PATH}, {"nodes", PLAN_NODES}, {"cost", PLAN_COST}, {NULL, 0}};

/* ---- states ---- */

/* Marks a query as invalid; the first reason stays. */
__attribute__((format(printf, 4, 5))) static void
query_invalid(struct plan_query *query, const char *at, uint32_t goal, const char *format, ...)
{
    if (query->invalid)
        return;
    query->invalid = true;
    query->invalid_at = at;
    query->invalid_goal = goal;
    query->invalid_detail = malloc(DETAIL_BYTES);
    if (!query->invalid_detail)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(query->invalid_detail, DETAIL_BYTES, format, arguments);
    va_end(arguments);
}

/* Room for one more state behind those read, or NULL after a fault. */
static double *state_room(struct plan_reader *reader, const struct json_node *node)
{
    struct plan_request *request = reader->request;
    if (reader->number_capacity - request->number_count < reader->dof) {
        size_t capacity = 2 * reader->number_capacity + reader->dof;
        double *numbers = realloc(request->numbers, capacity * sizeof *numbers);
        if (!numbers) {
            json_node_no_memory(node);
            return NULL;
        }
        request->numbers = numbers;
        reader->number_capacity = capacity;
    }
    return request->numbers + request->number_count;
}

/* "start" or "goal", and which one. */
struct state_place {
    const char *at;
    uint32_t goal;
};

static bool read_array_state(const struct plan_reader *reader, struct plan_query *query,
                             const struct json_node *node, struct state_place place, double *state)
{
    size_t count = json_array_size(node->json);
    for (size_t i = 0; i < count; i++) {
        const json_t *number = json_array_get(node->json, i);
        if (!json_is_number(number)) {
            struct json_node element = json_node_element(node, i);
            double unused;
            return json_node_number(&element, JSON_ANY, &unused);
        }
        if (i < reader->dof)
            state[i] = json_number_value(number);
    }
    if (count != reader->dof)
        query_invalid(query, place.at, place.goal, "%s has %zu numbers where %u are needed",
                      place.at, count, reader->dof);
    return true;
}

static bool read_named_state(const struct plan_reader *reader, struct plan_query *query,
                             const struct json_node *node, struct state_place place, double *state)
{
    size_t known = 0;
    for (uint32_t i = 0; i < reader->dof; i++) {
        struct json_node member = json_node_member(node, reader->coordinates[i]);
        if (!member.json)
            query_invalid(query, NULL, 0, "%s lacks the coordinate \"%s\"", place.at,
                          reader->coordinates[i]);
        else if (!json_node_number(&member, JSON_ANY, &state[i]))
            return false;
        known += member.json != NULL;
    }
    if (known == json_object_size(node->json))
        return true;

    // a name that is no coordinate
    const char *key;
    json_t *value;
    json_object_foreach(node->json, key, value)
    {
        uint32_t i = 0;
        while (i < reader->dof && strcmp(key, reader->coordinates[i]) != 0)
            i++;
        struct json_node member = {value, node, key, 0, node->problem};
        double unused;
        if (i == reader->dof && !json_node_number(&member, JSON_ANY, &unused))
            return false;
        if (i == reader->dof)
            query_invalid(query, NULL, 0, "%s has the unknown coordinate \"%.64s\"", place.at, key);
    }
    return true;
}

/* Appends a state to the request's numbers. false: a fault of the whole request. */
static bool read_state(struct plan_reader *reader, struct plan_query *query,
                       const struct json_node *node, struct state_place place)
{
    double *state = state_room(reader, node);
    if (!state)
        return false;
    bool good;
    if (json_is_array(node->json)) {
        good = read_array_state(reader, query, node, place, state);
    } else if (json_is_object(node->json)) {
        good = read_named_state(reader, query, node, place, state);
    } else {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT,
                        "must be a state: an array of numbers, or an object by coordinate name");
        good = false;
    }
    reader->request->number_count += reader->dof;
    return good;
}

/* ---- queries ---- */

/* Whether a real is a whole number that no rounding made so: numbers beyond 64 bits turn all of a
 * body into reals. */
static bool whole(double number)
{
    return fabs(number) < DECIMAL_WHOLE_MAX && number == floor(number);
}

/* Keeps the id as the text that goes back. */
static void read_id(struct plan_reader *reader, struct plan_query *query,
                    const struct json_node *node)
{
    struct text *text = &reader->scratch;
    text->length = 0;
    if (json_is_string(node->json)) {
        const char *id;
        if (!json_node_string(node, PLAN_ID_BYTES_MAX, &id))
            return;
        text_json_string(text, id);
    } else if (json_is_integer(node->json)) {
        text_print(text, "%" JSON_INTEGER_FORMAT, json_integer_value(node->json));
    } else if (json_is_real(node->json) && whole(json_real_value(node->json))) {
        text_json_number(text, json_real_value(node->json), NUMBER_DIGITS);
    } else {
        json_node_fault(node, PROBLEM_INVALID_ARGUMENT,
                        "must be a string of at most %d bytes or a whole number of 64 bits",
                        PLAN_ID_BYTES_MAX);
        return;
    }

    query->id_json = text->failed ? NULL : malloc(text->length + 1);
    if (!query->id_json) {
        json_node_no_memory(node);
        return;
    }
    memcpy(query->id_json, text->data, text->length);
    query->id_json[text->length] = '\0';
}

static void read_goals(struct plan_reader *reader, struct plan_query *query,
                       const struct json_node *goal, const struct json_node *goals)
{
    query->goals = reader->request->number_count;
    if (goal->json && goals->json)
        query_invalid(query, NULL, 0, "has both goal and goals");
    if (!goal->json && !goals->json)
        query_invalid(query, NULL, 0, "has neither goal nor goals");

    // both are read, so that what is wrong in itself is a fault all the same
    if (goal->json && read_state(reader, query, goal, (struct state_place){"goal", 0}))
        query->goal_count = 1;
    if (!goals->json || !json_node_array(goals))
        return;
    size_t count = json_array_size(goals->json);
    if (count > reader->limits->goals) {
        json_node_over(goals, reader->limits, LIMIT_goals, "goals");
        return;
    }
    if (!count)
        query_invalid(query, NULL, 0, "has an empty list of goals");
    for (size_t i = 0; i < count && !json_node_full(goals); i++) {
        struct json_node element = json_node_element(goals, i);
        read_state(reader, query, &element, (struct state_place){"goal", (uint32_t)i});
    }
    query->goal_count = (uint32_t)count;
}

static void read_query(struct plan_reader *reader, struct plan_query *query,
                       const struct json_node *node)
{
    static const char *const members[] = {"id", "start", "goal", "goals", NULL};
    json_node_object(node, members, NULL);
    if (!json_is_object(node->json))
        return;

    struct json_node id = json_node_nullable(node, "id");
    struct json_node start = json_node_nullable(node, "start");
    struct json_node goal = json_node_nullable(node, "goal");
    struct json_node goals = json_node_nullable(node, "goals");
    if (id.json)
        read_id(reader, query, &id);
    query->start = reader->request->number_count;
    if (start.json)
        read_state(reader, query, &start, (struct state_place){"start", 0});
    else
        query_invalid(query, NULL, 0, "has no start");
    read_goals(reader, query, &goal, &goals);

    // an invalid query keeps no states
    if (query->invalid) {
        reader->request->number_count = query->start;
        query->start = query->goals = 0;
        query->goal_count = 0;
    }
}

static void read_queries(struct plan_reader *reader, const struct json_node *node)
{
    if (!json_node_required(node) || !json_node_array(node))
        return;
    size_t count = json_array_size(node->json);
    if (count > reader->limits->queries || count > UINT32_MAX) {
        json_node_over(node, reader->limits, LIMIT_queries, "queries");
        return;
    }
    reader->number_capacity = 2 * count * reader->dof;
    reader->request->queries = calloc(count + 1, sizeof *reader->request->queries);
    reader->request->numbers = malloc(reader->number_capacity * sizeof(double) + 1);
    if (!reader->request->queries || !reader->request->numbers) {
        json_node_no_memory(node);
        return;
    }
    reader->request->query_count = (uint32_t)count;
    for (size_t i = 0; i < count && !json_node_full(node); i++) {
        struct json_node element = json_node_element(node, i);
        read_query(reader, &reader->request->queries[i], &element);
    }
}

/* ---- options ---- */

static void read_connect(struct plan_request *request, const struct json_node *node,
                         const struct limits *limits)
{
    static const char *const members[] = {"k", "radius", "enough", NULL};
    json_node_object(node, members, NULL);
    if (!json_is_object(node->json))
        return;
    struct json_node k = json_node_nullable(node, "k");
    json_node_limited(&k, 1, limits, LIMIT_neighbors, &request->connect_k);
    struct json_node radius = json_node_nullable(node, "radius");
    json_node_number(&radius, JSON_POSITIVE, &request->connect_radius);
    struct json_node enough = json_node_nullable(node, "enough");
    json_node_u32(&enough, 1, UINT32_MAX, &request->connect_enough);
}

static void read_expand(struct plan_request *request, const struct json_node *node,
                        const struct limits *limits)
{
    static const char *const members[] = {"samples", NULL};
    json_node_object(node, members, NULL);
    if (!json_is_object(node->json))
        return;
    struct json_node samples = json_node_nullable(node, "samples");
    request->expand_said = samples.json != NULL;
    json_node_limited(&samples, 0, limits, LIMIT_expand_samples, &request->expand_samples);
}

void plan_options_read(struct plan_request *request, const struct json_node *root,
                       const struct limits *limits)
{
    int objective = PLAN_LENGTH;
    struct json_node node = json_node_member(root, "objective");
    json_node_word(&node, objective_words, &objective);
    request->objective = (enum plan_objective)objective;
    node = json_node_member(root, "allow_stale");
    json_node_bool(&node, &request->allow_stale);
    node = json_node_member(root, "diagnose");
    json_node_bool(&node, &request->diagnose);
    node = json_node_nullable(root, "connect");
    read_connect(request, &node, limits);
    node = json_node_nullable(root, "expand");
    read_expand(request, &node, limits);
    node = json_node_nullable(root, "deadline_ms");
    json_node_number(&node, JSON_POSITIVE, &request->deadline_ms);
    overlay_read(&request->overlay, root, limits);
}

void plan_output_read(struct plan_request *request, const struct json_node *root)
{
    int output = PLAN_PATH;
    struct json_node node = json_node_member(root, "output");
    json_node_word(&node, output_words, &output);
    request->output = (enum plan_output)output;
    node = json_node_member(root, "simplify");
    json_node_bool(&node, &request->simplify);
    node = json_node_nullable(root, "interpolate");
    json_node_number(&node, JSON_POSITIVE, &request->interpolate);
}

/* Reads the document but for its queries where those are there. */
static void read_document(struct plan_reader *reader, json_t *json, bool has_queries,
                          struct problem *problem)
{
    static const char *const members[] = {
        "queries",     "objective", "simplify", "interpolate", "output",   "connect", "expand",
        "deadline_ms", "obstacles", "ignore",   "allow_stale", "diagnose", NULL};
    struct json_node root = json_node_root(json, problem);
    json_node_object(&root, members, NULL);
    if (!json_is_object(json))
        return;
    plan_options_read(reader->request, &root, reader->limits);
    plan_output_read(reader->request, &root);
    struct json_node queries = json_node_member(&root, "queries");
    if (!has_queries)
        read_queries(reader, &queries);
}

/* Reads a body in one piece, or what plan_scan() has left of it. */
static bool read_body(struct plan_reader *reader, const char *body, size_t bytes, bool has_queries,
                      struct problem *problem)
{
    json_t *json = json_read(body, bytes, problem);
    if (json)
        read_document(reader, json, has_queries, problem);
    text_deinit(&reader->scratch);
    json_decref(json);
    return !problem->fault_count;
}

bool plan_request_read(struct plan_request *request, const char *body, size_t bytes,
                       const char *const *coordinates, uint32_t dof, const struct limits *limits,
                       struct problem *problem)
{
    struct plan_reader reader = {
        .request = request, .coordinates = coordinates, .dof = dof, .limits = limits};
    struct text rest = {0};
    *request = (struct plan_request){.simplify = true};
    bool good = plan_scan(request, &rest, body, bytes, dof, limits) &&
                read_body(&reader, rest.data, rest.length, true, problem);
    text_deinit(&rest);
    if (good)
        return true;

    // the whole again, which says what is wrong with it if anything is
    problem->fault_count = 0;
    plan_request_deinit(request);
    request->simplify = true;
    good = read_body(&reader, body, bytes, false, problem);
    if (!good)
        plan_request_deinit(request);
    return good;
}

void plan_request_deinit(struct plan_request *request)
{
    for (uint32_t i = 0; i < request->query_count; i++) {
        free(request->queries[i].id_json);
        free(request->queries[i].invalid_detail);
    }
    free(request->queries);
    free(request->numbers);
    overlay_document_deinit(&request->overlay);
    *request = (struct plan_request){0};
}

bool plan_state_parse(double *state, const char *text, uint32_t dof)
{
    // the same numbers as in a body
    struct text array = {0};
    text_append(&array, "[", 1);
    text_append(&array, text, strlen(text));
    text_append(&array, "]", 1);
    json_t *json =
        array.failed ? NULL : json_loadb(array.data, array.length, JSON_DECODE_INT_AS_REAL, NULL);
    text_deinit(&array);

    bool good = json_array_size(json) == dof;
    for (uint32_t i = 0; i < dof && good; i++) {
        const json_t *number = json_array_get(json, i);
        good = json_is_number(number);
        if (good)
            state[i] = json_number_value(number);
    }
    json_decref(json);
    return good;
}

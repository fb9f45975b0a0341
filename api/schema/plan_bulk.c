/* Plan requests and answers as arrays: many queries without the cost of their digits. */
#include "schema/npz.h"
#include "schema/plan.h"
#include "schema/plan_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- requests ---- */

/* The value of a parameter is JSON where it reads as such, else a word. */
static json_t *parameter_value(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    return value ? value : json_string(text);
}

/* Puts "connect.k" into the member "k" of a member "connect", and "simplify" where it is. */
static void put_parameter(const struct json_node *root, const struct plan_parameter *parameter)
{
    const struct json_node node = {NULL, root, parameter->key, 0, root->problem};
    const size_t length = strcspn(parameter->key, ".");
    const char *name = parameter->key;
    json_t *object = root->json;
    char outer[16] = "";
    if (name[length] == '.' && length < sizeof outer) {
        memcpy(outer, name, length);
        name += length + 1;
        object = json_object_get(root->json, outer);
        if (!object) {
            object = json_object();
            json_object_set_new(root->json, outer, object);
        }
    }

    if (!json_is_object(object) || json_object_get(object, name)) {
        json_node_fault(&node, PROBLEM_INVALID_ARGUMENT, "is given twice");
        return;
    }
    json_t *value = parameter_value(parameter->value);
    if (!value || json_object_set_new(object, name, value) != 0)
        json_node_fault(&node, PROBLEM_MALFORMED, "is not UTF-8");
}

static void read_parameters(struct plan_request *request, const struct plan_parameter *parameters,
                            unsigned count, const struct limits *limits, struct problem *problem)
{
    static const char *const members[] = {"objective", "simplify", "interpolate", "output",
                                          "connect",   "expand",   "deadline_ms", "allow_stale",
                                          "diagnose",  NULL};
    struct json_node root = json_node_root(json_object(), problem);
    for (unsigned i = 0; i < count; i++)
        put_parameter(&root, &parameters[i]);
    json_node_object(&root, members, NULL);
    plan_options_read(request, &root, limits);
    plan_output_read(request, &root);
    json_decref(root.json);
}

/* The array's numbers as doubles. */
static void copy_numbers(double *numbers, const struct npy_array *array)
{
    if (array->type == NPY_FLOAT64) {
        memcpy(numbers, array->data, array->count * sizeof(double));
        return;
    }
    const unsigned char *data = array->data;
    for (size_t i = 0; i < array->count; i++) {
        float number;
        memcpy(&number, data + i * sizeof number, sizeof number);
        numbers[i] = (double)number;
    }
}

static void read_queries(struct plan_request *request, const struct npy_array *array)
{
    const size_t dof = array->shape[2];
    for (size_t q = 0; q < array->shape[0]; q++) {
        struct plan_query *query = &request->queries[q];
        *query =
            (struct plan_query){.start = 2 * q * dof, .goals = (2 * q + 1) * dof, .goal_count = 1};
        for (size_t i = 0; i < 2 * dof && !query->invalid; i++)
            query->invalid = !isfinite(request->numbers[query->start + i]);
        if (query->invalid) {
            query->invalid_detail = strdup("has a number that is not finite");
            query->start = query->goals = query->goal_count = 0;
        }
    }
}

/* Whether an array is one of queries. */
static bool judge_array(const struct npy_array *array, uint32_t dof, const struct limits *limits,
                        struct problem *problem)
{
    if (array->type != NPY_FLOAT32 && array->type != NPY_FLOAT64) {
        problem_add(problem, PROBLEM_INVALID_ARGUMENT, "the array must be float32 or float64");
    } else if (array->axes != 3 || array->shape[1] != 2 || array->shape[2] != dof) {
        problem_add(problem, PROBLEM_INVALID_ARGUMENT,
                    "the array must be of shape (queries, 2, %u): start and goal of each", dof);
    } else if (array->shape[0] > limits->queries || array->shape[0] > UINT32_MAX) {
        struct problem_fault *fault = problem_add(
            problem, PROBLEM_LIMIT_EXCEEDED, "there are %zu queries, and may be at most %llu",
            array->shape[0], (unsigned long long)limits->queries);
        problem_fault_limit(fault, limits, LIMIT_queries);
    } else {
        return true;
    }
    return false;
}

bool plan_request_read_npy(struct plan_request *request, const char *body, size_t bytes,
                           const struct plan_parameter *parameters, unsigned parameter_count,
                           uint32_t dof, const struct limits *limits, struct problem *problem)
{
    struct npy_array array;
    *request = (struct plan_request){.simplify = true};
    read_parameters(request, parameters, parameter_count, limits, problem);
    if (!npy_read(&array, body, bytes, NULL, problem) ||
        !judge_array(&array, dof, limits, problem) || problem->fault_count > 0)
        return false;

    request->queries = malloc((array.shape[0] + 1) * sizeof *request->queries);
    request->numbers = malloc((array.count + 1) * sizeof *request->numbers);
    if (!request->queries || !request->numbers) {
        problem_no_memory(problem, "%zu queries", array.shape[0]);
        plan_request_deinit(request);
        return false;
    }
    request->query_count = (uint32_t)array.shape[0];
    request->number_count = array.count;
    request->single_precision = array.type == NPY_FLOAT32;
    copy_numbers(request->numbers, &array);
    read_queries(request, &array);
    return true;
}

/* ---- answers ---- */

/* The arrays of an answer, owned. */
struct bulk {
    uint8_t *status;                  /* [count] */
    double *lengths;                  /* [count] */
    uint32_t *hops, *goal_indices;    /* [count] */
    uint64_t *offsets, *node_offsets; /* [count + 1] */
    void *waypoints;                  /* float or double [offsets[count]][dof] */
    uint32_t *nodes;                  /* [node_offsets[count]] */
};

static void bulk_deinit(struct bulk *bulk)
{
    free(bulk->status);
    free(bulk->lengths);
    free(bulk->hops);
    free(bulk->goal_indices);
    free(bulk->offsets);
    free(bulk->node_offsets);
    free(bulk->waypoints);
    free(bulk->nodes);
}

/* All but way-points and nodes, for which there is room then. false: no memory. */
static bool bulk_init(struct bulk *bulk, const struct plan_answer *answer)
{
    const size_t count = answer->request->query_count;
    const size_t number_bytes = answer->request->single_precision ? sizeof(float) : sizeof(double);
    *bulk = (struct bulk){
        .status = malloc(count + 1),
        .lengths = malloc((count + 1) * sizeof(double)),
        .hops = malloc((count + 1) * sizeof(uint32_t)),
        .goal_indices = malloc((count + 1) * sizeof(uint32_t)),
        .offsets = malloc((count + 1) * sizeof(uint64_t)),
        .node_offsets = malloc((count + 1) * sizeof(uint64_t)),
    };
    if (!bulk->status || !bulk->lengths || !bulk->hops || !bulk->goal_indices || !bulk->offsets ||
        !bulk->node_offsets)
        return false;

    bulk->offsets[0] = bulk->node_offsets[0] = 0;
    for (size_t q = 0; q < count; q++) {
        const struct plan_result *result = &answer->results[q];
        const bool solved = result->status == PLAN_STATUS_SOLVED;
        bulk->status[q] = (uint8_t)result->status;
        bulk->lengths[q] = solved ? result->length : NAN;
        bulk->hops[q] = solved ? result->hops : 0;
        bulk->goal_indices[q] = solved ? result->goal_index : 0;
        bulk->offsets[q + 1] = bulk->offsets[q] + (solved ? result->waypoint_count : 0);
        bulk->node_offsets[q + 1] = bulk->node_offsets[q] + (solved ? result->node_count : 0);
    }
    bulk->waypoints = malloc(bulk->offsets[count] * answer->dof * number_bytes + 1);
    bulk->nodes = malloc(bulk->node_offsets[count] * sizeof(uint32_t) + 1);
    return bulk->waypoints && bulk->nodes;
}

/* Way-points and nodes, query by query. */
static void bulk_fill(struct bulk *bulk, const struct plan_answer *answer)
{
    for (size_t q = 0; q < answer->request->query_count; q++) {
        const struct plan_result *result = &answer->results[q];
        const size_t first = bulk->offsets[q] * answer->dof;
        const size_t numbers = (bulk->offsets[q + 1] - bulk->offsets[q]) * answer->dof;
        const double *from = answer->waypoints + result->waypoint_first * answer->dof;
        if (numbers > 0 && answer->request->single_precision) {
            float *to = (float *)bulk->waypoints + first;
            for (size_t i = 0; i < numbers; i++)
                to[i] = (float)from[i];
        } else if (numbers > 0) {
            memcpy((double *)bulk->waypoints + first, from, numbers * sizeof(double));
        }
        const size_t nodes = bulk->node_offsets[q + 1] - bulk->node_offsets[q];
        if (nodes > 0)
            memcpy(bulk->nodes + bulk->node_offsets[q], answer->nodes + result->node_first,
                   nodes * sizeof(uint32_t));
    }
}

void plan_answer_write_npz(const struct plan_answer *answer, struct text *out)
{
    struct bulk bulk;
    if (!bulk_init(&bulk, answer)) {
        bulk_deinit(&bulk);
        out->failed = true;
        return;
    }
    bulk_fill(&bulk, answer);

    const enum npy_type number = answer->request->single_precision ? NPY_FLOAT32 : NPY_FLOAT64;
    const size_t count = answer->request->query_count;
    const size_t one_each[] = {count}, ends[] = {count + 1};
    const size_t points[] = {bulk.offsets[count], answer->dof};
    const size_t nodes[] = {bulk.node_offsets[count]};
    const struct npz_item items[] = {
        {"status", npy_array(NPY_UINT8, 1, one_each, bulk.status)},
        {"length", npy_array(NPY_FLOAT64, 1, one_each, bulk.lengths)},
        {"hops", npy_array(NPY_UINT32, 1, one_each, bulk.hops)},
        {"goal_index", npy_array(NPY_UINT32, 1, one_each, bulk.goal_indices)},
        {"offsets", npy_array(NPY_UINT64, 1, ends, bulk.offsets)},
        {"waypoints", npy_array(number, 2, points, bulk.waypoints)},
        {"node_offsets", npy_array(NPY_UINT64, 1, ends, bulk.node_offsets)},
        {"nodes", npy_array(NPY_UINT32, 1, nodes, bulk.nodes)},
    };
    enum { ALL = sizeof items / sizeof *items, WITHOUT_NODES = ALL - 2 };
    npz_write(items, answer->request->output == PLAN_NODES ? ALL : WITHOUT_NODES, out);
    bulk_deinit(&bulk);
}

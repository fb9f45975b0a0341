#include "schema/matrix.h"

#include "schema/clock.h"
#include "schema/plan_read.h"
#include "schema/states_read.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT = 17 };

/* ---- the request ---- */

/* Reads the states; false: there is no number of them that indices could be of. */
static bool read_states(struct matrix_request *request, const struct question_space *space,
                        const struct json_node *node, const struct limits *limits)
{
    if (!json_node_required(node) || !json_node_array(node))
        return false;
    const size_t count = json_array_size(node->json);
    if (count > limits->states || count > UINT32_MAX) {
        json_node_over(node, limits, LIMIT_states, "states");
        return false;
    }
    request->states = calloc(count * space->dof + 1, sizeof *request->states);
    if (!request->states) {
        json_node_no_memory(node);
        return false;
    }
    request->state_count = (uint32_t)count;
    states_read(space, node, request->states);
    return true;
}

/* Reads indices of states; all of them where there is no list. */
static void read_indices(uint32_t **indices, uint32_t *count, const struct json_node *node,
                         uint32_t state_count, const struct limits *limits)
{
    if (node->json && !json_node_array(node))
        return;
    const size_t listed = node->json ? json_array_size(node->json) : state_count;
    if (listed > limits->matrix_pairs || listed > UINT32_MAX) {
        json_node_over(node, limits, LIMIT_matrix_pairs, "pairs");
        return;
    }
    *indices = calloc(listed + 1, sizeof **indices);
    if (!*indices) {
        json_node_no_memory(node);
        return;
    }
    *count = (uint32_t)listed;
    for (uint32_t i = 0; i < listed && !json_node_full(node); i++) {
        (*indices)[i] = i;
        if (!node->json)
            continue;
        struct json_node index = json_node_element(node, i);
        if (state_count == 0)
            json_node_fault(&index, PROBLEM_INVALID_ARGUMENT,
                            "is an index, but there are no states");
        else
            json_node_u32(&index, 0, state_count - 1, &(*indices)[i]);
    }
}

static void read_members(struct matrix_request *request, const struct question_space *space,
                         const struct json_node *root, const struct limits *limits)
{
    struct json_node states = json_node_member(root, "states");
    struct json_node sources = json_node_nullable(root, "sources");
    struct json_node targets = json_node_nullable(root, "targets");
    plan_options_read(&request->options, root, limits);
    if (!read_states(request, space, &states, limits))
        return;
    read_indices(&request->sources, &request->source_count, &sources, request->state_count, limits);
    read_indices(&request->targets, &request->target_count, &targets, request->state_count, limits);
    if ((uint64_t)request->source_count * request->target_count > limits->matrix_pairs)
        json_node_over(root, limits, LIMIT_matrix_pairs, "pairs");
}

bool matrix_request_read(struct matrix_request *request, const struct question_space *space,
                         const char *body, size_t bytes, const struct limits *limits,
                         struct problem *problem)
{
    static const char *const members[] = {"states",  "sources",     "targets",     "objective",
                                          "connect", "expand",      "deadline_ms", "obstacles",
                                          "ignore",  "allow_stale", "diagnose",    NULL};
    struct json_body json;
    if (!json_body_begin(&json, body, bytes, problem))
        return false;
    *request = (struct matrix_request){.options = {.output = PLAN_COST}};
    json_node_object(&json.root, members, NULL);
    if (json_is_object(json.root.json))
        read_members(request, space, &json.root, limits);
    if (json_body_end(&json))
        return true;
    matrix_request_deinit(request);
    return false;
}

void matrix_request_deinit(struct matrix_request *request)
{
    plan_request_deinit(&request->options);
    free(request->states);
    free(request->sources);
    free(request->targets);
    *request = (struct matrix_request){0};
}

/* ---- the answer ---- */

static void write_indices(const char *key, const uint32_t *indices, uint32_t count,
                          struct text *out)
{
    text_json_key(out, key);
    text_json_open(out, '[');
    for (uint32_t i = 0; i < count; i++)
        text_json_u64(out, indices[i]);
    text_json_close(out, ']');
}

/* Lengths, or hops; null where there is no path. */
static void write_pairs(const struct matrix_answer *answer, bool hops, struct text *out)
{
    const struct matrix_request *request = answer->request;
    text_json_key(out, hops ? "hops" : "costs");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < request->source_count; i++) {
        text_json_open(out, '[');
        for (uint32_t j = 0; j < request->target_count; j++) {
            const size_t pair = (size_t)i * request->target_count + j;
            if (isnan(answer->lengths[pair]))
                text_json_null(out);
            else if (hops)
                text_json_u64(out, answer->hops[pair]);
            else
                text_json_number(out, answer->lengths[pair], EXACT);
        }
        text_json_close(out, ']');
    }
    text_json_close(out, ']');
}

static void write_states(const struct matrix_answer *answer, struct text *out)
{
    static const char *const texts[] = {
#define X(constant, text) text,
        MATRIX_STATUSES(X)
#undef X
    };
    text_json_key(out, "states");
    text_json_open(out, '[');
    for (uint32_t s = 0; s < answer->request->state_count; s++) {
        text_json_open(out, '{');
        text_member_string(out, "status", texts[answer->states[s].status]);
        if (answer->states[s].reason.kind)
            plan_reason_write(&answer->states[s].reason, out);
        text_json_close(out, '}');
    }
    text_json_close(out, ']');
}

void matrix_write(const struct matrix_answer *answer, struct text *out)
{
    const double began = clock_steady();
    const struct matrix_request *request = answer->request;
    const size_t pairs = (size_t)request->source_count * request->target_count;
    text_json_open(out, '{');
    text_member_string(out, "roadmap", answer->roadmap);
    text_member_string(out, "fingerprint", answer->fingerprint);
    text_member_u64(out, "revision", answer->revision);
    text_member_u64(out, "world_revision", answer->world_revision);
    text_json_strings(out, "coordinates", answer->space->coordinates, answer->space->dof);
    write_indices("sources", request->sources, request->source_count, out);
    write_indices("targets", request->targets, request->target_count, out);
    write_pairs(answer, false, out);
    write_pairs(answer, true, out);
    write_states(answer, out);
    text_json_key(out, "summary");
    text_json_open(out, '{');
    text_member_u64(out, "solved", answer->solved);
    text_member_u64(out, "failed", pairs - answer->solved);
    if (answer->late)
        text_member_u64(out, "deadline_exceeded", answer->late);
    text_json_close(out, '}');
    plan_warnings_write(answer->warnings, answer->warning_count, out);
    plan_times_write(&answer->times, 1e3 * (clock_steady() - began), out);
    text_json_close(out, '}');
}

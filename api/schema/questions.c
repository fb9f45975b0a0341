#include "schema/questions.h"

#include "schema/json_read.h"
#include "schema/states_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 10 };

/* ---- validate ---- */

/* Counts what is there and takes the memory for it; false: a fault. */
static bool take_room(struct validate_request *request, const struct question_space *space,
                      const struct json_node *states, const struct json_node *edges,
                      const struct json_node *paths, const struct limits *limits)
{
    size_t all = json_array_size(states->json), segments = 0;
    const size_t edge_count = json_array_size(edges->json);
    const size_t path_count = json_array_size(paths->json);
    for (size_t p = 0; p < path_count; p++) {
        struct json_node path = json_node_element(paths, p);
        const size_t count = json_array_size(path.json);
        if (!json_node_array(&path))
            return false;
        if (count == 0) {
            json_node_fault(&path, PROBLEM_INVALID_ARGUMENT, "has no states");
            return false;
        }
        all += count;
        segments += count > 1 ? count - 1 : 1;
    }
    if (all > limits->states || all > UINT32_MAX / 2) {
        json_node_over(path_count ? paths : states, limits, LIMIT_states, "states in all");
        return false;
    }
    if (edge_count > limits->states || edge_count > UINT32_MAX / 2) {
        json_node_over(edges, limits, LIMIT_states, "edges");
        return false;
    }
    request->listed = (uint32_t)json_array_size(states->json);
    request->state_count = (uint32_t)all;
    request->edge_count = (uint32_t)edge_count;
    request->motion_count = (uint32_t)(edge_count + segments);
    request->path_count = (uint32_t)path_count;
    request->states = calloc(all * space->dof + 1, sizeof(*request->states));
    request->motions = calloc(2 * (edge_count + segments) + 1, sizeof(*request->motions));
    request->paths = calloc(path_count + 1, sizeof(*request->paths));
    if (request->states && request->motions && request->paths)
        return true;
    json_node_no_memory(states);
    return false;
}

static void read_edges(struct validate_request *request, const struct json_node *node)
{
    for (uint32_t e = 0; e < request->edge_count && !json_node_full(node); e++) {
        struct json_node edge = json_node_element(node, e);
        if (!json_node_array(&edge))
            continue;
        if (json_array_size(edge.json) != 2) {
            json_node_fault(&edge, PROBLEM_INVALID_ARGUMENT, "must be two indices into states");
            continue;
        }
        for (size_t i = 0; i < 2; i++) {
            struct json_node end = json_node_element(&edge, i);
            uint64_t index = 0;
            if (request->listed == 0)
                json_node_fault(&end, PROBLEM_INVALID_ARGUMENT,
                                "is an index, but there are no states");
            else
                json_node_u64(&end, 0, request->listed - 1, &index);
            request->motions[2 * (size_t)e + i] = (uint32_t)index;
        }
    }
}

static void read_paths(struct validate_request *request, const struct question_space *space,
                       const struct json_node *node)
{
    uint32_t state = request->listed, motion = request->edge_count;
    for (uint32_t p = 0; p < request->path_count && !json_node_full(node); p++) {
        struct json_node path = json_node_element(node, p);
        const uint32_t count = (uint32_t)json_array_size(path.json);
        states_read(space, &path, request->states + (size_t)state * space->dof);
        request->paths[p] = (struct question_path){motion, count > 1 ? count - 1 : 1};
        for (uint32_t s = 0; s < request->paths[p].count; s++, motion++) {
            request->motions[2 * (size_t)motion] = state + s;
            request->motions[2 * (size_t)motion + 1] = count > 1 ? state + s + 1 : state;
        }
        state += count;
    }
}

bool validate_read(struct validate_request *request, const struct question_space *space,
                   const char *body, size_t bytes, const struct limits *limits,
                   struct problem *problem)
{
    static const char *const members[] = {"states", "edges", "paths", NULL};
    *request = (struct validate_request){0};
    struct json_body json;
    if (!json_body_begin(&json, body, bytes, problem))
        return false;
    struct json_node states = json_node_member(&json.root, "states");
    struct json_node edges = json_node_member(&json.root, "edges");
    struct json_node paths = json_node_member(&json.root, "paths");
    if (json_node_object(&json.root, members, NULL) && json_node_array(&states) &&
        json_node_array(&edges) && json_node_array(&paths) &&
        take_room(request, space, &states, &edges, &paths, limits)) {
        states_read(space, &states, request->states);
        read_edges(request, &edges);
        read_paths(request, space, &paths);
    }
    if (json_body_end(&json))
        return true;
    validate_deinit(request);
    return false;
}

void validate_deinit(struct validate_request *request)
{
    free(request->states);
    free(request->motions);
    free(request->paths);
    *request = (struct validate_request){0};
}

/* The members of an item. */
static void write_item(const struct validate_item *item, struct text *out)
{
    text_member_bool(out, "valid", item->valid);
    text_member_number(out, "clearance", item->clearance, DIGITS);
    if (item->reason.kind)
        plan_reason_write(&item->reason, out);
    else
        text_member_null(out, "reason");
}

static void write_motion(const struct validate_item *item, struct text *out)
{
    text_json_open(out, '{');
    write_item(item, out);
    text_member_number(out, "fraction", item->fraction, DIGITS);
    text_json_close(out, '}');
}

/* Of a path: its first bad segment's reason and place; of a good one its least clearance. */
static void write_path(const struct question_path *path, const struct validate_item *motions,
                       struct text *out)
{
    const struct validate_item *segments = motions + path->first;
    uint32_t bad = 0, nearest = 0;
    while (bad < path->count && segments[bad].valid)
        bad++;
    for (uint32_t s = 1; s < path->count; s++)
        nearest = segments[s].clearance < segments[nearest].clearance ? s : nearest;
    const bool valid = bad == path->count;
    const struct validate_item *shown = &segments[valid ? nearest : bad];
    text_json_open(out, '{');
    write_item(shown, out);
    text_json_key(out, "segment");
    if (valid)
        text_json_null(out);
    else
        text_json_u64(out, bad);
    text_member_number(out, "fraction", valid ? NAN : shown->fraction, DIGITS);
    text_json_close(out, '}');
}

void validate_write(const struct validate_answer *answer, struct text *out)
{
    const struct validate_request *request = answer->request;
    text_json_open(out, '{');
    text_member_string(out, "roadmap", answer->roadmap);
    text_member_u64(out, "revision", answer->revision);
    text_member_u64(out, "world_revision", answer->world_revision);
    text_json_strings(out, "coordinates", answer->space->coordinates, answer->space->dof);
    text_json_key(out, "states");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < request->listed; i++) {
        text_json_open(out, '{');
        write_item(&answer->states[i], out);
        text_json_close(out, '}');
    }
    text_json_close(out, ']');
    text_json_key(out, "edges");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < request->edge_count; i++)
        write_motion(&answer->motions[i], out);
    text_json_close(out, ']');
    text_json_key(out, "paths");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < request->path_count; i++)
        write_path(&request->paths[i], answer->motions, out);
    text_json_close(out, ']');
    if (answer->clamped) {
        text_json_key(out, "warnings");
        text_json_open(out, '[');
        text_json_open(out, '{');
        text_member_string(out, "code", "clamped");
        text_member_string(out, "detail",
                           "coordinates within 1e-6 of a limit were taken as on the limit");
        text_json_close(out, '}');
        text_json_close(out, ']');
    }
    text_json_close(out, '}');
}

/* ---- nearest ---- */

/* Reads the states, no farther away than distances can be told of. */
static void read_asked(struct nearest_request *request, const struct question_space *space,
                       const struct json_node *states)
{
    states_read(space, states, request->states);
    for (size_t i = 0; i < request->state_count && !json_node_full(states); i++) {
        struct json_node state = json_node_element(states, i);
        for (uint32_t c = 0; c < space->dof; c++) {
            if (fabs(request->states[i * space->dof + c]) <= STATE_COORDINATE_MAX)
                continue;
            json_node_fault(&state, PROBLEM_INVALID_ARGUMENT,
                            "is farther away than distances are told of, 1e15");
            break;
        }
    }
}

bool nearest_read(struct nearest_request *request, const struct question_space *space,
                  const char *body, size_t bytes, const struct limits *limits,
                  struct problem *problem)
{
    static const char *const members[] = {"states", "k", NULL};
    *request = (struct nearest_request){.k = 1};
    struct json_body json;
    if (!json_body_begin(&json, body, bytes, problem))
        return false;
    struct json_node states = json_node_member(&json.root, "states");
    struct json_node k = json_node_nullable(&json.root, "k");
    if (json_node_object(&json.root, members, NULL) &&
        json_node_limited(&k, 1, limits, LIMIT_neighbors, &request->k) &&
        json_node_required(&states) && json_node_array(&states)) {
        const size_t count = json_array_size(states.json);
        if (count > limits->states || count > UINT32_MAX)
            json_node_over(&states, limits, LIMIT_states, "states");
        else
            request->states = calloc(count * space->dof + 1, sizeof(*request->states));
        request->state_count = (uint32_t)count;
        if (request->states)
            read_asked(request, space, &states);
        else if (json_body_is_good(&json))
            json_node_no_memory(&states);
    }
    if (json_body_end(&json))
        return true;
    nearest_deinit(request);
    return false;
}

void nearest_deinit(struct nearest_request *request)
{
    free(request->states);
    *request = (struct nearest_request){0};
}

void nearest_write(const struct nearest_answer *answer, struct text *out)
{
    const struct nearest_request *request = answer->request;
    const uint32_t dof = answer->space->dof;
    text_json_open(out, '{');
    text_member_string(out, "roadmap", answer->roadmap);
    text_member_u64(out, "revision", answer->revision);
    text_json_strings(out, "coordinates", answer->space->coordinates, answer->space->dof);
    text_json_key(out, "neighbors");
    text_json_open(out, '[');
    for (size_t i = 0; i < request->state_count; i++) {
        text_json_open(out, '[');
        for (size_t j = i * request->k; j < (i + 1) * request->k; j++) {
            if (answer->ids[j] == UINT32_MAX)
                break;
            text_json_open(out, '{');
            text_member_u64(out, "id", answer->ids[j]);
            text_json_key(out, "state");
            text_json_open(out, '[');
            for (uint32_t c = 0; c < dof; c++)
                text_json_number(out, answer->states[j * dof + c], DIGITS);
            text_json_close(out, ']');
            text_member_number(out, "distance", (double)answer->distances[j], DIGITS);
            text_json_close(out, '}');
        }
        text_json_close(out, ']');
    }
    text_json_close(out, ']');
    text_json_close(out, '}');
}

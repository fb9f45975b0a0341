/* Plan requests from the command line, a request file, a MovingAI scenario or an array. */
#include "client/commands.h"
#include "client/scenario.h"
#include "schema/npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool state_write(const char *value, struct text *out)
{
    text_json_open(out, '[');
    for (const char *at = value;;) {
        char *end;
        double number = strtod(at, &end);
        if (end == at || !isfinite(number) || (*end && *end != ','))
            return false;
        text_json_number(out, number, 17);
        if (!*end)
            break;
        at = end + 1;
    }
    text_json_close(out, ']');
    return true;
}

/* Writes the one query of --start and --goal; several goals are alternatives. */
static enum exit_code query_write(const struct session *session, const struct arguments *arguments,
                                  struct text *out)
{
    const char *start = arguments_option(arguments, "start");
    unsigned goals = 0;
    for (unsigned i = 0; i < arguments->option_count; i++)
        goals += strcmp(arguments->options[i].name, "goal") == 0;
    if (!start || goals == 0)
        return session_usage(session, "give --start and --goal, or --queries");
    text_json_open(out, '[');
    text_json_open(out, '{');
    text_json_key(out, "start");
    if (!state_write(start, out))
        return session_usage(session, "--start: \"%s\" is not X,Y,…", start);
    text_json_key(out, goals == 1 ? "goal" : "goals");
    if (goals > 1)
        text_json_open(out, '[');
    for (unsigned i = 0; i < arguments->option_count; i++) {
        const struct argument_option *option = &arguments->options[i];
        if (strcmp(option->name, "goal") == 0 && !state_write(option->value, out))
            return session_usage(session, "--goal: \"%s\" is not X,Y,…", option->value);
    }
    if (goals > 1)
        text_json_close(out, ']');
    text_json_close(out, '}');
    text_json_close(out, ']');
    return EXIT_SOLVED;
}

/* The height of the grid that a roadmap's world has. */
static enum exit_code grid_height(const struct session *session, const char *roadmap,
                                  unsigned *height)
{
    struct client_reply reply, world = {0};
    enum exit_code code = session_call(session, "GET", "roadmaps", roadmap, "", &reply);
    const char *name = document_string(client_reply_root(&reply), "/world", "");
    if (code == EXIT_SOLVED)
        code = session_call(session, "GET", "worlds", name, "", &world);

    // as a member, or as the obstacle that it became
    const struct document_value *root = client_reply_root(&world);
    double found = document_number(root, "/grid/height", 0);
    const struct document_value *obstacles = document_at(root, "/obstacles");
    for (size_t i = 0; found == 0 && i < document_length(obstacles); i++) {
        const struct document_value *obstacle = document_element(obstacles, i);
        if (strcmp(document_string(obstacle, "/type", ""), "grid") == 0)
            found = document_number(obstacle, "/height", 0);
    }
    if (code == EXIT_SOLVED && found == 0)
        code = session_usage(session, "world %s has no grid, so a scenario has no meaning in it",
                             name);
    *height = (unsigned)found;
    client_reply_deinit(&reply);
    client_reply_deinit(&world);
    return code;
}

/* Writes a scenario's queries and keeps its published lengths. */
static enum exit_code scenario_write(const struct session *session, const char *path,
                                     const char *roadmap, struct plan_body *body)
{
    struct text content;
    struct scenario scenario;
    char fault[200];
    unsigned height;
    enum exit_code code = grid_height(session, roadmap, &height);
    if (code != EXIT_SOLVED)
        return code;
    code = session_read_file(session, path, &content);
    if (code != EXIT_SOLVED)
        return code;
    if (!scenario_read(&scenario, content.data, content.length, height, fault, sizeof fault)) {
        code = session_usage(session, "%s: %s", path, fault);
    } else {
        if (scenario.count > 0 && scenario.height != height)
            code = session_usage(session, "%s is of a map %u cells high, the world's is %u", path,
                                 scenario.height, height);
        text_append(&body->text, scenario.queries.data, scenario.queries.length);
        body->optima = scenario.optima;
        body->optimum_count = scenario.count;
        scenario.optima = NULL;
        scenario_deinit(&scenario);
    }
    text_deinit(&content);
    return code;
}

/* Number `i` of an array of floats. */
static double array_number(const struct npy_array *array, size_t i)
{
    const unsigned char *at = (const unsigned char *)array->data + i * array->item_bytes;
    float narrow;
    double wide;
    if (array->type == NPY_FLOAT64) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return (double)narrow;
}

/* Writes the queries of an array (Q, 2, dof). */
static enum exit_code array_write(const struct session *session, const char *path, struct text *out)
{
    struct text content = {0};
    struct npy_array array;
    struct problem problem = {0};
    enum exit_code code = session_read_file(session, path, &content);
    if (code != EXIT_SOLVED)
        return code;
    if (!npy_read(&array, content.data, content.length, NULL, &problem))
        code = session_usage(session, "%s: %s", path, problem.faults[0].detail);
    else if ((array.type != NPY_FLOAT32 && array.type != NPY_FLOAT64) || array.axes != 3 ||
             array.shape[1] != 2)
        code = session_usage(session, "%s: not float32 or float64 of shape (queries, 2, numbers)",
                             path);
    text_json_open(out, '[');
    const size_t dof = code == EXIT_SOLVED ? array.shape[2] : 0;
    for (size_t q = 0; code == EXIT_SOLVED && q < array.shape[0]; q++) {
        text_json_open(out, '{');
        for (size_t end = 0; end < 2; end++) {
            text_json_key(out, end == 0 ? "start" : "goal");
            text_json_open(out, '[');
            for (size_t c = 0; c < dof; c++)
                text_json_number(out, array_number(&array, (2 * q + end) * dof + c), 17);
            text_json_close(out, ']');
        }
        text_json_close(out, '}');
    }
    text_json_close(out, ']');
    text_deinit(&content);
    return code;
}

bool plan_members_write(const struct arguments *arguments, struct text *out, char *fault,
                        size_t bytes)
{
    static const char *const words[] = {"objective", "output"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *value = arguments_option(arguments, words[i]);
        if (!value)
            continue;
        text_member_string(out, words[i], value);
    }
    if (arguments_option(arguments, "no-simplify")) {
        text_member_bool(out, "simplify", false);
    }
    const char *expand = arguments_option(arguments, "expand");
    unsigned long long samples;
    if (expand) {
        if (!arguments_count("expand", expand, &samples, fault, bytes))
            return false;
        text_json_key(out, "expand");
        text_json_open(out, '{');
        text_member_u64(out, "samples", samples);
        text_json_close(out, '}');
    }
    const char *interpolate = arguments_option(arguments, "interpolate");
    double distance;
    if (!interpolate)
        return true;
    if (!arguments_number("interpolate", interpolate, &distance, fault, bytes))
        return false;
    text_member_number(out, "interpolate", distance, 17);
    return true;
}

/* Whether an option replaces this member of a request read from a file. */
static bool option_replaces(const struct arguments *arguments, const char *member)
{
    const char *option = strcmp(member, "simplify") == 0 ? "no-simplify" : member;
    static const char *const members[] = {"objective", "output", "no-simplify", "interpolate",
                                          "expand"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (strcmp(members[i], option) == 0)
            return arguments_option(arguments, option);
    }
    return false;
}

/* Writes all members of a request file but those that options replace. */
static enum exit_code request_write(const struct session *session,
                                    const struct arguments *arguments, const char *path,
                                    struct text *out)
{
    struct document *document;
    enum exit_code code = session_read_json(session, path, &document);
    if (code != EXIT_SOLVED)
        return code;
    const struct document_value *root = document_root(document);
    if (!document_is_array(document_at(root, "/queries")))
        code = session_usage(session, "%s: not a plan request, it has no array \"queries\"", path);
    for (const char *key = document_next_key(root, NULL); key; key = document_next_key(root, key)) {
        if (option_replaces(arguments, key))
            continue;
        text_json_key(out, key);
        document_write(document_member(root, key), out);
    }
    document_destroy(document);
    return code;
}

enum exit_code plan_body_init(struct plan_body *body, const struct session *session,
                              const struct arguments *arguments, const char *roadmap)
{
    const char *path = arguments_option(arguments, "queries");
    struct text *out = &body->text;
    char fault[200];
    enum exit_code code;
    *body = (struct plan_body){.optima = NULL};
    text_json_open(out, '{');
    if (!plan_members_write(arguments, out, fault, sizeof fault))
        return session_usage(session, "%s", fault);
    if (path && (arguments_option(arguments, "start") || arguments_option(arguments, "goal")))
        return session_usage(session, "--queries and --start, --goal exclude each other");
    if (path && name_ends_with(path, ".scen")) {
        text_json_key(out, "queries");
        code = scenario_write(session, path, roadmap, body);
    } else if (path && name_ends_with(path, ".npy")) {
        text_json_key(out, "queries");
        code = array_write(session, path, out);
    } else if (path) {
        code = request_write(session, arguments, path, out);
    } else {
        text_json_key(out, "queries");
        code = query_write(session, arguments, out);
    }
    text_json_close(out, '}');
    if (code == EXIT_SOLVED && out->failed)
        code = session_usage(session, "out of memory");
    return code;
}

void plan_body_deinit(struct plan_body *body)
{
    text_deinit(&body->text);
    free(body->optima);
    *body = (struct plan_body){.optima = NULL};
}

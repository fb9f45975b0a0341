/* Planning and pictures: queries from the command line or a file, answers as tables. */
#include "client/commands.h"
#include "client/scenario.h"
#include "client/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAYPOINTS_SHOWN = 200, FAILURES_SHOWN = 20 };

/* Writes "1,2,3" as an array; false: not numbers. */
static bool state_write(const char *value, struct text *out)
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

static enum exit_code scenario_write(const struct session *session, const char *path,
                                     const char *roadmap, struct text *out)
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
        text_append(out, scenario.queries.data, scenario.queries.length);
        scenario_deinit(&scenario);
    }
    text_deinit(&content);
    return code;
}

/* The options that are members of the request; false: one has no number. */
static bool members_write(const struct arguments *arguments, struct text *out, char *fault,
                          size_t bytes)
{
    static const char *const words[] = {"objective", "output"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *value = arguments_option(arguments, words[i]);
        if (!value)
            continue;
        text_json_key(out, words[i]);
        text_json_string(out, value);
    }
    if (arguments_option(arguments, "no-simplify")) {
        text_json_key(out, "simplify");
        text_json_bool(out, false);
    }
    const char *interpolate = arguments_option(arguments, "interpolate");
    double distance;
    if (!interpolate)
        return true;
    if (!arguments_number("interpolate", interpolate, &distance, fault, bytes))
        return false;
    text_json_key(out, "interpolate");
    text_json_number(out, distance, 17);
    return true;
}

/* Whether an option replaces this member of a request read from a file. */
static bool option_replaces(const struct arguments *arguments, const char *member)
{
    const char *option = strcmp(member, "simplify") == 0 ? "no-simplify" : member;
    static const char *const members[] = {"objective", "output", "no-simplify", "interpolate"};
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

enum exit_code plan_body(const struct session *session, const struct arguments *arguments,
                         const char *roadmap, struct text *body)
{
    const char *path = arguments_option(arguments, "queries");
    char fault[200];
    enum exit_code code;
    *body = (struct text){0};
    text_json_open(body, '{');
    if (!members_write(arguments, body, fault, sizeof fault))
        return session_usage(session, "%s", fault);
    if (path && (arguments_option(arguments, "start") || arguments_option(arguments, "goal")))
        return session_usage(session, "--queries and --start, --goal exclude each other");
    if (path && name_ends_with(path, ".scen")) {
        text_json_key(body, "queries");
        code = scenario_write(session, path, roadmap, body);
    } else if (path && name_ends_with(path, ".npy")) {
        code = session_usage(session, "%s: npy is not supported by this version", path);
    } else if (path) {
        code = request_write(session, arguments, path, body);
    } else {
        text_json_key(body, "queries");
        code = query_write(session, arguments, body);
    }
    text_json_close(body, '}');
    return code != EXIT_SOLVED ? code
           : body->failed      ? session_usage(session, "out of memory")
                               : EXIT_SOLVED;
}

/* POSTs a plan body below a roadmap. */
static enum exit_code body_send(const struct session *session, const char *roadmap,
                                const char *suffix, const struct text *body,
                                struct client_reply *reply)
{
    struct text path = {0};
    text_print(&path, "/v1/roadmaps/");
    client_url_append(&path, roadmap);
    text_print(&path, "%s", suffix);
    text_append(&path, "", 1);
    *reply = (struct client_reply){0};
    enum exit_code code = EXIT_SERVER;
    if (!path.failed) {
        struct client_request request = {
            .method = "POST", .path = path.data, .body = body->data, .body_bytes = body->length};
        code = session_send(session, &request, reply);
    }
    text_deinit(&path);
    return code;
}

/* One query's path, a line a way-point. */
static void path_print(const struct document_value *answer, const struct document_value *result,
                       FILE *out)
{
    const struct document_value *coordinates = document_at(answer, "/coordinates");
    const struct document_value *path = document_at(result, "/path");
    size_t dof = document_length(coordinates), count = document_length(path);
    if (count == 0 || dof == 0 || dof > TABLE_COLUMNS_MAX)
        return;
    struct table table = {.columns = (unsigned)dof};
    for (size_t i = 0; i < dof; i++) {
        table.right[i] = true;
        table_cell(&table, "%s", document_string(document_element(coordinates, i), "", "?"));
    }
    for (size_t row = 0; row < count && row < WAYPOINTS_SHOWN; row++) {
        for (size_t i = 0; i < dof; i++)
            table_cell(&table, "%.6g",
                       document_number(document_element(document_element(path, row), i), "", NAN));
    }
    table_print(&table, out);
    if (count > WAYPOINTS_SHOWN)
        fprintf(out, "… %zu more way-points; --json prints all\n", count - WAYPOINTS_SHOWN);
    table_deinit(&table);
}

/* "start_in_collision: obstacle box1, 0.012 deep", or just the status. */
static void failure_print(const struct document_value *result, size_t index, FILE *out)
{
    const struct document_value *reason = document_at(result, "/reason"), *id;
    const char *obstacle = document_string(reason, "/obstacle", NULL);
    const char *coordinate = document_string(reason, "/coordinate", NULL);
    id = document_at(result, "/id");
    if (document_string(id, "", NULL))
        fprintf(out, "query %s: ", document_string(id, "", ""));
    else
        fprintf(out, "query %.0f: ", document_number(id, "", (double)index));
    fputs(document_string(result, "/status", "?"), out);
    if (obstacle)
        fprintf(out, ", obstacle %s, %.3g deep", obstacle, document_number(reason, "/depth", 0));
    if (coordinate)
        fprintf(out, ", %s = %.10g, limit %.10g", coordinate,
                document_number(reason, "/value", NAN), document_number(reason, "/limit", NAN));
    const char *detail = document_string(reason, "/detail", NULL);
    if (detail)
        fprintf(out, ", %s", detail);
    fputc('\n', out);
}

/* Rate, lengths and stages of a batch. */
static void batch_print(const struct document_value *answer, double length_sum, size_t solved,
                        FILE *out)
{
    size_t count = document_length(document_at(answer, "/results"));
    double total_ms = document_number(document_at(answer, "/timing_ms"), "/total", 0);
    fprintf(out, "%zu queries, %zu solved, %zu failed\n", count, solved, count - solved);
    if (solved > 0)
        fprintf(out, "mean length %.6g\n", length_sum / (double)solved);
    if (total_ms > 0)
        fprintf(out, "%.2f ms, %.0f queries/s (", total_ms, 1000 * (double)count / total_ms);
    const struct document_value *times = document_at(answer, "/timing_ms");
    const char *comma = "";
    for (const char *key = document_next_key(times, NULL); key && total_ms > 0;
         key = document_next_key(times, key)) {
        if (strcmp(key, "total") == 0)
            continue;
        fprintf(out, "%s%s %.2f", comma, key,
                document_number(document_member(times, key), "", NAN));
        comma = ", ";
    }
    if (total_ms > 0)
        fputs(")\n", out);
}

/* The answer as text; whether all queries are solved. */
static bool answer_print(const struct document_value *answer, bool quiet, FILE *out)
{
    const struct document_value *results = document_at(answer, "/results");
    size_t count = document_length(results), solved = 0, failed = 0;
    double length_sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct document_value *result = document_element(results, i);
        if (strcmp(document_string(result, "/status", ""), "solved") == 0) {
            solved++;
            length_sum += document_number(result, "/length", 0);
        } else if (!quiet && failed++ < FAILURES_SHOWN) {
            failure_print(result, i, out);
        }
    }
    if (quiet)
        return solved == count;
    if (failed > FAILURES_SHOWN)
        fprintf(out, "… %zu more failed; --json prints all\n", failed - FAILURES_SHOWN);
    if (count == 1 && solved == 1) {
        const struct document_value *result = document_element(results, 0);
        fprintf(out, "solved: length %.10g, %.0f hops, %zu way-points, %.2f ms\n",
                document_number(result, "/length", NAN), document_number(result, "/hops", NAN),
                document_length(document_at(result, "/path")),
                document_number(answer, "/timing_ms/total", NAN));
        path_print(answer, result, out);
    } else if (count > 1) {
        batch_print(answer, length_sum, solved, out);
    }
    const struct document_value *warnings = document_at(answer, "/warnings");
    for (size_t i = 0; i < document_length(warnings); i++)
        fprintf(out, "warning: %s\n",
                document_string(document_element(warnings, i), "/detail", "?"));
    return solved == count;
}

enum exit_code command_plan(const struct session *session, const struct arguments *arguments)
{
    struct text body;
    struct client_reply reply = {0};
    const char *save = arguments_option(arguments, "save");
    enum exit_code code = plan_body(session, arguments, arguments->words[0], &body);
    if (code == EXIT_SOLVED)
        code = body_send(session, arguments->words[0], "/plan", &body, &reply);
    if (code == EXIT_SOLVED && save)
        code = session_write_file(session, save, reply.body, reply.bytes);
    if (code == EXIT_SOLVED) {
        if (session->json)
            session_print_raw(session, &reply);
        bool all = answer_print(client_reply_root(&reply), session->json, session->out);
        code = all ? EXIT_SOLVED : EXIT_QUERY_FAILED;
    }
    client_reply_deinit(&reply);
    text_deinit(&body);
    return code;
}

enum exit_code command_picture(const struct session *session, const struct arguments *arguments)
{
    const char *roadmap = arguments->words[0], *path = arguments->words[1];
    struct client_reply reply = {0};
    struct text body = {0};
    enum exit_code code;
    if (arguments_option(arguments, "queries") || arguments_option(arguments, "start")) {
        code = plan_body(session, arguments, roadmap, &body);
        if (code == EXIT_SOLVED)
            code = body_send(session, roadmap, "/picture.svg", &body, &reply);
    } else {
        code = session_call(session, "GET", "roadmaps", roadmap, "/picture.svg", &reply);
    }
    if (code == EXIT_SOLVED)
        code = session_write_file(session, path, reply.body, reply.bytes);
    if (code == EXIT_SOLVED)
        fprintf(session->out, "%s: %zu bytes\n", path, reply.bytes);
    client_reply_deinit(&reply);
    text_deinit(&body);
    return code;
}

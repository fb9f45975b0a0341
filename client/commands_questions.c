/* Questions to a roadmap besides plans: validate, nearest, matrix, graph. */
#include "client/commands.h"
#include "client/table.h"

#include <math.h>
#include <string.h>

/* Writes the states of all --state options as the member "states"; how many there were. */
static enum exit_code states_write(const struct session *session, const struct arguments *arguments,
                                   unsigned *count, struct text *out)
{
    *count = 0;
    text_json_open(out, '[');
    for (unsigned i = 0; i < arguments->option_count; i++) {
        const struct argument_option *option = &arguments->options[i];
        if (strcmp(option->name, "state") != 0)
            continue;
        if (!state_write(option->value, out))
            return session_usage(session, "--state: \"%s\" is not X,Y,…", option->value);
        *count += 1;
    }
    text_json_close(out, ']');
    return EXIT_SOLVED;
}

/* Sends the request of a file, or what `write` makes of the --state options, to be answered by
 * `print`. */
static enum exit_code
question_ask(const struct session *session, const struct arguments *arguments, const char *suffix,
             enum exit_code (*write)(const struct session *session,
                                     const struct arguments *arguments, struct text *out),
             bool (*print)(const struct document_value *answer, FILE *out))
{
    struct text body = {0};
    struct client_reply reply = {0};
    const bool has_file = arguments->word_count > 1;
    enum exit_code code;
    if (has_file == (arguments_option(arguments, "state") != NULL))
        return session_usage(session, "give a request as FILE.json, or --state, once or more");
    if (has_file)
        code = session_read_file(session, arguments->words[1], &body);
    else
        code = write(session, arguments, &body);
    if (code == EXIT_SOLVED)
        code = roadmap_post(session, arguments->words[0], suffix, &body, &reply);
    if (code == EXIT_SOLVED) {
        // what does not hold shows in the exit code, whatever is printed
        FILE *out = session->json ? NULL : session->out;
        if (session->json)
            session_print_raw(session, &reply);
        code = print(client_reply_root(&reply), out) ? EXIT_SOLVED : EXIT_QUERY_FAILED;
    }
    client_reply_deinit(&reply);
    text_deinit(&body);
    return code;
}

/* ---- validate ---- */

/* The states, and where there are several the path along them. */
static enum exit_code validate_write_body(const struct session *session,
                                          const struct arguments *arguments, struct text *out)
{
    unsigned count;
    text_json_open(out, '{');
    text_json_key(out, "states");
    enum exit_code code = states_write(session, arguments, &count, out);
    if (code == EXIT_SOLVED && count > 1) {
        text_json_key(out, "paths");
        text_json_open(out, '[');
        code = states_write(session, arguments, &count, out);
        text_json_close(out, ']');
    }
    text_json_close(out, '}');
    return code;
}

/* "world_collision, link hand, sphere 3, obstacle box1, 0.012 deep". */
static void reason_print(const struct document_value *reason, FILE *out)
{
    static const char *const words[] = {"link", "other_link", "obstacle", "coordinate"};
    fputs(document_string(reason, "/kind", "?"), out);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *word = document_string(document_member(reason, words[i]), "", NULL);
        if (word)
            fprintf(out, ", %s %s", words[i], word);
    }
    const double depth = document_number(reason, "/depth", NAN);
    const double value = document_number(reason, "/value", NAN);
    if (!isnan(depth))
        fprintf(out, ", %.3g deep", depth);
    if (!isnan(value))
        fprintf(out, ", %.10g beyond %.10g", value, document_number(reason, "/limit", NAN));
}

/* A line an item; whether all are valid. Nothing is printed to NULL. */
static bool items_print(const struct document_value *items, const char *what, FILE *out)
{
    bool all = true;
    for (size_t i = 0; i < document_length(items); i++) {
        const struct document_value *item = document_element(items, i);
        const bool valid = document_bool(item, "/valid", false);
        const double segment = document_number(item, "/segment", NAN);
        all = all && valid;
        if (!out)
            continue;
        fprintf(out, "%s %zu: ", what, i);
        if (!isnan(segment))
            fprintf(out, "segment %.0f: ", segment);
        if (valid)
            fprintf(out, "valid, clearance %.6g", document_number(item, "/clearance", NAN));
        else
            reason_print(document_member(item, "reason"), out);
        fputc('\n', out);
    }
    return all;
}

static bool validate_print(const struct document_value *answer, FILE *out)
{
    const bool states = items_print(document_member(answer, "states"), "state", out);
    const bool edges = items_print(document_member(answer, "edges"), "edge", out);
    const bool paths = items_print(document_member(answer, "paths"), "path", out);
    return states && edges && paths;
}

enum exit_code command_validate(const struct session *session, const struct arguments *arguments)
{
    return question_ask(session, arguments, "/validate", validate_write_body, validate_print);
}

/* ---- nearest ---- */

static enum exit_code nearest_write_body(const struct session *session,
                                         const struct arguments *arguments, struct text *out)
{
    const char *k = arguments_option(arguments, "neighbors");
    unsigned long long number = 1;
    unsigned count;
    char fault[200];
    if (k && !arguments_count("neighbors", k, &number, fault, sizeof fault))
        return session_usage(session, "%s", fault);
    text_json_open(out, '{');
    text_member_u64(out, "k", number);
    text_json_key(out, "states");
    const enum exit_code code = states_write(session, arguments, &count, out);
    text_json_close(out, '}');
    return code;
}

static bool nearest_print(const struct document_value *answer, FILE *out)
{
    const struct document_value *lists = document_member(answer, "neighbors");
    struct table table;
    if (!out)
        return true;
    table_init(&table, (const char *const[]){">STATE", ">ID", ">DISTANCE", "AT", NULL});
    for (size_t i = 0; i < document_length(lists); i++) {
        const struct document_value *list = document_element(lists, i);
        for (size_t j = 0; j < document_length(list); j++) {
            const struct document_value *found = document_element(list, j);
            struct text at = {0};
            document_write(document_member(found, "state"), &at);
            table_cell(&table, "%zu", i);
            table_cell(&table, "%.0f", document_number(found, "/id", NAN));
            table_cell(&table, "%.6g", document_number(found, "/distance", NAN));
            table_cell(&table, "%.*s", at.failed ? 0 : (int)at.length, at.data ? at.data : "");
            text_deinit(&at);
        }
    }
    table_print(&table, out);
    table_deinit(&table);
    return true;
}

enum exit_code command_nearest(const struct session *session, const struct arguments *arguments)
{
    return question_ask(session, arguments, "/nearest", nearest_write_body, nearest_print);
}

/* ---- matrix ---- */

static enum exit_code matrix_write_body(const struct session *session,
                                        const struct arguments *arguments, struct text *out)
{
    unsigned count;
    char fault[200];
    text_json_open(out, '{');
    if (!plan_members_write(arguments, out, fault, sizeof fault))
        return session_usage(session, "%s", fault);
    text_json_key(out, "states");
    const enum exit_code code = states_write(session, arguments, &count, out);
    text_json_close(out, '}');
    return code;
}

/* The table of costs, where it is no wider than tables are. */
static void costs_print(const struct document_value *answer, FILE *out)
{
    const struct document_value *costs = document_member(answer, "costs");
    const struct document_value *targets = document_member(answer, "targets");
    const struct document_value *sources = document_member(answer, "sources");
    const size_t columns = document_length(targets);
    if (columns >= TABLE_COLUMNS_MAX) {
        fprintf(out, "%zu targets are too many for a table; --json prints all\n", columns);
        return;
    }
    struct table table = {.columns = (unsigned)columns + 1};
    table_cell(&table, "FROM");
    for (size_t j = 0; j < columns; j++) {
        table.right[j + 1] = true;
        table_cell(&table, "TO %.0f", document_number(document_element(targets, j), "", NAN));
    }
    for (size_t i = 0; i < document_length(costs); i++) {
        table_cell(&table, "%.0f", document_number(document_element(sources, i), "", NAN));
        for (size_t j = 0; j < columns; j++) {
            const double cost =
                document_number(document_element(document_element(costs, i), j), "", NAN);
            if (isnan(cost))
                table_cell(&table, "-");
            else
                table_cell(&table, "%.6g", cost);
        }
    }
    table_print(&table, out);
    table_deinit(&table);
}

/* Whether there is a path for every pair. */
static bool matrix_print(const struct document_value *answer, FILE *out)
{
    const struct document_value *states = document_member(answer, "states");
    for (size_t i = 0; out && i < document_length(states); i++) {
        const struct document_value *state = document_element(states, i);
        const char *status = document_string(state, "/status", "?");
        if (strcmp(status, "ok") == 0)
            continue;
        fprintf(out, "state %zu: %s", i, status);
        if (document_member(state, "reason")) {
            fputs(": ", out);
            reason_print(document_member(state, "reason"), out);
        }
        fputc('\n', out);
    }
    if (out)
        costs_print(answer, out);
    return document_number(answer, "/summary/failed", 0) < 1;
}

enum exit_code command_matrix(const struct session *session, const struct arguments *arguments)
{
    return question_ask(session, arguments, "/matrix", matrix_write_body, matrix_print);
}

/* ---- graph ---- */

enum exit_code command_graph(const struct session *session, const struct arguments *arguments)
{
    static const char *const endings[][2] = {{".graphml", "graphml"}, {".npz", "npz"}};
    const char *format = arguments_option(arguments, "format"), *path = arguments->words[1];
    struct text suffix = {0};
    struct client_reply reply = {0};
    for (size_t i = 0; !format && i < sizeof endings / sizeof *endings; i++)
        format = name_ends_with(path, endings[i][0]) ? endings[i][1] : NULL;
    text_print(&suffix, "/graph?format=");
    client_url_append(&suffix, format ? format : "json");
    text_append(&suffix, "", 1);
    enum exit_code code = EXIT_SERVER;
    if (!suffix.failed)
        code = session_call(session, "GET", "roadmaps", arguments->words[0], suffix.data, &reply);
    if (code == EXIT_SOLVED)
        code = session_write_file(session, path, reply.body, reply.bytes);
    if (code == EXIT_SOLVED)
        fprintf(session->out, "%s: %zu bytes\n", path, reply.bytes);
    text_deinit(&suffix);
    client_reply_deinit(&reply);
    return code;
}

/* Planning and pictures: requests sent, answers as tables. */
#include "client/commands.h"
#include "client/table.h"

#include <math.h>
#include <string.h>

enum { WAYPOINTS_SHOWN = 200, FAILURES_SHOWN = 20 };

enum exit_code roadmap_post(const struct session *session, const char *roadmap, const char *suffix,
                            const struct text *body, struct client_reply *reply)
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
    const char *detail = document_string(result, "/detail", NULL);
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

/* How the lengths compare with the published ones of a scenario. */
static void optima_print(const struct document_value *answer, const struct plan_body *body,
                         FILE *out)
{
    // scenario files print as few as two decimals
    static const double tolerance = 0.0051;
    const struct document_value *results = document_at(answer, "/results");
    unsigned equal = 0, compared = 0;
    double ratio_sum = 0;
    for (unsigned i = 0; i < body->optimum_count; i++) {
        const struct document_value *result = document_element(results, i);
        double optimum = body->optima[i], length = document_number(result, "/length", 0);
        // no path is published as 0
        equal += fabs(length - optimum) <= tolerance;
        if (optimum > 0 && length > 0) {
            ratio_sum += length / optimum;
            compared++;
        }
    }
    fprintf(out, "%u of %u lengths are the published ones", equal, body->optimum_count);
    if (compared > 0)
        fprintf(out, ", mean ratio %.4f", ratio_sum / compared);
    fputc('\n', out);
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
    struct plan_body body;
    struct client_reply reply = {0};
    const char *save = arguments_option(arguments, "save");
    enum exit_code code = plan_body_init(&body, session, arguments, arguments->words[0]);
    if (code == EXIT_SOLVED)
        code = roadmap_post(session, arguments->words[0], "/plan", &body.text, &reply);
    if (code == EXIT_SOLVED && save)
        code = session_write_file(session, save, reply.body, reply.bytes);
    if (code == EXIT_SOLVED) {
        if (session->json)
            session_print_raw(session, &reply);
        bool all = answer_print(client_reply_root(&reply), session->json, session->out);
        if (body.optima && !session->json)
            optima_print(client_reply_root(&reply), &body, session->out);
        code = all ? EXIT_SOLVED : EXIT_QUERY_FAILED;
    }
    client_reply_deinit(&reply);
    plan_body_deinit(&body);
    return code;
}

enum exit_code command_picture(const struct session *session, const struct arguments *arguments)
{
    const char *roadmap = arguments->words[0], *path = arguments->words[1];
    struct client_reply reply = {0};
    struct plan_body body = {.optima = NULL};
    enum exit_code code;
    if (arguments_option(arguments, "queries") || arguments_option(arguments, "start")) {
        code = plan_body_init(&body, session, arguments, roadmap);
        if (code == EXIT_SOLVED)
            code = roadmap_post(session, roadmap, "/picture.svg", &body.text, &reply);
    } else {
        code = session_call(session, "GET", "roadmaps", roadmap, "/picture.svg", &reply);
    }
    if (code == EXIT_SOLVED)
        code = session_write_file(session, path, reply.body, reply.bytes);
    if (code == EXIT_SOLVED)
        fprintf(session->out, "%s: %zu bytes\n", path, reply.bytes);
    client_reply_deinit(&reply);
    plan_body_deinit(&body);
    return code;
}

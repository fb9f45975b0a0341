/* Jobs, the server's status and its health. */
#include "client/commands.h"
#include "client/listing.h"
#include "client/progress.h"

#include <string.h>
#include <time.h>

enum { POLL_FIRST_MS = 20, POLL_LAST_MS = 200 };

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* How a job that has ended ended; says why where it did not succeed. */
static enum exit_code job_outcome(const struct session *session, const struct document_value *job)
{
    const char *state = document_string(job, "/state", "?");
    if (strcmp(state, "succeeded") == 0)
        return EXIT_SOLVED;
    const struct document_value *error = document_at(job, "/error");
    int status = (int)document_number(error, "/status", 409);
    struct text why = {0};
    if (document_is_object(error))
        client_problem_print(error, status, &why);
    fprintf(session->err, "prm: the job %s%s%.*s\n", state, why.length ? ": " : "",
            why.failed ? 0 : (int)why.length, why.length ? why.data : "");
    text_deinit(&why);
    return status / 100 == 5 ? EXIT_SERVER : EXIT_REFUSED;
}

enum exit_code job_follow(const struct session *session, const char *id)
{
    struct progress progress;
    progress_begin(&progress, session->err);
    for (long wait_ms = POLL_FIRST_MS;;
         wait_ms = 2 * wait_ms < POLL_LAST_MS ? 2 * wait_ms : POLL_LAST_MS) {
        struct client_reply reply;
        enum exit_code code = session_call(session, "GET", "jobs", id, "", &reply);
        const struct document_value *job = client_reply_root(&reply);
        const char *state = document_string(job, "/state", "?");
        bool runs = strcmp(state, "running") == 0 || strcmp(state, "queued") == 0;
        if (code == EXIT_SOLVED && runs && !session->json)
            progress_update(&progress, document_string(job, "/stage", state),
                            document_number(job, "/progress", 0),
                            document_number(job, "/eta_ms", -1));
        if (code != EXIT_SOLVED || !runs) {
            progress_end(&progress);
            if (code == EXIT_SOLVED)
                code = job_outcome(session, job);
            client_reply_deinit(&reply);
            return code;
        }
        client_reply_deinit(&reply);
        sleep_ms(wait_ms);
    }
}

enum exit_code command_job_watch(const struct session *session, const struct arguments *arguments)
{
    enum exit_code code = job_follow(session, arguments->words[0]);
    if (code != EXIT_SOLVED)
        return code;
    struct client_reply reply;
    code = session_call(session, "GET", "jobs", arguments->words[0], "", &reply);
    if (code == EXIT_SOLVED && session->json)
        session_print_raw(session, &reply);
    else if (code == EXIT_SOLVED)
        fprintf(session->out, "%s: %s\n", arguments->words[0],
                document_string(client_reply_root(&reply), "/state", "?"));
    client_reply_deinit(&reply);
    return code;
}

enum exit_code command_job_cancel(const struct session *session, const struct arguments *arguments)
{
    struct client_reply reply;
    enum exit_code code = session_call(session, "DELETE", "jobs", arguments->words[0], "", &reply);
    if (code == EXIT_SOLVED && session->json && reply.bytes > 0)
        session_print_raw(session, &reply);
    else if (code == EXIT_SOLVED && !session->json)
        fprintf(session->out, "%s: %s\n", arguments->words[0],
                reply.status == 202
                    ? "being cancelled"
                    : document_string(client_reply_root(&reply), "/state", "cancelled"));
    client_reply_deinit(&reply);
    return code;
}

enum exit_code command_job_list(const struct session *session, const struct arguments *arguments)
{
    (void)arguments;
    static const struct listing_column columns[] = {
        {"JOB", "/id"},      {"KIND", "/kind"},          {"FOR", "/resource"}, {"STATE", "/state"},
        {"STAGE", "/stage"}, {">PROGRESS", "/progress"}, {NULL, NULL}};
    return listing_print(session, "jobs", columns);
}

/* Names how many items a collection has: the first page's, with a + where there are more. */
static enum exit_code count_print(const struct session *session, const char *collection)
{
    struct client_reply reply;
    enum exit_code code = session_call(session, "GET", collection, NULL, "", &reply);
    const struct document_value *page = client_reply_root(&reply);
    if (code == EXIT_SOLVED)
        fprintf(session->out, "%-12s %zu%s\n", collection,
                document_length(document_at(page, "/items")),
                document_string(page, "/next", NULL) ? "+" : "");
    client_reply_deinit(&reply);
    return code;
}

/* The devices of the server, the one in use marked. */
static void devices_print(const struct document_value *devices, FILE *out)
{
    const struct document_value *items = document_at(devices, "/items");
    for (size_t i = 0; i < document_length(items); i++) {
        const struct document_value *device = document_element(items, i);
        fprintf(out, "%-12s %s%s\n", "device", document_string(device, "/name", "?"),
                document_bool(device, "/in_use", false) ? " (in use)" : "");
    }
}

enum exit_code command_status(const struct session *session, const struct arguments *arguments)
{
    (void)arguments;
    struct client_reply reply;
    enum exit_code code = session_call(session, "GET", "", NULL, "", &reply);
    if (code == EXIT_SOLVED && session->json) {
        session_print_raw(session, &reply);
    } else if (code == EXIT_SOLVED) {
        const struct document_value *root = client_reply_root(&reply);
        fprintf(session->out, "%-12s %s\n%-12s %s %s\n", "server", client_server(session->client),
                "version", document_string(root, "/name", "?"),
                document_string(root, "/version", "?"));
    }
    client_reply_deinit(&reply);
    if (code != EXIT_SOLVED || session->json)
        return code;

    // the device, then what the server holds
    code = session_call(session, "GET", "devices", NULL, "", &reply);
    if (code == EXIT_SOLVED)
        devices_print(client_reply_root(&reply), session->out);
    client_reply_deinit(&reply);
    static const char *const collections[] = {"worlds", "robots", "roadmaps", "jobs"};
    for (size_t i = 0; code == EXIT_SOLVED && i < sizeof collections / sizeof *collections; i++)
        code = count_print(session, collections[i]);
    return code;
}

enum exit_code command_health(const struct session *session, const struct arguments *arguments)
{
    (void)arguments;
    struct client_request request = {.method = "GET", .path = "/readyz"};
    struct client_reply reply;
    enum exit_code code = session_send(session, &request, &reply);
    if (code == EXIT_SOLVED && session->json)
        session_print_raw(session, &reply);
    else if (code == EXIT_SOLVED)
        fputs("ready\n", session->out);
    client_reply_deinit(&reply);
    return code;
}

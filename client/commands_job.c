/* Jobs: follow, list, cancel. */
#include "client/commands.h"
#include "client/events.h"
#include "client/listing.h"
#include "client/progress.h"

#include <string.h>
#include <time.h>

/* A stream that is cut off is opened again, with longer and longer pauses, unless it told nothing
 * new so often in a row, not even that the server is there. */
enum { TRIES_MAX = 5, PAUSE_FIRST_MS = 100 };

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

/* A job being followed. */
struct follow {
    struct events events;
    struct progress progress;
    bool is_shown;
    bool has_news;        /* since the stream was opened */
    struct document *end; /* the job as it ended, owned; NULL: not yet */
};

static void on_event(void *context, const char *type, const char *data, size_t bytes)
{
    struct follow *follow = context;
    struct document *document = document_parse(data, bytes, NULL, 0);
    if (!document)
        return;
    const struct document_value *job = document_root(document);
    follow->has_news = true;
    if (strcmp(type, "progress") == 0) {
        if (follow->is_shown)
            progress_update(&follow->progress, document_string(job, "/stage", "?"),
                            document_number(job, "/progress", 0),
                            document_number(job, "/eta_ms", -1));
    } else if (!follow->end) {
        follow->end = document;
        return;
    }
    document_destroy(document);
}

static void on_piece(void *context, const char *data, size_t bytes)
{
    struct follow *follow = context;
    events_take(&follow->events, data, bytes);
}

/* Reads the stream until the job has ended, it is cut off for good or refused: then says why. */
static enum exit_code stream_read(const struct session *session, const char *path,
                                  struct follow *follow)
{
    const struct client_request request = {.method = "GET",
                                           .path = path,
                                           .accept = "text/event-stream",
                                           .last_event_id = follow->events.last_id,
                                           .take = on_piece,
                                           .context = follow};
    int tries = 0;
    for (;;) {
        struct client_reply reply;
        follow->has_news = false;
        events_begin(&follow->events);
        const enum client_outcome outcome = client_send(session->client, &request, &reply);
        // a comment is news as well: a job that waits for others has no other
        tries = follow->has_news || follow->events.has_comment ? 1 : tries + 1;
        // only an answer that says no, or none for long, is the end of it
        const bool is_cut = outcome == CLIENT_DONE || reply.status == 0 || reply.status / 100 == 5;
        if (!follow->end && (!is_cut || tries == TRIES_MAX)) {
            fprintf(session->err, "prm: %s\n",
                    reply.error ? reply.error : "the events of the job were cut off");
            client_reply_deinit(&reply);
            return outcome == CLIENT_REFUSED ? EXIT_REFUSED : EXIT_SERVER;
        }
        client_reply_deinit(&reply);
        if (follow->end)
            return EXIT_SOLVED;
        sleep_ms((long)PAUSE_FIRST_MS << tries);
    }
}

enum exit_code job_follow(const struct session *session, const char *id)
{
    struct follow follow = {.is_shown = !session->json};
    struct text path = {0};
    text_print(&path, "/v1/jobs/");
    client_url_append(&path, id);
    text_append(&path, "/events", sizeof "/events");
    if (path.failed) {
        text_deinit(&path);
        return session_usage(session, "out of memory");
    }
    follow.events.on_event = on_event;
    follow.events.context = &follow;
    progress_begin(&follow.progress, session->err);
    enum exit_code code = stream_read(session, path.data, &follow);
    progress_end(&follow.progress);
    if (code == EXIT_SOLVED)
        code = job_outcome(session, document_root(follow.end));
    document_destroy(follow.end);
    events_deinit(&follow.events);
    text_deinit(&path);
    return code;
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

/* The server's status and its health. */
#include "client/commands.h"

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

/* The algorithms on their own: a file goes as it is, the answer comes as JSON or as .npz. */
#include "client/commands.h"

#include <string.h>

/* What a body is, by its first bytes. */
static const char *type_of(const struct text *content)
{
    static const struct {
        const char *magic, *type;
    } rows[] = {{"\x93NUMPY", "application/x-npy"}, {"PK\x03\x04", "application/x-npz"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t length = strlen(rows[i].magic);
        if (content->data && content->length >= length &&
            memcmp(content->data, rows[i].magic, length) == 0)
            return rows[i].type;
    }
    return NULL;
}

enum exit_code command_compute(const struct session *session, const struct arguments *arguments)
{
    const char *save = arguments_option(arguments, "save");
    struct text content = {0}, url = {0};
    struct client_reply reply = {0};
    text_print(&url, "/v1/compute/");
    client_url_append(&url, arguments->words[0]);
    enum exit_code code = session_end_url(session, arguments, &url, '?');
    if (code != EXIT_SOLVED)
        goto cleanup;
    code = session_read_file(session, arguments->words[1], &content);
    if (code != EXIT_SOLVED)
        goto cleanup;

    const struct client_request request = {.method = "POST",
                                           .path = url.data,
                                           .body = content.data ? content.data : "",
                                           .body_bytes = content.length,
                                           .content_type = type_of(&content),
                                           .accept = save ? "application/x-npz" : NULL};
    code = session_send(session, &request, &reply);
    if (code == EXIT_SOLVED && save)
        code = session_write_file(session, save, reply.body, reply.bytes);
    else if (code == EXIT_SOLVED)
        session_print_raw(session, &reply);
    if (code == EXIT_SOLVED && save)
        fprintf(session->out, "%s: %zu bytes\n", save, reply.bytes);
cleanup:
    client_reply_deinit(&reply);
    text_deinit(&content);
    text_deinit(&url);
    return code;
}

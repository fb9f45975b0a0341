#include "client/session.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

enum exit_code session_usage(const struct session *session, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("prm: ", session->err);
    vfprintf(session->err, format, list);
    fputc('\n', session->err);
    va_end(list);
    return EXIT_USAGE;
}

enum exit_code session_send(const struct session *session, const struct client_request *request,
                            struct client_reply *reply)
{
    enum client_outcome outcome = client_send(session->client, request, reply);
    if (outcome == CLIENT_DONE)
        return EXIT_SOLVED;
    fprintf(session->err, "prm: %s\n", reply->error ? reply->error : "out of memory");
    return outcome == CLIENT_REFUSED ? EXIT_REFUSED : EXIT_SERVER;
}

enum exit_code session_call(const struct session *session, const char *method,
                            const char *collection, const char *name, const char *suffix,
                            struct client_reply *reply)
{
    struct text path = {0};
    text_print(&path, "/v1%s%s", *collection ? "/" : "", collection);
    if (name) {
        text_print(&path, "/");
        client_url_append(&path, name);
    }
    text_print(&path, "%s", suffix);
    text_append(&path, "", 1);

    enum exit_code code = EXIT_SERVER;
    if (path.failed) {
        *reply = (struct client_reply){0};
        fputs("prm: out of memory\n", session->err);
    } else {
        struct client_request request = {.method = method, .path = path.data};
        code = session_send(session, &request, reply);
    }
    text_deinit(&path);
    return code;
}

enum exit_code session_end_url(const struct session *session, const struct arguments *arguments,
                               struct text *url, char separator)
{
    for (unsigned i = 0; i < arguments->option_count; i++) {
        const struct argument_option *option = &arguments->options[i];
        if (strcmp(option->name, "set") != 0)
            continue;
        const char *equals = strchr(option->value, '=');
        char name[64];
        if (!equals || equals == option->value || (size_t)(equals - option->value) >= sizeof name)
            return session_usage(session, "--set %s is not NAME=VALUE", option->value);
        snprintf(name, sizeof name, "%.*s", (int)(equals - option->value), option->value);
        text_append(url, &separator, 1);
        client_url_append(url, name);
        text_append(url, "=", 1);
        client_url_append(url, equals + 1);
        separator = '&';
    }
    text_append(url, "", 1);
    return url->failed ? session_usage(session, "out of memory") : EXIT_SOLVED;
}

void session_print_raw(const struct session *session, const struct client_reply *reply)
{
    fwrite(reply->body, 1, reply->bytes, session->out);
    if (reply->bytes == 0 || reply->body[reply->bytes - 1] != '\n')
        fputc('\n', session->out);
}

enum exit_code session_read_file(const struct session *session, const char *path,
                                 struct text *content)
{
    *content = (struct text){0};
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!file)
        return session_usage(session, "%s: %s", path, strerror(errno));
    char block[65536];
    size_t bytes;
    while ((bytes = fread(block, 1, sizeof block, file)) > 0)
        text_append(content, block, bytes);
    bool failed = ferror(file) || content->failed;
    if (file != stdin)
        fclose(file);
    if (failed) {
        text_deinit(content);
        return session_usage(session, "%s: cannot be read", path);
    }
    return EXIT_SOLVED;
}

enum exit_code session_write_file(const struct session *session, const char *path, const char *data,
                                  size_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return session_usage(session, "%s: %s", path, strerror(errno));
    bool failed = fwrite(data, 1, bytes, file) != bytes;
    failed = fclose(file) != 0 || failed;
    return failed ? session_usage(session, "%s: cannot be written", path) : EXIT_SOLVED;
}

enum exit_code session_read_json(const struct session *session, const char *path,
                                 struct document **document)
{
    struct text content;
    char fault[200] = "out of memory";
    *document = NULL;
    enum exit_code code = session_read_file(session, path, &content);
    if (code != EXIT_SOLVED)
        return code;
    *document = document_parse(content.data, content.length, fault, sizeof fault);
    text_deinit(&content);
    return *document ? EXIT_SOLVED : session_usage(session, "%s: %s", path, fault);
}

bool name_ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcasecmp(name + length - tail, ending) == 0;
}

/* What the two programs read themselves: requests as HTTP brings them, files of options, and the
 * client's own files and arguments. */
#include "client/arguments.h"
#include "client/form.h"
#include "client/scenario.h"
#include "fuzz.h"
#include "server/config.h"
#include "server/headers.h"
#include "server/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- HTTP ---- */

/* The next line of a head, terminated, without its CRLF; NULL: an empty one, or none is left. */
static char *next_line(char **rest)
{
    char *line = *rest, *end = strchr(line, '\n');
    if (end == NULL)
        return NULL;
    *end = '\0';
    *rest = end + 1;
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return *line != '\0' ? line : NULL;
}

/* Puts a header where the request looks for it. */
static void take_header(struct request *request, struct request_head *head, char *line)
{
    char *colon = strchr(line, ':');
    if (colon == NULL)
        return;
    *colon = '\0';
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    // the library passes only numbers on
    if (strcasecmp(line, "Content-Length") != 0 || value[strspn(value, "0123456789")] == '\0')
        request_take_header(request, head, line, value);
}

/* "METHOD TARGET" CRLF, headers, an empty line, the body in small pieces. Paths below /p are of a
 * server with that prefix. */
void fuzz_http(const char *data, size_t bytes)
{
    enum { PIECE = 7, FEW = 64 };
    const char *mark = bytes > 0 ? memchr(data, '\0', bytes) : NULL;
    const size_t head_bytes = mark != NULL ? (size_t)(mark - data) : bytes;
    char *text = fuzz_string(data, head_bytes), *rest = text, *line = next_line(&rest);
    char *target = line != NULL ? strchr(line, ' ') : NULL;
    struct budget budget = {.limit = fuzz_limits()->host_bytes};
    struct request_head head = {.method = line};
    struct request request = {0};
    if (target != NULL) {
        *target++ = '\0';
        fuzz_must(request_init(&request, target));
        for (char *header; (header = next_line(&rest)) != NULL;)
            take_header(&request, &head, header);
        const struct access access = {.cors_origin = "https://a.example, http://b:8080",
                                      .base_path = strncmp(target, "/p/", 3) == 0 ? "/p" : NULL};
        request_begin(&request, &head, fuzz_limits(), &access, &budget, 1);

        // a body after a zero byte may hold any bytes
        const char *body = mark != NULL ? mark + 1 : rest;
        size_t left = mark != NULL ? bytes - head_bytes - 1 : strlen(rest);
        for (size_t taken; left > 0; left -= taken, body += taken) {
            taken = left > FEW * PIECE ? left : left < PIECE ? left : PIECE;
            if (!request_take(&request, body, taken))
                break;
        }
        request_end(&request);
        fuzz_must(request.answered || request.match.outcome == ROUTER_FOUND);
        fuzz_must(request.body.bytes <= fuzz_limits()->body_bytes);
        fuzz_must(*request.call.request_id != '\0' && headers_request_id(request.call.request_id));
        request_deinit(&request);
        fuzz_must(budget.used == 0);
    }
    free(text);
}

/* ---- files of the daemon ---- */

enum { PATH_BYTES = 64 };

/* A file of these bytes, without a name of its own, and a path that opens it. */
static FILE *file_of(char path[PATH_BYTES], const char *data, size_t bytes)
{
    FILE *file = tmpfile();
    fuzz_must(file != NULL && fwrite(data, 1, bytes, file) == bytes && fflush(file) == 0);
    snprintf(path, PATH_BYTES, "/proc/self/fd/%d", fileno(file));
    return file;
}

void fuzz_config(const char *data, size_t bytes)
{
    char path[PATH_BYTES], fault[CONFIG_FAULT_MAX];
    FILE *file = file_of(path, data, bytes);
    char *argv[] = {(char[]){"prmd"}, (char[]){"--config"}, path, NULL};
    struct config config;
    const enum config_outcome outcome = config_read(&config, 3, argv, fault);
    fuzz_must(outcome == CONFIG_RUN || (outcome == CONFIG_WRONG && *fault != '\0'));
    config_deinit(&config);
    fclose(file);
}

/* The token "secret", which the kept files know, and a text in its place. */
void fuzz_tokens(const char *data, size_t bytes)
{
    char path[PATH_BYTES], fault[TOKENS_FAULT_MAX] = "";
    FILE *file = file_of(path, data, bytes);
    struct tokens *tokens = tokens_open(path, 10, fault);
    fuzz_must(tokens != NULL || *fault != '\0');
    if (tokens != NULL) {
        char *text = fuzz_string(data, bytes);
        (void)tokens_judge(tokens, "Bearer secret", ROLE_PLAN, 1);
        (void)tokens_judge(tokens, text, ROLE_READ, 1);
        fuzz_must(tokens_judge(tokens, NULL, ROLE_READ, 1).outcome == TOKEN_MISSING);
        fuzz_must(tokens_reload(tokens, fault));
        free(text);
    }
    tokens_close(tokens);
    fclose(file);
}

/* ---- the client ---- */

static void read_arguments(char *text)
{
    enum { WORDS_MAX = 80 };
    char *argv[WORDS_MAX + 1] = {(char[]){"prm"}}, fault[256] = "";
    int argc = 1;
    struct arguments arguments;
    for (char *word = strtok(text, "\n"); word != NULL && argc < WORDS_MAX;
         word = strtok(NULL, "\n"))
        argv[argc++] = word;
    if (!arguments_parse(&arguments, argc, argv, fault, sizeof(fault))) {
        fuzz_must(*fault != '\0');
        return;
    }
    for (unsigned i = 0; i < arguments.option_count; i++) {
        unsigned long long count;
        double number;
        const char *value = arguments.options[i].value;
        fuzz_must(arguments_option(&arguments, arguments.options[i].name) != NULL);
        (void)arguments_count("samples", value, &count, fault, sizeof(fault));
        (void)arguments_number("radius", value, &number, fault, sizeof(fault));
    }
}

void fuzz_client(const char *data, size_t bytes)
{
    static const unsigned heights[] = {0, 8};
    char fault[256] = "", value[64], path[128];
    for (size_t i = 0; i < sizeof(heights) / sizeof(heights[0]); i++) {
        struct scenario scenario;
        if (scenario_read(&scenario, data, bytes, heights[i], fault, sizeof(fault))) {
            fuzz_must(!scenario.queries.failed);
            scenario_deinit(&scenario);
        } else {
            fuzz_must(*fault != '\0');
        }
    }
    if (form_yaml_value(data, bytes, "image", value, sizeof(value)))
        (void)form_path_beside("maps/depot.yaml", value, path, sizeof(path));
    char *text = fuzz_string(data, bytes);
    read_arguments(text);
    free(text);
}

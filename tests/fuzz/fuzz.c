#include "fuzz.h"

#include "schema/document.h"
#include "server/router.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double RUN_SECONDS_MAX = 1;

#define X(name, what) {#name, what, fuzz_##name},
const struct fuzz_target fuzz_targets[] = {FUZZ_TARGETS(X)};
#undef X
const size_t fuzz_target_count = sizeof(fuzz_targets) / sizeof(fuzz_targets[0]);

const struct fuzz_target *fuzz_find(const char *name)
{
    for (size_t i = 0; i < fuzz_target_count; i++)
        if (strcmp(fuzz_targets[i].name, name) == 0)
            return &fuzz_targets[i];
    return NULL;
}

/* Seconds that this process has run, which other programs do not lengthen. */
static double seconds_run(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void fuzz_run(const struct fuzz_target *target, const char *data, size_t bytes)
{
    const double begin = seconds_run();
    target->run(data, bytes);
    const double took = seconds_run() - begin;
    if (took > RUN_SECONDS_MAX) {
        fprintf(stderr, "%s: %zu bytes took %.2f s\n", target->name, bytes, took);
        abort();
    }
}

void fuzz_fail(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: must hold: %s\n", file, line, condition);
    abort();
}

const struct limits *fuzz_limits(void)
{
    static struct limits limits;
    if (limits.body_bytes == 0) {
        limits = limits_default();
        limits.body_bytes = 8 << 20;
        // what the targets do with it, writing it down twice among that, is within the second
        limits.grid_cells = 1 << 15;
    }
    return &limits;
}

void fuzz_judge(bool good, const struct problem *problem)
{
    fuzz_must(good == (problem->fault_count == 0));
    if (good)
        return;
    struct text out = {0};
    char fault[256] = "";
    problem_write(problem, "id", &out);
    fuzz_must(!out.failed);
    if (getenv("PRM_FUZZ_SHOW") != NULL)
        fprintf(stderr, "refused: %.*s\n", (int)out.length, out.data);
    struct document *document = document_parse(out.data, out.length, fault, sizeof(fault));
    if (document == NULL)
        fprintf(stderr, "%s: %.*s\n", fault, (int)out.length, out.data);
    fuzz_must(document != NULL);
    document_destroy(document);
    text_deinit(&out);
}

void fuzz_taken(bool good, const struct text *written, const struct problem *problem)
{
    if (!good)
        fprintf(stderr, "%s: %.*s\n", problem->faults[0].detail, (int)written->length,
                written->data);
    fuzz_must(good);
}

void fuzz_same(const struct text *a, const struct text *b)
{
    const bool same = !a->failed && !b->failed && a->length == b->length &&
                      (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
    if (!same)
        fprintf(stderr, "%.*s\n%.*s\n", (int)a->length, a->data, (int)b->length, b->data);
    fuzz_must(same);
}

void fuzz_call(struct call *call, char line[FUZZ_LINE_BYTES], const char *data, size_t bytes)
{
    *call = (struct call){.wait_s = -1};
    if (bytes > 0 && *data == '?') {
        const char *end = memchr(data, '\n', bytes);
        const size_t length = end != NULL ? (size_t)(end - data) : bytes;
        snprintf(line, FUZZ_LINE_BYTES, "%.*s", (int)length - 1, data + 1);
        if (router_query(call->parameters, &call->parameter_count, line) != NULL)
            call->parameter_count = 0;
        const size_t head = length < bytes ? length + 1 : bytes;
        data += head;
        bytes -= head;
    }
    call->body = data;
    call->body_bytes = bytes;
}

char *fuzz_string(const char *data, size_t bytes)
{
    char *string = malloc(bytes + 1);
    fuzz_must(string != NULL);
    size_t length = 0;
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != '\0')
            string[length++] = data[i];
    string[length] = '\0';
    return string;
}

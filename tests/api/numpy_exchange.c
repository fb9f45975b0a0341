/* Reads a compute request from a file as the service would and writes its arrays back as an npz
 * reply: the partner of test_numpy.py.
 *
 *   numpy_exchange OPERATION CONTENT-TYPE REQUEST REPLY [KEY=VALUE …]
 *
 * Status 0: done; 1: refused, with the problem on stdout; 2: wrong use. */
#include "schema/compute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PARAMETERS_MAX = 16, ARGUMENTS_BEFORE = 5 };

static char *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    long size;
    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
        rewind(file);
        *bytes = (size_t)size;
        data = malloc(*bytes + 1);
        if (data && fread(data, 1, *bytes, file) != *bytes) {
            free(data);
            data = NULL;
        }
    }
    if (file)
        fclose(file);
    return data;
}

static bool write_file(const char *path, const struct text *text)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    const bool written = fwrite(text->data, 1, text->length, file) == text->length;
    return fclose(file) == 0 && written && !text->failed;
}

static void echo(struct compute_reply *reply, const char *name, const struct compute_array *array)
{
    if (array->present && array->columns == 1)
        compute_reply_list(reply, name, array->kind, array->data, array->rows);
    else if (array->present)
        compute_reply_rows(reply, name, array->kind, array->data, array->rows, array->columns);
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    const int format = argc < ARGUMENTS_BEFORE ? -1 : compute_format_of(argv[2]);
    const enum compute_op op = format < 0 ? COMPUTE_OP_COUNT : compute_op_find(argv[1]);
    size_t bytes = 0;
    char *body = op == COMPUTE_OP_COUNT ? NULL : read_file(argv[3], &bytes);
    if (!body) {
        fprintf(stderr, "usage: %s OPERATION CONTENT-TYPE REQUEST REPLY [KEY=VALUE …]\n", argv[0]);
        return 2;
    }
    struct compute_parameter parameters[PARAMETERS_MAX];
    unsigned count = 0;
    for (int i = ARGUMENTS_BEFORE; i < argc && count < PARAMETERS_MAX; i++) {
        char *value = strchr(argv[i], '=');
        if (value)
            *value++ = '\0';
        parameters[count++] = (struct compute_parameter){argv[i], value ? value : ""};
    }

    const struct limits limits = limits_default();
    struct problem problem = {0};
    struct compute_request request;
    struct text out = {0};
    const double began = milliseconds();
    if (!compute_request_read(&request, op, (enum compute_format)format, body, bytes, parameters,
                              count, &limits, &problem)) {
        problem_write(&problem, NULL, &out);
        printf("%.*s\n", (int)out.length, out.data);
        text_deinit(&out);
        free(body);
        return 1;
    }
    struct compute_reply reply = {.device = "none", .times = {.parse_ms = milliseconds() - began}};
    echo(&reply, "values", &request.values);
    echo(&reply, "flags", &request.flags);
    echo(&reply, "keys", &request.keys);
    echo(&reply, "points", &request.points);
    echo(&reply, "edges", &request.edges);
    const uint64_t options[] = {request.segment_size, request.seed, request.k};
    compute_reply_number(&reply, "segment_size", COMPUTE_U64, &options[0]);
    compute_reply_number(&reply, "seed", COMPUTE_U64, &options[1]);
    compute_reply_number(&reply, "k", COMPUTE_U64, &options[2]);
    compute_reply_write_npz(&reply, &out);
    const bool written = write_file(argv[4], &out);
    text_deinit(&out);
    compute_request_deinit(&request);
    free(body);
    return written ? 0 : 2;
}

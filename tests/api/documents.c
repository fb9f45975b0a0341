#include "documents.h"

#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_row(const struct bad_document *row, read_function *read)
{
    struct problem problem = {0};
    if (read(row->body, strlen(row->body), &problem))
        fail_msg("accepted: %.200s", row->body);
    if (!problem.fault_count)
        fail_msg("refused without a fault: %.200s", row->body);

    const struct problem_fault *fault = &problem.faults[0];
    if (fault->code != row->code)
        fail_msg("%.200s: %s (%s), expected %s", row->body, problem_code_text(fault->code),
                 fault->detail, problem_code_text(row->code));
    if (!*fault->detail)
        fail_msg("no detail: %.200s", row->body);
    if (row->pointer && (!fault->has_pointer || strcmp(fault->pointer, row->pointer) != 0))
        fail_msg("%.200s: at %s (%s), expected %s", row->body, fault->pointer, fault->detail,
                 row->pointer);
    if (strcmp(fault->limit, row->limit ? row->limit : "") != 0)
        fail_msg("%.200s: limit %s, expected %s", row->body, fault->limit, row->limit);
    if (row->limit && strncmp(fault->flag, "--max-", 6) != 0)
        fail_msg("%.200s: no flag", row->body);
}

void assert_refused(const struct bad_document *rows, size_t count, read_function *read)
{
    for (size_t i = 0; i < count; i++)
        check_row(&rows[i], read);
}

char *repeat(const char *head, const char *piece, size_t count, const char *tail)
{
    size_t size = strlen(head) + count * strlen(piece) + strlen(tail) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    size_t end = (size_t)snprintf(text, size, "%s", head);
    for (size_t i = 0; i < count; i++)
        end += (size_t)snprintf(text + end, size - end, "%s", piece);
    snprintf(text + end, size - end, "%s", tail);
    return text;
}

void assert_refuses_malformed(read_function *read)
{
    char *digits = repeat("{\"x\":", "9", 400, "}");
    char *deep = repeat("", "[", 100000, "");
    char *nested = repeat("{\"x\":", "[", 5000, "");
    const struct bad_document rows[] = {
        {"", PROBLEM_MALFORMED, NULL, NULL},
        {"{", PROBLEM_MALFORMED, NULL, NULL},
        {"{} {}", PROBLEM_MALFORMED, NULL, NULL},
        {"\xff\xfe{}", PROBLEM_MALFORMED, NULL, NULL},
        {"{\"x\":\"\xc3\x28\"}", PROBLEM_MALFORMED, NULL, NULL},
        {"{\"x\":\"\\ud800\"}", PROBLEM_MALFORMED, NULL, NULL},
        // well-formed, and a robot that lacks its type has no members to know
        {"{\"type\":\"point\",\"x\":\"a\\u0000b\"}", PROBLEM_UNKNOWN_MEMBER, NULL, NULL},
        {"{\"x\":NaN}", PROBLEM_MALFORMED, NULL, NULL},
        {"{\"x\":Infinity}", PROBLEM_MALFORMED, NULL, NULL},
        {"{\"x\":-Infinity}", PROBLEM_MALFORMED, NULL, NULL},
        {"{\"x\":1e999}", PROBLEM_MALFORMED, NULL, NULL},
        {"{\"x\":-1e999}", PROBLEM_MALFORMED, NULL, NULL},
        {"{\"x\":01}", PROBLEM_MALFORMED, NULL, NULL},
        {"{\"x\":1,}", PROBLEM_MALFORMED, NULL, NULL},
        {"{\"x\":1,\"x\":2}", PROBLEM_MALFORMED, NULL, NULL},
        {"{'x':1}", PROBLEM_MALFORMED, NULL, NULL},
        {digits, PROBLEM_MALFORMED, NULL, NULL},
        {deep, PROBLEM_MALFORMED, NULL, NULL},
        {nested, PROBLEM_MALFORMED, NULL, NULL},
        {"[]", PROBLEM_INVALID_ARGUMENT, "", NULL},
        {"null", PROBLEM_INVALID_ARGUMENT, "", NULL},
        {"5", PROBLEM_INVALID_ARGUMENT, "", NULL},
        {"\"text\"", PROBLEM_INVALID_ARGUMENT, "", NULL},
    };
    assert_refused(rows, sizeof rows / sizeof *rows, read);
    free(digits);
    free(deep);
    free(nested);

    // a syntax error has its place
    struct problem problem = {0};
    assert_false(read("{\n\"x\": [}\n", 10, &problem));
    assert_int_equal(problem.faults[0].line, 2);
    assert_true(problem.faults[0].column > 0);
}

const char *text_string(struct text *text)
{
    text_append(text, "", 1);
    assert_false(text->failed);
    text->length--;
    return text->data;
}

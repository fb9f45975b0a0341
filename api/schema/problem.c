#include "schema/problem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *code, *title;
    int status;
} problem_table[] = {
    {"none", "No problem", 200},
#define PROBLEM(constant, code, status, title) {code, title, status},
#include "schema/problems.def"
#undef PROBLEM
};

const char *problem_code_text(enum problem_code code)
{
    return problem_table[code].code;
}

const char *problem_code_title(enum problem_code code)
{
    return problem_table[code].title;
}

int problem_code_status(enum problem_code code)
{
    return problem_table[code].status;
}

struct problem_fault *problem_add(struct problem *problem, enum problem_code code,
                                  const char *format, ...)
{
    static _Thread_local struct problem_fault spare;
    struct problem_fault *fault =
        problem->fault_count < PROBLEM_FAULTS_MAX ? &problem->faults[problem->fault_count] : &spare;
    problem->fault_count++;

    *fault = (struct problem_fault){.code = code};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->detail, sizeof fault->detail, format, arguments);
    va_end(arguments);
    return fault;
}

void problem_no_memory(struct problem *problem, const char *format, ...)
{
    char what[PROBLEM_DETAIL_MAX / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    problem_add(problem, PROBLEM_NO_MEMORY, "no memory for %s", what);
}

void problem_fault_limit(struct problem_fault *fault, const struct limits *limits,
                         enum limit_id limit)
{
    snprintf(fault->limit, sizeof fault->limit, "%" PRIu64, limits_value(limits, limit));
    snprintf(fault->flag, sizeof fault->flag, "%s", limit_table[limit].flag);
}

/* The members that say what and where, the same for the problem itself and in errors[]. */
static void write_fault(const struct problem_fault *fault, struct text *out)
{
    text_member_string(out, "detail", fault->detail);
    text_member_string(out, "code", problem_code_text(fault->code));
    if (fault->has_pointer) {
        text_member_string(out, "pointer", fault->pointer);
    }
    if (fault->line > 0) {
        text_member_u64(out, "line", (uint64_t)fault->line);
        text_member_u64(out, "column", (uint64_t)(fault->column > 0 ? fault->column : 0));
    }
    if (*fault->limit) {
        text_json_key(out, "limit");
        text_append(out, fault->limit, strlen(fault->limit));
    }
    if (*fault->flag) {
        text_member_string(out, "flag", fault->flag);
    }
}

void problem_write(const struct problem *problem, const char *request_id, struct text *out)
{
    static const struct problem_fault nameless = {.code = PROBLEM_INTERNAL,
                                                  .detail = "the cause was not recorded"};
    const struct problem_fault *first = problem->fault_count ? problem->faults : &nameless;

    text_json_open(out, '{');
    text_json_key(out, "type");
    char type[96];
    snprintf(type, sizeof type, "urn:prmd:problem:%s", problem_code_text(first->code));
    text_json_string(out, type);
    text_member_string(out, "title", problem_code_title(first->code));
    text_member_u64(out, "status", (uint64_t)problem_code_status(first->code));
    write_fault(first, out);

    // several faults: all that were kept, the first among them
    unsigned kept =
        problem->fault_count < PROBLEM_FAULTS_MAX ? problem->fault_count : PROBLEM_FAULTS_MAX;
    if (kept > 1) {
        text_json_key(out, "errors");
        text_json_open(out, '[');
        for (unsigned i = 0; i < kept; i++) {
            text_json_open(out, '{');
            write_fault(&problem->faults[i], out);
            text_json_close(out, '}');
        }
        text_json_close(out, ']');
        text_member_u64(out, "error_count", problem->fault_count);
    }
    if (request_id) {
        text_member_string(out, "request_id", request_id);
    }
    text_json_close(out, '}');
}

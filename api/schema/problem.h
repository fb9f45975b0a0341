/* Request errors as data: RFC 9457 problem details with a stable code.
 *
 * A problem says what is wrong, where (JSON Pointer, or line and column of a syntax error), and
 * which limit was hit and the flag that raises it. Several faults of one body are kept in order.
 */
#ifndef SCHEMA_PROBLEM_H
#define SCHEMA_PROBLEM_H

#include "schema/limits.h"
#include "schema/text.h"

#include <stdbool.h>
#include <stdint.h>

enum problem_code {
    PROBLEM_NONE,
#define PROBLEM(constant, code, status, title) PROBLEM_##constant,
#include "schema/problems.def"
#undef PROBLEM
    /* what a request meets for which there is no memory, wherever that shows */
    PROBLEM_NO_MEMORY = PROBLEM_OVERLOADED
};

enum { PROBLEM_FAULTS_MAX = 16, PROBLEM_DETAIL_MAX = 512, PROBLEM_POINTER_MAX = 256 };

/* One fault. Members that do not apply are empty, 0 or negative. */
struct problem_fault {
    enum problem_code code;
    char detail[PROBLEM_DETAIL_MAX];
    char pointer[PROBLEM_POINTER_MAX]; /* valid where has_pointer; "" is the whole body */
    bool has_pointer;
    int line, column; /* of a syntax error; 0: none */
    char limit[64];   /* the limit as a number, or empty */
    char flag[48];    /* the option that raises it, or empty */
};

/* All faults of a request; the first decides code and status. */
struct problem {
    struct problem_fault faults[PROBLEM_FAULTS_MAX];
    unsigned fault_count; /* may count past what is kept */
};

const char *problem_code_text(enum problem_code code);
const char *problem_code_title(enum problem_code code);
int problem_code_status(enum problem_code code);

/* Adds a fault and returns it for the caller to add pointer or limit; a full list drops it into a
 * spare. */
struct problem_fault *problem_add(struct problem *problem, enum problem_code code,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds the fault that there is no memory for what the format tells. */
void problem_no_memory(struct problem *problem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Names the limit that was hit, its value and the flag that raises it. */
void problem_fault_limit(struct problem_fault *fault, const struct limits *limits,
                         enum limit_id limit);

/* Appends the application/problem+json document. */
void problem_write(const struct problem *problem, const char *request_id, struct text *out);

#endif

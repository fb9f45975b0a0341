/* What the tests of documents share: tables of bad bodies, and written documents as C strings. */
#ifndef TESTS_API_DOCUMENTS_H
#define TESTS_API_DOCUMENTS_H

#include "schema/problem.h"

/* A body and the problem that it must get: the first fault's code, pointer (NULL: any) and limit
 * (NULL: none). */
struct bad_document {
    const char *body;
    enum problem_code code;
    const char *pointer, *limit;
};

/* Reads a body; must leave nothing behind where it returns false. */
typedef bool read_function(const char *body, size_t bytes, struct problem *problem);

/* Fails the test where a body is taken, or gets another problem than its row says. */
void assert_refused(const struct bad_document *rows, size_t count, read_function *read);

/* What is wrong with any JSON body, in any resource. */
void assert_refuses_malformed(read_function *read);

/* Terminates a text, for comparison. */
const char *text_string(struct text *text);

/* A malloc'ed repetition of a piece between two others. */
char *repeat(const char *head, const char *piece, size_t count, const char *tail);

#endif

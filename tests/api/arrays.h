/* What the tests of npy and npz share: files made by hand, apart from the writer under test. */
#ifndef TESTS_API_ARRAYS_H
#define TESTS_API_ARRAYS_H

#include "schema/problem.h"

#include <stddef.h>

/* An .npy file of version major.0 of that header text (a new line is added) and those data. */
struct text npy_file(unsigned major, const char *header, const void *data, size_t bytes);

/* The same of a descr and a shape, as numpy 1 writes them: npy_of("<u4", "(3,)", values, 12). */
struct text npy_of(const char *descr, const char *shape, const void *data, size_t bytes);

/* A file of an archive. */
struct zip_file_entry {
    const char *name;
    struct text content;
};

/* A zip archive of them by libzip, deflated or stored. */
struct text zip_of(const struct zip_file_entry *entries, unsigned count, bool deflated);

/* Fails the test unless the problem's first fault has that code, and that pointer (NULL: any). */
void assert_first_fault(const struct problem *problem, enum problem_code code, const char *pointer,
                        const char *what);

#endif

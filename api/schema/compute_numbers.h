/* Arrays of numbers on their way from a body to the kind that is wanted. Internal to the schema. */
#ifndef SCHEMA_COMPUTE_NUMBERS_H
#define SCHEMA_COMPUTE_NUMBERS_H

#include "schema/compute_table.h"

/* Numbers as sent. Those of JSON are doubles, gathered into memory of their own. */
struct numbers {
    struct json_node node; /* where they are, for faults; its parent must outlive this */
    enum npy_type type;
    size_t rows, columns;
    bool nested;      /* sent as rows, so that an element's pointer has two indices */
    bool is_json;     /* then what they are is decided by their values */
    const void *data; /* [rows][columns], of any alignment */
    void *owned;      /* memory that the data lie in, or NULL: they are the body's */
};

/* Take an array of the shape that the field asks for, within the limits. false after a fault, with
 * nothing to deinit. Of npy the data are borrowed, or taken over with `owned` (may be NULL; freed
 * also where this fails). */
bool numbers_of_json(struct numbers *numbers, const struct json_node *node,
                     const struct compute_field *field, const struct limits *limits);
bool numbers_of_npy(struct numbers *numbers, const struct json_node *node,
                    const struct npy_array *array, void *owned, const struct compute_field *field,
                    const struct limits *limits);
void numbers_deinit(struct numbers *numbers);

/* What numbers are like, as far as it decides on their kind. */
struct numbers_range {
    bool fraction; /* some are no whole numbers, or all are sent as floats */
    bool negative; /* some are, or all are sent as signed 32-bit */
    bool large;    /* some are above u32, or all are sent as unsigned 64-bit */
};

/* Adds what these are like to `range`. */
void numbers_range_add(struct numbers_range *range, const struct numbers *numbers);

/* The kind for numbers of that range, among those that the bits 1 << kind of `kinds` allow. */
enum compute_kind numbers_kind(struct numbers_range range, unsigned kinds);

/* Makes the array of that kind, without a copy where it is one already. Takes the numbers over.
 * Each must fit the kind exactly, apart from rounding to float32, and what the field asks for;
 * false after faults that name the elements. */
bool numbers_convert(struct compute_array *array, struct numbers *numbers, enum compute_kind kind,
                     const struct compute_field *field);

/* A fault at an element. */
void numbers_fault(const struct numbers *numbers, size_t index, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

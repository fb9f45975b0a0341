/* A table of text: cells are gathered, then printed in columns as wide as they need. */
#ifndef CLIENT_TABLE_H
#define CLIENT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

enum { TABLE_COLUMNS_MAX = 12 };

struct table {
    unsigned columns;
    char **cells; /* row by row, owned */
    size_t count, capacity;
    bool right[TABLE_COLUMNS_MAX]; /* columns of numbers */
    bool failed;                   /* memory ran out: prints what it has */
};

/* Begins with a row of titles, NULL after the last; a title that begins with > names a column of
 * numbers. */
void table_init(struct table *table, const char *const *titles);
void table_deinit(struct table *table);

/* Adds the next cell; a full row starts the next. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes all rows. */
void table_print(const struct table *table, FILE *out);

#endif

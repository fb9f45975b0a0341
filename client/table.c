#include "client/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_MAX = 256, GAP = 2 };

void table_init(struct table *table, const char *const *titles)
{
    *table = (struct table){0};
    for (; titles[table->columns] && table->columns < TABLE_COLUMNS_MAX; table->columns++)
        table->right[table->columns] = titles[table->columns][0] == '>';
    for (unsigned i = 0; i < table->columns; i++)
        table_cell(table, "%s", titles[i] + table->right[i]);
}

void table_deinit(struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (struct table){0};
}

void table_cell(struct table *table, const char *format, ...)
{
    char cell[CELL_MAX];
    va_list list;
    va_start(list, format);
    vsnprintf(cell, sizeof cell, format, list);
    va_end(list);

    // grow by doubling
    if (table->count == table->capacity) {
        size_t capacity = table->capacity ? 2 * table->capacity : 64;
        char **cells = realloc(table->cells, capacity * sizeof *cells);
        if (!cells) {
            table->failed = true;
            return;
        }
        table->cells = cells;
        table->capacity = capacity;
    }
    char *copy = strdup(cell);
    if (!copy) {
        table->failed = true;
        return;
    }
    table->cells[table->count++] = copy;
}

/* Columns that a UTF-8 text takes: continuation bytes take none. */
static int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

void table_print(const struct table *table, FILE *out)
{
    // how wide each column is
    int widths[TABLE_COLUMNS_MAX] = {0};
    for (size_t i = 0; i < table->count; i++) {
        int width = text_width(table->cells[i]);
        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }

    // numbers to the right, words to the left, nothing after the last word of a line
    for (size_t i = 0; i < table->count; i++) {
        unsigned column = (unsigned)(i % table->columns);
        bool last = column + 1 == table->columns || i + 1 == table->count;
        int pad = widths[column] - text_width(table->cells[i]);
        fprintf(out, "%*s%s%*s", table->right[column] ? pad : 0, "", table->cells[i],
                last ? 0 : (table->right[column] ? 0 : pad) + GAP, "");
        if (last)
            fputc('\n', out);
    }
}

#include "client/listing.h"

#include "client/table.h"

#include <math.h>

/* One value as a cell. */
static void cell_add(struct table *table, const struct document_value *item, const char *pointer)
{
    const struct document_value *value = document_at(item, pointer);
    const char *string = document_string(value, "", NULL);
    double number = document_number(value, "", NAN);
    if (string)
        table_cell(table, "%s", string);
    else if (!isnan(number))
        table_cell(table, "%.10g", number);
    else if (document_is_array(value))
        table_cell(table, "%zu", document_length(value));
    else
        table_cell(table, "%s", document_bool(value, "", false) ? "yes" : "-");
}

/* Adds a page's items; returns the name after which the next page begins, NULL after the last. */
static const char *page_add(struct table *table, const struct document_value *page,
                            const struct listing_column *columns)
{
    const struct document_value *items = document_at(page, "/items");
    for (size_t i = 0; i < document_length(items); i++) {
        for (const struct listing_column *column = columns; column->title; column++)
            cell_add(table, document_element(items, i), column->pointer);
    }
    return document_length(items) > 0 ? document_string(page, "/next", NULL) : NULL;
}

enum exit_code listing_print(const struct session *session, const char *collection,
                             const struct listing_column *columns)
{
    const char *titles[TABLE_COLUMNS_MAX + 1] = {NULL};
    for (unsigned i = 0; columns[i].title && i < TABLE_COLUMNS_MAX; i++)
        titles[i] = columns[i].title;
    struct table table;
    table_init(&table, titles);

    // one page after another
    struct text suffix = {0};
    enum exit_code code;
    const char *next;
    do {
        struct client_reply reply;
        text_append(&suffix, "", 1);
        code = session_call(session, "GET", collection, NULL, suffix.failed ? "" : suffix.data,
                            &reply);
        next = NULL;
        if (code == EXIT_SOLVED && session->json)
            session_print_raw(session, &reply);
        else if (code == EXIT_SOLVED)
            next = page_add(&table, client_reply_root(&reply), columns);
        if (next) {
            suffix.length = 0;
            text_print(&suffix, "?after=");
            client_url_append(&suffix, next);
        }
        client_reply_deinit(&reply);
    } while (next && !suffix.failed);

    if (code == EXIT_SOLVED && !session->json)
        table_print(&table, session->out);
    table_deinit(&table);
    text_deinit(&suffix);
    return code;
}

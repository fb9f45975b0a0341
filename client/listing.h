/* Lists of the service as tables, page by page. */
#ifndef CLIENT_LISTING_H
#define CLIENT_LISTING_H

#include "client/session.h"

/* A column: its title as table.h has it, and the JSON Pointer in an item. Strings, whole numbers,
 * booleans and lengths of arrays are shown; absent is "-". */
struct listing_column {
    const char *title, *pointer;
};

/* GETs a collection and prints all its items, or the first page's raw answer with --json. Columns
 * end with a NULL title. */
enum exit_code listing_print(const struct session *session, const char *collection,
                             const struct listing_column *columns);

#endif

#include "service/persistence/blobs.h"

#include <stdio.h>
#include <stdlib.h>

void problem_add_blob(struct problem *problem, enum blob_outcome outcome)
{
    static const struct {
        enum problem_code code;
        const char *words;
    } ROWS[] = {
#define X(constant, code, words) {code, words},
        BLOB_OUTCOMES(X)
#undef X
    };
    problem_add(problem, ROWS[outcome].code, "%s", ROWS[outcome].words);
}

const char *blob_space_text(enum blob_space space)
{
    static const char *const TEXTS[] = {
#define X(constant, text) text,
        BLOB_SPACES(X)
#undef X
    };
    return TEXTS[space];
}

bool blob_list_add(struct blob_list *list, const char *text)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 16;
        char(*items)[BLOB_ID_BYTES] = realloc(list->items, capacity * sizeof(*items));
        if (!items)
            return false;
        list->items = items;
        list->capacity = capacity;
    }
    snprintf(list->items[list->count++], BLOB_ID_BYTES, "%s", text);
    return true;
}

void blob_list_deinit(struct blob_list *list)
{
    free(list->items);
    *list = (struct blob_list){0};
}

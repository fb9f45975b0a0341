#include "service/persistence/blob_references.h"

#include "device/assert.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 64 };

void blob_references_init(struct blob_references *references)
{
    *references = (struct blob_references){0};
    pthread_mutex_init(&references->lock, NULL);
}

void blob_references_deinit(struct blob_references *references)
{
    pthread_mutex_destroy(&references->lock);
    free(references->rows);
}

/* The place of an id, or where it would be. The lock is held. */
static struct blob_reference *place_of(const struct blob_references *references, const char *id)
{
    size_t low = 0, high = references->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(references->rows[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return references->rows + low;
}

/* The row of an id; NULL: there is none. The lock is held. */
static struct blob_reference *find(const struct blob_references *references, const char *id)
{
    struct blob_reference *row = place_of(references, id);
    const bool found = row < references->rows + references->count && strcmp(row->id, id) == 0;
    return found ? row : NULL;
}

/* Enters an id that nothing refers to. NULL: no memory. The lock is held. */
static struct blob_reference *enter(struct blob_references *references, const char *id)
{
    if (references->count == references->capacity) {
        const size_t capacity = references->capacity ? 2 * references->capacity : CAPACITY_MIN;
        struct blob_reference *rows = realloc(references->rows, capacity * sizeof(*rows));
        if (!rows)
            return NULL;
        references->rows = rows;
        references->capacity = capacity;
    }
    struct blob_reference *row = place_of(references, id);
    const size_t behind = (size_t)(references->rows + references->count - row);
    memmove(row + 1, row, behind * sizeof(*row));
    *row = (struct blob_reference){0};
    memcpy(row->id, id, sizeof(row->id));
    references->count++;
    references->garbage++;
    return row;
}

bool blob_references_take(struct blob_references *references, const char *id, bool *written)
{
    PRM_ASSERT(strlen(id) == BLOB_ID_BYTES - 1);
    pthread_mutex_lock(&references->lock);
    struct blob_reference *row = find(references, id);
    if (!row)
        row = enter(references, id);
    if (row) {
        references->garbage -= row->count++ == 0;
        *written = row->written;
    }
    pthread_mutex_unlock(&references->lock);
    return row;
}

void blob_references_written(struct blob_references *references, const char *id)
{
    pthread_mutex_lock(&references->lock);
    find(references, id)->written = true;
    pthread_mutex_unlock(&references->lock);
}

bool blob_references_release(struct blob_references *references, const char *id)
{
    pthread_mutex_lock(&references->lock);
    struct blob_reference *row = find(references, id);
    PRM_ASSERT(row && row->count > 0);
    references->garbage += --row->count == 0;
    const bool garbage = references->garbage > 0;
    pthread_mutex_unlock(&references->lock);
    return garbage;
}

bool blob_references_has(struct blob_references *references, const char *id)
{
    pthread_mutex_lock(&references->lock);
    const struct blob_reference *row = find(references, id);
    const bool has = row && row->count > 0;
    pthread_mutex_unlock(&references->lock);
    return has;
}

void blob_references_collect(struct blob_references *references, struct blobs *blobs)
{
    size_t kept = 0;
    pthread_mutex_lock(&references->lock);
    for (size_t i = 0; i < references->count && references->garbage > 0; i++) {
        if (references->rows[i].count == 0 && blobs)
            blobs->methods->remove(blobs, references->rows[i].id);
    }
    for (size_t i = 0; i < references->count; i++)
        if (references->rows[i].count > 0)
            references->rows[kept++] = references->rows[i];
    references->count = kept;
    references->garbage = 0;
    pthread_mutex_unlock(&references->lock);
}

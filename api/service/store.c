#include "service/store.h"

#include "schema/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 16 };

/* The index of the first entry whose name is not before `name`. */
static size_t lower_bound(const struct store *store, const char *name)
{
    size_t low = 0, high = store->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(store->entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct store_entry *entry_find(const struct store *store, const char *name)
{
    const size_t i = lower_bound(store, name);
    return i < store->count && strcmp(store->entries[i].name, name) == 0 ? &store->entries[i]
                                                                         : NULL;
}

void store_deinit(struct store *store)
{
    for (size_t i = 0; i < store->count; i++)
        version_release(store->entries[i].version);
    free(store->entries);
    *store = (struct store){0};
}

struct version *store_find(const struct store *store, const char *name)
{
    const struct store_entry *entry = entry_find(store, name);
    return entry ? entry->version : NULL;
}

struct version *store_take(const struct store *store, const char *name)
{
    struct version *version = store_find(store, name);
    if (version)
        version_take(version);
    return version;
}

/* Makes room for one more entry. */
static bool reserve(struct store *store)
{
    if (store->count < store->capacity)
        return true;
    const size_t capacity = store->capacity ? 2 * store->capacity : CAPACITY_MIN;
    struct store_entry *entries = realloc(store->entries, capacity * sizeof(*entries));
    if (!entries)
        return false;
    store->entries = entries;
    store->capacity = capacity;
    return true;
}

void store_number(struct store *store, const char *name, struct version *version)
{
    if (version->revision > 0)
        return;
    const struct version *present = store_find(store, name);
    version->created = present ? present->created : clock_calendar();
    version->revision = ++store->last_revision;
}

bool store_put(struct store *store, const char *name, struct version *version,
               struct version **replaced)
{
    struct store_entry *entry = entry_find(store, name);
    *replaced = NULL;
    if (!entry && !reserve(store))
        return false;
    if (entry && entry->version->revision > version->revision)
        version->revision = 0;
    store_number(store, name, version);
    if (entry) {
        *replaced = entry->version;
    } else {
        // the names behind it make room
        const size_t i = lower_bound(store, name);
        entry = &store->entries[i];
        memmove(entry + 1, entry, (store->count - i) * sizeof(*entry));
        snprintf(entry->name, sizeof(entry->name), "%s", name);
        store->count++;
    }
    entry->version = version;
    return true;
}

struct version *store_remove(struct store *store, const char *name)
{
    struct store_entry *entry = entry_find(store, name);
    if (!entry)
        return NULL;
    struct version *version = entry->version;
    const size_t behind = (size_t)(store->entries + store->count - (entry + 1));
    memmove(entry, entry + 1, behind * sizeof(*entry));
    store->count--;
    return version;
}

const struct store_entry *store_next(const struct store *store, const char *prefix,
                                     const char *after)
{
    size_t i = lower_bound(store, strcmp(after, prefix) > 0 ? after : prefix);
    if (i < store->count && *after && strcmp(store->entries[i].name, after) == 0)
        i++;
    if (i == store->count || strncmp(store->entries[i].name, prefix, strlen(prefix)) != 0)
        return NULL;
    return &store->entries[i];
}

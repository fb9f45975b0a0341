/* A store: names and the immutable versions that they stand for at the moment.
 *
 * Readers take a version and keep it as long as they like; replacing swaps the name to another
 * version. Revisions come from one counter a store, so that a name that is deleted and made again
 * never sees one twice. Names are kept in order: lists are pages of it.
 *
 * Cost: a look-up is a binary search; adding moves the names behind it.
 * Threads: none of its own; the owner locks. Versions are counted and safe anywhere (counted.h).
 */
#ifndef SERVICE_STORE_H
#define SERVICE_STORE_H

#include "service/counted.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STORE_NAME_BYTES = 65, FINGERPRINT_BYTES = 65 };

/* The base of a version; the first member of what extends it. */
struct version {
    struct counted counted;
    uint64_t revision;                   /* 0: not numbered yet */
    double created;                      /* calendar time when the name was made */
    char fingerprint[FINGERPRINT_BYTES]; /* SHA-256 of the canonical inputs, hexadecimal */
};

static inline void version_take(struct version *version)
{
    counted_take(&version->counted);
}

/* NULL is accepted. */
static inline void version_release(struct version *version)
{
    if (version)
        counted_release(&version->counted);
}

struct store_entry {
    char name[STORE_NAME_BYTES];
    struct version *version;
};

struct store {
    struct store_entry *entries; /* ascending by name */
    size_t count, capacity;
    uint64_t last_revision;
};

/* Zeroes are an empty store. Releases every version. */
void store_deinit(struct store *store);

/* The version of a name, borrowed while the owner's lock is held; NULL: no such name. */
struct version *store_find(const struct store *store, const char *name);

/* The same, taken for the caller. */
struct version *store_take(const struct store *store, const char *name);

/* Gives a version that is to stand for `name` its revision and when the name was made, where it has
 * none yet. */
void store_number(struct store *store, const char *name, struct version *version);

/* Lets `name` stand for `version`, whose reference the store takes over and which it numbers, anew
 * where what the name stands for has been numbered later: revisions of a name only grow.
 * The version that it stood for goes to *replaced (NULL: none), for the caller to release without
 * the lock. false: no memory for a new name, and nothing is changed; replacing cannot fail. */
bool store_put(struct store *store, const char *name, struct version *version,
               struct version **replaced);

/* Takes a name out and returns its version for the caller to release; NULL: no such name. */
struct version *store_remove(struct store *store, const char *name);

/* The first entry that begins with `prefix` and comes behind `after`; NULL: none. Either text may
 * be empty. */
const struct store_entry *store_next(const struct store *store, const char *prefix,
                                     const char *after);

#endif

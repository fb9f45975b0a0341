/* Goal: names stand for one version at a time; revisions grow and are never met again; pages are in
 * order; every version is freed just once. Method: tables of operations. Oracle: counts by hand. */
#include "service/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static unsigned alive;

static void version_free(struct counted *counted)
{
    alive--;
    free(counted);
}

static struct version *version_new(void)
{
    struct version *version = calloc(1, sizeof(*version));
    assert_non_null(version);
    counted_init(&version->counted, version_free);
    alive++;
    return version;
}

/* Puts a new version and returns its revision; what it replaces is released. */
static uint64_t put(struct store *store, const char *name)
{
    struct version *replaced, *version = version_new();
    assert_true(store_put(store, name, version, &replaced));
    version_release(replaced);
    return version->revision;
}

static void revisions_are_never_used_again(void **state)
{
    (void)state;
    struct store store = {0};
    uint64_t last = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++) {
            const uint64_t revision = put(&store, "w");
            assert_true(revision > last);
            last = revision;
        }
        version_release(store_remove(&store, "w"));
        assert_null(store_find(&store, "w"));
    }
    store_deinit(&store);
    assert_int_equal(alive, 0);
}

static void readers_keep_their_version(void **state)
{
    (void)state;
    struct store store = {0};
    put(&store, "w");
    struct version *old = store_take(&store, "w");
    const double created = old->created;
    put(&store, "w");
    assert_int_equal(alive, 2);
    assert_ptr_not_equal(store_find(&store, "w"), old);
    // the name is as old as it was
    assert_true(store_find(&store, "w")->created == created);
    version_release(old);
    assert_int_equal(alive, 1);
    store_deinit(&store);
    assert_int_equal(alive, 0);
}

static void unknown_names(void **state)
{
    (void)state;
    struct store store = {0};
    assert_null(store_find(&store, "a"));
    assert_null(store_take(&store, "a"));
    assert_null(store_remove(&store, "a"));
    assert_null(store_next(&store, "", ""));
    put(&store, "b");
    assert_null(store_find(&store, "a"));
    assert_null(store_find(&store, "bb"));
    store_deinit(&store);
}

static void names_are_in_order(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    struct store store = {0};
    char name[STORE_NAME_BYTES], last[STORE_NAME_BYTES] = "";
    // 617 and 1000 have no common divisor: each name once, in no order
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(name, sizeof(name), "n%03u", i * 617 % COUNT);
        put(&store, name);
    }
    unsigned count = 0;
    for (const struct store_entry *entry = store_next(&store, "", ""); entry;
         entry = store_next(&store, "", last), count++) {
        snprintf(name, sizeof(name), "n%03u", count);
        assert_string_equal(entry->name, name);
        snprintf(last, sizeof(last), "%s", entry->name);
    }
    assert_int_equal(count, COUNT);

    // every other one goes
    for (unsigned i = 0; i < COUNT; i += 2) {
        snprintf(name, sizeof(name), "n%03u", i);
        version_release(store_remove(&store, name));
    }
    assert_int_equal(store.count, COUNT / 2);
    assert_int_equal(alive, COUNT / 2);
    assert_null(store_find(&store, "n500"));
    assert_non_null(store_find(&store, "n501"));
    store_deinit(&store);
    assert_int_equal(alive, 0);
}

static void pages_by_prefix(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"b", "a-2", "a-1", "ab", "a", "c"};
    static const struct {
        const char *prefix, *after, *next; /* next NULL: none */
    } CASES[] = {
        {"", "", "a"},     {"", "a", "a-1"},     {"", "c", NULL},     {"", "bb", "c"},
        {"a-", "", "a-1"}, {"a-", "a-1", "a-2"}, {"a-", "a-2", NULL}, {"a", "a-2", "ab"},
        {"x", "", NULL},   {"b", "a", "b"},      {"a", "c", NULL},    {"a-", "a", "a-1"},
    };
    struct store store = {0};
    for (unsigned i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        put(&store, NAMES[i]);
    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const struct store_entry *entry = store_next(&store, CASES[i].prefix, CASES[i].after);
        assert_string_equal(entry ? entry->name : "(none)",
                            CASES[i].next ? CASES[i].next : "(none)");
    }
    store_deinit(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(revisions_are_never_used_again),
        cmocka_unit_test(readers_keep_their_version),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(names_are_in_order),
        cmocka_unit_test(pages_by_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "bench.h"
#include "families.h"
#include "primitives/cuckoo.h"
#include "standard.h"

#include <stdlib.h>

/* Queries are as many as keys; std::unordered_map is not asked about more. */
enum { MAP_MAX = 5000000 };

struct tables {
    struct contest *contest;
    size_t count;
    uint32_t *keys, *values, *absent, *out; /* [count] */
    struct prm_buffer d_keys, d_values, d_absent, d_out, d_queries;
    struct prm_cuckoo *table;
    const uint32_t *queries;
    void *map;
};

static void map_drop(struct tables *t)
{
    if (t->map)
        standard.map_destroy(t->map);
    t->map = NULL;
}

static void prepare_build(void *work)
{
    struct tables *t = work;
    prm_cuckoo_destroy(t->table);
    t->table = NULL;
}

static void prepare_map(void *work)
{
    map_drop(work);
}

static void build(void *work)
{
    struct tables *t = work;
    const struct prm_cuckoo_options options = {.seed = 1};
    bench_finish(
        t->contest->context,
        prm_cuckoo_create(t->contest->arena, &t->table, t->d_keys, t->d_values, t->count, &options),
        "cuckoo");
}

static void find(void *work)
{
    struct tables *t = work;
    bench_finish(t->contest->context,
                 prm_cuckoo_find(t->table, t->d_out, PRM_NO_BUFFER, t->d_queries, t->count),
                 "cuckoo");
}

static void map_build(void *work)
{
    struct tables *t = work;
    t->map = standard.map_create(t->keys, t->values, t->count);
}

static void map_find(void *work)
{
    struct tables *t = work;
    standard.map_find(t->map, t->out, t->queries, t->count);
}

static const struct traffic traffic[] = {{"cuckoo_count", 16},
                                         {"cuckoo_place", 28},
                                         {"cuckoo_build", 27},
                                         {"cuckoo_find", 32},
                                         {NULL, 0}};

static void tables_open(struct tables *t, struct contest *contest)
{
    struct prm_context *context = contest->context;
    const size_t n = contest->sizes[contest->size];
    *t = (struct tables){.contest = contest, .count = n};
    t->keys = bench_memory(n * sizeof(uint32_t));
    t->values = bench_memory(n * sizeof(uint32_t));
    t->absent = bench_memory(n * sizeof(uint32_t));
    t->out = bench_memory(n * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++) {
        t->keys[i] = bench_scrambled((uint32_t)i);
        t->values[i] = (uint32_t)i;
        t->absent[i] = bench_scrambled((uint32_t)(i + n));
    }
    t->d_keys = bench_buffer(context, t->keys, n);
    t->d_values = bench_buffer(context, t->values, n);
    t->d_absent = bench_buffer(context, t->absent, n);
    t->d_out = bench_buffer(context, NULL, n);
}

static void tables_close(struct tables *t)
{
    struct prm_context *context = t->contest->context;
    map_drop(t);
    prm_cuckoo_destroy(t->table);
    prm_buffer_destroy(context, &t->d_keys);
    prm_buffer_destroy(context, &t->d_values);
    prm_buffer_destroy(context, &t->d_absent);
    prm_buffer_destroy(context, &t->d_out);
    free(t->keys);
    free(t->values);
    free(t->absent);
    free(t->out);
}

/* How many of the answers of the last look-up are those of `expected` (NULL: absent). */
static size_t right(struct tables *t, const uint32_t *expected)
{
    size_t count = 0;
    bench_must(
        prm_buffer_read(t->contest->context, t->d_out, 0, t->out, t->count * sizeof(uint32_t)),
        "cuckoo");
    for (size_t i = 0; i < t->count; i++)
        count += t->out[i] == (expected ? expected[i] : UINT32_MAX);
    return count;
}

void family_tables(struct contest *contest)
{
    struct tables t;
    tables_open(&t, contest);
    const bool map = standard.map_create && t.count <= MAP_MAX;
    const struct contender builds[] = {
        {"prm", prepare_build, build, traffic, 0},
        {"std::unordered_map", prepare_map, map ? map_build : NULL, NULL, 0}};
    const struct contender finds[] = {{"prm", NULL, find, traffic, 0},
                                      {"std::unordered_map", NULL, map ? map_find : NULL, NULL, 0}};

    contest_measure(contest, "cuckoo build", builds, COUNT_OF(builds), &t);
    const struct prm_cuckoo_statistics statistics = prm_cuckoo_statistics(t.table);
    contest_note(contest, "cuckoo build", "prm", "%u attempts, %.1f bytes a key",
                 statistics.attempts, (double)statistics.bytes / (double)t.count);
    t.d_queries = t.d_keys;
    t.queries = t.keys;
    contest_measure(contest, "cuckoo find, all present", finds, COUNT_OF(finds), &t);
    contest_note(contest, "cuckoo find, all present", "prm", "%zu found", right(&t, t.values));
    t.d_queries = t.d_absent;
    t.queries = t.absent;
    contest_measure(contest, "cuckoo find, all absent", finds, COUNT_OF(finds), &t);
    contest_note(contest, "cuckoo find, all absent", "prm", "%zu absent", right(&t, NULL));
    tables_close(&t);
}

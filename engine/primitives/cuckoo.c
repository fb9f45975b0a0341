/* The cuckoo hash table: attempts of a build, and what went wrong; the work is in
 * kernels/cuckoo.cl. */
#include "primitives/cuckoo.h"

#include "device/assert.h"
#include "device/launch.h"
#include "device/try.h"
#include "kernels/cuckoo_types.h"
#include "primitives/chunks.h"
#include "primitives/compact.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"

#include <math.h>
#include <stdlib.h>

/* A row of functions, in words of 32 bits. */
enum { FUNCTION_WORDS = 2 * CUCKOO_ROW_WORDS };

static const struct prm_cuckoo_options DEFAULTS = {
    .bucket_load = 0.7f, .gamma = 0.3f, .seed = 0, .attempts_max = 64};

struct prm_cuckoo {
    struct prm_context *context;
    struct prm_buffer slots, functions, side;
    struct hash_function level1; /* c1 is 0: k mod buckets */
    uint32_t size;               /* slots of one of the three tables of a bucket */
    struct prm_cuckoo_statistics statistics;
};

/* A build in progress: the input, and scratch of one attempt after another. */
struct build {
    struct prm_arena *arena;
    struct prm_cuckoo *table;
    struct prm_buffer keys, values;
    struct prm_buffer offsets; /* u32[buckets + 1]: counts, then their scan */
    struct prm_buffer places, items, status;
    size_t count;
    struct prm_cuckoo_options options;
};

/* Fills in the defaults of members that are 0. */
static enum prm_status choose_options(struct prm_cuckoo_options *options)
{
    if (options->bucket_load == 0.0f)
        options->bucket_load = DEFAULTS.bucket_load;
    if (options->gamma == 0.0f)
        options->gamma = DEFAULTS.gamma;
    if (options->attempts_max == 0)
        options->attempts_max = DEFAULTS.attempts_max;
    if (!(options->bucket_load > 0.0f && options->bucket_load < 1.0f))
        return prm_fault_set(PRM_INVALID_ARGUMENT, "the bucket load is %g, not between 0 and 1",
                             (double)options->bucket_load);
    if (!(options->gamma > 0.0f && options->gamma < 1.0f))
        return prm_fault_set(PRM_INVALID_ARGUMENT, "gamma is %g, not between 0 and 1",
                             (double)options->gamma);
    return PRM_OK;
}

/* Sizes the table and takes its memory. */
static enum prm_status allocate(struct build *build)
{
    struct prm_cuckoo *table = build->table;
    const double load = (double)CUCKOO_BUCKET_KEYS * (double)build->options.bucket_load;
    const double buckets = ceil((double)build->count / load);
    const double capacity = CUCKOO_BUCKET_KEYS * (1.0 + (double)build->options.gamma);
    enum prm_status status = PRM_OK;

    if (buckets * FUNCTION_WORDS > (double)PRM_COUNT_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED,
                             "%zu keys at a bucket load of %g need %.0f buckets, more than %zu",
                             build->count, (double)build->options.bucket_load, buckets,
                             PRM_COUNT_MAX / FUNCTION_WORDS);
    table->size = (uint32_t)ceil(capacity / HASH_TABLES);
    PRM_ASSERT(table->size <= CUCKOO_TABLE_MAX);
    table->statistics.buckets = buckets < 1.0 ? 1 : (uint32_t)buckets;
    const size_t rows = table->statistics.buckets;
    const size_t slots_bytes = prm_words(rows * HASH_TABLES * table->size * CUCKOO_SLOT_WORDS);
    TRY(prm_buffer_create(table->context, &table->slots, slots_bytes));
    TRY(prm_buffer_create(table->context, &table->functions, prm_words(rows * FUNCTION_WORDS)));
    TRY(prm_buffer_create(table->context, &table->side, prm_words(CUCKOO_SIDE_WORDS)));
    table->statistics.bytes = slots_bytes + prm_words(rows * FUNCTION_WORDS + CUCKOO_SIDE_WORDS);

    TRY(prm_buffer_fill_u32(table->context, table->functions, 0, 0, rows * FUNCTION_WORDS));
    TRY(prm_arena_take(build->arena, &build->offsets, prm_words(rows + 1)));
    TRY(prm_arena_take(build->arena, &build->places, prm_words(build->count)));
    TRY(prm_arena_take(build->arena, &build->items, prm_words(CUCKOO_ITEM_WORDS * build->count)));
    TRY(prm_arena_take(build->arena, &build->status, prm_words(CUCKOO_STATUS_WORDS)));
cleanup:
    return status;
}

/* Level 1: keys to buckets by the table's function. */
static enum prm_status spread(struct build *build)
{
    struct prm_cuckoo *table = build->table;
    struct prm_context *context = table->context;
    const struct prm_profile *profile = prm_context_profile(context);
    const uint32_t buckets = table->statistics.buckets;
    enum prm_status status = PRM_OK;

    TRY(prm_buffer_fill_u32(context, build->offsets, 0, 0, buckets + 1));
    TRY(prm_buffer_fill_u32(context, build->status, 0, 0, CUCKOO_STATUS_WORDS));
    TRY(prm_buffer_fill_u32(context, table->side, 0, 0, CUCKOO_SIDE_WORDS));
    if (build->count == 0)
        goto cleanup;
    const struct prm_chunks chunks = prm_chunks_of(profile, build->count, 0);
    const size_t items = (size_t)chunks.count * profile->workgroup;
    TRY(prm_launch(context, PRM_KERNEL_CUCKOO_COUNT, NULL, items, profile->workgroup,
                   ARGS(ARG_BUFFER(build->offsets), ARG_BUFFER(build->places),
                        ARG_BUFFER(table->side), ARG_BUFFER(build->status), ARG_BUFFER(build->keys),
                        ARG_BUFFER(build->values), ARG_U32(table->level1.c0),
                        ARG_U32(table->level1.c1), ARG_U32(buckets),
                        ARG_U32((uint32_t)build->count), ARG_U32(chunks.length))));
    TRY(prm_scan_exclusive(build->arena, build->offsets, build->offsets, buckets, PRM_SCAN_AUTO));
    TRY(prm_launch(context, PRM_KERNEL_CUCKOO_PLACE, NULL, items, profile->workgroup,
                   ARGS(ARG_BUFFER(build->items), ARG_BUFFER(build->offsets),
                        ARG_BUFFER(build->places), ARG_BUFFER(build->keys),
                        ARG_BUFFER(build->values), ARG_U32(table->level1.c0),
                        ARG_U32(table->level1.c1), ARG_U32(buckets),
                        ARG_U32((uint32_t)build->count), ARG_U32(chunks.length))));
cleanup:
    return status;
}

/* One attempt; reads back how it went, the one read-back of a build that goes well. */
static enum prm_status attempt(struct build *build, uint32_t number,
                               uint32_t found[CUCKOO_STATUS_WORDS])
{
    enum { RUNS_A_CHUNK = 4 };
    struct prm_cuckoo *table = build->table;
    const struct prm_profile *profile = prm_context_profile(table->context);
    const uint32_t buckets = table->statistics.buckets;
    enum prm_status status = PRM_OK;

    // buckets take turns among more groups than there are chunks, since they differ in work
    const uint32_t groups_max = profile->chunks * RUNS_A_CHUNK;
    const uint32_t run = (uint32_t)prm_ceil_div(buckets, groups_max);
    const size_t groups = prm_ceil_div(buckets, run);
    TRY(spread(build));
    TRY(prm_launch(table->context, PRM_KERNEL_CUCKOO_BUILD, NULL, groups * profile->workgroup,
                   profile->workgroup,
                   ARGS(ARG_BUFFER(table->slots), ARG_BUFFER(table->functions),
                        ARG_BUFFER(build->status), ARG_BUFFER(build->offsets),
                        ARG_BUFFER(build->items), ARG_U64(build->options.seed), ARG_U32(number),
                        ARG_U32(table->size), ARG_U32(buckets), ARG_U32(run))));
    TRY(prm_buffer_read(table->context, build->status, 0, found, prm_words(CUCKOO_STATUS_WORDS)));
cleanup:
    return status;
}

/* Looks for a repeated key by a sort and names the first two positions of the least one.
 * Read-backs: one, and three more on finding one. */
static enum prm_status check_distinct(struct build *build)
{
    struct prm_context *context = build->table->context;
    const struct prm_arena_mark mark = prm_arena_mark(build->arena);
    enum prm_status status = PRM_OK;

    struct prm_buffer sorted, inverse, repeats, survivors;
    TRY(prm_arena_take(build->arena, &sorted, prm_words(build->count)));
    TRY(prm_arena_take(build->arena, &inverse, prm_words(build->count)));
    TRY(prm_arena_take(build->arena, &repeats, prm_words(build->count)));
    TRY(prm_arena_take(build->arena, &survivors, prm_words(1)));
    TRY(prm_buffer_copy(context, sorted, 0, build->keys, 0, prm_words(build->count)));
    TRY(prm_radix_sort(build->arena, sorted, PRM_NO_BUFFER, PRM_NO_BUFFER, inverse, build->count,
                       NULL));
    TRY(prm_find_repeats(build->arena, repeats, survivors, sorted, build->count));
    uint32_t count, first, key, positions[2];
    TRY(prm_buffer_read(context, survivors, 0, &count, sizeof(count)));
    if (count > 0) {
        TRY(prm_buffer_read(context, repeats, 0, &first, sizeof(first)));
        TRY(prm_buffer_read(context, inverse, prm_words(first), positions, sizeof(positions)));
        TRY(prm_buffer_read(context, sorted, prm_words(first), &key, sizeof(key)));
        status = prm_fault_set_element(PRM_INVALID_ARGUMENT, "keys", positions[1],
                                       "key %u is at positions %u and %u", key, positions[0],
                                       positions[1]);
    }
cleanup:
    prm_arena_rewind(build->arena, mark);
    return status;
}

/* Attempts until one goes well. */
static enum prm_status build_table(struct build *build)
{
    struct prm_cuckoo *table = build->table;
    bool distinct = false;
    enum prm_status status = PRM_OK;

    TRY(allocate(build));
    for (uint32_t number = 0; number < build->options.attempts_max; number++) {
        uint32_t found[CUCKOO_STATUS_WORDS];
        table->statistics.attempts = number + 1;
        TRY(attempt(build, number, found));
        const bool failed = found[CUCKOO_OVERFLOW] != 0 || found[CUCKOO_UNBUILT] != 0;
        const bool repeated = found[CUCKOO_DUPLICATE] != 0 || found[CUCKOO_EMPTY_KEYS] > 1;
        if (!failed && !repeated)
            goto cleanup;

        // many equal keys look like bad luck, so that is found out once
        if (repeated || !distinct)
            TRY(check_distinct(build));
        distinct = true;
        uint32_t words[4];
        random_philox(words, number, 0, 0, 0, (uint32_t)build->options.seed,
                      (uint32_t)(build->options.seed >> 32));
        table->level1 = hash_function_of(words[0], words[1]);
    }
    status = prm_fault_set(
        PRM_LIMIT_EXCEEDED,
        "no hash table of %zu keys was found in %u attempts at bucket load %g and gamma %g: "
        "lower the bucket load, raise gamma, or allow more attempts",
        build->count, build->options.attempts_max, (double)build->options.bucket_load,
        (double)build->options.gamma);
cleanup:
    return status;
}

enum prm_status prm_cuckoo_create(struct prm_arena *arena, struct prm_cuckoo **table,
                                  struct prm_buffer keys, struct prm_buffer values, size_t count,
                                  const struct prm_cuckoo_options *options)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct build build = {.arena = arena, .keys = keys, .values = values, .count = count};
    enum prm_status status = PRM_OK;

    *table = NULL;
    build.options = options ? *options : DEFAULTS;
    TRY(prm_count_check(count));
    TRY(choose_options(&build.options));
    PRM_ASSERT(keys.bytes >= prm_words(count));
    PRM_ASSERT(values.memory == NULL || values.bytes >= prm_words(count));
    build.table = calloc(1, sizeof(*build.table));
    if (build.table == NULL) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a hash table");
        goto cleanup;
    }
    build.table->context = prm_arena_context(arena);
    TRY(build_table(&build));
    *table = build.table;
cleanup:
    if (status != PRM_OK)
        prm_cuckoo_destroy(build.table);
    prm_arena_rewind(arena, mark);
    return status;
}

void prm_cuckoo_destroy(struct prm_cuckoo *table)
{
    if (table == NULL)
        return;
    prm_buffer_destroy(table->context, &table->slots);
    prm_buffer_destroy(table->context, &table->functions);
    prm_buffer_destroy(table->context, &table->side);
    free(table);
}

enum prm_status prm_cuckoo_find(const struct prm_cuckoo *table, struct prm_buffer out,
                                struct prm_buffer present, struct prm_buffer queries, size_t count)
{
    const struct prm_profile *profile = prm_context_profile(table->context);
    const enum prm_status status = prm_count_check(count);
    if (status != PRM_OK || count == 0)
        return status;
    PRM_ASSERT(out.bytes >= prm_words(count) && queries.bytes >= prm_words(count));
    PRM_ASSERT(present.memory == NULL || present.bytes >= prm_words(count));

    const struct prm_chunks chunks = prm_chunks_of(profile, count, 0);
    return prm_launch(
        table->context, PRM_KERNEL_CUCKOO_FIND, NULL, (size_t)chunks.count * profile->workgroup,
        profile->workgroup,
        ARGS(ARG_BUFFER(out), ARG_BUFFER(present), ARG_BUFFER(queries), ARG_BUFFER(table->slots),
             ARG_BUFFER(table->functions), ARG_BUFFER(table->side), ARG_U32(table->level1.c0),
             ARG_U32(table->level1.c1), ARG_U32(table->size), ARG_U32(table->statistics.buckets),
             ARG_U32((uint32_t)count), ARG_U32(chunks.length)));
}

struct prm_cuckoo_statistics prm_cuckoo_statistics(const struct prm_cuckoo *table)
{
    return table->statistics;
}

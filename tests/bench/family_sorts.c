#include "bench.h"
#include "families.h"
#include "plain.h"
#include "primitives/segmented_sort.h"
#include "standard.h"

#include <stdlib.h>
#include <string.h>

/* Groups of few and of many; they divide all sizes, about. */
enum { SMALL_GROUP = 32, LARGE_GROUP = 1024 };

struct sorts {
    struct contest *contest;
    size_t count, group;
    const uint32_t *source; /* [count] */
    uint32_t *keys, *spare; /* [count] */
    struct pair *pairs, *spare_pairs;
    uint64_t *words;
    struct prm_buffer d_source, d_indices, d_keys, d_values;
};

/* ---- every run sorts the same ---- */

static void prepare_device(void *work)
{
    struct sorts *s = work;
    struct prm_context *context = s->contest->context;
    const size_t bytes = s->count * sizeof(uint32_t);
    bench_must(prm_buffer_copy(context, s->d_keys, 0, s->d_source, 0, bytes), "sort");
    bench_finish(context, prm_buffer_copy(context, s->d_values, 0, s->d_indices, 0, bytes), "sort");
}

static void prepare_keys(void *work)
{
    struct sorts *s = work;
    memcpy(s->keys, s->source, s->count * sizeof *s->keys);
}

static void prepare_pairs(void *work)
{
    struct sorts *s = work;
    for (size_t i = 0; i < s->count; i++)
        s->pairs[i] = (struct pair){s->source[i], (uint32_t)i};
}

static void prepare_words(void *work)
{
    struct sorts *s = work;
    for (size_t i = 0; i < s->count; i++)
        s->words[i] = (uint64_t)s->source[i] << 32 | i;
}

/* ---- ours ---- */

static void sort(struct sorts *s, struct prm_buffer values, enum prm_key_type type)
{
    const struct prm_sort_options options = {.type = type};
    bench_finish(s->contest->context,
                 prm_radix_sort(s->contest->arena, s->d_keys, values, PRM_NO_BUFFER, PRM_NO_BUFFER,
                                s->count, &options),
                 "sort");
}

static void sort_keys(void *work)
{
    sort(work, PRM_NO_BUFFER, PRM_KEY_U32);
}

static void sort_floats(void *work)
{
    sort(work, PRM_NO_BUFFER, PRM_KEY_F32);
}

static void sort_pairs(void *work)
{
    struct sorts *s = work;
    sort(s, s->d_values, PRM_KEY_U32);
}

static void sort_permutation(void *work)
{
    struct sorts *s = work;
    bench_finish(s->contest->context,
                 prm_radix_sort(s->contest->arena, s->d_keys, PRM_NO_BUFFER, s->d_values,
                                PRM_NO_BUFFER, s->count, NULL),
                 "sort");
}

static void sort_groups(void *work)
{
    struct sorts *s = work;
    const size_t whole = s->count / s->group * s->group;
    bench_finish(s->contest->context,
                 prm_radix_sort_segments(s->contest->arena, s->d_keys, PRM_NO_BUFFER, PRM_NO_BUFFER,
                                         PRM_NO_BUFFER, whole, s->group, NULL),
                 "sort");
}

static void sort_groups_of_pairs(void *work)
{
    struct sorts *s = work;
    const size_t whole = s->count / s->group * s->group;
    bench_finish(s->contest->context,
                 prm_radix_sort_segments(s->contest->arena, s->d_keys, s->d_values, PRM_NO_BUFFER,
                                         PRM_NO_BUFFER, whole, s->group, NULL),
                 "sort");
}

static void split(void *work)
{
    struct sorts *s = work;
    bench_finish(s->contest->context,
                 prm_split_by_bit(s->contest->arena, s->d_keys, PRM_NO_BUFFER, s->d_values,
                                  s->d_source, s->count, 0),
                 "split");
}

/* ---- peers ---- */

static void standard_keys(void *work)
{
    struct sorts *s = work;
    standard.sort_keys(s->keys, s->count);
}

static void standard_pairs(void *work)
{
    struct sorts *s = work;
    standard.sort_pairs(s->pairs, s->count);
}

static void standard_groups(void *work)
{
    struct sorts *s = work;
    standard.sort_groups(s->keys, s->count / s->group * s->group, s->group);
}

static void spread_keys(void *work)
{
    struct sorts *s = work;
    standard.spread_sort_keys(s->keys, s->count);
}

static void spread_words(void *work)
{
    struct sorts *s = work;
    standard.spread_sort_words(s->words, s->count);
}

static void plain_keys_one(void *work)
{
    struct sorts *s = work;
    plain_sort_keys(s->keys, s->spare, s->count, 1);
}

static void plain_keys_two(void *work)
{
    struct sorts *s = work;
    plain_sort_keys(s->keys, s->spare, s->count, 2);
}

static void plain_pairs_one(void *work)
{
    struct sorts *s = work;
    plain_sort_pairs(s->pairs, s->spare_pairs, s->count, 1);
}

static void plain_pairs_two(void *work)
{
    struct sorts *s = work;
    plain_sort_pairs(s->pairs, s->spare_pairs, s->count, 2);
}

/* ---- the operations ---- */

static const struct traffic traffic_keys[] = {{"radix_vary", 4},     {"radix_count", 4},
                                              {"radix_reorder", 8},  {"radix_rank", 8},
                                              {"radix_segments", 8}, {NULL, 0}};
static const struct traffic traffic_pairs[] = {
    {"radix_vary", 4},           {"radix_count", 4},
    {"radix_reorder", 16},       {"radix_rank", 16},
    {"radix_segments", 16},      {"permutation_invert", 8},
    {"permutation_identity", 4}, {NULL, 0}};

/* The larger arrays are those of the peers for pairs. */
static void sorts_open(struct sorts *s, struct contest *contest)
{
    struct prm_context *context = contest->context;
    const size_t n = contest->sizes[contest->size];
    uint64_t state = 7;
    *s = (struct sorts){.contest = contest, .count = n};
    uint32_t *source = bench_memory(n * sizeof *source);
    s->keys = bench_memory(n * sizeof *s->keys);
    s->spare = bench_memory(n * sizeof *s->spare);
    s->pairs = bench_memory(n * sizeof *s->pairs);
    s->spare_pairs = bench_memory(n * sizeof *s->spare_pairs);
    s->words = bench_memory(n * sizeof *s->words);
    for (size_t i = 0; i < n; i++) {
        source[i] = (uint32_t)(bench_random(&state) >> 32);
        s->keys[i] = (uint32_t)i;
    }
    s->source = source;
    s->d_source = bench_buffer(context, source, n);
    s->d_indices = bench_buffer(context, s->keys, n);
    s->d_keys = bench_buffer(context, NULL, n);
    s->d_values = bench_buffer(context, NULL, n);
}

static void sorts_close(struct sorts *s)
{
    prm_buffer_destroy(s->contest->context, &s->d_source);
    prm_buffer_destroy(s->contest->context, &s->d_indices);
    prm_buffer_destroy(s->contest->context, &s->d_keys);
    prm_buffer_destroy(s->contest->context, &s->d_values);
    free((uint32_t *)s->source);
    free(s->keys);
    free(s->spare);
    free(s->pairs);
    free(s->spare_pairs);
    free(s->words);
}

/* Whether all sorted the same: a peer that does not is no peer. */
static void keys_compare(struct sorts *s)
{
    const size_t bytes = s->count * sizeof(uint32_t);
    prepare_keys(s);
    plain_keys_one(s);
    prepare_pairs(s);
    plain_pairs_two(s);
    prepare_device(s);
    sort_pairs(s);
    bench_must(prm_buffer_read(s->contest->context, s->d_keys, 0, s->spare, bytes), "sort");
    bool same = memcmp(s->keys, s->spare, bytes) == 0;
    bench_must(prm_buffer_read(s->contest->context, s->d_values, 0, s->spare, bytes), "sort");
    for (size_t i = 0; i < s->count; i++)
        same = same && s->pairs[i].key == s->keys[i] && s->pairs[i].value == s->spare[i];
    if (!same)
        bench_must(prm_fault_set(PRM_DEVICE_FAILED, "the sorts differ"), "sort");
}

void family_sorts(struct contest *contest)
{
    struct sorts s;
    sorts_open(&s, contest);
    const struct contender keys[] = {
        {"prm", prepare_device, sort_keys, traffic_keys, 0},
        {"plain radix, 2 threads", prepare_keys, plain_keys_two, NULL, 0},
        {"plain radix", prepare_keys, plain_keys_one, NULL, 0},
        {"spreadsort", prepare_keys, standard.spread_sort_keys ? spread_keys : NULL, NULL, 0},
        {"std::sort", prepare_keys, standard.sort_keys ? standard_keys : NULL, NULL, 0}};
    const struct contender pairs[] = {
        {"prm", prepare_device, sort_pairs, traffic_pairs, 0},
        {"plain radix, 2 threads", prepare_pairs, plain_pairs_two, NULL, 0},
        {"plain radix", prepare_pairs, plain_pairs_one, NULL, 0},
        {"spreadsort of u64", prepare_words, standard.spread_sort_words ? spread_words : NULL, NULL,
         0},
        {"std::sort", prepare_pairs, standard.sort_pairs ? standard_pairs : NULL, NULL, 0}};
    const struct contender floats[] = {{"prm", prepare_device, sort_floats, traffic_keys, 0}};
    const struct contender permutations[] = {
        {"prm", prepare_device, sort_permutation, traffic_pairs, 0}};
    const struct contender groups[] = {
        {"prm", prepare_device, sort_groups, traffic_keys, 0},
        {"std::sort", prepare_keys, standard.sort_groups ? standard_groups : NULL, NULL, 0}};
    const struct contender groups_of_pairs[] = {
        {"prm", prepare_device, sort_groups_of_pairs, traffic_pairs, 0}};
    const struct contender splits[] = {{"prm", NULL, split, traffic_keys, 0}};

    keys_compare(&s);
    contest_measure(contest, "sort u32 keys", keys, COUNT_OF(keys), &s);
    contest_measure(contest, "sort u32 pairs", pairs, COUNT_OF(pairs), &s);
    contest_measure(contest, "sort f32 keys", floats, 1, &s);
    contest_measure(contest, "sort, permutation", permutations, 1, &s);
    s.group = SMALL_GROUP;
    contest_measure(contest, "sort groups of 32", groups, COUNT_OF(groups), &s);
    contest_measure(contest, "sort groups of 32, pairs", groups_of_pairs, 1, &s);
    s.group = LARGE_GROUP;
    contest_measure(contest, "sort groups of 1024", groups, COUNT_OF(groups), &s);
    contest_measure(contest, "split by a bit", splits, 1, &s);
    sorts_close(&s);
}

#include "bench.h"
#include "families.h"
#include "kernels/rank_types.h"
#include "plain.h"
#include "primitives/compact.h"
#include "primitives/histogram.h"
#include "primitives/random.h"
#include "primitives/rank.h"
#include "primitives/scan.h"
#include "standard.h"

#include <stdlib.h>

enum { GROUP = 100, FEW_BINS = 256, SOME_BINS = 65536, DIMENSION = 3, ROUNDS_TOLD = 1000000 };

/* What all operations work on. */
struct lists {
    struct contest *contest;
    size_t count;
    uint32_t *in, *flags, *next, *skewed, *out; /* [count], the last one more */
    uint32_t head, bins;
    struct prm_buffer d_in, d_flags, d_next, d_values, d_out, d_more, d_most, d_few;
    struct prm_rank_result ranked;
};

/* ---- ours ---- */

static void scan(void *work)
{
    struct lists *l = work;
    bench_finish(l->contest->context,
                 prm_scan_exclusive(l->contest->arena, l->d_out, l->d_in, l->count, PRM_SCAN_AUTO),
                 "scan");
}

static void scan_groups(void *work)
{
    struct lists *l = work;
    bench_finish(
        l->contest->context,
        prm_scan_segments(l->contest->arena, l->d_out, l->d_in, l->count, GROUP, PRM_SCAN_AUTO),
        "scan");
}

static void compact(void *work)
{
    struct lists *l = work;
    bench_finish(l->contest->context,
                 prm_compact_values(l->contest->arena, l->d_out, PRM_NO_BUFFER, l->d_few, l->d_in,
                                    l->d_flags, l->count),
                 "compact");
}

static void compact_groups(void *work)
{
    struct lists *l = work;
    bench_finish(l->contest->context,
                 prm_compact_segments(l->contest->arena, l->d_out, l->d_more, l->d_in, l->d_flags,
                                      l->count, GROUP),
                 "compact");
}

static void unique(void *work)
{
    struct lists *l = work;
    bench_finish(l->contest->context,
                 prm_unique_sorted(l->contest->arena, l->d_out, l->d_more, l->d_most, l->d_few,
                                   l->d_values, l->count),
                 "unique");
}

static void histogram(void *work)
{
    struct lists *l = work;
    bench_finish(l->contest->context,
                 prm_histogram_u32(l->contest->arena, l->d_more, l->d_values, l->count, l->bins),
                 "histogram");
}

static void rank(void *work)
{
    struct lists *l = work;
    bench_finish(
        l->contest->context,
        prm_rank(l->contest->arena, l->d_out, l->d_next, PRM_NO_BUFFER, l->count, &l->ranked),
        "rank");
}

static void random_words(void *work)
{
    struct lists *l = work;
    bench_finish(l->contest->context, prm_random_words(l->contest->arena, l->d_out, l->count, 1, 0),
                 "random");
}

static void random_philox(void *work)
{
    struct lists *l = work;
    bench_finish(l->contest->context,
                 prm_random_philox(l->contest->arena, l->d_out, l->count, 1, 0), "random");
}

static void random_normal(void *work)
{
    struct lists *l = work;
    bench_finish(l->contest->context,
                 prm_random_normal(l->contest->arena, l->d_out, l->count, 1, 0, PRM_PHILOX),
                 "random");
}

static void random_halton(void *work)
{
    struct lists *l = work;
    bench_finish(
        l->contest->context,
        prm_random_halton(l->contest->arena, l->d_out, l->count / DIMENSION, DIMENSION, 1, 0),
        "halton");
}

/* ---- peers ---- */

static void scan_standard(void *work)
{
    struct lists *l = work;
    standard.exclusive_scan(l->out, l->in, l->count);
}

static void compact_plain(void *work)
{
    struct lists *l = work;
    plain_compact(l->out, l->in, l->flags, l->count);
}

static void histogram_plain(void *work)
{
    struct lists *l = work;
    plain_histogram(l->out, l->bins, l->skewed, l->count);
}

static void rank_plain(void *work)
{
    struct lists *l = work;
    plain_rank(l->out, l->next, l->head, l->count);
}

static void random_standard(void *work)
{
    struct lists *l = work;
    standard.random_words(l->out, l->count, 1);
}

/* ---- the operations ---- */

/* What kernels move, bytes an element; half of the elements survive compaction. */
static const struct traffic traffic[] = {{"scan_reduce", 4},
                                         {"scan_chunks", 8},
                                         {"scan_segments", 8},
                                         {"compact_count", 4},
                                         {"compact_chunks", 10},
                                         {"compact_segments", 10},
                                         {"histogram_local", 4},
                                         {"histogram_global", 4},
                                         {"random_stream", 4},
                                         {"random_halton_rows", 4},
                                         {"random_counters", 4},
                                         {"scan_segments_packed", 8},
                                         {"compact_segments_packed", 10},
                                         {NULL, 0}};
/* Distinct values of a sorted array in runs of two: reads twice, writes value, start and length. */
static const struct traffic traffic_unique[] = {
    {"compact_count", 4}, {"compact_chunks", 8}, {"compact_run_lengths", 4}, {NULL, 0}};

/* Of one long list. The ranks are laid out by one fill of three, the others are of a few words;
 * walks read each element's next, and write its rank the second time; the pairs are one a span. */
static const struct traffic traffic_rank[] = {{"fill_u32", 4.0 / 3},
                                              {"rank_contract", 4 + 8.0 / RANK_SPAN},
                                              {"rank_round", 24.0 / RANK_SPAN},
                                              {"rank_spread", 8 + 8.0 / RANK_SPAN},
                                              {"rank_rest", 4},
                                              {NULL, 0}};

static void lists_open(struct lists *l, struct contest *contest)
{
    struct prm_context *context = contest->context;
    const size_t n = contest->sizes[contest->size];
    uint64_t state = 7;
    *l = (struct lists){.contest = contest, .count = n};
    l->in = bench_memory(n * sizeof(uint32_t));
    l->flags = bench_memory(n * sizeof(uint32_t));
    l->next = bench_memory(n * sizeof(uint32_t));
    l->skewed = bench_memory(n * sizeof(uint32_t));
    l->out = bench_memory((n > SOME_BINS ? n + 1 : SOME_BINS) * sizeof(uint32_t));

    // numbers, coins, and one list that visits all elements in random order
    for (size_t i = 0; i < n; i++) {
        const uint64_t drawn = bench_random(&state);
        l->in[i] = (uint32_t)drawn;
        l->flags[i] = (uint32_t)(drawn >> 63);
        l->out[i] = (uint32_t)i;
    }
    for (size_t i = n; i > 1; i--) {
        const size_t j = bench_random(&state) % i;
        const uint32_t swap = l->out[i - 1];
        l->out[i - 1] = l->out[j];
        l->out[j] = swap;
    }
    l->head = l->out[0];
    for (size_t i = 0; i < n; i++)
        l->next[l->out[i]] = l->out[i + 1 < n ? i + 1 : i];

    l->d_in = bench_buffer(context, l->in, n);
    l->d_flags = bench_buffer(context, l->flags, n);
    l->d_next = bench_buffer(context, l->next, n);
    l->d_values = bench_buffer(context, NULL, n);
    l->d_out = bench_buffer(context, NULL, n + 1);
    l->d_more = bench_buffer(context, NULL, n > SOME_BINS ? n : SOME_BINS);
    l->d_most = bench_buffer(context, NULL, n);
    l->d_few = bench_buffer(context, NULL, 1);
}

static void lists_close(struct lists *l)
{
    struct prm_buffer *buffers[] = {&l->d_in,  &l->d_flags, &l->d_next, &l->d_values,
                                    &l->d_out, &l->d_more,  &l->d_most, &l->d_few};
    for (unsigned i = 0; i < COUNT_OF(buffers); i++)
        prm_buffer_destroy(l->contest->context, buffers[i]);
    free(l->in);
    free(l->flags);
    free(l->next);
    free(l->skewed);
    free(l->out);
}

/* A histogram of values that are uniform below `bins`, or all in one of them. */
static void histogram_measure(struct lists *l, const char *operation, uint32_t bins, bool uniform)
{
    const struct contender contenders[] = {{"prm", NULL, histogram, traffic, 0},
                                           {"plain loop", NULL, histogram_plain, NULL, 0}};
    l->bins = bins;
    for (size_t i = 0; i < l->count; i++)
        l->skewed[i] = uniform ? l->in[i] % bins : bins / 2;
    bench_must(prm_buffer_write(l->contest->context, l->d_values, 0, l->skewed,
                                l->count * sizeof(uint32_t)),
               operation);
    contest_measure(l->contest, operation, contenders, COUNT_OF(contenders), l);
}

void family_lists(struct contest *contest)
{
    struct lists l;
    lists_open(&l, contest);
    const struct contender scans[] = {
        {"prm", NULL, scan, traffic, 0},
        {"std::exclusive_scan", NULL, standard.exclusive_scan ? scan_standard : NULL, NULL, 0}};
    const struct contender scans_of_groups[] = {{"prm", NULL, scan_groups, traffic, 0}};
    const struct contender compactions[] = {{"prm", NULL, compact, traffic, 0},
                                            {"plain loop", NULL, compact_plain, NULL, 0}};
    const struct contender compactions_of_groups[] = {{"prm", NULL, compact_groups, traffic, 0}};
    const struct contender uniques[] = {{"prm", NULL, unique, traffic_unique, 0}};
    const struct contender ranks[] = {{"prm", NULL, rank, traffic_rank, 0},
                                      {"plain walk", NULL, rank_plain, NULL, 0}};
    const struct contender words[] = {
        {"prm", NULL, random_words, traffic, 0},
        {"std::mt19937", NULL, standard.random_words ? random_standard : NULL, NULL, 0}};
    const struct contender philoxes[] = {{"prm", NULL, random_philox, traffic, 0}};
    const struct contender normals[] = {{"prm", NULL, random_normal, traffic, 0}};
    const struct contender haltons[] = {{"prm", NULL, random_halton, traffic, 0}};

    contest_measure(contest, "exclusive scan", scans, COUNT_OF(scans), &l);
    contest_measure(contest, "scan, groups of 100", scans_of_groups, 1, &l);
    contest_measure(contest, "compaction, half kept", compactions, COUNT_OF(compactions), &l);
    contest_measure(contest, "compaction, groups of 100", compactions_of_groups, 1, &l);
    histogram_measure(&l, "histogram, 256 bins", FEW_BINS, true);
    histogram_measure(&l, "histogram, all in one of 256", FEW_BINS, false);
    histogram_measure(&l, "histogram, 65536 bins", SOME_BINS, true);
    histogram_measure(&l, "histogram, all in one of 65536", SOME_BINS, false);

    // runs of two
    for (size_t i = 0; i < l.count; i++)
        l.skewed[i] = (uint32_t)(i / 2);
    bench_must(
        prm_buffer_write(contest->context, l.d_values, 0, l.skewed, l.count * sizeof(uint32_t)),
        "unique");
    contest_measure(contest, "unique of sorted", uniques, 1, &l);
    contest_measure(contest, "list ranking", ranks, COUNT_OF(ranks), &l);
    if (l.count == ROUNDS_TOLD)
        contest_note(contest, "list ranking", "prm", "1 M in %u rounds", l.ranked.rounds);
    contest_measure(contest, "Mersenne Twister, words", words, COUNT_OF(words), &l);
    contest_measure(contest, "Philox, uniform", philoxes, 1, &l);
    contest_measure(contest, "Philox, normal", normals, 1, &l);
    contest_measure(contest, "Halton, 3 dimensions", haltons, 1, &l);
    lists_close(&l);
}

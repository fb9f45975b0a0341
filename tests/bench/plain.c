#include "plain.h"
#include "threads.h"

#include <string.h>

enum { RADIX = 256, PASSES = 4, DIGIT_BITS = 8 };

/* ---- copy ---- */

struct copy {
    char *out;
    const char *in;
    size_t bytes;
};

static void copy_part(void *data, unsigned thread, unsigned threads)
{
    const struct copy *copy = data;
    const size_t begin = threads_begin(copy->bytes, thread, threads);
    memcpy(copy->out + begin, copy->in + begin,
           threads_begin(copy->bytes, thread + 1, threads) - begin);
}

void plain_copy(void *out, const void *in, size_t bytes, unsigned threads)
{
    threads_run(threads, copy_part, &(struct copy){out, in, bytes});
}

/* ---- sort ---- */

struct sort {
    uint32_t *keys, *spare_keys;
    struct pair *pairs, *spare_pairs; /* or these */
    size_t count;
    uint32_t counts[THREADS_MAX][RADIX];
};

/* From digits of each thread to places: digits first, then threads. */
static void places_lay_out(struct sort *sort, unsigned threads)
{
    uint32_t sum = 0;
    for (unsigned digit = 0; digit < RADIX; digit++)
        for (unsigned thread = 0; thread < threads; thread++) {
            const uint32_t count = sort->counts[thread][digit];
            sort->counts[thread][digit] = sum;
            sum += count;
        }
}

static void sort_part(void *data, unsigned thread, unsigned threads)
{
    struct sort *sort = data;
    const size_t begin = threads_begin(sort->count, thread, threads);
    const size_t end = threads_begin(sort->count, thread + 1, threads);
    uint32_t *counts = sort->counts[thread];
    uint32_t *keys = sort->keys, *to_keys = sort->spare_keys;
    struct pair *pairs = sort->pairs, *to_pairs = sort->spare_pairs;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        const unsigned shift = pass * DIGIT_BITS;
        memset(counts, 0, RADIX * sizeof *counts);
        if (keys)
            for (size_t i = begin; i < end; i++)
                counts[keys[i] >> shift & (RADIX - 1)]++;
        else
            for (size_t i = begin; i < end; i++)
                counts[pairs[i].key >> shift & (RADIX - 1)]++;
        threads_meet();
        if (thread == 0)
            places_lay_out(sort, threads);
        threads_meet();
        if (keys)
            for (size_t i = begin; i < end; i++)
                to_keys[counts[keys[i] >> shift & (RADIX - 1)]++] = keys[i];
        else
            for (size_t i = begin; i < end; i++)
                to_pairs[counts[pairs[i].key >> shift & (RADIX - 1)]++] = pairs[i];
        threads_meet();
        uint32_t *swap_keys = keys;
        keys = to_keys;
        to_keys = swap_keys;
        struct pair *swap_pairs = pairs;
        pairs = to_pairs;
        to_pairs = swap_pairs;
    }
}

void plain_sort_keys(uint32_t *keys, uint32_t *spare, size_t count, unsigned threads)
{
    struct sort sort = {.keys = keys, .spare_keys = spare, .count = count};
    threads_run(threads, sort_part, &sort);
}

void plain_sort_pairs(struct pair *pairs, struct pair *spare, size_t count, unsigned threads)
{
    struct sort sort = {.pairs = pairs, .spare_pairs = spare, .count = count};
    threads_run(threads, sort_part, &sort);
}

/* ---- compaction, histogram, ranking ---- */

size_t plain_compact(uint32_t *out, const uint32_t *values, const uint32_t *flags, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        out[kept] = values[i];
        kept += flags[i];
    }
    return kept;
}

void plain_histogram(uint32_t *counts, uint32_t bins, const uint32_t *values, size_t count)
{
    memset(counts, 0, bins * sizeof *counts);
    for (size_t i = 0; i < count; i++)
        counts[values[i]]++;
}

void plain_rank(uint32_t *rank, const uint32_t *next, uint32_t head, size_t count)
{
    uint32_t at = head;
    for (size_t i = count; i-- > 0;) {
        rank[at] = (uint32_t)i;
        at = next[at];
    }
}

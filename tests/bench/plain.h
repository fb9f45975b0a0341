/* Plain C programs for the same operations, as one would write them by hand, on one or more
 * threads. */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include <stddef.h>
#include <stdint.h>

struct pair {
    uint32_t key, value;
};

/* The same bytes elsewhere. */
void plain_copy(void *out, const void *in, size_t bytes, unsigned threads);

/* LSD radix sort, 8 bits a pass; `spare` is as long as the keys or pairs. */
void plain_sort_keys(uint32_t *keys, uint32_t *spare, size_t count, unsigned threads);
void plain_sort_pairs(struct pair *pairs, struct pair *spare, size_t count, unsigned threads);

/* The flagged values in order; returns how many. */
size_t plain_compact(uint32_t *out, const uint32_t *values, const uint32_t *flags, size_t count);

/* counts[bins] of values below bins. */
void plain_histogram(uint32_t *counts, uint32_t bins, const uint32_t *values, size_t count);

/* rank[i] = steps to the tail of the one list that begins at `head`. */
void plain_rank(uint32_t *rank, const uint32_t *next, uint32_t head, size_t count);

/* The k nearest of all points to each, itself excluded, by trying all: indices[count][k].
 * columns: f32[dimension][count]. */
void plain_neighbors(uint32_t *indices, const float *columns, size_t count, uint32_t dimension,
                     uint32_t k, unsigned threads);

/* Fewest edges from each source: levels[source_count][vertices], over compressed rows. */
void plain_levels(uint32_t *levels, const uint32_t *offsets, const uint32_t *targets,
                  uint32_t vertices, const uint32_t *sources, uint32_t source_count,
                  unsigned threads);

#endif

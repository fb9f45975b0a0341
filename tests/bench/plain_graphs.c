#include "bench.h"
#include "plain.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- neighbours ---- */

struct neighbors {
    uint32_t *indices;
    const float *columns;
    size_t count;
    uint32_t dimension, k;
};

/* Puts a point into a list that ascends by distance; it is nearer than the last. */
static void insert(float *distances, uint32_t *indices, uint32_t k, float distance, uint32_t index)
{
    uint32_t place = k - 1;
    for (; place > 0 && distances[place - 1] > distance; place--) {
        distances[place] = distances[place - 1];
        indices[place] = indices[place - 1];
    }
    distances[place] = distance;
    indices[place] = index;
}

static void neighbors_part(void *data, unsigned thread, unsigned threads)
{
    const struct neighbors *work = data;
    const size_t n = work->count;
    float *squares = bench_memory(n * sizeof *squares);
    float *list = bench_memory(work->k * sizeof *list);
    const size_t end = threads_begin(n, thread + 1, threads);
    for (size_t query = threads_begin(n, thread, threads); query < end; query++) {
        // all distances, then those that matter
        memset(squares, 0, n * sizeof *squares);
        for (uint32_t d = 0; d < work->dimension; d++) {
            const float *column = work->columns + d * n;
            const float own = column[query];
            for (size_t i = 0; i < n; i++)
                squares[i] += (column[i] - own) * (column[i] - own);
        }
        squares[query] = INFINITY;
        for (uint32_t i = 0; i < work->k; i++)
            list[i] = INFINITY;
        for (size_t i = 0; i < n; i++)
            if (squares[i] < list[work->k - 1])
                insert(list, work->indices + query * work->k, work->k, squares[i], (uint32_t)i);
    }
    free(list);
    free(squares);
}

void plain_neighbors(uint32_t *indices, const float *columns, size_t count, uint32_t dimension,
                     uint32_t k, unsigned threads)
{
    threads_run(threads, neighbors_part,
                &(struct neighbors){indices, columns, count, dimension, k});
}

/* ---- graph search ---- */

struct levels {
    uint32_t *levels;
    const uint32_t *offsets, *targets, *sources;
    uint32_t vertices, source_count;
};

static void levels_part(void *data, unsigned thread, unsigned threads)
{
    const struct levels *work = data;
    uint32_t *queue = bench_memory(work->vertices * sizeof *queue);
    for (uint32_t s = thread; s < work->source_count; s += threads) {
        uint32_t *level = work->levels + (size_t)s * work->vertices;
        uint32_t end = 1;
        memset(level, 0xff, work->vertices * sizeof *level);
        queue[0] = work->sources[s];
        level[queue[0]] = 0;
        for (uint32_t at = 0; at < end; at++)
            for (uint32_t arc = work->offsets[queue[at]]; arc < work->offsets[queue[at] + 1]; arc++)
                if (level[work->targets[arc]] == UINT32_MAX) {
                    level[work->targets[arc]] = level[queue[at]] + 1;
                    queue[end++] = work->targets[arc];
                }
    }
    free(queue);
}

void plain_levels(uint32_t *levels, const uint32_t *offsets, const uint32_t *targets,
                  uint32_t vertices, const uint32_t *sources, uint32_t source_count,
                  unsigned threads)
{
    threads_run(threads, levels_part,
                &(struct levels){levels, offsets, targets, sources, vertices, source_count});
}

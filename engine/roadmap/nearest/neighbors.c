/* Neighbour indices: the choice of the method, brute force, recall. */
#include "roadmap/nearest/neighbors_index.h"

#include "device/try.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The one place where `auto` decides, by what was measured with k = 10 on two cores of 8 lanes, ms,
 * index included, at a target recall of 0.95, tiles / exact / lsh:
 *
 *     points      3 dimensions         6                  12                   32
 *      1 000    0.5 / 2.6 / 3.0     0.7 / 1.8 / 2.4    1.4 / 2.4 / 7.3      2.6 / 2.7 / 11
 *     10 000    2.8 / 26 / 6.1      6.4 / 46 / 14      33 / 94 / 53         156 / 232 / 204
 *     50 000     10 / 603 / 40       30 / 1031 / 65    212 / 2144 / 374    3653 / - / 1643
 *    200 000    442 / - / 673       444 / - / 748     1961 / - / 3430
 *
 * (200 000 points, and in 32 dimensions 50 000, in a first run, memory not yet touched.) Of the
 * neighbours in 32 dimensions lsh found only 0.83 and 0.50: tiles are the fastest that reach the
 * target everywhere. */
static enum prm_neighbor_method method_for(enum prm_neighbor_method method)
{
    return method == PRM_NEIGHBOR_AUTO ? PRM_NEIGHBOR_TILES : method;
}

float prm_neighbors_bound(double radius)
{
    return radius > 0.0 ? nextafterf((float)(radius * radius), INFINITY) : INFINITY;
}

/* Queries that share a pass. Twice a narrow vector keeps more operations in flight than one: 16 on
 * a machine with 8 lanes took 5.3 us a query where 8 took 8.4. */
static uint32_t lanes_of(const struct prm_profile *profile)
{
    if (profile->shape == PRM_SHAPE_GPU || profile->lanes < 2)
        return 1;
    return profile->lanes >= 8 ? 16 : 2 * profile->lanes;
}

enum prm_status prm_neighbors_brute(struct prm_arena *arena, struct prm_buffer indices,
                                    struct prm_buffer distances,
                                    const struct prm_neighbor_index *index,
                                    const struct prm_neighbor_asked *asked, uint32_t n, uint32_t k,
                                    double radius)
{
    const uint32_t lanes = lanes_of(prm_context_profile(index->context));
    const struct prm_share share = prm_share_of(index->context, (n + lanes - 1) / lanes);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;
    char rows[PRM_EMBEDDING_OPTIONS_MAX], options[PRM_EMBEDDING_OPTIONS_MAX + 24];

    // the kernel keeps its lists with their distances
    struct prm_buffer kept = distances;
    if (kept.memory == NULL)
        TRY(prm_arena_take(arena, &kept, (size_t)n * k * sizeof(float)));
    prm_embedding_options(rows, &index->embedding);
    snprintf(options, sizeof(options), "%s -DLANES=%u", rows, lanes);
    TRY(prm_launch(index->context, PRM_KERNEL_NEIGHBORS_EXACT, options, share.items, share.group,
                   ARGS(ARG_BUFFER(indices), ARG_BUFFER(kept), ARG_BUFFER(index->points),
                        ARG_U32(index->count), ARG_BUFFER(asked->rows), ARG_U32(asked->first),
                        ARG_U32(asked->stride), ARG_U32(asked->among), ARG_U32(n), ARG_U32(k),
                        ARG_F32(prm_neighbors_bound(radius)))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_neighbor_index_begin(struct prm_arena *arena, struct prm_neighbor_index **index,
                                         const struct prm_embedding *embedding,
                                         struct prm_buffer points, size_t count,
                                         const struct prm_neighbor_options *options)
{
    *index = NULL;
    if (options->k < 1 || options->k > PRM_NEIGHBORS_MAX)
        return prm_fault_set(PRM_INVALID_ARGUMENT, "k is %u, not 1 to %d", options->k,
                             PRM_NEIGHBORS_MAX);
    if (count > INT32_MAX / PRM_NEIGHBORS_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED, "%zu points are more than %d", count,
                             INT32_MAX / PRM_NEIGHBORS_MAX);
    struct prm_neighbor_index *made = calloc(1, sizeof(*made));
    if (made == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a neighbour index");
    made->context = prm_arena_context(arena);
    made->embedding = *embedding;
    made->points = points;
    made->count = (uint32_t)count;
    made->options = *options;
    made->statistics.method = method_for(options->method);
    made->statistics.recall = NAN;

    // fewer than two points have no neighbours to hash for
    enum prm_status status = PRM_OK;
    if (made->statistics.method == PRM_NEIGHBOR_LSH && count >= 2)
        status = prm_lsh_create(arena, made);
    if (made->statistics.method == PRM_NEIGHBOR_TILES && count >= 1)
        status = prm_tiles_create(made);
    if (status != PRM_OK) {
        prm_neighbor_index_destroy(made);
        return status;
    }
    *index = made;
    return PRM_OK;
}

enum prm_status prm_neighbor_index_step(struct prm_arena *arena, struct prm_neighbor_index *index,
                                        bool *done)
{
    *done = index->lsh == NULL && index->tiles == NULL;
    if (index->tiles != NULL)
        return prm_tiles_fill(arena, index, done);
    return index->lsh == NULL ? PRM_OK : prm_lsh_fill(arena, index, done);
}

enum prm_status prm_neighbor_index_create(struct prm_arena *arena,
                                          struct prm_neighbor_index **index,
                                          const struct prm_embedding *embedding,
                                          struct prm_buffer points, size_t count,
                                          const struct prm_neighbor_options *options)
{
    enum prm_status status =
        prm_neighbor_index_begin(arena, index, embedding, points, count, options);
    for (bool done = false; status == PRM_OK && !done;)
        status = prm_neighbor_index_step(arena, *index, &done);
    if (status != PRM_OK) {
        prm_neighbor_index_destroy(*index);
        *index = NULL;
    }
    return status;
}

void prm_neighbor_index_destroy(struct prm_neighbor_index *index)
{
    if (index == NULL)
        return;
    prm_lsh_destroy(index->context, index->lsh);
    prm_tiles_destroy(index->context, index->tiles);
    free(index);
}

/* A piece of the points' lists in their own order, by lsh or brute force: [n][k]. */
static enum prm_status search_own(struct prm_arena *arena, struct prm_buffer indices,
                                  struct prm_buffer distances,
                                  const struct prm_neighbor_index *index, uint32_t first,
                                  uint32_t n)
{
    const struct prm_neighbor_options *options = &index->options;
    const struct prm_neighbor_asked asked = {index->points, first, 1, true};
    if (index->lsh != NULL)
        return prm_lsh_self(arena, indices, distances, index, first, n);
    return prm_neighbors_brute(arena, indices, distances, index, &asked, n, options->k,
                               options->radius);
}

enum prm_status prm_neighbors_self(struct prm_arena *arena, struct prm_buffer indices,
                                   struct prm_buffer distances,
                                   const struct prm_neighbor_index *index, size_t first,
                                   size_t count)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const size_t row_bytes = index->options.k * sizeof(uint32_t);
    struct prm_buffer piece, piece_distances = distances;
    enum prm_status status = PRM_OK;

    if (count == 0)
        return PRM_OK;
    if (index->tiles != NULL)
        return prm_tiles_self(arena, indices, distances, index, (uint32_t)first, (uint32_t)count);
    if (first == 0)
        return search_own(arena, indices, distances, index, 0, (uint32_t)count);

    // others write from the beginning of a table
    TRY(prm_arena_take(arena, &piece, count * row_bytes));
    if (distances.memory != NULL)
        TRY(prm_arena_take(arena, &piece_distances, count * row_bytes));
    TRY(search_own(arena, piece, piece_distances, index, (uint32_t)first, (uint32_t)count));
    TRY(prm_buffer_copy(index->context, indices, first * row_bytes, piece, 0, count * row_bytes));
    if (distances.memory != NULL)
        TRY(prm_buffer_copy(index->context, distances, first * row_bytes, piece_distances, 0,
                            count * row_bytes));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_neighbors_foreign(struct prm_arena *arena, struct prm_buffer indices,
                                      struct prm_buffer distances,
                                      const struct prm_neighbor_index *index,
                                      struct prm_buffer queries, size_t count, uint32_t k,
                                      double radius)
{
    const uint32_t wanted = k > 0 ? k : index->options.k;
    const double within = radius > 0.0 ? radius : index->options.radius;
    if (count == 0)
        return PRM_OK;
    if (index->tiles != NULL)
        return prm_tiles_foreign(arena, indices, distances, index, queries, (uint32_t)count, wanted,
                                 within);
    if (index->lsh != NULL)
        return prm_lsh_foreign(arena, indices, distances, index, queries, (uint32_t)count, wanted,
                               within);
    const struct prm_neighbor_asked asked = {queries, 0, 1, false};
    return prm_neighbors_brute(arena, indices, distances, index, &asked, (uint32_t)count, wanted,
                               within);
}

enum prm_status prm_neighbors_recall(struct prm_arena *arena, double *recall,
                                     const struct prm_neighbor_index *index,
                                     struct prm_buffer indices, uint32_t sample_count)
{
    struct prm_context *context = index->context;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t n = sample_count < index->count ? sample_count : index->count;
    const uint32_t k = index->options.k, stride = n > 0 ? index->count / n : 1;
    const struct prm_share share = prm_share_of(context, n);
    enum prm_status status = PRM_OK;
    char options[PRM_EMBEDDING_OPTIONS_MAX + 24], rows[PRM_EMBEDDING_OPTIONS_MAX];
    struct prm_buffer nearest, exact, hits, wanted;
    uint64_t hit = 0, all = 0;
    uint32_t *counts = calloc(2 * (size_t)n + 1, sizeof(*counts));

    if (counts == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u samples", n);
    TRY(prm_arena_take(arena, &nearest, (size_t)n * k * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &exact, (size_t)n * k * sizeof(float)));
    TRY(prm_arena_take(arena, &hits, n * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &wanted, n * sizeof(uint32_t)));
    const struct prm_neighbor_asked asked = {index->points, 0, stride, true};
    TRY(prm_neighbors_brute(arena, nearest, exact, index, &asked, n, k, index->options.radius));
    prm_embedding_options(rows, &index->embedding);
    snprintf(options, sizeof(options), "%s -DLANES=1", rows);
    TRY(prm_launch(context, PRM_KERNEL_NEIGHBORS_RECALL, options, share.items, share.group,
                   ARGS(ARG_BUFFER(hits), ARG_BUFFER(wanted), ARG_BUFFER(exact),
                        ARG_BUFFER(indices), ARG_BUFFER(index->points), ARG_U32(0), ARG_U32(stride),
                        ARG_U32(n), ARG_U32(k))));
    TRY(prm_buffer_read(context, hits, 0, counts, n * sizeof(uint32_t)));
    TRY(prm_buffer_read(context, wanted, 0, counts + n, n * sizeof(uint32_t)));
    for (uint32_t i = 0; i < n; i++) {
        hit += counts[i];
        all += counts[n + i];
    }
    *recall = all > 0 ? (double)hit / (double)all : 1.0;
cleanup:
    free(counts);
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_neighbor_pairs(const struct prm_neighbor_index *index, uint64_t *pairs)
{
    if (index->tiles != NULL)
        return prm_fault_set(PRM_UNSUPPORTED, "the pairs that tiles compare are not counted");
    if (index->lsh != NULL)
        return prm_lsh_pairs(index, pairs);
    *pairs = index->count > 0 ? (uint64_t)index->count * (index->count - 1) : 0;
    return PRM_OK;
}

struct prm_neighbor_statistics prm_neighbor_statistics(const struct prm_neighbor_index *index)
{
    return index->statistics;
}

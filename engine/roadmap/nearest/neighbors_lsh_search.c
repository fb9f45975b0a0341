/* What an index by hashing answers: the lists of its points as they are; for foreign points the
 * members of their buckets, found through the cuckoo tables, as a table of candidates that multiple
 * sort and multiple compaction turn into lists (Pan & Manocha 2011). */
#include "roadmap/nearest/neighbors_lsh.h"

#include "device/try.h"
#include "primitives/compact.h"
#include "primitives/segmented_sort.h"

#include <stdlib.h>

enum prm_status prm_lsh_pairs(const struct prm_neighbor_index *index, uint64_t *pairs)
{
    const struct prm_lsh *lsh = index->lsh;
    uint32_t *lengths = malloc((size_t)index->count * sizeof(*lengths));
    enum prm_status status = PRM_OK;

    *pairs = 0;
    if (lengths == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u lengths", index->count);
    for (uint32_t t = 0; t < lsh->filled; t++) {
        const struct lsh_table *table = &lsh->tables[t];
        TRY(prm_buffer_read(index->context, table->lengths, 0, lengths,
                            table->run_count * sizeof(*lengths)));
        for (uint32_t run = 0; run < table->run_count; run++) {
            // chunks of LSH_BUCKET_MAX and what is left
            const uint64_t chunks = lengths[run] / LSH_BUCKET_MAX,
                           rest = lengths[run] % LSH_BUCKET_MAX;
            *pairs +=
                chunks * LSH_BUCKET_MAX * (LSH_BUCKET_MAX - 1) + rest * (rest > 0 ? rest - 1 : 0);
        }
    }
cleanup:
    free(lengths);
    return status;
}

/* The table of candidates of one search: [n][tables][k]. */
struct candidates {
    struct prm_buffer indices, distances;
    uint32_t n, k, segment;
    float bound;
};

/* Every foreign query offers the members of its buckets, table by table. */
static enum prm_status offer(struct prm_arena *arena, const struct prm_neighbor_index *index,
                             const struct candidates *c, struct prm_buffer queries)
{
    const struct prm_lsh *lsh = index->lsh;
    const struct prm_share share = prm_share_of(index->context, c->n);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    enum prm_status status = PRM_OK;
    struct prm_buffer keys, runs;

    TRY(prm_arena_take(arena, &keys, c->n * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &runs, c->n * sizeof(uint32_t)));
    for (uint32_t t = 0; t < lsh->filled; t++) {
        const struct lsh_table *table = &lsh->tables[t];
        TRY(prm_lsh_keys(index, table, keys, queries, c->n));
        TRY(prm_cuckoo_find(table->runs, runs, PRM_NO_BUFFER, keys, c->n));
        TRY(prm_launch(
            index->context, PRM_KERNEL_LSH_OFFER_FOREIGN, lsh->options, share.items, share.group,
            ARGS(ARG_BUFFER(c->distances), ARG_BUFFER(c->indices), ARG_BUFFER(index->points),
                 ARG_BUFFER(table->order), ARG_BUFFER(runs), ARG_BUFFER(table->starts),
                 ARG_BUFFER(table->lengths), ARG_BUFFER(queries), ARG_U32(t), ARG_U32(lsh->filled),
                 ARG_U32(c->k), ARG_F32(c->bound), ARG_U32(c->n))));
    }
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Deduplicates each query's candidates and cuts them to the k best: multiple sort by index,
 * multiple compaction, multiple sort by distance (stable, so equal distances stay in order of
 * index). */
static enum prm_status cut(struct prm_arena *arena, struct prm_buffer indices,
                           struct prm_buffer distances, const struct prm_neighbor_index *index,
                           const struct candidates *c)
{
    struct prm_context *context = index->context;
    const char *options = index->lsh->options;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t count = c->n * c->segment;
    const size_t bytes = count * sizeof(uint32_t);
    const struct prm_share each = prm_share_of(context, c->n);
    const struct prm_sort_options by_distance = {.type = PRM_KEY_F32};
    enum prm_status status = PRM_OK;
    struct prm_buffer flags, kept, kept_distances, counts;

    TRY(prm_arena_take(arena, &flags, bytes));
    TRY(prm_arena_take(arena, &kept, bytes));
    TRY(prm_arena_take(arena, &kept_distances, bytes));
    TRY(prm_arena_take(arena, &counts, c->n * sizeof(uint32_t)));

    TRY(prm_radix_sort_segments(arena, c->indices, c->distances, PRM_NO_BUFFER, PRM_NO_BUFFER,
                                count, c->segment, NULL));
    TRY(prm_launch(
        context, PRM_KERNEL_LSH_FLAG_DISTINCT, options, each.items, each.group,
        ARGS(ARG_BUFFER(flags), ARG_BUFFER(c->indices), ARG_U32(c->segment), ARG_U32(c->n))));
    TRY(prm_compact_segments(arena, kept, counts, c->indices, flags, count, c->segment));
    TRY(prm_compact_segments(arena, kept_distances, counts, c->distances, flags, count,
                             c->segment));
    TRY(prm_launch(context, PRM_KERNEL_LSH_CLEAR_REST, options, each.items, each.group,
                   ARGS(ARG_BUFFER(kept_distances), ARG_BUFFER(kept), ARG_BUFFER(counts),
                        ARG_U32(c->segment), ARG_U32(c->n))));
    TRY(prm_radix_sort_segments(arena, kept_distances, kept, PRM_NO_BUFFER, PRM_NO_BUFFER, count,
                                c->segment, &by_distance));
    TRY(prm_launch(context, PRM_KERNEL_LSH_CUT, options, each.items, each.group,
                   ARGS(ARG_BUFFER(indices), ARG_BUFFER(distances), ARG_BUFFER(kept),
                        ARG_BUFFER(kept_distances), ARG_U32(c->segment), ARG_U32(c->k),
                        ARG_U32(c->n))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_lsh_self(struct prm_arena *arena, struct prm_buffer indices,
                             struct prm_buffer distances, const struct prm_neighbor_index *index,
                             uint32_t first, uint32_t n)
{
    const struct prm_lsh *lsh = index->lsh;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_share share = prm_share_of(index->context, n);
    const uint32_t k = index->options.k;
    struct prm_buffer lengths = distances;
    enum prm_status status = PRM_OK;

    if (lengths.memory == NULL)
        TRY(prm_arena_take(arena, &lengths, (size_t)n * k * sizeof(float)));
    TRY(prm_launch(
        index->context, PRM_KERNEL_LSH_SETTLE, lsh->list_options, share.items, share.group,
        ARGS(ARG_BUFFER(indices), ARG_BUFFER(lengths), ARG_BUFFER(lsh->lists),
             ARG_BUFFER(index->points), ARG_F32(prm_neighbors_bound(index->options.radius)),
             ARG_U32(first), ARG_U32(k), ARG_U32(n))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Offers the neighbours of what was found. indices, distances: [n][k], in place. */
static enum prm_status refine(struct prm_buffer indices, struct prm_buffer distances,
                              const struct prm_neighbor_index *index, const struct candidates *c,
                              struct prm_buffer queries)
{
    const struct prm_share share = prm_share_of(index->context, c->n);
    char options[LSH_OPTIONS_MAX];
    prm_lsh_list_options(options, index->lsh, c->k);
    return prm_launch(
        index->context, PRM_KERNEL_LSH_REFINE_FOREIGN, options, share.items, share.group,
        ARGS(ARG_BUFFER(indices), ARG_BUFFER(distances), ARG_BUFFER(queries),
             ARG_BUFFER(index->lsh->lists), ARG_BUFFER(index->points), ARG_F32(c->bound),
             ARG_U32(c->k), ARG_U32(index->options.k), ARG_U32(c->n)));
}

enum prm_status prm_lsh_foreign(struct prm_arena *arena, struct prm_buffer indices,
                                struct prm_buffer distances, const struct prm_neighbor_index *index,
                                struct prm_buffer queries, uint32_t n, uint32_t k, double radius)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct candidates c = {
        .n = n, .k = k, .segment = k * index->lsh->filled, .bound = prm_neighbors_bound(radius)};
    struct prm_buffer lengths = distances;
    enum prm_status status = PRM_OK;

    if ((uint64_t)n * c.segment > INT32_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED,
                             "%u queries of %u candidates at once: ask for fewer", n, c.segment);
    TRY(prm_arena_take(arena, &c.indices, (size_t)n * c.segment * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &c.distances, (size_t)n * c.segment * sizeof(float)));
    TRY(offer(arena, index, &c, queries));
    if (lengths.memory == NULL)
        TRY(prm_arena_take(arena, &lengths, (size_t)n * k * sizeof(float)));
    TRY(cut(arena, indices, lengths, index, &c));
    if (index->lsh->is_refined)
        TRY(refine(indices, lengths, index, &c, queries));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

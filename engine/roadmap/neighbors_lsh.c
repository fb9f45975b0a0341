/* Locality-sensitive hashing: parameters, tables and the candidate pipeline over kernels/lsh.cl.
 *
 * Automatic parameters follow from one number of the data, the median distance r of a sample's k-th
 * neighbours. M = dof (at most 8) projections make cells of side w = W / √dof; taken as uniform
 * nearby, a cell holds BUCKET_MEAN points where w = r (BUCKET_MEAN V / k)^(1/dof), V the unit
 * ball's volume. A neighbour at r shares it with probability p = (1 − E|δ| / w)^M, E|δ| = r √(2 /
 * (π dof)); L tables find it with 1 − (1 − p)^L, and the farthest of the k is the hardest, so L is
 * the least that reaches the target.
 *
 * The aᵢ are orthogonal, of the length √dof that N(0,1) vectors have on average: the same keys'
 * statistics with cells of less varied shape, so fewer tables.
 */
#include "roadmap/neighbors_index.h"

#include "device/try.h"
#include "primitives/compact.h"
#include "primitives/cuckoo.h"
#include "primitives/segmented_sort.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct prm_buffer NO_BUFFER = {NULL, 0};

#define PI 3.14159265358979323846
/* Members of a bucket that a query looks at, and what automatic parameters aim at. */
enum { BUCKET_MAX = 256, BUCKET_MEAN = 96 };
enum { PROJECTIONS_MAX = 8, TABLES_MAX = 64, TABLES_AUTO_MAX = 32 };
/* Points whose k-th neighbour is measured for W. */
enum { WIDTH_SAMPLES = 128 };
/* Factors of the combined key are below this. */
enum { FACTOR_END = 32768 };

struct lsh_table {
    struct prm_buffer order;   /* u32[count]: points sorted by key */
    struct prm_buffer places;  /* u32[count]: a point's place in it */
    struct prm_buffer starts;  /* u32[count]: of each run */
    struct prm_buffer lengths; /* u32[count] */
    struct prm_buffer projections, factors;
    struct prm_cuckoo *runs; /* key -> run */
    uint32_t run_count;
};

struct prm_lsh {
    uint32_t filled, table_count, projections;
    double width;
    char options[PRM_SCENE_OPTIONS_MAX + 24];
    struct lsh_table tables[];
};

/* splitmix64 (Steele, Lea & Flood 2014). */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In (0, 1). */
static double random_uniform(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double random_normal(uint64_t *state)
{
    const double radius = sqrt(-2.0 * log(random_uniform(state)));
    return radius * cos(2.0 * PI * random_uniform(state));
}

/* One direction of length √dof, orthogonal to the `before` ones in rows[][PRM_DOF_MAX]. */
static void random_direction(double (*rows)[PRM_DOF_MAX], uint32_t before, uint32_t dof,
                             uint64_t *state)
{
    double *row = rows[before], squared;
    do {
        for (uint32_t c = 0; c < dof; c++)
            row[c] = random_normal(state);
        for (uint32_t r = 0; r < before; r++) {
            double dot = 0.0;
            for (uint32_t c = 0; c < dof; c++)
                dot += row[c] * rows[r][c] / dof;
            for (uint32_t c = 0; c < dof; c++)
                row[c] -= dot * rows[r][c];
        }
        squared = 0.0;
        for (uint32_t c = 0; c < dof; c++)
            squared += row[c] * row[c];
    } while (squared < 1e-6);
    for (uint32_t c = 0; c < dof; c++)
        row[c] *= sqrt(dof / squared);
}

/* Uploads one table's hash functions. */
static enum prm_status make_functions(struct lsh_table *table,
                                      const struct prm_neighbor_index *index, uint32_t number)
{
    const struct prm_lsh *lsh = index->lsh;
    const uint32_t dof = index->space.dof, m = lsh->projections;
    double rows[PROJECTIONS_MAX][PRM_DOF_MAX];
    float projections[PROJECTIONS_MAX * (PRM_DOF_MAX + 1)];
    uint32_t factors[PROJECTIONS_MAX];
    uint64_t state = index->options.seed ^ ((uint64_t)(number + 1) << 32);
    enum prm_status status = PRM_OK;

    for (uint32_t h = 0; h < m; h++) {
        float *out = projections + (size_t)h * (dof + 1);
        // more projections than coordinates: orthogonal in groups
        random_direction(&rows[h - h % dof], h % dof, dof, &state);
        for (uint32_t c = 0; c < dof; c++)
            out[c] = (float)(rows[h][c] / lsh->width);
        out[dof] = (float)random_uniform(&state);
        factors[h] = 1 + (uint32_t)(random_next(&state) % (FACTOR_END - 1));
    }
    const size_t bytes = (size_t)m * (dof + 1) * sizeof(float);
    TRY(prm_buffer_create(index->context, &table->projections, bytes));
    TRY(prm_buffer_write(index->context, table->projections, 0, projections, bytes));
    TRY(prm_buffer_create(index->context, &table->factors, m * sizeof(uint32_t)));
    TRY(prm_buffer_write(index->context, table->factors, 0, factors, m * sizeof(uint32_t)));
cleanup:
    return status;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The median distance of a sample's k-th neighbours; the last one found where there are fewer. */
static enum prm_status sample_reach(struct prm_arena *arena, const struct prm_neighbor_index *index,
                                    double *reach)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t n = index->count < WIDTH_SAMPLES ? index->count : WIDTH_SAMPLES;
    const uint32_t k = index->options.k;
    const struct prm_neighbor_asked asked = {index->points, 0, index->count / n, true};
    const size_t count = (size_t)n * k;
    enum prm_status status = PRM_OK;
    struct prm_buffer indices, distances;
    float *read = malloc(count * sizeof(*read));
    uint32_t kept = 0;

    if (read == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u samples", n);
    TRY(prm_arena_take(arena, &indices, count * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &distances, count * sizeof(float)));
    TRY(prm_neighbors_brute(arena, indices, distances, index, &asked, n, k, index->options.radius));
    TRY(prm_buffer_read(index->context, distances, 0, read, count * sizeof(float)));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t last = k;
        while (last > 0 && !(read[i * k + last - 1] < INFINITY))
            last--;
        // distances of 0 say nothing about the scale
        if (last > 0 && read[i * k + last - 1] > 0.0f)
            read[kept++] = read[i * k + last - 1];
    }
    qsort(read, kept, sizeof(*read), compare_floats);
    *reach = kept > 0 ? (double)read[kept / 2] : 1.0;
cleanup:
    free(read);
    prm_arena_rewind(arena, mark);
    return status;
}

/* Fills in W, M and L where they are automatic; see the head of this file. */
static enum prm_status choose(struct prm_arena *arena, struct prm_neighbor_index *index,
                              uint32_t *tables, uint32_t *projections, double *width)
{
    const struct prm_neighbor_options *options = &index->options;
    const double dof = index->space.dof;
    double reach = 1.0;
    enum prm_status status = PRM_OK;

    if (options->width <= 0.0 || options->tables == 0)
        TRY(sample_reach(arena, index, &reach));
    const double volume = pow(PI, dof / 2) / tgamma(dof / 2 + 1);
    const double side = reach * pow(fmax(BUCKET_MEAN * volume / options->k, 1.0), 1 / dof);
    const uint32_t m = index->space.dof < PROJECTIONS_MAX ? index->space.dof : PROJECTIONS_MAX;
    *projections = options->projections > 0 ? options->projections : m;
    *width = options->width > 0.0 ? options->width : side * sqrt(dof);

    const double across = reach * sqrt(2 / (PI * dof)) / (*width / sqrt(dof));
    const double together = pow(fmax(1 - across, 0.01), *projections);
    const double missed = fmax(1 - options->target_recall, 0.005) / 2;
    const double needed = ceil(log(missed) / log(1 - fmin(together, 0.99)));
    *tables =
        options->tables > 0 ? options->tables : (uint32_t)fmin(fmax(needed, 2), TABLES_AUTO_MAX);
    if (*projections > PROJECTIONS_MAX || *tables > TABLES_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED,
                             "%u projections and %u tables: %d and %d are the limit", *projections,
                             *tables, PROJECTIONS_MAX, TABLES_MAX);
cleanup:
    return status;
}

enum prm_status prm_lsh_create(struct prm_arena *arena, struct prm_neighbor_index *index)
{
    uint32_t tables, projections;
    double width;
    char space[PRM_SCENE_OPTIONS_MAX];
    const enum prm_status status = choose(arena, index, &tables, &projections, &width);
    if (status != PRM_OK)
        return status;

    struct prm_lsh *lsh = calloc(1, sizeof(*lsh) + tables * sizeof(lsh->tables[0]));
    if (lsh == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u tables", tables);
    lsh->table_count = tables;
    lsh->projections = projections;
    lsh->width = width;
    prm_space_options(space, &index->space);
    snprintf(lsh->options, sizeof(lsh->options), "%s -DBUCKET_MAX=%d", space, BUCKET_MAX);
    index->lsh = lsh;
    index->statistics.tables = tables;
    index->statistics.projections = projections;
    index->statistics.width = width;
    return PRM_OK;
}

void prm_lsh_destroy(struct prm_context *context, struct prm_lsh *lsh)
{
    for (uint32_t t = 0; lsh != NULL && t < lsh->table_count; t++) {
        struct lsh_table *table = &lsh->tables[t];
        prm_buffer_destroy(context, &table->order);
        prm_buffer_destroy(context, &table->places);
        prm_buffer_destroy(context, &table->starts);
        prm_buffer_destroy(context, &table->lengths);
        prm_buffer_destroy(context, &table->projections);
        prm_buffer_destroy(context, &table->factors);
        prm_cuckoo_destroy(table->runs);
    }
    free(lsh);
}

/* keys[i] of n rows in one table. */
static enum prm_status hash_rows(const struct prm_neighbor_index *index,
                                 const struct lsh_table *table, struct prm_buffer keys,
                                 struct prm_buffer rows, uint32_t n)
{
    const struct prm_share share = prm_share_of(index->context, n);
    return prm_launch(
        index->context, PRM_KERNEL_LSH_KEYS, index->lsh->options, share.items, share.group,
        ARGS(ARG_BUFFER(keys), ARG_BUFFER(rows), ARG_BUFFER(table->projections),
             ARG_BUFFER(table->factors), ARG_U32(index->lsh->projections), ARG_U32(n)));
}

static enum prm_status iota(const struct prm_neighbor_index *index, struct prm_buffer out,
                            uint32_t n)
{
    const struct prm_share share = prm_share_of(index->context, n);
    return prm_launch(index->context, PRM_KERNEL_LSH_IOTA, index->lsh->options, share.items,
                      share.group, ARGS(ARG_BUFFER(out), ARG_U32(n)));
}

/* Keys, sort, runs, hash table: Pan & Manocha's pipeline for one table. One read-back: the runs. */
static enum prm_status fill_table(struct prm_arena *arena, struct prm_neighbor_index *index,
                                  struct lsh_table *table, uint32_t number)
{
    struct prm_context *context = index->context;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t n = index->count;
    const size_t bytes = n * sizeof(uint32_t);
    const struct prm_cuckoo_options cuckoo = {.seed = index->options.seed + number};
    enum prm_status status = PRM_OK;
    struct prm_buffer keys, unique, runs, numbers;

    TRY(make_functions(table, index, number));
    TRY(prm_buffer_create(context, &table->order, bytes));
    TRY(prm_buffer_create(context, &table->places, bytes));
    TRY(prm_buffer_create(context, &table->starts, bytes));
    TRY(prm_buffer_create(context, &table->lengths, bytes));
    TRY(prm_arena_take(arena, &keys, bytes));
    TRY(prm_arena_take(arena, &unique, bytes));
    TRY(prm_arena_take(arena, &numbers, bytes));
    TRY(prm_arena_take(arena, &runs, sizeof(uint32_t)));

    TRY(hash_rows(index, table, keys, index->points, n));
    TRY(iota(index, table->order, n));
    TRY(prm_radix_sort(arena, keys, table->order, table->places, NO_BUFFER, n, NULL));
    TRY(prm_unique_sorted(arena, unique, table->starts, table->lengths, runs, keys, n));
    TRY(prm_buffer_read(context, runs, 0, &table->run_count, sizeof(uint32_t)));

    TRY(iota(index, numbers, table->run_count));
    TRY(prm_cuckoo_create(arena, &table->runs, unique, numbers, table->run_count, &cuckoo));
    const uint32_t attempts = prm_cuckoo_statistics(table->runs).attempts;
    if (attempts > index->statistics.cuckoo_attempts)
        index->statistics.cuckoo_attempts = attempts;
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_lsh_fill(struct prm_arena *arena, struct prm_neighbor_index *index, bool *done)
{
    struct prm_lsh *lsh = index->lsh;
    enum prm_status status = PRM_OK;
    if (lsh->filled < lsh->table_count) {
        status = fill_table(arena, index, &lsh->tables[lsh->filled], lsh->filled);
        lsh->filled++;
    }
    *done = lsh->filled == lsh->table_count;
    return status;
}

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
            // chunks of BUCKET_MAX and what is left
            const uint64_t chunks = lengths[run] / BUCKET_MAX, rest = lengths[run] % BUCKET_MAX;
            *pairs += chunks * BUCKET_MAX * (BUCKET_MAX - 1) + rest * (rest > 0 ? rest - 1 : 0);
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

/* Every query offers the members of its buckets, table by table. */
static enum prm_status offer(struct prm_arena *arena, const struct prm_neighbor_index *index,
                             const struct candidates *c, struct prm_buffer queries, uint32_t first)
{
    const struct prm_lsh *lsh = index->lsh;
    const struct prm_share share = prm_share_of(index->context, c->n);
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const bool foreign = queries.memory != NULL;
    enum prm_status status = PRM_OK;
    struct prm_buffer keys, runs;

    TRY(prm_arena_take(arena, &keys, c->n * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &runs, c->n * sizeof(uint32_t)));
    for (uint32_t t = 0; t < lsh->table_count; t++) {
        const struct lsh_table *table = &lsh->tables[t];
        if (!foreign) {
            TRY(prm_launch(
                index->context, PRM_KERNEL_LSH_OFFER_SELF, lsh->options, share.items, share.group,
                ARGS(ARG_BUFFER(c->distances), ARG_BUFFER(c->indices), ARG_BUFFER(index->points),
                     ARG_BUFFER(table->order), ARG_BUFFER(table->places), ARG_BUFFER(table->starts),
                     ARG_BUFFER(table->lengths), ARG_U32(table->run_count), ARG_U32(t),
                     ARG_U32(lsh->table_count), ARG_U32(c->k), ARG_F32(c->bound), ARG_U32(first),
                     ARG_U32(c->n))));
            continue;
        }
        TRY(hash_rows(index, table, keys, queries, c->n));
        TRY(prm_cuckoo_find(table->runs, runs, NO_BUFFER, keys, c->n));
        TRY(prm_launch(
            index->context, PRM_KERNEL_LSH_OFFER_FOREIGN, lsh->options, share.items, share.group,
            ARGS(ARG_BUFFER(c->distances), ARG_BUFFER(c->indices), ARG_BUFFER(index->points),
                 ARG_BUFFER(table->order), ARG_BUFFER(runs), ARG_BUFFER(table->starts),
                 ARG_BUFFER(table->lengths), ARG_BUFFER(queries), ARG_U32(t),
                 ARG_U32(lsh->table_count), ARG_U32(c->k), ARG_F32(c->bound), ARG_U32(c->n))));
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
    struct prm_buffer flags, kept, kept_distances, counts, last = distances;

    TRY(prm_arena_take(arena, &flags, bytes));
    TRY(prm_arena_take(arena, &kept, bytes));
    TRY(prm_arena_take(arena, &kept_distances, bytes));
    TRY(prm_arena_take(arena, &counts, c->n * sizeof(uint32_t)));
    if (last.memory == NULL)
        TRY(prm_arena_take(arena, &last, (size_t)c->n * c->k * sizeof(float)));

    TRY(prm_radix_sort_segments(arena, c->indices, c->distances, NO_BUFFER, NO_BUFFER, count,
                                c->segment, NULL));
    TRY(prm_launch(
        context, PRM_KERNEL_LSH_FLAG_DISTINCT, options, each.items, each.group,
        ARGS(ARG_BUFFER(flags), ARG_BUFFER(c->indices), ARG_U32(c->segment), ARG_U32(c->n))));
    TRY(prm_compact_segments(arena, kept, counts, c->indices, flags, count, c->segment));
    TRY(prm_compact_segments(arena, kept_distances, counts, c->distances, flags, count,
                             c->segment));
    TRY(prm_launch(context, PRM_KERNEL_LSH_CLEAR_REST, options, each.items, each.group,
                   ARGS(ARG_BUFFER(kept_distances), ARG_BUFFER(kept), ARG_BUFFER(counts),
                        ARG_U32(c->segment), ARG_U32(c->n))));
    TRY(prm_radix_sort_segments(arena, kept_distances, kept, NO_BUFFER, NO_BUFFER, count,
                                c->segment, &by_distance));
    TRY(prm_launch(context, PRM_KERNEL_LSH_CUT, options, each.items, each.group,
                   ARGS(ARG_BUFFER(indices), ARG_BUFFER(last), ARG_BUFFER(kept),
                        ARG_BUFFER(kept_distances), ARG_U32(c->segment), ARG_U32(c->k),
                        ARG_U32(c->n))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

enum prm_status prm_lsh_search(struct prm_arena *arena, struct prm_buffer indices,
                               struct prm_buffer distances, const struct prm_neighbor_index *index,
                               struct prm_buffer queries, uint32_t first, uint32_t n, uint32_t k,
                               double radius)
{
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    struct candidates c = {.n = n,
                           .k = k,
                           .segment = k * index->lsh->table_count,
                           .bound = prm_neighbors_bound(radius)};
    enum prm_status status = PRM_OK;

    if (n == 0)
        return PRM_OK;
    if ((uint64_t)n * c.segment > INT32_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED,
                             "%u queries of %u candidates at once: ask for fewer", n, c.segment);
    TRY(prm_arena_take(arena, &c.indices, (size_t)n * c.segment * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &c.distances, (size_t)n * c.segment * sizeof(float)));
    TRY(offer(arena, index, &c, queries, first));
    TRY(cut(arena, indices, distances, index, &c));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

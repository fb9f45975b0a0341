/* Hashed neighbours: parameters, tables, and the lists of the points themselves, over
 * kernels/lsh.cl, lsh_join.cl and lsh_refine.cl.
 *
 * Automatic parameters follow from the data. A sample's k-th neighbours have the median distance r.
 * M = dof (at most 8) projections make cells of side w = W / √dof; taken as uniform nearby, a cell
 * holds BUCKET_MEAN points where w = r (BUCKET_MEAN V / k)^(1/dof), V the unit ball's volume. Of
 * turns and orientations the embedded dof are more than the dimensions s that points spread in: V
 * and the root are of s, and w is √(dof/s) times that, as a normal lies along them by √(s/dof).
 *
 * Tables are joined to the lists one by one, and the share of the sample's neighbours that is not
 * yet in its lists is counted after each. Where more tables than a pass costs would be needed, and
 * the lists are good enough for it, neighbours of neighbours are offered instead, until the sample
 * has what was asked for; where passes do not get there, more tables are made.
 *
 * Foreign points look at their buckets, and where passes were made, at the neighbours of what they
 * find there.
 */
#include "roadmap/nearest/neighbors_lsh.h"

#include "device/try.h"
#include "primitives/compact.h"
#include "primitives/permutation.h"
#include "primitives/radix_sort.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Members of a bucket that automatic parameters aim at. */
enum { BUCKET_MEAN = 128 };
enum { TABLES_AUTO_MAX = 32, PASSES_MAX = 3 };
/* Points whose k-th neighbour is measured. */
enum { SAMPLES = 128 };
/* A pass takes the time of about so many tables, and is worth it once tables have found this share
 * of the sample's neighbours. */
enum { PASS_TABLES = 8 };
#define PASS_SHARE_MIN 0.8
/* Limits that keep the forecast of tables finite: the least share missed before, the greatest by
 * which a table is taken to shrink it, and the least that may be missed in the end. */
#define MISSED_MIN 1e-6
#define SHRINK_MAX 0.999
#define ALLOWED_MIN 1e-3
/* Beyond the target the sample is to have found so much, for what it may be off. */
#define SAMPLE_MARGIN 0.01

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The distances of a sample's k-th neighbours, the last ones found where there are fewer, to
 * lsh->reach; *median of those above 0, which say something about the scale. */
static enum prm_status sample_reach(struct prm_arena *arena, const struct prm_neighbor_index *index,
                                    double *median)
{
    struct prm_lsh *lsh = index->lsh;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t n = index->count < SAMPLES ? index->count : SAMPLES;
    const uint32_t k = index->options.k;
    const struct prm_neighbor_asked asked = {index->points, 0, index->count / n, true};
    const size_t count = (size_t)n * k;
    enum prm_status status = PRM_OK;
    struct prm_buffer indices, distances;
    float reach[SAMPLES], *read = malloc(count * sizeof(*read));
    uint32_t kept = 0;

    if (read == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %u samples", n);
    TRY(prm_arena_take(arena, &indices, count * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &distances, count * sizeof(float)));
    TRY(prm_neighbors_brute(arena, indices, distances, index, &asked, n, k, index->options.radius));
    TRY(prm_buffer_read(index->context, distances, 0, read, count * sizeof(float)));
    lsh->samples = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t last = k;
        while (last > 0 && !(read[i * k + last - 1] < INFINITY))
            last--;
        reach[i] = last > 0 ? read[i * k + last - 1] : -1.0f;
        lsh->wanted += last;
    }
    TRY(prm_buffer_upload(index->context, &lsh->reach, reach, n * sizeof(float)));
    for (uint32_t i = 0; i < n; i++)
        if (reach[i] > 0.0f)
            reach[kept++] = reach[i];
    qsort(reach, kept, sizeof(*reach), compare_floats);
    *median = kept > 0 ? (double)reach[kept / 2] : 1.0;
cleanup:
    free(read);
    prm_arena_rewind(arena, mark);
    return status;
}

/* Fills in W and M where they are automatic; see the head of this file. */
static enum prm_status choose(struct prm_arena *arena, struct prm_neighbor_index *index)
{
    const struct prm_neighbor_options *options = &index->options;
    struct prm_lsh *lsh = index->lsh;
    const double dof = index->embedding.dof, spread = prm_embedding_dimension(&index->embedding);
    const uint32_t m =
        index->embedding.dof < LSH_PROJECTIONS ? index->embedding.dof : LSH_PROJECTIONS;
    double reach = 1.0;
    enum prm_status status = PRM_OK;

    lsh->automatic = options->tables == 0;
    lsh->missed = 1.0;
    lsh->table_count = lsh->automatic ? TABLES_AUTO_MAX : options->tables;
    lsh->projections = options->projections > 0 ? options->projections : m;
    if (lsh->projections > LSH_PROJECTIONS || lsh->table_count > LSH_TABLES_MAX)
        return prm_fault_set(PRM_LIMIT_EXCEEDED,
                             "%u projections and %u tables: %d and %d are the limit",
                             lsh->projections, lsh->table_count, LSH_PROJECTIONS, LSH_TABLES_MAX);
    if (options->width <= 0.0 || lsh->automatic)
        TRY(sample_reach(arena, index, &reach));
    const double volume = pow(LSH_PI, spread / 2) / tgamma(spread / 2 + 1);
    const double side = reach * pow(fmax(BUCKET_MEAN * volume / options->k, 1.0), 1 / spread);
    lsh->width = options->width > 0.0 ? options->width : side * sqrt(dof) * sqrt(dof / spread);
cleanup:
    return status;
}

/* Entries of a list that its kernels are compiled for. */
static const uint32_t LISTED[] = {4, 10, 16, 32, 64, PRM_NEIGHBORS_MAX};

static uint32_t listed_of(uint32_t k)
{
    uint32_t i = 0;
    while (LISTED[i] < k)
        i++;
    return LISTED[i];
}

void prm_lsh_list_options(char *options, const struct prm_lsh *lsh, uint32_t k)
{
    snprintf(options, LSH_OPTIONS_MAX, "%s -DLISTED=%u", lsh->options, listed_of(k));
}

static void write_options(struct prm_lsh *lsh, const struct prm_neighbor_index *index)
{
    const bool is_gpu = prm_context_profile(index->context)->shape == PRM_SHAPE_GPU;
    const uint32_t k = index->options.k;
    prm_embedding_options(lsh->options, &index->embedding);
    snprintf(lsh->join_options, LSH_OPTIONS_MAX, "%s -DLANES=%d -DLEVELS=%u", lsh->options,
             is_gpu ? 1 : 16, listed_of(k) + 1);
    prm_lsh_list_options(lsh->list_options, lsh, k);
}

enum prm_status prm_lsh_create(struct prm_arena *arena, struct prm_neighbor_index *index)
{
    const size_t cells = (size_t)index->count * index->options.k;
    const struct prm_share share = prm_share_of(index->context, cells);
    enum prm_status status = PRM_OK;
    struct prm_lsh *lsh = calloc(1, sizeof(*lsh));

    if (lsh == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for tables");
    index->lsh = lsh;
    write_options(lsh, index);
    TRY(choose(arena, index));
    TRY(prm_buffer_create(index->context, &lsh->lists, cells * sizeof(uint64_t)));
    TRY(prm_launch(index->context, PRM_KERNEL_LSH_CLEAR, lsh->join_options, share.items,
                   share.group, ARGS(ARG_BUFFER(lsh->lists), ARG_U32((uint32_t)cells))));
    index->statistics.tables = lsh->table_count;
    index->statistics.projections = lsh->projections;
    index->statistics.width = lsh->width;
cleanup:
    return status;
}

void prm_lsh_destroy(struct prm_context *context, struct prm_lsh *lsh)
{
    if (lsh == NULL)
        return;
    for (uint32_t t = 0; t < lsh->filled; t++) {
        struct lsh_table *table = &lsh->tables[t];
        prm_buffer_destroy(context, &table->order);
        prm_buffer_destroy(context, &table->starts);
        prm_buffer_destroy(context, &table->lengths);
        prm_buffer_destroy(context, &table->projections);
        prm_buffer_destroy(context, &table->factors);
        prm_cuckoo_destroy(table->runs);
    }
    prm_buffer_destroy(context, &lsh->lists);
    prm_buffer_destroy(context, &lsh->spare);
    prm_buffer_destroy(context, &lsh->reach);
    free(lsh);
}

enum prm_status prm_lsh_keys(const struct prm_neighbor_index *index, const struct lsh_table *table,
                             struct prm_buffer keys, struct prm_buffer rows, uint32_t n)
{
    const struct prm_share share = prm_share_of(index->context, n);
    return prm_launch(index->context, PRM_KERNEL_LSH_KEYS, index->lsh->options, share.items,
                      share.group,
                      ARGS(ARG_BUFFER(keys), ARG_BUFFER(rows), ARG_BUFFER(table->projections),
                           ARG_BUFFER(table->factors), ARG_U32(n)));
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

    TRY(prm_lsh_functions(table, index, number));
    TRY(prm_buffer_create(context, &table->order, bytes));
    TRY(prm_buffer_create(context, &table->starts, bytes));
    TRY(prm_buffer_create(context, &table->lengths, bytes));
    TRY(prm_arena_take(arena, &keys, bytes));
    TRY(prm_arena_take(arena, &unique, bytes));
    TRY(prm_arena_take(arena, &numbers, bytes));
    TRY(prm_arena_take(arena, &runs, sizeof(uint32_t)));

    TRY(prm_lsh_keys(index, table, keys, index->points, n));
    TRY(prm_permutation_identity(context, table->order, n));
    TRY(prm_radix_sort(arena, keys, table->order, PRM_NO_BUFFER, PRM_NO_BUFFER, n, NULL));
    TRY(prm_unique_sorted(arena, unique, table->starts, table->lengths, runs, keys, n));
    TRY(prm_buffer_read(context, runs, 0, &table->run_count, sizeof(uint32_t)));

    TRY(prm_permutation_identity(context, numbers, table->run_count));
    TRY(prm_cuckoo_create(arena, &table->runs, unique, numbers, table->run_count, &cuckoo));
    const uint32_t attempts = prm_cuckoo_statistics(table->runs).attempts;
    if (attempts > index->statistics.cuckoo_attempts)
        index->statistics.cuckoo_attempts = attempts;
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Every point meets its bucket of one table. */
static enum prm_status join(struct prm_arena *arena, struct prm_neighbor_index *index,
                            const struct lsh_table *table)
{
    struct prm_context *context = index->context;
    const struct prm_lsh *lsh = index->lsh;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t n = index->count;
    const struct prm_share share = prm_share_of(context, n);
    enum prm_status status = PRM_OK;
    struct prm_buffer rows;

    TRY(prm_arena_take(arena, &rows, (size_t)n * index->embedding.row * sizeof(float)));
    TRY(prm_launch(
        context, PRM_KERNEL_LSH_GATHER, lsh->join_options, share.items, share.group,
        ARGS(ARG_BUFFER(rows), ARG_BUFFER(index->points), ARG_BUFFER(table->order), ARG_U32(n))));
    TRY(prm_launch(context, PRM_KERNEL_LSH_JOIN, lsh->join_options, share.items, share.group,
                   ARGS(ARG_BUFFER(lsh->lists), ARG_BUFFER(rows), ARG_BUFFER(table->order),
                        ARG_BUFFER(table->starts), ARG_BUFFER(table->lengths),
                        ARG_U32(table->run_count), ARG_U32(index->options.k), ARG_U32(n))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* The next table, and what it finds. */
static enum prm_status add_table(struct prm_arena *arena, struct prm_neighbor_index *index)
{
    struct prm_lsh *lsh = index->lsh;
    struct lsh_table *table = &lsh->tables[lsh->filled];
    enum prm_status status = PRM_OK;

    // on a fault the index is destroyed, this table with it
    lsh->filled++;
    TRY(fill_table(arena, index, table, lsh->filled - 1));
    TRY(join(arena, index, table));
    lsh->passes = 0;
cleanup:
    return status;
}

/* Offers neighbours of neighbours. */
static enum prm_status refine(struct prm_neighbor_index *index)
{
    struct prm_lsh *lsh = index->lsh;
    const uint32_t n = index->count, k = index->options.k;
    const struct prm_share share = prm_share_of(index->context, n);
    const struct prm_buffer before = lsh->lists;
    enum prm_status status = PRM_OK;

    if (lsh->spare.memory == NULL)
        TRY(prm_buffer_create(index->context, &lsh->spare, (size_t)n * k * sizeof(uint64_t)));
    TRY(prm_launch(index->context, PRM_KERNEL_LSH_REFINE, lsh->list_options, share.items,
                   share.group,
                   ARGS(ARG_BUFFER(lsh->spare), ARG_BUFFER(before), ARG_BUFFER(index->points),
                        ARG_BUFFER(lsh->tables[lsh->filled - 1].order), ARG_U32(k), ARG_U32(n))));
    lsh->lists = lsh->spare;
    lsh->spare = before;
    lsh->passes++;
    lsh->is_refined = true;
cleanup:
    return status;
}

/* The share of the sample's neighbours that are not in its lists. */
static enum prm_status sample_missed(struct prm_arena *arena,
                                     const struct prm_neighbor_index *index, double *missed)
{
    const struct prm_lsh *lsh = index->lsh;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t n = lsh->samples;
    const struct prm_share share = prm_share_of(index->context, n);
    enum prm_status status = PRM_OK;
    struct prm_buffer hits;
    uint32_t counts[SAMPLES], found = 0;

    TRY(prm_arena_take(arena, &hits, n * sizeof(uint32_t)));
    TRY(prm_launch(index->context, PRM_KERNEL_LSH_HITS, lsh->list_options, share.items, share.group,
                   ARGS(ARG_BUFFER(hits), ARG_BUFFER(lsh->lists), ARG_BUFFER(lsh->reach),
                        ARG_U32(index->count / n), ARG_U32(index->options.k), ARG_U32(n))));
    TRY(prm_buffer_read(index->context, hits, 0, counts, n * sizeof(uint32_t)));
    for (uint32_t i = 0; i < n; i++)
        found += counts[i];
    *missed = lsh->wanted > found ? 1.0 - (double)found / lsh->wanted : 0.0;
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Whether a pass or a table comes next, after a step that left the share `missed` of the sample's
 * neighbours. Each table shrinks that by about the same factor s = missed / missed before, so that
 * `allowed` is reached after log(allowed / missed) / log(s) more. */
static void choose_next(struct prm_lsh *lsh, double missed, double allowed)
{
    const bool is_last = lsh->filled == lsh->table_count;
    if (lsh->wants_pass) {
        lsh->wants_pass = lsh->passes < PASSES_MAX || is_last;
    } else {
        const double shrink = fmin(missed / fmax(lsh->missed, MISSED_MIN), SHRINK_MAX);
        const double needed = log(fmax(allowed, ALLOWED_MIN) / missed) / log(shrink);
        lsh->wants_pass =
            is_last || (lsh->filled > 1 && missed <= 1 - PASS_SHARE_MIN && needed > PASS_TABLES);
    }
    lsh->missed = missed;
}

enum prm_status prm_lsh_fill(struct prm_arena *arena, struct prm_neighbor_index *index, bool *done)
{
    struct prm_lsh *lsh = index->lsh;
    const double allowed = fmax(1 - index->options.target_recall - SAMPLE_MARGIN, 0.0);
    double missed;
    enum prm_status status = PRM_OK;

    *done = false;
    if (lsh->wants_pass)
        TRY(refine(index));
    else
        TRY(add_table(arena, index));
    *done = lsh->filled == lsh->table_count;
    if (lsh->automatic) {
        TRY(sample_missed(arena, index, &missed));
        *done = missed <= allowed || (*done && lsh->passes == PASSES_MAX);
        choose_next(lsh, missed, allowed);
    }
    if (*done) {
        index->statistics.tables = lsh->filled;
        prm_buffer_destroy(index->context, &lsh->spare);
    }
cleanup:
    return status;
}

/* The tile index: points in tiles of 16 by median splits, searched 16 queries at a time over
 * kernels/tiles.cl and kernels/tiles_search.cl, which describe the method.
 *
 * With alpha 1 lists are exact and canonical. Below, boxes are passed over that are farther than
 * √alpha times the k-th neighbour found so far: which alpha reaches the target recall depends on
 * the dimension, and on how the points lie, so it is measured: spread tiles are searched exactly,
 * then with each alpha of a list, and the least that reaches the target and a margin is kept. Up to
 * three dimensions exact search costs hardly more, and foreign queries are always exact, so that
 * their answers do not depend on what is asked together. In more dimensions a CPU looks at codes of
 * rows and boxes first (kernels/tiles_codes.h), which changes no list.
 */
#include "roadmap/nearest/neighbors_index.h"

#include "device/try.h"
#include "kernels/tiles_types.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"
#include "roadmap/nearest/tile_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Points of a bucket, about, and of the sample that stand for one. */
enum { BUCKET_POINTS = 512, BUCKET_SAMPLES = 16 };
/* Buckets that one step cuts into tiles: about two milliseconds. */
enum { BUCKETS_PER_STEP = 256 };
/* Tiles whose lists decide about alpha; with fewer than some times as many tiles it would not pay.
 */
enum { CALIBRATION_TILES = 32, CALIBRATION_SHARE_MIN = 8 };
/* Groups of foreign queries that a compute unit should have before groups are filled. */
enum { GROUPS_PER_UNIT = 4 };
/* Dimensions up to which search is exact. */
enum { EXACT_DOF = 3 };
/* Recall beyond the target that a sample must show; where boxes are about curved pieces of a space,
 * tiles differ more. */
#define CALIBRATION_MARGIN 0.01
#define CALIBRATION_MARGIN_CURVED 0.02

static const float ALPHAS[] = {0.2f, 0.25f, 0.3f, 0.35f, 0.5f, 0.7f};

/* Entries of a list in registers, a program each: k + 2 at least. */
static const uint32_t LEVELS[] = {6, 12, 18, 34, 66, PRM_NEIGHBORS_MAX + 2};

enum tiles_stage { TILES_BUCKETS, TILES_SPLIT, TILES_CALIBRATE, TILES_DONE };

struct prm_tiles {
    enum tiles_stage stage;
    struct tile_layout layout;
    uint32_t depth; /* of the tree of buckets */
    float alpha;
    struct prm_buffer axes, values, ties; /* u32, f32, u32 [buckets]: the tree, node 1 its root */
    struct prm_buffer starts;             /* u32[buckets + 1]: slots */
    struct prm_buffer rows, ids;          /* f32[slots][row], u32[slots] */
    struct prm_buffer boxes, bounds, lowest, owners;
    struct prm_buffer codes, frame; /* of a CPU: tiles_encode of kernels/tiles.cl */
    /* while it is made */
    struct prm_buffer order, begins, copies, keys;
    uint32_t split; /* buckets that are tiles */
};

/* Makes the tree of buckets and puts it on the device. One read-back: the sample. */
static enum prm_status make_tree(struct prm_arena *arena, const struct prm_neighbor_index *index)
{
    struct prm_context *context = index->context;
    struct prm_tiles *tiles = index->tiles;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t buckets = tiles->layout.buckets, most = BUCKET_SAMPLES * buckets;
    const uint32_t samples = index->count < most ? index->count : most;
    const size_t row_bytes = index->embedding.row * sizeof(float),
                 words = buckets * sizeof(uint32_t);
    const struct prm_share share = prm_share_of(context, samples);
    char rows[PRM_EMBEDDING_OPTIONS_MAX];
    struct prm_buffer on_device;
    enum prm_status status = PRM_OK;
    float *sample = malloc(samples * row_bytes);
    struct prm_tile_tree tree = {.dof = index->embedding.dof,
                                 .row = index->embedding.row,
                                 .buckets = buckets,
                                 .count = index->count,
                                 .samples = samples,
                                 .sample = sample,
                                 .keys = malloc(samples * sizeof(uint64_t)),
                                 .axes = calloc(buckets, sizeof(uint32_t)),
                                 .ties = calloc(buckets, sizeof(uint32_t)),
                                 .values = calloc(buckets, sizeof(float))};

    if (!sample || !tree.keys || !tree.axes || !tree.ties || !tree.values) {
        status = prm_fault_set(PRM_HOST_MEMORY, "no memory for a sample of %u points", samples);
        goto cleanup;
    }
    prm_embedding_options(rows, &index->embedding);
    TRY(prm_arena_take(arena, &on_device, samples * row_bytes));
    TRY(prm_launch(context, PRM_KERNEL_TILES_SAMPLE, rows, share.items, share.group,
                   ARGS(ARG_BUFFER(on_device), ARG_BUFFER(index->points), ARG_U32(index->count),
                        ARG_U32(samples))));
    // one bucket needs no tree
    if (buckets > 1)
        TRY(prm_buffer_read(context, on_device, 0, sample, samples * row_bytes));
    prm_tile_tree_grow(&tree);
    TRY(prm_buffer_create(context, &tiles->axes, words));
    TRY(prm_buffer_create(context, &tiles->ties, words));
    TRY(prm_buffer_create(context, &tiles->values, words));
    TRY(prm_buffer_write(context, tiles->axes, 0, tree.axes, words));
    TRY(prm_buffer_write(context, tiles->ties, 0, tree.ties, words));
    TRY(prm_buffer_write(context, tiles->values, 0, tree.values, words));
cleanup:
    prm_arena_rewind(arena, mark);
    free(sample);
    free(tree.keys);
    free(tree.axes);
    free(tree.ties);
    free(tree.values);
    return status;
}

/* Sorts the points by bucket. */
static enum prm_status fill_buckets(struct prm_arena *arena, const struct prm_neighbor_index *index)
{
    struct prm_context *context = index->context;
    struct prm_tiles *tiles = index->tiles;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t n = index->count, buckets = tiles->layout.buckets;
    const struct prm_share points = prm_share_of(context, n);
    const struct prm_share each = prm_share_of(context, buckets);
    const struct prm_sort_options sort = {.key_bits = tiles->depth > 0 ? tiles->depth : 1};
    struct prm_buffer bucket_of, slots;
    char rows[PRM_EMBEDDING_OPTIONS_MAX];
    enum prm_status status = PRM_OK;

    prm_embedding_options(rows, &index->embedding);
    TRY(make_tree(arena, index));
    TRY(prm_arena_take(arena, &bucket_of, n * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &slots, buckets * sizeof(uint32_t)));
    TRY(prm_launch(context, PRM_KERNEL_TILES_CLASSIFY, rows, points.items, points.group,
                   ARGS(ARG_BUFFER(bucket_of), ARG_BUFFER(tiles->order), ARG_BUFFER(index->points),
                        ARG_BUFFER(tiles->axes), ARG_BUFFER(tiles->values), ARG_BUFFER(tiles->ties),
                        ARG_U32(tiles->depth), ARG_U32(n))));
    TRY(prm_radix_sort(arena, bucket_of, tiles->order, PRM_NO_BUFFER, PRM_NO_BUFFER, n, &sort));
    TRY(prm_launch(context, PRM_KERNEL_TILES_BEGINS, rows, each.items, each.group,
                   ARGS(ARG_BUFFER(tiles->begins), ARG_BUFFER(slots), ARG_BUFFER(bucket_of),
                        ARG_U32(n), ARG_U32(buckets))));
    TRY(prm_scan_exclusive(arena, tiles->starts, slots, buckets, PRM_SCAN_AUTO));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Cuts some more buckets into tiles. */
static enum prm_status split_buckets(const struct prm_neighbor_index *index)
{
    struct prm_tiles *tiles = index->tiles;
    const uint32_t left = tiles->layout.buckets - tiles->split;
    const uint32_t n = left < BUCKETS_PER_STEP ? left : BUCKETS_PER_STEP;
    const struct prm_share share = prm_share_of(index->context, n);
    char rows[PRM_EMBEDDING_OPTIONS_MAX];

    prm_embedding_options(rows, &index->embedding);
    const enum prm_status status = prm_launch(
        index->context, PRM_KERNEL_TILES_SPLIT, rows, share.items, share.group,
        ARGS(ARG_BUFFER(tiles->rows), ARG_BUFFER(tiles->ids), ARG_BUFFER(tiles->boxes),
             ARG_BUFFER(tiles->bounds), ARG_BUFFER(tiles->lowest), ARG_BUFFER(tiles->owners),
             ARG_BUFFER(tiles->copies), ARG_BUFFER(tiles->keys), ARG_BUFFER(index->points),
             ARG_BUFFER(tiles->order), ARG_BUFFER(tiles->begins), ARG_BUFFER(tiles->starts),
             ARG_STRUCT(&tiles->layout), ARG_U32(tiles->split), ARG_U32(n)));
    tiles->split += n;
    return status;
}

/* Gives all rows and boxes their codes, which searches on a CPU look at first. */
static enum prm_status encode(const struct prm_neighbor_index *index)
{
    const struct prm_tiles *tiles = index->tiles;
    const struct tile_layout *layout = &tiles->layout;
    const size_t nodes = (size_t)layout->tile_nodes + layout->bucket_nodes;
    const size_t n = (size_t)layout->tile_nodes * TILE_ROWS + nodes;
    const struct prm_share share = prm_share_of(index->context, n);
    char rows[PRM_EMBEDDING_OPTIONS_MAX];

    if (tiles->codes.memory == NULL)
        return PRM_OK;
    prm_embedding_options(rows, &index->embedding);
    return prm_launch(index->context, PRM_KERNEL_TILES_ENCODE, rows, share.items, share.group,
                      ARGS(ARG_BUFFER(tiles->codes), ARG_BUFFER(tiles->frame),
                           ARG_BUFFER(tiles->rows), ARG_BUFFER(tiles->boxes),
                           ARG_BUFFER(tiles->starts), ARG_STRUCT(layout), ARG_U32((uint32_t)n)));
}

/* Launches a search. order, places: foreign queries'. */
static enum prm_status launch_search(struct prm_arena *arena, struct prm_buffer indices,
                                     struct prm_buffer distances,
                                     const struct prm_neighbor_index *index,
                                     struct prm_buffer queries, struct prm_buffer order,
                                     struct prm_buffer places, const struct tile_asked *asked)
{
    const struct prm_profile *profile = prm_context_profile(index->context);
    const struct prm_tiles *tiles = index->tiles;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    char options[PRM_EMBEDDING_OPTIONS_MAX + 16], rows[PRM_EMBEDDING_OPTIONS_MAX];
    size_t level = 0, queries_most = asked->count;
    const bool is_coded = tiles->codes.memory != NULL;
    enum prm_status status = PRM_OK;

    // the share of all tiles that a piece has, rounded up, each with its pad
    const uint64_t all = tiles->layout.tile_nodes;
    if (asked->sample > 0)
        queries_most = (size_t)asked->sample * TILE_ROWS;
    else if (!asked->foreign)
        queries_most = (size_t)(all * asked->count / asked->of + 2) * TILE_ROWS;
    const size_t group = profile->shape == PRM_SHAPE_GPU ? 1
                         : asked->foreign                ? asked->group
                                                         : TILE_ROWS;
    const struct prm_share share = prm_share_of(index->context, (queries_most + group - 1) / group);

    // lists are kept with their distances
    if (distances.memory == NULL) {
        const size_t lists = asked->foreign ? asked->count : index->count;
        TRY(prm_arena_take(arena, &distances, lists * asked->k * sizeof(float)));
    }
    while (LEVELS[level] < asked->k + 2)
        level++;
    prm_embedding_options(rows, &index->embedding);
    snprintf(options, sizeof(options), "%s -DLEVELS=%u", rows, LEVELS[level]);
    TRY(prm_launch(index->context, PRM_KERNEL_TILES_SEARCH, options, share.items, share.group,
                   ARGS(ARG_BUFFER(indices), ARG_BUFFER(distances), ARG_BUFFER(tiles->rows),
                        ARG_BUFFER(tiles->ids), ARG_BUFFER(tiles->boxes), ARG_BUFFER(tiles->bounds),
                        ARG_BUFFER(tiles->lowest), ARG_BUFFER(tiles->owners),
                        ARG_BUFFER(tiles->starts), ARG_BUFFER(is_coded ? tiles->codes : tiles->ids),
                        ARG_BUFFER(is_coded ? tiles->frame : tiles->rows),
                        ARG_STRUCT(&tiles->layout), ARG_BUFFER(queries), ARG_BUFFER(order),
                        ARG_BUFFER(places), ARG_STRUCT(asked))));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* The distances of the sample's lists with one alpha, [CALIBRATION_TILES * TILE_ROWS][k]. */
static enum prm_status search_sample(struct prm_arena *arena, float *distances,
                                     const struct prm_neighbor_index *index, float alpha)
{
    const struct prm_buffer none = index->tiles->ids;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const uint32_t k = index->options.k;
    const size_t slots = (size_t)CALIBRATION_TILES * TILE_ROWS * k;
    const struct tile_asked asked = {.of = index->count,
                                     .sample = CALIBRATION_TILES,
                                     .k = k,
                                     .bound = prm_neighbors_bound(index->options.radius),
                                     .alpha = alpha};
    const union {
        float value;
        uint32_t bits;
    } nothing = {INFINITY};
    struct prm_buffer indices, found;
    enum prm_status status = PRM_OK;

    TRY(prm_arena_take(arena, &indices, slots * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &found, slots * sizeof(float)));
    TRY(prm_buffer_fill_u32(index->context, found, 0, nothing.bits, slots));
    TRY(launch_search(arena, indices, found, index, none, none, none, &asked));
    TRY(prm_buffer_read(index->context, found, 0, distances, slots * sizeof(float)));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

/* Share of the true neighbours found; what ties with the last counts. */
static double recall_of(const float *found, const float *exact, size_t lists, uint32_t k)
{
    uint64_t hits = 0, all = 0;
    for (size_t i = 0; i < lists; i++, found += k, exact += k) {
        uint32_t count = 0;
        while (count < k && exact[count] < INFINITY)
            count++;
        for (uint32_t j = 0; j < count; j++)
            hits += found[j] <= exact[count - 1];
        all += count;
    }
    return all > 0 ? (double)hits / (double)all : 1.0;
}

/* The least alpha whose sampled recall reaches the target; 1 where none does. Read-backs: a
 * sample's distances for each alpha tried. */
static enum prm_status calibrate(struct prm_arena *arena, struct prm_neighbor_index *index)
{
    struct prm_tiles *tiles = index->tiles;
    const size_t lists = (size_t)CALIBRATION_TILES * TILE_ROWS, slots = lists * index->options.k;
    const double margin =
        prm_embedding_is_flat(&index->embedding) ? CALIBRATION_MARGIN : CALIBRATION_MARGIN_CURVED;
    const double target = index->options.target_recall + margin;
    enum prm_status status = PRM_OK;
    float *distances = NULL;

    if (prm_embedding_dimension(&index->embedding) <= EXACT_DOF || target > 1.0 ||
        index->count < CALIBRATION_SHARE_MIN * CALIBRATION_TILES * TILE_ROWS)
        return PRM_OK;
    distances = malloc(2 * slots * sizeof(*distances));
    if (distances == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for %zu distances", 2 * slots);
    TRY(search_sample(arena, distances, index, 1.0f));
    for (size_t i = 0; tiles->alpha == 1.0f && i < sizeof(ALPHAS) / sizeof(ALPHAS[0]); i++) {
        TRY(search_sample(arena, distances + slots, index, ALPHAS[i]));
        if (recall_of(distances + slots, distances, lists, index->options.k) >= target)
            tiles->alpha = ALPHAS[i];
    }
cleanup:
    free(distances);
    return status;
}

/* Frees what only the making needed. */
static void drop_scratch(struct prm_context *context, struct prm_tiles *tiles)
{
    prm_buffer_destroy(context, &tiles->order);
    prm_buffer_destroy(context, &tiles->begins);
    prm_buffer_destroy(context, &tiles->copies);
    prm_buffer_destroy(context, &tiles->keys);
}

enum prm_status prm_tiles_create(struct prm_neighbor_index *index)
{
    struct prm_context *context = index->context;
    const uint32_t n = index->count, row = index->embedding.row;
    enum prm_status status = PRM_OK;
    struct prm_tiles *tiles = calloc(1, sizeof(*tiles));
    if (tiles == NULL)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for a tile index");
    index->tiles = tiles;
    tiles->alpha = 1.0f;
    while (n >> tiles->depth > BUCKET_POINTS)
        tiles->depth++;

    // each bucket may leave most of a tile empty; both kinds of nodes are read TILE_NODES at a time
    const uint32_t buckets = 1u << tiles->depth;
    const uint32_t tiles_most = (n + (TILE_ROWS - 1) * buckets) / TILE_ROWS;
    const uint32_t tile_nodes = (tiles_most + TILE_NODES) / TILE_NODES * TILE_NODES;
    const uint32_t bucket_nodes = buckets < TILE_NODES ? TILE_NODES : buckets;
    const size_t nodes = tile_nodes + bucket_nodes, slots = (size_t)tile_nodes * TILE_ROWS;
    const size_t bounds = nodes * 2 * index->embedding.dof;
    const union {
        float value;
        uint32_t bits;
    } nothing = {INFINITY};
    tiles->layout = (struct tile_layout){buckets, tile_nodes, bucket_nodes};
    TRY(prm_buffer_create(context, &tiles->starts, (buckets + 1) * sizeof(uint32_t)));
    TRY(prm_buffer_create(context, &tiles->rows, slots * row * sizeof(float)));
    TRY(prm_buffer_create(context, &tiles->ids, slots * sizeof(uint32_t)));
    TRY(prm_buffer_create(context, &tiles->boxes, nodes * 2 * row * sizeof(float)));
    TRY(prm_buffer_create(context, &tiles->bounds, bounds * sizeof(float)));
    TRY(prm_buffer_create(context, &tiles->lowest, nodes * sizeof(uint32_t)));
    TRY(prm_buffer_create(context, &tiles->owners, tile_nodes * sizeof(uint32_t)));
    if (prm_context_profile(context)->shape == PRM_SHAPE_CPU && index->embedding.dof > EXACT_DOF) {
        const size_t point = (index->embedding.dof + 1) / 2;
        const size_t words = slots * (point + 1) + 2 * nodes * point;
        TRY(prm_buffer_create(context, &tiles->codes, words * sizeof(uint32_t)));
        TRY(prm_buffer_create(context, &tiles->frame, (index->embedding.dof + 1) * sizeof(float)));
    }
    TRY(prm_buffer_create(context, &tiles->order, n * sizeof(uint32_t)));
    TRY(prm_buffer_create(context, &tiles->begins, (buckets + 1) * sizeof(uint32_t)));
    TRY(prm_buffer_create(context, &tiles->copies, (size_t)n * row * sizeof(float)));
    TRY(prm_buffer_create(context, &tiles->keys, n * sizeof(u64)));
    TRY(prm_buffer_fill_u32(context, tiles->ids, 0, NONE_U32, slots));
    // nodes that are none are infinitely far
    TRY(prm_buffer_fill_u32(context, tiles->bounds, 0, nothing.bits, bounds));
cleanup:
    return status;
}

void prm_tiles_destroy(struct prm_context *context, struct prm_tiles *tiles)
{
    if (tiles == NULL)
        return;
    drop_scratch(context, tiles);
    prm_buffer_destroy(context, &tiles->axes);
    prm_buffer_destroy(context, &tiles->values);
    prm_buffer_destroy(context, &tiles->ties);
    prm_buffer_destroy(context, &tiles->starts);
    prm_buffer_destroy(context, &tiles->rows);
    prm_buffer_destroy(context, &tiles->ids);
    prm_buffer_destroy(context, &tiles->boxes);
    prm_buffer_destroy(context, &tiles->bounds);
    prm_buffer_destroy(context, &tiles->lowest);
    prm_buffer_destroy(context, &tiles->owners);
    prm_buffer_destroy(context, &tiles->codes);
    prm_buffer_destroy(context, &tiles->frame);
    free(tiles);
}

enum prm_status prm_neighbor_slots(struct prm_buffer *slots, size_t *count,
                                   const struct prm_neighbor_index *index)
{
    if (index->tiles == NULL)
        return prm_fault_set(PRM_UNSUPPORTED, "an index without tiles has no slots");
    *slots = index->tiles->ids;
    *count = (size_t)index->tiles->layout.tile_nodes * TILE_ROWS;
    return PRM_OK;
}

static uint64_t bytes_of(const struct prm_tiles *tiles)
{
    return tiles->axes.bytes + tiles->values.bytes + tiles->ties.bytes + tiles->starts.bytes +
           tiles->rows.bytes + tiles->ids.bytes + tiles->boxes.bytes + tiles->bounds.bytes +
           tiles->lowest.bytes + tiles->owners.bytes + tiles->codes.bytes + tiles->frame.bytes;
}

enum prm_status prm_tiles_fill(struct prm_arena *arena, struct prm_neighbor_index *index,
                               bool *done)
{
    struct prm_tiles *tiles = index->tiles;
    enum prm_status status = PRM_OK;

    switch (tiles->stage) {
    case TILES_BUCKETS:
        TRY(fill_buckets(arena, index));
        tiles->stage = TILES_SPLIT;
        break;
    case TILES_SPLIT:
        TRY(split_buckets(index));
        if (tiles->split == tiles->layout.buckets) {
            TRY(encode(index));
            drop_scratch(index->context, tiles);
            tiles->stage = TILES_CALIBRATE;
        }
        break;
    case TILES_CALIBRATE:
        TRY(calibrate(arena, index));
        index->statistics.alpha = (double)tiles->alpha;
        index->statistics.device_bytes = bytes_of(tiles);
        tiles->stage = TILES_DONE;
        break;
    case TILES_DONE:
        break;
    }
    *done = tiles->stage == TILES_DONE;
cleanup:
    return status;
}

enum prm_status prm_tiles_self(struct prm_arena *arena, struct prm_buffer indices,
                               struct prm_buffer distances, const struct prm_neighbor_index *index,
                               uint32_t first, uint32_t n)
{
    const struct prm_buffer none = index->tiles->ids;
    const struct tile_asked asked = {.first = first,
                                     .count = n,
                                     .of = index->count,
                                     .k = index->options.k,
                                     .bound = prm_neighbors_bound(index->options.radius),
                                     .alpha = index->tiles->alpha};
    return launch_search(arena, indices, distances, index, none, none, none, &asked);
}

enum prm_status prm_tiles_foreign(struct prm_arena *arena, struct prm_buffer indices,
                                  struct prm_buffer distances,
                                  const struct prm_neighbor_index *index, struct prm_buffer queries,
                                  uint32_t n, uint32_t k, double radius)
{
    struct prm_context *context = index->context;
    const struct prm_profile *profile = prm_context_profile(context);
    const struct prm_tiles *tiles = index->tiles;
    const struct prm_arena_mark mark = prm_arena_mark(arena);
    const struct prm_share share = prm_share_of(context, n);
    // few queries are spread over the machine
    const uint32_t spread = n / (GROUPS_PER_UNIT * profile->compute_units);
    const struct tile_asked asked = {.foreign = 1,
                                     .count = n,
                                     .group = spread < 1           ? 1
                                              : spread > TILE_ROWS ? TILE_ROWS
                                                                   : spread,
                                     .k = k,
                                     .bound = prm_neighbors_bound(radius),
                                     .alpha = 1.0f};
    struct prm_sort_options sort = {.key_bits = 1};
    struct prm_buffer order, places, keys;
    char rows[PRM_EMBEDDING_OPTIONS_MAX];
    enum prm_status status = PRM_OK;

    while (tiles->layout.tile_nodes >> sort.key_bits > 0)
        sort.key_bits++;
    prm_embedding_options(rows, &index->embedding);
    TRY(prm_arena_take(arena, &order, n * sizeof(uint32_t)));
    TRY(prm_arena_take(arena, &places, n * sizeof(uint32_t)));
    TRY(prm_launch(context, PRM_KERNEL_TILES_PLACE, rows, share.items, share.group,
                   ARGS(ARG_BUFFER(places), ARG_BUFFER(order), ARG_BUFFER(queries),
                        ARG_BUFFER(tiles->boxes), ARG_BUFFER(tiles->starts),
                        ARG_BUFFER(tiles->axes), ARG_BUFFER(tiles->values), ARG_BUFFER(tiles->ties),
                        ARG_U32(tiles->depth), ARG_U32(n))));
    // queries of one place together
    if (n > GROUPS_PER_UNIT * profile->compute_units) {
        TRY(prm_arena_take(arena, &keys, n * sizeof(uint32_t)));
        TRY(prm_buffer_copy(context, keys, 0, places, 0, n * sizeof(uint32_t)));
        TRY(prm_radix_sort(arena, keys, order, PRM_NO_BUFFER, PRM_NO_BUFFER, n, &sort));
    }
    TRY(launch_search(arena, indices, distances, index, queries, order, places, &asked));
cleanup:
    prm_arena_rewind(arena, mark);
    return status;
}

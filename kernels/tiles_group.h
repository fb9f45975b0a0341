/* Tile search on a GPU: a query is a work-item, a work-group walks together. Included by
 * tiles_search.cl.
 *
 * Each work-item tests a bucket or tile against the box around the group's queries, and the group
 * takes the near ones in turn; the rows of a tile go through local memory. A list is a sorted
 * column of 64-bit keys, the squared distance above and the id below, so that the order of keys is
 * the order of lists. With alpha below 1 a query looks only into tiles that are near enough to
 * itself.
 *
 * Launch: whole groups of WORKGROUP. -D WORKGROUP.
 */
#ifndef KERNELS_TILES_GROUP_H
#define KERNELS_TILES_GROUP_H

#ifndef __OPENCL_VERSION__
#error "tiles_group.h is device code"
#endif

#include "workgroup.h"

/* What the work-group shares: the kernel declares it. */
struct group_memory {
    __local f32 *rows;            /* [TILE_ROWS][ROW] of the tile at hand */
    __local u32 *ids;             /* [TILE_ROWS] */
    __local f32 *low, *high;      /* [DOF] box around the group's queries */
    __local f32 *reach;           /* [WORKGROUP] of each list */
    __local u32 *asking;          /* [WORKGROUP] rows that ask */
    __local u32 *buckets, *tiles; /* [WORKGROUP] whether they are near enough */
};
#define GROUP_MEMORY(memory)                                                                       \
    __local f32 memory##_rows[TILE_ROWS * ROW], memory##_low[DOF], memory##_high[DOF];             \
    __local f32 memory##_reach[WORKGROUP];                                                         \
    __local u32 memory##_ids[TILE_ROWS], memory##_asking[WORKGROUP];                               \
    __local u32 memory##_buckets[WORKGROUP], memory##_tiles[WORKGROUP];                            \
    const struct group_memory memory = {memory##_rows,    memory##_ids,   memory##_low,            \
                                        memory##_high,    memory##_reach, memory##_asking,         \
                                        memory##_buckets, memory##_tiles}

/* One work-item's query and list. */
struct seeker {
    f32 query[DOF];
    u64 key[LEVELS];
    u32 own, out;
    f32 alpha;
};

static inline u64 key_of(f32 squared, u32 id)
{
    return (u64)as_uint(squared) << 32 | id;
}

/* The last key of the list: what comes before it enters. */
static inline u64 last_of(const struct seeker *seeker)
{
    return seeker->key[LEVELS - 1];
}

/* How far the list reaches, squared. */
static inline f32 reach_of(const struct seeker *seeker)
{
    return as_float((u32)(last_of(seeker) >> 32));
}

static inline void list_insert(struct seeker *seeker, u64 key)
{
    FOR_LEVELS
    for (u32 i = LEVELS - 1; i > 0; i--)
        seeker->key[i] = min(seeker->key[i], max(seeker->key[i - 1], key));
    seeker->key[0] = min(seeker->key[0], key);
}

/* Squared chord to the nearest place in a box. */
static inline f32 beside_box(const f32 *query, __global const f32 *box)
{
    f32 squared;
    EMBEDDING_CHORD(f32, squared, query[c] - min(max(query[c], box[c]), box[ROW + c]));
    return squared;
}

/* Squared chord between the box around the group and a node's. */
static inline f32 beside_node(const struct group_memory *memory, const struct tiles *tiles,
                              u32 node)
{
    __global const f32 *box = tiles->boxes + (size_t)2 * node * ROW;
    f32 squared;
    EMBEDDING_CHORD(f32, squared,
                    max(max(box[c] - memory->high[c], memory->low[c] - box[ROW + c]), 0.0f));
    return squared;
}

/* Marks which of the nodes `first` + (0 … WORKGROUP - 1) < end, but `but`, are near enough for any
 * of the group. `offset`: of these nodes in the table. */
static inline void mark_near(__local u32 *marks, const struct group_memory *memory,
                             const struct seeker *seeker, const struct tiles *tiles, u32 first,
                             u32 end, u32 but, u32 offset)
{
    const u32 item = (u32)get_local_id(0), node = first + item;
    f32 reach = 0.0f;

    memory->reach[item] = reach_of(seeker);
    workgroup_barrier();
    for (u32 i = 0; i < WORKGROUP; i++)
        reach = max(reach, memory->reach[i]);
    marks[item] = node < end && node != but &&
                  beside_node(memory, tiles, offset + node) <= seeker->alpha * reach;
    workgroup_barrier();
}

/* The first mark from `item` on, WORKGROUP after the last. */
static inline u32 next_marked(__local const u32 *marks, u32 item)
{
    while (item < WORKGROUP && !marks[item])
        item++;
    return item;
}

/* Offers the points of one tile to all queries of the group. */
static inline void offer_tile(const struct group_memory *memory, struct seeker *seeker,
                              const struct tiles *tiles, u32 tile)
{
    workgroup_barrier();
    for (u32 i = (u32)get_local_id(0); i < TILE_ROWS * ROW; i += WORKGROUP)
        memory->rows[i] = tiles->rows[(size_t)tile * TILE_ROWS * ROW + i];
    for (u32 i = (u32)get_local_id(0); i < TILE_ROWS; i += WORKGROUP)
        memory->ids[i] = tiles->ids[(size_t)tile * TILE_ROWS + i];
    workgroup_barrier();

    const bool is_near = beside_box(seeker->query, tiles->boxes + (size_t)2 * tile * ROW) <=
                         seeker->alpha * reach_of(seeker);
    for (u32 i = 0; i < TILE_ROWS && is_near; i++) {
        f32 squared;
        EMBEDDING_SQUARED(f32, squared, seeker->query[c], memory->rows[i * ROW + c], EMBEDDING_ONE);
        const u64 key = key_of(squared, memory->ids[i]);
        if (key < last_of(seeker) && memory->ids[i] != seeker->own)
            list_insert(seeker, key);
    }
}

static inline void offer_bucket(const struct group_memory *memory, struct seeker *seeker,
                                const struct tiles *tiles, u32 bucket)
{
    const u32 end = tiles->starts[bucket + 1] / TILE_ROWS;
    for (u32 first = tiles->starts[bucket] / TILE_ROWS; first < end; first += WORKGROUP) {
        mark_near(memory->tiles, memory, seeker, tiles, first, end, NONE_U32, 0);
        for (u32 i = next_marked(memory->tiles, 0); i < WORKGROUP;
             i = next_marked(memory->tiles, i + 1))
            offer_tile(memory, seeker, tiles, first + i);
        workgroup_barrier();
    }
}

/* The query of this work-item, *asking its row, and the tile to begin with; work-items without one
 * repeat another's. */
static inline u32 seeker_load(struct seeker *seeker, u32 *asking, const struct tiles *tiles,
                              const struct guests *guests, const struct tile_asked *asked)
{
    const u32 item = (u32)get_global_id(0);
    u32 base, row;

    if (asked->foreign) {
        const bool is_query = item < asked->count;
        const u32 query = guests->order[is_query ? item : asked->count - 1];
        seeker->out = is_query ? query : NONE_U32;
        seeker->own = NONE_U32;
        base = guests->places[query];
        row = query;
    } else {
        const struct stretch stretch = stretch_of(tiles, asked);
        const u32 number = item / TILE_ROWS,
                  last = tiles->starts[tiles->layout.buckets] / TILE_ROWS - 1;
        const u32 tile = min(stretch_tile(tiles, asked, &stretch, number), last);
        const u32 slot = tile * TILE_ROWS + item % TILE_ROWS;
        const u32 id = tiles->ids[slot];
        const bool is_query = number < stretch.tiles && id != NONE_U32;
        seeker->out = !is_query ? NONE_U32 : asked->sample == 0 ? id : item;
        seeker->own = id;
        base = tile;
        row = id != NONE_U32 ? slot : tile * TILE_ROWS;
    }
    __global const f32 *rows = asked->foreign ? guests->rows : tiles->rows;
    for (u32 c = 0; c < DOF; c++)
        seeker->query[c] = rows[(size_t)row * ROW + c];
    *asking = row;
    for (u32 i = 0; i < LEVELS; i++)
        seeker->key[i] = i + asked->k < LEVELS ? 0 : key_of(asked->bound, 0);
    seeker->alpha = asked->alpha;
    return base;
}

static inline void search_all(__global u32 *indices, __global f32 *distances,
                              const struct tiles *tiles, const struct guests *guests,
                              const struct tile_asked *asked, const struct group_memory *memory)
{
    struct seeker seeker;
    __global const f32 *rows = asked->foreign ? guests->rows : tiles->rows;
    u32 asking;
    const u32 base = seeker_load(&seeker, &asking, tiles, guests, asked);

    // the box around the group's queries, a coordinate a work-item
    memory->asking[get_local_id(0)] = asking;
    if (get_local_id(0) == 0)
        memory->ids[0] = tiles->owners[base];
    workgroup_barrier();
    for (u32 c = (u32)get_local_id(0); c < DOF; c += WORKGROUP) {
        f32 low = INFINITY, high = -INFINITY;
        for (u32 i = 0; i < WORKGROUP; i++) {
            low = min(low, rows[(size_t)memory->asking[i] * ROW + c]);
            high = max(high, rows[(size_t)memory->asking[i] * ROW + c]);
        }
        memory->low[c] = low;
        memory->high[c] = high;
    }
    const u32 own = memory->ids[0];
    workgroup_barrier();

    // the first query's bucket, then all others, its neighbours in the tree first
    const u32 buckets = tiles->layout.buckets, blocks = max(buckets / WORKGROUP, 1u);
    for (u32 step = 0; step <= blocks; step++) {
        const u32 first = step == 0 ? own : (own / WORKGROUP ^ (step - 1)) * WORKGROUP;
        mark_near(memory->buckets, memory, &seeker, tiles, first, step == 0 ? own + 1 : buckets,
                  step == 0 ? NONE_U32 : own, tiles->layout.tile_nodes);
        for (u32 i = next_marked(memory->buckets, 0); i < WORKGROUP;
             i = next_marked(memory->buckets, i + 1))
            offer_bucket(memory, &seeker, tiles, first + i);
        workgroup_barrier();
    }

    // what is full is not empty: its distance is below the bound
    const u64 empty = key_of(asked->bound, 0);
    const size_t out = (size_t)seeker.out * asked->k;
    for (u32 i = 0; i < asked->k && seeker.out != NONE_U32; i++) {
        const u64 key = seeker.key[LEVELS - asked->k + i];
        indices[out + i] = key < empty ? (u32)key : NONE_U32;
        distances[out + i] = key < empty ? sqrt(as_float((u32)(key >> 32))) : INFINITY;
    }
}

#endif

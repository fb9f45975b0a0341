/* The second walk of tile search on a CPU, for lanes whose packed keys cannot tell who is the last.
 * Included by tiles_lanes.h.
 *
 * The rows found so far are true points, so they bound what may still enter; everything that comes
 * before a row's last pair (squared distance, id) is offered again, with exact pairs. Boxes as far
 * as the last pair are looked into only where they hold a lower id, which keeps crowds of equal
 * points from being looked through as a whole.
 */
#ifndef KERNELS_TILES_SETTLE_H
#define KERNELS_TILES_SETTLE_H

#ifndef __OPENCL_VERSION__
#error "tiles_settle.h is device code"
#endif

/* Puts a pair into a sorted row of k, unless it is there already or too late. */
static inline void row_insert(__global f32 *distances, __global u32 *indices, u32 k, f32 squared,
                              u32 id)
{
    u32 at = k;
    while (at > 0 && pair_before(squared, id, distances[at - 1], indices[at - 1]))
        at--;
    if (at == k || (at > 0 && indices[at - 1] == id))
        return;
    for (u32 i = k - 1; i > at; i--) {
        distances[i] = distances[i - 1];
        indices[i] = indices[i - 1];
    }
    distances[at] = squared;
    indices[at] = id;
}

/* How far the rows of the unsettled lanes reach: their last pairs. */
struct reach {
    part_f32 squared[PARTS];
    part_u32 id[PARTS];
};

static inline struct reach reach_of(__global const f32 *distances, __global const u32 *indices,
                                    const struct lane_rows *rows, u32 open, u32 k)
{
    f32 squared[TILE_ROWS];
    u32 id[TILE_ROWS];
    for (u32 lane = 0; lane < TILE_ROWS; lane++) {
        const bool is_open = (open >> lane & 1) != 0;
        const size_t last = is_open ? (size_t)rows->out[lane] * k + k - 1 : 0;
        squared[lane] = is_open ? distances[last] : -1.0f;
        id[lane] = is_open ? indices[last] : 0;
    }
    struct reach reach;
    for (u32 p = 0; p < PARTS; p++) {
        reach.squared[p] = part_load(p, squared);
        reach.id[p] = part_load(p, id);
    }
    return reach;
}

/* Lanes of a part for which (squared, id) comes before their last pair. */
static inline part_i32 reach_before(const struct reach *reach, u32 p, part_f32 squared, u32 id)
{
    return (squared < reach->squared[p]) |
           ((squared == reach->squared[p]) & (part_i32)((part_u32)(id) < reach->id[p]));
}

/* Whether a node may hold what comes before the last pair of any lane. */
static inline bool node_before(const struct reach *reach, const struct lanes *lanes,
                               const struct tiles *tiles, u32 node)
{
    __global const f32 *box = tiles->boxes + (size_t)2 * node * ROW;
    bool before = false;
    for (u32 p = 0; p < PARTS; p++) {
        const part_f32 *query = lanes->query[p];
        part_f32 squared;
        EMBEDDING_CHORD(part_f32, squared,
                        query[c] -
                            min(max(query[c], (part_f32)(box[c])), (part_f32)(box[ROW + c])));
        before |= part_any(reach_before(reach, p, squared, tiles->lowest[node]));
    }
    return before;
}

/* Walks through all that may belong to the rows of the lanes `open` again, with exact pairs. */
static inline void settle(__global f32 *distances, __global u32 *indices, const struct lanes *lanes,
                          const struct lane_rows *rows, const struct tiles *tiles,
                          const struct tile_asked *asked, u32 open)
{
    const u32 tile_nodes = tiles->layout.tile_nodes, k = asked->k;
    struct reach reach = reach_of(distances, indices, rows, open, k);

    for (u32 bucket = 0; bucket < tiles->layout.buckets; bucket++) {
        if (!node_before(&reach, lanes, tiles, tile_nodes + bucket))
            continue;
        const u32 end = tiles->starts[bucket + 1] / TILE_ROWS;
        for (u32 tile = tiles->starts[bucket] / TILE_ROWS; tile < end; tile++) {
            if (!node_before(&reach, lanes, tiles, tile))
                continue;
            for (u32 i = 0; i < TILE_ROWS; i++) {
                const size_t slot = (size_t)tile * TILE_ROWS + i;
                const u32 id = tiles->ids[slot];
                __global const f32 *row = tiles->rows + slot * ROW;
                f32 each[TILE_ROWS];
                u32 left = 0;
                for (u32 p = 0; p < PARTS; p++) {
                    part_f32 squared;
                    EMBEDDING_SQUARED(part_f32, squared, lanes->query[p][c], row[c], part_any);
                    part_store(squared, p, each);
                    left |=
                        part_mask(reach_before(&reach, p, squared, id) & (squared < asked->bound))
                        << p * PART;
                }
                if (left == 0)
                    continue;
                for (; left != 0; left &= left - 1) {
                    const u32 lane = lowest_bit(left);
                    const size_t out = (size_t)rows->out[lane] * k;
                    if (id != rows->own[lane])
                        row_insert(distances + out, indices + out, k, each[lane], id);
                }
                reach = reach_of(distances, indices, rows, open, k);
            }
        }
    }
}

#endif

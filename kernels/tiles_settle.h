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
    lanes_f32 squared;
    lanes_u32 id;
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
    return (struct reach){vload16(0, squared), vload16(0, id)};
}

/* Lanes for which (squared, id) comes before their last pair. */
static inline lanes_i32 reach_before(const struct reach *reach, lanes_f32 squared, u32 id)
{
    return (squared < reach->squared) |
           ((squared == reach->squared) & (lanes_i32)((lanes_u32)(id) < reach->id));
}

/* Walks through all that may belong to the rows of the lanes `open` again, with exact pairs. */
static inline void settle(__global f32 *distances, __global u32 *indices, const struct lanes *lanes,
                          const struct lane_rows *rows, const struct tiles *tiles,
                          const struct tile_asked *asked, u32 open)
{
    const u32 tile_nodes = tiles->layout.tile_nodes, k = asked->k;
    struct reach reach = reach_of(distances, indices, rows, open, k);

    for (u32 bucket = 0; bucket < tiles->layout.buckets; bucket++) {
        if (!lanes_any(reach_before(&reach, lanes_beside(lanes->query, tiles, tile_nodes + bucket),
                                    tiles->lowest[tile_nodes + bucket])))
            continue;
        const u32 end = tiles->starts[bucket + 1] / TILE_ROWS;
        for (u32 tile = tiles->starts[bucket] / TILE_ROWS; tile < end; tile++) {
            if (!lanes_any(reach_before(&reach, lanes_beside(lanes->query, tiles, tile),
                                        tiles->lowest[tile])))
                continue;
            for (u32 i = 0; i < TILE_ROWS; i++) {
                const size_t slot = (size_t)tile * TILE_ROWS + i;
                const u32 id = tiles->ids[slot];
                const lanes_f32 squared = lanes_squared(lanes->query, tiles->rows + slot * ROW);
                u32 left = lanes_mask(reach_before(&reach, squared, id) & (squared < asked->bound));
                if (left == 0)
                    continue;
                f32 each[TILE_ROWS];
                vstore16(squared, 0, each);
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

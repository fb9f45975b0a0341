/* The tile index: points in tiles of 16 by median splits, with boxes around tiles and buckets.
 *
 * A tree of medians of a sample, made by the host, sends each point to a bucket of about 500;
 * points are sorted by bucket; each bucket is cut into tiles by medians of its own along the widest
 * side. Ties of a median go by the point's index, so that equal points spread over buckets as
 * others do, and tiles of equal points hold ascending indices.
 *
 * Launch: any number of work-items (share.h), a stretch of points or buckets each.
 * Traffic: tiles_split moves a bucket's rows twice and works on 24 bytes a point in cache.
 * -D ROW, DOF, EMBEDDED_…: of embedding.h.
 *
 * check: -DROW=2 -DDOF=2
 * check: -DROW=32 -DDOF=20
 * check: -DROW=16 -DDOF=14 -DEMBEDDED_TURNS=1 -DEMBEDDED_ORIENTATIONS=1 -DEMBEDDED_WEIGHTS=1,2
 */
#include "bisect.h"
#include "embedding.h"
#include "select.h"
#include "share.h"
#include "tiles_codes.h"
#include "tiles_types.h"

/* Points that walk down the tree together, which hides the latency of its dependent loads. */
#ifdef SHAPE_GPU
#define WALKERS 1
#else
#define WALKERS 8
#endif

/* Depth of the stack of splits: each halves what is left. */
#define SPLITS_MAX 32

/* Of the box around all points: equal points have none. */
#define LEAST_WIDTH 1e-30f

/* Point i * count / n of each of n samples. sample: f32[n][ROW]. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
tiles_sample(__global f32 *restrict sample, __global const f32 *restrict points,
             const u32 count, const u32 n)
{
    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        const size_t from = (size_t)((u64)i * count / n);
        for (u32 c = 0; c < ROW; c++)
            sample[(size_t)i * ROW + c] = points[from * ROW + c];
    }
}

/* The child of `node` that a point goes to. */
static inline u32 child(u32 node, __global const f32 *point, u32 index, __global const u32 *axes,
                        __global const f32 *values, __global const u32 *indices)
{
    const f32 x = point[axes[node]], value = values[node];
    return 2 * node + ((x > value) | ((x == value) & (index >= indices[node])));
}

/* The bucket of each of n points by the tree axes, values, indices: [2^depth], and the points' own
 * order. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
tiles_classify(__global u32 *restrict buckets, __global u32 *restrict order,
               __global const f32 *restrict points, __global const u32 *restrict axes,
               __global const f32 *restrict values,
               __global const u32 *restrict indices, const u32 depth, const u32 n)
{
    const u32 end = share_end(n);
    u32 i = share_begin(n);

    for (; i + WALKERS <= end; i += WALKERS) {
        u32 node[WALKERS];
        for (u32 w = 0; w < WALKERS; w++)
            node[w] = 1;
        for (u32 level = 0; level < depth; level++)
            for (u32 w = 0; w < WALKERS; w++)
                node[w] =
                    child(node[w], points + (size_t)(i + w) * ROW, i + w, axes, values, indices);
        for (u32 w = 0; w < WALKERS; w++) {
            buckets[i + w] = node[w] - (1u << depth);
            order[i + w] = i + w;
        }
    }
    for (; i < end; i++) {
        u32 node = 1;
        for (u32 level = 0; level < depth; level++)
            node = child(node, points + (size_t)i * ROW, i, axes, values, indices);
        buckets[i] = node - (1u << depth);
        order[i] = i;
    }
}

/* Where each bucket begins among the sorted points, begins: [n + 1], and the slots of its whole
 * tiles. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
tiles_begins(__global u32 *restrict begins, __global u32 *restrict slots,
             __global const u32 *restrict sorted, const u32 count, const u32 n)
{
    for (u32 b = share_begin(n), end = share_end(n); b < end; b++) {
        const u32 begin = bisect_below(sorted, count, b);
        const u32 next = bisect_below(sorted, count, b + 1);
        begins[b] = begin;
        if (b + 1 == n)
            begins[n] = next;
        slots[b] = (next - begin + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS;
    }
}

/* A box in the making. */
struct box {
    f32 low[ROW], high[ROW];
};

static inline void box_clear(struct box *box)
{
    for (u32 c = 0; c < ROW; c++) {
        box->low[c] = INFINITY;
        box->high[c] = -INFINITY;
    }
}

static inline void box_add(struct box *box, __global const f32 *row)
{
    for (u32 c = 0; c < ROW; c++) {
        box->low[c] = min(box->low[c], row[c]);
        box->high[c] = max(box->high[c], row[c]);
    }
}

static inline void box_store(__global f32 *boxes, __global f32 *bounds, u32 node, u32 nodes,
                             const struct box *box)
{
    for (u32 c = 0; c < ROW; c++) {
        boxes[((size_t)2 * node) * ROW + c] = box->low[c];
        boxes[((size_t)2 * node + 1) * ROW + c] = box->high[c];
    }
    for (u32 c = 0; c < DOF; c++) {
        bounds[(size_t)c * nodes + node] = box->low[c];
        bounds[(size_t)(DOF + c) * nodes + node] = box->high[c];
    }
}

/* The axis along which the points of keys[begin … end - 1] (their low halves) spread the widest. */
static inline u32 widest_axis(__global const f32 *rows, __global const u64 *keys, u32 begin,
                              u32 end)
{
    struct box box;
    box_clear(&box);
    for (u32 i = begin; i < end; i++)
        box_add(&box, rows + (size_t)(u32)keys[i] * ROW);

    u32 axis = 0;
    f32 widest = box.high[0] - box.low[0];
    for (u32 c = 1; c < DOF; c++) {
        if (box.high[c] - box.low[c] > widest) {
            widest = box.high[c] - box.low[c];
            axis = c;
        }
    }
    return axis;
}

/* Orders keys (low halves: places in rows) so that each run of TILE_ROWS is a tile: halves of whole
 * tiles by the median along the widest axis, again and again. */
static inline void split_bucket(__global const f32 *rows, __global u64 *keys, u32 count)
{
    u32 begins[SPLITS_MAX], counts[SPLITS_MAX], open = 0;
    begins[open] = 0;
    counts[open++] = count;

    while (open > 0) {
        open--;
        const u32 begin = begins[open], n = counts[open];
        if (n <= TILE_ROWS)
            continue;
        const u32 axis = widest_axis(rows, keys, begin, begin + n);
        for (u32 i = begin; i < begin + n; i++) {
            const u32 place = (u32)keys[i];
            keys[i] = select_key(rows[(size_t)place * ROW + axis], place);
        }
        const u32 tiles = (n + TILE_ROWS - 1) / TILE_ROWS;
        const u32 front = tiles / 2 * TILE_ROWS;
        select_smallest(keys, begin, begin + n, front);
        begins[open] = begin + front;
        counts[open++] = n - front;
        begins[open] = begin;
        counts[open++] = front;
    }
}

/* Cuts buckets first … first + n - 1 into tiles. order: points sorted by bucket, begins of buckets
 * in it, starts of their slots. Writes rows: f32[slots][ROW], ids: u32[slots] (INFINITY and
 * NONE_U32 in the pad), boxes: f32[nodes][2][ROW] and bounds: f32[2][DOF][nodes], lowest:
 * u32[nodes] least id, owners: u32[tiles] bucket. copies: f32[points][ROW] and keys: u64[points]
 * are scratch. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
tiles_split(__global f32 *restrict rows, __global u32 *restrict ids,
            __global f32 *restrict boxes, __global f32 *restrict bounds,
            __global u32 *restrict lowest, __global u32 *restrict owners,
            __global f32 *restrict copies, __global u64 *restrict keys,
            __global const f32 *restrict points, __global const u32 *restrict order,
            __global const u32 *restrict begins, __global const u32 *restrict starts,
            const struct tile_layout layout, const u32 first, const u32 n)
{
    const u32 nodes = layout.tile_nodes + layout.bucket_nodes;

    for (u32 b = first + share_begin(n), last = first + share_end(n); b < last; b++) {
        const u32 begin = begins[b], count = begins[b + 1] - begin;
        __global f32 *own = copies + (size_t)begin * ROW;
        __global u64 *places = keys + begin;
        struct box whole, box;
        u32 least = NONE_U32;

        // the bucket's rows together
        for (u32 i = 0; i < count; i++) {
            const size_t from = (size_t)order[begin + i] * ROW;
            for (u32 c = 0; c < ROW; c++)
                own[(size_t)i * ROW + c] = points[from + c];
            places[i] = i;
        }
        split_bucket(own, places, count);

        // out in the order of tiles
        box_clear(&whole);
        for (u32 slot = starts[b]; slot < starts[b + 1]; slot += TILE_ROWS) {
            const u32 tile = slot / TILE_ROWS;
            u32 least_here = NONE_U32;
            box_clear(&box);
            for (u32 i = slot; i < slot + TILE_ROWS; i++) {
                const u32 at = i - starts[b];
                const u32 place = at < count ? (u32)places[at] : 0;
                ids[i] = at < count ? order[begin + place] : NONE_U32;
                for (u32 c = 0; c < ROW; c++)
                    rows[(size_t)i * ROW + c] =
                        at < count ? own[(size_t)place * ROW + c] : INFINITY;
                if (at < count) {
                    box_add(&box, own + (size_t)place * ROW);
                    box_add(&whole, own + (size_t)place * ROW);
                }
                least_here = min(least_here, ids[i]);
            }
            box_store(boxes, bounds, tile, nodes, &box);
            lowest[tile] = least_here;
            owners[tile] = b;
            least = min(least, least_here);
        }
        box_store(boxes, bounds, layout.tile_nodes + b, nodes, &whole);
        lowest[layout.tile_nodes + b] = least;
    }
}

/* The codes of a row as they are, a word for two. */
static inline void encode_corner(__global u32 *words, __global const f32 *row, const f32 *low, f32 scale)
{
    for (u32 word = 0; word < CODE_WORDS; word++) {
        const u32 c = 2 * word;
        words[word] = code_of(row[c], low[c], scale) |
                      (c + 1 < DOF ? code_of(row[c + 1], low[c + 1], scale) : CODE_CENTRE) << 16;
    }
}

/* A row's words out of its codes. */
static inline void encode_row(__global u32 *words, __global const f32 *row, const f32 *low, f32 scale)
{
    i32 squared = 0;
    encode_corner(words + 1, row, low, scale);
    for (u32 word = 1; word < CODE_ROW; word++) {
        const i32 a = (i32)(words[word] & 0xffffu) - CODE_CENTRE;
        const i32 b = (i32)(words[word] >> 16) - CODE_CENTRE;
        words[word] = ((u32)a & 0xffffu) | (u32)b << 16;
        squared += a * a + b * b;
    }
    words[0] = (u32)(-(squared / 2));
}

/* Codes (tiles_codes.h) of the rows, u32[slots][CODE_ROW], then of the boxes, u32[nodes][2][CODE_WORDS];
 * frame: f32[DOF] lows, then the scale. n: all slots and nodes; what is none is left out. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
tiles_encode(__global u32 *restrict codes, __global f32 *restrict frame,
             __global const f32 *restrict rows, __global const f32 *restrict boxes,
             __global const u32 *restrict starts, const struct tile_layout layout, const u32 n)
{
    const u32 slots = layout.tile_nodes * TILE_ROWS, used = starts[layout.buckets];
    __global u32 *box_codes = codes + (size_t)slots * CODE_ROW;
    struct box whole;
    f32 widest = LEAST_WIDTH;

    // the box around all points
    box_clear(&whole);
    for (u32 b = 0; b < layout.buckets; b++) {
        __global const f32 *box = boxes + (size_t)2 * (layout.tile_nodes + b) * ROW;
        for (u32 c = 0; c < DOF; c++) {
            whole.low[c] = min(whole.low[c], box[c]);
            whole.high[c] = max(whole.high[c], box[ROW + c]);
        }
    }
    for (u32 c = 0; c < DOF; c++)
        widest = max(widest, whole.high[c] - whole.low[c]);
    const f32 scale = CODE_MAX / widest;
    if (get_global_id(0) == 0) {
        for (u32 c = 0; c < DOF; c++)
            frame[c] = whole.low[c];
        frame[DOF] = scale;
    }

    for (u32 i = share_begin(n), end = share_end(n); i < end; i++) {
        if (i < slots) {
            if (i < used)
                encode_row(codes + (size_t)i * CODE_ROW, rows + (size_t)i * ROW, whole.low, scale);
            continue;
        }
        const u32 node = i - slots;
        if (node < layout.tile_nodes ? node >= used / TILE_ROWS
                                     : node - layout.tile_nodes >= layout.buckets)
            continue;
        for (u32 corner = 2 * node; corner < 2 * node + 2; corner++)
            encode_corner(box_codes + (size_t)corner * CODE_WORDS, boxes + (size_t)corner * ROW,
                          whole.low, scale);
    }
}

/* The tile of its bucket that is nearest to each of n foreign rows, and the rows' own order. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
tiles_place(__global u32 *restrict places, __global u32 *restrict order,
            __global const f32 *restrict queries, __global const f32 *restrict boxes,
            __global const u32 *restrict starts, __global const u32 *restrict axes,
            __global const f32 *restrict values, __global const u32 *restrict indices,
            const u32 depth, const u32 n)
{
    for (u32 q = share_begin(n), end = share_end(n); q < end; q++) {
        __global const f32 *query = queries + (size_t)q * ROW;
        u32 node = 1;
        for (u32 level = 0; level < depth; level++)
            node = child(node, query, 0, axes, values, indices);

        // a bucket without points has its neighbour's first tile, or the last there is
        const u32 bucket = node - (1u << depth), last = starts[1u << depth] / TILE_ROWS - 1;
        const u32 begin = starts[bucket] / TILE_ROWS, next = starts[bucket + 1] / TILE_ROWS;
        u32 place = min(begin, last);
        f32 nearest = INFINITY;
        for (u32 tile = begin; tile < next; tile++) {
            __global const f32 *box = boxes + (size_t)2 * tile * ROW;
            f32 squared;
            EMBEDDING_CHORD(f32, squared, query[c] - min(max(query[c], box[c]), box[ROW + c]));
            if (squared < nearest) {
                nearest = squared;
                place = tile;
            }
        }
        places[q] = place;
        order[q] = q;
    }
}

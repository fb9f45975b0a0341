/* Tile search on a CPU: 16 queries are lanes (tiles_parts.h) with a list each (tiles_lists.h), and
 * walk together. Included by tiles_search.cl.
 */
#ifndef KERNELS_TILES_LANES_H
#define KERNELS_TILES_LANES_H

#ifndef __OPENCL_VERSION__
#error "tiles_lanes.h is device code"
#endif

#include "share.h"
#include "tiles_lists.h"

/* The least first bound, and the scale where there is none: neither overflows. */
#define BOUND_LEAST 1e-30f
#define SCALE_UNBOUNDED 1e-30f

/* Rows that give the first bound, and how many of them must be points beyond the wanted: fewer
 * where a tile's points are soon inserted. */
#if FEW_DIMENSIONS && LEVELS <= 18
#define WINDOW 32
#elif LEVELS <= 34
#define WINDOW 64
#else
#define WINDOW 256
#endif
#define WINDOW_SPARE 8

/* The queries of a group; a lane without one repeats another's and has no `out`. */
struct lanes {
    part_f32 query[PARTS][DOF];
    f32 low[DOF], high[DOF]; /* the box around them */
#if CODED
    struct coded coded;
#endif
};
struct lane_rows {
    f32 query[DOF * TILE_ROWS];                          /* lanes fastest */
    u32 own[TILE_ROWS], out[TILE_ROWS], base[TILE_ROWS]; /* its id, list, tile to begin with */
    u32 count;
};

/* Squared chords between the box around the lanes and those of TILE_NODES nodes from `node`. */
static inline float16 nodes_beside(const struct lanes *lanes, const struct tiles *tiles, u32 node)
{
    const size_t nodes = tiles->layout.tile_nodes + tiles->layout.bucket_nodes;
    __global const f32 *low = tiles->bounds + node, *high = low + DOF * nodes;
    float16 squared;
    EMBEDDING_CHORD(float16, squared,
                    max(max(vload16(0, low + c * nodes) - lanes->high[c],
                            lanes->low[c] - vload16(0, high + c * nodes)),
                        (float16)(0.0f)));
    return squared;
}

/* The slots about a tile, begin … end - 1, that hold `wanted` points and some more, or all. */
static inline void window_of(u32 *begin, u32 *end, const struct tiles *tiles, u32 tile, u32 wanted)
{
    const u32 slots = tiles->starts[tiles->layout.buckets];
    u32 first = tile * TILE_ROWS / WINDOW * WINDOW, last = min(first + WINDOW, slots);
    for (;;) {
        u32 points = 0;
        for (u32 slot = first; slot < last; slot++)
            points += tiles->ids[slot] != NONE_U32;
        if (points >= wanted + WINDOW_SPARE || (first == 0 && last == slots))
            break;
        first = first >= WINDOW ? first - WINDOW : 0;
        last = min(last + WINDOW, slots);
    }
    *begin = first;
    *end = last;
}

/* One more squared distance into a sorted column of LEVELS - 1. */
static inline void bound_insert(part_f32 *least, part_f32 squared)
{
    FOR_LEVELS
    for (u32 i = LEVELS - 2; i > 0; i--)
        least[i] = min(least[i], max(least[i - 1], squared));
    least[0] = min(least[0], squared);
}

/* The wanted-th least squared distance to points about each lane's tile: no nearer than the true
 * one. */
static inline part_f32 part_bound(const struct lanes *lanes, u32 p, const struct tiles *tiles,
                                  const u32 *begin, const u32 *end, u32 wanted)
{
    part_f32 least[LEVELS - 1];
    u32 length = 0;
    bool together = true;
    FOR_LEVELS
    for (u32 i = 0; i < LEVELS - 1; i++)
        least[i] = (part_f32)(i + wanted < LEVELS - 1 ? -1.0f : INFINITY);
    for (u32 lane = 0; lane < PART; lane++) {
        together &= begin[lane] == begin[0];
        length = max(length, end[lane] - begin[lane]);
    }

    // lanes in one place share the rows, others have each their own
    for (u32 i = 0; i < length; i++) {
        part_f32 squared;
        if (together) {
            __global const f32 *row = tiles->rows + (size_t)(begin[0] + i) * ROW;
            EMBEDDING_SQUARED(part_f32, squared, lanes->query[p][c], row[c], part_any);
        } else {
            f32 row[DOF * PART];
            for (u32 lane = 0; lane < PART; lane++) {
                const size_t slot = min(begin[lane] + i, end[lane] - 1);
                for (u32 c = 0; c < DOF; c++)
                    row[c * PART + lane] =
                        begin[lane] + i < end[lane] ? tiles->rows[slot * ROW + c] : INFINITY;
            }
            EMBEDDING_SQUARED(part_f32, squared, lanes->query[p][c], part_load(c, row), part_any);
        }
        bound_insert(least, squared);
    }
    return least[LEVELS - 2];
}

/* Empty lists; levels that are not wanted hold what is below all keys. */
static inline void lists_begin(struct lists *lists, const struct lanes *lanes,
                               const struct lane_rows *rows, const struct tiles *tiles, u32 wanted,
                               f32 bound)
{
    u32 begin[TILE_ROWS], end[TILE_ROWS];
    for (u32 lane = 0; lane < TILE_ROWS; lane++) {
        if (lane > 0 && rows->base[lane] == rows->base[lane - 1]) {
            begin[lane] = begin[lane - 1];
            end[lane] = end[lane - 1];
            continue;
        }
        window_of(&begin[lane], &end[lane], tiles, rows->base[lane], wanted);
    }
    for (u32 p = 0; p < PARTS; p++) {
        const part_f32 first =
            part_bound(lanes, p, tiles, begin + p * PART, end + p * PART, wanted);
        const part_f32 limit =
            min(max(first * (1 + SLACK), (part_f32)(BOUND_LEAST)), (part_f32)(bound));
        lists->limit[p] = limit;
        lists->scale[p] =
            limit < INFINITY ? (QUANTUM_MAX * (1 - SLACK)) / limit : (part_f32)(SCALE_UNBOUNDED);
        lists->step[p] = limit < INFINITY ? (1 + SLACK) / lists->scale[p] : (part_f32)(INFINITY);
        FOR_LEVELS
        for (u32 i = 0; i < LEVELS; i++)
            lists->key[p][i] = (part_u32)(i + wanted + 1 < LEVELS ? 0 : KEY_EMPTY);
    }
}

#if FEW_DIMENSIONS

/* Offers the points of a tile to the parts of a mask. Search is exact here: what concerns no lane
 * of a part is left out. */
static inline void scan_tile(struct lists *lists, struct entered *entered,
                             const struct lanes *lanes, const struct tiles *tiles, u32 tile,
                             u32 parts)
{
    __global const f32 *rows = tiles->rows + (size_t)tile * TILE_ROWS * ROW;
    u32 number = NONE_U32;
    for (u32 p = 0; p < PARTS; p++) {
        if ((parts >> p & 1) == 0)
            continue;
        const part_f32 *query = lanes->query[p], limit = lists->limit[p];
        part_f32 squared[TILE_ROWS];
        u32 within = 0;
        for (u32 row = 0; row < TILE_ROWS; row++) {
            EMBEDDING_SQUARED_WITHIN(part_f32, squared[row], query[c], rows[row * ROW + c], limit,
                                     part_any);
            within |= (part_any(squared[row] < limit) ? 1u : 0u) << row;
        }
        if (within == 0)
            continue;
        if (number == NONE_U32)
            number = entered_add(entered, lists, tile);

        // the list in registers meanwhile
        part_u32 keys[LEVELS];
        FOR_LEVELS
        for (u32 i = 0; i < LEVELS; i++)
            keys[i] = lists->key[p][i];
        for (; within != 0; within &= within - 1) {
            const u32 row = lowest_bit(within);
            keys_insert(keys, lists_key(lists, p, squared[row], number * TILE_ROWS + row));
        }
        FOR_LEVELS
        for (u32 i = 0; i < LEVELS; i++)
            lists->key[p][i] = keys[i];
        lists_tighten(lists, p);
    }
}

#else

/* The rows of a tile that are to be looked at, a bit each. */
static inline u32 rows_near(const struct lists *lists, const struct lanes *lanes,
                            const struct tiles *tiles, u32 tile)
{
#if CODED
    return coded_rows(&lanes->coded, &lists->near,
                      tiles->codes + (size_t)tile * TILE_ROWS * CODE_ROW, TILE_ROWS);
#else
    return (1u << TILE_ROWS) - 1;
#endif
}

/* Offers the points of a tile, one that matters to any lane to all: with alpha below 1 a lane may
 * not get to see the points that gave its bound, and takes what others find. */
static inline void scan_tile(struct lists *lists, struct entered *entered,
                             const struct lanes *lanes, const struct tiles *tiles, u32 tile,
                             u32 parts)
{
    __global const f32 *rows = tiles->rows + (size_t)tile * TILE_ROWS * ROW;
    const part_f32 *query = lanes->query[0];
    u32 number = NONE_U32;
    for (u32 left = rows_near(lists, lanes, tiles, tile); left != 0; left &= left - 1) {
        const u32 row = lowest_bit(left);
        part_f32 squared;
        EMBEDDING_SQUARED_WITHIN(part_f32, squared, query[c], rows[row * ROW + c], lists->limit[0],
                                 part_any);
        if (!part_any(squared < lists->limit[0]))
            continue;
        if (number == NONE_U32)
            number = entered_add(entered, lists, tile);
        keys_insert(lists->key[0], lists_key(lists, 0, squared, number * TILE_ROWS + row));
        lists_tighten(lists, 0);
    }
#if CODED
    if (number != NONE_U32)
        code_limits_set(&lists->near, &lanes->coded, lists->limit[0]);
#endif
}

#endif

/* Squared chords of a part's lanes to the nearest places in a node's box. */
static inline part_f32 part_beside(const part_f32 *query, const struct tiles *tiles, u32 node)
{
    __global const f32 *box = tiles->boxes + (size_t)2 * node * ROW;
    part_f32 squared;
    EMBEDDING_CHORD(part_f32, squared,
                    query[c] - min(max(query[c], (part_f32)(box[c])), (part_f32)(box[ROW + c])));
    return squared;
}

#if CODED
/* The words of a node's box. */
static inline __global const u32 *box_codes(const struct tiles *tiles, u32 node)
{
    const size_t rows = (size_t)tiles->layout.tile_nodes * TILE_ROWS;
    return tiles->codes + rows * CODE_ROW + 2 * (size_t)node * CODE_WORDS;
}
#endif

/* The parts with a lane that has a node's box within alpha times its limit, a bit each. */
static inline u32 parts_beside(const struct lists *lists, const struct lanes *lanes,
                               const struct tiles *tiles, u32 node, f32 alpha)
{
    u32 parts = 0;
#if CODED
    const enum code_verdict verdict =
        coded_beside(&lanes->coded, &lists->near, box_codes(tiles, node));
    if (verdict != CODE_OPEN)
        return verdict == CODE_WITHIN ? ALL_PARTS : 0;
#endif
    for (u32 p = 0; p < PARTS; p++)
        if (part_any(part_beside(lanes->query[p], tiles, node) < alpha * lists->limit[p]))
            parts |= 1u << p;
    return parts;
}

/* Offers all tiles of a bucket that are near enough, but one. */
static inline void walk_bucket(struct lists *lists, struct entered *entered,
                               const struct lanes *lanes, const struct tiles *tiles, u32 bucket,
                               u32 but, f32 alpha)
{
    const u32 end = tiles->starts[bucket + 1] / TILE_ROWS;
    for (u32 first = tiles->starts[bucket] / TILE_ROWS; first < end; first += TILE_NODES) {
        u32 left = lanes_mask(nodes_beside(lanes, tiles, first) < alpha * lists_reach(lists));
        if (end - first < TILE_NODES)
            left &= (1u << (end - first)) - 1;
        if (but - first < TILE_NODES)
            left &= ~(1u << (but - first));
        for (; left != 0; left &= left - 1) {
            const u32 tile = first + lowest_bit(left);
            const u32 parts = parts_beside(lists, lanes, tiles, tile, alpha);
            if (parts != 0)
                scan_tile(lists, entered, lanes, tiles, tile, parts);
        }
    }
}

/* Offers what is near enough: the tile `base`, the rest of its bucket, then the other buckets. */
static inline void walk(struct lists *lists, struct entered *entered, const struct lanes *lanes,
                        const struct tiles *tiles, u32 base, f32 alpha)
{
    const u32 own = tiles->owners[base], blocks = tiles->layout.bucket_nodes / TILE_NODES;

    scan_tile(lists, entered, lanes, tiles, base, ALL_PARTS);
    for (u32 step = 0; step <= blocks; step++) {
        u32 first = own, left = 1;
        if (step > 0) {
            first = (own / TILE_NODES ^ (step - 1)) * TILE_NODES;
            left = lanes_mask(nodes_beside(lanes, tiles, tiles->layout.tile_nodes + first) <
                              alpha * lists_reach(lists));
        }
        if (step == 1)
            left &= ~(1u << own % TILE_NODES);
        for (; left != 0; left &= left - 1) {
            const u32 bucket = first + lowest_bit(left);
            if (step == 0 ||
                parts_beside(lists, lanes, tiles, tiles->layout.tile_nodes + bucket, alpha) != 0)
                walk_bucket(lists, entered, lanes, tiles, bucket, base, alpha);
        }
    }
}

/* Whether (squared, id) comes before (squared_b, id_b). */
static inline bool pair_before(f32 squared_a, u32 id_a, f32 squared_b, u32 id_b)
{
    return squared_a < squared_b || (squared_a == squared_b && id_a < id_b);
}

/* Writes the lists as sorted rows of exact squared distances. */
static inline void write_rows(__global f32 *distances, __global u32 *indices,
                              const struct lists *lists, const struct entered *entered,
                              const struct lane_rows *rows, const struct tiles *tiles,
                              const struct tile_asked *asked, u32 wanted)
{
    u32 keys[LEVELS * TILE_ROWS];
    FOR_LEVELS
    for (u32 i = 0; i < LEVELS * PARTS; i++)
        part_store(lists->key[i % PARTS][i / PARTS], i, keys);

    for (u32 lane = 0; lane < TILE_ROWS; lane++) {
        if (rows->out[lane] == NONE_U32)
            continue;
        f32 near[LEVELS];
        u32 who[LEVELS], count = 0;
        for (u32 i = LEVELS - 1 - wanted; i < LEVELS; i++) {
            const u32 key = keys[i * TILE_ROWS + lane];
            if (key == KEY_EMPTY)
                break;
            const size_t slot =
                (size_t)entered->tile[(key & PLACE_MASK) / TILE_ROWS] * TILE_ROWS + key % TILE_ROWS;
            const u32 id = tiles->ids[slot];
            f32 squared;
            EMBEDDING_SQUARED(f32, squared, rows->query[c * TILE_ROWS + lane],
                              tiles->rows[slot * ROW + c], EMBEDDING_ONE);
            if (id == NONE_U32 || id == rows->own[lane] || !(squared < asked->bound))
                continue;
            u32 at = count++;
            for (; at > 0 && pair_before(squared, id, near[at - 1], who[at - 1]); at--) {
                near[at] = near[at - 1];
                who[at] = who[at - 1];
            }
            near[at] = squared;
            who[at] = id;
        }
        const size_t out = (size_t)rows->out[lane] * asked->k;
        for (u32 i = 0; i < asked->k; i++) {
            indices[out + i] = i < count ? who[i] : NONE_U32;
            distances[out + i] = i < count ? near[i] : INFINITY;
        }
    }
}

#include "tiles_settle.h"

/* The queries of one group: a tile of the points, or foreign rows that follow each other. */
static inline void lane_rows_load(struct lane_rows *rows, const struct tiles *tiles,
                                  const struct guests *guests, const struct tile_asked *asked,
                                  const struct stretch *stretch, u32 group)
{
    const u32 tile = asked->foreign ? 0 : stretch_tile(tiles, asked, stretch, group);
    const u32 first = group * asked->group;

    rows->count = 0;
    for (u32 lane = 0; lane < TILE_ROWS; lane++) {
        __global const f32 *row;
        if (asked->foreign) {
            const bool is_query = lane < asked->group && first + lane < asked->count;
            const u32 query = guests->order[is_query ? first + lane : first];
            rows->out[lane] = is_query ? query : NONE_U32;
            rows->own[lane] = NONE_U32;
            rows->base[lane] = guests->places[is_query ? query : guests->order[first]];
            row = guests->rows + (size_t)query * ROW;
        } else {
            const size_t slot = (size_t)tile * TILE_ROWS + lane;
            const u32 id = tiles->ids[slot];
            rows->out[lane] = id == NONE_U32 || asked->sample == 0 ? id : group * TILE_ROWS + lane;
            rows->own[lane] = id;
            rows->base[lane] = tile;
            row = tiles->rows + (id != NONE_U32 ? slot : (size_t)tile * TILE_ROWS) * ROW;
        }
        rows->count += rows->out[lane] != NONE_U32;
        for (u32 c = 0; c < DOF; c++)
            rows->query[c * TILE_ROWS + lane] = row[c];
    }
}

static inline void search_group(__global u32 *indices, __global f32 *distances,
                                const struct tiles *tiles, const struct guests *guests,
                                const struct tile_asked *asked, const struct stretch *stretch,
                                u32 group)
{
    const u32 wanted = asked->k + (asked->foreign ? 0 : 1);
    struct lane_rows rows;
    struct lanes lanes;
    struct lists lists;
    struct entered entered;

    lane_rows_load(&rows, tiles, guests, asked, stretch, group);
#pragma unroll
    for (u32 c = 0; c < DOF; c++) {
        lanes.low[c] = INFINITY;
        lanes.high[c] = -INFINITY;
        for (u32 p = 0; p < PARTS; p++) {
            lanes.query[p][c] = part_load(c * PARTS + p, rows.query);
            lanes.low[c] = min(lanes.low[c], part_least(lanes.query[p][c]));
            lanes.high[c] = max(lanes.high[c], part_most(lanes.query[p][c]));
        }
    }
    entered.count = 0;
    lists_begin(&lists, &lanes, &rows, tiles, wanted, asked->bound);
#if CODED
    coded_begin(&lanes.coded, rows.query, tiles->frame, asked->alpha);
    code_limits_set(&lists.near, &lanes.coded, lists.limit[0]);
#endif
    walk(&lists, &entered, &lanes, tiles, rows.base[rows.count / 2], asked->alpha);
    write_rows(distances, indices, &lists, &entered, &rows, tiles, asked, wanted);

    // lanes whose spare is as far as the last of the wanted may have lost one
    u32 open = lists_open(&lists), real = 0;
    for (u32 lane = 0; lane < TILE_ROWS; lane++)
        real |= (u32)(rows.out[lane] != NONE_U32) << lane;
    open &= asked->alpha < 1.0f ? 0 : real;
    if (open != 0)
        settle(distances, indices, &lanes, &rows, tiles, asked, open);

    for (u32 lane = 0; lane < TILE_ROWS; lane++) {
        const size_t out = (size_t)rows.out[lane] * asked->k;
        for (u32 i = 0; i < asked->k && rows.out[lane] != NONE_U32; i++)
            distances[out + i] = sqrt(distances[out + i]);
    }
}

static inline void search_all(__global u32 *indices, __global f32 *distances,
                              const struct tiles *tiles, const struct guests *guests,
                              const struct tile_asked *asked)
{
    struct stretch stretch = {0, 0};
    if (!asked->foreign)
        stretch = stretch_of(tiles, asked);
    const u32 groups =
        asked->foreign ? (asked->count + asked->group - 1) / asked->group : stretch.tiles;
    for (u32 group = share_begin(groups), end = share_end(groups); group < end; group++)
        search_group(indices, distances, tiles, guests, asked, &stretch, group);
}

#endif

/* Tile search on a CPU: 16 queries as the lanes of one vector. Included by tiles_search.cl.
 *
 * A list is a sorted column of LEVELS packed keys a lane: a quantised squared distance above, where
 * the point lies below, so that insertion is LEVELS pairs of min and max without branches. What
 * lies below is not the slot itself but the number of a tile that entered the lists, and a row in
 * it: so keys stay as precise with ten million points as with a thousand.
 *
 * Exactness. Let T be the quantised distance of the k-th key (counting the point itself, where it
 * is one of the index). A point is passed over only where its quantised distance is above T, or
 * where one more that equals T would change nothing; a spare key behind the k-th tells whether any
 * but the kept ones may have T. If none, the kept, ranked anew by exact distance and index, are the
 * answer. Else the lane is settled by a second walk that keeps exact pairs, bounded by what was
 * found.
 */
#ifndef KERNELS_TILES_LANES_H
#define KERNELS_TILES_LANES_H

#ifndef __OPENCL_VERSION__
#error "tiles_lanes.h is device code"
#endif

#include "lanes.h"
#include "share.h"

#define SEARCH_ATTRIBUTES

/* Of a key: the number of a tile among those that entered, and the row in it. All that a group's
 * lists hold at once must fit: LEVELS * TILE_ROWS tiles. */
#if LEVELS <= 34
#define ENTERED_BITS 10
#else
#define ENTERED_BITS 12
#endif
#define ENTERED_MAX (1u << ENTERED_BITS)
#define PLACE_BITS (ENTERED_BITS + 4)
#define PLACE_MASK ((1u << PLACE_BITS) - 1)
#define KEY_EMPTY 0xffffffffu
/* The greatest quantised distance; of what is below the first bound it is less. */
#define QUANTUM_MAX ((1u << (32 - PLACE_BITS)) - 256)
/* Relative, beyond all rounding of a quantised distance. */
#define SLACK 1e-5f
/* The least first bound, and the scale where there is none: neither overflows. */
#define BOUND_LEAST 1e-30f
#define SCALE_UNBOUNDED 1e-30f

/* Rows that give the first bound, and how many of them must be points beyond the wanted. */
#if LEVELS <= 34
#define WINDOW 64
#else
#define WINDOW 256
#endif
#define WINDOW_SPARE 8

/* The queries of a group; a lane without one repeats another's and has no `out`. */
struct lanes {
    lanes_f32 query[DOF];
    f32 low[DOF], high[DOF]; /* the box around them */
};
struct lane_rows {
    f32 query[DOF * TILE_ROWS];                          /* lanes fastest */
    u32 own[TILE_ROWS], out[TILE_ROWS], base[TILE_ROWS]; /* its id, list, tile to begin with */
    u32 count;
};

/* A list a lane. */
struct lists {
    lanes_u32 key[LEVELS];
    lanes_f32 limit;       /* what matters is nearer, squared */
    lanes_f32 scale, step; /* quanta of a squared distance; a quantum, rounded up */
};

/* The tiles that entered lists, by number. */
struct entered {
    u32 count;
    u32 tile[ENTERED_MAX];
};

static inline u32 lowest_bit(u32 mask)
{
    return 31 - clz(mask & (0 - mask));
}

/* Squared distances of a row to the lanes. */
static inline lanes_f32 lanes_squared(const lanes_f32 *query, __global const f32 *row)
{
    lanes_f32 squared;
    EMBEDDING_SQUARED(lanes_f32, squared, query[c], row[c], lanes_any);
    return squared;
}

/* The same where it is below the limit in any lane, else something that is not. */
static inline lanes_f32 lanes_within(const lanes_f32 *query, __global const f32 *row,
                                     lanes_f32 limit)
{
    lanes_f32 squared;
    EMBEDDING_SQUARED_WITHIN(lanes_f32, squared, query[c], row[c], limit, lanes_any);
    return squared;
}

/* Squared chords to the nearest places in a node's box. */
static inline lanes_f32 lanes_beside(const lanes_f32 *query, const struct tiles *tiles, u32 node)
{
    __global const f32 *box = tiles->boxes + (size_t)2 * node * ROW;
    lanes_f32 squared;
    EMBEDDING_CHORD(lanes_f32, squared,
                    query[c] - min(max(query[c], (lanes_f32)(box[c])), (lanes_f32)(box[ROW + c])));
    return squared;
}

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
static inline void bound_insert(lanes_f32 *least, lanes_f32 squared)
{
    FOR_LEVELS
    for (u32 i = LEVELS - 2; i > 0; i--)
        least[i] = min(least[i], max(least[i - 1], squared));
    least[0] = min(least[0], squared);
}

/* The wanted-th least squared distance to points about each lane's tile: no nearer than the true
 * one. */
static inline lanes_f32 lanes_bound(const struct lanes *lanes, const struct lane_rows *rows,
                                    const struct tiles *tiles, u32 wanted)
{
    lanes_f32 least[LEVELS - 1];
    u32 begin[TILE_ROWS], end[TILE_ROWS], length = 0;
    bool together = true;
    FOR_LEVELS
    for (u32 i = 0; i < LEVELS - 1; i++)
        least[i] = (lanes_f32)(i + wanted < LEVELS - 1 ? -1.0f : INFINITY);

    for (u32 lane = 0; lane < TILE_ROWS; lane++) {
        if (lane > 0 && rows->base[lane] == rows->base[lane - 1]) {
            begin[lane] = begin[lane - 1];
            end[lane] = end[lane - 1];
            continue;
        }
        together &= lane == 0;
        window_of(&begin[lane], &end[lane], tiles, rows->base[lane], wanted);
        length = max(length, end[lane] - begin[lane]);
    }

    // lanes in one place share the rows, others have each their own
    for (u32 i = 0; i < length; i++) {
        if (together) {
            bound_insert(least,
                         lanes_squared(lanes->query, tiles->rows + (size_t)(begin[0] + i) * ROW));
            continue;
        }
        f32 row[DOF * TILE_ROWS];
        for (u32 lane = 0; lane < TILE_ROWS; lane++) {
            const size_t slot = min(begin[lane] + i, end[lane] - 1);
            for (u32 c = 0; c < DOF; c++)
                row[c * TILE_ROWS + lane] =
                    begin[lane] + i < end[lane] ? tiles->rows[slot * ROW + c] : INFINITY;
        }
        lanes_f32 squared;
        EMBEDDING_SQUARED(lanes_f32, squared, lanes->query[c], vload16(c, row), lanes_any);
        bound_insert(least, squared);
    }
    return least[LEVELS - 2];
}

/* Empty lists; levels that are not wanted hold what is below all keys. */
static inline void lists_begin(struct lists *lists, lanes_f32 first, u32 wanted, f32 bound)
{
    const lanes_f32 limit =
        min(max(first * (1 + SLACK), (lanes_f32)(BOUND_LEAST)), (lanes_f32)(bound));
    lists->limit = limit;
    lists->scale =
        limit < INFINITY ? (QUANTUM_MAX * (1 - SLACK)) / limit : (lanes_f32)(SCALE_UNBOUNDED);
    lists->step = limit < INFINITY ? (1 + SLACK) / lists->scale : (lanes_f32)(INFINITY);
    FOR_LEVELS
    for (u32 i = 0; i < LEVELS; i++)
        lists->key[i] = (lanes_u32)(i + wanted + 1 < LEVELS ? 0 : KEY_EMPTY);
}

static inline void lists_insert(struct lists *lists, lanes_f32 squared, u32 place)
{
    const lanes_f32 quanta = min(squared * lists->scale, (lanes_f32)((f32)QUANTUM_MAX));
    const lanes_u32 key = as_uint16(convert_int16(quanta)) << PLACE_BITS | place;
    FOR_LEVELS
    for (u32 i = LEVELS - 1; i > 0; i--)
        lists->key[i] = min(lists->key[i], max(lists->key[i - 1], key));
    lists->key[0] = min(lists->key[0], key);
}

/* What is as far as T + 1 quanta comes too late; where the spare has T, so does what is as far as
 * T. */
static inline void lists_tighten(struct lists *lists)
{
    const lanes_i32 last = as_int16(lists->key[LEVELS - 2] >> PLACE_BITS);
    const lanes_i32 spare = as_int16(lists->key[LEVELS - 1] >> PLACE_BITS);
    lists->limit = min(lists->limit, convert_float16(min(last + 1, spare)) * lists->step);
}

/* Numbers the tiles that lists still hold anew, in the same order, so that there is room. */
static inline void entered_renew(struct entered *entered, struct lists *lists)
{
    u32 keys[LEVELS * TILE_ROWS], numbers[ENTERED_MAX], count = 0;
    for (u32 i = 0; i < ENTERED_MAX; i++)
        numbers[i] = NONE_U32;
    for (u32 i = 0; i < LEVELS; i++)
        vstore16(lists->key[i], i, keys);
    for (u32 i = 0; i < LEVELS * TILE_ROWS; i++)
        if (keys[i] != KEY_EMPTY)
            numbers[(keys[i] & PLACE_MASK) / TILE_ROWS] = 0;

    for (u32 i = 0; i < ENTERED_MAX; i++) {
        if (numbers[i] == NONE_U32)
            continue;
        numbers[i] = count;
        entered->tile[count++] = entered->tile[i];
    }
    entered->count = count;
    for (u32 i = 0; i < LEVELS * TILE_ROWS; i++)
        if (keys[i] != KEY_EMPTY)
            keys[i] = (keys[i] & ~PLACE_MASK) | keys[i] % TILE_ROWS |
                      numbers[(keys[i] & PLACE_MASK) / TILE_ROWS] * TILE_ROWS;
    for (u32 i = 0; i < LEVELS; i++)
        lists->key[i] = vload16(i, keys);
}

/* In few dimensions most tiles that are reached matter to some lane, and a test of each row costs
 * more than it saves; where there are angles it saves those. */
#define ROWS_TESTED (DOF > 3 || EMBEDDING_CURVED)

/* Offers the points of a tile. */
static inline void scan_tile(struct lists *lists, struct entered *entered,
                             const struct lanes *lanes, const struct tiles *tiles, u32 tile)
{
    u32 number = NONE_U32;
    for (u32 i = 0; i < TILE_ROWS; i++) {
        const size_t slot = (size_t)tile * TILE_ROWS + i;
        const lanes_f32 squared =
            lanes_within(lanes->query, tiles->rows + slot * ROW, lists->limit);
#if ROWS_TESTED
        if (!lanes_any(squared < lists->limit))
            continue;
#endif
        if (number == NONE_U32) {
            if (entered->count == ENTERED_MAX)
                entered_renew(entered, lists);
            number = entered->count++;
            entered->tile[number] = tile;
        }
        lists_insert(lists, squared, number * TILE_ROWS + i);
#if ROWS_TESTED
        lists_tighten(lists);
#endif
    }
#if !ROWS_TESTED
    lists_tighten(lists);
#endif
}

/* Offers all tiles of a bucket that are near enough, but one. */
static inline void walk_bucket(struct lists *lists, struct entered *entered,
                               const struct lanes *lanes, const struct tiles *tiles, u32 bucket,
                               u32 but, f32 alpha)
{
    const u32 end = tiles->starts[bucket + 1] / TILE_ROWS;
    for (u32 first = tiles->starts[bucket] / TILE_ROWS; first < end; first += TILE_NODES) {
        u32 left = lanes_mask(nodes_beside(lanes, tiles, first) < alpha * lanes_most(lists->limit));
        if (end - first < TILE_NODES)
            left &= (1u << (end - first)) - 1;
        if (but - first < TILE_NODES)
            left &= ~(1u << (but - first));
        for (; left != 0; left &= left - 1) {
            const u32 tile = first + lowest_bit(left);
            if (lanes_any(lanes_beside(lanes->query, tiles, tile) < alpha * lists->limit))
                scan_tile(lists, entered, lanes, tiles, tile);
        }
    }
}

/* Offers what is near enough: the tile `base`, the rest of its bucket, then the other buckets. */
static inline void walk(struct lists *lists, struct entered *entered, const struct lanes *lanes,
                        const struct tiles *tiles, u32 base, f32 alpha)
{
    const u32 own = tiles->owners[base], blocks = tiles->layout.bucket_nodes / TILE_NODES;

    scan_tile(lists, entered, lanes, tiles, base);
    for (u32 step = 0; step <= blocks; step++) {
        u32 first = own, left = 1;
        if (step > 0) {
            first = (own / TILE_NODES ^ (step - 1)) * TILE_NODES;
            left = lanes_mask(nodes_beside(lanes, tiles, tiles->layout.tile_nodes + first) <
                              alpha * lanes_most(lists->limit));
        }
        if (step == 1)
            left &= ~(1u << own % TILE_NODES);
        for (; left != 0; left &= left - 1) {
            const u32 bucket = first + lowest_bit(left);
            if (step == 0 ||
                lanes_any(lanes_beside(lanes->query, tiles, tiles->layout.tile_nodes + bucket) <
                          alpha * lists->limit))
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
    for (u32 i = 0; i < LEVELS; i++)
        vstore16(lists->key[i], i, keys);

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
        lanes.query[c] = vload16(c, rows.query);
        lanes.low[c] = lanes_least(lanes.query[c]);
        lanes.high[c] = lanes_most(lanes.query[c]);
    }
    entered.count = 0;
    lists_begin(&lists, lanes_bound(&lanes, &rows, tiles, wanted), wanted, asked->bound);
    walk(&lists, &entered, &lanes, tiles, rows.base[rows.count / 2], asked->alpha);
    write_rows(distances, indices, &lists, &entered, &rows, tiles, asked, wanted);

    // lanes whose spare is as far as the last of the wanted may have lost one
    const lanes_i32 last = as_int16(lists.key[LEVELS - 2] >> PLACE_BITS);
    const lanes_i32 spare = as_int16(lists.key[LEVELS - 1] >> PLACE_BITS);
    u32 open = lanes_mask((last == spare) & (last < (i32)QUANTUM_MAX)), real = 0;
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

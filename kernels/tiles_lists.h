/* The lists of tile search on a CPU. Included by tiles_lanes.h.
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
#ifndef KERNELS_TILES_LISTS_H
#define KERNELS_TILES_LISTS_H

#ifndef __OPENCL_VERSION__
#error "tiles_lists.h is device code"
#endif

#include "tiles_coded.h"
#include "tiles_parts.h"

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

/* A list a lane. */
struct lists {
    part_u32 key[PARTS][LEVELS];
    part_f32 limit[PARTS]; /* what matters is nearer, squared */
    part_f32 scale[PARTS]; /* quanta of a squared distance */
    part_f32 step[PARTS];  /* a quantum, rounded up */
#if CODED
    struct code_limits near; /* the limits in codes */
#endif
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

/* The most of any lane. */
static inline f32 lists_reach(const struct lists *lists)
{
    f32 reach = part_most(lists->limit[0]);
    for (u32 p = 1; p < PARTS; p++)
        reach = max(reach, part_most(lists->limit[p]));
    return reach;
}

/* The keys of a place for a part's lanes. */
static inline part_u32 lists_key(const struct lists *lists, u32 p, part_f32 squared, u32 place)
{
    const part_f32 quanta = min(squared * lists->scale[p], (part_f32)((f32)QUANTUM_MAX));
    return part_bits(part_whole(quanta)) << PLACE_BITS | place;
}

static inline void keys_insert(part_u32 *keys, part_u32 key)
{
    FOR_LEVELS
    for (u32 i = LEVELS - 1; i > 0; i--)
        keys[i] = min(keys[i], max(keys[i - 1], key));
    keys[0] = min(keys[0], key);
}

/* What is as far as T + 1 quanta comes too late; where the spare has T, so does what is as far as
 * T. */
static inline void lists_tighten(struct lists *lists, u32 p)
{
    const part_i32 last = part_signed(lists->key[p][LEVELS - 2] >> PLACE_BITS);
    const part_i32 spare = part_signed(lists->key[p][LEVELS - 1] >> PLACE_BITS);
    lists->limit[p] = min(lists->limit[p], part_floats(min(last + 1, spare)) * lists->step[p]);
}

/* Numbers the tiles that lists still hold anew, in the same order, so that there is room. */
static inline void entered_renew(struct entered *entered, struct lists *lists)
{
    u32 keys[LEVELS * TILE_ROWS], numbers[ENTERED_MAX], count = 0;
    for (u32 i = 0; i < ENTERED_MAX; i++)
        numbers[i] = NONE_U32;
    for (u32 i = 0; i < LEVELS * PARTS; i++)
        part_store(lists->key[i % PARTS][i / PARTS], i, keys);
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
    for (u32 i = 0; i < LEVELS * PARTS; i++)
        lists->key[i % PARTS][i / PARTS] = part_load(i, keys);
}

/* The number of a tile that enters. */
static inline u32 entered_add(struct entered *entered, struct lists *lists, u32 tile)
{
    if (entered->count == ENTERED_MAX)
        entered_renew(entered, lists);
    entered->tile[entered->count] = tile;
    return entered->count++;
}

/* A bit for each lane whose spare is as far as the last of the wanted. */
static inline u32 lists_open(const struct lists *lists)
{
    u32 open = 0;
    for (u32 p = 0; p < PARTS; p++) {
        const part_u32 last = lists->key[p][LEVELS - 2] >> PLACE_BITS;
        const part_u32 spare = lists->key[p][LEVELS - 1] >> PLACE_BITS;
        open |= part_mask((last == spare) & (last < QUANTUM_MAX)) << p * PART;
    }
    return open;
}

#endif

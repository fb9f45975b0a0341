/* Search in the tile index (tiles.cl): the k nearest of its points to points of its own or foreign
 * ones.
 *
 * Queries that lie together walk the buckets together, their own first, then all others in an order
 * that begins with the tree's neighbours, and leave out buckets and tiles whose box is farther than
 * the k-th neighbour found so far; with alpha below 1, than alpha times that in the square. With
 * alpha 1 the lists are those of brute force to the bit, ties by the lower index included: boxes
 * are bounded by the same sum in the same order as distances are, or by one of chords
 * (embedding.h), and rounding is monotone.
 *
 * CPU shape (tiles_lanes.h): 16 queries are lanes of vectors, and look at codes first
 * (tiles_codes.h). GPU shape (tiles_group.h): a query is a work-item, a work-group walks together.
 *
 * -D ROW, DOF, EMBEDDED_…: of embedding.h. -D LEVELS: entries of a list in registers,
 * k + 2 or more.
 *
 * check: -DROW=2 -DDOF=2 -DLEVELS=6
 * check: -DROW=4 -DDOF=3 -DLEVELS=66
 * check: -DROW=16 -DDOF=12 -DLEVELS=12
 * check: -DROW=4 -DDOF=4 -DEMBEDDED_TURNS=2 -DLEVELS=12 -DEMBEDDED_WEIGHTS=1,2
 * check: -DROW=16 -DDOF=12 -DEMBEDDED_ORIENTATIONS=1 -DLEVELS=12 -DEMBEDDED_WEIGHTS=1
 */
#include "embedding.h"
#include "levels.h"
#include "tiles_types.h"

#if !defined(LEVELS) || LEVELS < 3
#error "LEVELS must be k + 2 at least"
#endif

/* The index, as tiles_split and tiles_encode left it. */
struct tiles {
    __global const f32 *rows, *boxes, *bounds, *frame;
    __global const u32 *ids, *lowest, *owners, *starts, *codes;
    struct tile_layout layout;
};

/* Foreign rows, in the order of their tiles. */
struct guests {
    __global const f32 *rows;
    __global const u32 *order, *places;
};

/* Slots of the own points asked for: `count` from the first, or a sample's tile after tile. */
struct stretch {
    u32 first_tile, tiles;
};

/* The tiles that the own points asked about lie in: pieces that follow each other share out all
 * tiles. */
static inline struct stretch stretch_of(const struct tiles *tiles, const struct tile_asked *asked)
{
    const u64 all = tiles->starts[tiles->layout.buckets] / TILE_ROWS;
    const u32 first = (u32)((u64)asked->first * all / asked->of);
    const u32 last = (u32)((u64)(asked->first + asked->count) * all / asked->of);
    return asked->sample > 0 ? (struct stretch){0, asked->sample}
                             : (struct stretch){first, last - first};
}

/* The t-th tile of it. */
static inline u32 stretch_tile(const struct tiles *tiles, const struct tile_asked *asked,
                               const struct stretch *stretch, u32 t)
{
    const u64 all = tiles->starts[tiles->layout.buckets] / TILE_ROWS;
    return asked->sample > 0 ? (u32)(t * all / asked->sample) : stretch->first_tile + t;
}

#ifdef SHAPE_GPU
#include "tiles_group.h"
#else
#include "tiles_lanes.h"
#endif

/* The lists of all who are asked about. indices, distances: [points or queries][k], at a point's or
 * query's row; of a sample [sample][TILE_ROWS][k]. NONE_U32 and INFINITY past the last. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
tiles_search(__global u32 *restrict indices, __global f32 *restrict distances,
             __global const f32 *restrict rows, __global const u32 *restrict ids,
             __global const f32 *restrict boxes, __global const f32 *restrict bounds,
             __global const u32 *restrict lowest, __global const u32 *restrict owners,
             __global const u32 *restrict starts, __global const u32 *restrict codes,
             __global const f32 *restrict frame, const struct tile_layout layout,
             __global const f32 *restrict queries, __global const u32 *restrict order,
             __global const u32 *restrict places, const struct tile_asked asked)
{
    const struct tiles tiles = {rows,   boxes,  bounds, frame, ids,
                                lowest, owners, starts, codes, layout};
    const struct guests guests = {queries, order, places};
#ifdef SHAPE_GPU
    GROUP_MEMORY(memory);
    search_all(indices, distances, &tiles, &guests, &asked, &memory);
#else
    search_all(indices, distances, &tiles, &guests, &asked);
#endif
}

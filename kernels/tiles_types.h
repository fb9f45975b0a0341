/* What the tile index is made of, for kernels and host: tiles.cl makes it, tiles_search.cl asks it.
 *
 * Points lie in slots, TILE_ROWS to a tile; a bucket is a run of whole tiles. Boxes of tiles and
 * buckets share their tables: node t is tile t, node `tile_nodes` + b is bucket b.
 */
#ifndef KERNELS_TILES_TYPES_H
#define KERNELS_TILES_TYPES_H

#include "language.h"

/* Points of a tile, and queries that are searched for together. */
enum { TILE_ROWS = 16 };

/* Tiles or buckets that a query group tests at once; tables are padded to them. */
enum { TILE_NODES = 16 };

struct tile_layout {
    u32 buckets;      /* a power of two */
    u32 tile_nodes;   /* room for tiles, a multiple of TILE_NODES */
    u32 bucket_nodes; /* room for buckets, a power of two of at least TILE_NODES */
};

/* Who asks. */
struct tile_asked {
    u32 foreign; /* rows of another array, in the order of their tiles */
    u32 count; /* queries; of the points themselves: those from `first` in the order of the tiles */
    u32 first, of; /* points themselves: of so many */
    u32 sample; /* points themselves: so many spread tiles alone; lists in the order found; 0: not
                 */
    u32 group;  /* foreign: queries to a group, 1 … TILE_ROWS */
    u32 k;
    f32 bound; /* squared distance that a neighbour is below */
    f32 alpha; /* boxes count where their squared distance is below alpha times the bound; 1: exact
                */
};

#endif

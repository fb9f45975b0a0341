/* The tree that sends points to the buckets of a tile index: medians of a sample, on the host.
 *
 * A balanced tree in a heap: node 1 is the root, 2n and 2n + 1 the children of n, and the children
 * of the last row are the buckets. A point goes to the second child where its coordinate axes[n] is
 * above values[n], or equals it and the point's index is ties[n] or more (kernels/tiles.cl). Cost:
 * samples · dof · depth. Threads: any.
 */
#ifndef PRM_ROADMAP_TILE_TREE_H
#define PRM_ROADMAP_TILE_TREE_H

#include <stdint.h>

struct prm_tile_tree {
    uint32_t dof, row;       /* coordinates, and floats, of a sample row */
    uint32_t buckets;        /* a power of two, at most the samples */
    uint32_t samples, count; /* sample i is point i * count / samples */
    const float *sample;     /* [samples][row] */
    uint64_t *keys;          /* [samples], scratch */
    uint32_t *axes, *ties;   /* [buckets], written from node 1 on */
    float *values;           /* [buckets], likewise */
};

/* Splits the sample at medians along the widest side of what a node has. */
void prm_tile_tree_grow(struct prm_tile_tree *tree);

#endif

/* What host and device agree on about tables of numbers of edges
 * (engine/roadmap/search/hop_rows.h).
 */
#ifndef KERNELS_HOP_TYPES_H
#define KERNELS_HOP_TYPES_H

/* A table's row, a vertex's, has vectors of so many entries; at most so many vectors. */
#define HOP_LANES 16
#define HOP_VECTORS_MAX 6

/* The entry of what is out of reach; what is reached has less. */
#define HOP_FAR 255u

#endif

/* What host and device agree on about tables of landmark distances
 * (engine/roadmap/search/landmarks.h). */
#ifndef KERNELS_LANDMARK_TYPES_H
#define KERNELS_LANDMARK_TYPES_H

/* A table's row, a vertex's, has vectors of so many distances; at most so many vectors. */
#define LANDMARK_LANES 16
#define LANDMARK_VECTORS_MAX 6

/* The quantised distance of what is out of reach, or farther than a row can say. */
#define LANDMARK_FAR 65535u

/* Landmarks chosen and searched from at a time, at most. */
#define LANDMARK_ROUND_MAX 8

#endif

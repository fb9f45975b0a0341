/* What the host tells embedding.cl: where an embedded row's coordinates come from. */
#ifndef KERNELS_EMBEDDING_TYPES_H
#define KERNELS_EMBEDDING_TYPES_H

#include "language.h"

/* Floats of an embedded row that a turn and an orientation take; coordinates of a state at most. */
enum { TURN_FLOATS = 2, ORIENTATION_FLOATS = 9, EMBEDDING_SOURCES = 32 };

/* In the order of the embedding: all linear coordinates, then turns, then the first of an
 * orientation's four. */
struct embedding_sources {
    u32 coordinate[EMBEDDING_SOURCES]; /* of the state's row */
};

#endif

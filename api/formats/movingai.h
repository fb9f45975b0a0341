/* MovingAI grid maps (Sturtevant, "Benchmarks for grid-based pathfinding", 2012) as worlds.
 *
 *     map := "type octile" NL "height" H NL "width" W NL "map" NL  H lines of W characters
 *
 * NL is LF or CRLF, the last one may be missing, blank lines may follow. Characters: . G S ground,
 * W water, T trees, @ O blocked; any other is refused rather than taken for ground, as the format's
 * own program does. Rows are top-down; one cell is one unit and the lower left corner lies at the
 * origin.
 */
#ifndef FORMATS_MOVINGAI_H
#define FORMATS_MOVINGAI_H

#include "schema/world.h"

/* Reads a map. `passable` (NULL, "T", "W" or "TW") frees classes apart from the ground. false:
 * `problem` names line and column; the world then needs no deinit. */
bool movingai_read(struct world_document *world, const char *data, size_t bytes,
                   const char *passable, const struct limits *limits, struct problem *problem);

#endif

/* MovingAI scenario files (.scen, Sturtevant 2012) as plan requests.
 *
 * A line names a start and a goal cell (column, row from the top); the state is the cell's centre
 * with y up: x = column + 0.5, y = height - row - 0.5, as worlds made of a .map have it.
 */
#ifndef CLIENT_SCENARIO_H
#define CLIENT_SCENARIO_H

#include "schema/text.h"

#include <stdbool.h>

struct scenario {
    struct text queries; /* a JSON array of queries, owned */
    unsigned count;
    unsigned width, height; /* of the map, as the lines have it */
    double *optima; /* [count]: published octile lengths; 0 with start != goal: no path; owned */
};

/* Reads a whole file: the current nine fields a line, or the old seven, whose map height the caller
 * gives (0: unknown, an error there). false: `fault` says which line is wrong; nothing to
 * deinitialise. */
bool scenario_read(struct scenario *scenario, const char *data, size_t bytes, unsigned map_height,
                   char *fault, size_t fault_bytes);
void scenario_deinit(struct scenario *scenario);

#endif

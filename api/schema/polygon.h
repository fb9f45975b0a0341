/* Whether a polygon is one: area, and edges that do not cross. Pure. */
#ifndef SCHEMA_POLYGON_H
#define SCHEMA_POLYGON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Drops points equal to the one before, and a last that repeats the first; returns the new count.
 * points: double[count][2]. */
uint32_t polygon_drop_repeats(double *points, uint32_t count);

/* Whether the area is not 0 but for rounding: above 1e-12 of the extent's square. */
bool polygon_has_area(const double *points, uint32_t count);

/* Whether two edges surely cross (touching is no crossing); `first` and `second` are then the
 * points where they begin. Sweep over edges sorted along x: n log n for what maps hold, n² at
 * worst. false in `memory`: it ran out. */
bool polygon_crosses_itself(const double *points, uint32_t count, uint32_t *first, uint32_t *second,
                            bool *memory);

#endif

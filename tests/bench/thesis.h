/* What the sources' figures share. */
#ifndef BENCH_THESIS_H
#define BENCH_THESIS_H

#include "device/arena.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct thesis {
    struct prm_context *context;
    struct prm_arena *arena;
    const char *folder;
    unsigned runs;
};

/* The median of some runs, the first thrown away; `prepare` is not timed, NULL: nothing. */
double thesis_ms(const struct thesis *thesis, void (*prepare)(void *), void (*run)(void *),
                 void *work);

/* A new table in the folder, with its line of titles. */
FILE *thesis_csv(const struct thesis *thesis, const char *name, const char *titles);

/* Mean neighbours against M, L and W, and time of all nearest neighbours against n, in 6 and 12
 * dimensions. */
void thesis_neighbors(const struct thesis *thesis);

#endif

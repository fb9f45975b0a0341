/* Points whose neighbours are searched. */
#ifndef BENCH_POINTS_H
#define BENCH_POINTS_H

#include "roadmap/robot/embedding.h"

/* Points uniform in the unit cube, the same at every call; a space of numbers alone: its
 * coordinates say nothing. */
struct points {
    struct prm_embedding embedding;
    size_t count;
    float *rows;              /* [count][dof] */
    float *columns;           /* [dof][count] */
    struct prm_buffer device; /* f32[count][embedding.row] */
};

/* Ends the program where there is no memory; ended by points_deinit(). */
void points_init(struct points *points, struct prm_context *context, uint32_t dof, size_t count);
void points_deinit(struct points *points, struct prm_context *context);

#endif

/* What host and device share about samples. */
#ifndef KERNELS_SAMPLE_TYPES_H
#define KERNELS_SAMPLE_TYPES_H

#include "language.h"

/* Scales of near draws and steps, taken in turn. */
#define SAMPLE_SCALES 4

/* What random words are for: no two uses share any. */
enum sample_purpose {
    SAMPLE_FOR_GAUSSIAN,
    SAMPLE_FOR_BRIDGE,
    SAMPLE_FOR_OBSTACLE,
    SAMPLE_FOR_TREES,
    SAMPLE_FOR_PARTNERS /* added to one of the above */
};

/* A tree about to be extended by a round of attempts. */
struct sample_tree {
    u32 anchor; /* its place among the anchors, and that of its nodes */
    u32 nodes;  /* so far */
    u32 first;  /* number of the round's first attempt */
    f32 scale;  /* of its steps */
};

#ifndef __OPENCL_VERSION__
_Static_assert(sizeof(struct sample_tree) == 16, "struct sample_tree crosses the bus");
#endif

#endif

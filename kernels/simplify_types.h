/* What simplification and its host agree on. */
#ifndef KERNELS_SIMPLIFY_TYPES_H
#define KERNELS_SIMPLIFY_TYPES_H

enum simplify_control {
    SIMPLIFY_TAKEN,  /* paths handed out so far */
    SIMPLIFY_CURSOR, /* points written so far */
    SIMPLIFY_CONTROL_WORDS,
};

/* Points of a path beyond its vertices: both ends, and room for points halfway between. */
enum { SIMPLIFY_POINTS_MORE = 24 };

#endif

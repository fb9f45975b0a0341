/* What kernels and host agree on about hashed neighbours (lsh.cl, lsh_join.cl, lsh_refine.cl). */
#ifndef KERNELS_LSH_TYPES_H
#define KERNELS_LSH_TYPES_H

#include "language.h"

enum {
    /* Projections of a key at most; their coefficients lie in rows of so many: lsh.cl's vectors. */
    LSH_PROJECTIONS = 8,
    /* Of a packed key, the lowest bits: a place in a bucket. */
    LSH_PLACE_BITS = 8,
    /* Members of a bucket that a query looks at: the chunk of a sorted run. */
    LSH_BUCKET_MAX = 1 << LSH_PLACE_BITS,
    /* Of a neighbour's list, the entries that are offered on. */
    LSH_OFFERED = 16
};

/* A list of the points' own: k keys, ascending. A key is the squared distance's float bits, but the
 * lowest LSH_PLACE_BITS, above the point's index. */
#define LSH_PLACE_MASK ((1u << LSH_PLACE_BITS) - 1)
#define LSH_BITS_EMPTY 0x7f800000u
#define LSH_KEY_EMPTY (((u64)LSH_BITS_EMPTY << 32) | NONE_U32)

#ifndef __OPENCL_VERSION__
_Static_assert(LSH_PROJECTIONS == 8, "lsh.cl reads rows of coefficients as vectors of 8");
#endif

#endif

/* Lower bounds of the edges between vertices, from rows of a table: the triangle inequality on
 * numbers of edges (ALT; Goldberg & Harrelson 2005).
 *
 * A row holds floor(d / q), at most HOP_FAR, for the numbers of edges d from its vertex to the
 * landmarks and a quantum q = 2^shift, which is 1 unless the graph is deeper than a byte can say.
 * Entries that differ by x > 0 prove (x - 1) q + 1 edges between their vertices: with q = 1 just x.
 */
#ifndef KERNELS_HOP_ROWS_H
#define KERNELS_HOP_ROWS_H

#ifndef __OPENCL_VERSION__
#error "hop_rows.h is device code"
#endif

#include "hop_types.h"
#include "language.h"

/* What a row is compared with: an interval a landmark, outside of which a vertex is away. */
struct hop_interval {
    uchar16 low[HOP_VECTORS_MAX], high[HOP_VECTORS_MAX];
};

/* The greatest of sixteen bytes. */
static inline u32 hop_greatest(uchar16 v)
{
#if defined(OCLGRIND)
    // as in lanes.h: no shuffles there
    uchar each[HOP_LANES];
    vstore16(v, 0, each);
    for (u32 lane = 1; lane < HOP_LANES; lane++)
        each[0] = max(each[0], each[lane]);
    return each[0];
#else
    const uchar8 eight = max(v.lo, v.hi);
    const uchar4 four = max(eight.lo, eight.hi);
    const uchar2 two = max(four.lo, four.hi);
    return max(two.x, two.y);
#endif
}

static inline void hop_interval_clear(struct hop_interval *interval, u32 vectors)
{
    for (u32 j = 0; j < vectors; j++) {
        interval->low[j] = (uchar16)(HOP_FAR);
        interval->high[j] = (uchar16)(0);
    }
}

/* The interval takes in a row. */
static inline void hop_interval_widen(struct hop_interval *interval, __global const uchar *row,
                                      u32 vectors)
{
    for (u32 j = 0; j < vectors; j++) {
        const uchar16 entries = vload16(j, row);
        interval->low[j] = min(interval->low[j], entries);
        interval->high[j] = max(interval->high[j], entries);
    }
}

/* Edges that there are at least between a row's vertex and all those whose rows are in the
 * interval. */
static inline u32 hop_bound(__global const uchar *row, const struct hop_interval *interval,
                            u32 vectors, u32 shift)
{
    uchar16 most = (uchar16)(0);
    for (u32 j = 0; j < vectors; j++) {
        const uchar16 entries = vload16(j, row);
        most =
            max(most, max(sub_sat(interval->low[j], entries), sub_sat(entries, interval->high[j])));
    }
    const u32 excess = hop_greatest(most);
    return excess > 0 ? ((excess - 1) << shift) + 1 : 0;
}

#endif

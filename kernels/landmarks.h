/* Lower bounds of distances from landmarks: the triangle inequality over rows of a table (ALT;
 * Goldberg & Harrelson 2005).
 *
 * A row holds floor(d / q), at most LANDMARK_FAR, for the distances d of its vertex from the
 * landmarks and a quantum q = 2^shift. For a landmark at distances D(u) and D(v), |D(u) - D(v)|
 * bounds the distance of u and v from below; so does the difference of the rows' entries times q,
 * less one quantum for the rounding. Clamping both to the same maximum only brings them closer.
 */
#ifndef KERNELS_LANDMARKS_H
#define KERNELS_LANDMARKS_H

#ifndef __OPENCL_VERSION__
#error "landmarks.h is device code"
#endif

#include "landmark_types.h"
#include "lanes.h"

/* What a row is compared with: an interval a landmark, outside of which a vertex is at least so far
 * away. */
struct landmark_interval {
    ushort16 low[LANDMARK_VECTORS_MAX], high[LANDMARK_VECTORS_MAX];
};

/* How far the entries of vector j are out of their intervals. */
static inline ushort16 landmark_outside(__global const ushort *row,
                                        const struct landmark_interval *interval, u32 j)
{
    const ushort16 entries = vload16(j, row);
    return max(sub_sat(interval->low[j], entries), sub_sat(entries, interval->high[j]));
}

/* The greatest distance, in quanta, of any entry from its interval. */
static inline u32 landmark_excess(__global const ushort *row,
                                  const struct landmark_interval *interval, u32 vectors)
{
    ushort16 most = (ushort16)(0);
    // a full row, as all but small roadmaps have, without a loop
    if (vectors == LANDMARK_VECTORS_MAX) {
        __attribute__((opencl_unroll_hint)) for (u32 j = 0; j < LANDMARK_VECTORS_MAX; j++)
        {
            most = max(most, landmark_outside(row, interval, j));
        }
    } else {
        for (u32 j = 0; j < vectors; j++)
            most = max(most, landmark_outside(row, interval, j));
    }
    return lanes_greatest(most);
}

/* The distance that an excess proves; saturates. */
static inline u32 landmark_distance(u32 excess, u32 shift)
{
    return excess > 1 ? convert_uint_sat((u64)(excess - 1) << shift) : 0;
}

/* A distance as a row's entry. */
static inline ushort landmark_entry(u32 distance, u32 shift)
{
    return distance == NONE_U32 ? LANDMARK_FAR : convert_ushort_sat(distance >> shift);
}

#endif

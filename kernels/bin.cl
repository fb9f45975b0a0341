/* Binning of elements that may fall into none, one or many bins: count each element's bins, lay out
 * one (bin, element) pair a membership in the order of elements, sort them stably by bin
 * (radix_sort.cl), find where each bin begins.
 *
 * Launch: one group of WORKGROUP a chunk, of elements (count), memberships (expand) or either
 * (offsets). Traffic: count 8 (boxes 32) bytes an element; expand 8 a membership; offsets 4 a
 * membership, 4 a bin. -D BIN_INTERVALS: bins first[i] … end[i] - 1. -D BIN_BOXES: the tiles that
 * box i touches, clipped.
 *
 * check: -DBIN_INTERVALS
 * check: -DBIN_BOXES
 */
#include "bisect.h"
#include "chunk.h"
#include "types.h"

/* The bins of one element: `count[0] * count[1] * count[2]` tiles from `first`; intervals use x
 * alone. */
struct block {
    u32 first[3];
    u32 count[3];
};

#if defined(BIN_INTERVALS)

typedef uint bound_t;

static inline struct block block_of(__global const bound_t *first, __global const bound_t *end,
                                    u32 i, struct tile_grid grid)
{
    const u32 stop = min(end[i], grid.size[0]);
    const u32 begin = min(first[i], stop);
    const struct block block = {{begin, 0, 0}, {stop - begin, 1, 1}};
    return block;
}

#elif defined(BIN_BOXES)

typedef float4 bound_t;

/* Tiles of one axis that [lower, upper] touches: from *first, returns how many. A bound on the
 * grid's upper face belongs to the last tile; NaN and empty boxes touch none. */
static inline u32 tiles_of(float lower, float upper, float origin, float inverse_edge, u32 size,
                           u32 *first)
{
    const float from = (lower - origin) * inverse_edge;
    const float to = (upper - origin) * inverse_edge;
    *first = 0;
    if (!(lower <= upper) || !(to >= 0.0f) || !(from <= (float)size))
        return 0;
    const u32 begin = from > 0.0f ? min((u32)from, size - 1) : 0; // conversion is floor
    const u32 last = to < (float)size ? min((u32)to, size - 1) : size - 1;
    *first = begin;
    return last - begin + 1;
}

static inline struct block block_of(__global const bound_t *lower, __global const bound_t *upper,
                                    u32 i, struct tile_grid grid)
{
    const float low[3] = {lower[i].x, lower[i].y, lower[i].z};
    const float high[3] = {upper[i].x, upper[i].y, upper[i].z};
    struct block block;
    for (u32 axis = 0; axis < 3; axis++)
        block.count[axis] = tiles_of(low[axis], high[axis], grid.origin[axis], grid.inverse_edge,
                                     grid.size[axis], &block.first[axis]);
    return block;
}

#else
#error "one of BIN_INTERVALS and BIN_BOXES must say what is binned"
#endif

/* counts[i] = bins of element i; totals[g] = sum of those of chunk g, which may be more than 32
 * bits. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bin_count(__global u32 *restrict counts, __global ulong *restrict totals,
          __global const bound_t *restrict first, __global const bound_t *restrict end,
          struct tile_grid grid, u32 n, u32 length)
{
    __local ulong sums[WORKGROUP];
    const u32 item = (u32)get_local_id(0);
    const u32 stop = chunk_end(length, n);

    ulong sum = 0;
    for (u32 i = chunk_begin(length) + item; i < stop; i += WORKGROUP) {
        const struct block block = block_of(first, end, i, grid);
        const u32 count = block.count[0] * block.count[1] * block.count[2];
        counts[i] = count;
        sum += count;
    }
    sum = workgroup_reduce_add_u64(sum, sums);
    if (item == 0)
        totals[get_group_id(0)] = sum;
}

/* bins[p], members[p] = the bin and element of membership p; element i's are begins[i] … begins[i +
 * 1] - 1, in the order of bins. Shared out by memberships, so one element in many bins burdens no
 * one group. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bin_expand(__global u32 *restrict bins, __global u32 *restrict members,
           __global const u32 *restrict begins, __global const bound_t *restrict first,
           __global const bound_t *restrict end, struct tile_grid grid, u32 elements, u32 n,
           u32 length)
{
    const u32 stop = chunk_end(length, n);
    u32 next = 0;
    u32 element = 0;
    struct block block;

    for (u32 p = chunk_begin(length) + (u32)get_local_id(0); p < stop; p += WORKGROUP) {
        // the same element as before, most often
        if (p >= next) {
            element = bisect_run(begins, elements, p);
            next = begins[element + 1];
            block = block_of(first, end, element, grid);
        }
        const u32 k = p - begins[element];
        const u32 row = k / block.count[0];
        const u32 layer = row / block.count[1];
        const u32 x = block.first[0] + k - row * block.count[0];
        const u32 y = block.first[1] + row - layer * block.count[1];
        const u32 z = block.first[2] + layer;
        bins[p] = (z * grid.size[1] + y) * grid.size[0] + x;
        members[p] = element;
    }
}

/* offsets[b] = how many of the sorted keys[0 .. n) are below b, for b = 0 … bins. n >= 1. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bin_offsets(__global u32 *restrict offsets, __global const u32 *restrict keys, u32 n, u32 bins,
            u32 length)
{
#if WORKGROUP == 1
    // a chunk of keys; each key fills the bins after its predecessor, the last one those to the end
    const u32 stop = chunk_end(length, n);
    u32 p = chunk_begin(length);
    u32 bin = p > 0 ? keys[p - 1] + 1 : 0;
    for (; p < stop; p++) {
        for (; bin <= keys[p]; bin++)
            offsets[bin] = p;
    }
    if (stop == n) {
        for (; bin <= bins; bin++)
            offsets[bin] = n;
    }
#else
    // a chunk of bins; each searches
    const u32 stop = chunk_end(length, bins + 1);
    for (u32 bin = chunk_begin(length) + (u32)get_local_id(0); bin < stop; bin += WORKGROUP)
        offsets[bin] = bisect_below(keys, n, bin);
#endif
}

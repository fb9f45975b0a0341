/* Binning of scalars: into bins between ascending edges, and into intervals that may overlap.
 *
 * Edges: each value finds its place among them by bisection. Intervals: of the values in order each
 * interval holds one run, found by bisection; one (interval, element) pair a membership is laid
 * out, and the host sorts the pairs.
 *
 * Launch: one group of WORKGROUP a chunk, of values (places, bounds), intervals (runs) or
 * memberships (expand). Traffic: 8 bytes an element and log2 of what is searched in gathered reads;
 * expand 8 and 4 gathered a membership. -D VALUE_U32, VALUE_I32 or VALUE_F32: what is compared.
 *
 * check: -DVALUE_U32
 * check: -DVALUE_I32
 * check: -DVALUE_F32
 */
#include "bisect.h"
#include "chunk.h"

#if defined(VALUE_U32)
typedef uint value_t;
#elif defined(VALUE_I32)
typedef int value_t;
#elif defined(VALUE_F32)
typedef float value_t;
#else
#error "one of VALUE_U32, VALUE_I32 and VALUE_F32 must say what is compared"
#endif

/* places[i] = how many of the ascending edges are at most values[i]; of NaN none. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bin_values_places(__global u32 *restrict places, __global const value_t *restrict values,
                  __global const value_t *restrict edges, u32 edge_count, u32 n, u32 length)
{
    const u32 end = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP) {
        const value_t value = values[i];
        u32 low = 0;
        u32 high = edge_count;
        while (low < high) {
            const u32 middle = low + (high - low) / 2;
            if (edges[middle] <= value)
                low = middle + 1;
            else
                high = middle;
        }
        places[i] = low;
    }
}

/* The bins first[i] … end[i] - 1 of a value at places[i]: one, or none outside of the edges. first
 * may be places. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bin_values_bounds(__global u32 *first, __global u32 *restrict end, __global const u32 *places,
                  u32 edge_count, u32 n, u32 length)
{
    const u32 stop = chunk_end(length, n);
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < stop; i += WORKGROUP) {
        const u32 place = places[i];
        const bool inside = place > 0 && place < edge_count;
        first[i] = inside ? place - 1 : 0;
        end[i] = inside ? place : 0;
    }
}

/* Orders values as radix_sort.cl does, but -0 as +0: what is equal must not be parted. */
static inline u32 order(value_t value)
{
#if defined(VALUE_U32)
    return value;
#elif defined(VALUE_I32)
    return (u32)value ^ 0x80000000u;
#else
    const u32 bits = value == 0.0f ? 0 : as_uint(value);
    return bits ^ ((u32)((i32)bits >> 31) | 0x80000000u);
#endif
}

/* How many of the n sorted values are below `bound`. */
static inline u32 count_below(__global const value_t *sorted, u32 n, value_t bound)
{
    u32 low = 0;
    u32 high = n;
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (order(sorted[middle]) < order(bound))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Interval b = [ranges[b][0], ranges[b][1]) holds counts[b] of the sorted values, from first[b];
 * totals[g] = sum of the counts of chunk g, which may be more than 32 bits. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bin_values_runs(__global u32 *restrict counts, __global u32 *restrict first,
                __global ulong *restrict totals, __global const value_t *restrict sorted,
                u32 value_count, __global const value_t *restrict ranges, u32 n, u32 length)
{
    __local ulong sums[WORKGROUP];
    const u32 item = (u32)get_local_id(0);
    const u32 stop = chunk_end(length, n);

    ulong sum = 0;
    for (u32 b = chunk_begin(length) + item; b < stop; b += WORKGROUP) {
        const u32 begin = count_below(sorted, value_count, ranges[2 * b]);
        const u32 end = count_below(sorted, value_count, ranges[2 * b + 1]);
        first[b] = begin;
        counts[b] = end - begin;
        sum += end - begin;
    }
    sum = workgroup_reduce_add_u64(sum, sums);
    if (item == 0)
        totals[get_group_id(0)] = sum;
}

/* bins[p], members[p] = interval and element of membership p; interval b's are begins[b] …
 * begins[b + 1] - 1, in the order of values. elements[j]: which element the j-th in order is. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
bin_values_expand(__global u32 *restrict bins, __global u32 *restrict members,
                  __global const u32 *restrict begins, __global const u32 *restrict first,
                  __global const u32 *restrict elements, u32 bin_count, u32 n, u32 length)
{
    const u32 stop = chunk_end(length, n);
    u32 bin = 0;
    u32 next = 0;
    for (u32 p = chunk_begin(length) + (u32)get_local_id(0); p < stop; p += WORKGROUP) {
        // the same interval as before, most often; else the last one that begins at p or before
        if (p >= next) {
            bin = bisect_run(begins, bin_count, p);
            next = begins[bin + 1];
        }
        bins[p] = bin;
        members[p] = elements[first[bin] + p - begins[bin]];
    }
}

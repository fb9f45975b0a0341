/* Histograms. histogram_local: private counts a group in local memory, COPIES of them so that equal
 * values one after another do not wait for each other, merged by one global add a group and bin
 * that is not empty; a launch counts the slots from `first` on, so that more than fit take several.
 * histogram_global: a global atomic a run of equal slots, for more bins than a few launches count.
 *
 * Launch: one group of WORKGROUP a chunk. Traffic: 4 bytes an element and launch, and the bins once
 * a group.
 * -D VALUE_U32: a value is its bin. -D VALUE_F32: equal bins over [least, most]. -D COPIES=n: 1 or
 * more.
 *
 * check: -DVALUE_U32 -DCOPIES=4
 * check: -DVALUE_F32 -DCOPIES=1
 */
#include "chunk.h"

#if !defined(COPIES) || COPIES < 1
#error "COPIES must be the number of private histograms of a group"
#endif

/* Equal bins: bin b of `bins` is [least + b / scale, least + (b + 1) / scale), the last one closed;
 * then come two more, for values below and above (NaN is above). */
struct range {
    float least, most, scale;
    u32 bins;
};

#if defined(VALUE_U32)
typedef uint value_t;
#elif defined(VALUE_F32)
typedef float value_t;
#else
#error "one of VALUE_U32 and VALUE_F32 must be the type of the values"
#endif

/* The slot that counts a value; `slots` or more: none does. */
static inline u32 slot_of(value_t value, struct range range)
{
#if defined(VALUE_U32)
    return value;
#else
    if (!(value <= range.most))
        return range.bins + 1;
    if (value < range.least)
        return range.bins;
    if (value == range.most)
        return range.bins - 1;
    return min((u32)((value - range.least) * range.scale), range.bins - 1);
#endif
}

/* counts[first + s] += how many values of chunk g have slot first + s, for s < slots.
 * private_counts: COPIES * slots + 1. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
histogram_local(__global u32 *restrict counts, __global const value_t *restrict values,
                __local u32 *private_counts, float least, float most, float scale, u32 bins,
                u32 first, u32 slots, u32 n, u32 length)
{
    const struct range range = {least, most, scale, bins};
    const u32 item = (u32)get_local_id(0);
    const u32 end = chunk_end(length, n);

    for (u32 c = item; c <= COPIES * slots; c += WORKGROUP)
        private_counts[c] = 0;
    workgroup_barrier();

#if WORKGROUP == 1
    // neighbours count in different copies; what is elsewhere counts behind them, without a branch
    u32 i = chunk_begin(length);
    for (; i + COPIES <= end; i += COPIES) {
        for (u32 copy = 0; copy < COPIES; copy++) {
            const u32 slot = slot_of(values[i + copy], range) - first;
            private_counts[slot < slots ? copy * slots + slot : COPIES * slots]++;
        }
    }
    for (; i < end; i++) {
        const u32 slot = slot_of(values[i], range) - first;
        private_counts[slot < slots ? slot : COPIES * slots]++;
    }
#else
    __local u32 *own = private_counts + item % COPIES * slots;
    for (u32 i = chunk_begin(length) + item; i < end; i += WORKGROUP) {
        const u32 slot = slot_of(values[i], range) - first;
        if (slot < slots)
            atomic_inc(&own[slot]);
    }
#endif
    workgroup_barrier();

    for (u32 s = item; s < slots; s += WORKGROUP) {
        u32 sum = 0;
        for (u32 copy = 0; copy < COPIES; copy++)
            sum += private_counts[copy * slots + s];
        if (sum > 0)
            atomic_add(&counts[first + s], sum);
    }
}

/* As above, for any number of slots at once. A work-item adds a run of equal ones in one, so that
 * values that are all the same do not queue up for one bin. */
__kernel __attribute__((reqd_work_group_size(WORKGROUP, 1, 1))) void
histogram_global(__global u32 *restrict counts, __global const value_t *restrict values,
                 float least, float most, float scale, u32 bins, u32 slots, u32 n, u32 length)
{
    const struct range range = {least, most, scale, bins};
    const u32 end = chunk_end(length, n);
    u32 last = slots;
    u32 run = 0;
    for (u32 i = chunk_begin(length) + (u32)get_local_id(0); i < end; i += WORKGROUP) {
        const u32 slot = slot_of(values[i], range);
        if (slot != last) {
            if (last < slots)
                atomic_add(&counts[last], run);
            last = slot;
            run = 0;
        }
        run++;
    }
    if (last < slots)
        atomic_add(&counts[last], run);
}

/* Collectives of one work-group: exclusive scans of 32-bit words, and reductions.
 *
 * Scans: Blelloch 1990 (work-efficient, 2 log2 n rounds, WORKGROUP words) and Hillis & Steele 1985
 * (log2 n rounds, double-buffered). Reductions: a tree of log2 n rounds. With WORKGROUP == 1 all of
 * them are plain expressions: no barrier, no local memory touched.
 *
 * Launch: one-dimensional groups of WORKGROUP work-items (a power of two), local size as in
 * reqd_work_group_size. Every work-item of the group must call, so no call in divergent flow.
 * `scratch` is local memory of WORKGROUP_SCRATCH words that the kernel declares; it may be read and
 * written again as soon as the call returns, and the caller's own writes to it need no barrier
 * before the call.
 *
 *     __local u32 scratch[WORKGROUP_SCRATCH];
 *     u32 total;
 *     const u32 place = workgroup_scan_exclusive(flag, &total, scratch);
 *
 * -D WORKGROUP=n: work-items of a group. -D SCAN_HILLIS_STEELE: workgroup_scan_exclusive is that
 * one.
 */
#ifndef KERNELS_WORKGROUP_H
#define KERNELS_WORKGROUP_H

#ifndef __OPENCL_VERSION__
#error "workgroup.h is device code"
#endif

#include "language.h"

#if !defined(WORKGROUP) || WORKGROUP < 1
#error "WORKGROUP must be the number of work-items of a group"
#endif
#if (WORKGROUP & (WORKGROUP - 1)) != 0
#error "WORKGROUP must be a power of two"
#endif

#if WORKGROUP == 1

#define WORKGROUP_SCRATCH 1

/* Nothing to meet: a group of one is always together. */
#define workgroup_barrier()

static inline u32 workgroup_scan_blelloch(u32 value, u32 *total, __local u32 *scratch)
{
    (void)scratch;
    *total = value;
    return 0;
}

static inline u32 workgroup_scan_hillis_steele(u32 value, u32 *total, __local u32 *scratch)
{
    (void)scratch;
    *total = value;
    return 0;
}

#define WORKGROUP_REDUCTION(name, type, combine)                                                   \
    static inline type name(type value, __local type *scratch)                                     \
    {                                                                                              \
        (void)scratch;                                                                             \
        return value;                                                                              \
    }

#else

#define WORKGROUP_SCRATCH (2 * WORKGROUP)

/* The group's work-items meet; local memory written before is seen after. */
#define workgroup_barrier() barrier(CLK_LOCAL_MEM_FENCE)

/* Returns the sum of `value` over the work-items below this one, mod 2^32; *total is that of all.
 */
static inline u32 workgroup_scan_blelloch(u32 value, u32 *total, __local u32 *scratch)
{
    const u32 item = (u32)get_local_id(0);

    // own writes of a caller to scratch must not overtake the others' reads
    barrier(CLK_LOCAL_MEM_FENCE);
    scratch[item] = value;

    // up-sweep: partial sums of 2, 4, 8, … neighbours at the last of each
    for (u32 stride = 1; stride < WORKGROUP; stride *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const u32 right = (item + 1) * 2 * stride - 1;
        if (right < WORKGROUP)
            scratch[right] += scratch[right - stride];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *total = scratch[WORKGROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        scratch[WORKGROUP - 1] = 0;

    // down-sweep: each node hands its prefix to the left child, prefix + left sum to the right
    for (u32 stride = WORKGROUP / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const u32 right = (item + 1) * 2 * stride - 1;
        if (right < WORKGROUP) {
            const u32 left_sum = scratch[right - stride];
            scratch[right - stride] = scratch[right];
            scratch[right] += left_sum;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const u32 prefix = scratch[item];
    barrier(CLK_LOCAL_MEM_FENCE);
    return prefix;
}

/* As above, by log2 n rounds in which each work-item adds the value `stride` below its own. */
static inline u32 workgroup_scan_hillis_steele(u32 value, u32 *total, __local u32 *scratch)
{
    const u32 item = (u32)get_local_id(0);
    u32 from = 0;
    u32 sum = value;

    barrier(CLK_LOCAL_MEM_FENCE);
    scratch[item] = sum;

    // two halves take turns, so that a round reads only what the last one wrote
    for (u32 stride = 1; stride < WORKGROUP; stride *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item >= stride)
            sum += scratch[from + item - stride];
        from = WORKGROUP - from;
        scratch[from + item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *total = scratch[from + WORKGROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum - value;
}

#define WORKGROUP_REDUCTION(name, type, combine)                                                   \
    static inline type name(type value, __local type *scratch)                                     \
    {                                                                                              \
        const u32 item = (u32)get_local_id(0);                                                     \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        scratch[item] = value;                                                                     \
        for (u32 stride = WORKGROUP / 2; stride > 0; stride /= 2) {                                \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
            if (item < stride)                                                                     \
                scratch[item] = combine(scratch[item], scratch[item + stride]);                    \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        const type result = scratch[0];                                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        return result;                                                                             \
    }

#endif

/* The sum mod 2^32 or 2^64, least and greatest `value` of the group, the same in every work-item.
 * Kernels make others of their own by WORKGROUP_REDUCTION; of u64, scratch is u64[WORKGROUP]. */
#define WORKGROUP_SUM(a, b) ((a) + (b))
WORKGROUP_REDUCTION(workgroup_reduce_add, u32, WORKGROUP_SUM)
WORKGROUP_REDUCTION(workgroup_reduce_add_u64, u64, WORKGROUP_SUM)
WORKGROUP_REDUCTION(workgroup_reduce_min, u32, min)
WORKGROUP_REDUCTION(workgroup_reduce_max, u32, max)
#undef WORKGROUP_SUM

/* The scan of the chosen method. Between two work-items both are one addition, and PoCL 3.1 loses
 * the prefix that Blelloch's loops of a single round leave. */
#if defined(SCAN_HILLIS_STEELE) || WORKGROUP == 2
#define workgroup_scan_exclusive workgroup_scan_hillis_steele
#else
#define workgroup_scan_exclusive workgroup_scan_blelloch
#endif

#endif

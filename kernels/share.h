/* How independent elements are shared out over work-items: a contiguous stretch each, in groups of
 * WORKGROUP. On a GPU the host launches at least as many items as elements and each has one; on a
 * CPU a few hundred have many. Results never depend on it. Counts stay below 2^31. */
#ifndef KERNELS_SHARE_H
#define KERNELS_SHARE_H

#ifndef __OPENCL_VERSION__
#error "share.h is device code"
#endif

#include "language.h"

static inline u32 share_length(u32 n)
{
    const u32 items = (u32)get_global_size(0);
    return (n + items - 1) / items;
}

/* This work-item's elements are share_begin(n) … share_end(n) - 1. */
static inline u32 share_begin(u32 n)
{
    return min((u32)get_global_id(0) * share_length(n), n);
}

static inline u32 share_end(u32 n)
{
    return min(share_begin(n) + share_length(n), n);
}

#endif

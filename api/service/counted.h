/* Reference counts: the base of everything that readers share.
 *
 * A counted object is immutable while more than one reference exists. The last release calls
 * `destroy`. Threads: taking and releasing are safe anywhere; whoever takes must hold a reference
 * already, or the lock of a table that does.
 */
#ifndef SERVICE_COUNTED_H
#define SERVICE_COUNTED_H

#include <stdatomic.h>

struct counted {
    atomic_uint references;
    void (*destroy)(struct counted *counted);
};

/* One reference, the maker's. */
static inline void counted_init(struct counted *counted, void (*destroy)(struct counted *counted))
{
    atomic_init(&counted->references, 1);
    counted->destroy = destroy;
}

static inline void counted_take(struct counted *counted)
{
    atomic_fetch_add_explicit(&counted->references, 1, memory_order_relaxed);
}

/* NULL is accepted. */
static inline void counted_release(struct counted *counted)
{
    if (counted && atomic_fetch_sub_explicit(&counted->references, 1, memory_order_acq_rel) == 1)
        counted->destroy(counted);
}

#endif

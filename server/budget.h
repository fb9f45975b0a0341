/* A count of bytes against a limit, shared by all requests in flight. Threads: any; lock-free. */
#ifndef SERVER_BUDGET_H
#define SERVER_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct budget {
    _Atomic uint64_t used;
    uint64_t limit;
};

/* Takes bytes that exist already, even past the limit. */
static inline void budget_charge(struct budget *budget, uint64_t bytes)
{
    atomic_fetch_add(&budget->used, bytes);
}

static inline void budget_release(struct budget *budget, uint64_t bytes)
{
    atomic_fetch_sub(&budget->used, bytes);
}

/* Takes bytes about to be allocated; false, and nothing taken, where that passes the limit. */
static inline bool budget_take(struct budget *budget, uint64_t bytes)
{
    if (atomic_fetch_add(&budget->used, bytes) + bytes <= budget->limit)
        return true;
    budget_release(budget, bytes);
    return false;
}

#endif

/* A heap of u64 keys, all different, that the work-items of one group keep together; the least is
 * at its head.
 *
 * HEAP_ARITY children, as many as a GPU's work-items that run in step: where the least is taken, a
 * level is one coalesced load and two atomics in local memory, and a thousand keys have two levels.
 * Keys are put in by one work-item, mostly behind a parent that is less.
 *
 * Every work-item of the group must call, with arguments that are the same for all, and all meet
 * before a call returns.
 *
 * No barrier is in a branch, not even in one that all take, nor in a loop that may have no round:
 * PoCL would copy all that follows it, for each way through.
 *
 * -D GROUP: work-items of a group, a power of two.
 */
#ifndef KERNELS_GROUP_HEAP_H
#define KERNELS_GROUP_HEAP_H

#ifndef __OPENCL_VERSION__
#error "group_heap.h is device code"
#endif

#include "language.h"

#if !defined(GROUP) || GROUP < 1 || (GROUP & (GROUP - 1)) != 0
#error "GROUP must be the work-items of a group, a power of two"
#endif

/* The group's work-items meet: what any has written all may read, and what all have read any may
 * write. */
#define group_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#define HEAP_ARITY 32
#define HEAP_INFINITE 0xffffffffffffffffUL

/* What the work-items share of it, in local memory. */
struct group_heap_shared {
    u32 leader;       /* the work-item that does what one does alone */
    u32 cost, vertex; /* the halves of a least key; NONE_U32 where none is sought */
    u32 place;        /* where the least child is */
};

struct group_heap {
    __global u64
        *keys; /* [capacity]: cost << 32 | vertex; HEAP_ARITY i + 1 … are the children of i */
    u32 capacity;
    u32 count; /* each work-item counts for itself, all the same */
    u32 item;  /* of this work-item in the group */
    __local struct group_heap_shared *shared;
};

/* Makes ready what is shared. */
static void group_heap_share(const struct group_heap *heap)
{
    if (heap->item == 0) {
        heap->shared->leader = 0;
        heap->shared->cost = heap->shared->vertex = NONE_U32;
    }
    group_barrier();
}

/* Whether this work-item does what one does alone. It is asked of memory each time: PoCL goes wrong
 * where branches on one condition lie on both sides of a barrier and were joined before. */
static inline bool group_leads(const struct group_heap *heap)
{
    return heap->item == heap->shared->leader;
}

/* The least key, or HEAP_INFINITE. */
static inline u64 group_heap_least(const struct group_heap *heap)
{
    return heap->count > 0 ? heap->keys[0] : HEAP_INFINITE;
}

/* Puts `key` into the head's hole, or below it where children are less. */
static void group_heap_sift_down(const struct group_heap *heap, u64 key)
{
    __local struct group_heap_shared *s = heap->shared;
    u32 hole = 0;
    bool sinks;
    do {
        const u32 first = HEAP_ARITY * hole + 1;
        u64 mine = HEAP_INFINITE;
        u32 place = 0;
        for (u32 j = heap->item; j < HEAP_ARITY; j += GROUP) {
            const u64 child = first + j < heap->count ? heap->keys[first + j] : HEAP_INFINITE;
            place = child < mine ? first + j : place;
            mine = min(mine, child);
        }
        // the least cost, then the least vertex with it
        const u32 cost = (u32)(mine >> 32), vertex = (u32)mine;
        atomic_min(&s->cost, cost);
        if (group_leads(heap))
            s->vertex = NONE_U32;
        group_barrier();
        const u32 least_cost = s->cost;
        if (cost == least_cost)
            atomic_min(&s->vertex, vertex);
        group_barrier();
        // keys differ, so one work-item has both
        const u64 least = (u64)least_cost << 32 | s->vertex;
        sinks = least < key;
        if (sinks && mine == least) {
            heap->keys[hole] = mine;
            s->place = place;
        }
        if (group_leads(heap))
            s->cost = NONE_U32;
        group_barrier();
        hole = sinks ? s->place : hole;
    } while (sinks);
    if (group_leads(heap))
        heap->keys[hole] = key;
    group_barrier();
}

/* Takes the least away, if there is any. */
static void group_heap_take(struct group_heap *heap)
{
    heap->count -= min(heap->count, 1u);
    const u64 last = heap->count > 0 ? heap->keys[heap->count] : 0;
    // all have looked at the head before it changes
    group_barrier();
    group_heap_sift_down(heap, last);
}

/* Puts in n keys of local memory; there is room for them. */
static void group_heap_put(struct group_heap *heap, __local const u64 *keys, u32 n)
{
    for (u32 k = 0; group_leads(heap) && k < n; k++) {
        const u64 key = keys[k];
        u32 i = heap->count + k;
        for (u32 parent = (i - 1) / HEAP_ARITY; i > 0 && heap->keys[parent] > key;
             parent = (i - 1) / HEAP_ARITY) {
            heap->keys[i] = heap->keys[parent];
            i = parent;
        }
        heap->keys[i] = key;
    }
    heap->count += n;
    group_barrier();
}

/* Makes a heap of `count` keys in any order; one work-item alone. */
static void group_heap_order(__global u64 *keys, u32 count)
{
    for (u32 i = count / HEAP_ARITY + 1; i-- > 0;) {
        const u64 key = i < count ? keys[i] : 0;
        u32 hole = i;
        for (u32 first = HEAP_ARITY * hole + 1; first < count; first = HEAP_ARITY * hole + 1) {
            u32 least = first;
            for (u32 j = first + 1; j < min(first + HEAP_ARITY, count); j++)
                least = keys[j] < keys[least] ? j : least;
            if (keys[least] >= key)
                break;
            keys[hole] = keys[least];
            hole = least;
        }
        if (i < count)
            keys[hole] = key;
    }
}

#endif

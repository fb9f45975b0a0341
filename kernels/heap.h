/* A 4-ary heap of u64 keys in device memory, the least at its head: cost << 32 | vertex, so that
 * equal costs come out by index.
 *
 * Four children share a cache line or two; half as many levels as a binary heap has. The least is
 * taken bottom-up (Wegener 1993): its hole sinks to the end of the heap, to the least child
 * whatever the last key is, which then mostly stays there. So the number of levels is all that a
 * branch depends on, and the least of four is chosen without any. Each heap is one work-item's.
 */
#ifndef KERNELS_HEAP_H
#define KERNELS_HEAP_H

#ifndef __OPENCL_VERSION__
#error "heap.h is device code"
#endif

#include "language.h"

#define HEAP_ARITY 4
/* Entries behind the last that a heap's memory must have: there the last children's missing
 * siblings are infinite. */
#define HEAP_SPARE 2
#define HEAP_INFINITE 0xffffffffffffffffUL

/* Puts `key` into the hole at i, or below it where children are less. */
static inline void heap_sift_down(__global u64 *heap, u32 count, u32 i, u64 key)
{
    for (u32 child = HEAP_ARITY * i + 1; child < count; child = HEAP_ARITY * i + 1) {
        const u32 end = min(child + HEAP_ARITY, count);
        u32 least = child;
        u64 least_key = heap[child];
        for (u32 j = child + 1; j < end; j++) {
            const u64 other = heap[j];
            least = other < least_key ? j : least;
            least_key = min(other, least_key);
        }
        if (least_key >= key)
            break;
        heap[i] = least_key;
        i = least;
    }
    heap[i] = key;
}

/* Puts `key` into the hole at i, or above it where parents are greater. */
static inline void heap_sift_up(__global u64 *heap, u32 i, u64 key)
{
    while (i > 0) {
        const u32 parent = (i - 1) / HEAP_ARITY;
        const u64 other = heap[parent];
        if (other <= key)
            break;
        heap[i] = other;
        i = parent;
    }
    heap[i] = key;
}

/* The child from `first` on that is least, where there are four or infinite ones. */
static inline u32 heap_least_child(__global const u64 *heap, u32 first)
{
    const u64 a = heap[first], b = heap[first + 1], c = heap[first + 2], d = heap[first + 3];
    const u32 front = b < a ? first + 1 : first, back = d < c ? first + 3 : first + 2;
    return min(c, d) < min(a, b) ? back : front;
}

/* Takes the least of `count` > 0 keys, which are then one fewer. Writes to the HEAP_SPARE entries
 * behind them. */
static inline u64 heap_take(__global u64 *heap, u32 *count)
{
    const u32 n = --*count;
    const u64 top = heap[0], last = heap[n];
    u32 hole = 0;

    heap[n] = HEAP_INFINITE;
    for (u32 spare = 1; spare <= HEAP_SPARE; spare++)
        heap[n + spare] = HEAP_INFINITE;
    for (u32 child = 1; child < n; child = HEAP_ARITY * hole + 1) {
        const u32 least = heap_least_child(heap, child);
        heap[hole] = heap[least];
        hole = least;
    }
    heap_sift_up(heap, hole, last);
    return top;
}

/* Makes a heap of `count` keys in any order. */
static inline void heap_order(__global u64 *heap, u32 count)
{
    for (u32 i = count / HEAP_ARITY + 1; i-- > 0;) {
        if (i < count)
            heap_sift_down(heap, count, i, heap[i]);
    }
}

#endif

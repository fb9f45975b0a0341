/* Work shared out to threads, each pinned to a core of its own: unpinned pairs were seen sharing
 * one. */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include <stddef.h>

enum { THREADS_MAX = 16 };

/* Where a thread's part of `count` elements begins; it ends where the next one's does. */
static inline size_t threads_begin(size_t count, unsigned thread, unsigned threads)
{
    return count * thread / threads;
}

/* Runs work(data, thread, threads) on each of `threads` (1 to THREADS_MAX): a single one is the
 * caller's own, several are new ones that the caller waits for. */
void threads_run(unsigned threads, void (*work)(void *data, unsigned thread, unsigned threads),
                 void *data);

/* Waits within work() until all threads are here. */
void threads_meet(void);

#endif

/* Work shared out to threads, each pinned to a core of its own: unpinned pairs were seen sharing
 * one. */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

/* Runs work(data, thread, threads) on each of `threads` (1 to 16), the caller's among them, and
 * waits for all. */
void threads_run(unsigned threads, void (*work)(void *data, unsigned thread, unsigned threads),
                 void *data);

/* Waits within work() until all threads are here. */
void threads_meet(void);

#endif

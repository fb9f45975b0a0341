/* A small pool of threads for what is long but needs no device: large bodies, large answers,
 * pictures.
 *
 * Tasks run in the order given. One thread at a time also watches a timer: `tick` runs when it is
 * due and returns when it wants to run next.
 */
#ifndef SERVICE_WORKERS_H
#define SERVICE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

struct workers;

/* Embedded in what it works on; `run` owns it from then on. */
struct worker_task {
    struct worker_task *next;
    void (*run)(struct worker_task *task);
};

/* The `struct type` whose member `work` the task is. */
#define WORK_OF(type, task) ((struct type *)(void *)((char *)(task)-offsetof(struct type, work)))

/* Starts the threads. `tick` is given the steady clock and returns the time of its next call,
 * INFINITY for none until workers_wake(). false: no memory or no threads. */
bool workers_open(struct workers **workers, unsigned count,
                  double (*tick)(void *context, double now), void *context);

void workers_submit(struct workers *workers, struct worker_task *task);

/* Has `tick` run soon, because its next time may be earlier now. */
void workers_wake(struct workers *workers);

/* Runs what was submitted to the end and joins the threads. NULL is accepted. */
void workers_close(struct workers *workers);

#endif

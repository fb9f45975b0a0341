#include "service/workers.h"

#include "schema/clock.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct worker_task *first, **last;
    bool closing, ticking;
    double tick_due; /* steady clock */
    double (*tick)(void *context, double now);
    void *context;
    unsigned count;
    pthread_t threads[];
};

/* Waits until there is something to do or the timer is due; the lock is held. */
static void wait_for_work(struct workers *workers)
{
    if (workers->ticking || isinf(workers->tick_due)) {
        pthread_cond_wait(&workers->changed, &workers->lock);
        return;
    }
    const struct timespec due = clock_timespec(workers->tick_due);
    pthread_cond_timedwait(&workers->changed, &workers->lock, &due);
}

static void *work(void *context)
{
    struct workers *workers = context;
    pthread_mutex_lock(&workers->lock);
    for (;;) {
        // the timer first: it is short
        const double now = clock_steady();
        if (!workers->ticking && workers->tick_due <= now) {
            workers->ticking = true;
            workers->tick_due = INFINITY;
            pthread_mutex_unlock(&workers->lock);
            const double due = workers->tick(workers->context, now);
            pthread_mutex_lock(&workers->lock);
            workers->ticking = false;
            workers->tick_due = fmin(workers->tick_due, due);
            // one that waited without the timer takes it over, should this thread get a long task
            pthread_cond_signal(&workers->changed);
            continue;
        }

        struct worker_task *task = workers->first;
        if (task) {
            workers->first = task->next;
            if (!workers->first)
                workers->last = &workers->first;
            pthread_mutex_unlock(&workers->lock);
            task->run(task);
            pthread_mutex_lock(&workers->lock);
        } else if (workers->closing) {
            break;
        } else {
            wait_for_work(workers);
        }
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

bool workers_open(struct workers **workers, unsigned count,
                  double (*tick)(void *context, double now), void *context)
{
    pthread_condattr_t attributes;
    struct workers *made = calloc(1, sizeof(*made) + count * sizeof(made->threads[0]));
    *workers = NULL;
    if (!made)
        return false;
    *made = (struct workers){.tick_due = INFINITY, .tick = tick, .context = context};
    made->last = &made->first;
    pthread_mutex_init(&made->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&made->changed, &attributes);
    pthread_condattr_destroy(&attributes);

    while (made->count < count &&
           pthread_create(&made->threads[made->count], NULL, work, made) == 0)
        made->count++;
    if (made->count == 0) {
        workers_close(made);
        return false;
    }
    *workers = made;
    return true;
}

void workers_submit(struct workers *workers, struct worker_task *task)
{
    task->next = NULL;
    pthread_mutex_lock(&workers->lock);
    *workers->last = task;
    workers->last = &task->next;
    pthread_cond_signal(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
}

void workers_wake(struct workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    workers->tick_due = 0;
    pthread_cond_signal(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
}

void workers_close(struct workers *workers)
{
    if (!workers)
        return;
    pthread_mutex_lock(&workers->lock);
    workers->closing = true;
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
    for (unsigned i = 0; i < workers->count; i++)
        pthread_join(workers->threads[i], NULL);
    pthread_cond_destroy(&workers->changed);
    pthread_mutex_destroy(&workers->lock);
    free(workers);
}

#define _GNU_SOURCE /* affinity */
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct part {
    void (*work)(void *data, unsigned thread, unsigned threads);
    void *data;
    unsigned thread, threads;
};

static pthread_barrier_t meeting;

static void *part_run(void *argument)
{
    const struct part *part = argument;
    cpu_set_t allowed, core;
    const pthread_t self = pthread_self();

    // the thread's own core, of those that the process may use
    if (part->threads > 1 && pthread_getaffinity_np(self, sizeof allowed, &allowed) == 0) {
        unsigned seen = 0;
        CPU_ZERO(&core);
        for (unsigned i = 0; i < CPU_SETSIZE && CPU_COUNT(&core) == 0; i++)
            if (CPU_ISSET(i, &allowed) && seen++ == part->thread)
                CPU_SET(i, &core);
        if (CPU_COUNT(&core) > 0)
            pthread_setaffinity_np(self, sizeof core, &core);
    }
    part->work(part->data, part->thread, part->threads);
    return NULL;
}

void threads_run(unsigned threads, void (*work)(void *data, unsigned thread, unsigned threads),
                 void *data)
{
    pthread_t others[THREADS_MAX];
    struct part parts[THREADS_MAX];
    pthread_barrier_init(&meeting, NULL, threads);
    for (unsigned i = 0; i < threads; i++)
        parts[i] = (struct part){work, data, i, threads};
    if (threads == 1) {
        part_run(&parts[0]);
    } else {
        for (unsigned i = 0; i < threads; i++)
            if (pthread_create(&others[i], NULL, part_run, &parts[i]) != 0) {
                fputs("no thread\n", stderr);
                exit(EXIT_FAILURE);
            }
        for (unsigned i = 0; i < threads; i++)
            pthread_join(others[i], NULL);
    }
    pthread_barrier_destroy(&meeting);
}

void threads_meet(void)
{
    pthread_barrier_wait(&meeting);
}

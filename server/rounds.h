/* A thread that looks after a ring of entries again and again while there are any, and sleeps while
 * there are none.
 *
 * Cost: a look every tick. Entries leave under the lock that a look holds.
 *
 * Threads: any.
 */
#ifndef SERVER_ROUNDS_H
#define SERVER_ROUNDS_H

#include <pthread.h>
#include <stdbool.h>

/* The first member of what is looked after; its owner's storage, between add and remove the ring's.
 */
struct round_entry {
    struct round_entry *previous, *next;
};

struct rounds {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closing;
    struct round_entry head; /* of the ring */
    long tick_ms;
    void (*look)(struct rounds *rounds);
    bool has_more; /* the owner's, under the lock: there is something to look after besides the ring
                    */
};

/* Starts the thread, which calls look() with the lock held; false: it could not, and nothing is
 * left to close. */
bool rounds_open(struct rounds *rounds, long tick_ms, void (*look)(struct rounds *rounds));
/* Ends the thread. No entry may be left. */
void rounds_close(struct rounds *rounds);

void rounds_add(struct rounds *rounds, struct round_entry *entry);
void rounds_remove(struct rounds *rounds, struct round_entry *entry);

/* Takes the lock for a change of what there is besides, and lets go and tells of it. */
void rounds_begin_more(struct rounds *rounds);
void rounds_end_more(struct rounds *rounds);

#endif

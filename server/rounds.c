#include "server/rounds.h"

#include <assert.h>
#include <time.h>

static bool is_idle(const struct rounds *rounds)
{
    return rounds->head.next == &rounds->head && !rounds->has_more;
}

static void *run(void *argument)
{
    struct rounds *rounds = argument;
    const struct timespec tick = {.tv_nsec = rounds->tick_ms * 1000000L};

    pthread_mutex_lock(&rounds->lock);
    while (!rounds->closing) {
        // sleep while there is nothing to look after
        if (is_idle(rounds)) {
            pthread_cond_wait(&rounds->changed, &rounds->lock);
            continue;
        }
        pthread_mutex_unlock(&rounds->lock);
        nanosleep(&tick, NULL);
        pthread_mutex_lock(&rounds->lock);
        rounds->look(rounds);
    }
    pthread_mutex_unlock(&rounds->lock);
    return NULL;
}

static void deinit(struct rounds *rounds)
{
    pthread_cond_destroy(&rounds->changed);
    pthread_mutex_destroy(&rounds->lock);
}

bool rounds_open(struct rounds *rounds, long tick_ms, void (*look)(struct rounds *rounds))
{
    *rounds = (struct rounds){.tick_ms = tick_ms, .look = look};
    rounds->head.previous = rounds->head.next = &rounds->head;
    pthread_mutex_init(&rounds->lock, NULL);
    pthread_cond_init(&rounds->changed, NULL);
    if (pthread_create(&rounds->thread, NULL, run, rounds) == 0)
        return true;
    deinit(rounds);
    return false;
}

void rounds_close(struct rounds *rounds)
{
    pthread_mutex_lock(&rounds->lock);
    rounds->closing = true;
    pthread_cond_signal(&rounds->changed);
    pthread_mutex_unlock(&rounds->lock);
    pthread_join(rounds->thread, NULL);

    assert(rounds->head.next == &rounds->head);
    deinit(rounds);
}

void rounds_add(struct rounds *rounds, struct round_entry *entry)
{
    pthread_mutex_lock(&rounds->lock);
    // only an idle thread waits for news
    if (is_idle(rounds))
        pthread_cond_signal(&rounds->changed);
    entry->previous = rounds->head.previous;
    entry->next = &rounds->head;
    entry->previous->next = entry;
    rounds->head.previous = entry;
    pthread_mutex_unlock(&rounds->lock);
}

void rounds_remove(struct rounds *rounds, struct round_entry *entry)
{
    pthread_mutex_lock(&rounds->lock);
    entry->previous->next = entry->next;
    entry->next->previous = entry->previous;
    pthread_mutex_unlock(&rounds->lock);
}

void rounds_begin_more(struct rounds *rounds)
{
    pthread_mutex_lock(&rounds->lock);
}

void rounds_end_more(struct rounds *rounds)
{
    rounds->has_more = true;
    pthread_cond_signal(&rounds->changed);
    pthread_mutex_unlock(&rounds->lock);
}

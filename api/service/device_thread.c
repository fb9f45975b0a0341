#include "service/device_thread.h"

#include "device/try.h"
#include "schema/clock.h"
#include "service/resident.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct lane {
    struct device_task *first, **last;
    unsigned count;
};

enum warmth { COLD, WARM, FAILED };

struct device_thread {
    struct device device;
    unsigned queue_max;
    double step_s;
    unsigned batch_max;
    double batch_wait_s;
    void (*plan)(struct device *device, struct plan_task *batch);
    enum prm_status (*warm_up)(struct device *device, unsigned piece, bool *done);
    void (*warm_up_failed)(void *context, const char *detail);
    void *warm_up_context;

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t work;
    bool started, stopping;
    struct plan_task *first_plan, **last_plan;
    atomic_uint plan_count, announced;
    atomic_bool awaits_company;
    struct lane lanes[DEVICE_LANE_COUNT];
    enum device_lane last_turn; /* whose the last was, of those that take turns */
    unsigned updates_in_row;    /* steps of updates since */
    struct resident *retired;

    atomic_int warmth;        /* enum warmth */
    struct prm_fault failure; /* of the warm-up; written before warmth tells of it */
    atomic_ullong resident_bytes, scratch_bytes, limit_bytes;
};

/* Makes the memory account of the context, which belongs to this thread, visible to all. */
static void publish_memory(struct device_thread *thread)
{
    const struct prm_memory_use use = prm_context_memory(thread->device.context);
    atomic_store_explicit(&thread->resident_bytes, use.resident_bytes, memory_order_relaxed);
    atomic_store_explicit(&thread->scratch_bytes, use.scratch_bytes, memory_order_relaxed);
    atomic_store_explicit(&thread->limit_bytes, use.limit_bytes, memory_order_relaxed);
}

/* Destroys what was retired, and what that retires in turn. */
static void destroy_retired(struct device_thread *thread)
{
    for (;;) {
        pthread_mutex_lock(&thread->lock);
        struct resident *resident = thread->retired;
        if (resident)
            thread->retired = resident->next;
        pthread_mutex_unlock(&thread->lock);
        if (!resident)
            return;
        resident->destroy(resident);
    }
}

/* Takes the tasks of the first one's group among the first `count` that wait, in order; *taken
 * becomes their number. NULL: none waits. */
static struct plan_task *take_batch(struct device_thread *thread, unsigned count, unsigned *taken)
{
    struct plan_task *batch = NULL, **end = &batch;
    *taken = 0;
    pthread_mutex_lock(&thread->lock);
    const void *group = thread->first_plan ? thread->first_plan->group : NULL;
    struct plan_task **link = &thread->first_plan;
    for (unsigned i = 0; *link && i < count; i++) {
        struct plan_task *task = *link;
        if (task->group != group) {
            link = &task->next;
            continue;
        }
        *link = task->next;
        if (!*link)
            thread->last_plan = link;
        task->next = NULL;
        *end = task;
        end = &task->next;
        ++*taken;
    }
    atomic_fetch_sub(&thread->plan_count, *taken);
    pthread_mutex_unlock(&thread->lock);
    return batch;
}

/* Lets plans that are announced join those that wait, for a moment. */
static void await_company(struct device_thread *thread)
{
    const struct timespec until = clock_timespec(clock_steady() + thread->batch_wait_s);
    if (thread->batch_wait_s <= 0 || atomic_load(&thread->plan_count) == 0 ||
        atomic_load(&thread->announced) == 0)
        return;
    pthread_mutex_lock(&thread->lock);
    atomic_store(&thread->awaits_company, true);
    while (!thread->stopping && atomic_load(&thread->announced) > 0 &&
           atomic_load(&thread->plan_count) < thread->batch_max)
        if (pthread_cond_timedwait(&thread->work, &thread->lock, &until) != 0)
            break;
    atomic_store(&thread->awaits_company, false);
    pthread_mutex_unlock(&thread->lock);
}

/* Runs the plans that waited when it began; those that come meanwhile must not starve the tasks. */
static void run_plans(struct device_thread *thread)
{
    await_company(thread);
    unsigned waiting = atomic_load(&thread->plan_count), taken;
    while (waiting > 0) {
        struct plan_task *batch = take_batch(thread, waiting, &taken);
        if (!batch)
            return;
        thread->plan(&thread->device, batch);
        waiting -= taken;
    }
}

/* Lanes first … last take turns. */
#define TURN_FIRST DEVICE_LANE_EXPAND
#define TURN_LAST DEVICE_LANE_BUILD
enum { TURNS = TURN_LAST - TURN_FIRST + 1 };

static bool can_step(const struct lane *lane)
{
    return lane->first && !lane->first->awaits;
}

/* So many steps of updates go before one of those that take turns: worlds that never stop changing
 * hold up builds, but not for good. */
enum { UPDATES_IN_ROW_MAX = 4 };

/* The lane whose turn it is; NULL: none of those that take turns can step. The lock is held. */
static struct lane *next_in_turn(struct device_thread *thread)
{
    for (unsigned i = 1; i <= TURNS; i++) {
        const unsigned turn = (thread->last_turn - TURN_FIRST + i) % TURNS;
        if (can_step(&thread->lanes[TURN_FIRST + turn]))
            return &thread->lanes[TURN_FIRST + turn];
    }
    return NULL;
}

/* The lane whose first task is next; NULL: there is none. The lock is held. */
static struct lane *next_lane(struct device_thread *thread)
{
    struct lane *update = &thread->lanes[DEVICE_LANE_UPDATE];
    struct lane *refine = &thread->lanes[DEVICE_LANE_REFINE];
    struct lane *in_turn = next_in_turn(thread);
    if (can_step(update) && (!in_turn || thread->updates_in_row < UPDATES_IN_ROW_MAX))
        return update;
    return in_turn ? in_turn : can_step(refine) ? refine : NULL;
}

/* Takes the first task out of its lane; the lock is held. */
static void pop(struct lane *lane)
{
    lane->first = lane->first->next;
    if (!lane->first)
        lane->last = &lane->first;
    lane->count--;
}

/* Puts a task at the end of a lane; the lock is held. */
static void put_last(struct lane *lane, struct device_task *task)
{
    task->next = NULL;
    *lane->last = task;
    lane->last = &task->next;
    lane->count++;
}

static void put_first(struct lane *lane, struct device_task *task)
{
    task->next = lane->first;
    if (!lane->first)
        lane->last = &task->next;
    lane->first = task;
    lane->count++;
}

/* Runs one step of the task that is next. A task leaves its lane before its last step may free it,
 * and goes back where it has more to do: to the front, but for expansions, so that a long one holds
 * up no other. */
static void run_step(struct device_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    struct lane *lane = next_lane(thread);
    struct device_task *task = lane ? lane->first : NULL;
    const enum device_lane at = (enum device_lane)(lane ? lane - thread->lanes : 0);
    thread->updates_in_row = task && at == DEVICE_LANE_UPDATE ? thread->updates_in_row + 1 : 0;
    if (at >= TURN_FIRST && at <= TURN_LAST)
        thread->last_turn = at;
    if (task)
        pop(lane);
    pthread_mutex_unlock(&thread->lock);
    const enum device_step next = task ? task->step(task, &thread->device) : DEVICE_DONE;
    if (next == DEVICE_DONE)
        return;

    pthread_mutex_lock(&thread->lock);
    // it may have been resumed before its step returned
    task->awaits = next == DEVICE_AWAIT && !task->resumed;
    task->resumed = false;
    if (at == DEVICE_LANE_EXPAND)
        put_last(lane, task);
    else
        put_first(lane, task);
    pthread_mutex_unlock(&thread->lock);
}

/* Waits until there is something to do; false: the thread stops and all plans are answered. */
static bool wait_for_work(struct device_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    while (!thread->stopping && !thread->first_plan && !thread->retired && !next_lane(thread))
        pthread_cond_wait(&thread->work, &thread->lock);
    const bool go_on = !thread->stopping || thread->first_plan;
    pthread_mutex_unlock(&thread->lock);
    return go_on;
}

static bool is_stopping(struct device_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    const bool stopping = thread->stopping;
    pthread_mutex_unlock(&thread->lock);
    return stopping;
}

/* Waits until no task awaits: what it awaits still works on it. */
static void wait_for_awaiting(struct device_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    for (unsigned i = 0; i < DEVICE_LANE_COUNT; i++)
        for (struct device_task *task = thread->lanes[i].first; task; task = task->next)
            while (task->awaits)
                pthread_cond_wait(&thread->work, &thread->lock);
    pthread_mutex_unlock(&thread->lock);
}

/* Takes the first task of a lane; NULL: it is empty. */
static struct device_task *take_first(struct device_thread *thread, struct lane *lane)
{
    pthread_mutex_lock(&thread->lock);
    struct device_task *task = lane->first;
    if (task)
        pop(lane);
    pthread_mutex_unlock(&thread->lock);
    return task;
}

/* The thread stops: no task comes to a lane any more, nor from one to another. */
static void drop_tasks(struct device_thread *thread)
{
    wait_for_awaiting(thread);
    for (unsigned i = 0; i < DEVICE_LANE_COUNT; i++)
        for (struct device_task *task; (task = take_first(thread, &thread->lanes[i]));)
            task->drop(task);
}

/* Warms up until the end, a fault or the stop, and says how it went. */
static void warm_up(struct device_thread *thread)
{
    enum prm_status status = PRM_OK;
    bool done = false;
    for (unsigned piece = 0; !done && status == PRM_OK && !is_stopping(thread); piece++)
        status = thread->warm_up(&thread->device, piece, &done);
    publish_memory(thread);
    if (status == PRM_OK) {
        atomic_store(&thread->warmth, done ? WARM : COLD);
        return;
    }
    thread->failure = *prm_fault_last();
    atomic_store(&thread->warmth, FAILED);
    if (thread->warm_up_failed)
        thread->warm_up_failed(thread->warm_up_context, thread->failure.detail);
}

static void *run(void *context)
{
    struct device_thread *thread = context;
    warm_up(thread);

    while (wait_for_work(thread)) {
        destroy_retired(thread);
        run_plans(thread);
        run_step(thread);
        publish_memory(thread);
    }
    drop_tasks(thread);
    return NULL;
}

static void init(struct device_thread *thread, const struct device_thread_options *options)
{
    pthread_condattr_t steady;
    *thread = (struct device_thread){.queue_max = options->queue_max,
                                     .step_s = options->step_s,
                                     .batch_max = options->batch_max,
                                     .batch_wait_s = options->batch_wait_s,
                                     .plan = options->plan,
                                     .warm_up = options->warm_up,
                                     .warm_up_failed = options->warm_up_failed,
                                     .warm_up_context = options->warm_up_context};
    pthread_mutex_init(&thread->lock, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&thread->work, &steady);
    pthread_condattr_destroy(&steady);
    thread->device.thread = thread;
    thread->last_plan = &thread->first_plan;
    thread->last_turn = DEVICE_LANE_BUILD;
    for (unsigned i = 0; i < DEVICE_LANE_COUNT; i++)
        thread->lanes[i].last = &thread->lanes[i].first;
}

enum prm_status device_thread_open(struct device_thread **thread,
                                   const struct device_thread_options *options)
{
    enum prm_status status = PRM_OK;
    struct device_thread *made = malloc(sizeof(*made));
    *thread = NULL;
    if (!made)
        return prm_fault_set(PRM_HOST_MEMORY, "no memory for the device thread");
    init(made, options);
    TRY(prm_context_open(&made->device.context, &options->context));
    TRY(prm_arena_create(made->device.context, &made->device.arena));
    TRY(prm_planner_create(made->device.context, &made->device.planner));
    publish_memory(made);
    if (pthread_create(&made->thread, NULL, run, made) != 0) {
        status = prm_fault_set(PRM_HOST_MEMORY, "the device thread cannot be started");
        goto cleanup;
    }
    made->started = true;
    *thread = made;
    made = NULL;

cleanup:
    device_thread_close(made);
    return status;
}

bool device_thread_warm(const struct device_thread *thread)
{
    return atomic_load(&thread->warmth) == WARM;
}

const char *device_thread_warm_up_fault(const struct device_thread *thread)
{
    return atomic_load(&thread->warmth) == FAILED ? thread->failure.detail : NULL;
}

const struct prm_device_info *device_thread_info(const struct device_thread *thread)
{
    return prm_context_device(thread->device.context);
}

struct device_memory device_thread_memory(const struct device_thread *thread)
{
    return (struct device_memory){
        .resident_bytes = atomic_load_explicit(&thread->resident_bytes, memory_order_relaxed),
        .scratch_bytes = atomic_load_explicit(&thread->scratch_bytes, memory_order_relaxed),
        .limit_bytes = atomic_load_explicit(&thread->limit_bytes, memory_order_relaxed)};
}

bool device_thread_plan(struct device_thread *thread, struct plan_task *task)
{
    task->next = NULL;
    task->queued = clock_steady();
    pthread_mutex_lock(&thread->lock);
    const bool taken = !thread->stopping && atomic_load(&thread->plan_count) < thread->queue_max;
    if (taken) {
        *thread->last_plan = task;
        thread->last_plan = &task->next;
        atomic_fetch_add(&thread->plan_count, 1);
        pthread_cond_signal(&thread->work);
    }
    pthread_mutex_unlock(&thread->lock);
    return taken;
}

void device_thread_announce(struct device_thread *thread)
{
    atomic_fetch_add(&thread->announced, 1);
}

void device_thread_arrived(struct device_thread *thread)
{
    if (atomic_fetch_sub(&thread->announced, 1) > 1 || !atomic_load(&thread->awaits_company))
        return;
    pthread_mutex_lock(&thread->lock);
    pthread_cond_signal(&thread->work);
    pthread_mutex_unlock(&thread->lock);
}

/* Puts a task at the end of a lane and wakes the thread; the lock is held. */
static void append(struct device_thread *thread, struct lane *lane, struct device_task *task)
{
    put_last(lane, task);
    pthread_cond_signal(&thread->work);
}

bool device_thread_submit(struct device_thread *thread, enum device_lane lane,
                          struct device_task *task)
{
    struct lane *to = &thread->lanes[lane];
    task->queued = clock_steady();
    pthread_mutex_lock(&thread->lock);
    const bool room = lane == DEVICE_LANE_REFINE || task->always || to->count < thread->queue_max;
    const bool taken = !thread->stopping && room;
    if (taken)
        append(thread, to, task);
    pthread_mutex_unlock(&thread->lock);
    return taken;
}

void device_thread_promote(struct device_thread *thread, enum device_lane lane,
                           struct device_task *task)
{
    struct lane *from = &thread->lanes[lane];
    pthread_mutex_lock(&thread->lock);
    struct device_task **at = &from->first;
    while (*at && *at != task)
        at = &(*at)->next;
    if (*at && !task->awaits && !thread->stopping) {
        *at = task->next;
        if (!*at)
            from->last = at;
        from->count--;
        append(thread, &thread->lanes[DEVICE_LANE_UPDATE], task);
    }
    pthread_mutex_unlock(&thread->lock);
}

void device_thread_resume(struct device_thread *thread, struct device_task *task)
{
    pthread_mutex_lock(&thread->lock);
    task->resumed = !task->awaits;
    task->awaits = false;
    pthread_cond_signal(&thread->work);
    pthread_mutex_unlock(&thread->lock);
}

bool device_should_yield(const struct device *device, double began)
{
    return atomic_load_explicit(&device->thread->plan_count, memory_order_relaxed) > 0 ||
           clock_steady() - began >= device->thread->step_s;
}

void device_thread_retire(struct device_thread *thread, struct resident *resident)
{
    pthread_mutex_lock(&thread->lock);
    resident->next = thread->retired;
    thread->retired = resident;
    pthread_cond_signal(&thread->work);
    pthread_mutex_unlock(&thread->lock);
}

void device_thread_stop(struct device_thread *thread)
{
    if (!thread || !thread->started)
        return;
    pthread_mutex_lock(&thread->lock);
    thread->stopping = true;
    pthread_cond_signal(&thread->work);
    pthread_mutex_unlock(&thread->lock);
    pthread_join(thread->thread, NULL);
    thread->started = false;
}

void device_thread_close(struct device_thread *thread)
{
    if (!thread)
        return;
    device_thread_stop(thread);
    destroy_retired(thread);
    prm_planner_destroy(thread->device.planner);
    prm_arena_destroy(thread->device.arena);
    prm_context_close(thread->device.context);
    pthread_cond_destroy(&thread->work);
    pthread_mutex_destroy(&thread->lock);
    free(thread);
}

/* Goal: the device thread runs plans by groups and between steps, updates before builds, destroys
 * what is retired, and gives back what it does not run; workers run everything and keep time.
 * Method: tasks that note when they ran, over a fake engine. Oracle: the order that the headers
 * promise. */
#include "fake_engine.h"

#include "schema/clock.h"
#include "service/device_thread.h"
#include "service/resident.h"
#include "service/workers.h"
#include "support/pause.h"

#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { QUEUE_MAX = 8, EVENTS_MAX = 256 };

/* What happened, a letter each. */
static char events[EVENTS_MAX];
static atomic_uint event_count;
/* The first step of a test holds the thread until the gate opens, and tells that it does. */
static sem_t gate, holds;

/* Called by one thread at a time; the count tells others what they may read. */
static void note(char event)
{
    const unsigned index = atomic_load(&event_count);
    assert_true(index < EVENTS_MAX - 1);
    events[index] = event;
    atomic_store(&event_count, index + 1);
}

struct letter_plan {
    struct plan_task task;
    char letter;
};

struct letter_task {
    struct device_task task;
    char letter;
    unsigned steps;
};

static void run_batch(struct device *device, struct plan_task *batch)
{
    (void)device;
    note('[');
    for (; batch; batch = batch->next)
        note(((struct letter_plan *)batch)->letter);
    note(']');
}

static enum prm_status no_warm_up(struct device *device, unsigned piece, bool *done)
{
    (void)device;
    *done = piece == 2;
    return PRM_OK;
}

static enum prm_status failing_warm_up(struct device *device, unsigned piece, bool *done)
{
    (void)device;
    note('w');
    *done = piece == 2;
    return piece == 1 ? prm_fault_set(PRM_DEVICE_MEMORY, "the compiler is gone") : PRM_OK;
}

static void note_fault(void *context, const char *detail)
{
    assert_string_equal(detail, "the compiler is gone");
    note(*(const char *)context);
}

static enum device_step step(struct device_task *task, struct device *device)
{
    struct letter_task *letter = (struct letter_task *)task;
    (void)device;
    note(letter->letter);
    return --letter->steps == 0 ? DEVICE_DONE : DEVICE_AGAIN;
}

/* Never done, and not worth a note. */
static enum device_step step_without_end(struct device_task *task, struct device *device)
{
    (void)task;
    (void)device;
    return DEVICE_AGAIN;
}

static void drop(struct device_task *task)
{
    note('-');
    note(((struct letter_task *)task)->letter);
}

/* Holds the thread until the test has queued what it wants. */
static enum device_step hold(struct device_task *task, struct device *device)
{
    (void)task;
    (void)device;
    sem_post(&holds);
    sem_wait(&gate);
    return DEVICE_DONE;
}

static void hold_thread(struct device_thread *thread, struct device_task *holder)
{
    assert_true(device_thread_submit(thread, DEVICE_LANE_UPDATE, holder));
    sem_wait(&holds);
}

static struct device_thread *open_waiting_thread(double batch_wait_s)
{
    const struct device_thread_options options = {.queue_max = QUEUE_MAX,
                                                  .step_s = 0.002,
                                                  .plan = run_batch,
                                                  .batch_max = 3,
                                                  .batch_wait_s = batch_wait_s,
                                                  .warm_up = no_warm_up};
    struct device_thread *thread = NULL;
    fake_engine_reset();
    atomic_store(&event_count, 0);
    memset(events, 0, sizeof(events));
    sem_init(&gate, 0, 0);
    sem_init(&holds, 0, 0);
    assert_int_equal(device_thread_open(&thread, &options), PRM_OK);
    return thread;
}

static struct device_thread *open_thread(void)
{
    return open_waiting_thread(0);
}

/* Waits until so many events are noted. */
static void until_events(unsigned count)
{
    const double until = clock_steady() + 10;
    while (atomic_load(&event_count) < count && clock_steady() < until)
        test_pause_ms(1);
}

/* A plan waits for those that are announced: until they are there, or will not come, or make a
 * batch, or it has waited long enough; and for nobody else. */
static void plans_wait_for_company(void **state)
{
    (void)state;
    enum { LONG_S = 100 };
    static const struct {
        unsigned announced, sent, withdrawn; /* before it is looked at */
        bool runs;
    } CASES[] = {
        {0, 1, 0, true},  {1, 1, 0, false}, {1, 2, 1, true}, {1, 1, 1, true},
        {2, 2, 1, false}, {2, 1, 2, true},  {2, 3, 0, true},
    };
    int group;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct device_thread *thread = open_waiting_thread(LONG_S);
        struct letter_plan plans[] = {
            {{.group = &group}, 'a'}, {{.group = &group}, 'b'}, {{.group = &group}, 'c'}};
        const unsigned noted = CASES[i].sent + 2;
        for (unsigned n = 0; n < CASES[i].announced; n++)
            device_thread_announce(thread);
        for (unsigned n = 0; n < CASES[i].sent; n++) {
            assert_true(device_thread_plan(thread, &plans[n].task));
            if (CASES[i].announced > 0)
                test_pause_ms(2); // it waits already
        }
        for (unsigned n = 0; n < CASES[i].withdrawn; n++)
            device_thread_arrived(thread);
        if (CASES[i].runs)
            until_events(noted);
        else
            test_pause_ms(20);
        assert_int_equal(atomic_load(&event_count), CASES[i].runs ? noted : 0);
        // a stop waits for nobody
        device_thread_close(thread);
        assert_int_equal(atomic_load(&event_count), noted);
        assert_memory_equal(events, "[abc", CASES[i].sent + 1);
    }

    // and no longer than it may
    struct device_thread *thread = open_waiting_thread(0.02);
    struct letter_plan plan = {{.group = &group}, 'a'};
    const double began = clock_steady();
    device_thread_announce(thread);
    assert_true(device_thread_plan(thread, &plan.task));
    until_events(3);
    assert_string_equal(events, "[a]");
    assert_true(clock_steady() - began >= 0.02);
    device_thread_close(thread);
}

static void order_of_work(void **state)
{
    (void)state;
    struct device_thread *thread = open_thread();
    struct device_task holder = {.step = hold, .drop = drop};
    int groups[2];
    struct letter_plan plans[] = {{{.group = &groups[0]}, 'a'},
                                  {{.group = &groups[1]}, 'b'},
                                  {{.group = &groups[0]}, 'c'},
                                  {{.group = &groups[1]}, 'd'},
                                  {{.group = &groups[0]}, 'e'}};
    struct letter_task builds[] = {{{.step = step, .drop = drop}, 'B', 2},
                                   {{.step = step, .drop = drop}, 'C', 1}};
    struct letter_task update = {{.step = step, .drop = drop}, 'U', 2};
    hold_thread(thread, &holder);
    assert_true(device_thread_submit(thread, DEVICE_LANE_BUILD, &builds[0].task));
    assert_true(device_thread_submit(thread, DEVICE_LANE_BUILD, &builds[1].task));
    assert_true(device_thread_submit(thread, DEVICE_LANE_UPDATE, &update.task));
    for (unsigned i = 0; i < 5; i++)
        assert_true(device_thread_plan(thread, &plans[i].task));
    sem_post(&gate);
    until_events(14);
    assert_string_equal(events, "[ace][bd]UUBBC");

    // the queue is whole after taking from its middle and its end
    atomic_store(&event_count, 0);
    memset(events, 0, sizeof(events));
    assert_true(device_thread_plan(thread, &plans[1].task));
    until_events(3);
    assert_string_equal(events, "[b]");
    device_thread_close(thread);
}

static void computations_and_builds_by_turns(void **state)
{
    (void)state;
    struct device_thread *thread = open_thread();
    struct device_task holder = {.step = hold, .drop = drop};
    struct letter_task builds[] = {{{.step = step, .drop = drop}, 'B', 4}};
    struct letter_task computations[] = {{{.step = step, .drop = drop}, 'K', 1},
                                         {{.step = step, .drop = drop}, 'L', 2}};
    struct letter_task update = {{.step = step, .drop = drop}, 'U', 1};
    hold_thread(thread, &holder);
    assert_true(device_thread_submit(thread, DEVICE_LANE_BUILD, &builds[0].task));
    for (unsigned i = 0; i < 2; i++)
        assert_true(device_thread_submit(thread, DEVICE_LANE_COMPUTE, &computations[i].task));
    assert_true(device_thread_submit(thread, DEVICE_LANE_UPDATE, &update.task));
    sem_post(&gate);
    until_events(8);
    assert_string_equal(events, "UKBLBLBB");
    device_thread_close(thread);
}

static void updates_leave_room(void **state)
{
    (void)state;
    struct device_thread *thread = open_thread();
    struct device_task holder = {.step = hold, .drop = drop};
    struct letter_task build = {{.step = step, .drop = drop}, 'B', 2};
    struct letter_task update = {{.step = step, .drop = drop}, 'U', 9};
    hold_thread(thread, &holder);
    assert_true(device_thread_submit(thread, DEVICE_LANE_BUILD, &build.task));
    assert_true(device_thread_submit(thread, DEVICE_LANE_UPDATE, &update.task));
    sem_post(&gate);
    until_events(11);
    // the holder was a step of an update, too
    assert_string_equal(events, "UUUBUUUUBUU");
    device_thread_close(thread);
}

/* Awaits after its first step, and again where `steps` are left. */
static enum device_step step_and_await(struct device_task *task, struct device *device)
{
    const enum device_step next = step(task, device);
    return next == DEVICE_AGAIN ? DEVICE_AWAIT : next;
}

/* Resumed by itself before its step returns. */
static enum device_step step_and_resume(struct device_task *task, struct device *device)
{
    const enum device_step next = step_and_await(task, device);
    if (next == DEVICE_AWAIT)
        device_thread_resume(device->thread, task);
    return next;
}

static void an_awaiting_task_holds_up_its_lane_alone(void **state)
{
    (void)state;
    struct device_thread *thread = open_thread();
    struct device_task holder = {.step = hold, .drop = drop};
    struct letter_task updates[] = {{{.step = step_and_await, .drop = drop}, 'U', 3},
                                    {{.step = step, .drop = drop}, 'V', 1}};
    struct letter_task builds[] = {{{.step = step_and_resume, .drop = drop}, 'B', 2},
                                   {{.step = step, .drop = drop}, 'C', 1}};
    hold_thread(thread, &holder);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(device_thread_submit(thread, DEVICE_LANE_UPDATE, &updates[i].task));
        assert_true(device_thread_submit(thread, DEVICE_LANE_BUILD, &builds[i].task));
    }
    sem_post(&gate);
    until_events(4);
    assert_string_equal(events, "UBBC");
    // it keeps its place
    device_thread_promote(thread, DEVICE_LANE_UPDATE, &updates[0].task);
    device_thread_resume(thread, &updates[0].task);
    until_events(5);
    assert_string_equal(events, "UBBCU");
    device_thread_resume(thread, &updates[0].task);
    until_events(7);
    assert_string_equal(events, "UBBCUUV");
    device_thread_close(thread);
}

/* What another thread resumes after a while. */
struct resumption {
    struct device_thread *thread;
    struct device_task *task;
};

static void *resume_later(void *context)
{
    const struct resumption *resumption = context;
    test_pause_ms(20);
    note('!');
    device_thread_resume(resumption->thread, resumption->task);
    return NULL;
}

static void a_stop_waits_for_what_awaits(void **state)
{
    (void)state;
    struct device_thread *thread = open_thread();
    struct letter_task build = {{.step = step_and_await, .drop = drop}, 'B', 2};
    struct resumption resumption = {thread, &build.task};
    pthread_t later;
    assert_true(device_thread_submit(thread, DEVICE_LANE_BUILD, &build.task));
    until_events(1);
    assert_int_equal(pthread_create(&later, NULL, resume_later, &resumption), 0);
    device_thread_stop(thread);
    pthread_join(later, NULL);
    assert_string_equal(events, "B!-B");
    device_thread_close(thread);
}

static void refinements_come_last(void **state)
{
    (void)state;
    struct device_thread *thread = open_thread();
    struct device_task holder = {.step = hold, .drop = drop};
    struct letter_task refinements[2 * QUEUE_MAX];
    struct letter_task build = {{.step = step, .drop = drop}, 'B', 2};
    struct letter_task update = {{.step = step, .drop = drop}, 'U', 1};
    hold_thread(thread, &holder);
    // their lane is never full
    for (unsigned i = 0; i < 2 * QUEUE_MAX; i++) {
        refinements[i] = (struct letter_task){{.step = step, .drop = drop}, 'R', 1};
        assert_true(device_thread_submit(thread, DEVICE_LANE_REFINE, &refinements[i].task));
    }
    assert_true(device_thread_submit(thread, DEVICE_LANE_BUILD, &build.task));
    assert_true(device_thread_submit(thread, DEVICE_LANE_UPDATE, &update.task));
    sem_post(&gate);
    until_events(3 + 2 * QUEUE_MAX);
    assert_string_equal(events, "UBBRRRRRRRRRRRRRRRR");
    device_thread_close(thread);
}

static void queues_are_bounded(void **state)
{
    (void)state;
    struct device_thread *thread = open_thread();
    struct device_task holder = {.step = hold, .drop = drop};
    struct letter_plan plans[QUEUE_MAX + 1] = {0};
    struct letter_task tasks[QUEUE_MAX + 1] = {0};
    hold_thread(thread, &holder);
    for (unsigned i = 0; i < QUEUE_MAX; i++) {
        plans[i].letter = 'p';
        tasks[i] = (struct letter_task){{.step = step_without_end, .drop = drop}, 'B', 0};
        assert_true(device_thread_plan(thread, &plans[i].task));
        assert_true(device_thread_submit(thread, DEVICE_LANE_BUILD, &tasks[i].task));
    }
    assert_false(device_thread_plan(thread, &plans[QUEUE_MAX].task));
    assert_false(device_thread_submit(thread, DEVICE_LANE_BUILD, &tasks[QUEUE_MAX].task));
    sem_post(&gate);
    until_events(QUEUE_MAX + 2);

    // stopping answers plans and gives every task back
    device_thread_stop(thread);
    assert_string_equal(events, "[pppppppp]-B-B-B-B-B-B-B-B");
    assert_false(device_thread_plan(thread, &plans[0].task));
    assert_false(device_thread_submit(thread, DEVICE_LANE_BUILD, &tasks[0].task));
    device_thread_close(thread);
}

/* A resident object that retires another when it goes. */
struct chained {
    struct resident resident;
    struct chained *next;
};

static void chained_destroy(struct resident *resident)
{
    struct chained *chained = (struct chained *)resident;
    note('x');
    if (chained->next)
        device_thread_retire(chained->next->resident.thread, &chained->next->resident);
}

static void retired_objects_go(void **state)
{
    (void)state;
    struct device_thread *thread = open_thread();
    struct chained chain[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        chain[i].resident.thread = thread;
        chain[i].resident.destroy = chained_destroy;
        chain[i].next = i < 2 ? &chain[i + 1] : NULL;
    }
    device_thread_retire(thread, &chain[0].resident);
    until_events(3);
    assert_string_equal(events, "xxx");

    // and those that come after the stop go with the close
    chain[0].next = NULL;
    device_thread_stop(thread);
    device_thread_retire(thread, &chain[0].resident);
    device_thread_close(thread);
    assert_string_equal(events, "xxxx");
}

static atomic_uint tasks_run, ticks;

static void count_task(struct worker_task *task)
{
    (void)task;
    atomic_fetch_add(&tasks_run, 1);
}

/* Comes back twice after being woken. */
static double tick(void *context, double now)
{
    (void)context;
    return atomic_fetch_add(&ticks, 1) < 2 ? now + 0.01 : INFINITY;
}

static void workers_run_everything(void **state)
{
    (void)state;
    enum { TASKS = 1000 };
    static struct worker_task tasks[TASKS];
    struct workers *workers;
    assert_true(workers_open(&workers, 3, tick, NULL));
    for (unsigned i = 0; i < TASKS; i++) {
        tasks[i].run = count_task;
        workers_submit(workers, &tasks[i]);
    }
    assert_int_equal(atomic_load(&ticks), 0);
    workers_wake(workers);
    const double until = clock_steady() + 10;
    while (atomic_load(&ticks) < 3 && clock_steady() < until)
        test_pause_ms(1);
    workers_close(workers);
    assert_int_equal(atomic_load(&tasks_run), TASKS);
    assert_int_equal(atomic_load(&ticks), 3);
    workers_close(NULL);
}

/* The thread says why, is never warm, and works all the same. */
static void warm_up_fails(void **state)
{
    (void)state;
    char letter = 'F';
    const struct device_thread_options options = {.queue_max = QUEUE_MAX,
                                                  .step_s = 0.002,
                                                  .plan = run_batch,
                                                  .warm_up = failing_warm_up,
                                                  .warm_up_failed = note_fault,
                                                  .warm_up_context = &letter};
    struct device_thread *thread = NULL;
    struct letter_plan plan = {.letter = 'p'};
    fake_engine_reset();
    atomic_store(&event_count, 0);
    memset(events, 0, sizeof(events));
    assert_int_equal(device_thread_open(&thread, &options), PRM_OK);
    until_events(3);
    assert_false(device_thread_warm(thread));
    assert_string_equal(device_thread_warm_up_fault(thread), "the compiler is gone");
    assert_true(device_thread_plan(thread, &plan.task));
    until_events(6);
    assert_string_equal(events, "wwF[p]");
    device_thread_close(thread);

    // one that goes well leaves no fault
    thread = open_thread();
    const double until = clock_steady() + 10;
    while (!device_thread_warm(thread) && clock_steady() < until)
        test_pause_ms(1);
    assert_true(device_thread_warm(thread));
    assert_null(device_thread_warm_up_fault(thread));
    device_thread_close(thread);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warm_up_fails),
        cmocka_unit_test(order_of_work),
        cmocka_unit_test(plans_wait_for_company),
        cmocka_unit_test(computations_and_builds_by_turns),
        cmocka_unit_test(updates_leave_room),
        cmocka_unit_test(an_awaiting_task_holds_up_its_lane_alone),
        cmocka_unit_test(a_stop_waits_for_what_awaits),
        cmocka_unit_test(refinements_come_last),
        cmocka_unit_test(queues_are_bounded),
        cmocka_unit_test(retired_objects_go),
        cmocka_unit_test(workers_run_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

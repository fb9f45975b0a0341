/* The one thread that touches the device.
 *
 * In turn: plan batches that wait, then one bounded step of the first task: changes of worlds
 * (updates) first, then expansions of queries, worlds for single requests (overlays), computations
 * and builds by turns, then refinements. A few steps of updates at most go before one of the
 * others. Expansions take turns among themselves too. So a build never holds up an answer for
 * longer than a step. A build whose world has changed meanwhile ends in the lane of updates. What
 * lives on the device is destroyed here too, whoever drops the last reference (resident.h).
 *
 * Threads: every function may be called anywhere unless it says otherwise.
 */
#ifndef SERVICE_DEVICE_THREAD_H
#define SERVICE_DEVICE_THREAD_H

#include "roadmap/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

struct device_thread;
struct resident;

/* What work on the device gets to use. */
struct device {
    struct device_thread *thread;
    struct prm_context *context;
    struct prm_arena *arena;
    struct prm_planner *planner;
};

/* A plan request that waits; embedded in what it works on. Tasks of one group ask the same version
 * of a roadmap and are handed over together: what can run as one batch. */
struct plan_task {
    struct plan_task *next;
    const void *group;
    double queued; /* steady clock */
};

/* How a task goes on after a step. */
enum device_step {
    DEVICE_DONE,  /* not at all: it may be gone */
    DEVICE_AGAIN, /* by another step */
    DEVICE_AWAIT, /* by another step after device_thread_resume(), which may have been called */
};

/* Work in bounded steps; embedded in what it works on. */
struct device_task {
    struct device_task *next;
    /* Runs one step, of the length that device_should_yield() asks for. */
    enum device_step (*step)(struct device_task *task, struct device *device);
    /* Ends the task without work: the thread stops. Called on a thread that may use the device. */
    void (*drop)(struct device_task *task);
    double queued;        /* steady clock */
    bool always;          /* a lane takes it however full it is: there are few of its kind */
    bool awaits, resumed; /* the thread's own */
};

enum device_lane {
    DEVICE_LANE_UPDATE,
    DEVICE_LANE_EXPAND,
    DEVICE_LANE_OVERLAY,
    DEVICE_LANE_COMPUTE,
    DEVICE_LANE_BUILD,
    DEVICE_LANE_REFINE,
    DEVICE_LANE_COUNT
};

struct device_thread_options {
    struct prm_context_options context;
    unsigned queue_max; /* tasks of the plan queue, and of a lane */
    double step_s;      /* aimed-at length of a step */
    /* Answers the tasks of a list, all of one group, in its order. */
    void (*plan)(struct device *device, struct plan_task *batch);
    unsigned batch_max;  /* tasks that are enough for a batch */
    double batch_wait_s; /* that one waits for others at most, while some are announced */
    /* Launches what later requests need, in pieces (by `piece`, from 0) until *done or a fault. */
    enum prm_status (*warm_up)(struct device *device, unsigned piece, bool *done);
    /* Called by the thread when warm_up fails, with the detail of the fault; NULL: nobody asks. */
    void (*warm_up_failed)(void *context, const char *detail);
    void *warm_up_context; /* of warm_up_failed */
};

/* Device bytes as last seen by the thread. */
struct device_memory {
    uint64_t resident_bytes, scratch_bytes, limit_bytes;
};

/* Opens the device and starts the thread, which warms up first. The engine's fault record says why
 * not. */
enum prm_status device_thread_open(struct device_thread **thread,
                                   const struct device_thread_options *options);

/* Warm: warm_up has run to its end without a fault. */
bool device_thread_warm(const struct device_thread *thread);

/* Why warm_up failed, after which the thread never gets warm, though it works; NULL: it did not. */
const char *device_thread_warm_up_fault(const struct device_thread *thread);

/* What the device is; constant. */
const struct prm_device_info *device_thread_info(const struct device_thread *thread);
struct device_memory device_thread_memory(const struct device_thread *thread);

/* Enqueues; false: the queue is full or the thread stops, and the task is still the caller's. There
 * is a refinement a model at most: their lane is never full, nor is one for a task that goes
 * always. */
bool device_thread_plan(struct device_thread *thread, struct plan_task *task);

/* A plan task is about to come, so that others may wait for it a moment; and whoever said so has
 * enqueued it, or will not. */
void device_thread_announce(struct device_thread *thread);
void device_thread_arrived(struct device_thread *thread);

bool device_thread_submit(struct device_thread *thread, enum device_lane lane,
                          struct device_task *task);

/* Has a task go on whose step has returned DEVICE_AWAIT, or is about to. While it awaited, it kept
 * its place and held up its lane, but no other. */
void device_thread_resume(struct device_thread *thread, struct device_task *task);

/* Brings a task that waits in `lane` before all others, to end without work; one that is not there,
 * as it runs, awaits or has ended, is left alone. */
void device_thread_promote(struct device_thread *thread, enum device_lane lane,
                           struct device_task *task);

/* Whether a step that began at `began` (steady clock) should end: its time is over, or plans wait.
 */
bool device_should_yield(const struct device *device, double began);

/* Destroys a resident object on the device thread, soon. */
void device_thread_retire(struct device_thread *thread, struct resident *resident);

/* Takes no more work, runs the plans that wait, drops the tasks, those that await once they are
 * resumed, joins. The calling thread may use the device from then on. NULL is accepted. */
void device_thread_stop(struct device_thread *thread);

/* After the stop, when nothing resident is referred to any more: closes the device, frees. NULL is
 * accepted. */
void device_thread_close(struct device_thread *thread);

#endif

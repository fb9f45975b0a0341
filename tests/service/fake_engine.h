/* An engine without a device, for tests of the service: the same functions, in host memory, with
 * gates and faults that a test sets. It checks what the service promises the engine: one thread,
 * nothing used after its end, nothing left over.
 *
 * A fake roadmap is told by its answers: a query's length is the seed, its hops the number of the
 * world's enabled obstacles. A start with x < 0 is out of bounds; one with x > 1000 finds no path,
 * unless x > 2000 and it is expanded.
 * A state is valid where x >= 0, a motion where both of its ends are; the nearest milestones are
 * the first ones. A fake computation's result is "steps". A fake link stands at (its number, the
 * first coordinate, 0), turned by nothing.
 */
#ifndef TESTS_FAKE_ENGINE_H
#define TESTS_FAKE_ENGINE_H

#include "device/status.h"

#include <stdatomic.h>
#include <stdbool.h>

/* What the next builds and plans do; set while the device thread is idle, or by atomic stores. */
struct fake_engine {
    atomic_int build_steps;     /* steps of a build */
    atomic_int step_us;         /* time of a step */
    atomic_int build_status;    /* enum prm_status of the last step */
    atomic_int validity_status; /* of the first step of a revision */
    atomic_int revision_steps;  /* steps of a revision */
    atomic_int read_status;     /* of a step of reading a snapshot */
    atomic_int warm_up_status;  /* of prm_planner_warm_up */
    atomic_bool warm_up_held;   /* the warm-up waits in the engine until this is false */
    atomic_int compute_steps;   /* steps of a computation */
    atomic_int compute_status;  /* enum prm_status of the last step */
    atomic_bool plans_held;     /* plans wait in the engine until this is false; computations too */
    atomic_uint batch_max;      /* a batch of more queries fails by PRM_LIMIT_EXCEEDED; 0: none */
    atomic_bool expansions_held;          /* they take more steps until this is false */
    atomic_int expand_status;             /* enum prm_status of their last step */
    atomic_uint expand_samples;           /* as the last plan was told */
    atomic_int refine_status;             /* of prm_validity_refine */
    atomic_bool refinements_held;         /* they take more steps until this is false */
    atomic_uint plans_entered, plans_run; /* batches that the device has, or has had */
    atomic_uint steps_run, refined;
};

extern struct fake_engine fake_engine;

/* Back to: builds of 5 steps, computations of one, of no time; nothing fails. */
void fake_engine_reset(void);

/* Waits until the device has had more batches of plans than `before`, at most ten seconds. */
void fake_engine_until_entered(unsigned before);

/* Objects that live: worlds, roadmaps, validities, builds. */
unsigned fake_engine_alive(void);

#endif

/* Plans on the device: requests that wait for the same version of a roadmap and ask in the same way
 * run as one batch, which is taken apart again before anything else happens. So each has the answer
 * that it would have alone; where a batch as a whole fails, each is run alone. What a request has
 * left then grows its trees in steps of its own.
 */
#include "service/plans/plan_call.h"
#include "service/plans/plans.h"
#include "service/translate.h"

#include "schema/clock.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The plan that a task of growth is of. */
static struct plan *grown(struct device_task *task)
{
    return (struct plan *)((char *)task - offsetof(struct plan, growth));
}

static struct plan *next_of(const struct plan *plan)
{
    return (struct plan *)plan->task.next;
}

/* Whether the client is gone; then the plan is refused. */
static bool is_abandoned(struct plan *plan)
{
    if (!atomic_load(&plan->call->abandoned))
        return false;
    problem_add(&plan->call->problem, PROBLEM_CANCELLED, "the client is gone");
    plan_refuse(plan);
    return true;
}

static void count_stages(struct metrics *metrics, const struct prm_plan_times *before,
                         const struct prm_plan_times *after)
{
    const struct {
        const char *stage;
        double ms;
    } stages[] = {
        {"connect", after->connect_ms - before->connect_ms},
        {"expand", after->expand_ms - before->expand_ms},
        {"search", after->search_ms - before->search_ms},
        {"extract", after->extract_ms - before->extract_ms},
        {"simplify", after->simplify_ms - before->simplify_ms},
    };
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
        metrics_stage(metrics, stages[i].stage, 1e-3 * stages[i].ms);
}

/* ---- what is left grows ---- */

/* Grows the trees of what is left for the time of a step. */
static enum device_step grow(struct device_task *task, struct device *device)
{
    struct plan *plan = grown(task);
    const double began = clock_steady();
    const struct prm_plan_times before = plan->planned.times;
    enum prm_status status = PRM_OK;
    bool done = false;
    if (is_abandoned(plan))
        return DEVICE_DONE;
    do
        status = prm_expansion_step(plan->left, &done);
    while (status == PRM_OK && !done && !device_should_yield(device, began));
    count_stages(plan->service->metrics, &before, &plan->planned.times);
    if (status != PRM_OK)
        plan_fail(plan, status);
    else if (done)
        plan_reply(plan, device);
    return status != PRM_OK || done ? DEVICE_DONE : DEVICE_AGAIN;
}

static void drop(struct device_task *task)
{
    struct plan *plan = grown(task);
    problem_add(&plan->call->problem, PROBLEM_DRAINING, "the server shut down");
    plan_refuse(plan);
}

/* Goes on with a plan that has run: answers, or grows what is left. */
static void go_on(struct plan *plan, struct device *device)
{
    if (!plan->left) {
        plan_reply(plan, device);
        return;
    }
    plan->growth = (struct device_task){.step = grow, .drop = drop};
    if (!device_thread_submit(device->thread, DEVICE_LANE_EXPAND, &plan->growth)) {
        problem_add_refusal(plan->service, &plan->call->problem);
        plan_refuse(plan);
    }
}

/* ---- a batch ---- */

static bool options_equal(const struct prm_plan_options *a, const struct prm_plan_options *b)
{
    return a->objective == b->objective && a->output == b->output && a->simplify == b->simplify &&
           a->interpolate == b->interpolate && a->connect_k == b->connect_k &&
           a->connect_radius == b->connect_radius && a->connect_enough == b->connect_enough &&
           a->expand_samples == b->expand_samples && a->diagnose == b->diagnose &&
           a->waypoints_max == b->waypoints_max;
}

/* Marks the queries as invalid whose numbers are no states. */
static void refuse_no_states(struct plan *plan)
{
    const struct prm_space *space = plan_space(plan);
    for (uint32_t i = 0; i < plan->request.query_count; i++) {
        struct plan_query *query = &plan->request.queries[i];
        const double *goals = plan->request.numbers + query->goals;
        bool good =
            query->invalid || prm_space_is_state(space, plan->request.numbers + query->start);
        for (uint32_t g = 0; good && !query->invalid && g < query->goal_count; g++)
            good = prm_space_is_state(space, goals + (size_t)g * space->dof);
        if (good)
            continue;
        query->invalid = true;
        query->invalid_detail = strdup("a quaternion must not be all zero");
    }
}

/* Appends a request's queries. false: no memory. */
static bool put_queries(struct prm_query *out, struct plan *plan)
{
    const double deadline_ms = plan->request.deadline_ms > 0
                                   ? 1e3 * plan->call->received_s + plan->request.deadline_ms
                                   : 0;
    refuse_no_states(plan);
    struct prm_query *queries = queries_translate(&plan->request);
    if (!queries)
        return false;
    for (uint32_t i = 0; i < plan->request.query_count; i++) {
        out[i] = queries[i];
        out[i].deadline_ms = deadline_ms;
    }
    free(queries);
    return true;
}

/* Plans the queries of all `members`, `count` of them, as one. */
static enum prm_status plan_together(struct device *device, struct plan *members, uint32_t count,
                                     struct prm_plan_results *results, struct prm_expansion **left)
{
    const struct model *model = members->model;
    struct prm_query *queries = malloc(((size_t)count + 1) * sizeof(*queries));
    uint32_t filled = 0;
    bool good = queries != NULL;
    *results = (struct prm_plan_results){0};
    *left = NULL;
    for (struct plan *plan = members; good && plan; plan = next_of(plan)) {
        good = put_queries(queries + filled, plan);
        filled += plan->request.query_count;
    }
    enum prm_status status =
        good ? prm_plan_begin(device->planner, results, left, model->topology->roadmap,
                              model->validity, model->world->world, queries, count,
                              &members->options)
             : prm_fault_set(PRM_HOST_MEMORY, "no memory for %u queries", count);
    free(queries);
    if (status == PRM_OK) {
        struct metrics *metrics = members->service->metrics;
        metrics_batch(metrics, count);
        count_stages(metrics, &(struct prm_plan_times){0}, &results->times);
    }
    return status;
}

static void run_alone(struct device *device, struct plan *plan)
{
    plan->task.next = NULL;
    const enum prm_status status =
        plan_together(device, plan, plan->request.query_count, &plan->planned, &plan->left);
    if (status == PRM_OK)
        go_on(plan, device);
    else
        plan_fail(plan, status);
}

/* Runs two or more as one, and each alone where that fails: what is too much for all of them may be
 * fine for most. */
static void run_together(struct device *device, struct plan *members, uint32_t count)
{
    struct prm_plan_results whole;
    struct prm_expansion *left;
    uint32_t first = 0;
    const bool good = plan_together(device, members, count, &whole, &left) == PRM_OK;

    for (struct plan *plan = members, *next; plan; plan = next) {
        const uint32_t own = plan->request.query_count;
        next = next_of(plan);
        if (!good) {
            run_alone(device, plan);
        } else {
            const enum prm_status status =
                prm_plan_part(&plan->planned, &plan->left, &whole, left, first, own);
            if (status == PRM_OK)
                go_on(plan, device);
            else
                plan_fail(plan, status);
        }
        first += own;
    }
    prm_expansion_destroy(left);
    prm_plan_results_deinit(&whole);
}

/* Moves the first that waits, and all that ask in the same way and fit into a batch with it, from
 * *waiting to the result; NULL: none waits. *count: their queries. */
static struct plan *take_members(struct plan_task **waiting, uint32_t *count)
{
    struct plan_task *members = NULL, **end = &members;
    *count = 0;
    for (struct plan_task **link = waiting; *link;) {
        struct plan *plan = (struct plan *)*link;
        const struct plan *first = (const struct plan *)members;
        const uint64_t total = (uint64_t)*count + plan->request.query_count;
        const bool joins = !first || (options_equal(&plan->options, &first->options) &&
                                      total <= plan->service->batch_queries);
        if (!joins) {
            link = &plan->task.next;
            continue;
        }
        *link = plan->task.next;
        plan->task.next = NULL;
        if (is_abandoned(plan))
            continue;
        *count = (uint32_t)total;
        *end = &plan->task;
        end = &plan->task.next;
    }
    return (struct plan *)members;
}

void plan_run_batch(struct device *device, struct plan_task *batch)
{
    uint32_t count;
    for (struct plan *members; (members = take_members(&batch, &count)) != NULL;) {
        const double now = clock_steady();
        for (struct plan *plan = members; plan; plan = next_of(plan)) {
            plan->began = now;
            plan->times.queue_ms = 1e3 * (now - plan->task.queued);
            metrics_queue(plan->service->metrics, "plan", now - plan->task.queued);
        }
        if (members->task.next)
            run_together(device, members, count);
        else
            run_alone(device, members);
    }
}

/* Goal: the table is bounded, states and counts agree, waiters leave on time. Method: jobs driven
 * by hand. Oracle: the counts that follow. */
#include "service/jobs/jobs.h"

#include "schema/document.h"
#include "service/call.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void active_jobs_are_bounded(void **state)
{
    (void)state;
    struct jobs jobs;
    jobs_init(&jobs, 2, "t-");
    struct job *a = jobs_add(&jobs, "build", "roadmaps/a", NULL);
    struct job *b = jobs_add(&jobs, "build", "roadmaps/b", NULL);
    assert_non_null(a);
    assert_non_null(b);
    assert_string_not_equal(a->id, b->id);
    assert_null(jobs_add(&jobs, "build", "roadmaps/c", NULL));

    // an ended one makes room
    jobs_start(&jobs, a);
    assert_null(jobs_finish(&jobs, a, JOB_SUCCEEDED, NULL));
    assert_non_null(jobs_add(&jobs, "build", "roadmaps/c", NULL));
    assert_int_equal(jobs.states[JOB_QUEUED], 2);
    assert_int_equal(jobs.states[JOB_RUNNING], 0);
    assert_int_equal(jobs.states[JOB_SUCCEEDED], 1);
    assert_int_equal(atomic_load(&jobs.active_count), 2);
    jobs_deinit(&jobs);
}

static void history_is_bounded(void **state)
{
    (void)state;
    enum { ROUNDS = JOBS_HISTORY_MAX + 50 };
    char first[JOB_ID_BYTES] = "", last[JOB_ID_BYTES] = "";
    struct jobs jobs;
    jobs_init(&jobs, 2, "t-");
    // one stays active, however old
    struct job *old = jobs_add(&jobs, "build", "roadmaps/old", NULL);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct job *job = jobs_add(&jobs, "build", "roadmaps/a", NULL);
        if (i == 0)
            memcpy(first, job->id, sizeof(first));
        memcpy(last, job->id, sizeof(last));
        jobs_start(&jobs, job);
        jobs_finish(&jobs, job, i % 2 ? JOB_FAILED : JOB_CANCELLED, NULL);
    }
    assert_int_equal(jobs.ended_count, JOBS_HISTORY_MAX);
    assert_int_equal(jobs.states[JOB_FAILED] + jobs.states[JOB_CANCELLED], JOBS_HISTORY_MAX);
    assert_null(jobs_find(&jobs, first));
    assert_non_null(jobs_find(&jobs, last));
    assert_ptr_equal(jobs_find(&jobs, old->id), old);

    // however many began and ended before it ends, it is looked at after its end
    jobs_start(&jobs, old);
    jobs_finish(&jobs, old, JOB_SUCCEEDED, NULL);
    assert_ptr_equal(jobs_find(&jobs, old->id), old);
    assert_int_equal(jobs.ended_count, JOBS_HISTORY_MAX);

    // until as many have ended since
    for (unsigned i = 0; i < JOBS_HISTORY_MAX; i++) {
        assert_ptr_equal(jobs_find(&jobs, old->id), old);
        struct job *job = jobs_add(&jobs, "build", "roadmaps/a", NULL);
        jobs_start(&jobs, job);
        jobs_finish(&jobs, job, JOB_SUCCEEDED, NULL);
    }
    char gone[JOB_ID_BYTES];
    snprintf(gone, sizeof(gone), "t-1");
    assert_null(jobs_find(&jobs, gone));
    jobs_deinit(&jobs);
}

static void active_job_of_a_resource(void **state)
{
    (void)state;
    struct jobs jobs;
    jobs_init(&jobs, 8, "t-");
    struct job *a = jobs_add(&jobs, "build", "roadmaps/a", NULL);
    assert_ptr_equal(jobs_find_active(&jobs, "build", "roadmaps/a"), a);
    assert_null(jobs_find_active(&jobs, "build", "roadmaps/b"));
    assert_null(jobs_find_active(&jobs, "grow", "roadmaps/a"));

    // a cancelled one makes way for the next
    atomic_store(&a->cancel, true);
    assert_null(jobs_find_active(&jobs, "build", "roadmaps/a"));
    struct job *next = jobs_add(&jobs, "build", "roadmaps/a", NULL);
    assert_ptr_equal(jobs_find_active(&jobs, "build", "roadmaps/a"), next);
    jobs_start(&jobs, next);
    jobs_finish(&jobs, next, JOB_SUCCEEDED, NULL);
    assert_null(jobs_find_active(&jobs, "build", "roadmaps/a"));
    jobs_deinit(&jobs);
}

static void progress_never_goes_back(void **state)
{
    (void)state;
    static const struct {
        double told, shown;
    } CASES[] = {{0.2, 0.2}, {0.1, 0.2}, {0.7, 0.7}, {1.5, 1}, {0.5, 1}};
    struct jobs jobs;
    jobs_init(&jobs, 8, "t-");
    struct job *job = jobs_add(&jobs, "build", "roadmaps/a", NULL);
    jobs_start(&jobs, job);
    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        jobs_progress(job, "sample", CASES[i].told);
        assert_true(job->progress == CASES[i].shown);
    }
    jobs_deinit(&jobs);
}

static void waiters_leave_on_time(void **state)
{
    (void)state;
    struct jobs jobs;
    struct call calls[3] = {0};
    static const double DEADLINES[3] = {10, 20, 30};
    jobs_init(&jobs, 8, "t-");
    struct job *job = jobs_add(&jobs, "build", "roadmaps/a", NULL);
    for (unsigned i = 0; i < 3; i++) {
        struct job_waiter *waiter = calloc(1, sizeof(*waiter));
        *waiter = (struct job_waiter){.call = &calls[i], .deadline = DEADLINES[i]};
        jobs_wait(job, waiter);
    }

    double next = INFINITY;
    assert_null(jobs_expire(job, 9, &next));
    assert_true(next == 10);
    next = INFINITY;
    struct job_waiter *expired = jobs_expire(job, 10, &next);
    assert_ptr_equal(expired->call, &calls[0]);
    assert_null(expired->next);
    assert_true(next == 20);
    free(expired);

    // a client that is gone waits no longer
    atomic_store(&calls[2].abandoned, true);
    next = INFINITY;
    expired = jobs_expire(job, 11, &next);
    assert_ptr_equal(expired->call, &calls[2]);
    assert_true(next == 20);
    free(expired);

    // the end wakes the rest
    jobs_start(&jobs, job);
    expired = jobs_finish(&jobs, job, JOB_SUCCEEDED, NULL);
    assert_ptr_equal(expired->call, &calls[1]);
    assert_null(expired->next);
    assert_null(job->waiters);
    free(expired);
    jobs_deinit(&jobs);
}

static void written_as_json(void **state)
{
    (void)state;
    struct text text = {0};
    struct problem problem = {0};
    struct jobs jobs;
    jobs_init(&jobs, 8, "t-");
    struct job *job = jobs_add(&jobs, "build", "roadmaps/a", NULL);
    jobs_start(&jobs, job);
    problem_add(&problem, PROBLEM_DEVICE_MEMORY, "too \"large\"");
    jobs_finish(&jobs, job, JOB_FAILED, &problem.faults[0]);
    const struct job_view view = job_view(job);
    job_write(&view, &text);

    struct document *document = document_parse(text.data, text.length, NULL, 0);
    assert_non_null(document);
    const struct document_value *root = document_root(document);
    assert_string_equal(document_string(root, "/id", ""), job->id);
    assert_string_equal(document_string(root, "/state", ""), "failed");
    assert_string_equal(document_string(root, "/error/code", ""), "device_memory");
    assert_string_equal(document_string(root, "/error/detail", ""), "too \"large\"");
    assert_true(document_number(root, "/progress", -1) == 0);
    document_destroy(document);
    text_deinit(&text);
    jobs_deinit(&jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(active_jobs_are_bounded),  cmocka_unit_test(history_is_bounded),
        cmocka_unit_test(active_job_of_a_resource), cmocka_unit_test(progress_never_goes_back),
        cmocka_unit_test(waiters_leave_on_time),    cmocka_unit_test(written_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: the life of roadmaps, jobs and plans: states, waiting, the swap, staleness, use,
 * cancelling, full queues, vanished clients. Method: calls in-process over a fake engine whose
 * builds and plans are held and failed at will. Oracle: the contract, sections 5 and 6. */
#include "fake_engine.h"
#include "harness.h"

#include "support/pause.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD(max, obstacles)                                                                      \
    "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10," max "]},\"obstacles\":[" obstacles   \
    "]}"
#define CIRCLE(id) "{\"id\":\"" id "\",\"type\":\"circle\",\"center\":[5,5],\"radius\":1}"
#define ROADMAP(seed)                                                                              \
    "{\"world\":\"w\",\"robot\":\"r\",\"seed\":" seed ",\"samples\":{\"count\":50}}"
#define PLAN "{\"queries\":[{\"id\":7,\"start\":[1,1],\"goal\":[2,2]}]}"

enum { LONG_STEPS = 1000000, WAIT_S = 20 };

static struct service *service;

static int setup(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    fake_engine_reset();
    limits.jobs = 3;
    limits.queued_requests = 8;
    limits.roadmaps = 4;
    service = harness_open(&limits);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD("10", CIRCLE("a")));
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "r", .body = "{\"type\":\"point\"}");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    atomic_store(&fake_engine.plans_held, false);
    service_close(service);
    return fake_engine_alive() == 0 ? 0 : -1;
}

/* Waits until a count of the fake engine has grown past `from`. */
static void until_more(const atomic_uint *count, unsigned from)
{
    for (int i = 0; i < 10000 && atomic_load(count) <= from; i++)
        test_pause_ms(1);
    assert_true(atomic_load(count) > from);
}

/* Builds of no end, until they are cancelled. */
static void hold_builds(void)
{
    atomic_store(&fake_engine.step_us, 100);
    atomic_store(&fake_engine.build_steps, LONG_STEPS);
}

static void build(const char *name, const char *body)
{
    struct exchange *built = SEND(service, 201, .route = ROUTE_ROADMAP_PUT, .name = name,
                                  .body = body, .wait_s = WAIT_S);
    assert_string_equal(harness_string(built, "/state"), "ready");
    assert_string_equal(built->call.reply.preference_applied, "wait=20");
    harness_free(built);
}

/* The length and hops of one answer: which build, and which world. */
static void expect_answer(const char *name, double seed, double obstacles)
{
    struct exchange *planned =
        SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = name, .body = PLAN);
    assert_string_equal(harness_string(planned, "/results/0/status"), "solved");
    assert_true(harness_number(planned, "/results/0/id") == 7);
    assert_true(harness_number(planned, "/results/0/length") == seed);
    assert_true(harness_number(planned, "/results/0/hops") == obstacles);
    harness_free(planned);
}

static void by_job(void **state)
{
    (void)state;
    struct exchange *accepted =
        SEND(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("3"));
    char location[160];
    snprintf(location, sizeof(location), "/v1/jobs/%s", harness_string(accepted, "/id"));
    assert_string_equal(accepted->call.reply.location, location);
    assert_string_equal(accepted->call.reply.preference_applied, "");
    harness_until(service, "m", "ready");
    struct exchange *job =
        SEND(service, 200, .route = ROUTE_JOB_GET, .name = harness_string(accepted, "/id"));
    assert_string_equal(harness_string(job, "/state"), "succeeded");
    assert_string_equal(harness_string(job, "/kind"), "build");
    assert_string_equal(harness_string(job, "/resource"), "roadmaps/m");
    assert_true(harness_number(job, "/progress") == 1);
    harness_free(job);
    harness_free(accepted);

    struct exchange *got = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    assert_int_equal(strlen(harness_string(got, "/digest")), 64);
    assert_string_equal(harness_string(got, "/coordinates/1"), "y");
    assert_true(harness_number(got, "/statistics/milestones") == 50);
    assert_true(harness_number(got, "/statistics/stages_ms/sample") == 1);
    assert_string_equal(harness_string(got, "/job"), "");
    // what GET gives PUT takes, and it is the same content
    char *body = strndup(got->call.reply.body.data, got->call.reply.body.length);
    struct exchange *same =
        SEND(service, 200, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = body);
    assert_string_equal(same->call.reply.etag, got->call.reply.etag);
    free(body);
    harness_free(same);
    harness_free(got);
    expect_answer("m", 3, 1);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    EXPECT(service, 404, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = PLAN);
}

static void waiting_is_bounded(void **state)
{
    (void)state;
    hold_builds();
    struct exchange *late = SEND(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m",
                                 .body = ROADMAP("1"), .wait_s = 0.05);
    assert_string_equal(harness_string(late, "/state"), "running");
    // the same content again waits for the same job
    struct exchange *second = SEND(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m",
                                   .body = ROADMAP("1"), .wait_s = 0.05);
    assert_string_equal(harness_string(second, "/id"), harness_string(late, "/id"));
    harness_free(second);

    // there is nothing to plan on yet
    struct exchange *early =
        SEND(service, 409, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = PLAN);
    assert_string_equal(harness_string(early, "/code"), "not_ready");
    harness_free(early);

    // a client that is gone is not waited for, and cancels nothing
    struct exchange *gone = harness_start(service, &(struct request){.route = ROUTE_ROADMAP_PUT,
                                                                     .name = "m",
                                                                     .body = ROADMAP("1"),
                                                                     .wait_s = WAIT_S});
    atomic_store(&gone->call.abandoned, true);
    harness_wait(gone);
    harness_free(gone);
    struct exchange *job =
        SEND(service, 200, .route = ROUTE_JOB_GET, .name = harness_string(late, "/id"));
    assert_string_equal(harness_string(job, "/state"), "running");
    harness_free(job);
    harness_free(late);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
}

static void cancelling(void **state)
{
    (void)state;
    hold_builds();
    struct exchange *waiting = harness_start(service, &(struct request){.route = ROUTE_ROADMAP_PUT,
                                                                        .name = "m",
                                                                        .body = ROADMAP("1"),
                                                                        .wait_s = WAIT_S});
    struct exchange *queued =
        SEND(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "n", .body = ROADMAP("1"));
    struct exchange *jobs = SEND(service, 200, .route = ROUTE_JOB_LIST);
    harness_until(service, "m", "building");
    EXPECT(service, 202, .route = ROUTE_JOB_DELETE, .name = harness_string(queued, "/id"));

    struct exchange *running = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    char id[64];
    snprintf(id, sizeof(id), "%s", harness_string(running, "/job"));
    EXPECT(service, 202, .route = ROUTE_JOB_DELETE, .name = id);
    harness_wait(waiting);
    assert_int_equal(waiting->call.reply.status, 409);
    assert_string_equal(harness_string(waiting, "/code"), "cancelled");
    harness_until(service, "m", "failed");
    harness_until(service, "n", "failed");

    // a job that has ended is only shown
    struct exchange *ended = SEND(service, 200, .route = ROUTE_JOB_DELETE, .name = id);
    assert_string_equal(harness_string(ended, "/state"), "cancelled");
    EXPECT(service, 404, .route = ROUTE_JOB_DELETE, .name = "none");
    struct exchange *failed =
        SEND(service, 409, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = PLAN);
    assert_string_equal(harness_string(failed, "/code"), "not_ready");
    harness_free(failed);
    harness_free(ended);
    harness_free(running);
    harness_free(jobs);
    harness_free(queued);
    harness_free(waiting);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "n");
}

static void old_answers_until_the_swap(void **state)
{
    (void)state;
    build("m", ROADMAP("1"));
    struct exchange *before = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    hold_builds();
    EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("2"));
    expect_answer("m", 1, 1);
    struct exchange *meanwhile = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    assert_string_equal(harness_string(meanwhile, "/state"), "ready");
    assert_string_not_equal(harness_string(meanwhile, "/job"), "");
    harness_free(meanwhile);

    // another content takes the place of the one under way
    atomic_store(&fake_engine.build_steps, 3);
    struct exchange *built = SEND(service, 200, .route = ROUTE_ROADMAP_PUT, .name = "m",
                                  .body = ROADMAP("3"), .wait_s = WAIT_S);
    assert_true(harness_number(built, "/revision") > harness_number(before, "/revision"));
    expect_answer("m", 3, 1);
    harness_free(built);
    harness_free(before);

    // a build that fails leaves the old answers, and says so
    atomic_store(&fake_engine.build_status, PRM_DEVICE_MEMORY);
    struct exchange *failed = SEND(service, 507, .route = ROUTE_ROADMAP_PUT, .name = "m",
                                   .body = ROADMAP("4"), .wait_s = WAIT_S);
    assert_string_equal(harness_string(failed, "/code"), "device_memory");
    harness_free(failed);
    expect_answer("m", 3, 1);
    struct exchange *after = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    assert_string_equal(harness_string(after, "/state"), "ready");
    assert_string_equal(harness_string(after, "/last_error/code"), "device_memory");
    harness_free(after);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
}

static void until_cancelled(const char *job)
{
    for (int i = 0; i < 1000 * WAIT_S; i++) {
        struct exchange *got = SEND(service, 200, .route = ROUTE_JOB_GET, .name = job);
        const bool ended = strcmp(harness_string(got, "/state"), "cancelled") == 0;
        harness_free(got);
        if (ended)
            return;
        test_pause_ms(1);
    }
    fail_msg("job %s is not cancelled", job);
}

static void cancelling_leaves_a_ready_roadmap_as_it_was(void **state)
{
    (void)state;
    build("m", ROADMAP("1"));
    struct exchange *before = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");

    // by its job; by a PUT of the content that is there; by one that follows, and is cancelled too
    for (int way = 0; way < 3; way++) {
        hold_builds();
        struct exchange *job =
            SEND(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("2"));
        struct exchange *last = job;
        if (way == 1)
            EXPECT(service, 200, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("1"));
        else if (way == 2)
            last =
                SEND(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("3"));
        if (way != 1)
            EXPECT(service, 202, .route = ROUTE_JOB_DELETE, .name = harness_string(last, "/id"));
        until_cancelled(harness_string(job, "/id"));
        if (way == 2)
            until_cancelled(harness_string(last, "/id"));
        if (last != job)
            harness_free(last);
        harness_free(job);

        struct exchange *after = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
        assert_string_equal(after->call.reply.etag, before->call.reply.etag);
        assert_string_equal(harness_string(after, "/state"), "ready");
        assert_string_equal(harness_string(after, "/last_error/code"), "");
        harness_free(after);
        expect_answer("m", 1, 1);
    }
    harness_free(before);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
}

static void failures_have_their_problem(void **state)
{
    (void)state;
    static const struct {
        enum prm_status status;
        int http;
        const char *code;
    } CASES[] = {
        {PRM_INVALID_ARGUMENT, 422, "invalid_argument"},
        {PRM_LIMIT_EXCEEDED, 422, "limit_exceeded"},
        {PRM_UNSUPPORTED, 422, "unsupported"},
        {PRM_NO_FREE_SPACE, 422, "world_without_free_space"},
        {PRM_HOST_MEMORY, 503, "overloaded"},
        {PRM_DEVICE_MEMORY, 507, "device_memory"},
        {PRM_DEVICE_FAILED, 500, "internal"},
    };
    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        atomic_store(&fake_engine.build_status, (int)CASES[i].status);
        struct exchange *failed = SEND(service, CASES[i].http, .route = ROUTE_ROADMAP_PUT,
                                       .name = "m", .body = ROADMAP("1"), .wait_s = WAIT_S);
        assert_string_equal(harness_string(failed, "/code"), CASES[i].code);
        assert_string_equal(harness_string(failed, "/detail"), "the fake build fails");
        harness_free(failed);
        harness_until(service, "m", "failed");
    }
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
}

static void references(void **state)
{
    (void)state;
    struct exchange *refused = SEND(service, 422, .route = ROUTE_ROADMAP_PUT, .name = "m",
                                    .body = "{\"world\":\"none\",\"robot\":\"none\"}");
    assert_string_equal(harness_string(refused, "/code"), "unknown_reference");
    assert_string_equal(harness_string(refused, "/errors/0/pointer"), "/world");
    assert_string_equal(harness_string(refused, "/errors/1/pointer"), "/robot");
    harness_free(refused);
    EXPECT(service, 404, .route = ROUTE_ROADMAP_GET, .name = "m");

    // what is used stays, also by what is only being built
    hold_builds();
    EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("1"));
    refused = SEND(service, 409, .route = ROUTE_WORLD_DELETE, .name = "w");
    assert_string_equal(harness_string(refused, "/code"), "in_use");
    assert_non_null(strstr(harness_string(refused, "/detail"), "\"m\""));
    harness_free(refused);
    EXPECT(service, 409, .route = ROUTE_ROBOT_DELETE, .name = "r");
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    EXPECT(service, 204, .route = ROUTE_ROBOT_DELETE, .name = "r");
}

static void changes_of_the_world(void **state)
{
    (void)state;
    build("m", ROADMAP("1"));
    build("n", ROADMAP("2"));
    struct exchange *changed = SEND(service, 200, .route = ROUTE_WORLD_PATCH, .name = "w",
                                    .body = "{\"put\":[" CIRCLE("b") "]}");
    assert_string_equal(harness_string(changed, "/roadmaps/0/name"), "m");
    assert_string_equal(harness_string(changed, "/roadmaps/1/name"), "n");
    assert_string_equal(harness_string(changed, "/roadmaps/1/state"), "ready");
    assert_true(harness_number(changed, "/roadmaps/1/edges_off") == 7);
    expect_answer("m", 1, 2);
    expect_answer("n", 2, 2);
    struct exchange *got = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    assert_true(harness_number(got, "/world_revision") == harness_number(changed, "/revision"));
    harness_free(got);
    harness_free(changed);

    // a change that the device refuses changes nothing
    atomic_store(&fake_engine.validity_status, PRM_DEVICE_MEMORY);
    EXPECT(service, 507, .route = ROUTE_OBSTACLE_DELETE, .name = "w", .obstacle = "b");
    atomic_store(&fake_engine.validity_status, PRM_OK);
    EXPECT(service, 200, .route = ROUTE_OBSTACLE_GET, .name = "w", .obstacle = "b");
    expect_answer("m", 1, 2);

    // other bounds: the roadmap does not fit, and answers only who wants it so
    changed = SEND(service, 200, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD("20", ""));
    assert_string_equal(harness_string(changed, "/name"), "w");
    assert_string_equal(harness_string(changed, "/roadmaps/0/state"), "stale");
    harness_free(changed);
    struct exchange *stale =
        SEND(service, 409, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = PLAN);
    assert_string_equal(harness_string(stale, "/code"), "roadmap_stale");
    harness_free(stale);
    stale = SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "m",
                 .body = "{\"queries\":[{\"start\":[1,1],\"goal\":[2,2]}],\"allow_stale\":true}");
    assert_string_equal(harness_string(stale, "/warnings/0/code"), "stale");
    assert_true(harness_number(stale, "/results/0/hops") == 2);
    harness_free(stale);

    // the old bounds again: it fits again
    changed = SEND(service, 200, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD("10", ""));
    assert_string_equal(harness_string(changed, "/roadmaps/0/state"), "ready");
    harness_free(changed);
    expect_answer("m", 1, 0);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "n");
}

static void world_changes_during_a_build(void **state)
{
    (void)state;
    static const struct {
        const char *world, *state;
    } CASES[] = {{WORLD("10", CIRCLE("a") "," CIRCLE("b")), "ready"}, {WORLD("30", ""), "stale"}};
    for (unsigned i = 0; i < 2; i++) {
        EXPECT(service, 200, .route = ROUTE_WORLD_PUT, .name = "w",
               .body = WORLD("10", CIRCLE("c")));
        atomic_store(&fake_engine.step_us, 2000);
        atomic_store(&fake_engine.build_steps, 100);
        const unsigned steps = atomic_load(&fake_engine.steps_run);
        EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("1"));
        until_more(&fake_engine.steps_run, steps);
        EXPECT(service, 200, .route = ROUTE_WORLD_PUT, .name = "w", .body = CASES[i].world);
        harness_until(service, "m", CASES[i].state);
        if (i == 0)
            expect_answer("m", 1, 2);
        EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    }
}

static void revisions_hold_nobody_up(void **state)
{
    (void)state;
    enum { NEVER = 1 << 30, STEPS = 20 };
    atomic_store(&fake_engine.step_us, 500);
    build("m", ROADMAP("1"));

    // while a change is under way, the old version answers
    atomic_store(&fake_engine.revision_steps, NEVER);
    unsigned steps = atomic_load(&fake_engine.steps_run);
    const struct request patch = {
        .route = ROUTE_WORLD_PATCH, .name = "w", .body = "{\"put\":[" CIRCLE("b") "]}"};
    struct exchange *change = harness_start(service, &patch);
    until_more(&fake_engine.steps_run, steps + STEPS);
    expect_answer("m", 1, 1);
    assert_false(harness_is_done(change));
    atomic_store(&fake_engine.revision_steps, 1);
    harness_wait(change);
    assert_int_equal(change->call.reply.status, 200);
    harness_free(change);
    expect_answer("m", 1, 2);

    // so it does while other content is checked against a world that has changed meanwhile
    atomic_store(&fake_engine.build_steps, 100);
    steps = atomic_load(&fake_engine.steps_run);
    EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("5"));
    until_more(&fake_engine.steps_run, steps);
    EXPECT(service, 200, .route = ROUTE_OBSTACLE_DELETE, .name = "w", .obstacle = "b");
    atomic_store(&fake_engine.revision_steps, NEVER);
    until_more(&fake_engine.steps_run, atomic_load(&fake_engine.steps_run) + 100 + STEPS);
    expect_answer("m", 1, 1);

    // a change that comes now waits for the swap, and changes what was swapped in
    change = harness_start(service, &patch);
    expect_answer("m", 1, 1);
    assert_false(harness_is_done(change));
    atomic_store(&fake_engine.revision_steps, 1);
    harness_wait(change);
    harness_free(change);
    expect_answer("m", 5, 2);

    // it is cancelled at its next step
    steps = atomic_load(&fake_engine.steps_run);
    EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("6"));
    until_more(&fake_engine.steps_run, steps);
    EXPECT(service, 200, .route = ROUTE_OBSTACLE_DELETE, .name = "w", .obstacle = "b");
    atomic_store(&fake_engine.revision_steps, NEVER);
    until_more(&fake_engine.steps_run, atomic_load(&fake_engine.steps_run) + 100 + STEPS);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    harness_until_idle(service);
    EXPECT(service, 200, .route = ROUTE_WORLD_PATCH, .name = "w", .body = "{\"remove\":[\"a\"]}");
}

static void worlds_warn_of_their_rounding(void **state)
{
    (void)state;
    // the fake margin is a millionth of the extent
    struct exchange *put =
        SEND(service, 201, .route = ROUTE_WORLD_PUT, .name = "far",
             .body = "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[99,1]}}");
    assert_string_equal(harness_string(put, "/warnings/0/code"), "");
    harness_free(put);
    put = SEND(service, 200, .route = ROUTE_WORLD_PUT, .name = "far",
               .body = "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[5e6,5e6]}}");
    assert_string_equal(harness_string(put, "/warnings/0/code"), "rounding_margin");
    assert_string_equal(harness_string(put, "/warnings/1/code"), "");
    harness_free(put);
    struct exchange *patched = SEND(service, 200, .route = ROUTE_WORLD_PATCH, .name = "far",
                                    .body = "{\"put\":[" CIRCLE("a") "]}");
    assert_string_equal(harness_string(patched, "/warnings/1/code"), "narrow_obstacle");
    harness_free(patched);
    struct exchange *got = SEND(service, 200, .route = ROUTE_WORLD_GET, .name = "far");
    assert_string_equal(harness_string(got, "/warnings/1/code"), "narrow_obstacle");
    harness_free(got);
    struct exchange *built = SEND(service, 201, .route = ROUTE_ROADMAP_PUT, .name = "far",
                                  .body = "{\"world\":\"far\",\"robot\":\"r\"}", .wait_s = WAIT_S);
    assert_string_equal(harness_string(built, "/warnings/0/code"), "rounding_margin");
    harness_free(built);
}

static void full_queues(void **state)
{
    (void)state;
    enum { QUEUED = 8 };
    struct exchange *held[QUEUED + 1];
    build("m", ROADMAP("1"));
    const unsigned before = atomic_load(&fake_engine.plans_run);
    const unsigned entered = atomic_load(&fake_engine.plans_entered);
    atomic_store(&fake_engine.plans_held, true);
    const struct request plan = {.route = ROUTE_ROADMAP_PLAN, .name = "m", .body = PLAN};
    held[0] = harness_start(service, &plan);
    // the first is off the queue once the device has it
    fake_engine_until_entered(entered);
    for (unsigned i = 1; i <= QUEUED; i++)
        held[i] = harness_start(service, &plan);
    struct exchange *refused = harness_send(service, 503, &plan);
    assert_string_equal(harness_string(refused, "/code"), "overloaded");
    assert_int_equal(refused->call.reply.retry_after_s, 1);
    harness_free(refused);

    // of those whose client is gone, nothing is run
    for (unsigned i = 1; i <= QUEUED; i += 2)
        atomic_store(&held[i]->call.abandoned, true);
    atomic_store(&fake_engine.plans_held, false);
    for (unsigned i = 0; i <= QUEUED; i++) {
        harness_wait(held[i]);
        assert_int_equal(held[i]->call.reply.status, i % 2 ? 409 : 200);
        harness_free(held[i]);
    }
    // the first, and the others in one batch
    assert_int_equal(atomic_load(&fake_engine.plans_run) - before, 2);

    // the job table, and the number of roadmaps
    hold_builds();
    EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "a", .body = ROADMAP("1"));
    EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "b", .body = ROADMAP("1"));
    EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "c", .body = ROADMAP("1"));
    refused = SEND(service, 503, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("9"));
    assert_string_equal(harness_string(refused, "/code"), "overloaded");
    harness_free(refused);
    refused = SEND(service, 422, .route = ROUTE_ROADMAP_PUT, .name = "d", .body = ROADMAP("1"));
    assert_string_equal(harness_string(refused, "/flag"), "--max-roadmaps");
    harness_free(refused);
    expect_answer("m", 1, 1);
}

static void plans_go_between_steps(void **state)
{
    (void)state;
    build("m", ROADMAP("1"));
    hold_builds();
    EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "long", .body = ROADMAP("1"));
    for (unsigned i = 0; i < 50; i++)
        expect_answer("m", 1, 1);
    // and changes of the world too
    EXPECT(service, 200, .route = ROUTE_WORLD_PATCH, .name = "w",
           .body = "{\"put\":[" CIRCLE("b") "]}");
    expect_answer("m", 1, 2);
    const unsigned steps = atomic_load(&fake_engine.steps_run);
    until_more(&fake_engine.steps_run, steps);
}

static void answers(void **state)
{
    (void)state;
    build("m", ROADMAP("5"));
    struct exchange *planned = SEND(
        service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "m",
        .body = "{\"queries\":[{\"start\":[0,1],\"goal\":[2,2]},{\"start\":[-1,1],\"goal\":[2,2]"
                "},{\"start\":[1],\"goal\":[2,2]},{\"start\":[2000,1],\"goal\":[2,2]}]}");
    static const char *const STATUSES[] = {"solved", "start_out_of_bounds", "invalid_query",
                                           "no_path"};
    for (unsigned i = 0; i < 4; i++) {
        char pointer[64];
        snprintf(pointer, sizeof(pointer), "/results/%u/status", i);
        assert_string_equal(harness_string(planned, pointer), STATUSES[i]);
    }
    assert_true(harness_number(planned, "/results/0/path/1/0") == 2);
    assert_string_equal(harness_string(planned, "/results/1/reason/kind"), "bounds");
    assert_string_equal(harness_string(planned, "/results/1/reason/coordinate"), "x");
    assert_string_equal(harness_string(planned, "/warnings/0/code"), "clamped");
    assert_true(harness_number(planned, "/warnings/0/query") == 0);
    assert_true(harness_number(planned, "/summary/solved") == 1);
    assert_string_equal(harness_string(planned, "/coordinates/0"), "x");
    assert_true(harness_number(planned, "/timing_ms/total") >= 0);
    assert_true(harness_number(planned, "/timing_ms/queue") >= 0);
    harness_free(planned);
    EXPECT(service, 422, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = "{\"querys\":[]}");
    EXPECT(service, 400, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = "{");

    // so large that workers parse and write it
    enum { QUERIES = 4000 };
    static char body[64 * QUERIES];
    size_t length = (size_t)sprintf(body, "{\"queries\":[");
    for (unsigned i = 0; i < QUERIES; i++)
        length +=
            (size_t)sprintf(body + length, "%s{\"start\":[1,%u],\"goal\":[2,2]}", i ? "," : "", i);
    sprintf(body + length, "]}");
    planned = SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = body);
    assert_true(harness_number(planned, "/summary/solved") == QUERIES);
    assert_true(harness_number(planned, "/results/3999/path/0/1") == QUERIES - 1);
    harness_free(planned);
}

static void pictures(void **state)
{
    (void)state;
    build("m", ROADMAP("1"));
    struct exchange *drawn = SEND(service, 200, .route = ROUTE_ROADMAP_PICTURE, .name = "m",
                                  .parameters = {"start", "1,1", "goal", "2,2"});
    assert_string_equal(drawn->call.reply.content_type, "image/svg+xml");
    text_append(&drawn->call.reply.body, "", 1);
    assert_non_null(strstr(drawn->call.reply.body.data, "class=\"path\""));
    harness_free(drawn);
    EXPECT(service, 200, .route = ROUTE_ROADMAP_PICTURE, .name = "m");
    EXPECT(service, 200, .route = ROUTE_ROADMAP_PICTURE_POST, .name = "m", .body = PLAN);
    EXPECT(service, 422, .route = ROUTE_ROADMAP_PICTURE, .name = "m",
           .parameters = {"start", "1,1"});
    EXPECT(service, 422, .route = ROUTE_ROADMAP_PICTURE, .name = "m",
           .parameters = {"start", "1,1,1", "goal", "2,2"});
    EXPECT(service, 422, .route = ROUTE_ROADMAP_PICTURE, .name = "m",
           .parameters = {"start", "one", "goal", "2,2"});
    EXPECT(service, 404, .route = ROUTE_ROADMAP_PICTURE, .name = "none");
}

static void metrics(void **state)
{
    (void)state;
    build("m", ROADMAP("1"));
    expect_answer("m", 1, 1);
    service_count_request(service, "GET", "/v1/worlds/{world}", 200, 0.001);
    struct exchange *got = SEND(service, 200, .route = ROUTE_METRICS);
    struct text *body = &got->call.reply.body;
    text_append(body, "", 1);
    static const char *const LINES[] = {
        "\nprmd_queries_total{status=\"solved\"} 1\n",
        "\nprmd_queries_total{status=\"no_path\"} 0\n",
        "\nprmd_batch_queries_count 1\n",
        "\nprmd_roadmaps{state=\"ready\"} 1\n",
        "\nprmd_jobs{state=\"succeeded\"} 1\n",
        "\nprmd_job_duration_seconds_count{kind=\"build\"} 1\n",
        "\nprmd_stage_duration_seconds_count{stage=\"neighbors\"} 1\n",
        "\nprmd_queue_duration_seconds_count{op=\"plan\"} 1\n",
        "\nprmd_http_requests_total{method=\"GET\",route=\"/v1/worlds/{world}\",code=\"200\"} 1\n",
        "\nprmd_http_request_duration_seconds_bucket{route=\"/v1/worlds/{world}\",le=\"+Inf\"} 1\n",
        "prmd_build_info{version=\"test\",device=\"fake device\"} 1\n",
        "\n# TYPE process_resident_memory_bytes gauge\n",
    };
    for (unsigned i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++)
        if (!strstr(body->data, LINES[i]))
            fail_msg("no line %s in\n%s", LINES[i], body->data);
    harness_free(got);
}

static void closing_with_work(void **state)
{
    (void)state;
    build("m", ROADMAP("1"));
    hold_builds();
    struct exchange *waiting = harness_start(service, &(struct request){.route = ROUTE_ROADMAP_PUT,
                                                                        .name = "n",
                                                                        .body = ROADMAP("1"),
                                                                        .wait_s = WAIT_S});
    struct exchange *queued = harness_start(service, &(struct request){.route = ROUTE_ROADMAP_PUT,
                                                                       .name = "o",
                                                                       .body = ROADMAP("1"),
                                                                       .wait_s = WAIT_S});
    struct exchange *plan = harness_start(
        service, &(struct request){.route = ROUTE_ROADMAP_PLAN, .name = "m", .body = PLAN});
    assert_true(service_in_flight(service) >= 2);
    service_close(service);
    // every call came back
    harness_wait(waiting);
    harness_wait(queued);
    harness_wait(plan);
    assert_true(waiting->call.reply.status == 409 || waiting->call.reply.status == 503);
    assert_true(queued->call.reply.status == 409 || queued->call.reply.status == 503);
    assert_int_equal(plan->call.reply.status, 200);
    harness_free(waiting);
    harness_free(queued);
    harness_free(plan);
    assert_int_equal(fake_engine_alive(), 0);
    setup(state);
}

static void refinements_wait_for_all_else(void **state)
{
    (void)state;
    atomic_store(&fake_engine.refinements_held, true);
    build("m", ROADMAP("3"));
    expect_answer("m", 3, 1);
    build("n", ROADMAP("4"));
    EXPECT(service, 200, .route = ROUTE_WORLD_PUT, .name = "w",
           .body = WORLD("10", CIRCLE("a") "," CIRCLE("b")));
    expect_answer("m", 3, 2);
    expect_answer("n", 4, 2);
    assert_int_equal(atomic_load(&fake_engine.refined), 0);

    // of four models two are left, and both are refined
    atomic_store(&fake_engine.refinements_held, false);
    until_more(&fake_engine.refined, 1);
    test_pause_ms(20);
    assert_int_equal(atomic_load(&fake_engine.refined), 2);
    expect_answer("m", 3, 2);
}

static void refinements_end_with_their_roadmap(void **state)
{
    (void)state;
    const unsigned before = fake_engine_alive();
    atomic_store(&fake_engine.refinements_held, true);
    build("m", ROADMAP("3"));
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    for (int i = 0; i < 10000 && fake_engine_alive() > before; i++)
        test_pause_ms(1);
    assert_int_equal(fake_engine_alive(), before);

    // one that fails leaves the roadmap as it is
    atomic_store(&fake_engine.refine_status, PRM_DEVICE_MEMORY);
    build("m", ROADMAP("5"));
    expect_answer("m", 5, 1);
    test_pause_ms(20);
    expect_answer("m", 5, 1);
    assert_int_equal(atomic_load(&fake_engine.refined), 0);

    // and the service stops in the middle of another
    atomic_store(&fake_engine.refine_status, PRM_OK);
    build("n", ROADMAP("6"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(by_job),
        TEST(waiting_is_bounded),
        TEST(cancelling),
        TEST(cancelling_leaves_a_ready_roadmap_as_it_was),
        TEST(old_answers_until_the_swap),
        TEST(failures_have_their_problem),
        TEST(references),
        TEST(changes_of_the_world),
        TEST(world_changes_during_a_build),
        TEST(revisions_hold_nobody_up),
        TEST(worlds_warn_of_their_rounding),
        TEST(full_queues),
        TEST(refinements_wait_for_all_else),
        TEST(refinements_end_with_their_roadmap),
        TEST(plans_go_between_steps),
        TEST(answers),
        TEST(pictures),
        TEST(metrics),
        TEST(closing_with_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

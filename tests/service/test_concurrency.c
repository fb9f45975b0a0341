/* Goal: answers belong to exactly one version whatever goes on around them, and nothing is left
 * over. Method: threads plan while others replace, delete, patch and follow jobs, over a fake
 * engine that aborts where an object is used after its end, by two threads, or mixed of two
 * versions. Oracle: a revision of a roadmap has one seed and one world for ever; the counts of
 * objects come back to the start. */
#include "fake_engine.h"
#include "harness.h"

#include "schema/clock.h"
#include "support/pause.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANNERS = 4, FOLLOWERS = 4, REVISIONS_MAX = 1 << 20 };

static struct service *service;
static atomic_bool over;
static atomic_uint answered, ends_told;
/* seed * 1000 + obstacles that a revision was seen with, plus 1; 0: not seen */
static atomic_uint seen[REVISIONS_MAX];

static double seconds(void)
{
    const char *asked = getenv("PRM_TEST_SECONDS");
    return asked ? atof(asked) : 2;
}

static void *plan(void *unused)
{
    (void)unused;
    const struct request request = {
        .route = ROUTE_ROADMAP_PLAN,
        .name = "m",
        .body =
            "{\"queries\":[{\"start\":[1,1],\"goal\":[2,2]},{\"start\":[1,2],\"goal\":[2,2]}]}"};
    while (!atomic_load(&over)) {
        struct exchange *planned = harness_start(service, &request);
        harness_wait(planned);
        if (planned->call.reply.status == 200) {
            const unsigned revision = (unsigned)harness_number(planned, "/revision");
            const unsigned first = 1 +
                                   1000 * (unsigned)harness_number(planned, "/results/0/length") +
                                   (unsigned)harness_number(planned, "/results/0/hops");
            const unsigned second = 1 +
                                    1000 * (unsigned)harness_number(planned, "/results/1/length") +
                                    (unsigned)harness_number(planned, "/results/1/hops");
            unsigned known = 0;
            assert_true(revision < REVISIONS_MAX);
            assert_int_equal(first, second);
            if (!atomic_compare_exchange_strong(&seen[revision], &known, first))
                assert_int_equal(known, first);
            atomic_fetch_add(&answered, 1);
        } else {
            // deleted, or not ready yet
            const int status = planned->call.reply.status;
            assert_true(status == 404 || status == 409);
        }
        harness_free(planned);
    }
    return NULL;
}

static void *replace(void *unused)
{
    (void)unused;
    char body[256];
    for (unsigned seed = 1; !atomic_load(&over); seed++) {
        snprintf(body, sizeof(body),
                 "{\"world\":\"w\",\"robot\":\"r\",\"seed\":%u,\"samples\":{\"count\":50}}", seed);
        struct exchange *built = harness_start(
            service,
            &(struct request){.route = ROUTE_ROADMAP_PUT, .name = "m", .body = body, .wait_s = 10});
        harness_wait(built);
        const int status = built->call.reply.status;
        assert_true(status == 200 || status == 201 || status == 409);
        harness_free(built);
        if (seed % 5 == 0) {
            struct exchange *gone = harness_start(
                service, &(struct request){.route = ROUTE_ROADMAP_DELETE, .name = "m"});
            harness_wait(gone);
            harness_free(gone);
        }
    }
    return NULL;
}

static void *patch(void *name)
{
    char body[256];
    for (unsigned i = 0; !atomic_load(&over); i++) {
        snprintf(
            body, sizeof(body),
            i % 2 ? "{\"remove\":[\"%s\"]}"
                  : "{\"put\":[{\"id\":\"%s\",\"type\":\"circle\",\"center\":[5,5],\"radius\":1}]}",
            (const char *)name);
        struct exchange *patched = harness_start(
            service, &(struct request){.route = ROUTE_WORLD_PATCH, .name = "w", .body = body});
        harness_wait(patched);
        assert_int_equal(patched->call.reply.status, 200);
        harness_free(patched);
    }
    return NULL;
}

/* Reads everything, all the time. */
static void *look(void *unused)
{
    static const enum route_id ROUTES[] = {ROUTE_ROADMAP_LIST, ROUTE_ROADMAP_GET, ROUTE_WORLD_GET,
                                           ROUTE_JOB_LIST,     ROUTE_METRICS,     ROUTE_READYZ};
    static const char *const NAMES[] = {NULL, "m", "w", NULL, NULL, NULL};
    (void)unused;
    for (unsigned i = 0; !atomic_load(&over); i = (i + 1) % 6) {
        struct exchange *got =
            harness_start(service, &(struct request){.route = ROUTES[i], .name = NAMES[i]});
        harness_wait(got);
        assert_true(got->call.reply.status == 200 || got->call.reply.status == 404);
        harness_free(got);
    }
    return NULL;
}

/* ---- followers of jobs ---- */

static void fall_asleep(void *transport)
{
    (void)transport;
}

static void wake_up(void *transport)
{
    sem_post(transport);
}

/* Reads a stream to its end, or no further than `reads` times. */
static void read_stream(struct reply_stream *stream, unsigned reads)
{
    sem_t woken;
    bool ended = false;
    sem_init(&woken, 0, 0);
    stream->sleep = fall_asleep;
    stream->wake = wake_up;
    stream->transport = &woken;
    while (!ended && reads-- > 0) {
        char text[4096];
        const size_t bytes = stream->read(stream, text, sizeof(text) - 1, &ended);
        text[bytes] = '\0';
        if (bytes == 0 && !ended)
            sem_wait(&woken);
        else if (strstr(text, "event: done") || strstr(text, "event: error"))
            atomic_fetch_add(&ends_told, 1);
    }
    stream->close(stream);
    sem_destroy(&woken);
}

/* Follows the newest job, every other time only a bit of the way. */
static void *follow(void *unused)
{
    (void)unused;
    for (unsigned i = 0; !atomic_load(&over); i++) {
        struct exchange *jobs =
            harness_start(service, &(struct request){.route = ROUTE_JOB_LIST,
                                                     .parameters = {"limit", "1000", NULL}});
        char last[32];
        harness_wait(jobs);
        const size_t count = document_length(document_at(document_root(jobs->document), "/items"));
        snprintf(last, sizeof(last), "/items/%zu/id", count > 0 ? count - 1 : 0);
        struct exchange *told =
            harness_start(service, &(struct request){.route = ROUTE_JOB_EVENTS,
                                                     .name = harness_string(jobs, last)});
        harness_wait(told);
        if (told->call.reply.stream)
            read_stream(told->call.reply.stream, i % 2 ? UINT_MAX : 2);
        harness_free(told);
        harness_free(jobs);
    }
    return NULL;
}

static void each_answer_is_of_one_version(void **state)
{
    pthread_t threads[PLANNERS + FOLLOWERS + 4];
    unsigned count = 0;
    (void)state;
    fake_engine_reset();
    atomic_store(&fake_engine.step_us, 50);
    service = harness_open(NULL);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w",
           .body = "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":[]}");
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "r", .body = "{\"type\":\"point\"}");

    for (unsigned i = 0; i < PLANNERS; i++)
        pthread_create(&threads[count++], NULL, plan, NULL);
    pthread_create(&threads[count++], NULL, replace, NULL);
    pthread_create(&threads[count++], NULL, patch, "a");
    pthread_create(&threads[count++], NULL, patch, "b");
    pthread_create(&threads[count++], NULL, look, NULL);
    for (unsigned i = 0; i < FOLLOWERS; i++)
        pthread_create(&threads[count++], NULL, follow, NULL);
    const double until = clock_steady() + seconds();
    while (clock_steady() < until)
        test_pause_ms(20);
    atomic_store(&over, true);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);

    // it was a test: answers came from several revisions
    unsigned revisions = 0;
    for (unsigned i = 0; i < REVISIONS_MAX; i++)
        revisions += atomic_load(&seen[i]) > 0;
    assert_true(atomic_load(&answered) > 100);
    assert_true(revisions > 10);
    assert_true(atomic_load(&ends_told) > 10);

    // all that was made for roadmaps goes with the last of them
    struct exchange *gone =
        harness_start(service, &(struct request){.route = ROUTE_ROADMAP_DELETE, .name = "m"});
    harness_wait(gone);
    harness_free(gone);
    const double patience = clock_steady() + 10;
    while (fake_engine_alive() > 0 && clock_steady() < patience)
        test_pause_ms(1);
    assert_int_equal(fake_engine_alive(), 0);
    harness_until_idle(service);
    service_close(service);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_answer_is_of_one_version)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

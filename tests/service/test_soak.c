/* Goal: under load each answer belongs to exactly one version of its roadmap and one of its world,
 * over the real engine and a real folder, and nothing is left over. Method: 32 clients plan, with
 * and without trees and with doors ignored, while a world's doors open and shut, roadmaps are built
 * with one seed after another, replaced and deleted, and others read all there is; made for TSan,
 * too. Oracle: the lengths that quiet builds have given for each seed and each state of the doors,
 * which all differ; a revision has one seed and one state for ever.
 *
 * PRM_TEST_SECONDS: how long (default 3). */
#include "folders.h"
#include "harness.h"

#include "schema/clock.h"
#include "service/persistence/blobs_folder.h"
#include "support/pause.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CLIENTS = 32,
    ROADMAPS = 3,
    SEEDS = 3,
    STATES = 4, /* bit 0: the left door is shut, bit 1: the right one */
    VERSIONS = SEEDS * STATES,
    QUERIES = 4,
    KINDS = 4,
    KIND_OPEN = 3, /* its plans ignore the doors: their state does not show */
    REVISIONS_MAX = 1 << 20,
    PATIENCE_S = 300
};
/* Lengths of one version agree to this share; of two, some differ by more. */
#define SAME_SHARE 1e-6

static const char *const NAMES[ROADMAPS] = {"m0", "m1", "m2"};

#define QUERIES_TEXT                                                                               \
    "\"queries\":[{\"start\":[1,1],\"goal\":[5,1]},{\"start\":[5,1.5],\"goal\":[9,2]},"            \
    "{\"start\":[1,9],\"goal\":[9,1]},{\"start\":[9,9],\"goal\":[1,5]}]"

static const char *const BODIES[KINDS] = {
    "{" QUERIES_TEXT ",\"simplify\":false,\"output\":\"nodes\",\"expand\":{\"samples\":0}}",
    "{" QUERIES_TEXT ",\"expand\":{\"samples\":200}}",
    "{" QUERIES_TEXT ",\"objective\":\"hops\",\"simplify\":false,\"output\":\"cost\"}",
    "{" QUERIES_TEXT ",\"ignore\":[\"left\",\"right\"],\"simplify\":false}",
};

static const char WORLD[] =
    "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":["
    "{\"type\":\"rectangle\",\"center\":[3,5],\"size\":[0.2,6]},"
    "{\"type\":\"rectangle\",\"center\":[7,5],\"size\":[0.2,6]},"
    "{\"id\":\"left\",\"type\":\"rectangle\",\"center\":[3,1],\"size\":[0.2,2.2],\"dynamic\":true},"
    "{\"id\":\"right\",\"type\":\"rectangle\",\"center\":[7,1],\"size\":[0.2,2.2],"
    "\"dynamic\":true}]}";

static struct service *service;
static atomic_bool over;
static atomic_uint answered[KINDS], absent, refused, changed, replaced;
static double expected[KINDS][SEEDS][STATES][QUERIES]; /* lengths; −1: not solved */
/* What revisions are known to be, plus 1; 0: nothing is known. */
static atomic_uint version_of[ROADMAPS][REVISIONS_MAX], seed_of[ROADMAPS][REVISIONS_MAX],
    state_of[REVISIONS_MAX];

/* ---- faults in threads ---- */

static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;
static char fault[512];

/* Ends the run, and the test with it; the first fault counts. */
static void fail_run(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    pthread_mutex_lock(&fault_lock);
    if (!fault[0])
        vsnprintf(fault, sizeof(fault), format, values);
    pthread_mutex_unlock(&fault_lock);
    va_end(values);
    atomic_store(&over, true);
}

/* Notes what a revision is; it is that for ever. */
static void note(atomic_uint *known, double revision, unsigned is, const char *what)
{
    unsigned before = 0;
    if (!(revision >= 0 && revision < REVISIONS_MAX))
        fail_run("revision %g", revision);
    else if (!atomic_compare_exchange_strong(&known[(unsigned)revision], &before, is + 1) &&
             before != is + 1)
        fail_run("%s of revision %g is %u and %u", what, revision, before - 1, is);
}

/* ---- requests ---- */

/* Sends and waits, also under sanitizers on a busy machine. */
static struct exchange *send_any(const struct request *request)
{
    struct exchange *exchange = harness_start(service, request);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    int waited;
    do
        waited = sem_timedwait(&exchange->done, &until);
    while (waited != 0 && errno == EINTR);
    if (waited != 0) {
        // a failed assertion ends a thread, and is of no use in others than the test's
        fprintf(stderr, "route %d: no answer in %d s\n", (int)request->route, PATIENCE_S);
        abort();
    }
    return exchange;
}

static void doors_text(char *body, size_t bytes, unsigned state)
{
    snprintf(body, bytes,
             "{\"set\":[{\"id\":\"left\",\"enabled\":%s},{\"id\":\"right\",\"enabled\":%s}]}",
             state & 1 ? "true" : "false", state & 2 ? "true" : "false");
}

static void seed_text(char *body, size_t bytes, unsigned seed)
{
    snprintf(body, bytes,
             "{\"world\":\"w\",\"robot\":\"r\",\"seed\":%u,\"samples\":{\"count\":300},"
             "\"neighbors\":{\"k\":8}}",
             seed + 1);
}

static void take_lengths(double *lengths, const struct exchange *planned)
{
    for (unsigned q = 0; q < QUERIES; q++) {
        char pointer[64];
        snprintf(pointer, sizeof(pointer), "/results/%u/status", q);
        const bool solved = strcmp(harness_string(planned, pointer), "solved") == 0;
        snprintf(pointer, sizeof(pointer), "/results/%u/length", q);
        lengths[q] = solved ? harness_number(planned, pointer) : -1;
    }
}

static bool same_lengths(const double *a, const double *b)
{
    for (unsigned q = 0; q < QUERIES; q++)
        if (!(fabs(a[q] - b[q]) <= SAME_SHARE * fabs(a[q])))
            return false;
    return true;
}

/* ---- threads ---- */

/* Which version lengths are of; VERSIONS: of none. */
static unsigned version_with(unsigned kind, const double *lengths)
{
    for (unsigned v = 0; v < VERSIONS; v++)
        if (same_lengths(expected[kind][v / STATES][v % STATES], lengths))
            return v;
    return VERSIONS;
}

static void *plan(void *number)
{
    const unsigned own = *(const unsigned *)number, kind = own % KINDS;
    for (unsigned i = own; !atomic_load(&over); i++) {
        const unsigned m = i % ROADMAPS;
        struct exchange *planned = send_any(
            &(struct request){.route = ROUTE_ROADMAP_PLAN, .name = NAMES[m], .body = BODIES[kind]});
        const int status = planned->call.reply.status;
        if (status == 200) {
            double lengths[QUERIES];
            take_lengths(lengths, planned);
            const unsigned version = version_with(kind, lengths);
            if (version == VERSIONS)
                fail_run("kind %u: lengths %.9g %.9g %.9g %.9g are of no version", kind, lengths[0],
                         lengths[1], lengths[2], lengths[3]);
            const double revision = harness_number(planned, "/revision");
            note(seed_of[m], revision, version / STATES, "the seed");
            if (kind != KIND_OPEN) {
                note(version_of[m], revision, version, "the version");
                note(state_of, harness_number(planned, "/world_revision"), version % STATES,
                     "the doors' state");
            }
            atomic_fetch_add(&answered[kind], 1);
        } else if (status == 404 || status == 409) {
            // deleted, or not ready yet
            atomic_fetch_add(&absent, 1);
            test_pause_ms(2);
        } else if (status == 503) {
            atomic_fetch_add(&refused, 1);
            test_pause_ms(2);
        } else {
            fail_run("a plan has status %d", status);
        }
        harness_free(planned);
    }
    return NULL;
}

static void *change_doors(void *unused)
{
    (void)unused;
    for (unsigned i = 1; !atomic_load(&over); i++) {
        const unsigned state = (i ^ i >> 1) % STATES;
        char body[256];
        doors_text(body, sizeof(body), state);
        struct exchange *patched =
            send_any(&(struct request){.route = ROUTE_WORLD_PATCH, .name = "w", .body = body});
        if (patched->call.reply.status == 200) {
            note(state_of, harness_number(patched, "/revision"), state, "the doors' state");
            atomic_fetch_add(&changed, 1);
        } else {
            fail_run("a patch has status %d", patched->call.reply.status);
        }
        harness_free(patched);
        test_pause_ms(20);
    }
    return NULL;
}

static void *replace(void *number)
{
    const unsigned m = *(const unsigned *)number;
    for (unsigned i = m; !atomic_load(&over); i++) {
        const unsigned seed = i % SEEDS;
        char body[256];
        seed_text(body, sizeof(body), seed);
        struct exchange *built = send_any(&(struct request){
            .route = ROUTE_ROADMAP_PUT, .name = NAMES[m], .body = body, .wait_s = 20});
        const int status = built->call.reply.status;
        if (status == 200 || status == 201) {
            note(seed_of[m], harness_number(built, "/revision"), seed, "the seed");
            atomic_fetch_add(&replaced, 1);
        } else if (status != 202) {
            fail_run("a build has status %d: %.*s", status, (int)built->call.reply.body.length,
                     built->call.reply.body.data);
        }
        harness_free(built);
        if (i % 4 == 3)
            harness_free(
                send_any(&(struct request){.route = ROUTE_ROADMAP_DELETE, .name = NAMES[m]}));
    }
    return NULL;
}

static void *look(void *unused)
{
    static const struct request LOOKS[] = {
        {.route = ROUTE_ROADMAP_LIST},
        {.route = ROUTE_ROADMAP_GET, .name = "m0"},
        {.route = ROUTE_ROADMAP_GRAPH, .name = "m1"},
        {.route = ROUTE_ROADMAP_NEAREST,
         .name = "m2",
         .body = "{\"states\":[[1,1],[9,9]],\"k\":3}"},
        {.route = ROUTE_ROADMAP_VALIDATE, .name = "m0", .body = "{\"states\":[[3,1],[7,1]]}"},
        {.route = ROUTE_WORLD_GET, .name = "w"},
        {.route = ROUTE_JOB_LIST},
        {.route = ROUTE_METRICS},
        {.route = ROUTE_READYZ}};
    (void)unused;
    for (size_t i = 0; !atomic_load(&over); i = (i + 1) % (sizeof(LOOKS) / sizeof(LOOKS[0]))) {
        struct exchange *got = send_any(&LOOKS[i]);
        const int status = got->call.reply.status;
        if (status != 200 && status != 404 && status != 409 && status != 503)
            fail_run("route %d has status %d", (int)LOOKS[i].route, status);
        harness_free(got);
        test_pause_ms(1);
    }
    return NULL;
}

/* ---- the test ---- */

/* Builds and plans each version by itself, and sees that no two answer alike. */
static void learn(void)
{
    for (unsigned v = 0; v < VERSIONS; v++) {
        char body[256];
        doors_text(body, sizeof(body), v % STATES);
        EXPECT(service, 200, .route = ROUTE_WORLD_PATCH, .name = "w", .body = body);
        seed_text(body, sizeof(body), v / STATES);
        EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = "quiet", .body = body,
               .wait_s = 100);
        for (unsigned kind = 0; kind < KINDS; kind++) {
            struct exchange *planned = SEND(service, 200, .route = ROUTE_ROADMAP_PLAN,
                                            .name = "quiet", .body = BODIES[kind]);
            take_lengths(expected[kind][v / STATES][v % STATES], planned);
            harness_free(planned);
        }
        EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "quiet");
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (unsigned v = 0; v < VERSIONS; v++) {
            const unsigned like = kind == KIND_OPEN ? v / STATES * STATES : v;
            assert_int_equal(version_with(kind, expected[kind][v / STATES][v % STATES]), like);
        }
    }
}

/* Bytes of resident device memory. */
static double device_bytes(void)
{
    static const char TEXT[] = "use=\"resident\"} ";
    struct exchange *got = SEND(service, 200, .route = ROUTE_METRICS);
    text_append(&got->call.reply.body, "", 1);
    const char *at = strstr(got->call.reply.body.data, TEXT);
    const double value = at ? atof(at + strlen(TEXT)) : NAN;
    harness_free(got);
    return value;
}

static void each_answer_is_of_one_version(void **state)
{
    const char *asked = getenv("PRM_TEST_SECONDS");
    const double lasts = asked ? atof(asked) : 3;
    struct limits limits = limits_default();
    struct problem problem = {0};
    struct blobs *blobs;
    pthread_t threads[CLIENTS + ROADMAPS + 3];
    unsigned clients[CLIENTS], roadmaps[ROADMAPS], count = 0;
    char folder[FOLDER_PATH_BYTES];
    (void)state;

    folder_make(folder);
    assert_true(
        blobs_folder_open(&blobs, &(struct blobs_folder_options){.path = folder}, &problem));
    service = harness_open_kept(&limits, blobs);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD);
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "r",
           .body = "{\"type\":\"ball\",\"radius\":0.1}");
    const double before = device_bytes();
    learn();

    for (unsigned i = 0; i < CLIENTS; i++) {
        clients[i] = i;
        pthread_create(&threads[count++], NULL, plan, &clients[i]);
    }
    for (unsigned m = 0; m < ROADMAPS; m++) {
        roadmaps[m] = m;
        pthread_create(&threads[count++], NULL, replace, &roadmaps[m]);
    }
    pthread_create(&threads[count++], NULL, change_doors, NULL);
    pthread_create(&threads[count++], NULL, look, NULL);
    pthread_create(&threads[count++], NULL, look, NULL);
    const double until = clock_steady() + lasts;
    while (clock_steady() < until && !atomic_load(&over))
        test_pause_ms(20);
    atomic_store(&over, true);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    if (fault[0])
        fail_msg("%s", fault);
    print_message("answers %u, %u, %u, %u, absent %u, refused %u; changes of the world %u, "
                  "builds %u\n",
                  atomic_load(&answered[0]), atomic_load(&answered[1]), atomic_load(&answered[2]),
                  atomic_load(&answered[3]), atomic_load(&absent), atomic_load(&refused),
                  atomic_load(&changed), atomic_load(&replaced));
    for (unsigned kind = 0; kind < KINDS; kind++)
        assert_true(atomic_load(&answered[kind]) > 0);
    assert_true(atomic_load(&changed) > 1 && atomic_load(&replaced) > 0);

    // all that was made for roadmaps goes with them; a build that is cancelled ends a little later
    for (unsigned m = 0; m < ROADMAPS; m++)
        harness_free(send_any(&(struct request){.route = ROUTE_ROADMAP_DELETE, .name = NAMES[m]}));
    const double patience = clock_steady() + 10;
    while (device_bytes() != before && clock_steady() < patience)
        test_pause_ms(5);
    assert_true(device_bytes() == before);
    harness_until_idle(service);
    service_close(service);
    folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_answer_is_of_one_version)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: what was told to be there is there after any end of the process, and nothing else; a change
 * that cannot be saved does not happen, whichever step of saving fails; what cannot be read is no
 * reason not to start. Method: services over a fake engine one after another on one folder, copies
 * of the folder at the moment of an answer, each system call failed in turn, files spoilt. Oracle:
 * the answers before. */
#include "fake_engine.h"
#include "folders.h"
#include "harness.h"
#include "service/fingerprint.h"
#include "service/persistence/blob_file.h"
#include "service/persistence/blobs_folder.h"
#include "support/pause.h"

#include <dirent.h>
#include <errno.h>
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
#define PLAN "{\"queries\":[{\"start\":[1,1],\"goal\":[2,2]}]}"
#define PLAN_STALE "{\"allow_stale\":true,\"queries\":[{\"start\":[1,1],\"goal\":[2,2]}]}"

/* Roadmaps are decoded long before that. */
enum { WAIT_S = 20, LOAD_MS = 100 };

/* Fails the system call whose turn it is, or holds it up. */
struct fault {
    atomic_uint calls, at;    /* 0: none fails */
    atomic_bool lasts;        /* all after it fail too */
    const char *_Atomic held; /* such calls wait, but so many before; NULL: none */
    atomic_int before;
    atomic_bool reached; /* one waits */
};

static int on_call(void *context, const char *call)
{
    struct fault *turn = context;
    const unsigned number = atomic_fetch_add(&turn->calls, 1) + 1;
    const char *held = atomic_load(&turn->held);
    if (held && strcmp(call, held) == 0 && atomic_fetch_sub(&turn->before, 1) <= 0) {
        atomic_store(&turn->reached, true);
        while (atomic_load(&turn->held))
            test_pause_ms(1);
    }
    const bool is_turn = turn->lasts ? number >= turn->at : number == turn->at;
    return turn->at > 0 && is_turn ? ENOSPC : 0;
}

static char path[FOLDER_PATH_BYTES];
static struct fault fault;
static struct service *service;

static void set_fault(unsigned at, bool lasts)
{
    atomic_store(&fault.calls, 0);
    atomic_store(&fault.lasts, lasts);
    atomic_store(&fault.at, at);
}

/* Holds calls of that name up from now on, but so many: "rename" moves blobs and records to their
 * places, and records away. NULL: lets go. */
static void hold(const char *call, int before)
{
    set_fault(0, false);
    atomic_store(&fault.reached, false);
    atomic_store(&fault.before, before);
    atomic_store(&fault.held, call);
}

static void until_held(void)
{
    for (int i = 0; i < 10000 && !atomic_load(&fault.reached); i++)
        test_pause_ms(1);
    assert_true(atomic_load(&fault.reached));
}

static struct blobs *open_blobs(const char *folder)
{
    const struct blobs_folder_options options = {
        .path = folder, .fault = on_call, .fault_context = &fault};
    struct problem problem = {0};
    struct blobs *blobs;
    assert_true(blobs_folder_open(&blobs, &options, &problem));
    return blobs;
}

static void reopen(void)
{
    service_close(service);
    assert_int_equal(fake_engine_alive(), 0);
    service = harness_open_kept(NULL, open_blobs(path));
}

/* Ends the service as kill -9 would: what it does after this moment is not seen. */
static void kill_and_reopen(void)
{
    char copy[FOLDER_PATH_BYTES];
    folder_make(copy);
    folder_copy(copy, path);
    service_close(service);
    assert_int_equal(fake_engine_alive(), 0);
    folder_remove(path);
    memcpy(path, copy, sizeof(path));
    // warm-ups build too
    atomic_store(&fake_engine.step_us, 0);
    atomic_store(&fake_engine.build_steps, 5);
    service = harness_open_kept(NULL, open_blobs(path));
}

static void put_basics(void)
{
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD("10", CIRCLE("a")));
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "r", .body = "{\"type\":\"point\"}");
}

static void build(const char *name, const char *body, int status)
{
    EXPECT(service, status, .route = ROUTE_ROADMAP_PUT, .name = name, .body = body,
           .wait_s = WAIT_S);
}

static int setup(void **state)
{
    (void)state;
    fake_engine_reset();
    folder_make(path);
    hold(NULL, 0);
    service = harness_open_kept(NULL, open_blobs(path));
    put_basics();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    atomic_store(&fake_engine.warm_up_held, false);
    hold(NULL, 0);
    service_close(service);
    folder_remove(path);
    return fake_engine_alive() == 0 ? 0 : -1;
}

/* An answer as text, malloc'ed. */
static char *text_of(enum route_id route, const char *name)
{
    struct exchange *got = SEND(service, 200, .route = route, .name = name);
    char *text = strndup(got->call.reply.body.data, got->call.reply.body.length);
    harness_free(got);
    assert_non_null(text);
    return text;
}

/* All that there is to see: lists and the resources of the names that tests use. */
enum { SIGHTS = 6 };

struct sight {
    char *texts[SIGHTS];
};

static struct sight look(void)
{
    static const struct {
        enum route_id route;
        const char *name;
    } ROWS[SIGHTS] = {{ROUTE_WORLD_LIST, NULL},   {ROUTE_ROBOT_LIST, NULL},
                      {ROUTE_ROADMAP_LIST, NULL}, {ROUTE_WORLD_GET, "w"},
                      {ROUTE_ROBOT_GET, "r"},     {ROUTE_ROADMAP_GET, "m"}};
    struct sight sight;
    for (unsigned i = 0; i < SIGHTS; i++)
        sight.texts[i] = text_of(ROWS[i].route, ROWS[i].name);
    return sight;
}

static void forget(struct sight *sight)
{
    for (unsigned i = 0; i < SIGHTS; i++)
        free(sight->texts[i]);
}

/* Everything looks as it did; `sight` is forgotten. */
static void assert_same(struct sight *sight)
{
    struct sight now = look();
    for (unsigned i = 0; i < SIGHTS; i++)
        assert_string_equal(now.texts[i], sight->texts[i]);
    forget(&now);
    forget(sight);
}

static void expect_answer(const char *name, const char *body, double seed, double obstacles)
{
    struct exchange *planned =
        SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = name, .body = body);
    assert_true(harness_number(planned, "/results/0/length") == seed);
    assert_true(harness_number(planned, "/results/0/hops") == obstacles);
    harness_free(planned);
}

static void everything_comes_back(void **state)
{
    (void)state;
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "solid",
           .body = "{\"dimension\":3,\"bounds\":{\"min\":[0,0,0],\"max\":[1,2,3]},\"padding\":0.1,"
                   "\"obstacles\":[{\"type\":\"box\",\"center\":[0.1,0.2,0.3],\"size\":[1,2,3],"
                   "\"rpy\":[0.1,0.2,0.3],\"dynamic\":true,\"enabled\":false}]}");
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "grid",
           .body = "{\"dimension\":2,\"grid\":{\"width\":3,\"height\":2,\"origin\":[0,0,0.5],"
                   "\"rows\":[\"..@\",\"@..\"]}}");
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "rigid",
           .body = "{\"type\":\"rigid\",\"footprint\":[[0,0],[1,0],[0,0.5]],"
                   "\"cover_tolerance\":0.1}");
    build("m", ROADMAP("3"), 201);
    struct sight before = look();
    char *solid = text_of(ROUTE_WORLD_GET, "solid"), *grid = text_of(ROUTE_WORLD_GET, "grid");
    char *rigid = text_of(ROUTE_ROBOT_GET, "rigid");

    // twice, by an end in peace and by one without
    for (int round = 0; round < 2; round++) {
        if (round == 0)
            kill_and_reopen();
        else
            reopen();
        char *texts[] = {text_of(ROUTE_WORLD_GET, "solid"), text_of(ROUTE_WORLD_GET, "grid"),
                         text_of(ROUTE_ROBOT_GET, "rigid")};
        assert_string_equal(texts[0], solid);
        assert_string_equal(texts[1], grid);
        assert_string_equal(texts[2], rigid);
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
            free(texts[i]);
        expect_answer("m", PLAN, 3, 1);
        // the same content is no work, and what is used cannot go
        build("m", ROADMAP("3"), 200);
        EXPECT(service, 409, .route = ROUTE_WORLD_DELETE, .name = "w");
    }
    assert_same(&before);
    free(solid);
    free(grid);
    free(rigid);
    assert_int_equal(folder_count(path, "set-aside"), 0);
}

static void what_was_deleted_stays_away(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    kill_and_reopen();
    EXPECT(service, 404, .route = ROUTE_ROADMAP_GET, .name = "m");
    EXPECT(service, 204, .route = ROUTE_ROBOT_DELETE, .name = "r");
    EXPECT(service, 204, .route = ROUTE_WORLD_DELETE, .name = "w");
    kill_and_reopen();
    EXPECT(service, 404, .route = ROUTE_WORLD_GET, .name = "w");
    EXPECT(service, 404, .route = ROUTE_ROBOT_GET, .name = "r");
    // and nothing is left of it
    assert_int_equal(folder_count(path, "blobs"), 0);
}

static void only_what_is_ready_comes_back(void **state)
{
    (void)state;
    atomic_store(&fake_engine.build_status, PRM_NO_FREE_SPACE);
    EXPECT(service, 422, .route = ROUTE_ROADMAP_PUT, .name = "failed", .body = ROADMAP("1"),
           .wait_s = WAIT_S);
    atomic_store(&fake_engine.build_status, PRM_OK);
    build("m", ROADMAP("3"), 201);
    atomic_store(&fake_engine.step_us, 1000);
    atomic_store(&fake_engine.build_steps, 1000000);
    EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "building", .body = ROADMAP("1"));
    EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("4"));
    kill_and_reopen();
    EXPECT(service, 404, .route = ROUTE_ROADMAP_GET, .name = "failed");
    EXPECT(service, 404, .route = ROUTE_ROADMAP_GET, .name = "building");
    expect_answer("m", PLAN, 3, 1);
}

static void replaced_roadmaps_are_the_last(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    build("m", ROADMAP("4"), 200);
    kill_and_reopen();
    expect_answer("m", PLAN, 4, 1);
    // of the first only its world and robot are needed
    assert_int_equal(folder_count(path, "blobs"), 3);
}

static void changed_worlds_are_checked_again(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    build("n", ROADMAP("5"), 201);
    EXPECT(service, 200, .route = ROUTE_WORLD_PATCH, .name = "w",
           .body = "{\"put\":[" CIRCLE("b") "]}");
    const unsigned files = folder_count(path, "roadmaps");
    char *before = text_of(ROUTE_WORLD_GET, "w");
    kill_and_reopen();
    char *after = text_of(ROUTE_WORLD_GET, "w");
    assert_string_equal(after, before);
    assert_int_equal(folder_count(path, "roadmaps"), files);
    expect_answer("m", PLAN, 3, 2);
    expect_answer("n", PLAN, 5, 2);
    free(before);
    free(after);

    // a fault of that check leaves the roadmap failed, and what was saved of it in place
    atomic_store(&fake_engine.validity_status, PRM_DEVICE_MEMORY);
    kill_and_reopen();
    struct exchange *got = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    assert_string_equal(harness_string(got, "/state"), "failed");
    assert_string_equal(harness_string(got, "/last_error/code"), "device_memory");
    harness_free(got);
    atomic_store(&fake_engine.validity_status, PRM_OK);
    kill_and_reopen();
    expect_answer("m", PLAN, 3, 2);
}

static void stale_roadmaps_stay_stale(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    // what it answers for is the last world that fitted
    EXPECT(service, 200, .route = ROUTE_WORLD_PATCH, .name = "w",
           .body = "{\"put\":[" CIRCLE("b") "]}");
    EXPECT(service, 200, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD("20", ""));
    struct sight before = look();
    EXPECT(service, 409, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = PLAN);
    expect_answer("m", PLAN_STALE, 3, 2);
    kill_and_reopen();
    EXPECT(service, 409, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = PLAN);
    expect_answer("m", PLAN_STALE, 3, 2);
    assert_same(&before);

    // one that fits again
    EXPECT(service, 200, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD("10", ""));
    expect_answer("m", PLAN, 3, 0);
    kill_and_reopen();
    expect_answer("m", PLAN, 3, 0);
}

static void a_replaced_robot_stays_the_roadmap_s(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    EXPECT(service, 200, .route = ROUTE_ROBOT_PUT, .name = "r",
           .body = "{\"type\":\"ball\",\"radius\":0.25}");
    struct sight before = look();
    kill_and_reopen();
    assert_same(&before);
    expect_answer("m", PLAN, 3, 1);
}

static double revision_of(const char *name)
{
    struct exchange *got = SEND(service, 200, .route = ROUTE_WORLD_GET, .name = name);
    const double revision = harness_number(got, "/revision");
    harness_free(got);
    return revision;
}

static void revisions_are_never_used_again(void **state)
{
    (void)state;
    const double first = revision_of("w");
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "v", .body = WORLD("10", ""));
    const double second = revision_of("v");
    EXPECT(service, 204, .route = ROUTE_WORLD_DELETE, .name = "v");
    kill_and_reopen();
    assert_true(revision_of("w") == first);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "v", .body = WORLD("10", ""));
    const double third = revision_of("v");
    assert_true(third > second);
    reopen();
    assert_true(revision_of("v") == third);
    EXPECT(service, 200, .route = ROUTE_WORLD_PUT, .name = "v", .body = WORLD("11", ""));
    // an end in peace gives back what was reserved
    assert_true(revision_of("v") == third + 1);
}

/* ---- the disk is full ---- */

static const struct change {
    const char *what;
    struct request request;
    int status;
} CHANGES[] = {
    {"new world", {.route = ROUTE_WORLD_PUT, .name = "v", .body = WORLD("10", CIRCLE("x"))}, 201},
    {"world that roadmaps follow",
     {.route = ROUTE_WORLD_PATCH, .name = "w", .body = "{\"put\":[" CIRCLE("b") "]}"},
     200},
    {"world that roadmaps do not follow",
     {.route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD("30", "")},
     200},
    {"new robot",
     {.route = ROUTE_ROBOT_PUT, .name = "s", .body = "{\"type\":\"ball\",\"radius\":2}"},
     201},
    {"robot",
     {.route = ROUTE_ROBOT_PUT, .name = "r", .body = "{\"type\":\"ball\",\"radius\":1}"},
     200},
    {"roadmap",
     {.route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("9"), .wait_s = WAIT_S},
     200},
    {"deletion", {.route = ROUTE_ROADMAP_DELETE, .name = "n"}, 204},
};

/* What a failed build leaves beside: why, in a new revision. */
static void clear_failure(void)
{
    reopen();
}

/* Fails each system call of a change in turn, until none is left to fail. */
static unsigned fail_each(const struct change *change)
{
    for (unsigned at = 1;; at++) {
        struct sight before = look();
        set_fault(at, false);
        struct exchange *done = harness_start(service, &change->request);
        harness_wait(done);
        const int status = done->call.reply.status;
        char code[64];
        snprintf(code, sizeof(code), "%s", harness_string(done, "/code"));
        harness_free(done);
        harness_until_idle(service);
        set_fault(0, false);
        if (status == change->status) {
            forget(&before);
            return at - 1;
        }
        if (status != 507)
            fail_msg("%s: call %u: status %d", change->what, at, status);
        assert_string_equal(code, "disk_full");
        if (change->request.route == ROUTE_ROADMAP_PUT)
            clear_failure();
        assert_same(&before);
        struct sight as_seen = look();
        kill_and_reopen();
        assert_same(&as_seen);
    }
}

static void a_full_disk_changes_nothing(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    build("n", ROADMAP("5"), 201);
    reopen();
    for (size_t i = 0; i < sizeof(CHANGES) / sizeof(CHANGES[0]); i++) {
        const unsigned calls = fail_each(&CHANGES[i]);
        // at the least a record's file is written, or moved
        if (calls < 2)
            fail_msg("%s: %u calls can fail", CHANGES[i].what, calls);
        kill_and_reopen();
    }
    EXPECT(service, 404, .route = ROUTE_ROADMAP_GET, .name = "n");
    expect_answer("m", PLAN, 9, 0);
    EXPECT(service, 200, .route = ROUTE_WORLD_GET, .name = "v");
}

/* Of an archive's world and robot both are made or none. */
static void an_archive_is_saved_whole_or_not_at_all(void **state)
{
    (void)state;
    unsigned refused = 0;
    build("m", ROADMAP("3"), 201);
    struct exchange *archive = SEND(service, 200, .route = ROUTE_ROADMAP_ARCHIVE, .name = "m");
    const struct request put = {.route = ROUTE_ROADMAP_ARCHIVE_PUT,
                                .name = "n",
                                .body = archive->call.reply.body.data,
                                .body_bytes = archive->call.reply.body.length,
                                .content_type = "application/zip",
                                .parameters = {"world", "v", "robot", "s"}};
    for (unsigned at = 1, status = 507; status == 507; at++) {
        set_fault(at, false);
        struct exchange *done = harness_start(service, &put);
        harness_wait(done);
        status = (unsigned)done->call.reply.status;
        set_fault(0, false);
        if (status == 507) {
            assert_string_equal(harness_string(done, "/code"), "disk_full");
            refused++;
        } else {
            assert_int_equal(status, 202);
        }
        harness_free(done);
        // the build that follows may have met the fault in its turn
        harness_until_idle(service);
        for (int again = 0; again < 2; again++) {
            EXPECT(service, status == 507 ? 404 : 200, .route = ROUTE_WORLD_GET, .name = "v");
            EXPECT(service, status == 507 ? 404 : 200, .route = ROUTE_ROBOT_GET, .name = "s");
            if (status == 507)
                EXPECT(service, 404, .route = ROUTE_ROADMAP_GET, .name = "n");
            if (!again)
                kill_and_reopen();
        }
    }
    // the record of the world, and that of the robot behind it
    assert_true(refused >= 4);
    harness_free(archive);
}

/* ---- what comes while a change is being saved ---- */

/* A build past its last chance to be cancelled is not what a later PUT leaves behind, whether
 * others came between them or not. */
static void a_put_while_another_is_published_is_the_last(void **state)
{
    (void)state;
    for (int between = 0; between < 2; between++) {
        build("m", ROADMAP("3"), between ? 200 : 201);
        // behind the bytes comes the record
        hold("rename", 1);
        EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m",
               .body = between ? ROADMAP("8") : ROADMAP("4"));
        until_held();
        expect_answer("m", PLAN, 3, 1);
        if (between)
            EXPECT(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("5"));
        struct exchange *last = harness_start(
            service,
            &(const struct request){
                .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("3"), .wait_s = WAIT_S});
        hold(NULL, 0);
        harness_wait(last);
        assert_int_equal(last->call.reply.status, 200);
        harness_free(last);

        // one after the other is published: what was before has been now
        build("other", between ? ROADMAP("7") : ROADMAP("6"), between ? 200 : 201);
        expect_answer("m", PLAN, 3, 1);
        kill_and_reopen();
        expect_answer("m", PLAN, 3, 1);
    }
}

static void what_is_being_deleted_is_there_until_it_is_saved(void **state)
{
    (void)state;
    static const struct {
        enum route_id get, delete;
        const char *name;
    } CASES[] = {{ROUTE_ROADMAP_GET, ROUTE_ROADMAP_DELETE, "m"},
                 {ROUTE_WORLD_GET, ROUTE_WORLD_DELETE, "w"},
                 {ROUTE_ROBOT_GET, ROUTE_ROBOT_DELETE, "r"}};
    build("m", ROADMAP("3"), 201);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        hold("rename", 0);
        struct exchange *gone = harness_start(
            service, &(const struct request){.route = CASES[i].delete, .name = CASES[i].name});
        until_held();
        EXPECT(service, 200, .route = CASES[i].get, .name = CASES[i].name);
        // nothing begins to need what goes
        if (CASES[i].get == ROUTE_WORLD_GET)
            EXPECT(service, 503, .route = ROUTE_ROADMAP_PUT, .name = "n", .body = ROADMAP("4"));
        hold(NULL, 0);
        harness_wait(gone);
        assert_int_equal(gone->call.reply.status, 204);
        harness_free(gone);
        EXPECT(service, 404, .route = CASES[i].get, .name = CASES[i].name);
    }
    EXPECT(service, 404, .route = ROUTE_ROADMAP_GET, .name = "n");
}

static void a_build_that_fails_while_its_world_changes_is_told(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    hold("rename", 0);
    struct exchange *change = harness_start(
        service,
        &(const struct request){.route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD("10", "")});
    until_held();
    atomic_store(&fake_engine.build_status, PRM_NO_FREE_SPACE);
    build("m", ROADMAP("4"), 422);
    struct exchange *got = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    const double revision = harness_number(got, "/revision");
    assert_string_equal(harness_string(got, "/last_error/code"), "world_without_free_space");
    harness_free(got);

    // the swap is behind it
    hold(NULL, 0);
    harness_wait(change);
    assert_int_equal(change->call.reply.status, 200);
    harness_free(change);
    got = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    assert_true(harness_number(got, "/revision") > revision);
    assert_string_equal(harness_string(got, "/last_error/code"), "world_without_free_space");
    harness_free(got);
    expect_answer("m", PLAN, 3, 0);
}

static void a_new_roadmap_that_finds_no_room_has_failed(void **state)
{
    (void)state;
    for (unsigned at = 1, status = 507; status == 507; at++) {
        set_fault(at, false);
        struct exchange *done =
            SEND(service, 202, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("3"));
        char id[64];
        snprintf(id, sizeof(id), "%s", harness_string(done, "/id"));
        harness_free(done);
        harness_until_idle(service);
        set_fault(0, false);
        struct exchange *job = SEND(service, 200, .route = ROUTE_JOB_GET, .name = id);
        struct exchange *got = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
        if (strcmp(harness_string(job, "/state"), "failed") == 0) {
            assert_string_equal(harness_string(job, "/error/code"), "disk_full");
            assert_string_equal(harness_string(got, "/state"), "failed");
            assert_string_equal(harness_string(got, "/last_error/code"), "disk_full");
        } else {
            assert_string_equal(harness_string(job, "/state"), "succeeded");
            assert_string_equal(harness_string(got, "/state"), "ready");
            // bytes, then a record, at the least
            assert_true(at > 10);
            status = 0;
        }
        harness_free(job);
        harness_free(got);
        kill_and_reopen();
        EXPECT(service, status ? 404 : 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    }
    expect_answer("m", PLAN, 3, 1);
}

static void a_full_disk_is_no_reason_not_to_start(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    service_close(service);
    set_fault(1, true);
    service = harness_open_kept(NULL, open_blobs(path));
    expect_answer("m", PLAN, 3, 1);
    EXPECT(service, 507, .route = ROUTE_WORLD_PUT, .name = "v", .body = WORLD("10", ""));
    EXPECT(service, 507, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    expect_answer("m", PLAN, 3, 1);
    set_fault(0, false);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "v", .body = WORLD("10", ""));
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
}

/* ---- what cannot be read ---- */

/* Calls `spoil` with the bytes of each file of a part; what it changes is written. */
static void each_file(const char *part, bool (*spoil)(unsigned char *bytes, size_t *size))
{
    char folder[FOLDER_PATH_BYTES], file[FOLDER_PATH_BYTES];
    folder_path(folder, path, part, "");
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        size_t size = 0;
        if (entry->d_name[0] == '.')
            continue;
        folder_path(file, path, part, entry->d_name);
        unsigned char *bytes = file_read(file, &size);
        assert_non_null(bytes);
        if (spoil(bytes, &size))
            file_write(file, bytes, size);
        free(bytes);
    }
    closedir(stream);
}

static bool is_snapshot(const unsigned char *bytes)
{
    return strcmp(((const struct blob_file_head *)(const void *)bytes)->kind, "roadmap") == 0;
}

static bool flip_snapshot(unsigned char *bytes, size_t *size)
{
    bytes[*size - 1] ^= 1;
    return is_snapshot(bytes);
}

static bool cut(unsigned char *bytes, size_t *size)
{
    (void)bytes;
    *size /= 2;
    return true;
}

static bool make_newer(unsigned char *bytes, size_t *size)
{
    struct blob_file_head head;
    char check[FINGERPRINT_BYTES];
    (void)size;
    memcpy(&head, bytes, sizeof(head));
    head.version++;
    assert_true(fingerprint_of(check, &head, offsetof(struct blob_file_head, check)));
    memcpy(head.check, check, sizeof(head.check));
    memcpy(bytes, &head, sizeof(head));
    return true;
}

static bool make_snapshot_newer(unsigned char *bytes, size_t *size)
{
    return is_snapshot(bytes) && make_newer(bytes, size);
}

static void expect_failed(const char *name, const char *code)
{
    struct exchange *got = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = name);
    assert_string_equal(harness_string(got, "/state"), "failed");
    assert_string_equal(harness_string(got, "/last_error/code"), code);
    harness_free(got);
    EXPECT(service, 409, .route = ROUTE_ROADMAP_PLAN, .name = name, .body = PLAN);
}

/* Closes, spoils what was saved, opens. */
static void spoil(const char *part, bool (*how)(unsigned char *bytes, size_t *size))
{
    service_close(service);
    each_file(part, how);
    service = harness_open_kept(NULL, open_blobs(path));
}

static void a_damaged_roadmap_has_failed_and_can_be_built(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    spoil("blobs", flip_snapshot);
    expect_failed("m", "internal");
    assert_int_equal(folder_count(path, "set-aside"), 1);
    reopen();
    expect_failed("m", "internal");
    build("m", ROADMAP("3"), 201);
    reopen();
    expect_answer("m", PLAN, 3, 1);
}

/* The same bytes come again for those that were lost. */
static void a_damaged_roadmap_comes_back_from_its_archive(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    struct exchange *archive = SEND(service, 200, .route = ROUTE_ROADMAP_ARCHIVE, .name = "m");
    const struct text *zip = &archive->call.reply.body;
    const unsigned blobs = folder_count(path, "blobs");
    spoil("blobs", flip_snapshot);
    expect_failed("m", "internal");
    assert_int_equal(folder_count(path, "blobs"), blobs - 1);
    EXPECT(service, 201, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "m", .body = zip->data,
           .body_bytes = zip->length, .content_type = "application/zip", .wait_s = WAIT_S);
    harness_free(archive);
    expect_answer("m", PLAN, 3, 1);
    // were they others, this test would tell nothing
    assert_int_equal(folder_count(path, "blobs"), blobs);
    reopen();
    expect_answer("m", PLAN, 3, 1);
}

static void damaged_records_are_set_aside(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    spoil("roadmaps", cut);
    EXPECT(service, 404, .route = ROUTE_ROADMAP_GET, .name = "m");
    assert_int_equal(folder_count(path, "set-aside"), 1);
    spoil("worlds", cut);
    EXPECT(service, 404, .route = ROUTE_WORLD_GET, .name = "w");
    spoil("robots", cut);
    EXPECT(service, 404, .route = ROUTE_ROBOT_GET, .name = "r");
    spoil("service", cut);
    assert_int_equal(folder_count(path, "set-aside"), 4);
    put_basics();
    build("m", ROADMAP("3"), 201);
    reopen();
    expect_answer("m", PLAN, 3, 1);
    assert_true(revision_of("w") > 1e9);
}

static void another_version_is_incompatible(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    spoil("blobs", make_snapshot_newer);
    expect_failed("m", "incompatible");
    build("m", ROADMAP("3"), 201);

    // of its record too, of which nothing is known; nothing is removed then
    const unsigned blobs = folder_count(path, "blobs");
    spoil("roadmaps", make_newer);
    expect_failed("m", "incompatible");
    assert_int_equal(folder_count(path, "blobs"), blobs);
    assert_int_equal(folder_count(path, "set-aside"), 0);
    // it can be deleted, or built
    build("m", ROADMAP("3"), 201);
    reopen();
    expect_answer("m", PLAN, 3, 1);
    spoil("roadmaps", make_newer);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    reopen();
    EXPECT(service, 404, .route = ROUTE_ROADMAP_GET, .name = "m");
}

static void a_roadmap_that_finds_no_room_on_the_device_waits_for_another_start(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    atomic_store(&fake_engine.read_status, PRM_DEVICE_MEMORY);
    reopen();
    expect_failed("m", "device_memory");
    atomic_store(&fake_engine.read_status, PRM_INVALID_ARGUMENT);
    reopen();
    expect_failed("m", "incompatible");
    atomic_store(&fake_engine.read_status, PRM_OK);
    reopen();
    expect_answer("m", PLAN, 3, 1);
}

/* ---- loading ---- */

static void until_documents(void)
{
    for (int i = 0; i < 10000; i++) {
        struct exchange *got =
            harness_start(service, &(const struct request){.route = ROUTE_WORLD_GET, .name = "w"});
        harness_wait(got);
        const int status = got->call.reply.status;
        harness_free(got);
        if (status == 200)
            return;
        assert_int_equal(status, 503);
        test_pause_ms(1);
    }
    fail_msg("worlds are not loaded");
}

static void names_answer_when_they_are_loaded(void **state)
{
    (void)state;
    build("m", ROADMAP("3"), 201);
    service_close(service);
    // the device is busy, so that no roadmap is loaded
    atomic_store(&fake_engine.warm_up_held, true);
    service = harness_begin(NULL, open_blobs(path));
    until_documents();
    EXPECT(service, 503, .route = ROUTE_READYZ);
    struct exchange *got = SEND(service, 503, .route = ROUTE_ROADMAP_GET, .name = "m");
    assert_string_equal(harness_string(got, "/code"), "loading");
    assert_true(got->call.reply.retry_after_s > 0);
    harness_free(got);
    EXPECT(service, 503, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = PLAN);
    EXPECT(service, 503, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP("4"));
    EXPECT(service, 503, .route = ROUTE_ROADMAP_DELETE, .name = "m");
    EXPECT(service, 503, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD("10", ""));
    EXPECT(service, 503, .route = ROUTE_ROBOT_DELETE, .name = "r");
    EXPECT(service, 404, .route = ROUTE_ROADMAP_GET, .name = "other");
    atomic_store(&fake_engine.warm_up_held, false);
    harness_until_ready(service);
    expect_answer("m", PLAN, 3, 1);

    // an end while it loads loses nothing
    service_close(service);
    atomic_store(&fake_engine.warm_up_held, true);
    service = harness_begin(NULL, open_blobs(path));
    until_documents();
    service_drain(service);
    atomic_store(&fake_engine.warm_up_held, false);
    reopen();
    expect_answer("m", PLAN, 3, 1);
}

static void many_come_back(void **state)
{
    enum { MANY = 40 };
    char name[16], body[256];
    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "m%d", i);
        snprintf(body, sizeof(body),
                 "{\"world\":\"w\",\"robot\":\"r\",\"seed\":%d,\"samples\":{\"count\":50}}", i);
        build(name, body, 201);
    }
    kill_and_reopen();
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "m%d", i);
        expect_answer(name, PLAN, i, 1);
    }
    // worlds are resident once for all
    assert_int_equal(fake_engine_alive(), 2 * MANY + 1);
}

/* Queues that hold one are no obstacle to several that are loaded at once. */
static void short_queues_load_all(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    build("m", ROADMAP("3"), 201);
    build("n", ROADMAP("5"), 201);
    service_close(service);
    limits.queued_requests = 1;
    // both wait for the device
    atomic_store(&fake_engine.warm_up_held, true);
    service = harness_begin(&limits, open_blobs(path));
    until_documents();
    test_pause_ms(LOAD_MS);
    atomic_store(&fake_engine.warm_up_held, false);
    harness_until_ready(service);
    expect_answer("m", PLAN, 3, 1);
    expect_answer("n", PLAN, 5, 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everything_comes_back),
        TEST(what_was_deleted_stays_away),
        TEST(only_what_is_ready_comes_back),
        TEST(replaced_roadmaps_are_the_last),
        TEST(changed_worlds_are_checked_again),
        TEST(stale_roadmaps_stay_stale),
        TEST(a_replaced_robot_stays_the_roadmap_s),
        TEST(revisions_are_never_used_again),
        TEST(a_full_disk_changes_nothing),
        TEST(an_archive_is_saved_whole_or_not_at_all),
        TEST(a_put_while_another_is_published_is_the_last),
        TEST(what_is_being_deleted_is_there_until_it_is_saved),
        TEST(a_build_that_fails_while_its_world_changes_is_told),
        TEST(a_new_roadmap_that_finds_no_room_has_failed),
        TEST(a_full_disk_is_no_reason_not_to_start),
        TEST(a_damaged_roadmap_has_failed_and_can_be_built),
        TEST(a_damaged_roadmap_comes_back_from_its_archive),
        TEST(damaged_records_are_set_aside),
        TEST(another_version_is_incompatible),
        TEST(a_roadmap_that_finds_no_room_on_the_device_waits_for_another_start),
        TEST(names_answer_when_they_are_loaded),
        TEST(many_come_back),
        TEST(short_queues_load_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

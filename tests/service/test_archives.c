/* Goal: a roadmap goes from one service to another with all that it needs, under any names; what is
 * in the way, and what is not an archive, is refused and changes nothing. Method: archives of a
 * fake engine's roadmaps, taken apart and put together otherwise. Oracle: the answers of the
 * service they came from; the contract. */
#include "fake_engine.h"
#include "harness.h"
#include "schema/zip_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD(obstacles)                                                                           \
    "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":[" obstacles "]}"
#define CIRCLE(id) "{\"id\":\"" id "\",\"type\":\"circle\",\"center\":[5,5],\"radius\":1}"
#define ROADMAP                                                                                    \
    "{\"world\":\"w\",\"robot\":\"r\",\"seed\":3,\"samples\":{\"count\":50},\"allow\":[[\"body\"," \
    "\"a\"]]}"
#define PLAN "{\"queries\":[{\"start\":[1,1],\"goal\":[2,2]}]}"

enum { WAIT_S = 20 };

static const char ZIP[] = "application/zip";

/* Two services, one of which has a roadmap, and its archive. */
static struct service *from, *to;
static struct exchange *archive;

static int setup(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    fake_engine_reset();
    limits.worlds = limits.robots = 2;
    from = harness_open(NULL);
    to = harness_open(&limits);
    EXPECT(from, 201, .route = ROUTE_WORLD_PUT, .name = "w",
           .body = WORLD(CIRCLE("a") "," CIRCLE("c")));
    EXPECT(from, 201, .route = ROUTE_ROBOT_PUT, .name = "r",
           .body = "{\"type\":\"ball\",\"radius\":0.5}");
    EXPECT(from, 201, .route = ROUTE_ROADMAP_PUT, .name = "m", .body = ROADMAP, .wait_s = WAIT_S);
    archive = SEND(from, 200, .route = ROUTE_ROADMAP_ARCHIVE, .name = "m");
    assert_string_equal(archive->call.reply.content_type, ZIP);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    harness_free(archive);
    service_close(from);
    service_close(to);
    return fake_engine_alive() == 0 ? 0 : -1;
}

static const struct text *bytes(void)
{
    return &archive->call.reply.body;
}

static void expect_put(int status, const char *name, const struct text *zip)
{
    EXPECT(to, status, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = name, .body = zip->data,
           .body_bytes = zip->length, .content_type = ZIP, .wait_s = WAIT_S);
}

/* The code of the problem that a PUT meets. */
static void expect_problem(int status, const char *code, const struct text *zip)
{
    struct exchange *refused =
        SEND(to, status, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "m", .body = zip->data,
             .body_bytes = zip->length, .content_type = ZIP, .wait_s = WAIT_S);
    assert_string_equal(harness_string(refused, "/code"), code);
    harness_free(refused);
}

static void assert_equal_member(const struct exchange *a, const struct exchange *b,
                                const char *pointer)
{
    assert_string_equal(harness_string(a, pointer), harness_string(b, pointer));
    assert_true(*harness_string(a, pointer) != '\0');
}

static void another_service_takes_it(void **state)
{
    (void)state;
    expect_put(201, "n", bytes());
    struct exchange *ours = SEND(from, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    struct exchange *theirs = SEND(to, 200, .route = ROUTE_ROADMAP_GET, .name = "n");
    assert_equal_member(ours, theirs, "/digest");
    assert_equal_member(ours, theirs, "/fingerprint");
    assert_equal_member(ours, theirs, "/allow/0/1");
    harness_free(ours);
    harness_free(theirs);
    struct exchange *planned =
        SEND(to, 200, .route = ROUTE_ROADMAP_PLAN, .name = "n", .body = PLAN);
    assert_true(harness_number(planned, "/results/0/length") == 3);
    harness_free(planned);

    // the same again is no work, and what comes back is the same
    expect_put(200, "n", bytes());
    struct exchange *back = SEND(to, 200, .route = ROUTE_ROADMAP_ARCHIVE, .name = "n");
    assert_int_equal(back->call.reply.body.length, bytes()->length);
    harness_free(back);
    EXPECT(to, 409, .route = ROUTE_WORLD_DELETE, .name = "w");
}

static void by_a_job(void **state)
{
    (void)state;
    struct exchange *accepted =
        SEND(to, 202, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "n", .body = bytes()->data,
             .body_bytes = bytes()->length, .content_type = ZIP);
    assert_string_equal(harness_string(accepted, "/resource"), "roadmaps/n");
    harness_free(accepted);
    harness_until(to, "n", "ready");
}

/* What the archive was made in may have changed since it was built: it says so all the same. */
static void of_a_changed_world(void **state)
{
    (void)state;
    EXPECT(from, 200, .route = ROUTE_WORLD_PATCH, .name = "w",
           .body = "{\"put\":[" CIRCLE("b") "]}");
    struct exchange *changed = SEND(from, 200, .route = ROUTE_ROADMAP_ARCHIVE, .name = "m");
    expect_put(201, "n", &changed->call.reply.body);
    harness_free(changed);
    struct exchange *ours = SEND(from, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    struct exchange *theirs = SEND(to, 200, .route = ROUTE_ROADMAP_GET, .name = "n");
    assert_equal_member(ours, theirs, "/fingerprint");
    harness_free(ours);
    harness_free(theirs);
    // and the first archive's world is another now
    expect_problem(409, "incompatible", bytes());
}

static void under_other_names(void **state)
{
    (void)state;
    EXPECT(to, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD(""));
    EXPECT(to, 201, .route = ROUTE_ROBOT_PUT, .name = "r", .body = "{\"type\":\"point\"}");
    struct exchange *refused =
        SEND(to, 409, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "m", .body = bytes()->data,
             .body_bytes = bytes()->length, .content_type = ZIP);
    assert_non_null(strstr(harness_string(refused, "/errors/0/detail"), "world \"w\""));
    assert_non_null(strstr(harness_string(refused, "/errors/1/detail"), "robot \"r\""));
    harness_free(refused);
    EXPECT(to, 422, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "m", .body = bytes()->data,
           .body_bytes = bytes()->length, .content_type = ZIP, .parameters = {"world", "a/b"});
    EXPECT(to, 404, .route = ROUTE_ROADMAP_GET, .name = "m");

    EXPECT(to, 201, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "m", .body = bytes()->data,
           .body_bytes = bytes()->length, .content_type = ZIP, .wait_s = WAIT_S,
           .parameters = {"world", "v", "robot", "s"});
    struct exchange *got = SEND(to, 200, .route = ROUTE_ROADMAP_GET, .name = "m");
    assert_string_equal(harness_string(got, "/world"), "v");
    assert_string_equal(harness_string(got, "/robot"), "s");
    harness_free(got);
    // there is no room for more worlds and robots
    struct exchange *full = SEND(to, 422, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "n",
                                 .body = bytes()->data, .body_bytes = bytes()->length,
                                 .content_type = ZIP, .parameters = {"world", "x", "robot", "y"});
    assert_string_equal(harness_string(full, "/code"), "limit_exceeded");
    harness_free(full);
}

static void conditions_hold(void **state)
{
    (void)state;
    expect_put(201, "m", bytes());
    EXPECT(to, 412, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "m", .body = bytes()->data,
           .body_bytes = bytes()->length, .content_type = ZIP, .if_none_match = "*");
    EXPECT(to, 422, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "no/name", .body = bytes()->data,
           .body_bytes = bytes()->length, .content_type = ZIP);
    EXPECT(to, 404, .route = ROUTE_ROADMAP_ARCHIVE, .name = "nobody");
}

/* Neither world nor robot are made for a roadmap that is refused. */
static void a_refused_roadmap_leaves_nothing(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    limits.roadmaps = 1;
    service_close(to);
    to = harness_open(&limits);
    EXPECT(to, 412, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "m", .body = bytes()->data,
           .body_bytes = bytes()->length, .content_type = ZIP, .if_match = "\"1\"");
    EXPECT(to, 404, .route = ROUTE_WORLD_GET, .name = "w");
    EXPECT(to, 404, .route = ROUTE_ROBOT_GET, .name = "r");

    // conditions on one that is there, and the number of roadmaps; of its world another name
    expect_put(201, "m", bytes());
    EXPECT(to, 412, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "m", .body = bytes()->data,
           .body_bytes = bytes()->length, .content_type = ZIP, .if_none_match = "*",
           .parameters = {"world", "v", "robot", "s"});
    EXPECT(to, 422, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "n", .body = bytes()->data,
           .body_bytes = bytes()->length, .content_type = ZIP,
           .parameters = {"world", "v", "robot", "s"});
    EXPECT(to, 404, .route = ROUTE_WORLD_GET, .name = "v");
    EXPECT(to, 404, .route = ROUTE_ROBOT_GET, .name = "s");
}

/* Nor where the roadmap finds no place in the queue. */
static void a_full_queue_leaves_nothing(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    limits.jobs = 1;
    service_close(to);
    to = harness_open(&limits);
    EXPECT(to, 201, .route = ROUTE_WORLD_PUT, .name = "v", .body = WORLD(""));
    EXPECT(to, 201, .route = ROUTE_ROBOT_PUT, .name = "s", .body = "{\"type\":\"point\"}");
    atomic_store(&fake_engine.step_us, 1000);
    atomic_store(&fake_engine.build_steps, 1000000);
    EXPECT(to, 202, .route = ROUTE_ROADMAP_PUT, .name = "other",
           .body = "{\"world\":\"v\",\"robot\":\"s\",\"samples\":{\"count\":50}}");
    expect_problem(503, "overloaded", bytes());
    EXPECT(to, 404, .route = ROUTE_WORLD_GET, .name = "w");
    EXPECT(to, 404, .route = ROUTE_ROBOT_GET, .name = "r");
    EXPECT(to, 404, .route = ROUTE_ROADMAP_GET, .name = "m");
    EXPECT(to, 204, .route = ROUTE_ROADMAP_DELETE, .name = "other");
}

/* Puts the archive together again with one file's content replaced, or left out (NULL). */
static struct text replace(const char *name, const char *content)
{
    static const struct zip_rules ANY = {"", ""};
    const struct limits limits = limits_default();
    struct problem problem = {0};
    struct zip_files files;
    struct zip_item items[4];
    struct text out = {0};
    unsigned count = 0;
    assert_true(zip_files_read(&files, bytes()->data, bytes()->length, &ANY, &limits, &problem));
    assert_int_equal(files.count, 4);
    for (unsigned i = 0; i < files.count; i++) {
        const struct zip_member *member = &files.members[i];
        const bool is_it = strcmp(member->name, name) == 0;
        if (is_it && !content)
            continue;
        items[count] = (struct zip_item){member->name, {{member->data, member->bytes}}};
        if (is_it)
            items[count].pieces[0] = (struct zip_piece){content, strlen(content)};
        count++;
    }
    zip_files_write(items, count, &out);
    assert_false(out.failed);
    zip_files_deinit(&files);
    return out;
}

static void what_is_no_archive_is_refused(void **state)
{
#define BUILT_IN "\"built_in\":\"0000000000000000000000000000000000000000000000000000000000000000\""
    static const struct {
        const char *file, *content;
        int status;
        const char *code;
    } CASES[] = {
        {"world.json", NULL, 422, "invalid_argument"},
        {"world.json", "{", 400, "malformed"},
        {"world.json", "{\"dimension\":4}", 422, "invalid_argument"},
        {"robot.json", NULL, 422, "invalid_argument"},
        {"robot.json", "{\"type\":\"snake\"}", 422, "invalid_argument"},
        {"roadmap.json", NULL, 422, "invalid_argument"},
        {"roadmap.json", "no", 400, "malformed"},
        {"roadmap.json", "{\"format\":1}", 422, "invalid_argument"},
        {"roadmap.json", "{\"format\":2," BUILT_IN ",\"document\":{}}", 409, "incompatible"},
        {"roadmap.json", "{\"format\":1," BUILT_IN ",\"document\":{}}", 422, "invalid_argument"},
        {"roadmap.json",
         "{\"format\":1," BUILT_IN ",\"document\":{\"world\":\"w\",\"robot\":\"r\",\"seed\":4,"
         "\"samples\":{\"count\":50}}}",
         422, "invalid_argument"},
        // the bytes allow another pair, as many as the document
        {"roadmap.json",
         "{\"format\":1," BUILT_IN ",\"document\":{\"world\":\"w\",\"robot\":\"r\",\"seed\":3,"
         "\"samples\":{\"count\":50},\"allow\":[[\"body\",\"c\"]]}}",
         422, "invalid_argument"},
        {"roadmap.json",
         "{\"format\":1," BUILT_IN ",\"document\":{\"world\":\"w\",\"robot\":\"r\",\"seed\":3,"
         "\"samples\":{\"count\":50},\"allow\":[[\"body\",\"a\"]],"
         "\"edges\":{\"check\":\"sampled\"}}}",
         422, "invalid_argument"},
        // a pair of no obstacle, before anything is made
        {"roadmap.json",
         "{\"format\":1," BUILT_IN ",\"document\":{\"world\":\"w\",\"robot\":\"r\",\"seed\":3,"
         "\"samples\":{\"count\":50},\"allow\":[[\"body\",\"b\"]]}}",
         422, "unknown_reference"},
        {"roadmap.bin", NULL, 422, "invalid_argument"},
        {"roadmap.bin", "anything", 409, "incompatible"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct text zip = replace(CASES[i].file, CASES[i].content);
        expect_problem(CASES[i].status, CASES[i].code, &zip);
        text_deinit(&zip);
    }
    for (size_t length = 0; length < bytes()->length; length += 1 + length / 4) {
        const struct text cut = {.data = bytes()->data, .length = length};
        struct exchange *refused =
            SEND(to, 400, .route = ROUTE_ROADMAP_ARCHIVE_PUT, .name = "m", .body = cut.data,
                 .body_bytes = cut.length, .content_type = ZIP);
        harness_free(refused);
    }
}

/* A roadmap that finds no room has failed; world and robot are there. */
static void a_failure_is_the_roadmap_s(void **state)
{
    (void)state;
    atomic_store(&fake_engine.read_status, PRM_DEVICE_MEMORY);
    expect_problem(507, "device_memory", bytes());
    EXPECT(to, 200, .route = ROUTE_WORLD_GET, .name = "w");
    atomic_store(&fake_engine.read_status, PRM_OK);
    atomic_store(&fake_engine.validity_status, PRM_DEVICE_MEMORY);
    expect_problem(507, "device_memory", bytes());
    atomic_store(&fake_engine.validity_status, PRM_OK);
    expect_put(201, "m", bytes());
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(another_service_takes_it),
        TEST(by_a_job),
        TEST(of_a_changed_world),
        TEST(under_other_names),
        TEST(conditions_hold),
        TEST(a_refused_roadmap_leaves_nothing),
        TEST(a_full_queue_leaves_nothing),
        TEST(what_is_no_archive_is_refused),
        TEST(a_failure_is_the_roadmap_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

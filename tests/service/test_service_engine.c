/* Goal: the service over the real engine: a world and a robot go in, answers come out, a change of
 * the world is seen, pictures are drawn, and building and deleting leaves no memory. Method: calls
 * in-process. Oracle: answers known beforehand; resident memory and device bytes at the start.
 * PRM_ROUNDS: builds and deletions (default 100). */
#include "harness.h"

#include "service/metrics/process.h"
#include "support/pause.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD2                                                                                     \
    "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":["                  \
    "{\"id\":\"low\",\"type\":\"rectangle\",\"center\":[5,2.25],\"size\":[0.2,4.5]},"              \
    "{\"id\":\"high\",\"type\":\"rectangle\",\"center\":[5,7.75],\"size\":[0.2,4.5]},"             \
    "{\"id\":\"door\",\"type\":\"rectangle\",\"center\":[5,5],\"size\":[0.2,1.2],"                 \
    "\"dynamic\":true,\"enabled\":false}]}"
#define WORLD3                                                                                     \
    "{\"dimension\":3,\"bounds\":{\"min\":[0,0,0],\"max\":[10,10,10]},\"obstacles\":["             \
    "{\"id\":\"ball\",\"type\":\"sphere\",\"center\":[5,5,5],\"radius\":2},"                       \
    "{\"id\":\"box\",\"type\":\"box\",\"center\":[2,7,3],\"size\":[1,2,3],\"rpy\":[0,0,0.5]},"     \
    "{\"id\":\"post\",\"type\":\"cylinder\",\"center\":[8,2,5],\"radius\":0.5,\"length\":10},"     \
    "{\"id\":\"pill\",\"type\":\"capsule\",\"center\":[8,8,5],\"radius\":0.5,\"length\":3}]}"
#define MAP "type octile\nheight 4\nwidth 5\nmap\n.....\n.@@@.\n.T...\n.....\n"

enum { WAIT_S = 100 };

static struct service *service;

static int setup(void **state)
{
    (void)state;
    service = harness_open(NULL);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "flat", .body = WORLD2);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "solid", .body = WORLD3);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "map", .body = MAP,
           .parameters = {"format", "movingai"});
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "point", .body = "{\"type\":\"point\"}");
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "ball",
           .body = "{\"type\":\"ball\",\"radius\":0.1}");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    service_close(service);
    return 0;
}

static void build(const char *name, const char *body)
{
    EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = name, .body = body, .wait_s = WAIT_S);
}

static void expect_status(const char *name, const char *body, const char *status)
{
    struct exchange *planned =
        SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = name, .body = body);
    assert_string_equal(harness_string(planned, "/results/0/status"), status);
    harness_free(planned);
}

static void a_door_opens_and_shuts(void **state)
{
    (void)state;
    static const char QUERY[] = "{\"queries\":[{\"start\":[1,5],\"goal\":[9,5]}]}";
    build("flat", "{\"world\":\"flat\",\"robot\":\"ball\",\"samples\":{\"count\":2000}}");
    expect_status("flat", QUERY, "solved");
    struct exchange *shut = SEND(service, 200, .route = ROUTE_WORLD_PATCH, .name = "flat",
                                 .body = "{\"set\":[{\"id\":\"door\",\"enabled\":true}]}");
    assert_string_equal(harness_string(shut, "/roadmaps/0/name"), "flat");
    assert_true(harness_number(shut, "/roadmaps/0/edges_off") > 0);
    expect_status("flat", QUERY, "no_path");
    struct exchange *opened = SEND(service, 200, .route = ROUTE_WORLD_PATCH, .name = "flat",
                                   .body = "{\"set\":[{\"id\":\"door\",\"enabled\":false}]}");
    assert_true(harness_number(opened, "/roadmaps/0/edges_on") ==
                harness_number(shut, "/roadmaps/0/edges_off"));
    expect_status("flat", QUERY, "solved");
    harness_free(shut);
    harness_free(opened);

    struct exchange *reason = SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "flat",
                                   .body = "{\"queries\":[{\"start\":[5,2],\"goal\":[9,5]}]}");
    assert_string_equal(harness_string(reason, "/results/0/status"), "start_in_collision");
    assert_string_equal(harness_string(reason, "/results/0/reason/obstacle"), "low");
    harness_free(reason);
}

/* Anchors are milestones, methods mix, and what may touch may be gone through. */
static void anchors_mixes_and_what_may_touch(void **state)
{
    (void)state;
    static const char QUERY[] =
        "{\"queries\":[{\"start\":[5,2],\"goal\":[9,2]}],\"simplify\":false,\"output\":\"nodes\"}";
    static const struct {
        const char *lists, *code, *pointer;
    } BAD[] = {
        {"\"anchors\":[[1,1],[2]]", "invalid_argument", "/anchors/1"},
        {"\"anchors\":[{\"x\":1,\"z\":1}]", "invalid_argument", "/anchors/0"},
        {"\"anchors\":[{\"x\":1,\"y\":1,\"z\":1}]", "invalid_argument", "/anchors/0"},
        {"\"anchors\":[[1,1],[5,2]]", "invalid_argument", "/anchors/1"},
        {"\"anchors\":[[1,1],[1,1],[1,11]]", "invalid_argument", "/anchors/2"},
        {"\"allow\":[[\"hand\",\"low\"]]", "unknown_reference", "/allow/0/0"},
        {"\"allow\":[[\"body\",\"high\"],[\"body\",\"lo\"]]", "unknown_reference", "/allow/1/1"},
    };
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "touched", .body = WORLD2);
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        char body[256];
        snprintf(body, sizeof(body),
                 "{\"world\":\"touched\",\"robot\":\"ball\",\"samples\":{\"count\":50},%s}",
                 BAD[i].lists);
        struct exchange *refused = SEND(service, 422, .route = ROUTE_ROADMAP_PUT, .name = "bad",
                                        .body = body, .wait_s = WAIT_S);
        assert_string_equal(harness_string(refused, "/code"), BAD[i].code);
        assert_string_equal(harness_string(refused, "/pointer"), BAD[i].pointer);
        harness_free(refused);
    }

    build("touching",
          "{\"world\":\"touched\",\"robot\":\"ball\",\"samples\":{\"count\":500,\"method\":"
          "{\"uniform\":1,\"bridge\":1},\"anchor_share\":0.2},\"allow\":[[\"body\",\"low\"]],"
          "\"anchors\":[[5,2],{\"y\":2,\"x\":9}]}");
    struct exchange *got = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "touching");
    assert_true(harness_number(got, "/statistics/milestones") == 500);
    assert_true(harness_number(got, "/statistics/samples/anchors/kept") == 100);
    assert_true(harness_number(got, "/statistics/samples/bridge/wanted") == 199);
    assert_true(harness_number(got, "/anchors/1/x") == 9);
    harness_free(got);

    // start and goal are the anchors themselves, and the way is through what may be touched
    struct exchange *planned =
        SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "touching", .body = QUERY);
    assert_string_equal(harness_string(planned, "/results/0/status"), "solved");
    assert_true(harness_number(planned, "/results/0/nodes/0") == 0);
    assert_true(harness_number(planned, "/results/0/length") < 6);
    harness_free(planned);

    // where that obstacle is no more, what was said of it has no meaning
    EXPECT(service, 200, .route = ROUTE_WORLD_PATCH, .name = "touched",
           .body = "{\"remove\":[\"low\"]}");
    struct exchange *stale = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "touching");
    assert_string_equal(harness_string(stale, "/state"), "stale");
    harness_free(stale);
}

static void a_map_as_a_lattice(void **state)
{
    (void)state;
    build("map", "{\"world\":\"map\",\"robot\":\"point\",\"samples\":{\"method\":\"lattice\"},"
                 "\"neighbors\":{\"k\":8,\"radius\":1.5}}");
    struct exchange *got = SEND(service, 200, .route = ROUTE_ROADMAP_GET, .name = "map");
    assert_true(harness_number(got, "/statistics/milestones") == 16);
    harness_free(got);

    // around the wall: from (1,0) to (1,2), counted from the top, by the free column 0
    struct exchange *planned =
        SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "map",
             .body = "{\"queries\":[{\"start\":[0.5,3.5],\"goal\":[2.5,1.5]}],"
                     "\"simplify\":false}");
    assert_string_equal(harness_string(planned, "/results/0/status"), "solved");
    harness_free(planned);
}

static void pictures_are_well_formed(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body, *start, *goal;
    } CASES[] = {
        {"flat2", "{\"world\":\"flat\",\"robot\":\"point\",\"samples\":{\"count\":300}}", "1,1",
         "9,9"},
        {"solid", "{\"world\":\"solid\",\"robot\":\"ball\",\"samples\":{\"count\":300}}", "1,1,1",
         "9,9,9"},
        {"map2", "{\"world\":\"map\",\"robot\":\"point\",\"samples\":{\"count\":100}}", "0.5,0.5",
         "4.5,3.5"},
    };
    for (unsigned i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        build(CASES[i].name, CASES[i].body);
        struct exchange *drawn =
            SEND(service, 200, .route = ROUTE_ROADMAP_PICTURE, .name = CASES[i].name,
                 .parameters = {"start", CASES[i].start, "goal", CASES[i].goal});
        struct text *svg = &drawn->call.reply.body;
        text_append(svg, "", 1);
        assert_non_null(strstr(svg->data, "<title>"));
        assert_non_null(strstr(svg->data, "class=\"path\""));
        assert_null(strstr(svg->data, "nan"));
        assert_null(strstr(svg->data, "inf"));
        if (getenv("PRM_TEST_PICTURES")) {
            char path[512];
            snprintf(path, sizeof(path), "%s/%s.svg", getenv("PRM_TEST_PICTURES"), CASES[i].name);
            FILE *file = fopen(path, "wb");
            assert_non_null(file);
            fwrite(svg->data, 1, svg->length - 1, file);
            fclose(file);
        }
        harness_free(drawn);
    }
}

/* The value behind `text` in the metrics; 0: it is not there. */
static double metric(const char *text)
{
    struct exchange *got = SEND(service, 200, .route = ROUTE_METRICS);
    text_append(&got->call.reply.body, "", 1);
    const char *at = strstr(got->call.reply.body.data, text);
    const double value = at ? atof(at + strlen(text)) : 0;
    harness_free(got);
    return value;
}

/* Bytes of resident device memory. */
static double device_bytes(void)
{
    return metric("use=\"resident\"} ");
}

/* Roadmaps that have got landmarks so far. */
static double refined(void)
{
    return metric("prmd_stage_duration_seconds_count{stage=\"landmarks\"} ");
}

/* ---- many at once ---- */

enum { REQUESTS = 48, BODY_BYTES = 1024 };

/* Request `i` of a kind of its own: some queries in the open, into obstacles, out of the world,
 * into a closed room, where trees must look for a way. */
static void write_request(char *body, unsigned i)
{
    static const char *const OPTIONS[] = {"", ",\"output\":\"nodes\"", ",\"simplify\":false",
                                          ",\"objective\":\"hops\",\"interpolate\":0.3",
                                          ",\"connect\":{\"radius\":0.2},\"diagnose\":true"};
    int length = snprintf(body, BODY_BYTES, "{\"queries\":[");
    for (unsigned q = 0; q <= i % 4; q++) {
        const double along = (7 * i + 3 * q) % 31 / 30.0;
        const double x = (i + q) % 7 == 3 ? 5 : (i + q) % 11 == 5 ? 11 : 0.5 + 4 * along;
        length +=
            snprintf(body + length, (size_t)(BODY_BYTES - length),
                     "%s{\"id\":%u,\"start\":[%.3f,%.3f],\"goal\":[%.3f,%.3f]}", q > 0 ? "," : "",
                     100 * i + q, x, 1 + 8 * along, 9.5 - 4 * along, 9 - 3 * along);
    }
    snprintf(body + length, (size_t)(BODY_BYTES - length), "]%s}", OPTIONS[i % 5]);
}

/* All of an answer but its times, malloc'ed. */
static char *without_times(const struct exchange *exchange)
{
    const struct text *text = &exchange->call.reply.body;
    char *copy = calloc(text->length + 1, 1);
    assert_non_null(copy);
    memcpy(copy, text->data, text->length);
    char *times = strstr(copy, "\"timing_ms\"");
    assert_non_null(times);
    *times = '\0';
    return copy;
}

/* Whatever they share a batch with, requests have the answers that they have alone. */
static void many_at_once_as_alone(void **state)
{
    (void)state;
    static char bodies[REQUESTS][BODY_BYTES];
    char *alone[REQUESTS];
    struct exchange *together[REQUESTS];
    build("many", "{\"world\":\"flat\",\"robot\":\"ball\",\"samples\":{\"count\":400}}");
    for (unsigned i = 0; i < REQUESTS; i++) {
        write_request(bodies[i], i);
        struct exchange *planned =
            SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "many", .body = bodies[i]);
        alone[i] = without_times(planned);
        harness_free(planned);
    }
    // other orders, other batches
    static const unsigned STRIDES[] = {1, 5, 7, 11}; // prime to the number of requests
    for (unsigned round = 0; round < sizeof STRIDES / sizeof STRIDES[0]; round++) {
        for (unsigned i = 0; i < REQUESTS; i++) {
            const unsigned at = i * STRIDES[round] % REQUESTS;
            together[at] = harness_start(
                service,
                &(struct request){.route = ROUTE_ROADMAP_PLAN, .name = "many", .body = bodies[at]});
        }
        for (unsigned i = 0; i < REQUESTS; i++) {
            harness_wait(together[i]);
            assert_int_equal(together[i]->call.reply.status, 200);
            char *answer = without_times(together[i]);
            assert_string_equal(answer, alone[i]);
            free(answer);
            harness_free(together[i]);
        }
    }
    for (unsigned i = 0; i < REQUESTS; i++)
        free(alone[i]);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "many");
}

/* Waits until so many have, at most ten seconds. */
static void until_refined(double count)
{
    for (int i = 0; i < 5000 && refined() < count; i++)
        test_pause_ms(2);
    assert_true(refined() >= count);
}

/* Waits until what the tests before have built is refined: nothing has been for a while. */
static void until_all_refined(void)
{
    double before;
    do {
        before = refined();
        test_pause_ms(200);
    } while (refined() != before);
}

enum { ASKED = 40 };

/* The lengths of paths between places all over the world; NaN where there is none. */
static void plan_lengths(double *lengths)
{
    struct text body = {0};
    text_print(&body, "{\"queries\":[");
    for (int q = 0; q < ASKED; q++)
        text_print(&body, "%s{\"start\":[%g,%g],\"goal\":[%g,%g]}", q ? "," : "", 0.3 + 0.24 * q,
                   9.7 - 0.2 * q, 0.4 + (q * 7 % ASKED) * 0.23, 9.6 - 0.23 * q);
    text_print(&body, "]}");
    text_append(&body, "", 1);
    struct exchange *planned =
        SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "doors", .body = body.data);
    for (int q = 0; q < ASKED; q++) {
        char pointer[64];
        snprintf(pointer, sizeof(pointer), "/results/%d/length", q);
        lengths[q] = harness_number(planned, pointer);
    }
    harness_free(planned);
    text_deinit(&body);
}

static unsigned compare_lengths(const double *expected)
{
    double lengths[ASKED];
    unsigned solved = 0;
    plan_lengths(lengths);
    for (int q = 0; q < ASKED; q++) {
        assert_true(lengths[q] == expected[q] || (isnan(lengths[q]) && isnan(expected[q])));
        solved += isnan(lengths[q]) ? 0 : 1;
    }
    return solved;
}

static void set_door(const char *enabled)
{
    char body[128];
    snprintf(body, sizeof(body), "{\"set\":[{\"id\":\"door\",\"enabled\":%s}]}", enabled);
    EXPECT(service, 200, .route = ROUTE_WORLD_PATCH, .name = "doors", .body = body);
}

static void answers_stay_when_refined(void **state)
{
    (void)state;
    double open[ASKED], shut[ASKED], count;
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "doors", .body = WORLD2);
    until_all_refined();
    count = refined();
    build("doors", "{\"world\":\"doors\",\"robot\":\"ball\",\"samples\":{\"count\":5000}}");
    plan_lengths(open);
    until_refined(count + 1);
    assert_true(compare_lengths(open) > ASKED / 2);

    // a door that shuts leaves the landmarks as good as they were
    set_door("true");
    plan_lengths(shut);
    set_door("false");
    compare_lengths(open);
    assert_true(refined() == count + 1);

    // a roadmap built with the door shut needs others when it opens
    set_door("true");
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "doors");
    build("doors", "{\"world\":\"doors\",\"robot\":\"ball\",\"samples\":{\"count\":5000}}");
    assert_true(compare_lengths(shut) > 0);
    until_refined(count + 2);
    compare_lengths(shut);
    set_door("false");
    compare_lengths(open);
    until_refined(count + 3);
    compare_lengths(open);
}

static void round_of(unsigned seed)
{
    char body[256];
    snprintf(body, sizeof(body),
             "{\"world\":\"flat\",\"robot\":\"ball\",\"seed\":%u,\"samples\":{\"count\":300}}",
             seed);
    build("round", body);
    EXPECT(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "round",
           .body = "{\"queries\":[{\"start\":[1,1],\"goal\":[1,9]}]}");
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "round");
}

static void rounds_leave_no_memory(void **state)
{
    (void)state;
    const char *asked = getenv("PRM_ROUNDS");
    const unsigned rounds = asked ? (unsigned)atoi(asked) : 100;
    const unsigned first = rounds / 2 > 300 ? 300 : rounds / 2;
    unsigned seed = 1;
    until_all_refined();
    const double device_before = device_bytes();
    for (unsigned i = 0; i < first; i++)
        round_of(seed++);
    const double before = process_look().resident_bytes;
    for (unsigned i = 0; i < rounds; i++)
        round_of(seed++);
    const double after = process_look().resident_bytes;
    printf("%u rounds: resident %.0f -> %.0f KiB\n", rounds, before / 1024, after / 1024);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    assert_true(after < 1.02 * before + 256 * 1024);
#endif

    // the device thread frees a little later
    for (int i = 0; i < 1000 && device_bytes() > device_before; i++)
        test_pause_ms(2);
    assert_true(device_bytes() == device_before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_door_opens_and_shuts),
        cmocka_unit_test(a_map_as_a_lattice),
        cmocka_unit_test(anchors_mixes_and_what_may_touch),
        cmocka_unit_test(pictures_are_well_formed),
        cmocka_unit_test(many_at_once_as_alone),
        cmocka_unit_test(answers_stay_when_refined),
        cmocka_unit_test(rounds_leave_no_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* Goal: a request with obstacles of its own is answered as in a world that has them, to the last
 * bit, for every kind of robot, on lattices, with trees and in pictures; ignoring a dynamic
 * obstacle is a world where it is disabled; a pair that may touch still may when the obstacle is
 * replaced; nothing else changes, whatever comes at the same time; what is wrong is named; no
 * memory stays. Method: calls in-process. Oracle: the same world patched for everybody, then
 * patched back. */
#include "harness.h"

#include "support/pause.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLAT                                                                                       \
    "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":["                  \
    "{\"id\":\"low\",\"type\":\"rectangle\",\"center\":[5,2.25],\"size\":[0.2,4.5]},"              \
    "{\"id\":\"high\",\"type\":\"rectangle\",\"center\":[5,7.75],\"size\":[0.2,4.5]},"             \
    "{\"id\":\"door\",\"type\":\"rectangle\",\"center\":[5,5],\"size\":[0.2,1.2],"                 \
    "\"dynamic\":true}]}"
#define SOLID                                                                                      \
    "{\"dimension\":3,\"bounds\":{\"min\":[0,0,0],\"max\":[10,10,10]},\"obstacles\":["             \
    "{\"id\":\"ball\",\"type\":\"sphere\",\"center\":[5,5,5],\"radius\":2},"                       \
    "{\"id\":\"box\",\"type\":\"box\",\"center\":[2,7,3],\"size\":[1,2,3],\"rpy\":[0,0,0.5],"      \
    "\"dynamic\":true}]}"
#define MAP                                                                                        \
    "{\"dimension\":2,\"grid\":{\"width\":8,\"height\":6,\"rows\":[\"........\",\"..@@....\","     \
    "\"...@....\",\"........\",\"....@@..\",\"........\"]},\"obstacles\":["                        \
    "{\"id\":\"crate\",\"type\":\"circle\",\"center\":[6.5,4.5],\"radius\":0.3,"                   \
    "\"dynamic\":true}]}"
#define ARM                                                                                        \
    "{\"type\":\"arm\",\"base\":{\"xyz\":[5,1.5,5]},\"joints\":["                                  \
    "{\"name\":\"a\",\"type\":\"revolute\",\"parent\":\"base\",\"child\":\"l1\",\"axis\":[0,0,1]," \
    "\"lower\":-3,\"upper\":3},"                                                                   \
    "{\"name\":\"b\",\"type\":\"revolute\",\"parent\":\"l1\",\"child\":\"l2\","                    \
    "\"origin\":{\"xyz\":[1.5,0,0]},\"axis\":[0,1,0],\"lower\":-2,\"upper\":2},"                   \
    "{\"name\":\"c\",\"type\":\"continuous\",\"parent\":\"l2\",\"child\":\"l3\","                  \
    "\"origin\":{\"xyz\":[1.5,0,0]},\"axis\":[0,1,0],\"lower\":-2,\"upper\":2}],"                  \
    "\"links\":[{\"name\":\"base\",\"spheres\":[]},"                                               \
    "{\"name\":\"l1\",\"spheres\":[{\"center\":[0.75,0,0],\"radius\":0.3}]},"                      \
    "{\"name\":\"l2\",\"spheres\":[{\"center\":[0.75,0,0],\"radius\":0.3}]},"                      \
    "{\"name\":\"l3\",\"spheres\":[{\"center\":[0.5,0,0],\"radius\":0.2},"                         \
    "{\"center\":[1,0,0],\"radius\":0.2}]}]}"

enum { WAIT_S = 100, BODY_BYTES = 4096, TOGETHER = 12, MANY = 60 };

static struct service *service;

static int setup(void **state)
{
    struct limits limits = limits_default();
    (void)state;
    limits.obstacles = 40;
    service = harness_open(&limits);
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "ball",
           .body = "{\"type\":\"ball\",\"radius\":0.1}");
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "rod",
           .body = "{\"type\":\"rigid\",\"spheres\":[{\"center\":[-0.3,0],\"radius\":0.1},"
                   "{\"center\":[0.3,0],\"radius\":0.1}]}");
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "stick",
           .body = "{\"type\":\"rigid\",\"spheres\":[{\"center\":[-0.3,0,0],\"radius\":0.1},"
                   "{\"center\":[0.3,0,0],\"radius\":0.1}]}");
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "arm", .body = ARM);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    service_close(service);
    return 0;
}

static double device_bytes(void)
{
    struct exchange *metrics = SEND(service, 200, .route = ROUTE_METRICS);
    const char *line = strstr(metrics->call.reply.body.data, "use=\"resident\"");
    const double bytes = line ? strtod(strchr(line, ' '), NULL) : NAN;
    harness_free(metrics);
    return bytes;
}

/* The results of an answer, as text that the caller frees; of a picture all of it. */
static char *results_of(const struct exchange *exchange)
{
    const struct text *body = &exchange->call.reply.body;
    char *text = calloc(body->length + 1, 1);
    memcpy(text, body->data, body->length);
    char *from = strstr(text, "\"results\":"), *to = strstr(text, ",\"timing_ms\"");
    if (from && to) {
        *to = '\0';
        memmove(text, from, strlen(from) + 1);
    }
    return text;
}

/* What a body with more members is answered. members: "" or begins with a comma. */
static char *answer_of(enum route_id route, const char *roadmap, const char *body,
                       const char *members)
{
    struct text whole = {0};
    text_print(&whole, "{%s%s}", body, members);
    struct exchange *exchange = SEND(service, 200, .route = route, .name = roadmap,
                                     .body = whole.data, .body_bytes = whole.length);
    char *results = results_of(exchange);
    harness_free(exchange);
    text_deinit(&whole);
    return results;
}

static void patch(const char *world, const char *body)
{
    EXPECT(service, 200, .route = ROUTE_WORLD_PATCH, .name = world, .body = body);
}

/* A roadmap, what it is asked, and what a request changes; the same as a patch, and back. */
struct example {
    const char *world, *document, *robot, *roadmap, *queries, *members, *patch, *back;
};

static const struct example EXAMPLES[] = {
    {"flat", FLAT, "ball", "\"samples\":{\"count\":900}",
     "\"queries\":[{\"start\":[1,5],\"goal\":[9,5]},{\"start\":[1,1],\"goal\":[3,8]},"
     "{\"start\":[2,5],\"goals\":[[2.1,2.1],[1,9]]}]",
     ",\"obstacles\":[{\"id\":\"new\",\"type\":\"circle\",\"center\":[2,4],\"radius\":1.5}]",
     "{\"put\":[{\"id\":\"new\",\"type\":\"circle\",\"center\":[2,4],\"radius\":1.5}]}",
     "{\"remove\":[\"new\"]}"},
    {"flat2", FLAT, "ball", "\"samples\":{\"count\":900}",
     "\"queries\":[{\"start\":[1,5],\"goal\":[9,5]},{\"start\":[1,1],\"goal\":[8,8]}]",
     ",\"ignore\":[\"door\"]", "{\"set\":[{\"id\":\"door\",\"enabled\":false}]}",
     "{\"set\":[{\"id\":\"door\",\"enabled\":true}]}"},
    {"flat3", FLAT, "rod", "\"samples\":{\"count\":1500}",
     "\"queries\":[{\"start\":[1,5,0],\"goal\":[9,5,1]},{\"start\":[1,1,0],\"goal\":[3,8,3]}]",
     ",\"obstacles\":[{\"id\":\"low\",\"type\":\"rectangle\",\"center\":[5,1.5],\"size\":[0.2,3]},"
     "{\"id\":\"pole\",\"type\":\"circle\",\"center\":[3,3],\"radius\":0.5}]",
     "{\"put\":[{\"id\":\"low\",\"type\":\"rectangle\",\"center\":[5,1.5],\"size\":[0.2,3]},"
     "{\"id\":\"pole\",\"type\":\"circle\",\"center\":[3,3],\"radius\":0.5}]}",
     "{\"put\":[{\"id\":\"low\",\"type\":\"rectangle\",\"center\":[5,2.25],\"size\":[0.2,4.5]}],"
     "\"remove\":[\"pole\"]}"},
    {"solid", SOLID, "ball", "\"samples\":{\"count\":900}",
     "\"queries\":[{\"start\":[1,1,1],\"goal\":[9,9,9]},{\"start\":[2,7,3],\"goal\":[9,9,9]},"
     "{\"start\":[8,2,5],\"goal\":[1,9,1]}]",
     ",\"obstacles\":[{\"id\":\"post\",\"type\":\"cylinder\",\"center\":[8,2,5],\"radius\":0.5,"
     "\"length\":10}],\"ignore\":[\"box\"]",
     "{\"put\":[{\"id\":\"post\",\"type\":\"cylinder\",\"center\":[8,2,5],\"radius\":0.5,"
     "\"length\":10}],\"set\":[{\"id\":\"box\",\"enabled\":false}]}",
     "{\"remove\":[\"post\"],\"set\":[{\"id\":\"box\",\"enabled\":true}]}"},
    {"solid2", SOLID, "stick", "\"samples\":{\"count\":900}",
     "\"queries\":[{\"start\":[1,1,1,0,0,0,1],\"goal\":[9,9,9,0,0,1,0]}]",
     ",\"obstacles\":[{\"id\":\"wall\",\"type\":\"box\",\"center\":[5,5,8],\"size\":[9,0.2,3]}]",
     "{\"put\":[{\"id\":\"wall\",\"type\":\"box\",\"center\":[5,5,8],\"size\":[9,0.2,3]}]}",
     "{\"remove\":[\"wall\"]}"},
    {"solid3", SOLID, "arm", "\"samples\":{\"count\":900}",
     "\"queries\":[{\"start\":[-2,0.1,0],\"goal\":[2,0.3,0.5]},{\"start\":[0,1,0],\"goal\":[0,-1,1]"
     "}]",
     ",\"obstacles\":[{\"id\":\"rod\",\"type\":\"capsule\",\"center\":[8.2,1.5,5],\"radius\":0.2,"
     "\"length\":2}]",
     "{\"put\":[{\"id\":\"rod\",\"type\":\"capsule\",\"center\":[8.2,1.5,5],\"radius\":0.2,"
     "\"length\":2}]}",
     "{\"remove\":[\"rod\"]}"},
    {"map", MAP, "ball",
     "\"samples\":{\"method\":\"lattice\"},\"neighbors\":{\"k\":8,\"radius\":1.5}",
     "\"queries\":[{\"start\":[0.5,0.5],\"goal\":[7.5,5.5]},{\"start\":[7.5,0.5],\"goal\":[0.5,5.5]"
     "},"
     "{\"start\":[6.5,4.5],\"goal\":[0.5,0.5]}]",
     ",\"obstacles\":[{\"id\":\"x\",\"type\":\"rectangle\",\"center\":[4,3],\"size\":[5,0.1]}],"
     "\"ignore\":[\"crate\"]",
     "{\"put\":[{\"id\":\"x\",\"type\":\"rectangle\",\"center\":[4,3],\"size\":[5,0.1]}],"
     "\"set\":[{\"id\":\"crate\",\"enabled\":false}]}",
     "{\"remove\":[\"x\"],\"set\":[{\"id\":\"crate\",\"enabled\":true}]}"},
};
enum { EXAMPLE_COUNT = sizeof(EXAMPLES) / sizeof(EXAMPLES[0]) };

static void build(const struct example *example)
{
    char body[BODY_BYTES];
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = example->world,
           .body = example->document);
    snprintf(body, sizeof(body), "{\"world\":\"%s\",\"robot\":\"%s\",%s}", example->world,
             example->robot, example->roadmap);
    EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = example->world, .body = body,
           .wait_s = WAIT_S);
}

/* Asks in all ways; answers: [WAYS] texts for the caller to free. */
enum { WAYS = 4 };
static void ask(char **answers, const struct example *example, const char *members)
{
    static const char *const OPTIONS[WAYS] = {
        "", ",\"objective\":\"hops\",\"output\":\"nodes\",\"diagnose\":true",
        ",\"simplify\":false,\"expand\":{\"samples\":0}", ""};
    for (int i = 0; i < WAYS; i++) {
        char all[BODY_BYTES];
        snprintf(all, sizeof(all), "%s%s", OPTIONS[i], members);
        // a picture of a chain of links in space takes long; one of each kind in the plane will do
        const enum route_id route = i == WAYS - 1 && strcmp(example->robot, "arm") != 0
                                        ? ROUTE_ROADMAP_PICTURE_POST
                                        : ROUTE_ROADMAP_PLAN;
        answers[i] = answer_of(route, example->world, example->queries, all);
    }
}

static void free_all(char **answers)
{
    for (int i = 0; i < WAYS; i++)
        free(answers[i]);
}

static void as_in_a_world_that_has_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < EXAMPLE_COUNT; i++) {
        const struct example *example = &EXAMPLES[i];
        char *before[WAYS], *over[WAYS], *again[WAYS], *patched[WAYS], *after[WAYS];
        build(example);
        ask(before, example, "");
        ask(over, example, example->members);
        ask(after, example, "");
        patch(example->world, example->patch);
        ask(patched, example, "");
        patch(example->world, example->back);
        ask(again, example, example->members);
        bool differs = false;
        for (int way = 0; way < WAYS; way++) {
            assert_string_equal(over[way], patched[way]);
            assert_string_equal(over[way], again[way]);
            assert_string_equal(before[way], after[way]);
            differs |= strcmp(before[way], over[way]) != 0;
        }
        assert_true(differs);
        free_all(before);
        free_all(over);
        free_all(again);
        free_all(patched);
        free_all(after);
    }
}

/* What may touch an obstacle may touch the one that stands in for it, under the same id. */
static void what_may_touch_still_may(void **state)
{
    static const struct example TOUCHED = {
        .world = "touched",
        .document = FLAT,
        .robot = "ball",
        .roadmap = "\"samples\":{\"count\":900},\"allow\":[[\"body\",\"low\"]]"};
    static const char QUERY[] = "\"queries\":[{\"start\":[4,2],\"goal\":[6,2]}]";
    (void)state;
    build(&TOUCHED);
    char *through = answer_of(ROUTE_ROADMAP_PLAN, "touched", QUERY, "");
    char *moved = answer_of(ROUTE_ROADMAP_PLAN, "touched", QUERY,
                            ",\"obstacles\":[{\"id\":\"low\",\"type\":\"rectangle\","
                            "\"center\":[5,2.25],\"size\":[0.5,4.5]}]");
    char *other = answer_of(ROUTE_ROADMAP_PLAN, "touched", QUERY,
                            ",\"obstacles\":[{\"id\":\"low2\",\"type\":\"rectangle\","
                            "\"center\":[5,2.25],\"size\":[0.5,4.5]}]");
    assert_non_null(strstr(through, "\"solved\""));
    assert_string_equal(through, moved);
    assert_non_null(strstr(other, "\"no_path\""));
    free(through);
    free(moved);
    free(other);
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *members, *code, *pointer;
    } BAD[] = {
        {"\"obstacles\":[{\"type\":\"circle\",\"center\":[1,1]}]", "invalid_argument",
         "/obstacles/0/radius"},
        {"\"obstacles\":[{\"type\":\"sphere\",\"center\":[1,1,1],\"radius\":1}]",
         "invalid_argument", "/obstacles/0/type"},
        {"\"ignore\":[\"low\"]", "invalid_argument", "/ignore/0"},
        {"\"ignore\":[\"door\",\"window\"]", "unknown_reference", "/ignore/1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        char body[BODY_BYTES];
        snprintf(body, sizeof(body), "{%s,%s}", EXAMPLES[0].queries, BAD[i].members);
        struct exchange *refused =
            SEND(service, 422, .route = ROUTE_ROADMAP_PLAN, .name = "flat", .body = body);
        assert_string_equal(harness_string(refused, "/code"), BAD[i].code);
        assert_string_equal(harness_string(refused, "/pointer"), BAD[i].pointer);
        harness_free(refused);
    }

    // as many as the limit, and one more; the world has three
    for (int count = 37; count <= 38; count++) {
        struct text body = {0};
        text_print(&body, "{%s,\"obstacles\":[", EXAMPLES[0].queries);
        for (int i = 0; i < count; i++)
            text_print(&body, "%s{\"type\":\"circle\",\"center\":[8,8],\"radius\":0.1}",
                       i ? "," : "");
        text_print(&body, "]}");
        struct exchange *sent = SEND(service, count == 37 ? 200 : 422, .route = ROUTE_ROADMAP_PLAN,
                                     .name = "flat", .body = body.data, .body_bytes = body.length);
        if (count > 37)
            assert_string_equal(harness_string(sent, "/flag"), "--max-obstacles");
        harness_free(sent);
        text_deinit(&body);
    }
}

/* A request of its own world, different by `number`. */
static void put_request(char *body, int number)
{
    snprintf(body, BODY_BYTES,
             "{%s,\"obstacles\":[{\"type\":\"circle\",\"center\":[2,%g],\"radius\":0.8}]}",
             EXAMPLES[0].queries, 1 + 0.1 * number);
}

/* Requests with worlds of their own, at the same time as others without and as a patch. */
static void all_at_once(void **state)
{
    static char bodies[TOGETHER][BODY_BYTES];
    struct exchange *started[TOGETHER], *plain[TOGETHER];
    char *alone[TOGETHER], *plain_alone;
    (void)state;
    plain_alone = answer_of(ROUTE_ROADMAP_PLAN, "flat", EXAMPLES[0].queries, "");
    char plain_body[BODY_BYTES];
    snprintf(plain_body, sizeof(plain_body), "{%s}", EXAMPLES[0].queries);
    for (int i = 0; i < TOGETHER; i++) {
        put_request(bodies[i], i / 2);
        struct exchange *exchange =
            SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "flat", .body = bodies[i]);
        alone[i] = results_of(exchange);
        harness_free(exchange);
    }
    // the same version again, of which nothing is known yet
    patch("flat",
          "{\"put\":[{\"id\":\"far\",\"type\":\"circle\",\"center\":[9,9],\"radius\":0.1}]}");
    patch("flat", "{\"remove\":[\"far\"]}");
    for (int i = 0; i < TOGETHER; i++) {
        started[i] = harness_start(service, &(const struct request){.route = ROUTE_ROADMAP_PLAN,
                                                                    .name = "flat",
                                                                    .body = bodies[i]});
        plain[i] = harness_start(service, &(const struct request){.route = ROUTE_ROADMAP_PLAN,
                                                                  .name = "flat",
                                                                  .body = plain_body});
    }
    for (int i = 0; i < TOGETHER; i++) {
        harness_wait(started[i]);
        harness_wait(plain[i]);
        char *got = results_of(started[i]), *got_plain = results_of(plain[i]);
        assert_string_equal(got, alone[i]);
        assert_string_equal(got_plain, plain_alone);
        free(got);
        free(got_plain);
        free(alone[i]);
        harness_free(started[i]);
        harness_free(plain[i]);
    }
    free(plain_alone);
}

/* Many worlds, of which a few are kept as long as the roadmap answers for the same world. */
static void no_memory_stays(void **state)
{
    char body[BODY_BYTES];
    struct example example = EXAMPLES[0];
    (void)state;
    harness_until_idle(service);
    const double before = device_bytes();
    example.world = "brief";
    build(&example);
    double most = 0, at_half = 0;
    for (int i = 0; i < MANY; i++) {
        put_request(body, i);
        EXPECT(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "brief", .body = body);
        most = fmax(most, device_bytes());
        at_half = i == MANY / 2 + 5 ? most : at_half;
    }
    assert_true(most < 1.1 * at_half);
    EXPECT(service, 204, .route = ROUTE_ROADMAP_DELETE, .name = "brief");
    // the device thread frees a little later
    for (int i = 0; i < 1000 && device_bytes() > before; i++)
        test_pause_ms(2);
    assert_true(device_bytes() <= before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_in_a_world_that_has_them),
        cmocka_unit_test(what_may_touch_still_may),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(all_at_once),
        cmocka_unit_test(no_memory_stays),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

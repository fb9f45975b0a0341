/* Goal: what plan requests are told besides their results, and what they may not say: warnings are
 * cut with a word about the rest, unknown parameters of the URL are errors wherever they stand, and
 * a body is what its media type says, not what that begins like. Method: calls in-process over a
 * fake engine, which clamps a start with x = 0. Oracle: docs/api.md. */
#include "fake_engine.h"
#include "harness.h"
#include "schema/npz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":[]}"
#define PLAN "{\"queries\":[{\"start\":[1,1],\"goal\":[2,2]}]}"

enum { NAMED_MAX = 100, SHOWN_MAX = 6, CLAMPED_MAX = 260, WAIT_S = 20 };

static struct service *service;

static int setup(void **state)
{
    (void)state;
    fake_engine_reset();
    service = harness_open(NULL);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD);
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "r", .body = "{\"type\":\"point\"}");
    EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = "m", .wait_s = WAIT_S,
           .body = "{\"world\":\"w\",\"robot\":\"r\",\"samples\":{\"count\":50}}");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    service_close(service);
    return fake_engine_alive() == 0 ? 0 : -1;
}

/* Plans so many queries that are clamped, each behind one that is not. */
static struct exchange *plan_clamped(unsigned clamped, bool takes_npz)
{
    static char body[128 * CLAMPED_MAX];
    size_t length = (size_t)sprintf(body, "{\"allow_stale\":true,\"queries\":[");
    for (unsigned i = 0; i < clamped; i++)
        length += (size_t)sprintf(body + length,
                                  "%s{\"start\":[1,1],\"goal\":[2,2]},"
                                  "{\"start\":[0,1],\"goal\":[2,2]}",
                                  i ? "," : "");
    sprintf(body + length, "]}");
    return SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "m", .body = body,
                .takes_npz = takes_npz);
}

/* A member of the warning at a place. */
static const char *warning(const struct exchange *planned, unsigned i, const char *member)
{
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/warnings/%u/%s", i, member);
    return harness_string(planned, pointer);
}

static double warned_query(const struct exchange *planned, unsigned i)
{
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/warnings/%u/query", i);
    return harness_number(planned, pointer);
}

/* first: warnings before those of the queries. */
static void expect_warnings(unsigned first, unsigned clamped)
{
    struct exchange *planned = plan_clamped(clamped, false);
    const unsigned named = clamped < NAMED_MAX ? clamped : NAMED_MAX;
    for (unsigned i = 0; i < named; i++)
        assert_true(warned_query(planned, first + i) == 2 * i + 1);
    char last[64] = "";
    if (clamped > named)
        snprintf(last, sizeof last, "and of %u more queries", clamped - named);
    assert_string_equal(warning(planned, first + named, "detail"), last);
    assert_string_equal(warning(planned, first + named, "code"), *last ? "clamped" : "");
    assert_string_equal(warning(planned, first + named + 1, "code"), "");
    harness_free(planned);
}

static void expect_header(const char *first, unsigned clamped)
{
    char wanted[192];
    size_t length = (size_t)snprintf(wanted, sizeof wanted, "%s", first);
    const unsigned before = *first != '\0', shown = SHOWN_MAX - before;
    for (unsigned i = 0; i < clamped && i < shown; i++)
        length += (size_t)snprintf(wanted + length, sizeof wanted - length, "%sclamped;query=%u",
                                   length ? ", " : "", 2 * i + 1);
    if (clamped > shown)
        snprintf(wanted + length, sizeof wanted - length, ", clamped;more=%u", clamped - shown);
    struct exchange *planned = plan_clamped(clamped, true);
    const char *found = "";
    for (unsigned i = 0; i < planned->call.reply.header_count; i++)
        if (strcmp(planned->call.reply.headers[i].name, "X-Prmd-Warnings") == 0)
            found = planned->call.reply.headers[i].value;
    assert_string_equal(found, wanted);
    harness_free(planned);
}

static void warnings_say_how_many_they_leave_out(void **state)
{
    static const unsigned COUNTS[] = {0, 1, 5, 6, 7, 99, 100, 101, 259};
    (void)state;
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        expect_warnings(0, COUNTS[i]);
        expect_header("", COUNTS[i]);
    }
    // another warning takes none of their places
    EXPECT(service, 200, .route = ROUTE_WORLD_PUT, .name = "w",
           .body = "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[11,10]},\"obstacles\":[]}");
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        expect_warnings(1, COUNTS[i]);
        expect_header("stale", COUNTS[i]);
    }
}

static void unknown_parameters_are_errors(void **state)
{
    // all that has parameters of its own; of files and arrays their formats know more
    static const struct request REQUESTS[] = {
        {.route = ROUTE_ROADMAP_PICTURE, .parameters = {"start", "1,1", "goal", "2,2"}},
        {.route = ROUTE_ROADMAP_PICTURE_POST, .body = PLAN},
        {.route = ROUTE_ROADMAP_PLAN, .body = PLAN},
        {.route = ROUTE_ROADMAP_GRAPH, .parameters = {"format", "json"}},
        {.route = ROUTE_ROADMAP_GET},
        {.route = ROUTE_WORLD_LIST, .parameters = {"limit", "5", "prefix", "w"}},
        {.route = ROUTE_ROBOT_LIST, .parameters = {"limit", "5", "after", "a"}},
        {.route = ROUTE_ROADMAP_LIST},
        {.route = ROUTE_JOB_LIST},
        {.route = ROUTE_LIMITS},
    };
    // of another's, cut short, and what only looks like two
    static const char *const KEYS[] = {"strat", "seed", "star", "lim", "tart", "limit prefix", ""};
    (void)state;
    for (size_t i = 0; i < sizeof REQUESTS / sizeof *REQUESTS; i++) {
        struct request request = REQUESTS[i];
        request.name = "m";
        harness_expect(service, 200, &request);
        unsigned at = 0;
        while (request.parameters[at])
            at++;
        for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS; k++) {
            request.parameters[at] = KEYS[k];
            request.parameters[at + 1] = "1,1";
            struct exchange *refused = harness_send(service, 422, &request);
            assert_string_equal(harness_string(refused, "/code"), "invalid_argument");
            assert_non_null(strstr(harness_string(refused, "/detail"), KEYS[k]));
            harness_free(refused);
        }
    }
}

static void only_get_draws_a_stale_roadmap_unasked(void **state)
{
    (void)state;
    EXPECT(service, 200, .route = ROUTE_WORLD_PUT, .name = "w",
           .body = "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[11,10]},\"obstacles\":[]}");
    EXPECT(service, 200, .route = ROUTE_ROADMAP_PICTURE, .name = "m");
    EXPECT(service, 409, .route = ROUTE_ROADMAP_PICTURE_POST, .name = "m", .body = PLAN);
    EXPECT(service, 200, .route = ROUTE_ROADMAP_PICTURE_POST, .name = "m",
           .body = "{\"queries\":[],\"allow_stale\":true}");
}

static void bodies_are_what_their_type_says(void **state)
{
    static const float ENDS[] = {1, 1, 2, 2};
    static const size_t SHAPE[] = {1, 2, 2};
    const struct npy_array array = npy_array(NPY_FLOAT32, 3, SHAPE, ENDS);
    struct text npy = {0};
    (void)state;
    npy_write_header(&array, &npy);
    text_append(&npy, (const char *)ENDS, sizeof ENDS);
    const struct {
        const char *type, *body;
        size_t bytes;
        int status;
    } rows[] = {
        {"application/x-npy", npy.data, npy.length, 200},
        {" Application/X-NPY ; v=1", npy.data, npy.length, 200},
        {NULL, npy.data, npy.length, 200},
        {"text/plain", npy.data, npy.length, 200},
        {"application/json", npy.data, npy.length, 400},
        {"application/json;charset=utf-8", PLAN, sizeof PLAN - 1, 200},
        {NULL, PLAN, sizeof PLAN - 1, 200},
        // begins like another
        {"application/x-npyz", PLAN, sizeof PLAN - 1, 200},
        {"application/json-seq", npy.data, npy.length, 200},
        {"application/x-npz", npy.data, npy.length, 415},
        {"application/x-npzip", npy.data, npy.length, 200},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        EXPECT(service, rows[i].status, .route = ROUTE_ROADMAP_PLAN, .name = "m",
               .body = rows[i].body, .body_bytes = rows[i].bytes, .content_type = rows[i].type);
    text_deinit(&npy);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(warnings_say_how_many_they_leave_out),
        TEST(unknown_parameters_are_errors),
        TEST(only_get_draws_a_stale_roadmap_unasked),
        TEST(bodies_are_what_their_type_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

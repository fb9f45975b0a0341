/* Goal: a matrix over the service is what plans of its pairs are, without simplification and with
 * the same options, obstacles of the request's own among them; trees by default, as plans have
 * them. Method: calls in-process over the real engine. Oracle: POST …/plan of each pair. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD                                                                                      \
    "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[10,10]},\"obstacles\":["                  \
    "{\"id\":\"low\",\"type\":\"rectangle\",\"center\":[5,2.25],\"size\":[0.2,4.5]},"              \
    "{\"id\":\"high\",\"type\":\"rectangle\",\"center\":[5,7.75],\"size\":[0.2,4.5]},"             \
    "{\"id\":\"door\",\"type\":\"rectangle\",\"center\":[5,5],\"size\":[0.2,1.2],"                 \
    "\"dynamic\":true}]}"

enum { WAIT_S = 100, STATES = 7 };

/* Here and there, in an obstacle, out of bounds, twice the same, and in the corner. */
static const char *const states[STATES] = {"[1,1]", "[9,9]", "[5,2]",      "[11,1]",
                                           "[1,1]", "[2,8]", "[0.01,9.99]"};

static struct service *service;

static int setup(void **state)
{
    (void)state;
    service = harness_open(NULL);
    EXPECT(service, 201, .route = ROUTE_WORLD_PUT, .name = "w", .body = WORLD);
    EXPECT(service, 201, .route = ROUTE_ROBOT_PUT, .name = "ball",
           .body = "{\"type\":\"ball\",\"radius\":0.005}");
    EXPECT(service, 201, .route = ROUTE_ROADMAP_PUT, .name = "m", .wait_s = WAIT_S,
           .body = "{\"world\":\"w\",\"robot\":\"ball\",\"samples\":{\"count\":300}}");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    service_close(service);
    return 0;
}

/* members: "" or begins with a comma. Returns the pairs that are solved. */
static unsigned check(const char *members)
{
    struct text body = {0};
    unsigned solved = 0;
    text_print(&body, "{\"states\":[");
    for (int s = 0; s < STATES; s++)
        text_print(&body, "%s%s", s ? "," : "", states[s]);
    text_print(&body, "]%s}", members);
    struct exchange *matrix = SEND(service, 200, .route = ROUTE_ROADMAP_MATRIX, .name = "m",
                                   .body = body.data, .body_bytes = body.length);
    body.length = 0;
    text_print(&body, "{\"queries\":[");
    for (int from = 0; from < STATES; from++)
        for (int to = 0; to < STATES; to++)
            text_print(&body, "%s{\"start\":%s,\"goal\":%s}", from + to ? "," : "", states[from],
                       states[to]);
    text_print(&body, "],\"simplify\":false,\"output\":\"cost\"%s}", members);
    struct exchange *planned = SEND(service, 200, .route = ROUTE_ROADMAP_PLAN, .name = "m",
                                    .body = body.data, .body_bytes = body.length);
    for (int from = 0; from < STATES; from++) {
        for (int to = 0; to < STATES; to++) {
            char at[64], length[64], hops[64];
            snprintf(at, sizeof(at), "/costs/%d/%d", from, to);
            snprintf(length, sizeof(length), "/results/%d/length", from * STATES + to);
            snprintf(hops, sizeof(hops), "/results/%d/hops", from * STATES + to);
            const double cost = harness_number(matrix, at),
                         wanted = harness_number(planned, length);
            assert_true(isnan(wanted) ? isnan(cost) : cost == wanted);
            snprintf(at, sizeof(at), "/hops/%d/%d", from, to);
            if (!isnan(wanted))
                assert_true(harness_number(matrix, at) == harness_number(planned, hops));
            solved += isnan(wanted) ? 0 : 1;
        }
    }
    assert_true(harness_number(matrix, "/summary/solved") == solved);
    assert_true(harness_number(matrix, "/summary/failed") == STATES * STATES - solved);
    assert_string_equal(harness_string(matrix, "/states/0/status"), "ok");
    assert_string_equal(harness_string(matrix, "/states/2/status"), "in_collision");
    assert_string_equal(harness_string(matrix, "/states/2/reason/obstacle"), "low");
    assert_string_equal(harness_string(matrix, "/states/2/reason/at"), "");
    assert_string_equal(harness_string(matrix, "/states/3/status"), "out_of_bounds");
    assert_true(harness_number(matrix, "/states/3/reason/limit") == 10);
    harness_free(matrix);
    harness_free(planned);
    text_deinit(&body);
    return solved;
}

static void as_plans_find_them(void **state)
{
    (void)state;
    const unsigned plain = check(",\"expand\":{\"samples\":0}");
    assert_true(check("") >= plain);
    check(",\"objective\":\"hops\"");
    check(",\"connect\":{\"k\":2,\"radius\":1}");
    // the door opens, or a wall cuts off what is above
    assert_true(check(",\"ignore\":[\"door\"]") > plain);
    assert_true(check(",\"obstacles\":[{\"type\":\"rectangle\",\"center\":[2.5,5],"
                      "\"size\":[5.2,0.1]}]") < plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_plans_find_them)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

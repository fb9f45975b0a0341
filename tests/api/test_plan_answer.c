/* Goal: answers are whole, start and goal come back exactly, way-points to nine decimals. Method:
 * an answer of all kinds of results, and random way-points. Oracle: Jansson reads it back. */
#include "documents.h"
#include "schema/plan.h"
#include "support/support.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOF = 2, WAYPOINTS = 1000 };
static const char *const coordinates[DOF] = {"x", "y"};

static struct plan_request request_of(const char *body)
{
    struct limits limits = limits_default();
    struct problem problem = {0};
    struct plan_request request;
    assert_true(
        plan_request_read(&request, body, strlen(body), coordinates, DOF, &limits, &problem));
    return request;
}

static json_t *written(const struct plan_answer *answer)
{
    struct text text = {0};
    plan_answer_write(answer, &text);
    json_error_t error;
    json_t *json = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("%s: %.*s", error.text, (int)text.length, text.data);
    text_deinit(&text);
    return json;
}

static json_t *result_at(const json_t *json, size_t index)
{
    return json_array_get(json_object_get(json, "results"), index);
}

/* Whether a value, written compactly, is that text. */
static void assert_json(const json_t *json, const char *text)
{
    char *got = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    assert_string_equal(got ? got : "(absent)", text);
    free(got);
}

static const struct plan_reason no_reason = {.goal_index = UINT32_MAX,
                                             .depth = NAN,
                                             .value = NAN,
                                             .limit = NAN,
                                             .start_component_size = UINT32_MAX,
                                             .goal_component_size = UINT32_MAX};

enum { RESULTS = 7 };

/* One of each kind, some twice. */
static void fill(struct plan_result *results)
{
    for (int i = 0; i < RESULTS; i++)
        results[i] = (struct plan_result){.status = PLAN_STATUS_INVALID_QUERY, .reason = no_reason};
    results[0] = (struct plan_result){.status = PLAN_STATUS_SOLVED,
                                      .length = 2.5,
                                      .hops = 3,
                                      .goal_index = 1,
                                      .waypoint_first = 1,
                                      .waypoint_count = 3,
                                      .node_first = 1,
                                      .node_count = 2,
                                      .reason = no_reason};
    results[2].status = PLAN_STATUS_START_IN_COLLISION;
    results[2].reason.at = "start";
    results[2].reason.kind = "world_collision";
    results[2].reason.link = "hand";
    results[2].reason.sphere = 3;
    results[2].reason.obstacle = "rock\"1";
    results[2].reason.depth = 0.012;
    results[3].status = PLAN_STATUS_GOAL_OUT_OF_BOUNDS;
    results[3].reason.at = "goal";
    results[3].reason.kind = "bounds";
    results[3].reason.goal_index = 0;
    results[3].reason.coordinate = "x";
    results[3].reason.value = 11;
    results[3].reason.limit = 10;
    results[4].status = PLAN_STATUS_NO_PATH;
    results[4].reason.kind = "other_component";
    results[4].reason.start_component_size = 10;
    results[4].reason.goal_component_size = 3;
    results[5] = (struct plan_result){.status = PLAN_STATUS_SOLVED,
                                      .waypoint_first = 4,
                                      .waypoint_count = 1,
                                      .reason = no_reason};
}

static void all_kinds_of_results(void **state)
{
    (void)state;
    struct plan_request request =
        request_of("{\"output\":\"nodes\",\"queries\":[{\"id\":\"q1\",\"start\":[0.1,0],\"goals\":["
                   "[9,9],[2,0.3]]},"
                   "{\"id\":7,\"start\":[1],\"goal\":[1,1]},{\"start\":[5,5],\"goal\":[1,1]},"
                   "{\"start\":[5,5],\"goal\":[11,1]},{\"start\":[5,5],\"goal\":[1,1]},"
                   "{\"start\":[4,4],\"goal\":[4,4]},{\"start\":[5,5]}]}");
    struct plan_result results[RESULTS];
    fill(results);
    const double waypoints[] = {-1, -1, 0.1, 0, 1, 1.0 / 3, 2, 0.3, 4, 4};
    const uint32_t nodes[] = {9, 4, 5};
    const struct plan_warning warnings[] = {{"clamped", "start", 0}, {"stale", "all", -1}};
    struct plan_answer answer = {.roadmap = "m",
                                 .fingerprint = "abc",
                                 .revision = 3,
                                 .world_revision = 8,
                                 .coordinates = coordinates,
                                 .dof = DOF,
                                 .request = &request,
                                 .results = results,
                                 .waypoints = waypoints,
                                 .nodes = nodes,
                                 .warnings = warnings,
                                 .warning_count = 2,
                                 .times = {.queue_ms = 0.125, .expand_ms = 0.25, .total_ms = 1.5}};
    json_t *json = written(&answer);
    assert_json(json_object_get(json, "roadmap"), "\"m\"");
    assert_json(json_object_get(json, "fingerprint"), "\"abc\"");
    assert_json(json_object_get(json, "revision"), "3");
    assert_json(json_object_get(json, "world_revision"), "8");
    assert_json(json_object_get(json, "coordinates"), "[\"x\",\"y\"]");
    assert_json(json_object_get(json, "summary"), "{\"solved\":2,\"failed\":5}");
    assert_json(json_object_get(json, "warnings"),
                "[{\"code\":\"clamped\",\"detail\":\"start\",\"query\":0},{\"code\":\"stale\","
                "\"detail\":\"all\"}]");
    assert_json(result_at(json, 0),
                "{\"id\":\"q1\",\"status\":\"solved\",\"path\":[[0.1,0],[1,0.3333333333],"
                "[2,0.3]],\"nodes\":[4,5],\"length\":2.5,\"hops\":3,\"goal_index\":1}");
    assert_json(result_at(json, 1),
                "{\"id\":7,\"status\":\"invalid_query\",\"detail\":\"start has 1 numbers where "
                "2 are needed\",\"reason\":{\"at\":\"start\",\"kind\":\"wrong_size\"}}");
    assert_json(result_at(json, 2),
                "{\"status\":\"start_in_collision\",\"reason\":{\"at\":\"start\",\"kind\":"
                "\"world_collision\",\"link\":\"hand\",\"sphere\":3,\"obstacle\":\"rock\\\"1\","
                "\"depth\":0.012}}");
    assert_json(
        result_at(json, 3),
        "{\"status\":\"goal_out_of_bounds\",\"reason\":{\"at\":\"goal\",\"goal_index\":0,\"kind\":"
        "\"bounds\",\"coordinate\":\"x\",\"value\":11,\"limit\":10}}");
    assert_json(result_at(json, 4),
                "{\"status\":\"no_path\",\"reason\":{\"kind\":\"other_component\","
                "\"start_component_size\":10,\"goal_component_size\":3}}");
    assert_json(json_object_get(result_at(json, 5), "path"), "[[4,4]]");
    assert_json(result_at(json, 6),
                "{\"status\":\"invalid_query\",\"detail\":\"has neither goal nor goals\"}");

    // all stages have a time, and writing took one
    const json_t *times = json_object_get(json, "timing_ms");
    assert_int_equal(json_object_size(times), 10);
    assert_json(json_object_get(times, "queue"), "0.125");
    assert_json(json_object_get(times, "expand"), "0.25");
    assert_true(json_number_value(json_object_get(times, "write")) > 0);
    json_decref(json);

    // cost has no path; what trees have found says so
    request.output = PLAN_COST;
    results[0].expanded = true;
    json = written(&answer);
    assert_json(result_at(json, 0),
                "{\"id\":\"q1\",\"status\":\"solved\",\"length\":2.5,\"hops\":3,\"goal_index\":1,"
                "\"expanded\":true}");
    json_decref(json);
    plan_request_deinit(&request);
}

static void ends_are_exact_and_waypoints_fine(void **state)
{
    (void)state;
    struct test_random random = {5};
    const double scales[] = {1e-4, 1, 100, 4e6, 1e12};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        double waypoints[WAYPOINTS * DOF], ends[4];
        for (int i = 0; i < WAYPOINTS * DOF; i++)
            waypoints[i] = scales[s] * (1 + (double)test_random_f32(&random, -1, 1));
        for (int i = 0; i < 4; i++)
            ends[i] = scales[s] * (1 + (double)(test_random_u64(&random) >> 11) * 0x1p-53);
        memcpy(waypoints, ends, DOF * sizeof(double));
        memcpy(waypoints + (WAYPOINTS - 1) * DOF, ends + DOF, DOF * sizeof(double));
        struct text body = {0};
        text_print(&body, "{\"queries\":[{");
        text_json_numbers(&body, "start", ends, DOF);
        text_json_numbers(&body, "goal", ends + DOF, DOF);
        text_print(&body, "}]}");
        struct plan_request request = request_of(text_string(&body));
        struct plan_result result = {.status = PLAN_STATUS_SOLVED,
                                     .length = ends[0],
                                     .waypoint_count = WAYPOINTS,
                                     .reason = no_reason};
        struct plan_answer answer = {.roadmap = "m",
                                     .fingerprint = "",
                                     .coordinates = coordinates,
                                     .dof = DOF,
                                     .request = &request,
                                     .results = &result,
                                     .waypoints = waypoints};
        json_t *json = written(&answer);
        const json_t *path = json_object_get(result_at(json, 0), "path");
        assert_int_equal(json_array_size(path), WAYPOINTS);
        for (size_t i = 0; i < WAYPOINTS; i++) {
            for (size_t c = 0; c < DOF; c++) {
                double got = json_number_value(json_array_get(json_array_get(path, i), c));
                double sent = waypoints[i * DOF + c];
                if (i == 0)
                    assert_true(got == ends[c]);
                else if (i == WAYPOINTS - 1)
                    assert_true(got == ends[DOF + c]);
                else
                    assert_true(fabs(got - sent) <=
                                1e-9 * fmin(1, fabs(sent)) + 1e-15 * fabs(sent));
            }
        }
        assert_true(json_number_value(json_object_get(result_at(json, 0), "length")) == ends[0]);
        json_decref(json);
        plan_request_deinit(&request);
        text_deinit(&body);
    }
}

static void statuses_are_numbered_as_the_wire_has_them(void **state)
{
    (void)state;
    static const char *const texts[] = {"solved",
                                        "no_path",
                                        "start_out_of_bounds",
                                        "goal_out_of_bounds",
                                        "start_in_collision",
                                        "goal_in_collision",
                                        "start_not_connected",
                                        "goal_not_connected",
                                        "deadline_exceeded",
                                        "cancelled",
                                        "invalid_query"};
    assert_int_equal(PLAN_STATUS_COUNT, sizeof texts / sizeof *texts);
    for (int i = 0; i < PLAN_STATUS_COUNT; i++)
        assert_string_equal(plan_status_text((enum plan_status)i), texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_of_results),
        cmocka_unit_test(ends_are_exact_and_waypoints_fine),
        cmocka_unit_test(statuses_are_numbered_as_the_wire_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

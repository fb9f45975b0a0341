/* Goal: plan requests are read strictly; a query that is wrong in itself spoils no other. Method:
 * tables of bodies. Oracle: the contract, section 6. */
#include "documents.h"
#include "schema/plan.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOF = 2 };
static const char *const coordinates[DOF] = {"x", "y"};

#define Q1 "{\"start\":[1,1],\"goal\":[2,2]}"
#define CIRCLE "{\"id\":\"c\",\"type\":\"circle\",\"center\":[1,2],\"radius\":1}"
#define WITH(members) "{\"queries\":[" Q1 "]," members "}"
#define QUERY(members) "{\"queries\":[" Q1 ",{" members "}]}"

static struct limits test_limits(void)
{
    struct limits limits = limits_default();
    limits.queries = 4;
    limits.goals = 2;
    return limits;
}

static bool read_into(struct plan_request *request, const char *body, size_t bytes,
                      struct problem *problem)
{
    struct limits limits = test_limits();
    return plan_request_read(request, body, bytes, coordinates, DOF, &limits, problem);
}

static bool read(const char *body, size_t bytes, struct problem *problem)
{
    struct plan_request request;
    if (!read_into(&request, body, bytes, problem))
        return false;
    plan_request_deinit(&request);
    return true;
}

static struct plan_request read_good(const char *body)
{
    struct plan_request request;
    struct problem problem = {0};
    if (!read_into(&request, body, strlen(body), &problem))
        fail_msg("%s: %s", body, problem.faults[0].detail);
    return request;
}

static const struct bad_document bad[] = {
    {"{}", PROBLEM_INVALID_ARGUMENT, "/queries", NULL},
    {"{\"querys\":[]}", PROBLEM_UNKNOWN_MEMBER, "/querys", NULL},
    {"{\"queries\":{}}", PROBLEM_INVALID_ARGUMENT, "/queries", NULL},
    {"{\"queries\":[5]}", PROBLEM_INVALID_ARGUMENT, "/queries/0", NULL},
    {"{\"queries\":[" Q1 "," Q1 "," Q1 "," Q1 "," Q1 "]}", PROBLEM_LIMIT_EXCEEDED, "/queries", "4"},
    {WITH("\"objective\":\"fast\""), PROBLEM_INVALID_ARGUMENT, "/objective", NULL},
    {WITH("\"objective\":1"), PROBLEM_INVALID_ARGUMENT, "/objective", NULL},
    {WITH("\"output\":\"all\""), PROBLEM_INVALID_ARGUMENT, "/output", NULL},
    {WITH("\"simplify\":1"), PROBLEM_INVALID_ARGUMENT, "/simplify", NULL},
    {WITH("\"allow_stale\":null"), PROBLEM_INVALID_ARGUMENT, "/allow_stale", NULL},
    {WITH("\"diagnose\":\"yes\""), PROBLEM_INVALID_ARGUMENT, "/diagnose", NULL},
    {WITH("\"interpolate\":0"), PROBLEM_INVALID_ARGUMENT, "/interpolate", NULL},
    {WITH("\"interpolate\":-1"), PROBLEM_INVALID_ARGUMENT, "/interpolate", NULL},
    {WITH("\"connect\":{\"k\":0}"), PROBLEM_INVALID_ARGUMENT, "/connect/k", NULL},
    {WITH("\"connect\":{\"k\":1000}"), PROBLEM_LIMIT_EXCEEDED, "/connect/k", "128"},
    {WITH("\"connect\":{\"radius\":0}"), PROBLEM_INVALID_ARGUMENT, "/connect/radius", NULL},
    {WITH("\"connect\":{\"enough\":0}"), PROBLEM_INVALID_ARGUMENT, "/connect/enough", NULL},
    {WITH("\"connect\":{\"n\":0}"), PROBLEM_UNKNOWN_MEMBER, "/connect/n", NULL},
    {WITH("\"expand\":{\"samples\":-1}"), PROBLEM_INVALID_ARGUMENT, "/expand/samples", NULL},
    {WITH("\"expand\":{\"samples\":100001}"), PROBLEM_LIMIT_EXCEEDED, "/expand/samples", "100000"},
    {WITH("\"expand\":{\"budget\":1}"), PROBLEM_UNKNOWN_MEMBER, "/expand/budget", NULL},
    {WITH("\"expand\":5"), PROBLEM_INVALID_ARGUMENT, "/expand", NULL},
    {WITH("\"deadline_ms\":0"), PROBLEM_INVALID_ARGUMENT, "/deadline_ms", NULL},
    {WITH("\"deadline_ms\":\"5\""), PROBLEM_INVALID_ARGUMENT, "/deadline_ms", NULL},
    {WITH("\"obstacles\":{}"), PROBLEM_INVALID_ARGUMENT, "/obstacles", NULL},
    {WITH("\"obstacles\":[7]"), PROBLEM_INVALID_ARGUMENT, "/obstacles/0", NULL},
    {WITH("\"obstacles\":[{\"type\":\"circle\",\"center\":[1,2]}]"), PROBLEM_INVALID_ARGUMENT,
     "/obstacles/0/radius", NULL},
    {WITH("\"obstacles\":[" CIRCLE "," CIRCLE "]"), PROBLEM_DUPLICATE_ID, "/obstacles/1/id", NULL},
    {WITH("\"ignore\":[7]"), PROBLEM_INVALID_ARGUMENT, "/ignore/0", NULL},
    {WITH("\"ignore\":[\"\"]"), PROBLEM_INVALID_ARGUMENT, "/ignore/0", NULL},
    {WITH("\"ignore\":\"a\""), PROBLEM_INVALID_ARGUMENT, "/ignore", NULL},
    // what is wrong with a query beyond its own values
    {QUERY("\"start\":[1,1],\"gaol\":[2,2]"), PROBLEM_UNKNOWN_MEMBER, "/queries/1/gaol", NULL},
    {QUERY("\"start\":5,\"goal\":[2,2]"), PROBLEM_INVALID_ARGUMENT, "/queries/1/start", NULL},
    {QUERY("\"start\":[1,1],\"goal\":\"home\""), PROBLEM_INVALID_ARGUMENT, "/queries/1/goal", NULL},
    {QUERY("\"start\":[1,null],\"goal\":[2,2]"), PROBLEM_INVALID_ARGUMENT, "/queries/1/start/1",
     NULL},
    {QUERY("\"start\":{\"x\":1,\"y\":\"2\"},\"goal\":[2,2]"), PROBLEM_INVALID_ARGUMENT,
     "/queries/1/start/y", NULL},
    {QUERY("\"start\":{\"x\":1,\"q\":\"2\"},\"goal\":[2,2]"), PROBLEM_INVALID_ARGUMENT,
     "/queries/1/start/q", NULL},
    {QUERY("\"start\":[1,1],\"goals\":5"), PROBLEM_INVALID_ARGUMENT, "/queries/1/goals", NULL},
    {QUERY("\"start\":[1,1],\"goals\":[[1,1],7]"), PROBLEM_INVALID_ARGUMENT, "/queries/1/goals/1",
     NULL},
    {QUERY("\"start\":[1,1],\"goals\":[[1,1],[1,1],[1,1]]"), PROBLEM_LIMIT_EXCEEDED,
     "/queries/1/goals", "2"},
    {QUERY("\"start\":[1,1],\"goal\":[2,2],\"id\":1.5"), PROBLEM_INVALID_ARGUMENT, "/queries/1/id",
     NULL},
    {QUERY("\"start\":[1,1],\"goal\":[2,2],\"id\":\"a\\u0000b\""), PROBLEM_INVALID_ARGUMENT,
     "/queries/1/id", NULL},
    {WITH("\"objective\":\"hops\\u0000\""), PROBLEM_INVALID_ARGUMENT, "/objective", NULL},
    {QUERY("\"start\":[1,1],\"goal\":[2,2],\"id\":[]"), PROBLEM_INVALID_ARGUMENT, "/queries/1/id",
     NULL},
    {QUERY("\"start\":[1,1],\"goal\":[2,2],\"id\":99999999999999999999"), PROBLEM_INVALID_ARGUMENT,
     "/queries/1/id", NULL},
};

static void bad_requests_are_refused(void **state)
{
    (void)state;
    assert_refused(bad, sizeof bad / sizeof *bad, read);
    assert_refuses_malformed(read);

    char *body =
        repeat("{\"queries\":[{\"start\":[1,1],\"goal\":[2,2],\"id\":\"", "i", 129, "\"}]}");
    assert_refused(&(struct bad_document){body, PROBLEM_INVALID_ARGUMENT, "/queries/0/id", NULL}, 1,
                   read);
    free(body);
}

static void invalid_queries_spoil_no_other(void **state)
{
    (void)state;
    const struct {
        const char *query, *detail, *at;
    } rows[] = {
        {"\"start\":[1],\"goal\":[2,2]", "start has 1 numbers", "start"},
        {"\"start\":[1,2,3],\"goal\":[2,2]", "start has 3 numbers", "start"},
        {"\"start\":[],\"goal\":[2,2]", "start has 0 numbers", "start"},
        {"\"start\":[1,2],\"goal\":[2]", "goal has 1 numbers", "goal"},
        {"\"start\":[1,2],\"goals\":[[2,2],[2]]", "goal has 1 numbers", "goal"},
        {"\"goal\":[2,2]", "has no start", NULL},
        {"\"start\":null,\"goal\":[2,2]", "has no start", NULL},
        {"\"start\":[1,2]", "neither goal nor goals", NULL},
        {"\"start\":[1,2],\"goal\":[2,2],\"goals\":[[2,2]]", "both goal and goals", NULL},
        {"\"start\":[1,2],\"goals\":[]", "empty list of goals", NULL},
        {"\"start\":{\"x\":1,\"q\":2},\"goal\":[2,2]", "start lacks the coordinate \"y\"", NULL},
        {"\"start\":{\"x\":1,\"y\":2,\"q\":3},\"goal\":[2,2]", "unknown coordinate \"q\"", NULL},
        {"\"start\":{},\"goal\":[2,2]", "start lacks the coordinate \"x\"", NULL},
        {"\"start\":[1,2],\"goal\":{\"x\":1}", "goal lacks the coordinate \"y\"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text body = {0};
        text_print(&body, "{\"queries\":[{\"id\":\"bad\",%s},{\"start\":[3,4],\"goal\":[5,6]}]}",
                   rows[i].query);
        struct plan_request request = read_good(text_string(&body));
        const struct plan_query *query = &request.queries[0];
        assert_true(query->invalid);
        assert_string_equal(query->id_json, "\"bad\"");
        if (!strstr(query->invalid_detail, rows[i].detail))
            fail_msg("%s: %s", rows[i].query, query->invalid_detail);
        if (rows[i].at)
            assert_string_equal(query->invalid_at, rows[i].at);
        else
            assert_null(query->invalid_at);

        // the other is whole
        query = &request.queries[1];
        assert_false(query->invalid);
        assert_int_equal(request.number_count, 4);
        assert_true(request.numbers[query->start + 1] == 4 && request.numbers[query->goals] == 5);
        plan_request_deinit(&request);
        text_deinit(&body);
    }
}

static void defaults(void **state)
{
    (void)state;
    struct plan_request request = read_good("{\"queries\":[]}");
    assert_int_equal(request.query_count, 0);
    assert_int_equal(request.objective, PLAN_LENGTH);
    assert_int_equal(request.output, PLAN_PATH);
    assert_true(request.simplify && !request.allow_stale && !request.diagnose);
    assert_true(request.interpolate == 0 && request.connect_radius == 0);
    assert_int_equal(request.connect_k, 0);
    assert_int_equal(request.connect_enough, 0);
    assert_false(request.expand_said);
    plan_request_deinit(&request);
}

static void all_options(void **state)
{
    (void)state;
    struct plan_request request =
        read_good("{\"queries\":[],\"objective\":\"hops\",\"simplify\":false,\"interpolate\":0.5,"
                  "\"output\":\"nodes\","
                  "\"connect\":{\"k\":5,\"radius\":2.5,\"enough\":3},\"expand\":{\"samples\":0},"
                  "\"deadline_ms\":12.5,"
                  "\"obstacles\":[],\"ignore\":[],\"allow_stale\":true,\"diagnose\":true}");
    assert_int_equal(request.objective, PLAN_HOPS);
    assert_int_equal(request.output, PLAN_NODES);
    assert_true(!request.simplify && request.allow_stale && request.diagnose);
    assert_true(request.interpolate == 0.5 && request.connect_radius == 2.5);
    assert_int_equal(request.connect_k, 5);
    assert_int_equal(request.connect_enough, 3);
    assert_true(request.expand_said);
    assert_int_equal(request.expand_samples, 0);
    assert_true(request.deadline_ms == 12.5);
    plan_request_deinit(&request);

    request = read_good("{\"queries\":[],\"interpolate\":null,\"expand\":null,\"deadline_ms\":null,"
                        "\"connect\":{\"k\":null,\"radius\":null,\"enough\":null}}");
    assert_true(request.interpolate == 0 && request.connect_k == 0 && !request.expand_said);
    assert_true(request.deadline_ms == 0);
    plan_request_deinit(&request);

    request = read_good("{\"queries\":[],\"obstacles\":[" CIRCLE "],\"ignore\":[\"d\",\"e\"]}");
    assert_int_equal(request.overlay.obstacle_count, 1);
    assert_string_equal(request.overlay.obstacles[0].id, "c");
    assert_int_equal(request.overlay.ignored_count, 2);
    assert_string_equal(request.overlay.ignored[1], "e");
    plan_request_deinit(&request);

    request = read_good("{\"queries\":[],\"expand\":{\"samples\":100000}}");
    assert_true(request.expand_said);
    assert_int_equal(request.expand_samples, 100000);
    plan_request_deinit(&request);
}

static void states_and_ids(void **state)
{
    (void)state;
    struct plan_request request = read_good(
        "{\"queries\":[{\"id\":\"q\\\"\\u00e4\",\"start\":{\"y\":2,\"x\":1},\"goals\":[[3,4],{"
        "\"x\":5,"
        "\"y\":6}]},{\"id\":-7,\"start\":[1e308,-0.1],\"goal\":[10000000000000000000000,0],"
        "\"goals\":null},{\"id\":null,\"start\":[0,0],\"goal\":[0,0]}]}");
    const struct plan_query *query = &request.queries[0];
    assert_string_equal(query->id_json, "\"q\\\"\xc3\xa4\"");
    assert_int_equal(query->goal_count, 2);
    assert_true(request.numbers[query->start] == 1 && request.numbers[query->start + 1] == 2);
    assert_true(request.numbers[query->goals + 2] == 5 && request.numbers[query->goals + 3] == 6);

    query = &request.queries[1];
    assert_false(query->invalid);
    assert_true(request.numbers[query->start] == 1e308);
    assert_true(request.numbers[query->goals] == 1e22);
    assert_null(request.queries[2].id_json);
    plan_request_deinit(&request);

    // in a body without numbers beyond 64 bits ids of 64 bits come back
    request =
        read_good("{\"queries\":[{\"id\":-9223372036854775808,\"start\":[0,0],\"goal\":[0,0]}]}");
    assert_string_equal(request.queries[0].id_json, "-9223372036854775808");
    plan_request_deinit(&request);
}

/* The same number, of the same sign: zeros have one. */
static bool is_same(double a, double b)
{
    return a == b && !signbit(a) == !signbit(b);
}

/* Whether the bodies are refused alike, or read as the same. */
static void assert_same(const char *plain, const char *other)
{
    struct plan_request a, b;
    struct problem problem = {0};
    const bool good = read_into(&a, plain, strlen(plain), &problem);
    const enum problem_code code = good ? PROBLEM_NONE : problem.faults[0].code;
    problem.fault_count = 0;
    if (read_into(&b, other, strlen(other), &problem) != good ||
        (!good && problem.faults[0].code != code))
        fail_msg("%s is %s, but the other is not", plain, good ? "read" : "refused");
    if (!good)
        return;
    assert_int_equal(a.query_count, b.query_count);
    for (uint32_t i = 0; i < a.query_count; i++) {
        const struct plan_query *p = &a.queries[i], *q = &b.queries[i];
        assert_int_equal(p->invalid, q->invalid);
        assert_int_equal(!p->id_json, !q->id_json);
        if (p->id_json && q->id_json && strcmp(p->id_json, q->id_json) != 0)
            fail_msg("%s: %s, not %s", plain, p->id_json, q->id_json);
        for (unsigned c = 0; c < DOF && !p->invalid; c++)
            if (!is_same(a.numbers[p->start + c], b.numbers[q->start + c]) ||
                !is_same(a.numbers[p->goals + c], b.numbers[q->goals + c]))
                fail_msg("%s: other numbers", plain);
    }
    assert_int_equal(a.simplify, b.simplify);
    plan_request_deinit(&a);
    plan_request_deinit(&b);
}

/* Numbers, and what is none. */
static const char *const numbers[] = {"0",
                                      "-0",
                                      "-0.0",
                                      "0.0",
                                      "00",
                                      "01",
                                      "-01",
                                      "1.",
                                      "1.e5",
                                      ".5",
                                      "-.5",
                                      "+1",
                                      "1e5",
                                      "1E+5",
                                      "1e-5",
                                      "1e",
                                      "1e400",
                                      "1e-40",
                                      "-",
                                      "",
                                      "0e0",
                                      "-0e1",
                                      "0x1",
                                      "1_0",
                                      "1e-400",
                                      "NaN",
                                      "true",
                                      "\"1\"",
                                      "null",
                                      "[1]",
                                      "1,2",
                                      "1 ",
                                      " 1",
                                      "\n1\t",
                                      "1\f",
                                      "1 2",
                                      "1.5.5",
                                      "1e5.",
                                      "--1",
                                      "9007199254740993",
                                      "12345678",
                                      "0.1",
                                      "1/2",
                                      "Infinity",
                                      "0.30000000000000004",
                                      "99999999999999999999",
                                      "123456789012345",
                                      "1234567890123456",
                                      "-123456789012345678",
                                      "0.1234567890123456789012345"};

/* Ids, and what is none. */
static const char *const ids[] = {"1",
                                  "-1",
                                  "-0",
                                  "0",
                                  "1.0",
                                  "1e3",
                                  "1.5",
                                  "\"a\"",
                                  "\"\"",
                                  "\"\\n\"",
                                  "\"/\"",
                                  "null",
                                  "true",
                                  "[]",
                                  "\"\xc3\xa4\"",
                                  "\"\xff\"",
                                  "\"\x7f\"",
                                  "\"a",
                                  "01",
                                  "123456789012345",
                                  "1234567890123456",
                                  "99999999999999999999"};

/* Forms of the rest, and what is malformed about the queries. */
static const char *const forms[][2] = {
    {"{\"simplify\":false,\"queries\":[" Q1 "]}",
     "{\"simplify\":false,\"queries\":[{\"goal\":[2,2],\"start\":[1,1],\"goals\":null}]}"},
    {" { \"ignore\" : [\"]}\\\"queries\"] , \"queries\" : [ { \"goal\" : [ 2 , 2 ] , \"start\" "
     ": "
     "[1,1] } ] } ",
     "{\"ignore\":[\"]}\\\"queries\"],\"queries\":[{\"start\":[1,1],\"goal\":[2,2],\"goals\":"
     "null}]}"},
    {"{\"queries\":[" Q1 "],\"queries\":[]}", "{\"queries\":[],\"queries\":[]}"},
    {"{\"queries\":[" Q1 "]}}", "{\"queries\":[]}}"},
    {"{\"queries\":[" Q1 "]", "{\"queries\":[]"},
    {"{\"queries\":[" Q1 ",]}", "{\"queries\":[,]}"},
    {"{\"queries\":[" Q1 Q1 "]}", "{\"queries\":[{}{}]}"},
    {"{\"queries\":[" Q1 "}", "{\"queries\":[}"},
    {"{,\"queries\":[" Q1 "]}", "{,\"queries\":[]}"},
    {"{\"simplify\":[},\"queries\":[" Q1 "]}", "{\"simplify\":[},\"queries\":[]}"},
    {"[\"queries\",[" Q1 "]]", "[]"},
    {"{\"queries\":[{\"start\":[1,1],\"start\":[1,1],\"goal\":[2,2]}]}", "{\"a\":1,\"a\":1}"},
    {"{\"queries\":[{\"start\":[1,1],\"goal\":[2,2],}]}", "{\"a\":1,}"},
};

/* What is read in one pass is what is read from the document: "goals":null asks for that. */
static void one_pass_reads_the_same(void **state)
{
    (void)state;
    char plain[256], other[256];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        snprintf(plain, sizeof plain, "{\"queries\":[{\"id\":7,\"start\":[%s,1],\"goal\":[2,3]}]}",
                 numbers[i]);
        snprintf(other, sizeof other,
                 "{\"queries\":[{\"id\":7,\"start\":[%s,1],\"goal\":[2,3],\"goals\":null}]}",
                 numbers[i]);
        assert_same(plain, other);
    }
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        snprintf(plain, sizeof plain, "{\"queries\":[{\"id\":%s,\"start\":[0,1],\"goal\":[2,3]}]}",
                 ids[i]);
        snprintf(other, sizeof other,
                 "{\"queries\":[{\"id\":%s,\"start\":[0,1],\"goal\":[2,3],\"goals\":null}]}",
                 ids[i]);
        assert_same(plain, other);
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        assert_same(forms[i][0], forms[i][1]);
}

static void states_of_urls(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool good;
        double x, y;
    } rows[] = {
        {"1,2", true, 1, 2},
        {"-0.5,1e3", true, -0.5, 1000},
        {" 1 , 2 ", true, 1, 2},
        {"1", false, 0, 0},
        {"1,2,3", false, 0, 0},
        {"", false, 0, 0},
        {"1,", false, 0, 0},
        {"1,x", false, 0, 0},
        {"1,NaN", false, 0, 0},
        {"1,1e999", false, 0, 0},
        {"1,\"2\"", false, 0, 0},
        {"1],[2", false, 0, 0},
        {"1,99999999999999999999", true, 1, 1e20},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double got[DOF] = {0};
        if (plan_state_parse(got, rows[i].text, DOF) != rows[i].good)
            fail_msg("%s", rows[i].text);
        if (rows[i].good)
            assert_true(got[0] == rows[i].x && got[1] == rows[i].y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(invalid_queries_spoil_no_other),
        cmocka_unit_test(defaults),
        cmocka_unit_test(all_options),
        cmocka_unit_test(states_and_ids),
        cmocka_unit_test(one_pass_reads_the_same),
        cmocka_unit_test(states_of_urls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

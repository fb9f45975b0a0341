/* Goal: paths and query strings are understood as sent. Method: tables of targets; every row of the
 * route table by its own pattern. Oracle: the route table and RFC 3986. */
#include "server/router.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

static void every_route_is_found_by_its_own_pattern(void **state)
{
    (void)state;
    for (unsigned r = 0; r < ROUTE_COUNT; r++) {
        // {x} becomes a name with an encoded blank
        char path[128] = "";
        size_t length = 0;
        unsigned segments = 0;
        for (const char *p = route_table[r].pattern; *p != '\0';) {
            if (*p == '{') {
                length +=
                    (size_t)snprintf(path + length, sizeof(path) - length, "n%%20%u", segments++);
                p = strchr(p, '}') + 1;
            } else {
                path[length++] = *p++;
                path[length] = '\0';
            }
        }

        struct router_match match;
        router_match(&match, route_table[r].method, path);
        assert_int_equal(match.outcome, ROUTER_FOUND);
        assert_int_equal(match.route, r);
        assert_string_equal(match.pattern, route_table[r].pattern);
        for (unsigned i = 0; i < CALL_SEGMENTS_MAX; i++) {
            char name[16];
            snprintf(name, sizeof(name), "n %u", i);
            if (i < segments)
                assert_string_equal(match.segments[i], name);
            else
                assert_null(match.segments[i]);
        }
    }
}

static void paths_are_judged(void **state)
{
    static const struct {
        const char *method, *path;
        enum router_outcome outcome;
        const char *segment; /* the first, or NULL */
    } rows[] = {
        {"GET", "/v1/worlds/a%2eb", ROUTER_FOUND, "a.b"},
        {"GET", "/v1/worlds/a+b", ROUTER_FOUND, "a+b"},
        {"GET", "/v1/worlds/%C3%A9", ROUTER_FOUND, "\xC3\xA9"},
        {"GET", "/v%31/w%6frlds", ROUTER_FOUND, NULL},
        {"HEAD", "/v1/worlds/a", ROUTER_FOUND, "a"},
        {"OPTIONS", "/v1/worlds/a", ROUTER_OPTIONS, NULL},
        {"OPTIONS", "*", ROUTER_OPTIONS, NULL},
        {"POST", "/v1/worlds/a", ROUTER_WRONG_METHOD, NULL},
        {"HEAD", "/v1/roadmaps/a/plan", ROUTER_WRONG_METHOD, NULL},
        {"get", "/v1", ROUTER_WRONG_METHOD, NULL},
        {"GET", "*", ROUTER_UNKNOWN, NULL},
        {"GET", "", ROUTER_UNKNOWN, NULL},
        {"GET", "/", ROUTER_UNKNOWN, NULL},
        {"GET", "/v1/", ROUTER_UNKNOWN, NULL},
        {"GET", "//v1", ROUTER_UNKNOWN, NULL},
        {"GET", "/v1//worlds", ROUTER_UNKNOWN, NULL},
        {"GET", "/v1/worlds/", ROUTER_UNKNOWN, NULL},
        {"GET", "/v1/worlds/..", ROUTER_UNKNOWN, NULL},
        {"GET", "/v1/worlds/%2e%2E", ROUTER_UNKNOWN, NULL},
        {"GET", "/v1/worlds/./a", ROUTER_UNKNOWN, NULL},
        {"GET", "/v1/nothing", ROUTER_UNKNOWN, NULL},
        {"GET", "/v1/world", ROUTER_UNKNOWN, NULL},
        {"GET", "/v1/worldss", ROUTER_UNKNOWN, NULL},
        {"GET", "/V1/worlds", ROUTER_UNKNOWN, NULL},
        {"GET", "/v1/roadmaps/a/plan/b", ROUTER_UNKNOWN, NULL},
        {"GET", "/a/b/c/d/e/f/g/h/i/j/k", ROUTER_UNKNOWN, NULL},
        {"GET", "/v1/worlds/a%2Fb", ROUTER_MALFORMED, NULL},
        {"GET", "/v1/worlds/a%00", ROUTER_MALFORMED, NULL},
        {"GET", "/v1/worlds/a%", ROUTER_MALFORMED, NULL},
        {"GET", "/v1/worlds/a%4", ROUTER_MALFORMED, NULL},
        {"GET", "/v1/worlds/a%g0", ROUTER_MALFORMED, NULL},
        {"GET", "/v1/worlds/%ff", ROUTER_MALFORMED, NULL},
        {"GET", "/v1/worlds/%C0%80", ROUTER_MALFORMED, NULL},
        {"GET", "/v1/worlds/%ED%A0%80", ROUTER_MALFORMED, NULL},
        {"GET", "/v1/worlds/%F4%90%80%80", ROUTER_MALFORMED, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char path[64];
        struct router_match match;
        snprintf(path, sizeof(path), "%s", rows[i].path);
        router_match(&match, rows[i].method, path);
        if (match.outcome != rows[i].outcome)
            fail_msg("%s %s: outcome %d, not %d", rows[i].method, rows[i].path, match.outcome,
                     rows[i].outcome);
        if (rows[i].segment != NULL)
            assert_string_equal(match.segments[0], rows[i].segment);
        assert_int_equal(match.fault != NULL, match.outcome == ROUTER_MALFORMED);
    }
}

static void allow_names_the_methods_of_the_path(void **state)
{
    static const struct {
        const char *path, *allow;
    } rows[] = {
        {"/v1/worlds/a", "PUT, GET, HEAD, PATCH, DELETE, OPTIONS"},
        {"/v1/worlds", "GET, HEAD, OPTIONS"},
        {"/v1/roadmaps/a/plan", "POST, OPTIONS"},
        {"/v1/roadmaps/a/picture.svg", "GET, HEAD, POST, OPTIONS"},
        {"/v1/nothing", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char path[64];
        struct router_match match;
        snprintf(path, sizeof(path), "%s", rows[i].path);
        router_match(&match, "OPTIONS", path);
        assert_string_equal(match.allow, rows[i].allow);
    }
}

static void query_strings_are_decoded(void **state)
{
    char query[] = "start=1%2C2&goal=3,4&&start=5,6&flag&a+b=c+d&e=f=g&x=%26%3D%2F";
    static const struct call_parameter expected[] = {
        {"start", "1,2"}, {"goal", "3,4"}, {"start", "5,6"}, {"flag", ""},
        {"a b", "c d"},   {"e", "f=g"},    {"x", "&=/"},
    };
    const unsigned expected_count = sizeof(expected) / sizeof(expected[0]);
    struct call_parameter parameters[CALL_PARAMETERS_MAX];
    unsigned count;
    (void)state;
    assert_null(router_query(parameters, &count, query));
    assert_int_equal(count, expected_count);
    for (unsigned i = 0; i < expected_count; i++) {
        assert_string_equal(parameters[i].key, expected[i].key);
        assert_string_equal(parameters[i].value, expected[i].value);
    }
    assert_null(router_query(parameters, &count, NULL));
    assert_int_equal(count, 0);
}

static void bad_query_strings_are_refused(void **state)
{
    static const char *const bad[] = {"a=%",   "a=%0",  "a=%zz",   "%00=1",
                                      "a=%00", "a=%ff", "%e2%82=1"};
    struct call_parameter parameters[CALL_PARAMETERS_MAX];
    unsigned count;
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char query[32];
        snprintf(query, sizeof(query), "%s", bad[i]);
        assert_non_null(router_query(parameters, &count, query));
    }

    // as many as fit, and one more
    char many[2 * CALL_PARAMETERS_MAX + 2] = "";
    for (size_t i = 0; i < CALL_PARAMETERS_MAX; i++)
        memcpy(&many[2 * i], "a&", 3);
    char copy[sizeof(many)];
    memcpy(copy, many, sizeof(many));
    assert_null(router_query(parameters, &count, copy));
    assert_int_equal(count, CALL_PARAMETERS_MAX);
    many[sizeof(many) - 2] = 'a';
    assert_non_null(router_query(parameters, &count, many));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_is_found_by_its_own_pattern),
        cmocka_unit_test(paths_are_judged),
        cmocka_unit_test(allow_names_the_methods_of_the_path),
        cmocka_unit_test(query_strings_are_decoded),
        cmocka_unit_test(bad_query_strings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

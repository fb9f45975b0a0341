/* Goal: the route table repeats no row, and its flags are those of the contract. Method: walk it.
 * Oracle: the contract's rules by method and path, written here. */
#include "schema/route.h"
#include "support/support.h"

#include <string.h>

static bool any_of(const char *text, const char *const *of, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, of[i]) == 0)
            return true;
    return false;
}

#define GRAPH "/v1/roadmaps/{roadmap}/graph"
#define ARCHIVE "/v1/roadmaps/{roadmap}/archive"

/* What a route's flags must be follows from its method, but for the paths named here. */
static void flags_follow_from_method_and_path(void **state)
{
    (void)state;
    static const char *const ON_DEVICE[] = {"/v1/roadmaps/{roadmap}/picture.svg", GRAPH, ARCHIVE};
    static const char *const WITH_BODY[] = {"PUT", "PATCH", "POST"};
    static const char *const OF_ANY_TYPE[] = {"/livez",   "/readyz", "/healthz",
                                              "/metrics", GRAPH,     ARCHIVE};
    static const char *const WITH_ARRAYS[] = {"/v1/roadmaps/{roadmap}/plan", "/v1/compute/{op}"};
    for (int i = 0; i < ROUTE_COUNT; i++) {
        const struct route *route = &route_table[i];
        const bool reads = strcmp(route->method, "GET") == 0;
        const bool draws = any_of(route->pattern, ON_DEVICE, 3);
        const bool cancels = strcmp(route->pattern, "/v1/jobs/{job}") == 0;
        unsigned flags = 0;
        if (any_of(route->method, WITH_BODY, 3))
            flags |= ROUTE_BODY;
        if (draws || (!reads && !cancels))
            flags |= ROUTE_WORK;
        if (reads && any_of(route->pattern, OF_ANY_TYPE, 6))
            flags |= ROUTE_ANY_TYPE;
        if (!reads && any_of(route->pattern, WITH_ARRAYS, 2))
            flags |= ROUTE_ARRAYS;
        if (strcmp(route->method, "PUT") == 0 && strcmp(route->pattern, "/v1/robots/{robot}") == 0)
            flags |= ROUTE_FILES;
        if (strcmp(route->method, "PUT") == 0 && strcmp(route->pattern, ARCHIVE) == 0)
            flags |= ROUTE_ARCHIVE;
        if (strstr(route->pattern, ".svg") != NULL)
            flags |= ROUTE_PICTURE;
        if (strstr(route->pattern, "/events") != NULL)
            flags |= ROUTE_EVENTS;
        if (route->flags != flags)
            fail_msg("%s %s: flags %u, not %u", route->method, route->pattern, route->flags, flags);
        assert_int_equal(route->pattern[0], '/');
        assert_true(*route->summary != '\0');
    }
}

/* Probes are open; what only looks needs read, what changes nothing plan, all else write. */
static void roles_follow_from_method_and_path(void **state)
{
    (void)state;
    static const char *const PROBES[] = {"/livez", "/readyz", "/healthz"};
    static const char *const PLANS[] = {"/v1/robots/{robot}/forward",
                                        "/v1/roadmaps/{roadmap}/plan",
                                        "/v1/roadmaps/{roadmap}/matrix",
                                        "/v1/roadmaps/{roadmap}/validate",
                                        "/v1/roadmaps/{roadmap}/nearest",
                                        "/v1/roadmaps/{roadmap}/picture.svg",
                                        "/v1/compute/{op}"};
    for (int i = 0; i < ROUTE_COUNT; i++) {
        const struct route *route = &route_table[i];
        enum route_role role = strcmp(route->method, "GET") == 0 ? ROLE_READ : ROLE_WRITE;
        if (any_of(route->pattern, PROBES, 3))
            role = ROLE_OPEN;
        if (any_of(route->pattern, PLANS, 7))
            role = ROLE_PLAN;
        if (route->role != role)
            fail_msg("%s %s: role %s, not %s", route->method, route->pattern,
                     route_role_names[route->role], route_role_names[role]);
    }
}

static void no_two_are_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < ROUTE_COUNT; i++)
        for (int j = 0; j < i; j++)
            assert_false(strcmp(route_table[i].method, route_table[j].method) == 0 &&
                         strcmp(route_table[i].pattern, route_table[j].pattern) == 0);
}

static void constants_are_rows(void **state)
{
    (void)state;
    assert_string_equal(route_table[ROUTE_LIVEZ].pattern, "/livez");
    assert_string_equal(route_table[ROUTE_ROADMAP_PLAN].pattern, "/v1/roadmaps/{roadmap}/plan");
    assert_string_equal(route_table[ROUTE_COUNT - 1].method, "DELETE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_follow_from_method_and_path),
        cmocka_unit_test(roles_follow_from_method_and_path),
        cmocka_unit_test(no_two_are_the_same),
        cmocka_unit_test(constants_are_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

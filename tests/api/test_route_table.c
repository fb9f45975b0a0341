/* Goal: the route table has no row that shadows or repeats another. Method: walk it. Oracle: its
 * rules. */
#include "schema/route.h"
#include "support/support.h"

#include <string.h>

static void rows_are_whole(void **state)
{
    (void)state;
    for (int i = 0; i < ROUTE_COUNT; i++) {
        const struct route *route = &route_table[i];
        assert_int_equal(route->pattern[0], '/');
        assert_true(*route->summary != '\0');
        // what has a body, and nothing else, is PUT, PATCH or POST
        bool takes = strcmp(route->method, "PUT") == 0 || strcmp(route->method, "PATCH") == 0 ||
                     strcmp(route->method, "POST") == 0;
        assert_int_equal(takes, (route->flags & ROUTE_BODY) != 0);
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
    assert_int_equal(route_table[ROUTE_LIVEZ].flags, ROUTE_OPEN | ROUTE_PROBE);
    assert_string_equal(route_table[ROUTE_ROADMAP_PLAN].pattern, "/v1/roadmaps/{roadmap}/plan");
    assert_int_equal(route_table[ROUTE_ROADMAP_PLAN].flags, ROUTE_BODY | ROUTE_DEVICE);
    assert_string_equal(route_table[ROUTE_COUNT - 1].method, "DELETE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(no_two_are_the_same),
        cmocka_unit_test(constants_are_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

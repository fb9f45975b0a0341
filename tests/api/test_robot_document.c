/* Goal: robots are read strictly and written so that they read the same. Method: tables of bodies.
 * Oracle: the contract, section 4. */
#include "documents.h"
#include "schema/robot.h"
#include "support/support.h"

#include <string.h>

static bool read(const char *body, size_t bytes, struct problem *problem)
{
    struct limits limits = limits_default();
    struct robot_document robot;
    return robot_read(&robot, body, bytes, &limits, problem);
}

static const struct bad_document bad[] = {
    {"{}", PROBLEM_INVALID_ARGUMENT, "/type", NULL},
    {"{\"type\":5}", PROBLEM_INVALID_ARGUMENT, "/type", NULL},
    {"{\"type\":\"wheel\"}", PROBLEM_INVALID_ARGUMENT, "/type", NULL},
    {"{\"type\":\"arm\",\"joints\":[]}", PROBLEM_UNSUPPORTED, "/type", NULL},
    {"{\"type\":\"rigid\",\"spheres\":[]}", PROBLEM_UNSUPPORTED, "/type", NULL},
    {"{\"type\":\"point\",\"radius\":1}", PROBLEM_UNKNOWN_MEMBER, "/radius", NULL},
    {"{\"type\":\"ball\"}", PROBLEM_INVALID_ARGUMENT, "/radius", NULL},
    {"{\"type\":\"ball\",\"radius\":0}", PROBLEM_INVALID_ARGUMENT, "/radius", NULL},
    {"{\"type\":\"ball\",\"radius\":-1}", PROBLEM_INVALID_ARGUMENT, "/radius", NULL},
    {"{\"type\":\"ball\",\"radius\":null}", PROBLEM_INVALID_ARGUMENT, "/radius", NULL},
    {"{\"type\":\"ball\",\"radius\":\"1\"}", PROBLEM_INVALID_ARGUMENT, "/radius", NULL},
    {"{\"type\":\"ball\",\"radius\":1,\"a/b~c\":1}", PROBLEM_UNKNOWN_MEMBER, "/a~1b~0c", NULL},
};

static void bad_robots_are_refused(void **state)
{
    (void)state;
    assert_refused(bad, sizeof bad / sizeof *bad, read);
    assert_refuses_malformed(read);
}

static void robots_come_back(void **state)
{
    (void)state;
    const struct {
        const char *body, *written;
    } rows[] = {
        {"{\"type\":\"point\"}", "\"type\":\"point\""},
        {"{\"radius\":0.25,\"type\":\"ball\"}", "\"type\":\"ball\",\"radius\":0.25"},
        {"{\"type\":\"ball\",\"radius\":10000000000000000000000,\"name\":\"r\",\"revision\":4}",
         "\"type\":\"ball\",\"radius\":1e+22"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct limits limits = limits_default();
        struct problem problem = {0};
        struct robot_document robot;
        struct text text = {0};
        assert_true(robot_read(&robot, rows[i].body, strlen(rows[i].body), &limits, &problem));
        robot_write_members(&robot, &text);
        assert_string_equal(text_string(&text), rows[i].written);
        text_deinit(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_robots_are_refused),
        cmocka_unit_test(robots_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

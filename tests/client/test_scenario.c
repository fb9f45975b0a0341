/* Goal: scenario lines become queries at cell centres, y up; wrong lines are named by number.
 * Oracle: by hand. */
#include "client/scenario.h"
#include "schema/document.h"
#include "support/support.h"

#include <string.h>

static void lines_become_queries(void **state)
{
    (void)state;
    static const char lines[] = "version 1.0\n0\ta.map\t3\t10\t0\t0\t2\t9\t9.82842712\r\n"
                                "1 a.map 3 10 1 4 1 4 0\n\n2 a.map 3 10 2 0 0 0 2";
    struct scenario scenario;
    char fault[200] = "";
    assert_true(scenario_read(&scenario, lines, strlen(lines), 10, fault, sizeof fault));
    assert_int_equal(scenario.count, 3);
    assert_int_equal(scenario.width, 3);
    assert_int_equal(scenario.height, 10);
    assert_true(scenario.optima[0] == 9.82842712 && scenario.optima[1] == 0 &&
                scenario.optima[2] == 2);
    struct document *queries =
        document_parse(scenario.queries.data, scenario.queries.length, fault, sizeof fault);
    assert_non_null(queries);
    static const struct {
        double start[2], goal[2];
    } rows[] = {{{0.5, 9.5}, {2.5, 0.5}}, {{1.5, 5.5}, {1.5, 5.5}}, {{2.5, 9.5}, {0.5, 9.5}}};
    for (size_t i = 0; i < 3; i++) {
        const struct document_value *query = document_element(document_root(queries), i);
        assert_true(document_number(query, "/id", -1) == (double)i);
        assert_true(document_number(query, "/start/0", -1) == rows[i].start[0]);
        assert_true(document_number(query, "/start/1", -1) == rows[i].start[1]);
        assert_true(document_number(query, "/goal/0", -1) == rows[i].goal[0]);
        assert_true(document_number(query, "/goal/1", -1) == rows[i].goal[1]);
    }
    document_destroy(queries);
    scenario_deinit(&scenario);
}

static void old_lines_take_the_height_of_the_map(void **state)
{
    (void)state;
    static const char line[] = "0 a.map 0 0 2 9 9.8\n";
    struct scenario scenario;
    char fault[200] = "";
    assert_true(scenario_read(&scenario, line, strlen(line), 12, fault, sizeof fault));
    assert_int_equal(scenario.height, 12);
    scenario_deinit(&scenario);
    assert_false(scenario_read(&scenario, line, strlen(line), 0, fault, sizeof fault));
}

static void many_lines_keep_their_optima(void **state)
{
    (void)state;
    enum { LINES = 1000 };
    struct text text = {0};
    for (unsigned i = 0; i < LINES; i++)
        text_print(&text, "0 a 5 5 0 0 1 1 %u\n", i);
    struct scenario scenario;
    char fault[200] = "";
    assert_true(scenario_read(&scenario, text.data, text.length, 5, fault, sizeof fault));
    assert_int_equal(scenario.count, LINES);
    for (unsigned i = 0; i < LINES; i++)
        assert_true(scenario.optima[i] == i);
    scenario_deinit(&scenario);
    text_deinit(&text);
}

static void wrong_lines_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"version 1\nnonsense\n", "line 2"},
        {"0 a 5 5 0 0 1\n", "line 1"},
        {"0 a 5 5 0 0 1 1 2 9\n", "line 1"},
        {"0 a 5 5 0 0 1 1 2\n0 a 5 6 0 0 1 1 2\n", "line 2: another map size"},
        {"0 a 5 5 0 5 1 1 2\n", "line 1: a cell beyond"},
        {"0 a 5 5 -1 0 1 1 2\n", "line 1: a cell beyond"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scenario scenario;
        char fault[200] = "";
        assert_false(
            scenario_read(&scenario, rows[i].text, strlen(rows[i].text), 0, fault, sizeof fault));
        assert_non_null(strstr(fault, rows[i].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_queries),
        cmocka_unit_test(old_lines_take_the_height_of_the_map),
        cmocka_unit_test(many_lines_keep_their_optima),
        cmocka_unit_test(wrong_lines_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

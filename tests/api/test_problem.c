/* Goal: problems say all that RFC 9457 and the contract ask for. Method: write, read back with
 * Jansson; read the table of docs/api.md. Oracle: the contract's list of members. */
#include "documents.h"
#include "schema/limits.h"
#include "support/support.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *document_of(const struct problem *problem)
{
    struct text text = {0};
    problem_write(problem, "id-1", &text);
    json_t *json = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    text_deinit(&text);
    return json;
}

static const char *string_of(const json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));
    assert_non_null(value);
    return value;
}

static void one_fault(void **state)
{
    (void)state;
    struct limits limits = limits_default();
    struct problem problem = {0};
    struct problem_fault *fault = problem_add(&problem, PROBLEM_LIMIT_EXCEEDED, "%d too many", 3);
    problem_fault_limit(fault, &limits, LIMIT_milestones);
    fault->has_pointer = true;
    strcpy(fault->pointer, "/samples/count");

    json_t *json = document_of(&problem);
    assert_string_equal(string_of(json, "code"), "limit_exceeded");
    assert_string_equal(string_of(json, "type"), "urn:prmd:problem:limit_exceeded");
    assert_string_equal(string_of(json, "title"), "A limit is exceeded");
    assert_string_equal(string_of(json, "detail"), "3 too many");
    assert_string_equal(string_of(json, "pointer"), "/samples/count");
    assert_string_equal(string_of(json, "flag"), "--max-milestones");
    assert_string_equal(string_of(json, "request_id"), "id-1");
    assert_int_equal(json_integer_value(json_object_get(json, "status")), 422);
    assert_int_equal(json_integer_value(json_object_get(json, "limit")), 2000000);
    assert_null(json_object_get(json, "errors"));
    assert_null(json_object_get(json, "line"));
    json_decref(json);
}

static void several_faults_are_listed_and_too_many_counted(void **state)
{
    (void)state;
    struct problem problem = {0};
    for (int i = 0; i < PROBLEM_FAULTS_MAX + 5; i++)
        problem_add(&problem, i ? PROBLEM_UNKNOWN_MEMBER : PROBLEM_INVALID_ARGUMENT, "fault %d", i);

    json_t *json = document_of(&problem);
    const json_t *errors = json_object_get(json, "errors");
    assert_string_equal(string_of(json, "code"), "invalid_argument");
    assert_int_equal(json_array_size(errors), PROBLEM_FAULTS_MAX);
    assert_string_equal(string_of(json_array_get(errors, 0), "detail"), "fault 0");
    assert_string_equal(string_of(json_array_get(errors, 15), "detail"), "fault 15");
    assert_string_equal(string_of(json_array_get(errors, 1), "code"), "unknown_member");
    assert_int_equal(json_integer_value(json_object_get(json, "error_count")), 21);
    json_decref(json);
}

static void long_details_are_cut(void **state)
{
    (void)state;
    struct problem problem = {0};
    char *text = repeat("", "\xc3\xa4", 1000, "");
    problem_add(&problem, PROBLEM_MALFORMED, "%s", text);
    json_decref(document_of(&problem));
    free(text);
}

static void every_code_has_its_row(void **state)
{
    (void)state;
    const struct {
        enum problem_code code;
        const char *text;
        int status;
    } rows[] = {
#define PROBLEM(constant, code, status, title) {PROBLEM_##constant, code, status},
#include "schema/problems.def"
#undef PROBLEM
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(problem_code_text(rows[i].code), rows[i].text);
        assert_int_equal(problem_code_status(rows[i].code), rows[i].status);
        assert_true(rows[i].status >= 400 && rows[i].status < 600);
        assert_true(*problem_code_title(rows[i].code) != '\0');
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rows[i].text, rows[j].text);
    }
}

/* Whether a row of the page's table has the code beside its status. */
static bool is_row_of(const char *line, int status, const char *code)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "`%s`", code);
    const char *second = strncmp(line, "  | ", 4) == 0 ? strchr(line + 4, '|') : NULL;
    if (!second || !strstr(second, wanted))
        return false;
    snprintf(wanted, sizeof wanted, "%d", status);
    const char *number = strstr(line, wanted);
    return number && number < second;
}

/* The page for people names every code with its status. */
static void every_code_is_on_the_page(void **state)
{
    static const struct {
        const char *code;
        int status;
    } rows[] = {
#define PROBLEM(constant, code, status, title) {code, status},
#include "schema/problems.def"
#undef PROBLEM
    };
    (void)state;
    bool found[sizeof rows / sizeof *rows] = {false};
    char line[1024];
    FILE *page = fopen(API_PAGE, "r");
    assert_non_null(page);
    while (fgets(line, sizeof line, page))
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            found[i] |= is_row_of(line, rows[i].status, rows[i].code);
    fclose(page);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!found[i])
            fail_msg("docs/api.md has no row of %d with `%s`", rows[i].status, rows[i].code);
}

static void limits_are_a_table(void **state)
{
    (void)state;
    struct limits limits = limits_default();
    assert_int_equal(limits_value(&limits, LIMIT_dof), limits.dof);
    assert_int_equal(limits_value(&limits, LIMIT_device_bytes), limits.device_bytes);
    limits_set(&limits, LIMIT_goals, 5);
    assert_int_equal(limits.goals, 5);
    for (int i = 0; i < LIMIT_COUNT; i++)
        assert_memory_equal(limit_table[i].flag, "--max-", 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_fault),
        cmocka_unit_test(several_faults_are_listed_and_too_many_counted),
        cmocka_unit_test(long_details_are_cut),
        cmocka_unit_test(every_code_has_its_row),
        cmocka_unit_test(every_code_is_on_the_page),
        cmocka_unit_test(limits_are_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

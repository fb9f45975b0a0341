/* Goal: JSON is written well-formed. Method: each kind of value, strings of all kinds of bytes,
 * growth. Oracle: Jansson reads it back. */
#include "documents.h"
#include "schema/text.h"
#include "support/support.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static void commas_come_by_themselves(void **state)
{
    (void)state;
    struct text text = {0};
    text_json_open(&text, '{');
    text_json_key(&text, "a");
    text_json_open(&text, '[');
    text_json_close(&text, ']');
    text_json_key(&text, "b");
    text_json_open(&text, '[');
    text_json_bool(&text, true);
    text_json_null(&text);
    text_json_u64(&text, 7);
    text_json_number(&text, -1.5, 17);
    text_json_string(&text, ",[{:");
    text_json_open(&text, '{');
    text_json_close(&text, '}');
    text_json_numbers(&text, NULL, (double[]){1, 2.5}, 2);
    text_json_bool(&text, false);
    text_json_close(&text, ']');
    text_json_numbers(&text, "c", NULL, 0);
    text_json_close(&text, '}');
    assert_string_equal(text_string(&text),
                        "{\"a\":[],\"b\":[true,null,7,-1.5,\",[{:\",{},[1,2.5],false],\"c\":[]}");
    text_deinit(&text);
}

static void what_is_not_finite_is_null(void **state)
{
    (void)state;
    struct text text = {0};
    text_json_numbers(&text, NULL, (double[]){NAN, INFINITY, -INFINITY, 1}, 4);
    assert_string_equal(text_string(&text), "[null,null,null,1]");
    text_deinit(&text);
}

static void strings_are_escaped(void **state)
{
    (void)state;
    const struct {
        const char *string, *json;
    } rows[] = {
        {"", "\"\""},
        {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1f\x7f", "\"\\u0001\\u001f\x7f\""},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xff", "\"\\ufffd\""},
        {"a\xc3", "\"a\\ufffd\""},
        {"\xc0\x80", "\"\\ufffd\\ufffd\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xe2\x82", "\"\\ufffd\\ufffd\""},
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = {0};
        text_json_string(&text, rows[i].string);
        assert_string_equal(text_string(&text), rows[i].json);
        text_deinit(&text);
    }
}

static void random_bytes_make_json(void **state)
{
    (void)state;
    struct test_random random = {3};
    for (int i = 0; i < 20000; i++) {
        char string[32];
        size_t length = test_random_below(&random, sizeof string);
        for (size_t c = 0; c < length; c++)
            string[c] = (char)(1 + test_random_below(&random, 255));
        string[length] = '\0';
        struct text text = {0};
        text_json_string(&text, string);
        json_t *json = json_loadb(text.data, text.length, JSON_DECODE_ANY, NULL);
        assert_non_null(json);
        json_decref(json);
        text_deinit(&text);
    }
}

static void it_grows(void **state)
{
    (void)state;
    struct text text = {0};
    for (unsigned i = 0; i < 100000; i++)
        text_print(&text, "%05u", i);
    assert_int_equal(text.length, 500000);
    for (size_t i = 0; i < 100000; i += 997) {
        char expected[6];
        snprintf(expected, sizeof expected, "%05u", (unsigned)i);
        assert_memory_equal(text.data + 5 * i, expected, 5);
    }
    text_deinit(&text);
    assert_null(text.data);
}

static void failure_is_sticky(void **state)
{
    (void)state;
    struct text text = {0};
    text_append(&text, "x", 1);
    text_append(&text, "x", SIZE_MAX);
    assert_true(text.failed);
    text_append(&text, "y", 1);
    text_json_number(&text, 1, 17);
    text_print(&text, "%d", 5);
    assert_int_equal(text.length, 1);
    text_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_come_by_themselves),
        cmocka_unit_test(what_is_not_finite_is_null),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(random_bytes_make_json),
        cmocka_unit_test(it_grows),
        cmocka_unit_test(failure_is_sticky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: documents are read by look-up; absent and wrong types never crash. Oracle: by hand, RFC
 * 6901's own examples among it. */
#include "schema/document.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static struct document *parse(const char *text)
{
    char fault[200] = "";
    struct document *document = document_parse(text, strlen(text), fault, sizeof fault);
    if (!document)
        fail_msg("%s: %s", text, fault);
    return document;
}

static void pointers_find_values(void **state)
{
    (void)state;
    struct document *document = parse("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,"
                                      "\"m~n\":8,\" \":7,\"o\":{\"p\":[[1,2],[3,4]]}}");
    const struct document_value *root = document_root(document);
    static const struct {
        const char *pointer;
        double number;
    } rows[] = {{"/", 0},     {"/a~1b", 1},       {"/c%d", 2},   {"/m~0n", 8},
                {"/ ", 7},    {"/o/p/1/0", 3},    {"/x", -1},    {"/foo/2", -1},
                {"/foo", -1}, {"/o/p/1/0/0", -1}, {"/o/p/", -1}, {"/foo/1x", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(document_number(root, rows[i].pointer, -1) == rows[i].number);
    assert_string_equal(document_string(root, "/foo/1", "?"), "baz");
    assert_string_equal(document_string(root, "/o", "?"), "?");
    assert_ptr_equal(document_at(root, ""), root);
    document_destroy(document);
}

static void absent_values_are_harmless(void **state)
{
    (void)state;
    struct document *document = parse("[1,\"a\",null,true,{}]");
    const struct document_value *root = document_root(document);
    for (size_t i = 0; i < 6; i++) {
        const struct document_value *value = document_element(root, i);
        assert_int_equal(document_length(value), 0);
        assert_null(document_next_key(value, NULL));
        assert_null(document_element(value, 0));
        assert_null(document_member(value, "x"));
        assert_null(document_at(value, "/x/y"));
    }
    assert_true(document_bool(root, "/3", false));
    assert_false(document_bool(root, "/2", false));
    assert_int_equal(document_length(root), 5);
    document_destroy(document);
    document_destroy(NULL);
}

static void members_come_in_order(void **state)
{
    (void)state;
    struct document *document = parse("{\"b\":1,\"a\":2,\"c\":3}");
    const struct document_value *root = document_root(document);
    char order[4] = "";
    size_t length = 0;
    for (const char *key = document_next_key(root, NULL); key; key = document_next_key(root, key))
        order[length++] = key[0];
    assert_string_equal(order, "bac");
    document_destroy(document);
}

static void written_is_what_was_read(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":[1,-2,0.1,1e+300,\"q\\\"\\n\",true,false,null,{},[]],"
                               "\"seed\":9007199254740993}";
    struct document *document = parse(text);
    struct text out = {0};
    document_write(document_root(document), &out);
    text_append(&out, "", 1);
    assert_false(out.failed);
    struct document *again = parse(out.data);
    assert_true(document_number(document_root(again), "/a/2", 0) == 0.1);
    assert_true(document_number(document_root(again), "/a/3", 0) == 1e300);
    assert_non_null(strstr(out.data, "9007199254740993"));
    assert_non_null(strstr(out.data, "true,false,null,{},[]]"));
    text_deinit(&out);
    document_destroy(document);
    document_destroy(again);
}

static void what_is_not_json_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "{", "[1,]", "{\"a\":1,\"a\":2}", "nan", "[1] x", "'a'"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char fault[200] = "";
        assert_null(document_parse(bad[i], strlen(bad[i]), fault, sizeof fault));
        assert_non_null(strstr(fault, "line 1"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_find_values),        cmocka_unit_test(absent_values_are_harmless),
        cmocka_unit_test(members_come_in_order),       cmocka_unit_test(written_is_what_was_read),
        cmocka_unit_test(what_is_not_json_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

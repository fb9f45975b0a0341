/* Goal: forms come apart again as they were put together whatever the files hold, and a map's image
 * is found where its yaml has it. Method: tables. Oracle: the form as RFC 7578 has it, written out;
 * paths by hand. */
#include "client/form.h"
#include "support/support.h"

#include <string.h>

static void forms_are_written(void **state)
{
    (void)state;
    static const char binary[] = "\x00\r\n--prm-part-00000000--\r\nprm-part-00000001\xff";
    static const char expected[] =
        "--prm-part-00000002\r\nContent-Disposition: form-data; name=\"yaml\"; "
        "filename=\"yaml\"\r\n\r\na: 1\n\r\n"
        "--prm-part-00000002\r\nContent-Disposition: form-data; name=\"image\"; "
        "filename=\"image\"\r\n\r\n"
        "\x00\r\n--prm-part-00000000--\r\nprm-part-00000001\xff\r\n"
        "--prm-part-00000002--\r\n";
    const struct form_part parts[] = {{"yaml", "a: 1\n", 5}, {"image", binary, sizeof binary - 1}};
    struct text body;
    char type[FORM_TYPE_BYTES];
    form_write(&body, type, parts, 2);
    assert_false(body.failed);
    assert_string_equal(type, "multipart/form-data; boundary=prm-part-00000002");
    assert_int_equal(body.length, sizeof expected - 1);
    assert_memory_equal(body.data, expected, body.length);
    text_deinit(&body);
}

static void keys_of_a_yaml_are_found(void **state)
{
    (void)state;
    const struct {
        const char *yaml, *value; /* NULL: not found */
    } rows[] = {
        {"image: a.pgm\n", "a.pgm"},
        {"resolution: 1\nimage: a.pgm", "a.pgm"},
        {"image:   a b.pgm  # the map\r\n", "a b.pgm"},
        {"image: a#b.pgm\n", "a#b.pgm"},
        {"image: \"a #.pgm\" # the map\n", "a #.pgm"},
        {"image: 'a.pgm'\r\n", "a.pgm"},
        {"images: b\nimage:\ta.pgm\r\n", "a.pgm"},
        {" image: a.pgm\n", NULL},
        {"# image: a.pgm\n", NULL},
        {"image:\n", NULL},
        {"image", NULL},
        {"", NULL},
        {"image: 12345678901234567890\n", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char value[16];
        const bool found =
            form_yaml_value(rows[i].yaml, strlen(rows[i].yaml), "image", value, sizeof value);
        assert_int_equal(found, rows[i].value != NULL);
        if (found)
            assert_string_equal(value, rows[i].value);
    }
}

static void images_lie_beside_their_yaml(void **state)
{
    (void)state;
    const struct {
        const char *yaml, *name, *path;
    } rows[] = {
        {"map.yaml", "a.pgm", "a.pgm"},
        {"maps/map.yaml", "a.pgm", "maps/a.pgm"},
        {"/maps/map.yaml", "../a.pgm", "/maps/../a.pgm"},
        {"maps/map.yaml", "/a.pgm", "/a.pgm"},
        {"/map.yaml", "a.pgm", "/a.pgm"},
        {"-", "a.pgm", "a.pgm"},
    };
    char path[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(form_path_beside(rows[i].yaml, rows[i].name, path, sizeof path));
        assert_string_equal(path, rows[i].path);
    }
    assert_false(form_path_beside("a/b", "12345678901234567890", path, 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_written),
        cmocka_unit_test(keys_of_a_yaml_are_found),
        cmocka_unit_test(images_lie_beside_their_yaml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: forms of several files come apart as RFC 7578 says, contents byte by byte, and what is no
 * form is refused. Method: tables of bodies; every truncation and every changed byte of a good one,
 * for a sanitizer to watch. Oracle: the bodies as they were put together. */
#include "service/files/multipart.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#define TYPE "multipart/form-data; boundary=XX"
#define PART(name) "Content-Disposition: form-data; name=\"" name "\"\r\n"

static const char *const NAMES[] = {"yaml", "image", NULL};

static bool read(struct multipart *form, const char *type, const char *body,
                 struct problem *problem)
{
    return multipart_read(form, type, body, strlen(body), NAMES, problem);
}

static void types_are_told(void **state)
{
    (void)state;
    const struct {
        const char *type;
        bool is;
    } rows[] = {
        {NULL, false},
        {"", false},
        {"application/json", false},
        {"multipart/mixed; boundary=XX", false},
        {"multipart/form-datax; boundary=XX", false},
        {"multipart/form-data", true},
        {"Multipart/Form-Data ; boundary=XX", true},
        {TYPE, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(multipart_is(rows[i].type), rows[i].is);
}

/* A body and what its two parts must be; image NULL: there is one part. */
static void parts_come_apart(void **state)
{
    (void)state;
    const struct {
        const char *type, *body, *yaml, *image;
    } rows[] = {
        {TYPE, "--XX\r\n" PART("yaml") "\r\na: 1\r\n--XX--\r\n", "a: 1", NULL},
        // the closing delimiter's own line end may lack, an epilogue may follow
        {TYPE, "--XX\r\n" PART("yaml") "\r\na\r\n--XX--", "a", NULL},
        {TYPE, "--XX\r\n" PART("yaml") "\r\na\r\n--XX--\r\nepilogue --XX", "a", NULL},
        // a preamble, blanks behind a delimiter
        {TYPE, "preamble\r\n--XX \t\r\n" PART("yaml") "\r\na\r\n--XX--\r\n", "a", NULL},
        // any order, other headers, a file name
        {TYPE,
         "--XX\r\ncontent-disposition: FORM-DATA; filename=\"a\\\"b;name=c\"; name=image\r\n"
         "Content-Type: image/png\r\n\r\n\r\n\r\n--X\r\n\r\n--XX\r\n" PART(
             "yaml") "Content-Transfer-Encoding: Binary\r\n\r\n\r\n--XX--",
         "", "\r\n\r\n--X\r\n"},
        // without the type the first line tells the boundary
        {NULL, "--XX\r\n" PART("yaml") "\r\na\r\n--XX--", "a", NULL},
        {"application/json", "--X\r\n" PART("yaml") "\r\n--\r\n--X--", "--", NULL},
        // empty parts, one of them without the line end that is its own
        {TYPE, "--XX\r\n" PART("yaml") "\r\n\r\n--XX\r\n" PART("image") "\r\n--XX--", "", ""},
        // boundaries quoted, and of all their characters
        {"multipart/form-data; charset=utf-8; BOUNDARY=\"a b?'()+_,-./:=\"",
         "--a b?'()+_,-./:=\r\n" PART("yaml") "\r\n--a b\r\n--a b?'()+_,-./:=--", "--a b", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct multipart form;
        struct problem problem = {0};
        if (!read(&form, rows[i].type, rows[i].body, &problem))
            fail_msg("row %zu: %s", i, problem.faults[0].detail);
        const struct multipart_part *yaml = multipart_part(&form, "yaml");
        const struct multipart_part *image = multipart_part(&form, "image");
        assert_non_null(yaml);
        assert_int_equal(yaml->bytes, strlen(rows[i].yaml));
        assert_memory_equal(yaml->data, rows[i].yaml, yaml->bytes);
        assert_int_equal(image != NULL, rows[i].image != NULL);
        if (image && rows[i].image) {
            assert_int_equal(image->bytes, strlen(rows[i].image));
            assert_memory_equal(image->data, rows[i].image, image->bytes);
        }
        assert_null(multipart_part(&form, "other"));
    }
}

static void contents_are_bytes(void **state)
{
    (void)state;
    // every byte value, zero too
    char body[512] = "--XX\r\n" PART("image") "\r\n";
    const size_t head = strlen(body);
    for (int i = 0; i < 256; i++)
        body[head + (size_t)i] = (char)i;
    static const char END[8] = {'\r', '\n', '-', '-', 'X', 'X', '-', '-'};
    memcpy(body + head + 256, END, sizeof END);

    struct multipart form;
    struct problem problem = {0};
    assert_true(multipart_read(&form, TYPE, body, head + 256 + 8, NAMES, &problem));
    assert_int_equal(form.parts[0].bytes, 256);
    assert_ptr_equal(form.parts[0].data, body + head);
}

static void what_is_no_form_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *type, *body;
        enum problem_code code;
        const char *detail;
    } rows[] = {
        {NULL, "", PROBLEM_UNSUPPORTED_MEDIA_TYPE, "multipart/form-data"},
        {NULL, "--\r\n", PROBLEM_UNSUPPORTED_MEDIA_TYPE, "multipart/form-data"},
        {"text/yaml", "image: a", PROBLEM_UNSUPPORTED_MEDIA_TYPE, "multipart/form-data"},
        {NULL, "--12345678901234567890123456789012345678901234567890123456789012345678901\r\n",
         PROBLEM_UNSUPPORTED_MEDIA_TYPE, "multipart/form-data"},
        {NULL, "--XX--", PROBLEM_MALFORMED, "CR LF"},
        {"multipart/form-data", "--XX--", PROBLEM_MALFORMED, "boundary"},
        {"multipart/form-data; boundary=", "--XX--", PROBLEM_MALFORMED, "boundary"},
        {"multipart/form-data; boundary=\"XX", "--XX--", PROBLEM_MALFORMED, "boundary"},
        {"multipart/form-data; boundary=XX; boundary=XX", "--XX--", PROBLEM_MALFORMED, "boundary"},
        {"multipart/form-data; boundary="
         "12345678901234567890123456789012345678901234567890123456789012345678901",
         "--XX--", PROBLEM_MALFORMED, "boundary"},
        {TYPE, "", PROBLEM_MALFORMED, "does not hold the boundary"},
        {TYPE, "--YY\r\n" PART("yaml") "\r\na\r\n--YY--", PROBLEM_MALFORMED, "hold the boundary"},
        {TYPE, " --XX\r\n" PART("yaml") "\r\na\r\n--XX--", PROBLEM_MALFORMED, "no part"},
        {TYPE, "--XX\n" PART("yaml") "\r\na\r\n--XX--", PROBLEM_MALFORMED, "CR LF"},
        {TYPE, "--XX\r\n" PART("yaml") "\r\na\r\n", PROBLEM_MALFORMED, "closing delimiter"},
        {TYPE, "--XX\r\n" PART("yaml"), PROBLEM_MALFORMED, "ends within"},
        {TYPE, "--XX\r\n\r\na\r\n--XX--", PROBLEM_MALFORMED, "no Content-Disposition"},
        {TYPE, "--XX\r\n" PART("") "\r\na\r\n--XX--", PROBLEM_MALFORMED, "with a name"},
        {TYPE, "--XX\r\nContent-Disposition: attachment; name=yaml\r\n\r\na\r\n--XX--",
         PROBLEM_MALFORMED, "form-data with a name"},
        {TYPE, "--XX\r\n" PART("yaml") PART("image") "\r\na\r\n--XX--", PROBLEM_MALFORMED, "two"},
        {TYPE, "--XX\r\n" PART("yaml") "\r\na\r\n--XX\r\n" PART("yaml") "\r\na\r\n--XX--",
         PROBLEM_MALFORMED, "\"yaml\" comes twice"},
        {TYPE, "--XX\r\n" PART("yml") "\r\na\r\n--XX--", PROBLEM_UNKNOWN_MEMBER, "\"yml\""},
        {TYPE, "--XX\r\n" PART("yaml") "Content-Transfer-Encoding: base64\r\n\r\na\r\n--XX--",
         PROBLEM_MALFORMED, "encoded"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct multipart form;
        struct problem problem = {0};
        assert_false(read(&form, rows[i].type, rows[i].body, &problem));
        assert_int_equal(problem.faults[0].code, rows[i].code);
        if (!strstr(problem.faults[0].detail, rows[i].detail))
            fail_msg("row %zu: %s", i, problem.faults[0].detail);
    }
}

static void broken_forms_stay_inside(void **state)
{
    (void)state;
    const char good[] =
        "--XX\r\n" PART("yaml") "\r\na: 1\r\n--XX\r\n" PART("image") "\r\nP5\r\n--XX--";
    const size_t bytes = sizeof good - 1;
    const char with[] = {'\0', '\r', '\n', '-', '"', '\\', ';', 'X', ' '};
    struct multipart form;
    for (size_t length = 0; length < bytes; length++) {
        struct problem problem = {0};
        char *copy = malloc(length + 1);
        memcpy(copy, good, length);
        copy = realloc(copy, length ? length : 1);
        assert_false(multipart_read(&form, TYPE, copy, length, NAMES, &problem));
        free(copy);
    }
    for (size_t at = 0; at < bytes; at++) {
        for (size_t i = 0; i < sizeof with; i++) {
            struct problem problem = {0};
            char *copy = malloc(bytes);
            memcpy(copy, good, bytes);
            copy[at] = with[i];
            if (multipart_read(&form, TYPE, copy, bytes, NAMES, &problem))
                for (unsigned part = 0; part < form.count; part++)
                    assert_true(form.parts[part].data >= copy &&
                                form.parts[part].data + form.parts[part].bytes <= copy + bytes);
            else
                assert_true(problem.fault_count > 0);
            free(copy);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_told),           cmocka_unit_test(parts_come_apart),
        cmocka_unit_test(contents_are_bytes),       cmocka_unit_test(what_is_no_form_is_refused),
        cmocka_unit_test(broken_forms_stay_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

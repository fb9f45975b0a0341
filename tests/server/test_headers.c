/* Goal: header values mean what RFC 9110 and RFC 7240 say. Method: tables. Oracle: the RFCs' own
 * examples and what curl, browsers, Prometheus and urllib send. */
#include "schema/media_type.h"
#include "server/headers.h"
#include "support/support.h"

#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static void accept_is_loose(void **state)
{
    static const struct {
        const char *accept, *media;
        bool taken;
    } rows[] = {
        {NULL, "application/json", true},
        {"", "application/json", true},
        {"*/*", "application/json", true},
        {"application/json", "application/json", true},
        {"APPLICATION/JSON;q=0.5", "application/json", true},
        {"application/*", "application/json", true},
        {"application/problem+json", "application/json", true},
        {"text/html,application/xhtml+xml,*/*;q=0.8", "application/json", true},
        {"text/html", "application/json", false},
        {"text/*, image/png", "application/json", false},
        {"application/json;q=0", "application/json", false},
        {"*/*, application/json; q=0.000", "application/json", false},
        {"*/*;q=0", "application/json", false},
        {"application/jso", "application/json", false},
        {"application", "application/json", false},
        {"image/svg+xml", "image/svg+xml", true},
        {"image/*;q=0.1", "image/svg+xml", true},
        {"application/json", "image/svg+xml", false},
        {"text/plain;x=\",\";q=1, a/b", "application/json", false},
        {"*", "application/json", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (headers_accept(rows[i].accept, rows[i].media) != rows[i].taken)
            fail_msg("Accept: %s for %s", rows[i].accept, rows[i].media);
}

static void gzip_is_offered_to_who_takes_it(void **state)
{
    static const struct {
        const char *value;
        bool taken;
    } rows[] = {
        {NULL, false},       {"", false},
        {"gzip", true},      {"deflate, gzip;q=1.0, *;q=0.5", true},
        {"gzip;q=0", false}, {"*;q=0.1", true},
        {"*;q=0", false},    {"*, gzip;q=0", false},
        {"identity", false}, {"br, GZIP", true},
        {"xgzip", false},    {"gzip;q=0.001", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (headers_accept_gzip(rows[i].value) != rows[i].taken)
            fail_msg("Accept-Encoding: %s", rows[i].value);
}

static void codings_of_bodies(void **state)
{
    static const struct {
        const char *value;
        enum content_coding coding;
    } rows[] = {
        {NULL, CODING_IDENTITY},       {"", CODING_IDENTITY},
        {"identity", CODING_IDENTITY}, {"gzip", CODING_ZLIB},
        {"GZip", CODING_ZLIB},         {"x-gzip", CODING_ZLIB},
        {"deflate", CODING_ZLIB},      {"identity, gzip", CODING_ZLIB},
        {"br", CODING_UNKNOWN},        {"gzip, gzip", CODING_UNKNOWN},
        {"zstd", CODING_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (headers_content_coding(rows[i].value) != rows[i].coding)
            fail_msg("Content-Encoding: %s", rows[i].value);
}

static void types_of_bodies(void **state)
{
    static const char *const json[] = {NULL,
                                       "",
                                       "application/json",
                                       "Application/JSON; charset=utf-8",
                                       "application/geo+json",
                                       "text/json",
                                       "application/x-www-form-urlencoded"};
    static const char *const other[] = {"text/plain",
                                        "application/xml",
                                        "multipart/form-data; boundary=x",
                                        "application/octet-stream",
                                        "application/x-npy",
                                        "json"};
    (void)state;
    for (size_t i = 0; i < COUNT(json); i++)
        assert_true(headers_content_json(json[i]));
    for (size_t i = 0; i < COUNT(other); i++)
        assert_false(headers_content_json(other[i]));
}

static void exact_types(void **state)
{
    static const char NPZ[] = "application/x-npz";
    static const struct {
        const char *value;
        bool named, is;
    } rows[] = {
        {NULL, false, false},
        {"*/*", false, false},
        {"application/*", false, false},
        {"Application/X-NPZ", true, true},
        {"application/x-npz; v=1", true, true},
        {"application/x-npz;q=0", false, true},
        {"application/json, application/x-npz;q=0.1", true, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (headers_accept_names(rows[i].value, NPZ) != rows[i].named)
            fail_msg("Accept: %s", rows[i].value ? rows[i].value : "(none)");
        if (media_type_is(rows[i].value, NPZ) != rows[i].is)
            fail_msg("Content-Type: %s", rows[i].value ? rows[i].value : "(none)");
    }
}

static void preferences(void **state)
{
    static const struct {
        const char *value;
        double wait_s;
    } rows[] = {
        {NULL, -1},
        {"", -1},
        {"respond-async", -1},
        {"wait=10", 10},
        {"wait=0", 0},
        {"respond-async, wait=10", 10},
        {"wait=10, respond-async", 10},
        {"Wait = 7 ; x=y", 7},
        {"wait=\"12\"", 12},
        {"wait=5, wait=6", 5},
        {"wait", -1},
        {"wait=", -1},
        {"wait=-1", -1},
        {"wait=1.5", -1},
        {"wait=x", -1},
        {"foo=\"a,wait=3\"", -1},
        {"waiting=3", -1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (headers_prefer_wait(rows[i].value) != rows[i].wait_s)
            fail_msg("Prefer: %s: %g", rows[i].value, headers_prefer_wait(rows[i].value));
    // a wait longer than a double holds exactly is still a long wait
    assert_true(headers_prefer_wait("wait=99999999999999999999") >= 1e8);
}

static void request_ids(void **state)
{
    char id[70];
    (void)state;
    assert_true(headers_request_id("a"));
    assert_true(headers_request_id("3f2b6c1e-0c1d-4a7b-9b1f-2e1d0c9b8a7f"));
    assert_false(headers_request_id(NULL));
    assert_false(headers_request_id(""));
    assert_false(headers_request_id("a b"));
    assert_false(headers_request_id("a\"b"));
    assert_false(headers_request_id("\xC3\xA9"));
    memset(id, 'x', sizeof(id));
    id[64] = '\0';
    assert_true(headers_request_id(id));
    id[64] = 'x';
    id[65] = '\0';
    assert_false(headers_request_id(id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accept_is_loose),   cmocka_unit_test(gzip_is_offered_to_who_takes_it),
        cmocka_unit_test(codings_of_bodies), cmocka_unit_test(types_of_bodies),
        cmocka_unit_test(exact_types),       cmocka_unit_test(preferences),
        cmocka_unit_test(request_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

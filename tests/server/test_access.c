/* Goal: what a listener lets in, by origin and prefix. Method: tables of texts; tokens are judged
 * by their own test, and all together over loopback. */
#include "server/access.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

static void origins(void **state)
{
    static const struct {
        const char *list, *origin, *allowed;
    } rows[] = {
        {NULL, "https://a", NULL},
        {"*", "https://a", "*"},
        {"*", NULL, NULL},
        {"https://a", "https://a", "https://a"},
        {"https://a", "HTTPS://A", "HTTPS://A"},
        {"https://a", "https://a:8080", NULL},
        {"https://a:8080", "https://a", NULL},
        {"https://a", "http://a", NULL},
        {"https://a", "https://a.b", NULL},
        {"https://a,https://b", "https://b", "https://b"},
        {" https://a , https://b ", "https://b", "https://b"},
        {"https://a,https://b", "https://a,https://b", NULL},
        {"https://a", "null", NULL},
        {"https://a", "", NULL},
        {",", "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct access access = {.cors_origin = rows[i].list};
        const char *allowed = access_allow_origin(&access, rows[i].origin);
        if ((allowed == NULL) != (rows[i].allowed == NULL) ||
            (allowed != NULL && strcmp(allowed, rows[i].allowed) != 0))
            fail_msg("row %zu: %s", i, allowed != NULL ? allowed : "none");
    }
}

static void foreign_pages_may_only_read(void **state)
{
    static const struct {
        const char *origin, *host;
        bool only_reads, let_in;
    } rows[] = {
        {NULL, "h", false, true},
        {"http://localhost", "localhost", false, true},
        {"http://LOCALHOST:1", "localhost:1", false, true},
        {"http://127.0.0.1:1", "127.0.0.1:1", false, true},
        {"https://[::1]:1", "[::1]:1", false, true},
        {"http://10.0.0.1:1", "10.0.0.1:2", false, false},
        {"http://h:1", "h:1", false, false},
        {"http://127.0.0.1.x", "127.0.0.1.x", false, false},
        {"http://localhost.x", "localhost.x", false, false},
        {"http://x", "localhost", false, false},
        {"http://x", "localhost", true, true},
        {"null", "localhost", false, false},
        {"null", "null", false, false},
        {"http://localhost", NULL, false, false},
        {"http://ok", "h", false, true},
        {"", "h", false, false},
    };
    const struct access access = {.cors_origin = "http://ok"};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct access_claim claim = {
            .origin = rows[i].origin, .host = rows[i].host, .only_reads = rows[i].only_reads};
        const struct access_decision decision = access_decide(&access, &claim, ROLE_WRITE, 0);
        if ((decision.code == PROBLEM_NONE) != rows[i].let_in)
            fail_msg("row %zu: %d", i, decision.code);
    }
}

static void prefixes_are_cut_off(void **state)
{
    static const struct {
        const char *path, *rest;
    } rows[] = {
        {"/p/q/v1", "/v1"}, {"/p/q/", "/"},     {"/p/q", NULL},    {"/p/qv1", NULL}, {"/p", NULL},
        {"/v1", NULL},      {"//p/q/v1", NULL}, {"/P/q/v1", NULL}, {"", NULL},
    };
    const struct access access = {.base_path = "/p/q"};
    char whole[] = "/v1";
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char path[16];
        snprintf(path, sizeof(path), "%s", rows[i].path);
        const char *rest = access_strip(&access, path);
        assert_int_equal(rest == NULL, rows[i].rest == NULL);
        if (rest != NULL)
            assert_string_equal(rest, rows[i].rest);
    }
    assert_ptr_equal(access_strip(&(struct access){0}, whole), whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(origins),
        cmocka_unit_test(foreign_pages_may_only_read),
        cmocka_unit_test(prefixes_are_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

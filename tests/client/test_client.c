/* Goal: outcomes, headers, readable problems, kept connections. Method: a scripted server on
 * loopback. Oracle: RFC 9457 documents written by hand. */
#include "client/client.h"
#include "fake_server.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static struct fake_server server;

static struct fake_answer answers[] = {
    {"GET /ok", 200, "application/json", "{\"a\":[1,2]}", 0},
    {"GET /text", 200, "text/plain", "{not json", 0},
    {"GET /broken", 200, "application/json", "{\"a\":", 0},
    {"GET /plain", 500, "text/plain", "oops", 0},
    {"GET /busy", 503, "application/problem+json",
     "{\"title\":\"The server is busy\",\"code\":\"overloaded\",\"status\":503}", 0},
    {"PUT /bad", 422, "application/problem+json",
     "{\"title\":\"A limit is exceeded\",\"code\":\"limit_exceeded\",\"detail\":\"too many\","
     "\"pointer\":\"/samples/count\",\"limit\":2000000,\"flag\":\"--max-milestones\","
     "\"request_id\":\"r1\"}",
     0},
    {"PUT /two", 422, "application/problem+json",
     "{\"title\":\"T\",\"code\":\"unknown_member\",\"detail\":\"first\",\"errors\":["
     "{\"detail\":\"first\",\"pointer\":\"/x\"},{\"detail\":\"second\",\"pointer\":\"\"}]}",
     0},
    {"PUT /syntax", 400, "application/problem+json",
     "{\"title\":\"T\",\"code\":\"malformed\",\"detail\":\"d\",\"line\":3,\"column\":7}", 0},
    {"POST /echo", 200, NULL, "", 0},
    {NULL, 0, NULL, NULL, 0},
};

static int start(void **state)
{
    (void)state;
    fake_server_start(&server, answers);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    fake_server_stop(&server);
    return 0;
}

static void outcomes_follow_the_status(void **state)
{
    (void)state;
    static const struct {
        const char *method, *path;
        enum client_outcome outcome;
        const char *says; /* in the error; NULL: there is none */
    } rows[] = {
        {"GET", "/ok", CLIENT_DONE, NULL},
        {"GET", "/text", CLIENT_DONE, NULL},
        {"GET", "/broken", CLIENT_FAILED, "not JSON"},
        {"GET", "/plain", CLIENT_FAILED, "HTTP status 500"},
        {"GET", "/busy", CLIENT_FAILED, "The server is busy (503 overloaded)"},
        {"GET", "/nothing", CLIENT_REFUSED, "HTTP status 404"},
        {"PUT", "/bad", CLIENT_REFUSED, "at /samples/count"},
        {"PUT", "/bad", CLIENT_REFUSED, "the limit is 2000000 (prmd --max-milestones raises it)"},
        {"PUT", "/bad", CLIENT_REFUSED, "request r1"},
        {"PUT", "/two", CLIENT_REFUSED, "first\n    at /x\n  second\n    at the whole document"},
        {"PUT", "/syntax", CLIENT_REFUSED, "at line 3, column 7"},
    };
    struct client *client = client_create(&(struct client_options){.server = server.url});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct client_request request = {.method = rows[i].method, .path = rows[i].path};
        struct client_reply reply;
        assert_int_equal(client_send(client, &request, &reply), rows[i].outcome);
        assert_int_equal(reply.error != NULL, rows[i].says != NULL);
        const char *error = reply.error ? reply.error : "";
        if (rows[i].says && !strstr(error, rows[i].says))
            fail_msg("%s: %s", rows[i].path, error);
        client_reply_deinit(&reply);
    }
    client_destroy(client);
}

static void connections_are_kept(void **state)
{
    (void)state;
    unsigned before = server.connections;
    struct client *client = client_create(&(struct client_options){.server = server.url});
    for (int i = 0; i < 5; i++) {
        struct client_reply reply;
        client_send(client, &(struct client_request){.method = "GET", .path = "/ok"}, &reply);
        assert_true(document_number(client_reply_root(&reply), "/a/1", 0) == 2);
        client_reply_deinit(&reply);
    }
    assert_int_equal(server.connections, before + 1);
    client_destroy(client);
}

static void headers_carry_token_and_preference(void **state)
{
    (void)state;
    struct client *client =
        client_create(&(struct client_options){.server = server.url, .token = "secret"});
    struct client_reply reply;
    struct client_request request = {.method = "POST",
                                     .path = "/echo",
                                     .body = "{\"x\":1}",
                                     .body_bytes = 7,
                                     .prefer = "wait=3"};
    assert_int_equal(client_send(client, &request, &reply), CLIENT_DONE);
    assert_non_null(strstr(server.last, "Authorization: Bearer secret\r\n"));
    assert_non_null(strstr(server.last, "Prefer: wait=3\r\n"));
    assert_non_null(strstr(server.last, "Content-Type: application/json\r\n"));
    assert_non_null(strstr(server.last, "\r\n\r\n{\"x\":1}"));
    assert_null(strstr(server.last, "Expect:"));
    client_reply_deinit(&reply);
    client_destroy(client);
}

static void servers_are_named_in_three_ways(void **state)
{
    (void)state;
    setenv("PRM_SERVER", "example.org:80/", 1);
    struct client *client = client_create(&(struct client_options){0});
    assert_string_equal(client_server(client), "http://example.org:80");
    client_destroy(client);
    client = client_create(&(struct client_options){.server = "https://h/base//"});
    assert_string_equal(client_server(client), "https://h/base");
    client_destroy(client);
    unsetenv("PRM_SERVER");
    client = client_create(&(struct client_options){0});
    assert_string_equal(client_server(client), CLIENT_SERVER_DEFAULT);
    client_destroy(client);
}

/* What the proxy, which is the scripted server, was asked for by a request to `url`; or "". */
static const char *asked_of_proxy(const char *url)
{
    struct client_reply reply;
    *server.last = '\0';
    struct client *client =
        client_create(&(struct client_options){.server = url, .connect_timeout_s = 2});
    client_send(client, &(struct client_request){.method = "GET", .path = "/ok"}, &reply);
    client_reply_deinit(&reply);
    client_destroy(client);
    return strncmp(server.last, "GET http://", 11) == 0 ? server.last + 4 : "";
}

static void only_this_machine_is_asked_without_a_proxy(void **state)
{
    (void)state;
    setenv("http_proxy", server.url, 1);
    const char *const there[] = {"http://localhost.example", "http://127.example:8",
                                 "http://[2001:db8::1]"};
    const char *const here[] = {server.url, "http://LocalHost:9", "localhost:9",
                                "http://[::1]:9/base"};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        assert_memory_equal(asked_of_proxy(there[i]), there[i], strlen(there[i]));
    for (size_t i = 0; i < sizeof here / sizeof *here; i++)
        assert_string_equal(asked_of_proxy(here[i]), "");
    unsetenv("http_proxy");
}

static void no_server_is_said(void **state)
{
    (void)state;
    // port 9 of this machine: nobody listens, or whoever does is not HTTP
    struct client *client = client_create(&(struct client_options){
        .server = "http://127.0.0.1:9", .connect_timeout_s = 2, .timeout_s = 2});
    struct client_reply reply;
    assert_int_equal(
        client_send(client, &(struct client_request){.method = "GET", .path = "/"}, &reply),
        CLIENT_FAILED);
    assert_int_equal(reply.status, 0);
    assert_non_null(strstr(reply.error, "http://127.0.0.1:9"));
    client_reply_deinit(&reply);
    client_destroy(client);
}

static void segments_are_encoded(void **state)
{
    (void)state;
    struct text url = {0};
    client_url_append(&url, "a/b c%é.-_~9");
    assert_int_equal(url.length, strlen("a%2Fb%20c%25%C3%A9.-_~9"));
    assert_memory_equal(url.data, "a%2Fb%20c%25%C3%A9.-_~9", url.length);
    text_deinit(&url);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_follow_the_status),
        cmocka_unit_test(connections_are_kept),
        cmocka_unit_test(headers_carry_token_and_preference),
        cmocka_unit_test(servers_are_named_in_three_ways),
        cmocka_unit_test(only_this_machine_is_asked_without_a_proxy),
        cmocka_unit_test(no_server_is_said),
        cmocka_unit_test(segments_are_encoded),
    };
    return cmocka_run_group_tests(tests, start, stop);
}

/* Goal: HTTP as api page section 1 says, whatever the client does with its bytes. Method: a server
 * on a free loopback port over a service without an engine; raw sockets for what clients do wrong,
 * libcurl as the oracle for what they do right. At the end all memory is back (run it under ASan
 * and TSan). */
#include "fake_service.h"
#include "server/http.h"
#include "server/listener.h"
#include "support/support.h"

#include "support/pause.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

enum {
    BODY_LIMIT = 4 << 20,
    TWICE_THE_LIMIT = 2 * BODY_LIMIT,
    ANSWER_BYTES = 8 << 20,
    RECEIVE_TIMEOUT_S = 20
};

static struct http *http;
static struct service *service;
static uint16_t port;
static char *answer; /* [ANSWER_BYTES], what the last exchange received, terminated */

static int setup(void **state)
{
    char fault[LISTENER_FAULT_MAX];
    bool usage;
    (void)state;
    struct http_options options = {.threads = 2, .idle_timeout_s = 30, .limits = limits_default()};
    options.limits.body_bytes = BODY_LIMIT;
    options.limits.host_bytes = 64 << 20;
    options.limits.wait_s = 100;
    options.listener = listener_open("127.0.0.1:0", LISTENER_TOKENS_WOULD_DO, fault, &usage);
    port = listener_port(options.listener);
    service = options.service = fake_service_open();
    http = http_open(&options);
    answer = malloc(ANSWER_BYTES);
    return http != NULL && answer != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    http_quiet(http);
    service_close(service);
    http_close(http);
    free(answer);
    return 0;
}

/* ---- raw sockets ---- */

static int dial(void)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval timeout = {.tv_sec = RECEIVE_TIMEOUT_S};
    const int on = 1;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
}

/* Sends all of it; false: the server has closed. */
static bool put(int fd, const char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t sent = send(fd, data, bytes, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        data += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

static void put_text(int fd, const char *text)
{
    assert_true(put(fd, text, strlen(text)));
}

/* Receives one answer with Content-Length (or without a body) into `answer`; its status, 0: closed.
 */
static int receive_of(int fd, bool has_body)
{
    size_t bytes = 0, wanted = SIZE_MAX;
    while (bytes < wanted && bytes + 1 < ANSWER_BYTES) {
        // the head byte by byte, so that nothing of the next answer is taken
        const ssize_t got = recv(fd, answer + bytes, wanted == SIZE_MAX ? 1 : wanted - bytes, 0);
        if (got <= 0)
            break;
        bytes += (size_t)got;
        answer[bytes] = '\0';
        if (wanted == SIZE_MAX && bytes >= 4 && memcmp(answer + bytes - 4, "\r\n\r\n", 4) == 0) {
            const char *length = strstr(answer, "Content-Length: ");
            wanted = bytes;
            if (length != NULL && has_body)
                wanted += strtoul(length + strlen("Content-Length: "), NULL, 10);
        }
    }
    answer[bytes] = '\0';
    return bytes < wanted ? 0 : atoi(answer + strlen("HTTP/1.1 "));
}

static int receive(int fd)
{
    return receive_of(fd, true);
}

static const char *body_of_answer(void)
{
    return strstr(answer, "\r\n\r\n") + 4;
}

static bool is_closed(int fd)
{
    char byte;
    return recv(fd, &byte, 1, 0) == 0;
}

static void assert_says(const char *text)
{
    if (strstr(answer, text) == NULL)
        fail_msg("no '%s' in: %.600s", text, answer);
}

/* A request on its own connection; the status. */
static int exchange(const char *request)
{
    const int fd = dial();
    put_text(fd, request);
    const int status = receive_of(fd, strncmp(request, "HEAD", 4) != 0);
    close(fd);
    return status;
}

/* ---- what must be answered ---- */

static void targets(void **state)
{
    static const struct {
        const char *target;
        int status;
        const char *says;
    } rows[] = {
        {"/v1/worlds/a%20b?x=1%2C2&y+z=%3D", 200, "\"x\":\"1,2\",\"y z\":\"=\""},
        {"/v1/worlds/a%20b", 200, "{\"segment\":\"a b\""},
        {"http://example.org/v1/worlds/abs", 200, "\"segment\":\"abs\""},
        {"/v1/nothing", 404, "\"code\":\"unknown_route\""},
        {"/", 404, "unknown_route"},
        {"/v1//worlds", 404, "unknown_route"},
        {"/v1/worlds/../robots", 404, "unknown_route"},
        {"/v1/worlds/a%2Fb", 400, "\"code\":\"malformed\""},
        {"/v1/worlds/a%00b", 400, "\"code\":\"malformed\""},
        {"/v1/worlds/a%zz", 400, "\"code\":\"malformed\""},
        {"/v1/worlds?x=%zz", 400, "\"code\":\"malformed\""},
        {"/v1/robots/r2", 404, "\"code\":\"unknown_robot\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char request[256];
        snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", rows[i].target);
        if (exchange(request) != rows[i].status)
            fail_msg("%s: %.300s", rows[i].target, answer);
        assert_says(rows[i].says);
        if (rows[i].status >= 400)
            assert_says("Content-Type: application/problem+json");
    }
}

static void methods(void **state)
{
    (void)state;
    assert_int_equal(exchange("POST /v1/worlds/a HTTP/1.1\r\nHost: x\r\n\r\n"), 405);
    assert_says("Allow: PUT, GET, HEAD, PATCH, DELETE, OPTIONS\r\n");
    assert_says("\"code\":\"method_not_allowed\"");
    assert_int_equal(exchange("BREW /v1 HTTP/1.1\r\nHost: x\r\n\r\n"), 405);
    assert_int_equal(exchange("OPTIONS /v1/worlds/a HTTP/1.1\r\nHost: x\r\n\r\n"), 204);
    assert_says("Allow: PUT, GET, HEAD, PATCH, DELETE, OPTIONS\r\n");
    assert_int_equal(exchange("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"), 204);
    assert_int_equal(exchange("OPTIONS /nothing HTTP/1.1\r\nHost: x\r\n\r\n"), 404);

    // HEAD has GET's length and no body, and the connection goes on
    assert_int_equal(exchange("GET /v1/devices HTTP/1.1\r\nHost: x\r\n\r\n"), 200);
    char length[64];
    snprintf(length, sizeof(length), "Content-Length: %zu\r\n", strlen(body_of_answer()));
    const int fd = dial();
    put_text(
        fd,
        "HEAD /v1/devices HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_int_equal(receive_of(fd, false), 200);
    assert_says(length);
    assert_int_equal(receive(fd), 404);
    close(fd);
    assert_int_equal(exchange("DELETE /v1/worlds/a HTTP/1.1\r\nHost: x\r\n\r\n"), 204);
}

static void reply_headers(void **state)
{
    (void)state;
    assert_int_equal(
        exchange("PUT /v1/worlds/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"), 202);
    assert_says("ETag: \"7-abc\"\r\n");
    assert_says("Location: /v1/jobs/7\r\n");
    assert_says("Preference-Applied: wait=3\r\n");
    assert_says("Retry-After: 9\r\n");
    assert_says("Content-Type: application/json\r\n");
    assert_says("X-Request-Id: ");
}

static void request_headers(void **state)
{
    (void)state;
    assert_int_equal(exchange("GET /v1/worlds HTTP/1.1\r\nHost: x\r\nX-Request-Id: my-id.7\r\n"
                              "Prefer: respond-async, wait=10\r\nIf-Match: \"a\", \"b\"\r\n\r\n"),
                     200);
    assert_says("X-Request-Id: my-id.7\r\n");
    assert_says("\"wait_s\":10");
    assert_says("\"if_match\":\"\\\"a\\\", \\\"b\\\"\"");
    // a list in several lines is one list; of what is none, the first line counts
    assert_int_equal(
        exchange(
            "GET /v1/worlds HTTP/1.1\r\nHost: x\r\nPrefer: respond-async\r\nX-Request-Id: 1\r\n"
            "Prefer: wait=10\r\nIf-Match: \"a\"\r\nIf-Match: \"b\"\r\nif-match: \"c\"\r\n"
            "Accept: text/html\r\nAccept: application/json\r\nX-Request-Id: 2\r\n\r\n"),
        200);
    assert_says("X-Request-Id: 1\r\n");
    assert_says("\"wait_s\":10");
    assert_says("\"if_match\":\"\\\"a\\\", \\\"b\\\", \\\"c\\\"\"");
    // cut to the limit; an id that could break a log line is replaced
    assert_int_equal(exchange("GET /v1/worlds HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\"b\r\nPrefer: "
                              "wait=9999\r\n\r\n"),
                     200);
    assert_says("\"wait_s\":100");
    assert_null(strstr(answer, "a\"b"));

    assert_int_equal(exchange("GET /v1/worlds HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n"),
                     406);
    assert_int_equal(
        exchange("GET /v1/worlds HTTP/1.1\r\nHost: x\r\nAccept: text/html, */*;q=0.1\r\n\r\n"),
        200);
    assert_int_equal(exchange("GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n"),
                     200);
    assert_int_equal(exchange("PUT /v1/robots/r HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n"
                              "Content-Length: 2\r\n\r\n{}"),
                     415);
    assert_int_equal(
        exchange("PUT /v1/robots/r?format=urdf HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n"
                 "Content-Length: 2\r\n\r\n{}"),
        200);
    assert_int_equal(exchange("PUT /v1/robots/r HTTP/1.1\r\nHost: x\r\nContent-Encoding: br\r\n"
                              "Content-Length: 2\r\n\r\n{}"),
                     415);
}

static void bodies_in_one_byte_writes(void **state)
{
    const char *request =
        "POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Length: 300\r\n\r\n";
    char body[301];
    const int fd = dial();
    (void)state;
    for (size_t i = 0; i < 300; i++)
        body[i] = (char)('a' + i % 26);
    body[300] = '\0';
    for (int round = 0; round < 2; round++) {
        for (const char *c = request; *c != '\0'; c++)
            assert_true(put(fd, c, 1));
        for (size_t i = 0; i < 300; i++)
            assert_true(put(fd, body + i, 1));
        assert_int_equal(receive(fd), 200);
        assert_string_equal(body_of_answer(), body);
    }
    close(fd);
}

/* A body of `bytes` from a serial generator, terminated. The caller frees. */
static char *make_body(size_t bytes)
{
    struct test_random random = {.state = bytes};
    char *body = malloc(bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        body[i] = (char)('!' + test_random_below(&random, 90));
    body[bytes] = '\0';
    return body;
}

static void chunked_bodies(void **state)
{
    static const size_t sizes[] = {0, 1, 20000, 2 << 20};
    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        char *body = make_body(sizes[s]);
        const int fd = dial();
        put_text(
            fd,
            "POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
        // chunks of growing size
        for (size_t at = 0, piece = 1; at < sizes[s]; at += piece, piece = piece * 3 + 1) {
            char head[32];
            const size_t bytes = sizes[s] - at < piece ? sizes[s] - at : piece;
            snprintf(head, sizeof(head), "%zx\r\n", bytes);
            put_text(fd, head);
            assert_true(put(fd, body + at, bytes));
            put_text(fd, "\r\n");
        }
        put_text(fd, "0\r\n\r\n");
        assert_int_equal(receive(fd), 200);
        assert_string_equal(body_of_answer(), body);
        close(fd);
        free(body);
    }
}

static void framings_that_two_readers_could_read_differently(void **state)
{
    static const char *const bad[] = {
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: identity\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    };
    // the library's own refusals: 0.9.75 sends their heads twice
    static const char *const bad_numbers[] = {"Content-Length: -5\r\n\r\n",
                                              "Content-Length: 5x\r\n\r\nhello"};
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char request[256];
        snprintf(request, sizeof(request), "POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\n%s",
                 bad[i]);
        const int fd = dial();
        put_text(fd, request);
        if (receive(fd) != 400)
            fail_msg("%s -> %.200s", bad[i], answer);
        // nothing behind such a body is taken for a request
        if (!is_closed(fd))
            fail_msg("%s: still open", bad[i]);
        close(fd);
    }
    for (size_t i = 0; i < sizeof(bad_numbers) / sizeof(bad_numbers[0]); i++) {
        char request[256];
        snprintf(request, sizeof(request), "POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\n%s",
                 bad_numbers[i]);
        assert_int_equal(exchange(request), 400);
    }
}

static void errors_leave_the_connection_usable(void **state)
{
    static const char *const heads[] = {
        "POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n",
        "POST /v1/worlds/a HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n",
        "PUT /v1/robots/a HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: "
        "200000\r\n\r\n",
        "PUT /v1/robots/a%2F HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n",
        "GET /v1/robots/a HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n",
        "PUT /v1/robots/a HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: "
        "200000\r\n\r\n",
    };
    static const int statuses[] = {404, 405, 415, 400, 404, 400};
    char *body = make_body(200000);
    const int fd = dial();
    (void)state;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        put_text(fd, heads[i]);
        assert_true(put(fd, body, 200000));
        assert_int_equal(receive(fd), statuses[i]);
        put_text(fd, "GET /v1/worlds/still HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_int_equal(receive(fd), 200);
        assert_says("\"segment\":\"still\"");
    }
    // chunked too
    put_text(fd, "POST /v1/nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
                 "chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    assert_int_equal(receive(fd), 404);
    put_text(fd, "GET /v1/worlds/still HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_int_equal(receive(fd), 200);
    close(fd);
    free(body);
}

static void bodies_over_the_limit(void **state)
{
    char *body = make_body(TWICE_THE_LIMIT);
    char head[128];
    (void)state;

    // the limit itself passes
    int fd = dial();
    snprintf(head, sizeof(head),
             "PUT /v1/robots/a HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", BODY_LIMIT);
    put_text(fd, head);
    assert_true(put(fd, body, BODY_LIMIT));
    assert_int_equal(receive(fd), 200);
    close(fd);

    // a client that sends all before it reads still gets its answer
    fd = dial();
    snprintf(head, sizeof(head),
             "PUT /v1/robots/a HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", TWICE_THE_LIMIT);
    put_text(fd, head);
    assert_true(put(fd, body, TWICE_THE_LIMIT));
    assert_int_equal(receive(fd), 413);
    assert_says("\"code\":\"too_large\"");
    assert_says("\"limit\":4194304");
    assert_says("\"flag\":\"--max-body-bytes\"");
    assert_true(is_closed(fd));
    close(fd);

    // a chunked one is found out on the way, and the connection goes on
    fd = dial();
    put_text(fd, "PUT /v1/robots/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    snprintf(head, sizeof(head), "%x\r\n", BODY_LIMIT + 1);
    put_text(fd, head);
    assert_true(put(fd, body, BODY_LIMIT + 1));
    put_text(fd, "\r\n0\r\n\r\n");
    assert_int_equal(receive(fd), 413);
    put_text(fd, "GET /v1/worlds/still HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_int_equal(receive(fd), 200);
    close(fd);
    free(body);
}

/* Who is refused, or sends a body where none belongs, is cut off long before the largest body. */
static void bodies_that_nobody_wants(void **state)
{
    static const char *const heads[] = {"POST /v1/nothing", "GET /livez"};
    enum { PIECE = 64 * 1024, PIECES = TWICE_THE_LIMIT / PIECE };
    char *body = make_body(PIECE);
    (void)state;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        char text[128];
        const int fd = dial();
        snprintf(text, sizeof(text), "%s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
                 heads[i]);
        put_text(fd, text);
        snprintf(text, sizeof(text), "%x\r\n", TWICE_THE_LIMIT);
        put_text(fd, text);
        // what the kernel buffers is sent without being read
        int pieces = 0;
        while (pieces < PIECES && put(fd, body, PIECE))
            pieces++;
        char byte;
        if (pieces == PIECES && recv(fd, &byte, 1, 0) != 0 && errno != ECONNRESET)
            fail_msg("%s: still read", heads[i]);
        close(fd);
    }
    free(body);
}

static void expectations(void **state)
{
    (void)state;
    int fd = dial();
    put_text(fd, "PUT /v1/robots/a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: "
                 "5\r\n\r\n");
    assert_int_equal(receive_of(fd, false), 100);
    put_text(fd, "hello");
    assert_int_equal(receive(fd), 200);
    assert_string_equal(body_of_answer(), "hello");
    close(fd);

    // refused before the body is sent
    fd = dial();
    put_text(fd, "PUT /v1/robots/a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: "
                 "99999999\r\n\r\n");
    assert_int_equal(receive(fd), 413);
    assert_true(is_closed(fd));
    close(fd);
    fd = dial();
    put_text(fd, "PUT /v1/nothing HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: "
                 "99\r\n\r\n");
    assert_int_equal(receive(fd), 404);
    close(fd);
}

/* ---- libcurl as the client ---- */

struct sink {
    char *data;
    size_t bytes;
};

static size_t collect(char *data, size_t size, size_t count, void *argument)
{
    struct sink *sink = argument;
    sink->data = realloc(sink->data, sink->bytes + size * count + 1);
    memcpy(sink->data + sink->bytes, data, size * count);
    sink->bytes += size * count;
    sink->data[sink->bytes] = '\0';
    return size * count;
}

struct source {
    const char *data;
    size_t left;
};

static size_t supply(char *out, size_t size, size_t count, void *argument)
{
    struct source *source = argument;
    const size_t bytes = source->left < size * count ? source->left : size * count;
    memcpy(out, source->data, bytes);
    source->data += bytes;
    source->left -= bytes;
    return bytes;
}

static CURL *curl_to(const char *path, struct sink *sink)
{
    char url[128];
    CURL *curl = curl_easy_init();
    assert_non_null(curl);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u%s", port, path);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)RECEIVE_TIMEOUT_S);
    return curl;
}

static long perform(CURL *curl)
{
    long status = 0;
    const CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK)
        fail_msg("curl: %s", curl_easy_strerror(code));
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static void curl_uploads(void **state)
{
    static const size_t sizes[] = {20000, 2 << 20};
    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
        for (int chunked = 0; chunked < 2; chunked++) {
            char *body = make_body(sizes[s]);
            struct sink sink = {0};
            struct source source = {body, sizes[s]};
            CURL *curl = curl_to("/v1/roadmaps/m/plan", &sink);
            struct curl_slist *headers = curl_slist_append(NULL, "Expect: 100-continue");
            headers = curl_slist_append(headers, "Content-Type: application/json");
            if (chunked)
                headers = curl_slist_append(headers, "Transfer-Encoding: chunked");
            curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
            curl_easy_setopt(curl, CURLOPT_POST, 1L);
            curl_easy_setopt(curl, CURLOPT_READFUNCTION, supply);
            curl_easy_setopt(curl, CURLOPT_READDATA, &source);
            if (!chunked)
                curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)sizes[s]);
            assert_int_equal(perform(curl), 200);
            assert_int_equal(sink.bytes, sizes[s]);
            assert_memory_equal(sink.data, body, sizes[s]);
            curl_slist_free_all(headers);
            curl_easy_cleanup(curl);
            free(sink.data);
            free(body);
        }
}

static void curl_understands_packed_answers(void **state)
{
    static const char *const paths[] = {"/v1/devices", "/v1/roadmaps/m/plan"};
    char *body = make_body(100000);
    (void)state;
    for (int p = 0; p < 2; p++) {
        struct sink plain = {0}, packed = {0};
        curl_off_t received = 0;
        for (int is_packed = 0; is_packed < 2; is_packed++) {
            CURL *curl = curl_to(paths[p], is_packed ? &packed : &plain);
            if (is_packed)
                curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip");
            if (p == 1)
                curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
            assert_int_equal(perform(curl), 200);
            curl_easy_getinfo(curl, CURLINFO_SIZE_DOWNLOAD_T, &received);
            curl_easy_cleanup(curl);
        }
        assert_int_equal(plain.bytes, packed.bytes);
        assert_memory_equal(plain.data, packed.data, plain.bytes);
        assert_true((size_t)received < plain.bytes);
        free(plain.data);
        free(packed.data);
    }
    free(body);

    // small answers stay as they are
    assert_int_equal(
        exchange("GET /v1/worlds HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n"), 200);
    assert_null(strstr(answer, "Content-Encoding"));
    assert_says("Vary: Accept-Encoding");
}

static void packed_uploads(void **state)
{
    enum { BYTES = 300000 };
    char *body = make_body(BYTES), *packed = malloc(BYTES + 1000);
    uLongf packed_bytes = BYTES + 1000;
    (void)state;
    assert_int_equal(compress((Bytef *)packed, &packed_bytes, (const Bytef *)body, BYTES), Z_OK);
    const int fd = dial();
    char head[160];
    for (int cut = 0; cut < 2; cut++) {
        snprintf(head, sizeof(head),
                 "POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Encoding: deflate\r\n"
                 "Content-Length: %lu\r\n\r\n",
                 packed_bytes - (uLongf)cut);
        put_text(fd, head);
        assert_true(put(fd, packed, packed_bytes - (uLongf)cut));
        assert_int_equal(receive(fd), cut ? 400 : 200);
        if (!cut)
            assert_string_equal(body_of_answer(), body);
    }
    close(fd);
    free(packed);
    free(body);
}

/* ---- connections ---- */

static void a_half_close_is_answered_a_reset_is_not_waited_for(void **state)
{
    const char *request = "PUT /v1/roadmaps/m HTTP/1.1\r\nHost: x\r\nPrefer: "
                          "wait=1\r\nContent-Length: 5\r\n\r\nhello";
    (void)state;
    int fd = dial();
    put_text(fd, request);
    shutdown(fd, SHUT_WR);
    assert_int_equal(receive(fd), 200);
    assert_string_equal(body_of_answer(), "hello");
    close(fd);
    // beside silent connections the library reads the end before it asks for the answer
    enum { SILENT = 8 };
    int silent[SILENT];
    for (int i = 0; i < SILENT; i++)
        silent[i] = dial();
    for (int i = 0; i < 200; i++) {
        fd = dial();
        put_text(fd, i % 2 == 0 ? "GET /v1/worlds HTTP/1.1\r\nHost: x\r\n\r\n"
                                : "POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\n"
                                  "Content-Length: 5\r\n\r\nhello");
        shutdown(fd, SHUT_WR);
        assert_int_equal(receive(fd), 200);
        close(fd);
    }
    for (int i = 0; i < SILENT; i++)
        close(silent[i]);
    assert_int_equal(fake_service_abandoned(service), 0);

    // SO_LINGER of zero makes close() a reset
    const struct linger reset = {.l_onoff = 1};
    fd = dial();
    put_text(fd, "PUT /v1/roadmaps/m HTTP/1.1\r\nHost: x\r\nPrefer: wait=30\r\nContent-Length: "
                 "5\r\n\r\nhello");
    test_pause_ms(100);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    close(fd);
    for (int i = 0; i < 200 && fake_service_abandoned(service) == 0; i++)
        test_pause_ms(10);
    assert_int_equal(fake_service_abandoned(service), 1);
}

/* What comes until the server closes, into `answer`. */
static void receive_all(int fd)
{
    size_t bytes = 0;
    ssize_t got;
    while ((got = recv(fd, answer + bytes, ANSWER_BYTES - bytes - 1, 0)) > 0)
        bytes += (size_t)got;
    answer[bytes] = '\0';
    assert_int_equal(got, 0);
}

static void until_no_streams(void)
{
    for (int i = 0; i < 300 && fake_service_streams() > 0; i++)
        test_pause_ms(10);
    assert_int_equal(fake_service_streams(), 0);
}

static void streams_come_as_they_are_told(void **state)
{
    (void)state;
    // piece by piece: the first is here long before the last is said; then the connection goes on
    int fd = dial();
    put_text(fd, "GET /v1/jobs/20/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n");
    assert_int_equal(receive_of(fd, false), 200);
    assert_says("Content-Type: text/event-stream\r\n");
    assert_says("Transfer-Encoding: chunked\r\n");
    assert_says("Cache-Control: no-store\r\n");
    assert_null(strstr(answer, "Content-Encoding"));
    char chunk[64];
    const ssize_t got = recv(fd, chunk, sizeof(chunk) - 1, 0);
    assert_true(got > 0);
    chunk[got] = '\0';
    assert_non_null(strstr(chunk, "line 1\n"));
    assert_int_equal(fake_service_streams(), 1);
    put_text(fd, "GET /v1/worlds/next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    receive_all(fd);
    assert_says("8\r\nline 20\n\r\n0\r\n\r\nHTTP/1.1 200");
    assert_says("\"segment\":\"next\"");
    close(fd);
    until_no_streams();

    // a client of HTTP/1.0 reads until the close; a half-close is no end; HEAD has no stream
    fd = dial();
    put_text(fd, "GET /v1/jobs/5/events HTTP/1.0\r\n\r\n");
    shutdown(fd, SHUT_WR);
    receive_all(fd);
    assert_says("\r\n\r\nline 1\nline 2\nline 3\nline 4\nline 5\n");
    close(fd);
    assert_int_equal(exchange("HEAD /v1/jobs/5/events HTTP/1.1\r\nHost: x\r\n\r\n"), 200);
    assert_int_equal(
        exchange("GET /v1/jobs/5/events HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n"),
        406);
    until_no_streams();
}

static void streams_end_with_their_clients(void **state)
{
    enum { STREAMS = 40 };
    const struct linger reset = {.l_onoff = 1};
    int fds[STREAMS];
    (void)state;
    for (int i = 0; i < STREAMS; i++) {
        fds[i] = dial();
        put_text(fds[i], "GET /v1/jobs/100000/events HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_int_equal(receive_of(fds[i], false), 200);
    }
    assert_int_equal(fake_service_streams(), STREAMS);
    for (int i = 0; i < STREAMS; i++) {
        // half of them by a reset
        if (i % 2 == 0)
            setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
        close(fds[i]);
    }
    until_no_streams();
}

static void silent_and_slow_connections_stop_nobody(void **state)
{
    enum { SILENT = 300 };
    int silent[SILENT];
    (void)state;
    for (int i = 0; i < SILENT; i++) {
        silent[i] = dial();
        if (i % 2 == 1)
            put_text(
                silent[i],
                "POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx");
    }
    for (int i = 0; i < 50; i++)
        assert_int_equal(exchange("GET /v1/worlds HTTP/1.1\r\nHost: x\r\n\r\n"), 200);
    for (int i = 0; i < SILENT; i++)
        close(silent[i]);
}

static void *be_a_client(void *argument)
{
    // assertions of cmocka belong to its own thread: this one counts
    unsigned *good = argument;
    struct sink sink = {0};
    char url[128];
    CURL *curl = curl_easy_init();
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/v1/roadmaps/m/plan", port);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &sink);
    for (int i = 0; i < 100; i++) {
        char body[32];
        snprintf(body, sizeof(body), "%p %d", argument, i);
        sink.bytes = 0;
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
        if (curl_easy_perform(curl) == CURLE_OK && strcmp(sink.data, body) == 0)
            ++*good;
    }
    curl_easy_cleanup(curl);
    free(sink.data);
    return NULL;
}

static void many_clients_get_their_own_answers(void **state)
{
    enum { CLIENTS = 16 };
    pthread_t threads[CLIENTS];
    unsigned good[CLIENTS] = {0};
    (void)state;
    // an answer is counted a moment after it has left: those of earlier tests first
    test_pause_ms(300);
    const unsigned before = fake_service_counted(service, 200);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, be_a_client, &good[i]), 0);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(good[i], 100);
    for (int i = 0; i < 100 && fake_service_counted(service, 200) < before + CLIENTS * 100; i++)
        test_pause_ms(10);
    assert_int_equal(fake_service_counted(service, 200), before + CLIENTS * 100);
}

static void *close_service(void *unused)
{
    (void)unused;
    http_quiet(http);
    service_close(service);
    return NULL;
}

static void the_end_answers_everybody(void **state)
{
    pthread_t closer;
    (void)state;
    const int waiting = dial(), kept = dial(), streamed = dial();
    put_text(streamed, "GET /v1/jobs/100000/events HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_int_equal(receive_of(streamed, false), 200);
    put_text(kept, "GET /v1/worlds HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_int_equal(receive(kept), 200);
    put_text(
        waiting,
        "PUT /v1/roadmaps/m HTTP/1.1\r\nHost: x\r\nPrefer: wait=60\r\nContent-Length: 2\r\n\r\n{}");
    test_pause_ms(100);
    assert_int_equal(service_in_flight(service), 1);

    assert_int_equal(pthread_create(&closer, NULL, close_service, NULL), 0);
    assert_int_equal(receive(waiting), 503);
    assert_says("\"code\":\"draining\"");
    pthread_join(closer, NULL);
    receive_of(streamed, false);
    close(streamed);
    put_text(kept, "GET /v1/worlds HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_int_equal(receive(kept), 503);
    assert_says("Retry-After: ");
    assert_says("Connection: close\r\n");
    close(kept);
    close(waiting);
    http_close(http);
    http_close(NULL);
    free(answer);
}

static void memory_in_flight_is_bounded(void **state)
{
    char fault[LISTENER_FAULT_MAX], *body = make_body(60000);
    bool usage;
    (void)state;
    struct http_options options = {.threads = 1, .idle_timeout_s = 30, .limits = limits_default()};
    options.limits.host_bytes = 100000;
    options.listener = listener_open("127.0.0.1:0", LISTENER_TOKENS_WOULD_DO, fault, &usage);
    port = listener_port(options.listener);
    options.service = fake_service_open();
    struct http *small = http_open(&options);
    assert_non_null(small);
    answer = malloc(ANSWER_BYTES);

    // the first body holds most of the budget while its call waits
    const int first = dial(), second = dial();
    put_text(first, "PUT /v1/roadmaps/m HTTP/1.1\r\nHost: x\r\nPrefer: wait=1\r\nContent-Length: "
                    "60000\r\n\r\n");
    assert_true(put(first, body, 60000));
    test_pause_ms(200);
    for (int round = 0; round < 2; round++) {
        put_text(second, "PUT /v1/robots/r HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n");
        assert_true(put(second, body, 60000));
        assert_int_equal(receive(second), round == 0 ? 503 : 200);
        if (round == 0) {
            assert_says("\"code\":\"overloaded\"");
            assert_says("--max-host-bytes");
            assert_says("Retry-After: ");
            assert_int_equal(receive(first), 200);
            test_pause_ms(100);
        }
    }
    close(first);
    close(second);
    http_quiet(small);
    service_close(options.service);
    http_close(small);
    free(answer);
    free(body);
}

int main(void)
{
    const struct CMUnitTest served[] = {
        cmocka_unit_test(targets),
        cmocka_unit_test(methods),
        cmocka_unit_test(reply_headers),
        cmocka_unit_test(request_headers),
        cmocka_unit_test(bodies_in_one_byte_writes),
        cmocka_unit_test(chunked_bodies),
        cmocka_unit_test(framings_that_two_readers_could_read_differently),
        cmocka_unit_test(errors_leave_the_connection_usable),
        cmocka_unit_test(bodies_over_the_limit),
        cmocka_unit_test(bodies_that_nobody_wants),
        cmocka_unit_test(expectations),
        cmocka_unit_test(curl_uploads),
        cmocka_unit_test(curl_understands_packed_answers),
        cmocka_unit_test(packed_uploads),
        cmocka_unit_test(a_half_close_is_answered_a_reset_is_not_waited_for),
        cmocka_unit_test(streams_come_as_they_are_told),
        cmocka_unit_test(streams_end_with_their_clients),
        cmocka_unit_test(silent_and_slow_connections_stop_nobody),
        cmocka_unit_test(many_clients_get_their_own_answers),
    };
    const struct CMUnitTest alone[] = {
        cmocka_unit_test_setup(the_end_answers_everybody, setup),
        cmocka_unit_test(memory_in_flight_is_bounded),
    };
    signal(SIGPIPE, SIG_IGN);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    const int failed =
        cmocka_run_group_tests(served, setup, teardown) + cmocka_run_group_tests(alone, NULL, NULL);
    curl_global_cleanup();
    return failed;
}

/* Goal: where prmd listens, and that it stays on loopback unless told. Method: real sockets on free
 * ports. */
#include "server/listener.h"
#include "support/support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void a_free_port_is_taken_and_told(void **state)
{
    char fault[LISTENER_FAULT_MAX], path[64], text[32] = "";
    bool usage;
    (void)state;
    const int listener = listener_open("127.0.0.1:0", LISTENER_TOKENS_WOULD_DO, fault, &usage);
    assert_true(listener >= 0);
    const uint16_t port = listener_port(listener);
    assert_int_not_equal(port, 0);

    // it can be connected to
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(client, (const struct sockaddr *)&address, sizeof(address)), 0);
    close(client);

    // a second one is refused by the system, not for its text
    char again[32];
    snprintf(again, sizeof(again), "127.0.0.1:%u", port);
    assert_int_equal(listener_open(again, LISTENER_TOKENS_WOULD_DO, fault, &usage), -1);
    assert_false(usage);
    assert_non_null(strstr(fault, again));

    snprintf(path, sizeof(path), "/tmp/prmd-test-port-%ld", (long)getpid());
    assert_true(listener_write_port(path, port, fault));
    FILE *file = fopen(path, "r");
    assert_non_null(fgets(text, sizeof(text), file));
    fclose(file);
    snprintf(again, sizeof(again), "%u\n", port);
    assert_string_equal(text, again);
    unlink(path);
    assert_false(listener_write_port("/nonexistent/port", port, fault));
    assert_non_null(strstr(fault, "/nonexistent/port"));
    close(listener);
}

static void only_loopback_unless_told(void **state)
{
    static const char *const outside[] = {"0.0.0.0:0", "[::]:0", "192.0.2.1:0"};
    char fault[LISTENER_FAULT_MAX];
    bool usage;
    (void)state;
    for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
        assert_int_equal(listener_open(outside[i], LISTENER_TOKENS_WOULD_DO, fault, &usage), -1);
        assert_true(usage);
        assert_non_null(strstr(fault, "--insecure"));
        assert_non_null(strstr(fault, "--token-file"));
        // what tokens do not guard does not ask for them; what is judged is not opened
        assert_false(listener_judge(outside[i], LISTENER_OPEN, fault));
        assert_non_null(strstr(fault, "--insecure"));
        assert_null(strstr(fault, "--token-file"));
        assert_true(listener_judge(outside[i], LISTENER_GUARDED, fault));
    }
    const int listener = listener_open("127.0.0.2:0", LISTENER_TOKENS_WOULD_DO, fault, &usage);
    assert_true(listener >= 0);
    close(listener);
    const int named = listener_open("localhost:0", LISTENER_TOKENS_WOULD_DO, fault, &usage);
    assert_true(named >= 0);
    close(named);
}

static void texts_that_are_no_address(void **state)
{
    static const char *const bad[] = {
        "",           "7767",        ":7767",        "127.0.0.1",
        "127.0.0.1:", "127.0.0.1:x", "::1:7767",     "127.0.0.1:65536",
        "[::1]",      "[::1:7767",   "127.0.0.1:-1", "127.0.0.1:000001"};
    char fault[LISTENER_FAULT_MAX];
    bool usage;
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (listener_open(bad[i], LISTENER_GUARDED, fault, &usage) != -1)
            fail_msg("%s was taken", bad[i]);
        assert_true(usage);
        assert_false(listener_judge(bad[i], LISTENER_GUARDED, fault));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_port_is_taken_and_told),
        cmocka_unit_test(only_loopback_unless_told),
        cmocka_unit_test(texts_that_are_no_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

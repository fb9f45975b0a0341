/* Goal: a token gets its role and no more, nothing else gets in, and a file with a fault changes
 * nothing. Method: files written here, tables of headers; hashes from sha256sum. Oracle: the roles'
 * order and a hand count of allowances. */
#include "server/tokens.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* printf %s reader | sha256sum, and so on */
#define READER "3d0941964aa3ebdcb00ccef58b1bb399f9f898465e9886d5aec7f31090a0fb30"
#define PLANNER "244b8435061420f6b2887681bbe2d24b18fc8f790a75c5bf16937bb8417e651a"
#define WRITER "b93006774cbdd4b299389a03ac3d88c3a76b460d538795bc12718011a909fba5"

static char path[64];

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "/tmp/prmd-test-tokens-%ld", (long)getpid());
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static struct tokens *open_text(const char *text, double requests_per_s)
{
    char fault[TOKENS_FAULT_MAX];
    write_file(text);
    struct tokens *tokens = tokens_open(path, requests_per_s, fault);
    if (tokens == NULL)
        fail_msg("%s", fault);
    return tokens;
}

static enum token_outcome judge(struct tokens *tokens, const char *header, enum route_role needed)
{
    return tokens_judge(tokens, header, needed, 1).outcome;
}

static void roles_are_cumulative(void **state)
{
    static const char *const headers[ROLE_COUNT] = {NULL, "Bearer reader", "Bearer planner",
                                                    "Bearer writer"};
    (void)state;
    struct tokens *tokens = open_text("# staff\n\nread " READER " the display\n"
                                      "  plan\t" PLANNER "\r\nwrite " WRITER "  ops  ",
                                      0);
    assert_int_equal(tokens_count(tokens), 3);
    for (int has = ROLE_OPEN; has < ROLE_COUNT; has++)
        for (int needs = ROLE_OPEN; needs < ROLE_COUNT; needs++) {
            const enum token_outcome wanted = needs == ROLE_OPEN ? TOKEN_ALLOWED
                                              : has == ROLE_OPEN ? TOKEN_MISSING
                                              : has >= needs     ? TOKEN_ALLOWED
                                                                 : TOKEN_TOO_LOW;
            assert_int_equal(judge(tokens, headers[has], (enum route_role)needs), wanted);
        }
    assert_string_equal(tokens_judge(tokens, "Bearer reader", ROLE_READ, 1).comment, "the display");
    assert_string_equal(tokens_judge(tokens, "Bearer planner", ROLE_READ, 1).comment, "");
    assert_string_equal(tokens_judge(tokens, "Bearer writer", ROLE_READ, 1).comment, "ops");
    tokens_close(tokens);
}

static void only_a_bearer_of_the_file_gets_in(void **state)
{
    static const struct {
        const char *header;
        enum token_outcome outcome;
    } rows[] = {
        {"Bearer reader", TOKEN_ALLOWED},
        {"bearer reader", TOKEN_ALLOWED},
        {"BEARER    reader ", TOKEN_ALLOWED},
        {"Bearer", TOKEN_MISSING},
        {"Bearer ", TOKEN_MISSING},
        {"", TOKEN_MISSING},
        {"Basic cmVhZGVyOg==", TOKEN_MISSING},
        {"reader", TOKEN_MISSING},
        {"Bearerreader", TOKEN_MISSING},
        {"Bearer reader writer", TOKEN_MISSING},
        {"Bearer Reader", TOKEN_UNKNOWN},
        {"Bearer " READER, TOKEN_UNKNOWN},
        {"Bearer readerr", TOKEN_UNKNOWN},
        {"Bearer reade", TOKEN_UNKNOWN},
    };
    (void)state;
    struct tokens *tokens = open_text("read " READER "\n", 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (judge(tokens, rows[i].header, ROLE_READ) != rows[i].outcome)
            fail_msg("'%s' is not judged as %d", rows[i].header, rows[i].outcome);
    tokens_close(tokens);

    // no tokens at all: nothing but the open routes
    tokens = open_text("", 0);
    assert_int_equal(judge(tokens, "Bearer reader", ROLE_READ), TOKEN_UNKNOWN);
    assert_int_equal(judge(tokens, NULL, ROLE_OPEN), TOKEN_ALLOWED);
    tokens_close(tokens);
}

static void faults_name_the_line(void **state)
{
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"admin " READER "\n", "line 1: the role"},
        {"open " READER "\n", "line 1: the role"},
        {"READ " READER "\n", "line 1: the role"},
        {"\nread\n", "line 2: the token's SHA-256"},
        {"read " READER "0\n", "line 1: the token's SHA-256"},
        {"read secret\n", "line 1: the token's SHA-256"},
        {"read 3d0941964aa3ebdcb00ccef58b1bb399f9f898465e9886d5aec7f31090a0fb3g", "SHA-256"},
        {"read " READER "\nwrite " READER "\n", "line 2: this token has a line already"},
    };
    char fault[TOKENS_FAULT_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        write_file(rows[i].text);
        assert_null(tokens_open(path, 0, fault));
        if (strstr(fault, rows[i].said) == NULL)
            fail_msg("'%s' does not say '%s'", fault, rows[i].said);
        // a token written there by mistake must not reach a log
        assert_null(strstr(fault, "secret"));
    }
    assert_null(tokens_open("/nonexistent/tokens", 0, fault));
    assert_non_null(strstr(fault, "No such file"));
}

static void reloading_takes_all_or_nothing(void **state)
{
    char fault[TOKENS_FAULT_MAX];
    (void)state;
    struct tokens *tokens = open_text("read " READER "\n", 0);
    write_file("write " WRITER "\nread\n");
    assert_false(tokens_reload(tokens, fault));
    assert_int_equal(judge(tokens, "Bearer reader", ROLE_READ), TOKEN_ALLOWED);
    assert_int_equal(judge(tokens, "Bearer writer", ROLE_READ), TOKEN_UNKNOWN);
    write_file("write " WRITER "\n");
    assert_true(tokens_reload(tokens, fault));
    assert_int_equal(judge(tokens, "Bearer reader", ROLE_READ), TOKEN_UNKNOWN);
    assert_int_equal(judge(tokens, "Bearer writer", ROLE_WRITE), TOKEN_ALLOWED);
    tokens_close(tokens);
}

static void allowances_fill_at_their_rate(void **state)
{
    (void)state;
    struct tokens *tokens = open_text("read " READER "\nplan " PLANNER "\n", 4);
    for (int second = 100; second < 103; second++) {
        for (int i = 0; i < 4; i++)
            assert_int_equal(tokens_judge(tokens, "Bearer reader", ROLE_READ, second).outcome,
                             TOKEN_ALLOWED);
        const struct token_verdict late = tokens_judge(tokens, "Bearer reader", ROLE_READ, second);
        assert_int_equal(late.outcome, TOKEN_TOO_OFTEN);
        assert_true(late.retry_after_s > 0.24 && late.retry_after_s < 0.26);
    }
    // each has its own, and a long pause saves up no more than a second's worth
    assert_int_equal(tokens_judge(tokens, "Bearer planner", ROLE_PLAN, 102).outcome, TOKEN_ALLOWED);
    int allowed = 0;
    for (int i = 0; i < 10; i++)
        allowed += tokens_judge(tokens, "Bearer reader", ROLE_READ, 1000).outcome == TOKEN_ALLOWED;
    assert_int_equal(allowed, 4);
    // what is open costs nothing
    assert_int_equal(tokens_judge(tokens, "Bearer reader", ROLE_OPEN, 1000).outcome, TOKEN_ALLOWED);
    tokens_close(tokens);

    // reading the file anew gives nobody more
    char fault[TOKENS_FAULT_MAX];
    tokens = open_text("read " READER "\n", 0.5);
    assert_int_equal(tokens_judge(tokens, "Bearer reader", ROLE_READ, 10).outcome, TOKEN_ALLOWED);
    write_file("plan " PLANNER "\nread " READER "\n");
    assert_true(tokens_reload(tokens, fault));
    assert_int_equal(tokens_judge(tokens, "Bearer reader", ROLE_READ, 11).outcome, TOKEN_TOO_OFTEN);
    assert_int_equal(tokens_judge(tokens, "Bearer planner", ROLE_PLAN, 11).outcome, TOKEN_ALLOWED);
    tokens_close(tokens);

    // less than one a second: one request, then a long wait
    tokens = open_text("read " READER "\n", 0.5);
    assert_int_equal(tokens_judge(tokens, "Bearer reader", ROLE_READ, 10).outcome, TOKEN_ALLOWED);
    assert_int_equal(tokens_judge(tokens, "Bearer reader", ROLE_READ, 11).outcome, TOKEN_TOO_OFTEN);
    assert_int_equal(tokens_judge(tokens, "Bearer reader", ROLE_READ, 12.1).outcome, TOKEN_ALLOWED);
    tokens_close(tokens);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_are_cumulative),
        cmocka_unit_test(only_a_bearer_of_the_file_gets_in),
        cmocka_unit_test(faults_name_the_line),
        cmocka_unit_test(reloading_takes_all_or_nothing),
        cmocka_unit_test(allowances_fill_at_their_rate),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

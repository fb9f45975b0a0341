/* Goal: whole lines that parse, and no waiting for a reader. Method: a pipe; document_parse() as
 * the oracle of JSON; a pipe that nobody reads. */
#include "schema/document.h"
#include "server/log.h"
#include "support/support.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 1 << 20 };

static size_t read_all(int fd, char *text)
{
    size_t bytes = 0;
    ssize_t got;
    while ((got = read(fd, text + bytes, TEXT_BYTES - 1 - bytes)) > 0)
        bytes += (size_t)got;
    text[bytes] = '\0';
    return bytes;
}

static void lines_are_json(void **state)
{
    static char text[TEXT_BYTES];
    struct log_line line;
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    struct log *log = log_open(ends[1], LOG_JSON, LOG_INFO);
    assert_non_null(log);
    assert_false(log_begin(&line, log, LOG_DEBUG, "unheard"));
    assert_true(log_begin(&line, log, LOG_INFO, "request"));
    log_string(&line, "path", "a \"quoted\"\nline");
    log_u64(&line, "bytes", INT64_MAX);
    log_number(&line, "ms", 1.5);
    log_end(&line);
    log_event(log, LOG_ERROR, "alone", NULL);
    log_close(log);
    close(ends[1]);
    read_all(ends[0], text);
    close(ends[0]);

    char *second = strchr(text, '\n') + 1;
    struct document *document = document_parse(text, (size_t)(second - text), NULL, 0);
    assert_non_null(document);
    assert_non_null(document_at(document_root(document), "/ts"));
    assert_non_null(document_at(document_root(document), "/bytes"));
    assert_non_null(document_at(document_root(document), "/path"));
    document_destroy(document);
    assert_non_null(strstr(text, "\"ms\":1.5"));
    assert_non_null(strstr(text, "\"bytes\":9223372036854775807"));
    assert_non_null(strstr(second, "\"level\":\"error\",\"event\":\"alone\"}\n"));
}

static void lines_of_text(void **state)
{
    static char text[TEXT_BYTES];
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    struct log *log = log_open(ends[1], LOG_TEXT, LOG_WARNING);
    log_event(log, LOG_INFO, "unheard", "x");
    log_event(log, LOG_WARNING, "heard", "a \"b\"");
    log_close(log);
    close(ends[1]);
    read_all(ends[0], text);
    close(ends[0]);
    assert_null(strstr(text, "unheard"));
    assert_non_null(strstr(text, " warning heard detail=\"a \\\"b\\\"\"\n"));
}

static void *write_many(void *log)
{
    for (int i = 0; i < 1000; i++)
        log_event(log, LOG_INFO, "many", "0123456789");
    return NULL;
}

static void *drain_pipe(void *argument)
{
    static char text[TEXT_BYTES];
    read_all(*(int *)argument, text);
    return text;
}

static void threads_do_not_mix_lines(void **state)
{
    pthread_t reader, writers[4];
    int ends[2];
    char *text;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    struct log *log = log_open(ends[1], LOG_TEXT, LOG_INFO);
    pthread_create(&reader, NULL, drain_pipe, &ends[0]);
    for (int i = 0; i < 4; i++)
        pthread_create(&writers[i], NULL, write_many, log);
    for (int i = 0; i < 4; i++)
        pthread_join(writers[i], NULL);
    log_close(log);
    close(ends[1]);
    pthread_join(reader, (void **)&text);
    close(ends[0]);

    int lines = 0;
    for (char *line = text; *line != '\0'; lines++) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        assert_non_null(strstr(line, " many detail=\"0123456789\""));
        assert_int_equal(end - line,
                         strlen("2026-01-01T00:00:00.000Z info    many detail=\"0123456789\""));
        line = end + 1;
    }
    assert_int_equal(lines, 4000);
}

static void a_stuck_reader_costs_lines_not_time(void **state)
{
    struct timespec start, end;
    char wide[4096];
    int ends[2];
    (void)state;
    memset(wide, 'x', sizeof(wide) - 1);
    wide[sizeof(wide) - 1] = '\0';
    assert_int_equal(pipe(ends), 0);
    struct log *log = log_open(ends[1], LOG_JSON, LOG_INFO);
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < 2000; i++)
        log_event(log, LOG_INFO, "wide", wide);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(end.tv_sec - start.tv_sec < 5);
    close(ends[0]);
    log_close(log);
    close(ends[1]);
    log_close(NULL);
    log_event(NULL, LOG_ERROR, "nowhere", NULL);
}

static void lines_follow_a_redirection(void **state)
{
    static char first[TEXT_BYTES], second[TEXT_BYTES];
    int old[2], new[2], unused[2];
    (void)state;
    assert_int_equal(pipe(old) + pipe(new) + pipe(unused), 0);
    struct log *log = log_open(old[1], LOG_JSON, LOG_INFO);
    log_event(log, LOG_INFO, "before", NULL);
    // what is read has left
    assert_true(read(old[0], first, sizeof(first) - 1) > 0);
    assert_non_null(strstr(first, "before"));
    log_redirect(log, unused[1]);
    log_redirect(log, new[1]);
    log_event(log, LOG_INFO, "after", NULL);
    log_close(log);
    close(old[1]);
    assert_int_equal(read_all(old[0], first), 0);
    // the end comes only when what was taken over is closed
    read_all(new[0], second);
    assert_non_null(strstr(second, "after"));
    assert_int_equal(read_all(unused[0], first), 0);
    close(old[0]);
    close(new[0]);
    close(unused[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_json),
        cmocka_unit_test(lines_of_text),
        cmocka_unit_test(threads_do_not_mix_lines),
        cmocka_unit_test(lines_follow_a_redirection),
        cmocka_unit_test(a_stuck_reader_costs_lines_not_time),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: options come from the command line, the environment, the file and the defaults, in this
 * order, and a wrong one is named. Method: each source alone and against the others; tables of
 * wrong values. */
#include "server/config.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 8 };

/* config_read of a NULL-terminated list behind the program's name. */
static enum config_outcome read_list(struct config *config, char *fault, char *const arguments[])
{
    char *argv[ARGUMENTS_MAX + 2] = {(char[]){"prmd"}};
    int argc = 1;
    for (; arguments[argc - 1] != NULL; argc++)
        argv[argc] = arguments[argc - 1];
    return config_read(config, argc, argv, fault);
}
#define READ(config, fault, ...) read_list(config, fault, (char *const[]){__VA_ARGS__, NULL})

static int clean_environment(void **state)
{
    (void)state;
    unsetenv("PRMD_LISTEN");
    unsetenv("PRMD_THREADS");
    unsetenv("PRMD_TUNING");
    unsetenv("PRMD_DEVICE");
    unsetenv("PRMD_CONFIG");
    unsetenv("PRMD_TOKEN_FILE");
    unsetenv("PRMD_MAX_BODY_BYTES");
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", "/home/somebody", 1);
    return 0;
}

/* Writes a file of options and returns its name. */
static char *write_file(const char *text)
{
    static char path[64];
    snprintf(path, sizeof(path), "/tmp/prmd-test-config-%ld", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void defaults(void **state)
{
    struct config config;
    char fault[CONFIG_FAULT_MAX];
    (void)state;
    assert_int_equal(READ(&config, fault, NULL), CONFIG_RUN);
    assert_string_equal(config.listen, "127.0.0.1:7767");
    assert_string_equal(config.data_dir, "/home/somebody/.local/state/prmd");
    assert_null(config.port_file);
    assert_null(config.device);
    assert_null(config.tuning);
    assert_false(config.insecure);
    assert_null(config.token_file);
    assert_null(config.tls_cert);
    assert_null(config.cors_origin);
    assert_null(config.base_path);
    assert_null(config.metrics_listen);
    assert_null(config.log_file);
    assert_int_equal(config.receive_timeout_s, 20);
    assert_int_equal(config.request_timeout_s, 900);
    assert_int_equal(config.log_format, LOG_JSON);
    assert_int_equal(config.log_level, LOG_INFO);
    assert_in_range(config.threads, 1, 8);
    const struct limits limits = limits_default();
    assert_memory_equal(&config.limits, &limits, sizeof(limits));
    config_deinit(&config);

    setenv("XDG_STATE_HOME", "/state", 1);
    assert_int_equal(READ(&config, fault, NULL), CONFIG_RUN);
    assert_string_equal(config.data_dir, "/state/prmd");
    config_deinit(&config);

    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    assert_int_equal(READ(&config, fault, NULL), CONFIG_WRONG);
    assert_non_null(strstr(fault, "--data-dir"));
    config_deinit(&config);
}

static void each_source_outranks_the_next(void **state)
{
    struct config config;
    char fault[CONFIG_FAULT_MAX];
    char *path = write_file("# comment\n\nthreads = 3\n  listen=127.0.0.1:1 \ninsecure = true\n"
                            "max-body-bytes = 2M\nlog-format = text\ntuning = wg=64,shape=gpu\n");
    (void)state;

    assert_int_equal(READ(&config, fault, "--config", path), CONFIG_RUN);
    assert_int_equal(config.threads, 3);
    assert_string_equal(config.listen, "127.0.0.1:1");
    assert_true(config.insecure);
    assert_int_equal(config.limits.body_bytes, 2 << 20);
    assert_int_equal(config.log_format, LOG_TEXT);
    assert_string_equal(config.tuning, "wg=64,shape=gpu");
    config_deinit(&config);

    setenv("PRMD_THREADS", "4", 1);
    setenv("PRMD_MAX_BODY_BYTES", "77", 1);
    setenv("PRMD_CONFIG", path, 1);
    assert_int_equal(READ(&config, fault, NULL), CONFIG_RUN);
    assert_int_equal(config.threads, 4);
    assert_int_equal(config.limits.body_bytes, 77);
    assert_string_equal(config.listen, "127.0.0.1:1");
    config_deinit(&config);

    assert_int_equal(
        READ(&config, fault, "--threads=5", "--max-body-bytes", "1k", "--threads", "6"),
        CONFIG_RUN);
    assert_int_equal(config.threads, 6);
    assert_int_equal(config.limits.body_bytes, 1024);
    config_deinit(&config);
    unlink(path);
}

static void tuning_passes_through(void **state)
{
    struct config config;
    char fault[CONFIG_FAULT_MAX];
    (void)state;
    setenv("PRMD_TUNING", "wg=64,shape=gpu", 1);
    assert_int_equal(READ(&config, fault, NULL), CONFIG_RUN);
    assert_string_equal(config.tuning, "wg=64,shape=gpu");
    config_deinit(&config);
}

static void actions(void **state)
{
    struct config config;
    char fault[CONFIG_FAULT_MAX];
    (void)state;
    assert_int_equal(READ(&config, fault, "--check"), CONFIG_CHECK);
    config_deinit(&config);
    assert_int_equal(READ(&config, fault, "--version", "--nonsense"), CONFIG_VERSION);
    config_deinit(&config);
    assert_int_equal(READ(&config, fault, "--help"), CONFIG_HELP);
    config_deinit(&config);
}

static void wrong_values_are_named(void **state)
{
    static const struct {
        char *arguments[3];
        const char *said[3];
    } rows[] = {
        {{"--threads", "0"}, {"--threads", "'0'", "from 1 to 256"}},
        {{"--threads", "257"}, {"--threads", "'257'", "the command line"}},
        {{"--threads", "4x"}, {"--threads", "'4x'"}},
        {{"--threads", "-1"}, {"--threads"}},
        {{"--threads", ""}, {"--threads"}},
        {{"--threads", "4K"}, {"--threads"}},
        {{"--max-queries", "99999999999"}, {"--max-queries", "2147483647"}},
        {{"--max-body-bytes", "99999999999999999999999"}, {"--max-body-bytes"}},
        {{"--max-body-bytes", "9999999999G"}, {"--max-body-bytes"}},
        {{"--max-neighbors", "129"}, {"--max-neighbors", "'129'", "from 1 to 128"}},
        {{"--max-dof", "33"}, {"--max-dof", "from 1 to 32"}},
        {{"--log-format", "xml"}, {"--log-format", "'xml'", "json|text"}},
        {{"--log-level", "inf"}, {"--log-level"}},
        {{"--build-step-ms", "0"}, {"--build-step-ms", "above 0"}},
        {{"--build-step-ms", "nan"}, {"--build-step-ms"}},
        {{"--device", ""}, {"--device"}},
        {{"--nonsense"}, {"--nonsense", "not supported"}},
        {{"--threads"}, {"--threads", "a value must follow"}},
        {{"--token-file", ""}, {"--token-file"}},
        {{"--token-requests-per-s", "0"}, {"--token-requests-per-s", "above 0"}},
        {{"--tls-cert", "x"}, {"--tls-cert and --tls-key go together"}},
        {{"--tls-key", "x"}, {"--tls-cert and --tls-key go together"}},
        {{"--base-path", "x"}, {"--base-path", "'x'"}},
        {{"--base-path", "/"}, {"--base-path"}},
        {{"--base-path", "/a/"}, {"--base-path"}},
        {{"--base-path", "/a/../b"}, {"--base-path"}},
        {{"--base-path", "/a%20b"}, {"--base-path"}},
        {{"surplus"}, {"surplus"}},
        {{"--config", "/nonexistent/file"}, {"--config", "/nonexistent/file"}},
    };
    struct config config;
    char fault[CONFIG_FAULT_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(read_list(&config, fault, rows[i].arguments), CONFIG_WRONG);
        for (int s = 0; s < 3 && rows[i].said[s] != NULL; s++)
            if (strstr(fault, rows[i].said[s]) == NULL)
                fail_msg("'%s' does not say '%s'", fault, rows[i].said[s]);
        config_deinit(&config);
    }
}

static void wrong_lines_are_named(void **state)
{
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"threads = 2\nthreads 3\n", "line 2"}, {"\n\nnonsense = 1\n", "line 3"},
        {"threads = none", "line 1"},           {"check = true", "line 1"},
        {"config = other", "line 1"},           {"insecure = yes", "true or false"},
    };
    struct config config;
    char fault[CONFIG_FAULT_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *path = write_file(rows[i].text);
        assert_int_equal(READ(&config, fault, "--config", path), CONFIG_WRONG);
        if (strstr(fault, rows[i].said) == NULL)
            fail_msg("'%s' does not say '%s'", fault, rows[i].said);
        config_deinit(&config);
        unlink(path);
    }
}

/* A file that is not read to its end must not be taken for one that says less. */
static void files_are_read_whole(void **state)
{
    enum { LINE = 5000 };
    static char text[LINE + 64];
    struct config config;
    char fault[CONFIG_FAULT_MAX];
    (void)state;
    assert_int_equal(READ(&config, fault, "--config", "/tmp"), CONFIG_WRONG);
    assert_non_null(strstr(fault, "/tmp: Is a directory"));
    config_deinit(&config);

    // not even in a comment, whose rest would be the next line
    snprintf(text, sizeof(text), "threads = 1\n#%*s\n", LINE, "threads = 2");
    char *path = write_file(text);
    assert_int_equal(READ(&config, fault, "--config", path), CONFIG_WRONG);
    assert_non_null(strstr(fault, "line 2: longer"));
    config_deinit(&config);
    unlink(path);
}

static void help_lists_every_limit(void **state)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    (void)state;
    config_print_help(out);
    fclose(out);
    for (int i = 0; i < LIMIT_COUNT; i++)
        assert_non_null(strstr(text, limit_table[i].flag));
    assert_non_null(strstr(text, "268435456"));
    assert_non_null(strstr(text, "--listen ADDRESS:PORT"));
    assert_non_null(strstr(text, "--token-file FILE"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(defaults, clean_environment),
        cmocka_unit_test_setup(each_source_outranks_the_next, clean_environment),
        cmocka_unit_test_setup(tuning_passes_through, clean_environment),
        cmocka_unit_test_setup(actions, clean_environment),
        cmocka_unit_test_setup(wrong_values_are_named, clean_environment),
        cmocka_unit_test_setup(wrong_lines_are_named, clean_environment),
        cmocka_unit_test_setup(files_are_read_whole, clean_environment),
        cmocka_unit_test_setup(help_lists_every_limit, clean_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

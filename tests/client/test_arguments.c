/* Goal: words and options come apart as documented, and what is wrong is named.
 * Method: a table of command lines. Oracle: written by hand. */
#include "client/arguments.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 12, WORD_BYTES = 32 };

static int count_words(const char *const *words)
{
    int count = 0;
    while (words[count])
        count++;
    return count;
}

static bool parse(struct arguments *arguments, const char *const *words, char *fault, size_t bytes)
{
    // arguments borrow their words, so that these outlive the call
    static char copies[WORDS_MAX][WORD_BYTES];
    char *argv[WORDS_MAX + 1] = {NULL};
    int argc = count_words(words);
    for (int i = 0; i < argc; i++) {
        snprintf(copies[i], WORD_BYTES, "%s", words[i]);
        argv[i] = copies[i];
    }
    return arguments_parse(arguments, argc, argv, fault, bytes);
}

static void words_and_options_come_apart(void **state)
{
    (void)state;
    static const struct {
        const char *line[WORDS_MAX];
        unsigned words, options;
        const char *first_word, *name, *value; /* name NULL: none is looked up */
    } rows[] = {
        {{"prm", NULL}, 0, 0, NULL, NULL, NULL},
        {{"prm", "world", "list", NULL}, 2, 0, "world", "json", NULL},
        {{"prm", "--json", "world", "list", NULL}, 2, 1, "world", "json", ""},
        {{"prm", "plan", "m", "--start", "-1,2", NULL}, 2, 1, "plan", "start", "-1,2"},
        {{"prm", "plan", "m", "--start=-1,2", NULL}, 2, 1, "plan", "start", "-1,2"},
        {{"prm", "plan", "--goal", "1", "--goal", "2", NULL}, 1, 2, "plan", "goal", "2"},
        {{"prm", "--server", "--json", "x", NULL}, 1, 1, "x", "server", "--json"},
        {{"prm", "--server=", "x", NULL}, 1, 1, "x", "server", ""},
        {{"prm", "--", "--json", NULL}, 1, 0, "--json", "json", NULL},
        {{"prm", "world", "put", "w", "-", NULL}, 4, 0, "world", NULL, NULL},
        {{"prm", "-h", NULL}, 0, 1, NULL, "help", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arguments arguments;
        char fault[200] = "";
        assert_true(parse(&arguments, rows[i].line, fault, sizeof fault));
        assert_int_equal(arguments.word_count, rows[i].words);
        assert_int_equal(arguments.option_count, rows[i].options);
        if (rows[i].first_word)
            assert_string_equal(arguments.words[0], rows[i].first_word);
        const char *value = rows[i].name ? arguments_option(&arguments, rows[i].name) : NULL;
        assert_int_equal(value != NULL, rows[i].value != NULL);
        if (value)
            assert_string_equal(value, rows[i].value);
    }
}

static void faults_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *line[WORDS_MAX];
        const char *says;
    } rows[] = {
        {{"prm", "--nonsense", NULL}, "--nonsense"},
        {{"prm", "--jso", NULL}, "--jso"},
        {{"prm", "--jsonx", NULL}, "--jsonx"},
        {{"prm", "-x", NULL}, "-x"},
        {{"prm", "plan", "--start", NULL}, "--start needs a value"},
        {{"prm", "--json=yes", NULL}, "--json takes no value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arguments arguments;
        char fault[200] = "";
        assert_false(parse(&arguments, rows[i].line, fault, sizeof fault));
        assert_non_null(strstr(fault, rows[i].says));
    }
}

static void too_many_words_are_refused(void **state)
{
    (void)state;
    static char word[] = "w", option[] = "--json";
    char *argv[ARGUMENTS_MAX + 2], fault[200];
    struct arguments arguments;
    for (int i = 0; i < ARGUMENTS_MAX + 2; i++)
        argv[i] = word;
    assert_true(arguments_parse(&arguments, ARGUMENTS_MAX + 1, argv, fault, sizeof fault));
    assert_false(arguments_parse(&arguments, ARGUMENTS_MAX + 2, argv, fault, sizeof fault));
    for (int i = 0; i < ARGUMENTS_MAX + 2; i++)
        argv[i] = option;
    assert_true(arguments_parse(&arguments, ARGUMENTS_MAX + 1, argv, fault, sizeof fault));
    assert_false(arguments_parse(&arguments, ARGUMENTS_MAX + 2, argv, fault, sizeof fault));
}

static void numbers_are_strict(void **state)
{
    (void)state;
    char fault[200];
    unsigned long long count;
    double number;
    assert_true(arguments_count("samples", "18446744073709551615", &count, fault, sizeof fault));
    assert_true(count == UINT64_MAX);
    static const char *const bad_counts[] = {"", "-1", " 1", "1x", "1.5", "18446744073709551616"};
    for (size_t i = 0; i < sizeof bad_counts / sizeof *bad_counts; i++) {
        assert_false(arguments_count("samples", bad_counts[i], &count, fault, sizeof fault));
        assert_non_null(strstr(fault, "--samples"));
    }
    assert_true(arguments_number("radius", "-1.5e2", &number, fault, sizeof fault));
    assert_true(number == -150);
    static const char *const bad_numbers[] = {"", "x", "1,2", "nan", "inf", "1e999"};
    for (size_t i = 0; i < sizeof bad_numbers / sizeof *bad_numbers; i++)
        assert_false(arguments_number("radius", bad_numbers[i], &number, fault, sizeof fault));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_options_come_apart),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(too_many_words_are_refused),
        cmocka_unit_test(numbers_are_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Goal: what building, planning and writing answers cost in instructions is known, and no change
 * makes it more unnoticed.
 *
 * Method: instructions.c runs under callgrind, which counts each of its sections. Oracle: the file
 * instructions.txt, within 5 %. Counts depend on the driver and on the processor that it compiles
 * kernels for, which under callgrind is callgrind's own, and on the compiler of the host's code:
 * the file's first lines name them, and where they differ the test is skipped and says so. PoCL is
 * asked for its device of one thread. With PRM_WRITE set the file is written instead of compared.
 */
#include "reference.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND_BYTES = 1024, HEAD_LINES = 3 };

/* How much more or less it may be. */
static const double tolerance = 0.05;

/* Where callgrind writes: a file a section, NAME.1, NAME.2 … */
static char folder[] = "/tmp/prm-instructions-XXXXXX";

/* Runs the sections; what they print is appended. */
static void run(const char *valgrind, struct reference *printed)
{
    char command[COMMAND_BYTES], line[REFERENCE_LINE_BYTES];
    // no other device, no variant, and what one run leaves behind is no part of the next
    snprintf(command, sizeof command,
             "env -u PRMD_DEVICE -u PRMD_TUNING POCL_DEVICES=basic %s %s grid ball arm 2>%s/log",
             valgrind, PRM_INSTRUCTIONS_PROGRAM, folder);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    while (fgets(line, sizeof line, output)) {
        line[strcspn(line, "\n")] = '\0';
        reference_add(printed, "%s", line);
    }
    if (pclose(output) != 0)
        fail_msg("%s failed: see %s/log", command, folder);
}

/* Appends what a file of callgrind's counted; false: there is no such file. */
static bool section_add(struct reference *got, unsigned section)
{
    char path[COMMAND_BYTES], line[REFERENCE_LINE_BYTES], name[REFERENCE_LINE_BYTES] = "";
    unsigned divisor = 0;
    unsigned long long count = 0;
    snprintf(path, sizeof path, "%s/out.%u", folder, section);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "desc: Trigger: Client Request: %u %199[^\n]", &divisor, name);
        sscanf(line, "summary: %llu", &count);
    }
    fclose(file);
    unlink(path);
    // the last one is what came after all sections
    if (divisor > 0)
        reference_add(got, "%s: %llu instructions", name, (count + divisor / 2) / divisor);
    return true;
}

/* The number behind the last colon of a line, whose part before it is cut off. */
static double cut_number(char *line)
{
    char *colon = strrchr(line, ':');
    assert_non_null(colon);
    *colon = '\0';
    return strtod(colon + 1, NULL);
}

/* What the counts depend on is as it was; else says what is not. */
static bool is_comparable(const struct reference *expected, const struct reference *got)
{
    bool same = true;
    for (unsigned i = 0; i < HEAD_LINES; i++) {
        if (strcmp(expected->lines[i], got->lines[i]) == 0)
            continue;
        print_message("not comparable: here %s, reference %s\n", got->lines[i], expected->lines[i]);
        same = false;
    }
    return same;
}

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
    char path[COMMAND_BYTES];
    (void)state;
    snprintf(path, sizeof path, "%s/log", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/out", folder);
    unlink(path);
    return rmdir(folder);
}

static void instructions_are_as_ever(void **state)
{
    static struct reference expected, got, plain;
    char options[COMMAND_BYTES];
    (void)state;

    // kernels are compiled before anything is counted: by the way if the processor is the one that
    // valgrind shows, else within it, which takes minutes
    const bool known = reference_read(&expected, PRM_INSTRUCTIONS);
    run("", &plain);
    if (!known || strcmp(plain.lines[1], expected.lines[1]) != 0)
        run("valgrind -q --tool=none", &plain);
    snprintf(options, sizeof options,
             "valgrind -q --tool=callgrind --instr-atstart=no --callgrind-out-file=%s/out", folder);
    run(options, &got);
    reference_add(&got, "compiler: %s", __VERSION__);
    for (unsigned section = 1; section_add(&got, section);)
        section++;
    assert_true(got.count > HEAD_LINES);
    if (getenv("PRM_WRITE")) {
        assert_true(reference_write(&got, PRM_INSTRUCTIONS));
        return;
    }

    if (!known)
        print_message("there is no reference: PRM_WRITE=1 makes it\n");
    if (!known || !is_comparable(&expected, &got)) {
        folder_remove(state);
        exit(TEST_SKIPPED);
    }
    assert_int_equal(got.count, expected.count);
    unsigned differences = 0;
    for (unsigned i = HEAD_LINES; i < got.count; i++) {
        const double before = cut_number(expected.lines[i]), now = cut_number(got.lines[i]);
        assert_string_equal(got.lines[i], expected.lines[i]);
        const bool bad = fabs(now - before) > tolerance * before;
        print_message("%-45s %9.0f -> %9.0f %+6.1f %%%s\n", got.lines[i], before, now,
                      100 * (now / before - 1), bad ? "  TOO FAR" : "");
        differences += bad;
    }
    if (differences > 0)
        fail_msg("%u counts differ: make them less, or write the reference anew with PRM_WRITE=1",
                 differences);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(instructions_are_as_ever)};
    if (strcmp(PRM_BUILD_TYPE, "Release") != 0) {
        fputs("only a release build is counted\n", stderr);
        return TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}

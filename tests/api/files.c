#include "files.h"

#include "support/support.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading read_bytes(format_function *read, const void *data, size_t bytes,
                          const struct format_file *options)
{
    struct reading reading = {.limits = limits_default()};
    reading.limits.points = TEST_POINTS_MAX;
    reading.limits.triangles = TEST_TRIANGLES_MAX;
    reading.limits.boxes = TEST_BOXES_MAX;
    struct format_file file = {0};
    if (options)
        file = *options;
    char *copy = malloc(bytes ? bytes : 1);
    assert_non_null(copy);
    if (bytes)
        memcpy(copy, data, bytes);
    file.data = copy;
    file.bytes = bytes;
    file.limits = &reading.limits;
    file.problem = &reading.problem;
    reading.good = read(&reading.world, &reading.report, &file);
    free(copy);
    if (reading.good == (reading.problem.fault_count > 0))
        fail_msg("read %d with %u faults", reading.good, reading.problem.fault_count);
    return reading;
}

void reading_deinit(struct reading *reading)
{
    if (reading->good)
        world_deinit(&reading->world);
    reading->good = false;
}

struct reading read_shared(format_function *read, const char *path,
                           const struct format_file *options)
{
    FILE *stream = fopen(test_shared_path(path), "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    const long bytes = ftell(stream);
    assert_true(bytes >= 0);
    rewind(stream);
    char *data = malloc((size_t)bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)bytes, stream), bytes);
    fclose(stream);
    struct reading reading = read_bytes(read, data, (size_t)bytes, options);
    free(data);
    return reading;
}

void assert_read(const struct reading *reading)
{
    if (!reading->good)
        fail_msg("refused: %s", reading->problem.faults[0].detail);
}

void assert_file_refused(format_function *read, const void *data, size_t bytes,
                         enum problem_code code, const char *text)
{
    struct reading reading = read_bytes(read, data, bytes, NULL);
    const struct problem_fault *fault = &reading.problem.faults[0];
    if (reading.good || fault->code != code || !strstr(fault->detail, text))
        fail_msg("\"%.60s\": not refused as \"%s\", but %s: %s", (const char *)data, text,
                 reading.good ? "read" : problem_code_text(fault->code), fault->detail);
}

void assert_files_refused(format_function *read, const struct bad_file *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_file_refused(read, rows[i].data, strlen(rows[i].data), rows[i].code, rows[i].text);
}

void assert_survives(format_function *read, const void *data, size_t bytes, unsigned count)
{
    struct test_random random = {99};
    unsigned char *copy = malloc(bytes + 1);
    assert_non_null(copy);
    for (unsigned i = 0; i < count; i++) {
        memcpy(copy, data, bytes);
        const uint64_t draw = test_random_u64(&random);
        size_t length = bytes;
        if (i % 2)
            copy[draw % bytes] = (unsigned char)(draw >> 48);
        else
            length = draw % bytes;
        struct reading reading = read_bytes(read, copy, length, NULL);
        reading_deinit(&reading);
    }
    free(copy);
}

bool set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0)
            return true;
    setlocale(LC_ALL, "C");
    return false;
}

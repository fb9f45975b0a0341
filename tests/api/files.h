/* What the tests of file formats share: files in memory or of the shared data folder, read under
 * small limits, and what came of them. */
#ifndef TESTS_API_FILES_H
#define TESTS_API_FILES_H

#include "formats/format.h"

typedef bool format_function(struct world_document *world, struct format_report *report,
                             const struct format_file *options);

/* A file that was read, or refused. */
struct reading {
    bool good;
    struct world_document world;
    struct format_report report;
    struct problem problem;
    struct limits limits;
};

enum { TEST_POINTS_MAX = 20000, TEST_TRIANGLES_MAX = 5000, TEST_BOXES_MAX = 400000 };

/* Reads bytes as the options have it (NULL: none). The file lies in memory of just its
 * size, so that a sanitizer sees a reader that leaves it. */
struct reading read_bytes(format_function *read, const void *data, size_t bytes,
                          const struct format_file *options);
void reading_deinit(struct reading *reading);

/* Reads a file of the shared data; skips the test where there is none. */
struct reading read_shared(format_function *read, const char *path,
                           const struct format_file *options);

/* Fails the test with the problem where the file was refused. */
void assert_read(const struct reading *reading);

/* The file is refused with this code, and the first detail has `text` in it. */
void assert_file_refused(format_function *read, const void *data, size_t bytes,
                         enum problem_code code, const char *text);

/* Files as text, and what must be said of them. */
struct bad_file {
    const char *data;
    enum problem_code code;
    const char *text; /* in the detail */
};
void assert_files_refused(format_function *read, const struct bad_file *rows, size_t count);

/* No beginning of a file, and none of it with a byte changed, does harm: each is read or refused
 * with a fault. `count` changes are tried. */
void assert_survives(format_function *read, const void *data, size_t bytes, unsigned count);

/* Sets LC_ALL to a locale with a decimal comma; false: the machine has none. */
bool set_comma_locale(void);

#endif

#include "arrays.h"

#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

struct text npy_file(unsigned major, const char *header, const void *data, size_t bytes)
{
    struct text file = {0};
    const size_t length = strlen(header) + 1;
    const char start[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', (char)major, 0};
    const char size[] = {(char)(length & 255), (char)(length >> 8), 0, 0};
    text_append(&file, start, sizeof start);
    text_append(&file, size, major == 1 ? 2 : 4);
    text_append(&file, header, length - 1);
    text_append(&file, "\n", 1);
    text_append(&file, data, bytes);
    assert_false(file.failed);
    return file;
}

struct text npy_of(const char *descr, const char *shape, const void *data, size_t bytes)
{
    char header[256];
    const int length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                 descr, shape);
    // 10 bytes before and a new line behind make it 128
    const int padding = 117 - length;
    snprintf(header + length, sizeof header - (size_t)length, "%*s", padding > 0 ? padding : 0, "");
    return npy_file(1, header, data, bytes);
}

struct text zip_of(const struct zip_file_entry *entries, unsigned count, bool deflated)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *target = zip_source_buffer_create(NULL, 0, 0, &error);
    assert_non_null(target);
    zip_source_keep(target);
    zip_t *archive = zip_open_from_source(target, ZIP_TRUNCATE | ZIP_CREATE, &error);
    assert_non_null(archive);
    for (unsigned i = 0; i < count; i++) {
        zip_source_t *source =
            zip_source_buffer(archive, entries[i].content.data, entries[i].content.length, 0);
        const zip_int64_t index = zip_file_add(archive, entries[i].name, source, 0);
        assert_true(index >= 0);
        assert_int_equal(zip_set_file_compression(archive, (zip_uint64_t)index,
                                                  deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0),
                         0);
    }
    assert_int_equal(zip_close(archive), 0);

    struct text out = {0};
    char block[4096];
    zip_int64_t got;
    assert_int_equal(zip_source_open(target), 0);
    while ((got = zip_source_read(target, block, sizeof block)) > 0)
        text_append(&out, block, (size_t)got);
    zip_source_close(target);
    zip_source_free(target);
    assert_false(out.failed);
    return out;
}

void assert_first_fault(const struct problem *problem, enum problem_code code, const char *pointer,
                        const char *what)
{
    const struct problem_fault *fault = &problem->faults[0];
    if (!problem->fault_count)
        fail_msg("refused without a fault: %s", what);
    if (fault->code != code)
        fail_msg("%s: %s (%s), expected %s", what, problem_code_text(fault->code), fault->detail,
                 problem_code_text(code));
    if (pointer && (!fault->has_pointer || strcmp(fault->pointer, pointer) != 0))
        fail_msg("%s: at %s (%s), expected %s", what, fault->pointer, fault->detail, pointer);
}

/* Goal: .npy and .npz are read strictly and written as numpy has them; whatever is cut, patched or
 * claimed falsely is refused and never read beyond. Method: files made byte by byte, archives by
 * libzip; every truncation and every changed byte of a good file, for a sanitizer to watch. Oracle:
 * NEP 1 and the bytes that numpy 1.24 writes. */
#include "arrays.h"
#include "schema/npz.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t four[] = {1, 2, 3, 0xfffffff0};

/* A copy of just that size, so that a sanitizer sees a read beyond it. */
static char *exact_copy(const char *data, size_t bytes)
{
    char *copy = malloc(bytes ? bytes : 1);
    assert_non_null(copy);
    if (bytes)
        memcpy(copy, data, bytes);
    return copy;
}

/* ---- npy ---- */

static void headers_are_understood(void **state)
{
    (void)state;
    static const struct {
        unsigned version;
        const char *header;
        size_t bytes;
        enum npy_type type;
        unsigned axes;
        size_t shape[NPY_AXES_MAX];
    } rows[] = {
        {1, "{'descr': '<u4', 'fortran_order': False, 'shape': (4,), }", 16, NPY_UINT32, 1, {4}},
        {2,
         "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }",
         16,
         NPY_INT32,
         2,
         {2, 2}},
        {3,
         "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 2), }",
         16,
         NPY_FLOAT32,
         3,
         {2, 1, 2}},
        {1, "{'descr': '<u8', 'fortran_order': False, 'shape': (2,)}", 16, NPY_UINT64, 1, {2}},
        {1,
         "{\"shape\": (2,), \"fortran_order\": False, \"descr\": \"<i8\"}   ",
         16,
         NPY_INT64,
         1,
         {2}},
        {1, "{'descr':'<f8','fortran_order':False,'shape':(2,)}", 16, NPY_FLOAT64, 1, {2}},
        {1, "{'descr': '|u1', 'fortran_order': False, 'shape': (16,), }", 16, NPY_UINT8, 1, {16}},
        {1, "{'descr': '|b1', 'fortran_order': False, 'shape': (16,), }", 16, NPY_BOOL, 1, {16}},
        {1, "{'descr': '<U4', 'fortran_order': False, 'shape': (), }", 16, NPY_UTF32, 0, {0}},
        {1, "{'descr': '|S16', 'fortran_order': False, 'shape': (), }", 16, NPY_BYTES, 0, {0}},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }", 0, NPY_FLOAT64, 1, {0}},
        {1,
         "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0), }",
         0,
         NPY_FLOAT64,
         2,
         {3, 0}},
        {1,
         "{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999999999, 0), }",
         0,
         NPY_FLOAT64,
         2,
         {999999999999999999, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text file = npy_file(rows[i].version, rows[i].header, four, rows[i].bytes);
        struct npy_array array;
        struct problem problem = {0};
        if (!npy_read(&array, file.data, file.length, NULL, &problem))
            fail_msg("%s: %s", rows[i].header, problem.faults[0].detail);
        assert_int_equal(array.type, rows[i].type);
        assert_int_equal(array.axes, rows[i].axes);
        for (unsigned axis = 0; axis < array.axes; axis++)
            assert_int_equal(array.shape[axis], rows[i].shape[axis]);
        assert_int_equal(array.count * array.item_bytes, rows[i].bytes);
        assert_ptr_equal(array.data, file.data + file.length - rows[i].bytes);
        text_deinit(&file);
    }
}

static void wrong_headers_are_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned version;
        enum problem_code code;
        const char *header;
        size_t bytes;
    } rows[] = {
        {4, PROBLEM_UNSUPPORTED, "{'descr': '<u4', 'fortran_order': False, 'shape': (4,), }", 16},
        {1, PROBLEM_UNSUPPORTED, "{'descr': '>u4', 'fortran_order': False, 'shape': (4,), }", 16},
        {1, PROBLEM_UNSUPPORTED, "{'descr': '=u4', 'fortran_order': False, 'shape': (4,), }", 16},
        {1, PROBLEM_UNSUPPORTED, "{'descr': '<u2', 'fortran_order': False, 'shape': (8,), }", 16},
        {1, PROBLEM_UNSUPPORTED, "{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }", 16},
        {1, PROBLEM_UNSUPPORTED, "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", 16},
        {1, PROBLEM_UNSUPPORTED, "{'descr': '<u40', 'fortran_order': False, 'shape': (4,), }", 16},
        {1, PROBLEM_UNSUPPORTED, "{'descr': '<U0', 'fortran_order': False, 'shape': (4,), }", 16},
        {1, PROBLEM_UNSUPPORTED,
         "{'descr': '<U99999999999', 'fortran_order': False, 'shape': (4,), }", 16},
        {1, PROBLEM_UNSUPPORTED,
         "{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (4,), }", 16},
        {1, PROBLEM_UNSUPPORTED, "{'descr': '<u4', 'fortran_order': True, 'shape': (2, 2), }", 16},
        {1, PROBLEM_UNSUPPORTED,
         "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 1, 1, 4), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': Falsch, 'shape': (4,), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (4), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': 4, }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (-4,), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (04,), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (4L,), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (,), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (4, , 1), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (4,", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False}", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'descr': '<u4', 'shape': (4,), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (4,), 'x': 1}",
         16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (4,), } x", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4' 'fortran_order': False, 'shape': (4,), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4", 16},
        {1, PROBLEM_MALFORMED, "", 16},
        // shapes that the data do not have, among them products that overflow
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (5,), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }", 16},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (4,), }", 17},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (4,), }", 15},
        {1, PROBLEM_MALFORMED, "{'descr': '<u4', 'fortran_order': False, 'shape': (0,), }", 16},
        {1, PROBLEM_MALFORMED,
         "{'descr': '<u4', 'fortran_order': False, 'shape': (4611686018427387905, 4), }", 16},
        {1, PROBLEM_MALFORMED,
         "{'descr': '<u4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4), }", 16},
        {1, PROBLEM_MALFORMED,
         "{'descr': '<u4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 16},
    };
    const char data[32] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text file = npy_file(rows[i].version, rows[i].header, data, rows[i].bytes);
        struct npy_array array;
        struct problem problem = {0};
        if (npy_read(&array, file.data, file.length, "values", &problem))
            fail_msg("accepted: %s", rows[i].header);
        assert_first_fault(&problem, rows[i].code, "/values", rows[i].header);
        text_deinit(&file);
    }
}

static void a_long_header_is_refused(void **state)
{
    (void)state;
    char *header = malloc(NPY_HEADER_BYTES_MAX + 8);
    memset(header, ' ', NPY_HEADER_BYTES_MAX + 7);
    header[NPY_HEADER_BYTES_MAX + 7] = '\0';
    for (unsigned version = 1; version <= 3; version++) {
        struct text file = npy_file(version, header, four, sizeof four);
        struct npy_array array;
        struct problem problem = {0};
        assert_false(npy_read(&array, file.data, file.length, NULL, &problem));
        assert_first_fault(&problem, PROBLEM_MALFORMED, "", "long header");
        text_deinit(&file);
    }
    free(header);

    // a length of 4 GB with nothing behind it
    static const char claim[] = "\x93NUMPY\2\0\xff\xff\xff\xff";
    struct npy_array array;
    struct problem problem = {0};
    assert_false(npy_read(&array, claim, sizeof claim - 1, NULL, &problem));
}

static void written_headers_are_numpys(void **state)
{
    (void)state;
    static const struct {
        enum npy_type type;
        unsigned axes;
        size_t shape[NPY_AXES_MAX];
        const char *descr, *text;
    } rows[] = {
        {NPY_UINT32, 1, {4}, "<u4", "(4,)"},
        {NPY_INT32, 2, {3, 2}, "<i4", "(3, 2)"},
        {NPY_FLOAT32, 3, {1, 2, 3}, "<f4", "(1, 2, 3)"},
        {NPY_UINT64, 0, {0}, "<u8", "()"},
        {NPY_INT64, 1, {0}, "<i8", "(0,)"},
        {NPY_FLOAT64, 1, {1000000}, "<f8", "(1000000,)"},
        {NPY_UINT8, 1, {1}, "|u1", "(1,)"},
        {NPY_BOOL, 1, {1}, "|b1", "(1,)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct npy_array array = npy_array(rows[i].type, rows[i].axes, rows[i].shape, four);
        struct text written = {0}, expected = npy_of(rows[i].descr, rows[i].text, NULL, 0);
        npy_write_header(&array, &written);
        assert_int_equal(written.length, expected.length);
        assert_memory_equal(written.data, expected.data, expected.length);
        assert_int_equal(written.length, 128);
        text_deinit(&written);
        text_deinit(&expected);
    }
}

static void cut_and_changed_npy_is_safe(void **state)
{
    (void)state;
    struct text file = npy_of("<u4", "(2, 2)", four, sizeof four);
    struct npy_array array;
    for (size_t length = 0; length < file.length; length++) {
        char *copy = exact_copy(file.data, length);
        struct problem problem = {0};
        if (npy_read(&array, copy, length, NULL, &problem))
            fail_msg("accepted %zu of %zu bytes", length, file.length);
        assert_int_equal(problem.faults[0].code, PROBLEM_MALFORMED);
        free(copy);
    }
    for (size_t at = 0; at < file.length; at++) {
        for (unsigned change = 1; change < 256; change++) {
            char *copy = exact_copy(file.data, file.length);
            copy[at] = (char)(copy[at] ^ (char)change);
            struct problem problem = {0};
            if (npy_read(&array, copy, file.length, NULL, &problem))
                assert_ptr_equal((const char *)array.data + array.count * array.item_bytes,
                                 copy + file.length);
            free(copy);
        }
    }
    text_deinit(&file);
}

/* ---- npz ---- */

static struct limits limits;

static void assert_member(struct npz *npz, const char *name, const void *data, size_t bytes)
{
    const struct npz_member *member = npz_find(npz, name);
    assert_non_null(member);
    assert_int_equal(member->array.count * member->array.item_bytes, bytes);
    assert_memory_equal(member->array.data, data, bytes);
}

static void archives_are_read(void **state)
{
    (void)state;
    static uint32_t many[10000];
    struct zip_file_entry entries[] = {{"keys.npy", npy_of("<u4", "(4,)", four, sizeof four)},
                                       {"k.npy", npy_of("<u4", "()", four, 4)},
                                       {"empty.npy", npy_of("<f8", "(0,)", NULL, 0)},
                                       {"many.npy", npy_of("<u4", "(10000,)", many, sizeof many)}};
    for (int deflated = 0; deflated < 2; deflated++) {
        struct text archive = zip_of(entries, 4, deflated);
        assert_true(deflated ? archive.length < 4000 : archive.length > 40000);
        struct npz npz;
        struct problem problem = {0};
        if (!npz_read(&npz, archive.data, archive.length, &limits, &problem))
            fail_msg("%s", problem.faults[0].detail);
        assert_int_equal(npz.count, 4);
        assert_member(&npz, "keys", four, sizeof four);
        assert_member(&npz, "k", four, 4);
        assert_member(&npz, "empty", four, 0);
        assert_member(&npz, "many", many, sizeof many);
        assert_null(npz_find(&npz, "key"));
        npz_deinit(&npz);
        text_deinit(&archive);
    }
    for (int i = 0; i < 4; i++)
        text_deinit(&entries[i].content);
}

static void written_archives_read_back(void **state)
{
    (void)state;
    const size_t shape[] = {2, 2}, none = 0;
    const double number = 0.1;
    const struct npz_item items[] = {{"a", npy_array(NPY_UINT32, 2, shape, four)},
                                     {"timing_ms.total", npy_array(NPY_FLOAT64, 0, NULL, &number)},
                                     {"c", npy_array(NPY_FLOAT32, 1, &none, NULL)}};
    struct text archive = {0}, again = {0};
    text_append(&archive, "before", 6);
    npz_write(items, 3, &archive);
    npz_write(items, 3, &again);
    assert_false(archive.failed);
    assert_memory_equal(archive.data, "before", 6);

    // the same bytes each time, and the data stored
    assert_int_equal(archive.length, again.length + 6);
    assert_memory_equal(archive.data + 6, again.data, again.length);

    struct npz npz;
    struct problem problem = {0};
    if (!npz_read(&npz, again.data, again.length, &limits, &problem))
        fail_msg("%s", problem.faults[0].detail);
    assert_int_equal(npz.count, 3);
    assert_member(&npz, "a", four, sizeof four);
    assert_member(&npz, "timing_ms.total", &number, sizeof number);
    assert_member(&npz, "c", four, 0);
    npz_deinit(&npz);
    text_deinit(&archive);
    text_deinit(&again);
}

/* Replaces each `from` in a text by `to` of the same length. */
static unsigned patch(struct text *text, const char *from, const char *to, size_t length)
{
    unsigned count = 0;
    for (size_t at = 0; at + length <= text->length; at++)
        if (memcmp(text->data + at, from, length) == 0) {
            memcpy(text->data + at, to, length);
            count++;
        }
    return count;
}

static void assert_archive_refused(const struct text *archive, enum problem_code code,
                                   const char *what)
{
    struct npz npz;
    struct problem problem = {0};
    if (npz_read(&npz, archive->data, archive->length, &limits, &problem))
        fail_msg("accepted: %s", what);
    assert_first_fault(&problem, code, NULL, what);
}

static void wrong_archives_are_refused(void **state)
{
    (void)state;
    struct text good = npy_of("<u4", "(4,)", four, sizeof four);
    struct text torn = npy_of("<u4", "(5,)", four, sizeof four);
    static const struct {
        const char *name;
        bool torn;
        enum problem_code code;
    } rows[] = {{"keys", false, PROBLEM_UNSUPPORTED},
                {".npy", false, PROBLEM_UNSUPPORTED},
                {"folder/", false, PROBLEM_UNSUPPORTED},
                {"keys.npy", true, PROBLEM_MALFORMED},
                {"0123456789012345678901234567890123456789012345678901234567890123.npy", false,
                 PROBLEM_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct zip_file_entry entry = {rows[i].name, rows[i].torn ? torn : good};
        struct text archive = zip_of(&entry, 1, false);
        assert_archive_refused(&archive, rows[i].code, rows[i].name);
        text_deinit(&archive);
    }
    const struct text noise = {.data = (char *)"PK\3\4 and then nothing", .length = 20};
    assert_archive_refused(&noise, PROBLEM_MALFORMED, "noise");

    // a name twice, by way of a patch: libzip writes no such thing
    const struct zip_file_entry two[] = {{"keys.npy", good}, {"kezs.npy", good}};
    struct text archive = zip_of(two, 2, false);
    assert_int_equal(patch(&archive, "kezs", "keys", 4), 2);
    assert_archive_refused(&archive, PROBLEM_MALFORMED, "twice");
    text_deinit(&archive);

    // one number changed: the check sum tells
    archive = zip_of(two, 1, false);
    assert_int_equal(patch(&archive, "\xf0\xff\xff\xff", "\xf1\xff\xff\xff", 4), 1);
    assert_archive_refused(&archive, PROBLEM_MALFORMED, "check sum");
    text_deinit(&archive);

    // sizes that lie, in both directions: 144 bytes are 128 and 160
    for (int change = -16; change <= 16; change += 32) {
        archive = zip_of(two, 1, true);
        const char said[] = {(char)good.length, 0, 0, 0};
        const char lie[] = {(char)((int)good.length + change), 0, 0, 0};
        assert_true(patch(&archive, said, lie, 4) >= 1);
        assert_archive_refused(&archive, PROBLEM_MALFORMED, "size");
        text_deinit(&archive);
    }
    text_deinit(&good);
    text_deinit(&torn);
}

static void archives_are_bounded(void **state)
{
    (void)state;
    // what is unpacked counts, all members together
    enum { BYTES = 40000 };
    static char zeros[BYTES];
    const struct text file = npy_of("|u1", "(40000,)", zeros, BYTES);
    const struct zip_file_entry entries[] = {{"a.npy", file}, {"b.npy", file}};
    struct text archive = zip_of(entries, 2, true);
    assert_true(archive.length < 1000);
    struct npz npz;
    struct problem problem = {0};
    limits.body_bytes = 2 * file.length;
    assert_true(npz_read(&npz, archive.data, archive.length, &limits, &problem));
    npz_deinit(&npz);
    limits.body_bytes--;
    assert_archive_refused(&archive, PROBLEM_TOO_LARGE, "unpacked");
    limits = limits_default();
    text_deinit(&archive);

    // so does the count of members, also where the end record hides in a comment's place
    struct zip_file_entry many[NPZ_MEMBERS_MAX + 1];
    char names[NPZ_MEMBERS_MAX + 1][8];
    for (int i = 0; i <= NPZ_MEMBERS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "%d.npy", i);
        many[i] = (struct zip_file_entry){names[i], file};
    }
    archive = zip_of(many, NPZ_MEMBERS_MAX, true);
    assert_true(npz_read(&npz, archive.data, archive.length, &limits, &problem));
    npz_deinit(&npz);
    text_deinit(&archive);
    archive = zip_of(many, NPZ_MEMBERS_MAX + 1, true);
    assert_archive_refused(&archive, PROBLEM_UNSUPPORTED, "many");
    text_append(&archive, "comment", 7);
    archive.data[archive.length - 9] = 7;
    assert_archive_refused(&archive, PROBLEM_UNSUPPORTED, "many and a comment");
    text_deinit(&archive);
    struct text unowned = file;
    text_deinit(&unowned);
}

static void cut_and_changed_npz_is_safe(void **state)
{
    (void)state;
    struct zip_file_entry entries[] = {{"a.npy", npy_of("<u4", "(4,)", four, sizeof four)},
                                       {"b.npy", npy_of("<u4", "()", four, 4)}};
    limits.body_bytes = 100000;
    for (int deflated = 0; deflated < 2; deflated++) {
        struct text archive = zip_of(entries, 2, deflated);
        for (size_t length = 0; length < archive.length; length++) {
            char *copy = exact_copy(archive.data, length);
            const struct text cut = {.data = copy, .length = length};
            assert_archive_refused(&cut, PROBLEM_MALFORMED, "cut");
            free(copy);
        }
        static const unsigned char changes[] = {0x01, 0x02, 0x08, 0x40, 0x80, 0xff};
        for (size_t at = 0; at < archive.length; at++) {
            for (size_t i = 0; i < sizeof changes; i++) {
                char *copy = exact_copy(archive.data, archive.length);
                copy[at] = (char)(copy[at] ^ (char)changes[i]);
                struct npz npz;
                struct problem problem = {0};
                if (npz_read(&npz, copy, archive.length, &limits, &problem))
                    npz_deinit(&npz);
                else
                    assert_true(problem.fault_count > 0);
                free(copy);
            }
        }
        text_deinit(&archive);
    }
    limits = limits_default();
    text_deinit(&entries[0].content);
    text_deinit(&entries[1].content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_understood),
        cmocka_unit_test(wrong_headers_are_refused),
        cmocka_unit_test(a_long_header_is_refused),
        cmocka_unit_test(written_headers_are_numpys),
        cmocka_unit_test(cut_and_changed_npy_is_safe),
        cmocka_unit_test(archives_are_read),
        cmocka_unit_test(written_archives_read_back),
        cmocka_unit_test(wrong_archives_are_refused),
        cmocka_unit_test(archives_are_bounded),
        cmocka_unit_test(cut_and_changed_npz_is_safe),
    };
    limits = limits_default();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

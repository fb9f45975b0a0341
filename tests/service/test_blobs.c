/* Goal: what is put comes back after a restart, byte for byte; what is damaged or foreign never
 * does; a change that fails leaves all as it was, whichever of its steps fails. Method: folders
 * that are reopened, each byte of a file flipped, each length of it cut, each system call failed in
 * turn. Oracle: the bytes put. */
#include "folders.h"
#include "service/fingerprint.h"
#include "service/persistence/blob_file.h"
#include "service/persistence/blobs_folder.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char KIND[] = "thing";

/* Fails the call whose turn it is. */
struct fault {
    int error;
    unsigned calls, at; /* 0: none fails */
    int link_error;     /* of every link; 0: none */
};

static int on_call(void *context, const char *call)
{
    struct fault *fault = context;
    if (fault->link_error && strcmp(call, "link") == 0)
        return fault->link_error;
    return ++fault->calls == fault->at ? fault->error : 0;
}

static struct blobs *open_folder(const char *path, struct fault *fault)
{
    const struct blobs_folder_options options = {
        .path = path, .fault = fault ? on_call : NULL, .fault_context = fault};
    struct problem problem = {0};
    struct blobs *blobs;
    if (!blobs_folder_open(&blobs, &options, &problem))
        fail_msg("%s", problem.faults[0].detail);
    return blobs;
}

static void id_of(char id[BLOB_ID_BYTES], const void *data, size_t bytes)
{
    assert_true(fingerprint_of(id, data, bytes));
}

static void assert_blob(struct blobs *blobs, const char *id, const void *data, size_t bytes)
{
    struct blob blob;
    assert_int_equal(blobs->methods->get(blobs, id, KIND, &blob), BLOB_OK);
    assert_int_equal(blob.bytes, bytes);
    assert_memory_equal(blob.data, data, bytes);
    assert_int_equal(blob.data[bytes], 0);
    free(blob.data);
}

/* `text` NULL: there is no such name. */
static void assert_record(struct blobs *blobs, const char *name, const char *text)
{
    struct blob record;
    const enum blob_outcome outcome = blobs->methods->name_get(blobs, BLOB_WORLDS, name, &record);
    assert_int_equal(outcome, text ? BLOB_OK : BLOB_ABSENT);
    if (text)
        assert_string_equal(record.data, text);
    free(record.data);
}

static enum blob_outcome set_record(struct blobs *blobs, const char *name, const char *text)
{
    return blobs->methods->name_set(blobs, BLOB_WORLDS, name, text, strlen(text));
}

static void what_is_put_comes_back(void **state)
{
    static const size_t SIZES[] = {0, 1, 119, 120, 4096, 1 << 20};
    enum { SIZE_COUNT = sizeof(SIZES) / sizeof(SIZES[0]) };
    static unsigned char data[1 << 20];
    char path[FOLDER_PATH_BYTES], ids[SIZE_COUNT][BLOB_ID_BYTES];
    struct blob_list list;
    (void)state;
    folder_make(path);
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (unsigned char)(i * 31 + i / 251);

    struct blobs *blobs = open_folder(path, NULL);
    for (unsigned i = 0; i < SIZE_COUNT; i++) {
        id_of(ids[i], data, SIZES[i]);
        // once more changes nothing
        for (int round = 0; round < 2; round++)
            assert_int_equal(blobs->methods->put(blobs, ids[i], KIND, data, SIZES[i]), BLOB_OK);
    }
    assert_int_equal(set_record(blobs, "w", "first"), BLOB_OK);
    assert_int_equal(set_record(blobs, "w", "second"), BLOB_OK);
    assert_int_equal(set_record(blobs, "gone", "for a while"), BLOB_OK);
    assert_int_equal(blobs->methods->name_remove(blobs, BLOB_WORLDS, "gone"), BLOB_OK);
    assert_int_equal(blobs->methods->name_remove(blobs, BLOB_WORLDS, "never"), BLOB_OK);
    blobs->methods->close(blobs);

    blobs = open_folder(path, NULL);
    for (unsigned i = 0; i < SIZE_COUNT; i++)
        assert_blob(blobs, ids[i], data, SIZES[i]);
    assert_record(blobs, "w", "second");
    assert_record(blobs, "gone", NULL);
    assert_int_equal(blobs->methods->list(blobs, &list), BLOB_OK);
    assert_int_equal(list.count, SIZE_COUNT);
    blob_list_deinit(&list);
    assert_int_equal(blobs->methods->name_list(blobs, BLOB_WORLDS, &list), BLOB_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0], "w");
    blob_list_deinit(&list);

    // what is removed is not there
    blobs->methods->remove(blobs, ids[3]);
    blobs->methods->remove(blobs, ids[3]);
    struct blob blob;
    assert_int_equal(blobs->methods->get(blobs, ids[3], KIND, &blob), BLOB_ABSENT);
    blobs->methods->close(blobs);
    assert_int_equal(folder_count(path, "tmp"), 0);
    assert_int_equal(folder_count(path, "set-aside"), 0);
    folder_remove(path);
}

/* A blob's file, whole, for tests to spoil. */
struct original {
    char path[FOLDER_PATH_BYTES], file[FOLDER_PATH_BYTES], id[BLOB_ID_BYTES];
    unsigned char *bytes;
    size_t size;
    struct blobs *blobs;
};

static const char CONTENT[] = "a few bytes";

static void original_init(struct original *original)
{
    folder_make(original->path);
    original->blobs = open_folder(original->path, NULL);
    id_of(original->id, CONTENT, sizeof(CONTENT));
    assert_int_equal(original->blobs->methods->put(original->blobs, original->id, KIND, CONTENT,
                                                   sizeof(CONTENT)),
                     BLOB_OK);
    folder_path(original->file, original->path, "blobs", original->id);
    original->bytes = file_read(original->file, &original->size);
    assert_non_null(original->bytes);
}

static void original_deinit(struct original *original)
{
    original->blobs->methods->close(original->blobs);
    free(original->bytes);
    folder_remove(original->path);
}

static enum blob_outcome get_original(const struct original *original, const char *kind)
{
    struct blob blob;
    const enum blob_outcome outcome =
        original->blobs->methods->get(original->blobs, original->id, kind, &blob);
    free(blob.data);
    return outcome;
}

/* A spoilt file is set aside, and not there any more. */
static void assert_set_aside(const struct original *original, unsigned *aside)
{
    assert_int_equal(get_original(original, KIND), BLOB_DAMAGED);
    assert_int_equal(get_original(original, KIND), BLOB_ABSENT);
    assert_int_equal(folder_count(original->path, "set-aside"), ++*aside);
}

static void a_damaged_file_is_set_aside(void **state)
{
    struct original original;
    unsigned aside = 0;
    (void)state;
    original_init(&original);
    for (size_t i = 0; i < original.size; i++) {
        original.bytes[i] ^= 0x10;
        file_write(original.file, original.bytes, original.size);
        original.bytes[i] ^= 0x10;
        assert_set_aside(&original, &aside);
    }
    for (size_t size = 0; size < original.size; size++) {
        file_write(original.file, original.bytes, size);
        assert_set_aside(&original, &aside);
    }
    unsigned char *longer = calloc(original.size + 1, 1);
    assert_non_null(longer);
    memcpy(longer, original.bytes, original.size);
    file_write(original.file, longer, original.size + 1);
    free(longer);
    assert_set_aside(&original, &aside);

    // it can be put again, and read as what it is alone
    assert_int_equal(
        original.blobs->methods->put(original.blobs, original.id, KIND, CONTENT, sizeof(CONTENT)),
        BLOB_OK);
    assert_blob(original.blobs, original.id, CONTENT, sizeof(CONTENT));
    assert_int_equal(get_original(&original, "other"), BLOB_DAMAGED);
    original_deinit(&original);
}

/* Writes the file with another head, whose check is right. */
static void write_head(const struct original *original, const struct blob_file_head *head)
{
    char check[FINGERPRINT_BYTES];
    struct blob_file_head whole = *head;
    assert_true(fingerprint_of(check, &whole, offsetof(struct blob_file_head, check)));
    memcpy(whole.check, check, sizeof(whole.check));
    memcpy(original->bytes, &whole, sizeof(whole));
    file_write(original->file, original->bytes, original->size);
}

static void another_version_or_byte_order_is_incompatible_and_stays(void **state)
{
    struct original original;
    struct blob_file_head head;
    (void)state;
    original_init(&original);
    memcpy(&head, original.bytes, sizeof(head));
    struct blob_file_head other = head;
    other.version = BLOB_FILE_VERSION + 1;
    write_head(&original, &other);
    assert_int_equal(get_original(&original, KIND), BLOB_INCOMPATIBLE);
    other = head;
    other.byte_order = 0x04030201;
    write_head(&original, &other);
    assert_int_equal(get_original(&original, KIND), BLOB_INCOMPATIBLE);
    assert_int_equal(folder_count(original.path, "set-aside"), 0);
    write_head(&original, &head);
    assert_int_equal(get_original(&original, KIND), BLOB_OK);
    original_deinit(&original);
}

static void foreign_files_are_set_aside(void **state)
{
    static const struct {
        const char *part, *name;
    } FILES[] = {{"blobs", "notes.txt"}, {"worlds", "a name with blanks"}, {"worlds", ".hidden"}};
    char path[FOLDER_PATH_BYTES], file[FOLDER_PATH_BYTES];
    struct blob_list list;
    (void)state;
    folder_make(path);
    struct blobs *blobs = open_folder(path, NULL);
    assert_int_equal(set_record(blobs, "w", "a record"), BLOB_OK);
    for (size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
        folder_path(file, path, FILES[i].part, FILES[i].name);
        file_write(file, "?", 1);
    }
    // a file of a name that is valid is looked at when it is read
    folder_path(file, path, "worlds", "foreign");
    file_write(file, "{}", 2);

    assert_int_equal(blobs->methods->list(blobs, &list), BLOB_OK);
    assert_int_equal(list.count, 0);
    blob_list_deinit(&list);
    assert_int_equal(blobs->methods->name_list(blobs, BLOB_WORLDS, &list), BLOB_OK);
    assert_int_equal(list.count, 2);
    blob_list_deinit(&list);
    struct blob record;
    assert_int_equal(blobs->methods->name_get(blobs, BLOB_WORLDS, "foreign", &record),
                     BLOB_DAMAGED);
    assert_record(blobs, "foreign", NULL);
    assert_record(blobs, "w", "a record");
    assert_int_equal(folder_count(path, "set-aside"), 4);
    blobs->methods->close(blobs);
    folder_remove(path);
}

/* Changes to fail: each says what it reported. */
static enum blob_outcome put_new(struct blobs *blobs)
{
    char id[BLOB_ID_BYTES];
    id_of(id, "new", 3);
    return blobs->methods->put(blobs, id, KIND, "new", 3);
}

static enum blob_outcome set_new(struct blobs *blobs)
{
    return set_record(blobs, "new", "a new record");
}

static enum blob_outcome set_old(struct blobs *blobs)
{
    return set_record(blobs, "old", "changed");
}

static enum blob_outcome remove_old(struct blobs *blobs)
{
    return blobs->methods->name_remove(blobs, BLOB_WORLDS, "old");
}

/* All as before the change. */
static void assert_unchanged(struct blobs *blobs)
{
    struct blob_list list;
    assert_record(blobs, "old", "as it was");
    assert_record(blobs, "new", NULL);
    assert_int_equal(blobs->methods->list(blobs, &list), BLOB_OK);
    assert_int_equal(list.count, 0);
    blob_list_deinit(&list);
}

/* Fails each call of a change in turn, until none is left to fail; returns how many there were. */
static unsigned fail_each(enum blob_outcome (*change)(struct blobs *blobs), int error,
                          enum blob_outcome expected)
{
    char path[FOLDER_PATH_BYTES];
    folder_make(path);
    struct fault fault = {.error = error};
    struct blobs *blobs = open_folder(path, &fault);
    assert_int_equal(set_record(blobs, "old", "as it was"), BLOB_OK);

    for (unsigned at = 1;; at++) {
        fault.calls = 0;
        fault.at = at;
        const enum blob_outcome outcome = change(blobs);
        fault.at = 0;
        if (outcome == BLOB_OK) {
            // the call that failed was none that matters, or there was none
            blobs->methods->close(blobs);
            folder_remove(path);
            return at - 1;
        }
        assert_int_equal(outcome, expected);
        assert_unchanged(blobs);
        // also for the next process
        blobs->methods->close(blobs);
        blobs = open_folder(path, &fault);
        assert_unchanged(blobs);
        assert_int_equal(folder_count(path, "tmp"), 0);
    }
}

static void a_change_that_fails_changes_nothing(void **state)
{
    static const struct {
        enum blob_outcome (*change)(struct blobs *blobs);
        unsigned calls; /* open, write, write, fsync, link, rename, fsync */
    } CASES[] = {{put_new, 7}, {set_new, 7}, {set_old, 7}, {remove_old, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        assert_int_equal(fail_each(CASES[i].change, ENOSPC, BLOB_FULL), CASES[i].calls);
        assert_int_equal(fail_each(CASES[i].change, EDQUOT, BLOB_FULL), CASES[i].calls);
        assert_int_equal(fail_each(CASES[i].change, EIO, BLOB_FAILED), CASES[i].calls);
    }
}

/* On file systems that give a file one name alone all works; what cannot be undone is not undone.
 */
static void links_are_not_needed(void **state)
{
    static const int ERRORS[] = {EPERM, EOPNOTSUPP, ENOSYS};
    enum { LAST_FSYNC = 6 }; /* open, write, write, fsync, rename, fsync */
    (void)state;
    for (size_t i = 0; i < sizeof(ERRORS) / sizeof(ERRORS[0]); i++) {
        char path[FOLDER_PATH_BYTES];
        struct fault fault = {.error = EIO, .link_error = ERRORS[i]};
        folder_make(path);
        struct blobs *blobs = open_folder(path, &fault);
        assert_int_equal(put_new(blobs), BLOB_OK);
        assert_int_equal(set_record(blobs, "old", "as it was"), BLOB_OK);
        assert_int_equal(set_old(blobs), BLOB_OK);
        assert_record(blobs, "old", "changed");

        fault.calls = 0;
        fault.at = LAST_FSYNC;
        assert_int_equal(set_record(blobs, "old", "again"), BLOB_FAILED);
        assert_record(blobs, "old", "again");
        fault.calls = 0;
        fault.at = LAST_FSYNC - 1;
        assert_int_equal(set_record(blobs, "old", "never"), BLOB_FAILED);
        assert_record(blobs, "old", "again");
        fault.calls = 0;
        fault.at = LAST_FSYNC;
        assert_int_equal(set_new(blobs), BLOB_FAILED);
        assert_record(blobs, "new", NULL);
        assert_int_equal(folder_count(path, "tmp"), 0);
        blobs->methods->close(blobs);
        folder_remove(path);
    }
    // another error of a link is one
    struct fault fault = {.link_error = EIO};
    char path[FOLDER_PATH_BYTES];
    folder_make(path);
    struct blobs *blobs = open_folder(path, &fault);
    assert_int_equal(put_new(blobs), BLOB_FAILED);
    blobs->methods->close(blobs);
    folder_remove(path);
}

/* What one of several threads puts: some blobs that all put, and its own name. */
struct writer {
    struct blobs *blobs;
    char name[8];
};

enum { WRITERS = 4, WRITER_ROUNDS = 20 };

static void *write_along(void *context)
{
    struct writer *writer = context;
    for (int i = 0; i < WRITER_ROUNDS; i++) {
        char id[BLOB_ID_BYTES];
        id_of(id, &i, sizeof(i));
        if (writer->blobs->methods->put(writer->blobs, id, KIND, &i, sizeof(i)) != BLOB_OK ||
            set_record(writer->blobs, writer->name, id) != BLOB_OK)
            return writer;
    }
    return NULL;
}

static void many_threads_may_write(void **state)
{
    char path[FOLDER_PATH_BYTES];
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS];
    (void)state;
    folder_make(path);
    struct blobs *blobs = open_folder(path, NULL);
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.blobs = blobs};
        snprintf(writers[i].name, sizeof(writers[i].name), "n%u", i);
        assert_int_equal(pthread_create(&threads[i], NULL, write_along, &writers[i]), 0);
    }
    for (unsigned i = 0; i < WRITERS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(folder_count(path, "blobs"), WRITER_ROUNDS);
    assert_int_equal(folder_count(path, "worlds"), WRITERS);
    assert_int_equal(folder_count(path, "tmp"), 0);
    blobs->methods->close(blobs);
    folder_remove(path);
}

static void a_folder_that_cannot_be_used_is_a_fault(void **state)
{
    const struct blobs_folder_options options = {.path = "/dev/null/nowhere"};
    struct problem problem = {0};
    struct blobs *blobs;
    (void)state;
    assert_false(blobs_folder_open(&blobs, &options, &problem));
    assert_null(blobs);
    assert_int_equal(problem.fault_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_comes_back),
        cmocka_unit_test(a_damaged_file_is_set_aside),
        cmocka_unit_test(another_version_or_byte_order_is_incompatible_and_stays),
        cmocka_unit_test(foreign_files_are_set_aside),
        cmocka_unit_test(a_change_that_fails_changes_nothing),
        cmocka_unit_test(links_are_not_needed),
        cmocka_unit_test(many_threads_may_write),
        cmocka_unit_test(a_folder_that_cannot_be_used_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

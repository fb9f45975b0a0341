#include "service/persistence/blobs_folder.h"

#include "device/assert.h"
#include "schema/roadmap.h"
#include "service/persistence/blob_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folders: those of the spaces first. */
enum { PLACE_BLOBS = BLOB_SPACE_COUNT, PLACE_TMP, PLACE_SET_ASIDE, PLACE_COUNT };

enum { FILE_NAME_BYTES = 128, LOG_BYTES = 512 };

static const char RECORD_KIND[] = "record";

struct folder {
    struct blobs blobs; /* first */
    void (*log)(void *context, const char *event, const char *detail);
    void *log_context;
    int (*fault)(void *context, const char *call);
    void *fault_context;
    int places[PLACE_COUNT]; /* descriptors; -1: not open */
    atomic_ullong last_temporary;
};

static const char *place_text(unsigned place)
{
    static const char *const TEXTS[] = {"blobs", "tmp", "set-aside"};
    return place < PLACE_BLOBS ? blob_space_text((enum blob_space)place)
                               : TEXTS[place - PLACE_BLOBS];
}

__attribute__((format(printf, 3, 4))) static void
folder_log(const struct folder *folder, const char *event, const char *format, ...)
{
    char detail[LOG_BYTES];
    va_list arguments;
    if (!folder->log)
        return;
    va_start(arguments, format);
    vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);
    folder->log(folder->log_context, event, detail);
}

/* ---- system calls, each of which a test can have fail ---- */

/* Whether the call is to be made; else errno is set. */
static bool may(const struct folder *folder, const char *call)
{
    const int error = folder->fault ? folder->fault(folder->fault_context, call) : 0;
    if (error != 0)
        errno = error;
    return error == 0;
}

static bool write_all(const struct folder *folder, int file, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        const ssize_t written = may(folder, "write") ? write(file, at, bytes) : -1;
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            at += written;
            bytes -= (size_t)written;
        }
    }
    return true;
}

static bool sync_file(const struct folder *folder, int file)
{
    return may(folder, "fsync") && fsync(file) == 0;
}

static bool move_file(const struct folder *folder, unsigned from, const char *from_name,
                      unsigned to, const char *to_name)
{
    return may(folder, "rename") &&
           renameat(folder->places[from], from_name, folder->places[to], to_name) == 0;
}

static bool link_file(const struct folder *folder, unsigned from, const char *from_name,
                      unsigned to, const char *to_name)
{
    return may(folder, "link") &&
           linkat(folder->places[from], from_name, folder->places[to], to_name, 0) == 0;
}

static void unlink_file(const struct folder *folder, unsigned place, const char *name)
{
    if (may(folder, "unlink"))
        unlinkat(folder->places[place], name, 0);
}

/* Says in the log what the last call failed with, and what that means. */
static enum blob_outcome failed(const struct folder *folder, const char *what, unsigned place,
                                const char *name)
{
    const int error = errno;
    folder_log(folder, "storage_failed", "%s %s/%s: %s", what, place_text(place), name,
               strerror(error));
    return error == ENOSPC || error == EDQUOT ? BLOB_FULL : BLOB_FAILED;
}

/* ---- writing ---- */

/* A name under tmp/ that nobody else has. */
static void temporary_name(struct folder *folder, char name[FILE_NAME_BYTES])
{
    snprintf(name, FILE_NAME_BYTES, "%llu", atomic_fetch_add(&folder->last_temporary, 1) + 1);
}

/* Writes a whole file under tmp/, durable but for its name. false: errno says why, and it is gone.
 */
static bool write_temporary(struct folder *folder, char name[FILE_NAME_BYTES],
                            const struct blob_file_head *head, const void *data, size_t bytes)
{
    temporary_name(folder, name);
    const int file = may(folder, "open") ? openat(folder->places[PLACE_TMP], name,
                                                  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
                                         : -1;
    if (file < 0)
        return false;
    bool written = write_all(folder, file, head, sizeof(*head)) &&
                   write_all(folder, file, data, bytes) && sync_file(folder, file);
    int error = errno;
    // a full disk may be noticed as late as this
    if (close(file) != 0 && written) {
        error = errno;
        written = false;
    }
    if (!written) {
        unlink_file(folder, PLACE_TMP, name);
        errno = error;
    }
    return written;
}

/* File systems without second names of a file say so in one of these ways. */
static bool means_no_links(int error)
{
    return error == EPERM || error == EOPNOTSUPP || error == ENOSYS;
}

/* Keeps a second name of a file under tmp/, so that a change of it can be undone; `kept` stays
 * empty where there is no such file, or *undoable is false. false: errno says why. */
static bool keep_old(struct folder *folder, unsigned place, const char *name,
                     char kept[FILE_NAME_BYTES], bool *undoable)
{
    temporary_name(folder, kept);
    *undoable = true;
    if (link_file(folder, place, name, PLACE_TMP, kept))
        return true;
    *kept = '\0';
    const bool no_links = means_no_links(errno), absent = errno == ENOENT;
    // what was not there needs no second name
    *undoable = !no_links || faccessat(folder->places[place], name, F_OK, 0) != 0;
    return absent || no_links;
}

/* Puts back what keep_old() kept, or nothing. */
static void put_back(struct folder *folder, unsigned place, const char *name, const char *kept)
{
    const int error = errno;
    if (!*kept)
        unlinkat(folder->places[place], name, 0);
    else if (renameat(folder->places[PLACE_TMP], kept, folder->places[place], name) != 0)
        folder_log(folder, "storage_failed", "the old %s/%s cannot be put back: %s",
                   place_text(place), name, strerror(errno));
    errno = error;
}

/* Makes a file of its place, durably; else what was there stays, but for what blobs_folder.h says
 * of file systems without links. */
static enum blob_outcome place_file(struct folder *folder, unsigned place, const char *name,
                                    const char *kind, const void *data, size_t bytes)
{
    char temporary[FILE_NAME_BYTES], kept[FILE_NAME_BYTES] = "";
    struct blob_file_head head;
    bool undoable;
    if (!blob_file_head_init(&head, kind, data, bytes))
        return BLOB_NO_MEMORY;
    if (!write_temporary(folder, temporary, &head, data, bytes))
        return failed(folder, "writing", place, name);

    bool placed = keep_old(folder, place, name, kept, &undoable);
    if (placed && !move_file(folder, PLACE_TMP, temporary, place, name)) {
        placed = false;
    } else if (placed && !sync_file(folder, folder->places[place])) {
        placed = false;
        // without the old one the new one is better than none
        if (undoable)
            put_back(folder, place, name, kept);
        *kept = '\0';
    }
    const int error = errno;
    if (*kept)
        unlinkat(folder->places[PLACE_TMP], kept, 0);
    if (placed)
        return BLOB_OK;
    unlinkat(folder->places[PLACE_TMP], temporary, 0);
    errno = error;
    return failed(folder, "placing", place, name);
}

/* ---- reading ---- */

/* Moves what cannot be used out of the way, under a name that is not taken yet. */
static void set_aside(struct folder *folder, unsigned place, const char *name, const char *why)
{
    char aside[2 * FILE_NAME_BYTES];
    unsigned attempt = 0;
    do
        snprintf(aside, sizeof(aside), "%s-%.200s.%u", place_text(place), name, attempt++);
    while (faccessat(folder->places[PLACE_SET_ASIDE], aside, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
    const bool moved = move_file(folder, place, name, PLACE_SET_ASIDE, aside);
    folder_log(folder, "set_aside", "%s/%s: %s; %s", place_text(place), name, why,
               moved ? "it is kept in set-aside/" : strerror(errno));
}

/* Reads just so many bytes; false: there are fewer, or errno is not 0. */
static bool read_all(int file, void *data, size_t bytes)
{
    char *at = data;
    errno = 0;
    while (bytes > 0) {
        const ssize_t got = read(file, at, bytes);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0) {
            at += got;
            bytes -= (size_t)got;
        }
    }
    return true;
}

/* Reads an open file into `blob`, checked. */
static enum blob_outcome read_file(int file, const char *kind, struct blob *blob)
{
    struct blob_file_head head;
    struct stat status;
    if (fstat(file, &status) != 0)
        return BLOB_FAILED;
    if (!S_ISREG(status.st_mode) || !read_all(file, &head, sizeof(head)))
        return errno == 0 ? BLOB_DAMAGED : BLOB_FAILED;
    const enum blob_outcome outcome = blob_file_head_check(&head, kind);
    if (outcome != BLOB_OK)
        return outcome;
    // no more memory than there are bytes
    if ((uint64_t)status.st_size - sizeof(head) != head.bytes)
        return BLOB_DAMAGED;
    blob->bytes = (size_t)head.bytes;
    blob->data = malloc(blob->bytes + 1);
    if (!blob->data)
        return BLOB_NO_MEMORY;
    blob->data[blob->bytes] = '\0';
    if (!read_all(file, blob->data, blob->bytes))
        return errno == 0 ? BLOB_DAMAGED : BLOB_FAILED;
    return blob_file_check(&head, blob->data, blob->bytes);
}

static enum blob_outcome get_file(struct folder *folder, unsigned place, const char *name,
                                  const char *kind, struct blob *blob)
{
    *blob = (struct blob){0};
    const int file = openat(folder->places[place], name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return errno == ENOENT ? BLOB_ABSENT : failed(folder, "opening", place, name);
    errno = 0;
    const enum blob_outcome outcome = read_file(file, kind, blob);
    const int error = errno;
    close(file);
    if (outcome == BLOB_OK)
        return BLOB_OK;

    free(blob->data);
    *blob = (struct blob){0};
    if (outcome == BLOB_DAMAGED) {
        set_aside(folder, place, name, "it is damaged");
    } else if (outcome == BLOB_INCOMPATIBLE) {
        folder_log(folder, "incompatible", "%s/%s is of another version or machine",
                   place_text(place), name);
    } else if (outcome == BLOB_FAILED) {
        errno = error;
        return failed(folder, "reading", place, name);
    }
    return outcome;
}

static bool is_id(const char *name)
{
    return strlen(name) == BLOB_ID_BYTES - 1 &&
           strspn(name, "0123456789abcdef") == BLOB_ID_BYTES - 1;
}

/* The files of a place whose names are valid; others are set aside. */
static enum blob_outcome list_files(struct folder *folder, unsigned place, struct blob_list *list)
{
    enum blob_outcome outcome = BLOB_OK;
    *list = (struct blob_list){0};
    // a descriptor of its own, whose position is the stream's
    const int copy = openat(folder->places[place], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
    if (!stream) {
        if (copy >= 0)
            close(copy);
        return failed(folder, "listing", place, "");
    }
    for (const struct dirent *entry; outcome == BLOB_OK && (entry = readdir(stream)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (!(place == PLACE_BLOBS ? is_id(entry->d_name) : name_valid(entry->d_name)))
            set_aside(folder, place, entry->d_name, "it is not of this program");
        else if (!blob_list_add(list, entry->d_name))
            outcome = BLOB_NO_MEMORY;
    }
    closedir(stream);
    if (outcome != BLOB_OK)
        blob_list_deinit(list);
    return outcome;
}

/* ---- the methods ---- */

static enum blob_outcome folder_get(struct blobs *blobs, const char *id, const char *kind,
                                    struct blob *blob)
{
    PRM_ASSERT(is_id(id));
    return get_file((struct folder *)blobs, PLACE_BLOBS, id, kind, blob);
}

static enum blob_outcome folder_put(struct blobs *blobs, const char *id, const char *kind,
                                    const void *data, size_t bytes)
{
    struct folder *folder = (struct folder *)blobs;
    struct blob present;
    PRM_ASSERT(is_id(id));
    const bool exists = faccessat(folder->places[PLACE_BLOBS], id, F_OK, 0) == 0;
    if (!exists || get_file(folder, PLACE_BLOBS, id, kind, &present) != BLOB_OK)
        return place_file(folder, PLACE_BLOBS, id, kind, data, bytes);
    free(present.data);
    // whoever wrote it may not have come to make its name durable
    return sync_file(folder, folder->places[PLACE_BLOBS])
               ? BLOB_OK
               : failed(folder, "placing", PLACE_BLOBS, id);
}

static void folder_remove(struct blobs *blobs, const char *id)
{
    PRM_ASSERT(is_id(id));
    unlink_file((struct folder *)blobs, PLACE_BLOBS, id);
}

static enum blob_outcome folder_list(struct blobs *blobs, struct blob_list *ids)
{
    return list_files((struct folder *)blobs, PLACE_BLOBS, ids);
}

static enum blob_outcome folder_name_set(struct blobs *blobs, enum blob_space space,
                                         const char *name, const void *data, size_t bytes)
{
    PRM_ASSERT(name_valid(name));
    return place_file((struct folder *)blobs, space, name, RECORD_KIND, data, bytes);
}

static enum blob_outcome folder_name_get(struct blobs *blobs, enum blob_space space,
                                         const char *name, struct blob *record)
{
    PRM_ASSERT(name_valid(name));
    return get_file((struct folder *)blobs, space, name, RECORD_KIND, record);
}

static enum blob_outcome folder_name_remove(struct blobs *blobs, enum blob_space space,
                                            const char *name)
{
    struct folder *folder = (struct folder *)blobs;
    char gone[FILE_NAME_BYTES];
    PRM_ASSERT(name_valid(name));
    temporary_name(folder, gone);
    if (!move_file(folder, space, name, PLACE_TMP, gone))
        return errno == ENOENT ? BLOB_OK : failed(folder, "removing", space, name);
    if (!sync_file(folder, folder->places[space])) {
        put_back(folder, space, name, gone);
        return failed(folder, "removing", space, name);
    }
    unlink_file(folder, PLACE_TMP, gone);
    return BLOB_OK;
}

static enum blob_outcome folder_name_list(struct blobs *blobs, enum blob_space space,
                                          struct blob_list *names)
{
    return list_files((struct folder *)blobs, space, names);
}

static void folder_close(struct blobs *blobs)
{
    struct folder *folder = (struct folder *)blobs;
    for (unsigned place = 0; place < PLACE_COUNT; place++)
        if (folder->places[place] >= 0)
            close(folder->places[place]);
    free(folder);
}

/* ---- opening ---- */

static bool open_place(struct folder *folder, int root, unsigned place)
{
    const char *name = place_text(place);
    if (mkdirat(root, name, 0700) != 0 && errno != EEXIST)
        return false;
    folder->places[place] = openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder->places[place] >= 0;
}

/* Removes what an earlier process was writing when it ended. */
static void empty_temporary(struct folder *folder)
{
    const int copy = openat(folder->places[PLACE_TMP], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
    if (!stream) {
        if (copy >= 0)
            close(copy);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        unlinkat(folder->places[PLACE_TMP], entry->d_name, 0);
    closedir(stream);
}

bool blobs_folder_open(struct blobs **blobs, const struct blobs_folder_options *options,
                       struct problem *problem)
{
    static const struct blobs_methods METHODS = {
        folder_put,      folder_get,         folder_remove,    folder_list,  folder_name_set,
        folder_name_get, folder_name_remove, folder_name_list, folder_close,
    };
    struct folder *folder = malloc(sizeof(*folder));
    *blobs = NULL;
    if (!folder) {
        problem_no_memory(problem, "the data folder");
        return false;
    }
    *folder = (struct folder){.blobs = {&METHODS},
                              .log = options->log,
                              .log_context = options->log_context,
                              .fault = options->fault,
                              .fault_context = options->fault_context};
    memset(folder->places, -1, sizeof(folder->places));

    const int root = open(options->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool opened = root >= 0;
    for (unsigned place = 0; opened && place < PLACE_COUNT; place++)
        opened = open_place(folder, root, place);
    // the folders themselves are to outlast a loss of power
    opened = opened && fsync(root) == 0;
    if (!opened)
        problem_add(problem, PROBLEM_INTERNAL, "the data folder %s cannot be used: %s",
                    options->path, strerror(errno));
    if (root >= 0)
        close(root);
    if (!opened) {
        folder_close(&folder->blobs);
        return false;
    }
    empty_temporary(folder);
    *blobs = &folder->blobs;
    return true;
}

#include "schema/zip_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

/* Every member is of 1980-01-01 0:00, the first moment that a zip archive can say: the same content
 * gives the same bytes. */
enum { DOS_DATE_FIRST = 0x21 };

/* ---- reading ---- */

/* An archive being unpacked. */
struct unpacking {
    struct zip_files *files;
    const struct zip_rules *rules;
    zip_t *archive;
    uint64_t room; /* bytes that may still be unpacked */
    const struct limits *limits;
    struct problem *problem;
};

static uint32_t little_endian(const char *at, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)(unsigned char)at[i] << (CHAR_BIT * i);
    return value;
}

/* Whether what may be the archive's end record says more members than are taken: libzip takes
 * memory for as many as it is told, so this comes first. A record of the kind that starts a
 * directory beyond 4 GB (zip64) counts as such. */
static bool end_says_too_many(const char *body, const char *end)
{
    enum { ENTRIES = 10, SIZE = 12, OFFSET = 16, LOCATOR_BYTES = 20, SIGNATURE_BYTES = 4 };
    if (end - body >= LOCATOR_BYTES && memcmp(end - LOCATOR_BYTES, "PK\6\7", SIGNATURE_BYTES) == 0)
        return true;
    const size_t size = little_endian(end + SIZE, 4), offset = little_endian(end + OFFSET, 4);
    return little_endian(end + ENTRIES, 2) > ZIP_FILES_MAX && size >= SIGNATURE_BYTES &&
           offset + size <= (size_t)(end - body) &&
           memcmp(body + offset, "PK\1\2", SIGNATURE_BYTES) == 0;
}

/* The end record is followed by a comment of at most 64 kB. */
static bool has_too_many(const char *body, size_t bytes)
{
    enum { END_BYTES = 22, SIGNATURE_BYTES = 4 };
    if (bytes < END_BYTES)
        return false;
    size_t first = bytes - END_BYTES > UINT16_MAX ? bytes - END_BYTES - UINT16_MAX : 0;
    for (size_t at = bytes - END_BYTES + 1; at-- > first;)
        if (memcmp(body + at, "PK\5\6", SIGNATURE_BYTES) == 0 && end_says_too_many(body, body + at))
            return true;
    return false;
}

static zip_t *open_archive(const char *body, size_t bytes, struct problem *problem)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(body, bytes, 0, &error);
    zip_t *archive = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    if (!archive) {
        zip_source_free(source);
        problem_add(problem, PROBLEM_MALFORMED, "the body is not a zip archive: %s",
                    zip_error_strerror(&error));
    }
    zip_error_fini(&error);
    return archive;
}

static bool refuse_member(struct unpacking *unpacking, enum problem_code code, const char *name,
                          const char *text)
{
    struct problem_fault *fault =
        problem_add(unpacking->problem, code, "the archive's member \"%.64s\" %s", name, text);
    if (code == PROBLEM_TOO_LARGE)
        problem_fault_limit(fault, unpacking->limits, LIMIT_body_bytes);
    return false;
}

/* Whether a member may be unpacked, by what the directory says of it. */
static bool check_member(struct unpacking *unpacking, const zip_stat_t *stat)
{
    const zip_uint64_t needed =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if ((stat->valid & needed) != needed)
        return refuse_member(unpacking, PROBLEM_MALFORMED, "?", "is not described whole");

    const char *name = stat->name;
    const size_t length = strlen(name), suffix = strlen(unpacking->rules->suffix);
    if (length <= suffix || length > ZIP_NAME_BYTES_MAX ||
        strcmp(name + length - suffix, unpacking->rules->suffix) != 0)
        return refuse_member(unpacking, PROBLEM_UNSUPPORTED, name, unpacking->rules->misnamed);
    if (stat->encryption_method != ZIP_EM_NONE)
        return refuse_member(unpacking, PROBLEM_UNSUPPORTED, name, "is encrypted");
    if (stat->comp_method != ZIP_CM_STORE && stat->comp_method != ZIP_CM_DEFLATE)
        return refuse_member(unpacking, PROBLEM_UNSUPPORTED, name,
                             "is neither stored nor deflated");
    if (stat->size > unpacking->room)
        return refuse_member(unpacking, PROBLEM_TOO_LARGE, name,
                             "would make the unpacked body too large");
    unpacking->room -= stat->size;
    return true;
}

/* Unpacks a member of just that size; its check sum is compared at the end. NULL: it is broken. */
static char *unpack(zip_t *archive, zip_uint64_t index, size_t bytes)
{
    zip_file_t *file = zip_fopen_index(archive, index, 0);
    char *data = file ? malloc(bytes ? bytes : 1) : NULL;
    char beyond;
    bool good = data != NULL;
    for (size_t at = 0; good && at < bytes;) {
        const zip_int64_t got = zip_fread(file, data + at, bytes - at);
        good = got > 0;
        at += good ? (size_t)got : 0;
    }
    good = good && zip_fread(file, &beyond, 1) == 0;
    if (file && zip_fclose(file) != 0)
        good = false;
    if (good)
        return data;
    free(data);
    return NULL;
}

static bool read_member(struct unpacking *unpacking, zip_uint64_t index)
{
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat_index(unpacking->archive, index, 0, &stat) != 0)
        return refuse_member(unpacking, PROBLEM_MALFORMED, "?", "is not described");
    if (!check_member(unpacking, &stat))
        return false;

    struct zip_files *files = unpacking->files;
    struct zip_member *member = &files->members[files->count];
    *member = (struct zip_member){.bytes = (size_t)stat.size};
    snprintf(member->name, sizeof(member->name), "%s", stat.name);
    if (zip_files_find(files, member->name))
        return refuse_member(unpacking, PROBLEM_MALFORMED, stat.name, "is there twice");
    member->data = unpack(unpacking->archive, index, member->bytes);
    if (!member->data)
        return refuse_member(unpacking, PROBLEM_MALFORMED, stat.name,
                             "cannot be unpacked: it is cut short, longer than it says, or its "
                             "check sum is wrong");
    files->count++;
    return true;
}

bool zip_files_read(struct zip_files *files, const char *body, size_t bytes,
                    const struct zip_rules *rules, const struct limits *limits,
                    struct problem *problem)
{
    *files = (struct zip_files){0};
    if (!bytes) { // which libzip takes for an archive without members
        problem_add(problem, PROBLEM_MALFORMED, "the body is empty where a zip archive is needed");
        return false;
    }
    if (has_too_many(body, bytes)) {
        problem_add(problem, PROBLEM_UNSUPPORTED,
                    "the body is a zip archive of more than %d members, or of the zip64 kind",
                    ZIP_FILES_MAX);
        return false;
    }
    struct unpacking unpacking = {.files = files,
                                  .rules = rules,
                                  .archive = open_archive(body, bytes, problem),
                                  .room = limits->body_bytes,
                                  .limits = limits,
                                  .problem = problem};
    if (!unpacking.archive)
        return false;

    const zip_int64_t count = zip_get_num_entries(unpacking.archive, 0);
    bool good = count >= 0 && count <= ZIP_FILES_MAX;
    if (!good)
        problem_add(problem, PROBLEM_UNSUPPORTED, "the archive has more than %d members",
                    ZIP_FILES_MAX);
    for (zip_int64_t i = 0; good && i < count; i++)
        good = read_member(&unpacking, (zip_uint64_t)i);
    zip_discard(unpacking.archive);
    if (!good)
        zip_files_deinit(files);
    return good;
}

void zip_files_deinit(struct zip_files *files)
{
    for (unsigned i = 0; i < files->count; i++)
        free(files->members[i].data);
    *files = (struct zip_files){0};
}

const struct zip_member *zip_files_find(const struct zip_files *files, const char *name)
{
    for (unsigned i = 0; i < files->count; i++)
        if (strcmp(files->members[i].name, name) == 0)
            return &files->members[i];
    return NULL;
}

/* ---- writing ---- */

/* Where libzip writes: a text, from `base` on. */
struct sink {
    struct text *out;
    size_t base, position;
    zip_error_t error;
};

/* Writes at the position: over what is there, and behind it. */
static zip_int64_t sink_write(struct sink *sink, const void *data, zip_uint64_t bytes)
{
    struct text *out = sink->out;
    const size_t behind = out->length - sink->base - sink->position;
    const size_t over = bytes < behind ? (size_t)bytes : behind;
    if (over)
        memcpy(out->data + sink->base + sink->position, data, over);
    text_append(out, (const char *)data + over, (size_t)bytes - over);
    if (out->failed) {
        zip_error_set(&sink->error, ZIP_ER_MEMORY, 0);
        return -1;
    }
    sink->position += (size_t)bytes;
    return (zip_int64_t)bytes;
}

static zip_int64_t sink_stat(void *data, zip_uint64_t bytes)
{
    if (bytes < sizeof(zip_stat_t))
        return -1;
    // there is nothing yet: a new archive
    zip_stat_t *stat = data;
    zip_stat_init(stat);
    stat->size = 0;
    stat->valid = ZIP_STAT_SIZE;
    return sizeof *stat;
}

static zip_int64_t sink_call(void *context, void *data, zip_uint64_t bytes,
                             zip_source_cmd_t command)
{
    struct sink *sink = context;
    switch ((int)command) {
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_STAT:
        return sink_stat(data, bytes);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&sink->error, data, bytes);
    case ZIP_SOURCE_WRITE:
        return sink_write(sink, data, bytes);
    case ZIP_SOURCE_TELL_WRITE:
        return (zip_int64_t)sink->position;
    case ZIP_SOURCE_SEEK_WRITE: {
        const zip_int64_t position = zip_source_seek_compute_offset(
            sink->position, sink->out->length - sink->base, data, bytes, &sink->error);
        if (position < 0)
            return -1;
        sink->position = (size_t)position;
        return 0;
    }
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
        sink->out->length = sink->base;
        sink->position = 0;
        return 0;
    default:
        return 0; // nothing to do, and nothing to read
    }
}

/* Adds one stored member. */
static bool add_item(zip_t *archive, const struct zip_item *item)
{
    zip_buffer_fragment_t parts[] = {
        {(zip_uint8_t *)item->pieces[0].data, item->pieces[0].bytes},
        {(zip_uint8_t *)item->pieces[1].data, item->pieces[1].bytes},
    };
    const zip_uint64_t part_count = item->pieces[1].bytes ? 2 : 1;
    zip_source_t *source = zip_source_buffer_fragment(archive, parts, part_count, 0);
    const zip_int64_t index =
        source ? zip_file_add(archive, item->name, source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    return zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(archive, (zip_uint64_t)index, 0, DOS_DATE_FIRST, 0) == 0;
}

void zip_files_write(const struct zip_item *items, unsigned count, struct text *out)
{
    struct sink sink = {.out = out, .base = out->length};
    zip_error_t error;
    zip_error_init(&sink.error);
    zip_error_init(&error);

    zip_source_t *target = zip_source_function_create(sink_call, &sink, &error);
    zip_t *archive =
        target ? zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &error) : NULL;
    if (!archive)
        zip_source_free(target);
    bool good = archive != NULL && count <= ZIP_FILES_MAX;
    for (unsigned i = 0; good && i < count; i++)
        good = add_item(archive, &items[i]);

    // closing writes; what could not be written is thrown away
    good = good && zip_close(archive) == 0;
    if (!good) {
        out->failed = true;
        if (archive)
            zip_discard(archive);
    }
    zip_error_fini(&error);
    zip_error_fini(&sink.error);
}

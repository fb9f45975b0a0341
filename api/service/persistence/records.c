#include "service/persistence/records.h"

#include "schema/decimal.h"
#include "schema/document.h"
#include "service/translate_roadmap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of what records say; a member that is added with a meaning of its own makes a new one. */
enum { RECORD_FORMAT = 1 };

enum { CREATED_DIGITS = 17 };

/* ---- writing ---- */

static void open_record(const struct version *version, struct text *out)
{
    text_json_open(out, '{');
    text_member_u64(out, "format", RECORD_FORMAT);
    text_member_u64(out, "revision", version->revision);
    text_member_number(out, "created", version->created, CREATED_DIGITS);
}

void world_record_write(const struct world_version *world, const struct follower *followers,
                        size_t count, struct text *out)
{
    open_record(&world->version, out);
    text_member_string(out, "document", world->version.fingerprint);
    text_json_key(out, "followers");
    text_json_open(out, '{');
    for (size_t i = 0; i < count; i++)
        text_member_u64(out, followers[i].name, followers[i].revision);
    text_json_close(out, '}');
    text_json_close(out, '}');
}

void robot_record_write(const struct robot_version *robot, struct text *out)
{
    const struct robot_document *document = &robot->document;
    open_record(&robot->version, out);
    text_member_string(out, "document", robot->version.fingerprint);
    text_member_number(out, "cover_excess", document->cover_excess, CREATED_DIGITS);
    text_json_key(out, "warnings");
    text_json_open(out, '[');
    text_append(out, document->warnings.data, document->warnings.length);
    text_json_close(out, ']');
    text_json_close(out, '}');
}

void roadmap_record_write(const struct roadmap_version *roadmap, const char *snapshot,
                          const char *bits_world, struct text *out)
{
    open_record(&roadmap->version, out);
    text_member_string(out, "built_in", roadmap->built_in);
    text_member_string(out, "world", roadmap->world->version.fingerprint);
    text_member_u64(out, "world_revision", roadmap->world->version.revision);
    text_member_string(out, "robot", roadmap->robot->version.fingerprint);
    text_member_string(out, "snapshot", snapshot);
    text_member_string(out, "bits_world", bits_world);
    text_json_key(out, "document");
    text_json_open(out, '{');
    roadmap_write_members(&roadmap->document, out);
    text_json_close(out, '}');
    text_json_close(out, '}');
}

void revisions_record_write(uint64_t reserved, struct text *out)
{
    text_json_open(out, '{');
    text_member_u64(out, "format", RECORD_FORMAT);
    text_member_u64(out, "reserved", reserved);
    text_json_close(out, '}');
}

/* ---- reading ---- */

static bool read_whole(uint64_t *value, const struct document_value *root, const char *pointer)
{
    const double number = document_number(root, pointer, NAN);
    if (!(number >= 0 && number <= DECIMAL_WHOLE_MAX && number == floor(number)))
        return false;
    *value = (uint64_t)number;
    return true;
}

static bool read_id(char id[BLOB_ID_BYTES], const struct document_value *root, const char *pointer)
{
    const char *text = document_string(root, pointer, "");
    if (strlen(text) != BLOB_ID_BYTES - 1 || strspn(text, "0123456789abcdef") != BLOB_ID_BYTES - 1)
        return false;
    memcpy(id, text, BLOB_ID_BYTES);
    return true;
}

/* Parses a record; the caller destroys *document whatever the outcome. */
static enum blob_outcome parse(struct document **document, const struct blob *blob)
{
    uint64_t format = 0;
    *document = document_parse(blob->data, blob->bytes, NULL, 0);
    if (!*document || !read_whole(&format, document_root(*document), "/format"))
        return BLOB_DAMAGED;
    return format == RECORD_FORMAT ? BLOB_OK : BLOB_INCOMPATIBLE;
}

static bool read_common(struct record *record, const struct document_value *root)
{
    record->created = document_number(root, "/created", NAN);
    return isfinite(record->created) && read_whole(&record->revision, root, "/revision");
}

/* Reads the roadmaps that follow a world. */
static enum blob_outcome read_followers(struct world_record *record,
                                        const struct document_value *object)
{
    if (!document_is_object(object))
        return BLOB_DAMAGED;
    record->followers = calloc(document_length(object) + 1, sizeof(*record->followers));
    if (!record->followers)
        return BLOB_NO_MEMORY;
    for (const char *key = document_next_key(object, NULL); key;
         key = document_next_key(object, key)) {
        struct follower *follower = &record->followers[record->follower_count++];
        if (!name_valid(key) || !read_whole(&follower->revision, document_member(object, key), ""))
            return BLOB_DAMAGED;
        snprintf(follower->name, sizeof(follower->name), "%s", key);
    }
    return BLOB_OK;
}

enum blob_outcome world_record_read(struct world_record *record, const struct blob *blob)
{
    struct document *document;
    enum blob_outcome outcome = parse(&document, blob);
    const struct document_value *root = document_root(document);
    *record = (struct world_record){0};
    if (outcome == BLOB_OK &&
        !(read_common(&record->record, root) && read_id(record->document, root, "/document")))
        outcome = BLOB_DAMAGED;
    if (outcome == BLOB_OK)
        outcome = read_followers(record, document_at(root, "/followers"));
    document_destroy(document);
    if (outcome != BLOB_OK)
        world_record_deinit(record);
    return outcome;
}

void world_record_deinit(struct world_record *record)
{
    free(record->followers);
    *record = (struct world_record){0};
}

/* Appends the elements of an array, between commas. */
static void copy_elements(struct text *out, const struct document_value *array)
{
    for (size_t i = 0; i < document_length(array); i++) {
        if (i > 0)
            text_append(out, ",", 1);
        document_write(document_element(array, i), out);
    }
}

enum blob_outcome robot_record_read(struct robot_record *record, const struct blob *blob)
{
    struct document *document;
    enum blob_outcome outcome = parse(&document, blob);
    const struct document_value *root = document_root(document);
    *record = (struct robot_record){0};
    if (outcome == BLOB_OK) {
        const struct document_value *warnings = document_at(root, "/warnings");
        record->cover_excess = document_number(root, "/cover_excess", NAN);
        if (!read_common(&record->record, root) || !read_id(record->document, root, "/document") ||
            !isfinite(record->cover_excess) || !document_is_array(warnings))
            outcome = BLOB_DAMAGED;
        else
            copy_elements(&record->warnings, warnings);
    }
    document_destroy(document);
    if (outcome == BLOB_OK && record->warnings.failed)
        outcome = BLOB_NO_MEMORY;
    if (outcome != BLOB_OK)
        robot_record_deinit(record);
    return outcome;
}

void robot_record_deinit(struct robot_record *record)
{
    text_deinit(&record->warnings);
}

/* Reads the document within; false: `problem` says why not. */
static bool read_document(struct roadmap_document *roadmap, const struct document_value *value,
                          const struct limits *limits, struct problem *problem)
{
    struct text text = {0};
    document_write(value, &text);
    if (text.failed)
        problem_no_memory(problem, "a roadmap");
    const bool read =
        !text.failed && roadmap_read(roadmap, text.data, text.length, limits, problem);
    text_deinit(&text);
    return read;
}

/* What it means for a record. */
static enum blob_outcome read_saved_document(struct roadmap_document *roadmap,
                                             const struct document_value *value)
{
    const struct limits limits = limits_highest();
    struct problem problem = {0};
    if (read_document(roadmap, value, &limits, &problem))
        return BLOB_OK;
    return problem.faults[0].code == PROBLEM_NO_MEMORY ? BLOB_NO_MEMORY : BLOB_DAMAGED;
}

enum blob_outcome roadmap_record_read(struct roadmap_record *record, const struct blob *blob)
{
    struct document *document;
    enum blob_outcome outcome = parse(&document, blob);
    const struct document_value *root = document_root(document);
    *record = (struct roadmap_record){0};
    if (outcome == BLOB_OK) {
        const struct document_value *within = document_at(root, "/document");
        if (!read_common(&record->record, root) || !read_id(record->built_in, root, "/built_in") ||
            !read_id(record->world, root, "/world") ||
            !read_whole(&record->world_revision, root, "/world_revision") ||
            !read_id(record->robot, root, "/robot") ||
            !read_id(record->snapshot, root, "/snapshot") ||
            !read_id(record->bits_world, root, "/bits_world") || !document_is_object(within))
            outcome = BLOB_DAMAGED;
        else
            outcome = read_saved_document(&record->document, within);
    }
    document_destroy(document);
    return outcome;
}

void roadmap_record_deinit(struct roadmap_record *record)
{
    roadmap_deinit(&record->document);
}

enum blob_outcome revisions_record_read(uint64_t *reserved, const struct blob *blob)
{
    struct document *document;
    enum blob_outcome outcome = parse(&document, blob);
    if (outcome == BLOB_OK && !read_whole(reserved, document_root(document), "/reserved"))
        outcome = BLOB_DAMAGED;
    document_destroy(document);
    return outcome;
}

/* ---- archives ---- */

void archive_record_write(const struct roadmap_document *document, const char *built_in,
                          struct text *out)
{
    text_json_open(out, '{');
    text_member_u64(out, "format", RECORD_FORMAT);
    text_member_string(out, "built_in", built_in);
    text_json_key(out, "document");
    text_json_open(out, '{');
    roadmap_write_members(document, out);
    text_json_close(out, '}');
    text_json_close(out, '}');
}

bool archive_record_read(struct roadmap_document *document, char built_in[BLOB_ID_BYTES],
                         const char *body, size_t bytes, const struct limits *limits,
                         struct problem *problem)
{
    uint64_t format = 0;
    char fault[PROBLEM_DETAIL_MAX / 2] = "no JSON document";
    struct document *parsed = document_parse(body, bytes, fault, sizeof(fault));
    const struct document_value *root = document_root(parsed);
    bool read = false;
    if (!parsed)
        problem_add(problem, PROBLEM_MALFORMED, "%s", fault);
    else if (!read_whole(&format, root, "/format") || !read_id(built_in, root, "/built_in") ||
             !document_is_object(document_at(root, "/document")))
        problem_add(problem, PROBLEM_INVALID_ARGUMENT,
                    "it has no format, built_in and document as an archive has them");
    else if (format != RECORD_FORMAT)
        problem_add(problem, PROBLEM_INCOMPATIBLE, "it is of format %llu, this server's is %d",
                    (unsigned long long)format, RECORD_FORMAT);
    else
        read = read_document(document, document_at(root, "/document"), limits, problem);
    document_destroy(parsed);
    return read;
}

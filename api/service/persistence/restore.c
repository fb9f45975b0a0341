#include "service/persistence/restore.h"

#include <stdlib.h>
#include <string.h>

/* A blob's text in braces: a body as a PUT takes it. */
static enum blob_outcome get_body(struct text *body, struct blobs *blobs, const char *id,
                                  const char *kind)
{
    struct blob blob;
    *body = (struct text){0};
    const enum blob_outcome outcome = blobs->methods->get(blobs, id, kind, &blob);
    if (outcome != BLOB_OK)
        return outcome;
    text_append(body, "{", 1);
    text_append(body, blob.data, blob.bytes);
    text_append(body, "}", 1);
    free(blob.data);
    if (!body->failed)
        return BLOB_OK;
    text_deinit(body);
    return BLOB_NO_MEMORY;
}

/* What a reader's fault means of a text that was written by a reader's twin. */
static enum blob_outcome outcome_of(const struct problem *problem)
{
    return problem->faults[0].code == PROBLEM_NO_MEMORY ? BLOB_NO_MEMORY : BLOB_INCOMPATIBLE;
}

enum blob_outcome restore_world(struct world_version **world, struct blobs *blobs, const char *id)
{
    const struct limits limits = limits_highest();
    struct problem problem = {0};
    struct text body;
    *world = NULL;
    const enum blob_outcome outcome = get_body(&body, blobs, id, BLOB_KIND_WORLD);
    if (outcome != BLOB_OK)
        return outcome;
    struct world_version *made = world_version_of(body.data, body.length, &limits, &problem);
    text_deinit(&body);
    if (!made)
        return outcome_of(&problem);
    if (strcmp(made->version.fingerprint, id) != 0) {
        version_release(&made->version);
        return BLOB_INCOMPATIBLE;
    }
    *world = made;
    return BLOB_OK;
}

enum blob_outcome restore_robot(struct robot_version **robot, struct blobs *blobs, const char *id)
{
    const struct limits limits = limits_highest();
    struct problem problem = {0};
    struct robot_document document;
    struct text body;
    *robot = NULL;
    const enum blob_outcome outcome = get_body(&body, blobs, id, BLOB_KIND_ROBOT);
    if (outcome != BLOB_OK)
        return outcome;
    const bool read = robot_read(&document, body.data, body.length, &limits, &problem);
    text_deinit(&body);
    if (!read)
        return outcome_of(&problem);
    struct robot_version *made = robot_version_create(&document);
    if (!made)
        return BLOB_NO_MEMORY;
    if (strcmp(made->version.fingerprint, id) != 0) {
        version_release(&made->version);
        return BLOB_INCOMPATIBLE;
    }
    *robot = made;
    return BLOB_OK;
}

/* A version as its record numbers it. */
static void number(struct version *version, const struct record *record)
{
    version->revision = record->revision;
    version->created = record->created;
}

enum blob_outcome restore_named_world(struct world_version **world, struct blobs *blobs,
                                      const struct world_record *record)
{
    const enum blob_outcome outcome = restore_world(world, blobs, record->document);
    if (outcome == BLOB_OK)
        number(&(*world)->version, &record->record);
    return outcome;
}

enum blob_outcome restore_named_robot(struct robot_version **robot, struct blobs *blobs,
                                      const struct robot_record *record)
{
    enum blob_outcome outcome = restore_robot(robot, blobs, record->document);
    if (outcome != BLOB_OK)
        return outcome;
    struct robot_version *made = *robot;
    number(&made->version, &record->record);
    // what became of its first reading
    text_deinit(&made->document.warnings);
    text_append(&made->document.warnings, record->warnings.data, record->warnings.length);
    made->document.cover_excess = record->cover_excess;
    if (!made->document.warnings.failed)
        return BLOB_OK;
    version_release(&made->version);
    *robot = NULL;
    return BLOB_NO_MEMORY;
}

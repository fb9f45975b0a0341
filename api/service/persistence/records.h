/* Records: what a name stands for, as it is saved: a JSON document that names blobs by their ids.
 *
 * A world's or a robot's blob is its canonical text (without braces), so that its id is its
 * fingerprint. A roadmap's record holds its own document. Records are read as strictly as requests.
 */
#ifndef SERVICE_RECORDS_H
#define SERVICE_RECORDS_H

#include "service/persistence/blobs.h"
#include "service/roadmaps/roadmaps.h"

/* Kinds of blobs. */
#define BLOB_KIND_WORLD "world"
#define BLOB_KIND_ROBOT "robot"
#define BLOB_KIND_SNAPSHOT "roadmap"

/* What all records tell. */
struct record {
    uint64_t revision;
    double created; /* calendar time */
};

/* What a change of a world made of a roadmap that follows it. */
struct follower {
    char name[BLOB_ID_BYTES];
    uint64_t revision;
};

struct world_record {
    struct record record;
    char document[BLOB_ID_BYTES];
    struct follower *followers; /* owned */
    size_t follower_count;
};

struct robot_record {
    struct record record;
    char document[BLOB_ID_BYTES];
    double cover_excess;  /* metres; negative: nothing was covered */
    struct text warnings; /* objects of a JSON array, owned */
};

struct roadmap_record {
    struct record record;
    struct roadmap_document document;
    char built_in[BLOB_ID_BYTES]; /* fingerprint of the world at the build */
    char world[BLOB_ID_BYTES];    /* that it answers for where it does not fit the present one */
    uint64_t world_revision;
    char robot[BLOB_ID_BYTES];
    char snapshot[BLOB_ID_BYTES];
    char bits_world[BLOB_ID_BYTES]; /* whose valid edges the snapshot tells */
};

/* Append records. `snapshot` and `bits_world`: ids. */
void world_record_write(const struct world_version *world, const struct follower *followers,
                        size_t count, struct text *out);
void robot_record_write(const struct robot_version *robot, struct text *out);
void roadmap_record_write(const struct roadmap_version *roadmap, const char *snapshot,
                          const char *bits_world, struct text *out);

/* Read records. BLOB_DAMAGED: it is none; BLOB_INCOMPATIBLE: of another version. */
enum blob_outcome world_record_read(struct world_record *record, const struct blob *blob);
void world_record_deinit(struct world_record *record);
enum blob_outcome robot_record_read(struct robot_record *record, const struct blob *blob);
void robot_record_deinit(struct robot_record *record);
enum blob_outcome roadmap_record_read(struct roadmap_record *record, const struct blob *blob);
void roadmap_record_deinit(struct roadmap_record *record);

/* A roadmap's part of an archive: its document, and the fingerprint of the world at its build. */
void archive_record_write(const struct roadmap_document *document, const char *built_in,
                          struct text *out);
bool archive_record_read(struct roadmap_document *document, char built_in[BLOB_ID_BYTES],
                         const char *body, size_t bytes, const struct limits *limits,
                         struct problem *problem);

/* The record of how many revisions have been given away at most. */
void revisions_record_write(uint64_t reserved, struct text *out);
enum blob_outcome revisions_record_read(uint64_t *reserved, const struct blob *blob);

#endif

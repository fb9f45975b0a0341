/* What the daemon has written and reads again after a start, and streams that the client reads. */
#include "client/events.h"
#include "fuzz.h"
#include "roadmap/snapshot/snapshot.h"
#include "schema/robot.h"
#include "schema/world.h"
#include "schema/zip_files.h"
#include "service/persistence/blob_file.h"
#include "service/persistence/records.h"

#include <stdlib.h>
#include <string.h>

/* ---- records, and the files that keep them ---- */

static bool is_id(const char *text)
{
    return strlen(text) == BLOB_ID_BYTES - 1 &&
           strspn(text, "0123456789abcdef") == BLOB_ID_BYTES - 1;
}

static void read_records(const struct blob *blob)
{
    struct world_record world;
    struct robot_record robot;
    struct roadmap_record roadmap;
    uint64_t reserved;
    if (world_record_read(&world, blob) == BLOB_OK) {
        fuzz_must(is_id(world.document));
        for (size_t i = 0; i < world.follower_count; i++)
            fuzz_must(name_valid(world.followers[i].name));
        world_record_deinit(&world);
    }
    if (robot_record_read(&robot, blob) == BLOB_OK) {
        fuzz_must(is_id(robot.document) && !robot.warnings.failed);
        robot_record_deinit(&robot);
    }
    if (roadmap_record_read(&roadmap, blob) == BLOB_OK) {
        fuzz_must(is_id(roadmap.world) && is_id(roadmap.robot) && is_id(roadmap.snapshot));
        fuzz_must(name_valid(roadmap.document.world) && name_valid(roadmap.document.robot));
        roadmap_record_deinit(&roadmap);
    }
    (void)revisions_record_read(&reserved, blob);
}

/* A record as it is kept, or a whole file with its head. */
void fuzz_saved(const char *data, size_t bytes)
{
    struct blob_file_head head;
    struct blob blob = {malloc(bytes + 1), bytes};
    fuzz_must(blob.data != NULL);
    memcpy(blob.data, data, bytes);
    blob.data[bytes] = '\0';
    if (bytes >= sizeof(head)) {
        memcpy(&head, data, sizeof(head));
        const enum blob_outcome outcome = blob_file_head_check(&head, BLOB_KIND_WORLD);
        fuzz_must(outcome == BLOB_OK || outcome == BLOB_DAMAGED || outcome == BLOB_INCOMPATIBLE);
        (void)blob_file_check(&head, data + sizeof(head), bytes - sizeof(head));
    }
    read_records(&blob);

    // what is written is whole, and is no longer once a byte is another
    fuzz_must(blob_file_head_init(&head, BLOB_KIND_ROBOT, data, bytes));
    fuzz_must(blob_file_head_check(&head, BLOB_KIND_ROBOT) == BLOB_OK);
    fuzz_must(blob_file_check(&head, data, bytes) == BLOB_OK);
    if (bytes > 0) {
        blob.data[bytes / 2] ^= 1;
        fuzz_must(blob_file_check(&head, blob.data, bytes) == BLOB_DAMAGED);
    }
    free(blob.data);
}

/* ---- archives ---- */

/* The bytes of a member of that name; none where there is no such. */
static struct zip_member member_of(const struct zip_files *files, const char *name)
{
    const struct zip_member *member = zip_files_find(files, name);
    return member ? *member : (struct zip_member){.data = (char[]){""}};
}

/* All four files of an archive, each as the service reads it. */
void fuzz_archive(const char *data, size_t bytes)
{
    static const struct zip_rules any = {"", ""};
    struct zip_files files;
    struct problem problem = {0}, world_problem = {0}, robot_problem = {0}, roadmap_problem = {0};
    const bool good = zip_files_read(&files, data, bytes, &any, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (!good)
        return;
    struct world_document world;
    struct robot_document robot;
    struct roadmap_document roadmap;
    struct prm_snapshot *snapshot = NULL;
    char built_in[BLOB_ID_BYTES];
    const struct zip_member world_file = member_of(&files, "world.json"),
                            robot_file = member_of(&files, "robot.json"),
                            record = member_of(&files, "roadmap.json"),
                            bytes_file = member_of(&files, "roadmap.bin");
    if (world_read(&world, world_file.data, world_file.bytes, fuzz_limits(), &world_problem))
        world_deinit(&world);
    if (robot_read(&robot, robot_file.data, robot_file.bytes, fuzz_limits(), &robot_problem))
        robot_deinit(&robot);
    const bool read = archive_record_read(&roadmap, built_in, record.data, record.bytes,
                                          fuzz_limits(), &roadmap_problem);
    fuzz_judge(read, &roadmap_problem);
    if (read) {
        fuzz_must(is_id(built_in) && name_valid(roadmap.world));
        roadmap_deinit(&roadmap);
    }
    (void)prm_snapshot_decode(&snapshot, bytes_file.data, bytes_file.bytes);
    prm_snapshot_destroy(snapshot);
    zip_files_deinit(&files);
}

/* ---- streams ---- */

/* Gathers all events as one text. */
static void note_event(void *context, const char *type, const char *data, size_t bytes)
{
    struct text *noted = context;
    fuzz_must(data[bytes] == '\0');
    text_append(noted, type, strlen(type));
    text_append(noted, ":", 1);
    text_append(noted, data, bytes);
    text_append(noted, ";", 1);
}

static void read_stream(struct text *noted, const char *data, size_t bytes, size_t piece)
{
    struct events events = {.on_event = note_event, .context = noted};
    events_begin(&events);
    for (size_t taken; bytes > 0; data += taken, bytes -= taken) {
        taken = bytes < piece ? bytes : piece;
        events_take(&events, data, taken);
    }
    text_append(noted, events.last_id, strlen(events.last_id));
    events_deinit(&events);
}

/* The same events, whatever the pieces that they come in. */
void fuzz_events(const char *data, size_t bytes)
{
    struct text whole = {0}, bytewise = {0}, pieces = {0};
    read_stream(&whole, data, bytes, bytes + 1);
    read_stream(&bytewise, data, bytes, 1);
    read_stream(&pieces, data, bytes, 5);
    fuzz_same(&whole, &bytewise);
    fuzz_same(&whole, &pieces);
    text_deinit(&whole);
    text_deinit(&bytewise);
    text_deinit(&pieces);
}

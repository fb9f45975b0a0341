/* Archives: one roadmap with its world and robot, as a zip of four files, from one daemon to
 * another.
 *
 * world.json and robot.json are bodies as their PUT takes them, roadmap.json has the roadmap's
 * document and what world it was built in, roadmap.bin its bytes (roadmap/snapshot/snapshot.h).
 * Which edges are valid is found again where it comes in.
 */
#include "service/roadmaps/archive.h"
#include "schema/zip_files.h"
#include "service/persistence/records.h"
#include "service/questions/question.h"
#include "service/roadmaps/builds.h"
#include "service/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char WORLD_FILE[] = "world.json", ROBOT_FILE[] = "robot.json";
static const char ROADMAP_FILE[] = "roadmap.json", BYTES_FILE[] = "roadmap.bin";

/* ---- out ---- */

struct archive_reading {
    struct question question; /* first */
    struct prm_snapshot_writer *writer;
};

static bool begin_nothing(struct question *question)
{
    (void)question;
    return true;
}

static enum prm_status copy(struct question *question, struct device *device, bool *done)
{
    struct archive_reading *reading = (struct archive_reading *)question;
    const struct model *model = question->roadmap->model;
    enum prm_status status = PRM_OK;
    (void)device;
    if (!reading->writer)
        status =
            prm_snapshot_writer_create(&reading->writer, model->topology->roadmap, model->validity);
    return status == PRM_OK ? prm_snapshot_writer_step(reading->writer, done) : status;
}

/* Appends an object of members that are written already. */
static void write_object(const struct text *members, struct text *out)
{
    text_append(out, "{", 1);
    text_append(out, members->data, members->length);
    text_append(out, "}\n", 2);
}

static const char *write(struct question *question, struct text *out)
{
    struct archive_reading *reading = (struct archive_reading *)question;
    const struct roadmap_version *roadmap = question->roadmap;
    struct text world = {0}, robot = {0}, document = {0};
    unsigned char *bytes = NULL;
    size_t size = 0;
    write_object(&roadmap->world->members, &world);
    write_object(&roadmap->robot->members, &robot);
    archive_record_write(&roadmap->document, roadmap->built_in, &document);
    const enum prm_status status = prm_snapshot_writer_finish(reading->writer, &bytes, &size);
    if (status != PRM_OK || world.failed || robot.failed || document.failed) {
        out->failed = true;
    } else {
        const struct zip_item items[] = {{WORLD_FILE, {{world.data, world.length}}},
                                         {ROBOT_FILE, {{robot.data, robot.length}}},
                                         {ROADMAP_FILE, {{document.data, document.length}}},
                                         {BYTES_FILE, {{bytes, size}}}};
        zip_files_write(items, sizeof(items) / sizeof(items[0]), out);
    }
    free(bytes);
    text_deinit(&world);
    text_deinit(&robot);
    text_deinit(&document);
    return "application/zip";
}

static void deinit(struct question *question)
{
    prm_snapshot_writer_destroy(((struct archive_reading *)question)->writer);
}

void archive_get(struct service *service, struct call *call)
{
    static const struct question_kind KIND = {
        sizeof(struct archive_reading), begin_nothing, copy, write, deinit, NULL};
    question_call(service, call, &KIND);
}

/* ---- in ---- */

/* A PUT on its way: read by a worker, then carried out by the publisher. */
struct archive {
    struct worker_task work;
    struct service *service;
    struct call *call;
    struct world_version *world; /* taken, as the next */
    struct robot_version *robot;
    struct roadmap_document document;
    struct roadmap_import import;
};

static void archive_destroy(struct archive *archive)
{
    if (archive->world)
        version_release(&archive->world->version);
    if (archive->robot)
        version_release(&archive->robot->version);
    roadmap_deinit(&archive->document);
    prm_snapshot_destroy(archive->import.snapshot);
    free(archive);
}

static void refuse(struct archive *archive)
{
    struct call *call = archive->call;
    archive_destroy(archive);
    call_fail(call);
}

/* A member, which must be there; NULL: a fault is added. */
static const struct zip_member *need(const struct zip_files *files, const char *name,
                                     struct problem *problem)
{
    const struct zip_member *member = zip_files_find(files, name);
    if (!member)
        problem_add(problem, PROBLEM_INVALID_ARGUMENT, "the archive has no %s", name);
    return member;
}

/* Says which file of the archive the faults are in, of which those from `first` on are. */
static void name_file(struct problem *problem, unsigned first, const char *file)
{
    for (unsigned i = first; i < problem->fault_count && i < PROBLEM_FAULTS_MAX; i++) {
        struct problem_fault *fault = &problem->faults[i];
        char detail[PROBLEM_DETAIL_MAX];
        memcpy(detail, fault->detail, sizeof(detail));
        snprintf(fault->detail, sizeof(fault->detail), "%s: %.*s", file,
                 (int)(sizeof(detail) - sizeof(WORLD_FILE) - 8), detail);
        fault->has_pointer = false;
    }
}

static bool read_world(struct archive *archive, const struct zip_member *member)
{
    struct problem *problem = &archive->call->problem;
    const unsigned first = problem->fault_count;
    archive->world =
        world_version_of(member->data, member->bytes, &archive->service->limits, problem);
    name_file(problem, first, WORLD_FILE);
    return archive->world;
}

static bool read_robot(struct archive *archive, const struct zip_member *member)
{
    struct problem *problem = &archive->call->problem;
    const unsigned first = problem->fault_count;
    struct robot_document document;
    if (!robot_read(&document, member->data, member->bytes, &archive->service->limits, problem)) {
        name_file(problem, first, ROBOT_FILE);
        return false;
    }
    archive->robot = robot_version_create(&document);
    if (!archive->robot)
        problem_no_memory(problem, "a robot");
    return archive->robot;
}

/* Another name, as a URL parameter has it. */
static bool rename_to(struct archive *archive, const char *key, char name[NAME_MAX_BYTES + 1])
{
    const char *given = call_parameter(archive->call, key);
    if (!given)
        return true;
    if (!name_valid(given)) {
        problem_add(&archive->call->problem, PROBLEM_INVALID_ARGUMENT, "%s: not a name", key);
        return false;
    }
    snprintf(name, NAME_MAX_BYTES + 1, "%s", given);
    return true;
}

static bool read_roadmap(struct archive *archive, const struct zip_member *record,
                         const struct zip_member *bytes)
{
    struct problem *problem = &archive->call->problem;
    const unsigned first = problem->fault_count;
    if (!archive_record_read(&archive->document, archive->import.built_in, record->data,
                             record->bytes, &archive->service->limits, problem)) {
        name_file(problem, first, ROADMAP_FILE);
        return false;
    }
    if (!rename_to(archive, "world", archive->document.world) ||
        !rename_to(archive, "robot", archive->document.robot))
        return false;
    const enum prm_status status =
        prm_snapshot_decode(&archive->import.snapshot, bytes->data, bytes->bytes);
    if (status == PRM_UNSUPPORTED || status == PRM_INVALID_ARGUMENT)
        problem_add(problem, PROBLEM_INCOMPATIBLE, "%s: %s", BYTES_FILE, prm_fault_last()->detail);
    else if (status != PRM_OK)
        problem_add_status(problem, status);
    return status == PRM_OK;
}

/* Takes the body apart; false: faults are added. */
static bool read_files(struct archive *archive)
{
    static const struct zip_rules ANY = {"", ""};
    struct call *call = archive->call;
    struct zip_files files;
    if (!zip_files_read(&files, call_body(call), call->body_bytes, &ANY, &archive->service->limits,
                        &call->problem))
        return false;
    const struct zip_member *world = need(&files, WORLD_FILE, &call->problem);
    const struct zip_member *robot = need(&files, ROBOT_FILE, &call->problem);
    const struct zip_member *roadmap = need(&files, ROADMAP_FILE, &call->problem);
    const struct zip_member *bytes = need(&files, BYTES_FILE, &call->problem);
    const bool read = world && robot && roadmap && bytes && read_world(archive, world) &&
                      read_robot(archive, robot) && read_roadmap(archive, roadmap, bytes);
    zip_files_deinit(&files);
    return read;
}

/* How a name of the archive stands to what there is. */
enum standing { ABSENT, EQUAL, OTHER };

static enum standing standing_of(const struct version *present, const struct version *version)
{
    if (!present)
        return ABSENT;
    return strcmp(present->fingerprint, version->fingerprint) == 0 ? EQUAL : OTHER;
}

/* Whether world and robot are to be made. */
struct makes {
    bool world, robot;
};

/* What is to be made of world and robot: absent ones. false: faults are added, also those that the
 * roadmap itself would meet, so that nothing is made for one that is refused. The lock is held. */
static bool decide(struct archive *archive, struct makes *makes)
{
    struct service *service = archive->service;
    struct problem *problem = &archive->call->problem;
    const char *world = archive->document.world, *robot = archive->document.robot;
    const enum standing of_world =
        standing_of(store_find(&service->worlds, world), &archive->world->version);
    const enum standing of_robot =
        standing_of(store_find(&service->robots, robot), &archive->robot->version);
    *makes = (struct makes){of_world == ABSENT, of_robot == ABSENT};
    if (of_world == OTHER)
        problem_add(problem, PROBLEM_INCOMPATIBLE,
                    "there is another world \"%s\": ?world= gives the archive's another name",
                    world);
    if (of_robot == OTHER)
        problem_add(problem, PROBLEM_INCOMPATIBLE,
                    "there is another robot \"%s\": ?robot= gives the archive's another name",
                    robot);
    if (makes->world && service->worlds.count >= service->limits.worlds)
        problem_add_limit(problem, &service->limits, LIMIT_worlds);
    if (makes->robot && service->robots.count >= service->limits.robots)
        problem_add_limit(problem, &service->limits, LIMIT_robots);
    if (problem->fault_count > 0 ||
        !roadmap_may_put(service, archive->call, &archive->document, &archive->world->version,
                         &archive->robot->version))
        return false;
    if (makes->world)
        store_number(&service->worlds, world, &archive->world->version);
    if (makes->robot)
        store_number(&service->robots, robot, &archive->robot->version);
    return true;
}

/* Saves what is to be made, all of it or nothing. */
static bool save(struct archive *archive, struct makes makes)
{
    struct persistence *persistence = archive->service->persistence;
    struct problem *problem = &archive->call->problem;
    const char *world = archive->document.world, *robot = archive->document.robot;
    if (makes.world &&
        !persistence_save_world(persistence, world, archive->world, NULL, 0, problem))
        return false;
    if (!makes.robot || persistence_save_robot(persistence, robot, archive->robot, problem))
        return true;
    if (makes.world)
        persistence_forget(persistence, BLOB_WORLDS, world, problem);
    return false;
}

/* Lets the names of what was made stand for nothing again, on the disk too. */
static void forget(struct archive *archive, struct makes makes)
{
    struct persistence *persistence = archive->service->persistence;
    struct problem *problem = &archive->call->problem;
    if (makes.world)
        persistence_forget(persistence, BLOB_WORLDS, archive->document.world, problem);
    if (makes.robot)
        persistence_forget(persistence, BLOB_ROBOTS, archive->document.robot, problem);
}

/* Lets a new name stand for a version, of which the archive keeps its reference. The lock is held.
 */
static bool enter_name(struct store *store, const char *name, struct version *version)
{
    struct version *replaced;
    version_take(version);
    if (store_put(store, name, version, &replaced))
        return true;
    version_release(version);
    return false;
}

/* Takes a name out again. The lock is held, and the archive has a reference of its own. */
static void leave_name(struct store *store, const char *name)
{
    version_release(store_remove(store, name));
}

/* Enters what was saved and puts the roadmap; where that is refused nothing is entered. The lock is
 * held, so that nobody sees what is taken out again. */
static struct roadmap_putting enter(struct archive *archive, struct makes makes)
{
    struct service *service = archive->service;
    struct call *call = archive->call;
    const char *world = archive->document.world, *robot = archive->document.robot;
    struct roadmap_putting putting = {.outcome = PUT_REFUSED};
    const bool has_world =
        makes.world && enter_name(&service->worlds, world, &archive->world->version);
    const bool has_robot =
        makes.robot && enter_name(&service->robots, robot, &archive->robot->version);
    if (has_world == makes.world && has_robot == makes.robot)
        putting = roadmap_put_begin(service, call, &archive->document, &archive->import);
    else
        problem_no_memory(&call->problem, "an archive");
    if (putting.outcome != PUT_REFUSED)
        return putting;
    if (has_world)
        leave_name(&service->worlds, world);
    if (has_robot)
        leave_name(&service->robots, robot);
    return putting;
}

/* On the publisher: world, robot and roadmap, or nothing. */
static void carry_out(struct worker_task *work)
{
    struct archive *archive = WORK_OF(archive, work);
    struct service *service = archive->service;
    struct call *call = archive->call;
    struct makes makes = {0};
    service_lock(service);
    const bool decided = decide(archive, &makes);
    service_unlock(service);
    if (!decided || !save(archive, makes)) {
        refuse(archive);
        return;
    }
    service_lock(service);
    const struct roadmap_putting putting = enter(archive, makes);
    service_unlock(service);
    if (putting.outcome == PUT_REFUSED)
        forget(archive, makes);
    archive_destroy(archive);
    roadmap_put_end(service, call, &putting);
}

static void read_archive(struct worker_task *work)
{
    struct archive *archive = WORK_OF(archive, work);
    if (!read_files(archive)) {
        refuse(archive);
        return;
    }
    archive->work.run = carry_out;
    persistence_publish(archive->service->persistence, &archive->work);
}

void archive_put(struct service *service, struct call *call)
{
    if (!call_name_valid(call))
        return;
    struct archive *archive = calloc(1, sizeof(*archive));
    if (!archive) {
        call_no_memory(call, "a request");
        return;
    }
    archive->work.run = read_archive;
    archive->service = service;
    archive->call = call;
    workers_submit(service->workers, &archive->work);
}

/* A planning problem of the wire's form (world.json, robot.json, request.json of a folder) for the
 * engine. */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include "service/translate.h"
#include "service/translate_robot.h"

struct problem_files {
    struct world_document world;
    struct robot_document robot;
    struct plan_request request;
    struct world_spec spec;
    struct prm_query *queries; /* [request.query_count], owned */
    uint32_t dof;
    const char *coordinates[PRM_DOF_MAX]; /* names, of the robot */
    struct text request_text;             /* owned */
};

/* Reads a folder; false: a message was printed, nothing to deinitialise. */
bool problem_files_read(struct problem_files *files, const char *folder);

/* The same of documents at hand; `name` is for messages. */
bool problem_files_parse(struct problem_files *files, const char *name, const struct text *world,
                         const struct text *robot, const struct text *request);
void problem_files_deinit(struct problem_files *files);

/* Reads the request once more from its text, and forgets it. */
void problem_request_read(const struct problem_files *files);

/* Appends what the engine has answered to all queries as the wire's document. */
void problem_answer_write(const struct problem_files *files, const struct prm_plan_results *planned,
                          struct text *out);

#endif

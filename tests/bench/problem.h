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
};

/* Reads a folder; false: a message was printed, nothing to deinitialise. */
bool problem_files_read(struct problem_files *files, const char *folder);

/* The same of documents at hand; `name` is for messages. */
bool problem_files_parse(struct problem_files *files, const char *name, const struct text *world,
                         const struct text *robot, const struct text *request);
void problem_files_deinit(struct problem_files *files);

#endif

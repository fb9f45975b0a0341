#include "problem.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads FOLDER/NAME whole. */
static bool file_read(struct text *content, const char *folder, const char *name)
{
    char path[1024], block[65536];
    *content = (struct text){0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    size_t bytes;
    while ((bytes = fread(block, 1, sizeof block, file)) > 0)
        text_append(content, block, bytes);
    bool good = !ferror(file) && !content->failed;
    fclose(file);
    return good;
}

/* Prints what is wrong with a document. */
static bool refuse(const char *name, const char *document, const struct problem *problem)
{
    fprintf(stderr, "%s, %s: %s\n", name, document,
            problem->fault_count ? problem->faults[0].detail : "cannot be read");
    return false;
}

bool problem_files_parse(struct problem_files *files, const char *name, const struct text *world,
                         const struct text *robot, const struct text *request)
{
    struct limits limits = limits_default();
    struct problem problem = {0};
    *files = (struct problem_files){0};

    // all that was read is freed by one deinit, whatever fails
    bool good = true;
    if (!world_read(&files->world, world->data, world->length, &limits, &problem))
        good = refuse(name, "world", &problem);
    if (good && !robot_read(&files->robot, robot->data, robot->length, &limits, &problem))
        good = refuse(name, "robot", &problem);
    if (good) {
        files->dof = robot_dof(&files->robot, files->world.dimension);
        for (uint32_t i = 0; i < files->dof; i++)
            files->coordinates[i] = robot_coordinate_name(&files->robot, files->world.dimension, i);
    }
    if (good && !plan_request_read(&files->request, request->data, request->length,
                                   files->coordinates, files->dof, &limits, &problem))
        good = refuse(name, "request", &problem);
    if (good && world_spec_init(&files->spec, &files->world) != PRM_OK)
        good = refuse(name, "world", &problem);
    if (good)
        files->queries = queries_translate(&files->request);
    if (good && !files->queries)
        good = refuse(name, "request", &problem);
    text_append(&files->request_text, request->data, request->length);
    if (!good)
        problem_files_deinit(files);
    return good;
}

bool problem_files_read(struct problem_files *files, const char *folder)
{
    struct text world = {0}, robot = {0}, request = {0};
    const bool good = file_read(&world, folder, "world.json") &&
                      file_read(&robot, folder, "robot.json") &&
                      file_read(&request, folder, "request.json") &&
                      problem_files_parse(files, folder, &world, &robot, &request);
    text_deinit(&world);
    text_deinit(&robot);
    text_deinit(&request);
    return good;
}

void problem_files_deinit(struct problem_files *files)
{
    free(files->queries);
    world_spec_deinit(&files->spec);
    plan_request_deinit(&files->request);
    world_deinit(&files->world);
    robot_deinit(&files->robot);
    text_deinit(&files->request_text);
    *files = (struct problem_files){0};
}

void problem_request_read(const struct problem_files *files)
{
    const struct limits limits = limits_default();
    struct problem problem = {0};
    struct plan_request request;
    if (plan_request_read(&request, files->request_text.data, files->request_text.length,
                          files->coordinates, files->dof, &limits, &problem))
        plan_request_deinit(&request);
}

void problem_answer_write(const struct problem_files *files, const struct prm_plan_results *planned,
                          struct text *out)
{
    struct plan_result *results = bench_memory(planned->count * sizeof *results);
    for (uint32_t i = 0; i < planned->count; i++)
        results[i] = result_translate(&planned->results[i], &files->world, &files->robot,
                                      files->coordinates, files->dof);
    const struct plan_answer answer = {.roadmap = "roadmap",
                                       .fingerprint = "",
                                       .coordinates = files->coordinates,
                                       .dof = files->dof,
                                       .request = &files->request,
                                       .results = results,
                                       .waypoints = planned->waypoints,
                                       .nodes = planned->nodes};
    plan_answer_write(&answer, out);
    free(results);
}

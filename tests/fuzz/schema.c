/* Documents in JSON: what is taken comes back from what is written of it. */
#include "fuzz.h"
#include "roadmap/robot/robot.h"
#include "roadmap/world/world.h"
#include "schema/forward.h"
#include "schema/matrix.h"
#include "schema/plan.h"
#include "schema/questions.h"
#include "schema/roadmap.h"
#include "schema/robot.h"
#include "schema/world.h"
#include "service/translate.h"
#include "service/translate_roadmap.h"
#include "service/translate_robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- worlds ---- */

/* The engine takes it or says why not. */
static void check_world(const struct world_document *world)
{
    struct world_spec spec = {0};
    if (world_spec_init(&spec, world) == PRM_OK && prm_world_check(&spec.spec) == PRM_OK)
        (void)prm_world_precision(&spec.spec);
    world_spec_deinit(&spec);
}

static void read_obstacle(uint32_t dimension, const char *data, size_t bytes)
{
    struct obstacle_document obstacle;
    struct problem problem = {0};
    const bool good = obstacle_read(&obstacle, dimension, data, bytes, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (!good)
        return;
    struct text first = {0}, second = {0};
    // a body without an id gets that of the path
    if (*obstacle.id == '\0')
        snprintf(obstacle.id, sizeof(obstacle.id), "id");
    obstacle_write(&obstacle, &first);
    obstacle_deinit(&obstacle);
    fuzz_taken(
        obstacle_read(&obstacle, dimension, first.data, first.length, fuzz_limits(), &problem),
        &first, &problem);
    obstacle_write(&obstacle, &second);
    fuzz_same(&first, &second);
    obstacle_deinit(&obstacle);
    text_deinit(&first);
    text_deinit(&second);
}

void fuzz_world(const char *data, size_t bytes)
{
    struct world_document world;
    struct problem problem = {0};
    read_obstacle(2, data, bytes);
    read_obstacle(3, data, bytes);
    const bool good = world_read(&world, data, bytes, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (!good)
        return;
    struct text first = {0}, second = {0};
    check_world(&world);
    text_append(&first, "{", 1);
    world_write_members(&world, &first);
    text_append(&first, "}", 1);
    world_deinit(&world);

    fuzz_taken(world_read(&world, first.data, first.length, fuzz_limits(), &problem), &first,
               &problem);
    text_append(&second, "{", 1);
    world_write_members(&world, &second);
    text_append(&second, "}", 1);
    fuzz_same(&first, &second);
    world_deinit(&world);
    text_deinit(&first);
    text_deinit(&second);
}

void fuzz_patch(const char *data, size_t bytes)
{
    static const char base[] =
        "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[9,9]},\"obstacles\":["
        "{\"id\":\"a\",\"type\":\"circle\",\"center\":[1,1],\"radius\":1},"
        "{\"id\":\"b\",\"type\":\"grid\",\"width\":2,\"height\":1,\"rows\":[\".@\"]}]}";
    struct problem none = {0}, problem = {0};
    struct world_document before, after;
    fuzz_must(world_read(&before, base, sizeof(base) - 1, fuzz_limits(), &none));
    const bool good = world_patch(&after, &before, data, bytes, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (good) {
        check_world(&after);
        world_deinit(&after);
    }
    world_deinit(&before);
}

/* ---- robots, roadmaps ---- */

void fuzz_robot(const char *data, size_t bytes)
{
    struct robot_document robot;
    struct problem problem = {0};
    const bool good = robot_read(&robot, data, bytes, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (!good)
        return;
    struct text first = {0}, second = {0}, derived = {0};
    struct robot_spec spec = {0};
    if (robot_spec_init(&spec, &robot) == PRM_OK)
        (void)prm_robot_check(&spec.spec);
    robot_spec_deinit(&spec);
    text_append(&first, "{", 1);
    robot_write_members(&robot, &first);
    text_append(&first, "}", 1);
    robot_write_derived(&robot, &derived);
    robot_write_summary(&robot, &derived);
    fuzz_must(!derived.failed);
    robot_deinit(&robot);

    fuzz_taken(robot_read(&robot, first.data, first.length, fuzz_limits(), &problem), &first,
               &problem);
    text_append(&second, "{", 1);
    robot_write_members(&robot, &second);
    text_append(&second, "}", 1);
    fuzz_same(&first, &second);
    robot_deinit(&robot);
    text_deinit(&first);
    text_deinit(&second);
    text_deinit(&derived);
}

/* A roadmap's lists against a robot and a world that have what they may name. */
static void check_roadmap(const struct roadmap_document *roadmap)
{
    static const char world_text[] =
        "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[9,9]},\"obstacles\":["
        "{\"id\":\"a\",\"type\":\"circle\",\"center\":[1,1],\"radius\":1}]}";
    static const char robot_text[] = "{\"type\":\"ball\",\"radius\":1}";
    struct world_document world;
    struct robot_document robot;
    struct problem problem = {0};
    fuzz_must(world_read(&world, world_text, sizeof(world_text) - 1, fuzz_limits(), &problem));
    fuzz_must(robot_read(&robot, robot_text, sizeof(robot_text) - 1, fuzz_limits(), &problem));
    const bool good = roadmap_check(roadmap, &robot, &world, &problem);
    fuzz_judge(good, &problem);
    if (good) {
        struct roadmap_spec spec = {0};
        (void)roadmap_spec_init(&spec, roadmap, fuzz_limits(), &robot, &world);
        roadmap_spec_deinit(&spec);
    }
    robot_deinit(&robot);
    world_deinit(&world);
}

void fuzz_roadmap(const char *data, size_t bytes)
{
    struct roadmap_document roadmap, copy;
    struct problem problem = {0}, growth = {0};
    uint32_t count = 0;
    fuzz_judge(roadmap_growth_read(&count, data, bytes, fuzz_limits(), &growth), &growth);
    const bool good = roadmap_read(&roadmap, data, bytes, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (!good)
        return;
    struct text first = {0}, second = {0};
    fuzz_must(name_valid(roadmap.world) && name_valid(roadmap.robot));
    check_roadmap(&roadmap);
    text_append(&first, "{", 1);
    fuzz_must(roadmap_copy(&copy, &roadmap));
    roadmap_deinit(&roadmap);
    roadmap_write_members(&copy, &first);
    roadmap_deinit(&copy);
    text_append(&first, "}", 1);

    fuzz_taken(roadmap_read(&roadmap, first.data, first.length, fuzz_limits(), &problem), &first,
               &problem);
    text_append(&second, "{", 1);
    roadmap_write_members(&roadmap, &second);
    text_append(&second, "}", 1);
    fuzz_same(&first, &second);
    roadmap_deinit(&roadmap);
    text_deinit(&first);
    text_deinit(&second);
}

/* ---- requests ---- */

enum { DOF = 2 };
static const char *const coordinates[DOF] = {"x", "y"};

/* Queries have the states that they say they have. */
static void check_queries(const struct plan_request *request)
{
    for (uint32_t i = 0; i < request->query_count; i++) {
        const struct plan_query *query = &request->queries[i];
        fuzz_must(query->invalid ? query->invalid_detail != NULL : query->goal_count > 0);
        fuzz_must(query->invalid ||
                  (query->start + DOF <= request->number_count &&
                   query->goals + DOF * (size_t)query->goal_count <= request->number_count));
    }
    const struct prm_roadmap roadmap = {.params.sample_method = PRM_SAMPLE_UNIFORM};
    (void)plan_translate(request, fuzz_limits(), &roadmap);
}

/* The obstacles of a request laid over a world. */
static void apply_overlay(const struct overlay_document *overlay)
{
    static const char text[] =
        "{\"dimension\":2,\"bounds\":{\"min\":[0,0],\"max\":[9,9]},\"obstacles\":["
        "{\"id\":\"a\",\"type\":\"circle\",\"center\":[1,1],\"radius\":1,\"dynamic\":true},"
        "{\"id\":\"b\",\"type\":\"grid\",\"width\":2,\"height\":1,\"rows\":[\".@\"]}]}";
    struct world_document world;
    struct overlaid_world overlaid;
    struct text out = {0};
    struct problem none = {0}, problem = {0};
    fuzz_must(world_read(&world, text, sizeof(text) - 1, fuzz_limits(), &none));
    overlay_write(overlay, &out);
    fuzz_must(!out.failed);
    const bool good = overlay_apply(&overlaid, &world, overlay, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (good) {
        for (uint32_t i = 0; i < overlaid.changed_count; i++)
            fuzz_must(overlaid.changed[i] < world.obstacle_count);
        check_world(&overlaid.document);
        overlaid_world_deinit(&overlaid);
    }
    text_deinit(&out);
    world_deinit(&world);
}

void fuzz_plan(const char *data, size_t bytes)
{
    struct plan_request request;
    struct problem problem = {0};
    double state[DOF];
    char *text = fuzz_string(data, bytes);
    (void)plan_state_parse(state, text, DOF);
    free(text);

    const bool good =
        plan_request_read(&request, data, bytes, coordinates, DOF, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (!good)
        return;
    check_queries(&request);
    apply_overlay(&request.overlay);
    plan_request_deinit(&request);
}

/* Queries as one array, the options in the first line. */
void fuzz_plan_npy(const char *data, size_t bytes)
{
    struct call call;
    char line[FUZZ_LINE_BYTES];
    struct plan_request request;
    struct plan_parameter parameters[CALL_PARAMETERS_MAX];
    fuzz_call(&call, line, data, bytes);
    for (unsigned i = 0; i < call.parameter_count; i++)
        parameters[i] = (struct plan_parameter){call.parameters[i].key, call.parameters[i].value};
    const bool good =
        plan_request_read_npy(&request, call.body, call.body_bytes, parameters,
                              call.parameter_count, DOF, fuzz_limits(), &call.problem);
    fuzz_judge(good, &call.problem);
    if (!good)
        return;
    check_queries(&request);
    plan_request_deinit(&request);
}

static void read_forward(const char *data, size_t bytes)
{
    static const char text[] =
        "{\"type\":\"arm\",\"joints\":[{\"name\":\"x\",\"type\":\"revolute\",\"axis\":[0,0,1],"
        "\"lower\":-1,\"upper\":2,\"child\":\"l\"},{\"name\":\"y\",\"type\":\"continuous\","
        "\"axis\":[0,0,1],\"parent\":\"l\",\"child\":\"m\"}],"
        "\"links\":[{\"name\":\"l\",\"spheres\":[{\"center\":[0,0,0.5],\"radius\":0.1}]}]}";
    struct robot_document robot;
    struct forward_request request;
    struct problem none = {0}, problem = {0};
    fuzz_must(robot_read(&robot, text, sizeof(text) - 1, fuzz_limits(), &none));
    const bool good = forward_read(&request, &robot, data, bytes, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (good)
        forward_deinit(&request);
    robot_deinit(&robot);
}

void fuzz_matrix(const char *data, size_t bytes)
{
    const struct question_space space = {coordinates, DOF, UINT32_MAX};
    struct matrix_request request;
    struct problem problem = {0};
    const bool good = matrix_request_read(&request, &space, data, bytes, fuzz_limits(), &problem);
    fuzz_judge(good, &problem);
    if (!good)
        return;
    for (uint32_t i = 0; i < request.source_count; i++)
        fuzz_must(request.sources[i] < request.state_count);
    for (uint32_t i = 0; i < request.target_count; i++)
        fuzz_must(request.targets[i] < request.state_count);
    fuzz_must((uint64_t)request.source_count * request.target_count <= fuzz_limits()->matrix_pairs);
    apply_overlay(&request.options.overlay);
    matrix_request_deinit(&request);
}

void fuzz_questions(const char *data, size_t bytes)
{
    const struct question_space space = {coordinates, DOF, UINT32_MAX};
    struct problem validate_problem = {0}, nearest_problem = {0};
    struct validate_request validate;
    struct nearest_request nearest;
    read_forward(data, bytes);

    bool good = validate_read(&validate, &space, data, bytes, fuzz_limits(), &validate_problem);
    fuzz_judge(good, &validate_problem);
    if (good) {
        for (size_t i = 0; i < 2 * (size_t)validate.motion_count; i++)
            fuzz_must(validate.motions[i] < validate.state_count);
        for (uint32_t i = 0; i < validate.path_count; i++)
            fuzz_must(validate.paths[i].first + (uint64_t)validate.paths[i].count <=
                      validate.motion_count);
        validate_deinit(&validate);
    }
    good = nearest_read(&nearest, &space, data, bytes, fuzz_limits(), &nearest_problem);
    fuzz_judge(good, &nearest_problem);
    if (good)
        nearest_deinit(&nearest);
}

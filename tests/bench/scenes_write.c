/* Writes the scenes (scenes.h) as folders of world.json, robot.json and request.json, whose queries
 * have free ends; and a folder `worlds` of as many arms' worlds with one query each.
 *
 *   bench_scenes FOLDER [QUERIES]
 */
#include "bench.h"
#include "problem.h"
#include "roadmap/collision/validate.h"
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Of so many times as many queries the first are taken whose ends are free. */
enum { QUERIES = 1000, SPARE = 16, WORLDS = 20, MILESTONES = 64, PATH_BYTES = 1024 };

static void file_write(const char *folder, const char *name, const struct text *content)
{
    char path[2 * PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || content->failed ||
        fwrite(content->data, 1, content->length, file) != content->length || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

/* Whether each end of each query is free: judgements[2 · count], starts and goals in turn; the
 * caller frees them. */
static struct prm_judgement *ends_judge(struct prm_context *context,
                                        const struct problem_files *files)
{
    const struct prm_roadmap_params params = {
        .seed = 1, .sample_count = MILESTONES, .neighbor_method = PRM_NEIGHBOR_EXACT, .k = 1};
    const uint32_t count = files->request.query_count, dof = files->dof;
    double *states = bench_memory(2 * (size_t)count * dof * sizeof *states);
    struct prm_judgement *judgements = bench_memory(2 * (size_t)count * sizeof *judgements);
    struct prm_arena *arena;
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    struct robot_spec robot;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < dof; c++) {
            states[2 * (size_t)i * dof + c] = files->queries[i].start[c];
            states[(2 * (size_t)i + 1) * dof + c] = files->queries[i].goals[c];
        }
    bench_must(prm_arena_create(context, &arena), "arena");
    bench_must(robot_spec_init(&robot, &files->robot), "robot");
    bench_must(prm_world_create(arena, &world, &files->spec.spec), "world");
    bench_must(prm_roadmap_create(context, &roadmap, &validity, world, &robot.spec, &params),
               "roadmap");
    bench_must(prm_validate_states(arena, judgements, roadmap, world, states, 2 * count), "states");
    prm_validity_destroy(validity);
    prm_roadmap_destroy(roadmap);
    prm_world_destroy(world);
    robot_spec_deinit(&robot);
    prm_arena_destroy(arena);
    free(states);
    return judgements;
}

/* The first `wanted` queries of free ends. */
static void request_write(struct text *out, struct prm_context *context,
                          const struct problem_files *files, uint32_t wanted)
{
    struct prm_judgement *judgements = ends_judge(context, files);
    text_json_open(out, '{');
    text_json_key(out, "queries");
    text_json_open(out, '[');
    for (uint32_t i = 0; i < files->request.query_count && wanted > 0; i++) {
        if (!judgements[2 * i].valid || !judgements[2 * i + 1].valid)
            continue;
        text_json_open(out, '{');
        text_json_numbers(out, "start", files->queries[i].start, files->dof);
        text_json_numbers(out, "goal", files->queries[i].goals, files->dof);
        text_json_close(out, '}');
        wanted--;
    }
    text_json_close(out, ']');
    text_json_close(out, '}');
    free(judgements);
    if (wanted > 0) {
        fputs("too few queries have free ends\n", stderr);
        exit(EXIT_FAILURE);
    }
}

/* One variant of a scene as a folder, with `wanted` queries. */
static void scene_write(struct prm_context *context, const char *folder, unsigned scene,
                        unsigned variant, uint32_t wanted)
{
    struct text world = {0}, robot = {0}, many = {0}, request = {0};
    struct problem_files files;
    scene_write_world(scene, variant, &world);
    scene_write_robot(scene, &robot);
    scene_write_request(scene, variant, SPARE * wanted, &many);
    if (!problem_files_parse(&files, scenes[scene].name, &world, &robot, &many))
        exit(EXIT_FAILURE);
    request_write(&request, context, &files, wanted);
    mkdir(folder, 0777);
    file_write(folder, "world.json", &world);
    file_write(folder, "robot.json", &robot);
    file_write(folder, "request.json", &request);
    problem_files_deinit(&files);
    text_deinit(&world);
    text_deinit(&robot);
    text_deinit(&many);
    text_deinit(&request);
}

int main(int argc, char **argv)
{
    const struct prm_context_options options = {.device = getenv("PRMD_DEVICE"),
                                                .tuning = getenv("PRMD_TUNING")};
    const uint32_t wanted = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : QUERIES;
    struct prm_context *context;
    char folder[PATH_BYTES];
    if (argc < 2 || argc > 3 || wanted == 0) {
        fputs("usage: bench_scenes FOLDER [QUERIES]\n", stderr);
        return 2;
    }
    mkdir(argv[1], 0777);
    bench_must(prm_context_open(&context, &options), "device");
    for (unsigned scene = 0; scene < scene_count; scene++) {
        snprintf(folder, sizeof folder, "%s/%s", argv[1], scenes[scene].name);
        scene_write(context, folder, scene, 0, wanted);
        printf("%s: %s\n", folder, scenes[scene].about);
    }

    // one question in each of many worlds
    const unsigned arm = scene_find("arm");
    snprintf(folder, sizeof folder, "%s/worlds", argv[1]);
    mkdir(folder, 0777);
    printf("%s: %s, a world a query\n", folder, scenes[arm].about);
    for (unsigned variant = 1; variant <= WORLDS; variant++) {
        snprintf(folder, sizeof folder, "%s/worlds/arm-%02u", argv[1], variant);
        scene_write(context, folder, arm, variant, 1);
    }
    prm_context_close(context);
    return 0;
}

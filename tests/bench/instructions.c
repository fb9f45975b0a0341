/* What test_instructions.c counts, of the scenes named by its arguments: building, planning and
 * JSON of some scenes, in sections between requests to callgrind, each after a first run that does
 * not count. Outside of callgrind it only runs.
 *
 * Prints what the counts depend on besides the compiler: the lines of reference_add_device().
 */
#include "bench.h"
#include "problem.h"
#include "reference.h"
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

enum { MILESTONES = 1000, QUERIES = 100, NAME_BYTES = 128 };

struct subject {
    const char *scene;
    struct problem_files files;
    struct robot_spec robot;
    struct prm_context *context;
    struct prm_arena *arena;
    struct prm_planner *planner;
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
};

/* Begins a section. What is outside of them runs without being counted, which is much faster. */
static void section_begin(void)
{
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

/* Ends a section; its name begins with the number of things that its count is divided by. */
static void section_end(const struct subject *subject, unsigned divisor, const char *title)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%u %s %s", divisor, subject->scene, title);
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
}

static void build(struct subject *subject)
{
    const struct prm_roadmap_params params = {.seed = 1,
                                              .sample_count = MILESTONES,
                                              .neighbor_method = PRM_NEIGHBOR_AUTO,
                                              .k = 10,
                                              .target_recall = 0.95};
    bench_must(prm_roadmap_create(subject->context, &subject->roadmap, &subject->validity,
                                  subject->world, &subject->robot.spec, &params),
               "build");
}

static void refine(struct subject *subject)
{
    for (bool done = false; !done;)
        bench_must(prm_validity_refine(subject->validity, &done), "landmarks");
}

static void roadmap_close(struct subject *subject)
{
    prm_validity_destroy(subject->validity);
    prm_roadmap_destroy(subject->roadmap);
}

static struct prm_plan_results plan(const struct subject *subject,
                                    const struct prm_plan_options *options)
{
    struct prm_plan_results results;
    bench_must(prm_plan(subject->planner, &results, subject->roadmap, subject->validity,
                        subject->world, subject->files.queries, QUERIES, options),
               "plan");
    return results;
}

static void plans_count(const struct subject *subject)
{
    static const struct {
        const char *title;
        struct prm_plan_options options;
    } batches[] = {
        {"length, a query", {.objective = PRM_OBJECTIVE_LENGTH}},
        {"hops, a query", {.objective = PRM_OBJECTIVE_HOPS}},
        {"simplified, a query", {.objective = PRM_OBJECTIVE_LENGTH, .simplify = true}},
    };
    struct prm_plan_results results;
    for (unsigned i = 0; i < sizeof batches / sizeof *batches; i++) {
        results = plan(subject, &batches[i].options);
        prm_plan_results_deinit(&results);
        section_begin();
        results = plan(subject, &batches[i].options);
        section_end(subject, QUERIES, batches[i].title);
        prm_plan_results_deinit(&results);
    }

    struct text out = {0};
    results = plan(subject, &batches[0].options);
    section_begin();
    problem_answer_write(&subject->files, &results, &out);
    section_end(subject, QUERIES, "answer as JSON, a query");
    section_begin();
    problem_request_read(&subject->files);
    section_end(subject, QUERIES, "request from JSON, a query");
    prm_plan_results_deinit(&results);
    text_deinit(&out);
}

static void subject_open(struct subject *subject, const char *name)
{
    const unsigned scene = scene_find(name);
    if (scene == scene_count)
        exit(EXIT_FAILURE);
    *subject = (struct subject){.scene = name};
    struct text world = {0}, robot = {0}, request = {0};
    scene_write_world(scene, 0, &world);
    scene_write_robot(scene, &robot);
    scene_write_request(scene, 0, QUERIES, &request);
    if (!problem_files_parse(&subject->files, name, &world, &robot, &request))
        exit(EXIT_FAILURE);
    text_deinit(&world);
    text_deinit(&robot);
    text_deinit(&request);
    bench_must(robot_spec_init(&subject->robot, &subject->files.robot), "robot");
    bench_must(prm_context_open(&subject->context, NULL), "device");
    bench_must(prm_arena_create(subject->context, &subject->arena), "arena");
    bench_must(prm_planner_create(subject->context, &subject->planner), "planner");
    bench_must(prm_world_create(subject->arena, &subject->world, &subject->files.spec.spec),
               "world");
}

static void subject_close(struct subject *subject)
{
    prm_world_destroy(subject->world);
    prm_planner_destroy(subject->planner);
    prm_arena_destroy(subject->arena);
    prm_context_close(subject->context);
    robot_spec_deinit(&subject->robot);
    problem_files_deinit(&subject->files);
}

int main(int argc, char **argv)
{
    struct reference device = {0};
    for (int i = 1; i < argc; i++) {
        struct subject subject;
        subject_open(&subject, argv[i]);
        build(&subject);
        refine(&subject);
        roadmap_close(&subject);
        section_begin();
        build(&subject);
        section_end(&subject, MILESTONES, "build, a milestone");
        section_begin();
        refine(&subject);
        section_end(&subject, MILESTONES, "landmarks, a milestone");
        plans_count(&subject);
        roadmap_close(&subject);
        if (i == 1)
            reference_add_device(&device, prm_context_device(subject.context));
        subject_close(&subject);
    }
    for (unsigned i = 0; i < device.count; i++)
        puts(device.lines[i]);
    return 0;
}

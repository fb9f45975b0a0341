#include "plan_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBORS = 10, SINGLES = 200, PLAIN_THREADS = 2 };

static void roadmap_close(struct bench *bench)
{
    prm_validity_destroy(bench->validity);
    prm_roadmap_destroy(bench->roadmap);
    bench->validity = NULL;
    bench->roadmap = NULL;
}

void bench_open(struct bench *bench, const struct problem_files *files, uint32_t milestones,
                unsigned runs, bool time_kernels)
{
    struct prm_context_options options = {.device = getenv("PRMD_DEVICE"),
                                          .tuning = getenv("PRMD_TUNING"),
                                          .time_kernels = time_kernels};
    *bench = (struct bench){.files = files, .milestones = milestones, .runs = runs};
    bench_must(prm_context_open(&bench->context, &options), "device");
    bench_must(prm_arena_create(bench->context, &bench->arena), "arena");
    bench_must(prm_planner_create(bench->context, &bench->planner), "planner");
    bench_change(bench, files);
}

void bench_change(struct bench *bench, const struct problem_files *files)
{
    roadmap_close(bench);
    prm_world_destroy(bench->world);
    bench->files = files;
    bench_must(prm_world_create(bench->arena, &bench->world, &files->spec.spec), "world");
}

void bench_close(struct bench *bench)
{
    roadmap_close(bench);
    prm_world_destroy(bench->world);
    prm_planner_destroy(bench->planner);
    prm_arena_destroy(bench->arena);
    prm_context_close(bench->context);
}

double bench_build_once(struct bench *bench)
{
    struct robot_spec robot;
    struct prm_roadmap_params params = {.seed = 1,
                                        .sample_count = bench->milestones,
                                        .sample_method = PRM_SAMPLE_UNIFORM,
                                        .neighbor_method = PRM_NEIGHBOR_AUTO,
                                        .k = NEIGHBORS,
                                        .target_recall = 0.95,
                                        .edge_check = PRM_EDGE_CERTIFIED};
    struct prm_build *build = NULL;
    if (bench->bridge > 0) {
        params.sample_method = PRM_SAMPLE_MIX;
        params.sample_shares[PRM_SAMPLE_UNIFORM] = 1 - bench->bridge;
        params.sample_shares[PRM_SAMPLE_BRIDGE] = bench->bridge;
    }
    roadmap_close(bench);
    bench_must(robot_spec_init(&robot, &bench->files->robot), "robot");
    double start = bench_now_ms();
    bench_must(prm_build_create(bench->context, &build, bench->world, &robot.spec, &params),
               "build");
    for (bool done = false; !done;)
        bench_must(prm_build_step(build, &done), "build");
    bench_must(prm_build_finish(build, &bench->roadmap, &bench->validity), "build");
    bench_must(prm_context_finish(bench->context), "build");
    double ms = bench_now_ms() - start;
    prm_build_destroy(build);
    robot_spec_deinit(&robot);
    return ms;
}

double bench_build(struct bench *bench, double *stages)
{
    double whole[BENCH_RUNS_MAX], parts[PRM_STAGES_MAX][BENCH_RUNS_MAX];
    bench_build_once(bench);
    const uint32_t stage_count = bench->roadmap->statistics.stage_count;
    for (unsigned run = 0; run < bench->runs; run++) {
        whole[run] = bench_build_once(bench);
        for (uint32_t i = 0; i < stage_count; i++)
            parts[i][run] = bench->roadmap->statistics.stages[i].milliseconds;
    }
    for (uint32_t i = 0; i < stage_count; i++)
        stages[i] = bench_median(parts[i], bench->runs);
    return bench_median(whole, bench->runs);
}

double bench_refine(struct bench *bench, double *longest, unsigned *steps)
{
    const double begin = bench_now_ms();
    *longest = 0;
    *steps = 0;
    for (bool done = false; !done; (*steps)++) {
        const double start = bench_now_ms();
        bench_must(prm_validity_refine(bench->validity, &done), "landmarks");
        *longest = fmax(*longest, bench_now_ms() - start);
    }
    return bench_now_ms() - begin;
}

struct prm_query *bench_queries(const struct problem_files *files, uint32_t repeats, double shift,
                                double **ends)
{
    const uint32_t n = files->request.query_count, dof = files->dof;
    const size_t count = (size_t)n * repeats;
    struct prm_query *many = bench_memory(count * sizeof *many);
    uint64_t random = 1;
    size_t values = 0;
    for (uint32_t q = 0; q < n; q++)
        values += (1 + files->queries[q].goal_count) * (size_t)dof * repeats;
    double *row = *ends = bench_memory(values * sizeof *row);
    for (size_t i = 0; i < count; i++) {
        const struct prm_query *query = &files->queries[i % n];
        double *const start = row, *const goals = row + dof;
        memcpy(start, query->start, dof * sizeof *row);
        memcpy(goals, query->goals, query->goal_count * dof * sizeof *row);
        row = goals + query->goal_count * dof;
        for (double *value = start; value < row && i >= n; value++)
            *value += shift * (ldexp((double)(bench_random(&random) >> 11), -52) - 1);
        many[i] = *query;
        many[i].start = start;
        many[i].goals = goals;
    }
    return many;
}

struct measure bench_batch(struct bench *bench, const struct prm_query *queries, uint32_t count,
                           const struct prm_plan_options *options)
{
    struct measure measure = {.count = count};
    double ms[BENCH_RUNS_MAX], sorted[BENCH_RUNS_MAX];
    struct prm_plan_times times[BENCH_RUNS_MAX];
    for (unsigned run = 0; run <= bench->runs; run++) {
        struct prm_plan_results results;
        double start = bench_now_ms();
        bench_must(prm_plan(bench->planner, &results, bench->roadmap, bench->validity, bench->world,
                            queries, count, options),
                   "plan");
        if (run > 0) {
            ms[run - 1] = sorted[run - 1] = bench_now_ms() - start;
            times[run - 1] = results.times;
        }
        if (run == bench->runs) {
            measure.solved = results.solved;
            for (uint32_t i = 0; i < count; i++) {
                if (results.results[i].status != PRM_SOLVED)
                    continue;
                measure.mean_length += results.results[i].length / results.solved;
                measure.expanded += results.results[i].expanded;
            }
        }
        prm_plan_results_deinit(&results);
    }

    // the stages of the run that is nearest to the median
    measure.ms = bench_median(sorted, bench->runs);
    measure.queries_per_s = 1000 * count / measure.ms;
    unsigned nearest = 0;
    for (unsigned run = 1; run < bench->runs; run++)
        nearest = fabs(ms[run] - measure.ms) < fabs(ms[nearest] - measure.ms) ? run : nearest;
    measure.times = times[nearest];
    return measure;
}

double bench_singles(struct bench *bench, double *p99)
{
    double ms[SINGLES];
    const struct prm_plan_options options = {.objective = PRM_OBJECTIVE_LENGTH,
                                             .output = PRM_OUTPUT_PATH};
    // the second round counts
    for (uint32_t i = 0; i < 2 * SINGLES; i++) {
        struct prm_plan_results results;
        const uint32_t query = i % bench->files->request.query_count;
        const double start = bench_now_ms();
        bench_must(prm_plan(bench->planner, &results, bench->roadmap, bench->validity, bench->world,
                            &bench->files->queries[query], 1, &options),
                   "plan");
        ms[i % SINGLES] = bench_now_ms() - start;
        prm_plan_results_deinit(&results);
    }
    const double median = bench_median(ms, SINGLES);
    *p99 = ms[SINGLES * 99 / 100];
    return median;
}

struct json_measure bench_json(struct bench *bench)
{
    double read[BENCH_RUNS_MAX], write[BENCH_RUNS_MAX];
    const uint32_t count = bench->files->request.query_count;
    const struct prm_plan_options options = {.objective = PRM_OBJECTIVE_LENGTH,
                                             .output = PRM_OUTPUT_PATH};
    struct prm_plan_results results;
    struct json_measure measure = {0};
    bench_must(prm_plan(bench->planner, &results, bench->roadmap, bench->validity, bench->world,
                        bench->files->queries, count, &options),
               "plan");
    for (unsigned run = 0; run < bench->runs; run++) {
        struct text answer = {0};
        double start = bench_now_ms();
        problem_request_read(bench->files);
        read[run] = bench_now_ms() - start;
        start = bench_now_ms();
        problem_answer_write(bench->files, &results, &answer);
        write[run] = bench_now_ms() - start;
        measure.answer_bytes = (double)answer.length / count;
        text_deinit(&answer);
    }
    prm_plan_results_deinit(&results);
    measure.read_us = 1e3 * bench_median(read, bench->runs) / count;
    measure.write_us = 1e3 * bench_median(write, bench->runs) / count;
    return measure;
}

struct plain_paths bench_plain_paths(struct bench *bench)
{
    struct prm_graph_copy graph;
    struct plain_paths paths;
    const struct problem_files *files = bench->files;
    bench_must(prm_graph_copy_init(&graph, bench->roadmap, bench->validity), "graph");
    // the second run counts
    for (unsigned run = 0; run < 2; run++)
        paths = plain_paths_run(&graph, files->queries, files->request.query_count, NEIGHBORS,
                                PLAIN_THREADS);
    prm_graph_copy_deinit(&graph);
    return paths;
}

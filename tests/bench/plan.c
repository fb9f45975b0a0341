/* Benchmark: building a roadmap and answering batches, beside what other planners need for the
 * same.
 *
 *   bench_plan [--milestones N] [--runs N] [--only WORDS] [--kernels] [FOLDER] [PROBLEM…]
 *
 * FOLDER (has a slash; default: PRM_BENCH_DATA) holds problems (default: p1 p2 p3) as folders of
 * world.json, robot.json and request.json. --milestones: of the roadmap (default 10 000). --runs:
 * whose median is printed (default 5). --only: batches whose title has these words. --kernels adds
 * the device time of each kernel, from a context of its own, since profiling slows the queue.
 * PRM_BENCH_PEERS names built peer programs (peers.h). PRMD_DEVICE and PRMD_TUNING choose device
 * and variant.
 *
 * Kernels are warm: each measurement's first run is thrown away. Peers run after our builds and
 * batches, in the same minute.
 */
#include "roadmap/plan/plan.h"
#include "bench.h"
#include "client/table.h"
#include "device/launch.h"
#include "peers.h"
#include "problem.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 64, NEIGHBORS = 10, REPEATS = 8, SINGLES = 200, NAMES_MAX = 16 };

/* What the command line says. */
struct arguments {
    const char *folder, *names[NAMES_MAX];
    unsigned name_count, runs;
    uint32_t milestones;
    const char *only; /* NULL: all batches */
    bool kernels;
};

struct bench {
    struct prm_context *context;
    struct prm_arena *arena;
    struct prm_planner *planner;
    struct prm_world *world;
    struct prm_roadmap *roadmap;
    struct prm_validity *validity;
    const struct problem_files *files;
    uint32_t milestones;
    unsigned runs;
};

/* One batch's measurement. */
struct measure {
    double ms, queries_per_s, mean_length;
    uint32_t solved, count;
    struct prm_plan_times times; /* of the median run */
};

/* Opens a device and puts the problem's world on it. */
static void bench_open(struct bench *bench, const struct problem_files *files, unsigned runs,
                       uint32_t milestones, bool time_kernels)
{
    struct prm_context_options options = {.device = getenv("PRMD_DEVICE"),
                                          .tuning = getenv("PRMD_TUNING"),
                                          .time_kernels = time_kernels};
    *bench = (struct bench){.files = files, .milestones = milestones, .runs = runs};
    bench_must(prm_context_open(&bench->context, &options), "device");
    bench_must(prm_arena_create(bench->context, &bench->arena), "arena");
    bench_must(prm_planner_create(bench->context, &bench->planner), "planner");
    bench_must(prm_world_create(bench->arena, &bench->world, &files->spec.spec), "world");
}

static void roadmap_close(struct bench *bench)
{
    prm_validity_destroy(bench->validity);
    prm_roadmap_destroy(bench->roadmap);
    bench->validity = NULL;
    bench->roadmap = NULL;
}

static void bench_close(struct bench *bench)
{
    roadmap_close(bench);
    prm_world_destroy(bench->world);
    prm_planner_destroy(bench->planner);
    prm_arena_destroy(bench->arena);
    prm_context_close(bench->context);
}

/* Builds once from the beginning; milliseconds. */
static double build_once(struct bench *bench)
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

/* Makes the landmarks, which a service does when nothing else waits. */
static void refine(struct bench *bench)
{
    const double begin = bench_now_ms();
    double worst = 0;
    unsigned steps = 0;
    for (bool done = false; !done; steps++) {
        const double start = bench_now_ms();
        bench_must(prm_validity_refine(bench->validity, &done), "landmarks");
        worst = fmax(worst, bench_now_ms() - start);
    }
    printf("landmarks: %.2f ms in %u steps, the longest %.2f ms\n", bench_now_ms() - begin, steps,
           worst);
}

/* Builds some times; prints the stages' medians and returns the median of the whole. */
static double build_measure(struct bench *bench)
{
    double whole[RUNS_MAX], stages[PRM_STAGES_MAX][RUNS_MAX];
    build_once(bench);
    for (unsigned run = 0; run < bench->runs; run++) {
        whole[run] = build_once(bench);
        for (uint32_t i = 0; i < bench->roadmap->statistics.stage_count; i++)
            stages[i][run] = bench->roadmap->statistics.stages[i].milliseconds;
    }

    const struct prm_roadmap_statistics *statistics = &bench->roadmap->statistics;
    printf("%u milestones, %u candidate edges, %u valid, %u components, neighbours by %s, "
           "recall %.4f\n\n",
           statistics->milestones, statistics->candidate_edges, bench->validity->valid_edges,
           bench->validity->component_count, neighbor_method_text(statistics->neighbor_method),
           statistics->recall);
    struct table table;
    table_init(&table, (const char *const[]){"build stage", ">ms", NULL});
    for (uint32_t i = 0; i < statistics->stage_count; i++) {
        table_cell(&table, "%s", statistics->stages[i].name);
        table_cell(&table, "%.2f", bench_median(stages[i], bench->runs));
    }
    table_print(&table, stdout);
    table_deinit(&table);
    putchar('\n');
    return bench_median(whole, bench->runs);
}

/* Plans queries[count] some times. */
static struct measure plan_measure(struct bench *bench, const struct prm_query *queries,
                                   uint32_t count, const struct prm_plan_options *options)
{
    struct measure measure = {.count = count};
    double ms[RUNS_MAX], sorted[RUNS_MAX];
    struct prm_plan_times times[RUNS_MAX];
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
            for (uint32_t i = 0; i < count; i++)
                measure.mean_length += results.results[i].status == PRM_SOLVED
                                           ? results.results[i].length / results.solved
                                           : 0;
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

/* The batches measured: X(title, objective, output, simplify). */
#define BATCHES(X)                                                                                 \
    X("shortest, length alone", PRM_OBJECTIVE_LENGTH, PRM_OUTPUT_COST, false)                      \
    X("shortest, path", PRM_OBJECTIVE_LENGTH, PRM_OUTPUT_PATH, false)                              \
    X("shortest, path simplified", PRM_OBJECTIVE_LENGTH, PRM_OUTPUT_PATH, true)                    \
    X("fewest edges, length alone", PRM_OBJECTIVE_HOPS, PRM_OUTPUT_COST, false)

static const struct batch {
    const char *title;
    enum prm_objective objective;
    enum prm_output output;
    bool simplify;
} batches[] = {
#define X(title, objective, output, simplify) {title, objective, output, simplify},
    BATCHES(X)
#undef X
};
enum { BATCH_COUNT = sizeof batches / sizeof *batches };

/* Measures the batches asked for; prints where their time goes. */
static void batches_measure(struct bench *bench, const struct prm_query *queries, uint32_t count,
                            const char *only, struct measure *measures)
{
    struct table table;
    table_init(&table,
               (const char *const[]){"batch", ">queries", ">solved", ">ms", ">connect", ">search",
                                     ">extract", ">simplify", ">mean length", NULL});
    for (unsigned i = 0; i < BATCH_COUNT; i++) {
        measures[i] = (struct measure){0};
        if (only && !strstr(batches[i].title, only))
            continue;
        struct prm_plan_options options = {.objective = batches[i].objective,
                                           .output = batches[i].output,
                                           .simplify = batches[i].simplify};
        struct measure measure = plan_measure(bench, queries, count, &options);
        measures[i] = measure;
        table_cell(&table, "%s", batches[i].title);
        table_cell(&table, "%u", measure.count);
        table_cell(&table, "%u", measure.solved);
        table_cell(&table, "%.2f", measure.ms);
        table_cell(&table, "%.2f", measure.times.connect_ms);
        table_cell(&table, "%.2f", measure.times.search_ms);
        table_cell(&table, "%.2f", measure.times.extract_ms);
        table_cell(&table, "%.2f", measure.times.simplify_ms);
        table_cell(&table, "%.4g", measure.mean_length);
    }
    table_print(&table, stdout);
    table_deinit(&table);
    putchar('\n');
}

/* The latency of single queries, each a batch of its own: median and 99th percentile. */
static void singles_measure(struct bench *bench)
{
    double ms[SINGLES];
    struct prm_plan_options options = {.objective = PRM_OBJECTIVE_LENGTH,
                                       .output = PRM_OUTPUT_PATH};
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
    printf("one query, shortest path: median %.3f ms, p99 %.3f ms\n\n", median,
           ms[SINGLES * 99 / 100]);
}

/* Ours and the peers' in one table. */
static void comparison_print(double build_ms, const struct measure *measures,
                             const struct peers *peers)
{
    struct table table;
    table_init(&table, (const char *const[]){"who", ">build ms", ">ratio", ">queries/s", ">ratio",
                                             ">mean length", NULL});
    double first = 0; // queries a second of the first line
    for (unsigned i = 0; i < BATCH_COUNT; i++) {
        if (measures[i].count == 0)
            continue;
        first = first > 0 ? first : measures[i].queries_per_s;
        table_cell(&table, "prm: %s", batches[i].title);
        table_cell(&table, "%.1f", build_ms);
        table_cell(&table, "1.00");
        table_cell(&table, "%.0f", measures[i].queries_per_s);
        table_cell(&table, "%.2f", first / measures[i].queries_per_s);
        table_cell(&table, "%.4g", measures[i].mean_length);
    }
    for (unsigned i = 0; i < peers->rate_count; i++) {
        // only OMPL's own program builds; the others search its roadmap
        bool builds = i == 0 && peers->build_ms > 0;
        table_cell(&table, "%s", peers->rates[i].name);
        if (builds) {
            table_cell(&table, "%.1f", peers->build_ms);
            table_cell(&table, "%.2f", peers->build_ms / build_ms);
        } else {
            table_cell(&table, "-");
            table_cell(&table, "-");
        }
        table_cell(&table, "%.0f", peers->rates[i].queries_per_s);
        table_cell(&table, "%.2f", first / peers->rates[i].queries_per_s);
        table_cell(&table, "%.4g", peers->rates[i].mean_length);
    }
    table_print(&table, stdout);
    table_deinit(&table);
    puts("ratio: how many times faster the first line is\n");
}

/* Device time of each kernel, the largest first. */
static void kernels_print(struct bench *bench, const char *title)
{
    static struct prm_kernel_time times[PRM_KERNEL_COUNT];
    size_t count = prm_context_kernel_times(bench->context, times, PRM_KERNEL_COUNT);
    struct table table;
    table_init(&table, (const char *const[]){title, ">launches", ">ms", NULL});
    for (size_t shown = 0; shown < count; shown++) {
        size_t largest = shown;
        for (size_t i = shown + 1; i < count; i++)
            largest = times[i].milliseconds > times[largest].milliseconds ? i : largest;
        struct prm_kernel_time time = times[largest];
        times[largest] = times[shown];
        table_cell(&table, "%s", time.name);
        table_cell(&table, "%llu", (unsigned long long)time.launches);
        table_cell(&table, "%.3f", time.milliseconds);
    }
    table_print(&table, stdout);
    table_deinit(&table);
    putchar('\n');
}

/* One build and one batch under the profiler. */
static void profile(const struct problem_files *files, uint32_t milestones)
{
    struct bench bench;
    bench_open(&bench, files, 1, milestones, true);
    build_once(&bench);
    prm_context_kernel_times_reset(bench.context);
    build_once(&bench);
    kernels_print(&bench, "kernel, one build");
    refine(&bench);
    struct prm_plan_options options = {.simplify = true};
    plan_measure(&bench, files->queries, files->request.query_count, &options);
    prm_context_kernel_times_reset(bench.context);
    plan_measure(&bench, files->queries, files->request.query_count, &options);
    kernels_print(&bench, "kernel, two batches");
    bench_close(&bench);
}

static void problem_bench(const struct problem_files *files, const char *name,
                          const struct arguments *arguments)
{
    printf("== %s\n", name);
    struct bench bench;
    struct measure measures[BATCH_COUNT];
    bench_open(&bench, files, arguments->runs, arguments->milestones, false);
    double build_ms = build_measure(&bench);
    printf("whole build: %.2f ms\n", build_ms);
    refine(&bench);
    putchar('\n');

    // the queries as they are, then so many that filling and draining the device weighs little
    uint32_t count = files->request.query_count;
    struct prm_query *many = bench_memory(REPEATS * (size_t)count * sizeof *many);
    for (size_t i = 0; i < REPEATS * (size_t)count; i++)
        many[i] = files->queries[i % count];
    batches_measure(&bench, files->queries, count, arguments->only, measures);
    batches_measure(&bench, many, REPEATS * count, arguments->only, measures);
    free(many);
    singles_measure(&bench);

    struct peers peers = {0};
    const char *folder = getenv("PRM_BENCH_PEERS");
    if (folder && !peers_run(&peers, folder, name, arguments->milestones, arguments->runs))
        printf("%s: no prm_bench that knows %s\n", folder, name);
    comparison_print(build_ms, measures, &peers);
    bench_close(&bench);
    if (arguments->kernels)
        profile(files, arguments->milestones);
}

static bool read_arguments(struct arguments *arguments, int argc, char **argv)
{
    static const struct option rows[] = {{"milestones", required_argument, NULL, 'n'},
                                         {"runs", required_argument, NULL, 'r'},
                                         {"only", required_argument, NULL, 'o'},
                                         {"kernels", no_argument, NULL, 'k'},
                                         {NULL, 0, NULL, 0}};
    *arguments = (struct arguments){.folder = getenv("PRM_BENCH_DATA"),
                                    .names = {"p1", "p2", "p3"},
                                    .name_count = 3,
                                    .runs = 5,
                                    .milestones = 10000};
    for (int code; (code = getopt_long(argc, argv, "", rows, NULL)) != -1;) {
        if (code == 'n')
            arguments->milestones = (uint32_t)strtoul(optarg, NULL, 10);
        else if (code == 'r')
            arguments->runs = (unsigned)strtoul(optarg, NULL, 10);
        else if (code == 'o')
            arguments->only = optarg;
        else if (code == 'k')
            arguments->kernels = true;
        else
            return false;
    }
    if (optind < argc && strchr(argv[optind], '/'))
        arguments->folder = argv[optind++];
    if (optind < argc)
        arguments->name_count = 0;
    while (optind < argc && arguments->name_count < NAMES_MAX)
        arguments->names[arguments->name_count++] = argv[optind++];
    return arguments->folder && optind == argc && arguments->milestones > 0 &&
           arguments->runs >= 1 && arguments->runs <= RUNS_MAX;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!read_arguments(&arguments, argc, argv)) {
        fprintf(stderr,
                "usage: bench_plan [--milestones N] [--runs 1…%d] [--only WORDS] [--kernels] "
                "[FOLDER] [PROBLEM…]\nFOLDER has a slash; default: PRM_BENCH_DATA\n",
                RUNS_MAX);
        return 2;
    }
    if (!getenv("PRM_BENCH_PEERS"))
        puts("PRM_BENCH_PEERS is not set: no peers are measured");
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (unsigned i = 0; i < arguments.name_count; i++) {
        char path[1024];
        struct problem_files files;
        snprintf(path, sizeof path, "%s/%s", arguments.folder, arguments.names[i]);
        if (!problem_files_read(&files, path))
            return 2;
        problem_bench(&files, arguments.names[i], &arguments);
        problem_files_deinit(&files);
    }
    return 0;
}

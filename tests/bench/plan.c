/* Benchmark: building a roadmap and answering batches, beside what other planners need for the
 * same.
 *
 *   bench_plan [--milestones N] [--runs N] [--only WORDS] [--kernels] [--rows FILE]
 *              [FOLDER] [PROBLEM…]
 *
 * FOLDER (has a slash; default: PRM_BENCH_DATA) holds problems (default: p1 p2 p3) as folders of
 * world.json, robot.json and request.json. --milestones: of the roadmap (default 10 000). --runs:
 * whose median is printed (default 5). --only: batches whose title has these words (none: only
 * builds). --rows appends what was measured to a file, as lines "problem;milestones;what;figure".
 * --kernels adds the device time of each kernel, from a context of its own, since profiling slows
 * the queue. PRM_BENCH_PEERS names built peer programs (peers.h). PRMD_DEVICE and PRMD_TUNING
 * choose device and variant.
 *
 * Kernels are warm: each measurement's first run is thrown away. Peers run after our builds and
 * batches, in the same minute.
 */
#include "client/table.h"
#include "device/launch.h"
#include "peers.h"
#include "plan_bench.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 8, NAMES_MAX = 16 };
/* Repeated queries are this far apart, for ends that are the same are linked but once. */
static const double SHIFT = 1e-3;

/* What the command line says. */
struct arguments {
    const char *folder, *names[NAMES_MAX];
    unsigned name_count, runs;
    uint32_t milestones;
    const char *only; /* NULL: all batches */
    const char *rows; /* NULL: no file */
    bool kernels;
};

/* Where figures go besides. */
struct rows {
    FILE *file; /* NULL: nowhere */
    const char *problem;
    uint32_t milestones;
};

static void row_write(const struct rows *rows, const char *what, double figure)
{
    if (rows->file)
        fprintf(rows->file, "%s;%u;%s;%.6g\n", rows->problem, rows->milestones, what, figure);
}

/* Builds; prints the stages' medians and returns the median of the whole. */
static double build_report(struct bench *bench, const struct rows *rows)
{
    double stages[PRM_STAGES_MAX];
    const double whole = bench_build(bench, stages);
    const struct prm_roadmap_statistics *statistics = &bench->roadmap->statistics;
    printf("%u milestones, %u candidate edges, %u valid, %u components, neighbours by %s, "
           "recall %.4f\n\n",
           statistics->milestones, statistics->candidate_edges, bench->validity->valid_edges,
           bench->validity->component_count, neighbor_method_text(statistics->neighbor_method),
           statistics->recall);
    struct table table;
    table_init(&table, (const char *const[]){"build stage", ">ms", NULL});
    row_write(rows, "build: ms", whole);
    for (uint32_t i = 0; i < statistics->stage_count; i++) {
        char what[64];
        table_cell(&table, "%s", statistics->stages[i].name);
        table_cell(&table, "%.2f", stages[i]);
        snprintf(what, sizeof what, "build: %s ms", statistics->stages[i].name);
        row_write(rows, what, stages[i]);
    }
    const struct prm_memory_use use = prm_context_memory(bench->context);
    row_write(rows, "build: memory MiB",
              (double)(use.resident_bytes + use.scratch_bytes) / (1 << 20));
    table_print(&table, stdout);
    table_deinit(&table);
    printf("\nwhole build: %.2f ms\n", whole);
    return whole;
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
        struct measure measure = bench_batch(bench, queries, count, &options);
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

/* The landmarks are made. */
static void refine_report(struct bench *bench, const struct rows *rows)
{
    double longest;
    unsigned steps;
    const double ms = bench_refine(bench, &longest, &steps);
    printf("landmarks: %.2f ms in %u steps, the longest %.2f ms\n\n", ms, steps, longest);
    row_write(rows, "landmarks: ms", ms);
}

static void singles_report(struct bench *bench, const struct rows *rows)
{
    double p99;
    const double median = bench_singles(bench, &p99);
    const struct json_measure json = bench_json(bench);
    printf("one query, shortest path: median %.3f ms, p99 %.3f ms\n"
           "JSON, a query: %.2f us to read, %.2f us to write %.0f bytes\n\n",
           median, p99, json.read_us, json.write_us, json.answer_bytes);
    row_write(rows, "one query: ms", median);
    row_write(rows, "JSON: request read us", json.read_us);
    row_write(rows, "JSON: answer written us", json.write_us);
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
    bench_open(&bench, files, milestones, 1, true);
    double longest;
    unsigned steps;
    bench_build_once(&bench);
    prm_context_kernel_times_reset(bench.context);
    bench_build_once(&bench);
    kernels_print(&bench, "kernel, one build");
    bench_refine(&bench, &longest, &steps);
    struct prm_plan_options options = {.simplify = true};
    bench_batch(&bench, files->queries, files->request.query_count, &options);
    prm_context_kernel_times_reset(bench.context);
    bench_batch(&bench, files->queries, files->request.query_count, &options);
    kernels_print(&bench, "kernel, two batches");
    bench_close(&bench);
}

/* Batches as rows: the whole, and the stages that are of interest, a query. */
static void measures_rows(const struct rows *rows, const struct measure *measures)
{
    for (unsigned i = 0; i < BATCH_COUNT; i++) {
        const struct measure *measure = &measures[i];
        const struct {
            const char *stage;
            double ms;
        } stages[] = {{"connect", measure->times.connect_ms},
                      {"search", measure->times.search_ms},
                      {"extract", measure->times.extract_ms},
                      {"simplify", measure->times.simplify_ms}};
        char what[96];
        if (measure->count == 0)
            continue;
        snprintf(what, sizeof what, "%s: queries/s", batches[i].title);
        row_write(rows, what, measure->queries_per_s);
        for (unsigned stage = 0; stage < sizeof stages / sizeof *stages; stage++) {
            if (stages[stage].ms <= 0)
                continue;
            snprintf(what, sizeof what, "%s: %s us", batches[i].title, stages[stage].stage);
            row_write(rows, what, 1e3 * stages[stage].ms / measure->count);
        }
    }
}

/* What peers need, as rows. */
static void peers_rows(const struct rows *rows, const struct peers *peers)
{
    char what[96];
    if (peers->build_ms > 0)
        row_write(rows, "peer OMPL: build ms", peers->build_ms);
    for (unsigned i = 0; i < peers->rate_count; i++) {
        snprintf(what, sizeof what, "peer %s: queries/s", peers->rates[i].name);
        row_write(rows, what, peers->rates[i].queries_per_s);
    }
}

static void problem_bench(const struct problem_files *files, const char *name,
                          const struct arguments *arguments, FILE *rows_file)
{
    const struct rows rows = {rows_file, name, arguments->milestones};
    printf("== %s\n", name);
    struct bench bench;
    struct measure measures[BATCH_COUNT];
    bench_open(&bench, files, arguments->milestones, arguments->runs, false);
    const double build_ms = build_report(&bench, &rows);
    if (arguments->only && strcmp(arguments->only, "none") == 0) {
        bench_close(&bench);
        return;
    }
    refine_report(&bench, &rows);

    // the queries as they are, then so many that filling and draining the device weighs little
    uint32_t count = files->request.query_count;
    double *ends;
    struct prm_query *many = bench_queries(files, REPEATS, SHIFT, &ends);
    batches_measure(&bench, files->queries, count, arguments->only, measures);
    batches_measure(&bench, many, REPEATS * count, arguments->only, measures);
    measures_rows(&rows, measures);
    free(many);
    free(ends);
    singles_report(&bench, &rows);

    // a search by hand on our own graph, then whole planners by themselves
    struct peers peers = {0};
    const struct plain_paths plain = bench_plain_paths(&bench);
    printf("plain C A*, 2 threads, same graph, links unchecked: %.0f queries/s, search %.1f us, "
           "%u solved, mean length %.4g\n\n",
           plain.queries_per_s, plain.search_us, plain.solved, plain.mean_length);
    row_write(&rows, "peer plain C A* on our graph: queries/s", plain.queries_per_s);
    const char *folder = getenv("PRM_BENCH_PEERS");
    if (folder && *folder &&
        !peers_run(&peers, folder, name, arguments->milestones, arguments->runs))
        printf("%s: no prm_bench that knows %s\n", folder, name);
    peers_rows(&rows, &peers);
    comparison_print(build_ms, measures, &peers);
    bench_close(&bench);
    if (arguments->kernels)
        profile(files, arguments->milestones);
}

static bool read_arguments(struct arguments *arguments, int argc, char **argv)
{
    static const struct option rows[] = {
        {"milestones", required_argument, NULL, 'n'}, {"runs", required_argument, NULL, 'r'},
        {"only", required_argument, NULL, 'o'},       {"kernels", no_argument, NULL, 'k'},
        {"rows", required_argument, NULL, 'w'},       {NULL, 0, NULL, 0}};
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
        else if (code == 'w')
            arguments->rows = optarg;
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
           arguments->runs >= 1 && arguments->runs <= BENCH_RUNS_MAX;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!read_arguments(&arguments, argc, argv)) {
        fprintf(stderr,
                "usage: bench_plan [--milestones N] [--runs 1…%d] [--only WORDS] [--kernels] "
                "[--rows FILE] [FOLDER] [PROBLEM…]\nFOLDER has a slash; default: PRM_BENCH_DATA\n",
                BENCH_RUNS_MAX);
        return 2;
    }
    if (!getenv("PRM_BENCH_PEERS"))
        puts("PRM_BENCH_PEERS is not set: no other planners are measured");
    setvbuf(stdout, NULL, _IOLBF, 0);
    FILE *rows = arguments.rows ? fopen(arguments.rows, "a") : NULL;
    if (arguments.rows && !rows) {
        perror(arguments.rows);
        return 2;
    }
    for (unsigned i = 0; i < arguments.name_count; i++) {
        char path[1024];
        struct problem_files files;
        snprintf(path, sizeof path, "%s/%s", arguments.folder, arguments.names[i]);
        if (!problem_files_read(&files, path))
            return 2;
        problem_bench(&files, arguments.names[i], &arguments, rows);
        problem_files_deinit(&files);
    }
    if (rows && fclose(rows) != 0)
        return 1;
    return 0;
}

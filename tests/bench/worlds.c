/* Benchmark: many worlds with few queries each, as sets of motion planning problems have them: a
 * roadmap is built in every one, then its queries are answered, with trees for those that the
 * roadmap alone cannot answer.
 *
 *   bench_worlds [--milestones N] [--bridge SHARE] [--repeats N] [--shift X] [--connect K]
 *                [--expand N] [--rows FILE] [--list] FOLDER
 *
 * FOLDER holds problems as folders of world.json, robot.json and request.json. --milestones: of
 * each roadmap (default 10 000), of them the part --bridge by the bridge test (default 0.3).
 * --repeats: each query so often in one batch (default 100); --shift moves the ends of the repeats
 * by up to so much a coordinate, so that no two are alike (default 0). --connect: neighbours tried
 * (default 16). --expand: samples a query at most (default 1 000). --list prints a line a world.
 * --rows appends lines "worlds;milestones;what;figure" to a file.
 */
#include "client/table.h"
#include "plan_bench.h"

#include <dirent.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS_MAX = 1024, RUNS = 1, PATH_BYTES = 1024 };

struct arguments {
    const char *folder, *rows;
    uint32_t milestones, repeats, connect, expand;
    double bridge, shift;
    bool list;
};

/* What all worlds add up to, in one way of asking. */
struct total {
    double ms, length;
    struct prm_plan_times times;
    uint32_t count, solved, expanded;
};

enum { RAW, SIMPLIFIED, WAYS };
static const char *const way_names[WAYS] = {"paths as found", "paths simplified"};

static void total_add(struct total *total, const struct measure *measure)
{
    total->ms += measure->ms;
    total->count += measure->count;
    total->solved += measure->solved;
    total->expanded += measure->expanded;
    total->length += measure->mean_length * measure->solved;
    total->times.connect_ms += measure->times.connect_ms;
    total->times.expand_ms += measure->times.expand_ms;
    total->times.search_ms += measure->times.search_ms;
    total->times.extract_ms += measure->times.extract_ms;
    total->times.simplify_ms += measure->times.simplify_ms;
}

static const char *const columns[] = {"",           ">build ms",    ">queries",     ">solved",
                                      ">by trees",  ">queries/s",   ">connect us",  ">expand us",
                                      ">search us", ">simplify us", ">mean length", NULL};

static void total_row(struct table *table, const char *name, double build_ms,
                      const struct total *total)
{
    const double each[] = {total->times.connect_ms, total->times.expand_ms, total->times.search_ms,
                           total->times.simplify_ms};
    table_cell(table, "%s", name);
    table_cell(table, "%.1f", build_ms);
    table_cell(table, "%u", total->count);
    table_cell(table, "%u", total->solved);
    table_cell(table, "%u", total->expanded);
    table_cell(table, "%.0f", 1e3 * total->count / total->ms);
    for (unsigned i = 0; i < sizeof each / sizeof *each; i++)
        table_cell(table, "%.2f", 1e3 * each[i] / total->count);
    table_cell(table, "%.4f", total->length / fmax(total->solved, 1));
}

/* Builds in one world and asks in both ways; returns the build's milliseconds. bench: all of zero
 * before the first. */
static double world_bench(struct bench *bench, const struct problem_files *files,
                          const struct arguments *arguments, struct measure *measures)
{
    double longest, *ends;
    unsigned steps;
    // what kernels the first needs is compiled before it counts
    if (!bench->context) {
        bench_open(bench, files, arguments->milestones, RUNS, false);
        bench->bridge = arguments->bridge;
        bench_build_once(bench);
    } else {
        bench_change(bench, files);
    }
    const double build_ms = bench_build_once(bench);
    bench_refine(bench, &longest, &steps);
    struct prm_query *many = bench_queries(files, arguments->repeats, arguments->shift, &ends);
    for (unsigned way = 0; way < WAYS; way++) {
        const struct prm_plan_options options = {.objective = PRM_OBJECTIVE_LENGTH,
                                                 .output = PRM_OUTPUT_PATH,
                                                 .simplify = way == SIMPLIFIED,
                                                 .connect_k = arguments->connect,
                                                 .expand_samples = arguments->expand};
        measures[way] =
            bench_batch(bench, many, files->request.query_count * arguments->repeats, &options);
    }
    free(many);
    free(ends);
    return build_ms;
}

static int is_problem(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void rows_write(const struct arguments *arguments, unsigned worlds, double build_ms,
                       const struct total *totals)
{
    FILE *file = fopen(arguments->rows, "a");
    if (!file) {
        perror(arguments->rows);
        exit(EXIT_FAILURE);
    }
    fprintf(file, "worlds;%u;%u worlds, build: ms;%.6g\n", arguments->milestones, worlds, build_ms);
    for (unsigned way = 0; way < WAYS; way++)
        fprintf(file, "worlds;%u;%u worlds, %s: queries/s;%.6g\n", arguments->milestones, worlds,
                way_names[way], 1e3 * totals[way].count / totals[way].ms);
    if (fclose(file) != 0)
        exit(EXIT_FAILURE);
}

/* Every world in turn; prints what they add up to. */
static bool worlds_bench(const struct arguments *arguments)
{
    struct dirent **entries;
    struct total totals[WAYS] = {0};
    struct bench bench = {0};
    double builds[WORLDS_MAX];
    unsigned worlds = 0;
    struct table table;
    const int count = scandir(arguments->folder, &entries, is_problem, alphasort);
    if (count < 1 || count > WORLDS_MAX) {
        fprintf(stderr, "%s: %d problems, not 1 to %d\n", arguments->folder, count, WORLDS_MAX);
        return false;
    }
    table_init(&table, columns);
    for (int i = 0; i < count; i++) {
        char path[PATH_BYTES];
        struct problem_files files;
        struct measure measures[WAYS];
        snprintf(path, sizeof path, "%s/%s", arguments->folder, entries[i]->d_name);
        if (!problem_files_read(&files, path))
            return false;
        builds[worlds++] = world_bench(&bench, &files, arguments, measures);
        for (unsigned way = 0; way < WAYS; way++)
            total_add(&totals[way], &measures[way]);
        if (arguments->list) {
            struct total one = {0};
            total_add(&one, &measures[SIMPLIFIED]);
            total_row(&table, entries[i]->d_name, builds[worlds - 1], &one);
        }
        problem_files_deinit(&files);
        free(entries[i]);
    }
    free(entries);
    bench_close(&bench);
    const double build_ms = bench_median(builds, worlds);
    for (unsigned way = 0; way < WAYS; way++)
        total_row(&table, way_names[way], build_ms, &totals[way]);
    table_print(&table, stdout);
    table_deinit(&table);
    printf("\n%u worlds of %u milestones; builds: median %.1f ms, longest %.1f ms\n", worlds,
           arguments->milestones, build_ms, builds[worlds - 1]);
    if (arguments->rows)
        rows_write(arguments, worlds, build_ms, totals);
    return true;
}

static bool read_arguments(struct arguments *arguments, int argc, char **argv)
{
    static const struct option options[] = {{"milestones", required_argument, NULL, 'n'},
                                            {"bridge", required_argument, NULL, 'b'},
                                            {"repeats", required_argument, NULL, 'r'},
                                            {"shift", required_argument, NULL, 's'},
                                            {"connect", required_argument, NULL, 'c'},
                                            {"expand", required_argument, NULL, 'e'},
                                            {"rows", required_argument, NULL, 'w'},
                                            {"list", no_argument, NULL, 'l'},
                                            {NULL, 0, NULL, 0}};
    *arguments = (struct arguments){
        .milestones = 10000, .bridge = 0.3, .repeats = 100, .connect = 16, .expand = 1000};
    for (int code; (code = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        const uint32_t whole = optarg ? (uint32_t)strtoul(optarg, NULL, 10) : 0;
        const double real = optarg ? strtod(optarg, NULL) : 0;
        switch (code) {
        case 'n':
            arguments->milestones = whole;
            break;
        case 'b':
            arguments->bridge = real;
            break;
        case 'r':
            arguments->repeats = whole;
            break;
        case 's':
            arguments->shift = real;
            break;
        case 'c':
            arguments->connect = whole;
            break;
        case 'e':
            arguments->expand = whole;
            break;
        case 'w':
            arguments->rows = optarg;
            break;
        case 'l':
            arguments->list = true;
            break;
        default:
            return false;
        }
    }
    if (optind + 1 != argc)
        return false;
    arguments->folder = argv[optind];
    return arguments->milestones > 0 && arguments->repeats > 0 && arguments->bridge >= 0 &&
           arguments->bridge <= 1 && arguments->shift >= 0;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!read_arguments(&arguments, argc, argv)) {
        fputs("usage: bench_worlds [--milestones N] [--bridge SHARE] [--repeats N] [--shift X]\n"
              "                    [--connect K] [--expand N] [--rows FILE] [--list] FOLDER\n",
              stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    return worlds_bench(&arguments) ? 0 : 1;
}

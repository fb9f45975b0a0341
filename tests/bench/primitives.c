/* Benchmark: each primitive beside what a programmer would use instead, the copy of memory, and its
 * own time at other sizes.
 *
 *   bench_primitives [--csv] [--least] [FAMILY…]        lists sorts tables neighbors graphs
 *
 * PRM_BENCH_RUNS: runs whose median, or least, is printed (default 5). PRMD_DEVICE and PRMD_TUNING
 * choose device and variant. Columns: milliseconds at each size; growth, the time an element at the
 * largest size by that at the one before (1: linear); million elements a second; bytes that the
 * kernels move for an element, and the share of the bandwidth of a copy that they reach; the time
 * of a copy of as many u32 by ours; a peer's time by ours. Then the kernels of each operation at
 * the largest size, from a context of its own, since timing slows the queue.
 */
#include "bench.h"
#include "families.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 64, RUNS = 5 };

static const struct family {
    const char *name, *title;
    bool streams; /* measured by the bandwidth of a copy */
    void (*measure)(struct contest *contest);
    size_t sizes[CONTEST_SIZES_MAX];
} families[] = {
    {"lists",
     "scan, compaction, histogram, ranking, random",
     true,
     family_lists,
     {10000, 1000000, 10000000}},
    {"sorts", "sorting", true, family_sorts, {10000, 1000000, 10000000}},
    {"tables", "hash table", true, family_tables, {10000, 1000000, 5000000}},
    {"neighbors",
     "nearest neighbours of all points",
     false,
     family_neighbors,
     {10000, 50000, 200000}},
    {"graphs", "graph search from sources, a torus", false, family_graphs, {10000, 99856, 1000000}},
};

/* A device of its own for one pass. */
static void pass(struct contest *contest, const struct family *family, bool profiling)
{
    const struct prm_context_options options = {.device = getenv("PRMD_DEVICE"),
                                                .tuning = getenv("PRMD_TUNING"),
                                                .time_kernels = profiling};
    bench_must(prm_context_open(&contest->context, &options), "device");
    bench_must(prm_arena_create(contest->context, &contest->arena), "arena");
    contest->profiling = profiling;
    for (contest->size = profiling ? contest->size_count - 1 : 0;
         contest->size < contest->size_count; contest->size++) {
        if (family->streams && !profiling)
            family_copy(contest);
        family->measure(contest);
    }
    prm_arena_destroy(contest->arena);
    prm_context_close(contest->context);
}

/* The fastest copy of as many u32, milliseconds. */
static void yardstick(const struct contest *contest, double copy_ms[CONTEST_SIZES_MAX])
{
    for (unsigned size = 0; size < contest->size_count; size++) {
        copy_ms[size] = 0;
        for (unsigned i = 0; i < contest->row_count; i++) {
            const struct contest_row *row = &contest->rows[i];
            const bool better = copy_ms[size] <= 0 || row->ms[size] < copy_ms[size];
            if (strcmp(row->operation, BENCH_COPY) == 0 && row->ms[size] > 0 && better)
                copy_ms[size] = row->ms[size];
        }
    }
}

static bool wanted(const struct family *family, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], family->name) == 0)
            return true;
    return count == 0;
}

/* What the command line asks for. */
struct request {
    unsigned runs;
    bool csv, least;
    char **names;
    int name_count;
};

/* false: it is wrong, and the usage was printed. */
static bool request_read(struct request *request, int argc, char **argv)
{
    const char *runs = getenv("PRM_BENCH_RUNS");
    int at = 1;
    *request = (struct request){.runs = runs ? (unsigned)strtoul(runs, NULL, 10) : RUNS};
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        request->csv = request->csv || strcmp(argv[at], "--csv") == 0;
        request->least = request->least || strcmp(argv[at], "--least") == 0;
    }
    request->names = argv + at;
    request->name_count = argc - at;

    // as many options and names as are known
    int known = request->csv + request->least;
    for (unsigned f = 0; request->name_count > 0 && f < COUNT_OF(families); f++)
        known += wanted(&families[f], request->names, request->name_count);
    if (known == argc - 1 && request->runs >= 1 && request->runs < RUNS_MAX)
        return true;
    fprintf(stderr, "usage: bench_primitives [--csv] [--least] [FAMILY…], of");
    for (unsigned f = 0; f < COUNT_OF(families); f++)
        fprintf(stderr, " %s", families[f].name);
    fprintf(stderr, "; PRM_BENCH_RUNS 1 to %d\n", RUNS_MAX - 1);
    return false;
}

int main(int argc, char **argv)
{
    struct request request;
    if (!request_read(&request, argc, argv))
        return 2;

    // PoCL's threads stay on their cores, as the peers' do
    setenv("POCL_AFFINITY", "1", 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (request.csv)
        puts("operation,by,n,ms,bytes,note");
    for (unsigned f = 0; f < COUNT_OF(families); f++) {
        static struct contest contest;
        double copy_ms[CONTEST_SIZES_MAX];
        if (!wanted(&families[f], request.names, request.name_count))
            continue;
        contest = (struct contest){.runs = request.runs,
                                   .least = request.least,
                                   .sizes = families[f].sizes,
                                   .size_count = CONTEST_SIZES_MAX};
        pass(&contest, &families[f], false);
        pass(&contest, &families[f], true);
        yardstick(&contest, copy_ms);
        contest.copy_ms = families[f].streams ? copy_ms : NULL;
        if (request.csv)
            contest_print_csv(&contest);
        else
            contest_print(&contest, families[f].title);
    }
    return 0;
}

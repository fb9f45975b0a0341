/* Benchmark: the figures that the algorithms' sources report, as tables.
 *
 *   bench_thesis FOLDER
 *
 * Writes scan.csv, sort.csv, cuckoo.csv, neighbors_{m,l,w}.csv, knn_6.csv and knn_12.csv;
 * tests/bench/thesis.gp draws them. Times are milliseconds, medians of PRM_BENCH_RUNS runs (default
 * 3), one where a run takes long. PRMD_DEVICE and PRMD_TUNING choose device and variant. What
 * trends they must show is tested by counts, in tests/engine/test_trends.c.
 */
#include "thesis.h"
#include "bench.h"
#include "plain.h"
#include "primitives/cuckoo.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"
#include "standard.h"

#include <errno.h>
#include <string.h>

enum { RUNS_MAX = 64, RUNS = 3 };
/* A run that takes longer is the only one. */
#define LONG_MS 1000.0

double thesis_ms(const struct thesis *thesis, void (*prepare)(void *), void (*run)(void *),
                 void *work)
{
    double ms[RUNS_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i <= thesis->runs; i++) {
        if (prepare)
            prepare(work);
        const double start = bench_now_ms();
        run(work);
        const double taken = bench_now_ms() - start;
        // the first run compiles
        if (i > 0)
            ms[count++] = taken;
        if (count > 0 && taken > LONG_MS)
            break;
    }
    return bench_median(ms, count);
}

FILE *thesis_csv(const struct thesis *thesis, const char *name, const char *titles)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", thesis->folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(EXIT_FAILURE);
    }
    printf("%s\n", path);
    fprintf(file, "%s\n", titles);
    return file;
}

/* ---- scan and sort against n ---- */

struct list {
    struct prm_context *context;
    struct prm_arena *arena;
    size_t count;
    enum prm_scan_method method;
    uint32_t *source, *keys, *spare;
    struct prm_buffer d_source, d_keys;
};

static void scan(void *work)
{
    struct list *list = work;
    bench_finish(
        list->context,
        prm_scan_exclusive(list->arena, list->d_keys, list->d_source, list->count, list->method),
        "scan");
}

static void scan_standard(void *work)
{
    struct list *list = work;
    standard.exclusive_scan(list->keys, list->source, list->count);
}

static void sort_prepare(void *work)
{
    struct list *list = work;
    const size_t bytes = list->count * sizeof(uint32_t);
    bench_finish(list->context,
                 prm_buffer_copy(list->context, list->d_keys, 0, list->d_source, 0, bytes), "sort");
    memcpy(list->keys, list->source, bytes);
}

static void sort(void *work)
{
    struct list *list = work;
    bench_finish(list->context,
                 prm_radix_sort(list->arena, list->d_keys, PRM_NO_BUFFER, PRM_NO_BUFFER,
                                PRM_NO_BUFFER, list->count, NULL),
                 "sort");
}

static void sort_plain(void *work)
{
    struct list *list = work;
    plain_sort_keys(list->keys, list->spare, list->count, 1);
}

static void sort_standard(void *work)
{
    struct list *list = work;
    standard.sort_keys(list->keys, list->count);
}

static void list_open(struct list *list, const struct thesis *thesis, size_t count)
{
    uint64_t state = 7;
    *list = (struct list){.context = thesis->context, .arena = thesis->arena, .count = count};
    list->source = bench_memory(count * sizeof(uint32_t));
    list->keys = bench_memory(count * sizeof(uint32_t));
    list->spare = bench_memory(count * sizeof(uint32_t));
    for (size_t i = 0; i < count; i++)
        list->source[i] = (uint32_t)(bench_random(&state) >> 32);
    list->d_source = bench_buffer(list->context, list->source, count);
    list->d_keys = bench_buffer(list->context, NULL, count + 1);
}

static void list_close(struct list *list)
{
    prm_buffer_destroy(list->context, &list->d_source);
    prm_buffer_destroy(list->context, &list->d_keys);
    free(list->source);
    free(list->keys);
    free(list->spare);
}

static void scan_figure(const struct thesis *thesis)
{
    enum { FIRST = 1 << 15, LAST = 1 << 24 };
    const struct prm_context_options options = {.device = getenv("PRMD_DEVICE"),
                                                .tuning = "shape=gpu,wg=64"};
    // Blelloch and Hillis & Steele differ within groups alone, which a CPU's own shape has not
    struct thesis groups = *thesis;
    bench_must(prm_context_open(&groups.context, &options), "device");
    bench_must(prm_arena_create(groups.context, &groups.arena), "arena");
    FILE *file = thesis_csv(thesis, "scan.csv", "n,prm,blelloch_groups,hillis_steele_groups,std");
    for (size_t n = FIRST; n <= LAST; n *= 2) {
        struct list list;
        list_open(&list, thesis, n);
        fprintf(file, "%zu,%.4f", n, thesis_ms(thesis, NULL, scan, &list));
        const double peer =
            standard.exclusive_scan ? thesis_ms(thesis, NULL, scan_standard, &list) : NAN;
        list_close(&list);
        list_open(&list, &groups, n);
        list.method = PRM_SCAN_BLELLOCH;
        fprintf(file, ",%.4f", thesis_ms(thesis, NULL, scan, &list));
        list.method = PRM_SCAN_HILLIS_STEELE;
        fprintf(file, ",%.4f,%.4f\n", thesis_ms(thesis, NULL, scan, &list), peer);
        list_close(&list);
    }
    fclose(file);
    prm_arena_destroy(groups.arena);
    prm_context_close(groups.context);
}

static void sort_figure(const struct thesis *thesis)
{
    enum { FIRST = 1 << 13, LAST = 1 << 23 };
    FILE *file = thesis_csv(thesis, "sort.csv", "n,prm,plain_radix,std_sort");
    for (size_t n = FIRST; n <= LAST; n *= 2) {
        struct list list;
        list_open(&list, thesis, n);
        fprintf(file, "%zu,%.4f", n, thesis_ms(thesis, sort_prepare, sort, &list));
        fprintf(file, ",%.4f", thesis_ms(thesis, sort_prepare, sort_plain, &list));
        fprintf(file, ",%.4f\n",
                standard.sort_keys ? thesis_ms(thesis, sort_prepare, sort_standard, &list) : NAN);
        list_close(&list);
    }
    fclose(file);
}

/* ---- cuckoo attempts against gamma ---- */

/* The mean of some tables of random keys; NaN where one could not be built. */
static double attempts_mean(const struct thesis *thesis, float load, float gamma)
{
    enum { KEYS = 100000, TABLES = 8, ATTEMPTS_MAX = 500 };
    uint32_t *keys = bench_memory(KEYS * sizeof *keys);
    double sum = 0;
    for (unsigned t = 0; t < TABLES; t++) {
        struct prm_cuckoo *table = NULL;
        const struct prm_cuckoo_options options = {
            .bucket_load = load, .gamma = gamma, .seed = t, .attempts_max = ATTEMPTS_MAX};
        for (uint32_t i = 0; i < KEYS; i++)
            keys[i] = bench_scrambled(t * KEYS + i);
        struct prm_buffer d_keys = bench_buffer(thesis->context, keys, KEYS);
        const enum prm_status status =
            prm_cuckoo_create(thesis->arena, &table, d_keys, d_keys, KEYS, &options);
        if (status != PRM_LIMIT_EXCEEDED)
            bench_must(status, "cuckoo");
        sum += status == PRM_OK ? (double)prm_cuckoo_statistics(table).attempts : (double)NAN;
        prm_cuckoo_destroy(table);
        prm_buffer_destroy(thesis->context, &d_keys);
    }
    free(keys);
    return sum / TABLES;
}

static void cuckoo_figure(const struct thesis *thesis)
{
    static const float gammas[] = {0.005f, 0.01f, 0.015f, 0.02f, 0.03f, 0.04f, 0.06f,
                                   0.1f,   0.2f,  0.3f,   0.5f,  0.7f,  0.9f};
    FILE *file = thesis_csv(thesis, "cuckoo.csv", "gamma,load_0.6,load_0.7,load_0.8");
    for (size_t i = 0; i < sizeof gammas / sizeof *gammas; i++)
        fprintf(file, "%.3f,%.3f,%.3f,%.3f\n", (double)gammas[i],
                attempts_mean(thesis, 0.6f, gammas[i]), attempts_mean(thesis, 0.7f, gammas[i]),
                attempts_mean(thesis, 0.8f, gammas[i]));
    fclose(file);
}

int main(int argc, char **argv)
{
    const char *runs_text = getenv("PRM_BENCH_RUNS");
    struct thesis thesis = {.folder = argc == 2 ? argv[1] : NULL,
                            .runs = runs_text ? (unsigned)strtoul(runs_text, NULL, 10) : RUNS};
    const struct prm_context_options options = {.device = getenv("PRMD_DEVICE"),
                                                .tuning = getenv("PRMD_TUNING")};
    if (!thesis.folder || thesis.runs < 1 || thesis.runs > RUNS_MAX) {
        fprintf(stderr, "usage: bench_thesis FOLDER; PRM_BENCH_RUNS 1 to %d\n", RUNS_MAX);
        return 2;
    }
    bench_must(prm_context_open(&thesis.context, &options), "device");
    bench_must(prm_arena_create(thesis.context, &thesis.arena), "arena");
    scan_figure(&thesis);
    sort_figure(&thesis);
    cuckoo_figure(&thesis);
    thesis_neighbors(&thesis);
    prm_arena_destroy(thesis.arena);
    prm_context_close(thesis.context);
    return 0;
}

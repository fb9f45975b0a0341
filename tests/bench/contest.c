#include "contest.h"
#include "bench.h"
#include "client/table.h"
#include "device/launch.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 64, CONTENDERS_MAX = 8 };
/* A contender that has taken so long at one size is not run again. */
#define PATIENCE_MS 2500.0
/* Kernels below this share of their operation are left out. */
#define SHARE_MIN 0.01
/* A copy reads and writes a word. */
#define COPY_BYTES 8.0

/* The number of a contender's row; row_count: none. */
static unsigned row_find(const struct contest *contest, const char *operation, const char *by)
{
    unsigned i = 0;
    for (; i < contest->row_count; i++) {
        const struct contest_row *row = &contest->rows[i];
        if (strcmp(row->operation, operation) == 0 && strcmp(row->by, by) == 0)
            break;
    }
    return i;
}

static struct contest_row *row_of(struct contest *contest, const char *operation, const char *by)
{
    const unsigned found = row_find(contest, operation, by);
    if (found == CONTEST_ROWS_MAX) {
        fputs("too many rows\n", stderr);
        exit(EXIT_FAILURE);
    }
    struct contest_row *row = &contest->rows[found];
    if (found < contest->row_count)
        return row;
    contest->row_count++;
    *row = (struct contest_row){.operation = operation, .by = by};
    return row;
}

/* One run, milliseconds. */
static double run_once(const struct contender *contender, void *work)
{
    if (contender->prepare)
        contender->prepare(work);
    const double start = bench_now_ms();
    contender->run(work);
    return bench_now_ms() - start;
}

/* Where our time goes, and what moves meanwhile. */
static void profile(struct contest *contest, const char *operation,
                    const struct contender *contender, void *work)
{
    struct prm_kernel_time times[PRM_KERNEL_COUNT];
    struct contest_row *row = row_of(contest, operation, contender->by);
    double whole = 0;
    run_once(contender, work);
    if (contender->prepare)
        contender->prepare(work);
    bench_must(prm_context_finish(contest->context), operation);
    prm_context_kernel_times_reset(contest->context);
    contender->run(work);
    const size_t count = prm_context_kernel_times(contest->context, times, PRM_KERNEL_COUNT);
    for (size_t i = 0; i < count; i++)
        whole += times[i].milliseconds;

    row->bytes = 0;
    for (size_t i = 0; i < count && contest->kernel_count < CONTEST_KERNELS_MAX; i++) {
        const struct traffic *traffic = contender->traffic;
        while (traffic->kernel && strcmp(traffic->kernel, times[i].name) != 0)
            traffic++;
        row->bytes += traffic->bytes * (double)times[i].launches;
        if (times[i].launches == 0 || times[i].milliseconds < SHARE_MIN * whole)
            continue;
        struct contest_kernel *kernel = &contest->kernels[contest->kernel_count++];
        *kernel = (struct contest_kernel){.operation = operation,
                                          .launches = times[i].launches,
                                          .ms = times[i].milliseconds,
                                          .bytes = traffic->bytes};
        snprintf(kernel->name, sizeof kernel->name, "%s", times[i].name);
    }
}

static bool takes_part(const struct contender *contender, size_t count)
{
    return contender->run && (contender->count_max == 0 || count <= contender->count_max);
}

void contest_measure(struct contest *contest, const char *operation,
                     const struct contender *contenders, unsigned count, void *work)
{
    double ms[CONTENDERS_MAX][RUNS_MAX], used[CONTENDERS_MAX] = {0};
    unsigned runs[CONTENDERS_MAX] = {0};
    const size_t n = contest->sizes[contest->size];

    for (unsigned i = 0; contest->profiling && i < count; i++)
        if (contenders[i].traffic && takes_part(&contenders[i], n))
            profile(contest, operation, &contenders[i], work);
    if (contest->profiling)
        return;

    // the first round is thrown away, but for who will have no other
    for (unsigned round = 0; round <= contest->runs; round++)
        for (unsigned i = 0; i < count; i++) {
            if (!takes_part(&contenders[i], n) || used[i] > PATIENCE_MS)
                continue;
            const double taken = run_once(&contenders[i], work);
            // compiling is no measure of ours
            if (round > 0 || !contenders[i].traffic)
                used[i] += taken;
            if (round > 0 || used[i] > PATIENCE_MS)
                ms[i][runs[i]++] = taken;
        }
    for (unsigned i = 0; i < count; i++) {
        if (runs[i] == 0)
            continue;
        // sorts them
        const double median = bench_median(ms[i], runs[i]);
        row_of(contest, operation, contenders[i].by)->ms[contest->size] =
            contest->least ? ms[i][0] : median;
    }
}

void contest_note(struct contest *contest, const char *operation, const char *by,
                  const char *format, ...)
{
    const unsigned found = row_find(contest, operation, by);
    struct contest_row *row = &contest->rows[found];
    va_list arguments;
    if (found == contest->row_count || contest->profiling)
        return;
    va_start(arguments, format);
    vsnprintf(row->note, sizeof row->note, format, arguments);
    va_end(arguments);
}

/* A number, or a dash where there is none. */
static void cell(struct table *table, double value, int digits)
{
    if (value > 0 && isfinite(value))
        table_cell(table, "%.*f", digits, value);
    else
        table_cell(table, "-");
}

/* 10000 as 10 k. */
static void size_write(char *text, size_t bytes, size_t count)
{
    if (count >= 1000000)
        snprintf(text, bytes, ">%.3g M ms", (double)count / 1e6);
    else
        snprintf(text, bytes, ">%.3g k ms", (double)count / 1e3);
}

/* The share of a copy's bytes a second that so many bytes in so many milliseconds are. */
static double of_bandwidth(const struct contest *contest, double bytes, double ms)
{
    const unsigned last = contest->size_count - 1;
    const double copied = COPY_BYTES * (double)contest->sizes[last];
    return contest->copy_ms ? (bytes / ms) / (copied / contest->copy_ms[last]) : 0;
}

/* What our measurement of an operation comes to at the largest size that both have. */
static double to_ours(const struct contest *contest, const struct contest_row *row)
{
    const struct contest_row *ours = row;
    for (unsigned i = contest->row_count; i-- > 0;)
        if (strcmp(contest->rows[i].operation, row->operation) == 0)
            ours = &contest->rows[i];
    for (unsigned size = contest->size_count; size-- > 0;)
        if (row->ms[size] > 0 && ours->ms[size] > 0)
            return row->ms[size] / ours->ms[size];
    return 0;
}

static void row_print(const struct contest *contest, struct table *table,
                      const struct contest_row *row)
{
    const unsigned last = contest->size_count - 1;
    const double n = (double)contest->sizes[last], ms = row->ms[last];
    table_cell(table, "%s", row->operation);
    table_cell(table, "%s", row->by);
    for (unsigned size = 0; size <= last; size++)
        cell(table, row->ms[size], 3);
    if (last > 0)
        cell(table, row->ms[last] / n / (row->ms[last - 1] / (double)contest->sizes[last - 1]), 2);
    cell(table, n / ms / 1e3, 1);
    if (contest->copy_ms) {
        cell(table, row->bytes, 1);
        cell(table, of_bandwidth(contest, row->bytes * n, ms), 2);
        cell(table, contest->copy_ms[last] / ms, 2);
    }
    cell(table, to_ours(contest, row), 2);
    table_cell(table, "%s", row->note);
}

static void rows_print(const struct contest *contest)
{
    char sizes[CONTEST_SIZES_MAX][32];
    const char *titles[TABLE_COLUMNS_MAX + 1] = {"operation", "by"};
    unsigned columns = 2;
    for (unsigned size = 0; size < contest->size_count; size++) {
        size_write(sizes[size], sizeof sizes[size], contest->sizes[size]);
        titles[columns++] = sizes[size];
    }
    if (contest->size_count > 1)
        titles[columns++] = ">growth";
    titles[columns++] = ">M/s";
    if (contest->copy_ms) {
        titles[columns++] = ">bytes";
        titles[columns++] = ">of bandwidth";
        titles[columns++] = ">of copy";
    }
    titles[columns++] = ">to ours";
    titles[columns++] = "note";

    struct table table;
    table_init(&table, titles);
    for (unsigned i = 0; i < contest->row_count; i++)
        row_print(contest, &table, &contest->rows[i]);
    table_print(&table, stdout);
    table_deinit(&table);
    putchar('\n');
}

static void kernels_print(const struct contest *contest)
{
    const double n = (double)contest->sizes[contest->size_count - 1];
    struct table table;
    const bool streams = contest->copy_ms != NULL;
    table_init(&table,
               (const char *const[]){"operation", "kernel", ">launches", ">ms",
                                     streams ? ">bytes" : NULL, ">GB/s", ">of bandwidth", NULL});
    for (unsigned i = 0; i < contest->kernel_count; i++) {
        const struct contest_kernel *kernel = &contest->kernels[i];
        const double bytes = kernel->bytes * n * (double)kernel->launches;
        table_cell(&table, "%s", kernel->operation);
        table_cell(&table, "%s", kernel->name);
        table_cell(&table, "%llu", (unsigned long long)kernel->launches);
        cell(&table, kernel->ms, 3);
        if (!streams)
            continue;
        cell(&table, kernel->bytes, 1);
        cell(&table, bytes / kernel->ms / 1e6, 1);
        cell(&table, of_bandwidth(contest, bytes, kernel->ms), 2);
    }
    table_print(&table, stdout);
    table_deinit(&table);
    putchar('\n');
}

void contest_print(const struct contest *contest, const char *title)
{
    printf("== %s\n\n", title);
    rows_print(contest);
    kernels_print(contest);
}

void contest_print_csv(const struct contest *contest)
{
    for (unsigned i = 0; i < contest->row_count; i++)
        for (unsigned size = 0; size < contest->size_count; size++)
            if (contest->rows[i].ms[size] > 0)
                printf("\"%s\",\"%s\",%zu,%.4f,%.1f,\"%s\"\n", contest->rows[i].operation,
                       contest->rows[i].by, contest->sizes[size], contest->rows[i].ms[size],
                       contest->rows[i].bytes, contest->rows[i].note);
    for (unsigned i = 0; i < contest->kernel_count; i++) {
        const struct contest_kernel *kernel = &contest->kernels[i];
        printf("\"%s\",%s,%zu,%.4f,%.1f,%llu launches\n", kernel->operation, kernel->name,
               contest->sizes[contest->size_count - 1], kernel->ms, kernel->bytes,
               (unsigned long long)kernel->launches);
    }
}

#include "bench.h"
#include "families.h"
#include "plain.h"
#include "roadmap/neighbors.h"
#include "standard.h"

#include <stdio.h>
#include <stdlib.h>

enum { K = 10, DIMENSION_MAX = 12, RECALL_SAMPLES = 512 };
#define TARGET_RECALL 0.95
/* What is quadratic, or nearly, or slow in many dimensions, is not asked about more points. */
enum { SLOW_MAX = 50000 };
static const struct prm_buffer none = {NULL, 0};

struct points {
    struct contest *contest;
    size_t count;
    uint32_t dimension;
    struct prm_space space;
    enum prm_neighbor_method method;
    float *rows, *columns; /* [count][dimension], and transposed */
    uint32_t *out;         /* [count][K] */
    struct prm_buffer d_rows, d_out;
    struct prm_neighbor_statistics statistics;
    double recall;
};

/* Index and lists, by the method chosen; the recall is measured afterwards. */
static void search(struct points *p, bool measure)
{
    const struct prm_neighbor_options options = {
        .method = p->method, .k = K, .target_recall = TARGET_RECALL, .seed = 1};
    struct prm_arena *arena = p->contest->arena;
    struct prm_neighbor_index *index = NULL;
    bench_must(prm_neighbor_index_create(arena, &index, &p->space, p->d_rows, p->count, &options),
               "neighbours");
    bench_must(prm_neighbors_self(arena, p->d_out, none, index, 0, p->count), "neighbours");
    if (measure)
        bench_must(prm_neighbors_recall(arena, &p->recall, index, p->d_out, RECALL_SAMPLES),
                   "recall");
    bench_must(prm_context_finish(p->contest->context), "neighbours");
    p->statistics = prm_neighbor_statistics(index);
    prm_neighbor_index_destroy(index);
}

static void search_tiles(void *work)
{
    struct points *p = work;
    p->method = PRM_NEIGHBOR_TILES;
    search(p, false);
}

static void search_lsh(void *work)
{
    struct points *p = work;
    p->method = PRM_NEIGHBOR_LSH;
    search(p, false);
}

static void search_exact(void *work)
{
    struct points *p = work;
    p->method = PRM_NEIGHBOR_EXACT;
    search(p, false);
}

static void search_nanoflann(void *work)
{
    struct points *p = work;
    standard.neighbors(p->out, p->rows, p->count, p->dimension, K, 2);
}

static void search_plain(void *work)
{
    struct points *p = work;
    plain_neighbors(p->out, p->columns, p->count, p->dimension, K, 2);
}

/* Neighbours are no stream: nothing is stated. */
static const struct traffic traffic[] = {{NULL, 0}};

static void points_open(struct points *p, struct contest *contest, uint32_t dimension)
{
    const size_t n = contest->sizes[contest->size];
    uint64_t state = 42;
    *p = (struct points){.contest = contest, .count = n, .dimension = dimension};
    p->space = (struct prm_space){.dof = dimension, .row = 2};
    while (p->space.row < dimension)
        p->space.row *= 2;
    for (uint32_t c = 0; c < dimension; c++)
        p->space.coordinates[c] =
            (struct prm_coordinate){.kind = PRM_COORDINATE_LINEAR, .weight = 1};

    // uniform in the unit cube
    float *padded = bench_memory(n * p->space.row * sizeof *padded);
    p->rows = bench_memory(n * dimension * sizeof *p->rows);
    p->columns = bench_memory(n * dimension * sizeof *p->columns);
    p->out = bench_memory(n * K * sizeof *p->out);
    for (size_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < p->space.row; c++) {
            const float x = c < dimension ? (float)(bench_random(&state) >> 40) * 0x1p-24f : 0.0f;
            padded[i * p->space.row + c] = x;
            if (c < dimension)
                p->rows[i * dimension + c] = p->columns[c * n + i] = x;
        }
    p->d_rows = bench_buffer(contest->context, padded, n * p->space.row);
    p->d_out = bench_buffer(contest->context, NULL, n * K);
    free(padded);
}

static void points_close(struct points *p)
{
    prm_buffer_destroy(p->contest->context, &p->d_rows);
    prm_buffer_destroy(p->contest->context, &p->d_out);
    free(p->rows);
    free(p->columns);
    free(p->out);
}

void family_neighbors(struct contest *contest)
{
    static const struct {
        uint32_t dimension;
        const char *operation;
    } cases[] = {{3, "10 nearest, 3 dimensions"},
                 {7, "10 nearest, 7 dimensions"},
                 {DIMENSION_MAX, "10 nearest, 12 dimensions"}};
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        struct points p;
        const char *operation = cases[i].operation;
        points_open(&p, contest, cases[i].dimension);
        const bool high = p.dimension == DIMENSION_MAX;
        const struct contender contenders[] = {
            {"prm tiles", NULL, search_tiles, traffic, 0},
            {"prm lsh", NULL, search_lsh, traffic, high ? SLOW_MAX : 0},
            {"prm exact", NULL, search_exact, traffic, SLOW_MAX},
            {"nanoflann, 2 threads", NULL, standard.neighbors ? search_nanoflann : NULL, NULL,
             high ? SLOW_MAX : 0},
            {"plain brute force, 2 threads", NULL, search_plain, NULL, SLOW_MAX}};
        contest_measure(contest, operation, contenders, COUNT_OF(contenders), &p);
        if (!contest->profiling) {
            p.method = PRM_NEIGHBOR_TILES;
            search(&p, true);
            contest_note(contest, operation, "prm tiles", "recall %.3f", p.recall);
        }
        if (!contest->profiling && (!high || p.count <= SLOW_MAX)) {
            p.method = PRM_NEIGHBOR_LSH;
            search(&p, true);
            contest_note(contest, operation, "prm lsh", "recall %.3f, M %u, L %u", p.recall,
                         p.statistics.projections, p.statistics.tables);
        }
        points_close(&p);
    }
}
